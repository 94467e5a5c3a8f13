#ifndef ONESTEP_TRACE_WHAT_IF_MISTAKEN_H
#define ONESTEP_TRACE_WHAT_IF_MISTAKEN_H

// A lesson's program with mistakes in its lines.

#include "trace/what_if/changed_line.h"
#include "trace/what_if/mistake.h"

// The statements and the setup of `right` with the mistakes, one after the other, as far as they have lines there that no other
// has changed. Returns how many have; is_made[i]: number i has. `interpreter` may be NULL: then none has.
int make_mistakes(struct run *edited, bool *is_made, struct arena *arena,
                  const struct interpreter *interpreter, const struct run *right,
                  const struct mistake *const *mistakes, int count);

// Is the statement of step `i` another one?
bool has_other_line(const struct run *right, const struct run *edited, int i);

// Has the program None in the place of the step's tensor, such as the bias of a layer that has none?
bool is_none(const struct line_outcome *outcome);

// Does it take seconds to run the lesson's lines? Then nobody runs them for a list of all mistakes.
bool is_long(const struct run *right);

#endif
