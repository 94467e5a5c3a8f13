// Using the program: the cursor, the mouse, mistakes, and coming back to where one was.

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "screen.h"

// ---- The cursor, through anything ---------------------------------------------------------------

START_TEST(the_cursor_is_on_the_number_asked_for) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"));
    ck_assert_str_eq(word_at_cursor(&pty), "1.4950"); // the largest
    pty_press(&pty, VTERM_KEY_HOME);
    pty_press(&pty, VTERM_KEY_UP);
    ck_assert_str_eq(word_at_cursor(&pty), "0.9995");
    pty_press(&pty, VTERM_KEY_DOWN); // journey
    ck_assert_str_eq(word_at_cursor(&pty), "0.9544");
    pty_press(&pty, VTERM_KEY_RIGHT);
    ck_assert_str_eq(word_at_cursor(&pty), "1.4950");
    pty_type(&pty, "l");
    ck_assert_str_eq(word_at_cursor(&pty), "1.4754");
    pty_press(&pty, VTERM_KEY_END);
    ck_assert_str_eq(word_at_cursor(&pty), "1.0865");
    pty_press(&pty, VTERM_KEY_UP);
    ck_assert_str_eq(word_at_cursor(&pty), "0.6310");
    pty_press(&pty, VTERM_KEY_HOME);
    ck_assert_str_eq(word_at_cursor(&pty), "0.9995");
    pty_close(&pty);
}
END_TEST

// Keys that mean nothing, sequences that are cut, and bytes that are no UTF-8 harm nobody.
START_TEST(strange_input_is_survived) {
    static const char *const inputs[] = {
        "\033[",     "\033O",        "\033[999;999~",    "\377\376", "\303",
        "\033OP",    "\033[2~",      "\001\002\005\006", "日本",     "\033[200~x\033[201~",
        "\033[M   ", "\033[<0;1;1M", "\033]0;x\007"};
    struct pty pty = OPEN(0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) pty_send(&pty, inputs[i]);
    pty_send(&pty, "\033\033\033[[[[[[[G"); // out of wherever that has led
    pty_wait_text(&pty, "step 12/12");
    assert_step_screen(&pty);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(the_mouse_points_and_turns) {
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "scores"));
    ck_assert(pty.wants_mouse);
    struct number numbers[36];
    read_scores(&pty, numbers);
    const struct number *chosen = &numbers[6 * 3 + 2];
    pty_click(&pty, 1, chosen->row, chosen->column + 1);
    ck_assert_int_eq(pty_cursor(&pty).row, chosen->row);
    ck_assert_int_eq(pty_cursor(&pty).col, chosen->column);
    const int step = place_of(&pty).step;
    pty_click(&pty, 5, 10, 10);
    ck_assert_int_eq(place_of(&pty).step, step + 1);
    pty_click(&pty, 4, 10, 10);
    ck_assert_int_eq(place_of(&pty).step, step);
    pty_type(&pty, "M");
    ck_assert(!pty.wants_mouse);
    pty_type(&pty, "M");
    ck_assert(pty.wants_mouse);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(pasted_text_brings_few_frames) {
    char pasted[1025] = {0};
    memset(pasted, 'x', 1024);
    struct pty pty = OPEN(.arguments = WORDS("causal"));
    pty_type(&pty, "/");
    const unsigned long frames = pty.frames;
    pty_send(&pty, pasted);
    pty_wait_text(&pty, "Search: xxxxx");
    pty_type(&pty, "\033");
    pty_wait_text(&pty, "step 1/");
    ck_assert_uint_le(pty.frames - frames, 100);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

static struct pty open_editor(void) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "weights"));
    pty_type(&pty, "y");
    pty_send(&pty, "\025"); // Ctrl-U
    return pty;
}

// Where the terminal says what is pasted, and where several lines come at once; \r is what terminals send for a line's end.
static const char *const pastes[] = {
    "\033[200~d = keys.shape[-1]\r\tweights = scores\033[201~",
    "d = keys.shape[-1]\r\tweights = scores",
    "\033[200~d = keys.shape[-1]\n\tweights = scores\033q\033[A\033[201~"};

