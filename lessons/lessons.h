#ifndef ONESTEP_LESSONS_LESSONS_H
#define ONESTEP_LESSONS_LESSONS_H

// All lessons, in the order of lessons/meson.build. The table is written when the program is built.

#include "trace/run/run.h"

extern const int lesson_count;
extern const struct lesson *const lesson_table[];

// Models at full size: they are taken where a lesson is, but they have no number and are in no list of all lessons. They
// belong to the end of their part.
extern const int model_count;
extern const struct lesson *const model_table[];

#endif
