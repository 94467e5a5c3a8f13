#include "app/check/roster.h"

#include <inttypes.h>
#include <string.h>

#include "app/check/checked.h"
#include "app/input.h"
#include "show/json.h"
#include "tensor/file/csv_line.h"
#include "trace/step.h"

enum { MOST_STUDENTS = 2000, MOST_ROSTER_BYTES = 1 << 20 };

// A student, and what came of the file.
struct student {
    const char *name, *file;
    struct parameters parameters;
    struct run run;
    bool is_readable;
    const char *complaint; // if it is not readable
    struct checked checked;
    const struct student *same_as; // NULL if nobody's
};

struct class {
    struct arena *arena;
    const struct command *command;
    struct reading reading;
    int column_count;
    const struct parameter *columns[CSV_MAX_FIELDS]; // NULL for name and file
    int name_column, file_column;
    int count;
    struct student *students;
};

// ---- Reading the roster -------------------------------------------------------------------------

static const char *field_string(const struct class *class, struct field field) {
    return arena_copy_bytes(class->arena, field.bytes, field.length);
}

// A parameter by its name or option: "d_out", "d-out", "--d-out".
static const struct parameter *parameter_called(const char *name) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const bool is_it = strcmp(name, parameter->name) == 0 ||
                           strcmp(name, parameter->option) == 0 ||
                           strcmp(name, parameter->option + 2) == 0;
        if (is_it) return parameter;
    }
    return NULL;
}

static void take_column(struct class *class, int number, struct field field) {
    const char *name = field_string(class, field);
    if (strcmp(name, "name") == 0) {
        class->name_column = number;
    } else if (strcmp(name, "file") == 0) {
        class->file_column = number;
    } else {
        const struct parameter *parameter = parameter_called(name);
        if (parameter == NULL || !(parameter->bit & class->command->lesson->uses))
            fail_at(&class->reading, field.place,
                    "no column '%s': there are name, file and the parameters of %s (onestep list)",
                    field_text(&class->reading, field), class->command->lesson->name);
        class->columns[number] = parameter;
    }
}

static void take_header(struct class *class) {
    csv_skip_blank_lines(&class->reading);
    const struct csv_line line =
        csv_take_line(&class->reading, CSV_MAX_FIELDS, "too many columns for a roster");
    class->name_column = class->file_column = -1;
    class->column_count = line.count;
    for (int i = 0; i < line.count; i++) take_column(class, i, line.field[i]);
    if (class->name_column < 0 || class->file_column < 0)
        fail_at(&class->reading, line.field[0].place,
                "a roster needs the columns name and file, as in name,file,seed");
}

static bool says_no(const char *value) {
    return strcmp(value, "no") == 0 || strcmp(value, "False") == 0 || strcmp(value, "false") == 0 ||
           strcmp(value, "0") == 0;
}

static void take_value(struct class *class, struct student *student, int column,
                       struct field field) {
    const struct parameter *parameter = class->columns[column];
    const char *value = field_string(class, field);
    if (column == class->name_column) student->name = value;
    if (column == class->file_column) student->file = value;
    if (parameter == NULL || *value == '\0') return;
    if (parameter->kind == IS_SWITCH && says_no(value)) return;
    if (!set_parameter(&student->parameters, parameter, value))
        fail_at(&class->reading, field.place, "%s takes %s, not '%s'", parameter->name,
                possible_values(class->arena, parameter), field_text(&class->reading, field));
    if (parameter->kind == IS_FILE) student->parameters.inputs = read_input(class->arena, value);
}

static void take_student(struct class *class) {
    if (class->count == MOST_STUDENTS)
        fail_at(&class->reading, class->reading.next, "more than %d students", MOST_STUDENTS);
    struct student *student = &class->students[class->count++];
    student->parameters = class->command->parameters;
    const struct csv_line line =
        csv_take_line(&class->reading, class->column_count, "more fields than the header names");
    if (line.count < class->column_count)
        fail_at(&class->reading, line.end, "%d field%s, where the header names %d", line.count,
                line.count == 1 ? "" : "s", class->column_count);
    for (int i = 0; i < line.count; i++) take_value(class, student, i, line.field[i]);
}

