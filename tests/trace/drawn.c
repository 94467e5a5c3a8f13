#include "drawn.h"

#include "tensor/ops/ops.h"

struct arena *const m = &arena;
struct generator generator;

void set_up_drawn(void) {
    set_up_arena();
    manual_seed(&generator, 123);
}

void tear_down_drawn(void) {
    tear_down_arena();
}

struct tensor random_tensor(struct shape shape) {
    return uniform(&arena, &generator, shape, -1, 1);
}
