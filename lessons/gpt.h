#ifndef ONESTEP_LESSONS_GPT_H
#define ONESTEP_LESSONS_GPT_H

// What lessons say of the small GPT of lesson 7 when they meet it again.

#include "trace/lesson.h"

// What the model is made of, besides its embedding. One head has no W_out.
struct layers {
    struct layer W_query, W_key, W_value, W_out, W_ffn1, W_ffn2, W_logits;
};

// The tokens of all sentences, one below the other: flatten(0, 1).
struct tensor flat(tensor x);

// "0", "1", ..., and what positions are called: "p0", "p1", ...
const char *const *counted_from_0(struct run *run, int64_t count);
const char *const *position_names(struct run *run, int64_t count);

// x, a number for each pair of tokens, with the words of the input on its columns, and from the first one on its rows.
struct tensor name_tokens(struct run *run, tensor x, int64_t first);

// Fails with FAIL_USAGE if --off names a block or a head that the model does not have.
void check_off(struct run *run, int64_t blocks, int64_t heads);

#endif
