#ifndef ONESTEP_TESTS_EXPECT_H
#define ONESTEP_TESTS_EXPECT_H

// ck_assert_msg for inner loops. Check takes a note of every assertion, which costs some microseconds;
// this one says nothing as long as it holds. Include it after check.h.
#define expect(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) ck_abort_msg(__VA_ARGS__);                                               \
    } while (0)

#endif
