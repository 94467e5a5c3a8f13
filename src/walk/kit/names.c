#include "walk/kit/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "show/table.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"

// Do both show the same numbers, but with the last two dimensions exchanged?
static bool is_transposed(const struct tensor *tensor, const struct tensor *other) {
    const int n = tensor->ndim;
    if (n < 2 || other->ndim != n) return false;
    return tensor->shape[n - 1] == other->shape[n - 2] &&
           tensor->shape[n - 2] == other->shape[n - 1] &&
           tensor->stride[n - 1] == other->stride[n - 2] &&
           tensor->stride[n - 2] == other->stride[n - 1];
}

static bool is_same_place(const struct tensor *tensor, const struct tensor *other) {
    return shapes_equal(shape_of(tensor), shape_of(other)) && tensor->offset == other->offset &&
           memcmp(tensor->stride, other->stride, (size_t)tensor->ndim * sizeof *tensor->stride) ==
               0;
}

// The last step below `before` whose tensor is related so to this one; NULL if there is none.
static const struct step *
related_step(const struct run *run, const struct tensor *tensor, int before,
             bool (*is_related)(const struct tensor *, const struct tensor *)) {
    for (int i = run->step_count - 1; i >= 0; i--) {
        const struct step *step = &run->steps[i];
        if (step->number < before && step->tensor.storage == tensor->storage &&
            is_related(tensor, &step->tensor))
            return step;
    }
    return NULL;
}

// A tensor of two dimensions that shows all numbers of another one of more, whose leading dimensions are merged: are
// its rows the other's, or its columns?
static bool is_flat(const struct tensor *flat, const struct tensor *other, int rows, int columns) {
    const int n = other->ndim;
    if (flat->ndim != 2 || n < 2 || flat->offset != other->offset) return false;
    int64_t count = other->shape[n - 2];
    for (int dim = n - 3; dim >= 0; dim--) {
        if (other->shape[dim] > 1 && other->stride[dim] != count * other->stride[n - 2])
            return false;
        count *= other->shape[dim];
    }
    return flat->shape[rows] == count && flat->stride[rows] == other->stride[n - 2] &&
           flat->shape[columns] == other->shape[n - 1] &&
           flat->stride[columns] == other->stride[n - 1];
}

static bool is_flattened(const struct tensor *tensor, const struct tensor *other) {
    return is_flat(tensor, other, 0, 1);
}

static bool is_flattened_and_transposed(const struct tensor *tensor, const struct tensor *other) {
    return is_flat(tensor, other, 1, 0);
}

static bool is_smaller(const struct tensor *tensor, const struct tensor *other) {
    return count_of(shape_of(tensor)) < count_of(shape_of(other));
}

// The step's label; without its group where the step numbered `before`, or the one ahead of it, is of
// the same group: there it goes without saying.
static const char *near_label(struct arena *arena, const struct run *run, const struct step *step,
                              int before) {
    for (int number = before - 1; number <= before; number++) {
        if (number < 1 || number > run->step_count) continue;
        if (run->steps[number - 1].group == step->group) return step->name;
    }
    return step_label(arena, step);
}

// "keys[2:4]", "mask[:, 0:2]": the part of a step's tensor in Python, if it is some indices in a row of one dimension; NULL
// if not.
static const char *slice_name(struct arena *arena, const struct tensor *tensor,
                              const struct tensor *whole, const int64_t *first, const char *label) {
    int cut = -1;
    if (tensor->ndim != whole->ndim) return NULL;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (tensor->shape[dim] == whole->shape[dim] && tensor->stride[dim] == whole->stride[dim])
            continue;
        if (cut >= 0 || whole->stride[dim] == 0 || tensor->stride[dim] % whole->stride[dim] != 0)
            return NULL;
        cut = dim;
    }
    if (cut < 0) return NULL;
    const int64_t apart = tensor->stride[cut] / whole->stride[cut];
    struct text text = text_new(arena);
    text_add_format(&text, "%s[", label);
    text_add_repeated(&text, ":, ", cut);
    if (apart > 1) {
        text_add_format(&text, "%" PRId64 "::%" PRId64 "]", first[cut], apart);
        return text.bytes;
    }
    text_add_format(&text, "%" PRId64 ":%" PRId64 "]", first[cut], first[cut] + tensor->shape[cut]);
    return text.bytes;
}

