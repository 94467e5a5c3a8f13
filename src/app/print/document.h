#ifndef ONESTEP_APP_PRINT_DOCUMENT_H
#define ONESTEP_APP_PRINT_DOCUMENT_H

// Lessons as a document, in the order in which it is read. One walk visits its parts; a format is a table
// that says how each part is written, and leaves out what it has nothing to say of:
//
//     static const struct print_part parts[PART_COUNT] = {
//         [PART_LESSON] = {add_heading, NULL},
//         [PART_FORMULA] = {add_fact, "formula"},
//     };
//     add_document(text, selection, parts, NULL);

#include "app/print/formats.h"
#include "show/sheet.h"
#include "trace/run/exercise.h"
#include "trace/tape/spread.h"

// The parts, in their order, and what document->words are there.
enum part {
    PART_BEGIN,       // what the document is called
    PART_LESSON,      // the title of a lesson
    PART_SUMMARY,     // its summary
    PART_BOOK,        // the section of the book that it follows; left out if there is none
    PART_DIFFERENCES, // from the course's own; NULL if there are none
    PART_MISTAKE,     // why a mistake made on purpose changes nothing; NULL if it does
    PART_SETUP_LINES, // lines of the setup that the mistakes changed: "- " before each, "+ " before those that ran instead
    PART_STEPS,       // come now, the introduction is over
    PART_SECTION,     // the title of a section, where one begins
    PART_STEP,        // the title of the paragraph; NULL if the step goes on with the one before it
    PART_EXPLANATION, // of the paragraph, with the first of its steps
    PART_FORMULA,     // the step's
    PART_WRONG, // in place of both programs, where a mistake was made: how it looks in PyTorch
    PART_LINES, // the same as PART_SETUP_LINES, of the step; in place of both programs where PART_WRONG is
    PART_SOURCE,  // its lines of C
    PART_PYTORCH, // the same in PyTorch
    PART_LAYOUT,  // "float32 (6, 6): query × key; strides (6, 1)"
    PART_TENSOR,
    PART_STEP_END,
    PART_LESSON_END,
    PART_SHEET,       // the title of the cheat sheet, with which whole lessons end
    PART_SHEET_TABLE, // the title of one of its tables
    PART_SHEET_END,
    PART_END,
    PART_COUNT
};

struct document;

// How far rounding moves the numbers of a lesson that trains, once a part of its document has asked.
struct measured {
    const struct trial *trial;    // whose; NULL: nobody has asked
    const struct spread *spreads; // of each step
};

struct print_part {
    void (*add)(const struct document *document);
    const char *how; // what the function needs to know, as document->how
};

// The document, and where the walk is in it.
struct document {
    struct text *text;
    const struct selection *selection;
    const struct print_part *parts;

    const char *words; // of this part
    const char *how;   // to write it
    int level;         // of its heading: 1 for the outermost
    const struct trial *trial;
    int mistake; // the trial's, from 0
    const struct step *step;
    const char *section; // NULL before the first
    const struct sheet_table *table;
    int table_number; // from 1

    void *state; // what the format keeps between its parts
    struct measured *measured;
};

// Adds the whole document. `state` is the format's.
void add_document(struct text *text, const struct selection *selection,
                  const struct print_part parts[PART_COUNT], void *state);

// What a mistake does, at PART_MISTAKE: what goes wrong and how it looks in PyTorch, or why nothing does.
const char *mistake_text(const struct document *document);

// ---- Words for Markdown, in which nothing is markup ---------------------------------------------

// Adds words of ours: what Markdown would take for markup has a backslash before it.
void add_prose(struct text *text, const char *string);

// Adds what may come from a file: all punctuation has one, so that it can't even become a link.
void add_label(struct text *text, const char *string);

// ---- Pieces of Python, for scripts and notebooks ------------------------------------------------

// python/compare.py, embedded when the program is built: the function check() that scripts carry, and what
// it needs. And python/exercises.py, which notebooks with blanks carry.
extern const char data_compare[], data_exercises[];

// The exercise that the document's step is, if it has exercises at all; else NULL.
const struct exercise *exercise_here(const struct document *document);

// The statements of the steps between the step that was written before and the document's, which are
// left out: "" if there are none. And the step's own statement, with a blank if it is an exercise's.
const char *statements_before(const struct document *document);
const char *statement_here(const struct document *document);

// check("causal", "scores", scores, """tensor(...)"""): compares the step's expression with its print.
const char *check_here(const struct document *document);

// A line that makes check(), hint(), points() and show() for a lesson: exec(...). What it runs is encoded, so that neither
// hints nor answers are in sight. The first lesson's line holds python/exercises.py; the others' need it.
const char *exercises_line(struct arena *arena, const struct run *run, bool is_first);

// HINTS.update({...}): the hints of the exercises that are printed; "" without any.
const char *hints_of(struct arena *arena, const struct selection *selection);

// torch.set_printoptions(...), if the digits are not PyTorch's own; else "".
const char *print_options(struct arena *arena, const struct selection *selection);

#endif
