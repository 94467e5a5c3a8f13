// The format `html`: a handout, one file that needs nothing else, neither a network nor a script.

#include <string.h>

#include "app/print/html/html.h"
#include "show/figure.h"
#include "show/heat.h"
#include "show/map/map.h"
#include "show/markup.h"
#include "trace/run/step.h"

static void add_element(struct text *text, const char *tag, const char *content) {
    text_add_format(text, "<%s>", tag);
    markup_add(text, content);
    text_add_format(text, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

// The style sheet: handout.css, the colours of heat.h, and the style of figure.h.
static void add_style(struct text *text) {
    text_add_bytes(text, data_handout_css, data_handout_css_length);
    add_figure_style(text);
    add_heat_rules(text, false);
    text_add(text, "@media screen and (prefers-color-scheme: dark) {\n");
    add_heat_rules(text, true);
    text_add(text, "}\n");
}

// The policy lets the browser fetch nothing and run nothing, whatever the page holds.
static void add_head(struct text *text, const char *title) {
    text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; img-src data:\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"generator\" content=\"onestep " VERSION "\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n");
    add_element(text, "title", title);
    text_add(text, "<style>\n");
    add_style(text);
    text_add(text, "</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
}

// ---- Contents -----------------------------------------------------------------------------------

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
                   "<p>Each step shows a formula, the C code that computes it, the same in "
                   "PyTorch, and the result. The colour behind a number shows its size "
                   "within its matrix, from the smallest to the largest ");
    add_swatches(text, 's', SEQUENTIAL_LEVELS);
    text_add(text, " or, if some are negative, on both sides of zero ");
    add_swatches(text, 'd', DIVERGING_LEVELS);
    text_add(text, ". Masked and dropped numbers are hatched <span class=\"swatches\" "
                   "aria-hidden=\"true\"><span class=\"no\"></span></span>.</p>\n"
                   "<p class=\"screen\">Where did a number come from? Point at it, tap it, or move "
                   "to it with the Tab key: its arithmetic appears at the foot of the window.</p>\n"
                   "</section>\n");
}

// ---- Around the lessons -------------------------------------------------------------------------

static bool is_only_lesson(const struct document *d) {
    return d->selection->trial_count == 1;
}

// Behind what introduces the document: what is in it and how to read it.
static void end_header(const struct document *d) {
    text_add(d->text, "</header>\n");
    add_contents(d->text, d->selection);
    text_add(d->text, "<main id=\"content\">\n");
    add_guide(d->text);
}

static void begin(const struct document *d) {
    add_head(d->text, d->words);
    text_add(d->text, "<header>\n");
    add_element(d->text, "h1", d->words);
    if (is_only_lesson(d)) return;
    add_element(d->text, "p class=\"summary\"",
                "The attention mechanism of language models, with every number that it computes.");
    end_header(d);
}

// ---- Parts --------------------------------------------------------------------------------------

// An element with the tag d->how.
static void add_words(const struct document *d) {
    add_element(d->text, d->how, d->words);
}

static void add_markup(const struct document *d) {
    text_add(d->text, d->how);
}

// A section with an address and a heading.
static void open_section(const struct document *d, const char *classes, const char *address) {
    text_add_format(d->text, "<section class=\"%s\" aria-labelledby=\"%s\">\n", classes, address);
    add_element(d->text, arena_format(d->text->arena, "h%d id=\"%s\"", d->level, address),
                d->words);
}

static void begin_sheet(const struct document *d) {
    open_section(d, "lesson sheet", d->how);
}

// The title of the only lesson is the document's, and its introduction stands in the header.
static void begin_lesson(const struct document *d) {
    if (!is_only_lesson(d)) open_section(d, "lesson", d->trial->run.lesson->name);
}

static void end_lesson(const struct document *d) {
    if (!is_only_lesson(d)) text_add(d->text, "</section>\n");
}

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    text_add_format(d->text, "<p class=\"differs\"><strong>Not the %s’s numbers:</strong> ",
                    standard_of(d->trial->run.lesson));
    markup_add(d->text, d->words);
    text_add(d->text, ".</p>\n");
}

static void add_mistake(const struct document *d) {
    const struct mistake *mistake = d->trial->mistakes[d->mistake];
    text_add(d->text, "<p><strong>What if:</strong> ");
    markup_add(d->text, arena_format(d->text->arena, "%s (%s). %s", mistake->title, mistake->name,
                                     mistake_text(d)));
    text_add(d->text, "</p>\n");
}

enum { MOST_LINES = 300 }; // of a map; nobody finds a way through more on paper

