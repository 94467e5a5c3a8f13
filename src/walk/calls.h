#ifndef ONESTEP_WALK_CALLS_H
#define ONESTEP_WALK_CALLS_H

// The calls and the loops of a program. A call with steps inside is one closed step, which shows its result, until it is
// entered; a loop shows its first two and its last two turns, and one that was asked for.

#include "walk/step/screen.h"
#include "walk/walker.h"

// In the place of the timeline: the steps in sight. In the place of the keys: with those that enter and leave a call.
extern const struct block calls_block, calls_keys_block;
// In the place of the source: with what the step printed below it.
extern const struct block printed_block;

// Is it a run whose steps stand in calls or in turns?
bool has_calls(const struct run *run);

// Enter the call whose result the step shows, or leave the one that it stands in; each says so where there is none.
void enter_call(struct walker *walker);
void leave_call(struct walker *walker);

// Runs the program again for a turn, as it was typed, and goes there.
void go_to_turn(struct walker *walker, const char *text);

// Says which turns were passed over on the way from a step (from 0) to this one, if any were.
void tell_turns_passed(struct walker *walker, int from);

#endif