START_TEST(several_lines_are_pasted_into_the_editor) {
    struct pty pty = open_editor();
    ck_assert_ptr_nonnull(strstr(pty.written, "\033[?2004h"));
    pty_wait_text(&pty, "Enter run");
    pty_send(&pty, pastes[_i]);
    pty_wait_text(&pty, ">>> d = keys.shape[-1]");
    pty_wait_text(&pty, "...     weights = scores");
    pty_type(&pty, "\033");
    pty_wait_text(&pty, "step 8/19");
    ck_assert_ptr_nonnull(strstr(pty.written, "\033[?2004l"));
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_signal_ends_what_a_paste_is) {
    struct pty pty = open_editor();
    pty_wait_text(&pty, "Enter run");
    kill(pty.program, SIGTERM);
    pty_wait_status(&pty);
    assert_given_back(&pty);
    const char *end = pty.written;
    for (const char *at = end; (at = strstr(at, "\033[?2004h")) != NULL; at++) end = at;
    ck_assert_ptr_nonnull(strstr(end, "\033[?2004l"));
    pty_close(&pty);
}
END_TEST

START_TEST(keys_edit_a_line_as_in_a_shell) {
    static const struct {
        const char *keys, *line;
    } cases[] = {
        {"\025scores.max\033[1;5DX", ">>> scores.Xmax"},
        {"\033bY", ">>> scores.YXmax"},
        {"\033fZ", ">>> scores.YXmaxZ"},
        {"\001A", ">>> Ascores.YXmaxZ"},
        {"\033[3~", ">>> Acores.YXmaxZ"},
        {"\033[1;5C\013", ">>> Acores"},
        {"\005B", ">>> AcoresB"},
        {"\027C", ">>> C"},
        {"\033[1;2Dd", ">>> Cd"},
        {"\033xe", ">>> Cde"},
        {"\033[999;999~f", ">>> Cdef"},
        {"\033OPg", ">>> Cdefg"},
    };
    struct pty pty = open_editor();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pty_send(&pty, cases[i].keys);
        pty_wait_text(&pty, cases[i].line);
    }
    pty_type(&pty, "\033");
    pty_send(&pty, "\033[1;5D\033[1;2C\033bn"); // n alone is a key of the walker
    pty_wait_text(&pty, "step 9/19");
    pty_type(&pty, "y");
    pty_press(&pty, VTERM_KEY_UP); // what Esc left
    ck_assert(pty_shows(&pty, ">>> Cdefg"));
    pty_type(&pty, "\033");
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(leaving_says_how_to_see_a_changed_line_again) {
    struct pty pty = open_editor();
    pty_send(&pty, "weights = scores if 'a' else 0\r");
    pty_wait_text(&pty, "steps changed");
    pty_send(&pty, "q");
    pty_wait_status(&pty);
    pty_drain(&pty);
    ck_assert(pty_shows(&pty, "Your lines again: onestep walk causal --step 'weights' --line "));
    ck_assert_ptr_nonnull(
        strstr(pty.written, "--line 'weights=weights = scores if '\\''a'\\'' else 0'"));
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_small_stack_is_enough) {
    enum { STACK = 256 << 10 };
    if (IS_SANITIZED) return; // whose frames are several times as large
    struct pty pty =
        OPEN(.arguments = WORDS("training", "--step", "losses"), .stack = STACK, .columns = 160);
    pty_type(&pty, "a"); // trains again
    pty_type(&pty, "c");
    pty_press(&pty, VTERM_KEY_HOME);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

// ---- Mistakes -----------------------------------------------------------------------------------

START_TEST(a_mistake_is_made_and_unmade) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "causal_weights"));
    pty_press(&pty, VTERM_KEY_PAGEUP);
    pty_press(&pty, VTERM_KEY_DOWN);
    struct picture before = pty_picture(&pty);
    pty_type(&pty, "x");
    ck_assert(pty_shows(&pty, "[ ] * Softmax down the columns")); // one of five made at this step
    for (int i = 0; i < 5; i++) pty_press(&pty, VTERM_KEY_DOWN);
    ck_assert(pty_shows(&pty, "[ ]   Scores not divided by √d_k"));
    assert_step_screen(&pty);
    pty_press(&pty, VTERM_KEY_ENTER);
    ck_assert(pty_shows(&pty, "[x]   Scores not divided by √d_k"));
    ck_assert(pty_shows(&pty, "CHANGED: what if no-scale."));
    pty_type(&pty, "\033");
    ck_assert(pty_shows(&pty, "[journey, Your] = 0.5728, right 0.5517, difference 0.0211"));
    ck_assert_int_eq(count_text(&pty, "≠0."), 20);
    pty_resize(&pty, 40, 120);
    ck_assert(pty_shows(&pty, "without the mistake"));
    pty_resize(&pty, 24, 80);
    pty_type(&pty, "u");
    pty_press(&pty, VTERM_KEY_UP);
    pty_press(&pty, VTERM_KEY_DOWN);
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    free(before.cells);
    free(after.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// The best experiment there is: change a later token, and no earlier row changes.
START_TEST(the_input_is_changed_where_it_stands) {
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "context"));
    struct picture before = pty_picture(&pty);
    pty_type(&pty, "=");
    pty_press(&pty, VTERM_KEY_PAGEUP);
    for (int i = 0; i < 4; i++) pty_press(&pty, VTERM_KEY_DOWN);
    ck_assert_str_eq(word_at_cursor(&pty), "0.7700");
    pty_type(&pty, "5");
    ck_assert(pty_shows(&pty, "inputs[one, d1] = 5"));
    pty_press(&pty, VTERM_KEY_ENTER);
    ck_assert_str_eq(word_at_cursor(&pty), "5.0000");
    ck_assert(pty_shows(&pty, "CHANGED: input edited"));
    ck_assert(pty_shows(&pty, "inputs[one, d1] = 5.0000, before 0.7700. u undoes it."));
    ck_assert(pty_shows(&pty, "numbers changed in rows one and step."));
    ck_assert_int_eq(count_text(&pty, "≠"), 1 + 4);
    pty_type(&pty, "u");
    pty_type(&pty, "\033");
    pty_press(&pty, VTERM_KEY_DOWN);
    pty_press(&pty, VTERM_KEY_UP);
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    free(before.cells);
    free(after.cells);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

