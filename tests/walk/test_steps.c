// What a reader at 80x24 gets of all steps of all lessons, counted. A budget is what is left of a fault: it may
// only become smaller. With ONESTEP_LIST=1 it prints which steps they are.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "lessons.h"
#include "trace/run/step.h"
#include "walk/model/opening.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

struct counts {
    int steps, labels, cut_texts, cut_codes, strides;
};

// Names that nobody would give an operand. They stand above it.
static bool has_strange_label(const struct canvas *canvas) {
    static const char *const strange[] = {"...",   "given", "adamw of",        "part of",
                                          "cat (", "cat(",  "in another shape"};
    for (int i = 0; i < walker.shown.count; i++) {
        const struct shown_page *page = &walker.shown.pages[i];
        if (page->step >= 0 || page->area.row < 1) continue;
        const char *row = row_text(canvas, page->area.row - 1, 0);
        for (size_t k = 0; k < sizeof strange / sizeof *strange; k++) {
            if (strstr(row, strange[k]) != NULL) return true;
        }
    }
    return false;
}

// Is something of the explanation missing, which may go on beside the matrices?
static bool is_text_cut(const char *screen, const char *explanation) {
    const size_t length = strlen(explanation);
    enum { END = 24 };
    return strstr(screen, explanation + (length > END ? length - END : 0)) == NULL;
}

static void count_step(struct counts *counts, const struct step *step) {
    const struct canvas canvas = draw(24, 80);
    const char *screen = collapsed(all_text(&canvas)), *keys = row_text(&canvas, 23, 0);
    const bool says_code = strstr(keys, "t code") != NULL;
    const bool is_cut = is_text_cut(screen, collapsed(step->paragraph->explanation));
    counts->steps++;
    counts->labels += has_strange_label(&canvas);
    counts->cut_texts += is_cut;
    counts->cut_codes += says_code;
    counts->strides += strstr(screen, "strides (") != NULL;
    if (getenv("ONESTEP_LIST") != NULL && (is_cut || has_strange_label(&canvas)))
        printf("%s %d %s%s\n", walker.trial.run.lesson->name, step->number, is_cut ? "text " : "",
               has_strange_label(&canvas) ? "label" : "");
}

static struct counts count_all(void) {
    struct counts counts = {0};
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            if (getenv("CELLS")) {
                int64_t pg = 0, r, c;
                opening_cell(&walker.trial.run, &walker.trial.run.steps[i], &pg, &r, &c);
                printf("CELL %s %d %s %d %d %d  %s:%d\n", walker.trial.run.lesson->name, i + 1,
                       step_label(&frame, &walker.trial.run.steps[i]), (int)pg, (int)r, (int)c,
                       walker.trial.run.steps[i].paragraph->file,
                       walker.trial.run.steps[i].excerpt->first_line);
            }
            count_step(&counts, &walker.trial.run.steps[i]);
        }
    }
    return counts;
}

START_TEST(a_reader_gets_the_whole_step) {
    enum { LABELS = 0, CUT_TEXTS = 0, CUT_CODES = 100, STRIDES = 32 };
    const struct counts counts = count_all();
    if (getenv("ONESTEP_LIST") != NULL)
        printf("%d steps: labels %d, texts %d, codes %d, strides %d\n", counts.steps, counts.labels,
               counts.cut_texts, counts.cut_codes, counts.strides);
    ck_assert_int_le(counts.labels, LABELS);
    ck_assert_int_le(counts.cut_texts, CUT_TEXTS);
    ck_assert_int_le(counts.cut_codes, CUT_CODES);
    ck_assert_int_le(counts.strides, STRIDES);
}
END_TEST

Suite *steps_suite(void) {
    Suite *suite = suite_create("steps");
    TCase *counts = add_case(suite, "counts", walk_set_up, walk_tear_down);
    tcase_add_test(counts, a_reader_gets_the_whole_step);
    return suite;
}
