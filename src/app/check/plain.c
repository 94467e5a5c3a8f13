// The answer of `check` for people.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/answer.h"
#include "app/check/changed_run.h"
#include "app/check/patience.h"
#include "app/check/rounding/narrowed.h"
#include "trace/run/step.h"

// ---- Words --------------------------------------------------------------------------------------

// "causal_weights (causal, step 17; seed 5)".
static const char *step_text(struct arena *arena, const struct checked *checked) {
    const char *differences = parameters_text(arena, checked->run);
    return arena_format(arena, "%s (%s, step %d%s%s)", step_label(arena, checked->step),
                        checked->run->lesson->name, checked->step->number,
                        differences != NULL ? "; " : "", differences != NULL ? differences : "");
}

// "a PyTorch tensor with 4 decimals".
static const char *numbers_text(struct arena *arena, const struct numbers *numbers) {
    const char *form = numbers->is_triangle ? "a triangle" : form_text(numbers->form);
    if (numbers->dtype != NULL) return arena_format(arena, "%s of %s", form, numbers->dtype);
    if (is_all_nan(numbers)) return arena_format(arena, "%s of nan only", form);
    if (numbers->decimals < 0) return arena_format(arena, "%s of whole numbers", form);
    return arena_format(arena, "%s with %d decimal%s%s", form, numbers->decimals,
                        numbers->decimals == 1 ? "" : "s",
                        numbers->is_scientific ? " before the exponent" : "");
}

static const char *number_of(struct arena *arena, double number) {
    return isnan(number) ? "nan" : arena_format(arena, "%.7g", number);
}

// ---- The answer ---------------------------------------------------------------------------------

static void add_element(struct text *text, const struct checked *checked, const char *what,
                        int64_t position) {
    struct arena *arena = text->arena;
    const double value = checked->numbers.values[position];
    const double wanted = element_at(checked->right, position);
    if (checked->is_quiet) {
        text_add_format(text, "%s: at %s\n", what, place_text(arena, checked->right, position));
        return;
    }
    text_add_format(text, "%s: at %s the file has %s instead of %s", what,
                    place_text(arena, checked->right, position), number_of(arena, value),
                    number_of(arena, wanted));
    if (isfinite(value - wanted))
        text_add_format(text, "; they differ by %.3g", fabs(value - wanted));
    text_add(text, "\n");
}

// "no-scale, scale-twice": mistakes that the numbers would not show.
static void add_unseen(struct text *text, const char *what, const struct checked *checked) {
    if (checked->unseen_count <= 0) return;
    for (int i = 0; i < checked->unseen_count; i++)
        text_add_format(text, "%s%s", i == 0 ? what : ", ", checked->unseen[i]->name);
    text_add(text, "\n");
}

static void add_equal(struct text *text, const struct checked *checked) {
    const struct comparison *comparison = &checked->comparison;
    const int64_t count = comparison->count;
    const bool is_coarse = checked->verdict == VERDICT_COARSE;
    text_add_format(text, "%s: %s%" PRId64 " number%s %s %s\n",
                    is_coarse ? "equal as far as the digits show" : "equal",
                    count > 1 ? "all " : "the ", count, count == 1 ? "" : "s",
                    count == 1 ? "is that of" : "are those of", step_text(text->arena, checked));
    if (has_another_shape(checked))
        text_add_format(text, "right, in another shape: the file has %s, and the step %s\n",
                        shape_text(text->arena, checked->numbers.shape),
                        shape_text(text->arena, shape_of(&checked->step->tensor)));
    if (checked->is_of_1_13)
        text_add(text, "rounded as in PyTorch 1.13; onestep prints the numbers of PyTorch 2.6\n");
    if (is_coarse && checked->min_decimals > 0)
        text_add_format(text, "too few decimals: the file has %d, and --min-decimals requires %d\n",
                        checked->numbers.decimals, checked->min_decimals);
    else if (is_coarse)
        text_add(text, "no decimals: print the numbers with decimals for a closer check\n");
    add_unseen(text,
               is_coarse ? "mistakes that would not show in these digits: "
                         : "mistakes that would not show in these numbers: ",
               checked);
    if (checked->is_quiet) return;
    text_add_format(text, "largest difference: %.3g", comparison->largest);
    if (comparison->largest > 0)
        text_add_format(text, " at %s", place_text(text->arena, checked->right, comparison->worst));
    text_add(text, "\n");
}

static int64_t first_unjudged(const struct checked *checked) {
    int64_t position = 0;
    while (!is_unjudged(checked, position)) position++;
    return position;
}

