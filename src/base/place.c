#include "base/place.h"

// Nothing else is done where setjmp is called, so that no compiler can mistake what it may keep in a
// register.
bool comes_back(struct place *place, void (*action)(void *context), void *context) {
    if (setjmp(place->registers) != 0) return false;
    action(context);
    return true;
}

void leave(struct place *place) {
    longjmp(place->registers, 1);
}

void call_on_stack(void (*action)(void *context), void *context) {
    action(context);
}
