#ifndef ONESTEP_TENSOR_OPERATION_ROWS_H
#define ONESTEP_TENSOR_OPERATION_ROWS_H

// The list of all operations, in the order of the cheat sheet. Each has a row called NAME_row.

#include "tensor/operation/operation.h"

// clang-format off
#define OPERATIONS(ROW)       \
    ROW(matmul)               \
    ROW(linear)               \
    ROW(transpose)            \
    ROW(view)                 \
    ROW(copy)                 \
    ROW(detach)               \
    ROW(expand)               \
    ROW(narrow)               \
    ROW(select)               \
    ROW(slice)                \
    ROW(stack)                \
    ROW(cat)                  \
    ROW(repeat_interleave)    \
    ROW(repeat)               \
    ROW(flip)                 \
    ROW(embedding)            \
    ROW(one_hot)              \
    ROW(index_add)            \
    ROW(scatter_add)          \
    ROW(softmax)              \
    ROW(log_softmax)          \
    ROW(softmax_backward)     \
    ROW(log_softmax_backward) \
    ROW(cross_entropy)        \
    ROW(sum)                  \
    ROW(mean)                 \
    ROW(var)                  \
    ROW(amax)                 \
    ROW(argmax)               \
    ROW(topk)                 \
    ROW(gather)               \
    ROW(bincount)             \
    ROW(add)                  \
    ROW(subtract)             \
    ROW(multiply)             \
    ROW(divide)               \
    ROW(maximum)              \
    ROW(absolute)             \
    ROW(sign)                 \
    ROW(relu)                 \
    ROW(sqrt)                 \
    ROW(log)                  \
    ROW(neg)                  \
    ROW(exp)                  \
    ROW(sin)                  \
    ROW(cos)                  \
    ROW(tanh)                 \
    ROW(tanh_backward)        \
    ROW(pow)                  \
    ROW(pow_number)           \
    ROW(tril)                 \
    ROW(triu)                 \
    ROW(bool)                 \
    ROW(less)                 \
    ROW(at_most)              \
    ROW(equal)                \
    ROW(logical_or)           \
    ROW(logical_not)          \
    ROW(float)                \
    ROW(masked_fill)          \
    ROW(uniform)              \
    ROW(normal)               \
    ROW(dropout)              \
    ROW(dropout_again)        \
    ROW(multinomial)          \
    ROW(zero_grad)            \
    ROW(sgd)                  \
    ROW(momentum)             \
    ROW(adamw)                \
    ROW(kept)                 \
    ROW(given)                \
    ROW(constant)             \
    ROW(full)
// clang-format on

#define DECLARE_ROW(name) extern const struct operation name##_row;
OPERATIONS(DECLARE_ROW)
#undef DECLARE_ROW

extern const struct operation *const operation_list[];
extern const int operation_count;

#endif
