// The line of a step, opened for editing over the step. Enter runs the lesson with it.

#include "walk/views/views.h"

#include <string.h>

#include "base/text.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/model/editor.h"
#include "walk/step/screen.h"

struct opened_line {
    struct editor editor;
    int back; // how many of the lines that were typed before we are back in the history; 0: at the one being typed
    char *newest;      // that one, while another is shown
    const char *first; // the line as it was when it was opened
};

// ---- Opening ------------------------------------------------------------------------------------

static const char *code_of(const struct step *step) {
    return *step->statement != '\0' ? step->statement : step->expression;
}

static const struct step *step_here(const struct walker *walker) {
    return current_step(&walker->state, &walker->trial.run);
}

// Why no line can be changed here; NULL if one can.
static const char *why_not(const struct walker *walker) {
    if (is_python(step_here(walker)->paragraph))
        return "This line is a program's: change it in its file, and walk again.";
    if (walker->interpreter == NULL || walker->interpreter->play == NULL)
        return "Lines cannot be run here. The program in a terminal runs them.";
    if (walker->trial.run.lesson->source->recap == NULL)
        return "No line of this model can be tried: its numbers take minutes.";
    if (any_made(&walker->what_ifs))
        return "A mistake is made. u undoes it, then a line can be tried.";
    return NULL;
}

// Is the line the answer to a challenge?
static bool is_answer(const struct walker *walker) {
    return walker->open[walker->open_count - 2].view == &challenge_view;
}

// Of an answer stands there what the line makes: "scores = ".
static void open(struct walker *walker, void *view_state) {
    struct opened_line *opened = view_state;
    struct arena *arena = &top_view(walker)->memory;
    const char *line = code_of(step_here(walker));
    if (is_answer(walker)) line = line_of_exercise(step_here(walker));
    opened->first = is_answer(walker) ? arena_copy_bytes(arena, line, strcspn(line, "=") + 2)
                                      : arena_copy(arena, line);
    editor_set(&opened->editor, opened->first);
}

// ---- Keys ---------------------------------------------------------------------------------------

static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    (void)walker;
    struct opened_line *opened = view_state;
    return editor_takes(&opened->editor, key);
}

// Bytes of a prompt that stands before a line that was copied: ">>> ", "... ", "In [3]: ", "   ...: "; 0 if none does.
static size_t prompt_length(const char *line) {
    const size_t blanks = strspn(line, " ");
    if (strncmp(line, ">>> ", 4) == 0 || strncmp(line, "... ", 4) == 0) return 4;
    if (strncmp(line + blanks, "...: ", 5) == 0) return blanks + 5;
    if (strncmp(line, "In [", 4) != 0) return 0;
    const size_t end = 4 + strspn(line + 4, "0123456789");
    return strncmp(line + end, "]: ", 3) == 0 ? end + 3 : 0;
}

// Without prompts, and without blanks and empty lines at the end.
static const char *typed_code(struct arena *arena, const struct editor *editor) {
    struct text code = text_new(arena);
    const bool has_prompts = prompt_length(editor->text) > 0;
    for (const char *line = editor->text; *line != '\0';) {
        if (has_prompts) line += prompt_length(line);
        const size_t length = strcspn(line, "\n");
        text_add_bytes(&code, line, length + (line[length] == '\n'));
        line += length + (line[length] == '\n');
    }
    size_t length = code.length;
    while (length > 0 && strchr(" \n", code.bytes[length - 1]) != NULL) length--;
    return arena_copy_bytes(arena, length > 0 ? code.bytes : "", length);
}

// Keeps what was typed, whether it is run or left.
static void close(struct walker *walker, void *view_state) {
    const struct opened_line *opened = view_state;
    const char *code = typed_code(&top_view(walker)->memory, &opened->editor);
    if (strcmp(code, opened->first) != 0) remember_line(walker, code);
}

static void run_line(struct walker *walker, struct opened_line *opened) {
    struct arena *arena = &walker->words;
    const char *code = typed_code(arena, &opened->editor);
    const bool is_same = strcmp(code, code_of(step_here(walker))) == 0;
    close_view(walker);
    const struct open_view *top = top_view(walker);
    if (top->view == &challenge_view)
        top->view->typed(walker, top->view_state, code);
    else if (!is_same)
        change_line(walker, code);
}

// Through the lines that were typed before, as a shell does: up to older ones.
static void go_back(struct walker *walker, struct opened_line *opened, int by) {
    const int count = walker->typed_count, back = opened->back + by;
    if (back < 0 || back > count) return;
    if (opened->back == 0)
        opened->newest = arena_copy(&top_view(walker)->memory, opened->editor.text);
    opened->back = back;
    editor_set(&opened->editor, back == 0 ? opened->newest : walker->typed[count - back]);
}

// The name before the cursor, with its points: "torch.soft".
static const char *begun_name(struct arena *arena, const struct editor *editor) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    size_t start = editor->at;
    while (start > 0 && strchr(letters, editor->text[start - 1]) != NULL) start--;
    return arena_copy_bytes(arena, editor->text + start, editor->at - start);
}

// How many bytes the names have in common from their beginning on.
static size_t common_length(const char *const *names) {
    size_t common = strlen(names[0]);
    for (int i = 1; names[i] != NULL; i++) {
        size_t length = 0;
        while (length < common && names[i][length] == names[0][length]) length++;
        common = length;
    }
    return common;
}

