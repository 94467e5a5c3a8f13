#ifndef ONESTEP_WALK_MODEL_EDITOR_H
#define ONESTEP_WALK_MODEL_EDITOR_H

// A text of one or several lines that is being edited, with a cursor.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDITOR_ROOM = 8192 };

struct editor {
    char text[EDITOR_ROOM]; // UTF-8; lines end in \n
    size_t at;              // the cursor, in bytes
};

// Another text, of which no more is taken than there is room for; the cursor stands behind it.
void editor_set(struct editor *editor, const char *text);

// Puts some text in at the cursor, unless there is no room for all of it.
void editor_insert(struct editor *editor, const char *text);

// Does what a key does to a text, as in a shell: a character, a pasted '\n' or '\t' (four blanks), Backspace, Delete, ←, →,
// Home and End or Ctrl-A and Ctrl-E, words by Ctrl-← and Ctrl-→; ↑ and ↓ where there is a line above or below; Ctrl-U and
// Ctrl-K, which clear the line before the cursor or behind it, Ctrl-W and Alt-d, which clear a word. Returns false for all
// other keys.
bool editor_takes(struct editor *editor, uint32_t key);

// The cursor's line, from 0, and the bytes before it in that line.
int editor_line(const struct editor *editor);
size_t editor_column(const struct editor *editor);

// Is a bracket open at the end of the text?
bool editor_is_open(const struct editor *editor);

// Goes on in a new line, if Python needs more: a bracket is open, or the line begins a block or stands in one. Only at the
// end of the text. Returns false if the text is whole.
bool editor_goes_on(struct editor *editor);

#endif
