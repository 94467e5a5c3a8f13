#ifndef ONESTEP_APP_VERIFY_H
#define ONESTEP_APP_VERIFY_H

// The command `verify`: computes on this machine every number for which PyTorch's is shipped, and
// compares. data/expectations.txt says what its own form is.

#include "base/text.h"
#include "tensor/tensor.h"

// Adds a table of runs, a verdict, and what this machine is. Returns whether this program's arithmetic is
// what it should be (number/arithmetic.h), the bits of all steps are those of every build (BITS, which
// tests/digest.py records), and all numbers agree: those that are settled to the last bit (masks, what was drawn, zeros that dropout made) exactly,
// the others within tolerances_of(), and what was trained within what rounding was measured to move it by
// (trace/tape/spread.h).
bool add_verify(struct text *text);

// The same for other expectations, and other bits (16 digits, of all steps of these runs; NULL: any): what a test needs
// to see a difference.
bool add_verify_with(struct text *text, const char *expectations, const char *bits);

// `verify --gpt`: the same for GPT-2 small from its seed (data/gpt.txt), with the limits that the file sets; and for other
// expectations.
bool add_verify_models(struct text *text);
bool add_verify_models_with(struct text *text, const char *expectations);

// What a digest becomes with a tensor's numbers, one after the other, whatever their type. Another bit of one number
// always makes another digest. All nan are one.
uint64_t digest_of(uint64_t digest, const struct tensor *tensor);

#endif
