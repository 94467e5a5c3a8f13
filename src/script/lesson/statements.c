#include "script/lesson/statements.h"

#include <string.h>

#include "base/text.h"
#include "script/lesson/hint.h"
#include "script/lesson/reach.h"
#include "script/machine.h"
#include "script/steps/program_lesson.h"
#include "script/torch/tensor_object.h"
#include "tensor/ops/ops.h"
#include "trace/tape/tape.h"

// A line that never ends is ended in a second or two; the longest lesson takes a hundredth of these.
enum { MOST_STATEMENTS = 20000000, MOST_BYTES = 256 << 20, MOST_SHOWN = MOST_BYTES / 16 };

// A model has more numbers than that.
static int64_t most_bytes_of(const struct run *right) {
    int64_t bytes = 0;
    for (int i = 0; i < right->step_count; i++)
        bytes += count_of(shape_of(&right->steps[i].tensor)) * (int64_t)sizeof(float);
    return bytes > MOST_BYTES / 8 ? MOST_BYTES + 2 * bytes : MOST_BYTES;
}

struct playing {
    struct machine *machine;
    struct arena *arena;           // of what the trial keeps
    struct arena *program;         // of all else
    const struct run *right, *run; // run: with the changed lines
    struct line_outcome *outcomes;
    const char *begun; // a name that is to be completed; NULL: none is
    const char *const *names;
    bool is_watched;     // the tensors keep what they were computed from
    bool is_full;        // memory has ended
    bool may_leave_out;  // what the changed lines do not reach, and what they do not need
    bool needs_all;      // up to the last step that they reach
    bool has_left_out;   // a step before that
    bool misses_name;    // a step failed as a name is not there
    struct text printed; // by the step that runs
    const char **lost; // by step: the names that its failure took away, blanks around each; or NULL
    struct program *
        right_programs; // the expression and the statement of each step of the right run, as far as they were read
};

// ---- Failing ------------------------------------------------------------------------------------

// The line of the program in which it was raised; 0 if it has only one.
static int line_of_error(const struct playing *playing, const struct program *program) {
    const struct traced *frames;
    const int count = machine_traceback(playing->machine, &frames);
    const bool is_one = strchr(program->source, '\n') == NULL;
    for (int i = 0; i < count && !is_one; i++) {
        if (frames[i].program == program) return frames[i].node->span.line;
    }
    return 0;
}

static const char *failure_text(const struct playing *playing, int line, const char *type,
                                const char *message) {
    struct arena *arena = playing->arena;
    const char *where = line > 0 ? arena_format(arena, " in line %d", line) : "";
    return arena_format(arena, "%s%s%s%s", type, where, *message != '\0' ? ": " : "", message);
}

// With what helps behind it.
static const char *helped(const struct playing *playing, const char *failure, const char *hint) {
    return hint == NULL ? failure : arena_format(playing->arena, "%s\n%s", failure, hint);
}

static const char *raised_text(struct playing *playing, const struct program *program) {
    struct machine *machine = playing->machine;
    const char *message = machine_error_message(machine, playing->program);
    if (machine_is_raised(machine, KEYBOARD_INTERRUPT)) message = "you stopped it";
    if (machine_is_raised(machine, MEMORY_ERROR)) {
        playing->is_full = true;
        message = arena_format(playing->program, "a lesson may take %d MiB",
                               (int)(most_bytes_of(playing->right) >> 20));
    }
    const char *type = arena_copy(playing->program, machine_error_type(machine));
    const char *failure = failure_text(playing, line_of_error(playing, program), type, message);
    machine_clear(machine);
    const char *hint = hint_for(playing->arena, machine, program->source, type, message);
    return helped(playing, failure, hint);
}

// The step whose failure took away the name that is not defined; -1 if it is missing anyway.
static int step_that_lost(const struct playing *playing, int step) {
    struct machine *machine = playing->machine;
    if (!machine_is_raised(machine, NAME_ERROR)) return -1;
    const char *message = machine_error_message(machine, playing->program);
    const char *name = strchr(message, '\'');
    if (name == NULL) return -1;
    const int length = (int)strcspn(name + 1, "'");
    const char *wanted = arena_format(playing->program, " %.*s ", length, name + 1);
    for (int i = step - 1; i >= 0; i--) {
        if (playing->lost[i] == NULL || strstr(playing->lost[i], wanted) == NULL) continue;
        const int behind = playing->outcomes[i].behind;
        return behind >= 0 ? behind : i;
    }
    return -1;
}

