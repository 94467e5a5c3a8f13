#include "tensor/number/softmax.h"

#include "tensor/number/library_math.h"
#include "tensor/number/vector_math.h"

#include <math.h> // defines: isnan, INFINITY

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { LANES = 8, LEVELS = 8, RUN_DIGITS = 4 };

// The largest of n numbers, NAN if one is.
static float largest(const float *x, size_t n, size_t stride) {
    float most = x[0];
    for (size_t i = 1; i < n; i++) {
        float number = x[i * stride];
        if (number > most || isnan(number)) most = number;
    }
    return most;
}

// The sum of n numbers, in lanes from eight on.
static float row_sum(const float *x, size_t n) {
    float lane[LANES] = {0};
    for (size_t i = 0; i < n && i < LANES; i++) lane[i] = x[i];
    for (size_t i = LANES; i < n; i++) lane[i % LANES] += x[i];
    if (n >= LANES)
        return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
               ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    for (size_t i = 1; i < n; i++) lane[0] += lane[i];
    return lane[0];
}

void softmax_row(const float *x, size_t n, float *y) {
    if (n == 0) return;
    float most = largest(x, n, 1);
    for (size_t i = 0; i < n; i++) y[i] = vector_exp(x[i] - most);
    float factor = 1.0f / row_sum(y, n);
    for (size_t i = 0; i < n; i++) y[i] *= factor;
}

// log_softmax adds up without keeping the exponentials, in the same lanes.
static float sum_of_exponentials(const float *x, size_t n, float most) {
    float lane[LANES] = {0};
    for (size_t i = 0; i < n && i < LANES; i++) lane[i] = vector_exp(x[i] - most);
    for (size_t i = LANES; i < n; i++) lane[i % LANES] += vector_exp(x[i] - most);
    return row_sum(lane, n < LANES ? n : LANES);
}

void log_softmax_row(const float *x, size_t n, float *y) {
    if (n == 0) return;
    float most = largest(x, n, 1);
    float logarithm = vector_log(sum_of_exponentials(x, n, most));
    for (size_t i = 0; i < n; i++) y[i] = (x[i] - most) - logarithm;
}

// The exponential that PyTorch takes for a column.
static float (*exponential(size_t column, size_t columns))(float) {
    return column < columns - columns % LANES ? vector_exp : library_exp;
}

void softmax_columns(const float *x, size_t n, size_t columns, float *y) {
    for (size_t column = 0; n > 0 && column < columns; column++, x++, y++) {
        float (*exp)(float) = exponential(column, columns);
        float most = largest(x, n, columns), sum = 0;
        for (size_t i = 0; i < n; i++) sum += y[i * columns] = exp(x[i * columns] - most);
        for (size_t i = 0; i < n; i++) y[i * columns] /= sum;
    }
}

void log_softmax_columns(const float *x, size_t n, size_t columns, float *y) {
    for (size_t column = 0; n > 0 && column < columns; column++, x++, y++) {
        float (*exp)(float) = exponential(column, columns);
        float most = largest(x, n, columns), sum = 0;
        for (size_t i = 0; i < n; i++) sum += exp(x[i * columns] - most);
        float logarithm = vector_log(sum);
        for (size_t i = 0; i < n; i++) y[i * columns] = (x[i * columns] - most) - logarithm;
    }
}

float nll_loss(const float *x, const int64_t *target, size_t rows, size_t classes) {
    float level[LEVELS] = {0}, sum = 0;
    for (size_t row = 0; row < rows; row++) {
        level[0] -= x[row * classes + (size_t)target[row]];
        for (int j = 0; j + 1 < LEVELS; j++) {
            if (row & (size_t)15 << j * RUN_DIGITS) break;
            level[j + 1] += level[j];
            level[j] = 0;
        }
    }
    for (int j = 0; j < LEVELS; j++) sum += level[j];
    return sum / (float)rows;
}
