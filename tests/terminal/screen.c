#include "screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool is_slow(void) {
    return getenv("ONESTEP_TESTS_SLOW") != NULL;
}

bool read_place(const struct pty *pty, struct place *place) {
    const char *found = strstr(pty_text(pty, 0, 0), "step ");
    for (; found != NULL; found = strstr(found + 1, "step ")) {
        if (sscanf(found, "step %d/%d %79[^\n]", &place->step, &place->count, place->name) == 3)
            return true;
    }
    return false;
}

struct place place_of(const struct pty *pty) {
    struct place place;
    if (!read_place(pty, &place)) {
        pty_dump(pty);
        ck_abort_msg("the title line tells no step");
    }
    return place;
}

const char *word_at_cursor(const struct pty *pty) {
    static char word[80];
    const VTermPos cursor = pty_cursor(pty);
    word[0] = '\0';
    sscanf(pty_text(pty, cursor.row, cursor.col), "%79s", word);
    return word;
}

bool is_cursor_on_focus(const struct pty *pty) {
    const VTermPos cursor = pty_cursor(pty);
    const VTermScreenCell cell = pty_cell(pty, cursor.row, cursor.col);
    return pty->shows_cursor && cell.attrs.reverse;
}

void assert_step_screen(const struct pty *pty) {
    place_of(pty);
    if (is_cursor_on_focus(pty)) return;
    pty_dump(pty);
    ck_abort_msg("the cursor is not on the focused cell");
}

void go_on(struct pty *pty) {
    const int step = place_of(pty).step;
    pty_type(pty, ";");
    if (place_of(pty).step != step + 1) pty_type(pty, "N");
}

void go_to(struct pty *pty, const char *name) {
    for (;;) {
        const struct place place = place_of(pty);
        if (strcmp(place.name, name) == 0) return;
        ck_assert_msg(place.step < place.count, "there is no step %s", name);
        go_on(pty);
    }
}

int for_each_step(struct pty *pty, void (*look)(struct pty *pty)) {
    int steps = 0;
    char first[400];
    for (bool is_last_lesson = false; !is_last_lesson;) {
        snprintf(first, sizeof first, "%s", pty_text(pty, 0, 0));
        const int count = place_of(pty).count;
        for (int step = 1; step <= count; step++, steps++) {
            ck_assert_int_eq(place_of(pty).step, step);
            look(pty);
            if (step < count) go_on(pty);
        }
        pty_type(pty, "g");
        pty_type(pty, "]");
        is_last_lesson = strcmp(pty_text(pty, 0, 0), first) == 0;
    }
    ck_assert_int_gt(steps, 60);
    return steps;
}

static bool is_default_cell(const VTermScreenCell *cell) {
    return VTERM_COLOR_IS_DEFAULT_FG(&cell->fg) && VTERM_COLOR_IS_DEFAULT_BG(&cell->bg);
}

int count_coloured_cells(const struct pty *pty) {
    int count = 0;
    for (int i = 0; i < pty->rows * pty->columns; i++) {
        const VTermScreenCell cell = pty_cell(pty, i / pty->columns, i % pty->columns);
        count += !is_default_cell(&cell);
    }
    return count;
}

int count_text(const struct pty *pty, const char *text) {
    int count = 0;
    for (int row = 0; row < pty->rows; row++) {
        const char *rest = pty_text(pty, row, 0);
        for (; (rest = strstr(rest, text)) != NULL; rest += strlen(text)) count++;
    }
    return count;
}

