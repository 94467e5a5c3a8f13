#ifndef ONESTEP_TESTS_APP_STARTED_H
#define ONESTEP_TESTS_APP_STARTED_H

// The program, started in a folder of its own with arguments, an environment and files. What does not end as
// it should fails the test.

#include "base/text.h"
#include "fixture.h"
#include "process.h"

enum { DONE = 0, FAILED = 1, MISUSED = 2, DIED_OF_PIPE = 128 + 13 };

// Of the test that runs. A fixture makes it and the arena, and leaves nothing of them.
extern char folder[];
void set_up_folder(void);
void tear_down_folder(void);

#define START(...)                                                                                 \
    run_process(&arena, &(struct start){.arguments = (const char *const[]){__VA_ARGS__, NULL}})
// START with more of struct start: START_WITH((.closed_output = true), "print", "all")
#define UNPACK(...) __VA_ARGS__
#define START_WITH(more, ...)                                                                      \
    run_process(&arena, &(struct start){.arguments = (const char *const[]){__VA_ARGS__, NULL},     \
                                        UNPACK more})
#define ENVIRONMENT(...)                                                                           \
    .environment = (const char *const[]) {                                                         \
        __VA_ARGS__, NULL                                                                          \
    }

// "onestep 'print' 'causal'": the command, as a message may show it.
const char *command_text(const char *const *arguments);

// Files of the folder: named, left there, read (without the file, the test fails), and how many there are.
const char *path_of(const char *name);
void leave_file(const char *name, const char *bytes, size_t length);
struct text contents_of(const char *name);
int count_files(void);

// Nothing that a terminal could take for a command, only text and line ends.
bool is_harmless(const char *bytes, size_t length);

// What it printed; fails the test if it said something else.
const char *output_of(const struct end *end);
// It printed something, and said nothing else.
void check_done(const struct end *end, const char *what);
// One line that says what is wrong; for wrong usage a second that names --help. No output.
void check_misused(const struct end *end, const char *what, bool is_usage);

// The lessons but the last, by name.
enum { LESSON_COUNT = 6 };
extern const char *const lesson_names[LESSON_COUNT];

#endif
