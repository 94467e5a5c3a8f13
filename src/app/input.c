#include "app/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tensor/file/csv.h"

enum { FIRST_ROOM = 1 << 16 };

static _Noreturn void refuse_file(struct arena *arena, const char *path) {
    fail(arena->failure, FAIL_INPUT, "cannot read %s: %s", text_safe(arena, file_name(path)),
         strerror(errno));
}

// Reads what fits behind *length and counts it; returns false with errno set if it can't.
static bool read_up_to(int file, char *bytes, size_t room, size_t *length) {
    while (*length < room) {
        const ssize_t got = read(file, bytes + *length, room - *length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        *length += (size_t)got;
    }
    return true;
}

// Reads to the end, or until there are more than `most` bytes, in room that doubles; NULL with
// errno set if it can't.
static const char *read_all(struct arena *arena, int file, size_t most, size_t *length) {
    size_t room = FIRST_ROOM;
    char *bytes = arena_allocate(arena, room);
    *length = 0;
    while (read_up_to(file, bytes, room, length)) {
        if (*length < room || room > most) return bytes;
        room = 2 * room < most ? 2 * room : most + 1;
        char *more = arena_allocate(arena, room);
        memcpy(more, bytes, *length);
        bytes = more;
    }
    return NULL;
}

const char *file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *read_file(struct arena *arena, const char *path, size_t most, size_t *length) {
    const bool is_standard = strcmp(path, "-") == 0;
    const int file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse_file(arena, path);
    const char *bytes = read_all(arena, file, most, length);
    const int error = errno;
    if (!is_standard) close(file);
    errno = error;
    if (bytes == NULL) refuse_file(arena, path);
    return bytes;
}

struct tensor read_input(struct arena *arena, const char *path) {
    size_t length;
    const char *bytes = read_file(arena, path, CSV_MAX_BYTES, &length);
    return csv_read(arena, file_name(path), bytes, length);
}
