// What training a model is made of, beside the model: gradients set to 0, an optimizer's step, and numbers
// kept from an update whose memory is gone.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"

// ---- zero_grad -----------------------------------------------------------------------------------

static struct tensor compute_zeros(struct arena *arena, const struct origin *origin) {
    return tensor_like(arena, FLOAT32, &origin->operands[0]);
}

static double account_of_zero(struct account *account) {
    say(account, "0 in place of %s, so that the next gradient begins anew",
        operand_figure(account, 0));
    return 0;
}

static double error_of_zero(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    (void)errors;
    return 0;
}

const struct operation zero_grad_row = {
    .name = "zero_grad",
    .compute = compute_zeros,
    .find = find_same,
    .account = account_of_zero,
    .error = error_of_zero,
    .no_gradient = "0 is 0, whatever was there before",
};

struct tensor zero_grad(struct tensor grad) {
    return perform_on(ONE(grad), (struct origin){.operation = &zero_grad_row});
}

// The learning rate, in a line of arithmetic.
#define RATE "%g (learning rate)"

// ---- SGD -----------------------------------------------------------------------------------------

static float sgd_step(const struct origin *origin, float x, float grad) {
    if (origin->decay > 0) grad = fmaf(x, (float)origin->decay, grad);
    return fmaf(grad, (float)-origin->number, x);
}

static struct tensor compute_sgd(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0], *grad = &origin->operands[1];
    if (!shapes_equal(shape_of(x), shape_of(grad))) refuse_shapes(arena, origin, x, grad, "differ");
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const struct shape shape = shape_of(x);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        floats_of(&result)[i] = sgd_step(origin, float_at(x, index), float_at(grad, index));
    return result;
}

static void find_parameter(struct finding *finding) {
    add_operand(finding, 0, "parameter", finding->derivation->index);
    add_operand(finding, 1, "gradient", finding->derivation->index);
}

static double account_of_sgd(struct account *account) {
    const struct origin *origin = account->derivation->origin;
    const double after =
        (double)sgd_step(origin, operand_value(account, 0), operand_value(account, 1));
    if (origin->decay > 0)
        say(account, "%s − " RATE " × (%s (gradient) + %g (decay) × %s) = %s",
            operand_figure(account, 0), origin->number, operand_figure(account, 1), origin->decay,
            operand_term(account, 0), figure(account, after));
    else
        say(account, "%s − " RATE " × %s (gradient) = %s, rounded once", operand_figure(account, 0),
            origin->number, operand_term(account, 1), figure(account, after));
    return after;
}

static double error_of_sgd(const struct derivation *derivation, const double *errors) {
    const struct origin *origin = derivation->origin;
    return errors[0] + origin->number * (errors[1] + origin->decay * errors[0]) +
           fabs(derivation->value);
}

#define NO_PART "an update is not part of the model: PyTorch makes it under no_grad()"

const struct operation sgd_row = {
    .name = "sgd",
    .purpose = purpose_of_first,
    .compute = compute_sgd,
    .updates = true,
    .find = find_parameter,
    .account = account_of_sgd,
    .error = error_of_sgd,
    .no_gradient = NO_PART,
};

struct tensor sgd(struct tensor parameter, struct tensor grad, double lr, double decay) {
    return perform_on(TWO(parameter, grad),
                      (struct origin){.operation = &sgd_row, .number = lr, .decay = decay});
}

// ---- Momentum ------------------------------------------------------------------------------------

// B. Polyak, "Some methods of speeding up the convergence of iteration methods", 1964, without his learning rate in the
// sum, as torch/optim/sgd.py has it.
static float speed_up(const struct origin *origin, float buffer, float grad, float x) {
    if (origin->decay > 0) grad = fmaf(x, (float)origin->decay, grad);
    return buffer * (float)origin->number + grad;
}

static struct tensor compute_momentum(struct arena *arena, const struct origin *origin) {
    const struct tensor *buffer = &origin->operands[0];
    const struct tensor result = tensor_like(arena, FLOAT32, buffer);
    const struct shape shape = shape_of(buffer);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count_of(shape); i++, next_index(&shape, index))
        floats_of(&result)[i] =
            speed_up(origin, float_at(buffer, index), float_at(&origin->operands[1], index),
                     float_at(&origin->operands[2], index));
    return result;
}

