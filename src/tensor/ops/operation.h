#ifndef ONESTEP_TENSOR_OPS_OPERATION_H
#define ONESTEP_TENSOR_OPS_OPERATION_H

// An operation is one thing: a row that holds all that onestep knows of it. A lesson and a replay perform
// it, a derivation asks it where an element came from, the walker how its cells come one after the other
// and what its zeros mean, check how exact its numbers are. No other file knows one operation from
// another, but for the rules of mistakes, which change them.
//
//     const struct operation relu_row = {
//         .name = "relu", .compute = compute_relu, .find = find_same, .account = account_of_relu,
//         .error = error_of_relu,
//     };
//     struct tensor relu(struct tensor x) { return perform_on(ONE(x), &(struct origin){&relu_row}); }
//
// To add an operation: write its row and its function into the file of its kin, or one of its own, and
// add its name to the list in rows.h.

#include "tensor/origin.h"

// What the cheat sheet says of an operation, or of several together.
struct operation_help {
    const char *here;    // what it is called here: "matmul"; NULL if the sheet does not list it
    const char *pytorch; // "a @ b"
    const char *sizes;   // what becomes of sizes and strides
    const char
        *back; // the gradients, of the operands from that of the result: "dA = dC Bᵀ"; or NULL
};

struct finding;    // derivation.h
struct derivation; // derivation.h
struct account;    // account.h
struct line;       // line.h
struct terms;      // terms.h

// A result on the way back from the loss. `grad` is how the loss answers to each of its numbers: by how
// many times as much it changes when the number changes a little.
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

    // Adds the cells that an element was made of (derivation.h); NULL: there are none.
    void (*find)(struct finding *finding);

    // Says the arithmetic of an element in words and numbers, and returns its value, computed once more
    // from the cells found (account.h).
    double (*account)(struct account *account);

    // What operations of one kin do alike asks these: what becomes of an element, and the words around it
    // ("|x|"); of a pair, and the sign between; of line number `place`.
    float (*of_one)(float x);
    const char *before, *after;
    float (*of_pair)(float a, float b);
    const char *sign;
    float (*of_line)(const struct origin *origin, struct line line, int64_t place);

    // Of an operation that adds up: how many operands, one after the other, make an addend; 2 of a product.
    // Those left over, a bias, are an addend each. 0: it does not.
    int factors;
    // The addends of an element one after the other (terms.h); NULL: they are not taken apart.
    struct terms (*terms)(const struct account *account);

    // How the loss answers to operand number `operand`: a tensor of the operand's shape, or of one that it
    // broadcasts to, written with operations. NULL in rows whose operands cannot
    // change the loss: then no_gradient says why, if there are any.
    struct tensor (*gradient)(const struct backward *back, int operand);
    const char *no_gradient;

    // What PyTorch's autograd calls it: "SoftmaxBackward0"; a function where that depends on the operands.
    const char *backward;
    const char *(*backward_of)(const struct origin *origin);

    // How far an element may lie from another right program's, in units of ROUNDING (tolerance.h); `errors`
    // are those of the cells found. NULL: it was moved from one of them, or put in, as it is.
    double (*error)(const struct derivation *derivation, const double *errors);
    // What to say of an operation without operands, where no number comes before.
    const char *end;

    // How the cells come one after the other: row by row as memory lies, unless these say otherwise.
    int parts_of_line; // what is computed of a line along `dim` before its first cell
    // The numbers that came of one operand, a view of the whole result; NULL: all of them come at once.
    struct tensor (*part)(const struct origin *origin, struct tensor whole, int operand);

    // Asked of a number that is 0: did a mask or dropout put it there, so that nothing gets through? NULL: never.
    bool (*hides)(struct arena *arena, const struct derivation *derivation);
    bool mixes_rows; // a row of the result is a mix of the second operand's, by a row of the first
    bool changes_some; // the result is the first operand, with some numbers replaced
    // Why rows that summed to 1 in the first operand do not any more; NULL: there is no telling.
    const char *(*why_rows_lose)(struct arena *arena, const struct origin *origin);
};

// Performs an operation in `arena` and records it as the origin of what it made; `origin` and its operands
// are copied. Fails as the operation does.
struct tensor perform(struct arena *arena, const struct origin *origin);

// The same for `count` operands, one at least, in the arena of the youngest of them.
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

// For why_rows_lose: the sentence about a mask.
const char *mask_took_a_part(struct arena *arena, const struct origin *origin);

#endif