// The line, and a mark under the place in it; NULL where there is no such line.
static const char *place_of_error(struct arena *arena, const struct program *program,
                                  const struct span *span) {
    const char *line = program_line(arena, program, span->line);
    if (*line == '\0' || span->column < 0 || (size_t)span->column > strlen(line)) return NULL;
    const int before = text_width(arena_copy_bytes(arena, line, (size_t)span->column));
    struct text text = text_new(arena);
    text_add_format(&text, "%s\n", line);
    for (int i = 0; i < before; i++) text_add(&text, "\u00a0"); // which no wrapping takes away
    text_add(&text, "^");
    return text.bytes;
}

// False if it can't be read: then *message says why.
static bool parse(const struct playing *playing, const char *source, struct program *program,
                  const char **message) {
    struct syntax_error error = {0};
    *program = parse_program(playing->program, "<line>", source, &error);
    if (error.message == NULL) return true;
    const int line = strchr(source, '\n') != NULL ? error.span.line : 0;
    *message = failure_text(playing, line, error.type, error.message);
    *message = helped(playing, *message, place_of_error(playing->arena, program, &error.span));
    *message =
        helped(playing, *message,
               hint_for(playing->arena, playing->machine, source, error.type, error.message));
    return false;
}

// Without the names that the step should have made no later step goes on with what they were before.
static void lose_names(struct playing *playing, int step) {
    const char *sources[] = {playing->right->steps[step].statement,
                             playing->run->steps[step].statement};
    struct text lost = text_new(playing->program);
    text_add(&lost, " ");
    for (int i = 0; i < 2; i++) {
        struct program *program = arena_allocate(playing->program, sizeof *program);
        const char *message;
        if (parse(playing, sources[i], program, &message))
            machine_unbind(playing->machine, program, &lost);
    }
    playing->lost[step] = lost.bytes;
}

static void fail_step(struct playing *playing, int step, const struct program *program) {
    struct line_outcome *outcome = &playing->outcomes[step];
    outcome->behind = step_that_lost(playing, step);
    outcome->failure = raised_text(playing, program);
    lose_names(playing, step);
}

// The step's statement, or its expression; NULL if it can't be read. Those that are the right run's own are parsed once.
static const struct program *read_line(struct playing *playing, int step, bool is_statement) {
    const struct step *played = &playing->run->steps[step], *right = &playing->right->steps[step];
    const bool is_right = is_statement ? played->statement == right->statement
                                       : played->expression == right->expression;
    struct program *program = is_right ? &playing->right_programs[2 * step + is_statement]
                                       : arena_allocate(playing->program, sizeof *program);
    if (program->tree != NULL) return program;
    const char *source = is_statement ? played->statement : played->expression;
    if (parse(playing, source, program, &playing->outcomes[step].failure)) return program;
    lose_names(playing, step);
    return NULL;
}

// ---- Running ------------------------------------------------------------------------------------

// Where the lesson shows both streams of dropout, each step has its own; or the other one, in a run of the other stream.
static void choose_stream_of(const struct playing *playing, const struct step *step) {
    if (!playing->run->shows_streams) return;
    const bool is_other = playing->run->stream != playing->right->stream;
    const struct tape tape = tape_of(playing->program, 1, &step->tensor);
    for (int i = 0; i < tape.count; i++) {
        const struct origin *origin = tape.storages[i]->origin;
        if (origin->operand_count > 0 && origin->draws.count > 0)
            machine_draw_from(playing->machine,
                              (origin->draws.stream == MCG31M1) != is_other ? MCG31M1 : MT19937);
    }
}

