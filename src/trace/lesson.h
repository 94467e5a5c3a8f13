#ifndef ONESTEP_TRACE_LESSON_H
#define ONESTEP_TRACE_LESSON_H

// What a lesson includes. lessons/variants.h declares the functions that lessons end with, lessons/gpt.h what several
// lessons share. A lesson is a file in lessons/ whose function computes one variant of attention, paragraph by
// paragraph; a paragraph (lines without a blank one between them) that holds a STEP is shown:
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

#include "base/text.h"
#include "tensor/ops/ops.h"
#include "trace/run/data.h"
#include "trace/run/list.h"
#include "trace/run/run.h"
#include "trace/run/schedule.h"
#include "trace/run/sentence.h"
#include "trace/tape/gradient.h"
#include "trace/tape/training.h"

// In lessons every tensor is const: it is declared once, with its value.
typedef const struct tensor tensor;

// Records a tensor as the next step of the run called `run`, under the name of its variable; NO_TENSOR
// records nothing. `formula` is the mathematics. The last one or two arguments are PyTorch. The first is a
// statement; it runs after run_setup() and the statements of the steps before. The second is an
// expression whose value is the step; it may be left out if that is the variable's name ("W_query =
// torch.nn.Linear(d_in, d_out)" shows "W_query.weight"). {h} in them is the number of the group: 2 in
// "head 2"; {sentences} is the list of the sentences of a batch. If a seed was set just before, the statement that sets it is added in front.
#define STEP(tensor, formula, ...)                                                                 \
    record_step(run, (tensor), #tensor, (formula), (const char *const[]){__VA_ARGS__, NULL},       \
                __FILE__, __LINE__)

// Steps from here on belong to the group, named in printf's manner, until END_GROUP. Names of steps
// are unique within a group.
#define GROUP(...) begin_group(run, __VA_ARGS__)
#define END_GROUP begin_group(run, "%s", "")

// Steps from here on belong to a section of the lesson. It is only a heading in the list of steps.
#define SECTION(title) begin_section(run, (title))

// The next step is to be seen beside an earlier one of the same shape, number by number: before and after.
#define BESIDE(step) stand_beside(run, (step))

// The next step opens on this number: AT(column), AT(row, column) or AT(page, row, column), counted from 0 on its table. It is the
// number that its explanation speaks of. It stands right before its STEP, and not on screen.
#define AT(...)                                                                                    \
    open_at(run, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                        \
            (const int64_t[]){__VA_ARGS__})

// The next step, whose rows are two numbers, has its points on a plane beside them. It stands right before its STEP, as AT does.
#define PICTURE draw_on_plane(run)

// Defines the lesson's row: see struct lesson.
#define LESSON(lesson_name)                                                                        \
    extern const struct source lesson_name##_source;                                               \
    extern const struct lesson lesson_name##_lesson;                                               \
    const struct lesson lesson_name##_lesson

// ---- Operations, beside those of ops.h -----------------------------------------------------------

// Tensors without operands, their sizes as they come. torch.ones, torch.rand, torch.randn
#define ones(run, ...) full((run)->memory, SHAPE(__VA_ARGS__), 1)
#define uniform(run, ...) (uniform)((run)->memory, &(run)->generator, SHAPE(__VA_ARGS__), 0, 1)
#define normal(run, ...) (normal)((run)->memory, &(run)->generator, SHAPE(__VA_ARGS__))

// Ones and zeros in the shape of x. torch.ones_like, torch.zeros_like
struct tensor ones_like(struct tensor x);
struct tensor zeros_like(struct tensor x);

// A number; several in a row; `count` of them; and 0, 1, 2, ..., as ids are counted (INT64).
// torch.tensor, torch.arange
struct tensor number(struct run *run, double number);
#define numbers(run, ...)                                                                          \
    numbers_of((run), (int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)),                   \
               (const float[]){__VA_ARGS__})
struct tensor numbers_of(struct run *run, int64_t count, const float *numbers);
struct tensor numbers_from_0(struct run *run, int64_t count);

