#ifndef ONESTEP_WALK_MISTAKES_H
#define ONESTEP_WALK_MISTAKES_H

// The classic mistakes, to be made on purpose: a list of them, and of the chosen one what goes wrong,
// how it looks in PyTorch, and what it does to this lesson.

#include "walk/screen.h"

// What draw_mistakes wants: all mistakes, and the words of the chosen one.
int mistakes_rows(const struct canvas *canvas);

// Where there is less room, the words stay and the list is scrolled.
void draw_mistakes(struct canvas *canvas, const struct scene *scene, struct area area);

#endif
