#include "trace/tape/spread.h"

#include <math.h>

#include "tensor/operation/disturbance.h"
#include "trace/tape/replay.h"

// In place of a distance: the number was 0 in all runs, as a mask leaves it.
static const double EXACT = -1;

struct spread spread_of(struct arena *arena, const struct step *step) {
    const int64_t count = count_of(shape_of(&step->tensor));
    return (struct spread){count, arena_array(arena, (size_t)count, sizeof(double)), 0};
}

// How far two numbers lie apart; infinities lie at one place, and so does nan.
static double between(double a, double b) {
    if (isfinite(a) && isfinite(b)) return fabs(a - b);
    return a == b || (isnan(a) && isnan(b)) ? 0 : INFINITY;
}

void widen_spread_by(struct spread *spread, const struct tensor *tensor,
                     const struct tensor *other) {
    for (int64_t i = 0; i < spread->count; i++) {
        const double a = element_at(tensor, i), b = element_at(other, i);
        const bool stays_0 = a == 0 && b == 0 && (spread->runs == 0 || spread->of[i] == EXACT);
        spread->of[i] = stays_0 ? EXACT : fmax(fmax(spread->of[i], 0), between(a, b));
    }
    spread->runs++;
}

void widen_spread(struct spread *spread, const struct run *run, const struct step *step) {
    struct disturbance disturbance = {.number = (uint64_t)spread->runs + 1,
                                      .precision = run->precision};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    m->disturbance = &disturbance;
    struct tensor other;
    recompute_step(&other, m, run, (int)(step - run->steps));
    widen_spread_by(spread, &step->tensor, &other);
    scratch_close(&scratch);
}

// Runs the lesson once more, and widens the spread of each step.
static void widen_all(struct spread *spreads, const struct run *run) {
    struct disturbance disturbance = {.number = (uint64_t)spreads[0].runs + 1,
                                      .precision = run->precision};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    m->disturbance = &disturbance;
    struct run disturbed;
    run_lesson(&disturbed, m, run->lesson, &run->parameters);
    for (int i = 0; i < run->step_count; i++)
        widen_spread_by(&spreads[i], &run->steps[i].tensor, &disturbed.steps[i].tensor);
    scratch_close(&scratch);
}

struct spread *spreads_of(struct arena *arena, const struct run *run) {
    struct spread *spreads = arena_array(arena, (size_t)run->step_count, sizeof *spreads);
    for (int i = 0; i < run->step_count; i++) spreads[i] = spread_of(arena, &run->steps[i]);
    for (int i = 0; i < FEW_DISTURBED; i++) widen_all(spreads, run);
    return spreads;
}

double moved_at(const struct spread *spread, int64_t position) {
    static const double TIMES = 4;
    enum { BESIDE = 2 }; // numbers before and behind
    double most = spread->of[position];
    if (most == EXACT) return 0;
    for (int64_t i = position - BESIDE; i <= position + BESIDE; i++) {
        if (i >= 0 && i < spread->count && isfinite(spread->of[i]))
            most = fmax(most, spread->of[i]);
    }
    return TIMES * most;
}
