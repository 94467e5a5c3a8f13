#ifndef ONESTEP_APP_CHECK_PROGRESS_H
#define ONESTEP_APP_CHECK_PROGRESS_H

// What a terminal is told while a search runs. A page in a browser is told nothing (src/web/web.c).

#include <stdio.h>

// Standard error, if it is a terminal; else NULL.
FILE *progress_terminal(void);

// Seconds of a monotonic clock.
double progress_time(void);

// Tells the terminal (NULL: nobody) that number `i`, from 0, of `count` tries begins, unless it was told less than a fifth of
// a second ago; `told` is when.
void tell_progress(FILE *terminal, double *told, const char *what, int i, int count);

// Leaves an empty line.
void take_progress_back(FILE *terminal);

#endif
