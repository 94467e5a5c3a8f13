#include "app/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/input.h"
#include "app/link.h"
#include "base/text.h"
#include "lessons.h"
#include "tensor/fast/parallel.h"
#include "trace/what_if/mistake.h"

// ---- What can be typed --------------------------------------------------------------------------

enum option {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_STEP,
    OPTION_FORMAT,
    OPTION_PICTURE,
    OPTION_OUTPUT,
    OPTION_DIGITS,
    OPTION_COLOR,
    OPTION_WHAT_IF,
    OPTION_WHAT_IFS,
    OPTION_REQUIRES_GRAD,
    OPTION_BLANKS,
    OPTION_STEPS,
    OPTION_SEEDS,
    OPTION_CODE,
    OPTION_BLANK_VALUES,
    OPTION_QUIET,
    OPTION_WATCH,
    OPTION_MIN_DECIMALS,
    OPTION_ROSTER,
    OPTION_SOLUTION,
    OPTION_BATCH,
    OPTION_TOKENS,
    OPTION_THREADS,
    OPTION_KEYS,
    OPTION_SUMMARY,
    OPTION_SIZE,
    OPTION_CELL,
};

#define IN(verb) (1U << (verb))
#define IN_ALL (~0U)

// Options that are not parameters of a lesson, and the commands that take them.
static const struct {
    const char *name;
    enum option option;
    bool has_value;
    unsigned verbs;
} option_table[] = {
    // clang-format off
    {"--help",     OPTION_HELP,     false, IN_ALL},
    {"-h",         OPTION_HELP,     false, IN_ALL},
    {"--version",  OPTION_VERSION,  false, IN_ALL},
    {"--step",     OPTION_STEP,     true,  IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_CHECK) | IN(VERB_SCREEN)},
    {"--format",   OPTION_FORMAT,   true,  IN(VERB_LIST) | IN(VERB_PRINT) | IN(VERB_CHECK) | IN(VERB_SCREEN)},
    {"--picture",  OPTION_PICTURE,  true,  IN(VERB_PRINT)},
    {"--output",   OPTION_OUTPUT,   true,  IN(VERB_PRINT) | IN(VERB_GPT2) | IN(VERB_SCREEN) | IN(VERB_PRACTICE)},
    {"-o",         OPTION_OUTPUT,   true,  IN(VERB_PRINT) | IN(VERB_GPT2) | IN(VERB_SCREEN) | IN(VERB_PRACTICE)},
    {"--digits",   OPTION_DIGITS,   true,  IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_SCREEN)},
    {"--what-if",  OPTION_WHAT_IF,  true,  IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_SCREEN)},
    {"--what-ifs", OPTION_WHAT_IFS, false, IN(VERB_LIST)},
    {"--watch",    OPTION_WATCH,    false, IN(VERB_CHECK)},
    {"--requires-grad", OPTION_REQUIRES_GRAD, false, IN(VERB_PRINT)},
    {"--quiet",    OPTION_QUIET,    false, IN(VERB_CHECK)},
    {"--min-decimals", OPTION_MIN_DECIMALS, true, IN(VERB_CHECK)},
    {"--roster",   OPTION_ROSTER,   true,  IN(VERB_CHECK)},
    {"--steps",    OPTION_STEPS,    true,  IN(VERB_PRINT)},
    {"--seeds",    OPTION_SEEDS,    true,  IN(VERB_PRINT)},
    {"--code",     OPTION_CODE,     true,  IN(VERB_PRINT)},
    {"--blank-values", OPTION_BLANK_VALUES, false, IN(VERB_PRINT)},
    {"--summary",  OPTION_SUMMARY,  false, IN(VERB_PRINT)},
    {"--blanks",   OPTION_BLANKS,   false, IN(VERB_PRINT)},
    {"--solution", OPTION_SOLUTION, false, IN(VERB_PRINT)},
    {"--color",    OPTION_COLOR,    true,  IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_LIST) | IN(VERB_SCREEN)},
    {"--keys",     OPTION_KEYS,     true,  IN(VERB_SCREEN)},
    {"--size",     OPTION_SIZE,     true,  IN(VERB_SCREEN)},
    {"--cell",     OPTION_CELL,     true,  IN(VERB_WALK) | IN(VERB_SCREEN)},
    {"--batch",    OPTION_BATCH,    true,  IN(VERB_GPT2)},
    {"--tokens",   OPTION_TOKENS,   true,  IN(VERB_GPT2)},
    {"--threads",  OPTION_THREADS,  true,  IN(VERB_GPT2) | IN(VERB_BENCH)},
    // clang-format on
};

