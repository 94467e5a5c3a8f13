#include "trace/parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PLACE(field) offsetof(struct parameters, field)

const struct parameter parameter_table[PARAMETER_COUNT] = {
    {USES_INPUT, "input", "--input", NULL, "FILE", IS_FILE, PLACE(input), 0, 0,
     "token vectors as CSV, one a line; again: another sentence"},
    {USES_SEED, "seed", "--seed", NULL, "N", IS_SEED, PLACE(seed), 0, 0,
     "replaces every seed that the lesson sets"},
    {USES_DROPOUT_SEED, "dropout_seed", "--dropout-seed", NULL, "N", IS_SEED_OR_NONE,
     PLACE(dropout_seed), 0, 0, "seed before each mask; none: continue after the layers"},
    {USES_D_OUT, "d_out", "--d-out", "d_out", "N", IS_COUNT, PLACE(d_out), 1024, 64,
     "width of queries, keys and values (wrapper: of one head)"},
    {USES_D_MODEL, "d_model", "--d-model", "d_model", "N", IS_COUNT, PLACE(d_model), 1024, 64,
     "width of the model's vectors"},
    {USES_HIDDEN, "hidden", "--hidden", "d_hidden", "N", IS_COUNT, PLACE(hidden), 4096, 64,
     "width of the model's feed-forward block"},
    {USES_VOCABULARY, "vocabulary", "--vocabulary", "vocabulary", "N", IS_COUNT, PLACE(vocabulary),
     65536, 64, "number of words in the vocabulary, at least the text's"},
    {USES_HEADS, "heads", "--heads", "num_heads", "N", IS_COUNT, PLACE(heads), MOST_HEADS, 64,
     "number of heads"},
    {USES_DROPOUT, "dropout", "--dropout", "p", "P", IS_PROBABILITY, PLACE(dropout), 0, 0,
     "probability that dropout zeroes a weight, 0 ... 1"},
    {USES_BERNOULLI, "bernoulli", "--bernoulli", NULL, "S", IS_STREAM, PLACE(stream), 0, 0,
     "stream of dropout masks: mt19937 or mcg31m1"},
    {USES_BIAS, "bias", "--bias", "qkv_bias", NULL, IS_SWITCH, PLACE(bias), 0, 0,
     "bias in the query, key and value projections"},
    {USES_QUERY, "query", "--query", "query_index", "TOKEN", IS_TOKEN, PLACE(query), 0, 0,
     "the query followed on its own: a token, or a row from 1"},
    {USES_CONTEXT_LENGTH, "context_length", "--context-length", "context_length", "N", IS_COUNT,
     PLACE(context_length), 1024, 256, "tokens that the causal mask is made for"},
    {USES_BATCH, "batch", "--batch", "batch_size", "N", IS_COUNT, PLACE(batch), MOST_SENTENCES,
     MOST_SENTENCES, "copies of the input in the batch"},
    {USES_EVAL, "eval", "--eval", NULL, NULL, IS_SWITCH, PLACE(eval), 0, 0,
     "evaluation mode: dropout does nothing"},
    {USES_TEXT, "text", "--text", "text", "WORDS", IS_TEXT, PLACE(text), 0, 0,
     "what the model reads: 2 to 64 words, blanks between them"},
    {USES_UPDATES, "updates", "--updates", "updates", "N", IS_COUNT_FROM_0, PLACE(updates),
     MOST_UPDATES, MOST_UPDATES, "number of updates in training"},
    {USES_OPTIMIZER, "optimizer", "--optimizer", "optimizer", "O", IS_OPTIMIZER, PLACE(optimizer),
     0, 0, "how parameters are updated: adamw or sgd"},
    {USES_LR, "lr", "--lr", "lr", "X", IS_RATE, PLACE(lr), 0, 0,
     "learning rate: how far an update goes, above 0, at most 10"},
};

const struct parameter *parameter_by_option(const char *option) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (strcmp(parameter_table[i].option, option) == 0) return &parameter_table[i];
    }
    return NULL;
}

const struct parameter *parameter_by_bit(unsigned bit) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (parameter_table[i].bit == bit) return &parameter_table[i];
    }
    return NULL;
}

static void *field_of(struct parameters *parameters, const struct parameter *parameter) {
    return (char *)parameters + parameter->place;
}

static const void *field_in(const struct parameters *parameters,
                            const struct parameter *parameter) {
    return (const char *)parameters + parameter->place;
}

