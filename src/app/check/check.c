#include "app/check/check.h"

#include "app/check/answer.h"
#include "app/check/roster.h"
#include "app/command/input.h"
#include "trace/run/step.h"

bool add_check(struct text *text, const struct command *command) {
    struct arena *arena = text->arena;
    if (command->check.roster != NULL) return add_roster(text, command);
    struct run run;
    run_lesson(&run, arena, command->lesson, &command->parameters);
    struct checked checked = {.run = &run,
                              .min_decimals = command->check.min_decimals,
                              .is_quiet = command->check.is_quiet,
                              .is_thorough = command->check.is_thorough,
                              .any_stream = command->check.any_stream};
    checked.step = find_step(&run, command->step, arena->failure);
    checked.file = file_name(command->check.file);
    checked.numbers =
        read_numbers(arena, command->check.file, command->check.watches ? REGULAR_FILE : ANY_FILE);
    judge(arena, &checked);
    if (command->format == FORMAT_JSON)
        add_check_json(text, &checked);
    else
        add_check_plain(text, &checked);
    return is_accepted(&checked);
}
