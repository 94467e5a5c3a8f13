#ifndef ONESTEP_APP_CACHE_H
#define ONESTEP_APP_CACHE_H

// The command `help memory`: what a cache of keys and values takes at real sizes, in four ways of keeping less.

#include "base/text.h"

enum {
    CACHE_MOST_WIDTH = 1000000,
    CACHE_MOST_LAYERS = 10000,
    CACHE_MOST_TOKENS = 100000000,
};

// A model, and ways in which its cache is made smaller. 0: not given.
struct cache_options {
    int64_t width, heads, layers, tokens;
    int64_t groups;      // key-value heads; they divide `heads`
    int64_t window;      // tokens that a layer keeps ...
    int64_t full_layers; // ... but for these many layers, which keep all
    int64_t latent;      // numbers that keys and values are computed from
};

// Adds a table with a row for each way, and the sum behind each row; without any option, two examples. Fails with
// FAIL_USAGE where sizes do not go together.
void add_cache_sizes(struct text *text, const struct cache_options *options);

#endif