static const char *const verb_names[] = {
    [VERB_WALK] = "walk",     [VERB_LIST] = "list",         [VERB_PRINT] = "print",
    [VERB_CHECK] = "check",   [VERB_VERIFY] = "verify",     [VERB_GPT2] = "gpt2",
    [VERB_BENCH] = "bench",   [VERB_HELP] = "help",         [VERB_VERSION] = "version",
    [VERB_SCREEN] = "screen", [VERB_PRACTICE] = "practice",
};

const char *verb_name(enum verb verb) {
    return verb == VERB_HELP ? "onestep" : verb_names[verb];
}

static const char *const format_names[] = {
    [FORMAT_TORCH] = "torch", [FORMAT_PLAIN] = "plain",       [FORMAT_JSON] = "json",
    [FORMAT_CSV] = "csv",     [FORMAT_NPY] = "npy",           [FORMAT_SVG] = "svg",
    [FORMAT_HTML] = "html",   [FORMAT_MARKDOWN] = "markdown", [FORMAT_PY] = "py",
    [FORMAT_IPYNB] = "ipynb", [FORMAT_GIFT] = "gift",         [FORMAT_LATEX] = "latex",
    [FORMAT_TEXT] = "text",   [FORMAT_ANSI] = "ansi",         [FORMAT_LINK] = "link",
};

const char *format_name(enum format format) {
    return format_names[format];
}

bool holds_one_step(enum format format) {
    return format == FORMAT_CSV || format == FORMAT_NPY || format == FORMAT_SVG ||
           format == FORMAT_LATEX || format == FORMAT_GIFT;
}

// ---- Reading ------------------------------------------------------------------------------------

// The command line as it is being read.
struct reader {
    struct arena *arena;
    struct command command;
    char **next; // argument to read next; NULL ends them
    int names;   // arguments seen that are no options
    bool has_verb;
    bool has_all;
    bool is_done; // --help or --version: nothing after it matters
};

#define STOP(reader, ...) fail((reader)->arena->failure, FAIL_USAGE, __VA_ARGS__)

// Lessons are run by these, so parameters mean something to them.
static bool takes_parameters(enum verb verb) {
    return verb == VERB_WALK || verb == VERB_PRINT || verb == VERB_CHECK || verb == VERB_HELP ||
           verb == VERB_SCREEN;
}

static bool takes_parameter(enum verb verb, const struct parameter *parameter) {
    if (verb == VERB_GPT2) return (parameter->bit & (USES_SEED | USES_BIAS)) != 0;
    return takes_parameters(verb);
}

static const char *safe(const struct reader *reader, const char *string) {
    return text_safe(reader->arena, string);
}

// The value of an option: what follows "=", or the next argument.
static const char *value_of(struct reader *reader, const char *name, const char *attached) {
    if (attached != NULL) return attached;
    if (*reader->next == NULL) STOP(reader, "%s needs a value", name);
    return *reader->next++;
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
        text_add_format(&text, "%s%s", separator, format_names[formats[i]]);
    }
    return text.bytes;
}

