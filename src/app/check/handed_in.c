#include "app/check/handed_in.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/check/checked.h"
#include "base/text.h"
#include "tensor/file/dump_read.h"
#include "trace/run/step.h"

enum { MOST_NAMES = 4096, MOST_MAP_BYTES = 1 << 16 };

// ---- What a path leads to -------------------------------------------------------------------------

// A tensor that nobody has read yet: a member of a dump, or a file of a folder.
struct offer {
    const char *name;
    const struct member *member;
    const char *path;
    bool is_used;
};

struct offers {
    struct arena *arena;
    const char *path;
    struct dump dump;
    int count;
    struct offer *all;
};

static bool is_folder(const char *path) {
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static struct reading reading_of(struct arena *arena, const char *path) {
    size_t length;
    const char *bytes = read_file(arena, path, ANY_FILE, NUMBERS_MAX_BYTES, &length);
    return reading_new(arena, file_name(path), bytes, length);
}

static void add_offer(struct offers *offers, struct offer offer) {
    const size_t used = (size_t)offers->count * sizeof *offers->all;
    if (offers->count == MOST_NAMES)
        fail(offers->arena->failure, FAIL_INPUT, "%s: more than %d names",
             text_safe(offers->arena, file_name(offers->path)), MOST_NAMES);
    offers->all = arena_grow(offers->arena, offers->all, used, sizeof *offers->all);
    offers->all[offers->count++] = offer;
}

static void list_dump(struct offers *offers) {
    const struct reading reading = reading_of(offers->arena, offers->path);
    if ((size_t)(reading.end - reading.start) > NUMBERS_MAX_BYTES)
        fail_whole(&reading, "larger than %d MB: leave out what is no step",
                   NUMBERS_MAX_BYTES >> 20);
    if (!is_dump(&reading))
        fail_whole(&reading, "one tensor or none: say with --step which step it is, or give a "
                             "safetensors file, an .npz file or a folder");
    offers->dump = dump_read(&reading);
    for (int i = 0; i < offers->dump.count; i++) {
        const struct member *member = &offers->dump.members[i];
        add_offer(offers, (struct offer){.name = member->name, .member = member});
    }
}

// "scores" of "scores.npy".
static const char *without_ending(struct arena *arena, const char *name) {
    const char *point = strrchr(name, '.');
    return point != NULL ? arena_copy_bytes(arena, name, (size_t)(point - name)) : name;
}

static void close_folder(void *folder) {
    closedir(folder);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct offer *)a)->path, ((const struct offer *)b)->path);
}

static void list_folder(struct offers *offers) {
    struct arena *arena = offers->arena;
    DIR *folder = opendir(offers->path);
    if (folder == NULL) {
        const char *reason = strerror(errno);
        fail(arena->failure, FAIL_INPUT, "cannot read %s: %s", text_safe(arena, offers->path),
             reason);
    }
    struct cleanup cleanup;
    cleanup_open(&cleanup, arena->failure, close_folder, folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct stat status;
        const char *path = arena_format(arena, "%s/%s", offers->path, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        add_offer(offers,
                  (struct offer){.name = without_ending(arena, entry->d_name), .path = path});
    }
    cleanup_close(&cleanup);
    if (offers->count > 0)
        qsort(offers->all, (size_t)offers->count, sizeof *offers->all, compare_names);
}

static struct numbers numbers_of(const struct offers *offers, const struct offer *offer) {
    if (offer->member != NULL) return member_numbers(&offers->dump, offer->member);
    return read_numbers(offers->arena, offer->path, REGULAR_FILE);
}

// ---- Whose name it is -----------------------------------------------------------------------------

// What stands in a name behind this label; NULL if it does not begin so. A blank of the label may be written as - or _.
static const char *behind(const char *name, const char *label) {
    for (; *label != '\0'; name++, label++) {
        const bool is_blank_of_label = *label == ' ' && (*name == '-' || *name == '_');
        if (*name != *label && !is_blank_of_label) return NULL;
    }
    return name;
}

// Allocates nothing: a file may have thousands of names, and each meets every step.
static bool is_named(const struct run *run, const struct step *step, const char *name) {
    const size_t length = strlen(run->lesson->name);
    const bool has_lesson = strncmp(name, run->lesson->name, length) == 0 && name[length] == '.';
    if (has_lesson) name += length + 1;
    if (step->group != NULL) {
        name = behind(name, step->group);
        if (name == NULL || *name++ != '.') return false;
    }
    name = behind(name, step->name);
    return name != NULL && *name == '\0';
}

// The step of that name; NULL if there is none or more than one.
static const struct step *step_named(const struct run *run, const char *name) {
    const bool is_number = *name != '\0' && strspn(name, "0123456789") == strlen(name);
    const struct step *step = is_number ? NULL : step_called(run, name);
    for (int i = 0; step == NULL && i < run->step_count; i++) {
        if (is_named(run, &run->steps[i], name)) step = &run->steps[i];
    }
    return step;
}

// ---- Names that are near --------------------------------------------------------------------------

// Small letters and digits only: "W_q" is "wq".
static const char *plain_name(struct arena *arena, const char *name) {
    char *plain = arena_copy(arena, name), *end = plain;
    for (; *name != '\0'; name++) {
        if (isalnum((unsigned char)*name)) *end++ = (char)tolower((unsigned char)*name);
    }
    *end = '\0';
    return plain;
}

// What programs call a step, without _ and in small letters.
static bool is_usual(const char *plain, const char *step) {
    static const char *const usual[][2] = {
        {"q", "queries"},
        {"query", "queries"},
        {"k", "keys"},
        {"key", "keys"},
        {"v", "values"},
        {"value", "values"},
        {"wq", "W_query"},
        {"wk", "W_key"},
        {"wv", "W_value"},
        {"wo", "W_out"},
        {"attn", "weights"},
        {"att", "weights"},
        {"probs", "weights"},
        {"probas", "probabilities"},
        {"probs", "probabilities"},
        {"out", "output"},
        {"z", "context"},
        {"ctxvec", "context"},
        {"ctx", "context"},
        {"x", "inputs"},
        {"mask", "mask_bool"},
        {"masked", "masked_scores"},
        {"ff", "feed_forward"},
        {"ffn", "feed_forward"},
        {"emb", "embedding"},
        {"h", "hidden"},
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(plain, usual[i][0]) == 0 && strcmp(step, usual[i][1]) == 0) return true;
    }
    return false;
}

