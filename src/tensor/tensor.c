#include "tensor/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const int64_t MAX_ELEMENTS = INT64_C(1) << 40;

size_t bytes_of_number(enum dtype dtype) {
    switch (dtype) {
    case FLOAT32:
        return sizeof(float);
    case BOOL:
        return sizeof(unsigned char);
    case INT64:
        return sizeof(int64_t);
    case INT32:
        return sizeof(int32_t);
    case FLOAT64:
        return sizeof(double);
    }
    return 0;
}

static void check_sizes(struct arena *arena, struct shape shape) {
    int64_t count = 1;
    for (int dim = 0; dim < shape.ndim; dim++) {
        const int64_t size = shape.size[dim];
        if (size < 0 || (size > 0 && count > MAX_ELEMENTS / size)) {
            fail(arena->failure, FAIL_USAGE, "a tensor of shape %s is not possible",
                 shape_text(arena, shape));
        }
        if (size > 0) count *= size; // strides count a 0 as 1
    }
}

static struct tensor tensor_with(struct arena *arena, enum dtype dtype, struct shape shape,
                                 void *numbers) {
    const int64_t count = count_of(shape);
    struct storage *storage = arena_allocate(arena, sizeof *storage);
    *storage = (struct storage){
        .arena = arena,
        .dtype = dtype,
        .count = count,
        .age = arena_number(arena),
        .shape = shape,
        .data = numbers,
    };
    return tensor_over(storage, shape);
}

struct tensor tensor_new(struct arena *arena, enum dtype dtype, struct shape shape) {
    check_sizes(arena, shape);
    return tensor_with(arena, dtype, shape,
                       arena_array(arena, (size_t)count_of(shape), bytes_of_number(dtype)));
}

struct tensor tensor_around(struct arena *arena, struct shape shape, float *numbers) {
    return tensor_with(arena, FLOAT32, shape, numbers);
}

struct tensor tensor_like(struct arena *arena, enum dtype dtype, const struct tensor *x) {
    return with_axes_of(tensor_new(arena, dtype, shape_of(x)), x);
}

struct tensor tensor_over(struct storage *storage, struct shape shape) {
    struct tensor tensor = {.storage = storage, .ndim = shape.ndim};
    int64_t stride = 1;
    for (int dim = shape.ndim - 1; dim >= 0; dim--) {
        tensor.shape[dim] = shape.size[dim];
        tensor.stride[dim] = stride;
        stride *= shape.size[dim] > 0 ? shape.size[dim] : 1;
    }
    return tensor;
}

bool shapes_equal(struct shape a, struct shape b) {
    if (a.ndim != b.ndim) return false;
    for (int dim = 0; dim < a.ndim; dim++) {
        if (a.size[dim] != b.size[dim]) return false;
    }
    return true;
}

const char *sizes_text(struct arena *arena, const int64_t *sizes, int ndim) {
    char text[MAX_DIMS * 24 + 4];
    size_t length = 0;
    text[length++] = '(';
    for (int dim = 0; dim < ndim; dim++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64,
                                   dim > 0 ? ", " : "", sizes[dim]);
    }
    snprintf(text + length, sizeof text - length, ndim == 1 ? ",)" : ")");
    return arena_copy(arena, text);
}

const char *shape_text(struct arena *arena, struct shape shape) {
    return sizes_text(arena, shape.size, shape.ndim);
}

bool is_contiguous(const struct tensor *tensor) {
    if (count_of(shape_of(tensor)) == 0) return true;
    int64_t stride = 1;
    for (int dim = tensor->ndim - 1; dim >= 0; dim--) {
        if (tensor->shape[dim] == 1) continue;
        if (tensor->stride[dim] != stride) return false;
        stride *= tensor->shape[dim];
    }
    return true;
}

int dimension(const struct tensor *tensor, int dim, const char *operation) {
    const int from_front = dim < 0 ? dim + tensor->ndim : dim;
    if (from_front < 0 || from_front >= tensor->ndim) {
        struct arena *arena = tensor->storage->arena;
        fail(arena->failure, FAIL_USAGE, "%s: a tensor of shape %s has no dimension %d", operation,
             shape_text(arena, shape_of(tensor)), dim);
    }
    return from_front;
}

