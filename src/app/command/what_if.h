#ifndef ONESTEP_APP_COMMAND_WHAT_IF_H
#define ONESTEP_APP_COMMAND_WHAT_IF_H

// What is said of the mistakes made on purpose: notes beside a result, and `list --what-ifs`.

#include "app/command/command.h"
#include "base/text.h"
#include "trace/what_if/trial.h"

// Adds a line for standard error, "onestep: note: ...", for every mistake of the trial that changes nothing
// in it; and one if the mistakes change other steps, but not `step` (NULL: all are shown).
void add_notes(struct text *notes, const struct trial *trial, const struct step *step);

// Adds the classic mistakes in `format` (FORMAT_PLAIN or FORMAT_JSON): what goes wrong, how to see it in
// PyTorch code, and the steps of each lesson that it changes.
void add_mistakes(struct text *text, enum format format);

#endif
