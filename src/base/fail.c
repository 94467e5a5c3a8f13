#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Attempts -----------------------------------------------------------------------------------

bool attempt(struct failure *failure, void (*action)(void *context), void *context) {
    struct landing landing;
    struct landing *const outer_landing = failure->landing;
    struct cleanup *const outer_cleanups = failure->cleanups;
    failure->landing = &landing;
    failure->cleanups = NULL;
    const bool is_done = comes_back(&landing, action, context);
    failure->landing = outer_landing;
    failure->cleanups = outer_cleanups;
    return is_done;
}

// ---- Failing ------------------------------------------------------------------------------------

// A message that had to be cut ends with a whole character and an ellipsis.
static void end_with_ellipsis(char *message, size_t size) {
    static const char ellipsis[] = "…";
    size_t end = size - sizeof ellipsis;
    while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80) end--;
    memcpy(message + end, ellipsis, sizeof ellipsis);
}

void fail(struct failure *failure, enum fail_status status, const char *format, ...) {
    const size_t size = sizeof failure->message;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(failure->message, size, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= size) end_with_ellipsis(failure->message, size);
    failure->status = status;
    if (failure->landing == NULL) {
        fprintf(stderr, "onestep: %s\n", failure->message);
        abort();
    }
    while (failure->cleanups != NULL) cleanup_close(failure->cleanups);
    leave(failure->landing);
}

bool attempt_input(struct failure *failure, void (*action)(void *context), void *context) {
    if (attempt(failure, action, context)) return true;
    if (failure->status == FAIL_RUNTIME) {
        char message[sizeof failure->message];
        memcpy(message, failure->message, sizeof message);
        fail(failure, FAIL_RUNTIME, "%s", message);
    }
    return false;
}

// ---- Cleaning up --------------------------------------------------------------------------------

void cleanup_open(struct cleanup *cleanup, struct failure *failure, void (*action)(void *context),
                  void *context) {
    *cleanup = (struct cleanup){failure, action, context, failure->cleanups};
    failure->cleanups = cleanup;
}

void cleanup_close(struct cleanup *cleanup) {
    cleanup->failure->cleanups = cleanup->next;
    cleanup->action(cleanup->context);
}
