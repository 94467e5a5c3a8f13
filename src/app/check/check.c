#include "app/check/check.h"

#include <string.h>

#include "app/check/answer.h"
#include "app/check/class/roster.h"
#include "app/check/judged.h"
#include "app/check/program/program.h"
#include "app/check/program/recorded.h"
#include "app/check/rounding/narrowed.h"
#include "app/command/input.h"
#include "app/command/program.h"
#include "trace/run/expression.h"

// All tensors of a dump, each against its step. One that was not judged is not right; one that comes later need not be there.
static bool add_check_of_all(struct text *text, const struct command *command,
                             const struct run *run, const struct checked *options) {
    const struct handed_in handed =
        read_handed_in(text->arena, run, command->check.file, command->check.names);
    const struct judged judged = judge_all(text->arena, run, &handed, options);
    if (command->format == FORMAT_JSON)
        add_judged_json(text, &judged);
    else
        add_judged_plain(text, &judged, command->check.has_all);
    return judged.first < 0 && judged.counts[STANDS_ROUNDED] == 0 && handed.unjudged_count == 0;
}

bool add_check(struct text *text, struct text *notes, const struct command *command) {
    struct arena *arena = text->arena;
    if (command->check.roster != NULL) return add_roster(text, notes, command);
    struct run run;
    run_lesson(&run, arena, command->lesson, &command->parameters);
    if (command->check.file == NULL) return add_check_of_recording(text, command, &run);
    const bool is_program = command->step == NULL && names_program(command->check.file);
    if (is_program && command->check.dtype != 0)
        fail(arena->failure, FAIL_USAGE,
             "--dtype is of numbers; a program says itself in which type it computes");
    if (is_program) return add_check_of_program(text, command, &run);
    struct checked checked = {.run = &run,
                              .min_decimals = command->check.min_decimals,
                              .is_quiet = command->check.is_quiet,
                              .is_thorough = command->check.is_thorough,
                              .has_all = command->check.has_all,
                              .is_of_all = command->step == NULL,
                              .any_stream = command->check.any_stream,
                              .accepted = precision_of(&command->check)};
    if (command->step == NULL) return add_check_of_all(text, command, &run, &checked);
    checked.step = tensor_asked_for(arena, &run, command->step);
    checked.file = file_name(command->check.file);
    checked.numbers = read_numbers_for(
        arena, command->check.file, command->check.watches ? REGULAR_FILE : ANY_FILE, checked.step);
    judge(arena, &checked);
    if (command->format == FORMAT_JSON)
        add_check_json(text, &checked);
    else
        add_check_plain(text, &checked);
    return is_accepted(&checked);
}
