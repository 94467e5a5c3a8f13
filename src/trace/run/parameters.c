#include "trace/run/parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/ops.h"
#include "tensor/text/digits.h"

#define START(field) offsetof(struct parameters, field)
#define SIZE(field) sizeof((struct parameters *)NULL)->field
#define FIELD(field) .offset = START(field), .size = SIZE(field)
#define FIELDS(first, last) .offset = START(first), .size = START(last) + SIZE(last) - START(first)
#define ROW(BIT, ...) [PARAMETER_##BIT] = {.bit = USES_##BIT, __VA_ARGS__},
const struct parameter parameter_table[PARAMETER_COUNT] = {
#include "trace/run/parameter_rows.h"
};
#undef ROW

_Static_assert(sizeof(enum bernoulli) == sizeof(int) && sizeof(enum optimizer) == sizeof(int),
               "a choice is read as an int");

const struct parameter *parameter_by_option(const char *option) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (strcmp(parameter_table[i].option, option) == 0) return &parameter_table[i];
    }
    return NULL;
}

const struct parameter *parameter_by_bit(uint64_t bit) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (parameter_table[i].bit == bit) return &parameter_table[i];
    }
    return NULL;
}

static void *field_of(struct parameters *parameters, const struct parameter *parameter) {
    return (char *)parameters + parameter->offset;
}

static const void *field_in(const struct parameters *parameters,
                            const struct parameter *parameter) {
    return (const char *)parameters + parameter->offset;
}

bool is_switch(const struct parameter *parameter) {
    return parameter->kind == &switch_kind;
}

bool is_file(const struct parameter *parameter) {
    return parameter->kind == &file_kind;
}

// ---- Numbers ------------------------------------------------------------------------------------

// Is `value` a decimal integer and nothing else, with at most one sign in front?
static bool is_integer(const char *value) {
    const char *digits = *value == '-' || *value == '+' ? value + 1 : value;
    return *digits != '\0' && strspn(digits, "0123456789") == strlen(digits);
}

// Sizes are 1 or more, counts also 0.
static int64_t least_of(const struct parameter *parameter) {
    return parameter->kind == &size_kind ? 1 : 0;
}

static bool read_count(struct parameters *parameters, const struct parameter *parameter,
                       const char *value) {
    errno = 0;
    const long long number = is_integer(value) ? strtoll(value, NULL, 10) : 0;
    if (!is_integer(value) || errno != 0 || number < least_of(parameter) ||
        number > parameter->most)
        return false;
    *(int64_t *)field_of(parameters, parameter) = number;
    return true;
}

static const char *count_text(struct arena *arena, const struct parameters *parameters,
                              const struct parameter *parameter) {
    return arena_format(arena, "%" PRId64, *(const int64_t *)field_in(parameters, parameter));
}

static const char *possible_counts(struct arena *arena, const struct parameter *parameter) {
    return arena_format(arena, "a whole number, %" PRId64 " ... %" PRId64, least_of(parameter),
                        parameter->most);
}

static const char *next_size(struct arena *arena, const struct parameter *parameter,
                             const char *value, int by) {
    (void)parameter;
    return arena_format(arena, "%lld", strtoll(value, NULL, 10) + by);
}

// By tens, after the first.
static const char *next_count(struct arena *arena, const struct parameter *parameter,
                              const char *value, int by) {
    (void)parameter;
    const long long count = strtoll(value, NULL, 10), step = count + by < 10 ? 1 : 10;
    return arena_format(arena, "%lld", count + by * step);
}

const struct parameter_kind size_kind = {
    .read = read_count, .text = count_text, .possible = possible_counts, .next = next_size};
const struct parameter_kind count_kind = {
    .read = read_count, .text = count_text, .possible = possible_counts, .next = next_count};

// ---- Seeds --------------------------------------------------------------------------------------

// -2^63 ... 2^64 - 1; a negative seed s becomes 2^64 + s, as in PyTorch.
static bool read_seed(struct parameters *parameters, const struct parameter *parameter,
                      const char *value) {
    if (!is_integer(value)) return false;
    errno = 0;
    const uint64_t seed =
        *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
    if (errno == 0) *(uint64_t *)field_of(parameters, parameter) = seed;
    return errno == 0;
}

