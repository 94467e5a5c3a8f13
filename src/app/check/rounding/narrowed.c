#include "app/check/rounding/narrowed.h"

#include <math.h>
#include <string.h>

#include "tensor/operation/disturbance.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/tolerance.h"
#include "trace/tape/replay.h"

// Are all numbers of the file as they are printed after such rounding, and would they not be by chance? A number tells the
// bits by which its digits are finer than the type, unless the right number is of that type, too.
static bool are_rounded_to(const struct checked *checked, const struct precision *precision) {
    enum { FEW_BITS = 5, ENOUGH = 20 }; // 0.25 has as few in any type
    static const double OF_FLOAT = 0x1p-25;
    const struct numbers *numbers = &checked->numbers;
    struct precision few = *precision;
    few.bits = FEW_BITS;
    double told = 0;
    for (int64_t i = 0; i < count_of(numbers->shape); i++) {
        const double value = numbers->values[i], half_unit = half_unit_at(numbers, i);
        const double rounded = round_to(precision, value, TO_NEAREST);
        if (!isfinite(value)) continue;
        if (!(fabs(value - rounded) <= half_unit)) return false;
        const double right = element_at(&checked->step->tensor, i);
        if (round_to(&few, value, TO_NEAREST) == rounded) continue;
        if (round_to(precision, right, TO_NEAREST) == right) continue;
        told +=
            fmax(log2(half_unit_of(precision, value) / (half_unit + OF_FLOAT * fabs(value))), 0);
    }
    return told >= ENOUGH;
}

// How much nearer the step, computed with such rounding, is to the file than the right one: 1 if it is as far away. Numbers so
// small that the type has fewer bits for them tell nothing: to 0 they may be as near as to the file.
static double nearness(const struct checked *checked, const struct precision *precision,
                       enum rounding rounding) {
    enum { FEWEST = 6 }; // numbers that differ
    const double least = ldexp(1, precision->least_exponent);
    struct disturbance disturbance = {.precision = precision, .rounding = rounding};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, checked->run->memory->failure);
    m->disturbance = &disturbance;
    struct tensor rounded;
    recompute_step(&rounded, m, checked->run, (int)(checked->step - checked->run->steps));
    double from_rounded = 0, from_right = 0;
    int64_t telling = 0;
    for (int64_t i = 0; i < checked->comparison.count; i++) {
        const double value = checked->numbers.values[i], half = half_unit_at(&checked->numbers, i);
        const double a = element_at(&rounded, i), b = element_at(checked->right, i);
        if (a == b || !isfinite(a) || !isfinite(b) || !isfinite(value)) continue;
        if (fabs(b) < least) continue;
        from_rounded += fmax(fabs(value - a) - half, 0);
        from_right += fmax(fabs(value - b) - half, 0);
        telling += !agree(value, b, half + ROUNDING * fabs(b));
    }
    scratch_close(&scratch);
    return telling >= FEWEST ? from_rounded / from_right : 1;
}

// The type whose rounding makes numbers like those of the file; NULL if none does. Products in half precision are rounded
// themselves: of numbers that are not, only the factors may be.
static const struct precision *predicted(const struct checked *checked) {
    static const double NEARER = 1 / 3.0;
    const bool is_product = checked->step->tensor.storage->origin->operation->factors == 2;
    const struct precision *best = NULL;
    double least = NEARER;
    for (int i = 0; i < 2 * PRECISION_COUNT; i++) {
        const struct precision *precision = &precisions[i / 2];
        const enum rounding rounding = i % 2 == 0 ? TO_NEAREST : TOWARD_ZERO;
        if ((rounding == TOWARD_ZERO || is_product) && !precision->is_of_factors) continue;
        const double near = nearness(checked, precision, rounding);
        if (near >= least) continue;
        least = near;
        best = precision;
    }
    return best;
}

// The numbers, each known to half a unit of the type.
static struct numbers narrowed(struct arena *arena, struct numbers numbers,
                               const struct precision *precision) {
    const int64_t count = count_of(numbers.shape);
    if (precision->is_of_factors) return numbers;
    double *half_units = arena_array(arena, (size_t)count, sizeof *half_units);
    for (int64_t i = 0; i < count; i++)
        half_units[i] = half_unit_at(&numbers, i) + half_unit_of(precision, numbers.values[i]);
    numbers.half_units = half_units;
    return numbers;
}

