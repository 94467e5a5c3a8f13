#include "app/session/session.h"

#include <string.h>

#include "show/heat.h"
#include "show/markup.h"

// ---- Runs ----------------------------------------------------------------------------------------

// Glyphs of one style that follow each other in a row.
struct run_of_glyphs {
    int row, column, columns;
    struct style style;
    bool has_rgb; // the canvas has
    const char *words;
};

static bool same_style(struct style a, struct style b) {
    return a.bold == b.bold && a.dim == b.dim && a.reverse == b.reverse &&
           a.underline == b.underline && a.ramp == b.ramp &&
           (a.ramp == RAMP_NONE || a.level == b.level);
}

static bool has_heat(struct style style) {
    return style.ramp != RAMP_NONE;
}

// Columns of a row up to the last that shows anything.
static int used_columns(const struct canvas *canvas, int row) {
    int columns = canvas->columns;
    while (columns > 0) {
        const struct glyph *last = glyph_at(canvas, row, columns - 1);
        if (last->character != ' ' || !same_style(last->style, PLAIN)) break;
        columns--;
    }
    return columns;
}

// The run that begins at a place; false behind the last of its row.
static bool run_at(struct arena *arena, const struct canvas *canvas, int row, int column,
                   struct run_of_glyphs *run) {
    const int end = used_columns(canvas, row);
    if (column >= end) return false;
    struct text words = text_new(arena);
    *run = (struct run_of_glyphs){.row = row,
                                  .column = column,
                                  .style = glyph_at(canvas, row, column)->style,
                                  .has_rgb = canvas->look.has_rgb};
    for (; column < end; column++, run->columns++) {
        const struct glyph *glyph = glyph_at(canvas, row, column);
        if (glyph->character != 0 && !same_style(glyph->style, run->style)) break;
        char bytes[5];
        if (glyph->character == 0) continue;
        text_add_bytes(&words, bytes, utf8_encode(glyph->character, bytes));
        for (int i = 0; i < GLYPH_MARKS && glyph->marks[i] != 0; i++)
            text_add_bytes(&words, bytes, utf8_encode(glyph->marks[i], bytes));
    }
    run->words = words.bytes;
    return true;
}

static void paint_rows(struct text *text, const struct canvas *canvas,
                       void (*paint)(struct text *text, const struct run_of_glyphs *run),
                       const char *end_of_row) {
    for (int row = 0; row < canvas->rows; row++) {
        struct run_of_glyphs run;
        for (int column = 0; run_at(text->arena, canvas, row, column, &run); column += run.columns)
            paint(text, &run);
        text_add(text, end_of_row);
    }
}

// ---- Text ----------------------------------------------------------------------------------------

static void paint_words(struct text *text, const struct run_of_glyphs *run) {
    text_add(text, run->words);
}

// Blanks at a row's end are left out, also those that have a style.
void paint_text(struct text *text, const struct canvas *canvas) {
    struct text all = text_new(text->arena);
    text_add(&all, "");
    paint_rows(&all, canvas, paint_words, "\n");
    for (const char *line = all.bytes; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        size_t used = length;
        while (used > 0 && line[used - 1] == ' ') used--;
        text_add_bytes(text, line, used);
        text_add(text, "\n");
        line += length + 1;
    }
}

// A parameter of SGR: 38 is the colour of what is written, 48 of what lies behind it.
static void add_tone(struct text *text, int which, const struct heat_tone *tone, bool has_rgb) {
    const int rgb = rgb_number(tone->rgb);
    if (has_rgb)
        text_add_format(text, ";%d;2;%d;%d;%d", which, rgb >> 16, rgb >> 8 & 255, rgb & 255);
    else
        text_add_format(text, ";%d;5;%d", which, tone->nearest);
}

static void paint_sequences(struct text *text, const struct run_of_glyphs *run) {
    const struct style style = run->style;
    const bool is_plain = same_style(style, PLAIN);
    if (!is_plain) {
        text_add_format(text, "\033[0%s%s%s%s", style.bold ? ";1" : "", style.dim ? ";2" : "",
                        style.underline ? ";4" : "", style.reverse ? ";7" : "");
        if (has_heat(style)) {
            const struct heat_pair heat = heat_pair(style.ramp, style.level);
            add_tone(text, 38, &heat.ink, run->has_rgb);
            add_tone(text, 48, &heat.paper, run->has_rgb);
        }
        text_add(text, "m");
    }
    text_add(text, run->words);
    if (!is_plain) text_add(text, "\033[0m");
}

void paint_ansi(struct text *text, const struct canvas *canvas) {
    paint_rows(text, canvas, paint_sequences, "\n");
}

// ---- Markup --------------------------------------------------------------------------------------

static void add_style(struct text *text, const char *fill) {
    text_add(text, ".screen{--page:#ffffff;--ink:#1b1f24;--dim:#5a6370;");
    add_heat_properties(text, false);
    text_add(text, "font-family:'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;"
                   "font-size:14px}\n"
                   "@media (prefers-color-scheme:dark){.screen{--page:#14171a;--ink:#e4e7ea;"
                   "--dim:#a3adb8;");
    add_heat_properties(text, true);
    text_add(text, "}}\n");
    text_add_format(
        text, ".screen .p{%s:var(--page)}.screen .i{%s:var(--ink)}.screen .d{%s:var(--dim)}\n",
        fill, fill, fill);
    text_add(text, ".screen .b{font-weight:bold}.screen .u{text-decoration:underline}\n");
}

