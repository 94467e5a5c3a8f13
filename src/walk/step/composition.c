#include "walk/step/composition.h"

#include <string.h>

#include "show/table.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// INITIALS is a STACK with True and False by their first letters.
enum form { CORNER, SPLIT, ROW, STACK, INITIALS };

// A way to make a picture. Fewer digits than the others have: so many.
struct plan {
    enum form form;
    bool is_tight;
    int fewer_of_operands, fewer_of_results;
    bool takes_most; // of the rows, words or no words
};

// From the best to the last resort.
static const struct plan plans[] = {
    {CORNER, false, 0, 0, true},  {CORNER, true, 0, 0, true}, {CORNER, true, 1, 0, true},
    {CORNER, true, 2, 0, true},   {SPLIT, true, 0, 0, true},  {SPLIT, true, 2, 0, true},
    {CORNER, true, 2, 1, true},   {ROW, false, 0, 0, false},  {ROW, true, 0, 0, false},
    {STACK, false, 0, 0, false},  {STACK, true, 0, 0, false}, {ROW, true, 1, 0, false},
    {ROW, true, 2, 0, false},     {ROW, true, 1, 1, false},   {ROW, true, 2, 1, false},
    {STACK, true, 0, 0, true},    {STACK, true, 1, 0, true},  {STACK, true, 2, 0, true},
    {ROW, true, 2, 2, true},      {STACK, true, 2, 1, true},  {STACK, true, 2, 2, true},
    {INITIALS, true, 2, 2, true}, {CORNER, true, 2, 2, true}, {CORNER, true, 3, 2, true},
    {ROW, true, 3, 2, true},      {SPLIT, true, 3, 2, true},  {STACK, true, 3, 2, true},
};

struct composition {
    struct canvas *canvas;
    const struct scene *scene;
    const struct matrices *operands, *results;
    const struct plan *plan;
    struct matrices matrices;
};

// ---- Panels -------------------------------------------------------------------------------------

static int fewer_digits(int digits, int by) {
    if (digits == ALL_DIGITS) return digits;
    return digits - by > 1 ? digits - by : digits < 1 ? digits : 1;
}

// "linear" of "linear(hidden, W_ffn2, W_ffn2_bias)" where the whole name is wider than the numbers.
static const char *name_within(const struct composition *composition, const char *name,
                               int columns) {
    const size_t length = strcspn(name, "(");
    if (shown_width(composition->canvas, name) <= columns) return name;
    return arena_format(composition->canvas->arena, "%.*s", (int)length, name);
}

// The panel as the plan wants it, not yet in its place; NULL if there is no room for one more.
static struct panel *add_as_planned(struct composition *composition, const struct panel *panel,
                                    int fewer) {
    struct matrices *matrices = &composition->matrices;
    const struct scene *scene = composition->scene;
    if (matrices->count == MAX_PANELS) return NULL;
    struct panel *copy = &matrices->panels[matrices->count++];
    *copy = *panel;
    const struct matrix *matrix = panel->placed.matrix;
    const bool is_initial =
        composition->plan->form == INITIALS && matrix->tensor.storage->dtype == BOOL;
    const int digits = is_initial ? 1 : fewer_digits(scene->digits, fewer);
    copy->placed.matrix = cached_matrix(scene->matrix_cache, &matrix->tensor, matrix->page, digits);
    copy->placed.view.is_tight = composition->plan->is_tight;
    copy->placed.view.cuts_words = composition->plan->fewer_of_operands > 0;
    copy->placed.view.has_gaps = !composition->canvas->look.has_heat;
    const struct tensor *whole = panel->step != NULL ? &panel->step->tensor : &matrix->tensor;
    copy->note = shape_text(composition->canvas->arena, shape_of(whole));
    if (copy->placed.view.is_tight)
        copy->name = name_within(composition, copy->name,
                                 matrix_columns(copy->placed.matrix, &copy->placed.view));
    return copy;
}

static int panel_rows(const struct panel *panel) {
    return 1 + matrix_rows(panel->placed.matrix);
}

