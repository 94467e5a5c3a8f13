#include "app/compare/two_runs.h"

#include <string.h>

#include "app/check/checked.h"
#include "app/command/command.h"
#include "app/command/program.h"
#include "app/command/recording.h"
#include "script/recording/recording_lesson.h"
#include "script/steps/words.h"
#include "tensor/operation/operation.h"

// ---- Reading -----------------------------------------------------------------------------------------

const struct lesson *lesson_compared(struct arena *arena, const char *argument) {
    const struct lesson *lesson = lesson_by_name(argument);
    if (lesson != NULL) return lesson;
    if (is_recording_name(argument)) return read_recording(arena, argument);
    return names_program(argument) ? read_program(arena, argument) : NULL;
}

// What ended a run before its end, in one line; NULL: nothing.
static const char *end_of(struct arena *arena, const struct lesson *lesson) {
    struct text notes = text_new(arena);
    const struct recording *recording = recording_of(lesson);
    if (recording != NULL) {
        const int count = recording->node_count;
        const char *raised = count > 0 ? recording->nodes[count - 1].raised : NULL;
        return raised != NULL ? text_safe_bytes(arena, raised, strcspn(raised, "\n")) : NULL;
    }
    if (!is_program(lesson) || program_ended_well(lesson, &notes)) return NULL;
    const char *message = strstr(notes.bytes, "early: ");
    if (message == NULL) message = notes.bytes;
    message += strcspn(message, " ");
    return arena_copy_bytes(arena, message + 1, strcspn(message + 1, "\n"));
}

// The file of a program: lines outside of every call stand in it.
static const char *own_file(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (step->within == 0 && step->paragraph != NULL) return step->paragraph->file;
    }
    return NULL;
}

struct side side_of_lesson(struct arena *arena, const char *name, struct run *run) {
    const struct lesson *lesson = run->lesson;
    for (int i = 0; i < run->step_count && lesson->explain != NULL; i++) explain_step(run, i);
    struct side side = side_of_run(arena, name, run, is_program(lesson) ? own_file(run) : NULL);
    side.ended = end_of(arena, lesson);
    return side;
}

struct side side_compared(struct arena *arena, const char *argument, const struct lesson *lesson,
                          const struct parameters *parameters) {
    static const struct parameters none;
    if (lesson == NULL) return side_of_dump(arena, argument);
    struct run *run = arena_allocate(arena, sizeof *run);
    run_lesson(run, arena, lesson, is_of_reader(lesson) ? &none : parameters);
    return side_of_lesson(arena, argument, run);
}

static int read_aliases(struct arena *arena, const char *names, struct alias **aliases) {
    int count = 0;
    *aliases = NULL;
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, ",");
        const char *pair = arena_copy_bytes(arena, names, length);
        const size_t left = strcspn(pair, "=");
        if (left == 0 || pair[left] == '\0' || pair[left + 1] == '\0')
            fail(arena->failure, FAIL_USAGE, "--names takes a=b,c=d, and '%s' is no such pair",
                 text_safe(arena, pair));
        *aliases = arena_grow(arena, *aliases, (size_t)count * sizeof **aliases, sizeof **aliases);
        (*aliases)[count++] = (struct alias){arena_copy_bytes(arena, pair, left), pair + left + 1};
        names += length + (names[length] != '\0');
    }
    return count;
}

// Of a recording, an operation is one, whatever onestep computes it with: what its step shows stands for what is inside it.
static int whole_operation(const struct side *side, int number) {
    if (number < 0 || side->run == NULL || side->run->recorded == NULL) return number;
    int found = number;
    for (int i = 0; i < side->count && !side->places[number].is_shown; i++) {
        const struct place *place = &side->places[i];
        if (place->is_shown && !place->is_part && place->step == side->places[number].step)
            found = i;
    }
    return found;
}

static void settle_parting(struct two_runs *runs) {
    struct parting *parting = &runs->parting;
    const int a = whole_operation(&runs->a, parting->a), b = whole_operation(&runs->b, parting->b),
              next = whole_operation(&runs->b, parting->next);
    if (b != parting->b) *parting = parting_at(runs->arena, &runs->matching, b);
    parting->next = next == b ? NOWHERE : next;
    if (parting->a < 0 || b < 0 || a == parting->a) return;
    const struct difference whole = difference_between(&runs->a.places[a], &runs->b.places[b]);
    if (!whole.is_comparable && parting->difference.is_comparable)
        return; // a part of it stands for b
    parting->a = a;
    parting->difference = whole;
}

