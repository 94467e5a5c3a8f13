// Blocks of text: what the lesson says of a step.

#include "walk/step/screen.h"

#include <string.h>

#include "base/text.h"
#include "show/recap.h"
#include "trace/run/step.h"
#include "walk/step/facts.h"

int want_lines(const struct screen *screen, struct slot *slot, const char *paragraph, int width) {
    return wrap_shown(screen->canvas, paragraph, width, &slot->lines);
}

void put_lines(struct screen *screen, const struct slot *slot, int column, struct style style) {
    struct canvas *canvas = screen->canvas;
    const int count = slot->rows < slot->wanted ? slot->rows : slot->wanted;
    for (int i = 0; i < count; i++)
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

// Did mistakes change the numbers of the step; were they made in its own lines?
static bool is_touched_here(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    return trial->touched != NULL && trial->touched[screen->scene->state->step];
}

static bool is_mistaken_here(const struct screen *screen) {
    return is_mistaken(screen->scene->trial, screen->scene->state->step);
}

// ---- What the lesson is for -----------------------------------------------------------------------

// At the first step, where all of it fits; the text of that step (t) has it anyway.
static int want_opening(struct screen *screen, struct slot *slot) {
    enum { LEAST_ROWS_FOR_OPENING = 18 };
    const bool is_first = screen->stop.first == 0;
    if (!is_first || screen->canvas->rows < LEAST_ROWS_FOR_OPENING) return 0;
    const char *words = opening_text(screen->canvas->arena, screen->scene->run->lesson);
    return want_lines(screen, slot, words, prose_width(screen));
}

static void draw_opening(struct screen *screen, const struct slot *slot) {
    if (slot->rows < slot->wanted) return;
    put_lines(screen, slot, 1, PLAIN);
}

const struct block opening_block = {.wants = want_opening, .draw = draw_opening, .likes_gap = true};

// ---- Heading, explanation, formula ---------------------------------------------------------------

static int want_heading(struct screen *screen, struct slot *slot) {
    return want_lines(screen, slot, screen->step->paragraph->title, screen->width);
}

// At the right, which page this is.
static void draw_heading(struct screen *screen, const struct slot *slot) {
    draw_bold_lines(screen, slot);
    if (slot->rows == 0) return;
    const char *which = which_text(screen);
    const bool is_shown = which != NULL && has_room_beside_heading(screen, which);
    if (is_shown) put_right(screen->canvas, slot->row, 1, screen->width, which, BOLD);
}

const struct block heading_block = {.wants = want_heading, .draw = draw_heading, .likes_gap = true};

// Bytes of the first sentence of a text, its full stop included.
static int sentence_length(const char *text) {
    for (const char *at = text; (at = strpbrk(at, ".?!")) != NULL; at++) {
        if (at[1] == ' ') return (int)(at + 1 - text);
    }
    return (int)strlen(text);
}

static struct prose words_of(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    return prose_of(screen->canvas->arena, scene->trial, scene->state->step);
}

static int rows_of_words(const struct screen *screen, const char *words, int columns) {
    char **lines;
    return *words == '\0' ? 0 : wrap_shown(screen->canvas, words, columns, &lines);
}

static int rows_of_prose(const struct screen *screen, int columns) {
    const struct prose prose = words_of(screen);
    return rows_of_words(screen, prose.wrong, columns) +
           rows_of_words(screen, prose.lesson, columns);
}

// It needs the sentence that comes first.
static int want_prose(struct screen *screen, struct slot *slot) {
    const struct prose prose = words_of(screen);
    const char *words = *prose.wrong != '\0' ? prose.wrong : prose.lesson;
    words = arena_format(screen->canvas->arena, "%.*s", sentence_length(words), words);
    slot->needed = rows_of_words(screen, words, prose_width(screen));
    return rows_of_prose(screen, prose_width(screen));
}

// The slot's lines are then the first sentences of some words that fit into an area. Of a sentence that does not fit,
// its first lines, if nothing came before it.
static void fit_sentences(const struct screen *screen, struct slot *fitting, const char *words,
                          int width, bool is_first) {
    struct arena *arena = screen->canvas->arena;
    const char *end = words;
    while (*end != '\0') {
        end += sentence_length(end);
        char **lines;
        const char *part = arena_format(arena, "%.*s", (int)(end - words), words);
        const int count = wrap_shown(screen->canvas, part, width, &lines);
        if (count > fitting->rows && (fitting->wanted > 0 || !is_first)) return;
        fitting->lines = lines;
        fitting->wanted = count;
        end += strspn(end, " ");
    }
}

// Words are cut between two sentences.
static void draw_prose(struct screen *screen, const struct slot *slot) {
    const struct prose prose = words_of(screen);
    const bool is_wrong = *prose.wrong != '\0';
    struct area area = {slot->row, 1, slot->rows, prose_width(screen)};
    if (slot->is_beside) area = free_area_of(screen);
    struct slot wrong = {.row = area.row, .rows = area.rows};
    fit_sentences(screen, &wrong, prose.wrong, area.columns, true);
    put_lines(screen, &wrong, area.column, PLAIN);
    const int used = wrong.wanted < area.rows ? wrong.wanted : area.rows;
    struct slot lesson = {.row = area.row + used, .rows = area.rows - used};
    fit_sentences(screen, &lesson, prose.lesson, area.columns, !is_wrong);
    put_lines(screen, &lesson, area.column, is_wrong ? DIM : PLAIN);
}

const struct block prose_block = {
    .wants = want_prose, .draw = draw_prose, .rows_within = rows_of_prose, .may_be_cut = true};

enum { FORMULA_COLUMN = 4 };

static int want_formula(struct screen *screen, struct slot *slot) {
    const char *formula = formula_text(screen->canvas->arena, screen->scene->trial, screen->step);
    return want_lines(screen, slot, formula, screen->width - FORMULA_COLUMN);
}

static void draw_formula(struct screen *screen, const struct slot *slot) {
    put_lines(screen, slot, FORMULA_COLUMN, is_mistaken_here(screen) ? DIM : BOLD);
}

const struct block formula_block = {.wants = want_formula, .draw = draw_formula, .likes_gap = true};

// ---- The source ---------------------------------------------------------------------------------

// Adds a line of code behind a mark to the slot's, wrapped under its own indent where it is too long.
// `count` is how many there are.
static void add_code(const struct screen *screen, struct slot *slot, int *count, const char *mark,
                     const char *line) {
    enum { HANG = 4, LEAST = 10 };
    struct arena *arena = screen->canvas->arena;
    const int blanks = (int)strlen(mark) + 2 + (int)strspn(line, " ");
    const int room = screen->width - blanks > LEAST ? screen->width - blanks : LEAST;
    char **parts;
    const bool fits = shown_width(screen->canvas, line) <= room;
    const int part_count = text_wrap(arena, line, fits ? room : room - HANG, &parts);
    for (int i = 0; i < part_count; i++) {
        slot->lines[(*count)++] = i == 0
                                      ? arena_format(arena, "%-*s%s", blanks, mark, parts[i])
                                      : arena_format(arena, "%*s%s", blanks + HANG, "", parts[i]);
    }
}

// Lines of code, the first behind a mark.
static int add_lines(const struct screen *screen, struct slot *slot, int count, const char *mark,
                     const char *code) {
    char **lines;
    const int line_count = split_shown(screen->canvas, code, &lines);
    const char *blank = arena_format(screen->canvas->arena, "%*s", text_width(mark), "");
    for (int i = 0; i < line_count; i++)
        add_code(screen, slot, &count, i == 0 ? mark : blank, lines[i]);
    return count;
}

// Is the step's own line a changed one?
static bool is_changed_here(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    return trial->line_count > 0 && trial->is_changed[screen->scene->state->step];
}

// The step with the lesson's own lines.
static const struct step *right_step(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    return is_changed_here(screen) ? &trial->right->steps[screen->scene->state->step]
                                   : screen->step;
}

// What is done here in the place of the right line: the mistakes that are made, or a changed line.
static int add_mistakes(const struct screen *screen, struct slot *slot, int count) {
    const struct trial *trial = screen->scene->trial;
    if (is_changed_here(screen)) {
        const char *mark = screen->canvas->look.is_ascii ? "! yours" : "≠ yours";
        return add_lines(screen, slot, count, mark,
                         step_pytorch(screen->canvas->arena, screen->step));
    }
    for (int i = 0; i < trial->mistake_count && is_mistaken_here(screen); i++) {
        const char *mark = screen->canvas->look.is_ascii ? "! wrong" : "≠ wrong";
        add_code(screen, slot, &count, mark, shown(screen->canvas, trial->mistakes[i]->pytorch));
    }
    return count;
}

// The line in PyTorch.
static int add_pytorch(const struct screen *screen, struct slot *slot, int count) {
    const char *statement = step_pytorch(screen->canvas->arena, right_step(screen));
    const char *mark = is_changed_here(screen)    ? "lesson "
                       : is_mistaken_here(screen) ? "right  "
                                                  : "PyTorch";
    return add_lines(screen, slot, count, mark, statement);
}

// The lines of C with their numbers.
static int add_c(const struct screen *screen, struct slot *slot, int count) {
    char **lines;
    const struct excerpt *excerpt = screen->step->excerpt;
    const int line_count = split_shown(screen->canvas, excerpt->text, &lines);
    for (int i = 0; i < line_count; i++)
        add_code(screen, slot, &count,
                 arena_format(screen->canvas->arena, "%4d", excerpt->first_line + i), lines[i]);
    return count;
}

static size_t most_lines(const struct screen *screen) {
    const struct trial *trial = screen->scene->trial;
    size_t most = strlen(screen->step->excerpt->text) +
                  strlen(step_pytorch(screen->canvas->arena, screen->step)) +
                  strlen(step_pytorch(screen->canvas->arena, right_step(screen))) + 1;
    for (int i = 0; i < trial->mistake_count; i++) most += strlen(trial->mistakes[i]->pytorch);
    return 2 * most;
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

// Is the formula all that there is to be said in Python?
static bool is_said_by_formula(const struct screen *screen) {
    return is_python(screen->step->paragraph) &&
           strcmp(step_pytorch(screen->canvas->arena, screen->step), screen->step->formula) == 0;
}

// What stands for all the code where there is no room for it: the statement that makes the tensor, behind its mark. The
// slot's lines and how many it wants.
static struct slot brief_of(const struct screen *screen) {
    struct arena *arena = screen->canvas->arena;
    const bool has_c = begins_with_c(screen);
    const char *code =
        has_c ? screen->step->excerpt->text : step_pytorch(arena, right_step(screen));
    const char *statement = statement_of(screen, code);
    struct slot brief = {.lines = arena_array(arena, strlen(statement) + 1, sizeof *brief.lines)};
    add_code(screen, &brief, &brief.wanted, has_c ? "C" : "PyTorch", statement);
    return brief;
}

// What the reader knows comes first, PyTorch or C; the other below it, where there is room. Where a mistake
// is made, it stands above the right line, which is dim then.
static int want_source(struct screen *screen, struct slot *slot) {
    const bool is_tall = screen->canvas->rows >= TALL_ROWS, has_c = begins_with_c(screen);
    if ((shows_memory(screen) && !is_tall) || is_said_by_formula(screen)) return 0;
    slot->lines = arena_array(screen->canvas->arena, most_lines(screen), sizeof *slot->lines);
    const int wrong = add_mistakes(screen, slot, 0);
    slot->needed = wrong > 0 ? wrong + 1 : 0;
    slot->lead = has_c ? add_c(screen, slot, wrong) : add_pytorch(screen, slot, wrong);
    slot->brief = wrong > 0 ? 1 : brief_of(screen).wanted;
    if (!is_tall || is_python(screen->step->paragraph)) return slot->lead;
    slot->lines[slot->lead] = "";
    return has_c ? add_pytorch(screen, slot, slot->lead + 1) : add_c(screen, slot, slot->lead + 1);
}

// Where the code has more lines than there are rows, the statement that makes the tensor stands there. Its mark gives way
// to it where all has to stand in one row; of what is still too long the end is left out.
static void draw_statement(struct screen *screen, const struct slot *slot, struct style style) {
    struct arena *arena = screen->canvas->arena;
    struct slot brief = brief_of(screen);
    if (brief.wanted <= slot->rows) {
        brief.row = slot->row;
        brief.rows = slot->rows;
        put_lines(screen, &brief, 1, style);
        return;
    }
    const bool has_c = begins_with_c(screen);
    const char *code =
        has_c ? screen->step->excerpt->text : step_pytorch(arena, right_step(screen));
    put_text(screen->canvas, slot->row, 1, screen->width, statement_of(screen, code), style);
}

// Where there is room for all lines of what comes first, what comes second stands below it.
static void draw_source(struct screen *screen, const struct slot *slot) {
    if (slot->lines == NULL) return; // nothing to show
    const int wrong = slot->needed > 0 ? slot->needed - 1 : 0;
    struct slot head = *slot, part = *slot;
    head.rows = wrong < slot->rows ? wrong : slot->rows;
    put_lines(screen, &head, 1, BOLD);
    part.row += head.rows;
    part.rows -= head.rows;
    part.lines += wrong;
    part.wanted -= wrong;
    if (part.rows <= 0) return;
    const struct style style = is_touched_here(screen) && wrong > 0 ? DIM : PLAIN;
    if (part.rows < slot->lead - wrong)
        draw_statement(screen, &part, style);
    else
        put_lines(screen, &part, 1, style);
}

const struct block source_block = {.wants = want_source, .draw = draw_source, .likes_gap = true};
