// Lists of what holds the typed words. The palette: everything that can be done or gone to, found by any of its words:
// keys, steps of all lessons, lessons, mistakes, settings. The search: the paragraphs of all lessons that hold what is
// typed, in their words or their source, large and small letters alike.

#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/views/views.h"
#include "walk/walker.h"

struct finder {
    struct typing typing; // first: it is what the page reads
    int chosen;           // line, from 0
    bool is_search;       // of paragraphs; else the palette
};

enum kind { A_KEY, A_STEP, A_LESSON, A_MISTAKE, A_SETTING, A_PARAGRAPH };

struct item {
    enum kind kind;
    int number; // of the binding, the step, the lesson, the mistake, the setting, the paragraph, from 0
    int lesson; // of the step or paragraph, from 0
    const char *text;
    const char *more;  // beside it
    const char *words; // by which it is found, too
};

struct items {
    struct arena *arena;
    const char *wanted;
    int count;
    struct item *items;
};

// ---- Finding ------------------------------------------------------------------------------------

// Is each of the words that were typed somewhere in the text?
static bool holds_all(struct arena *arena, const char *text, const char *wanted) {
    for (const char *word = wanted; *word != '\0';) {
        const int length = (int)strcspn(word, " ");
        if (!holds_word(text, arena_format(arena, "%.*s", length, word))) return false;
        word += length + (int)strspn(word + length, " ");
    }
    return true;
}

static void append(struct items *items, const struct item *item) {
    const size_t used = (size_t)items->count * sizeof *items->items;
    items->items = arena_grow(items->arena, items->items, used, sizeof *items->items);
    items->items[items->count++] = *item;
}

static void add(struct items *items, const struct item *item) {
    struct arena *arena = items->arena;
    const char *all = arena_format(arena, "%s %s %s", item->text, item->more, item->words);
    if (holds_all(arena, all, items->wanted)) append(items, item);
}

// First those whose names hold the words, then those with what stands beside them, then the others.
static void sort(struct items *items) {
    struct item *sorted = arena_array(items->arena, (size_t)items->count, sizeof *sorted);
    int count = 0;
    for (int distance = 0; distance <= 2; distance++) {
        for (int i = 0; i < items->count; i++) {
            const struct item *item = &items->items[i];
            const char *line = arena_format(items->arena, "%s %s", item->text, item->more);
            const int found = holds_all(items->arena, item->text, items->wanted) ? 0
                              : holds_all(items->arena, line, items->wanted)     ? 1
                                                                                 : 2;
            if (found == distance) sorted[count++] = *item;
        }
    }
    items->items = sorted;
}

// What a key does on the step's screen, once for each action; what moves there goes without saying.
static void add_keys(struct items *items, enum view_bit view) {
    for (int i = 0; i < binding_count; i++) {
        const struct binding *binding = &bindings[i];
        const bool is_mouse = binding->keys[0] >= PRESS_CLICK;
        if (!(binding->views & (unsigned)view) || is_mouse || binding->action == ACT_PALETTE)
            continue;
        char buffer[5];
        const char *key = arena_copy(items->arena, key_text(binding->keys[0], buffer));
        add(items, &(struct item){A_KEY, i, 0, binding->help, key,
                                  binding->label != NULL ? binding->label : ""});
    }
}

// "17 causal_weights", of another lesson "3.17 causal_weights".
static void add_steps(struct items *items, const struct walker *walker, const struct run *run,
                      int lesson, bool is_other) {
    struct arena *arena = items->arena;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const char *label = step_label(arena, step);
        const char *name =
            is_other ? arena_format(arena, "%d.%d %s", number_of_lesson(&walker->state, lesson),
                                    i + 1, label)
                     : arena_format(arena, "%d %s", i + 1, label);
        const char *words =
            arena_format(arena, "step %s %s %s %s", run->lesson->title, step->formula,
                         step_pytorch(arena, step), step->paragraph->explanation);
        add(items, &(struct item){A_STEP, i, lesson, name, step->paragraph->title, words});
    }
}

static void add_lessons(struct items *items, const struct walker *walker) {
    for (int i = 0; i < walker->lesson_count; i++) {
        const struct lesson *lesson = walker->lessons[i];
        add(items, &(struct item){A_LESSON, i, i,
                                  arena_format(items->arena, "Lesson %d: %s",
                                               number_of_lesson(&walker->state, i), lesson->title),
                                  lesson->name, lesson->summary});
    }
}

