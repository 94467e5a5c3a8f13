#ifndef ONESTEP_TENSOR_ORIGIN_H
#define ONESTEP_TENSOR_ORIGIN_H

// Where numbers came from. Every storage carries one origin: the operation that filled it, its
// attributes, and copies of the views that it read. A view made later shares the storage and so the
// origin: an element resolves through its flat index. What an operation is and does, its row says
// (ops/operation.h); this is one use of it.

#include <stdint.h>

#include "tensor/number/generator.h"
#include "tensor/tensor.h"

struct operation;

// The two published ways to draw a Bernoulli mask; see generator.h.
enum bernoulli { MT19937, MCG31M1 };

// Which numbers of the generator an operation took.
struct draws {
    uint64_t seed;      // of the manual_seed before them
    uint64_t sequence;  // which manual_seed of the run that was, from 1
    uint64_t first;     // 32-bit draws taken since that seed, before this operation
    uint64_t count;     // 32-bit draws taken by this operation
    bool has_normal;    // the generator still kept the second of a pair of normal numbers ...
    uint64_t normal_at; // ... that was drawn here
    bool keeps_normal;  // and keeps one afterwards
    enum bernoulli stream;
};

struct origin {
    const struct operation *operation;
    int operand_count;
    const struct tensor *operands;
    struct shape shape;  // of what is made without operands
    enum dtype dtype;    // of that, and of what is converted
    int dim;             // along which it works
    int diagonal;        // of a triangle
    int64_t times;       // that parts are repeated
    bool is_biased;      // a variance is divided by n, not by n - 1
    bool is_of_layer;    // a mean or a variance as layer_norm computes it (number/moments.h)
    double number;       // a constant, the fill of a mask, dropout's probability, a learning rate
    double decay;        // weight decay of an optimizer
    double beta1, beta2; // what Adam's means keep of their past
    float least, most;   // bounds of what is drawn evenly
    int64_t update;      // of a training, from 1
    bool is_coupled;     // the decay is part of the gradient, as in Adam
    bool is_uncorrected; // Adam's means as they are (ops.h)
    bool is_of_1_13;     // AdamW, norm and softmax's gradient as that PyTorch rounds them
    struct draws draws;  // of an operation that draws

    // Where an operation draws from, while it is performed; NULL at all other times.
    struct generator *generator;
};

#endif
