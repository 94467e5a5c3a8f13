#include "walk/step/screen.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"
#include "walk/kit/names.h"

// ---- Panels -------------------------------------------------------------------------------------

static void mark_cell(const struct panel *panel, const int64_t *index, unsigned char mark,
                      unsigned char *marks) {
    const struct matrix *matrix = panel->placed.matrix;
    int64_t page, row, column;
    table_place(&matrix->tensor, index, &page, &row, &column);
    if (page == matrix->page) marks[row * matrix->table.columns + column] |= mark;
}

static bool is_among(struct term_operands some, int i) {
    return i >= some.first && i < some.first + some.count;
}

// The number of an operand that is to be in sight: the largest where the operation picks it, else the first of those that are
// lit, or that are used at all. Of a few joined tensors all stay on screen: the first number of one that the cell is not from.
// Without dimensions if the operand is not to be shown.
static struct operand operand_in_sight(const struct derivation *derivation, int number,
                                       struct term_operands lit) {
    const struct origin *origin = derivation->origin;
    const struct operand *best = NULL;
    bool is_best_lit = false;
    for (int i = 0; i < derivation->operand_count; i++) {
        const struct operand *operand = &derivation->operands[i];
        if (operand->number != number) continue;
        const bool is_better = origin->operation->picks_largest
                                   ? best == NULL || operand->value > best->value
                                   : best == NULL || (!is_best_lit && is_among(lit, i));
        if (is_better) best = operand, is_best_lit = is_among(lit, i);
    }
    struct operand unused = {.number = number, .role = ""};
    const bool is_joined = origin->operation->moves && origin->operand_count <= MAX_OPERANDS;
    if (is_joined && count_of(shape_of(&origin->operands[number])) > 0)
        unused.cell.tensor = origin->operands[number];
    return best != NULL ? *best : unused;
}

static struct panel panel_at(const struct scene *scene, const struct cell *focus) {
    struct panel panel = {.cell = *focus};
    int64_t page;
    table_place(&focus->tensor, focus->index, &page, &panel.placed.view.row,
                &panel.placed.view.column);
    panel.placed.matrix = cached_matrix(scene->matrix_cache, &focus->tensor, page, scene->digits);
    return panel;
}

// Marks the numbers of a page that the followed one reached.
static void mark_reached(const struct scene *scene, const struct matrix *matrix,
                         unsigned char *marks) {
    const struct table table = matrix->table;
    for (int64_t i = 0; scene->followed != NULL && i < table.rows * table.columns; i++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(&matrix->tensor, matrix->page, i / table.columns, i % table.columns, index);
        if (is_reached(scene->followed, &matrix->tensor, index)) marks[i] |= CELL_REACHED;
    }
}

// "context_by_head, head 1": which page of an operand is in sight, if the step has but one; the name, if not. A page whose
// rows and columns are named needs no word of how it was turned.
static const char *name_with_page(struct arena *arena, const struct scene *scene, const char *name,
                                  const struct cell *cell) {
    const struct tensor *tensor = &cell->tensor;
    const struct step *step = &scene->run->steps[scene->state->step];
    const char *turned = strstr(name, ", transposed");
    if (table_of(&step->tensor).pages > 1 || strstr(name, " of ") != NULL) return name;
    for (int dim = 0; dim < tensor->ndim - 2; dim++) {
        const char *axis = axis_name(tensor, dim);
        if (axis == NULL || tensor->shape[dim] < 2) continue;
        if (turned != NULL) name = arena_format(arena, "%.*s", (int)(turned - name), name);
        turned = NULL;
        name =
            arena_format(arena, "%s, %s %s", name, axis, label_at(arena, tensor, dim, cell->index));
    }
    return name;
}

// The cell on the page that has the longest name.
static struct cell on_widest_page(struct arena *arena, struct cell cell) {
    for (int dim = 0; dim < cell.tensor.ndim - 2; dim++) {
        int64_t index[MAX_DIMS] = {0};
        for (int width = 0; index[dim] < cell.tensor.shape[dim]; index[dim]++) {
            const int columns = text_width(label_at(arena, &cell.tensor, dim, index));
            if (columns > width) width = columns, cell.index[dim] = index[dim];
        }
    }
    return cell;
}

