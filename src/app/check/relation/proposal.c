#include "app/check/relation/proposal.h"

#include <inttypes.h>
#include <math.h>

#include "app/check/compare.h"
#include "base/text.h"
#include "tensor/operation/tolerance.h"

struct proposal as_it_is(const struct tensor *tensor) {
    return (struct proposal){.of = *tensor, .factor = 1, .fitted = -1};
}

// How many positions lie between two neighbours along a dimension.
static int64_t apart_along(const struct tensor *tensor, int dim) {
    int64_t apart = 1;
    for (int i = dim + 1; i < tensor->ndim; i++) apart *= tensor->shape[i];
    return apart;
}

static int64_t index_along(const struct proposal *proposal, int64_t position) {
    const int dim = proposal->dim;
    return position / apart_along(&proposal->of, dim) % proposal->of.shape[dim];
}

static bool is_open(const struct proposal *proposal, int64_t position) {
    return proposal->order != NULL && proposal->order[index_along(proposal, position)] < 0;
}

// Where the tensor has the number that is proposed for a position.
static int64_t place_of(const struct proposal *proposal, int64_t position) {
    if (proposal->order == NULL) return position;
    const int64_t index = index_along(proposal, position);
    return position + (proposal->order[index] - index) * apart_along(&proposal->of, proposal->dim);
}

double proposed_at(const struct proposal *proposal, int64_t position) {
    const double number = element_at(&proposal->of, place_of(proposal, position));
    return (number == 0 ? 0 : proposal->factor * number) + proposal->offset;
}

// By how much rounding moves what is proposed, as far as it is known: there and where the number comes from.
static double moved_at_most(const struct seeking *seeking, const struct proposal *proposal,
                            int64_t position) {
    const int64_t place = place_of(proposal, position);
    return fmax(seeking->allowed[position] - half_unit_at(seeking->numbers, position),
                seeking->allowed[place] - half_unit_at(seeking->numbers, place));
}

double width_at(const struct seeking *seeking, const struct proposal *proposal, int64_t position,
                double wanted) {
    static const double REORDERED =
        1e-5; // another order of operations, as a part of the numbers' size
    const double fitted = fabs(proposal->slack * (wanted - proposal->offset));
    const double rounding = fmax(REORDERED * fmax(seeking->size, fabs(wanted)),
                                 moved_at_most(seeking, proposal, position));
    return half_unit_at(seeking->numbers, position) + proposal->shift +
           (isfinite(wanted) ? rounding + fitted : rounding);
}

bool agrees_at(const struct seeking *seeking, const struct proposal *proposal, int64_t position) {
    const double wanted = proposed_at(proposal, position);
    return agree(seeking->numbers->values[position], wanted,
                 width_at(seeking, proposal, position, wanted));
}

// Is there a number before this one that is the same in the file and in the step?
static bool is_copy(const struct seeking *seeking, int64_t position) {
    const double *values = seeking->numbers->values;
    const double right = element_at(seeking->right, position);
    for (int64_t i = 0; i < position; i++) {
        if (values[i] == values[position] && element_at(seeking->right, i) == right) return true;
    }
    return false;
}

// The bits that the number at a position gives: how unlikely it is that it agrees by chance. What a fitted
// constant says of each number is measured from what it says of the number that it was fitted to: numbers that
// are all alike tell of no factor.
static double bits_at(const struct seeking *seeking, const struct proposal *proposal,
                      int64_t position) {
    if (position == proposal->fitted || is_open(proposal, position)) return 0;
    const double value = seeking->numbers->values[position];
    const double wanted = proposed_at(proposal, position);
    const double width = width_at(seeking, proposal, position, wanted);
    double off = fabs(value - element_at(seeking->right, position));
    if (proposal->fitted >= 0)
        off = fmin(off, fabs(value - seeking->numbers->values[proposal->fitted]));
    if (isnan(off) || off <= width || is_copy(seeking, position)) return 0;
    if (isinf(off)) return proposal->of_infinity;
    return log2(1 + off / width);
}

bool explains(struct seeking *seeking, const struct proposal *proposal) {
    enum { MORE = 10 };
    const int usual = proposal->fitted >= 0 ? 3 : 2;
    const int least = proposal->least > 0 ? proposal->least : usual;
    seeking->tried++;
    for (int64_t i = 0; i < seeking->count; i++) {
        if (!is_open(proposal, i) && !agrees_at(seeking, proposal, i)) return false;
    }
    const double enough = log2(seeking->tried) + MORE + proposal->cost;
    double bits = 0;
    int telling = 0;
    for (int64_t i = 0; i < seeking->count && (bits < enough || telling < least); i++) {
        const double told = bits_at(seeking, proposal, i);
        bits += told;
        telling += told > 1;
    }
    return bits >= enough && telling >= least;
}

bool is_related(struct seeking *seeking, const char *code, const char *text) {
    *seeking->relation = (struct relation){.code = code, .text = text};
    return true;
}

const char *slice_words(const struct seeking *seeking, int dim, int64_t index) {
    struct arena *arena = seeking->arena;
    struct text text = text_new(arena);
    const char *name = axis_name(seeking->right, dim);
    if (name != NULL)
        text_add_format(&text, "%s %s (", name,
                        text_safe(arena, label_of(arena, seeking->right, dim, index)));
    text_add(&text, "x[");
    for (int i = 0; i < dim; i++) text_add(&text, ":, ");
    text_add_format(&text, "%" PRId64 "]%s", index, name != NULL ? ")" : "");
    return text.bytes;
}
