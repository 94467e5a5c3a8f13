// e^x, the logarithm and others at the ends of their domains, and what must hold of any. Their bits are compared
// with PyTorch's in test_asked.c, and for every float by pytorch_operations.py.
#include "fixture.h"
#include "tensor/number/elementary.h"
#include "tensor/number/sine.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// _i: of PyTorch, of glibc.
static float (*const exps[])(float) = {exp_float, exp_float_of_glibc};

START_TEST(exp_of_what_is_not_a_finite_number) {
    float (*exp)(float) = exps[_i];
    ck_assert_uint_eq(bits_of_float(exp(-INFINITY)), 0); // not -0: a masked score weighs 0
    ck_assert_uint_eq(bits_of_float(exp(-3e38F)), 0);
    ck_assert(exp(INFINITY) == INFINITY);
    ck_assert(exp(3e38F) == INFINITY);
    ck_assert(isnan(exp(NAN)));
    ck_assert(exp(0.0F) == 1);
    ck_assert(exp(-0.0F) == 1);
}
END_TEST

// Where the largest and the smallest results are; PyTorch's values.
START_TEST(exp_at_the_ends) {
    float (*exp)(float) = exps[_i];
    ck_assert(isfinite(exp(0x1.62e42ep6F)));
    ck_assert(exp(0x1.62e43p6F) == INFINITY);
    ck_assert(exp(-0x1.9d1d9ep6F) > 0); // the smallest float there is
    ck_assert(exp(-104.5F) == 0);
}
END_TEST

START_TEST(log_of_what_is_not_a_positive_number) {
    ck_assert(log_float(0.0F) == -INFINITY);
    ck_assert(log_float(-0.0F) == -INFINITY);
    ck_assert(isnan(log_float(-0x1p-149F)));
    ck_assert(isnan(log_float(-INFINITY)));
    ck_assert(isnan(log_float(NAN)));
    ck_assert(log_float(INFINITY) == INFINITY);
    ck_assert_uint_eq(bits_of_float(log_float(1.0F)), 0);
}
END_TEST

// Within a unit in the last place, so results may fall by one where the exact ones rise; not by more.
START_TEST(exp_and_log_hardly_ever_fall) {
    float previous = 0;
    for (float x = -110; x < 95; x += 0x1p-9F) {
        const float y = exps[_i](x);
        ck_assert_msg(y >= nextafterf(previous, 0), "exp falls at %a", (double)x);
        previous = y;
    }
    previous = -INFINITY;
    for (uint32_t bits = 0; bits <= bits_of_float(INFINITY); bits += 21569) {
        const float y = log_float(float_of_bits(bits));
        ck_assert_msg(y >= nextafterf(previous, -INFINITY), "log falls at %a",
                      (double)float_of_bits(bits));
        previous = y;
    }
}
END_TEST

START_TEST(log_undoes_exp) {
    for (float x = -80; x <= 80; x += 0.37F) {
        // e^x is off by a unit in the last place, which moves its logarithm by 2^-23.
        ck_assert_float_le(fabsf(log_float(exps[_i](x)) - x), fabsf(x) * 0x1p-22F + 0x1p-23F);
    }
}
END_TEST

START_TEST(tanh_at_the_ends) {
    ck_assert(tanh_float(INFINITY) == 1 && tanh_float(-INFINITY) == -1);
    ck_assert(tanh_float(8.7F) == 1);
    ck_assert(isnan(tanh_float(NAN)));
    ck_assert_uint_eq(bits_of_float(tanh_float(-0.0F)), bits_of_float(-0.0F));
}
END_TEST

// _i: of PyTorch, of glibc.
static float (*const powers[])(float, float) = {power_float, power_float_of_glibc};

START_TEST(powers_at_the_ends) {
    float (*power)(float, float) = powers[_i];
    ck_assert(power(NAN, 0) == 1 && power(1, NAN) == 1 && isnan(power(NAN, 1)));
    ck_assert(power(-8, 3) == -512 && isnan(power(-8, 0.5F)));
    ck_assert(power(0, -1) == INFINITY && power(-0.0F, -1) == -INFINITY);
    ck_assert(power(-INFINITY, 3) == -INFINITY && power(-INFINITY, 2) == INFINITY);
    ck_assert(power(0.5F, INFINITY) == 0 && power(-1, INFINITY) == 1);
    ck_assert(power(10, 39) == INFINITY && power(10, -46) == 0 && power(10, -40) > 0);
}
END_TEST

// Beside neighbours of any size: PyTorch's three ways.
START_TEST(sines_at_the_ends) {
    static const float largest[] = {1, 1000, 100000, NAN};
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        ck_assert_uint_eq(bits_of_float(sine_float(-0.0F, largest[i])), bits_of_float(-0.0F));
        ck_assert(cosine_float(0, largest[i]) == 1);
        ck_assert_float_le(fabsf(sine_float(1, largest[i]) - 0x1.aed548p-1F), 0x1p-23F);
    }
    ck_assert(isnan(sine_float(INFINITY, INFINITY)) && isnan(cosine_float(NAN, NAN)));
    ck_assert(isnan(sine_float(0x1.000002p26F, 0x1.000002p26F)));
    ck_assert_float_le(fabsf(cosine_float(0x1p26F, 0x1p26F) - -0.9071720390522806F), 0x1p-20F);
}
END_TEST

Suite *elementary_suite(void) {
    Suite *suite = suite_create("elementary");
    TCase *all = add_case(suite, "ends and order", NULL, NULL);
    tcase_add_loop_test(all, exp_of_what_is_not_a_finite_number, 0, 2);
    tcase_add_loop_test(all, exp_at_the_ends, 0, 2);
    tcase_add_test(all, log_of_what_is_not_a_positive_number);
    tcase_add_loop_test(all, exp_and_log_hardly_ever_fall, 0, 2);
    tcase_add_loop_test(all, log_undoes_exp, 0, 2);
    tcase_add_test(all, tanh_at_the_ends);
    tcase_add_loop_test(all, powers_at_the_ends, 0, 2);
    tcase_add_test(all, sines_at_the_ends);
    return suite;
}
