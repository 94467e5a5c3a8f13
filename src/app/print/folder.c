#include "app/print/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/output.h"

static bool make_folder(struct arena *arena, const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
    const char *reason = strerror(errno);
    return refuse(arena->failure, FAIL_RUNTIME, "cannot make the folder %s: %s",
                  text_safe(arena, path), reason);
}

static bool write_files(struct arena *arena, const char *path, const struct folder *folder) {
    const char *separator = path[strlen(path) - 1] == '/' ? "" : "/";
    for (int i = 0; i < folder->count; i++) {
        const struct file *file = &folder->files[i];
        const char *place = arena_format(arena, "%s%s%s", path, separator, file->name);
        if (!write_file(place, file->text.bytes, file->text.length, arena->failure)) return false;
    }
    return true;
}

bool write_folder(const char *path, const struct folder *folder, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    const bool done = make_folder(m, path) && write_files(m, path, folder);
    scratch_close(&scratch);
    return done;
}
