// onestep as a page: what differs from the program in a terminal. The rest is the same code, compiled to WebAssembly, and
// program.js runs it. Three things differ. What the machine does for a program, the script does here (files, leaving
// functions from deep inside). Some commands are left out. And keys come and canvases go through the functions below.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/bench.h"
#include "app/check/class/roster.h"
#include "app/check/program/recorded.h"
#include "app/check/progress.h"
#include "app/check/watch.h"
#include "app/command/arguments.h"
#include "app/command/input.h"
#include "app/command/program.h"
#include "app/command/recording.h"
#include "app/compare/companion.h"
#include "app/compare/compare.h"
#include "app/gpt2.h"
#include "app/gpt_ways.h"
#include "app/practice.h"
#include "app/session/link.h"
#include "app/session/session.h"
#include "lessons.h"
#include "show/figure.h"
#include "show/heat.h"
#include "show/json.h"
#include "show/map/map.h"
#include "show/markup.h"
#include "trace/run/step.h"
#include "trace/tape/order.h"
#include "walk/views/views.h"
#include "walk/walker.h"
#include "web/face.h"

#define FROM_SCRIPT(name) __attribute__((import_module("script"), import_name(name)))
#define FOR_SCRIPT(name) __attribute__((export_name(name)))

// ---- What the script does for us ----------------------------------------------------------------

// A browser's stacks are small, and WebAssembly does not see how much of one is left. So from so many bytes of our own
// stack on, where each call keeps what has an address, the script goes on with another one.
FROM_SCRIPT("deepen") void script_deepen(void (*action)(void *context), void *context);

void call_on_stack(void (*action)(void *context), void *context) {
    enum { MOST_STACK = 32 << 10 };
    static uintptr_t top; // of our own stack, when the script's began
    const uintptr_t at = (uintptr_t)__builtin_frame_address(0), before = top;
    if (at > top) top = at; // the first, or behind a failure
    if (top - at < MOST_STACK) {
        action(context);
        return;
    }
    top = at;
    script_deepen(action, context);
    top = before;
}

// Files are a list that the script keeps: names and bytes, without folders. Each returns -1 if it can't.
FROM_SCRIPT("open") int script_open(const char *path, int is_new);
FROM_SCRIPT("rename") int script_rename(const char *from, const char *to);
FROM_SCRIPT("remove") int script_remove(const char *path);

static int not_there(int result) {
    if (result < 0) errno = ENOENT;
    return result;
}

int open(const char *path, int flags, ...) {
    return not_there(script_open(path, (flags & O_CREAT) != 0));
}

int mkstemp(char *path) {
    memcpy(path + strlen(path) - 6, "000000", 6);
    return not_there(script_open(path, 1));
}

// No other program writes these files.
int flock(int file, int operation) {
    (void)file;
    (void)operation;
    return 0;
}

// Whatever there is can be read and written.
int access(const char *path, int mode) {
    (void)mode;
    const int file = script_open(path, 0);
    if (file < 0) return not_there(file);
    return close(file);
}

int stat(const char *restrict path, struct stat *restrict status) {
    *status = (struct stat){.st_mode = S_IFREG};
    return access(path, F_OK);
}

int rename(const char *from, const char *to) {
    return not_there(script_rename(from, to));
}

int unlink(const char *path) {
    return not_there(script_remove(path));
}

int rmdir(const char *path) {
    (void)path;
    return 0;
}

// The script keeps files in no folders.
DIR *opendir(const char *path) {
    (void)path;
    errno = ENOENT;
    return NULL;
}

struct dirent *readdir(DIR *folder) {
    (void)folder;
    return NULL;
}

int closedir(DIR *folder) {
    (void)folder;
    return 0;
}

int mkdir(const char *path, mode_t mode) {
    (void)path, (void)mode;
    return 0;
}

int fchmod(int file, mode_t mode) {
    (void)file, (void)mode;
    return 0;
}

int truncate(const char *path, off_t length) {
    (void)path, (void)length;
    return 0;
}

