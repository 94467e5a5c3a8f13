// Planes, strips and curves: what is drawn is what the numbers say.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "fixture.h"
#include "lesson.h"
#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "show/picture/strips.h"
#include "show/table.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

static struct run run;

static void run_lesson_number(int lesson, const struct parameters *chosen) {
    ck_assert_msg(try_lesson(&run, &arena, lesson_table[lesson], chosen), "%s", failure.message);
}

static const struct step *step_of(const char *lesson, const char *name) {
    run_lesson_number(lesson_number(lesson), &(struct parameters){0});
    const struct step *step;
    ck_assert_msg(try_step(&step, &run, name, &failure), "%s", failure.message);
    return step;
}

static void check_ascii(const struct sketch *sketch) {
    for (int i = 0; i < sketch->rows * sketch->columns; i++)
        ck_assert_uint_lt(sketch->cells[i].character, 128);
}

// ---- The plane -----------------------------------------------------------------------------------

static const struct parameters wide_heads = {
    .given = USES_D_OUT | USES_HEADS, .d_out = 4, .heads = 2};

// How far right of the line from a to b a point lies; a hull goes round to the left.
static double outside(const struct plane_point *a, const struct plane_point *b,
                      const struct plane_point *point) {
    const double length = hypot(b->x - a->x, b->y - a->y);
    const double area = (b->x - a->x) * (point->y - a->y) - (b->y - a->y) * (point->x - a->x);
    return length > 0 ? -area / length : 0;
}

static void check_hull(const struct plane *plane) {
    for (int i = 0; i < plane->hull_count; i++) {
        const struct plane_point *a = &plane->points[plane->hull[i]];
        const struct plane_point *b = &plane->points[plane->hull[(i + 1) % plane->hull_count]];
        ck_assert_int_eq(a->set, 1);
        for (int j = 0; j < plane->point_count; j++)
            ck_assert_double_le(outside(a, b, &plane->points[j]), 1e-6);
    }
}

// Each mark stands where no other point of its cell was drawn later; labels and marks name their point.
static void check_marks(const struct plane *plane, const struct sketch *sketch) {
    bool *seen = arena_array(&arena, (size_t)plane->point_count, sizeof *seen);
    int count = 0;
    for (int i = 0; i < sketch->rows * sketch->columns; i++) {
        const int of = sketch->cells[i].of;
        ck_assert_int_lt(of, plane->point_count);
        if (of != PART_OF_NOTHING && !seen[of]) count += seen[of] = true;
    }
    ck_assert_int_gt(count, 0);
}

// All steps that have a plane; returns how many have a hull.
static int check_planes(void) {
    int hulls = 0;
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        for (int64_t page = 0; page < table_of(&step->tensor).pages; page++) {
            struct plane plane;
            if (plane_of(&arena, &plane, &run, step, page) != NULL) break;
            ck_assert_int_le(plane.sets[0].count, (int)count_of(shape_of(&step->tensor)));
            check_hull(&plane);
            hulls += plane.hull_count > 0;
            const struct sketch sketch = plane_sketch(&arena, &plane, 24, 80, false);
            check_marks(&plane, &sketch);
            const struct sketch plain = plane_sketch(&arena, &plane, 15, 40, true);
            check_ascii(&plain);
        }
    }
    return hulls;
}

START_TEST(test_planes) {
    run_lesson_number(_i, &(struct parameters){0});
    check_planes();
    if (lesson_table[_i]->splits_heads && lesson_table[_i]->uses & USES_D_OUT) {
        run_lesson_number(_i, &wide_heads);
        const int64_t sentences = run.batch_size > 0 ? run.batch_size : 1;
        // a context of each sentence and head
        ck_assert_int_ge(check_planes(), (int)(sentences * run.parameters.heads));
    }
}
END_TEST

START_TEST(test_plane_of_contexts) {
    const struct step *step = step_of("causal", "context");
    struct plane plane;
    ck_assert_ptr_null(plane_of(&arena, &plane, &run, step, 0));
    ck_assert_int_eq(plane.set_count, 2);
    ck_assert_str_eq(plane.sets[1].name, "values");
    ck_assert_int_ge(plane.hull_count, 3);
    for (int64_t i = 0; i < 6; i++) {
        const int64_t x[] = {i, 0}, y[] = {i, 1};
        ck_assert(plane.points[i].x == element(&step->tensor, x));
        ck_assert(plane.points[i].y == element(&step->tensor, y));
    }
    ck_assert_str_eq(plane.points[1].label, "journey");
    // the first token sees only itself: its context is its value
    ck_assert(plane.points[0].x == plane.points[6].x && plane.points[0].y == plane.points[6].y);
}
END_TEST

