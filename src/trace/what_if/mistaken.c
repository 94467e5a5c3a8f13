#include "trace/what_if/mistaken.h"

#include <string.h>

// One after the other, in the order of `order`.
static int make_in_order(struct run *edited, struct arena *arena,
                         const struct interpreter *interpreter, const struct run *right,
                         const struct mistake *const *mistakes, int count, const int *order,
                         bool *is_made) {
    int made = 0;
    *edited = *right;
    for (int i = 0; i < count; i++) {
        const char *name = mistakes[order[i]]->name;
        is_made[order[i]] = interpreter->make_mistake(edited, arena, edited, name);
        made += is_made[order[i]];
    }
    return made;
}

int make_mistakes(struct run *edited, bool *is_made, struct arena *arena,
                  const struct interpreter *interpreter, const struct run *right,
                  const struct mistake *const *mistakes, int count) {
    int order[2][MOST_MISTAKES] = {0}, next = 0;
    bool is_made_otherwise[MOST_MISTAKES];
    struct run otherwise;
    *edited = *right;
    if (interpreter == NULL || right->lesson->with_lines != NULL) return 0;
    for (int i = 0; i < count; i++) order[0][i] = i;
    const int made =
        make_in_order(edited, arena, interpreter, right, mistakes, count, order[0], is_made);
    if (made == 0 || made == count) return made;
    for (int turn = 0; turn < 2; turn++) // first those that found their lines changed
        for (int i = 0; i < count; i++)
            if (is_made[i] == (turn == 1)) order[1][next++] = i;
    const int others = make_in_order(&otherwise, arena, interpreter, right, mistakes, count,
                                     order[1], is_made_otherwise);
    if (others <= made) return made;
    *edited = otherwise;
    memcpy(is_made, is_made_otherwise, (size_t)count * sizeof *is_made);
    return others;
}

bool has_other_line(const struct run *right, const struct run *edited, int i) {
    return strcmp(edited->steps[i].statement, right->steps[i].statement) != 0;
}

bool is_none(const struct line_outcome *outcome) {
    return !is_tensor(&outcome->tensor) && strstr(outcome->failure, ": NoneType") != NULL;
}

bool is_long(const struct run *right) {
    enum { MOST_NUMBERS = 10000000 };
    int64_t count = 0;
    for (int i = 0; i < right->step_count; i++)
        count += count_of(shape_of(&right->steps[i].tensor));
    return count > MOST_NUMBERS;
}