// ---- Saving the screen ---------------------------------------------------------------------------

// A folder of its own, which is the current one from now on.
static void begin_in_folder(char folder[static 32]) {
    strcpy(folder, "/tmp/onestep-saved-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

// Reads a file of the current folder and removes it; "" if it is not there.
static const char *take_file(const char *name) {
    static char text[200000];
    FILE *file = fopen(name, "r");
    if (file == NULL) return "";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(name);
    return text;
}

START_TEST(a_key_saves_the_screen) {
    char folder[32], rows[24 * 400] = "";
    begin_in_folder(folder);
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "masked_scores"));
    struct picture before = pty_picture(&pty);
    for (int row = 0; row < 24; row++) {
        strcat(rows, pty_text(&pty, row, 0));
        strcat(rows, "\n");
    }
    pty_type(&pty, "S");
    ck_assert(pty_shows(&pty, "s save SVG  h HTML  t text  p program  Esc cancel"));
    pty_type(&pty, "t");
    ck_assert_str_eq(pty_text(&pty, 23, 1), "Saved as onestep-causal-masked_scores.txt.");
    ck_assert_str_eq(take_file("onestep-causal-masked_scores.txt"), rows);
    pty_type(&pty, "S");
    pty_type(&pty, "\033");
    struct picture after = pty_picture(&pty);
    ck_assert(same_picture(&before, &after));
    for (int i = 0; i < 2; i++) {
        pty_type(&pty, "S");
        pty_type(&pty, "s");
    }
    ck_assert(pty_shows(&pty, "Saved as onestep-causal-masked_scores-2.svg."));
    const char *figure = take_file("onestep-causal-masked_scores.svg");
    ck_assert_int_eq(strncmp(figure, "<svg", 4), 0);
    ck_assert_ptr_nonnull(strstr(figure, "Hide the future"));
    ck_assert_ptr_nonnull(strstr(take_file("onestep-causal-masked_scores-2.svg"), "</svg>"));
    pty_type(&pty, "v"); // on any view: here on the map
    pty_type(&pty, "S");
    pty_type(&pty, "h");
    ck_assert(pty_shows(&pty, "Saved as onestep-causal-masked_scores.html."));
    ck_assert_ptr_nonnull(strstr(take_file("onestep-causal-masked_scores.html"), "</html>"));
    pty_type(&pty, "\033");
    quit(&pty);
    pty_close(&pty);
    free(before.cells);
    free(after.cells);
    ck_assert_int_eq(rmdir(folder), 0); // nothing else lies there
}
END_TEST

