// The format `html`: a handout, one file that needs nothing else, neither a network nor a script.

#include <string.h>

#include "app/print/html.h"
#include "app/print/print.h"
#include "app/what_if.h"
#include "show/heat.h"
#include "show/markup.h"
#include "trace/step.h"

static const char all_title[] = "Attention, one step at a time";

static const char *title_of(const struct selection *selection) {
    return selection->trial_count == 1 ? selection->trials[0].run.lesson->title : all_title;
}

static void add_element(struct text *text, const char *tag, const char *content) {
    text_add_format(text, "<%s>", tag);
    markup_add(text, content);
    text_add_format(text, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

// The policy lets the browser fetch nothing and run nothing, whatever the page holds.
static void add_head(struct text *text, const struct selection *selection) {
    text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; img-src data:\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"generator\" content=\"onestep " VERSION "\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n");
    add_element(text, "title", title_of(selection));
    text_add(text, "<style>\n");
    html_add_style(text);
    text_add(text, "</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
}

// ---- Contents -----------------------------------------------------------------------------------

static bool is_selected(const struct selection *selection, const struct step *step) {
    return selection->step == NULL || selection->step == step;
}

static void add_link(struct text *text, const char *address, const char *content) {
    text_add_format(text, "<a href=\"#%s\">", address);
    markup_add(text, content);
    text_add(text, "</a>");
}

static void add_step_links(struct text *text, const struct selection *selection,
                           const struct run *run) {
    text_add(text, "<ol>\n");
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (!is_selected(selection, step)) continue;
        text_add_format(text, "<li value=\"%d\">", step->number);
        add_link(text, step_address(text->arena, run, step), step_label(text->arena, step));
        text_add(text, "</li>\n");
    }
    text_add(text, "</ol>\n");
}

static void add_contents(struct text *text, const struct selection *selection) {
    const bool is_one = selection->trial_count == 1;
    text_add(text, "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n");
    for (int i = 0; i < selection->trial_count; i++) {
        const struct run *run = &selection->trials[i].run;
        if (!is_one) {
            text_add(text, "<details><summary>");
            markup_add(text, run->lesson->title);
            text_add(text, "</summary>\n<p>");
            add_link(text, run->lesson->name, "The lesson");
            text_add(text, "</p>\n");
        }
        add_step_links(text, selection, run);
        text_add(text, is_one ? "" : "</details>\n");
    }
    if (selection->step == NULL) text_add(text, "<p><a href=\"#formulas\">Cheat sheet</a></p>\n");
    text_add(text, "</nav>\n");
}

// ---- The guide ----------------------------------------------------------------------------------

static void add_swatches(struct text *text, char letter, int count) {
    text_add(text, "<span class=\"swatches\" aria-hidden=\"true\">");
    for (int i = 0; i < count; i++)
        text_add_format(text, "<span class=\"%c%d\"></span>", letter, i);
    text_add(text, "</span>");
}

static void add_guide(struct text *text) {
    text_add(text, "<section class=\"guide\" aria-labelledby=\"guide\">\n"
                   "<h2 id=\"guide\">How to read this</h2>\n"
                   "<p>Each step is a line of mathematics, the C that computes it, the same in "
                   "PyTorch, and its result. A number stands on a colour that tells its size "
                   "within its matrix, from the least to the most ");
    add_swatches(text, 's', SEQUENTIAL_LEVELS);
    text_add(text, " or, where there are negative ones, to both sides of zero ");
    add_swatches(text, 'd', DIVERGING_LEVELS);
    text_add(text, ". What is masked or dropped is hatched "
                   "<span class=\"swatches\" aria-hidden=\"true\"><span class=\"no\"></span></span>"
                   ".</p>\n<p class=\"screen\">Where did a number come from? Point at it, tap it, "
                   "or move to it with the Tab key: its arithmetic appears at the foot of the "
                   "window.</p>\n</section>\n");
}

// ---- Steps --------------------------------------------------------------------------------------

static void add_step_heading(struct text *text, const struct run *run, const struct step *step,
                             int level) {
    text_add_format(text, "<h%d id=\"%s\"><span class=\"number\">%d</span> ", level,
                    step_address(text->arena, run, step), step->number);
    if (!continues_paragraph(run, step)) {
        markup_add(text, step->paragraph->title);
        text_add(text, " ");
    }
    text_add(text, "<code>");
    markup_add(text, step_label(text->arena, step));
    text_add_format(text, "</code></h%d>\n", level);
}

static void add_step(struct text *text, const struct selection *selection,
                     const struct trial *trial, const struct step *step, int level) {
    const struct run *run = &trial->run;
    const char *address = step_address(text->arena, run, step);
    text_add_format(text, "<article aria-labelledby=\"%s\">\n", address);
    add_step_heading(text, run, step, level);
    if (!continues_paragraph(run, step)) add_element(text, "p", step->paragraph->explanation);
    add_element(text, "p class=\"formula\"", step->formula);
    html_add_source(text, run, step);
    html_add_tensor(text, trial, step, selection->digits);
    text_add(text, "</article>\n");
}

// ---- Lessons ------------------------------------------------------------------------------------

static bool is_new_section(const struct step *step, const char *section) {
    if (step->section == NULL) return false;
    return section == NULL || strcmp(step->section, section) != 0;
}

static void add_steps(struct text *text, const struct selection *selection,
                      const struct trial *trial, int level) {
    const struct run *run = &trial->run;
    const char *section = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (!is_selected(selection, step)) continue;
        if (is_new_section(step, section)) {
            section = step->section;
            add_element(text, arena_format(text->arena, "h%d", level), section);
        }
        add_step(text, selection, trial, step, section != NULL ? level + 1 : level);
    }
}

