#include "tensor/ops/disturbance.h"

#include <math.h>
#include <string.h>

#include "tensor/ops/operation.h"

// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
static uint64_t next_bits(struct disturbance *disturbance) {
    static const uint64_t STEP = 0x9E3779B97F4A7C15, FAR = 0xD1B54A32D192ED03;
    uint64_t bits = disturbance->number * FAR + ++disturbance->used * STEP;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

static void disturb(struct disturbance *disturbance, const struct storage *storage) {
    float *numbers = storage->data;
    uint64_t bits = 0;
    for (int64_t i = 0; i < storage->count; i++, bits >>= 1) {
        if (i % 64 == 0) bits = next_bits(disturbance);
        if (numbers[i] == 0 || !isfinite(numbers[i])) continue;
        numbers[i] = nextafterf(numbers[i], bits & 1 ? INFINITY : -INFINITY);
    }
}

// The same view of a disturbed copy of its storage. What the numbers were made of stays known.
static struct tensor disturbed_copy(struct arena *arena, const struct tensor *x) {
    const struct tensor whole = tensor_new(arena, FLOAT32, x->storage->shape);
    struct tensor copy = *x;
    memcpy(whole.storage->data, x->storage->data, (size_t)x->storage->count * sizeof(float));
    whole.storage->origin = x->storage->origin;
    copy.storage = whole.storage;
    disturb(arena->disturbance, copy.storage);
    return copy;
}

struct tensor compute_disturbed(struct arena *arena, const struct origin *origin) {
    struct origin own = *origin;
    struct tensor *operands =
        arena_array(arena, (size_t)origin->operand_count, sizeof *origin->operands);
    if (origin->operation->error == NULL) return origin->operation->compute(arena, origin);
    for (int i = 0; i < origin->operand_count; i++) {
        const struct tensor *operand = &origin->operands[i];
        const bool is_rounded = operand->storage->dtype == FLOAT32;
        operands[i] = is_rounded ? disturbed_copy(arena, operand) : *operand;
    }
    own.operands = operands;
    const struct tensor result = origin->operation->compute(arena, &own);
    if (result.storage->dtype == FLOAT32) disturb(arena->disturbance, result.storage);
    return result;
}
