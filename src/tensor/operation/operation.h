#ifndef ONESTEP_TENSOR_OPERATION_OPERATION_H
#define ONESTEP_TENSOR_OPERATION_OPERATION_H

// An operation is a row that contains everything onestep knows about its numbers: how to compute it (for lessons
// and replays), where an element came from (for derivations), in which order its cells are computed and what its
// zeros mean (for the walker), and how exact its numbers are (for check). A few other files ask which operation a
// row is, where the screen shows a product, a sum or a mask in a picture of its own (walk/step/, show/picture/).
//
//     const struct operation relu_row = {
//         .name = "relu", .compute = compute_relu, .find = find_same, .account = account_of_relu,
//         .error = error_of_relu,
//     };
//     struct tensor relu(struct tensor x) { return perform_on(ONE(x), &(struct origin){&relu_row}); }
//
// To add an operation: write its row and its function into the file of similar operations, or into a new
// file, and add its name to the list in rows.h beside this header. src/README.md says what a program needs to call it.

#include "tensor/origin.h"

// What the cheat sheet says about an operation, or about several together.
struct operation_help {
    const char *here;    // its name in onestep: "matmul"; NULL if the sheet does not list it
    const char *pytorch; // "a @ b"
    const char *sizes;   // how sizes and strides change
    const char
        *back; // the gradients, of the operands from that of the result: "dA = dC Bᵀ"; or NULL
};

struct finding;    // derivation.h
struct derivation; // derivation.h
struct account;    // account.h
struct line;       // line.h
struct terms;      // terms.h

// A result and its gradient, for the way back from the loss. `grad` says for each number of the result by how
// many times as much the loss changes if that number changes a little.
struct backward {
    const struct origin *origin;
    struct tensor result; // all of it, contiguous
    struct tensor grad;   // of the same shape
};

struct operation {
    const char *name; // PyTorch's: "masked_fill"
    struct operation_help help;

    // Computes the result, in `arena`: from origin->operands, or in origin->shape, and the attributes.
    // Fails with FAIL_USAGE, naming the operation and the shapes, if they do not fit. NULL: the numbers
    // were given, there is nothing to compute.
    struct tensor (*compute)(struct arena *arena, const struct origin *origin);
    bool draws;   // from origin->generator
    bool updates; // the first operand, a parameter: the result is the parameter after the update

    // What the result is for, if that follows from what the operands are for (tensor/role.h); NULL: it never does.
    struct purpose (*purpose)(const struct origin *origin, const struct tensor *result);

    // Adds the cells that an element was computed from (derivation.h); NULL: there are none; without an account, the
    // elements of the operands that meet it.
    void (*find)(struct finding *finding);

    // Writes the arithmetic of an element in words and numbers, and returns its value, computed again from
    // the cells found (account.h). NULL: the operation's name, and what it was given.
    double (*account)(struct account *account);

    // For the shared code of similar operations. of_one computes an element from one number, and `before` and
    // `after` are written around that number ("|x|"); of_pair computes it from two, with `sign` between them;
    // of_line computes element number `position` of a line.
    float (*of_one)(float x);
    const char *before, *after;
    float (*of_pair)(float a, float b);
    const char *sign;
    // The same of other dtypes: of FLOAT64, and of INT64, INT32 and BOOL. NULL: of floats only, rounded.
    double (*of_double)(double x);
    double (*of_doubles)(double a, double b);
    int64_t (*of_whole)(int64_t x);
    int64_t (*of_wholes)(int64_t a, int64_t b);
    float (*of_line)(const struct origin *origin, struct line line, int64_t position);

    // How a result is written from its operands 1, 2 and 3, or its number #: "1 2", "max(1)". NULL: with the
    // sign, or the words around; else as a call.
    const char *formula;

    // For an operation that computes a sum: how many consecutive operands form an addend, 2 for a product. An
    // operand left over (a bias) is an addend itself. 0: it computes no sum.
    int factors;
    // The addends of an element in order (terms.h); NULL: they are not shown one by one.
    struct terms (*terms)(const struct account *account);

    // The gradient of operand number `operand`: a tensor of the operand's shape, or of a shape that it
    // broadcasts to, computed with operations. NULL if no operand can change the loss: then no_gradient says
    // why, unless there are no operands.
    struct tensor (*gradient)(const struct backward *back, int operand);
    const char *no_gradient;

    // The name of its gradient function in PyTorch: "SoftmaxBackward0"; or a function, if the name depends on
    // the operands.
    const char *backward;
    const char *(*backward_of)(const struct origin *origin);

    // How far an element may differ from that of another correct program, in units of ROUNDING (tolerance.h);
    // `errors` are the errors of the cells found. NULL: the element is an unchanged copy of one of them, or a
    // constant.
    double (*error)(const struct derivation *derivation, const double *errors);
    // For an operation without operands: what the walker says where the trace ends.
    const char *end;

    // The order in which the cells are computed: row by row as in memory, unless these say otherwise.
    int parts_of_line; // how many values of a line along `dim` are computed before its first cell
    // The part of the result that comes from one operand, as a view of the whole result; NULL: the result is
    // not computed operand by operand.
    struct tensor (*part)(const struct origin *origin, struct tensor whole, int operand);

    // For a number that is 0: did a mask or dropout set it to 0, so that nothing passes? NULL: never.
    bool (*hides)(struct arena *arena, const struct derivation *derivation);
    bool
        mixes_rows; // a row of the result mixes rows of the second operand, weighted by a row of the first
    bool picks_largest; // a number of the result is the largest of those found, or its place
    bool moves;         // every number of the result is a copy of one number of an operand
    bool changes_some;  // the result is the first operand, with some numbers replaced
    bool writes;        // these are copies of an operand's numbers: the first that is found
    // Why rows that summed to 1 in the first operand no longer do; NULL: no reason is known.
    const char *(*why_rows_lose)(struct arena *arena, const struct origin *origin);
};

// Performs an operation in `arena` and records it as the origin of its result; `origin` and its operands are
// copied. Fails as the operation does.
struct tensor perform(struct arena *arena, const struct origin *origin);

// The work that this thread has performed so far, in units: a fixed number for each operation, one for each number that it
// read or made, and one for each product of a matrix product. It tells how long computing took without a clock.
int64_t work_performed(void);

// The same for at least one operand, in the arena of the youngest.
struct tensor perform_on(int count, const struct tensor *operands, struct origin origin);

// perform_on's operands.
#define ONE(x)                                                                                     \
    1, (const struct tensor[]) {                                                                   \
        x                                                                                          \
    }
#define TWO(x, y)                                                                                  \
    2, (const struct tensor[]) {                                                                   \
        x, y                                                                                       \
    }

// Fails with "NAME: shapes A and B WHAT".
_Noreturn void refuse_shapes(struct arena *arena, const struct origin *origin,
                             const struct tensor *a, const struct tensor *b, const char *what);

// For purpose: that of the first operand.
struct purpose purpose_of_first(const struct origin *origin, const struct tensor *result);

// The operation's formula for `count` operands, three at most: "1 / 2", "|1|", "softmax(1)".
const char *formula_of(struct arena *arena, const struct operation *operation, int count);

// For why_rows_lose: the sentence about a mask.
const char *mask_took_a_part(struct arena *arena, const struct origin *origin);

#endif
