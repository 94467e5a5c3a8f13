// The arithmetic of numbers that came from the generator: draws them once more.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/number/generator.h"
#include "trace/arithmetic.h"

// The 32 bits of a draw, counted from the seed, from 0.
static uint32_t bits_drawn(const struct draws *draws, uint64_t draw) {
    struct generator generator;
    manual_seed(&generator, draws->seed);
    skip_to(&generator, draw);
    return random_bits(&generator);
}

// "draw 7 of seed 123", for number 6.
static const char *draw_name(const struct reckoning *r, uint64_t draw) {
    return arena_format(r->arena, "draw %" PRIu64 " of seed %" PRIu64, draw + 1,
                        r->derivation->origin->draws.seed);
}

// ---- Uniform ------------------------------------------------------------------------------------

double reckon_uniform(struct reckoning *r) {
    const struct origin *origin = r->derivation->origin;
    const uint64_t place = origin->draws.first + (uint64_t)r->derivation->flat_index;
    const uint32_t bits = bits_drawn(&origin->draws, place);
    const float u = float_of_bits(bits), least = origin->least, most = origin->most;
    const float value = fmaf(u, most - least, least);
    say(r, "%s: 0x%08" PRIX32, draw_name(r, place), bits);
    say(r, "u = low 24 bits of draw %" PRIu64 ", 0x%06" PRIX32 " = %" PRIu32 ", × 2^-24 = %s",
        place + 1, bits & UINT32_C(0xffffff), bits & UINT32_C(0xffffff), figure(r, (double)u));
    if (least < 0 || least > 0 || most < 1 || most > 1) {
        say(r, "%s + (%s − %s) × %s = %s", figure(r, (double)least), figure(r, (double)most),
            bracketed(r, (double)least), figure(r, (double)u), figure(r, (double)value));
    }
    return (double)value;
}

// ---- Normal -------------------------------------------------------------------------------------

enum { BLOCK = 16 }; // so many numbers, or more, are drawn in blocks

static const double two_pi = 6.283185307179586;

static void say_box_muller(struct reckoning *r, const char *uniforms, double radius, double angle,
                           bool is_sine, float value) {
    say(r, "%s", uniforms);
    say(r, "radius = √(-2·log u₁) = %s, angle = 2π·u₂ = %s", figure(r, radius), figure(r, angle));
    say(r, "%s × %s(%s) = %s", figure(r, radius), is_sine ? "sin" : "cos", figure(r, angle),
        figure(r, (double)value));
}

// Sixteen floats a block: number j < 8 and number j + 8 make a pair, the cosine goes to the first place,
// the sine to the second. The last sixteen of a ragged count are drawn anew.
static double reckon_normal_in_block(struct reckoning *r) {
    const struct draws *draws = &r->derivation->origin->draws;
    const int64_t place = r->derivation->flat_index, count = r->storage->count;
    const bool is_tail = count % BLOCK != 0 && place >= count - BLOCK;
    const int64_t own = is_tail ? place - (count - BLOCK) : place % BLOCK;
    const uint64_t block = draws->first + (uint64_t)(is_tail ? count : place - own);
    const uint64_t first = block + (uint64_t)(own % (BLOCK / 2)), second = first + BLOCK / 2;
    const uint32_t bits1 = bits_drawn(draws, first), bits2 = bits_drawn(draws, second);
    const float u1 = 1 - float_of_bits(bits1), u2 = float_of_bits(bits2);
    const float radius = sqrtf(-2 * log_float(u1));
    const float angle = (float)(two_pi * (double)u2);
    const bool is_sine = own >= BLOCK / 2;
    const float value = radius * (is_sine ? sin_float(angle) : cos_float(angle));
    say(r, "%s: 0x%08" PRIX32 ", draw %" PRIu64 ": 0x%08" PRIX32, draw_name(r, first), bits1,
        second + 1, bits2);
    const char *uniforms = arena_format(r->arena, "low 24 bits × 2^-24: u₁ = 1 − %s = %s, u₂ = %s",
                                        figure(r, (double)float_of_bits(bits1)),
                                        figure(r, (double)u1), figure(r, (double)u2));
    say_box_muller(r, uniforms, (double)radius, (double)angle, is_sine, value);
    return (double)value;
}

// A pair of normal numbers takes four draws. One of the two:
struct normal {
    double first, second; // the uniforms: two draws each
    double radius, angle;
    float value;
};

static struct normal normal_drawn(const struct draws *draws, uint64_t first, bool is_sine) {
    struct normal n;
    n.first = double_of_bits(bits_drawn(draws, first), bits_drawn(draws, first + 1));
    n.second = double_of_bits(bits_drawn(draws, first + 2), bits_drawn(draws, first + 3));
    n.radius = sqrt(-2 * log1p_double(-n.second));
    n.angle = two_pi * n.first;
    n.value = (float)(n.radius * (is_sine ? sin_double(n.angle) : cos_double(n.angle)));
    return n;
}

