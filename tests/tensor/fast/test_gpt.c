// A whole GPT, fast: the bits of its definition at small sizes, on every path; token by token, the numbers of the whole.

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "tensor/fast/gpt.h"
#include "tensor/fast/kernel.h"
#include "tensor/fast/quick.h"
#include "tensor/ops/quick.h"

#include <check.h> // last: defines a macro fail

static struct generator generator;

static const struct gpt_size SMALL = {
    .vocabulary = 23, .context = 11, .d = 12, .heads = 3, .layers = 2};

static void set_up(void) {
    set_up_arena();
    manual_seed(&generator, (uint64_t)123);
}

static struct tensor some_ids(int64_t batch, int64_t tokens) {
    const struct tensor ids = tensor_given(&arena, INT64, SHAPE(batch, tokens));
    int64_t *id = ids.storage->data;
    for (int64_t i = 0; i < batch * tokens; i++) id[i] = (7 * i + 3) % SMALL.vocabulary;
    return ids;
}

// ---- The definition ------------------------------------------------------------------------------

static struct tensor normalized(struct tensor x) {
    const struct tensor variance = add(var(x, -1, false, true), scalar(&arena, 1e-5));
    return divide(subtract(x, mean(x, -1, true)), square_root(variance));
}

static struct tensor gelu_of(struct tensor x) {
    const struct tensor inner = add(x, multiply_by(raise_to(x, 3), 0.044715));
    const struct tensor root = square_root(scalar(&arena, 0.63661977236758134308));
    const struct tensor curve = hyperbolic_tangent(multiply(root, inner));
    return multiply(multiply_by(x, 0.5), add(scalar(&arena, 1), curve));
}

static struct tensor drop_as(const struct gpt_pass *pass, struct tensor x) {
    return drop(pass->generator, x, pass->p, pass->stream);
}

static struct tensor block_of(const struct gpt_pass *pass, const struct gpt_block *block,
                              struct tensor x) {
    const struct tensor attended =
        attention(&block->attention, normalized(x), pass->generator, pass->p, pass->stream);
    const struct tensor middle = add(drop_as(pass, attended), x);
    const struct tensor hidden = linear(normalized(middle), block->W_ffn1, block->W_ffn1_bias);
    const struct tensor thought = linear(gelu_of(hidden), block->W_ffn2, block->W_ffn2_bias);
    return add(drop_as(pass, thought), middle);
}

static struct tensor logits_of(const struct gpt_pass *pass, struct tensor ids) {
    const struct gpt *gpt = pass->gpt;
    const struct tensor positions = narrow(gpt->position_table, 0, 0, ids.shape[1]);
    struct tensor x = drop_as(pass, add(embed(ids, gpt->token_table), positions));
    for (int64_t i = 0; i < gpt->size.layers; i++) x = block_of(pass, &gpt->blocks[i], x);
    return linear(normalized(x), gpt->W_head, NO_TENSOR);
}

// ---- The tests -----------------------------------------------------------------------------------

// Numbers of all sizes, both signs, those that are not finite, and a ragged end.
START_TEST(gelus_are_those_of_the_operations) {
    enum { COUNT = 1 << 16 | 7 };
    const struct tensor x = full(&arena, SHAPE(COUNT), 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t bits = i * 0xffffU + i;
        memcpy(floats_of(&x) + i, &bits, sizeof bits);
    }
    const struct tensor expected = gelu_of(x);
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        const char *name = kernel_path_name((enum kernel_path)path);
        if (name == NULL) continue;
        const struct tensor result = full(&arena, SHAPE(COUNT), 0);
        memcpy(floats_of(&result), floats_of(&x), COUNT * sizeof(float));
        kernel_of((enum kernel_path)path)
            ->gelu(floats_of(&result), COUNT, sqrtf(0.63661977236758134308F));
        for (int64_t i = 0; i < COUNT; i++) {
            const float right = floats_of(&expected)[i], got = floats_of(&result)[i];
            if ((isnan(right) && isnan(got)) || memcmp(&right, &got, sizeof got) == 0) continue;
            ck_abort_msg("%s: GELU(%a) is %a, not %a", name, element_at(&x, i), (double)got,
                         (double)right);
        }
    }
}
END_TEST

