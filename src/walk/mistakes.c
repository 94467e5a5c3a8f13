#include "walk/mistakes.h"

#include "base/text.h"
#include "trace/step.h"

enum { MOST_COLUMNS = 78 };

static int chosen_mistake(const struct state *state) {
    return state->selected < MISTAKE_COUNT ? state->selected : MISTAKE_COUNT - 1;
}

static bool is_made(const struct trial *trial, int mistake) {
    for (int i = 0; i < trial->mistake_count; i++) {
        if (trial->mistakes[i] == &mistake_table[mistake]) return true;
    }
    return false;
}

static const struct effect *effect_in(const struct scene *scene, int mistake) {
    const struct run *right = scene->trial->right;
    return effect_of(scene->effects, right != NULL ? right : scene->run, mistake);
}

// ---- The words ----------------------------------------------------------------------------------

// The words about a mistake as lines: what it does here, what goes wrong, how it looks.
struct words {
    int count;
    char **lines;
};

enum { WORD_LINES = 24, EFFECT_LINES = 2 };

static void add_words(const struct canvas *canvas, struct words *words, const char *paragraph) {
    int width = canvas->columns - 4;
    if (width > MOST_COLUMNS) width = MOST_COLUMNS;
    char **lines;
    const int count = wrap_shown(canvas, paragraph, width, &lines);
    for (int i = 0; i < count && words->count < WORD_LINES; i++)
        words->lines[words->count++] = lines[i];
}

static const char *effect_text(struct arena *arena, const struct scene *scene, int mistake) {
    const struct run *run = scene->run;
    const struct effect *effect = effect_in(scene, mistake);
    const char *name = mistake_table[mistake].name;
    if (effect->count == 0)
        return arena_format(arena, "%s changes nothing here: %s.", name, effect->why);
    return arena_format(arena, "%s changes %d of %d steps, from step %d (%s) on.", name,
                        effect->count, run->step_count, effect->first + 1,
                        step_label(arena, &run->steps[effect->first]));
}

static struct words sentences(const struct canvas *canvas, int mistake) {
    struct arena *arena = canvas->arena;
    struct words words = {.lines = arena_array(arena, WORD_LINES, sizeof *words.lines)};
    const struct mistake *row = &mistake_table[mistake];
    add_words(canvas, &words, arena_format(arena, "What goes wrong: %s", row->wrong));
    add_words(canvas, &words, arena_format(arena, "In PyTorch: %s", row->pytorch));
    return words;
}

static struct words words_of(const struct canvas *canvas, const struct scene *scene, int mistake) {
    struct arena *arena = canvas->arena;
    struct words words = {.lines = arena_array(arena, WORD_LINES, sizeof *words.lines)};
    add_words(canvas, &words, effect_text(arena, scene, mistake));
    const struct words more = sentences(canvas, mistake);
    for (int i = 0; i < more.count && words.count < WORD_LINES; i++)
        words.lines[words.count++] = more.lines[i];
    return words;
}

// Lines that the longest words take, so that moving on in the list moves nothing else.
static int most_words(const struct canvas *canvas) {
    int most = 0;
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        const struct words words = sentences(canvas, i);
        if (words.count > most) most = words.count;
    }
    return most + EFFECT_LINES;
}

// ---- The list -----------------------------------------------------------------------------------

// "[x]   Scores not divided by √d_k      no-scale", the name where there is room; "=" before the title
// if it changes nothing here.
static void draw_mistake(struct canvas *canvas, const struct scene *scene, struct area area,
                         int mistake, bool is_chosen) {
    const struct mistake *row = &mistake_table[mistake];
    const bool is_idle = effect_in(scene, mistake)->count == 0;
    const bool is_on = is_made(scene->trial, mistake);
    const struct style style = {.reverse = is_chosen, .bold = is_on, .dim = is_idle && !is_chosen};
    put_blanks(canvas, area.row, 1, area.columns, style);
    const char *marks =
        arena_format(canvas->arena, "[%s] %s", is_on ? "x" : " ", is_idle ? "=" : " ");
    put_text(canvas, area.row, 2, area.columns - 2, marks, style);
    const int used = put_text(canvas, area.row, 8, area.columns - 8, row->title, style);
    const int left = area.columns - 8 - used - 2;
    if (text_width(row->name) <= left)
        put_right(canvas, area.row, 8 + used + 2, left, row->name, style);
    if (is_chosen) put_cursor(canvas, area.row, 3);
}

int mistakes_rows(const struct canvas *canvas) {
    return MISTAKE_COUNT + most_words(canvas);
}

void draw_mistakes(struct canvas *canvas, const struct scene *scene, struct area area) {
    const int chosen = chosen_mistake(scene->state);
    const int wanted = most_words(canvas);
    int lines = area.rows - wanted;
    if (lines < 1) lines = 1;
    if (lines > MISTAKE_COUNT) lines = MISTAKE_COUNT;
    int first = chosen - lines / 2;
    if (first > MISTAKE_COUNT - lines) first = MISTAKE_COUNT - lines;
    if (first < 0) first = 0;
    for (int i = 0; i < lines; i++) {
        const struct area line = {area.row + i, area.column, 1, area.columns};
        draw_mistake(canvas, scene, line, first + i, first + i == chosen);
    }
    if (first > 0) put_text(canvas, area.row, 0, 1, "…", BOLD);
    if (first + lines < MISTAKE_COUNT) put_text(canvas, area.row + lines - 1, 0, 1, "…", BOLD);
    const struct words words = words_of(canvas, scene, chosen);
    const int room = area.rows - lines;
    const int shown_lines = words.count < room ? words.count : room;
    for (int i = 0; i < shown_lines; i++)
        put_text(canvas, area.row + lines + i, 2, area.columns - 1, words.lines[i], PLAIN);
    if (shown_lines < words.count && shown_lines > 0)
        put_text(canvas, area.row + area.rows - 1, canvas->columns - 1, 1, "…", BOLD);
}
