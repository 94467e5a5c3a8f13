#ifndef ONESTEP_WALK_STEP_SCREEN_H
#define ONESTEP_WALK_STEP_SCREEN_H

// The main screen: one step of a lesson, at any size. A view that keeps the step in sight replaces the blocks
// of some slots by its own.

#include "walk/step/matrices.h"

// The smallest terminal that shows a step; the width from which operands stand beside the result; and the
// height from which there is room for more than one thing of a kind.
enum { LEAST_ROWS = 12, LEAST_COLUMNS = 40, WIDE_COLUMNS = 100, TALL_ROWS = 34 };

enum { PROSE_COLUMNS = 78 }; // wider lines are hard to read

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

struct screen;
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

// A list of parameters (lists_parameters), one line each: name, shape, and the range of the numbers. It is
// drawn at the left of the open parameter.

struct inventory {
    struct stop stop;
    int columns;    // of the list and the gap after it; 0: there is no list
    bool has_range; // there is room for the range too
};

// How a view changes the step's screen.
struct arrangement {
    const struct block *blocks[SLOT_COUNT];
    // Marks the cells whose numbers are hidden; then no other part of the screen shows them. NULL: none are
    // hidden.
    void (*hide)(const struct screen *screen, unsigned char *marks);
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
    struct inventory inventory; // the list of parameters at the left of the matrices
    struct matrices matrices;

    struct composition_room room; // for them
    struct slot slots[SLOT_COUNT];
};

// Draws the step on the whole canvas, the cursor on the focused cell. Returns where each matrix is; none if
// memory is shown instead.
struct shown draw_screen(struct canvas *canvas, const struct scene *scene,
                         const struct arrangement *arrangement, const void *view);

// The area that a picture leaves free above the left operand of a product; no rows if it is too small to use.
// Known after the screen is laid out.
struct area free_area_of(const struct screen *screen);

// The term that was added last to the cell under the cursor; NULL: the cell is not shown term by term.
const struct partial *current_term(const struct screen *screen);

// The tensor of a step in the run to compare with; NULL if there is none of the same shape.
const struct tensor *compared_with(const struct screen *screen, const struct step *step);

// Marks of a page of a step: what is not computed yet, what differs from the run to compare with, what is followed.
unsigned char *marks_of(const struct screen *screen, const struct step *step,
                        const struct matrix *matrix);

// The marks of the number under the cursor: is it hidden, is it not computed yet?
unsigned char marks_at_cursor(const struct screen *screen);

// Are numbers shown in the order of memory?
bool shows_memory(const struct screen *screen);

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

// ---- What blocks draw ----------------------------------------------------------------------------

// The list for the step on screen. No list if there are few parameters, or if too few columns would be left
// for a matrix.
struct inventory inventory_of(const struct canvas *canvas, const struct scene *scene);

// Draws as many lines as the area has rows, the open parameter among them.
void draw_inventory(struct canvas *canvas, struct area area, const struct scene *scene,
                    const struct inventory *inventory);

// The numbers of a tensor as they lie in memory, one after the other, and the order in which the
// tensor's shape and strides walk them.

// Rows that the whole storage takes on this canvas, its heading included.
int memory_rows(const struct canvas *canvas, const struct tensor *tensor,
                const struct matrix *matrix);

// Draws the storage around the focused cell, the cursor on its number.
void draw_memory(struct canvas *canvas, struct area area, const struct cell *cell,
                 const struct matrix *matrix);

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

// "strides (6, 1); every row sums to 1; from 0.0186 to 0.4656", of the page of a matrix, as much as fits into `width` columns.
// Rows of weights that do not sum to 1 are explained by the operation that made them so. The row is the one that is looked at.
// Of a row of ids, what it says, instead. NULL if there is nothing to say.
const char *invariant_text(struct arena *arena, const struct matrix *matrix, int64_t row,
                           int width);

// What there is to say of a step of the trial's run, from 0, in two paragraphs: what goes wrong, where mistakes changed its
// numbers ("" elsewhere); and the lesson's words, which speak of the right numbers.
struct prose {
    const char *wrong, *lesson;
};
struct prose prose_of(struct arena *arena, const struct trial *trial, int step);

#endif
