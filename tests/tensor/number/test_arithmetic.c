// Is a flaw of the arithmetic noticed? (tests/hostile.sh builds programs that have one.)

#include "fixture.h"
#include "tensor/number/arithmetic.h"

#include <check.h> // last: defines a macro fail

#ifdef __SSE__
#include <xmmintrin.h>
#endif

START_TEST(this_arithmetic_is_right) {
    ck_assert_pstr_eq(wrong_arithmetic(), NULL);
}
END_TEST

START_TEST(flushed_denormals_are_seen) {
#ifdef __SSE__
    enum { FLUSH_RESULTS = 1 << 15, DENORMALS_ARE_ZEROS = 1 << 6 };
    const unsigned usual = _mm_getcsr();
    static const unsigned changes[] = {FLUSH_RESULTS, DENORMALS_ARE_ZEROS,
                                       FLUSH_RESULTS | DENORMALS_ARE_ZEROS};
    _mm_setcsr(usual | changes[_i]);
    const char *wrong = wrong_arithmetic();
    _mm_setcsr(usual);
    ck_assert_pstr_eq(wrong, "takes numbers below 1.2e-38 for 0");
#endif
}
END_TEST

Suite *arithmetic_suite(void) {
    Suite *suite = suite_create("arithmetic");
    TCase *tests = add_case(suite, "arithmetic", NULL, NULL);
    tcase_add_test(tests, this_arithmetic_is_right);
    tcase_add_loop_test(tests, flushed_denormals_are_seen, 0, 3);
    return suite;
}
