#ifndef ONESTEP_TENSOR_OPERATION_PRECISION_H
#define ONESTEP_TENSOR_OPERATION_PRECISION_H

// Types with fewer bits than a float32, in which other programs compute.

#include <stdbool.h>

struct precision {
    const char *name;   // as --dtype takes it: "bfloat16"
    int bits;           // of a number, the one that is not stored included
    int least_exponent; // numbers below 2^least_exponent have fewer
    double most;        // the largest number; what is larger becomes infinite
    bool
        is_of_factors; // numbers are stored as float32, and only the factors of products are rounded
    const char *remedy; // how PyTorch computes in float32 instead
};

enum { PRECISION_BFLOAT16, PRECISION_FLOAT16, PRECISION_TF32, PRECISION_COUNT };
extern const struct precision precisions[PRECISION_COUNT];

enum rounding { TO_NEAREST, TOWARD_ZERO, AWAY_FROM_ZERO };

// The number of that type to which `x` is rounded; to the even one of two that are as near. Zeros, infinities and nan stay.
double round_to(const struct precision *precision, double x, enum rounding rounding);

// The same of a float, in less time.
float round_float_to(const struct precision *precision, float x, enum rounding rounding);

// How far rounding to the nearest may move `x`: half a unit of its last bit.
double half_unit_of(const struct precision *precision, double x);

#endif
