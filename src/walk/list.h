#ifndef ONESTEP_WALK_LIST_H
#define ONESTEP_WALK_LIST_H

// The list of all lessons, with the sections and steps of the one on screen, to jump to.

#include "walk/canvas.h"
#include "walk/state.h"

// One line of the list: a lesson, a section's heading or a step.
struct entry {
    enum { ENTRY_LESSON, ENTRY_SECTION, ENTRY_STEP, ENTRY_FOUND } kind;
    int lesson;
    int step;                          // of ENTRY_STEP, from 0
    const struct paragraph *paragraph; // of ENTRY_FOUND, which may be in any lesson
};

struct list {
    int count;
    struct entry *entries;
};

// All lessons in order; the one of the state with its steps. In MODE_SEARCH: the paragraphs of all
// lessons that hold what was typed, in their words or their source, large and small letters alike.
struct list list_entries(struct arena *arena, const struct state *state,
                         const struct lesson *const *lessons, const struct run *run);

// The line that is chosen: state->selected, or the current step's where that is -1.
int list_selected(const struct list *list, const struct state *state);

// Moves the choice by some lines, over headings that cannot be chosen.
struct state list_move(const struct state *state, const struct list *list, int by);

// Steps that mistakes change (`touched`; NULL: none are made) are marked.
void draw_list(struct canvas *canvas, const struct list *list, const struct state *state,
               const struct lesson *const *lessons, const struct run *run, const bool *touched);

#endif
