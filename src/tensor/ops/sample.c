// From probabilities to what is drawn: samples, how often each was drawn, the largest few.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/number/double_math.h"
#include "tensor/operation/account.h"
#include "tensor/operation/line.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// Near a border another program may choose otherwise; what was chosen is a name, which does not err.
static double error_of_choice(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    (void)errors;
    return 0;
}

static void find_all_of_it(struct finding *finding) {
    add_all(finding, 0, "x");
}

// Is a larger than b? A nan is larger than all others.
static bool is_larger(double a, double b) {
    return a > b || (a != a && b == b);
}

// A place in a row of labelled numbers is the id of a label.
static void name_places(const struct tensor *x, const struct tensor *places) {
    const struct axis *axis = &x->axis[x->ndim - 1];
    if (x->ndim != 1 || axis->labels == NULL) return;
    places->storage->words = axis->labels;
    places->storage->word_count = x->shape[0];
}

// "2 (starts), counted from 0": a place among numbers that may have words.
static const char *place_name(struct account *account, const struct storage *names,
                              int64_t position) {
    const bool has_word = names->words != NULL && position < names->word_count;
    return arena_format(account->arena, "%" PRId64 "%s%s%s, counted from 0", position,
                        has_word ? " (" : "", has_word ? names->words[position] : "",
                        has_word ? ")" : "");
}

// ---- multinomial ---------------------------------------------------------------------------------

// An exponential number, rate 1, from a uniform one in [0, 1).
static float exponential_of(double uniform) {
    return -log1p_float(-uniform);
}

// aten/src/ATen/native/Distributions.cpp, multinomial: probability p wins with a chance in proportion to p
// where each is divided by an exponential number of its own, and the largest quotient is taken.
static int64_t draw_one(struct generator *generator, const float *probabilities, int64_t count) {
    int64_t position = 0;
    float most = 0;
    for (int64_t i = 0; i < count; i++) {
        const float quotient = probabilities[i] / exponential_of(random_double(generator));
        if (i == 0 || is_larger((double)quotient, (double)most)) {
            most = quotient;
            position = i;
        }
    }
    return position;
}

// A nan passes, and is drawn: only a mistake can have made it, and the steps before have to be shown. PyTorch refuses it.
static void check_probabilities(struct arena *arena, const struct tensor *x) {
    double sum = 0;
    const int64_t count = count_of(shape_of(x));
    bool are_all = x->ndim == 1;
    for (int64_t i = 0; i < count; i++) {
        const double probability = element_at(x, i);
        are_all = are_all && !(probability < 0) && !isinf(probability);
        sum += probability;
    }
    if (!are_all || sum == 0)
        fail(arena->failure, FAIL_USAGE,
             "multinomial: a row of probabilities has to be finite, at least 0, and not all 0");
}

static struct tensor compute_multinomial(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    check_probabilities(arena, x);
    const int64_t count = count_of(shape_of(x));
    float *probabilities = arena_array(arena, (size_t)count, sizeof *probabilities);
    for (int64_t i = 0; i < count; i++) probabilities[i] = (float)element_at(x, i);
    const struct tensor result = tensor_new(arena, INT64, origin->shape);
    int64_t *samples = result.storage->data;
    for (int64_t i = 0; i < result.storage->count; i++)
        samples[i] = draw_one(origin->generator, probabilities, count);
    name_places(x, &result);
    return result;
}

enum { MOST_SAID = 16 }; // candidates that get a line each

// "draws 1 and 2 of seed 123: u = 0.2961; 0.0609 / -log(1 - u) = 0.1735", for each probability.
static double account_of_multinomial(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct draws *draws = &d->origin->draws;
    const int count = d->operand_count;
    struct generator generator;
    manual_seed(&generator, draws->seed);
    skip_to(&generator, draws->first + 2 * (uint64_t)(d->flat_index * count));
    int position = 0;
    float most = 0, divisor = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t draw = generator.drawn;
        const double u = random_double(&generator);
        const float quotient = operand_value(account, i) / exponential_of(u);
        if (count <= MOST_SAID)
            say(account,
                "draws %" PRIu64 " and %" PRIu64 " of seed %" PRIu64
                ": u = %s; place %d: %s / −log(1 − u) = %s",
                draw + 1, draw + 2, draws->seed, figure(account, u), i, operand_figure(account, i),
                figure(account, (double)quotient));
        if (i > 0 && !is_larger((double)quotient, (double)most)) continue;
        most = quotient;
        divisor = exponential_of(u);
        position = i;
    }
    say(account,
        "place %s: probability %s / random number %s = %s, the largest of %d such quotients",
        place_name(account, account->storage, position), operand_figure(account, position),
        figure(account, (double)divisor), figure(account, (double)most), count);
    return position;
}

