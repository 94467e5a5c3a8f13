// Your turn: a question about a step, asked before its numbers are in sight. A line that answers it runs in the lesson.

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/run/exercise.h"
#include "trace/run/step.h"
#include "trace/what_if/mistaken.h"
#include "walk/kit/names.h"
#include "walk/other_sizes.h"
#include "walk/step/screen.h"
#include "walk/views/views.h"

// ---- Which challenge ----------------------------------------------------------------------------

static const struct recap *recap_here(const struct walker *walker) {
    return walker->trial.run.lesson->source->recap;
}

static const struct step *step_of(const struct walker *walker, const struct challenge *challenge) {
    return step_called(&walker->trial.run, challenge->step);
}

static bool runs_lines(const struct walker *walker) {
    return walker->interpreter != NULL && walker->interpreter->play != NULL;
}

static bool can_be_asked(const struct walker *walker, const struct challenge *challenge) {
    const struct step *step = step_of(walker, challenge);
    const bool is_line = challenge->kind == CHALLENGE_LINE;
    const bool needs_lines = is_line || challenge->kind == CHALLENGE_PRINTS;
    const bool needs_cell = challenge->cell_dims > 0;
    return step != NULL &&
           (!needs_cell || has_index(&step->tensor, challenge->cell_dims, challenge->cell)) &&
           (!needs_lines || runs_lines(walker)) && (!is_line || line_of_exercise(step) != NULL);
}

// The lesson's challenge at the stop on screen, from 0; -1 if there is none.
static int challenge_here(const struct walker *walker) {
    const struct recap *recap = recap_here(walker);
    const struct stop stop = stop_at(&walker->trial.run, walker->state.step);
    for (int i = 0; recap != NULL && i < recap->challenge_count; i++) {
        if (!can_be_asked(walker, &recap->challenges[i])) continue;
        const int step = step_of(walker, &recap->challenges[i])->number - 1;
        if (step >= stop.first && step < stop.first + stop.count) return i;
    }
    return -1;
}

// The step of the next challenge behind the one on screen, else of the first; NULL if nothing is asked.
static const struct step *next_asked(const struct walker *walker) {
    const struct recap *recap = recap_here(walker);
    const struct step *first = NULL;
    for (int i = 0; recap != NULL && i < recap->challenge_count; i++) {
        if (!can_be_asked(walker, &recap->challenges[i])) continue;
        const struct step *step = step_of(walker, &recap->challenges[i]);
        if (step->number > walker->state.step + 1) return step;
        if (first == NULL) first = step;
    }
    return first;
}

static bool is_changed(const struct walker *walker) {
    return any_made(&walker->what_ifs) ||
           (any_changed(&walker->what_ifs, walker->trial.run.lesson) && !walker->is_trying);
}

const char *why_no_challenge(struct walker *walker) {
    const struct step *next = next_asked(walker);
    if (is_changed(walker))
        return "The lesson is changed. u undoes that, then a question can be asked.";
    if (challenge_here(walker) >= 0) return NULL;
    if (next == NULL) return "No question is asked in this lesson.";
    return arena_format(&walker->words,
                        "No question is asked at this step. Step %d has the next one.",
                        next->number);
}

void ask_new_challenge(struct walker *walker) {
    const int challenge = challenge_here(walker);
    const bool is_toured = walker->tour.stage > 0;
    const bool is_wanted = is_toured ? tour_asks(walker) : !walker->state.asks_nothing;
    if (challenge < 0 || !is_wanted || is_changed(walker)) return;
    const struct visit *visit = &walker->state.visits[walker->state.lesson];
    if (!(visit->asked >> challenge & 1)) open_view(walker, &challenge_view);
}

// ---- Asking -------------------------------------------------------------------------------------

const struct challenge *asked_challenge(const struct walker *walker) {
    bool is_asked = false;
    for (int i = 0; i < walker->open_count; i++)
        is_asked |= walker->open[i].view == &challenge_view;
    return is_asked ? &recap_here(walker)->challenges[challenge_here(walker)] : NULL;
}

