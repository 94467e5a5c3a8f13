#ifndef ONESTEP_APP_CHECK_PROGRAM_PROGRAM_H
#define ONESTEP_APP_CHECK_PROGRAM_PROGRAM_H

// check LESSON FILE.py: the student's line that is wrong, and what would be right in its place. FILE.ipynb: the code cells.

#include "app/check/coverage.h"
#include "app/command/command.h"
#include "base/text.h"

// Runs the program that the command names, says which of its tensors are steps of the lesson, and where one is not, the line
// that makes it wrong and the line that would be right, in the program's own names. In the command's format. Returns whether
// nothing is wrong: its last tensor is the lesson's. Fails with FAIL_INPUT if it is no Python or computes no tensor. `run` is the lesson's.
bool add_check_of_program(struct text *text, const struct command *command, const struct run *run);

// The same of one student of a class, in few words.
struct program_mark {
    const char *verdict, *code,
        *words; // "equal", "part", "wrong", "unexplained", "unrelated"; a mistake's name or the verdict
    const char
        *first_wrong; // label of the lesson's first step that it has wrong; NULL: none is known
    struct coverage coverage;
    double fraction;  // of its tensors, those that are steps of the lesson
    const char *text; // of the program, without blanks and lines of comments
};
struct program_mark mark_of_program(struct arena *arena, const char *path, const struct run *run,
                                    bool is_thorough);

#endif