// As stat says of all files.
uid_t geteuid(void) {
    return 0;
}

gid_t getegid(void) {
    return 0;
}

mode_t umask(mode_t mask) {
    return mask;
}

char *realpath(const char *restrict path, char *restrict end) {
    (void)path, (void)end;
    return NULL;
}

// ---- What is left out ---------------------------------------------------------------------------

static _Noreturn void leave_out(struct failure *failure, const char *what) {
    fail(failure, FAIL_USAGE, "%s is not available in the page; use onestep in a terminal", what);
}

const int model_count = 0;
const struct lesson *const model_table[] = {NULL};
const char data_gpt[] = "";

// The page's memory never goes back to a system.
void keep_freed_memory(void) {
}

void use_gpt_ways(void) {
}

const struct gpt2_size gpt2_sizes[GPT2_SIZES] = {{0}}; // none has a name

const struct gpt2_size *gpt2_size_by_name(const char *name) {
    (void)name;
    return NULL;
}

void add_gpt2(struct text *text, const struct gpt2_options *options) {
    (void)options;
    leave_out(text->arena->failure, "gpt2");
}

bool is_recording_name(const char *argument) {
    (void)argument;
    return false; // a recording is mapped, and mostly larger than what a page should read
}

const struct lesson *read_recording(struct arena *arena, const char *path) {
    (void)path;
    leave_out(arena->failure, "a recording");
}

bool add_check_of_recording(struct text *text, const struct command *command, struct run *run) {
    (void)command, (void)run;
    leave_out(text->arena->failure, "a recording");
}

bool add_comparison(struct text *text, const struct command *command) {
    (void)command;
    leave_out(text->arena->failure, "compare");
}

const struct companion_source *companion_of(struct arena *arena, const struct command *command) {
    if (command->beside != NULL) leave_out(arena->failure, "--beside");
    return NULL;
}

void add_bench(struct text *text, int threads) {
    (void)threads;
    leave_out(text->arena->failure, "bench");
}

// A page has neither a terminal nor a clock of its own here.
FILE *progress_terminal(void) {
    return NULL;
}

double progress_time(void) {
    return 0;
}

void tell_progress(FILE *terminal, double *told, const char *what, int i, int count) {
    (void)terminal, (void)told, (void)what, (void)i, (void)count;
}

void take_progress_back(FILE *terminal) {
    (void)terminal;
}

bool add_roster(struct text *text, struct text *notes, const struct command *command) {
    (void)notes, (void)command;
    leave_out(text->arena->failure, "--roster");
}

void watch_file(const struct command *command, struct failure *failure) {
    (void)command;
    leave_out(failure, "--watch");
}

void practise(const struct command *command, struct failure *failure) {
    (void)command;
    leave_out(failure, "practice");
}

// ---- The page -----------------------------------------------------------------------------------

// What the page last told a listener of.
struct heard {
    const struct walk_view *view;
    int lesson, step, stage; // of the tour
};

struct web {
    struct failure failure;
    const struct lesson **lessons; // that it shows
    int *numbers;                  // theirs, among all lessons
    int lesson_count;
    const struct lesson *program; // the reader's, where one is walked
    struct arena lasting;         // the lessons
    struct arena started, fresh;  // what the walk was started with; what the next one is to be
    bool is_walking;
    struct walking walking;
    struct arena frame;  // of the canvas and of what is said
    struct arena looked; // of what is said of a cell that is looked at
    struct canvas canvas;
    struct text said; // for the script to read
    struct heard heard;

    // What the script asks for, where it takes more than a number.
    const char *link, *tokens, *keys;
    int step;
    struct press press;
    int rows, columns, columns_beside;
    bool has_heat;
    struct shown shown; // the matrices of the face that was described last
};

FOR_SCRIPT("allocate") void *web_allocate(size_t size) {
    return malloc(size);
}

FOR_SCRIPT("release") void web_release(void *memory) {
    free(memory);
}

// What the last call left to be read: the markup of a canvas, what there is to say of it, why it could not be.
FOR_SCRIPT("said") const char *web_said(const struct web *web) {
    return web->said.bytes;
}