// "queries[journey]", "nudged_loss[:, loss above]", "keys[2:4]": a row, a column or a slice of a step's matrix; else "part
// of queries".
static const char *part_name(struct arena *arena, const struct tensor *tensor,
                             const struct step *step, const char *label) {
    const struct tensor *whole = &step->tensor;
    const struct cell first = {.tensor = *tensor};
    struct cell found;
    const char *slice = NULL;
    if (cell_in_view(whole, &first, &found)) {
        slice = slice_name(arena, tensor, whole, found.index, label);
        for (int dim = 0; dim < 2 && tensor->ndim == 1 && whole->ndim == 2; dim++) {
            if (tensor->shape[0] == whole->shape[dim] && tensor->stride[0] == whole->stride[dim])
                return arena_format(arena, "%s[%s%s]", label, dim == 0 ? ":, " : "",
                                    label_at(arena, whole, 1 - dim, found.index));
        }
    }
    return slice != NULL ? slice : arena_format(arena, "part of %s", label);
}

static const char OTHER_SHAPE[] = " in another shape";

// What a step before `before` calls the tensor; NULL if none shows its numbers.
static const char *step_name(struct arena *arena, const struct run *run,
                             const struct tensor *tensor, int before) {
    static const struct {
        bool (*is_related)(const struct tensor *, const struct tensor *);
        const char *mark;
    } relations[] = {{is_same_place, ""},
                     {is_transposed, "ᵀ"},
                     {is_flattened, ""},
                     {is_flattened_and_transposed, "ᵀ"}};
    const struct step *step;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        step = related_step(run, tensor, before, relations[i].is_related);
        if (step != NULL)
            return arena_format(arena, "%s%s", near_label(arena, run, step, before),
                                relations[i].mark);
    }
    step = related_step(run, tensor, before, is_smaller);
    if (step != NULL) return part_name(arena, tensor, step, near_label(arena, run, step, before));
    step = step_viewed(run, tensor, before);
    if (step != NULL)
        return arena_format(arena, "%s%s", near_label(arena, run, step, before),
                            is_contiguous(tensor) ? OTHER_SHAPE : ", transposed");
    return tensor->storage == run->inputs.storage ? "inputs" : NULL;
}

// "√2" rather than "1.4142".
static const char *number_name(struct arena *arena, double number) {
    const double square = number * number, whole = round(square);
    const bool is_root = whole > 1 && fabs(square - whole) < 1e-6 * whole && whole < 1e6;
    if (is_root && number > 0 && number != round(number))
        return arena_format(arena, "√%.0f", whole);
    return arena_format(arena, "%.4g", number);
}

// What numbers are for in a model of attention, in a word or two; NULL if that is not known.
static const char *role_word(const struct tensor *tensor) {
    static const char *const words[ROLE_COUNT] = {
        [ROLE_TOKENS] = "token rows",
        [ROLE_POSITIONS] = "position rows",
        [ROLE_HIDDEN] = "rows",
        [ROLE_NORMALIZED] = "normalized rows",
        [ROLE_QUERIES] = "queries",
        [ROLE_KEYS] = "keys",
        [ROLE_VALUES] = "values",
        [ROLE_SCORES] = "scores",
        [ROLE_MASK] = "mask",
        [ROLE_MASKED_SCORES] = "masked scores",
        [ROLE_WEIGHTS] = "weights",
        [ROLE_DROPPED_WEIGHTS] = "dropped weights",
        [ROLE_CONTEXT] = "context",
        [ROLE_LOGITS] = "logits",
        [ROLE_PROBABILITIES] = "probabilities",
        [ROLE_LOSS] = "losses",
        [ROLE_TARGETS] = "targets",
        [ROLE_LAYER_WEIGHT] = "layer's weight",
        [ROLE_LAYER_BIAS] = "layer's bias",
    };
    return words[role_of(tensor)];
}

// Do its rows lie in memory as columns?
static bool is_turned(const struct tensor *tensor) {
    const int n = tensor->ndim;
    return n >= 2 && tensor->stride[n - 2] < tensor->stride[n - 1];
}