static void find_buffer(struct finding *finding) {
    static const char *const roles[] = {"buffer", "gradient", "parameter"};
    for (int i = 0; i < 3; i++) add_operand(finding, i, roles[i], finding->derivation->index);
}

static double account_of_momentum(struct account *account) {
    const struct origin *origin = account->derivation->origin;
    const double after = (double)speed_up(origin, operand_value(account, 0),
                                          operand_value(account, 1), operand_value(account, 2));
    const char *decay = "";
    if (origin->decay > 0)
        decay = arena_format(account->arena, " + %g (decay) × %s", origin->decay,
                             operand_term(account, 2));
    say(account, "%g × %s (buffer) + %s (gradient)%s = %s", origin->number,
        operand_term(account, 0), operand_term(account, 1), decay, figure(account, after));
    return after;
}

static double error_of_momentum(const struct derivation *derivation, const double *errors) {
    const struct origin *origin = derivation->origin;
    return origin->number * errors[0] + errors[1] + origin->decay * errors[2] +
           fabs(derivation->value);
}

const struct operation momentum_row = {
    .name = "momentum",
    .compute = compute_momentum,
    .find = find_buffer,
    .account = account_of_momentum,
    .error = error_of_momentum,
    .no_gradient = NO_PART,
};

struct adamw_state sgd_with_momentum(struct adamw_state before, struct tensor grad, double lr,
                                     double decay) {
    const struct tensor operands[] = {before.first, grad, before.parameter};
    const struct tensor buffer = perform_on(
        3, operands,
        (struct origin){.operation = &momentum_row, .number = SGD_MOMENTUM, .decay = decay});
    return (struct adamw_state){sgd(before.parameter, buffer, lr, 0), buffer, before.second};
}

// ---- AdamW ---------------------------------------------------------------------------------------

// I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR 2019, algorithm 2. Adam: D. Kingma, J. Ba,
// "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

double adamw_correction(double beta, int64_t update) {
    double power = 1; // by squaring: the same bits on every machine, which pow() does not promise
    for (; update > 0; update /= 2, beta *= beta) {
        if (update % 2 == 1) power *= beta;
    }
    return 1 - power;
}

// One number's way through an update, as torch/optim/adamw.py of 2.6 takes it; where a kernel multiplies and
// adds, it fuses both.
struct adam {
    float first, second, denominator, decayed, after;
};

// The numbers that all elements of an update share.
struct pace {
    float beta1, beta2, rest1,
        rest2; // what the means keep of their past, and what they take of the gradient
    float root2, step, keeps, coupled;
    bool is_of_1_13;
};

static struct pace pace_of(const struct origin *origin) {
    const bool corrects = !origin->is_uncorrected, decays = !origin->is_coupled;
    const double beta1 = origin->beta1, beta2 = origin->beta2;
    const double correction1 = corrects ? adamw_correction(beta1, origin->update) : 1;
    const double correction2 = corrects ? adamw_correction(beta2, origin->update) : 1;
    return (struct pace){
        .beta1 = (float)beta1,
        .beta2 = (float)beta2,
        .rest1 = (float)(1 - beta1),
        .rest2 = (float)(1 - beta2),
        .root2 = (float)sqrt(correction2),
        .step = (float)(origin->number / correction1),
        .keeps = decays ? (float)(1 - origin->number * origin->decay) : 1,
        .coupled = decays ? 0 : (float)origin->decay,
        .is_of_1_13 = origin->is_of_1_13,
    };
}

static struct adam update_one(struct pace pace, float x, float grad, float first, float second) {
    struct adam a;
    if (pace.coupled > 0) grad = fmaf(x, pace.coupled, grad);
    a.first = pace.is_of_1_13 ? fmaf(grad, pace.rest1, first * pace.beta1)
                              : fmaf(pace.rest1, grad - first, first);
    a.second = fmaf(pace.rest2 * grad, grad, second * pace.beta2);
    a.denominator = sqrtf(a.second) / pace.root2 + (float)ADAMW_EPS;
    a.decayed = x * pace.keeps;
    a.after = a.decayed - pace.step * a.first / a.denominator;
    return a;
}