static int panel_columns(const struct composition *composition, const struct panel *panel) {
    const int matrix = matrix_columns(panel->placed.matrix, &panel->placed.view);
    const int name =
        shown_width(composition->canvas, panel_name(composition->canvas->arena, panel)) +
        (composition->plan->is_tight ? 0 : 1);
    return matrix > name ? matrix : name;
}

// Puts the panel at a place; the picture grows with it.
static void put_panel(struct composition *composition, struct panel *panel, int row, int column) {
    struct matrices *matrices = &composition->matrices;
    panel->place = (struct area){row, column, panel_rows(panel), panel_columns(composition, panel)};
    const int rows = row + panel->place.rows, columns = column + panel->place.columns;
    if (rows > matrices->rows) matrices->rows = rows;
    if (columns > matrices->columns) matrices->columns = columns;
}

static int between(const struct composition *composition) {
    return composition->plan->is_tight ? 1 : 3;
}

// Are the rows of both called alike, or those of the second nothing at all, so that labels beside the first
// serve both?
static bool has_same_rows(struct arena *arena, const struct panel *a, const struct panel *b) {
    const struct matrix *left = a->placed.matrix, *right = b->placed.matrix;
    const struct tensor of_left = labelled_page(&left->tensor, left->page), *x = &of_left;
    const struct tensor of_right = labelled_page(&right->tensor, right->page), *y = &of_right;
    if (!has_rows(x) || !has_rows(y)) return false;
    const int64_t rows = a->placed.matrix->table.rows;
    if (rows != b->placed.matrix->table.rows) return false;
    const char *first = axis_name(x, x->ndim - 2), *second = axis_name(y, y->ndim - 2);
    const bool has_same_name = second == NULL || (first != NULL && strcmp(first, second) == 0);
    if (y->axis[y->ndim - 2].labels == NULL && has_same_name) return true;
    for (int64_t row = 0; row < rows; row++) {
        if (strcmp(label_of(arena, x, x->ndim - 2, row), label_of(arena, y, y->ndim - 2, row)) != 0)
            return false;
    }
    return true;
}

// Puts panels side by side, from a row of the picture on, their last rows on a line.
static void put_in_row(struct composition *composition, int first, int count, int row) {
    struct panel *panels = composition->matrices.panels;
    int column = 0, tallest = 0;
    for (int i = first; i < first + count; i++) {
        if (panel_rows(&panels[i]) > tallest) tallest = panel_rows(&panels[i]);
    }
    for (int i = first; i < first + count; i++) {
        panels[i].placed.view.hides_rows =
            composition->plan->is_tight && i > first &&
            has_same_rows(composition->canvas->arena, &panels[i - 1], &panels[i]);
        put_panel(composition, &panels[i], row + tallest - panel_rows(&panels[i]), column);
        column += panels[i].place.columns + between(composition);
    }
}

// ---- A product ----------------------------------------------------------------------------------

// The operand as its transpose, which stands above the result: a layer's weight has a row an output.
static struct panel turned(struct composition *composition, const struct panel *panel) {
    struct arena *arena = composition->canvas->arena;
    const struct matrix *matrix = panel->placed.matrix;
    const struct table table = matrix->table;
    const int n = matrix->tensor.ndim;
    const struct tensor tensor = transpose(matrix->tensor, n - 2, n - 1);
    struct panel result = *panel;
    result.name = arena_format(arena, "%sᵀ", panel->name);
    result.placed.view.row = panel->placed.view.column;
    result.placed.view.column = panel->placed.view.row;
    result.placed.matrix =
        cached_matrix(composition->scene->matrix_cache, &tensor, matrix->page, matrix->digits);
    unsigned char *marks = blank_marks(arena, result.placed.matrix);
    for (int64_t i = 0; i < table.rows * table.columns; i++)
        marks[i % table.columns * table.rows + i / table.columns] = panel->placed.view.marks[i];
    result.placed.view.marks = marks;
    return result;
}

struct lit {
    int64_t count, in_row, in_column; // of the cell that stays in sight
};

