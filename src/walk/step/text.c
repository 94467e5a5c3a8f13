// Blocks of text: what the lesson says of a step.

#include "walk/step/screen.h"

#include <string.h>

#include "base/text.h"
#include "show/recap.h"
#include "trace/run/step.h"

void add_line(const struct screen *screen, struct slot *slot, const char *line) {
    const size_t size = sizeof *slot->lines, used = (size_t)slot->line_count * size;
    slot->lines = arena_grow(screen->canvas->arena, slot->lines, used, size);
    slot->lines[slot->line_count++] = line;
}

int add_paragraph(const struct screen *screen, struct slot *slot, const char *paragraph,
                  int width) {
    char **lines;
    const int count = wrap_shown(screen->canvas, paragraph, width, &lines);
    for (int i = 0; i < count; i++) add_line(screen, slot, lines[i]);
    return slot->line_count;
}

void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style) {
    struct canvas *canvas = screen->canvas;
    for (int i = 0; i < slot->rows && i < slot->line_count; i++)
        put_text(canvas, slot->row + i, column, canvas->columns - column, slot->lines[i], style);
}

void draw_plain_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, PLAIN);
}

void draw_bold_lines(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, 1, BOLD);
}

static int prose_width(const struct screen *screen) {
    return screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS;
}

// ---- What the lesson is for -----------------------------------------------------------------------

// At the first step, where all of it fits; the text of that step (t) has it anyway.
static int want_opening(struct screen *screen, struct slot *slot) {
    enum { LEAST_ROWS_FOR_OPENING = 18 };
    const bool is_first = screen->stop.first == 0;
    if (!is_first || screen->canvas->rows < LEAST_ROWS_FOR_OPENING) return 0;
    const char *words = opening_text(screen->canvas->arena, screen->scene->run->lesson);
    return add_paragraph(screen, slot, words, prose_width(screen));
}

static void draw_opening(struct screen *screen, const struct slot *slot) {
    if (slot->rows == slot->wanted) put_lines(screen, slot, 1, PLAIN);
}

const struct block opening_block = {.wants = want_opening, .draw = draw_opening, .likes_gap = true};

// ---- Heading, explanation, formula ---------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return add_paragraph(screen, slot, screen->step->paragraph->title, screen->width);
}

// At the right, which page this is.
static void draw_heading(struct screen *screen, const struct slot *slot) {
    const char *which = which_text(screen, true);
    draw_bold_lines(screen, slot);
    if (which != NULL && slot->rows > 0)
        put_right(screen->canvas, slot->row, 1, screen->width, which, BOLD);
}

const struct block heading_block = {.wants = want_heading, .draw = draw_heading, .likes_gap = true};

// Bytes of the first sentence of a text, its full stop included.
static int sentence_length(const char *text) {
    for (const char *at = text; (at = strpbrk(at, ".?!")) != NULL; at++) {
        if (at[1] == ' ') return (int)(at + 1 - text);
    }
    return (int)strlen(text);
}

struct prose prose_of(struct arena *arena, const struct trial *trial, int step) {
    const char *explanation = trial->run.steps[step].paragraph->explanation;
    if (trial->touched == NULL || !trial->touched[step] || trial->line_count > 0)
        return (struct prose){"", explanation};
    struct text wrong = text_new(arena);
    for (int i = 0; i < trial->mistake_count; i++)
        text_add_format(&wrong, "%s%s", i > 0 ? " " : "", trial->mistakes[i]->wrong);
    const char *without = trial->mistake_count == 1 ? "the mistake" : "the mistakes";
    return (struct prose){wrong.bytes, arena_format(arena, "Without %s: %s", without, explanation)};
}

static struct prose words_of(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    return prose_of(screen->canvas->arena, scene->trial, scene->state->step);
}

static int rows_of_words(const struct screen *screen, const char *words, int columns) {
    return *words == '\0' ? 0 : add_paragraph(screen, &(struct slot){0}, words, columns);
}

// The lines of the paragraph's drawing; none where the screen is too narrow for it.
static int drawing_of(const struct screen *screen, char ***lines) {
    const char *drawing = screen->step->paragraph->drawing;
    const int count = drawing != NULL ? split_shown(screen->canvas, drawing, lines) : 0;
    for (int i = 0; i < count; i++) {
        if (shown_width(screen->canvas, (*lines)[i]) > prose_width(screen)) return 0;
    }
    return count;
}

