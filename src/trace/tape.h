#ifndef ONESTEP_TRACE_TAPE_H
#define ONESTEP_TRACE_TAPE_H

// The tape behind some tensors: every storage that they were made of, in the order in which the storages
// were made. Since each storage knows its operation and operands, that is the whole computation as a
// list, which can be played again or walked backwards.

#include "tensor/origin.h"

struct tape {
    int count;
    struct storage **storages; // operands come before what is made of them

    // tape.c's own: what it follows, and where each storage stands, by its address
    bool is_computed;
    int room;
    struct {
        const struct storage *storage;
        int place;
    } * slots;
};

// The tape behind `count` tensors, in `arena`. Given numbers come first. The operands of a gradient are
// its loss and the tensor that it is the gradient of, not the numbers that it was computed from.
struct tape tape_of(struct arena *arena, int count, const struct tensor *tensors);
// The same, but the operands of a gradient are the numbers that it was computed from.
struct tape computed_tape_of(struct arena *arena, int count, const struct tensor *tensors);

// The tensors that a storage was computed from, *count of them; none for a settled one (is_settled).
const struct tensor *made_of(const struct storage *storage, int *count);

// The place of a storage on the tape, from 0; -1 if it is not on it.
int place_on_tape(const struct tape *tape, const struct storage *storage);

#endif
