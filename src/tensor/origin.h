#ifndef ONESTEP_TENSOR_ORIGIN_H
#define ONESTEP_TENSOR_ORIGIN_H

// Where numbers came from. Every storage carries one origin: the operation that filled it, its
// attributes, and copies of the views that it read. A view made later shares the storage and so the
// origin: an element resolves through its flat index.

#include <stdint.h>

#include "tensor/tensor.h"

enum operation {
    FROM_INPUT,   // typed in, read from a file, or a constant of the lesson
    FROM_FULL,    // ones, zeros, one number everywhere: `number`
    FROM_UNIFORM, // drawn: least + (most - least) * u, row by row, one draw an element
    FROM_NORMAL,  // drawn: normal_(0, 1)
    ADD,          // elementwise, operands broadcast
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    ABSOLUTE,
    RELU,
    LOG,
    MATMUL,        // operands a, b
    LINEAR,        // operands x, weight, and bias if there is one
    SOFTMAX,       // along `dim`
    LOG_SOFTMAX,   // along `dim`
    SUM,           // along `dim`
    MEAN,          // along `dim`
    VARIANCE,      // along `dim`, divided by n - 1
    LARGEST,       // of all elements (amax)
    TRIL,          // `diagonal`
    TRIU,          // `diagonal`
    TO_BOOL,       // not equal to zero
    MASKED_FILL,   // operands x, mask; `number` where the mask is true
    DROPOUT,       // operand x; probability `number`, drawn from `draws`
    CAT,           // operands joined along `dim`
    STACK,         // operands along a new dimension `dim`
    COPY,          // contiguous(), clone(): the operand's elements row by row
    EMBEDDING,     // operands ids, weight: row ids[i] of weight
    CROSS_ENTROPY, // operands logits, targets: mean of -log softmax(logits)[target]
    OPERATION_COUNT
};

// The two published ways to draw a Bernoulli mask; see generator.h.
enum bernoulli { MT19937, MCG31M1 };

// Which numbers of the generator an operation took.
struct draws {
    uint64_t seed;     // of the manual_seed before them
    uint64_t sequence; // which manual_seed of the run that was, from 1
    uint64_t first;    // 32-bit draws taken since that seed, before this operation
    uint64_t count;    // 32-bit draws taken by this operation
    enum bernoulli stream;
};

struct origin {
    enum operation operation;
    int operand_count;
    const struct tensor *operands;
    int dim;
    int diagonal;
    double number;      // FULL: the value; MASKED_FILL: the fill; DROPOUT: p
    float least, most;  // UNIFORM: bounds
    struct draws draws; // UNIFORM, NORMAL, DROPOUT
};

// What PyTorch calls the operation: "matmul", "softmax", "masked_fill", ...
const char *operation_name(enum operation operation);

// An origin in the arena with copies of `count` operands.
struct origin *origin_new(struct arena *arena, enum operation operation, int count,
                          const struct tensor *const *operands);

#endif