// Is `value` a decimal integer and nothing else, with at most one sign in front?
static bool is_integer(const char *value) {
    const char *digits = *value == '-' || *value == '+' ? value + 1 : value;
    return *digits != '\0' && strspn(digits, "0123456789") == strlen(digits);
}

static bool read_count(const char *value, int64_t least, int64_t most, int64_t *count) {
    errno = 0;
    const long long number = is_integer(value) ? strtoll(value, NULL, 10) : 0;
    if (!is_integer(value) || errno != 0 || number < least || number > most) return false;
    *count = number;
    return true;
}

// -2^63 ... 2^64 - 1; a negative seed s becomes 2^64 + s, as in PyTorch.
static bool read_seed(const char *value, uint64_t *seed) {
    if (!is_integer(value)) return false;
    errno = 0;
    *seed = *value == '-' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10);
    return errno == 0;
}

// A plain decimal number: no "nan", no "0x1p-1", no locale.
static bool read_decimal(const char *value, double *number) {
    if (*value == '\0' || strspn(value, "0123456789.eE+-") != strlen(value)) return false;
    char *end;
    *number = strtod(value, &end);
    return *end == '\0';
}

static bool read_probability(const char *value, double *probability) {
    double number;
    if (!read_decimal(value, &number) || !(number >= 0 && number <= 1)) return false;
    *probability = number == 0 ? 0 : number; // -0 is 0
    return true;
}

static bool read_rate(const char *value, double *rate) {
    double number;
    if (!read_decimal(value, &number) || !(number > 0 && number <= MOST_RATE)) return false;
    *rate = number;
    return true;
}

static bool read_optimizer(const char *value, enum optimizer *optimizer) {
    const bool is_sgd = strcmp(value, "sgd") == 0;
    if (!is_sgd && strcmp(value, "adamw") != 0) return false;
    *optimizer = is_sgd ? SGD : ADAMW;
    return true;
}

static bool read_stream(const char *value, enum bernoulli *stream) {
    if (strcmp(value, "mt19937") == 0)
        *stream = MT19937;
    else if (strcmp(value, "mcg31m1") == 0)
        *stream = MCG31M1;
    else
        return false;
    return true;
}

// A seed, or the word for none.
static bool read_dropout_seed(const char *value, struct parameters *parameters) {
    parameters->no_dropout_seed = strcmp(value, "none") == 0;
    return parameters->no_dropout_seed || read_seed(value, &parameters->dropout_seed);
}

static bool read_value(struct parameters *parameters, const struct parameter *parameter,
                       const char *value) {
    void *field = field_of(parameters, parameter);
    switch (parameter->kind) {
    case IS_COUNT:
        return read_count(value, 1, parameter->most, field);
    case IS_COUNT_FROM_0:
        return read_count(value, 0, parameter->most, field);
    case IS_SEED:
        return read_seed(value, field);
    case IS_SEED_OR_NONE:
        return read_dropout_seed(value, parameters);
    case IS_PROBABILITY:
        return read_probability(value, field);
    case IS_RATE:
        return read_rate(value, field);
    case IS_OPTIMIZER:
        return read_optimizer(value, field);
    case IS_STREAM:
        return read_stream(value, field);
    case IS_SWITCH:
        *(bool *)field = true;
        return true;
    case IS_FILE:
        parameters->other_count = 0;
        *(const char **)field = value;
        return true;
    case IS_TOKEN:
    case IS_TEXT:
        *(const char **)field = value;
        return true;
    }
    return false;
}

bool set_parameter(struct parameters *parameters, const struct parameter *parameter,
                   const char *value) {
    if (!read_value(parameters, parameter, value)) return false;
    parameters->given |= parameter->bit;
    return true;
}

struct parameter parameter_walked(const struct parameter *parameter) {
    struct parameter walked = *parameter;
    walked.most = parameter->walked;
    return walked;
}

bool is_beyond_walker(const struct parameters *parameters, const struct parameter *parameter) {
    const bool is_count = parameter->kind == IS_COUNT || parameter->kind == IS_COUNT_FROM_0;
    if (!is_count || !(parameters->given & parameter->bit)) return false;
    return *(const int64_t *)field_in(parameters, parameter) > parameter->walked;
}

