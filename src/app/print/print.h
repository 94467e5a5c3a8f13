#ifndef ONESTEP_APP_PRINT_PRINT_H
#define ONESTEP_APP_PRINT_PRINT_H

// The command `print`: lessons and their steps in one of several formats.

#include "app/command/command.h"
#include "base/text.h"

// Several results at once: files that go into one folder.
struct file {
    const char *name; // within the folder
    struct text text;
};

struct folder {
    int count; // 0: there is no folder
    struct file *files;
};

// Writes the files as write_files does: if one can't be written, all are as they were. A folder that is not there is
// made, but not the folders around it: a mistyped path is an error. Fails with FAIL_RUNTIME.
void write_folder(const char *path, const struct folder *folder, struct failure *failure);

// Adds what the command asks for, and to `notes` what is to be said of it on standard error. Fails with
// FAIL_USAGE if a parameter does not fit its lesson, or there is no such step.
void add_print(struct text *text, struct text *notes, const struct command *command);

// Does the command ask for a folder with a file a step? It does for a format that holds one step if
// there is none, or if its path is that of a folder. Then print_folder makes the files, and fails as
// add_print does.
bool prints_folder(const struct command *command);
struct folder print_folder(struct arena *arena, struct text *notes, const struct command *command);

#endif
