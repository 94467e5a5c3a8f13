#ifndef ONESTEP_SCRIPT_RECORDING_AXES_H
#define ONESTEP_SCRIPT_RECORDING_AXES_H

// What the dimensions of recorded tensors count, as far as their sizes and operations tell it.

#include "script/recording/recorded.h"

// A dimension that is as long as a sentence is one of tokens, but the last only of ids: it mostly counts features.
void label_tokens(const struct recording *recording, struct tensor *tensor);

// Softmax over keys makes attention weights; whoever reads a run finds them by their role, and their axes.
void note_weights(struct recorded_run *recorded, const struct recording *recording);

#endif