void index_at(struct shape shape, int64_t position, int64_t *index) {
    for (int dim = shape.ndim - 1; dim >= 0; dim--) {
        index[dim] = position % shape.size[dim];
        position /= shape.size[dim];
    }
}

double element(const struct tensor *tensor, const int64_t *index) {
    const int64_t flat = flat_index(tensor, index);
    switch (tensor->storage->dtype) {
    case FLOAT32:
        return (double)((const float *)tensor->storage->data)[flat];
    case BOOL:
        return (double)((const unsigned char *)tensor->storage->data)[flat];
    case INT64:
        return (double)((const int64_t *)tensor->storage->data)[flat];
    case INT32:
        return (double)((const int32_t *)tensor->storage->data)[flat];
    case FLOAT64:
        return ((const double *)tensor->storage->data)[flat];
    }
    return 0;
}

// As processors of 64 bits convert what no integer can be.
static int64_t whole_of(double number) {
    const bool is_there = number >= -0x1p63 && number < 0x1p63;
    return is_there ? (int64_t)number : INT64_MIN;
}

int64_t whole_element(const struct tensor *tensor, const int64_t *index) {
    const int64_t flat = flat_index(tensor, index);
    const void *data = tensor->storage->data;
    if (tensor->storage->dtype == INT64) return ((const int64_t *)data)[flat];
    return whole_of(element(tensor, index));
}

void put_whole(struct storage *storage, int64_t position, int64_t number) {
    switch (storage->dtype) {
    case FLOAT32:
        ((float *)storage->data)[position] = (float)number;
        break;
    case FLOAT64:
        ((double *)storage->data)[position] = (double)number;
        break;
    case BOOL:
        ((unsigned char *)storage->data)[position] = number != 0;
        break;
    case INT64:
        ((int64_t *)storage->data)[position] = number;
        break;
    case INT32:
        ((int32_t *)storage->data)[position] = (int32_t)(uint32_t)(uint64_t)number;
        break;
    }
}

void put_number(struct storage *storage, int64_t position, double number) {
    switch (storage->dtype) {
    case FLOAT32:
        ((float *)storage->data)[position] = (float)number;
        break;
    case FLOAT64:
        ((double *)storage->data)[position] = number;
        break;
    case BOOL:
        ((unsigned char *)storage->data)[position] = number != 0;
        break;
    case INT64:
    case INT32:
        put_whole(storage, position, whole_of(number));
        break;
    }
}

double element_at(const struct tensor *tensor, int64_t position) {
    int64_t index[MAX_DIMS] = {0};
    index_at(shape_of(tensor), position, index);
    return element(tensor, index);
}

struct tensor set_axis(struct tensor tensor, int dim, enum meaning meaning) {
    struct axis *axis = &tensor.axis[dimension(&tensor, dim, "set_axis")];
    axis->meaning = meaning;
    axis->name = NULL;
    return tensor;
}

struct tensor set_matrix(struct tensor tensor, enum meaning rows, enum meaning columns) {
    return set_axis(set_axis(tensor, -2, rows), -1, columns);
}

struct tensor name_axis(struct tensor tensor, int dim, const char *name) {
    tensor.axis[dimension(&tensor, dim, "name_axis")].name = name;
    return tensor;
}

struct tensor label_axis(struct tensor tensor, int dim, const char *const *labels) {
    struct axis *axis = &tensor.axis[dimension(&tensor, dim, "label_axis")];
    axis->labels = labels;
    axis->apart = 0;
    return tensor;
}

struct tensor with_axes_of(struct tensor tensor, const struct tensor *other) {
    memcpy(tensor.axis, other->axis, sizeof tensor.axis);
    return tensor;
}

int find_axis(const struct tensor *tensor, enum meaning meaning) {
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (tensor->axis[dim].meaning == meaning) return dim;
    }
    return -1;
}

