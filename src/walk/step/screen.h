#ifndef ONESTEP_WALK_STEP_SCREEN_H
#define ONESTEP_WALK_STEP_SCREEN_H

// The main screen: one step of a lesson, at any size. A view that keeps the step in sight replaces the blocks
// of some slots by its own.

#include "show/map/map.h"
#include "show/sketch.h"
#include "tensor/operation/terms.h"
#include "trace/tape/where_to.h"
#include "trace/what_if/companion.h"
#include "trace/what_if/trial.h"
#include "walk/kit/cells.h"
#include "walk/model/state.h"

// The smallest terminal that shows a step; the width from which operands stand beside the result; and the
// height from which there is room for more than one thing of a kind.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, WIDE_COLUMNS = 100, TALL_ROWS = 34 };

enum { PROSE_COLUMNS = 78 }; // wider lines are hard to read

// ---- What there is to be shown -------------------------------------------------------------------

// What was measured, so that a frame does not measure again what the last one showed: matrices, and how many rows the longest
// arithmetic of a step takes.

enum { CACHED_MATRICES = 256 }; // more than one frame asks for

struct longest_arithmetic {
    const struct step *step;
    int width, digits;
    bool is_ascii;
    int rows; // 0: none was measured
};

struct matrix_cache {
    struct longest_arithmetic longest;
    struct failure *failure; // where "out of memory" goes
    int count;
    struct matrix matrices[CACHED_MATRICES];
    uint64_t asked
        [CACHED_MATRICES]; // the number of the last question for it: the oldest is replaced first
    uint64_t questions;
};

// A page of a tensor, measured now or before. It stays valid until CACHED_MATRICES other pages have been asked
// for.
const struct matrix *cached_matrix(struct matrix_cache *matrix_cache, const struct tensor *tensor,
                                   int64_t page, int digits);

// Forgets all: for when the tensors go.
void forget_matrices(struct matrix_cache *matrix_cache);

// The map of the run on screen, kept so that each frame need not lay it out again.
struct map_cache {
    struct arena memory;
    bool is_known;
    int within; // of the call that it shows
    struct map map;
    struct sketch sketch;
};

// The map of the call that a step is in, laid out now or before; NULL if the run has too many steps for a map beside matrices.
const struct map_cache *cached_map(struct map_cache *map_cache, const struct run *run,
                                   const struct step *step);

// Forgets it, when the run is freed.
void forget_map(struct map_cache *map_cache);

struct screen;

// Somebody who reads a screen while it is drawn, as a page does that shows the same in its own way.
struct screen_reader {
    void (*read)(struct screen_reader *reader, const struct screen *screen);
};

// Handed to everything that draws.
struct scene {
    struct screen_reader *reader; // NULL: nobody
    const struct trial *trial;
    const struct run *run;   // the trial's
    const struct run *other; // the same lesson, to compare with; NULL: do not
    bool
        is_another; // neither this run without its mistakes nor before its change: the course's own, or a companion
    const char *other_place;           // "the course", "reference.py"
    const char *other_name;            // "without the mistake"
    const char *other_word;            // the same in short: "right"
    const struct companion *companion; // the run beside; NULL: there is none
    const bool *touched; // steps that a mistake or a change of the input changes; NULL: not known
    const struct state *state;
    struct matrix_cache *matrix_cache;
    struct map_cache *map_cache;
    const struct where_to
        *followed;     // numbers that are marked because another one went there; or NULL
    const char *badge; // what differs from the course ("seed 5"); NULL for nothing
    const char *typed; // so far, where a value is being typed; NULL: none is
    const struct challenge *challenge; // what is asked; NULL: nothing is
    int hints;                         // of it that were given
    bool is_trying;                    // a line that is no answer yet: the lesson's is not told
    enum view_bit keys;                // the view that they go to
    int digits;
};

// ---- Matrices ------------------------------------------------------------------------------------

