// What a reader at 80x24 gets of all steps of all lessons, counted. A budget is what is left of a fault: it may
// only become smaller. With ONESTEP_LIST=1 it prints which steps they are.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lessons.h"
#include "show/table.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

struct counts {
    int steps, labels, cut_texts, cut_codes, strides, cut_arithmetic, unmarked, small_cut;
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

// Is the arithmetic of the cell on which the step opens too long to be read there? So it is where 16 products and a bias
// are added up, in the second layers of the blocks.
static bool is_arithmetic_cut(const struct step *step, const char *screen) {
    const bool is_exception = strcmp(walker.trial.run.lesson->name, "block") == 0 &&
                              strcmp(step->name, "feed_forward") == 0;
    return !is_exception && strstr(screen, "(Enter: of which numbers)") != NULL;
}

// Is a mark of what is cut in the area of a matrix, from a column on? That of rows may stand at the labels of a matrix to
// its left, which serve both.
static bool has_mark(const struct canvas *canvas, const struct area *area, int first,
                     const char *mark) {
    for (int row = area->row; row < area->row + area->rows; row++) {
        const char *from = row_text(canvas, row, first);
        const char *found = strstr(from, mark);
        if (found != NULL && text_width(arena_format(&frame, "%.*s", (int)(found - from), from)) <
                                 area->column + area->columns - first)
            return true;
    }
    return false;
}

// How the page of the result is shown: whole, cut with a mark, or cut without one.
struct page_cut {
    bool is_cut, is_marked;
    int64_t rows, columns; // of the page
};

static struct page_cut cut_of_result(const struct canvas *canvas) {
    struct page_cut cut = {.is_marked = true};
    for (int i = 0; i < walker.shown.count; i++) {
        const struct shown_page *page = &walker.shown.pages[i];
        if (!page->has_focus) continue;
        const struct table table = table_of(&page->tensor);
        const bool is_upright = !has_rows(&page->tensor) && page->raster.rows > 1;
        cut.rows = is_upright ? table.columns : table.rows;
        cut.columns = is_upright ? table.rows : table.columns;
        const bool cuts_rows = page->raster.rows < cut.rows,
                   cuts_columns = page->raster.columns < cut.columns;
        cut.is_cut = cuts_rows || cuts_columns;
        if (cuts_rows) cut.is_marked = has_mark(canvas, &page->area, 0, "⋮");
        if (cuts_columns)
            cut.is_marked =
                cut.is_marked && (has_mark(canvas, &page->area, page->area.column, "›") ||
                                  has_mark(canvas, &page->area, page->area.column, "‹"));
    }
    return cut;
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
    counts->strides += strstr(screen, "strides (") != NULL && !is_about_memory(&step->tensor);
    const bool cuts_arithmetic = is_arithmetic_cut(step, screen);
    const struct page_cut cut = cut_of_result(&canvas);
    const bool is_small = cut.rows <= 6 && cut.columns <= 6;
    counts->cut_arithmetic += cuts_arithmetic;
    counts->unmarked += cut.is_cut && !cut.is_marked;
    counts->small_cut += cut.is_cut && is_small;
    ck_assert_msg(strstr(screen, collapsed(step->formula)) != NULL, "%s %d has no formula",
                  walker.trial.run.lesson->name, step->number);
    if (getenv("ONESTEP_LIST") != NULL &&
        (is_cut || has_strange_label(&canvas) || cuts_arithmetic ||
         (cut.is_cut && (is_small || !cut.is_marked))))
        printf("%s %d %s%s%s%s%s\n", walker.trial.run.lesson->name, step->number,
               is_cut ? "text " : "", has_strange_label(&canvas) ? "label " : "",
               cuts_arithmetic ? "arithmetic " : "",
               cut.is_cut && !cut.is_marked ? "unmarked " : "",
               cut.is_cut && is_small ? "small" : "");
}

static struct counts count_all(void) {
    struct counts counts = {0};
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            count_step(&counts, &walker.trial.run.steps[i]);
        }
    }
    return counts;
}

