#include "trace/what_if/changed_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"

// Lines of the file, from 1, and what stands in their place.
struct edit {
    int first, last;
    const char *code;
    int lines; // of the code
};

static int lines_of(const char *text) {
    int count = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) count++;
    return count;
}

// The statement of a step begins with the lines without tensors that stand before it: those that stayed as they were are
// not said twice.
static const char *without_lines_before(const struct step *step, const char *code) {
    const size_t length = strlen(step->excerpt->text), all = strlen(step->statement) + 1;
    const size_t before = all > length ? all - length : 0;
    return strncmp(code, step->statement, before) == 0 ? code + before : code;
}

static struct edit edit_of(const struct run *right, const struct changed_line *line,
                           struct failure *failure) {
    const struct step *step = find_step(right, line->step, failure);
    const char *code = without_lines_before(step, line->code);
    if (strncmp(step->paragraph->file, "torch/", 6) == 0)
        fail(failure, FAIL_USAGE, "this line is PyTorch's own: it cannot be changed");
    return (struct edit){step->excerpt->first_line, step->excerpt->last_line, code, lines_of(code)};
}

static int later_first(const void *a, const void *b) {
    return ((const struct edit *)b)->first - ((const struct edit *)a)->first;
}

// The last line in the file comes first, so that the others keep their numbers. Of one statement the last change counts.
static int edits_of(struct edit *edits, const struct run *right, const struct changed_lines *lines,
                    struct failure *failure) {
    int count = 0;
    for (int i = 0; i < lines->count; i++) {
        if (strcmp(lines->all[i].lesson, right->lesson->name) != 0) continue;
        const struct edit edit = edit_of(right, &lines->all[i], failure);
        int at = 0;
        while (at < count && edits[at].first != edit.first) at++;
        edits[at] = edit;
        count += at == count;
    }
    qsort(edits, (size_t)count, sizeof *edits, later_first);
    return count;
}

static bool is_of_edit(const struct step *step, const struct edit *edits, int count) {
    if (*step->statement == '\0' || strncmp(step->paragraph->file, "torch/", 6) == 0) return false;
    int shift = 0;
    for (int i = count - 1; i >= 0; i--) {
        const int first = edits[i].first + shift;
        if (step->excerpt->first_line >= first &&
            step->excerpt->first_line < first + edits[i].lines)
            return true;
        shift += edits[i].lines - (edits[i].last - edits[i].first + 1);
    }
    return false;
}

static void align(struct run *aligned, struct arena *arena, const struct run *run,
                  const struct run *right) {
    *aligned = *run;
    aligned->steps = arena_array(arena, (size_t)run->step_count, sizeof *aligned->steps);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const struct step *same = step_called(right, step_label(arena, step));
        aligned->steps[i] = same != NULL ? *same : *step;
        aligned->steps[i].number = step->number;
        aligned->steps[i].within = step->within;
    }
}

void run_changed_program(struct run *run, struct run *aligned, bool **is_changed,
                         struct arena *arena, const struct run *right,
                         const struct changed_lines *lines) {
    struct edit *edits = arena_array(arena, (size_t)lines->count, sizeof *edits);
    const int count = edits_of(edits, right, lines, arena->failure);
    const struct lesson *lesson = right->lesson;
    for (int i = 0; i < count; i++)
        lesson = lesson->with_lines(arena, lesson, edits[i].first, edits[i].last, edits[i].code);
    run_lesson(run, arena, lesson, &right->parameters);
    align(aligned, arena, run, right);
    *is_changed = arena_array(arena, (size_t)run->step_count, sizeof **is_changed);
    for (int i = 0; i < run->step_count; i++)
        (*is_changed)[i] = is_of_edit(&run->steps[i], edits, count);
}
