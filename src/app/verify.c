#include "app/verify.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "app/command/command.h"
#include "app/statements.h"
#include "lessons.h"
#include "tensor/file/csv.h"
#include "tensor/number/arithmetic.h"
#include "tensor/operation/tolerance.h"
#include "trace/run/data.h"
#include "trace/run/expression.h"
#include "trace/run/step.h"
#include "trace/tape/spread.h"

// One run of a lesson and what came of it.
struct outcome {
    const char *lesson;
    const char *parameters; // as on the command line
    int steps;
    int64_t elements, different;
    double largest;            // of the differences that are finite
    const char *first_message; // about the first that is too large
};

struct verification {
    struct arena *arena; // of the result
    const char *next;    // of the expectations
    int count;
    struct outcome *outcomes;
    const char *wrong; // arithmetic: see wrong_arithmetic()
    uint64_t bits;     // digest of all steps of all runs
    const char *expected_bits;
    bool
        has_models; // its runs are of models: too large for a digest, and for an estimate of each number's rounding
    double within;       // how far a model's numbers may differ
    bool is_of_each;     // times each number
    bool has_statements; // the lessons' statements are run, too
};

_Noreturn static void fail_expectations(const struct verification *v, const char *what) {
    fail(v->arena->failure, FAIL_RUNTIME, "data/%s is damaged: %s",
         v->has_models ? "gpt.txt" : "expectations.txt", what);
}

// ---- Reading the expectations -------------------------------------------------------------------

// Behind blank lines and comments.
static void skip_nothing(struct verification *v) {
    for (;;) {
        v->next += strspn(v->next, " \n");
        if (*v->next != '#') return;
        v->next += strcspn(v->next, "\n");
    }
}

static bool at_word(const struct verification *v, const char *word) {
    return strncmp(v->next, word, strlen(word)) == 0;
}

// The rest of the line behind a word.
static const char *take_line(struct verification *v, struct arena *arena, const char *word) {
    v->next += strlen(word);
    const size_t length = strcspn(v->next, "\n");
    const char *line = arena_copy_bytes(arena, v->next, length);
    v->next += length;
    return line;
}

// The next word of a line, which moves behind it; NULL at its end.
static const char *take_word(struct arena *arena, const char **line) {
    *line += strspn(*line, " ");
    const size_t length = strcspn(*line, " ");
    if (length == 0) return NULL;
    *line += length;
    return arena_copy_bytes(arena, *line - length, length);
}

static const struct lesson *lesson_called(const struct verification *v, const char *name) {
    const struct lesson *lesson = name != NULL ? lesson_by_name(name) : NULL;
    if (lesson == NULL) fail_expectations(v, "there is no such lesson");
    return lesson;
}

// "--d-out 6 --bias".
static struct parameters take_parameters(const struct verification *v, struct arena *arena,
                                         const char *line) {
    struct parameters parameters = {0};
    for (const char *option; (option = take_word(arena, &line)) != NULL;) {
        const struct parameter *parameter = parameter_by_option(option);
        if (parameter == NULL) fail_expectations(v, "there is no such parameter");
        const char *value = is_switch(parameter) ? "" : take_word(arena, &line);
        if (value == NULL || !set_parameter(&parameters, parameter, value))
            fail_expectations(v, "no value for a parameter");
    }
    if (parameters.given & USES_INPUT)
        parameters.inputs = csv_read(arena, parameters.input, data_six, data_six_length);
    return parameters;
}

// "float32 2 6 : head 1: queries": the step that is meant, of the type and shape that are expected.
static const struct step *take_step(const struct verification *v, struct arena *arena,
                                    struct run *run, const char *line) {
    const char *colon = strstr(line, " : ");
    if (colon == NULL) fail_expectations(v, "a tensor without a name");
    const struct step *step = tensor_asked_for(arena, run, colon + 3);
    const char *dtype = take_word(arena, &line);
    struct shape shape = NO_DIMS;
    for (char *end; line < colon && shape.ndim < MAX_DIMS; line = end)
        shape.size[shape.ndim++] = strtoll(line, &end, 10);
    if (dtype == NULL || strcmp(dtype, dtype_text(&step->tensor)) != 0 ||
        !shapes_equal(shape, shape_of(&step->tensor)))
        fail(arena->failure, FAIL_RUNTIME, "%s: %s is %s of shape %s, expected is %s of %s",
             run->lesson->name, colon + 3, dtype_text(&step->tensor),
             shape_text(arena, shape_of(&step->tensor)), dtype, shape_text(arena, shape));
    return step;
}