static void add_unjudged(struct text *text, const struct checked *checked) {
    const int64_t count = checked->comparison.count, unjudged = checked->unjudged;
    const int64_t first = first_unjudged(checked);
    text_add_format(text,
                    "unjudged: onestep cannot judge %" PRId64 " of %" PRId64 " number%s of %s\n",
                    unjudged, count, count == 1 ? "" : "s", step_text(text->arena, checked));
    text_add(text, "why: rounding alone changes such a number by as much as its own size; another "
                   "correct program gets another number\n");
    if (unjudged < count) text_add_format(text, "right: the other %" PRId64 "\n", count - unjudged);
    text_add_format(text, "first of them: at %s", place_text(text->arena, checked->right, first));
    if (!checked->is_quiet)
        text_add_format(text,
                        " the file has %s and onestep has %s; rounding changes it by up to %.3g",
                        number_of(text->arena, checked->numbers.values[first]),
                        number_of(text->arena, element_at(checked->right, first)),
                        moved_at(&checked->spread, first));
    text_add(text, "\n");
}

// Titles end without a full stop, sentences with one.
static void add_mistake(struct text *text, const struct mistake *mistake) {
    text_add_format(text, "  %s. %s\n  look for: %s\n", mistake->title, mistake->wrong,
                    mistake->pytorch);
}

static const char *mistakes_text(struct arena *arena, const struct explanation *explanation) {
    if (explanation->mistake_count == 1) return explanation->mistakes[0]->name;
    return arena_format(arena, "%s and %s together", explanation->mistakes[0]->name,
                        explanation->mistakes[1]->name);
}

static bool is_among(const struct mistake *mistake, const struct explanation *explanation) {
    for (int i = 0; i < explanation->mistake_count; i++) {
        if (explanation->mistakes[i] == mistake) return true;
    }
    return false;
}

static void add_mistakes_of(struct text *text, const struct explanation *explanation) {
    for (int i = 0; i < explanation->mistake_count; i++)
        add_mistake(text, explanation->mistakes[i]);
}

// Its other names, with what was not said of the mistakes yet.
static void add_alike(struct text *text, const struct explanation *explanation, bool is_in_full) {
    for (int i = 0; i < explanation->alike_count; i++) {
        const struct explanation *alike = &explanation->alike[i];
        text_add_format(text, "same effect here: %s\n", mistakes_text(text->arena, alike));
        for (int j = 0; is_in_full && j < alike->mistake_count; j++) {
            if (!is_among(alike->mistakes[j], explanation)) add_mistake(text, alike->mistakes[j]);
        }
    }
}

// What exchanges two dimensions of the file's numbers. NumPy's transpose takes the order of all
// dimensions: x.transpose(0, 1) leaves a matrix as it is.
static const char *exchange_text(struct arena *arena, const struct checked *checked,
                                 const int *dims) {
    const enum form form = checked->numbers.form;
    const bool is_numpys = form == FORM_ARRAY || form == FORM_NPY;
    return arena_format(arena, "x.%s(%d, %d)", is_numpys ? "swapaxes" : "transpose", dims[0],
                        dims[1]);
}

// Lines on lines of their own, each indented.
static const char *indented_text(struct arena *arena, const char *lines) {
    struct text text = text_new(arena);
    for (size_t length; *lines != '\0'; lines += length + (lines[length] != '\0')) {
        length = strcspn(lines, "\n");
        text_add_format(&text, "\n    %.*s", (int)length, lines);
    }
    return text.bytes;
}

// "the numbers of LINE where STEP of the lesson has LINE"; the first half where the right line is not told.
static const char *lines_text(struct arena *arena, const struct edited *edited) {
    const bool is_left_out = strcmp(edited->line, "pass\n") == 0;
    const char *line =
        is_left_out ? " a program without a line" : indented_text(arena, edited->line);
    if (edited->right_line == NULL) return arena_format(arena, "the numbers of%s", line);
    return arena_format(arena, "the numbers of%s\n  where %s of the lesson has%s", line,
                        step_label(arena, edited->step), indented_text(arena, edited->right_line));
}

// What gives the numbers, and what stands in the lesson in its place.
static const char *edited_text(struct arena *arena, const struct edited *edited) {
    return arena_format(arena, "%s %s%s%s",
                        edited->name != NULL ? arena_format(arena, "%s,", edited->name)
                                             : "these are",
                        lines_text(arena, edited), edited->words != NULL ? "\n  " : "",
                        edited->words != NULL ? edited->words : "");
}

