#include "app/session/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/program.h"
#include "trace/run/step.h"
#include "trace/what_if/mistake.h"
#include "walk/model/state.h"

bool is_link(const char *argument) {
    return strchr(argument, '#') != NULL;
}

// ---- Reading ------------------------------------------------------------------------------------

static const char hex_digits[] = "0123456789ABCDEFabcdef";

// The byte that "%2B" stands for, at the '%'; 0 if it stands for none.
static char escaped_byte(const char *escape) {
    if (escape[0] != '%' || strspn(escape + 1, hex_digits) < 2) return '\0';
    const char digits[] = {escape[1], escape[2], '\0'};
    return (char)strtol(digits, NULL, 16);
}

static const char *decoded(struct arena *arena, const char *bytes, size_t length) {
    char *text = arena_copy_bytes(arena, bytes, length), *end = text;
    for (const char *next = text; *next != '\0';) {
        const char byte = escaped_byte(next);
        *end++ = byte != '\0' ? byte : *next == '+' ? ' ' : *next;
        next += byte != '\0' ? 3 : 1;
    }
    *end = '\0';
    return text;
}

// What a link may have besides parameters.
static const char *const others[] = {"what-if", "line", "cell", "digits"};
enum { OTHER_COUNT = sizeof others / sizeof *others };

static bool may_have(const char *name) {
    for (int i = 0; i < OTHER_COUNT; i++) {
        if (strcmp(name, others[i]) == 0) return true;
    }
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!is_file(parameter) && strcmp(name, parameter->option + 2) == 0) return true;
    }
    return false;
}

static _Noreturn void refuse(struct arena *arena, const char *name) {
    struct text text = text_new(arena);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (!is_file(&parameter_table[i]))
            text_add_format(&text, "%s, ", parameter_table[i].option + 2);
    }
    fail(arena->failure, FAIL_USAGE, "a link has no '%s'; it may have %s%s, %s, %s and %s",
         text_safe(arena, name), text.bytes, others[0], others[1], others[2], others[3]);
}

// "seed=5" as "--seed=5".
static const char *option_of(struct arena *arena, const char *pair, size_t length) {
    const char *equals = memchr(pair, '=', length);
    const size_t name_length = equals != NULL ? (size_t)(equals - pair) : length;
    const char *name = decoded(arena, pair, name_length);
    if (!may_have(name)) refuse(arena, name);
    if (equals == NULL) return arena_format(arena, "--%s", name);
    const char *value = decoded(arena, equals + 1, length - name_length - 1);
    return arena_format(arena, "--%s=%s", name, value);
}

struct link read_link(struct arena *arena, const char *argument) {
    const char *address = strchr(argument, '#') + 1;
    const size_t path = strcspn(address, "?"), lesson = strcspn(address, "/?");
    struct link link = {.lesson = decoded(arena, address, lesson)};
    if (lesson < path) link.step = decoded(arena, address + lesson + 1, path - lesson - 1);
    const char *pair = address[path] == '?' ? address + path + 1 : "";
    for (size_t length = 0; *pair != '\0'; pair += length, pair += *pair == '&') {
        length = strcspn(pair, "&");
        if (length == 0) continue;
        const size_t size = sizeof *link.options, used = (size_t)link.count * size;
        link.options = arena_grow(arena, link.options, used, size);
        link.options[link.count++] = option_of(arena, pair, length);
    }
    return link;
}

// ---- Writing ------------------------------------------------------------------------------------

static void add_encoded(struct text *text, const char *string) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:";
    for (; *string != '\0'; string++) {
        if (*string == ' ')
            text_add(text, "+");
        else if (strchr(plain, *string) != NULL)
            text_add_bytes(text, string, 1);
        else
            text_add_format(text, "%%%02X", (unsigned)(unsigned char)*string);
    }
}

// The value of a parameter that the user has given, "" of a switch that is on; NULL if it is not given.
static const char *given_value(struct arena *arena, const struct walker *walker,
                               const struct parameter *parameter) {
    const uint64_t given = walker->chosen.given & walker->trial.run.lesson->uses;
    if (!(given & parameter->bit) || is_file(parameter)) return NULL;
    const char *value = parameter_text(arena, &walker->chosen, parameter);
    if (!is_switch(parameter)) return value;
    return strcmp(value, "no") == 0 ? NULL : "";
}

