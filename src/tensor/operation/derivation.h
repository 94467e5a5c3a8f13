#ifndef ONESTEP_TENSOR_OPERATION_DERIVATION_H
#define ONESTEP_TENSOR_OPERATION_DERIVATION_H

// Where did this number come from? Any cell of any tensor resolves, through the flat index that its
// view's strides give, to an element of a storage, and the storage's origin says how that element was
// computed: from which cells, by which arithmetic. Following an operand to its own derivation leads all
// the way to the input, or to a draw of the generator.

#include "tensor/origin.h"
#include "tensor/text/digits.h"

// One operand of a derivation.
struct operand {
    struct cell cell; // in the view that the operation read, with that view's axes
    double value;
    int number;       // which of the origin's operands it lies in, from 0
    const char *role; // what the operation calls that operand: "x", "weight", "bias", "mask", ...
};

enum { MOST_PARTS = 3 }; // of a line, before its first cell

struct derivation {
    const struct origin *origin;
    const char *operation; // PyTorch's name: "matmul", "softmax", ...; "tensor" for the input
    double value;
    double recomputed; // the value once more, from the operands below: the same bits

    int64_t flat_index;      // of the element in its storage, from 0
    int64_t index[MAX_DIMS]; // of the element in the shape that the operation filled

    int operand_count;
    struct operand
        *operands; // in the order in which they are used: a0, b0, a1, b1, ... of a product

    // The arithmetic for people, in UTF-8. The last line is the conclusion, complete in itself:
    // "0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 = 1.4754". Lines before it lead there: a
    // softmax's maximum, exponentials and sum; a draw's number and bits. A long line is not cut.
    int line_count;
    const char **lines;
    int part_end[MOST_PARTS]; // how many lines there are up to the end of each part of a line
};

// Derives a cell; numbers in the lines have `digits` digits after the point, or ALL_DIGITS. All in
// `arena`. Never fails but for want of memory.
struct derivation derive(struct arena *arena, const struct cell *cell, int digits);

// The same for whoever reads only the last line: of long sums, the others are left out.
struct derivation derive_conclusion(struct arena *arena, const struct cell *cell, int digits);

// The same without the arithmetic: no lines, and nothing computed again.
struct derivation find_operands(struct arena *arena, const struct cell *cell);

// Is the number a 0 through which nothing gets, because a mask or dropout put it there? A 0 that was computed is none.
bool is_hidden_by_mask(struct arena *arena, const struct cell *cell);

// ---- For the rows of operations ------------------------------------------------------------------

// A derivation whose operands are being collected.
struct finding {
    struct arena *arena;
    struct derivation *derivation;
    struct shape shape; // that the operation filled
    int64_t room;       // operands that there is memory for
};

const struct tensor *operand_tensor(const struct finding *finding, int number);

// Memory for so many operands at once, before the first is added: long sums have many. It may be left out.
void expect_operands(struct finding *finding, int64_t count);

// Adds the element of operand `number` at an index.
void add_operand(struct finding *finding, int number, const char *role, const int64_t *index);

// Adds the element that meets this one when shapes broadcast.
void add_broadcast(struct finding *finding, int number, const char *role);

// Adds every element of an operand, row by row.
void add_all(struct finding *finding, int number, const char *role);

// The element at the same index of the only operand, "x"; the whole line of it along the origin's `dim`.
void find_same(struct finding *finding);
void find_line(struct finding *finding);

// Is one of the operands hidden? For an operation whose result is 0 then.
bool hides_as_operands(struct arena *arena, const struct derivation *derivation);

#endif
