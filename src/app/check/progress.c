#include "app/check/progress.h"

#include <time.h>
#include <unistd.h>

enum { COLUMNS = 60 };

FILE *progress_terminal(void) {
    return isatty(STDERR_FILENO) == 1 ? stderr : NULL;
}

double progress_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void tell_progress(FILE *terminal, double *told, const char *what, int i, int count) {
    static const double PAUSE = 0.2;
    if (terminal == NULL) return;
    const double time = progress_time();
    if (time - *told < PAUSE) return;
    fprintf(terminal, "\r%-*.*s", COLUMNS, COLUMNS, "");
    fprintf(terminal, "\rtrying %.30s (%d of %d)", what, i + 1, count);
    *told = time;
}

void take_progress_back(FILE *terminal) {
    if (terminal != NULL) fprintf(terminal, "\r%*s\r", COLUMNS, "");
}
