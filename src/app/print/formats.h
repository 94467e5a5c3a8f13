#ifndef ONESTEP_APP_PRINT_FORMATS_H
#define ONESTEP_APP_PRINT_FORMATS_H

// What is printed, and the formats that it is printed in, each in a file of its own.

#include "app/print/options.h"
#include "base/text.h"
#include "trace/run/exercise.h"
#include "trace/what_if/trial.h"

// Whole lessons, or one step of the only one.
struct selection {
    int trial_count;
    const struct trial *trials;
    const struct step *step; // the only one; NULL: all steps, or those that are chosen
    const bool *chosen;      // of the steps of the only lesson, by their number from 0; NULL: all
    int digits;
    const char
        *python; // what Python prints of a part that is no tensor (trace/run/expression.h); NULL
    bool requires_grad; // with what autograd knows (trace/tape/autograd.h)
    bool color;
    enum exercises exercises;
    enum programs code;
    bool has_blank_values; // numbers are left out, to be filled in by hand
};

static inline bool is_selected(const struct selection *selection, const struct step *step) {
    if (selection->chosen != NULL) return selection->chosen[step->number - 1];
    return selection->step == NULL || selection->step == step;
}

// For people: lessons as documents (document.h). Of one step, torch and plain add its numbers alone.
void add_torch(struct text *text, const struct selection *selection);
void add_plain(struct text *text, const struct selection *selection);
void add_markdown(struct text *text, const struct selection *selection);
void add_html(struct text *text, const struct selection *selection);

// For PyTorch: lessons that run.
void add_py(struct text *text, const struct selection *selection);
void add_ipynb(struct text *text, const struct selection *selection);
void add_lesson_lines(struct text *text, const struct selection *selection);

// For programs.
void add_json(struct text *text, const struct selection *selection);

// These hold one step, and want one to be selected.
void add_csv(struct text *text, const struct selection *selection);
void add_npy(struct text *text, const struct selection *selection);
void add_svg(struct text *text, const struct selection *selection);
void add_latex(struct text *text, const struct selection *selection);

// One step, too, but of several trials of the lesson: a question each.
void add_gift(struct text *text, const struct selection *selection);

// Adds a picture of the only lesson of a selection, or of its step. Fails with FAIL_USAGE if the step's tensor
// is not one that can be drawn so, and says which can.
void add_picture(struct text *text, const struct selection *selection, enum picture picture,
                 enum picture_form form);

#endif
