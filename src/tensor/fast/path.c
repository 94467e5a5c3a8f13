#include "tensor/fast/path.h"

#include <stdbool.h>
#include <stddef.h>

#include "tensor/fast/kernel.h"
#include "tensor/fast/parallel.h"

static bool is_there(enum kernel_path path) {
#ifdef __x86_64__
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (path == PATH_AVX2) return has_avx2;
    if (path == PATH_AVX512)
        return has_avx2 && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
    return path == PATH_GENERIC || path == PATH_BEST;
}

const struct kernel *kernel_of(enum kernel_path path) {
#ifdef __x86_64__
    if ((path == PATH_BEST || path == PATH_AVX512) && is_there(PATH_AVX512)) return &kernel_avx512;
    if ((path == PATH_BEST || path == PATH_AVX2) && is_there(PATH_AVX2)) return &kernel_avx2;
#else
    (void)path;
#endif
    return &kernel_generic;
}

const struct kernel *kernel_for(enum kernel_path path, int64_t tokens) {
#ifdef __x86_64__
    const bool may_be_few = path == PATH_BEST || path == PATH_AVX2;
    if (may_be_few && tokens <= FEW_TOKENS && is_there(PATH_AVX2)) return &kernel_avx2_few;
#else
    (void)tokens;
#endif
    return kernel_of(path);
}

const char *kernel_path_name(enum kernel_path path) {
    return is_there(path) ? kernel_of(path)->name : NULL;
}

// ---- What the processor can do ------------------------------------------------------------------

struct spin {
    const struct kernel *kernel;
    int64_t rounds;
    double operations[MAX_THREADS];
};

static void spin(void *context, int64_t item, int thread) {
    struct spin *spin = context;
    (void)thread;
    spin->operations[item] = spin->kernel->spin(spin->rounds);
}

// Seconds of one try.
static double try_spin(struct spin *job, int threads, double *operations) {
    const double start = seconds_now();
    parallel_phases(threads, &(struct phase){spin, threads}, 1, job);
    const double seconds = seconds_now() - start;
    *operations = 0;
    for (int i = 0; i < threads; i++) *operations += job->operations[i];
    return seconds;
}

double kernel_peak(enum kernel_path path, int threads) {
    enum { TRIES = 6 };
    struct spin job = {.kernel = kernel_of(path), .rounds = 1000};
    double operations, peak = 0;
    while (try_spin(&job, threads, &operations) < 0.002) job.rounds *= 2;
    for (int i = 0; i < TRIES; i++) {
        const double seconds = try_spin(&job, threads, &operations);
        if (operations / seconds > peak) peak = operations / seconds;
    }
    return peak;
}
