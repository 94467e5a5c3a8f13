#include "app/check/edited.h"

#include <float.h>
#include <math.h>

#include "app/check/compare.h"
#include "app/check/relation/fitted.h"
#include "script/edit/candidates.h"
#include "script/lesson/edit_runs.h"
#include "tensor/operation/tolerance.h"
#include "trace/what_if/effects.h"
#include "trace/what_if/mistake.h"

// In units of work_performed().
enum { MOST_WORK = 700000000, THOROUGH = 10 };

struct searching {
    struct arena *arena;
    const struct step *step;
    const struct numbers *numbers;
    const double *allowed;
    struct edit_runs *runs;
    enum edits_tried tried;
    bool has_shape; // the numbers have the step's shape; if not, that of an edit is theirs
    bool has_pairs; // equal numbers tell as much as others where the right ones differ
    struct edits_done done;
};

// Is a number before it the same, and wrong as well? Where pairs count, the right ones have to be the same, too.
static bool is_copy(const struct searching *search, const struct tensor *other, int64_t position) {
    const struct tensor *right = &search->step->tensor;
    const double *values = search->numbers->values, number = element_at(other, position);
    const double right_number = search->has_pairs ? element_at(right, position) : 0;
    for (int64_t i = 0; i < position; i++) {
        if (search->has_pairs && element_at(right, i) != right_number) continue;
        const bool is_right =
            search->has_shape && agree(values[i], element_at(right, i), search->allowed[i]);
        if (!is_right && values[i] == values[position] && element_at(other, i) == number)
            return true;
    }
    return false;
}

// What the numbers tell that the edit changes, all of which agree with it; no more than `enough`. In another shape all numbers
// tell something.
static double bits_of(const struct searching *search, const struct tensor *other,
                      const double *all_allowed, double enough) {
    enum { OF_INFINITY = 8, LEAST_OF_WHOLE = 2 };
    static const double OF_BIT = 1.5;
    static const double OF_WHOLE = 0.5; // how far a whole number may be off
    const struct tensor *right = &search->step->tensor;
    const int64_t count = count_of(search->numbers->shape);
    double bits = 0;
    for (int64_t i = 0; i < count && bits < enough; i++) {
        const double value = search->numbers->values[i];
        const double number = search->has_shape ? element_at(right, i) : 0;
        const double allowed = all_allowed[i], off = fabs(value - number);
        const bool is_whole = value == rint(value) && number == rint(number);
        const bool is_bit = (value == 0 || value == 1) && off == 1; // True for False
        if (agree(value, number, allowed) || (!is_bit && is_copy(search, other, i))) continue;
        bits += !isfinite(off) ? OF_INFINITY
                : is_bit       ? OF_BIT
                : is_whole     ? fmax(LEAST_OF_WHOLE, log2(1 + off / OF_WHOLE))
                               : log2(1 + off / fmax(allowed, DBL_MIN));
    }
    return bits;
}

// Do the numbers agree with another tensor's, and tell clearly more than its price?
static bool is_told(const struct searching *search, const struct tensor *other,
                    const double *allowed, double price) {
    enum { CLEARLY = 5 }; // bits
    const double enough = price + CLEARLY;
    return all_agree(search->numbers, other, allowed) &&
           bits_of(search, other, allowed, enough) >= enough;
}

static bool gives_numbers(struct searching *search, const struct edit *edit) {
    if (search->has_shape &&
        begins_otherwise(search->runs, edit, search->numbers->values, search->allowed)) {
        search->done.tried++;
        return false;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, search->arena->failure);
    const struct tensor *right = &search->step->tensor;
    const struct tensor other = tensor_with(search->runs, m, edit);
    bool agrees = is_tensor(&other) && fits(search->numbers, shape_of(&other)) &&
                  shapes_equal(shape_of(&other), shape_of(right)) == search->has_shape &&
                  count_apart(search->numbers, &other, 1e-2) == 0;
    const double *allowed = search->allowed;
    if (agrees)
        allowed = search->has_shape
                      ? allowed_beside(m, search->numbers, &other, right, search->allowed)
                      : allowed_of(m, search->numbers, &other);
    search->done.tried += is_tensor(&other) && are_others(&other, right);
    search->done.agreeing += agrees && all_agree(search->numbers, &other, allowed);
    agrees = agrees && is_told(search, &other, allowed, edit->price);
    scratch_close(&scratch);
    return agrees;
}