// Can it be computed again? A recording is not.
static bool has_operations(const struct side *side) {
    return side->run != NULL && side->run->recorded == NULL && side->is_traced;
}

void match_runs(struct two_runs *runs, const char *names) {
    struct alias *aliases;
    const int alias_count = read_aliases(runs->arena, names, &aliases);
    struct side *a = &runs->a, *b = &runs->b;
    const struct precision *precision = a->precision != NULL ? a->precision : b->precision;
    if (has_operations(a))
        measure_rounding(runs->arena, a, precision);
    else if (has_operations(b))
        measure_rounding(runs->arena, b, precision);
    else
        expect_rounding(a, precision);
    sum_up(a);
    sum_up(b);
    runs->matching = match_sides(runs->arena, a, b, alias_count, aliases);
    runs->parting = parting_of(runs->arena, &runs->matching);
    settle_parting(runs);
}

// ---- Words -------------------------------------------------------------------------------------------

static const char *base_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return text_safe(arena, slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

const char *run_name(const struct two_runs *runs, bool is_b) {
    return base_name(runs->arena, is_b ? runs->b.name : runs->a.name);
}

const char *line_compared(const struct two_runs *runs, const struct place *place) {
    const char *line = place->statement;
    const struct lesson *lesson = place >= runs->b.places && place < runs->b.places + runs->b.count
                                      ? runs->lesson_b
                                      : runs->lesson_a;
    if (place->line > 0 && lesson != NULL && is_program(lesson)) {
        const char *source = program_text(lesson);
        const char *start = place_in_source(source, place->line, 0);
        return arena_copy_bytes(runs->arena, start, strcspn(start, "\n"));
    }
    return line != NULL ? line : "";
}

// Of what a library's line makes, the name under which the program has it, if it has one.
static const struct place *named_place(const struct side *side, int number) {
    const struct place *place = &side->places[number];
    const struct step *step = place->step >= 0 ? &side->run->steps[place->step] : NULL;
    if (side->file == NULL || step == NULL || step->paragraph == NULL ||
        strcmp(step->paragraph->file, side->file) == 0)
        return place;
    for (int i = number + 1; i < side->count; i++) {
        const struct place *copy = &side->places[i];
        if (copy->is_shown && copy->operation == NULL && copy->made_count == 1 &&
            copy->made_of[0] == number && side->run->steps[copy->step].within == 0)
            return copy;
    }
    return place;
}

const char *place_name(const struct two_runs *runs, bool is_b, int number) {
    const struct side *side = is_b ? &runs->b : &runs->a;
    const struct place *place = named_place(side, number);
    if (place->is_shown) return text_safe(runs->arena, place->name);
    if (place->step < 0) return "a tensor without a name";
    const struct step *step = &side->run->steps[place->step];
    return arena_format(runs->arena, "%s, inside the line of %s",
                        place->operation != NULL ? place->operation->name : "a view",
                        text_safe(runs->arena, step->name));
}

const char *place_where(const struct two_runs *runs, bool is_b, int number) {
    const struct place *place = &(is_b ? &runs->b : &runs->a)->places[number];
    const struct lesson *lesson = is_b ? runs->lesson_b : runs->lesson_a;
    if (!is_of_reader(lesson) || place->line <= 0) return run_name(runs, is_b);
    if (is_program(lesson))
        return arena_format(runs->arena, "%s, %s", run_name(runs, is_b),
                            line_words(runs->arena, program_text(lesson), place->line));
    return arena_format(runs->arena, "%s, line %d", base_name(runs->arena, place->file),
                        place->line);
}

const char *call_compared(const struct two_runs *runs, bool is_b, int number) {
    const struct side *side = is_b ? &runs->b : &runs->a;
    const int step = number >= 0 ? side->places[number].step : NOWHERE;
    if (step < 0 || side->run == NULL || side->run->recorded == NULL) return NULL;
    return side->run->steps[step].formula;
}
