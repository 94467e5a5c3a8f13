#include "app/session/session.h"

#include <ctype.h>
#include <string.h>

#include "app/command/output.h"
#include "app/session/link.h"
#include "lessons.h"
#include "trace/run/step.h"
#include "walk/walker.h"

static void free_walker(void *walker) {
    walker_free(walker);
}

// Presses the next of the keys. One that leaves the walker leaves no screen.
static void press_key(struct arena *arena, struct walker *walker, const struct command *command,
                      const char **keys) {
    const char *before = *keys;
    const struct press press = {.key = next_key(arena, keys)};
    walker_press(walker, press, command->screen.rows);
    if (!walker->state.has_quit) return;
    fail(arena->failure, FAIL_USAGE, "the key %s leaves the walker, and no screen is left",
         arena_copy_bytes(arena, before, (size_t)(*keys - before)));
}

static const char *title_of(struct arena *arena, const struct walker *walker) {
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    return arena_format(arena, "onestep: %s, step %d, %s", walker->trial.run.lesson->title,
                        step->number, step_label(arena, step));
}

// As text, ANSI, HTML, SVG or a link.
static void paint_screen(struct text *text, const struct canvas *canvas,
                         const struct walker *walker, enum format format) {
    if (format == FORMAT_ANSI)
        paint_ansi(text, canvas);
    else if (format == FORMAT_HTML)
        paint_html(text, canvas, title_of(text->arena, walker));
    else if (format == FORMAT_SVG)
        paint_svg(text, canvas, 1, title_of(text->arena, walker));
    else if (format == FORMAT_LINK) {
        add_link(text, walker);
        text_add(text, "\n");
    } else
        paint_text(text, canvas);
}

static struct canvas drawn(struct arena *arena, struct walker *walker,
                           const struct command *command) {
    const struct look look = {.has_heat = command->color != COLOR_NEVER,
                              .has_rgb = wants_all_colors(),
                              .is_light = walker->state.is_light};
    struct canvas canvas = canvas_new(arena, command->screen.rows, command->screen.columns, look);
    walker_draw(walker, &canvas);
    return canvas;
}

// The screen before the keys and behind each of them.
static void add_moving(struct text *text, struct walker *walker, const struct command *command) {
    struct arena *arena = text->arena;
    const size_t most = strlen(command->screen.keys) + 1;
    struct canvas *frames = arena_array(arena, most, sizeof *frames);
    int count = 0;
    frames[count++] = drawn(arena, walker, command);
    for (const char *keys = command->screen.keys; *keys != '\0';) {
        press_key(arena, walker, command, &keys);
        frames[count++] = drawn(arena, walker, command);
    }
    paint_svg(text, frames, count, title_of(arena, walker));
}

void add_screen(struct text *text, const struct command *command,
                const struct companion_source *companions) {
    struct arena *arena = text->arena;
    struct walker *walker = arena_allocate(arena, sizeof *walker);
    struct cleanup cleanup;
    cleanup_open(&cleanup, arena->failure, free_walker, walker);
    struct walk_start start = start_of(command, companions);
    const bool is_alone = companions != NULL || stands_alone(command->lesson);
    start.lessons = is_alone ? &command->lesson : lesson_table;
    start.lesson_count = is_alone ? 1 : lesson_count;
    start.lesson = 0;
    while (!is_alone && lesson_table[start.lesson] != command->lesson) start.lesson++;
    start.asks_nothing = true; // keys lead to the same screen whether the reader answered or not
    walker_start(walker, &start, arena->failure);
    if (is_model(command->lesson) && command->step == NULL) open_view(walker, &overview_view);
    if (command->screen.moves) {
        add_moving(text, walker, command);
    } else {
        for (const char *keys = command->screen.keys; *keys != '\0';)
            press_key(arena, walker, command, &keys);
        const struct canvas canvas = drawn(arena, walker, command);
        paint_screen(text, &canvas, walker, command->format);
    }
    cleanup_close(&cleanup);
}

// ---- As a file ----------------------------------------------------------------------------------

// "onestep-wrapper-head_2-scores": the lesson and the step in letters that any folder takes; of a program, the lesson.
static const char *file_stem(struct arena *arena, const struct walker *walker, enum format format) {
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    if (format == FORMAT_LINES) return arena_format(arena, "onestep-%s", run->lesson->name);
    struct text text = text_new(arena);
    text_add_format(&text, "onestep-%s-", run->lesson->name);
    for (const char *next = step_label(arena, step); *next != '\0'; next++) {
        const bool is_plain = isalnum((unsigned char)*next) || *next == '_';
        if (is_plain || *next == ' ') text_add_format(&text, "%c", is_plain ? *next : '_');
    }
    return text.bytes;
}

const char *save_screen(struct arena *arena, const struct canvas *canvas,
                        const struct walker *walker, enum format format) {
    enum { MOST_OF_A_NAME = 1000 };
    const char *stem = file_stem(arena, walker, format);
    const char *ending = format == FORMAT_TEXT    ? "txt"
                         : format == FORMAT_LINES ? "py"
                                                  : format_name(format);
    struct text text = text_new(arena);
    if (format == FORMAT_LINES)
        add_program(&text, &walker->trial, walker->digits);
    else
        paint_screen(&text, canvas, walker, format);
    const char *name = arena_format(arena, "%s.%s", stem, ending);
    for (int number = 2; number <= MOST_OF_A_NAME; number++) {
        if (write_new_file(name, text.bytes, text.length, arena->failure)) return name;
        name = arena_format(arena, "%s-%d.%s", stem, number, ending);
    }
    fail(arena->failure, FAIL_RUNTIME, "cannot write %s.%s: there are %d of that name", stem,
         ending, MOST_OF_A_NAME);
}

// ---- The key that saves the screen --------------------------------------------------------------

struct saved {
    struct walker *walker;
    int rows, columns;
    struct look look;
    struct failure failure; // why it is not
};

static void save_now(void *context) {
    static const enum format formats[] = {[SAVE_SVG] = FORMAT_SVG,
                                          [SAVE_HTML] = FORMAT_HTML,
                                          [SAVE_TEXT] = FORMAT_TEXT,
                                          [SAVE_PROGRAM] = FORMAT_LINES};
    struct saved *saved = context;
    struct walker *walker = saved->walker;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, &saved->failure);
    struct canvas canvas = canvas_new(m, saved->rows, saved->columns, saved->look);
    walker_draw(walker, &canvas);
    const char *name = save_screen(m, &canvas, walker, formats[walker->state.saves]);
    tell_at_foot(&walker->state, "Saved as %s.", name);
    scratch_close(&scratch);
}

void save_if_asked(struct walking *walking, int rows, int columns, struct look look) {
    struct state *state = &walking->walker.state;
    if (state->saves == SAVE_NOTHING) return;
    struct saved saved = {&walking->walker, rows, columns, look, {0}};
    if (!attempt(&saved.failure, save_now, &saved))
        tell_at_foot(state, "Not saved: %s.", saved.failure.message);
    state->saves = SAVE_NOTHING;
}
