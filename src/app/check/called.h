#ifndef ONESTEP_APP_CHECK_CALLED_H
#define ONESTEP_APP_CHECK_CALLED_H

// What a course and other programs call the steps of a lesson: the rows of data/names.txt.

#include "trace/run/run.h"

enum { MOST_CALLED = 16 }; // steps of one name

struct called {
    const struct run *run;
    int count;
    struct called_row *rows; // of this lesson, and after them those of any
};

// The rows for the lesson of a run, in `arena`. Aborts if data/names.txt has a row of another form.
struct called read_called(struct arena *arena, const struct run *run);

// Writes the steps that a tensor of this name may be, in the order in which they are tried, and returns how many there are:
// 0 if it is a name of no row. Allocates nothing.
int steps_called(const struct called *called, const char *name,
                 const struct step *steps[static MOST_CALLED]);

// Is it a name of this form, "h.{n}.attn.q"? *number: what stands for its {n}, and is one less than what stands for its {n+1}; a
// form without either leaves it alone.
bool is_of_form(const char *name, const char *form, int *number);
// The name of this form with a number, in `arena`: "block 2: scores" of "block {n+1}: scores" and 1.
const char *name_of_form(struct arena *arena, const char *form, int number);

// Is the step to be proposed for a name, in small letters and digits only?
bool is_proposed(const struct called *called, const char *plain, const struct step *step);

#endif
