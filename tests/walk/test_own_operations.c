// An operation is one thing: two that the program does not know, in a lesson of their own, and every reader
// of the trace works for them.

#include <math.h>
#include <string.h>
#include <time.h>

#include "attempts.h"
#include "fixture.h"
#include "own_operations.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"
#include "trace/lesson.h"
#include "trace/run/step.h"
#include "trace/tape/order.h"
#include "trace/tape/replay.h"
#include "walk/walker.h"

#include <check.h> // last: defines a macro fail

static struct run run;

// ---- The lesson ---------------------------------------------------------------------------------

static const struct excerpt excerpts[] = {{1, 1, 2, 2, "gelu(x)\n"}, {3, 3, 4, 4, "layer_norm\n"}};
static const struct paragraph paragraphs[] = {
    {"tests/own.c", "The bent line", "Nearly 0 below 0, nearly x above it.", 1, &excerpts[0], false,
     NULL},
    {"tests/own.c", "Normalized rows",
     "Each row has mean 0 and variance 1, then a weight and a bias.", 1, &excerpts[1], false, NULL},
};
static const struct source source = {2, paragraphs, NULL, NULL};

static void teach(struct run *own) {
    reseed(own, 123);
    const struct tensor x = subtract(multiply_by(uniform(own, 2, 4), 4), number(own, 2));
    const struct tensor weight = uniform(own, 4), bias = uniform(own, 4);
    record_step(own, own_gelu(x), "activated", "gelu(x)",
                (const char *[]){"torch.nn.functional.gelu(x)", NULL}, "tests/own.c", 2);
    record_step(own, own_layer_norm(x, weight, bias), "normalized", "(x - mean) / std",
                (const char *[]){"torch.nn.functional.layer_norm(x, (4,), weight, bias)", NULL},
                "tests/own.c", 4);
}

static const struct lesson lesson = {
    .name = "own",
    .title = "Own operations",
    .summary = "A lesson for tests.",
    .teach = teach,
    .source = &source,
};

static void set_up(void) {
    set_up_arena();
    ck_assert_msg(try_lesson(&run, &arena, &lesson, &(struct parameters){0}), "%s",
                  failure.message);
}

// ---- Readers ------------------------------------------------------------------------------------

// torch.manual_seed(123); x = torch.rand(2, 4) * 4 - 2; weight, bias = torch.rand(4), torch.rand(4)
START_TEST(computes_what_pytorch_does) {
    static const double expected[2][8] = {
        {-0.16912764310836792, 0.03487423062324524, -0.15920661389827728, 0.5842573046684265,
         -0.07528800517320633, 1.3615378141403198, -0.10614408552646637, -0.08889835327863693},
        {-0.0730435773730278, 0.5201072692871094, -0.017882829532027245, 1.3794327974319458,
         -0.047290317714214325, 1.4520493745803833, 0.16553287208080292, 0.0020580701529979706}};
    for (int step = 0; step < 2; step++) {
        const struct tensor *shown = &run.steps[step].tensor;
        const double *tolerances = tolerances_of(&arena, shown);
        for (int64_t i = 0; i < 8; i++) {
            ck_assert(agree(element_at(shown, i), expected[step][i], tolerances[i]));
            ck_assert_double_gt(tolerances[i], 0);
        }
    }
}
END_TEST

START_TEST(knows_where_each_number_came_from) {
    for (int step = 0; step < 2; step++) {
        for (int64_t i = 0; i < 8; i++) {
            struct cell cell = {.tensor = run.steps[step].tensor};
            index_at(shape_of(&cell.tensor), i, cell.index);
            const struct derivation derivation = derive(&arena, &cell, 4);
            ck_assert_double_eq(derivation.recomputed, derivation.value);
            ck_assert_int_eq(derivation.operand_count, step == 0 ? 1 : 6);
        }
    }
    const struct cell first = {.tensor = run.steps[0].tensor};
    ck_assert_str_eq(derive(&arena, &first, 4).lines[0], "gelu(-0.8156) = -0.1691");
}
END_TEST

START_TEST(steps_inside) {
    const struct order bent = order_of(&run, &run.steps[0]);
    const struct order normal = order_of(&run, &run.steps[1]);
    ck_assert_int_eq(bent.moment_count, 8);
    ck_assert_int_eq(normal.moment_count, 12); // the mean and the variance before each row
    ck_assert_str_eq(what_happens(&arena, &normal, 0, 4).where, "row 1");
    ck_assert_str_eq(what_happens(&arena, &normal, 0, 4).what, "mean = -0.2471");
    ck_assert_str_eq(what_happens(&arena, &normal, 1, 4).what, "1 / √(variance + 1e-5) = 1.4210");
}
END_TEST

static void play_it(void *context) {
    play(context, ALL_STEPS, EVERYTHING);
}

START_TEST(is_replayed) {
    struct replay replay = replay_of(&arena, &run);
    ck_assert(attempt(&failure, play_it, &replay));
    for (int step = 0; step < 2; step++) {
        const struct tensor again = played(&replay.steps[step]);
        ck_assert(again.storage != run.steps[step].tensor.storage);
        ck_assert_int_eq(
            memcmp(floats_of(&again), floats_of(&run.steps[step].tensor), 8 * sizeof(float)), 0);
    }
}
END_TEST

START_TEST(is_printed_and_walked) {
    ck_assert_str_eq(torch_text(&arena, &run.steps[0].tensor, 4),
                     "tensor([[-0.1691,  0.0349, -0.1592,  0.5843],\n"
                     "        [-0.0753,  1.3615, -0.1061, -0.0889]])");
    static const struct lesson *const table[] = {&lesson};
    const struct what_ifs none = {0};
    struct walker walker;
    const struct walk_start start = {
        .lessons = table,
        .lesson_count = 1,
        .chosen = &(struct parameters){0},
        .what_ifs = &none,
        .digits = 4,
    };
    walker_start(&walker, &start, &failure);
    for (const char *key = "niiwwdxq"; *key != '\0'; key++) {
        walker_press(&walker, (struct press){.key = (uint32_t)*key}, 24);
        struct canvas canvas = canvas_new(&arena, 24, 80, (struct look){.has_heat = true});
        walker_draw(&walker, &canvas);
    }
    walker_free(&walker);
}
END_TEST

// ---- A deep graph -------------------------------------------------------------------------------

// x + f(x), 64 times: as a tree, 2^64 paths lead back to the input.
START_TEST(a_deep_graph_costs_nothing) {
    struct tensor x = full(&arena, SHAPE(2, 4), 0.5);
    for (int i = 0; i < 64; i++) x = add(x, own_gelu(x));
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    ck_assert_double_gt(tolerances_of(&arena, &x)[7], ROUNDING);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ck_assert_int_lt((end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000,
                     20000); // a release build needs one thousand, sanitizers twenty times that
    const struct run deep = {
        .memory = &arena, .steps = &(struct step){.tensor = x}, .step_count = 1};
    ck_assert_int_eq(replay_of(&arena, &deep).count, 1 + 2 * 64);
}
END_TEST

Suite *own_operations_suite(void) {
    Suite *suite = suite_create("own operations");
    TCase *readers = add_case(suite, "readers", set_up, tear_down_arena);
    tcase_add_test(readers, computes_what_pytorch_does);
    tcase_add_test(readers, knows_where_each_number_came_from);
    tcase_add_test(readers, steps_inside);
    tcase_add_test(readers, is_replayed);
    tcase_add_test(readers, is_printed_and_walked);
    tcase_add_test(readers, a_deep_graph_costs_nothing);
    return suite;
}
