#include "trace/step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *step_label(struct arena *arena, const struct step *step) {
    if (step->group == NULL) return step->name;
    return arena_format(arena, "%s: %s", step->group, step->name);
}

const char *step_pytorch(struct arena *arena, const struct step *step) {
    if (*step->statement == '\0') return step->expression;
    if (strcmp(step->expression, step->name) == 0) return step->statement;
    return arena_format(arena, "%s\n%s", step->statement, step->expression);
}

static bool equal_groups(const char *a, const char *b) {
    if (a == NULL || b == NULL) return a == b;
    return strcmp(a, b) == 0;
}

// Where a paragraph is run anew, in a loop, its first step comes again.
bool continues_paragraph(const struct run *run, const struct step *step) {
    if (step->number == 1) return false;
    const struct step *before = &run->steps[step->number - 2];
    return before->paragraph == step->paragraph && before->excerpt <= step->excerpt &&
           equal_groups(before->group, step->group);
}

static const struct step *step_by_number(const struct run *run, const char *wanted,
                                         struct failure *failure) {
    const long number = strlen(wanted) < 9 ? strtol(wanted, NULL, 10) : 0;
    if (number >= 1 && number <= run->step_count) return &run->steps[number - 1];
    refuse(failure, FAIL_USAGE, "%s has steps 1 ... %d, no step %s", run->lesson->name,
           run->step_count, wanted);
    return NULL;
}

// The step called `name` in a group; group NULL: without one.
static const struct step *step_in_group(const struct run *run, const char *group,
                                        const char *name) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (strcmp(step->name, name) == 0 && equal_groups(step->group, group)) return step;
    }
    return NULL;
}

// "GROUP: NAME" in two; NULL if there is no colon.
static const char *split_group(struct arena *arena, const char *wanted, const char **name) {
    const char *colon = strchr(wanted, ':');
    if (colon == NULL) return NULL;
    *name = colon + 1 + strspn(colon + 1, " ");
    return arena_copy_bytes(arena, wanted, (size_t)(colon - wanted));
}

// Labels of all steps, or of those called `name`, with commas between.
static const char *list_steps(struct arena *arena, const struct run *run, const char *name) {
    struct text text = text_new(arena);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (name != NULL && strcmp(step->name, name) != 0) continue;
        if (text.length > 0) text_add(&text, name != NULL ? ", " : " ");
        text_add(&text, name != NULL ? step_label(arena, step) : step->name);
    }
    return text.length > 0 ? text.bytes : "";
}

static const struct step *step_by_name(struct arena *m, const struct run *run, const char *wanted,
                                       struct failure *failure) {
    const char *name = wanted;
    const char *group = split_group(m, wanted, &name);
    const struct step *found = step_in_group(run, group, name);
    if (found != NULL) return found;
    int bearers = 0;
    for (int i = 0; group == NULL && i < run->step_count; i++) {
        if (strcmp(run->steps[i].name, name) == 0) {
            found = &run->steps[i];
            bearers++;
        }
    }
    if (bearers == 1) return found;
    if (bearers > 1) {
        refuse(failure, FAIL_USAGE, "%s has more than one step '%s': choose one of '%s'",
               run->lesson->name, name, list_steps(m, run, name));
    } else {
        refuse(failure, FAIL_USAGE, "%s has no step '%s'; see 'onestep list' for the names",
               run->lesson->name, text_safe(m, wanted));
    }
    return NULL;
}

struct search {
    const struct run *run;
    const char *wanted;
    struct failure *failure;
    const struct step *found;
};

static void search_by_name(void *context) {
    struct search *search = context;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->failure);
    search->found = step_by_name(m, search->run, search->wanted, search->failure);
    scratch_close(&scratch);
}

const struct step *find_step(const struct run *run, const char *wanted, struct failure *failure) {
    if (*wanted != '\0' && strspn(wanted, "0123456789") == strlen(wanted)) {
        return step_by_number(run, wanted, failure);
    }
    struct search search = {run, wanted, failure, NULL};
    return attempt(failure, search_by_name, &search) ? search.found : NULL;
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
