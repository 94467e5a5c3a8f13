#ifndef ONESTEP_APP_PRINT_FOLDER_H
#define ONESTEP_APP_PRINT_FOLDER_H

// Several results at once: files that go into one folder.

#include "base/text.h"

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

#endif
