#ifndef ONESTEP_BASE_PLACE_H
#define ONESTEP_BASE_PLACE_H

// Leaving functions from deep inside of them: what attempt() and fail() are made of (fail.h), and nobody
// else uses. WebAssembly knows no setjmp; there, the script around the program does the same with an
// exception of its own (web/web.c), and a place is no more than an address.

#include <stdbool.h>

#ifdef __wasm__
struct place {
    char mark;
};
#else
#include <setjmp.h> // defines: jmp_buf
struct place {
    jmp_buf registers;
};
#endif

// Does action(context). Returns whether it came back, rather than call leave() with this place.
bool comes_back(struct place *place, void (*action)(void *context), void *context);

// Ends the comes_back of this place, which is still running, and all that it called.
_Noreturn void leave(struct place *place);

#endif
