#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A message that had to be cut ends with a whole character and an ellipsis.
static void end_with_ellipsis(char *message, size_t size) {
    static const char ellipsis[] = "…";
    size_t end = size - sizeof ellipsis;
    while (end > 0 && ((unsigned char)message[end] & 0xC0) == 0x80) end--;
    memcpy(message + end, ellipsis, sizeof ellipsis);
}

static void keep_message(struct failure *failure, enum fail_status status, const char *format,
                         va_list arguments) {
    const size_t size = sizeof failure->message;
    failure->status = status;
    const int length = vsnprintf(failure->message, size, format, arguments);
    if (length >= 0 && (size_t)length >= size) end_with_ellipsis(failure->message, size);
}

bool attempt(struct failure *failure, void (*action)(void *context), void *context) {
    jmp_buf outer;
    const bool has_outer = failure->is_armed;
    struct cleanup *const outer_cleanups = failure->cleanups;
    failure->cleanups = NULL;
    memcpy(&outer, &failure->place, sizeof outer);
    volatile bool is_done = false;
    if (setjmp(failure->place) == 0) {
        failure->is_armed = true;
        action(context);
        is_done = true;
    }
    memcpy(&failure->place, &outer, sizeof outer);
    failure->is_armed = has_outer;
    failure->cleanups = outer_cleanups;
    return is_done;
}

void fail_again(struct failure *failure) {
    if (!failure->is_armed) {
        fprintf(stderr, "onestep: %s\n", failure->message);
        abort();
    }
    while (failure->cleanups != NULL) {
        const struct cleanup *cleanup = failure->cleanups;
        failure->cleanups = cleanup->next;
        cleanup->action(cleanup->context);
    }
    longjmp(failure->place, 1);
}

void fail(struct failure *failure, enum fail_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep_message(failure, status, format, arguments);
    va_end(arguments);
    fail_again(failure);
}

bool refuse(struct failure *failure, enum fail_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep_message(failure, status, format, arguments);
    va_end(arguments);
    return false;
}
