#ifndef ONESTEP_APP_CHECK_CLASS_ROSTER_H
#define ONESTEP_APP_CHECK_CLASS_ROSTER_H

// Checks the files of a class, listed in a CSV with one line for each student.
//
//     name,file,lesson,step,seed,heads     name and file; lesson and step in place of those of the
//     Ada,ada.txt,causal,scores,17,        command; then parameters, in any order. An empty field leaves it as
//     Alan,alan.npz,split_head,,18,2       the command has it. Semicolons may stand for commas
//
// Without a step, neither in the line nor in the command, the file holds all tensors of a program (handed_in.h), or it is the
// program itself, FILE.py or FILE.ipynb (program/program.h): then the explanation is its line that is wrong and the right one.
//
// The answer has one row for each student: name, file, verdict ("equal", "coarse", "unjudged", "stream", "different",
// "shape"; "wrong" and "part" of all tensors; "wrong", "part", "unexplained" and "unrelated" of a program; "unreadable": the file; "roster": the line of the roster), the fraction of the numbers
// that are right (of all tensors: of the steps), the code (checked.h), the student with these numbers ("same_as": a
// student with other parameters whose right numbers these are, or one whose file has exactly the same wrong
// numbers or the same program), an explanation in words, the lesson, and the step (of all tensors: the first wrong one). Then come numbers (coverage.h): steps handed in, right and
// wrong ones of them, tensors that were not judged, and steps of the lesson. The format is CSV, or
// a JSON list with the same members, or a page for a browser.

#include "app/command/command.h"
#include "base/text.h"

// Adds the answer for command->check.roster and the files in the folder command->check.file, and a summary to `notes`.
// Returns whether all are equal. Fails with FAIL_INPUT if the roster cannot be read or has an unknown column. If a line or a
// student's file is wrong, the answer says so.
bool add_roster(struct text *text, struct text *notes, const struct command *command);

#endif
