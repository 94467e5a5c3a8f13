// The format `py`: a script that runs with PyTorch alone, compares every step with its print, and says at
// the end what was equal.

#include <string.h>

#include "app/print/document.h"
#include "trace/run/step.h"

enum { WIDTH = 100 };

// ---- Comments -----------------------------------------------------------------------------------

// Breaks the words into lines, each a comment that begins with `start`.
static void add_comment_at(const struct document *d, const char *start, const char *words) {
    char **lines;
    const char *safe = text_safe(d->text->arena, words);
    const int count = text_wrap(d->text->arena, safe, WIDTH - text_width(start), &lines);
    for (int i = 0; i < count; i++) text_add_format(d->text, "%s%s\n", start, lines[i]);
}

// Its lines begin with d->how.
static void add_comment(const struct document *d) {
    add_comment_at(d, d->how, d->words);
}

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    add_comment_at(d, "# ",
                   arena_format(d->text->arena, "Not the %s's numbers: %s.",
                                standard_of(d->trial->run.lesson), d->words));
}

// ---- The script ---------------------------------------------------------------------------------

static const char *purpose(const struct selection *selection) {
    switch (selection->exercises) {
    case NO_EXERCISES:
        return "This script needs only PyTorch. It computes every step and compares it with what "
               "onestep prints.";
    case BLANKS:
        return "Replace each ... and run this script after each change. It stops at the first "
               "wrong answer and gives a hint. An argument of 1, 2 or 3 chooses the hint. It needs "
               "only PyTorch.";
    case SOLVED:
        return "The solution: every ... is filled in.";
    }
    return "";
}

static void begin(const struct document *d) {
    text_add(d->text, "#!/usr/bin/env python3\n");
    add_comment_at(d, "# ", d->words);
    text_add(d->text, "#\n");
    add_comment_at(d, "# ", purpose(d->selection));
    add_comment_at(d, "# ", "Made by onestep " VERSION ".");
    text_add_format(d->text, "\n%s\n", data_compare);
    const char *hints = hints_of(d->text->arena, d->selection);
    if (*hints != '\0') text_add_format(d->text, "\n%s", hints);
    if (d->selection->exercises == BLANKS)
        text_add(d->text,
                 "import sys\n\nFIRST_HINT = int(sys.argv[1]) - 1 if sys.argv[1:] else 0\n");
}

static void begin_lesson(const struct document *d) {
    text_add_format(d->text, "\n# %.*s\n", WIDTH - 2,
                    "======================================================================"
                    "==============================");
    add_comment_at(d, "# ", d->words);
}

static void add_setup(const struct document *d) {
    struct arena *arena = d->text->arena;
    text_add_format(d->text, "\n%s%s", run_setup(arena, &d->trial->run),
                    print_options(arena, d->selection));
}

static void add_section(const struct document *d) {
    text_add_format(d->text, "\n# --- %s ---\n", d->words);
}

static void begin_step(const struct document *d) {
    struct arena *arena = d->text->arena;
    const char *before = statements_before(d), *label = step_label(arena, d->step);
    if (*before != '\0') text_add_format(d->text, "\n%s", before);
    text_add(d->text, "\n");
    const char *title =
        arena_format(arena, "%d. %s%s%s", d->step->number, label, d->words != NULL ? " - " : "",
                     d->words != NULL ? d->words : "");
    add_comment_at(d, "# ", title);
}

static void add_statement(const struct document *d) {
    const char *statement = statement_here(d);
    if (*statement != '\0') text_add_format(d->text, "%s\n", statement);
}

// What an exercise came to is worth a line.
static void add_check(const struct document *d) {
    if (failed_outcome(d->trial, d->step) != NULL) return; // PyTorch stops there
    const bool is_exercise = exercise_here(d) != NULL;
    text_add_format(d->text, is_exercise ? "print(%s)\n" : "%s\n", check_here(d));
}

static void end(const struct document *d) {
    text_add(d->text, "\nsummary()\n");
}

static const struct print_part parts[PART_COUNT] = {
    [PART_BEGIN] = {begin, NULL},
    [PART_LESSON] = {begin_lesson, NULL},
    [PART_SUMMARY] = {add_comment, "# "},
    [PART_BOOK] = {add_comment, "# "},
    [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_STEPS] = {add_setup, NULL},
    [PART_SECTION] = {add_section, NULL},
    [PART_STEP] = {begin_step, NULL},
    [PART_EXPLANATION] = {add_comment, "# "},
    [PART_FORMULA] = {add_comment, "#     "},
    [PART_PYTORCH] = {add_statement, NULL},
    [PART_TENSOR] = {add_check, NULL},
    [PART_END] = {end, NULL},
};

void add_py(struct text *text, const struct selection *selection) {
    add_document(text, selection, parts, NULL);
}
