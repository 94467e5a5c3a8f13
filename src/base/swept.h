#ifndef ONESTEP_BASE_SWEPT_H
#define ONESTEP_BASE_SWEPT_H

// An arena whose memory is taken back piece by piece: what arena_mark was told of since the last sweep stays when
// arena_sweep frees all else. Small things share pieces of 4 KiB: one that is needed keeps those beside it.

#include "base/arena.h"

// Numbered together with its parent, which frees it, and which its shared pieces come from.
struct arena *arena_child_swept(struct arena *parent);

// The `size` bytes at `memory` are needed: as many as the arena was asked for. No bytes are nothing.
void arena_mark(struct arena *arena, const void *memory, size_t size);
// All other memory of the arena is gone. `used` counts what is left.
void arena_sweep(struct arena *arena);

#endif