static enum format read_format(const struct reader *reader, const char *value) {
    const enum verb verb = reader->command.verb;
    const enum format *formats = formats_of(verb);
    for (int i = 0; formats[i] != FORMAT_COUNT; i++) {
        if (strcmp(value, format_names[formats[i]]) == 0) return formats[i];
    }
    const char *of =
        verb == VERB_PRINT ? "" : arena_format(reader->arena, " of %s", verb_name(verb));
    STOP(reader, "--format%s takes %s, not '%s'", of, format_list(reader->arena, formats),
         safe(reader, value));
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

static enum picture read_picture(const struct reader *reader, const char *value) {
    const enum picture picture = picture_called(value);
    if (picture == NO_PICTURE)
        STOP(reader, "--picture takes %s, not '%s'", picture_names(reader->arena),
             safe(reader, value));
    return picture;
}

static enum color_choice read_color(const struct reader *reader, const char *value) {
    if (strcmp(value, "auto") == 0) return COLOR_AUTO;
    if (strcmp(value, "always") == 0) return COLOR_ALWAYS;
    if (strcmp(value, "never") == 0) return COLOR_NEVER;
    STOP(reader, "--color takes auto, always or never, not '%s'", safe(reader, value));
}

static int read_digits(const struct reader *reader, const char *value) {
    enum { MOST = 17 }; // more than a double holds
    const size_t length = strlen(value);
    const bool is_number = length > 0 && length < 3 && strspn(value, "0123456789") == length;
    const int digits = is_number ? atoi(value) : -1;
    if (digits < 0 || digits > MOST) {
        STOP(reader, "--digits takes a whole number, 0 ... %d, not '%s'", MOST,
             safe(reader, value));
    }
    return digits;
}

static const struct mistake *read_what_if(const struct reader *reader, const char *value) {
    const struct mistake *mistake = find_mistake(value);
    if (mistake == NULL) {
        STOP(reader, "no what-if '%s'; 'onestep list --what-ifs' names them all",
             safe(reader, value));
    }
    return mistake;
}

// Makes it on purpose, besides those before it.
static void make_mistake(struct reader *reader, const struct mistake *mistake) {
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
static int64_t read_count(const struct reader *reader, const char *name, const char *value,
                          int64_t most) {
    const size_t length = strlen(value);
    const bool is_number = length > 0 && strspn(value, "0123456789") == length;
    const unsigned long long count =
        is_number ? strtoull(value, NULL, 10) : 0; // too large: ULLONG_MAX
    if (count < 1 || count > (unsigned long long)most) {
        STOP(reader, "%s takes a whole number, 1 ... %" PRId64 ", not '%s'", name, most,
             safe(reader, value));
    }
    return (int64_t)count;
}

// "80x24": columns and rows.
static void read_screen_size(struct reader *reader, const char *value) {
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
         safe(reader, value));
}

// "2,1": a number for each dimension, counted from 0.
static void read_cell(struct reader *reader, const char *value) {
    struct command *command = &reader->command;
    command->cell_dims = 0;
    for (const char *next = value; next != NULL;) {
        const size_t length = strspn(next, "0123456789");
        const bool is_index = length > 0 && length < 10 && strchr(",", next[length]) != NULL;
        if (!is_index || command->cell_dims == MAX_DIMS)
            STOP(reader, "--cell takes whole numbers from 0 on, 2,1 for one, not '%s'",
                 safe(reader, value));
        command->cell[command->cell_dims++] = atoi(next);
        next = next[length] == ',' ? next + length + 1 : NULL;
    }
}

enum { MOST_DECIMALS = 9 }; // that a float's print may ask for

// "3-7": two whole numbers from 1 on, the second no smaller.
struct range {
    int64_t first, last;
};

static struct range read_range(const struct reader *reader, const char *name, const char *value,
                               int64_t most) {
    const char *dash = strchr(value, '-');
    if (dash == NULL)
        STOP(reader, "%s takes two numbers, as in 3-7, not '%s'", name, safe(reader, value));
    const char *first = arena_copy_bytes(reader->arena, value, (size_t)(dash - value));
    const struct range range = {read_count(reader, name, first, most),
                                read_count(reader, name, dash + 1, most)};
    if (range.last < range.first)
        STOP(reader, "%s takes the smaller number first, not '%s'", name, safe(reader, value));
    return range;
}

static enum programs read_code(const struct reader *reader, const char *value) {
    static const char *const names[] = {[CODE_OF_FORMAT] = "",
                                        [CODE_PYTORCH] = "pytorch",
                                        [CODE_C] = "c",
                                        [CODE_BOTH] = "both",
                                        [CODE_NONE] = "none"};
    for (int i = CODE_PYTORCH; i <= CODE_NONE; i++) {
        if (strcmp(value, names[i]) == 0) return (enum programs)i;
    }
    STOP(reader, "--code takes pytorch, c, both or none, not '%s'", safe(reader, value));
}

// --step may be given several times to print.
static void add_step(struct reader *reader, const char *value) {
    struct command *command = &reader->command;
    if (command->step_count == MOST_STEPS)
        STOP(reader, "--step can be given %d times at most", MOST_STEPS);
    command->steps[command->step_count++] = value;
    command->step = value;
}

static void apply_option(struct reader *reader, enum option option, const char *name,
                         const char *value) {
    struct command *command = &reader->command;
    switch (option) {
    case OPTION_HELP:
        command->help_about = reader->has_verb ? command->verb : VERB_HELP;
        command->verb = VERB_HELP;
        reader->is_done = true;
        break;
    case OPTION_VERSION:
        command->verb = VERB_VERSION;
        reader->is_done = true;
        break;
    case OPTION_STEP:
        add_step(reader, value);
        break;
    case OPTION_STEPS: {
        const struct range range = read_range(reader, name, value, 999);
        command->first_step = (int)range.first;
        command->last_step = (int)range.last;
        break;
    }
    case OPTION_SEEDS: {
        const struct range range = read_range(reader, name, value, UINT32_MAX);
        if (range.last - range.first >= MOST_SEEDS_AT_ONCE)
            STOP(reader, "--seeds takes at most %d seeds", MOST_SEEDS_AT_ONCE);
        command->first_seed = range.first;
        command->last_seed = range.last;
        break;
    }
    case OPTION_CODE:
        command->code = read_code(reader, value);
        break;
    case OPTION_BLANK_VALUES:
        command->has_blank_values = true;
        break;
    case OPTION_FORMAT:
        command->format = read_format(reader, value);
        break;
    case OPTION_PICTURE:
        command->picture = read_picture(reader, value);
        break;
    case OPTION_OUTPUT:
        command->output = value;
        break;
    case OPTION_DIGITS:
        command->digits = read_digits(reader, value);
        break;
    case OPTION_COLOR:
        command->color = read_color(reader, value);
        break;
    case OPTION_WHAT_IF:
        make_mistake(reader, read_what_if(reader, value));
        break;
    case OPTION_WHAT_IFS:
        command->lists_what_ifs = true;
        break;
    case OPTION_WATCH:
        command->watches = true;
        break;
    case OPTION_REQUIRES_GRAD:
        command->requires_grad = true;
        break;
    case OPTION_QUIET:
        command->is_quiet = true;
        break;
    case OPTION_MIN_DECIMALS:
        command->min_decimals = (int)read_count(reader, "--min-decimals", value, MOST_DECIMALS);
        break;
    case OPTION_ROSTER:
        command->roster = value;
        break;
    case OPTION_SUMMARY:
        command->shows_recap = true;
        break;
    case OPTION_BLANKS:
        command->exercises = BLANKS;
        break;
    case OPTION_SOLUTION:
        command->exercises = SOLVED;
        break;
    case OPTION_KEYS:
        command->keys = value;
        break;
    case OPTION_SIZE:
        read_screen_size(reader, value);
        break;
    case OPTION_CELL:
        read_cell(reader, value);
        break;
    case OPTION_BATCH:
        command->gpt2.batch = read_count(reader, "--batch", value, GPT2_MOST);
        break;
    case OPTION_TOKENS:
        command->gpt2.tokens = read_count(reader, "--tokens", value, GPT2_MOST);
        break;
    case OPTION_THREADS:
        command->gpt2.threads = (int)read_count(reader, "--threads", value, MAX_THREADS);
        break;
    }
}

// Reads "--name", "--name=value" or "--name value".
static void read_option(struct reader *reader, const char *argument) {
    const char *equals = strchr(argument, '=');
    const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const char *name = arena_copy_bytes(reader->arena, argument, length);
    const char *attached = equals != NULL ? equals + 1 : NULL;
    const struct parameter *parameter = parameter_by_option(name);
    const enum verb verb = reader->command.verb;
    if (parameter != NULL && takes_parameter(verb, parameter)) {
        const bool has_value = parameter->kind != IS_SWITCH;
        if (!has_value && attached != NULL) STOP(reader, "%s takes no value", name);
        const char *value = has_value ? value_of(reader, name, attached) : "";
        const bool is_any = parameter->kind == IS_STREAM && strcmp(value, "any") == 0;
        if (verb == VERB_CHECK && is_any) {
            reader->command.any_stream = true;
            return;
        }
        if (!set_parameter(&reader->command.parameters, parameter, value))
            STOP(reader, "%s takes %s, not '%s'", name, possible_values(reader->arena, parameter),
                 safe(reader, value));
        return;
    }
    for (size_t i = 0; i < sizeof option_table / sizeof *option_table; i++) {
        if (strcmp(option_table[i].name, name) != 0) continue;
        if (!(option_table[i].verbs & IN(verb))) break;
        const bool has_value = option_table[i].has_value;
        if (!has_value && attached != NULL) STOP(reader, "%s takes no value", name);
        const char *value = has_value ? value_of(reader, name, attached) : "";
        apply_option(reader, option_table[i].option, name, value);
        return;
    }
    STOP(reader, "%s has no option '%s'", verb_name(verb), safe(reader, name));
}

static bool same_name(const char *typed, const char *name) {
    for (; *typed != '\0' && *name != '\0'; typed++, name++) {
        if (*typed != *name && !(*typed == '-' && *name == '_')) return false;
    }
    return *typed == *name;
}

static const char *lesson_names(struct arena *arena) {
    struct text text = text_new(arena);
    for (int i = 0; i < lesson_count; i++) {
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", lesson_table[i]->name);
    }
    return text.bytes;
}

static void read_lesson(struct reader *reader, const char *argument) {
    if (reader->command.verb == VERB_PRINT && strcmp(argument, "all") == 0) {
        reader->has_all = true;
        return;
    }
    for (int i = 0; i < lesson_count; i++) {
        const bool is_number = strcmp(argument, arena_format(reader->arena, "%d", i + 1)) == 0;
        if (!is_number && !same_name(argument, lesson_table[i]->name)) continue;
        reader->command.lesson = lesson_table[i];
        return;
    }
    STOP(reader, "no lesson '%s'; the lessons are %s, or their numbers 1 ... %d",
         safe(reader, argument), lesson_names(reader->arena), lesson_count);
}

// Does a command take an option ("--cell=2,1")? Parameters it always gets: one that is of no use is a mistake.
static bool takes_option(enum verb verb, const char *option) {
    const size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof option_table / sizeof *option_table; i++) {
        const char *name = option_table[i].name;
        if (strlen(name) == length && strncmp(option, name, length) == 0)
            return (option_table[i].verbs & IN(verb)) != 0;
    }
    return true;
}