int64_t size_along(const struct tensor *tensor, enum meaning meaning) {
    const int dim = find_axis(tensor, meaning);
    return dim >= 0 ? tensor->shape[dim] : 1;
}

const char *axis_name(const struct tensor *tensor, int dim) {
    static const char *const names[MEANING_COUNT] = {
        [AXIS_BATCH] = "batch",     [AXIS_HEAD] = "head",         [AXIS_GROUP] = "group",
        [AXIS_QUERY] = "query",     [AXIS_KEY] = "key",           [AXIS_TOKEN] = "token",
        [AXIS_FEATURE] = "feature", [AXIS_HEAD_DIM] = "head_dim", [AXIS_INPUT] = "input",
        [AXIS_WORD] = "word",       [AXIS_POSITION] = "position", [AXIS_UPDATE] = "update",
    };
    const struct axis *axis = &tensor->axis[dim];
    return axis->name != NULL ? axis->name : names[axis->meaning];
}

const char *axes_text(struct arena *arena, const struct tensor *tensor) {
    if (tensor->ndim == 0) return "a single number";
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *name = axis_name(tensor, dim);
        text_add(&text, dim > 0 ? " × " : "");
        if (name != NULL)
            text_add(&text, name);
        else
            text_add_format(&text, "%" PRId64, tensor->shape[dim]);
    }
    return text.bytes;
}

const char *dtype_text(const struct tensor *tensor) {
    static const char *const names[] = {[FLOAT32] = "float32",
                                        [BOOL] = "bool",
                                        [INT64] = "int64",
                                        [INT32] = "int32",
                                        [FLOAT64] = "float64"};
    static const char *const narrow_names[] = {"", "bfloat16", "float16", "uint8", "int8", "int16"};
    const enum narrow narrow = tensor->storage->narrow;
    return narrow != ALL_BITS ? narrow_names[narrow] : names[tensor->storage->dtype];
}

// The word of which this number is the id; NULL if the number is no id.
static const char *word_of_id(const struct tensor *tensor, const int64_t *index) {
    const struct storage *storage = tensor->storage;
    if (storage == NULL || storage->words == NULL) return NULL;
    const int64_t id = ((const int64_t *)storage->data)[flat_index(tensor, index)];
    return id >= 0 && id < storage->word_count ? storage->words[id] : NULL;
}

// Of a single row, place i along its dimension.
static const char *word_along(const struct tensor *tensor, int dim, int64_t i) {
    int64_t index[MAX_DIMS] = {0};
    const bool is_row = dim == tensor->ndim - 1 && count_of(shape_of(tensor)) == tensor->shape[dim];
    if (!is_row) return NULL;
    index[dim] = i;
    return word_of_id(tensor, index);
}

bool has_labels(const struct tensor *tensor, int dim) {
    const bool is_empty = tensor->shape[dim] == 0;
    return tensor->axis[dim].labels != NULL || (!is_empty && word_along(tensor, dim, 0) != NULL);
}

const char *label_of(struct arena *arena, const struct tensor *tensor, int dim, int64_t i) {
    const char *word = word_along(tensor, dim, i);
    if (word != NULL) return word;
    const char *const *labels = tensor->axis[dim].labels;
    return labels != NULL ? labels[i] : arena_format(arena, "%" PRId64, i + 1);
}

struct tensor labelled_at(struct tensor tensor, const int64_t *index) {
    const int batch = find_axis(&tensor, AXIS_BATCH);
    for (int dim = 0; dim < tensor.ndim && batch >= 0; dim++) {
        struct axis *axis = &tensor.axis[dim];
        if (axis->labels != NULL) axis->labels += index[batch] * axis->apart;
        axis->apart = 0;
    }
    return tensor;
}

const char *label_at(struct arena *arena, const struct tensor *tensor, int dim,
                     const int64_t *index) {
    const struct tensor labelled = labelled_at(*tensor, index);
    return label_of(arena, &labelled, dim, index[dim]);
}
