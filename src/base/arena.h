#ifndef ONESTEP_BASE_ARENA_H
#define ONESTEP_BASE_ARENA_H

// Memory that is freed all at once. A run of a lesson, a frame on screen, a command: each has one
// arena, allocates from it without thinking of free(), and drops it whole.

#include <stddef.h> // defines: size_t
#include <stdint.h>

#include "base/fail.h"

struct arena_chunk;
struct disturbance;

struct arena {
    struct failure *failure;    // where "out of memory" goes
    struct arena_chunk *newest; // chunks, newest first
    size_t used;                // bytes handed out, for figures
    uint64_t numbered;          // how often arena_number was asked
    struct arena *parent;       // NULL, or of whose things this one holds some
    struct arena *children, *sibling;
    // What changes the last bits of all that is computed in it (tensor/ops/disturbance.h); NULL: nothing.
    struct disturbance *disturbance;
};

// An empty arena; nothing is allocated yet. `failure` must outlive it.
struct arena arena_new(struct failure *failure);

// A part of an arena's memory that may be freed earlier: what is made in it is numbered along with what is
// made in the parent, and goes with the parent at the latest. It may be freed and used again.
struct arena *arena_child(struct arena *parent);

// `size` bytes, zeroed, aligned for a cache line (64). Never returns NULL: without memory it fails
// with FAIL_RUNTIME. A size of 0 is allowed.
void *arena_allocate(struct arena *arena, size_t size);

// Room for `count` objects of `size` bytes, zeroed; fails like arena_allocate, also on overflow.
void *arena_array(struct arena *arena, size_t count, size_t size);

// Room for `more` bytes behind the `used` ones of an array that grows, which begins as NULL:
//
//     steps = arena_grow(arena, steps, count * sizeof *steps, sizeof *steps);
//     steps[count++] = step;
//
// Returns the array as it is if they fit, else one of at least twice the size that begins with the same
// bytes; what lies behind the used ones is zero where nobody wrote yet. The old array stays in the arena
// as it was: what points into it may read on. How much fits follows from `used`, so the array must have
// grown by this function alone, and whatever was asked for counts as used. Fails like arena_allocate.
void *arena_grow(struct arena *arena, void *array, size_t used, size_t more);

// A copy of a string, and of its first `length` bytes (then closed with a NUL).
char *arena_copy(struct arena *arena, const char *string);
char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length);

// printf into the arena: returns the new string, as long as it needs to be.
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// 1, 2, 3, ...: puts things that are made in an arena in their order. Starts anew where all is freed.
uint64_t arena_number(struct arena *arena);
// From here on the numbers of `arena` are larger than those that `other` has given so far.
void arena_number_behind(struct arena *arena, const struct arena *other);

// Frees everything; the arena is empty and may be used again.
void arena_free(struct arena *arena);

// Memory for the time that one function runs. Of several at once, the last one opened is the first one
// closed.
//
//     struct scratch scratch;
//     struct arena *m = scratch_open(&scratch, failure);
//     ...                                   // a failure that leaves from here frees it as well
//     scratch_close(&scratch);
struct scratch {
    struct arena arena;
    struct cleanup cleanup;
};
struct arena *scratch_open(struct scratch *scratch, struct failure *failure);
void scratch_close(struct scratch *scratch);

#endif
