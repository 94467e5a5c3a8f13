// Random numbers: PyTorch's, from the seed on, and no draw more or fewer than PyTorch takes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "records.h"
#include "tensor/number/generator.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static struct generator generator;

// ---- The engine ---------------------------------------------------------------------------------

// First draws after some seeds. That of 5489 is the reference implementation's own (mt19937ar.c).
static const struct {
    uint64_t seed;
    uint32_t draws[3];
} engines[] = {
    {0, {2357136044U, 2546248239U, 3071714933U}},
    {1, {1791095845U, 4282876139U, 3093770124U}},
    {5489, {3499211612U, 581869302U, 3890346734U}},
    {123, {2991312382U, 3062119789U, 1228959102U}},
    {789, {1388712499U, 568673934U, 988903838U}},
    {(uint64_t)-1, {419326371U, 479346978U, 3918654476U}},
    {UINT64_C(1) << 63, {2357136044U, 2546248239U, 3071714933U}},
    {UINT64_C(1) << 32, {2357136044U, 2546248239U, 3071714933U}},
    {(UINT64_C(1) << 32) + 123, {2991312382U, 3062119789U, 1228959102U}},
};

START_TEST(first_draws_are_those_of_mt19937) {
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        manual_seed(&generator, engines[i].seed);
        ck_assert_uint_eq(generator.seed, engines[i].seed);
        for (int draw = 0; draw < 3; draw++) {
            ck_assert_uint_eq(generator.drawn, (uint64_t)draw);
            ck_assert_uint_eq(random_bits(&generator), engines[i].draws[draw]);
        }
    }
}
END_TEST

// The C++ standard asks this of std::mt19937.
START_TEST(the_ten_thousandth_draw_is_that_of_mt19937) {
    manual_seed(&generator, 5489);
    for (int i = 1; i < 10000; i++) (void)random_bits(&generator);
    ck_assert_uint_eq(random_bits(&generator), 4123659995U);
}
END_TEST

START_TEST(skipping_is_drawing_in_vain) {
    struct generator other;
    for (uint64_t place = 0; place < 2000; place += 97) {
        manual_seed(&generator, 42);
        manual_seed(&other, 42);
        skip_to(&generator, place);
        for (uint64_t i = 0; i < place; i++) (void)random_bits(&other);
        ck_assert_uint_eq(generator.drawn, place);
        ck_assert_uint_eq(random_bits(&generator), random_bits(&other));
    }
}
END_TEST

START_TEST(uniform_numbers_are_bits_of_draws) {
    expect(same_float(float_of_bits(0xff000000U), 0), "not the same bits");
    expect(same_float(float_of_bits(0xffffffffU), 1 - 0x1p-24F), "not the same bits");
    expect(same_float(float_of_bits(1), 0x1p-24F), "not the same bits");
    ck_assert_double_eq(double_of_bits(0, 1), 0x1p-53);
    ck_assert_double_eq(double_of_bits(0xffffffffU, 0xffffffffU), 1 - 0x1p-53);
    ck_assert_double_eq(double_of_bits(0x00100000U, 0), 0.5);
    ck_assert_double_eq(double_of_bits(0xffe00000U, 0), 0); // 11 high bits do not count
    manual_seed(&generator, 9);
    const uint32_t high = random_bits(&generator), low = random_bits(&generator);
    manual_seed(&generator, 9);
    ck_assert_double_eq(random_double(&generator), double_of_bits(high, low));
    ck_assert_uint_eq(generator.drawn, 2);
}
END_TEST

// Whole states, none, and what is left of one: the draws go on where the others ended.
START_TEST(many_at_once_are_one_after_the_other) {
    enum { MOST = 2000 };
    static const int64_t counts[] = {1, 0, 623, 624, 625, 17, MOST};
    struct generator other;
    manual_seed(&generator, 123);
    manual_seed(&other, 123);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        float values[MOST];
        random_floats(&generator, values, counts[i]);
        for (int64_t j = 0; j < counts[i]; j++) ck_assert_float_eq(values[j], random_float(&other));
        ck_assert_uint_eq(generator.drawn, other.drawn);
        ck_assert_uint_eq(random_bits(&generator), random_bits(&other));
    }
}
END_TEST

