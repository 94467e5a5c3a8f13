#include "app/command/agreement.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/command/program.h"
#include "base/text.h"
#include "lessons.h"

// A parameter that the lesson has no use for, or with all lessons none of them, is a mistake.
static void check_uses(const struct reader *reader) {
    uint64_t used = 0;
    for (int i = 0; i < lesson_count; i++) used |= lesson_table[i]->uses;
    const struct lesson *lesson = reader->command.lesson;
    if (lesson != NULL) used = lesson->uses;
    const uint64_t unused = reader->command.parameters.given & ~used;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (!(unused & parameter_table[i].bit)) continue;
        STOP(reader, "%s has no use for %s; see 'onestep list'",
             lesson != NULL ? lesson->name : "no lesson", parameter_table[i].option);
    }
}

// --input given more than once.
static void check_batch(const struct reader *reader) {
    const struct command *command = &reader->command;
    const struct parameters *parameters = &command->parameters;
    if (parameters->other_count == 0) return;
    if (command->lesson == NULL || !(command->lesson->uses & USES_BATCH))
        STOP(reader,
             "%s takes one --input; several are the sentences of a batch, for one of these: %s",
             command->lesson == NULL ? "more than one lesson" : command->lesson->name,
             names_of_lessons(reader->arena, USES_BATCH));
    int standard = strcmp(parameters->input, "-") == 0;
    for (int i = 0; i < parameters->other_count; i++)
        standard += strcmp(parameters->other_input[i], "-") == 0;
    if (standard > 1) STOP(reader, "standard input can't be more than one --input");
}

// The walker shows smaller matrices than are printed.
static void check_walked(const struct reader *reader) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!is_beyond_walker(&reader->command.parameters, parameter)) continue;
        const struct parameter walked = parameter_walked(parameter);
        STOP(reader, "in the walker %s takes %s; 'onestep print' goes up to %" PRId64,
             parameter->option, possible_values(reader->arena, &walked), parameter->most);
    }
}

// A summary is of whole lessons, as text or as a program.
static void check_recap(const struct reader *reader) {
    const struct command *command = &reader->command;
    const enum format format = command->format;
    if (command->step != NULL) STOP(reader, "--summary covers the whole lesson; leave out --step");
    if (command->print.picture != NO_PICTURE)
        STOP(reader, "--summary and --picture exclude each other; choose one");
    if (format != FORMAT_TORCH && format != FORMAT_PLAIN && format != FORMAT_PY)
        STOP(reader, "a summary is text, or with --format py a program, not %s",
             format_name(format));
    if (format == FORMAT_PY && command->lesson == NULL)
        STOP(reader, "a summary as a program needs one lesson (%s)",
             names_of_lessons(reader->arena, 0));
}

// A picture is of a step or of a lesson, and there are formats that can't hold one.
static void check_picture(const struct reader *reader) {
    const struct command *command = &reader->command;
    const char *name = picture_name(command->print.picture);
    if (command->lesson == NULL)
        STOP(reader, "--picture needs one lesson (%s)", names_of_lessons(reader->arena, 0));
    if (!shows_step(command->print.picture) && command->step != NULL)
        STOP(reader, "--picture %s shows the whole lesson; leave out --step", name);
    if (shows_step(command->print.picture) && command->step == NULL)
        STOP(reader, "--picture %s shows one step: choose it with --step", name);
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
    const bool has_range = command->print.steps.last > 0;
    const bool is_handout = command->format == FORMAT_MARKDOWN || command->format == FORMAT_HTML;
    if (has_range && command->step_count > 0)
        STOP(reader, "--steps and --step can't both choose what is printed");
    if (has_range && command->lesson == NULL) STOP(reader, "--steps needs a lesson, not all");
    if ((has_range || command->step_count > 1) && holds_one_step(command->format))
        STOP(reader, "%s holds one step: choose it with one --step", format_name(command->format));
    if (command->print.seeds.last > 0 && command->format != FORMAT_GIFT)
        STOP(reader, "--seeds is for --format gift: a question a seed");
    if (command->print.seeds.last > 0 && command->step == NULL)
        STOP(reader, "--seeds needs --step: the step that is asked for");
    if (command->format == FORMAT_GIFT && any_made(&command->what_ifs))
        STOP(reader, "--format gift makes all mistakes itself: it has no use for --what-if");
    if (command->print.code != CODE_OF_FORMAT && !is_handout)
        STOP(reader, "--code is for --format markdown or html");
    if (command->print.has_blank_values && !is_handout && command->format != FORMAT_LATEX)
        STOP(reader, "--blank-values is for --format markdown, html or latex");
}