// The answer by what the type holds.
static struct checked compared_in(struct arena *arena, const struct checked *checked,
                                  const struct precision *precision) {
    struct checked other = *checked;
    struct run *run = arena_allocate(arena, sizeof *run);
    *run = *checked->run;
    run->precision = precision;
    other.run = run;
    other.precision = precision;
    other.numbers = narrowed(arena, checked->numbers, precision);
    compare_checked(arena, &other);
    return other;
}

static bool agrees_closely(struct arena *arena, const struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    const struct numbers *numbers = &checked->numbers;
    return fits(numbers, shape_of(tensor)) &&
           all_agree(numbers, tensor, least_allowed(arena, numbers, tensor));
}

const struct precision *precision_told(struct arena *arena, const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    const char *dtype = numbers->dtype;
    if (!fits(numbers, shape_of(&checked->step->tensor)) || agrees_closely(arena, checked))
        return NULL;
    for (int i = 0; i < PRECISION_COUNT; i++) {
        const struct precision *precision = &precisions[i];
        if (precision->is_of_factors) continue;
        if (dtype != NULL && strcmp(dtype, precision->name) == 0) return precision;
    }
    for (int i = 0; i < PRECISION_COUNT; i++) {
        const struct precision *precision = &precisions[i];
        if (!precision->is_of_factors && are_rounded_to(checked, precision)) return precision;
    }
    return NULL;
}

// Could the numbers be of this type, as far as their digits go?
static bool may_be_of(const struct numbers *numbers, const struct precision *precision) {
    for (int64_t i = 0; i < count_of(numbers->shape); i++) {
        const double value = numbers->values[i];
        const double rounded = round_to(precision, value, TO_NEAREST);
        if (isfinite(value) && !(fabs(value - rounded) <= half_unit_at(numbers, i))) return false;
    }
    return true;
}

bool are_finer(struct arena *arena, const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    if (!fits(numbers, shape_of(&checked->step->tensor)) || agrees_closely(arena, checked))
        return false;
    for (int i = 0; i < PRECISION_COUNT; i++) {
        if (!precisions[i].is_of_factors && may_be_of(numbers, &precisions[i])) return false;
    }
    return true;
}

// Takes the type that the wrong numbers of `wide` tell, or that makes such numbers.
static void take_told(struct arena *arena, struct checked *checked, const struct checked *wide) {
    const struct precision *precision = precision_told(arena, wide);
    const bool is_told = precision != NULL;
    if (!is_told) precision = predicted(wide);
    if (precision == NULL || precision == checked->accepted) return;
    const struct checked narrow = compared_in(arena, wide, precision);
    const bool is_right = narrow.verdict != VERDICT_DIFFERENT;
    if (is_right || (is_told && checked->accepted == NULL)) *checked = narrow;
    if (is_right) checked->verdict = VERDICT_ROUNDED;
}

void compare_narrowed(struct arena *arena, struct checked *checked) {
    const bool is_known = checked->precision != NULL;
    const struct precision *tried = is_known ? checked->precision : checked->accepted;
    struct checked wide = *checked;
    wide.precision = NULL;
    const bool is_tried = tried != NULL && fits(&wide.numbers, shape_of(&wide.step->tensor)) &&
                          !agrees_closely(arena, &wide);
    if (is_tried) {
        *checked = compared_in(arena, &wide, tried);
        const bool is_right = checked->verdict != VERDICT_DIFFERENT;
        if (is_right && tried != checked->accepted) checked->verdict = VERDICT_ROUNDED;
        if (is_right || is_known) return;
    }
    compare_checked(arena, &wide);
    if (!is_tried) *checked = wide;
    if (wide.verdict == VERDICT_DIFFERENT) take_told(arena, checked, &wide);
}

const char *narrowed_text(struct arena *arena, const struct precision *precision) {
    const char *of = precision->is_of_factors
                         ? "with products in tf32, as a GPU computes them: their factors keep"
                         : arena_format(arena, "of %s, which keeps", precision->name);
    return arena_format(arena,
                        "the numbers are those %s %d bits of each, where float32 keeps 24; %s, "
                        "or accept them with --dtype %s",
                        of, precision->bits, precision->remedy, precision->name);
}

void judge(struct arena *arena, struct checked *checked) {
    compare_narrowed(arena, checked);
    explain_checked(arena, checked);
    note_unseen(arena, checked);
}