// "keysᵀ", "causal mask"; NULL if the role is not known.
static const char *turned_word(struct arena *arena, const struct tensor *tensor) {
    const char *word = role_word(tensor);
    const struct origin *origin = tensor->storage->origin;
    const struct tensor *first = origin->operand_count > 0 ? &origin->operands[0] : tensor;
    if (word != NULL &&
        (origin->operation == &triu_row || first->storage->origin->operation == &triu_row))
        return "causal mask";
    return word != NULL && is_turned(tensor) ? arena_format(arena, "%sᵀ", word) : word;
}

// What stands for the part of a formula that there is no room for.
#define ELLIPSIS "..."

static const char *formula_name(struct arena *arena, const struct run *run,
                                const struct tensor *tensor, int before, int depth, int width);

// An operand in the formula of a result: as a step calls it, as a number, or, down to `depth` operations, as a formula;
// between parentheses if need be. At most `width` columns, else an ellipsis.
static const char *factor_name(struct arena *arena, const struct run *run,
                               const struct tensor *tensor, int before, int depth, int width,
                               bool is_enclosed) {
    const struct origin *origin = tensor->storage->origin;
    const char *name = step_name(arena, run, tensor, before);
    const char *shape = name != NULL ? strstr(name, OTHER_SHAPE) : NULL;
    if (shape != NULL) name = arena_format(arena, "%.*s", (int)(shape - name), name);
    if (name == NULL && tensor->ndim == 0 && origin->operand_count == 0)
        name = number_name(arena, element(tensor, NULL));
    if (name == NULL && origin->operation->draws && origin->operand_count == 0) name = "layer";
    if (name == NULL) name = turned_word(arena, tensor);
    if (name == NULL && depth > 0) {
        enum { PARENTHESES = 2 };
        const int room = is_enclosed ? width : width - PARENTHESES;
        name = formula_name(arena, run, tensor, before, depth, room);
        if (!is_enclosed && strchr(name, ' ') != NULL) name = arena_format(arena, "(%s)", name);
    }
    return name != NULL && text_width(name) <= width ? name : ELLIPSIS;
}

// Columns that an operand further back in a formula keeps: those of its step's name, if that is short.
static int least_width(struct arena *arena, const struct run *run, const struct tensor *tensor,
                       int before) {
    enum { SHORT = 14 };
    const char *name = step_name(arena, run, tensor, before);
    const int least = (int)strlen(ELLIPSIS), width = name != NULL ? text_width(name) : least;
    return width <= SHORT ? width : least;
}

// "1" of "1 + 2", but no digit of "log2(1)".
static bool is_operand_of(const char *formula, const char *at, int count) {
    const bool is_in_word = at > formula && isalnum((unsigned char)at[-1]);
    return *at >= '1' && *at < '1' + count && !is_in_word;
}

// "e^(masked scores − m)": powers of scores less their maximum, which are scores, too, but not the same ones; else NULL.
static const char *powers_name(struct arena *arena, const struct run *run,
                               const struct tensor *tensor, int before) {
    const struct origin *origin = tensor->storage->origin;
    if (origin->operation != &exp_row) return NULL;
    const struct tensor *power = &origin->operands[0];
    const char *word = turned_word(arena, power);
    const bool is_less = power->storage->origin->operation == &subtract_row;
    if (word == NULL || !is_less || step_name(arena, run, power, before) != NULL) return NULL;
    return arena_format(arena, "e^(%s − m)", word);
}

