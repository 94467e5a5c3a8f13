// The PyTorch that a lesson's statements stand on.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/run.h"

// The shortest decimal that reads back as the same float, and as a float: "0.43", "-1e-20", "3.".
static const char *shortest(struct arena *arena, float number) {
    const char *text = "";
    for (int digits = 1; digits <= 9; digits++) {
        text = arena_format(arena, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number) break;
    }
    return strpbrk(text, ".e") != NULL ? text : arena_format(arena, "%s.", text);
}

static void add_inputs(struct text *text, const struct tensor *inputs) {
    text_add(text, "inputs = torch.tensor([");
    for (int64_t row = 0; row < inputs->shape[0]; row++) {
        text_add(text, row > 0 ? ",\n                       [" : "[");
        for (int64_t column = 0; column < inputs->shape[1]; column++) {
            const float number = float_at(inputs, (int64_t[]){row, column});
            text_add_format(text, "%s%s", column > 0 ? ", " : "", shortest(text->arena, number));
        }
        text_add(text, "]");
    }
    text_add(text, "])\nnum_tokens, d_in = inputs.shape\n");
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

// The value as Python writes it.
static const char *python_value(struct arena *arena, const struct run *run,
                                const struct parameter *parameter) {
    const struct parameters *own = &run->parameters;
    if (parameter->kind == IS_TOKEN) return arena_format(arena, "%" PRId64, run->query);
    if (parameter->kind == IS_SWITCH)
        return parameter_text(arena, own, parameter)[0] == 'y' ? "True" : "False";
    const char *value = parameter_text(arena, own, parameter);
    const bool is_word = parameter->kind == IS_TEXT || parameter->kind == IS_OPTIMIZER;
    return is_word ? quoted(arena, value) : value;
}

const char *run_setup(struct arena *arena, const struct run *run) {
    const struct lesson *lesson = run->lesson;
    struct text text = text_new(arena);
    text_add(&text, "import torch\n");
    if (lesson->uses & USES_INPUT) add_inputs(&text, &run->inputs);
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(lesson->uses & parameter->bit) || parameter->python == NULL) continue;
        if (parameter->bit == USES_BATCH && run->batch_size == 0) continue;
        text_add_format(&text, "%s = %s\n", parameter->python, python_value(arena, run, parameter));
    }
    if (lesson->uses & USES_EVAL)
        text_add_format(&text, "training = %s\n", run->parameters.eval ? "False" : "True");
    if (lesson->setup != NULL) text_add_format(&text, "%s\n", lesson->setup);
    return text.bytes;
}
