// A line of PyTorch changed where it stands, and what changes with it. The numbers and messages are PyTorch 1.13's.

#include <string.h>

#include "fixture.h"
#include "lessons.h"
#include "walk/model/editor.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

enum { WEIGHTS = 7, ROW_SUMS = 8, CONTEXT = 10 };

// Opens the line of the step on screen, types another one and runs it.
static void try_line(const char *code) {
    press('y');
    ck_assert_int_eq(view_on_top(), VIEW_LINE);
    press('U' - '@');
    type(code);
    press(PRESS_ENTER);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}

static double number_at(int step, int64_t row, int64_t column) {
    const struct tensor *tensor = &walker.trial.run.steps[step].tensor;
    return element(tensor, (int64_t[]){row, column});
}

static void check_right(void) {
    ck_assert(!is_touched(&walker.trial));
    ck_assert_int_eq(walker.trial.line_count, 0);
    start_in("simplified", "weights");
}

static void check_right_after_undo(void) {
    press('u');
    check_right();
}

START_TEST(the_new_numbers_stand_beside_the_right_ones) {
    start_in("simplified", "weights");
    try_line("weights = torch.softmax(scores, dim=0)");
    expect("4 of 11 steps changed. u undoes it.");
    expect("≠ yours  weights = torch.softmax(scores, dim=0)");
    expect("lesson   weights = torch.softmax(scores, dim=-1)");
    expect("0.2098≠0.1385≠0.1390≠0.1435≠0.1526≠0.1385");
    expect("≠0.1452≠0.1581≠0.1565≠0.1720≠0.1295 0.1896");
    expect_at(40, 120, "with the lesson's lines");
    press('n');
    expect("▸0.1385     Your    ≠0.9220");
    expect("0.2184     journey ≠1.2970");
    press('G');
    expect("≠0.5595≠0.7824≠0.6953");
    ck_assert(fabs(number_at(CONTEXT, 5, 2) - 0.5077) < 5e-5);
}
END_TEST

START_TEST(a_changed_step_is_explained_by_its_own_line) {
    start_in("simplified", "weights");
    try_line("weights = torch.softmax(scores / 2, dim=0)");
    expect("≠0.1882≠0.1537");
    expect("scores / 2 (6, 6)");
    expect("In the lesson: W[i,j] = e^S[i,j]"); // what the step's formula is of
    press(PRESS_ENTER);
    expect("weights[Your, Your] = 0.1882, by softmax");
    expect("scores / 2[journey, Your]     0.4772");
    press(PRESS_ENTER); // to the lesson's own step
    expect("0.9995 / 2.0000 = 0.4997");
    expect("scores[Your, Your]            0.9995");
    press(PRESS_ENTER);
    expect("scores[Your, Your] = 0.9995, by matmul");
    press(PRESS_ESCAPE);
    press('i'); // and inside of it
    expect("weights[Your, Your]");
    press('o');
    press('n'); // row_sums, whose own line is the lesson's
    expect("row_sums[Your] = 0.9645");
    press(PRESS_ENTER);
    expect("weights[Your, journey]");
}
END_TEST

START_TEST(what_is_beside_a_step_is_of_this_run) {
    start_in("causal", "masked_scores");
    try_line("mask_bool = mask_triu.bool(); masked_scores = scores.masked_fill(mask_bool, -1e9)");
    press('n');
    press('n');
    press(PRESS_ENTER);
    expect("-7.0711e+08");
    const struct canvas canvas = draw(24, 80);
    ck_assert_ptr_null(strstr(all_text(&canvas), "-inf"));
}
END_TEST

START_TEST(strides_are_those_of_this_run) {
    start_in("grouped_query", "queries_by_head");
    press('y');
    press(PRESS_END);
    press('U' - '@');
    type("queries_by_head = torch.stack(queries.chunk(4, dim=-1), dim=1)");
    press(PRESS_ENTER);
    expect("All numbers are as in the lesson.");
    const struct tensor *tensor = &walker.trial.run.steps[walker.state.step].tensor;
    ck_assert_int_eq(tensor->stride[0], 48);
    ck_assert_int_eq(tensor->stride[1], 12);
    ck_assert_int_eq(tensor->stride[2], 2);
    ck_assert(!is_touched(&walker.trial));
}
END_TEST

