#include "trace/tolerance.h"

#include <math.h>

#include "tensor/origin.h"

static const double ROUNDED = 2e-6, DRAWN_NORMAL = 5e-6;

// What an operation adds to the tolerance of its operands.
static double own_tolerance(enum operation operation) {
    switch (operation) {
    case FROM_INPUT:
    case FROM_FULL:
    case FROM_UNIFORM:
    case TRIL:
    case TRIU:
    case TO_BOOL:
    case MASKED_FILL:
    case DROPOUT: // of settled numbers: one product, rounded once
    case CAT:
    case STACK:
    case COPY:
    case EMBEDDING:
        return 0;
    case FROM_NORMAL:
        return DRAWN_NORMAL;
    default:
        return ROUNDED;
    }
}

double tolerance_of(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    double tolerance = own_tolerance(origin->operation);
    for (int i = 0; i < origin->operand_count && tolerance < DRAWN_NORMAL; i++) {
        if (is_tensor(&origin->operands[i]))
            tolerance = fmax(tolerance, tolerance_of(&origin->operands[i]));
    }
    return tolerance;
}

bool agree(double value, double wanted, double tolerance, double slack) {
    if (isnan(wanted) || isnan(value)) return isnan(wanted) && isnan(value);
    if (isinf(wanted) || isinf(value)) return value == wanted;
    return fabs(value - wanted) <= slack + tolerance * fmax(1, fabs(wanted));
}
