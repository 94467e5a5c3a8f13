#include "app/compare/companion.h"

#include <string.h>

#include "app/compare/two_runs.h"
#include "base/text.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

// The run beside, which stays as it is.
struct beside {
    struct side side;
    const struct lesson *lesson;
};

// Both runs, and what is found of the steps of the walk.
struct finding {
    struct two_runs runs;
    bool is_of_a; // the walk's run: a dump has no operations, and so it is B
    const struct side *walked, *beside;
    struct run *shown; // of the companion
    struct counterpart *counterparts;
    bool *differs;
    bool *follows; // by place of the walk: it is made of the one where the runs part
    int after;     // the place beside that stood for the last step
};

// ---- What stands for a place ---------------------------------------------------------------------------

// The place that a step shows.
static int place_of_step(const struct side *side, int step) {
    int found = NOWHERE;
    for (int i = 0; i < side->count; i++) {
        const struct place *place = &side->places[i];
        if (place->is_shown && !place->is_part && place->step == step) found = i;
    }
    return found;
}

// Have a place and one beside the same numbers, in one tensor?
static bool are_matched(const struct finding *f, int place, int beside) {
    const struct matching *m = &f->runs.matching;
    const int a = f->is_of_a ? place : beside, b = f->is_of_a ? beside : place;
    return m->match[b] >= 0 && m->first_same[m->match[b]] == m->first_same[a];
}

// The place beside with the same numbers, of several the one that is likest in name and order; NOWHERE: none has them.
static int same_beside(const struct finding *f, int place) {
    const struct place *one = &f->walked->places[place];
    int best = NOWHERE, most = -1;
    for (int i = 0; i < f->beside->count; i++) {
        const struct place *beside = &f->beside->places[i];
        if (!are_matched(f, place, i)) continue;
        const int worth = 2 * likeness_of_names(f->runs.arena, one->name, beside->name) +
                          5 * beside->is_shown + 4 * are_in_same_order(one, beside);
        if (worth <= most) continue;
        most = worth;
        best = i;
    }
    return best;
}

static bool has_same(const struct finding *f, bool is_of_a, int place) {
    const struct matching *m = &f->runs.matching;
    return is_of_a ? m->is_had[m->first_same[place]] : m->is_known[place];
}

// How likely one is in the place of the other, by what is seen without comparing numbers; 0: it is not.
static int likelihood(const struct finding *f, int place, int beside) {
    const struct place *one = &f->walked->places[place], *other = &f->beside->places[beside];
    const bool is_alike = one->operation != NULL && one->operation == other->operation;
    const int likeness = likeness_of_names(f->runs.arena, one->name, other->name);
    if (one->count != other->count || (likeness < 3 && !is_alike)) return 0;
    return 3 * likeness + (is_alike ? 3 : 0) + (beside > f->after ? 2 : 0);
}

// Of what follows from a difference, the likeliest place whose numbers the walk has not.
static int likely_counterpart(const struct finding *f, int place) {
    int best = NOWHERE, most = 0;
    for (int i = 0; i < f->beside->count; i++) {
        const struct place *beside = &f->beside->places[i];
        if (!beside->is_shown || beside->is_part || has_same(f, !f->is_of_a, i)) continue;
        const int worth = likelihood(f, place, i);
        if (worth <= most) continue;
        most = worth;
        best = i;
    }
    return best;
}

// Of what the result is not made of, the place of the same name, if it has the same numbers.
static int namesake(const struct finding *f, int place) {
    const struct place *one = &f->walked->places[place];
    for (int i = 0; i < f->beside->count; i++) {
        const struct place *beside = &f->beside->places[i];
        if (beside->is_shown && !beside->is_part && strcmp(one->name, beside->name) == 0 &&
            have_same_numbers(one, beside))
            return i;
    }
    return NOWHERE;
}

