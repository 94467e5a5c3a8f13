#include "app/check/check.h"

#include <string.h>

#include "app/check/answer.h"
#include "app/check/roster.h"
#include "app/input.h"
#include "tensor/file/numbers_read.h"
#include "trace/step.h"

struct numbers read_numbers(struct arena *arena, const char *path) {
    const char *cell = strstr(path, ".ipynb#");
    const char *whole = path;
    size_t length;
    if (cell != NULL)
        whole = arena_copy_bytes(arena, path, (size_t)(cell - path) + strlen(".ipynb"));
    const char *bytes = read_file(arena, whole, NUMBERS_MAX_BYTES, &length);
    return numbers_read(arena, file_name(path), bytes, length);
}

// Have the numbers fewer decimals than were asked for? Whole ones have none to miss.
static bool is_coarse(const struct checked *checked) {
    const struct numbers *numbers = &checked->numbers;
    return numbers->decimals >= 0 && numbers->decimals < checked->min_decimals;
}

void judge(struct arena *arena, struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    if (!fits(&checked->numbers, shape_of(tensor))) {
        checked->verdict = VERDICT_SHAPE;
        checked->shaped = diagnose_shape(arena, checked->run, checked->step, &checked->numbers);
        return;
    }
    checked->allowed = allowed_of(arena, &checked->numbers, tensor);
    checked->comparison = compare(&checked->numbers, tensor);
    if (checked->comparison.different == 0) {
        checked->verdict = is_coarse(checked) ? VERDICT_COARSE : VERDICT_EQUAL;
        checked->unseen_count =
            find_unseen(arena, checked->run, checked->step, &checked->numbers, &checked->unseen);
        return;
    }
    checked->verdict = VERDICT_DIFFERENT;
    checked->diagnosis = diagnose(arena, checked->run, checked->step, &checked->numbers);
}

bool add_check(struct text *text, const struct command *command) {
    struct arena *arena = text->arena;
    if (command->roster != NULL) return add_roster(text, command);
    struct run run;
    run_lesson(&run, arena, command->lesson, &command->parameters);
    struct checked checked = {
        .run = &run, .min_decimals = command->min_decimals, .is_quiet = command->is_quiet};
    checked.step = find_step(&run, command->step, arena->failure);
    checked.file = file_name(command->file);
    checked.numbers = read_numbers(arena, command->file);
    judge(arena, &checked);
    if (command->format == FORMAT_JSON)
        add_check_json(text, &checked);
    else
        add_check_plain(text, &checked);
    return checked.verdict == VERDICT_EQUAL;
}
