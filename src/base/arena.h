#ifndef ONESTEP_BASE_ARENA_H
#define ONESTEP_BASE_ARENA_H

// Memory that is freed all at once. A run of a lesson, a frame on screen, a command: each has one arena,
// allocates from it without calls of free(), and frees it as a whole.

#include <stdarg.h> // defines: va_list
#include <stddef.h> // defines: size_t
#include <stdint.h>

#include "base/fail.h"

struct arena_chunk;
struct disturbance;
struct swept;

struct arena {
    struct failure *failure;    // receives "out of memory"
    struct arena_chunk *newest; // chunks, newest first
    size_t used;                // bytes handed out, for figures
    size_t limit;         // fails rather than hand out many more bytes than these; 0: no limit
    uint64_t numbered;    // how often arena_number was called
    struct arena *parent; // NULL, or the arena of which this is a child
    struct arena *children, *sibling;
    // Of an arena whose memory is taken back piece by piece (swept.h); NULL in all others.
    struct swept *swept;
    void *(*give)(struct arena *arena, size_t size);
    void (*release)(struct arena *arena);
    // Changes the last bits of all results in this arena (tensor/operation/disturbance.h); NULL: no change.
    struct disturbance *disturbance;
};

// An empty arena; nothing is allocated yet. `failure` must outlive it.
struct arena arena_new(struct failure *failure);

// A part of an arena's memory that may be freed earlier: its objects are numbered together with those of the
// parent. Freeing the parent frees the child too. A child may be freed and used again.
struct arena *arena_child(struct arena *parent);

// `size` bytes, zeroed, aligned for a cache line (64). Never returns NULL: without memory it fails
// with FAIL_RUNTIME. A size of 0 is allowed.
void *arena_allocate(struct arena *arena, size_t size);

// Room for `count` objects of `size` bytes, zeroed; fails like arena_allocate, also on overflow.
void *arena_array(struct arena *arena, size_t count, size_t size);

// Makes room for `more` bytes after the `used` bytes of a growing array, which begins as NULL:
//
//     steps = arena_grow(arena, steps, count * sizeof *steps, sizeof *steps);
//     steps[count++] = step;
//
// Returns the same array if they fit, otherwise one of at least twice the size that begins with the same
// bytes. Bytes after the used ones are zero until they are written. The old array stays in the arena
// unchanged, so pointers into it remain valid. The capacity follows from `used`: an array must grow only by
// this function, and all bytes that it gave count as used. Fails like arena_allocate.
void *arena_grow(struct arena *arena, void *array, size_t used, size_t more);

// A copy of a string, or of its first `length` bytes with a NUL after them.
char *arena_copy(struct arena *arena, const char *string);
char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length);

// printf into the arena: returns the new string, as long as it needs to be.
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same of a list of arguments, which is left as it was.
char *arena_format_list(struct arena *arena, const char *format, va_list arguments);

// Returns 1, 2, 3, ...: the order in which objects of an arena were created. Starts again at 1 after
// arena_free.
uint64_t arena_number(struct arena *arena);
// From now on `arena` gives larger numbers than `other` has given so far.
void arena_number_behind(struct arena *arena, const struct arena *other);

// Frees everything; the arena is empty and may be used again.
void arena_free(struct arena *arena);

// Memory for the duration of one function. If several are open, the last one opened is closed first.
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