// Matrices side by side: the operands of an operation, with the cells that were used highlighted, and its
// result; or the same step in two runs.

// What else a panel may show when the cursor moves: another of several joined tensors, another page.
struct alternative {
    const char *name; // NULL: none that a reader would know
    const struct tensor *tensor;
};

// A matrix under its name.
struct panel {
    const char *name; // NULL: none is drawn
    const char *note; // after the name, if there is room; or NULL
    bool notes_shape; // it is the shape
    const struct step
        *step;        // the step that the panel shows, in this run or another; NULL for an operand
    struct cell cell; // of an operand: the first cell that was used
    struct placed_matrix placed;            // its area is known after it is drawn
    bool has_chosen;                        // this operand is chosen in a list
    struct area position;                   // in a picture: its place, with its name
    const struct alternative *alternatives; // room is kept for the largest
    int alternative_count;
    int bars;        // rows of bars above its numbers, one for each number of the row in sight
    double full_bar; // the number that fills one
};

enum { MAX_OPERANDS = 3, MAX_PANELS = 24 };

struct matrices {
    int count;
    struct panel panels[MAX_PANELS]; // operands in order, and last the result
    bool leads;                      // the result comes first instead
    bool is_composed;      // every panel has a fixed place within `rows` and `columns`: a picture
    int rows, columns;     // of a picture
    struct area free_area; // the area that the panels of a picture leave free
};

// The operands of a derived cell; if there are more than three, the first three that were used. Their names are those of steps
// before the one on screen. Highlighted are those of one term of the sum; NULL: all that were used.
struct matrices operands_of(struct arena *arena, const struct scene *scene,
                            const struct derivation *derivation, const struct term_operands *lit);

// The result, whose panel is `result`, beside what it is compared with, and, if all fit on the canvas, the difference,
// cell by cell. Both tensors have one shape.
struct matrices comparison_of(const struct canvas *canvas, const struct scene *scene,
                              const struct panel *result, const struct tensor *other,
                              const char *name);

// Puts bars above the panels of a picture of weights, each panel's for the row of its cursor, so that a few weights can
// be compared at a glance. The picture takes `most` rows at most: where they do not suffice, fewer rows of numbers
// are in sight, and below that there are no bars.
void add_bars(struct arena *arena, struct matrices *matrices, int most);

// The heading of a panel: its name, and the common factor of its numbers.
const char *panel_name(struct arena *arena, const struct panel *panel);

// Rows of the tallest panel and its name; columns of all panels together.
int rows_of_panels(const struct matrices *matrices);
int columns_of_panels(const struct canvas *canvas, const struct matrices *matrices);

// Draws the panels from left to right, each under its name. If they do not fit, operands are narrowed before
// the result, and panels of a comparison equally; if they still do not fit, those furthest from the result
// are left out: their areas have no rows.
void draw_panels(struct canvas *canvas, struct area area, struct matrices *matrices);

// The tensor of the step with the same name in another run; NULL if there is none.
const struct tensor *same_step_in(const struct run *other, const struct step *step);

// Do two numbers differ? All nan count as equal.
bool is_other_number(double a, double b);

// The room for a picture: columns; rows that leave enough for the words (comfortable); all rows (most).
struct picture_room {
    int columns, comfortable, most;
};

// The picture of a step: its operands and its results (a panel for each step of the stop, one of them with the focus), each at
// a fixed place. For a product the left operand is at the left of the result and the right operand above it, so that the row
// and the column of a number meet in the number; panels of other operations are side by side, or the operands are above the
// result. If they do not fit, numbers get fewer digits, those of operands first. Without panels if nothing fits.
struct matrices picture_of(struct canvas *canvas, const struct scene *scene,
                           const struct matrices *operands, const struct matrices *results,
                           const struct picture_room *room);

