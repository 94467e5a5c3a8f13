#include "tensor/number/moments.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { LANES = 8, CHUNK = 16, MOST_LEVELS = 64 };

// T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
static struct moments joined(struct moments a, struct moments more) {
    const int64_t count = a.count + more.count;
    const float share = count == 0 ? 0 : (float)more.count / (float)count;
    const float distance = more.mean - a.mean;
    const float between = distance * distance * share;
    return (struct moments){count, fmaf(share, distance, a.mean),
                            a.squares + fmaf(between, (float)a.count, more.squares)};
}

static struct moments moments_of_chunk(struct line line) {
    struct moments moments = {line.count, 0, 0};
    for (int64_t i = 0; i < line.count; i++) {
        const float x = number_in(line, i), distance = x - moments.mean;
        moments.mean = fmaf(distance, 1 / (float)(i + 1), moments.mean);
        moments.squares = fmaf(distance, x - moments.mean, moments.squares);
    }
    return moments;
}

// Every eighth number. levels[i]: of 2^i chunks that wait for as many others.
static struct moments moments_of_lane(struct line lane) {
    struct moments levels[MOST_LEVELS] = {0};
    const int64_t chunks = (lane.count + CHUNK - 1) / CHUNK;
    int depth = 1;
    while (depth < MOST_LEVELS - 1 && chunks > INT64_C(1) << depth) depth++;
    for (int64_t i = 0; i < chunks; i++) {
        const int64_t from = i * CHUNK, to = from + CHUNK < lane.count ? from + CHUNK : lane.count;
        levels[0] = joined(levels[0], moments_of_chunk(part_of(lane, from, to)));
        for (int level = 1; level < depth && (i + 1) % (INT64_C(1) << level) == 0; level++) {
            levels[level] = joined(levels[level], levels[level - 1]);
            levels[level - 1] = (struct moments){0};
        }
    }
    for (int level = 1; level < depth; level++) levels[0] = joined(levels[0], levels[level]);
    return levels[0];
}

struct moments moments_of(struct line line) {
    const int64_t whole = line.count / LANES * LANES;
    struct moments rest = {0};
    for (int64_t i = whole; i < line.count; i++) {
        const float x = number_in(line, i), distance = x - rest.mean;
        rest.mean += distance / (float)++rest.count;
        rest.squares += distance * (x - rest.mean);
    }
    for (int lane = 0; lane < LANES; lane++)
        rest = joined(rest, moments_of_lane(every(part_of(line, 0, whole), LANES, lane)));
    return rest;
}
