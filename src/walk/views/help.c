// Help: what can be done and with which keys, and what stands on the screen; and the cheat sheet, with the shapes of the lesson.

#include "base/text.h"
#include "show/sheet.h"
#include "walk/kit/lines.h"
#include "walk/walker.h"

// "n  Space          next step", wrapped under its own words.
static void add_keys(struct page *page, const struct binding *binding, const char *help) {
    enum { LEAST_WORDS = 16, WIDE = 60 };
    const int key_columns = page->canvas->columns < WIDE ? 14 : 18;
    const int left = page->canvas->columns - 2 - key_columns;
    struct text keys = text_new(page->arena);
    char **words, buffer[5];
    for (int i = 0; i < KEYS_PER_ACTION && binding->keys[i] != KEY_NOTHING; i++)
        text_add_format(&keys, "%s%s", i > 0 ? "  " : "", key_text(binding->keys[i], buffer));
    const int count =
        wrap_shown(page->canvas, help, left > LEAST_WORDS ? left : LEAST_WORDS, &words);
    for (int i = 0; i < count; i++) {
        struct text line = text_new(page->arena);
        text_add_padded(&line, i == 0 ? shown(page->canvas, keys.bytes) : "", key_columns - 2,
                        false);
        text_add_format(&line, "  %s", words[i]);
        page_add_line(page, line.bytes, PLAIN);
    }
}

static void add_binding(struct page *page, const struct binding *binding) {
    add_keys(page, binding, binding->help);
}

// The key for an action in a view of a step; NULL where it has none.
static const struct binding *binding_in(enum view_bit view, enum action action) {
    int i = 0;
    while (i < binding_count &&
           (bindings[i].action != action || !(bindings[i].views & (unsigned)view)))
        i++;
    return i < binding_count ? &bindings[i] : NULL;
}

// The keys of a view, but for those of a view that is explained already.
static void add_bindings(struct page *page, const struct walk_view *view,
                         const struct walk_view *explained) {
    const int first = page->count;
    page_add(page, view->name, 0, BOLD);
    for (int i = 0; i < binding_count; i++) {
        const bool is_known = explained != NULL && bindings[i].views & (unsigned)explained->bit;
        if (bindings[i].views & (unsigned)view->bit && !is_known) add_binding(page, &bindings[i]);
    }
    page_keep(page, first);
}

