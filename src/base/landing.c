#include "base/landing.h"

// Nothing else is done where setjmp is called, so that no compiler can mistake what it may keep in a
// register.
bool comes_back(struct landing *landing, void (*action)(void *context), void *context) {
    if (setjmp(landing->registers) != 0) return false;
    action(context);
    return true;
}

void leave(struct landing *landing) {
    longjmp(landing->registers, 1);
}

void call_on_stack(void (*action)(void *context), void *context) {
    action(context);
}
