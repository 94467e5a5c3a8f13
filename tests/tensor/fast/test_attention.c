// The fast attention against the readable one: the same bits, on every path, in one thread and in several.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "tensor/fast/attention.h"
#include "tensor/fast/kernel.h"
#include "tensor/number/elementary.h"
#include "tensor/number/generator.h"
#include "tensor/number/normal.h"

#include <check.h> // last: defines a macro fail

static struct generator generator;

// ---- Comparing ----------------------------------------------------------------------------------

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_with_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The same bits; one NAN is as good as another.
static bool is_same(float a, float b) {
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

static int64_t pick(int64_t least, int64_t most) {
    return least + (int64_t)(random_bits(&generator) % (uint32_t)(most - least + 1));
}

// ---- Shapes -------------------------------------------------------------------------------------

struct sample {
    struct attention_size size;
    struct attention_layer layer;
    struct tensor x;
    double p; // of dropout
    enum bernoulli stream;
};

// A sentence or more, often of one token, often a little shorter or longer than a panel.
static struct attention_size random_size(void) {
    static const int64_t edges[] = {1, 2, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 64, 65};
    enum { EDGES = sizeof edges / sizeof *edges };
    const bool is_edge = pick(0, 1) == 0;
    const int64_t heads = pick(1, 5), head_dim = pick(0, 3) == 0 ? 1 : pick(1, 13);
    return (struct attention_size){
        .batch = pick(1, 3),
        .tokens = is_edge ? edges[pick(0, EDGES - 1)] : pick(1, 70),
        .d = heads * head_dim,
        .heads = heads,
    };
}

static struct sample draw(struct attention_size size, double least, double most, bool bias) {
    struct sample sample = {.size = size};
    const struct shape shape = SHAPE(size.batch, size.tokens, size.d);
    sample.x = uniform(&arena, &generator, shape, least, most);
    sample.layer = attention_layer_new(&arena, &generator, size.d, size.heads, bias);
    return sample;
}

static void same_bits(const struct tensor *expected, const struct tensor *result,
                      const char *what) {
    const int64_t count = count_of(shape_of(expected));
    for (int64_t i = 0; i < count; i++) {
        const float a = floats_of(expected)[i], b = floats_of(result)[i];
        if (is_same(a, b)) continue;
        ck_abort_msg("%s: element %lld of %s is %a, not %a", what, (long long)i,
                     shape_text(&arena, shape_of(expected)), (double)b, (double)a);
    }
}

static bool is_slow(void) {
    return getenv("ONESTEP_TESTS_SLOW") != NULL;
}

// Every path of this processor, with one thread and two (three and eight among the slow tests); twice each,
// since the second pass finds what the first left in its room.
static void holds(const struct sample *sample) {
    struct generator masks = generator;
    const struct tensor expected =
        attention(&sample->layer, sample->x, &masks, sample->p, sample->stream);
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        const char *name = kernel_path_name((enum kernel_path)path);
        if (name == NULL) continue;
        static const int counts[] = {1, 2, 3, 8};
        for (int i = 0; i < (is_slow() ? 4 : 2); i++) {
            const int threads = counts[i];
            struct attention_work *work =
                attention_prepare(&arena, sample->size, (enum kernel_path)path, threads);
            masks = generator;
            attention_drop(work, &arena, &masks, sample->p, sample->stream);
            for (int pass = 1; pass <= 2; pass++) {
                const struct tensor result = full(&arena, shape_of(&sample->x), 7);
                attention_fast(work, &sample->layer, &sample->x, floats_of(&result));
                same_bits(&expected, &result,
                          arena_format(&arena, "%s, %d threads, pass %d, %lld heads", name, threads,
                                       pass, (long long)sample->layer.heads));
            }
        }
    }
}

// A thousand shapes among the slow tests, a few of them else.
enum { BATCHES = 20, FEW_BATCHES = 4, SHAPES = 50 };

START_TEST(random_shapes) {
    manual_seed(&generator, (uint64_t)_i);
    for (int i = 0; i < SHAPES; i++) {
        const double most = pick(0, 2) == 0 ? 30 : 1; // 30: sharp softmaxes, weights of 0
        const struct sample sample =
            draw(random_size(), pick(0, 1) == 0 ? 0 : -most, most, pick(0, 1) == 0);
        holds(&sample);
        arena_free(&arena);
    }
}
END_TEST

