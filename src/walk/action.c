#include "walk/action.h"

#include <stddef.h>

#include "base/text.h"

enum {
    WALKING = MODE_STEP | MODE_INSIDE,
    ON_MATRIX = WALKING | MODE_GUESS,
    ON_TEXT = MODE_READ | MODE_HELP | MODE_SHEET,
    ON_LINES = MODE_LIST | MODE_SEARCH | ON_TEXT,
    CLOSABLE = MODE_ORIGIN | MODE_PANEL | MODE_GUESS | MODE_LIST | MODE_MISTAKES | ON_TEXT,
    ON_CHOICES = MODE_ORIGIN | MODE_PANEL | MODE_MISTAKES,
    TYPING = MODE_TYPE | MODE_SEARCH,
};

const struct binding bindings[] = {
    {ACT_NEXT, WALKING, {'n', ' '}, "next", 90, "next step; inside a step: next row or cell"},
    {ACT_BACK, WALKING, {'b', PRESS_BACKSPACE}, "back", 85, "back one step, row or cell"},
    {ACT_INTO, WALKING, {'i', '+'}, "into", 70, "into the step: row by row; again: cell by cell"},
    {ACT_OUT,
     MODE_INSIDE,
     {'o', '-', PRESS_ESCAPE},
     "out",
     88,
     "out again: to rows, to the whole step"},
    {ACT_RESTART, WALKING, {'r'}, NULL, 0, "start again: the step you are inside, else the lesson"},
    {ACT_ORIGIN, WALKING, {PRESS_ENTER, 'w'}, "where from", 75, "where did this number come from?"},
    {ACT_GUESS, WALKING, {'e'}, "estimate", 50, "estimate: hide the numbers, guess one, then look"},
    {ACT_SETTINGS,
     WALKING,
     {'s'},
     "settings",
     65,
     "settings: seed, dropout, heads ... and run again"},
    {ACT_MISTAKES,
     WALKING,
     {'x'},
     "mistakes",
     60,
     "make one of the classic mistakes, and see what it does"},
    {ACT_UNDO,
     WALKING | MODE_PANEL | MODE_MISTAKES,
     {'u'},
     NULL,
     0,
     "undo all changes: back to the course's numbers"},
    {ACT_COMPARE, WALKING | MODE_PANEL, {'c'}, NULL, 0, "compare with the course, cell by cell"},
    {ACT_EDIT,
     WALKING,
     {'='},
     NULL,
     0,
     "change the input: type a number for this cell of the inputs"},
    {ACT_MEMORY,
     WALKING,
     {'m'},
     NULL,
     0,
     "memory: how the numbers lie there, and who walks them how"},
    {ACT_DIGITS, ON_MATRIX | MODE_ORIGIN, {'d'}, NULL, 0, "nine digits, and back"},
    {ACT_PYTORCH, WALKING, {'p'}, "PyTorch", 40, "the same line in PyTorch, and back to C"},
    {ACT_READ,
     WALKING,
     {'t'},
     "text",
     35,
     "the words and the source of this step on a whole screen"},
    {ACT_LIST, WALKING, {PRESS_TAB}, "lessons", 80, "list of lessons and steps, to jump to one"},
    {ACT_SEARCH, WALKING | MODE_LIST, {'/'}, NULL, 0, "search the names and texts of all steps"},
    {ACT_FIRST, WALKING, {'g'}, NULL, 0, "first step of the lesson"},
    {ACT_LAST, WALKING, {'G'}, NULL, 0, "last step of the lesson"},
    {ACT_NEXT_LESSON, WALKING, {']'}, NULL, 0, "next lesson"},
    {ACT_PREVIOUS_LESSON, WALKING, {'['}, NULL, 0, "previous lesson"},

    {ACT_ORIGIN,
     MODE_ORIGIN,
     {PRESS_ENTER, 'w'},
     "follow",
     90,
     "where did this operand come from?"},
    {ACT_RETURN,
     MODE_ORIGIN,
     {PRESS_BACKSPACE, 'b'},
     "return",
     85,
     "back to the number you came from"},
    {ACT_GO_THERE, MODE_ORIGIN, {'g'}, "go there", 50, "leave for the step that shows this number"},

    {ACT_CHOOSE,
     MODE_PANEL,
     {PRESS_ENTER},
     "type",
     90,
     "type a new value; switches change at once"},
    {ACT_LEFT,
     MODE_PANEL,
     {PRESS_LEFT, 'h'},
     "less",
     60,
     "the value before: one less, the other one"},
    {ACT_RIGHT,
     MODE_PANEL,
     {PRESS_RIGHT, 'l'},
     "more",
     61,
     "the value after: one more, the other one"},

    {ACT_CHOOSE,
     MODE_MISTAKES,
     {PRESS_ENTER, ' '},
     "make, unmake",
     90,
     "make the chosen mistake, or unmake it; several can be made at once"},
    {ACT_NEXT, MODE_MISTAKES, {'n'}, "next step", 80, "next step, with this list still open"},
    {ACT_BACK, MODE_MISTAKES, {'b'}, "back", 75, "back one step, with this list still open"},

    {ACT_PICK, MODE_GUESS, {' ', 'x'}, "largest?", 80, "guess that this cell is its row's largest"},
    {ACT_EDIT,
     MODE_GUESS,
     {PRESS_ENTER, '='},
     "type",
     85,
     "type a number for this cell (or just type it)"},
    {ACT_REVEAL, MODE_GUESS, {'r'}, "reveal", 75, "show all numbers"},

    {ACT_LEFT, ON_MATRIX, {PRESS_LEFT, 'h'}, NULL, 0, "the cell to the left"},
    {ACT_RIGHT, ON_MATRIX, {PRESS_RIGHT, 'l'}, NULL, 0, "the cell to the right"},
    {ACT_UP, ON_MATRIX, {PRESS_UP, 'k'}, NULL, 0, "the cell above"},
    {ACT_DOWN, ON_MATRIX, {PRESS_DOWN, 'j'}, NULL, 0, "the cell below"},
    {ACT_ROW_START, ON_MATRIX, {PRESS_HOME, '0'}, NULL, 0, "first cell of the row"},
    {ACT_ROW_END, ON_MATRIX, {PRESS_END, '$'}, NULL, 0, "last cell of the row"},
    {ACT_SCROLL_DOWN, ON_MATRIX, {PRESS_PAGE_DOWN}, NULL, 0, "many rows down"},
    {ACT_SCROLL_UP, ON_MATRIX, {PRESS_PAGE_UP}, NULL, 0, "many rows up"},
    {ACT_NEXT_PAGE,
     ON_MATRIX,
     {'.', '>'},
     NULL,
     0,
     "next page: the next head, then the next batch"},
    {ACT_PREVIOUS_PAGE, ON_MATRIX, {',', '<'}, NULL, 0, "previous page"},

    {ACT_CHOOSE, TYPING, {PRESS_ENTER}, "done", 90, "take what was typed"},
    {ACT_CHOOSE, MODE_LIST, {PRESS_ENTER, ' '}, "go there", 90, "go to the chosen step"},
    {ACT_UP, ON_CHOICES, {PRESS_UP, 'k', PRESS_BACK_TAB}, NULL, 0, "the line above"},
    {ACT_DOWN, ON_CHOICES, {PRESS_DOWN, 'j', PRESS_TAB}, NULL, 0, "the line below"},
    {ACT_UP, MODE_SEARCH, {PRESS_UP}, NULL, 0, "the line above"},
    {ACT_DOWN, MODE_SEARCH, {PRESS_DOWN}, NULL, 0, "the line below"},
    {ACT_UP, MODE_LIST | ON_TEXT, {PRESS_UP, 'k'}, NULL, 0, "the line above"},
    {ACT_DOWN, MODE_LIST | ON_TEXT, {PRESS_DOWN, 'j'}, NULL, 0, "the line below"},
    {ACT_SCROLL_DOWN, ON_LINES, {PRESS_PAGE_DOWN}, NULL, 0, "a screen down"},
    {ACT_SCROLL_UP, ON_LINES, {PRESS_PAGE_UP}, NULL, 0, "a screen up"},

    {ACT_SHEET,
     MODE_HELP,
     {'f'},
     "formulas",
     92,
     "cheat sheet: formulas, shapes, operations, PyTorch's errors"},
    {ACT_CLOSE, CLOSABLE, {PRESS_ESCAPE, 'q'}, "close", 95, "close this and go back"},
    {ACT_CLOSE, TYPING, {PRESS_ESCAPE}, "cancel", 95, "stop typing, change nothing"},
    {ACT_CLICK, ON_MATRIX, {PRESS_CLICK}, NULL, 0, "go to the cell under the mouse"},
    {ACT_NEXT, WALKING, {PRESS_WHEEL_DOWN}, NULL, 0, "next step"},
    {ACT_BACK, WALKING, {PRESS_WHEEL_UP}, NULL, 0, "back one step"},
    {ACT_DOWN, ON_LINES, {PRESS_WHEEL_DOWN}, NULL, 0, "the line below"},
    {ACT_UP, ON_LINES, {PRESS_WHEEL_UP}, NULL, 0, "the line above"},
    {ACT_MOUSE,
     WALKING,
     {'M'},
     NULL,
     0,
     "mouse off, so that it selects text as usual; and on again"},
    {ACT_HELP, ((unsigned)MODE_END - 1) & ~(unsigned)TYPING, {'?', 'H'}, "help", 100, "this help"},
    {ACT_QUIT, WALKING, {'q'}, "quit", 95, "leave onestep (Ctrl-C leaves from anywhere)"},
};

