#include "trace/lesson.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

struct tensor dropout(struct run *run, struct tensor x, double p) {
    return drop(&run->generator, x, run->parameters.eval ? 0 : p, run->stream);
}

struct tensor ones_like(struct tensor x) {
    return full(x.storage->arena, shape_of(&x), 1);
}

struct tensor zeros_like(struct tensor x) {
    return full(x.storage->arena, shape_of(&x), 0);
}

struct tensor number(struct run *run, double number) {
    return scalar(run->memory, number);
}

struct tensor numbers_of(struct run *run, int64_t count, const float *numbers) {
    return tensor_of(run->memory, SHAPE(count), numbers);
}

struct tensor numbers_from_0(struct run *run, int64_t count) {
    return arange(run->memory, 0, count);
}

double root(int64_t n) {
    return sqrt((double)n);
}

// ---- Layers and heads ----------------------------------------------------------------------------

struct tensor weight_of(struct run *run, enum role makes, struct tensor weight) {
    weight.storage->purpose =
        (struct purpose){.role = ROLE_LAYER_WEIGHT, .makes = makes, .layer = ++run->layers[makes]};
    return set_matrix(weight, AXIS_INPUT, AXIS_FEATURE);
}

struct layer draw_layer(struct run *run, enum role makes, int64_t d_in, int64_t d_out, bool bias) {
    struct layer drawn = {.weight = uniform_weight(run->memory, &run->generator, d_out, d_in)};
    const enum meaning features = makes == ROLE_LOGITS ? AXIS_WORD : AXIS_FEATURE;
    drawn.weight = set_axis(drawn.weight, 0, features);
    struct purpose purpose = {
        .role = ROLE_LAYER_WEIGHT, .makes = makes, .layer = ++run->layers[makes]};
    drawn.weight.storage->purpose = purpose;
    if (!bias) return drawn;
    drawn.bias = set_axis(uniform_bias(run->memory, &run->generator, d_out, d_in), 0, features);
    purpose.role = ROLE_LAYER_BIAS;
    drawn.bias.storage->purpose = purpose;
    return drawn;
}

struct tensor draw_embedding(struct run *run, enum role makes, int64_t count, int64_t d_model) {
    const struct tensor drawn = normal(run, count, d_model);
    drawn.storage->purpose =
        (struct purpose){.role = ROLE_EMBEDDING, .makes = makes, .layer = ++run->layers[makes]};
    return set_matrix(drawn, makes == ROLE_TOKENS ? AXIS_WORD : AXIS_POSITION, AXIS_FEATURE);
}

struct layer label_layer(struct layer drawn, const char *const *words) {
    drawn.weight = label_axis(drawn.weight, 0, words);
    if (is_tensor(&drawn.bias)) drawn.bias = label_axis(drawn.bias, 0, words);
    return drawn;
}

// "W_q ~ uniform ±1/√d_in", of the weight "W_q" or of the bias "b_q".
static const char *drawn_formula(struct arena *arena, const char *symbol, const char *d_in) {
    return arena_format(arena, "%s ~ uniform ±1/√%s", symbol, d_in);
}

struct layer new_layer(struct run *run, bool is_there, enum role makes, int64_t d_in, int64_t d_out,
                       bool bias, const struct layer_texts *texts, const char *file, int line) {
    if (!is_there) return NO_LAYER;
    struct arena *m = run->memory;
    const struct layer drawn = draw_layer(run, makes, d_in, d_out, bias);
    const struct layer made = texts->words != NULL ? label_layer(drawn, texts->words) : drawn;
    const int variable = (int)strcspn(texts->statement, " ");
    const char *weight = arena_format(m, "%.*s.weight", variable, texts->statement);
    record_step(run, made.weight, texts->variable, drawn_formula(m, texts->symbol, texts->width),
                (const char *const[]){texts->statement, weight}, file, line);
    const char *symbol = arena_format(m, "b%s", texts->symbol + 1);
    const char *expression = arena_format(m, "%.*s.bias", variable, texts->statement);
    record_step(run, made.bias, arena_format(m, "%s_bias", texts->variable),
                drawn_formula(m, symbol, texts->width), (const char *const[]){"", expression}, file,
                line);
    return made;
}

struct tensor apply(struct layer drawn, struct tensor x) {
    const struct tensor made = linear(x, drawn.weight, drawn.bias);
    const enum role makes = drawn.weight.storage->purpose.makes;
    const int tokens = find_axis(&made, AXIS_TOKEN);
    if (tokens < 0 || (makes != ROLE_QUERIES && makes != ROLE_KEYS)) return made;
    return set_axis(made, tokens, makes == ROLE_QUERIES ? AXIS_QUERY : AXIS_KEY);
}

struct tensor split_heads(struct tensor x, int64_t heads) {
    const int width = dimension(&x, -1, "split_heads");
    struct shape shape = shape_of(&x);
    shape.size[shape.ndim++] = x.shape[width] / heads;
    shape.size[width] = heads;
    const struct tensor viewed = set_matrix((view)(x, shape), AXIS_HEAD, AXIS_HEAD_DIM);
    return transpose(viewed, -3, -2);
}

struct tensor merge_heads(struct tensor x) {
    const struct tensor together = contiguous(transpose(x, -3, -2));
    struct shape shape = shape_of(&together);
    shape.ndim--;
    shape.size[shape.ndim - 1] *= shape.size[shape.ndim];
    return set_axis((view)(together, shape), -1, AXIS_FEATURE);
}

// ---- What tensors are for ------------------------------------------------------------------------

struct tensor as(enum role role, struct tensor x) {
    x.storage->purpose.role = role;
    return x;
}

struct tensor gradient_of(struct tensor of, struct tensor x) {
    x.storage->purpose = (struct purpose){.role = ROLE_GRADIENT, .of = of.storage};
    return with_axes_of(x, &of);
}

struct tensor state_of(struct tensor parameter, struct tensor x) {
    x.storage->purpose = (struct purpose){.role = ROLE_OPTIMIZER_STATE, .of = parameter.storage};
    return x;
}

// ---- What axes mean ------------------------------------------------------------------------------

struct tensor with_axes(struct tensor x, int count, const enum meaning *meanings) {
    for (int dim = 0; dim < count; dim++) x = set_axis(x, dim, meanings[dim]);
    return x;
}

struct tensor rows(struct tensor x, enum meaning meaning) {
    return set_axis(x, -2, meaning);
}

struct tensor with_names(struct tensor x, const char *const *names) {
    for (int dim = 0; names[dim] != NULL; dim++)
        x = name_axis(set_axis(x, dim, AXIS_NONE), dim, names[dim]);
    return x;
}

struct tensor label_columns(struct tensor x, const char *const *labels) {
    return label_axis(x, -1, labels);
}

struct tensor label_rows(struct tensor x, const char *const *labels) {
    return label_axis(x, -2, labels);
}