START_TEST(a_reader_gets_the_whole_step) {
    enum { LABELS = 0, CUT_TEXTS = 0, CUT_CODES = 66, STRIDES = 0, CUT_ARITHMETIC = 0 };
    const struct counts counts = count_all();
    if (getenv("ONESTEP_LIST") != NULL)
        printf("%d steps: labels %d, texts %d, codes %d, strides %d, arithmetic %d, unmarked %d, "
               "small %d\n",
               counts.steps, counts.labels, counts.cut_texts, counts.cut_codes, counts.strides,
               counts.cut_arithmetic, counts.unmarked, counts.small_cut);
    ck_assert_int_le(counts.labels, LABELS);
    ck_assert_int_le(counts.cut_texts, CUT_TEXTS);
    ck_assert_int_le(counts.cut_codes, CUT_CODES);
    ck_assert_int_le(counts.strides, STRIDES);
    ck_assert_int_le(counts.cut_arithmetic, CUT_ARITHMETIC);
    ck_assert_int_eq(counts.unmarked, 0);
    ck_assert_int_eq(counts.small_cut, 0);
}
END_TEST

// ---- What stands still ---------------------------------------------------------------------------

// Where the matrices of a frame stand.
struct places {
    int count;
    struct area areas[MAX_PANELS];
};

static struct places places_now(void) {
    (void)draw(24, 80);
    struct places places = {.count = walker.shown.count};
    for (int i = 0; i < places.count; i++) places.areas[i] = walker.shown.pages[i].area;
    return places;
}

// Another page may have wider words, and then its matrix begins further to the right.
static bool are_same(const struct places *a, const struct places *b, bool is_same_page) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        const struct area *x = &a->areas[i], *y = &b->areas[i];
        if (x->row != y->row || x->rows != y->rows) return false;
        if (is_same_page && x->column != y->column) return false;
    }
    return true;
}

// How many steps have matrices that move when some keys are typed, and do not come back where Escape ends it.
static int count_moved(const char *keys, bool ends) {
    int moved = 0;
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            const struct places before = places_now();
            const int64_t page = walker.state.page;
            const bool is_list = lists_parameters(&walker.trial.run, stop_at(&walker.trial.run, i));
            if (is_list) continue; // its keys choose another matrix
            type(keys);
            if (ends) press(PRESS_ESCAPE);
            const struct places after = places_now();
            const bool leaves = walker.state.lesson != lesson; // Escape, before the first lesson
            const bool leads_on = leaves || walker.state.step != i || walker.open_count > 1;
            close_views(&walker);
            if (leaves) {
                walker_free(&walker);
                start(lesson);
            }
            if (leads_on) continue; // from a step that has little inside
            const bool is_same = are_same(&before, &after, walker.state.page == page);
            moved += !is_same;
            if (!is_same && getenv("ONESTEP_LIST") != NULL)
                printf("moved by %s: %s %d\n", keys, walker.trial.run.lesson->name, i + 1);
            go_to_step(&walker.state, &walker.trial.run, i);
        }
    }
    return moved;
}

// Inside a softmax, cell by cell, the numbers of a whole row are computed at once: at their powers, and in training 61 at
// their sum, the line below the matrices takes a row or two more than at any other number.
static const struct {
    const char *keys;
    bool ends;
    int most;
} still_keys[] = {
    {"l", false, 0},    {"h", false, 0},   {"j", false, 0},     {"k", false, 0},  {"jlh", false, 0},
    {"kkkh", false, 0}, {".", false, 0},   {",", false, 0},     {"i", true, 0},   {"iinn", true, 0},
    {"=", true, 0},     {"i", false, 0},   {"ij", false, 0},    {"in", false, 0}, {"ii", false, 0},
    {"iinn", false, 1}, {"iii", false, 0}, {"iiin", false, 20},
};
enum { STILL_KEYS = sizeof still_keys / sizeof *still_keys };

