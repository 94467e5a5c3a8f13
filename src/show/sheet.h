#ifndef ONESTEP_SHOW_SHEET_H
#define ONESTEP_SHOW_SHEET_H

// The cheat sheet: the formula of attention, the shape at every stage of every lesson, what each
// operation does to shapes and strides, and to gradients, what PyTorch says to the classic slips, and what its functions make of masks. `onestep help
// formulas`, the walker's help and the handout show the same tables.

#include "base/text.h"
#include "trace/what_if/trial.h"

enum { SHEET_COLUMNS = 3 };

struct sheet_row {
    const char *cells[SHEET_COLUMNS]; // NULL where there is none
};

struct sheet_table {
    const char *title;
    const char *introduction; // a sentence or two; NULL if none
    int column_count;
    const char *heads[SHEET_COLUMNS];
    int row_count;
    const struct sheet_row *rows;
};

// All tables, for the lessons given (the shapes are theirs), in `arena`. Returns how many.
int sheet_tables(struct arena *arena, int trial_count, const struct trial *trials,
                 const struct sheet_table **tables);

// Adds the tables as text of at most `width` columns (40 or more).
void add_sheet(struct text *text, int table_count, const struct sheet_table *tables, int width);

#endif