static int rows_of_prose(const struct screen *screen, int columns) {
    const struct prose prose = words_of(screen);
    char **lines;
    return rows_of_words(screen, prose.wrong, columns) +
           rows_of_words(screen, prose.lesson, columns) + drawing_of(screen, &lines);
}

// It needs the sentence that comes first.
static int want_prose(struct screen *screen, struct slot *slot) {
    const struct prose prose = words_of(screen);
    const char *words = *prose.wrong != '\0' ? prose.wrong : prose.lesson;
    words = arena_format(screen->canvas->arena, "%.*s", sentence_length(words), words);
    slot->needed = rows_of_words(screen, words, prose_width(screen));
    return rows_of_prose(screen, prose_width(screen));
}

// Draws the first sentences of some words that fit into an area, which loses their rows. Of a sentence that does not fit, its
// first lines, if nothing came before it.
static void draw_sentences(struct screen *screen, struct area *area, const char *words,
                           bool is_first, struct style style) {
    struct slot fitting = {.row = area->row, .rows = area->rows};
    for (const char *end = words; *end != '\0'; end += strspn(end, " ")) {
        end += sentence_length(end);
        struct slot more = {.row = area->row, .rows = area->rows};
        const char *part = arena_format(screen->canvas->arena, "%.*s", (int)(end - words), words);
        const int count = add_paragraph(screen, &more, part, area->columns);
        if (count > area->rows && (fitting.line_count > 0 || !is_first)) break;
        fitting = more;
    }
    put_lines(screen, &fitting, area->column, style);
    const int used = fitting.line_count < area->rows ? fitting.line_count : area->rows;
    area->row += used, area->rows -= used;
}

static void draw_prose(struct screen *screen, const struct slot *slot) {
    const struct prose prose = words_of(screen);
    const bool is_wrong = *prose.wrong != '\0';
    struct area area = {slot->row, 1, slot->rows, prose_width(screen)};
    if (slot->is_beside) area = free_area_of(screen);
    draw_sentences(screen, &area, prose.wrong, true, PLAIN);
    draw_sentences(screen, &area, prose.lesson, !is_wrong, is_wrong ? DIM : PLAIN);
    char **lines;
    const int count = drawing_of(screen, &lines);
    for (int i = 0; i < count && count <= area.rows; i++)
        put_text(screen->canvas, area.row + i, area.column, area.columns, lines[i], PLAIN);
}

const struct block prose_block = {
    .wants = want_prose, .draw = draw_prose, .rows_within = rows_of_prose, .may_be_cut = true};

enum { FORMULA_COLUMN = 4 };

static int want_formula(struct screen *screen, struct slot *slot) {
    const char *formula = formula_text(screen->canvas->arena, screen->scene->trial, screen->step);
    return add_paragraph(screen, slot, formula, screen->width - FORMULA_COLUMN);
}

static void draw_formula(struct screen *screen, const struct slot *slot) {
    const struct scene *scene = screen->scene;
    const bool is_wrong = is_mistaken(scene->trial, scene->state->step);
    put_lines(screen, slot, FORMULA_COLUMN, is_wrong ? DIM : BOLD);
}

const struct block formula_block = {.wants = want_formula, .draw = draw_formula, .likes_gap = true};

// ---- The source ---------------------------------------------------------------------------------

// Adds a line of code behind a mark, wrapped under its own indent where it is too long.
static void add_code(const struct screen *screen, struct slot *slot, const char *mark,
                     const char *line) {
    enum { HANG = 4, LEAST = 10 };
    struct arena *arena = screen->canvas->arena;
    const int blanks = (int)strlen(mark) + 2 + (int)strspn(line, " ");
    const int room = screen->width - blanks > LEAST ? screen->width - blanks : LEAST;
    char **parts;
    const bool fits = shown_width(screen->canvas, line) <= room;
    const int part_count = text_wrap(arena, line, fits ? room : room - HANG, &parts);
    for (int i = 0; i < part_count; i++)
        add_line(screen, slot,
                 i == 0 ? arena_format(arena, "%-*s%s", blanks, mark, parts[i])
                        : arena_format(arena, "%*s%s", blanks + HANG, "", parts[i]));
}

