#ifndef ONESTEP_TRACE_RUN_SOURCE_H
#define ONESTEP_TRACE_RUN_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/run/parameters.h"

// A lesson's files, cut into paragraphs when the program is built, and the lines of each STEP.

// The lines of C of one step, or of several that follow each other directly.
struct excerpt {
    int first_line, last_line;     // counted from 1
    int first_record, last_record; // the lines of their STEPs
    const char *text;              // indented no more than needed, each line closed by \n
};

// One paragraph of a lesson's file, cut when the program was built.
struct paragraph {
    const char *file;        // "lessons/causal.c"
    const char *title;       // first sentence of the comment, without its full stop
    const char *explanation; // the other sentences
    int excerpt_count;
    const struct excerpt *excerpts; // in order of lines
    bool
        repeats; // its title says so, and its steps are in an earlier lesson or paragraph, with the same formula and PyTorch
    const char *drawing; // lines, each closed by \n, of ASCII and at most 76 columns; NULL: none
};

enum { QUESTION_COUNT = 3, CELL_DIMS = 4 };

// A question that a step of the lesson answers.
struct question {
    const char *step; // label
    int cell_dims;    // dimensions of `cell`; 0: the question is not about a single number or row
    int64_t cell[CELL_DIMS]; // in the step's tensor: the number, or a cell of the row
    const char *text;
    const char *answer; // at the course's parameters
};

// A line of a lesson's classes, compared with those of an earlier lesson.
struct change {
    enum { LINE_STAYS, LINE_IS_NEW, LINE_IS_GONE } kind;
    const char *line; // without its newline
};

// A step whose expression the reader has to find.
enum { HINTS = 3 };
struct exercise {
    const char *step;         // "head 1: scores"
    const char *hints[HINTS]; // from a nudge to nearly the answer
};

// What the reader is asked before a step shows its numbers. What is right, the run says: it may have any parameters.
enum challenge_kind {
    CHALLENGE_LINE,    // the step's line of PyTorch, an exercise of the lesson
    CHALLENGE_LARGEST, // the largest number of the row that `cell` stands in
    CHALLENGE_SIGN,    // of the number in `cell`
    CHALLENGE_NUMBER,  // the number in `cell`
    CHALLENGE_SHAPE,   // of the step's tensor
    CHALLENGE_PRINTS,  // what `code` prints behind the step's statement
};

enum { MOST_CHALLENGES = 64 };
struct challenge {
    const char *step; // label
    enum challenge_kind kind;
    int cell_dims; // of the step's tensor; 0: the kind needs no cell
    int64_t cell[CELL_DIMS];
    const char *code; // of CHALLENGE_PRINTS: "print(scores.shape)"; else ""
    const char *text; // the question; "": the usual one of its kind
};

// Matrices of lesson 0, whose model has learned, that the end of a later lesson shows.
struct learned_weights {
    const char *step; // of lesson 0; NULL: none are shown
    int page;         // from 0; -1: all, side by side
    const char *text; // what they say
};

// How a lesson begins and ends: lessons/NAME.py, cut when the program was built.
struct recap {
    const char *words; // five sentences on what the lesson showed
    const char *news;  // what is new in the lesson; NULL for the first
    struct question questions[QUESTION_COUNT];
    int exercise_count;
    const struct exercise *exercises;
    int challenge_count;                // at most MOST_CHALLENGES
    const struct challenge *challenges; // in the order of their steps
    struct learned_weights learned;
    const char *can;     // "You can now: ..."; "": nothing is said
    const char *onward;  // what comes next
    const char *classes; // the complete code in PyTorch; each line ends in \n
    const char *outline; // the same with ... in place of what __init__() and forward() do
    const char *since;   // the earlier lesson whose classes are compared; NULL if none are
    int change_count;
    const struct change
        *changes;      // the lines of `classes`, with removed lines at their former places
    const char *use;   // lines that create the class and call it, after run_setup()
    const char *gives; // label of the step that the last of these lines computes
};

struct source {
    int paragraph_count;
    const struct paragraph *paragraphs; // file by file, in order of lines
    const char *function; // the whole lesson as one function of C, each line closed by \n; or NULL
    const struct recap *recap; // NULL if there is none
};

// Is it of a program in Python, whose lines are what PyTorch is asked for?
bool is_python(const struct paragraph *paragraph);

// A paragraph's title and explanation may hold parameters of the lesson: "{shift}" becomes 5, and "{heads head}", a
// number of things, "four heads". The paragraph in the words of a run with these parameters: a copy in the arena, or
// itself if it holds none. Fails at a name that is no parameter.
const struct paragraph *worded_paragraph(struct arena *arena, const struct paragraph *paragraph,
                                         const struct parameters *parameters);

// The paragraph with a STEP on line `line` (counted from 1) of `file`, and in *excerpt the lines that compute
// it; NULL if there is none. The path before the file's name does not matter.
const struct paragraph *paragraph_at(const struct source *source, const char *file, int line,
                                     const struct excerpt **excerpt);

#endif