// How near a name lies to a step's, both plain: the more the nearer, 0 for one that has nothing to do with it.
static int nearness(const char *plain, const char *own, const struct step *step) {
    enum { SAME_LETTERS = 1000, USUAL = 900, WITHIN = 100, ALMOST = 50, LEAST_LETTERS = 5 };
    const size_t length = strlen(plain), own_length = strlen(own);
    if (strcmp(plain, own) == 0) return SAME_LETTERS;
    if (is_usual(plain, step->name)) return USUAL;
    const bool is_part =
        own_length >= 4 && length > own_length &&
        (strncmp(plain, own, own_length) == 0 || strcmp(plain + length - own_length, own) == 0);
    if (is_part) return WITHIN + (int)own_length;
    const int distance = length >= LEAST_LETTERS ? letters_between(plain, own, 2) : 3;
    return distance <= 2 ? ALMOST - distance : 0;
}

// The step nearest to a name among those that were not handed in; NULL if none is near. `own` are the steps' plain names.
static const struct step *nearest_step(struct arena *arena, const struct run *run,
                                       const struct handed_in *handed, const char *const *own,
                                       const char *name) {
    enum { LONGEST = 80 }; // bytes: twice as long as the name of any step
    if (strnlen(name, LONGEST + 1) > LONGEST) return NULL;
    const struct step *nearest = NULL;
    const char *plain = plain_name(arena, name);
    int best = 0;
    for (int i = 0; i < run->step_count; i++) {
        const int near = nearness(plain, own[i], &run->steps[i]);
        if (near <= best || handed->names[i] != NULL) continue;
        best = near;
        nearest = &run->steps[i];
    }
    return nearest;
}

// ---- Reading it -----------------------------------------------------------------------------------

static void add_note(struct handed_in *handed, struct arena *arena, const char *note) {
    const size_t used = (size_t)handed->note_count * sizeof *handed->notes;
    handed->notes = arena_grow(arena, handed->notes, used, sizeof *handed->notes);
    handed->notes[handed->note_count++] = note;
}

static void take(struct handed_in *handed, const struct offers *offers, const struct run *run,
                 struct offer *offer, const struct step *step) {
    struct arena *arena = offers->arena;
    const int number = (int)(step - run->steps);
    if (handed->names[number] != NULL)
        fail(arena->failure, FAIL_INPUT, "%s: both %s and %s are step %s: leave one out",
             text_safe(arena, handed->file), text_safe(arena, handed->names[number]),
             text_safe(arena, offer->name), step_label(arena, step));
    handed->numbers[number] = numbers_of(offers, offer);
    handed->names[number] = offer->name;
    handed->count++;
    offer->is_used = true;
}

static struct offer *offer_called(const struct offers *offers, const char *name) {
    for (int i = 0; i < offers->count; i++) {
        if (strcmp(offers->all[i].name, name) == 0) return &offers->all[i];
    }
    return NULL;
}

// A field without the blanks around it, as a string.
static const char *trimmed(struct arena *arena, const char *start, const char *end) {
    while (start < end && is_blank(*start)) start++;
    while (end > start && is_blank(end[-1])) end--;
    return arena_copy_bytes(arena, start, (size_t)(end - start));
}

