#include "app/command/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/input.h"
#include "app/command/output.h"
#include "base/text.h"

// ---- The place ----------------------------------------------------------------------------------

struct folder {
    char *path;
    size_t kept; // bytes of the part of the path that was there before
    int lock;    // the open folder, which one walk at a time locks; -1 if it can't be
};

// The folder, or NULL if the environment names none. As the XDG rules have it, a path that is not
// absolute does not count.
static char *state_folder(struct arena *arena) {
    const char *state = getenv("XDG_STATE_HOME");
    if (state != NULL && *state == '/') return arena_format(arena, "%s/onestep", state);
    const char *home = getenv("HOME");
    if (home == NULL || *home != '/') return NULL;
    return arena_format(arena, "%s/.local/state/onestep", home);
}

// Bytes of the home at the start of a path that lies in it; 0 for any other path.
static size_t length_of_home(const char *path) {
    const char *home = getenv("HOME");
    if (home == NULL) return 0;
    size_t length = strlen(home);
    while (length > 0 && home[length - 1] == '/') length--;
    if (strncmp(path, home, length) != 0 || path[length] != '/') return 0;
    return length + strspn(path + length, "/") - 1; // for more slashes mean the home as well
}

// Makes a folder and those above it, unless they are there, and notes what was. A home that is not there
// is not made: whoever has none wants none.
static void make_folder(struct arena *arena, struct folder *folder) {
    char *path = folder->path;
    const size_t length = folder->kept;
    int error = 0, first_error = 0; // the others only follow from the first
    for (size_t start = length_of_home(path), end; start < length; start = end) {
        end = start + 1 + strcspn(path + start + 1, "/");
        const char next = path[end];
        path[end] = '\0';
        error = mkdir(path, 0700) == 0 ? 0 : errno;
        path[end] = next;
        if (error == 0 && folder->kept == length) folder->kept = start;
        if (error == EEXIST) error = 0;
        if (first_error == 0) first_error = error;
    }
    if (error != 0)
        fail(arena->failure, FAIL_RUNTIME, "cannot make the folder %s: %s", text_safe(arena, path),
             strerror(first_error));
}

// Waits until no other walk is between reading the file and replacing it. A file system without locks is
// written without one.
static void lock_folder(struct folder *folder) {
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder->lock >= 0 && flock(folder->lock, LOCK_EX) != 0 && errno == EINTR) continue;
}

// Ends the lock, and removes the folders that were made, if they are empty: a file that was written keeps them.
static void leave_folder(void *context) {
    struct folder *folder = context;
    if (folder->lock >= 0) close(folder->lock);
    while (strlen(folder->path) > folder->kept) {
        (void)rmdir(folder->path);
        *strrchr(folder->path, '/') = '\0';
    }
}

// ---- Lines --------------------------------------------------------------------------------------

enum { MAX_BYTES = 1 << 16, MAX_RECORDS = 2 * MAX_LESSONS, HEX_PER_WORD = 16 };

// A line of the file.
struct record {
    const char *lesson; // its name
    struct visit visit;
    bool is_last;
    bool shows_c;       // of the last one: C comes before PyTorch
    bool is_light;      // and the screen is light
    bool asks_nothing;  // and no questions are asked
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
    } else if (strncmp(field, "asked ", 6) == 0) {
        record->visit.asked = strtoull(field + 6, NULL, 16);
    } else if (strncmp(field, "answered ", 9) == 0) {
        record->visit.answered = strtoull(field + 9, NULL, 16);
    } else if (strcmp(field, "last") == 0) {
        record->is_last = true;
    } else if (strcmp(field, "C first") == 0) {
        record->shows_c = true;
    } else if (strcmp(field, "light") == 0) {
        record->is_light = true;
    } else if (strcmp(field, "no questions") == 0) {
        record->asks_nothing = true;
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
        text_add_format(&text, "%s\tstep %d\tseen %s\tguesses %d of %d", record->lesson,
                        visit->step + 1, seen_text(arena, visit), visit->good_guesses,
                        visit->guesses);
        if (visit->asked != 0) text_add_format(&text, "\tasked %" PRIx64, visit->asked);
        if (visit->answered != 0) text_add_format(&text, "\tanswered %" PRIx64, visit->answered);
        text_add_format(&text, "%s%s%s%s%s\n", record->others, record->is_last ? "\tlast" : "",
                        record->shows_c ? "\tC first" : "", record->is_light ? "\tlight" : "",
                        record->asks_nothing ? "\tno questions" : "");
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
    if (access(path, F_OK) != 0 && errno == ENOENT) return;
    size_t length;
    const char *bytes = read_file(arena, path, REGULAR_FILE, MAX_BYTES, &length);
    if (length > MAX_BYTES) return;
    char *text = arena_copy_bytes(arena, bytes, length), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        read_line(arena, line, records);
}

