#ifndef ONESTEP_TENSOR_ROLE_H
#define ONESTEP_TENSOR_ROLE_H

// What numbers are for. Operations say how a storage was computed; its purpose says what it is in a model of
// attention. A layer's weight says what the layer makes, and operations carry that on: a layer of queries makes
// queries, queries times keys are scores, the softmax of scores are weights, weights times anything are context
// (each row in ops/ says its own). Arithmetic, number by number, keeps the role of its larger operand. What no operation
// can tell, a lesson says (trace/lesson.h); where it must and does not, trace/tape/lost_role.h says so.

struct storage;

enum role {
    ROLE_NONE,      // none that is known
    ROLE_EMBEDDING, // a table with a row for each word, or for each position
    ROLE_TOKENS,    // rows of the table of words
    ROLE_POSITIONS, // rows of the table of positions
    ROLE_HIDDEN, // what tokens become: tokens and positions added, and all that shortcuts add to these
    ROLE_NORMALIZED, // by LayerNorm
    ROLE_LATENT,     // what keys and values are made from
    ROLE_QUERIES,
    ROLE_KEYS,
    ROLE_VALUES,
    ROLE_SCORES, // scaled or not
    ROLE_MASK,
    ROLE_MASKED_SCORES,
    ROLE_WEIGHTS, // of attention: each row shares 1 among keys
    ROLE_DROPPED_WEIGHTS,
    // Of softmax by tiles, of the keys read so far: the largest score; e^(the largest before - the largest now), which
    // corrects what was added up before; the sum of powers of e; and the sum of values times these.
    ROLE_RUNNING_MAX,
    ROLE_RESCALE,
    ROLE_RUNNING_SUM,
    ROLE_RUNNING_RESULT,
    ROLE_CONTEXT,
    ROLE_OUTPUT, // of the projection behind the heads
    ROLE_LOGITS,
    ROLE_PROBABILITIES,
    ROLE_TARGETS, // ids that are to be predicted
    ROLE_LOSS,
    ROLE_LAYER_WEIGHT,
    ROLE_LAYER_BIAS,
    ROLE_GRADIENT,
    ROLE_OPTIMIZER_STATE,
    ROLE_COUNT
};

struct purpose {
    enum role role;
    // Of a layer's weight and bias: what the layer makes (ROLE_NONE: nothing that has a role), and which of the
    // run's layers that make it this one is, from 1. The second layer of queries belongs to the second of keys. Of a
    // table: what its rows are.
    enum role makes;
    int layer;
    // Of a gradient: what it is the gradient of. Of an optimizer's state: the parameter.
    const struct storage *of;
};

#endif
