// The classic mistakes as edits of the lessons' own lines: does a row of data/edits.txt give what --what-if gives?

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "sample.h"
#include "script/edit/candidates.h"
#include "script/lesson/line_edits.h"
#include "script/lesson/statements.h"
#include "trace/run/step.h"
#include "trace/what_if/effects.h"
#include "trace/what_if/mistake.h"

#include <check.h> // last: defines a macro fail

// From the best to the worst.
enum verdict { SAME, ROUNDED, ABSENT, DIFFERS, UNMATCHED, NO_ROW };
static const char *const verdict_words[] = {"same",    "rounded",   "absent",
                                            "differs", "unmatched", "no-row"};

struct judged {
    enum verdict verdict;
    int first;         // step that is another one, from 0
    const char *step;  // the same; NULL: none
    const char *lines; // that were edited; NULL: none
};

// With as many heads; 0: those of the lesson.
static struct run run_briefly(const struct lesson *lesson, const struct mistake *mistake,
                              int heads) {
    const uint64_t of_heads = heads > 0 ? USES_HEADS | USES_D_OUT | USES_D_MODEL : 0;
    const struct parameters few = {.given = (USES_UPDATES | of_heads) & lesson->uses,
                                   .updates = 2,
                                   .heads = heads,
                                   .d_out = 2 * heads,
                                   .d_model = 2 * heads};
    const struct parameters parameters = showing_parameters(lesson, &few, mistake);
    return must_run(&arena, lesson, &parameters);
}

// ---- One edit -----------------------------------------------------------------------------------------

static bool is_near(const struct tensor *own, const struct tensor *other) {
    static const double TOLERANCE = 5e-6; // of tests/data/mistakes.txt
    for (int64_t i = 0; i < count_of(shape_of(own)); i++) {
        const double a = element_at(own, i), b = element_at(other, i);
        if ((isnan(a) && isnan(b)) || a == b) continue;
        if (!(fabs(a - b) <= TOLERANCE * fmax(1, fabs(b)))) return false;
    }
    return true;
}

static enum verdict judge_step(const struct line_outcome *outcome, const struct tensor *other) {
    const struct tensor *own = &outcome->tensor;
    if (!is_tensor(own)) return strstr(outcome->failure, "It is no tensor") ? ABSENT : DIFFERS;
    if (own->storage->dtype != other->storage->dtype ||
        !shapes_equal(shape_of(own), shape_of(other)))
        return DIFFERS;
    if (!differ(own, other)) return SAME;
    return is_near(own, other) ? ROUNDED : DIFFERS;
}

static struct judged judge_edit(const struct lesson_lines *lines, const struct run *wrong,
                                const struct edit *edit) {
    struct judged judged = {.verdict = SAME, .lines = lines_after(&arena, lines, edit)};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &failure);
    const struct run run = edited_run(m, lines, edit);
    struct line_outcome *outcomes = arena_array(m, (size_t)run.step_count, sizeof *outcomes);
    play_statements(outcomes, m, lines->run, &run, NULL);
    for (int i = 0; i < run.step_count; i++) {
        const enum verdict verdict = judge_step(&outcomes[i], &wrong->steps[i].tensor);
        if (verdict <= judged.verdict) continue;
        const char *failed = outcomes[i].failure;
        judged.verdict = verdict;
        judged.first = i;
        judged.step = arena_format(&arena, "%s%s%s", step_label(&arena, &run.steps[i]),
                                   failed != NULL ? ": " : "", failed != NULL ? failed : "");
    }
    scratch_close(&scratch);
    return judged;
}

// ---- A table ------------------------------------------------------------------------------------------

extern const char data_edits[];

static bool has_row(const char *name) {
    const char *begin = arena_format(&arena, "\n%s ", name);
    return strstr(data_edits, begin) != NULL;
}

// Of the first edit that the rows of this name make: who makes a mistake has nothing to choose by.
static struct judged judge(const struct run *right, const struct run *wrong, const char *name) {
    const struct lesson_lines lines = lines_of_lesson(&arena, right, right->step_count - 1);
    const struct edit_list edits = mistakes_named(&arena, "lesson", lines.source, name);
    if (edits.count > 0) return judge_edit(&lines, wrong, &edits.edits[0]);
    return (struct judged){.verdict = has_row(name) ? UNMATCHED : NO_ROW};
}