// GPT-2 has too many numbers for most formats. A whole model has no exercises.
static void check_model(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->lesson == NULL || !is_model(command->lesson)) return;
    const char *name = command->lesson->name;
    if (command->verb == VERB_PRACTICE || command->print.exercises != NO_EXERCISES)
        STOP(reader, "%s has no exercises", name);
    if (command->format == FORMAT_LINK)
        STOP(reader, "--format link is of a lesson: %s runs in a terminal only", name);
    const bool is_summary = command->format == FORMAT_TORCH || command->print.picture != NO_PICTURE;
    const bool is_program = command->format == FORMAT_PY || command->format == FORMAT_IPYNB ||
                            command->format == FORMAT_LINES;
    const bool has_steps = command->step_count > 0 || command->print.steps.last > 0;
    const bool is_large = command->lesson->learned == NULL;
    if (command->verb == VERB_PRINT && is_large && !has_steps && !is_summary && !is_program)
        STOP(reader, "%s has 163 million parameters: choose what is printed as %s with --step",
             name, format_name(command->format));
}

// A program is written in Python already, and has nothing of a lesson but its steps.
static void check_program(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (!is_of_reader(command->lesson)) return;
    const char *name = command->lesson->name;
    const char *what = command->lesson->explain != NULL ? "recording" : "program";
    if (command->verb == VERB_PRINT &&
        (command->format == FORMAT_PY || command->format == FORMAT_IPYNB ||
         command->format == FORMAT_GIFT))
        STOP(reader, "--format %s is of a lesson: %s is a %s", format_name(command->format), name,
             what);
    if (command->format == FORMAT_LINK)
        STOP(reader, "--format link is of a lesson: the page has no %s", name);
    if (command->print.exercises != NO_EXERCISES) STOP(reader, "%s has no exercises", name);
    if (any_made(&command->what_ifs))
        STOP(reader, "--what-if is of a lesson: %s is a %s", name, what);
}

// What runs has no mistakes in it; exercises are to be run.
static void check_running(const struct reader *reader) {
    const struct command *command = &reader->command;
    const bool runs = command->format == FORMAT_PY || command->format == FORMAT_IPYNB;
    if ((runs || command->format == FORMAT_LINES) && any_made(&command->what_ifs))
        STOP(reader, "--format %s prints the right program: it has no use for --what-if",
             format_name(command->format));
    if (!runs && command->print.exercises != NO_EXERCISES)
        STOP(reader, "%s is for --format py or ipynb",
             command->print.exercises == BLANKS ? "--blanks" : "--solution");
}

// Changed lines are of one lesson, and are run in the place of mistakes.
static void check_lines(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->what_ifs.lines.count == 0) return;
    if (command->lesson == NULL)
        STOP(reader, "--line needs a lesson (%s)", names_of_lessons(reader->arena, 0));
    if (is_model(command->lesson) && command->lesson->learned == NULL)
        STOP(reader, "no line of %s can be changed: its numbers take minutes",
             command->lesson->name);
    if (any_made(&command->what_ifs))
        STOP(
            reader,
            "--line and --what-if exclude each other: a mistake is made in the lesson's own lines");
    if (command->format == FORMAT_GIFT)
        STOP(reader, "--format gift asks for right numbers: it has no use for --line");
    if (command->print.exercises != NO_EXERCISES)
        STOP(reader, "exercises are made of the lesson's own lines; leave out --line");
}

// What only PyTorch's own text has room for.
static void check_text(const struct reader *reader) {
    const struct command *command = &reader->command;
    const bool is_text = command->format == FORMAT_TORCH && command->print.picture == NO_PICTURE;
    if (is_text) return;
    if (command->print.requires_grad) STOP(reader, "--requires-grad is for --format torch");
    const size_t length = command->step != NULL ? strlen(command->step) : 0;
    if (length > 6 && strcmp(command->step + length - 6, ".shape") == 0)
        STOP(reader, "--step '%s' is a shape, which only --format torch prints",
             text_safe(reader->arena, command->step));
}

