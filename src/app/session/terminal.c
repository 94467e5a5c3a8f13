#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // wcwidth; the flags of curses may have said so already
#endif
#include "app/session/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "app/command/command.h"
#include "app/command/recording.h"
#include "show/heat.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef columns // term.h names capabilities with everyday words
#undef lines

// ---- Giving the terminal back from a signal handler ---------------------------------------------

// The only variable of the program that outlives its functions: a signal handler gets no argument, so
// what it needs to restore the terminal must lie here.
static struct {
    struct termios before;
    char bytes[512]; // what ends full-screen mode, shows the cursor, ...
    size_t length;
    int wake[2]; // a pipe: a byte in it wakes terminal_read
    volatile sig_atomic_t was_resized, was_stopped, was_continued;
    char stack[1 << 16]; // the handler's own: the program's may be what is full
    // Of work that can be stopped.
    volatile bool is_stopped;
    volatile sig_atomic_t has_notice; // it stands in the last row
    char notice[256];                 // what puts it there, and the cursor back
    size_t notice_length;
    struct termios working;
    struct sigaction others[3]; // handlers outside of such work
    int depth;                  // work that has begun and not ended, one in another
} rescue;

static void restore_at_once(void) {
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
    const ssize_t written = write(STDOUT_FILENO, rescue.bytes, rescue.length);
    (void)written;
}

static void restore_and_die(int number) {
    restore_at_once();
    raise(number); // its own action is the default again (SA_RESETHAND), it comes when we return
}

static void note_signal(int number) {
    const int error = errno;
    if (number == SIGWINCH) rescue.was_resized = 1;
    if (number == SIGTSTP) rescue.was_stopped = 1;
    if (number == SIGCONT) rescue.was_continued = 1;
    const ssize_t written = write(rescue.wake[1], "", 1);
    (void)written; // a full pipe wakes as well
    errno = error;
}

static int collect(int character) {
    if (rescue.length < sizeof rescue.bytes) rescue.bytes[rescue.length++] = (char)character;
    return character;
}

// A capability of the current terminal; NULL if it has none of that name.
static const char *string_of(const char *name) {
    const char *string = tigetstr(name);
    return string != (char *)-1 ? string : NULL;
}

static void collect_capability(const char *name) {
    const char *string = string_of(name);
    if (string != NULL) tputs(string, 1, collect);
}

// What the terminal has to be sent to be as before.
static void collect_restoring_bytes(void) {
    static const char modes_off[] = "\033[?1006;1000l\033[?2004l"; // the mouse, pasted text
    rescue.length = 0;
    if (string_of("kmous") != NULL) {
        for (const char *byte = modes_off; *byte != '\0'; byte++) collect(*byte);
    }
    collect_capability("sgr0");
    collect_capability("op");
    collect_capability("rmkx");
    collect_capability("cnorm");
    collect_capability("rmcup");
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void (*handler_of(int number))(int) {
    struct sigaction action;
    sigaction(number, NULL, &action);
    return action.sa_handler;
}

// All that end a program by default and can be caught.
static const int deadly[] = {
    SIGTERM,   SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGPIPE, SIGALRM,   SIGUSR1, SIGUSR2, SIGXCPU,
    SIGSEGV,   SIGBUS, SIGFPE, SIGILL,  SIGTRAP, SIGSYS,  SIGVTALRM, SIGPROF, SIGIO,
#ifdef SIGPWR
    SIGPWR,
#endif
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};
static const int noted[] = {SIGWINCH, SIGTSTP, SIGCONT};

// A signal that the parent told us to ignore (nohup) stays ignored; one that someone else handles (a sanitizer) stays
// theirs.
static void handle_deadly_signal(int number) {
    if (handler_of(number) == SIG_DFL) handle(number, restore_and_die, (int)SA_RESETHAND);
}

// Before curses starts, which would catch some of them itself and exit. A stack that a sanitizer gave stays.
static void handle_deadly_signals(void) {
    stack_t before;
    if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
        sigaltstack(&(stack_t){.ss_sp = rescue.stack, .ss_size = sizeof rescue.stack}, NULL);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) handle_deadly_signal(deadly[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) handle_deadly_signal(number);
    when_recording_is_lost(restore_at_once);
}

// Before curses starts as well: where it finds a handler, it leaves this signal alone. Its own way is to
// ignore it while it draws, and a Ctrl-Z that comes just then would be lost.
static void handle_stopping(void) {
    if (handler_of(SIGTSTP) != SIG_IGN) handle(SIGTSTP, note_signal, SA_RESTART);
}

static void reset_signal(int number, void (*ours)(int)) {
    if (handler_of(number) == ours) signal(number, SIG_DFL);
}

static void reset_signals(void) {
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        reset_signal(deadly[i], restore_and_die);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) reset_signal(number, restore_and_die);
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) reset_signal(noted[i], note_signal);
}