static const char *seed_text(struct arena *arena, const struct parameters *parameters,
                             const struct parameter *parameter) {
    return arena_format(arena, "%" PRIu64, *(const uint64_t *)field_in(parameters, parameter));
}

static const char *possible_seeds(struct arena *arena, const struct parameter *parameter) {
    return arena_format(arena, "a whole number, -9223372036854775808 ... 18446744073709551615%s",
                        parameter->kind == &mask_seed_kind ? ", or none" : "");
}

static const char *next_seed(struct arena *arena, const struct parameter *parameter,
                             const char *value, int by) {
    (void)parameter;
    return arena_format(arena, "%" PRIu64,
                        (uint64_t)strtoull(value, NULL, 10) + (uint64_t)(int64_t)by);
}

// A seed, or the word for none.
static bool read_mask_seed(struct parameters *parameters, const struct parameter *parameter,
                           const char *value) {
    const bool is_none = strcmp(value, "none") == 0;
    if (!is_none && !read_seed(parameters, parameter, value)) return false;
    parameters->no_dropout_seed = is_none;
    return true;
}

static const char *mask_seed_text(struct arena *arena, const struct parameters *parameters,
                                  const struct parameter *parameter) {
    return parameters->no_dropout_seed ? "none" : seed_text(arena, parameters, parameter);
}

const struct parameter_kind seed_kind = {
    .read = read_seed, .text = seed_text, .possible = possible_seeds, .next = next_seed};
const struct parameter_kind mask_seed_kind = {
    .read = read_mask_seed, .text = mask_seed_text, .possible = possible_seeds, .next = next_seed};

// ---- Decimals -----------------------------------------------------------------------------------

static bool read_probability(struct parameters *parameters, const struct parameter *parameter,
                             const char *value) {
    double number;
    if (!read_decimal(value, &number) || !(number >= 0 && number <= 1)) return false;
    *(double *)field_of(parameters, parameter) = number == 0 ? 0 : number; // -0 is 0
    return true;
}

static bool read_rate(struct parameters *parameters, const struct parameter *parameter,
                      const char *value) {
    double number;
    if (!read_decimal(value, &number) || !(number > 0 && number <= MOST_RATE)) return false;
    *(double *)field_of(parameters, parameter) = number;
    return true;
}

static bool read_decay(struct parameters *parameters, const struct parameter *parameter,
                       const char *value) {
    return read_probability(parameters, parameter, value); // of the same range
}

static bool read_clip(struct parameters *parameters, const struct parameter *parameter,
                      const char *value) {
    double number;
    if (!read_decimal(value, &number) || !(number >= 0 && number <= MOST_RATE)) return false;
    *(double *)field_of(parameters, parameter) = number == 0 ? 0 : number; // -0 is 0
    return true;
}

static bool read_base(struct parameters *parameters, const struct parameter *parameter,
                      const char *value) {
    double number;
    if (!read_decimal(value, &number) || !(number >= 1 && number <= MOST_BASE)) return false;
    *(double *)field_of(parameters, parameter) = number;
    return true;
}

// A decimal that reads back as the same number: 0.1, not 0.10000000000000001, and 10, not 1e+01.
static const char *decimal(struct arena *arena, double number) {
    const bool is_whole = number >= 1 && number <= MOST_BASE && number == floor(number);
    return is_whole ? arena_format(arena, "%.0f", number)
                    : shortest_decimal(arena, number, FLOAT64);
}

static const char *decimal_text(struct arena *arena, const struct parameters *parameters,
                                const struct parameter *parameter) {
    return decimal(arena, *(const double *)field_in(parameters, parameter));
}

double weight_decay_of(const struct parameters *parameters) {
    if (parameters->given & USES_WEIGHT_DECAY) return parameters->weight_decay;
    return parameters->optimizer == ADAMW ? ADAMW_DECAY : 0;
}

double decay_of_adamw(const struct parameters *parameters) {
    return parameters->optimizer == ADAMW ? weight_decay_of(parameters) : ADAMW_DECAY;
}

static const char *decay_text(struct arena *arena, const struct parameters *parameters,
                              const struct parameter *parameter) {
    (void)parameter;
    return decimal(arena, weight_decay_of(parameters));
}

static const char *possible_decays(struct arena *arena, const struct parameter *parameter) {
    (void)arena, (void)parameter;
    return "a number, 0 ... 1";
}