static void add_legend(struct page *page) {
    const bool is_ascii = page->canvas->look.is_ascii;
    const char *const lines[] = {
        is_ascii ? "|  masked: -inf, or a 0 that a mask put there"
                 : "¦  masked: -inf, or a 0 that a mask put there",
        is_ascii ? "v  dropped: a 0 that dropout put there"
                 : "↓  dropped: a 0 that dropout put there",
        is_ascii ? "^  a number computed from the one you follow (f)"
                 : "→  a number computed from the one you follow (f)",
        "▸  an operand of the chosen number, unless it is masked or dropped",
        page->canvas->look.is_ascii
            ? "!  other than without the mistake (x), with the lesson's line "
              "(y), before the input's change (=), in the course (c), or before a program's line "
              "wrote it"
            : "≠  other than without the mistake (x), with the lesson's line "
              "(y), before the input's change (=), in the course (c), or before a program's line "
              "wrote it",
        page->canvas->look.is_ascii ? ".  not computed yet (inside a step)"
                                    : "·  not computed yet (inside a step)",
        "?  hidden until you estimate it, or answer a question",
        page->canvas->look.is_ascii
            ? "~  something does not fit: scroll, or make the terminal larger"
            : "…  something does not fit: scroll, or make the terminal larger",
    };
    const int first = page->count;
    page_add(page, "Marks in a matrix", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_add(
        page,
        page->canvas->look.has_heat && page->canvas->look.is_light
            ? "Colours: the larger a number, the darker its cell. Where there are numbers below 0, "
              "purple is negative and orange is positive. D: for a dark screen."
        : page->canvas->look.has_heat
            ? "Colours: the larger a number, the more its cell stands out from the screen. Where "
              "there are numbers below 0, purple is negative and orange is positive. D: for a "
              "light "
              "screen."
        : page->canvas->look.is_ascii
            ? "The character before a number, from blank over ' : ; = # & to @, grows darker "
              "with its size; where there are numbers below 0, with its distance from 0."
            : "The character before a number, from blank over ░ ▒ ▓ to █, grows darker with its "
              "size; where there are numbers below 0, with its distance from 0.",
        2, PLAIN);
    page_keep(page, first);
}

static void add_lines_explained(struct page *page) {
    const char *const lines[] = {
        page->canvas->look.is_ascii
            ? "#*o.!: the steps of the lesson: this one, seen, not seen, not seen but a repetition "
              "(n passes over it), changed by a mistake or a line; | begins a new section"
            : "◆●○·≠: the steps of the lesson: this one, seen, not seen, not seen but a repetition "
              "(n passes over it), changed by a mistake or a line; │ begins a new section",
        "CHANGED: what makes these numbers differ from the unchanged ones (u undoes it)",
        "(6, 6) query × key: the sizes of the tensor and what its dimensions mean; the last one "
        "runs along a row, the one before it down a column",
        "batch 1, head 2 (press .): which page of a tensor with more dimensions this is",
        "strides (6, 1): how many places further in memory the next row and the next column are",
    };
    const int first = page->count;
    page_add(page, "Lines of the screen", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_keep(page, first);
}

// ---- The first page -------------------------------------------------------------------------------

// A screen of few rows has one for each of the keys that matter most, in the key bar's words.
static bool is_short(const struct page *page) {
    enum { ROWS_OF_FIRST_PAGE = 24, WIDE = 80 };
    return page->canvas->rows < ROWS_OF_FIRST_PAGE || page->canvas->columns < WIDE;
}

// The keys that matter most, as the table explains them; the arrow keys are four of its rows.
static void add_main_keys(struct page *page, enum view_bit view) {
    static const enum action actions[] = {
        ACT_NEXT_DIFFERENCE, ACT_NEXT, ACT_BACK, ACT_WHERE_FROM, ACT_INTO,
        ACT_MISTAKES,        ACT_LIST, ACT_QUIT};
    static const struct binding arrows = {
        .keys = {PRESS_LEFT, PRESS_UP, PRESS_DOWN, PRESS_RIGHT},
        .label = "another number",
        .help = "to another number; what it was computed from is shown below it"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct binding *binding = binding_in(view, actions[i]);
        if (binding != NULL)
            add_keys(page, binding, is_short(page) ? binding->label : binding->help);
        if (actions[i] == ACT_BACK)
            add_keys(page, &arrows, is_short(page) ? arrows.label : arrows.help);
    }
}

static void add_first_page(struct page *page, enum view_bit view) {
    if (is_short(page)) {
        add_main_keys(page, view);
        if (!page->canvas->look.has_buttons)
            page_add(page, "Esc leaves this help, Space turns pages.", 0, PLAIN);
        return;
    }
    page_add(page,
             "A lesson is a computation in steps. Each step shows what it is for, its formula, the "
             "tensor (the numbers) that it computes, and the code that computes it.",
             0, PLAIN);
    page_add(page, "", 0, PLAIN);
    page_add(page, "The keys that matter most", 0, BOLD);
    add_main_keys(page, view);
    page_add(page, "", 0, PLAIN);
    if (page->canvas->look.has_buttons) return;
    page_add(page,
             "Esc or ? leaves this help. Space or n turns the page, b turns back. The next pages "
             "have all keys by topic, the marks in a matrix, and the lines of the screen.",
             0, PLAIN);
}

// ---- The other pages ------------------------------------------------------------------------------

// The keys of a step, by topic.
static const struct topic {
    const char *title;
    enum action actions[16];
} topics[] = {
    {"From step to step",
     {ACT_NEXT, ACT_BACK, ACT_BESIDE, ACT_NEXT_EACH, ACT_RESTART, ACT_FIRST, ACT_LAST,
      ACT_NEXT_LESSON, ACT_PREVIOUS_LESSON}},
    {"In a program (onestep walk FILE.py)", {ACT_ENTER, ACT_LEAVE, ACT_TURN}},
    {"From number to number",
     {ACT_LEFT, ACT_RIGHT, ACT_UP, ACT_DOWN, ACT_ROW_START, ACT_ROW_END, ACT_SCROLL_DOWN,
      ACT_SCROLL_UP, ACT_NEXT_PAGE, ACT_PREVIOUS_PAGE, ACT_CLICK}},
    {"How a number comes about",
     {ACT_WHERE_FROM, ACT_FOLLOW, ACT_UNFOLLOW, ACT_INTO, ACT_ESTIMATE, ACT_BOTH_WAYS, ACT_MEMORY}},
    {"Your turn", {ACT_CHALLENGE, ACT_QUESTIONS}},
    {"What if it were otherwise",
     {ACT_MISTAKES, ACT_LINE, ACT_SETTINGS, ACT_EDIT, ACT_UNDO, ACT_COMPARE, ACT_TRAIN,
      ACT_TRAIN_TEN, ACT_UNTRAIN}},
    {"Finding and reading",
     {ACT_LIST, ACT_SEARCH, ACT_PALETTE, ACT_READ, ACT_MAP, ACT_OVERVIEW, ACT_PICTURE, ACT_SUMMARY,
      ACT_TOUR, ACT_HELP}},
    {"The screen", {ACT_DIGITS, ACT_PYTORCH, ACT_LIGHT, ACT_MOUSE, ACT_SAVE, ACT_CLOSE, ACT_QUIT}},
};
enum { TOPICS = sizeof topics / sizeof *topics };

static void add_topics(struct page *page) {
    for (int i = 0; i < TOPICS; i++) {
        const int first = page->count;
        page_add(page, topics[i].title, 0, BOLD);
        for (int k = 0; k < 16 && topics[i].actions[k] != ACT_NOTHING; k++) {
            const struct binding *binding = binding_in(VIEW_STEP, topics[i].actions[k]);
            if (binding != NULL) add_binding(page, binding);
        }
        page_keep(page, first);
    }
}

// What can be done in the view that help was asked in, what the marks mean, and all other views.
static void draw_help(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct walk_view *asked_in = view_below(walker)->view;
    const enum view_bit step_bit = walker->companions != NULL ? VIEW_BESIDE : VIEW_STEP;
    if (asked_in->shares != NULL) asked_in = asked_in->shares;
    struct page page = page_new(canvas, "Help");
    add_first_page(&page, step_bit);
    page_break(&page);
    if (asked_in != &step_view) add_bindings(&page, asked_in, NULL);
    add_topics(&page);
    add_legend(&page);
    add_lines_explained(&page);
    for (int i = 0; i < walker->view_count; i++) {
        const struct walk_view *view = walker->views[i];
        if (view != asked_in && view != &step_view) add_bindings(&page, view, view->shares);
    }
    page_break(&page);
    draw_page(canvas, &page, view_state, VIEW_HELP);
}

const struct walk_view help_view = {
    .bit = VIEW_HELP,
    .name = "In this help",
    .opened_by = ACT_HELP,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw_help,
};

// ---- The cheat sheet ----------------------------------------------------------------------------

enum { WIDEST_TABLE = 120 };

// The table as this canvas can show it, so that its columns are measured as they will be.
static struct sheet_table shown_table(const struct canvas *canvas,
                                      const struct sheet_table *table) {
    struct sheet_table result = *table;
    struct sheet_row *rows = arena_array(canvas->arena, (size_t)table->row_count, sizeof *rows);
    for (int i = 0; i < table->row_count; i++) {
        for (int column = 0; column < table->column_count; column++)
            rows[i].cells[column] = shown(canvas, table->rows[i].cells[column]);
    }
    result.rows = rows;
    result.title = shown(canvas, table->title);
    if (table->introduction != NULL) result.introduction = shown(canvas, table->introduction);
    return result;
}

static void add_table(struct page *page, const struct sheet_table *table, int width) {
    struct text text = text_new(page->arena);
    const struct sheet_table fitting = shown_table(page->canvas, table);
    add_sheet(&text, 1, &fitting, width);
    char **lines;
    const int count = split_shown(page->canvas, text.bytes, &lines);
    for (int i = 0; i < count; i++) page_add_line(page, lines[i], i == 0 ? BOLD : PLAIN);
    page_add(page, "", 0, PLAIN);
}

static void draw_cheat_sheet(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct page page = page_new(canvas, "Cheat sheet");
    const int room = canvas->columns - 3;
    const struct sheet_table *tables;
    const int count = sheet_tables(canvas->arena, 1, &walker->trial, &tables);
    for (int i = 0; i < count; i++)
        add_table(&page, &tables[i], room < WIDEST_TABLE ? room : WIDEST_TABLE);
    draw_page(canvas, &page, view_state, VIEW_SHEET);
}

const struct walk_view sheet_view = {
    .bit = VIEW_SHEET,
    .name = "In the cheat sheet",
    .opened_by = ACT_SHEET,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw_cheat_sheet,
};
