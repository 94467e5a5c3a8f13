#ifndef ONESTEP_TENSOR_FAST_PANELS_H
#define ONESTEP_TENSOR_FAST_PANELS_H

// Tokens in panels (kernel.h), and the tiles in which a weight's rows meet them: what attention and any
// linear layer have in common. Each function here does one item of work, for parallel.h.

#include "base/arena.h"
#include "tensor/fast/kernel.h"
#include "tensor/tensor.h"

enum {
    GROUP = 4,       // panels that share what is fetched of a weight
    TILE_ROWS = 128, // rows of a weight in one item of work
};

// Sentences of as many tokens, each in panels of its own: [sentence][panel][features][width].
struct panels {
    const struct kernel *kernel;
    int64_t sentences, tokens, features;
    int64_t count; // of a sentence
    int64_t step;  // floats from one to the next
    float *at;
};

// Takes room for them from the arena; all numbers are 0 at first.
struct panels panels_new(struct arena *m, const struct kernel *kernel, int64_t sentences,
                         int64_t tokens, int64_t features);

// The first float of a sentence's panel, and how many of its tokens lie in `panels` panels from there.
float *packed_panel(const struct panels *panels, int64_t sentence, int64_t panel);
int64_t tokens_from(const struct panels *panels, int64_t panel, int64_t count);

// Item 0 ... sentences · count - 1: a panel of x, which is (sentences, tokens, features).
void fill_panel(const struct panels *panels, const float *x, int64_t item);

// TILE_ROWS rows of a weight that meet GROUP panels, or what is left of either.
struct tile {
    int64_t sentence, panel, panels; // panels from `panel` on
    int64_t row, rows;
    int64_t tokens; // in these panels
};

// How many tiles lie beside each other: the rows of a weight, cut.
int64_t tiles_across(int64_t rows);

// How many tiles a weight with `rows` rows makes, and one of them. The weight changes faster, so that a
// group of panels stays in the cache.
int64_t tile_count(const struct panels *panels, int64_t rows);
struct tile tile_at(const struct panels *panels, int64_t rows, int64_t item);

// Floating-point operations of a tile, a multiply-add being two.
int64_t tile_operations(const struct panels *panels, const struct tile *tile);

// What the kernel needs for a tile, but for where it goes. `weight` is (rows, features); `bias` (rows) or
// NO_TENSOR.
struct projection tile_projection(const struct panels *panels, const struct tile *tile,
                                  struct tensor weight, struct tensor bias);

// Computes a tile of a weight (d_out, features): the kernel's `project`, or for a product that is not large another way
// with the bits that the definition has there (number/tile.h).
void project_tile(const struct panels *panels, const struct tile *tile, int64_t d_out,
                  const struct projection *projection);

// Floats that project_to_rows takes as its room.
int64_t room_of_rows(const struct kernel *kernel);

// Computes a tile and writes it as rows of tokens: result is (sentences, tokens, d_out).
void project_to_rows(const struct panels *panels, const struct tile *tile, struct tensor weight,
                     struct tensor bias, float *room, float *result);

#endif
