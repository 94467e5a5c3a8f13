#include "trace/run/expression.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// What came of a reference so far.
enum value { TENSOR, SIZES, NUMBER };

// What is being read of a reference.
struct reading {
    struct arena *arena;
    const char *wanted; // all of it
    const char *next;
    enum value value;
    struct tensor tensor; // SIZES: a list of whole numbers; NUMBER: one
};

// A point before a digit belongs to the name: "temperature 0.1: counts".
static size_t name_length(const char *wanted) {
    size_t length = strcspn(wanted, "[.");
    while (wanted[length] == '.' && isdigit((unsigned char)wanted[length + 1]))
        length += 1 + strcspn(wanted + length + 1, "[.");
    return length;
}

// A program's steps may have brackets and points in their names, "self.heads[1].mask": the longest name that there is.
static size_t length_of_step(struct arena *arena, const struct run *run, const char *wanted) {
    for (size_t length = strlen(wanted); length > 0; length--) {
        if (wanted[length] != '\0' && strchr("[.", wanted[length]) == NULL) continue;
        if (step_called(run, arena_copy_bytes(arena, wanted, length)) != NULL) return length;
    }
    return name_length(wanted);
}

bool is_expression(const struct run *run, const char *wanted) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, run->memory->failure);
    const size_t length = length_of_step(m, run, wanted);
    scratch_close(&scratch);
    return wanted[length] != '\0';
}

static _Noreturn void refuse(const struct reading *reading) {
    fail(reading->arena->failure, FAIL_USAGE,
         "'%s' is no part of a step: it may end in [1, 2], [:, ::2], .T, .sum(-1), .mean(), "
         ".amax(), "
         ".shape or .size(0)",
         text_safe(reading->arena, reading->wanted));
}