// Those that change something here.
static void add_mistakes(struct items *items, const struct trial *trial) {
    for (int i = 0; i < mistake_total; i++) {
        const struct mistake *mistake = &mistake_table[i];
        if (effect_in(trial, i)->why != NULL) continue;
        add(items,
            &(struct item){A_MISTAKE, i, 0, mistake->title, mistake->name,
                           arena_format(items->arena, "mistake what if %s", mistake->wrong)});
    }
}

static void add_settings(struct items *items, const struct run *run) {
    int line = 0;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(run->lesson->uses & parameter->bit) || is_file(parameter)) continue;
        add(items, &(struct item){A_SETTING, line++, 0,
                                  arena_format(items->arena, "Set %s", parameter->name), "setting",
                                  parameter->option});
    }
}

// Holds a paragraph the word, in what it says or computes?
static bool speaks_of(const struct paragraph *paragraph, const char *wanted) {
    for (int i = 0; i < paragraph->excerpt_count; i++) {
        if (holds_word(paragraph->excerpts[i].text, wanted)) return true;
    }
    return holds_word(paragraph->title, wanted) || holds_word(paragraph->explanation, wanted);
}

static void add_paragraphs(struct items *items, const struct walker *walker) {
    for (int i = 0; i < walker->lesson_count; i++) {
        const struct lesson *lesson = walker->lessons[i];
        for (int k = 0; k < lesson->source->paragraph_count; k++) {
            const struct paragraph *paragraph =
                worded_paragraph(items->arena, &lesson->source->paragraphs[k], &lesson->defaults);
            const char *text = arena_format(items->arena, "%d  %s",
                                            number_of_lesson(&walker->state, i), paragraph->title);
            if (speaks_of(paragraph, items->wanted))
                append(items, &(struct item){A_PARAGRAPH, k, i, text, NULL, NULL});
        }
    }
}

static struct items find_all(struct arena *arena, struct walker *walker, struct finder *finder) {
    struct items items = {.arena = arena, .wanted = finder->typing.text};
    if (finder->is_search && has_calls(&walker->trial.run)) {
        add_steps(&items, walker, &walker->trial.run, walker->state.lesson, false);
    } else if (finder->is_search) {
        add_paragraphs(&items, walker);
    } else {
        add_keys(&items, walker->open[0].view->bit);
        add_steps(&items, walker, &walker->trial.run, walker->state.lesson, false);
        add_lessons(&items, walker);
        if (!has_calls(&walker->trial.run)) add_mistakes(&items, &walker->trial);
        add_settings(&items, &walker->trial.run);
        const struct run *runs = course_runs(walker);
        for (int i = 0; i < walker->lesson_count; i++) {
            if (i != walker->state.lesson) add_steps(&items, walker, &runs[i], i, true);
        }
        sort(&items);
    }
    if (finder->chosen >= items.count) finder->chosen = items.count > 0 ? items.count - 1 : 0;
    return items;
}

// ---- Keys ---------------------------------------------------------------------------------------

static void open_search(struct walker *walker, void *view_state) {
    (void)walker;
    ((struct finder *)view_state)->is_search = true;
}

static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    (void)walker;
    struct finder *finder = view_state;
    if (!types(&finder->typing, key)) return false;
    finder->chosen = 0;
    return true;
}