// A mistake made on purpose: what goes wrong, or why nothing does.
static void add_mistake(struct text *text, const struct trial *trial, int i) {
    const struct mistake *mistake = trial->mistakes[i];
    const char *idle = idle_text(text->arena, trial, i);
    text_add(text, "<p><strong>What if:</strong> ");
    markup_add(text, arena_format(text->arena, "%s (%s). ", mistake->title, mistake->name));
    if (idle != NULL)
        markup_add(text, arena_format(text->arena, "%s.", idle));
    else
        markup_add(
            text, arena_format(text->arena, "%s In PyTorch: %s", mistake->wrong, mistake->pytorch));
    text_add(text, "</p>\n");
}

static void add_introduction(struct text *text, const struct trial *trial) {
    add_element(text, "p class=\"summary\"", trial->run.lesson->summary);
    const char *differences = differences_text(text->arena, trial);
    if (differences == NULL) return;
    text_add(text, "<p class=\"differs\"><strong>Not the course’s numbers:</strong> ");
    markup_add(text, differences);
    text_add(text, ".</p>\n");
    for (int i = 0; i < trial->mistake_count; i++) add_mistake(text, trial, i);
    if (!is_touched(trial)) return;
    add_element(text, "p",
                "Titles, explanations and formulas are those of the right program. Numbers with a "
                "frame are others than there.");
}

// One of several lessons.
static void add_lesson(struct text *text, const struct selection *selection,
                       const struct trial *trial) {
    const struct run *run = &trial->run;
    const char *name = run->lesson->name;
    text_add_format(text, "<section class=\"lesson\" aria-labelledby=\"%s\">\n", name);
    add_element(text, arena_format(text->arena, "h2 id=\"%s\"", name), run->lesson->title);
    add_introduction(text, trial);
    add_steps(text, selection, trial, 3);
    text_add(text, "</section>\n");
}

static void add_header(struct text *text, const struct selection *selection) {
    text_add(text, "<header>\n");
    add_element(text, "h1", title_of(selection));
    if (selection->trial_count == 1)
        add_introduction(text, &selection->trials[0]);
    else
        add_element(text, "p class=\"summary\"",
                    "The attention mechanism of language models, with every number that it "
                    "computes on the way.");
    text_add(text, "</header>\n");
}

void add_html(struct text *text, const struct selection *selection) {
    add_head(text, selection);
    add_header(text, selection);
    add_contents(text, selection);
    text_add(text, "<main id=\"content\">\n");
    add_guide(text);
    for (int i = 0; i < selection->trial_count; i++) {
        if (selection->trial_count == 1)
            add_steps(text, selection, &selection->trials[i], 2);
        else
            add_lesson(text, selection, &selection->trials[i]);
    }
    if (selection->step == NULL) html_add_formulas(text, selection->trial_count, selection->trials);
    text_add(text, "</main>\n<footer><p>Made by onestep " VERSION
                   ". The same numbers on every machine.</p></footer>\n</body>\n</html>\n");
}
