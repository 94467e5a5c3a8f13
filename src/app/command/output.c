#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // realpath; the flags of curses may have said so already
#endif

#include "app/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"

// Writes all bytes; returns false with errno set if it can't.
static bool write_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

void write_output(const char *bytes, size_t length, struct failure *failure) {
    if (write_all(STDOUT_FILENO, bytes, length) || errno == EPIPE) return;
    fail(failure, FAIL_RUNTIME, "cannot write to standard output: %s", strerror(errno));
}

_Noreturn static void fail_to_write(const char *path, int error, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    fail(failure, FAIL_RUNTIME, "cannot write %s: %s", text_safe(m, path), strerror(error));
}

// A device or a pipe has no place beside it, and nothing in it could be lost.
static bool is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static void write_special(const char *path, const char *bytes, size_t length,
                          struct failure *failure) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool done = file >= 0 && write_all(file, bytes, length);
    const int error = errno;
    if (file >= 0) close(file);
    if (!done) fail_to_write(path, error, failure);
}

// Fills a new file and closes it; returns false with errno set if it can't.
static bool fill(int file, const char *bytes, size_t length) {
    const mode_t mask = umask(0);
    umask(mask);
    const bool filled = write_all(file, bytes, length) && fchmod(file, 0666 & ~mask) == 0;
    const int error = errno;
    const bool closed = close(file) == 0;
    if (!filled) errno = error;
    return filled && closed;
}

// Where a symbolic link leads to, so that it stays a link; any other path as it is.
static const char *follow_links(struct arena *arena, const char *path) {
    char end[PATH_MAX];
    return realpath(path, end) != NULL ? arena_copy(arena, end) : path;
}

void write_file(const char *path, enum file_kind kind, const char *bytes, size_t length,
                struct failure *failure) {
    if (is_special(path)) {
        if (kind == REGULAR_FILE) fail_to_write(path, EEXIST, failure);
        write_special(path, bytes, length, failure);
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    const char *place = follow_links(m, path);
    char *beside = arena_format(m, "%s.XXXXXX", place);
    const int file = mkstemp(beside);
    if (file < 0 || !fill(file, bytes, length) || rename(beside, place) != 0) {
        const int error = errno;
        if (file >= 0) unlink(beside);
        fail_to_write(path, error, failure);
    }
    scratch_close(&scratch);
}

bool write_new_file(const char *path, const char *bytes, size_t length, struct failure *failure) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) return false;
    if (file < 0) fail_to_write(path, errno, failure);
    const bool filled = write_all(file, bytes, length);
    int error = errno;
    const bool closed = close(file) == 0;
    if (filled && !closed) error = errno;
    if (!filled || !closed) {
        unlink(path);
        fail_to_write(path, error, failure);
    }
    return true;
}

enum exit_status report(const struct failure *failure) {
    fprintf(stderr, "onestep: %s\n", failure->message);
    if (failure->status == FAIL_USAGE) fputs("Try 'onestep --help'.\n", stderr);
    return failure->status == FAIL_RUNTIME ? EXIT_RUNTIME : EXIT_USAGE;
}
