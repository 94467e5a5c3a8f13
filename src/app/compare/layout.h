#ifndef ONESTEP_APP_COMPARE_LAYOUT_H
#define ONESTEP_APP_COMPARE_LAYOUT_H

// Two tensors that hold the same numbers in another layout: dimensions exchanged, split in two or merged (heads), dimensions of
// one. A dimension may be split only into whole dimensions of the other tensor: numbers that were refolded across dimensions,
// as by a view in the place of a transpose, are others.

#include "app/compare/side.h"

// Where each number of one tensor stands in another, row by row, by one layout.
struct layout {
    int count; // of dimensions, after all are split
    int64_t size[2 * MAX_DIMS], a[2 * MAX_DIMS], b[2 * MAX_DIMS]; // sizes and strides
};

// Calls `visit` for each layout in which `a` may be `b`, the likeliest first, until it returns true. Returns whether it did.
bool visit_layouts(struct shape a, struct shape b,
                   bool (*visit)(void *context, const struct layout *layout), void *context);

// Are they large, of recordings, and the same bit by bit?
bool have_same_bits(const struct place *a, const struct place *b);

// Adds up the numbers of all places once, which every comparison asks for.
void sum_up(struct side *side);

// Has `b` the numbers of `a`, in some layout? As far as rounding goes: `allowed` of either, or a part of its size. Scores that a
// mask made very negative are -inf, and masks that say the same in other numbers are the same.
bool have_same_numbers(const struct place *a, const struct place *b);

// Have they also the same shape, but for dimensions of one, and the numbers stand in the same order? Masks may be inverted.
bool are_in_same_order(const struct place *a, const struct place *b);

// Is `part` what stands in `whole` along one dimension of it from `at` on, the other dimensions being the same?
bool is_slice_at(const struct place *whole, const struct place *part, int dim, int64_t at);

// Is one of them a slice of the other along some dimension: a table with more positions, the half of one that is repeated? What a
// larger table `b` has beside the numbers of `a`, it has behind them.
bool is_slice_of_other(const struct place *a, const struct place *b);

// Where they differ: in the layout in which they differ least.
struct difference {
    bool is_comparable; // they have a layout in common
    int64_t count, different, worst_a, worst_b;
    double largest; // difference of those that are finite, at `worst`
    double part;    // root of the mean square of the differences, of the numbers' own
    struct layout layout;
};
struct difference difference_between(const struct place *a, const struct place *b);

// Which numbers of `a` are others in `b`, in the arena: of those that difference_between() found to be comparable.
bool *others_in_layout(struct arena *arena, const struct difference *difference,
                       const struct place *a, const struct place *b);

// The numbers of `b` in the places of `a`, in the arena.
double *in_layout_of(struct arena *arena, const struct difference *difference,
                     const struct place *b);

#endif
