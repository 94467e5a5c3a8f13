#include "app/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/what_if/mistake.h"

const char *as_typed(const struct reader *reader, const char *string) {
    return text_safe(reader->arena, string);
}

// What each command can write; FORMAT_COUNT ends a list.
static const enum format print_formats[] = {
    FORMAT_TORCH, FORMAT_PLAIN,    FORMAT_JSON,  FORMAT_CSV, FORMAT_NPY,
    FORMAT_SVG,   FORMAT_MARKDOWN, FORMAT_HTML,  FORMAT_PY,  FORMAT_IPYNB,
    FORMAT_GIFT,  FORMAT_LATEX,    FORMAT_COUNT,
};
static const enum format screen_formats[] = {FORMAT_TEXT, FORMAT_ANSI, FORMAT_SVG,
                                             FORMAT_HTML, FORMAT_LINK, FORMAT_COUNT};
static const enum format check_formats[] = {FORMAT_PLAIN, FORMAT_CSV, FORMAT_JSON, FORMAT_COUNT};
static const enum format fact_formats[] = {FORMAT_PLAIN, FORMAT_JSON, FORMAT_COUNT};

static const enum format *formats_of(enum verb verb) {
    switch (verb) {
    case VERB_PRINT:
        return print_formats;
    case VERB_SCREEN:
        return screen_formats;
    case VERB_CHECK:
        return check_formats;
    default:
        return fact_formats;
    }
}

static const char *format_list(struct arena *arena, const enum format *formats) {
    struct text text = text_new(arena);
    for (int i = 0; formats[i] != FORMAT_COUNT; i++) {
        const char *separator = i == 0 ? "" : formats[i + 1] == FORMAT_COUNT ? " or " : ", ";
        text_add_format(&text, "%s%s", separator, format_name(formats[i]));
    }
    return text.bytes;
}

enum format read_format(const struct reader *reader, const char *value) {
    const enum verb verb = reader->command.verb;
    const enum format *formats = formats_of(verb);
    for (int i = 0; formats[i] != FORMAT_COUNT; i++) {
        if (strcmp(value, format_name(formats[i])) == 0) return formats[i];
    }
    const char *of =
        verb == VERB_PRINT ? "" : arena_format(reader->arena, " of %s", verb_name(verb));
    STOP(reader, "--format%s takes %s, not '%s'", of, format_list(reader->arena, formats),
         as_typed(reader, value));
}

// "map, plane or curve": what there is to choose from.
static const char *picture_names(struct arena *arena) {
    struct text text = text_new(arena);
    for (int i = NO_PICTURE + 1; picture_name((enum picture)i) != NULL; i++) {
        const bool is_last = picture_name((enum picture)(i + 1)) == NULL;
        text_add_format(&text, "%s%s",
                        i == NO_PICTURE + 1 ? ""
                        : is_last           ? " or "
                                            : ", ",
                        picture_name((enum picture)i));
    }
    return text.bytes;
}

enum picture read_picture(const struct reader *reader, const char *value) {
    const enum picture picture = picture_called(value);
    if (picture == NO_PICTURE)
        STOP(reader, "--picture takes %s, not '%s'", picture_names(reader->arena),
             as_typed(reader, value));
    return picture;
}

enum color_choice read_color(const struct reader *reader, const char *value) {
    if (strcmp(value, "auto") == 0) return COLOR_AUTO;
    if (strcmp(value, "always") == 0) return COLOR_ALWAYS;
    if (strcmp(value, "never") == 0) return COLOR_NEVER;
    STOP(reader, "--color takes auto, always or never, not '%s'", as_typed(reader, value));
}

int read_digits(const struct reader *reader, const char *value) {
    enum { MOST = 17 }; // more than a double holds
    const size_t length = strlen(value);
    const bool is_number = length > 0 && length < 3 && strspn(value, "0123456789") == length;
    const int digits = is_number ? atoi(value) : -1;
    if (digits < 0 || digits > MOST) {
        STOP(reader, "--digits takes a whole number, 0 ... %d, not '%s'", MOST,
             as_typed(reader, value));
    }
    return digits;
}

