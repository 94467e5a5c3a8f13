#include "walk/kit/canvas.h"

#include <string.h>

#include "base/text.h"
#include "walk/model/action.h"

enum ramp shown_ramp(const struct canvas *canvas, enum ramp ramp) {
    if (!canvas->look.is_light) return ramp;
    return ramp == RAMP_SEQUENTIAL  ? RAMP_SEQUENTIAL_LIGHT
           : ramp == RAMP_DIVERGING ? RAMP_DIVERGING_LIGHT
                                    : ramp;
}

struct canvas canvas_new(struct arena *arena, int rows, int columns, struct look look) {
    struct canvas canvas = {
        .arena = arena,
        .look = look,
        .rows = rows < 1 ? 1 : rows,
        .columns = columns < 1 ? 1 : columns,
    };
    const size_t count = (size_t)canvas.rows * (size_t)canvas.columns;
    canvas.glyphs = arena_array(arena, count, sizeof *canvas.glyphs);
    for (size_t i = 0; i < count; i++) canvas.glyphs[i].character = ' ';
    put_cursor(&canvas, canvas.rows - 1, canvas.columns - 1);
    return canvas;
}

struct glyph *glyph_at(const struct canvas *canvas, int row, int column) {
    if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns) return NULL;
    return &canvas->glyphs[row * canvas->columns + column];
}

const char *shown(const struct canvas *canvas, const char *text) {
    if (!canvas->look.is_ascii) return text;
    for (const char *byte = text; *byte != '\0'; byte++) {
        if ((unsigned char)*byte > 127) return text_to_ascii(canvas->arena, text);
    }
    return text;
}

int shown_width(const struct canvas *canvas, const char *text) {
    return text_width(shown(canvas, text));
}

// Half of a wide character makes no sense: what is left of one becomes a blank.
static void set_glyph(struct canvas *canvas, int row, int column, uint32_t character,
                      struct style style) {
    struct glyph *glyph = glyph_at(canvas, row, column);
    if (glyph == NULL) return;
    struct glyph *before = glyph_at(canvas, row, column - 1);
    struct glyph *after = glyph_at(canvas, row, column + 1);
    if (glyph->character == 0 && before != NULL) before->character = ' ';
    if (glyph->character != 0 && after != NULL && after->character == 0) after->character = ' ';
    *glyph = (struct glyph){.character = character, .style = style};
}

// A wide character at the edge, of which only half would show, becomes a blank.
static void put_character(struct canvas *canvas, int row, int column, uint32_t character, int width,
                          struct style style) {
    if (width == 2 && column == canvas->columns - 1) character = ' ', width = 1;
    set_glyph(canvas, row, column, character, style);
    if (width == 2) {
        set_glyph(canvas, row, column + 1, ' ', style);
        struct glyph *half = glyph_at(canvas, row, column + 1);
        if (half != NULL) half->character = 0;
        struct glyph *whole = glyph_at(canvas, row, column);
        if (whole != NULL) whole->character = character;
    }
}

static void put_mark(struct canvas *canvas, int row, int column, uint32_t mark) {
    struct glyph *glyph = glyph_at(canvas, row, column);
    if (glyph != NULL && glyph->character == 0) glyph = glyph_at(canvas, row, column - 1);
    if (glyph == NULL) return;
    for (int i = 0; i < GLYPH_MARKS; i++) {
        if (glyph->marks[i] != 0) continue;
        glyph->marks[i] = mark;
        return;
    }
}

// The text, or its beginning and a mark that something was cut.
static const char *fitted(const struct canvas *canvas, const char *text, int width) {
    const char *whole = shown(canvas, text);
    if (text_width(whole) <= width) return whole;
    char *cut = text_cut(canvas->arena, whole, width);
    if (!canvas->look.is_ascii) return cut;
    char *dots = strstr(cut, "…");
    if (dots != NULL) memcpy(dots, "~", 2);
    return cut;
}

int put_text(struct canvas *canvas, int row, int column, int width, const char *text,
             struct style style) {
    if (width <= 0) return 0;
    const char *next = fitted(canvas, text, width);
    int used = 0;
    while (*next != '\0') {
        const uint32_t character = utf8_next(&next);
        const int columns = character_width(character);
        if (columns < 0) continue;
        if (columns == 0 && used > 0) put_mark(canvas, row, column + used - 1, character);
        if (columns > 0) put_character(canvas, row, column + used, character, columns, style);
        used += columns;
    }
    return used;
}

void put_right(struct canvas *canvas, int row, int column, int width, const char *text,
               struct style style) {
    const int blanks = width - shown_width(canvas, text);
    const int indent = blanks > 0 ? blanks : 0;
    put_text(canvas, row, column + indent, width - indent, text, style);
}

void put_blanks(struct canvas *canvas, int row, int column, int width, struct style style) {
    for (int i = 0; i < width; i++) set_glyph(canvas, row, column + i, ' ', style);
}

static int limited(int value, int count) {
    if (value < 0) return 0;
    return value < count ? value : count - 1;
}

void put_cursor(struct canvas *canvas, int row, int column) {
    canvas->cursor_row = limited(row, canvas->rows);
    canvas->cursor_column = limited(column, canvas->columns);
}

int wrap_shown(const struct canvas *canvas, const char *paragraph, int width, char ***lines) {
    return text_wrap(canvas->arena, shown(canvas, paragraph), width, lines);
}

int split_shown(const struct canvas *canvas, const char *text, char ***lines) {
    int count = 0, most = 1;
    for (const char *byte = text; *byte != '\0'; byte++) most += *byte == '\n';
    *lines = arena_array(canvas->arena, (size_t)most, sizeof **lines);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const char *line = shown(canvas, arena_copy_bytes(canvas->arena, text, length));
        (*lines)[count++] = arena_copy(canvas->arena, line);
        text += length + (text[length] == '\n');
    }
    return count;
}

// ---- Spots --------------------------------------------------------------------------------------

void put_spot(struct canvas *canvas, struct spot spot) {
    struct spots *spots = canvas->spots;
    if (spots != NULL && spots->count < MOST_SPOTS) spots->all[spots->count++] = spot;
}

void put_line_spot(struct canvas *canvas, const struct area *row, int line, bool is_chosen) {
    const struct spot spot = {
        .row = row->row,
        .column = row->column,
        .columns = row->columns,
        .kind = is_chosen ? SPOT_KEY : SPOT_LINE,
        .number = is_chosen ? (int)PRESS_ENTER : line,
    };
    put_spot(canvas, spot);
}

const struct spot *spot_at(const struct spots *spots, int row, int column) {
    for (int i = spots->count - 1; i >= 0; i--) {
        const struct spot *spot = &spots->all[i];
        if (row == spot->row && column >= spot->column && column < spot->column + spot->columns)
            return spot;
    }
    return NULL;
}
