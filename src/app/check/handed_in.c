#include "app/check/handed_in.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/check/called.h"
#include "app/check/checked.h"
#include "app/check/compare.h"
#include "base/text.h"
#include "tensor/file/dump_read.h"
#include "tensor/ops/ops.h" // defines: select_index
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

// How near a name lies to a step's, both plain: the more the nearer, 0 for one that has nothing to do with it.
static int nearness(const struct called *called, const char *plain, const char *label,
                    const struct step *step) {
    enum { SAME_LETTERS = 1000, USUAL = 900, WITHIN = 100, ALMOST = 50, LEAST_LETTERS = 5 };
    const size_t length = strlen(plain), own_length = strlen(label);
    if (strcmp(plain, label) == 0) return SAME_LETTERS;
    if (is_proposed(called, plain, step)) return USUAL;
    const bool is_part =
        own_length >= 4 && length > own_length &&
        (strncmp(plain, label, own_length) == 0 || strcmp(plain + length - own_length, label) == 0);
    if (is_part) return WITHIN + (int)own_length;
    const int distance = length >= LEAST_LETTERS ? letters_between(plain, label, 2) : 3;
    return distance <= 2 ? ALMOST - distance : 0;
}

// The step nearest to the name of a tensor, among those that were not handed in and whose shape it has; NULL if none is near.
static const struct step *nearest_step(struct arena *arena, const struct called *called,
                                       const struct handed_in *handed, const char *name,
                                       const struct numbers *numbers) {
    enum { LONGEST = 80 }; // bytes: twice as long as the name of any step
    if (strnlen(name, LONGEST + 1) > LONGEST) return NULL;
    const struct run *run = called->run;
    const struct step *nearest = NULL;
    const char *plain = plain_name(arena, name);
    int best = 0;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (handed->names[i] != NULL || !fits(numbers, shape_of(&step->tensor))) continue;
        const int near = nearness(called, plain, plain_name(arena, step->name), step);
        if (near <= best) continue;
        best = near;
        nearest = step;
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
                 struct offer *offer, const struct step *step, enum known_by known_by) {
    struct arena *arena = offers->arena;
    const int number = (int)(step - run->steps);
    if (handed->names[number] != NULL)
        fail(arena->failure, FAIL_INPUT, "%s: both %s and %s are step %s: leave one out",
             text_safe(arena, handed->file), text_safe(arena, handed->names[number]),
             text_safe(arena, offer->name), step_label(arena, step));
    handed->numbers[number] = numbers_of(offers, offer);
    handed->names[number] = offer->name;
    handed->known_by[number] = known_by;
    handed->count++;
    offer->is_used = true;
}

// A field without the blanks around it, as a string.
static const char *trimmed(struct arena *arena, const char *start, const char *end) {
    while (start < end && is_blank(*start)) start++;
    while (end > start && is_blank(end[-1])) end--;
    return arena_copy_bytes(arena, start, (size_t)(end - start));
}

// A line of --names: "mine = scores", or of a form, "h.{n}.attn.q = block {n+1}: queries".
struct naming {
    const char *mine, *theirs;
    const char *at; // where theirs stands
};

// Tensors of that name, or of that form, are the step's.
static int follow_naming(struct handed_in *handed, struct offers *offers, const struct run *run,
                         const struct reading *map, const struct naming *naming) {
    struct arena *arena = offers->arena;
    int count = 0;
    for (int i = 0; i < offers->count; i++) {
        int number = -1;
        if (!is_of_form(offers->all[i].name, naming->mine, &number)) continue;
        const char *theirs =
            number < 0 ? naming->theirs : name_of_form(arena, naming->theirs, number);
        const struct step *step = step_named(run, theirs);
        if (step == NULL)
            fail_at(map, naming->at, "'%s' is not the name of one step of %s; see 'onestep list'",
                    text_cut(arena, text_safe(arena, theirs), 40), run->lesson->name);
        take(handed, offers, run, &offers->all[i], step, KNOWN_BY_MAP);
        count++;
    }
    return count;
}

