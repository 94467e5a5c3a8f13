#include "show/figure.h"

#include <math.h>
#include <string.h>

#include "show/markup.h"

enum { HEADING = 40, MARGIN = 16 };

static const char style[] =
    ".fig{--page:#ffffff;--ink:#1b1f24;--quiet:#5a6370;--grid:#e3e6e9;--line:#7b8794;--panel:#"
    "f5f7f8;"
    "--accent:#0b6170;--area:#dcecef;"
    "font:13px 'DejaVu Sans',Verdana,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){.fig{--page:#14171a;--ink:#e4e7ea;--quiet:#a3adb8;"
    "--grid:#2b3137;--line:#7f8a95;--panel:#1c2125;--accent:#7cc7d6;--area:#17404a}}\n"
    ".fig .paper{fill:var(--page)}\n"
    ".fig text{fill:var(--ink);paint-order:stroke;stroke:var(--page);stroke-width:3px;"
    "stroke-linejoin:round}\n"
    ".fig .quiet{fill:var(--quiet);font-size:11px}\n"
    ".fig .strong{font-weight:600;font-size:16px}\n"
    ".fig .words{stroke:none}\n"
    ".fig .line{fill:none;stroke:var(--line);stroke-width:1.3}\n"
    ".fig .grid{fill:none;stroke:var(--grid)}\n"
    ".fig .thick{fill:none;stroke:var(--accent);stroke-linecap:round}\n"
    ".fig .band{fill:none;stroke:var(--accent)}\n"
    ".fig .arrow{fill:var(--line)}\n"
    ".fig .area{fill:var(--area)}\n"
    ".fig .node{fill:var(--panel);stroke:var(--line)}\n"
    ".fig a{text-decoration:none}\n"
    ".fig a:hover .node,.fig a:focus-visible .node{stroke:var(--accent);stroke-width:2.5}\n"
    ".fig .ring{fill:var(--page);stroke:var(--ink);stroke-width:1.6}\n"
    ".fig .dot{fill:var(--ink)}\n"
    ".fig .lit{fill:var(--accent)}\n";

void add_figure_style(struct text *text) {
    text_add(text, style);
}

void figure_open(struct text *text, struct figure_spot size, const char *heading, const char *label,
                 const char *description) {
    const int above = MARGIN + (heading != NULL ? HEADING : 0);
    const int wide = heading != NULL ? (int)(1.3 * figure_width(heading)) : 0;
    const int width = 2 * MARGIN + ((int)ceil(size.x) > wide ? (int)ceil(size.x) : wide);
    const int height = above + MARGIN + (int)ceil(size.y);
    text_add_format(
        text,
        "<svg class=\"fig\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "viewBox=\"%d %d %d %d\" role=\"group\" aria-label=\"",
        width, height, -MARGIN, -above, width, height);
    markup_add(text, label);
    text_add(text, "\">\n<title>");
    markup_add(text, label);
    text_add(text, "</title>\n<desc>");
    markup_add(text, description);
    text_add(text, "</desc>\n");
    if (heading != NULL) text_add_format(text, "<style>\n%s</style>\n", style);
    text_add_format(text, "<rect class=\"paper\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    -MARGIN, -above, width, height);
    if (heading != NULL)
        figure_words(text, (struct figure_spot){0, -HEADING + 14}, "start", "strong", heading);
}

void figure_close(struct text *text) {
    text_add(text, "</svg>\n");
}

void figure_words(struct text *text, struct figure_spot spot, const char *anchor,
                  const char *classes, const char *words) {
    text_add_format(text, "<text x=\"%.5g\" y=\"%.5g\"", spot.x, spot.y);
    if (strcmp(anchor, "start") != 0) text_add_format(text, " text-anchor=\"%s\"", anchor);
    text_add_format(text, " class=\"%s\">", classes);
    markup_add(text, words);
    text_add(text, "</text>\n");
}

double figure_width(const char *words) {
    return text_width(words) * 8.2;
}