// The lesson of a link, and of what else it says that which the command has a use for.
static void read_from_link(struct reader *reader, const char *argument) {
    const struct link link = read_link(reader->arena, argument);
    if (*link.lesson != '\0') read_lesson(reader, link.lesson);
    if (link.step != NULL) add_step(reader, link.step);
    for (int i = 0; i < link.count; i++) {
        if (takes_option(reader->command.verb, link.options[i]))
            read_option(reader, link.options[i]);
    }
}

static void read_size(struct reader *reader, const char *argument) {
    reader->command.gpt2.size = gpt2_size_by_name(argument);
    if (reader->command.gpt2.size != NULL) return;
    STOP(reader, "GPT-2 has no size '%s'; its sizes are small, medium, large and xl",
         safe(reader, argument));
}

// The command of that name; returns false if there is none.
static bool find_verb(const char *name, enum verb *verb) {
    for (int i = VERB_WALK; i <= VERB_HELP; i++) {
        if (strcmp(name, verb_names[i]) != 0) continue;
        *verb = (enum verb)i;
        return true;
    }
    return false;
}

static bool read_verb(struct reader *reader, const char *argument) {
    if (!find_verb(argument, &reader->command.verb)) return false;
    reader->has_verb = true;
    const bool prints_tensors = reader->command.verb == VERB_PRINT;
    if (!prints_tensors) reader->command.format = FORMAT_PLAIN;
    if (reader->command.verb == VERB_SCREEN) reader->command.format = FORMAT_TEXT;
    return true;
}