const char *possible_values(struct arena *arena, const struct parameter *parameter) {
    switch (parameter->kind) {
    case IS_COUNT:
        return arena_format(arena, "a whole number, 1 ... %" PRId64, parameter->most);
    case IS_SEED:
        return "a whole number, -9223372036854775808 ... 18446744073709551615";
    case IS_SEED_OR_NONE:
        return "a whole number, -9223372036854775808 ... 18446744073709551615, or none";
    case IS_COUNT_FROM_0:
        return arena_format(arena, "a whole number, 0 ... %" PRId64, parameter->most);
    case IS_PROBABILITY:
        return "a probability, 0 ... 1";
    case IS_RATE:
        return arena_format(arena, "a number above 0, at most %d", MOST_RATE);
    case IS_OPTIMIZER:
        return "adamw or sgd";
    case IS_STREAM:
        return "mt19937 or mcg31m1";
    default:
        return "a value";
    }
}

static const char *input_names(struct arena *arena, const struct parameters *parameters) {
    const char *names = parameters->input == NULL ? "" : parameters->input;
    for (int i = 0; i < parameters->other_count; i++)
        names = arena_format(arena, "%s, %s", names, parameters->other_input[i]);
    return names;
}

// The shortest decimal that reads back as the same number: 0.1, not 0.10000000000000001.
static const char *shortest(struct arena *arena, double number) {
    const char *text = "";
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_format(arena, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return text;
}

const char *parameter_text(struct arena *arena, const struct parameters *parameters,
                           const struct parameter *parameter) {
    const void *field = field_in(parameters, parameter);
    switch (parameter->kind) {
    case IS_COUNT:
    case IS_COUNT_FROM_0:
        return arena_format(arena, "%" PRId64, *(const int64_t *)field);
    case IS_SEED_OR_NONE:
        if (parameters->no_dropout_seed) return "none";
        return arena_format(arena, "%" PRIu64, parameters->dropout_seed);
    case IS_SEED:
        return arena_format(arena, "%" PRIu64, *(const uint64_t *)field);
    case IS_OPTIMIZER:
        return *(const enum optimizer *)field == SGD ? "sgd" : "adamw";
    case IS_PROBABILITY:
    case IS_RATE:
        return shortest(arena, *(const double *)field);
    case IS_STREAM:
        return *(const enum bernoulli *)field == MT19937 ? "mt19937" : "mcg31m1";
    case IS_SWITCH:
        return *(const bool *)field ? "yes" : "no";
    case IS_FILE:
        return input_names(arena, parameters);
    case IS_TOKEN:
    case IS_TEXT:
        return *(const char *const *)field == NULL ? "" : *(const char *const *)field;
    }
    return "";
}

struct parameters overlaid(const struct parameters *own, const struct parameters *chosen,
                           unsigned uses) {
    struct parameters result = *own;
    result.given = chosen->given & uses;
    if (result.given & USES_INPUT) {
        result.input = chosen->input;
        result.inputs = chosen->inputs;
        result.other_count = uses & USES_BATCH ? chosen->other_count : 0;
        memcpy(result.other_input, chosen->other_input, sizeof result.other_input);
        memcpy(result.other_inputs, chosen->other_inputs, sizeof result.other_inputs);
    }
    if (result.given & USES_SEED) result.seed = chosen->seed;
    if (result.given & USES_DROPOUT_SEED) {
        result.dropout_seed = chosen->dropout_seed;
        result.no_dropout_seed = chosen->no_dropout_seed;
    }
    if (result.given & USES_D_OUT) result.d_out = chosen->d_out;
    if (result.given & USES_HEADS) result.heads = chosen->heads;
    if (result.given & USES_DROPOUT) result.dropout = chosen->dropout;
    if (result.given & USES_BERNOULLI) result.stream = chosen->stream;
    if (result.given & USES_BIAS) result.bias = chosen->bias;
    if (result.given & USES_QUERY) result.query = chosen->query;
    if (result.given & USES_CONTEXT_LENGTH) result.context_length = chosen->context_length;
    if (result.given & USES_BATCH) result.batch = chosen->batch;
    if (result.given & USES_EVAL) result.eval = chosen->eval;
    if (result.given & USES_TEXT) result.text = chosen->text;
    if (result.given & USES_UPDATES) result.updates = chosen->updates;
    if (result.given & USES_OPTIMIZER) result.optimizer = chosen->optimizer;
    if (result.given & USES_LR) result.lr = chosen->lr;
    if (result.given & USES_D_MODEL) result.d_model = chosen->d_model;
    if (result.given & USES_HIDDEN) result.hidden = chosen->hidden;
    if (result.given & USES_VOCABULARY) result.vocabulary = chosen->vocabulary;
    return result;
}
