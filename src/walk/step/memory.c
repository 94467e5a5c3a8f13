// The numbers of a step's tensor as they lie in memory.

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "trace/run/step.h"
#include "walk/step/screen.h"

// How the storage is laid out on the canvas: lines of `columns` numbers, as long as a row of the shape
// that was allocated, or as many as fit.
enum { START = 7 };

struct grid {
    int box;
    int64_t columns, lines;
};

static struct grid grid_of(const struct screen *screen) {
    const struct storage *storage = screen->step->tensor.storage;
    struct grid grid = {.box = screen->matrix->format.width + 5};
    for (int64_t number = storage->count; number >= 10; number /= 10) grid.box++; // digits of "#7"
    const int64_t fitting = (screen->canvas->columns - START) / (grid.box + 1);
    const struct shape shape = storage->shape;
    const int64_t last = shape.ndim > 0 ? shape.size[shape.ndim - 1] : 1, row = last > 0 ? last : 1;
    grid.columns = row < fitting ? fitting / row * row : fitting;
    if (grid.columns < 1) grid.columns = 1;
    grid.lines = (storage->count + grid.columns - 1) / grid.columns;
    return grid;
}

// Which dimension gives the letters: the heads if there are any, else the first of several.
static int lettered_dim(const struct tensor *tensor) {
    const int head = find_axis(tensor, AXIS_HEAD);
    return head >= 0 ? head : has_rows(tensor) ? 0 : -1;
}

// Where in its own order the tensor comes to an element of the storage, and at which index; -1 if it never does.
static int64_t place_in_order(const struct tensor *tensor, int64_t flat, int64_t *index) {
    struct storage *storage = tensor->storage;
    const struct cell cell = {
        .tensor = {.storage = storage, .ndim = 1, .shape = {storage->count}, .stride = {1}},
        .index = {flat}};
    struct cell found;
    if (!cell_in_view(tensor, &cell, &found)) return -1;
    int64_t position = 0;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        index[dim] = found.index[dim];
        position = position * tensor->shape[dim] + found.index[dim];
    }
    return position;
}

struct memory_number memory_number(const struct screen *screen, int64_t flat) {
    const struct tensor *tensor = &screen->step->tensor;
    const int dim = lettered_dim(tensor);
    int64_t index[MAX_DIMS] = {0};
    const int64_t position = place_in_order(tensor, flat, index);
    const bool has_letter = position >= 0 && dim >= 0;
    const int64_t which = has_letter ? index[dim] : 0;
    const int64_t none[MAX_DIMS] = {0};
    struct tensor number = {.storage = tensor->storage, .offset = flat};
    return (struct memory_number){
        .letter = has_letter ? (char)('A' + which % 26) : '\0',
        .level = (int)(which * 3 + 1) % SEQUENTIAL_LEVELS,
        .text = number_text(screen->canvas->arena, screen->matrix->format, element(&number, none)),
        .turn = position + 1,
        .is_focus = flat == flat_index(tensor, screen->cell.index),
    };
}

// "A -0.3536 #7"
static void draw_element(const struct screen *screen, int row, int column, int box, int64_t flat) {
    struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    const int width = screen->matrix->format.width;
    const struct memory_number number = memory_number(screen, flat);
    struct style style = {.dim = number.turn == 0, .reverse = number.is_focus};
    if (number.letter != '\0' && canvas->look.has_heat) {
        style.ramp = shown_ramp(canvas, RAMP_SEQUENTIAL);
        style.level = number.level;
    }
    put_blanks(canvas, row, column, box, style);
    if (number.letter != '\0')
        put_text(canvas, row, column, 1, arena_format(arena, "%c", number.letter), style);
    put_right(canvas, row, column + 2, width, number.text, style);
    const char *order = number.turn == 0 ? "" : arena_format(arena, " #%" PRId64, number.turn);
    put_text(canvas, row, column + 2 + width, box - 2 - width, order, style);
    if (number.is_focus)
        put_cursor(canvas, row, column + 2 + width - shown_width(canvas, number.text));
}

