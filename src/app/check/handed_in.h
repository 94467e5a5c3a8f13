#ifndef ONESTEP_APP_CHECK_HANDED_IN_H
#define ONESTEP_APP_CHECK_HANDED_IN_H

// All tensors of a student's program at once, and the steps that their names name.
//
//     scores               a step, as --step takes it; in a folder: scores.txt, scores.npy, ...
//     head 1: scores       a step of a group; also head 1.scores, head-1.scores, wrapper.head-1.scores
//     attn_scores          no step; a line "attn_scores = scores" of --names says which one it is
//
// The tensors are members of a safetensors or .npz file (tensor/file/dump_read.h), or the files of a folder.

#include "tensor/file/numbers.h"
#include "trace/run/run.h"

struct handed_in {
    const char *file; // what messages call the file or the folder
    const char *
        *names; // for each step of the run, the student's name of the tensor; NULL: not handed in
    struct numbers *numbers; // for each step that was handed in
    int count;               // of these

    // What could not be used, a sentence each: "attn_scores is no step; ..."
    int note_count;
    const char **notes;
};

// Reads what a path leads to. `map` is the file of --names, or NULL. Fails with FAIL_INPUT if anything cannot be read or no
// tensor names a step. Names of no step are notes: those near to a step's with a proposal, which is not followed.
struct handed_in read_handed_in(struct arena *arena, const struct run *run, const char *path,
                                const char *map);

#endif
