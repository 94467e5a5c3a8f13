#ifndef ONESTEP_SCRIPT_EDIT_PATTERN_H
#define ONESTEP_SCRIPT_EDIT_PATTERN_H

// Patterns of expressions, "torch.softmax(S, dim=n)": a single letter stands for any expression, and the same letter for the
// same one. What PyTorch calls by several names is one operation here: F.softmax(x, -1), x.softmax(-1) and
// nn.Softmax(dim=-1)(x); a @ b, a.matmul(b) and torch.bmm(a, b); k.T, k.mT and k.transpose(-2, -1); s ** 0.5 and math.sqrt(s);
// -torch.inf and float('-inf'); masked_fill and masked_fill_; (a, b) and [a, b].

#include "base/arena.h"
#include "script/syntax/tree.h"

// An expression as an operation and its operands.
enum { MOST_OPERANDS = 8 };
struct form {
    const char *operation; // "softmax", "@", "transpose", "number", "name scores"
    double number;         // of "number"
    int count;
    const struct node *operands[MOST_OPERANDS];
    const char *keywords[MOST_OPERANDS]; // NULL: by its place
};
struct form form_of(struct arena *arena, const struct node *node);

// What the names of a program were last assigned.
struct definitions {
    int count;
    struct definition {
        const char *name;
        const struct node *function; // in which; NULL: the program itself
        int line, end_line;          // of the function
        const struct node *value;
    } * all; // in the order of their lines
};
struct definitions definitions_of(struct arena *arena, const struct program *program);

// The expression that a node stands for: of a name, what it was assigned last before, in the same function.
const struct node *looked_through(const struct definitions *definitions, const struct node *node);

// The letters of a pattern, and what they stand for. A letter may have a kind, "S:scores"; then it stands only for an
// expression of that kind. Names are looked through, and masks, dropout, factors and divisors that come behind it:
//
// scores    a product by something transposed
// weights   a softmax of scores
// Linear    or the name of another operation: the operation, "@" being matmul; or an expression that has the word in it
enum { LETTERS = 128 };
struct bindings {
    const struct definitions *definitions; // NULL: names are not looked through
    const char *const *kinds;              // by letter; NULL: any, or all may be any
    const struct node *letters[LETTERS];   // by letter; NULL: none yet
    const char *number;                    // of names that end in _n, W_query_n; NULL: none yet
};

// The letter that a node of a pattern is; '\0' if it is none.
char letter_of(const struct node *pattern);

// Does the pattern match a node of the program? Then the bindings have its letters.
bool pattern_matches(struct arena *arena, const struct program *program, const struct node *pattern,
                     const struct node *node, struct bindings *bindings);

#endif