static void read_name(struct reader *reader, const char *argument) {
    const bool is_first = reader->names++ == 0;
    if (is_first && !reader->has_verb && read_verb(reader, argument)) {
        reader->names = 0;
        return;
    }
    if (is_first && reader->command.verb == VERB_HELP) {
        if (find_verb(argument, &reader->command.help_about)) return;
        reader->command.help_formulas = strcmp(argument, "formulas") == 0;
        if (reader->command.help_formulas) return;
        STOP(reader,
             "no help about '%s'; there is help about walk, list, print, screen, check, practice, "
             "verify, gpt2, bench and formulas",
             safe(reader, argument));
    }
    const enum verb verb = reader->command.verb;
    if (is_first && verb == VERB_GPT2) {
        read_size(reader, argument);
        return;
    }
    if (verb == VERB_CHECK && reader->names == 2) {
        reader->command.file = argument;
        return;
    }
    const bool takes_lesson = verb == VERB_WALK || verb == VERB_PRINT || verb == VERB_CHECK ||
                              verb == VERB_SCREEN || verb == VERB_PRACTICE;
    if (!is_first || !takes_lesson) {
        STOP(reader, "%s has no use for '%s'", verb_name(verb), safe(reader, argument));
    }
    if (is_link(argument))
        read_from_link(reader, argument);
    else
        read_lesson(reader, argument);
}

