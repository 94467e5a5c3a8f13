// What holds for every lesson, whatever its numbers: steps that explain themselves and can be found,
// source that is the source, runs that repeat, and parameters in any combination.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_parameters.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "sample.h"
#include "tensor/file/csv.h"
#include "tensor/operation/rows.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"
#include "trace/tape/lost_role.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static struct run run_at_defaults(const struct lesson *lesson) {
    const struct parameters none = {0};
    return must_run(&arena, lesson, &none);
}

// A run whose steps are all there are: with biases and all.
static struct run run_with_all_steps(const struct lesson *lesson) {
    const struct parameters parameters = {.given = USES_BIAS, .bias = true};
    return must_run(&arena, lesson, &parameters);
}

static const char *label_in(const struct run *run, const struct step *step) {
    return arena_format(&arena, "%s: %s", run->lesson->name, step_label(&arena, step));
}

// ---- Words --------------------------------------------------------------------------------------

enum { TITLE_COLUMNS = 60, LEAST_SUMMARY = 20, LEAST_STEPS = 8, LEAST_EXERCISES = 3 };
enum { EXPLANATION_LINES = 6, EXPLANATION_COLUMNS = 78, SOURCE_COLUMNS = 80, PYTORCH_COLUMNS = 78 };

// What a lesson must have: the message says the rule, and where all of them stand.
#define must(condition, ...)                                                                       \
    expect(condition, "%s (src/README.md, \"Adding a lesson\")", arena_format(&arena, __VA_ARGS__))

START_TEST(six_lessons_come_in_order) {
    static const char *const names[] = {"simplified", "trainable", "causal",
                                        "dropout",    "wrapper",   "split_head"};
    int found = 0;
    for (int i = 0; i < lesson_count && found < 6; i++)
        found += strcmp(lesson_table[i]->name, names[found]) == 0;
    ck_assert_int_eq(found, 6); // others may stand between them
}
END_TEST

START_TEST(a_lesson_says_what_it_is) {
    const struct lesson *lesson = lesson_table[_i];
    must(lesson->title != NULL && *lesson->title != '\0', "%s has no title", lesson->name);
    must(text_width(lesson->title) <= TITLE_COLUMNS, "the title of %s is longer than %d columns",
         lesson->name, TITLE_COLUMNS);
    must(lesson->summary != NULL && text_width(lesson->summary) >= LEAST_SUMMARY,
         "the summary of %s is shorter than %d columns", lesson->name, LEAST_SUMMARY);
    ck_assert(utf8_is_valid(lesson->summary, strlen(lesson->summary)));
    must(lesson->book == NULL || strstr(lesson->book, ", ") != NULL,
         "%s: .book is a place and its title (\"section 3.3, Attending to ...\"), not %s",
         lesson->name, lesson->book);
    must(_i == 0 || lesson->part >= lesson_table[_i - 1]->part,
         "%s belongs to %s, but stands behind a lesson of a later part", lesson->name,
         part_title(lesson->part));
    must(lesson->source->recap != NULL, "%s has no %s.py: its class and three questions",
         lesson->name, lesson->name);
}
END_TEST

static void check_words(const char *label, const char *what, const char *words) {
    expect(words != NULL && *words != '\0', "%s has no %s", label, what);
    expect(utf8_is_valid(words, strlen(words)), "%s: %s is not UTF-8", label, what);
    expect(strchr(words, '\n') == NULL, "%s: %s has a newline", label, what);
}

// Lines of PyTorch fit a screen.
static void check_pytorch(const char *label, const char *lines) {
    must(*lines != '\0', "%s has no line of PyTorch", label);
    for (const char *line = lines; *line != '\0'; line += strspn(line, "\n")) {
        const size_t length = strcspn(line, "\n");
        must(length <= PYTORCH_COLUMNS, "%s: a line of PyTorch is longer than %d: %s", label,
             PYTORCH_COLUMNS, line);
        check_words(label, "line of PyTorch", arena_copy_bytes(&arena, line, length));
        line += length;
    }
}

