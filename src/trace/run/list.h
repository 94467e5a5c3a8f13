#ifndef ONESTEP_TRACE_RUN_LIST_H
#define ONESTEP_TRACE_RUN_LIST_H

// Numbers that an option lists: "4.5,-1.9,6.7", and ids of several sentences: "2,3,5,1;0,1,4,4".

#include "trace/run/run.h"

// The most numbers of a list, ids of a sentence and temperatures. An id is at most MOST_ID.
enum { MOST_LISTED = 64, MOST_IDS = 1024, MOST_TEMPERATURES = 3, MOST_ID = 65535 };

// The list as JSON and as Python: "[2, 3]"; of several sentences "[[2, 3], [0, 1]]".
const char *list_json(struct arena *arena, const char *list);

// Is head `head` of a block in a list of what is switched off, "4,3.5"; or, if head is 0, the block itself? All are counted
// from 1.
bool is_switched_off(const char *list, int64_t block, int64_t head);
// The largest block and head in that list; 0 if there is none.
struct furthest {
    int64_t block, head;
};
struct furthest furthest_off(const char *list);

// The numbers of a list that a parameter has, MOST_LISTED at most. Returns how many there are.
int numbers_listed(const char *list, double *numbers);

// The lengths of --lengths, MOST_SENTENCES at most. Returns how many there are. Fails with FAIL_USAGE if one is above the
// number of tokens of the input.
int lengths_given(const struct run *run, double *lengths);

// The ids of --ids as (sentence, token) of INT64, AXIS_BATCH and AXIS_TOKEN, called by the words of the vocabulary. A lesson with neither a --context-length of
// its own nor one that was given gets that of the ids. Fails with FAIL_USAGE unless all sentences are of the same length,
// each id is below the vocabulary, and there are no more tokens than --context-length.
struct tensor ids_given(struct run *run, const char *const *words);

// The rows of --target in the input, (tokens that ask) of INT64, AXIS_TOKEN, called by their tokens.
struct tensor target_ids(struct run *run);

#endif
