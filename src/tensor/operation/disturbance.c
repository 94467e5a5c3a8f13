#include "tensor/operation/disturbance.h"

#include <math.h>
#include <string.h>

// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
static uint64_t mixed(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

static const uint64_t STEP = 0x9E3779B97F4A7C15;

// Of all floats, in their order. One nan is like another.
static uint64_t hash_of(const struct storage *storage) {
    const float *numbers = storage->data;
    uint64_t hash = (uint64_t)storage->count;
    for (int64_t i = 0; i < storage->count; i++) {
        uint32_t bits = 0;
        if (!isnan(numbers[i])) memcpy(&bits, &numbers[i], sizeof bits);
        hash = (hash ^ bits) * STEP;
        hash ^= hash >> 29;
    }
    return hash;
}

// nextafterf of a finite float but 0, which takes long: the bits of floats away from 0 count up.
static float next_float(float number, bool is_above) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits += is_above == (number > 0) ? 1 : UINT32_MAX;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

static float moved(const struct disturbance *disturbance, float number, bool is_above) {
    enum rounding rounding = is_above ? AWAY_FROM_ZERO : TOWARD_ZERO;
    if (disturbance->precision == NULL) return next_float(number, is_above);
    if (disturbance->number == 0) rounding = disturbance->rounding;
    return round_float_to(disturbance->precision, number, rounding);
}

void disturb(const struct disturbance *disturbance, const struct storage *storage,
             uint64_t reader) {
    float *numbers = storage->data;
    uint64_t state = mixed(hash_of(storage) + STEP * reader) + mixed(STEP * disturbance->number);
    uint64_t bits = 0;
    for (int64_t i = 0; i < storage->count; i++, bits >>= 1) {
        if (i % 64 == 0) bits = mixed(state += STEP);
        if (numbers[i] == 0 || !isfinite(numbers[i])) continue;
        const float other = moved(disturbance, numbers[i], bits & 1);
        if (isfinite(other)) numbers[i] = other;
    }
}

struct tensor disturbed_copy(struct arena *arena, const struct tensor *x, uint64_t reader) {
    const struct tensor whole = tensor_new(arena, FLOAT32, x->storage->shape);
    struct tensor copy = *x;
    memcpy(whole.storage->data, x->storage->data, (size_t)x->storage->count * sizeof(float));
    whole.storage->origin = x->storage->origin;
    copy.storage = whole.storage;
    disturb(arena->disturbance, copy.storage, reader);
    return copy;
}

uint64_t reader_of(int count, const struct tensor *operands) {
    uint64_t reader = 0;
    for (int i = 0; i < count; i++) {
        const struct storage *storage = operands[i].storage;
        reader = mixed(reader + (storage->dtype == FLOAT32 ? hash_of(storage) : 0) + STEP);
    }
    return reader;
}
