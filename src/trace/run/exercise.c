#include "trace/run/exercise.h"

#include <string.h>

#include "trace/run/step.h"

const struct exercise *exercise_at(struct arena *arena, const struct lesson *lesson,
                                   const struct step *step) {
    const char *label = step_label(arena, step);
    const struct recap *recap = lesson->source->recap;
    for (int i = 0; recap != NULL && i < recap->exercise_count; i++) {
        if (strcmp(recap->exercises[i].step, label) == 0) return &recap->exercises[i];
    }
    return NULL;
}

const char *line_of_exercise(const struct step *step) {
    const size_t length = strlen(step->name);
    for (const char *line = step->statement; line != NULL && *line != '\0';) {
        if (strncmp(line, step->name, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return line;
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return NULL;
}

// Where the expression begins in the statement; NULL if it has no line "NAME = ...".
static const char *expression_in(const struct step *step) {
    const char *line = line_of_exercise(step);
    return line != NULL ? line + strlen(step->name) + 3 : NULL;
}

const char *answer_of(struct arena *arena, const struct step *step) {
    const char *expression = expression_in(step);
    if (expression == NULL) return NULL;
    return arena_copy_bytes(arena, expression, strcspn(expression, "\n"));
}

const char *statement_with(struct arena *arena, const struct step *step, const char *filling) {
    const char *expression = expression_in(step);
    if (expression == NULL) return step->statement;
    const int before = (int)(expression - step->statement);
    return arena_format(arena, "%.*s%s%s", before, step->statement, filling,
                        expression + strcspn(expression, "\n"));
}
