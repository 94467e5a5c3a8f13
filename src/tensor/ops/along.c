// Operations along a dimension that leave one number of each line: sums, means, variances, the largest.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/ops/line.h"
#include "tensor/ops/operation.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/rows.h"

static struct tensor compute_lines(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    struct shape shape = shape_of(x);
    shape.size[origin->dim] = 1;
    struct tensor result = tensor_new(arena, FLOAT32, shape);
    for (int i = 0; i < x->ndim; i++) {
        if (i != origin->dim) result.axis[i] = x->axis[i];
    }
    const int64_t lines = lines_of(x, origin->dim);
    for (int64_t i = 0; i < lines; i++) {
        int64_t flat;
        floats_of(&result)[i] = origin->operation->of_line(line_at(x, origin->dim, i, &flat));
    }
    return result;
}

static struct tensor reduced(const struct operation *operation, struct tensor x, int dim,
                             bool keepdim) {
    const int at = dimension(&x, dim, operation->name);
    const struct tensor result =
        perform_on(ONE(x), (struct origin){.operation = operation, .dim = at});
    return keepdim ? result : select_index(result, at, 0);
}

// ---- sum -----------------------------------------------------------------------------------------

// PyTorch 1.13's order of additions shows in the last bits. Up to 3 elements, and 8: one after the
// other. 4 to 7: four accumulators; what is left over after the first four goes to the first; then
// ((a0 + a1) + a2) + a3. Beyond 8 our own choice: eight accumulators take the elements in turn, then
// are added from the first to the last.
static int64_t lanes_of_sum(int64_t count) {
    if (count < 4 || count == 8) return 1;
    return count < 8 ? 4 : 8;
}

static int64_t lane_of_addend(int64_t count, int64_t k) {
    const int64_t lanes = lanes_of_sum(count);
    return lanes == 4 && k >= 4 ? 0 : k % lanes;
}

static float sum_of_line(struct line line) {
    enum { MOST = 8 };
    const int64_t lanes = lanes_of_sum(line.count);
    float sums[MOST] = {0};
    for (int64_t i = 0; i < line.count; i++)
        sums[lane_of_addend(line.count, i)] += line.first[i * line.step];
    float sum = sums[0];
    for (int64_t lane = 1; lane < lanes; lane++) sum += sums[lane];
    return sum;
}

// The line in the order in which it is added up: lane by lane.
static void find_addends(struct finding *finding) {
    const int dim = finding->derivation->origin->dim;
    const int64_t count = operand_tensor(finding, 0)->shape[dim];
    int64_t index[MAX_DIMS];
    memcpy(index, finding->derivation->index, sizeof index);
    for (int64_t lane = 0; lane < lanes_of_sum(count); lane++) {
        for (int64_t k = 0; k < count; k++) {
            index[dim] = k;
            if (lane_of_addend(count, k) == lane) add_operand(finding, 0, "x", index);
        }
    }
}

static int64_t addends_in_lane(int64_t count, int64_t lane) {
    int64_t addends = 0;
    for (int64_t k = 0; k < count; k++) addends += lane_of_addend(count, k) == lane;
    return addends;
}

// Tells the order where it is not simply from the first to the last.
static void say_order(struct account *account, int64_t count) {
    if (lanes_of_sum(count) == 8) {
        say(account, "eight sums, each of every eighth number, then their sum");
    } else if (count > 4 && count < 8) {
        struct text text = empty_text(account);
        for (int64_t k = 5; k <= count; k++) text_add_format(&text, "%" PRId64 ", ", k);
        say(account, "added in PyTorch's order: numbers 1, %s2, 3, 4", text.bytes);
    }
}

// Adds up the operands, which stand in the order of use; *text becomes the sum written out.
static float add_up(struct account *account, struct text *text) {
    const int64_t count = account->derivation->operand_count;
    float total = 0;
    int i = 0;
    for (int64_t lane = 0; lane < lanes_of_sum(count); lane++) {
        const int64_t addends = addends_in_lane(count, lane);
        const bool has_brackets = addends > 1 && lanes_of_sum(count) == 8;
        float sum = 0;
        if (lane > 0) text_add(text, " + ");
        if (has_brackets) text_add(text, "(");
        for (int64_t k = 0; k < addends; k++, i++) {
            sum += operand_value(account, i);
            const bool leads = k == 0 && (lane == 0 || has_brackets);
            text_add_format(text, "%s%s", k > 0 ? " + " : "",
                            leads ? operand_figure(account, i) : operand_term(account, i));
        }
        if (has_brackets) text_add(text, ")");
        total = lane == 0 ? sum : total + sum;
    }
    if (count == 0) text_add(text, "0");
    return total;
}