START_TEST(test_plane_of_scores) {
    struct plane plane;
    ck_assert_ptr_null(plane_of(&arena, &plane, &run, step_of("causal", "scores"), 0));
    ck_assert_str_eq(plane.sets[0].name, "queries");
    ck_assert_str_eq(plane.sets[1].name, "keys");
    ck_assert(plane.has_zero && plane.hull_count == 0);
    const struct step *keys = step_of("causal", "keys");
    const int64_t last[] = {5, 1};
    ck_assert(plane.points[11].y == element(&keys->tensor, last));
}
END_TEST

// With dropout the weights are no shares: contexts may leave the hull, so none is claimed.
START_TEST(test_no_hull_after_dropout) {
    struct plane plane;
    const struct step *step = step_of("dropout", "mt19937: context");
    ck_assert_ptr_null(plane_of(&arena, &plane, &run, step, 0));
    ck_assert_int_eq(plane.set_count, 2);
    ck_assert_int_eq(plane.hull_count, 0);
}
END_TEST

START_TEST(test_units_are_square) {
    struct plane plane;
    ck_assert_ptr_null(plane_of(&arena, &plane, &run, step_of("causal", "context"), 0));
    plane.point_count = plane.sets[0].count = 3;
    plane.set_count = 1;
    plane.hull_count = 0;
    const struct plane_point points[] = {{0, 0, 0, "a"}, {1, 0, 0, "b"}, {0, 1, 0, "c"}};
    memcpy(plane.points, points, sizeof points);
    plane.least_x = plane.least_y = 0;
    plane.most_x = plane.most_y = 1;
    const struct sketch sketch = plane_sketch(&arena, &plane, 22, 80, true);
    int row[3] = {0}, column[3] = {0};
    for (int i = 0; i < sketch.rows * sketch.columns; i++) {
        if (sketch.cells[i].character != '*' || sketch.cells[i].is_words) continue;
        row[sketch.cells[i].of] = i / sketch.columns;
        column[sketch.cells[i].of] = i % sketch.columns;
    }
    const int across = column[1] - column[0], up = row[0] - row[2];
    ck_assert_int_ge(up, 14);
    ck_assert_int_le(abs(across - 2 * up), 2); // a cell is twice as high as it is wide
}
END_TEST

// ---- Strips --------------------------------------------------------------------------------------

// Eighths of the bar of a cell.
static int length_of(const struct sketch *sketch, int of) {
    int length = 0;
    for (int i = 0; i < sketch->rows * sketch->columns; i++) {
        const struct sketch_cell *cell = &sketch->cells[i];
        if (cell->of == of && !cell->is_words)
            length += cell->character == '#'   ? 8
                      : cell->character == '.' ? 1
                                               : (int)(0x2590 - cell->character);
    }
    return length;
}

START_TEST(test_strips) {
    const struct step *step = step_of("causal", "causal_weights");
    ck_assert_ptr_null(why_no_strips(&arena, &step->tensor));
    const struct sketch sketch = strips_sketch(&arena, &step->tensor, 0, 80, false);
    const int full = length_of(&sketch, 0); // Your to Your: 1
    ck_assert_int_ge(full, 8 * 8);
    for (int i = 0; i < 36; i++) {
        const double weight = element_at(&step->tensor, i);
        ck_assert_int_le(abs(length_of(&sketch, i) - (int)(weight * full + 0.5)), 1);
    }
    const struct sketch plain = strips_sketch(&arena, &step->tensor, 0, 80, true);
    check_ascii(&plain);
    ck_assert_int_eq(length_of(&plain, 0), full);
    ck_assert_int_eq(length_of(&plain, 1), 0);
}
END_TEST

START_TEST(test_strips_of_each_head) {
    const struct step *step = step_of("split_head", "weights");
    const struct sketch one = strips_sketch(&arena, &step->tensor, 0, 80, false);
    const struct sketch two = strips_sketch(&arena, &step->tensor, 1, 80, false);
    ck_assert_int_ne(length_of(&one, 6), length_of(&two, 6));
}
END_TEST

// ---- Curves --------------------------------------------------------------------------------------

// The highest row with something of number `of` in it.
static int height_of(const struct sketch *sketch, int of) {
    for (int i = 0; i < sketch->rows * sketch->columns; i++) {
        if (sketch->cells[i].of == of && !sketch->cells[i].is_words) return i / sketch->columns;
    }
    ck_abort_msg("number %d is not drawn", of);
}

START_TEST(test_curve) {
    const struct step *step = step_of("simplified", "column_sums");
    ck_assert_ptr_null(why_no_curve(&arena, &step->tensor));
    for (int ascii = 0; ascii < 2; ascii++) {
        const struct sketch sketch = curve_sketch(&arena, &step->tensor, NULL, 14, 80, ascii);
        if (ascii) check_ascii(&sketch);
        ck_assert_int_eq(height_of(&sketch, 1), 0); // journey has most
        for (int i = 0; i < 6; i++)                 // one has least
            ck_assert(i == 4 || height_of(&sketch, i) <= height_of(&sketch, 4));
        ck_assert_int_lt(height_of(&sketch, 2), height_of(&sketch, 3));
    }
}
END_TEST