// How its operation writes the tensor, from the names of operands: "scores / √2", "W_query(embedded)". In about `width`
// columns: the first operands have more room than the last. Of operands that all have no room nothing is left.
static const char *formula_name(struct arena *arena, const struct run *run,
                                const struct tensor *tensor, int before, int depth, int width) {
    enum { NAMED_OPERANDS = 3 };
    const struct origin *origin = tensor->storage->origin;
    const struct operation *operation = origin->operation;
    const int count = origin->operand_count;
    if (count > NAMED_OPERANDS) return arena_format(arena, "%s of %d", operation->name, count);
    const char *powers = powers_name(arena, run, tensor, before);
    if (powers != NULL) return powers;
    struct text text = text_new(arena);
    text_add(&text, "");
    bool has_names = false;
    const char *names[NAMED_OPERANDS] = {0};
    const char *formula = formula_of(arena, operation, count);
    const bool is_enclosed = strpbrk(formula, "(|[") != NULL || strcmp(formula, "1") == 0;
    for (const char *at = formula; *at != '\0'; at++) {
        if (*at == '#') {
            const double filled = origin->number;
            text_add(&text, filled == 0   ? "zeros"
                            : filled == 1 ? "ones"
                                          : number_name(arena, filled));
            continue;
        }
        if (!is_operand_of(formula, at, count)) {
            text_add_format(&text, "%c", *at);
            continue;
        }
        int left = width - text_width(text.bytes);
        for (const char *rest = at + 1; *rest != '\0'; rest++)
            left -= is_operand_of(formula, rest, count)
                        ? least_width(arena, run, &origin->operands[*rest - '1'], before)
                        : 1;
        const char *name = factor_name(arena, run, &origin->operands[*at - '1'], before, depth - 1,
                                       left, is_enclosed);
        has_names = has_names || strcmp(name, ELLIPSIS) != 0;
        names[*at - '1'] = name;
        text_add(&text, name);
    }
    const bool has_words = strpbrk(formula, "abcdefghijklmnopqrstuvwxyz#") != NULL;
    if (!has_names && !has_words) return ELLIPSIS;
    if (names[0] != NULL && names[1] != NULL && strcmp(names[0], names[1]) == 0 &&
        origin->operands[0].storage != origin->operands[1].storage)
        return ELLIPSIS; // "running_max − running_max"
    return is_turned(tensor) ? arena_format(arena, "%sᵀ", text.bytes) : text.bytes;
}

// step_name, and "inputs[3:4]" of some rows of the inputs. Inside of a formula these are just "inputs".
static const char *outer_name(struct arena *arena, const struct run *run,
                              const struct tensor *tensor, int before) {
    const char *name = step_name(arena, run, tensor, before);
    const struct cell first = {.tensor = *tensor};
    struct cell found;
    if (name == NULL || strcmp(name, "inputs") != 0 || !is_smaller(tensor, &run->inputs) ||
        !cell_in_view(&run->inputs, &first, &found))
        return name;
    const char *slice = slice_name(arena, tensor, &run->inputs, found.index, name);
    return slice != NULL ? slice : name;
}

const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before) {
    enum { DEEPEST = 4, WIDEST = 34 };
    const char *name = outer_name(arena, run, tensor, before);
    if (name != NULL) return name;
    if (tensor->ndim == 0 && tensor->storage->origin->operand_count == 0) return "a number";
    return formula_name(arena, run, tensor, before, DEEPEST, WIDEST);
}

// "draw 1 of 200": the page of a cell, of tensors without names that were stacked along an axis with one; else NULL.
static const char *name_in_stack(struct arena *arena, const struct cell *cell) {
    enum { FEW = 3 };
    const struct tensor *tensor = &cell->tensor;
    const char *name = has_pages(tensor) ? axis_name(tensor, 0) : NULL;
    if (name == NULL || tensor->storage->origin->operand_count <= FEW) return NULL;
    return arena_format(arena, "%s %s of %" PRId64, name, label_at(arena, tensor, 0, cell->index),
                        tensor->shape[0]);
}

// Does a name say nothing to a reader: is a part of it left out, was it typed in or drawn, is it a formula that must be
// read from the inside?
static bool is_stopgap(const char *name) {
    static const char *const stopgaps[] = {ELLIPSIS,    "given",    "cat(", "part of ",
                                           "adamw of ", "uniform_", "√("};
    for (size_t i = 0; i < sizeof stopgaps / sizeof *stopgaps; i++) {
        if (strstr(name, stopgaps[i]) != NULL) return true;
    }
    int depth = 0, deepest = 0; // of brackets: 2 in "mean(max(weights))"
    for (const char *at = name; *at != '\0'; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth > deepest) deepest = depth;
    }
    return strcmp(name, "cat") == 0 || deepest > 1;
}

