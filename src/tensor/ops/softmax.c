// Softmax and its logarithm, along a dimension; and the loss that is made of them.
//
// PyTorch computes them one way along the last dimension, and another along all others, where it goes
// down columns, eight at a time (aten/src/ATen/native/cpu/SoftMaxKernel.cpp).

#include <math.h>

#include "tensor/number/elementary.h"
#include "tensor/operation/account.h"
#include "tensor/operation/addends.h"
#include "tensor/operation/line.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"

struct way {
    bool is_row;    // along the last dimension
    bool is_vector; // columns that do not fill a vector take the e^x of the C library
};

// The way of an index's line along `dim`, its own place in it aside.
static struct way way_of(const struct tensor *x, int dim, const int64_t *index) {
    enum { VECTOR = 8 };
    int64_t column = 0, columns = 1;
    for (int behind = dim + 1; behind < x->ndim; behind++) {
        column = column * x->shape[behind] + index[behind];
        columns *= x->shape[behind];
    }
    const bool is_row = dim == x->ndim - 1;
    const bool fills_a_vector = column < columns - columns % VECTOR;
    return (struct way){is_row, is_row || fills_a_vector};
}

// What softmax takes from a line: its largest number, and the sum of all e^(x - most).
struct powers {
    float most, sum;
};

// powers[i] = e^(x - most) for each number of a line.
static struct powers raise(struct line line, struct way way, float *powers) {
    const float most = largest_in(line);
    if (way.is_vector)
        exp_floats(line, most, powers);
    else
        for (int64_t i = 0; i < line.count; i++)
            powers[i] = exp_float_of_glibc(number_in(line, i) - most);
    const enum sum_order order = way.is_row ? LANES_BY_HALVES : IN_ORDER;
    return (struct powers){most, sum_of((struct line){powers, 1, line.count}, order)};
}

// Along the last dimension PyTorch multiplies by 1 / sum, along others it divides.
static float softmax_of(float power, float sum, struct way way) {
    return way.is_row ? power * (1 / sum) : power / sum;
}

static float log_softmax_of(float x, struct powers powers) {
    return x - powers.most - log_float(powers.sum);
}

// Fills a new tensor like the operand line by line, with the softmax or its logarithm.
static struct tensor compute_along(struct arena *arena, const struct origin *origin, bool is_log) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const int dim = origin->dim;
    struct shape others = shape_of(x);
    const int64_t count = others.size[dim], lines = lines_of(x, dim), step = result.stride[dim];
    float *powers = arena_array(arena, (size_t)count, sizeof *powers);
    int64_t index[MAX_DIMS] = {0};
    others.size[dim] = 1;
    for (int64_t i = 0; i < lines; i++, next_index(&others, index)) {
        const struct line line = {floats_of(x) - x->offset + flat_index(x, index), x->stride[dim],
                                  count};
        float *out = floats_of(&result) + flat_index(&result, index);
        const struct way way = way_of(x, dim, index);
        const struct powers all = raise(line, way, powers);
        for (int64_t k = 0; k < count; k++)
            out[k * step] = is_log ? log_softmax_of(number_in(line, k), all)
                                   : softmax_of(powers[k], all.sum, way);
    }
    return result;
}

static struct tensor over_dimension(const struct operation *operation, struct tensor x, int dim) {
    const int at = dimension(&x, dim, operation->name);
    return perform_on(ONE(x), (struct origin){.operation = operation, .dim = at});
}

// ---- The words -----------------------------------------------------------------------------------

enum { PARTS = 3 }; // of a line, before its first cell: the maximum, the exponentials, their sum

// A line among the operands of a derivation, and the room for its powers.
struct said_line {
    struct line numbers;
    struct way way;
    float *powers;
    struct powers all;
};

