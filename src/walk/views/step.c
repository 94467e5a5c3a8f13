// The main view: a step of a lesson, shown whole.

#include "walk/views/step.h"

#include "tensor/ops/ops.h"
#include "walk/blocks/blocks.h"
#include "walk/views/typing.h"

// ---- Going --------------------------------------------------------------------------------------

static void walk(struct walker *walker, int by) {
    struct state *state = &walker->state;
    if (go_to_stop(state, &walker->trial.run, by)) return;
    if (by < 0)
        tell(state, "This is the first step; [ goes to the lesson before.");
    else
        open_view(walker, &summary_view);
}

void change_lesson(struct walker *walker, int lesson) {
    if (lesson < 0)
        tell(&walker->state, "This is the first lesson.");
    else if (lesson >= walker->lesson_count)
        tell(&walker->state, "This is the last lesson. Tab lists all of them.");
    else if (go_to_lesson(walker, lesson))
        go_to_step(&walker->state, &walker->trial.run, 0);
}

void click_cell(struct walker *walker, const struct press *press, bool is_bound) {
    int64_t row, column;
    const struct panel *panel = panel_at(&walker->shown, press, &row, &column);
    if (panel == NULL) return;
    const int step = panel->step->number - 1;
    if (step != walker->state.step && is_bound) return;
    if (step != walker->state.step) go_to_step(&walker->state, &walker->trial.run, step);
    walker->state.row = row;
    walker->state.column = column;
}

// ---- The input ----------------------------------------------------------------------------------

// The inputs with one number replaced, in memory that outlives the run.
static struct tensor edited_inputs(struct walker *walker, const struct cell *cell, double number) {
    struct arena *words = &walker->words;
    const struct tensor *inputs = &walker->trial.run.inputs;
    const int64_t count = count_of(shape_of(inputs));
    float *values = arena_array(words, (size_t)count, sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(inputs), i, index);
        const struct cell other = cell_at(inputs, index);
        values[i] = same_element(cell, &other) ? (float)number : (float)element(inputs, index);
    }
    struct tensor edited = tensor_of(words, shape_of(inputs), values);
    for (int dim = 0; dim < inputs->ndim; dim++) {
        const int64_t size = inputs->shape[dim];
        const char **labels = arena_array(words, (size_t)size, sizeof *labels);
        for (int64_t i = 0; i < size; i++)
            labels[i] = arena_copy(words, label_of(words, inputs, dim, i));
        edited = name_axis(edited, dim, arena_copy(words, inputs->axis[dim].name));
        edited = label_axis(edited, dim, labels);
    }
    return edited;
}

static void edit(struct walker *walker) {
    const struct run *run = &walker->trial.run;
    if (current_step(&walker->state, run)->tensor.storage == run->inputs.storage)
        begin_typing(walker, KEY_NOTHING);
    else
        tell(&walker->state,
             "Only the inputs can be changed: their step shows them. s changes settings.");
}

void typed_on_step(struct walker *walker, void *own, const char *text) {
    (void)own;
    double number;
    if (!read_number(walker, text, &number)) return;
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    struct parameters chosen = walker->chosen;
    chosen.inputs = edited_inputs(walker, &cell, number);
    chosen.input = "edited";
    chosen.given |= USES_INPUT;
    if (run_again(walker, &chosen, &walker->what_ifs))
        tell(&walker->state, "Changed. The whole lesson has run again; u undoes it.");
}

// ---- The view -----------------------------------------------------------------------------------

void press_on_step(struct walker *walker, void *own, const struct pressed *pressed) {
    (void)own;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    switch (pressed->action) {
    case ACT_NEXT:
        walk(walker, 1);
        break;
    case ACT_BACK:
        walk(walker, -1);
        break;
    case ACT_NEXT_NEW:
        if (!go_to_new(state, run)) open_view(walker, &summary_view);
        break;
    case ACT_BESIDE:
        go_beside(state, run);
        break;
    case ACT_INTO:
        step_into(walker);
        break;
    case ACT_RESTART:
    case ACT_FIRST:
        go_to_step(state, run, 0);
        break;
    case ACT_LAST:
        go_to_step(state, run, run->step_count - 1);
        break;
    case ACT_NEXT_LESSON:
        change_lesson(walker, state->lesson + 1);
        break;
    case ACT_PREVIOUS_LESSON:
        change_lesson(walker, state->lesson - 1);
        break;
    case ACT_EDIT:
        edit(walker);
        break;
    case ACT_CLICK:
        click_cell(walker, &pressed->press, false);
        break;
    default:
        move_cell(state, run, pressed);
    }
}

void draw_step(struct walker *walker, void *own, struct canvas *canvas) {
    struct scene scene = scene_for(walker, canvas);
    struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_TIMELINE] = &timeline_block,
                   [SLOT_OPENING] = &opening_block,
                   [SLOT_HEADING] = &heading_block,
                   [SLOT_WORDS] = &prose_block,
                   [SLOT_FORMULA] = &formula_block,
                   [SLOT_FACTS] = &facts_block,
                   [SLOT_MATRIX] = &matrices_block,
                   [SLOT_CELL] = &cell_block,
                   [SLOT_SOURCE] = &source_block,
                   [SLOT_KEYS] = &keys_block},
    };
    show_typing(walker, &scene, &arrangement);
    walker->shown = draw_screen(canvas, &scene, &arrangement, own);
}

const struct walk_view step_view = {
    .bit = VIEW_STEP,
    .name = "On a step",
    .press = press_on_step,
    .typed = typed_on_step,
    .draw = draw_step,
};
