#include "app/print/print.h"

#include <string.h>
#include <sys/stat.h>

#include "app/print/formats.h"
#include "app/what_if.h"
#include "lessons.h"
#include "show/markup.h" // defines: step_address
#include "trace/step.h"

// Runs the lesson of the command with one seed after the other.
static struct selection select_seeds(struct arena *arena, const struct command *command) {
    const int count = (int)(command->last_seed - command->first_seed + 1);
    struct trial *trials = arena_array(arena, (size_t)count, sizeof *trials);
    for (int i = 0; i < count; i++) {
        struct parameters parameters = command->parameters;
        parameters.given |= USES_SEED & command->lesson->uses;
        parameters.seed = (uint64_t)(command->first_seed + i);
        run_trial(&trials[i], arena, command->lesson, &parameters, &command->what_ifs);
    }
    return (struct selection){.trial_count = count, .trials = trials, .digits = command->digits};
}

// Which steps of a lesson are asked for by several --step or by --steps; NULL if none are.
static const bool *choose_steps(struct arena *arena, const struct run *run,
                                const struct command *command) {
    if (command->step_count < 2 && command->last_step == 0) return NULL;
    bool *chosen = arena_array(arena, (size_t)run->step_count, sizeof *chosen);
    if (command->last_step > run->step_count)
        fail(arena->failure, FAIL_USAGE, "%s has steps 1 ... %d, no step %d", run->lesson->name,
             run->step_count, command->last_step);
    for (int i = command->first_step; i > 0 && i <= command->last_step; i++) chosen[i - 1] = true;
    for (int i = 0; i < command->step_count; i++)
        chosen[find_step(run, command->steps[i], arena->failure)->number - 1] = true;
    return chosen;
}

// Runs the lesson of the command, or all of them.
static struct selection select_trials(struct arena *arena, const struct command *command) {
    if (command->last_seed > 0) return select_seeds(arena, command);
    const int count = command->lesson != NULL ? 1 : lesson_count;
    struct trial *trials = arena_array(arena, (size_t)count, sizeof *trials);
    for (int i = 0; i < count; i++) {
        const struct lesson *lesson = command->lesson != NULL ? command->lesson : lesson_table[i];
        run_trial(&trials[i], arena, lesson, &command->parameters, &command->what_ifs);
    }
    return (struct selection){.trial_count = count,
                              .trials = trials,
                              .digits = command->digits,
                              .exercises = command->exercises};
}

// Runs what the command asks for and finds its step; says in `notes` what is to be said of it.
static struct selection select_steps(struct arena *arena, struct text *notes,
                                     const struct command *command) {
    struct selection selection = select_trials(arena, command);
    selection.color =
        command->output == NULL ? wants_color(command->color) : command->color == COLOR_ALWAYS;
    selection.code = command->code;
    selection.has_blank_values = command->has_blank_values;
    if (command->lesson != NULL)
        selection.chosen = choose_steps(arena, &selection.trials[0].run, command);
    if (command->step != NULL && selection.chosen == NULL)
        selection.step = find_step(&selection.trials[0].run, command->step, arena->failure);
    for (int i = 0; i < selection.trial_count; i++) {
        add_notes(notes, &selection.trials[i], selection.step);
    }
    return selection;
}

static void (*const formats[])(struct text *text, const struct selection *selection) = {
    [FORMAT_TORCH] = add_torch,       [FORMAT_PLAIN] = add_plain, [FORMAT_JSON] = add_json,
    [FORMAT_CSV] = add_csv,           [FORMAT_NPY] = add_npy,     [FORMAT_SVG] = add_svg,
    [FORMAT_MARKDOWN] = add_markdown, [FORMAT_HTML] = add_html,   [FORMAT_PY] = add_py,
    [FORMAT_GIFT] = add_gift,         [FORMAT_LATEX] = add_latex, [FORMAT_IPYNB] = add_ipynb,
};

void add_print(struct text *text, struct text *notes, const struct command *command) {
    const struct selection selection = select_steps(text->arena, notes, command);
    formats[command->format](text, &selection);
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
    return command->step == NULL || is_folder(command->output);
}

static struct file file_of(struct arena *arena, const struct trial *trial, const struct step *step,
                           const struct command *command) {
    const struct selection selection = {.trial_count = 1,
                                        .trials = trial,
                                        .step = step,
                                        .digits = command->digits,
                                        .has_blank_values = command->has_blank_values};
    struct file file = {
        .name = arena_format(arena, "%s.%s", step_address(arena, &trial->run, step),
                             format_name(command->format)),
        .text = text_new(arena),
    };
    formats[command->format](&file.text, &selection);
    return file;
}

struct folder print_folder(struct arena *arena, struct text *notes, const struct command *command) {
    const struct selection selection = select_steps(arena, notes, command);
    int count = 0;
    for (int i = 0; i < selection.trial_count; i++) count += selection.trials[i].run.step_count;
    struct folder folder = {.files = arena_array(arena, (size_t)count, sizeof *folder.files)};
    for (int i = 0; i < selection.trial_count; i++) {
        const struct run *run = &selection.trials[i].run;
        for (int j = 0; j < run->step_count; j++) {
            if (!is_selected(&selection, &run->steps[j])) continue;
            folder.files[folder.count++] =
                file_of(arena, &selection.trials[i], &run->steps[j], command);
        }
    }
    return folder;
}
