#include "trace/run/schedule.h"

#include "tensor/number/double_math.h"

#define PI 3.14159265358979323846

bool has_rates(const struct parameters *parameters) {
    return parameters->warmup > 0 || parameters->cosine;
}

bool has_clipping(const struct parameters *parameters) {
    return parameters->clip > 0;
}

double learning_rate(const struct parameters *parameters, int64_t update) {
    const double lr = parameters->lr;
    const int64_t made = update - 1, warmup = parameters->warmup;
    if (made < warmup) {
        const double first = lr / 100, more = (lr - first) / (double)warmup;
        return first + (double)made * more;
    }
    if (!parameters->cosine) return lr;
    const double part = (double)(made - warmup) / (double)(parameters->updates - warmup);
    const double least = lr / 1000;
    return least + (lr - least) * 0.5 * (1 + cos_double(PI * part));
}

bool is_clipped(const struct parameters *parameters, int64_t update) {
    return has_clipping(parameters) && update > parameters->warmup;
}
