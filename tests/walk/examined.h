#ifndef ONESTEP_TESTS_WALK_EXAMINED_H
#define ONESTEP_TESTS_WALK_EXAMINED_H

// A walk (walking.h) that is looked at after each event. What is wrong is said on stderr, and ends the process: a crawl
// has one for each line of events, so what a sanitizer says is of no other.

#include "events.h"

// Does what happens behind the first `done` events, from the step on, or from that of the last of these. After each event
// and before the first one, a frame is drawn as it is in the terminal, and:
//
// - the cursor is on the canvas;
// - the same frame comes of nothing that is remembered of the matrices of other frames;
// - the number under the cursor and the one in the line below are the cell's.
//
// In the end, and before the walk begins again, Esc and q lead out; and the step's screen is the one that a new walker
// draws which starts from the same parameters, mistakes and place, if these are not the course's. Writes a character for
// each event and each frame, as it is done with it, to a file descriptor. Comes back early where the walk is to begin again
// and the lesson would have to be run again.
enum { EVENT_DONE = 'e', FRAME_DRAWN = 'f' };
void examine(const struct events *events, int done, int reports_to);

#endif
