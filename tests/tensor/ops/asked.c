#include "asked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

struct question {
    struct arena *arena;
    FILE *data; // NULL: numbers are drawn
    struct generator generator;
    const char *rest; // of the line
    int64_t dim;
};

static int64_t next_integer(struct question *question) {
    char *end;
    const int64_t integer = strtoll(question->rest, &end, 10);
    question->rest = end;
    return integer;
}

static bool is_more(const struct question *question) {
    return question->rest[strspn(question->rest, " \n")] != '\0';
}

// The sizes of a tensor, whose numbers do not matter.
static struct shape next_shape(struct question *question) {
    struct shape shape = {.ndim = (int)next_integer(question)};
    for (int dim = 0; dim < shape.ndim; dim++) shape.size[dim] = next_integer(question);
    return shape;
}

static struct tensor next_tensor(struct question *question) {
    struct arena *arena = question->arena;
    const struct shape shape = next_shape(question);
    struct tensor x;
    if (question->data == NULL) {
        x = uniform(arena, &question->generator, shape, -1, 1);
    } else {
        x = tensor_given(arena, FLOAT32, shape);
        const size_t count = (size_t)count_of(shape);
        if (fread(floats_of(&x), sizeof(float), count, question->data) != count)
            fail(arena->failure, FAIL_RUNTIME, "there are fewer numbers than that");
    }
    struct tensor permuted = x;
    for (int dim = 0; dim < shape.ndim; dim++) {
        const int64_t from = next_integer(question);
        permuted.shape[dim] = x.shape[from];
        permuted.stride[dim] = x.stride[from];
    }
    return permuted;
}

static struct tensor uniformly_drawn(struct question *question) {
    return uniform(question->arena, &question->generator, next_shape(question), 0, 1);
}

// Doubles, as their bits.
static struct tensor doubles_drawn(struct question *question) {
    const struct tensor result = tensor_given(question->arena, INT64, next_shape(question));
    double *doubles = result.storage->data;
    for (int64_t i = 0; i < result.storage->count; i++)
        doubles[i] = random_double(&question->generator);
    return result;
}

static struct tensor normally_drawn(struct question *question) {
    return normal(question->arena, &question->generator, next_shape(question));
}

static struct tensor summed(struct question *question) {
    return sum(next_tensor(question), (int)question->dim, false);
}

static struct tensor averaged(struct question *question) {
    return mean(next_tensor(question), (int)question->dim, false);
}

static struct tensor varied(struct question *question) {
    return var(next_tensor(question), (int)question->dim, true, false);
}

static struct tensor softened(struct question *question) {
    return softmax(next_tensor(question), (int)question->dim);
}

static struct tensor log_softened(struct question *question) {
    return log_softmax(next_tensor(question), (int)question->dim);
}

static struct tensor multiplied(struct question *question) {
    const struct tensor a = next_tensor(question);
    return matmul(a, next_tensor(question));
}

static struct tensor projected(struct question *question) {
    const struct tensor x = next_tensor(question), weight = next_tensor(question);
    return linear(x, weight, is_more(question) ? next_tensor(question) : NO_TENSOR);
}

static struct tensor population_varied(struct question *question) {
    return var(next_tensor(question), (int)question->dim, false, true);
}

// A thousand samples from a softmax, by draws from the seed 123, as floats.
static struct tensor sampled(struct question *question) {
    struct generator generator;
    manual_seed(&generator, 123);
    const struct tensor probabilities = softmax(next_tensor(question), 0);
    return to_float(multinomial(&generator, probabilities, question->dim));
}

static struct tensor angles(struct question *question) {
    double scale = 1;
    for (int64_t i = 0; i < question->dim; i++) scale *= 10;
    return multiply_by(next_tensor(question), scale);
}

static struct tensor sines(struct question *question) {
    return sine(angles(question));
}

static struct tensor cosines(struct question *question) {
    return cosine(angles(question));
}

static struct tensor powers(struct question *question) {
    const struct tensor base = next_tensor(question);
    return power(base, next_tensor(question));
}

static struct tensor raised(struct question *question) {
    return raise_to(next_tensor(question), (int)question->dim);
}

static struct tensor slopes_of_tanh(struct question *question) {
    const struct tensor grad = next_tensor(question), y = next_tensor(question);
    return perform_on(TWO(grad, y), (struct origin){.operation = &tanh_backward_row});
}

static struct tensor lost(struct question *question) {
    const struct tensor logits = next_tensor(question);
    const int64_t classes = logits.shape[1];
    struct tensor targets = tensor_given(question->arena, INT64, SHAPE(logits.shape[0]));
    for (int64_t i = 0; i < logits.shape[0]; i++)
        ((int64_t *)targets.storage->data)[i] = i % classes;
    return cross_entropy(logits, targets);
}

// ---- Functions of one float ----------------------------------------------------------------------

static struct tensor each(struct question *question, float (*function)(float)) {
    const int64_t first = next_integer(question), count = next_integer(question);
    const int64_t step = next_integer(question);
    const struct tensor result = tensor_given(question->arena, FLOAT32, SHAPE(count));
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)(first + i * step);
        float x;
        memcpy(&x, &bits, sizeof x);
        floats_of(&result)[i] = function(x);
    }
    return result;
}

// ---- The line ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    float (*function)(float);
    struct tensor (*operation)(struct question *question);
} table[] = {
    {"exp", exp_float, NULL},        {"exp_of_glibc", exp_float_of_glibc, NULL},
    {"log", log_float, NULL},        {"tanh", tanh_float, NULL},
    {"rand", NULL, uniformly_drawn}, {"rand_double", NULL, doubles_drawn},
    {"randn", NULL, normally_drawn}, {"sum", NULL, summed},
    {"mean", NULL, averaged},        {"var", NULL, varied},
    {"softmax", NULL, softened},     {"log_softmax", NULL, log_softened},
    {"matmul", NULL, multiplied},    {"linear", NULL, projected},
    {"cross_entropy", NULL, lost},   {"population_var", NULL, population_varied},
    {"multinomial", NULL, sampled},  {"sin", NULL, sines},
    {"cos", NULL, cosines},          {"pow", NULL, powers},
    {"raise", NULL, raised},         {"tanh_backward", NULL, slopes_of_tanh},
};

// Reads the seed, or that there is none.
static void begin(struct question *question, FILE *data) {
    question->rest += strspn(question->rest, " ");
    if (question->rest[0] == '-' && question->rest[1] == ' ') { // else the sign of a seed
        question->rest++;
        question->data = data;
    } else {
        manual_seed(&question->generator, (uint64_t)next_integer(question));
    }
}

struct tensor asked(struct arena *arena, const char *line, FILE *data) {
    const size_t length = strcspn(line, " \n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strncmp(line, table[i].name, length) != 0 || table[i].name[length] != '\0') continue;
        struct question question = {.arena = arena, .rest = line + length};
        if (table[i].function != NULL) return each(&question, table[i].function);
        question.dim = next_integer(&question);
        begin(&question, data);
        return contiguous(table[i].operation(&question));
    }
    fail(arena->failure, FAIL_USAGE, "nobody knows '%s'", line);
}
