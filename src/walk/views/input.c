// The input over the step on screen: another number in one of its cells, and the rows of the step that
// change with it.

#include "walk/views/views.h"

#include "base/text.h"
#include "show/table.h"
#include "walk/kit/lines.h"
#include "walk/kit/names.h"
#include "walk/step/screen.h"

struct input {
    int64_t row, column;  // of the inputs
    struct raster raster; // where they stood last
};

static struct cell input_cell(const struct walker *walker, const struct input *input) {
    return (struct cell){.tensor = walker->trial.run.inputs, .index = {input->row, input->column}};
}

// ---- Keys ---------------------------------------------------------------------------------------

void open_input(struct walker *walker) {
    const struct run *run = &walker->trial.run;
    if (!has_input(run))
        tell(&walker->state, "This lesson reads words, not vectors. s changes its text.");
    else if (current_step(&walker->state, run)->tensor.storage == run->inputs.storage)
        begin_typing(walker, KEY_NOTHING);
    else
        open_view(walker, &input_view);
}

// At the token of the row under the cursor, where the step has a row a token.
static void open(struct walker *walker, void *view_state) {
    struct input *input = view_state;
    const struct run *run = &walker->trial.run;
    const struct table table = table_of(&current_step(&walker->state, run)->tensor);
    if (table.rows == size_along(&run->inputs, AXIS_TOKEN)) input->row = walker->state.row;
}

static void take(struct walker *walker, const struct cell *cell, const char *text) {
    double number;
    if (!read_number(walker, text, &number)) return;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const int digits = shown_digits(walker);
    const char *before =
        number_in_digits(m, number_before(&walker->edits, &walker->trial.run, cell->index), digits);
    const char *at = short_place(m, cell); // the cell is gone with the run
    if (edit_input(walker, cell->index, number)) {
        const double now = element(&walker->trial.run.inputs, cell->index);
        if (walker->edits.are_made)
            tell(&walker->state, "inputs%s = %s, before %s. u undoes it.", at,
                 number_in_digits(m, now, digits), before);
        else
            tell(&walker->state, "The input is as it was.");
    }
    scratch_close(&scratch);
}

void type_input(struct walker *walker, void *view_state, const char *text) {
    (void)view_state;
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    take(walker, &cell, text);
}

static void typed(struct walker *walker, void *view_state, const char *text) {
    const struct cell cell = input_cell(walker, view_state);
    take(walker, &cell, text);
}

// A number may be typed at once.
static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    (void)view_state;
    const bool begins_number = (key >= '0' && key <= '9') || key == '-';
    if (begins_number) begin_typing(walker, key);
    return begins_number;
}

static int64_t limited(int64_t value, int64_t count) {
    if (value >= count) value = count - 1;
    return value < 0 ? 0 : value;
}

static void move(struct walker *walker, struct input *input, const struct pressed *pressed) {
    const struct tensor *inputs = &walker->trial.run.inputs;
    const enum action action = pressed->action;
    int64_t column = input->column;
    if (action == ACT_LEFT || action == ACT_RIGHT) column += action == ACT_LEFT ? -1 : 1;
    if (action == ACT_ROW_START || action == ACT_ROW_END)
        column = action == ACT_ROW_START ? 0 : size_along(inputs, AXIS_FEATURE);
    input->row = limited(input->row + lines_moved(pressed), size_along(inputs, AXIS_TOKEN));
    input->column = limited(column, size_along(inputs, AXIS_FEATURE));
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct input *input = view_state;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    switch (pressed->action) {
    case ACT_EDIT:
        begin_typing(walker, KEY_NOTHING);
        break;
    case ACT_NEXT:
        (void)go_to_stop(state, run, 1);
        break;
    case ACT_BACK:
        (void)go_to_stop(state, run, -1);
        break;
    case ACT_BESIDE:
        go_beside(state, run);
        break;
    case ACT_NEXT_PAGE:
    case ACT_PREVIOUS_PAGE:
        (void)move_cell(state, run, pressed);
        break;
    case ACT_CLICK:
        (void)raster_hit(&input->raster, &pressed->press, &input->row, &input->column);
        break;
    default:
        move(walker, input, pressed);
    }
}

// ---- The input ----------------------------------------------------------------------------------

// What the blocks of this view need beside the screen.
struct opened {
    struct walker *walker;
    struct input *input;
};

static const struct opened *opened_in(const struct screen *screen) {
    return screen->view;
}

