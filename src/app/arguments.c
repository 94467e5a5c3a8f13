#include "app/arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/agreement.h"
#include "app/input.h"
#include "app/link.h"
#include "app/reader.h"
#include "app/value.h"
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
    OPTION_THOROUGH,
    OPTION_WATCH,
    OPTION_MIN_DECIMALS,
    OPTION_ROSTER,
    OPTION_SOLUTION,
    OPTION_BATCH,
    OPTION_TOKENS,
    OPTION_THREADS,
    OPTION_RANDN,
    OPTION_LAYERS_FIRST,
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
    {"--thorough", OPTION_THOROUGH, false, IN(VERB_CHECK)},
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
    {"--randn",    OPTION_RANDN,    false, IN(VERB_GPT2)},
    {"--layers-first", OPTION_LAYERS_FIRST, false, IN(VERB_GPT2)},
    // clang-format on
};

// ---- Reading ------------------------------------------------------------------------------------

static bool takes_parameter(enum verb verb, const struct parameter *parameter) {
    const uint64_t of_layer = USES_SEED | USES_BIAS | USES_DROPOUT | USES_BERNOULLI | USES_EVAL;
    if (verb == VERB_GPT2) return (parameter->bit & of_layer) != 0;
    return takes_parameters(verb);
}

// The value of an option: what follows "=", or the next argument.
static const char *value_of(struct reader *reader, const char *name, const char *attached) {
    if (attached != NULL) return attached;
    if (*reader->next == NULL) STOP(reader, "%s needs a value", name);
    return *reader->next++;
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
    case OPTION_THOROUGH:
        command->is_thorough = true;
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
    case OPTION_RANDN:
        command->gpt2.is_normal = true;
        break;
    case OPTION_LAYERS_FIRST:
        command->gpt2.layers_first = true;
        break;
    }
}

// --input given again: another sentence of a batch.
static void add_input(struct reader *reader, const char *path) {
    struct parameters *parameters = &reader->command.parameters;
    if (parameters->other_count == MOST_SENTENCES - 1)
        STOP(reader, "--input can be given %d times at most", MOST_SENTENCES);
    parameters->other_input[parameters->other_count++] = path;
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
        const bool has_value = !is_switch(parameter);
        if (!has_value && attached != NULL) STOP(reader, "%s takes no value", name);
        const char *value = has_value ? value_of(reader, name, attached) : "";
        const bool is_any = parameter->bit == USES_BERNOULLI && strcmp(value, "any") == 0;
        if (verb == VERB_CHECK && is_any) {
            reader->command.any_stream = true;
            return;
        }
        const bool is_again = reader->command.parameters.given & parameter->bit;
        if (is_file(parameter) && is_again) {
            add_input(reader, value);
            return;
        }
        if (!set_parameter(&reader->command.parameters, parameter, value))
            STOP(reader, "%s takes %s, not '%s'", name, possible_values(reader->arena, parameter),
                 as_typed(reader, value));
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
    STOP(reader, "%s has no option '%s'", verb_name(verb), as_typed(reader, name));
}

static bool same_name(const char *typed, const char *name) {
    for (; *typed != '\0' && *name != '\0'; typed++, name++) {
        if (*typed != *name && !(*typed == '-' && *name == '_')) return false;
    }
    return *typed == *name;
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
         as_typed(reader, argument), lesson_names(reader->arena), lesson_count);
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
         as_typed(reader, argument));
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
             as_typed(reader, argument));
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
        STOP(reader, "%s has no use for '%s'", verb_name(verb), as_typed(reader, argument));
    }
    if (is_link(argument))
        read_from_link(reader, argument);
    else
        read_lesson(reader, argument);
}

// What was read for gpt2, in one place. The table of sizes has no use for what describes a run.
static void settle_gpt2(struct reader *reader) {
    struct command *command = &reader->command;
    const struct parameters *parameters = &command->parameters;
    struct gpt2_options *options = &command->gpt2;
    const bool has_seed = parameters->given & USES_SEED;
    options->seed = has_seed ? parameters->seed : GPT2_SEED;
    options->bias = parameters->bias;
    options->dropout = parameters->eval ? 0 : parameters->dropout;
    options->stream = parameters->stream;
    options->path = command->output;
    command->output = NULL; // the text goes to standard output all the same
    if (options->batch != 0 || options->tokens != 0) return;
    const char *extra = options->threads != 0   ? "--threads"
                        : options->is_normal    ? "--randn"
                        : options->layers_first ? "--layers-first"
                        : options->path != NULL ? "-o"
                                                : NULL;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (parameters->given & parameter_table[i].bit) extra = parameter_table[i].option;
    }
    if (extra == NULL) return;
    STOP(reader, "%s is for running a layer; add --tokens N or --batch N to run one", extra);
}

// The file, or those of a batch: as many tokens and numbers in each.
static void read_inputs(struct arena *arena, struct parameters *parameters) {
    parameters->inputs = read_input(arena, parameters->input, ANY_FILE);
    const int64_t *first = parameters->inputs.shape;
    for (int i = 0; i < parameters->other_count; i++) {
        const char *path = parameters->other_input[i];
        parameters->other_inputs[i] = read_input(arena, path, ANY_FILE);
        const int64_t *other = parameters->other_inputs[i].shape;
        if (other[0] == first[0] && other[1] == first[1]) continue;
        fail(arena->failure, FAIL_INPUT,
             "all sentences of a batch must have the same sizes: %s is %" PRId64 " by %" PRId64
             ", %s %" PRId64 " by %" PRId64,
             text_safe(arena, file_name(parameters->input)), first[0], first[1],
             text_safe(arena, file_name(path)), other[0], other[1]);
    }
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
    if (parameters->given & USES_INPUT) read_inputs(arena, parameters);
    return reader.command;
}