static const char *possible_probabilities(struct arena *arena, const struct parameter *parameter) {
    (void)arena, (void)parameter;
    return "a probability, 0 ... 1";
}

static const char *possible_rates(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena, "a number above 0, at most %d", MOST_RATE);
}

static const char *possible_clips(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena, "a number, 0 ... %d", MOST_RATE);
}

static const char *possible_bases(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena, "a number, 1 ... %d", MOST_BASE);
}

static const char *next_probability(struct arena *arena, const struct parameter *parameter,
                                    const char *value, int by) {
    (void)parameter;
    const double p = strtod(value, NULL) + by * 0.1;
    return arena_format(arena, "%.1f", p < 0.05 ? 0 : p > 0.95 ? 1 : p);
}

// The entry of a growing list that is `by` places from the value, or from the first above it.
static const char *next_of(const char *const *values, int count, const char *value, int by) {
    const double number = strtod(value, NULL);
    int position = 0;
    while (position + 1 < count && strtod(values[position], NULL) < number * 0.999) position++;
    position += by;
    return position < 0 || position >= count ? NULL : values[position];
}

static const char *next_rate(struct arena *arena, const struct parameter *parameter,
                             const char *value, int by) {
    static const char *const rates[] = {"0.0001", "0.0002", "0.0005", "0.001", "0.002", "0.005",
                                        "0.01",   "0.02",   "0.05",   "0.1",   "0.2",   "0.5",
                                        "1",      "2",      "5",      "10"};
    (void)arena, (void)parameter;
    return next_of(rates, sizeof rates / sizeof *rates, value, by);
}

static const char *next_decay(struct arena *arena, const struct parameter *parameter,
                              const char *value, int by) {
    static const char *const decays[] = {"0", "0.0001", "0.001", "0.01", "0.1", "0.25", "1"};
    (void)arena, (void)parameter;
    return next_of(decays, sizeof decays / sizeof *decays, value, by);
}

static const char *next_clip(struct arena *arena, const struct parameter *parameter,
                             const char *value, int by) {
    static const char *const clips[] = {"0", "0.01", "0.1", "0.5", "1", "2", "5", "10"};
    (void)arena, (void)parameter;
    return next_of(clips, sizeof clips / sizeof *clips, value, by);
}

// The next power of ten.
static const char *next_base(struct arena *arena, const struct parameter *parameter,
                             const char *value, int by) {
    (void)parameter;
    const double base = strtod(value, NULL);
    int64_t ten = 1;
    while ((double)ten < base) ten *= 10;
    if (by > 0 && (double)ten == base) ten *= 10;
    if (by < 0) ten /= 10;
    return ten < 1 || ten > MOST_BASE ? NULL : arena_format(arena, "%" PRId64, ten);
}

const struct parameter_kind probability_kind = {.read = read_probability,
                                                .text = decimal_text,
                                                .possible = possible_probabilities,
                                                .next = next_probability};
const struct parameter_kind rate_kind = {
    .read = read_rate, .text = decimal_text, .possible = possible_rates, .next = next_rate};

const struct parameter_kind decay_kind = {
    .read = read_decay, .text = decay_text, .possible = possible_decays, .next = next_decay};

const struct parameter_kind clip_kind = {
    .read = read_clip, .text = decimal_text, .possible = possible_clips, .next = next_clip};

const struct parameter_kind base_kind = {
    .read = read_base, .text = decimal_text, .possible = possible_bases, .next = next_base};

// ---- Choices and switches -----------------------------------------------------------------------

// The number of a choice, or how many there are if it is none.
static int choice_called(const struct parameter *parameter, const char *value) {
    int number = 0;
    while (number < PARAMETER_CHOICES && parameter->choices[number] != NULL &&
           strcmp(parameter->choices[number], value) != 0)
        number++;
    return number;
}

static int choice_count(const struct parameter *parameter) {
    return choice_called(parameter, "");
}

static bool read_choice(struct parameters *parameters, const struct parameter *parameter,
                        const char *value) {
    const int number = choice_called(parameter, value);
    if (number == choice_count(parameter)) return false;
    *(int *)field_of(parameters, parameter) = number;
    return true;
}

static const char *choice_text(struct arena *arena, const struct parameters *parameters,
                               const struct parameter *parameter) {
    (void)arena;
    return parameter->choices[*(const int *)field_in(parameters, parameter)];
}

