#ifndef ONESTEP_SCRIPT_PYTHON_NATIVE_H
#define ONESTEP_SCRIPT_PYTHON_NATIVE_H

// How the functions of Python's own library are written: `FUNCTION(name) { ... }`, as a row of a table names them. The
// result is None where nothing else is given. Functions that differ little are one, which asks for its row's name.

#include <string.h> // defines: strcmp

#include "script/inside.h"

#define UNUSED __attribute__((unused))
#define FUNCTION(name)                                                                             \
    static bool name(UNUSED struct machine *machine, UNUSED struct arguments *arguments,           \
                     UNUSED struct value *result)
#define ARGUMENT(i) (arguments->values[i])
#define IS_NAMED(text) (strcmp(arguments->row->name, text) == 0)

// Neither left out nor None.
static inline bool is_given(struct value value) {
    return value.kind != VALUE_ABSENT && value.kind != VALUE_NONE;
}

#endif
