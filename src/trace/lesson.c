#include "trace/lesson.h"

#include <math.h>

struct tensor linear_weight(struct run *run, int64_t d_out, int64_t d_in) {
    return uniform_weight(run->memory, &run->generator, d_out, d_in);
}

struct tensor linear_bias(struct run *run, bool bias, int64_t d_out, int64_t d_in) {
    return bias ? uniform_bias(run->memory, &run->generator, d_out, d_in) : NO_TENSOR;
}

struct tensor dropout(struct run *run, struct tensor x, double p) {
    return drop(&run->generator, x, run->parameters.eval ? 0 : p, run->stream);
}

struct tensor number(struct run *run, double number) {
    return scalar(run->memory, number);
}

struct tensor numbers_of(struct run *run, int64_t count, const float *numbers) {
    return tensor_of(run->memory, SHAPE(count), numbers);
}

struct tensor numbers_from_0(struct run *run, int64_t count) {
    return arange(run->memory, 0, count);
}

double root(int64_t n) {
    return sqrt((double)n);
}

struct tensor with_axes(struct tensor x, int count, const enum meaning *meanings) {
    for (int dim = 0; dim < count; dim++) x = set_axis(x, dim, meanings[dim]);
    return x;
}

struct tensor rows(struct tensor x, enum meaning meaning) {
    return set_axis(x, -2, meaning);
}

struct tensor with_names(struct tensor x, const char *const *names) {
    for (int dim = 0; names[dim] != NULL; dim++) x = name_axis(x, dim, names[dim]);
    return x;
}

struct tensor axes_of(struct tensor other, struct tensor x) {
    return with_axes_of(x, &other);
}

struct tensor label_columns(struct tensor x, const char *const *labels) {
    return label_axis(x, -1, labels);
}

struct tensor label_rows(struct tensor x, const char *const *labels) {
    return label_axis(x, -2, labels);
}
