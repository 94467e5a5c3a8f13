// `print --picture`, as its users run it.

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/started.h"
#include "records.h"

#include <check.h> // last: defines a macro fail

// ---- The map ---------------------------------------------------------------------------------------

START_TEST(a_map_in_text_and_in_words) {
    const struct end text = RUN(&arena, "print", "causal", "--picture", "map");
    ck_assert_ptr_nonnull(strstr(output_of(&text), "[17 causal_weights]"));
    ck_assert_ptr_nonnull(strstr(text.output, "▼ ▼ (2, 6)"));
    const struct end words = RUN(&arena, "print", "3", "--picture=map", "--format", "plain");
    ck_assert_ptr_nonnull(
        strstr(output_of(&words),
               "\n19 context (6, 2): computed from causal_weights (6, 6), values (6, 2)\n"));
}
END_TEST

START_TEST(a_lesson_as_svg_is_its_map) {
    const struct end named = RUN(&arena, "print", "causal", "--picture", "map", "--format", "svg");
    const struct end unnamed = RUN(&arena, "print", "causal", "--format", "svg");
    ck_assert_str_eq(output_of(&named), output_of(&unnamed));
    const char *path = path_of("map.svg");
    const struct end file = RUN(&arena, "print", "causal", "--format", "svg", "-o", path);
    ck_assert_str_eq(output_of(&file), "");
    ck_assert_str_eq(read_whole(&arena, path), named.output);
}
END_TEST

START_TEST(a_folder_of_figures_has_the_map) {
    const struct end end = RUN(&arena, "print", "causal", "--format", "svg", "-o", folder);
    ck_assert_str_eq(output_of(&end), "");
    const struct end map = RUN(&arena, "print", "causal", "--format", "svg");
    const char *path = path_of("causal.svg");
    ck_assert_str_eq(read_whole(&arena, path), map.output);
    struct stat status;
    ck_assert_int_eq(stat(path_of("causal.scores.svg"), &status), 0);
}
END_TEST

START_TEST(a_map_says_that_it_is_not_the_course) {
    const struct end own = RUN(&arena, "print", "causal", "--format", "svg");
    ck_assert_ptr_null(strstr(output_of(&own), "not the course"));
    const struct end other = RUN(&arena, "print", "causal", "--format", "svg", "--d-out", "5");
    ck_assert_ptr_nonnull(strstr(output_of(&other), "(not the course’s: d_out 5)"));
}
END_TEST

START_TEST(a_handout_has_the_map_with_links) {
    const struct end end = RUN(&arena, "print", "causal", "--format", "html");
    ck_assert_ptr_nonnull(strstr(output_of(&end), "<svg class=\"fig\""));
    const char *link = strstr(end.output, "<a href=\"#causal.causal_weights\">\n<rect");
    ck_assert_ptr_nonnull(link);
    const struct end step = RUN(&arena, "print", "causal", "--format", "html", "--step", "scores");
    ck_assert_ptr_null(strstr(output_of(&step), "<svg"));
}
END_TEST

// ---- How a lesson ends -------------------------------------------------------------------------------

START_TEST(a_summary_says_what_is_new) {
    const struct end end = RUN(&arena, "print", "causal", "--summary");
    ck_assert_ptr_nonnull(
        strstr(output_of(&end), "\n+         self.register_buffer(\"mask\", mask.bool())\n"));
    ck_assert_ptr_nonnull(strstr(end.output, "\n          queries = self.W_query(x)\n"));
    ck_assert_ptr_nonnull(strstr(end.output, "\n- class SelfAttention(torch.nn.Module):\n"));
    ck_assert_ptr_nonnull(strstr(end.output, "\n3. Which tokens"));
    const struct end first = RUN(&arena, "print", "simplified", "--summary");
    ck_assert_ptr_null(strstr(output_of(&first), "\n+ "));
    const struct end dim = RUN(&arena, "print", "causal", "--summary", "--color", "always");
    ck_assert_ptr_nonnull(
        strstr(output_of(&dim), "\033[2m          queries = self.W_query(x)\033[0m\n"));
    ck_assert_ptr_null(strstr(dim.output, "\033[2m+"));
}
END_TEST

