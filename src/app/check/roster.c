#include "app/check/roster.h"

#include <inttypes.h>
#include <string.h>

#include "app/check/checked.h"
#include "app/command/input.h"
#include "show/json.h"
#include "tensor/file/csv_line.h"
#include "trace/run/step.h"

enum { MOST_STUDENTS = 2000, MOST_ROSTER_BYTES = 1 << 20 };

// A student, and what came of the file. A run lies in memory only while it is compared.
struct student {
    const char *name, *file;
    struct parameters parameters;
    const char *place; // the parameters in words; NULL: the lesson's own
    const char *verdict, *code, *words;
    double fraction; // of the numbers that are right
    bool is_accepted;
    bool is_wrong;                 // readable, and different or of another shape
    struct numbers numbers;        // of a wrong one, while others are compared with them
    const struct student *same_as; // whose right numbers these are; NULL if nobody's
    const struct student *copy_of; // whose file holds the same numbers; NULL if nobody's
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
                    "unknown column '%s': a roster has name, file and the parameters of %s "
                    "(onestep list)",
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
    if (is_switch(parameter) && says_no(value)) return;
    if (!set_parameter(&student->parameters, parameter, value))
        fail_at(&class->reading, field.place, "%s takes %s, not '%s'", parameter->name,
                possible_values(class->arena, parameter), field_text(&class->reading, field));
    if (is_file(parameter))
        student->parameters.inputs = read_input(class->arena, value, REGULAR_FILE);
}

static void take_student(struct class *class) {
    if (class->count == MOST_STUDENTS)
        fail_at(&class->reading, class->reading.next, "more than %d students", MOST_STUDENTS);
    struct student *student = &class->students[class->count++];
    student->parameters = class->command->parameters;
    const struct csv_line line =
        csv_take_line(&class->reading, class->column_count, "more fields than the header names");
    if (line.count < class->column_count)
        fail_at(&class->reading, line.end, "%d field%s, but the header names %d", line.count,
                line.count == 1 ? "" : "s", class->column_count);
    for (int i = 0; i < line.count; i++) take_value(class, student, i, line.field[i]);
}

static void read_roster(struct class *class) {
    const char *path = class->command->check.roster;
    size_t length;
    const char *bytes = read_file(class->arena, path, ANY_FILE, MOST_ROSTER_BYTES, &length);
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

// Reading a student's file, as an attempt.
struct reading_file {
    struct arena *arena;
    const char *path;
    struct numbers numbers;
};

static void read_student_file(void *context) {
    struct reading_file *work = context;
    work->numbers = read_numbers(work->arena, work->path, REGULAR_FILE);
}

// Returns false, with the reason in arena->failure, if it can't be read.
static bool read_file_of(struct arena *arena, const struct class *class,
                         const struct student *student, struct numbers *numbers) {
    struct reading_file work = {
        .arena = arena,
        .path = arena_format(arena, "%s/%s", class->command->check.file, student->file)};
    const bool is_read = attempt(arena->failure, read_student_file, &work);
    *numbers = work.numbers;
    return is_read;
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
static const char *words_for(struct arena *arena, const struct checked *checked) {
    if (checked->verdict == VERDICT_COARSE && checked->min_decimals == 0)
        return "equal as far as the digits show: the numbers have no decimals";
    if (checked->verdict == VERDICT_COARSE)
        return arena_format(arena, "%d decimals, but --min-decimals requires %d",
                            checked->numbers.decimals, checked->min_decimals);
    if (checked->verdict == VERDICT_SHAPE)
        return arena_format(arena, "shape %s, but %s is right",
                            shape_text(arena, checked->numbers.shape),
                            shape_text(arena, shape_of(&checked->step->tensor)));
    if (checked->verdict == VERDICT_EQUAL) return "";
    if (checked->verdict == VERDICT_UNJUDGED)
        return "rounding alone changes some of these numbers by as much as their own size";
    if (checked->verdict == VERDICT_STREAM)
        return "right, but with masks of the other dropout stream";
    const struct explanation *best = &checked->diagnosis.explanations[0];
    if (checked->diagnosis.possible > 0) return "too few digits differ to identify the mistake";
    if (checked->diagnosis.count == 0) {
        const char *hint = hint_text(arena, checked);
        return hint != NULL ? hint : "";
    }
    if (best->kind == BY_STEP) return "the numbers of another step";
    if (best->kind == BY_PARAMETER) return "the right numbers for other parameters";
    if (best->kind == BY_MASK_TIMES_INF) return "the mask was multiplied by inf: 0 * inf is nan";
    if (best->kind == BY_RELATION) return best->relation.text;
    if (best->kind == BY_TRANSPOSING) return "the right numbers, transposed";
    return titles_text(arena, best);
}

static void note_answer(struct arena *arena, struct student *student,
                        const struct checked *checked) {
    const struct comparison *comparison = &checked->comparison;
    student->is_accepted = is_accepted(checked);
    student->is_wrong = checked->verdict == VERDICT_DIFFERENT || checked->verdict == VERDICT_SHAPE;
    student->verdict = verdict_text(checked->verdict);
    student->code = arena_copy(arena, code_of(arena, checked));
    student->words = arena_copy(arena, words_for(arena, checked));
    if (comparison->count > 0)
        student->fraction = 1 - (double)comparison->different / (double)comparison->count;
}

static void check_student(const struct class *class, struct student *student) {
    const struct command *command = class->command;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, class->arena->failure);
    struct run run;
    run_lesson(&run, m, command->lesson, &student->parameters);
    struct checked checked = {.run = &run,
                              .step = find_step(&run, command->step, m->failure),
                              .file = student->file,
                              .min_decimals = command->check.min_decimals,
                              .is_thorough = command->check.is_thorough,
                              .any_stream = command->check.any_stream};
    const char *place = parameters_text(m, &run);
    if (place != NULL) student->place = arena_copy(class->arena, place);
    if (read_file_of(m, class, student, &checked.numbers)) {
        judge(m, &checked);
        note_answer(class->arena, student, &checked);
    } else {
        student->verdict = student->code = "unreadable";
        student->words = arena_copy(class->arena, m->failure->message);
    }
    scratch_close(&scratch);
}

// ---- Whose numbers they are ---------------------------------------------------------------------

// Have two students the same parameters? Then equal numbers say nothing of them.
static bool is_in_same_place(const struct student *a, const struct student *b) {
    if (a->place == NULL || b->place == NULL) return a->place == b->place;
    return strcmp(a->place, b->place) == 0;
}

static bool are_the_same(const struct numbers *a, const struct numbers *b) {
    if (!shapes_equal(a->shape, b->shape)) return false;
    for (int64_t i = 0; i < count_of(a->shape); i++) {
        const bool are_nan = a->values[i] != a->values[i] && b->values[i] != b->values[i];
        if (a->values[i] != b->values[i] && !are_nan) return false;
    }
    return true;
}

// Some of the wrong ones, whose numbers are in memory.
struct group {
    struct class *class;
    int count;
    struct student *wrong[MOST_STUDENTS];
};

// Compares their numbers with those that another student should have, and with those that are in the other's file.
static void compare_with(const struct group *group, const struct student *other) {
    const struct command *command = group->class->command;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, group->class->arena->failure);
    struct run run;
    run_lesson(&run, m, command->lesson, &other->parameters);
    const struct tensor *right = &find_step(&run, command->step, m->failure)->tensor;
    struct numbers theirs;
    const bool is_read = read_file_of(m, group->class, other, &theirs);
    for (int i = 0; i < group->count; i++) {
        struct student *student = group->wrong[i];
        const struct numbers *own = &student->numbers;
        if (other == student) continue;
        if (student->same_as == NULL && fits(own, shape_of(right)) &&
            compare_up_to(own, right, 0).different == 0)
            student->same_as = other;
        if (student->copy_of == NULL && is_read && !is_in_same_place(student, other) &&
            are_the_same(own, &theirs))
            student->copy_of = other;
    }
    scratch_close(&scratch);
}

