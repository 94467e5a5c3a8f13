#include "walk/model/action.h"

#include <stddef.h>

#include "base/text.h"

enum {
    ON_STEP = VIEW_STEP | VIEW_INSIDE,
    WALKING = ON_STEP | VIEW_BESIDE,
    ON_MATRIX = WALKING | VIEW_ESTIMATE | VIEW_BOTH_WAYS | VIEW_INPUT,
    ON_TEXT = VIEW_READ | VIEW_HELP | VIEW_SHEET,
    ON_LINES = VIEW_LIST | VIEW_SEARCH | VIEW_PALETTE | VIEW_SUMMARY,
    ON_CHOICES = VIEW_WHERE_FROM | VIEW_SETTINGS | VIEW_MISTAKES,
    ON_PICTURES = VIEW_MAP | VIEW_PICTURE,
    CLOSABLE = ON_CHOICES | VIEW_ESTIMATE | VIEW_INPUT | VIEW_LIST | ON_TEXT | ON_PICTURES |
               VIEW_BOTH_WAYS | VIEW_SUMMARY | VIEW_OVERVIEW | VIEW_CHALLENGE,
    CHANGING = WALKING | VIEW_SETTINGS | VIEW_MISTAKES | VIEW_OVERVIEW,
    TYPING = VIEW_TYPING | VIEW_SEARCH | VIEW_PALETTE,
    NOT_TYPING = WALKING | CLOSABLE,
};

// A browser has keys of its own: Tab (but in a line that is typed), the wheel, and how to leave a page.
#ifdef __wasm__
enum { TAB = KEY_NOTHING, BACK_TAB = KEY_NOTHING, IN_TERMINAL = 0 };
#else
enum { TAB = PRESS_TAB, BACK_TAB = PRESS_BACK_TAB, IN_TERMINAL = ~0 };
#endif

