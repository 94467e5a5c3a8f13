#ifndef ONESTEP_BASE_FAIL_H
#define ONESTEP_BASE_FAIL_H

// Failing with a message: the only way in which a function says that it could not do its work.
//
// A function that cannot do what it says calls fail(), which does not come back: it leaves for the
// innermost attempt(), and that returns false with the message in hand. So no function
// returns an error, and no caller passes one on: only attempt() returns after a failure. A caller that can
// continue without the result (the walker, which shows the message and keeps its run) uses attempt(); all
// others call directly. A failure outside of any attempt ends the command: main() prints the message and
// sets the exit status.
//
// All memory of such work lives in an arena of those who started it, or in a scratch (arena.h), which a
// failure frees on the way; so nothing leaks.

#include <stdbool.h>

#include "base/landing.h"

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
    struct landing *landing;  // of the innermost attempt; NULL outside of any
    struct cleanup *cleanups; // of the innermost attempt
    enum fail_status status;
    char message[512]; // one line, no newline at its end, cut if longer
};

// Runs action(context). Returns true if it came back, false if it called fail(); then `status` and
// `message` say why. Attempts may nest: a failure ends the innermost.
bool attempt(struct failure *failure, void (*action)(void *context), void *context);

// Like attempt(), but passes on a failure of the machine: what is left is the user's.
bool attempt_input(struct failure *failure, void (*action)(void *context), void *context);

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
