#include "app/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/input.h"
#include "app/output.h"
#include "base/text.h"

// ---- The place ----------------------------------------------------------------------------------

// The folder, or NULL if the environment names none. As the XDG rules have it, a path that is not
// absolute does not count.
static char *state_folder(struct arena *arena) {
    const char *state = getenv("XDG_STATE_HOME");
    if (state != NULL && *state == '/') return arena_format(arena, "%s/onestep", state);
    const char *home = getenv("HOME");
    if (home == NULL || *home != '/') return NULL;
    return arena_format(arena, "%s/.local/state/onestep", home);
}

// Makes a folder and those above it, unless they are there.
static void make_folder(struct arena *arena, char *folder) {
    int error = 0; // the first: the others only follow from it
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST && error == 0) error = errno;
        *slash = '/';
    }
    if (mkdir(folder, 0700) == 0 || errno == EEXIST) return;
    fail(arena->failure, FAIL_RUNTIME, "cannot make the folder %s: %s", text_safe(arena, folder),
         strerror(error != 0 ? error : errno));
}

// ---- Lines --------------------------------------------------------------------------------------

enum { MAX_BYTES = 1 << 16, MAX_RECORDS = 2 * MAX_LESSONS, HEX_PER_WORD = 16 };

// A line of the file.
struct record {
    const char *lesson; // its name
    struct visit visit;
    bool is_last;
    const char *others; // fields that this version does not know, each with the TAB before it
};

struct records {
    struct record record[MAX_RECORDS];
    int count;
};

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

static void read_guesses(const char *numbers, struct visit *visit) {
    enum { MOST_GUESSES = 1000000 };
    const char *of = strstr(numbers, " of ");
    visit->guesses = of != NULL ? limited_number(of + 4, MOST_GUESSES) : 0;
    visit->good_guesses = limited_number(numbers, visit->guesses);
}

static void read_field(struct arena *arena, const char *field, struct record *record) {
    if (strncmp(field, "step ", 5) == 0) {
        const int number = limited_number(field + 5, MAX_STEPS);
        record->visit.step = number > 0 ? number - 1 : 0;
    } else if (strncmp(field, "seen ", 5) == 0) {
        read_seen(field + 5, &record->visit);
    } else if (strncmp(field, "guesses ", 8) == 0) {
        read_guesses(field + 8, &record->visit);
    } else if (strcmp(field, "last") == 0) {
        record->is_last = true;
    } else {
        record->others = arena_format(arena, "%s\t%s", record->others, field);
    }
}

// Is it a line as we write them? One that was damaged is not worth keeping.
static bool is_sound(const char *line) {
    const size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (name == 0 || line[name] != '\t' || !utf8_is_valid(line, strlen(line))) return false;
    for (const char *byte = line; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < ' ' && *byte != '\t') return false;
    }
    return true;
}

static void read_line(struct arena *arena, char *line, struct records *records) {
    if (!is_sound(line) || records->count == MAX_RECORDS) return;
    char *rest = NULL;
    struct record record = {.lesson = strtok_r(line, "\t", &rest), .others = ""};
    const char *field;
    while ((field = strtok_r(NULL, "\t", &rest)) != NULL) read_field(arena, field, &record);
    records->record[records->count++] = record;
}

static const char *records_text(struct arena *arena, const struct records *records) {
    struct text text = text_new(arena);
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        const struct visit *visit = &record->visit;
        text_add_format(&text, "%s\tstep %d\tseen %s\tguesses %d of %d%s%s\n", record->lesson,
                        visit->step + 1, seen_text(arena, visit), visit->good_guesses,
                        visit->guesses, record->others, record->is_last ? "\tlast" : "");
    }
    return text.bytes;
}

// Finds a lesson's line; one that is new if there is none and room for it, else NULL.
static struct record *record_of(struct records *records, const char *lesson) {
    for (int i = 0; i < records->count; i++) {
        if (strcmp(records->record[i].lesson, lesson) == 0) return &records->record[i];
    }
    if (records->count == MAX_RECORDS) return NULL;
    struct record *record = &records->record[records->count++];
    *record = (struct record){.lesson = lesson, .others = ""};
    return record;
}

// ---- Reading ------------------------------------------------------------------------------------

// Fails if there is something that can't be read. A file that is too large to be ours has no lines.
static void read_records(struct arena *arena, const char *path, struct records *records) {
    struct stat status;
    const bool is_there = stat(path, &status) == 0;
    if (!is_there && errno == ENOENT) return;
    if (is_there && !S_ISREG(status.st_mode)) // a pipe would wait for its other end
        fail(arena->failure, FAIL_INPUT, "%s is not a file", text_safe(arena, path));
    size_t length;
    const char *bytes = read_file(arena, path, MAX_BYTES, &length);
    if (length > MAX_BYTES) return;
    char *text = arena_copy_bytes(arena, bytes, length), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        read_line(arena, line, records);
}

struct reading {
    struct arena arena;
    const struct lesson *const *lessons;
    int count;
    struct progress *progress;
};

static void read_progress(void *context) {
    struct reading *reading = context;
    struct arena *arena = &reading->arena;
    const char *folder = state_folder(arena);
    if (folder == NULL) return;
    struct records records = {.count = 0};
    read_records(arena, arena_format(arena, "%s/progress", folder), &records);
    for (int i = 0; i < reading->count; i++) {
        const struct record *record = record_of(&records, reading->lessons[i]->name);
        if (record == NULL) continue;
        reading->progress->visits[i] = record->visit;
        if (record->is_last) reading->progress->lesson = i;
    }
}

struct progress progress_read(const struct lesson *const *lessons, int count) {
    struct progress progress = {.lesson = -1};
    struct failure ignored = {0};
    struct reading reading = {arena_new(&ignored), lessons, count, &progress};
    (void)attempt(&ignored, read_progress, &reading);
    arena_free(&reading.arena);
    return progress;
}

// ---- Writing ------------------------------------------------------------------------------------

struct writing {
    struct arena arena;
    const struct lesson *const *lessons;
    int count;
    const struct progress *before, *now;
};

static void change_records(struct records *records, const struct writing *writing) {
    const struct progress *before = writing->before, *now = writing->now;
    for (int i = 0; i < records->count; i++) records->record[i].is_last = false;
    for (int i = 0; i < writing->count; i++) {
        const struct visit *visit = &now->visits[i];
        const bool is_last = i == now->lesson;
        if (!is_last && same_visit(visit, &before->visits[i])) continue;
        struct record *record = record_of(records, writing->lessons[i]->name);
        if (record == NULL) continue;
        record->visit = *visit;
        record->is_last = is_last;
    }
}

static void write_progress(void *context) {
    struct writing *writing = context;
    struct arena *arena = &writing->arena;
    char *folder = state_folder(arena);
    if (folder == NULL) return;
    make_folder(arena, folder);
    const char *path = arena_format(arena, "%s/progress", folder);
    struct records records = {.count = 0};
    read_records(arena, path, &records);
    change_records(&records, writing);
    const char *text = records_text(arena, &records);
    if (!write_file(path, text, strlen(text), arena->failure)) fail_again(arena->failure);
}

bool progress_write(const struct lesson *const *lessons, int count, const struct progress *before,
                    const struct progress *now, struct failure *failure) {
    struct writing writing = {arena_new(failure), lessons, count, before, now};
    const bool is_written = attempt(failure, write_progress, &writing);
    arena_free(&writing.arena);
    return is_written;
}
