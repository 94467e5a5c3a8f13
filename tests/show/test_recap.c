// How lessons end. That the classes run in PyTorch and give the lesson's tensor, pytorch_recaps.py tests.

#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "lessons.h"
#include "show/recap.h"
#include "trace/step.h"

#include <check.h> // last: defines a macro fail

static struct failure failure;
static struct arena arena;

static void set_up(void) {
    arena = arena_new(&failure);
}

static void tear_down(void) {
    arena_free(&arena);
}

static int count_of_text(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) count++;
    return count;
}

START_TEST(test_words) {
    const struct recap *recap = lesson_table[_i]->source->recap;
    if (recap == NULL) return;
    ck_assert_msg(count_of_text(recap->words, ". ") == 4, "%s: five sentences", recap->words);
    ck_assert_int_eq(recap->words[strlen(recap->words) - 1], '.');
    ck_assert_int_eq(recap->onward[strlen(recap->onward) - 1], '.');
    ck_assert((recap->news != NULL) == (_i > 0));
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
static const char *without(const struct change *changes, int count, int kind) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (int i = 0; i < count; i++) {
        if ((int)changes[i].kind != kind) text_add_format(&text, "%s\n", changes[i].line);
    }
    return text.bytes;
}

START_TEST(test_changes_lead_from_one_to_the_other) {
    const struct recap *before = _i > 0 ? lesson_table[_i - 1]->source->recap : NULL;
    const struct recap *now = lesson_table[_i]->source->recap;
    if (now == NULL) return;
    struct change *changes;
    const int count = changes_since(&arena, before, now, &changes);
    ck_assert_str_eq(without(changes, count, LINE_IS_GONE), now->classes);
    if (before != NULL)
        ck_assert_str_eq(without(changes, count, LINE_IS_NEW), before->classes);
    else
        ck_assert_str_eq(without(changes, count, LINE_IS_NEW), now->classes);
}
END_TEST

START_TEST(test_changes_are_few) {
    static const struct recap before = {.classes = "a\nb\nc\nd\n"},
                              now = {.classes = "a\nc\nx\nd\n"};
    struct change *changes;
    ck_assert_int_eq(changes_since(&arena, &before, &now, &changes), 5);
    static const struct change expected[] = {{LINE_STAYS, "a"},
                                             {LINE_IS_GONE, "b"},
                                             {LINE_STAYS, "c"},
                                             {LINE_IS_NEW, "x"},
                                             {LINE_STAYS, "d"}};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(changes[i].kind, expected[i].kind);
        ck_assert_str_eq(changes[i].line, expected[i].line);
    }
}
END_TEST

Suite *recap_suite(void);

Suite *recap_suite(void) {
    Suite *suite = suite_create("recap");
    TCase *recap = tcase_create("recap");
    tcase_add_checked_fixture(recap, set_up, tear_down);
    tcase_add_loop_test(recap, test_words, 0, lesson_count);
    tcase_add_loop_test(recap, test_steps, 0, lesson_count);
    tcase_add_test(recap, test_seven_lessons_end);
    tcase_add_loop_test(recap, test_changes_lead_from_one_to_the_other, 0, lesson_count);
    tcase_add_test(recap, test_changes_are_few);
    suite_add_tcase(suite, recap);
    return suite;
}
