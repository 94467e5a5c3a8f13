#ifndef ONESTEP_APP_CHECK_ROSTER_H
#define ONESTEP_APP_CHECK_ROSTER_H

// A class: a line of CSV a student, and a file each.
//
//     name,file,seed,heads         name and file, then parameters of the lesson, in any order; an
//     Ada,ada.txt,17,2             empty field leaves a parameter as the command has it
//     Alan,alan.npy,18,
//
// The answer has a row a student: name, file, verdict ("equal", "coarse", "stream", "different", "shape", or
// "unreadable"), the fraction of the numbers that are right, the code (checked.h), whose numbers they are
// instead ("same_as": a student with other parameters whose right numbers these are, or else one whose
// file holds the very same wrong ones), and what there is to say in words. As CSV, or as a list of JSON
// with the same members.

#include "app/command.h"
#include "base/text.h"

// Adds the answer for command->check.roster and the files in the folder command->check.file. Returns whether all are
// equal. Fails with FAIL_INPUT if the roster can't be read or has a column or a value that can't be; a
// student's file that can't be read is in the answer.
bool add_roster(struct text *text, const struct command *command);

#endif
