#ifndef ONESTEP_LESSONS_SAMPLING_H
#define ONESTEP_LESSONS_SAMPLING_H

// The lesson on sampling goes on in sampling_text.c.

#include "trace/lesson.h"

// "0.1": the shortest decimal that reads back as the same number.
const char *in_digits(struct run *run, double number);

// The temperatures of the run, each once. Returns how many there are.
int temperatures_of(const struct run *run, double *temperatures);

// k, or the number of words where that is smaller.
int64_t kept_words(const struct run *run, int64_t words);

// Trains the model of lesson 9, reads with it, and lets it write.
void write_text(struct run *run);

#endif
