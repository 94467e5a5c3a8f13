#include "app/check/program/mend.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/program/suspects.h"
#include "base/text.h"
#include "script/edit/candidates.h"
#include "script/steps/words.h"

enum {
    MOST_TRIED = 6000,
    MOST_IN_A_ROUND = 3000,
    MOST_WORK = 32 << 20,
    EACH = 4096,
    EACH_TENSOR = 24,
    EACH_STATEMENT = 12,
    THOROUGH = 10 // times as much
};

// An edit mends a line of the first wrong tensor, of one without a name of the lesson's before it, or a line that makes no
// tensor. Nothing is wrong in a line whose tensors have the numbers of their names, and what comes behind the first wrong one
// waits.
static const bool *closed_lines(struct arena *arena, const struct matched *matched) {
    const int first = first_wrong(matched);
    size_t lines = 2;
    for (const char *at = matched->source; *at != '\0'; at++) lines += *at == '\n';
    bool *closed = arena_array(arena, lines + 1, sizeof *closed);
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        for (int line = tensor->line; line <= tensor->last_line; line++) closed[line] = true;
    }
    for (int i = 0; i <= first; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        const bool is_open = !tensor->is_named || tensor->is_reshaped;
        for (int line = tensor->line; line <= tensor->last_line && is_open; line++)
            closed[line] = false;
    }
    return closed;
}

// ---- The lesson's own lines ---------------------------------------------------------------------------

static const char lessons_line[] = "the lesson's line";

// What the program calls a step of the lesson; the name itself if it has none.
static const char *own_name(struct arena *arena, const struct wanted *wanted,
                            const struct matched *matched, const char *name) {
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        const size_t length = strlen(tensor->name);
        if (tensor->step < 0 || strcmp(wanted->steps[tensor->step].name, name) != 0) continue;
        const bool is_weight = length > 7 && strcmp(tensor->name + length - 7, ".weight") == 0;
        return arena_copy_bytes(arena, tensor->name, is_weight ? length - 7 : length);
    }
    return name;
}

// An expression of the lesson in the program's names.
static const char *in_own_names(struct arena *arena, const struct wanted *wanted,
                                const struct matched *matched, const char *expression) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = expression; *at != '\0';) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        const bool is_name =
            length > 0 && !isdigit((unsigned char)*at) && (at == expression || at[-1] != '.');
        if (is_name)
            text_add(&text, own_name(arena, wanted, matched, arena_copy_bytes(arena, at, length)));
        else
            text_add_bytes(&text, at, length > 0 ? length : 1);
        at += length > 0 ? length : 1;
    }
    return text.bytes;
}

// What a statement of several lines ends with; "" if that belongs to a line before.
static const char *last_line(const char *statement) {
    const char *line = strrchr(statement, '\n');
    if (line == NULL) return statement;
    return isalpha((unsigned char)line[1]) ? line + 1 : "";
}

// The lines of the lesson, each in the place of what the first wrong tensor is given.
static struct edit_list edits_of_lesson(struct arena *arena, const struct wanted *wanted,
                                        const char *file, const struct matched *matched) {
    static const double PRICE = 7, OTHER = 4;
    const struct program_tensor *wrong = &matched->tensors[first_wrong(matched)];
    struct edit *edits = arena_array(arena, (size_t)wanted->count, sizeof *edits), edit;
    struct edit_list list = {.edits = edits};
    if (!edit_of_value(&edit, arena, file, matched->source, wrong->line)) return list;
    for (int i = 0; i < wanted->run->step_count; i++) {
        const char *equals = strstr(last_line(wanted->run->steps[i].statement), " = ");
        const bool is_own = strcmp(wanted->steps[i].name, wrong->name) == 0;
        if (equals == NULL) continue;
        if (matched->found[wanted->steps[i].same] && !is_own) continue;
        edit.text = in_own_names(arena, wanted, matched, equals + 3);
        edit.words = lessons_line;
        edit.price = PRICE + (is_own ? 0 : OTHER);
        edits[list.count++] = edit;
    }
    return list;
}

