#include "show/recap.h"

#include <string.h>

const char *opening_text(struct arena *arena, const struct lesson *lesson) {
    const struct recap *recap = lesson->source->recap;
    if (recap == NULL || recap->news == NULL) return lesson->summary;
    return arena_format(arena, "%s New: %s", lesson->summary, recap->news);
}

// ---- Changes -------------------------------------------------------------------------------------

struct lines {
    int count;
    const char **lines;
};

static struct lines lines_of(struct arena *arena, const char *text) {
    struct lines lines = {0, NULL};
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        lines.lines = arena_grow(arena, lines.lines, (size_t)lines.count * sizeof *lines.lines,
                                 sizeof *lines.lines);
        lines.lines[lines.count++] = arena_copy_bytes(arena, text, length);
        text += length + (text[length] == '\n');
    }
    return lines;
}

// length[i * (b->count + 1) + j]: of the longest subsequence that a from line i on and b from line j on have in
// common.
static const int *common_lengths(struct arena *arena, const struct lines *a,
                                 const struct lines *b) {
    const int width = b->count + 1;
    int *length = arena_array(arena, (size_t)(a->count + 1) * (size_t)width, sizeof *length);
    for (int i = a->count - 1; i >= 0; i--) {
        for (int j = b->count - 1; j >= 0; j--) {
            const int down = length[(i + 1) * width + j], right = length[i * width + j + 1];
            const bool is_same = strcmp(a->lines[i], b->lines[j]) == 0;
            length[i * width + j] = is_same        ? length[(i + 1) * width + j + 1] + 1
                                    : down > right ? down
                                                   : right;
        }
    }
    return length;
}

int changes_since(struct arena *arena, const struct recap *before, const struct recap *now,
                  struct change **changes) {
    const struct lines b = lines_of(arena, now->classes);
    const struct lines a = before != NULL ? lines_of(arena, before->classes) : b;
    const int *length = common_lengths(arena, &a, &b);
    const int width = b.count + 1;
    *changes = arena_array(arena, (size_t)(a.count + b.count), sizeof **changes);
    int count = 0;
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        struct change *change = &(*changes)[count++];
        if (i < a.count && j < b.count && strcmp(a.lines[i], b.lines[j]) == 0)
            *change = (struct change){LINE_STAYS, b.lines[j++]}, i++;
        else if (i < a.count &&
                 (j == b.count || length[(i + 1) * width + j] >= length[i * width + j + 1]))
            *change = (struct change){LINE_IS_GONE, a.lines[i++]};
        else
            *change = (struct change){LINE_IS_NEW, b.lines[j++]};
    }
    return count;
}

// ---- The document ----------------------------------------------------------------------------------

enum { WIDTH = 80 };

static void add_paragraph(struct text *text, const char *words, const char *first,
                          const char *others) {
    char **lines;
    const int count = text_wrap(text->arena, words, WIDTH - (int)strlen(others), &lines);
    for (int i = 0; i < count; i++)
        text_add_format(text, "%s%s\n", i == 0 ? first : others, lines[i]);
}

static void add_changes(struct text *text, const struct recap *recap, const struct recap *before,
                        bool has_color) {
    static const char *const marks[] = {
        [LINE_STAYS] = " ", [LINE_IS_NEW] = "+", [LINE_IS_GONE] = "-"};
    struct change *changes;
    const int count = changes_since(text->arena, before, recap, &changes);
    for (int i = 0; i < count; i++) {
        const struct change *change = &changes[i];
        const bool is_dim = has_color && before != NULL && change->kind == LINE_STAYS;
        const bool is_blank = *change->line == '\0' && change->kind == LINE_STAYS;
        if (!is_blank)
            text_add_format(text, "%s%s %s%s", is_dim ? "\033[2m" : "", marks[change->kind],
                            change->line, is_dim ? "\033[0m" : "");
        text_add(text, "\n");
    }
}

static void add_use(struct text *text, const struct recap *recap) {
    const struct lines use = lines_of(text->arena, recap->use);
    for (int i = 0; i < use.count; i++)
        text_add_format(text, "%s%s\n", *use.lines[i] != '\0' ? "  " : "", use.lines[i]);
}

void add_recap(struct text *text, const struct lesson *lesson, const struct recap *before,
               bool has_color) {
    const struct recap *recap = lesson->source->recap;
    text_add_format(text, "%s\n\n", lesson->title);
    add_paragraph(text, recap->words, "", "");
    text_add_format(text, "\nThe complete code in PyTorch%s:\n\n",
                    before != NULL ? " (+ new, - gone since the lesson before)" : "");
    add_changes(text, recap, before, has_color);
    text_add_format(text, "\nIt gives the lesson's %s:\n\n", recap->gives);
    add_use(text, recap);
    text_add(text, "\nQuestions:\n\n");
    for (int i = 0; i < QUESTION_COUNT; i++) {
        const struct question *question = &recap->questions[i];
        const char *words =
            arena_format(text->arena, "%s (See %s.)", question->text, question->step);
        add_paragraph(text, words, arena_format(text->arena, "%d. ", i + 1), "   ");
    }
    text_add(text, "\n");
    add_paragraph(text, arena_format(text->arena, "Next: %s", recap->onward), "", "");
    text_add(text, "\nAnswers, at the course's parameters:\n\n");
    for (int i = 0; i < QUESTION_COUNT; i++)
        add_paragraph(text, recap->questions[i].answer, arena_format(text->arena, "%d. ", i + 1),
                      "   ");
    text_add(text, "\n");
}

// ---- The program -----------------------------------------------------------------------------------

// The name that the last line of a program gives to what it computes.
static const char *last_name(struct arena *arena, const char *use) {
    const struct lines lines = lines_of(arena, use);
    const char *last = lines.count > 0 ? lines.lines[lines.count - 1] : "";
    return arena_copy_bytes(arena, last, strcspn(last, " "));
}

void add_recap_program(struct text *text, const struct run *run) {
    const struct recap *recap = run->lesson->source->recap;
    text_add_format(text, "# %s: %s\n%s\n\n%s\n\n%sprint(%s)\n", run->lesson->title, recap->gives,
                    run_setup(text->arena, run), recap->classes,
                    run_statement(text->arena, run, recap->use),
                    last_name(text->arena, recap->use));
}
