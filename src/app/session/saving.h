#ifndef ONESTEP_APP_SESSION_SAVING_H
#define ONESTEP_APP_SESSION_SAVING_H

// The key that saves the screen: a file of what the walker shows, drawn anew in a terminal's or a page's look.

#include "app/session/walking.h"

// Saves the screen as a file, if the last key asked for that, and says so at the foot.
void save_if_asked(struct walking *walking, int rows, int columns, struct look look);

#endif
