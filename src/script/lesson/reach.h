#ifndef ONESTEP_SCRIPT_LESSON_REACH_H
#define ONESTEP_SCRIPT_LESSON_REACH_H

// How far changed lines reach in a lesson, as its text tells: behind the last step that may be another one, the lesson need not be
// run again.

#include "trace/run/run.h"

struct node;

// The last step (from 0) that the changed lines of `run` may reach, of `right` with some statements or expressions changed; the last of
// all if none is changed: then whoever runs them wants to see them run. `trees` are those of the right run's statements, of the other's, an entry a step, and of the setup of both; NULL: it
// can't be read. Where it cannot be told, it is the last step of all.
int last_reached(struct arena *arena, const struct run *right, const struct run *run,
                 const char *setup, const struct node *const *trees);

// May what the node does change an object that is there already?
bool changes_in_place(const struct node *node);

// Does a program define what may do so when it is called later?
bool defines_changes(const struct node *node);

#endif