// A row a line.
// clang-format off
const struct binding bindings[] = {
    {ACT_NEXT_DIFFERENCE, VIEW_BESIDE,                 {'n'},                            "next difference", 94, "the next step that differs from the run beside this one"},
    {ACT_DIFFERENCE_BEFORE, VIEW_BESIDE,               {'b'},                            "difference before", 60, "the step before that differs"},
    {ACT_NEXT,            VIEW_BESIDE,                 {' '},                            "next step",      89, "next step, whether it differs or not"},
    {ACT_BACK,            VIEW_BESIDE,                 {PRESS_BACKSPACE},                "step before",    58, "previous step"},
    {ACT_NEXT,            ON_STEP,                     {'n', ' '},                       "next",           90, "next step that repeats no earlier one; inside a step: next row, cell or term"},
    {ACT_NEXT_EACH,       WALKING,                     {'N'},                            "each",           46, "next step, also if it repeats an earlier one (head 2, the lesson before)"},
    {ACT_BACK,            ON_STEP,                     {'b', PRESS_BACKSPACE},           "back",           85, "previous step; inside a step: previous row, cell or term"},
    {ACT_BESIDE,          WALKING | VIEW_MISTAKES | VIEW_INPUT, {';'},                           NULL,              0, "the next of the steps that share this screen"},
    {ACT_INTO,            WALKING,                     {'i', '+'},                       "into",           70, "into the step: row by row; again: cell by cell; again: term by term"},
    {ACT_OUT,             VIEW_INSIDE,                 {'o', '-'},                       "out",            88, "out again: to cells, to rows, to the whole step"},
    {ACT_ENTER,           WALKING,                     {'I'},                            "enter",           0, "a program: into the call whose result this is"},
    {ACT_LEAVE,           WALKING,                     {'O'},                            "leave",           0, "a program: out of the call, to its result"},
    {ACT_TURN,            WALKING,                     {'#'},                            "turn",            0, "a program: show another turn of its loops"},
    {ACT_RESTART,         WALKING,                     {'r'},                            NULL,              0, "start again: the step if you are inside one, otherwise the lesson"},
    {ACT_WHERE_FROM,      WALKING,                     {PRESS_ENTER, 'w'},               "where from",     75, "where did this number come from?"},
    {ACT_FOLLOW,          WALKING,                     {'f'},                            "where to",       72, "where does this number go? again: to the next step that it reaches"},
    {ACT_UNFOLLOW,        WALKING,                     {'F'},                            NULL,              0, "stop following the number"},
    {ACT_ESTIMATE,        WALKING,                     {'e'},                            "estimate",       50, "estimate: hide the numbers, guess one, then look"},
    {ACT_SETTINGS,        WALKING | VIEW_OVERVIEW,               {'s'},                            "settings",       65, "settings: seed, dropout, heads ... and run again"},
    {ACT_MISTAKES,        WALKING | VIEW_OVERVIEW,               {'x'},                            "mistakes",       60, "make one of the classic mistakes, and see what it does"},
    {ACT_UNDO,            CHANGING,                    {'u'},                            NULL,              0, "undo: first lines and numbers of the input that were changed, then everything else"},
    {ACT_COMPARE,         WALKING | VIEW_SETTINGS | VIEW_OVERVIEW | VIEW_MISTAKES, {'c'},                            NULL,              0, "compare with the unchanged numbers, cell by cell"},
    {ACT_EDIT,            WALKING,                     {'='},                            "input",           35, "change a number of the input, and see which numbers it changes"},
    {ACT_LINE,            WALKING,                     {'y'},                            "try a line",     37, "try another line of PyTorch for this step, and see what it computes"},
    {ACT_CHALLENGE,            WALKING,                     {'Y'},                            "your turn",      36, "your turn: what is asked at this step, and once more"},
    {ACT_TRAIN,           WALKING | VIEW_PICTURE,      {'a'},                           NULL,              0, "train: one more update, in the lesson that trains"},
    {ACT_TRAIN_TEN,       WALKING | VIEW_PICTURE,      {'A'},                           NULL,              0, "train: ten more updates"},
    {ACT_UNTRAIN,         WALKING | VIEW_PICTURE,      {'z'},                           NULL,              0, "restart training: back to before the first update"},
    {ACT_MEMORY,          WALKING,                     {'m'},                            NULL,              0, "memory: how the numbers are stored, and in which order this shape reads them"},
    {ACT_DIGITS,          ON_MATRIX | VIEW_WHERE_FROM, {'d'},                            NULL,              0, "show nine digits, or as before"},
    {ACT_PYTORCH,         WALKING,                     {'p'},                            "C",              40, "show the line in C first, or in PyTorch first"},
    {ACT_READ,            WALKING,                     {'t'},                            "text",           82, "the whole text and source of this step"},
    {ACT_MAP,             WALKING,                     {'v'},                            "map",            78, "map of the lesson: what each step was computed from; go to one"},
    {ACT_PICTURE,         WALKING,                     {'P'},                            "picture",        30, "a picture of these numbers: a plane, strips or a curve"},
    {ACT_BOTH_WAYS,       WALKING,                     {'B'},                            NULL,              0, "both ways: an operation and its gradient, side by side"},
    {ACT_OVERVIEW,        WALKING,                     {'W'},                            NULL,              0, "whole: all layers and heads at once, and the most likely next words"},
    {ACT_LIST,            WALKING,                     {'L', TAB},                       "list",           80, "list of lessons and steps, to jump to one"},
    {ACT_SEARCH,          WALKING | VIEW_LIST,         {'/'},                            NULL,              0, "search the names and texts of all steps"},
    {ACT_PALETTE,         WALKING,                     {':'},                            "find",           73, "find keys, steps, lessons, mistakes and settings by any word"},
    {ACT_SUMMARY,         WALKING,                     {'E'},                            NULL,              0, "summary: what the lesson showed, its class in PyTorch, questions"},
    {ACT_FIRST,           WALKING,                     {'g'},                            NULL,              0, "first step of the lesson"},
    {ACT_LAST,            WALKING,                     {'G'},                            NULL,              0, "last step of the lesson"},
    {ACT_NEXT_LESSON,     WALKING,                     {']'},                            NULL,              0, "next lesson, from its first step"},
    {ACT_PREVIOUS_LESSON, WALKING,                     {'['},                            NULL,              0, "previous lesson, from its first step"},

    {ACT_CHOOSE,          VIEW_WHERE_FROM,             {PRESS_ENTER},                    "follow",         90, "where did this operand come from?"},
    {ACT_RETURN,          VIEW_WHERE_FROM,             {PRESS_BACKSPACE, 'b'},           "return",         85, "back to the number you came from"},
    {ACT_GO_THERE,        VIEW_WHERE_FROM,             {'g'},                            "go there",       50, "go to the step that shows this number"},
    {ACT_TRAIN_TO,        VIEW_WHERE_FROM,             {'a'},                            NULL,              0, "train again, up to the update that made this number"},

    {ACT_CHOOSE,          VIEW_SETTINGS,               {PRESS_ENTER},                    "type",           90, "type a new value; switches change at once"},
    {ACT_LEFT,            VIEW_SETTINGS,               {PRESS_LEFT, 'h'},                "less",           60, "previous value: one less, or the other one"},
    {ACT_RIGHT,           VIEW_SETTINGS,               {PRESS_RIGHT, 'l'},               "more",           61, "next value: one more, or the other one"},

    {ACT_CHOOSE,          VIEW_MISTAKES,               {PRESS_ENTER, ' '},               "make, unmake",   90, "make the chosen mistake, or undo it; you can make several at once"},
    {ACT_NEXT,            VIEW_MISTAKES,               {'n'},                            "next step",      80, "next step, with this list still open"},
    {ACT_BACK,            VIEW_MISTAKES,               {'b'},                            "back",           75, "back one step, with this list still open"},

    {ACT_EDIT,            VIEW_INPUT,                  {PRESS_ENTER},                    "type",           90, "type another number for this cell (or just type it)"},
    {ACT_NEXT,            VIEW_INPUT,                  {'n'},                            "next step",      80, "next step, with the input still open"},
    {ACT_BACK,            VIEW_INPUT,                  {'b'},                            "back",           75, "back one step, with the input still open"},
    {ACT_UNDO,            VIEW_INPUT,                  {'u'},                            "undo",           70, "undo: the input as it was before"},

    {ACT_PICK,            VIEW_ESTIMATE,               {' ', 'x'},                       "largest?",       80, "guess that this cell is its row's largest"},
    {ACT_EDIT,            VIEW_ESTIMATE,               {PRESS_ENTER, '='},               "type",           85, "type a number for this cell, or sizes (or just type them)"},
    {ACT_NEXT,            VIEW_ESTIMATE,               {'n'},                            "next: sizes",    70, "next step: first say which sizes it will have"},
    {ACT_BACK,            VIEW_ESTIMATE,               {'b'},                            NULL,              0, "back one step, with its numbers hidden"},
    {ACT_REVEAL,          VIEW_ESTIMATE,               {'r'},                            "reveal",         75, "show what is asked for: all numbers, or the sizes"},

    {ACT_EDIT,            VIEW_CHALLENGE,                   {PRESS_ENTER},                    "answer",         90, "answer: type it, or take the cell under the cursor"},
    {ACT_NEXT,            VIEW_CHALLENGE,                   {'n', ' '},                       "show it",        85, "show the step without an answer"},
    {ACT_HINT,            VIEW_CHALLENGE,                   {'h'},                            "hint",           80, "a hint; again: the next one"},
    {ACT_BACK,            VIEW_CHALLENGE,                   {'b', PRESS_BACKSPACE},           "back",           60, "previous step"},
    {ACT_LEFT,            VIEW_CHALLENGE,                   {PRESS_LEFT},                     NULL,              0, "the cell to the left"},
    {ACT_RIGHT,           VIEW_CHALLENGE,                   {PRESS_RIGHT},                    NULL,              0, "the cell to the right"},
    {ACT_CLICK,           VIEW_CHALLENGE,                   {PRESS_CLICK},                    NULL,              0, "choose the cell under the mouse"},

    {ACT_LEFT,            ON_MATRIX,                   {PRESS_LEFT, 'h'},                NULL,              0, "the cell to the left"},
    {ACT_RIGHT,           ON_MATRIX,                   {PRESS_RIGHT, 'l'},               NULL,              0, "the cell to the right"},
    {ACT_UP,              ON_MATRIX,                   {PRESS_UP, 'k'},                  NULL,              0, "the cell above"},
    {ACT_DOWN,            ON_MATRIX,                   {PRESS_DOWN, 'j'},                NULL,              0, "the cell below"},
    {ACT_ROW_START,       ON_MATRIX,                   {PRESS_HOME, '0'},                NULL,              0, "first cell of the row"},
    {ACT_ROW_END,         ON_MATRIX,                   {PRESS_END, '$'},                 NULL,              0, "last cell of the row"},
    {ACT_SCROLL_DOWN,     ON_MATRIX,                   {PRESS_PAGE_DOWN},                NULL,              0, "many rows down"},
    {ACT_SCROLL_UP,       ON_MATRIX,                   {PRESS_PAGE_UP},                  NULL,              0, "many rows up"},
    {ACT_NEXT_PAGE,       ON_MATRIX,                   {'.', '>'},                       NULL,              0, "next page: the next head, then the next batch"},
    {ACT_PREVIOUS_PAGE,   ON_MATRIX,                   {',', '<'},                       NULL,              0, "previous page"},

    {ACT_CHOOSE,          VIEW_MAP,                    {PRESS_ENTER, ' '},               "go there",       90, "go to the chosen step"},
    {ACT_NEXT,            VIEW_MAP,                    {'n', TAB},                       "next",           80, "the next step of the lesson"},
    {ACT_BACK,            VIEW_MAP,                    {'b', BACK_TAB},                  "back",           75, "the step before"},
    {ACT_UP,              VIEW_MAP,                    {PRESS_UP, 'k'},                  NULL,              0, "to a step above"},
    {ACT_DOWN,            VIEW_MAP,                    {PRESS_DOWN, 'j'},                NULL,              0, "to a step below"},
    {ACT_LEFT,            VIEW_MAP,                    {PRESS_LEFT, 'h'},                NULL,              0, "to the step on the left"},
    {ACT_RIGHT,           VIEW_MAP,                    {PRESS_RIGHT, 'l'},               NULL,              0, "to the step on the right"},

    {ACT_CHOOSE,          VIEW_OVERVIEW,               {PRESS_ENTER, ' '},               "go there",       90, "go to the chosen head, layer, token or word"},
    {ACT_SWITCH,          VIEW_OVERVIEW,               {'o'},                            "off, on",        85, "switch this head or layer of gpt off, or on again"},
    {ACT_EDIT,            VIEW_OVERVIEW,               {'='},                            "token",          70, "type another id for the chosen token"},
    {ACT_NEXT,            VIEW_OVERVIEW,               {'n', TAB},                       "next token",     80, "the weights of the next token"},
    {ACT_BACK,            VIEW_OVERVIEW,               {'b', BACK_TAB},                  "token before",   75, "the weights of the token before"},
    {ACT_UP,              VIEW_OVERVIEW,               {PRESS_UP, 'k'},                  NULL,              0, "the layer above; above the first, the tokens"},
    {ACT_DOWN,            VIEW_OVERVIEW,               {PRESS_DOWN, 'j'},                NULL,              0, "the layer below; below the last, the next words"},
    {ACT_LEFT,            VIEW_OVERVIEW,               {PRESS_LEFT, 'h'},                NULL,              0, "to the left; left of head 1 is the whole layer"},
    {ACT_RIGHT,           VIEW_OVERVIEW,               {PRESS_RIGHT, 'l'},               NULL,              0, "to the right: the next head, token or word"},
    {ACT_NEXT_PAGE,       VIEW_OVERVIEW,               {'.', '>'},                       NULL,              0, "the next sentence of the batch"},
    {ACT_PREVIOUS_PAGE,   VIEW_OVERVIEW,               {',', '<'},                       NULL,              0, "the sentence before"},

    {ACT_NEXT,            VIEW_PICTURE,                {'n', TAB},                       "next",           80, "the next point or number; where there is no picture, the next step that has one"},
    {ACT_BACK,            VIEW_PICTURE,                {'b', BACK_TAB},                  "back",           75, "the point or number before"},
    {ACT_UP,              VIEW_PICTURE,                {PRESS_UP, 'k'},                  NULL,              0, "move the query up"},
    {ACT_DOWN,            VIEW_PICTURE,                {PRESS_DOWN, 'j'},                NULL,              0, "move the query down"},
    {ACT_LEFT,            VIEW_PICTURE,                {PRESS_LEFT, 'h'},                NULL,              0, "move the query to the left"},
    {ACT_RIGHT,           VIEW_PICTURE,                {PRESS_RIGHT, 'l'},               NULL,              0, "move the query to the right"},
    {ACT_RESTART,         VIEW_PICTURE,                {'r'},                            "put back",       70, "put the query back where it was"},
    {ACT_NEXT_PAGE,       VIEW_PICTURE,                {'.', '>'},                       NULL,              0, "next page: the next head, then the next batch"},
    {ACT_PREVIOUS_PAGE,   VIEW_PICTURE,                {',', '<'},                       NULL,              0, "previous page"},

    {ACT_NEXT,            VIEW_BOTH_WAYS,              {'n', TAB},                       "next",           90, "next step that is shown with its gradient"},
    {ACT_BACK,            VIEW_BOTH_WAYS,              {'b', BACK_TAB},                  "back",           85, "the one before"},
    {ACT_BESIDE,          VIEW_BOTH_WAYS,              {';'},                           "other use",      80, "the next operation that uses the same numbers"},

    {ACT_CHOOSE,          VIEW_LINE,                   {PRESS_ENTER},                    "run",            90, "run the lesson with this line; where Python needs more, a new line"},
    {ACT_COMPLETE,        VIEW_LINE,                   {PRESS_TAB},                      "complete",       70, "complete the name: of the lesson's variables, of torch, of a tensor's methods"},
    {ACT_UP,              VIEW_LINE,                   {PRESS_UP},                       "earlier",        60, "the line above; above the first, the lines that were run before"},
    {ACT_DOWN,            VIEW_LINE,                   {PRESS_DOWN},                     NULL,              0, "the line below; below the last, back to the line being typed"},
    {ACT_CLOSE,           VIEW_LINE,                   {PRESS_ESCAPE},                   "cancel",         95, "stop typing, change nothing"},
    {ACT_CHOOSE,          TYPING,                      {PRESS_ENTER},                    "done",           90, "take what was typed"},
    {ACT_CHOOSE,          VIEW_LIST,                   {PRESS_ENTER, ' '},               "go there",       90, "go to the chosen step"},
    {ACT_UP,              ON_CHOICES,                  {PRESS_UP, 'k', BACK_TAB},        NULL,              0, "the line above"},
    {ACT_DOWN,            ON_CHOICES,                  {PRESS_DOWN, 'j', TAB},           NULL,              0, "the line below"},
    {ACT_UP,              VIEW_SEARCH | VIEW_PALETTE,  {PRESS_UP},                       NULL,              0, "the line above"},
    {ACT_DOWN,            VIEW_SEARCH | VIEW_PALETTE,  {PRESS_DOWN},                     NULL,              0, "the line below"},
    {ACT_NEXT_LESSON,     VIEW_SUMMARY,                {'n', ']'},                       "next lesson",    90, "next lesson, from its first step"},
    {ACT_ANSWER,          VIEW_SUMMARY,                {'1', '2', '3'},                  "2 3 answers",    85, "answer a question: estimate its number, or see the answer"},
    {ACT_REVEAL,          VIEW_SUMMARY,                {'r'},                            "reveal",         75, "show all answers"},
    {ACT_UP,              VIEW_SUMMARY,                {PRESS_UP, 'k'},                  NULL,              0, "the line above"},
    {ACT_DOWN,            VIEW_SUMMARY,                {PRESS_DOWN, 'j', PRESS_ENTER},   NULL,              0, "the line below"},
    {ACT_SCROLL_DOWN,     VIEW_SUMMARY,                {' '},                            NULL,              0, "a screen down"},
    {ACT_CLOSE,           VIEW_SUMMARY,                {'b', PRESS_BACKSPACE},           NULL,              0, "back to the step you came from"},

    {ACT_UP,              VIEW_LIST | ON_TEXT,         {PRESS_UP, 'k'},                  NULL,              0, "the line above"},
    {ACT_DOWN,            VIEW_LIST | ON_TEXT,         {PRESS_DOWN, 'j'},                NULL,              0, "the line below"},
    {ACT_SCROLL_DOWN,     ON_TEXT,                     {' ', 'n', PRESS_PAGE_DOWN},      "next page",      90, "a screen down"},
    {ACT_SCROLL_UP,       ON_TEXT,                     {'b', PRESS_BACKSPACE, PRESS_PAGE_UP}, "back",      85, "a screen up"},
    {ACT_SCROLL_DOWN,     ON_LINES | VIEW_MISTAKES,    {PRESS_PAGE_DOWN},                NULL,              0, "a screen down"},
    {ACT_SCROLL_UP,       ON_LINES | VIEW_MISTAKES,    {PRESS_PAGE_UP},                  NULL,              0, "a screen up"},

    {ACT_SAVE_SVG,        VIEW_SAVE,                   {'s', PRESS_ENTER},               "save SVG",       90, "save as a figure (SVG)"},
    {ACT_SAVE_HTML,       VIEW_SAVE,                   {'h'},                            "HTML",           88, "save as a page (HTML)"},
    {ACT_SAVE_TEXT,       VIEW_SAVE,                   {'t'},                            "text",           86, "save as text"},
    {ACT_SAVE_PROGRAM,    VIEW_SAVE,                   {'p'},                            "program",        84, "save the lesson as a program in PyTorch, with your lines"},
    {ACT_CLOSE,           VIEW_SAVE,                   {PRESS_ESCAPE, 'q'},              "cancel",         95, "save nothing"},

    {ACT_SAVE,            NOT_TYPING,                  {'S'},                            NULL,              0, "save this screen as a file in the current folder"},
    {ACT_SHEET,           VIEW_HELP,                   {'f'},                            "formulas",       92, "cheat sheet: formulas, shapes, operations, PyTorch's errors"},
    {ACT_CLOSE,           CLOSABLE,                    {PRESS_ESCAPE, 'q'},              "close",          95, "close this and go back; the key that opened it does so, too"},
    {ACT_CLOSE,           VIEW_INPUT,                  {'='},                            NULL,              0, "close the input"},
    {ACT_CLOSE,           WALKING,                     {PRESS_ESCAPE},                   NULL,              0, "close what was opened last: memory (m), where a number goes (f), the comparison (c), the inside of a step (i)"},
    {ACT_CLOSE,           TYPING,                      {PRESS_ESCAPE},                   "cancel",         95, "stop typing, change nothing"},
    {ACT_CLICK,           ON_MATRIX,                   {PRESS_CLICK},                    NULL,              0, "go to what is under the mouse: a cell, a step of the timeline, a line, an operand, a key"},
    {ACT_NEXT,            WALKING & IN_TERMINAL,       {PRESS_WHEEL_DOWN},               NULL,              0, "next step"},
    {ACT_BACK,            WALKING & IN_TERMINAL,       {PRESS_WHEEL_UP},                 NULL,              0, "back one step"},
    {ACT_DOWN,            (ON_LINES | ON_TEXT) & IN_TERMINAL, {PRESS_WHEEL_DOWN},               NULL,              0, "the line below"},
    {ACT_UP,              (ON_LINES | ON_TEXT) & IN_TERMINAL, {PRESS_WHEEL_UP},                 NULL,              0, "the line above"},
    {ACT_QUESTIONS,       WALKING | VIEW_CHALLENGE,    {'Q'},                            NULL,              0, "no questions on the way; and questions again"},
    {ACT_MOUSE,           WALKING,                     {'M'},                            NULL,              0, "mouse off, so that it selects text as usual; and on again"},
    {ACT_LIGHT,           NOT_TYPING,                  {'D'},                            NULL,              0, "colours for a light screen, where more is darker, or for a dark one"},
    {ACT_TOUR,            WALKING | VIEW_HELP,         {'T'},                            "tour",           20, "tour of two minutes, which teaches the main keys"},
    {ACT_HELP,            NOT_TYPING,                  {'?', 'H'},                       "help",          100, "this help"},
    {ACT_QUIT,            WALKING & IN_TERMINAL,       {'q'},                            "quit",           95, "leave onestep (Ctrl-C leaves from anywhere)"},
};
// clang-format on