static int want_heading(struct screen *screen, struct slot *slot) {
    const char *heading = "Change the input: type a number, and see what changes with it";
    const bool is_short = screen->width < 64 || screen->canvas->noted != NULL;
    return add_paragraph(screen, slot, is_short ? "Change the input" : heading, screen->width);
}

static const struct block input_heading = {.wants = want_heading, .draw = draw_bold_lines};

// The inputs, those numbers marked that are edited.
static struct placed_matrix sight_of(const struct screen *screen, const struct area *area) {
    const struct opened *opened = opened_in(screen);
    const struct tensor *inputs = &screen->scene->run->inputs;
    const struct matrix *matrix =
        cached_matrix(screen->scene->matrix_cache, inputs, 0, screen->scene->digits);
    unsigned char *marks = blank_marks(screen->canvas->arena, matrix);
    const int64_t columns = matrix->table.columns;
    for (int64_t i = 0; i < matrix->table.rows * columns; i++) {
        const int64_t index[MAX_DIMS] = {i / columns, i % columns};
        const double before = number_before(&opened->walker->edits, screen->scene->run, index);
        if (is_other_number(element(inputs, index), before)) marks[i] |= CELL_CHANGED;
    }
    return (struct placed_matrix){.matrix = matrix,
                                  .view = {.row = opened->input->row,
                                           .column = opened->input->column,
                                           .has_focus = true,
                                           .marks = marks},
                                  .area = *area};
}

// The name above the numbers where there is room, and at least two rows of them: the step needs some too.
static int want_inputs(struct screen *screen, struct slot *slot) {
    (void)slot;
    enum { NAME = 1, LEAST = 3, STEP = 12 };
    const struct area nowhere = {0};
    const struct placed_matrix placed = sight_of(screen, &nowhere);
    const int rows = NAME + matrix_rows(placed.matrix), most = screen->canvas->rows - STEP;
    return rows < most ? rows : most > LEAST ? most : LEAST;
}

// The inputs and the cell under the cursor, for who has another way to type a number.
static void note_inputs(const struct screen *screen, const struct placed_matrix *placed) {
    const struct opened *opened = opened_in(screen);
    struct arena *arena = screen->canvas->arena;
    struct noted *noted = screen->canvas->noted;
    if (noted == NULL) return;
    const struct cell cell = input_cell(opened->walker, opened->input);
    struct matrices *matrices = arena_allocate(arena, sizeof *matrices);
    *matrices = (struct matrices){.count = 1, .panels = {{.name = "inputs", .placed = *placed}}};
    noted->matrices = matrices;
    noted->asked = arena_format(arena, "inputs%s", short_place(arena, &cell));
    noted->answer = number_in_digits(arena, cell_value(&cell), screen->scene->digits);
}

static void draw_inputs(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    const char *name =
        arena_format(arena, "inputs %s", shape_text(arena, shape_of(&screen->scene->run->inputs)));
    const int above = slot->rows > 3 ? 1 : 0;
    if (above > 0) put_text(canvas, slot->row, 1, screen->width, name, BOLD);
    const struct area area = {slot->row + above, 0, slot->rows - above, canvas->columns};
    const struct placed_matrix placed = sight_of(screen, &area);
    opened_in(screen)->input->raster = raster_of(&placed);
    note_inputs(screen, &placed);
    matrix_draw(canvas, &placed);
}

static const struct block inputs_block = {
    .wants = want_inputs, .draw = draw_inputs, .has_cursor = true};

// ---- What it changes ----------------------------------------------------------------------------

// "rows one and step", "rows with, one and step": those of the page on screen that differ.
static const char *changed_rows(const struct screen *screen, int64_t *count) {
    enum { MOST_NAMED = 4 };
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const struct table table = screen->matrix->table;
    const char *named[MOST_NAMED];
    for (int64_t row = 0; row < table.rows; row++) {
        bool differs = false;
        for (int64_t column = 0; column < table.columns && !differs; column++)
            differs = screen->marks[row * table.columns + column] & CELL_CHANGED;
        if (!differs) continue;
        if (*count < MOST_NAMED)
            named[*count] = has_rows(tensor) ? label_of(arena, tensor, tensor->ndim - 2, row) : "";
        (*count)++;
    }
    if (*count == table.rows || *count == 0 || !has_rows(tensor)) return "";
    if (*count > MOST_NAMED)
        return arena_format(arena, " in %d of %d rows", (int)*count, (int)table.rows);
    struct text text = text_new(arena);
    text_add(&text, *count == 1 ? " in row " : " in rows ");
    for (int64_t i = 0; i < *count; i++)
        text_add_format(&text, "%s%s", i == 0 ? "" : i == *count - 1 ? " and " : ", ", named[i]);
    return text.bytes;
}