FOR_SCRIPT("said_length") size_t web_said_length(const struct web *web) {
    return web->said.length;
}

static struct text new_text(struct web *web) {
    struct text text = text_new(&web->frame);
    text_add(&text, "");
    return text;
}

// Does it; returns whether it could be done. If not, the reason is said.
static bool does(struct web *web, void (*action)(void *web)) {
    if (attempt(&web->failure, action, web)) return true;
    web->said = new_text(web);
    text_add(&web->said, web->failure.message);
    return false;
}

// Shows the lessons with these names, "causal,dropout"; of none that there is, all. Says which there are not.
static void choose_lessons(struct web *web, const char *names) {
    web->lessons = arena_array(&web->lasting, (size_t)lesson_count, sizeof *web->lessons);
    web->numbers = arena_array(&web->lasting, (size_t)lesson_count, sizeof *web->numbers);
    web->said = new_text(web);
    for (size_t length; *names != '\0'; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        const char *name = arena_copy_bytes(&web->lasting, names, length);
        const struct lesson *lesson = lesson_by_name(name);
        if (lesson == NULL)
            text_add_format(&web->said, "%s'%s'", web->said.length > 0 ? ", " : "", name);
        else if (web->lesson_count < lesson_count)
            web->lessons[web->lesson_count++] = lesson;
    }
    if (web->lesson_count == 0) {
        web->lesson_count = lesson_count;
        memcpy(web->lessons, lesson_table, (size_t)lesson_count * sizeof *web->lessons);
    }
    for (int i = 0; i < web->lesson_count; i++) {
        while (lesson_table[web->numbers[i]] != web->lessons[i]) web->numbers[i]++;
        web->numbers[i] += first_number(lesson_table);
    }
}

// A page with some of the lessons. Says the names that are none, "'nonsense', 'other'".
FOR_SCRIPT("page") struct web *web_new(const char *lessons) {
    struct web *web = calloc(1, sizeof *web);
    if (web == NULL) return NULL;
    web->frame = web->looked = web->lasting = web->started = web->fresh = arena_new(&web->failure);
    choose_lessons(web, lessons);
    return web;
}

// The style of frames, of figures, and the colours of numbers in the face.
FOR_SCRIPT("style") bool web_style(struct web *web) {
    web->said = new_text(web);
    paint_style(&web->said);
    add_figure_style(&web->said);
    add_heat_rules(&web->said, false);
    text_add(&web->said, ".face{");
    add_heat_properties(&web->said, false);
    text_add(&web->said, "}@media (prefers-color-scheme:dark){\n");
    add_heat_rules(&web->said, true);
    text_add(&web->said, ".face{");
    add_heat_properties(&web->said, true);
    text_add(&web->said, "}}\n");
    return true;
}

// ---- Opening a link -----------------------------------------------------------------------------

// The command that a link stands for, with the reader's tokens, where the lesson has a use for them.
static struct command command_of(struct web *web, struct arena *arena) {
    char *argv[] = {"onestep", "walk", arena_copy(arena, web->link), NULL};
    struct command command = read_command(arena, 3, argv);
    if (is_program(command.lesson)) return command;
    const bool has_tokens = *web->tokens != '\0';
    if (!has_tokens || (command.lesson != NULL && !(command.lesson->uses & USES_INPUT)))
        return command;
    command.parameters.input = arena_copy(arena, web->tokens);
    command.parameters.inputs = read_input(arena, command.parameters.input, ANY_FILE);
    command.parameters.given |= USES_INPUT;
    return command;
}

static void open_link(void *context) {
    struct web *web = context;
    const struct command command = command_of(web, &web->fresh);
    if (web->is_walking) walker_free(&web->walking.walker);
    arena_free(&web->started);
    web->started = web->fresh;
    web->fresh = arena_new(&web->failure);
    web->is_walking = true;
    const bool is_own = is_program(command.lesson);
    web->program = command.lesson;
    walking_start(&web->walking, is_own ? &web->program : web->lessons,
                  is_own ? 1 : web->lesson_count, &command, NULL, &web->failure);
    if (is_own) return;
    web->walking.walker.state.numbers = web->numbers;
    walking_offer_tour(&web->walking);
}

