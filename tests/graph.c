#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "trace/tape/gradient.h"

enum { MOST_VALUES = 64, MOST_NUMBERS = 16 };

struct building {
    struct arena *arena;
    FILE *data; // NULL: numbers are drawn
    struct generator generator;
    int count, given_count;
    struct tensor values[MOST_VALUES], given[MOST_VALUES];
};

// A clause, its numbers read.
struct clause {
    struct building *building;
    int count;
    double numbers[MOST_NUMBERS];
};

static int whole(const struct clause *clause, int i) {
    return (int)clause->numbers[i];
}

static struct tensor value(const struct clause *clause, int i) {
    return clause->building->values[whole(clause, i)];
}

static struct shape sizes(const struct clause *clause, int i) {
    struct shape shape = {.ndim = whole(clause, i)};
    for (int dim = 0; dim < shape.ndim; dim++) shape.size[dim] = whole(clause, i + 1 + dim);
    return shape;
}

static struct tensor make_given(const struct clause *clause) {
    struct building *b = clause->building;
    const struct shape shape = sizes(clause, 0);
    struct tensor x;
    if (b->data == NULL) {
        x = uniform(b->arena, &b->generator, shape, -1, 1);
    } else {
        x = tensor_given(b->arena, FLOAT32, shape);
        const size_t count = (size_t)count_of(shape);
        if (fread(floats_of(&x), sizeof(float), count, b->data) != count)
            fail(b->arena->failure, FAIL_RUNTIME, "there are fewer numbers than that");
    }
    return b->given[b->given_count++] = x;
}

static struct tensor make_ids(const struct clause *clause) {
    const struct tensor ids = tensor_given(clause->building->arena, INT64, SHAPE(whole(clause, 0)));
    for (int i = 0; i < whole(clause, 0); i++)
        ((int64_t *)ids.storage->data)[i] = (3 * i + 1) % whole(clause, 1);
    return ids;
}

// ---- The operations, each with the numbers of its clause -------------------------------------------

#define VALUE(i) value(c, i)
#define NUMBER(i) c->numbers[i]
#define WHOLE(i) whole(c, i)
#define MAKE(name, expression)                                                                     \
    static struct tensor make_##name(const struct clause *c) {                                     \
        return expression;                                                                         \
    }

MAKE(matmul, matmul(VALUE(0), VALUE(1)))
MAKE(linear, linear(VALUE(0), VALUE(1), c->count > 2 ? VALUE(2) : NO_TENSOR))
MAKE(add, add(VALUE(0), VALUE(1)))
MAKE(subtract, subtract(VALUE(0), VALUE(1)))
MAKE(multiply, multiply(VALUE(0), VALUE(1)))
MAKE(divide, divide(VALUE(0), VALUE(1)))
MAKE(add_number, add(VALUE(0), scalar(c->building->arena, NUMBER(1))))
MAKE(multiply_by, multiply_by(VALUE(0), NUMBER(1)))
MAKE(divide_by, divide_by(VALUE(0), NUMBER(1)))
MAKE(absolute, absolute(VALUE(0)))
MAKE(relu, relu(VALUE(0)))
MAKE(log, natural_log(VALUE(0)))
MAKE(sqrt, square_root(VALUE(0)))
MAKE(sign, sign(VALUE(0)))
MAKE(maximum, maximum(VALUE(0), VALUE(1)))
MAKE(population_var, var(VALUE(0), WHOLE(1), false, true))
MAKE(largest_two, topk(VALUE(0), 2).values)
MAKE(repeat_interleave, repeat_interleave(VALUE(0), WHOLE(1), WHOLE(2)))
MAKE(repeat, repeat(VALUE(0), WHOLE(1), WHOLE(2)))
MAKE(flip, flip(VALUE(0), WHOLE(1)))
MAKE(slice, slice(VALUE(0), WHOLE(1), WHOLE(2), WHOLE(3)))
MAKE(exp, exponential(VALUE(0)))
MAKE(sin, sine(VALUE(0)))
MAKE(cos, cosine(VALUE(0)))
MAKE(tanh, hyperbolic_tangent(VALUE(0)))
MAKE(negative, negative(VALUE(0)))
MAKE(power, power(VALUE(0), VALUE(1)))
MAKE(raise_to, raise_to(VALUE(0), WHOLE(1)))
MAKE(transpose, transpose(VALUE(0), WHOLE(1), WHOLE(2)))
MAKE(view, view(VALUE(0), sizes(c, 1)))
MAKE(expand, expand(VALUE(0), sizes(c, 1)))
MAKE(narrow, narrow(VALUE(0), WHOLE(1), WHOLE(2), WHOLE(3)))
MAKE(select, select_index(VALUE(0), WHOLE(1), WHOLE(2)))
MAKE(contiguous, contiguous(VALUE(0)))
MAKE(embed, embed(VALUE(0), VALUE(1)))
MAKE(index_add, index_add(WHOLE(2), VALUE(0), VALUE(1)))
MAKE(scatter_add, scatter_add(VALUE(0), VALUE(1)))
MAKE(softmax, softmax(VALUE(0), WHOLE(1)))
MAKE(log_softmax, log_softmax(VALUE(0), WHOLE(1)))
MAKE(sum, sum(VALUE(0), WHOLE(1), WHOLE(2)))
MAKE(mean, mean(VALUE(0), WHOLE(1), false))
MAKE(var, var(VALUE(0), WHOLE(1), true, false))
MAKE(amax, amax(VALUE(0)))
MAKE(amax_along, amax_along(VALUE(0), WHOLE(1)))
MAKE(cross_entropy, cross_entropy(VALUE(0), VALUE(1)))
MAKE(tril, tril(VALUE(0), WHOLE(1)))
MAKE(triu, triu(VALUE(0), WHOLE(1)))