static const char *explanation_text(struct arena *arena, const struct checked *checked,
                                    const struct explanation *explanation) {
    switch (explanation->kind) {
    case BY_MISTAKES:
        return mistakes_text(arena, explanation);
    case BY_STEP:
        return arena_format(arena, "these are the numbers of another step: %s (step %d)",
                            step_label(arena, explanation->step), explanation->step->number);
    case BY_PARAMETER:
        return changed_text(arena, explanation->parameter);
    case BY_TRANSPOSING:
        return arena_format(arena, "these are the right numbers transposed: try %s",
                            exchange_text(arena, checked, explanation->dims));
    case BY_MASK_TIMES_INF:
        return "the mask was multiplied by inf: 0 * inf is nan, and softmax turns a row with one "
               "nan into nan; look for mask * -torch.inf, and use masked_fill(mask, -torch.inf) "
               "instead";
    case BY_RELATION:
        return explanation->relation.text;
    case BY_EDIT:
        return edited_text(arena, &explanation->edited);
    }
    return "";
}

// How many other explanations and other names there are.
static int count_others(const struct diagnosis *diagnosis) {
    int others = diagnosis->count - 1;
    for (int i = 0; i < diagnosis->count; i++) others += diagnosis->explanations[i].alike_count;
    return others;
}

// What another explanation is called, in a word or two.
static const char *short_text(struct arena *arena, const struct explanation *explanation) {
    if (explanation->kind == BY_MISTAKES) return mistakes_text(arena, explanation);
    if (explanation->kind == BY_STEP)
        return arena_format(arena, "the step %s", step_label(arena, explanation->step));
    if (explanation->kind == BY_EDIT)
        return explanation->edited.name != NULL ? explanation->edited.name : "another line";
    return explanation->kind == BY_PARAMETER ? "another parameter" : "another arrangement";
}

// That there are others, and the first few of them by name.
static void add_others(struct text *text, const struct diagnosis *diagnosis, int others) {
    enum { MOST_NAMED = 3 };
    int named = 0;
    text_add_format(text, "%d other explanation%s the same numbers here: ", others,
                    others == 1 ? " gives" : "s give");
    for (int i = 0; i < diagnosis->count; i++) {
        const struct explanation *explanation = &diagnosis->explanations[i];
        for (int k = i == 0 ? 0 : -1; k < explanation->alike_count && named < MOST_NAMED; k++)
            text_add_format(text, "%s%s", named++ == 0 ? "" : ", ",
                            short_text(text->arena, k < 0 ? explanation : &explanation->alike[k]));
    }
    text_add_format(text, "%s; --all says more of %s\n", others > named ? ", ..." : "",
                    others == 1 ? "it" : "them");
}

// The most probable one; the others only if all are asked for, the first ones of them with all that is known of them.
static void add_explanations(struct text *text, const struct checked *checked) {
    enum { IN_FULL = 3 };
    const struct diagnosis *diagnosis = &checked->diagnosis;
    const int others = count_others(diagnosis);
    for (int i = 0; i < (checked->has_all ? diagnosis->count : 1); i++) {
        const struct explanation *explanation = &diagnosis->explanations[i];
        text_add_format(text, "%s: %s\n", i == 0 ? "explanation" : "another explanation",
                        explanation_text(text->arena, checked, explanation));
        if (i < IN_FULL && explanation->kind == BY_MISTAKES && explanation->edited.line != NULL)
            text_add_format(text, "  These are %s\n",
                            lines_text(text->arena, &explanation->edited));
        if (i < IN_FULL) add_mistakes_of(text, explanation);
        if (checked->has_all) add_alike(text, explanation, i < IN_FULL);
    }
    if (others > 0 && !checked->has_all) add_others(text, diagnosis, others);
}

// What there is to say of a search that was stopped.
static void add_cut(struct text *text, const struct diagnosis *diagnosis) {
    if (diagnosis->is_edits_cut && diagnosis->count == 0 && !diagnosis->is_cut)
        text_add(text, "stopped: not all lines of the lesson were tried in other forms; --thorough "
                       "tries ten times as many\n");
    if (!diagnosis->is_cut) return;
    text_add_format(text,
                    "stopped: the search ended after %d mistakes and %d pairs; --thorough tries "
                    "ten times as long\n",
                    diagnosis->singles, diagnosis->pairs);
}

static void add_unclear(struct text *text, const struct checked *checked) {
    const int possible = checked->diagnosis.possible;
    text_add_format(text,
                    "explanation: unclear, because too few digits differ: %d known explanation%s "
                    "them; print more decimals\n",
                    possible, possible == 1 ? " fits" : "s fit");
}