// ---- Checking what was read ---------------------------------------------------------------------

// A parameter that the lesson has no use for, or with all lessons none of them, is a mistake.
static void check_uses(const struct reader *reader) {
    unsigned used = 0;
    for (int i = 0; i < lesson_count; i++) used |= lesson_table[i]->uses;
    const struct lesson *lesson = reader->command.lesson;
    if (lesson != NULL) used = lesson->uses;
    const unsigned unused = reader->command.parameters.given & ~used;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (!(unused & parameter_table[i].bit)) continue;
        STOP(reader, "%s has no use for %s; see 'onestep list'",
             lesson != NULL ? lesson->name : "no lesson", parameter_table[i].option);
    }
}

// What was read for gpt2, in one place. The table of sizes has no use for what describes a run.
static void settle_gpt2(struct reader *reader) {
    struct command *command = &reader->command;
    const struct parameters *parameters = &command->parameters;
    struct gpt2_options *options = &command->gpt2;
    const bool has_seed = parameters->given & USES_SEED;
    options->seed = has_seed ? parameters->seed : GPT2_SEED;
    options->bias = parameters->bias;
    options->path = command->output;
    command->output = NULL; // the text goes to standard output all the same
    if (options->batch != 0 || options->tokens != 0) return;
    const char *extra = has_seed                ? "--seed"
                        : options->bias         ? "--bias"
                        : options->threads != 0 ? "--threads"
                        : options->path != NULL ? "-o"
                                                : NULL;
    if (extra == NULL) return;
    STOP(reader, "%s is for running a layer; add --tokens N or --batch N to run one", extra);
}

