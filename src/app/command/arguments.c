#include "app/command/arguments.h"

#include <inttypes.h>
#include <string.h>

#include "app/command/agreement.h"
#include "app/command/help.h"
#include "app/command/input.h"
#include "app/command/option.h"
#include "app/command/program.h"
#include "app/command/recording.h"
#include "app/session/link.h"
#include "base/text.h"
#include "lessons.h"
#include "script/lesson/interpreter.h"

// The value of an option: what follows "=", or the next argument.
static const char *value_of(struct reader *reader, const char *name, const char *attached) {
    if (attached != NULL) return attached;
    if (*reader->next == NULL) STOP(reader, "%s needs a value", name);
    return *reader->next++;
}

// "; did you mean causal?", or what is said if nothing seems to be meant.
static const char *question(const struct reader *reader, const char *meant, const char *otherwise) {
    return meant == NULL ? otherwise : arena_format(reader->arena, "; did you mean %s?", meant);
}

// The option of the command that a word was meant to be, or NULL.
static const char *option_meant(const struct reader *reader, const char *name) {
    const enum verb verb = reader->command.verb;
    const char *names[PARAMETER_COUNT + 1];
    int count = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (takes_parameter(verb, &parameter_table[i])) names[count++] = parameter_table[i].option;
    }
    const char *option = option_near(verb, name);
    if (option != NULL) names[count++] = option;
    return word_meant(name, names, count);
}

// Reads "--name", "--name=value" or "--name value".
static void read_option(struct reader *reader, const char *argument) {
    const char *equals = strchr(argument, '=');
    const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const char *name = arena_copy_bytes(reader->arena, argument, length);
    const char *attached = equals != NULL ? equals + 1 : NULL;
    const enum verb verb = reader->command.verb;
    const struct option *option = option_of(verb, name);
    const struct parameter *parameter = parameter_by_option(name);
    if (option == NULL && (parameter == NULL || !takes_parameter(verb, parameter)))
        STOP(reader, "%s has no option '%s'%s", verb_name(verb), as_typed(reader, name),
             question(reader, option_meant(reader, name), ""));
    const bool has_value = option != NULL ? option->value != NULL : !is_switch(parameter);
    if (!has_value && attached != NULL) STOP(reader, "%s takes no value", name);
    const char *value = has_value ? value_of(reader, name, attached) : "";
    if (option != NULL && option->read != NULL)
        option->read(reader, option, value);
    else
        read_parameter(reader, parameter, value);
}

// The lesson, or where a command may stand the command, that a word was meant to be; or NULL.
static const char *name_meant(const struct reader *reader, const char *argument) {
    const int most = lesson_count + model_count + VERB_HELP + 1;
    const char **names = arena_array(reader->arena, (size_t)most, sizeof *names);
    int count = 0;
    for (int i = 0; i < lesson_count; i++) names[count++] = lesson_table[i]->name;
    for (int i = 0; i < model_count; i++) names[count++] = model_table[i]->name;
    for (int i = 0; i < VERB_HELP && !reader->has_verb; i++)
        names[count++] = verb_name((enum verb)i);
    return word_meant(argument, names, count);
}

static void read_lesson(struct reader *reader, const char *argument) {
    if (reader->command.verb == VERB_PRINT && strcmp(argument, "all") == 0) {
        reader->has_all = true;
        return;
    }
    reader->command.lesson = lesson_by_name(argument);
    if (reader->command.lesson != NULL) return;
    if (model_count == 0 && strcmp(argument, "gpt") == 0) // as in the page
        STOP(reader, "gpt runs in a terminal only");
    STOP(reader, "no lesson '%s'%s", as_typed(reader, argument),
         question(reader, name_meant(reader, argument),
                  arena_format(reader->arena, "; the lessons are %s, or their numbers %d ... %d",
                               names_of_lessons(reader->arena, 0), first_number(lesson_table),
                               first_number(lesson_table) + lesson_count - 1)));
}

// The lesson of a link, and of what else it says that which the command has a use for.
static void read_from_link(struct reader *reader, const char *argument) {
    const struct link link = read_link(reader->arena, argument);
    if (*link.lesson != '\0') read_lesson(reader, link.lesson);
    if (link.step != NULL) add_step(reader, link.step);
    for (int i = 0; i < link.count; i++) {
        const size_t length = strcspn(link.options[i], "=");
        const char *name = arena_copy_bytes(reader->arena, link.options[i], length);
        // A parameter that the lesson has no use for is a mistake.
        if (option_of(reader->command.verb, name) != NULL || parameter_by_option(name) != NULL)
            read_option(reader, link.options[i]);
    }
}

