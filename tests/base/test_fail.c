// Failing with a message, and memory that is freed all at once.

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/text.h"

static struct failure failure;
static int steps; // that an action went through

static void act(void *context) {
    (void)context;
    steps++;
}

static void act_and_fail(void *context) {
    steps++;
    fail(&failure, FAIL_INPUT, "%s: %d", (const char *)context, 7);
    steps++;
}

static void fail_after_others(void *context) {
    steps += !attempt(&failure, act_and_fail, context);
    steps += attempt(&failure, act, NULL);
    steps += 10;
    fail(&failure, FAIL_RUNTIME, "outer");
}

static void fail_with_text(void *context) {
    fail(&failure, FAIL_USAGE, "%s", (const char *)context);
}

static void allocate_too_much(void *context) {
    arena_array(context, SIZE_MAX / 2, 4);
}

static void grow_too_much(void *context) {
    arena_grow(context, NULL, 0, SIZE_MAX / 2 + 1);
}

static void grow_beyond_counting(void *context) {
    arena_grow(context, context, SIZE_MAX - 1, 2);
}

static void allocate_hopelessly(void *context) {
    arena_allocate(context, SIZE_MAX - 100);
}

static void fail_in_scratch(void *context) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, context);
    memset(arena_allocate(m, 1000), 1, 1000);
    fail(context, FAIL_INPUT, "within");
}

static int undone;

static void undo(void *context) {
    undone = undone * 10 + *(const int *)context;
}

static void do_things_and_fail(void *context) {
    static int first = 1, second = 2, third = 3;
    struct cleanup one, two, three;
    cleanup_open(&one, context, undo, &first);
    cleanup_open(&two, context, undo, &second);
    cleanup_close(&two);
    cleanup_open(&three, context, undo, &third);
    fail(context, FAIL_RUNTIME, "now");
}

#include <check.h> // last: defines a macro fail

#include "expect.h"

START_TEST(an_attempt_comes_back_or_fails) {
    ck_assert(attempt(&failure, act, NULL));
    ck_assert_int_eq(steps, 1);
    ck_assert(!attempt(&failure, act_and_fail, "x.csv"));
    ck_assert_int_eq(steps, 2);
    ck_assert_str_eq(failure.message, "x.csv: 7");
    ck_assert_int_eq(failure.status, FAIL_INPUT);
    ck_assert(attempt(&failure, act, NULL));
}
END_TEST

START_TEST(attempts_nest) {
    ck_assert(!attempt(&failure, fail_after_others, "inner"));
    ck_assert_int_eq(steps, 14); // one failed, one came back, and the outer one went on
    ck_assert_str_eq(failure.message, "outer");
    ck_assert_int_eq(failure.status, FAIL_RUNTIME);
    ck_assert_ptr_null(failure.landing);
}
END_TEST

// Nobody would hear of it otherwise.
START_TEST(failing_outside_of_an_attempt_aborts) {
    fail_with_text("nobody tried");
}
END_TEST

// However long it is, a message ends with a whole character.
START_TEST(long_messages_are_cut) {
    char text[1024];
    for (int before = 0; before < 4; before++) {
        for (int count = 160; count < 200; count++) {
            memset(text, 'x', sizeof text);
            for (int i = 0; i < count; i++) memcpy(text + before + 3 * i, "日", 3);
            text[before + 3 * count] = '\0';
            ck_assert(!attempt(&failure, fail_with_text, text));
            const size_t length = strlen(failure.message);
            ck_assert(utf8_is_valid(failure.message, length));
            if (strlen(text) < sizeof failure.message) {
                ck_assert_str_eq(failure.message, text);
            } else {
                ck_assert_uint_gt(length, sizeof failure.message - 8);
                ck_assert_str_eq(failure.message + length - 3, "…");
            }
        }
    }
}
END_TEST

START_TEST(an_arena_gives_zeros_and_keeps_them_apart) {
    struct arena arena = arena_new(&failure);
    unsigned char *pieces[300];
    for (int i = 0; i < 300; i++) {
        const size_t size = (size_t)(i * i);
        pieces[i] = arena_allocate(&arena, size);
        ck_assert_uint_eq((uintptr_t)pieces[i] % 64, 0);
        for (size_t j = 0; j < size; j++) expect(pieces[i][j] == 0, "not zeroed");
        memset(pieces[i], i & 0xff, size);
    }
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < i * i; j++) expect(pieces[i][j] == (i & 0xff), "overwritten");
    }
    ck_assert_uint_ge(arena.used, 299 * 300 * 599 / 6);
    arena_free(&arena);
    ck_assert_str_eq(arena_copy(&arena, "again"), "again");
    arena_free(&arena);
}
END_TEST

