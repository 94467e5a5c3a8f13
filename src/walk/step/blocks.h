#ifndef ONESTEP_WALK_STEP_BLOCKS_H
#define ONESTEP_WALK_STEP_BLOCKS_H

// The blocks of a step's screen, and functions for the blocks of views.

#include "walk/step/screen.h"

extern const struct block title_block;    // lesson, what was changed, step
extern const struct block timeline_block; // the steps of the lesson, and the two beside this one
extern const struct block opening_block;  // what the lesson is for, at its first step
extern const struct block heading_block;  // of the paragraph
extern const struct block prose_block;    // its explanation
extern const struct block formula_block;
extern const struct block facts_block;    // shape, page, strides and invariants
extern const struct block matrices_block; // the numbers, or their order in memory
extern const struct block cell_block;     // what is known about the number under the cursor
extern const struct block source_block;   // the lines of C, or the line in PyTorch
extern const struct block keys_block;

// A paragraph as the slot's lines, wrapped at `width`; returns how many.
int want_lines(const struct screen *screen, struct slot *slot, const char *paragraph, int width);

// Draws the slot's lines from a column on; the last one is marked if lines are missing.
void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style);

// The `draw` of a block of lines.
void draw_plain_lines(struct screen *screen, const struct slot *slot);
void draw_bold_lines(struct screen *screen, const struct slot *slot);

// "2 of 3 (press ;), batch 1, head 2 (press .)": which step of the stop this is, and which page of its
// tensor; NULL if there is only one of each. has_room_beside_heading: do these words fit beside the heading?
const char *which_text(const struct screen *screen);
bool has_room_beside_heading(const struct screen *screen, const char *words);

// "scores[journey, starts]": the number under the cursor.
const char *focus_name(const struct screen *screen);

#endif
