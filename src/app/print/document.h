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
#include "trace/what_if/spread.h"

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

    void *own; // what the format keeps between its parts
    struct measured *measured;
};

// Adds the whole document. `own` is the format's.
void add_document(struct text *text, const struct selection *selection,
                  const struct print_part parts[PART_COUNT], void *own);

// What a mistake does, at PART_MISTAKE: what goes wrong and how it looks in PyTorch, or why nothing does.
const char *mistake_text(const struct document *document);

#endif
