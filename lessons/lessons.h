#ifndef ONESTEP_LESSONS_LESSONS_H
#define ONESTEP_LESSONS_LESSONS_H

// All lessons, in the order of lessons/meson.build. The table is written when the program is built.

#include "trace/run/run.h"

extern const int lesson_count;
extern const struct lesson *const lesson_table[];

#endif