static void read_program_lesson(struct reader *reader, const char *path) {
    const enum verb verb = reader->command.verb;
    const bool is_checked = verb == VERB_CHECK && is_recording_name(path);
    if (!takes_program(verb) && !is_checked)
        STOP(reader, "%s takes a lesson, not a program", verb_name(verb));
    if (verb == VERB_WALK && strcmp(path, "-") == 0)
        STOP(reader, "walk needs a program in a file: standard input has the keys");
    reader->command.lesson = is_recording_name(path) ? read_recording(reader->arena, path)
                                                     : read_program(reader->arena, path);
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

// What help is about: a command, or the formulas. Help on memory is a command, with options of its own behind the name.
static void read_topic(struct reader *reader, const char *argument) {
    if (find_verb(argument, &reader->command.help.about)) {
        if (reader->command.help.about == VERB_MEMORY) reader->command.verb = VERB_MEMORY;
        if (reader->command.help.about == VERB_MEMORY && reader->command.parameters.given != 0)
            STOP(reader, "options of 'help memory' stand behind it");
        return;
    }
    reader->command.help.formulas = strcmp(argument, "formulas") == 0;
    if (reader->command.help.formulas) return;
    const struct lesson *lesson = lesson_by_name(argument);
    if (lesson != NULL && is_model(lesson)) reader->command.lesson = lesson;
    if (reader->command.lesson != NULL) return;
    const char **topics;
    const int count = help_topics(reader->arena, &topics);
    STOP(reader, "no help about '%s'; there is help about %s", as_typed(reader, argument),
         words_joined(reader->arena, topics, count, "and"));
}

static void read_name(struct reader *reader, const char *argument) {
    const bool is_first = reader->names++ == 0;
    if (is_first && !reader->has_verb && read_verb(reader, argument)) {
        reader->names = 0;
        return;
    }
    if (is_first && reader->command.verb == VERB_HELP) {
        read_topic(reader, argument);
        return;
    }
    const enum verb verb = reader->command.verb;
    if (is_first && verb == VERB_GPT2) {
        read_size(reader, argument);
        return;
    }
    if (is_first && verb == VERB_RUN) {
        reader->command.run.file = argument;
        return;
    }
    if (verb == VERB_CHECK && reader->names == 2) {
        reader->command.check.file = argument;
        return;
    }
    if (verb == VERB_COMPARE && reader->names <= 2) {
        *(is_first ? &reader->command.compare.a : &reader->command.compare.b) = argument;
        return;
    }
    if (!is_first || !takes_lesson(verb))
        STOP(reader, "%s has no use for '%s'", verb_name(verb), as_typed(reader, argument));
    const bool is_notebook = takes_program(verb) && is_notebook_name(argument);
    if (is_program_name(argument) || is_notebook || is_recording_name(argument))
        read_program_lesson(reader, argument);
    else if (is_link(argument))
        read_from_link(reader, argument);
    else if (verb == VERB_CHECK && lesson_by_name(argument) == NULL)
        reader->folder = argument;
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

// The name that is no lesson is the folder of a class. Without a roster, or before a second name, it should be a lesson.
static void settle_folder(struct reader *reader) {
    struct command *command = &reader->command;
    if (reader->folder == NULL) return;
    if (command->check.roster == NULL || command->check.file != NULL)
        read_lesson(reader, reader->folder);
    command->check.file = reader->folder;
}

// The model that --model names, in the place of `gpt`.
static void settle_model(struct reader *reader) {
    struct command *command = &reader->command;
    if (command->model == MODEL_OF_LESSON) return;
    if (command->lesson == NULL || command->lesson != lesson_by_name("gpt"))
        STOP(reader, "--model is of gpt, as in 'onestep gpt --model agreement'");
    if (command->model == MODEL_AGREEMENT) command->lesson = lesson_by_name("agreement");
}

// What a class is written as into a file, unless that is said.
static void settle_check(struct command *command) {
    if (command->output != NULL && command->format == FORMAT_PLAIN) command->format = FORMAT_HTML;
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

// Changed lines belong to the lesson that was named.
static void settle_lines(struct command *command) {
    struct changed_lines *lines = &command->what_ifs.lines;
    for (int i = 0; i < lines->count; i++) lines->all[i].lesson = command->lesson->name;
}

struct command read_command(struct arena *arena, int argc, char **argv) {
    struct reader reader = {
        .arena = arena,
        .command = {.verb = VERB_WALK,
                    .help = {.about = VERB_HELP},
                    .digits = 4,
                    .what_ifs.lines.interpreter = &python_interpreter,
                    .screen = {.rows = 24, .columns = 80, .keys = ""}},
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
    settle_folder(&reader);
    settle_model(&reader);
    check_command(&reader);
    settle_lines(&reader.command);
    if (reader.command.verb == VERB_GPT2) settle_gpt2(&reader);
    if (reader.command.verb == VERB_CHECK) settle_check(&reader.command);
    struct parameters *parameters = &reader.command.parameters;
    if (parameters->given & USES_INPUT) read_inputs(arena, parameters);
    return reader.command;
}