static const char *possible_choices(struct arena *arena, const struct parameter *parameter) {
    return words_joined(arena, parameter->choices, choice_count(parameter), "or");
}

static const char *next_choice(struct arena *arena, const struct parameter *parameter,
                               const char *value, int by) {
    (void)arena;
    const int count = choice_count(parameter);
    return parameter->choices[(choice_called(parameter, value) + by + count) % count];
}

static bool read_switch(struct parameters *parameters, const struct parameter *parameter,
                        const char *value) {
    (void)value;
    *(bool *)field_of(parameters, parameter) = true;
    return true;
}

static const char *switch_text(struct arena *arena, const struct parameters *parameters,
                               const struct parameter *parameter) {
    (void)arena;
    return *(const bool *)field_in(parameters, parameter) ? "yes" : "no";
}

static const char *other_switch(struct arena *arena, const struct parameter *parameter,
                                const char *value, int by) {
    (void)arena, (void)parameter, (void)by;
    return strcmp(value, "yes") == 0 ? "no" : "yes";
}

const struct parameter_kind choice_kind = {.read = read_choice,
                                           .text = choice_text,
                                           .possible = possible_choices,
                                           .next = next_choice,
                                           .form = FORM_WORDS};
const struct parameter_kind switch_kind = {
    .read = read_switch, .text = switch_text, .next = other_switch, .form = FORM_SWITCH};

// ---- Words --------------------------------------------------------------------------------------

static bool read_words(struct parameters *parameters, const struct parameter *parameter,
                       const char *value) {
    *(const char **)field_of(parameters, parameter) = value;
    return true;
}

static const char *words_text(struct arena *arena, const struct parameters *parameters,
                              const struct parameter *parameter) {
    (void)arena;
    const char *words = *(const char *const *)field_in(parameters, parameter);
    return words == NULL ? "" : words;
}

static bool read_file_name(struct parameters *parameters, const struct parameter *parameter,
                           const char *value) {
    parameters->other_count = 0;
    return read_words(parameters, parameter, value);
}

static const char *file_names(struct arena *arena, const struct parameters *parameters,
                              const struct parameter *parameter) {
    const char *names = words_text(arena, parameters, parameter);
    for (int i = 0; i < parameters->other_count; i++)
        names = arena_format(arena, "%s, %s", names, parameters->other_input[i]);
    return names;
}

const struct parameter_kind token_kind = {
    .read = read_words, .text = words_text, .form = FORM_WORDS};
const struct parameter_kind text_kind = {
    .read = read_words, .text = words_text, .form = FORM_WORDS};
const struct parameter_kind file_kind = {
    .read = read_file_name, .text = file_names, .form = FORM_WORDS};

// ---- Of any kind --------------------------------------------------------------------------------

bool set_parameter(struct parameters *parameters, const struct parameter *parameter,
                   const char *value) {
    if (!parameter->kind->read(parameters, parameter, value)) return false;
    parameters->given |= parameter->bit;
    return true;
}

struct parameter parameter_walked(const struct parameter *parameter) {
    struct parameter walked = *parameter;
    walked.most = parameter->walked;
    return walked;
}

bool is_beyond_walker(const struct parameters *parameters, const struct parameter *parameter) {
    if (parameter->walked == 0 || !(parameters->given & parameter->bit)) return false;
    return *(const int64_t *)field_in(parameters, parameter) > parameter->walked;
}

const char *possible_values(struct arena *arena, const struct parameter *parameter) {
    const struct parameter_kind *kind = parameter->kind;
    return kind->possible != NULL ? kind->possible(arena, parameter) : "a value";
}

const char *parameter_text(struct arena *arena, const struct parameters *parameters,
                           const struct parameter *parameter) {
    return parameter->kind->text(arena, parameters, parameter);
}

struct parameters overlaid(const struct parameters *defaults, const struct parameters *chosen,
                           uint64_t uses) {
    struct parameters result = *defaults;
    result.given = chosen->given & uses;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (result.given & parameter->bit)
            memcpy(field_of(&result, parameter), field_in(chosen, parameter), parameter->size);
    }
    if (!(uses & USES_BATCH)) result.other_count = 0; // its sentences are a batch
    return result;
}