// x · keep / (1 - p), with the keep drawn from the run's stream; x itself if p is 0 or the run is in
// evaluation mode. torch.nn.functional.dropout
struct tensor dropout(struct run *run, struct tensor x, double p);

// Tensor.view with the sizes as they come.
#define view(x, ...) (view)((x), SHAPE(__VA_ARGS__))

// √n.
double root(int64_t n);

// ---- Layers and heads ---------------------------------------------------------------------------

// A linear layer: its weight [d_out, d_in], and its bias [d_out] or NO_TENSOR. torch.nn.Linear
struct layer {
    struct tensor weight, bias;
};
typedef const struct layer layer;
#define NO_LAYER ((struct layer){0})

// Draws a layer from d_in to d_out features and records its weight and bias as steps, under the name of its variable:
//
//     LAYER(W_query, ROLE_QUERIES, d_in, d_out, bias, "W_q",
//           "W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)");
//     tensor queries = apply(W_query, inputs);
//
// is a layer W_query, which makes queries, and the steps W_query and W_query_bias, whose values are W_query.weight and
// W_query.bias in PyTorch. On screen stands LAYER(...) without its texts. A layer that makes words of a vocabulary
// may have them as the last argument, to label them.
#define LAYER(name, ...) LAYER_IF(true, name, __VA_ARGS__)
// The same, or NO_LAYER and no step if `is_there` is false.
#define LAYER_IF(is_there, name, makes, d_in, d_out, bias, ...)                                    \
    layer name = new_layer(                                                                        \
        run, (is_there), (makes), (d_in), (d_out), (bias),                                         \
        &(const struct layer_texts){.variable = #name, .width = #d_in, .symbol = __VA_ARGS__},     \
        __FILE__, __LINE__)
struct layer_texts {
    const char *variable, *width; // of the layer, and of what it reads
    const char *symbol, *statement;
    const char *const *words;
};
struct layer new_layer(struct run *run, bool is_there, enum role makes, int64_t d_in, int64_t d_out,
                       bool bias, const struct layer_texts *texts, const char *file, int line);

// Draws the weight of a layer, then its bias, both uniform in ±1/√d_in; without a bias, nothing is drawn for it. What
// it makes is ROLE_QUERIES, ROLE_KEYS, ..., or ROLE_NONE. Records nothing.
struct layer draw_layer(struct run *run, enum role makes, int64_t d_in, int64_t d_out, bool bias);
// A weight [d_in, d_out] that was drawn in another way, as a layer's: inputs @ weight makes queries, keys, ...
struct tensor weight_of(struct run *run, enum role makes, struct tensor weight);
// Draws a table of `count` rows of d_model features, normal around 0. makes is ROLE_TOKENS or ROLE_POSITIONS, what its
// rows are. torch.nn.Embedding
struct tensor draw_embedding(struct run *run, enum role makes, int64_t count, int64_t d_model);
// The layer with what its features are called.
struct layer label_layer(struct layer drawn, const char *const *words);

// x Wᵀ + b. Tokens become queries or keys, if that is what the layer makes. The same as linear() with its weight and bias.
struct tensor apply(struct layer drawn, struct tensor x);

// (..., token, width) seen as (..., head, token, head_dim): view, then transpose; and back, (..., token, width): transpose,
// contiguous, view.
struct tensor split_heads(struct tensor x, int64_t heads);
struct tensor merge_heads(struct tensor x);

// ---- What tensors are for -----------------------------------------------------------------------

// The same tensor, with a role that no operation could tell (tensor/role.h); as the gradient of another of as many
// dimensions, whose axes mean the same; and as what an optimizer keeps of a parameter.
struct tensor as(enum role role, struct tensor x);
struct tensor gradient_of(struct tensor of, struct tensor x);
struct tensor state_of(struct tensor parameter, struct tensor x);

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
struct tensor label_columns(struct tensor x, const char *const *labels);
struct tensor label_rows(struct tensor x, const char *const *labels);

#endif
