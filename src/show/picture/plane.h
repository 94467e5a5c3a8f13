#ifndef ONESTEP_SHOW_PICTURE_PLANE_H
#define ONESTEP_SHOW_PICTURE_PLANE_H

// Vectors of two numbers as labelled points in a plane, a unit across as long as a unit up. Of a step whose rows
// are two numbers wide, its rows; where they are mixes of other rows (contexts), those as well, and the hull that
// no mix with weights that sum to 1 can leave. Of a product of vectors of two (scores), the vectors on both
// sides, and where 0 is, for what counts between them is length and angle.

#include "base/text.h"
#include "show/sketch.h"
#include "trace/run/run.h"

enum { PLANE_SETS = 2 };

struct plane_point {
    double x, y;
    int set;
    const char *label; // the token
};

struct plane_set {
    const char
        *name; // of the step that shows them, or what they are to the product: "context", "values"
    int first, count;   // points
    struct tensor rows; // whose rows they are; a vector is one
};

struct plane {
    const char *title; // "batch 1, head 2"; NULL if the tensor has only one page
    int set_count;
    struct plane_set sets[PLANE_SETS];
    int point_count;
    struct plane_point *points; // of the first set first
    int hull_count;
    const int *hull; // points around all of the second set; none if mixes may leave it
    bool has_zero;   // 0 is in sight
    double least_x, most_x, least_y, most_y;
    const char *x_name, *y_name; // of the two features
};

// Makes the plane of a page (table.h) of a step's tensor, in `arena`. Returns NULL, or why there is none: "its rows
// have 3 numbers; ...".
const char *plane_of(struct arena *arena, struct plane *plane, const struct run *run,
                     const struct step *step, int64_t page);

// Draws it in so many cells, a legend in the last two rows. What belongs to a point (sketch_cell.of): its mark
// and its label. Labels that find no room are left out.
struct sketch plane_sketch(struct arena *arena, const struct plane *plane, int rows, int columns,
                           bool ascii);

// Adds it as a figure, and as a fact a line.
void add_plane_svg(struct text *text, const struct plane *plane, const char *heading);
void add_plane_facts(struct text *text, const struct plane *plane);

#endif
