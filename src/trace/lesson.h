#ifndef ONESTEP_TRACE_LESSON_H
#define ONESTEP_TRACE_LESSON_H

// The one header that a lesson includes. A lesson is a file in lessons/ whose function computes one
// variant of attention, paragraph by paragraph; a paragraph (lines without a blank one between them)
// that ends in STEP is a step:
//
//     // Scores: how well does each key answer each query? The comment's first sentence is the step's
//     // title, the rest is its explanation.
//     const struct tensor scores = matmul(m, queries, transpose(keys, 0, 1));
//     STEP(r, scores, "S = Q Kᵀ", "queries @ keys.T");
//
// The lines between comment and STEP are the source that is shown. Other paragraphs (declarations)
// are not shown. To add a lesson: write lessons/NAME.c with a function and a LESSON(NAME) at its end,
// and add NAME to the list in lessons/meson.build.

#include "tensor/ops/operation.h"
#include "trace/run.h"

// Records `tensor` as the next step, under the name of the variable. A tensor that is not there
// (NO_TENSOR) is no step. `formula` is the mathematics; `pytorch` the same line in PyTorch.
#define STEP(r, tensor, formula, pytorch)                                                          \
    record_step((r), (tensor), #tensor, (formula), (pytorch), __LINE__)

// Steps from here on belong to the group, named in printf's manner, until END_GROUP. Names of steps
// are unique within a group.
#define GROUP(r, ...) begin_group((r), __VA_ARGS__)
#define END_GROUP(r) begin_group((r), "%s", "")

// Steps from here on belong to a section of the lesson: a heading for the list of steps, no more.
#define SECTION(r, title) begin_section((r), (title))

// Defines what the program knows of the lesson: see struct lesson.
#define LESSON(lesson_name)                                                                        \
    extern const struct source lesson_name##_source;                                               \
    extern const struct lesson lesson_name##_lesson;                                               \
    const struct lesson lesson_name##_lesson

#endif
