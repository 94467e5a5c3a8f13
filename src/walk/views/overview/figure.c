// The overview as a figure: all heads of all layers, for who clicks.

#include "walk/views/overview/overview.h"

#include <math.h>

#include "base/text.h"
#include "show/figure.h"
#include "show/heat.h"
#include "show/markup.h"

// What is measured of it, in pixels.
struct head_block {
    double left, side, row, width, height; // of a head: what is left of it, a weight's side
    int64_t first, rows;                   // queries: all, or where there are many, the chosen one
};

static struct head_block block_of(const struct drawing *drawing) {
    enum {
        SIDE = 18,
        MOST_ROWS = 16,
        LEAST_WIDTH = 36,
        MOST_WIDTH = 216,
        WORDS = 36,
        BETWEEN = 18
    };
    const int64_t tokens = drawing->survey->tokens, keys = drawing->survey->keys;
    struct head_block block = {.side = SIDE, .rows = tokens};
    if (tokens > MOST_ROWS) {
        block.rows = 1;
        block.first = chosen_query(drawing->survey, drawing->overview);
    }
    if ((double)keys * block.side > MOST_WIDTH) block.side = MOST_WIDTH / (double)keys;
    for (int64_t i = 0; i < block.rows; i++)
        block.left = fmax(block.left, figure_width(token_name(drawing, block.first + i)) + 12);
    block.row = SIDE;
    block.width = fmax(LEAST_WIDTH, (double)keys * block.side); // "head 12" has room above it
    block.height = (double)block.rows * block.row + WORDS + BETWEEN;
    return block;
}

// A link to a place, which is marked if the cursor is there, with an area behind what is in it, which words show only then.
static void open_place(struct text *text, const struct drawing *drawing, int place, bool is_words,
                       const char *name, const double box[4]) {
    const bool is_here = place == cursor_place(drawing->survey, drawing->overview);
    const char *fill = is_words && !is_here ? "transparent;stroke:none" : "var(--panel)";
    text_add_format(text, "<a href=\"#pick:%d\" aria-label=\"", place);
    markup_add(text, name);
    text_add_format(
        text,
        "\"%s><rect class=\"node\" style=\"fill:%s\" rx=\"2\" x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" "
        "height=\"%.6g\"/>",
        is_here ? " class=\"here\"" : "", fill, box[0], box[1], box[2], box[3]);
}

static void add_head(struct text *text, const struct drawing *drawing,
                     const struct head_block *block, int layer, int64_t head, double x, double y) {
    const struct step *step = drawing->survey->layers[layer];
    const int64_t keys = size_along(&step->tensor, AXIS_KEY);
    const double box[] = {x - 3, y - 3, block->width + 6, (double)block->rows * block->row + 6};
    const char *name = arena_format(text->arena, "head %lld", (long long)head + 1);
    const int64_t chosen = chosen_query(drawing->survey, drawing->overview);
    open_place(text, drawing, place_number(layer, head), false,
               arena_format(text->arena, "%s, %s", name_of_layer(step), name), box);
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t query = block->first + i;
        for (int key = 0; key < keys; key++) {
            const double share = share_of(drawing, &step->tensor, head, query, key, (int)keys);
            if (is_future(drawing, keys, key, query, share)) continue;
            const double side = block->width / (double)keys;
            text_add_format(text,
                            "<rect style=\"fill:%s\" x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" "
                            "height=\"%.6g\"/>",
                            heat_words(text->arena, RAMP_SEQUENTIAL, share_level(share)).paper,
                            x + key * side, y + (double)i * block->row, side - (side > 4),
                            block->row - 1);
        }
        if (query == chosen)
            text_add_format(text,
                            "<rect style=\"fill:none;stroke:var(--ink)\" x=\"%.6g\" y=\"%.6g\" "
                            "width=\"%.6g\" height=\"%.6g\"/>",
                            x - 1, y + (double)i * block->row - 1, block->width + 1,
                            block->row + 1);
    }
    text_add(text, "</a>");
    figure_words(text, (struct figure_spot){x, y - 7}, "start", "quiet", name);
}

static void add_layer(struct text *text, const struct drawing *drawing,
                      const struct head_block *block, int layer, double y) {
    enum { NAME = 14, ROWS = 36, BASE = 13, BETWEEN = 16 };
    const struct step *step = drawing->survey->layers[layer];
    const char *name = name_of_layer(step);
    const double box[] = {1, y - 1, figure_width(name) + 10, NAME + 6};
    open_place(text, drawing, place_number(layer, -1), true, name, box);
    figure_words(text, (struct figure_spot){5, y + NAME}, "start", "words", name);
    text_add(text, "</a>");
    for (int64_t i = 0; i < block->rows; i++) {
        const int64_t token = block->first + i;
        const double top = y + ROWS + (double)i * block->row;
        const bool is_chosen = token == chosen_query(drawing->survey, drawing->overview);
        const char *word = token_name(drawing, token);
        const double around[] = {1, top, block->left - 6, block->row - 1};
        open_place(text, drawing, place_number(-1, token), true, word, around);
        text_add_format(text, "<g%s>", is_chosen ? " style=\"font-weight:700\"" : "");
        figure_words(text, (struct figure_spot){block->left - 9, top + BASE}, "end", "words quiet",
                     word);
        text_add(text, "</g></a>");
    }
    for (int64_t head = 0; head < size_along(&step->tensor, AXIS_HEAD) || head == 0; head++)
        add_head(text, drawing, block, layer, head,
                 block->left + 4 + (double)head * (block->width + BETWEEN), y + ROWS);
}

const char *overview_figure(const struct drawing *drawing, const char *title, const char *words) {
    enum { BETWEEN = 16, EDGE = 4 };
    const struct survey *survey = drawing->survey;
    const struct head_block block = block_of(drawing);
    struct text svg = text_new(drawing->canvas->arena);
    const struct figure_spot size = {block.left + (double)survey->heads * (block.width + BETWEEN),
                                     survey->layer_count * block.height + EDGE};
    figure_open(&svg, size, NULL, title, words);
    for (int layer = 0; layer < survey->layer_count; layer++)
        add_layer(&svg, drawing, &block, layer, layer * block.height + EDGE);
    figure_close(&svg);
    return svg.bytes;
}
