#ifndef ONESTEP_TESTS_PROCESS_H
#define ONESTEP_TESTS_PROCESS_H

// Running the program as its users do: as a process with arguments, an environment and files.

#include <stdbool.h>
#include <stddef.h> // defines: size_t

#include "base/arena.h"

// How to start it. All but the arguments may be left out.
struct start {
    const char *const *arguments;   // without the program's name; NULL ends them
    const char *const *environment; // "NAME=VALUE" sets, "NAME" unsets; NULL ends them
    const char *input;              // file that is standard input; /dev/null if NULL
    const char *output;             // file that is standard output; read back if NULL
    const char *folder;             // that it works in
    bool on_terminal;               // standard input and output are a terminal
    bool closed_output;             // standard output is closed before it starts
    bool deaf_output;               // standard output is a pipe that nobody reads
};

// How it ended. The texts are closed with a NUL that does not count.
struct end {
    int status; // exit status; 128 + the signal that ended it; -1: took too long and was killed
    const char *output, *error;
    size_t output_length, error_length;
};

// Runs onestep (the environment variable ONESTEP, or the one that was built) to its end. The results
// are in `arena`.
struct end run_process(struct arena *arena, const struct start *start);

// Are there pseudo-terminals? Without /dev/pts there are none: the tests of the floor terminal are skipped, which the test
// program says, and the few elsewhere that need one return at once.
bool has_terminals(void);

// RUN(arena, "print", "causal"): with these arguments and nothing else.
#define RUN(arena, ...)                                                                            \
    run_process((arena), &(struct start){.arguments = (const char *const[]){__VA_ARGS__, NULL}})

#endif
