#include "app/compare/mending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/changed_run.h"
#include "app/check/edited.h"
#include "app/check/progress.h"
#include "base/text.h"
#include "script/edit/candidates.h"
#include "script/lesson/line_edits.h"
#include "script/steps/sighting.h"
#include "script/steps/words.h"

enum {
    MOST_GOALS = 24,
    MOST_NODES = 400000,
    MOST_MEMORY = 1 << 30,
    MOST_TRIED = 3000,
    MOST_STATEMENTS = 600000, // of all edits together
    THOROUGH = 10
};

// Looks for a program whose tensors have the numbers of goals: its last one of any of them, or any of all.
struct attempt {
    struct arena *arena; // of the program that runs
    int goal_count;
    const struct place *goals[MOST_GOALS];
    bool is_of_last; // and it may be a slice of a goal, as one row of a batch is
    bool has_slices; // a goal may be a slice of a tensor: a table with more positions
    bool is_met[MOST_GOALS];
    bool is_last_met;
    // Where both are known: what the whole program must reach with the edit as well, and the first edit with which it does not.
    struct attempt *of_result;
    const char *whole;
    const struct edit *unconfirmed;
};

// ---- Running an edit ---------------------------------------------------------------------------------

static struct place place_of_sighting(struct arena *arena, const struct tensor *tensor) {
    const struct shape shape = shape_of(tensor);
    struct place place = {.name = "", .full = shape, .count = count_of(shape)};
    double *numbers = arena_array(arena, (size_t)place.count, sizeof *numbers);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < place.count; i++, next_index(&shape, index))
        numbers[i] = element(tensor, index);
    for (int i = 0; i < shape.ndim; i++) {
        if (shape.size[i] != 1) place.shape.size[place.shape.ndim++] = shape.size[i];
    }
    place.numbers = numbers;
    return place;
}

// Is one of them a slice of the other, one row of a batch for example?
static bool are_slices(const struct place *a, const struct place *b) {
    struct place one = *a, other = *b; // with their dimensions of one
    one.shape = a->full;
    other.shape = b->full;
    return is_slice_of_other(a, b) || is_slice_of_other(&one, &other);
}

static bool see(void *context, const struct sighting *sighting) {
    struct attempt *attempt = context;
    const int64_t count = count_of(shape_of(&sighting->tensor));
    bool is_met = false, has_place = false;
    struct place place = {0};
    for (int i = 0; i < attempt->goal_count; i++) {
        const struct place *goal = attempt->goals[i];
        const bool may_be_slice =
            count > 1 && goal->count > 1 &&
            (attempt->is_of_last ? count < goal->count
                                 : attempt->has_slices && count > goal->count);
        if ((goal->count != count && !may_be_slice) || (attempt->is_met[i] && !attempt->is_of_last))
            continue;
        if (!has_place) place = place_of_sighting(attempt->arena, &sighting->tensor);
        has_place = true;
        attempt->is_met[i] =
            goal->count == count ? have_same_numbers(goal, &place) : are_slices(goal, &place);
        is_met = is_met || attempt->is_met[i];
    }
    attempt->is_last_met = is_met;
    bool are_all = !attempt->is_of_last;
    for (int i = 0; i < attempt->goal_count; i++) are_all = are_all && attempt->is_met[i];
    return !are_all;
}

// Does a program reach the goals?
static bool reaches(struct attempt *attempt, struct viewer *viewer, const char *file,
                    const char *source, int64_t *statements) {
    const struct viewing viewing = {
        .file = file, .source = source, .nodes = MOST_NODES, .see = see, .context = attempt};
    memset(attempt->is_met, 0, sizeof attempt->is_met);
    attempt->is_last_met = false;
    const char *error = view_program(attempt->arena, viewer, &viewing, statements);
    if (attempt->is_of_last) return error == NULL && attempt->is_last_met;
    for (int i = 0; i < attempt->goal_count; i++)
        if (!attempt->is_met[i]) return false;
    return true;
}

// The same with an edit, and of the whole program what it must reach.
static bool reaches_edited(struct attempt *attempt, struct viewer *viewer, const char *file,
                           const char *source, const struct edit *edit, int64_t *statements) {
    const char *edited = edited_source(attempt->arena, source, edit);
    if (!reaches(attempt, viewer, file, edited, statements)) return false;
    if (attempt->of_result == NULL) return true;
    int64_t more;
    attempt->of_result->arena = attempt->arena;
    edited = edited_source(attempt->arena, attempt->whole, edit);
    const bool is_confirmed = reaches(attempt->of_result, viewer, file, edited, &more);
    if (!is_confirmed && attempt->unconfirmed == NULL) attempt->unconfirmed = edit;
    *statements += more;
    return is_confirmed;
}

