// Answers pytorch_operations.py, pytorch_gradients.py and pytorch_printing.py through a pipe, in place of a process for every
// tensor:
//
//     print DIGITS DTYPE TRANSPOSED NDIM SIZE ...    then the elements in the machine's own bytes
//     an operation, as in asked.h, or a graph, as in graph.h
//
// The answer is a line with the number of its bytes, then these: what print() shows, or the numbers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "base/fail.h"
#include "graph.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"

static void answer(const void *bytes, size_t length) {
    printf("%zu\n", length);
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
}

static int64_t next_number(char **line) {
    return strtoll(*line, line, 10);
}

static size_t bytes_of(enum dtype dtype) {
    return dtype == FLOAT32 ? sizeof(float) : dtype == INT64 ? sizeof(int64_t) : 1;
}

static void print(struct arena *arena, char *line) {
    const int digits = (int)next_number(&line);
    const enum dtype dtype = (enum dtype)next_number(&line);
    const bool is_transposed = next_number(&line) != 0;
    struct shape shape = {.ndim = (int)next_number(&line)};
    for (int i = 0; i < shape.ndim; i++) shape.size[i] = next_number(&line);
    struct tensor tensor = tensor_new(arena, dtype, shape);
    const size_t count = (size_t)count_of(shape);
    if (fread(tensor.storage->data, bytes_of(dtype), count, stdin) != count) exit(1);
    if (is_transposed) tensor = transpose(tensor, -2, -1);
    const char *text = torch_text(arena, &tensor, digits);
    answer(text, strlen(text));
}

// Any other line is an operation.
static void compute(struct arena *arena, const char *line) {
    const bool is_graph = strncmp(line, "graph ", 6) == 0;
    const struct tensor result = is_graph ? graph(arena, line, stdin) : asked(arena, line, stdin);
    const size_t count = (size_t)count_of(shape_of(&result));
    answer(result.storage->data, count * bytes_of(result.storage->dtype));
}

struct request {
    struct arena *arena;
    char *line;
};

static void serve(void *context) {
    struct request *request = context;
    if (strncmp(request->line, "print ", 6) == 0)
        print(request->arena, request->line + 6);
    else
        compute(request->arena, request->line);
}

int main(void) {
    struct failure failure = {0};
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct arena arena = arena_new(&failure);
        struct request request = {&arena, line};
        if (!attempt(&failure, serve, &request)) {
            fprintf(stderr, "tensor_pipe: %s\n", failure.message);
            return 1;
        }
        arena_free(&arena);
    }
    return 0;
}