START_TEST(every_step_explains_itself) {
    const struct run run = run_with_all_steps(lesson_table[_i]);
    must(run.step_count >= LEAST_STEPS, "%s has %d steps, fewer than %d", run.lesson->name,
         run.step_count, LEAST_STEPS);
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        const char *label = label_in(&run, step);
        check_words(label, "title", step->paragraph->title);
        check_words(label, "explanation", step->paragraph->explanation);
        check_words(label, "formula", step->formula);
        check_pytorch(label, step_pytorch(&arena, step));
        char **lines;
        const int count =
            text_wrap(&arena, step->paragraph->explanation, EXPLANATION_COLUMNS, &lines);
        must(count <= EXPLANATION_LINES, "%s: the explanation has %d lines of %d columns, not %d",
             label, count, EXPLANATION_COLUMNS, EXPLANATION_LINES);
    }
}
END_TEST

// Its step is there at the course's parameters, in order, and shows the variable that the blank stands for.
START_TEST(every_exercise_is_a_step_with_a_blank) {
    const struct lesson *lesson = lesson_table[_i];
    const struct recap *recap = lesson->source->recap;
    const struct run run = run_at_defaults(lesson);
    int before = 0;
    must(recap->exercise_count >= LEAST_EXERCISES, "%s has %d exercises, fewer than %d",
         lesson->name, recap->exercise_count, LEAST_EXERCISES);
    for (int i = 0; i < recap->exercise_count; i++) {
        const struct exercise *exercise = &recap->exercises[i];
        const struct step *step = step_called(&run, exercise->step);
        must(step != NULL, "%s: an exercise asks for a step %s, which is not there", lesson->name,
             exercise->step);
        expect(exercise_at(&arena, lesson, step) == exercise, "%s", exercise->step);
        must(step->number > before, "%s: the exercise %s is not in the order of the steps",
             lesson->name, exercise->step);
        before = step->number;
        ck_assert_str_eq(step->expression, step->name);
        const char *answer = answer_of(&arena, step);
        must(answer != NULL, "%s: %s has no statement 'NAME = ...' to blank", lesson->name,
             exercise->step);
        ck_assert_str_eq(statement_with(&arena, step, answer), step->statement);
        expect(strstr(statement_with(&arena, step, "..."), " = ...") != NULL, "%s", answer);
        for (int hint = 0; hint < HINTS; hint++) {
            must(exercise->hints[hint] != NULL, "%s: an exercise has %d hints", exercise->step,
                 HINTS);
            const size_t length = strlen(exercise->hints[hint]);
            must(length > 8 && length < 100, "%s: a hint has 9 to 99 bytes: %s", exercise->step,
                 exercise->hints[hint]);
            must(strstr(exercise->hints[hint], answer) == NULL, "%s: a hint says all: %s",
                 exercise->step, answer);
        }
    }
}
END_TEST

START_TEST(every_axis_has_a_label_for_each_index) {
    const struct run run = run_with_all_steps(lesson_table[_i]);
    for (int i = 0; i < run.step_count; i++) {
        const struct tensor *tensor = &run.steps[i].tensor;
        for (int dim = 0; dim < tensor->ndim; dim++) {
            for (int64_t at = 0; at < tensor->shape[dim]; at++)
                check_words(label_in(&run, &run.steps[i]), "label",
                            label_of(&arena, tensor, dim, at));
        }
        ck_assert_str_ne(axes_text(&arena, tensor), "");
    }
}
END_TEST

// ---- Source -------------------------------------------------------------------------------------

static int indentation_of(const char *line) {
    return (int)strspn(line, " ");
}

// Lines first ... last (from 1) of a file, indented no more than needed.
static const char *lines_of_file(const char *name, int first, int last) {
    const char *path = arena_format(&arena, "%s/%s", LESSON_FILES, name);
    FILE *file = fopen(path, "r");
    expect(file != NULL, "cannot read %s", path);
    char **lines = arena_array(&arena, (size_t)(last - first + 1), sizeof *lines);
    char line[512];
    int least = 80;
    for (int number = 1; number <= last && fgets(line, sizeof line, file) != NULL; number++) {
        if (number < first) continue;
        lines[number - first] = arena_copy(&arena, line);
        if (indentation_of(line) < least) least = indentation_of(line);
    }
    fclose(file);
    struct text text = text_new(&arena);
    for (int i = 0; i <= last - first; i++) {
        expect(lines[i] != NULL, "%s has no line %d", name, first + i);
        text_add(&text, lines[i] + least);
    }
    return text.bytes;
}

// A LAYER's lines without its texts, as one line.
static const char *without_texts(const char *lines) {
    struct text text = text_new(&arena);
    const char *texts = strstr(lines, ", \"");
    expect(texts != NULL, "a layer without texts: %s", lines);
    text_add_format(&text, "%.*s);\n", (int)(texts - lines), lines);
    return text.bytes;
}

