#ifndef ONESTEP_TESTS_TERMINAL_PTY_H
#define ONESTEP_TESTS_TERMINAL_PTY_H

// A terminal for a test: a program runs on a pseudo-terminal, a terminal emulator shows what it draws,
// and the test plays the user. Nothing here sleeps: the program says when a frame is complete
// (ONESTEP_FRAME_TITLE, see app/session/terminal.h), and every wait is for something that comes, with a
// deadline after which the test fails and prints the screen.

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

// How to start the program.
struct pty_options {
    const char *const *arguments;   // after the program's name; NULL: none
    const char *const *environment; // "NAME=value", or "NAME" to unset it; NULL: nothing of its own
    int rows, columns;              // 0: 24 and 80
    const char *input, *output, *error; // files instead of the terminal
    bool uses_bytes;                    // emulate a terminal that does not know UTF-8
    bool ignores_hangup;                // as started by nohup
    rlim_t stack;                       // bytes that the program has for it; 0: as many as the test
};

// All that is visible: cells, attributes, colours and the cursor. `cells` is to be freed.
struct picture {
    int rows, columns;
    VTermPos cursor;
    VTermScreenCell *cells;
};

struct pty {
    int ours, theirs;             // the two ends of the pseudo-terminal
    int reports, leader, program; // a pipe from the leader of the session; process ids
    VTerm *vterm;
    VTermScreen *screen;
    int rows, columns;
    bool shows_cursor, is_alternate, wants_mouse;
    struct termios before; // as the program found it
    unsigned long frames;  // the program has completed
    size_t bytes;          // it has written
    int high_bytes;        // of them above 127
    char *written;         // all of them, ended by a 0
    size_t written_room;
    const char *marker; // how much of a frame's title has come
    unsigned long number;
    bool is_drained;
    double sent_at, frame_at; // seconds: when input was last sent, when the last frame was complete
};

// Starts onestep (the environment variable ONESTEP, or the one that was built). Unless the options say otherwise it has TERM=xterm-256color, a UTF-8
// locale, no preferences about colour, and remembers nothing from other runs.
struct pty pty_start(const struct pty_options *options);

// pty_start, and waits for the first frame.
struct pty pty_open(const struct pty_options *options);

// Ends what still runs and frees all.
void pty_close(struct pty *pty);

// ---- The user -----------------------------------------------------------------------------------

// Types text, byte for byte, and waits for nothing.
void pty_send(struct pty *pty, const char *text);

// Types text that is one key, and waits for the frame that it brings.
void pty_type(struct pty *pty, const char *key);

// Presses a key that is no character, as this terminal sends it, and waits for the frame.
void pty_press(struct pty *pty, VTermKey key);

// Clicks with the left button of the mouse (1), or turns the wheel (4 up, 5 down), and waits for the
// frame. Does nothing if the program has not asked for the mouse.
void pty_click(struct pty *pty, int button, int row, int column);

// Gives the terminal another size and waits for the frame; with waits false, waits for nothing.
void pty_resize(struct pty *pty, int rows, int columns);
void pty_set_size(struct pty *pty, int rows, int columns);

// ---- Waiting ------------------------------------------------------------------------------------

// Waits until so many frames are complete in all.
void pty_wait_frames(struct pty *pty, unsigned long frames);

// Waits until the program stops, goes on or ends; returns its status, as waitpid gives it.
int pty_wait_status(struct pty *pty);

// Waits until the screen looks so, however many frames that takes.
void pty_wait_picture(struct pty *pty, const struct picture *expected);

// Waits until a text is on the screen after a frame, however many frames that takes.
void pty_wait_text(struct pty *pty, const char *text);
// The same of what comes outside of a frame.
void pty_wait_words(struct pty *pty, const char *text);

// Takes in all that the program has written until now.
void pty_drain(struct pty *pty);

// Listens for so long. Returns whether the program wrote anything.
bool pty_is_silent(struct pty *pty, double seconds);

// Seconds of processor time that the program has used.
double pty_processor_time(const struct pty *pty);

// The terminal's settings now.
struct termios pty_settings(const struct pty *pty);

// Takes the terminal away, as when its window is closed.
void pty_hang_up(struct pty *pty);

// ---- The screen ---------------------------------------------------------------------------------

VTermPos pty_cursor(const struct pty *pty);
VTermScreenCell pty_cell(const struct pty *pty, int row, int column);

// A row's text from a column on, without trailing blanks. Valid until the next call but seven.
const char *pty_text(const struct pty *pty, int row, int column);

// Finds text on the screen; false if it is nowhere.
bool pty_find(const struct pty *pty, const char *text, int *row, int *column);
bool pty_shows(const struct pty *pty, const char *text);

// All that is visible, to compare it with later.
struct picture pty_picture(const struct pty *pty);
bool same_picture(const struct picture *a, const struct picture *b);

// Prints the screen on standard error.
void pty_dump(const struct pty *pty);

// Seconds on a clock that only goes forward.
double seconds_on_clock(void);

#endif
