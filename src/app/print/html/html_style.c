// The style sheet of the HTML handout.

#include "app/print/html/handout.h"
#include "app/print/html/html.h"
#include "show/figure.h"
#include "show/heat.h"

void html_add_style(struct text *text) {
    text_add_bytes(text, data_handout_css, data_handout_css_length);
    add_figure_style(text);
    add_heat_rules(text, false);
    text_add(text, "@media screen and (prefers-color-scheme: dark) {\n");
    add_heat_rules(text, true);
    text_add(text, "}\n");
}