START_TEST(dropped_weights) {
    static const double probabilities[] = {0.1, 0.5, 0.9, 1};
    manual_seed(&generator, 5);
    for (int i = 0; i < SHAPES; i++) {
        struct sample sample = draw(random_size(), -1, 1, true);
        sample.p = probabilities[i % 4];
        sample.stream = i % 3 == 0 ? MCG31M1 : MT19937;
        holds(&sample);
        arena_free(&arena);
    }
}
END_TEST

START_TEST(shapes_at_the_edges_of_blocks) {
    static const struct attention_size sizes[] = {
        {1, 1, 1, 1},     {2, 1, 12, 4},   {1, 300, 3, 3},    {1, 529, 8, 2},
        {1, 130, 260, 2}, {2, 65, 130, 1}, {1, 97, 129, 129}, {1, 20, 700, 7},
    };
    manual_seed(&generator, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct sample sample = draw(sizes[i], -1, 1, true);
        holds(&sample);
        arena_free(&arena);
    }
}
END_TEST

// ---- Numbers that are no numbers, and zeros with a sign -----------------------------------------

// A value that is not finite spoils the queries before it too: its weight is 0, and 0 · ∞ is NAN.
START_TEST(what_is_not_finite_spreads_as_in_the_definition) {
    static const float specials[] = {INFINITY, -INFINITY, NAN, 3e38F};
    manual_seed(&generator, 2);
    for (int i = 0; i < 40; i++) {
        struct sample sample = draw(random_size(), -1, 1, true);
        const int64_t count = count_of(shape_of(&sample.x));
        floats_of(&sample.x)[pick(0, count - 1)] = specials[i % 4];
        if (i % 3 == 0) {
            const struct tensor weight = i % 2 == 0 ? sample.layer.W_value : sample.layer.W_key;
            floats_of(&weight)[pick(0, count_of(shape_of(&weight)) - 1)] = specials[i % 4];
        }
        holds(&sample);
        arena_free(&arena);
    }
}
END_TEST

// A product too small for a float leaves a sum of -0, which a later weight of 0 turns into 0, or not.
START_TEST(zeros_keep_the_sign_of_the_definition) {
    manual_seed(&generator, 3);
    for (int i = 0; i < 40; i++) {
        struct attention_size size = random_size();
        size.tokens = pick(2, 90);
        struct sample sample = draw(size, -0x1p-70, 0x1p-70, false);
        const struct tensor values = sample.layer.W_value;
        const int64_t count = count_of(shape_of(&values));
        const float tiny = i % 2 == 0 ? 0x1p-74F : 0x1p-79F;
        for (int64_t j = 0; j < count; j++) floats_of(&values)[j] *= tiny;
        for (int64_t j = 0; j < size.d; j++) floats_of(&sample.layer.W_out_bias)[j] = -0.0F;
        holds(&sample);
        arena_free(&arena);
    }
}
END_TEST

// ---- The parts ----------------------------------------------------------------------------------

static const struct kernel *const kernels[] = {
    [PATH_GENERIC] = &kernel_generic,
#ifdef __x86_64__
    [PATH_AVX2] = &kernel_avx2,
    [PATH_AVX512] = &kernel_avx512,
#endif
};

// A kernel that this processor can run, or NULL.
static const struct kernel *kernel_at(int path) {
    return kernel_path_name((enum kernel_path)path) == NULL ? NULL : kernels[path];
}

// Also of the least and the largest uniform numbers, and of one block, two and many.
START_TEST(normals_are_those_of_the_generator) {
    enum { BLOCKS = 5003, COUNT = BLOCKS * NORMAL_BLOCK };
    static float uniform[COUNT], expected[COUNT], result[COUNT];
    manual_seed(&generator, (uint64_t)8);
    struct generator again = generator;
    random_normal(&generator, expected, COUNT);
    random_floats(&again, uniform, COUNT);
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        if (kernel_at(path) == NULL) continue;
        for (int64_t blocks = 1; blocks <= BLOCKS; blocks = 4 * blocks + 1) {
            memcpy(result, uniform, sizeof result);
            kernel_at(path)->normals(result, blocks);
            const size_t bytes = sizeof(float) * NORMAL_BLOCK * (size_t)blocks;
            ck_assert_mem_eq(result, expected, bytes);
            ck_assert_mem_eq(result + NORMAL_BLOCK * blocks, uniform + NORMAL_BLOCK * blocks,
                             sizeof uniform - bytes);
        }
    }
}
END_TEST