static void read_roster(struct class *class) {
    const char *path = class->command->roster;
    size_t length;
    const char *bytes = read_file(class->arena, path, MOST_ROSTER_BYTES, &length);
    class->reading = reading_new(class->arena, file_name(path), bytes, length);
    skip_byte_order_mark(&class->reading);
    class->students = arena_array(class->arena, MOST_STUDENTS, sizeof *class->students);
    take_header(class);
    for (csv_skip_blank_lines(&class->reading); class->reading.next < class->reading.end;
         csv_skip_blank_lines(&class->reading))
        take_student(class);
    if (class->count == 0)
        fail_at(&class->reading, class->reading.end, "no students below the header");
}

// ---- Checking -----------------------------------------------------------------------------------

struct reading_file {
    struct arena *arena;
    const char *path;
    struct numbers numbers;
};

static void read_student_file(void *context) {
    struct reading_file *work = context;
    work->numbers = read_numbers(work->arena, work->path);
}

static void check_student(struct class *class, struct student *student) {
    const struct command *command = class->command;
    struct arena *arena = class->arena;
    run_lesson(&student->run, arena, command->lesson, &student->parameters);
    student->checked = (struct checked){.run = &student->run,
                                        .file = student->file,
                                        .min_decimals = command->min_decimals,
                                        .any_stream = command->any_stream};
    student->checked.step = find_step(&student->run, command->step, arena->failure);
    struct reading_file work = {.arena = arena,
                                .path = arena_format(arena, "%s/%s", command->file, student->file)};
    student->is_readable = attempt(arena->failure, read_student_file, &work);
    if (!student->is_readable) {
        student->complaint = arena_copy(arena, arena->failure->message);
        return;
    }
    student->checked.numbers = work.numbers;
    judge(arena, &student->checked);
}

static bool is_wrong(const struct student *student) {
    const enum verdict verdict = student->checked.verdict;
    return student->is_readable && (verdict == VERDICT_DIFFERENT || verdict == VERDICT_SHAPE);
}

// Are the numbers of one student those that another should have?
static bool has_numbers_of(const struct student *student, const struct student *other) {
    const struct tensor *tensor = &other->checked.step->tensor;
    const struct numbers *numbers = &student->checked.numbers;
    return fits(numbers, shape_of(tensor)) && compare_up_to(numbers, tensor, 0).different == 0;
}

// Have two students the same parameters? Then equal numbers say nothing of them.
static bool is_in_same_place(const struct student *a, const struct student *b) {
    struct arena *arena = a->run.memory;
    const char *one = parameters_text(arena, &a->run), *two = parameters_text(arena, &b->run);
    return one == two || (one != NULL && two != NULL && strcmp(one, two) == 0);
}

// Do two files hold the very same numbers, though other ones were asked for?
static bool has_copy_of(const struct student *student, const struct student *other) {
    const struct numbers *a = &student->checked.numbers, *b = &other->checked.numbers;
    if (!other->is_readable || !shapes_equal(a->shape, b->shape)) return false;
    if (is_in_same_place(student, other)) return false;
    for (int64_t i = 0; i < count_of(a->shape); i++) {
        const bool are_nan = a->values[i] != a->values[i] && b->values[i] != b->values[i];
        if (a->values[i] != b->values[i] && !are_nan) return false;
    }
    return true;
}

static void find_same(const struct class *class, struct student *student,
                      bool (*is_same)(const struct student *, const struct student *)) {
    for (int i = 0; i < class->count && student->same_as == NULL; i++) {
        const struct student *other = &class->students[i];
        if (other != student && is_same(student, other)) student->same_as = other;
    }
}

// ---- The answer ---------------------------------------------------------------------------------

static const char *verdict_of(const struct student *student) {
    static const char *const verdicts[] = {
        [VERDICT_EQUAL] = "equal",         [VERDICT_COARSE] = "coarse", [VERDICT_STREAM] = "stream",
        [VERDICT_DIFFERENT] = "different", [VERDICT_SHAPE] = "shape",
    };
    return student->is_readable ? verdicts[student->checked.verdict] : "unreadable";
}

static double fraction_of(const struct student *student) {
    const struct comparison *comparison = &student->checked.comparison;
    if (!student->is_readable || comparison->count == 0) return 0;
    return 1 - (double)comparison->different / (double)comparison->count;
}