static struct lit lit_cells(const struct panel *panel) {
    const struct table table = panel->placed.matrix->table;
    const struct matrix_view *view = &panel->placed.view;
    struct lit lit = {0};
    for (int64_t i = 0; view->marks != NULL && i < table.rows * table.columns; i++) {
        if (!(view->marks[i] & CELL_LIT)) continue;
        lit.count++;
        if (i / table.columns == view->row) lit.in_row++;
        if (i % table.columns == view->column) lit.in_column++;
    }
    return lit;
}

// Is the cell of the result made of a row of the first operand and a column of the second (or a row, which
// is turned)? Then *above is that operand.
static bool is_product(struct composition *composition, const struct matrices *operands,
                       const struct panel *result, struct panel *above) {
    if (operands->count < 2) return false;
    const struct panel *left = &operands->panels[0], *right = &operands->panels[1];
    const struct table a = left->placed.matrix->table, b = right->placed.matrix->table,
                       own = result->placed.matrix->table;
    const bool are_matrices = has_rows(&left->placed.matrix->tensor) &&
                              has_rows(&right->placed.matrix->tensor) &&
                              has_rows(&result->placed.matrix->tensor);
    const struct lit in_left = lit_cells(left), in_right = lit_cells(right);
    if (!are_matrices || a.rows != own.rows || in_left.in_row != a.columns ||
        in_left.count != a.columns)
        return false;
    if (b.columns == own.columns && b.rows == a.columns && in_right.count == b.rows &&
        in_right.in_column == b.rows) {
        *above = *right;
        return true;
    }
    if (b.rows != own.columns || b.columns != a.columns || in_right.in_row != b.columns)
        return false;
    *above = turned(composition, right);
    return true;
}

static void align(struct panel *panels[], int count) {
    int label = 0, box = 0;
    for (int i = 0; i < count; i++) {
        const struct placed_matrix *placed = &panels[i]->placed;
        const int own_label = matrix_label_width(placed->matrix, &placed->view);
        const int own_box = matrix_box(placed->matrix, &placed->view);
        if (own_label > label) label = own_label;
        if (own_box > box) box = own_box;
    }
    for (int i = 0; i < count; i++) {
        panels[i]->placed.view.label_width = label;
        panels[i]->placed.view.box = box;
    }
}

// The operands of a result at the place of its cursor.
static struct matrices operands_at(struct composition *composition, const struct panel *result) {
    const struct matrix *matrix = result->placed.matrix;
    struct cell cell = {.tensor = matrix->tensor};
    if (result->placed.view.has_focus) return *composition->operands;
    table_index(&cell.tensor, matrix->page, result->placed.view.row, result->placed.view.column,
                cell.index);
    const struct derivation derivation =
        derive(composition->canvas->arena, &cell, composition->scene->digits);
    return operands_of(composition->canvas->arena, composition->scene, &derivation);
}

// A result with all its operands but the first above it, their columns over its columns. Returns it.
static struct panel *put_column(struct composition *composition, const struct matrices *operands,
                                const struct panel *above, const struct panel *result, int start) {
    const struct plan *plan = composition->plan;
    struct panel *column[MAX_OPERANDS];
    int count = 0, row = 0;
    column[count++] = add_as_planned(composition, above, plan->fewer_of_operands);
    for (int i = 2; i < operands->count; i++)
        column[count++] =
            add_as_planned(composition, &operands->panels[i], plan->fewer_of_operands);
    struct panel *own = add_as_planned(composition, result, plan->fewer_of_results);
    column[count++] = own;
    for (int i = 0; i < count - 1 && !result->placed.view.has_focus; i++)
        column[i]->placed.view.marks = NULL;
    own->placed.view.hides_rows =
        has_same_rows(composition->canvas->arena, &composition->matrices.panels[0], own);
    align(column, count);
    for (int i = 0; i < count; i++) {
        put_panel(composition, column[i], row, start);
        row += column[i]->place.rows;
    }
    return own;
}