void quit(struct pty *pty) {
    pty_send(pty, "q");
    const int status = pty_wait_status(pty);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

struct file file_new(void) {
    struct file file = {.path = "/tmp/onestep-test-XXXXXX"};
    const int descriptor = mkstemp(file.path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    return file;
}

void read_and_remove(struct file *file) {
    FILE *stream = fopen(file->path, "rb");
    ck_assert_ptr_nonnull(stream);
    const size_t length = fread(file->text, 1, sizeof file->text - 1, stream);
    file->text[length] = '\0';
    fclose(stream);
    unlink(file->path);
}

static bool same_settings(const struct termios *a, const struct termios *b) {
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

void assert_settings_as_before(const struct pty *pty) {
    const struct termios now = pty_settings(pty);
    ck_assert_msg(same_settings(&pty->before, &now), "the terminal's settings are not as before");
}

void assert_given_back(const struct pty *pty) {
    assert_settings_as_before(pty);
    ck_assert_msg(!pty->is_alternate, "the screen is not the one from before");
    ck_assert_msg(pty->shows_cursor, "the cursor is hidden");
    ck_assert_msg(!pty->wants_mouse, "the mouse still belongs to the program");
    const bool has_second_screen = strstr(pty->written, "\033[?1049h") != NULL;
    ck_assert(!has_second_screen || strstr(pty->written, "\033[?1049l") != NULL);
}

static int read_row(const struct pty *pty, int row, struct number *numbers, int room) {
    int count = 0;
    for (int column = 1; column < pty->columns; column++) {
        const uint32_t character = pty_cell(pty, row, column).chars[0];
        const uint32_t before = pty_cell(pty, row, column - 1).chars[0];
        const bool begins = (character == '-' || (character >= '0' && character <= '9')) &&
                            !(before == '.' || before == '-' || (before >= '0' && before <= '9'));
        if (!begins) continue;
        char *end;
        const char *text = pty_text(pty, row, column);
        const double value = strtod(text, &end);
        if (strchr(text, '.') == NULL || end == text || (*end != ' ' && *end != '\0')) continue;
        if (count < room) numbers[count++] = (struct number){row, column, value};
    }
    return count;
}

void read_scores(struct pty *pty, struct number numbers[36]) {
    pty_press(pty, VTERM_KEY_PAGEUP); // to the first row
    const VTermPos cursor = pty_cursor(pty);
    for (int row = 0; row < 6; row++) {
        struct number found[16];
        const int count = read_row(pty, cursor.row + row, found, 16);
        ck_assert_int_ge(count, 6); // those of an operand may stand at the left
        memcpy(&numbers[6 * row], &found[count - 6], 6 * sizeof *numbers);
    }
}

const char *leaks_of(const char *environment) {
    const bool loses_memory = environment != NULL && strcmp(environment, "TERM=linux") == 0;
    return loses_memory ? "ASAN_OPTIONS=detect_leaks=0" : NULL;
}

static double linear_part(int part) {
    const double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

double luminance(const VTermColor *colour) {
    if (VTERM_COLOR_IS_RGB(colour))
        return 0.2126 * linear_part(colour->rgb.red) + 0.7152 * linear_part(colour->rgb.green) +
               0.0722 * linear_part(colour->rgb.blue);
    const int index = colour->indexed.idx;
    ck_assert_int_ge(index, 16);
    const int grey = 8 + 10 * (index - 232);
    int parts[3] = {grey, grey, grey};
    if (index < 232) {
        static const int levels[] = {0, 95, 135, 175, 215, 255};
        for (int i = 0, rest = index - 16; i < 3; i++, rest /= 6) parts[2 - i] = levels[rest % 6];
    }
    return 0.2126 * linear_part(parts[0]) + 0.7152 * linear_part(parts[1]) +
           0.0722 * linear_part(parts[2]);
}

static double contrast(const VTermScreenCell *cell) {
    const double text = luminance(&cell->fg), ground = luminance(&cell->bg);
    return (fmax(text, ground) + 0.05) / (fmin(text, ground) + 0.05);
}

void look_at_contrast(struct pty *pty) {
    for (int i = 0; i < pty->rows * pty->columns; i++) {
        const VTermScreenCell cell = pty_cell(pty, i / pty->columns, i % pty->columns);
        if (is_default_cell(&cell)) continue;
        const bool has_both =
            !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) && !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
        if (!has_both) pty_dump(pty);
        ck_assert_msg(has_both, "one colour of row %d, column %d is the terminal's",
                      i / pty->columns, i % pty->columns);
        ck_assert_double_ge(contrast(&cell), 4.5);
    }
}

TCase *add_terminal_case(Suite *suite, const char *name) {
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, is_slow() ? 600 : 120);
    suite_add_tcase(suite, tcase);
    return tcase;
}

void look_at_step(struct pty *pty) {
    assert_step_screen(pty);
    ck_assert(pty_shows(pty, "? help"));
}