// What an operand is for: to its operation, or in a model of attention; NULL if neither is known. Scores of which a step
// makes scores again are told apart by what that step does.
static const char *purpose_name(struct arena *arena, const struct derivation *derivation,
                                const struct operand *operand) {
    const struct origin *origin = derivation->origin;
    const struct operation *operation = origin->operation;
    const char *role = operand->role;
    if (strcmp(role, "target") == 0) return "targets";
    if (strcmp(role, "id") == 0) {
        const struct purpose of_table = origin->operands[1].storage->purpose;
        return of_table.makes == ROLE_POSITIONS  ? "positions"
               : of_table.role == ROLE_EMBEDDING ? "ids"
                                                 : "rows";
    }
    const char *word = turned_word(arena, &operand->cell.tensor);
    if (word == NULL) return operation == &divide_row && operand->number == 1 ? "divisor" : NULL;
    const bool is_scaled = operation == &multiply_row || operation == &divide_row;
    if (role_of(&operand->cell.tensor) == ROLE_SCORES && operand->number == 0)
        word = operation->changes_some ? "unmasked scores" : is_scaled ? "unscaled scores" : word;
    const bool is_one_of_several = operation->moves && origin->operand_count > 1;
    return is_one_of_several ? arena_format(arena, "%s %d", word, operand->number + 1) : word;
}

const char *operand_name(struct arena *arena, const struct run *run,
                         const struct derivation *derivation, const struct operand *operand,
                         int before) {
    const struct tensor *tensor = &operand->cell.tensor;
    const char *name = outer_name(arena, run, tensor, before);
    if (name == NULL) name = name_in_stack(arena, &operand->cell);
    if (name == NULL && derivation->origin->operation->updates) name = operand->role;
    if (name == NULL) name = tensor_name(arena, run, tensor, before);
    const bool is_formula = step_name(arena, run, tensor, before) == NULL;
    const enum role role = role_of(tensor);
    const bool has_telling_role =
        role == ROLE_WEIGHTS || role == ROLE_CONTEXT || role == ROLE_PROBABILITIES;
    const bool is_better = is_stopgap(name) || (is_formula && has_telling_role);
    const char *purpose = is_better ? purpose_name(arena, derivation, operand) : NULL;
    return purpose != NULL ? purpose : name;
}

const char *short_name(struct arena *arena, const char *name) {
    if (is_stopgap(name)) return NULL;
    const char *shape = strstr(name, OTHER_SHAPE);
    return shape == NULL ? name : arena_format(arena, "%.*s", (int)(shape - name), name);
}

// Is it a sum, a product or the like, which an index behind it needs parentheses for? No blank of "block 1: scores" is of one.
static bool is_open_formula(const char *name) {
    int depth = 0;
    for (; *name != '\0'; name++) {
        depth += (*name == '(') - (*name == ')');
        if (depth == 0 && name[0] == ' ' && name[1] != '\0' && strchr("+*/", name[1]) != NULL)
            return true;
        if (depth == 0 && (strncmp(name, " − ", 5) == 0 || strncmp(name, " × ", 4) == 0))
            return true;
    }
    return false;
}

const char *cell_name(struct arena *arena, const struct run *run, const struct cell *cell,
                      int before) {
    const char *name = tensor_name(arena, run, &cell->tensor, before);
    const char *label = cell_label(arena, cell);
    const bool is_open = *label != '\0' && is_open_formula(name);
    return arena_format(arena, is_open ? "(%s)%s" : "%s%s", name, label);
}

// "starts"; "starts (token 9)" where the same label stands along the dimension before it.
static const char *label_told_apart(struct arena *arena, const struct cell *cell, int dim) {
    const struct tensor *tensor = &cell->tensor;
    const char *label = label_at(arena, tensor, dim, cell->index);
    int64_t index[MAX_DIMS];
    memcpy(index, cell->index, sizeof index);
    for (index[dim] = 0; has_labels(tensor, dim) && index[dim] < cell->index[dim]; index[dim]++) {
        if (strcmp(label_at(arena, tensor, dim, index), label) == 0)
            return arena_format(arena, "%s (%s %" PRId64 ")", label, axis_name(tensor, dim),
                                cell->index[dim] + 1);
    }
    return label;
}

const char *short_place(struct arena *arena, const struct cell *cell) {
    const struct tensor *tensor = &cell->tensor;
    if (tensor->ndim == 0) return "";
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *label = label_told_apart(arena, cell, dim);
        const char *name = axis_name(tensor, dim);
        const bool is_leading = dim < tensor->ndim - 2, is_number = *label >= '0' && *label <= '9';
        const bool has_letter = is_leading && is_number && name != NULL;
        text_add_format(&text, "%s%.*s%s", dim == 0 ? "[" : ", ", has_letter ? 1 : 0,
                        has_letter ? name : "", label);
    }
    text_add(&text, "]");
    return text.bytes;
}
