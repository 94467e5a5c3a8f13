#include "app/check/change.h"

static struct file_state state_of(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return (struct file_state){.size = 0};
    return (struct file_state){status.st_mtim, status.st_size, status.st_ino};
}

bool has_changed(const char *path, struct file_state *seen) {
    const struct file_state now = state_of(path), before = *seen;
    *seen = now;
    return now.changed.tv_sec != before.changed.tv_sec ||
           now.changed.tv_nsec != before.changed.tv_nsec || now.size != before.size ||
           now.number != before.number;
}
