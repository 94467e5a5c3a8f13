// All the words of a step on a screen of their own: title, explanation, formula, PyTorch and source.

#include <string.h>

#include "base/text.h"
#include "trace/step.h"
#include "walk/page.h"
#include "walk/walker.h"

static void add_source(struct page *page, const struct excerpt *excerpt) {
    int number = excerpt->first_line;
    for (const char *text = excerpt->text; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *line = arena_copy_bytes(page->arena, text, length);
        page_add_line(page, arena_format(page->arena, "%4d  %s", number, line), PLAIN);
        text += length;
        if (*text == '\n') text++;
    }
}

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    struct arena *arena = canvas->arena;
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    struct page page = page_new(canvas, arena_format(arena, "%s, step %d: %s", run->lesson->title,
                                                     step->number, step_label(arena, step)));
    page_add(&page, step->paragraph->title, 0, BOLD);
    page_add(&page, step->paragraph->explanation, 0, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, "Formula", 0, BOLD);
    page_add(&page, step->formula, 2, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, "In PyTorch", 0, BOLD);
    page_add(&page, step_pytorch(arena, step), 2, PLAIN);
    page_add(&page, "", 0, PLAIN);
    page_add(&page, arena_format(arena, "In C, %s", run->lesson->source->file), 0, BOLD);
    add_source(&page, step->excerpt);
    draw_page(canvas, &page, own, VIEW_READ);
}

const struct walk_view read_view = {
    .bit = VIEW_READ,
    .name = "The text of a step",
    .opened_by = ACT_READ,
    .size = sizeof(struct scrolled),
    .press = scroll_page,
    .draw = draw,
};
