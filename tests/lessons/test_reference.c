// The lessons against PyTorch: every tensor of data/reference/, by value and as text.
//
// Each file there belongs to one set of parameters. NAME.ref holds the tensors exactly, NAME.txt what
// print() shows. They were made by PyTorch 1.13.1. A matrix product is rounded in an order that depends
// on PyTorch's BLAS, so values may differ by 2e-6, and text in the last digit of a number that lies
// within 3e-7 of a rounding boundary; the test names each one that it meets. (The model's normal numbers
// went through PyTorch's own log and cos: there it is 5e-6 for both.) What was drawn uniformly, masks
// and dropout's zeros are exact.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "tensor/file/csv.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static const double TOLERANCE = 2e-6, WINDOW = 3e-7, MODEL_TOLERANCE = 5e-6;

// ---- Which run each file belongs to -------------------------------------------------------------

enum { MOST_CHOICES = 4 };

static const struct {
    const char *file;
    const char *lesson;
    const char *group; // the file's steps are in this group, if it is not NULL
    const char *choices[MOST_CHOICES][2];
} cases[] = {
    {"simplified", "simplified", NULL, {{0}}},
    {"trainable-rand", "trainable", "rand", {{0}}},
    {"trainable-linear", "trainable", "linear", {{0}}},
    {"trainable-linear-123", "trainable", "linear", {{"--seed", "123"}}},
    {"trainable-linear-bias", "trainable", "linear", {{"--seed", "123"}, {"--bias", ""}}},
    {"causal", "causal", NULL, {{0}}},
    {"causal-bias", "causal", NULL, {{"--seed", "123"}, {"--d-out", "3"}, {"--bias", ""}}},
    {"dropout", "dropout", NULL, {{0}}},
    {"dropout-tenth", "dropout", NULL, {{"--dropout", "0.1"}}},
    {"causal-batch", "wrapper", NULL, {{"--heads", "1"}}},
    {"wrapper", "wrapper", NULL, {{0}}},
    {"wrapper-dropout", "wrapper", NULL, {{"--dropout", "0.5"}, {"--bias", ""}}},
    {"wrapper-one-wide", "wrapper", NULL, {{"--d-out", "1"}}},
    {"split-head", "split_head", NULL, {{0}}},
    {"split-head-six", "split_head", NULL, {{"--input", "six.csv"}, {"--d-out", "6"}}},
    {"split-head-dropout",
     "split_head",
     NULL,
     {{"--d-out", "4"}, {"--dropout", "0.5"}, {"--bias", ""}}},
    {"split-head-dropout-mcg31m1",
     "split_head",
     NULL,
     {{"--d-out", "4"}, {"--dropout", "0.5"}, {"--bias", ""}, {"--bernoulli", "mcg31m1"}}},
    {"padding", "padding", NULL, {{0}}},
    {"cross", "cross", NULL, {{0}}},
    {"cache", "cache", NULL, {{0}}},
    {"grouped_query-4", "grouped_query", NULL, {{"--groups", "4"}}},
    {"grouped_query-2", "grouped_query", NULL, {{0}}},
    {"grouped_query-1", "grouped_query", NULL, {{"--groups", "1"}}},
    {"rotary", "rotary", NULL, {{0}}},
    {"window", "window", NULL, {{0}}},
    {"online_softmax", "online_softmax", NULL, {{0}}},
    {"latent", "latent", NULL, {{0}}},
    {"llama", "llama", NULL, {{0}}}, // by PyTorch 2.6.0
    {"model-single", "model", NULL, {{"--heads", "1"}}},
    {"model-multi", "model", NULL, {{"--heads", "2"}}},
    {"gradients-single", "gradients", NULL, {{"--heads", "1"}}},
    {"gradients-multi", "gradients", NULL, {{0}}},
    {"training", "training", NULL, {{0}}},
    {"training-single", "training", NULL, {{"--heads", "1"}}},
    {"training-six", "training", NULL, {{"--text", "Your journey starts with one step"}}},
    {"embeddings", "embeddings", NULL, {{0}}},
    {"norm", "block", "norm", {{0}}},
    {"shortcut", "block", NULL, {{0}}},
    {"block", "block", NULL, {{0}}},
    {"block-bias", "block", NULL, {{"--bias", ""}}}, // by PyTorch 2.6.0
    {"sampling", "sampling", NULL, {{0}}},
    {"training-sgd",
     "training",
     NULL,
     {{"--optimizer", "sgd"}, {"--lr", "0.1"}, {"--updates", "100"}}},
};
enum { CASE_COUNT = sizeof cases / sizeof *cases };

