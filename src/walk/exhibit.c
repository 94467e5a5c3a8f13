#include "walk/exhibit.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "trace/step.h"

unsigned char *blank_marks(struct arena *arena, const struct matrix *matrix) {
    const int64_t count = matrix->table.rows * matrix->table.columns;
    return arena_array(arena, (size_t)count, sizeof(unsigned char));
}

// ---- Names --------------------------------------------------------------------------------------

// Do both show the same numbers, but with the last two dimensions exchanged?
static bool is_transposed(const struct tensor *tensor, const struct tensor *other) {
    const int n = tensor->ndim;
    if (n < 2 || other->ndim != n) return false;
    return tensor->shape[n - 1] == other->shape[n - 2] &&
           tensor->shape[n - 2] == other->shape[n - 1] &&
           tensor->stride[n - 1] == other->stride[n - 2] &&
           tensor->stride[n - 2] == other->stride[n - 1];
}

static bool is_same_place(const struct tensor *tensor, const struct tensor *other) {
    return shapes_equal(shape_of(tensor), shape_of(other)) && tensor->offset == other->offset &&
           memcmp(tensor->stride, other->stride, (size_t)tensor->ndim * sizeof *tensor->stride) ==
               0;
}

// The last step below `before` whose tensor is related so to this one; NULL if there is none.
static const struct step *
related_step(const struct run *run, const struct tensor *tensor, int before,
             bool (*is_related)(const struct tensor *, const struct tensor *)) {
    for (int i = run->step_count - 1; i >= 0; i--) {
        const struct step *step = &run->steps[i];
        if (step->number < before && step->tensor.storage == tensor->storage &&
            is_related(tensor, &step->tensor))
            return step;
    }
    return NULL;
}

static bool is_smaller(const struct tensor *tensor, const struct tensor *other) {
    return count_of(shape_of(tensor)) < count_of(shape_of(other));
}

// The step's label; without its group where the step numbered `before`, or the one ahead of it, is of
// the same group: there it goes without saying.
static const char *near_label(struct arena *arena, const struct run *run, const struct step *step,
                              int before) {
    for (int number = before - 1; number <= before; number++) {
        if (number < 1 || number > run->step_count) continue;
        if (run->steps[number - 1].group == step->group) return step->name;
    }
    return step_label(arena, step);
}

const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before) {
    const struct step *step = related_step(run, tensor, before, is_same_place);
    if (step != NULL) return near_label(arena, run, step, before);
    step = related_step(run, tensor, before, is_transposed);
    if (step != NULL) return arena_format(arena, "%sᵀ", near_label(arena, run, step, before));
    step = related_step(run, tensor, before, is_smaller);
    if (step != NULL)
        return arena_format(arena, "part of %s", near_label(arena, run, step, before));
    step = step_showing(run, tensor, before);
    if (step != NULL)
        return arena_format(arena, "%s in another shape", near_label(arena, run, step, before));
    if (tensor->storage == run->inputs.storage) return "inputs";
    const struct origin *origin = tensor->storage->origin;
    if (origin->operand_count == 0) return tensor->ndim == 0 ? "a number" : origin->operation->name;
    const char *first = tensor_name(arena, run, &origin->operands[0], before);
    const char *more = origin->operand_count > 1 ? ", …" : "";
    return arena_format(arena, "%s(%s%s)", origin->operation->name, first, more);
}

// ---- Panels -------------------------------------------------------------------------------------

static void light_up(struct panel *panel, const int64_t *index, unsigned char *marks) {
    int64_t page, row, column;
    table_place(&panel->matrix->tensor, index, &page, &row, &column);
    if (page != panel->matrix->page) return;
    marks[row * panel->matrix->table.columns + column] |= CELL_LIT;
}

// The first cell of an operand that the derivation used, or NULL.
static const struct operand *first_used(const struct derivation *derivation, int number) {
    for (int i = 0; i < derivation->operand_count; i++) {
        if (derivation->operands[i].number == number) return &derivation->operands[i];
    }
    return NULL;
}