static int counterpart_of(const struct finding *f, int place) {
    const struct parting *parting = &f->runs.parting;
    const int same = same_beside(f, place);
    if (same >= 0) return same;
    if (parting->is_same || has_same(f, f->is_of_a, place)) return namesake(f, place);
    if (f->is_of_a && place == parting->a) return parting->b;
    if (!f->is_of_a && place == parting->b) return parting->a;
    if (!f->is_of_a && place == parting->next)
        return parting_at(f->runs.arena, &f->runs.matching, place).a;
    const int found = namesake(f, place);
    return found >= 0 || f->walked->places[place].is_given ? found : likely_counterpart(f, place);
}

// ---- Where they differ ---------------------------------------------------------------------------------

static const char *why_they_differ(const struct finding *f, int place, const struct difference *d) {
    struct arena *arena = f->runs.arena;
    const struct parting *parting = &f->runs.parting;
    const int first = f->is_of_a ? parting->a : parting->b;
    const char *name = first >= 0 ? place_name(&f->runs, !f->is_of_a, first) : "";
    struct text text = text_new(arena);
    if (place == first)
        text_add(&text, "The runs part here: ");
    else if (!f->is_of_a && place == parting->next)
        text_add_format(&text, "This is not made of %s, and differs as well: ", name);
    else if (f->follows[place])
        text_add_format(&text, "This follows from %s: ", name);
    if (!d->is_comparable)
        text_add(&text, "the shapes differ.");
    else
        text_add_format(&text, "%lld of %lld numbers differ, by %.4g at most.",
                        (long long)d->different, (long long)d->count, d->largest);
    if (place == first && !f->is_of_a && parting->follow > 0)
        text_add_format(&text, " %d later tensor%s.", parting->follow,
                        parting->follow == 1 ? " follows" : "s follow");
    return text.bytes;
}

static void find_following(struct finding *f) {
    const int first = f->is_of_a ? f->runs.parting.a : f->runs.parting.b;
    f->follows = arena_array(f->runs.arena, (size_t)f->walked->count, sizeof *f->follows);
    for (int i = 0; i < f->walked->count; i++) {
        const struct place *place = &f->walked->places[i];
        for (int k = 0; k < place->made_count; k++)
            if (place->made_of[k] == first || f->follows[place->made_of[k]]) f->follows[i] = true;
    }
}

// Of the lines of a step, the one that gives it: not those of a function before it, nor what it goes on with.
static const char *own_line(const char *code) {
    const char *own = code + strspn(code, " \t");
    for (const char *line = strchr(code, '\n'); line != NULL; line = strchr(line, '\n')) {
        line++;
        if (*line != ' ' && *line != ')' && *line != ']' && *line != '\0') own = line;
    }
    return own;
}

// A step of the companion: the numbers beside, in the layout of the step if they have one in common.
static void add_shown_step(struct finding *f, const struct step *like, const struct place *beside,
                           const struct difference *d) {
    struct arena *arena = f->runs.arena;
    const struct shape shape = d->is_comparable ? shape_of(&like->tensor) : beside->full;
    const double *numbers = d->is_comparable ? in_layout_of(arena, d, beside) : beside->numbers;
    struct step *step = &f->shown->steps[f->shown->step_count++];
    *step = (struct step){.number = f->shown->step_count, .name = like->name, .group = like->group};
    step->tensor = tensor_given(arena, like->tensor.storage->dtype, shape);
    for (int64_t i = 0; i < beside->count; i++) put_number(step->tensor.storage, i, numbers[i]);
    if (d->is_comparable) step->tensor = with_axes_of(step->tensor, &like->tensor);
}

