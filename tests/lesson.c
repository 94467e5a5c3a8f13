#include "lesson.h"

#include <string.h>

#include <check.h> // last: defines a macro fail

int lesson_number(const char *name) {
    for (int i = 0; i < lesson_count; i++) {
        if (strcmp(lesson_table[i]->name, name) == 0) return i;
    }
    ck_abort_msg("no lesson %s", name);
}

const struct lesson *lesson_called(const char *name) {
    return lesson_table[lesson_number(name)];
}
