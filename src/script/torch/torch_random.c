// Names of torch that draw from a generator.

#include <inttypes.h>
#include <math.h>

#include "script/torch/tensor_object.h"
#include "tensor/number/double_math.h"
#include "tensor/ops/ops.h"

static struct value run_manual_seed(struct torch_call *call) {
    struct torch_library *library = torch_library_of(call->machine);
    manual_seed(&library->generator->generator, (uint64_t)int_argument(call, 0));
    return value_of_object(library->generator);
}

static struct value run_seed_of(struct torch_call *call) {
    if (!is_kind(call->values[0], OBJECT_RANDOM))
        refuse_as(call, TYPE_ERROR, "expected torch.Generator");
    manual_seed(&((struct random_object *)call->values[0].object)->generator,
                (uint64_t)int_argument(call, 1));
    return call->values[0];
}

// PyTorch keeps a state in a tensor of bytes, a type that onestep has not: here it is a generator that nobody draws from.
static struct value run_state(struct torch_call *call) {
    struct random_object *state = object_new(call->machine, OBJECT_RANDOM, sizeof *state);
    state->generator = *generator_argument(call, 0);
    return value_of_object(state);
}

static struct value set_state(struct torch_call *call, struct generator *generator, int state) {
    if (!is_kind(call->values[state], OBJECT_RANDOM))
        refuse_as(call, TYPE_ERROR, "expected a state, as torch.get_rng_state() gives it");
    *generator = ((struct random_object *)call->values[state].object)->generator;
    return NONE_VALUE;
}
static struct value run_set_state(struct torch_call *call) {
    return set_state(call, generator_argument(call, 0), 1);
}
static struct value run_set_rng_state(struct torch_call *call) {
    return set_state(call, &torch_library_of(call->machine)->generator->generator, 0);
}

static struct value run_generator(struct torch_call *call) {
    struct random_object *generator = object_new(call->machine, OBJECT_RANDOM, sizeof *generator);
    manual_seed(&generator->generator, 67280421310721);
    return value_of_object(generator);
}

// "*size, generator=None, dtype=None, requires_grad=False, device=None"
static struct value run_rand(struct torch_call *call) {
    const struct shape shape = sizes_argument(call, 0);
    check_sizes_of(call, shape);
    const enum dtype dtype = dtype_argument(call, 2, FLOAT32);
    const struct tensor x = narrow_uniform(call->arena, generator_argument(call, 1), shape, 0, 1,
                                           narrow_of_call(call, dtype));
    return leaf_value(call, to_dtype(x, dtype), 3);
}
static struct value run_randn(struct torch_call *call) {
    const struct shape shape = sizes_argument(call, 0);
    check_sizes_of(call, shape);
    const enum dtype dtype = dtype_argument(call, 2, FLOAT32);
    const struct tensor x =
        narrow_normal(call->arena, generator_argument(call, 1), shape, narrow_of_call(call, dtype));
    return leaf_value(call, to_dtype(x, dtype), 3);
}
static struct value run_rand_like(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return leaf_value(call,
                      narrow_uniform(call->arena, generator_argument(call, 9), shape_of(&x), 0, 1,
                                     x.storage->narrow),
                      2);
}
static struct value run_randn_like(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return leaf_value(
        call,
        narrow_normal(call->arena, generator_argument(call, 9), shape_of(&x), x.storage->narrow),
        2);
}

// random_from_to: 32 bits modulo the range, 64 where the range is wide.
static int64_t drawn_below(struct generator *generator, uint64_t range) {
    if (range >= (UINT64_C(1) << 32)) {
        const uint64_t high = random_bits(generator);
        return (int64_t)((high << 32 | random_bits(generator)) % range);
    }
    return (int64_t)(random_bits(generator) % range);
}

// low, high, size; or high, size.
static struct value run_randint(struct torch_call *call) {
    const bool is_sized = is_given(call, 2);
    const bool has_high = is_sized && is_given(call, 1), has_low = has_high && is_given(call, 0);
    const int64_t low = has_low ? int_argument(call, 0) : 0,
                  high = int_argument(call, has_high ? 1 : 0);
    const struct shape shape = sizes_argument(call, is_sized ? 2 : 1);
    struct generator *generator = generator_argument(call, 3);
    if (low >= high)
        refuse(call,
               "random_ expects 'from' to be less than 'to', but got from=%" PRId64
               " >= to=%" PRId64,
               low, high);
    check_sizes_of(call, shape);
    const struct tensor result = tensor_given(call->arena, dtype_argument(call, 4, INT64), shape);
    for (int64_t i = 0; i < result.storage->count; i++)
        put_whole(result.storage, i, low + drawn_below(generator, (uint64_t)high - (uint64_t)low));
    return leaf_value(call, result, 5);
}

