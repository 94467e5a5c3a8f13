// Any linear layer, fast: the bits of the definition for any sizes, one token too, on every path.

#include <string.h>

#include "fixture.h"
#include "tensor/fast/linear.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

static struct generator generator;

static void set_up(void) {
    set_up_arena();
    manual_seed(&generator, (uint64_t)6);
}

static int64_t pick(int64_t least, int64_t most) {
    return least + (int64_t)(random_bits(&generator) % (uint32_t)(most - least + 1));
}

struct layer {
    struct linear_size size;
    struct tensor x, weight, bias;
};

static struct layer draw(struct linear_size size, bool has_bias) {
    struct layer layer = {.size = size};
    layer.x = uniform(&arena, &generator, SHAPE(size.tokens, size.d_in), -1, 1);
    layer.weight = uniform_weight(&arena, &generator, size.d_out, size.d_in);
    if (has_bias) layer.bias = uniform_bias(&arena, &generator, size.d_out, size.d_in);
    return layer;
}

// Every path, with one thread, three and eight; twice each, since the second pass finds what the first left.
static void holds(const struct layer *layer) {
    const struct linear_size size = layer->size;
    const struct tensor expected = linear(layer->x, layer->weight, layer->bias);
    const struct tensor result = full(&arena, SHAPE(size.tokens, size.d_out), 7);
    const size_t bytes = (size_t)(size.tokens * size.d_out) * sizeof(float);
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        if (kernel_path_name((enum kernel_path)path) == NULL) continue;
        static const int counts[] = {1, 3, 8};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const int threads = counts[i];
            struct linear_work *work =
                linear_prepare(&arena, size, (enum kernel_path)path, threads);
            for (int pass = 1; pass <= 2; pass++) {
                memset(floats_of(&result), 0xff, bytes);
                linear_fast(work, layer->weight, layer->bias, floats_of(&layer->x),
                            floats_of(&result));
                ck_assert_msg(memcmp(floats_of(&expected), floats_of(&result), bytes) == 0,
                              "%s, %d threads, pass %d: %lld tokens, %lld to %lld",
                              kernel_path_name((enum kernel_path)path), threads, pass,
                              (long long)size.tokens, (long long)size.d_in, (long long)size.d_out);
            }
        }
    }
}

START_TEST(random_sizes) {
    for (int i = 0; i < 40; i++) {
        const struct linear_size size = {
            .tokens = i % 3 == 0 ? 1 : pick(1, 150),
            .d_in = i % 4 == 0 ? pick(250, 400) : pick(1, 60), // more than a block of k
            .d_out = i % 5 == 0 ? pick(120, 260) : pick(1, 60),
        };
        const struct layer layer = draw(size, pick(0, 1) == 1);
        holds(&layer);
        arena_free(&arena);
    }
}
END_TEST

// GPT-2's feed-forward and its words, for the token that is made next.
START_TEST(one_token_of_a_large_layer) {
    static const struct linear_size sizes[] = {{1, 768, 3072}, {1, 3072, 768}, {2, 768, 5025}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct layer layer = draw(sizes[i], i < 2);
        holds(&layer);
        arena_free(&arena);
    }
}
END_TEST

Suite *linear_suite(void) {
    Suite *suite = suite_create("linear");
    TCase *bits = add_case(suite, "bits", set_up, tear_down_arena);
    tcase_add_test(bits, random_sizes);
    tcase_add_test(bits, one_token_of_a_large_layer);
    return suite;
}
