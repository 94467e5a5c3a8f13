#include "script/lesson/interpreter.h"

#include "script/lesson/line_edits.h"
#include "script/lesson/statements.h"

static void play(struct line_outcome *outcomes, struct arena *arena, const struct run *right,
                 const struct run *run) {
    play_statements(outcomes, arena, right, run, NULL);
}

const struct interpreter python_interpreter = {
    .play = play,
    .compute = compute_statements,
    .complete = complete_in_statements,
    .make_mistake = make_in_lines,
};
