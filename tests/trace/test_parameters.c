// The table of parameters: what every row must have, and what the table does with any of them.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "trace/run/parameters.h"

#include <check.h> // last: defines a macro fail

// A value that is no parameter's own.
static const char *other_value(const struct parameter *parameter) {
    if (parameter->kind == &choice_kind) return parameter->choices[1];
    if (parameter->kind == &probability_kind || parameter->kind == &rate_kind ||
        parameter->kind == &decay_kind)
        return "0.25";
    if (parameter->kind == &base_kind) return "100";
    if (parameter->kind == &clip_kind) return "1";
    return is_switch(parameter) ? "yes" : "3";
}

START_TEST(test_rows_are_whole) {
    const struct parameter *parameter = &parameter_table[_i];
    ck_assert(parameter->kind != NULL && parameter->size > 0);
    ck_assert_ptr_eq(parameter_by_option(parameter->option), parameter);
    ck_assert_ptr_eq(parameter_by_bit(parameter->bit), parameter);
    ck_assert_int_eq(parameter->value == NULL, is_switch(parameter));
    ck_assert_int_eq(parameter->choices[0] != NULL, parameter->kind == &choice_kind);
    const bool is_count = parameter->kind == &size_kind || parameter->kind == &count_kind;
    ck_assert_int_eq(parameter->most > 0 && parameter->walked > 0, is_count);
    ck_assert_int_le(18 + 3 + (int)strlen(parameter->help), 80); // a line of help
    for (const char *c = parameter->name; *c != '\0'; c++)       // "d_out" and "--d-out"
        ck_assert_int_eq(*c == '_' ? '-' : *c, parameter->option[2 + (c - parameter->name)]);
}
END_TEST

// What was given reaches the run; what was not, or is of no use there, does not.
START_TEST(test_overlaid) {
    const struct parameter *parameter = &parameter_table[_i];
    const struct parameters own = {0};
    struct parameters chosen = {0};
    const char *value = other_value(parameter);
    ck_assert(set_parameter(&chosen, parameter, value));
    const struct parameters taken = overlaid(&own, &chosen, parameter->bit);
    ck_assert_uint_eq(taken.given, parameter->bit);
    ck_assert_str_eq(parameter_text(&arena, &taken, parameter), value);
    const struct parameters left = overlaid(&own, &chosen, ~parameter->bit);
    ck_assert_uint_eq(left.given, 0);
    ck_assert_str_eq(parameter_text(&arena, &left, parameter),
                     parameter_text(&arena, &own, parameter));
}
END_TEST

START_TEST(test_seed_before_masks) {
    const struct parameter *parameter = parameter_by_bit(USES_DROPOUT_SEED);
    struct parameters chosen = {0};
    ck_assert(set_parameter(&chosen, parameter, "none"));
    const struct parameters none = overlaid(&(struct parameters){0}, &chosen, USES_DROPOUT_SEED);
    ck_assert(none.no_dropout_seed);
    ck_assert(!set_parameter(&chosen, parameter, "nobody"));
    ck_assert(chosen.no_dropout_seed);
    ck_assert(set_parameter(&chosen, parameter, "7"));
    ck_assert(!chosen.no_dropout_seed && chosen.dropout_seed == 7);
}
END_TEST

// Forwards and backwards leads to the same value again, and every value in between can be read.
START_TEST(test_next) {
    const struct parameter *parameter = &parameter_table[_i];
    if (parameter->kind->next == NULL) return;
    struct parameters chosen = {0};
    const char *value = other_value(parameter), *here = value;
    for (int by = -1; by <= 1; by += 2) {
        here = parameter->kind->next(&arena, parameter, here, by);
        if (is_switch(parameter)) continue;
        ck_assert(set_parameter(&chosen, parameter, here));
        ck_assert_str_eq(parameter_text(&arena, &chosen, parameter), here);
    }
    const bool is_rounded = strcmp(value, "0.25") == 0; // to 0.2 or 0.3
    if (!is_rounded) ck_assert_str_eq(here, value);
}
END_TEST

Suite *parameters_suite(void) {
    Suite *suite = suite_create("parameters");
    TCase *parameters = add_case(suite, "parameters", set_up_arena, tear_down_arena);
    tcase_add_loop_test(parameters, test_rows_are_whole, 0, PARAMETER_COUNT);
    tcase_add_loop_test(parameters, test_overlaid, 0, PARAMETER_COUNT);
    tcase_add_test(parameters, test_seed_before_masks);
    tcase_add_loop_test(parameters, test_next, 0, PARAMETER_COUNT);
    return suite;
}
