// Memory that is taken back piece by piece.

#include "base/swept.h"

#include <string.h>

#include <check.h>

#include "expect.h"

static struct failure failure;

static void allocate_more(void *context) {
    arena_allocate(context, 3000);
}

START_TEST(what_is_marked_stays) {
    enum { COUNT = 3000, EVERY = 7 };
    static unsigned char *things[COUNT];
    struct arena arena = arena_new(&failure);
    struct arena *swept = arena_child_swept(&arena);
    for (size_t round = 0; round < 5; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            if (round > 0 && i % EVERY == 0) continue; // there since the first round
            things[i] = arena_allocate(swept, i);
            for (size_t k = 0; k < i; k++) expect(things[i][k] == 0, "byte %zu of %zu", k, i);
            memset(things[i], (int)(i % 255 + 1), i);
        }
        for (size_t i = 0; i < COUNT; i += EVERY) arena_mark(swept, things[i], i);
        arena_sweep(swept);
        for (size_t i = 0; i < COUNT; i += EVERY)
            for (size_t k = 0; k < i; k++)
                expect(things[i][k] == i % 255 + 1, "byte %zu of %zu", k, i);
    }
    arena_free(&arena);
}
END_TEST

START_TEST(a_sweep_leaves_nothing_else) {
    struct arena arena = arena_new(&failure);
    struct arena *swept = arena_child_swept(&arena);
    const void *small = arena_allocate(swept, 100), *large = arena_allocate(swept, 5000);
    for (int i = 0; i < 1000; i++) arena_allocate(swept, 2000);
    arena_mark(swept, small, 100);
    arena_mark(swept, large, 5000);
    arena_sweep(swept);
    ck_assert_uint_eq(swept->used, 5100);
    arena_sweep(swept);
    ck_assert_uint_eq(swept->used, 0);
    const size_t used = arena.used;
    for (int i = 0; i < 100000; i++) {
        arena_allocate(swept, 500);
        if (i % 50 == 0) arena_sweep(swept);
    }
    ck_assert_uint_le(arena.used, used + 200000); // the pieces serve again
    arena_free(&arena);
}
END_TEST

START_TEST(a_limit_counts_what_is_left) {
    struct arena arena = arena_new(&failure);
    struct arena *swept = arena_child_swept(&arena);
    swept->limit = 10000;
    for (int i = 0; i < 3; i++) ck_assert(attempt(&failure, allocate_more, swept));
    ck_assert(!attempt(&failure, allocate_more, swept));
    arena_sweep(swept);
    ck_assert(attempt(&failure, allocate_more, swept));
    ck_assert_uint_gt(arena_number(swept), arena_number(&arena) - 2); // numbered together
    arena_free(&arena);
}
END_TEST

Suite *swept_suite(void) {
    Suite *suite = suite_create("swept");
    TCase *memory = tcase_create("swept");
    tcase_add_test(memory, what_is_marked_stays);
    tcase_add_test(memory, a_sweep_leaves_nothing_else);
    tcase_add_test(memory, a_limit_counts_what_is_left);
    suite_add_tcase(suite, memory);
    return suite;
}
