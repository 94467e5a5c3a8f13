#ifndef ONESTEP_TRACE_TAPE_TAPE_H
#define ONESTEP_TRACE_TAPE_TAPE_H

// The tape of some tensors: every storage that they were computed from, in the order of creation. Each
// storage knows its operation and operands, so the tape is the whole computation as a list. It can be
// computed again, or gone through backwards for gradients.

#include "tensor/origin.h"

struct tape {
    int count;
    struct storage **storages; // operands come before their results

    // private to tape.c: which tape this is, and a hash table from a storage's address to its place
    bool is_computed;
    int room;
    struct {
        const struct storage *storage;
        int position;
    } * slots;
};

// The tape of `count` tensors, in `arena`. Given numbers come first. The operands of a gradient are its loss
// and the tensor that it is the gradient of, not the numbers that it was computed from.
struct tape tape_of(struct arena *arena, int count, const struct tensor *tensors);
// The same, but the operands of a gradient are the numbers that it was computed from.
struct tape computed_tape_of(struct arena *arena, int count, const struct tensor *tensors);

// The tensors that a storage was computed from, *count of them.
const struct tensor *made_of(const struct storage *storage, int *count);

// The place of a storage on the tape, from 0; -1 if it is not on it.
int place_on_tape(const struct tape *tape, const struct storage *storage);

#endif
