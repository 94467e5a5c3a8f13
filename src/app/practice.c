#include "app/practice.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/check/answer.h"
#include "app/check/change.h"
#include "app/check/task.h"
#include "app/command/input.h"
#include "app/command/output.h"
#include "trace/run/exercise.h"

enum { WIDTH = 78, MOST_PLACE_BYTES = 256, MOST_CRASH_BYTES = 1 << 12 };

struct practice {
    struct arena *arena; // for as long as it lasts
    const char *folder;
    int count;
    const struct task *tasks;
    int at;        // the task at hand, from 0; count: all are done
    int hints;     // that were given of it
    bool is_back;  // it was gone back to: what lies there is known
    bool has_keys; // standard input goes on
    bool is_left;
};

static const char *path_of(struct arena *arena, const struct practice *p, const char *name,
                           const char *ending) {
    return arena_format(arena, "%s/%s%s", p->folder, name, ending);
}

static const struct task *task_at_hand(const struct practice *p) {
    return &p->tasks[p->at];
}

// ---- What is said -------------------------------------------------------------------------------

static void say(struct practice *p, const struct text *text) {
    write_output(text->bytes, text->length, p->arena->failure);
}

static void add_wrapped(struct text *text, const char *before, const char *words) {
    char **lines;
    const int count = text_wrap(text->arena, words, WIDTH - text_width(before), &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "%s%s\n", before, lines[i]);
}

// Each line as it is, but no longer than a screen is wide; what follows of a line is indented like its first word.
static void add_paragraphs(struct text *text, const char *lines) {
    for (; *lines != '\0'; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
        const size_t indent = strspn(lines, " ");
        const char *before = arena_copy_bytes(text->arena, lines, indent);
        add_wrapped(text, before, arena_copy_bytes(text->arena, lines, strcspn(lines, "\n")));
    }
}

static void introduce(struct practice *p, struct arena *m, const struct posed *posed) {
    const struct task *task = task_at_hand(p);
    struct text text = text_new(m);
    text_add_format(&text, "\n%d of %d, %s: %s\n", task->number, p->count, task->lesson->name,
                    posed->step->paragraph->title);
    add_wrapped(&text, "  ", posed->step->formula);
    text_add_format(&text, "  %s\n", task_statement(m, posed));
    text_add_format(&text, "Fill it in, and run: python3 %s\n",
                    text_safe(m, path_of(m, p, task->name, ".py")));
    text_add(&text, "Keys, each followed by Enter: h hint, s solution, n next, b back, q leave\n");
    say(p, &text);
}

static void tell_hint(struct practice *p, struct arena *m) {
    struct text text = text_new(m);
    if (p->hints < HINTS)
        add_wrapped(&text, "",
                    arena_format(m, "hint %d of %d: %s", p->hints + 1, HINTS,
                                 task_at_hand(p)->exercise->hints[p->hints]));
    else
        text_add(&text, "There are no more hints; s shows the solution.\n");
    p->hints++;
    say(p, &text);
}

static void tell_solution(struct practice *p, struct arena *m, const struct posed *posed) {
    struct text text = text_new(m);
    text_add_format(&text, "solution: %s = %s\n", posed->step->name, answer_of(m, posed->step));
    say(p, &text);
}

static void praise(struct practice *p, struct arena *m, const struct posed *posed) {
    struct text text = text_new(m);
    text_add_format(&text, "right: %s\n", task_at_hand(p)->exercise->step);
    add_wrapped(&text, "  ", posed->step->paragraph->explanation);
    text_add_format(&text, "  In the lesson: %s = %s\n", posed->step->name,
                    answer_of(m, posed->step));
    say(p, &text);
}

// ---- The folder ---------------------------------------------------------------------------------

// A script that is there is the student's.
static void write_scripts(const struct practice *p) {
    struct failure *failure = p->arena->failure;
    if (mkdir(p->folder, 0777) != 0 && errno != EEXIST)
        fail(failure, FAIL_RUNTIME, "cannot make the folder %s: %s", text_safe(p->arena, p->folder),
             strerror(errno));
    for (int i = 0; i < p->count; i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, failure);
        const char *path = path_of(m, p, p->tasks[i].name, ".py");
        if (access(path, F_OK) != 0) {
            const char *script = task_script(m, &p->tasks[i], p->count);
            write_file(path, REGULAR_FILE, script, strlen(script), failure);
        }
        scratch_close(&scratch);
    }
}

static void keep_place(const struct practice *p) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, p->arena->failure);
    const char *place = arena_format(m, "%s\n", task_at_hand(p)->name);
    write_file(path_of(m, p, "place", ".txt"), REGULAR_FILE, place, strlen(place), m->failure);
    scratch_close(&scratch);
}