static void follow_line(struct handed_in *handed, struct offers *offers, const struct run *run,
                        const struct reading *map, const char *end) {
    struct arena *arena = offers->arena;
    const char *comment = memchr(map->next, '#', (size_t)(end - map->next));
    if (comment != NULL) end = comment;
    const char *equals = memchr(map->next, '=', (size_t)(end - map->next));
    if (*trimmed(arena, map->next, end) == '\0') return;
    if (equals == NULL)
        fail_at(map, map->next, "a line of --names is MINE = STEP, as in mine = scores");
    const struct naming naming = {trimmed(arena, map->next, equals),
                                  trimmed(arena, equals + 1, end), equals + 1};
    const bool is_form = strchr(naming.theirs, '{') != NULL;
    if (!is_form && step_named(run, naming.theirs) == NULL)
        fail_at(map, naming.at, "'%s' is not the name of one step of %s; see 'onestep list'",
                text_cut(arena, text_safe(arena, naming.theirs), 40), run->lesson->name);
    if (follow_naming(handed, offers, run, map, &naming) == 0)
        add_note(handed, arena,
                 arena_format(arena, "%s is not in %s, though --names says what it is",
                              text_safe(arena, naming.mine), text_safe(arena, handed->file)));
}

static void follow_map(struct handed_in *handed, struct offers *offers, const struct run *run,
                       const char *path) {
    size_t length;
    const char *bytes = read_file(offers->arena, path, ANY_FILE, MOST_MAP_BYTES, &length);
    struct reading map = reading_new(offers->arena, file_name(path), bytes, length);
    if (memchr(bytes, '\0', length) != NULL || !utf8_is_valid(bytes, length))
        fail_whole(&map, "not text in UTF-8: --names takes lines such as mine = scores");
    skip_byte_order_mark(&map);
    while (map.next < map.end) {
        const char *end = memchr(map.next, '\n', (size_t)(map.end - map.next));
        if (end == NULL) end = map.end;
        follow_line(handed, offers, run, &map, end);
        map.next = end < map.end ? end + 1 : end;
    }
}

// ---- Tensors whose names are no steps' ---------------------------------------------------------------

// A tensor that is looked at, in the memory of `arena`.
struct look {
    struct arena *arena;
    struct handed_in *handed;
    struct offers *offers;
    const struct called *called;
    struct offer *offer;
    struct numbers numbers;
    int count; // the steps of its name in data/names.txt
    const struct step *steps[MOST_CALLED];
};

static void read_look(void *context) {
    struct look *look = context;
    struct offers offers = *look->offers;
    offers.arena = offers.dump.reading.arena = look->arena;
    look->numbers = numbers_of(&offers, look->offer);
}

static bool is_handed(const struct look *look, const struct step *step) {
    return look->handed->names[step - look->called->run->steps] != NULL;
}

static bool has_numbers_of(const struct look *look, const struct tensor *tensor) {
    static const double NEAR = 1e-3; // none of those farther away has its numbers
    const struct numbers *numbers = &look->numbers;
    if (!fits(numbers, shape_of(tensor)) || count_apart(numbers, tensor, NEAR) > 0) return false;
    return all_agree(numbers, tensor, allowed_of(look->arena, numbers, tensor));
}

// Are there numbers that hardly two tensors share by chance? Masks and a few digits are none.
static bool tells_itself(const struct numbers *numbers) {
    const int64_t count = count_of(numbers->shape);
    bool has_fraction = false;
    for (int64_t i = 0; i < count && !has_fraction; i++)
        has_fraction =
            isfinite(numbers->values[i]) && numbers->values[i] != rint(numbers->values[i]);
    return has_fraction && (count > 1 || numbers->dtype != NULL);
}

// The index of the part x[index] of a step whose numbers it has, as keys_2 has those of keys[1]; -1 if it has none's, or the
// name of a step.
static int64_t part_of(const struct look *look, const struct step *step) {
    const struct tensor *whole = &step->tensor;
    if (whole->ndim == 0 || step_named(look->called->run, look->offer->name) != NULL) return -1;
    for (int64_t i = 0; i < shape_of(whole).size[0]; i++) {
        const struct tensor part = select_index(*whole, 0, i);
        if (has_numbers_of(look, &part)) return i;
    }
    return -1;
}

// Is it one of the tensors that the lesson begins with, or a step that was handed in under its own name?
static bool is_known(const struct look *look) {
    const struct run *run = look->called->run;
    bool is_known = has_numbers_of(look, &run->inputs);
    for (int i = 0; i < run->step_count && !is_known; i++)
        is_known = has_numbers_of(look, &run->steps[i].tensor);
    return is_known;
}

