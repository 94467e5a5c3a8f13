#include "walk/action.h"

#include <stddef.h>

#include "base/text.h"

enum { SCREENS = MODE_LIST | MODE_HELP | MODE_READ };

const struct binding bindings[] = {
    {ACT_NEXT, MODE_STEP, {'n', ' '}, "next", 90, "next step"},
    {ACT_BACK, MODE_STEP, {'b', PRESS_BACKSPACE}, "back", 85, "back one step"},
    {ACT_FIRST, MODE_STEP, {'g'}, NULL, 0, "first step of the lesson"},
    {ACT_LAST, MODE_STEP, {'G'}, NULL, 0, "last step of the lesson"},
    {ACT_NEXT_LESSON, MODE_STEP, {']'}, NULL, 0, "next lesson"},
    {ACT_PREVIOUS_LESSON, MODE_STEP, {'['}, NULL, 0, "previous lesson"},
    {ACT_LIST, MODE_STEP, {PRESS_TAB}, "lessons", 80, "list of lessons and steps, to jump to one"},

    {ACT_LEFT, MODE_STEP, {PRESS_LEFT, 'h'}, NULL, 0, "the cell to the left"},
    {ACT_RIGHT, MODE_STEP, {PRESS_RIGHT, 'l'}, NULL, 0, "the cell to the right"},
    {ACT_UP, MODE_ALL, {PRESS_UP, 'k'}, NULL, 0, "up: the cell above, the line above"},
    {ACT_DOWN, MODE_ALL, {PRESS_DOWN, 'j'}, NULL, 0, "down: the cell below, the line below"},
    {ACT_ROW_START, MODE_STEP, {PRESS_HOME, '0'}, NULL, 0, "first cell of the row"},
    {ACT_ROW_END, MODE_STEP, {PRESS_END, '$'}, NULL, 0, "last cell of the row"},
    {ACT_NEXT_PAGE, MODE_STEP, {'.', '>'}, NULL, 0, "next page: the next head, then the next batch"},
    {ACT_PREVIOUS_PAGE, MODE_STEP, {',', '<'}, NULL, 0, "previous page"},
    {ACT_SCROLL_DOWN, MODE_ALL, {PRESS_PAGE_DOWN}, NULL, 0, "many rows or lines down"},
    {ACT_SCROLL_UP, MODE_ALL, {PRESS_PAGE_UP}, NULL, 0, "many rows or lines up"},

    {ACT_PYTORCH, MODE_STEP, {'p'}, "PyTorch", 60, "the same line in PyTorch, and back to C"},
    {ACT_READ, MODE_STEP, {'t'}, "text", 55, "the words and the source of this step on a whole screen"},

    {ACT_CHOOSE, MODE_LIST, {PRESS_ENTER, ' '}, "go there", 90, "go to the chosen step"},
    {ACT_CLOSE, SCREENS, {PRESS_ESCAPE, 'q', PRESS_TAB, PRESS_BACKSPACE}, "close", 95,
     "close this screen"},
    {ACT_HELP, MODE_ALL, {'?', 'H'}, "help", 100, "this help"},
    {ACT_QUIT, MODE_STEP, {'q'}, "quit", 95, "leave onestep (Ctrl-C leaves from anywhere)"},
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
        return "A step";
    case MODE_LIST:
        return "The list of lessons and steps";
    case MODE_HELP:
        return "Help";
    case MODE_READ:
        return "The text of a step";
    case MODE_ALL:
        break;
    }
    return "";
}
