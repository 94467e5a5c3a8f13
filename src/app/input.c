#include "app/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tensor/csv.h"

// Reads up to `room` bytes; returns how many, or -1 with errno set.
static ssize_t read_up_to(int file, char *bytes, size_t room) {
    size_t length = 0;
    while (length < room) {
        const ssize_t got = read(file, bytes + length, room - length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

static _Noreturn void refuse_file(struct arena *arena, const char *path) {
    fail(arena->failure, FAIL_INPUT, "cannot read %s: %s", text_safe(arena, path), strerror(errno));
}

struct tensor read_input(struct arena *arena, const char *path) {
    const bool is_standard = strcmp(path, "-") == 0;
    const int file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse_file(arena, path);
    char *bytes = arena_allocate(arena, CSV_MAX_BYTES + 1);
    const ssize_t length = read_up_to(file, bytes, CSV_MAX_BYTES + 1);
    const int error = errno;
    if (!is_standard) close(file);
    errno = error;
    if (length < 0) refuse_file(arena, path);
    return csv_read(arena, is_standard ? "standard input" : path, bytes, (size_t)length);
}
