#ifndef ONESTEP_APP_PRINT_PRINT_H
#define ONESTEP_APP_PRINT_PRINT_H

// The command `print`: runs of lessons in one of several formats, each in a file of its own.

#include "app/command.h"
#include "app/print/folder.h"
#include "base/text.h"
#include "trace/what_if/trial.h"

// What is printed: whole lessons, or one step of the only one.
struct selection {
    int trial_count;
    const struct trial *trials;
    const struct step *step; // NULL: all steps
    int digits;
    bool color;
};

// Adds what the command asks for, and to `notes` what is to be said of it on standard error. Fails with
// FAIL_USAGE if a parameter does not fit its lesson, or there is no such step.
void add_print(struct text *text, struct text *notes, const struct command *command);

// Does the command ask for a folder with a file a step? It does for a format that holds one step if
// there is none, or if its path is that of a folder. Then print_folder makes the files, and fails as
// add_print does.
bool prints_folder(const struct command *command);
struct folder print_folder(struct arena *arena, struct text *notes, const struct command *command);

// The formats. Those that hold one step want one to be selected.
void add_torch(struct text *text, const struct selection *selection);
void add_plain(struct text *text, const struct selection *selection);
void add_json(struct text *text, const struct selection *selection);
void add_csv(struct text *text, const struct selection *selection);
void add_npy(struct text *text, const struct selection *selection);
void add_svg(struct text *text, const struct selection *selection);
void add_markdown(struct text *text, const struct selection *selection);
void add_html(struct text *text, const struct selection *selection);

#endif