static struct said_line raise_operands(struct account *account, int first, int count,
                                       struct way way) {
    float *numbers = arena_array(account->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = operand_value(account, first + i);
    struct said_line said = {.numbers = {numbers, 1, count}, .way = way};
    said.powers = arena_array(account->arena, (size_t)count, sizeof *said.powers);
    said.all = raise(said.numbers, way, said.powers);
    return said;
}

// The largest of the line, e^(x - max) of each, and their sum.
static struct said_line say_powers(struct account *account) {
    const struct derivation *d = account->derivation;
    const int count = d->operand_count;
    const struct way way = way_of(&d->origin->operands[0], d->origin->dim, d->index);
    const struct said_line said = raise_operands(account, 0, count, way);
    const enum sum_order order = way.is_row ? LANES_BY_HALVES : IN_ORDER;
    say(account, "max = %s", figure(account, (double)said.all.most));
    end_part(account);
    for (int i = 0; i < count; i++)
        say(account, "e^(%s − %s) = %s", operand_figure(account, i),
            bracketed(account, (double)said.all.most), figure(account, (double)said.powers[i]));
    end_part(account);
    say_order(account, count, order);
    say(account, "sum = %s = %s", sum_text(account, (struct line){said.powers, 1, count}, order),
        figure(account, (double)said.all.sum));
    end_part(account);
    return said;
}

// ---- How exact -------------------------------------------------------------------------------------

static double largest_value(const struct derivation *derivation, int first, int count) {
    double most = -INFINITY;
    for (int i = first; i < first + count; i++) most = fmax(most, derivation->operands[i].value);
    return most;
}

enum { FEW_ERRORS = 1000 }; // units: so small a part of 1 that 1 + x + x² bounds e^x closely

// e^(x + error), from above.
static double raised(double power, double x, double error) {
    const double part = ROUNDING * error;
    return error < FEW_ERRORS ? power * (1 + part * (1 + part)) : exp(x + part);
}

// e^(x - error), from below.
static double lowered(double power, double x, double error) {
    return error < FEW_ERRORS ? power * (1 - ROUNDING * error) : exp(x - ROUNDING * error);
}

// With r = x - x[own] for each other number of the line, softmax is 1 / (1 + sum of all e^r): the more r
// err upwards, the less it is. Each x errs by itself and by its distance from the largest, which is
// subtracted from it; then there are the e^x, their sum and the quotient.
static double error_of_softmax(const struct derivation *derivation, const double *errors) {
    enum { ROUNDED = 3 };
    const struct operand *operands = derivation->operands;
    const int count = derivation->operand_count,
              position = (int)derivation->index[derivation->origin->dim];
    const double x = operands[position].value, most = largest_value(derivation, 0, count);
    if (isinf(x)) return 0;
    double least_others = 0, most_others = 0;
    for (int i = 0; i < count; i++) {
        const double r = operands[i].value - x;
        if (i == position || isinf(r)) continue;
        const double error = errors[i] + errors[position] + (most - operands[i].value) + (most - x);
        const double power = exp(r);
        least_others += lowered(power, r, error);
        most_others += raised(power, r, error);
    }
    const double y = derivation->value, most_y = 1 / (1 + least_others),
                 least_y = 1 / (1 + most_others);
    return fmax(most_y - y, y - least_y) / ROUNDING + ROUNDED * most_y;
}

// What the logarithm of the sum of all e^x of a line, among the operands from `first` on, may err by, and
// the largest of the line. It moves most where all x move up, and never more than they do.
static double error_of_line(const struct derivation *derivation, const double *errors, int first,
                            int count, double *most) {
    double sum = 0, moved = 0, largest = 0;
    *most = largest_value(derivation, first, count);
    for (int i = first; i < first + count; i++) {
        const double r = derivation->operands[i].value - *most;
        if (isinf(r)) continue;
        const double power = exp(r);
        sum += power;
        moved += raised(power, r, errors[i]) - power;
        largest = fmax(largest, errors[i]);
    }
    return fmin(log1p(moved / sum) / ROUNDING, largest) + 1;
}

// Of x − log(sum of all e^x), with number `position` of a line's.
static double error_of_logarithm(const struct derivation *derivation, const double *errors,
                                 int first, int count, int position) {
    double most;
    const double others = error_of_line(derivation, errors, first, count, &most);
    return errors[first + position] + fabs(derivation->operands[first + position].value) +
           fabs(most) + others;
}

static double error_of_log_softmax(const struct derivation *derivation, const double *errors) {
    const int position = (int)derivation->index[derivation->origin->dim];
    return error_of_logarithm(derivation, errors, 0, derivation->operand_count, position);
}

// ---- softmax -------------------------------------------------------------------------------------

static struct tensor compute_softmax(struct arena *arena, const struct origin *origin) {
    return compute_along(arena, origin, false);
}

// "e^(0.5 − 1.0) / (0.6065 + 1.0000) = ": the powers of a line that is short enough to be read; else "".
static const char *share_of_powers(struct account *account, const struct said_line *said,
                                   int position) {
    enum { MOST_POWERS = 8 };
    const int count = account->derivation->operand_count;
    if (count > MOST_POWERS) return "";
    struct text text = text_new(account->arena);
    text_add_format(&text, "e^(%s − %s) / (", operand_figure(account, position),
                    bracketed(account, (double)said->all.most));
    for (int i = 0; i < count; i++)
        text_add_format(&text, "%s%s", i > 0 ? " + " : "",
                        figure(account, (double)said->powers[i]));
    text_add(&text, ") = ");
    return text.bytes;
}

static double account_of_softmax(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct said_line said = say_powers(account);
    const int position = (int)d->index[d->origin->dim];
    const float power = said.powers[position], sum = said.all.sum;
    const double weight = (double)softmax_of(power, sum, said.way);
    say(account, said.way.is_row ? "%s%s × (1 / %s) = %s" : "%s%s / %s = %s",
        share_of_powers(account, &said, position), figure(account, (double)power),
        figure(account, (double)sum), figure(account, weight));
    return weight;
}

static struct tensor gradient_of_softmax(const struct backward *back, int operand) {
    (void)operand;
    const struct origin *origin = back->origin;
    return softmax_backward(back->grad, back->result, origin->dim, origin->is_of_1_13);
}

// A number that is only too small for a float is rounded to 0, not masked.
static bool hides_minus_infinity(struct arena *arena, const struct derivation *derivation) {
    (void)arena;
    const int64_t position = derivation->index[derivation->origin->dim];
    return derivation->operands[position].value == -INFINITY;
}

static struct purpose purpose_of_softmax(const struct origin *origin, const struct tensor *result) {
    (void)result;
    switch (role_of(&origin->operands[0])) {
    case ROLE_SCORES:
    case ROLE_MASKED_SCORES:
        return (struct purpose){.role = ROLE_WEIGHTS};
    case ROLE_LOGITS:
        return (struct purpose){.role = ROLE_PROBABILITIES};
    default:
        return (struct purpose){.role = ROLE_NONE};
    }
}

const struct operation softmax_row = {
    .name = "softmax",
    .purpose = purpose_of_softmax,
    .backward = "SoftmaxBackward0",
    .gradient = gradient_of_softmax,
    .help = {"softmax", "torch.softmax(x, dim)", "same sizes; numbers along dim add up to 1",
             "of y: dx = y · (dy - Σ dy · y), along dim"},
    .compute = compute_softmax,
    .find = find_line,
    .account = account_of_softmax,
    .error = error_of_softmax,
    .parts_of_line = PARTS,
    .hides = hides_minus_infinity,
};

struct tensor softmax(struct tensor x, int dim) {
    return over_dimension(&softmax_row, x, dim);
}

// ---- log_softmax ---------------------------------------------------------------------------------

static struct tensor compute_log_softmax(struct arena *arena, const struct origin *origin) {
    return compute_along(arena, origin, true);
}

static double account_of_log_softmax(struct account *account) {
    const struct derivation *d = account->derivation;
    const int position = (int)d->index[d->origin->dim];
    const struct powers all = say_powers(account).all;
    const double result = (double)log_softmax_of(operand_value(account, position), all);
    say(account, "%s − %s − log(%s) = %s", operand_figure(account, position),
        bracketed(account, (double)all.most), figure(account, (double)all.sum),
        figure(account, result));
    return result;
}

static struct tensor gradient_of_log_softmax(const struct backward *back, int operand) {
    (void)operand;
    return log_softmax_backward(back->grad, back->result, back->origin->dim);
}

const struct operation log_softmax_row = {
    .name = "log_softmax",
    .backward = "LogSoftmaxBackward0",
    .gradient = gradient_of_log_softmax,
    .compute = compute_log_softmax,
    .find = find_line,
    .account = account_of_log_softmax,
    .error = error_of_log_softmax,
    .parts_of_line = PARTS,
};

struct tensor log_softmax(struct tensor x, int dim) {
    return over_dimension(&log_softmax_row, x, dim);
}

// ---- cross_entropy -------------------------------------------------------------------------------

enum { IGNORED = -100 }; // torch's ignore_index, if none is given

// Does the row with this target, counted along all targets, leave the loss as it is?
static bool is_ignored(const struct tensor *targets, int64_t row) {
    return element_at(targets, row) == IGNORED;
}

static int64_t count_kept(const struct tensor *targets) {
    const int64_t rows = count_of(shape_of(targets));
    int64_t kept = 0;
    for (int64_t i = 0; i < rows; i++) kept += !is_ignored(targets, i);
    return kept;
}

static void check_targets(struct arena *arena, const struct tensor *logits,
                          const struct tensor *targets) {
    const int classes = logits->ndim - 1;
    const int64_t count = count_of(shape_of(targets));
    if (classes < 0 || targets->storage->dtype != INT64 || lines_of(logits, classes) != count) {
        fail(arena->failure, FAIL_USAGE,
             "cross_entropy: logits of shape %s and targets of shape %s do not fit",
             shape_text(arena, shape_of(logits)), shape_text(arena, shape_of(targets)));
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t target = (int64_t)element_at(targets, i);
        if ((target >= 0 && target < logits->shape[classes]) || target == IGNORED) continue;
        fail(arena->failure, FAIL_USAGE, "cross_entropy: no class %lld in logits of shape %s",
             (long long)target, shape_text(arena, shape_of(logits)));
    }
}

// The sum of the rows' losses (aten/src/ATen/native/LossNLL.cpp): a cascade, whose last number is the first row. A row that is
// ignored moves no sum up.
static float sum_of_losses(const float *losses, const struct tensor *targets) {
    enum { LEVELS = 8, POWER = 4, MASK = (1 << POWER) - 1 };
    const int64_t rows = count_of(shape_of(targets));
    float sums[LEVELS] = {0}, total = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (is_ignored(targets, i)) continue;
        sums[0] += losses[i];
        for (int level = 0; level + 1 < LEVELS && (i >> (level * POWER) & MASK) == 0; level++) {
            sums[level + 1] += sums[level];
            sums[level] = 0;
        }
    }
    for (int level = 0; level < LEVELS; level++) total += sums[level];
    return total;
}