// Goes where a link leads: "#causal/scores?seed=5", "#" to the place where the last walk was left, "mine.py" through the program
// in that file. `tokens` is the script's file with the reader's own, or "". If that can't be, it says why, and there is no walk.
FOR_SCRIPT("open") bool web_open(struct web *web, const char *link, const char *tokens) {
    web->link = link;
    web->tokens = tokens;
    web->heard = (struct heard){0};
    const bool is_open = does(web, open_link);
    arena_free(&web->fresh);
    return is_open;
}

// The name of the first lesson, where a link leads that leads nowhere.
FOR_SCRIPT("first_lesson") const char *web_first_lesson(const struct web *web) {
    return web->lessons[0]->name;
}

// ---- Keys ---------------------------------------------------------------------------------------

static struct look look_of(const struct web *web) {
    return (struct look){.has_heat = web->has_heat, .is_light = web->walking.walker.state.is_light};
}

static void press_in(struct web *web, struct press press) {
    walker_press(&web->walking.walker, press, web->rows);
    save_if_asked(&web->walking, web->rows, web->columns, look_of(web));
}

static void press_keys(void *context) {
    struct web *web = context;
    for (const char *keys = web->keys; *keys != '\0';) {
        const struct press press = {.key = next_key(&web->frame, &keys)};
        press_in(web, press);
    }
}

static void press_one(void *context) {
    struct web *web = context;
    press_in(web, web->press);
}

// Keys as `screen --keys` has them, on a screen of so many rows.
FOR_SCRIPT("press") bool web_press(struct web *web, const char *keys, int rows) {
    web->keys = keys;
    web->rows = rows;
    return does(web, press_keys);
}

// A key by its number, as web_describe gave it.
FOR_SCRIPT("press_key") bool web_press_key(struct web *web, uint32_t key, int rows) {
    web->press = (struct press){.key = key};
    web->rows = rows;
    return does(web, press_one);
}

// A click. The wheel scrolls the page, as on any other.
FOR_SCRIPT("point") bool web_point(struct web *web, int row, int column, int rows) {
    web->press = (struct press){PRESS_CLICK, row, column};
    web->rows = rows;
    return does(web, press_one);
}

// Leaves a message on the screen.
FOR_SCRIPT("tell") bool web_tell(struct web *web, const char *message) {
    tell(&web->walking.walker.state, "%s", message);
    return true;
}

// ---- Frames -------------------------------------------------------------------------------------

static void draw(void *context) {
    struct web *web = context;
    arena_free(&web->frame);
    web->canvas = canvas_new(&web->frame, web->rows, web->columns, look_of(web));
    walker_draw(&web->walking.walker, &web->canvas);
    web->said = new_text(web);
    paint_spans(&web->said, &web->canvas);
}

// Says the markup of a frame of this size, a row a line (paint_spans).
FOR_SCRIPT("draw") bool web_draw(struct web *web, int rows, int columns, bool has_heat) {
    web->rows = rows;
    web->columns = columns;
    web->has_heat = has_heat;
    return does(web, draw);
}

// ---- The page's own face --------------------------------------------------------------------------

// What the page shows of the view in its own way, and the markup of the rows that it shows as they are: of a step's screen on a
// canvas with room for all, of other views on one of the page's size.
static void draw_face(void *context) {
    enum { ALL_ROWS = 150 };
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    arena_free(&web->frame);
    struct text said = new_text(web), markup = new_text(web);
    struct json json = json_new(&said);
    json_open_object(&json, NULL);
    const struct faced faced = add_face(&json, walker, &web->frame, look_of(web), web->columns);
    web->shown = faced.shown;
    const int rows = !faced.is_step ? web->rows : faced.has_rows ? ALL_ROWS : 1;
    struct look look = look_of(web);
    look.has_buttons = true;
    web->canvas =
        canvas_new(&web->frame, rows, faced.is_step ? web->columns_beside : web->columns, look);
    if (faced.has_rows) {
        add_rows_to_show(&json, "shown", walker, &web->canvas);
        paint_spans(&markup, &web->canvas);
    } else {
        if (!faced.is_step) walker_draw(walker, &web->canvas); // what is spoken is read from it
        json_add_raw(&json, "shown", "[]");
    }
    json_add_string(&json, "markup", markup.bytes);
    json_close(&json);
    web->said = said;
}

