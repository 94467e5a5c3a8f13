#ifndef ONESTEP_APP_CHECK_CHANGE_H
#define ONESTEP_APP_CHECK_CHANGE_H

// Whether a file is another one than when it was looked at last.

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

// What tells a file from what it was; all zero for one that is not there, and before the first look.
struct file_state {
    struct timespec changed;
    off_t size;
    ino_t number;
};

// Has the file changed since `*seen`, appeared or gone? Notes how it is now.
bool has_changed(const char *path, struct file_state *seen);

#endif
