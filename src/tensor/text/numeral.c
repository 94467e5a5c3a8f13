#include "tensor/text/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMERAL = 1100 }; // the longest exact double has 1077 characters
enum { MAX_EXPONENT = 99999 };

// Reads digits; returns how many.
static size_t skip_digits(struct reading *reading) {
    const char *first = reading->next;
    while (reading->next < reading->end && *reading->next >= '0' && *reading->next <= '9')
        reading->next++;
    return (size_t)(reading->next - first);
}

static void skip_sign(struct reading *reading) {
    if (reading->next < reading->end && (*reading->next == '-' || *reading->next == '+'))
        reading->next++;
}

static bool take_word(struct reading *reading, struct numeral *numeral) {
    static const struct {
        const char *word;
        double value;
    } words[] = {
        {"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}, {"true", 1}, {"false", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!skip_word(reading, words[i].word)) continue;
        *numeral = (struct numeral){.value = words[i].value, .decimals = EXACT};
        return true;
    }
    return false;
}

// Reads "e-05" if it is there; *exponent is 0 without it.
static bool take_exponent(struct reading *reading, int *exponent) {
    const char *start = reading->next;
    *exponent = 0;
    if (!skip_word(reading, "e")) return false;
    skip_sign(reading);
    const char *digits = reading->next;
    if (skip_digits(reading) == 0) {
        reading->next = start;
        return false;
    }
    for (const char *digit = digits; digit < reading->next && *exponent <= MAX_EXPONENT; digit++)
        *exponent = *exponent * 10 + (*digit - '0');
    if (start[1] == '-') *exponent = -*exponent;
    return true;
}

// Reads digits with a point and an exponent. The value comes later.
static bool take_digits(struct reading *reading, struct numeral *numeral) {
    const size_t before = skip_digits(reading);
    size_t behind = 0;
    if (reading->next < reading->end && *reading->next == '.') {
        reading->next++;
        behind = skip_digits(reading);
    }
    if (before + behind == 0) return false;
    int exponent;
    const bool has_exponent = take_exponent(reading, &exponent);
    const int mantissa = behind < MAX_NUMERAL ? (int)behind : MAX_NUMERAL;
    *numeral = (struct numeral){
        .decimals = mantissa - exponent, .mantissa = mantissa, .has_exponent = has_exponent};
    return true;
}

// strtod reads a point because the program never calls setlocale() for LC_NUMERIC.
static double value_of(const struct reading *reading, const char *start) {
    const size_t length = (size_t)(reading->next - start);
    if (length > MAX_NUMERAL)
        fail_at(reading, start, "a number of %zu characters: at most %d are possible", length,
                MAX_NUMERAL);
    char digits[MAX_NUMERAL + 1];
    memcpy(digits, start, length);
    digits[length] = '\0';
    const double value = strtod(digits, NULL);
    if (isinf(value))
        fail_at(reading, start, "%s is too large for a number", word_at(reading, start));
    return value;
}

bool skip_decimal(struct reading *reading) {
    const char *start = reading->next;
    struct numeral numeral;
    skip_sign(reading);
    if (take_digits(reading, &numeral)) return true;
    reading->next = start;
    return false;
}

bool take_numeral(struct reading *reading, struct numeral *numeral) {
    const char *start = reading->next;
    skip_sign(reading);
    const bool is_word = take_word(reading, numeral);
    const bool is_number = is_word || take_digits(reading, numeral);
    const bool is_whole =
        reading->next == reading->end || *reading->next == '"' || ends_word(*reading->next);
    if (!is_number || !is_whole) {
        reading->next = start;
        return false;
    }
    if (!is_word)
        numeral->value = value_of(reading, start);
    else if (*start == '-')
        numeral->value = -numeral->value;
    return true;
}

bool is_numeral(const struct reading *reading, struct field field, struct numeral *numeral) {
    struct reading inside = inside_of(reading, field);
    struct numeral unused;
    skip_blanks(&inside);
    if (!take_numeral(&inside, numeral != NULL ? numeral : &unused)) return false;
    skip_blanks(&inside);
    return inside.next == inside.end;
}