// A copy that what the program does later cannot change.
struct tensor copied_tensor(struct arena *arena, const struct tensor *tensor) {
    const struct shape shape = shape_of(tensor);
    const struct tensor copy = tensor_given(arena, tensor->storage->dtype, shape);
    const bool is_whole = !is_floating(tensor->storage->dtype);
    int64_t index[MAX_DIMS] = {0};
    for (int64_t i = 0; i < copy.storage->count; i++, next_index(&shape, index)) {
        if (is_whole)
            put_whole(copy.storage, i, whole_element(tensor, index));
        else
            put_number(copy.storage, i, element(tensor, index));
    }
    return copy;
}

static void take_value(struct playing *playing, int step, struct value value) {
    struct line_outcome *outcome = &playing->outcomes[step];
    if (is_kind(value, OBJECT_TENSOR)) {
        const struct tensor tensor = tensor_of_object((struct tensor_object *)value.object);
        const int64_t count = count_of(shape_of(&tensor));
        if (count > most_bytes_of(playing->right) / 16)
            outcome->failure =
                arena_format(playing->arena, "It is too large to be shown: its shape is %s.",
                             shape_text(playing->arena, shape_of(&tensor)));
        else if (count > 0 && playing->is_watched)
            outcome->tensor = tensor;
        else if (count > 0)
            outcome->tensor = copied_tensor(playing->arena, &tensor);
        else
            outcome->failure = arena_format(playing->arena, "It has no numbers: its shape is %s.",
                                            shape_text(playing->arena, shape_of(&tensor)));
        return;
    }
    struct value text = NO_VALUE;
    const bool is_told = value_repr(playing->machine, value, &text);
    const char *words = is_told ? ((struct str *)text.object)->bytes : "";
    if (!is_told) machine_clear(playing->machine);
    outcome->failure = arena_format(playing->arena, "It is no tensor: %s%s%.200s", type_name(value),
                                    *words != '\0' ? " " : "", words);
}

static bool is_own_line(const struct playing *playing, int step) {
    const struct step *played = &playing->run->steps[step], *right = &playing->right->steps[step];
    return strcmp(played->statement, right->statement) != 0 ||
           strcmp(played->expression, right->expression) != 0;
}

// Is the name that the step's expression begins with not there, because the changed line does not set it?
static bool is_unset(const struct playing *playing, int step) {
    const char *expression = playing->run->steps[step].expression;
    const char *message = machine_error_message(playing->machine, playing->program);
    const size_t length = strcspn(expression, ".[( ");
    const char *name = arena_copy_bytes(playing->program, expression, length);
    return is_own_line(playing, step) && *playing->right->steps[step].statement != '\0' &&
           machine_is_raised(playing->machine, NAME_ERROR) &&
           strstr(message, arena_format(playing->program, "'%s'", name)) != NULL;
}

// The line's names are lost with it.
static void refuse_unset(struct playing *playing, int step) {
    const struct step *right = &playing->right->steps[step];
    const char *statement = playing->run->steps[step].statement, *message;
    struct program *program = arena_allocate(playing->program, sizeof *program);
    struct text bound = text_new(playing->program);
    text_add(&bound, " ");
    machine_clear(playing->machine);
    if (parse(playing, statement, program, &message))
        machine_unbind(playing->machine, program, &bound);
    lose_names(playing, step);
    const size_t length = strcspn(right->expression, ".[( ");
    const char *name = arena_copy_bytes(playing->program, right->expression, length);
    playing->outcomes[step].behind = -1;
    playing->outcomes[step].failure = hint_for_unset(playing->arena, name, bound.bytes);
}

static bool is_handed(const struct run *run, int step) {
    return run->is_handed != NULL && run->is_handed[step];
}

// Writes the numbers that somebody handed in over what the program has computed for the step. False if that cannot be computed.
static bool put_handed(struct playing *playing, const struct program *expression, int i) {
    const struct tensor *handed = &playing->right->steps[i].tensor;
    const struct shape shape = shape_of(handed);
    struct value value;
    if (!machine_evaluate(playing->machine, expression, &value)) return false;
    if (!is_kind(value, OBJECT_TENSOR)) return true;
    const struct tensor tensor = tensor_of_object((struct tensor_object *)value.object);
    if (!is_floating(tensor.storage->dtype) || !shapes_equal(shape_of(&tensor), shape)) return true;
    int64_t index[MAX_DIMS] = {0};
    for (int64_t k = 0; k < count_of(shape); k++, next_index(&shape, index))
        put_number(tensor.storage, flat_index(&tensor, index), element(handed, index));
    return true;
}