// What the mouse needs of matrices after its frame is freed. The tensors belong to the run on screen, so it
// is valid as long as that run.
struct shown_page {
    int step;             // that it shows, from 0; -1: an operand
    struct tensor tensor; // of the step or operand
    int64_t page;
    int digits;     // of its numbers
    bool has_focus; // the keys move its cell
    struct area area;
    struct raster raster;
};
struct shown {
    int count;
    struct shown_page pages[MAX_PANELS];
    bool is_composed;
};
struct shown shown_of(const struct matrices *matrices);

// The page of a step that the mouse points at, and the cell there; NULL if it points at none.
const struct shown_page *page_at(const struct shown *shown, const struct press *press, int64_t *row,
                                 int64_t *column);

// The cell of an operand that the mouse points at; false if it points at none.
bool operand_at(const struct shown *shown, const struct press *press, struct cell *cell);

// ---- Rows ----------------------------------------------------------------------------------------

// How the rows of a screen are distributed. A screen is a column of slots. Each slot holds a block, which
// says how many rows it wants, and draws itself in the rows that it gets. A table in layout.c says which slot
// gets rows first.

enum slot_name {
    SLOT_TITLE,
    SLOT_TIMELINE,
    SLOT_OPENING,
    SLOT_HEADING,
    SLOT_WORDS,
    SLOT_FORMULA,
    SLOT_FACTS,
    SLOT_MATRIX,
    SLOT_CELL,
    SLOT_SOURCE,
    SLOT_KEYS,
    SLOT_COUNT,
};

struct slot;

struct block {
    // The number of rows that it would like. It may keep results in the slot for drawing.
    int (*wants)(struct screen *screen, struct slot *slot);
    void (*draw)(struct screen *screen, const struct slot *slot);
    // For words that may be drawn beside the matrices: the rows that they take in so many columns. NULL: they may not.
    int (*rows_within)(const struct screen *screen, int columns);
    bool likes_gap;  // gets a blank row above it if there is room
    bool may_be_cut; // may be shortened, since all of it can be read elsewhere
    bool has_cursor; // drawn after the others, so that the cursor stays where it puts it
};

struct slot {
    const struct block *block; // NULL: the slot is empty
    int wanted, row, rows;
    int needed;         // how many of the wanted rows contain something that is shown nowhere else
    bool is_beside;     // the words are drawn beside the matrices, in an area that these leave free
    const char **lines; // of text
    int line_count;
    int lead;  // how many of the first lines must be shown
    int brief; // rows of what stands for these where there is no room for all
};

// ---- The screen ----------------------------------------------------------------------------------

// How a view changes the step's screen.
struct arrangement {
    const struct block *blocks[SLOT_COUNT];
    // Marks the cells whose numbers are hidden; then no other part of the screen shows them. NULL: none are
    // hidden.
    void (*hide)(const struct screen *screen, unsigned char *marks);
};

// A list of parameters (lists_parameters), one line each: name, shape, and the range of the numbers. It is
// drawn at the left of the open parameter.
struct inventory {
    int columns;                 // of the list and the gap after it; 0: there is no list
    bool has_range;              // there is room for the range too
    int name_width, shape_width; // of the longest
};

// Everything that the blocks of one frame need, computed once.
struct screen {
    struct canvas *canvas;
    const struct scene *scene;
    const struct arrangement *arrangement;
    const void *view; // the view's own struct
    int width;        // of lines of text

    const struct step *step;
    struct cell cell;            // under the cursor
    const struct matrix *matrix; // of the step's tensor, the page on screen
    const unsigned char *marks;  // of its cells
    struct stop stop;            // the steps that share the screen
    struct order order;          // inside the step; no moments if it is shown whole
    struct derivation derivation;
    struct terms terms; // of the cell that is computed, if it is shown term by term; else none
    bool is_at_moment;  // the cursor is on that cell
    const struct line_outcome
        *failure; // a changed line failed, and the step was not computed; NULL: it was

