#ifndef ONESTEP_LESSONS_WHOLE_GPT_H
#define ONESTEP_LESSONS_WHOLE_GPT_H

// GPT-2 small at full size, which is no lesson of the course: lists of all lessons leave it out. A program that has the fast
// kernels gives it ways to compute what step by step would take too long or too much memory.

#include "small_gpt.h"

// Tokens of all sentences, up to which every tensor of every block is a step. Above, only what comes behind the blocks is.
enum { MOST_WALKED_TOKENS = 64 };

struct gpt_ways {
    // Fails with FAIL_RUNTIME if this machine has no room for so many bytes.
    void (*make_room)(struct run *run, double bytes);
    // The result of the last block, [batch, tokens, d_model], without steps. Dropout as the run has it.
    struct tensor (*hidden)(struct run *run, const struct small_gpt *gpt,
                            struct tensor ids);
    // ids [batch, tokens] with `count` more behind each sentence, each time the most likely one; in evaluation mode.
    struct tensor (*go_on)(struct run *run, const struct small_gpt *gpt,
                           struct tensor ids, int64_t count);
};
extern struct gpt_ways gpt_ways;

// What leaves the last block: [batch, tokens, d_model]. Every tensor on the way is a step, up to MOST_WALKED_TOKENS.
struct tensor pass_blocks(struct run *run, const struct small_gpt *gpt,
                          struct tensor ids);

#endif
