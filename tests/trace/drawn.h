#ifndef ONESTEP_TESTS_TRACE_DRAWN_H
#define ONESTEP_TESTS_TRACE_DRAWN_H

// What tests of operations on drawn numbers begin with: an arena, and a generator after seed 123.

#include "fixture.h"
#include "tensor/number/generator.h"
#include "tensor/tensor.h"

extern struct arena *const m;
extern struct generator generator;

// A fixture: makes both anew, and frees the arena.
void set_up_drawn(void);
void tear_down_drawn(void);

// Numbers in [-1, 1).
struct tensor random_tensor(struct shape shape);

#endif
