#include "app/check/program/mend.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/edit/candidates.h"

enum {
    MOST_TRIED = 2000,
    MOST_IN_A_ROUND = 800,
    MOST_WORK = 16 << 20,
    EACH = 16384,
    EACH_TENSOR = 256,
    EACH_STATEMENT = 12,
    THOROUGH = 10 // times as much
};

// An edit mends a line of the first wrong tensor, of one without a name of the lesson's before it, or a line that makes no
// tensor. Nothing is wrong in a line whose tensors have the numbers of their names, and what comes behind the first wrong one
// waits.
static const bool *closed_lines(struct arena *arena, const struct matched *own) {
    const int first = first_wrong(own);
    size_t lines = 2;
    for (const char *at = own->source; *at != '\0'; at++) lines += *at == '\n';
    bool *closed = arena_array(arena, lines + 1, sizeof *closed);
    for (int i = 0; i < own->tensor_count; i++) {
        const struct own_tensor *tensor = &own->tensors[i];
        for (int line = tensor->line; line <= tensor->last_line; line++) closed[line] = true;
    }
    for (int i = 0; i <= first; i++) {
        const struct own_tensor *tensor = &own->tensors[i];
        const bool is_open = !tensor->is_named || tensor->is_reshaped;
        for (int line = tensor->line; line <= tensor->last_line && is_open; line++)
            closed[line] = false;
    }
    return closed;
}

// ---- The lesson's own lines ---------------------------------------------------------------------------

// What the program calls a step of the lesson; the name itself if it has none.
static const char *own_name(struct arena *arena, const struct wanted *wanted,
                            const struct matched *own, const char *name) {
    for (int i = 0; i < own->tensor_count; i++) {
        const struct own_tensor *tensor = &own->tensors[i];
        const size_t length = strlen(tensor->name);
        if (tensor->step < 0 || strcmp(wanted->steps[tensor->step].name, name) != 0) continue;
        const bool is_weight = length > 7 && strcmp(tensor->name + length - 7, ".weight") == 0;
        return arena_copy_bytes(arena, tensor->name, is_weight ? length - 7 : length);
    }
    return name;
}

// An expression of the lesson in the program's names.
static const char *in_own_names(struct arena *arena, const struct wanted *wanted,
                                const struct matched *own, const char *expression) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = expression; *at != '\0';) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
        const bool is_name =
            length > 0 && !isdigit((unsigned char)*at) && (at == expression || at[-1] != '.');
        if (is_name)
            text_add(&text, own_name(arena, wanted, own, arena_copy_bytes(arena, at, length)));
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
                                        const char *file, const struct matched *own) {
    static const double PRICE = 7;
    const struct own_tensor *wrong = &own->tensors[first_wrong(own)];
    struct edit *edits = arena_array(arena, (size_t)wanted->count, sizeof *edits), edit;
    struct edit_list list = {.edits = edits};
    if (!edit_of_value(&edit, arena, file, own->source, wrong->line)) return list;
    for (int i = 0; i < wanted->run->step_count; i++) {
        const char *equals = strstr(last_line(wanted->run->steps[i].statement), " = ");
        const bool is_own = strcmp(wanted->steps[i].name, wrong->name) == 0;
        if (equals == NULL) continue;
        if (own->found[wanted->steps[i].same] && !is_own) continue;
        edit.text = in_own_names(arena, wanted, own, equals + 3);
        edit.words = "the lesson's line";
        edit.price = PRICE + (is_own ? 0 : 4);
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

// Does a line make a tensor that is no step of the lesson?
static bool makes_other(const struct matched *own, int line) {
    for (int i = 0; i < own->tensor_count; i++) {
        const struct own_tensor *tensor = &own->tensors[i];
        if (tensor->step < 0 && tensor->line <= line && line <= tensor->last_line) return true;
    }
    return false;
}

// All edits, the likeliest first: those of the line that makes the first wrong tensor.
static struct edit_list edits_to_try(struct arena *arena, const struct wanted *wanted,
                                     const char *file, const struct matched *own) {
    static const double ELSEWHERE = 4;
    const struct own_tensor *wrong = &own->tensors[first_wrong(own)];
    const struct edit_list usual =
        edits_of_program(arena, file, own->source, closed_lines(arena, own));
    const struct edit_list lesson = edits_of_lesson(arena, wanted, file, own);
    const int count = usual.count + lesson.count;
    struct edit *edits = arena_array(arena, (size_t)count, sizeof *edits);
    for (int i = 0; i < count; i++) {
        edits[i] = i < usual.count ? usual.edits[i] : lesson.edits[i - usual.count];
        const int line = line_of_place(own->source, edits[i].start);
        if (line < wrong->line || line > wrong->last_line)
            edits[i].price += makes_other(own, line) ? ELSEWHERE - 1 : ELSEWHERE;
    }
    if (count > 0) qsort(edits, (size_t)count, sizeof *edits, compare_prices);
    return (struct edit_list){count, edits};
}

// The edit that gives the program most of the lesson; of several the cheapest. False if none gives it more than it has.
static bool find_edit(struct arena *arena, const struct wanted *wanted, const char *file,
                      const struct matched *own, struct mended *mended, struct edit *best) {
    struct viewer *viewer = open_viewer(arena, MOST_BYTES_OF_PROGRAM);
    const struct edit_list list = edits_to_try(arena, wanted, file, own);
    int most = own->right;
    bool ends = false;
    const int times = mended->times;
    for (int i = 0; i < list.count && !ends; i++) {
        mended->is_cut = i == times * MOST_IN_A_ROUND || mended->tried == times * MOST_TRIED ||
                         mended->work > (int64_t)times * MOST_WORK;
        if (mended->is_cut) break;
        renew_viewer(viewer);
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena->failure);
        const char *source = edited_source(m, own->source, &list.edits[i]);
        const struct matched *after = match_program(m, viewer, wanted, file, source, own);
        mended->tried++;
        mended->work += EACH + (int64_t)strlen(source) + EACH_TENSOR * after->tensor_count +
                        EACH_STATEMENT * after->statements;
        if (after->right > most) {
            most = after->right;
            *best = list.edits[i];
            ends = first_wrong(after) < 0;
        }
        scratch_close(&scratch);
    }
    close_viewer(viewer);
    return most > own->right;
}

struct mended mend_program(struct arena *arena, const struct wanted *wanted, const char *file,
                           const struct matched *own, bool is_thorough) {
    struct mended mended = {.times = is_thorough ? THOROUGH : 1};
    while (mended.count < MOST_MENDED && first_wrong(own) >= 0) {
        struct edit *edit = &mended.edits[mended.count];
        if (!find_edit(arena, wanted, file, own, &mended, edit)) break;
        const char *source = edited_source(arena, own->source, edit);
        own = mended.after[mended.count++] = match_program(arena, NULL, wanted, file, source, NULL);
    }
    return mended;
}