START_TEST(mcg31m1_multiplies) {
    ck_assert_uint_eq(mcg31m1_first(0), 1);
    ck_assert_uint_eq(mcg31m1_first(2147483647U), 1);
    ck_assert_uint_eq(mcg31m1_first(2147483648U), 1);
    ck_assert_uint_eq(mcg31m1_first(7), 7);
    ck_assert_uint_eq(mcg31m1_first(4294967295U), 1);
    ck_assert_uint_eq(mcg31m1_next(1), 1132489760U);
    uint32_t x = 1;
    for (int i = 0; i < 10000; i++) {
        const uint32_t next = mcg31m1_next(x);
        expect(next > 0 && next < 2147483647U, "%u", next);
        expect(next == (uint32_t)(UINT64_C(1132489760) * x % 2147483647U), "%u", next);
        x = next;
    }
}
END_TEST

// ---- Against PyTorch ----------------------------------------------------------------------------

// The normal numbers went through PyTorch's own log and cos.
static const double NORMAL_TOLERANCE = 1.2e-6;

static uint64_t read_seed(const char *text) {
    return *text == '-' ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
}

static void check_floats(struct tensor drawn, const double *wanted, double tolerance,
                         const char *line) {
    const int64_t count = count_of(shape_of(&drawn));
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)element_at(&drawn, i), other = (float)wanted[i];
        const bool same = tolerance > 0 ? fabs((double)value - (double)other) <= tolerance
                                        : same_float(value, other);
        expect(same, "%.60s: number %d is %a, not %a", line, (int)i, (double)value, (double)other);
    }
}

// What an operation of random.txt draws, all in one list.
static struct tensor draw_uniform(const char **arguments) {
    const double least = strtod(next_word(&arena, arguments), NULL);
    const double most = strtod(next_word(&arena, arguments), NULL);
    const int64_t count = strtoll(next_word(&arena, arguments), NULL, 10);
    const uint64_t before = generator.drawn;
    const struct tensor drawn = uniform(&arena, &generator, SHAPE(count), least, most);
    ck_assert_uint_eq(generator.drawn - before, (uint64_t)count);
    return drawn;
}

static struct tensor draw_normal(const char **arguments) {
    struct tensor drawn[8];
    int parts = 0;
    for (const char *at = next_word(&arena, arguments); *at != '\0'; parts++) {
        char *end;
        drawn[parts] = normal(&arena, &generator, SHAPE(strtoll(at, &end, 10)));
        at = *end == ',' ? end + 1 : end;
    }
    return cat(parts, drawn, 0);
}

static struct tensor draw_linear(const char **arguments) {
    const int64_t d_out = strtoll(next_word(&arena, arguments), NULL, 10);
    const int64_t d_in = strtoll(next_word(&arena, arguments), NULL, 10);
    const bool bias = strcmp(next_word(&arena, arguments), "1") == 0;
    const struct tensor weight = uniform_weight(&arena, &generator, d_out, d_in);
    ck_assert_uint_eq(generator.drawn, (uint64_t)(d_out * d_in));
    ck_assert_int_eq(weight.shape[0], d_out);
    ck_assert_int_eq(weight.shape[1], d_in);
    const struct tensor row = view(weight, SHAPE(d_out * d_in));
    if (!bias) return row;
    const struct tensor biases = uniform_bias(&arena, &generator, d_out, d_in);
    ck_assert_uint_eq(generator.drawn, (uint64_t)(d_out * d_in + d_out));
    return cat(2, (const struct tensor[]){row, biases}, 0);
}

