// Operations along a dimension that leave one number of each line: sums, means, variances, the largest.

#include <inttypes.h>
#include <math.h>

#include "tensor/number/moments.h"
#include "tensor/operation/account.h"
#include "tensor/operation/addends.h"
#include "tensor/operation/line.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/broadcast.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

static struct tensor compute_lines(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = shape_of(x);
    if (x->storage->dtype != FLOAT32)
        fail(arena->failure, FAIL_USAGE, "%s: numbers have to be floats: float() first",
             origin->operation->name);
    shape.size[origin->dim] = 1;
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    for (int i = 0; i < x->ndim; i++) {
        if (i != origin->dim) result.axis[i] = x->axis[i];
    }
    const int64_t lines = lines_of(x, origin->dim);
    for (int64_t i = 0; i < lines; i++) {
        int64_t flat;
        const struct line line = line_at(x, origin->dim, i, &flat);
        floats_of(&result)[i] = origin->operation->of_line(origin, line, i);
    }
    return result;
}

static struct tensor reduced_by(struct origin origin, struct tensor x, int dim, bool keepdim) {
    const int at = origin.dim = dimension(&x, dim, origin.operation->name);
    const struct tensor kept = perform_on(ONE(x), origin);
    struct tensor result = keepdim ? kept : select_index(kept, at, 0);
    result.view = NULL;
    return result;
}

static struct tensor reduced(const struct operation *operation, struct tensor x, int dim,
                             bool keepdim) {
    return reduced_by((struct origin){.operation = operation}, x, dim, keepdim);
}

// A derivation's operands as a line.
static struct line operand_line(const struct account *account) {
    const int count = account->derivation->operand_count;
    float *numbers = arena_array(account->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < count; i++) numbers[i] = operand_value(account, i);
    return (struct line){numbers, 1, count};
}

// ---- sum -----------------------------------------------------------------------------------------

// The order in which line number `position` is added up. PyTorch walks the other dimensions from the last
// one on; those that lie in memory like one count as one.
static enum sum_order order_of(const struct origin *origin, int64_t position) {
    const struct tensor *x = &origin->operands[0];
    const int reduced_dim = origin->dim;
    int64_t lines = 1, apart = 0;
    for (int dim = x->ndim - 1; dim >= 0; dim--) {
        if (dim == reduced_dim || x->shape[dim] == 1) continue;
        if (lines > 1 && x->stride[dim] != lines * apart) break;
        if (lines == 1) apart = x->stride[dim];
        lines *= x->shape[dim];
    }
    return sum_order(x->shape[reduced_dim], x->stride[reduced_dim], position % lines, lines, apart);
}

static float sum_of_line(const struct origin *origin, struct line line, int64_t position) {
    return sum_of(line, order_of(origin, position));
}

static double account_of_sum(struct account *account) {
    const struct line addends = operand_line(account);
    const enum sum_order order =
        order_of(account->derivation->origin, account->derivation->flat_index);
    const double sum = (double)sum_of(addends, order);
    const bool is_whole = account->derivation->origin->operation == &sum_row;
    if (account->only_concludes && !is_whole) return sum;
    say_order(account, addends.count, order);
    say(account, "%s = %s", sum_text(account, addends, order), figure(account, sum));
    return sum;
}

// Every addend answers as the sum does.
static struct tensor gradient_of_sum(const struct backward *back, int operand) {
    return expand(back->grad, shape_of(&back->origin->operands[operand]));
}

static double error_of_sum(const struct derivation *derivation, const double *errors) {
    double error = 0;
    for (int i = 0; i < derivation->operand_count; i++)
        error += errors[i] + fabs(derivation->operands[i].value);
    return error;
}

// Of a list, the sum is that of all elements.
static const char *backward_of_sum(const struct origin *origin) {
    return origin->operands[0].ndim == 1 ? "SumBackward0" : "SumBackward1";
}

