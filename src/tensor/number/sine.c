#include "tensor/number/sine.h"

#include <math.h>
#include <stdbool.h>

#include "tensor/number/pair.h"

static const float REVERSE_PI = 0.318309886183790671537767526745028724F; // 1 / π

// An angle as `turns` (half turns of a sine; of a cosine quarter turns, an odd number) and a rest.
struct turned {
    int turns;
    float rest;
};

// angle - turns · π · scale, with π in `count` parts, each but the last of few bits.
static float rest_of(float angle, float turns, const float *pi, int count, float scale) {
    for (int i = 0; i < count; i++) angle = fmaf(turns, -pi[i] * scale, angle);
    return angle;
}

// The same for |angle| < 39000: in three parts of π below 125, else in four.
static float small_rest(float angle, float turns, float largest, float scale) {
    static const float three[] = {3.1414794921875F, 0.00011315941810607910156F,
                                  1.9841872589410058936e-09F};
    static const float four[] = {3.140625F, 0.0009670257568359375F, 6.2771141529083251953e-07F,
                                 1.2154201256553420762e-10F};
    return largest < 125 ? rest_of(angle, turns, three, 3, scale)
                         : rest_of(angle, turns, four, 4, scale);
}

static bool is_small(float largest) {
    return largest < 39000;
}

// Takes the whole quarters off a number of turns; returns how many beyond whole turns.
static int take_quarters(struct pair *turns) {
    const float quarters = rintf(turns->high * 4), whole = rintf(turns->high) * 4;
    turns->high -= quarters * 0.25F;
    *turns = normalized(*turns);
    return (int)(quarters - whole);
}

// Any angle up to SINE_LIMIT, as quarter turns and a rest: M. Payne, R. Hanek, "Radian reduction for
// trigonometric functions", ACM SIGNUM Newsletter 18(1), 1983, with 1/2π in four parts.
static int take_turns(float angle, struct pair *rest) {
    static const float parts[] = {0x1.45f300p-3F, 0x1.b72720p-25F, 0x1.054a80p-48F,
                                  -0x1.ec5418p-73F};
    static const struct pair two_pi = {3.1415927410125732422F * 2, -8.7422776573475857731e-08F * 2};
    struct pair turns = multiply_float((struct pair){parts[0], 0}, angle);
    int quarters = take_quarters(&turns);
    turns = add_pairs(turns, multiply_float((struct pair){parts[1], 0}, angle));
    quarters += take_quarters(&turns);
    turns = add_pairs(turns, multiply_float((struct pair){parts[2], parts[3]}, angle));
    *rest = multiply_pairs(normalized(turns), two_pi);
    if (fabsf(angle) < 0.7F) *rest = (struct pair){angle, 0};
    return quarters;
}

// A quarter turn, π/2, taken from the rest, or added to it.
static float quarter_on(struct pair rest, bool is_added) {
    static const struct pair half_pi = {-3.1415927410125732422F / 2,
                                        8.7422776573475857731e-08F / 2};
    const struct pair step = is_added ? (struct pair){-half_pi.high, -half_pi.low} : half_pi;
    const struct pair moved = add_pairs(rest, step);
    return moved.high + moved.low;
}

static struct turned turn_of_sine(float angle, float largest) {
    if (is_small(largest)) {
        const float turns = rintf(angle * REVERSE_PI);
        return (struct turned){(int)turns, small_rest(angle, turns, largest, 1)};
    }
    struct pair rest;
    const int quarters = take_turns(angle, &rest), turns = (quarters & 3) * 2;
    const bool is_odd = (quarters & 1) != 0;
    return (struct turned){
        (turns + (rest.high > 0 ? 2 : 1)) >> 2,
        is_odd ? quarter_on(rest, signbit(rest.high)) : rest.high + rest.low,
    };
}

static struct turned turn_of_cosine(float angle, float largest) {
    if (is_small(largest)) {
        const float turns = 2 * rintf(angle * REVERSE_PI - 0.5F) + 1;
        return (struct turned){(int)turns, small_rest(angle, turns, largest, 0.5F)};
    }
    struct pair rest;
    const int quarters = take_turns(angle, &rest), turns = (quarters & 3) * 2;
    const bool is_odd = (quarters & 1) != 0;
    return (struct turned){
        (turns + (rest.high > 0 ? 8 : 7)) >> 1,
        is_odd ? rest.high + rest.low : quarter_on(rest, !(rest.high > 0)),
    };
}

// r - r³/6 + ..., for |r| <= π/2.
static float sine_near_0(float r, bool is_turned) {
    const float square = r * r, signed_r = is_turned ? -r : r;
    float p = 2.6083159809786593541503e-06F;
    p = fmaf(p, square, -0.0001981069071916863322258F);
    p = fmaf(p, square, 0.00833307858556509017944336F);
    p = fmaf(p, square, -0.166666597127914428710938F);
    return square * (p * signed_r) + signed_r;
}

float sine_float(float angle, float largest) {
    if (!(fabsf(angle) <= SINE_LIMIT)) return NAN;
    if (angle == 0) return angle;
    const struct turned turned = turn_of_sine(angle, largest);
    return sine_near_0(turned.rest, (turned.turns & 1) != 0);
}

float cosine_float(float angle, float largest) {
    if (!(fabsf(angle) <= SINE_LIMIT)) return NAN;
    const struct turned turned = turn_of_cosine(angle, largest);
    return sine_near_0(turned.rest, (turned.turns & 2) == 0);
}
