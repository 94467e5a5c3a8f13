#ifndef ONESTEP_TRACE_RUN_SENTENCE_H
#define ONESTEP_TRACE_RUN_SENTENCE_H

// What a model reads: the words of --text, each numbered by its first appearance. The different words are
// the vocabulary; with --vocabulary there are more, which the text never uses.

#include "trace/run/run.h"

#define SIX_WORDS "Your journey starts with one step"

struct sentence {
    int64_t vocabulary; // how many different words the model knows
    const char *const
        *vocabulary_words; // in order of appearance: word number 0, 1, ...; then "[6]", ...
    struct tensor ids;     // (1, words) of INT64, AXIS_BATCH and AXIS_TOKEN, labelled
};

// The sentence of the run's parameters, whose vocabulary it sets if it was not given. Fails with FAIL_USAGE
// unless there are 2 to 64 words of printable characters, of 64 bytes at most, and no more different ones
// than the vocabulary has.
struct sentence read_sentence(struct run *run);

#endif
