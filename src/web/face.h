#ifndef ONESTEP_WEB_FACE_H
#define ONESTEP_WEB_FACE_H

// What the page shows in its own way, as data: the screen of a step, with its words, its matrices and what is marked in them.
// It is read from the screens that the views draw (screen_reader), so it says what a terminal shows, and hides what that hides.

#include "show/json.h"
#include "walk/walker.h"

struct faced {
    bool is_step;  // the view shows a step
    bool has_rows; // with something that is shown in rows of a screen: add_rows_to_show() has some
    struct shown shown; // the matrices, for clicks
};

// Adds the screen of the walker's view as "face": an object, or null where the view shows no step. It is drawn on a large
// canvas, on which nothing is left out. Where the view consists of lines (a list, a page of text), also these, as "lines". Lines of
// code are wrapped at so many columns.
struct faced add_face(struct json *json, struct walker *walker, struct arena *arena,
                      struct look look, int columns);

// Draws the view on the canvas, and adds which of its rows a page has to show as they are, as [first, count] each; null where
// all of them.
void add_rows_to_show(struct json *json, const char *name, struct walker *walker,
                      struct canvas *canvas);

// Adds what is known of the number of an operand in sight that is clicked at: its name and its arithmetic; null if it is none.
void add_operand_number(struct json *json, const char *name, struct walker *walker,
                        const struct shown *shown, const struct press *press);

// The place on that large canvas of a cell of a matrix in sight, as a click there; false if it is not in sight.
bool place_of_cell(const struct shown *shown, int page, int64_t row, int64_t column,
                   struct press *press);

#endif
