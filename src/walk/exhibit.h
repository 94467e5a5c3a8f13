#ifndef ONESTEP_WALK_EXHIBIT_H
#define ONESTEP_WALK_EXHIBIT_H

// Where a number comes from, as matrices: the operands of its operation, each with the cells that were
// used lit up.

#include "tensor/ops/derivation.h"
#include "trace/run.h"
#include "walk/measured.h"

struct panel {
    const char *name;
    const struct matrix *matrix;
    struct matrix_view view;
    bool has_chosen; // the operand that is chosen in a list
};

enum { MAX_PANELS = 4 };

struct exhibit {
    int count;
    struct panel panels[MAX_PANELS]; // operands in order, and last the result
    bool leads;                      // it is the other way round: the result comes first
};

// The operands of a derived cell. Of more than three, those that come first and were used. `step` is
// the number of the step on screen: names are those of steps before. If it is a view, and sees_views,
// it gets the step that showed its numbers before.
struct exhibit exhibit_of(struct arena *arena, struct measured *measured, const struct run *run,
                          const struct cell *cell, const struct derivation *derivation, int step,
                          bool sees_views, int digits);

// What a tensor is called: the name of the step that shows it, with a ᵀ if rows and columns have
// changed places; else the operation that made it.
const char *tensor_name(struct arena *arena, const struct run *run, const struct tensor *tensor,
                        int before);

// Rows of the tallest panel and its name; columns of all panels together.
int exhibit_rows(const struct exhibit *exhibit);
int exhibit_columns(const struct canvas *canvas, const struct exhibit *exhibit);

// The result, whose panel is `panel`, beside what it is compared with (`name`: "in the course"), and,
// if all fit on the canvas, the difference, cell by cell. Both tensors have one shape.
struct exhibit comparison_of(const struct canvas *canvas, struct measured *measured,
                             const struct panel *panel, const struct tensor *other,
                             const char *name, int digits);

// Draws the panels from left to right, each under its name. Where they do not fit, operands are
// narrowed before the result, panels of a comparison alike; where even that is too much, those furthest
// from the result are left out. Returns the area of the result's matrix.
struct area draw_exhibit(struct canvas *canvas, struct area area, const struct exhibit *exhibit);

// Marks (cell_mark bits) for the page of a matrix, all 0.
unsigned char *blank_marks(struct arena *arena, const struct matrix *matrix);

// What the step's tensor is in another run: the tensor of the step of the same name; NULL if there is
// none.
const struct tensor *same_step_in(const struct run *other, const struct step *step);

// Are two numbers not the same? One nan is like another.
bool is_other_number(double a, double b);

#endif