// What can be run, but has no value, does not show a step.
static void refuse_statement(struct playing *playing, int step, const struct program *program) {
    const bool is_statement = *playing->run->steps[step].statement == '\0' &&
                              machine_is_raised(playing->machine, SYNTAX_ERROR);
    fail_step(playing, step, program);
    if (is_statement && is_own_line(playing, step))
        playing->outcomes[step].failure =
            helped(playing, playing->outcomes[step].failure,
                   hint_for_expression(playing->arena, &playing->right->steps[step]));
}

static void evaluate_step(struct playing *playing, int i) {
    const struct program *program = read_line(playing, i, false);
    struct value value;
    if (program == NULL) return;
    if (is_handed(playing->right, i)) put_handed(playing, program, i);
    if (machine_evaluate(playing->machine, program, &value))
        take_value(playing, i, value);
    else if (is_unset(playing, i))
        refuse_unset(playing, i);
    else
        refuse_statement(playing, i, program);
}

static void run_step(struct playing *playing, int i) {
    const struct step *step = &playing->run->steps[i];
    struct line_outcome *outcome = &playing->outcomes[i];
    outcome->behind = -1;
    choose_stream_of(playing, step);
    playing->printed = text_new(playing->program);
    const struct program *statement = read_line(playing, i, true);
    if (statement == NULL) return;
    if (machine_run(playing->machine, statement))
        evaluate_step(playing, i);
    else
        fail_step(playing, i, statement);
    if (playing->printed.length > 0)
        outcome->printed = arena_copy(playing->arena, playing->printed.bytes);
}

static void play_step(struct playing *playing, int i) {
    if (i > 0 && machine_is_over(
                     playing->machine)) { // it ended at the step before, or behind one before that
        const struct line_outcome *before = &playing->outcomes[i - 1];
        const int ended = before->behind >= 0 ? before->behind : i - 1;
        playing->outcomes[i] = (struct line_outcome){
            .failure = before->failure, .is_unreached = true, .behind = ended};
        return;
    }
    run_step(playing, i);
}

static struct program parsed(const struct playing *playing, const char *code) {
    struct syntax_error error = {0};
    const struct program program = parse_program(playing->program, "<line>", code, &error);
    return error.message == NULL ? program : (struct program){.tree = NULL};
}

// Which of so many steps have to run.
static const bool *steps_to_play(struct playing *playing, int count, const char *setup) {
    const struct run *right = playing->right, *run = playing->run;
    const int steps = run->step_count;
    bool *runs = arena_array(playing->program, (size_t)steps, sizeof *runs);
    if (!playing->may_leave_out || right->step_count != steps) {
        for (int i = 0; i < count; i++) runs[i] = true;
        return runs;
    }
    const struct node **trees = arena_array(playing->program, 2 * (size_t)steps + 1, sizeof *trees);
    for (int i = 0; i < steps; i++) {
        const char *code = run->steps[i].statement, *own = right->steps[i].statement;
        struct program *program = &playing->right_programs[2 * i + 1];
        if (program->tree == NULL) *program = parsed(playing, own);
        trees[i] = program->tree;
        trees[steps + i] = code == own ? trees[i] : parsed(playing, code).tree;
    }
    trees[2 * steps] = parsed(playing, setup).tree;
    const int last = choose_steps(runs, playing->program, right, run, setup, trees);
    for (int i = 0; i <= last; i++) {
        playing->has_left_out = playing->has_left_out || !runs[i];
        runs[i] = runs[i] || playing->needs_all;
    }
    return runs;
}

