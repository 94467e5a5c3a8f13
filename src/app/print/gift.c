// The format `gift`: a question for Moodle, whose right answer is a number of the step, and whose wrong ones
// are what the classic mistakes make of it, each with its explanation. Above it stand the tensors that the step
// was computed from, so that the number can be computed from the question. The format is described in Moodle's
// documentation, "GIFT format".

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/print/formats.h"
#include "show/markup.h" // defines: step_address
#include "tensor/cell.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"
#include "trace/what_if/mistaken.h"

enum {
    MOST_WRONG = 5,
    MOST_CELLS = 4096,
    MOST_DATA = 1000
}; // print() leaves out numbers above 1000

// A step that mistakes change, with the tensors that they make of it.
struct gift {
    struct arena *arena;
    const struct trial *trial;
    const struct step *step;
    struct number_format format;
    int digits;
    int count;
    const struct mistake **mistakes;
    struct tensor *wrong;
};

// Its answers at one cell: the right one and wrong ones, each other digits.
struct answers {
    const char *right;
    int count;
    const char *wrong[MOST_MISTAKES];
    const char *why[MOST_MISTAKES];
};

// The question, and the lessons with the mistakes that may change its step.
struct asking {
    struct gift *question;
    int count;
    struct run edited[MOST_MISTAKES];
    const struct mistake *mistakes[MOST_MISTAKES];
};

static void take_wrong(void *context, int i, const struct line_outcome *outcomes) {
    const struct asking *asking = context;
    struct gift *question = asking->question;
    const struct tensor *right = &question->step->tensor;
    const struct tensor *wrong = &outcomes[question->step->number - 1].tensor;
    if (!is_tensor(wrong) || !shapes_equal(shape_of(wrong), shape_of(right)) ||
        !differ(right, wrong))
        return;
    const struct tensor copy = tensor_given(question->arena, FLOAT32, shape_of(wrong));
    for (int64_t k = 0; k < copy.storage->count; k++)
        put_number(copy.storage, k, element_at(wrong, k));
    question->wrong[question->count] = copy;
    question->mistakes[question->count++] = asking->mistakes[i];
}

static void add_mistakes_to(struct asking *asking, struct arena *m, const struct trial *trial) {
    const struct run *right = &trial->run;
    learn_effects(trial);
    for (int i = 0; i < mistake_total; i++) {
        const struct mistake *mistake = &mistake_table[i];
        const struct effect *effect = effect_in(trial, i);
        bool is_made;
        if (strcmp(mistake->name, "other-bernoulli") == 0) continue; // another machine's, and right
        if (effect->why != NULL || !effect->changes[asking->question->step->number - 1]) continue;
        asking->mistakes[asking->count] = mistake;
        asking->count += make_mistakes(&asking->edited[asking->count], &is_made, m,
                                       trial->interpreter, right, &mistake, 1);
    }
}

static struct gift question_of(struct arena *arena, const struct trial *trial,
                               const struct step *step, int digits) {
    struct gift question = {.arena = arena, .trial = trial, .step = step, .digits = digits};
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    struct asking *asking = arena_allocate(m, sizeof *asking);
    *asking = (struct asking){.question = &question};
    question.format = number_format_of(arena, &step->tensor, digits);
    question.mistakes = arena_array(arena, (size_t)mistake_total, sizeof *question.mistakes);
    question.wrong = arena_array(arena, (size_t)mistake_total, sizeof *question.wrong);
    add_mistakes_to(asking, m, trial);
    if (asking->count > 0)
        trial->interpreter->compute(m, &trial->run, asking->count, asking->edited, take_wrong,
                                    asking);
    scratch_close(&scratch);
    return question;
}

static void add_wrong(const struct gift *question, struct answers *answers, const char *number,
                      const struct mistake *mistake) {
    struct arena *arena = question->arena;
    if (strcmp(number, answers->right) == 0) return;
    for (int i = 0; i < answers->count; i++) {
        if (strcmp(number, answers->wrong[i]) != 0) continue;
        answers->why[i] =
            arena_format(arena, "%s Or: %s. %s", answers->why[i], mistake->title, mistake->wrong);
        return;
    }
    answers->wrong[answers->count] = number;
    answers->why[answers->count++] = arena_format(arena, "%s. %s", mistake->title, mistake->wrong);
}

// None at a number that is nan; and nan is no wrong answer, since anybody sees that it is wrong.
static struct answers answers_at(const struct gift *question, int64_t position) {
    const struct tensor *right = &question->step->tensor;
    const double value = element_at(right, position);
    struct arena *arena = question->arena;
    struct answers answers = {.right = number_text(arena, question->format, value)};
    for (int i = 0; i < question->count && !isnan(value); i++) {
        const double wrong = element_at(&question->wrong[i], position);
        if (!isnan(wrong))
            add_wrong(question, &answers, number_text(arena, question->format, wrong),
                      question->mistakes[i]);
    }
    return answers;
}

// The cell where most mistakes show.
static int64_t best_cell(const struct gift *question) {
    const int64_t count = count_of(shape_of(&question->step->tensor));
    int64_t best = 0;
    int most = -1;
    struct gift asked = *question;
    for (int64_t i = 0; i < count && i < MOST_CELLS; i++) {
        struct scratch scratch;
        asked.arena = scratch_open(&scratch, question->arena->failure);
        const struct answers answers = answers_at(&asked, i);
        scratch_close(&scratch);
        if (answers.count > most) {
            most = answers.count;
            best = i;
        }
    }
    return best;
}

