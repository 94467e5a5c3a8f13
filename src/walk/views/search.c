// The paragraphs of all lessons that hold what is typed, in their words or their source, large and small
// letters alike.

#include <string.h>

#include "base/text.h"
#include "walk/kit/bar.h"
#include "walk/kit/choices.h"
#include "walk/views/typing.h"

struct searching {
    struct typing typing;
    int chosen; // line, from 0
};

// ---- Finding ------------------------------------------------------------------------------------

struct found {
    int lesson;
    const struct paragraph *paragraph;
};

struct findings {
    int count, chosen;
    struct found *found;
};

// Holds a paragraph the word, in what it says or computes?
static bool speaks_of(const struct paragraph *paragraph, const char *wanted) {
    for (int i = 0; i < paragraph->excerpt_count; i++) {
        if (holds_word(paragraph->excerpts[i].text, wanted)) return true;
    }
    return holds_word(paragraph->title, wanted) || holds_word(paragraph->explanation, wanted);
}

static struct findings find_all(struct arena *arena, const struct walker *walker,
                                const struct searching *search) {
    size_t most = 1;
    for (int i = 0; i < walker->lesson_count; i++)
        most += (size_t)walker->lessons[i]->source->paragraph_count;
    struct findings findings = {.found = arena_array(arena, most, sizeof *findings.found)};
    for (int i = 0; i < walker->lesson_count; i++) {
        const struct source *source = walker->lessons[i]->source;
        for (int k = 0; k < source->paragraph_count; k++) {
            const struct paragraph *paragraph = &source->paragraphs[k];
            if (speaks_of(paragraph, search->typing.text))
                findings.found[findings.count++] = (struct found){i, paragraph};
        }
    }
    findings.chosen = search->chosen < findings.count ? search->chosen : findings.count - 1;
    return findings;
}

// ---- Keys ---------------------------------------------------------------------------------------

static bool takes(struct walker *walker, void *own, uint32_t key) {
    (void)walker;
    struct searching *search = own;
    if (!types(&search->typing, key)) return false;
    search->chosen = 0;
    return true;
}

// Goes to the first step that a paragraph made, if there is one.
static void go_to_found(struct walker *walker, struct found found) {
    const bool is_other = found.lesson != walker->state.lesson;
    const bool is_there = !is_other || go_to_lesson(walker, found.lesson);
    const struct run *run = &walker->trial.run;
    int step = 0;
    while (step < run->step_count && run->steps[step].paragraph != found.paragraph) step++;
    if (is_there && step < run->step_count) go_to_step(&walker->state, run, step);
    close_views(walker);
}

static void press(struct walker *walker, void *own, const struct pressed *pressed) {
    struct searching *search = own;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct findings findings = find_all(m, walker, search);
    const int line = findings.chosen + lines_moved(pressed);
    const int last = findings.count > 0 ? findings.count - 1 : 0;
    search->chosen = line < 0 ? 0 : line > last ? last : line;
    const bool is_chosen = pressed->action == ACT_CHOOSE && findings.count > 0;
    const struct found found = findings.found[is_chosen ? findings.chosen : 0];
    scratch_close(&scratch);
    if (is_chosen) go_to_found(walker, found);
}

// ---- The screen ---------------------------------------------------------------------------------

static void draw(struct walker *walker, void *own, struct canvas *canvas) {
    struct arena *arena = canvas->arena;
    const struct searching *search = own;
    const struct findings findings = find_all(arena, walker, search);
    struct choice *choices = arena_array(arena, (size_t)findings.count, sizeof *choices);
    for (int i = 0; i < findings.count; i++)
        choices[i].text = arena_format(arena, "%d  %s", findings.found[i].lesson + 1,
                                       findings.found[i].paragraph->title);
    draw_title(canvas, arena_format(arena, "Search: %s", search->typing.text),
               arena_format(arena, "%d found", findings.count));
    draw_choices(canvas, choices, findings.count, findings.chosen);
    put_cursor(canvas, 0, 9 + shown_width(canvas, search->typing.text));
    draw_key_bar(canvas, VIEW_SEARCH);
}

const struct walk_view search_view = {
    .bit = VIEW_SEARCH,
    .name = "While you type a word to search for",
    .opened_by = ACT_SEARCH,
    .size = sizeof(struct searching),
    .has_lines = true,
    .chosen_at = offsetof(struct searching, chosen),
    .takes = takes,
    .press = press,
    .draw = draw,
};
