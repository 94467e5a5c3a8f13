#ifndef ONESTEP_TRACE_TAPE_WHERE_TO_H
#define ONESTEP_TRACE_TAPE_WHERE_TO_H

// All numbers of a run that depend on one number: the other direction of derive(), which says what a number
// was computed from. A number that is masked, dropped or multiplied by 0 has operands, but does not depend on
// them. Numbers computed directly from the given number are included even then, but are not followed further.
//
//     const struct where_to reached = where_to_of(arena, run, &cell);
//     for (int i = 0; i < run->step_count; i++)
//         printf("%lld\n", (long long)reached_in(&reached, &run->steps[i].tensor));

#include "tensor/cell.h"
#include "trace/run/run.h"
#include "trace/tape/tape.h"

struct where_to {
    struct cell asked;
    struct tape tape;
    const unsigned char **
        reached; // for each storage of the tape, one flag for each flat index; NULL: none of its numbers
};

// Finds these numbers, including the number itself, in `arena`. The cell must belong to a storage of a step
// or of the operands behind a step; for any other cell nothing is reached.
struct where_to where_to_of(struct arena *arena, const struct run *run, const struct cell *cell);

// Is the element reached? reached_in: how many elements of a tensor are. first_reached: the index of the
// first, row by row; false if there is none.
bool is_reached(const struct where_to *where_to, const struct tensor *tensor, const int64_t *index);
int64_t reached_in(const struct where_to *where_to, const struct tensor *tensor);
bool first_reached(const struct where_to *where_to, const struct tensor *tensor, int64_t *index);

#endif
