#include "app/command/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tensor/file/csv.h"

static _Noreturn void refuse_file(struct arena *arena, const char *path) {
    fail(arena->failure, FAIL_INPUT, "cannot read %s: %s", text_safe(arena, file_name(path)),
         strerror(errno));
}

// What a read gives: 0 at the end, -1 with errno set if it can't.
static ssize_t read_some(int file, char *bytes, size_t room) {
    ssize_t got;
    do got = read(file, bytes, room);
    while (got < 0 && errno == EINTR);
    return got;
}

// Reads to the end, or one byte more than `most`; NULL with errno set if it can't.
static const char *read_all(struct arena *arena, int file, size_t most, size_t *length) {
    struct text text = text_new(arena);
    text_add(&text, "");
    char piece[1 << 14];
    for (ssize_t got = 1; got > 0 && text.length <= most;) {
        const size_t left = most + 1 - text.length;
        got = read_some(file, piece, left < sizeof piece ? left : sizeof piece);
        if (got < 0) return NULL;
        text_add_bytes(&text, piece, (size_t)got);
    }
    *length = text.length;
    return text.bytes;
}

const char *file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// Does not wait for the other end of a pipe, even of one that has just taken the file's place.
static int open_regular(struct arena *arena, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    if (!S_ISREG(status.st_mode))
        fail(arena->failure, FAIL_INPUT, "cannot read %s: it is no regular file",
             text_safe(arena, path));
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

const char *read_file(struct arena *arena, const char *path, enum file_kind kind, size_t most,
                      size_t *length) {
    const bool is_standard = kind == ANY_FILE && strcmp(path, "-") == 0;
    int file = STDIN_FILENO;
    if (kind == REGULAR_FILE)
        file = open_regular(arena, path);
    else if (!is_standard)
        file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse_file(arena, path);
    const char *bytes = read_all(arena, file, most, length);
    const int error = errno;
    if (!is_standard) close(file);
    errno = error;
    if (bytes == NULL) refuse_file(arena, path);
    return bytes;
}

struct tensor read_input(struct arena *arena, const char *path, enum file_kind kind) {
    size_t length;
    const char *bytes = read_file(arena, path, kind, CSV_MAX_BYTES, &length);
    return vectors_read(arena, file_name(path), bytes, length);
}
