#include "app/print.h"

#include "app/what_if.h"
#include "lessons.h"
#include "trace/step.h"

// Runs the lesson of the command, or all of them.
static struct selection select_runs(struct arena *arena, const struct command *command) {
    const int count = command->lesson != NULL ? 1 : lesson_count;
    struct run *runs = arena_array(arena, (size_t)count, sizeof *runs);
    for (int i = 0; i < count; i++) {
        const struct lesson *lesson = command->lesson != NULL ? command->lesson : lesson_table[i];
        if (!run_lesson(&runs[i], arena, lesson, &command->parameters)) fail_again(arena->failure);
    }
    return (struct selection){.run_count = count, .runs = runs, .digits = command->digits};
}

void add_print(struct text *text, struct text *notes, const struct command *command) {
    struct arena *arena = text->arena;
    struct selection selection = select_runs(arena, command);
    selection.color =
        command->output == NULL ? wants_color(command->color) : command->color == COLOR_ALWAYS;
    if (command->step != NULL) {
        selection.step = find_step(&selection.runs[0], command->step, arena->failure);
        if (selection.step == NULL) fail_again(arena->failure);
    }
    for (int i = 0; i < selection.run_count; i++) {
        add_notes(notes, &selection.runs[i], selection.step);
    }
    switch (command->format) {
    case FORMAT_TORCH:
        add_torch(text, &selection);
        break;
    case FORMAT_PLAIN:
        add_plain(text, &selection);
        break;
    case FORMAT_JSON:
        add_json(text, &selection);
        break;
    }
}
