#include "app/check/relation/slip.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/relation/line.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// ---- Words ----------------------------------------------------------------------------------------

// "the division", or "torch.sqrt".
static const char *name_of_operation(struct arena *arena, const struct operation *operation) {
    static const struct {
        const struct operation *operation;
        const char *name;
    } names[] = {
        {&add_row, "the addition"},
        {&subtract_row, "the subtraction"},
        {&multiply_row, "the multiplication"},
        {&divide_row, "the division"},
        {&neg_row, "the minus sign"},
        {&pow_row, "the power"},
        {&pow_number_row, "the power"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].operation == operation) return names[i].name;
    }
    return arena_format(arena, "torch.%s", operation->name);
}

// The answer: "these are the numbers of a program in which ...".
static bool is_slip(const struct changing *c, const char *code, const char *what,
                    const char *cause) {
    struct seeking *seeking = c->seeking;
    return is_related(
        seeking, code,
        arena_format(seeking->arena,
                     "these are the numbers of a program that %s; the usual cause: %s", what,
                     cause));
}

#define WORDS(...) arena_format(c->seeking->arena, __VA_ARGS__)

// ---- Operations -----------------------------------------------------------------------------------

// Does the operation only move, copy or give numbers, so that it cannot be a line by itself?
static bool is_plain(const struct node *node) {
    const struct operation *operation = node->origin.operation;
    return operation->compute == NULL || operation->moves || operation->draws ||
           operation->updates || operation == &constant_row || node->origin.operand_count == 0 ||
           strcmp(operation->name, "grafted") == 0;
}

static bool is_left_out(struct changing *c, int place) {
    struct node *node = c->replay.nodes[place];
    if (!shapes_equal(shape_of(operand_of(c, place, 0)), node->shape)) return false;
    rewrite(node);
    node->is_skipped = true;
    const bool is_it = explains_now(c);
    restore(c, place);
    if (!is_it) return false;
    return is_slip(c, "left_out",
                   WORDS("leaves out %s in %s",
                         name_of_operation(c->seeking->arena, node->origin.operation),
                         name_of_line(c, place)),
                   "this operation is forgotten, or its result is not used");
}

static bool fills_another_number(struct changing *c, int place) {
    static const double numbers[] = {0, INFINITY, -INFINITY, -1, 1};
    struct node *node = c->replay.nodes[place];
    if (node->origin.operation != &masked_fill_row) return false;
    const double right = node->origin.number;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        rewrite(node)->number = numbers[i];
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        return is_slip(c, "other_number",
                       WORDS("fills the masked places of %s with %g, where it should be %g",
                             name_of_line(c, place), numbers[i], right),
                       "another number in masked_fill, or the mask multiplied");
    }
    return false;
}

// Another operation of as many operands in its place.
static bool is_another_operation(struct changing *c, int place) {
    static const struct {
        const struct operation *right, *wrong;
    } pairs[] = {
        {&divide_row, &multiply_row},
        {&multiply_row, &divide_row},
        {&add_row, &subtract_row},
        {&subtract_row, &add_row},
        {&sum_row, &mean_row},
        {&mean_row, &sum_row},
        {&add_row, &multiply_row},
        {&multiply_row, &add_row},
        {&relu_row, &tanh_row},
        {&relu_row, &absolute_row},
        {&softmax_row, &log_softmax_row},
    };
    struct node *node = c->replay.nodes[place];
    const struct operation *right = node->origin.operation;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].right != right) continue;
        rewrite(node)->operation = pairs[i].wrong;
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        const char *name = name_of_operation(c->seeking->arena, pairs[i].wrong);
        return is_slip(c, "other_operation",
                       WORDS("has %s in the place of %s in %s", name,
                             name_of_operation(c->seeking->arena, right), name_of_line(c, place)),
                       "another operator or function is typed");
    }
    return false;
}

// ---- Other numbers, computed here -------------------------------------------------------------------

static double gelu_of(double x) {
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}
static double gelu_by_tanh_of(double x) {
    return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}
