#ifndef ONESTEP_TESTS_WALK_ROUTES_H
#define ONESTEP_TESTS_WALK_ROUTES_H

// Where a crawl goes, in the lesson that is on screen (walking.h).

#include "events.h"

// A sort of walks: how many there are, and the number-th of them. Its events begin empty, at the first step, on a screen of
// 80x24. Short walks are lined up in a long one, which is quicker.
struct sort {
    const char *name;
    int64_t (*count)(void);
    void (*make)(struct events *events, int64_t number, uint64_t seed);
};

// Those come first that show the most in the least time, and those at random last.
enum { SORTS = 5 };
extern const struct sort sorts[SORTS];

// The next number of a sequence at random, and the same below a count.
uint64_t next_random(uint64_t *state);
int64_t random_below(uint64_t *state, int64_t count);

#endif
