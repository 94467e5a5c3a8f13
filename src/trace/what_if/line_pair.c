#include "trace/what_if/line_pair.h"

#include <string.h>

#include "base/text.h"

struct line {
    const char *start;
    size_t length;
};

struct lines {
    int count;
    struct line *all;
};

// Without those that are blank.
static struct lines lines_in(struct arena *arena, const char *code) {
    struct lines lines = {0};
    for (const char *at = code; *at != '\0'; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        if (strspn(at, " ") < length) {
            lines.all = arena_grow(arena, lines.all, (size_t)lines.count * sizeof *lines.all,
                                   sizeof *lines.all);
            lines.all[lines.count++] = (struct line){at, length};
        }
        at += length;
    }
    return lines;
}

static bool are_same(const struct line *a, const struct line *b) {
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

// Leaves out those at the beginning and at the end that are the same in both.
static void cut_same(struct lines *a, struct lines *b) {
    for (; a->count > 0 && b->count > 0 && are_same(a->all, b->all); a->count--, b->count--) {
        a->all++;
        b->all++;
    }
    for (; a->count > 0 && b->count > 0; a->count--, b->count--) {
        if (!are_same(&a->all[a->count - 1], &b->all[b->count - 1])) return;
    }
}

// [i * (b->count + 1) + j]: how many lines from a's number i and b's number j on can stay, in their order. NULL if there are too
// many to tell.
static const int *staying(struct arena *arena, const struct lines *a, const struct lines *b) {
    enum { MOST = 1 << 20 };
    const int columns = b->count + 1;
    if (a->count >= MOST / columns) return NULL;
    int *counts = arena_array(arena, (size_t)(a->count + 1) * (size_t)columns, sizeof *counts);
    for (int i = a->count - 1; i >= 0; i--) {
        for (int j = b->count - 1; j >= 0; j--) {
            const int *below = &counts[(i + 1) * columns + j];
            const int right = counts[i * columns + j + 1];
            const bool is_same = are_same(&a->all[i], &b->all[j]);
            counts[i * columns + j] = is_same ? below[1] + 1 : *below > right ? *below : right;
        }
    }
    return counts;
}

struct comparing {
    struct arena *arena;
    struct line_pairs *pairs;
    int step;
    struct text before, after; // of the pair that is being made
};

static void begin_pair(struct comparing *comparing) {
    comparing->before = text_new(comparing->arena);
    comparing->after = text_new(comparing->arena);
    text_add(&comparing->before, "");
    text_add(&comparing->after, "");
}

static void end_pair(struct comparing *comparing) {
    struct line_pairs *pairs = comparing->pairs;
    if (comparing->before.length + comparing->after.length == 0) return;
    pairs->all = arena_grow(comparing->arena, pairs->all, (size_t)pairs->count * sizeof *pairs->all,
                            sizeof *pairs->all);
    pairs->all[pairs->count++] =
        (struct line_pair){comparing->step, comparing->before.bytes, comparing->after.bytes};
    begin_pair(comparing);
}

static void add_line(struct text *text, const struct line *line) {
    text_add_bytes(text, line->start, line->length);
    text_add(text, "\n");
}

// One pair for each change.
static void compare(struct comparing *comparing, const char *right, const char *edited) {
    if (strcmp(right, edited) == 0) return;
    struct arena *arena = comparing->arena;
    struct lines a = lines_in(arena, right), b = lines_in(arena, edited);
    cut_same(&a, &b);
    const int *counts = staying(arena, &a, &b), columns = b.count + 1;
    begin_pair(comparing);
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        const bool is_both = i < a.count && j < b.count && counts != NULL;
        const int *here = is_both ? &counts[i * columns + j] : NULL;
        if (is_both && are_same(&a.all[i], &b.all[j])) {
            end_pair(comparing);
            i++;
            j++;
        } else if (is_both ? here[columns] >= here[1] : i < a.count) {
            add_line(&comparing->before, &a.all[i++]);
        } else {
            add_line(&comparing->after, &b.all[j++]);
        }
    }
    end_pair(comparing);
}

struct line_pairs line_pairs_between(struct arena *arena, const struct run *right,
                                     const struct run *edited) {
    struct line_pairs pairs = {0};
    struct comparing comparing = {.arena = arena, .pairs = &pairs, .step = -1};
    if (edited->setup != NULL) compare(&comparing, run_setup(arena, right), edited->setup);
    for (int i = 0; i < right->step_count; i++) {
        comparing.step = i;
        compare(&comparing, right->steps[i].statement, edited->steps[i].statement);
    }
    return pairs;
}

const char *lines_in_step(struct arena *arena, const struct line_pairs *pairs, int step) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int i = 0; i < pairs->count; i++)
        if (pairs->all[i].step == step) text_add(&text, pairs->all[i].after);
    return text.bytes;
}

static void add_marked(struct text *text, const char *mark, const char *lines) {
    for (const char *at = lines; *at != '\0'; at += strcspn(at, "\n") + 1)
        text_add_format(text, "%s %.*s\n", mark, (int)strcspn(at, "\n"), at);
}

const char *pairs_in_step(struct arena *arena, const struct line_pairs *pairs, int step) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int i = 0; i < pairs->count; i++) {
        if (pairs->all[i].step != step) continue;
        add_marked(&text, "-", pairs->all[i].before);
        add_marked(&text, "+", pairs->all[i].after);
    }
    return text.bytes;
}

bool is_pair_again(const struct line_pairs *pairs, int i) {
    const struct line_pair *pair = &pairs->all[i];
    for (int k = 0; k < i; k++) {
        if (strcmp(pairs->all[k].before, pair->before) == 0 &&
            strcmp(pairs->all[k].after, pair->after) == 0)
            return true;
    }
    return false;
}
