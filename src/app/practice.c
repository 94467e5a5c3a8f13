#include "app/practice.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/check/answer.h"
#include "app/check/change.h"
#include "app/check/script.h"
#include "app/command/input.h"
#include "app/command/output.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"

enum { WIDTH = 78, MOST_PLACE_BYTES = 256, MOST_CRASH_BYTES = 1 << 12 };

struct practice {
    struct arena *arena; // for as long as it lasts
    const char *folder;
    int count;
    const struct script *scripts;
    int at;        // the current script, from 0; count: all are done
    int hints;     // that were given
    bool is_back;  // it was gone back to: its output is known
    bool has_keys; // standard input goes on
    bool is_left;
};

static const char *path_of(struct arena *arena, const struct practice *p, const char *name,
                           const char *ending) {
    return arena_format(arena, "%s/%s%s", p->folder, name, ending);
}

static const struct script *current_script(const struct practice *p) {
    return &p->scripts[p->at];
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

// Each line of a statement, indented by two.
static void add_statement(struct text *text, const char *statement) {
    for (; *statement != '\0';
         statement += strcspn(statement, "\n"), statement += *statement == '\n')
        text_add_format(text, "  %.*s\n", (int)strcspn(statement, "\n"), statement);
}

// "run: python3 causal.py"; what would be too wide for a screen has a line of its own.
static void add_behind(struct text *text, const char *before, const char *code) {
    const bool is_wide = text_width(before) + text_width(code) >= WIDTH;
    text_add_format(text, "%s%s%s\n", before, is_wide ? "\n  " : " ", code);
}

static void add_solved(struct text *text, const char *before, const struct solution *solution) {
    add_behind(text, before,
               arena_format(text->arena, "%s = %s", solution->step->name,
                            answer_of(text->arena, solution->step)));
}

static void introduce(struct practice *p, struct arena *m, const struct solution *solution) {
    const struct script *script = current_script(p);
    struct text text = text_new(m);
    text_add(&text, "\n");
    add_wrapped(&text, "",
                arena_format(m, "%d of %d, %s: %s", script->number, p->count, script->lesson->name,
                             solution->step->paragraph->title));
    add_wrapped(&text, "  ", solution->step->formula);
    add_statement(&text, script_statement(m, solution));
    const char *path = text_safe(m, path_of(m, p, script->name, ".py"));
    add_behind(&text, "Fill it in, and run:", arena_format(m, "python3 %s", path));
    add_behind(&text, "See its step:",
               arena_format(m, "onestep walk %s --step '%s'", script->lesson->name,
                            step_label(m, solution->step)));
    text_add(&text, "Keys, each followed by Enter: h hint, s solution, n next, b back, q leave\n");
    say(p, &text);
}

static void tell_hint(struct practice *p, struct arena *m) {
    struct text text = text_new(m);
    if (p->hints < HINTS)
        add_wrapped(&text, "",
                    arena_format(m, "hint %d of %d: %s", p->hints + 1, HINTS,
                                 current_script(p)->exercise->hints[p->hints]));
    else
        text_add(&text, "There are no more hints; s shows the solution.\n");
    p->hints++;
    say(p, &text);
}

static void tell_solution(struct practice *p, struct arena *m, const struct solution *solution) {
    struct text text = text_new(m);
    add_solved(&text, "solution:", solution);
    say(p, &text);
}

static void praise(struct practice *p, struct arena *m, const struct solution *solution) {
    struct text text = text_new(m);
    text_add_format(&text, "right: %s\n", current_script(p)->exercise->step);
    add_wrapped(&text, "  ", solution->step->paragraph->explanation);
    add_solved(&text, "  In the lesson:", solution);
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
        const char *path = path_of(m, p, p->scripts[i].name, ".py");
        if (access(path, F_OK) != 0) {
            const char *script = script_text(m, &p->scripts[i], p->count);
            write_file(path, REGULAR_FILE, script, strlen(script), failure);
        }
        scratch_close(&scratch);
    }
}

static void keep_place(const struct practice *p) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, p->arena->failure);
    const char *at = arena_format(m, "%s\n", current_script(p)->name);
    write_file(path_of(m, p, "place", ".txt"), REGULAR_FILE, at, strlen(at), m->failure);
    scratch_close(&scratch);
}

// The script that a line names, up to its end; -1 if it names none.
static int script_named(const struct practice *p, const char *line) {
    const size_t length = strcspn(line, "\r\n");
    for (int i = 0; i < p->count; i++) {
        const char *name = p->scripts[i].name;
        if (strlen(name) == length && strncmp(line, name, length) == 0) return i;
    }
    return -1;
}