// The left operand at the left of the result, or of all results of the stop that have it.
static bool make_corner(struct composition *composition) {
    const struct matrices *results = composition->results;
    if (results->count * MAX_OPERANDS >= MAX_PANELS || composition->operands->count == 0)
        return false;
    struct panel *left = add_as_planned(composition, &composition->operands->panels[0],
                                        composition->plan->fewer_of_operands);
    int start = panel_columns(composition, left) + between(composition), foot = 0;
    composition->matrices.free_area.columns = start;
    for (int i = 0; i < results->count; i++) {
        const struct matrices operands = operands_at(composition, &results->panels[i]);
        struct panel above;
        if (!is_product(composition, &operands, &results->panels[i], &above) ||
            operands.panels[0].cell.tensor.storage != left->cell.tensor.storage)
            return false;
        const struct panel *own =
            put_column(composition, &operands, &above, &results->panels[i], start);
        if (i > 0 && own->place.row != foot) return false;
        foot = own->place.row;
        start = composition->matrices.columns + between(composition);
    }
    put_panel(composition, left, foot, 0);
    composition->matrices.free_area.rows = foot;
    return true;
}

// A product too tall for that: its operands side by side, a bias beside the result below them.
static bool make_split(struct composition *composition) {
    const struct plan *plan = composition->plan;
    const struct matrices *operands = composition->operands;
    struct panel above;
    if (operands->count < 3 || composition->results->count != 1 ||
        !is_product(composition, operands, &composition->results->panels[0], &above))
        return false;
    (void)add_as_planned(composition, &operands->panels[0], plan->fewer_of_operands);
    (void)add_as_planned(composition, &above, plan->fewer_of_operands);
    put_in_row(composition, 0, 2, 0);
    for (int i = 2; i < operands->count; i++)
        (void)add_as_planned(composition, &operands->panels[i], plan->fewer_of_operands);
    (void)add_as_planned(composition, &composition->results->panels[0], plan->fewer_of_results);
    put_in_row(composition, 2, composition->matrices.count - 2, composition->matrices.rows);
    return true;
}

// ---- Plans --------------------------------------------------------------------------------------

static void add_panels(struct composition *composition, const struct matrices *matrices,
                       int fewer) {
    for (int i = 0; i < matrices->count; i++)
        (void)add_as_planned(composition, &matrices->panels[i], fewer);
}

static bool has_readable_result(const struct matrices *matrices) {
    for (int i = 0; i < matrices->count; i++) {
        const struct placed_matrix *placed = &matrices->panels[i].placed;
        if (placed->view.has_focus && !has_readable_columns(placed->matrix, &placed->view))
            return false;
    }
    return true;
}

static bool make(struct composition *composition, const struct plan *plan) {
    composition->plan = plan;
    composition->matrices = (struct matrices){.is_composed = true};
    if (plan->form == CORNER) return make_corner(composition);
    if (plan->form == SPLIT) return make_split(composition);
    const int operands = composition->operands->count, results = composition->results->count;
    add_panels(composition, composition->operands, plan->fewer_of_operands);
    add_panels(composition, composition->results, plan->fewer_of_results);
    if (plan->form == ROW) {
        put_in_row(composition, 0, operands + results, 0);
    } else {
        put_in_row(composition, 0, operands, 0);
        put_in_row(composition, operands, results, composition->matrices.rows);
    }
    return true;
}

// Every number takes at least a digit and a mark: what is larger than this, need not be measured.
static bool is_out_of_question(const struct matrices *matrices,
                               const struct composition_room *room) {
    for (int i = 0; i < matrices->count; i++) {
        const struct table table = matrices->panels[i].placed.matrix->table;
        if (2 * table.columns > room->columns || table.rows > room->most) return true;
    }
    return false;
}

struct matrices composition_of(struct canvas *canvas, const struct scene *scene,
                               const struct matrices *operands, const struct matrices *results,
                               const struct composition_room *room) {
    struct composition composition = {
        .canvas = canvas, .scene = scene, .operands = operands, .results = results};
    if (is_out_of_question(operands, room) || is_out_of_question(results, room))
        return (struct matrices){0};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const int rows = plans[i].takes_most ? room->most : room->comfortable;
        if (!make(&composition, &plans[i]) || !has_readable_result(&composition.matrices) ||
            composition.matrices.rows > rows || composition.matrices.columns > room->columns)
            continue;
        return composition.matrices;
    }
    return (struct matrices){0};
}