// ---- The search -------------------------------------------------------------------------------------

static int compare_prices(const void *a, const void *b) {
    const struct edit *one = a, *other = b;
    if (one->price != other->price) return one->price < other->price ? -1 : 1;
    if (one->start != other->start) return one->start < other->start ? -1 : 1;
    return strcmp(one->text, other->text);
}

// Are the tensors that a line makes all steps of the lesson? Then nothing is wrong in it, most likely. So it is with a seed whose
// first draws are right.
static bool is_right_line(const struct matched *matched, int line) {
    int right = 0;
    const char *statement = place_in_source(matched->source, line, 0);
    statement += strspn(statement, " ");
    const bool is_seed = strncmp(statement, "torch.manual_seed(", 18) == 0;
    if (strncmp(statement, "for ", 4) == 0) return false; // what it binds, other lines have made
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        if (is_seed && tensor->line > line) return tensor->step >= 0;
        if (line < tensor->line || tensor->last_line < line) continue;
        if (i <= matched->trained) return true;
        if (tensor->step < 0) return false;
        right++;
    }
    return right > 0;
}

// All edits, the likeliest first: those of the line that makes the first wrong tensor.
static struct edit_list edits_to_try(struct arena *arena, const struct wanted *wanted,
                                     const char *file, const struct matched *matched) {
    static const double ELSEWHERE = 1.5, IN_RIGHT_LINE = 5;
    const struct program_tensor *wrong = &matched->tensors[first_wrong(matched)];
    const struct edit_list usual =
        edits_of_program(arena, file, matched->source, closed_lines(arena, matched));
    const struct edit_list lesson = edits_of_lesson(arena, wanted, file, matched);
    const int count = usual.count + lesson.count;
    struct edit *edits = arena_array(arena, (size_t)count, sizeof *edits);
    for (int i = 0; i < count; i++) {
        edits[i] = i < usual.count ? usual.edits[i] : lesson.edits[i - usual.count];
        const int line = line_of_place(matched->source, edits[i].start);
        if (line < wrong->line || line > wrong->last_line)
            edits[i].price += is_right_line(matched, line) ? IN_RIGHT_LINE : ELSEWHERE;
    }
    if (count > 0) qsort(edits, (size_t)count, sizeof *edits, compare_prices);
    return (struct edit_list){count, edits};
}

// ---- What an edit gains -------------------------------------------------------------------------------

enum gain {
    GAINS_NOTHING,
    GAINS_PART, // more of the program is the lesson's, and not all
    GAINS_ALL
};

// Is a step that the program had lost? One number may have been a step by chance.
static bool loses(const struct wanted *wanted, const struct matched *matched,
                  const struct matched *after) {
    for (int i = 0; i < wanted->count; i++) {
        if (matched->found[i] && !after->found[i] && wanted->steps[i].values.count > 1) return true;
    }
    return false;
}

// The last step of the lesson that the program has before its first wrong tensor.
static int furthest_step(const struct wanted *wanted, const struct matched *matched) {
    int furthest = -1;
    for (int i = 0; i < wanted->count - 1; i++) {
        if (matched->found[i] && !wanted->steps[i].is_given) furthest = i;
    }
    return furthest;
}