__attribute__((format(printf, 2, 3))) static _Noreturn void
refuse_as_pytorch(const struct reading *reading, const char *format, ...) {
    struct arena *m = reading->arena;
    char reason[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    const bool is_tensor = reading->value == TENSOR;
    fail(m->failure, FAIL_USAGE, "'%s': %s%s%s", text_safe(m, reading->wanted), reason,
         is_tensor ? "; the shape is " : "",
         is_tensor ? shape_text(m, shape_of(&reading->tensor)) : "");
}

static void skip_blanks(struct reading *reading) {
    while (*reading->next == ' ') reading->next++;
}

static bool takes(struct reading *reading, const char *word) {
    skip_blanks(reading);
    const size_t length = strlen(word);
    if (strncmp(reading->next, word, length) != 0) return false;
    reading->next += length;
    return true;
}

// A word that ends where it ends: ".t" is no start of ".transpose".
static bool takes_word(struct reading *reading, const char *word) {
    const char *before = reading->next;
    if (takes(reading, word) && !isalnum((unsigned char)*reading->next) && *reading->next != '_')
        return true;
    reading->next = before;
    return false;
}

static void must_take(struct reading *reading, const char *word) {
    if (!takes(reading, word)) refuse(reading);
}

static bool takes_integer(struct reading *reading, int64_t *integer) {
    skip_blanks(reading);
    if (!isdigit((unsigned char)reading->next[reading->next[0] == '-'])) return false;
    char *end;
    errno = 0;
    *integer = strtoll(reading->next, &end, 10);
    if (errno != 0) refuse(reading);
    reading->next = end;
    return true;
}

// ---- Indices ------------------------------------------------------------------------------------

enum index_kind { INDEX, SLICE, ELLIPSIS, NEW_DIMENSION };

// One of the indices between brackets.
struct index {
    enum index_kind kind;
    int64_t start, stop, step; // of a slice as it was written; an index is a start
    bool has_start, has_stop;
};

static struct index index_at_hand(struct reading *reading) {
    struct index index = {.kind = INDEX, .step = 1};
    if (takes(reading, "...")) return (struct index){.kind = ELLIPSIS};
    if (takes_word(reading, "None")) return (struct index){.kind = NEW_DIMENSION};
    index.has_start = takes_integer(reading, &index.start);
    if (!takes(reading, ":")) {
        if (!index.has_start) refuse(reading);
        return index;
    }
    index.kind = SLICE;
    index.has_stop = takes_integer(reading, &index.stop);
    if (takes(reading, ":")) (void)takes_integer(reading, &index.step);
    if (index.step == 0) refuse_as_pytorch(reading, "%s", "slice step cannot be zero");
    if (index.step < 0) refuse_as_pytorch(reading, "%s", "step must be greater than zero");
    return index;
}

// The end of a slice as Python takes it: counted from the back if negative, and never outside.
static int64_t end_of_slice(int64_t end, int64_t size) {
    if (end < 0) end += size;
    if (end < 0) return 0;
    return end > size ? size : end;
}

static void take_slice(struct reading *reading, int dim, const struct index *index) {
    struct tensor *x = &reading->tensor;
    const int64_t size = x->shape[dim];
    const int64_t start = index->has_start ? end_of_slice(index->start, size) : 0;
    const int64_t stop = index->has_stop ? end_of_slice(index->stop, size) : size;
    const int64_t length = stop > start ? stop - start : 0;
    *x = slice(narrow(*x, dim, start, length), dim, 0, index->step);
}

static void take_element(struct reading *reading, int dim, int64_t index, int position) {
    const int64_t size = reading->tensor.shape[dim];
    if (index < -size || index >= size)
        refuse_as_pytorch(reading,
                          "index %" PRId64 " is out of bounds for dimension %d with size %" PRId64,
                          index, position, size);
    reading->tensor = select_index(reading->tensor, dim, index < 0 ? index + size : index);
}

static void insert_dimension(struct reading *reading, int dim) {
    static const struct operation inserting = {.name = "unsqueeze",
                                               .backward = "UnsqueezeBackward0"};
    struct tensor *x = &reading->tensor;
    if (x->ndim == MAX_DIMS) refuse_as_pytorch(reading, "at most %d dimensions", MAX_DIMS);
    for (int to = x->ndim++; to > dim; to--) {
        x->shape[to] = x->shape[to - 1];
        x->stride[to] = x->stride[to - 1];
        x->axis[to] = x->axis[to - 1];
    }
    x->shape[dim] = 1;
    x->axis[dim] = (struct axis){0};
    x->view = &inserting;
}

// Which dimensions each index is about, PyTorch decides before it takes the first.
static void take_each(struct reading *reading, int count, const struct index *indices) {
    const int ndim = reading->tensor.ndim;
    int taken = 0, dim = 0;
    for (int i = 0; i < count; i++) taken += indices[i].kind == INDEX || indices[i].kind == SLICE;
    if (ndim == 0 && count == 1 && indices[0].kind == INDEX && indices[0].start == 0)
        refuse_as_pytorch(reading, "invalid index of a %d-dim tensor", 0);
    if (ndim == 0 && count == 1 && indices[0].kind == INDEX)
        refuse_as_pytorch(reading, "index %" PRId64 " is out of bounds for dimension 0 with size 0",
                          indices[0].start);
    if (ndim == 0 && count == 1 && indices[0].kind == SLICE)
        refuse_as_pytorch(reading, "slice() cannot be applied to a %d-dim tensor.", 0);
    if (taken > ndim)
        refuse_as_pytorch(reading, "too many indices for tensor of dimension %d", ndim);
    for (int i = 0; i < count; i++) {
        if (indices[i].kind != ELLIPSIS && dim > reading->tensor.ndim - (indices[i].kind <= SLICE))
            refuse_as_pytorch(reading, "%s", "an index can only have a single ellipsis ('...')");
        if (indices[i].kind == INDEX)
            take_element(reading, dim, indices[i].start, i);
        else if (indices[i].kind == SLICE)
            take_slice(reading, dim++, &indices[i]);
        else if (indices[i].kind == NEW_DIMENSION)
            insert_dimension(reading, dim++);
        else
            dim += ndim - taken;
    }
}

static void take_indices(struct reading *reading) {
    enum { MOST = 4 * MAX_DIMS };
    struct index indices[MOST];
    int count = 0;
    do {
        if (count == MOST) refuse(reading);
        indices[count++] = index_at_hand(reading);
    } while (takes(reading, ","));
    must_take(reading, "]");
    if (reading->value == TENSOR) {
        take_each(reading, count, indices);
        return;
    }
    // of torch.Size, a tuple
    if (reading->value == NUMBER || count > 1 || indices[0].kind > SLICE) refuse(reading);
    if (indices[0].kind == SLICE) {
        take_slice(reading, 0, &indices[0]);
        return;
    }
    const int64_t index = indices[0].start, size = reading->tensor.shape[0];
    if (index < -size || index >= size)
        refuse_as_pytorch(reading, "%s", "tuple index out of range");
    take_element(reading, 0, index, 0);
    reading->value = NUMBER;
}

// ---- Methods ------------------------------------------------------------------------------------

static struct tensor turned(struct tensor x) {
    static const struct operation turning = {.name = "permute", .backward = "PermuteBackward0"};
    for (int dim = 0; dim < x.ndim / 2; dim++) x = transpose(x, dim, x.ndim - 1 - dim);
    x.view = &turning;
    return x;
}

// The same elements in as few dimensions as their places in memory allow, the smallest strides last.
static struct tensor in_memory_order(struct tensor x) {
    struct tensor result = x;
    result.ndim = 0;
    for (int i = 1; i < x.ndim; i++) {
        for (int j = i; j > 0 && x.stride[j - 1] < x.stride[j]; j--) x = transpose(x, j - 1, j);
    }
    for (int dim = 0; dim < x.ndim; dim++) {
        const int last = result.ndim - 1;
        if (x.shape[dim] == 1) continue;
        const bool joins = last >= 0 && result.stride[last] == x.shape[dim] * x.stride[dim];
        const int to = joins ? last : result.ndim++;
        result.shape[to] = x.shape[dim] * (joins ? result.shape[to] : 1);
        result.stride[to] = x.stride[dim];
        result.axis[to] = (struct axis){0};
    }
    return result.ndim > 0 ? result : view(x, SHAPE(1));
}

static struct tensor in_line(struct tensor x) {
    return view(contiguous(x), SHAPE(count_of(shape_of(&x))));
}

// As PyTorch adds up all elements: each run of memory for itself, then the runs' sums in order
// (aten/src/ATen/native/cpu/SumKernel.cpp adds to what the output holds).
static struct tensor sum_of_all(struct tensor x) {
    x = in_memory_order(x);
    if (x.ndim == 1) return sum(x, 0, true);
    const struct tensor runs = in_line(sum(x, -1, false));
    struct tensor total = full(x.storage->arena, SHAPE(1), 0);
    for (int64_t i = 0; i < runs.shape[0]; i++) total = add(total, narrow(runs, 0, i, 1));
    return total;
}

// The sum of truths or whole numbers along a dimension, which stays with size 1.
static struct tensor count_along(struct tensor x, int dim) {
    struct shape shape = shape_of(&x);
    shape.size[dim] = 1;
    const struct tensor result = tensor_given(x.storage->arena, INT64, shape);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape_of(&x)); i++) {
        index_at(shape_of(&x), i, index);
        int64_t position = 0;
        for (int j = 0; j < x.ndim; j++) position += (j == dim ? 0 : index[j]) * result.stride[j];
        ((int64_t *)result.storage->data)[position] += (int64_t)element_at(&x, i);
    }
    return result;
}

