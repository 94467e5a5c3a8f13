#include "app/check/relation/relation.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/compare.h"
#include "app/check/edited.h"
#include "base/text.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// A search for the relation of a file's numbers to those of a step.
struct seeking {
    struct arena *arena;
    const struct run *run;
    const struct step *step;
    const struct tensor *right;
    const struct numbers *numbers;
    const double *allowed; // how far each may differ from the right one
    int64_t count;         // numbers
    int tried;             // so far
    struct relation *relation;
};

static bool is_related(struct seeking *seeking, const char *code, const char *text) {
    *seeking->relation = (struct relation){.code = code, .text = text};
    return true;
}

// Steps beyond this size are compared with no others.
enum { MOST_NUMBERS = 1 << 14 };

static bool is_of_its_shape(const struct seeking *seeking, const struct tensor *tensor) {
    return shapes_equal(shape_of(tensor), shape_of(seeking->right));
}

// ---- One index of a larger step --------------------------------------------------------------------

// Where a part of a step lies: one index of each of these dimensions, in ascending order.
struct part {
    int count;
    int dims[2];
    int64_t indices[2];
};

// "head 2", or "index 1 of dim 1" where the dimension has no name.
static void add_index(struct text *text, const struct tensor *tensor, int dim, int64_t index) {
    struct arena *arena = text->arena;
    const char *axis = axis_name(tensor, dim);
    if (axis != NULL)
        text_add_format(text, "%s %s", axis, text_safe(arena, label_of(arena, tensor, dim, index)));
    else
        text_add_format(text, "index %" PRId64 " of dim %d", index, dim);
}

// "batch 2, head 1 (x[1, 0])"
static void add_place(struct text *text, const struct tensor *tensor, const struct part *part) {
    for (int i = 0; i < part->count; i++) {
        if (i > 0) text_add(text, ", ");
        add_index(text, tensor, part->dims[i], part->indices[i]);
    }
    text_add(text, " (x[");
    for (int dim = 0, i = 0; i < part->count; dim++) {
        if (dim > 0) text_add(text, ", ");
        if (dim == part->dims[i])
            text_add_format(text, "%" PRId64, part->indices[i++]);
        else
            text_add(text, ":");
    }
    text_add(text, "])");
}

static const double PART = 5; // bits, of the first that is tried

static bool is_part(struct seeking *seeking, const struct step *step, const struct part *part) {
    struct arena *arena = seeking->arena;
    struct tensor shown = step->tensor;
    for (int i = part->count - 1; i >= 0; i--)
        shown = select_index(shown, part->dims[i], part->indices[i]);
    if (!is_of_its_shape(seeking, &shown)) return false;
    const double price = PART + log2(++seeking->tried);
    if (!are_those_of(&shown, price, seeking->step, seeking->numbers, seeking->allowed))
        return false;
    struct text text = text_new(arena);
    text_add_format(&text, "these are the right numbers of %s for ", step_label(arena, step));
    add_place(&text, &step->tensor, part);
    text_add(&text, "; the usual cause: another ");
    for (int i = 0; i < part->count; i++) {
        const char *axis = axis_name(&step->tensor, part->dims[i]);
        text_add_format(&text, "%s%s", i > 0 ? " or " : "", axis != NULL ? axis : "index");
    }
    text_add(&text, " is meant in this step");
    return is_related(seeking, "part", text.bytes);
}

enum { MOST_INDICES = 256 };

// One index of one dimension, and then of each dimension behind it, if the step has two more than the file.
static bool is_among_parts(struct seeking *seeking, const struct step *step, int dim) {
    const struct tensor *tensor = &step->tensor;
    const bool is_single = tensor->ndim == seeking->right->ndim + 1;
    for (int64_t k = 0; k < tensor->shape[dim] && k < MOST_INDICES; k++) {
        struct part part = {1, {dim}, {k}};
        if (is_single && is_part(seeking, step, &part)) return true;
        part.count = 2;
        for (int other = dim + 1; !is_single && other < tensor->ndim; other++) {
            part.dims[1] = other;
            for (int64_t i = 0; i < tensor->shape[other] && i < MOST_INDICES; i++) {
                part.indices[1] = i;
                if (is_part(seeking, step, &part)) return true;
            }
        }
    }
    return false;
}

static bool find_part(struct seeking *seeking) {
    if (seeking->count > MOST_NUMBERS) return false;
    for (int more = 1; more <= 2; more++) {
        for (int i = 0; i < seeking->run->step_count; i++) {
            const struct step *step = &seeking->run->steps[i];
            if (step->part_of != NULL) step = step->part_of;
            if (step->tensor.ndim != seeking->right->ndim + more) continue;
            for (int dim = 0; dim < step->tensor.ndim; dim++) {
                if (is_among_parts(seeking, step, dim)) return true;
            }
        }
    }
    return false;
}

// ---- Fewer digits ---------------------------------------------------------------------------------