const struct operation sum_row = {
    .name = "sum",
    .backward_of = backward_of_sum,
    .gradient = gradient_of_sum,
    .help = {"sum", "x.sum(dim, keepdim)", "a dimension disappears, or stays with size 1 (keepdim)",
             "dx = dy, repeated along dim"},
    .compute = compute_lines,
    .of_line = sum_of_line,
    .find = find_line,
    .account = account_of_sum,
    .factors = 1,
    .error = error_of_sum,
};

struct tensor sum(struct tensor x, int dim, bool keepdim) {
    return reduced(&sum_row, x, dim, keepdim);
}

// ---- mean ----------------------------------------------------------------------------------------

static float mean_of_line(const struct origin *origin, struct line line, int64_t position) {
    if (origin->is_of_layer) return moments_of(line).mean;
    return sum_of_line(origin, line, position) / (float)line.count;
}

static double account_of_mean(struct account *account) {
    const float sum = (float)account_of_sum(account);
    const float mean = account->derivation->origin->is_of_layer
                           ? moments_of(operand_line(account)).mean
                           : sum / (float)account->derivation->operand_count;
    say(account, "%s / %d = %s", figure(account, (double)sum), account->derivation->operand_count,
        figure(account, (double)mean));
    return (double)mean;
}

static struct tensor gradient_of_mean(const struct backward *back, int operand) {
    const struct tensor *x = &back->origin->operands[operand];
    return expand(divide_by(back->grad, (double)x->shape[back->origin->dim]), shape_of(x));
}

static double error_of_mean(const struct derivation *derivation, const double *errors) {
    return error_of_sum(derivation, errors) / derivation->operand_count;
}

const struct operation mean_row = {
    .name = "mean",
    .help = {.back = "dx = dy / n, repeated along dim"},
    .backward = "MeanBackward1",
    .gradient = gradient_of_mean,
    .compute = compute_lines,
    .of_line = mean_of_line,
    .find = find_line,
    .account = account_of_mean,
    .error = error_of_mean,
};

struct tensor mean(struct tensor x, int dim, bool keepdim) {
    return reduced(&mean_row, x, dim, keepdim);
}

// ---- var -----------------------------------------------------------------------------------------

// The mean of a line and the sum of the squared distances from it, both in double.
struct spread {
    double mean, squares;
};

// A single line (aten/src/ATen/native/ReduceOps.cpp, std_var_all_cpu): the mean is Tensor.mean's float.
static struct spread spread_of_one(struct line line, float mean) {
    struct spread spread = {(double)mean, 0};
    for (int64_t i = 0; i < line.count; i++) {
        const double distance = (double)number_in(line, i) - spread.mean;
        spread.squares += distance * distance;
    }
    return spread;
}

// One of several (aten/src/ATen/native/SharedReduceOps.h, WelfordOps): B. P. Welford, "Note on a method
// for calculating corrected sums of squares and products", Technometrics 4(3), 1962. Each number moves
// the mean by its share of the distance, and adds the product of the distances before and after.
static struct spread spread_of_many(struct line line) {
    struct spread spread = {0, 0};
    for (int64_t i = 0; i < line.count; i++) {
        const double x = (double)number_in(line, i), before = x - spread.mean;
        spread.mean += before / (double)(i + 1);
        spread.squares = fma(before, x - spread.mean, spread.squares);
    }
    return spread;
}

static bool is_single(const struct origin *origin) {
    return lines_of(&origin->operands[0], origin->dim) == 1;
}

static struct spread spread_of(const struct origin *origin, struct line line) {
    if (origin->is_of_layer) {
        const struct moments moments = moments_of(line);
        return (struct spread){(double)moments.mean, (double)moments.squares};
    }
    return is_single(origin) ? spread_of_one(line, mean_of_line(origin, line, 0))
                             : spread_of_many(line);
}

