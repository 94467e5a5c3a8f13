#include "tensor/text/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *number_in_digits(struct arena *arena, double number, int digits) {
    if (isnan(number)) return "nan";
    if (isinf(number)) return number > 0 ? "inf" : "-inf";
    if (digits < 0) return arena_format(arena, "%.9g", number);
    const double size = fabs(number);
    const bool fits = size >= pow(10, -digits) && size < 1e8;
    if (size > 0 && !fits) return arena_format(arena, "%.*e", digits, number);
    return arena_format(arena, "%.*f", digits, number);
}

const char *number_in_arithmetic(struct arena *arena, double number, int digits) {
    const double size = fabs(number), unit = pow(10, -digits);
    const bool is_rough = digits > 0 && size >= unit && size < fmin(100 * unit, 1) &&
                          fabs(round(size / unit) * unit - size) > size * unit;
    const int zeros = is_rough ? -1 - (int)floor(log10(size)) : 0; // behind the point
    return number_in_digits(arena, number, digits + zeros);
}

const char *number_more_precise(struct arena *arena, double number, int digits, int more) {
    const char *written = number_in_arithmetic(arena, number, digits);
    const char *point = strchr(written, '.');
    if (more == 0 || digits < 0 || point == NULL) return written;
    const int decimals = (int)strspn(point + 1, "0123456789") + more;
    const bool has_exponent = strchr(written, 'e') != NULL;
    const char *full = has_exponent ? arena_format(arena, "%.*e", decimals, number)
                                    : arena_format(arena, "%.*f", decimals, number);
    return strtod(written, NULL) == strtod(full, NULL) ? written : full;
}

const char *cell_number(struct arena *arena, const struct cell *cell, int digits) {
    const double value = cell_value(cell);
    if (cell->tensor.storage->count == 0) return "";
    switch (cell->tensor.storage->dtype) {
    case BOOL:
        return value != 0 ? "True" : "False";
    case INT64:
    case INT32:
        return arena_format(arena, "%" PRId64, whole_element(&cell->tensor, cell->index));
    default:
        return number_in_digits(arena, value, digits);
    }
}

const char *shortest_decimal(struct arena *arena, double number, enum dtype dtype) {
    const char *text = "";
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_format(arena, "%.*g", digits, number);
        const bool is_float = dtype == FLOAT32;
        if ((is_float ? (double)strtof(text, NULL) : strtod(text, NULL)) == number) break;
    }
    return text;
}

// Adds 1 to the last digit of "1.2345e+10"; false where that would take another digit.
static bool count_up(char *digits) {
    char *at = strchr(digits, 'e');
    while (at-- > digits) {
        if (*at == '.' || *at == '-') continue;
        if (*at != '9') {
            ++*at;
            return true;
        }
        *at = '0';
    }
    return false;
}

void text_add_float(struct text *text, double number) {
    if (isnan(number) || isinf(number)) {
        text_add(text, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
        return;
    }
    char digits[40];
    int precision = 0;
    do snprintf(digits, sizeof digits, "%.*e", precision, number);
    while (strtod(digits, NULL) != number && ++precision < 17);
    if (precision == 16) { // above a power of two, numbers are wider apart: one digit less may do
        char above[sizeof digits];
        snprintf(above, sizeof above, "%.15e", number);
        if (count_up(above) && strtod(above, NULL) == number) memcpy(digits, above, sizeof digits);
    }
    char *mark = strchr(digits, 'e');
    const int exponent = atoi(mark + 1);
    *mark = '\0';
    if (exponent >= -4 && exponent < 16) {
        const int decimals = precision > exponent ? precision - exponent : 1;
        text_add_format(text, "%.*f", decimals, number);
    } else {
        text_add_format(text, "%se%c%02d", digits, exponent < 0 ? '-' : '+', abs(exponent));
    }
}

bool read_decimal(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return *text != '\0' && *end == '\0' && strspn(text, "0123456789.eE+-") == strlen(text);
}
