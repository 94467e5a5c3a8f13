#define _GNU_SOURCE      // sched_getaffinity on Linux
#define _DARWIN_C_SOURCE // the number of processors on macOS
#include "tensor/fast/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct job {
    item_work *work;
    void *context;
    int64_t count;
    atomic_llong next; // item to hand out
};

struct worker {
    struct job *job;
    int thread;
    pthread_t id;
};

static void *do_items(void *context) {
    const struct worker *worker = context;
    struct job *job = worker->job;
    for (;;) {
        const int64_t item = atomic_fetch_add(&job->next, 1);
        if (item >= job->count) return NULL;
        job->work(job->context, item, worker->thread);
    }
}

void parallel_for(int threads, int64_t count, item_work *work, void *context) {
    struct job job = {.work = work, .context = context, .count = count};
    struct worker workers[MAX_THREADS];
    int started = 1;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    while (started < threads && started < count) {
        struct worker *worker = &workers[started];
        *worker = (struct worker){.job = &job, .thread = started};
        if (pthread_create(&worker->id, NULL, do_items, worker) != 0) break;
        started++;
    }
    workers[0] = (struct worker){.job = &job, .thread = 0};
    do_items(&workers[0]);
    for (int i = 1; i < started; i++) pthread_join(workers[i].id, NULL);
}

int processor_count(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
