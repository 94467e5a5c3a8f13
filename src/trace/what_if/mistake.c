#include "trace/what_if/mistake.h"

#include <string.h>

const struct mistake *find_mistake(const char *name) {
    for (int i = 0; i < mistake_total; i++) {
        if (strcmp(mistake_table[i].name, name) == 0) return &mistake_table[i];
    }
    return NULL;
}

bool exclude_each_other(const struct mistake *a, const struct mistake *b) {
    return a != b && a->changes != NULL && b->changes != NULL &&
           strcmp(a->changes, b->changes) == 0;
}

int mistake_number(const struct mistake *mistake) {
    return (int)(mistake - mistake_table);
}

// Would the heads that the lesson has, or was given, divide the width?
static bool fits_heads(const struct lesson *lesson, const struct parameters *chosen,
                       int64_t width) {
    const int64_t heads = chosen->given & USES_HEADS ? chosen->heads : lesson->defaults.heads;
    return !lesson->splits_heads || width % heads == 0;
}

struct parameters showing_parameters(const struct lesson *lesson, const struct parameters *chosen,
                                     const struct mistake *mistake) {
    uint64_t added = mistake->showing.given & lesson->uses & ~chosen->given;
    if (!fits_heads(lesson, chosen, mistake->showing.d_out)) added &= ~(uint64_t)USES_D_OUT;
    struct parameters result = overlaid(chosen, &mistake->showing, added);
    result.given = chosen->given | added;
    return result;
}