// Lines of Python, the first behind a mark.
static void add_python(const struct screen *screen, struct slot *slot, const char *mark,
                       const char *code) {
    char **lines;
    const int count = split_shown(screen->canvas, code, &lines);
    const char *blank = arena_format(screen->canvas->arena, "%*s", text_width(mark), "");
    for (int i = 0; i < count; i++) add_code(screen, slot, i == 0 ? mark : blank, lines[i]);
}

// The lines of C with their numbers.
static void add_c(const struct screen *screen, struct slot *slot) {
    char **lines;
    const struct excerpt *excerpt = screen->step->excerpt;
    const int count = split_shown(screen->canvas, excerpt->text, &lines);
    for (int i = 0; i < count; i++)
        add_code(screen, slot, arena_format(screen->canvas->arena, "%4d", excerpt->first_line + i),
                 lines[i]);
}

// Is the step's own line a changed one?
static bool is_changed_here(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    return trial->line_count > 0 && trial->is_changed[screen->scene->state->step];
}

// The lesson's own lines in PyTorch.
static const char *lesson_code(const struct screen *screen) {
    const struct step *step = is_changed_here(screen)
                                  ? &screen->scene->trial->right->steps[screen->step->number - 1]
                                  : screen->step;
    return step_pytorch(screen->canvas->arena, step);
}

// What is done here in the place of the lesson's lines: the mistakes that are made, or a changed line. Returns the mark that
// tells the lesson's lines from it.
static const char *add_wrong(const struct screen *screen, struct slot *slot) {
    const struct trial *trial = screen->scene->trial;
    const bool is_ascii = screen->canvas->look.is_ascii;
    if (is_changed_here(screen)) {
        add_python(screen, slot, is_ascii ? "! yours" : "≠ yours",
                   step_pytorch(screen->canvas->arena, screen->step));
        return "lesson ";
    }
    if (!is_mistaken(trial, screen->scene->state->step)) return "PyTorch";
    const char *lines = mistaken_lines(screen->canvas->arena, trial, screen->scene->state->step);
    if (*lines != '\0') add_python(screen, slot, is_ascii ? "! wrong" : "≠ wrong", lines);
    for (int i = 0; i < trial->mistake_count && *lines == '\0'; i++)
        add_code(screen, slot, is_ascii ? "! wrong" : "≠ wrong",
                 shown(screen->canvas, trial->mistakes[i]->pytorch));
    return "right  ";
}

// Does a line of code go on in the next one: is a bracket open, or does it end with an "="?
static bool is_continued(const char *line, int *open) {
    for (const char *at = line; *at != '\0'; at++) {
        if (strchr("([{", *at) != NULL) (*open)++;
        if (strchr(")]}", *at) != NULL) (*open)--;
    }
    const size_t length = strlen(line);
    return *open > 0 || (length > 0 && line[length - 1] == '=');
}

// Does a statement assign to a name, with or without the name's type before it? Any name does for "".
static bool assigns_to(const char *statement, const char *name) {
    const char *sign = strstr(statement, " = ");
    const size_t length = strlen(name), before = sign == NULL ? 0 : (size_t)(sign - statement);
    if (sign == NULL || before < length || strcspn(statement, "([") < before) return false;
    return memcmp(sign - length, name, length) == 0;
}

