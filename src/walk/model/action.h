#ifndef ONESTEP_WALK_MODEL_ACTION_H
#define ONESTEP_WALK_MODEL_ACTION_H

// All that a user can do, in one table: which keys do it, in which views, and how it is explained. Key
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
    PRESS_DELETE,
    PRESS_WORD_LEFT,
    PRESS_WORD_RIGHT,
    PRESS_DELETE_WORD,  // before the cursor
    PRESS_DELETE_AHEAD, // the word behind it
    PRESS_CLICK,
    PRESS_WHEEL_UP,
    PRESS_WHEEL_DOWN,
};

// A key pressed, or the mouse at a place on the canvas.
struct press {
    uint32_t key; // a code point or a special key
    int row, column;
};

// The views, as this table names them: each is a bit, so that a key can belong to several.
enum view_bit {
    VIEW_STEP = 1 << 0,   // a step of a lesson: the main screen
    VIEW_INSIDE = 1 << 1, // the same, inside the step: row by row or cell by cell
    VIEW_WHERE_FROM = 1 << 2,
    VIEW_SETTINGS = 1 << 3,
    VIEW_ESTIMATE = 1 << 4,
    VIEW_TYPING = 1 << 5, // a value, over the view that wants it
    VIEW_LIST = 1 << 6,
    VIEW_SEARCH = 1 << 7,
    VIEW_READ = 1 << 8,
    VIEW_HELP = 1 << 9,
    VIEW_MISTAKES = 1 << 10,
    VIEW_SHEET = 1 << 11,
    VIEW_MAP = 1 << 12,
    VIEW_PICTURE = 1 << 13,
    VIEW_PALETTE = 1 << 14,
    VIEW_BOTH_WAYS = 1 << 15,
    VIEW_SUMMARY = 1 << 16,
    VIEW_INPUT = 1 << 17,
    VIEW_SAVE = 1 << 18,
    VIEW_OVERVIEW = 1 << 19,
    VIEW_LINE = 1 << 20,
    VIEW_CHALLENGE = 1 << 21,
    VIEW_BESIDE = 1 << 22, // a step with another run beside it
};

enum action {
    ACT_NOTHING,
    ACT_NEXT,
    ACT_BACK,
    ACT_NEXT_DIFFERENCE,
    ACT_DIFFERENCE_BEFORE,
    ACT_BESIDE,
    ACT_NEXT_EACH,
    ACT_INTO,
    ACT_OUT,
    ACT_ENTER,
    ACT_LEAVE,
    ACT_TURN,
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
    ACT_RETURN,
    ACT_GO_THERE,
    ACT_FOLLOW,
    ACT_UNFOLLOW,
    ACT_DIGITS,
    ACT_MEMORY,
    ACT_PYTORCH,
    ACT_MOUSE,
    ACT_LIGHT,
    ACT_UNDO,
    ACT_COMPARE,
    ACT_EDIT,
    ACT_LINE,
    ACT_COMPLETE,
    ACT_TRAIN,
    ACT_TRAIN_TEN,
    ACT_UNTRAIN,
    ACT_TRAIN_TO,
    ACT_PICK,
    ACT_REVEAL,
    ACT_ANSWER,
    ACT_HINT,
    ACT_QUESTIONS,
    ACT_TOUR,
    ACT_SWITCH,
    ACT_SAVE_SVG,
    ACT_SAVE_HTML,
    ACT_SAVE_TEXT,
    ACT_SAVE_PROGRAM,
    ACT_CLICK,
    ACT_CHOOSE,
    ACT_CLOSE,
    ACT_QUIT,
    // each opens a view
    ACT_WHERE_FROM,
    ACT_SETTINGS,
    ACT_MISTAKES,
    ACT_ESTIMATE,
    ACT_LIST,
    ACT_SEARCH,
    ACT_READ,
    ACT_HELP,
    ACT_SHEET,
    ACT_MAP,
    ACT_PICTURE,
    ACT_PALETTE,
    ACT_BOTH_WAYS,
    ACT_SUMMARY,
    ACT_OVERVIEW,
    ACT_SAVE,
    ACT_CHALLENGE,
};

// Calls and turns are only in some steps of programs: there they are offered, each by a bit.
#define OFFERED(action) (1u << ((action)-ACT_ENTER))

// What a press means in the view where it happened.
struct pressed {
    enum action action;
    struct press press;
    int lines; // that fit on the screen, for what scrolls
};

enum { KEYS_PER_ACTION = 4 };

struct binding {
    enum action action;
    unsigned views;                 // VIEW_ bits
    uint32_t keys[KEYS_PER_ACTION]; // the first is the one shown in the key bar; 0 ends them early
    const char *label;              // in the key bar; NULL: not shown there
    int weight; // in the key bar, the heaviest stay when there is little room; 0: only where it is offered
    const char *help; // for the help screen, one line
};

extern const struct binding bindings[];
extern const int binding_count;

// What a key does in a view; ACT_NOTHING if it does nothing.
enum action action_of(enum view_bit view, uint32_t key);

// What a key is called: "n", "Enter", "←". Characters are written into `buffer` (5 bytes).
const char *key_text(uint32_t key, char buffer[static 5]);

// How many lines an action moves on by, in what scrolls; 0 if it does not.
int lines_moved(const struct pressed *pressed);

#endif