const int binding_count = sizeof bindings / sizeof *bindings;

enum action action_of(enum view_bit view, uint32_t key) {
    for (int i = 0; i < binding_count; i++) {
        if (!(bindings[i].views & (unsigned)view)) continue;
        for (int k = 0; k < KEYS_PER_ACTION && bindings[i].keys[k] != KEY_NOTHING; k++) {
            if (bindings[i].keys[k] == key) return bindings[i].action;
        }
    }
    return ACT_NOTHING;
}

static const char *const special_names[] = {
    "↑",         "↓",        "←",          "→",      "Home",          "End",
    "PgUp",      "PgDn",     "Enter",      "Esc",    "Backspace",     "Tab",
    "Shift-Tab", "Delete",   "Ctrl-←",     "Ctrl-→", "Alt-Backspace", "Alt-d",
    "click",     "wheel up", "wheel down",
};

const char *key_text(uint32_t key, char buffer[static 5]) {
    if (key >= PRESS_UP) return special_names[key - PRESS_UP];
    if (key == ' ') return "Space";
    utf8_encode(key, buffer);
    return buffer;
}

int lines_moved(const struct pressed *pressed) {
    switch (pressed->action) {
    case ACT_UP:
        return -1;
    case ACT_DOWN:
        return 1;
    case ACT_SCROLL_UP:
        return -pressed->lines;
    case ACT_SCROLL_DOWN:
        return pressed->lines;
    default:
        return 0;
    }
}
