#include "show/recap.h"

#include <string.h>

const char *opening_text(struct arena *arena, const struct lesson *lesson) {
    const struct recap *recap = lesson->source->recap;
    if (recap == NULL || recap->news == NULL) return lesson->summary;
    return arena_format(arena, "%s New: %s", lesson->summary, recap->news);
}

const char *classes_title(struct arena *arena, const struct recap *recap) {
    if (recap->since == NULL) return "The complete code in PyTorch";
    return arena_format(arena, "The complete code in PyTorch (+ new, - gone since lesson %s)",
                        recap->since);
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

static void add_changes(struct text *text, const struct recap *recap, bool has_color) {
    static const char *const marks[] = {
        [LINE_STAYS] = " ", [LINE_IS_NEW] = "+", [LINE_IS_GONE] = "-"};
    for (int i = 0; i < recap->change_count; i++) {
        const struct change *change = &recap->changes[i];
        const bool is_dim = has_color && recap->since != NULL && change->kind == LINE_STAYS;
        const bool is_blank = *change->line == '\0' && change->kind == LINE_STAYS;
        if (!is_blank)
            text_add_format(text, "%s%s %s%s", is_dim ? "\033[2m" : "", marks[change->kind],
                            change->line, is_dim ? "\033[0m" : "");
        text_add(text, "\n");
    }
}

// The lines of a program, each behind a margin.
static void add_lines(struct text *text, const char *lines) {
    while (*lines != '\0') {
        const int length = (int)strcspn(lines, "\n");
        text_add_format(text, "%s%.*s\n", length > 0 ? "  " : "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void add_recap(struct text *text, const struct run *run, bool has_color) {
    const struct lesson *lesson = run->lesson;
    const struct recap *recap = lesson->source->recap;
    text_add_format(text, "%s\n\n", lesson->title);
    add_paragraph(text, recap->words, "", "");
    text_add_format(text, "\n%s:\n\n", classes_title(text->arena, recap));
    add_changes(text, recap, has_color);
    text_add_format(text, "\nIt gives the lesson's %s:\n\n", recap->gives);
    add_lines(text, run_statement(text->arena, run, recap->use));
    if (lesson->source->function != NULL) {
        text_add_format(text, "\n%s:\n\n", FUNCTION_TITLE);
        add_lines(text, lesson->source->function);
    }
    text_add(text, "\nQuestions:\n\n");
    for (int i = 0; i < QUESTION_COUNT; i++) {
        const struct question *question = &recap->questions[i];
        const char *words =
            arena_format(text->arena, "%s (See %s.)", question->text, question->step);
        add_paragraph(text, words, arena_format(text->arena, "%d. ", i + 1), "   ");
    }
    text_add(text, "\n");
    if (*recap->can != '\0') add_paragraph(text, recap->can, "", "");
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
    const char *last = use;
    for (const char *end = strchr(use, '\n'); end != NULL && end[1] != '\0';
         end = strchr(last, '\n'))
        last = end + 1;
    return arena_copy_bytes(arena, last, strcspn(last, " "));
}

void add_recap_program(struct text *text, const struct run *run) {
    const struct recap *recap = run->lesson->source->recap;
    text_add_format(text, "# %s: %s\n%s\n\n%s\n\n%sprint(%s)\n", run->lesson->title, recap->gives,
                    run_setup(text->arena, run), recap->classes,
                    run_statement(text->arena, run, recap->use),
                    last_name(text->arena, recap->use));
}
