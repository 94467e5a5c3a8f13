#ifndef ONESTEP_TRACE_ARITHMETIC_H
#define ONESTEP_TRACE_ARITHMETIC_H

// The arithmetic of a derivation: computes an element once more from its operands, as the operation
// does, and writes down every number on the way. Readers of the trace want derivation.h.

#include "trace/derivation.h"

// A derivation whose operands are known and whose lines are being written.
struct reckoning {
    struct arena *arena;
    struct derivation *derivation;
    const struct storage *storage; // that the element lies in
    int digits;
};

// Fills in `recomputed` and the lines.
void reckon(struct arena *arena, struct derivation *derivation, const struct storage *storage,
            int digits);

// Adds a line, in printf's manner.
void say(struct reckoning *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A number as it stands, and behind a sign: "-0.5", "(-0.5)".
const char *figure(const struct reckoning *r, double value);
const char *bracketed(const struct reckoning *r, double value);

// Numbers that came from the generator (drawn.c): each says its lines and returns the value.
double reckon_uniform(struct reckoning *r);
double reckon_normal(struct reckoning *r);
double reckon_dropout(struct reckoning *r);

// In which order sum() adds: `count` numbers go to so many accumulators, number k to this one; each
// accumulator is summed on its own, then all of them from the first to the last. See reduce.c.
int64_t lanes_of_sum(int64_t count);
int64_t lane_of_addend(int64_t count, int64_t k);

#endif
