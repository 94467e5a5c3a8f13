#ifndef ONESTEP_WALK_EXHIBIT_H
#define ONESTEP_WALK_EXHIBIT_H

// Matrices side by side: the operands of an operation, each with the cells that were used lit up, and its
// result; or the same step in two runs.

#include "tensor/ops/terms.h"
#include "walk/scene.h"

// A matrix under its name.
struct panel {
    const char *name;        // NULL: none is drawn
    const char *note;        // behind the name, where there is room; or NULL
    const struct step *step; // that it shows, in this run or another; NULL for an operand
    struct cell cell;        // of an operand: the first that was used
    struct sight sight;      // its area is known once it is drawn
    bool has_chosen;         // the operand that is chosen in a list
    struct area place;       // in a picture: where it stands, with its name
    int bars;        // rows of bars above its numbers, one for each number of the row in sight
    double full_bar; // the number that fills one
};

enum { MAX_OPERANDS = 3, MAX_PANELS = 24 };

struct exhibit {
    int count;
    struct panel panels[MAX_PANELS]; // operands in order, and last the result
    bool leads;                      // the result comes first instead
    bool is_composed;  // every panel has its place in so many rows and columns (composition.h)
    int rows, columns; // of a picture
    struct area nook;  // the area that the panels of a picture leave free
};

// The operands of a derived cell; if there are more than three, the first three that were used. They are
// named after steps before the one on screen.
struct exhibit operands_of(struct arena *arena, const struct scene *scene,
                           const struct derivation *derivation);
// The same with only some of the cells lit: those of a term of the sum.
struct exhibit operands_with(struct arena *arena, const struct scene *scene,
                             const struct derivation *derivation, struct term_operands lit);

// The numbers of a view where the step that showed them before has them; no panel if the cell is not
// there.
struct exhibit viewed_by(struct arena *arena, const struct scene *scene, const struct cell *cell);

// The result, whose panel is `own`, beside what it is compared with, and, if all fit on the canvas, the difference,
// cell by cell. Both tensors have one shape.
struct exhibit comparison_of(const struct canvas *canvas, const struct scene *scene,
                             const struct panel *own, const struct tensor *other, const char *name);

// Puts bars above the panels of a picture of weights, each panel's for the row of its cursor, so that a few weights can
// be compared at a glance. The picture takes `most` rows at most: where they do not suffice, fewer rows of numbers
// are in sight, and below that there are no bars.
void add_bars(struct arena *arena, struct exhibit *exhibit, int most);

// What stands above a panel: its name, and the common factor of its numbers.
const char *panel_name(struct arena *arena, const struct panel *panel);

// Rows of the tallest panel and its name; columns of all panels together.
int exhibit_rows(const struct exhibit *exhibit);
int exhibit_columns(const struct canvas *canvas, const struct exhibit *exhibit);

// Draws the panels from left to right, each under its name. Where they do not fit, operands are
// narrowed before the result, panels of a comparison alike; where even that is too much, those furthest
// from the result are left out: their areas have no rows.
void draw_exhibit(struct canvas *canvas, struct area area, struct exhibit *exhibit);

// What is known of an exhibit once its frame is gone: for the mouse. The tensors are those of the run on
// screen, so it is valid as long as that run.
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
struct shown shown_of(const struct exhibit *exhibit);

// The page of a step that the mouse points at, and the cell there; NULL if it points at none.
const struct shown_page *page_at(const struct shown *shown, const struct press *press, int64_t *row,
                                 int64_t *column);

// The cell of an operand that the mouse points at; false if it points at none.
bool operand_at(const struct shown *shown, const struct press *press, struct cell *cell);

// What the step's tensor is in another run: the tensor of the step of the same name; NULL if there is
// none.
const struct tensor *same_step_in(const struct run *other, const struct step *step);

// Are two numbers not the same? One nan is like another.
bool is_other_number(double a, double b);

#endif