static const char *file_text(const char *name) {
    const char *path = arena_format(&arena, "%s/reference/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    expect(file != NULL, "cannot read %s", path);
    struct text text = text_new(&arena);
    text_add(&text, "");
    char bytes[4096];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add_bytes(&text, bytes, got);
    fclose(file);
    return text.bytes;
}

static struct parameters parameters_of(int number) {
    struct parameters parameters = {0};
    for (int i = 0; i < MOST_CHOICES && cases[number].choices[i][0] != NULL; i++) {
        const char *option = cases[number].choices[i][0], *value = cases[number].choices[i][1];
        ck_assert(set_parameter(&parameters, parameter_by_option(option), value));
        if (strcmp(option, "--input") != 0) continue;
        const char *bytes = file_text(value);
        parameters.inputs = csv_read(&arena, value, bytes, strlen(bytes));
    }
    return parameters;
}

static struct run run_of(int number) {
    const struct parameters parameters = parameters_of(number);
    struct run run;
    expect(try_lesson(&run, &arena, lesson_called(cases[number].lesson), &parameters), "%s: %s",
           cases[number].file, failure.message);
    return run;
}

// ---- The files ----------------------------------------------------------------------------------

// A tensor of a .ref file.
struct expected {
    const char *label; // "GROUP: NAME" or "NAME"
    const char *dtype;
    struct shape shape;
    double *values;
};

// The rest of the line, in the arena; *text moves to the next line.
static const char *take_line(const char **text) {
    const size_t length = strcspn(*text, "\n");
    const char *line = arena_copy_bytes(&arena, *text, length);
    *text += length + ((*text)[length] == '\n');
    return line;
}

// Reads "tensor DTYPE NDIM DIM... : NAME" and the values below it.
static struct expected take_tensor(const char **text) {
    const char *line = take_line(text);
    const char *colon = strstr(line, " : ");
    expect(colon != NULL && strncmp(line, "tensor ", 7) == 0, "not a tensor: %s", line);
    struct expected expected = {.label = colon + 3};
    const char *word = line + 7;
    expected.dtype = arena_copy_bytes(&arena, word, strcspn(word, " "));
    char *end;
    expected.shape.ndim = (int)strtol(word + strlen(expected.dtype), &end, 10);
    for (int dim = 0; dim < expected.shape.ndim; dim++)
        expected.shape.size[dim] = strtol(end, &end, 10);
    ck_assert_ptr_eq(end + strspn(end, " "), colon + 1);
    const int64_t count = count_of(expected.shape);
    expected.values = arena_array(&arena, (size_t)count, sizeof *expected.values);
    for (int64_t i = 0; i < count; i++) {
        expected.values[i] = strtod(*text, &end);
        expect(end > *text, "%s: not a number: %.20s", expected.label, *text);
        *text = end;
    }
    *text += strspn(*text, " \n");
    return expected;
}

// Reads a name and the lines of its tensor: up to blank lines that no indented line follows.
static const char *take_printed(const char **text, const char **label) {
    *label = take_line(text);
    const char *start = *text, *end = start;
    while (*end != '\0') {
        const size_t blank = strspn(end, "\n");
        if (end[blank] == '\0' || (blank > 1 && end[blank] != ' ')) break;
        end += blank > 0 ? blank : 1;
    }
    *text = end + strspn(end, "\n");
    return arena_copy_bytes(&arena, start, (size_t)(end - start));
}

static const struct step *step_of(const struct run *run, int number, const char *label) {
    const char *group = cases[number].group;
    const char *wanted = group == NULL ? label : arena_format(&arena, "%s: %s", group, label);
    const struct step *step;
    expect(try_step(&step, run, wanted, &failure), "%s: %s", cases[number].file, failure.message);
    return step;
}

// ---- By value -----------------------------------------------------------------------------------

static bool ends_with(const char *string, const char *end) {
    const size_t length = strlen(string);
    return length >= strlen(end) && strcmp(string + length - strlen(end), end) == 0;
}

// Is every bit of this step settled? Inputs, masks, what was drawn, and dropout of ones.
static bool is_exact(const char *name) {
    static const char *const names[] = {"inputs", "batch", "ids", "query"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return strncmp(name, "W_", 2) == 0 || strncmp(name, "mask_", 5) == 0 ||
           ends_with(name, "_table") || ends_with(name, "_ids") || ends_with(name, "ones_dropped");
}

static bool same_value(double value, double wanted, double tolerance) {
    if (isnan(wanted)) return isnan(value);
    if (isinf(wanted) || wanted == 0) return value == wanted;
    return fabs(value - wanted) <= tolerance * fmax(1, fabs(wanted));
}

static bool is_model(const char *file) {
    return strncmp(file, "model", 5) == 0;
}

static bool is_gradient(const char *name) {
    return ends_with(name, "_grad");
}

// The largest number of a tensor: gradients are small, and compared with each other.
static double scale_of(const struct expected *expected) {
    double largest = 0;
    for (int64_t i = 0; i < count_of(expected->shape); i++)
        largest = fmax(largest, fabs(expected->values[i]));
    return largest;
}

// A key's bias has a gradient of 0, but for rounding, which no two programs share.
static bool is_noise(const char *name) {
    return strcmp(name, "W_key_bias_grad") == 0;
}

static void compare_gradients(const struct step *step, const struct expected *expected) {
    const double slack = is_noise(step->name) ? 1e-8 : TOLERANCE * scale_of(expected);
    for (int64_t i = 0; i < count_of(expected->shape); i++) {
        const double value = element_at(&step->tensor, i), wanted = expected->values[i];
        expect(fabs(value - wanted) <= slack, "element %d of %s is %.9g, not %.9g", (int)i,
               expected->label, value, wanted);
    }
}

// Rounding grows with each update: what comes of training lies within a thousandth of its scale, losses
// within 2e-5. A key's bias walks where its noise leads it.
static bool is_trained(const char *file, const char *label) {
    static const char *const late[] = {"losses", "loss", "weights", "probabilities"};
    bool is_late = strncmp(label, "trained", 7) == 0 || strncmp(label, "after 1", 7) == 0 ||
                   ends_with(label, "_moment");
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        is_late = is_late || strcmp(label, late[i]) == 0;
    return is_late && strncmp(file, "training", 8) == 0;
}

static void compare_trained(const struct step *step, const struct expected *expected) {
    const bool is_loss = strncmp(step->name, "loss", 4) == 0;
    const bool is_early = step->group != NULL && strcmp(step->group, "trained") != 0;
    const double slack = is_loss ? 2e-5 : (is_early ? TOLERANCE : 1e-3) * scale_of(expected);
    if (strcmp(step->name, "W_key_bias") == 0) return;
    for (int64_t i = 0; i < count_of(expected->shape); i++) {
        const double value = element_at(&step->tensor, i), wanted = expected->values[i];
        expect(fabs(value - wanted) <= slack, "element %d of %s is %.9g, not %.9g", (int)i,
               expected->label, value, wanted);
    }
}

static void compare_values(const struct step *step, const struct expected *expected,
                           const char *file) {
    expect(shapes_equal(shape_of(&step->tensor), expected->shape), "%s: %s has shape %s", file,
           expected->label, shape_text(&arena, shape_of(&step->tensor)));
    ck_assert_str_eq(dtype_text(&step->tensor), expected->dtype);
    if (is_trained(file, expected->label)) {
        compare_trained(step, expected);
        return;
    }
    if (is_gradient(step->name)) {
        compare_gradients(step, expected);
        return;
    }
    const double tolerance = is_exact(step->name) ? 0
                             : is_model(file)     ? MODEL_TOLERANCE
                                                  : TOLERANCE;
    const int64_t count = count_of(expected->shape);
    for (int64_t i = 0; i < count; i++) {
        const double value = element_at(&step->tensor, i), wanted = expected->values[i];
        expect(same_value(value, wanted, tolerance), "%s: element %d of %s is %.9g, not %.9g", file,
               (int)i, expected->label, value, wanted);
    }
}

START_TEST(values_are_those_of_pytorch) {
    const char *file = cases[_i].file;
    const struct run run = run_of(_i);
    const char *text = file_text(arena_format(&arena, "%s.ref", file));
    int count = 0;
    for (; *text != '\0'; count++) {
        const struct expected expected = take_tensor(&text);
        compare_values(step_of(&run, _i, expected.label), &expected, file);
    }
    ck_assert_int_ge(count, 8);
}
END_TEST

// ---- As text ------------------------------------------------------------------------------------

// The next number with a point, inf or nan in *text, which moves behind it; NULL at the end.
static const char *take_number(const char **text) {
    for (const char *at = *text; *at != '\0'; at++) {
        const char *start = at;
        if (*at == '-') at++;
        size_t length = strspn(at, "0123456789");
        if (length > 0 && at[length] == '.') {
            length += 1 + strspn(at + length + 1, "0123456789");
            if (at[length] == 'e') length += 2 + strspn(at + length + 2, "0123456789");
        } else if (strncmp(at, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0) {
            length = 3;
        } else {
            if (length > 0) at += length - 1;
            continue;
        }
        *text = at + length;
        return arena_copy_bytes(&arena, start, (size_t)(*text - start));
    }
    return NULL;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The same text but for digits?
static bool same_layout(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        if (*a != *b && !(is_digit(*a) && is_digit(*b))) return false;
    }
    return *a == *b;
}

// May PyTorch print `wanted` and we `printed`? If the exact value lies on the edge between the two.
static bool is_on_the_edge(const char *printed, const char *wanted, double value, double window) {
    const char *exponent = strchr(wanted, 'e');
    const double unit = exponent == NULL ? 1e-4 : 1e-4 * pow(10, strtod(exponent + 1, NULL));
    const double places = fabs(value) / unit;
    return fabs(strtod(printed, NULL) - strtod(wanted, NULL)) <= 1.01 * unit &&
           fabs(places - floor(places) - 0.5) * unit <= window;
}

// A line of the test's output. Written at once: this is a process of its own, and what it buffers
// would be written twice.
static void tell(const char *line) {
    const char *note = arena_format(&arena, "# %s\n", line);
    if (write(STDOUT_FILENO, note, strlen(note)) < 0) perror("tell");
}

static void compare_text(const char *printed, const char *wanted, const struct expected *expected,
                         const char *file) {
    if (strcmp(printed, wanted) == 0) return;
    expect(same_layout(printed, wanted), "%s: %s: PyTorch prints\n%s\nand not\n%s", file,
           expected->label, wanted, printed);
    const double window = is_model(file) ? MODEL_TOLERANCE : WINDOW;
    const int64_t count = count_of(expected->shape);
    for (int64_t i = 0; i < count; i++) {
        const char *a = take_number(&printed), *b = take_number(&wanted);
        ck_assert(a != NULL && b != NULL);
        if (strcmp(a, b) == 0) continue;
        expect(is_on_the_edge(a, b, expected->values[i], window),
               "%s: %s: number %d is %s and not %s", file, expected->label, (int)i, a, b);
        tell(arena_format(&arena, "%s: %s: element %d prints as %s, PyTorch's %.9g as %s", file,
                          expected->label, (int)i, a, expected->values[i], b));
    }
}

START_TEST(text_is_that_of_pytorch) {
    const char *file = cases[_i].file;
    const struct run run = run_of(_i);
    const char *text = file_text(arena_format(&arena, "%s.txt", file));
    const char *values = file_text(arena_format(&arena, "%s.ref", file));
    while (*text != '\0') {
        const char *label;
        const char *wanted = take_printed(&text, &label);
        const struct expected expected = take_tensor(&values);
        ck_assert_str_eq(label, expected.label);
        const struct step *step = step_of(&run, _i, label);
        if (is_trained(file, label)) continue;
        // The last digits of small gradients, printed with an exponent, are rounding.
        if (is_gradient(step->name) && strstr(wanted, "e-") != NULL) continue;
        compare_text(torch_text(&arena, &step->tensor, 4), wanted, &expected, file);
    }
    ck_assert_str_eq(values, "");
}
END_TEST

// The rule for text is only worth something if it refuses what is wrong.
START_TEST(only_the_edge_is_forgiven) {
    ck_assert(is_on_the_edge("0.1235", "0.1234", 0.12345, WINDOW));
    ck_assert(is_on_the_edge("-0.1234", "-0.1235", -0.1234502, WINDOW));
    ck_assert(is_on_the_edge("1.2346e-05", "1.2345e-05", 1.23455e-05, WINDOW));
    ck_assert(!is_on_the_edge("0.1235", "0.1234", 0.123449, WINDOW));
    ck_assert(!is_on_the_edge("0.1236", "0.1234", 0.12345, WINDOW));
    ck_assert(same_layout("tensor([1.2, 3.])", "tensor([9.8, 7.])"));
    ck_assert(!same_layout("tensor([1.2, 3.])", "tensor([1.2,  3.])"));
    ck_assert(!same_layout("tensor([1.2])", "tensor([1.2]"));
    const char *numbers = "tensor([[-1.5e-05, inf],\n        [2, -nan, 3.]])";
    ck_assert_str_eq(take_number(&numbers), "-1.5e-05");
    ck_assert_str_eq(take_number(&numbers), "inf");
    ck_assert_str_eq(take_number(&numbers), "-nan");
    ck_assert_str_eq(take_number(&numbers), "3.");
    ck_assert_ptr_null(take_number(&numbers));
}
END_TEST

Suite *reference_suite(void) {
    Suite *suite = suite_create("reference");
    TCase *files = add_case(suite, "files", set_up_arena, tear_down_arena);
    tcase_add_loop_test(files, values_are_those_of_pytorch, 0, CASE_COUNT);
    tcase_add_loop_test(files, text_is_that_of_pytorch, 0, CASE_COUNT);
    tcase_add_test(files, only_the_edge_is_forgiven);
    return suite;
}