// A row is asked about from its first number on.
static void open(struct walker *walker, void *view_state) {
    (void)view_state;
    end_try(walker);
    const int number = challenge_here(walker);
    const struct challenge *challenge = asked_challenge(walker);
    struct state *state = &walker->state;
    walker->hints = 0;
    state->visits[state->lesson].asked |= UINT64_C(1) << number;
    const struct step *step = step_of(walker, challenge);
    if (step->number - 1 != state->step) go_to_step(state, &walker->trial.run, step->number - 1);
    if (challenge->cell_dims > 0) go_to_cell(state, &walker->trial.run, step, challenge->cell);
}

// "Which shape will scores have?"
static const char *question_of(struct arena *arena, const struct run *run,
                               const struct challenge *challenge) {
    const char *name = step_called(run, challenge->step)->name;
    if (*challenge->text != '\0') return challenge->text;
    switch (challenge->kind) {
    case CHALLENGE_LINE:
        return arena_format(arena, "Write the line that computes %s.", name);
    case CHALLENGE_SHAPE:
        return arena_format(arena, "Which shape will %s have?", name);
    case CHALLENGE_PRINTS:
        return arena_format(arena, "What does %s print behind this line?", challenge->code);
    default:
        return arena_format(arena, "What do you expect in %s?", name);
    }
}

static const char *way_to_answer(enum challenge_kind kind, bool has_buttons) {
    static const char *const clicked[] = {
        [CHALLENGE_LINE] = "Your line is run, and its numbers are compared.",
        [CHALLENGE_LARGEST] = "Click it, then the button.",
        [CHALLENGE_SIGN] = "Is it positive or negative?",
        [CHALLENGE_NUMBER] = "Two digits suffice.",
        [CHALLENGE_SHAPE] = "Type the sizes in order: 6 2 for (6, 2), () for a single number.",
        [CHALLENGE_PRINTS] = "Type what it prints.",
    };
    static const char *const ways[] = {
        [CHALLENGE_LINE] = "Enter begins the line. It is run, and its numbers are compared.",
        [CHALLENGE_LARGEST] = "Go to it with the arrow keys, then press Enter.",
        [CHALLENGE_SIGN] = "Press + or -.",
        [CHALLENGE_NUMBER] = "Type it, then press Enter. Two digits suffice.",
        [CHALLENGE_SHAPE] = "Type the sizes in order: 6 2 for (6, 2), () for a single number.",
        [CHALLENGE_PRINTS] = "Press Enter and type it.",
    };
    return (has_buttons ? clicked : ways)[kind];
}

// A line has the hints of its exercise, anything else one: what the lesson says of the step.
static int hint_count(const struct challenge *challenge) {
    return challenge->kind == CHALLENGE_LINE ? HINTS : 1;
}

// ---- Judging ------------------------------------------------------------------------------------

// "Right: ... (3 of 6 questions)", and the step with its numbers.
static void tell_right(struct walker *walker, const char *words) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    struct visit *visit = &walker->state.visits[walker->state.lesson];
    visit->answered |= UINT64_C(1) << challenge_here(walker);
    const char *answers = answers_text(m, walker->trial.run.lesson, visit);
    close_view(walker);
    if (strcmp(answers, "done") == 0)
        tell(&walker->state, "Right: %s You have answered all: this lesson is done.", words);
    else
        tell(&walker->state, "Right: %s (%s)", words, answers);
    scratch_close(&scratch);
}

static void tell_wrong(struct walker *walker, const char *words) {
    close_view(walker);
    tell(&walker->state, "No: %s Y asks again, n goes on.", words);
}

static void tell_verdict(struct walker *walker, bool is_right, const char *words) {
    (is_right ? tell_right : tell_wrong)(walker, words);
}

static void judge_largest(struct walker *walker) {
    const struct cell picked = current_cell(&walker->state, &walker->trial.run);
    const struct cell best = largest_of_row(&walker->state, &walker->trial.run);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const int last = best.tensor.ndim - 1;
    tell_verdict(walker, cell_value(&picked) == cell_value(&best),
                 arena_format(m, "the largest is %s, %s.",
                              label_at(m, &best.tensor, last, best.index),
                              cell_number(m, &best, shown_digits(walker))));
    scratch_close(&scratch);
}

