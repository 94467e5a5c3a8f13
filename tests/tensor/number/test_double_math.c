// The logarithm, sine and cosine of doubles against exactly rounded results.
#include "fixture.h"
#include "tensor/number/double_math.h"

#include <check.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct double_case {
    double x;
    double expected;
};

// The expected results were computed by Python's mpmath with 400 bits and then rounded once, to nearest
// even, to 53 bits.

// clang-format off
static const struct double_case LOG1P_CASES[] = {
    // -u for a 53-bit uniform u.
    {-0x1.e3984acafeedbp-1, -0x1.72250c3f85ea8p1}, {-0x1.e0b29f84e1aa6p-1, -0x1.65b6959f01dcp1},
    {-0x1.a4c3def7d86b8p-1, -0x1.b99237bda27p0}, {-0x1.9331341c0f7e3p-1, -0x1.8c7a54990c0cap0},
    {-0x1.0ad61a5e5a4d6p-1, -0x1.79093dfca79e7p-1}, {-0x1.061711fbcbd98p-1, -0x1.6f3804269315p-1},
    {-0x1.a89165bf3039p-2, -0x1.122ba3d60d968p-1}, {-0x1.89af0a9c63472p-2, -0x1.f0e5697379cecp-2},
    {-0x1.870d72eff625p-2, -0x1.eca1624652882p-2}, {-0x1.7f5e68976604cp-2, -0x1.e04636662b21bp-2},
    {-0x1.7f0e72a6e924cp-2, -0x1.dfc66ebd8d78ap-2}, {-0x1.7d9ab323ab948p-2, -0x1.dd752edbe3058p-2},
    {-0x1.569e2c2e82e4cp-2, -0x1.a11ff804fc7fbp-2}, {-0x1.4f5a235fc6588p-2, -0x1.964374b83faa8p-2},
    {-0x1.10fc12f539cbep-2, -0x1.3d7ca0f8f2b99p-2}, {-0x1.1aeb2e6eef8ccp-3, -0x1.30784b456fd71p-3},
    {-0x1p-53, -0x1p-53}, {-0x1p-52, -0x1.0000000000001p-52},
    {-0x1.fffffffffffffp-1, -0x1.25e4f7b2737fap5}, {-0x1p-1, -0x1.62e42fefa39efp-1},
    // Tiny, and everything else.
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, {-0x1p-55, -0x1p-55},
    {0x1.8p-54, 0x1.8p-54}, {-0x1.23456789abcdep-40, -0x1.23456789ac739p-40},
    {0x1.921fb54442d18p-30, 0x1.921fb53f53825p-30}, {0x1p0, 0x1.62e42fefa39efp-1},
    {0x1p1, 0x1.193ea7aad030bp0}, {0x1.2a05f2p33, 0x1.7069e2aa3184ep4},
    {0x1.fffffffffffffp1023, 0x1.62e42fefa39efp9},
};

static const struct double_case SIN_DOUBLE_CASES[] = {
    // Box-Muller's 2π u.
    {0x1.5386a8efbf16fp-2, 0x1.4d56c969552e7p-2}, {0x1.1c4f7394e1d59p-1, 0x1.0dec3923a7d9fp-1},
    {0x1.07af4ea37b3f3p0, 0x1.b6f12819d3dcp-1}, {0x1.6eeb9b8759b63p0, 0x1.fb2aa9fd63fdcp-1},
    {0x1.9e736d7aef7e9p0, 0x1.ff6812ddf78aep-1}, {0x1.1790fbe3f05a7p1, 0x1.a2af58ce2c9abp-1},
    {0x1.32bccf916159p1, 0x1.5b32edde8d97ap-1}, {0x1.8d770baa17e56p1, 0x1.2a198c6aa7711p-5},
    {0x1.ccb920e0126dep1, -0x1.c496eed589607p-2}, {0x1.fb6a6ec0c4634p1, -0x1.77404842ee0cap-1},
    {0x1.0b2e72032e744p2, -0x1.b7c1afcb5958ap-1}, {0x1.170668812a6f2p2, -0x1.e07f278e7aa62p-1},
    {0x1.1f633a77b10bp2, -0x1.f370977f34649p-1}, {0x1.214e7f4889b1dp2, -0x1.f6982be4fd74bp-1},
    {0x1.2cecb0960b045p2, -0x1.fff8da80b84c1p-1}, {0x1.5da1bd6504bfp2, -0x1.7669997584f8fp-1},
    // Around multiples of π/2.
    {0x1.921fb54442d18p0, 0x1p0}, {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53},
    {0x1.2d97c7f3321d2p2, -0x1p0}, {0x1.921fb54442d18p2, -0x1.1a62633145c07p-52},
    {0x1.6c6cbc45dc8dep5, 0x1p0},
    // Tiny, and as far as they go.
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022}, {-0x1.8p-27, -0x1.8p-27},
    {0x1.23456789abcdep-20, 0x1.23456789ab8f1p-20}, {0x1.fffffffffffffp-10, 0x1.ffffeaaaaaeeep-10},
    {-0x1p0, -0x1.aed548f090ceep-1}, {0x1.9p6, -0x1.03425b78c4db8p-1},
    {0x1p12, -0x1.3074ea233620dp-1}, {-0x1p12, 0x1.3074ea233620dp-1},
    {0x1.d4a9cbda3d02p11, -0x1.f74ab3cd905f9p-1}, {-0x1.5adff1f18baf6p11, 0x1.a6e94061e577ap-1},
    {-0x1.c9667ed2ba5p11, -0x1.5deb6acfc6c24p-1}, {0x1.e7b7285a76f02p11, -0x1.126c4334d5a8fp-3},
    {-0x1.f3c42f4bdafcp10, -0x1.b23f0893ad9bcp-1}, {0x1.118f95e73cda8p11, 0x1.ddc39d34b02edp-1},
};

