#include "app/print/print.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command/output.h"
#include "app/command/program.h"
#include "app/command/what_if.h"
#include "app/print/formats.h"
#include "lessons.h"
#include "show/markup.h" // defines: step_address
#include "show/recap.h"
#include "trace/run/expression.h"
#include "trace/run/step.h"

// Runs the lesson of the command with one seed after the other.
static struct selection select_seeds(struct arena *arena, const struct command *command) {
    const struct range seeds = command->print.seeds;
    const int count = (int)(seeds.last - seeds.first + 1);
    struct trial *trials = arena_array(arena, (size_t)count, sizeof *trials);
    for (int i = 0; i < count; i++) {
        struct parameters parameters = command->parameters;
        parameters.given |= USES_SEED & command->lesson->uses;
        parameters.seed = (uint64_t)(seeds.first + i);
        run_trial(&trials[i], arena, command->lesson, &parameters, &command->what_ifs);
    }
    return (struct selection){.trial_count = count, .trials = trials, .digits = command->digits};
}

// Which steps of a lesson are asked for by several --step or by --steps; NULL if none are.
static const bool *choose_steps(struct arena *arena, const struct run *run,
                                const struct command *command) {
    const struct range steps = command->print.steps;
    if (command->step_count < 2 && steps.last == 0) return NULL;
    bool *chosen = arena_array(arena, (size_t)run->step_count, sizeof *chosen);
    if (steps.last > run->step_count)
        fail(arena->failure, FAIL_USAGE, "%s has steps 1 ... %d, no step %d", run->lesson->name,
             run->step_count, (int)steps.last);
    for (int64_t i = steps.first; i > 0 && i <= steps.last; i++) chosen[i - 1] = true;
    for (int i = 0; i < command->step_count; i++)
        chosen[find_step(run, command->steps[i], arena->failure)->number - 1] = true;
    return chosen;
}

// Runs the lesson of the command, or all of them.
static struct selection select_trials(struct arena *arena, const struct command *command) {
    if (command->print.seeds.last > 0) return select_seeds(arena, command);
    const int count = command->lesson != NULL ? 1 : lesson_count;
    struct trial *trials = arena_array(arena, (size_t)count, sizeof *trials);
    for (int i = 0; i < count; i++) {
        const struct lesson *lesson = command->lesson != NULL ? command->lesson : lesson_table[i];
        run_trial(&trials[i], arena, lesson, &command->parameters, &command->what_ifs);
    }
    return (struct selection){.trial_count = count,
                              .trials = trials,
                              .digits = command->digits,
                              .exercises = command->print.exercises};
}

// Selects a step, or a part of one, which then stands in the step's place.
static void select_part(struct arena *arena, struct selection *selection, const char *wanted) {
    if (!is_expression(&selection->trials[0].run, wanted)) {
        selection->step = find_step(&selection->trials[0].run, wanted, arena->failure);
        return;
    }
    struct trial *trial = arena_allocate(arena, sizeof *trial);
    *trial = selection->trials[0];
    selection->step = part_asked_for(arena, &trial->run, wanted, &selection->python);
    selection->trials = trial;
}

// Runs what the command asks for and finds its step; says in `notes` what is to be said of it.
static struct selection select_steps(struct arena *arena, struct text *notes,
                                     const struct command *command) {
    struct selection selection = select_trials(arena, command);
    selection.color =
        command->output == NULL ? wants_color(command->color) : command->color == COLOR_ALWAYS;
    selection.requires_grad = command->print.requires_grad;
    const bool has_c = !is_of_reader(command->lesson) || command->print.code == CODE_NONE;
    selection.code = has_c ? command->print.code : CODE_PYTORCH;
    selection.has_blank_values = command->print.has_blank_values;
    if (command->lesson != NULL)
        selection.chosen = choose_steps(arena, &selection.trials[0].run, command);
    if (command->step != NULL && selection.chosen == NULL)
        select_part(arena, &selection, command->step);
    for (int i = 0; i < selection.trial_count; i++) {
        struct run *run = (struct run *)(uintptr_t)&selection.trials[i].run;
        for (int j = 0; j < run->step_count && run->lesson->explain != NULL; j++)
            if (is_selected(&selection, &run->steps[j])) explain_step(run, j);
        add_notes(notes, &selection.trials[i], selection.step);
    }
    return selection;
}

// Fails if a changed line keeps a selected step from being computed: there is nothing to print then, except in a program. If a
// mistake does so in a whole lesson, the step's formula says it.
static void check_computed(struct arena *arena, const struct selection *selection,
                           enum format format) {
    if (format == FORMAT_PY || format == FORMAT_LINES) return;
    for (int i = 0; i < selection->trial_count; i++) {
        const struct trial *trial = &selection->trials[i];
        for (int j = 0; j < trial->run.step_count; j++) {
            const struct step *step = &trial->run.steps[j];
            const struct line_outcome *failed = failed_outcome(trial, step);
            if (failed == NULL || !is_selected(selection, step)) continue;
            if (trial->mistake_count > 0 && selection->step == NULL && selection->chosen == NULL)
                continue;
            const struct step *first = &trial->run.steps[failed->behind >= 0 ? failed->behind : j];
            fail(arena->failure, FAIL_RUNTIME, "%s, step %d, %s: %s", trial->run.lesson->name,
                 first->number, step_label(arena, first),
                 text_safe(arena, failed_outcome(trial, first)->failure));
        }
    }
}