    struct inventory inventory; // at the left of the matrices
    struct matrices matrices;
    struct picture_room room; // for them
    struct slot slots[SLOT_COUNT];
};

// Draws the step on the whole canvas, the cursor on the focused cell. Returns where each matrix is; none if
// memory is shown instead.
struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
                         const struct arrangement *arrangement, const void *view);

// The area that a picture leaves free above the left operand of a product; no rows if it is too small to use.
// Known after the screen is laid out.
struct area free_area_of(const struct screen *screen);

// The operands of the number under the cursor, what was used of them lit: of one term of a sum inside of it.
struct matrices operands_at_cursor(const struct screen *screen);

// The term that was added last to the cell under the cursor; NULL: the cell is not shown term by term.
const struct partial *current_term(const struct screen *screen);

// The tensor of a step in the run to compare with; NULL if there is none of the same shape.
const struct tensor *compared_with(const struct screen *screen, const struct step *step);

// Does the step's number at an index differ from the one that it is compared with? A companion's may be rounded otherwise.
bool is_changed_number(const struct screen *screen, const struct step *step,
                       const struct tensor *other, const int64_t *index);

// Marks of a page of a step: what is not computed yet, what differs from the run to compare with, what is followed.
unsigned char *marks_of(const struct screen *screen, const struct step *step,
                        const struct matrix *matrix);

// The marks of the number under the cursor: is it hidden, is it not computed yet?
unsigned char marks_at_cursor(const struct screen *screen);

// Are numbers shown in the order of memory?
bool shows_memory(const struct screen *screen);

// Does a curve, or bars, stand above the step's numbers; or a plane beside them?
bool has_curve(const struct screen *screen);
bool has_plane(const struct screen *screen);

// Can a reader take in the tensor's numbers? Some tensors have so many that drawing them would also delay a
// frame.
bool is_readable(const struct tensor *tensor);

// Asks the blocks of all slots, from the first to the last, and gives them rows of the canvas.
void lay_out(struct screen *screen);

// "text" if some of the step's words or its formula were left out, "code" if only lines of code were; else NULL.
// The text of the step (t) has all of them.
const char *what_is_left_out(const struct screen *screen);

// Draws the blocks that got rows.
void draw_slots(struct screen *screen);

// ---- Its blocks, and functions for those of views --------------------------------------------------

extern const struct block title_block;    // lesson, what was changed, step
extern const struct block timeline_block; // the steps of the lesson, and the two beside this one
extern const struct block opening_block;  // what the lesson is for, at its first step
extern const struct block heading_block;  // of the paragraph
extern const struct block prose_block;    // its explanation
extern const struct block formula_block;
extern const struct block facts_block;    // shape, page, strides and invariants
extern const struct block matrices_block; // the numbers, or their order in memory
extern const struct block cell_block;     // what is known about the number under the cursor
extern const struct block source_block;   // the lines of C, or the line in PyTorch
extern const struct block keys_block;

// All of them, for views that replace some.
extern const struct arrangement step_arrangement;

// The mark of a stop in the timeline, one column wide: where we are, where the followed number goes, changed by a mistake, seen,
// not yet; and, if asked, whether it repeats an earlier stop.
const char *stop_mark(const struct screen *screen, struct stop stop, bool marks_repeats);

// Adds a line to the slot's, or a paragraph, wrapped at `width`; returns how many lines the slot has then.
void add_line(const struct screen *screen, struct slot *slot, const char *line);
int add_paragraph(const struct screen *screen, struct slot *slot, const char *paragraph, int width);

// Draws as many of the slot's lines as it has rows, from a column on.
void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style);

// The `draw` of a block of lines.
void draw_plain_lines(struct screen *screen, const struct slot *slot);
void draw_bold_lines(struct screen *screen, const struct slot *slot);

