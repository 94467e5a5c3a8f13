#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void keep_message(struct failure *failure, enum fail_status status, const char *format,
                         va_list arguments) {
    failure->status = status;
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
}

bool attempt(struct failure *failure, void (*action)(void *context), void *context) {
    if (setjmp(failure->place) != 0) {
        failure->is_armed = false;
        return false;
    }
    failure->is_armed = true;
    action(context);
    failure->is_armed = false;
    return true;
}

void fail(struct failure *failure, enum fail_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep_message(failure, status, format, arguments);
    va_end(arguments);
    if (!failure->is_armed) {
        fprintf(stderr, "onestep: %s\n", failure->message);
        abort();
    }
    longjmp(failure->place, 1);
}

bool refuse(struct failure *failure, enum fail_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep_message(failure, status, format, arguments);
    va_end(arguments);
    return false;
}
