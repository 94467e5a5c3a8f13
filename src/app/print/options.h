#ifndef ONESTEP_APP_PRINT_OPTIONS_H
#define ONESTEP_APP_PRINT_OPTIONS_H

// What a command chooses of print, beside its format.

#include <stdbool.h>

// Which programs stand beside the numbers of a handout.
enum programs { CODE_OF_FORMAT, CODE_PYTORCH, CODE_C, CODE_BOTH, CODE_NONE };

// `print --picture`: a lesson or a step as something to look at.
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

#endif