START_TEST(a_long_computation_is_not_explained) {
    start_in("simplified", "weights");
    try_line("for i in range(30000): scores = scores + 1\nweights = scores");
    expect("4 of 11 steps changed");
    press(PRESS_ENTER);
    expect("is what the changed lines computed");
    press(PRESS_ESCAPE);
    press('u');
    try_line("weights = sum(torch.rand(600, 600) @ torch.rand(600, 600) for _ in range(200))");
    expect_words("3 of 11 steps changed, 1 could not be computed.");
    press('u');
    try_line("weights = scores.expand(10**9, 6, 6)");
    expect_words("It is too large to be shown: its shape is (1000000000, 6, 6).");
    check_right_after_undo();
}
END_TEST

START_TEST(a_line_that_fails_says_what_pytorch_says) {
    static const char *const failing[][2] = {
        {"weights = torch.softmax(scores, dim=2)",
         "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)"},
        {"weights = torch.softmax(scores @ inputs.T, dim=0)",
         "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x6 and 3x6)"},
        {"weights = (scores @ inputs) + torch.zeros(5)",
         "RuntimeError: The size of tensor a (3) must match the size of tensor b (5) at "
         "non-singleton "
         "dimension 1"},
        {"weights = scores.view(7, 5)",
         "RuntimeError: shape '[7, 5]' is invalid for input of size 36"},
    };
    start_in("simplified", "weights");
    for (int i = 0; i < (int)(sizeof failing / sizeof *failing); i++) {
        try_line(failing[i][0]);
        expect_words("This line failed. y changes it again, u undoes it.");
        expect_words(failing[i][1]);
        expect_words_at(12, 40, failing[i][1]);
        for (const char *key = "wfeimPB"; *key != '\0'; key++) {
            press((uint32_t)(unsigned char)*key);
            expect_words("This step was not computed: a changed line failed.");
        }
        press('G');
        expect_words("Not computed: it needs what failed at step 8, weights.");
        type("bbbb"); // scores, which stand before it
        expect("0.9544 1.4950");
        press('n');
        press('u');
        check_right();
    }
}
END_TEST

START_TEST(a_failed_line_can_be_mended) {
    start_in("simplified", "weights");
    try_line("weights = torch.softmax(scores, dim=2)");
    press('y');
    expect(">>> weights = torch.softmax(scores, dim=2)");
    press(PRESS_BACKSPACE);
    press(PRESS_BACKSPACE);
    type("-1)");
    press(PRESS_ENTER);
    expect("All numbers are as in the lesson.");
    ck_assert(!is_touched(&walker.trial));
    press('u'); // to the failed one, which was before it
    expect_words("IndexError");
    press('u');
    check_right();
}
END_TEST

START_TEST(another_shape_is_shown) {
    start_in("simplified", "weights");
    try_line("weights = torch.softmax(scores @ inputs, dim=0)[:4]");
    expect_words("Its shape is (4, 3), in the lesson (6, 6). 3 of 11 steps changed, 1 could not be "
                 "computed. u undoes it.");
    press(PRESS_LEFT);
    expect("In the lesson this tensor has another shape, (6, 6).");
    expect("weights (4, 3)");
    static const char *const keys[] = {"w", "i", "m", "P", "v", "t", "f",
                                       "e", "L", "x", "E", "B", "W"};
    for (int step = 0; step < walker.trial.run.step_count; step++) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            go_to_step(&walker.state, &walker.trial.run, step);
            type(keys[i]);
            expect_at(24, 80, "");
            expect_at(12, 40, "");
            expect_at(60, 200, "");
            for (int k = 0; k < 4; k++) press(PRESS_ESCAPE);
        }
    }
}
END_TEST

START_TEST(what_is_no_tensor_or_has_no_numbers_is_told) {
    start_in("simplified", "weights");
    try_line("weights = torch.zeros(0)");
    expect_words("Not computed. It has no numbers: its shape is (0,).");
    try_line("weights = 3");
    expect_words("Not computed. It is no tensor: int 3");
    press('G'); // 3 @ inputs
    expect_words("unsupported operand type(s) for @: 'int' and 'Tensor'");
}
END_TEST

