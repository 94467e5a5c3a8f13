#ifndef ONESTEP_APP_CHECK_HANDED_IN_H
#define ONESTEP_APP_CHECK_HANDED_IN_H

// All tensors of a student's program at once, and the steps that their names name.
//
//     scores               a step, as --step takes it; in a folder: scores.txt, scores.npy, ...
//     head 1: scores       a step of a group; also head 1.scores, head-1.scores, wrapper.head-1.scores
//     attn_scores          what a course calls a step: data/names.txt says which one it is, or which ones
//     mine                 a line "mine = scores" of --names says which step it is
//     any name             the only step whose numbers it has
//
// The tensors are members of a safetensors or .npz file (tensor/file/dump_read.h), or the files of a folder.

#include "tensor/text/numbers.h"
#include "trace/run/run.h"

// How it is known which step a tensor is.
enum known_by { KNOWN_BY_NAME, KNOWN_BY_MAP, KNOWN_BY_COURSE, KNOWN_BY_NUMBERS };

struct handed_in {
    const char *file; // what messages call the file or the folder
    const char *
        *names; // for each step of the run, the student's name of the tensor; NULL: not handed in
    struct numbers *numbers; // for each step that was handed in
    enum known_by *known_by; // for each step that was handed in
    int count;               // of these

    // Tensors that have the numbers of no step, and may be one by their name or their shape. Nobody can judge them.
    int unjudged_count;
    const char **unjudged;

    // What could not be used, a sentence each: "attn_scores is no step; ..."
    int note_count;
    const char **notes;
};

// Reads what a path leads to. `map` is the file of --names, or NULL. Fails with FAIL_INPUT if anything cannot be read or no
// tensor is a step. Each tensor that was not judged has a note.
struct handed_in read_handed_in(struct arena *arena, const struct run *run, const char *path,
                                const char *map);

// All tensors that a path leads to, whatever they are, in the order of the file. Fails in the same way; returns how many.
struct named_numbers {
    const char *name;
    struct numbers numbers;
};
int numbers_of_path(struct arena *arena, const char *path, const struct named_numbers **all);

#endif
