#ifndef ONESTEP_APP_PRACTICE_H
#define ONESTEP_APP_PRACTICE_H

// The command `practice`: one-line exercises over all lessons. Each is a script in a folder (check/script.h); this
// waits for what it writes, says whether that is right or which mistake it is, and goes on to the next.

#include "app/command/command.h"

// Practises until all is done, the student leaves, or standard input ends: then what is there is looked at,
// and that is all. Keys are read from standard input, a line each. Scripts that are there already are the
// student's, and stay. The file place.txt in the folder holds the exercise to begin with. Fails with
// FAIL_RUNTIME if the folder can't be written.
void practise(const struct command *command, struct failure *failure);

#endif