static const struct way ROW = {true, true};

static struct tensor compute_cross_entropy(struct arena *arena, const struct origin *origin) {
    const struct tensor *logits = &origin->operands[0], *targets = &origin->operands[1];
    check_targets(arena, logits, targets);
    const int64_t rows = count_of(shape_of(targets)), classes = logits->shape[logits->ndim - 1];
    float *losses = arena_array(arena, (size_t)rows, sizeof *losses);
    float *powers = arena_array(arena, (size_t)classes, sizeof *powers);
    for (int64_t i = 0; i < rows; i++) {
        int64_t flat;
        const struct line line = line_at(logits, logits->ndim - 1, i, &flat);
        const struct powers all = raise(line, ROW, powers);
        const int64_t target = is_ignored(targets, i) ? 0 : (int64_t)element_at(targets, i);
        losses[i] = -log_softmax_of(number_in(line, target), all);
    }
    const struct tensor loss = tensor_new(arena, FLOAT32, NO_DIMS);
    floats_of(&loss)[0] = sum_of_losses(losses, targets) / (float)count_kept(targets);
    return loss;
}

// The logits of the rows that count, and all targets.
static void find_loss(struct finding *finding) {
    const struct tensor *logits = operand_tensor(finding, 0), *targets = operand_tensor(finding, 1);
    const struct shape shape = shape_of(logits);
    const int64_t classes = shape.size[shape.ndim - 1], count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    expect_operands(finding, count);
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        if (!is_ignored(targets, i / classes)) add_operand(finding, 0, "logits", index);
    add_all(finding, 1, "target");
}