static struct tensor make_stack(const struct clause *c) {
    return stack(2, (struct tensor[]){VALUE(0), VALUE(1)}, WHOLE(2));
}

static struct tensor make_cat(const struct clause *c) {
    return cat(2, (struct tensor[]){VALUE(0), VALUE(1)}, WHOLE(2));
}

static struct tensor make_hide(const struct clause *c) {
    const struct tensor x = VALUE(0);
    const struct shape shape = SHAPE(x.shape[x.ndim - 2], x.shape[x.ndim - 1]);
    const struct tensor above = triu(full(c->building->arena, shape, 1), WHOLE(1));
    return masked_fill(x, to_bool(above), NUMBER(2));
}

static struct tensor make_dropout(const struct clause *c) {
    struct generator generator;
    manual_seed(&generator, (uint64_t)WHOLE(2));
    return drop(&generator, VALUE(0), NUMBER(1), MT19937);
}

#define ROW(name)                                                                                  \
    { #name, make_##name }

static const struct {
    const char *name;
    struct tensor (*make)(const struct clause *clause);
} table[] = {
    ROW(given),       ROW(ids),
    ROW(matmul),      ROW(linear),
    ROW(add),         ROW(subtract),
    ROW(multiply),    ROW(divide),
    ROW(add_number),  ROW(multiply_by),
    ROW(divide_by),   ROW(absolute),
    ROW(relu),        ROW(log),
    ROW(sqrt),        ROW(sign),
    ROW(transpose),   ROW(view),
    ROW(expand),      ROW(narrow),
    ROW(select),      ROW(contiguous),
    ROW(stack),       ROW(cat),
    ROW(embed),       ROW(index_add),
    ROW(scatter_add), ROW(softmax),
    ROW(log_softmax), ROW(sum),
    ROW(mean),        ROW(var),
    ROW(amax),        ROW(cross_entropy),
    ROW(tril),        ROW(triu),
    ROW(hide),        ROW(dropout),
    ROW(amax_along),  ROW(exp),
    ROW(sin),         ROW(cos),
    ROW(tanh),        ROW(negative),
    ROW(power),       ROW(raise_to),
    ROW(maximum),     ROW(population_var),
    ROW(largest_two), ROW(repeat_interleave),
    ROW(repeat),      ROW(flip),
    ROW(slice),
};

// ---- The line ------------------------------------------------------------------------------------

static void build(struct building *b, const char *words, size_t length) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strncmp(words, table[i].name, length) != 0 || table[i].name[length] != '\0') continue;
        struct clause clause = {.building = b};
        for (const char *rest = words + length;; clause.count++) {
            char *end;
            const double number = strtod(rest, &end);
            if (end == rest) break;
            if (clause.count == MOST_NUMBERS || b->count == MOST_VALUES) break;
            clause.numbers[clause.count] = number;
            rest = end;
        }
        b->values[b->count++] = table[i].make(&clause);
        return;
    }
    fail(b->arena->failure, FAIL_USAGE, "nobody knows '%s'", words);
}

static struct tensor answer(struct building *b) {
    const struct tensor loss = b->values[b->count - 1];
    struct tensor grads[MOST_VALUES];
    gradients(loss, b->given_count, b->given, grads);
    int64_t count = 1;
    for (int i = 0; i < b->given_count; i++) count += b->given[i].storage->count;
    const struct tensor result = tensor_given(b->arena, FLOAT32, SHAPE(count));
    float *out = floats_of(&result);
    *out++ = (float)element(&loss, NULL);
    for (int i = 0; i < b->given_count; i++) {
        for (int64_t j = 0; j < b->given[i].storage->count; j++)
            *out++ = is_tensor(&grads[i]) ? (float)element_at(&grads[i], j) : NAN;
    }
    return result;
}

struct tensor graph(struct arena *arena, const char *line, FILE *data) {
    struct building b = {.arena = arena};
    const char *seed = line + strcspn(line, " ");
    seed += strspn(seed, " ");
    if (seed[0] == '-')
        b.data = data;
    else
        manual_seed(&b.generator, strtoull(seed, NULL, 10));
    for (const char *rest = strstr(seed, " ; "); rest != NULL; rest = strstr(rest, " ; ")) {
        rest += strlen(" ; ");
        build(&b, rest, strcspn(rest, " \n"));
    }
    return answer(&b);
}