static struct tensor draw_dropout(const char **arguments) {
    const double p = strtod(next_word(&arena, arguments), NULL);
    const int64_t count = strtoll(next_word(&arena, arguments), NULL, 10);
    float *numbers = arena_array(&arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = (float)i - 2.5F;
    const struct tensor x = tensor_of(&arena, SHAPE(count), numbers);
    return drop(&generator, x, p, MT19937);
}

static void check_draws(const struct record *record) {
    static const struct {
        const char *name;
        struct tensor (*draw)(const char **arguments);
        bool is_exact;
    } operations[] = {{"uniform", draw_uniform, true},
                      {"normal", draw_normal, false},
                      {"linear", draw_linear, true},
                      {"dropout", draw_dropout, true}};
    const char *words = record->fields[0];
    const char *name = next_word(&arena, &words);
    manual_seed(&generator, read_seed(next_word(&arena, &words)));
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(name, operations[i].name) != 0) continue;
        const struct tensor drawn = operations[i].draw(&words);
        const double *wanted = numbers_in(&arena, record->fields[1], count_of(shape_of(&drawn)));
        check_floats(drawn, wanted, operations[i].is_exact ? 0 : NORMAL_TOLERANCE, record->line);
        const float next = (float)strtod(record->fields[2], NULL);
        expect(same_float(random_float(&generator), next),
               "%.60s: took more or fewer draws than PyTorch", record->line);
        return;
    }
    ck_abort_msg("what is %s?", name);
}

START_TEST(draws_are_those_of_pytorch) {
    const char *text = data_file(&arena, "random.txt");
    struct record record;
    int count = 0;
    for (; next_record(&arena, &text, &record); count++) check_draws(&record);
    ck_assert_int_eq(count, 47);
}
END_TEST

// ---- How many draws -----------------------------------------------------------------------------

// 16 normal numbers or more: a draw each, and 16 more for a ragged end. Fewer: four draws a pair, and a
// pair that was half used is used up first.
START_TEST(normal_numbers_take_so_many_draws) {
    static const struct {
        int64_t count;
        uint64_t draws;
    } cases[] = {{0, 0},   {1, 4},   {2, 4},   {3, 8},   {15, 32}, {16, 16},
                 {17, 33}, {31, 47}, {32, 32}, {40, 56}, {48, 48}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        manual_seed(&generator, 3);
        const struct tensor drawn = normal(&arena, &generator, SHAPE(cases[i].count));
        ck_assert_uint_eq(generator.drawn, cases[i].draws);
        ck_assert_uint_eq(drawn.storage->origin->draws.count, cases[i].draws);
    }
    manual_seed(&generator, 3);
    (void)normal(&arena, &generator, SHAPE(1));
    ck_assert_uint_eq(generator.drawn, 4);
    (void)normal(&arena, &generator, SHAPE(1));
    ck_assert_uint_eq(generator.drawn, 4);
    (void)normal(&arena, &generator, SHAPE(1));
    ck_assert_uint_eq(generator.drawn, 8);
    manual_seed(&generator, 3); // forgets the number that was kept
    (void)normal(&arena, &generator, SHAPE(1));
    ck_assert_uint_eq(generator.drawn, 4);
}
END_TEST

START_TEST(normal_numbers_are_normal) {
    enum { COUNT = 1 << 16 };
    manual_seed(&generator, 11);
    const struct tensor drawn = normal(&arena, &generator, SHAPE(COUNT));
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        const double value = element_at(&drawn, i);
        expect(fabs(value) < 6, "%g", value);
        sum += value;
        squares += value * value;
    }
    ck_assert(fabs(sum / (int)COUNT) < 0.02);
    ck_assert(fabs(squares / (int)COUNT - 1) < 0.03);
}
END_TEST

static uint64_t draws_of_dropout(struct shape shape, double p, enum bernoulli stream) {
    manual_seed(&generator, 123);
    const struct tensor x = full(&arena, shape, 1);
    const struct tensor dropped = drop(&generator, x, p, stream);
    ck_assert(shapes_equal(shape_of(&dropped), shape));
    return generator.drawn;
}