static void judge_sign(struct walker *walker, bool is_negative) {
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    tell_verdict(walker, (cell_value(&cell) < 0) == is_negative,
                 arena_format(m, "it is %s.", cell_number(m, &cell, shown_digits(walker))));
    scratch_close(&scratch);
}

// Two digits: within a twentieth of it, or a hundredth where it is small. An infinity has to be met.
static void judge_number(struct walker *walker, const char *text) {
    const struct cell cell = current_cell(&walker->state, &walker->trial.run);
    const double value = cell_value(&cell);
    double guess;
    if (!read_infinite(walker, text, &guess)) return;
    const bool is_close = guess == value || fabs(guess - value) <= fmax(0.01, 0.05 * fabs(value));
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    tell_verdict(walker, is_close && isinf(value) == isinf(guess),
                 arena_format(m, "it is %s.", cell_number(m, &cell, shown_digits(walker))));
    scratch_close(&scratch);
}

static void judge_shape(struct walker *walker, const char *text) {
    const struct run *run = &walker->trial.run;
    const struct step *step = current_step(&walker->state, run);
    const struct shape shape = shape_of(&step->tensor);
    struct shape guess;
    if (!read_sizes(text, &guess)) {
        tell(&walker->state, "These are no sizes. Type them like 6 2, or () for a single number.");
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *sizes = shape_text(m, shape), *why = sizes_explained(m, run, step);
    const bool is_right = shapes_equal(guess, shape);
    const char *wrong =
        is_right ? "" : sizes_compared(m, guess, &step->tensor, shows_view(run, step));
    tell_verdict(walker, is_right,
                 is_right ? arena_format(m, "%s, from %s.", sizes, why)
                          : arena_format(m, "it is %s: %s.", sizes, wrong));
    scratch_close(&scratch);
}

// Is it the number that "tensor(2.)" says?
static bool reads_as_number(const char *typed, const char *printed) {
    static const char before[] = "tensor(";
    char *typed_end, *end;
    const double number = strtod(typed, &typed_end);
    if (typed_end == typed || *typed_end != '\0' ||
        strncmp(printed, before, sizeof before - 1) != 0)
        return false;
    return strtod(printed + sizeof before - 1, &end) == number && *end == ')';
}

// Are both the same but for blanks?
static bool reads_the_same(const char *a, const char *b) {
    static const char blanks[] = " \n";
    for (;; a++, b++) {
        a += strspn(a, blanks);
        b += strspn(b, blanks);
        if (*a != *b) return false;
        if (*a == '\0') return true;
    }
}

static void judge_printed(struct walker *walker, const char *text) {
    const struct run *right = &walker->trial.run;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const size_t count = (size_t)right->step_count;
    struct run run = *right;
    run.steps = arena_array(m, count, sizeof *run.steps);
    memcpy(run.steps, right->steps, count * sizeof *run.steps);
    struct step *step = &run.steps[walker->state.step];
    step->statement = arena_format(m, "%s\n%s", step->statement, asked_challenge(walker)->code);
    struct line_outcome *outcomes = arena_array(m, count, sizeof *outcomes);
    walker->interpreter->play(outcomes, m, right, &run);
    const char *printed = outcomes[walker->state.step].printed;
    if (printed == NULL) printed = "";
    const char *line = arena_format(m, "%.*s", (int)strcspn(printed, "\n"), printed);
    tell_verdict(walker, reads_the_same(text, printed) || reads_as_number(text, printed),
                 arena_format(m, "it prints %s.", line));
    scratch_close(&scratch);
}

// ---- A line -------------------------------------------------------------------------------------

// A search among the classic mistakes for the one that a typed line makes.
struct search {
    const struct tensor *typed;
    int step;
    int count;
    struct run *edited; // the lesson with one mistake each
    const struct mistake **mistakes;
    const struct mistake *found; // NULL: none yet
};

static struct search begin_search(const struct walker *walker, struct arena *arena) {
    const struct trial *trial = &walker->trial;
    const size_t most = (size_t)mistake_total;
    struct search search = {.typed = &trial->run.steps[walker->state.step].tensor,
                            .step = walker->state.step,
                            .edited = arena_array(arena, most, sizeof *search.edited),
                            .mistakes = arena_array(arena, most, sizeof *search.mistakes)};
    if (trial->right == NULL) return search;
    for (int i = 0; i < mistake_total; i++) {
        const struct mistake *const alone = &mistake_table[i];
        bool is_made;
        struct run *edited = &search.edited[search.count];
        if (make_mistakes(edited, &is_made, arena, walker->interpreter, trial->right, &alone, 1) ==
            0)
            continue;
        edited->step_count = search.step + 1;
        search.mistakes[search.count++] = alone;
    }
    return search;
}

// The mistake that makes the very line that was typed; NULL if none does.
static const struct mistake *mistake_written(const struct walker *walker,
                                             const struct search *search) {
    const char *typed = walker->trial.run.steps[search->step].statement;
    for (int i = 0; i < search->count; i++)
        if (reads_the_same(typed, search->edited[i].steps[search->step].statement))
            return search->mistakes[i];
    return NULL;
}

static void compare_typed(void *context, int i, const struct line_outcome *outcomes) {
    struct search *search = context;
    const struct line_outcome *outcome = &outcomes[search->step];
    if (search->found == NULL && !are_others(&outcome->tensor, search->typed))
        search->found = search->mistakes[i];
}

// Would the search take longer than a moment? A training does, and so do many numbers.
static bool is_slow(const struct run *right, const struct search *search) {
    enum { MOST_NUMBERS = 10000000 };
    int64_t numbers = 0;
    for (int i = 0; i <= search->step; i++) numbers += count_of(shape_of(&right->steps[i].tensor));
    return right->lesson->trains || is_long(right) || numbers * search->count > MOST_NUMBERS;
}

// The mistake with which the step has the numbers of the typed line, made in that line or before it; NULL if none is found.
static const struct mistake *mistake_with_numbers(const struct walker *walker, struct arena *arena,
                                                  struct search *search) {
    const struct run *right = walker->trial.right;
    if (search->count > 0 && !is_slow(right, search))
        walker->interpreter->compute(arena, right, search->count, search->edited, compare_typed,
                                     search);
    return search->found;
}

// The classic mistake that was made with the line that was typed; NULL if none is known.
static const struct mistake *mistake_made(const struct walker *walker, struct arena *arena) {
    struct search search = begin_search(walker, arena);
    const struct mistake *written = mistake_written(walker, &search);
    return written != NULL ? written : mistake_with_numbers(walker, arena, &search);
}

// "W_out is out_proj.weight here.": a line failed at a name that is a step's, and in PyTorch the step is something else; else NULL.
static const char *name_in_pytorch(struct arena *arena, const struct run *run,
                                   const struct line_outcome *failed) {
    static const char before[] = "NameError: name '";
    const char *at = strstr(failed->failure, before);
    if (at == NULL) return NULL;
    const char *typed =
        arena_copy_bytes(arena, at + sizeof before - 1, strcspn(at + sizeof before - 1, "'"));
    const struct step *step = first_named(run, typed);
    if (step == NULL || strcmp(step->expression, typed) == 0) return NULL;
    return arena_format(arena, "%s is %s here.", typed, step->expression);
}

// Why there are no numbers to compare: most failures are PyTorch's.
static const char *why_failed(struct arena *arena, const struct run *right, const struct step *step,
                              const char *failure) {
    static const char *const others[][2] = {
        {"KeyboardInterrupt", "This line was stopped."},
        {"the program takes more than", "This line takes too long for onestep."},
        {"a lesson may take", "This line takes too much memory for onestep."},
        {"onestep has no ", "onestep cannot run this line."},
        {"It is too large", "This tensor is too large to be shown."},
        {"It has no numbers", "This tensor has no numbers."},
    };
    const char *line = line_of_exercise(&right->steps[step->number - 1]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(failure, others[i][0]) != NULL) return others[i][1];
    if (strncmp(failure, "It is no tensor", 15) == 0 || strncmp(failure, "Your line ", 10) == 0)
        return arena_format(arena, "This line does not assign %.*s a tensor.",
                            (int)strcspn(line, " "), line);
    return "PyTorch cannot run this line.";
}

static void tell_wrong_line(struct walker *walker) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct trial *trial = &walker->trial;
    const struct step *step = current_step(&walker->state, &trial->run);
    const struct tensor *right = right_tensor(trial, step);
    const struct mistake *mistake = NULL;
    const struct line_outcome *failed = failed_outcome(trial, step);
    const char *other = failed != NULL ? name_in_pytorch(m, &trial->run, failed) : NULL;
    if (failed != NULL)
        tell(&walker->state, "%s Y: once more. n goes on without it.",
             other != NULL ? other : why_failed(m, trial->right, step, failed->failure));
    else if (right != NULL && !shapes_equal(shape_of(right), shape_of(&step->tensor)))
        tell(&walker->state, "Not yet: its shape is %s, asked for is %s. Y: once more. n goes on.",
             shape_text(m, shape_of(&step->tensor)), shape_text(m, shape_of(right)));
    else if (right != NULL && right->storage->dtype != step->tensor.storage->dtype)
        tell(&walker->state, "Not yet: its type is %s, asked for is %s. Y: once more. n goes on.",
             dtype_text(&step->tensor), dtype_text(right));
    else if ((mistake = mistake_made(walker, m)) != NULL)
        tell(&walker->state, "Not yet: this is the mistake %s: %s. Y: once more. n goes on.",
             mistake->name, mistake->title);
    else
        tell(&walker->state,
             "Not yet: the numbers with a mark differ. Y: once more. n goes on without it.");
    scratch_close(&scratch);
}