static struct panel new_panel(struct measured *measured, const struct cell *focus, int digits) {
    struct panel panel = {.view = {.row = 0}};
    int64_t page;
    table_place(&focus->tensor, focus->index, &page, &panel.view.row, &panel.view.column);
    panel.matrix = measured_matrix(measured, &focus->tensor, page, digits);
    return panel;
}

// A view's numbers where an earlier step showed them.
static void add_viewed(struct exhibit *exhibit, struct arena *arena, struct measured *measured,
                       const struct run *run, const struct cell *cell, int step, int digits) {
    const struct step *shown_by = step_showing(run, &cell->tensor, step);
    struct cell found;
    if (shown_by == NULL || !cell_in_view(&shown_by->tensor, cell, &found)) return;
    struct panel *panel = &exhibit->panels[exhibit->count++];
    *panel = new_panel(measured, &found, digits);
    panel->name = step_label(arena, shown_by);
    unsigned char *marks = blank_marks(arena, panel->matrix);
    light_up(panel, found.index, marks);
    panel->view.marks = marks;
}

struct exhibit exhibit_of(struct arena *arena, struct measured *measured, const struct run *run,
                          const struct cell *cell, const struct derivation *derivation, int step,
                          bool sees_views, int digits) {
    struct exhibit exhibit = {0};
    const struct step *earlier = step_showing(run, &cell->tensor, step);
    if (sees_views && earlier != NULL && earlier->number < step) {
        add_viewed(&exhibit, arena, measured, run, cell, step, digits);
        return exhibit;
    }
    const int operand_count = derivation->origin->operand_count;
    for (int number = 0; number < operand_count && exhibit.count < MAX_PANELS - 1; number++) {
        const struct operand *used = first_used(derivation, number);
        if (used == NULL || used->cell.tensor.ndim == 0) continue;
        struct panel *panel = &exhibit.panels[exhibit.count++];
        *panel = new_panel(measured, &used->cell, digits);
        panel->name = tensor_name(arena, run, &used->cell.tensor, step);
        unsigned char *marks = blank_marks(arena, panel->matrix);
        for (int i = 0; i < derivation->operand_count; i++) {
            if (derivation->operands[i].number == number)
                light_up(panel, derivation->operands[i].cell.index, marks);
        }
        panel->view.marks = marks;
    }
    return exhibit;
}

// ---- Drawing ------------------------------------------------------------------------------------

enum { BETWEEN = 3, LEAST_PANEL = 16 };

int exhibit_rows(const struct exhibit *exhibit) {
    int rows = 0;
    for (int i = 0; i < exhibit->count; i++) {
        if (matrix_rows(exhibit->panels[i].matrix) > rows)
            rows = matrix_rows(exhibit->panels[i].matrix);
    }
    return rows + 1;
}

static int panel_columns(const struct canvas *canvas, const struct panel *panel) {
    const int matrix = matrix_columns(panel->matrix);
    const int name = shown_width(canvas, panel->name) + 1;
    const int columns = matrix > name ? matrix : name;
    return columns > LEAST_PANEL ? columns : LEAST_PANEL;
}

int exhibit_columns(const struct canvas *canvas, const struct exhibit *exhibit) {
    int columns = 0;
    for (int i = 0; i < exhibit->count; i++)
        columns += panel_columns(canvas, &exhibit->panels[i]) + (i > 0 ? BETWEEN : 0);
    return columns;
}

// Shares out the columns: the result keeps all that it needs; the others give, the widest first.
// Without a result (-1) all give alike. Returns false if they cannot give enough.
static bool narrow_panels(int *widths, int count, int result, int room) {
    int sum = BETWEEN * (count - 1);
    for (int i = 0; i < count; i++) sum += widths[i];
    while (sum > room) {
        int widest = 0;
        for (int i = 0; i < count; i++) {
            if (i != result && widths[i] > widths[widest]) widest = i;
        }
        if (widths[widest] <= LEAST_PANEL) {
            if (result < 0) return false;
            widest = result;
            if (widths[widest] <= room / 2) return false;
        }
        widths[widest]--;
        sum--;
    }
    return true;
}

