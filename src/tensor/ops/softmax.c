// Softmax and its logarithm, along a dimension; and the loss that is made of them.

#include "tensor/number/elementary.h"
#include "tensor/ops/line.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/rows.h"

// The sum of e^(x - most) over a line, in order.
static float sum_of_powers(struct line line, float most) {
    float sum = 0;
    for (int64_t i = 0; i < line.count; i++) sum += exp_float(line.first[i * line.step] - most);
    return sum;
}

// Fills a new tensor like the operand line by line: fill(line of x, line of the result, their step).
static struct tensor compute_along(struct arena *arena, const struct origin *origin,
                                   void (*fill)(struct line, float *, int64_t)) {
    const struct tensor *x = &origin->operands[0];
    const struct tensor result = tensor_like(arena, FLOAT32, x);
    const int64_t lines = lines_of(x, origin->dim);
    for (int64_t i = 0; i < lines; i++) {
        int64_t flat_x, flat_result;
        const struct line line = line_at(x, origin->dim, i, &flat_x);
        (void)line_at(&result, origin->dim, i, &flat_result);
        fill(line, floats_of(&result) + flat_result, result.stride[origin->dim]);
    }
    return result;
}

static struct tensor along(const struct operation *operation, struct tensor x, int dim) {
    const int at = dimension(&x, dim, operation->name);
    return perform_on(ONE(x), (struct origin){.operation = operation, .dim = at});
}

// ---- The words -----------------------------------------------------------------------------------

enum { PARTS = 3 }; // of a line, before its first cell: the maximum, the exponentials, their sum

// The largest of the line, e^(x - max) of each, and their sum, which it returns.
static float say_powers(struct account *account, float most) {
    struct text addends = empty_text(account);
    const int count = account->derivation->operand_count;
    float sum = 0;
    say(account, "max = %s", figure(account, (double)most));
    end_part(account);
    for (int i = 0; i < count; i++) {
        const float power = exp_float(operand_value(account, i) - most);
        sum += power;
        say(account, "e^(%s − %s) = %s", operand_figure(account, i),
            bracketed(account, (double)most), figure(account, (double)power));
        text_add_format(&addends, "%s%s", i > 0 ? " + " : "", figure(account, (double)power));
    }
    end_part(account);
    say(account, "sum = %s = %s", addends.bytes, figure(account, (double)sum));
    end_part(account);
    return sum;
}

// ---- softmax -------------------------------------------------------------------------------------

static void fill_softmax(struct line line, float *result, int64_t step) {
    const float most = largest_in(line);
    float sum = 0;
    for (int64_t i = 0; i < line.count; i++) {
        const float power = exp_float(line.first[i * line.step] - most);
        result[i * step] = power;
        sum += power;
    }
    const float scale = 1 / sum;
    for (int64_t i = 0; i < line.count; i++) result[i * step] *= scale;
}

static struct tensor compute_softmax(struct arena *arena, const struct origin *origin) {
    return compute_along(arena, origin, fill_softmax);
}

static double account_of_softmax(struct account *account) {
    const struct derivation *d = account->derivation;
    const float most = largest_operand(account, 0, d->operand_count);
    const float sum = say_powers(account, most);
    const float power = exp_float(operand_value(account, (int)d->index[d->origin->dim]) - most);
    const double weight = (double)(power * (1 / sum));
    say(account, "%s × (1 / %s) = %s", figure(account, (double)power), figure(account, (double)sum),
        figure(account, weight));
    return weight;
}

const struct operation softmax_row = {
    .name = "softmax",
    .help = {"softmax", "torch.softmax(x, dim)", "same sizes; numbers along dim add up to 1"},
    .compute = compute_softmax,
    .find = find_line,
    .account = account_of_softmax,
    .tolerance = ROUNDED,
    .parts_of_line = PARTS,
    .zeros_mask = true,
};

struct tensor softmax(struct tensor x, int dim) {
    return along(&softmax_row, x, dim);
}

// ---- log_softmax ---------------------------------------------------------------------------------

// The logarithm of a softmax, at a place of its line.
static float log_softmax_at(float x, float most, float sum) {
    return x - most - log_float(sum);
}