const struct mistake *read_what_if(const struct reader *reader, const char *value) {
    const struct mistake *mistake = find_mistake(value);
    if (mistake == NULL) {
        STOP(reader, "no what-if '%s'; 'onestep list --what-ifs' names them all",
             as_typed(reader, value));
    }
    return mistake;
}

// Makes it on purpose, besides those before it.
void make_mistake(struct reader *reader, const struct mistake *mistake) {
    bool *made = reader->command.what_ifs.made;
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        const struct mistake *other = &mistake_table[i];
        if (made[i] && exclude_each_other(mistake, other))
            STOP(reader, "--what-if %s and %s exclude each other: both put something else for %s",
                 other->name, mistake->name, mistake->place);
    }
    made[mistake_number(mistake)] = true;
}

// A whole number, 1 ... most.
int64_t read_count(const struct reader *reader, const char *name, const char *value, int64_t most) {
    const size_t length = strlen(value);
    const bool is_number = length > 0 && strspn(value, "0123456789") == length;
    const unsigned long long count =
        is_number ? strtoull(value, NULL, 10) : 0; // too large: ULLONG_MAX
    if (count < 1 || count > (unsigned long long)most) {
        STOP(reader, "%s takes a whole number, 1 ... %" PRId64 ", not '%s'", name, most,
             as_typed(reader, value));
    }
    return (int64_t)count;
}

// "80x24": columns and rows.
void read_screen_size(struct reader *reader, const char *value) {
    enum { MOST_SIZE = 500 };
    const size_t columns = strspn(value, "0123456789");
    const size_t rows = value[columns] == 'x' ? strspn(value + columns + 1, "0123456789") : 0;
    const bool is_size =
        columns > 0 && rows > 0 && columns < 6 && rows < 6 && value[columns + 1 + rows] == '\0';
    struct command *command = &reader->command;
    command->columns = is_size ? atoi(value) : 0;
    command->rows = is_size ? atoi(value + columns + 1) : 0;
    if (command->columns >= 1 && command->columns <= MOST_SIZE && command->rows >= 1 &&
        command->rows <= MOST_SIZE)
        return;
    STOP(reader, "--size takes columns and rows, 80x24 for one, each 1 ... %d, not '%s'", MOST_SIZE,
         as_typed(reader, value));
}

// "2,1": a number for each dimension, counted from 0.
void read_cell(struct reader *reader, const char *value) {
    struct command *command = &reader->command;
    command->cell_dims = 0;
    for (const char *next = value; next != NULL;) {
        const size_t length = strspn(next, "0123456789");
        const bool is_index = length > 0 && length < 10 && strchr(",", next[length]) != NULL;
        if (!is_index || command->cell_dims == MAX_DIMS)
            STOP(reader, "--cell takes whole numbers from 0 on, 2,1 for one, not '%s'",
                 as_typed(reader, value));
        command->cell[command->cell_dims++] = atoi(next);
        next = next[length] == ',' ? next + length + 1 : NULL;
    }
}

struct range read_range(const struct reader *reader, const char *name, const char *value,
                        int64_t most) {
    const char *dash = strchr(value, '-');
    if (dash == NULL)
        STOP(reader, "%s takes two numbers, as in 3-7, not '%s'", name, as_typed(reader, value));
    const char *first = arena_copy_bytes(reader->arena, value, (size_t)(dash - value));
    const struct range range = {read_count(reader, name, first, most),
                                read_count(reader, name, dash + 1, most)};
    if (range.last < range.first)
        STOP(reader, "%s takes the smaller number first, not '%s'", name, as_typed(reader, value));
    return range;
}

enum programs read_code(const struct reader *reader, const char *value) {
    static const char *const names[] = {[CODE_OF_FORMAT] = "",
                                        [CODE_PYTORCH] = "pytorch",
                                        [CODE_C] = "c",
                                        [CODE_BOTH] = "both",
                                        [CODE_NONE] = "none"};
    for (int i = CODE_PYTORCH; i <= CODE_NONE; i++) {
        if (strcmp(value, names[i]) == 0) return (enum programs)i;
    }
    STOP(reader, "--code takes pytorch, c, both or none, not '%s'", as_typed(reader, value));
}