// How many steps of the group were handed in.
static int handed_of_group(const struct look *look, const char *group) {
    const struct run *run = look->called->run;
    int count = 0;
    for (int i = 0; i < run->step_count; i++) {
        const char *other = run->steps[i].group;
        count += group != NULL && other != NULL && strcmp(group, other) == 0 &&
                 look->handed->names[i] != NULL;
    }
    return count;
}

// Which step the name stands for, of those in the table: the one whose numbers the tensor has. Without one, and if it need not
// be right, the one that has its shape and of whose group most was handed in.
static const struct step *step_of_name(const struct look *look, bool must_be_right) {
    const struct step *best = NULL;
    int most = -1;
    for (int i = 0; i < look->count; i++) {
        const struct step *step = look->steps[i];
        if (is_handed(look, step)) continue;
        if (must_be_right && has_numbers_of(look, &step->tensor)) return step;
        const bool has_shape = fits(&look->numbers, shape_of(&step->tensor));
        const int worth = (has_shape ? look->called->run->step_count + 1 : 0) +
                          handed_of_group(look, step->group);
        if (worth <= most) continue;
        most = worth;
        best = step;
    }
    return must_be_right ? NULL : best;
}

// The only step whose numbers it has, of those that were not handed in; NULL if there is none or more than one.
static const struct step *step_of_numbers(const struct look *look) {
    const struct run *run = look->called->run;
    const struct step *found = NULL;
    if (!tells_itself(&look->numbers)) return NULL;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        if (!has_numbers_of(look, &step->tensor)) continue;
        if (found != NULL || is_handed(look, step)) return NULL;
        found = step;
    }
    return found;
}

// A step that was not handed in and that it may be, by its shape; NULL if there is none. Whole numbers are no such tensor:
// they are masks, ids or counts. Nor is a single number: it may be a learning rate.
static const struct step *step_of_shape(const struct look *look) {
    const struct run *run = look->called->run;
    if (count_of(look->numbers.shape) == 1) return NULL;
    for (int i = 0; i < run->step_count && tells_itself(&look->numbers); i++) {
        const struct step *step = &run->steps[i];
        if (!is_handed(look, step) && fits(&look->numbers, shape_of(&step->tensor)) &&
            has_fractions(&step->tensor))
            return step;
    }
    return NULL;
}

static bool take_by_right_name(struct look *look) {
    const struct step *step = step_of_name(look, true);
    if (step != NULL)
        take(look->handed, look->offers, look->called->run, look->offer, step, KNOWN_BY_COURSE);
    return step != NULL;
}

static bool take_by_wrong_name(struct look *look) {
    for (int i = 0; i < look->count; i++) {
        const struct step *step = look->steps[i];
        if (is_handed(look, step) && has_numbers_of(look, &step->tensor)) return false; // twice
        if (part_of(look, step) >= 0) return false;
    }
    const struct step *step = step_of_name(look, false);
    if (step != NULL)
        take(look->handed, look->offers, look->called->run, look->offer, step, KNOWN_BY_COURSE);
    return step != NULL;
}

static bool take_by_numbers(struct look *look) {
    const struct step *step = step_of_numbers(look);
    if (step != NULL)
        take(look->handed, look->offers, look->called->run, look->offer, step, KNOWN_BY_NUMBERS);
    return step != NULL;
}

// "foo was not judged: ..."
static const char *note_on(const struct look *look, const struct step *step) {
    struct arena *arena = look->offers->arena;
    const char *safe = text_cut(arena, text_safe(arena, look->offer->name), 40);
    const char *label = step_label(arena, step);
    if (is_handed(look, step))
        return arena_format(arena,
                            "%s was not judged: it has the numbers of no step, and %s is there",
                            safe, label);
    return arena_format(
        arena,
        "%s was not judged: it has the numbers of no step. If it is to be %s, write "
        "a line %s = %s for --names",
        safe, label, safe, label);
}

// Notes the step of whose numbers it has a part; false if it has none's.
static bool note_part(const struct look *look) {
    const struct run *run = look->called->run;
    struct arena *arena = look->offers->arena;
    for (int i = 0; i < run->step_count && tells_itself(&look->numbers); i++) {
        const int64_t index = part_of(look, &run->steps[i]);
        if (index < 0) continue;
        add_note(look->handed, arena,
                 arena_format(arena, "%s has the numbers of %s[%" PRId64 "]",
                              text_cut(arena, text_safe(arena, look->offer->name), 40),
                              step_label(arena, &run->steps[i]), index));
        return true;
    }
    return false;
}