// Along a dimension, which stays with size 1, or of all elements.
enum { ALL_DIMENSIONS = -1 };
typedef struct tensor reduction(struct reading *reading, struct tensor x, int dim);

static struct tensor take_sum(struct reading *reading, struct tensor x, int dim) {
    (void)reading;
    if (x.storage->dtype != FLOAT32)
        return dim == ALL_DIMENSIONS ? count_along(in_line(x), 0) : count_along(x, dim);
    return dim == ALL_DIMENSIONS ? sum_of_all(x) : sum(x, dim, true);
}

static struct tensor take_mean(struct reading *reading, struct tensor x, int dim) {
    if (x.storage->dtype != FLOAT32)
        refuse_as_pytorch(reading,
                          "mean(): could not infer output dtype. Input dtype must be either a "
                          "floating point or complex dtype. Got: %s",
                          x.storage->dtype == BOOL ? "Bool" : "Long");
    const int64_t count = dim == ALL_DIMENSIONS ? count_of(shape_of(&x)) : x.shape[dim];
    return divide_by(take_sum(reading, x, dim), (double)count);
}

static struct tensor take_largest(struct reading *reading, struct tensor x, int dim) {
    if (dim == ALL_DIMENSIONS) return take_largest(reading, in_line(x), 0);
    if (x.storage->dtype != FLOAT32) refuse(reading);
    if (x.shape[dim] == 0)
        refuse_as_pytorch(reading, "%s", "the largest of no elements does not exist");
    struct shape shape = shape_of(&x);
    shape.size[dim] = 1;
    return view(contiguous(amax_along(x, dim)), shape);
}

