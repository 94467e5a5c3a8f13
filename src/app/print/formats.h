#ifndef ONESTEP_APP_PRINT_FORMATS_H
#define ONESTEP_APP_PRINT_FORMATS_H

// What is printed, and the formats that it is printed in, each in a file of its own.

#include "base/text.h"
#include "trace/exercise.h"
#include "trace/what_if/trial.h"

// Whole lessons, or one step of the only one.
struct selection {
    int trial_count;
    const struct trial *trials;
    const struct step *step; // NULL: all steps
    int digits;
    bool is_shape;      // of that step, the shape is asked for
    bool requires_grad; // with what autograd knows (trace/autograd.h)
    bool color;
    enum exercises exercises;
};

static inline bool is_selected(const struct selection *selection, const struct step *step) {
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

// For programs.
void add_json(struct text *text, const struct selection *selection);

// These hold one step, and want one to be selected.
void add_csv(struct text *text, const struct selection *selection);
void add_npy(struct text *text, const struct selection *selection);
void add_svg(struct text *text, const struct selection *selection);

#endif
