#include "app/command/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/precision.h"
#include "trace/what_if/mistake.h"

const char *as_typed(const struct reader *reader, const char *string) {
    return text_safe(reader->arena, string);
}

static void *field_of(struct reader *reader, const struct option *option) {
    return (char *)&reader->command + option->offset;
}

static void store(struct reader *reader, const struct option *option, int64_t number) {
    void *field = field_of(reader, option);
    if (option->size == sizeof(bool))
        *(bool *)field = number != 0;
    else if (option->size == sizeof(int))
        *(int *)field = (int)number;
    else
        *(int64_t *)field = number;
}

// ---- Kinds of values ----------------------------------------------------------------------------

void read_flag(struct reader *reader, const struct option *option, const char *value) {
    (void)value;
    store(reader, option, option->number != 0 ? option->number : 1);
}

void read_words(struct reader *reader, const struct option *option, const char *value) {
    *(const char **)field_of(reader, option) = value;
}

// "torch, plain or json": what a choice takes.
static const char *choices_text(struct arena *arena, const struct option *option, enum verb verb) {
    enum { MOST = 32 };
    const char *names[MOST];
    int count = 0;
    for (int i = 0; count < MOST && option->choice(verb, i) != NULL; i++) {
        if (*option->choice(verb, i) != '\0') names[count++] = option->choice(verb, i);
    }
    return words_joined(arena, names, count, "or");
}

void read_choice(struct reader *reader, const struct option *option, const char *value) {
    const enum verb verb = reader->command.verb;
    const char *name;
    for (int i = 0; (name = option->choice(verb, i)) != NULL; i++) {
        if (*name == '\0' || strcmp(value, name) != 0) continue;
        store(reader, option, i);
        return;
    }
    const bool differs = option->choice == format_choice && verb != VERB_PRINT;
    STOP(reader, "%s%s takes %s, not '%s'", option->name,
         differs ? arena_format(reader->arena, " of %s", verb_name(verb)) : "",
         choices_text(reader->arena, option, verb), as_typed(reader, value));
}

static int64_t number_in(struct reader *reader, const struct option *option, int64_t least,
                         const char *value) {
    const size_t length = strlen(value);
    const bool is_number = length > 0 && strspn(value, "0123456789") == length;
    const unsigned long long number =
        is_number ? strtoull(value, NULL, 10) : 0; // too large: ULLONG_MAX
    if (!is_number || number < (unsigned long long)least ||
        number > (unsigned long long)option->number)
        STOP(reader, "%s takes a whole number, %" PRId64 " ... %" PRId64 ", not '%s'", option->name,
             least, option->number, as_typed(reader, value));
    return (int64_t)number;
}

void read_whole_number(struct reader *reader, const struct option *option, const char *value) {
    store(reader, option, number_in(reader, option, option->least, value));
}

void read_range(struct reader *reader, const struct option *option, const char *value) {
    const char *dash = strchr(value, '-');
    if (dash == NULL)
        STOP(reader, "%s takes two numbers, as in 3-7, not '%s'", option->name,
             as_typed(reader, value));
    const char *first = arena_copy_bytes(reader->arena, value, (size_t)(dash - value));
    struct range *range = field_of(reader, option);
    range->first = number_in(reader, option, 1, first);
    range->last = number_in(reader, option, 1, dash + 1);
    if (range->last < range->first)
        STOP(reader, "%s takes the smaller number first, not '%s'", option->name,
             as_typed(reader, value));
}

// ---- Names of choices ---------------------------------------------------------------------------

const char *format_choice(enum verb verb, int i) {
    return i < FORMAT_COUNT
               ? (writes_format(verb, (enum format)i) ? format_name((enum format)i) : "")
               : NULL;
}

const char *picture_choice(enum verb verb, int i) {
    (void)verb;
    return i == NO_PICTURE ? "" : picture_name((enum picture)i);
}

const char *dtype_choice(enum verb verb, int i) {
    (void)verb;
    return i > PRECISION_COUNT ? NULL : i == 0 ? "" : precisions[i - 1].name;
}

const char *model_choice(enum verb verb, int i) {
    static const char *const names[] = {
        [MODEL_OF_LESSON] = "", [MODEL_GPT2] = "gpt2", [MODEL_AGREEMENT] = "agreement"};
    (void)verb;
    return i <= MODEL_AGREEMENT ? names[i] : NULL;
}

