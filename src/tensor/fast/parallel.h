#ifndef ONESTEP_TENSOR_FAST_PARALLEL_H
#define ONESTEP_TENSOR_FAST_PARALLEL_H

// Work that falls into independent items, done by several threads.

#include <stdint.h>

enum { MAX_THREADS = 256 };

// Does one item; `thread` is 0 ... threads - 1, 0 being the caller's own.
typedef void item_work(void *context, int64_t item, int thread);

// Independent items, 0 ... count - 1.
struct phase {
    item_work *work;
    int64_t count;
};

enum { MOST_PHASES = 8 };

// Calls phase.work(context, item, thread) for every item of every phase, each once, in `threads` threads (1
// ... MAX_THREADS; the caller is one of them). Items are handed out in order, one at a time, to whoever is
// free, so a long one never keeps the others waiting. A phase begins when all items of the one before are
// done; threads wait for that without going to sleep, since it takes less time than waking up. There are at
// most MOST_PHASES. Returns when all is done. If the system gives fewer threads, those that there are do the work. `work` must not fail().
void parallel_phases(int threads, const struct phase *phases, int count, void *context);

// The number of processors that this process may use, at least 1.
int processor_count(void);

// Seconds on a clock that only goes forward.
double seconds_now(void);

#endif
