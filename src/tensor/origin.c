#include "tensor/origin.h"

static const char *const operation_names[OPERATION_COUNT] = {
    [FROM_INPUT] = "tensor",
    [FROM_FULL] = "full",
    [FROM_UNIFORM] = "uniform_",
    [FROM_NORMAL] = "normal_",
    [ADD] = "add",
    [SUBTRACT] = "subtract",
    [MULTIPLY] = "multiply",
    [DIVIDE] = "divide",
    [ABSOLUTE] = "abs",
    [RELU] = "relu",
    [LOG] = "log",
    [MATMUL] = "matmul",
    [LINEAR] = "linear",
    [SOFTMAX] = "softmax",
    [LOG_SOFTMAX] = "log_softmax",
    [SUM] = "sum",
    [MEAN] = "mean",
    [VARIANCE] = "var",
    [LARGEST] = "amax",
    [TRIL] = "tril",
    [TRIU] = "triu",
    [TO_BOOL] = "bool",
    [MASKED_FILL] = "masked_fill",
    [DROPOUT] = "dropout",
    [CAT] = "cat",
    [STACK] = "stack",
    [COPY] = "contiguous",
    [EMBEDDING] = "embedding",
    [CROSS_ENTROPY] = "cross_entropy",
};

const char *operation_name(enum operation operation) {
    return operation_names[operation];
}

struct origin *origin_new(struct arena *arena, enum operation operation, int count,
                          const struct tensor *const *operands) {
    struct tensor *copies = arena_array(arena, (size_t)count, sizeof *copies);
    for (int i = 0; i < count; i++) copies[i] = *operands[i];
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    *origin = (struct origin){.operation = operation, .operand_count = count, .operands = copies};
    return origin;
}
