#ifndef ONESTEP_APP_GPT2_H
#define ONESTEP_APP_GPT2_H

// The command `gpt2`: the four sizes of GPT-2, and one of its attention layers at full size.

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "tensor/fast/attention.h"

struct gpt2_size {
    const char *name;
    int64_t layers, width, heads;
};

enum { GPT2_SIZES = 4, GPT2_CONTEXT = 1024, GPT2_VOCABULARY = 50257 };
extern const struct gpt2_size gpt2_sizes[GPT2_SIZES];

// The size of that name, or NULL.
const struct gpt2_size *gpt2_size_by_name(const char *name);

enum {
    GPT2_MOST = 1000000000, // of --batch and --tokens; memory ends long before
    GPT2_SEED = 123,        // unless --seed says otherwise
};

struct gpt2_options {
    const struct gpt2_size *size; // NULL: all of them in the table, small in a run
    int64_t batch, tokens;        // 0: not given; both 0: the table
    uint64_t seed;
    bool bias;
    double dropout; // of weights; 0 in evaluation mode
    enum bernoulli stream;
    bool is_normal;    // the input is drawn by randn, not rand
    bool layers_first; // they are drawn before the input
    int threads;       // 0: as many as there are processors
    const char *path;  // where the whole output goes as .npy, NULL for nowhere
};

// Adds the table of sizes, or runs a layer, adds its output as PyTorch prints it, and writes the
// figures to standard error. Fails with FAIL_USAGE if there is not enough memory.
void add_gpt2(struct text *text, const struct gpt2_options *options);

// Which vectors to use: PATH_BEST, unless the environment's ONESTEP_KERNEL names others.
enum kernel_path wanted_path(struct arena *arena);

// On a terminal, says on standard error how far something is: "forward: 45 %". NULL takes it away.
void show_progress(const char *what, double done);

#endif