// What data/edited_lessons.txt says: "VERDICT NAME: LESSON LESSON ...", and SAME for what does not stand there.
static enum verdict expected_of(const char *table, const char *name, const char *lesson) {
    for (const char *line = table; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *end = line + strcspn(line, "\n");
        const char *own = arena_copy_bytes(&arena, line, (size_t)(end - line));
        const char *is_it = arena_format(&arena, " %s: ", name);
        if (strchr("# ", *own) != NULL || strstr(own, is_it) == NULL) continue;
        const char *word = arena_format(&arena, " %s ", lesson);
        if (strstr(arena_format(&arena, "%s ", strstr(own, ": ") + 1), word) == NULL) continue;
        for (int i = SAME; i <= NO_ROW; i++) {
            if (strncmp(own, verdict_words[i], strlen(verdict_words[i])) == 0)
                return (enum verdict)i;
        }
    }
    return SAME;
}

static const char *read_table(void) {
    FILE *file = fopen(TEST_DATA "/edited_lessons.txt", "r");
    ck_assert_ptr_nonnull(file);
    struct text table = text_new(&arena);
    char line[1024];
    text_add(&table, "");
    while (fgets(line, sizeof line, file) != NULL) text_add(&table, line);
    fclose(file);
    return table.bytes;
}

// Also prints the work list into the file that ONESTEP_EDITED_LESSONS names.
static void write_judged(const struct judged *judged, const char *name, const char *lesson) {
    const char *path = getenv("ONESTEP_EDITED_LESSONS");
    if (path == NULL) return;
    FILE *file = fopen(path, "a");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s %s %s %s\n", verdict_words[judged->verdict], name, lesson,
            judged->step != NULL ? judged->step : "");
    if (judged->verdict != SAME && judged->lines != NULL) fprintf(file, "%s", judged->lines);
    fclose(file);
}

// Every mistake that --what-if makes in the lesson: is the verdict the table's? With other heads it may be a better one.
static void judge_lesson(const struct lesson *lesson, int heads) {
    const char *table = read_table(), *only = getenv("ONESTEP_ONLY_MISTAKE");
    int wrong_verdicts = 0;
    for (int i = 0; i < mistake_total; i += one_in(1)) {
        const struct mistake *mistake = &mistake_table[i];
        if (only != NULL && strcmp(only, mistake->name) != 0) continue;
        struct run right = run_briefly(lesson, mistake, heads), wrong;
        replay_run(&wrong, &arena, &right, &mistake, 1);
        if (count_touched(&right, &wrong, NULL) == 0) continue;
        const struct judged judged = judge(&right, &wrong, mistake->name);
        const char *with_heads = arena_format(&arena, "%s-%d", lesson->name, heads);
        enum verdict expected = expected_of(table, mistake->name, lesson->name);
        if (expected == SAME) expected = expected_of(table, mistake->name, with_heads);
        write_judged(&judged, mistake->name, lesson->name);
        if (judged.verdict == expected || (heads > 0 && judged.verdict < expected)) continue;
        wrong_verdicts++;
        fprintf(stderr, "%s in %s: %s, and data/edited_lessons.txt has %s. %s\n%s", mistake->name,
                lesson->name, verdict_words[judged.verdict], verdict_words[expected],
                judged.step != NULL ? judged.step : "", judged.lines != NULL ? judged.lines : "");
    }
    ck_assert_int_eq(wrong_verdicts, 0);
}

START_TEST(edits_give_what_mistakes_give) {
    judge_lesson(lesson_table[_i], 0);
}
END_TEST

START_TEST(edits_fit_any_number_of_heads) {
    const struct lesson *lesson = lesson_table[_i];
    if (lesson->uses & USES_HEADS) judge_lesson(lesson, _i % 2 == 0 ? 1 : 4);
}
END_TEST

Suite *edited_lessons_suite(void) {
    Suite *suite = suite_create("edited_lessons");
    TCase *tests = add_case(suite, "edited_lessons", set_up_arena, tear_down_arena);
    tcase_add_loop_test(tests, edits_give_what_mistakes_give, 0, lesson_count);
    tcase_add_loop_test(tests, edits_fit_any_number_of_heads, 0, lesson_count);
    tcase_set_timeout(tests, 400);
    return suite;
}