// What `check` can't do without.
static void check_check(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->lesson == NULL && command->check.roster == NULL)
        STOP(reader, "check needs a lesson (%s)", names_of_lessons(reader->arena, 0));
    if (command->check.file == NULL && command->check.roster != NULL)
        STOP(reader, "check --roster needs the folder that holds the files");
    const bool is_of_recording =
        command->check.file == NULL && command->lesson != NULL && command->lesson->explain != NULL;
    if (is_of_recording && command->step != NULL)
        STOP(reader, "--step is for a file of numbers; a recording is checked whole");
    if (is_of_recording) return;
    if (command->check.file == NULL) STOP(reader, "check needs a file, or - for standard input");
    if (command->step == NULL && command->check.watches)
        STOP(reader, "--watch needs --step: the step whose numbers the file should hold");
    if (command->step != NULL && command->check.names != NULL)
        STOP(reader, "--names is for all steps at once; leave out --step");
    if (command->check.watches &&
        (command->check.roster != NULL || strcmp(command->check.file, "-") == 0))
        STOP(reader, "--watch needs one file, which may change");
    if ((command->format == FORMAT_CSV || command->format == FORMAT_HTML) &&
        command->check.roster == NULL)
        STOP(reader, "--format %s is for --roster: a line a student", format_name(command->format));
    if (command->output != NULL && command->check.roster == NULL)
        STOP(reader, "-o is for --roster; the answer about one file goes to standard output");
    const char *input = command->parameters.given & USES_INPUT ? command->parameters.input : "";
    if (strcmp(input, "-") == 0 && strcmp(command->check.file, "-") == 0)
        STOP(reader, "standard input can't be both --input and the file to check");
}

void check_command(const struct reader *reader) {
    const struct command *command = &reader->command;
    if (command->verb == VERB_PRINT && command->lesson == NULL && !reader->has_all) {
        STOP(reader, "print needs a lesson (%s) or all", names_of_lessons(reader->arena, 0));
    }
    if (command->verb == VERB_RUN && command->run.file == NULL)
        STOP(reader, "run needs a program: onestep run FILE.py, or - for standard input");
    if (command->verb == VERB_CHECK) check_check(reader);
    if (command->verb == VERB_COMPARE && command->compare.b == NULL)
        STOP(reader, "compare needs two runs: lessons, programs, or dumps of tensors");
    if (command->verb == VERB_WALK && command->lesson == NULL && command->beside != NULL)
        STOP(reader, "--beside needs a run to walk through: onestep walk B --beside A");
    if (command->verb == VERB_SCREEN && command->lesson == NULL)
        STOP(reader, "screen needs a lesson (%s)", names_of_lessons(reader->arena, 0));
    if (command->lesson != NULL && (command->list.what_ifs || command->list.options))
        STOP(reader, "list names a lesson's steps without --what-ifs and --options; leave out one");
    if (command->screen.moves && command->format != FORMAT_SVG)
        STOP(reader, "--moving is for --format svg: text and pages do not move");
    if (command->screen.moves && *command->screen.keys == '\0')
        STOP(reader, "--moving needs --keys: the figure has a frame for each key");
    if (command->verb != VERB_PRINT && command->step_count > 1)
        STOP(reader, "%s takes one --step", verb_name(command->verb));
    if (command->step != NULL && command->lesson == NULL) {
        STOP(reader, "--step needs a lesson (%s)", names_of_lessons(reader->arena, 0));
    }
    if (takes_parameters(command->verb)) check_uses(reader);
    check_model(reader);
    check_lines(reader);
    check_program(reader);
    check_batch(reader);
    if (command->verb == VERB_WALK || command->verb == VERB_SCREEN) check_walked(reader);
    if (command->print.shows_recap) {
        check_recap(reader);
    } else if (command->print.picture != NO_PICTURE) {
        check_picture(reader);
    } else if (command->verb == VERB_PRINT) {
        check_format(reader);
        check_running(reader);
        check_several(reader);
    }
    if (command->verb == VERB_PRINT) check_text(reader);
}
