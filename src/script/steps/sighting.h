#ifndef ONESTEP_SCRIPT_SIGHTING_H
#define ONESTEP_SCRIPT_SIGHTING_H

// A program run for its numbers alone: each tensor that a statement binds, changes or returns is told of, in their order.

#include "base/arena.h"
#include "tensor/tensor.h"

struct sighting {
    const char *name;     // as written: "self.mask"; of a module's parameter "model.W_query.weight"
    int line, last_line;  // of the statement
    const char *function; // that it stands in; "<module>": the program itself
    struct tensor tensor; // until the program goes on
};

struct viewing {
    const char *file, *source; // for messages; the program
    int64_t memory, nodes;     // bytes that it may have at once; nodes that it may evaluate
    bool (*see)(void *context, const struct sighting *sighting); // false: the program ends here
    void *context;
};

// Runs the program. NULL if it came to its end or `see` ended it; else what did, in one line in the arena: "mine.py:3:
// ValueError: ...". Nothing is printed. *statements: how many it ran.
const char *view_program(struct arena *arena, const struct viewing *viewing, int64_t *statements);

#endif