// However it grows, it keeps its bytes, ends in zeros, and takes no more than twice its size, all its
// former selves together no more than twice that.
START_TEST(an_array_grows) {
    for (size_t step = 1; step < 3000; step += step / 3 + 1) {
        struct arena arena = arena_new(&failure);
        unsigned char *array = NULL, *before = NULL;
        size_t used = 0;
        for (int i = 0; i < 100; i++) {
            array = arena_grow(&arena, array, used, step);
            for (size_t j = 0; j < used; j++)
                expect(array[j] == (j / step & 0xff), "lost at %zu of %zu", j, used);
            if (array != before) expect(array[used + step - 1] == 0, "not zeroed");
            memset(array + used, i, step);
            if (before != NULL && array != before)
                expect(memcmp(before, array, used) == 0, "the old one was changed");
            used += step;
            before = array;
        }
        ck_assert_uint_le(arena.used, 4 * used + 128);
        arena_free(&arena);
    }
}
END_TEST

START_TEST(an_arena_writes_text) {
    struct arena arena = arena_new(&failure);
    ck_assert_str_eq(arena_copy_bytes(&arena, "abcdef", 3), "abc");
    ck_assert_str_eq(arena_copy_bytes(&arena, "", 0), "");
    ck_assert_str_eq(arena_format(&arena, "%d, %s", 5, "x"), "5, x");
    ck_assert_uint_eq(strlen(arena_format(&arena, "%5000d", 1)), 5000);
    arena_free(&arena);
}
END_TEST

START_TEST(without_memory_an_arena_fails) {
    struct arena arena = arena_new(&failure);
    ck_assert(!attempt(&failure, allocate_too_much, &arena));
    ck_assert_int_eq(failure.status, FAIL_RUNTIME);
    ck_assert_str_ne(failure.message, "");
    ck_assert(!attempt(&failure, allocate_hopelessly, &arena));
    ck_assert_int_eq(failure.status, FAIL_RUNTIME);
    ck_assert(!attempt(&failure, grow_too_much, &arena));
    ck_assert_int_eq(failure.status, FAIL_RUNTIME);
    ck_assert(!attempt(&failure, grow_beyond_counting, &arena));
    ck_assert_int_eq(failure.status, FAIL_RUNTIME);
    ck_assert_str_eq(arena_copy(&arena, "still works"), "still works");
    arena_free(&arena);
}
END_TEST

static void use_scratches(void *context) {
    struct scratch outer, inner;
    struct arena *m = scratch_open(&outer, context);
    char *text = arena_copy(m, "kept");
    arena_copy(scratch_open(&inner, context), "not for long");
    scratch_close(&inner);
    ck_assert(!attempt(context, fail_in_scratch, context)); // frees its own, not the ones outside
    ck_assert_str_eq(text, "kept");
    ck_assert_ptr_nonnull(outer.arena.newest);
    fail_in_scratch(context);
}

// A scratch that is not freed, the sanitizers' build reports.
START_TEST(what_was_opened_is_undone) {
    ck_assert(!attempt(&failure, use_scratches, &failure));
    ck_assert_ptr_null(failure.cleanups);
    undone = 0;
    ck_assert(!attempt(&failure, do_things_and_fail, &failure));
    ck_assert_int_eq(undone, 231); // what was closed once, then the last one first
    ck_assert_ptr_null(failure.cleanups);
}
END_TEST

Suite *fail_suite(void) {
    Suite *suite = suite_create("fail");
    TCase *failing = tcase_create("fail");
    tcase_add_test(failing, an_attempt_comes_back_or_fails);
    tcase_add_test(failing, attempts_nest);
    tcase_add_test_raise_signal(failing, failing_outside_of_an_attempt_aborts, SIGABRT);
    tcase_add_test(failing, long_messages_are_cut);
    suite_add_tcase(suite, failing);
    TCase *memory = tcase_create("arena");
    tcase_add_test(memory, an_arena_gives_zeros_and_keeps_them_apart);
    tcase_add_test(memory, an_array_grows);
    tcase_add_test(memory, an_arena_writes_text);
    tcase_add_test(memory, without_memory_an_arena_fails);
    tcase_add_test(memory, what_was_opened_is_undone);
    suite_add_tcase(suite, memory);
    return suite;
}
