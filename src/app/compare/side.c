#include "app/compare/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/handed_in.h"
#include "base/text.h"
#include "tensor/operation/disturbance.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"
#include "trace/tape/spread.h"
#include "trace/tape/tape.h"

enum { MOST_PLACES = 40000, MOST_PARTS = 16, MOST_TRACED = 6000 };

// ---- Places ------------------------------------------------------------------------------------------

// A run being read: its tape, and for each storage the places that show it.
struct survey {
    struct arena *arena;
    struct side *side;
    struct tape tape;
    int *whole;     // by storage: the place of all of it
    bool *is_begun; // by storage
    struct view_place {
        struct tensor tensor;
        int place, next;
    } * views;
    int view_count;
    int *first_view;
};

static struct shape squeezed(struct shape shape) {
    struct shape result = NO_DIMS;
    for (int i = 0; i < shape.ndim; i++) {
        if (shape.size[i] != 1) result.size[result.ndim++] = shape.size[i];
    }
    return result;
}

static struct place *add_place(struct arena *arena, struct side *side, struct place place) {
    const size_t used = (size_t)side->count * sizeof *side->places;
    if (side->count == MOST_PLACES)
        fail(arena->failure, FAIL_INPUT, "%s: more than %d tensors", side->name, MOST_PLACES);
    side->places = arena_grow(arena, side->places, used, sizeof *side->places);
    side->places[side->count] = place;
    return &side->places[side->count++];
}

static const double *numbers_row_by_row(struct arena *arena, const struct tensor *tensor) {
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    double *numbers = arena_array(arena, (size_t)count, sizeof *numbers);
    int64_t index[MAX_DIMS] = {0};
    if (tensor->storage->dtype == FLOAT32 && is_contiguous(tensor)) {
        const float *floats = (const float *)tensor->storage->data + tensor->offset;
        for (int64_t i = 0; i < count; i++) numbers[i] = (double)floats[i];
        return numbers;
    }
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        numbers[i] = element(tensor, index);
    return numbers;
}

static int *made_of_one(struct arena *arena, int place) {
    int *made_of = arena_array(arena, 1, sizeof *made_of);
    *made_of = place;
    return made_of;
}

// Does the line of a step stand in the file of the program, and not in a library?
static bool is_own_line(const struct side *side, const struct step *step) {
    return side->file == NULL || step->paragraph == NULL ||
           strcmp(step->paragraph->file, side->file) == 0;
}

// Where the line of a step stands, and what it says; of one in a library, the line that called it.
static void place_in_source_of(struct arena *arena, struct place *place, const struct side *side,
                               int step) {
    const struct run *run = side->run;
    const struct step *of = &run->steps[step];
    while (!is_own_line(side, of) && of->within > 0) of = &run->steps[of->within - 1];
    while (!is_own_line(side, of) && of < run->steps + run->step_count - 1) of++;
    place->step = step;
    place->statement = of->statement;
    place->file = of->paragraph != NULL ? of->paragraph->file : NULL;
    place->line = of->excerpt != NULL ? of->excerpt->first_line : 0;
    place->is_unnamed = run->steps[step].is_unnamed;
    if (place->is_shown) place->name = step_label(arena, &run->steps[step]);
}

static bool are_one_view(const struct tensor *a, const struct tensor *b) {
    if (a->offset != b->offset || !shapes_equal(shape_of(a), shape_of(b))) return false;
    for (int i = 0; i < a->ndim; i++) {
        if (a->stride[i] != b->stride[i] && a->shape[i] != 1) return false;
    }
    return true;
}

// Of a large model most numbers are met bit by bit.
static bool is_large(const struct run *run, const struct tensor *tensor) {
    enum { LARGE = 1 << 14 };
    return run->recorded != NULL && count_of(shape_of(tensor)) >= LARGE;
}

static bool is_weight(const struct tensor *tensor) {
    int count = 0;
    made_of(tensor->storage, &count);
    return count == 0;
}

void read_place(const struct place *place) {
    struct place *unread = (struct place *)place; // of a side, whose places may be changed
    if (place->numbers == NULL) unread->numbers = numbers_row_by_row(place->arena, &place->tensor);
}

double number_of_place(const struct place *place, int64_t position) {
    enum { FEW = 64 };
    if (place->numbers == NULL && position < FEW) return element_at(&place->tensor, position);
    read_place(place);
    return place->numbers[position];
}

