#include "app/check/class/roster.h"

#include <ctype.h>
#include <string.h>

#include "app/check/class/class.h"
#include "app/command/input.h"
#include "tensor/text/fields.h"

enum { MOST_STUDENTS = 2000, MOST_ROSTER_BYTES = 1 << 20 };

enum column { COLUMN_PARAMETER, COLUMN_NAME, COLUMN_FILE, COLUMN_LESSON, COLUMN_STEP };

struct roster {
    struct class class;
    struct reading reading;
    struct lines lines;
    int column_count;
    enum column columns[CSV_MAX_FIELDS];
    const struct parameter *parameters[CSV_MAX_FIELDS]; // of COLUMN_PARAMETER
};

// Without the blanks around it.
static char *field_string(const struct roster *roster, struct field field) {
    const char *start = field.bytes, *end = field.bytes + field.length;
    while (start < end && is_blank(*start)) start++;
    while (end > start && is_blank(end[-1])) end--;
    return arena_copy_bytes(roster->class.arena, start, (size_t)(end - start));
}

// ---- The header ---------------------------------------------------------------------------------

// A parameter by its name or option: "d_out", "d-out", "--d-out".
static const struct parameter *parameter_called(const char *name) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const bool is_named = strcmp(name, parameter->name) == 0 ||
                              strcmp(name, parameter->option) == 0 ||
                              strcmp(name, parameter->option + 2) == 0;
        if (is_named) return parameter;
    }
    return NULL;
}

static bool has_column(const struct roster *roster, enum column column) {
    for (int i = 0; i < roster->column_count; i++) {
        if (roster->columns[i] == column) return true;
    }
    return false;
}