const int binding_count = sizeof bindings / sizeof *bindings;

enum action action_of(enum mode mode, uint32_t key) {
    for (int i = 0; i < binding_count; i++) {
        if (!(bindings[i].modes & (unsigned)mode)) continue;
        for (int k = 0; k < KEYS_PER_ACTION && bindings[i].keys[k] != KEY_NOTHING; k++) {
            if (bindings[i].keys[k] == key) return bindings[i].action;
        }
    }
    return ACT_NOTHING;
}

const char *key_text(uint32_t key, char buffer[static 5]) {
    switch (key) {
    case PRESS_UP:
        return "↑";
    case PRESS_DOWN:
        return "↓";
    case PRESS_LEFT:
        return "←";
    case PRESS_RIGHT:
        return "→";
    case PRESS_HOME:
        return "Home";
    case PRESS_END:
        return "End";
    case PRESS_PAGE_UP:
        return "PgUp";
    case PRESS_PAGE_DOWN:
        return "PgDn";
    case PRESS_ENTER:
        return "Enter";
    case PRESS_ESCAPE:
        return "Esc";
    case PRESS_BACKSPACE:
        return "Backspace";
    case PRESS_TAB:
        return "Tab";
    case PRESS_BACK_TAB:
        return "Shift-Tab";
    case PRESS_CLICK:
        return "click";
    case PRESS_WHEEL_UP:
        return "wheel up";
    case PRESS_WHEEL_DOWN:
        return "wheel down";
    case ' ':
        return "Space";
    default:
        utf8_encode(key, buffer);
        return buffer;
    }
}

const char *mode_name(enum mode mode) {
    switch (mode) {
    case MODE_STEP:
        return "On a step";
    case MODE_INSIDE:
        return "Inside a step";
    case MODE_ORIGIN:
        return "Where a number came from";
    case MODE_PANEL:
        return "Settings";
    case MODE_GUESS:
        return "Estimating";
    case MODE_TYPE:
        return "While you type a value";
    case MODE_LIST:
        return "In the list of lessons and steps";
    case MODE_SEARCH:
        return "While you type a word to search for";
    case MODE_READ:
        return "The text of a step";
    case MODE_HELP:
        return "In this help";
    case MODE_MISTAKES:
        return "Mistakes";
    case MODE_SHEET:
        return "In the cheat sheet";
    case MODE_END:
        break;
    }
    return "";
}