static void check_source(const struct run *run, const struct step *step) {
    const struct excerpt *excerpt = step->excerpt;
    const char *label = label_in(run, step), *file = step->paragraph->file;
    ck_assert_int_ge(excerpt->last_line, excerpt->first_line);
    ck_assert_int_ge(excerpt->last_record, excerpt->first_record);
    const char *marker = lines_of_file(file, excerpt->first_record, excerpt->first_record);
    const bool is_layer = strncmp(marker, "LAYER", 5) == 0;
    expect(is_layer || strncmp(marker, "STEP(", 5) == 0, "%s: no STEP below the source: %s", label,
           marker);
    const int end = excerpt->first_record - (is_layer ? 0 : 1);
    if (excerpt->last_line != end) { // how the step opens is not shown
        ck_assert_int_eq(excerpt->last_line, end - 1);
        const char *opens = lines_of_file(file, end, end);
        ck_assert(strncmp(opens, "AT(", 3) == 0 || strcmp(opens, "PICTURE;\n") == 0);
    }
    const char *lines = lines_of_file(file, excerpt->first_line, excerpt->last_line);
    const char *wanted = is_layer ? without_texts(lines) : lines;
    expect(strcmp(excerpt->text, wanted) == 0, "%s: the source shown is\n%s\nnot\n%s", label,
           excerpt->text, wanted);
    for (const char *line = excerpt->text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *alone = arena_copy_bytes(&arena, line, strcspn(line, "\n"));
        must(text_width(alone) <= SOURCE_COLUMNS, "%s: a line is wider than %d columns: %s", label,
             SOURCE_COLUMNS, alone);
    }
}

START_TEST(the_source_shown_is_the_source) {
    const struct run run = run_with_all_steps(lesson_table[_i]);
    for (int i = 0; i < run.step_count; i++) check_source(&run, &run.steps[i]);
}
END_TEST

// ---- Finding steps ------------------------------------------------------------------------------

START_TEST(every_step_is_found_by_number_and_label) {
    const struct run run = run_with_all_steps(lesson_table[_i]);
    for (int i = 0; i < run.step_count; i++) {
        const struct step *step = &run.steps[i];
        const char *number = arena_format(&arena, "%d", i + 1);
        ck_assert_int_eq(step->number, i + 1);
        ck_assert_ptr_eq(find_step(&run, number, &failure), step);
        // two steps with one label could not both be found
        expect(find_step(&run, step_label(&arena, step), &failure) == step, "%s is not unique",
               label_in(&run, step));
    }
}
END_TEST

START_TEST(steps_that_are_not_there_are_refused) {
    const struct run run = run_at_defaults(lesson_table[_i]);
    const char *const names[] = {"0",         "-1",       "",     "no_such_step",
                                 "99999",     ": scores", "x: y", "18446744073709551617",
                                 "head 9: x", "\x1b[31m", "1x",   "weights "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        failure.message[0] = '\0';
        expect(!try_step(NULL, &run, names[i], &failure), "found '%s'", names[i]);
        ck_assert_ptr_null(step_called(&run, names[i]));
        ck_assert_int_eq(failure.status, FAIL_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.message, lesson_table[_i]->name));
        ck_assert_ptr_null(strchr(failure.message, '\x1b'));
        ck_assert_ptr_null(strchr(failure.message, '\n'));
    }
}
END_TEST

START_TEST(a_bare_name_means_the_step_without_a_group) {
    const struct run run = run_at_defaults(lesson_called("wrapper"));
    const struct step *context = find_step(&run, "context", &failure);
    ck_assert_ptr_null(context->group);
    ck_assert(!try_step(NULL, &run, "scores", &failure));
    ck_assert_ptr_nonnull(strstr(failure.message, "head 1: scores"));
    ck_assert_ptr_nonnull(strstr(failure.message, "head 2: scores"));
    // where one group alone bears a name, the name is enough
    const struct run trainable = run_at_defaults(lesson_called("trainable"));
    ck_assert_str_eq(find_step(&trainable, "query_scores", &failure)->group, "rand");
}
END_TEST