// Says so where a line with the right numbers is that of a mistake, which changes nothing in this lesson's numbers.
static bool tells_mistake_written(struct walker *walker) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const struct search search = begin_search(walker, m);
    const struct mistake *mistake = mistake_written(walker, &search);
    if (mistake != NULL) {
        close_view(walker);
        tell(&walker->state,
             "Not yet: the numbers are right here, but this is the mistake %s: %s. Y: once more.",
             mistake->name, mistake->title);
    }
    scratch_close(&scratch);
    return mistake != NULL;
}

// What was typed as a statement: "inputs @ query" makes what the step's own line makes. The lines before that one stay.
static const char *statement_of(struct arena *arena, const struct step *step, const char *code) {
    const char *line = line_of_exercise(step);
    const char *variable = arena_copy_bytes(arena, line, strcspn(line, " "));
    const size_t length = strlen(variable);
    const bool begins = strncmp(code, variable, length) == 0;
    const bool assigns = begins && code[length + strspn(code + length, " ")] == '=';
    if (!assigns && strchr(code, '\n') == NULL) return statement_with(arena, step, code);
    return arena_format(arena, "%.*s%s", (int)(line - step->statement), step->statement, code);
}

// Does a line use a name besides torch's own? Numbers that were copied compute nothing.
static bool uses_names(const char *code) {
    static const char *const others[] = {"torch", "tensor", "float32", "float", "inf", "dtype"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *behind = code + strspn(code, letters);
    behind += strspn(behind, " ");
    const char *at = behind[0] == '=' && behind[1] != '=' ? behind + 1 : code;
    while (*at != '\0') {
        const size_t length = strspn(at, letters);
        const bool is_name = length > 0 && !isdigit((unsigned char)*at);
        bool is_other = !is_name || (at > code && at[-1] == '.');
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other =
                is_other || (strlen(others[i]) == length && memcmp(at, others[i], length) == 0);
        if (!is_other) return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

static const char *how_right(struct arena *arena, const char *name, const char *missed) {
    if (missed == NULL)
        return arena_format(arena, "it computes %s. The lesson's line is below.", name);
    return arena_format(arena, "it computes %s here, but not with %s. The lesson's line is below.",
                        name, missed);
}

static void judge_line(struct walker *walker, const char *code) {
    const struct step *step = current_step(&walker->state, &walker->trial.run);
    if (uses_names(line_of_exercise(step)) && !uses_names(code)) {
        tell(&walker->state, "These are numbers only. Write the line that computes them.");
        return;
    }
    const char *typed = arena_copy(&walker->words, statement_of(&walker->words, step, code));
    const char *statement = arena_copy(&walker->words, step->statement);
    const char *name = arena_copy(&walker->words, step->name);
    const bool is_lesson_line = reads_the_same(typed, statement);
    if (!is_lesson_line) {
        change_line(walker, typed);
        walker->is_trying = any_changed(&walker->what_ifs, walker->trial.run.lesson);
        if (!walker->is_trying) return; // it could not run, and the state says why
    }
    if (!is_line_right(&walker->trial, walker->state.step)) {
        close_view(walker);
        tell_wrong_line(walker);
        return;
    }
    if (!is_lesson_line && tells_mistake_written(walker)) return;
    const char *missed = is_lesson_line ? NULL : size_it_misses(walker, &walker->words);
    end_try(walker);
    tell_right(walker, is_lesson_line ? "this is the lesson's line."
                                      : how_right(&walker->words, name, missed));
}

// ---- Keys ---------------------------------------------------------------------------------------

static void typed(struct walker *walker, void *view_state, const char *text) {
    (void)view_state;
    switch (asked_challenge(walker)->kind) {
    case CHALLENGE_LINE:
        judge_line(walker, text);
        break;
    case CHALLENGE_NUMBER:
        judge_number(walker, text);
        break;
    case CHALLENGE_SHAPE:
        judge_shape(walker, text);
        break;
    case CHALLENGE_PRINTS:
        judge_printed(walker, text);
        break;
    default:
        break; // nothing is typed for the others
    }
}

// A number and sizes may be typed at once; a sign is a single key.
static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    (void)view_state;
    const enum challenge_kind kind = asked_challenge(walker)->kind;
    if (kind == CHALLENGE_SIGN && (key == '+' || key == '-')) {
        judge_sign(walker, key == '-');
        return true;
    }
    const char *others = kind == CHALLENGE_SHAPE ? "(" : kind == CHALLENGE_NUMBER ? "-.+" : NULL;
    if (others == NULL || key == KEY_NOTHING || key >= 128) return false;
    const bool begins = isdigit((int)key) || strchr(others, (int)key) != NULL;
    if (begins) begin_typing(walker, key);
    return begins;
}

static void answer(struct walker *walker) {
    switch (asked_challenge(walker)->kind) {
    case CHALLENGE_LINE:
        open_line(walker);
        break;
    case CHALLENGE_LARGEST:
        judge_largest(walker);
        break;
    case CHALLENGE_SIGN:
        tell(&walker->state, "Press + if you expect a positive number, - if a negative one.");
        break;
    default:
        begin_typing(walker, KEY_NOTHING);
    }
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    (void)view_state;
    const struct challenge *challenge = asked_challenge(walker);
    switch (pressed->action) {
    case ACT_EDIT:
        answer(walker);
        break;
    case ACT_NEXT:
        close_view(walker);
        break;
    case ACT_BACK:
        close_view(walker);
        (void)go_to_new(&walker->state, &walker->trial.run, -1);
        break;
    case ACT_HINT:
        if (walker->hints < hint_count(challenge))
            walker->hints++;
        else
            tell(&walker->state, "There is no other hint. n shows the step.");
        break;
    case ACT_CLICK:
        click_cell(walker, &pressed->press, true);
        break;
    default:
        move_cell(&walker->state, &walker->trial.run, pressed);
    }
}

// ---- Drawing ------------------------------------------------------------------------------------

static int words_width(const struct screen *screen) {
    return screen->width < PROSE_COLUMNS ? screen->width : PROSE_COLUMNS;
}

static int want_heading(struct screen *screen, struct slot *slot) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    const char *question = question_of(arena, scene->run, scene->challenge);
    return add_paragraph(screen, slot, arena_format(arena, "Your turn. %s", question),
                         words_width(screen));
}

// Of a line, what the lesson says of the step, or the hints in its place.
static int want_words(struct screen *screen, struct slot *slot) {
    const struct scene *scene = screen->scene;
    const struct challenge *challenge = scene->challenge;
    const struct paragraph *paragraph = screen->step->paragraph;
    struct arena *arena = screen->canvas->arena;
    const bool asks = paragraph->title[strlen(paragraph->title) - 1] == '?';
    const char *said =
        arena_format(arena, "%s%s %s", paragraph->title, asks ? "" : ".", paragraph->explanation);
    const int width = words_width(screen);
    const bool is_line = challenge->kind == CHALLENGE_LINE;
    const char *way = way_to_answer(challenge->kind, screen->canvas->look.has_buttons);
    slot->needed = add_paragraph(screen, slot, way, width);
    for (int i = 0; is_line && i < scene->hints; i++) {
        const char *hint = exercise_at(arena, scene->run->lesson, screen->step)->hints[i];
        slot->needed =
            add_paragraph(screen, slot, arena_format(arena, "Hint %d: %s", i + 1, hint), width);
    }
    const bool says = is_line ? scene->hints == 0 : scene->hints > 0;
    return says ? add_paragraph(screen, slot, said, width) : slot->line_count;
}

// The line that is asked for, as far as it is given, behind those before it.
static int want_line(struct screen *screen, struct slot *slot) {
    struct arena *arena = screen->canvas->arena;
    const char *statement = screen->step->statement, *line = line_of_exercise(screen->step);
    for (const char *at = statement; at < line; at += strcspn(at, "\n") + 1)
        add_line(screen, slot, arena_format(arena, ">>> %.*s", (int)strcspn(at, "\n"), at));
    return slot->needed = slot->lead = add_paragraph(
               screen, slot, arena_format(arena, ">>> %.*s", (int)strcspn(line, "=") + 2, line),
               screen->width);
}

static const struct block challenge_heading = {
    .wants = want_heading, .draw = draw_bold_lines, .likes_gap = true};
static const struct block challenge_words = {
    .wants = want_words, .draw = draw_plain_lines, .may_be_cut = true};
static const struct block line_block = {
    .wants = want_line, .draw = draw_bold_lines, .likes_gap = true};

static void hide(const struct screen *screen, unsigned char *marks) {
    const struct table table = screen->matrix->table;
    for (int64_t i = 0; i < table.rows * table.columns; i++) marks[i] |= CELL_HIDDEN;
}

const struct arrangement challenge_arrangement = {
    .blocks = {[SLOT_TITLE] = &title_block,
               [SLOT_TIMELINE] = &timeline_block,
               [SLOT_HEADING] = &challenge_heading,
               [SLOT_WORDS] = &challenge_words,
               [SLOT_FORMULA] = &formula_block,
               [SLOT_MATRIX] = &matrices_block,
               [SLOT_CELL] = &cell_block,
               [SLOT_SOURCE] = &source_block,
               [SLOT_KEYS] = &keys_block},
    .hide = hide,
};

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct scene scene = scene_for(walker, canvas);
    struct arrangement arrangement = challenge_arrangement;
    const enum challenge_kind kind = asked_challenge(walker)->kind;
    if (kind == CHALLENGE_LINE) arrangement.blocks[SLOT_SOURCE] = &line_block;
    show_typing(walker, &scene, kind == CHALLENGE_SHAPE ? NULL : &arrangement);
    if (kind == CHALLENGE_SHAPE) { // how many numbers are hidden would tell it
        arrangement.blocks[SLOT_MATRIX] = &operands_block;
        arrangement.blocks[SLOT_CELL] = &sizes_block;
    }
    walker->shown = draw_screen(canvas, &scene, &arrangement, view_state);
}

static void say(struct walker *walker, void *view_state, struct text *text) {
    (void)view_state;
    const struct challenge *challenge = asked_challenge(walker);
    text_add_format(text, "Your turn. %s %s\n",
                    question_of(text->arena, &walker->trial.run, challenge),
                    way_to_answer(challenge->kind, false));
    for (int i = 0; challenge->kind == CHALLENGE_LINE && i < walker->hints; i++)
        text_add_format(
            text, "Hint %d: %s\n", i + 1,
            exercise_at(text->arena, walker->trial.run.lesson, step_of(walker, challenge))
                ->hints[i]);
}

const struct walk_view challenge_view = {
    .bit = VIEW_CHALLENGE,
    .name = "Your turn",
    .opened_by = ACT_CHALLENGE,
    .size = sizeof(int), // all that it knows is in the state of the walk
    .open = open,
    .takes = takes,
    .press = press,
    .typed = typed,
    .draw = draw,
    .say = say,
};
