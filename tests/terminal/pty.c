#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // posix_openpt
#endif
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

// Long enough for a sanitizer on a busy machine: who waits so long has found an error.
static const double patience = 30;
enum { LIFETIME = 600 }; // seconds after which an orphan ends by itself

double seconds_on_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Starting -----------------------------------------------------------------------------------

static void set_environment(const char *const *environment) {
    static const char *const own[] = {
        "TERM=xterm-256color",
        "LC_ALL=C.UTF-8",
        "ONESTEP_FRAME_TITLE=1",
        "ONESTEP_QUESTIONS=off",
        "XDG_STATE_HOME=/dev/null/nowhere",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLORTERM",
        "STY",
        "LINES",
        "COLUMNS",
        "ESCDELAY",
        NULL,
    };
    const char *const *lists[] = {own, environment};
    for (int i = 0; i < 2; i++) {
        for (const char *const *item = lists[i]; item != NULL && *item != NULL; item++) {
            char name[256];
            snprintf(name, sizeof name, "%s", *item);
            char *value = strchr(name, '=');
            if (value != NULL) *value++ = '\0';
            if (value != NULL)
                setenv(name, value, 1);
            else
                unsetenv(name);
        }
    }
}

static void redirect(int from, const char *path, int flags) {
    if (path == NULL) return;
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, from) < 0) _exit(126);
    if (file != from) close(file);
}

