#ifndef ONESTEP_APP_COMMAND_READER_H
#define ONESTEP_APP_COMMAND_READER_H

// The command line as it is being read: what arguments.c shares with the values (value.h) and with what must
// go together (agreement.h).

#include "app/command/command.h"

struct reader {
    struct arena *arena;
    struct command command;
    char **next; // argument to read next; NULL ends them
    int names;   // arguments seen that are no options
    const char
        *folder; // check: the first of them, if it is no lesson; a roster may name the lessons
    bool has_verb;
    bool has_all;
    bool is_done; // --help or --version: nothing after it matters
};

// Ends the reading with a message.
#define STOP(reader, ...) fail((reader)->arena->failure, FAIL_USAGE, __VA_ARGS__)

#endif