// ---- Work that can be stopped --------------------------------------------------------------------

// Asked a second time, what does not listen is ended with the program.
static void stop_work(int number) {
    if (rescue.is_stopped) {
        signal(number, SIG_DFL);
        restore_and_die(number);
    }
    rescue.is_stopped = true;
}

// Work that takes longer says so, and from now on Esc is a signal, as Ctrl-\ is.
static void let_escape_stop(int number) {
    (void)number;
    struct termios working = rescue.working;
    working.c_cc[VQUIT] = 0x1b;
    tcsetattr(STDIN_FILENO, TCSANOW, &working);
    const ssize_t written = write(STDOUT_FILENO, rescue.notice, rescue.notice_length);
    (void)written;
    rescue.has_notice = 1;
}

static const struct {
    int number;
    void (*handler)(int);
} stoppers[] = {{SIGINT, stop_work}, {SIGQUIT, stop_work}, {SIGALRM, let_escape_stop}};

static int collect_notice(int character) {
    if (rescue.notice_length < sizeof rescue.notice)
        rescue.notice[rescue.notice_length++] = (char)character;
    return character;
}

const volatile bool *terminal_begin_work(void) {
    if (rescue.depth++ > 0) return &rescue.is_stopped;
    rescue.is_stopped = false;
    rescue.has_notice = 0;
    rescue.notice_length = 0;
    int row, column;
    getyx(stdscr, row, column);
    tputs(tiparm(string_of("cup"), LINES - 1, 0), 1, collect_notice);
    for (const char *at = " Running. Esc or Ctrl-C stops it. "; *at != '\0'; at++)
        collect_notice(*at);
    tputs(tiparm(string_of("cup"), row, column), 1, collect_notice);
    tcgetattr(STDIN_FILENO, &rescue.working);
    for (int i = 0; i < 3; i++) {
        sigaction(stoppers[i].number, NULL, &rescue.others[i]);
        handle(stoppers[i].number, stoppers[i].handler, SA_RESTART);
    }
    alarm(1);
    return &rescue.is_stopped;
}

void terminal_end_work(void) {
    if (--rescue.depth > 0) return;
    alarm(0);
    for (int i = 0; i < 3; i++) sigaction(stoppers[i].number, &rescue.others[i], NULL);
    if (!rescue.has_notice) return;
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.working);
    redrawwin(stdscr);
}

// ---- All colours --------------------------------------------------------------------------------

// No description of the usual names (xterm-256color) knows of more than 256 colours, and those that do
// (xterm-direct) are rarely installed. So curses is given the terminal's own description with another way to set
// a colour. It redefines no colour of the user's, and writes all sequences itself, as ever.

enum { ALL_COLORS = 1 << 24 };

static int count_names(const char *const *names) {
    int count = 0;
    while (names[count] != NULL) count++;
    return count;
}

static int colored_number(const char *name) {
    if (strcmp(name, "colors") == 0) return ALL_COLORS;
    if (strcmp(name, "pairs") == 0) return 1 << 16;
    return tigetnum(name);
}

// SGR 38 and 48 with the three bytes of a colour. What redefines colours and what resets that is left out.
static const char *colored_string(const char *name) {
#define RGB_BYTES "%p1%{65536}%/%d;%p1%{256}%/%{256}%m%d;%p1%{256}%m%dm"
    static const char *const changes[][2] = {
        {"setaf", "\033[38;2;" RGB_BYTES},
        {"setab", "\033[48;2;" RGB_BYTES},
        {"setf", NULL},
        {"setb", NULL},
        {"initc", NULL},
        {"oc", NULL},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(name, changes[i][0]) == 0) return changes[i][1];
    }
    return string_of(name);
}

