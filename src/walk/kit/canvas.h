#ifndef ONESTEP_WALK_KIT_CANVAS_H
#define ONESTEP_WALK_KIT_CANVAS_H

// A screen in memory: a grid of characters with styles, and the place of the cursor. The walker draws here;
// the terminal copies it to the screen, a test reads it. Everything is clipped at the edges, so drawing need
// not check whether there is room.

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "show/ramp.h"

struct style {
    bool bold, dim, reverse, underline;
    enum ramp ramp;
    int level;
};

#define PLAIN ((struct style){0})
#define BOLD ((struct style){.bold = true})
#define DIM ((struct style){.dim = true})
#define REVERSE ((struct style){.reverse = true})

// What a terminal can show.
struct look {
    bool has_heat;    // 256 colours or more: heat ramps; otherwise a shade beside each number
    bool has_rgb;     // heat ramps in all colours, not only 256
    bool is_ascii;    // no characters above 127
    bool is_light;    // heat ramps for a light screen
    bool has_buttons; // what a key does is done by clicking, too: words need not name the key
};

enum { GLYPH_MARKS = 2 };

// One place of the grid. A character that is two columns wide is followed by a glyph whose character
// is 0.
struct glyph {
    uint32_t character;
    uint32_t marks[GLYPH_MARKS]; // combining characters, 0 if none
    struct style style;
};

struct area {
    int row, column, rows, columns;
};

struct spots;
struct noted;

struct canvas {
    struct arena *arena;
    struct look look;
    int rows, columns;
    struct glyph *glyphs; // row by row
    int cursor_row, cursor_column;
    struct spots *spots; // collects what can be clicked; NULL: not collected
    struct noted
        *noted; // collects what a screen of lines is made of (lines.h); NULL: not collected
};

// The ramp as this canvas shows it: on a light screen, the ramp with colours for that.
enum ramp shown_ramp(const struct canvas *canvas, enum ramp ramp);

// A blank canvas; sizes below 1 count as 1. The cursor stands at the lower right corner until placed.
struct canvas canvas_new(struct arena *arena, int rows, int columns, struct look look);

// The glyph at a place; NULL outside.
struct glyph *glyph_at(const struct canvas *canvas, int row, int column);

// The text as this canvas shows it: unchanged, or in ASCII. Measure the result, not `text`.
const char *shown(const struct canvas *canvas, const char *text);

// Columns that the text takes on this canvas.
int shown_width(const struct canvas *canvas, const char *text);

// Writes `text` from a place on, in at most `width` columns; what is longer is cut and ends in `…`
// (ASCII: `~`). Returns the columns used.
int put_text(struct canvas *canvas, int row, int column, int width, const char *text,
             struct style style);

// The same, right-aligned in `width` columns.
void put_right(struct canvas *canvas, int row, int column, int width, const char *text,
               struct style style);

// Fills `width` columns of a row with blanks in a style.
void put_blanks(struct canvas *canvas, int row, int column, int width, struct style style);

// Puts the cursor; a place outside counts as the nearest one inside.
void put_cursor(struct canvas *canvas, int row, int column);

// Wraps a paragraph for this canvas into lines of at most `width` (>= 1) columns; see text_wrap.
int wrap_shown(const struct canvas *canvas, const char *paragraph, int width, char ***lines);

// The lines of a text, as this canvas shows them; each ends in \n, except perhaps the last.
int split_shown(const struct canvas *canvas, const char *text, char ***lines);

// ---- Spots --------------------------------------------------------------------------------------

// What of a frame can be clicked beside its numbers, and what a click there is as good as. Whoever draws something notes
// its spot in the same breath; the walker keeps those of the last frame.

enum spot_kind {
    SPOT_KEY,  // pressing this key
    SPOT_LINE, // choosing this line of the view, as its own struct counts them (walk_view.chosen_at)
    SPOT_STEP, // going to this step, from 0
};

struct spot {
    int row, column, columns;
    enum spot_kind kind;
    int number;
};

enum { MOST_SPOTS = 256 };

struct spots {
    int count;
    struct spot all[MOST_SPOTS];
};

// Notes the row of a line: a click chooses the line, or presses Enter if it is the chosen one.
void put_line_spot(struct canvas *canvas, const struct area *row, int line, bool is_chosen);

// Notes a spot of one row. Nothing where the canvas has no list of them, or a full one.
void put_spot(struct canvas *canvas, struct spot spot);

// The spot at a place, the last one noted; NULL if there is none.
const struct spot *spot_at(const struct spots *spots, int row, int column);

#endif