static double sigmoid_of(double x) {
    return 1 / (1 + exp(-x));
}
static double leaky_of(double x) {
    return x > 0 ? x : 0.01 * x;
}
static double relu_of(double x) {
    return x > 0 ? x : 0;
}

static struct tensor each(struct changing *c, const struct tensor *x, double (*function)(double)) {
    const struct tensor result = tensor_given(c->arena, FLOAT32, shape_of(x));
    for (int64_t i = 0; i < count_of(shape_of(x)); i++)
        floats_of(&result)[i] = (float)function(element_at(x, i));
    return result;
}

static bool is_another_activation(struct changing *c, int place) {
    static const struct {
        double (*function)(double);
        const char *name;
    } functions[] = {{gelu_of, "torch.nn.functional.gelu"},
                     {gelu_by_tanh_of, "gelu(approximate='tanh')"},
                     {sigmoid_of, "torch.sigmoid"},
                     {leaky_of, "leaky_relu"}};
    if (c->replay.nodes[place]->origin.operation != &relu_row) return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct tensor numbers = each(c, operand_of(c, place, 0), functions[i].function);
        become(c, place, &numbers);
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        return is_slip(
            c, "other_operation",
            WORDS("has %s in the place of ReLU in %s", functions[i].name, name_of_line(c, place)),
            "another activation function");
    }
    return false;
}

// The softmax of all numbers at once.
static bool is_softmax_of_all(struct changing *c, int place) {
    if (c->replay.nodes[place]->origin.operation != &softmax_row) return false;
    const struct tensor *x = operand_of(c, place, 0);
    const int64_t count = count_of(shape_of(x));
    const struct tensor numbers = tensor_given(c->arena, FLOAT32, shape_of(x));
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, element_at(x, i));
    for (int64_t i = 0; i < count; i++) sum += exp(element_at(x, i) - most);
    for (int64_t i = 0; i < count; i++)
        floats_of(&numbers)[i] = (float)(exp(element_at(x, i) - most) / sum);
    become(c, place, &numbers);
    const bool is_it = explains_now(c);
    restore(c, place);
    if (!is_it) return false;
    return is_slip(c, "other_dim",
                   WORDS("divides by the sum of the whole tensor in %s, and not of each row",
                         name_of_line(c, place)),
                   "sum() without dim=-1, keepdim=True");
}

static bool is_softmax_of_another_dim(struct changing *c, int place) {
    struct node *node = c->replay.nodes[place];
    if (node->origin.operation != &softmax_row) return false;
    const int right = node->origin.dim;
    for (int dim = 0; dim < operand_of(c, place, 0)->ndim; dim++) {
        if (dim == right) continue;
        rewrite(node)->dim = dim;
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        return is_slip(c, "other_dim",
                       WORDS("takes the softmax of %s over dim %d, and not over dim %d",
                             name_of_line(c, place), dim, right),
                       "another dim");
    }
    return false;
}

// A loss that is a sum, where it should be a mean.
static bool is_summed(struct changing *c, int place) {
    const struct node *node = c->replay.nodes[place];
    if (node->origin.operation != &cross_entropy_row) return false;
    const int64_t rows = count_of(shape_of(operand_of(c, place, 1)));
    const struct tensor loss = tensor_given(c->arena, FLOAT32, node->shape);
    const struct storage *right = c->kept[place].lesson;
    if (right == NULL || rows < 2) return false;
    const struct tensor mean = tensor_over(c->kept[place].lesson, node->shape);
    floats_of(&loss)[0] = (float)(element_at(&mean, 0) * (double)rows);
    become(c, place, &loss);
    const bool is_it = explains_now(c);
    restore(c, place);
    if (!is_it) return false;
    return is_slip(c, "other_operation",
                   WORDS("adds up the loss of all %" PRId64 " predictions in %s, and takes no mean",
                         rows, name_of_line(c, place)),
                   "reduction='sum', or a mean left out");
}

// ---- Scales ---------------------------------------------------------------------------------------