// n - 1, or n.
static double divisor_of(const struct origin *origin) {
    return (double)(origin->operands[0].shape[origin->dim] - (origin->is_biased ? 0 : 1));
}

static float variance_of_line(const struct origin *origin, struct line line, int64_t position) {
    (void)position;
    return (float)(spread_of(origin, line).squares / divisor_of(origin));
}

static void account_of_spread(struct account *account, const struct spread *spread) {
    const int count = account->derivation->operand_count;
    const char *mean = bracketed(account, spread->mean);
    struct text distances = empty_text(account);
    for (int i = 0; i < count; i++)
        text_add_format(&distances, "%s(%s − %s)²", i > 0 ? " + " : "", operand_figure(account, i),
                        mean);
    if (!is_single(account->derivation->origin))
        say(account, "number by number, as PyTorch does: each moves the mean by its share");
    say(account, "mean = (%s) / %d = %s", sum_text(account, operand_line(account), IN_ORDER), count,
        figure(account, spread->mean));
    say(account, "squared distances from it: %s = %s", distances.bytes,
        figure(account, spread->squares));
}

static double account_of_var(struct account *account) {
    const struct origin *origin = account->derivation->origin;
    const int count = account->derivation->operand_count;
    const struct spread spread = spread_of(origin, operand_line(account));
    const float variance = (float)(spread.squares / divisor_of(origin));
    if (!account->only_concludes) account_of_spread(account, &spread);
    say(account, origin->is_biased ? "%s / %d = %s" : "%s / (%d − 1) = %s",
        figure(account, spread.squares), count, figure(account, (double)variance));
    return (double)variance;
}

// 2 / (n - 1), or 2 / n, · (x - mean): the mean's own way adds up to 0.
static struct tensor gradient_of_var(const struct backward *back, int operand) {
    const struct tensor x = back->origin->operands[operand];
    const int dim = back->origin->dim;
    const struct tensor middle = reduced(&mean_row, x, dim, true);
    return multiply(multiply_by(back->grad, 2 / divisor_of(back->origin)), subtract(x, middle));
}

// Each number's own error and the mean's move a distance, which is squared.
static double error_of_variance(const struct derivation *derivation, const double *errors) {
    const int count = derivation->operand_count;
    double mean = 0, error = 0;
    for (int i = 0; i < count; i++) mean += derivation->operands[i].value / count;
    const double error_of_it = error_of_mean(derivation, errors);
    for (int i = 0; i < count; i++) {
        const double distance = derivation->operands[i].value - mean,
                     error_of_distance = errors[i] + error_of_it;
        error += error_of_factors(distance, distance, error_of_distance, error_of_distance);
    }
    return error / divisor_of(derivation->origin) + derivation->value;
}

const struct operation var_row = {
    .name = "var",
    .backward = "VarBackward0",
    .gradient = gradient_of_var,
    .compute = compute_lines,
    .of_line = variance_of_line,
    .find = find_line,
    .account = account_of_var,
    .error = error_of_variance,
};

struct tensor var(struct tensor x, int dim, bool unbiased, bool keepdim) {
    return reduced_by((struct origin){.operation = &var_row, .is_biased = !unbiased}, x, dim,
                      keepdim);
}

struct tensor layer_mean(struct tensor x, int dim) {
    return reduced_by((struct origin){.operation = &mean_row, .is_of_layer = true}, x, dim, true);
}

struct tensor layer_var(struct tensor x, int dim) {
    return reduced_by(
        (struct origin){.operation = &var_row, .is_biased = true, .is_of_layer = true}, x, dim,
        true);
}

// ---- std and norm --------------------------------------------------------------------------------

// The root is taken before the variance is rounded to a float.
static float deviation_of_line(const struct origin *origin, struct line line, int64_t position) {
    (void)position;
    return (float)sqrt(spread_of(origin, line).squares / divisor_of(origin));
}