// ---- Repeating ----------------------------------------------------------------------------------

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_same_runs(const struct run *a, const struct run *b) {
    ck_assert_int_eq(a->step_count, b->step_count);
    for (int i = 0; i < a->step_count; i++) {
        const struct tensor *x = &a->steps[i].tensor, *y = &b->steps[i].tensor;
        ck_assert_str_eq(step_label(&arena, &a->steps[i]), step_label(&arena, &b->steps[i]));
        ck_assert(shapes_equal(shape_of(x), shape_of(y)));
        const int64_t count = count_of(shape_of(x));
        for (int64_t at = 0; at < count; at++)
            expect(same_bits(element_at(x, at), element_at(y, at)), "%s differs",
                   label_in(a, &a->steps[i]));
    }
}

START_TEST(a_run_repeats_bit_for_bit) {
    const struct run first = run_at_defaults(lesson_table[_i]);
    const struct run second = run_at_defaults(lesson_table[_i]);
    check_same_runs(&first, &second);
    ck_assert_ptr_null(parameters_text(&arena, &first));
}
END_TEST

// Are the axes of all steps of both runs called alike?
static void check_same_labels(const struct run *a, const struct run *b) {
    for (int i = 0; i < a->step_count; i++) {
        const struct tensor *x = &a->steps[i].tensor, *y = &b->steps[i].tensor;
        for (int dim = 0; dim < x->ndim; dim++) {
            const char *name = axis_name(x, dim) != NULL ? axis_name(x, dim) : "";
            ck_assert_str_eq(name, axis_name(y, dim) != NULL ? axis_name(y, dim) : "");
            for (int64_t at = 0; at < x->shape[dim]; at++)
                ck_assert_str_eq(label_of(&arena, x, dim, at), label_of(&arena, y, dim, at));
        }
    }
}

// Step by step from one run to the next, as the walker trains, and back; with SGD, with a
// warmup, and with rates that depend on how many updates there are. The run before is not
// needed any more.
START_TEST(training_goes_on_bit_for_bit) {
    static const int64_t updates[] = {0, 1, 2, 3, 13, 13, 40, 1, 7};
    const struct lesson *lesson = lesson_called("training");
    struct parameters parameters = {.given = USES_UPDATES | USES_OPTIMIZER | USES_LR | USES_WARMUP |
                                             USES_COSINE | USES_CLIP,
                                    .optimizer = _i == 1 ? SGD : ADAMW,
                                    .lr = _i == 1 ? 0.5 : 0.01,
                                    .warmup = _i >= 2 ? 5 : 0,
                                    .cosine = _i == 3,
                                    .clip = _i == 2 ? 0.05 : 0};
    struct arena memory[2] = {arena_new(&failure), arena_new(&failure)};
    struct run before = {0};
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        parameters.updates = updates[i];
        struct run whole, continued;
        continue_lesson(&continued, &memory[i % 2], i > 0 ? &before : NULL, lesson, &parameters);
        arena_free(&memory[(i + 1) % 2]);
        run_lesson(&whole, &arena, lesson, &parameters);
        check_same_runs(&whole, &continued);
        check_same_labels(&whole, &continued);
        before = continued;
    }
    parameters.given |= USES_SEED; // another model: nothing to go on with
    parameters.updates = 10;
    struct run whole, continued;
    run_lesson(&whole, &arena, lesson, &parameters);
    continue_lesson(&continued, &arena, &before, lesson, &parameters);
    check_same_runs(&whole, &continued);
    for (int i = 0; i < 2; i++) arena_free(&memory[i]);
}
END_TEST

static const char *differences_with(const char *name, const char *option, const char *value) {
    struct parameters parameters = {0};
    ck_assert(set_parameter(&parameters, parameter_by_option(option), value));
    const struct run run = must_run(&arena, lesson_called(name), &parameters);
    return parameters_text(&arena, &run);
}