static int place_of_view(struct survey *s, const struct tensor *tensor, int step) {
    const int storage = place_on_tape(&s->tape, tensor->storage);
    if (storage < 0) return NOWHERE;
    for (int i = s->first_view[storage]; i >= 0; i = s->views[i].next) {
        if (are_one_view(&s->views[i].tensor, tensor)) return s->views[i].place;
    }
    struct place place = {.name = "",
                          .full = shape_of(tensor),
                          .shape = squeezed(shape_of(tensor)),
                          .count = count_of(shape_of(tensor)),
                          .is_large = is_large(s->side->run, tensor),
                          .is_weight = is_weight(tensor),
                          .tensor = *tensor,
                          .arena = s->arena};
    if (!place.is_large) place.numbers = numbers_row_by_row(s->arena, tensor);
    if (s->whole[storage] >= 0) {
        place.made_count = 1;
        place.made_of = made_of_one(s->arena, s->whole[storage]);
    }
    place_in_source_of(s->arena, &place, s->side, step);
    add_place(s->arena, s->side, place);
    const size_t used = (size_t)s->view_count * sizeof *s->views;
    s->views = arena_grow(s->arena, s->views, used, sizeof *s->views);
    s->views[s->view_count] =
        (struct view_place){*tensor, s->side->count - 1, s->first_view[storage]};
    s->first_view[storage] = s->view_count++;
    return s->side->count - 1;
}

// A storage of the tape, behind all that it was computed from. Of a recording, the order of the tape is another.
static void survey_storage(struct survey *s, int number, int step) {
    if (s->is_begun[number]) return;
    s->is_begun[number] = true;
    struct storage *storage = s->tape.storages[number];
    const struct tensor whole = tensor_over(storage, storage->shape);
    int count;
    const struct tensor *operands = made_of(storage, &count);
    int *made = arena_array(s->arena, (size_t)count, sizeof *made), used = 0;
    for (int i = 0; i < count; i++) {
        const int of = is_tensor(&operands[i]) ? place_on_tape(&s->tape, operands[i].storage) : -1;
        if (of < 0) continue;
        survey_storage(s, of, step);
        const int place = place_of_view(s, &operands[i], step);
        if (place >= 0) made[used++] = place;
    }
    const int place = place_of_view(s, &whole, step);
    s->side->places[place].operation = storage->origin->operation;
    s->side->places[place].made_of = made;
    s->side->places[place].made_count = used;
    s->side->places[place].is_given = used == 0 && storage->origin->draws.count == 0;
    s->whole[number] = place;
}

// What a step shows: a place that no step has shown yet takes its name, else it is a copy.
static void survey_step(struct survey *s, int step) {
    const struct tensor *tensor = &s->side->run->steps[step].tensor;
    int number = place_of_view(s, tensor, step);
    if (number < 0) return;
    if (s->side->places[number].is_shown) {
        struct place copy = s->side->places[number];
        copy.made_count = 1;
        copy.made_of = made_of_one(s->arena, number);
        copy.operation = NULL;
        add_place(s->arena, s->side, copy);
        number = s->side->count - 1;
    }
    struct place *place = &s->side->places[number];
    place->is_shown = true;
    place_in_source_of(s->arena, place, s->side, step);
}

// ---- Parts -------------------------------------------------------------------------------------------

// One index of a dimension.
static void copy_part(const double *from, double *to, const struct shape *shape, int dim,
                      int64_t at) {
    int64_t before = 1, behind = 1;
    for (int i = 0; i < dim; i++) before *= shape->size[i];
    for (int i = dim + 1; i < shape->ndim; i++) behind *= shape->size[i];
    for (int64_t i = 0; i < before; i++)
        memcpy(to + i * behind, from + (i * shape->size[dim] + at) * behind,
               (size_t)behind * sizeof *to);
}

static void add_part(struct arena *arena, struct side *side, int whole, int dim, int64_t at) {
    read_place(&side->places[whole]);
    const struct place of = side->places[whole];
    struct place part = {.name = "",
                         .statement = of.statement,
                         .file = of.file,
                         .line = of.line,
                         .step = of.step,
                         .is_part = true,
                         .part_dim = dim,
                         .part_at = at,
                         .made_count = 1,
                         .made_of = made_of_one(arena, whole)};
    for (int i = 0; i < of.shape.ndim; i++) {
        if (i != dim) part.shape.size[part.shape.ndim++] = of.shape.size[i];
    }
    part.full = part.shape;
    part.count = count_of(part.shape);
    double *numbers = arena_array(arena, (size_t)part.count, sizeof *numbers);
    copy_part(of.numbers, numbers, &of.shape, dim, at);
    part.numbers = numbers;
    add_place(arena, side, part);
}