// A program with all edits ends with the step that the lesson's class gives, or with one that is no earlier than those that it
// had. A part of the way is one if the wrong tensor is right, or several more are: one more may be chance.
static enum gain gain_of(const struct wanted *wanted, const struct matched *matched,
                         const struct matched *after) {
    enum { SEVERAL = 2 };
    if (after->right <= matched->right) return GAINS_NOTHING;
    const struct program_tensor *wrong = &matched->tensors[first_wrong(matched)];
    if (first_wrong(after) < 0) {
        const int last = after->tensors[after->tensor_count - 1].step;
        const bool is_given = wanted->given >= 0 && last >= 0 &&
                              wanted->steps[last].same == wanted->steps[wanted->given].same;
        if (is_given || last >= furthest_step(wanted, matched)) return GAINS_ALL;
    }
    if (loses(wanted, matched, after)) return GAINS_NOTHING;
    for (int i = 0; i < after->tensor_count; i++) {
        const struct program_tensor *tensor = &after->tensors[i];
        if (wrong->is_suspect && tensor->step >= 0 && tensor->nth == wrong->nth &&
            strcmp(tensor->plain, wrong->plain) == 0)
            return GAINS_PART;
    }
    return after->right >= matched->right + SEVERAL ? GAINS_PART : GAINS_NOTHING;
}

// An edit's price, less what the steps tell that it makes right. One that gives the last tensor another shape does more than it
// should, and the lesson's line tells less than a slip in the student's own.
static double cost_of(const struct edit *edit, const struct matched *matched,
                      const struct matched *after) {
    static const double STEP = 0.5, SHAPE = 2, ANOTHER_LINE = 1.5;
    const struct shape before = matched->tensors[matched->tensor_count - 1].values.squeezed,
                       now = after->tensors[after->tensor_count - 1].values.squeezed;
    return edit->price - STEP * (after->right - matched->right) +
           (matched->error == NULL && !shapes_equal(before, now) ? SHAPE : 0) +
           (edit->words == lessons_line ? ANOTHER_LINE : 0);
}

static void count_work(struct mended *mended, const struct matched *after) {
    mended->tried++;
    mended->work += EACH + (int64_t)strlen(after->source) + EACH_TENSOR * after->tensor_count +
                    EACH_STATEMENT * after->statements;
}

// The edit that gives the program all of the lesson, or else most of it; of several the cheapest. False if none gives it more
// than it has.
static bool find_edit(struct arena *arena, const struct wanted *wanted, const char *file,
                      const struct matched *matched, struct mended *mended, struct edit *best) {
    static const double FURTHER = 1.5; // bits, in which another may be better
    struct viewer *viewer = open_viewer(arena, MOST_BYTES_OF_PROGRAM);
    const struct edit_list list = edits_to_try(arena, wanted, file, matched);
    enum gain gained = GAINS_NOTHING;
    double least = INFINITY; // cost
    const int times = mended->times;
    for (int i = 0; i < list.count; i++) {
        const struct edit *edit = &list.edits[i];
        if (gained == GAINS_ALL && edit->price > best->price + FURTHER) break;
        mended->is_cut = i == times * MOST_IN_A_ROUND || mended->tried == times * MOST_TRIED ||
                         mended->work > (int64_t)times * MOST_WORK;
        if (mended->is_cut) break;
        renew_viewer(viewer);
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena->failure);
        const char *source = edited_source(m, matched->source, edit);
        const struct matched *after = match_program(m, viewer, wanted, file, source, matched);
        count_work(mended, after);
        const enum gain gain = gain_of(wanted, matched, after);
        const double cost = gain > GAINS_NOTHING ? cost_of(edit, matched, after) : INFINITY;
        if (gain > gained || (gain == gained && cost < least)) {
            gained = gain;
            least = cost;
            *best = *edit;
        }
        scratch_close(&scratch);
    }
    close_viewer(viewer);
    return gained != GAINS_NOTHING;
}

struct mended mend_program(struct arena *arena, const struct wanted *wanted, const char *file,
                           const struct matched *matched, bool is_thorough) {
    struct mended mended = {.times = is_thorough ? THOROUGH : 1};
    while (mended.count < MOST_MENDED && first_wrong(matched) >= 0) {
        struct edit *edit = &mended.edits[mended.count];
        if (!find_edit(arena, wanted, file, matched, &mended, edit)) break;
        const char *source = edited_source(arena, matched->source, edit);
        matched = mended.after[mended.count++] =
            match_program(arena, NULL, wanted, file, source, NULL);
    }
    return mended;
}

