#include "trace/run/step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/operation.h"

const char *step_label(struct arena *arena, const struct step *step) {
    if (step->group == NULL) return step->name;
    return arena_format(arena, "%s: %s", step->group, step->name);
}

const char *step_pytorch(struct arena *arena, const struct step *step) {
    if (*step->statement == '\0') return step->expression;
    if (strcmp(step->expression, step->name) == 0) return step->statement;
    return arena_format(arena, "%s\n%s", step->statement, step->expression);
}

// Where a paragraph is run anew, in a loop, its first step comes again.
bool continues_paragraph(const struct run *run, const struct step *step) {
    if (step->number == 1) return false;
    const struct step *before = &run->steps[step->number - 2];
    return before->paragraph == step->paragraph && before->excerpt <= step->excerpt &&
           are_in_one_group(before, step);
}

const struct step *call_around(const struct run *run, const struct step *step) {
    return step->within > 0 ? &run->steps[step->within - 1] : NULL;
}

int depth_in_calls(const struct run *run, const struct step *step) {
    int depth = 0;
    while ((step = call_around(run, step)) != NULL) depth++;
    return depth;
}

const struct step *computed_in_call(const struct run *run, const struct step *step) {
    const struct step *first = step_showing(run, &step->tensor, 0), *outer = first;
    while (outer != NULL && outer->number < step->number && outer->within != step->within)
        outer = call_around(run, outer);
    const bool is_inside = outer != NULL && outer != first && outer->number <= step->number &&
                           outer->paragraph == step->paragraph;
    return is_inside ? first : NULL;
}

const struct step *weights_beside(const struct run *run, const struct step *step) {
    const bool is_second = continues_paragraph(run, step);
    const struct step *other = is_second ? step - 1 : step + 1;
    const struct step *end = run->steps + run->step_count,
                      *behind = is_second ? step + 1 : step + 2;
    if (other >= end || !continues_paragraph(run, is_second ? step : other) ||
        (is_second && continues_paragraph(run, other)) ||
        (behind < end && continues_paragraph(run, behind)))
        return NULL;
    const struct operation *operation = step->tensor.storage->origin->operation;
    const bool is_alike = other->tensor.storage->origin->operation == operation &&
                          shapes_equal(shape_of(&step->tensor), shape_of(&other->tensor));
    return is_alike && operation->parts_of_line > 0 ? other : NULL;
}

static bool is_number(const char *wanted) {
    return *wanted != '\0' && strspn(wanted, "0123456789") == strlen(wanted);
}

static int place_by_number(const struct run *run, const char *wanted) {
    const long number = strlen(wanted) < 9 ? strtol(wanted, NULL, 10) : 0;
    return number >= 1 && number <= run->step_count ? (int)number - 1 : -1;
}

// "GROUP: NAME" in two. Without a colon there is no group (-1), only a name.
static const char *split_group(const char *wanted, int *group_length) {
    const char *colon = strchr(wanted, ':');
    *group_length = colon != NULL ? (int)(colon - wanted) : -1;
    return colon != NULL ? colon + 1 + strspn(colon + 1, " ") : wanted;
}

static bool is_in_group(const struct step *step, const char *group, int length) {
    if (step->group == NULL || length < 0) return step->group == NULL && length < 0;
    return strlen(step->group) == (size_t)length &&
           strncmp(step->group, group, (size_t)length) == 0;
}

static int count_bearers(const struct run *run, const char *name) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) count += strcmp(run->steps[i].name, name) == 0;
    return count;
}

// A name may hold a colon itself: "f: x[:, 0]".
static bool is_label(const struct step *step, const char *wanted) {
    const char *name = wanted;
    if (step->group != NULL) {
        const size_t length = strlen(step->group);
        if (strncmp(step->group, wanted, length) != 0 || wanted[length] != ':') return false;
        name += length + 1;
        name += strspn(name, " ");
    }
    return strcmp(step->name, name) == 0;
}

// Where the step that step_called() looks for stands in the run; -1 if there is none.
static int place_called(const struct run *run, const char *wanted) {
    if (is_number(wanted)) return place_by_number(run, wanted);
    for (int i = 0; i < run->step_count; i++)
        if (is_label(&run->steps[i], wanted)) return i;
    int group_length;
    const char *name = split_group(wanted, &group_length);
    const bool is_enough = group_length < 0 && count_bearers(run, name) == 1;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (strcmp(step->name, name) != 0) continue;
        if (is_enough || is_in_group(step, wanted, group_length)) return i;
    }
    return -1;
}

const struct step *first_named(const struct run *run, const char *name) {
    for (int i = 0; i < run->step_count; i++) {
        if (strcmp(run->steps[i].name, name) == 0) return &run->steps[i];
    }
    return NULL;
}

const struct step *step_called(const struct run *run, const char *wanted) {
    const int position = place_called(run, wanted);
    return position >= 0 ? &run->steps[position] : NULL;
}

// Labels of the steps called `name`, with commas between.
static const char *list_bearers(struct arena *arena, const struct run *run, const char *name) {
    struct text text = text_new(arena);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (strcmp(step->name, name) != 0) continue;
        text_add_format(&text, "%s%s", text.length > 0 ? ", " : "", step_label(arena, step));
    }
    return text.bytes;
}

const struct step *find_step(const struct run *run, const char *wanted, struct failure *failure) {
    const int position = place_called(run, wanted);
    if (position >= 0) return &run->steps[position];
    const char *lesson = run->lesson->name;
    if (is_number(wanted))
        fail(failure, FAIL_USAGE, "%s has steps 1 ... %d, no step %s", lesson, run->step_count,
             wanted);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    if (strchr(wanted, ':') == NULL && count_bearers(run, wanted) > 1)
        fail(failure, FAIL_USAGE, "%s has more than one step '%s': choose one of '%s'", lesson,
             wanted, list_bearers(m, run, wanted));
    fail(failure, FAIL_USAGE, "%s has no step '%s'; see 'onestep list' for the names", lesson,
         text_safe(m, wanted));
}

const struct step *step_showing(const struct run *run, const struct tensor *tensor, int before) {
    const struct step *found = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (found != NULL && step->number >= before) break;
        if (step->tensor.storage == tensor->storage) found = step;
    }
    return found;
}

const struct step *step_of_cell(const struct run *run, const struct cell *cell, int before,
                                struct cell *found) {
    const struct step *nearest = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (nearest != NULL && step->number >= before) break;
        if (cell_in_view(&step->tensor, cell, found)) nearest = step;
    }
    return nearest;
}

bool shows_view(const struct run *run, const struct step *step) {
    const struct step *earlier = step_showing(run, &step->tensor, step->number);
    return earlier != NULL && earlier->number < step->number;
}

bool stands_upright(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    if (tensor->ndim != 1 || origin->operand_count != 1 || !is_contiguous(tensor)) return false;
    const struct tensor *of = &origin->operands[0];
    if (of->ndim != 2 || of->shape[0] != tensor->shape[0]) return false;
    const char *axis = axis_name(tensor, 0), *rows = axis_name(of, 0), *columns = axis_name(of, 1);
    if (axis == NULL || rows == NULL || columns == NULL) return false;
    return strcmp(axis, rows) == 0 && strcmp(axis, columns) != 0;
}
