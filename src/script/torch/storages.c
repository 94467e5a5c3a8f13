// Which storages stay when the heap is swept: those of tensors, and what the way back from them goes through.

#include "base/swept.h"
#include "script/torch/grad.h"
#include "tensor/operation/operation.h"

static const struct operation forgotten_row = {.name = "forgotten"};
static const struct origin forgotten = {.operation = &forgotten_row};

struct keeping {
    struct arena *arena;
    uint32_t sweep;
    struct storage *waiting;    // whose parts are still to be marked
    struct tensor_cell *joined; // by detach(), of those that stay
};

static void keep(struct keeping *keeping, struct storage *storage) {
    if (storage->kept_at == keeping->sweep) return;
    storage->kept_at = keeping->sweep;
    storage->next_kept = keeping->waiting;
    keeping->waiting = storage;
}

static void keep_cell(struct keeping *keeping, struct tensor_cell *cell) {
    const struct writes *writes = cell->writes;
    if (cell->kept_at == keeping->sweep) return;
    cell->kept_at = keeping->sweep;
    arena_mark(keeping->arena, cell, sizeof *cell);
    arena_mark(keeping->arena, writes, sizeof *writes);
    arena_mark(keeping->arena, writes->ages, writes->room * sizeof *writes->ages);
    keep(keeping, cell->storage);
    if (cell->now != NULL) keep_cell(keeping, cell->now);
    if (cell->twin == NULL) return;
    cell->next_joined = keeping->joined;
    keeping->joined = cell;
}

// The way back does not go further than a storage that no gradient flows through: what it was computed from is needed no more.
static void keep_origin(struct keeping *keeping, struct storage *storage) {
    const struct origin *origin = storage->origin;
    const struct tensor_cell *cell = storage->keeper;
    if (origin == NULL || origin == &forgotten) return;
    if (origin->operand_count > 0 &&
        (!does_flow(storage) || (cell != NULL && cell->leaf != NULL))) {
        storage->origin = &forgotten;
        return;
    }
    const size_t count = (size_t)origin->operand_count;
    arena_mark(keeping->arena, origin, sizeof *origin);
    arena_mark(keeping->arena, origin->operands, count * sizeof *origin->operands);
    for (size_t i = 0; i < count; i++) keep(keeping, origin->operands[i].storage);
}

static void keep_all(struct keeping *keeping) {
    while (keeping->waiting != NULL) {
        struct storage *storage = keeping->waiting;
        keeping->waiting = storage->next_kept;
        arena_mark(keeping->arena, storage, sizeof *storage);
        arena_mark(keeping->arena, storage->data,
                   (size_t)storage->count * bytes_of_number(storage->dtype));
        if (storage->keeper != NULL) keep_cell(keeping, storage->keeper);
        keep_origin(keeping, storage);
    }
}

// Rings of cells go on without those that are gone.
static void close_rings(const struct keeping *keeping) {
    for (struct tensor_cell *cell = keeping->joined; cell != NULL; cell = cell->next_joined) {
        while (cell->twin != cell && cell->twin->kept_at != keeping->sweep)
            cell->twin = cell->twin->twin;
        if (cell->twin == cell) cell->twin = NULL;
    }
}

static void forget_views(const struct keeping *keeping, struct torch_library *library) {
    int count = 0;
    for (int i = 0; i < library->view_count; i++)
        if (library->views[i].view.storage->kept_at == keeping->sweep)
            library->views[count++] = library->views[i];
    library->view_count = count;
}

void mark_storages(struct machine *machine, const struct tensor_object *object) {
    struct torch_library *library = torch_library_of(machine);
    struct keeping *keeping = library->keeping;
    if (keeping == NULL) return;
    keep(keeping, object->view.storage);
    keep_cell(keeping, object->cell);
    if (object->before == NULL) return;
    keep_cell(keeping, object->before->cell);
    arena_mark(keeping->arena, object->before, sizeof *object->before);
}

static void sweep_storages(struct machine *machine) {
    struct torch_library *library = torch_library_of(machine);
    struct keeping *keeping = library->keeping;
    keep_all(keeping);
    close_rings(keeping);
    forget_views(keeping, library);
    *keeping = (struct keeping){keeping->arena, keeping->sweep + 1, NULL, NULL};
}

void machine_add_storages(struct machine *machine) {
    struct torch_library *library = torch_library_of(machine);
    struct arena *arena = machine_tensors(machine);
    if (arena == machine_arena(machine)) return; // nothing is swept: steps show what was
    library->keeping = arena_allocate(machine_arena(machine), sizeof *library->keeping);
    *library->keeping = (struct keeping){arena, 1, NULL, NULL};
    machine_before_sweep(machine, sweep_storages);
}