// The colours of a style that has heat, as values of CSS, the other way round for the cursor.
static struct heat_words heat_in(struct arena *arena, struct style style) {
    const struct heat_words heat = heat_words(arena, style.ramp, style.level);
    return style.reverse ? (struct heat_words){heat.ink, heat.paper} : heat;
}

// The class of a run's words.
static const char *class_of(struct arena *arena, struct style style) {
    return arena_format(arena, "%s%s%s",
                        style.reverse ? "p"
                        : style.dim   ? "d"
                                      : "i",
                        style.bold ? " b" : "", style.underline ? " u" : "");
}

static void paint_span(struct text *text, const struct run_of_glyphs *run) {
    text_add_format(text, "<span class=\"%s\"", class_of(text->arena, run->style));
    if (has_heat(run->style)) {
        const struct heat_words heat = heat_in(text->arena, run->style);
        text_add_format(text, " style=\"color:%s;background:%s\"", heat.ink, heat.paper);
    } else if (run->style.reverse) {
        text_add(text, " style=\"background:var(--ink)\"");
    }
    text_add(text, ">");
    markup_add(text, run->words);
    text_add(text, "</span>");
}

void paint_spans(struct text *text, const struct canvas *canvas) {
    paint_rows(text, canvas, paint_span, "\n");
}

void paint_style(struct text *text) {
    add_style(text, "color");
}

void paint_html(struct text *text, const struct canvas *canvas, const char *title) {
    text_add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    markup_add(text, title);
    text_add(text, "</title>\n<style>\n");
    paint_style(text);
    text_add(
        text,
        "html{background:#ffffff}@media (prefers-color-scheme:dark){html{background:#14171a}}\n"
        ".screen{line-height:1.28;margin:0;overflow-x:auto}\n"
        "</style>\n</head>\n<body>\n<pre class=\"screen\" tabindex=\"0\">");
    paint_spans(text, canvas);
    text_add(text, "</pre>\n</body>\n</html>\n");
}

// ---- A figure ------------------------------------------------------------------------------------

static const double COLUMN = 8.43, ROW = 18, MARGIN = 10; // pixels

static void add_paper(struct text *text, const struct run_of_glyphs *run) {
    if (!has_heat(run->style) && !run->style.reverse) return;
    text_add_format(text, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\" ",
                    MARGIN + run->column * COLUMN, MARGIN + run->row * ROW, run->columns * COLUMN,
                    ROW);
    if (has_heat(run->style))
        text_add_format(text, "style=\"fill:%s\"/>\n", heat_in(text->arena, run->style).paper);
    else
        text_add(text, "class=\"i\"/>\n");
}

// The words are stretched to their columns, whatever the font is.
static void paint_letters(struct text *text, const struct run_of_glyphs *run) {
    add_paper(text, run);
    const size_t blanks = strspn(run->words, " ");
    if (run->words[blanks] == '\0') return;
    const int columns = text_width(run->words + blanks);
    text_add_format(text, "<text x=\"%.6g\" y=\"%.6g\" textLength=\"%.6g\" xml:space=\"preserve\" ",
                    MARGIN + (run->column + (int)blanks) * COLUMN, MARGIN + run->row * ROW + 13.5,
                    columns * COLUMN);
    if (has_heat(run->style))
        text_add_format(text, "style=\"fill:%s\" ", heat_in(text->arena, run->style).ink);
    text_add_format(text, "class=\"%s\">", class_of(text->arena, run->style));
    markup_add(text, run->words + blanks);
    text_add(text, "</text>\n");
}

// Each frame is visible for its part of the time.
static void add_motion(struct text *text, int count) {
    text_add_format(
        text,
        ".frame{visibility:hidden;animation:frame %ds infinite}\n"
        "@keyframes "
        "frame{0%%{visibility:visible}%.6g%%{visibility:hidden}100%%{visibility:hidden}}\n",
        count * FRAME_SECONDS, 100.0 / count);
    for (int i = 1; i < count; i++)
        text_add_format(text, ".frame:nth-of-type(%d){animation-delay:%ds}\n", i + 1,
                        i * FRAME_SECONDS);
    text_add(text, "@media (prefers-reduced-motion:reduce){.frame{animation:none}"
                   ".frame:last-of-type{visibility:visible}}\n");
}

void paint_svg(struct text *text, const struct canvas *frames, int count, const char *title) {
    const double width = 2 * MARGIN + frames->columns * COLUMN,
                 height = 2 * MARGIN + frames->rows * ROW;
    text_add_format(text,
                    "<svg class=\"screen\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6g\" "
                    "height=\"%.6g\" viewBox=\"0 0 %.6g %.6g\" role=\"img\" aria-label=\"",
                    width, height, width, height);
    markup_add(text, title);
    text_add(text, "\">\n<title>");
    markup_add(text, title);
    text_add(text, "</title>\n<style>\n");
    add_style(text, "fill");
    if (count > 1) add_motion(text, count);
    text_add(text, "</style>\n<rect class=\"p\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n");
    for (int i = 0; i < count; i++) {
        if (count > 1) text_add(text, "<g class=\"frame\">\n");
        paint_rows(text, &frames[i], paint_letters, "");
        if (count > 1) text_add(text, "</g>\n");
    }
    text_add(text, "</svg>\n");
}