// The description of the current terminal with all colours; NULL if it has less than 256.
static const char *describe_with_all_colors(struct arena *arena) {
    if (tigetnum("colors") < 256 || string_of("setaf") == NULL) return NULL;
    const int flags = count_names(boolnames), numbers = count_names(numnames),
              strings = count_names(strnames);
    struct description description = {
        .name = getenv("TERM"),
        .flag_count = flags,
        .number_count = numbers,
        .string_count = strings,
        .flags = arena_array(arena, (size_t)flags, sizeof *description.flags),
        .numbers = arena_array(arena, (size_t)numbers, sizeof *description.numbers),
        .strings = arena_array(arena, (size_t)strings, sizeof *description.strings),
        .has_rgb = true,
        .mouse = string_of("XM"),
    };
    for (int i = 0; i < flags; i++)
        description.flags[i] = tigetflag(boolnames[i]) > 0 && strcmp(boolnames[i], "ccc") != 0;
    for (int i = 0; i < numbers; i++) description.numbers[i] = colored_number(numnames[i]);
    for (int i = 0; i < strings; i++) description.strings[i] = colored_string(strnames[i]);
    return description_text(arena, &description);
}

// newterm with a description in place of the system's; NULL is the system's.
static SCREEN *open_screen(struct arena *arena, const char *description) {
    if (description == NULL) return newterm(NULL, stdout, stdin);
    const char *folder = getenv("TERMINFO");
    const char *before = folder != NULL ? arena_copy(arena, folder) : NULL;
    setenv("TERMINFO", description, 1);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (before != NULL)
        setenv("TERMINFO", before, 1);
    else
        unsetenv("TERMINFO");
    return screen != NULL ? screen : newterm(NULL, stdout, stdin);
}

// ---- Colours ------------------------------------------------------------------------------------

static int pair_of(struct style style) {
    return style.ramp == RAMP_NONE ? 0 : 1 + ((int)style.ramp - 1) * DIVERGING_LEVELS + style.level;
}
enum { PAIRS = 1 + (RAMP_COUNT - 1) * DIVERGING_LEVELS };

// Since ncurses 6.1 a colour may be more than a short.
#if defined NCURSES_EXT_COLORS && NCURSES_EXT_COLORS >= 20180127
static bool has_rgb(void) {
    return tigetflag("RGB") > 0 && COLORS == ALL_COLORS;
}

static void init_rgb_pair(int pair, const struct heat_pair *heat) {
    init_extended_pair(pair, rgb_number(heat->ink.rgb), rgb_number(heat->paper.rgb));
}
#else
static bool has_rgb(void) {
    return false;
}

static void init_rgb_pair(int pair, const struct heat_pair *heat) {
    (void)pair;
    (void)heat;
}
#endif

static void start_heat(struct terminal *terminal) {
    if (!has_colors() || start_color() == ERR) return;
    use_default_colors();
    if (COLORS < 256 || COLOR_PAIRS < PAIRS) return;
    terminal->look.has_heat = true;
    terminal->look.has_rgb = has_rgb();
    for (enum ramp ramp = RAMP_NONE + 1; ramp < RAMP_COUNT; ramp++) {
        for (int level = 0; level < heat_levels(ramp); level++) {
            const int pair = pair_of((struct style){.ramp = ramp, .level = level});
            const struct heat_pair heat = heat_pair(ramp, level);
            if (terminal->look.has_rgb)
                init_rgb_pair(pair, &heat);
            else
                init_pair((short)pair, heat.ink.nearest, heat.paper.nearest);
        }
    }
}

// ---- Taking and giving back ---------------------------------------------------------------------

static const char instead[] = "'onestep print' shows lessons without one";

