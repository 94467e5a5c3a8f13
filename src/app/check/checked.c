#include "app/check/checked.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/command/input.h"
#include "base/text.h"
#include "show/table.h"
#include "tensor/file/numbers_read.h"
#include "tensor/operation/precision.h"
#include "tensor/operation/tolerance.h"
#include "tensor/text/reading.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"

const char *place_text(struct arena *arena, const struct tensor *tensor, int64_t position) {
    if (tensor->ndim == 0) return "its only number";
    struct text text = text_new(arena);
    int64_t index[MAX_DIMS];
    index_at(shape_of(tensor), position, index);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *name = axis_name(tensor, dim);
        if (dim > 0) text_add(&text, ", ");
        if (name != NULL)
            text_add_format(&text, "%s ", name);
        else
            text_add_format(&text, "dimension %d: ", dim);
        text_add(&text, text_safe(arena, label_at(arena, tensor, dim, index)));
    }
    text_add(&text, " (x[");
    for (int dim = 0; dim < tensor->ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? ", " : "", index[dim]);
    text_add(&text, "])");
    return text.bytes;
}

const char *verdict_text(enum verdict verdict) {
    static const char *const names[] = {
        [VERDICT_EQUAL] = "equal",       [VERDICT_COARSE] = "coarse",
        [VERDICT_UNJUDGED] = "unjudged", [VERDICT_STREAM] = "stream",
        [VERDICT_ROUNDED] = "rounded",   [VERDICT_DIFFERENT] = "different",
        [VERDICT_SHAPE] = "shape",
    };
    return names[verdict];
}

bool is_accepted(const struct checked *checked) {
    if (checked->verdict == VERDICT_COARSE) return checked->min_decimals == 0;
    return checked->verdict == VERDICT_EQUAL || checked->verdict == VERDICT_UNJUDGED;
}

bool has_another_shape(const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    const struct shape shape = shape_of(&checked->step->tensor);
    const bool has_shape =
        numbers->form != FORM_TABLE && (numbers->form != FORM_LIST || count_of(numbers->shape) > 1);
    return has_shape && fits(numbers, shape) && !shapes_equal(numbers->shape, shape);
}

static bool is_within(const struct checked *checked, int64_t position, double allowed) {
    const struct tensor *tensor = checked->right;
    return agree(checked->numbers.values[position], element_at(tensor, position), allowed);
}

double allowed_at(const struct checked *checked, int64_t position) {
    const double moved = checked->spread.runs > 0 ? moved_at(&checked->spread, position) : 0;
    return checked->allowed[position] + moved;
}

bool is_right(const struct checked *checked, int64_t position) {
    const double allowed = allowed_at(checked, position);
    return isinf(allowed) || is_within(checked, position, allowed);
}

// A number that is small beside the others is judged by their size.
bool is_unjudged(const struct checked *checked, int64_t position) {
    static const double SHARE = 0.01;
    if (is_within(checked, position, checked->allowed[position])) return false;
    const double wanted = fabs(element_at(checked->right, position));
    const double allowed = allowed_at(checked, position);
    if (isinf(allowed)) return true;
    const double moved = allowed - checked->allowed[position];
    return moved >= wanted && is_right(checked, position) &&
           moved >= SHARE * size_of(checked->right);
}

// Are large negative numbers all that is wrong, and where -inf belongs? e^-1000 is 0 to any float.
static bool masks_with_numbers(const struct checked *checked) {
    static const double LARGE = -1e3;
    for (int64_t i = 0; i < checked->comparison.count; i++) {
        if (is_right(checked, i)) continue;
        const double value = checked->numbers.values[i];
        const double wanted = element_at(checked->right, i);
        if (!isinf(wanted) || wanted > 0 || !isfinite(value) || value > LARGE) return false;
    }
    return true;
}

// The names of mistakes, with + between those made together and / between those that are the same.
static const char *mistakes_code(struct arena *arena, const struct explanation *explanation) {
    const struct mistake *const *mistakes = explanation->mistakes;
    const char *code = mistakes[0]->name;
    if (explanation->mistake_count > 1)
        code = arena_format(arena, "%s+%s", code, mistakes[1]->name);
    for (int i = 0; i < explanation->alike_count; i++)
        code = arena_format(arena, "%s/%s", code, mistakes_code(arena, &explanation->alike[i]));
    return code;
}

static const char *edit_code(const struct edited *edited) {
    return edited->name != NULL ? edited->name : "edit";
}