// What was typed, and what helps with it.
START_TEST(a_line_that_is_meant_otherwise_is_told) {
    static const struct {
        const char *lesson, *step, *line, *says;
    } cases[] = {
        {"simplified", "inputs", "inputs = inputs * 2",
         "SyntaxError: invalid syntax This step only shows inputs: it takes an expression, such as "
         "inputs * 2"},
        {"causal", "weights", "", "Your line does not set weights, which this step shows."},
        {"causal", "weights", "# weights = 1", "Your line does not set weights"},
        {"causal", "weights", "del scores", "Your line"},
        {"causal", "weights", "print(7)", "Your line does not set weights"},
        {"causal", "weights", "print(7)", "Prints 7"},
        {"causal", "weights", "print(f'{1/3:.3f}'); weights = scores", "Prints 0.333"},
        {"causal", "weights", "weigths = scores",
         "Your line sets weigths, but this step shows weights."},
        {"causal", "weights", "while True: pass", "The line does not come to an end."},
        {"simplified", "weights", "weights = softmax(scores)", "Did you mean: torch.softmax?"},
        {"simplified", "weights", "import numpy as np; weights = np.exp(scores)",
         "onestep does not run numpy."},
        {"simplified", "weights", "weights = np.exp(scores)", "onestep does not run numpy"},
        {"simplified", "scores", "scores = inputs x inputs", "\u00a0\u00a0^"},
        {"simplified", "scores", "scores = inputs ^ 2", "In Python ^ is no power: ** is."},
        {"simplified", "scores", "RuntimeError: mat1 and mat2 (6x3 and 2x3)",
         "This is an error message, not a line of Python."},
        {"simplified", "scores", ">>> scores = inputs.matmul(inputs.T)",
         "All numbers are as in the"},
        {"simplified", "scores", "In [3]: scores = inputs.matmul(inputs.T)",
         "All numbers are as in the"},
        {"simplified", "scores", "scores = (inputs", "A bracket is open: the line goes on here."},
        {"simplified", "scores", "scores = torch.einsum('id,jd->ij', inputs, inputs)",
         "The same but for rounding (at most "},
        {"simplified", "row_sums", "row_sums = weights.sum(dim=-1, keepdim=True)",
         "Its shape is (6, 1), in the lesson (6,). 1 of 11 steps changed."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start_in(cases[i].lesson, cases[i].step);
        press('y');
        press('U' - '@');
        type(cases[i].line);
        press(PRESS_ENTER);
        expect_words(cases[i].says);
    }
}
END_TEST

START_TEST(several_lines_can_be_changed_and_undone_one_by_one) {
    start_in("simplified", "scores");
    try_line("scores = inputs @ inputs.T * 2");
    press('n');
    try_line("weights = scores / scores.sum(dim=-1, keepdim=True)");
    ck_assert_int_eq(walker.trial.line_count, 2);
    press('u');
    expect("The line of weights is as it was before. u again: the change before it.");
    ck_assert_int_eq(walker.trial.line_count, 1);
    press('u');
    check_right();
}
END_TEST

START_TEST(lines_and_mistakes_do_not_mix) {
    start_in("causal", "masked_scores");
    try_line("masked_scores = scores");
    press('x');
    press(PRESS_ENTER);
    expect_words("A line is changed. u undoes it, then a mistake can be made.");
    ck_assert(!any_made(&walker.what_ifs));
    press(PRESS_ESCAPE);
    press('u');
    press('x');
    press(PRESS_ENTER);
    press(PRESS_ESCAPE);
    ck_assert(any_made(&walker.what_ifs));
    press('y');
    expect_words("A mistake is made. u undoes it, then a line can be tried.");
}
END_TEST

START_TEST(a_line_belongs_to_its_lesson) {
    start_in("simplified", "weights");
    try_line("weights = scores");
    press(']');
    ck_assert(!is_touched(&walker.trial));
    press('[');
    ck_assert(is_touched(&walker.trial));
}
END_TEST

START_TEST(a_line_that_never_ends_is_ended) {
    start_in("simplified", "weights");
    try_line("while True: pass");
    expect_words("takes more than 20000000 steps");
    press('G');
    expect_words("Not reached: the line of step 8, weights, did not end.");
    press('u');
    ck_assert(!is_touched(&walker.trial));
}
END_TEST

START_TEST(earlier_lines_come_back) {
    start_in("simplified", "weights");
    try_line("weights = scores");
    try_line("weights = scores * 2");
    press('n');
    press('y');
    press(PRESS_UP);
    expect(">>> weights = scores * 2");
    press(PRESS_UP);
    expect_words(">>> weights = scores Enter run");
    press(PRESS_UP);
    press(PRESS_DOWN);
    press(PRESS_DOWN);
    expect(">>> row_sums = weights.sum(dim=-1)");
    press(PRESS_ESCAPE);
    ck_assert_int_eq(walker.trial.line_count, 1);
}
END_TEST

START_TEST(tab_completes_names_in_sight) {
    static const struct {
        const char *typed, *becomes, *says;
    } cases[] = {
        {"weights = sco\t", "scores", NULL},
        {"weights = in\t", "inputs", NULL},
        {"torch.softm\t", "torch.softmax", NULL},
        {"torch.nn.functional.log_s\t", "torch.nn.functional.log_s", NULL},
        {"scores.masked_\t", "scores.masked_",
         "masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select"},
        {"scores.sha\t", "scores.shape", NULL},
        {"row\t", "row", "No name in sight begins with row."}, // row_sums comes later
        {"f(x).\t", "f(x).", "No name in sight begins with"},
        {"weights = scores.T.mat\t", "scores.T.matmul", NULL},
    };
    start_in("simplified", "weights");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        press('y');
        press('U' - '@');
        for (const char *key = cases[i].typed; *key != '\0'; key++)
            press(*key == '\t' ? PRESS_TAB : (uint32_t)(unsigned char)*key);
        expect_words(cases[i].becomes);
        if (cases[i].says != NULL) expect_words(cases[i].says);
        press(PRESS_ESCAPE);
    }
}
END_TEST