// The last step before number `before` that a tensor was computed from; NULL if there is none but what was given or drawn. The
// operations between two steps are few.
static const struct step *computed_from(const struct run *run, const struct tensor *tensor,
                                        int before, int depth) {
    enum { MOST_BETWEEN = 6 };
    const struct origin *origin = tensor->storage->origin;
    const struct step *last = NULL;
    for (int i = 0; i < origin->operand_count; i++) {
        const struct tensor *operand = &origin->operands[i];
        const struct step *step = step_showing(run, operand, before);
        const bool is_shown = step != NULL && step->number < before;
        if (is_shown && operand->storage->origin->operand_count == 0) continue;
        if (!is_shown)
            step = depth < MOST_BETWEEN ? computed_from(run, operand, before, depth + 1) : NULL;
        if (step != NULL && (last == NULL || step->number > last->number)) last = step;
    }
    return last;
}

// Where to go on without a known cause.
static void add_next(struct text *text, const struct checked *checked) {
    const struct step *step = checked->step, *before = NULL;
    if (checked->is_of_all) return;
    if (checked->is_exercise) {
        text_add(text, "next: compute the first row by hand; h and Enter give a hint\n");
        return;
    }
    if (step->number > 0) before = computed_from(checked->run, &step->tensor, step->number, 0);
    if (before != NULL)
        text_add_format(text, "next: check %s, from which %s is computed; or check",
                        step_label(text->arena, before), step_label(text->arena, step));
    else
        text_add(text, "next: check");
    text_add_format(text, " all your tensors at once: onestep check %s FOLDER\n",
                    checked->run->lesson->name);
}

static void add_unexplained(struct text *text, const struct checked *checked) {
    const struct diagnosis *diagnosis = &checked->diagnosis;
    if (diagnosis->possible > 0) {
        add_unclear(text, checked);
        return;
    }
    if (!diagnosis->is_cut)
        text_add_format(
            text, "explanation: none of the %d known mistakes explains these numbers%s\n",
            mistake_total, diagnosis->has_tried_pairs ? ", and no two of them together do" : "");
    if (diagnosis->has_nearest) {
        text_add_format(text,
                        "nearest: %s; %" PRId64 " of %" PRId64 " numbers would still differ\n",
                        mistakes_text(text->arena, &diagnosis->nearest),
                        diagnosis->nearest.comparison.different, checked->comparison.count);
        add_mistakes_of(text, &diagnosis->nearest);
    }
    const char *hint = hint_text(text->arena, checked);
    if (hint != NULL)
        text_add_format(text, "hint: %s\n", hint);
    else if (!diagnosis->has_nearest)
        add_next(text, checked);
}

static void add_different(struct text *text, const struct checked *checked) {
    const struct comparison *comparison = &checked->comparison;
    text_add_format(text, "different: %" PRId64 " of %" PRId64 " numbers %s %s\n",
                    comparison->different, comparison->count,
                    comparison->different == 1 ? "is not that of" : "are not those of",
                    step_text(text->arena, checked));
    add_element(text, checked, "first difference", comparison->first);
    if (comparison->worst != comparison->first && !is_right(checked, comparison->worst))
        add_element(text, checked, "largest difference", comparison->worst);
    if (checked->diagnosis.count > 0)
        add_explanations(text, checked);
    else
        add_unexplained(text, checked);
    add_cut(text, &checked->diagnosis);
}

// Without any argument reshape fails, so the shape of a single number is an empty tuple.
static const char *refolding_text(struct arena *arena, struct shape shape) {
    return arena_format(arena, "x.reshape%s", shape.ndim > 0 ? shape_text(arena, shape) : "(())");
}

static void add_misshape(struct text *text, const struct checked *checked) {
    const struct shape_diagnosis *shaped = &checked->shaped;
    const char *numbers = shaped->has_numbers ? "apart from that, the numbers are right"
                                              : "the numbers are wrong too";
    if (shaped->edited != NULL) {
        text_add_format(text, "explanation: %s\n", edited_text(text->arena, shaped->edited));
        return;
    }
    switch (shaped->misshape) {
    case TRANSPOSED:
        text_add_format(text, "two dimensions are exchanged: try %s; %s\n",
                        exchange_text(text->arena, checked, shaped->dims), numbers);
        break;
    case PART:
        text_add_format(text,
                        "the first dimension is missing: this is the shape of x[%" PRId64 "]; %s\n",
                        shaped->has_numbers ? shaped->index : 0, numbers);
        break;
    case REFOLDED:
        text_add_format(text, "the file has as many numbers, in another shape: try %s; %s\n",
                        refolding_text(text->arena, shape_of(&checked->step->tensor)), numbers);
        break;
    case UNRELATED:
        if (shaped->parameter != NULL)
            text_add_format(text, "explanation: %s\n",
                            changed_text(text->arena, shaped->parameter));
        break;
    }
    if (shaped->mistake == NULL) return;
    text_add_format(text, "exchanged back, they are the numbers of %s\n", shaped->mistake->name);
    add_mistake(text, shaped->mistake);
}

