#ifndef ONESTEP_APP_SESSION_WALKING_H
#define ONESTEP_APP_SESSION_WALKING_H

// A walk from where the last one was left: what the terminal and the page have in common.

#include "app/command/command.h"
#include "app/command/progress.h"
#include "walk/walker.h"

struct walking {
    struct walker walker;
    struct progress progress; // as read or last written
    struct progress now;      // to be written
    struct failure unsaved;   // why it was not, if its message is not empty
};

// What a walk takes from a command. Its lessons, and which of them is the first, are still to be said.
struct walk_start start_of(const struct command *command);

// Starts the walk that the command asks for, through these lessons: without a lesson of its own, that is
// the one walked last. Fails as walker_start does, and with FAIL_USAGE if the command's lesson is none of
// these; walker_free is still to be called then.
void walking_start(struct walking *walking, const struct lesson *const *lessons, int count,
                   const struct command *command, struct failure *failure);

// Offers the tour, if nothing is remembered yet but can be: it is written down at once, so that the tour is
// offered only once.
void walking_offer_tour(struct walking *walking);

// Writes the place down if it is another one. What cannot be written now is tried again the next time.
void walking_remember(struct walking *walking);

#endif
