#ifndef ONESTEP_TENSOR_TENSOR_H
#define ONESTEP_TENSOR_TENSOR_H

// A tensor: numbers with a shape. The struct is a view, cheap to copy and never freed: it says how to
// walk a storage (offset, shape, strides), which may be shared with other views. The storage knows
// where its numbers came from (origin.h).
//
//     const struct tensor inputs = ...;                       // (6, 3), strides (3, 1)
//     const struct tensor keys = transpose(inputs, 0, 1);     // (3, 6), strides (1, 3), same storage
//     element(&keys, (int64_t[]){2, 5})                       // inputs[5][2]

#include <stdbool.h>
#include <stddef.h> // defines: size_t
#include <stdint.h>

#include "base/arena.h"
#include "tensor/role.h"

enum { MAX_DIMS = 6 };

// Lessons compute with the first three; a program may ask for all.
enum dtype { FLOAT32, BOOL, INT64, INT32, FLOAT64 };

// Of FLOAT32 a bfloat16 or float16, of INT32 a uint8, int8 or int16: a program asked for numbers that these hold.
enum narrow { ALL_BITS, BFLOAT16, FLOAT16, UINT8, INT8, INT16 };

static inline bool is_floating(enum dtype dtype) {
    return dtype == FLOAT32 || dtype == FLOAT64;
}

// How many bytes a number takes.
size_t bytes_of_number(enum dtype dtype);

// A list of sizes; ndim 0 is a single number.
struct shape {
    int ndim;
    int64_t size[MAX_DIMS];
};

// SHAPE(2, 6, 3). For a single number: NO_DIMS.
#define SHAPE(...)                                                                                 \
    ((struct shape){.ndim = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),             \
                    .size = {__VA_ARGS__}})
#define NO_DIMS ((struct shape){.ndim = 0})

// What a dimension counts.
enum meaning {
    AXIS_NONE, // nothing that is known
    AXIS_BATCH,
    AXIS_HEAD,
    AXIS_GROUP, // of heads that share keys and values
    AXIS_QUERY,
    AXIS_KEY,
    AXIS_TOKEN,
    AXIS_FEATURE,
    AXIS_HEAD_DIM, // the features of one head
    AXIS_INPUT,    // the features that a layer reads
    AXIS_WORD,     // of the vocabulary
    AXIS_POSITION, // of a table of positions
    AXIS_UPDATE,   // of a training
    MEANING_COUNT
};

// One dimension. Its name is its meaning ("query"), or `name` if that is not NULL. `labels` names each index
// along it (tokens) or is NULL. In a batch of different sentences each sentence has its own labels: those of
// the next sentence begin `apart` labels further on. 0: all sentences have the same labels.
struct axis {
    enum meaning meaning;
    const char *name;
    const char *const *labels;
    int64_t apart;
};

struct origin;
struct operation;

// Numbers side by side in memory: float, unsigned char (BOOL: 0 or 1), int64_t, int32_t or double.
struct storage {
    struct arena *arena; // the run's; views report failures through it
    enum dtype dtype;
    enum narrow narrow;
    int64_t count;      // elements
    uint64_t age;       // a larger number was created later, within one arena
    struct shape shape; // as allocated: elements are stored row by row
    void *data;
    const struct origin *origin; // not NULL once the operation was performed
    struct purpose purpose;
    // For ids: the word of each id. NULL for all other numbers.
    const char *const *words;
    int64_t word_count;
    // For a gradient: the loss, and the tensor that it is the gradient of. NULL for every other storage.
    const struct tensor *question;
    // What a program's machine keeps with the storage, or NULL; and in which sweep of its heap it saw that the storage is
    // needed (script/torch/storages.c).
    void *keeper;
    struct storage *next_kept;
    uint32_t kept_at;
};

struct tensor {
    struct storage *storage;
    int64_t offset; // elements from the storage's start
    int ndim;
    uint32_t seen; // when a program made this view, among the ages of storages; 0: no program did
    int64_t shape[MAX_DIMS];
    int64_t stride[MAX_DIMS]; // elements
    struct axis axis[MAX_DIMS];
    const struct operation
        *view; // the last view operation (ops/view.c); NULL: none since the storage was computed
};

// The tensor that is not there, for example the bias of a layer without one.
#define NO_TENSOR ((struct tensor){0})
static inline bool is_tensor(const struct tensor *tensor);

// A new tensor in `arena`, contiguous, all zeros, axes without a meaning. perform() (ops/operation.h) records
// its origin. Fails if a size is negative or the number of elements overflows.
struct tensor tensor_new(struct arena *arena, enum dtype dtype, struct shape shape);
// The same of FLOAT32 over numbers that are there and outlive the arena.
struct tensor tensor_around(struct arena *arena, struct shape shape, float *numbers);
// The same with the shape and axes of x.
struct tensor tensor_like(struct arena *arena, enum dtype dtype, const struct tensor *x);

// All of a storage, seen row by row in the shape; axes without a meaning.
struct tensor tensor_over(struct storage *storage, struct shape shape);

static inline struct shape shape_of(const struct tensor *tensor);
bool shapes_equal(struct shape a, struct shape b);

// Number of elements: the product of the sizes, 1 for ndim 0.
static inline int64_t count_of(struct shape shape);

// "(6, 3)", "(6,)", "()": as Python prints it: for a shape, and for ndim numbers (for strides).
const char *shape_text(struct arena *arena, struct shape shape);
const char *sizes_text(struct arena *arena, const int64_t *sizes, int ndim);