// aten/src/ATen/native/TensorFactories.cpp, randperm_cpu: each place exchanges with one behind it.
static struct value run_randperm(struct torch_call *call) {
    const int64_t count = int_argument(call, 0);
    struct generator *generator = generator_argument(call, 1);
    const struct tensor result = arange(call->arena, 0, count);
    int64_t *places = result.storage->data;
    for (int64_t i = 0; i < count - 1; i++) {
        const int64_t other = i + drawn_below(generator, (uint64_t)(count - i));
        const int64_t kept = places[i];
        places[i] = places[other];
        places[other] = kept;
    }
    return tensor_value(call->machine, result, false);
}

// "mean, std, size, *, generator=None": numbers or tensors.
static struct value run_normal(struct torch_call *call) {
    const struct value mean = call->values[0], deviation = call->values[1];
    struct shape shape = sizes_argument(call, 2);
    if (is_tensor_value(mean))
        refuse(call, "onestep's normal takes numbers for mean and std, and a size");
    const struct tensor drawn = normal(call->arena, generator_argument(call, 3), shape);
    const float scale = (float)number_of_value(call, deviation),
                middle = (float)number_of_value(call, mean);
    for (int64_t i = 0; i < drawn.storage->count; i++)
        floats_of(&drawn)[i] = floats_of(&drawn)[i] * scale + middle;
    return leaf_value(call, drawn, 9);
}

static struct value run_uniform_(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    return written(call,
                   narrow_uniform(call->arena, generator_argument(call, 3), shape_of(&x),
                                  number_argument(call, 1), number_argument(call, 2),
                                  x.storage->narrow),
                   "UniformBackward0");
}

// aten/src/ATen/native/cpu/DistributionTemplates.h, random_kernel: all that the dtype holds exactly.
static struct value run_random_(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    struct generator *generator = generator_argument(call, 1);
    const enum dtype dtype = x.storage->dtype;
    const struct tensor drawn = tensor_given(call->arena, dtype, shape_of(&x));
    for (int64_t i = 0; i < drawn.storage->count; i++) {
        const uint64_t first = random_bits(generator);
        if (dtype == INT64 || dtype == FLOAT64) {
            const uint64_t wide = first << 32 | random_bits(generator);
            put_whole(drawn.storage, i,
                      (int64_t)(dtype == INT64 ? wide % (UINT64_C(1) << 63)
                                               : wide % ((UINT64_C(1) << 53) + 1)));
        } else {
            put_whole(drawn.storage, i,
                      (int64_t)(dtype == INT32  ? first % (UINT64_C(1) << 31)
                                : dtype == BOOL ? first & 1
                                                : first % ((UINT64_C(1) << 24) + 1)));
        }
    }
    return written(call, drawn, "RandomBackward0");
}

static struct value run_normal_(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const struct tensor drawn =
        narrow_normal(call->arena, generator_argument(call, 3), shape_of(&x), x.storage->narrow);
    const float mean = (float)number_argument(call, 1), deviation = (float)number_argument(call, 2);
    for (int64_t i = 0; i < drawn.storage->count; i++) {
        float *x_i = &floats_of(&drawn)[i];
        *x_i = (float)narrow_number((double)(*x_i * deviation), drawn.storage->narrow) + mean;
        *x_i = (float)narrow_number((double)*x_i, drawn.storage->narrow);
    }
    return written(call, drawn, "NormalBackward0");
}

static const char *shown_number(struct torch_call *call, struct value number) {
    struct value text;
    return value_repr(call->machine, number, &text) ? ((const struct str *)text.object)->bytes : "";
}

static struct tensor run_dropout(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const double p = number_argument(call, 1);
    if (p < 0 || p > 1)
        refuse_as(call, VALUE_ERROR, "dropout probability has to be between 0 and 1, but got %s",
                  shown_number(call, call->values[1]));
    if (!truth_argument(call, 2) || p == 0) return x;
    return drop(generator_argument(call, 9), x, p, machine_options_of(call->machine)->stream);
}

static struct tensor run_bernoulli(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    struct generator *generator = generator_argument(call, 1);
    const struct tensor result = tensor_given(call->arena, x.storage->dtype, shape_of(&x));
    for (int64_t i = 0; i < result.storage->count; i++)
        put_number(result.storage, i,
                   x.storage->dtype == FLOAT64
                       ? random_double(generator) < element_at(&x, i)
                       : random_float(generator) < (float)element_at(&x, i));
    return result;
}

// aten/src/ATen/native/cpu/MultinomialKernel.cpp: halving the running sums.
static void draw_again(struct generator *generator, const float *sums, int64_t columns,
                       int64_t count, int64_t *places) {
    for (int64_t i = 0; i < count; i++) {
        const double drawn = random_double(generator);
        int64_t left = 0, right = columns;
        while (right - left > 0) {
            const int64_t middle = left + (right - left) / 2;
            if ((double)sums[middle] < drawn)
                left = middle + 1;
            else
                right = middle;
        }
        places[i] = left < columns ? left : columns - 1;
    }
}

