#include "app/check/patience.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct patience start_search(bool is_endless) {
    return start_search_for(is_endless ? INFINITY : SEARCH_SECONDS,
                            isatty(STDERR_FILENO) == 1 ? stderr : NULL);
}

struct patience start_search_for(double seconds, FILE *terminal) {
    return (struct patience){.until = now(CLOCK_PROCESS_CPUTIME_ID) + seconds,
                             .told = now(CLOCK_MONOTONIC),
                             .terminal = terminal};
}

enum { COLUMNS = 60 };

bool goes_on(struct patience *patience, const char *what, int i, int count) {
    static const double PAUSE = 0.2;
    if (now(CLOCK_PROCESS_CPUTIME_ID) >= patience->until) patience->is_over = true;
    if (patience->is_over) return false;
    const double time = now(CLOCK_MONOTONIC);
    if (patience->terminal != NULL && time - patience->told >= PAUSE) {
        fprintf(patience->terminal, "\r%-*.*s", COLUMNS, COLUMNS, "");
        fprintf(patience->terminal, "\rtrying %.30s (%d of %d)", what, i + 1, count);
        patience->told = time;
    }
    return true;
}

void end_search(const struct patience *patience) {
    if (patience->terminal != NULL) fprintf(patience->terminal, "\r%*s\r", COLUMNS, "");
}
