// Answers pytorch_differential.py through a pipe, in place of a process for every tensor:
//
//     print DIGITS DTYPE TRANSPOSED NDIM SIZE ...    then the elements in the machine's own bytes
//     draw SEED COUNT float|double                   that many uniform numbers after manual_seed
//
// The answer is a line with the number of its bytes, then these: what print() shows, or the numbers.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tensor/file/format.h"
#include "tensor/number/generator.h"
#include "tensor/ops/ops.h"

static void answer(const void *bytes, size_t length) {
    printf("%zu\n", length);
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
}

static int64_t next_number(char **line) {
    return strtoll(*line, line, 10);
}

static void print(struct arena *arena, char *line) {
    static const size_t sizes[] = {[FLOAT32] = 4, [BOOL] = 1, [INT64] = 8};
    const int digits = (int)next_number(&line);
    const enum dtype dtype = (enum dtype)next_number(&line);
    const bool is_transposed = next_number(&line) != 0;
    struct shape shape = {.ndim = (int)next_number(&line)};
    for (int i = 0; i < shape.ndim; i++) shape.size[i] = next_number(&line);
    struct tensor tensor = tensor_new(arena, dtype, shape);
    const size_t count = (size_t)count_of(shape);
    if (fread(tensor.storage->data, sizes[dtype], count, stdin) != count) exit(1);
    if (is_transposed) tensor = transpose(tensor, -2, -1);
    const char *text = torch_text(arena, &tensor, digits);
    answer(text, strlen(text));
}

static void draw(struct arena *arena, char *line) {
    const uint64_t seed =
        *line == '-' ? (uint64_t)strtoll(line, &line, 10) : strtoull(line, &line, 10);
    const size_t count = (size_t)next_number(&line);
    struct generator generator;
    manual_seed(&generator, seed);
    if (strstr(line, "float") != NULL) {
        float *values = arena_array(arena, count, sizeof *values);
        for (size_t i = 0; i < count; i++) values[i] = random_float(&generator);
        answer(values, count * sizeof *values);
    } else {
        double *values = arena_array(arena, count, sizeof *values);
        for (size_t i = 0; i < count; i++) values[i] = random_double(&generator);
        answer(values, count * sizeof *values);
    }
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
        draw(request->arena, request->line + 5);
}

int main(void) {
    struct failure failure = {0};
    char line[256];
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
