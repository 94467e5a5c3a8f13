#ifndef ONESTEP_TESTS_SAMPLE_H
#define ONESTEP_TESTS_SAMPLE_H

#include <stdlib.h>

// Of so many of a test's cases one is taken: of `usual`, but of every one among the slow tests
// (ONESTEP_TESTS_SLOW), and of eight times as many where each takes long: under sanitizers in .ci/run
// (ONESTEP_TESTS_STRIDE).
static inline int one_in(int usual) {
    if (getenv("ONESTEP_TESTS_SLOW") != NULL) return 1;
    return getenv("ONESTEP_TESTS_STRIDE") != NULL ? 8 * usual : usual;
}

#endif
