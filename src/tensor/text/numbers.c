#include "tensor/text/numbers.h"

#include <math.h>

#include "tensor/text/numeral.h"

const char *form_text(enum form form) {
    static const char *const names[] = {
        [FORM_TENSOR] = "a PyTorch tensor",
        [FORM_ARRAY] = "a NumPy array",
        [FORM_LIST] = "a list",
        [FORM_TABLE] = "a table",
        [FORM_NPY] = "a .npy file",
        [FORM_SAFETENSORS] = "a safetensors file",
    };
    return names[form];
}

// ---- Collecting ---------------------------------------------------------------------------------

void collect(struct collector *collector, const struct numeral *numeral, const char *at) {
    if (collector->count == NUMBERS_MAX)
        fail_at(collector->reading, at, "too many numbers: at most %d are possible", NUMBERS_MAX);
    collector->numerals = arena_grow(collector->reading->arena, collector->numerals,
                                     collector->count * sizeof *numeral, sizeof *numeral);
    collector->numerals[collector->count++] = *numeral;
}

// ---- Precision ----------------------------------------------------------------------------------

// What the digits of all numbers say together.
struct precision {
    int decimals;      // most digits behind the point, exponents taken in
    int mantissa;      // the same of numbers with an exponent, which is left aside
    int significant;   // most significant digits
    bool has_exponent; // some number does
};

// The place of the first digit: 0 for 1 ... 9, -1 for 0.1 ... 0.9.
static int magnitude_of(double value) {
    return (int)floor(log10(fabs(value)));
}

static struct precision precision_of(const struct collector *collector) {
    struct precision precision = {0};
    for (size_t i = 0; i < collector->count; i++) {
        const struct numeral *numeral = &collector->numerals[i];
        if (numeral->decimals == EXACT) continue;
        if (numeral->decimals > precision.decimals) precision.decimals = numeral->decimals;
        if (numeral->has_exponent) {
            precision.has_exponent = true;
            if (numeral->mantissa > precision.mantissa) precision.mantissa = numeral->mantissa;
        }
        if (numeral->value == 0) continue;
        const int significant = magnitude_of(numeral->value) + 1 + numeral->decimals;
        if (significant > precision.significant) precision.significant = significant;
    }
    return precision;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// Numbers that were printed together have equally many digits behind the point, or before the
// exponent; NumPy leaves out zeros at the end. Lists and tables may have been rounded to decimals
// or to significant digits, and may lack zeros too: the coarser of both counts, but a digit that is
// there.
static int decimals_of(const struct numeral *numeral, const struct precision *precision,
                       enum form form) {
    const bool is_printed = form == FORM_TENSOR || form == FORM_ARRAY;
    if (is_printed && numeral->has_exponent)
        return precision->mantissa - (numeral->mantissa - numeral->decimals);
    if (is_printed || numeral->value == 0) return precision->decimals;
    const int significant = precision->significant - 1 - magnitude_of(numeral->value);
    const int meant = least(precision->decimals, significant);
    return meant > numeral->decimals ? meant : numeral->decimals;
}

static double half_unit_of(const struct numeral *numeral, const struct precision *precision,
                           enum form form) {
    const bool is_zero = numeral->has_exponent && numeral->value == 0; // 0.0000e+00 is 0
    if (numeral->decimals == EXACT || is_zero) return 0;
    return 0.5 * pow(10, -decimals_of(numeral, precision, form));
}

struct numbers collected(const struct collector *collector, enum form form, struct shape shape) {
    struct arena *arena = collector->reading->arena;
    const struct precision precision = precision_of(collector);
    struct numbers numbers = {.form = form, .shape = shape, .decimals = -1};
    numbers.values = arena_array(arena, collector->count, sizeof *numbers.values);
    for (size_t i = 0; i < collector->count; i++) numbers.values[i] = collector->numerals[i].value;
    if (precision.decimals == 0 && !precision.has_exponent) return numbers;
    numbers.is_scientific = precision.has_exponent && (form == FORM_TENSOR || form == FORM_ARRAY);
    numbers.decimals = numbers.is_scientific ? precision.mantissa : precision.decimals;
    numbers.half_units = arena_array(arena, collector->count, sizeof *numbers.half_units);
    for (size_t i = 0; i < collector->count; i++)
        numbers.half_units[i] = half_unit_of(&collector->numerals[i], &precision, form);
    return numbers;
}
