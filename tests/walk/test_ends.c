// How lessons begin and end in the walker: what a lesson is for, and its summary.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "lessons.h"
#include "show/recap.h"
#include "trace/run/step.h"
#include "walking.h"

#include <check.h> // last: defines a macro fail

// ---- The beginning ------------------------------------------------------------------------------

// What the lesson is for stands on its first screen, and its operands still do.
START_TEST(a_lesson_says_what_it_is_for) {
    start(_i);
    const struct recap *recap = lesson_table[_i]->source->recap;
    const struct canvas canvas = draw(24, 80);
    const char *text = collapsed(all_text(&canvas));
    struct arena kept = arena_new(&failure);
    const char *opening = opening_text(&kept, lesson_table[_i]);
    ck_assert_msg(strstr(text, opening) != NULL, "'%s' is not in:\n%s", opening, text);
    ck_assert(recap->news == NULL || strstr(opening, recap->news) != NULL);
    const struct stop stop = stop_at(&walker.trial.run, 0);
    ck_assert_int_ge(walker.shown.count, stop.count <= 3 ? stop.count : 1);
    press('t');
    const struct canvas read = draw(24, 80);
    ck_assert_ptr_nonnull(strstr(collapsed(all_text(&read)), opening));
    press(PRESS_ESCAPE);
    press('n');
    const struct canvas second = draw(24, 80);
    ck_assert_ptr_null(strstr(collapsed(all_text(&second)), opening));
    arena_free(&kept);
}
END_TEST

START_TEST(brackets_go_to_first_steps) {
    start_in("causal", "scores");
    press(']');
    expect("step 1/21");
    type("nnn[");
    expect("step 1/19");
    press(']');
    expect("step 1/21");
}
END_TEST

// ---- What is new --------------------------------------------------------------------------------

// A statement but for the seed that is set before it.
static const char *unseeded(const char *statement) {
    static const char seed[] = "torch.manual_seed(";
    const bool is_seeded = strncmp(statement, seed, strlen(seed)) == 0;
    const char *end = strchr(statement, '\n');
    return is_seeded && end != NULL ? end + 1 : statement;
}

static bool says_the_same(const struct step *a, const struct step *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->formula, b->formula) == 0 &&
           strcmp(unseeded(a->statement), unseeded(b->statement)) == 0;
}

// Do all steps of a stop stand among the first `count` of a run?
static bool stand_in(const struct run *run, struct stop stop, const struct run *other, int count) {
    for (int i = stop.first; i < stop.first + stop.count; i++) {
        bool is_there = false;
        for (int j = 0; j < count && !is_there; j++)
            is_there = says_the_same(&run->steps[i], &other->steps[j]);
        if (!is_there) return false;
    }
    return true;
}

static bool ran_before(const struct run *run, struct stop stop) {
    for (int i = 0; i < stop.first; i++) {
        if (run->steps[i].paragraph == run->steps[stop.first].paragraph) return true;
    }
    return false;
}

// Does the title say that the steps are nothing new? A paragraph may do what was done before to something new.
static bool says_so(const struct run *run, struct stop stop) {
    const char *title = run->steps[stop.first].paragraph->title;
    return strstr(title, " as before") != NULL || strstr(title, " as in ") != NULL;
}

// What repeats is what the runs themselves say: a paragraph that ran before, or one whose title says so, with steps that
// stand in the lesson before, or earlier in this one, with the same name, formula and PyTorch.
START_TEST(what_repeats_is_what_was_there) {
    start(_i);
    const struct run *run = &walker.trial.run;
    struct arena kept = arena_new(&failure);
    struct run before = {.step_count = 0};
    if (_i > 0) run_lesson(&before, &kept, lesson_table[_i - 1], &(struct parameters){0});
    for (int i = 0; i < run->step_count; i += stop_at(run, i).count) {
        const struct stop stop = stop_at(run, i);
        const bool is_known =
            ran_before(run, stop) ||
            (says_so(run, stop) && (stand_in(run, stop, &before, before.step_count) ||
                                    stand_in(run, stop, run, stop.first)));
        ck_assert_msg(repeats(run, stop) == is_known, "%s, step %d, %s: %d", run->lesson->name,
                      i + 1, run->steps[i].paragraph->title, is_known);
    }
    arena_free(&kept);
}
END_TEST

static void start_again(const char *lesson, const char *step) {
    walker_free(&walker);
    start_in(lesson, step);
}

