#include "trace/run/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/csv.h"
#include "tensor/ops/ops.h"
#include "trace/run/data.h"

const char *part_title(enum lesson_part part) {
    static const char *const titles[] = {[PART_OF_COURSE] = "the course",
                                         [PART_OF_LEARNING] = "learning",
                                         [PART_OF_GPT] = "a whole GPT",
                                         [PART_OF_TODAY] = "attention today",
                                         [PART_OF_READER] = "your program"};
    return titles[part];
}

const char *part_heading(struct arena *arena, enum lesson_part part) {
    if (part == PART_OF_READER) return "Your program";
    return arena_format(arena, "Part %d: %s", (int)part + 1, part_title(part));
}

const char *standard_of(const struct lesson *lesson) {
    return lesson->part == PART_OF_READER ? "file" : "course";
}

// ---- What limits one parameter -------------------------------------------------------------------

static int64_t value_in(const struct parameters *parameters, const struct parameter *parameter) {
    return *(const int64_t *)((const char *)parameters + parameter->offset);
}

// Of this run; 0 where it limits nothing.
static int64_t whole_of(const struct run *run, enum whole whole) {
    const struct lesson *lesson = run->lesson;
    const struct parameters *p = &run->parameters;
    switch (whole) {
    case WHOLE_TOKENS:
        return size_along(&run->inputs, AXIS_TOKEN);
    case WHOLE_WIDTH:
        if (!lesson->splits_heads) return 0;
        return lesson->uses & USES_D_MODEL ? p->d_model : p->d_out;
    case WHOLE_HEADS:
        return p->heads;
    default:
        return 0;
    }
}

// Heads that are turned by their positions are pairs of features: there are fewer heads where the width is small.
static void fit_turned_heads(const struct lesson *lesson, struct parameters *p) {
    const bool turns_heads = lesson->uses & USES_BASE && lesson->splits_heads;
    if (!turns_heads || p->given & USES_HEADS) return;
    while (p->heads > 1 && p->d_out % (2 * p->heads) != 0) p->heads /= 2;
}

// The lesson's own values, of those that the user did not choose, as the input and the others need them.
static void fit_parameters(struct run *run) {
    const struct lesson *lesson = run->lesson;
    struct parameters *p = &run->parameters;
    const int64_t tokens = whole_of(run, WHOLE_TOKENS);
    if (p->context_length == 0 && lesson->uses & USES_INPUT) p->context_length = tokens;
    if (lesson->uses & USES_LENGTHS && !(p->given & USES_LENGTHS))
        p->lengths = arena_format(run->memory, "%" PRId64 ",%d", tokens, tokens > 1 ? 2 : 1);
    fit_turned_heads(lesson, p);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const bool is_limited = parameter->most_is != WHOLE_NONE || parameter->or_is_1;
        if (!is_limited || !(lesson->uses & ~p->given & parameter->bit)) continue;
        int64_t *value = (int64_t *)((char *)p + parameter->offset);
        const int64_t most = whole_of(run, parameter->most_is) - parameter->leaves;
        if (parameter->most_is != WHOLE_NONE && *value > most) *value = most > 1 ? most : 1;
        if (parameter->or_is_1 && whole_of(run, parameter->divides) % *value != 0) *value = 1;
    }
}

// "1, 2, 3 or 6": what divides a whole.
static const char *divisors_text(struct arena *arena, int64_t whole) {
    struct text text = text_new(arena);
    for (int64_t part = 1; part <= whole; part++) {
        if (whole % part != 0) continue;
        const char *separator = part == 1 ? "" : part == whole ? " or " : ", ";
        text_add_format(&text, "%s%" PRId64, separator, part);
    }
    return text.bytes;
}

