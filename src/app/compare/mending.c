#include "app/compare/mending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    bool is_of_last;
    bool is_met[MOST_GOALS];
    bool is_last_met;
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

static bool see(void *context, const struct sighting *sighting) {
    struct attempt *attempt = context;
    const int64_t count = count_of(shape_of(&sighting->tensor));
    bool is_met = false, has_place = false;
    struct place place = {0};
    for (int i = 0; i < attempt->goal_count; i++) {
        if (attempt->goals[i]->count != count || (attempt->is_met[i] && !attempt->is_of_last))
            continue;
        if (!has_place) place = place_of_sighting(attempt->arena, &sighting->tensor);
        has_place = true;
        if (!have_same_numbers(attempt->goals[i], &place)) continue;
        attempt->is_met[i] = is_met = true;
    }
    attempt->is_last_met = is_met;
    return true;
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
        const char *edited = edited_source(attempt->arena, source, &edits[i]);
        mending->tried++;
        if (reaches(attempt, viewer, file, edited, &statements)) found = &edits[i];
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

struct mending mend_a(struct arena *arena, const struct matching *m, const struct parting *parting,
                      const char *source, bool is_thorough) {
    struct mending mending = {.changed = NOWHERE};
    const struct place *result = &m->b->places[m->b->last], *wrong = &m->b->places[parting->b];
    struct attempt attempt = {.goal_count = 1, .goals = {result}};
    if (wrong != result && !m->is_known[parting->b] && wrong->is_shown)
        attempt.goals[attempt.goal_count++] = wrong;
    struct edit *edits;
    int count;
    if (source != NULL) {
        const struct edit_list list = mistakes_in_program(arena, "a.py", source, NULL, NULL);
        edits = copy_of_list(arena, &list);
        count = list.count;
    } else {
        const struct lesson_lines lines =
            lines_of_lesson(arena, m->a->run, m->a->places[m->a->last].step);
        const struct edit_list named = mistakes_of_lines(arena, &lines, NULL),
                               others = edits_of_lines(arena, &lines);
        source = lines.source;
        count = named.count + others.count;
        edits = arena_array(arena, (size_t)count, sizeof *edits);
        for (int i = 0; i < count; i++)
            edits[i] = i < named.count ? named.edits[i] : others.edits[i - named.count];
    }
    const struct edit *edit =
        find_edit(arena, &attempt, "a.py", source, edits, count, is_thorough, &mending);
    // Of two tensors that the edit must give, the first may be computed in another order of operations.
    if (edit == NULL && attempt.goal_count > 1) {
        attempt.goal_count = 1;
        edit = find_edit(arena, &attempt, "a.py", source, edits, count, is_thorough, &mending);
    }
    if (edit != NULL) describe(&mending, arena, source, edit);
    return mending;
}