START_TEST(all_summaries_in_order) {
    const struct end end = RUN(&arena, "print", "all", "--summary");
    const char *wrapper = strstr(output_of(&end), "Multi-head attention as a wrapper\n");
    ck_assert_ptr_nonnull(wrapper);
    ck_assert_ptr_null(strstr(end.output, "{sentences}"));
    ck_assert_ptr_nonnull(strstr(wrapper, "Multi-head attention with split heads\n"));
}
END_TEST

START_TEST(a_summary_as_a_program) {
    const struct end end =
        RUN(&arena, "print", "causal", "--summary", "--format", "py", "--d-out", "5");
    ck_assert_int_eq(strncmp(output_of(&end), "# Causal attention: context\nimport torch\n", 41),
                     0);
    ck_assert_ptr_nonnull(strstr(end.output, "\nd_out = 5\n"));
    ck_assert_ptr_nonnull(strstr(end.output, "\nprint(context)\n"));
}
END_TEST

// ---- What can't be -----------------------------------------------------------------------------------

static const struct {
    const char *arguments[8], *message;
} refused[] = {
    {{"print", "causal", "--picture", "photo"}, "takes map, plane, strips or curve, not 'photo'"},
    {{"print", "causal", "--picture"}, "--picture needs a value"},
    {{"print", "all", "--picture", "map"}, "--picture needs one lesson (why, simplified"},
    {{"print", "causal", "--picture", "map", "--step", "3"}, "leave out --step"},
    {{"print", "causal", "--picture", "map", "--format", "csv"}, "--format plain or svg, not csv"},
    {{"print", "causal", "--picture", "plane"}, "--picture plane shows one step"},
    {{"print", "1", "--step", "context", "--picture", "plane"}, "its rows have 3 numbers"},
    {{"print", "3", "--step", "scores", "--picture", "strips"}, "strips show weights"},
    {{"print", "3", "--step", "values", "--picture", "strips"}, "what queries give to keys"},
    {{"print", "3", "--step", "scores", "--picture", "curve"}, "its shape is (6, 6)"},
    {{"print", "3", "--step", "difference", "--picture", "plane"}, "it is one number"},
    {{"print", "3", "--summary", "--step", "1"}, "--summary covers the whole lesson"},
    {{"print", "3", "--summary", "--format", "csv"}, "--format py a program, not csv"},
    {{"print", "3", "--summary", "--picture", "map"}, "choose one"},
    {{"print", "all", "--summary", "--format", "py"}, "as a program needs one lesson"},
    {{"list", "--summary"}, "list has no option '--summary'"},
    {{"walk", "--picture", "map"}, "walk has no option '--picture'"},
};

START_TEST(what_cannot_be_drawn) {
    const struct end end = run_process(&arena, &(struct start){.arguments = refused[_i].arguments});
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert_str_eq(end.output, "");
    ck_assert_msg(strstr(end.error, refused[_i].message) != NULL, "%s", end.error);
}
END_TEST

Suite *picture_suite(void) {
    Suite *suite = suite_create("picture");
    TCase *map = add_case(suite, "map", set_up_folder, tear_down_folder),
          *errors = add_case(suite, "errors", set_up_folder, tear_down_folder);
    tcase_add_test(map, a_map_in_text_and_in_words);
    tcase_add_test(map, a_lesson_as_svg_is_its_map);
    tcase_add_test(map, a_folder_of_figures_has_the_map);
    tcase_add_test(map, a_map_says_that_it_is_not_the_course);
    tcase_add_test(map, a_handout_has_the_map_with_links);
    TCase *summary = add_case(suite, "summary", set_up_folder, tear_down_folder);
    tcase_add_test(summary, a_summary_says_what_is_new);
    tcase_add_test(summary, all_summaries_in_order);
    tcase_add_test(summary, a_summary_as_a_program);
    tcase_add_loop_test(errors, what_cannot_be_drawn, 0, sizeof refused / sizeof *refused);
    return suite;
}