START_TEST(normals_of_extreme_numbers) {
    static const float extremes[] = {0,    0x1p-24F, 0x1p-12F,     0.125F,       0.25F,
                                     0.5F, 0.75F,    1 - 0x1p-12F, 1 - 0x1p-23F, 1 - 0x1p-24F};
    enum { COUNT = sizeof extremes / sizeof *extremes };
    for (int i = 0; i < COUNT * COUNT; i++) {
        const float first = extremes[i / COUNT], second = extremes[i % COUNT];
        const struct normal_pair pair = normal_pair_of_floats(first, second);
        for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
            if (kernel_at(path) == NULL) continue;
            float block[NORMAL_BLOCK] = {0};
            block[3] = first;
            block[3 + NORMAL_BLOCK / 2] = second;
            kernel_at(path)->normals(block, 1);
            ck_assert(is_same(block[3], pair.cosine));
            ck_assert(is_same(block[3 + NORMAL_BLOCK / 2], pair.sine));
        }
    }
}
END_TEST

START_TEST(exponentials_are_those_of_exp_float) {
    enum { COUNT = 4001 };
    float x[COUNT], expected[COUNT], result[COUNT];
    for (uint32_t first = 0x80000000U; first < 0xfff00000U; first += 0x40000U) {
        for (uint32_t i = 0; i < COUNT; i++) x[i] = float_with_bits(first + 61 * i);
        x[0] = -INFINITY;
        x[1] = first % 3 == 0 ? NAN : -104;
        exp_floats((struct line){x, 1, COUNT}, 0, expected);
        for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
            if (kernel_at(path) == NULL) continue;
            kernel_at(path)->exponentials(x, result, COUNT);
            for (int i = 0; i < COUNT; i++) {
                if (is_same(result[i], expected[i])) continue;
                ck_abort_msg("%s: e^%a is %a, not %a", kernel_at(path)->name, (double)x[i],
                             (double)result[i], (double)expected[i]);
            }
        }
    }
}
END_TEST

// fmaf(b, y, fmaf(a, x, 0)), by a kernel: a weight of one row, a panel of two features.
static float two_products(const struct kernel *kernel, float a, float x, float b, float y) {
    enum { MOST_LANES = 64 };
    static _Alignas(64) float panel[2 * MOST_LANES], out[MOST_LANES];
    const float weight[] = {a, b};
    for (int lane = 0; lane < kernel->width; lane++) {
        panel[lane] = x;
        panel[kernel->width + lane] = y;
    }
    kernel->project(&(struct projection){
        .weight = weight,
        .rows = 1,
        .depth = 2,
        .panels = panel,
        .tokens = kernel->width,
        .out = out,
        .row_step = kernel->width,
    });
    return out[kernel->width - 1];
}

// Any bits at all, or nearly the negative of what is added to: sums that cancel, end half-way between
// two floats, are subnormal, overflow.
static float wild(int kind) {
    const uint32_t bits = random_bits(&generator);
    if (kind == 0) return float_with_bits(bits);
    if (kind == 1) return float_with_bits((bits & 0x80ffffffU) + 0x3f000000U);
    if (kind == 2) return float_with_bits((bits & 0x807c0003U) + 0x3e000000U); // short ones: ties
    return float_with_bits((bits & 0x81ffffffU) + 0x1f000000U); // products near 2^-127
}

static void same_product(float a, float x, float b, float y) {
    const float expected = fmaf(b, y, fmaf(a, x, 0)) + 0.0F; // a chain that ends in -0 is 0
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        if (kernel_at(path) == NULL) continue;
        const float result = two_products(kernel_at(path), a, x, b, y);
        if (is_same(result, expected)) continue;
        ck_abort_msg("%s: %a * %a + %a * %a is %a, not %a", kernel_at(path)->name, (double)a,
                     (double)x, (double)b, (double)y, (double)result, (double)expected);
    }
}

START_TEST(multiply_adds_are_those_of_fmaf) {
    manual_seed(&generator, 4);
    for (int i = 0; i < 400000; i++)
        same_product(wild(i % 4), wild(i % 4), wild(i % 4), wild(i % 4));
}
END_TEST