// Takes the wrong ones from student number `next` on, as many as there is room for; returns who comes after them.
static int take_wrong_ones(struct group *group, struct arena *arena, int next) {
    int64_t left = NUMBERS_MAX;
    for (group->count = 0; next < group->class->count && left > 0; next++) {
        struct student *student = &group->class->students[next];
        if (!student->is_wrong) continue;
        if (!read_file_of(arena, group->class, student, &student->numbers)) continue;
        left -= count_of(student->numbers.shape);
        group->wrong[group->count++] = student;
    }
    return next;
}

// Runs every student's lesson once more for each group.
static void find_same(struct class *class) {
    struct group *group = arena_allocate(class->arena, sizeof *group);
    group->class = class;
    for (int next = 0; next < class->count;) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, class->arena->failure);
        next = take_wrong_ones(group, m, next);
        for (int i = 0; group->count > 0 && i < class->count; i++)
            compare_with(group, &class->students[i]);
        scratch_close(&scratch);
    }
    for (int i = 0; i < class->count; i++) {
        struct student *student = &class->students[i];
        if (student->same_as == NULL) student->same_as = student->copy_of;
    }
}

// ---- The answer ---------------------------------------------------------------------------------

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
        text_add_format(text, ",%s,%.4g", student->verdict, student->fraction);
        add_field(text, student->code, false);
        add_field(text, student->same_as != NULL ? student->same_as->name : NULL, false);
        add_field(text, student->words, false);
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
        json_add_string(&json, "verdict", student->verdict);
        json_add_number(&json, "right", student->fraction);
        json_add_string(&json, "code", student->code);
        json_add_string(&json, "same_as",
                        student->same_as != NULL ? text_safe(text->arena, student->same_as->name)
                                                 : NULL);
        json_add_string(&json, "text", student->words);
        json_close(&json);
    }
    json_close(&json);
}

bool add_roster(struct text *text, const struct command *command) {
    struct class class = {.arena = text->arena, .command = command};
    bool all_accepted = true;
    read_roster(&class);
    for (int i = 0; i < class.count; i++) {
        check_student(&class, &class.students[i]);
        all_accepted = all_accepted && class.students[i].is_accepted;
    }
    find_same(&class);
    if (command->format == FORMAT_JSON)
        add_json_answer(text, &class);
    else
        add_csv_answer(text, &class);
    return all_accepted;
}
