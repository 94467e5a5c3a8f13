#ifndef ONESTEP_SCRIPT_EDIT_EDIT_H
#define ONESTEP_SCRIPT_EDIT_EDIT_H

// Edits of a program: one piece of it replaced by another, or several pieces together. A mistake is such an edit, and so is what
// mends it.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/arena.h"

// What an edit puts a name in for.
enum read_as { READS_NOTHING, READ_AS_NAME, READ_AS_TERM, READ_AS_NUMBER, READS_ITS_VALUE };

struct edit {
    size_t start, end; // the piece: bytes of the source, the last one excluded
    const char *text;  // what stands there instead
    const char
        *name; // of the mistake that it mends, "softmax-columns"; NULL: nobody gave it a name
    const char *words; // what it changes: "another dim"
    double price;      // in bits: -log2 of how often the slip is made, as judged, not measured
    bool
        is_forgotten; // it uses what the program makes and never uses: it may be meant where nothing is wrong
    bool is_variant; // of a row, one match of several, or with one number of several
    const char *
        reads; // the name that it puts in: in the place of another, as a term, or as a whole number; NULL: none
    enum read_as reading;
    const struct edit *also; // the next piece, further down; NULL: there is none
};

// Who judges whether an edit is worth while: of what kind a name is only a run knows.
struct edit_judge {
    bool (*is_sensible)(const struct edit_judge *judge, const struct edit *edit);
};

struct edit_list {
    int count;
    const struct edit *edits;
};

// The program with the edit, in the arena.
const char *edited_source(struct arena *arena, const char *source, const struct edit *edit);

// Where a byte of the source stands with the edit; what stood in a piece, behind its text.
size_t place_after(const struct edit *edit, size_t position);

// The line that a byte of the source stands in, from 1.
int line_of_place(const char *source, size_t position);

// What a line of a program is called: "line 18"; of a notebook "cell 3, line 4".
const char *line_words(struct arena *arena, const char *source, int line);

#endif
