#include "tensor/number/generator.h"

#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"

enum { MIDDLE = 397 };

// init_genrand of mt19937ar.c.
void manual_seed(struct generator *generator, uint64_t seed) {
    memset(generator, 0, sizeof *generator);
    generator->seed = seed;
    uint32_t word = (uint32_t)(seed & 0xffffffffU);
    generator->state[0] = word;
    for (uint32_t i = 1; i < MT19937_SIZE; i++) {
        word = 1812433253U * (word ^ (word >> 30)) + i;
        generator->state[i] = word;
    }
    generator->next = MT19937_SIZE;
}

// The recurrence of the twister: word i from words i, i + 1 and i + 397.
static void refill(struct generator *generator) {
    uint32_t *state = generator->state;
    for (int i = 0; i < MT19937_SIZE; i++) {
        const uint32_t joined =
            (state[i] & 0x80000000U) | (state[(i + 1) % MT19937_SIZE] & 0x7fffffffU);
        const uint32_t twist = (joined & 1U) != 0 ? 0x9908b0dfU : 0;
        state[i] = state[(i + MIDDLE) % MT19937_SIZE] ^ (joined >> 1) ^ twist;
    }
    generator->next = 0;
}

uint32_t random_bits(struct generator *generator) {
    if (generator->next == MT19937_SIZE) refill(generator);
    uint32_t bits = generator->state[generator->next++];
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9d2c5680U;
    bits ^= (bits << 15) & 0xefc60000U;
    bits ^= bits >> 18;
    generator->drawn++;
    return bits;
}

void skip_to(struct generator *generator, uint64_t drawn) {
    while (generator->drawn < drawn) (void)random_bits(generator);
}

float float_of_bits(uint32_t bits) {
    return (float)(bits & 0xffffffU) * 0x1p-24F;
}

double double_of_bits(uint32_t high, uint32_t low) {
    const uint64_t both = (uint64_t)high << 32 | low;
    return (double)(both & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

float random_float(struct generator *generator) {
    return float_of_bits(random_bits(generator));
}

double random_double(struct generator *generator) {
    const uint32_t high = random_bits(generator);
    const uint32_t low = random_bits(generator);
    return double_of_bits(high, low);
}

static const double TWO_PI = 6.283185307179586;

// 16 uniform numbers become 16 normal ones.
static void normal_block(float *values) {
    for (int j = 0; j < 8; j++) {
        const float u1 = 1 - values[j], u2 = values[j + 8];
        const float radius = sqrtf(-2 * log_float(u1));
        const float theta = (float)(TWO_PI * (double)u2);
        values[j] = radius * cos_float(theta);
        values[j + 8] = radius * sin_float(theta);
    }
}

// One normal number of a pair in double.
static double normal_double(struct generator *generator) {
    if (generator->has_normal) {
        generator->has_normal = false;
        return generator->normal;
    }
    generator->normal_at = generator->drawn;
    const double u1 = random_double(generator), u2 = random_double(generator);
    const double radius = sqrt(-2 * log1p_double(-u2)), theta = TWO_PI * u1;
    generator->normal = radius * sin_double(theta);
    generator->has_normal = true;
    return radius * cos_double(theta);
}

void random_normal(struct generator *generator, float *values, int64_t count) {
    enum { BLOCK = NORMAL_BLOCK };
    if (count < BLOCK) {
        for (int64_t i = 0; i < count; i++) values[i] = (float)normal_double(generator);
        return;
    }
    for (int64_t i = 0; i < count; i++) values[i] = random_float(generator);
    for (int64_t i = 0; i + BLOCK <= count; i += BLOCK) normal_block(values + i);
    if (count % BLOCK == 0) return;
    float *last = values + count - BLOCK;
    for (int j = 0; j < BLOCK; j++) last[j] = random_float(generator);
    normal_block(last);
}

uint32_t mcg31m1_first(uint32_t draw) {
    const uint32_t x = draw % (uint32_t)MCG31M1_MODULUS;
    return x == 0 ? 1 : x;
}

uint32_t mcg31m1_next(uint32_t x) {
    return (uint32_t)(UINT64_C(1132489760) * x % (uint64_t)MCG31M1_MODULUS);
}