// Parts of all tensors of three dimensions and more: heads, sentences.
static void add_parts(struct arena *arena, struct side *side) {
    const int count = side->count;
    for (int i = 0; i < count && side->count < MOST_PLACES / 2; i++) {
        const struct shape shape = side->places[i].shape;
        for (int dim = 0; dim < shape.ndim - 1 && shape.ndim >= 3; dim++) {
            for (int64_t at = 0; at < shape.size[dim] && shape.size[dim] <= MOST_PARTS; at++)
                add_part(arena, side, i, dim, at);
        }
    }
}

static void mark_results(struct side *side) {
    for (int i = 0; i < side->count; i++) side->places[i].is_result = true;
    for (int i = 0; i < side->count; i++) {
        const struct place *place = &side->places[i];
        for (int k = 0; k < place->made_count && !place->is_part; k++)
            side->places[place->made_of[k]].is_result = false;
    }
}

// Of a recorded operation that onestep does not run, such as one in place, the tensor of its size before it is taken for what it
// is made of, or else the one before it.
static void guess_operands(struct arena *arena, struct side *side) {
    int before = NOWHERE;
    for (int i = 0; i < side->count; i++) {
        struct place *place = &side->places[i];
        if (!place->is_shown || place->is_part) continue;
        int of_size = i - 1;
        while (of_size >= 0 &&
               (!side->places[of_size].is_shown || side->places[of_size].count != place->count))
            of_size--;
        const int guess = of_size >= 0 ? of_size : before;
        const struct origin *origin = place->tensor.storage->origin;
        const bool is_constant = origin != NULL && origin->operation == &given_row;
        if (place->made_count == 0 && place->line > 0 && guess >= 0 && !is_constant) {
            place->made_count = 1;
            place->made_of = made_of_one(arena, guess);
            place->is_given = false;
        }
        before = i;
    }
}

// Are most tensors made of others? Of a recording, onestep may not know how.
static bool is_traced(const struct side *side) {
    int made = 0, shown = 0;
    for (int i = 0; i < side->count; i++) {
        const struct place *place = &side->places[i];
        shown += place->is_shown && !place->is_part;
        made += place->is_shown && place->made_count > 0;
    }
    return 2 * made > shown;
}

// ---- Sides -------------------------------------------------------------------------------------------

// The step that the lesson's class gives; else the last.
static int last_step(struct arena *arena, const struct run *run) {
    const struct source *source = run->lesson->source;
    const char *gives = source != NULL && source->recap != NULL ? source->recap->gives : NULL;
    for (int i = 0; gives != NULL && i < run->step_count; i++) {
        if (strcmp(step_label(arena, &run->steps[i]), gives) == 0) return i;
    }
    int last = run->step_count - 1;
    while (last > 0 && strcmp(run->steps[last].name, "error") == 0) last--;
    return last;
}

struct side side_of_run(struct arena *arena, const char *name, const struct run *run,
                        const char *file) {
    struct side side = {.name = name, .run = run, .file = file, .last = NOWHERE};
    struct tensor *shown = arena_array(arena, (size_t)run->step_count, sizeof *shown);
    for (int i = 0; i < run->step_count; i++) shown[i] = run->steps[i].tensor;
    struct survey s = {
        .arena = arena, .side = &side, .tape = tape_of(arena, run->step_count, shown)};
    const size_t count = (size_t)s.tape.count;
    s.is_begun = arena_array(arena, count, sizeof *s.is_begun);
    s.whole = arena_array(arena, count, sizeof *s.whole);
    s.first_view = arena_array(arena, count, sizeof *s.first_view);
    for (size_t i = 0; i < count; i++) s.whole[i] = s.first_view[i] = NOWHERE;
    const int last = last_step(arena, run);
    for (int i = 0; i < run->step_count; i++) {
        const int storage = place_on_tape(&s.tape, run->steps[i].tensor.storage);
        if (storage >= 0 && s.tape.count <= MOST_TRACED) survey_storage(&s, storage, i);
        survey_step(&s, i);
        for (int k = 0; k < side.count && i == last; k++)
            if (side.places[k].is_shown && side.places[k].step == i) side.last = k;
    }
    mark_results(&side);
    if (run->recorded != NULL) guess_operands(arena, &side);
    side.is_traced = is_traced(&side);
    for (int i = 0; i < s.tape.count; i++) {
        const enum narrow narrow = s.tape.storages[i]->narrow;
        if (narrow == BFLOAT16) side.precision = &precisions[PRECISION_BFLOAT16];
        if (narrow == FLOAT16) side.precision = &precisions[PRECISION_FLOAT16];
    }
    add_parts(arena, &side);
    return side;
}

