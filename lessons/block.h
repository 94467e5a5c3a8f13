#ifndef ONESTEP_LESSONS_BLOCK_H
#define ONESTEP_LESSONS_BLOCK_H

// What the files of the lesson on the block hand to each other: block.c has its parts, block_gpt.c the GPT that is made of
// them.

#include "small_gpt.h"

// Draws the small GPT of the run's parameters and goes through it, step by step.
void build_gpt(struct run *run);

#endif