static bool is_tried(enum edits_tried tried, const char *name) {
    if (tried == EDITS_OF_CHECK) return name != NULL && find_mistake(name) == NULL;
    return tried == ALL_EDITS || (tried == EDITS_WITH_NAME) == (name != NULL);
}

// The first of the edits that is it; NULL if none is, or the work is done before. None runs much longer than the right program.
static const struct edit *find_edit(struct searching *search, const struct edit_list *edits,
                                    int64_t most) {
    const struct edit *found = NULL;
    for (int i = 0; i < edits->count && found == NULL && !search->done.is_cut; i++) {
        const bool has_name = edits->edits[i].name != NULL;
        if (!is_tried(search->tried, edits->edits[i].name)) continue;
        search->done.is_cut = search->runs->work > most;
        search->has_pairs = has_name && search->has_shape && has_fractions(&search->step->tensor);
        if (!search->done.is_cut && gives_numbers(search, &edits->edits[i]))
            found = &edits->edits[i];
    }
    return found;
}

const char *words_of_named(struct arena *arena, const char *name) {
    const struct mistake *mistake = find_mistake(name);
    return mistake != NULL ? arena_format(arena, "%s. %s", mistake->title, mistake->wrong)
                           : words_of_mistake(arena, name);
}

struct edited edited_by(struct arena *arena, const struct lesson_lines *lines,
                        const struct edit *edit) {
    return (struct edited){.name = edit->name,
                           .words = edit->name != NULL ? words_of_named(arena, edit->name) : NULL,
                           .line = lines_after(arena, lines, edit),
                           .right_line = lines_before(arena, lines, edit),
                           .step = &lines->run->steps[step_of_edit(lines, edit)]};
}

// Is it one of the run's steps, and not a part of one?
static bool is_own(const struct run *run, const struct step *step) {
    return step >= run->steps && step < run->steps + run->step_count;
}

bool find_edited(struct edited *edited, struct arena *arena, const struct run *run,
                 const struct step *step, const struct numbers *numbers, const double *allowed,
                 enum edits_tried tried, bool is_thorough, struct edits_done *done) {
    *done = (struct edits_done){0};
    struct searching search = {.arena = arena,
                               .step = step,
                               .numbers = numbers,
                               .allowed = allowed,
                               .tried = tried,
                               .has_shape = allowed != NULL};
    if (!is_own(run, step)) return false;
    search.runs = begin_edit_runs(arena, run, step);
    const struct lesson_lines *lines = &search.runs->lines;
    const struct edit_list edits = edits_of_lines(arena, lines);
    const struct edit *edit =
        find_edit(&search, &edits, (int64_t)MOST_WORK * (is_thorough ? THOROUGH : 1));
    end_edit_runs(search.runs);
    *done = search.done;
    if (edit != NULL) *edited = edited_by(arena, lines, edit);
    return edit != NULL;
}

bool are_those_of(const struct tensor *other, double price, const struct step *step,
                  const struct numbers *numbers, const double *allowed) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, step->tensor.storage->arena->failure);
    const struct searching search = {.arena = m,
                                     .step = step,
                                     .numbers = numbers,
                                     .allowed = allowed,
                                     .has_shape = true,
                                     .has_pairs = true};
    const double *beside = allowed_beside(m, numbers, other, &step->tensor, allowed);
    const bool is_so = is_told(&search, other, beside, price);
    scratch_close(&scratch);
    return is_so;
}

bool find_fitted(struct edited *edited, struct arena *arena, const struct run *run,
                 const struct step *step, const struct numbers *numbers, const double *allowed) {
    const struct searching search = {.arena = arena,
                                     .step = step,
                                     .numbers = numbers,
                                     .allowed = allowed,
                                     .has_shape = true,
                                     .has_pairs = true};
    const struct fits fits = fits_of(arena, &step->tensor, numbers, allowed);
    for (int i = 0; i < fits.count && is_own(run, step); i++) {
        const struct fit *fit = &fits.all[i];
        if (!is_told(&search, &fit->tensor, fit->allowed, fit->price)) continue;
        const struct lesson_lines lines = lines_of_lesson(arena, run, (int)(step - run->steps));
        struct edit edit;
        if (!edit_around_value(&edit, arena, lines.source, step->expression, fit->text))
            return false;
        *edited = edited_by(arena, &lines, &edit);
        return true;
    }
    return false;
}