// Rows that fill no vector, some of them more; and numbers that are not finite.
START_TEST(norms_are_those_of_the_operations) {
    static const int64_t rows[] = {2, 3, 16, 17, 33, 70}, features[] = {1, 7, 768};
    manual_seed(&generator, 5);
    for (int i = 0; i < 18; i++) {
        const struct shape shape = SHAPE(rows[i % 6], features[i / 6]);
        const struct tensor x = uniform(&arena, &generator, shape, -3, 9);
        floats_of(&x)[count_of(shape) - 1] = INFINITY;
        floats_of(&x)[count_of(shape) / 2] = NAN;
        const struct tensor expected = normalized(x), means = mean(x, -1, true);
        for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
            if (kernel_path_name((enum kernel_path)path) == NULL) continue;
            const struct tensor result = full(&arena, shape, 0);
            const struct norm norm = {floats_of(&x), floats_of(&means), 1e-5F, shape.size[1],
                                      floats_of(&result)};
            kernel_of((enum kernel_path)path)->normalize(&norm, 0, shape.size[0]);
            for (int64_t k = 0; k < count_of(shape); k++) {
                const float right = floats_of(&expected)[k], got = floats_of(&result)[k];
                ck_assert((isnan(right) && isnan(got)) || memcmp(&right, &got, sizeof got) == 0);
            }
        }
    }
}
END_TEST

static void holds(const struct gpt *gpt, struct tensor ids, double p) {
    struct generator before = generator, expected_end = generator;
    struct gpt_pass pass = {.gpt = gpt, .generator = &expected_end, .p = p, .threads = 1};
    const struct tensor expected = logits_of(&pass, ids);
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        if (kernel_path_name((enum kernel_path)path) == NULL) continue;
        for (pass.threads = 1; pass.threads <= 4; pass.threads += 3) {
            struct generator used = before;
            pass.generator = &used;
            pass.path = (enum kernel_path)path;
            const struct tensor logits =
                gpt_logits(&pass, gpt_hidden(&pass, ids, gpt->size.layers));
            ck_assert_mem_eq(floats_of(&logits), floats_of(&expected),
                             sizeof(float) * (size_t)expected.storage->count);
            ck_assert_uint_eq(used.drawn, expected_end.drawn);
        }
    }
}

START_TEST(bits_of_the_definition) {
    const struct gpt gpt = gpt_new(&arena, &generator, SMALL, NULL, NULL);
    holds(&gpt, some_ids(1, 1), 0);
    holds(&gpt, some_ids(2, 4), 0);
    holds(&gpt, some_ids(3, 11), 0);
    holds(&gpt, some_ids(2, 9), 0.1);
}
END_TEST

// A prompt, then one token at a time, to the last position.
static void goes_on_behind(const struct gpt *gpt, struct tensor whole, struct tensor ids,
                           int64_t prompt) {
    const struct gpt_pass pass = {.gpt = gpt, .path = PATH_BEST, .threads = 2};
    struct gpt_cache *cache = gpt_cache_new(&arena, gpt);
    for (int64_t at = 0, tokens = prompt; at < SMALL.context; at += tokens, tokens = 1) {
        const struct tensor next = contiguous(narrow(ids, 1, at, tokens));
        const struct tensor logits = gpt_continue(&pass, cache, next);
        ck_assert_int_eq(count_of(shape_of(&logits)), SMALL.vocabulary);
        for (int64_t i = 0; i < SMALL.vocabulary; i++) {
            const double wanted = element_at(&whole, (at + tokens - 1) * SMALL.vocabulary + i);
            ck_assert_double_eq_tol(element_at(&logits, i), wanted, 1e-6);
        }
    }
}