// Has the file each right number rounded to so many decimals? A number in the middle may go either way.
static bool is_rounded_to(struct seeking *seeking, int decimals) {
    enum { MORE = 10, LEAST = 3, FINER = 19 }; // a print shows that digits are 0
    static const double FLOAT = 1e-6;          // a float32's own rounding, with room
    const double unit = pow(10, -decimals);
    double bits = 0;
    int telling = 0, wrong = 0;
    seeking->tried++;
    for (int64_t i = 0; i < seeking->count; i++) {
        const double value = seeking->numbers->values[i], right = element_at(seeking->right, i);
        if (!isfinite(value) || !isfinite(right)) {
            if (!agree(value, right, 0)) return false;
            continue;
        }
        const double half = half_unit_at(seeking->numbers, i);
        if (unit < FINER * half) return false;
        const double slack = FLOAT * fmax(fabs(value), unit) + half;
        if (fabs(value - rint(value / unit) * unit) > slack) return false;
        if (fabs(value - right) > unit / 2 + seeking->allowed[i] + slack) return false;
        wrong += fabs(value - right) > seeking->allowed[i];
        if (fabs(value) <= unit) continue; // 0 or one unit tells nothing
        bits += log2(fabs(value) / unit);
        telling++;
    }
    return wrong >= LEAST && telling >= LEAST && bits >= log2(seeking->tried) + MORE;
}

static bool find_rounded(struct seeking *seeking) {
    enum { MOST_DECIMALS = 5 };
    for (int decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
        if (!is_rounded_to(seeking, decimals)) continue;
        return is_related(seeking, "rounded",
                          arena_format(seeking->arena,
                                       "these are the right numbers with %d decimals; the usual "
                                       "cause: they were rounded, or copied from a print, before "
                                       "they were saved",
                                       decimals));
    }
    return false;
}

// ---- Whole numbers --------------------------------------------------------------------------------

// Was the file saved from a tensor that holds whole numbers, or True and False, only?
static bool is_of_whole_numbers(const struct numbers *numbers) {
    if (numbers->dtype == NULL) return false;
    return strstr(numbers->dtype, "int") != NULL || strcmp(numbers->dtype, "bool") == 0;
}

// Is every number what a cast to int or long (or bool) leaves of the right one? `*telling` of them are not 0 and have
// lost decimals.
static bool is_cut_off(const struct seeking *seeking, bool is_truth, int *telling) {
    static const double LOST = 0.01;
    *telling = 0;
    for (int64_t i = 0; i < seeking->count; i++) {
        const double value = seeking->numbers->values[i], right = element_at(seeking->right, i);
        if (!isfinite(right)) continue; // as a whole number it is any
        const double off = seeking->allowed[i];
        const double least = is_truth ? right != 0 : trunc(right - off);
        const double most = is_truth ? right != 0 : trunc(right + off);
        if (value != least && value != most) return false;
        *telling += value != 0 && fabs(value - right) > fmax(off, LOST);
    }
    return true;
}

static bool find_cast(struct seeking *seeking) {
    enum { LEAST = 3 };
    const char *dtype = seeking->numbers->dtype;
    const bool is_whole = is_of_whole_numbers(seeking->numbers);
    if (!is_whole && dtype != NULL) return false;
    int telling;
    const bool is_truth = is_whole && strcmp(dtype, "bool") == 0;
    const bool is_cut = is_cut_off(seeking, is_truth, &telling);
    if (!is_whole && (!is_cut || telling < LEAST)) return false;
    struct text text = text_new(seeking->arena);
    if (is_whole) text_add_format(&text, "the dtype is %s, and this step has fractions; ", dtype);
    if (is_cut && !is_truth) text_add(&text, "each number is the right one without its decimals; ");
    text_add_format(&text, "the usual cause: a cast such as %s",
                    is_truth ? ".bool()" : ".int(), .long() or astype(int)");
    if (!is_cut) text_add(&text, ", here or in an earlier line");
    (void)is_related(seeking, "cast", text.bytes);
    seeking->relation->is_place = !is_cut;
    seeking->relation->is_certain = is_whole;
    return true;
}

// ---- The place of the wrong numbers ----------------------------------------------------------------

static bool is_right_at(const struct seeking *seeking, int64_t position) {
    return agree(seeking->numbers->values[position], element_at(seeking->right, position),
                 seeking->allowed[position]);
}

// Does the number tell whether it was computed? 0 and -inf of a mask do not.
static bool is_telling(const struct seeking *seeking, int64_t position) {
    const double number = element_at(seeking->right, position);
    return isfinite(number) && number != rint(number);
}

// The only index of a dimension with wrong numbers, if none of its telling numbers is right (a few wrong ones are rather
// mistyped), and enough of the other indices are; -1 if there is none.
static int64_t only_wrong_index(const struct seeking *seeking, int dim) {
    enum { LEAST_WRONG = 2, LEAST_RIGHT = 4 };
    const int64_t size = seeking->right->shape[dim];
    int64_t apart = 1, index = -1, wrong = 0, right = 0;
    for (int i = dim + 1; i < seeking->right->ndim; i++) apart *= seeking->right->shape[i];
    for (int64_t i = 0; i < seeking->count; i++) {
        if (is_right_at(seeking, i)) continue;
        if (index >= 0 && index != i / apart % size) return -1;
        index = i / apart % size;
        wrong++;
    }
    for (int64_t i = 0; i < seeking->count; i++) {
        if (!is_right_at(seeking, i) || !is_telling(seeking, i)) continue;
        if (i / apart % size == index) return -1;
        right++;
    }
    return wrong >= LEAST_WRONG && right >= LEAST_RIGHT ? index : -1;
}

