#include "walk/step/screen.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// How the panels stand: a product with the right operand above the result; its operands side by side above it; all side by
// side; operands above results; the same with True and False by their first letters.
enum form { CORNER, SPLIT, ROW, STACK, INITIALS, FORM_COUNT };

// A way to make a picture: its form, and how many digits are taken away from operands and from results. Each panel of a tight
// picture takes as few columns as its numbers need.
struct way {
    enum form form;
    bool is_tight;
    int fewer_of_operands, fewer_of_results;
};

// Weights of what a reader loses by a way: for each form behind the first, and more if several results lose their operands;
// the blanks between numbers; a digit of the operands, the second more than the first; a digit of the results; and the rows
// that the picture takes from the words, except for a product.
enum {
    COST_OF_FORM = 4,
    COST_OF_FORM_OF_MANY = 10,
    COST_OF_TIGHT = 4,
    COST_OF_OPERANDS = 5,
    COST_OF_RESULTS = 12,
    COST_OF_WORDS = 30
};
enum { MOST_FEWER_OF_OPERANDS = 3, MOST_FEWER_OF_RESULTS = 2 };

static int cost_of(const struct way *way, int results, bool takes_words) {
    const int operands = way->fewer_of_operands * (way->fewer_of_operands + 1) / 2;
    const int form = results > 1 ? COST_OF_FORM_OF_MANY : COST_OF_FORM;
    return form * (way->form < INITIALS ? (int)way->form : 2 * (int)way->form) +
           COST_OF_TIGHT * way->is_tight + COST_OF_OPERANDS * operands +
           COST_OF_RESULTS * way->fewer_of_results +
           (takes_words && way->form > SPLIT ? COST_OF_WORDS : 0);
}

struct composition {
    struct canvas *canvas;
    const struct scene *scene;
    const struct matrices *operands, *results;
    const struct picture_room *room;
    const struct way *way;
    bool widens_labels; // of the way that is chosen: no way is judged by it
    struct matrices matrices;
};

// ---- Panels -------------------------------------------------------------------------------------

// A panel that is not placed yet takes at least the rows and columns of its position, which are those of its alternatives.
static int panel_rows(const struct panel *panel) {
    const int rows = 1 + matrix_rows(panel->placed.matrix);
    return rows > panel->position.rows ? rows : panel->position.rows;
}

static bool ends_in_brackets(const char *name) {
    const size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && name[length - 1] == ')';
}

// The shape has room, too, if the step is called "x (2)".
static int panel_columns(const struct composition *composition, const struct panel *panel) {
    const int matrix = matrix_columns(panel->placed.matrix, &panel->placed.view);
    const bool is_tight = composition->way->is_tight;
    const bool has_note = panel->step != NULL && !is_tight && ends_in_brackets(panel->name);
    const int name =
        shown_width(composition->canvas, panel_name(composition->canvas->arena, panel)) +
        (is_tight ? 0 : 1) + (has_note ? 1 + shown_width(composition->canvas, panel->note) : 0);
    const int columns = matrix > name ? matrix : name;
    return columns > panel->position.columns ? columns : panel->position.columns;
}

// "(6, 2)"; "6 × 2" behind a name that ends in brackets, such as "x (2)".
static const char *shape_note(struct arena *arena, const char *name, const struct tensor *tensor) {
    struct text text = text_new(arena);
    if (!ends_in_brackets(name) || !has_rows(tensor)) return shape_text(arena, shape_of(tensor));
    for (int dim = 0; dim < tensor->ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? " × " : " ", tensor->shape[dim]);
    return text.bytes;
}

// The panel as the way wants it, not yet in its place, with a page of a tensor.
static struct panel in_this_way(const struct composition *composition, struct panel panel,
                                const struct tensor *tensor, int64_t page, int fewer) {
    const struct way *way = composition->way;
    const struct scene *scene = composition->scene;
    const bool is_initial = way->form == INITIALS && tensor->storage->dtype == BOOL;
    int digits = scene->digits; // at least one is left
    if (digits != ALL_DIGITS && digits > 0) digits = digits > fewer + 1 ? digits - fewer : 1;
    if (is_initial) digits = 1;
    const struct tensor *whole = panel.step != NULL ? &panel.step->tensor : tensor;
    panel.placed.matrix = cached_matrix(scene->matrix_cache, tensor, page, digits);
    panel.placed.view.is_tight = way->is_tight;
    panel.placed.view.cuts_words = way->fewer_of_operands > 0;
    panel.placed.view.has_gaps = !composition->canvas->look.has_heat;
    panel.note =
        shape_note(composition->canvas->arena, panel.step != NULL ? panel.name : NULL, whole);
    panel.notes_shape = true;
    if (way->is_tight && shown_width(composition->canvas, panel.name) >
                             matrix_columns(panel.placed.matrix, &panel.placed.view))
        panel.name = arena_format(composition->canvas->arena, "%.*s", (int)strcspn(panel.name, "("),
                                  panel.name); // without operands
    return panel;
}

