// Whatever is pressed, the program goes on and the cursor is where it has to be.

#include <stdint.h>
#include <string.h>

#include "sample.h"
#include "screen.h"

// Numbers that are the same everywhere.
static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(*seed >> 8) * below >> 24);
}

// Is "q quit" there?
static bool is_quit(const struct pty *pty, int row, int column) {
    static const char words[] = "q quit";
    for (int i = 0; i < (int)sizeof words - 1 && i <= column; i++) {
        if (strncmp(pty_text(pty, row, column - i), words, sizeof words - 1) == 0) return true;
    }
    return false;
}

// A key, a click or another size; never one that leaves the program.
static void do_anything(struct pty *pty, uint32_t *seed) {
    static const VTermKey keys[] = {
        VTERM_KEY_UP,    VTERM_KEY_DOWN,     VTERM_KEY_LEFT, VTERM_KEY_RIGHT, VTERM_KEY_HOME,
        VTERM_KEY_END,   VTERM_KEY_PAGEUP,   VTERM_KEY_TAB,  VTERM_KEY_ENTER, VTERM_KEY_BACKSPACE,
        VTERM_KEY_ENTER, VTERM_KEY_PAGEDOWN, VTERM_KEY_DOWN, VTERM_KEY_RIGHT,
    };
    const uint32_t kind = draw(seed, 100);
    if (kind < 5) {
        const int rows = 1 + (int)draw(seed, 50);
        pty_resize(pty, rows, 1 + (int)draw(seed, 160));
    } else if (kind < 8) {
        pty_resize(pty, 24, 80);
    } else if (kind < 12) {
        const int row = (int)draw(seed, (uint32_t)pty->rows);
        const int button = (int)draw(seed, 3);
        const int column = (int)draw(seed, (uint32_t)pty->columns);
        if (!is_quit(pty, row, column)) pty_click(pty, button == 0 ? 1 : 3 + button, row, column);
    } else if (kind < 14) {
        pty_type(pty, "\033");
    } else if (kind < 50) {
        pty_press(pty, keys[draw(seed, sizeof keys / sizeof *keys)]);
    } else {
        const char key[2] = {(char)(' ' + draw(seed, 95)), '\0'};
        if (*key != 'q') pty_type(pty, key);
    }
}

// Is the cursor in the line that is edited, behind Python's prompt? Long lines go on without one.
static bool is_cursor_in_line(const struct pty *pty) {
    enum { PROMPT = 5 };
    const VTermPos cursor = pty_cursor(pty);
    const char *row = pty_text(pty, cursor.row, 0);
    const bool has_prompt = strncmp(row, " >>> ", PROMPT) == 0 ||
                            strncmp(row, " ... ", PROMPT) == 0 ||
                            strncmp(row, "     ", PROMPT) == 0;
    return has_prompt && cursor.col >= PROMPT;
}

// Where the cursor has to be on a step's screen: behind what is being typed, else on the focused cell. A step whose line
// failed has no cells.
static bool is_cursor_right(const struct pty *pty) {
    struct place place;
    const VTermPos cursor = pty_cursor(pty);
    if (!read_place(pty, &place) || pty_shows(pty, "Not computed")) return true;
    if (pty_shows(pty, ">>> ") && is_cursor_in_line(pty)) return true;
    const bool is_typing = pty_shows(pty, "Esc cancel");
    const bool is_behind_text = *pty_text(pty, cursor.row, cursor.col) == '\0';
    return is_cursor_on_focus(pty) || (is_typing && is_behind_text);
}

static void assert_followable(const struct pty *pty, int presses, int seed) {
    const VTermPos cursor = pty_cursor(pty);
    const bool is_inside =
        cursor.row >= 0 && cursor.row < pty->rows && cursor.col >= 0 && cursor.col < pty->columns;
    if (is_inside && pty->shows_cursor && is_cursor_right(pty)) return;
    pty_dump(pty);
    ck_abort_msg("seed %d, after %d keys: the cursor is not on the focus", seed, presses);
}

enum { PRESSES = 1000 };

// Back from wherever the keys have led, and out.
static void leave(struct pty *pty) {
    for (int i = 0; i < 8; i++) pty_type(pty, "\033");
    quit(pty);
    assert_given_back(pty);
}

static void look_for_high_bytes(struct pty *pty) {
    ck_assert_int_eq(pty->high_bytes, 0);
}

static void look_for_colour(struct pty *pty) {
    ck_assert_int_eq(count_coloured_cells(pty), 0);
}

static const struct {
    const char *lesson, *environment;
    void (*look)(struct pty *pty); // after each key
} pressed[] = {
    {"causal", NULL, look_at_contrast},
    {"split_head", "LC_ALL=C", look_for_high_bytes},
    {"dropout", "NO_COLOR=1", look_for_colour},
    {"trainable", "TERM=vt100", look_for_colour},
    {"model", "TERM=screen-256color", look_at_contrast},
    {"wrapper", NULL, look_at_contrast},
    {"simplified", "TERM=linux", look_for_colour},
};
enum { PRESSED = sizeof pressed / sizeof *pressed };

START_TEST(anything_pressed_leaves_the_cursor_on_the_focus) {
    const bool is_ascii = pressed[_i].look == look_for_high_bytes;
    const int seeds = is_slow() ? 5 : 1, presses_in_all = PRESSES / one_in(1);
    for (int round = 0; round < seeds; round++) {
        const int first = 1 + _i + PRESSED * round;
        uint32_t seed = (uint32_t)first;
        struct pty pty =
            OPEN(.arguments = WORDS(pressed[_i].lesson), .uses_bytes = is_ascii,
                 .environment = WORDS(pressed[_i].environment, leaks_of(pressed[_i].environment)));
        for (int presses = 1; presses <= presses_in_all; presses++) {
            do_anything(&pty, &seed);
            assert_followable(&pty, presses, first);
            pressed[_i].look(&pty);
        }
        leave(&pty);
        pty_close(&pty);
    }
}
END_TEST

Suite *keys_suite(void) {
    Suite *suite = suite_create("keys");
    TCase *tcase = add_terminal_case(suite, "any keys");
    tcase_add_loop_test(tcase, anything_pressed_leaves_the_cursor_on_the_focus, 0, PRESSED);
    return suite;
}