// The sizes of the dimensions of all steps, each once.
static int sizes_of_run(const struct run *run, int64_t *sizes, int most) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &run->steps[i].tensor;
        for (int dim = 0; dim < tensor->ndim; dim++) {
            bool is_new = tensor->shape[dim] > 1 && count < most;
            for (int k = 0; k < count; k++) is_new = is_new && sizes[k] != tensor->shape[dim];
            if (is_new) sizes[count++] = tensor->shape[dim];
        }
    }
    return count;
}

// A number that a program may divide by, and how it is written.
struct divisor {
    double number;
    const char *name, *cause;
};

static int divisors_of(struct changing *c, double right, struct divisor *divisors, int most) {
    enum { MOST_SIZES = 16 };
    int64_t sizes[MOST_SIZES];
    const int size_count = sizes_of_run(c->seeking->run, sizes, MOST_SIZES);
    int count = 0;
    divisors[count++] = (struct divisor){1 / right, WORDS("multiplies by %.4g", right),
                                         "* in the place of /, or a second minus in the exponent"};
    divisors[count++] = (struct divisor){right * right, WORDS("divides by %.4g", right * right),
                                         "the root is forgotten"};
    divisors[count++] =
        (struct divisor){2 * right * right, WORDS("divides by %.4g", 2 * right * right),
                         "d**1/2 is (d**1)/2 in Python; the root of d is d**0.5, or d**(1/2)"};
    for (int i = 0; i < size_count && count + 2 <= most; i++) {
        divisors[count++] = (struct divisor){
            sqrt((double)sizes[i]), WORDS("divides by √%" PRId64, sizes[i]),
            "the size of another dimension in the scale, as in shape[0] for shape[-1]"};
        divisors[count++] =
            (struct divisor){(double)sizes[i], WORDS("divides by %" PRId64, sizes[i]),
                             "the size of another dimension in the scale, and no root"};
    }
    return count;
}

// Divides what a node becomes by some numbers, in the place of its own scale.
static bool is_scaled_otherwise(struct changing *c, int place) {
    enum { MOST = 40 };
    struct node *node = c->replay.nodes[place];
    const bool divides = node->origin.operation == &divide_row;
    if (!divides && node->origin.operation != &multiply_row) return false;
    const struct node *scale = c->kept[place].operands[1].of;
    if (scale->origin.operation != &constant_row) return false;
    const double right = divides ? scale->origin.number : 1 / scale->origin.number;
    struct divisor divisors[MOST];
    const int count = divisors_of(c, right, divisors, MOST);
    for (int i = 0; i < count; i++) {
        const struct tensor number = tensor_given(c->arena, FLOAT32, NO_DIMS);
        floats_of(&number)[0] = (float)(divides ? divisors[i].number : 1 / divisors[i].number);
        read_instead(c, place, 1, &number);
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        return is_slip(c, "other_number",
                       WORDS("%s in %s, where it should divide by %.4g", divisors[i].name,
                             name_of_line(c, place), right),
                       divisors[i].cause);
    }
    return false;
}

// The softmax of numbers that are scaled where the lesson scales nothing.
static bool is_scaled_before(struct changing *c, int place) {
    enum { MOST_SIZES = 16 };
    int64_t sizes[MOST_SIZES];
    if (c->replay.nodes[place]->origin.operation != &softmax_row) return false;
    const int count = sizes_of_run(c->seeking->run, sizes, MOST_SIZES);
    const struct tensor *x = operand_of(c, place, 0);
    for (int i = 0; i < count; i++) {
        const double divisor = sqrt((double)sizes[i]);
        const struct tensor numbers = tensor_given(c->arena, FLOAT32, shape_of(x));
        for (int64_t k = 0; k < count_of(shape_of(x)); k++)
            floats_of(&numbers)[k] = (float)(element_at(x, k) / divisor);
        read_instead(c, place, 0, &numbers);
        const bool is_it = explains_now(c);
        restore(c, place);
        if (!is_it) continue;
        return is_slip(c, "other_number",
                       WORDS("divides by √%" PRId64 " before the softmax of %s", sizes[i],
                             name_of_line(c, place)),
                       "scores are scaled that should not be, or are scaled twice");
    }
    return false;
}

