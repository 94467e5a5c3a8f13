#include "tensor/operation/operation.h"

#include "tensor/operation/disturbance.h"

static struct origin *copy_of(struct arena *arena, const struct origin *origin) {
    struct origin *copy = arena_allocate(arena, sizeof *copy);
    struct tensor *operands =
        arena_array(arena, (size_t)origin->operand_count, sizeof *origin->operands);
    for (int i = 0; i < origin->operand_count; i++) operands[i] = origin->operands[i];
    *copy = *origin;
    copy->operands = operands;
    return copy;
}

static void note_draws(struct draws *draws, const struct generator *generator) {
    draws->seed = generator->seed;
    draws->sequence = generator->sequence;
    draws->first = generator->drawn;
    draws->has_normal = generator->has_normal;
    draws->normal_at = generator->normal_at;
}

// What the operation computes from disturbed operands, disturbed; of one that rounds nothing, the same as ever. A truth or a
// place is not rounded, and a number that is compared with itself must stay equal to it.
static struct tensor compute_disturbed(struct arena *arena, const struct origin *origin) {
    struct origin widened = *origin;
    struct tensor *operands =
        arena_array(arena, (size_t)origin->operand_count, sizeof *origin->operands);
    const struct precision *precision = arena->disturbance->precision;
    const bool rounds_factors = precision != NULL && precision->is_of_factors;
    const bool is_left = rounds_factors && origin->operation->factors != 2;
    if (origin->operation->error == NULL || is_left)
        return origin->operation->compute(arena, origin);
    const uint64_t reader = reader_of(origin->operand_count, origin->operands);
    for (int i = 0; i < origin->operand_count; i++) {
        const struct tensor *operand = &origin->operands[i];
        const bool is_rounded = operand->storage->dtype == FLOAT32 && (!rounds_factors || i < 2);
        operands[i] = is_rounded ? disturbed_copy(arena, operand, reader + (uint64_t)i) : *operand;
    }
    widened.operands = operands;
    const struct tensor result = origin->operation->compute(arena, &widened);
    if (result.storage->dtype == FLOAT32 && !rounds_factors)
        disturb(arena->disturbance, result.storage, reader);
    else if (result.storage->dtype != FLOAT32 && origin->generator == NULL)
        return origin->operation->compute(arena, origin);
    return result;
}

static bool disturbs(const struct disturbance *disturbance) {
    return disturbance != NULL && (disturbance->number > 0 || disturbance->precision != NULL);
}

static _Thread_local int64_t performed;

int64_t work_performed(void) {
    return performed;
}

static int64_t work_of(const struct origin *origin, const struct tensor *result) {
    enum { OF_EACH = 400 };
    const bool has_products = origin->operation->factors == 2;
    const int64_t made = result->storage->count;
    int64_t work = OF_EACH + made;
    for (int i = 0; i < origin->operand_count; i++)
        work += count_of(shape_of(&origin->operands[i]));
    const struct tensor *first = origin->operands;
    return has_products && first->ndim > 0 ? work + made * first->shape[first->ndim - 1] : work;
}

struct tensor perform(struct arena *arena, const struct origin *origin) {
    struct origin *recorded = copy_of(arena, origin);
    if (recorded->generator != NULL) note_draws(&recorded->draws, recorded->generator);
    const struct disturbance *disturbance = arena->disturbance;
    if (disturbance != NULL && disturbance->is_of_1_13) recorded->is_of_1_13 = true;
    struct tensor result = disturbs(disturbance) ? compute_disturbed(arena, recorded)
                                                 : recorded->operation->compute(arena, recorded);
    result.view = NULL;
    performed += work_of(recorded, &result);
    if (recorded->generator != NULL) {
        recorded->draws.count = recorded->generator->drawn - recorded->draws.first;
        recorded->draws.keeps_normal = recorded->generator->has_normal;
        recorded->generator = NULL;
    }
    result.storage->origin = recorded;
    if (recorded->operation->purpose != NULL)
        result.storage->purpose = recorded->operation->purpose(recorded, &result);
    return result;
}

struct tensor perform_on(int count, const struct tensor *operands, struct origin origin) {
    const struct storage *youngest = operands[0].storage;
    for (int i = 1; i < count; i++) {
        if (operands[i].storage->age > youngest->age) youngest = operands[i].storage;
    }
    origin.operand_count = count;
    origin.operands = operands;
    return perform(youngest->arena, &origin);
}

struct purpose purpose_of_first(const struct origin *origin, const struct tensor *result) {
    (void)result;
    return origin->operands[0].storage->purpose;
}

void refuse_shapes(struct arena *arena, const struct origin *origin, const struct tensor *a,
                   const struct tensor *b, const char *what) {
    fail(arena->failure, FAIL_USAGE, "%s: shapes %s and %s %s", origin->operation->name,
         shape_text(arena, shape_of(a)), shape_text(arena, shape_of(b)), what);
}

const char *mask_took_a_part(struct arena *arena, const struct origin *origin) {
    (void)arena;
    (void)origin;
    return "rows no longer sum to 1: the mask removed a part";
}

const char *formula_of(struct arena *arena, const struct operation *operation, int count) {
    static const char *const operands[] = {"", "1", "1, 2", "1, 2, 3"};
    if (operation->formula != NULL) return operation->formula;
    if (operation->sign != NULL) return arena_format(arena, "1 %s 2", operation->sign);
    if (operation->before != NULL)
        return arena_format(arena, "%s1%s", operation->before, operation->after);
    return count == 0 ? operation->name
                      : arena_format(arena, "%s(%s)", operation->name, operands[count]);
}