// One panel more; NULL if there is no room for it.
static struct panel *add_panel(struct composition *composition, const struct panel *panel,
                               int fewer) {
    struct matrices *matrices = &composition->matrices;
    const struct matrix *matrix = panel->placed.matrix;
    struct area largest = {0};
    if (matrices->count == MAX_PANELS) return NULL;
    for (int i = 0; i < panel->alternative_count; i++) {
        const struct alternative *alternative = &panel->alternatives[i];
        struct panel other = *panel;
        if (alternative->name == NULL) continue;
        other.name = alternative->name;
        other = in_this_way(composition, other, alternative->tensor, 0, fewer);
        const int rows = panel_rows(&other), columns = panel_columns(composition, &other);
        largest.rows = rows > largest.rows ? rows : largest.rows;
        largest.columns = columns > largest.columns ? columns : largest.columns;
    }
    struct panel *added = &matrices->panels[matrices->count++];
    *added = in_this_way(composition, *panel, &matrix->tensor, matrix->page, fewer);
    added->position = largest;
    return added;
}

// Puts the panel at a place; the picture grows with it.
static void put_panel(struct composition *composition, struct panel *panel, int row, int column) {
    struct matrices *matrices = &composition->matrices;
    panel->position =
        (struct area){row, column, panel_rows(panel), panel_columns(composition, panel)};
    const int rows = row + panel->position.rows, columns = column + panel->position.columns;
    if (rows > matrices->rows) matrices->rows = rows;
    if (columns > matrices->columns) matrices->columns = columns;
}

static int between(const struct composition *composition) {
    return composition->way->is_tight ? 1 : 3;
}

// Do the labels beside the first panel serve both: are the rows' labels the same, or has the second panel none?
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

// Labels that a tight picture cuts to a letter or two get four, as far as the room allows.
static void widen_labels(const struct composition *composition, struct panel *panels, int count) {
    enum { SHORT = 3, ENOUGH = 5 }; // with a blank before them
    int left = composition->room->columns - between(composition) * (count - 1);
    for (int i = 0; i < count; i++) left -= panel_columns(composition, &panels[i]);
    bool is_cut[MAX_PANELS];
    for (int i = 0; i < count; i++)
        is_cut[i] = matrix_box(panels[i].placed.matrix, &panels[i].placed.view) <= SHORT;
    for (int box = SHORT; box <= ENOUGH; box++) {
        for (int i = 0; i < count; i++) {
            const struct matrix *matrix = panels[i].placed.matrix;
            struct panel wider = panels[i];
            wider.placed.view.box = box;
            const int more =
                panel_columns(composition, &wider) - panel_columns(composition, &panels[i]);
            const bool is_wanted = is_cut[i] && matrix->column_label_width >= box - 1 &&
                                   matrix_box(matrix, &panels[i].placed.view) < box;
            if (!is_wanted || more > left) continue;
            panels[i] = wider;
            left -= more;
        }
    }
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
            composition->way->is_tight && i > first &&
            has_same_rows(composition->canvas->arena, &panels[i - 1], &panels[i]);
    }
    if (composition->widens_labels) widen_labels(composition, &panels[first], count);
    for (int i = first; i < first + count; i++) {
        put_panel(composition, &panels[i], row + tallest - panel_rows(&panels[i]), column);
        column += panels[i].position.columns + between(composition);
    }
}

// ---- A product ----------------------------------------------------------------------------------