static int compare_prices(const void *a, const void *b) {
    const struct edit *one = a, *other = b;
    if (one->price != other->price) return one->price < other->price ? -1 : 1;
    if (one->start != other->start) return one->start < other->start ? -1 : 1;
    return strcmp(one->text, other->text);
}

// The cheapest edit of the source that reaches the goals; NULL: none of those that were tried does.
static const struct edit *find_edit(struct arena *arena, struct attempt *attempt, const char *file,
                                    const char *source, struct edit *edits, int count,
                                    bool is_thorough, struct mending *mending) {
    const int times = is_thorough ? THOROUGH : 1;
    const struct edit *found = NULL;
    FILE *terminal = progress_terminal();
    double told = progress_time();
    int64_t all = 0;
    if (count > 0) qsort(edits, (size_t)count, sizeof *edits, compare_prices);
    struct viewer *viewer = open_viewer(arena, MOST_MEMORY);
    for (int i = 0; i < count && found == NULL; i++) {
        mending->is_cut = i == times * MOST_TRIED || all > (int64_t)times * MOST_STATEMENTS;
        if (mending->is_cut) break;
        tell_progress(terminal, &told,
                      line_words(arena, source, line_of_place(source, edits[i].start)), i, count);
        renew_viewer(viewer);
        int64_t statements;
        struct scratch scratch;
        attempt->arena = scratch_open(&scratch, arena->failure);
        mending->tried++;
        if (reaches_edited(attempt, viewer, file, source, &edits[i], &statements))
            found = &edits[i];
        all += statements + 1;
        scratch_close(&scratch);
    }
    close_viewer(viewer);
    take_progress_back(terminal);
    return found;
}

// ---- What it says ------------------------------------------------------------------------------------

// The lines of a source that bytes from `start` to `end` stand in, without their indent.
static const char *lines_around(struct arena *arena, const char *source, size_t start, size_t end) {
    while (start > 0 && source[start - 1] != '\n') start--;
    end += strcspn(source + end, "\n");
    start += strspn(source + start, " \t");
    return end < start ? "" : arena_copy_bytes(arena, source + start, end - start);
}

static void describe(struct mending *mending, struct arena *arena, const char *source,
                     const struct edit *edit) {
    const char *edited = edited_source(arena, source, edit);
    mending->is_found = true;
    mending->name = edit->name;
    mending->words = edit->name != NULL ? words_of_named(arena, edit->name) : edit->words;
    mending->where = line_words(arena, source, line_of_place(source, edit->start));
    mending->before = lines_around(arena, source, edit->start, edit->end);
    mending->after =
        strcmp(edit->text, "pass") == 0
            ? ""
            : lines_around(arena, edited, edit->start, edit->start + strlen(edit->text));
}

// ---- The first tensor that an edit changes -------------------------------------------------------------

struct watching {
    struct arena *arena;
    const struct watching *before; // the program without the edit
    int count;
    struct watched {
        const char *name;
        int line, nth;
        struct place place;
    } * all;
};

static bool watch(void *context, const struct sighting *sighting) {
    struct watching *w = context;
    const size_t used = (size_t)w->count * sizeof *w->all;
    w->all = arena_grow(w->arena, w->all, used, sizeof *w->all);
    struct watched *watched = &w->all[w->count];
    *watched = (struct watched){arena_copy(w->arena, sighting->name), sighting->line, 1,
                                place_of_sighting(w->arena, &sighting->tensor)};
    for (int i = w->count - 1; i >= 0 && watched->nth == 1; i--)
        if (strcmp(w->all[i].name, watched->name) == 0) watched->nth += w->all[i].nth;
    w->count++;
    return true;
}

static struct watching watch_program(struct arena *arena, const char *file, const char *source) {
    struct watching w = {.arena = arena};
    const struct viewing viewing = {
        .file = file, .source = source, .nodes = MOST_NODES, .see = watch, .context = &w};
    struct viewer *viewer = open_viewer(arena, MOST_MEMORY);
    int64_t statements;
    view_program(arena, viewer, &viewing, &statements);
    close_viewer(viewer);
    return w;
}

static bool are_equal(const struct place *a, const struct place *b) {
    return shapes_equal(a->full, b->full) &&
           memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof *a->numbers) == 0;
}

static const struct watched *first_changed(const struct watching *before,
                                           const struct watching *after) {
    for (int i = 0; i < before->count; i++) {
        const struct watched *one = &before->all[i];
        for (int k = 0; k < after->count; k++) {
            const struct watched *other = &after->all[k];
            if (one->nth == other->nth && strcmp(one->name, other->name) == 0 &&
                !are_equal(&one->place, &other->place))
                return one;
        }
    }
    return NULL;
}

