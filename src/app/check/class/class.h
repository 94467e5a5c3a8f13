#ifndef ONESTEP_APP_CHECK_CLASS_CLASS_H
#define ONESTEP_APP_CHECK_CLASS_CLASS_H

// A class: its students, and what came of their files. roster.c reads the roster, marks.c checks the files, copies.c finds
// whose numbers the wrong ones are. table.c, summary.c and page.c write the answer.

#include "app/check/coverage.h"
#include "app/command/command.h"
#include "base/text.h"
#include "tensor/text/numbers.h"

// A run lies in memory only while it is compared.
struct student {
    const char *name, *file;
    int line; // of the roster
    const struct lesson *lesson;
    const char *step; // as typed; NULL: the file holds all tensors of a program
    struct parameters parameters;
    const char *parameters_text; // the parameters in words; NULL: the lesson's own
    const char *verdict, *code, *words;
    const char *first_wrong; // label of the first wrong step, of all tensors; else NULL
    double fraction;         // of the numbers that are right; of all tensors, of the steps
    struct coverage coverage;
    bool is_run; // the roster's line makes a run
    bool is_accepted;
    bool is_wrong;                 // readable, and different or of another shape
    const char *program;           // its text, without blanks and comments; NULL: no program
    struct numbers numbers;        // of a wrong one, while others are compared with them
    const struct student *same_as; // whose right numbers these are, or whose file holds the same
                                   // wrong ones, or the same program; NULL if nobody's
    const struct student *copy_of; // the latter
};

struct class {
    struct arena *arena;
    const struct command *command;
    int count;
    struct student *students;
};

// Checks a student's file. A file that cannot be read and a line that makes no run are answers, too.
void mark_student(const struct class *class, struct student *student);

// Reads a student's numbers. Returns false, with the reason in arena->failure, if it can't.
bool read_file_of(struct arena *arena, const struct class *class, const struct student *student,
                  struct numbers *numbers);

// Sets same_as of those with wrong numbers.
void find_copies(struct class *class);

// The answer, a row for each student.
void add_table_csv(struct text *text, const struct class *class);
void add_table_json(struct text *text, const struct class *class);

// ---- The summary --------------------------------------------------------------------------------

// Students who have something in common.
struct tally {
    const char *what; // "equal"; a code; a range of percent
    const char *more; // what a code stands for; NULL if there is nothing to say
    int count;
};

struct summary {
    int right;              // students
    int verdict_count;      // of tallies
    struct tally *verdicts; // in the order in which they come in the roster
    int code_count;         // of tallies
    struct tally *codes;    // of those who are not accepted, the most frequent first
    struct tally shares[5]; // a histogram: how many of the numbers are right
    int remark_count; // sentences about files that no line names, and names that several lines have
    const char **remarks;
};

struct summary summary_of(struct arena *arena, const struct class *class);

// In lines of text, and as a page for a browser, with a row for each student.
void add_summary(struct text *text, const struct class *class);
void add_page(struct text *text, const struct class *class);

#endif