// Says, as JSON, what add_face and add_rows_to_show do, and the markup of the frame; `beside` is the columns that there are
// beside the matrices of a step.
FOR_SCRIPT("face")
bool web_face(struct web *web, int rows, int columns, int beside, bool has_heat) {
    web->rows = rows;
    web->columns = columns;
    web->columns_beside = beside;
    web->has_heat = has_heat;
    return does(web, draw_face);
}

static void click_on_cell(void *context) {
    struct web *web = context;
    web->walking.walker.shown = web->shown;
    press_in(web, web->press);
}

// A click on a row of the frame: a line of a list is chosen and pressed at once.
static void choose(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const struct open_view *top = top_view(walker);
    const struct spot *spot = spot_at(&walker->spots, web->press.row, web->press.column);
    const bool is_line = spot != NULL && spot->kind == SPOT_LINE && top->view->has_lines;
    const char *chosen = is_line ? (const char *)top->view_state + top->view->chosen_at : NULL;
    const bool is_chosen = is_line && *(const int *)(const void *)chosen == spot->number;
    press_in(web, web->press);
    if (is_line && !is_chosen) press_in(web, (struct press){.key = PRESS_ENTER});
}

// Chooses a line of a list and presses it. A lesson is gone to at once. In the overview the first click only chooses, as there is
// something to read of each place.
static void pick(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const int lesson = walker->state.lesson;
    const struct open_view *top = top_view(walker);
    if (!top->view->has_lines) return;
    int *chosen = (int *)(void *)((char *)top->view_state + top->view->chosen_at);
    const bool only_chooses = top->view == &overview_view && *chosen != web->step;
    *chosen = web->step;
    if (only_chooses) return;
    press_in(web, (struct press){.key = PRESS_ENTER});
    if (top_view(walker)->view == &list_view && walker->state.lesson != lesson) close_views(walker);
}

// The line of the list that has this number.
FOR_SCRIPT("pick") bool web_pick(struct web *web, int number, int rows) {
    web->step = number;
    web->rows = rows;
    return does(web, pick);
}

FOR_SCRIPT("choose") bool web_choose(struct web *web, int row, int column, int rows) {
    web->press = (struct press){PRESS_CLICK, row, column};
    web->rows = rows;
    return does(web, choose);
}

// A click on a cell of a matrix of the face does what it does in a terminal.
FOR_SCRIPT("click") bool web_click(struct web *web, int page, int row, int column) {
    return !place_of_cell(&web->shown, page, row, column, &web->press) || does(web, click_on_cell);
}

// The face as it would be with the cursor on another cell. Nothing of the walk changes.
static void look_at(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const struct state before = walker->state;
    int64_t row, column;
    walker->shown = web->shown;
    const bool is_of_step = page_at(&web->shown, &web->press, &row, &column) != NULL;
    struct text said = text_new(&web->looked);
    struct json json = json_new(&said);
    json_open_object(&json, NULL);
    if (is_of_step) {
        click_cell(walker, &web->press, false);
        *walker->state.message = '\0';
        (void)add_face(&json, walker, &web->looked, look_of(web), web->columns);
    } else
        add_operand_number(&json, "operand", walker, &web->shown, &web->press);
    json_close(&json);
    walker->state = before;
    web->said = said;
}

