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

// A file that is being written.
struct writing {
    const char *target; // where symbolic links lead to
    const struct output *output;
    bool was_there;
    mode_t mode;
    bool is_shared;   // another file in its place would have another owner or group, or fewer names
    bool has_changed; // what stands in its place
    const char *old;  // what stood there; NULL if nothing did, or if it is not needed
    size_t old_length;
    char *beside; // the file that is to take its place; NULL if there is none
};

// Files that are written together.
struct batch {
    int count;
    struct writing *all;
    bool is_done;
};

// It is not cut before it is written, so there is always room to put back what was there. Returns false with errno set if
// it can't.
static bool overwrite(const char *at, const char *bytes, size_t length) {
    const int file = open(at, O_WRONLY | O_CLOEXEC);
    return file >= 0 && fill(file, bytes, length) && truncate(at, (off_t)length) == 0;
}

// Lets all be as it was, unless all is written.
static void undo(void *context) {
    const struct batch *batch = context;
    for (int i = 0; i < batch->count && !batch->is_done; i++) {
        const struct writing *writing = &batch->all[i];
        if (writing->beside != NULL) unlink(writing->beside);
        if (writing->has_changed && writing->old != NULL)
            (void)overwrite(writing->target, writing->old, writing->old_length);
        else if (writing->has_changed && !writing->was_there)
            unlink(writing->target);
    }
}

// Returns false with errno set if the effective user may not.
static bool may_write(const char *at) {
    const int file = open(at, O_WRONLY | O_CLOEXEC);
    return file >= 0 && close(file) == 0;
}

// Looks at what stands in the place, and keeps it where it may have to be put back. Returns false with errno set if it
// can't be written.
static bool look(struct arena *arena, struct writing *writing, bool is_alone) {
    struct stat status;
    writing->mode = mode_of_new_files();
    if (stat(writing->target, &status) != 0) return true;
    errno = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
    if (!S_ISREG(status.st_mode) || !may_write(writing->target)) return false;
    writing->was_there = true;
    writing->mode = status.st_mode & 07777;
    writing->is_shared =
        status.st_nlink > 1 || status.st_uid != geteuid() || status.st_gid != getegid();
    if (writing->is_shared || (!is_alone && access(writing->target, R_OK) == 0))
        writing->old =
            read_file(arena, writing->target, REGULAR_FILE, SIZE_MAX - 1, &writing->old_length);
    return true;
}

// Fills the file beside it, if there is to be one. Returns false with errno set if it can't.
static bool prepare(struct arena *arena, struct writing *writing) {
    if (writing->is_shared) return true;
    char *beside = arena_format(arena, "%s.XXXXXX", writing->target);
    const int file = mkstemp(beside);
    if (file < 0) return false;
    writing->beside = beside;
    const bool has_mode = fchmod(file, writing->mode) == 0;
    const int error = errno;
    if (!fill(file, writing->output->bytes, writing->output->length)) return false;
    if (!has_mode) errno = error;
    return has_mode;
}

// Returns false with errno set if it can't.
static bool finish(struct writing *writing) {
    if (writing->is_shared) {
        writing->has_changed = true;
        return overwrite(writing->target, writing->output->bytes, writing->output->length);
    }
    if (rename(writing->beside, writing->target) != 0) return false;
    writing->has_changed = true;
    writing->beside = NULL;
    return true;
}

void write_files(const struct output *outputs, int count, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    struct batch batch = {.count = count, .all = arena_array(m, (size_t)count, sizeof *batch.all)};
    struct cleanup cleanup;
    cleanup_open(&cleanup, failure, undo, &batch);
    for (int i = 0; i < count; i++) {
        batch.all[i].output = &outputs[i];
        batch.all[i].target = follow_links(m, outputs[i].path);
        if (!look(m, &batch.all[i], count == 1)) fail_to_write(outputs[i].path, errno, failure);
    }
    for (int i = 0; i < count; i++)
        if (!prepare(m, &batch.all[i])) fail_to_write(outputs[i].path, errno, failure);
    for (int i = 0; i < count; i++)
        if (!finish(&batch.all[i])) fail_to_write(outputs[i].path, errno, failure);
    batch.is_done = true;
    cleanup_close(&cleanup);
    scratch_close(&scratch);
}

void write_file(const char *path, enum file_kind kind, const char *bytes, size_t length,
                struct failure *failure) {
    if (is_special(path) && kind == REGULAR_FILE) fail_to_write(path, EEXIST, failure);
    if (is_special(path))
        write_special(path, bytes, length, failure);
    else
        write_files(&(struct output){path, bytes, length}, 1, failure);
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