static void check_divisor(const struct run *run, const struct parameter *parameter) {
    const int64_t value = value_in(&run->parameters, parameter);
    const int64_t whole = whole_of(run, parameter->divides);
    if (whole % value == 0) return;
    const char *width = run->lesson->uses & USES_D_MODEL ? "d_model" : "d_out";
    const char *called = parameter->divides == WHOLE_HEADS
                             ? arena_format(run->memory, "%" PRId64 " heads", whole)
                             : arena_format(run->memory, "a %s of %" PRId64, width, whole);
    fail(run->memory->failure, FAIL_USAGE, "%s: %" PRId64 " %s do not divide %s; %s can be %s",
         run->lesson->name, value, parameter->name, called, parameter->option,
         divisors_text(run->memory, whole));
}

static void check_most(const struct run *run, const struct parameter *parameter) {
    const int64_t value = value_in(&run->parameters, parameter);
    const int64_t most = whole_of(run, parameter->most_is);
    if (value <= most) return;
    const int before = (int)strcspn(parameter->beyond, "#");
    fail(run->memory->failure, FAIL_USAGE, "%s: %.*s%" PRId64 "%s; %s can be 1 ... %" PRId64,
         run->lesson->name, before, parameter->beyond, value, parameter->beyond + before + 1,
         parameter->option, most);
}

// ---- What limits several -------------------------------------------------------------------------

enum { MOST_WIDTH = 1024 }; // of all heads that a lesson lays side by side

// A model of some millions of parameters takes seconds; more would take minutes, or more memory than there is.
static void check_model(const struct run *run) {
    enum { FEWEST_UPDATES = 10 };
    const struct parameters *p = &run->parameters;
    const bool has_blocks = run->lesson->uses & USES_LAYERS;
    const int64_t d = p->d_model, hidden = has_blocks ? 4 * d : p->hidden;
    const int64_t block = d * (4 * d + 2 * hidden), blocks = has_blocks ? p->layers : 1;
    const int64_t numbers = 2 * d * p->vocabulary + blocks * block;
    const int64_t updates = p->updates > FEWEST_UPDATES ? p->updates : FEWEST_UPDATES;
    const int64_t most = run->lesson->most_numbers / (run->lesson->trains ? updates : 1);
    if (numbers <= most) return;
    const char *with = run->lesson->trains
                           ? arena_format(run->memory, " with %" PRId64 " updates", p->updates)
                           : "";
    fail(run->memory->failure, FAIL_USAGE,
         "%s: a model of these sizes has %" PRId64 " weights; 'onestep print' goes up to %" PRId64
         "%s",
         run->lesson->name, numbers, most, with);
}

static void check_parameters(const struct run *run) {
    const struct parameters *p = &run->parameters;
    struct failure *failure = run->memory->failure;
    const int64_t tokens = whole_of(run, WHOLE_TOKENS);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(run->lesson->uses & parameter->bit)) continue;
        if (parameter->divides != WHOLE_NONE) check_divisor(run, parameter);
        if (parameter->most_is != WHOLE_NONE) check_most(run, parameter);
    }
    const int64_t turned = run->lesson->splits_heads ? p->heads : 1;
    if (run->lesson->uses & USES_BASE && p->d_out / turned % 2 != 0) {
        fail(failure, FAIL_USAGE,
             "%s: %" PRId64 " features are no pairs; --d-out must be even, such as %" PRId64,
             run->lesson->name, p->d_out / turned, p->d_out + turned);
    }
    if (run->lesson->uses & USES_D_MODEL) check_model(run);
    const bool has_own_width = run->lesson->uses & USES_HEADS && !run->lesson->splits_heads;
    if (has_own_width && p->heads * p->d_out > MOST_WIDTH) {
        fail(failure, FAIL_USAGE,
             "%s: %" PRId64 " heads of width %" PRId64 " are %" PRId64
             " wide together; at most %d can be",
             run->lesson->name, p->heads, p->d_out, p->heads * p->d_out, MOST_WIDTH);
    }
    if (p->other_count > 0 && p->given & USES_BATCH)
        fail(failure, FAIL_USAGE,
             "%s: --batch makes copies of one --input; with several, each is a sentence",
             run->lesson->name);
    const bool has_mask = run->lesson->uses & USES_INPUT && run->lesson->uses & USES_CONTEXT_LENGTH;
    if (has_mask && tokens > p->context_length) {
        fail(failure, FAIL_USAGE,
             "%s: %" PRId64 " tokens are more than a --context-length of %" PRId64
             "; it must be at least %" PRId64,
             run->lesson->name, tokens, p->context_length, tokens);
    }
}