const struct operation multinomial_row = {
    .name = "multinomial",
    .help = {"multinomial", "torch.multinomial(p, 1)", "a place for each sample; new memory", NULL},
    .compute = compute_multinomial,
    .draws = true,
    .find = find_all_of_it,
    .account = account_of_multinomial,
    .error = error_of_choice,
    .no_gradient = "a small change of a probability does not change what is drawn",
};

struct tensor multinomial(struct generator *generator, struct tensor probabilities, int64_t count) {
    return perform_on(ONE(probabilities), (struct origin){.operation = &multinomial_row,
                                                          .shape = SHAPE(count),
                                                          .generator = generator});
}

// ---- bincount ------------------------------------------------------------------------------------

static struct tensor compute_bincount(struct arena *arena, const struct origin *origin) {
    const struct tensor *ids = &origin->operands[0];
    const int64_t classes = origin->shape.size[0];
    struct tensor result = tensor_new(arena, INT64, origin->shape);
    int64_t *counts = result.storage->data;
    for (int64_t i = 0; i < count_of(shape_of(ids)); i++) {
        const int64_t id = (int64_t)element_at(ids, i);
        if (id < 0 || id >= classes)
            fail(arena->failure, FAIL_USAGE, "bincount: no place %" PRId64 " among %" PRId64, id,
                 classes);
        counts[id]++;
    }
    if (ids->storage->words != NULL && ids->storage->word_count == classes)
        result.axis[0] = (struct axis){.meaning = AXIS_WORD, .labels = ids->storage->words};
    return result;
}

// The ids that are this one.
static void find_counted(struct finding *finding) {
    const struct tensor *ids = operand_tensor(finding, 0);
    const struct shape shape = shape_of(ids);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index)) {
        if ((int64_t)element(ids, index) == finding->derivation->index[0])
            add_operand(finding, 0, "id", index);
    }
}

static double account_of_bincount(struct account *account) {
    const struct derivation *d = account->derivation;
    const int64_t all = count_of(shape_of(&d->origin->operands[0]));
    const struct storage *ids = d->origin->operands[0].storage;
    say(account, "%d of %" PRId64 " ids are %s", d->operand_count, all,
        place_name(account, ids, d->index[0]));
    return d->operand_count;
}

const struct operation bincount_row = {
    .name = "bincount",
    .help = {"bincount", "torch.bincount(ids, minlength=n)", "a list of n; new memory", NULL},
    .compute = compute_bincount,
    .find = find_counted,
    .account = account_of_bincount,
    .error = error_of_choice,
    .no_gradient = "an id is a name, not a quantity",
};

struct tensor bincount(struct tensor ids, int64_t classes) {
    return perform_on(ONE(ids),
                      (struct origin){.operation = &bincount_row, .shape = SHAPE(classes)});
}

// ---- topk ----------------------------------------------------------------------------------------

// The shape of x, its last dimension `count` long.
static struct shape last_of(const struct tensor *x, int64_t count) {
    struct shape shape = shape_of(x);
    shape.size[shape.ndim - 1] = count;
    return shape;
}

// The place of the largest number of a row behind `before` in order; of equal ones the first comes first.
// `before` is a place, or -1 for the largest of all.
static int64_t next_largest(struct line row, int64_t before) {
    const double limit = before < 0 ? 0 : (double)number_in(row, before);
    double most = 0;
    int64_t position = -1;
    for (int64_t i = 0; i < row.count; i++) {
        const double value = (double)number_in(row, i);
        const bool is_taken =
            before >= 0 && !is_larger(limit, value) && (is_larger(value, limit) || i <= before);
        if (is_taken || (position >= 0 && !is_larger(value, most))) continue;
        most = value;
        position = i;
    }
    return position;
}

static struct tensor compute_topk(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const int64_t count = origin->shape.size[origin->shape.ndim - 1];
    struct tensor result = tensor_new(arena, INT64, origin->shape);
    memcpy(result.axis, x->axis, (size_t)(x->ndim - 1) * sizeof *x->axis);
    int64_t *places = result.storage->data;
    for (int64_t i = 0; i < result.storage->count; i++) {
        int64_t flat;
        const struct line row = line_at(x, x->ndim - 1, i / count, &flat);
        places[i] = next_largest(row, i % count == 0 ? -1 : places[i - 1]);
    }
    name_places(x, &result);
    return result;
}

