// The numbers of a step as a drawing: weights as strips of who attends to whom, rows of two numbers as points
// in a plane, a list as a curve.

#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "show/picture/strips.h"
#include "trace/step.h"
#include "walk/bar.h"
#include "walk/walker.h"

enum kind { STRIPS, PLANE, CURVE };
enum { KINDS = 3 };

struct drawn {
    enum kind kind;
};

struct drawing {
    struct canvas *canvas;
    const struct step *step;
    const struct run *run;
    int64_t page;
    int rows, columns;
};

// The drawing of this kind, in *sketch; or why there is none.
static const char *make(const struct drawing *drawing, enum kind kind, struct sketch *sketch) {
    struct arena *arena = drawing->canvas->arena;
    const struct tensor *tensor = &drawing->step->tensor;
    const bool is_ascii = drawing->canvas->look.is_ascii;
    const char *why = NULL;
    struct plane plane;
    switch (kind) {
    case STRIPS:
        why = why_no_strips(arena, tensor);
        if (why == NULL)
            *sketch = strips_sketch(arena, tensor, drawing->page, drawing->columns, is_ascii);
        return why;
    case PLANE:
        why = plane_of(arena, &plane, drawing->run, drawing->step, drawing->page);
        if (why == NULL)
            *sketch = plane_sketch(arena, &plane, drawing->rows, drawing->columns, is_ascii);
        return why;
    default:
        why = why_no_curve(arena, tensor);
        if (why == NULL)
            *sketch = curve_sketch(arena, tensor, drawing->rows, drawing->columns, is_ascii);
        return why;
    }
}

// The kind that was chosen or the next one that these numbers have; false if they have none.
static bool make_any(const struct drawing *drawing, enum kind chosen, struct sketch *sketch) {
    for (int i = 0; i < KINDS; i++) {
        if (make(drawing, (enum kind)(((int)chosen + i) % KINDS), sketch) == NULL) return true;
    }
    return false;
}

// Does a part of the drawing belong to the row, or the cell, under the cursor?
static bool is_of_cursor(const struct walker *walker, const struct drawing *drawing, int of) {
    const struct table table = table_of(&drawing->step->tensor);
    const struct state *state = &walker->state;
    if (of < 0) return false;
    if (why_no_strips(drawing->canvas->arena, &drawing->step->tensor) == NULL)
        return of == state->row * table.columns + state->column;
    return of == (table.rows == 1 ? state->column : state->row);
}

static void draw_sketch(struct walker *walker, const struct drawing *drawing,
                        const struct sketch *sketch) {
    struct canvas *canvas = drawing->canvas;
    for (int row = 0; row < drawing->rows && row < sketch->rows; row++) {
        for (int column = 0; column < drawing->columns && column < sketch->columns; column++) {
            const struct sketch_cell *cell = sketch_at(sketch, row, column);
            char bytes[5];
            if (cell->character == 0 || cell->character == ' ') continue;
            utf8_encode(cell->character, bytes);
            put_text(canvas, 2 + row, 1 + column, 2, bytes,
                     is_of_cursor(walker, drawing, cell->of) ? REVERSE : PLAIN);
        }
    }
}

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    const struct drawn *drawn = own;
    struct arena *arena = canvas->arena;
    const struct run *run = &walker->trial.run;
    const struct drawing drawing = {
        .canvas = canvas,
        .step = current_step(&walker->state, run),
        .run = run,
        .page = walker->state.page,
        .rows = canvas->rows - 5,
        .columns = canvas->columns - 2,
    };
    struct sketch sketch;
    draw_title(canvas, run->lesson->title, step_label(arena, drawing.step));
    const struct cell cell = current_cell(&walker->state, run);
    if (make_any(&drawing, drawn->kind, &sketch)) {
        draw_sketch(walker, &drawing, &sketch);
        const char *line =
            arena_format(arena, "%s%s = %s", drawing.step->name, cell_label(arena, &cell),
                         cell_number(arena, &cell, shown_digits(walker)));
        put_text(canvas, canvas->rows - 2, 1, canvas->columns - 2, line, PLAIN);
    } else {
        char **lines;
        const char *why =
            arena_format(arena,
                         "These numbers have no drawing. As strips: %s. As points: %s. "
                         "As a curve: %s.",
                         make(&drawing, STRIPS, &sketch), make(&drawing, PLANE, &sketch),
                         make(&drawing, CURVE, &sketch));
        const int count = wrap_shown(canvas, why, canvas->columns - 2, &lines);
        for (int i = 0; i < count && i < drawing.rows; i++)
            put_text(canvas, 2 + i, 1, canvas->columns - 2, lines[i], PLAIN);
    }
    draw_key_bar(canvas, VIEW_DRAWN);
    put_cursor(canvas, canvas->rows - 2, 1);
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    struct drawn *drawn = own;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    if (pressed->action == ACT_CHOOSE) drawn->kind = (enum kind)(((int)drawn->kind + 1) % KINDS);
    if (pressed->action == ACT_NEXT) (void)go_to_stop(state, run, 1);
    if (pressed->action == ACT_BACK) (void)go_to_stop(state, run, -1);
    if (pressed->action == ACT_BESIDE) go_beside(state, run);
    (void)move_cell(state, run, pressed);
}

const struct walk_view drawn_view = {
    .bit = VIEW_DRAWN,
    .name = "On a drawing",
    .opened_by = ACT_DRAWN,
    .size = sizeof(struct drawn),
    .press = press,
    .draw = draw,
};