static const char *titles_text(struct arena *arena, const struct explanation *explanation) {
    const char *titles = explanation->mistakes[0]->title;
    if (explanation->mistake_count > 1)
        titles = arena_format(arena, "%s; and %s", titles, explanation->mistakes[1]->title);
    for (int i = 0; i < explanation->alike_count; i++)
        titles =
            arena_format(arena, "%s; or %s", titles, titles_text(arena, &explanation->alike[i]));
    return titles;
}

// The best explanation in a sentence or two; "" if there is none.
static const char *words_for(struct arena *arena, const struct student *student) {
    const struct checked *checked = &student->checked;
    if (!student->is_readable) return student->complaint;
    if (checked->verdict == VERDICT_COARSE)
        return arena_format(arena, "%d decimals, and %d were asked for", checked->numbers.decimals,
                            checked->min_decimals);
    if (checked->verdict == VERDICT_SHAPE)
        return arena_format(arena, "shape %s, and %s is right",
                            shape_text(arena, checked->numbers.shape),
                            shape_text(arena, shape_of(&checked->step->tensor)));
    if (checked->verdict == VERDICT_EQUAL) return "";
    if (checked->verdict == VERDICT_STREAM) return "masks of the other dropout stream";
    const struct explanation *best = &checked->diagnosis.explanations[0];
    if (checked->diagnosis.count == 0) {
        const char *hint = hint_text(arena, checked);
        return hint != NULL ? hint : "";
    }
    if (best->kind == BY_STEP) return "the numbers of another step";
    if (best->kind == BY_PARAMETER) return "the numbers of another parameter";
    if (best->kind == BY_TRANSPOSING) return "the right numbers, transposed";
    return titles_text(arena, best);
}

static const char *same_as(const struct student *student) {
    return student->same_as != NULL ? student->same_as->name : NULL;
}

static const char *student_code(struct arena *arena, const struct student *student) {
    return student->is_readable ? code_of(arena, &student->checked) : "unreadable";
}

// A field of CSV; one that a spreadsheet would compute has an apostrophe before it.
static void add_field(struct text *text, const char *field, bool is_first) {
    const char *safe = field != NULL ? text_safe(text->arena, field) : "";
    if (!is_first) text_add(text, ",");
    text_add(text, "\"");
    if (*safe != '\0' && strchr("=+-@", *safe) != NULL) text_add(text, "'");
    for (; *safe != '\0'; safe++) {
        if (*safe == '"') text_add(text, "\"");
        text_add_bytes(text, safe, 1);
    }
    text_add(text, "\"");
}

static void add_csv_answer(struct text *text, const struct class *class) {
    text_add(text, "name,file,verdict,right,code,same_as,text\n");
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        add_field(text, student->name, true);
        add_field(text, student->file, false);
        text_add_format(text, ",%s,%.4g", verdict_of(student), fraction_of(student));
        add_field(text, student_code(text->arena, student), false);
        add_field(text, same_as(student), false);
        add_field(text, words_for(text->arena, student), false);
        text_add(text, "\n");
    }
}

static void add_json_answer(struct text *text, const struct class *class) {
    struct json json = json_new(text);
    json_open_list(&json, NULL);
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        json_line(&json);
        json_open_object(&json, NULL);
        json_add_string(&json, "name", text_safe(text->arena, student->name));
        json_add_string(&json, "file", text_safe(text->arena, student->file));
        json_add_string(&json, "verdict", verdict_of(student));
        json_add_number(&json, "right", fraction_of(student));
        json_add_string(&json, "code", student_code(text->arena, student));
        json_add_string(&json, "same_as",
                        student->same_as != NULL ? text_safe(text->arena, same_as(student)) : NULL);
        json_add_string(&json, "text", words_for(text->arena, student));
        json_close(&json);
    }
    json_close(&json);
}

bool add_roster(struct text *text, const struct command *command) {
    struct class class = {.arena = text->arena, .command = command};
    bool all_equal = true;
    read_roster(&class);
    for (int i = 0; i < class.count; i++) check_student(&class, &class.students[i]);
    for (int i = 0; i < class.count; i++) {
        struct student *student = &class.students[i];
        all_equal = all_equal && student->is_readable && student->checked.verdict == VERDICT_EQUAL;
        if (!is_wrong(student)) continue;
        find_same(&class, student, has_numbers_of);
        find_same(&class, student, has_copy_of);
    }
    if (command->format == FORMAT_JSON)
        add_json_answer(text, &class);
    else
        add_csv_answer(text, &class);
    return all_equal;
}
