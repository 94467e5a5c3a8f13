// Numbers of 16 bits are those of the file wherever they are read, in any order and by several threads, and only so many are kept.

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "tensor/file/widened.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

enum {
    COUNT = 3 * MOST_PIECES * BYTES_OF_PIECE / 4 + 7, // some of it is not whole pieces
    JUMP = 104729                                     // a prime
};

static uint16_t *halves;
static float *numbers;

// Each number is another than its neighbours: an exponent from 1 on, none of them nan.
static void widen(const char *type) {
    halves = arena_allocate(&arena, COUNT * sizeof *halves);
    for (int64_t i = 0; i < COUNT; i++) halves[i] = (uint16_t)(i % 0x7000 + (i % 3 == 0) * 0x8000);
    struct tensor tensor = tensor_new(&arena, FLOAT32, NO_DIMS);
    tensor.storage->count = COUNT;
    const struct elements elements = {element_type(type), SHAPE(COUNT), (const char *)halves};
    numbers = widened(&arena, tensor.storage, elements);
}

static float bfloat(uint16_t bits) {
    const uint32_t wide = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &wide, sizeof number);
    return number;
}

START_TEST(numbers_are_those_of_the_file) {
    widen("BF16");
    int64_t wrong = 0;
    for (int64_t i = 0; i < COUNT; i++) wrong += numbers[i] != bfloat(halves[i]);
    for (int64_t i = 0; i < COUNT; i += BYTES_OF_PIECE / 8)
        wrong += numbers[i] != bfloat(halves[i]);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(float16_is_no_bfloat16) {
    widen("F16");
    halves[0] = 0x3c00, halves[COUNT - 1] = 0xc500;
    ck_assert(numbers[0] == 1.0F);
    ck_assert(numbers[COUNT - 1] == -5.0F);
}
END_TEST

// Another thread reads from another place.
static void *read_all(void *start) {
    int64_t at = *(const int64_t *)start;
    for (int i = 0; i < 400; i++, at = (at + JUMP) % COUNT)
        if (numbers[at] != bfloat(halves[at])) return start;
    return NULL;
}

START_TEST(threads_read_at_once) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int64_t starts[THREADS];
    widen("BF16");
    for (int i = 0; i < THREADS; i++) {
        starts[i] = i * (COUNT / THREADS);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_all, &starts[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
}
END_TEST

#ifdef __linux__
static long kilobytes_of_process(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident * 4;
}

// The address sanitizer keeps an eighth of all memory beside it.
#if defined(__SANITIZE_ADDRESS__)
enum { EIGHTHS = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { EIGHTHS = 1 };
#else
enum { EIGHTHS = 0 };
#endif
#else
enum { EIGHTHS = 0 };
#endif

START_TEST(only_some_are_kept) {
    enum { KEPT = MOST_PIECES * (BYTES_OF_PIECE >> 10), MORE = 4096 };
    const long most = KEPT + MORE + EIGHTHS * KEPT / 8;
    widen("BF16");
    float sum = 0;
    const long before = kilobytes_of_process();
    for (int64_t i = 0; i < COUNT; i += 1000) sum += numbers[i];
    ck_assert(!isnan(sum));
    ck_assert_int_le(kilobytes_of_process() - before, most);
}
END_TEST
#endif

Suite *widened_suite(void) {
    Suite *suite = suite_create("widened");
    TCase *cases = add_case(suite, "widened", set_up_arena, tear_down_arena);
    tcase_add_test(cases, numbers_are_those_of_the_file);
    tcase_add_test(cases, float16_is_no_bfloat16);
    tcase_add_test(cases, threads_read_at_once);
#ifdef __linux__
    tcase_add_test(cases, only_some_are_kept);
#endif
    return suite;
}
