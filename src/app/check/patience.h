#ifndef ONESTEP_APP_CHECK_PATIENCE_H
#define ONESTEP_APP_CHECK_PATIENCE_H

// The limit of a search for mistakes, and its progress on standard error. The limit is one of work, in units of
// work_performed(): what a search finds depends neither on the machine nor on what else it does.
//
//     struct patience patience = start_search(is_thorough);
//     for (int i = 0; i < count && has_time(&patience, name_of(i), i, count); i++) try(i);
//     end_search(&patience);

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define SEARCH_WORK INT64_C(1000000000) // of a search that is not thorough: a second or two

struct patience {
    bool is_over;
    int64_t until; // work_performed() then
    double told;   // seconds of a monotonic clock
    FILE *terminal;
};

// A search of SEARCH_WORK, or ten times as much. Standard error is told, if it is a terminal.
struct patience start_search(bool is_thorough);

// A search of so much work, of which `terminal` is told; NULL: nothing is.
struct patience start_search_for(int64_t work, FILE *terminal);

// Is there work left for the next of `count` tries, number `i` from 0? Once there is none, there is none for any other.
// The terminal is told what is tried, a few times a second.
bool has_time(struct patience *patience, const char *what, int i, int count);

// Takes away what the terminal was told.
void end_search(const struct patience *patience);

#endif
