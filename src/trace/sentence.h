#ifndef ONESTEP_TRACE_SENTENCE_H
#define ONESTEP_TRACE_SENTENCE_H

// What a model reads: the words of --text, each numbered by its first appearance. The different words are
// the vocabulary.

#include "trace/run.h"

#define SIX_WORDS "Your journey starts with one step"

struct sentence {
    int64_t vocabulary;                  // how many different words there are
    const char *const *vocabulary_words; // in order of appearance: word number 0, 1, ...
    struct tensor ids;                   // (1, words) of INT64, axes "batch" and "token", labelled
};

// The sentence of the run's parameters. Fails with FAIL_USAGE unless there are 2 to 64 words of printable
// characters, of 64 bytes at most.
struct sentence read_sentence(struct run *run);

#endif