// Of a root: the gradient divided by the result, times `factor`; none where the result is 0.
static struct tensor gradient_of_root(const struct backward *back, double factor) {
    const struct tensor zero = full(back->grad.storage->arena, NO_DIMS, 0);
    const struct tensor slope = divide(multiply_by(back->grad, factor), back->result);
    return masked_fill(slope, equal(back->result, zero), 0);
}

static struct tensor gradient_of_std(const struct backward *back, int operand) {
    struct backward of_variance = *back;
    of_variance.grad = gradient_of_root(back, 0.5);
    return gradient_of_var(&of_variance, operand);
}

static const struct operation std_row = {.name = "std",
                                         .backward = "StdBackward0",
                                         .gradient = gradient_of_std,
                                         .compute = compute_lines,
                                         .of_line = deviation_of_line,
                                         .find = find_line};

struct tensor deviation(struct tensor x, int dim, bool unbiased, bool keepdim) {
    return reduced_by((struct origin){.operation = &std_row, .is_biased = !unbiased}, x, dim,
                      keepdim);
}

// aten/src/ATen/native/cpu/ReduceOpsKernel.cpp, norm_kernel: eight lanes where the numbers lie side by side, which
// 1.13 fuses. Of those that are left the compiler has squared four at a time.
static float norm_of_line(const struct origin *origin, struct line line, int64_t position) {
    enum { LANES = 8 };
    (void)position;
    float lanes[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; line.step == 1 && i + LANES <= line.count; i += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            const float x = number_in(line, i + lane);
            lanes[lane] = origin->is_of_1_13 ? fmaf(x, x, lanes[lane]) : lanes[lane] + x * x;
        }
    for (int lane = 0; lane < LANES; lane++) sum += lanes[lane];
    for (const int64_t end = i + 4; line.step == 1 && end <= line.count && i < end; i++)
        sum += number_in(line, i) * number_in(line, i);
    for (; i < line.count; i++) sum = fmaf(number_in(line, i), number_in(line, i), sum);
    return sqrtf(sum);
}

static struct tensor gradient_of_norm(const struct backward *back, int operand) {
    return multiply(back->origin->operands[operand], gradient_of_root(back, 1));
}

// That of the squares' root is at most that of all numbers together.
static double error_of_norm(const struct derivation *derivation, const double *errors) {
    double error = (derivation->operand_count + 1) * fabs(derivation->value);
    for (int i = 0; i < derivation->operand_count; i++) error += errors[i];
    return error;
}

static const struct operation norm_row = {.name = "norm",
                                          .error = error_of_norm,
                                          .backward = "LinalgVectorNormBackward0",
                                          .gradient = gradient_of_norm,
                                          .compute = compute_lines,
                                          .of_line = norm_of_line,
                                          .find = find_line};

struct tensor norm(struct tensor x, int dim, bool keepdim) {
    return reduced_by((struct origin){.operation = &norm_row}, x, dim, keepdim);
}

// ---- amax ----------------------------------------------------------------------------------------

enum { ALL_DIMS = -1 }; // origin->dim, where the largest of all numbers is asked for

static struct tensor compute_amax(struct arena *arena, const struct origin *origin) {
    if (origin->dim != ALL_DIMS) return compute_lines(arena, origin);
    const struct tensor *x = &origin->operands[0];
    const int64_t count = count_of(shape_of(x));
    const struct tensor result = tensor_new(arena, FLOAT32, NO_DIMS);
    float *row = arena_array(arena, (size_t)count, sizeof *row);
    for (int64_t i = 0; i < count; i++) row[i] = (float)element_at(x, i);
    floats_of(&result)[0] = largest_in((struct line){row, 1, count});
    return result;
}

static float largest_of_line(const struct origin *origin, struct line line, int64_t position) {
    (void)origin;
    (void)position;
    return largest_in(line);
}

static void find_all(struct finding *finding) {
    add_all(finding, 0, "x");
}

