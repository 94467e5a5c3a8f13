#include "app/statements.h"

#include <math.h>
#include <string.h>

#include "lessons.h"
#include "script/lesson/statements.h"

// Any nan is any other.
static bool same_bits(const struct tensor *a, const struct tensor *b) {
    if (a->storage->dtype != b->storage->dtype || !shapes_equal(shape_of(a), shape_of(b)))
        return false;
    for (int64_t i = 0; i < count_of(shape_of(a)); i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

// How many steps of the lesson its program gives; says it if these are not all.
static int right_steps(struct text *text, struct arena *arena, const struct run *run) {
    const size_t count = (size_t)run->step_count;
    struct line_outcome *outcomes = arena_array(arena, count, sizeof *outcomes);
    play_statements(outcomes, arena, run, run, NULL);
    int right = 0;
    const char *failure = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor *tensor = &outcomes[i].tensor;
        right += is_tensor(tensor) && same_bits(tensor, &run->steps[i].tensor);
        if (failure == NULL) failure = outcomes[i].failure;
    }
    if (right < run->step_count)
        text_add_format(text, "different: statements of %s: %d of %d steps%s%s\n",
                        run->lesson->name, run->step_count - right, run->step_count,
                        failure != NULL ? "; " : "",
                        failure != NULL ? text_safe(arena, failure) : "");
    return right;
}

bool add_statements(struct text *text) {
    int steps = 0, right = 0;
    for (int i = 0; i < lesson_count; i++) {
        struct scratch scratch;
        struct arena *arena = scratch_open(&scratch, text->arena->failure);
        struct run run;
        run_lesson(&run, arena, lesson_table[i], &(struct parameters){0});
        steps += run.step_count;
        right += right_steps(text, arena, &run);
        scratch_close(&scratch);
    }
    text_add_format(
        text, "Lines of PyTorch, run in onestep's own Python: %d of %d steps have their bits.\n",
        right, steps);
    return right == steps;
}
