#ifndef ONESTEP_TESTS_LESSON_H
#define ONESTEP_TESTS_LESSON_H

// A lesson by its name; if there is none of that name, the test fails.

#include "lessons.h"

// Its number in lesson_table; and the lesson.
int lesson_number(const char *name);
const struct lesson *lesson_called(const char *name);

#endif