// Of few tokens, and of so many that the fast attention reads them.
START_TEST(token_by_token) {
    const struct gpt gpt = gpt_new(&arena, &generator, SMALL, NULL, NULL);
    const struct gpt_pass pass = {.gpt = &gpt, .path = PATH_BEST, .threads = 2};
    const struct tensor ids = some_ids(1, SMALL.context);
    const struct tensor whole = gpt_logits(&pass, gpt_hidden(&pass, ids, SMALL.layers));
    goes_on_behind(&gpt, whole, ids, 4);
    goes_on_behind(&gpt, whole, ids, FEW_TOKENS + 1);
}
END_TEST

START_TEST(parameters_of_gpt2) {
    ck_assert_int_eq(gpt_parameters(gpt2_small), 163009536);
    const int64_t head = gpt2_small.vocabulary * gpt2_small.d;
    ck_assert_int_eq(gpt_parameters(gpt2_small) - head, 124412160);
    ck_assert_double_eq_tol(gpt_bytes(gpt2_small) / 0x1p20, 621.83, 0.005);
}
END_TEST

static struct tensor refused_ids;
static const struct gpt *refusing;

static void run_refused(void *context) {
    (void)context;
    const struct gpt_pass pass = {.gpt = refusing, .path = PATH_BEST, .threads = 1};
    gpt_hidden(&pass, refused_ids, 0);
}

START_TEST(too_many_tokens) {
    const struct gpt gpt = gpt_new(&arena, &generator, SMALL, NULL, NULL);
    refusing = &gpt;
    refused_ids = some_ids(1, SMALL.context + 1);
    ck_assert(!attempt(&failure, run_refused, NULL));
    ck_assert_str_eq(failure.message, "gpt: 12 tokens are more than the 11 positions of the model");
    ck_assert_int_eq(failure.status, FAIL_USAGE);
}
END_TEST

// ---- Quick ways of the operations ----------------------------------------------------------------

// A linear layer with a bias and one without, of a table of normal numbers.
static void compute_large(struct tensor *results) {
    manual_seed(&generator, (uint64_t)123);
    const struct tensor x = normal(&arena, &generator, SHAPE(3, 48, 64));
    const struct tensor weight = normal(&arena, &generator, SHAPE(4096, 64));
    const struct tensor bias = uniform_bias(&arena, &generator, 4096, 64);
    results[0] = x;
    results[1] = weight;
    results[2] = linear(x, weight, bias);
    results[3] = linear(x, weight, NO_TENSOR);
    results[4] = normal(&arena, &generator, SHAPE(QUICK_FROM + 3)); // not in whole blocks
}

START_TEST(quick_ways_keep_the_bits) {
    struct tensor slow[5], quick[5];
    compute_large(slow);
    use_quick_ways();
    compute_large(quick);
    struct tensor again[5];
    const struct generator end = generator;
    compute_large(again); // what was kept
    ck_assert_uint_eq(generator.drawn, end.drawn);
    ck_assert_mem_eq(generator.state, end.state, sizeof end.state);
    ck_assert_ptr_eq(floats_of(&again[1]), floats_of(&quick[1]));
    quick_ways = (struct quick_ways){0};
    for (int i = 0; i < 5; i++) {
        ck_assert(shapes_equal(shape_of(&slow[i]), shape_of(&quick[i])));
        ck_assert_mem_eq(floats_of(&slow[i]), floats_of(&quick[i]),
                         sizeof(float) * (size_t)slow[i].storage->count);
        ck_assert_int_eq(slow[i].axis[1].meaning, quick[i].axis[1].meaning);
        ck_assert_ptr_eq(slow[i].storage->origin->operation, quick[i].storage->origin->operation);
    }
}
END_TEST

Suite *gpt_suite(void) {
    Suite *suite = suite_create("gpt");
    TCase *model = add_case(suite, "model", set_up, tear_down_arena);
    tcase_add_test(model, gelus_are_those_of_the_operations);
    tcase_add_test(model, norms_are_those_of_the_operations);
    tcase_add_test(model, bits_of_the_definition);
    tcase_add_test(model, token_by_token);
    tcase_add_test(model, parameters_of_gpt2);
    tcase_add_test(model, too_many_tokens);
    tcase_add_test(model, quick_ways_keep_the_bits);
    return suite;
}
