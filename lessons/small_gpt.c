#include <math.h>

#include "small_gpt.h"
#include "variants.h"

struct block draw_block(struct run *run, int64_t d_model, bool bias) {
    struct block block;
    block.W_query = draw_layer(run, ROLE_QUERIES, d_model, d_model, bias);
    block.W_key = draw_layer(run, ROLE_KEYS, d_model, d_model, bias);
    block.W_value = draw_layer(run, ROLE_VALUES, d_model, d_model, bias);
    block.W_out = draw_layer(run, ROLE_OUTPUT, d_model, d_model, true);
    block.W_ffn1 = draw_layer(run, ROLE_NONE, d_model, 4 * d_model, true);
    block.W_ffn2 = draw_layer(run, ROLE_NONE, 4 * d_model, d_model, true);
    return block;
}

struct small_gpt draw_small_gpt(struct run *run, struct gpt_sizes sizes,
                                const char *const *words) {
    int64_t blocks = sizes.blocks, d_model = sizes.d_model;
    struct small_gpt gpt = {.sizes = sizes};
    tensor tokens =
        draw_embedding(run, ROLE_TOKENS, sizes.vocabulary, d_model);
    gpt.token_table = label_rows(tokens, words);
    tensor positions =
        draw_embedding(run, ROLE_POSITIONS, sizes.context_length, d_model);
    gpt.position_table =
        label_rows(positions, position_names(run, sizes.context_length));
    gpt.blocks =
        arena_array(run->memory, (size_t)blocks, sizeof *gpt.blocks);
    for (int64_t i = 0; i < blocks; i++)
        gpt.blocks[i] = draw_block(run, d_model, sizes.bias);
    layer head =
        draw_layer(run, ROLE_LOGITS, d_model, sizes.vocabulary, false);
    gpt.W_head = label_layer(head, words);
    return gpt;
}

struct tensor layer_norm(tensor x) {
    tensor epsilon = scalar(x.storage->arena, 1e-5);
    tensor distance = subtract(x, mean(x, -1, true));
    tensor variance = add(var(x, -1, false, true), epsilon);
    return divide(distance, square_root(variance));
}

struct tensor scale_and_shift(const struct norm *norm, tensor x) {
    if (!is_tensor(&norm->scale)) return NO_TENSOR;
    return add(multiply(norm->scale, x), norm->shift);
}

struct tensor gelu(struct run *run, tensor x) {
    tensor slope = square_root(number(run, 2 / 3.14159265358979323846));
    tensor bent = add(x, multiply_by(raise_to(x, 3), 0.044715));
    tensor bend = hyperbolic_tangent(multiply(slope, bent));
    return multiply(multiply_by(x, 0.5), add(number(run, 1), bend));
}

struct tensor small_gpt_logits(struct run *run, const struct small_gpt *gpt,
                               tensor ids) {
    struct tensor x =
        embed_tokens(run, ids, gpt->token_table, gpt->position_table);
    for (int64_t i = 0; i < gpt->sizes.blocks; i++)
        x = gpt_block_of(run, x, &gpt->blocks[i], gpt->sizes.heads);
    return apply(gpt->W_head, layer_norm(x));
}