// "Not contiguous: this shape reads the places 1, 5, 9."
static const char *walk_text(struct arena *arena, const struct tensor *tensor) {
    enum { MOST = 8 };
    const int64_t numbers = tensor->storage->count, count = count_of(shape_of(tensor));
    if (numbers == 1) return "This shape reads the only number: contiguous.";
    if (is_contiguous(tensor))
        return arena_format(arena,
                            numbers == count ? "This shape reads the %" PRId64
                                               " numbers from front to back: contiguous."
                                             : "This shape reads some of the %" PRId64
                                               " numbers, from front to back: contiguous.",
                            numbers);
    struct text text = text_new(arena);
    text_add(&text, "Not contiguous: this shape reads the places");
    for (int64_t i = 0; i < MOST && i < count; i++) {
        int64_t index[MAX_DIMS] = {0};
        index_at(shape_of(tensor), i, index);
        text_add_format(&text, "%s %" PRId64, i > 0 ? "," : "", flat_index(tensor, index) + 1);
    }
    text_add(&text, count > MOST ? ", …" : ".");
    return text.bytes;
}

// Lines above the numbers: what stands in those below, "13 A -0.3536 #7", places and turns counted from 1 as on the rest of the
// screen; then how this shape reads them.
static const char *legend_of(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const int dim = lettered_dim(tensor);
    const char *name = dim >= 0 ? axis_name(tensor, dim) : NULL;
    const char *letter =
        dim < 0 ? "" : arena_format(arena, "%s (A: first), ", name != NULL ? name : "first index");
    return arena_format(arena, "Left: place in memory. Each number's %svalue, #turn", letter);
}

const char *memory_words(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    return arena_format(arena, "%s. %s", legend_of(screen),
                        walk_text(arena, &screen->step->tensor));
}

// Returns how many lines are of the first kind.
static int add_heading(const struct screen *screen, struct slot *lines) {
    struct arena *arena = screen->canvas->arena;
    const struct tensor *tensor = &screen->step->tensor;
    const int legend = add_paragraph(screen, lines, legend_of(screen), screen->width);
    (void)add_paragraph(screen, lines, walk_text(arena, tensor), screen->width);
    return legend;
}

int memory_rows(const struct screen *screen) {
    enum { MOST = 1000 };
    const int64_t lines = grid_of(screen).lines;
    struct slot heading = {0};
    (void)add_heading(screen, &heading);
    return heading.line_count + (int)(lines < MOST ? lines : MOST);
}

void draw_memory(const struct screen *screen, struct area area) {
    struct canvas *canvas = screen->canvas;
    const struct tensor *tensor = &screen->step->tensor;
    const struct grid grid = grid_of(screen);
    struct slot heading = {0};
    const int legend = add_heading(screen, &heading);
    const int above =
        heading.line_count < area.rows ? heading.line_count : 0; // or no number has room
    for (int i = 0; i < above; i++)
        put_text(canvas, area.row + i, 1, canvas->columns - 1, heading.lines[i],
                 i < legend ? DIM : BOLD);
    const int64_t lines = area.rows - above < grid.lines ? area.rows - above : grid.lines;
    int64_t first = flat_index(tensor, screen->cell.index) / grid.columns - lines / 2;
    if (first > grid.lines - lines) first = grid.lines - lines;
    if (first < 0) first = 0;
    for (int64_t line = 0; line < lines; line++) {
        const int row = area.row + above + (int)line;
        const int64_t start = (first + line) * grid.columns;
        const bool is_cut =
            (line == 0 && first > 0) || (line == lines - 1 && first + lines < grid.lines);
        if (is_cut) put_text(canvas, row, 0, 1, "…", BOLD);
        put_right(canvas, row, 1, START - 2, arena_format(canvas->arena, "%" PRId64, start + 1),
                  DIM);
        for (int64_t i = 0; i < grid.columns && start + i < tensor->storage->count; i++)
            draw_element(screen, row, START + (int)i * (grid.box + 1), grid.box, start + i);
    }
}
