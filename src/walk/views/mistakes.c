// The classic mistakes, to be made on purpose: a list of them, and of the chosen one what goes wrong, how
// it looks in PyTorch, and what it does to this lesson.

#include "base/text.h"
#include "trace/step.h"
#include "walk/blocks/blocks.h"
#include "walk/choices.h"
#include "walk/spots.h"
#include "walk/walker.h"

struct mistakes {
    int chosen; // from 0
};

// ---- Keys ---------------------------------------------------------------------------------------

// At the first of those that are made already.
static void open(struct walker *walker, void *own) {
    struct mistakes *mistakes = own;
    for (int i = MISTAKE_COUNT - 1; i >= 0; i--) {
        if (walker->what_ifs.made[i]) mistakes->chosen = i;
    }
}

// Makes a mistake or unmakes it. If nothing comes of it, the list says so already.
static void toggle(struct walker *walker, int mistake) {
    struct what_ifs what_ifs = walker->what_ifs;
    what_ifs.made[mistake] = !what_ifs.made[mistake];
    if (run_again(walker, &walker->chosen, &what_ifs)) walker->state.message[0] = '\0';
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    struct mistakes *mistakes = own;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const int line = mistakes->chosen + lines_moved(pressed);
    if (line >= 0 && line < MISTAKE_COUNT) mistakes->chosen = line;
    if (pressed->action == ACT_CHOOSE) toggle(walker, mistakes->chosen);
    if (pressed->action == ACT_NEXT) (void)go_to_stop(state, run, 1);
    if (pressed->action == ACT_BACK) (void)go_to_stop(state, run, -1);
    if (pressed->action == ACT_BESIDE) go_beside(state, run);
}

// ---- The words ----------------------------------------------------------------------------------

// The words about a mistake as lines: what it does here, what goes wrong, how it looks.
struct words {
    int count;
    char **lines;
};

enum { WORD_LINES = 24, EFFECT_LINES = 2 };

static void add_words(const struct canvas *canvas, struct words *words, const char *paragraph) {
    const int width = canvas->columns - 4 < PROSE_COLUMNS ? canvas->columns - 4 : PROSE_COLUMNS;
    char **lines;
    const int count = wrap_shown(canvas, paragraph, width, &lines);
    for (int i = 0; i < count && words->count < WORD_LINES; i++)
        words->lines[words->count++] = lines[i];
}

static const char *effect_text(struct arena *arena, const struct scene *scene, int mistake) {
    const struct run *run = scene->run;
    const struct effect *effect = effect_in(scene->trial, mistake);
    const char *name = mistake_table[mistake].name;
    if (effect->why != NULL)
        return arena_format(arena, "%s changes nothing here: %s.", name, effect->why);
    return arena_format(arena, "%s changes %d of %d steps, from step %d (%s) on.", name,
                        changed_in(scene->trial, mistake), run->step_count, effect->first + 1,
                        step_label(arena, &run->steps[effect->first]));
}

static void add_sentences(const struct canvas *canvas, struct words *words, int mistake) {
    const struct mistake *row = &mistake_table[mistake];
    add_words(canvas, words, arena_format(canvas->arena, "What goes wrong: %s", row->wrong));
    add_words(canvas, words, arena_format(canvas->arena, "In PyTorch: %s", row->pytorch));
}

static struct words no_words(struct arena *arena) {
    return (struct words){.lines = arena_array(arena, WORD_LINES, sizeof(char *))};
}

// Lines that the longest words take, so that moving on in the list moves nothing else.
static int most_words(const struct canvas *canvas) {
    int most = 0;
    struct words words = no_words(canvas->arena);
    for (int i = 0; i < MISTAKE_COUNT; i++) {
        words.count = 0;
        add_sentences(canvas, &words, i);
        if (words.count > most) most = words.count;
    }
    return most + EFFECT_LINES;
}

// ---- Drawing ------------------------------------------------------------------------------------

enum { ROOMY_ROWS = 20 }; // below, the words leave no more than a row to the matrix

static int want_heading(struct screen *screen, struct slot *slot) {
    static const char heading[] =
        "What if? Enter makes the chosen mistake; those with = change nothing here.";
    return want_lines(screen, slot,
                      screen->width < 76 ? "What if?  (= changes nothing here)" : heading,
                      screen->width);
}

static const struct block mistakes_heading = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};

static int want_facts(struct screen *screen, struct slot *slot) {
    return screen->canvas->rows < ROOMY_ROWS ? 0 : facts_block.wants(screen, slot);
}

static int want_matrices(struct screen *screen, struct slot *slot) {
    return screen->canvas->rows < ROOMY_ROWS ? 2 : matrices_block.wants(screen, slot);
}