static struct tensor compute_adamw(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = {.ndim = x->ndim + 1, .size = {3}};
    for (int dim = 0; dim < x->ndim; dim++) shape.size[dim + 1] = x->shape[dim];
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    memcpy(result.axis + 1, x->axis, (size_t)x->ndim * sizeof *x->axis);
    const struct shape shape_of_x = shape_of(x);
    const struct pace pace = pace_of(origin);
    const int64_t count = count_of(shape_of_x);
    float *out = floats_of(&result);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape_of_x, index)) {
        const struct adam a = update_one(
            pace, float_at(x, index), float_at(&origin->operands[1], index),
            float_at(&origin->operands[2], index), float_at(&origin->operands[3], index));
        out[i] = a.after;
        out[count + i] = a.first;
        out[2 * count + i] = a.second;
    }
    return result;
}

static void find_updated(struct finding *finding) {
    static const char *const roles[] = {"parameter", "gradient", "first moment", "second moment"};
    for (int i = 0; i < 4; i++) add_operand(finding, i, roles[i], finding->derivation->index + 1);
}

static void say_first_moment(struct account *account, float first) {
    const struct origin *origin = account->derivation->origin;
    const char *before = operand_figure(account, 2), *result = figure(account, (double)first);
    const double kept = origin->beta1, taken = 1 - kept;
    if (origin->is_of_1_13)
        say(account, "first moment: %s × %g + %g × %s = %s", before, kept, taken,
            operand_term(account, 1), result);
    else
        say(account, "first moment: %s + %g × (%s − %s) = %s", before, taken,
            operand_figure(account, 1), operand_term(account, 2), result);
}

// The way from both means to the parameter.
static void say_step(struct account *account, const struct adam *a) {
    const struct origin *origin = account->derivation->origin;
    const struct pace pace = pace_of(origin);
    const int64_t update = origin->update;
    if (!origin->is_uncorrected)
        say(account, "corrected at update %" PRId64 ": √(1 − %g^%" PRId64 ") = %s", update,
            origin->beta2, update, figure(account, (double)pace.root2));
    say(account, "√%s / %s + 1e-08 = %s", figure(account, (double)a->second),
        figure(account, (double)pace.root2), figure(account, (double)a->denominator));
    if (!origin->is_coupled)
        say(account, "decay: %s × (1 − %g × %g) = %s", operand_figure(account, 0), origin->number,
            origin->decay, figure(account, (double)a->decayed));
    const char *step = arena_format(account->arena, RATE, origin->number);
    if (!origin->is_uncorrected)
        step =
            arena_format(account->arena, "%s / (1 − %g^%" PRId64 ")", step, origin->beta1, update);
    say(account, "%s (%s) − %s × %s (first moment) / %s (√second moment + ε) = %s",
        figure(account, (double)a->decayed), origin->is_coupled ? "before" : "decayed", step,
        bracketed(account, (double)a->first), figure(account, (double)a->denominator),
        figure(account, (double)a->after));
}

static double account_of_adamw(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct origin *origin = d->origin;
    const struct adam a =
        update_one(pace_of(origin), operand_value(account, 0), operand_value(account, 1),
                   operand_value(account, 2), operand_value(account, 3));
    if (origin->is_coupled && origin->decay > 0)
        say(account, "the gradient is %s, with the decay in it: %g × %s is added to it first",
            operand_figure(account, 1), origin->decay, operand_figure(account, 0));
    if (d->index[0] != 2) say_first_moment(account, a.first);
    if (d->index[0] == 1) return (double)a.first;
    say(account, "second moment: %s × %g + %g × %s² = %s", operand_figure(account, 3),
        origin->beta2, 1 - origin->beta2, operand_term(account, 1),
        figure(account, (double)a.second));
    if (d->index[0] == 2) return (double)a.second;
    say_step(account, &a);
    return (double)a.after;
}