// ---- Comparing ----------------------------------------------------------------------------------

// Of the run that is being compared.
static struct outcome *current_outcome(const struct verification *v) {
    return &v->outcomes[v->count - 1];
}

static void compare_element(struct verification *v, const struct step *step, int64_t position,
                            double wanted, double tolerance) {
    struct outcome *outcome = current_outcome(v);
    const double value = element_at(&step->tensor, position);
    const double difference = fabs(value - wanted);
    outcome->elements++;
    if (isfinite(difference) && difference > outcome->largest) outcome->largest = difference;
    if (agree(value, wanted, wanted == 0 ? 0 : tolerance)) return;
    if (outcome->different++ > 0) return;
    outcome->first_message =
        arena_format(v->arena, "%s: element %" PRId64 " is %.9g here, %.9g in PyTorch",
                     step_label(v->arena, step), position, value, wanted);
}

// `spread` is the step's, if its lesson trains: NULL of others.
static void compare_step(struct verification *v, const struct step *step,
                         const struct spread *spread) {
    const int64_t count = count_of(shape_of(&step->tensor));
    current_outcome(v)->steps++;
    const double *tolerances = tolerances_of(v->arena, &step->tensor);
    for (int64_t i = 0; i < count; i++) {
        char *end;
        const double wanted = (double)(float)strtod(v->next, &end); // all fit a float
        if (end == v->next) fail_expectations(v, "a number is missing");
        v->next = end;
        const double moved = spread != NULL ? ROUNDING * fabs(wanted) + moved_at(spread, i) : 0;
        compare_element(v, step, i, wanted, fmax(tolerances[i], moved));
    }
}

// "within 1e-5 of each": how far the model's numbers may differ from here on.
static void take_limit(struct verification *v) {
    char *end;
    v->within = strtod(v->next + strlen("within"), &end);
    if (!(v->within > 0)) fail_expectations(v, "a limit is missing");
    v->is_of_each = strncmp(end, " of each", strlen(" of each")) == 0;
    v->next = end + strcspn(end, "\n");
}

static void compare_model_step(struct verification *v, const struct step *step) {
    const int64_t count = count_of(shape_of(&step->tensor));
    current_outcome(v)->steps++;
    for (int64_t i = 0; i < count; i++) {
        char *end;
        const double wanted = strtod(v->next, &end);
        if (end == v->next) fail_expectations(v, "a number is missing");
        v->next = end;
        const double scale = v->is_of_each ? fabs(wanted) : fmax(1, fabs(wanted));
        const bool is_whole = step->tensor.storage->dtype == INT64;
        compare_element(v, step, i, wanted, is_whole ? 0 : v->within * scale);
    }
}

static struct outcome *add_outcome(struct verification *v) {
    const size_t used = (size_t)v->count * sizeof *v->outcomes;
    v->outcomes = arena_grow(v->arena, v->outcomes, used, sizeof *v->outcomes);
    return &v->outcomes[v->count++];
}

// Over the numbers' 64 bits as a double, which has all floats and the whole numbers that there are. A product carries
// bits upwards only, and a float's lie at the top: they are folded down before and after it. Each line is one to one.
uint64_t digest_of(uint64_t digest, const struct tensor *tensor) {
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        const double number = element_at(tensor, i);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        digest ^= isnan(number) ? 1 : bits;
        digest ^= digest >> 32;
        digest *= UINT64_C(0x9E3779B97F4A7C15);
        digest ^= digest >> 32;
    }
    return digest;
}

