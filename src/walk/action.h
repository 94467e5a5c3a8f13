#ifndef ONESTEP_WALK_ACTION_H
#define ONESTEP_WALK_ACTION_H

// All that a user can do, in one table: which keys do it, in which modes, and how it is explained. Key
// handling, the key bar and the help screen all read this table.

#include <stdint.h>

// A key that is not a character, above all code points.
enum special_key {
    KEY_NOTHING = 0,
    PRESS_UP = 0x110000,
    PRESS_DOWN,
    PRESS_LEFT,
    PRESS_RIGHT,
    PRESS_HOME,
    PRESS_END,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_ENTER,
    PRESS_ESCAPE,
    PRESS_BACKSPACE,
    PRESS_TAB,
    PRESS_BACK_TAB,
    PRESS_CLICK,
    PRESS_WHEEL_UP,
    PRESS_WHEEL_DOWN,
};

// A key pressed, or the mouse at a place on the canvas.
struct press {
    uint32_t key; // a code point or a special key
    int row, column;
};

// What the screen is busy with. Each mode is a bit, so that an action can belong to several.
enum mode {
    MODE_STEP = 1 << 0,   // a step of a lesson: the main screen
    MODE_INSIDE = 1 << 1, // the same, inside the step: row by row or cell by cell
    MODE_ORIGIN = 1 << 2, // where a number came from
    MODE_PANEL = 1 << 3,  // the lesson's parameters
    MODE_GUESS = 1 << 4,  // numbers are hidden, to be guessed
    MODE_TYPE = 1 << 5,   // a number or a word is being typed
    MODE_LIST = 1 << 6,   // lessons and steps to jump to
    MODE_SEARCH = 1 << 7, // the same, narrowed down by a word that is being typed
    MODE_READ = 1 << 8,   // the words of a step and its source on a screen of their own
    MODE_HELP = 1 << 9,
    MODE_MISTAKES = 1 << 10, // classic mistakes, to be made on purpose
    MODE_SHEET = 1 << 11,    // the cheat sheet, a page of the help
    MODE_END = 1 << 12,
};

enum action {
    ACT_NOTHING,
    ACT_NEXT,
    ACT_BACK,
    ACT_INTO,
    ACT_OUT,
    ACT_RESTART,
    ACT_FIRST,
    ACT_LAST,
    ACT_NEXT_LESSON,
    ACT_PREVIOUS_LESSON,
    ACT_UP,
    ACT_DOWN,
    ACT_LEFT,
    ACT_RIGHT,
    ACT_ROW_START,
    ACT_ROW_END,
    ACT_NEXT_PAGE,
    ACT_PREVIOUS_PAGE,
    ACT_SCROLL_UP,
    ACT_SCROLL_DOWN,
    ACT_ORIGIN,
    ACT_RETURN,
    ACT_GO_THERE,
    ACT_DIGITS,
    ACT_MEMORY,
    ACT_SETTINGS,
    ACT_MISTAKES,
    ACT_UNDO,
    ACT_COMPARE,
    ACT_EDIT,
    ACT_GUESS,
    ACT_PICK,
    ACT_REVEAL,
    ACT_LIST,
    ACT_SEARCH,
    ACT_PYTORCH,
    ACT_READ,
    ACT_MOUSE,
    ACT_CLICK,
    ACT_CHOOSE,
    ACT_CLOSE,
    ACT_HELP,
    ACT_SHEET,
    ACT_QUIT,
};

enum { KEYS_PER_ACTION = 4 };

struct binding {
    enum action action;
    unsigned modes;                 // MODE_ bits
    uint32_t keys[KEYS_PER_ACTION]; // the first is the one shown in the key bar; 0 ends them early
    const char *label;              // in the key bar; NULL: not shown there
    int weight;                     // in the key bar, the heaviest stay when there is little room
    const char *help;               // for the help screen, one line
};

extern const struct binding bindings[];
extern const int binding_count;

// What a key does in a mode; ACT_NOTHING if it does nothing.
enum action action_of(enum mode mode, uint32_t key);

// What a key is called: "n", "Enter", "←". Characters are written into `buffer` (5 bytes).
const char *key_text(uint32_t key, char buffer[static 5]);

// What a mode is called in the help screen.
const char *mode_name(enum mode mode);

#endif
