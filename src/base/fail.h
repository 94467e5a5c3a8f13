#ifndef ONESTEP_BASE_FAIL_H
#define ONESTEP_BASE_FAIL_H

// Failing with a message. Code deep inside an operation has nothing sensible to return when shapes do
// not fit or memory ends; it calls fail(), and attempt(), which started the work, returns false with
// the message in hand. All memory of such work lives in an arena of those who started it, or in a
// scratch (arena.h), which a failure frees on the way; so nothing leaks.

#include <setjmp.h> // defines: jmp_buf
#include <stdbool.h>

// What a failure means for the program's exit status.
enum fail_status {
    FAIL_RUNTIME = 1, // the machine's: out of memory, a write that failed
    FAIL_USAGE = 2,   // the user's: a parameter that cannot be
    FAIL_INPUT = 3,   // the user's: a file that cannot be read as what it should be
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
    jmp_buf *place;           // of the innermost attempt; NULL outside of any
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

// Fails again with the message that an attempt left behind.
_Noreturn void fail_again(struct failure *failure);

// Puts the message into the failure without leaving, for callers that return false themselves.
// Always returns false.
bool refuse(struct failure *failure, enum fail_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// From cleanup_open on, a failure of the running attempt does action(context) on its way out;
// cleanup_close does it where all went well. Of several at once, the last one opened is the first one
// closed, and the first one that a failure undoes.
void cleanup_open(struct cleanup *cleanup, struct failure *failure, void (*action)(void *context),
                  void *context);
void cleanup_close(struct cleanup *cleanup);

#endif
