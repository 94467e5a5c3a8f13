#ifndef ONESTEP_LESSONS_GPT_H
#define ONESTEP_LESSONS_GPT_H

// What lessons say of the small GPT of lesson 7 when they meet it again: its heads.

#include "trace/lesson.h"

// The tokens of all sentences, one below the other: flatten(0, 1).
struct tensor flat(tensor x);

// (batch, token, width) as (batch, head, token, head_dim), and back. `token` is what the axis of tokens means.
struct tensor split(struct run *run, tensor x, enum meaning token);
struct tensor merge(tensor x);

#endif
