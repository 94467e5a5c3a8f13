#include "app/check/relation/relation.h"

#include <inttypes.h>
#include <math.h>

#include "app/check/relation/arrangement.h"
#include "app/check/relation/elsewhere.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"

// ---- A constant ---------------------------------------------------------------------------------

// The position where the file's number tells most of a factor: it and the tensor's are not 0, and it is the largest.
static int64_t largest_at(const struct seeking *seeking, const struct tensor *of) {
    const double *values = seeking->numbers->values;
    int64_t best = -1;
    for (int64_t i = 0; i < seeking->count; i++) {
        const double number = element_at(of, i);
        if (!isfinite(values[i]) || !isfinite(number) || number == 0) continue;
        if (best < 0 || fabs(values[i]) > fabs(values[best])) best = i;
    }
    return best >= 0 && values[best] != 0 ? best : -1;
}

// A factor that is known by a name: a whole number, its root, or 1 over one of them.
struct named_factor {
    int64_t of;
    bool is_root, is_divided, is_negative;
};

static double value_of(struct named_factor named) {
    const double size = named.is_root ? sqrt((double)named.of) : (double)named.of;
    return (named.is_negative ? -1 : 1) * (named.is_divided ? 1 / size : size);
}

// The factor's name, if it has one as far as it is known. A root has to be exact: near a coarse factor, there is
// always one.
static bool is_named(double factor, double slack, struct named_factor *named) {
    static const double LEAST = 1e-6, EXACT = 1e-3;
    const double size = fabs(factor), off = fmax(slack, LEAST);
    for (int i = 0; i < 4; i++) {
        struct named_factor each = {
            .is_root = i >= 2, .is_divided = i % 2 == 1, .is_negative = factor < 0};
        const double times = each.is_divided ? 1 / size : size;
        each.of = llround(fmin(each.is_root ? times * times : times, 1e9));
        if (each.of < (each.is_root ? 2 : 1) || (each.is_root && (off > EXACT || each.of > 64)))
            continue;
        if (fabs(value_of(each) - factor) > off * size) continue;
        *named = each;
        return true;
    }
    return false;
}

static const char *factor_text(struct arena *arena, struct named_factor named) {
    const char *sign = named.is_negative ? "-" : "", *over = named.is_divided ? "1/" : "";
    return arena_format(arena, "%s%s%s%" PRId64, sign, over, named.is_root ? "√" : "", named.of);
}

#define MEAN_OVER_WORDS                                                                            \
    "the loss is divided by the number of words in the vocabulary as well; it is a mean over the " \
    "positions alone"

// How many words the run's logits are for; 0 if it has none.
static int64_t words_of(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &run->steps[i].tensor;
        if (role_of(tensor) == ROLE_LOGITS) return tensor->shape[tensor->ndim - 1];
    }
    return 0;
}

// What a program does that multiplies its numbers by such a factor.
static const char *cause_of_factor(const struct seeking *seeking, struct named_factor named) {
    const bool is_gradient = role_of(seeking->right) == ROLE_GRADIENT;
    if (named.of == 1)
        return is_gradient ? "the loss has the wrong sign, or the update's sign is in the gradient"
                           : "a sign is wrong, or a difference is taken the other way round";
    if (named.is_root) return "a scale is left out, applied twice, or applied at another place";
    if (is_gradient && named.of == 2 && !named.is_divided)
        return "backward() ran twice, and gradients add up until zero_grad()";
    if (is_gradient && named.is_divided && named.of == words_of(seeking->run))
        return MEAN_OVER_WORDS;
    if (named.is_divided) return "a mean is taken where a sum belongs, or one division is too many";
    if (is_gradient || named.of > 2)
        return "a sum is taken where a mean belongs, or one division is left out";
    return "it was added to itself, or one division is left out";
}

