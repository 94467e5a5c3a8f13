#include "tensor/file/reading.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

// ---- Saying what is wrong -----------------------------------------------------------------------

// How much of a stranger's text a message shows, in bytes. A file's name keeps its end, a word its
// beginning.
enum { MAX_NAME_SHOWN = 72, MAX_WORD_SHOWN = 32 };

static bool continues_character(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static const char *shown_name(const struct reading *reading) {
    const char *safe = text_safe(reading->arena, reading->name);
    const size_t length = strlen(safe);
    if (length <= MAX_NAME_SHOWN) return safe;
    const char *tail = safe + length - MAX_NAME_SHOWN;
    while (continues_character(*tail)) tail++;
    return arena_format(reading->arena, "...%s", tail);
}

void fail_at(const struct reading *reading, const char *place, const char *format, ...) {
    size_t line = 1, column = 1;
    for (const char *byte = reading->start; byte < place; byte++) {
        if (*byte == '\n') {
            line++;
            column = 1;
        } else if (!continues_character(*byte)) {
            column++;
        }
    }
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(reading->arena->failure, FAIL_INPUT, "%s:%zu:%zu: %s", shown_name(reading), line, column,
         what);
}

void fail_whole(const struct reading *reading, const char *format, ...) {
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(reading->arena->failure, FAIL_INPUT, "%s: %s", shown_name(reading), what);
}

static bool ends_word(char byte) {
    return is_blank(byte) || strchr("[](){}<>,;", byte) != NULL; // a NUL too
}

const char *word_at(const struct reading *reading, const char *place) {
    size_t length = 0;
    const size_t most = (size_t)(reading->end - place);
    while (length < most && length <= MAX_WORD_SHOWN && !ends_word(place[length])) length++;
    if (length == 0 && most > 0) length = 1;
    const bool is_cut = length > MAX_WORD_SHOWN;
    if (is_cut) length = MAX_WORD_SHOWN;
    while (length > 0 && length < most && continues_character(place[length])) length--;
    const char *safe = text_safe_bytes(reading->arena, place, length);
    return is_cut ? arena_format(reading->arena, "%s...", safe) : safe;
}

// ---- Words --------------------------------------------------------------------------------------

bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

void skip_blanks(struct reading *reading) {
    while (reading->next < reading->end && is_blank(*reading->next)) reading->next++;
}

static char small_letter(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool skip_word(struct reading *reading, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(reading->end - reading->next) < length) return false;
    for (size_t i = 0; i < length; i++) {
        if (small_letter(reading->next[i]) != small_letter(word[i])) return false;
    }
    reading->next += length;
    return true;
}

// ---- Numerals -----------------------------------------------------------------------------------

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

bool is_numeral(const struct reading *reading, const char *string, size_t length) {
    struct reading part = *reading;
    part.next = string;
    part.end = string + length;
    struct numeral numeral;
    skip_blanks(&part);
    if (!take_numeral(&part, &numeral)) return false;
    skip_blanks(&part);
    return part.next == part.end;
}

// ---- Collecting ---------------------------------------------------------------------------------

void collect(struct collector *collector, const struct numeral *numeral, const char *place) {
    if (collector->count == NUMBERS_MAX)
        fail_at(collector->reading, place, "too many numbers: at most %d are possible",
                NUMBERS_MAX);
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