// Whoever gives the value that a lesson has by itself has the course's numbers, and hears nothing of a change.
START_TEST(the_own_value_of_a_lesson_is_no_change) {
    static const char *const own[][3] = {
        {"online_softmax", "--seed", "789"},         {"block", "--seed", "4294967419"},
        {"dropout", "--dropout-seed", "123"},        {"simplified", "--query", "journey"},
        {"cross", "--target", "one step with Your"}, {"wrapper", "--context-length", "6"},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const char *text = differences_with(own[i][0], own[i][1], own[i][2]);
        ck_assert_msg(text == NULL, "%s %s: %s", own[i][0], own[i][1], text);
    }
    static const char *const others[][4] = {
        {"online_softmax", "--seed", "3", "seed 3"},
        {"dropout", "--seed", "123", "seed 123"}, // its layers have another
        {"dropout", "--dropout-seed", "none", "dropout_seed none"},
        {"simplified", "--query", "Your", "query Your"},
        {"cross", "--target", "one step with", "target one step with"},
        {"wrapper", "--context-length", "7", "context_length 7"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_str_eq(differences_with(others[i][0], others[i][1], others[i][2]), others[i][3]);
}
END_TEST

static struct run run_with_seed(const struct lesson *lesson, const char *seed) {
    struct parameters parameters = {0};
    ck_assert(set_parameter(&parameters, parameter_by_option("--seed"), seed));
    return must_run(&arena, lesson, &parameters);
}

// As in PyTorch, the low 32 bits of a seed count, and -1 is 2^64 - 1.
START_TEST(seeds_with_the_same_low_bits_give_the_same_numbers) {
    static const char *const pairs[][2] = {
        {"5", "4294967301"},
        {"-1", "18446744073709551615"},
        {"-1", "4294967295"},
        {"-9223372036854775808", "0"},
    };
    const struct lesson *lesson = lesson_called("causal");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct run a = run_with_seed(lesson, pairs[i][0]);
        const struct run b = run_with_seed(lesson, pairs[i][1]);
        check_same_runs(&a, &b);
    }
}
END_TEST

// ---- Any parameters -----------------------------------------------------------------------------

// Are all scores of a row of weights at most `most`? Of a row of context, those of its weights.
static bool is_hidden_row(const struct tensor *tensor, int64_t row, double most) {
    const struct origin *origin = tensor->storage->origin;
    if (origin->operand_count == 0) return false;
    const struct tensor *from = &origin->operands[0];
    if (origin->operation == &matmul_row && role_of(tensor) == ROLE_CONTEXT)
        return is_hidden_row(from, row, most);
    if (origin->operation != &softmax_row || role_of(tensor) != ROLE_WEIGHTS) return false;
    const int64_t width = from->shape[from->ndim - 1];
    for (int64_t i = 0; i < width; i++)
        if (element_at(from, row * width + i) > most) return false;
    return true;
}

static void check_rows(const char *label, const struct tensor *weights) {
    const int64_t width = weights->shape[weights->ndim - 1];
    const int64_t count = count_of(shape_of(weights));
    for (int64_t start = 0; start < count; start += width) {
        double sum = 0;
        if (is_hidden_row(weights, start / width, -(double)INFINITY)) continue;
        for (int64_t i = 0; i < width; i++) {
            const double weight = element_at(weights, start + i);
            expect(weight >= 0 && weight <= 1, "%s: a weight of %g", label, weight);
            sum += weight;
        }
        expect(fabs(sum - 1) <= 1e-6, "%s: a row adds up to %.9g", label, sum);
    }
}

// Right of the diagonal, every cell is `hidden`.
static void check_future(const char *label, const struct tensor *tensor, double hidden) {
    const int64_t count = count_of(shape_of(tensor));
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(tensor), i, index);
        if (index[tensor->ndim - 1] <= index[tensor->ndim - 2]) continue;
        if (is_hidden_row(tensor, i / tensor->shape[tensor->ndim - 1], -1e37)) continue;
        const double value = element(tensor, index);
        expect(value == hidden, "%s: the future shows %g", label, value);
    }
}

// Every number is finite; in rows where everything is hidden, every number is nan.
static void check_finite(const char *label, const struct tensor *tensor) {
    const int64_t count = count_of(shape_of(tensor));
    const int64_t width = tensor->ndim > 0 ? tensor->shape[tensor->ndim - 1] : 1;
    for (int64_t i = 0; i < count; i++) {
        const double number = element_at(tensor, i);
        const bool is_hidden = is_hidden_row(tensor, i / width, -(double)INFINITY);
        expect(is_hidden ? isnan(number) : isfinite(number), "%s: %g", label, number);
    }
}