static void add_up_row(const struct tensor *x, int64_t row, int64_t columns, float *sums) {
    float sum = 0;
    for (int64_t i = 0; i < columns; i++) sums[i] = sum += (float)element_at(x, row * columns + i);
    for (int64_t i = 0; i < columns && sum > 0; i++) sums[i] /= sum;
    sums[columns - 1] = 1;
}

static struct tensor sampled(struct torch_call *call, struct generator *generator, struct tensor x,
                             int64_t count, bool with_replacement) {
    const int64_t columns = x.shape[x.ndim - 1], rows = x.ndim == 2 ? x.shape[0] : 1;
    const struct tensor result =
        tensor_given(call->arena, INT64, x.ndim == 2 ? SHAPE(rows, count) : SHAPE(count));
    if (with_replacement && count > 1) {
        float *sums = arena_array(call->arena, (size_t)columns, sizeof *sums);
        for (int64_t row = 0; row < rows; row++) {
            add_up_row(&x, row, columns, sums);
            draw_again(generator, sums, columns, count,
                       (int64_t *)result.storage->data + row * count);
        }
        return result;
    }
    const struct tensor quotients = tensor_given(call->arena, FLOAT32, SHAPE(rows, columns));
    for (int64_t i = 0; i < rows * columns; i++)
        floats_of(&quotients)[i] =
            (float)element_at(&x, i) / -log1p_float(-random_double(generator));
    const struct tensor places = topk(quotients, count).positions;
    return x.ndim == 2 ? places : select_index(places, 0, 0);
}

// With replacement: by the running sums in float. Without: the places of the largest of probability / exponential draw.
static struct tensor run_multinomial(struct torch_call *call) {
    const struct tensor x = tensor_argument(call, 0);
    const int64_t count = int_argument(call, 1);
    struct generator *generator = generator_argument(call, 3);
    if (x.ndim == 0 || x.ndim > 2) refuse(call, "prob_dist must be 1 or 2 dim");
    if (count <= 0) refuse(call, "cannot sample n_sample <= 0 samples");
    const bool with_replacement = truth_argument(call, 2);
    const int64_t rows = x.ndim == 2 ? x.shape[0] : 1, columns = x.shape[x.ndim - 1];
    if (!with_replacement && count > columns)
        refuse(call, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    for (int64_t i = 0; i < rows * columns; i++) {
        const double p = element_at(&x, i);
        if (!(p >= 0) || isinf(p))
            refuse(call, "probability tensor contains either `inf`, `nan` or element < 0");
    }
    return sampled(call, generator, x, count, with_replacement);
}

enum { BOTH = IN_TORCH | IN_TENSOR };
#define LIKE "input, dtype=None, requires_grad=False, device=None"
#define DRAWN "*size, generator=None, dtype=None, requires_grad=False, device=None"

const struct torch_row random_rows[] = {
    VALUE_ROW("manual_seed", "seed", run_manual_seed, IN_TORCH),
    VALUE_ROW("Generator", "device=None", run_generator, IN_TORCH),
    VALUE_ROW("manual_seed", "generator, seed", run_seed_of, IN_GENERATOR),
    VALUE_ROW("get_rng_state", "", run_state, IN_TORCH),
    VALUE_ROW("set_rng_state", "new_state", run_set_rng_state, IN_TORCH),
    VALUE_ROW("get_state", "generator", run_state, IN_GENERATOR),
    VALUE_ROW("set_state", "generator, new_state", run_set_state, IN_GENERATOR),
    VALUE_ROW("rand", DRAWN, run_rand, IN_TORCH),
    VALUE_ROW("randn", DRAWN, run_randn, IN_TORCH),
    VALUE_ROW("rand_like", LIKE, run_rand_like, IN_TORCH | BY_NUMBER),
    VALUE_ROW("randn_like", LIKE, run_randn_like, IN_TORCH | BY_NUMBER),
    VALUE_ROW("randint",
              "low=0, high=None, size=None, *, generator=None, dtype=None, requires_grad=False, "
              "device=None",
              run_randint, IN_TORCH),
    VALUE_ROW("normal", "mean, std=1, size=None, *, generator=None", run_normal, IN_TORCH),
    VALUE_ROW("randperm", "n, *, generator=None", run_randperm, IN_TORCH),
    VALUE_ROW("uniform_", "input, from_=0, to=1, *, generator=None", run_uniform_, IN_TENSOR),
    VALUE_ROW("random_", "input, *, generator=None", run_random_, IN_TENSOR),
    VALUE_ROW("normal_", "input, mean=0, std=1, *, generator=None", run_normal_, IN_TENSOR),
    TENSOR_ROW("dropout", "input, p=0.5, training=True, inplace=False", run_dropout,
               IN_FUNCTIONAL | BY_NUMBER),
    TENSOR_ROW("dropout", "input, p, train", run_dropout, IN_TORCH | BY_NUMBER),
    TENSOR_ROW("bernoulli", "input, *, generator=None", run_bernoulli, BOTH),
    TENSOR_ROW("multinomial", "input, num_samples, replacement=False, *, generator=None",
               run_multinomial, BOTH),
    {0},
};