// Where the side has a tensor of the program: the place of its line with its numbers. Of several, as those of a function that
// gives the same numbers twice, the one that is made as often.
static int place_in(const struct side *side, const struct watched *watched) {
    int first = NOWHERE, nth = 0;
    for (int i = 0; watched != NULL && i < side->count; i++) {
        const struct place *place = &side->places[i];
        if (!place->is_shown || place->line != watched->line) continue;
        nth++;
        if (!are_equal(place, &watched->place)) continue;
        if (nth == watched->nth) return i;
        if (first == NOWHERE) first = i;
    }
    return first;
}

// ---- Program B -----------------------------------------------------------------------------------------

// What of A is lacking and may be B's result.
static void add_goals(struct attempt *attempt, const struct matching *m) {
    const struct place *result = &m->b->places[m->b->last];
    for (int i = m->a->count - 1; i >= 0 && attempt->goal_count < MOST_GOALS; i--) {
        const struct place *place = &m->a->places[i];
        if (!m->is_needed[i] || !place->is_shown || place->is_given) continue;
        if (place->count != result->count && i != m->a->last) continue;
        attempt->goals[attempt->goal_count++] = place;
    }
}

// Edits of other lines than that of the tensor where they part cost more, of right lines more still.
static double price_at(const struct matching *m, const struct parting *parting, int line) {
    static const double ELSEWHERE = 1.5, BEHIND = 6, IN_RIGHT_LINE = 4;
    const struct place *wrong = &m->b->places[parting->b];
    if (line == wrong->line) return 0;
    bool is_right = false;
    for (int i = 0; i < m->b->count; i++) {
        const struct place *place = &m->b->places[i];
        if (!place->is_shown || place->line != line) continue;
        if (!m->is_known[i]) return i > parting->b ? BEHIND : ELSEWHERE;
        is_right = true;
    }
    return is_right ? IN_RIGHT_LINE : ELSEWHERE;
}

static struct edit *copy_of_list(struct arena *arena, const struct edit_list *list) {
    struct edit *edits = arena_array(arena, (size_t)list->count, sizeof *edits);
    if (list->count > 0) memcpy(edits, list->edits, (size_t)list->count * sizeof *edits);
    return edits;
}

struct mending mend_program_of_b(struct arena *arena, const struct matching *m,
                                 const struct parting *parting, const char *file,
                                 const char *source, bool is_thorough) {
    struct mending mending = {.is_of_b = true, .changed = NOWHERE};
    struct attempt attempt = {.is_of_last = true};
    add_goals(&attempt, m);
    if (attempt.goal_count == 0) return mending;
    const struct edit_list list = edits_of_program(arena, file, source, NULL);
    struct edit *edits = copy_of_list(arena, &list);
    for (int i = 0; i < list.count; i++)
        edits[i].price += price_at(m, parting, line_of_place(source, edits[i].start));
    const struct edit *edit =
        find_edit(arena, &attempt, file, source, edits, list.count, is_thorough, &mending);
    if (edit == NULL) return mending;
    describe(&mending, arena, source, edit);
    const struct watching before = watch_program(arena, file, source),
                          after = watch_program(arena, file, edited_source(arena, source, edit));
    mending.changed = place_in(m->b, first_changed(&before, &after));
    return mending;
}

// ---- A -------------------------------------------------------------------------------------------------

// A parameter of the lesson with which the tensor where they part has B's numbers.
struct looking {
    struct seeker seeker;
    struct arena *arena;
    const struct place *wrong;
    const char *how;
};

static bool has_numbers(struct seeker *seeker, const struct tensor *tensor, const char *how) {
    struct looking *looking = (struct looking *)seeker;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, looking->arena->failure);
    const struct place place = place_of_sighting(m, tensor);
    const bool are_same = place.count > looking->wrong->count
                              ? are_slices(looking->wrong, &place)
                              : have_same_numbers(looking->wrong, &place);
    scratch_close(&scratch);
    if (are_same) looking->how = arena_copy(looking->arena, how);
    return are_same;
}

static const char *find_parameter(struct arena *arena, const struct matching *m,
                                  const struct parting *parting, bool is_thorough) {
    if (parting->a < 0 || m->a->places[parting->a].step < 0 || m->is_known[parting->b] ||
        tells_little(&m->b->places[parting->b]))
        return NULL;
    struct patience patience = start_search(is_thorough);
    struct looking looking = {.seeker = {.run = m->a->run,
                                         .step = &m->a->run->steps[m->a->places[parting->a].step],
                                         .patience = &patience,
                                         .found = has_numbers},
                              .arena = arena,
                              .wrong = &m->b->places[parting->b]};
    try_changed_runs(&looking.seeker, arena);
    return looking.how;
}

