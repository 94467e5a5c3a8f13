#include "trace/part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "trace/step.h"

// What is being read of a reference.
struct reading {
    struct arena *arena;
    const char *wanted; // all of it
    const char *next;
    struct tensor tensor;
};

static size_t name_length(const char *wanted) {
    return strcspn(wanted, "[.");
}

bool asks_for_part(const char *wanted) {
    return wanted[name_length(wanted)] != '\0';
}

static _Noreturn void refuse(const struct reading *reading) {
    fail(reading->arena->failure, FAIL_USAGE,
         "'%s' is no part of a step: it may end in [1, 2], [:, :2], .T, .sum() or .shape",
         text_safe(reading->arena, reading->wanted));
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

// ---- Indices ------------------------------------------------------------------------------------

static bool has_integer(struct reading *reading) {
    skip_blanks(reading);
    return isdigit((unsigned char)reading->next[reading->next[0] == '-']);
}

static int64_t next_integer(struct reading *reading) {
    char *end;
    const int64_t integer = strtoll(reading->next, &end, 10);
    reading->next = end;
    return integer;
}

// The end of a slice as Python takes it: counted from the back if negative, and never outside.
static int64_t end_of_slice(int64_t end, int64_t size) {
    if (end < 0) end += size;
    if (end < 0) return 0;
    return end > size ? size : end;
}

static void take_slice(struct reading *reading, int dim, int64_t first) {
    const int64_t size = reading->tensor.shape[dim];
    const int64_t start = end_of_slice(first, size);
    const int64_t end = has_integer(reading) ? end_of_slice(next_integer(reading), size) : size;
    reading->tensor = narrow(reading->tensor, dim, start, end > start ? end - start : 0);
}

// Takes an index or a slice of dimension `dim`; returns the dimension behind it.
static int take_index(struct reading *reading, int dim) {
    struct arena *m = reading->arena;
    if (dim >= reading->tensor.ndim)
        fail(m->failure, FAIL_USAGE, "'%s' has more indices than dimensions: the shape is %s",
             text_safe(m, reading->wanted), shape_text(m, shape_of(&reading->tensor)));
    const bool is_given = has_integer(reading);
    const int64_t index = is_given ? next_integer(reading) : 0;
    if (takes(reading, ":")) {
        take_slice(reading, dim, index);
        return dim + 1;
    }
    if (!is_given) refuse(reading);
    const int64_t size = reading->tensor.shape[dim];
    if (index < -size || index >= size)
        fail(m->failure, FAIL_USAGE, "'%s': no index %lld in a dimension of size %lld",
             text_safe(m, reading->wanted), (long long)index, (long long)size);
    reading->tensor = select_index(reading->tensor, dim, index < 0 ? index + size : index);
    return dim;
}

static void take_indices(struct reading *reading) {
    int dim = 0;
    do dim = take_index(reading, dim);
    while (takes(reading, ","));
    if (!takes(reading, "]")) refuse(reading);
}

// ---- Methods ------------------------------------------------------------------------------------

static struct tensor turned(struct tensor x) {
    static const struct operation turning = {.name = "permute", .backward = "PermuteBackward0"};
    for (int dim = 0; dim < x.ndim / 2; dim++) x = transpose(x, dim, x.ndim - 1 - dim);
    x.view = &turning;
    return x;
}

// A sum over all dimensions runs through them as one. A slice with gaps is taken row by row here.
static struct tensor total(struct tensor x) {
    if (x.storage->dtype == FLOAT32)
        return sum(view(contiguous(x), SHAPE(count_of(shape_of(&x)))), 0, false);
    struct arena *m = x.storage->arena;
    const struct tensor result = tensor_given(m, INT64, NO_DIMS);
    for (int64_t i = 0; i < count_of(shape_of(&x)); i++)
        *(int64_t *)result.storage->data += (int64_t)element_at(&x, i);
    return result;
}

struct part find_part(struct arena *arena, const struct run *run, const char *wanted) {
    const size_t length = name_length(wanted);
    const struct step *step =
        find_step(run, arena_copy_bytes(arena, wanted, length), arena->failure);
    struct reading reading = {arena, wanted, wanted + length, step->tensor};
    struct part part = {.step = *step};
    while (*reading.next != '\0' && !part.is_shape) {
        if (takes(&reading, "["))
            take_indices(&reading);
        else if (takes(&reading, ".T"))
            reading.tensor = turned(reading.tensor);
        else if (takes(&reading, ".sum()"))
            reading.tensor = total(reading.tensor);
        else if (takes(&reading, ".shape"))
            part.is_shape = true;
        else
            refuse(&reading);
        skip_blanks(&reading);
    }
    if (*reading.next != '\0') refuse(&reading);
    part.step.tensor = reading.tensor;
    return part;
}
