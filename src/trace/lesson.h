#ifndef ONESTEP_TRACE_LESSON_H
#define ONESTEP_TRACE_LESSON_H

// The one header that a lesson includes. A lesson is a file in lessons/ whose function computes one
// variant of attention, paragraph by paragraph; a paragraph (lines without a blank one between them)
// that holds a STEP is shown:
//
//     // Scores: how well does each key answer each query? The comment's first sentence is the title, the
//     // rest is the explanation.
//     tensor scores = matmul(queries, transpose(keys, 0, 1));
//     STEP(scores, "S = Q Kᵀ", "scores = queries @ keys.T");
//
// A paragraph is one thought, and may hold several steps: three weight matrices, say. They share its
// title and explanation. The lines of a step are those since the STEP before it, or since the comment.
// Paragraphs without a STEP (declarations) are not shown. To add a lesson: write lessons/NAME.c with a
// function of `struct run *run` and a LESSON(NAME) at its end, and add NAME to the list in
// lessons/meson.build. A long one may go on in files of its own, which have no LESSON.

#include "tensor/ops/ops.h"
#include "trace/gradient.h"
#include "trace/run.h"
#include "trace/sentence.h"
#include "trace/training.h"

// In lessons every tensor is const: it is declared once, with its value.
typedef const struct tensor tensor;

// Records a tensor as the next step of the run called `run`, under the name of its variable; NO_TENSOR
// records nothing. `formula` is the mathematics. The last one or two arguments are PyTorch. The first is a
// statement; it runs after run_setup() and the statements of the steps before. The second is an
// expression whose value is the step; it may be left out if that is the variable's name ("W_query =
// torch.nn.Linear(d_in, d_out)" shows "W_query.weight"). {h} in them is the number of the group: 2 in
// "head 2". If a seed was set just before, the statement that sets it is added in front.
#define STEP(tensor, formula, ...)                                                                 \
    record_step(run, (tensor), #tensor, (formula), (const char *const[]){__VA_ARGS__, NULL},       \
                __FILE__, __LINE__)

// Steps from here on belong to the group, named in printf's manner, until END_GROUP. Names of steps
// are unique within a group.
#define GROUP(...) begin_group(run, __VA_ARGS__)
#define END_GROUP begin_group(run, "%s", "")

// Steps from here on belong to a section of the lesson. It is only a heading in the list of steps.
#define SECTION(title) begin_section(run, (title))

// The lesson's exercises, for its LESSON(): steps that show the variable of a statement "NAME = ...", the
// right side of which is to be found.
//
//     EXERCISES({"scores", {"a nudge", "which operation", "nearly the answer"}}, ...),
#define EXERCISES(...)                                                                             \
    .exercises = (const struct exercise[]){__VA_ARGS__},                                           \
    .exercise_count = (int)(sizeof((struct exercise[]){__VA_ARGS__}) / sizeof(struct exercise))

// Defines what the program knows of the lesson: see struct lesson.
#define LESSON(lesson_name)                                                                        \
    extern const struct source lesson_name##_source;                                               \
    extern const struct lesson lesson_name##_lesson;                                               \
    const struct lesson lesson_name##_lesson

// ---- Operations, beside those of ops.h -----------------------------------------------------------

// Tensors without operands, their sizes as they come. torch.ones, torch.rand, torch.randn
#define ones(run, ...) full((run)->memory, SHAPE(__VA_ARGS__), 1)
#define uniform(run, ...) (uniform)((run)->memory, &(run)->generator, SHAPE(__VA_ARGS__), 0, 1)
#define normal(run, ...) (normal)((run)->memory, &(run)->generator, SHAPE(__VA_ARGS__))

// A number; several in a row; `count` of them; and 0, 1, 2, ..., as ids are counted (INT64).
// torch.tensor, torch.arange
struct tensor number(struct run *run, double number);
#define numbers(run, ...)                                                                          \
    numbers_of((run), (int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)),                   \
               (const float[]){__VA_ARGS__})
struct tensor numbers_of(struct run *run, int64_t count, const float *numbers);
struct tensor numbers_from_0(struct run *run, int64_t count);

// What a linear layer from d_in to d_out features draws when it is made: its weight [d_out, d_in], then
// its bias [d_out], uniform in ±1/√d_in. Without a bias, NO_TENSOR and no draw. torch.nn.Linear
struct tensor linear_weight(struct run *run, int64_t d_out, int64_t d_in);
struct tensor linear_bias(struct run *run, bool bias, int64_t d_out, int64_t d_in);

// x · keep / (1 - p), with the keep drawn from the run's stream; x itself if p is 0 or the run is in
// evaluation mode. torch.nn.functional.dropout
struct tensor dropout(struct run *run, struct tensor x, double p);

// Tensor.view with the sizes as they come.
#define view(x, ...) (view)((x), SHAPE(__VA_ARGS__))

// √n.
double root(int64_t n);

// ---- What axes mean ------------------------------------------------------------------------------

// The same tensor with what its axes mean, outermost first: axes(scores, AXIS_QUERY, AXIS_KEY); with what its
// rows mean; with names for axes that mean nothing known: named(losses, "nudge", "side"); and with the indices of its
// last dimension, or of its rows, labelled.
#define axes(x, ...)                                                                               \
    with_axes((x), (int)(sizeof((enum meaning[]){__VA_ARGS__}) / sizeof(enum meaning)),            \
              (const enum meaning[]){__VA_ARGS__})
struct tensor with_axes(struct tensor x, int count, const enum meaning *meanings);
struct tensor rows(struct tensor x, enum meaning meaning);
#define named(x, ...) with_names((x), (const char *const[]){__VA_ARGS__, NULL})
struct tensor with_names(struct tensor x, const char *const *names);
// The same tensor with the meanings and labels of another of as many dimensions: a gradient's axes mean what those
// of its tensor do.
struct tensor axes_of(struct tensor other, struct tensor x);
struct tensor label_columns(struct tensor x, const char *const *labels);
struct tensor label_rows(struct tensor x, const char *const *labels);

#endif
