// Whose numbers the wrong ones are.

#include <string.h>

#include "app/check/class/class.h"
#include "app/check/compare.h"
#include "tensor/file/numbers_read.h"
#include "trace/run/expression.h"

enum { MOST_AT_ONCE = 2000 };

// Have two students the same parameters? Then equal numbers say nothing of them.
static bool is_in_same_place(const struct student *a, const struct student *b) {
    if (a->parameters_text == NULL || b->parameters_text == NULL)
        return a->parameters_text == b->parameters_text;
    return strcmp(a->parameters_text, b->parameters_text) == 0;
}

static bool have_same_task(const struct student *a, const struct student *b) {
    return a->lesson == b->lesson && strcmp(a->step, b->step) == 0;
}

static bool are_the_same(const struct numbers *a, const struct numbers *b) {
    if (!shapes_equal(a->shape, b->shape)) return false;
    for (int64_t i = 0; i < count_of(a->shape); i++) {
        const bool are_nan = a->values[i] != a->values[i] && b->values[i] != b->values[i];
        if (a->values[i] != b->values[i] && !are_nan) return false;
    }
    return true;
}

// Some of the wrong ones, whose numbers are in memory.
struct group {
    struct class *class;
    int count;
    struct student *wrong[MOST_AT_ONCE];
};

// Compares their numbers with those that another student should have, and with those that are in the other's file.
static void compare_with(const struct group *group, const struct student *other) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, group->class->arena->failure);
    struct run run;
    run_lesson(&run, m, other->lesson, &other->parameters);
    const struct tensor *right = &tensor_asked_for(m, &run, other->step)->tensor;
    struct numbers theirs;
    const bool is_read = read_file_of(m, group->class, other, &theirs);
    for (int i = 0; i < group->count; i++) {
        struct student *student = group->wrong[i];
        const struct numbers *handed = &student->numbers;
        if (other == student || !have_same_task(other, student)) continue;
        if (student->same_as == NULL && fits(handed, shape_of(right)) &&
            compare_up_to(handed, right, 0).different == 0)
            student->same_as = other;
        if (student->copy_of == NULL && is_read && !is_in_same_place(student, other) &&
            are_the_same(handed, &theirs))
            student->copy_of = other;
    }
    scratch_close(&scratch);
}

// Takes the wrong ones from student number `next` on, as many as there is room for; returns who comes after them.
static int take_wrong_ones(struct group *group, struct arena *arena, int next) {
    int64_t left = NUMBERS_MAX;
    for (group->count = 0; next < group->class->count && left > 0 && group->count < MOST_AT_ONCE;
         next++) {
        struct student *student = &group->class->students[next];
        if (!student->is_wrong || student->step == NULL) continue;
        if (!read_file_of(arena, group->class, student, &student->numbers)) continue;
        left -= count_of(student->numbers.shape);
        group->wrong[group->count++] = student;
    }
    return next;
}

// Another student with the same program; NULL: nobody has it.
static const struct student *same_program(const struct class *class,
                                          const struct student *student) {
    for (int i = 0; i < class->count && student->program != NULL; i++) {
        const struct student *other = &class->students[i];
        if (other != student && other->program != NULL &&
            strcmp(other->program, student->program) == 0)
            return other;
    }
    return NULL;
}

// Runs every student's lesson once more for each group.
void find_copies(struct class *class) {
    struct group *group = arena_allocate(class->arena, sizeof *group);
    group->class = class;
    for (int next = 0; next < class->count;) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, class->arena->failure);
        next = take_wrong_ones(group, m, next);
        for (int i = 0; group->count > 0 && i < class->count; i++) {
            const struct student *other = &class->students[i];
            if (other->is_run && other->step != NULL) compare_with(group, other);
        }
        scratch_close(&scratch);
    }
    for (int i = 0; i < class->count; i++) {
        struct student *student = &class->students[i];
        if (student->same_as == NULL) student->same_as = student->copy_of;
        if (student->same_as == NULL) student->same_as = same_program(class, student);
    }
}
