#ifndef ONESTEP_APP_PRINT_HTML_HANDOUT_H
#define ONESTEP_APP_PRINT_HTML_HANDOUT_H

// src/app/handout.css, the look of the HTML handout, embedded when the program is built.

#include <stddef.h> // defines: size_t

extern const char data_handout_css[];
extern const size_t data_handout_css_length;

#endif
