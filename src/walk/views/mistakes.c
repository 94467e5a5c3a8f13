// The classic mistakes, to be made on purpose: a list of them, and of the chosen one what goes wrong, how
// it looks in PyTorch, and what it does to this lesson.

#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/canvas.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/views/views.h"

// A line is a mistake, by its number in mistake_table, or the one behind which lie those that change nothing here.
enum { FOLD = MOST_MISTAKES, MOST_LINES };

struct mistakes {
    int chosen; // line
    bool is_unfolded;
};

// The lines in their order: the mistakes that are made at this step, the others that change something, and the rest. Of
// each, the lesson's own come first.
struct lines {
    int count, idle; // lines; mistakes behind the fold
    int all[MOST_LINES];
};

// ---- What stands there --------------------------------------------------------------------------

enum rank { MADE_HERE, CHANGES_SOMETHING, CHANGES_NOTHING };

static bool is_made(const struct trial *trial, int mistake) {
    for (int i = 0; i < trial->mistake_count; i++) {
        if (trial->mistakes[i] == &mistake_table[mistake]) return true;
    }
    return false;
}

// A mistake that changes nothing stands with those that do while it is made, so that it can be unmade.
static enum rank rank_of(const struct trial *trial, int mistake, int step) {
    if (is_made_at(trial, mistake, step)) return MADE_HERE;
    const bool is_idle = effect_in(trial, mistake)->why != NULL;
    return is_idle && !is_made(trial, mistake) ? CHANGES_NOTHING : CHANGES_SOMETHING;
}

static void add_ranked(struct lines *lines, const struct trial *trial, int step, enum rank rank) {
    for (int is_of_lesson = 1; is_of_lesson >= 0; is_of_lesson--) {
        for (int i = 0; i < mistake_total; i++) {
            if (mistake_table[i].is_of_one_lesson == is_of_lesson &&
                rank_of(trial, i, step) == rank)
                lines->all[lines->count++] = i;
        }
    }
}

static struct lines lines_of(const struct trial *trial, int step, bool is_unfolded) {
    struct lines lines = {0};
    learn_effects(trial);
    add_ranked(&lines, trial, step, MADE_HERE);
    add_ranked(&lines, trial, step, CHANGES_SOMETHING);
    lines.idle = mistake_total - lines.count;
    if (lines.idle > 0) lines.all[lines.count++] = FOLD;
    if (is_unfolded) add_ranked(&lines, trial, step, CHANGES_NOTHING);
    return lines;
}

// Where a line stands; one that is folded away, at the fold.
static int place_of(const struct lines *lines, int line) {
    int position = 0, fold = 0;
    while (position < lines->count && lines->all[position] != line) position++;
    while (fold < lines->count - 1 && lines->all[fold] != FOLD) fold++;
    return position < lines->count ? position : fold;
}

// ---- Keys ---------------------------------------------------------------------------------------

// At the first of those that are made already, or the first of all.
static void open(struct walker *walker, void *view_state) {
    struct mistakes *mistakes = view_state;
    const struct lines lines = lines_of(&walker->trial, walker->state.step, false);
    mistakes->chosen = lines.all[0];
    for (int i = lines.count - 1; i >= 0; i--) {
        if (lines.all[i] != FOLD && walker->what_ifs.made[lines.all[i]])
            mistakes->chosen = lines.all[i];
    }
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct mistakes *mistakes = view_state;
    struct state *state = &walker->state;
    const struct run *run = &walker->trial.run;
    const struct lines lines = lines_of(&walker->trial, state->step, mistakes->is_unfolded);
    const int position = place_of(&lines, mistakes->chosen) + lines_moved(pressed);
    mistakes->chosen = lines.all[position < 0             ? 0
                                 : position < lines.count ? position
                                                          : lines.count - 1];
    if (pressed->action == ACT_CHOOSE && mistakes->chosen == FOLD)
        mistakes->is_unfolded = !mistakes->is_unfolded;
    else if (pressed->action == ACT_CHOOSE && toggle_mistake(walker, mistakes->chosen)) {
        state->message[0] = '\0'; // if nothing comes of it, the list says so already
        if (walker->what_ifs.made[mistakes->chosen]) guess_mistake(walker, mistakes->chosen);
        return;
    }
    if (pressed->action == ACT_NEXT) (void)go_to_stop(state, run, 1);
    if (pressed->action == ACT_BACK) (void)go_to_stop(state, run, -1);
    if (pressed->action == ACT_BESIDE) go_beside(state, run);
}