const char *color_choice(enum verb verb, int i) {
    static const char *const names[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
    (void)verb;
    return i <= COLOR_NEVER ? names[i] : NULL;
}

const char *code_choice(enum verb verb, int i) {
    static const char *const names[] = {[CODE_OF_FORMAT] = "",
                                        [CODE_PYTORCH] = "pytorch",
                                        [CODE_C] = "c",
                                        [CODE_BOTH] = "both",
                                        [CODE_NONE] = "none"};
    (void)verb;
    return i <= CODE_NONE ? names[i] : NULL;
}

// ---- Values of one option -----------------------------------------------------------------------

void ask_for_help(struct reader *reader, const struct option *option, const char *value) {
    (void)option, (void)value;
    struct command *command = &reader->command;
    command->help.about = reader->has_verb ? command->verb : VERB_HELP;
    command->verb = VERB_HELP;
    reader->is_done = true;
}

void ask_for_version(struct reader *reader, const struct option *option, const char *value) {
    (void)option, (void)value;
    reader->command.verb = VERB_VERSION;
    reader->is_done = true;
}

void add_step(struct reader *reader, const char *value) {
    struct command *command = &reader->command;
    if (command->step_count == MOST_STEPS)
        STOP(reader, "--step can be given %d times at most", MOST_STEPS);
    command->steps[command->step_count++] = value;
    command->step = value;
}

void read_step(struct reader *reader, const struct option *option, const char *value) {
    (void)option;
    add_step(reader, value);
}

void read_seeds(struct reader *reader, const struct option *option, const char *value) {
    read_range(reader, option, value);
    const struct range *seeds = &reader->command.print.seeds;
    if (seeds->last - seeds->first >= MOST_SEEDS_AT_ONCE)
        STOP(reader, "--seeds takes at most %d seeds", MOST_SEEDS_AT_ONCE);
}

// Besides those before it, which must not exclude it.
// "did you mean no-scale? ", or nothing if no mistake seems to be meant.
static const char *what_if_meant(const struct reader *reader, const char *value) {
    const char *names[MOST_MISTAKES];
    for (int i = 0; i < mistake_total; i++) names[i] = mistake_table[i].name;
    const char *meant = word_meant(value, names, mistake_total);
    return meant == NULL ? "" : arena_format(reader->arena, "did you mean %s? ", meant);
}

void read_what_if(struct reader *reader, const struct option *option, const char *value) {
    (void)option;
    bool *made = reader->command.what_ifs.made;
    const struct mistake *mistake = find_mistake(value);
    if (mistake == NULL)
        STOP(reader, "no what-if '%s'; %s'onestep list --what-ifs' names them all",
             as_typed(reader, value), what_if_meant(reader, value));
    for (int i = 0; i < mistake_total; i++) {
        const struct mistake *other = &mistake_table[i];
        if (made[i] && exclude_each_other(mistake, other))
            STOP(reader, "--what-if %s and %s exclude each other: both put something else for %s",
                 other->name, mistake->name, mistake->changes);
    }
    made[mistake_number(mistake)] = true;
}

// "STEP=CODE". Its lesson is known when all is read (settle_lines).
void read_line(struct reader *reader, const struct option *option, const char *value) {
    (void)option;
    struct changed_lines *lines = &reader->command.what_ifs.lines;
    const char *sign = strchr(value, '=');
    if (sign == NULL || sign == value)
        STOP(reader, "--line takes STEP=CODE, not '%s'", as_typed(reader, value));
    const size_t size = sizeof *lines->all, used = (size_t)lines->count * size;
    struct changed_line *all = arena_grow(reader->arena, lines->all, used, size);
    all[lines->count++] = (struct changed_line){
        .step = arena_copy_bytes(reader->arena, value, (size_t)(sign - value)), .code = sign + 1};
    lines->all = all;
}

// "80x24": columns and rows.
void read_screen_size(struct reader *reader, const struct option *option, const char *value) {
    const int64_t most = option->number;
    const size_t columns = strspn(value, "0123456789");
    const size_t rows = value[columns] == 'x' ? strspn(value + columns + 1, "0123456789") : 0;
    const bool is_size =
        columns > 0 && rows > 0 && columns < 6 && rows < 6 && value[columns + 1 + rows] == '\0';
    struct screen_options *screen = &reader->command.screen;
    screen->columns = is_size ? atoi(value) : 0;
    screen->rows = is_size ? atoi(value + columns + 1) : 0;
    if (screen->columns >= 1 && screen->columns <= most && screen->rows >= 1 &&
        screen->rows <= most)
        return;
    STOP(reader, "--size takes columns and rows, 80x24 for one, each 1 ... %" PRId64 ", not '%s'",
         most, as_typed(reader, value));
}

// "2,1": a number for each dimension, counted from 0.
void read_cell(struct reader *reader, const struct option *option, const char *value) {
    struct command *command = &reader->command;
    (void)option;
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

// "any", or the stream as in other commands.
void read_any_stream(struct reader *reader, const struct option *option, const char *value) {
    if (strcmp(value, "any") == 0)
        read_flag(reader, option, value);
    else
        read_parameter(reader, parameter_by_option(option->name), value);
}

// --input given again: another sentence of a batch.
static void add_input(struct reader *reader, const char *path) {
    struct parameters *parameters = &reader->command.parameters;
    if (parameters->other_count == MOST_SENTENCES - 1)
        STOP(reader, "--input can be given %d times at most", MOST_SENTENCES);
    parameters->other_input[parameters->other_count++] = path;
}

void read_parameter(struct reader *reader, const struct parameter *parameter, const char *value) {
    struct parameters *parameters = &reader->command.parameters;
    const char *separator = parameter->kind->separator;
    if (separator != NULL && parameters->given & parameter->bit)
        value =
            arena_format(reader->arena, "%s%s%s",
                         parameter_text(reader->arena, parameters, parameter), separator, value);
    if (is_file(parameter) && parameters->given & parameter->bit)
        add_input(reader, value);
    else if (!set_parameter(parameters, parameter, value))
        STOP(reader, "%s takes %s, not '%s'", parameter->option,
             possible_values(reader->arena, parameter), as_typed(reader, value));
}