// ---- Starting -----------------------------------------------------------------------------------

static const char *token_at(const struct tensor *inputs, int64_t row) {
    return inputs->axis[find_axis(inputs, AXIS_TOKEN)].labels[row];
}

// "1 Your, 2 journey, ...", for a message.
static const char *token_list(struct arena *arena, const struct tensor *inputs) {
    struct text text = text_new(arena);
    for (int64_t row = 0; row < size_along(inputs, AXIS_TOKEN); row++) {
        if (row == 8) {
            text_add(&text, ", ...");
            break;
        }
        text_add_format(&text, "%s%s", row > 0 ? ", " : "", token_at(inputs, row));
    }
    return text.bytes;
}

// The row that an option means by a word: a token, else a number from 1.
static int64_t row_called(const struct run *run, const char *option, const char *word) {
    const struct tensor *inputs = &run->inputs;
    const int64_t rows = size_along(inputs, AXIS_TOKEN);
    for (int64_t row = 0; row < rows; row++) {
        if (strcmp(token_at(inputs, row), word) == 0) return row;
    }
    if (*word != '\0' && strlen(word) < 10 && strspn(word, "0123456789") == strlen(word)) {
        const int64_t number = strtoll(word, NULL, 10);
        if (number >= 1 && number <= rows) return number - 1;
    }
    fail(run->memory->failure, FAIL_USAGE,
         "%s takes a token (%s) or a row, 1 ... %" PRId64 ", not '%s'", option,
         token_list(run->memory, inputs), rows, text_safe(run->memory, word));
}

// Without --query: row 2, "journey" in the course's own sentence, or the only one.
static int64_t own_query_row(const struct run *run) {
    return size_along(&run->inputs, AXIS_TOKEN) > 1 ? 1 : 0;
}

static int64_t query_row(const struct run *run) {
    const char *query = run->parameters.query;
    return query == NULL ? own_query_row(run) : row_called(run, "--query", query);
}

// Without --target: "one step with Your" in the course's own sentence, or as many of these rows as there are. Returns
// how many.
static int own_targets(const struct run *run, int64_t *targets) {
    static const int64_t usual[] = {4, 5, 3, 0};
    int count = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (usual[i] < size_along(&run->inputs, AXIS_TOKEN)) targets[count++] = usual[i];
    }
    return count;
}

static void find_targets(struct run *run) {
    const char *target = run->parameters.target;
    if (target == NULL) run->target_count = own_targets(run, run->targets);
    for (size_t length; target != NULL; target += length) {
        target += strspn(target, " \t,");
        length = strcspn(target, " \t,");
        if (length == 0) break;
        if (run->target_count == MOST_TARGETS)
            fail(run->memory->failure, FAIL_USAGE, "--target takes at most %d tokens",
                 MOST_TARGETS);
        const char *word = arena_copy_bytes(run->memory, target, length);
        run->targets[run->target_count++] = row_called(run, "--target", word);
    }
    if (run->target_count == 0)
        fail(run->memory->failure, FAIL_USAGE,
             "--target takes tokens (%s), with blanks between them, not none",
             token_list(run->memory, &run->inputs));
}

// The tokens, in the run's own memory.
static struct tensor inputs_of(const struct run *run, const struct tensor *given) {
    if (!(run->parameters.given & USES_INPUT))
        return csv_read(run->memory, "data/journey.csv", data_journey, data_journey_length);
    const struct tensor inputs = tensor_given(run->memory, FLOAT32, shape_of(given));
    for (int64_t i = 0; i < count_of(shape_of(given)); i++)
        floats_of(&inputs)[i] = (float)element_at(given, i);
    return with_axes_of(inputs, given);
}