// How the operands found lie: the first target is behind `kept` rows of `classes` logits.
struct found_loss {
    const struct tensor *targets;
    int rows, kept, classes;
};

static struct found_loss found_loss(const struct derivation *derivation) {
    const struct tensor *operands = derivation->origin->operands;
    return (struct found_loss){&operands[1], (int)count_of(shape_of(&operands[1])),
                               (int)count_kept(&operands[1]),
                               (int)operands[0].shape[operands[0].ndim - 1]};
}

static int target_of(const struct derivation *derivation, const struct found_loss *found, int row) {
    return (int)derivation->operands[found->kept * found->classes + row].value;
}

// -log of the softmax of one row of logits, at its target.
static float say_row_loss(struct account *account, int row, int first, int classes, int target) {
    const struct powers all = raise_operands(account, first, classes, ROW).all;
    const float loss = -log_softmax_of(operand_value(account, first + target), all);
    say(account,
        "row %d, target %d: max = %s, sum of e^(x − max) = %s, "
        "-(%s − %s − log(%s)) = %s",
        row + 1, target, figure(account, (double)all.most), figure(account, (double)all.sum),
        operand_figure(account, first + target), bracketed(account, (double)all.most),
        figure(account, (double)all.sum), figure(account, (double)loss));
    return loss;
}

