#include "grouped.h"

#include <math.h>

#include "trace/lesson.h"

// (..., group, token, head_dim) as (..., head, token, head_dim): each group's keys, or values, for all of its heads.
static struct tensor repeat_groups(tensor by_group, int64_t heads) {
    const int64_t groups = size_along(&by_group, AXIS_GROUP);
    return set_axis(repeat_interleave(by_group, heads / groups, -3), -3, AXIS_HEAD);
}

// The lines have a batch in any case; without one in the run it is of one sentence, which a step shows.
#define OWN(name) (has_batch ? name : name "[0]")
#define QUERIES "queries = W_query(batch)"

static void grouped(struct run *run) {
    tensor inputs = run->batch_size > 0 ? axes(stack(run->batch_size, run->sentences, 0),
                                               AXIS_BATCH, AXIS_TOKEN, AXIS_FEATURE)
                                        : run->inputs;
    const int64_t tokens = size_along(&inputs, AXIS_TOKEN),
                  d_in = size_along(&inputs, AXIS_FEATURE);
    const int64_t d_out = run->parameters.d_out, heads = run->parameters.heads, groups = 2;
    const int64_t head_dim = d_out / heads, d_group = groups * head_dim;

    const bool has_batch = run->batch_size > 0;
    reseed(run, 123);
    LAYER(W_query, ROLE_QUERIES, d_in, d_out, false, "W_q",
          "W_query = torch.nn.Linear(d_in, d_out, bias=False)");
    LAYER(W_key, ROLE_KEYS, d_in, d_group, false, "W_k",
          "W_key = torch.nn.Linear(d_in, 2 * d_out // num_heads, bias=False)");
    LAYER(W_value, ROLE_VALUES, d_in, d_group, false, "W_v",
          "W_value = torch.nn.Linear(d_in, 2 * d_out // num_heads, bias=False)");
    LAYER(W_out, ROLE_OUTPUT, d_out, d_out, false, "W_o",
          "out_proj = torch.nn.Linear(d_out, d_out, bias=False)");

    tensor queries = apply(W_query, inputs);
    STEP(queries, "",
         has_batch ? "batch = torch.stack({sentences}, dim=0)\n" QUERIES
                   : "batch = inputs.unsqueeze(0)\n" QUERIES,
         OWN("queries"));
    tensor queries_by_head = split_heads(queries, heads);
    STEP(queries_by_head, "",
         "b = batch.shape[0]\n"
         "def split(x, parts):\n"
         "    return x.view(b, num_tokens, parts, head_dim).transpose(1, 2)\n"
         "queries_by_head = split(queries, num_heads)",
         OWN("queries_by_head"));
    tensor keys_by_group = set_axis(split_heads(apply(W_key, inputs), groups), -3, AXIS_GROUP);
    STEP(keys_by_group, "", "keys_by_group = split(W_key(batch), 2)", OWN("keys_by_group"));
    tensor values_by_group = set_axis(split_heads(apply(W_value, inputs), groups), -3, AXIS_GROUP);
    STEP(values_by_group, "", "values_by_group = split(W_value(batch), 2)", OWN("values_by_group"));
    tensor keys_repeated = repeat_groups(keys_by_group, heads);
    STEP(keys_repeated, "", "keys_repeated = keys_by_group.repeat_interleave(group_size, dim=1)",
         OWN("keys_repeated"));
    tensor values_repeated = repeat_groups(values_by_group, heads);
    STEP(values_repeated, "",
         "values_repeated = values_by_group.repeat_interleave(group_size, dim=1)",
         OWN("values_repeated"));
    tensor scores = matmul(queries_by_head, transpose(keys_repeated, -2, -1));
    STEP(scores, "", "scores = queries_by_head @ keys_repeated.transpose(2, 3)", OWN("scores"));
    tensor mask = axes(to_bool(triu(ones(run, tokens, tokens), 1)), AXIS_QUERY, AXIS_KEY);
    tensor masked_scores = masked_fill(scores, mask, -INFINITY);
    STEP(masked_scores, "",
         "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()\n"
         "masked_scores = scores.masked_fill(mask, -torch.inf)",
         OWN("masked_scores"));
    tensor weights = softmax(divide_by(masked_scores, root(head_dim)), -1);
    STEP(weights, "", "weights = torch.softmax(masked_scores / head_dim**0.5, dim=-1)",
         OWN("weights"));
    tensor context_by_head = matmul(weights, values_repeated);
    STEP(context_by_head, "", "context_by_head = weights @ values_repeated",
         OWN("context_by_head"));
    tensor context = merge_heads(context_by_head);
    STEP(context, "", "context = context_by_head.transpose(1, 2).contiguous().flatten(2)",
         OWN("context"));
    tensor output = apply(W_out, context);
    STEP(output, "", "output = out_proj(context)", OWN("output"));
}

// All of this file is one paragraph; it is not shown.
enum { LAST_LINE = 1000 };
static const struct excerpt excerpt = {1, LAST_LINE, 1, LAST_LINE, "\n"};
static const struct paragraph paragraph = {
    "grouped.c", "Grouped queries", "Heads share keys.", 1, &excerpt, false, NULL};
static const struct source source = {1, &paragraph, NULL, NULL};

const struct lesson grouped_lesson = {
    .name = "grouped",
    .title = "Grouped queries",
    .summary = "Heads share keys and values.",
    .uses = USES_INPUT | USES_SEED | USES_D_OUT | USES_HEADS | USES_BATCH,
    .splits_heads = true,
    .defaults = {.d_out = 8, .heads = 4},
    .teach = grouped,
    .setup = "head_dim, group_size = d_out // num_heads, num_heads // 2",
    .source = &source,
};
