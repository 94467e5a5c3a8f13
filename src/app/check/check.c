#include "app/check/check.h"

#include "app/check/answer.h"
#include "app/input.h"
#include "trace/step.h"

static struct numbers read_file_of(struct arena *arena, const struct command *command) {
    size_t length;
    const char *bytes = read_file(arena, command->file, NUMBERS_MAX_BYTES, &length);
    return numbers_read(arena, file_name(command->file), bytes, length);
}

static void judge(struct arena *arena, struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    if (!fits(&checked->numbers, shape_of(tensor))) {
        checked->verdict = VERDICT_SHAPE;
        checked->shaped = diagnose_shape(arena, checked->run, checked->step, &checked->numbers);
        return;
    }
    checked->allowed = allowed_of(arena, &checked->numbers, tensor);
    checked->comparison = compare(&checked->numbers, tensor);
    if (checked->comparison.different == 0) return;
    checked->verdict = VERDICT_DIFFERENT;
    checked->diagnosis = diagnose(arena, checked->run, checked->step, &checked->numbers);
}

bool add_check(struct text *text, const struct command *command) {
    struct arena *arena = text->arena;
    struct run run;
    run_lesson(&run, arena, command->lesson, &command->parameters);
    struct checked checked = {.run = &run, .verdict = VERDICT_EQUAL};
    checked.step = find_step(&run, command->step, arena->failure);
    checked.file = file_name(command->file);
    checked.numbers = read_file_of(arena, command);
    judge(arena, &checked);
    if (command->format == FORMAT_JSON)
        add_check_json(text, &checked);
    else
        add_check_plain(text, &checked);
    return checked.verdict == VERDICT_EQUAL;
}