// The arguments between parentheses: a dimension or none, and keepdim.
static bool takes_dim(struct reading *reading, int64_t *dim, bool *keeps) {
    bool has_dim = false;
    *keeps = false;
    must_take(reading, "(");
    if (takes(reading, ")")) return false;
    do {
        if (takes(reading, "keepdim")) {
            must_take(reading, "=");
            *keeps = takes_word(reading, "True");
            if (!*keeps && !takes_word(reading, "False")) refuse(reading);
            continue;
        }
        if (takes(reading, "dim")) must_take(reading, "=");
        if (has_dim || !takes_integer(reading, dim)) refuse(reading);
        has_dim = true;
    } while (takes(reading, ","));
    must_take(reading, ")");
    if (!has_dim) refuse(reading);
    return true;
}

// A dimension from 0 on; a single number has one to count from as well.
static int dimension_of(const struct reading *reading, int64_t dim) {
    const int64_t count = reading->tensor.ndim > 0 ? reading->tensor.ndim : 1;
    if (dim < -count || dim >= count)
        refuse_as_pytorch(reading,
                          "Dimension out of range (expected to be in range of [%" PRId64
                          ", %" PRId64 "], but got %" PRId64 ")",
                          -count, count - 1, dim);
    return (int)(dim < 0 ? dim + count : dim);
}

static struct tensor without(struct tensor x, int dim) {
    struct tensor result = select_index(x, dim, 0);
    result.view = NULL;
    return result;
}

static void take_reduction(struct reading *reading, reduction *reduce) {
    struct tensor *x = &reading->tensor;
    int64_t wanted;
    bool keeps;
    if (!takes_dim(reading, &wanted, &keeps)) {
        *x = without(reduce(reading, *x, ALL_DIMENSIONS), 0);
        return;
    }
    const int dim = dimension_of(reading, wanted);
    const bool is_number = x->ndim == 0;
    *x = reduce(reading, is_number ? in_line(*x) : *x, dim);
    if (is_number || !keeps) *x = without(*x, dim);
}

static void take_no_arguments(struct reading *reading) {
    must_take(reading, "(");
    must_take(reading, ")");
}

static void take_number(struct reading *reading, int64_t number) {
    reading->tensor = tensor_given(reading->arena, INT64, NO_DIMS);
    *(int64_t *)reading->tensor.storage->data = number;
    reading->value = NUMBER;
}

static void take_sizes(struct reading *reading) {
    const struct tensor x = reading->tensor;
    reading->tensor = tensor_given(reading->arena, INT64, SHAPE(x.ndim));
    for (int dim = 0; dim < x.ndim; dim++)
        ((int64_t *)reading->tensor.storage->data)[dim] = x.shape[dim];
    reading->value = SIZES;
}

static void take_size(struct reading *reading) {
    const struct tensor *x = &reading->tensor;
    int64_t dim;
    bool keeps;
    if (!takes_dim(reading, &dim, &keeps))
        take_sizes(reading);
    else if (x->ndim == 0)
        refuse_as_pytorch(reading,
                          "Dimension specified as %" PRId64 " but tensor has no dimensions", dim);
    else
        take_number(reading, x->shape[dimension_of(reading, dim)]);
}

static int next_dimension(struct reading *reading) {
    int64_t dim;
    if (!takes_integer(reading, &dim)) refuse(reading);
    return dimension_of(reading, dim);
}

static struct tensor take_transposed(struct reading *reading) {
    must_take(reading, "(");
    const int first = next_dimension(reading);
    must_take(reading, ",");
    const int second = next_dimension(reading);
    must_take(reading, ")");
    return reading->tensor.ndim > 0 ? transpose(reading->tensor, first, second) : reading->tensor;
}