START_TEST(dropout_takes_so_many_draws) {
    ck_assert_uint_eq(draws_of_dropout(SHAPE(6, 6), 0.5, MT19937), 72);
    ck_assert_uint_eq(draws_of_dropout(SHAPE(6, 6), 0.5, MCG31M1), 1);
    ck_assert_uint_eq(draws_of_dropout(SHAPE(1), 1e-12, MT19937), 2);
    ck_assert_uint_eq(draws_of_dropout(NO_DIMS, 0.5, MT19937), 2);
    for (int stream = MT19937; stream <= MCG31M1; stream++) {
        ck_assert_uint_eq(draws_of_dropout(SHAPE(6, 6), 0, (enum bernoulli)stream), 0);
        ck_assert_uint_eq(draws_of_dropout(SHAPE(6, 6), 1, (enum bernoulli)stream), 0);
        ck_assert_uint_eq(draws_of_dropout(SHAPE(0), 0.5, (enum bernoulli)stream), 0);
        ck_assert_uint_eq(draws_of_dropout(SHAPE(2, 0, 3), 0.5, (enum bernoulli)stream), 0);
    }
}
END_TEST

// Published in pytorch's issue 84030: rand(10) after seed 123, and its dropout in both streams.
START_TEST(dropout_gives_the_published_sums) {
    static const struct {
        enum bernoulli stream;
        double sum;
    } published[] = {{MT19937, 2.4471}, {MCG31M1, 1.8894}};
    for (int i = 0; i < 2; i++) {
        manual_seed(&generator, 123);
        const struct tensor x = uniform(&arena, &generator, SHAPE(10), 0, 1);
        const struct tensor all = sum(x, 0, false);
        ck_assert(fabs(element_at(&all, 0) - 3.8430) < 5e-5);
        const struct tensor dropped = drop(&generator, x, 0.5, published[i].stream);
        const struct tensor rest = sum(dropped, 0, false);
        ck_assert(fabs(element_at(&rest, 0) - published[i].sum) < 5e-5);
    }
}
END_TEST

START_TEST(both_streams_keep_the_right_share) {
    enum { COUNT = 20000 };
    for (int stream = MT19937; stream <= MCG31M1; stream++) {
        for (int tenths = 1; tenths < 10; tenths++) {
            manual_seed(&generator, 5);
            const double p = tenths / 10.0;
            const struct tensor x = full(&arena, SHAPE(COUNT), 1);
            const struct tensor y = drop(&generator, x, p, (enum bernoulli)stream);
            const float kept = 1 / (float)(1 - p);
            int count = 0;
            for (int64_t i = 0; i < COUNT; i++) {
                const float value = (float)element_at(&y, i);
                expect(same_float(value, 0) || same_float(value, kept), "not the same bits");
                count += value > 0;
            }
            ck_assert(fabs((double)count / (int)COUNT - (1 - p)) < 0.015);
        }
    }
}
END_TEST

Suite *generator_suite(void) {
    Suite *suite = suite_create("generator");
    TCase *engine = add_case(suite, "engine", set_up_arena, tear_down_arena);
    tcase_add_test(engine, first_draws_are_those_of_mt19937);
    tcase_add_test(engine, the_ten_thousandth_draw_is_that_of_mt19937);
    tcase_add_test(engine, skipping_is_drawing_in_vain);
    tcase_add_test(engine, uniform_numbers_are_bits_of_draws);
    tcase_add_test(engine, many_at_once_are_one_after_the_other);
    tcase_add_test(engine, mcg31m1_multiplies);

    TCase *draws = add_case(suite, "draws", set_up_arena, tear_down_arena);
    tcase_add_test(draws, draws_are_those_of_pytorch);
    tcase_add_test(draws, normal_numbers_take_so_many_draws);
    tcase_add_test(draws, normal_numbers_are_normal);
    tcase_add_test(draws, dropout_takes_so_many_draws);
    tcase_add_test(draws, dropout_gives_the_published_sums);
    tcase_add_test(draws, both_streams_keep_the_right_share);
    return suite;
}
