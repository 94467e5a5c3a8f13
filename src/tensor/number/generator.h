#ifndef ONESTEP_TENSOR_NUMBER_GENERATOR_H
#define ONESTEP_TENSOR_NUMBER_GENERATOR_H

// PyTorch's random numbers on the processor: the Mersenne Twister MT19937 (Matsumoto and Nishimura
// 1998), seeded as torch.manual_seed does, and what PyTorch makes of its 32-bit draws.
//
//     struct generator generator;                     import torch
//     manual_seed(&generator, 123);                   torch.manual_seed(123)
//     random_float(&generator);     0.2961119...      torch.rand(1)      tensor([0.2961])
//     random_float(&generator);     0.5165623...      torch.rand(1)      tensor([0.5166])

#include <stdbool.h>
#include <stdint.h>

enum { MT19937_SIZE = 624 };

struct generator {
    uint32_t state[MT19937_SIZE];
    int next;           // next word of the state to hand out
    uint64_t seed;      // as given
    uint64_t drawn;     // 32-bit draws since the seed
    uint64_t sequence;  // which seed of a run this is, for who counts them; manual_seed puts 0
    float normal;       // the sine of the last Box-Muller pair, kept for the next call
    uint64_t normal_at; // draws before that pair
    bool has_normal;
};

// Starts the sequence of `seed`. Only its low 32 bits count, as in PyTorch; a negative seed -s is
// 2^64 - s.
void manual_seed(struct generator *generator, uint64_t seed);

// Goes on to the draw number `drawn` (0 is the first after the seed) without using those between.
void skip_to(struct generator *generator, uint64_t drawn);

// The next 32 bits.
uint32_t random_bits(struct generator *generator);

// Uniform in [0, 1): the low 24 bits of one draw, times 2^-24.
float random_float(struct generator *generator);

// The next `count` of them, several at once.
void random_floats(struct generator *generator, float *values, int64_t count);

// Uniform in [0, 1): 53 bits of two draws (the first is the high half), times 2^-53.
double random_double(struct generator *generator);

// Fills `values` with `count` normal numbers, mean 0 and variance 1, in PyTorch's two ways (normal.h). A
// block or more: uniform floats first, then in blocks of 16 the numbers j and j + 8 become a pair; a
// ragged end draws the last 16 anew. Fewer: pairs in double, the second of a pair kept for the next call.
enum { NORMAL_BLOCK = 16 };
void random_normal(struct generator *generator, float *values, int64_t count);

// The float of 32 bits and the double of 64 bits (high, low), as random_float and random_double
// compute them.
static inline float float_of_bits(uint32_t bits) {
    return (float)(bits & 0xffffffU) * 0x1p-24F;
}
double double_of_bits(uint32_t high, uint32_t low);

// The other stream of dropout masks: PyTorch built with MKL draws, on Intel's processors, one 32-bit
// number and lets it seed the multiplicative congruential generator MCG31m1 (L'Ecuyer 1999; Intel MKL's
// VSL_BRNG_MCG31). Since 31 January 2025 (pull request 146174, releases from about 2.7) it draws mt19937
// there as well; on other processors and without MKL it always did. The first row of dropout(ones(6, 6),
// 0.5) after seed 123 tells: 2 2 0 2 2 0 is mt19937, 2 2 2 2 2 2 is mcg31m1.
// Returns x0; mcg31m1_next(x) is the number after x; u = x / mcg31m1_modulus.
enum { MCG31M1_MODULUS = 2147483647 };
uint32_t mcg31m1_first(uint32_t draw);
uint32_t mcg31m1_next(uint32_t x);

#endif