// Which panels there is room for, and how wide they are.
static void choose_panels(const struct canvas *canvas, const struct exhibit *exhibit, int room,
                          int *first, int *count, int *widths) {
    *first = 0;
    *count = exhibit->count;
    for (;; (*count)--, *first += exhibit->leads ? 0 : 1) {
        for (int i = 0; i < *count; i++)
            widths[i] = panel_columns(canvas, &exhibit->panels[*first + i]);
        const int result = exhibit->leads ? -1 : *count - 1;
        if (*count <= 1 || narrow_panels(widths, *count, result, room)) return;
    }
}

struct area draw_exhibit(struct canvas *canvas, struct area area, const struct exhibit *exhibit) {
    int widths[MAX_PANELS];
    int first, count;
    choose_panels(canvas, exhibit, area.columns, &first, &count, widths);
    struct area place = {area.row + 1, area.column, area.rows - 1, 0}, result = place;
    for (int i = 0; i < count; i++) {
        const struct panel *panel = &exhibit->panels[first + i];
        const int left = area.column + area.columns - place.column;
        place.columns = widths[i] < left ? widths[i] : left;
        put_text(canvas, area.row, place.column + 1, place.columns - 1, panel->name, BOLD);
        matrix_draw(canvas, place, panel->matrix, &panel->view);
        if (i == 0 || !exhibit->leads) result = place;
        place.column += widths[i] + BETWEEN;
    }
    return result;
}

// ---- Compared with another run ------------------------------------------------------------------

bool is_other_number(double a, double b) {
    return a != b && !(isnan(a) && isnan(b));
}

// The page of a matrix, less the same page of another tensor. Where both have the same number, be it
// infinite, the difference is 0.
static struct tensor difference(struct arena *arena, const struct matrix *matrix,
                                const struct tensor *other) {
    const struct tensor *tensor = &matrix->tensor;
    const struct table table = matrix->table;
    float *values = arena_array(arena, (size_t)(table.rows * table.columns), sizeof *values);
    for (int64_t i = 0; i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, matrix->page, i / table.columns, i % table.columns, index);
        const double here = element(tensor, index), there = element(other, index);
        values[i] = is_other_number(here, there) ? (float)(here - there) : 0;
    }
    const int dims = tensor->ndim < 2 ? tensor->ndim : 2;
    const struct shape shape = {dims, {dims < 2 ? table.columns : table.rows, table.columns}};
    struct tensor result = tensor_of(arena, shape, values);
    for (int dim = 0; dim < dims; dim++) result.axis[dim] = tensor->axis[tensor->ndim - dims + dim];
    return result;
}

// A matrix that is not kept: its numbers live no longer than the frame.
static struct panel difference_panel(struct arena *arena, const struct panel *panel,
                                     const struct tensor *other, int digits) {
    struct matrix *matrix = arena_allocate(arena, sizeof *matrix);
    const struct tensor numbers = difference(arena, panel->matrix, other);
    *matrix = matrix_measure(arena, &numbers, 0, digits);
    return (struct panel){
        .name = "difference",
        .matrix = matrix,
        .view = {.row = panel->view.row, .column = panel->view.column},
    };
}

struct exhibit comparison_of(const struct canvas *canvas, struct measured *measured,
                             const struct panel *panel, const struct tensor *other,
                             const char *name, int digits) {
    struct exhibit exhibit = {.count = 3, .panels = {*panel}, .leads = true};
    exhibit.panels[1] = (struct panel){
        .name = name,
        .matrix = measured_matrix(measured, other, panel->matrix->page, digits),
        .view = {.row = panel->view.row, .column = panel->view.column},
    };
    exhibit.panels[2] = difference_panel(canvas->arena, panel, other, digits);
    if (exhibit_columns(canvas, &exhibit) > canvas->columns) exhibit.count = 2;
    return exhibit;
}

const struct tensor *same_step_in(const struct run *run, const struct step *step) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *other = &run->steps[i];
        const bool same_group = step->group == NULL || other->group == NULL
                                    ? step->group == other->group
                                    : strcmp(step->group, other->group) == 0;
        if (same_group && strcmp(step->name, other->name) == 0) return &other->tensor;
    }
    return NULL;
}
