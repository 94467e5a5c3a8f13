#ifndef ONESTEP_TESTS_WALK_WALKING_H
#define ONESTEP_TESTS_WALK_WALKING_H

// The walker without a screen, for tests: keys in, canvases out. A test that starts it in another lesson
// ends with a walker that runs: walk_tear_down() frees it.

#include "fixture.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

extern struct walker walker;
extern struct arena frame; // of what was drawn last

// A fixture.
void walk_set_up(void);
void walk_tear_down(void);

// Starts a lesson: by its number, at its first step; or with mistakes; or by its name.
void start(int lesson);
void start_at(int lesson, const char *step, const struct what_ifs *what_ifs);
void start_in(const char *lesson, const char *step);
void start_at_cell(const char *lesson, const char *step, int64_t row, int64_t column);

// start_at(), with two updates where the lesson trains: they show what two hundred do, which each mistake makes anew.
void start_briefly(int lesson, const char *step, const struct what_ifs *what_ifs);

// Goes to the first cell of the step, which may open on another one.
void to_first_cell(void);

// Keys, each a character of a text.
void press(uint32_t key);
void type(const char *keys);

struct canvas draw(int rows, int columns);
struct canvas draw_with(int rows, int columns, struct look look);
enum view_bit view_on_top(void);

// The characters of a row from a column on, and of all rows; and a text with one blank between its words.
const char *row_text(const struct canvas *canvas, int row, int column);
const char *all_text(const struct canvas *canvas);
const char *collapsed(const char *text);

// Fail the test if the screen, of 24 rows and 80 columns or of this size, lacks the text, or has it.
void expect(const char *wanted);
void expect_at(int rows, int columns, const char *wanted);
void expect_none(const char *unwanted);
// The screen has these words, wherever its lines end.
void expect_words(const char *wanted);
void expect_words_at(int rows, int columns, const char *wanted);

// The page on screen that has the cursor; fails the test if there is none.
const struct shown_page *focused_page(void);

// Fail the test unless the number under the terminal's cursor is the focused one; if the line of that
// number is cut.
void check_cursor(const struct canvas *canvas);
void check_cell_line(void);

#endif