// ---- Operands -------------------------------------------------------------------------------------

static bool reads(struct changing *c, int place, int operand, const struct tensor *numbers) {
    read_instead(c, place, operand, numbers);
    const bool is_it = explains_now(c);
    restore(c, place);
    return is_it;
}

// May a step's tensor be typed in the place of an operand? A table may have more rows.
static bool is_exchangeable(const struct node *node, int operand, const struct tensor *right,
                            const struct tensor *other) {
    if (right->storage->dtype != other->storage->dtype || right->ndim != other->ndim) return false;
    const bool is_table = node->origin.operation == &embedding_row && operand == 1;
    for (int dim = is_table ? 1 : 0; dim < right->ndim; dim++) {
        if (right->shape[dim] != other->shape[dim]) return false;
    }
    return true;
}

// Is that what the operand becomes if its own operation is left out? Then is_left_out says so.
static bool is_left_out_behind(const struct changing *c, int place, int operand,
                               const struct tensor *other) {
    const struct node *node = c->kept[place].operands[operand].of;
    return !is_plain(node) && node->operands[0].tensor.storage == other->storage &&
           shapes_equal(shape_of(&node->operands[0].tensor), node->shape);
}

static bool is_another_name(struct changing *c, int place, int operand) {
    const struct run *run = c->seeking->run;
    const struct tensor *right = operand_of(c, place, operand);
    for (int i = c->replay.step_count - 1; i >= 0; i--) {
        const struct tensor *other = &run->steps[i].tensor;
        if (c->made[i] >= place || other->storage == right->storage) continue;
        if (is_left_out_behind(c, place, operand, other)) continue;
        if (!is_exchangeable(&c->kept[place], operand, right, other)) continue;
        if (!reads(c, place, operand, other)) continue;
        return is_slip(c, "other_name",
                       WORDS("computes %s from %s, and not from %s", name_of_line(c, place),
                             step_label(c->seeking->arena, &run->steps[i]),
                             name_of_operand(c, place, operand)),
                       "a wrong name in this line, as in a copied one");
    }
    return false;
}

static bool is_transposed(struct changing *c, int place, int operand) {
    const struct tensor *right = operand_of(c, place, operand);
    for (int a = 0; a < right->ndim; a++) {
        for (int b = a + 1; b < right->ndim; b++) {
            if (right->shape[a] != right->shape[b] || right->shape[a] < 2) continue;
            const struct tensor other = transpose(*right, a, b);
            if (!reads(c, place, operand, &other)) continue;
            return is_slip(c, "transposed",
                           WORDS("exchanges dimensions %d and %d of %s in %s", a, b,
                                 name_of_operand(c, place, operand), name_of_line(c, place)),
                           "a .T or transpose too many or too few");
        }
    }
    return false;
}

// Ids that are counted from 1.
static bool is_off_by_one(struct changing *c, int place, int operand) {
    const struct tensor *right = operand_of(c, place, operand);
    if (right->storage->dtype != INT64) return false;
    for (int off = -1; off <= 1; off += 2) {
        const struct tensor other = tensor_given(c->arena, INT64, shape_of(right));
        for (int64_t i = 0; i < count_of(shape_of(right)); i++)
            ((int64_t *)other.storage->data)[i] = (int64_t)element_at(right, i) + off;
        if (!reads(c, place, operand, &other)) continue;
        return is_slip(c, "other_name",
                       WORDS("reads the row %s the right one for each id of %s in %s",
                             off < 0 ? "before" : "behind", name_of_operand(c, place, operand),
                             name_of_line(c, place)),
                       "ids that count from 1, or an id that is one too large or too small");
    }
    return false;
}