// A summary is of whole lessons, as text or as a program.
static void check_recap(const struct reader *reader) {
    const struct command *command = &reader->command;
    const enum format format = command->format;
    if (command->step != NULL) STOP(reader, "--summary is of the whole lesson; leave --step away");
    if (command->picture != NO_PICTURE)
        STOP(reader, "--summary and --picture are two things; choose one");
    if (format != FORMAT_TORCH && format != FORMAT_PLAIN && format != FORMAT_PY)
        STOP(reader, "a summary is text, or with --format py a program, not %s",
             format_name(format));
    if (format == FORMAT_PY && command->lesson == NULL)
        STOP(reader, "a summary as a program is of one lesson (%s)", lesson_names(reader->arena));
}

// A picture is of a step or of a lesson, and there are formats that can't hold one.
static void check_picture(const struct reader *reader) {
    const struct command *command = &reader->command;
    const char *name = picture_name(command->picture);
    if (command->lesson == NULL)
        STOP(reader, "--picture needs one lesson (%s)", lesson_names(reader->arena));
    if (!shows_step(command->picture) && command->step != NULL)
        STOP(reader, "--picture %s is of the whole lesson; leave --step away", name);
    if (shows_step(command->picture) && command->step == NULL)
        STOP(reader, "--picture %s is of one step: choose it with --step", name);
    const enum format format = command->format;
    if (format != FORMAT_TORCH && format != FORMAT_PLAIN && format != FORMAT_SVG)
        STOP(reader, "a picture is drawn as text, or with --format plain or svg, not %s",
             format_name(format));
}

// A format for one step needs one, or a folder; a terminal can't show what is no text.
static void check_format(const struct reader *reader) {
    const struct command *command = &reader->command;
    const char *name = format_name(command->format);
    if (command->output != NULL || !holds_one_step(command->format)) return;
    const bool shows_map = command->format == FORMAT_SVG && command->lesson != NULL;
    if (command->step == NULL && !shows_map)
        STOP(reader,
             "%s holds one step: choose it with --step, or give -o FOLDER for a file a step", name);
    if (command->format == FORMAT_NPY && isatty(STDOUT_FILENO) == 1)
        STOP(reader,
             "npy is not text for a terminal: give -o PATH, or send it into a pipe or a file");
}

// Several steps, or a part of the lesson, are for the formats that are read or run.
static void check_several(const struct reader *reader) {
    const struct command *command = &reader->command;
    const bool has_range = command->last_step > 0;
    const bool is_handout = command->format == FORMAT_MARKDOWN || command->format == FORMAT_HTML;
    if (has_range && command->step_count > 0)
        STOP(reader, "--steps and --step can't both choose what is printed");
    if (has_range && command->lesson == NULL) STOP(reader, "--steps needs a lesson, not all");
    if ((has_range || command->step_count > 1) && holds_one_step(command->format))
        STOP(reader, "%s holds one step: choose it with one --step", format_name(command->format));
    if (command->last_seed > 0 && command->format != FORMAT_GIFT)
        STOP(reader, "--seeds is for --format gift: a question a seed");
    if (command->last_seed > 0 && command->step == NULL)
        STOP(reader, "--seeds needs --step: the step that is asked for");
    if (command->format == FORMAT_GIFT && any_made(&command->what_ifs))
        STOP(reader, "--format gift makes all mistakes itself: it has no use for --what-if");
    if (command->code != CODE_OF_FORMAT && !is_handout)
        STOP(reader, "--code is for --format markdown or html");
    if (command->has_blank_values && !is_handout && command->format != FORMAT_LATEX)
        STOP(reader, "--blank-values is for --format markdown, html or latex");
}

// What runs has no mistakes in it; exercises are to be run.
static void check_running(const struct reader *reader) {
    const struct command *command = &reader->command;
    const bool runs = command->format == FORMAT_PY || command->format == FORMAT_IPYNB;
    if (runs && any_made(&command->what_ifs))
        STOP(reader, "--format %s prints the right program: it has no use for --what-if",
             format_name(command->format));
    if (!runs && command->exercises != NO_EXERCISES)
        STOP(reader, "%s is for --format py or ipynb",
             command->exercises == BLANKS ? "--blanks" : "--solution");
}

