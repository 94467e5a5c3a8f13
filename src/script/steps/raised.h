#ifndef ONESTEP_SCRIPT_STEPS_RAISED_H
#define ONESTEP_SCRIPT_STEPS_RAISED_H

// What is said of the line that ends a program by an exception.

#include "script/syntax/tree.h"
#include "tensor/tensor.h"

// A tensor that a line reads: the node that names it; of a module's parameter, the module's node and the parameter's path.
struct read {
    const struct node *node;
    const char *path; // NULL: the node itself
    struct shape shape;
};

// "The line with its shapes: scores = queries 6x2 @ keys 6x3." A shape that cannot stand inside the line follows it: "q is 6x2."
// "" without a tensor.
const char *line_with_shapes(struct arena *arena, const struct program *program,
                             const struct node *statement, const struct read *reads, int count);

// What a message of PyTorch about shapes means: "@ needs as many columns on its left as rows on its right, but 2 is not 6."
// "" of any other message.
const char *error_in_words(struct arena *arena, const char *error);

#endif