// N stops at each stop that is new, in order, and ends with the summary; where only repetitions are left, it says
// so and stays.
// Where something is asked nothing is passed over.
static bool is_asked_about(const struct run *run, struct stop stop) {
    const struct recap *recap = run->lesson->source->recap;
    for (int i = 0; i < recap->challenge_count; i++) {
        const struct step *step = step_called(run, recap->challenges[i].step);
        if (step != NULL && stop_at(run, step->number - 1).first == stop.first) return true;
    }
    return false;
}

START_TEST(next_walks_what_is_new) {
    start(_i);
    const struct run *run = &walker.trial.run;
    for (int i = stop_at(run, 0).count; i < run->step_count; i += stop_at(run, i).count) {
        const struct stop stop = stop_at(run, i);
        if (repeats(run, stop) && !is_asked_about(run, stop)) continue;
        const int before = walker.state.step;
        press('n');
        ck_assert_int_eq(walker.state.step, i);
        const bool has_passed = before + stop_at(run, before).count < i;
        ck_assert_int_eq(strstr(walker.state.message, "N stops at each") != NULL, has_passed);
        press('b');
        ck_assert_int_eq(walker.state.step, before);
        press('n');
    }
    press('n');
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
}
END_TEST

START_TEST(a_key_walks_each) {
    start(_i);
    const struct run *run = &walker.trial.run;
    for (int i = stop_at(run, 0).count; i < run->step_count; i += stop_at(run, i).count) {
        press('N');
        ck_assert_int_eq(walker.state.step, i);
    }
    press('N');
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
}
END_TEST

START_TEST(heads_and_streams_are_passed_over) {
    start_in("wrapper", "head 1: context");
    expect_at(30, 80, "│○○○○○◆······│○");
    press('n');
    expect("step 24/27"); // its weights are asked about
    press('n');
    expect("step 27/27");
    expect("Steps 25 to 26 of head 2 do what earlier ones did. N stops at each.");
    start_again("dropout", "mt19937: mean_of_draws");
    press('n');
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
    start_again("causal", "W_query");
    press('n');
    expect("step 8/19");
    expect("Steps 4 to 7 do what earlier ones did.");
    press('N');
    press('b');
    expect("step 8/19");
    press('b');
    expect("step 1/19");
    press('N');
    expect("step 4/19");
    static const struct {
        const char *lesson, *before, *step;
    } new[] = {{"padding", "18", "step 19/"},
               {"window", "1", "step 4/"},
               {"online_softmax", "7", "step 8/"}};
    for (size_t i = 0; i < sizeof new / sizeof *new; i++) { // what is done before, to something new
        start_again(new[i].lesson, new[i].before);
        press('n');
        expect(new[i].step);
    }
}
END_TEST

// ---- The summary --------------------------------------------------------------------------------

static const struct recap *recap_here(void) {
    return lesson_table[walker.state.lesson]->source->recap;
}

// The words on a screen of this size, which is as high as the summary needs, with one blank between them.
static const char *summary_words(int rows, int columns) {
    const struct canvas canvas = draw(rows, columns);
    return collapsed(all_text(&canvas));
}