// ---- Where nothing is wrong -----------------------------------------------------------------------------

// The first edit after which nothing is wrong, and which gains something.
static struct mended first_that(struct arena *arena, const struct wanted *wanted, const char *file,
                                const struct matched *matched, const struct edit_list *list,
                                bool (*gains)(const struct wanted *wanted,
                                              const struct matched *matched,
                                              const struct matched *after)) {
    struct mended mended = {.times = 1};
    for (int i = 0; i < list->count && mended.work < MOST_WORK; i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena->failure);
        const char *source = edited_source(m, matched->source, &list->edits[i]);
        const struct matched *after = match_program(m, NULL, wanted, file, source, NULL);
        count_work(&mended, after);
        const bool is_candidate =
            after->tensor_count > 0 && first_wrong(after) < 0 && gains(wanted, matched, after);
        scratch_close(&scratch);
        if (!is_candidate) continue;
        mended.edits[0] = list->edits[i];
        source = edited_source(arena, matched->source, &list->edits[i]);
        mended.after[mended.count++] = match_program(arena, NULL, wanted, file, source, NULL);
        break;
    }
    return mended;
}

static bool gives_given_step(const struct wanted *wanted, const struct matched *matched,
                             const struct matched *after) {
    (void)matched;
    return after->found[wanted->steps[wanted->given].same];
}

struct mended mend_unfinished(struct arena *arena, const struct wanted *wanted, const char *file,
                              const struct matched *matched) {
    const struct edit_list list = edits_of_program(arena, file, matched->source, NULL);
    struct edit *forgotten = arena_array(arena, (size_t)list.count, sizeof *forgotten);
    struct edit_list those = {0, forgotten};
    for (int i = 0; i < list.count; i++)
        if (list.edits[i].is_forgotten) forgotten[those.count++] = list.edits[i];
    return first_that(arena, wanted, file, matched, &those, gives_given_step);
}

// Is a tensor that was not judged a step that the program had not, and all others what they were?
static bool judges_one(const struct wanted *wanted, const struct matched *matched,
                       const struct matched *after) {
    const int last = matched->tensors[matched->tensor_count - 1].step,
              now = after->tensors[after->tensor_count - 1].step;
    if (last != now || loses(wanted, matched, after)) return false;
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *before = &matched->tensors[i];
        for (int k = 0; k < after->tensor_count && before->is_unjudged; k++) {
            const struct program_tensor *tensor = &after->tensors[k];
            if (tensor->step >= 0 && tensor->nth == before->nth && !is_even(&tensor->values) &&
                !matched->found[wanted->steps[tensor->step].same] &&
                strcmp(tensor->name, before->name) == 0)
                return true;
        }
    }
    return false;
}

// Nothing is wrong in a line whose tensors are all steps.
static const bool *right_lines(struct arena *arena, const struct matched *matched) {
    size_t lines = 2;
    for (const char *at = matched->source; *at != '\0'; at++) lines += *at == '\n';
    bool *closed = arena_array(arena, lines + 1, sizeof *closed);
    for (int line = 1; line <= (int)lines; line++) closed[line] = is_right_line(matched, line);
    return closed;
}

struct mended mend_aside(struct arena *arena, const struct wanted *wanted, const char *file,
                         const struct matched *matched) {
    struct edit_list list =
        edits_of_program(arena, file, matched->source, right_lines(arena, matched));
    struct edit *edits = arena_array(arena, (size_t)list.count, sizeof *edits);
    memcpy(edits, list.edits, (size_t)list.count * sizeof *edits);
    if (list.count > 0) qsort(edits, (size_t)list.count, sizeof *edits, compare_prices);
    list.edits = edits;
    return first_that(arena, wanted, file, matched, &list, judges_one);
}
