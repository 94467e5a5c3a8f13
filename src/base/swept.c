#include "base/swept.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, PIECE = 4096, SLAB = 64 * 1024 };

// With sanitizers nothing is shared: they find what is read after its time.
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifdef IS_SANITIZED
enum { LARGEST_SHARED = 0 };
#else
enum { LARGEST_SHARED = 1024 };
#endif

// Begins where an address is a multiple of PIECE. Its memory is behind it.
struct shared {
    struct shared *next;
    uint32_t marked; // the sweep that it survives
    size_t used;
};

// In front of its memory.
struct large {
    struct large *next;
    void *memory; // what the system gave
    uint32_t marked;
    size_t size;
};

struct swept {
    struct arena *parent;
    struct shared *shared, *spare; // in use, the open one first; free
    unsigned char *next, *end;     // of the open one
    struct large *large;
    uint32_t sweep; // the number of the next
};

// ---- Giving memory ------------------------------------------------------------------------------

static void add_spares(struct swept *swept) {
    unsigned char *slab = arena_allocate(swept->parent, SLAB);
    const size_t before = (PIECE - (uintptr_t)slab % PIECE) % PIECE;
    for (size_t at = before; at + PIECE <= SLAB; at += PIECE) {
        struct shared *piece = (struct shared *)(slab + at);
        piece->next = swept->spare;
        swept->spare = piece;
    }
}

static void open_piece(struct swept *swept) {
    if (swept->spare == NULL) add_spares(swept);
    struct shared *piece = swept->spare;
    swept->spare = piece->next;
    memset(piece, 0, PIECE);
    piece->next = swept->shared;
    swept->shared = piece;
    swept->next = (unsigned char *)piece + ALIGNMENT;
    swept->end = (unsigned char *)piece + PIECE;
}

static void *allocate_large(struct arena *arena, size_t size) {
    struct swept *swept = arena->swept;
    unsigned char *memory =
        size > SIZE_MAX - 2 * ALIGNMENT ? NULL : calloc(1, size + 2 * ALIGNMENT);
    if (memory == NULL) fail(arena->failure, FAIL_RUNTIME, "out of memory (%zu bytes asked)", size);
    unsigned char *given = memory + 2 * ALIGNMENT - (uintptr_t)memory % ALIGNMENT;
    struct large *large = (struct large *)(given - ALIGNMENT);
    *large = (struct large){swept->large, memory, 0, size};
    swept->large = large;
    return given;
}

static void *give(struct arena *arena, size_t size) {
    struct swept *swept = arena->swept;
    if (arena->limit != 0 && (size > arena->limit || arena->used > arena->limit - size))
        fail(arena->failure, FAIL_RUNTIME, "more than %zu bytes are needed", arena->limit);
    arena->used += size;
    if (size > LARGEST_SHARED) return allocate_large(arena, size);
    const size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((size_t)(swept->end - swept->next) < room + (room == 0)) open_piece(swept);
    void *memory = swept->next;
    swept->next += room;
    swept->shared->used += size;
    return memory;
}

// ---- Taking it back -----------------------------------------------------------------------------

void arena_mark(struct arena *arena, const void *memory, size_t size) {
    if (size == 0) return;
    const uintptr_t address = (uintptr_t)memory;
    const uint32_t sweep = arena->swept->sweep;
    if (size > LARGEST_SHARED)
        ((struct large *)(address - ALIGNMENT))->marked = sweep;
    else
        ((struct shared *)(address - address % PIECE))->marked = sweep;
}

static size_t sweep_shared(struct swept *swept) {
    size_t used = 0;
    struct shared *piece = swept->shared, *next;
    swept->shared = NULL;
    for (; piece != NULL; piece = next) {
        const bool is_needed = piece->marked == swept->sweep;
        struct shared **list = is_needed ? &swept->shared : &swept->spare;
        next = piece->next;
        used += is_needed ? piece->used : 0;
        piece->next = *list;
        *list = piece;
    }
    swept->next = swept->end = NULL;
    return used;
}

static size_t sweep_large(struct swept *swept) {
    size_t used = 0;
    for (struct large **link = &swept->large; *link != NULL;) {
        struct large *large = *link;
        if (large->marked == swept->sweep) {
            used += large->size;
            link = &large->next;
        } else {
            *link = large->next;
            free(large->memory);
        }
    }
    return used;
}

void arena_sweep(struct arena *arena) {
    struct swept *swept = arena->swept;
    arena->used = sweep_shared(swept) + sweep_large(swept);
    swept->sweep++;
}

static void release(struct arena *arena) {
    struct swept *swept = arena->swept;
    for (struct large *large = swept->large, *next; large != NULL; large = next) {
        next = large->next;
        free(large->memory);
    }
    *swept = (struct swept){.parent = swept->parent, .sweep = 1};
}

struct arena *arena_child_swept(struct arena *parent) {
    struct arena *child = arena_child(parent);
    child->swept = arena_allocate(parent, sizeof *child->swept);
    child->swept->parent = parent;
    child->swept->sweep = 1;
    child->give = give;
    child->release = release;
    return child;
}