static void fill_log_softmax(struct line line, float *result, int64_t step) {
    const float most = largest_in(line), sum = sum_of_powers(line, most);
    for (int64_t i = 0; i < line.count; i++)
        result[i * step] = log_softmax_at(line.first[i * line.step], most, sum);
}

static struct tensor compute_log_softmax(struct arena *arena, const struct origin *origin) {
    return compute_along(arena, origin, fill_log_softmax);
}

static double account_of_log_softmax(struct account *account) {
    const struct derivation *d = account->derivation;
    const int own = (int)d->index[d->origin->dim];
    const float most = largest_operand(account, 0, d->operand_count);
    const float sum = say_powers(account, most);
    const double result = (double)log_softmax_at(operand_value(account, own), most, sum);
    say(account, "%s − %s − log(%s) = %s", operand_figure(account, own),
        bracketed(account, (double)most), figure(account, (double)sum), figure(account, result));
    return result;
}

const struct operation log_softmax_row = {
    .name = "log_softmax",
    .compute = compute_log_softmax,
    .find = find_line,
    .account = account_of_log_softmax,
    .tolerance = ROUNDED,
    .parts_of_line = PARTS,
};

struct tensor log_softmax(struct tensor x, int dim) {
    return along(&log_softmax_row, x, dim);
}

// ---- cross_entropy -------------------------------------------------------------------------------

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
        if (target >= 0 && target < logits->shape[classes]) continue;
        fail(arena->failure, FAIL_USAGE, "cross_entropy: no class %lld in logits of shape %s",
             (long long)target, shape_text(arena, shape_of(logits)));
    }
}

static struct tensor compute_cross_entropy(struct arena *arena, const struct origin *origin) {
    const struct tensor *logits = &origin->operands[0], *targets = &origin->operands[1];
    check_targets(arena, logits, targets);
    const int64_t count = count_of(shape_of(targets));
    float sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t flat;
        const struct line line = line_at(logits, logits->ndim - 1, i, &flat);
        const float most = largest_in(line);
        const float x = line.first[(int64_t)element_at(targets, i) * line.step];
        sum -= log_softmax_at(x, most, sum_of_powers(line, most));
    }
    const struct tensor loss = tensor_new(arena, FLOAT32, NO_DIMS);
    floats_of(&loss)[0] = sum / (float)count;
    return loss;
}

static void find_loss(struct finding *finding) {
    add_all(finding, 0, "logits");
    add_all(finding, 1, "target");
}

// -log of the softmax of one row of logits, at its target.
static float say_row_loss(struct account *account, int row, int classes, int target) {
    const int first = row * classes;
    const float most = largest_operand(account, first, classes);
    float sum = 0;
    for (int i = first; i < first + classes; i++)
        sum += exp_float(operand_value(account, i) - most);
    const float loss = -log_softmax_at(operand_value(account, first + target), most, sum);
    say(account,
        "row %d, target %d: max = %s, sum of e^(x − max) = %s, "
        "-(%s − %s − log(%s)) = %s",
        row + 1, target, figure(account, (double)most), figure(account, (double)sum),
        operand_figure(account, first + target), bracketed(account, (double)most),
        figure(account, (double)sum), figure(account, (double)loss));
    return loss;
}

static double account_of_cross_entropy(struct account *account) {
    const struct derivation *d = account->derivation;
    const int rows = (int)count_of(shape_of(&d->origin->operands[1]));
    const int classes = rows > 0 ? (d->operand_count - rows) / rows : 0;
    struct text addends = empty_text(account);
    float sum = 0;
    for (int row = 0; row < rows; row++) {
        const int target = (int)d->operands[rows * classes + row].value;
        const float loss = say_row_loss(account, row, classes, target);
        sum += loss;
        text_add_format(&addends, "%s%s", row > 0 ? " + " : "", figure(account, (double)loss));
    }
    const double mean = (double)(sum / (float)rows);
    say(account, "(%s) / %d = %s", addends.bytes, rows, figure(account, mean));
    return mean;
}

const struct operation cross_entropy_row = {
    .name = "cross_entropy",
    .compute = compute_cross_entropy,
    .find = find_loss,
    .account = account_of_cross_entropy,
    .tolerance = ROUNDED,
};

struct tensor cross_entropy(struct tensor logits, struct tensor targets) {
    return perform_on(TWO(logits, targets), (struct origin){.operation = &cross_entropy_row});
}
