// The walk over a document: which parts it visits, in which order, and what is said of each.

#include <string.h>

#include "app/print/document.h"
#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "script/lesson/interpreter.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static struct trial trial_of(const char *lesson, const char *mistake) {
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    struct trial trial;
    if (mistake != NULL) what_ifs.made[mistake_number(find_mistake(mistake))] = true;
    run_trial(&trial, &arena, lesson_called(lesson), &(struct parameters){0}, &what_ifs);
    return trial;
}

// ---- A format that writes a letter a part ---------------------------------------------------------

static void add_letter(const struct document *d) {
    text_add(d->text, d->how);
}

// A capital letter where there are words.
static void add_letter_of_words(const struct document *d) {
    text_add_bytes(d->text, d->how + (d->words == NULL), 1);
}

static void add_level(const struct document *d) {
    text_add_format(d->text, " %s%d", d->how, d->level);
}

static const struct print_part letters[PART_COUNT] = {
    [PART_BEGIN] = {add_letter, "("},
    [PART_LESSON] = {add_level, "L"},
    [PART_SUMMARY] = {add_letter, "s"},
    [PART_DIFFERENCES] = {add_letter_of_words, "Dd"},
    [PART_MISTAKE] = {add_letter_of_words, "Mm"},
    [PART_STEPS] = {add_letter, ":"},
    [PART_SECTION] = {add_level, "S"},
    [PART_STEP] = {add_level, ""},
    [PART_EXPLANATION] = {add_letter, "e"},
    [PART_FORMULA] = {add_letter, "f"},
    [PART_SOURCE] = {add_letter, "c"},
    [PART_PYTORCH] = {add_letter, "p"},
    [PART_LAYOUT] = {add_letter, "l"},
    [PART_TENSOR] = {add_letter, "t"},
    [PART_STEP_END] = {add_letter, "."},
    [PART_LESSON_END] = {add_letter, ";"},
    [PART_SHEET] = {add_level, "F"},
    [PART_SHEET_TABLE] = {add_letter, "a"},
    [PART_SHEET_END] = {add_letter, "!"},
    [PART_END] = {add_letter, ")"},
};

static const char *letters_of(const struct selection *selection) {
    struct text text = text_new(&arena);
    add_document(&text, selection, letters, NULL);
    return text.bytes;
}

static int count_in(const char *text, const char *wanted) {
    int count = 0;
    for (; (text = strstr(text, wanted)) != NULL; text++) count++;
    return count;
}

// ---- Whole lessons --------------------------------------------------------------------------------

START_TEST(a_lesson_is_read_from_its_title_to_its_sheet) {
    const struct trial trial = trial_of("causal", NULL);
    const struct selection selection = {.trial_count = 1, .trials = &trial};
    const char *text = letters_of(&selection);
    expect(strncmp(text, "( L1sd: ", 8) == 0, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, ".; F2aaa"));
    ck_assert_str_eq(text + strlen(text) - 3, "a!)");
    ck_assert_int_eq(count_in(text, "fcplt."), trial.run.step_count);
}
END_TEST

// The first step of a paragraph brings its words along, the others do not.
START_TEST(a_paragraph_is_explained_once) {
    const struct trial trial = trial_of("causal", NULL);
    const struct run *run = &trial.run;
    const struct selection selection = {.trial_count = 1, .trials = &trial};
    int paragraphs = 0;
    for (int i = 0; i < run->step_count; i++)
        paragraphs += !continues_paragraph(run, &run->steps[i]);
    ck_assert_int_lt(paragraphs, run->step_count);
    ck_assert_int_eq(count_in(letters_of(&selection), "efcplt."), paragraphs);
}
END_TEST

START_TEST(several_lessons_stand_below_a_title) {
    const struct trial trials[] = {trial_of("simplified", NULL), trial_of("causal", NULL)};
    const struct selection selection = {.trial_count = 2, .trials = trials};
    const char *text = letters_of(&selection);
    ck_assert_int_eq(count_in(text, " L2sd:"), 2);
    ck_assert_int_eq(count_in(text, " L1"), 0);
    ck_assert_int_eq(count_in(text, "!"), 1);
    ck_assert_int_ge(count_in(text, " S3 4efcplt."), 2); // a section, and a step below it
}
END_TEST

START_TEST(mistakes_stand_in_the_introduction) {
    const struct trial wrong = trial_of("causal", "no-scale");
    const struct selection selection = {.trial_count = 1, .trials = &wrong};
    expect(strncmp(letters_of(&selection), "( L1sDm:", 8) == 0, "%s", letters_of(&selection));
    const struct trial idle = trial_of("simplified", "no-scale");
    const struct selection other = {.trial_count = 1, .trials = &idle};
    expect(strncmp(letters_of(&other), "( L1sDM:", 8) == 0, "%s", letters_of(&other));
}
END_TEST

// ---- One step -------------------------------------------------------------------------------------

// However deep it stands in its paragraph: nobody else has said what it is about.
START_TEST(a_step_alone_is_explained) {
    const struct trial trial = trial_of("causal", NULL);
    for (int i = 0; i < trial.run.step_count; i++) {
        const struct selection selection = {
            .trial_count = 1, .trials = &trial, .step = &trial.run.steps[i]};
        const char *text = letters_of(&selection);
        ck_assert_int_eq(count_in(text, "efcplt."), 1);
        ck_assert_int_eq(count_in(text, "fcplt."), 1);
        ck_assert_ptr_null(strchr(text, 'F')); // no cheat sheet
    }
}
END_TEST

Suite *document_suite(void) {
    Suite *suite = suite_create("document");
    TCase *walk = add_case(suite, "walk", set_up_arena, tear_down_arena);
    tcase_add_test(walk, a_lesson_is_read_from_its_title_to_its_sheet);
    tcase_add_test(walk, a_paragraph_is_explained_once);
    tcase_add_test(walk, several_lessons_stand_below_a_title);
    tcase_add_test(walk, mistakes_stand_in_the_introduction);
    tcase_add_test(walk, a_step_alone_is_explained);
    return suite;
}