// As many steps, from the first on. What is left out is as in the right run.
static void play_steps(struct playing *playing, int count) {
    const struct run *run = playing->run;
    const char *failure = NULL;
    struct program *setup = arena_allocate(playing->program, sizeof *setup);
    const char *code = run_setup(playing->program, run);
    const bool is_read = parse(playing, code, setup, &failure);
    if (is_read && !machine_run(playing->machine, setup)) failure = raised_text(playing, setup);
    const bool *runs = steps_to_play(playing, count, code);
    for (int i = 0; i < count; i++) {
        struct line_outcome *outcome = &playing->outcomes[i];
        if (failure != NULL)
            *outcome = (struct line_outcome){.failure = failure, .behind = -1};
        else if (runs[i] || machine_is_over(playing->machine))
            play_step(playing, i);
        else
            *outcome =
                (struct line_outcome){.tensor = playing->right->steps[i].tensor, .behind = -1};
        if (outcome->failure != NULL && outcome->behind < 0 &&
            strstr(outcome->failure, "NameError"))
            playing->misses_name = true;
    }
}

// Some pages of it.
static void print(void *context, const char *bytes, size_t length) {
    enum { MOST_PRINTED = 20000 };
    struct playing *playing = context;
    if (playing->printed.arena != NULL && playing->printed.length + length <= MOST_PRINTED)
        text_add_bytes(&playing->printed, bytes, length);
}

static void observe_nothing(void *context, const struct event *event) {
    (void)context, (void)event;
}

static void free_machine(void *context) {
    machine_free(context);
}

static void start(struct playing *playing, struct cleanup *cleanup, const volatile bool *stop) {
    playing->program = arena_child(playing->arena);
    const struct machine_options options = {.memory = most_bytes_of(playing->right),
                                            .steps = MOST_STATEMENTS,
                                            .stream = playing->run->stream,
                                            .stop = stop,
                                            .print = print,
                                            .context = playing,
                                            .observe =
                                                playing->is_watched ? observe_nothing : NULL};
    const size_t steps = (size_t)playing->run->step_count;
    playing->machine = machine_new(playing->program, &options);
    playing->lost = arena_array(playing->program, steps, sizeof *playing->lost);
    playing->right_programs = arena_array(playing->program, 2 * (size_t)playing->right->step_count,
                                          sizeof *playing->right_programs);
    cleanup_open(cleanup, playing->arena->failure, free_machine, playing->machine);
}

// What a watched machine has computed stays in the arena.
static void end(struct playing *playing, struct cleanup *cleanup) {
    cleanup_close(cleanup);
    playing->program->limit = 0;
    if (!playing->is_watched) arena_free(playing->program);
}

static void play_with(struct playing *playing, const volatile bool *stop, int count,
                      void (*look)(struct playing *playing)) {
    struct cleanup cleanup;
    start(playing, &cleanup, stop);
    play_steps(playing, count);
    if (look != NULL) look(playing);
    end(playing, &cleanup);
}

// ---- Where the numbers came from ------------------------------------------------------------------

// One storage above the other: each was computed from the one above it.
struct climb {
    struct storage *storage;
    int operand; // the next that is looked at
};

// How long the longest way is from a storage to given numbers, but no longer than `most`; of what was met before it is in
// `kept_at`, which a watched machine does not use.
static uint32_t climb_from(struct climb *climbs, uint32_t most, struct storage *storage) {
    uint32_t height = 0;
    climbs[0] = (struct climb){storage, 0};
    for (int at = 0; at >= 0;) {
        struct climb *climb = &climbs[at];
        const struct origin *origin = climb->storage->origin;
        if (climb->storage->kept_at == 0) climb->storage->kept_at = 1;
        if (climb->operand == origin->operand_count) {
            const uint32_t base = climb->storage->kept_at;
            if (at > 0 && climbs[at - 1].storage->kept_at <= base)
                climbs[at - 1].storage->kept_at = base + 1;
            if (base > height) height = base;
            at--;
            continue;
        }
        struct storage *next = origin->operands[climb->operand++].storage;
        if (next->kept_at >= climb->storage->kept_at) climb->storage->kept_at = next->kept_at + 1;
        if (next->kept_at > 0) continue;
        if ((uint32_t)at + 1 == most) {
            for (; at >= 0; at--) climbs[at].storage->kept_at = most;
            return most;
        }
        climbs[++at] = (struct climb){next, 0};
    }
    return height;
}