// How the selected lessons end, each against the one before it.
static void add_recaps(struct text *text, const struct selection *selection, enum format format) {
    for (int i = 0; i < lesson_count; i++) {
        for (int j = 0; j < selection->trial_count; j++) {
            const struct run *run = &selection->trials[j].run;
            if (run->lesson != lesson_table[i] || run->lesson->source->recap == NULL) continue;
            if (format == FORMAT_PY)
                add_recap_program(text, run);
            else
                add_recap(text, run, selection->color);
        }
    }
    if (text->length == 0)
        fail(text->arena->failure, FAIL_USAGE, "%s has no summary",
             selection->trials[0].run.lesson->name);
}

void add_print(struct text *text, struct text *notes, const struct command *command) {
    const struct selection selection = select_steps(text->arena, notes, command);
    check_computed(text->arena, &selection, command->format);
    if (command->print.shows_recap) {
        add_recaps(text, &selection, command->format);
        return;
    }
    const bool is_map = command->format == FORMAT_SVG && command->step == NULL;
    const enum picture picture = is_map ? PICTURE_MAP : command->print.picture;
    if (picture != NO_PICTURE)
        add_picture(text, &selection, picture,
                    command->format == FORMAT_SVG     ? IN_SVG
                    : command->format == FORMAT_PLAIN ? IN_WORDS
                                                      : IN_TEXT);
    else
        add_format(text, command->format, &selection);
}

// ---- A file a step ------------------------------------------------------------------------------

static bool is_folder(const char *path) {
    struct stat status;
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/') return true;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool prints_folder(const struct command *command) {
    if (command->output == NULL || !holds_one_step(command->format)) return false;
    if (command->print.picture != NO_PICTURE) return false;
    if (command->step != NULL || is_folder(command->output)) return is_folder(command->output);
    const size_t length = strlen(command->output);
    const bool is_of_map = // the file of one lesson's map, rather than a folder of figures
        command->format == FORMAT_SVG && command->lesson != NULL && length > 4 &&
        strcmp(command->output + length - 4, ".svg") == 0;
    return !is_of_map;
}

static struct file file_of(struct arena *arena, const struct trial *trial, const struct step *step,
                           const struct command *command) {
    const struct selection selection = {.trial_count = 1,
                                        .trials = trial,
                                        .step = step,
                                        .digits = command->digits,
                                        .has_blank_values = command->print.has_blank_values};
    struct file file = {
        .name = arena_format(arena, "%s.%s", step_address(arena, &trial->run, step),
                             format_name(command->format)),
        .text = text_new(arena),
    };
    add_format(&file.text, command->format, &selection);
    return file;
}

// The map of a lesson, beside the figures of its steps.
static struct file map_file(struct arena *arena, const struct trial *trial) {
    const struct selection selection = {.trial_count = 1, .trials = trial};
    struct file file = {
        .name = arena_format(arena, "%s.svg", trial->run.lesson->name),
        .text = text_new(arena),
    };
    add_picture(&file.text, &selection, PICTURE_MAP, IN_SVG);
    return file;
}

struct folder print_folder(struct arena *arena, struct text *notes, const struct command *command) {
    const struct selection selection = select_steps(arena, notes, command);
    check_computed(arena, &selection, command->format);
    const bool has_maps = command->format == FORMAT_SVG && command->step == NULL;
    int count = 0;
    for (int i = 0; i < selection.trial_count; i++) count += selection.trials[i].run.step_count + 1;
    struct folder folder = {.files = arena_array(arena, (size_t)count, sizeof *folder.files)};
    for (int i = 0; i < selection.trial_count; i++) {
        const struct run *run = &selection.trials[i].run;
        if (has_maps) folder.files[folder.count++] = map_file(arena, &selection.trials[i]);
        for (int j = 0; j < run->step_count; j++) {
            if (!is_selected(&selection, &run->steps[j])) continue;
            folder.files[folder.count++] =
                file_of(arena, &selection.trials[i], &run->steps[j], command);
        }
    }
    return folder;
}

void write_folder(const char *path, const struct folder *folder, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        const char *reason = strerror(errno);
        fail(failure, FAIL_RUNTIME, "cannot make the folder %s: %s", text_safe(m, path), reason);
    }
    const char *separator = path[strlen(path) - 1] == '/' ? "" : "/";
    struct output *outputs = arena_array(m, (size_t)folder->count, sizeof *outputs);
    for (int i = 0; i < folder->count; i++) {
        const struct file *file = &folder->files[i];
        outputs[i] = (struct output){arena_format(m, "%s%s%s", path, separator, file->name),
                                     file->text.bytes, file->text.length};
    }
    write_files(outputs, folder->count, failure);
    scratch_close(&scratch);
}