static const struct double_case COS_DOUBLE_CASES[] = {
    // Box-Muller's 2π u.
    {0x1.5386a8efbf16fp-2, 0x1.e41ce5643ce8ep-1}, {0x1.1c4f7394e1d59p-1, 0x1.b311dce519d04p-1},
    {0x1.07af4ea37b3f3p0, 0x1.07943b4462f6ep-1}, {0x1.6eeb9b8759b63p0, 0x1.18bdcb2a2c715p-3},
    {0x1.9e736d7aef7e9p0, -0x1.8a5001cba9f6p-5}, {0x1.1790fbe3f05a7p1, -0x1.26b2b0660d24fp-1},
    {0x1.32bccf916159p1, -0x1.784b2b375544ep-1}, {0x1.8d770baa17e56p1, -0x1.ffa930c4a9d66p-1},
    {0x1.ccb920e0126dep1, -0x1.cb46b7e08cfd9p-1}, {0x1.fb6a6ec0c4634p1, -0x1.5c534fd4e8609p-1},
    {0x1.0b2e72032e744p2, -0x1.0637bdc0f49b7p-1}, {0x1.170668812a6f2p2, -0x1.61a62c4b8389dp-2},
    {0x1.1f633a77b10bp2, -0x1.c2d88a7fba15ap-3}, {0x1.214e7f4889b1dp2, -0x1.86c002156d0c1p-3},
    {0x1.2cecb0960b045p2, -0x1.562d22bcd18bdp-7}, {0x1.5da1bd6504bfp2, 0x1.5d3a0865cda23p-1},
    // Around multiples of π/2.
    {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54}, {0x1.921fb54442d18p1, -0x1p0},
    {0x1.2d97c7f3321d2p2, -0x1.a79394c9e8a0ap-53}, {0x1.921fb54442d18p2, 0x1p0},
    {0x1.6c6cbc45dc8dep5, -0x1.6d61b58c99c43p-61},
    // Tiny, and as far as they go.
    {0x0.0000000000001p-1022, 0x1p0}, {-0x1.8p-27, 0x1.fffffffffffffp-1},
    {0x1.23456789abcdep-20, 0x1.fffffffffeb4ap-1}, {0x1.fffffffffffffp-10, 0x1.ffffc00001555p-1},
    {-0x1p0, 0x1.14a280fb5068cp-1}, {0x1.9p6, 0x1.b981dbf665fdfp-1},
    {0x1p12, 0x1.9ba4a85e6ce6cp-1}, {-0x1p12, 0x1.9ba4a85e6ce6cp-1},
    {0x1.d4a9cbda3d02p11, -0x1.781d2de2451c4p-3}, {-0x1.5adff1f18baf6p11, -0x1.2099b14eeb879p-1},
    {-0x1.c9667ed2ba5p11, -0x1.75c3d6fada07ap-1}, {0x1.e7b7285a76f02p11, 0x1.fb61fbdee0049p-1},
    {-0x1.f3c42f4bdafcp10, 0x1.0f3ee49490afbp-1}, {0x1.118f95e73cda8p11, -0x1.7028f6554c20dp-2},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_doubles(const char *name, double (*f)(double), const struct double_case *cases,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double y = f(cases[i].x);
        ck_assert_msg(bits_of_double(y) == bits_of_double(cases[i].expected),
                      "%s(%a) is %a, expected %a", name, cases[i].x, y, cases[i].expected);
    }
}