// Who explains a number goes from function to function for each operation that it was computed by: what took too many is
// copied, and the copy does not say what it was computed from.
static void cut_long(const struct playing *playing) {
    enum { MOST_OPERATIONS = 2000 };
    struct climb *climbs = arena_array(playing->arena, MOST_OPERATIONS, sizeof *climbs);
    for (int i = 0; i < playing->run->step_count; i++) {
        struct tensor *tensor = &playing->outcomes[i].tensor;
        if (is_tensor(tensor) &&
            climb_from(climbs, MOST_OPERATIONS, tensor->storage) >= MOST_OPERATIONS)
            *tensor = copied_tensor(playing->arena, tensor);
    }
}

struct watched_play {
    struct playing playing;
    const volatile bool *stop;
};

static void play_watched(void *context) {
    struct watched_play *watched = context;
    play_with(&watched->playing, watched->stop, watched->playing.run->step_count, NULL);
}

// Forgets what was played, to play it in another way.
static void begin_again(struct playing *playing) {
    if (playing->program != NULL) arena_free(playing->program);
    memset(playing->outcomes, 0, (size_t)playing->run->step_count * sizeof *playing->outcomes);
    *playing = (struct playing){.arena = playing->arena,
                                .right = playing->right,
                                .run = playing->run,
                                .outcomes = playing->outcomes,
                                .may_leave_out = true};
}

// First so that each number keeps what it was computed from, and only what has to run. Where a name is not there, with all before it: the
// message may speak of one that was left out. Where there is no memory, once more without what numbers were computed from.
void play_statements(struct line_outcome *outcomes, struct arena *arena, const struct run *right,
                     const struct run *run, const volatile bool *stop) {
    struct watched_play watched = {
        .playing = {.arena = arena, .right = right, .run = run, .outcomes = outcomes},
        .stop = stop};
    struct playing *playing = &watched.playing;
    playing->is_watched = playing->may_leave_out = true;
    bool is_done = attempt(arena->failure, play_watched, &watched);
    if (is_done && playing->has_left_out && playing->misses_name) {
        begin_again(playing);
        playing->is_watched = playing->needs_all = true;
        is_done = attempt(arena->failure, play_watched, &watched);
    }
    if (is_done && !playing->is_full) {
        cut_long(playing);
        return;
    }
    begin_again(playing);
    play_with(playing, stop, run->step_count, NULL);
}

// As many runs as fit on the machine: until one fills its memory. Returns how many.
static int compute_some(struct playing *playing, struct cleanup *cleanup, int count,
                        const struct run *runs,
                        void (*take)(void *context, int i, const struct line_outcome *outcomes),
                        void *context, int first) {
    const size_t steps = (size_t)playing->right->step_count;
    playing->run = &runs[first];
    playing->is_full = false;
    start(playing, cleanup, NULL);
    int i = first;
    for (; i < count && !playing->is_full; i++) {
        struct scratch scratch;
        playing->arena = scratch_open(&scratch, playing->program->failure);
        playing->run = &runs[i];
        playing->outcomes = arena_array(playing->arena, steps, sizeof *playing->outcomes);
        memset(playing->lost, 0, steps * sizeof *playing->lost);
        machine_restart(playing->machine, MOST_STATEMENTS);
        machine_draw_from(playing->machine, runs[i].stream);
        play_steps(playing, runs[i].step_count);
        take(context, i, playing->outcomes);
        scratch_close(&scratch);
    }
    return i - first;
}

void compute_statements(struct arena *arena, const struct run *right, int count,
                        const struct run *runs,
                        void (*take)(void *context, int i, const struct line_outcome *outcomes),
                        void *context) {
    for (int first = 0; first < count;) {
        struct playing playing = {.arena = arena, .right = right};
        struct cleanup cleanup;
        first += compute_some(&playing, &cleanup, count, runs, take, context, first);
        end(&playing, &cleanup);
    }
}

// ---- Many times ---------------------------------------------------------------------------------

