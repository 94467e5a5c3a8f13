#include "app/check/patience.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct patience start_search(bool is_endless) {
    const double start = now();
    return (struct patience){
        .is_endless = is_endless, .until = start + SEARCH_SECONDS, .shown = start};
}

enum { COLUMNS = 60 };

bool goes_on(struct patience *patience, const char *what, int i, int count) {
    static const double PAUSE = 0.2;
    const double time = now();
    if (!patience->is_endless && time >= patience->until) patience->is_over = true;
    if (patience->is_over) return false;
    if (time - patience->shown >= PAUSE && isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, "\r%-*.*s", COLUMNS, COLUMNS, "");
        fprintf(stderr, "\rtrying %.30s (%d of %d)", what, i + 1, count);
        patience->shown = time;
    }
    return true;
}

void end_search(void) {
    if (isatty(STDERR_FILENO) == 1) fprintf(stderr, "\r%*s\r", COLUMNS, "");
}