// Says, as JSON, the face with the cursor on a cell of one of its matrices; of an operand's cell, where its number is from.
FOR_SCRIPT("look") bool web_look(struct web *web, int page, int row, int column) {
    arena_free(&web->looked);
    web->said = text_new(&web->looked);
    text_add(&web->said, "{}");
    return !place_of_cell(&web->shown, page, row, column, &web->press) || does(web, look_at);
}

static void go_to(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    close_views(walker);
    end_try(walker);
    walker->tour.is_offered = false;
    walker->state.grain = GRAIN_STEP;
    *walker->state.message = '\0';
    go_to_step(&walker->state, &walker->trial.run, web->step);
}

// Goes to a step of the lesson, from 0.
FOR_SCRIPT("go") bool web_go(struct web *web, int step) {
    const int count = web->walking.walker.trial.run.step_count;
    web->step = step < 0 ? 0 : step < count ? step : count - 1;
    return does(web, go_to);
}

// A line, an answer or a number that was typed whole: the answer of what is asked, the number of the input, else the line of the
// step.
static void take_line(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const char *code = arena_copy(&walker->words, web->keys);
    *walker->state.message = '\0';
    if (top_view(walker)->view == &typing_view) close_view(walker);
    const struct walk_view *view = top_view(walker)->view;
    if (view != &challenge_view && view != &input_view) open_line(walker);
    const struct open_view *top = top_view(walker);
    if (top->view == &challenge_view || top->view == &input_view) {
        top->view->typed(walker, top->view_state, code);
    } else if (top->view == &line_view) {
        close_view(walker);
        change_line(walker, code);
        remember_line(walker, code);
    }
}

FOR_SCRIPT("type") bool web_type(struct web *web, const char *text) {
    web->keys = text;
    return does(web, take_line);
}

static void set_parameter_at(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const struct open_view *top = top_view(walker);
    const struct settable settable = settable_in(walker->trial.run.lesson);
    if (top->view != &settings_view || web->step >= settable.count) return;
    *walker->state.message = '\0';
    memcpy((char *)top->view_state + top->view->chosen_at, &web->step, sizeof web->step);
    top->view->typed(walker, top->view_state, web->keys);
}

// Sets the parameter with this number in the settings, which are open.
FOR_SCRIPT("set") bool web_set(struct web *web, int number, const char *value) {
    web->step = number < 0 ? 0 : number;
    web->keys = value;
    return does(web, set_parameter_at);
}

static void draw_map_of_lesson(void *context) {
    struct web *web = context;
    const struct run *run = &web->walking.walker.trial.run;
    const struct step *step = current_step(&web->walking.walker.state, run);
    const struct map map = map_of_call(&web->looked, run, step->within);
    struct text said = text_new(&web->looked), svg = text_new(&web->looked);
    struct json json = json_new(&said);
    add_map_svg(&svg, &map, NULL, true);
    json_open_object(&json, NULL);
    json_add_string(&json, "svg", svg.bytes);
    json_add_string(&json, "here", step_address(&web->looked, run, step));
    json_open_list(&json, "steps");
    for (int i = 0; i < run->step_count; i++)
        json_add_string(&json, NULL, step_address(&web->looked, run, &run->steps[i]));
    json_close(&json);
    json_close(&json);
    web->said = said;
}

// Says, as JSON, the map of the lesson, or of the call that the step is in, as SVG, in which each step links to "#" and its address; the
// address of the step, and of all steps.
FOR_SCRIPT("map") bool web_map(struct web *web) {
    arena_free(&web->looked);
    return does(web, draw_map_of_lesson);
}

// Columns that a character takes.
FOR_SCRIPT("columns_of") int web_columns_of(uint32_t character) {
    return character_width(character);
}

// ---- For those who listen -----------------------------------------------------------------------

// Lines, blocks and the like, which nobody can listen to.
static bool is_drawing(uint32_t character) {
    return (character >= 0x2500 && character < 0x2600) || // boxes, blocks, shapes
           (character >= 0x2800 && character < 0x2900);   // Braille, of which curves are made
}

