// The test program: `tests FLOOR` runs all suites of one floor, `tests trace/what_if/mistake` the one in
// tests/trace/what_if/test_mistake.c. It speaks TAP, so that meson counts every single check. Which suites there are,
// tests/meson.build says; it writes suites.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "suites.h" // defines: SUITES, a list of SUITE(floor, path, name)

#include <check.h> // last: defines a macro fail

#define SUITE(floor, path, name) Suite *name##_suite(void);
SUITES
#undef SUITE

// A sanitizer would end the program where the C library says that there is no memory. The environment's
// ASAN_OPTIONS count more.
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

static const struct {
    const char *floor, *path;
    Suite *(*suite)(void);
} table[] = {
#define SUITE(floor, path, name) {#floor, #floor "/" #path, name##_suite},
    SUITES
#undef SUITE
};

// Of all suites of a floor, or of the one of this path; NULL: there is none.
static SRunner *runner_of(const char *wanted) {
    SRunner *runner = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].floor, wanted) != 0 && strcmp(table[i].path, wanted) != 0) continue;
        if (runner == NULL)
            runner = srunner_create(table[i].suite());
        else
            srunner_add_suite(runner, table[i].suite());
    }
    return runner;
}

int main(int argc, char **argv) {
    // A test that takes too long hangs. How fast the machine is, and what else it does, nobody knows here: a sanitizer, an
    // emulated processor and a busy machine get four times what the test needs on a quiet one.
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    setenv("CK_TIMEOUT_MULTIPLIER", "4", 0);
    if (argc == 2 && strcmp(argv[1], "terminal") == 0 && !has_terminals()) {
        puts("1..0 # SKIP no pseudo-terminals here: /dev/pts is not mounted");
        return EXIT_SUCCESS;
    }
    SRunner *runner = argc == 2 ? runner_of(argv[1]) : NULL;
    if (runner == NULL) {
        fputs("usage: tests FLOOR (base, tensor, trace, script, lessons, show, walk, app or "
              "terminal)\n"
              "       tests FLOOR/ROOM/NAME, for one file: trace/what_if/mistake\n",
              stderr);
        return 2;
    }
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    printf("# %s: %d checks, %d failed\n", argv[1], srunner_ntests_run(runner), failed);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