// The options of a link as they are added: the first follows a '?', the others a '&'.
struct writing {
    struct text *text;
    int count;
};

static void add_option(struct writing *writing, const char *name, const char *value) {
    text_add(writing->text, writing->count++ == 0 ? "?" : "&");
    text_add(writing->text, name);
    if (value == NULL) return;
    text_add(writing->text, "=");
    add_encoded(writing->text, value);
}

// "2,1", the index in all dimensions; nothing for the cell that the step opens on.
static void add_cell(struct writing *writing, const struct run *run, const struct step *step,
                     const struct cell *cell) {
    struct text index = text_new(writing->text->arena);
    int64_t page = 0, row, column, opening[MAX_DIMS] = {0};
    opening_cell(run, step, &page, &row, &column);
    table_index(&cell->tensor, page, row, column, opening);
    bool is_opening = true;
    for (int dim = 0; dim < cell->tensor.ndim; dim++) {
        text_add_format(&index, "%s%" PRId64, dim > 0 ? "," : "", cell->index[dim]);
        is_opening = is_opening && cell->index[dim] == opening[dim];
    }
    if (!is_opening) add_option(writing, "cell", index.bytes);
}

void add_link(struct text *text, const struct walker *walker) {
    enum { USUAL_DIGITS = 4 };
    const struct run *run = &walker->trial.run;
    text_add_format(text, "#%s/", run->lesson->name);
    add_encoded(text, step_label(text->arena, current_step(&walker->state, run)));
    struct writing writing = {.text = text};
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const char *value = given_value(text->arena, walker, parameter);
        if (value != NULL)
            add_option(&writing, parameter->option + 2, is_switch(parameter) ? NULL : value);
    }
    for (int i = 0; i < mistake_total; i++) {
        if (walker->what_ifs.made[i]) add_option(&writing, "what-if", mistake_table[i].name);
    }
    const struct changed_lines *lines = &walker->what_ifs.lines;
    for (int i = 0; i < lines->count; i++) {
        const struct changed_line *line = &lines->all[i];
        if (strcmp(line->lesson, run->lesson->name) == 0)
            add_option(&writing, "line",
                       arena_format(text->arena, "%s=%s", line->step, line->code));
    }
    const struct cell cell = current_cell(&walker->state, run);
    add_cell(&writing, run, current_step(&walker->state, run), &cell);
    if (walker->digits != USUAL_DIGITS)
        add_option(&writing, "digits", arena_format(text->arena, "%d", walker->digits));
}

// ---- A command ----------------------------------------------------------------------------------

static void add_quoted(struct text *text, const char *string) {
    text_add(text, "'");
    for (; *string != '\0'; string++) {
        if (*string == '\'')
            text_add(text, "'\\''");
        else
            text_add_bytes(text, string, 1);
    }
    text_add(text, "'");
}

void add_lines_command(struct text *text, const struct walker *walker) {
    const struct run *run = &walker->trial.run;
    const struct changed_lines *lines = &walker->what_ifs.lines;
    if (is_of_reader(run->lesson) || !any_changed(&walker->what_ifs, run->lesson)) return;
    const struct step *step = current_step(&walker->state, run);
    text_add_format(text, "onestep walk %s", run->lesson->name);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const char *value = given_value(text->arena, walker, parameter);
        if (value == NULL) continue;
        text_add_format(text, " %s%s", parameter->option, is_switch(parameter) ? "" : " ");
        if (!is_switch(parameter)) add_quoted(text, value);
    }
    text_add(text, " --step ");
    add_quoted(text, step_label(text->arena, step));
    for (int i = 0; i < lines->count; i++) {
        const struct changed_line *line = &lines->all[i];
        if (strcmp(line->lesson, run->lesson->name) != 0) continue;
        text_add(text, " --line ");
        add_quoted(text, arena_format(text->arena, "%s=%s", line->step, line->code));
    }
}
