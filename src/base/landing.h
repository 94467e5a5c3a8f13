#ifndef ONESTEP_BASE_LANDING_H
#define ONESTEP_BASE_LANDING_H

// Leaving functions from deep inside of them: what attempt() and fail() are made of (fail.h), and nobody
// else uses. WebAssembly has no setjmp, but exceptions (web/landing.s); there, a landing is no more than an
// address. And going deep into functions, for which a browser's stacks are too small.

#include <stdbool.h>

#ifdef __wasm__
struct landing {
    char mark;
};
#else
#include <setjmp.h> // defines: jmp_buf
struct landing {
    jmp_buf registers;
};
#endif

// Does action(context). Returns whether it came back, rather than call leave() with this landing.
bool comes_back(struct landing *landing, void (*action)(void *context), void *context);

// Ends the comes_back of this landing, which is still running, and all that it called.
_Noreturn void leave(struct landing *landing);

// Does action(context), which is one of a thousand calls that are inside of one another. In a browser a new
// stack follows one that is nearly full (web/web.c); elsewhere this is a call, and no more.
void call_on_stack(void (*action)(void *context), void *context);

#endif