static double account_of_cross_entropy(struct account *account) {
    const struct derivation *d = account->derivation;
    const struct found_loss found = found_loss(d);
    float *losses = arena_array(account->arena, (size_t)found.rows, sizeof *losses);
    float *kept = arena_array(account->arena, (size_t)found.rows, sizeof *kept);
    int count = 0;
    for (int row = 0; row < found.rows; row++) {
        const int target = target_of(d, &found, row);
        if (target == IGNORED) {
            say(account, "row %d, target %d: does not count", row + 1, target);
            continue;
        }
        losses[row] = kept[count] =
            say_row_loss(account, row, count * found.classes, found.classes, target);
        count++;
    }
    const double mean = (double)(sum_of_losses(losses, found.targets) / (float)count);
    if (count > 2) say(account, "PyTorch adds them up in another order: the first row comes last");
    const char *sum = sum_text(account, (struct line){kept, 1, count}, IN_ORDER);
    say(account, count == 1 ? "%s / %d = %s" : "(%s) / %d = %s", sum, count, figure(account, mean));
    return mean;
}

// 1 at the target of each row, and a row of 0 where it is ignored.
static struct tensor hot_targets(struct tensor targets, int64_t classes) {
    if (count_kept(&targets) == count_of(shape_of(&targets))) return one_hot(targets, classes);
    const struct tensor ignored = less(targets, scalar(targets.storage->arena, 0));
    const struct tensor hot = one_hot(masked_fill(targets, ignored, 0), classes);
    struct shape column = shape_of(&ignored);
    column.size[column.ndim++] = 1;
    return masked_fill(hot, (view)(ignored, column), 0);
}

// (softmax(x) - one-hot) / rows, in PyTorch's two steps: back through nll_loss, which answers with -1 / rows
// to the logarithm at each target and with 0 to all others, and then through log_softmax. There a row that is ignored has
// a gradient of 0, or of nan if its logits are nan.
static struct tensor gradient_of_cross_entropy(const struct backward *back, int operand) {
    if (operand == 1) return NO_TENSOR;
    const struct tensor logits = back->origin->operands[0], targets = back->origin->operands[1];
    const int64_t rows = count_kept(&targets);
    const struct tensor hot = hot_targets(targets, logits.shape[logits.ndim - 1]);
    const struct tensor share = divide_by(back->grad, rows > 0 ? (double)rows : 1);
    const struct tensor shared = multiply(view(hot, shape_of(&logits)), share);
    const struct tensor of_logarithms = subtract(scalar(logits.storage->arena, 0), shared);
    return log_softmax_backward(of_logarithms, log_softmax(logits, -1), -1);
}

static double error_of_loss(const struct derivation *derivation, const double *errors) {
    const struct found_loss found = found_loss(derivation);
    double error = 0;
    for (int row = 0, first = 0; row < found.rows; row++) {
        const int target = target_of(derivation, &found, row);
        if (target == IGNORED) continue;
        error += error_of_logarithm(derivation, errors, first, found.classes, target);
        first += found.classes;
    }
    return error / found.kept;
}

static struct purpose purpose_of_loss(const struct origin *origin, const struct tensor *result) {
    (void)origin;
    (void)result;
    return (struct purpose){.role = ROLE_LOSS};
}

const struct operation cross_entropy_row = {
    .name = "cross_entropy",
    .purpose = purpose_of_loss,
    .help = {.back = "of logits: (softmax - one-hot) / n"},
    .backward = "NllLossBackward0",
    .gradient = gradient_of_cross_entropy,
    .compute = compute_cross_entropy,
    .find = find_loss,
    .account = account_of_cross_entropy,
    .error = error_of_loss,
};

struct tensor cross_entropy(struct tensor logits, struct tensor targets) {
    return perform_on(TWO(logits, targets), (struct origin){.operation = &cross_entropy_row});
}
