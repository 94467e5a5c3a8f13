#include "walk/step/screen.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "tensor/cell.h"
#include "trace/run/step.h"

// How the storage is laid out on the canvas: lines of `columns` numbers, as long as a row of the shape
// that was allocated, or as many as fit.
enum { START = 7 };

struct grid {
    int box;
    int64_t columns, lines;
};

static int digits_of(int64_t number) {
    int digits = 1;
    while (number >= 10) number /= 10, digits++;
    return digits;
}

static struct grid grid_of(const struct canvas *canvas, const struct tensor *tensor,
                           const struct matrix *matrix) {
    const struct storage *storage = tensor->storage;
    struct grid grid = {.box = matrix->format.width + 4 + digits_of(storage->count)};
    const int64_t fitting = (canvas->columns - START) / (grid.box + 1);
    const struct shape shape = storage->shape;
    const int64_t row =
        shape.ndim > 0 && shape.size[shape.ndim - 1] > 0 ? shape.size[shape.ndim - 1] : 1;
    grid.columns = row < fitting ? fitting / row * row : fitting;
    if (grid.columns < 1) grid.columns = 1;
    grid.lines = (storage->count + grid.columns - 1) / grid.columns;
    return grid;
}

// Which dimension gives the letters: the heads if there are any, else the first of several.
static int lettered_dim(const struct tensor *tensor) {
    const int head = find_axis(tensor, AXIS_HEAD);
    if (head >= 0) return head;
    return has_rows(tensor) ? 0 : -1;
}

// Where in its own order the tensor comes to an element of the storage; -1 if it never does.
static int64_t turn_of(const struct tensor *tensor, int64_t flat, int64_t *index) {
    const struct storage *storage = tensor->storage;
    const struct tensor whole = {
        .storage = tensor->storage, .ndim = 1, .shape = {storage->count}, .stride = {1}};
    const struct cell cell = {.tensor = whole, .index = {flat}};
    struct cell found;
    if (!cell_in_view(tensor, &cell, &found)) return -1;
    int64_t turn = 0;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        index[dim] = found.index[dim];
        turn = turn * tensor->shape[dim] + found.index[dim];
    }
    return turn;
}

static void draw_element(struct canvas *canvas, int row, int column, int box,
                         const struct cell *focus, const struct matrix *matrix, int64_t flat) {
    struct arena *arena = canvas->arena;
    const struct tensor *tensor = &focus->tensor;
    int64_t index[MAX_DIMS] = {0};
    const int64_t turn = turn_of(tensor, flat, index);
    const bool is_focus = flat == flat_index(tensor, focus->index);
    struct style style = {.dim = turn < 0, .reverse = is_focus};
    struct tensor number = {.storage = tensor->storage, .offset = flat};
    const int dim = lettered_dim(tensor);
    const char *letter = " ";
    if (turn >= 0 && dim >= 0) {
        const int64_t which = index[dim];
        letter = arena_format(arena, "%c", (char)('A' + which % 26));
        if (canvas->look.has_heat) {
            style.ramp = shown_ramp(canvas, RAMP_SEQUENTIAL);
            style.level = (int)(which * 3 + 1) % SEQUENTIAL_LEVELS;
        }
    }
    put_blanks(canvas, row, column, box, style);
    put_text(canvas, row, column, 1, letter, style);
    const char *text = matrix_number(arena, matrix, element(&number, index));
    put_right(canvas, row, column + 2, matrix->format.width, text, style);
    const char *order = turn < 0 ? "" : arena_format(arena, " #%" PRId64, turn + 1);
    put_text(canvas, row, column + 2 + matrix->format.width, box - 2 - matrix->format.width, order,
             style);
    if (is_focus)
        put_cursor(canvas, row, column + 2 + matrix->format.width - shown_width(canvas, text));
}

