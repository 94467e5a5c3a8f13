#include "fixture.h"

#include <check.h> // last: defines a macro fail

struct failure failure;
struct arena arena;

void set_up_arena(void) {
    arena = arena_new(&failure);
}

void tear_down_arena(void) {
    arena_free(&arena);
}

TCase *add_case(Suite *suite, const char *name, void (*set_up)(void), void (*tear_down)(void)) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}
