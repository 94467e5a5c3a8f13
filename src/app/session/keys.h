#ifndef ONESTEP_APP_SESSION_KEYS_H
#define ONESTEP_APP_SESSION_KEYS_H

// Keys as they are typed on a command line: each character is one, and those that are none have names in
// angle brackets: "n", "ii<Down><Right>", "/mask<Enter>".

#include "base/arena.h"
#include "walk/model/action.h"

// Reads the next key of *keys and moves the pointer behind it; KEY_NOTHING at the end. Fails with FAIL_USAGE at a
// name that no key has, and says which there are. What is in angle brackets and no word is two characters.
uint32_t next_key(struct arena *arena, const char **keys);

#endif
