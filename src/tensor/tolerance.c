#include "tensor/tolerance.h"

#include <math.h>

double tolerance_of(const struct tensor *tensor) {
    return tensor->storage->tolerance;
}

bool agree(double value, double wanted, double tolerance, double slack) {
    if (isnan(wanted) || isnan(value)) return isnan(wanted) && isnan(value);
    if (isinf(wanted) || isinf(value)) return value == wanted;
    return fabs(value - wanted) <= slack + tolerance * fmax(1, fabs(wanted));
}
