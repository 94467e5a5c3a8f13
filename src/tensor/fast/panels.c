#include "tensor/fast/panels.h"

#include "tensor/number/product.h"

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

struct panels panels_new(struct arena *m, const struct kernel *kernel, int64_t sentences,
                         int64_t tokens, int64_t features) {
    struct panels panels = {
        .kernel = kernel,
        .sentences = sentences,
        .tokens = tokens,
        .features = features,
        .count = divide_up(tokens, kernel->width),
        .step = features * kernel->width,
    };
    panels.at = arena_array(m, (size_t)sentences * (size_t)panels.count,
                            sizeof(float) * (size_t)panels.step);
    return panels;
}

float *packed_panel(const struct panels *panels, int64_t sentence, int64_t panel) {
    return panels->at + (sentence * panels->count + panel) * panels->step;
}

int64_t tokens_from(const struct panels *panels, int64_t panel, int64_t count) {
    const int64_t width = panels->kernel->width;
    return least(count * width, panels->tokens - panel * width);
}

void fill_panel(const struct panels *panels, const float *x, int64_t item) {
    const int64_t sentence = item / panels->count, panel = item % panels->count;
    const int64_t first = sentence * panels->tokens + panel * panels->kernel->width;
    panels->kernel->pack(x + first * panels->features, tokens_from(panels, panel, 1),
                         panels->features, packed_panel(panels, sentence, panel));
}

int64_t tiles_across(int64_t rows) {
    return divide_up(rows, TILE_ROWS);
}

int64_t tile_count(const struct panels *panels, int64_t rows) {
    return panels->sentences * divide_up(panels->count, GROUP) * tiles_across(rows);
}

struct tile tile_at(const struct panels *panels, int64_t rows, int64_t item) {
    const int64_t across = tiles_across(rows), groups = divide_up(panels->count, GROUP);
    const int64_t group = item / across, row = item % across * TILE_ROWS;
    const int64_t panel = group % groups * GROUP, count = least(GROUP, panels->count - panel);
    return (struct tile){
        .sentence = group / groups,
        .panel = panel,
        .panels = count,
        .row = row,
        .rows = least(TILE_ROWS, rows - row),
        .tokens = tokens_from(panels, panel, count),
    };
}

int64_t tile_operations(const struct panels *panels, const struct tile *tile) {
    return 2 * tile->rows * panels->features * tile->tokens;
}

struct projection tile_projection(const struct panels *panels, const struct tile *tile,
                                  struct tensor weight, struct tensor bias) {
    return (struct projection){
        .weight = floats_of(&weight) + tile->row * panels->features,
        .bias = is_tensor(&bias) ? floats_of(&bias) + tile->row : NULL,
        .rows = tile->rows,
        .depth = panels->features,
        .panels = packed_panel(panels, tile->sentence, tile->panel),
        .tokens = tile->tokens,
        .panel_step = panels->step,
    };
}

// As the kernel's `project`, in the order of a product that is not large (number/tile.h): `entry` is that of the first token.
static void project_small(const struct projection *p, int64_t width, struct entry entry) {
    const struct columns weight = {{p->weight, 1, p->depth}, p->depth, p->rows};
    for (int64_t token = 0; token < p->tokens; token++, entry.row++) {
        float sums[TILE_ROWS];
        for (int64_t n = 0; n < p->rows; n++) sums[n] = p->bias != NULL ? p->bias[n] : 0;
        const float *x = p->panels + token / width * p->panel_step + token % width;
        add_fused_products((struct line){x, width, p->depth}, weight, entry, sums);
        float *out = p->out + token / width * p->out_step + token % width;
        for (int64_t n = 0; n < p->rows; n++) out[n * p->row_step] = sums[n];
    }
}

void project_tile(const struct panels *panels, const struct tile *tile, int64_t d_out,
                  const struct projection *projection) {
    const int64_t width = panels->kernel->width;
    const struct entry first = {
        .row = tile->sentence * panels->tokens + tile->panel * width,
        .column = tile->row,
        .rows = panels->sentences * panels->tokens,
        .inner = panels->features,
        .columns = d_out,
    };
    if (is_large_product(first.rows, first.inner, first.columns))
        panels->kernel->project(projection);
    else
        project_small(projection, width, first);
}

int64_t room_of_rows(const struct kernel *kernel) {
    return (int64_t)GROUP * TILE_ROWS * kernel->width;
}

void project_to_rows(const struct panels *panels, const struct tile *tile, struct tensor weight,
                     struct tensor bias, float *room, float *result) {
    const struct kernel *kernel = panels->kernel;
    const int64_t width = kernel->width, d_out = weight.shape[0];
    struct projection projection = tile_projection(panels, tile, weight, bias);
    projection.out = room;
    projection.row_step = width;
    projection.out_step = TILE_ROWS * width;
    project_tile(panels, tile, d_out, &projection);
    for (int64_t i = 0; i < tile->panels; i++) {
        const int64_t token = tile->sentence * panels->tokens + (tile->panel + i) * width;
        kernel->unpack(room + i * projection.out_step, tokens_from(panels, tile->panel + i, 1),
                       tile->rows, result + token * d_out + tile->row, d_out);
    }
}
