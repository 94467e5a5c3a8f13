// Help: what can be done and with which keys, and what stands on the screen.

#include "base/text.h"
#include "walk/page.h"
#include "walk/walker.h"

static const char *key_names(struct arena *arena, const struct binding *binding) {
    struct text text = text_new(arena);
    for (int i = 0; i < KEYS_PER_ACTION && binding->keys[i] != KEY_NOTHING; i++) {
        char buffer[5];
        text_add_format(&text, "%s%s", i > 0 ? "  " : "", key_text(binding->keys[i], buffer));
    }
    return text.bytes;
}

// "n  Space          next step", wrapped under its own words.
static void add_binding(struct page *page, const struct binding *binding) {
    enum { KEY_COLUMNS = 18, LEAST_WORDS = 16 };
    const int left = page->canvas->columns - 2 - KEY_COLUMNS;
    char **words;
    const int count =
        wrap_shown(page->canvas, binding->help, left > LEAST_WORDS ? left : LEAST_WORDS, &words);
    for (int i = 0; i < count; i++) {
        struct text line = text_new(page->arena);
        const char *keys = i == 0 ? shown(page->canvas, key_names(page->arena, binding)) : "";
        text_add_padded(&line, keys, KEY_COLUMNS - 2, false);
        text_add_format(&line, "  %s", words[i]);
        page_add_line(page, line.bytes, PLAIN);
    }
}

// The keys of a view, but for those of a view that is explained already.
static void add_bindings(struct page *page, const struct walk_view *view,
                         const struct walk_view *explained) {
    page_add(page, view->name, 0, BOLD);
    for (int i = 0; i < binding_count; i++) {
        const bool is_known = explained != NULL && bindings[i].views & (unsigned)explained->bit;
        if (bindings[i].views & (unsigned)view->bit && !is_known) add_binding(page, &bindings[i]);
    }
    page_add(page, "", 0, PLAIN);
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
        "▸  an operand of the chosen number",
        page->canvas->look.is_ascii ? "!  other than without the mistake (x), before the input's "
                                      "change (=), or in the course (c)"
                                    : "≠  other than without the mistake (x), before the input's "
                                      "change (=), or in the course (c)",
        page->canvas->look.is_ascii ? ".  not computed yet (inside a step)"
                                    : "·  not computed yet (inside a step)",
        "?  hidden until you estimate it",
        page->canvas->look.is_ascii
            ? "~  something does not fit: scroll, or make the terminal larger"
            : "…  something does not fit: scroll, or make the terminal larger",
    };
    page_add(page, "Marks in a matrix", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_add(
        page,
        page->canvas->look.has_heat && page->canvas->look.is_light
            ? "Colours: from white (least) over light to dark blue (most); where there are numbers "
              "below 0, purple is negative, white is 0, orange is positive. D: for a dark screen."
        : page->canvas->look.has_heat
            ? "Colours: from dark blue (least) over green to yellow (most); where there are "
              "numbers below 0, purple is negative, white is 0, orange is positive. D: for a light "
              "screen."
        : page->canvas->look.is_ascii
            ? "The character before a number, from blank over ' : ; = # & to @, grows darker "
              "with its size; where there are numbers below 0, with its distance from 0."
            : "The character before a number, from blank over ░ ▒ ▓ to █, grows darker with its "
              "size; where there are numbers below 0, with its distance from 0.",
        2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

static void add_lines_explained(struct page *page) {
    const char *const lines[] = {
        page->canvas->look.is_ascii
            ? "#*o.!: the steps of the lesson: this one, seen, not seen, not seen but a repetition "
              "(N skips it), changed by a mistake; | begins a new section"
            : "◆●○·≠: the steps of the lesson: this one, seen, not seen, not seen but a repetition "
              "(N skips it), changed by a mistake; │ begins a new section",
        "CHANGED: what makes these numbers differ from the course's (u undoes it)",
        "(6, 6) query × key: the sizes of the tensor and what its dimensions mean; the last one "
        "runs along a row, the one before it down a column",
        "batch 1, head 2 (. turns): which page of a tensor with more dimensions this is",
        "strides (6, 1): how many places further in memory the next row and the next column are",
    };
    page_add(page, "Lines of the screen", 0, BOLD);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) page_add(page, lines[i], 2, PLAIN);
    page_add(page, "", 0, PLAIN);
}

// What can be done in the view that help was asked in, what the marks mean, and all other views.
static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    const struct walk_view *asked_in = view_below(walker)->view;
    if (asked_in->shares != NULL) asked_in = asked_in->shares;
    struct page page = page_new(canvas, "Help");
    page_add(&page,
             "A lesson is a computation in steps. Each step shows what it is for, its formula, the "
             "tensor (the numbers) that it computes, and the code that computes it. n and b go "
             "from step to step, the arrow keys from number to number.",
             0, PLAIN);
    page_add(&page, "", 0, PLAIN);
    add_bindings(&page, asked_in, NULL);
    add_legend(&page);
    add_lines_explained(&page);
    for (int i = 0; i < walker->view_count; i++) {
        const struct walk_view *view = walker->views[i];
        if (view != asked_in) add_bindings(&page, view, view->shares);
    }
    draw_page(canvas, &page, own, VIEW_HELP);
}

const struct walk_view help_view = {
    .bit = VIEW_HELP,
    .name = "In this help",
    .opened_by = ACT_HELP,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw,
};