// What only PyTorch's own text has room for.
static void check_text(const struct reader *reader) {
    const struct command *command = &reader->command;
    const bool is_text = command->format == FORMAT_TORCH && command->picture == NO_PICTURE;
    if (is_text) return;
    if (command->requires_grad) STOP(reader, "--requires-grad is for --format torch");
    const size_t length = command->step != NULL ? strlen(command->step) : 0;
    if (length > 6 && strcmp(command->step + length - 6, ".shape") == 0)
        STOP(reader, "--step '%s' is a shape, which only --format torch prints",
             safe(reader, command->step));
}

// What `check` can't do without.
static void check_check(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->lesson == NULL)
        STOP(reader, "check needs a lesson (%s)", lesson_names(reader->arena));
    if (command->step == NULL)
        STOP(reader, "check needs --step: the step whose numbers the file should hold; see "
                     "'onestep list'");
    if (command->file == NULL && command->roster != NULL)
        STOP(reader, "check --roster needs the folder that holds the files");
    if (command->file == NULL) STOP(reader, "check needs a file, or - for standard input");
    if (command->watches && (command->roster != NULL || strcmp(command->file, "-") == 0))
        STOP(reader, "--watch needs one file, which may change");
    if (command->format == FORMAT_CSV && command->roster == NULL)
        STOP(reader, "--format csv is for --roster: a line a student");
    const char *input = command->parameters.given & USES_INPUT ? command->parameters.input : "";
    if (strcmp(input, "-") == 0 && strcmp(command->file, "-") == 0)
        STOP(reader, "standard input can't be both --input and the file to check");
}

static void check_command(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->verb == VERB_PRINT && command->lesson == NULL && !reader->has_all) {
        STOP(reader, "print needs a lesson (%s) or all", lesson_names(reader->arena));
    }
    if (command->verb == VERB_CHECK) check_check(reader);
    if (command->verb == VERB_SCREEN && command->lesson == NULL)
        STOP(reader, "screen needs a lesson (%s)", lesson_names(reader->arena));
    if (command->verb != VERB_PRINT && command->step_count > 1)
        STOP(reader, "%s takes one --step", verb_name(command->verb));
    if (command->step != NULL && command->lesson == NULL) {
        STOP(reader, "--step needs a lesson (%s)", lesson_names(reader->arena));
    }
    if (takes_parameters(command->verb)) check_uses(reader);
    if (command->shows_recap) {
        check_recap(reader);
    } else if (command->picture != NO_PICTURE) {
        check_picture(reader);
    } else if (command->verb == VERB_PRINT) {
        check_format(reader);
        check_running(reader);
        check_several(reader);
    }
    if (command->verb == VERB_PRINT) check_text(reader);
}

struct command read_command(struct arena *arena, int argc, char **argv) {
    struct reader reader = {
        .arena = arena,
        .command = {.verb = VERB_WALK,
                    .help_about = VERB_HELP,
                    .digits = 4,
                    .rows = 24,
                    .columns = 80,
                    .keys = ""},
        .next = argc > 0 ? argv + 1 : argv,
    };
    bool options_end = false;
    while (!reader.is_done && *reader.next != NULL) {
        const char *argument = *reader.next++;
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = true;
        else if (!options_end && argument[0] == '-' && argument[1] != '\0')
            read_option(&reader, argument);
        else
            read_name(&reader, argument);
    }
    if (reader.is_done) return reader.command;
    check_command(&reader);
    if (reader.command.verb == VERB_GPT2) settle_gpt2(&reader);
    struct parameters *parameters = &reader.command.parameters;
    if (parameters->given & USES_INPUT) parameters->inputs = read_input(arena, parameters->input);
    return reader.command;
}

bool wants_color(enum color_choice choice) {
    if (choice != COLOR_AUTO) return choice == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    const char *clicolor = getenv("CLICOLOR");
    if (no_color != NULL && *no_color != '\0') return false;
    if (force != NULL && *force != '\0' && strcmp(force, "0") != 0) return true;
    if (clicolor != NULL && strcmp(clicolor, "0") == 0) return false;
    return isatty(STDOUT_FILENO) == 1;
}
