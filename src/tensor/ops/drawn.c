// Operations that draw from the generator. Each notes in its origin which draws it took.

#include <math.h>
#include <string.h>

#include "tensor/ops/operation.h"

static struct draws draws_from(const struct generator *g) {
    return (struct draws){.seed = g->seed, .sequence = g->sequence, .first = g->drawn};
}

struct tensor uniform(struct arena *m, struct generator *g, struct shape shape, double least,
                      double most) {
    struct origin *origin = origin_new(m, FROM_UNIFORM, 0, NULL);
    origin->least = (float)least;
    origin->most = (float)most;
    origin->draws = draws_from(g);
    const struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    const int64_t count = count_of(shape);
    for (int64_t i = 0; i < count; i++) {
        floats_of(&result)[i] = fmaf(random_float(g), origin->most - origin->least, origin->least);
    }
    origin->draws.count = g->drawn - origin->draws.first;
    return result;
}

struct tensor normal(struct arena *m, struct generator *g, struct shape shape) {
    struct origin *origin = origin_new(m, FROM_NORMAL, 0, NULL);
    origin->draws = draws_from(g);
    const struct tensor result = tensor_new(m, FLOAT32, shape, origin);
    random_normal(g, floats_of(&result), count_of(shape));
    origin->draws.count = g->drawn - origin->draws.first;
    return result;
}

// torch.nn.Linear.reset_parameters: kaiming_uniform_(weight, a=sqrt(5)) has the bound
// sqrt(3) * sqrt(2 / (1 + 5)) / sqrt(d_in), which is 1 / sqrt(d_in); so has the bias.
struct tensor linear_weight(struct arena *m, struct generator *g, int64_t d_out, int64_t d_in) {
    const double bound = 1 / sqrt((double)d_in);
    const struct tensor weight = uniform(m, g, SHAPE(d_out, d_in), -bound, bound);
    return name_axis(name_axis(weight, 0, "feature"), 1, "input");
}

struct tensor linear_bias(struct arena *m, struct generator *g, bool wanted, int64_t d_out,
                          int64_t d_in) {
    if (!wanted) return NO_TENSOR;
    const double bound = 1 / sqrt((double)d_in);
    return name_axis(uniform(m, g, SHAPE(d_out), -bound, bound), 0, "feature");
}

// Draws for each element of x whether it is kept (probability 1 - p), row by row.
static void draw_mask(struct generator *g, double p, enum bernoulli stream, unsigned char *keep,
                      int64_t count) {
    if (stream == MT19937) {
        for (int64_t i = 0; i < count; i++) keep[i] = random_double(g) < 1 - p;
        return;
    }
    uint32_t x = mcg31m1_first(random_bits(g));
    for (int64_t i = 0; i < count; i++) {
        keep[i] = (double)x / (double)MCG31M1_MODULUS < 1 - p;
        x = mcg31m1_next(x);
    }
}

struct tensor dropout(struct arena *m, struct generator *g, struct tensor x, double p,
                      enum bernoulli stream) {
    if (!(p >= 0 && p <= 1)) {
        fail(m->failure, FAIL_USAGE, "dropout: a probability of %g is not between 0 and 1", p);
    }
    const int64_t count = count_of(shape_of(&x));
    if (p <= 0 || count == 0) return x;
    struct origin *origin = origin_new(m, DROPOUT, 1, (const struct tensor *[]){&x});
    origin->number = p;
    origin->draws = draws_from(g);
    origin->draws.stream = stream;
    struct tensor result = tensor_new(m, FLOAT32, shape_of(&x), origin);
    memcpy(result.axis, x.axis, sizeof result.axis);
    unsigned char *keep = arena_allocate(m, (size_t)count);
    if (p < 1) draw_mask(g, p, stream, keep, count);
    const float scale = (float)(1 - p);
    const struct shape shape = shape_of(&x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const float factor = keep[i] ? 1 / scale : 0;
        floats_of(&result)[i] = (float)element(&x, index) * factor;
    }
    origin->draws.count = g->drawn - origin->draws.first;
    return result;
}
