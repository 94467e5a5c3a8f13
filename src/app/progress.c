#include "app/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

// ---- The file -----------------------------------------------------------------------------------

// The folder, or NULL if the environment names none. As the XDG rules have it, a path that is not
// absolute does not count.
static const char *state_folder(struct arena *arena) {
    const char *state = getenv("XDG_STATE_HOME");
    if (state != NULL && *state == '/') return arena_format(arena, "%s/onestep", state);
    const char *home = getenv("HOME");
    if (home == NULL || *home != '/') return NULL;
    return arena_format(arena, "%s/.local/state/onestep", home);
}

// Makes a folder and those above it. Failing shows when the file is written.
static void make_folder(struct arena *arena, const char *folder) {
    char *path = arena_copy(arena, folder);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

// ---- Lines --------------------------------------------------------------------------------------

enum { HEX_PER_WORD = 16 };

// The bits of the steps seen, the first step's the lowest, in hexadecimal.
static const char *seen_text(struct arena *arena, const struct visit *visit) {
    struct text text = text_new(arena);
    for (int i = SEEN_WORDS - 1; i >= 0; i--) text_add_format(&text, "%016" PRIx64, visit->seen[i]);
    const size_t zeros = strspn(text.bytes, "0");
    return zeros < text.length ? text.bytes + zeros : "0";
}

static void read_seen(const char *hex, struct visit *visit) {
    const size_t length = strspn(hex, "0123456789abcdef");
    for (size_t i = 0; i < length && i < SEEN_WORDS * HEX_PER_WORD; i++) {
        const char digit[] = {hex[length - 1 - i], '\0'};
        visit->seen[i / HEX_PER_WORD] |= (uint64_t)strtoul(digit, NULL, 16)
                                         << (i % HEX_PER_WORD * 4);
    }
}

static int limited_number(const char *text, int most) {
    const long number = strtol(text, NULL, 10);
    return number < 0 ? 0 : number > most ? most : (int)number;
}

static void read_field(const char *field, struct visit *visit, bool *is_last) {
    enum { MOST_GUESSES = 1000000 };
    if (strncmp(field, "step ", 5) == 0) {
        const int number = limited_number(field + 5, MAX_STEPS);
        visit->step = number > 0 ? number - 1 : 0;
    }
    if (strncmp(field, "seen ", 5) == 0) read_seen(field + 5, visit);
    if (strncmp(field, "guesses ", 8) == 0) {
        visit->good_guesses = limited_number(field + 8, MOST_GUESSES);
        const char *of = strstr(field, " of ");
        visit->guesses = of != NULL ? limited_number(of + 4, MOST_GUESSES) : 0;
    }
    if (strcmp(field, "last") == 0) *is_last = true;
}

static void read_line(char *line, const struct lesson *const *lessons, int count,
                      struct progress *progress) {
    char *rest = NULL;
    const char *name = strtok_r(line, "\t\n", &rest);
    for (int i = 0; name != NULL && i < count; i++) {
        if (strcmp(lessons[i]->name, name) != 0) continue;
        bool is_last = false;
        const char *field;
        while ((field = strtok_r(NULL, "\t\n", &rest)) != NULL)
            read_field(field, &progress->visits[i], &is_last);
        if (is_last) progress->lesson = i;
    }
}

struct progress progress_read(struct arena *arena, const struct lesson *const *lessons, int count) {
    struct progress progress = {.lesson = -1};
    const char *folder = state_folder(arena);
    if (folder == NULL) return progress;
    FILE *file = fopen(arena_format(arena, "%s/progress", folder), "re");
    if (file == NULL) return progress;
    char line[1024];
    while (fgets(line, sizeof line, file) != NULL) read_line(line, lessons, count, &progress);
    fclose(file);
    return progress;
}

static const char *all_lines(struct arena *arena, const struct lesson *const *lessons, int count,
                             const struct progress *progress) {
    struct text text = text_new(arena);
    for (int i = 0; i < count; i++) {
        const struct visit *visit = &progress->visits[i];
        text_add_format(&text, "%s\tstep %d\tseen %s\tguesses %d of %d%s\n", lessons[i]->name,
                        visit->step + 1, seen_text(arena, visit), visit->good_guesses,
                        visit->guesses, i == progress->lesson ? "\tlast" : "");
    }
    return text.bytes;
}

void progress_write(struct arena *arena, const struct lesson *const *lessons, int count,
                    const struct progress *progress) {
    const char *folder = state_folder(arena);
    if (folder == NULL) return;
    make_folder(arena, folder);
    char *path = arena_format(arena, "%s/progress.XXXXXX", folder);
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        if (descriptor >= 0) close(descriptor), unlink(path);
        return;
    }
    const bool is_written = fputs(all_lines(arena, lessons, count, progress), file) >= 0;
    const bool is_closed = fclose(file) == 0;
    if (!is_written || !is_closed || rename(path, arena_format(arena, "%s/progress", folder)) != 0)
        unlink(path);
}