static void find_largest(struct finding *finding) {
    if (finding->derivation->origin->dim == ALL_DIMS)
        find_all(finding);
    else
        find_line(finding);
}

static double account_of_amax(struct account *account) {
    const struct derivation *d = account->derivation;
    const int position = place_of_largest(account, 0, d->operand_count);
    if (position < 0) {
        say(account, "-inf: no number is larger");
        return -INFINITY;
    }
    const struct cell *cell = &d->operands[position].cell;
    say(account, "the largest of %d numbers, %s%s, is %s", d->operand_count,
        cell->tensor.ndim > 0 ? "at " : "the only one", cell_label(account->arena, cell),
        operand_figure(account, position));
    return d->operands[position].value;
}

// Only the largest answers; several of them share.
static struct tensor gradient_of_amax(const struct backward *back, int operand) {
    const struct tensor x = back->origin->operands[operand];
    const struct tensor is_largest = multiply_by(at_most(back->result, x), 1);
    const int dim = back->origin->dim;
    const struct tensor count =
        dim == ALL_DIMS ? sum_to(is_largest, NO_DIMS) : sum(is_largest, dim, true);
    return multiply(divide(back->grad, count), is_largest);
}

static double error_of_largest(const struct derivation *derivation, const double *errors) {
    double error = 0;
    for (int i = 0; i < derivation->operand_count; i++) error = fmax(error, errors[i]);
    return error;
}

// x.max() of all numbers, x.amax(dim) of lines.
static const char *backward_of_amax(const struct origin *origin) {
    return origin->dim == ALL_DIMS ? "MaxBackward1" : "AmaxBackward0";
}

const struct operation amax_row = {
    .name = "amax",
    .formula = "max(1)",
    .help = {.back = "dx = dy at the largest, 0 elsewhere"},
    .backward_of = backward_of_amax,
    .gradient = gradient_of_amax,
    .compute = compute_amax,
    .of_line = largest_of_line,
    .find = find_largest,
    .account = account_of_amax,
    .picks_largest = true,
    .error = error_of_largest,
};

struct tensor amax(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &amax_row, .dim = ALL_DIMS});
}

struct tensor amax_along(struct tensor x, int dim) {
    return reduced(&amax_row, x, dim, false);
}

// ---- argmax --------------------------------------------------------------------------------------

// A place in a row of labelled numbers is the id of a label: of logits, that of a word.
static struct tensor compute_argmax(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const int64_t count = count_of(shape_of(x));
    int64_t position = 0;
    for (int64_t i = 1; i < count; i++) {
        const double value = element_at(x, i), most = element_at(x, position);
        if (value > most || (value != value && most == most)) position = i;
    }
    const struct tensor result = tensor_new(arena, INT64, NO_DIMS);
    *(int64_t *)result.storage->data = position;
    if (x->ndim == 1 && x->axis[0].labels != NULL) {
        result.storage->words = x->axis[0].labels;
        result.storage->word_count = count;
    }
    return result;
}

static double account_of_argmax(struct account *account) {
    const int position = place_of_largest(account, 0, account->derivation->operand_count);
    const int first = position < 0 ? 0 : position;
    const struct storage *storage = account->storage;
    const bool has_word = storage->words != NULL && first < storage->word_count;
    say(account, "place %d%s%s%s, counted from 0: %s is the largest of %d numbers", first,
        has_word ? " (" : "", has_word ? storage->words[first] : "", has_word ? ")" : "",
        operand_figure(account, first), account->derivation->operand_count);
    return first;
}

static double error_of_place(const struct derivation *derivation, const double *errors) {
    (void)derivation;
    (void)errors;
    return 0;
}

const struct operation argmax_row = {
    .name = "argmax",
    .compute = compute_argmax,
    .find = find_all,
    .account = account_of_argmax,
    .picks_largest = true,
    .error = error_of_place,
    .no_gradient = "a small change of its number does not change a place",
};

struct tensor argmax(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &argmax_row});
}