// What the lesson says of padding: no row but one of nan makes a gradient nan, and then those of W_value and predict where nothing
// is repaired, those of W_query and W_key where the mask was added. A loss has no mean where no token has another behind it.
static bool check_padding(const struct run *run, const char *label, const struct step *step) {
    const struct tensor *tensor = &step->tensor;
    if (strcmp(run->lesson->name, "padding") != 0) return false;
    if (step == step_called(run, "left: loss")) {
        const struct tensor targets = step_called(run, "left: targets")->tensor;
        bool has_one = false;
        for (int64_t i = 0; i < count_of(shape_of(&targets)); i++)
            has_one = has_one || element_at(&targets, i) != -100;
        expect(has_one == isfinite(element_at(tensor, 0)), "%s: %g", label, element_at(tensor, 0));
        return true;
    }
    if (step != step_called(run, "left: largest_gradients")) return false;
    const struct tensor weights = step_called(run, "left: weights")->tensor;
    bool has_nan = false;
    for (int64_t i = 0; i < count_of(shape_of(&weights)); i++)
        has_nan = has_nan || isnan(element_at(&weights, i));
    for (int64_t i = 0; i < 16; i++) {
        const int64_t form = i / 4, layer = i % 4;
        const bool is_nan = has_nan && ((form == 0 && layer > 1) || (form == 3 && layer < 2));
        const double number = element_at(tensor, i);
        expect(is_nan ? isnan(number) : isfinite(number), "%s %d: %g", label, (int)i, number);
    }
    return true;
}

// Is it a causal mask, or behind one, as scores, weights and context are that it hides something from?
static bool is_causal(const struct storage *storage) {
    const struct origin *origin = storage->origin;
    switch (storage->purpose.role) {
    case ROLE_MASK:
        if (origin->operation == &triu_row) return origin->diagonal == 1;
        if (origin->operation == &tril_row) return origin->diagonal == 0;
        break;
    case ROLE_MASKED_SCORES:
    case ROLE_WEIGHTS:
    case ROLE_DROPPED_WEIGHTS:
    case ROLE_CONTEXT:
        break;
    default:
        return false;
    }
    for (int i = 0; i < origin->operand_count; i++) {
        if (is_causal(origin->operands[i].storage)) return true;
    }
    return false;
}

static bool is_of_queries_and_keys(const struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    return last > 0 && find_axis(tensor, AXIS_QUERY) == last - 1 &&
           find_axis(tensor, AXIS_KEY) == last;
}

// Divided by sums of its rows?
static bool is_normalized(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    return origin->operation == &divide_row &&
           origin->operands[1].storage->origin->operation == &sum_row;
}

// Does each line of it share 1? Weights divided by their sums do, as what a softmax makes. (Scores divided by their
// sums need not: these may be 0.)
static bool shares_one(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    if (origin->operation == &softmax_row) return origin->dim == tensor->ndim - 1;
    return is_normalized(tensor) && role_of(&origin->operands[0]) == ROLE_WEIGHTS;
}

// What must hold of each step, by what its numbers are for.
static void check_invariants(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &run->steps[i].tensor;
        const char *label = label_in(run, &run->steps[i]);
        const bool is_masked = role_of(tensor) == ROLE_MASKED_SCORES;
        const bool is_filled = tensor->storage->origin->operation == &masked_fill_row;
        // the largest score, before any is read
        const bool is_least =
            role_of(tensor) == ROLE_RUNNING_MAX && tensor->storage->origin->operation == &full_row;
        if (is_least) continue;
        if (check_padding(run, label, &run->steps[i])) continue;
        if (!is_masked && !is_filled && (!is_normalized(tensor) || shares_one(tensor)))
            check_finite(label, tensor);
        if (shares_one(tensor)) check_rows(label, tensor);
        if (role_of(tensor) != ROLE_MASK && is_of_queries_and_keys(tensor) &&
            is_causal(tensor->storage))
            check_future(label, tensor, is_masked ? -(double)INFINITY : 0);
        if (strcmp(label, "causal: difference") == 0)
            ck_assert_double_le(element_at(tensor, 0), 1e-6);
    }
}

enum { RUNS_AT_RANDOM = 420 };

START_TEST(any_parameters_run) {
    if (_i % one_in(1) != 0) return;
    begin_drawing((uint64_t)_i + 1);
    const struct lesson *lesson = lesson_table[_i % lesson_count];
    const struct parameters parameters = any_parameters(lesson);
    const struct run run = must_run(&arena, lesson, &parameters);
    check_invariants(&run);
    ck_assert_msg(lost_role(&arena, &run) == NULL, "%s", lost_role(&arena, &run));
    for (int i = 0; i < run.step_count; i++)
        ck_assert_ptr_eq(find_step(&run, step_label(&arena, &run.steps[i]), &failure),
                         &run.steps[i]);
}
END_TEST