// A step as the course has it: with what was changed, another lesson may lack it.
static void go_to_found(struct walker *walker, int lesson, int number) {
    if (lesson == walker->state.lesson) {
        go_to_step(&walker->state, &walker->trial.run, number);
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *label = step_label(m, &course_runs(walker)[lesson].steps[number]);
    if (go_to_lesson(walker, lesson)) {
        const struct run *run = &walker->trial.run;
        const struct step *step = step_called(run, label);
        go_to_step(&walker->state, run, step != NULL ? step->number - 1 : 0);
        if (step == NULL)
            tell(&walker->state, "With what you changed, this lesson has no step %s.", label);
    }
    scratch_close(&scratch);
}

// The first step that a paragraph made, if there is one.
static void go_to_paragraph(struct walker *walker, int lesson, int number) {
    if (lesson != walker->state.lesson && !go_to_lesson(walker, lesson)) return;
    const struct run *run = &walker->trial.run;
    const struct paragraph *paragraph = &run->lesson->source->paragraphs[number];
    int step = 0;
    while (step < run->step_count && run->steps[step].paragraph->excerpts != paragraph->excerpts)
        step++;
    if (step < run->step_count) go_to_step(&walker->state, run, step);
}

static void choose(struct walker *walker, const struct item *item, int lines) {
    const int rows = lines + 4, number = item->number;
    close_views(walker);
    switch (item->kind) {
    case A_KEY:
        walker_press(walker, (struct press){.key = bindings[number].keys[0]}, rows);
        break;
    case A_STEP:
        go_to_found(walker, item->lesson, number);
        break;
    case A_LESSON:
        if (go_to_lesson(walker, number)) go_to_step(&walker->state, &walker->trial.run, 0);
        break;
    case A_MISTAKE:
        if (toggle_mistake(walker, number))
            tell(&walker->state,
                 walker->what_ifs.made[number] ? "Made: %s. u undoes it." : "Undone: %s.",
                 mistake_table[number].title);
        break;
    case A_SETTING:
        open_view(walker, &settings_view);
        for (int i = 0; i < number; i++)
            walker_press(walker, (struct press){.key = PRESS_DOWN}, rows);
        break;
    case A_PARAGRAPH:
        go_to_paragraph(walker, item->lesson, number);
        break;
    }
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct finder *finder = view_state;
    if (pressed->action != ACT_CHOOSE && lines_moved(pressed) == 0 && finder->chosen == 0) return;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct items items = find_all(m, walker, finder);
    const int line = finder->chosen + lines_moved(pressed);
    const int last = items.count > 0 ? items.count - 1 : 0;
    finder->chosen = line < 0 ? 0 : line > last ? last : line;
    const bool is_chosen = pressed->action == ACT_CHOOSE && items.count > 0;
    const struct item chosen = is_chosen ? items.items[finder->chosen] : (struct item){0};
    scratch_close(&scratch); // its words are gone
    if (is_chosen) choose(walker, &chosen, pressed->lines);
}

// ---- The screen ---------------------------------------------------------------------------------

static void draw_nothing(const struct finder *finder, struct canvas *canvas) {
    const char *what =
        finder->is_search ? "No paragraph has these words." : "Nothing has all of these words.";
    put_text(canvas, 2, 1, canvas->columns - 2, what, PLAIN);
    note_words(canvas, what, PLAIN);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct finder *finder = view_state;
    struct arena *arena = canvas->arena;
    const struct items items = find_all(arena, walker, finder);
    struct choice *choices = arena_array(arena, (size_t)items.count + 1, sizeof *choices);
    for (int i = 0; i < items.count; i++)
        choices[i] = (struct choice){.text = items.items[i].text, .more = items.items[i].more};
    const char *prompt = finder->is_search ? "Search:" : canvas->look.has_buttons ? "Find:" : ":";
    const char *how = finder->is_search ? "" : " with all words typed";
    draw_title(canvas, arena_format(arena, "%s %s", prompt, finder->typing.text),
               arena_format(arena, "%d found%s", items.count, how));
    draw_choices(canvas, choices, items.count, finder->chosen);
    if (items.count == 0) draw_nothing(finder, canvas);
    put_cursor(canvas, 0, 2 + (int)strlen(prompt) + shown_width(canvas, finder->typing.text));
    draw_key_bar(canvas, finder->is_search ? VIEW_SEARCH : VIEW_PALETTE);
}

#define LIST_OF_FOUND                                                                              \
    .size = sizeof(struct finder), .has_lines = true,                                              \
    .chosen_at = offsetof(struct finder, chosen), .takes = takes, .press = press, .draw = draw

const struct walk_view palette_view = {
    .bit = VIEW_PALETTE,
    .name = "In the palette",
    .opened_by = ACT_PALETTE,
    LIST_OF_FOUND,
};

const struct walk_view search_view = {
    .bit = VIEW_SEARCH,
    .name = "While you type a word to search for",
    .opened_by = ACT_SEARCH,
    .open = open_search,
    LIST_OF_FOUND,
};