// ---- Writing it ---------------------------------------------------------------------------------

// What GIFT would take for its own has a backslash before it. A line ends in <br>: an empty one would end the question.
static void add_escaped(struct text *text, const char *words) {
    for (; *words != '\0'; words++) {
        if (strchr("~=#{}:\\", *words) != NULL) text_add(text, "\\");
        if (*words == '\n')
            text_add(text, "<br>");
        else
            text_add_bytes(text, words, 1);
    }
}

// As text of HTML.
static void add_words(struct text *text, const char *words) {
    struct text marked = text_new(text->arena);
    text_add(&marked, "");
    markup_add(&marked, words);
    add_escaped(text, marked.bytes);
}

// "row query journey, column key Your": what an element is called.
static const char *place_of(struct arena *arena, const struct tensor *tensor, int64_t position) {
    struct text text = text_new(arena);
    int64_t index[MAX_DIMS];
    text_add(&text, "");
    index_at(shape_of(tensor), position, index);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *name = axis_name(tensor, dim);
        text_add_format(&text, "%s%s %s", dim > 0 ? ", " : "", name != NULL ? name : "number",
                        label_at(arena, tensor, dim, index));
    }
    return text.bytes;
}

// "scaled = tensor(...)" for each tensor that the step was computed from; fails if there is none.
static void add_data(struct text *text, const struct gift *question) {
    struct arena *arena = text->arena;
    const struct step *step = question->step;
    const struct graph graph = graph_of(arena, &question->trial->run);
    const int node = node_of(&graph, step);
    bool *given = arena_array(arena, (size_t)graph.node_count, sizeof *given);
    int count = 0;
    for (int i = 0; i < graph.edge_count; i++) {
        const struct edge *edge = &graph.edges[i];
        if (edge->to != node || given[edge->from]) continue;
        given[edge->from] = true;
        const struct step *from = graph.nodes[edge->from];
        const struct tensor *tensor = from != NULL ? &from->tensor : &edge->tensor;
        const char *label = node_label(arena, &graph, edge->from);
        if (count_of(shape_of(tensor)) > MOST_DATA)
            fail(arena->failure, FAIL_USAGE,
                 "%s is computed from %s, which has more than %d numbers: too many for a question",
                 step_label(arena, step), label, MOST_DATA);
        const char *lines = torch_text(arena, tensor, question->digits);
        add_words(text, arena_format(arena, "%s = %s\n", label, lines));
        count++;
    }
    if (count == 0)
        fail(arena->failure, FAIL_USAGE,
             "%s is given or drawn: no number leads to it that a question could hold",
             step_label(arena, step));
}

// The title; the data and the line of PyTorch; and what is asked for.
static void add_wording(struct text *text, const struct gift *question, int64_t cell) {
    struct arena *arena = text->arena;
    const struct trial *trial = question->trial;
    const struct step *step = question->step;
    const char *differences = differences_text(arena, trial);
    const char *at = place_of(arena, &step->tensor, cell);
    text_add(text, "::");
    add_escaped(
        text, text_safe(arena, arena_format(arena, "%s%s%s", step_address(arena, &trial->run, step),
                                            differences != NULL ? ", " : "",
                                            differences != NULL ? differences : "")));
    text_add(text, "::[html]<pre>");
    add_data(text, question);
    if (*step->statement != '\0') add_words(text, arena_format(arena, "%s\n", step->statement));
    text_add(text, "</pre><p>");
    add_words(text,
              arena_format(arena, "%s%s%s%s. What is %s%s%s? (%s)", trial->run.lesson->title,
                           differences != NULL ? " (" : "", differences != NULL ? differences : "",
                           differences != NULL ? ")" : "", step_label(arena, step),
                           *at != '\0' ? " at " : "", at, step->formula));
    text_add(text, "</p>");
}

static void add_question(struct text *text, const struct gift *question) {
    struct arena *arena = text->arena;
    const struct trial *trial = question->trial;
    const struct step *step = question->step;
    if (count_of(shape_of(&step->tensor)) == 0)
        fail(arena->failure, FAIL_USAGE, "%s is empty: it has no number to ask for",
             step_label(arena, step));
    const int64_t cell = best_cell(question);
    const struct answers answers = answers_at(question, cell);
    if (answers.count == 0)
        fail(arena->failure, FAIL_USAGE,
             "no mistake changes %s of %s to another number: a question needs wrong answers",
             step_label(arena, step), trial->run.lesson->name);
    add_wording(text, question, cell);
    text_add(text, " {\n  =");
    add_words(text, answers.right);
    text_add(text, "#");
    add_words(text, "Right.");
    for (int i = 0; i < answers.count && i < MOST_WRONG; i++) {
        text_add(text, "\n  ~");
        add_words(text, answers.wrong[i]);
        text_add(text, "#");
        add_words(text, answers.why[i]);
    }
    text_add(text, "\n}\n\n"); // a blank line ends a question
}

void add_gift(struct text *text, const struct selection *selection) {
    for (int i = 0; i < selection->trial_count; i++) {
        const struct run *run = &selection->trials[i].run;
        const struct step *step = &run->steps[selection->step->number - 1];
        const struct gift question =
            question_of(text->arena, &selection->trials[i], step, selection->digits);
        add_question(text, &question);
    }
}
