#ifndef ONESTEP_BASE_FAIL_H
#define ONESTEP_BASE_FAIL_H

// Failing with a message: the one way in which what cannot be done is left undone.
//
// A function that cannot do what it says calls fail(), which does not come back: it leaves for the
// innermost attempt(), and that returns false with the message in hand. So no function returns false
// "with the reason elsewhere", and nobody hands on what he did not ask for: only attempt() comes back
// from a failure. Whoever can go on without what failed (the walker, which shows the message and keeps
// the run that it has) attempts it; everybody else just calls. What no attempt took care of ends the
// command: main() says it and knows the exit status.
//
// All memory of such work lives in an arena of those who started it, or in a scratch (arena.h), which a
// failure frees on the way; so nothing leaks.

#include <stdbool.h>

#include "base/place.h"

// Whose failure it is, and what the program makes of it in the end.
enum fail_status {
    FAIL_RUNTIME, // the machine's: out of memory, a write that failed. Exit status 1
    FAIL_USAGE,   // the user's: a parameter that cannot be. Exit status 2, and a hint at --help
    FAIL_INPUT,   // the user's: a file or a terminal that is not what it should be. Exit status 2
};

// What a failure has to undo on its way out: action(context).
struct cleanup {
    struct failure *failure;
    void (*action)(void *context);
    void *context;
    struct cleanup *next;
};

// Where failures of one attempt go, and the last message. Zero-initialise it.
struct failure {
    struct place *place;      // of the innermost attempt; NULL outside of any
    struct cleanup *cleanups; // of the innermost attempt
    enum fail_status status;
    char message[512]; // one line, no newline at its end, cut if longer
};

// Runs action(context). Returns true if it came back, false if it called fail(); then `status` and
// `message` say why. Attempts may nest: a failure ends the innermost.
bool attempt(struct failure *failure, void (*action)(void *context), void *context);

// Writes the message (printf's format) and leaves the running attempt(). Called outside of one, that
// is our own mistake: it prints the message on standard error and aborts.
_Noreturn void fail(struct failure *failure, enum fail_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// From cleanup_open on, a failure of the running attempt does action(context) on its way out;
// cleanup_close does it where all went well. Of several at once, the last one opened is the first one
// closed, and the first one that a failure undoes.
void cleanup_open(struct cleanup *cleanup, struct failure *failure, void (*action)(void *context),
                  void *context);
void cleanup_close(struct cleanup *cleanup);

#endif