// The edits of a lesson's lines up to a step.
static struct edit *edits_up_to(struct arena *arena, const struct lesson_lines *lines, int *count) {
    const struct edit_list named = mistakes_of_lines(arena, lines, NULL),
                           others = edits_of_lines(arena, lines);
    *count = named.count + others.count;
    struct edit *edits = arena_array(arena, (size_t)*count, sizeof *edits);
    for (int i = 0; i < *count; i++)
        edits[i] = i < named.count ? named.edits[i] : others.edits[i - named.count];
    return edits;
}

// The steps of a lesson that may stand for the tensor where they part, the likeliest first.
static int steps_of_parting(const struct matching *m, const struct parting *parting, int *steps,
                            int most) {
    const struct place *wrong = &m->b->places[parting->b];
    int count = 0;
    if (parting->a >= 0) steps[count++] = m->a->places[parting->a].step;
    for (int i = 0; i < m->a->count && count < most; i++) {
        const struct place *place = &m->a->places[i];
        if (!m->is_needed[i] || !place->is_shown || place->made_count == 0) continue;
        if (place->count == wrong->count && place->step != steps[0]) steps[count++] = place->step;
    }
    return count;
}

// An edit of a lesson's lines up to the tensor where they part that gives B's numbers there; if there is one, such that the result
// is B's as well.
static const struct edit *find_edit_before(struct arena *arena, const struct matching *m,
                                           const struct parting *parting, struct attempt *result,
                                           const char *whole, bool is_thorough,
                                           struct mending *mending, bool *is_partial) {
    enum { STEPS = 3 };
    const struct place *wrong = &m->b->places[parting->b];
    const struct edit *first = NULL;
    int steps[STEPS];
    if (m->is_known[parting->b] || tells_little(wrong)) return NULL;
    const int count = steps_of_parting(m, parting, steps, STEPS);
    for (int i = 0; i < count; i++) {
        struct attempt attempt = {.goal_count = 1,
                                  .goals = {wrong},
                                  .has_slices = true,
                                  .of_result = result,
                                  .whole = whole};
        const struct lesson_lines lines = lines_of_lesson(arena, m->a->run, steps[i]);
        int edit_count;
        struct edit *edits = edits_up_to(arena, &lines, &edit_count);
        const struct edit *edit = find_edit(arena, &attempt, "a.py", lines.source, edits,
                                            edit_count, is_thorough, mending);
        if (edit != NULL) return edit;
        if (first == NULL) first = attempt.unconfirmed;
    }
    *is_partial = first != NULL;
    return first;
}

struct mending mend_a(struct arena *arena, const struct matching *m, const struct parting *parting,
                      const char *source, bool is_thorough) {
    struct mending mending = {.changed = NOWHERE};
    const struct place *result = &m->b->places[m->b->last], *wrong = &m->b->places[parting->b];
    struct attempt attempt = {.goal_count = 1, .goals = {result}};
    if (source == NULL) {
        const struct lesson_lines lines =
            lines_of_lesson(arena, m->a->run, m->a->places[m->a->last].step);
        struct edit *edits;
        int count;
        bool is_partial = false;
        mending.parameter = find_parameter(arena, m, parting, is_thorough);
        mending.is_found = mending.parameter != NULL;
        if (mending.is_found) return mending;
        const struct edit *edit = find_edit_before(arena, m, parting, &attempt, lines.source,
                                                   is_thorough, &mending, &is_partial);
        if (edit == NULL) {
            edits = edits_up_to(arena, &lines, &count);
            edit = find_edit(arena, &attempt, "a.py", lines.source, edits, count, is_thorough,
                             &mending);
        }
        if (edit == NULL) return mending;
        describe(&mending, arena, lines.source, edit);
        mending.is_partial = is_partial;
        edit = pieces_needed(arena, &lines, edit);
        mending.before = lines_before(arena, &lines, edit);
        mending.after = lines_after(arena, &lines, edit);
        return mending;
    }
    if (wrong != result && !m->is_known[parting->b] && wrong->is_shown)
        attempt.goals[attempt.goal_count++] = wrong;
    const struct edit_list list = mistakes_in_program(arena, "a.py", source, NULL, NULL);
    struct edit *edits = copy_of_list(arena, &list);
    const struct edit *edit =
        find_edit(arena, &attempt, "a.py", source, edits, list.count, is_thorough, &mending);
    // Of two tensors that the edit must give, the first may be computed in another order of operations.
    if (edit == NULL && attempt.goal_count > 1) {
        attempt.goal_count = 1;
        edit = find_edit(arena, &attempt, "a.py", source, edits, list.count, is_thorough, &mending);
    }
    if (edit != NULL) describe(&mending, arena, source, edit);
    return mending;
}