// The operand as its transpose, which stands above the result: a layer's weight has a row an output.
static struct panel transposed(struct composition *composition, const struct panel *panel) {
    struct arena *arena = composition->canvas->arena;
    const struct matrix *matrix = panel->placed.matrix;
    const struct table table = matrix->table;
    const int n = matrix->tensor.ndim;
    const struct tensor tensor = transpose(matrix->tensor, n - 2, n - 1);
    struct panel result = *panel;
    result.alternative_count = 0;
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

struct used {
    int64_t count, in_row, in_column; // of the cell that stays in sight
};

static struct used used_cells(const struct panel *panel) {
    const struct table table = panel->placed.matrix->table;
    const struct matrix_view *view = &panel->placed.view;
    struct used used = {0};
    for (int64_t i = 0; view->marks != NULL && i < table.rows * table.columns; i++) {
        if (!(view->marks[i] & CELL_USED)) continue;
        used.count++;
        if (i / table.columns == view->row) used.in_row++;
        if (i % table.columns == view->column) used.in_column++;
    }
    return used;
}

// Is the result's cell computed from a row of the first operand and a column of the second? Then *above is the second. A layer's
// weight gives a row instead: then *above is its transpose.
static bool is_product(struct composition *composition, const struct matrices *operands,
                       const struct panel *result, struct panel *above) {
    if (operands->count < 2) return false;
    const struct panel *left = &operands->panels[0], *right = &operands->panels[1];
    const struct table a = left->placed.matrix->table, b = right->placed.matrix->table,
                       product = result->placed.matrix->table;
    const bool are_matrices = has_rows(&left->placed.matrix->tensor) &&
                              has_rows(&right->placed.matrix->tensor) &&
                              has_rows(&result->placed.matrix->tensor);
    const struct used in_left = used_cells(left), in_right = used_cells(right);
    if (!are_matrices || a.rows != product.rows || in_left.in_row != a.columns ||
        in_left.count != a.columns)
        return false;
    if (b.columns == product.columns && b.rows == a.columns && in_right.count == b.rows &&
        in_right.in_column == b.rows) {
        *above = *right;
        return true;
    }
    if (b.rows != product.columns || b.columns != a.columns || in_right.in_row != b.columns)
        return false;
    *above = transposed(composition, right);
    return true;
}

static void align(struct panel *panels[], int count) {
    int label = 0, box = 0;
    for (int i = 0; i < count; i++) {
        const struct placed_matrix *placed = &panels[i]->placed;
        const int label_width = matrix_label_width(placed->matrix, &placed->view);
        const int box_width = matrix_box(placed->matrix, &placed->view);
        if (label_width > label) label = label_width;
        if (box_width > box) box = box_width;
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
    const struct derivation derivation = find_operands(composition->canvas->arena, &cell);
    return operands_of(composition->canvas->arena, composition->scene, &derivation, NULL);
}

// A result with all its operands but the first above it, their columns over its columns. Returns it.
static struct panel *put_column(struct composition *composition, const struct matrices *operands,
                                const struct panel *above, const struct panel *result, int start) {
    const struct way *way = composition->way;
    struct panel *column[MAX_OPERANDS];
    int count = 0, row = 0;
    column[count++] = add_panel(composition, above, way->fewer_of_operands);
    for (int i = 2; i < operands->count; i++)
        column[count++] = add_panel(composition, &operands->panels[i], way->fewer_of_operands);
    struct panel *last = add_panel(composition, result, way->fewer_of_results);
    column[count++] = last;
    for (int i = 0; i < count - 1 && !result->placed.view.has_focus; i++)
        column[i]->placed.view.marks = NULL;
    last->placed.view.hides_rows =
        has_same_rows(composition->canvas->arena, &composition->matrices.panels[0], last);
    align(column, count);
    for (int i = 0; i < count; i++) {
        put_panel(composition, column[i], row, start);
        row += column[i]->position.rows;
    }
    return last;
}

// The left operand at the left of the result, or of all results of the stop that have it.
static bool make_corner(struct composition *composition) {
    const struct matrices *results = composition->results;
    if (results->count * MAX_OPERANDS >= MAX_PANELS || composition->operands->count == 0)
        return false;
    struct panel *left = add_panel(composition, &composition->operands->panels[0],
                                   composition->way->fewer_of_operands);
    int start = panel_columns(composition, left) + between(composition), foot = 0;
    composition->matrices.free_area.columns = start;
    for (int i = 0; i < results->count; i++) {
        const struct matrices operands = operands_at(composition, &results->panels[i]);
        struct panel above;
        if (!is_product(composition, &operands, &results->panels[i], &above) ||
            operands.panels[0].cell.tensor.storage != left->cell.tensor.storage)
            return false;
        const struct panel *last =
            put_column(composition, &operands, &above, &results->panels[i], start);
        if (i > 0 && last->position.row != foot) return false;
        foot = last->position.row;
        start = composition->matrices.columns + between(composition);
    }
    put_panel(composition, left, foot, 0);
    composition->matrices.free_area.rows = foot;
    return true;
}

// A product too tall for that: its operands side by side, a bias beside the result below them.
static bool make_split(struct composition *composition) {
    const struct way *way = composition->way;
    const struct matrices *operands = composition->operands;
    struct panel above;
    if (operands->count < 3 || composition->results->count != 1 ||
        !is_product(composition, operands, &composition->results->panels[0], &above))
        return false;
    (void)add_panel(composition, &operands->panels[0], way->fewer_of_operands);
    (void)add_panel(composition, &above, way->fewer_of_operands);
    put_in_row(composition, 0, 2, 0);
    for (int i = 2; i < operands->count; i++)
        (void)add_panel(composition, &operands->panels[i], way->fewer_of_operands);
    (void)add_panel(composition, &composition->results->panels[0], way->fewer_of_results);
    put_in_row(composition, 2, composition->matrices.count - 2, composition->matrices.rows);
    return true;
}

// ---- Ways ---------------------------------------------------------------------------------------

static void add_panels(struct composition *composition, const struct matrices *matrices,
                       int fewer) {
    for (int i = 0; i < matrices->count; i++)
        (void)add_panel(composition, &matrices->panels[i], fewer);
}

static bool has_readable_result(const struct matrices *matrices) {
    for (int i = 0; i < matrices->count; i++) {
        const struct placed_matrix *placed = &matrices->panels[i].placed;
        if (placed->view.has_focus && !has_readable_columns(placed->matrix, &placed->view))
            return false;
    }
    return true;
}

// Makes the picture in a way; false if it does not fit.
static bool make(struct composition *composition, const struct way *way) {
    const struct matrices *operands = composition->operands, *results = composition->results;
    struct matrices *matrices = &composition->matrices;
    composition->way = way;
    *matrices = (struct matrices){.is_composed = true};
    if (way->form == CORNER && !make_corner(composition)) return false;
    if (way->form == SPLIT && !make_split(composition)) return false;
    if (way->form > SPLIT) {
        add_panels(composition, operands, way->fewer_of_operands);
        add_panels(composition, results, way->fewer_of_results);
        const int above = way->form == ROW ? matrices->count : operands->count;
        put_in_row(composition, 0, above, 0);
        put_in_row(composition, above, matrices->count - above, matrices->rows);
    }
    return matrices->rows <= composition->room->most &&
           matrices->columns <= composition->room->columns;
}

// A matrix that does not fit with a digit and a mark for each number need not be measured.
static bool is_out_of_question(const struct matrices *matrices, const struct picture_room *room) {
    for (int i = 0; i < matrices->count; i++) {
        const struct table table = matrices->panels[i].placed.matrix->table;
        if (2 * table.columns > room->columns || table.rows > room->most) return true;
    }
    return false;
}

// The cheapest picture that fits. A form whose smallest picture does not fit is skipped.
struct matrices picture_of(struct canvas *canvas, const struct scene *scene,
                           const struct matrices *operands, const struct matrices *results,
                           const struct picture_room *room) {
    struct composition composition = {canvas, scene, operands, results, room, NULL, false, {0}};
    struct way chosen = {0};
    int least = INT_MAX;
    if (is_out_of_question(operands, room) || is_out_of_question(results, room))
        return (struct matrices){0};
    for (int form = CORNER; form < FORM_COUNT; form++) {
        const struct way smallest = {(enum form)form, true, MOST_FEWER_OF_OPERANDS,
                                     MOST_FEWER_OF_RESULTS};
        const int of_form = cost_of(&(struct way){.form = (enum form)form}, results->count, false);
        if (of_form >= least || !make(&composition, &smallest)) continue;
        for (int i = -1; i <= MOST_FEWER_OF_OPERANDS; i++) { // -1: not even tight
            const int fewer = i < 0 ? 0 : i;
            for (int k = 0; k <= fewer && k <= MOST_FEWER_OF_RESULTS; k++) {
                const struct way way = {(enum form)form, i >= 0, fewer, k};
                if (cost_of(&way, results->count, false) >= least || !make(&composition, &way))
                    continue;
                const struct matrices *made = &composition.matrices;
                const int cost = cost_of(&way, results->count, made->rows > room->comfortable);
                if (cost < least && has_readable_result(made)) least = cost, chosen = way;
            }
        }
    }
    composition.widens_labels = chosen.is_tight;
    if (least == INT_MAX || !make(&composition, &chosen)) return (struct matrices){0};
    return composition.matrices;
}