struct side side_of_dump(struct arena *arena, const char *path) {
    struct side side = {.name = path, .last = NOWHERE};
    const struct named_numbers *all;
    const int count = numbers_of_path(arena, path, &all);
    for (int i = 0; i < count; i++) {
        const struct numbers numbers = all[i].numbers;
        if (numbers.dtype != NULL && strcmp(numbers.dtype, "bfloat16") == 0)
            side.precision = &precisions[PRECISION_BFLOAT16];
        if (numbers.dtype != NULL && strcmp(numbers.dtype, "float16") == 0)
            side.precision = &precisions[PRECISION_FLOAT16];
        add_place(arena, &side,
                  (struct place){.name = all[i].name,
                                 .statement = "",
                                 .step = NOWHERE,
                                 .is_shown = true,
                                 .full = numbers.shape,
                                 .shape = squeezed(numbers.shape),
                                 .count = count_of(numbers.shape),
                                 .numbers = numbers.values});
    }
    if (side.count == 0) fail(arena->failure, FAIL_INPUT, "%s has no tensor", path);
    side.last = side.count - 1;
    side.places[side.last].is_result = true;
    add_parts(arena, &side);
    return side;
}

// ---- Rounding ----------------------------------------------------------------------------------------

struct measuring {
    struct arena *arena; // of the disturbed run
    const struct side *side;
    const struct tape *tape;
    struct spread *spreads;
};

static void measure_once(struct measuring *m) {
    struct replay replay = replay_of(m->arena, m->side->run);
    play(&replay, ALL_STEPS, EVERYTHING);
    for (int i = 0; i < m->tape->count; i++) {
        struct storage *storage = m->tape->storages[i];
        const struct view view = {replay.nodes[i], tensor_over(storage, storage->shape)};
        const struct tensor other = played(&view);
        if (is_tensor(&other)) widen_spread_by(&m->spreads[i], &view.tensor, &other);
    }
}

static double least_moved(double x, const struct precision *precision) {
    static const double FLOAT = 4e-7; // a few units of the last bit
    if (!isfinite(x)) return 0;
    return precision != NULL ? 2 * half_unit_of(precision, x) : FLOAT * fabs(x);
}

// How far each number of a view may differ: what its storage's may.
static const double *allowed_of_view(struct arena *arena, const struct tensor *tensor,
                                     const struct spread *spread,
                                     const struct precision *precision) {
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    double *allowed = arena_array(arena, (size_t)count, sizeof *allowed);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        allowed[i] = moved_at(spread, flat_index(tensor, index)) +
                     least_moved(element(tensor, index), precision);
    return allowed;
}

static void spread_over_places(struct arena *arena, struct side *side, const struct measuring *m,
                               const struct precision *precision) {
    for (int i = 0; i < side->count; i++) {
        struct place *place = &side->places[i];
        if (place->is_part) {
            const struct place *whole = &side->places[place->made_of[0]];
            double *allowed = arena_array(arena, (size_t)place->count, sizeof *allowed);
            copy_part(whole->allowed, allowed, &whole->shape, place->part_dim, place->part_at);
            place->allowed = allowed;
            continue;
        }
        const int storage = place_on_tape(m->tape, place->tensor.storage);
        place->allowed = allowed_of_view(arena, &place->tensor, &m->spreads[storage], precision);
    }
}

void measure_rounding(struct arena *arena, struct side *side, const struct precision *precision) {
    const struct run *run = side->run;
    struct tensor *shown = arena_array(arena, (size_t)run->step_count, sizeof *shown);
    for (int i = 0; i < run->step_count; i++) shown[i] = run->steps[i].tensor;
    const struct tape tape = tape_of(arena, run->step_count, shown);
    struct measuring m = {NULL, side, &tape, NULL};
    m.spreads = arena_array(arena, (size_t)tape.count, sizeof *m.spreads);
    for (int i = 0; i < tape.count; i++) {
        const int64_t count = tape.storages[i]->count;
        m.spreads[i] = (struct spread){count, arena_array(arena, (size_t)count, sizeof(double)), 0};
    }
    for (int i = 0; i < FEW_DISTURBED; i++) {
        struct disturbance disturbance = {.number = (uint64_t)i + 1, .precision = precision};
        struct scratch scratch;
        m.arena = scratch_open(&scratch, arena->failure);
        m.arena->disturbance = &disturbance;
        measure_once(&m);
        scratch_close(&scratch);
    }
    spread_over_places(arena, side, &m, precision);
}

void expect_rounding(struct side *side, const struct precision *precision) {
    static const double OF_FLOATS = 2e-5, UNITS = 8;
    for (int i = 0; i < side->count; i++)
        side->places[i].within = precision != NULL ? UNITS * half_unit_of(precision, 1) : OF_FLOATS;
}
