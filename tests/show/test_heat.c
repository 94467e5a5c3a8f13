// The colours of numbers, as most people see them and as the three common kinds of colour-blind people do.

#include <math.h>
#include <stdlib.h>

#include "fixture.h"
#include "show/heat.h"

#include <check.h> // last: defines a macro fail

// ---- Seeing -------------------------------------------------------------------------------------

// Linear red, green and blue become what someone without one kind of cones sees. Machado, Oliveira and Fernandes,
// "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.
enum { EVERYONE, PROTANOPIA, DEUTERANOPIA, TRITANOPIA, VISIONS };
static const double vision_table[VISIONS][3][3] = {
    [EVERYONE] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [PROTANOPIA] = {{0.152286, 1.052583, -0.204868},
                    {0.114503, 0.786281, 0.099216},
                    {-0.003882, -0.048116, 1.051998}},
    [DEUTERANOPIA] = {{0.367322, 0.860646, -0.227968},
                      {0.280085, 0.672501, 0.047413},
                      {-0.011820, 0.042940, 0.968881}},
    [TRITANOPIA] = {{1.255528, -0.076749, -0.178779},
                    {-0.078411, 0.930809, 0.147602},
                    {0.004733, 0.691367, 0.303900}},
};

// Of 0xrrggbb: linear red, green and blue, 0 ... 1 (IEC 61966-2-1).
static void linear_of(int rgb, double linear[3]) {
    for (int i = 0; i < 3; i++) {
        const double share = (rgb >> (16 - 8 * i) & 255) / 255.0;
        linear[i] = share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
    }
}

static void see(int rgb, int vision, double seen[3]) {
    double linear[3];
    linear_of(rgb, linear);
    for (int i = 0; i < 3; i++) {
        const double *row = vision_table[vision][i];
        const double part = row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2];
        seen[i] = fmin(1, fmax(0, part));
    }
}

// CIE L*a*b*, D65.
struct lab {
    double lightness, a, b;
};

static double lab_part(double share) {
    return share > 216.0 / 24389 ? cbrt(share) : (share * 24389 / 27 + 16) / 116;
}

static struct lab lab_of(int rgb, int vision) {
    double seen[3];
    see(rgb, vision, seen);
    const double x =
        lab_part((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
    const double y = lab_part(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    const double z =
        lab_part((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double distance(int one, int other, int vision) {
    const struct lab a = lab_of(one, vision), b = lab_of(other, vision);
    return sqrt(pow(a.lightness - b.lightness, 2) + pow(a.a - b.a, 2) + pow(a.b - b.b, 2));
}

static double luminance(int rgb) {
    double linear[3];
    linear_of(rgb, linear);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

// WCAG 2.1.
static double contrast(int one, int other) {
    const double a = luminance(one) + 0.05, b = luminance(other) + 0.05;
    return a > b ? a / b : b / a;
}

// ---- The tones ----------------------------------------------------------------------------------

// A colour of the 256 as terminals have it: a cube of six levels from 16 on, and greys from 232 on.
static int rgb_of_256(int number) {
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    ck_assert_int_ge(number, 16);
    if (number >= 232) return (8 + 10 * (number - 232)) * 0x010101;
    const int place = number - 16;
    return levels[place / 36] << 16 | levels[place / 6 % 6] << 8 | levels[place % 6];
}

// Each test runs for each ramp, in all colours and in 256.
enum { ALL_RAMPS = 2 * (RAMP_COUNT - 1) };

static enum ramp ramp_of(int number) {
    return (enum ramp)(RAMP_NONE + 1 + number / 2);
}

static int rgb_of(const struct heat_tone *tone, int number) {
    return number % 2 == 0 ? rgb_number(tone->rgb) : rgb_of_256(tone->nearest);
}

static int paper_at(int number, int level) {
    const struct heat_pair heat = heat_pair(ramp_of(number), level);
    return rgb_of(&heat.paper, number);
}

START_TEST(every_number_is_readable) {
    for (int level = 0; level < heat_levels(ramp_of(_i)); level++) {
        const struct heat_pair heat = heat_pair(ramp_of(_i), level);
        ck_assert_double_ge(contrast(paper_at(_i, level), rgb_of(&heat.ink, _i)), 4.5);
    }
}
END_TEST

// 0 where the numbers are least, or where they are 0.
static int distance_from_least(int number, int level) {
    return heat_levels(ramp_of(number)) == DIVERGING_LEVELS ? abs(level - DIVERGING_LEVELS / 2)
                                                            : level;
}

START_TEST(lightness_keeps_the_order_of_the_levels) {
    const enum ramp ramp = ramp_of(_i);
    const bool is_light = ramp == RAMP_SEQUENTIAL_LIGHT || ramp == RAMP_DIVERGING_LIGHT;
    for (int vision = 0; vision < VISIONS; vision++) {
        for (int level = 1; level < heat_levels(ramp); level++) {
            const double rise = lab_of(paper_at(_i, level), vision).lightness -
                                lab_of(paper_at(_i, level - 1), vision).lightness;
            const int further = distance_from_least(_i, level) - distance_from_least(_i, level - 1);
            ck_assert_double_ge((is_light ? -1 : 1) * further * rise, 1);
        }
    }
}
END_TEST

// Next to zero, a minus sign has to do in 256 colours.
START_TEST(the_two_signs_differ) {
    if (heat_levels(ramp_of(_i)) != DIVERGING_LEVELS) return;
    static const double least[] = {3, 15, 20, 25};
    for (int vision = 0; vision < VISIONS; vision++) {
        for (int size = 1; size <= DIVERGING_LEVELS / 2; size++) {
            const int zero = DIVERGING_LEVELS / 2;
            ck_assert_double_ge(
                distance(paper_at(_i, zero - size), paper_at(_i, zero + size), vision),
                least[size - 1]);
        }
    }
}
END_TEST

// The cube of six levels has few dark colours.
START_TEST(the_nearest_is_near) {
    for (int level = 0; level < heat_levels(ramp_of(_i)); level++) {
        const struct heat_tone paper = heat_pair(ramp_of(_i), level).paper;
        ck_assert_double_le(distance(rgb_number(paper.rgb), rgb_of_256(paper.nearest), EVERYONE),
                            25);
    }
}
END_TEST

Suite *heat_suite(void) {
    Suite *suite = suite_create("heat");
    TCase *tests = add_case(suite, "heat", NULL, NULL);
    tcase_add_loop_test(tests, every_number_is_readable, 0, ALL_RAMPS);
    tcase_add_loop_test(tests, lightness_keeps_the_order_of_the_levels, 0, ALL_RAMPS);
    tcase_add_loop_test(tests, the_two_signs_differ, 0, ALL_RAMPS);
    tcase_add_loop_test(tests, the_nearest_is_near, 1, ALL_RAMPS);
    return suite;
}