// Fails if we can't draw on it. Asks the database of terminals, writes nothing. Returns how curses is to see it
// (open_screen).
static const char *check_terminal(struct arena *arena, bool wants_color) {
    struct failure *failure = arena->failure;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        fail(failure, FAIL_INPUT, "the walker needs a terminal, and standard %s is not one; %s",
             isatty(STDOUT_FILENO) ? "input" : "output", instead);
    const char *name = getenv("TERM");
    if (name == NULL || *name == '\0')
        fail(failure, FAIL_INPUT,
             "TERM is not set, so it is unknown how to draw on this terminal; %s", instead);
    int error;
    if (setupterm(NULL, STDOUT_FILENO, &error) == ERR)
        fail(failure, FAIL_INPUT, "TERM names a terminal that is unknown here; %s", instead);
    const bool can_draw = string_of("cup") != NULL && string_of("clear") != NULL;
    const bool wants_all = wants_color && wants_all_colors();
    const char *description = wants_all ? describe_with_all_colors(arena) : NULL;
    collect_restoring_bytes();
    del_curterm(cur_term);
    if (!can_draw)
        fail(failure, FAIL_INPUT,
             "this terminal (TERM) cannot place text on the screen, which the walker needs; %s",
             instead);
    return description;
}

static void follow_size(struct terminal *terminal) {
    struct winsize size;
    const bool is_known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    if (is_known && (size.ws_row != LINES || size.ws_col != COLS))
        resizeterm(size.ws_row, size.ws_col);
    terminal->rows = LINES;
    terminal->columns = COLS;
}

