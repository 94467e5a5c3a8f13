#include "app/check/program/matched.h"

#include <math.h>
#include <string.h>

#include "app/check/compare.h"
#include "app/check/program/suspects.h"
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
    const struct source *source = run->lesson->source;
    const char *given = source != NULL && source->recap != NULL ? source->recap->gives : "";
    struct wanted wanted = {run, count, steps, NO_STEP, NULL};
    for (int i = 0; i < count; i++) {
        if (strcmp(steps[i].name, "losses") == 0) wanted.losses = &steps[i].values;
        if (strcmp(steps[i].label, given) == 0) wanted.given = i;
    }
    return wanted;
}

// ---- Names ------------------------------------------------------------------------------------------

// "W_query" of "self.W_query.weight", and "batch" of "batch[1, :2]" that was assigned.
static const char *plain_name(struct arena *arena, const char *name, bool is_filled) {
    size_t length = is_filled ? strcspn(name, "[") : strlen(name), start;
    if (length > 7 && strcmp(name + length - 7, ".weight") == 0) length -= 7;
    for (start = length; start > 0 && name[start - 1] != '.'; start--) {
    }
    return arena_copy_bytes(arena, name + start, length - start);
}

// The numbers of a matrix, columns as rows.
static struct values transposed(struct arena *arena, const struct values *values) {
    const int64_t rows = values->squeezed.size[0], columns = values->squeezed.size[1];
    double *numbers = arena_array(arena, (size_t)values->count, sizeof *numbers);
    for (int64_t i = 0; i < values->count; i++)
        numbers[i] = values->numbers[i % rows * columns + i / rows];
    const struct shape shape = {.ndim = 2, .size = {columns, rows}};
    return (struct values){shape, shape, values->count, numbers, values->size};
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
static bool may_be_step(const struct values *values, const struct wanted_step *step,
                        bool is_weight) {
    if (is_weight || step->is_given) return shapes_equal(step->values.shape, values->shape);
    return values->squeezed.ndim >= step->values.squeezed.ndim;
}

// Sets the lesson's step with the numbers of a tensor, and whether it has the name of another step, whose numbers differ.
static void match_tensor(const struct wanted *wanted, struct program_tensor *tensor) {
    const bool is_weight = strstr(tensor->name, ".weight") != NULL;
    int nearest = -1;
    tensor->step = NO_STEP;
    for (int i = 0; i < wanted->count; i++) {
        const struct wanted_step *step = &wanted->steps[i];
        const bool is_its_name = strcmp(step->name, tensor->plain) == 0;
        if (is_its_name && may_be_step(&tensor->values, step, is_weight))
            tensor->is_misnamed = true;
        if (!have_same_numbers(&tensor->values, &step->values)) continue;
        const int near = is_its_name ? INT32_MAX : letters_shared(tensor->plain, step->name);
        if (near <= nearest) continue;
        nearest = near;
        tensor->step = i;
    }
    tensor->is_named = nearest == INT32_MAX;
    if (tensor->is_named) tensor->is_misnamed = false;
    tensor->is_reshaped =
        tensor->step >= 0 &&
        !shapes_equal(tensor->values.shape, wanted->steps[tensor->step].values.shape);
}

// The tensor at this place of its name, if it was a suspect before the program was edited; NULL if it was none.
static const struct program_tensor *suspect_before(const struct matched *before,
                                                   const struct program_tensor *tensor) {
    for (int i = 0; i < before->tensor_count; i++) {
        const struct program_tensor *other = &before->tensors[i];
        if (other->is_suspect && other->nth == tensor->nth &&
            strcmp(other->plain, tensor->plain) == 0)
            return other;
    }
    return NULL;
}

// Is it a suspect still? One that was a copy is none when it has the numbers of a step of its name.
static bool is_suspect_still(const struct matched *before, const struct wanted *wanted,
                             const struct program_tensor *tensor) {
    const struct program_tensor *suspect = suspect_before(before, tensor);
    if (suspect == NULL) return false;
    if (suspect->is_misnamed) return tensor->is_misnamed && !is_later_step(wanted, tensor);
    return tensor->step < 0 || !has_word(wanted->steps[tensor->step].name, tensor->plain);
}

struct matching {
    struct arena *arena;
    const struct wanted *wanted;
    const struct matched *before;
    struct matched *matched;
    int64_t update; // of a training: the last one whose loss was seen
};

// Counts a step that is computed before anything is wrong.
static void note_found(struct matching *m, int step) {
    const int same = m->wanted->steps[step].same;
    if (m->matched->found[same]) return;
    m->matched->found[same] = true;
    m->matched->right += !m->wanted->steps[same].is_given;
}

// The last tensor of a program that works on columns, where the lesson does on rows, has the numbers of a step transposed.
static void match_transposed(struct arena *arena, const struct wanted *wanted,
                             struct matched *matched) {
    if (matched->tensor_count == 0 || matched->error != NULL) return;
    struct program_tensor *last = &matched->tensors[matched->tensor_count - 1];
    if (last->step >= 0 || last->values.squeezed.ndim != 2) return;
    struct program_tensor other = *last;
    other.values = transposed(arena, &last->values);
    match_tensor(wanted, &other);
    if (other.step < 0) return;
    last->step = other.step;
    last->is_misnamed = other.is_misnamed;
    matched->is_transposed = true;
}

static void judge_tensor(struct matching *m, struct program_tensor *tensor) {
    if (tensor->is_suspect) tensor->step = NO_STEP;
    m->matched->is_wrong = m->matched->is_wrong || tensor->is_suspect;
    if (tensor->step >= 0 && !m->matched->is_wrong) note_found(m, tensor->step);
}

// Is more of an edited program of no use? What comes behind a wrong tensor does not make it right.
static bool is_lost(const struct matching *m) {
    enum { FURTHER = 3 }; // tensors that an edit may put in before
    const struct matched *before = m->before, *matched = m->matched;
    if (before == NULL) return false;
    return matched->is_wrong || (matched->right <= before->right &&
                                 matched->tensor_count > first_wrong(before) * 3 / 2 + FURTHER);
}

// How far a number is from the loss of an update, in the size of the losses; infinite if there is no such update.
static double apart_from_loss(const struct values *losses, int64_t update,
                              const struct program_tensor *tensor) {
    if (tensor->values.count != 1 || update >= losses->count) return INFINITY;
    return fabs(tensor->values.numbers[0] - losses->numbers[update]) / losses->size;
}

static const double CLOSE_LOSS = 1e-3; // rounding grows with the updates

// Is it what the program goes back from? It says `loss.backward()`.
static bool is_gone_back_from(struct arena *arena, const char *source,
                              const struct program_tensor *tensor) {
    return tensor->values.count == 1 &&
           strstr(source, arena_format(arena, " %s.backward(", tensor->plain)) != NULL;
}

// What a program calls the losses of its training: of the names of a tensor that is the first loss, or that it goes back from,
// the one that it makes most often. NULL: it makes none.
static const char *name_of_losses(struct arena *arena, const struct matched *matched,
                                  const struct wanted *wanted) {
    const char *name = NULL;
    int most = 0;
    for (int i = 0; wanted->losses != NULL && i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        if (!(apart_from_loss(wanted->losses, 0, tensor) <= CLOSE_LOSS) &&
            !is_gone_back_from(arena, matched->source, tensor))
            continue;
        int count = 0;
        for (int k = 0; k < matched->tensor_count; k++)
            count += strcmp(matched->tensors[k].plain, matched->tensors[i].plain) == 0;
        if (count <= most) continue;
        most = count;
        name = matched->tensors[i].plain;
    }
    return name;
}

// The last tensor that has the name of the losses and is the last of them; -1 if none is.
static int last_loss(const struct matched *matched, const struct wanted *wanted) {
    for (int i = matched->tensor_count - 1; i >= 0 && matched->losses != NULL; i--) {
        const struct program_tensor *tensor = &matched->tensors[i];
        if (strcmp(tensor->plain, matched->losses) == 0 &&
            apart_from_loss(wanted->losses, wanted->losses->count - 1, tensor) <= CLOSE_LOSS)
            return i;
    }
    return -1;
}

// A training goes through the lesson's losses, one for each update: false at the first that is neither that of this update nor
// of the next. So a wrong training ends early.
static bool follows_losses(struct matching *m, const struct program_tensor *tensor) {
    const char *name = m->before->losses;
    if (name == NULL || strcmp(name, tensor->plain) != 0) return true;
    const double same = apart_from_loss(m->wanted->losses, m->update, tensor),
                 next = apart_from_loss(m->wanted->losses, m->update + 1, tensor);
    if (same > CLOSE_LOSS && next > CLOSE_LOSS) return tensor->step >= 0;
    m->update += next < same;
    return true;
}

// The last tensor, which a long loop makes.
static void leave_out(struct matched *matched) {
    const char *plain = matched->tensors[--matched->tensor_count].plain;
    for (int i = 0; i < matched->tensor_count; i++) {
        struct program_tensor *tensor = &matched->tensors[i];
        if (strcmp(tensor->plain, plain) == 0) tensor->is_repeated = true;
    }
}

static bool see(void *context, const struct sighting *sighting) {
    struct matching *m = context;
    struct matched *matched = m->matched;
    if (matched->tensor_count == MOST_TENSORS || strcmp(sighting->name, "_") == 0) return true;
    matched->tensors = arena_grow(m->arena, matched->tensors,
                                  (size_t)matched->tensor_count * sizeof *matched->tensors,
                                  sizeof *matched->tensors);
    struct program_tensor *tensor = &matched->tensors[matched->tensor_count++];
    *tensor = (struct program_tensor){.name = arena_copy(m->arena, sighting->name),
                                      .line = sighting->line,
                                      .last_line = sighting->last_line,
                                      .function = arena_copy(m->arena, sighting->function),
                                      .values = values_of(m->arena, &sighting->tensor)};
    tensor->plain = plain_name(m->arena, tensor->name, sighting->is_filled);
    match_tensor(m->wanted, tensor);
    tensor->nth = 1;
    for (int i = matched->tensor_count - 2; i >= 0 && tensor->nth == 1; i--) {
        if (strcmp(matched->tensors[i].plain, tensor->plain) == 0)
            tensor->nth += matched->tensors[i].nth;
    }
    if (tensor->nth > MOST_OF_A_NAME && tensor->step < 0) leave_out(matched);
    if (m->before == NULL) return true;
    tensor->is_suspect = is_suspect_still(m->before, m->wanted, tensor);
    judge_tensor(m, tensor);
    return !is_lost(m) && follows_losses(m, tensor);
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
    struct viewer *opened = viewer == NULL ? open_viewer(arena, MOST_BYTES_OF_PROGRAM) : viewer;
    m.matched->error = view_program(arena, opened, &viewing, &m.matched->statements);
    if (viewer == NULL) close_viewer(opened);
    if (before != NULL) return m.matched;
    m.matched->losses = name_of_losses(arena, m.matched, wanted);
    m.matched->trained = last_loss(m.matched, wanted);
    match_transposed(arena, wanted, m.matched);
    mark_suspects(arena, m.matched, wanted); // they are known when it is over
    for (int i = 0; i < m.matched->tensor_count; i++) judge_tensor(&m, &m.matched->tensors[i]);
    return m.matched;
}

bool is_beyond_us(const struct matched *matched) {
    return matched->error != NULL && strstr(matched->error, ": onestep has no ") != NULL;
}

int first_wrong(const struct matched *matched) {
    const int last = matched->tensor_count - 1;
    for (int i = 0; i <= last; i++) {
        if (matched->tensors[i].is_suspect) return i;
    }
    if (last >= 0 && is_beyond_us(matched)) return -1;
    return last < 0 || matched->tensors[last].step < 0 || matched->error != NULL ? last : -1;
}