static void check_has(const char *text, const char *words) {
    const char *wanted = collapsed(words);
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

// n behind the last step opens it; all that there is to say stands there, and nothing is cut.
START_TEST(n_ends_a_lesson_with_its_summary) {
    static const int widths[] = {40, 80, 120};
    start(_i);
    const struct recap *recap = recap_here();
    type("Gn");
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
    for (int i = 0; i < 3; i++) {
        const char *words = summary_words(400, widths[i]);
        check_has(words, recap->words);
        check_has(words, recap->onward);
        for (int j = 0; j < QUESTION_COUNT; j++) {
            check_has(words, recap->questions[j].text);
            ck_assert_ptr_null(strstr(words, recap->questions[j].answer));
        }
        const char *rest = strstr(words, "The complete code in PyTorch");
        ck_assert_ptr_nonnull(rest);
        if (widths[i] < 80) continue; // words of code are split there
        check_has(rest, run_statement(&frame, &walker.trial.run, recap->use));
        ck_assert_ptr_null(strstr(rest, "{sentences}"));
        check_has(rest, lesson_table[_i]->source->function);
        if (_i == 0) check_has(rest, recap->classes);
        ck_assert_ptr_null(strstr(words, "…"));
    }
    press(PRESS_ESCAPE);
    ck_assert_int_eq(walker.state.step, walker.trial.run.step_count - 1);
    type("nn");
    if (_i + 1 == lesson_count) return;
    ck_assert_int_eq(walker.state.lesson, _i + 1);
    ck_assert_int_eq(walker.state.step, 0);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

// Where there is room, the class stands beside the words.
START_TEST(wide_screens_show_the_class_beside) {
    enum { BESIDE = 84 };
    start(_i);
    press('E');
    const struct canvas canvas = draw(60, 200);
    struct text left = text_new(&frame), right = text_new(&frame);
    for (int row = 1; row < canvas.rows - 1; row++) {
        const char *words = row_text(&canvas, row, 0), *code = row_text(&canvas, row, BESIDE);
        text_add_format(&left, "%.*s ", (int)(strlen(words) - strlen(code)), words);
        text_add_format(&right, "%s ", code);
    }
    const struct recap *recap = recap_here();
    check_has(collapsed(left.bytes), recap->words);
    check_has(collapsed(left.bytes), recap->onward);
    check_has(collapsed(left.bytes), lesson_table[_i]->source->function);
    for (int i = 0; i < QUESTION_COUNT; i++)
        check_has(collapsed(left.bytes), recap->questions[i].text);
    check_has(collapsed(right.bytes), "The complete code in PyTorch");
    check_has(collapsed(right.bytes), "(torch.nn.Module): ");
}
END_TEST

// Lines that stay are dim, new ones bold.
START_TEST(what_changed_can_be_seen) {
    start_in("causal", "scores");
    press('E');
    const struct canvas canvas = draw(100, 80);
    int stays = 0, is_new = 0, gone = 0;
    for (int row = 0; row < canvas.rows; row++) {
        const struct glyph *mark = glyph_at(&canvas, row, 1), *word = glyph_at(&canvas, row, 11);
        if (glyph_at(&canvas, row, 0)->character != ' ' || word->character == ' ') continue;
        is_new += mark->character == '+' && word->style.bold;
        gone += mark->character == '-' && !word->style.bold && !word->style.dim;
        stays += mark->character == ' ' && word->style.dim;
    }
    ck_assert_int_eq(is_new, 7);
    ck_assert_int_eq(gone, 2);
    ck_assert_int_ge(stays, 9);
}
END_TEST

// Down to the last line and up again, at the sizes of small terminals.
START_TEST(the_summary_is_scrolled) {
    static const int sizes[][2] = {{12, 40}, {24, 80}};
    start(_i);
    press('E');
    for (int i = 0; i < 2; i++) {
        const char *function = lesson_table[_i]->source->function;
        const char *last = strrchr(function, ' ') + 1;
        for (int page = 0; page < 60; page++)
            walker_press(&walker, (struct press){.key = PRESS_PAGE_DOWN}, sizes[i][0]);
        const char *words = summary_words(sizes[i][0], sizes[i][1]);
        check_has(words, arena_copy_bytes(&frame, last, strcspn(last, "\n")));
        for (int page = 0; page < 60; page++)
            walker_press(&walker, (struct press){.key = PRESS_PAGE_UP}, sizes[i][0]);
        const struct canvas canvas = draw(sizes[i][0], sizes[i][1]);
        ck_assert_int_eq(strncmp(row_text(&canvas, 1, 1), recap_here()->words, 20), 0);
    }
}
END_TEST

// Each question by its key: a number is estimated where it stands, hidden; then the answer is there.
START_TEST(questions_are_answered) {
    start(_i);
    type("Gb");
    const int step = walker.state.step;
    press('E');
    for (int i = 0; i < QUESTION_COUNT; i++) {
        const struct question *question = &recap_here()->questions[i];
        press((uint32_t)('1' + i));
        if (question->cell_dims > 0) {
            ck_assert_int_eq(view_on_top(), VIEW_ESTIMATE);
            const struct canvas canvas = draw(24, 80);
            check_has(collapsed(all_text(&canvas)), question->text);
            const struct glyph *hidden = glyph_at(&canvas, canvas.cursor_row, canvas.cursor_column);
            ck_assert_uint_eq(hidden->character, '?');
            type("0.5");
            press(PRESS_ENTER);
            ck_assert_int_gt(walker.state.visits[_i].guesses, 0);
            press(PRESS_ESCAPE);
        }
        ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
        draw(12, 40); // the answer is brought in sight, its end at least
        const size_t length = strlen(question->answer);
        const char *end = question->answer + (length > 10 ? length - 10 : 0);
        check_has(summary_words(12, 40), strchr(end, ' ') != NULL ? strchr(end, ' ') + 1 : end);
        check_has(summary_words(400, 80), question->answer);
    }
    press(PRESS_ESCAPE);
    ck_assert_int_eq(walker.state.step, step);
    ck_assert_int_eq(view_on_top(), VIEW_STEP);
}
END_TEST

START_TEST(answers_can_be_had_at_once) {
    start_in("split_head", "scores");
    type("Er");
    for (int i = 0; i < QUESTION_COUNT; i++)
        check_has(summary_words(400, 80), recap_here()->questions[i].answer);
}
END_TEST

// The numbers of the answers are the course's; a cell that is not there is not asked for.
START_TEST(answers_are_those_of_the_course) {
    start_in("simplified", "scores");
    type("s");
    press(PRESS_ESCAPE);
    type("gE");
    check_has(summary_words(100, 80), "[1: estimate it]");
    press(PRESS_ESCAPE);
    press('=');
    type("0.5");
    press(PRESS_ENTER);
    press('E');
    check_has(summary_words(100, 80), "The answers are for the course's numbers. Changed here: ");
}
END_TEST

// A lesson that speaks of what weights mean ends with weights that were learned: those of lesson 0, in its numbers and words.
START_TEST(learned_weights_end_a_lesson) {
    const struct learned_weights *learned = &lesson_table[_i]->source->recap->learned;
    if (learned->step == NULL) return;
    start(_i);
    type("E");
    const struct canvas canvas = draw(60, 80);
    const char *text = collapsed(all_text(&canvas));
    ck_assert_msg(strstr(text, collapsed(learned->text)) != NULL, "%s", text);
    struct arena kept = arena_new(&failure);
    struct run run;
    const struct parameters parameters = {0};
    run_lesson(&run, &kept, lesson_table[0], &parameters);
    const struct tensor weights = step_called(&run, learned->step)->tensor;
    ck_assert_int_eq(weights.ndim, 3);
    for (int64_t head = 0; head < weights.shape[0]; head++) {
        if (learned->page >= 0 && head != learned->page) continue;
        for (int64_t row = 0; row < weights.shape[1]; row++) {
            struct text line = text_new(&kept);
            text_add(&line, weights.axis[1].labels[row]);
            for (int64_t column = 0; column < weights.shape[2]; column++)
                text_add_format(&line, " %.3f", element(&weights, (int64_t[]){head, row, column}));
            ck_assert_msg(strstr(text, line.bytes) != NULL, "'%s' is not in:\n%s", line.bytes,
                          text);
        }
    }
    arena_free(&kept);
}
END_TEST

START_TEST(the_summary_is_found_inside_a_step_too) {
    start_in("simplified", "context");
    type("in");
    for (int i = 0; i < 60 && view_on_top() != VIEW_SUMMARY; i++) press('n');
    ck_assert_int_eq(view_on_top(), VIEW_SUMMARY);
    press('q');
    ck_assert_int_eq(walker.state.step, walker.trial.run.step_count - 1);
    type(":summary questions");
    expect("summary: what the lesson showed");
}
END_TEST

Suite *ends_suite(void) {
    Suite *suite = suite_create("ends");
    TCase *beginning = add_case(suite, "beginning", walk_set_up, walk_tear_down),
          *news = add_case(suite, "news", walk_set_up, walk_tear_down),
          *summary = add_case(suite, "summary", walk_set_up, walk_tear_down);
    tcase_add_loop_test(beginning, a_lesson_says_what_it_is_for, 0, lesson_count);
    tcase_add_test(beginning, brackets_go_to_first_steps);
    tcase_add_loop_test(news, what_repeats_is_what_was_there, 0, lesson_count);
    tcase_add_loop_test(news, next_walks_what_is_new, 0, lesson_count);
    tcase_add_loop_test(news, a_key_walks_each, 0, lesson_count);
    tcase_add_test(news, heads_and_streams_are_passed_over);
    tcase_add_loop_test(summary, n_ends_a_lesson_with_its_summary, 0, lesson_count);
    tcase_add_loop_test(summary, wide_screens_show_the_class_beside, 0, lesson_count);
    tcase_add_test(summary, what_changed_can_be_seen);
    tcase_add_loop_test(summary, the_summary_is_scrolled, 0, lesson_count);
    tcase_add_loop_test(summary, questions_are_answered, 0, lesson_count);
    tcase_add_test(summary, answers_can_be_had_at_once);
    tcase_add_test(summary, answers_are_those_of_the_course);
    tcase_add_loop_test(summary, learned_weights_end_a_lesson, 0, lesson_count);
    tcase_add_test(summary, the_summary_is_found_inside_a_step_too);
    return suite;
}