// Twice as many numbers as there should be, and all of them whole: "0,43" is two numbers.
static bool may_have_decimal_commas(const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    const struct tensor *tensor = &checked->step->tensor;
    return numbers->dtype == NULL && numbers->decimals < 0 && tensor->storage->dtype == FLOAT32 &&
           count_of(numbers->shape) == 2 * count_of(shape_of(tensor));
}

static void add_shape(struct text *text, const struct checked *checked) {
    enum { MOST_NAMED = 8 };
    const struct shape_diagnosis *shaped = &checked->shaped;
    struct arena *arena = text->arena;
    text_add_format(text, "shape: the file has %s, and %s is the shape of %s\n",
                    shape_text(arena, checked->numbers.shape),
                    shape_text(arena, shape_of(&checked->step->tensor)), step_text(arena, checked));
    add_misshape(text, checked);
    if (may_have_decimal_commas(checked))
        text_add(text, "hint: all numbers are whole, and they are twice as many as they should be; "
                       "if these are decimal commas, write points: 0.43, not 0,43\n");
    for (int i = 0; i < shaped->count && i < MOST_NAMED; i++) {
        const bool is_same = i < shaped->agreeing;
        if (i == 0)
            text_add(text,
                     is_same ? "steps with the same numbers: " : "steps with the same shape: ");
        if (i > 0) text_add(text, i == shaped->agreeing ? "\nsteps with the same shape: " : ", ");
        text_add_format(text, "%s (step %d)", step_label(arena, shaped->steps[i]),
                        shaped->steps[i]->number);
    }
    if (shaped->count > MOST_NAMED)
        text_add_format(text, " and %d more", shaped->count - MOST_NAMED);
    if (shaped->count > 0)
        text_add(text, "\n");
    else if (shaped->misshape == UNRELATED && shaped->parameter == NULL && shaped->edited == NULL)
        text_add(text, "no step of the lesson has this shape\n");
}

static void add_precision(struct text *text, const struct checked *checked) {
    const char *name = checked->precision->name;
    if (checked->verdict == VERDICT_ROUNDED)
        text_add_format(text, "hint: %s\n", narrowed_text(text->arena, checked->precision));
    else if (is_accepted(checked))
        text_add_format(text, "rounded as %s rounds them, which --dtype accepts\n", name);
    else
        text_add_format(text, "note: the numbers are judged by what %s holds\n", name);
}

void add_check_plain(struct text *text, const struct checked *checked) {
    switch (checked->verdict) {
    case VERDICT_EQUAL:
    case VERDICT_COARSE:
        add_equal(text, checked);
        break;
    case VERDICT_UNJUDGED:
        add_unjudged(text, checked);
        break;
    case VERDICT_STREAM:
        text_add_format(text,
                        "stream: with masks of the other dropout stream, all %" PRId64
                        " numbers are those of %s\n"
                        "note: PyTorch built with Intel's MKL draws other masks from the same "
                        "seed; the program is not wrong (--bernoulli any accepts both)\n",
                        checked->comparison.count, step_text(text->arena, checked));
        break;
    case VERDICT_ROUNDED:
        text_add_format(
            text, "rounded: as %s rounds them, all %" PRId64 " numbers are those of %s\n",
            checked->precision->name, checked->comparison.count, step_text(text->arena, checked));
        break;
    case VERDICT_DIFFERENT:
        add_different(text, checked);
        break;
    case VERDICT_SHAPE:
        add_shape(text, checked);
        break;
    }
    if (checked->precision != NULL && !checked->is_of_all) add_precision(text, checked);
    if (checked->is_exercise) return;
    text_add_format(text, "file: %s, %s of shape %s\n", text_safe(text->arena, checked->file),
                    numbers_text(text->arena, &checked->numbers),
                    shape_text(text->arena, checked->numbers.shape));
}
