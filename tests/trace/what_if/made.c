#include "made.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "grouped.h"
#include "lesson.h"
#include "records.h"
#include "script/lesson/interpreter.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

static const char *next_line(const char *text) {
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

bool next_case(const char **text, struct case_lines *lines) {
    for (; **text != '\0'; *text = next_line(*text)) {
        if (strncmp(*text, "steps ", 6) == 0) lines->names = *text + 6;
        if (strncmp(*text, "case ", 5) != 0) continue;
        lines->heading = *text;
        lines->verdicts = next_line(*text);
        *text = next_line(lines->verdicts);
        return true;
    }
    return false;
}

// ---- The two runs -------------------------------------------------------------------------------

static struct parameters read_options(char *options) {
    struct parameters parameters = {0};
    char *rest;
    for (char *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const struct parameter *parameter = parameter_by_option(word);
        ck_assert_msg(parameter != NULL, "no parameter %s", word);
        const char *value = is_switch(parameter) ? "" : strtok_r(NULL, " ", &rest);
        ck_assert(set_parameter(&parameters, parameter, arena_copy(&arena, value)));
    }
    if (!(parameters.given & USES_UPDATES)) parameters.updates = 2; // which are enough
    parameters.given |= USES_UPDATES;
    return parameters;
}

struct made make_case(const struct case_lines *lines) {
    const size_t length = strcspn(lines->heading, "\n");
    struct made made = {.heading = arena_copy_bytes(&arena, lines->heading, length)};
    char *line = arena_copy_bytes(&arena, lines->heading, length), *rest;
    char *names = strstr(line, " :"), *lesson = line + strlen("case ");
    *names = '\0';
    char *options = lesson + strcspn(lesson, " ");
    if (*options != '\0') *options++ = '\0';
    const struct parameters parameters = read_options(options);
    for (char *word = strtok_r(names + 2, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        word[strcspn(word, "/")] = '\0'; // a way to make it
        made.mistakes[made.count++] = find_mistake(word);
        ck_assert_msg(made.mistakes[made.count - 1] != NULL, "no mistake %s", word);
    }
    const bool is_grouped = strcmp(lesson, grouped_lesson.name) == 0; // of no list
    made.right =
        must_run(&arena, is_grouped ? &grouped_lesson : lesson_called(lesson), &parameters);
    made.tolerance = made.right.lesson->uses & USES_D_MODEL ? 5e-6 : 2e-6;
    return made;
}

const struct trial *trial_of(struct made *made) {
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    if (made->trial != NULL) return made->trial;
    for (int i = 0; i < made->count; i++) what_ifs.made[mistake_number(made->mistakes[i])] = true;
    made->trial = arena_allocate(&arena, sizeof *made->trial);
    run_trial_in(made->trial, &arena, &made->right, &what_ifs);
    return made->trial;
}

// ---- Its steps ----------------------------------------------------------------------------------

static const struct step *must_find(const struct run *run, const char *name) {
    const struct step *step;
    ck_assert_msg(try_step(&step, run, name, &failure), "%s", failure.message);
    return step;
}

// The next name or verdict of a line; NULL at its end.
static const char *next_field(const char **line, const char *between) {
    if (**line == '\n' || **line == '\0') return NULL;
    const size_t whole = strcspn(*line, "\n");
    const char *end = strstr(*line, between);
    const size_t length =
        end != NULL && (size_t)(end - *line) < whole ? (size_t)(end - *line) : whole;
    const char *field = arena_copy_bytes(&arena, *line, length);
    *line += length < whole ? length + strlen(between) : length;
    return field;
}

bool next_made_step(struct case_lines *lines, const struct made *made, struct made_step *step) {
    for (const char *name; (name = next_field(&lines->names, " | ")) != NULL;) {
        const char *verdict = next_field(&lines->verdicts, " ");
        ck_assert_msg(verdict != NULL, "%s\n%s: no verdict", made->heading, name);
        if (strcmp(verdict, ".") == 0) continue;
        *step = (struct made_step){.right = must_find(&made->right, name),
                                   .digest = strcmp(verdict, "=") == 0 ? NULL : verdict};
        return true;
    }
    return false;
}

// ---- Its numbers --------------------------------------------------------------------------------

static uint32_t bits_of(float value) {
    uint32_t bits;
    if (isnan(value)) return 0x7fc00000;
    value += 0.0F; // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Of the sizes, "2x6x3", and of the numbers, their low bytes first.
static uint32_t digest_of(struct shape shape, const float *numbers) {
    struct text sizes = text_new(&arena);
    text_add(&sizes, "");
    for (int dim = 0; dim < shape.ndim; dim++)
        text_add_format(&sizes, "%s%" PRId64, dim > 0 ? "x" : "", shape.size[dim]);
    uint32_t crc = crc32_with(0, sizes.bytes, strlen(sizes.bytes));
    for (int64_t i = 0; i < count_of(shape); i++) {
        const uint32_t bits = bits_of(numbers[i]);
        const uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                 (uint8_t)(bits >> 24)};
        crc = crc32_with(crc, bytes, sizeof bytes);
    }
    return crc;
}

// NULL if a number is near PyTorch's; else both.
static const char *apart(const struct made *made, int64_t place, double value, double expected) {
    const bool is_near = (isnan(value) && isnan(expected)) ||
                         (isinf(value) && value * expected > 0 && isinf(expected)) ||
                         fabs(value - expected) <= made->tolerance * fmax(1, fabs(expected));
    return is_near ? NULL
                   : arena_format(&arena, "number %d is %.9g, PyTorch has %.9g", (int)place, value,
                                  expected);
}

static void append_own(const char *path, const struct made *made, const char *label,
                       const float *numbers, int64_t count) {
    FILE *file = fopen(path, "a");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n%s\n", made->heading, label);
    for (int64_t i = 0; i < count; i++) fprintf(file, "%08" PRIx32 " ", bits_of(numbers[i]));
    fprintf(file, "\n");
    ck_assert_int_eq(fclose(file), 0);
}

static const char *unlike_right(const struct made *made, const struct tensor *right,
                                const struct tensor *tensor) {
    const char *how = NULL;
    for (int64_t i = 0; i < count_of(shape_of(right)) && how == NULL; i++)
        how = apart(made, i, element_at(tensor, i), element_at(right, i));
    return how;
}

const char *unlike_pytorch(const struct made *made, const struct made_step *step,
                           const struct tensor *tensor, const float **numbers_of) {
    const struct tensor *right = &step->right->tensor;
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    const char *label = step_label(&arena, step->right), *own = getenv("ONESTEP_TESTS_OWN");
    if (step->digest == NULL && !shapes_equal(shape, shape_of(right))) return "another shape";
    if (step->digest == NULL) return unlike_right(made, right, tensor);
    float *numbers = arena_array(&arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = (float)element_at(tensor, i);
    if (numbers_of != NULL) *numbers_of = numbers;
    if (own != NULL) {
        append_own(own, made, label, numbers, count);
        return NULL;
    }
    char *end;
    const char *how = NULL;
    const uint32_t wanted = (uint32_t)strtoul(step->digest, &end, 16);
    for (int64_t place = 0; *end == '~' || *end == ',';) {
        place += strtoll(end + 1, &end, 10); // counted from the one before
        if (*end != ':' || place < 0 || place >= count) return "another shape";
        const uint32_t bits = (uint32_t)strtoul(end + 1, &end, 16);
        const float value = numbers[place];
        memcpy(&numbers[place], &bits, sizeof bits);
        if (how == NULL) how = apart(made, place, (double)value, (double)numbers[place]);
    }
    if (how != NULL || digest_of(shape, numbers) == wanted) return how;
    return arena_format(&arena,
                        "other bits than PyTorch's, or another shape. They are printed by\n"
                        "pytorch_mistakes.py (pytorch_grouped.py) --numbers '%s' '%s'",
                        made->heading, label);
}