static void say_normal(struct reckoning *r, const struct normal *n, uint64_t draw, bool is_sine) {
    const char *second = figure(r, n->second);
    say(r, "%s and the three after it: two for each uniform", draw_name(r, draw));
    const char *uniforms =
        arena_format(r->arena, "low 53 bits × 2^-53: %s and %s; u₁ = 1 − %s, u₂ = %s",
                     figure(r, n->first), second, second, figure(r, n->first));
    say_box_muller(r, uniforms, n->radius, n->angle, is_sine, n->value);
}

// Fewer than sixteen: in double, a pair after the other, the cosine first. Where the generator still
// kept the sine of an earlier pair, that one comes first and the pairs lie one place on. The origin
// does not say which it was; the value does.
static double reckon_normal_by_pairs(struct reckoning *r) {
    const struct draws *draws = &r->derivation->origin->draws;
    const float wanted = (float)r->derivation->value;
    const int64_t place = r->derivation->flat_index;
    bool is_sine = place % 2 == 1;
    uint64_t draw = draws->first + 4 * (uint64_t)(place / 2);
    struct normal n = normal_drawn(draws, draw, is_sine);
    if (memcmp(&n.value, &wanted, sizeof wanted) != 0 && (is_sine || draw >= 4)) {
        if (!is_sine) draw -= 4;
        is_sine = !is_sine;
        n = normal_drawn(draws, draw, is_sine);
    }
    if (memcmp(&n.value, &wanted, sizeof wanted) != 0) {
        say(r, "the second number of a pair drawn long before, kept until now: %s",
            figure(r, (double)wanted));
        return (double)wanted;
    }
    say_normal(r, &n, draw, is_sine);
    return (double)n.value;
}

double reckon_normal(struct reckoning *r) {
    return r->storage->count >= BLOCK ? reckon_normal_in_block(r) : reckon_normal_by_pairs(r);
}

// ---- Dropout ------------------------------------------------------------------------------------

// Two draws an element.
static double uniform_of_twister(struct reckoning *r) {
    const struct draws *draws = &r->derivation->origin->draws;
    const uint64_t first = draws->first + 2 * (uint64_t)r->derivation->flat_index;
    const uint32_t high = bits_drawn(draws, first), low = bits_drawn(draws, first + 1);
    const double u = double_of_bits(high, low);
    const uint64_t both = (uint64_t)high << 32 | low;
    say(r, "%s: 0x%08" PRIX32 ", draw %" PRIu64 ": 0x%08" PRIX32, draw_name(r, first), high,
        first + 2, low);
    say(r, "u = low 53 bits of both, 0x%014" PRIX64 ", × 2^-53 = %s",
        both & ((UINT64_C(1) << 53) - 1), figure(r, u));
    return u;
}

// One draw for all elements, then a step of the other generator for each.
static double uniform_of_mcg31m1(struct reckoning *r) {
    const struct draws *draws = &r->derivation->origin->draws;
    const int64_t steps = r->derivation->flat_index;
    const uint32_t draw = bits_drawn(draws, draws->first);
    uint32_t x = mcg31m1_first(draw);
    say(r, "%s: %" PRIu32 "; x of element 1 = it mod 2147483647 = %" PRIu32,
        draw_name(r, draws->first), draw, x);
    for (int64_t step = 0; step < steps; step++) x = mcg31m1_next(x);
    if (steps > 0) {
        say(r,
            "x becomes 1132489760·x mod 2147483647, %" PRId64 " times: x of element %" PRId64
            " = %" PRIu32,
            steps, steps + 1, x);
    }
    const double u = (double)x / (double)MCG31M1_MODULUS;
    say(r, "u = %" PRIu32 " / 2147483647 = %s", x, figure(r, u));
    return u;
}

// "0.4123 < 1 − 0.5, kept", with as many digits as it takes to see it.
static const char *decision(const struct reckoning *r, double u, double p, bool is_kept) {
    const char *uniform = figure(r, u);
    if (strcmp(uniform, figure(r, 1 - p)) == 0) uniform = arena_format(r->arena, "%.17g", u);
    return arena_format(r->arena, "%s %s 1 − %g, %s", uniform, is_kept ? "<" : "≥", p,
                        is_kept ? "kept" : "dropped");
}

double reckon_dropout(struct reckoning *r) {
    const struct origin *origin = r->derivation->origin;
    const double p = origin->number, x = r->derivation->operands[0].value;
    const float scale = (float)(1 - p);
    bool is_kept = false;
    const char *verdict = "p = 1 drops all, without a draw";
    if (p < 1) {
        const double u =
            origin->draws.stream == MT19937 ? uniform_of_twister(r) : uniform_of_mcg31m1(r);
        is_kept = u < 1 - p;
        verdict = decision(r, u, p, is_kept);
    }
    const float factor = is_kept ? 1 / scale : 0;
    const double value = (double)((float)x * factor);
    if (is_kept) {
        say(r, "%s: %s × (1 / (1 − %g)) = %s", verdict, figure(r, x), p, figure(r, value));
    } else {
        say(r, "%s: %s × 0 = %s", verdict, figure(r, x), figure(r, value));
    }
    return value;
}