// c + (half a last place of c) · (1 - 2^-46): the last bits of the product decide, and are 17 places
// beyond the end of a double. Down to subnormal c.
START_TEST(multiply_adds_round_once) {
    manual_seed(&generator, 5);
    for (int i = 0; i < 100000; i++) {
        const int exponent = (int)pick(-149, 100);
        const float c = ldexpf(1 + random_float(&generator), exponent);
        const int place = exponent < -126 ? -149 : exponent - 23; // of the last bit of c
        const float b = ldexpf(1 + 0x1p-23F, place / 2);
        const float y = ldexpf(1 - 0x1p-23F, place - 1 - place / 2);
        same_product(1, c, b, y);
        same_product(-1, c, b, y);
        same_product(1, c, b, -y);
    }
}
END_TEST

// ---- What is said about a size ------------------------------------------------------------------

START_TEST(bytes_cover_what_is_allocated_and_grow_linearly) {
    for (int64_t tokens = 1; tokens <= 1000; tokens = 3 * tokens + 1) {
        const struct attention_size size = {2, tokens, 96, 4};
        attention_prepare(&arena, size, PATH_BEST, 2);
        const double bytes = attention_bytes(size, PATH_BEST, 2);
        ck_assert_double_ge(bytes + 4096, (double)arena.used);
        arena_free(&arena);
    }
    const double once = attention_bytes((struct attention_size){1, 8192, 768, 12}, PATH_BEST, 2);
    const double twice = attention_bytes((struct attention_size){1, 16384, 768, 12}, PATH_BEST, 2);
    ck_assert_double_le(twice, 2 * once);
}
END_TEST

static void seven_heads_of_twelve(void *context) {
    (void)context;
    attention_layer_new(&arena, &generator, 12, 7, false);
}

START_TEST(heads_must_divide_the_width) {
    manual_seed(&generator, 5);
    ck_assert(!attempt(&failure, seven_heads_of_twelve, NULL));
    ck_assert_str_eq(failure.message, "attention: 7 heads do not divide 12 dimensions");
}
END_TEST

static double last_report;

static void keep_report(void *context, double done) {
    ck_assert_ptr_eq(context, &last_report);
    ck_assert_double_ge(done, last_report);
    last_report = done;
}

START_TEST(progress_ends_with_everything) {
    manual_seed(&generator, 6);
    const struct sample sample = draw((struct attention_size){2, 70, 150, 5}, 0, 1, true);
    struct attention_work *work = attention_prepare(&arena, sample.size, PATH_BEST, 1);
    const struct tensor result = full(&arena, shape_of(&sample.x), 0);
    attention_report_to(work, keep_report, &last_report);
    attention_fast(work, &sample.layer, &sample.x, floats_of(&result));
    ck_assert_double_eq(last_report, 1);
}
END_TEST

START_TEST(a_peak_is_measured_on_every_path) {
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        if (kernel_at(path) == NULL) continue;
        ck_assert_double_gt(kernel_peak((enum kernel_path)path, 1), 1e6);
    }
}
END_TEST

Suite *attention_suite(void) {
    Suite *suite = suite_create("attention");

    TCase *bits = add_case(suite, "bits", set_up_arena, tear_down_arena);
    tcase_add_loop_test(bits, random_shapes, 0, is_slow() ? BATCHES : FEW_BATCHES);
    tcase_add_test(bits, shapes_at_the_edges_of_blocks);
    tcase_add_test(bits, dropped_weights);
    tcase_add_test(bits, what_is_not_finite_spreads_as_in_the_definition);
    tcase_add_test(bits, zeros_keep_the_sign_of_the_definition);

    TCase *parts = add_case(suite, "parts", NULL, NULL);
    tcase_add_test(parts, normals_are_those_of_the_generator);
    tcase_add_test(parts, normals_of_extreme_numbers);
    tcase_add_test(parts, exponentials_are_those_of_exp_float);
    tcase_add_test(parts, multiply_adds_are_those_of_fmaf);
    tcase_add_test(parts, multiply_adds_round_once);

    TCase *sizes = add_case(suite, "sizes", set_up_arena, tear_down_arena);
    tcase_add_test(sizes, bytes_cover_what_is_allocated_and_grow_linearly);
    tcase_add_test(sizes, heads_must_divide_the_width);
    tcase_add_test(sizes, progress_ends_with_everything);
    tcase_add_test(sizes, a_peak_is_measured_on_every_path);
    return suite;
}
