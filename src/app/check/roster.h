#ifndef ONESTEP_APP_CHECK_ROSTER_H
#define ONESTEP_APP_CHECK_ROSTER_H

// Checks the files of a class, listed in a CSV with one line for each student.
//
//     name,file,seed,heads         name and file, then parameters of the lesson, in any order; an
//     Ada,ada.txt,17,2             empty field leaves a parameter as the command has it
//     Alan,alan.npy,18,
//
// The answer has one row for each student: name, file, verdict ("equal", "coarse", "stream", "different",
// "shape", or "unreadable"), the fraction of the numbers that are right, the code (checked.h), the student
// with these numbers ("same_as": a student with other parameters whose right numbers these are, or one whose
// file has exactly the same wrong numbers), and an explanation in words. The format is CSV, or a JSON list
// with the same members.

#include "app/command/command.h"
#include "base/text.h"

// Adds the answer for command->check.roster and the files in the folder command->check.file. Returns whether
// all are equal. Fails with FAIL_INPUT if the roster cannot be read or has an unknown column or an impossible
// value. If a student's file cannot be read, the answer says so.
bool add_roster(struct text *text, const struct command *command);

#endif