// What stands in the lines below: "13 A -0.3536 #7". Places and turns count from 1, as on the rest of the screen.
static const char *heading_text(struct arena *arena, const struct tensor *tensor) {
    const int dim = lettered_dim(tensor);
    const char *name = dim >= 0 ? axis_name(tensor, dim) : NULL;
    const char *letter =
        dim < 0 ? "" : arena_format(arena, "%s (A: first), ", name != NULL ? name : "first index");
    return arena_format(arena, "Left: place in memory. Each number's %svalue, #turn", letter);
}

static const char *walk_text(struct arena *arena, const struct tensor *tensor) {
    const int64_t numbers = tensor->storage->count;
    if (numbers == 1) return "This shape reads the only number: contiguous.";
    if (is_contiguous(tensor)) {
        return arena_format(arena,
                            numbers == count_of(shape_of(tensor))
                                ? "This shape reads the %" PRId64
                                  " numbers from front to back: contiguous."
                                : "This shape reads some of the %" PRId64
                                  " numbers, from front to back: contiguous.",
                            numbers);
    }
    struct text text = text_new(arena);
    text_add(&text, "Not contiguous: this shape reads the places");
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i < 8 && i < count; i++) {
        int64_t index[MAX_DIMS] = {0};
        index_at(shape_of(tensor), i, index);
        text_add_format(&text, "%s %" PRId64, i > 0 ? "," : "", flat_index(tensor, index) + 1);
    }
    text_add(&text, count > 8 ? ", …" : ".");
    return text.bytes;
}

// Lines above the numbers: first the legend, so many, then how this shape reads them. Returns how many there are.
static int heading_of(const struct canvas *canvas, const struct tensor *tensor, char ***lines,
                      int *legend) {
    struct arena *arena = canvas->arena;
    char **first, **then;
    const int width = canvas->columns - 2;
    *legend = wrap_shown(canvas, heading_text(arena, tensor), width, &first);
    const int walk = wrap_shown(canvas, walk_text(arena, tensor), width, &then);
    *lines = arena_array(arena, (size_t)(*legend + walk), sizeof **lines);
    for (int i = 0; i < *legend + walk; i++)
        (*lines)[i] = i < *legend ? first[i] : then[i - *legend];
    return *legend + walk;
}

int memory_rows(const struct canvas *canvas, const struct tensor *tensor,
                const struct matrix *matrix) {
    const int64_t lines = grid_of(canvas, tensor, matrix).lines;
    char **heading;
    int legend;
    return heading_of(canvas, tensor, &heading, &legend) + (int)(lines < 1000 ? lines : 1000);
}

void draw_memory(struct canvas *canvas, struct area area, const struct cell *cell,
                 const struct matrix *matrix) {
    struct arena *arena = canvas->arena;
    const struct tensor *tensor = &cell->tensor;
    const struct grid grid = grid_of(canvas, tensor, matrix);
    char **above;
    int legend, heading = heading_of(canvas, tensor, &above, &legend);
    if (heading >= area.rows) heading = 0; // it would leave no room for the numbers
    for (int i = 0; i < heading; i++)
        put_text(canvas, area.row + i, 1, canvas->columns - 1, above[i], i < legend ? DIM : BOLD);
    const int64_t lines = area.rows - heading < grid.lines ? area.rows - heading : grid.lines;
    int64_t first = flat_index(tensor, cell->index) / grid.columns - lines / 2;
    if (first > grid.lines - lines) first = grid.lines - lines;
    if (first < 0) first = 0;
    for (int64_t line = 0; line < lines; line++) {
        const int row = area.row + heading + (int)line;
        const int64_t start = (first + line) * grid.columns;
        const bool is_cut =
            (line == 0 && first > 0) || (line == lines - 1 && first + lines < grid.lines);
        if (is_cut) put_text(canvas, row, 0, 1, "…", BOLD);
        put_right(canvas, row, 1, START - 2, arena_format(arena, "%" PRId64, start + 1), DIM);
        for (int64_t i = 0; i < grid.columns && start + i < tensor->storage->count; i++) {
            draw_element(canvas, row, START + (int)i * (grid.box + 1), grid.box, cell, matrix,
                         start + i);
        }
    }
}
