#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 2 * 1024, LARGEST_CHUNK = 64 * 1024, FIRST_ROOM = 64 };
enum { FEW = 128 }; // characters, as most texts have: they are written once

struct arena_chunk {
    struct arena_chunk *older;
    unsigned char *next; // first free byte
    unsigned char *end;
};

struct arena arena_new(struct failure *failure) {
    return (struct arena){.failure = failure};
}

static unsigned char *align(unsigned char *address) {
    const uintptr_t misfit = (uintptr_t)address % ALIGNMENT;
    return misfit == 0 ? address : address + (ALIGNMENT - misfit);
}

// Twice the one before, as most arenas hold few bytes and a chunk is zeroed.
static size_t next_chunk(const struct arena *arena) {
    const struct arena_chunk *newest = arena->newest;
    const size_t next =
        newest == NULL ? FIRST_CHUNK : 2 * (size_t)(newest->end - (const unsigned char *)newest);
    return next < LARGEST_CHUNK ? next : LARGEST_CHUNK;
}

static void add_chunk(struct arena *arena, size_t size) {
    if (arena->limit != 0 && (size > arena->limit || arena->used > arena->limit - size))
        fail(arena->failure, FAIL_RUNTIME, "more than %zu bytes are needed", arena->limit);
    const size_t overhead = sizeof(struct arena_chunk) + ALIGNMENT;
    const size_t least = next_chunk(arena), room = size > least ? size : least;
    struct arena_chunk *chunk = room > SIZE_MAX - overhead ? NULL : calloc(1, room + overhead);
    if (chunk == NULL) fail(arena->failure, FAIL_RUNTIME, "out of memory (%zu bytes asked)", size);
    chunk->older = arena->newest;
    chunk->next = align((unsigned char *)(chunk + 1));
    chunk->end = (unsigned char *)chunk + room + overhead;
    arena->newest = chunk;
}

void *arena_allocate(struct arena *arena, size_t size) {
    if (arena->give != NULL) return arena->give(arena, size);
    const struct arena_chunk *chunk = arena->newest;
    if (chunk == NULL || size > (size_t)(chunk->end - chunk->next)) add_chunk(arena, size);
    unsigned char *memory = arena->newest->next;
    unsigned char *after = align(memory + size);
    arena->newest->next = after < arena->newest->end ? after : arena->newest->end;
    arena->used += size;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        fail(arena->failure, FAIL_RUNTIME, "out of memory (%zu times %zu bytes asked)", count,
             size);
    }
    return arena_allocate(arena, count * size);
}

// The place of the last of so many bytes, but never before the last that a first room has.
static size_t last_of(size_t bytes) {
    return bytes > FIRST_ROOM ? bytes - 1 : FIRST_ROOM - 1;
}

// Rooms are powers of two: two places are in the same one if their highest bits are the same. Only then
// is nothing above the bits that both have.
static bool fits_beside(size_t used, size_t all) {
    return (last_of(used) ^ last_of(all)) <= (last_of(used) & last_of(all));
}

static size_t room_for(size_t bytes) {
    size_t room = FIRST_ROOM;
    while (room < bytes) room *= 2;
    return room;
}

void *arena_grow(struct arena *arena, void *array, size_t used, size_t more) {
    if (used > SIZE_MAX / 2 || more > SIZE_MAX / 2 - used)
        fail(arena->failure, FAIL_RUNTIME, "out of memory (%zu and %zu bytes asked)", used, more);
    if (array != NULL && fits_beside(used, used + more)) return array;
    void *larger = arena_allocate(arena, room_for(used + more));
    if (used > 0) memcpy(larger, array, used);
    return larger;
}

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length) {
    char *copy = arena_allocate(arena, length + 1);
    if (length > 0) memcpy(copy, bytes, length);
    return copy;
}

char *arena_copy(struct arena *arena, const char *string) {
    return arena_copy_bytes(arena, string, strlen(string));
}

char *arena_format_list(struct arena *arena, const char *format, va_list arguments) {
    char few[FEW];
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(few, sizeof few, format, arguments);
    char *string = arena_allocate(arena, (size_t)length + 1);
    if (length < FEW)
        memcpy(string, few, (size_t)length + 1);
    else
        vsnprintf(string, (size_t)length + 1, format, again);
    va_end(again);
    return string;
}

char *arena_format(struct arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *string = arena_format_list(arena, format, arguments);
    va_end(arguments);
    return string;
}

struct arena *arena_child(struct arena *parent) {
    struct arena *child = arena_allocate(parent, sizeof *child);
    *child = (struct arena){.failure = parent->failure,
                            .parent = parent,
                            .sibling = parent->children,
                            .disturbance = parent->disturbance};
    parent->children = child;
    return child;
}

void arena_number_behind(struct arena *arena, const struct arena *other) {
    while (arena->parent != NULL) arena = arena->parent;
    while (other->parent != NULL) other = other->parent;
    if (arena->numbered < other->numbered) arena->numbered = other->numbered;
}

uint64_t arena_number(struct arena *arena) {
    while (arena->parent != NULL) arena = arena->parent;
    return ++arena->numbered;
}

void arena_free(struct arena *arena) {
    for (struct arena *child = arena->children; child != NULL; child = child->sibling)
        arena_free(child);
    arena->children = NULL;
    if (arena->release != NULL) arena->release(arena);
    while (arena->newest != NULL) {
        struct arena_chunk *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    arena->used = 0;
    arena->numbered = 0;
}

static void free_arena(void *context) {
    arena_free(context);
}

struct arena *scratch_open(struct scratch *scratch, struct failure *failure) {
    scratch->arena = arena_new(failure);
    cleanup_open(&scratch->cleanup, failure, free_arena, &scratch->arena);
    return &scratch->arena;
}

void scratch_close(struct scratch *scratch) {
    cleanup_close(&scratch->cleanup);
}
