#ifndef ONESTEP_TESTS_TERMINAL_SCREEN_H
#define ONESTEP_TESTS_TERMINAL_SCREEN_H

// What stands on the screen of a program that runs on a pseudo-terminal, for the tests of this folder: each
// starts the program, presses keys and looks. A function that finds something wrong fails the test. With
// ONESTEP_TESTS_SLOW set, what is sampled else is complete.

#include "pty.h"

#include <check.h> // last: defines a macro fail

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OPEN(...) pty_open(&(struct pty_options){__VA_ARGS__})

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as gcc calls it
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

bool is_slow(void);

// The place that the title line tells: "step 4/17  name".
struct place {
    int step, count;
    char name[80];
};
// Returns false if this is no screen of a step.
bool read_place(const struct pty *pty, struct place *place);
struct place place_of(const struct pty *pty);

// The text under the cursor up to the next blank.
const char *word_at_cursor(const struct pty *pty);

// Is the hardware cursor on the focused cell, for those who follow it with fingers or ears?
bool is_cursor_on_focus(const struct pty *pty);
void assert_step_screen(const struct pty *pty);
void look_at_step(struct pty *pty); // the same, with its keys

// Goes to the next step: beside this one, or on the next screen.
void go_on(struct pty *pty);
// Walks until the step of this name is on the screen.
void go_to(struct pty *pty, const char *name);
// Calls `look` with every step of every lesson on the screen; returns how many there are.
int for_each_step(struct pty *pty, void (*look)(struct pty *pty));

// Relative luminance, as the guidelines for accessible content define it, of a colour of the cube or
// the greys of the 256-colour palette. (Below 16 every user has colours of his own.)
double luminance(const VTermColor *colour);
int count_coloured_cells(const struct pty *pty);
// How often a text is on the screen.
int count_text(const struct pty *pty, const char *text);
// Every cell has both colours or none: so it is readable on light and on dark terminals.
void look_at_contrast(struct pty *pty);

// Numbers of the matrix under the cursor, with the column in which each begins.
struct number {
    int row, column;
    double value;
};
// Reads the (6, 6) matrix whose first cell has the cursor.
void read_scores(struct pty *pty, struct number numbers[36]);

void assert_settings_as_before(const struct pty *pty);
void assert_given_back(const struct pty *pty);

// Curses itself loses memory for this terminal, as the sanitizers see.
const char *leaks_of(const char *environment);

void quit(struct pty *pty);

struct file {
    char path[64];
    char text[4096];
};
struct file file_new(void);
void read_and_remove(struct file *file);

TCase *add_terminal_case(Suite *suite, const char *name);

#endif