// Where a gradient is rounding, so is the direction of a step of full size.
static double error_of_adamw(const struct derivation *derivation, const double *errors) {
    const double grad = fabs(derivation->operands[1].value), size = fabs(derivation->value);
    if (derivation->index[0] == 1) return errors[2] + errors[1] + grad;
    if (derivation->index[0] == 2) return errors[3] + 2 * grad * errors[1] + grad * grad;
    const double second = sqrt(fabs(derivation->operands[3].value)) + grad;
    const double doubt = second > 0 ? fmin(1 / ROUNDING, (errors[1] + errors[2]) / second) : 0;
    return errors[0] + size + derivation->origin->number * (1 + doubt);
}

const struct operation adamw_row = {
    .name = "adamw",
    .purpose = purpose_of_first, // the parameter; its moments lie behind it
    .compute = compute_adamw,
    .updates = true,
    .find = find_updated,
    .account = account_of_adamw,
    .error = error_of_adamw,
    .no_gradient = NO_PART,
};

static struct adamw_state updated(struct adamw_state before, struct tensor grad,
                                  struct origin origin) {
    origin.operation = &adamw_row;
    origin.beta1 = ADAMW_BETA1;
    origin.beta2 = ADAMW_BETA2;
    const struct tensor operands[] = {before.parameter, grad, before.first, before.second};
    const struct tensor all = perform_on(4, operands, origin);
    return (struct adamw_state){
        select_index(all, 0, 0),
        select_index(all, 0, 1),
        select_index(all, 0, 2),
    };
}

struct adamw_state adamw(struct adamw_state before, struct tensor grad, double lr, double decay,
                         int64_t update) {
    return updated(before, grad, (struct origin){.number = lr, .decay = decay, .update = update});
}

struct adamw_state adam(struct adamw_state before, struct tensor grad, double lr, double decay,
                        int64_t update) {
    return updated(
        before, grad,
        (struct origin){.number = lr, .decay = decay, .update = update, .is_coupled = true});
}

// ---- Kept ----------------------------------------------------------------------------------------

// Of a row, each number is of an update of its own.
static int64_t update_at(const struct origin *origin, int64_t flat) {
    return origin->update + (origin->dim == 1 ? flat : 0);
}

static double account_of_kept(struct account *account) {
    const struct derivation *d = account->derivation;
    const int64_t update = update_at(d->origin, d->flat_index);
    say(account, "%s is what it was after update %" PRId64 "; its operands were not kept",
        figure(account, d->value), update);
    say(account, "--updates %" PRId64 " ends there and keeps it: %s", update,
        figure(account, d->value));
    return d->value;
}

const struct operation kept_row = {
    .name = "tensor",
    .account = account_of_kept,
    .end = "Nothing is kept before this: updates in between were not recorded.",
};

int64_t update_of_kept(const struct cell *cell) {
    const struct origin *origin = cell->tensor.storage->origin;
    if (origin->operation != &kept_row) return -1;
    return update_at(origin, flat_index(&cell->tensor, cell->index));
}

struct tensor kept(struct arena *arena, struct tensor x, int64_t update, bool is_row) {
    const struct tensor copy = tensor_new(arena, FLOAT32, shape_of(&x));
    const struct shape shape = shape_of(&x);
    int64_t index[MAX_DIMS] = {0};
    if (is_contiguous(&x))
        memcpy(floats_of(&copy), floats_of(&x), (size_t)copy.storage->count * sizeof(float));
    for (int64_t i = 0; !is_contiguous(&x) && i < copy.storage->count;
         i++, next_index(&shape, index))
        floats_of(&copy)[i] = float_at(&x, index);
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    *origin = (struct origin){.operation = &kept_row, .update = update, .dim = is_row};
    copy.storage->origin = origin;
    copy.storage->purpose = x.storage->purpose;
    copy.storage->purpose.of = NULL; // does not outlive its update
    return with_axes_of(copy, &x);
}
