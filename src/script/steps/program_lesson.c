#include "script/steps/program_lesson.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/recorder.h"
#include "script/steps/words.h"
#include "script/syntax/scope.h"

enum { MOST_STATEMENTS = 20000000, TITLE_COLUMNS = 60 };

// ---- A run ------------------------------------------------------------------------------------------

static void free_machine(void *context) {
    machine_free(context);
}

// ---- Cells that are left out --------------------------------------------------------------------

static const char *start_of_cell(const char *text, int cell, int *line) {
    int within;
    *line = 1;
    for (const char *at = text; *at != '\0'; (*line)++) {
        if (cell_of_line(text, *line, &within) == cell) return at;
        at += strcspn(at, "\n");
        at += *at != '\0';
    }
    return NULL;
}

static size_t length_of_cell(const char *start) {
    const char *next = strstr(start + 1, "\n# %% code cell ");
    return next != NULL ? (size_t)(next + 1 - start) : strlen(start);
}

static bool is_of_name(char byte) {
    return byte == '_' || (byte & 0x80) != 0 || (byte >= '0' && byte <= '9') ||
           (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// The name that a line of a cell which is no Python seems to bind: of `NAME =`, `def NAME`, `class NAME`; "" if there is none.
static const char *name_at(struct arena *arena, const char *line) {
    static const char *const words[] = {"def ", "class "};
    bool is_defined = false;
    for (int i = 0; i < 2 && !is_defined; i++) {
        is_defined = strncmp(line, words[i], strlen(words[i])) == 0;
        if (is_defined) line += strlen(words[i]) + strspn(line + strlen(words[i]), " ");
    }
    size_t length = 0;
    while (is_of_name(line[length])) length++;
    const char *rest = line + length + strspn(line + length, " ");
    const bool is_bound = is_defined || (rest[0] == '=' && rest[1] != '=');
    const bool is_name = length > 0 && (line[0] < '0' || line[0] > '9');
    return is_bound && is_name ? arena_copy_bytes(arena, line, length) : "";
}

// Calls `visit` with each name that a cell binds.
static void visit_names(struct arena *arena, const struct program_lesson *lesson, const char *cell,
                        void (*visit)(void *context, const char *name), void *context) {
    struct syntax_error syntax = {0};
    const char *code = arena_copy_bytes(arena, cell, length_of_cell(cell)), *name;
    const struct program program = parse_program(arena, lesson->file, code, &syntax);
    for (int k = 0; syntax.message == NULL && (name = next_bound(program.tree->scope, &k)) != NULL;)
        visit(context, name);
    for (const char *at = code; syntax.message != NULL && *at != '\0';) {
        name = name_at(arena, at);
        if (*name != '\0') visit(context, name);
        at += strcspn(at, "\n");
        at += *at != '\0';
    }
}

static void add_unbinding(void *context, const char *name) {
    text_add_format((struct text *)context, "globals().pop('%s', None); ", name);
}

// The code with empty lines in the place of the cells that are left out. What such a cell binds is bound no longer: a number
// that an earlier cell gave the name is another one.
static const char *text_without_cells(struct arena *arena, const struct program_lesson *program) {
    struct text text = text_new(arena);
    const char *at = program->text;
    for (int i = 0; i < program->outcome->left_out_count; i++) {
        int line;
        const char *start = start_of_cell(program->text, program->outcome->left_out[i].cell, &line);
        if (start == NULL) continue;
        const char *end = start + length_of_cell(start), *code = start + strcspn(start, "\n");
        text_add_bytes(&text, at, (size_t)(code - at));
        if (code < end) text_add(&text, "\n");
        if (code < end) visit_names(arena, program, start, add_unbinding, &text);
        for (at = code + (code < end); at < end; at++)
            if (*at == '\n') text_add(&text, "\n");
    }
    text_add(&text, at);
    return text.bytes;
}

static bool leave_out(const struct program_lesson *program, int line, const char *why) {
    struct outcome *outcome = program->outcome;
    int within;
    const int cell = cell_of_line(program->text, line, &within);
    if (cell == 0 || outcome->left_out_count == MOST_LEFT_OUT) return false;
    int at = outcome->left_out_count++;
    for (; at > 0 && outcome->left_out[at - 1].cell > cell; at--)
        outcome->left_out[at] = outcome->left_out[at - 1];
    struct left_out *left_out = &outcome->left_out[at];
    left_out->cell = cell;
    snprintf(left_out->why, sizeof left_out->why, "%.*s", (int)strcspn(why, "\n"), why);
    size_t used = 0;
    for (int i = 0; i < outcome->left_out_count && used < sizeof outcome->summary; i++)
        used += (size_t)snprintf(outcome->summary + used, sizeof outcome->summary - used,
                                 "%sCode cell %d is left out: %s.", i > 0 ? " " : "",
                                 outcome->left_out[i].cell, outcome->left_out[i].why);
    return true;
}

// Does a cell need what onestep does not run?
static bool is_refused(const char *error) {
    return strncmp(error, "ModuleNotFoundError", 19) == 0 ||
           strncmp(error, "ImportError", 11) == 0 ||
           strncmp(error, "NotImplementedError: onestep", 28) == 0;
}

struct wanted_name {
    const char *name;
    bool is_bound;
};

static void look_for_name(void *context, const char *name) {
    struct wanted_name *wanted = context;
    wanted->is_bound |= strcmp(name, wanted->name) == 0;
}

// "NameError: name 'plt' is not defined" says which cell that was left out binds the name.
static const char *with_its_cell(struct arena *arena, const struct program_lesson *program,
                                 const char *error) {
    const char *start = strncmp(error, "NameError: name '", 17) == 0 ? error + 17 : "";
    struct wanted_name wanted = {.name = arena_copy_bytes(arena, start, strcspn(start, "'"))};
    for (int i = program->outcome->left_out_count - 1; *wanted.name != '\0' && i >= 0; i--) {
        const struct left_out *left_out = &program->outcome->left_out[i];
        int line;
        visit_names(arena, program, start_of_cell(program->text, left_out->cell, &line),
                    look_for_name, &wanted);
        if (wanted.is_bound)
            return arena_format(arena,
                                "NameError: name '%s' is not defined: code cell %d binds it, "
                                "which is left out (%s)",
                                wanted.name, left_out->cell, left_out->why);
    }
    return error;
}

// ---- A run of it --------------------------------------------------------------------------------

// "ValueError: message", and the line of the program that raised it.
static const char *error_of(struct machine *machine, struct arena *arena,
                            const struct program *program, int *line) {
    const struct traced *frames;
    const int count = machine_traceback(machine, &frames);
    const char *message = machine_error_message(machine, arena);
    *line = 1;
    for (int i = count - 1; i >= 0; i--)
        if (frames[i].program == program) *line = frames[i].node->span.line;
    return arena_format(arena, "%s%s%s", machine_error_type(machine), *message != '\0' ? ": " : "",
                        message);
}

// In the outcome it stands behind its place.
static void note_error(struct arena *arena, const struct program_lesson *program, const char *error,
                       int line) {
    struct outcome *outcome = program->outcome;
    int within;
    const int cell = program->is_notebook ? cell_of_line(program->text, line, &within) : 0;
    const char *at = cell > 0 ? arena_format(arena, " code cell %d, line %d", cell, within)
                              : arena_format(arena, "%d", line);
    snprintf(outcome->error, sizeof outcome->error, "%s:%s: %s", text_safe(arena, program->file),
             at, text_safe_bytes(arena, error, strcspn(error, "\n")));
}

// Runs the program; false if a cell was found that is to be left out, and all is to be run again without it.
static bool play_program(struct run *run, const struct program_lesson *lesson) {
    struct arena *arena = run->memory;
    struct syntax_error error;
    const struct program program =
        parse_program(arena, lesson->file, text_without_cells(arena, lesson), &error);
    struct recorder *recorder = recorder_new(run, &program);
    const struct machine_options options = {.memory = lesson->memory,
                                            .steps = MOST_STATEMENTS,
                                            .stream = run->stream,
                                            .stop = lesson->stop,
                                            .print = recorder_print,
                                            .observe = recorder_observe,
                                            .wants_lines = recorder_wants_lines(recorder),
                                            .context = recorder};
    struct cleanup cleanup;
    const size_t limit = arena->limit;
    struct machine *machine = machine_new(arena, &options);
    cleanup_open(&cleanup, arena->failure, free_machine, machine);
    const bool is_done = machine_run(machine, &program);
    arena->limit = limit;
    int line = 0;
    const char *raised = is_done ? NULL : error_of(machine, arena, &program, &line);
    const bool is_again =
        lesson->is_notebook && !is_done && is_refused(raised) && leave_out(lesson, line, raised);
    if (raised != NULL) raised = with_its_cell(arena, lesson, raised);
    if (!is_again) recorder_finish(recorder, raised);
    cleanup_close(&cleanup);
    if (!is_again && raised != NULL) note_error(arena, lesson, raised, line);
    return !is_again;
}

static void teach_program(struct run *run) {
    const struct program_lesson *program = program_of(run->lesson);
    struct arena *arena = run->memory;
    program->outcome->error[0] = '\0';
    while (!play_program(run, program)) continue;
    const bool is_done = program->outcome->error[0] == '\0';
    if (run->step_count == 0 ||
        (run->step_count == 1 && !is_done && run->steps[0].tensor.ndim == 1 &&
         run->steps[0].tensor.shape[0] == 0))
        fail(arena->failure, FAIL_INPUT, "%s",
             is_done ? arena_format(arena, "%s computes no tensor, so there is no step",
                                    text_safe(arena, program->file))
                     : program->outcome->error);
}

const struct program_lesson *program_of(const struct lesson *lesson) {
    return lesson != NULL && lesson->teach == teach_program ? (const struct program_lesson *)lesson
                                                            : NULL;
}

// ---- Its words ----------------------------------------------------------------------------------------

// On one line.
static const char *docstring_of(struct arena *arena, const struct program *program) {
    const struct node *tree = program->tree;
    const struct node *first = tree->part_count > 0 ? tree->parts[0] : NULL;
    if (first == NULL || first->kind != NODE_EXPRESSION || first->parts[0]->kind != NODE_STRING)
        return "";
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *at = first->parts[0]->text; *at != '\0';) {
        at += strspn(at, " \t\r\n");
        const size_t length = strcspn(at, " \t\r\n");
        if (length > 0 && text.length > 0) text_add(&text, " ");
        text_add_bytes(&text, at, length);
        at += length;
    }
    return text_safe(arena, text.bytes);
}

static const char *file_name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static struct program_lesson *lesson_new(struct arena *arena, const char *file, const char *text,
                                         bool is_notebook);

static const char *line_start(const char *text, int line) {
    for (; line > 1 && *text != '\0'; line--) {
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    return text;
}

// The code in the place of lines, indented as the first of them.
static const char *text_with_lines(struct arena *arena, const char *before, int first, int last,
                                   const char *code) {
    const char *start = line_start(before, first), *end = line_start(start, last - first + 2);
    const size_t indent = strspn(start, " \t");
    struct text text = text_new(arena);
    text_add(&text, "");
    text_add_bytes(&text, before, (size_t)(start - before));
    while (*code != '\0') {
        const size_t length = strcspn(code, "\n");
        text_add_bytes(&text, start, indent);
        text_add_bytes(&text, code, length);
        text_add(&text, "\n");
        code += length + (code[length] != '\0');
    }
    text_add(&text, end);
    return text.bytes;
}

static const struct lesson *with_lines(struct arena *arena, const struct lesson *lesson, int first,
                                       int last, const char *code) {
    const struct program_lesson *before = program_of(lesson);
    const char *text = text_with_lines(arena, before->text, first, last, code);
    struct program_lesson *program = lesson_new(arena, before->file, text, before->is_notebook);
    program->memory = before->memory;
    program->stop = before->stop;
    program->outcome = before->outcome;
    return &program->lesson;
}

// Cells of a notebook that are no Python, or none that onestep runs, are left out.
static struct program parse_own(struct arena *arena, const struct program_lesson *lesson) {
    struct syntax_error error;
    for (;;) {
        const struct program program =
            parse_program(arena, lesson->file, text_without_cells(arena, lesson), &error);
        if (error.message == NULL) return program;
        const char *why = arena_format(arena, "%s: %s", error.type, error.message);
        if (!lesson->is_notebook || !leave_out(lesson, error.span.line, why))
            fail(arena->failure, FAIL_INPUT, "%s:%d: %s", text_safe(arena, lesson->file),
                 error.span.line, why);
    }
}

static struct program_lesson *lesson_new(struct arena *arena, const char *file, const char *text,
                                         bool is_notebook) {
    struct program_lesson *lesson = arena_allocate(arena, sizeof *lesson);
    lesson->file = file;
    lesson->text = text;
    lesson->is_notebook = is_notebook;
    lesson->outcome = arena_allocate(arena, sizeof *lesson->outcome);
    const struct program program = parse_own(arena, lesson);
    const char *name = file_name_of(file), *words = docstring_of(arena, &program);
    size_t length = first_sentence(words);
    const char *rest = words + length + strspn(words + length, " ");
    if (length > 0 && words[length - 1] == '.') length--;
    const char *title = length > 0 ? arena_copy_bytes(arena, words, length) : name;
    const char *dot = strrchr(name, '.');
    const size_t stem = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    lesson->lesson = (struct lesson){
        .name = text_safe(arena, arena_copy_bytes(arena, name, stem)),
        .part = PART_OF_READER,
        .title = text_cut(arena, text_safe(arena, title), TITLE_COLUMNS),
        .summary = is_notebook ? lesson->outcome->summary : rest,
        .uses = USES_BERNOULLI | USES_TURN,
        .teach = teach_program,
        .source = &lesson->source,
        .with_lines = with_lines,
    };
    return lesson;
}

struct program_lesson *program_lesson_new(struct arena *arena, const char *file, const char *text) {
    return lesson_new(arena, file, text, false);
}

struct program_lesson *notebook_lesson_new(struct arena *arena, const char *file,
                                           const char *text) {
    return lesson_new(arena, file, text, true);
}

// ---- Names in sight -----------------------------------------------------------------------------

// What the code in the place of a step's line prints; it stops the program.
struct looking {
    struct text names;
    volatile bool stop;
};
#define NAMES_IN_SIGHT "names in sight: "

static void look_at_print(void *context, const char *bytes, size_t length) {
    struct looking *looking = context;
    const size_t mark = sizeof NAMES_IN_SIGHT - 1;
    const bool is_first = length >= mark && strncmp(bytes, NAMES_IN_SIGHT, mark) == 0;
    if (looking->stop || (!is_first && looking->names.length == 0)) return;
    text_add_bytes(&looking->names, bytes, length);
    looking->stop = looking->names.bytes[looking->names.length - 1] == '\n';
}

static bool is_among(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// Those of the words between blanks that begin with `start`, sorted, each once.
static const char *const *words_beginning(struct arena *arena, const char *words,
                                          const char *start) {
    const char **names = arena_array(arena, strlen(words) / 2 + 2, sizeof *names);
    int count = 0;
    for (const char *at = words; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        const char *word = arena_copy_bytes(arena, at, length);
        const bool is_hidden = word[0] == '_' && start[0] != '_';
        at += length + (at[length] == ' ');
        if (strncmp(word, start, strlen(start)) != 0 || is_hidden || is_among(names, count, word))
            continue;
        int position = count++;
        for (; position > 0 && strcmp(names[position - 1], word) > 0; position--)
            names[position] = names[position - 1];
        names[position] = word;
    }
    names[count] = NULL;
    return names;
}

// Runs the program with the code in the place of a step's line until that has printed the names.
static const char *printed_names(struct arena *arena, const struct program_lesson *lesson,
                                 const struct run *run, int step, const char *code) {
    struct looking looking = {.names = text_new(arena)};
    const struct excerpt *lines = run->steps[step].excerpt;
    const char *text = text_with_lines(arena, text_without_cells(arena, lesson), lines->first_line,
                                       lines->last_line, code);
    struct syntax_error error;
    const struct program program = parse_program(arena, lesson->file, text, &error);
    const struct machine_options options = {.memory = lesson->memory,
                                            .steps = MOST_STATEMENTS,
                                            .stream = run->stream,
                                            .stop = &looking.stop,
                                            .print = look_at_print,
                                            .context = &looking};
    if (error.message != NULL) return "";
    struct cleanup cleanup;
    const size_t limit = arena->limit;
    struct machine *machine = machine_new(arena, &options);
    cleanup_open(&cleanup, arena->failure, free_machine, machine);
    (void)machine_run(machine, &program);
    arena->limit = limit;
    cleanup_close(&cleanup);
    if (!looking.stop) return "";
    const char *names = looking.names.bytes + sizeof NAMES_IN_SIGHT - 1;
    return arena_copy_bytes(arena, names, strcspn(names, "\n"));
}

const char *const *names_at_step(struct arena *arena, const struct run *run, int step,
                                 const char *begun) {
    const char *point = strrchr(begun, '.'), *names = "list(dir()) + list(globals())";
    const char *base = arena_copy_bytes(arena, begun, point != NULL ? (size_t)(point - begun) : 0);
    if (point != NULL) // a module's own names stand in dicts of it
        names = arena_format(arena,
                             "dir(%s) + [n for d in ('_parameters', '_buffers', '_modules') "
                             "for n in getattr(%s, d, {})]",
                             base, base);
    const char *code = arena_format(arena, "print('%s' + ' '.join(%s))", NAMES_IN_SIGHT, names);
    const char *words =
        point == begun ? "" : printed_names(arena, program_of(run->lesson), run, step, code);
    return words_beginning(arena, words, point != NULL ? point + 1 : begun);
}