START_TEST(every_line_as_it_is_changes_nothing) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        start_briefly(lesson, NULL, &(struct what_ifs){0});
        press('y');
        type(" # as it is");
        press(PRESS_ENTER);
        const struct run *run = &walker.trial.run;
        for (int i = 0; i < run->step_count; i++) {
            const struct line_outcome *failed = failed_outcome(&walker.trial, &run->steps[i]);
            ck_assert_msg(failed == NULL, "%s, %s: %s", run->lesson->name, run->steps[i].name,
                          failed == NULL ? "" : failed->failure);
            ck_assert_msg(!walker.trial.touched[i], "%s, %s has other numbers", run->lesson->name,
                          run->steps[i].name);
        }
    }
}
END_TEST

// ---- The editor -----------------------------------------------------------------------------------

static struct editor editor;

static void edit(const char *text, size_t at) {
    editor_set(&editor, text);
    editor.at = at;
}

START_TEST(the_editor_goes_from_line_to_line) {
    edit("first\nä\nthird", 2);
    ck_assert(!editor_takes(&editor, PRESS_UP));
    ck_assert(editor_takes(&editor, PRESS_DOWN));
    ck_assert_uint_eq(editor.at, strlen("first\nä"));
    ck_assert(editor_takes(&editor, PRESS_BACKSPACE));
    ck_assert_str_eq(editor.text, "first\n\nthird");
    ck_assert(editor_takes(&editor, PRESS_BACKSPACE));
    ck_assert_str_eq(editor.text, "first\nthird");
    ck_assert(editor_takes(&editor, PRESS_HOME));
    ck_assert(editor_takes(&editor, PRESS_RIGHT));
    ck_assert(editor_takes(&editor, 0xF6));
    ck_assert_str_eq(editor.text, "föirst\nthird");
    ck_assert(!editor_takes(&editor, PRESS_ENTER));
}
END_TEST

START_TEST(the_editor_has_the_keys_of_a_shell) {
    static const struct {
        uint32_t key;
        const char *becomes;
    } cases[] = {
        {'A' - '@', "|torch.tril(ä_1, b)\nx"},
        {PRESS_WORD_RIGHT, "torch|.tril(ä_1, b)\nx"},
        {PRESS_WORD_RIGHT, "torch.tril|(ä_1, b)\nx"},
        {PRESS_WORD_RIGHT, "torch.tril(ä_1|, b)\nx"},
        {PRESS_WORD_LEFT, "torch.tril(|ä_1, b)\nx"},
        {PRESS_DELETE, "torch.tril(|_1, b)\nx"},
        {PRESS_DELETE_AHEAD, "torch.tril(|, b)\nx"},
        {PRESS_DELETE_WORD, "torch.|, b)\nx"},
        {'E' - '@', "torch., b)|\nx"},
        {'K' - '@', "torch., b)|x"},
        {'D' - '@', "torch., b)|"},
        {'D' - '@', "torch., b)|"},
        {'\n', "torch., b)\n|"},
        {'\t', "torch., b)\n    |"},
        {'U' - '@', "torch., b)\n|"},
        {'W' - '@', "torch., |"},
        {'K' - '@', "torch., |"},
    };
    edit("torch.tril(ä_1, b)\nx", 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(editor_takes(&editor, cases[i].key));
        char marked[64] = {0};
        memcpy(marked, editor.text, editor.at);
        marked[editor.at] = '|';
        memcpy(marked + editor.at + 1, editor.text + editor.at, strlen(editor.text + editor.at));
        ck_assert_str_eq(marked, cases[i].becomes);
    }
    ck_assert(!editor_takes(&editor, 'L' - '@'));
}
END_TEST

