#include "app/check/program/matched.h"

#include <math.h>
#include <string.h>

#include "app/check/compare.h"
#include "base/text.h"
#include "script/steps/sighting.h"
#include "trace/run/step.h"

enum {
    MOST_NODES = 20000000,
    MOST_NODES_EDITED = 400000,
    MOST_TENSORS = 16384,
    MOST_OF_A_NAME = 64
};

// ---- Numbers ----------------------------------------------------------------------------------------

static struct values values_of(struct arena *arena, const struct tensor *tensor) {
    const int64_t count = count_of(shape_of(tensor));
    double *numbers = arena_array(arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = element_at(tensor, i);
    struct values values = {
        .shape = shape_of(tensor), .count = count, .numbers = numbers, .size = size_of(tensor)};
    for (int i = 0; i < tensor->ndim; i++) {
        if (tensor->shape[i] != 1) values.squeezed.size[values.squeezed.ndim++] = tensor->shape[i];
    }
    return values;
}

// Is `whole` several times `part`, one behind the other?
static bool is_batch_of(const struct shape *whole, const struct shape *part) {
    if (whole->ndim != part->ndim + 1) return false;
    for (int i = 0; i < part->ndim; i++) {
        if (whole->size[i + 1] != part->size[i]) return false;
    }
    return true;
}

static bool agree_from(const struct values *whole, const struct values *part) {
    static const double CLOSE = 1e-5; // of the tensor's size: another order of additions
    const double allowed = CLOSE * part->size;
    for (int64_t i = 0; i < whole->count; i++) {
        const double a = whole->numbers[i], b = part->numbers[i % part->count];
        if (a != b && !(fabs(a - b) <= allowed) && !(isnan(a) && isnan(b))) return false;
    }
    return true;
}

// Rounding apart. A dimension of one more or less, or a batch of equal sentences, is no difference.
static bool have_same_numbers(const struct values *a, const struct values *b) {
    if (a->count == 0 || b->count == 0) return false;
    if (shapes_equal(a->squeezed, b->squeezed)) return agree_from(a, b);
    if (is_batch_of(&a->squeezed, &b->squeezed)) return agree_from(a, b);
    return is_batch_of(&b->squeezed, &a->squeezed) && agree_from(b, a);
}

static bool is_given(const struct tensor *tensor) {
    const struct origin *origin = tensor->storage->origin;
    return origin->operand_count == 0 && origin->draws.count == 0;
}

struct wanted wanted_of(struct arena *arena, const struct run *run) {
    const int count = run->step_count + 1;
    struct wanted_step *steps = arena_array(arena, (size_t)count, sizeof *steps);
    for (int i = 0; i < count; i++) {
        const bool is_step = i < run->step_count;
        const struct tensor *tensor = is_step ? &run->steps[i].tensor : &run->inputs;
        steps[i] = (struct wanted_step){
            .name = is_step ? run->steps[i].name : "inputs",
            .label = is_step ? step_label(arena, &run->steps[i]) : "the inputs",
            .values = values_of(arena, tensor),
            .is_given = is_given(tensor),
            .tensor = *tensor,
        };
        while (steps[i].same < i &&
               !have_same_numbers(&steps[i].values, &steps[steps[i].same].values))
            steps[i].same++;
    }
    return (struct wanted){run, count, steps};
}

// ---- Names ------------------------------------------------------------------------------------------

// "W_query" of "self.W_query.weight".
static const char *plain_name(struct arena *arena, const char *name) {
    size_t length = strlen(name), start;
    if (length > 7 && strcmp(name + length - 7, ".weight") == 0) length -= 7;
    for (start = length; start > 0 && name[start - 1] != '.'; start--) {
    }
    return arena_copy_bytes(arena, name + start, length - start);
}

// How many of its last letters a name shares with a step's: "attn_weights" and "causal_weights" share eight.
static int letters_shared(const char *name, const char *other) {
    int count = 0;
    for (size_t a = strlen(name), b = strlen(other); a > 0 && b > 0; count++) {
        if (name[--a] != other[--b]) break;
    }
    return count;
}

// ---- Matching ---------------------------------------------------------------------------------------

// May a tensor of a step's name, with other numbers, be meant for it? A layer's weight, or what the lesson begins with, only in its
// shape; a row of it, as in a loop over tokens, not.
static bool may_be_step(const struct values *own, const struct wanted_step *step, bool is_weight) {
    if (is_weight || step->is_given) return shapes_equal(step->values.shape, own->shape);
    return own->squeezed.ndim >= step->values.squeezed.ndim;
}

// Sets the lesson's step with the numbers of a tensor, and whether it has the name of another step, whose numbers differ.
static void match_tensor(struct arena *arena, const struct wanted *wanted, struct own_tensor *own) {
    const bool is_weight = strstr(own->name, ".weight") != NULL;
    int nearest = -1;
    own->plain = plain_name(arena, own->name);
    own->step = NO_STEP;
    for (int i = 0; i < wanted->count; i++) {
        const struct wanted_step *step = &wanted->steps[i];
        const bool is_its_name = strcmp(step->name, own->plain) == 0;
        if (is_its_name && may_be_step(&own->values, step, is_weight)) own->is_misnamed = true;
        if (!have_same_numbers(&own->values, &step->values)) continue;
        const int near = is_its_name ? INT32_MAX : letters_shared(own->plain, step->name);
        if (near <= nearest) continue;
        nearest = near;
        own->step = i;
    }
    own->is_named = nearest == INT32_MAX;
    if (own->is_named) own->is_misnamed = false;
    own->is_reshaped =
        own->step >= 0 && !shapes_equal(own->values.shape, wanted->steps[own->step].values.shape);
}

static bool have_one_name(const struct own_tensor *one, const struct own_tensor *other) {
    return strcmp(one->plain, other->plain) == 0;
}

// Tensors of a name between two that are right: their places, and how many of them are wrong and are not this one.
struct gap {
    int before, after; // steps of the right ones; NO_STEP, and the count of steps: there are none
    int earlier, later;
};
static struct gap gap_around(const struct matched *matched, int steps, int place) {
    struct gap gap = {NO_STEP, steps, 0, 0};
    const struct own_tensor *own = &matched->tensors[place];
    for (int i = place - 1; i >= 0 && gap.before == NO_STEP; i--) {
        const struct own_tensor *other = &matched->tensors[i];
        if (!have_one_name(own, other)) continue;
        if (other->is_named) gap.before = other->step;
        gap.earlier += !other->is_named;
    }
    for (int i = place + 1; i < matched->tensor_count && gap.after == steps; i++) {
        const struct own_tensor *other = &matched->tensors[i];
        if (!have_one_name(own, other)) continue;
        if (other->is_named) gap.after = other->step;
        gap.later += !other->is_named;
    }
    return gap;
}

// Has a tensor of the program these numbers, whatever its name?
static bool is_computed(const struct matched *matched, const struct wanted *wanted, int step) {
    for (int i = 0; i < matched->tensor_count; i++) {
        const int other = matched->tensors[i].step;
        if (other >= 0 && wanted->steps[other].same == wanted->steps[step].same) return true;
    }
    return false;
}

// Is a misnamed tensor in the place of a step of its name? A program may compute something else under the name, too: so the
// lesson must have steps of that name, between those of the program's tensors that are right, that the program computes
// nowhere. Of more wrong tensors than such steps the last is meant: those before it may be on the way to it.
static bool replaces_step(const struct matched *matched, const struct wanted *wanted, int place) {
    const struct own_tensor *own = &matched->tensors[place];
    const struct gap gap = gap_around(matched, wanted->count, place);
    const bool is_only = gap.before == NO_STEP && gap.after == wanted->count;
    int missing = 0;
    for (int i = gap.before + 1; i < gap.after; i++) {
        const struct wanted_step *step = &wanted->steps[i];
        if (strcmp(step->name, own->plain) != 0) continue;
        const bool is_meant = step->values.count == own->values.count;
        missing += is_only || (is_meant && !is_computed(matched, wanted, i));
    }
    return missing > 0 && (gap.later == 0 || gap.earlier + gap.later < missing);
}

// How many tensors of a function are the steps of their names.
static int right_names_in(const struct matched *matched, const char *function) {
    int count = 0;
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct own_tensor *own = &matched->tensors[i];
        count += own->is_named && strcmp(own->function, function) == 0;
    }
    return count;
}

