#include "trace/tape/tape.h"

#include <stdlib.h>

#include "tensor/operation/operation.h"

// ---- Where a storage stands: a hash table with open addressing, kept at most half full ------------

static int slot_of(const struct tape *tape, const struct storage *storage) {
    const uint64_t mixed = (uint64_t)(uintptr_t)storage * UINT64_C(0x9e3779b97f4a7c15);
    int slot = (int)((mixed >> 33) & (uint64_t)(tape->room - 1));
    while (tape->slots[slot].storage != NULL && tape->slots[slot].storage != storage)
        slot = (slot + 1) & (tape->room - 1);
    return slot;
}

int place_on_tape(const struct tape *tape, const struct storage *storage) {
    if (tape->room == 0) return -1;
    const int slot = slot_of(tape, storage);
    return tape->slots[slot].storage == NULL ? -1 : tape->slots[slot].position;
}

static void note_place(struct tape *tape, int position) {
    const struct storage *storage = tape->storages[position];
    const int slot = slot_of(tape, storage);
    tape->slots[slot].storage = storage;
    tape->slots[slot].position = position;
}

static void make_room(struct tape *tape, struct arena *arena) {
    if (2 * (tape->count + 1) <= tape->room) return;
    const struct tape old = *tape;
    tape->room = old.room == 0 ? 256 : 2 * old.room;
    tape->slots = arena_array(arena, (size_t)tape->room, sizeof *tape->slots);
    tape->storages = arena_array(arena, (size_t)tape->room / 2, sizeof *tape->storages);
    for (int i = 0; i < old.count; i++) {
        tape->storages[i] = old.storages[i];
        note_place(tape, i);
    }
}

// ---- Collecting ----------------------------------------------------------------------------------

const struct tensor *made_of(const struct storage *storage, int *count) {
    *count = storage->question != NULL ? 2 : storage->origin->operand_count;
    return storage->question != NULL ? storage->question : storage->origin->operands;
}

static void collect(struct tape *tape, struct arena *arena, const struct tensor *tensor) {
    struct storage *storage = tensor->storage;
    if (place_on_tape(tape, storage) >= 0) return;
    make_room(tape, arena);
    tape->storages[tape->count] = storage;
    note_place(tape, tape->count++);
    int count;
    const struct tensor *operands = made_of(storage, &count);
    if (tape->is_computed && storage->question != NULL) {
        count = storage->origin->operand_count;
        operands = storage->origin->operands;
    }
    for (int i = 0; i < count; i++) collect(tape, arena, &operands[i]);
}

// Given numbers may come from another arena, whose ages are of its own.
static uint64_t age_of(const struct storage *storage) {
    const struct origin *origin = storage->origin;
    return origin->operation->compute == NULL && origin->operand_count == 0 ? 0 : storage->age;
}

static int by_age(const void *left, const void *right) {
    const uint64_t a = age_of(*(struct storage *const *)left);
    const uint64_t b = age_of(*(struct storage *const *)right);
    return (a > b) - (a < b);
}

static struct tape filled(struct tape tape, struct arena *arena, int count,
                          const struct tensor *tensors) {
    for (int i = 0; i < count; i++) collect(&tape, arena, &tensors[i]);
    if (tape.count == 0) return tape;
    qsort(tape.storages, (size_t)tape.count, sizeof *tape.storages, by_age);
    for (int i = 0; i < tape.count; i++) note_place(&tape, i);
    return tape;
}

struct tape tape_of(struct arena *arena, int count, const struct tensor *tensors) {
    return filled((struct tape){0}, arena, count, tensors);
}

struct tape computed_tape_of(struct arena *arena, int count, const struct tensor *tensors) {
    return filled((struct tape){.is_computed = true}, arena, count, tensors);
}