// "Of context_vec, 6 of 12 numbers changed, in rows with, one and step."
static const char *outcome(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct table table = screen->matrix->table;
    const char *name = screen->step->name;
    if (compared_with(screen, screen->step) == NULL || !opened_in(screen)->walker->edits.are_made)
        return "";
    int64_t changed = 0, rows = 0;
    for (int64_t i = 0; i < table.rows * table.columns; i++)
        changed += screen->marks[i] & CELL_CHANGED ? 1 : 0;
    if (changed == 0) return arena_format(arena, " No number of %s changed.", name);
    const char *where = changed_rows(screen, &rows);
    return arena_format(arena, " Of %s, %d of %d numbers changed%s.", name, (int)changed,
                        (int)(table.rows * table.columns), where);
}

static int want_cell(struct screen *screen, struct slot *slot) {
    const struct opened *opened = opened_in(screen);
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const struct cell cell = input_cell(opened->walker, opened->input);
    const double now = cell_value(&cell),
                 before = number_before(&opened->walker->edits, scene->run, cell.index);
    const char *name = arena_format(arena, "inputs%s", short_place(arena, &cell));
    const char *line = scene->state->message;
    if (scene->typed != NULL)
        line = arena_format(arena, "%s = %s", name, scene->typed);
    else if (*line == '\0') {
        line = arena_format(arena, "%s = %s%s", name, number_in_digits(arena, now, scene->digits),
                            is_other_number(now, before)
                                ? arena_format(arena, ", before %s.",
                                               number_in_digits(arena, before, scene->digits))
                                : ".");
    }
    if (scene->typed == NULL) line = arena_format(arena, "%s%s", line, outcome(screen));
    return add_paragraph(screen, slot, line, screen->width);
}

static void draw_cell(struct screen *screen, const struct slot *slot) {
    const struct scene *scene = screen->scene;
    const bool is_bold = *scene->state->message != '\0' || scene->typed != NULL;
    put_lines(screen, slot, 1, is_bold ? BOLD : PLAIN);
    if (scene->typed != NULL)
        put_cursor(screen->canvas, slot->row, 1 + shown_width(screen->canvas, slot->lines[0]));
}

enum { ROOMY_ROWS = 20, FEW_ROWS = 3 }; // below, it says no more of the step

static int want_facts(struct screen *screen, struct slot *slot) {
    return screen->canvas->rows < ROOMY_ROWS ? 0 : facts_block.wants(screen, slot);
}

// The rows that the input leaves, and never all of them: whoever changes a number is to see it.
static int want_matrices(struct screen *screen, struct slot *slot) {
    const struct slot *slots = screen->slots;
    int left = screen->canvas->rows;
    for (int i = 0; i < SLOT_COUNT; i++) left -= i != SLOT_MATRIX ? slots[i].wanted : 0;
    if (left < FEW_ROWS) left = FEW_ROWS;
    if (screen->room.most > left) screen->room.most = left;
    if (screen->room.comfortable > left) screen->room.comfortable = left;
    const int rows = matrices_block.wants(screen, slot);
    return rows < left ? rows : left;
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const bool is_typing = top_view(walker)->view != &input_view;
    const struct block cell = {
        .wants = want_cell, .draw = draw_cell, .has_cursor = is_typing, .likes_gap = true};
    const struct block facts = {.wants = want_facts, .draw = facts_block.draw};
    const struct block matrices = {.wants = want_matrices, .draw = matrices_block.draw};
    struct block inputs = inputs_block;
    inputs.has_cursor = !is_typing;
    const struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_HEADING] = &input_heading,
                   [SLOT_WORDS] = &inputs,
                   [SLOT_FACTS] = &facts,
                   [SLOT_MATRIX] = &matrices,
                   [SLOT_CELL] = &cell,
                   [SLOT_KEYS] = &keys_block},
    };
    const struct opened opened = {walker, view_state};
    struct scene scene = scene_for(walker, canvas);
    show_typing(walker, &scene, NULL);
    walker->shown = draw_screen(canvas, &scene, &arrangement, &opened);
}

const struct walk_view input_view = {
    .bit = VIEW_INPUT,
    .name = "The input",
    .size = sizeof(struct input),
    .open = open,
    .takes = takes,
    .press = press,
    .typed = typed,
    .draw = draw,
};