static void follow_line(struct handed_in *handed, struct offers *offers, const struct run *run,
                        const struct reading *map, const char *end) {
    struct arena *arena = offers->arena;
    const char *comment = memchr(map->next, '#', (size_t)(end - map->next));
    if (comment != NULL) end = comment;
    const char *equals = memchr(map->next, '=', (size_t)(end - map->next));
    if (*trimmed(arena, map->next, end) == '\0') return;
    if (equals == NULL)
        fail_at(map, map->next, "a line of --names is MINE = STEP, as in attn_scores = scores");
    const char *mine = trimmed(arena, map->next, equals);
    const char *theirs = trimmed(arena, equals + 1, end);
    const struct step *step = step_named(run, theirs);
    if (step == NULL)
        fail_at(map, equals + 1, "'%s' is not the name of one step of %s; see 'onestep list'",
                text_cut(arena, text_safe(arena, theirs), 40), run->lesson->name);
    struct offer *offer = offer_called(offers, mine);
    if (offer != NULL)
        take(handed, offers, run, offer, step);
    else
        add_note(handed, arena,
                 arena_format(arena, "%s is not in %s, though --names says what it is",
                              text_safe(arena, mine), text_safe(arena, handed->file)));
}

static void follow_map(struct handed_in *handed, struct offers *offers, const struct run *run,
                       const char *path) {
    size_t length;
    const char *bytes = read_file(offers->arena, path, ANY_FILE, MOST_MAP_BYTES, &length);
    struct reading map = reading_new(offers->arena, file_name(path), bytes, length);
    if (memchr(bytes, '\0', length) != NULL || !utf8_is_valid(bytes, length))
        fail_whole(&map, "not text in UTF-8: --names takes lines such as attn_scores = scores");
    skip_byte_order_mark(&map);
    while (map.next < map.end) {
        const char *end = memchr(map.next, '\n', (size_t)(map.end - map.next));
        if (end == NULL) end = map.end;
        follow_line(handed, offers, run, &map, end);
        map.next = end < map.end ? end + 1 : end;
    }
}

static int count_bearers(const struct run *run, const char *name) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) count += strcmp(run->steps[i].name, name) == 0;
    return count;
}

// What to do with a name of no step; NULL if there is nothing to say.
static const char *advice_on(struct arena *arena, const struct run *run,
                             const struct handed_in *handed, const char *const *own,
                             const char *name) {
    const struct step *near = nearest_step(arena, run, handed, own, name);
    if (near == NULL) return NULL;
    const char *safe = text_cut(arena, text_safe(arena, name), 40);
    const char *label = step_label(arena, near);
    if (count_bearers(run, name) > 1)
        return arena_format(arena,
                            "%s: more than one step has this name; say which one in a line of "
                            "--names, as in %s = %s",
                            safe, safe, label);
    return arena_format(arena,
                        "%s: not a step; did you mean %s? Then write a line %s = %s for --names",
                        safe, label, safe, label);
}

static void advise(struct handed_in *handed, const struct offers *offers, const struct run *run) {
    struct arena *arena = offers->arena;
    const char **own = arena_array(arena, (size_t)run->step_count, sizeof *own);
    int others = 0;
    for (int i = 0; i < run->step_count; i++) own[i] = plain_name(arena, run->steps[i].name);
    for (int i = 0; i < offers->count; i++) {
        if (offers->all[i].is_used) continue;
        const char *advice = advice_on(arena, run, handed, own, offers->all[i].name);
        if (advice != NULL)
            add_note(handed, arena, advice);
        else
            others++;
    }
    if (others > 0)
        add_note(handed, arena,
                 arena_format(arena, "%d other name%s of no step", others,
                              others == 1 ? " is that" : "s are those"));
}

struct handed_in read_handed_in(struct arena *arena, const struct run *run, const char *path,
                                const char *map) {
    struct offers offers = {.arena = arena, .path = path};
    struct handed_in handed = {.file = file_name(path)};
    handed.names = arena_array(arena, (size_t)run->step_count, sizeof *handed.names);
    handed.numbers = arena_array(arena, (size_t)run->step_count, sizeof *handed.numbers);
    if (is_folder(path))
        list_folder(&offers);
    else
        list_dump(&offers);
    if (map != NULL) follow_map(&handed, &offers, run, map);
    for (int i = 0; i < offers.count; i++) {
        struct offer *offer = &offers.all[i];
        const struct step *step = offer->is_used ? NULL : step_named(run, offer->name);
        if (step != NULL) take(&handed, &offers, run, offer, step);
    }
    advise(&handed, &offers, run);
    if (handed.count == 0)
        fail(arena->failure, FAIL_INPUT, "%s: no name in it is a step of %s (onestep list)%s%s",
             text_safe(arena, handed.file), run->lesson->name, handed.note_count > 0 ? "; " : "",
             handed.note_count > 0 ? handed.notes[0] : "");
    return handed;
}
