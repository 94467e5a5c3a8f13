#ifndef ONESTEP_APP_BENCH_H
#define ONESTEP_APP_BENCH_H

// The command `bench`: the fast attention against the readable one.

#include "base/text.h"

// Runs one attention layer of GPT-2 small on 128 ... 8192 tokens and adds a table of times, rates and
// memory. `threads` 0: as many as there are processors.
void add_bench(struct text *text, int threads);

#endif
