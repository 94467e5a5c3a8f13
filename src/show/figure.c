#include "show/figure.h"

#include <math.h>

#include "show/markup.h"

enum { HEADING = 40, MARGIN = 16 };

static const char style[] =
    "<style>\n"
    ".fig{--p:#fff;--i:#1b1f24;--q:#5a6370;--g:#e3e6e9;--l:#7b8794;--n:#f5f7f8;--a:#0b6170;"
    "--t:#dcecef;font:13px 'DejaVu Sans',Verdana,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    "@media screen and (prefers-color-scheme:dark){.fig{--p:#14171a;--i:#e4e7ea;--q:#a3adb8;"
    "--g:#2b3137;--l:#7f8a95;--n:#1c2125;--a:#7cc7d6;--t:#17404a}}\n"
    ".fig .paper{fill:var(--p)}.fig text{fill:var(--i);paint-order:stroke;stroke:var(--p);"
    "stroke-width:3px;stroke-linejoin:round}\n"
    ".fig .quiet{fill:var(--q);font-size:11px}.fig .strong{font-weight:600;font-size:16px}\n"
    ".fig .line,.fig .thick,.fig .grid{fill:none;stroke:var(--l);stroke-width:1.3}"
    ".fig .grid{stroke:var(--g)}.fig .thick{stroke:var(--a);stroke-linecap:round}\n"
    ".fig .arrow{fill:var(--l)}.fig .dot{fill:var(--i)}.fig .area{fill:var(--t)}\n"
    ".fig .node{fill:var(--n);stroke:var(--l)}.fig a{text-decoration:none}"
    ".fig a:hover .node,.fig a:focus-visible .node{stroke:var(--a);stroke-width:2.5}\n"
    ".fig .words{stroke:none}\n"
    ".fig .lit{fill:var(--a)}.fig .line.lit{fill:none;stroke:var(--a)}\n"
    "</style>\n";

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
    text_add(text, style);
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
    text_add_format(text, "<text x=\"%.5g\" y=\"%.5g\" text-anchor=\"%s\" class=\"%s\">", spot.x,
                    spot.y, anchor, classes);
    markup_add(text, words);
    text_add(text, "</text>\n");
}

double figure_width(const char *words) {
    return text_width(words) * 8.2;
}