static double account_of_sum(struct account *account) {
    struct text text = empty_text(account);
    say_order(account, account->derivation->operand_count);
    const double sum = (double)add_up(account, &text);
    say(account, "%s = %s", text.bytes, figure(account, sum));
    return sum;
}

const struct operation sum_row = {
    .name = "sum",
    .help = {"sum", "x.sum(dim, keepdim)",
             "a dimension disappears, or stays with size 1 (keepdim)"},
    .compute = compute_lines,
    .of_line = sum_of_line,
    .find = find_addends,
    .account = account_of_sum,
    .tolerance = ROUNDED,
};

struct tensor sum(struct tensor x, int dim, bool keepdim) {
    return reduced(&sum_row, x, dim, keepdim);
}

// ---- mean ----------------------------------------------------------------------------------------

static float mean_of_line(struct line line) {
    return sum_of_line(line) / (float)line.count;
}

static double account_of_mean(struct account *account) {
    const float sum = (float)account_of_sum(account);
    const float mean = sum / (float)account->derivation->operand_count;
    say(account, "%s / %d = %s", figure(account, (double)sum), account->derivation->operand_count,
        figure(account, (double)mean));
    return (double)mean;
}

const struct operation mean_row = {
    .name = "mean",
    .compute = compute_lines,
    .of_line = mean_of_line,
    .find = find_addends,
    .account = account_of_mean,
    .tolerance = ROUNDED,
};

struct tensor mean(struct tensor x, int dim) {
    return reduced(&mean_row, x, dim, false);
}

// ---- var -----------------------------------------------------------------------------------------

static float variance_of_line(struct line line) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < line.count; i++) mean += (double)line.first[i * line.step];
    mean /= (double)line.count;
    for (int64_t i = 0; i < line.count; i++) {
        const double distance = (double)line.first[i * line.step] - mean;
        squares += distance * distance;
    }
    return (float)(squares / (double)(line.count - 1));
}

static double account_of_var(struct account *account) {
    const int count = account->derivation->operand_count;
    struct text addends = empty_text(account), distances = empty_text(account);
    double mean = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        mean += (double)operand_value(account, i);
        text_add_format(&addends, "%s%s", i > 0 ? " + " : "",
                        i > 0 ? operand_term(account, i) : operand_figure(account, i));
    }
    mean /= (double)count;
    for (int i = 0; i < count; i++) {
        const double distance = (double)operand_value(account, i) - mean;
        squares += distance * distance;
        text_add_format(&distances, "%s(%s − %s)²", i > 0 ? " + " : "", operand_figure(account, i),
                        bracketed(account, mean));
    }
    const float variance = (float)(squares / (double)(count - 1));
    say(account, "mean = (%s) / %d = %s", addends.bytes, count, figure(account, mean));
    say(account, "squared distances from it: %s = %s", distances.bytes, figure(account, squares));
    say(account, "%s / (%d − 1) = %s", figure(account, squares), count,
        figure(account, (double)variance));
    return (double)variance;
}

const struct operation var_row = {
    .name = "var",
    .compute = compute_lines,
    .of_line = variance_of_line,
    .find = find_line,
    .account = account_of_var,
    .tolerance = ROUNDED,
};

struct tensor var(struct tensor x, int dim) {
    return reduced(&var_row, x, dim, false);
}

// ---- amax ----------------------------------------------------------------------------------------

static struct tensor compute_amax(struct arena *arena, const struct origin *origin) {
    const struct tensor *x = &origin->operands[0];
    const int64_t count = count_of(shape_of(x));
    const struct tensor result = tensor_new(arena, FLOAT32, NO_DIMS);
    float *row = arena_array(arena, (size_t)count, sizeof *row);
    for (int64_t i = 0; i < count; i++) row[i] = (float)element_at(x, i);
    floats_of(&result)[0] = largest_in((struct line){row, 1, count});
    return result;
}

static void find_all(struct finding *finding) {
    add_all(finding, 0, "x");
}

static double account_of_amax(struct account *account) {
    const struct derivation *d = account->derivation;
    const int place = place_of_largest(account, 0, d->operand_count);
    if (place < 0) {
        say(account, "-inf: no number is larger");
        return -INFINITY;
    }
    const struct cell *cell = &d->operands[place].cell;
    say(account, "the largest of %d numbers, %s%s, is %s", d->operand_count,
        cell->tensor.ndim > 0 ? "at " : "the only one", cell_label(account->arena, cell),
        operand_figure(account, place));
    return d->operands[place].value;
}

const struct operation amax_row = {
    .name = "amax",
    .compute = compute_amax,
    .find = find_all,
    .account = account_of_amax,
    .tolerance = ROUNDED,
};

struct tensor amax(struct tensor x) {
    return perform_on(ONE(x), (struct origin){.operation = &amax_row});
}