// ---- What a causal model must not do ------------------------------------------------------------

static struct tensor inputs_ending_in(const char *last) {
    const char *csv = arena_format(&arena, "token,a,b\nx,0.5,-1\ny,2,0.25\nz,%s\n", last);
    return csv_read(&arena, "x.csv", csv, strlen(csv));
}

static struct run run_on(const struct lesson *lesson, struct tensor inputs) {
    const struct parameters parameters = {.given = USES_INPUT, .input = "x.csv", .inputs = inputs};
    return must_run(&arena, lesson, &parameters);
}

// Rows of tokens before the last are the same, bit for bit. Is that of the last another? Dropout may hide it.
static bool last_differs(const char *label, int tokens, const struct tensor *a,
                         const struct tensor *b) {
    const int64_t count = count_of(shape_of(a)), last = a->shape[tokens] - 1;
    bool differs = false;
    for (int64_t i = 0; i < count; i++) {
        int64_t index[MAX_DIMS];
        index_at(shape_of(a), i, index);
        const bool is_same = same_bits(element(a, index), element(b, index));
        expect(is_same || index[tokens] == last, "%s: an earlier token is another", label);
        differs = differs || !is_same;
    }
    return differs;
}

static int count_causal(const struct lesson *lesson) {
    const struct run run = run_on(lesson, inputs_ending_in("1,1"));
    const struct run other = run_on(lesson, inputs_ending_in("-30,7"));
    int count = 0;
    for (int i = 0; i < run.step_count; i++) {
        const struct tensor *tensor = &run.steps[i].tensor;
        const int queries = find_axis(tensor, AXIS_QUERY);
        const int tokens = queries >= 0 ? queries : find_axis(tensor, AXIS_TOKEN);
        const bool is_context = role_of(tensor) == ROLE_CONTEXT && tokens >= 0;
        if (!is_context || !is_causal(tensor->storage)) continue;
        count +=
            last_differs(label_in(&run, &run.steps[i]), tokens, tensor, &other.steps[i].tensor);
    }
    return count;
}

// A later token changes no earlier row of context that is behind a causal mask, not in a single bit.
START_TEST(the_past_does_not_see_the_future) {
    int lessons = 0;
    for (int i = 0; i < lesson_count; i++)
        lessons += lesson_table[i]->uses & USES_INPUT && count_causal(lesson_table[i]) > 0;
    ck_assert_int_ge(lessons, 4); // causal, dropout, wrapper, split_head
}
END_TEST

// What the prose says of the section on √d_k: widths run down, unscaled is the first column.
START_TEST(scaling_keeps_weights_apart_from_1) {
    const struct run run = must_run(&arena, lesson_called("trainable"), &(struct parameters){0});
    const struct tensor largest = find_step(&run, "largest_weights", &failure)->tensor;
    const struct tensor answers = find_step(&run, "weight_answers", &failure)->tensor;
    for (int64_t width = 0; width < 9; width++) {
        const int64_t unscaled[] = {width, 0}, scaled[] = {width, 1}, before[] = {width - 1, 0};
        if (width > 0) {
            ck_assert_double_gt(element(&largest, unscaled), element(&largest, before));
            ck_assert_double_lt(element(&answers, unscaled), element(&answers, before));
        }
        ck_assert_double_lt(element(&largest, scaled), 0.2);
        ck_assert_double_gt(element(&answers, scaled), 0.9);
        if (width < 8) continue;
        ck_assert_double_gt(element(&largest, unscaled), 0.85);
        ck_assert_double_lt(element(&answers, unscaled), 0.2);
    }
}
END_TEST

// What the places of lesson 6 show: merged they are what they were, and the slip mixes heads.
START_TEST(places_come_back) {
    const struct run run = must_run(&arena, lesson_called("split_head"), &(struct parameters){0});
    const struct tensor places = find_step(&run, "places", &failure)->tensor;
    const struct tensor merged = find_step(&run, "places_merged", &failure)->tensor;
    const struct tensor slip = find_step(&run, "places_scrambled", &failure)->tensor;
    for (int64_t i = 0; i < 12; i++)
        ck_assert(same_bits(element_at(&places, i), element_at(&merged, i)));
    ck_assert_double_eq(element_at(&slip, 2), 121);
    ck_assert_double_eq(element_at(&slip, 3), 122);
}
END_TEST

