// What PyTorch says where shapes do not fit.

#include <inttypes.h>

#include "script/torch/tensor_object.h"

struct shape broadcast_of(struct torch_call *call, const struct tensor *a, const struct tensor *b) {
    struct shape shape = {.ndim = a->ndim > b->ndim ? a->ndim : b->ndim};
    for (int back = 1; back <= shape.ndim; back++) {
        const int64_t size_a = back <= a->ndim ? a->shape[a->ndim - back] : 1;
        const int64_t size_b = back <= b->ndim ? b->shape[b->ndim - back] : 1;
        if (size_a != size_b && size_a != 1 && size_b != 1)
            refuse(call,
                   "The size of tensor a (%" PRId64 ") must match the size of tensor b (%" PRId64
                   ") at non-singleton dimension %d",
                   size_a, size_b, shape.ndim - back);
        shape.size[shape.ndim - back] = size_a == 1 ? size_b : size_a;
    }
    return shape;
}

const char *c_name(const struct storage *storage) {
    static const char *const names[] = {[FLOAT32] = "float",
                                        [BOOL] = "bool",
                                        [INT64] = "long int",
                                        [INT32] = "int",
                                        [FLOAT64] = "double"};
    static const char *const narrow[] = {
        "", "c10::BFloat16", "c10::Half", "unsigned char", "signed char", "short"};
    return storage->narrow != ALL_BITS ? narrow[storage->narrow] : names[storage->dtype];
}

static void check_dtypes(struct torch_call *call, const struct tensor *a, const struct tensor *b) {
    const struct storage *left = a->storage, *right = b->storage;
    if (left->dtype == right->dtype && left->narrow == right->narrow) return;
    if (a->ndim == 1 && b->ndim == 1)
        refuse(call, "dot : expected both vectors to have same dtype, but found %s and %s",
               scalar_type(left), scalar_type(right));
    if (a->ndim <= 2 && b->ndim == 2)
        refuse(call, "expected m1 and m2 to have the same dtype, but got: %s != %s", c_name(left),
               c_name(right));
    refuse(call, "expected scalar type %s but found %s", scalar_type(left), scalar_type(right));
}

static _Noreturn void refuse_vector(struct torch_call *call, int64_t rows, int64_t columns,
                                    int64_t size) {
    refuse(call,
           "size mismatch, got input (%" PRId64 "), mat (%" PRId64 "x%" PRId64 "), vec (%" PRId64
           ")",
           rows, rows, columns, size);
}

static _Noreturn void refuse_matrices(struct torch_call *call, int64_t n, int64_t k, int64_t other,
                                      int64_t m) {
    refuse(call,
           "mat1 and mat2 shapes cannot be multiplied (%" PRId64 "x%" PRId64 " and %" PRId64
           "x%" PRId64 ")",
           n, k, other, m);
}

static int64_t inner_size(const struct tensor *x, bool is_left) {
    return x->shape[is_left || x->ndim == 1 ? x->ndim - 1 : x->ndim - 2];
}

static void refuse_small(struct torch_call *call, const struct tensor *a, const struct tensor *b) {
    const int64_t inner_a = inner_size(a, true), inner_b = inner_size(b, false);
    if (inner_a == inner_b) return;
    if (a->ndim == 1 && b->ndim == 1)
        refuse(call,
               "inconsistent tensor size, expected tensor [%" PRId64 "] and src [%" PRId64
               "] to have the same number of elements, but got %" PRId64 " and %" PRId64
               " elements respectively",
               inner_a, inner_b, inner_a, inner_b);
    if (b->ndim == 1) refuse_vector(call, a->shape[0], a->shape[1], b->shape[0]);
    refuse_matrices(call, a->ndim == 1 ? 1 : a->shape[0], inner_a, b->shape[0], b->shape[1]);
}

// Rows below each other, where one of the two has no batch.
static int64_t folded_rows(const struct tensor *x, bool is_left) {
    int64_t rows = 1;
    for (int dim = 0; dim < x->ndim - 2; dim++) rows *= x->shape[dim];
    return x->ndim == 1 ? 1 : rows * x->shape[is_left ? x->ndim - 2 : x->ndim - 1];
}

static void check_batches(struct torch_call *call, const struct tensor *a, const struct tensor *b) {
    struct tensor left = *a, right = *b;
    left.ndim = a->ndim > 2 ? a->ndim - 2 : 0;
    right.ndim = b->ndim > 2 ? b->ndim - 2 : 0;
    const int64_t batch = count_of(broadcast_of(call, &left, &right));
    const int64_t inner_a = inner_size(a, true), inner_b = inner_size(b, false);
    if (inner_a == inner_b) return;
    if (b->ndim == 1) refuse_vector(call, folded_rows(a, true), inner_a, b->shape[0]);
    if (b->ndim == 2)
        refuse_matrices(call, folded_rows(a, true), inner_a, b->shape[0], b->shape[1]);
    // the other way round, both turned
    if (a->ndim == 1) refuse_vector(call, folded_rows(b, false), inner_b, inner_a);
    if (a->ndim == 2)
        refuse_matrices(call, folded_rows(b, false), inner_b, a->shape[1], a->shape[0]);
    refuse(call,
           "Expected size for first two dimensions of batch2 tensor to be: [%" PRId64 ", %" PRId64
           "] but got: [%" PRId64 ", %" PRId64 "].",
           batch, inner_a, batch, inner_b);
}

void check_product(struct torch_call *call, const struct tensor *a, const struct tensor *b) {
    if (a->ndim == 0 || b->ndim == 0)
        refuse(call, "both arguments to matmul need to be at least 1D, but they are %dD and %dD",
               a->ndim, b->ndim);
    if (a->ndim <= 2 && b->ndim <= 2)
        refuse_small(call, a, b);
    else
        check_batches(call, a, b);
    check_dtypes(call, a, b);
}

// Lies it in memory without gaps, in whatever order of its dimensions?
static bool is_dense(const struct tensor *x) {
    int64_t reach = 1;
    for (int dim = 0; dim < x->ndim; dim++) {
        if (x->shape[dim] > 1 && x->stride[dim] == 0) return false;
        reach += (x->shape[dim] - 1) * x->stride[dim];
    }
    return reach == count_of(shape_of(x));
}

// aten/src/ATen/MemoryOverlap.cpp
void check_overlap(struct torch_call *call, const struct tensor *target,
                   const struct tensor *from) {
    const int64_t count = count_of(shape_of(target)), other = count_of(shape_of(from));
    for (int dim = 0; dim < target->ndim && from->ndim > 0; dim++)
        if (target->shape[dim] > 1 && target->stride[dim] == 0)
            refuse(call, "unsupported operation: more than one element of the written-to tensor "
                         "refers to a single memory location. Please clone() the tensor before "
                         "performing the operation.");
    if (target->storage->data != from->storage->data || count == 0 || other == 0) return;
    bool is_same = target->offset == from->offset && target->ndim == from->ndim;
    for (int dim = 0; is_same && dim < target->ndim; dim++)
        is_same =
            target->shape[dim] == from->shape[dim] && target->stride[dim] == from->stride[dim];
    if (is_same || !is_dense(target) || !is_dense(from)) return;
    if (target->offset < from->offset + other && from->offset < target->offset + count)
        refuse(call, "unsupported operation: some elements of the input tensor and the written-to "
                     "tensor refer to a single memory location. Please clone() the tensor before "
                     "performing the operation.");
}
