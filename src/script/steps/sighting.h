#ifndef ONESTEP_SCRIPT_STEPS_SIGHTING_H
#define ONESTEP_SCRIPT_STEPS_SIGHTING_H

// A program run for its numbers alone: each tensor that a statement binds, changes or returns is told of, in their order.

#include "base/arena.h"
#include "tensor/tensor.h"

struct sighting {
    const char *name;     // as written: "self.mask"; of a module's parameter "model.W_query.weight"
    int line, last_line;  // of the statement
    const char *function; // that it stands in; "<module>": the program itself
    struct tensor tensor; // until the program goes on
    bool is_filled;       // an item of it was assigned, as in `batch[0] = x`: it is all of `batch`
};

struct viewing {
    const char *file, *source;                                   // for messages; the program
    int64_t nodes;                                               // statements that it may run
    bool (*see)(void *context, const struct sighting *sighting); // false: the program ends here
    void *context;
};

// A machine that runs programs one behind the other, and loads modules once; each may have `memory` bytes at once. Between two
// programs, renew_viewer exchanges a machine that has taken much.
struct viewer;
struct viewer *open_viewer(struct arena *arena, int64_t memory);
void renew_viewer(struct viewer *viewer);
void close_viewer(struct viewer *viewer);

// Runs the program. NULL if it came to its end or `see` ended it; else what did, in one line in the arena: "mine.py:3:
// ValueError: ...". Nothing is printed. *statements: how many it ran.
const char *view_program(struct arena *arena, struct viewer *viewer, const struct viewing *viewing,
                         int64_t *statements);

#endif
