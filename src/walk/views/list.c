// The list of all lessons in their parts, with the sections and steps of the one on screen, to jump to.

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/walker.h"

// One line: a part's heading, a lesson, a section's heading or a step.
struct entry {
    enum { ENTRY_PART, ENTRY_LESSON, ENTRY_SECTION, ENTRY_STEP } kind;
    int lesson;
    int step; // from 0
};

struct entries {
    int count, chosen;
    struct entry *entries;
};

struct list {
    int chosen; // line; -1: that of the step on screen
};

// ---- What stands there --------------------------------------------------------------------------

static void add_entry(struct entries *entries, struct entry entry) {
    entries->entries[entries->count++] = entry;
}

static void add_steps(struct entries *entries, int lesson, const struct run *run) {
    const char *section = NULL;
    for (int i = 0; i < run->step_count; i++) {
        const bool begins = run->steps[i].section != section;
        section = run->steps[i].section;
        if (begins && section != NULL) add_entry(entries, (struct entry){ENTRY_SECTION, lesson, i});
        add_entry(entries, (struct entry){ENTRY_STEP, lesson, i});
    }
}

// All lessons in order; the one on screen with its steps.
static struct entries all_entries(struct arena *arena, const struct walker *walker,
                                  const struct list *list) {
    const struct run *run = &walker->trial.run;
    const size_t most = 2 * ((size_t)walker->lesson_count + (size_t)run->step_count);
    struct entries entries = {.entries = arena_array(arena, most, sizeof *entries.entries)};
    for (int lesson = 0; lesson < walker->lesson_count; lesson++) {
        const bool begins_part =
            lesson == 0 || walker->lessons[lesson]->part != walker->lessons[lesson - 1]->part;
        if (begins_part) add_entry(&entries, (struct entry){ENTRY_PART, lesson, 0});
        add_entry(&entries, (struct entry){ENTRY_LESSON, lesson, 0});
        if (lesson == walker->state.lesson) add_steps(&entries, lesson, run);
    }
    entries.chosen = list->chosen < entries.count ? list->chosen : entries.count - 1;
    for (int i = 0; i < entries.count && entries.chosen < 0; i++) {
        const struct entry *entry = &entries.entries[i];
        if (entry->kind == ENTRY_STEP && entry->step == walker->state.step) entries.chosen = i;
    }
    return entries;
}

// ---- Keys ---------------------------------------------------------------------------------------

static void open(struct walker *walker, void *view_state) {
    (void)walker;
    ((struct list *)view_state)->chosen = -1;
}

static bool is_heading(const struct entry *entry) {
    return entry->kind == ENTRY_PART || entry->kind == ENTRY_SECTION;
}

// Up and down go over headings; a click chooses them. A lesson or a step stands below each.
static int line_after(const struct entries *entries, int by) {
    int line = entries->chosen + by;
    if (line < 0) line = 0;
    if (line >= entries->count) line = entries->count - 1;
    int way = by < 0 ? -1 : 1;
    while (is_heading(&entries->entries[line])) {
        if (line == 0) way = 1;
        line += way;
    }
    return line;
}

// The steps of another lesson are shown below it. Of this lesson, a step is gone to; a section and the lesson itself stand
// for their first step, a part for its first lesson.
static void choose(struct walker *walker, struct list *list, struct entry entry) {
    if (entry.lesson != walker->state.lesson) {
        list->chosen = -1;
        if (!go_to_lesson(walker, entry.lesson)) close_views(walker);
    } else {
        go_to_step(&walker->state, &walker->trial.run, entry.step);
        close_views(walker);
    }
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct list *list = view_state;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct entries entries = all_entries(m, walker, list);
    const int by = lines_moved(pressed);
    if (by != 0) list->chosen = line_after(&entries, by);
    const struct entry entry = entries.entries[entries.chosen];
    scratch_close(&scratch);
    if (pressed->action == ACT_CHOOSE) choose(walker, list, entry);
}

// ---- The screen ---------------------------------------------------------------------------------

static struct choice choice_of(const struct canvas *canvas, const struct walker *walker,
                               const bool *touched, const struct entry *entry) {
    struct arena *arena = canvas->arena;
    const struct step *step = &walker->trial.run.steps[entry->step];
    if (entry->kind == ENTRY_PART) {
        const enum lesson_part part = walker->lessons[entry->lesson]->part;
        return (struct choice){part_heading(arena, part), {.underline = true}, NULL};
    }
    if (entry->kind == ENTRY_LESSON) {
        const char *title = walker->lessons[entry->lesson]->title;
        const char *answers = answers_text(arena, walker->lessons[entry->lesson],
                                           &walker->state.visits[entry->lesson]);
        return (struct choice){
            arena_format(arena, "%2d  %s%s%s", number_of_lesson(&walker->state, entry->lesson),
                         title, answers != NULL ? ": " : "", answers != NULL ? answers : ""),
            BOLD, NULL};
    }
    if (entry->kind == ENTRY_SECTION)
        return (struct choice){
            arena_format(arena, "     %s", step->section), {.underline = true}, NULL};
    const bool is_touched = touched != NULL && touched[entry->step];
    const char *changed = !is_touched ? " " : canvas->look.is_ascii ? "!" : "≠";
    const char *seen = is_seen(&walker->state, entry->lesson, entry->step) ? "●" : "○";
    const char *text =
        arena_format(arena, "   %s %s %2d %*s%s", changed, seen, step->number,
                     2 * depth_in_calls(&walker->trial.run, step), "", step_label(arena, step));
    return (struct choice){text, PLAIN, step->paragraph->title};
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct arena *arena = canvas->arena;
    const struct entries entries = all_entries(arena, walker, view_state);
    const bool *touched = touched_steps(walker);
    struct choice *choices = arena_array(arena, (size_t)entries.count, sizeof *choices);
    for (int i = 0; i < entries.count; i++)
        choices[i] = choice_of(canvas, walker, touched, &entries.entries[i]);
    const char *changed = canvas->look.is_ascii ? "! changed  " : "≠ changed  ";
    draw_title(canvas, "Lessons and steps",
               arena_format(arena, "%s● seen  ○ not yet", touched != NULL ? changed : ""));
    draw_choices(canvas, choices, entries.count, entries.chosen);
    draw_key_bar(canvas, VIEW_LIST);
}

const struct walk_view list_view = {
    .bit = VIEW_LIST,
    .name = "In the list of lessons and steps",
    .opened_by = ACT_LIST,
    .size = sizeof(struct list),
    .has_lines = true,
    .chosen_at = offsetof(struct list, chosen),
    .open = open,
    .press = press,
    .draw = draw,
};