// What place.txt says; "" if there is none. Fails with FAIL_USAGE if it is somebody else's.
static const char *kept_place(const struct practice *p) {
    const char *path = path_of(p->arena, p, "place", ".txt");
    size_t length;
    if (access(path, F_OK) != 0) return "";
    const char *kept = read_file(p->arena, path, REGULAR_FILE, MOST_PLACE_BYTES, &length);
    if (length > 0 && script_named(p, kept) < 0)
        fail(p->arena->failure, FAIL_USAGE,
             "%s is not of onestep practice, which would overwrite it: choose another folder with "
             "-o",
             text_safe(p->arena, path));
    return kept;
}

// The first script of the lesson; without one, that of place.txt, or the very first.
static int place_to_begin(const struct practice *p, const struct lesson *lesson, const char *kept) {
    for (int i = 0; lesson != NULL && i < p->count; i++) {
        if (p->scripts[i].lesson == lesson) return i;
    }
    const int position = script_named(p, kept);
    return position < 0 ? 0 : position;
}

// ---- Looking at what the script wrote ------------------------------------------------------------

struct checking {
    struct arena *arena;
    const struct solution *solution;
    const char *path;
    struct text said;
    bool is_right;
};

// What a script that crashed wrote instead of numbers; NULL if it did not.
static const char *crash_in(struct arena *arena, const char *path) {
    size_t length;
    const char *bytes = read_file(arena, path, REGULAR_FILE, MOST_CRASH_BYTES, &length);
    const size_t start = strlen(SCRIPT_CRASH);
    if (length < start || strncmp(bytes, SCRIPT_CRASH, start) != 0) return NULL;
    const char *line = arena_copy_bytes(arena, bytes + start, length - start);
    return arena_copy_bytes(arena, line, strcspn(line, "\n"));
}

static void check_output(void *context) {
    struct checking *checking = context;
    const char *crash = crash_in(checking->arena, checking->path);
    if (crash != NULL) {
        const char *last = text_safe(checking->arena, crash);
        add_wrapped(&checking->said, "",
                    arena_format(checking->arena, "your script ended with %s", last));
        return;
    }
    const struct checked checked =
        check_script(checking->arena, checking->solution, checking->path);
    checking->is_right = checked.verdict == VERDICT_EQUAL;
    if (checking->is_right) return;
    struct text answer = text_new(checking->arena);
    add_check_plain(&answer, &checked);
    add_paragraphs(&checking->said, answer.bytes);
}

// Says what is wrong, if anything is. A file that can't be read may be better the next time.
static bool is_right_now(struct practice *p, const struct solution *solution, const char *path) {
    struct failure *failure = p->arena->failure;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    struct checking checking = {
        .arena = m, .solution = solution, .path = path, .said = text_new(m)};
    const bool is_read = attempt(failure, check_output, &checking);
    if (!is_read) text_add_format(&checking.said, "%s\n", failure->message);
    if (!is_read || !checking.is_right) say(p, &checking.said);
    scratch_close(&scratch);
    return is_read && checking.is_right;
}

// ---- Keys ---------------------------------------------------------------------------------------

static void go(struct practice *p, int by) {
    if (p->at + by >= 0) p->at += by;
    p->is_back = by < 0;
}

static void take_key(struct practice *p, struct arena *m, const struct solution *solution,
                     char key) {
    switch (key) {
    case 'h':
        tell_hint(p, m);
        break;
    case 's':
        tell_solution(p, m, solution);
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
static void wait_for_key(struct practice *p, struct arena *m, const struct solution *solution) {
    enum { A_MOMENT = 100 }; // milliseconds
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (poll(&input, 1, A_MOMENT) <= 0) return;
    if (read(STDIN_FILENO, &key, 1) == 1)
        take_key(p, m, solution, key);
    else
        p->has_keys = false;
}

// ---- One script after the other -----------------------------------------------------------------

// Until it is solved, or left for another.
static void practise_script(struct practice *p) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, p->arena->failure);
    const int position = p->at;
    const char *path = path_of(m, p, current_script(p)->name, ".txt");
    struct file_state seen = {.size = 0};
    struct solution solution;
    solve(&solution, m, current_script(p));
    p->hints = 0;
    keep_place(p);
    introduce(p, m, &solution);
    if (p->is_back) (void)has_changed(path, &seen);
    while (p->at == position && !p->is_left) {
        if (has_changed(path, &seen) && access(path, F_OK) == 0 &&
            is_right_now(p, &solution, path)) {
            praise(p, m, &solution);
            go(p, +1);
        } else if (p->has_keys) {
            wait_for_key(p, m, &solution);
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
    p.count = scripts_of(p.arena, &p.scripts);
    const char *kept = kept_place(&p);
    write_scripts(&p);
    p.at = place_to_begin(&p, command->lesson, kept);
    while (p.at < p.count && !p.is_left) practise_script(&p);
    struct text text = text_new(p.arena);
    if (p.at == p.count)
        text_add_format(&text, "\nThat was the last of %d exercises.\n", p.count);
    else
        text_add(&text, "Your place is saved.\n");
    say(&p, &text);
    scratch_close(&scratch);
}