static void compare_step(struct finding *f, const struct step *step) {
    const int place = place_of_step(f->walked, step->number - 1);
    const int found = place >= 0 ? counterpart_of(f, place) : NOWHERE;
    struct counterpart *counterpart = &f->counterparts[step->number - 1];
    if (found < 0) return;
    const struct place *one = &f->walked->places[place], *other = &f->beside->places[found];
    f->after = found;
    counterpart->where = place_where(&f->runs, f->is_of_a, found);
    counterpart->line = own_line(line_compared(&f->runs, other));
    counterpart->ran = call_compared(&f->runs, f->is_of_a, found);
    if (f->runs.lesson_a == NULL || f->runs.lesson_b == NULL)
        counterpart->where = arena_format(f->runs.arena, "%s, %s", counterpart->where,
                                          text_safe(f->runs.arena, other->name));
    if (has_same(f, f->is_of_a, place) || have_same_numbers(one, other)) {
        counterpart->is_rearranged = !are_in_same_order(one, other);
        return;
    }
    const struct difference d = difference_between(one, other);
    counterpart->words = why_they_differ(f, place, &d);
    counterpart->worst = d.is_comparable ? d.worst_a : 0;
    if (d.is_comparable) counterpart->is_other = others_in_layout(f->runs.arena, &d, one, other);
    f->differs[step->number - 1] = true;
    add_shown_step(f, step, other, &d);
}

// ---- All steps -----------------------------------------------------------------------------------------

static const char *verdict_of(const struct finding *f) {
    struct arena *arena = f->runs.arena;
    const char *name = run_name(&f->runs, f->is_of_a);
    int differing = 0, found = 0;
    for (int i = 0; i < f->walked->run->step_count; i++) {
        differing += f->differs[i];
        found += f->counterparts[i].where != NULL;
    }
    if (differing == 0 && f->runs.parting.is_ended)
        return arena_format(arena,
                            "The run ended before it had the result of %s. Until then no step "
                            "differs.",
                            name);
    if (differing == 0)
        return arena_format(arena,
                            "%d of %d steps have a counterpart in %s. None differs by more than "
                            "rounding.",
                            found, f->walked->run->step_count, name);
    return arena_format(arena, "%s stands beside it. %d step%s differ%s: n goes to the first.",
                        name, differing, differing == 1 ? "" : "s", differing == 1 ? "s" : "");
}

// Reads the walk's run, and matches both.
static void match_walk(struct finding *f, const struct beside *beside, struct run *run) {
    struct two_runs *runs = &f->runs;
    struct arena *arena = runs->arena;
    const struct side walked = side_of_lesson(arena, run->lesson->name, run);
    struct side other = beside->side; // which matching writes into
    const size_t size = (size_t)other.count * sizeof *other.places;
    other.places = memcpy(arena_array(arena, 1, size), other.places, size);
    f->is_of_a = beside->lesson == NULL;
    runs->a = f->is_of_a ? walked : other;
    runs->b = f->is_of_a ? other : walked;
    runs->lesson_a = f->is_of_a ? run->lesson : beside->lesson;
    runs->lesson_b = f->is_of_a ? NULL : run->lesson;
    f->walked = f->is_of_a ? &runs->a : &runs->b;
    f->beside = f->is_of_a ? &runs->b : &runs->a;
    match_runs(runs, NULL);
}

static struct companion find_companion(void *context, struct arena *arena, struct run *run) {
    const size_t steps = (size_t)run->step_count;
    struct finding f = {.runs.arena = arena, .after = NOWHERE};
    match_walk(&f, context, run);
    f.counterparts = arena_array(arena, steps, sizeof *f.counterparts);
    f.differs = arena_array(arena, steps, sizeof *f.differs);
    f.shown = arena_allocate(arena, sizeof *f.shown);
    f.shown->lesson = run->lesson;
    find_following(&f);
    f.shown->steps = arena_array(arena, steps, sizeof *f.shown->steps);
    for (int i = 0; i < run->step_count; i++) compare_step(&f, &run->steps[i]);
    return (struct companion){.name = run_name(&f.runs, f.is_of_a),
                              .verdict = verdict_of(&f),
                              .counterparts = f.counterparts,
                              .differs = f.differs,
                              .run = f.shown};
}

const struct companion_source *companion_of(struct arena *arena, const struct command *command) {
    if (command->beside == NULL) return NULL;
    struct beside *beside = arena_allocate(arena, sizeof *beside);
    beside->lesson = lesson_compared(arena, command->beside);
    beside->side = side_compared(arena, command->beside, beside->lesson, &command->parameters);
    struct companion_source *source = arena_allocate(arena, sizeof *source);
    *source = (struct companion_source){beside, find_companion};
    return source;
}