static void start(struct run *run, const struct parameters *chosen) {
    const struct lesson *lesson = run->lesson;
    run->parameters = overlaid(&lesson->defaults, chosen, lesson->uses);
    struct parameters *p = &run->parameters;
    run->inputs = inputs_of(run, &p->inputs);
    fit_parameters(run);
    run->query = lesson->uses & USES_QUERY ? query_row(run) : 0;
    if (lesson->uses & USES_TARGET) find_targets(run);
    run->stream = p->stream;
    if (p->other_count > 0) p->batch = 1 + p->other_count;
    run->batch_size = p->batch;
    for (int64_t i = 0; i < p->batch; i++) {
        const bool is_other = i > 0 && p->other_count > 0;
        run->sentences[i] = is_other ? inputs_of(run, &p->other_inputs[i - 1]) : run->inputs;
    }
    check_parameters(run);
    lesson->teach(run);
}

void run_lesson(struct run *run, struct arena *arena, const struct lesson *lesson,
                const struct parameters *chosen) {
    *run = (struct run){.memory = arena, .lesson = lesson};
    start(run, chosen);
}

// Do they differ in nothing but updates, which are more now?
static bool can_continue(const struct run *run, const struct parameters *chosen,
                         const struct run *before) {
    const struct lesson *lesson = run->lesson;
    if (before == NULL || before->lesson != lesson || !lesson->trains) return false;
    const struct parameters now = overlaid(&lesson->defaults, chosen, lesson->uses);
    const uint64_t others = lesson->uses & ~(uint64_t)USES_UPDATES;
    if ((now.given ^ before->parameters.given) & others) return false;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(others & now.given & parameter->bit)) continue;
        const char *text = parameter_text(run->memory, &now, parameter);
        if (strcmp(text, parameter_text(run->memory, &before->parameters, parameter)) != 0)
            return false;
    }
    if (now.cosine) return false; // its rates depend on how many updates there are
    return before->parameters.updates < now.updates;
}

void continue_lesson(struct run *run, struct arena *arena, const struct run *before,
                     const struct lesson *lesson, const struct parameters *chosen) {
    *run = (struct run){.memory = arena, .lesson = lesson};
    if (can_continue(run, chosen, before)) run->before = before;
    start(run, chosen);
    run->before = NULL;
}

int first_number(const struct lesson *const *lessons) {
    return lessons[0]->is_before_first ? 0 : 1;
}

bool are_in_one_group(const struct step *a, const struct step *b) {
    if (a->group == NULL || b->group == NULL) return a->group == b->group;
    return strcmp(a->group, b->group) == 0;
}

bool is_named_alike(const struct step *a, const struct step *b) {
    return are_in_one_group(a, b) && strcmp(a->name, b->name) == 0;
}

// A run that ends early, and what it needs.
struct early {
    struct run *run;
    const struct parameters *chosen;
};

static void start_early(void *context) {
    const struct early *early = context;
    start(early->run, early->chosen);
}

const struct step *run_until(struct run *run, struct arena *arena, const struct lesson *lesson,
                             const struct parameters *chosen, const struct step *last) {
    *run = (struct run){.memory = arena, .lesson = lesson, .last = last};
    struct early early = {run, chosen};
    (void)attempt(arena->failure, start_early, &early);
    const struct step *step = run->step_count > 0 ? &run->steps[run->step_count - 1] : NULL;
    return step != NULL && is_named_alike(step, last) ? step : NULL;
}

bool ends_in_group(const struct run *run) {
    return run->last != NULL && run->last->group != NULL;
}

const char *unset_value(const struct run *run, const struct parameter *parameter) {
    const bool has_one = parameter->bit == USES_BERNOULLI && !run->shows_streams;
    return has_one ? NULL : parameter->unset;
}

