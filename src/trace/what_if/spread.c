#include "app/check/spread.h"

#include <math.h>

#include "tensor/ops/disturbance.h"

// How far two numbers lie apart; infinities lie at one place, and so does nan.
static double between(double a, double b) {
    if (isfinite(a) && isfinite(b)) return fabs(a - b);
    return a == b || (isnan(a) && isnan(b)) ? 0 : INFINITY;
}

void widen_spread(double *spread, const struct run *run, const struct step *step, int number) {
    struct disturbance disturbance = {.number = (uint64_t)number};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    m->disturbance = &disturbance;
    struct run disturbed;
    run_lesson(&disturbed, m, run->lesson, &run->parameters);
    const struct tensor *other = &disturbed.steps[step - run->steps].tensor;
    const int64_t count = count_of(shape_of(other));
    for (int64_t i = 0; i < count; i++)
        spread[i] = fmax(spread[i], between(element_at(&step->tensor, i), element_at(other, i)));
    scratch_close(&scratch);
}