static void tell_names(struct walker *walker, struct arena *arena, const char *const *names) {
    enum { MOST_BYTES = 300 };
    struct text text = text_new(arena);
    int i = 0;
    for (; names[i] != NULL && text.length < MOST_BYTES; i++)
        text_add_format(&text, "%s%s", i > 0 ? "  " : "", names[i]);
    tell(&walker->state, "%s%s", text.bytes, names[i] != NULL ? "  ..." : "");
}

// Writes what all names that fit have in common, and tells them if there are several.
static void complete(struct walker *walker, struct editor *editor) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *begun = begun_name(m, editor), *point = strrchr(begun, '.');
    const size_t length = strlen(point != NULL ? point + 1 : begun);
    const char *const *names =
        walker->interpreter->complete(m, &walker->trial.run, walker->state.step, begun);
    size_t end = editor->at; // no name can follow a bracket or a string that ends before the cursor
    while (end > 0 && editor->text[end - 1] == ' ') end--;
    if (*begun == '\0' && end > 0 && strchr(")]}'\"", editor->text[end - 1]) != NULL) {
        tell(&walker->state, "No name can stand here. Tab completes a name that is begun.");
    } else if (names[0] == NULL) {
        tell(&walker->state, "No name in sight begins with %s.", *begun != '\0' ? begun : "this");
    } else {
        const size_t common = common_length(names);
        editor_insert(editor, arena_copy_bytes(m, names[0] + length, common - length));
        if (names[1] != NULL && common == length) tell_names(walker, m, names);
    }
    scratch_close(&scratch);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct opened_line *opened = view_state;
    if (pressed->action == ACT_CHOOSE && !editor_goes_on(&opened->editor))
        run_line(walker, opened);
    else if (pressed->action == ACT_CHOOSE)
        tell(&walker->state, "%s",
             editor_is_open(&opened->editor) ? "A bracket is open: the line goes on here."
                                             : "The block goes on here. An empty line ends it.");
    else if (pressed->action == ACT_COMPLETE)
        complete(walker, &opened->editor);
    else if (pressed->action == ACT_UP)
        go_back(walker, opened, 1);
    else if (pressed->action == ACT_DOWN)
        go_back(walker, opened, -1);
}

// ---- Drawing ------------------------------------------------------------------------------------

enum { PROMPT = 4, LEAST_SHOWN = 2 };

// The text in rows as wide as the screen, each line behind Python's prompt; and where the cursor is.
struct rows {
    int count, cursor_row, cursor_column;
    char **rows;
};

static void begin_row(struct rows *rows, struct arena *arena, struct text *row,
                      const char *prompt) {
    *row = text_new(arena);
    text_add(row, prompt);
    rows->count++;
}

static struct rows rows_of(const struct screen *screen) {
    const struct editor *editor = &((const struct opened_line *)screen->view)->editor;
    struct arena *arena = screen->canvas->arena;
    struct rows rows = {.rows = arena_array(arena, strlen(editor->text) + 2, sizeof *rows.rows)};
    struct text row;
    begin_row(&rows, arena, &row, ">>> ");
    for (const char *at = editor->text;;) {
        const char *next = at;
        const uint32_t character = *at != '\0' ? utf8_next(&next) : 0;
        const int width = character == '\n' || *at == '\0' ? 1 : character_width(character);
        if (text_width(row.bytes) + width > screen->width) {
            rows.rows[rows.count - 1] = row.bytes;
            begin_row(&rows, arena, &row, "    ");
        }
        if (at == editor->text + editor->at) {
            rows.cursor_row = rows.count - 1;
            rows.cursor_column = text_width(row.bytes);
        }
        rows.rows[rows.count - 1] = row.bytes;
        if (*at == '\0') return rows;
        if (character == '\n')
            begin_row(&rows, arena, &row, "... ");
        else
            text_add_bytes(&row, at, (size_t)(next - at));
        at = next;
    }
}

static int want_editor(struct screen *screen, struct slot *slot) {
    const int rows = rows_of(screen).count, most = screen->canvas->rows / 2;
    slot->needed = rows < most ? rows : most;
    if (slot->needed < LEAST_SHOWN) slot->needed = LEAST_SHOWN;
    slot->lead = slot->needed;
    return slot->needed;
}

static void draw_editor(struct screen *screen, const struct slot *slot) {
    const struct rows rows = rows_of(screen);
    const int first = (int)first_visible(rows.cursor_row, rows.count, slot->rows);
    for (int i = 0; i < slot->rows && first + i < rows.count; i++)
        put_text(screen->canvas, slot->row + i, 1, screen->width,
                 shown(screen->canvas, rows.rows[first + i]), BOLD);
    const struct area area = {slot->row, 0, slot->rows, 1};
    mark_more(screen->canvas, &area, first, rows.count);
    put_cursor(screen->canvas, slot->row + rows.cursor_row - first, 1 + rows.cursor_column);
}

static const struct block editor_block = {
    .wants = want_editor, .draw = draw_editor, .likes_gap = true, .has_cursor = true};

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct scene scene = scene_for(walker, canvas);
    struct arrangement arrangement = is_answer(walker) ? challenge_arrangement : step_arrangement;
    arrangement.blocks[SLOT_OPENING] = NULL; // its rows are the editor's
    arrangement.blocks[SLOT_SOURCE] = &editor_block;
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
}

void open_line(struct walker *walker) {
    const char *why = why_not(walker);
    if (why != NULL)
        tell(&walker->state, "%s", why);
    else
        open_view(walker, &line_view);
}

const struct walk_view line_view = {
    .bit = VIEW_LINE,
    .name = "A line, while you change it",
    .size = sizeof(struct opened_line),
    .open = open,
    .close = close,
    .takes = takes,
    .press = press,
    .draw = draw,
};
