#ifndef ONESTEP_SCRIPT_LESSON_REACH_H
#define ONESTEP_SCRIPT_LESSON_REACH_H

// How far changed lines reach in a lesson, as its text tells: a step that they do not reach, and that none of the reached ones
// needs, need not be run again.

#include "trace/run/run.h"

struct node;

// Fills `runs`, false before, an entry a step: has it to run, so that all steps that the changed lines of `run` may reach have their
// numbers? Returns the last of those, from 0. `run` is `right` with some statements or expressions changed; if none is, all have to:
// then whoever runs them wants to see them run. `trees` are those of the right run's statements, of the other's, an entry a step, and
// of the setup of both; NULL: it can't be read. Where it cannot be told, all have to.
int choose_steps(bool *runs, struct arena *arena, const struct run *right, const struct run *run,
                 const char *setup, const struct node *const *trees);

// May what the node does change an object that is there already?
bool changes_in_place(const struct node *node);

// Does a program define what may do so when it is called later?
bool defines_changes(const struct node *node);

#endif
