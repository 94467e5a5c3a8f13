#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // realpath; the flags of curses may have said so already
#endif

#include "app/command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
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

// Fills a file and closes it; returns false with errno set if it can't.
static bool fill(int file, const char *bytes, size_t length) {
    const bool filled = write_all(file, bytes, length);
    const int error = errno;
    const bool closed = close(file) == 0;
    if (!filled) errno = error;
    return filled && closed;
}

static mode_t mode_of_new_files(void) {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// Where a symbolic link leads to, so that it stays a link; any other path as it is.
static const char *follow_links(struct arena *arena, const char *path) {
    char end[PATH_MAX];
    return realpath(path, end) != NULL ? arena_copy(arena, end) : path;
}

// Fills another file, which then takes the place. Returns false with errno set if it can't.
static bool replace(struct arena *arena, const char *place, mode_t mode, const char *bytes,
                    size_t length) {
    char *beside = arena_format(arena, "%s.XXXXXX", place);
    const int file = mkstemp(beside);
    if (file < 0) return false;
    if (fill(file, bytes, length) && chmod(beside, mode) == 0 && rename(beside, place) == 0)
        return true;
    const int error = errno;
    unlink(beside);
    errno = error;
    return false;
}

static bool overwrite(const char *place, const char *bytes, size_t length) {
    const int file = open(place, O_WRONLY | O_CLOEXEC);
    return file >= 0 && fill(file, bytes, length) && truncate(place, (off_t)length) == 0;
}

// Writes where other names and another owner keep the file. It is not cut before it is written, so there is
// always room to put back what was there. Returns false with errno set if it can't.
static bool write_in_place(struct arena *arena, const char *place, const char *bytes,
                           size_t length) {
    size_t old_length;
    const char *old = read_file(arena, place, REGULAR_FILE, SIZE_MAX - 1, &old_length);
    if (overwrite(place, bytes, length)) return true;
    const int error = errno;
    (void)overwrite(place, old, old_length);
    errno = error;
    return false;
}

// Would another file in its place have another owner or group, or cut it off from its other names?
static bool is_shared(const struct stat *status) {
    return status->st_nlink > 1 || status->st_uid != geteuid() || status->st_gid != getegid();
}

// Returns false with errno set if the effective user may not.
static bool may_write(const char *place) {
    const int file = open(place, O_WRONLY | O_CLOEXEC);
    return file >= 0 && close(file) == 0;
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
    struct stat status;
    const bool is_there = stat(place, &status) == 0 && S_ISREG(status.st_mode);
    if (is_there && !may_write(place)) fail_to_write(path, errno, failure);
    const mode_t mode = is_there ? status.st_mode & 07777 : mode_of_new_files();
    if (is_there && is_shared(&status) ? !write_in_place(m, place, bytes, length)
                                       : !replace(m, place, mode, bytes, length))
        fail_to_write(path, errno, failure);
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