struct rehearsal {
    struct playing playing;
    struct cleanup cleanup;
    int step;
    struct program *statements, expression; // of the right run; the setup stands behind them
    struct program *handed; // the expressions of steps whose numbers are somebody else's
    struct program *others; // the changed statements of the run that is played
    int first_place;        // the first step before which the machine's place is known
    int place_count;        // of this step and those behind it
};

// ---- Places to go on from -----------------------------------------------------------------------

static void find_first_place(struct rehearsal *rehearsal) {
    rehearsal->first_place = 0;
    rehearsal->place_count = 0;
    for (int i = 0; i <= rehearsal->step; i++) {
        const struct node *tree = rehearsal->statements[i].tree;
        if (tree == NULL || defines_changes(tree))
            rehearsal->first_place = rehearsal->step + 1;
        else if (changes_in_place(tree) && rehearsal->first_place <= i)
            rehearsal->first_place = i + 1;
    }
    if (rehearsal->playing.right->is_handed != NULL) // those are written in place
        rehearsal->first_place = rehearsal->step + 1;
}

static void start_machine(struct rehearsal *rehearsal) {
    struct playing *playing = &rehearsal->playing;
    const struct machine_options options = {.memory = most_bytes_of(playing->right),
                                            .stream = playing->right->stream,
                                            .print = print,
                                            .context = playing};
    playing->program = arena_child(playing->arena);
    playing->machine = machine_new(playing->program, &options);
    cleanup_open(&rehearsal->cleanup, playing->arena->failure, free_machine, playing->machine);
    const char *message;
    for (int i = 0; i <= rehearsal->step; i++)
        parse(playing, playing->right->steps[i].statement, &rehearsal->statements[i], &message);
    parse(playing, run_setup(playing->program, playing->right),
          &rehearsal->statements[rehearsal->step + 1], &message);
    parse(playing, playing->right->steps[rehearsal->step].expression, &rehearsal->expression,
          &message);
    for (int i = 0; playing->right->is_handed != NULL && i < rehearsal->step; i++)
        parse(playing, playing->right->steps[i].expression, &rehearsal->handed[i], &message);
    find_first_place(rehearsal);
}

void end_rehearsal(struct rehearsal *rehearsal) {
    cleanup_close(&rehearsal->cleanup);
    rehearsal->playing.program->limit = 0;
    arena_free(rehearsal->playing.program);
}

struct rehearsal *begin_rehearsal(struct arena *arena, const struct run *right, int step) {
    struct rehearsal *rehearsal = arena_allocate(arena, sizeof *rehearsal);
    rehearsal->playing = (struct playing){.arena = arena, .right = right};
    rehearsal->step = step;
    rehearsal->statements = arena_array(arena, (size_t)step + 2, sizeof *rehearsal->statements);
    rehearsal->handed = arena_array(arena, (size_t)step + 1, sizeof *rehearsal->handed);
    rehearsal->others = arena_array(arena, (size_t)step + 2, sizeof *rehearsal->others);
    start_machine(rehearsal);
    return rehearsal;
}

// Where the run goes on from: the first step to play, behind a place of the machine if that is known. False if a changed
// statement can't be read. What changes objects in place plays from the beginning.
static bool find_start(struct rehearsal *rehearsal, const struct run *run, const char *setup,
                       int *start) {
    struct playing *playing = &rehearsal->playing;
    const char *message;
    int first = setup != NULL ? 0 : rehearsal->step + 1;
    bool is_in_place = setup != NULL;
    for (int i = rehearsal->step + 1; i >= 0; i--) {
        const bool is_setup = i == rehearsal->step + 1;
        const char *code = is_setup ? setup : run->steps[i].statement;
        rehearsal->others[i] = rehearsal->statements[i];
        if (is_setup ? code == NULL : code == playing->right->steps[i].statement) continue;
        if (!parse(playing, code, &rehearsal->others[i], &message)) return false;
        is_in_place = is_in_place || changes_in_place(rehearsal->others[i].tree);
        if (!is_setup) first = i;
    }
    const int last = rehearsal->first_place + rehearsal->place_count - 1;
    *start = -1;
    if (!is_in_place && first <= rehearsal->step && first >= rehearsal->first_place &&
        rehearsal->place_count > 0)
        *start = first < last ? first : last;
    return true;
}

