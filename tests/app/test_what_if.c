// --what-if and list --what-ifs, as users see them.

#include <string.h>

#include "fixture.h"
#include "process.h"
#include "sample.h"
#include "trace/what_if/mistake.h"

#include <check.h> // last: defines a macro fail

static void check_has(const char *text, const char *wanted) {
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

START_TEST(a_step_prints_its_wrong_numbers) {
    const struct end right = RUN(&arena, "print", "causal", "--step", "causal_weights");
    const struct end wrong =
        RUN(&arena, "print", "causal", "--step", "causal_weights", "--what-if", "mask-zero");
    ck_assert_int_eq(wrong.status, 0);
    ck_assert_str_eq(wrong.error, "");
    ck_assert_str_ne(wrong.output, right.output);
    check_has(wrong.output, "tensor([[");
}
END_TEST

START_TEST(a_row_without_anything_to_see_is_nan) {
    const struct end end =
        RUN(&arena, "print", "causal", "--step", "causal_weights", "--what-if=mask-diagonal");
    check_has(end.output, "tensor([[   nan,    nan,");
}
END_TEST

START_TEST(every_format_says_what_was_done) {
    const struct end torch = RUN(&arena, "print", "causal", "--what-if", "no-scale");
    check_has(torch.output, "Not the course's numbers: what if no-scale.");
    check_has(torch.output, "What if: Scores not divided by √d_k (no-scale).");
    const struct end plain =
        RUN(&arena, "print", "causal", "--what-if", "no-scale", "--format", "plain");
    check_has(plain.output, "what if: no-scale: Scores not divided by √d_k\n");
    const struct end json =
        RUN(&arena, "print", "causal", "--what-if", "no-scale", "--format", "json");
    check_has(json.output, "\"what_if\": [{\"name\": \"no-scale\"");
    check_has(json.output, "\"changes_nothing_because\": null");
    check_has(json.output, "\"is_course\": false");
}
END_TEST

// The lesson's line and the one that ran, at the step, or before all steps where it is of the setup.
START_TEST(formats_show_both_lines) {
    static const char before[] = "weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)",
                      after[] = "weights = torch.softmax(scores, dim=-1)";
    static const char *const formats[] = {"torch", "html", "markdown"};
    const char *both = arena_format(&arena, "- %s\n", before);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct end end =
            RUN(&arena, "print", "causal", "--what-if", "no-scale", "--format", formats[i]);
        check_has(end.output, both);
        check_has(end.output, arena_format(&arena, "+ %s\n", after));
    }
    const struct end plain =
        RUN(&arena, "print", "causal", "--what-if", "no-scale", "--format", "plain");
    check_has(plain.output,
              arena_format(&arena, "line of the lesson: %s\nline that ran: %s\n", before, after));
    const struct end json =
        RUN(&arena, "print", "causal", "--what-if", "no-scale", "--format", "json");
    check_has(json.output,
              arena_format(&arena,
                           "\"lines\": [{\"step\": \"weights\", \"before\": \"%s\\n\", "
                           "\"after\": \"%s\\n\"}, {\"step\": \"scaled\", ",
                           before, after));
    const struct end setup =
        RUN(&arena, "print", "training", "--updates", "2", "--what-if", "lr-ten-times");
    check_has(setup.output, "  - lr = 0.01\n  + lr = 0.1\n");
}
END_TEST

START_TEST(two_are_two) {
    const struct end end =
        RUN(&arena, "print", "causal", "--what-if", "mask-zero", "--what-if", "no-scale");
    ck_assert_int_eq(end.status, 0);
    check_has(end.output, "what if no-scale, what if mask-zero.");
}
END_TEST

START_TEST(one_that_changes_nothing_says_so) {
    const struct end end = RUN(&arena, "print", "split_head", "--what-if", "no-scale");
    ck_assert_int_eq(end.status, 0);
    ck_assert_str_eq(end.error,
                     "onestep: note: split_head: no-scale changes nothing here: d_k is 1, "
                     "and √1 is 1\n");
    check_has(end.output, "Not the course's numbers: what if no-scale (changes nothing here).");
    check_has(end.output, "no-scale changes nothing here: d_k is 1, and √1 is 1.");
    const struct end step =
        RUN(&arena, "print", "causal", "--step", "scores", "--what-if", "no-scale");
    ck_assert_int_eq(step.status, 0);
    check_has(step.error, "changes other steps, but not 'scores'\n");
}
END_TEST

START_TEST(other_names_are_refused) {
    const struct end end = RUN(&arena, "print", "causal", "--what-if", "no-scales");
    ck_assert_int_eq(end.status, 2);
    ck_assert_str_eq(end.output, "");
    check_has(end.error, "no what-if 'no-scales'; did you mean no-scale? 'onestep list --what-ifs' "
                         "names them all\n");
    ck_assert_int_eq(RUN(&arena, "list", "--what-if", "no-scale").status, 2);
    ck_assert_int_eq(RUN(&arena, "print", "causal", "--what-if").status, 2);
    ck_assert_int_eq(RUN(&arena, "print", "causal", "--what-ifs").status, 2);
}
END_TEST

START_TEST(the_list_has_them_all) {
    const struct end plain = RUN(&arena, "list", "--what-ifs");
    ck_assert_int_eq(plain.status, 0);
    for (int i = 0; i < mistake_total; i++) {
        const struct mistake *mistake = &mistake_table[i];
        check_has(plain.output, arena_format(&arena, "%s: %s\n", mistake->name, mistake->title));
    }
    check_has(plain.output, "  changes split_head --d-out 6: weights, dropped, ");
    check_has(plain.output, "  changes wrapper --bias: 'head 1: W_query_bias', ");
    check_has(plain.output, "  changes simplified: weights, row_sums, column_sums, context\n");
}
END_TEST

Suite *what_if_suite(void) {
    Suite *suite = suite_create("what if");
    TCase *tests = add_case(suite, "on the command line", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 240); // the list replays every mistake in every lesson, twice
    tcase_add_test(tests, a_step_prints_its_wrong_numbers);
    tcase_add_test(tests, a_row_without_anything_to_see_is_nan);
    tcase_add_test(tests, every_format_says_what_was_done);
    tcase_add_test(tests, formats_show_both_lines);
    tcase_add_test(tests, two_are_two);
    tcase_add_test(tests, one_that_changes_nothing_says_so);
    tcase_add_test(tests, other_names_are_refused);
    if (one_in(1) == 1) // it takes a minute under sanitizers
        tcase_add_test(tests, the_list_has_them_all);
    return suite;
}