const char *code_of(struct arena *arena, const struct checked *checked) {
    static const char *const shapes[] = {
        [UNRELATED] = "shape-unrelated",
        [TRANSPOSED] = "shape-transposed",
        [PART] = "shape-part",
        [REFOLDED] = "shape-refolded",
    };
    if (checked->verdict == VERDICT_SHAPE && checked->shaped.mistake != NULL)
        return checked->shaped.mistake->name;
    if (checked->verdict == VERDICT_SHAPE && checked->shaped.parameter != NULL)
        return checked->shaped.parameter;
    if (checked->verdict == VERDICT_SHAPE && checked->shaped.edited != NULL)
        return edit_code(checked->shaped.edited);
    if (checked->verdict == VERDICT_SHAPE) return shapes[checked->shaped.misshape];
    if (checked->verdict == VERDICT_ROUNDED) return checked->precision->name;
    if (checked->verdict != VERDICT_DIFFERENT) return verdict_text(checked->verdict);
    if (checked->diagnosis.possible > 0) return "unclear";
    if (checked->diagnosis.count == 0) return is_all_nan(&checked->numbers) ? "nan" : "none";
    const struct explanation *best = checked->diagnosis.explanations;
    switch (best->kind) {
    case BY_MISTAKES:
        return mistakes_code(arena, best);
    case BY_STEP:
        return arena_format(arena, "step:%s", step_label(arena, best->step));
    case BY_TRANSPOSING:
        return "transposed";
    case BY_PARAMETER:
        return best->parameter;
    case BY_MASK_TIMES_INF:
        return "mask-times-inf";
    case BY_EDIT:
        return edit_code(&best->edited);
    case BY_RELATION:
        return best->relation.code;
    }
    return "none";
}

// Have the numbers so many digits that they tell such a part of the step's size?
static bool tells_parts(const struct checked *checked, double part) {
    const double *half_units = checked->numbers.half_units;
    const double least = part * size_of(checked->right);
    for (int64_t i = 0; half_units != NULL && i < checked->comparison.count; i++) {
        if (half_units[i] >= least) return false;
    }
    return true;
}

const char *hint_text(struct arena *arena, const struct checked *checked) {
    static const double CLOSE = 4e-3;
    if (checked->diagnosis.possible > 0) return NULL;
    const struct comparison *comparison = &checked->comparison;
    const struct tensor *tensor = checked->right;
    if (is_all_nan(&checked->numbers))
        return "all numbers are nan: print the steps before this one, and find the first with nan; "
               "usual causes are a row with every entry masked (softmax of -inf alone), mask * "
               "-inf (0 times -inf), and 0 divided by 0";
    // another optimizer moves the numbers of a training as little as rounding does
    const bool may_be_rounding = !checked->run->lesson->trains && tells_parts(checked, CLOSE);
    if (may_be_rounding && count_apart(&checked->numbers, tensor, CLOSE) == 0)
        return "all numbers are close to the right ones: were they computed from rounded numbers?";
    if (masks_with_numbers(checked))
        return "only the mask differs: it puts large negative numbers where onestep has -inf; the "
               "weights are the same, because softmax turns both into 0";
    if (comparison->different * 8 > comparison->count) return NULL;
    return arena_format(arena,
                        "only %" PRId64 " of %" PRId64
                        " numbers %s wrong: mistyped, copied wrongly, or overwritten?",
                        comparison->different, comparison->count,
                        comparison->different == 1 ? "is" : "are");
}

// The bytes of a student's file; of "mine.ipynb#5" those of the notebook.
static const char *read_bytes(struct arena *arena, const char *path, enum file_kind kind,
                              size_t *length) {
    const char *cell = strstr(path, ".ipynb#");
    const char *whole = path;
    if (cell != NULL)
        whole = arena_copy_bytes(arena, path, (size_t)(cell - path) + strlen(".ipynb"));
    return read_file(arena, whole, kind, NUMBERS_MAX_BYTES, length);
}

struct numbers read_numbers(struct arena *arena, const char *path, enum file_kind kind) {
    size_t length;
    const char *bytes = read_bytes(arena, path, kind, &length);
    return numbers_read(arena, file_name(path), bytes, length);
}

// ---- Words in place of numbers -------------------------------------------------------------------

static bool is_between_words(char byte) {
    return is_blank(byte) || strchr(",.;'\"[]()", byte) != NULL;
}

// Does the file hold words, and the step a list of tokens?
static bool are_words(const char *bytes, size_t length, const struct tensor *tensor) {
    if (tensor->storage->words == NULL || has_rows(tensor) || !utf8_is_valid(bytes, length))
        return false;
    bool has_letters = false;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\0' || isdigit((unsigned char)bytes[i])) return false;
        has_letters = has_letters || !is_between_words(bytes[i]);
    }
    return has_letters;
}