// The function where most names are those of their steps; NULL if none is.
static const char *lesson_function(const struct matched *matched) {
    const char *function = NULL;
    int most = 0;
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct own_tensor *own = &matched->tensors[i];
        const bool is_new = function == NULL || strcmp(own->function, function) != 0;
        const int count = own->is_named && is_new ? right_names_in(matched, own->function) : 0;
        if (count <= most) continue;
        most = count;
        function = own->function;
    }
    return function;
}

// Was the tensor at this place of its name a suspect before the program was edited?
static bool was_suspect(const struct matched *before, const struct own_tensor *own) {
    for (int i = 0; i < before->tensor_count; i++) {
        const struct own_tensor *other = &before->tensors[i];
        if (other->is_suspect && other->nth == own->nth && strcmp(other->plain, own->plain) == 0)
            return true;
    }
    return false;
}

struct matching {
    struct arena *arena;
    const struct wanted *wanted;
    const struct matched *before;
    struct matched *matched;
};

// Counts a step that is computed before anything is wrong.
static void note_found(struct matching *m, int step) {
    const int same = m->wanted->steps[step].same;
    if (m->matched->found[same]) return;
    m->matched->found[same] = true;
    m->matched->right += !m->wanted->steps[same].is_given;
}

static void judge_tensor(struct matching *m, struct own_tensor *own) {
    if (own->is_suspect) own->step = NO_STEP;
    m->matched->is_wrong = m->matched->is_wrong || own->is_suspect;
    if (own->step >= 0 && !m->matched->is_wrong) note_found(m, own->step);
}