static void reset_signals(void) {
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// The program's process, in a process group of its own in the foreground.
static void become_program(const struct pty_options *options, int theirs) {
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(theirs, getpid());
    for (int file = 0; file < 3; file++) dup2(theirs, file);
    redirect(0, options->input, O_RDONLY);
    redirect(1, options->output, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(2, options->error, O_WRONLY | O_CREAT | O_TRUNC);
    for (int file = 3; file < 64; file++) close(file);
    set_environment(options->environment);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (options->stack > 0)
        setrlimit(RLIMIT_STACK, &(struct rlimit){options->stack, options->stack});
    reset_signals();
    if (options->ignores_hangup) signal(SIGHUP, SIG_IGN);
    alarm(LIFETIME);
    enum { MOST = 64 };
    const char *program = getenv("ONESTEP") != NULL ? getenv("ONESTEP") : ONESTEP;
    const char *arguments[MOST + 2] = {program};
    for (int i = 0; options->arguments != NULL && options->arguments[i] != NULL && i < MOST; i++)
        arguments[i + 1] = options->arguments[i];
    execv(program, (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static volatile sig_atomic_t led; // the program's process id, in its leader

static void pass_on(int number) {
    kill((pid_t)led, number);
}

// The leader of the session does what a shell does: it starts the program and hears when that stops,
// goes on or ends, and hangs it up when the terminal is gone. Without it the program would lead its session and could not be stopped.
static void lead(const struct pty_options *options, int theirs, int reports) {
    setsid();
    ioctl(theirs, TIOCSCTTY, 0);
    const pid_t program = fork();
    if (program == 0) become_program(options, theirs);
    led = program;
    signal(SIGHUP, pass_on); // and lives to tell what became of the program
    alarm(LIFETIME);
    ssize_t written = write(reports, &program, sizeof program);
    for (int status;;) {
        if (waitpid(program, &status, WUNTRACED | WCONTINUED) != program) continue; // a signal
        written = write(reports, &status, sizeof status);
        if (WIFEXITED(status) || WIFSIGNALED(status)) break;
    }
    (void)written;
    _exit(0);
}

static int on_property(VTermProp property, VTermValue *value, void *user) {
    struct pty *pty = user;
    if (property == VTERM_PROP_CURSORVISIBLE) pty->shows_cursor = value->boolean;
    if (property == VTERM_PROP_ALTSCREEN) pty->is_alternate = value->boolean;
    return 1;
}

// libvterm keeps the pointer to `pty`, which moves when it is returned: so it is set at every use.
static void listen_to_screen(struct pty *pty) {
    static const VTermScreenCallbacks callbacks = {.settermprop = on_property};
    vterm_screen_set_callbacks(pty->screen, &callbacks, pty);
}

static void make_screen(struct pty *pty, bool uses_bytes) {
    pty->vterm = vterm_new(pty->rows, pty->columns);
    vterm_set_utf8(pty->vterm, !uses_bytes);
    pty->screen = vterm_obtain_screen(pty->vterm);
    vterm_screen_enable_altscreen(pty->screen, 1);
    vterm_screen_reset(pty->screen, 1);
    pty->shows_cursor = true;
}

static void open_both_ends(struct pty *pty, const struct winsize *size) {
    pty->ours = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(pty->ours, 0);
    ck_assert_int_eq(grantpt(pty->ours), 0);
    ck_assert_int_eq(unlockpt(pty->ours), 0);
    pty->theirs = open(ptsname(pty->ours), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(pty->theirs, 0);
    ck_assert_int_eq(ioctl(pty->ours, TIOCSWINSZ, size), 0);
}

struct pty pty_start(const struct pty_options *options) {
    struct pty pty = {
        .rows = options->rows > 0 ? options->rows : 24,
        .columns = options->columns > 0 ? options->columns : 80,
    };
    make_screen(&pty, options->uses_bytes);
    struct winsize size = {.ws_row = (unsigned short)pty.rows,
                           .ws_col = (unsigned short)pty.columns};
    open_both_ends(&pty, &size);
    ck_assert_int_eq(tcgetattr(pty.theirs, &pty.before), 0);
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pty.reports = ends[0];
    fcntl(pty.ours, F_SETFL, O_NONBLOCK);
    pty.sent_at = seconds_on_clock();
    pty.leader = fork();
    ck_assert_int_ge(pty.leader, 0);
    if (pty.leader == 0) {
        for (int file = 3; file < 64; file++) // or another window would stay open here
            if (file != pty.theirs && file != ends[1]) close(file);
        lead(options, pty.theirs, ends[1]);
    }
    close(ends[1]);
    pid_t program = -1;
    ck_assert_int_eq(read(pty.reports, &program, sizeof program), (ssize_t)sizeof program);
    pty.program = program;
    return pty;
}

struct pty pty_open(const struct pty_options *options) {
    struct pty pty = pty_start(options);
    pty_wait_frames(&pty, 1);
    return pty;
}

void pty_close(struct pty *pty) {
    if (pty->program > 0) kill(pty->program, SIGKILL);
    waitpid(pty->leader, NULL, 0);
    if (pty->ours >= 0) close(pty->ours);
    close(pty->theirs);
    close(pty->reports);
    vterm_free(pty->vterm);
    free(pty->written);
}

// ---- Taking in what the program writes ----------------------------------------------------------

static const char frame_marker[] = "\033]2;onestep frame ";
static const char drained_marker[] = "\033]2;drained\007";

static void keep(struct pty *pty, const char *bytes, size_t length) {
    if (pty->bytes + length >= pty->written_room) {
        pty->written_room = 2 * (pty->bytes + length) + 4096;
        pty->written = realloc(pty->written, pty->written_room);
        ck_assert_ptr_nonnull(pty->written);
    }
    memcpy(pty->written + pty->bytes, bytes, length);
    pty->bytes += length;
    pty->written[pty->bytes] = '\0';
}

// Follows the titles that end frames, byte by byte, wherever the reads cut them.
static void look_for_frame(struct pty *pty, char byte) {
    if (pty->marker == NULL) pty->marker = frame_marker;
    if (*pty->marker == '\0') {
        if (byte >= '0' && byte <= '9') {
            pty->number = 10 * pty->number + (unsigned long)(byte - '0');
            return;
        }
        pty->frames = pty->number;
        pty->frame_at = seconds_on_clock();
    }
    if (*pty->marker == '\0' || byte != *pty->marker) {
        pty->marker = frame_marker;
        pty->number = 0;
    }
    if (byte == *pty->marker) pty->marker++;
}

// The mouse is followed here, because older emulators take only the first of several modes in one
// sequence. Looks at what was written from a place on.
static void look_for_mouse(struct pty *pty, size_t from) {
    static const char on[] = "\033[?1006;1000h", off[] = "\033[?1006;1000l";
    const size_t length = sizeof on - 1;
    for (size_t i = from > length ? from - length : 0; i + length <= pty->bytes; i++) {
        if (memcmp(pty->written + i, on, length) == 0) pty->wants_mouse = true;
        if (memcmp(pty->written + i, off, length) == 0) pty->wants_mouse = false;
    }
}

static void take_in(struct pty *pty, const char *bytes, size_t length) {
    listen_to_screen(pty);
    vterm_input_write(pty->vterm, bytes, length);
    for (size_t i = 0; i < length; i++) {
        look_for_frame(pty, bytes[i]);
        pty->high_bytes += (unsigned char)bytes[i] > 127;
    }
    keep(pty, bytes, length);
    look_for_mouse(pty, pty->bytes - length);
    const size_t end = sizeof drained_marker - 1;
    if (pty->bytes < end || memcmp(pty->written + pty->bytes - end, drained_marker, end) != 0)
        return;
    pty->is_drained = true;
    pty->bytes -= end; // we wrote that
    pty->written[pty->bytes] = '\0';
}

// Waits for output, or for a report of the leader. Returns false when the time is over.
static bool wait_for_either(struct pty *pty, double until, bool *has_report) {
    struct pollfd files[] = {{.fd = pty->ours, .events = POLLIN},
                             {.fd = has_report != NULL ? pty->reports : -1, .events = POLLIN}};
    const double left = until - seconds_on_clock();
    if (left <= 0) return false;
    if (poll(files, 2, (int)(left * 1000) + 1) <= 0) return errno == EINTR;
    if (files[0].revents != 0) {
        char bytes[65536];
        const ssize_t length = read(pty->ours, bytes, sizeof bytes);
        if (length > 0) take_in(pty, bytes, (size_t)length);
    }
    if (has_report != NULL) *has_report = files[1].revents != 0;
    return true;
}

static void give_up(const struct pty *pty, const char *what) {
    pty_dump(pty);
    ck_abort_msg("waited for %s in vain (frames: %lu, bytes: %zu)", what, pty->frames, pty->bytes);
}

void pty_wait_frames(struct pty *pty, unsigned long frames) {
    const double until = seconds_on_clock() + patience;
    while (pty->frames < frames) {
        bool has_report = false;
        const bool goes_on = wait_for_either(pty, until, &has_report);
        if (!goes_on) give_up(pty, "a frame");
        if (has_report) give_up(pty, "a frame of a program that has ended");
    }
}

void pty_drain(struct pty *pty) {
    const double until = seconds_on_clock() + patience;
    pty->is_drained = false;
    const size_t length = sizeof drained_marker - 1;
    ck_assert_int_eq(write(pty->theirs, drained_marker, length), (ssize_t)length);
    while (!pty->is_drained) {
        if (!wait_for_either(pty, until, NULL)) give_up(pty, "what was written");
    }
}

int pty_wait_status(struct pty *pty) {
    const double until = seconds_on_clock() + patience;
    bool has_report = false;
    while (!has_report) {
        if (!wait_for_either(pty, until, &has_report)) give_up(pty, "the program to end or stop");
    }
    int status = 0;
    ck_assert_int_eq(read(pty->reports, &status, sizeof status), (ssize_t)sizeof status);
    if (pty->ours >= 0 && !WIFCONTINUED(status)) pty_drain(pty); // else it may be writing itself
    if (WIFEXITED(status) || WIFSIGNALED(status)) pty->program = -1;
    return status;
}

bool pty_is_silent(struct pty *pty, double seconds) {
    const size_t before = pty->bytes;
    const double until = seconds_on_clock() + seconds;
    while (wait_for_either(pty, until, NULL) && pty->bytes == before) continue;
    return pty->bytes == before;
}

void pty_wait_picture(struct pty *pty, const struct picture *expected) {
    const double until = seconds_on_clock() + patience;
    for (;;) {
        struct picture now = pty_picture(pty);
        const bool is_same = same_picture(expected, &now);
        free(now.cells);
        if (is_same) return;
        if (!wait_for_either(pty, until, NULL)) give_up(pty, "the same screen as before");
    }
}

void pty_wait_text(struct pty *pty, const char *text) {
    const double until = seconds_on_clock() + patience;
    while (pty->bytes == 0 || pty->written[pty->bytes - 1] != '\a' || !pty_shows(pty, text)) {
        if (!wait_for_either(pty, until, NULL)) give_up(pty, text);
    }
}

void pty_wait_words(struct pty *pty, const char *text) {
    const double until = seconds_on_clock() + patience;
    while (!pty_shows(pty, text)) {
        if (!wait_for_either(pty, until, NULL)) give_up(pty, text);
    }
}

double pty_processor_time(const struct pty *pty) {
    clockid_t clock;
    struct timespec used = {0};
    ck_assert_int_eq(clock_getcpuclockid(pty->program, &clock), 0);
    ck_assert_int_eq(clock_gettime(clock, &used), 0);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

struct termios pty_settings(const struct pty *pty) {
    struct termios settings;
    ck_assert_int_eq(tcgetattr(pty->theirs, &settings), 0);
    return settings;
}

// ---- The user -----------------------------------------------------------------------------------

static void send_bytes(struct pty *pty, const char *bytes, size_t length) {
    pty->sent_at = seconds_on_clock();
    ck_assert_int_eq(write(pty->ours, bytes, length), (ssize_t)length);
}

void pty_send(struct pty *pty, const char *text) {
    send_bytes(pty, text, strlen(text));
}

void pty_type(struct pty *pty, const char *key) {
    const unsigned long frames = pty->frames;
    pty_send(pty, key);
    pty_wait_frames(pty, frames + 1);
}

static void send_from_emulator(struct pty *pty) {
    char bytes[64];
    const size_t length = vterm_output_read(pty->vterm, bytes, sizeof bytes);
    send_bytes(pty, bytes, length);
}

void pty_press(struct pty *pty, VTermKey key) {
    const unsigned long frames = pty->frames;
    vterm_keyboard_key(pty->vterm, key, VTERM_MOD_NONE);
    send_from_emulator(pty);
    pty_wait_frames(pty, frames + 1);
}

void pty_click(struct pty *pty, int button, int row, int column) {
    if (!pty->wants_mouse) return;
    const unsigned long frames = pty->frames;
    const int code = button < 4 ? button - 1 : 60 + button; // as the mode 1006 has them
    char bytes[64];
    int length = snprintf(bytes, sizeof bytes, "\033[<%d;%d;%dM", code, column + 1, row + 1);
    if (button < 4)
        length += snprintf(bytes + length, sizeof bytes - (size_t)length, "\033[<%d;%d;%dm", code,
                           column + 1, row + 1);
    send_bytes(pty, bytes, (size_t)length);
    pty_wait_frames(pty, frames + 1);
}

void pty_set_size(struct pty *pty, int rows, int columns) {
    listen_to_screen(pty);
    vterm_set_size(pty->vterm, rows, columns);
    pty->rows = rows;
    pty->columns = columns;
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    ck_assert_int_eq(ioctl(pty->ours, TIOCSWINSZ, &size), 0);
}

void pty_resize(struct pty *pty, int rows, int columns) {
    if (rows == pty->rows && columns == pty->columns) return; // nobody would be told
    const unsigned long frames = pty->frames;
    pty_set_size(pty, rows, columns);
    pty_wait_frames(pty, frames + 1);
}

void pty_hang_up(struct pty *pty) {
    close(pty->ours);
    pty->ours = -1; // poll passes over it
}

// ---- The screen ---------------------------------------------------------------------------------

VTermPos pty_cursor(const struct pty *pty) {
    VTermPos cursor;
    vterm_state_get_cursorpos(vterm_obtain_state(pty->vterm), &cursor);
    return cursor;
}

VTermScreenCell pty_cell(const struct pty *pty, int row, int column) {
    VTermScreenCell cell = {0};
    vterm_screen_get_cell(pty->screen, (VTermPos){.row = row, .col = column}, &cell);
    if (cell.chars[0] == 0) cell.chars[0] = ' ';
    return cell;
}

static size_t encode(uint32_t character, char *bytes) {
    if (character < 0x80) return bytes[0] = (char)character, 1;
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    const size_t length = (size_t)more + 1;
    bytes[0] = (char)(lead[more] | character >> 6 * more);
    for (size_t i = 1; more-- > 0; i++) bytes[i] = (char)(0x80 | (character >> 6 * more & 0x3f));
    return length;
}

const char *pty_text(const struct pty *pty, int row, int column) {
    enum { BUFFERS = 8, ROOM = 8192 };
    static char buffers[BUFFERS][ROOM];
    static int next;
    char *text = buffers[next++ % BUFFERS];
    size_t length = 0, end = 0;
    while (column < pty->columns && length < ROOM - 64) {
        const VTermScreenCell cell = pty_cell(pty, row, column);
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++)
            length += encode(cell.chars[i], text + length);
        if (cell.chars[0] != ' ') end = length;
        column += cell.width > 1 ? cell.width : 1;
    }
    text[end] = '\0';
    return text;
}

bool pty_find(const struct pty *pty, const char *text, int *row, int *column) {
    const size_t length = strlen(text);
    for (int i = 0; i < pty->rows; i++) {
        if (strstr(pty_text(pty, i, 0), text) == NULL) continue;
        for (int j = 0; j < pty->columns; j++) {
            if (strncmp(pty_text(pty, i, j), text, length) != 0) continue;
            *row = i;
            *column = j;
            return true;
        }
    }
    return false;
}

bool pty_shows(const struct pty *pty, const char *text) {
    int row, column;
    return pty_find(pty, text, &row, &column);
}

struct picture pty_picture(const struct pty *pty) {
    struct picture picture = {pty->rows, pty->columns, pty_cursor(pty), NULL};
    picture.cells = calloc((size_t)(pty->rows * pty->columns), sizeof *picture.cells);
    ck_assert_ptr_nonnull(picture.cells);
    for (int i = 0; i < pty->rows * pty->columns; i++)
        picture.cells[i] = pty_cell(pty, i / pty->columns, i % pty->columns);
    return picture;
}

static bool same_cell(const VTermScreenCell *a, const VTermScreenCell *b) {
    return memcmp(a->chars, b->chars, sizeof a->chars) == 0 && a->width == b->width &&
           a->attrs.bold == b->attrs.bold && a->attrs.underline == b->attrs.underline &&
           a->attrs.reverse == b->attrs.reverse && vterm_color_is_equal(&a->fg, &b->fg) &&
           vterm_color_is_equal(&a->bg, &b->bg);
}

bool same_picture(const struct picture *a, const struct picture *b) {
    if (a->rows != b->rows || a->columns != b->columns) return false;
    if (a->cursor.row != b->cursor.row || a->cursor.col != b->cursor.col) return false;
    for (int i = 0; i < a->rows * a->columns; i++) {
        if (!same_cell(&a->cells[i], &b->cells[i])) return false;
    }
    return true;
}

void pty_dump(const struct pty *pty) {
    const VTermPos cursor = pty_cursor(pty);
    const VTermScreenCell cell = pty_cell(pty, cursor.row, cursor.col);
    fprintf(stderr, "# %dx%d, %scursor %d, %d on '%s', %sreverse\n", pty->columns, pty->rows,
            pty->shows_cursor ? "" : "hidden ", cursor.row, cursor.col,
            pty_text(pty, cursor.row, cursor.col), cell.attrs.reverse ? "" : "not ");
    for (int row = 0; row < pty->rows; row++) fprintf(stderr, "# |%s\n", pty_text(pty, row, 0));
}