static double id_of(const struct storage *ids, const char *word) {
    for (int64_t id = 0; id < ids->word_count; id++) {
        if (strcmp(ids->words[id], word) == 0) return (double)id;
    }
    return -1;
}

static struct numbers ids_of_words(struct arena *arena, const char *bytes, size_t length,
                                   const struct tensor *tensor) {
    struct numbers numbers = {.form = FORM_LIST, .decimals = -1};
    int64_t count = 0;
    numbers.values = arena_array(arena, length, sizeof *numbers.values);
    for (const char *end = bytes + length, *next = bytes; next < end;) {
        const char *start = next;
        while (next < end && !is_between_words(*next)) next++;
        if (next > start) {
            const char *word = arena_copy_bytes(arena, start, (size_t)(next - start));
            numbers.values[count++] = id_of(tensor->storage, word);
        }
        if (next < end) next++;
    }
    numbers.shape = SHAPE(count);
    return numbers;
}

struct numbers read_numbers_for(struct arena *arena, const char *path, enum file_kind kind,
                                const struct step *step) {
    size_t length;
    const char *bytes = read_bytes(arena, path, kind, &length);
    if (are_words(bytes, length, &step->tensor))
        return ids_of_words(arena, bytes, length, &step->tensor);
    return numbers_read(arena, file_name(path), bytes, length);
}

// ---- Numbers without decimals --------------------------------------------------------------------

// May whole numbers be those of the step without its decimals?
static bool may_be_rounded(const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    const bool is_text = numbers->dtype == NULL;
    return is_text && numbers->half_units == NULL && has_fractions(&checked->step->tensor);
}

// Has the step no more digits than the file shows? 0.43 is all there is of such a number.
static bool has_all_digits(const struct checked *checked) {
    static const double EXACT = 1e-7; // of a float's size
    const double most = EXACT * fmax(1, size_of(checked->right));
    return checked->numbers.half_units != NULL && checked->comparison.largest <= most;
}

// Have the numbers fewer decimals than were asked for, or none? Whole ones have none to miss.
static bool is_coarse(const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    const int least =
        checked->min_decimals == 0 && !numbers->is_scientific ? 1 : checked->min_decimals;
    return numbers->decimals >= 0 && numbers->decimals < least && !has_all_digits(checked);
}

// Counts the numbers that are not right, and those that cannot be judged.
static void count_judged(struct checked *checked) {
    struct comparison *comparison = &checked->comparison;
    comparison->different = checked->unjudged = 0;
    comparison->first = -1;
    for (int64_t i = 0; i < comparison->count; i++) {
        checked->unjudged += is_unjudged(checked, i);
        if (!is_right(checked, i) && comparison->different++ == 0) comparison->first = i;
    }
}

// Takes the right numbers as PyTorch 1.13 rounds them where the file's are nearer to those.
static void take_1_13(struct arena *arena, struct checked *checked) {
    const int number = (int)(checked->step - checked->run->steps);
    struct tensor *rounded = arena_allocate(arena, sizeof *rounded);
    if (!recompute_as_1_13(rounded, arena, checked->run, number)) return;
    double *allowed = least_allowed(arena, &checked->numbers, rounded);
    const struct comparison comparison =
        compare_within(&checked->numbers, rounded, allowed, INT64_MAX);
    if (comparison.different >= checked->comparison.different) return;
    checked->right = rounded;
    checked->is_of_1_13 = true;
    checked->allowed = allowed;
    checked->comparison = comparison;
}

// Is a number off by much more than rounding has moved anything near it in a few runs? Then no other run will
// explain it.
static bool is_far_off(const struct checked *checked) {
    enum { A_FEW = 3, TIMES = 100 };
    if (checked->spread.runs < A_FEW) return false;
    for (int64_t i = 0; i < checked->comparison.count; i++) {
        if (!is_right(checked, i) && !is_within(checked, i, TIMES * allowed_at(checked, i)))
            return true;
    }
    return false;
}

// Measures how far rounding alone moves the numbers, run by run, until that explains what is different.
static void allow_spread(struct arena *arena, struct checked *checked) {
    struct spread *spread = &checked->spread;
    *spread = spread_of(arena, checked->step);
    while (spread->runs < MOST_DISTURBED && checked->comparison.different > 0 &&
           !is_far_off(checked)) {
        widen_spread(spread, checked->run, checked->step);
        count_judged(checked);
    }
}

