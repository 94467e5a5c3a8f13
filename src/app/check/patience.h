#ifndef ONESTEP_APP_CHECK_PATIENCE_H
#define ONESTEP_APP_CHECK_PATIENCE_H

// How long a search for mistakes goes on, and what is told of it meanwhile.
//
//     struct patience patience = start_search(is_thorough);
//     for (int i = 0; i < count && goes_on(&patience, name_of(i), i, count); i++) try(i);
//     end_search();

#include <stdbool.h>

enum { SEARCH_SECONDS = 5 }; // that a search takes, unless it is thorough

struct patience {
    bool is_endless, is_over;
    double until, shown; // seconds of a clock that only goes forward
};

struct patience start_search(bool is_endless);

// Is there time for the next of `count` tries, number `i` from 0? Once there is none, there is none for any other.
// Where standard error is a terminal, it says what is tried, a few times a second.
bool goes_on(struct patience *patience, const char *what, int i, int count);

// Takes away what was said.
void end_search(void);

#endif