static void take_column(struct roster *roster, int number, struct field field) {
    static const char *const names[] = {
        [COLUMN_NAME] = "name",
        [COLUMN_FILE] = "file",
        [COLUMN_LESSON] = "lesson",
        [COLUMN_STEP] = "step",
    };
    char *name = field_string(roster, field);
    for (char *letter = name; *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    for (int column = COLUMN_NAME; column <= COLUMN_STEP; column++) {
        if (strcmp(name, names[column]) == 0) roster->columns[number] = (enum column)column;
    }
    if (roster->columns[number] == COLUMN_PARAMETER)
        roster->parameters[number] = parameter_called(name);
    if (roster->columns[number] == COLUMN_PARAMETER && roster->parameters[number] == NULL)
        fail_at(&roster->reading, field.start,
                "unknown column '%s': a roster has name, file, lesson, step and parameters "
                "(onestep list)",
                field_text(&roster->reading, field));
}

// A parameter in a column must be one of the lesson's, unless each student has a lesson.
static void check_columns(const struct roster *roster, const struct csv_line *header) {
    const struct lesson *lesson = roster->class.command->lesson;
    for (int i = 0; i < roster->column_count; i++) {
        const struct parameter *parameter = roster->parameters[i];
        if (parameter == NULL || parameter->bit & lesson->uses) continue;
        fail_at(&roster->reading, header->field[i].start,
                "unknown column '%s': %s has no such parameter (onestep list)", parameter->name,
                lesson->name);
    }
}

// ';' if the first line has more of them than commas.
static char separator_of(const struct reading *reading) {
    int balance = 0;
    for (const char *byte = reading->next; byte < reading->end && *byte != '\n'; byte++)
        balance += (*byte == ';') - (*byte == ',');
    return balance > 0 ? ';' : ',';
}

static void take_header(struct roster *roster) {
    roster->lines = (struct lines){.reading = &roster->reading, .is_strict = true};
    (void)next_line(&roster->lines);
    roster->lines.divider = separator_of(&roster->reading);
    const struct csv_line line =
        take_fields(&roster->lines, CSV_MAX_FIELDS, "too many columns for a roster");
    roster->column_count = line.count;
    for (int i = 0; i < line.count; i++) take_column(roster, i, line.field[i]);
    if (!has_column(roster, COLUMN_NAME) || !has_column(roster, COLUMN_FILE))
        fail_at(&roster->reading, line.field[0].start,
                "a roster needs the columns name and file, as in name,file,seed");
    if (!has_column(roster, COLUMN_LESSON) && roster->class.command->lesson == NULL)
        fail_at(&roster->reading, line.field[0].start,
                "no column names the lesson: add one, or the lesson to the command, as in "
                "'onestep check causal --roster'");
    if (!has_column(roster, COLUMN_LESSON)) check_columns(roster, &line);
}

// ---- A student's line ---------------------------------------------------------------------------

static bool says_no(const char *value) {
    return strcmp(value, "no") == 0 || strcmp(value, "False") == 0 || strcmp(value, "false") == 0 ||
           strcmp(value, "0") == 0;
}

static void take_lesson(const struct roster *roster, struct student *student, struct field field) {
    const char *name = field_string(roster, field);
    if (*name == '\0') return;
    student->lesson = lesson_by_name(name);
    if (student->lesson == NULL)
        fail_at(&roster->reading, field.start, "no lesson '%s' (onestep list)",
                field_text(&roster->reading, field));
}

static void take_parameter(const struct roster *roster, struct student *student, int column,
                           struct field field) {
    const struct parameter *parameter = roster->parameters[column];
    const char *value = field_string(roster, field);
    if (*value == '\0' || (is_switch(parameter) && says_no(value))) return;
    if (!(parameter->bit & student->lesson->uses))
        fail_at(&roster->reading, field.start, "%s has no use for %s", student->lesson->name,
                parameter->name);
    if (!set_parameter(&student->parameters, parameter, value))
        fail_at(&roster->reading, field.start, "%s takes %s, not '%s'", parameter->name,
                possible_values(roster->class.arena, parameter),
                field_text(&roster->reading, field));
    if (is_file(parameter))
        student->parameters.inputs = read_input(roster->class.arena, value, REGULAR_FILE);
}

static void take_words(const struct roster *roster, struct student *student, int column,
                       struct field field) {
    const char *value = field_string(roster, field);
    if (roster->columns[column] == COLUMN_NAME) student->name = value;
    if (roster->columns[column] == COLUMN_FILE) student->file = value;
    if (roster->columns[column] == COLUMN_STEP && *value != '\0') student->step = value;
}

struct taking {
    struct roster *roster;
    struct student *student;
    bool is_split; // the line is behind the reader
};

// Whose line it is comes first, so that the answer can tell it.
static void take_line(void *context) {
    struct taking *taking = context;
    struct roster *roster = taking->roster;
    struct student *student = taking->student;
    const struct csv_line line =
        take_fields(&roster->lines, roster->column_count, "more fields than the header names");
    taking->is_split = true;
    for (int i = 0; i < line.count; i++) take_words(roster, student, i, line.field[i]);
    if (line.count < roster->column_count)
        fail_at(&roster->reading, line.end, "%d field%s, but the header names %d", line.count,
                line.count == 1 ? "" : "s", roster->column_count);
    for (int i = 0; i < line.count; i++) {
        if (roster->columns[i] == COLUMN_LESSON) take_lesson(roster, student, line.field[i]);
    }
    if (student->lesson == NULL) fail_at(&roster->reading, line.end, "no lesson");
    for (int i = 0; i < line.count; i++) {
        if (roster->columns[i] == COLUMN_PARAMETER)
            take_parameter(roster, student, i, line.field[i]);
    }
    if (*student->file == '\0') fail_at(&roster->reading, line.end, "no file");
}

static int line_number(const struct reading *reading) {
    int number = 1;
    for (const char *byte = reading->start; byte < reading->next; byte++) number += *byte == '\n';
    return number;
}

static void take_student(struct roster *roster) {
    struct class *class = &roster->class;
    struct reading *reading = &roster->reading;
    if (class->count == MOST_STUDENTS)
        fail_at(reading, reading->next, "more than %d students", MOST_STUDENTS);
    struct student *student = &class->students[class->count++];
    *student = (struct student){.name = "",
                                .file = "",
                                .line = line_number(reading),
                                .lesson = class->command->lesson,
                                .step = class->command->step,
                                .parameters = class->command->parameters};
    struct taking taking = {.roster = roster, .student = student};
    const char *start = reading->next;
    if (attempt_input(class->arena->failure, take_line, &taking)) return;
    student->verdict = student->code = "roster";
    student->words = arena_copy(class->arena, class->arena->failure->message);
    if (taking.is_split) return;
    const char *end = memchr(start, '\n', (size_t)(reading->end - start));
    reading->next = end != NULL ? end + 1 : reading->end;
}

static void read_roster(struct roster *roster) {
    struct class *class = &roster->class;
    const char *path = class->command->check.roster;
    size_t length;
    const char *bytes = read_file(class->arena, path, ANY_FILE, MOST_ROSTER_BYTES, &length);
    roster->reading = reading_new(class->arena, file_name(path), bytes, length);
    skip_byte_order_mark(&roster->reading);
    class->students = arena_array(class->arena, MOST_STUDENTS, sizeof *class->students);
    take_header(roster);
    while (next_line(&roster->lines)) take_student(roster);
    if (class->count == 0)
        fail_at(&roster->reading, roster->reading.end, "no students below the header");
}

bool add_roster(struct text *text, struct text *notes, const struct command *command) {
    struct roster roster = {.class = {.arena = text->arena, .command = command}};
    struct class *class = &roster.class;
    bool all_accepted = true;
    read_roster(&roster);
    for (int i = 0; i < class->count; i++) {
        if (class->students[i].verdict == NULL) mark_student(class, &class->students[i]);
        all_accepted = all_accepted && class->students[i].is_accepted;
    }
    find_copies(class);
    if (command->format == FORMAT_HTML)
        add_page(text, class);
    else if (command->format == FORMAT_JSON)
        add_table_json(text, class);
    else
        add_table_csv(text, class);
    add_summary(notes, class);
    return all_accepted;
}