// Computes a run, and compares what is expected of it.
static void verify_run(struct verification *v) {
    struct arena *arena = v->arena;
    struct outcome *outcome = add_outcome(v);
    const char *line = take_line(v, arena, "run ");
    const struct lesson *lesson = lesson_called(v, take_word(arena, &line));
    const struct parameters parameters = take_parameters(v, arena, line);
    outcome->lesson = lesson->name;
    outcome->parameters = arena_copy(v->arena, line + strspn(line, " "));
    struct run run;
    run_lesson(&run, arena, lesson, &parameters);
    for (int i = 0; i < run.step_count; i++) v->bits = digest_of(v->bits, &run.steps[i].tensor);
    const struct spread *spreads = lesson->trains ? spreads_of(arena, &run) : NULL;
    for (skip_nothing(v); at_word(v, "tensor "); skip_nothing(v)) {
        const struct step *step = take_step(v, arena, &run, take_line(v, arena, "tensor "));
        compare_step(v, step, spreads != NULL ? &spreads[step - run.steps] : NULL);
    }
}

// The same for a model, whose memory is given back.
static void verify_model(struct verification *v) {
    struct outcome *outcome = add_outcome(v);
    struct scratch scratch;
    struct arena *arena = scratch_open(&scratch, v->arena->failure);
    const char *line = take_line(v, v->arena, "run ");
    const struct lesson *model = lesson_called(v, take_word(arena, &line));
    const struct parameters parameters = take_parameters(v, arena, line);
    outcome->lesson = model->name;
    outcome->parameters = line + strspn(line, " ");
    struct run run;
    run_lesson(&run, arena, model, &parameters);
    for (skip_nothing(v); at_word(v, "tensor ") || at_word(v, "within "); skip_nothing(v)) {
        struct run asked = run; // a part takes the place of its step
        if (at_word(v, "within "))
            take_limit(v);
        else
            compare_model_step(v, take_step(v, arena, &asked, take_line(v, arena, "tensor ")));
    }
    scratch_close(&scratch);
}

static void verify_all(struct verification *v) {
    for (skip_nothing(v); *v->next != '\0'; skip_nothing(v)) {
        if (!at_word(v, "run ")) fail_expectations(v, "numbers that belong to no run");
        if (v->has_models)
            verify_model(v);
        else
            verify_run(v);
    }
}

// ---- Saying it ----------------------------------------------------------------------------------

enum { LESSON_WIDTH = 11, PARAMETERS_WIDTH = 54, NUMBER_WIDTH = 10 };

static void add_row(struct text *text, const char *const *fields) {
    static const int widths[] = {LESSON_WIDTH, PARAMETERS_WIDTH, 6, NUMBER_WIDTH, 20};
    for (int i = 0; i < 5; i++) text_add_padded(text, fields[i], widths[i], i >= 2);
    text_add_format(text, "  %s\n", fields[5]);
}

static void add_table(struct text *text, const struct verification *v) {
    struct arena *arena = text->arena;
    add_row(text, (const char *const[]){"lesson", "parameters", "steps", "elements",
                                        "largest difference", "verdict"});
    for (int i = 0; i < v->count; i++) {
        const struct outcome *outcome = &v->outcomes[i];
        const bool has_parameters = *outcome->parameters != '\0';
        add_row(text, (const char *const[]){outcome->lesson,
                                            has_parameters ? outcome->parameters : "its own",
                                            arena_format(arena, "%d", outcome->steps),
                                            arena_format(arena, "%" PRId64, outcome->elements),
                                            arena_format(arena, "%.2e", outcome->largest),
                                            outcome->different == 0 ? "equal" : "DIFFERENT"});
    }
}

// Says what the digest is, and whether it is the one of every build.
static bool add_bits(struct text *text, const struct verification *v) {
    const char *bits = arena_format(text->arena, "%016" PRIx64, v->bits);
    const bool is_right = v->expected_bits == NULL || strcmp(bits, v->expected_bits) == 0;
    text_add_format(text, "Bits of all steps: %s", bits);
    if (is_right)
        text_add(text, ", as in every build.\n");
    else
        text_add_format(text,
                        ", and %s in every other build: the compiler or its flags changed "
                        "numbers.\n",
                        v->expected_bits);
    return is_right;
}

