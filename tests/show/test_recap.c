// How lessons end. That the classes run in PyTorch and give the lesson's tensor, pytorch_recaps.py tests.

#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lessons.h"
#include "show/recap.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

static int count_of_text(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) count++;
    return count;
}

START_TEST(test_words) {
    const struct recap *recap = lesson_table[_i]->source->recap;
    if (recap == NULL) return;
    ck_assert_msg(count_of_text(recap->words, ". ") == 4,
                  "not five sentences (src/README.md, \"Adding a lesson\"): %s", recap->words);
    ck_assert_int_eq(recap->words[strlen(recap->words) - 1], '.');
    ck_assert_int_eq(recap->onward[strlen(recap->onward) - 1], '.');
    const bool is_first = _i == 0 || lesson_table[_i - 1]->is_before_first;
    ck_assert_msg((recap->news != NULL) == !is_first,
                  "%s.py: New: stands in each but the first (src/README.md, \"Adding a lesson\")",
                  lesson_table[_i]->name);
    for (int i = 0; i < QUESTION_COUNT; i++) {
        const struct question *question = &recap->questions[i];
        ck_assert_int_eq(question->text[strlen(question->text) - 1], '?');
        ck_assert_int_eq(question->answer[strlen(question->answer) - 1], '.');
    }
}
END_TEST

// What a question points at, and what the class gives, is a step of the lesson.
START_TEST(test_steps) {
    const struct lesson *lesson = lesson_table[_i];
    const struct recap *recap = lesson->source->recap;
    struct run run;
    ck_assert(try_lesson(&run, &arena, lesson, &(struct parameters){0}));
    if (recap == NULL) return;
    ck_assert_msg(step_called(&run, recap->gives) != NULL, "no step %s", recap->gives);
    for (int i = 0; i < QUESTION_COUNT; i++) {
        const struct question *question = &recap->questions[i];
        const struct step *step = step_called(&run, question->step);
        ck_assert_msg(step != NULL, "no step %s", question->step);
        if (question->cell_dims == 0) continue;
        ck_assert_int_eq(question->cell_dims, step->tensor.ndim);
        for (int dim = 0; dim < question->cell_dims; dim++)
            ck_assert_int_lt(question->cell[dim], step->tensor.shape[dim]);
    }
}
END_TEST

START_TEST(test_seven_lessons_end) {
    int count = 0;
    for (int i = 0; i < lesson_count; i++) count += lesson_table[i]->source->recap != NULL;
    ck_assert_int_ge(count, 7);
}
END_TEST

// The lines of the changes but those of one kind.
static const char *without(const struct recap *recap, int kind) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (int i = 0; i < recap->change_count; i++) {
        if ((int)recap->changes[i].kind != kind)
            text_add_format(&text, "%s\n", recap->changes[i].line);
    }
    return text.bytes;
}

static int count_of_kind(const struct recap *recap, int kind) {
    int count = 0;
    for (int i = 0; i < recap->change_count; i++) count += (int)recap->changes[i].kind == kind;
    return count;
}

// The end of the lesson called `name` among the first `count`; NULL if there is none.
static const struct recap *end_called(const char *name, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(lesson_table[i]->name, name) == 0) return lesson_table[i]->source->recap;
    return NULL;
}

START_TEST(test_changes_lead_from_one_to_the_other) {
    const struct recap *now = lesson_table[_i]->source->recap;
    if (now == NULL) return;
    const struct recap *before = now->since != NULL ? end_called(now->since, _i) : NULL;
    ck_assert_int_eq(now->since != NULL, before != NULL);
    ck_assert_str_eq(without(now, LINE_IS_GONE), now->classes);
    ck_assert_str_eq(without(now, LINE_IS_NEW), before != NULL ? before->classes : now->classes);
}
END_TEST

// A window takes nothing from causal attention but the mask that it replaces; the lesson before it is on rotation.
START_TEST(test_title_names_what_is_compared) {
    const struct recap *window = end_called("window", lesson_count);
    ck_assert_str_eq(classes_title(&arena, window),
                     "The complete code in PyTorch (+ new, - gone since lesson causal)");
    for (int i = 0; i < window->change_count; i++)
        ck_assert_ptr_null(strstr(window->changes[i].line, "turn("));
    ck_assert_str_eq(classes_title(&arena, end_called("sampling", lesson_count)),
                     "The complete code in PyTorch");
}
END_TEST

// How many lines a longest common subsequence has, by the table of Wagner and Fischer (1974).
static int common_lines(const struct recap *recap) {
    enum { MOST = 512 };
    static int length[MOST + 1][MOST + 1];
    const char *a[MOST], *b[MOST];
    int rows = 0, columns = 0;
    for (int i = 0; i < recap->change_count; i++) {
        const struct change *change = &recap->changes[i];
        ck_assert(rows < MOST && columns < MOST);
        if (change->kind != LINE_IS_NEW) a[rows++] = change->line;
        if (change->kind != LINE_IS_GONE) b[columns++] = change->line;
    }
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++) {
            const int up = length[i - 1][j], left = length[i][j - 1];
            const bool is_same = strcmp(a[i - 1], b[j - 1]) == 0;
            length[i][j] = is_same ? length[i - 1][j - 1] + 1 : up > left ? up : left;
        }
    }
    return length[rows][columns];
}

START_TEST(test_changes_are_few) {
    const struct recap *recap = lesson_table[_i]->source->recap;
    if (recap == NULL) return;
    ck_assert_int_eq(count_of_kind(recap, LINE_STAYS), common_lines(recap));
}
END_TEST

Suite *recap_suite(void) {
    Suite *suite = suite_create("recap");
    TCase *recap = add_case(suite, "recap", set_up_arena, tear_down_arena);
    tcase_add_loop_test(recap, test_words, 0, lesson_count);
    tcase_add_loop_test(recap, test_steps, 0, lesson_count);
    tcase_add_test(recap, test_seven_lessons_end);
    tcase_add_loop_test(recap, test_changes_lead_from_one_to_the_other, 0, lesson_count);
    tcase_add_test(recap, test_title_names_what_is_compared);
    tcase_add_loop_test(recap, test_changes_are_few, 0, lesson_count);
    return suite;
}