// What was summed over one dimension, summed over another: it is broadcast then.
static bool is_summed_over_another(struct changing *c, int place, int operand) {
    const struct node *node = c->kept[place].operands[operand].of;
    const bool is_mean = node->origin.operation == &mean_row;
    if (!is_mean && node->origin.operation != &sum_row) return false;
    const struct tensor *x = &node->operands[0].tensor;
    for (int dim = 0; dim < x->ndim; dim++) {
        if (dim == node->origin.dim) continue;
        const struct tensor whole = tensor_given(c->arena, FLOAT32, shape_of(x));
        for (int64_t i = 0; i < count_of(shape_of(x)); i++)
            floats_of(&whole)[i] = (float)element_at(x, i);
        const struct tensor other = is_mean ? mean(whole, dim, true) : sum(whole, dim, true);
        if (!reads(c, place, operand, &other)) continue;
        return is_slip(c, "other_dim",
                       WORDS("takes the %s over dim %d, and not over dim %d, for %s",
                             is_mean ? "mean" : "sum", dim, node->origin.dim,
                             name_of_line(c, place)),
                       "another dim: dim 0 adds down the columns");
    }
    return false;
}

static bool is_added_to(struct changing *c, int place, int operand) {
    const struct run *run = c->seeking->run;
    const struct tensor *right = operand_of(c, place, operand);
    for (int i = c->replay.step_count - 1; i >= 0; i--) {
        const struct tensor *other = &run->steps[i].tensor;
        if (c->made[i] >= place || other->storage == right->storage) continue;
        if (right->storage->dtype != FLOAT32 || other->storage->dtype != FLOAT32) continue;
        if (!shapes_equal(shape_of(right), shape_of(other))) continue;
        const struct tensor both = tensor_given(c->arena, FLOAT32, shape_of(right));
        for (int64_t k = 0; k < count_of(shape_of(right)); k++)
            floats_of(&both)[k] = (float)(element_at(right, k) + element_at(other, k));
        if (!reads(c, place, operand, &both)) continue;
        return is_slip(c, "added_before",
                       WORDS("adds %s to %s before %s",
                             step_label(c->seeking->arena, &run->steps[i]),
                             name_of_operand(c, place, operand), name_of_line(c, place)),
                       "a shortcut (residual) that does not belong here");
    }
    return false;
}

static bool is_rectified(struct changing *c, int place, int operand) {
    const struct tensor *right = operand_of(c, place, operand);
    if (right->storage->dtype != FLOAT32) return false;
    const struct tensor numbers = each(c, right, relu_of);
    if (!reads(c, place, operand, &numbers)) return false;
    return is_slip(c, "added_before",
                   WORDS("applies ReLU to %s before %s", name_of_operand(c, place, operand),
                         name_of_line(c, place)),
                   "a ReLU too many");
}

// Only the last term of each sum of a product: operand 0 and 1 are zero in all others.
static bool is_last_term(struct changing *c, int place) {
    if (c->replay.nodes[place]->origin.operation != &matmul_row) return false;
    const struct tensor *left = operand_of(c, place, 0);
    const int64_t terms = left->shape[left->ndim - 1];
    const struct tensor numbers = tensor_given(c->arena, FLOAT32, shape_of(left));
    for (int64_t i = terms - 1; i < count_of(shape_of(left)); i += terms)
        floats_of(&numbers)[i] = (float)element_at(left, i);
    if (terms < 2 || !reads(c, place, 0, &numbers)) return false;
    return is_slip(c, "one_term",
                   WORDS("keeps only the last term of the sum in %s", name_of_line(c, place)),
                   "a loop that overwrites its result (=) instead of adding to it (+=)");
}

// ---- Draws ----------------------------------------------------------------------------------------

static void restore_all(struct changing *c) {
    for (int i = 0; i < c->replay.count; i++) restore(c, i);
}

static bool has_no_seed(struct changing *c) {
    for (int i = c->replay.count - 1; i >= 0; i--) {
        if (c->line[i] == NULL || !forget_seed(&c->replay, c->replay.nodes[i])) continue;
        const bool is_it = explains_now(c);
        restore_all(c);
        if (!is_it) continue;
        return is_slip(c, "no_seed",
                       WORDS("does not set the seed again before %s", name_of_line(c, i)),
                       "torch.manual_seed is missing, or cells ran in another order");
    }
    return false;
}

