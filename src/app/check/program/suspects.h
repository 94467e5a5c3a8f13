#ifndef ONESTEP_APP_CHECK_PROGRAM_SUSPECTS_H
#define ONESTEP_APP_CHECK_PROGRAM_SUSPECTS_H

// Tensors of a program that have a step's name and other numbers: which of them are wrong.

#include "app/check/program/tensors.h"

// Marks the suspects of a program that came to its end, and those that are excused (struct program_tensor).
void mark_suspects(struct arena *arena, struct matched *matched, const struct wanted *wanted);

// Has the tensor the numbers of a step that an earlier tensor has, and the name of one that the program should have and has
// not: `targets` with the numbers of `inputs`?
bool is_copy_of_other(const struct matched *matched, const struct wanted *wanted, int position);

// Numbers that are all the same, such as the sums of rows of weights, tell nothing of what they were made of.
bool is_even(const struct values *values);

// Is it a word of a name, or several: "targets" of "window_targets"?
bool has_word(const char *name, const char *word);

// Has the tensor the numbers of a step behind all steps of its name, in the step's group? The lesson calls it otherwise, as `keys` that are split into
// heads at once.
bool is_later_step(const struct wanted *wanted, const struct program_tensor *tensor);

#endif
