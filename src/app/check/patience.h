#ifndef ONESTEP_APP_CHECK_PATIENCE_H
#define ONESTEP_APP_CHECK_PATIENCE_H

// The time limit of a search for mistakes, and its progress on standard error. The limit is one of the processor's time:
// what a search finds does not depend on what else the machine does.
//
//     struct patience patience = start_search(is_thorough);
//     for (int i = 0; i < count && goes_on(&patience, name_of(i), i, count); i++) try(i);
//     end_search(&patience);

#include <stdbool.h>
#include <stdio.h>

enum { SEARCH_SECONDS = 5 }; // after which a search stops, unless it is thorough

struct patience {
    bool is_over;
    double until; // seconds of processor time of this process
    double told;  // seconds of a monotonic clock
    FILE *terminal;
};

// A search of SEARCH_SECONDS, or without an end. Standard error is told, if it is a terminal.
struct patience start_search(bool is_endless);

// A search of so many seconds (INFINITY: without an end), of which `terminal` is told; NULL: nothing is.
struct patience start_search_for(double seconds, FILE *terminal);

// Is there time for the next of `count` tries, number `i` from 0? Once there is none, there is none for any other.
// The terminal is told what is tried, a few times a second.
bool goes_on(struct patience *patience, const char *what, int i, int count);

// Takes away what the terminal was told.
void end_search(const struct patience *patience);

#endif