// The lesson at a glance. Each step links to its place below.
static void add_map_figure(const struct document *d) {
    const struct graph graph = graph_of_call(d->text->arena, &d->trial->run, 0);
    if (graph.edge_count > MOST_LINES) {
        text_add_format(d->text,
                        "<p>The map of this lesson is too wide for a page; <code>onestep print %s "
                        "--picture map --format svg</code> draws it.</p>\n",
                        d->trial->run.lesson->name);
        return;
    }
    const struct map map = map_of(d->text->arena, &d->trial->run);
    text_add(d->text, "<figure class=\"map\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                      "aria-label=\"Map\">\n");
    add_map_svg(d->text, &map, NULL, true);
    text_add(d->text,
             "</div>\n"
             "<figcaption>What each step was computed from, with shapes.</figcaption></figure>\n");
}

static void end_introduction(const struct document *d) {
    if (d->selection->step == NULL) add_map_figure(d);
    if (is_touched(d->trial)) add_element(d->text, "p", d->how);
    if (is_only_lesson(d)) end_header(d);
}

static void add_section(const struct document *d) {
    add_element(d->text, arena_format(d->text->arena, "h%d", d->level), d->words);
}

static void begin_step(const struct document *d) {
    struct text *text = d->text;
    const char *address = step_address(text->arena, &d->trial->run, d->step);
    text_add_format(text, "<article aria-labelledby=\"%s\">\n", address);
    text_add_format(text, "<h%d id=\"%s\"><span class=\"number\">%d</span> ", d->level, address,
                    d->step->number);
    if (d->words != NULL) markup_add(text, d->words);
    text_add(text, d->words != NULL ? " <code>" : "<code>");
    markup_add(text, step_label(text->arena, d->step));
    text_add_format(text, "</code></h%d>\n", d->level);
}

static void add_wrong(const struct document *d) {
    text_add(d->text, "<p class=\"differs\"><strong>The mistake, in PyTorch:</strong> ");
    markup_add(d->text, d->words);
    text_add(d->text, "</p>\n");
}

static void add_lines(const struct document *d) {
    text_add(d->text,
             "<figure class=\"differs\"><figcaption><strong>The mistake, in PyTorch:</strong> "
             "the lesson’s lines (-), and those that ran in their place (+)</figcaption>"
             "<pre><code>");
    markup_add(d->text, d->words);
    text_add(d->text, "</code></pre></figure>\n");
}

// Beside C, PyTorch stands in one figure with it (html_source.c).
static void add_pytorch(const struct document *d) {
    if (d->selection->code != CODE_PYTORCH) return;
    text_add(d->text, "<figure><pre><code>");
    markup_add(d->text, d->words);
    text_add(d->text, "</code></pre></figure>\n");
}

static const struct print_part parts[PART_COUNT] = {
    [PART_BEGIN] = {begin, NULL},
    [PART_LESSON] = {begin_lesson, NULL},
    [PART_SUMMARY] = {add_words, "p class=\"summary\""},
    [PART_BOOK] = {add_words, "p"},
    [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_MISTAKE] = {add_mistake, NULL},
    [PART_SETUP_LINES] = {add_lines, NULL},
    [PART_STEPS] = {end_introduction, "Titles, explanations and formulas are those of the right "
                                      "program. Framed numbers differ from it."},
    [PART_SECTION] = {add_section, NULL},
    [PART_STEP] = {begin_step, NULL},
    [PART_EXPLANATION] = {add_words, "p"},
    [PART_FORMULA] = {add_words, "p class=\"formula\""},
    [PART_WRONG] = {add_wrong, NULL},
    [PART_LINES] = {add_lines, NULL},
    [PART_SOURCE] = {html_add_source, NULL},
    [PART_PYTORCH] = {add_pytorch, NULL},
    [PART_TENSOR] = {html_add_tensor, NULL},
    [PART_STEP_END] = {add_markup, "</article>\n"},
    [PART_LESSON_END] = {end_lesson, NULL},
    [PART_SHEET] = {begin_sheet, "formulas"},
    [PART_SHEET_TABLE] = {html_add_sheet_table, NULL},
    [PART_SHEET_END] = {add_markup, "</section>\n"},
    [PART_END] = {add_markup, "</main>\n<footer><p>Made by onestep " VERSION
                              ". The same numbers on every machine.</p></footer>\n"
                              "</body>\n</html>\n"},
};

void add_html(struct text *text, const struct selection *selection) {
    add_document(text, selection, parts, NULL);
}
