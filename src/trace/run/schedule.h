#ifndef ONESTEP_TRACE_RUN_SCHEDULE_H
#define ONESTEP_TRACE_RUN_SCHEDULE_H

// How far the updates of a training go: warmup, cosine decay and clipping, as appendix D of the book has them
// (S. Raschka, "Build a Large Language Model (From Scratch)", train_model).

#include "trace/run/parameters.h"

// What a line of PyTorch ends in that a run has only if its rates change, or if it clips (run_statement).
#define RATES_ONLY "  # {rates}"
#define CLIP_ONLY "  # {clip}"

// Does the rate change from update to update? Are gradients clipped?
bool has_rates(const struct parameters *parameters);
bool has_clipping(const struct parameters *parameters);

// The learning rate of an update, from 1. In the warmup it grows from a hundredth of lr to lr, then it falls like a
// cosine towards a thousandth.
double learning_rate(const struct parameters *parameters, int64_t update);

// Is this update clipped? Those of the warmup are not.
bool is_clipped(const struct parameters *parameters, int64_t update);

#endif
