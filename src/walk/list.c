#include "walk/list.h"

#include <ctype.h>
#include <string.h>
#include <strings.h> // defines: strncasecmp

#include "trace/step.h"
#include "walk/screen.h"

static bool begins_section(const struct run *run, int step) {
    const char *section = run->steps[step].section;
    if (section == NULL) return false;
    return step == 0 || run->steps[step - 1].section != section;
}

static struct list all_entries(struct arena *arena, const struct state *state,
                               const struct run *run) {
    const size_t most = (size_t)state->lesson_count + 2 * (size_t)run->step_count;
    struct list list = {.entries = arena_array(arena, most, sizeof *list.entries)};
    for (int lesson = 0; lesson < state->lesson_count; lesson++) {
        list.entries[list.count++] = (struct entry){ENTRY_LESSON, lesson, 0, NULL};
        if (lesson != state->lesson) continue;
        for (int step = 0; step < run->step_count; step++) {
            if (begins_section(run, step))
                list.entries[list.count++] = (struct entry){ENTRY_SECTION, lesson, step, NULL};
            list.entries[list.count++] = (struct entry){ENTRY_STEP, lesson, step, NULL};
        }
    }
    return list;
}

// Is `wanted` somewhere in the text, whatever the case of its letters?
static bool holds(const char *text, const char *wanted) {
    const size_t length = strlen(wanted);
    const char first[] = {(char)tolower((unsigned char)*wanted),
                          (char)toupper((unsigned char)*wanted), '\0'};
    for (text += strcspn(text, first); *text != '\0'; text += 1 + strcspn(text + 1, first)) {
        if (strncasecmp(text, wanted, length) == 0) return true;
    }
    return length == 0;
}

// Holds a paragraph the word, in what it says or computes?
static bool speaks_of(const struct paragraph *paragraph, const char *wanted) {
    for (int i = 0; i < paragraph->excerpt_count; i++) {
        if (holds(paragraph->excerpts[i].text, wanted)) return true;
    }
    return holds(paragraph->title, wanted) || holds(paragraph->explanation, wanted);
}

static struct list found_entries(struct arena *arena, const struct state *state,
                                 const struct lesson *const *lessons) {
    size_t most = 1;
    for (int i = 0; i < state->lesson_count; i++)
        most += (size_t)lessons[i]->source->paragraph_count;
    struct list list = {.entries = arena_array(arena, most, sizeof *list.entries)};
    for (int i = 0; i < state->lesson_count; i++) {
        const struct source *source = lessons[i]->source;
        for (int k = 0; k < source->paragraph_count; k++) {
            const struct paragraph *paragraph = &source->paragraphs[k];
            if (speaks_of(paragraph, state->typed))
                list.entries[list.count++] = (struct entry){ENTRY_FOUND, i, 0, paragraph};
        }
    }
    return list;
}

struct list list_entries(struct arena *arena, const struct state *state,
                         const struct lesson *const *lessons, const struct run *run) {
    return state->mode == MODE_SEARCH ? found_entries(arena, state, lessons)
                                      : all_entries(arena, state, run);
}

int list_selected(const struct list *list, const struct state *state) {
    if (list->count == 0) return 0;
    if (state->selected >= 0)
        return state->selected < list->count ? state->selected : list->count - 1;
    for (int i = 0; i < list->count; i++) {
        const struct entry *entry = &list->entries[i];
        if (entry->kind == ENTRY_STEP && entry->step == state->step) return i;
    }
    return 0;
}

struct state list_move(const struct state *state, const struct list *list, int by) {
    struct state next = *state;
    const int start = list_selected(list, state);
    const int direction = by < 0 ? -1 : 1;
    int target = start + by;
    if (target < 0) target = 0;
    if (target >= list->count) target = list->count - 1;
    while (target > 0 && target < list->count - 1 && list->entries[target].kind == ENTRY_SECTION)
        target += direction;
    next.selected = target;
    return next;
}

static void draw_entry(struct canvas *canvas, int row, const struct entry *entry, bool is_selected,
                       const struct state *state, const struct lesson *const *lessons,
                       const struct run *run, const bool *touched) {
    struct arena *arena = canvas->arena;
    const int width = canvas->columns - 2;
    struct style style = is_selected ? REVERSE : PLAIN;
    const char *text = "";
    if (is_selected) put_blanks(canvas, row, 0, canvas->columns, style);
    switch (entry->kind) {
    case ENTRY_LESSON:
        style.bold = true;
        text = arena_format(arena, "%d  %s", entry->lesson + 1, lessons[entry->lesson]->title);
        break;
    case ENTRY_SECTION:
        text = arena_format(arena, "     %s", run->steps[entry->step].section);
        style.underline = true;
        break;
    case ENTRY_FOUND:
        text = arena_format(arena, "%d  %s", entry->lesson + 1, entry->paragraph->title);
        break;
    case ENTRY_STEP: {
        const struct step *step = &run->steps[entry->step];
        const char *seen = is_seen(state, entry->lesson, entry->step) ? "●" : "○";
        const char *changed = canvas->look.is_ascii ? "!" : "≠";
        if (touched == NULL || !touched[entry->step]) changed = " ";
        text = arena_format(arena, "   %s %s %2d %s", changed, seen, step->number,
                            step_label(arena, step));
        break;
    }
    }
    const int used = put_text(canvas, row, 1, width, text, style);
    if (entry->kind != ENTRY_STEP || canvas->columns < 60) return;
    const int column = used + 3 > 34 ? used + 3 : 34;
    const char *title = run->steps[entry->step].paragraph->title;
    put_text(canvas, row, column, canvas->columns - column - 1, title, is_selected ? REVERSE : DIM);
}

void draw_list(struct canvas *canvas, const struct list *list, const struct state *state,
               const struct lesson *const *lessons, const struct run *run, const bool *touched) {
    const bool is_search = state->mode == MODE_SEARCH;
    if (is_search) {
        const char *typed = arena_format(canvas->arena, "Search: %s", state->typed);
        draw_title(canvas, typed, arena_format(canvas->arena, "%d found", list->count));
    } else {
        const char *changed = canvas->look.is_ascii ? "! changed  " : "≠ changed  ";
        draw_title(
            canvas, "Lessons and steps",
            arena_format(canvas->arena, "%s● seen  ○ not yet", touched != NULL ? changed : ""));
    }
    const int rows = canvas->rows - 2;
    const int selected = list_selected(list, state);
    int first = selected - rows / 2;
    if (first > list->count - rows) first = list->count - rows;
    if (first < 0) first = 0;
    for (int i = 0; i < rows && first + i < list->count; i++) {
        const struct entry *entry = &list->entries[first + i];
        draw_entry(canvas, 1 + i, entry, first + i == selected, state, lessons, run, touched);
        if (first + i == selected) put_cursor(canvas, 1 + i, 1);
    }
    if (first > 0) put_text(canvas, 1, canvas->columns - 1, 1, "…", BOLD);
    if (first + rows < list->count) put_text(canvas, rows, canvas->columns - 1, 1, "…", BOLD);
    if (is_search) put_cursor(canvas, 0, 9 + shown_width(canvas, state->typed));
    draw_key_bar(canvas, state->mode);
}
