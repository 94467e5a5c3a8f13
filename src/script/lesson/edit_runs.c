#include "script/lesson/edit_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/operation/operation.h" // defines: work_performed
#include "tensor/operation/tolerance.h"

// Of one edit: how many nodes of its program are evaluated, as a multiple of those of the right one, and of this.
enum { MOST_TIMES = 4, MOST_OF_RIGHT = 200000 };
// In units of work_performed(): an edit takes as long as EACH, and a node that is evaluated as NODE of them.
enum { EACH = 50000, NODE = 500 };

struct edit_runs *begin_edit_runs(struct arena *arena, const struct run *run,
                                  const struct step *step) {
    const struct edit no_edit = {.text = ""};
    struct edit_runs *runs = arena_allocate(arena, sizeof *runs);
    const int number = (int)(step - run->steps);
    *runs = (struct edit_runs){.arena = arena, .lines = lines_of_lesson(arena, run, number)};
    runs->rehearsal = begin_rehearsal(arena, run, number);
    int64_t nodes;
    play_edit(runs->rehearsal, arena, &runs->lines, &no_edit, MOST_OF_RIGHT, &nodes);
    runs->most = MOST_TIMES * nodes;
    return runs;
}

struct tensor tensor_with(struct edit_runs *runs, struct arena *arena, const struct edit *edit) {
    int64_t nodes;
    const int64_t before = work_performed();
    const struct tensor tensor =
        play_edit(runs->rehearsal, arena, &runs->lines, edit, runs->most, &nodes);
    runs->work += EACH + NODE * nodes + work_performed() - before;
    return tensor;
}

void end_edit_runs(struct edit_runs *runs) {
    end_rehearsal(runs->rehearsal);
}

struct tensor tensor_with_mistake(struct arena *arena, const struct run *run,
                                  const struct step *step, const char *mistake) {
    struct run edited;
    int64_t nodes;
    if (!make_in_lines(&edited, arena, run, mistake)) return NO_TENSOR;
    struct rehearsal *rehearsal = begin_rehearsal(arena, run, (int)(step - run->steps));
    const struct tensor tensor =
        rehearse(rehearsal, arena, &edited, MOST_TIMES * MOST_OF_RIGHT, &nodes);
    end_rehearsal(rehearsal);
    return tensor;
}

// With FEW updates in the place of those in the setup; false where they do not stand there.
static bool shorten(struct edit *few, const struct edit_runs *runs, const struct edit *edit) {
    static const char line[] = "\nupdates = ";
    const struct lesson_lines *lines = &runs->lines;
    const struct tensor *losses = &lines->run->steps[lines->step].tensor;
    const int64_t count = count_of(shape_of(losses));
    const char *at = strstr(lines->source, line);
    if (at == NULL || count != atoi(at + strlen(line)) + 1) return false;
    const size_t start = (size_t)(at - lines->source) + strlen(line);
    const size_t end = start + strspn(lines->source + start, "0123456789");
    if (start >= lines->starts[0] || edit->start <= end) return false;
    *few = (struct edit){.start = start, .end = end, .text = "4", .also = edit};
    return true;
}

bool begins_otherwise(struct edit_runs *runs, const struct edit *edit, const double *numbers,
                      const double *allowed) {
    static const double NEAR = 1e-3;
    enum { FEW = 4 };
    const struct lesson_lines *lines = &runs->lines;
    struct edit few;
    if (!lines->run->lesson->trains ||
        count_of(shape_of(&lines->run->steps[lines->step].tensor)) <= FEW + 1 ||
        !shorten(&few, runs, edit))
        return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, runs->arena->failure);
    const struct tensor losses = tensor_with(runs, m, &few);
    bool is_near = is_tensor(&losses) && count_of(shape_of(&losses)) == FEW + 1;
    for (int i = 0; i <= FEW && is_near; i++) {
        const double loss = element_at(&losses, i);
        is_near = agree(numbers[i], loss, 4 * allowed[i] + NEAR * fabs(loss));
    }
    scratch_close(&scratch);
    return !is_near;
}
