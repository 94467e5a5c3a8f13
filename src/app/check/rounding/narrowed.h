#ifndef ONESTEP_APP_CHECK_ROUNDING_NARROWED_H
#define ONESTEP_APP_CHECK_ROUNDING_NARROWED_H

// Numbers that were computed in a type with fewer bits than a float32: bfloat16, float16, TF32.

#include "app/check/checked.h"
#include "tensor/operation/precision.h"

// Compares as compare_checked() does. Where the numbers are wrong, it compares again by what the type holds that --dtype
// accepts, that `checked->precision` says, or that the numbers themselves tell: each may be off by that type's rounding, and
// by what comes of the same rounding in all steps before. VERDICT_ROUNDED if they are right so and nobody accepted that.
void compare_narrowed(struct arena *arena, struct checked *checked);

// The same, and finds the cause of wrong numbers, or what right ones would not show.
void judge(struct arena *arena, struct checked *checked);

// The type that the numbers themselves tell: by their dtype, or by the bits that all of them have and the right ones have not.
// NULL if they tell none, or have another shape, or are the right ones.
const struct precision *precision_told(struct arena *arena, const struct checked *checked);

// Are the numbers wrong, and have they more bits than a bfloat16 or a float16 keeps? Then the dump is of neither.
bool are_finer(struct arena *arena, const struct checked *checked);

// "the numbers are those of bfloat16, which keeps 8 bits of each, where float32 keeps 24; ...": the cause, and what to do.
const char *narrowed_text(struct arena *arena, const struct precision *precision);

#endif
