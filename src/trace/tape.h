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

// The tape behind `count` tensors, in `arena`. Given numbers stand first.
// A gradient that was asked for counts as made of what was asked: its loss, and what it is the gradient of.
struct tape tape_of(struct arena *arena, int count, const struct tensor *tensors);
// The same, where a gradient that was asked for counts as made of what it was computed from.
struct tape computed_tape_of(struct arena *arena, int count, const struct tensor *tensors);

// What a storage was made of, *count tensors; of a settled one nothing.
const struct tensor *made_of(const struct storage *storage, int *count);

// The place of a storage on the tape, from 0; -1 if it is not on it.
int place_on_tape(const struct tape *tape, const struct storage *storage);

#endif