// Are the setup and all statements before a step the right ones?
static bool is_right_before(const struct rehearsal *rehearsal, const struct run *run, int step) {
    if (rehearsal->others[rehearsal->step + 1].tree !=
        rehearsal->statements[rehearsal->step + 1].tree)
        return false;
    for (int i = 0; i < step; i++) {
        if (run->steps[i].statement != rehearsal->playing.right->steps[i].statement) return false;
    }
    return true;
}

struct tensor rehearse(struct rehearsal *rehearsal, struct arena *arena, const struct run *run,
                       int64_t most, int64_t *work) {
    struct playing *playing = &rehearsal->playing;
    struct machine *machine = playing->machine;
    struct value value;
    int start;
    playing->run = run;
    *work = 0;
    if (!find_start(rehearsal, run, run->setup, &start)) return NO_TENSOR;
    if (start >= 0)
        machine_recall(machine, start - rehearsal->first_place, most);
    else
        machine_restart(machine, most);
    if (start < 0) machine_draw_from(machine, run->stream);
    bool is_done = start >= 0 || machine_run(machine, &rehearsal->others[rehearsal->step + 1]);
    for (int i = start >= 0 ? start : 0; i <= rehearsal->step && is_done; i++) {
        if (i == rehearsal->first_place + rehearsal->place_count &&
            is_right_before(rehearsal, run, i))
            rehearsal->place_count += machine_remember(machine) >= 0;
        choose_stream_of(playing, &run->steps[i]);
        is_done = machine_run(machine, &rehearsal->others[i]) &&
                  (i == rehearsal->step || !is_handed(playing->right, i) ||
                   put_handed(playing, &rehearsal->handed[i], i));
    }
    is_done = is_done && machine_evaluate(machine, &rehearsal->expression, &value) &&
              is_kind(value, OBJECT_TENSOR);
    *work = machine_steps(machine);
    struct tensor tensor = NO_TENSOR;
    if (is_done) tensor = tensor_of_object((struct tensor_object *)value.object);
    if (is_done && count_of(shape_of(&tensor)) <= MOST_SHOWN)
        tensor = copied_tensor(arena, &tensor);
    if (!is_done && machine_is_raised(machine, MEMORY_ERROR)) {
        end_rehearsal(rehearsal);
        start_machine(rehearsal);
    }
    return tensor;
}

// ---- Names in sight -----------------------------------------------------------------------------

// What dir() gives of what stands before the last point of what was begun. Only names are evaluated, no calls.
static void find_names(struct playing *playing) {
    const char *begun = playing->begun, *point = strrchr(begun, '.');
    const char *base =
        point == NULL ? "" : arena_copy_bytes(playing->arena, begun, (size_t)(point - begun));
    const char *start = point == NULL ? begun : point + 1, *message;
    struct program program;
    struct value list;
    if (point == begun) return;
    if (!parse(playing, arena_format(playing->program, "dir(%s)", base), &program, &message) ||
        !machine_evaluate(playing->machine, &program, &list))
        return;
    const struct list *names = as_list(list);
    const char **found = arena_array(playing->arena, (size_t)names->count + 1, sizeof *found);
    int count = 0;
    for (int64_t i = 0; i < names->count; i++) {
        const char *name = as_str(names->items[i])->bytes;
        const bool is_hidden = name[0] == '_' && *start != '_';
        if (strncmp(name, start, strlen(start)) == 0 && !is_hidden)
            found[count++] = arena_copy(playing->arena, name);
    }
    playing->names = found;
}

const char *const *complete_in_statements(struct arena *arena, const struct run *run, int step,
                                          const char *begun) {
    static const char *const no_names[] = {NULL};
    if (program_of(run->lesson) != NULL) return names_at_step(arena, run, step, begun);
    struct line_outcome *outcomes = arena_array(arena, (size_t)run->step_count, sizeof *outcomes);
    struct playing playing = {.arena = arena,
                              .right = run,
                              .run = run,
                              .outcomes = outcomes,
                              .begun = begun,
                              .names = no_names};
    play_with(&playing, NULL, step, find_names);
    return playing.names;
}
