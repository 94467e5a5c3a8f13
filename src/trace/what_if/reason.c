#include "trace/what_if/reason.h"

#include "tensor/operation/rows.h"
#include "trace/run/list.h"
#include "trace/tape/tape.h"

static const char *why_not_dropped(const struct parameters *p) {
    if (p->eval) return "nothing is dropped: --eval is on";
    return p->dropout == 0 ? "nothing is dropped: p is 0" : NULL;
}

static const char *why_off(const struct run *run, uint64_t bit) {
    const struct parameters *p = &run->parameters;
    switch (bit) {
    case USES_DROPOUT:
        return why_not_dropped(p);
    case USES_BIAS:
        return p->bias ? NULL : "no layer has a bias";
    case USES_HEADS:
        return p->heads == 1 ? "there is one head" : NULL;
    case USES_BATCH:
        return run->batch_size == 0 ? "there is no batch" : NULL;
    case USES_TARGET:
        return run->target_count != size_along(&run->inputs, AXIS_TOKEN)
                   ? "the two sentences have different lengths, so the wrong shape shows it"
                   : NULL;
    case USES_PREFILL:
        return p->prefill == size_along(&run->inputs, AXIS_TOKEN)
                   ? "no token comes after the prompt"
                   : NULL;
    case USES_UPDATES:
        return p->updates == 0 ? "there is no update" : NULL;
    case USES_OPTIMIZER:
        return p->optimizer == ADAMW ? NULL : "the optimizer is not AdamW";
    case USES_WEIGHT_DECAY:
        return weight_decay_of(p) == 0 ? "the weight decay is 0" : NULL;
    case USES_TOP_K:
        return p->top_k == 1 ? "top_k is 1, so the k-th largest logit is the largest" : NULL;
    default:
        return NULL;
    }
}

const char *why_gone(const struct run *run, uint64_t lever) {
    const uint64_t used = run->lesson->uses & lever;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const char *why = why_off(run, used & parameter_table[i].bit);
        if (why != NULL) return why;
    }
    return NULL;
}

// Does it hold of every softmax of scores, and is there one?
static bool holds_of_attention(struct arena *arena, const struct run *run,
                               bool (*holds)(const struct origin *softmax)) {
    struct tensor *shown = arena_array(arena, (size_t)run->step_count, sizeof *shown);
    for (int i = 0; i < run->step_count; i++) shown[i] = run->steps[i].tensor;
    const struct tape tape = tape_of(arena, run->step_count, shown);
    bool has_any = false;
    for (int i = 0; i < tape.count; i++) {
        const struct storage *storage = tape.storages[i];
        if (storage->purpose.role != ROLE_WEIGHTS || storage->origin->operation != &softmax_row)
            continue;
        if (!holds(storage->origin)) return false;
        has_any = true;
    }
    return has_any;
}

static bool is_of_one_key(const struct origin *softmax) {
    return softmax->operands[0].shape[softmax->dim] == 1;
}

bool has_one_key(struct arena *arena, const struct run *run) {
    return holds_of_attention(arena, run, is_of_one_key);
}

static bool is_of_keys_of_one_number(const struct origin *softmax) {
    const struct origin *scores = softmax->operands[0].storage->origin;
    while (scores->operation != &matmul_row && scores->operand_count > 0)
        scores = scores->operands[0].storage->origin;
    if (scores->operation != &matmul_row) return false;
    const struct tensor *queries = &scores->operands[0];
    return queries->shape[queries->ndim - 1] == 1;
}

bool has_keys_of_one_number(struct arena *arena, const struct run *run) {
    return holds_of_attention(arena, run, is_of_keys_of_one_number);
}

bool pads_nothing(struct arena *arena, const struct run *run) {
    (void)arena;
    double lengths[MOST_SENTENCES];
    const int count = run->lesson->uses & USES_LENGTHS ? lengths_given(run, lengths) : 0;
    for (int i = 1; i < count; i++) {
        if (lengths[i] != lengths[0]) return false;
    }
    return count > 0;
}

bool has_prompt_of_one(struct arena *arena, const struct run *run) {
    (void)arena;
    return run->lesson->uses & USES_PREFILL && run->parameters.prefill == 1;
}

bool has_one_pair(struct arena *arena, const struct run *run) {
    (void)arena;
    return run->lesson->uses & USES_BASE && run->parameters.d_out == 2;
}

bool shifts_nothing(struct arena *arena, const struct run *run) {
    (void)arena;
    return run->lesson->uses & USES_SHIFT && run->parameters.shift == 0;
}

bool makes_no_update(struct arena *arena, const struct run *run) {
    (void)arena;
    return run->parameters.updates == 0;
}

bool makes_one_update(struct arena *arena, const struct run *run) {
    (void)arena;
    return run->parameters.updates <= 1;
}

bool has_temperature_one(struct arena *arena, const struct run *run) {
    (void)arena;
    double temperatures[MOST_TEMPERATURES];
    const int count = numbers_listed(run->parameters.temperatures, temperatures);
    for (int i = 0; i < count; i++) {
        if (temperatures[i] != 1) return false;
    }
    return true;
}