// Notes a tensor that may be a step, by its name or its shape, and that nobody can judge. False if it is none.
static bool leave_out(struct look *look) {
    struct handed_in *handed = look->handed;
    struct arena *arena = look->offers->arena;
    if (is_known(look) || note_part(look)) return true;
    const struct step *step =
        nearest_step(look->arena, look->called, handed, look->offer->name, &look->numbers);
    if (step == NULL) step = step_of_shape(look);
    if (step == NULL && look->count > 0) step = look->steps[0];
    if (step == NULL) return false;
    const size_t used = (size_t)handed->unjudged_count * sizeof *handed->unjudged;
    handed->unjudged = arena_grow(arena, handed->unjudged, used, sizeof *handed->unjudged);
    handed->unjudged[handed->unjudged_count++] = text_safe(arena, look->offer->name);
    add_note(handed, arena, note_on(look, step));
    return true;
}

// A tensor with a step's name has to be readable; any other may be what it likes.
static bool is_readable(struct look *look) {
    if (look->count == 0) return attempt_input(look->arena->failure, read_look, look);
    read_look(look);
    return true;
}

// Decides on every tensor that is no step yet. Returns how many nothing was decided on.
static int decide_on_all(struct handed_in *handed, struct offers *offers,
                         const struct called *called, bool (*decide)(struct look *look)) {
    int others = 0;
    for (int i = 0; i < offers->count; i++) {
        if (offers->all[i].is_used) continue;
        struct scratch scratch;
        struct look look = {.arena = scratch_open(&scratch, offers->arena->failure),
                            .handed = handed,
                            .offers = offers,
                            .called = called,
                            .offer = &offers->all[i]};
        look.count = steps_called(called, look.offer->name, look.steps);
        others += !is_readable(&look) || !decide(&look);
        scratch_close(&scratch);
    }
    return others;
}

static void take_named(struct handed_in *handed, struct offers *offers,
                       const struct called *called) {
    const struct run *run = called->run;
    for (int i = 0; i < offers->count; i++) {
        struct offer *offer = &offers->all[i];
        const struct step *step = offer->is_used ? NULL : step_named(run, offer->name);
        const struct step *others[MOST_CALLED];
        if (step != NULL && steps_called(called, offer->name, others) < 2)
            take(handed, offers, run, offer, step, KNOWN_BY_NAME);
    }
}

struct handed_in read_handed_in(struct arena *arena, const struct run *run, const char *path,
                                const char *map) {
    struct offers offers = {.arena = arena, .path = path};
    struct handed_in handed = {.file = file_name(path)};
    const struct called called = read_called(arena, run);
    handed.names = arena_array(arena, (size_t)run->step_count, sizeof *handed.names);
    handed.numbers = arena_array(arena, (size_t)run->step_count, sizeof *handed.numbers);
    handed.known_by = arena_array(arena, (size_t)run->step_count, sizeof *handed.known_by);
    if (is_folder(path))
        list_folder(&offers);
    else
        list_dump(&offers);
    if (map != NULL) follow_map(&handed, &offers, run, map);
    take_named(&handed, &offers, &called);
    decide_on_all(&handed, &offers, &called, take_by_right_name);
    decide_on_all(&handed, &offers, &called, take_by_wrong_name);
    decide_on_all(&handed, &offers, &called, take_by_numbers);
    const int others = decide_on_all(&handed, &offers, &called, leave_out);
    if (others > 0)
        add_note(&handed, arena,
                 arena_format(arena, "%d other name%s of no step", others,
                              others == 1 ? " is that" : "s are those"));
    if (handed.count == 0)
        fail(arena->failure, FAIL_INPUT, "%s: no name in it is a step of %s (onestep list)%s%s",
             text_safe(arena, handed.file), run->lesson->name, handed.note_count > 0 ? "; " : "",
             handed.note_count > 0 ? handed.notes[0] : "");
    return handed;
}

int numbers_of_path(struct arena *arena, const char *path, const struct named_numbers **all) {
    struct offers offers = {.arena = arena, .path = path};
    if (is_folder(path))
        list_folder(&offers);
    else
        list_dump(&offers);
    struct named_numbers *named = arena_array(arena, (size_t)offers.count, sizeof *named);
    for (int i = 0; i < offers.count; i++)
        named[i] = (struct named_numbers){offers.all[i].name, numbers_of(&offers, &offers.all[i])};
    *all = named;
    return offers.count;
}