// ---- Parameters that do not fit -----------------------------------------------------------------

static void check_refused(const char *lesson, const char *option, const char *value,
                          const char *reason) {
    struct parameters parameters = {0};
    ck_assert(set_parameter(&parameters, parameter_by_option(option), value));
    struct run run;
    expect(!try_lesson(&run, &arena, lesson_called(lesson), &parameters), "%s %s %s runs", lesson,
           option, value);
    ck_assert_int_eq(failure.status, FAIL_USAGE);
    expect(strstr(failure.message, reason) != NULL, "no '%s' in: %s", reason, failure.message);
}

START_TEST(parameters_that_do_not_fit_are_refused) {
    check_refused("split_head", "--d-out", "7", "--heads can be 1 or 7");
    check_refused("split_head", "--heads", "3", "--heads can be 1 or 2");
    check_refused("wrapper", "--context-length", "5", "at least 6");
    check_refused("split_head", "--context-length", "1", "at least 6");
    check_refused("simplified", "--query", "nobody", "nobody");
    check_refused("simplified", "--query", "7", "7");
    check_refused("simplified", "--query", "0", "0");
}
END_TEST

START_TEST(a_query_is_a_token_or_a_row) {
    static const struct {
        const char *query;
        int64_t row;
    } queries[] = {{"Your", 0}, {"step", 5}, {"1", 0}, {"6", 5}, {"with", 3}};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        const struct parameters parameters = {.given = USES_QUERY, .query = queries[i].query};
        ck_assert_int_eq(must_run(&arena, lesson_called("simplified"), &parameters).query,
                         queries[i].row);
    }
    // a token that looks like a number of another row: tokens come first
    const char csv[] = "token,a\n2,1\nx,2\n";
    const struct parameters parameters = {
        .given = USES_QUERY | USES_INPUT,
        .query = "2",
        .inputs = csv_read(&arena, "x.csv", csv, strlen(csv)),
    };
    ck_assert_int_eq(must_run(&arena, lesson_called("simplified"), &parameters).query, 0);
    // and without one: "journey", the second row, or the first if there is only one
    ck_assert_int_eq(run_at_defaults(lesson_called("simplified")).query, 1);
    const char one[] = "token,a\nx,2\n";
    ck_assert_int_eq(
        run_on(lesson_called("simplified"), csv_read(&arena, "x.csv", one, strlen(one))).query, 0);
}
END_TEST

Suite *lessons_suite(void) {
    Suite *suite = suite_create("lessons");
    TCase *words = add_case(suite, "words", set_up_arena, tear_down_arena);
    tcase_add_test(words, six_lessons_come_in_order);
    tcase_add_loop_test(words, a_lesson_says_what_it_is, 0, lesson_count);
    tcase_add_loop_test(words, every_step_explains_itself, 0, lesson_count);
    tcase_add_loop_test(words, every_exercise_is_a_step_with_a_blank, 0, lesson_count);
    tcase_add_loop_test(words, every_axis_has_a_label_for_each_index, 0, lesson_count);
    tcase_add_loop_test(words, the_source_shown_is_the_source, 0, lesson_count);

    TCase *steps = add_case(suite, "steps", set_up_arena, tear_down_arena);
    tcase_add_loop_test(steps, every_step_is_found_by_number_and_label, 0, lesson_count);
    tcase_add_loop_test(steps, steps_that_are_not_there_are_refused, 0, lesson_count);
    tcase_add_test(steps, a_bare_name_means_the_step_without_a_group);

    TCase *runs = add_case(suite, "runs", set_up_arena, tear_down_arena);
    tcase_add_loop_test(runs, a_run_repeats_bit_for_bit, 0, lesson_count);
    tcase_add_loop_test(runs, training_goes_on_bit_for_bit, 0, 4);
    tcase_add_test(runs, the_own_value_of_a_lesson_is_no_change);
    tcase_add_test(runs, seeds_with_the_same_low_bits_give_the_same_numbers);
    tcase_add_loop_test(runs, any_parameters_run, 0, RUNS_AT_RANDOM);
    tcase_add_test(runs, the_past_does_not_see_the_future);
    tcase_add_test(runs, scaling_keeps_weights_apart_from_1);
    tcase_add_test(runs, places_come_back);
    tcase_add_test(runs, parameters_that_do_not_fit_are_refused);
    tcase_add_test(runs, a_query_is_a_token_or_a_row);
    return suite;
}