// Lets the file's numbers be rounded otherwise than the step's, from what is known soonest to what takes longest.
static void compare_with_right(struct arena *arena, struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    checked->allowed = least_allowed(arena, &checked->numbers, tensor);
    checked->comparison = compare_within(&checked->numbers, tensor, checked->allowed, INT64_MAX);
    if (checked->comparison.different > 0) take_1_13(arena, checked);
    if (checked->comparison.different > 0) allow_spread(arena, checked);
}

// Takes whole numbers for rounded ones where those are the step's. Those that are not, are exact.
static void take_for_rounded(struct arena *arena, struct checked *checked) {
    struct checked rounded = *checked;
    const int64_t count = count_of(rounded.numbers.shape);
    double *half_units = arena_array(arena, (size_t)count, sizeof *half_units);
    for (int64_t i = 0; i < count; i++) half_units[i] = 0.5;
    rounded.numbers.decimals = 0;
    rounded.numbers.half_units = half_units;
    compare_with_right(arena, &rounded);
    if (rounded.comparison.different == 0) *checked = rounded;
}

// What allowed_at() says of each.
static const double *all_allowed(struct arena *arena, const struct checked *checked) {
    const int64_t count = checked->comparison.count;
    double *allowed = arena_array(arena, (size_t)count, sizeof *allowed);
    for (int64_t i = 0; i < count; i++) allowed[i] = allowed_at(checked, i);
    return allowed;
}

static enum verdict verdict_of_right(const struct checked *checked) {
    if (checked->unjudged > 0) return VERDICT_UNJUDGED;
    return is_coarse(checked) ? VERDICT_COARSE : VERDICT_EQUAL;
}

// What a triangle leaves out is masked: 0, or -inf where the step has that.
static void complete_triangle(struct arena *arena, struct checked *checked) {
    const int64_t count = count_of(checked->numbers.shape), rows = llround(sqrt((double)count));
    double *values = arena_array(arena, (size_t)count, sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        const double wanted = element_at(checked->right, i);
        values[i] = checked->numbers.values[i];
        if (i % rows > i / rows && isinf(wanted) && wanted < 0) values[i] = wanted;
    }
    checked->numbers.values = values;
}

void compare_checked(struct arena *arena, struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    checked->right = tensor;
    checked->verdict = VERDICT_SHAPE;
    const struct numbers *behind = checked->numbers.behind;
    if (behind != NULL && !fits(&checked->numbers, shape_of(tensor)) &&
        fits(behind, shape_of(tensor)))
        checked->numbers = *behind;
    if (!fits(&checked->numbers, shape_of(tensor))) return;
    if (checked->numbers.is_triangle) complete_triangle(arena, checked);
    compare_with_right(arena, checked);
    if (checked->comparison.different > 0 && may_be_rounded(checked))
        take_for_rounded(arena, checked);
    checked->verdict = VERDICT_DIFFERENT;
    if (checked->comparison.different == 0)
        checked->verdict = verdict_of_right(checked);
    else if (has_other_stream(arena, checked->run, checked->step, &checked->numbers,
                              all_allowed(arena, checked)))
        checked->verdict = checked->any_stream ? VERDICT_EQUAL : VERDICT_STREAM;
}

// An answer without the right numbers has no line that computes them.
static void hide_right_lines(struct arena *arena, struct checked *checked) {
    struct diagnosis *diagnosis = &checked->diagnosis;
    for (int i = 0; i < diagnosis->count; i++) diagnosis->explanations[i].edited.right_line = NULL;
    if (checked->shaped.edited == NULL) return;
    struct edited *edited = arena_allocate(arena, sizeof *edited);
    *edited = *checked->shaped.edited;
    edited->right_line = NULL;
    checked->shaped.edited = edited;
}

void explain_checked(struct arena *arena, struct checked *checked) {
    if (checked->verdict == VERDICT_SHAPE)
        checked->shaped = diagnose_shape(arena, checked->run, checked->step, &checked->numbers);
    if (checked->verdict == VERDICT_DIFFERENT)
        checked->diagnosis = diagnose(arena, checked->run, checked->step, &checked->numbers,
                                      all_allowed(arena, checked), checked->is_thorough);
    if (checked->is_quiet) hide_right_lines(arena, checked);
}

void note_unseen(struct arena *arena, struct checked *checked) {
    const bool is_right = checked->verdict == VERDICT_EQUAL || checked->verdict == VERDICT_COARSE;
    if (!is_right || checked->comparison.different > 0) return;
    checked->unseen_count =
        find_unseen(arena, checked->run, checked->step, &checked->numbers,
                    all_allowed(arena, checked), checked->is_thorough, &checked->unseen);
}
