#ifndef ONESTEP_TRACE_WHAT_IF_REASON_H
#define ONESTEP_TRACE_WHAT_IF_REASON_H

// Why a mistake changes nothing. A reason is given only if it holds of the run at hand, whatever its lesson.

#include "trace/run/run.h"

// The parameter of this USES_ bit, or of one of several, is off, so there is nothing to change: "nothing is dropped: p is 0".
// NULL if it is on, or the lesson does not use it.
const char *why_gone(const struct run *run, uint64_t lever);

// Is there a softmax of attention scores, and has each of them a single key to give weight to? Are its scores products
// of keys of a single number? False where none is found. Memory is taken from `arena`.
bool has_one_key(struct arena *arena, const struct run *run);
bool has_keys_of_one_number(struct arena *arena, const struct run *run);

// Is no sentence of a batch shorter than the others?
bool pads_nothing(struct arena *arena, const struct run *run);

// Is the prompt that a cache begins with a single token?
bool has_prompt_of_one(struct arena *arena, const struct run *run);

// Are queries and keys of rotary positions a single pair of features?
bool has_one_pair(struct arena *arena, const struct run *run);

// Do the same tokens stand again at the same positions?
bool shifts_nothing(struct arena *arena, const struct run *run);

// Are the parameters updated never; at most once?
bool makes_no_update(struct arena *arena, const struct run *run);
bool makes_one_update(struct arena *arena, const struct run *run);

// Is every temperature that logits are divided by 1?
bool has_temperature_one(struct arena *arena, const struct run *run);

#endif
