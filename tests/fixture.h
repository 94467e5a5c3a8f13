#ifndef ONESTEP_TESTS_FIXTURE_H
#define ONESTEP_TESTS_FIXTURE_H

// What most tests begin with: an arena of the test that runs, and the failure of what it tries.

#include "base/arena.h"

extern struct failure failure;
extern struct arena arena;

// A fixture: makes the arena, and frees it.
void set_up_arena(void);
void tear_down_arena(void);

struct Suite;

// Another case of a suite, whose tests run between the two functions of a fixture (NULL: without one).
struct TCase *add_case(struct Suite *suite, const char *name, void (*set_up)(void),
                       void (*tear_down)(void));

#endif