// Reading, as an attempt: whatever is wrong, then nothing is known.
struct attempted_reading {
    struct failure failure;
    struct progress *progress;
};

static void read_progress(void *context) {
    struct attempted_reading *reading = context;
    struct progress *progress = reading->progress;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &reading->failure);
    const char *folder = state_folder(m);
    struct records records = {.count = 0};
    if (folder != NULL) read_records(m, arena_format(m, "%s/progress", folder), &records);
    for (int i = 0; folder != NULL && i < progress->lesson_count; i++) {
        const struct record *record = record_of(&records, progress->lessons[i]->name);
        if (record == NULL) continue;
        progress->visits[i] = record->visit;
        if (record->is_last) progress->lesson = i;
        if (record->is_last) progress->shows_c = record->shows_c;
        if (record->is_last) progress->is_light = record->is_light;
        if (record->is_last) progress->asks_nothing = record->asks_nothing;
    }
    scratch_close(&scratch);
}

struct progress progress_read(const struct lesson *const *lessons, int count) {
    struct progress progress = {.lessons = lessons, .lesson_count = count, .lesson = -1};
    struct attempted_reading reading = {.progress = &progress};
    (void)attempt(&reading.failure, read_progress, &reading);
    return progress;
}

// ---- Writing ------------------------------------------------------------------------------------

static int most(int a, int b) {
    return a > b ? a : b;
}

// What this walk added since `before` to what the file says now: another walk may have been in the same lesson.
static void add_visit(struct visit *visit, const struct visit *before, const struct visit *now) {
    visit->step = now->step;
    for (int i = 0; i < SEEN_WORDS; i++) visit->seen[i] |= now->seen[i];
    visit->asked |= now->asked;
    visit->answered |= now->answered;
    visit->guesses = most(visit->guesses + now->guesses - before->guesses, now->guesses);
    visit->good_guesses =
        most(visit->good_guesses + now->good_guesses - before->good_guesses, now->good_guesses);
}

static void change_records(struct records *records, const struct progress *before,
                           const struct progress *now) {
    for (int i = 0; i < records->count; i++)
        records->record[i].is_last = records->record[i].shows_c = records->record[i].is_light =
            records->record[i].asks_nothing = false;
    for (int i = 0; i < now->lesson_count; i++) {
        const struct visit *visit = &now->visits[i];
        const bool is_last = i == now->lesson;
        if (!is_last && same_visit(visit, &before->visits[i])) continue;
        struct record *record = record_of(records, now->lessons[i]->name);
        if (record == NULL) continue;
        add_visit(&record->visit, &before->visits[i], visit);
        record->is_last = is_last;
        record->shows_c = is_last && now->shows_c;
        record->is_light = is_last && now->is_light;
        record->asks_nothing = is_last && now->asks_nothing;
    }
}

static void write_records(struct arena *arena, struct folder *folder, const struct progress *before,
                          const struct progress *now) {
    make_folder(arena, folder);
    lock_folder(folder);
    const char *path = arena_format(arena, "%s/progress", folder->path);
    struct records records = {.count = 0};
    read_records(arena, path, &records);
    change_records(&records, before, now);
    const char *text = records_text(arena, &records);
    write_file(path, REGULAR_FILE, text, strlen(text), arena->failure);
}

void progress_write(const struct progress *before, const struct progress *now,
                    struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    struct folder folder = {.path = state_folder(m), .lock = -1};
    if (folder.path != NULL) {
        struct cleanup unmaking;
        folder.kept = strlen(folder.path);
        cleanup_open(&unmaking, failure, leave_folder, &folder);
        write_records(m, &folder, before, now);
        cleanup_close(&unmaking);
    }
    scratch_close(&scratch);
}