// Is what the user chose what the lesson would have taken anyway?
static bool is_own(struct arena *arena, const struct run *run, const struct parameter *parameter) {
    const struct parameters *defaults = &run->lesson->defaults;
    int64_t targets[MOST_TARGETS];
    switch (parameter->bit) {
    case USES_SEED:
    case USES_DROPOUT_SEED:
        return !(run->other_seeds & parameter->bit);
    case USES_QUERY:
        return run->query == own_query_row(run);
    case USES_TARGET:
        return run->target_count == own_targets(run, targets) &&
               memcmp(run->targets, targets, (size_t)run->target_count * sizeof *targets) == 0;
    case USES_CONTEXT_LENGTH:
        if (defaults->context_length == 0 && run->lesson->uses & USES_INPUT)
            return run->parameters.context_length == size_along(&run->inputs, AXIS_TOKEN);
    }
    return unset_value(run, parameter) == NULL &&
           strcmp(parameter_text(arena, &run->parameters, parameter),
                  parameter_text(arena, defaults, parameter)) == 0;
}

const char *parameters_text(struct arena *arena, const struct run *run) {
    struct text text = text_new(arena);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        const bool changes = parameter->bit != USES_TURN; // which only shows more
        if (!changes || !(run->parameters.given & parameter->bit) || is_own(arena, run, parameter))
            continue;
        const char *value = parameter_text(arena, &run->parameters, parameter);
        if (text.length > 0) text_add(&text, ", ");
        if (is_switch(parameter))
            text_add(&text, parameter->name);
        else
            text_add_format(&text, "%s %s", parameter->name, text_safe(arena, value));
    }
    return text.length > 0 ? text.bytes : NULL;
}

// ---- Called by lessons --------------------------------------------------------------------------

static void set_seed(struct run *run, uint64_t seed) {
    manual_seed(&run->generator, seed);
    run->generator.sequence = ++run->sequences;
    if (run->seed_count < MAX_SEEDS) run->seeds[run->seed_count++] = seed;
    run->begins = arena_format(run->memory, "torch.manual_seed(%" PRIu64 ")", seed);
}

// The seed that the lesson would set, or the one that the user gave by the parameter of this bit in its place. The low 32
// bits count (generator.h).
static uint64_t seed_instead(struct run *run, uint64_t bit, uint64_t usual, uint64_t given) {
    if (!(run->parameters.given & bit)) return usual;
    if ((uint32_t)given != (uint32_t)usual) run->other_seeds |= bit;
    return given;
}

void reseed(struct run *run, uint64_t seed) {
    set_seed(run, seed_instead(run, USES_SEED, seed, run->parameters.seed));
}

// The first mask goes on behind the layers, each other one from the same place.
static void go_behind_layers(struct run *run) {
    if (run->has_masks)
        run->generator = run->behind_layers;
    else
        run->behind_layers = run->generator;
    run->begins = run->has_masks ? "torch.set_rng_state(behind_layers)"
                                 : "behind_layers = torch.get_rng_state()";
    run->has_masks = true;
}

void reseed_dropout(struct run *run, uint64_t seed) {
    const bool has_own = run->parameters.given & USES_DROPOUT_SEED;
    if (has_own && run->parameters.no_dropout_seed) {
        run->other_seeds |= USES_DROPOUT_SEED;
        go_behind_layers(run);
    } else if (has_own) {
        const uint64_t usual = run->parameters.given & USES_SEED ? run->parameters.seed : seed;
        set_seed(run, seed_instead(run, USES_DROPOUT_SEED, usual, run->parameters.dropout_seed));
    } else {
        reseed(run, seed);
    }
}

bool shows_stream(struct run *run, enum bernoulli stream) {
    run->shows_streams = true;
    return !(run->parameters.given & USES_BERNOULLI) || run->parameters.stream == stream;
}

void choose_stream(struct run *run, enum bernoulli stream) {
    run->stream = stream;
}

