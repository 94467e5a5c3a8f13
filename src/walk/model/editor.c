#include "walk/model/editor.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "walk/model/action.h"

#define CONTROL(letter) ((letter) - '@')

void editor_set(struct editor *editor, const char *text) {
    editor->text[0] = '\0';
    editor->at = 0;
    size_t length = strlen(text);
    if (length >= EDITOR_ROOM) length = EDITOR_ROOM - 1;
    while (length > 0 && (text[length] & 0xC0) == 0x80) length--;
    memcpy(editor->text, text, length);
    editor->text[length] = '\0';
    editor->at = length;
}

void editor_insert(struct editor *editor, const char *text) {
    const size_t length = strlen(editor->text), more = strlen(text);
    if (length + more >= EDITOR_ROOM) return;
    memmove(editor->text + editor->at + more, editor->text + editor->at, length - editor->at + 1);
    memcpy(editor->text + editor->at, text, more);
    editor->at += more;
}

// ---- The cursor ---------------------------------------------------------------------------------

static size_t before(const struct editor *editor, size_t at) {
    if (at > 0) at--;
    while (at > 0 && (editor->text[at] & 0xC0) == 0x80) at--;
    return at;
}

static size_t behind(const struct editor *editor, size_t at) {
    if (editor->text[at] != '\0') at++;
    while ((editor->text[at] & 0xC0) == 0x80) at++;
    return at;
}

static size_t line_start(const struct editor *editor, size_t at) {
    while (at > 0 && editor->text[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const struct editor *editor, size_t at) {
    return at + strcspn(editor->text + at, "\n");
}

static bool stands_in_word(const struct editor *editor, size_t at) {
    const unsigned char byte = (unsigned char)editor->text[at];
    return byte >= 0x80 || byte == '_' || isalnum(byte);
}

// Of words as Ctrl-← and Ctrl-→ see them: names and numbers.
static size_t word_start(const struct editor *editor, size_t at) {
    while (at > 0 && !stands_in_word(editor, at - 1)) at--;
    while (at > 0 && stands_in_word(editor, at - 1)) at--;
    return at;
}

static size_t word_end(const struct editor *editor, size_t at) {
    while (editor->text[at] != '\0' && !stands_in_word(editor, at)) at++;
    while (editor->text[at] != '\0' && stands_in_word(editor, at)) at++;
    return at;
}

int editor_line(const struct editor *editor) {
    int line = 0;
    for (size_t i = 0; i < editor->at; i++) line += editor->text[i] == '\n';
    return line;
}

size_t editor_column(const struct editor *editor) {
    return editor->at - line_start(editor, editor->at);
}

// Of the line that begins at `start`, the place as many characters behind as the cursor is in its own.
static size_t same_column(const struct editor *editor, size_t start) {
    const size_t end = line_end(editor, start);
    size_t at = start;
    for (size_t i = line_start(editor, editor->at); i < editor->at && at < end;
         i = behind(editor, i))
        at = behind(editor, at);
    return at;
}

// ---- Keys ---------------------------------------------------------------------------------------

// Where a key moves the cursor to; false if it is no such key.
static bool find_place(const struct editor *editor, uint32_t key, size_t *position) {
    const size_t at = editor->at;
    switch (key) {
    case PRESS_LEFT:
        *position = before(editor, at);
        return true;
    case PRESS_RIGHT:
        *position = behind(editor, at);
        return true;
    case PRESS_HOME:
    case CONTROL('A'):
        *position = line_start(editor, at);
        return true;
    case PRESS_END:
    case CONTROL('E'):
        *position = line_end(editor, at);
        return true;
    case PRESS_WORD_LEFT:
        *position = word_start(editor, at);
        return true;
    case PRESS_WORD_RIGHT:
        *position = word_end(editor, at);
        return true;
    default:
        return false;
    }
}

// Up to which place a key removes what is there; false if it is no such key. Ctrl-K joins lines where the line has ended.
static bool find_removed(const struct editor *editor, uint32_t key, size_t *position) {
    const size_t at = editor->at, end = line_end(editor, at);
    switch (key) {
    case PRESS_BACKSPACE:
        *position = before(editor, at);
        return true;
    case PRESS_DELETE:
    case CONTROL('D'):
        *position = behind(editor, at);
        return true;
    case CONTROL('U'):
        *position = line_start(editor, at);
        return true;
    case CONTROL('K'):
        *position = end > at ? end : behind(editor, at);
        return true;
    case CONTROL('W'):
    case PRESS_DELETE_WORD:
        *position = word_start(editor, at);
        return true;
    case PRESS_DELETE_AHEAD:
        *position = word_end(editor, at);
        return true;
    default:
        return false;
    }
}

bool editor_takes(struct editor *editor, uint32_t key) {
    const size_t at = editor->at, start = line_start(editor, at), end = line_end(editor, at);
    size_t position = at;
    char bytes[5];
    if (find_removed(editor, key, &position)) { // what lies between the cursor and that place
        editor->at = position < at ? position : at;
        char *behind_it = editor->text + (position < at ? at : position);
        memmove(editor->text + editor->at, behind_it, strlen(behind_it) + 1);
    } else if (find_place(editor, key, &position))
        editor->at = position;
    else if (key == PRESS_UP && start > 0)
        editor->at = same_column(editor, line_start(editor, start - 1));
    else if (key == PRESS_DOWN && editor->text[end] != '\0')
        editor->at = same_column(editor, end + 1);
    else if (key == '\n' || key == '\t')
        editor_insert(editor, key == '\n' ? "\n" : "    ");
    else if (key < PRESS_UP && character_width(key) > 0) {
        utf8_encode(key, bytes);
        editor_insert(editor, bytes);
    } else
        return false;
    return true;
}

// ---- More lines ---------------------------------------------------------------------------------

// Behind a string that begins here; strings of three quotes may have several lines.
static const char *skip_string(const char *at) {
    const char quote = *at;
    const size_t quotes = at[1] == quote && at[2] == quote ? 3 : 1;
    for (at += quotes; *at != '\0'; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        else if (*at == quote && (quotes == 1 || (at[1] == quote && at[2] == quote)))
            return at + quotes;
        else if (*at == '\n' && quotes == 1)
            return at;
    }
    return at;
}

// How many brackets are open at the end of the text; *last is the last character of code in it.
static int open_brackets(const char *text, char *last) {
    int open = 0;
    *last = '\0';
    for (const char *at = text; *at != '\0';) {
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        if (strchr("([{", *at) != NULL) open++;
        if (strchr(")]}", *at) != NULL) open--;
        if (*at != ' ' && *at != '\n') *last = *at;
        at = *at == '"' || *at == '\'' ? skip_string(at) : at + 1;
    }
    return open;
}

bool editor_is_open(const struct editor *editor) {
    char last;
    return open_brackets(editor->text, &last) > 0;
}

bool editor_goes_on(struct editor *editor) {
    enum { INDENT = 4 };
    if (editor->text[editor->at] != '\0') return false;
    char last;
    const int open = open_brackets(editor->text, &last);
    const char *line = editor->text + line_start(editor, editor->at);
    size_t indent = strspn(line, " ");
    const bool is_blank = line[indent] == '\0', stands_in_block = indent > 0 && !is_blank;
    if (is_blank || (open <= 0 && last != ':' && !stands_in_block)) return false;
    if (last == ':' || (open > 0 && indent == 0)) indent += INDENT;
    editor_insert(editor, "\n");
    for (size_t i = 0; i < indent; i++) editor_insert(editor, " ");
    return true;
}