START_TEST(a_screen_that_cannot_be_saved_says_why) {
    char folder[32];
    begin_in_folder(folder);
    ck_assert_int_eq(rmdir(folder), 0); // so that no file can lie there, whoever writes
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "context"));
    pty_type(&pty, "S");
    pty_type(&pty, "s");
    ck_assert_str_eq(pty_text(&pty, 23, 1), "Not saved: cannot write onestep-causal-context.svg: "
                                            "No such file or directory.");
    const int step = place_of(&pty).step;
    pty_type(&pty, "b");
    ck_assert_int_lt(place_of(&pty).step, step);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(a_mistake_that_changes_nothing_says_so_at_the_start) {
    struct pty pty = OPEN(.arguments = WORDS("split_head", "--what-if", "dropout-before-softmax"));
    ck_assert(pty_shows(
        &pty, "dropout-before-softmax changes nothing here: nothing is dropped: p is 0."));
    quit(&pty);
    pty_close(&pty);
}
END_TEST

START_TEST(marks_of_mistakes_are_readable_in_ascii) {
    struct pty pty =
        OPEN(.arguments = WORDS("causal", "--step", "masked_scores", "--what-if=mask-zero"),
             .environment = WORDS("LC_ALL=C", "NO_COLOR=1"), .uses_bytes = true);
    ck_assert_int_eq(count_text(&pty, "!0.0"), 15); // in as many digits as there is room for
    ck_assert(pty_shows(&pty, "...o|oooo|oo#!!!!"));
    ck_assert_int_eq(pty.high_bytes, 0);
    pty_type(&pty, "?");
    pty_type(&pty, "f");
    ck_assert(pty_shows(&pty, "softmax(Q K^T / sqrt(d_k)) V"));
    ck_assert_int_eq(pty.high_bytes, 0);
    pty_close(&pty);
}
END_TEST

// ---- Coming back --------------------------------------------------------------------------------

struct home {
    char folder[32], state[64]; // "XDG_STATE_HOME=..."
};

static struct home home_new(void) {
    struct home home = {.folder = "/tmp/onestep-test-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(home.folder));
    snprintf(home.state, sizeof home.state, "XDG_STATE_HOME=%s", home.folder);
    return home;
}

static void home_remove(const struct home *home) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", home->folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_place_is_kept) {
    const struct home home = home_new();
    struct pty pty = OPEN(.arguments = WORDS("causal"), .environment = WORDS(home.state));
    go_to(&pty, "masked_scores");
    quit(&pty);
    pty_close(&pty);
    pty = OPEN(.environment = WORDS(home.state)); // no lesson named: the last one
    const struct place place = place_of(&pty);
    ck_assert_str_eq(place.name, "masked_scores");
    ck_assert_int_eq(count_text(&pty, "You left this lesson here. g starts it again"), 1);
    pty_type(&pty, "g");
    ck_assert_int_eq(place_of(&pty).step, 1);
    pty_type(&pty, "n");
    pty_type(&pty, "]");
    ck_assert_int_eq(place_of(&pty).step, 1);
    ck_assert_int_eq(count_text(&pty, "where you left"), 0);
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

// Which steps of a lesson were seen by the file in the home, as bits from the first step on.
static unsigned long steps_seen(const struct home *home, const char *lesson) {
    char path[64], line[2048], start[64];
    snprintf(path, sizeof path, "%s/onestep/progress", home->folder);
    snprintf(start, sizeof start, "%s\t", lesson);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    unsigned long seen = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *bits = strstr(line, "\tseen ");
        if (strncmp(line, start, strlen(start)) == 0 && bits != NULL)
            seen = strtoul(bits + strlen("\tseen "), NULL, 16);
    }
    fclose(file);
    return seen;
}

static bool says_no_questions(const struct home *home) {
    char path[64], line[2048];
    snprintf(path, sizeof path, "%s/onestep/progress", home->folder);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    bool says_so = false;
    while (fgets(line, sizeof line, file) != NULL)
        says_so = says_so || strstr(line, "\tno questions") != NULL;
    fclose(file);
    return says_so;
}