void begin_group(struct run *run, const char *format, ...) {
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    run->group = *name != '\0' ? arena_copy(run->memory, name) : NULL;
    run->group_number = atoi(name + strcspn(name, "0123456789"));
}

void begin_section(struct run *run, const char *title) {
    run->section = title;
}

void stand_beside(struct run *run, const char *step) {
    run->beside = step;
}

void open_at(struct run *run, int count, const int64_t *position) {
    const bool has_page = count > 2;
    run->opening = (struct opening){
        .is_given = true,
        .page = has_page ? position[0] : -1,
        .row = count > 1 ? position[count - 2] : 0,
        .column = position[count - 1],
    };
}

void draw_on_plane(struct run *run) {
    run->has_plane = true;
}

static struct step *new_step(struct run *run) {
    const size_t used = (size_t)run->step_count * sizeof *run->steps;
    run->steps = arena_grow(run->memory, run->steps, used, sizeof *run->steps);
    return &run->steps[run->step_count++];
}

// The statement, behind the seed that was set before it.
static const char *statement_of(struct run *run, const char *pytorch) {
    const char *statement = run_statement(run->memory, run, pytorch);
    if (run->begins == NULL) return statement;
    const char *begins = run->begins;
    run->begins = NULL;
    return arena_format(run->memory, "%s%s%s", begins, *statement != '\0' ? "\n" : "", statement);
}

// In the words of this run. Steps of one paragraph share it.
static const struct paragraph *paragraph_of(const struct run *run,
                                            const struct paragraph *paragraph) {
    for (int i = run->step_count - 1; i >= 0; i--) {
        if (run->steps[i].paragraph->excerpts == paragraph->excerpts)
            return run->steps[i].paragraph;
    }
    return worded_paragraph(run->memory, paragraph, &run->parameters);
}

static void end_if_enough(const struct run *run, const struct step *step) {
    if (is_named_alike(step, run->last)) fail(run->memory->failure, FAIL_RUNTIME, "enough");
}

void explain_step(struct run *run, int step) {
    if (run->lesson->explain != NULL) run->lesson->explain(run, step);
}

void explain_numbers(struct run *run, const struct storage *numbers) {
    if (run->lesson->explain_numbers != NULL) run->lesson->explain_numbers(run, numbers);
}

bool knows_all_origins(const struct run *run) {
    return run->lesson->explain == NULL || run->lesson->is_explained_at_once;
}

bool forget_some_steps(struct run *run) {
    return run->lesson->forget_some != NULL && run->lesson->forget_some(run);
}

void record_as(struct run *run, const struct step *shown) {
    struct step *step = new_step(run);
    *step = *shown;
    step->number = run->step_count;
    if (run->last != NULL) end_if_enough(run, step);
}

void record_step(struct run *run, struct tensor tensor, const char *name, const char *formula,
                 const char *const *pytorch, const char *file, int line) {
    if (!is_tensor(&tensor)) return;
    const struct excerpt *excerpt;
    const struct paragraph *paragraph = paragraph_at(run->lesson->source, file, line, &excerpt);
    if (paragraph == NULL) {
        fail(run->memory->failure, FAIL_RUNTIME, "%s:%d: a STEP outside of its lesson's files",
             file, line);
    }
    paragraph = paragraph_of(run, paragraph);
    struct step *step = new_step(run);
    *step = (struct step){
        .number = run->step_count,
        .name = name,
        .group = run->group,
        .section = run->section,
        .formula = formula,
        .paragraph = paragraph,
        .excerpt = excerpt,
        .tensor = tensor,
        .beside = run->beside,
        .opening = run->opening,
        .has_plane = run->has_plane,
    };
    run->beside = NULL;
    run->opening = (struct opening){0};
    run->has_plane = false;
    if (run->last != NULL) {
        end_if_enough(run, step);
        return;
    }
    step->statement = statement_of(run, pytorch[0]);
    step->expression = pytorch[1] != NULL ? run_statement(run->memory, run, pytorch[1]) : name;
}
