#include "app/check/called.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

extern const char data_names[];

enum { MOST_STEPS = 4 };

// A name, and the steps that it stands for: those of a group where it has one, else of any or none.
struct called_row {
    const char *name; // "heads.{n}.mask"
    bool is_proposal;
    int count;
    struct {
        const char *group, *name;
    } steps[MOST_STEPS]; // "head {n+1}", "scores"
};

// ---- The rows -------------------------------------------------------------------------------------

// "scores, head {n+1}: masked_scores"
static void take_steps(struct called_row *row, struct arena *arena, const char *next,
                       const char *end) {
    while (next < end) {
        const char *comma = memchr(next, ',', (size_t)(end - next));
        const char *last = comma != NULL ? comma : end;
        const char *colon = memchr(next, ':', (size_t)(last - next));
        if (row->count == MOST_STEPS) abort();
        if (colon != NULL)
            row->steps[row->count].group = arena_copy_bytes(arena, next, (size_t)(colon - next));
        if (colon != NULL) next = colon + 2;
        row->steps[row->count++].name = arena_copy_bytes(arena, next, (size_t)(last - next));
        next = last + 2;
    }
}

// "LESSON: NAME = STEPS", unless it is of another lesson.
static void take_row(struct called *called, struct arena *arena, const char *lesson,
                     const char *line, size_t length) {
    const size_t length_of_name = strlen(lesson);
    if (strncmp(line, lesson, length_of_name) != 0 || line[length_of_name] != ':') return;
    const char *name = line + length_of_name + 2, *end = line + length;
    const char *sign = name + strcspn(name, "=~");
    if (sign + 2 >= end || sign - 1 <= name) abort();
    struct called_row *row = &called->rows[called->count++];
    row->name = arena_copy_bytes(arena, name, (size_t)(sign - 1 - name));
    row->is_proposal = *sign == '~';
    take_steps(row, arena, sign + 2, end);
}

static void take_rows(struct called *called, struct arena *arena, const char *lesson) {
    for (const char *line = data_names; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (*line != '#') take_row(called, arena, lesson, line, length);
        line += length + (line[length] != '\0');
    }
}

struct called read_called(struct arena *arena, const struct run *run) {
    struct called called = {.run = run};
    size_t lines = 1;
    for (const char *byte = data_names; *byte != '\0'; byte++) lines += *byte == '\n';
    called.rows = arena_array(arena, lines, sizeof *called.rows);
    take_rows(&called, arena, run->lesson->name);
    take_rows(&called, arena, "any");
    return called;
}

// ---- Names ----------------------------------------------------------------------------------------

bool is_of_form(const char *name, const char *form, int *number) {
    enum { MOST = 1000 };
    while (*form != '\0') {
        const bool is_next = strncmp(form, "{n+1}", 5) == 0;
        if (!is_next && strncmp(form, "{n}", 3) != 0) {
            if (*name++ != *form++) return false;
            continue;
        }
        if (!isdigit((unsigned char)*name)) return false;
        for (*number = 0; isdigit((unsigned char)*name) && *number < MOST; name++)
            *number = 10 * *number + (*name - '0');
        if (is_next) --*number;
        form += is_next ? 5 : 3;
    }
    return *name == '\0';
}

const char *name_of_form(struct arena *arena, const char *form, int number) {
    struct text text = text_new(arena);
    text_add(&text, "");
    while (*form != '\0') {
        const size_t length = strcspn(form, "{");
        text_add_bytes(&text, form, length);
        form += length;
        const bool is_next = strncmp(form, "{n+1}", 5) == 0, is_same = strncmp(form, "{n}", 3) == 0;
        if (is_next || is_same)
            text_add_format(&text, "%d", number + is_next);
        else if (*form != '\0')
            text_add_bytes(&text, form, 1);
        form += is_next ? 5 : is_same ? 3 : *form != '\0';
    }
    return text.bytes;
}

static bool is_of_group(const struct step *step, const char *group, int number) {
    int found = number;
    if (group == NULL) return true;
    return step->group != NULL && is_of_form(step->group, group, &found) && found == number;
}

// Those without a group first.
static int steps_of_row(const struct called *called, const struct called_row *row, int number,
                        const struct step *steps[static MOST_CALLED]) {
    const struct run *run = called->run;
    int count = 0;
    for (int k = 0; k < 2 * row->count; k++) {
        const bool has_group = k % 2 != 0;
        for (int i = 0; i < run->step_count && count < MOST_CALLED; i++) {
            const struct step *step = &run->steps[i];
            if ((step->group != NULL) == has_group &&
                strcmp(step->name, row->steps[k / 2].name) == 0 &&
                is_of_group(step, row->steps[k / 2].group, number))
                steps[count++] = step;
        }
    }
    return count;
}

int steps_called(const struct called *called, const char *name,
                 const struct step *steps[static MOST_CALLED]) {
    for (const char *rest = name; rest != NULL;) {
        for (int i = 0; i < called->count; i++) {
            const struct called_row *row = &called->rows[i];
            int number = -1;
            if (row->is_proposal || !is_of_form(rest, row->name, &number)) continue;
            const int count = steps_of_row(called, row, number, steps);
            if (count > 0) return count;
        }
        rest = strchr(rest, '.');
        if (rest != NULL) rest++;
    }
    return 0;
}

bool is_proposed(const struct called *called, const char *plain, const struct step *step) {
    for (int i = 0; i < called->count; i++) {
        const struct called_row *row = &called->rows[i];
        if (!row->is_proposal || strcmp(row->name, plain) != 0) continue;
        const struct step *steps[MOST_CALLED];
        const int count = steps_of_row(called, row, -1, steps);
        for (int k = 0; k < count; k++) {
            if (steps[k] == step) return true;
        }
    }
    return false;
}