static bool open_wake_pipe(void) {
    if (pipe(rescue.wake) != 0) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(rescue.wake[i], F_SETFL, O_NONBLOCK);
        fcntl(rescue.wake[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

enum { ESCAPE = 0x1b };

// Keys that curses has no name for.
enum { KEY_WORD_LEFT = 0700, KEY_WORD_RIGHT, KEY_WORD_BACK, KEY_WORD_AHEAD, KEY_PASTE, KEY_PASTED };

// Most terminals do not describe these.
static void define_nameless_keys(void) {
    static const struct {
        const char *bytes;
        int code;
    } keys[] = {
        {"\033[1;5D", KEY_WORD_LEFT},  {"\033[1;3D", KEY_WORD_LEFT}, {"\033[5D", KEY_WORD_LEFT},
        {"\033Od", KEY_WORD_LEFT},     {"\033b", KEY_WORD_LEFT},     {"\033[1;5C", KEY_WORD_RIGHT},
        {"\033[1;3C", KEY_WORD_RIGHT}, {"\033[5C", KEY_WORD_RIGHT},  {"\033Oc", KEY_WORD_RIGHT},
        {"\033f", KEY_WORD_RIGHT},     {"\033\177", KEY_WORD_BACK},  {"\033\010", KEY_WORD_BACK},
        {"\033d", KEY_WORD_AHEAD},     {"\033[200~", KEY_PASTE},     {"\033[201~", KEY_PASTED},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) define_key(keys[i].bytes, keys[i].code);
}

// These keys come in several dialects, and some terminals speak one that their description denies.
static void define_keys(void) {
    static const struct {
        const char *bytes;
        int code;
    } keys[] = {
        {"\033[A", KEY_UP},     {"\033[B", KEY_DOWN},   {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT},
        {"\033[H", KEY_HOME},   {"\033[F", KEY_END},    {"\033OA", KEY_UP},    {"\033OB", KEY_DOWN},
        {"\033OC", KEY_RIGHT},  {"\033OD", KEY_LEFT},   {"\033OH", KEY_HOME},  {"\033OF", KEY_END},
        {"\033[1~", KEY_HOME},  {"\033[4~", KEY_END},   {"\033[7~", KEY_HOME}, {"\033[8~", KEY_END},
        {"\033[5~", KEY_PPAGE}, {"\033[6~", KEY_NPAGE}, {"\033[3~", KEY_DC},   {"\033[Z", KEY_BTAB},
        {"\033[2~", KEY_IC},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (key_defined(keys[i].bytes) == 0) define_key(keys[i].bytes, keys[i].code);
    }
}

static void set_input_modes(void) {
    cbreak(); // not raw(): Ctrl-C, Ctrl-Z and Ctrl-\ do what they do everywhere
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    leaveok(stdscr, FALSE);
    set_escdelay(25); // milliseconds until Esc is a key of its own
    define_keys();
    define_nameless_keys();
}

void terminal_open(struct terminal *terminal, bool wants_color, struct failure *failure) {
    *terminal = (struct terminal){.marks_frames = getenv("ONESTEP_FRAME_TITLE") != NULL};
    setlocale(LC_CTYPE, "");
    terminal->look.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    const char *description = check_terminal(m, wants_color);
    tcgetattr(STDIN_FILENO, &rescue.before);
    handle_deadly_signals();
    const bool has_pipe = open_wake_pipe();
    if (has_pipe) handle_stopping();
    if (!has_pipe || open_screen(m, description) == NULL) {
        reset_signals();
        tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
        fail(failure, FAIL_INPUT, "this terminal cannot be drawn on; %s", instead);
    }
    terminal->is_taken = true;
    // After curses has started, in place of its own handlers, which draw from inside a signal.
    handle(SIGWINCH, note_signal, SA_RESTART);
    handle(SIGCONT, note_signal, SA_RESTART);
    if (wants_color) start_heat(terminal);
    set_input_modes();
    follow_size(terminal);
    scratch_close(&scratch);
}

void terminal_close(struct terminal *terminal) {
    if (!terminal->is_taken) return;
    terminal_set_mouse(terminal, false);
    terminal_set_paste(terminal, false);
    endwin();
    tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
    reset_signals();
    close(rescue.wake[0]);
    close(rescue.wake[1]);
    delscreen(set_term(NULL));
    free(terminal->shown.glyphs);
}

// ---- Drawing ------------------------------------------------------------------------------------

static attr_t attributes_of(struct style style) {
    attr_t attributes = A_NORMAL;
    if (style.bold) attributes |= A_BOLD;
    if (style.dim) attributes |= A_DIM;
    if (style.reverse) attributes |= A_REVERSE;
    if (style.underline) attributes |= A_UNDERLINE;
    return attributes;
}

// The C library's opinion, asked only where there can be two: it takes its time to answer.
static int width_of(wchar_t character) {
    return character >= ' ' && character <= '~' ? 1 : wcwidth(character);
}

// Fills in what the terminal shows for a glyph; returns how many of `cells` it took. Where the C
// library disagrees about a character's width, blanks keep the columns in line.
static int write_glyph(const struct glyph *glyph, int columns, cchar_t *cells) {
    const attr_t attributes = attributes_of(glyph->style);
    const short pair = (short)pair_of(glyph->style);
    wchar_t text[GLYPH_MARKS + 2] = {(wchar_t)glyph->character};
    if (width_of(text[0]) == columns) {
        for (int i = 0, length = 1; i < GLYPH_MARKS && glyph->marks[i] != 0; i++) {
            const wchar_t mark = (wchar_t)glyph->marks[i];
            if (wcwidth(mark) == 0) text[length++] = mark;
        }
        setcchar(&cells[0], text, attributes, pair, NULL);
        return 1;
    }
    for (int i = 0; i < columns; i++)
        setcchar(&cells[i], i == 0 ? L"_" : L" ", attributes, pair, NULL);
    return columns;
}

static void show_row(const struct canvas *canvas, int row) {
    cchar_t cells[canvas->columns];
    int count = 0;
    for (int column = 0; column < canvas->columns; column++) {
        const struct glyph *glyph = glyph_at(canvas, row, column);
        if (glyph->character == 0) continue;
        const struct glyph *next = glyph_at(canvas, row, column + 1);
        count += write_glyph(glyph, next != NULL && next->character == 0 ? 2 : 1, &cells[count]);
    }
    mvadd_wchnstr(row, 0, cells, count);
}

// Is a row as it was in the last canvas? Curses would find that out too, but only after every cell of it
// was converted, which is most of what a frame takes.
static bool is_shown(const struct terminal *terminal, const struct canvas *canvas, int row) {
    const struct canvas *shown = &terminal->shown;
    if (shown->rows != canvas->rows || shown->columns != canvas->columns) return false;
    return memcmp(glyph_at(shown, row, 0), glyph_at(canvas, row, 0),
                  (size_t)canvas->columns * sizeof *canvas->glyphs) == 0;
}

// Without memory for it, the next canvas is drawn as the first one is.
static void remember(struct terminal *terminal, const struct canvas *canvas) {
    const size_t bytes = (size_t)canvas->rows * (size_t)canvas->columns * sizeof *canvas->glyphs;
    struct glyph *glyphs = realloc(terminal->shown.glyphs, bytes);
    if (glyphs == NULL) {
        free(terminal->shown.glyphs);
        terminal->shown = (struct canvas){0};
        return;
    }
    memcpy(glyphs, canvas->glyphs, bytes);
    terminal->shown =
        (struct canvas){.rows = canvas->rows, .columns = canvas->columns, .glyphs = glyphs};
}

void terminal_show(struct terminal *terminal, const struct canvas *canvas) {
    for (int row = 0; row < canvas->rows; row++) {
        if (!is_shown(terminal, canvas, row)) show_row(canvas, row);
    }
    remember(terminal, canvas);
    move(canvas->cursor_row, canvas->cursor_column);
    refresh();
    if (!terminal->marks_frames) return;
    char title[64];
    const int length =
        snprintf(title, sizeof title, "\033]2;onestep frame %lu\007", ++terminal->frames);
    const ssize_t written = write(STDOUT_FILENO, title, (size_t)length);
    (void)written;
}

void terminal_set_mouse(struct terminal *terminal, bool is_on) {
    if (terminal->has_mouse == is_on) return;
    terminal->has_mouse = is_on;
    mouseinterval(0);
    mousemask(is_on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

static void send_paste_mode(bool is_on) {
    const char *mode = is_on ? "\033[?2004h" : "\033[?2004l";
    const ssize_t written = write(STDOUT_FILENO, mode, strlen(mode));
    (void)written;
}

// Terminals that know of a mouse know of this, or leave it.
void terminal_set_paste(struct terminal *terminal, bool is_on) {
    if (terminal->takes_paste == is_on) return;
    terminal->takes_paste = is_on;
    terminal->is_pasting = false;
    if (string_of("kmous") != NULL) send_paste_mode(is_on);
}

// ---- Reading ------------------------------------------------------------------------------------

static struct press press_of_mouse(void) {
    MEVENT event;
    if (getmouse(&event) != OK) return (struct press){KEY_NOTHING, 0, 0};
    struct press press = {KEY_NOTHING, event.y, event.x};
    if (event.bstate & BUTTON1_PRESSED) press.key = PRESS_CLICK;
    if (event.bstate & BUTTON4_PRESSED) press.key = PRESS_WHEEL_UP;
    if (event.bstate & BUTTON5_PRESSED) press.key = PRESS_WHEEL_DOWN;
    return press;
}

static const struct {
    int code;
    uint32_t key;
} special_keys[] = {
    {KEY_UP, PRESS_UP},
    {KEY_DOWN, PRESS_DOWN},
    {KEY_LEFT, PRESS_LEFT},
    {KEY_RIGHT, PRESS_RIGHT},
    {KEY_HOME, PRESS_HOME},
    {KEY_END, PRESS_END},
    {KEY_PPAGE, PRESS_PAGE_UP},
    {KEY_NPAGE, PRESS_PAGE_DOWN},
    {KEY_ENTER, PRESS_ENTER},
    {KEY_BACKSPACE, PRESS_BACKSPACE},
    {KEY_BTAB, PRESS_BACK_TAB},
    {KEY_DC, PRESS_DELETE},
    {KEY_WORD_LEFT, PRESS_WORD_LEFT},
    {KEY_WORD_RIGHT, PRESS_WORD_RIGHT},
    {KEY_WORD_BACK, PRESS_DELETE_WORD},
    {KEY_WORD_AHEAD, PRESS_DELETE_AHEAD},
};

static struct press press_of_code(struct terminal *terminal, int code) {
    if (code == KEY_PASTE || code == KEY_PASTED) terminal->is_pasting = code == KEY_PASTE;
    if (terminal->is_pasting) return (struct press){KEY_NOTHING, 0, 0};
    if (code == KEY_MOUSE) return press_of_mouse();
    for (size_t i = 0; i < sizeof special_keys / sizeof *special_keys; i++) {
        if (special_keys[i].code == code) return (struct press){special_keys[i].key, 0, 0};
    }
    return (struct press){KEY_NOTHING, 0, 0};
}

static struct press press_of_character(wint_t character) {
    uint32_t key = (uint32_t)character;
    if (key == '\r' || key == '\n') key = PRESS_ENTER;
    if (key == '\t') key = PRESS_TAB;
    if (key == ESCAPE) key = PRESS_ESCAPE;
    if (key == 0x7f || key == 0x08) key = PRESS_BACKSPACE;
    return (struct press){key, 0, 0};
}

// Stops as Ctrl-Z asks, with the terminal given back, and takes it again when continued.
static void stop(const struct terminal *terminal) {
    const bool has_paste_mode = terminal->takes_paste && string_of("kmous") != NULL;
    if (has_paste_mode) send_paste_mode(false);
    endwin();
    signal(SIGTSTP, SIG_DFL);
    sigset_t stopping;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stopping, NULL);
    raise(SIGTSTP);
    handle(SIGTSTP, note_signal, SA_RESTART);
    if (has_paste_mode) send_paste_mode(true);
    rescue.was_continued = 1;
}

// Handles what signals noted. Returns true if the screen is to be drawn again.
static bool settle_signals(struct terminal *terminal) {
    bool draws_again = false;
    char byte;
    while (read(rescue.wake[0], &byte, 1) > 0) continue;
    if (rescue.was_stopped) {
        rescue.was_stopped = 0;
        stop(terminal);
    }
    if (rescue.was_continued) {
        rescue.was_continued = 0;
        reset_prog_mode();
        clearok(curscr, TRUE);
        rescue.was_resized = draws_again = true;
    }
    if (rescue.was_resized) {
        rescue.was_resized = 0;
        follow_size(terminal);
        draws_again = true;
    }
    return draws_again;
}

bool terminal_has_input(void) {
    int waiting = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

// Sleeps until there is input or a signal. Notes if the terminal is gone.
static void wait_for_input(struct terminal *terminal) {
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = rescue.wake[0], .events = POLLIN}};
    if (poll(files, 2, -1) < 0) return;
    if (files[0].revents == 0) return;
    if (!terminal_has_input()) terminal->is_gone = true;
}

// The next character of what curses knows no key for; ERR if none comes in time.
static int next_of_sequence(wint_t *character) {
    struct pollfd file = {.fd = STDIN_FILENO, .events = POLLIN};
    const int kind = get_wch(character);
    if (kind != ERR || poll(&file, 1, ESCDELAY) <= 0) return kind;
    return get_wch(character);
}

// Behind ESC: the rest of a sequence that means nothing here (ECMA-48: CSI and SS3; else Alt and a character). Returns false
// if nothing follows, or another ESC does: then it was the key.
static bool swallow_sequence(void) {
    wint_t character;
    const int kind = get_wch(&character);
    if (kind != OK) return kind == KEY_CODE_YES;
    if (character == ESCAPE) {
        unget_wch((wchar_t)character);
        return false;
    }
    if (character == 'O') next_of_sequence(&character);
    if (character != '[') return true;
    while (next_of_sequence(&character) == OK && character < '@') continue;
    return true;
}

// Of pasted text: what it is as text; KEY_NOTHING for what it is not.
static struct press press_of_pasted(wint_t character) {
    uint32_t key = (uint32_t)character;
    if (key == '\r') key = '\n';
    if ((key < ' ' && key != '\n' && key != '\t') || key == 0x7f) key = KEY_NOTHING;
    return (struct press){key, 0, 0};
}

// `is_amid`: there was more before it, which came at once.
static struct press press_of_character_in(struct terminal *terminal, wint_t character,
                                          bool is_amid) {
    const bool is_text = character == '\r' || character == '\n' || character == '\t';
    const bool is_pasted = terminal->is_pasting ||
                           (terminal->takes_paste && is_amid && is_text && terminal_has_input());
    if (character == ESCAPE && swallow_sequence()) return (struct press){KEY_NOTHING, 0, 0};
    return is_pasted ? press_of_pasted(character) : press_of_character(character);
}

struct press terminal_read(struct terminal *terminal, bool waits) {
    for (bool is_amid = !waits;; is_amid = false) {
        if (settle_signals(terminal)) return (struct press){KEY_NOTHING, 0, 0};
        wint_t character;
        const int kind = get_wch(&character);
        struct press press = {KEY_NOTHING, 0, 0};
        if (kind == KEY_CODE_YES) press = press_of_code(terminal, (int)character);
        if (kind == OK) press = press_of_character_in(terminal, character, is_amid);
        if (press.key != KEY_NOTHING) return press;
        if (kind == ERR && waits) wait_for_input(terminal);
        if (terminal->is_gone || (kind == ERR && !waits)) return press;
    }
}
