#ifndef ONESTEP_TRACE_WHERE_TO_H
#define ONESTEP_TRACE_WHERE_TO_H

// Where does this number go? All numbers of a run that would be others if one of its numbers were: the other
// direction of derive(), which says what a number was made of. What is masked, dropped or multiplied by 0 was
// made of its operands, too, but does not answer to them. Numbers made of the asked one directly count in
// any case; there the way ends.
//
//     const struct where_to reached = where_to_of(arena, run, &cell);
//     for (int i = 0; i < run->step_count; i++)
//         printf("%lld\n", (long long)reached_in(&reached, &run->steps[i].tensor));

#include "tensor/cell.h"
#include "trace/run.h"
#include "trace/tape.h"

struct where_to {
    struct cell asked;
    struct tape tape;
    const unsigned char *
        *reached; // of each storage of the tape, by flat index; NULL: none of its numbers
};

// Finds them, the number itself included, in `arena`. The cell is of a tensor that a step of the run, or
// what one was made of, has the numbers of; of any other nothing is reached.
struct where_to where_to_of(struct arena *arena, const struct run *run, const struct cell *cell);

// Is the element reached? How many of a tensor's are; and the first of them, row by row, in `index`: false
// if there is none.
bool is_reached(const struct where_to *where_to, const struct tensor *tensor, const int64_t *index);
int64_t reached_in(const struct where_to *where_to, const struct tensor *tensor);
bool first_reached(const struct where_to *where_to, const struct tensor *tensor, int64_t *index);

#endif
