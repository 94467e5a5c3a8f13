#ifndef ONESTEP_APP_PRINT_PICTURE_H
#define ONESTEP_APP_PRINT_PICTURE_H

// `print --picture`: a lesson or a step as something to look at.

#include "base/text.h"

struct selection; // app/print/formats.h

enum picture {
    NO_PICTURE,
    PICTURE_MAP, // of a whole lesson
    PICTURE_PLANE,
    PICTURE_STRIPS,
    PICTURE_CURVE,
};

// Drawn with characters; said in words, a fact a line; drawn as a figure.
enum picture_form { IN_TEXT, IN_WORDS, IN_SVG };

// What a picture is called on the command line ("map"), NULL behind the last.
const char *picture_name(enum picture picture);

// Is it of one step, rather than of a lesson?
bool shows_step(enum picture picture);

// Adds a picture of the only lesson of a selection, or of its step. Fails with FAIL_USAGE if the step's tensor
// is not one that can be drawn so, and says which can.
void add_picture(struct text *text, const struct selection *selection, enum picture picture,
                 enum picture_form form);

#endif