// torch.rand for randn or the reverse, in all lines that draw so.
static bool draws_otherwise(struct changing *c, const struct operation *right,
                            const struct operation *wrong, const char *what) {
    bool is_any = false;
    for (int i = 0; i < c->replay.count; i++) {
        struct node *node = c->replay.nodes[i];
        if (node->origin.operation != right) continue;
        is_any = is_any || c->line[i] != NULL;
        struct origin *origin = rewrite(node);
        origin->operation = wrong;
        origin->shape = node->shape;
        if (wrong == &uniform_row) origin->least = 0;
        if (wrong == &uniform_row) origin->most = 1;
    }
    const bool is_it = is_any && explains_now(c);
    restore_all(c);
    return is_it && is_slip(c, "other_draw", what, "another function draws the numbers");
}

static bool is_drawn_otherwise(struct changing *c) {
    return draws_otherwise(
               c, &uniform_row, &normal_row,
               "draws from the normal distribution, as torch.randn does, and not evenly "
               "as torch.rand or a Linear layer does") ||
           draws_otherwise(c, &normal_row, &uniform_row,
                           "draws evenly from 0 to 1, as torch.rand does, and not from the normal "
                           "distribution as torch.randn or an Embedding does");
}

// ---- All of them ----------------------------------------------------------------------------------

typedef bool change_of_node(struct changing *c, int place);
typedef bool change_of_operand(struct changing *c, int place, int operand);

// What is changed often, and what else gives the same numbers now and then.
static change_of_node *const of_node[2][9] = {
    {is_summed, is_left_out, fills_another_number, is_another_operation, is_scaled_otherwise,
     is_another_activation, is_softmax_of_another_dim, is_softmax_of_all, is_last_term},
    {is_scaled_before},
};
static change_of_operand *const of_operand[2][4] = {
    {is_another_name, is_transposed, is_off_by_one, is_summed_over_another},
    {is_rectified, is_added_to},
};

static bool is_changed_at(struct changing *c, int place, int pass) {
    for (size_t i = 0; i < sizeof of_node[0] / sizeof *of_node[0]; i++) {
        if (of_node[pass][i] != NULL && of_node[pass][i](c, place)) return true;
    }
    const int operands = c->kept[place].origin.operand_count;
    for (size_t i = 0; i < sizeof of_operand[0] / sizeof *of_operand[0]; i++) {
        for (int k = 0; of_operand[pass][i] != NULL && k < operands; k++) {
            if (of_operand[pass][i](c, place, k)) return true;
        }
    }
    return false;
}

static bool is_changed_somewhere(struct changing *c, int pass) {
    for (int place = c->replay.count - 1; place >= 0; place--) {
        if (c->line[place] == NULL || is_plain(&c->kept[place])) continue;
        if (!goes_on(&c->patience, "lines", c->replay.count - place, c->replay.count)) return false;
        if (is_changed_at(c, place, pass)) return true;
    }
    return false;
}

// Nothing is known of what an update does to the updates after it.
static bool is_trained(const struct changing *c) {
    for (int i = 0; i < c->replay.count; i++) {
        if (c->line[i] != NULL && c->kept[i].origin.operation == &zero_grad_row) return true;
    }
    return false;
}

bool find_slip(struct arena *arena, const struct run *run, const struct step *step,
               const struct numbers *numbers, const double *allowed, bool is_own,
               struct relation *relation) {
    struct seeking seeking;
    if (!start_seeking(&seeking, arena, run, step, numbers, allowed, relation)) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    arena_number_behind(m, run->memory);
    struct changing c = start_changing(m, &seeking);
    for (int i = 0; is_own && i < c.replay.count; i++) {
        if (c.line[i] != step) c.line[i] = NULL;
    }
    const bool is_found =
        !is_trained(&c) && (has_no_seed(&c) || is_drawn_otherwise(&c) ||
                            is_changed_somewhere(&c, 0) || is_changed_somewhere(&c, 1));
    scratch_close(&scratch);
    return is_found;
}
