#ifndef ONESTEP_APP_MEMORY_H
#define ONESTEP_APP_MEMORY_H

// How much memory there is for a large computation, and what happens to memory that is freed.

#include "base/arena.h"

// Bytes that this process may take: what the machine has free, a container's limit, ulimit -v.
double available_bytes(void);

// Lets the process keep up to 64 MB of freed memory for the next arena. A list of mistakes plays a lesson again and again, and
// returned its memory to the system each time. Does something only with glibc.
void keep_freed_memory(void);

// "622.8 MB".
const char *bytes_text(struct arena *arena, double bytes);

#endif