// "2 of 3 (press ;), batch 1, head 2 (press .)": which step of the stop this is, and which page of its tensor, if that is to
// stand there: beside the heading, or, where that is too long, in the line of facts. NULL if not, or if there is only one of
// each.
const char *which_text(const struct screen *screen, bool is_beside_heading);

// "scores[journey, starts]": the number under the cursor.
const char *focus_name(const struct screen *screen);

// The list for the step on screen. No list if there are few parameters, or if too few columns would be left
// for a matrix. It is drawn with as many lines as the area has rows, the open parameter among them.
struct inventory inventory_of(const struct screen *screen);
void draw_inventory(const struct screen *screen, struct area area);

// The numbers of the step's tensor as they lie in memory, one after the other, and the order in which the tensor's shape and
// strides walk them: the rows that the whole storage takes, its heading included; drawn around the focused cell, the cursor on
// its number.
int memory_rows(const struct screen *screen);
// A number of it: the letter of its row or head ('\0': none) and that one's colour, a level of RAMP_SEQUENTIAL; its turn, from 1,
// in the order in which the tensor reads them (0: it never does). And what the lines above them say.
struct memory_number {
    char letter;
    int level;
    const char *text;
    int64_t turn;
    bool is_focus;
};
struct memory_number memory_number(const struct screen *screen, int64_t flat);
const char *memory_words(const struct screen *screen);
void draw_memory(const struct screen *screen, struct area area);

// The arithmetic of a number as its step's formula has it, in the order of the numbers on screen. In which order the
// bits are made, "where from" says (derivation.h).
// "e^0.2050 / (e^0.2050 + e^0.0508) = 0.5385", "0.9544 / 6.5617 = 0.1455, and 6.5617 is the sum of all query_scores"; the number
// alone if nothing was computed. Names are those of steps before the one numbered `before`.
const char *mathematics_text(struct arena *arena, const struct run *run,
                             const struct derivation *derivation, int before, int digits);

// ---- What is so of a tensor ------------------------------------------------------------------------

// Does every row of the page add up to 1, but for rounding?
bool rows_sum_to_one(const struct tensor *tensor, int64_t page);

// Does the step's tensor lie in memory in another way than its operand, as views and copies of them do? There strides
// are the subject.
bool is_about_memory(const struct tensor *tensor);

// "strides (6, 1); every row sums to 1; from 0.0186 to 0.4656", of the page of a matrix.
// Rows of weights that do not sum to 1 are explained by the operation that made them so. The row is the one that is looked at.
// Of a row of ids, what it says, instead. NULL if there is nothing to say.
const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row);

// What there is to say of a step of the trial's run, from 0, in two paragraphs: what goes wrong, where mistakes changed its
// numbers ("" elsewhere); and the lesson's words, which speak of the right numbers.
struct prose {
    const char *wrong, *lesson;
};
struct prose prose_of(struct arena *arena, const struct trial *trial, int step);

// ---- A lesson's map --------------------------------------------------------------------------------

// The whole map for the map's view, or the surroundings of a step beside its matrices.
struct map_drawing {
    const struct map *map;
    const struct sketch *sketch; // of it
    const struct scene *scene;
    int chosen; // node: it is highlighted, and in the middle if possible
};

// Draws as much as fits into an area, with arrows where the map continues. has_cursor: the cursor is put on
// the chosen node.
void draw_map(struct canvas *canvas, const struct area *area, const struct map_drawing *drawing,
              bool has_cursor);

// The marks of the timeline on a node: is it the step on screen, was it seen?
bool is_node_here(const struct map_drawing *drawing, int node);
bool was_node_seen(const struct map_drawing *drawing, int node);

// Copies the part of a sketch from (row, column) on that an area shows, in the characters of this canvas. `style_of`
// gives the style of what a cell is a part of.
void put_sketch(struct canvas *canvas, const struct area *area, const struct sketch *sketch,
                int row, int column,
                struct style (*style_of)(const void *context, const struct sketch_cell *cell),
                const void *context);

#endif
