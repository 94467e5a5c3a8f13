#ifndef ONESTEP_WALK_STEP_MATRICES_H
#define ONESTEP_WALK_STEP_MATRICES_H

// Matrices side by side: the operands of an operation, with the cells that were used highlighted, and its
// result; or the same step in two runs.

#include "tensor/operation/terms.h"
#include "walk/step/scene.h"

// What else a panel may show when the cursor moves: another of several joined tensors, another page.
struct alternative {
    const char *name; // NULL: none that a reader would know
    const struct tensor *tensor;
};

// A matrix under its name.
struct panel {
    const char *name; // NULL: none is drawn
    const char *note; // after the name, if there is room; or NULL
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
    bool is_composed;  // every panel has a fixed place within `rows` and `columns` (composition.h)
    int rows, columns; // of a picture
    struct area free_area; // the area that the panels of a picture leave free
};

// The operands of a derived cell; if there are more than three, the first three that were used. Their names
// are those of steps before the one on screen.
struct matrices operands_of(struct arena *arena, const struct scene *scene,
                            const struct derivation *derivation);
// The same with only some cells highlighted: those of one term of the sum.
struct matrices operands_with(struct arena *arena, const struct scene *scene,
                              const struct derivation *derivation, struct term_operands lit);

// For a step that is a view: the same number in the step that first showed it; no panel if the cell is not
// there.
struct matrices viewed_by(struct arena *arena, const struct scene *scene, const struct cell *cell);

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

// The tensor of the step with the same name in another run; NULL if there is none.
const struct tensor *same_step_in(const struct run *other, const struct step *step);

// Do two numbers differ? All nan count as equal.
bool is_other_number(double a, double b);

// ---- Composed ------------------------------------------------------------------------------------

// The picture of a step: its operands and its result together, each panel at a fixed place. For a product the
// left operand is at the left of the result and the right operand above it, so that the row and the column of
// a number meet in the number; panels of other operations are side by side, or the operands are above the
// result. If they do not fit, numbers get fewer digits, those of operands first.

// The room for a picture: columns; rows that leave enough for the words (comfortable); all rows (most).
struct composition_room {
    int columns, comfortable, most;
};

// Makes a picture of operands (from operands_of or viewed_by) and results (a panel for each step of the stop,
// one of them with the focus). Returns one without panels if nothing fits.
struct matrices composition_of(struct canvas *canvas, const struct scene *scene,
                               const struct matrices *operands, const struct matrices *results,
                               const struct composition_room *room);

#endif
