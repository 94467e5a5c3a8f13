#include "drawn.h"

#include "tensor/ops/ops.h"

static struct failure failure;
static struct arena arena;
struct arena *const m = &arena;
struct generator generator;

void set_up_drawn(void) {
    arena = arena_new(&failure);
    manual_seed(&generator, 123);
}

void tear_down_drawn(void) {
    arena_free(&arena);
}

struct tensor random_tensor(struct shape shape) {
    return uniform(&arena, &generator, shape, -1, 1);
}
