#include "any_parameters.h"

#include <inttypes.h>

#include "base/text.h"
#include "fixture.h"
#include "tensor/file/csv.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static uint64_t random_state;

static uint64_t random_below(uint64_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % limit;
}

// The first numbers of nearby seeds are alike: they are left out.
void begin_drawing(uint64_t seed) {
    random_state = 0x9E3779B97F4A7C15U * seed;
    for (int i = 0; i < 5; i++) (void)random_below(2);
}

// One of the texts.
#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *one_of(const char *const *texts, size_t count) {
    return texts[random_below(count)];
}

static void choose(struct parameters *parameters, uint64_t bit, const char *value) {
    expect(set_parameter(parameters, parameter_by_bit(bit), value), "'%s' is not possible", value);
}

static const char *number_text_below(uint64_t limit) {
    return arena_format(&arena, "%" PRIu64, 1 + random_below(limit));
}

// Up to 12 tokens of up to 8 features, numbers between -2 and 2.
static struct tensor random_inputs(void) {
    const uint64_t tokens = 1 + random_below(12), features = 1 + random_below(8);
    struct text csv = text_new(&arena);
    text_add(&csv, "token");
    for (uint64_t i = 0; i < features; i++) text_add_format(&csv, ",d%" PRIu64, i + 1);
    for (uint64_t i = 0; i < tokens; i++) {
        text_add_format(&csv, "\n%s%" PRIu64, ONE_OF("a", "日本", "é"), i);
        for (uint64_t j = 0; j < features; j++)
            text_add_format(&csv, ",%.3f", ((double)random_below(4001) - 2000) / 1000);
    }
    return csv_read(&arena, "random.csv", csv.bytes, csv.length);
}

// Heads must divide the width: makes one of the two a multiple or a divisor of the other.
static void fit_heads(struct parameters *p, const struct lesson *lesson) {
    const int64_t heads = p->given & USES_HEADS ? p->heads : lesson->defaults.heads;
    const int64_t of_pairs = lesson->uses & USES_BASE ? 2 : 1;
    const int64_t head_dim = of_pairs * (int64_t)(1 + random_below(4));
    const uint64_t width = lesson->uses & USES_D_MODEL ? USES_D_MODEL : USES_D_OUT;
    choose(p, width, arena_format(&arena, "%" PRId64, heads * head_dim));
}

// Groups must divide heads: takes one of those that do.
static void fit_groups(struct parameters *p, const struct lesson *lesson) {
    const int64_t heads = p->given & USES_HEADS ? p->heads : lesson->defaults.heads;
    int64_t groups = 1 + (int64_t)random_below((uint64_t)heads);
    while (heads % groups != 0) groups--;
    choose(p, USES_GROUPS, arena_format(&arena, "%" PRId64, groups));
}

struct parameters any_parameters(const struct lesson *lesson) {
    struct parameters p = {0};
    const uint64_t chosen = lesson->uses & random_below(UINT64_C(1) << PARAMETER_COUNT);
    int64_t tokens = 6;
    if (chosen & USES_INPUT) {
        choose(&p, USES_INPUT, "random.csv");
        p.inputs = random_inputs();
        tokens = p.inputs.shape[0];
    }
    if (chosen & USES_SEED) choose(&p, USES_SEED, ONE_OF("0", "1", "-7", "4294967296", "42"));
    if (chosen & USES_DROPOUT_SEED) choose(&p, USES_DROPOUT_SEED, ONE_OF("0", "9", "-1", "none"));
    if (chosen & USES_D_OUT) choose(&p, USES_D_OUT, number_text_below(9));
    if (chosen & USES_HEADS) choose(&p, USES_HEADS, number_text_below(5));
    if (lesson->splits_heads) fit_heads(&p, lesson);
    if (lesson->uses & USES_GROUPS) fit_groups(&p, lesson);
    if (chosen & USES_LENGTHS)
        choose(&p, USES_LENGTHS,
               arena_format(&arena, "%s,%s", number_text_below((uint64_t)tokens),
                            number_text_below((uint64_t)tokens)));
    if (chosen & USES_TARGET) choose(&p, USES_TARGET, number_text_below((uint64_t)tokens));
    if (chosen & USES_PREFILL) choose(&p, USES_PREFILL, number_text_below((uint64_t)tokens));
    if (lesson->uses & USES_BASE) {
        if (!lesson->splits_heads) choose(&p, USES_D_OUT, ONE_OF("2", "4", "6", "10"));
        choose(&p, USES_BASE, ONE_OF("1", "2.5", "10000", "1000000000"));
        choose(&p, USES_SHIFT, ONE_OF("0", "1", "5", "40000", "1000000"));
    }
    if (chosen & USES_QK_NORM) choose(&p, USES_QK_NORM, "");
    if (chosen & USES_WINDOW) choose(&p, USES_WINDOW, number_text_below((uint64_t)tokens));
    if (chosen & USES_TILE) choose(&p, USES_TILE, number_text_below((uint64_t)tokens));
    if (chosen & USES_LATENT) choose(&p, USES_LATENT, number_text_below(9));
    if (chosen & USES_DROPOUT) choose(&p, USES_DROPOUT, ONE_OF("0", "0.1", "0.5", "0.99", "1"));
    if (chosen & USES_BERNOULLI) choose(&p, USES_BERNOULLI, ONE_OF("mt19937", "mcg31m1"));
    if (chosen & USES_BIAS) choose(&p, USES_BIAS, "");
    if (chosen & USES_QUERY) choose(&p, USES_QUERY, number_text_below((uint64_t)tokens));
    if (chosen & USES_CONTEXT_LENGTH)
        choose(&p, USES_CONTEXT_LENGTH,
               arena_format(&arena, "%" PRId64, tokens + (int64_t)random_below(4)));
    if (chosen & USES_BATCH) choose(&p, USES_BATCH, number_text_below(4));
    if (chosen & USES_EVAL) choose(&p, USES_EVAL, "");
    if (chosen & USES_HIDDEN) choose(&p, USES_HIDDEN, number_text_below(20));
    if (chosen & USES_VOCABULARY) choose(&p, USES_VOCABULARY, ONE_OF("6", "7", "20"));
    if (chosen & USES_LOGITS)
        choose(&p, USES_LOGITS, ONE_OF("0", "1,1", "-1000,1000,3", "0,-2.5,4"));
    if (chosen & USES_TEMPERATURE) choose(&p, USES_TEMPERATURE, ONE_OF("0.01", "100,2", "1,1"));
    if (chosen & USES_TOP_K) choose(&p, USES_TOP_K, number_text_below(5));
    if (chosen & USES_SENTENCE)
        choose(&p, USES_SENTENCE, ONE_OF("the", "the birds", "the child that the dogs see ."));
    if (chosen & USES_OFF) choose(&p, USES_OFF, ONE_OF("1", "2.2", "1.1,1.2,2"));
    if (chosen & USES_SAMPLES) choose(&p, USES_SAMPLES, number_text_below(40));
    return p;
}
