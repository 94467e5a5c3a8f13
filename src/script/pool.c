// Small pieces of memory, of which a program takes and gives back many.

#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

// With sanitizers each piece is the system's, which finds what is read behind its end or after its time.
#if defined(__SANITIZE_ADDRESS__)
enum { LARGEST = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { LARGEST = 0 };
#else
enum { LARGEST = UNIT * UNIT_COUNT };
#endif
#else
enum { LARGEST = UNIT * UNIT_COUNT };
#endif

enum { SLAB = 64 * 1024 };

struct piece {
    struct piece *next;
};

static size_t units_of(size_t size) {
    return (size + UNIT - 1) / UNIT;
}

static void *carve(struct machine *machine, size_t size) {
    if (machine->slab_end - machine->slab < (ptrdiff_t)size) {
        machine->slab = arena_allocate(machine->arena, SLAB);
        machine->slab_end = machine->slab + SLAB;
    }
    void *memory = machine->slab;
    machine->slab += size;
    return memory;
}

void *pool_take(struct machine *machine, size_t size) {
    if (size > LARGEST || size == 0) return or_fail(machine, malloc(size + (size == 0)));
    const size_t units = units_of(size);
    struct piece *piece = machine->pieces[units];
    if (piece == NULL) return carve(machine, units * UNIT);
    machine->pieces[units] = piece->next;
    return piece;
}

void pool_give(struct machine *machine, void *memory, size_t size) {
    if (size > LARGEST || size == 0) {
        free(memory);
    } else if (memory != NULL) {
        struct piece *piece = memory;
        piece->next = machine->pieces[units_of(size)];
        machine->pieces[units_of(size)] = piece;
    }
}