static bool add_verdict(struct text *text, const struct verification *v) {
    int different = 0, steps = 0;
    int64_t elements = 0;
    double largest = 0;
    for (int i = 0; i < v->count; i++) {
        const struct outcome *outcome = &v->outcomes[i];
        steps += outcome->steps;
        elements += outcome->elements;
        largest = fmax(largest, outcome->largest);
        if (outcome->different == 0) continue;
        different++;
        text_add_format(text, "different: %s%s%s: %" PRId64 " of %" PRId64 " numbers; first %s\n",
                        outcome->lesson, *outcome->parameters != '\0' ? " " : "",
                        outcome->parameters, outcome->different, outcome->elements,
                        outcome->first_message);
    }
    if (v->wrong != NULL)
        text_add_format(text,
                        "This program %s: build it without -ffast-math and similar flags, which "
                        "change the numbers.\n",
                        v->wrong);
    if (different > 0)
        text_add_format(text, "%d of %d runs differ from PyTorch's numbers.\n", different,
                        v->count);
    const bool has_bits = v->has_models || add_bits(text, v);
    const bool is_well = (!v->has_statements || add_statements(text)) && has_bits &&
                         different == 0 && v->wrong == NULL;
    if (is_well)
        text_add_format(
            text,
            "All is well: %d tensors of %d runs, %" PRId64 " numbers, are those of PyTorch "
            "(largest difference %.2e).\n"
            "This is PyTorch 1.13 or 2.6 with AVX2, OpenBLAS and one thread; others may\n"
            "differ in the last digit (man onestep, WHICH PYTORCH).\n",
            steps, v->count, elements, largest);
    return is_well;
}

static const char *architecture(void) {
#if defined __x86_64__
    return "x86_64";
#elif defined __aarch64__
    return "aarch64";
#elif defined __i386__
    return "i386";
#elif defined __arm__
    return "arm";
#elif defined __riscv
    return "riscv";
#elif defined __powerpc64__
    return "powerpc64";
#elif defined __s390x__
    return "s390x";
#else
    return "another architecture";
#endif
}

static const char *compiler(void) {
#if defined __clang__
    return "clang " __clang_version__;
#elif defined __GNUC__
    return "gcc " __VERSION__;
#else
    return "another compiler";
#endif
}

static void add_machine(struct text *text) {
    struct utsname name;
    text_add_format(text, "onestep " VERSION ", built by %s for %s", compiler(), architecture());
#ifdef FP_FAST_FMAF
    text_add(text, " with fused multiply-add");
#endif
    if (FLT_EVAL_METHOD != 0)
        text_add_format(text, ", float evaluation method %d", (int)FLT_EVAL_METHOD);
    if (uname(&name) >= 0)
        text_add_format(text, "; runs on %s %s, %s", name.sysname, name.release, name.machine);
    text_add(text, ".\n");
}

static bool verify_and_say(struct text *text, struct verification *v) {
    v->arena = text->arena;
    v->wrong = wrong_arithmetic();
    verify_all(v);
    if (v->count == 0) fail_expectations(v, "there are none");
    add_table(text, v);
    text_add(text, "\n");
    const bool is_well = add_verdict(text, v);
    add_machine(text);
    return is_well;
}

#define FIRST_BITS UINT64_C(0xcbf29ce484222325)

bool add_verify_with(struct text *text, const char *expectations, const char *bits) {
    struct verification v = {.next = expectations, .bits = FIRST_BITS, .expected_bits = bits};
    return verify_and_say(text, &v);
}

bool add_verify_models_with(struct text *text, const char *expectations) {
    struct verification v = {.next = expectations, .has_models = true};
    return verify_and_say(text, &v);
}

bool add_verify_models(struct text *text) {
    return add_verify_models_with(text, data_gpt);
}

bool add_verify(struct text *text) {
    struct verification v = {.next = data_expectations,
                             .bits = FIRST_BITS,
                             .expected_bits = BITS,
                             .has_statements = true};
    return verify_and_say(text, &v);
}