// The statement of some code that makes a step's tensor, on one line: the last that assigns to its name, else
// the last that assigns at all, else the last two. What stands inside a function of Python makes nothing yet.
static const char *statement_of(const struct screen *screen, const char *code) {
    struct arena *arena = screen->canvas->arena;
    char **lines;
    const int count = split_shown(screen->canvas, code, &lines);
    const char *last = "", *before = "", *assignment = NULL, *made = NULL;
    bool is_inside_function = false;
    for (int i = 0; i < count; i++) {
        int open = 0;
        const bool is_function = strncmp(lines[i], "def ", strlen("def ")) == 0;
        is_inside_function = is_function || (is_inside_function && lines[i][0] == ' ');
        if (is_inside_function) continue;
        const char *statement = lines[i] + strspn(lines[i], " ");
        while (is_continued(lines[i], &open) && i + 1 < count) {
            i++;
            const char *next = lines[i] + strspn(lines[i], " ");
            const bool is_inside = strchr("([{", statement[strlen(statement) - 1]) != NULL;
            statement = arena_format(arena, "%s%s%s", statement, is_inside ? "" : " ", next);
        }
        before = last;
        last = statement;
        if (assigns_to(statement, "")) assignment = statement;
        if (assigns_to(statement, screen->step->name)) made = statement;
    }
    if (made != NULL || assignment != NULL) return made != NULL ? made : assignment;
    return *before == '\0' ? last : arena_format(arena, "%s; %s", before, last);
}

// Do the lines of C come first? A program has none: its lines are the Python that is shown.
static bool begins_with_c(const struct screen *screen) {
    return screen->scene->state->shows_c && !is_python(screen->step->paragraph);
}

// What stands for all the code where there is no room for it: the statement that makes the tensor.
static const char *brief_code(const struct screen *screen) {
    return statement_of(screen,
                        begins_with_c(screen) ? screen->step->excerpt->text : lesson_code(screen));
}

static struct slot brief_of(const struct screen *screen) {
    struct slot brief = {0};
    add_code(screen, &brief, begins_with_c(screen) ? "C" : "PyTorch", brief_code(screen));
    return brief;
}

// What the reader knows comes first, PyTorch or C; the other below it, where there is room. Where a mistake is made, it stands
// above the right line, which is dim then. A formula of a program that is all its Python is not repeated.
static int want_source(struct screen *screen, struct slot *slot) {
    const bool is_tall = screen->canvas->rows >= TALL_ROWS, has_c = begins_with_c(screen);
    const bool is_program = is_python(screen->step->paragraph);
    const bool is_said = is_program && strcmp(step_pytorch(screen->canvas->arena, screen->step),
                                              screen->step->formula) == 0;
    if ((shows_memory(screen) && !is_tall) || is_said) return 0;
    const char *mark = add_wrong(screen, slot);
    const int wrong = slot->line_count;
    slot->needed = wrong > 0 ? wrong + 1 : 0;
    slot->brief = wrong > 0 ? 1 : brief_of(screen).line_count;
    if (screen->scene->is_trying && wrong > 0) return slot->lead = slot->needed = wrong;
    for (int i = 0; i < 2; i++) {
        if (has_c == (i == 0))
            add_c(screen, slot);
        else
            add_python(screen, slot, mark, lesson_code(screen));
        if (i == 0) slot->lead = slot->line_count;
        if (!is_tall || is_program) break;
        if (i == 0) add_line(screen, slot, "");
    }
    return slot->line_count;
}

// Where the lesson's lines are more than there are rows, the statement that makes the tensor stands for them. Its mark gives
// way where all has to stand in one row; of what is still too long the end is left out.
static void draw_source(struct screen *screen, const struct slot *slot) {
    const bool is_alone = screen->scene->is_trying;
    const int wrong = slot->needed > 0 && !is_alone ? slot->needed - 1 : slot->needed;
    struct slot head = *slot, part = *slot;
    head.rows = wrong < slot->rows ? wrong : slot->rows;
    put_lines(screen, &head, 1, BOLD);
    part.row += head.rows;
    part.rows -= head.rows;
    part.lines += wrong;
    part.line_count -= wrong;
    const struct trial *trial = screen->scene->trial;
    const bool is_dim =
        wrong > 0 && trial->touched != NULL && trial->touched[screen->step->number - 1];
    const struct style style = is_dim ? DIM : PLAIN;
    if (part.rows <= 0 || part.line_count == 0) return;
    if (part.rows < slot->lead - wrong) {
        const struct slot brief = brief_of(screen);
        part.lines = brief.lines;
        part.line_count = brief.line_count;
        if (part.line_count > part.rows) {
            put_text(screen->canvas, part.row, 1, screen->width, brief_code(screen), style);
            return;
        }
    }
    put_lines(screen, &part, 1, style);
}

const struct block source_block = {.wants = want_source, .draw = draw_source, .likes_gap = true};