// Is every wrong number of the file `*wrong`, and are enough others right? `*right` is what all of these should be; NAN if they
// differ. Returns how many there are; 0 if they are not all the same.
static int64_t count_constant(const struct seeking *seeking, double *wrong, double *right) {
    enum { LEAST_RIGHT = 3 };
    int64_t count = 0, telling = 0;
    for (int64_t i = 0; i < seeking->count; i++) {
        const double value = seeking->numbers->values[i];
        const double wanted = element_at(seeking->right, i);
        if (is_right_at(seeking, i)) {
            telling += is_telling(seeking, i);
            continue;
        }
        if (isnan(value) || (count > 0 && value != *wrong)) return 0;
        *wrong = value;
        *right = count == 0 || wanted == *right ? wanted : NAN;
        count++;
    }
    return telling >= LEAST_RIGHT ? count : 0;
}

// Are all numbers wrong that should be negative, and no others?
static bool are_negative_ones(const struct seeking *seeking) {
    for (int64_t i = 0; i < seeking->count; i++) {
        if ((element_at(seeking->right, i) < 0) == is_right_at(seeking, i)) return false;
    }
    return true;
}

static bool find_constant(struct seeking *seeking) {
    enum { FEW = 4 }; // may be the negative ones by chance
    static const double LARGE =
        1e3; // -1e9 in the place of -inf hides as much; there is a hint on that
    double wrong = 0, right = 0;
    const int64_t count = count_constant(seeking, &wrong, &right);
    const char *text = NULL;
    if (count >= 2 && isinf(right) && wrong > -LARGE)
        text = arena_format(seeking->arena,
                            "where the right number is %g, the file has %g, and all other numbers "
                            "are right; the usual cause: another number, or another sign, in "
                            "masked_fill",
                            right, wrong);
    else if (count > FEW && wrong == 0 && are_negative_ones(seeking))
        text = "all negative numbers are 0, and all other numbers are right; the usual cause: a "
               "relu, or a clamp at 0";
    else if (count > 0 && wrong == 0)
        text = arena_format(seeking->arena,
                            "%s, and all other numbers are right; the usual cause: a loop ends too "
                            "early, or a result is not put in its place",
                            count == 1 ? "the only wrong number is 0" : "all wrong numbers are 0");
    if (text == NULL) return false;
    (void)is_related(seeking, "constant", text);
    seeking->relation->is_place = seeking->relation->is_certain = true;
    return true;
}

// "head 2 (x[:, 1])": what is at one index of a dimension of the step.
static const char *slice_words(const struct seeking *seeking, int dim, int64_t index) {
    struct arena *arena = seeking->arena;
    struct text text = text_new(arena);
    const char *name = axis_name(seeking->right, dim);
    if (name != NULL)
        text_add_format(&text, "%s %s (", name,
                        text_safe(arena, label_of(arena, seeking->right, dim, index)));
    text_add(&text, "x[");
    for (int i = 0; i < dim; i++) text_add(&text, ":, ");
    text_add_format(&text, "%" PRId64 "]%s", index, name != NULL ? ")" : "");
    return text.bytes;
}

static bool find_place(struct seeking *seeking) {
    for (int dim = seeking->right->ndim - 1; dim >= 0; dim--) {
        const int64_t index = seeking->right->shape[dim] > 1 ? only_wrong_index(seeking, dim) : -1;
        if (index < 0) continue;
        (void)is_related(
            seeking, "place",
            arena_format(seeking->arena,
                         "only %s is wrong, and all other numbers are right; the usual "
                         "cause: a loop leaves this index out or treats it otherwise",
                         slice_words(seeking, dim, index)));
        seeking->relation->is_place = true;
        return true;
    }
    return false;
}

// ---- All of them --------------------------------------------------------------------------------

static bool is_zero(const struct seeking *seeking) {
    for (int64_t i = 0; i < seeking->count; i++) {
        const double value = seeking->numbers->values[i];
        if (isfinite(value) && value != 0) return false;
    }
    return true;
}

bool find_relation(struct arena *arena, const struct run *run, const struct step *step,
                   const struct numbers *numbers, const double *allowed,
                   struct relation *relation) {
    static bool (*const relations[])(struct seeking *) = {find_rounded, find_part, find_place,
                                                          find_constant};
    struct seeking seeking = {.arena = arena,
                              .run = run,
                              .step = step,
                              .right = &step->tensor,
                              .numbers = numbers,
                              .count = count_of(shape_of(&step->tensor)),
                              .allowed = allowed,
                              .relation = relation};
    if (!has_fractions(&step->tensor)) return false;
    if (find_cast(&seeking)) return true;
    for (size_t i = 0; i < sizeof relations / sizeof *relations && !is_zero(&seeking); i++) {
        if (relations[i](&seeking)) return true;
    }
    return false;
}