// What a step is to be seen beside is dotted in the same picture, in one range with it.
START_TEST(test_two_curves) {
    const struct step *gelu = step_of("block", "gelu_curve"),
                      *relu = find_step(&run, "relu_curve", &failure);
    ck_assert_ptr_null(curve_beside(&run, relu));
    const struct tensor *beside = curve_beside(&run, gelu);
    ck_assert_ptr_eq(beside, &relu->tensor);
    const struct sketch alone = curve_sketch(&arena, &gelu->tensor, NULL, 14, 80, false);
    const struct sketch both = curve_sketch(&arena, &gelu->tensor, beside, 14, 80, false);
    int drawn[2] = {0};
    for (int i = 0; i < both.rows * both.columns; i++) {
        drawn[0] += !alone.cells[i].is_words && alone.cells[i].character > 0x2800;
        drawn[1] += !both.cells[i].is_words && both.cells[i].character > 0x2800;
    }
    ck_assert_int_gt(drawn[1], drawn[0] + 3); // around -1 they are a row apart
    struct text svg = text_new(&arena);
    add_curve_svg(&svg, &gelu->tensor, beside, "GELU");
    ck_assert_ptr_nonnull(strstr(svg.bytes, "stroke-dasharray"));
}
END_TEST

// A matrix of few rows with words at its columns: rows of bars one above the other, in one range. "forward" is word 3.
START_TEST(test_rows_of_bars) {
    enum { WORDS = 9, ROWS = 3, HIGH = 4, FORWARD = 3, TOWARD = 7 };
    ck_assert_int_eq(charts_of(&step_of("causal", "weights")->tensor), 1);
    const struct tensor *tensor = &step_of("sampling", "by_temperature")->tensor;
    ck_assert_int_eq(charts_of(tensor), ROWS);
    ck_assert(is_drawn_as_bars(tensor));
    ck_assert_ptr_null(why_no_curve(&arena, tensor));
    for (int ascii = 0; ascii < 2; ascii++) {
        const struct sketch sketch = curve_sketch(&arena, tensor, NULL, ROWS * HIGH + 1, 80, ascii);
        if (ascii) check_ascii(&sketch);
        for (int of = 0; of < ROWS * WORDS; of++)
            ck_assert_int_eq(height_of(&sketch, of) / HIGH, of / WORDS);
        ck_assert_int_eq(height_of(&sketch, WORDS + FORWARD), HIGH); // 0.9910 fills its row
        ck_assert_int_eq(height_of(&sketch, WORDS + TOWARD), 2 * HIGH - 1);
        ck_assert_int_eq(height_of(&sketch, FORWARD), 1);
    }
    struct text svg = text_new(&arena), facts = text_new(&arena);
    add_curve_svg(&svg, tensor, NULL, "Temperatures");
    ck_assert_ptr_nonnull(strstr(svg.bytes, "y=\"584\""));
    add_curve_facts(&facts, tensor);
    ck_assert_ptr_nonnull(strstr(facts.bytes, "temperature 0.1, forward: 0.9910\n"));
    for (int rows = 0; rows < 6; rows++) {
        for (int columns = 0; columns < 12; columns++)
            curve_sketch(&arena, tensor, NULL, rows, columns, true);
    }
}
END_TEST

START_TEST(test_small_sketches) {
    struct plane plane;
    const struct step *context = step_of("causal", "context");
    ck_assert_ptr_null(plane_of(&arena, &plane, &run, context, 0));
    for (int rows = 0; rows < 6; rows++) {
        for (int columns = 0; columns < 12; columns++) {
            plane_sketch(&arena, &plane, rows, columns, false);
            strips_sketch(&arena, &run.steps[16].tensor, 0, columns, false);
            curve_sketch(&arena, &run.steps[10].tensor, NULL, rows, columns, true);
        }
    }
}
END_TEST

Suite *sketches_suite(void) {
    Suite *suite = suite_create("sketches");
    TCase *sketches = add_case(suite, "sketches", set_up_arena, tear_down_arena);
    tcase_add_loop_test(sketches, test_planes, 0, lesson_count);
    tcase_add_test(sketches, test_plane_of_contexts);
    tcase_add_test(sketches, test_plane_of_scores);
    tcase_add_test(sketches, test_no_hull_after_dropout);
    tcase_add_test(sketches, test_units_are_square);
    tcase_add_test(sketches, test_strips);
    tcase_add_test(sketches, test_strips_of_each_head);
    tcase_add_test(sketches, test_curve);
    tcase_add_test(sketches, test_two_curves);
    tcase_add_test(sketches, test_rows_of_bars);
    tcase_add_test(sketches, test_small_sketches);
    return suite;
}
