// One layer of the smallest GPT-2 at full size, 1,024 tokens: the fast attention gives the bits of the
// readable one on every path. The readable one takes some ten seconds.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/fast/attention.h"

static const struct attention_size size = {.batch = 1, .tokens = 1024, .d = 768, .heads = 12};

static bool is_same(const struct tensor *a, const struct tensor *b) {
    const size_t bytes = (size_t)count_of(shape_of(a)) * sizeof(float);
    return memcmp(floats_of(a), floats_of(b), bytes) == 0;
}

static void compare(void *context) {
    struct arena *m = context;
    const struct shape shape = SHAPE(size.batch, size.tokens, size.d);
    struct generator generator;
    manual_seed(&generator, 123);
    const struct tensor x = uniform(m, &generator, shape, 0, 1);
    const struct attention_layer layer =
        attention_layer_new(m, &generator, size.d, size.heads, true);
    const struct tensor expected = attention(&layer, x, NULL, 0, MT19937);
    int number = 0;
    for (int path = PATH_GENERIC; path < PATH_BEST; path++) {
        const char *name = kernel_path_name((enum kernel_path)path);
        for (int threads = 1; name != NULL && threads <= 8; threads *= 2) {
            const struct tensor result = full(m, shape, 7);
            struct attention_work *work =
                attention_prepare(m, size, (enum kernel_path)path, threads);
            attention_fast(work, &layer, &x, floats_of(&result));
            const char *verdict = is_same(&expected, &result) ? "ok" : "not ok";
            printf("%s %d - %s, threads: %d\n", verdict, ++number, name, threads);
        }
    }
    printf("1..%d\n", number);
}

int main(void) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    const bool done = attempt(&failure, compare, &arena);
    if (!done) printf("Bail out! %s\n", failure.message);
    arena_free(&arena);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