// Is more of an edited program of no use? What comes behind a wrong tensor does not make it right.
static bool is_lost(const struct matching *m) {
    enum { FURTHER = 3 }; // tensors that an edit may put in before
    const struct matched *before = m->before, *matched = m->matched;
    if (before == NULL) return false;
    return matched->is_wrong || (matched->right <= before->right &&
                                 matched->tensor_count > first_wrong(before) + FURTHER);
}

static bool see(void *context, const struct sighting *sighting) {
    struct matching *m = context;
    struct matched *matched = m->matched;
    if (matched->tensor_count == MOST_TENSORS) return true;
    matched->tensors = arena_grow(m->arena, matched->tensors,
                                  (size_t)matched->tensor_count * sizeof *matched->tensors,
                                  sizeof *matched->tensors);
    struct own_tensor *own = &matched->tensors[matched->tensor_count++];
    *own = (struct own_tensor){.name = arena_copy(m->arena, sighting->name),
                               .line = sighting->line,
                               .last_line = sighting->last_line,
                               .function = arena_copy(m->arena, sighting->function),
                               .values = values_of(m->arena, &sighting->tensor)};
    match_tensor(m->arena, m->wanted, own);
    own->nth = 1;
    for (int i = matched->tensor_count - 2; i >= 0 && own->nth == 1; i--) {
        if (strcmp(matched->tensors[i].plain, own->plain) == 0) own->nth += matched->tensors[i].nth;
    }
    if (own->nth > MOST_OF_A_NAME && own->step < 0) matched->tensor_count--; // of a loop
    if (m->before == NULL) return true;
    own->is_suspect = own->is_misnamed && was_suspect(m->before, own);
    judge_tensor(m, own);
    return !is_lost(m);
}

// The suspects of a program that is not edited are known when it is over.
static void judge_all_tensors(struct matching *m) {
    struct matched *matched = m->matched;
    const char *function = lesson_function(matched);
    for (int i = 0; i < matched->tensor_count; i++) {
        struct own_tensor *own = &matched->tensors[i];
        const bool is_there = function == NULL || strcmp(own->function, function) == 0 ||
                              strcmp(own->function, "__init__") == 0;
        own->is_suspect = own->is_misnamed && is_there && replaces_step(matched, m->wanted, i);
    }
    for (int i = 0; i < matched->tensor_count; i++) judge_tensor(m, &matched->tensors[i]);
}

struct matched *match_program(struct arena *arena, struct viewer *viewer,
                              const struct wanted *wanted, const char *file, const char *source,
                              const struct matched *before) {
    struct matching m = {.arena = arena, .wanted = wanted, .before = before};
    const struct viewing viewing = {.file = file,
                                    .source = source,
                                    .nodes = before != NULL ? MOST_NODES_EDITED : MOST_NODES,
                                    .see = see,
                                    .context = &m};
    m.matched = arena_allocate(arena, sizeof *m.matched);
    m.matched->source = source;
    m.matched->found = arena_array(arena, (size_t)wanted->count, sizeof *m.matched->found);
    struct viewer *own = viewer == NULL ? open_viewer(arena, MOST_BYTES_OF_PROGRAM) : viewer;
    m.matched->error = view_program(arena, own, &viewing, &m.matched->statements);
    if (viewer == NULL) close_viewer(own);
    if (before == NULL) judge_all_tensors(&m);
    return m.matched;
}

int first_wrong(const struct matched *matched) {
    const int last = matched->tensor_count - 1;
    for (int i = 0; i <= last; i++) {
        if (matched->tensors[i].is_suspect) return i;
    }
    return last < 0 || matched->tensors[last].step < 0 || matched->error != NULL ? last : -1;
}