static bool find_factor(struct seeking *seeking) {
    static const double LEAST_OFF = 0.01; // nearer to 1, much else looks like a factor
    const int64_t best = largest_at(seeking, seeking->right);
    if (best < 0) return false;
    const double value = seeking->numbers->values[best];
    struct proposal proposal = as_it_is(seeking->right);
    proposal.fitted = best;
    proposal.factor = value / element_at(&proposal.of, best);
    proposal.slack = width_at(seeking, &proposal, best, value) / fabs(value);
    struct named_factor named;
    const char *cause = "one multiplication or division is too many or left out";
    const char *factor = arena_format(seeking->arena, "%.4g", proposal.factor);
    if (is_named(proposal.factor, proposal.slack, &named)) {
        proposal.factor = value_of(named);
        proposal.slack = 0;
        factor = factor_text(seeking->arena, named);
        cause = cause_of_factor(seeking, named);
    }
    if (fabs(proposal.factor - 1) < LEAST_OFF || !explains(seeking, &proposal)) return false;
    return is_related(seeking, "factor",
                      arena_format(seeking->arena,
                                   "each number is the right number times %s; the usual cause: %s",
                                   factor, cause));
}

static bool find_offset(struct seeking *seeking) {
    const int64_t best = largest_at(seeking, seeking->right);
    if (best < 0) return false;
    const double value = seeking->numbers->values[best];
    struct proposal proposal = as_it_is(seeking->right);
    proposal.fitted = best;
    proposal.offset = value - element_at(&proposal.of, best);
    proposal.shift = width_at(seeking, &proposal, best, value);
    if (!explains(seeking, &proposal)) return false;
    return is_related(seeking, "offset",
                      arena_format(seeking->arena,
                                   "each number is the right number plus %.4g; the usual cause: a "
                                   "constant is added or left out",
                                   proposal.offset));
}

// A loss is one number, too few for any factor: its digits tell apart the few that are usual.
static bool find_other_loss(struct seeking *seeking) {
    const struct origin *origin = seeking->right->storage->origin;
    if (origin->operation != &cross_entropy_row || seeking->count != 1) return false;
    const struct tensor *logits = &origin->operands[0];
    const int64_t words = logits->shape[logits->ndim - 1];
    const struct {
        double factor;
        const char *name, *cause;
    } ways[] = {
        {1 / (double)words, arena_format(seeking->arena, "1/%" PRId64, words), MEAN_OVER_WORDS},
        {-1, "-1", "the minus before the logarithm is left out"},
        {1 / log(2), "1/ln 2",
         "the logarithm is one to base 2; PyTorch's loss takes the natural one"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct proposal proposal = as_it_is(seeking->right);
        proposal.factor = ways[i].factor;
        proposal.least = 1;
        if (!explains(seeking, &proposal)) continue;
        return is_related(
            seeking, "factor",
            arena_format(seeking->arena,
                         "the number is the right number times %s; the usual cause: %s",
                         ways[i].name, ways[i].cause));
    }
    return false;
}

// ---- All of them --------------------------------------------------------------------------------

static bool is_whole(const struct tensor *tensor) {
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        const double number = element_at(tensor, i);
        if (isfinite(number) && number != rint(number)) return false;
    }
    return true;
}

// The root of the mean square of the file's finite numbers.
static double size_of_file(const struct numbers *numbers) {
    double sum = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < count_of(numbers->shape); i++) {
        if (!isfinite(numbers->values[i])) continue;
        sum += numbers->values[i] * numbers->values[i];
        finite++;
    }
    return finite > 0 ? sqrt(sum / (double)finite) : 0;
}

bool start_seeking(struct seeking *seeking, struct arena *arena, const struct run *run,
                   const struct step *step, const struct numbers *numbers, const double *allowed,
                   struct relation *relation) {
    *seeking = (struct seeking){
        .arena = arena,
        .run = run,
        .step = step,
        .right = &step->tensor,
        .numbers = numbers,
        .count = count_of(shape_of(&step->tensor)),
        .size = size_of_file(numbers),
        .allowed = allowed,
        .relation = relation,
    };
    return !is_whole(seeking->right) && seeking->size != 0;
}

bool find_relation(struct arena *arena, const struct run *run, const struct step *step,
                   const struct numbers *numbers, const double *allowed,
                   struct relation *relation) {
    static bool (*const relations[])(struct seeking *) = {
        find_rounded, find_factor,    find_other_loss, find_offset,   find_reversed,
        find_rolled,  find_exchanged, find_reordered,  find_repeated, find_misplaced,
        find_shifted, find_part,      find_place,      find_constant,
    };
    struct seeking seeking;
    const bool can_seek = start_seeking(&seeking, arena, run, step, numbers, allowed, relation);
    if (!is_whole(&step->tensor) && find_cast(&seeking)) return true;
    if (!can_seek) return false;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (relations[i](&seeking)) return true;
    }
    return false;
}