static const char *title_of(struct arena *arena, const struct scene *scene,
                            const struct derivation *derivation, const struct operand *operand,
                            const struct cell *cell) {
    const char *name = short_name(
        arena, operand_name(arena, scene->run, derivation, operand, scene->state->step + 1));
    return name != NULL ? name_with_page(arena, scene, name, cell) : NULL;
}

// Of many joined tensors only the one is shown that the cell is from; any other may follow. Else another page may.
static void add_alternatives(struct arena *arena, const struct scene *scene,
                             const struct derivation *derivation, const struct operand *operand,
                             struct panel *panel) {
    enum { MOST = 16 };
    const struct origin *origin = derivation->origin;
    const int count = origin->operand_count;
    const bool is_joined = origin->operation->moves && count > MAX_OPERANDS && count <= MOST;
    const struct cell widest = on_widest_page(arena, operand->cell);
    struct alternative *all = arena_array(arena, (size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) {
        if (!is_joined && i != operand->number) continue;
        struct operand other = {.number = i, .role = "", .cell.tensor = origin->operands[i]};
        if (!is_joined) other = *operand;
        const struct cell *cell = is_joined ? &other.cell : &widest;
        all[panel->alternative_count++] = (struct alternative){
            title_of(arena, scene, derivation, &other, cell), &origin->operands[i]};
    }
    const bool is_alike = !is_joined && strcmp(all[0].name, panel->name) == 0;
    if (is_alike) panel->alternative_count = 0;
    panel->alternatives = all;
}

struct matrices operands_of(struct arena *arena, const struct scene *scene,
                            const struct derivation *derivation, const struct term_operands *lit) {
    struct matrices matrices = {0};
    const int operand_count = derivation->origin->operand_count;
    const struct term_operands some =
        lit != NULL ? *lit : (struct term_operands){0, derivation->operand_count};
    for (int number = 0; number < operand_count && matrices.count < MAX_OPERANDS; number++) {
        const struct operand shown = operand_in_sight(derivation, number, some);
        if (shown.cell.tensor.ndim == 0) continue;
        const char *title = title_of(arena, scene, derivation, &shown, &shown.cell);
        if (title == NULL) continue;
        struct panel *panel = &matrices.panels[matrices.count++];
        *panel = panel_at(scene, &shown.cell);
        panel->name = title;
        add_alternatives(arena, scene, derivation, &shown, panel);
        unsigned char *marks = blank_marks(arena, panel->placed.matrix);
        for (int i = 0; i < derivation->operand_count; i++) {
            const struct operand *operand = &derivation->operands[i];
            if (operand->number == number)
                mark_cell(panel, operand->cell.index,
                          is_among(some, i) ? CELL_USED | CELL_LIT : CELL_USED, marks);
        }
        mark_reached(scene, panel->placed.matrix, marks);
        panel->placed.view.marks = marks;
    }
    return matrices;
}

// Is it one name, "x" or "x (2)"?
static bool is_same_name(const char *a, const char *b) {
    const size_t length = strcspn(a, " ");
    return strncmp(a, b, length) == 0 && strcspn(b, " ") == length;
}

// For a step that is a view: the same number in the step that first showed it; no panel if the cell is not there, or if it
// would stand there twice.
static struct matrices viewed_by(struct arena *arena, const struct scene *scene,
                                 const struct cell *cell) {
    struct matrices matrices = {0};
    const struct step *step = step_viewed(scene->run, &cell->tensor, scene->state->step + 1);
    struct cell found;
    const struct step *here = current_step(scene->state, scene->run);
    if (computed_in_call(scene->run, here) != NULL) return matrices;
    const bool is_program = scene->run->lesson->part == PART_OF_READER;
    if (is_program && step != NULL && is_same_name(step->name, here->name) &&
        shapes_equal(shape_of(&step->tensor), shape_of(&here->tensor)))
        return matrices;
    if (step == NULL || !cell_in_view(&step->tensor, cell, &found)) return matrices;
    struct panel *panel = &matrices.panels[matrices.count++];
    *panel = panel_at(scene, &found);
    panel->name = name_with_page(arena, scene, step_label(arena, step), &found);
    unsigned char *marks = blank_marks(arena, panel->placed.matrix);
    mark_cell(panel, found.index, CELL_LIT, marks);
    panel->placed.view.marks = marks;
    return matrices;
}

struct matrices operands_at_cursor(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct scene *scene = screen->scene;
    const struct partial *term = current_term(screen);
    if (shows_view(scene->run, screen->step)) return viewed_by(arena, scene, &screen->cell);
    if (term == NULL) return operands_of(arena, scene, &screen->derivation, NULL);
    const struct term_operands of_term = operands_of_term(&screen->derivation, term);
    return operands_of(arena, scene, &screen->derivation, &of_term);
}

// ---- For the mouse ------------------------------------------------------------------------------

struct shown shown_of(const struct matrices *matrices) {
    struct shown shown = {.is_composed = matrices->is_composed};
    for (int i = 0; i < matrices->count; i++) {
        const struct panel *panel = &matrices->panels[i];
        const struct matrix *matrix = panel->placed.matrix;
        if (panel->placed.area.rows < 1) continue;
        shown.pages[shown.count++] = (struct shown_page){
            .step = panel->step != NULL ? panel->step->number - 1 : -1,
            .tensor = panel->step != NULL ? panel->step->tensor : matrix->tensor,
            .page = matrix->page,
            .digits = matrix->digits,
            .has_focus = panel->placed.view.has_focus,
            .area = panel->placed.area,
            .raster = raster_of(&panel->placed),
        };
    }
    return shown;
}

const struct shown_page *page_at(const struct shown *shown, const struct press *press, int64_t *row,
                                 int64_t *column) {
    for (int i = 0; i < shown->count; i++) {
        const struct shown_page *page = &shown->pages[i];
        if (page->step < 0 || !raster_hit(&page->raster, press, row, column)) continue;
        if (!has_rows(&page->tensor) && *row > 0) { // it stands upright
            *column = *row;
            *row = 0;
        }
        return page;
    }
    return NULL;
}

bool operand_at(const struct shown *shown, const struct press *press, struct cell *cell) {
    for (int i = 0; i < shown->count; i++) {
        const struct shown_page *page = &shown->pages[i];
        int64_t row, column;
        if (page->step >= 0 || !raster_hit(&page->raster, press, &row, &column)) continue;
        cell->tensor = page->tensor;
        table_index(&page->tensor, page->page, row, column, cell->index);
        return true;
    }
    return false;
}

// ---- Drawing ------------------------------------------------------------------------------------

enum { LEAST_PANEL = 16 };

// Columns between two panels.
static int between(const struct matrices *matrices) {
    return matrices->panels[0].placed.view.is_tight ? 2 : 3;
}

const char *panel_name(struct arena *arena, const struct panel *panel) {
    const char *factor = common_factor(arena, panel->placed.matrix->format);
    return arena_format(arena, "%s%s", panel->name != NULL ? panel->name : "", factor);
}

int rows_of_panels(const struct matrices *matrices) {
    int most = 0;
    if (matrices->is_composed) return matrices->rows;
    for (int i = 0; i < matrices->count; i++) {
        const struct panel *panel = &matrices->panels[i];
        const int rows = matrix_rows(panel->placed.matrix) + (panel->name != NULL ? 1 : 0);
        if (rows > most) most = rows;
    }
    return most;
}

static int panel_columns(const struct canvas *canvas, const struct panel *panel) {
    const int matrix = matrix_columns(panel->placed.matrix, &panel->placed.view);
    const int name = shown_width(canvas, panel_name(canvas->arena, panel)) + 1;
    const int columns = matrix > name ? matrix : name;
    return columns > LEAST_PANEL ? columns : LEAST_PANEL;
}

int columns_of_panels(const struct canvas *canvas, const struct matrices *matrices) {
    int columns = 0;
    for (int i = 0; i < matrices->count; i++)
        columns += panel_columns(canvas, &matrices->panels[i]) + (i > 0 ? between(matrices) : 0);
    return columns;
}

// Narrows panels to so many columns in all: the result, which is last, keeps what it can, the others share the rest; of a
// comparison all show the same columns. False if one gets too few.
static bool narrow_panels(int *widths, int count, bool is_comparison, int room) {
    const int last = count - 1, most = room - LEAST_PANEL * last;
    int sum = 0;
    for (int i = 0; i < count; i++) sum += widths[i];
    if (sum <= room || count == 1) return true;
    if (!is_comparison && widths[last] > most) widths[last] = most;
    int left = is_comparison ? room : room - widths[last];
    for (int i = 0; i < (is_comparison ? count : last); i++) {
        const int share = left / ((is_comparison ? count : last) - i);
        if (is_comparison || widths[i] > share) widths[i] = is_comparison ? room / count : share;
        left -= widths[i];
    }
    return is_comparison ? room / count >= LEAST_PANEL : widths[last] > room / 2;
}

// A bar stands on the heading of its column, in eighths of a row; in ASCII in whole rows. What is not 0 shows.
static void draw_bars(struct canvas *canvas, const struct panel *panel) {
    const struct matrix *matrix = panel->placed.matrix;
    const struct raster raster = raster_of(&panel->placed);
    const bool is_ascii = canvas->look.is_ascii;
    const int foot = panel->placed.area.row - 1;
    for (int64_t i = 0; i < raster.columns; i++) {
        const int64_t column = raster.first_column + i;
        int64_t index[MAX_DIMS] = {0};
        table_index(&matrix->tensor, matrix->page, panel->placed.view.row, column, index);
        const double number = element(&matrix->tensor, index);
        const unsigned char *marks = panel->placed.view.marks;
        const int64_t at = panel->placed.view.row * matrix->table.columns + column;
        if (!(number > 0) || (marks != NULL && marks[at] & CELL_PENDING)) continue;
        const int eighths = (int)fmax(1, round(number / panel->full_bar * 8 * panel->bars));
        const struct style style = column == panel->placed.view.column ? BOLD : PLAIN;
        for (int row = 0; row < panel->bars && 8 * row < eighths; row++) {
            const int part = eighths - 8 * row < 8 ? eighths - 8 * row : 8;
            char block[5];
            utf8_encode(!is_ascii ? 0x2580u + (uint32_t)part : part < 4 ? '.' : '#', block);
            for (int k = 1; k < raster.apart; k++)
                put_text(canvas, foot - row, raster.column + (int)i * raster.apart + k, 1, block,
                         style);
        }
    }
}

void add_bars(struct arena *arena, struct matrices *matrices, int most) {
    enum { LEAST = 5, MOST = 8, LEAST_OF_NUMBERS = 5 }; // with name and heading
    const int left = most - matrices->rows;
    const int bars = left < LEAST ? LEAST : left > MOST ? MOST : left;
    const int cut = bars > left ? bars - left : 0;
    if (matrices->rows - cut < LEAST_OF_NUMBERS) return;
    matrices->rows += bars - cut;
    double full = 0;
    for (int i = 0; i < matrices->count; i++)
        full = fmax(full, matrices->panels[i].placed.matrix->most);
    for (int i = 0; i < matrices->count; i++) {
        struct panel *panel = &matrices->panels[i];
        const struct tensor *tensor = &panel->placed.matrix->tensor;
        panel->bars = bars;
        panel->full_bar = full;
        panel->position.rows += bars - cut;
        if (has_rows(tensor))
            panel->note = label_of(arena, tensor, tensor->ndim - 2, panel->placed.view.row);
    }
}

static void draw_panel(struct canvas *canvas, struct area area, struct panel *panel) {
    const bool is_beside = panel->step != NULL && !panel->placed.view.has_focus;
    const int start = panel->placed.view.is_tight ? 0 : 1;
    const int used = put_text(canvas, area.row, area.column + start, area.columns - start,
                              panel_name(canvas->arena, panel), is_beside ? PLAIN : BOLD);
    const int left = area.columns - start - used - 1;
    int at = area.column + start + used + 1;
    const char *legend = crossed_text(canvas, panel->placed.matrix);
    const int legend_width = legend != NULL ? shown_width(canvas, legend) : 0;
    const int note = panel->note != NULL ? shown_width(canvas, panel->note) : 0;
    const bool has_legend = panel->notes_shape && // which gives way to the legend
                            legend_width > 0 && legend_width <= left;
    if (panel->note != NULL && note + (has_legend ? 2 + legend_width : 0) <= left)
        at += put_text(canvas, area.row, at, left, panel->note, DIM) + 2;
    if (legend != NULL && at + shown_width(canvas, legend) <= area.column + area.columns)
        put_text(canvas, area.row, at, area.columns, legend, DIM);
    const int above = 1 + panel->bars;
    panel->placed.area =
        (struct area){area.row + above, area.column, area.rows - above, area.columns};
    matrix_draw(canvas, &panel->placed);
    if (panel->bars > 0) draw_bars(canvas, panel);
}

void draw_panels(struct canvas *canvas, struct area area, struct matrices *matrices) {
    for (int i = 0; matrices->is_composed && i < matrices->count; i++) {
        struct area position = matrices->panels[i].position;
        position.row += area.row + area.rows - matrices->rows; // at the foot: its last row stays
        position.column += area.column + (matrices->columns < area.columns ? 1 : 0);
        draw_panel(canvas, position, &matrices->panels[i]);
    }
    if (matrices->is_composed) return;
    if (matrices->count == 1 && matrices->panels[0].name == NULL) {
        matrices->panels[0].placed.area = area;
        matrix_draw(canvas, &matrices->panels[0].placed);
        return;
    }
    int widths[MAX_PANELS], count = matrices->count, first = 0;
    for (;; count--, first += matrices->leads ? 0 : 1) {
        for (int i = 0; i < count; i++)
            widths[i] = panel_columns(canvas, &matrices->panels[first + i]);
        const int room = area.columns - (count - 1) * between(matrices);
        if (narrow_panels(widths, count, matrices->leads, room)) break;
    }
    for (int i = 0, column = area.column; i < count; i++) {
        const int left = area.column + area.columns - column;
        const struct area panel = {area.row, column, area.rows,
                                   widths[i] < left ? widths[i] : left};
        draw_panel(canvas, panel, &matrices->panels[first + i]);
        column += widths[i] + between(matrices);
    }
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
    const int dims = has_rows(tensor) ? 2 : tensor->ndim;
    const struct shape shape = {dims, {dims < 2 ? table.columns : table.rows, table.columns}};
    struct tensor result = tensor_of(arena, shape, values);
    for (int dim = 0; dim < dims; dim++) result.axis[dim] = tensor->axis[tensor->ndim - dims + dim];
    return result;
}

struct matrices comparison_of(const struct canvas *canvas, const struct scene *scene,
                              const struct panel *result, const struct tensor *other,
                              const char *name) {
    const struct matrix *matrix = result->placed.matrix;
    const struct matrix_view unfocused = {.row = result->placed.view.row,
                                          .column = result->placed.view.column,
                                          .is_tight = result->placed.view.is_tight};
    struct matrices matrices = {
        .count = 3,
        .panels = {*result,
                   {.name = name, .step = result->step, .placed.view = unfocused},
                   {.name = "difference", .step = result->step, .placed.view = unfocused}},
        .leads = true,
    };
    matrices.panels[1].placed.matrix =
        cached_matrix(scene->matrix_cache, other, matrix->page, matrix->digits);
    struct matrix *apart = arena_allocate(canvas->arena, sizeof *apart);
    const struct tensor numbers = difference(canvas->arena, matrix, other);
    *apart = matrix_measure(canvas->arena, &numbers, 0, matrix->digits);
    matrices.panels[2].placed.matrix = apart; // not kept: its numbers live no longer than the frame
    if (columns_of_panels(canvas, &matrices) > canvas->columns) matrices.count = 2;
    return matrices;
}

const struct tensor *same_step_in(const struct run *run, const struct step *step) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *other = &run->steps[i];
        if (is_named_alike(step, other)) return &other->tensor;
    }
    return NULL;
}