// Is the tensor laid out row by row without gaps, as PyTorch's is_contiguous()?
bool is_contiguous(const struct tensor *tensor);

// A dimension counted from the front (0 ... ndim-1) or from the back (-1 is the last). Fails, naming
// `operation`, if there is no such dimension.
int dimension(const struct tensor *tensor, int dim, const char *operation);

// The position of an element in the storage: offset + the sum of index[i] * stride[i].
static inline int64_t flat_index(const struct tensor *tensor, const int64_t *index);

// The index of the element number `position`, counted row by row (the last dimension runs fastest).
void index_at(struct shape shape, int64_t position, int64_t *index);

// Moves an index to the next place, row by row; after the last place comes the first. Far faster than
// index_at if all elements are visited.
static inline void next_index(const struct shape *shape, int64_t *index);

// The element, as a double whatever the dtype (a bool is 0 or 1; every int64 used here fits).
double element(const struct tensor *tensor, const int64_t *index);

// The element number `position`, counted row by row.
double element_at(const struct tensor *tensor, int64_t position);

// Elements of a FLOAT32 tensor by index; and the first of its floats, which are contiguous only where
// is_contiguous says so.
static inline float float_at(const struct tensor *tensor, const int64_t *index);
static inline float *floats_of(const struct tensor *tensor);

// The same view with other axes: set_axis sets the meaning of dimension `dim`, set_matrix those of the last
// two, name_axis a name for `dim` that says more than its meaning, label_axis its labels (or NULL). PyTorch:
// Tensor.refine_names.
struct tensor set_axis(struct tensor tensor, int dim, enum meaning meaning);
struct tensor set_matrix(struct tensor tensor, enum meaning rows, enum meaning columns);
struct tensor name_axis(struct tensor tensor, int dim, const char *name);
struct tensor label_axis(struct tensor tensor, int dim, const char *const *labels);

// The same view with the axes of another tensor of as many dimensions.
struct tensor with_axes_of(struct tensor tensor, const struct tensor *other);

// "batch × query × key": what the axes mean, outermost first; for an axis without a name, its size.
const char *axes_text(struct arena *arena, const struct tensor *tensor);

// The integer that an element is, exactly; of a float without its fraction.
int64_t whole_element(const struct tensor *tensor, const int64_t *index);

// Puts a number, as the storage's dtype rounds it, at a place of the storage.
void put_number(struct storage *storage, int64_t position, double number);
void put_whole(struct storage *storage, int64_t position, int64_t number);

// "float32", "bool", "int64", "int32", "float64".
const char *dtype_text(const struct tensor *tensor);

// The name of index `i` (from 0) of a dimension: its label, or its number from 1. In a batch, that of the
// first sentence. Along a single row of ids it is the word of the id, so that the words are right even if a
// mistake changes the ids.
const char *label_of(struct arena *arena, const struct tensor *tensor, int dim, int64_t i);
// The same for an element, with the labels of the element's own sentence.
const char *label_at(struct arena *arena, const struct tensor *tensor, int dim,
                     const int64_t *index);
// Do the indices of the dimension have labels or words? If not, they have only numbers.
bool has_labels(const struct tensor *tensor, int dim);
// The same tensor with the labels of the sentence that `index` belongs to, for label_of.
struct tensor labelled_at(struct tensor tensor, const int64_t *index);

// The first dimension with this meaning, or -1.
int find_axis(const struct tensor *tensor, enum meaning meaning);

// The size of the first dimension that means this; 1 if there is none.
int64_t size_along(const struct tensor *tensor, enum meaning meaning);

// What the numbers that it shows are for.
static inline enum role role_of(const struct tensor *tensor);

// The name of a dimension: "query"; NULL if it has neither name nor meaning.
const char *axis_name(const struct tensor *tensor, int dim);

// ---- Done for every element, so no calls -----------------------------------------------------------

static inline bool is_tensor(const struct tensor *tensor) {
    return tensor->storage != NULL;
}

static inline enum role role_of(const struct tensor *tensor) {
    return tensor->storage->purpose.role;
}

static inline int64_t count_of(struct shape shape) {
    int64_t count = 1;
    for (int dim = 0; dim < shape.ndim; dim++) count *= shape.size[dim];
    return count;
}

static inline struct shape shape_of(const struct tensor *tensor) {
    struct shape shape = {.ndim = tensor->ndim};
    for (int dim = 0; dim < tensor->ndim; dim++) shape.size[dim] = tensor->shape[dim];
    return shape;
}

static inline int64_t flat_index(const struct tensor *tensor, const int64_t *index) {
    int64_t flat = tensor->offset;
    for (int dim = 0; dim < tensor->ndim; dim++) flat += index[dim] * tensor->stride[dim];
    return flat;
}

static inline void next_index(const struct shape *shape, int64_t *index) {
    for (int dim = shape->ndim - 1; dim >= 0; dim--) {
        if (++index[dim] < shape->size[dim]) return;
        index[dim] = 0;
    }
}

static inline float *floats_of(const struct tensor *tensor) {
    return (float *)tensor->storage->data + tensor->offset;
}

static inline float float_at(const struct tensor *tensor, const int64_t *index) {
    return floats_of(tensor)[flat_index(tensor, index) - tensor->offset];
}

#endif
