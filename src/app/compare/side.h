#ifndef ONESTEP_APP_COMPARE_SIDE_H
#define ONESTEP_APP_COMPARE_SIDE_H

// One of two runs that are compared: all its tensors in their order, and what each was made of.

#include "tensor/operation/precision.h"
#include "trace/run/run.h"

enum { NOWHERE = -1 };

// A tensor. Besides those that steps show there are those inside a line, views, and parts of tensors such as one head.
struct place {
    const char *name;      // "scores", "block 1: scores"; "" of what no step shows
    const char *statement; // of the step in whose line it is made
    const char *file;      // of a program; NULL: none is known
    int line;
    int step; // of the run: that which shows it or in whose line it is made; NOWHERE: of a dump
    bool is_shown;   // by a step, or it is in a dump
    bool is_unnamed; // its step has no name but its operation's
    bool is_given;   // made of nothing
    bool is_part;    // one index of a dimension of the tensor that it is made of
    int part_dim;    // of that tensor
    int64_t part_at;
    bool is_result;                    // nothing is made of it
    const struct operation *operation; // that made it; NULL: it is a view, a part, or of a dump
    struct shape shape;                // without dimensions of one
    struct shape full;                 // with them
    int64_t count;
    bool is_large;         // of a recording: read_place() reads its numbers
    bool is_weight;        // and it is one, or a view of one
    const double *numbers; // NULL: they are not read
    const double *allowed; // how far another right run's may differ; NULL: not known
    double
        within; // where that is not known, of the root of their mean square; 0: as float32s of a few operations
    struct sums {
        bool are_known;
        double numbers, squares, sizes, allowed, allowed_squares; // of those that are no mask's
        int64_t masked;
    } sums;               // sum_up() of layout.h
    struct tensor tensor; // of a run, but for parts
    struct arena *arena;  // where its numbers will be
    int made_count;
    int *made_of; // earlier places
};

struct side {
    const char *name;      // as it was given
    const struct run *run; // NULL: a dump
    const char *file;      // of a program; NULL
    bool is_traced;        // all that is shown is made of what was shown before, or given
    int count;
    struct place *places;
    int last; // shown; of a lesson: what its class gives
    const char
        *ended; // by what, before its end: "b.py:5: ValueError: ..."; NULL: it came to its end
    const struct precision *precision; // it has fewer bits than a float32; NULL: it has not
};

// The tensors of a run. `file`: of a program, as its steps call it; what runs inside a library stands in the line that called it.
struct side side_of_run(struct arena *arena, const char *name, const struct run *run,
                        const char *file);

// Reads the numbers of a place, if they are not read yet.
void read_place(const struct place *place);

// One of its numbers. All are read only if more than the first few are asked for.
double number_of_place(const struct place *place, int64_t position);

// Those of a dump: a safetensors file, an .npz file, or a folder of files. Fails with FAIL_INPUT.
struct side side_of_dump(struct arena *arena, const char *path);

// Measures how far rounding moves the numbers of a side that has operations; `precision` is the other side's, or NULL.
void expect_rounding(struct side *side,
                     const struct precision *precision); // the same where nothing can be measured
void measure_rounding(struct arena *arena, struct side *side, const struct precision *precision);

#endif