// The first task of the lesson; without one, that of place.txt, or the very first.
static int place_to_begin(const struct practice *p, const struct lesson *lesson) {
    const char *path = path_of(p->arena, p, "place", ".txt"), *kept = "";
    size_t length = 0;
    if (lesson == NULL && access(path, R_OK) == 0)
        kept = read_file(p->arena, path, REGULAR_FILE, MOST_PLACE_BYTES, &length);
    for (int i = 0; i < p->count; i++) {
        const size_t all = strlen(p->tasks[i].name);
        const bool is_kept = length >= all && strncmp(kept, p->tasks[i].name, all) == 0;
        if (lesson != NULL ? p->tasks[i].lesson == lesson : is_kept) return i;
    }
    return 0;
}

// ---- Looking at what the script wrote ------------------------------------------------------------

struct look {
    struct arena *arena;
    const struct posed *posed;
    const char *path;
    struct text said;
    bool is_right;
};

// What a script that crashed wrote instead of numbers; NULL if it did not.
static const char *crash_in(struct arena *arena, const char *path) {
    size_t length;
    const char *bytes = read_file(arena, path, REGULAR_FILE, MOST_CRASH_BYTES, &length);
    const size_t start = strlen(TASK_CRASH);
    if (length < start || strncmp(bytes, TASK_CRASH, start) != 0) return NULL;
    const char *line = arena_copy_bytes(arena, bytes + start, length - start);
    return arena_copy_bytes(arena, line, strcspn(line, "\n"));
}

static void look_at(void *context) {
    struct look *look = context;
    const char *crash = crash_in(look->arena, look->path);
    if (crash != NULL) {
        const char *last = text_safe(look->arena, crash);
        add_wrapped(&look->said, "", arena_format(look->arena, "your script ended with %s", last));
        return;
    }
    const struct checked checked = check_task(look->arena, look->posed, look->path);
    look->is_right = checked.verdict == VERDICT_EQUAL;
    if (look->is_right) return;
    struct text answer = text_new(look->arena);
    add_check_plain(&answer, &checked);
    add_paragraphs(&look->said, answer.bytes);
}

// Says what is wrong, if anything is. A file that can't be read may be better the next time.
static bool is_right_now(struct practice *p, const struct posed *posed, const char *path) {
    struct failure *failure = p->arena->failure;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    struct look look = {.arena = m, .posed = posed, .path = path, .said = text_new(m)};
    const bool is_read = attempt(failure, look_at, &look);
    if (!is_read) text_add_format(&look.said, "%s\n", failure->message);
    if (!is_read || !look.is_right) say(p, &look.said);
    scratch_close(&scratch);
    return is_read && look.is_right;
}

// ---- Keys ---------------------------------------------------------------------------------------

static void go(struct practice *p, int by) {
    if (p->at + by >= 0) p->at += by;
    p->is_back = by < 0;
}

static void take_key(struct practice *p, struct arena *m, const struct posed *posed, char key) {
    switch (key) {
    case 'h':
        tell_hint(p, m);
        break;
    case 's':
        tell_solution(p, m, posed);
        break;
    case 'n':
        go(p, +1);
        break;
    case 'b':
        go(p, -1);
        break;
    case 'q':
        p->is_left = true;
        break;
    default: // the rest of a line
        break;
    }
}

// Waits a moment for a key, and takes it.
static void wait_for_key(struct practice *p, struct arena *m, const struct posed *posed) {
    enum { A_MOMENT = 100 }; // milliseconds
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (poll(&input, 1, A_MOMENT) <= 0) return;
    if (read(STDIN_FILENO, &key, 1) == 1)
        take_key(p, m, posed, key);
    else
        p->has_keys = false;
}

// ---- One task after the other -------------------------------------------------------------------

// Until it is solved, or left for another.
static void do_task(struct practice *p) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, p->arena->failure);
    const int place = p->at;
    const char *path = path_of(m, p, task_at_hand(p)->name, ".txt");
    struct file_state seen = {.size = 0};
    struct posed posed;
    pose(&posed, m, task_at_hand(p));
    p->hints = 0;
    keep_place(p);
    introduce(p, m, &posed);
    if (p->is_back) (void)has_changed(path, &seen);
    while (p->at == place && !p->is_left) {
        if (has_changed(path, &seen) && access(path, F_OK) == 0 && is_right_now(p, &posed, path)) {
            praise(p, m, &posed);
            go(p, +1);
        } else if (p->has_keys) {
            wait_for_key(p, m, &posed);
        } else {
            p->is_left = true;
        }
    }
    scratch_close(&scratch);
}

void practise(const struct command *command, struct failure *failure) {
    struct scratch scratch;
    struct practice p = {.arena = scratch_open(&scratch, failure), .has_keys = true};
    p.folder = command->practice.folder != NULL ? command->practice.folder : "practice";
    p.count = tasks_of(p.arena, &p.tasks);
    write_scripts(&p);
    p.at = place_to_begin(&p, command->lesson);
    while (p.at < p.count && !p.is_left) do_task(&p);
    struct text text = text_new(p.arena);
    if (p.at == p.count)
        text_add_format(&text, "\nThat was the last of %d exercises.\n", p.count);
    else
        text_add(&text, "Your place is saved.\n");
    say(&p, &text);
    scratch_close(&scratch);
}
