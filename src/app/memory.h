#ifndef ONESTEP_APP_MEMORY_H
#define ONESTEP_APP_MEMORY_H

// How much memory there is for a large computation.

#include "base/arena.h"

// Bytes that this process may take: what the machine has free, a container's limit, ulimit -v.
double available_bytes(void);

// "622.8 MB".
const char *bytes_text(struct arena *arena, double bytes);

#endif
