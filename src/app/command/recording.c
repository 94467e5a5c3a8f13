#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE // madvise
#endif
#include "app/command/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "script/recording/recording_lesson.h"
#include "tensor/file/widened.h"

static void (*restore)(void);

bool is_recording_name(const char *argument) {
    static const char END[] = ".onestep";
    const size_t length = strlen(argument), size = sizeof END - 1;
    return length > size && strcmp(argument + length - size, END) == 0;
}

void when_recording_is_lost(void (*restore_terminal)(void)) {
    restore = restore_terminal;
    when_memory_is_foreign(restore_terminal);
}

// The kernel's answer to reading behind the end of a mapped file.
static void lose(int number) {
    static const char words[] =
        "onestep: the recording became shorter while it was read: record it again\n";
    (void)number;
    if (restore != NULL) restore();
    const ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written;
    _exit(2);
}

_Noreturn static void refuse(struct arena *arena, const char *path) {
    fail(arena->failure, FAIL_INPUT, "cannot read %s: %s", text_safe(arena, path), strerror(errno));
}

// The files that are mapped.
enum { MOST_FILES = 64 };
static struct {
    void *bytes;
    size_t length;
} files[MOST_FILES];
static int file_count;

static void give_back(void) {
    for (int i = 0; i < file_count; i++) madvise(files[i].bytes, files[i].length, MADV_DONTNEED);
}

// The bytes of a file, until the program ends.
static const char *map_file(struct arena *arena, const char *path, size_t *length) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0) refuse(arena, path);
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        close(file);
        fail(arena->failure, FAIL_INPUT, "cannot read %s: it is %s", text_safe(arena, path),
             S_ISREG(status.st_mode) ? "empty" : "no regular file");
    }
    *length = (size_t)status.st_size;
    void *bytes = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) refuse(arena, path);
    signal(SIGBUS, lose);
    if (file_count < MOST_FILES) {
        files[file_count].bytes = bytes;
        files[file_count++].length = *length;
    }
    return bytes;
}

// A file that the recording names, which lies beside it.
struct folder {
    struct arena *arena;
    const char *path; // up to the last slash, with it
};

static const char *map_beside(void *context, const char *path, size_t *length) {
    const struct folder *folder = context;
    struct arena *arena = folder->arena;
    return map_file(arena, path[0] == '/' ? path : arena_format(arena, "%s%s", folder->path, path),
                    length);
}

const struct lesson *read_recording(struct arena *arena, const char *path) {
    size_t length;
    const char *bytes = map_file(arena, path, &length), *slash = strrchr(path, '/');
    const struct reading reading = reading_new(arena, text_safe(arena, path), bytes, length);
    const size_t own = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    struct folder folder = {arena, arena_copy_bytes(arena, path, own)};
    if (!is_recording(&reading))
        fail_whole(&reading, "no recording: onestep.record(\"%s\") of onestep.py writes one",
                   slash != NULL ? slash + 1 : path);
    const struct recording recording =
        recording_read(&reading, &(struct beside){map_beside, &folder, give_back});
    return recording_lesson_new(arena, path, &recording);
}