static void take_method(struct reading *reading) {
    struct tensor *x = &reading->tensor;
    if (takes_word(reading, "T")) {
        *x = turned(*x);
    } else if (takes(reading, "t()")) {
        if (x->ndim > 2)
            refuse_as_pytorch(reading, "t() expects a tensor with <= 2 dimensions, but self is %dD",
                              x->ndim);
        *x = x->ndim == 2 ? transpose(*x, 0, 1) : *x;
    } else if (takes_word(reading, "transpose")) {
        *x = take_transposed(reading);
    } else if (takes_word(reading, "sum")) {
        take_reduction(reading, take_sum);
    } else if (takes_word(reading, "mean")) {
        take_reduction(reading, take_mean);
    } else if (takes_word(reading, "amax")) {
        take_reduction(reading, take_largest);
    } else if (takes_word(reading, "max")) {
        take_no_arguments(reading); // with one there would be two tensors
        *x = without(take_largest(reading, *x, ALL_DIMENSIONS), 0);
    } else if (takes_word(reading, "argmax")) {
        take_no_arguments(reading);
        if (x->storage->dtype != FLOAT32) refuse(reading);
        *x = argmax(in_line(*x));
    } else if (takes_word(reading, "shape")) {
        take_sizes(reading);
    } else if (takes_word(reading, "size")) {
        take_size(reading);
    } else if (takes_word(reading, "ndim") || takes(reading, "dim()")) {
        take_number(reading, x->ndim);
    } else if (takes(reading, "numel()")) {
        take_number(reading, count_of(shape_of(x)));
    } else {
        refuse(reading);
    }
}

static const char *python_text(struct arena *arena, const struct reading *reading) {
    if (reading->value == TENSOR) return NULL;
    const struct tensor *numbers = &reading->tensor;
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int64_t i = 0; i < count_of(shape_of(numbers)); i++)
        text_add_format(&text, "%s%.0f", i > 0 ? ", " : "", element_at(numbers, i));
    return reading->value == NUMBER ? text.bytes
                                    : arena_format(arena, "torch.Size([%s])", text.bytes);
}

struct expression evaluate_expression(struct arena *arena, const struct run *run,
                                      const char *wanted) {
    const size_t length = length_of_step(arena, run, wanted);
    const struct step *step =
        find_step(run, arena_copy_bytes(arena, wanted, length), arena->failure);
    struct reading reading = {
        .arena = arena, .wanted = wanted, .next = wanted + length, .tensor = step->tensor};
    struct expression expression = {.step = *step};
    while (*reading.next != '\0') {
        if (takes(&reading, "["))
            take_indices(&reading);
        else if (reading.value == TENSOR && takes(&reading, "."))
            take_method(&reading);
        else
            refuse(&reading);
        skip_blanks(&reading);
    }
    expression.step.tensor = reading.tensor;
    expression.python = python_text(arena, &reading);
    return expression;
}

struct step *part_asked_for(struct arena *arena, struct run *run, const char *wanted,
                            const char **python) {
    const size_t size = (size_t)run->step_count * sizeof *run->steps;
    const struct expression part = evaluate_expression(arena, run, wanted);
    struct step *steps = arena_allocate(arena, size);
    memcpy(steps, run->steps, size);
    struct step *step = &steps[part.step.number - 1];
    *step = part.step;
    step->part_of = &run->steps[part.step.number - 1];
    run->steps = steps;
    *python = part.python;
    return step;
}

const struct step *tensor_asked_for(struct arena *arena, struct run *run, const char *wanted) {
    const char *python;
    if (!is_expression(run, wanted)) return find_step(run, wanted, arena->failure);
    struct step *step = part_asked_for(arena, run, wanted, &python);
    if (python != NULL)
        fail(arena->failure, FAIL_USAGE, "check needs a tensor, and '%s' is %s",
             text_safe(arena, wanted), python);
    const char *part = wanted + strcspn(wanted, "[.");
    step->name = arena_format(arena, "%s%s", step->name, part);
    step->expression = arena_format(arena, "(%s)%s", step->expression, part);
    return step;
}
