// The answer about a class as a page for the teacher.

#include "app/check/class/class.h"
#include "show/markup.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>The class</title>\n<style>\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 64em; margin: 2em auto; padding: 0 "
    "1em;\n"
    "  color-scheme: light dark }\n"
    "table { border-collapse: collapse; width: 100% }\n"
    "th, td { text-align: left; vertical-align: top; padding: .25em .75em .25em 0;\n"
    "  border-bottom: 1px solid #8886 }\n"
    ".bar { display: inline-block; height: .8em; background: #0b6170; margin-right: .5em }\n"
    ".wrong { color: #b3261e } .right { color: #0b6170 }\n"
    "@media (prefers-color-scheme: dark) { .wrong { color: #ff8a80 } .right { color: #7fd6e4 }\n"
    "  .bar { background: #7fd6e4 } }\n"
    "</style>\n</head>\n<body>\n<h1>The class</h1>\n";

static void add_cell(struct text *text, const char *words) {
    text_add(text, "<td>");
    if (words != NULL) markup_add(text, text_safe(text->arena, words));
    text_add(text, "</td>");
}

static void add_tallies(struct text *text, const char *title, const struct tally *tallies,
                        int count, int whole) {
    text_add_format(text, "<h2>%s</h2>\n<table>\n", title);
    for (int i = 0; i < count; i++) {
        text_add(text, "<tr>");
        add_cell(text, tallies[i].what);
        text_add_format(text, "<td><span class=\"bar\" style=\"width: %.1fem\"></span>%d</td>",
                        20.0 * tallies[i].count / whole, tallies[i].count);
        add_cell(text, tallies[i].more);
        text_add(text, "</tr>\n");
    }
    text_add(text, "</table>\n");
}

static void add_student(struct text *text, const struct student *student) {
    text_add(text, "<tr>");
    add_cell(text, student->name);
    add_cell(text, student->file);
    text_add_format(text, "<td class=\"%s\">%s</td><td>%.0f&#160;%%</td>",
                    student->is_accepted ? "right" : "wrong", student->verdict,
                    100 * student->fraction);
    const struct coverage *coverage = &student->coverage;
    text_add_format(text, "<td>%d of %d", coverage->right + coverage->wrong, coverage->all);
    if (coverage->unjudged > 0) text_add_format(text, ", %d not judged", coverage->unjudged);
    text_add(text, "</td>");
    add_cell(text, student->code);
    add_cell(text, student->words);
    add_cell(text, student->same_as != NULL ? student->same_as->name : NULL);
    text_add(text, "</tr>\n");
}

void add_page(struct text *text, const struct class *class) {
    const struct summary summary = summary_of(text->arena, class);
    text_add(text, head);
    text_add_format(text, "<p>%d student%s, %d right.</p>\n", class->count,
                    class->count == 1 ? "" : "s", summary.right);
    for (int i = 0; i < summary.remark_count; i++) {
        text_add(text, "<p>Note: ");
        markup_add(text, summary.remarks[i]);
        text_add(text, "</p>\n");
    }
    add_tallies(text, "Verdicts", summary.verdicts, summary.verdict_count, class->count);
    add_tallies(text, "How much is right", summary.shares, 5, class->count);
    if (summary.code_count > 0)
        add_tallies(text, "Mistakes", summary.codes, summary.code_count, class->count);
    text_add(
        text,
        "<h2>Students</h2>\n<table>\n<tr><th>name</th><th>file</th><th>verdict</th>"
        "<th>right</th><th>steps handed in</th><th>diagnosis</th><th></th><th>same as</th></tr>\n");
    for (int i = 0; i < class->count; i++) add_student(text, &class->students[i]);
    text_add(text, "</table>\n</body>\n</html>\n");
}