// The words of some rows of the frame, blanks in a row as one.
static void add_rows(struct text *text, const struct canvas *canvas, int first, int end) {
    for (int row = first; row < end; row++) {
        bool has_gap = false;
        for (int column = 0; column < canvas->columns; column++) {
            const struct glyph *glyph = glyph_at(canvas, row, column);
            char bytes[5];
            const bool is_blank = glyph->character == ' ' || is_drawing(glyph->character);
            has_gap = has_gap || is_blank;
            if (glyph->character == 0 || is_blank) continue;
            if (has_gap && text->length > 0) text_add(text, " ");
            has_gap = false;
            text_add_bytes(text, bytes, utf8_encode(glyph->character, bytes));
        }
        text_add(text, "\n");
    }
}

// "scores[journey, starts] = 1.4754", or inside a step, what happens there.
static void add_cell(struct text *text, struct walker *walker) {
    const struct run *run = &walker->trial.run;
    const struct state *state = &walker->state;
    const struct step *step = current_step(state, run);
    const struct order order = current_order(state, run);
    if (state->grain != GRAIN_STEP && order.moment_count > 0 && state->moment >= 0) {
        const struct happening happening =
            what_happens(text->arena, &order, state->moment, shown_digits(walker));
        text_add_format(text, "%s %s: %s\n", step->name, happening.where, happening.what);
        return;
    }
    const struct cell cell = current_cell(state, run);
    text_add_format(text, "%s%s = %s\n", step->name, cell_label(text->arena, &cell),
                    cell_number(text->arena, &cell, shown_digits(walker)));
}

static void add_step(struct text *text, const struct run *run, const struct step *step) {
    text_add_format(text, "%s, step %d of %d, %s: %s. %s\n", run->lesson->title, step->number,
                    run->step_count, step_label(text->arena, step), step->paragraph->title,
                    step->paragraph->explanation);
}

// On a step: which, if it is another one, and the cell. Elsewhere what the view says; or the line under the cursor; where
// there is no cursor, all that is on the screen. And the tour, when it asks for another key.
static const char *spoken(struct web *web) {
    struct text text = new_text(web);
    struct walker *walker = &web->walking.walker;
    const struct state *state = &walker->state;
    const struct canvas *canvas = &web->canvas;
    const struct open_view *top = top_view(walker);
    const struct heard now = {top->view, state->lesson, state->step, walker->tour.stage};
    const struct heard before = web->heard;
    web->heard = now;
    const bool is_step = now.view == &step_view || now.view == &inside_view;
    const bool is_other =
        now.view != before.view || now.lesson != before.lesson || now.step != before.step;
    if (!is_step && is_other && now.view->bit != VIEW_CHALLENGE) // which says its name
        text_add_format(&text, "%s\n", now.view->name);
    if (is_step && is_other)
        add_step(&text, &walker->trial.run, current_step(state, &walker->trial.run));
    if (*state->message != '\0') text_add_format(&text, "%s\n", state->message);
    const bool has_cursor = canvas->cursor_row < canvas->rows - 1;
    if (is_step && *state->message == '\0')
        add_cell(&text, walker);
    else if (now.view->say != NULL)
        now.view->say(walker, top->view_state, &text);
    else if (!is_step)
        add_rows(&text, canvas, has_cursor ? canvas->cursor_row : 1,
                 has_cursor ? canvas->cursor_row + 1 : canvas->rows - 1);
    if (is_other || now.stage != before.stage) say_tour(walker, &text);
    return text.bytes;
}

// ---- What there is to say of a frame ------------------------------------------------------------

// At the end of a program no lesson and no question follows.
static bool is_idle(const struct lesson *lesson, enum view_bit view, enum action action) {
    return view == VIEW_SUMMARY && is_of_reader(lesson) &&
           (action == ACT_NEXT_LESSON || action == ACT_ANSWER || action == ACT_REVEAL);
}

