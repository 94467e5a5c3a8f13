// A search for mistakes ends when its time is up, and tells a terminal what is tried.

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/check/patience.h"
#include "fixture.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

enum { COUNT = 1000 };

// Each try takes a millisecond of a processor. How many were made.
static int try_all(struct patience *patience) {
    int tried = 0;
    while (tried < COUNT && goes_on(patience, "softmax-columns", tried, COUNT)) {
        tried++;
        for (const clock_t start = clock(); clock() - start < CLOCKS_PER_SEC / 1000;) {
        }
    }
    return tried;
}

// What the terminal was told by a search of so many seconds.
static const char *told(double seconds, bool is_over) {
    static char text[1 << 16];
    FILE *terminal = tmpfile();
    ck_assert_ptr_nonnull(terminal);
    struct patience patience = start_search_for(seconds, terminal);
    const int tried = try_all(&patience);
    expect(patience.is_over == is_over && (tried < COUNT) == is_over, "%g s: %d", seconds, tried);
    end_search(&patience);
    rewind(terminal);
    text[fread(text, 1, sizeof text - 1, terminal)] = '\0';
    (void)fclose(terminal);
    return text;
}

START_TEST(a_search_ends_in_time) {
    struct patience patience = start_search_for(0.1, NULL);
    const int tried = try_all(&patience);
    expect(tried > 0 && tried <= 100, "%d", tried);
    ck_assert(patience.is_over);
    ck_assert(!goes_on(&patience, "another", 0, 1));
    patience = start_search_for(INFINITY, NULL);
    ck_assert_int_eq(try_all(&patience), COUNT);
    ck_assert(!patience.is_over);
}
END_TEST

// Nothing is lost because others are at work.
START_TEST(waiting_takes_nothing_of_the_time) {
    struct patience patience = start_search_for(0.1, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    ck_assert(goes_on(&patience, "softmax-columns", 0, 1));
}
END_TEST

START_TEST(a_terminal_is_told_what_is_tried) {
    const time_t began = time(NULL);
    const char *text = told(INFINITY, false);
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
    ck_assert_ptr_nonnull(strstr(told(0.5, true), "\rtrying softmax-columns ("));
    ck_assert_ptr_null(strstr(told(0, true), "trying"));
}
END_TEST

Suite *patience_suite(void) {
    Suite *suite = suite_create("patience");
    TCase *cases = add_case(suite, "patience", NULL, NULL);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_search_ends_in_time);
    tcase_add_test(cases, waiting_takes_nothing_of_the_time);
    tcase_add_test(cases, a_terminal_is_told_what_is_tried);
    return suite;
}