// ---- The words ----------------------------------------------------------------------------------

// The words about a mistake as lines: what it does here, which lines it changes, what goes wrong, how it looks.
struct words {
    int count;
    char **lines;
    struct canvas *noted; // where they are noted, too; NULL: nowhere
};

enum { WORD_LINES = 24, EFFECT_LINES = 2 };

static void add_words(const struct canvas *canvas, struct words *words, const char *paragraph) {
    const int width = canvas->columns - 4 < PROSE_COLUMNS ? canvas->columns - 4 : PROSE_COLUMNS;
    char **lines;
    const int count = wrap_shown(canvas, paragraph, width, &lines);
    if (words->noted != NULL) note_words(words->noted, paragraph, PLAIN);
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

// "- " and a line of the lesson, "+ " and what a program with the mistake has there.
static void add_code(const struct canvas *canvas, struct words *words, const char *mark,
                     const char *code) {
    char **lines;
    const int count = split_shown(canvas, code, &lines);
    for (int i = 0; i < count; i++) {
        if (*lines[i] == '\0') continue;
        add_words(canvas, words,
                  arena_format(canvas->arena, "%s %s", mark, lines[i] + strspn(lines[i], " ")));
    }
}

static void add_pairs(const struct canvas *canvas, struct words *words,
                      const struct line_pairs *pairs) {
    enum { MOST_PAIRS = 2 };
    int shown_pairs = 0;
    for (int i = 0; i < pairs->count && shown_pairs < MOST_PAIRS; i++) {
        if (is_pair_again(pairs, i)) continue;
        add_code(canvas, words, "-", pairs->all[i].before);
        add_code(canvas, words, "+", pairs->all[i].after);
        shown_pairs++;
    }
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
    for (int i = 0; i < mistake_total; i++) {
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
        "What if? Enter makes the chosen mistake. Those with * are made at this step.";
    return add_paragraph(screen, slot,
                         screen->canvas->look.has_buttons ? "What if?"
                         : screen->width < 76             ? "What if?  (* is made at this step)"
                                                          : heading,
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
    const struct mistakes *mistakes = screen->view;
    const struct scene *scene = screen->scene;
    const struct lines lines = lines_of(scene->trial, scene->state->step, mistakes->is_unfolded);
    const int wanted = lines.count + most_words(screen->canvas);
    const int left = rows - 8 - want_facts(screen, slot) - want_matrices(screen, slot);
    const int most = left > rows / 2 ? left : rows / 2;
    return wanted > left ? most : wanted;
}

// "17 more change nothing here".
static const char *fold_text(const struct screen *screen, const struct lines *lines) {
    const struct mistakes *mistakes = screen->view;
    const bool is_single = lines->idle == 1;
    return arena_format(screen->canvas->arena, "%d more change%s nothing here (%s%s%s)",
                        lines->idle, is_single ? "s" : "",
                        screen->canvas->look.has_buttons ? "" : "Enter ",
                        mistakes->is_unfolded ? "hides " : "shows why",
                        !mistakes->is_unfolded ? ""
                        : is_single            ? "it"
                                               : "them");
}

static void draw_fold(struct screen *screen, int row, const struct lines *lines, bool is_chosen) {
    const struct style style = {.reverse = is_chosen, .dim = !is_chosen};
    put_text(screen->canvas, row, 2, screen->width - 2, fold_text(screen, lines), style);
}

static const char *marks_text(const struct screen *screen, int mistake) {
    const struct trial *trial = screen->scene->trial;
    const bool is_here = is_made_at(trial, mistake, screen->scene->state->step);
    return arena_format(screen->canvas->arena, "[%s] %s", is_made(trial, mistake) ? "x" : " ",
                        effect_in(trial, mistake)->why != NULL ? "="
                        : is_here                              ? "*"
                                                               : " ");
}

// "[x] * Scores not divided by √d_k      no-scale", the name where there is room, or why it changes nothing
// here; "*" before the title if it is made at this step, "=" if it changes nothing.
static void draw_mistake(struct screen *screen, int row, int mistake, bool is_chosen) {
    struct canvas *canvas = screen->canvas;
    const struct trial *trial = screen->scene->trial;
    const struct mistake *what = &mistake_table[mistake];
    const int width = screen->width;
    const char *why = effect_in(trial, mistake)->why;
    const struct style style = {
        .reverse = is_chosen, .bold = is_made(trial, mistake), .dim = why != NULL && !is_chosen};
    const char *marks = marks_text(screen, mistake);
    put_text(canvas, row, 2, width - 2, marks, style);
    const int used = put_text(canvas, row, 8, width - 8, what->title, style);
    const int left = width - 8 - used - 2;
    if (why != NULL)
        put_text(canvas, row, 8 + used + 2, left, why, style);
    else if (text_width(what->name) <= left)
        put_right(canvas, row, 8 + used + 2, left, what->name, style);
}

static void note_lines(struct screen *screen, const struct lines *lines) {
    const struct mistakes *mistakes = screen->view;
    for (int i = 0; i < lines->count; i++) {
        const int line = lines->all[i];
        struct noted_line noted = {
            .is_choice = true, .number = line, .is_chosen = line == mistakes->chosen};
        const char *why = line != FOLD ? effect_in(screen->scene->trial, line)->why : NULL;
        noted.text = line == FOLD ? fold_text(screen, lines) : mistake_table[line].title;
        if (line != FOLD) noted.more = why != NULL ? why : mistake_table[line].name;
        if (line != FOLD) noted.marks = marks_text(screen, line);
        note_line(screen->canvas, noted);
    }
}

// So many lines of the list, the chosen one in sight.
static void draw_list(struct screen *screen, const struct area *area) {
    struct canvas *canvas = screen->canvas;
    const struct mistakes *mistakes = screen->view;
    const struct scene *scene = screen->scene;
    const struct lines lines = lines_of(scene->trial, scene->state->step, mistakes->is_unfolded);
    const int chosen = place_of(&lines, mistakes->chosen);
    note_words(canvas, "Those with * are made at this step.", PLAIN);
    note_lines(screen, &lines);
    const int first = (int)first_visible(chosen, lines.count, area->rows);
    for (int i = first; i < first + area->rows && i < lines.count; i++) {
        const int row = area->row + i - first, line = lines.all[i];
        if (i == chosen) put_blanks(canvas, row, 1, screen->width, REVERSE);
        if (line == FOLD)
            draw_fold(screen, row, &lines, i == chosen);
        else
            draw_mistake(screen, row, line, i == chosen);
        put_line_spot(canvas, &(struct area){row, 1, 1, screen->width}, line, i == chosen);
        if (i == chosen) put_cursor(canvas, row, 3);
    }
    mark_more(canvas, area, first, lines.count);
}

static void draw_mistakes(struct screen *screen, const struct slot *slot) {
    struct canvas *canvas = screen->canvas;
    const struct mistakes *mistakes = screen->view;
    int lines = slot->rows - most_words(canvas);
    if (lines < 1) lines = 1;
    draw_list(screen, &(struct area){slot->row, 0, lines, 1});
    if (mistakes->chosen == FOLD) return;
    struct words words = no_words(canvas->arena);
    words.noted = canvas;
    add_words(canvas, &words, effect_text(canvas->arena, screen->scene, mistakes->chosen));
    add_pairs(canvas, &words, lines_with(screen->scene->trial, mistakes->chosen));
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

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
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
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
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