// All mistakes and the words of the chosen one, as far as the step leaves them room, but half of the
// screen in any case. Where there is less room, the words stay and the list is scrolled.
static int want_mistakes(struct screen *screen, struct slot *slot) {
    const int rows = screen->canvas->rows;
    const int wanted = MISTAKE_COUNT + most_words(screen->canvas);
    const int left = rows - 8 - want_facts(screen, slot) - want_matrices(screen, slot);
    const int most = left > rows / 2 ? left : rows / 2;
    return wanted > left ? most : wanted;
}

static bool is_made(const struct trial *trial, int mistake) {
    for (int i = 0; i < trial->mistake_count; i++) {
        if (trial->mistakes[i] == &mistake_table[mistake]) return true;
    }
    return false;
}

// "[x]   Scores not divided by √d_k      no-scale", the name where there is room; "=" before the title
// if it changes nothing here.
static void draw_mistake(struct screen *screen, int row, int mistake, bool is_chosen) {
    struct canvas *canvas = screen->canvas;
    const struct mistake *what = &mistake_table[mistake];
    const int width = screen->width;
    const bool is_idle = effect_in(screen->scene->trial, mistake)->why != NULL;
    const bool is_on = is_made(screen->scene->trial, mistake);
    const struct style style = {.reverse = is_chosen, .bold = is_on, .dim = is_idle && !is_chosen};
    put_blanks(canvas, row, 1, width, style);
    const char *marks =
        arena_format(canvas->arena, "[%s] %s", is_on ? "x" : " ", is_idle ? "=" : " ");
    put_text(canvas, row, 2, width - 2, marks, style);
    const int used = put_text(canvas, row, 8, width - 8, what->title, style);
    const int left = width - 8 - used - 2;
    if (text_width(what->name) <= left)
        put_right(canvas, row, 8 + used + 2, left, what->name, style);
    if (is_chosen) put_cursor(canvas, row, 3);
}

static void draw_mistakes(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct mistakes *mistakes = screen->own;
    int lines = slot->rows - most_words(canvas);
    if (lines < 1) lines = 1;
    if (lines > MISTAKE_COUNT) lines = MISTAKE_COUNT;
    const int first = (int)first_in_sight(mistakes->chosen, MISTAKE_COUNT, lines);
    for (int i = 0; i < lines; i++) {
        draw_mistake(screen, slot->row + i, first + i, first + i == mistakes->chosen);
        put_line_spot(canvas, &(struct area){slot->row + i, 1, 1, screen->width}, first + i,
                      first + i == mistakes->chosen);
    }
    mark_more(canvas, &(struct area){slot->row, 0, lines, 1}, first, MISTAKE_COUNT);
    struct words words = no_words(canvas->arena);
    add_words(canvas, &words, effect_text(canvas->arena, screen->scene, mistakes->chosen));
    add_sentences(canvas, &words, mistakes->chosen);
    const int room = slot->rows - lines;
    const int shown_lines = words.count < room ? words.count : room;
    for (int i = 0; i < shown_lines; i++)
        put_text(canvas, slot->row + lines + i, 2, screen->width - 1, words.lines[i], PLAIN);
    if (shown_lines < words.count && shown_lines > 0)
        put_text(canvas, slot->row + slot->rows - 1, canvas->columns - 1, 1, "…", BOLD);
}

static const struct block mistakes_block = {
    .wants = want_mistakes, .draw = draw_mistakes, .has_cursor = true};

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    const struct block facts = {.wants = want_facts, .draw = facts_block.draw, .likes_gap = true};
    const struct block matrices = {.wants = want_matrices, .draw = matrices_block.draw};
    const struct scene scene = scene_for(walker, canvas);
    const struct arrangement arrangement = {
        .blocks = {[SLOT_TITLE] = &title_block,
                   [SLOT_HEADING] = &mistakes_heading,
                   [SLOT_WORDS] = &mistakes_block,
                   [SLOT_FACTS] = &facts,
                   [SLOT_MATRIX] = &matrices,
                   [SLOT_CELL] = &cell_block,
                   [SLOT_KEYS] = &keys_block},
    };
    walker->shown = draw_screen(canvas, &scene, &arrangement, own);
}

const struct walk_view mistakes_view = {
    .bit = VIEW_MISTAKES,
    .name = "Mistakes",
    .opened_by = ACT_MISTAKES,
    .size = sizeof(struct mistakes),
    .has_lines = true,
    .chosen_at = offsetof(struct mistakes, chosen),
    .open = open,
    .press = press,
    .draw = draw,
};
