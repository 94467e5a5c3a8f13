#include "tensor/number/generator.h"

#include <string.h>

#include "tensor/number/normal.h"

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

// The recurrence of the twister: word i of a state from words i, i + 1 and i + 397.
static uint32_t twisted(uint32_t word, uint32_t next, uint32_t middle) {
    const uint32_t joined = (word & 0x80000000U) | (next & 0x7fffffffU);
    return middle ^ (joined >> 1) ^ (0x9908b0dfU & -(joined & 1U));
}

// In three parts, since the words wrap around: none of them has to be looked for, and a compiler makes
// several at once.
static void refill(struct generator *generator) {
    enum { SIZE = MT19937_SIZE, REST = SIZE - MIDDLE };
    uint32_t *state = generator->state;
    for (int i = 0; i < REST; i++) state[i] = twisted(state[i], state[i + 1], state[i + MIDDLE]);
    for (int i = REST; i < SIZE - 1; i++)
        state[i] = twisted(state[i], state[i + 1], state[i - REST]);
    state[SIZE - 1] = twisted(state[SIZE - 1], state[0], state[MIDDLE - 1]);
    generator->next = 0;
}

static uint32_t tempered(uint32_t bits) {
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9d2c5680U;
    bits ^= (bits << 15) & 0xefc60000U;
    return bits ^ bits >> 18;
}

uint32_t random_bits(struct generator *generator) {
    if (generator->next == MT19937_SIZE) refill(generator);
    generator->drawn++;
    return tempered(generator->state[generator->next++]);
}

// What is left of a state at a time: nothing of it is tempered.
void skip_to(struct generator *generator, uint64_t drawn) {
    while (generator->drawn < drawn) {
        if (generator->next == MT19937_SIZE) refill(generator);
        const uint64_t left = (uint64_t)(MT19937_SIZE - generator->next);
        const uint64_t wanted = drawn - generator->drawn, taken = wanted < left ? wanted : left;
        generator->next += (int)taken;
        generator->drawn += taken;
    }
}

double double_of_bits(uint32_t high, uint32_t low) {
    const uint64_t both = (uint64_t)high << 32 | low;
    return (double)(both & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

float random_float(struct generator *generator) {
    return float_of_bits(random_bits(generator));
}

void random_floats(struct generator *generator, float *values, int64_t count) {
    for (int64_t done = 0; done < count;) {
        if (generator->next == MT19937_SIZE) refill(generator);
        const int64_t wanted = count - done, left = MT19937_SIZE - generator->next;
        const int64_t taken = wanted < left ? wanted : left;
        const uint32_t *words = generator->state + generator->next;
        for (int64_t i = 0; i < taken; i++) values[done + i] = float_of_bits(tempered(words[i]));
        generator->next += (int)taken;
        generator->drawn += (uint64_t)taken;
        done += taken;
    }
}

double random_double(struct generator *generator) {
    const uint32_t high = random_bits(generator);
    const uint32_t low = random_bits(generator);
    return double_of_bits(high, low);
}

// 16 uniform numbers become 16 normal ones: numbers j and j + 8 a pair.
static void normal_block(float *values) {
    for (int j = 0; j < NORMAL_BLOCK / 2; j++) {
        const struct normal_pair pair = normal_pair_of_floats(values[j], values[j + 8]);
        values[j] = pair.cosine;
        values[j + 8] = pair.sine;
    }
}

// One normal number of a pair in double.
static float next_normal(struct generator *generator) {
    if (generator->has_normal) {
        generator->has_normal = false;
        return generator->normal;
    }
    generator->normal_at = generator->drawn;
    const double first = random_double(generator), second = random_double(generator);
    const struct normal_pair pair = normal_pair_of_doubles(first, second);
    generator->normal = pair.sine;
    generator->has_normal = true;
    return pair.cosine;
}

void random_normal(struct generator *generator, float *values, int64_t count) {
    if (count < NORMAL_BLOCK) {
        for (int64_t i = 0; i < count; i++) values[i] = next_normal(generator);
        return;
    }
    random_floats(generator, values, count);
    for (int64_t i = 0; i + NORMAL_BLOCK <= count; i += NORMAL_BLOCK) normal_block(values + i);
    if (count % NORMAL_BLOCK == 0) return;
    float *last = values + count - NORMAL_BLOCK;
    random_floats(generator, last, NORMAL_BLOCK);
    normal_block(last);
}

uint32_t mcg31m1_first(uint32_t draw) {
    const uint32_t x = draw % (uint32_t)MCG31M1_MODULUS;
    return x == 0 ? 1 : x;
}

uint32_t mcg31m1_next(uint32_t x) {
    return (uint32_t)(UINT64_C(1132489760) * x % (uint64_t)MCG31M1_MODULUS);
}
