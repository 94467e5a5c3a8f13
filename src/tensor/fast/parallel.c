#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getaffinity on Linux
#endif
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE // the number of processors on macOS
#endif
#include "tensor/fast/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct job {
    const struct phase *phases;
    int count;
    void *context;
    atomic_llong next[MOST_PHASES]; // item to hand out
    atomic_llong done[MOST_PHASES]; // items
};

struct worker {
    struct job *job;
    int thread;
    pthread_t id;
};

static void do_phase(struct job *job, int number, int thread) {
    const struct phase *phase = &job->phases[number];
    for (;;) {
        const int64_t item = atomic_fetch_add(&job->next[number], 1);
        if (item >= phase->count) break;
        phase->work(job->context, item, thread);
        atomic_fetch_add(&job->done[number], 1);
    }
    while (atomic_load(&job->done[number]) < phase->count) sched_yield();
}

static void *do_phases(void *context) {
    const struct worker *worker = context;
    for (int i = 0; i < worker->job->count; i++) do_phase(worker->job, i, worker->thread);
    return NULL;
}

void parallel_phases(int threads, const struct phase *phases, int count, void *context) {
    struct job job = {.phases = phases, .count = count, .context = context};
    struct worker workers[MAX_THREADS];
    int64_t most = 0; // items of a phase: more threads would find none
    for (int i = 0; i < count; i++) most = phases[i].count > most ? phases[i].count : most;
    int started = 1;
    while (started < threads && started < MAX_THREADS && started < most) {
        struct worker *worker = &workers[started];
        *worker = (struct worker){.job = &job, .thread = started};
        if (pthread_create(&worker->id, NULL, do_phases, worker) != 0) break;
        started++;
    }
    workers[0] = (struct worker){.job = &job, .thread = 0};
    do_phases(&workers[0]);
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