// The header promises less than this, but keeps it for these arguments.
START_TEST(results_are_the_nearest_double) {
    check_doubles("log1p_double", log1p_double, LOG1P_CASES, COUNT(LOG1P_CASES));
    check_doubles("sin_double", sin_double, SIN_DOUBLE_CASES, COUNT(SIN_DOUBLE_CASES));
    check_doubles("cos_double", cos_double, COS_DOUBLE_CASES, COUNT(COS_DOUBLE_CASES));
}
END_TEST

START_TEST(angles_beyond_the_limit_have_no_answer) {
    const double beyond = nextafter(ANGLE_LIMIT, INFINITY);
    const double angles[] = {beyond, -beyond, 1e300, INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < COUNT(angles); i++) {
        ck_assert(isnan(sin_double(angles[i])));
        ck_assert(isnan(cos_double(angles[i])));
    }
}
END_TEST

START_TEST(zeros_keep_their_sign) {
    ck_assert(bits_of_double(sin_double(-0.0)) == bits_of_double(-0.0));
    ck_assert(bits_of_double(log1p_double(-0.0)) == bits_of_double(-0.0));
    ck_assert(bits_of_double(log1p_double(0.0)) == 0);
    ck_assert(cos_double(-0.0) == 1);
}
END_TEST

START_TEST(log1p_of_what_is_not_above_minus_one) {
    ck_assert(log1p_double(-1) == -INFINITY);
    ck_assert(isnan(log1p_double(-0x1.0000000000001p0)));
    ck_assert(isnan(log1p_double(-INFINITY)));
    ck_assert(isnan(log1p_double((double)NAN)));
    ck_assert(log1p_double(INFINITY) == INFINITY);
}
END_TEST

static void check_float(double x) {
    const float quick = log1p_float(x), slow = (float)log1p_double(x);
    ck_assert_msg(memcmp(&quick, &slow, sizeof quick) == 0 || (isnan(quick) && isnan(slow)),
                  "%a: %a, not %a", x, (double)quick, (double)slow);
}

// Where the C library decides, and where it lies too close to the middle of two floats: e^m - 1, m such a middle.
START_TEST(log1p_of_a_float_is_that_of_a_double) {
    const double ends[] = {0,         -0.0,        -1,       -2,         INFINITY,
                           -INFINITY, (double)NAN, -0x1p-53, 1 - 0x1p-53};
    for (size_t i = 0; i < COUNT(ends); i++) check_float(ends[i]);
    for (int i = 0; i < 30000; i++) {
        check_float(-(i / 30011.0));
        const float some = (float)(i + 1) / -4001;
        const double middle = ((double)some + (double)nextafterf(some, 0)) / 2;
        check_float(expm1(middle));
    }
}
END_TEST

START_TEST(sine_and_cosine_lie_on_the_circle) {
    for (double x = -10; x <= 10; x += 0.0137) {
        const double sine = sin_double(x), cosine = cos_double(x);
        ck_assert_double_le(fabs(sine * sine + cosine * cosine - 1), 0x1p-52);
        ck_assert(sin_double(-x) == -sine);
        ck_assert(cos_double(-x) == cosine);
    }
}
END_TEST

// FNV-1a of the results' bytes, lowest first on any machine.
static uint64_t mix(uint64_t hash, double x) {
    for (int i = 0; i < 8; i++)
        hash = (hash ^ ((bits_of_double(x) >> (8 * i)) & 0xff)) * 0x100000001b3U;
    return hash;
}

// Computed by mpmath as well: all of the results below are the nearest ones.
static const uint64_t HASH = 0xe798ebc1b1087376U;

START_TEST(all_machines_agree) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (int i = 0; i < 10000; i++) {
        const double u = i / 10007.0;
        hash = mix(hash, log1p_double(-u));
        hash = mix(hash, sin_double(6.283185307179586 * u));
        hash = mix(hash, cos_double(6.283185307179586 * u));
    }
    ck_assert_msg(hash == HASH, "0x%016llx", (unsigned long long)hash);
}
END_TEST

Suite *double_math_suite(void) {
    Suite *suite = suite_create("double_math");
    TCase *all = add_case(suite, "results", NULL, NULL);
    tcase_add_test(all, results_are_the_nearest_double);
    tcase_add_test(all, angles_beyond_the_limit_have_no_answer);
    tcase_add_test(all, zeros_keep_their_sign);
    tcase_add_test(all, log1p_of_what_is_not_above_minus_one);
    tcase_add_test(all, log1p_of_a_float_is_that_of_a_double);
    tcase_add_test(all, sine_and_cosine_lie_on_the_circle);
    tcase_add_test(all, all_machines_agree);
    return suite;
}