// A long file, so that reading it and replacing it take some time: lessons of a later version, which are kept.
static void leave_long_progress(const struct home *home) {
    char path[64], note[1001];
    memset(note, 'x', sizeof note - 1);
    note[sizeof note - 1] = '\0';
    snprintf(path, sizeof path, "%s/onestep", home->folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/onestep/progress", home->folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 40; i++) fprintf(file, "later_%d\tnote %s\n", i, note);
    ck_assert_int_eq(fclose(file), 0);
}

// A window of tabs: each walks through another lesson, all step at once, and all are closed at once. The last step may be
// one that no frame has shown.
START_TEST(tabs_that_close_at_once_keep_all_that_was_seen) {
    static const char *const walked[] = {"trainable",  "causal", "dropout",   "wrapper",
                                         "split_head", "model",  "gradients", "block"};
    enum { TABS = sizeof walked / sizeof *walked, STEPS = 16 };
    const struct home home = home_new();
    leave_long_progress(&home);
    struct pty tabs[TABS];
    for (int i = 0; i < TABS; i++)
        tabs[i] = OPEN(.arguments = WORDS(walked[i]), .environment = WORDS(home.state));
    for (int step = 1; step <= STEPS; step++) {
        unsigned long frames[TABS];
        for (int i = 0; i < TABS; i++) frames[i] = tabs[i].frames;
        for (int i = 0; i < TABS; i++) pty_send(&tabs[i], "N");
        for (int i = 0; i < TABS && step < STEPS; i++) pty_wait_frames(&tabs[i], frames[i] + 1);
    }
    for (int i = 0; i < TABS; i++) pty_hang_up(&tabs[i]);
    for (int i = 0; i < TABS; i++) {
        const int status = pty_wait_status(&tabs[i]);
        ck_assert(WIFEXITED(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
        pty_close(&tabs[i]);
    }
    const unsigned long shown = (1UL << (STEPS - 1)) - 1; // and written before the next frame
    for (int i = 0; i < TABS; i++) {
        const unsigned long seen = steps_seen(&home, walked[i]);
        ck_assert_msg((seen & shown) == shown, "%s: of %lx, %lx", walked[i], shown, seen);
    }
    home_remove(&home);
}
END_TEST

// Another walk comes into the lesson after it began, and knows little of what was seen there.
START_TEST(what_two_walks_saw_of_a_lesson_is_kept) {
    const struct home home = home_new();
    struct pty ours = OPEN(.arguments = WORDS("causal"), .environment = WORDS(home.state));
    struct pty other = OPEN(.arguments = WORDS("trainable"), .environment = WORDS(home.state));
    for (int i = 0; i < 4; i++) pty_type(&ours, "n");
    quit(&ours);
    pty_close(&ours);
    const unsigned long seen = steps_seen(&home, "causal");
    pty_type(&other, "]");
    ck_assert_int_eq(place_of(&other).step, 1);
    quit(&other);
    pty_close(&other);
    ck_assert(seen >= 1UL << 4);
    ck_assert_msg(steps_seen(&home, "causal") == seen, "of %lx, %lx", seen,
                  steps_seen(&home, "causal"));
    home_remove(&home);
}
END_TEST

// The offer of the tour in the last row: once, and never again.
START_TEST(the_tour_is_offered_once) {
    static const char offer[] = "First time here? n: the next step. T: a tour";
    const struct home home = home_new();
    struct pty pty = OPEN(.environment = WORDS(home.state));
    ck_assert_int_eq(count_text(&pty, offer), 1);
    ck_assert_int_eq(place_of(&pty).step, 1);
    if (_i == 1) pty_type(&pty, "T"); // taken, and left in the middle of it
    if (_i == 1) ck_assert_int_eq(count_text(&pty, "Tour 1/"), 1);
    if (_i == 1) pty_type(&pty, "n");
    if (_i == 1) ck_assert_int_eq(count_text(&pty, "Tour 2/"), 1);
    if (_i == 2) pty_type(&pty, "n"); // not taken
    ck_assert_int_eq(count_text(&pty, offer), _i == 0);
    if (_i == 2) ck_assert_int_eq(place_of(&pty).step, 2);
    quit(&pty);
    pty_close(&pty);
    pty = OPEN(.environment = WORDS(home.state));
    ck_assert_int_eq(count_text(&pty, offer), 0);
    ck_assert_int_eq(count_text(&pty, "Tour "), 0);
    ck_assert_int_eq(place_of(&pty).step, _i == 2 ? 2 : 1);
    pty_type(&pty, "T");
    ck_assert_int_eq(count_text(&pty, "Tour 1/"), 1);
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

// The environment ends the questions of a walk (pty.c sets it), the key Q those of all that follow.
START_TEST(questions_are_asked_unless_they_are_ended) {
    const struct home home = home_new();
    struct pty pty = OPEN(.arguments = WORDS("simplified"), .environment = WORDS(home.state));
    pty_type(&pty, "n");
    pty_type(&pty, "n");
    ck_assert_int_eq(count_text(&pty, "Your turn."), 0);
    quit(&pty);
    pty_close(&pty);
    ck_assert(!says_no_questions(&home));
    pty = OPEN(.arguments = WORDS("simplified", "--step", "query"),
               .environment = WORDS(home.state, "ONESTEP_QUESTIONS"));
    pty_type(&pty, "n");
    ck_assert_int_eq(count_text(&pty, "Your turn."), 1);
    pty_type(&pty, "Q");
    ck_assert_int_eq(count_text(&pty, "Nothing is asked any more."), 1);
    quit(&pty);
    pty_close(&pty);
    ck_assert(says_no_questions(&home));
    home_remove(&home);
}
END_TEST

// Nobody has walked before: lesson 0 is open, and Esc goes on to lesson 1, where the next walk begins.
START_TEST(the_first_walk_begins_with_lesson_0) {
    const struct home home = home_new();
    struct pty pty = OPEN(.environment = WORDS(home.state));
    ck_assert_str_eq(place_of(&pty).name, "ids");
    ck_assert_int_eq(count_text(&pty, " 0 Why attention"), 1);
    pty_type(&pty, "\033");
    ck_assert_str_eq(place_of(&pty).name, "inputs");
    ck_assert_int_eq(count_text(&pty, " 1 Simplified self-attention"), 1);
    quit(&pty);
    pty_close(&pty);
    pty = OPEN(.environment = WORDS(home.state));
    ck_assert_str_eq(place_of(&pty).name, "inputs");
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

START_TEST(the_tour_is_named_where_nothing_is_kept) {
    struct pty pty = OPEN(.columns = 80);
    ck_assert_int_eq(count_text(&pty, "First time here?"), 0);
    ck_assert_int_eq(count_text(&pty, "T tour"), 1);
    quit(&pty);
    pty_close(&pty);
}
END_TEST

static const struct {
    const char *progress, *name; // of the step where the walk starts
} strange_places[] = {
    {"causal\tstep 512\tseen ffffffffffffffffffff\tguesses 9 of 9\tlast\n", "context"},
    {"causal\tstep 3\tlast", "W_value"},
    {"relative\tstep 7\tseen 1f\tlast\ncausal\tstep 3\n", "ids"},
    {"\xff\x01\tlast\n\n\n\tlast\ncausal\tlast\n", "W_query"},
    {"", "ids"},
};
enum { STRANGE_PLACES = sizeof strange_places / sizeof *strange_places };

START_TEST(a_strange_place_is_survived) {
    const struct home home = home_new();
    char path[64];
    snprintf(path, sizeof path, "%s/onestep", home.folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/onestep/progress", home.folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(strange_places[_i].progress, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    struct pty pty = OPEN(.environment = WORDS(home.state));
    const struct place place = place_of(&pty);
    ck_assert_str_eq(place.name, strange_places[_i].name);
    assert_step_screen(&pty);
    quit(&pty);
    pty_close(&pty);
    home_remove(&home);
}
END_TEST

static const struct {
    const char *environment[2], *note;
} homes[] = {
    {{"XDG_STATE_HOME=/proc/state"}, // where nobody can make a folder, whoever he is
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/proc/state/onestep: No such file or directory\n"},
    {{"XDG_STATE_HOME=/dev/null"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/dev/null/onestep: Not a directory\n"},
    {{"XDG_STATE_HOME", "HOME=/proc/home"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/proc/home/.local/state/onestep: No such file or directory\n"},
    {{"XDG_STATE_HOME", "HOME=/dev/null"},
     "onestep: note: your place in the lessons is not kept: cannot make the folder "
     "/dev/null/.local/state/onestep: Not a directory\n"},
    {{"XDG_STATE_HOME", "HOME"}, ""}, // none is named, so none is missed
};
enum { HOMES = sizeof homes / sizeof *homes };

START_TEST(without_a_home_the_walk_is_the_same) {
    struct file error = file_new();
    const char *const *environment = WORDS(homes[_i].environment[0], homes[_i].environment[1]);
    struct pty pty = OPEN(.environment = environment, .error = error.path);
    pty_type(&pty, "n");
    ck_assert_int_eq(place_of(&pty).step, 2);
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    read_and_remove(&error);
    ck_assert_str_eq(error.text, homes[_i].note);
}
END_TEST

// ---- Lines --------------------------------------------------------------------------------------

START_TEST(a_line_is_tried_where_it_stands) {
    char folder[32];
    begin_in_folder(folder);
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "weights"));
    pty_type(&pty, "y");
    pty_send(&pty, "\025weights = torch.softmax(scores, dim=0)\r");
    pty_wait_text(&pty, "4 of 11 steps changed");
    pty_wait_text(&pty, "0.2006"); // PyTorch's
    pty_type(&pty, "S");
    pty_type(&pty, "p");
    ck_assert_str_eq(pty_text(&pty, 23, 1), "Saved as onestep-simplified.py.");
    const char *program = take_file("onestep-simplified.py");
    ck_assert_ptr_nonnull(
        strstr(program, "\nweights = torch.softmax(scores, dim=0)\nprint(weights)\n"));
    pty_type(&pty, "u");
    pty_wait_text(&pty, "All lines are the lesson's.");
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

// By Esc, once it says that it takes long; and by Ctrl-C.
START_TEST(a_line_that_never_ends_can_be_stopped) {
    static const char *const keys[] = {"\033", "\003"};
    struct pty pty = OPEN(.arguments = WORDS("simplified", "--step", "weights"));
    for (int i = 0; i < 2; i++) {
        pty_type(&pty, "y");
        pty_send(&pty, "\025while 'a' * 3000000 != '': pass\r");
        pty_wait_words(&pty, "Running. Esc or Ctrl-C stops it.");
        pty_send(&pty, keys[i]);
        pty_wait_text(&pty, "KeyboardInterrupt: you stopped it");
        pty_wait_text(&pty, "n next");
        pty_type(&pty, "u");
        pty_wait_text(&pty, "All lines are the lesson's.");
    }
    pty_send(&pty, "\033"); // is a key again
    pty_wait_text(&pty, "Nothing is open over this step.");
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

// The work of an answer ends with its verdict, not with its line. After that Esc is a key again.
START_TEST(an_answer_that_never_ends_can_be_stopped) {
    static const char *const keys[] = {"\033", "\003"};
    struct pty pty = OPEN(.arguments = WORDS("causal", "--step", "causal_weights"));
    for (int i = 0; i < 2; i++) {
        pty_type(&pty, "Y");
        pty_wait_text(&pty, "Your turn.");
        pty_type(&pty, "\r");
        pty_send(&pty, "[scores for i in range(10**12) if 'a' * 3000000 == '']\r");
        pty_wait_words(&pty, "Running. Esc or Ctrl-C stops it.");
        pty_send(&pty, keys[i]);
        pty_wait_text(&pty, "Y: once more.");
        pty_wait_text(&pty, "n next");
    }
    pty_send(&pty, "\033");
    pty_wait_text(&pty, "Nothing is open over this step.");
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
}
END_TEST

// ---- A program ----------------------------------------------------------------------------------

static void write_program(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static const char program[] = "import torch\n"
                              "def double(x):\n"
                              "    y = x + x\n"
                              "    return y * 1\n"
                              "a = torch.ones(2)\n"
                              "for i in range(9):\n"
                              "    a = double(a)\n";

// n passes over the steps of a call, I enters it, O leaves it, # asks for a turn.
START_TEST(a_call_is_entered_and_left) {
    char folder[32];
    begin_in_folder(folder);
    write_program("calls.py", program);
    struct pty pty = OPEN(.arguments = WORDS("calls.py"));
    pty_wait_text(&pty, "step 1/13  a");
    pty_type(&pty, "n");
    pty_wait_text(&pty, "step 4/13 (2-3 inside)  turn 1 of 9: a");
    pty_wait_text(&pty, "I enter");
    pty_type(&pty, "I");
    pty_wait_text(&pty, "step 2/13  turn 1 of 9, double: y");
    pty_wait_text(&pty, "O leave");
    pty_type(&pty, "n");
    pty_wait_text(&pty, "step 3/13  turn 1 of 9, double: return");
    pty_type(&pty, "O");
    pty_wait_text(&pty, "step 4/13 (2-3 inside)  turn 1 of 9: a");
    pty_send(&pty, "#5\r");
    pty_wait_text(&pty, "step 10/16 (8-9 inside)  turn 5 of 9: a");
    pty_wait_text(&pty, "32.");
    pty_type(&pty, "y");
    pty_send(&pty, " * 3\r");
    pty_wait_text(&pty, "13 of 21 steps changed. u undoes it.");
    pty_wait_text(&pty, "7776."); // 6 ** 5
    pty_type(&pty, "y");
    pty_send(&pty, "\025while 'a' * 3000000 != '': pass\r");
    pty_wait_words(&pty, "Running. Esc or Ctrl-C stops it.");
    pty_send(&pty, "\033");
    pty_wait_text(&pty, "With this line there is no step turn 5 of 9: a.");
    pty_type(&pty, "u");
    pty_wait_text(&pty, "u again: the change before it.");
    pty_type(&pty, "u");
    pty_wait_text(&pty, "All lines are the file's.");
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    ck_assert_int_eq(remove("calls.py"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

// A port is walked beside what it should be, and mended where the two part.
START_TEST(a_line_is_mended_beside_another_run) {
    static const char form[] = "import torch\nx = torch.tensor([[0.5, 0.25], [1.0, 2.0]])\n"
                               "s = x @ (x.T + 1)\nw = torch.softmax(s, dim=%s)\nc = w @ x\n";
    char folder[32];
    begin_in_folder(folder);
    char text[256];
    snprintf(text, sizeof text, form, "0");
    write_program("port.py", text);
    snprintf(text, sizeof text, form, "-1");
    write_program("right.py", text);
    struct pty pty = OPEN(.arguments = WORDS("port.py", "--beside", "right.py"));
    pty_wait_text(&pty, "right.py stands beside it. 2 steps differ: n goes to the first.");
    pty_type(&pty, "n");
    pty_wait_text(&pty, "right.py, line 4:  w = torch.softmax(s, dim=-1)");
    pty_wait_text(&pty, "The runs part here: 4 of 4 numbers differ");
    pty_type(&pty, "y");
    pty_send(&pty, "\025w = torch.softmax(s, dim=-1)\r");
    pty_wait_text(&pty, "The same in right.py, line 4:");
    pty_type(&pty, "n");
    pty_wait_text(&pty, "No later step differs from right.py.");
    pty_type(&pty, "u");
    pty_wait_text(&pty, "The runs part here");
    quit(&pty);
    assert_given_back(&pty);
    pty_close(&pty);
    ck_assert_int_eq(remove("port.py") | remove("right.py") | rmdir(folder), 0);
}
END_TEST

// ---- All ----------------------------------------------------------------------------------------

Suite *use_suite(void) {
    Suite *suite = suite_create("use");
    TCase *tcase = add_terminal_case(suite, "use");
    tcase_add_test(tcase, the_cursor_is_on_the_number_asked_for);
    tcase_add_test(tcase, strange_input_is_survived);
    tcase_add_test(tcase, the_mouse_points_and_turns);
    tcase_add_test(tcase, pasted_text_brings_few_frames);
    tcase_add_loop_test(tcase, several_lines_are_pasted_into_the_editor, 0,
                        sizeof pastes / sizeof *pastes);
    tcase_add_test(tcase, a_signal_ends_what_a_paste_is);
    tcase_add_test(tcase, keys_edit_a_line_as_in_a_shell);
    tcase_add_test(tcase, leaving_says_how_to_see_a_changed_line_again);
    tcase_add_test(tcase, a_small_stack_is_enough);
    tcase_add_test(tcase, a_mistake_is_made_and_unmade);
    tcase_add_test(tcase, the_input_is_changed_where_it_stands);
    tcase_add_test(tcase, a_line_is_tried_where_it_stands);
    tcase_add_test(tcase, a_line_that_never_ends_can_be_stopped);
    tcase_add_test(tcase, an_answer_that_never_ends_can_be_stopped);
    tcase_add_test(tcase, a_call_is_entered_and_left);
    tcase_add_test(tcase, a_line_is_mended_beside_another_run);
    tcase_add_test(tcase, a_key_saves_the_screen);
    tcase_add_test(tcase, a_screen_that_cannot_be_saved_says_why);
    tcase_add_test(tcase, a_mistake_that_changes_nothing_says_so_at_the_start);
    tcase_add_test(tcase, marks_of_mistakes_are_readable_in_ascii);
    tcase_add_test(tcase, the_place_is_kept);
    tcase_add_loop_test(tcase, tabs_that_close_at_once_keep_all_that_was_seen, 0, 3);
    tcase_add_test(tcase, what_two_walks_saw_of_a_lesson_is_kept);
    tcase_add_loop_test(tcase, the_tour_is_offered_once, 0, 3);
    tcase_add_test(tcase, questions_are_asked_unless_they_are_ended);
    tcase_add_test(tcase, the_first_walk_begins_with_lesson_0);
    tcase_add_test(tcase, the_tour_is_named_where_nothing_is_kept);
    tcase_add_loop_test(tcase, a_strange_place_is_survived, 0, STRANGE_PLACES);
    tcase_add_loop_test(tcase, without_a_home_the_walk_is_the_same, 0, HOMES);
    return suite;
}