START_TEST(matrices_stand_still) {
    const int moved = count_moved(still_keys[_i].keys, still_keys[_i].ends);
    ck_assert_msg(moved <= still_keys[_i].most, "%d steps move at %s", moved, still_keys[_i].keys);
}
END_TEST

// ---- Which picture is chosen ---------------------------------------------------------------------

// Where a matrix stands from the one with the cursor: above, at its left, at its right, or elsewhere.
static char side_of(const struct area *area, const struct area *focus) {
    const int foot = area->row + area->rows, foot_of_focus = focus->row + focus->rows;
    if (foot <= focus->row) return '^';
    if (foot != foot_of_focus) return '.';
    return area->column < focus->column ? '<' : '>';
}

// "4<9 4^9 3*7": for each matrix on screen its digits, its side, and the columns that a number takes. "-" without a picture.
static const char *picture_now(int rows, int columns) {
    (void)draw(rows, columns);
    const struct shown *shown = &walker.shown;
    const struct shown_page *focus = shown->is_composed ? focused_page() : NULL;
    struct text text = text_new(&arena);
    for (int i = 0; i < shown->count && focus != NULL; i++) {
        const struct shown_page *page = &shown->pages[i];
        text_add_format(&text, "%s%d%c%d", i > 0 ? " " : "", page->digits,
                        page == focus ? '*' : side_of(&page->area, &focus->area),
                        page->raster.apart);
    }
    return focus != NULL ? text.bytes : "-";
}

static const char *pictures_of(const struct step *step) {
    const char *small = picture_now(24, 80), *least = picture_now(12, 40),
               *large = picture_now(60, 200);
    return arena_format(&arena, "%s %d: %s | %s | %s\n", walker.trial.run.lesson->name,
                        step->number, small, least, large);
}

// tests/data/pictures.txt has the picture of each step at 80x24, 40x12 and 200x60. ONESTEP_LIST=1 writes the file anew, to
// be read: a picture may change where a reader gets more.
START_TEST(each_step_has_its_picture) {
    FILE *file = fopen(TEST_DATA "/pictures.txt", "r");
    char line[2000];
    ck_assert_ptr_nonnull(file);
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start(lesson);
        for (int i = 0; i < walker.trial.run.step_count; i++) {
            go_to_step(&walker.state, &walker.trial.run, i);
            const char *here = pictures_of(&walker.trial.run.steps[i]);
            const char *wanted = fgets(line, sizeof line, file);
            if (getenv("ONESTEP_LIST") != NULL)
                printf("%s", here);
            else
                ck_assert_msg(
                    wanted != NULL && strcmp(here, wanted) == 0,
                    "the picture is %.*s, and tests/data/pictures.txt has %.*s: look at it at "
                    "80x24, 40x12 "
                    "and 200x60; if a reader gets no less, ONESTEP_LIST=1 CK_RUN_CASE=choices "
                    "build/tests/tests walk/steps prints the file",
                    (int)strcspn(here, "\n"), here,
                    (int)strcspn(wanted != NULL ? wanted : "", "\n"), wanted != NULL ? wanted : "");
            arena_free(&arena);
        }
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    (void)fclose(file);
}
END_TEST

static void set_up_pictures(void) {
    set_up_arena();
    walk_set_up();
}

static void tear_down_pictures(void) {
    walk_tear_down();
    tear_down_arena();
}

Suite *steps_suite(void) {
    Suite *suite = suite_create("steps");
    TCase *counts = add_case(suite, "counts", walk_set_up, walk_tear_down);
    tcase_add_test(counts, a_reader_gets_the_whole_step);
    TCase *still = add_case(suite, "still", walk_set_up, walk_tear_down);
    tcase_add_loop_test(still, matrices_stand_still, 0, STILL_KEYS);
    TCase *pictures = add_case(suite, "choices", set_up_pictures, tear_down_pictures);
    tcase_add_test(pictures, each_step_has_its_picture);
    return suite;
}
