#ifndef ONESTEP_TENSOR_FAST_PATH_H
#define ONESTEP_TENSOR_FAST_PATH_H

// Which vectors the fast ways use: one source, kernel.c, for several kinds of processor.

#include <stdint.h>

// PATH_BEST stands for the widest that this processor has; one that it does not have, for the generic path,
// whose bits are the same.
enum kernel_path { PATH_GENERIC, PATH_AVX2, PATH_AVX512, PATH_BEST };

struct kernel;
const struct kernel *kernel_of(enum kernel_path path);
// The same for so many tokens: a few fill only some lanes of the widest vectors, so PATH_BEST takes narrower ones, and a
// kernel for no more tokens than these.
enum { FEW_TOKENS = 8 };
const struct kernel *kernel_for(enum kernel_path path, int64_t tokens);

// "generic", "avx2", "avx512"; NULL if this program on this processor does not have it.
const char *kernel_path_name(enum kernel_path path);

// The most floating-point operations a second that the path's multiply-adds reach with that many threads
// when they wait for nothing, in some 20 ms of trying.
double kernel_peak(enum kernel_path path, int threads);

#endif