START_TEST(a_line_goes_on_where_python_needs_more) {
    static const struct {
        const char *text, *becomes; // NULL: it is whole
    } cases[] = {
        {"x = 1", NULL},
        {"x = (1", "x = (1\n    "},
        {"x = '('", NULL},
        {"x = 1 # (", NULL},
        {"for i in x:", "for i in x:\n    "},
        {"for i in x:\n    y = i", "for i in x:\n    y = i\n    "},
        {"for i in x:\n    y = i\n    ", NULL},
        {"x = '''(\n'''", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        editor_set(&editor, cases[i].text);
        const bool goes_on = editor_goes_on(&editor);
        ck_assert_msg(goes_on == (cases[i].becomes != NULL), "%s", cases[i].text);
        ck_assert_str_eq(editor.text, goes_on ? cases[i].becomes : cases[i].text);
    }
    edit("x = (", 1);
    ck_assert(!editor_goes_on(&editor)); // not at its end
}
END_TEST

// Only what is made on purpose runs: the right numbers are the same objects as before, and keep what is known of them.
START_TEST(the_lesson_itself_runs_once) {
    start_in("trainable", "rand: scores");
    const struct storage *right = walker.trial.run.steps[walker.state.step].tensor.storage;
    for (int i = 0; i < 3; i++) {
        try_line("scores = queries @ keys.T * 2");
        const struct step *step = &walker.trial.run.steps[walker.state.step];
        ck_assert_ptr_eq(right_tensor(&walker.trial, step)->storage, right);
        ck_assert_uint_gt(step->tensor.storage->age, right->age);
        press('u');
        ck_assert_ptr_eq(walker.trial.run.steps[walker.state.step].tensor.storage, right);
    }
    const double before = number_at(walker.state.step, 1, 1);
    const struct parameters other = {.given = USES_SEED, .seed = 5};
    ck_assert(run_again(&walker, &other, &walker.what_ifs));
    ck_assert_double_ne(number_at(walker.state.step, 1, 1), before);
}
END_TEST

START_TEST(a_text_without_end_fits) {
    static char text[2 * EDITOR_ROOM];
    memset(text, 'x', sizeof text - 1);
    editor_set(&editor, text);
    ck_assert_uint_eq(strlen(editor.text), EDITOR_ROOM - 1);
    ck_assert(editor_takes(&editor, 'y'));
    ck_assert_uint_eq(strlen(editor.text), EDITOR_ROOM - 1);
}
END_TEST

Suite *line_suite(void) {
    Suite *suite = suite_create("line");
    TCase *tests = add_case(suite, "line", walk_set_up, walk_tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_new_numbers_stand_beside_the_right_ones);
    tcase_add_test(tests, a_changed_step_is_explained_by_its_own_line);
    tcase_add_test(tests, what_is_beside_a_step_is_of_this_run);
    tcase_add_test(tests, strides_are_those_of_this_run);
    tcase_add_test(tests, a_long_computation_is_not_explained);
    tcase_add_test(tests, a_line_that_fails_says_what_pytorch_says);
    tcase_add_test(tests, a_failed_line_can_be_mended);
    tcase_add_test(tests, another_shape_is_shown);
    tcase_add_test(tests, what_is_no_tensor_or_has_no_numbers_is_told);
    tcase_add_test(tests, a_line_that_is_meant_otherwise_is_told);
    tcase_add_test(tests, several_lines_can_be_changed_and_undone_one_by_one);
    tcase_add_test(tests, lines_and_mistakes_do_not_mix);
    tcase_add_test(tests, a_line_belongs_to_its_lesson);
    tcase_add_test(tests, a_line_that_never_ends_is_ended);
    tcase_add_test(tests, earlier_lines_come_back);
    tcase_add_test(tests, tab_completes_names_in_sight);
    tcase_add_test(tests, every_line_as_it_is_changes_nothing);
    tcase_add_test(tests, the_editor_goes_from_line_to_line);
    tcase_add_test(tests, the_editor_has_the_keys_of_a_shell);
    tcase_add_test(tests, a_line_goes_on_where_python_needs_more);
    tcase_add_test(tests, the_lesson_itself_runs_once);
    tcase_add_test(tests, a_text_without_end_fits);
    return suite;
}
