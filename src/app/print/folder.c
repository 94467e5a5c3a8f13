#include "app/print/print.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command/output.h"

static void make_folder(struct arena *arena, const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return;
    const char *reason = strerror(errno);
    fail(arena->failure, FAIL_RUNTIME, "cannot make the folder %s: %s", text_safe(arena, path),
         reason);
}

void write_folder(const char *path, const struct folder *folder, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    make_folder(m, path);
    const char *separator = path[strlen(path) - 1] == '/' ? "" : "/";
    struct output *outputs = arena_array(m, (size_t)folder->count, sizeof *outputs);
    for (int i = 0; i < folder->count; i++) {
        const struct file *file = &folder->files[i];
        outputs[i] = (struct output){arena_format(m, "%s%s%s", path, separator, file->name),
                                     file->text.bytes, file->text.length};
    }
    write_files(outputs, folder->count, failure);
    scratch_close(&scratch);
}