// The keys of the view that have a label, as the key bar would show them, if there were room for all.
static void add_keys(struct json *json, const struct lesson *lesson, enum view_bit view) {
    json_open_list(json, "keys");
    for (int i = 0; i < binding_count; i++) {
        const struct binding *binding = &bindings[i];
        char buffer[5];
        if (binding->label == NULL || !(binding->views & (unsigned)view)) continue;
        if (is_idle(lesson, view, binding->action)) continue;
        json_open_object(json, NULL);
        json_add_integer(json, "code", binding->keys[0]);
        json_add_string(json, "key", key_text(binding->keys[0], buffer));
        json_add_string(json, "label", binding->label);
        json_add_string(json, "help", binding->help);
        json_add_integer(json, "weight", binding->weight);
        json_close(json);
    }
    json_close(json);
}

// What there is to do at a step beside what the page has buttons for, in their order.
static void add_more(struct json *json) {
    static const enum action more[] = {ACT_EDIT,      ACT_TOUR,    ACT_FOLLOW,   ACT_ESTIMATE,
                                       ACT_CHALLENGE, ACT_PICTURE, ACT_OVERVIEW, ACT_MEMORY,
                                       ACT_BOTH_WAYS, ACT_MAP,     ACT_SUMMARY,  ACT_READ,
                                       ACT_DIGITS,    ACT_PALETTE, ACT_NEXT_EACH};
    struct arena *arena = json->text->arena;
    json_open_list(json, "more");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        for (int j = 0; j < binding_count; j++) {
            const struct binding *binding = &bindings[j];
            const char *label = binding->label != NULL ? binding->label : "", *help = binding->help;
            char buffer[5];
            if (binding->action != more[i] || !(binding->views & (unsigned)VIEW_STEP)) continue;
            const bool is_said = strncmp(help, label, strlen(label)) == 0;
            json_open_object(json, NULL);
            json_add_integer(json, "code", binding->keys[0]);
            json_add_string(json, "key", key_text(binding->keys[0], buffer));
            json_add_string(json, "help",
                            is_said ? help : arena_format(arena, "%s: %s", label, help));
            json_close(json);
            break;
        }
    }
    json_close(json);
}

static const char *link_of(struct web *web) {
    struct text text = new_text(web);
    add_link(&text, &web->walking.walker);
    return text.bytes;
}

static void describe(void *context) {
    struct web *web = context;
    struct walker *walker = &web->walking.walker;
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    const enum view_bit view = top_view(walker)->view->bit;
    struct text said = new_text(web);
    struct json json = json_new(&said);
    json_open_object(&json, NULL);
    json_add_string(&json, "link", link_of(web));
    json_add_string(&json, "lesson", run->lesson->name);
    json_add_string(&json, "title", run->lesson->title);
    json_add_string(&json, "step", step_label(&web->frame, step));
    json_add_bool(&json, "on_step", (view & (VIEW_STEP | VIEW_INSIDE)) != 0);
    json_add_bool(&json, "is_offered", walker->tour.is_offered);
    json_add_bool(&json, "is_program", is_program(run->lesson));
    json_add_bool(&json, "typing",
                  (view & (VIEW_TYPING | VIEW_SEARCH | VIEW_PALETTE | VIEW_LINE)) != 0);
    if (view & (VIEW_TYPING | VIEW_SEARCH | VIEW_PALETTE)) // their states begin with it
        json_add_string(&json, "typed",
                        ((const struct typing *)top_view(walker)->view_state)->text);
    json_add_bool(&json, "own_tokens", walker->chosen.given & run->lesson->uses & USES_INPUT);
    json_add_bool(&json, "mouse", walker->state.has_mouse);
    json_add_integer(&json, "row", web->canvas.cursor_row);
    json_add_integer(&json, "column", web->canvas.cursor_column);
    json_add_string(&json, "spoken", spoken(web));
    add_keys(&json, walker->trial.run.lesson, view);
    add_more(&json);
    json_close(&json);
    web->said = said;
    walking_remember(&web->walking);
}

// Says, as JSON, what there is to say of the last frame: its link, the keys, the cursor, what a listener would be told.
// Also keeps the place.
FOR_SCRIPT("describe") bool web_describe(struct web *web) {
    return does(web, describe);
}
