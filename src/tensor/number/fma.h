#ifndef ONESTEP_TENSOR_NUMBER_FMA_H
#define ONESTEP_TENSOR_NUMBER_FMA_H

// Loops of fmaf. Where the processor has the instruction, they are built for it: otherwise fmaf is a call
// of the C library, which gives the same bits, but takes longer than what it does.
//
//     static ALWAYS_INLINE void loop(...) { ... fmaf(...) ... }
//     WITH_FMA static void loop_with_fma(...) { loop(...); }
//
//     void public(...) {
//         if (has_fma()) loop_with_fma(...);
//         else loop(...);
//     }

#include <stdbool.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

#ifdef __x86_64__
#define WITH_FMA __attribute__((target("fma")))

static inline bool has_fma(void) {
    return __builtin_cpu_supports("fma");
}
#else
#define WITH_FMA

static inline bool has_fma(void) {
    return true;
}
#endif

#endif
