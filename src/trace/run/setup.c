// The PyTorch that a lesson's statements stand on.

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tensor/text/digits.h"
#include "trace/run/list.h"
#include "trace/run/schedule.h"

// The shortest decimal that reads back as the same float, and as a float: "0.43", "-1e-20", "3.".
static const char *shortest(struct arena *arena, float number) {
    const char *text = shortest_decimal(arena, (double)number, FLOAT32);
    return strpbrk(text, ".e") != NULL ? text : arena_format(arena, "%s.", text);
}

// "torch.tensor([[...], [...]])", its rows below each other behind a margin.
static void add_tensor(struct text *text, const struct tensor *inputs, int margin) {
    text_add(text, "torch.tensor([");
    for (int64_t row = 0; row < size_along(inputs, AXIS_TOKEN); row++) {
        if (row > 0) text_add(text, ",\n");
        if (row > 0) text_add_repeated(text, " ", margin);
        text_add(text, "[");
        for (int64_t column = 0; column < size_along(inputs, AXIS_FEATURE); column++) {
            const float number = float_at(inputs, (int64_t[]){row, column});
            text_add_format(text, "%s%s", column > 0 ? ", " : "", shortest(text->arena, number));
        }
        text_add(text, "]");
    }
    text_add(text, "])");
}

static void add_inputs(struct text *text, const struct run *run) {
    const bool differ = run->parameters.other_count > 0;
    text_add(text, differ ? "sentences = [" : "inputs = ");
    const int margin = differ ? 27 : 23;
    add_tensor(text, &run->inputs, margin);
    for (int64_t i = 1; differ && i < run->batch_size; i++) {
        text_add(text, ",\n             ");
        add_tensor(text, &run->sentences[i], margin);
    }
    if (differ) text_add(text, "]\ninputs = sentences[0]");
    text_add(text, "\nnum_tokens, d_in = inputs.shape\n");
}

// The text with `filling` for each mark.
static const char *filled_in(struct arena *arena, const char *text, const char *mark,
                             const char *filling) {
    struct text filled = text_new(arena);
    text_add(&filled, "");
    for (const char *at; (at = strstr(text, mark)) != NULL; text = at + strlen(mark)) {
        text_add_bytes(&filled, text, (size_t)(at - text));
        text_add(&filled, filling);
    }
    text_add(&filled, text);
    return filled.bytes;
}

// Lines that end in the mark, without it, or gone.
static const char *lines_of(struct arena *arena, const char *text, const char *mark, bool stay) {
    struct text kept = text_new(arena);
    text_add(&kept, "");
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n"), end = length + (text[length] == '\n');
        const size_t marked = strlen(mark);
        const bool has = length >= marked && memcmp(text + length - marked, mark, marked) == 0;
        if (!has) text_add_bytes(&kept, text, end);
        if (has && stay) text_add_bytes(&kept, text, length - marked);
        if (has && stay && end > length) text_add(&kept, "\n");
        text += end;
        // The line before the last one, which is gone, is the last one now.
        const size_t left = strlen(kept.bytes);
        if (has && !stay && end == length && left > 0) kept.bytes[left - 1] = '\0';
    }
    return kept.bytes;
}

const char *run_statement(struct arena *arena, const struct run *run, const char *statement) {
    const bool differ = run->parameters.other_count > 0;
    const char *number = arena_format(arena, "%d", run->group_number);
    const char *numbered = filled_in(arena, statement, "{h}", number);
    const char *statement_of_run =
        filled_in(arena, numbered, "{sentences}", differ ? "sentences" : "[inputs] * batch_size");
    const struct parameters *p = &run->parameters;
    const struct {
        const char *mark;
        bool stay;
    } marked[] = {{RATES_ONLY, has_rates(p)},
                  {CLIP_ONLY, has_clipping(p)},
                  {"  # {qk}", p->qk_norm},
                  {"  # {plain}", !p->qk_norm}};
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        if (strstr(statement_of_run, marked[i].mark) != NULL)
            statement_of_run = lines_of(arena, statement_of_run, marked[i].mark, marked[i].stay);
    }
    return statement_of_run;
}

// In quotes, as Python reads it. The words of a text are printable.
static const char *quoted(struct arena *arena, const char *value) {
    struct text text = text_new(arena);
    text_add(&text, "\"");
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') text_add(&text, "\\");
        text_add_bytes(&text, value, 1);
    }
    text_add(&text, "\"");
    return text.bytes;
}

// "[4, 5, 3, 0]"
static const char *target_rows(struct arena *arena, const struct run *run) {
    struct text text = text_new(arena);
    for (int i = 0; i < run->target_count; i++)
        text_add_format(&text, "%s%" PRId64, i == 0 ? "[" : ", ", run->targets[i]);
    text_add(&text, "]");
    return text.bytes;
}

// The value as Python writes it.
static const char *python_value(struct arena *arena, const struct run *run,
                                const struct parameter *parameter) {
    const struct parameters *parameters = &run->parameters;
    if (parameter->bit == USES_QUERY) return arena_format(arena, "%" PRId64, run->query);
    if (parameter->bit == USES_TARGET) return target_rows(arena, run);
    const char *value = parameter_text(arena, parameters, parameter);
    if (is_switch(parameter)) return value[0] == 'y' ? "True" : "False";
    if (parameter->kind->form == FORM_NUMBERS) return list_json(arena, value);
    return parameter->kind->form == FORM_WORDS ? quoted(arena, value) : value;
}

// The parameters that no line of PyTorch names where all of them are as usual.
#define SCHEDULE (USES_WARMUP | USES_COSINE | USES_CLIP)

static bool is_scheduled(const struct parameters *parameters) {
    return has_rates(parameters) || has_clipping(parameters);
}

const char *run_setup(struct arena *arena, const struct run *run) {
    if (run->setup != NULL) return run->setup;
    const struct lesson *lesson = run->lesson;
    struct text text = text_new(arena);
    text_add(&text, "import torch\n");
    if (lesson->uses & USES_INPUT) add_inputs(&text, run);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(lesson->uses & parameter->bit) || parameter->python == NULL) continue;
        if (parameter->bit == USES_BATCH && run->batch_size == 0) continue;
        if ((parameter->bit & SCHEDULE) && !is_scheduled(&run->parameters)) continue;
        text_add_format(&text, "%s = %s\n", parameter->python, python_value(arena, run, parameter));
    }
    if (lesson->uses & USES_EVAL)
        text_add_format(&text, "training = %s\n", run->parameters.eval ? "False" : "True");
    if (lesson->learned != NULL)
        text_add_format(&text, "learned = \"\"\"\\\n%s\"\"\"\n", lesson->learned);
    if (lesson->setup != NULL) text_add_format(&text, "%s\n", lesson->setup);
    return text.bytes;
}