static void find_row(struct finding *finding) {
    const int last = finding->shape.ndim - 1;
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    for (index[last] = 0; index[last] < operand_tensor(finding, 0)->shape[last]; index[last]++)
        add_operand(finding, 0, "x", index);
}

static double account_of_topk(struct account *account) {
    const struct derivation *d = account->derivation;
    const int64_t rank = d->index[account->storage->shape.ndim - 1];
    const int64_t position = (int64_t)d->value;
    int larger = 0;
    for (int i = 0; i < d->operand_count; i++) {
        const double value = d->operands[i].value, its = d->operands[position].value;
        if (is_larger(value, its) || (!is_larger(its, value) && i < position)) larger++;
    }
    say(account,
        "%s has place %" PRId64
        ", counted from 0; %d of %d numbers come before it, so it is number %" PRId64,
        operand_figure(account, (int)position), position, larger, d->operand_count, rank + 1);
    return larger == rank ? (double)position : -1;
}

const struct operation topk_row = {
    .name = "topk",
    .help = {"topk", "x.topk(k)", "the last size becomes k; new memory", NULL},
    .compute = compute_topk,
    .find = find_row,
    .account = account_of_topk,
    .error = error_of_choice,
    .no_gradient = "a small change of its number does not change a place",
};

struct top topk(struct tensor x, int64_t count) {
    if (x.ndim == 0 || count < 0 || count > x.shape[x.ndim - 1]) {
        struct arena *arena = x.storage->arena;
        fail(arena->failure, FAIL_USAGE, "topk: shape %s has no %" PRId64 " numbers in a row",
             shape_text(arena, shape_of(&x)), count);
    }
    const struct tensor places =
        perform_on(ONE(x), (struct origin){.operation = &topk_row, .shape = last_of(&x, count)});
    return (struct top){.values = gather(x, places), .positions = places};
}

// ---- gather --------------------------------------------------------------------------------------

static struct tensor compute_gather(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *places = &origin->operands[1];
    const struct shape shape = shape_of(places);
    const int last = x->ndim - 1;
    if (x->ndim == 0 || !shapes_equal(last_of(x, places->shape[last]), shape))
        refuse_shapes(arena, origin, x, places, "do not fit");
    const struct tensor result = with_axes_of(tensor_new(arena, FLOAT32, shape), places);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < result.storage->count; i++, next_index(&shape, index)) {
        int64_t from[MAX_DIMS];
        memcpy(from, index, sizeof from);
        from[last] = (int64_t)element(places, index);
        if (from[last] < 0 || from[last] >= x->shape[last])
            fail(arena->failure, FAIL_USAGE, "gather: no place %" PRId64 " among %" PRId64,
                 from[last], x->shape[last]);
        floats_of(&result)[i] = (float)element(x, from);
    }
    return result;
}

static void find_gathered(struct finding *finding) {
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    add_operand(finding, 1, "position", index);
    index[finding->shape.ndim - 1] = (int64_t)finding->derivation->operands[0].value;
    add_operand(finding, 0, "x", index);
}

static double account_of_gather(struct account *account) {
    say(account, "place %s of the row, counted from 0: %s", operand_figure(account, 0),
        operand_figure(account, 1));
    return operand_value(account, 1);
}

// Each place answers to all that was taken from it.
static struct tensor gradient_of_gather(const struct backward *back, int operand) {
    const struct tensor *x = &back->origin->operands[0], *places = &back->origin->operands[1];
    if (operand == 1) return NO_TENSOR;
    struct shape shape = shape_of(&back->grad);
    shape.size[shape.ndim++] = 1;
    const struct tensor is_place = one_hot(*places, x->shape[x->ndim - 1]);
    return sum(multiply(reshape(back->grad, shape), is_place), -2, false);
}

const struct operation gather_row = {
    .name = "gather",
    .help = {"gather", "x.gather(-1, positions)", "sizes of the positions; new memory",
             "dx = dy at the places taken, 0 elsewhere"},
    .backward = "GatherBackward0",
    .gradient = gradient_of_gather,
    .compute = compute_gather,
    .find = find_gathered,
    .account = account_of_gather,
};

struct tensor gather(struct tensor x, struct tensor positions) {
    return perform_on(TWO(x, positions), (struct origin){.operation = &gather_row});
}
