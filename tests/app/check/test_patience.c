// A search for mistakes ends when its work is done, and tells a terminal what is tried.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/check/patience.h"
#include "fixture.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

enum { COUNT = 1000, OF_TENSOR = 1000 };

// The work of a try: one operation, which reads so many numbers and makes as many.
enum { OF_TRY = 400 + 2 * OF_TENSOR };

#define ALL_OF_IT (INT64_C(1) << 40)

// Each try performs an operation, and takes a millisecond. How many were made.
static int try_all(struct patience *patience) {
    const struct tensor x = tensor_new(&arena, FLOAT32, SHAPE(OF_TENSOR));
    int tried = 0;
    while (tried < COUNT && has_time(patience, "softmax-columns", tried, COUNT)) {
        tried++;
        (void)negative(x);
        for (const clock_t start = clock(); clock() - start < CLOCKS_PER_SEC / 1000;) {
        }
    }
    return tried;
}

// What the terminal was told by a search of so much work.
static const char *told(int64_t work, bool is_over) {
    static char text[1 << 16];
    FILE *terminal = tmpfile();
    ck_assert_ptr_nonnull(terminal);
    struct patience patience = start_search_for(work, terminal);
    const int tried = try_all(&patience);
    expect(patience.is_over == is_over && (tried < COUNT) == is_over, "%" PRId64 ": %d", work,
           tried);
    end_search(&patience);
    rewind(terminal);
    text[fread(text, 1, sizeof text - 1, terminal)] = '\0';
    (void)fclose(terminal);
    return text;
}

// However long a try takes, the same number of them is made.
START_TEST(a_search_ends_when_its_work_is_done) {
    enum { TRIES = 100 };
    for (int i = 0; i < 2; i++) {
        struct patience patience = start_search_for(TRIES * OF_TRY, NULL);
        ck_assert_int_eq(try_all(&patience), TRIES);
        ck_assert(patience.is_over);
        ck_assert(!has_time(&patience, "another", 0, 1));
    }
    struct patience patience = start_search_for(ALL_OF_IT, NULL);
    ck_assert_int_eq(try_all(&patience), COUNT);
    ck_assert(!patience.is_over);
}
END_TEST

START_TEST(a_terminal_is_told_what_is_tried) {
    const time_t began = time(NULL);
    const char *text = told(ALL_OF_IT, false);
    const int most =
        5 * (int)(time(NULL) - began + 1); // one in 0.2 s, however long the others work
    int times = 0;
    for (const char *at = text; (at = strstr(at, "\rtrying softmax-columns (")) != NULL; at++)
        times++;
    expect(times >= 2 && times <= most, "%d in %s", times, text);
    ck_assert_ptr_nonnull(strstr(text, " of 1000)"));
    const size_t length = strlen(text);
    expect(length > 62 && strspn(text + length - 62, " \r") == 62, "%s",
           text); // an empty line again
    ck_assert_ptr_nonnull(strstr(told(INT64_C(500) * OF_TRY, true), "\rtrying softmax-columns ("));
    ck_assert_ptr_null(strstr(told(0, true), "trying"));
}
END_TEST

Suite *patience_suite(void) {
    Suite *suite = suite_create("patience");
    TCase *cases = add_case(suite, "patience", NULL, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_search_ends_when_its_work_is_done);
    tcase_add_test(cases, a_terminal_is_told_what_is_tried);
    return suite;
}
