#include "script/recording/axes.h"

#include <string.h>

// ---- Words of the tokens ----------------------------------------------------------------------------

static int tokens_of_sentence(const struct recording *recording) {
    return recording->sentence_count > 0 ? recording->token_count / recording->sentence_count : 0;
}

// The indices along a dimension are the tokens.
static void label_dim(const struct recording *recording, struct tensor *tensor, int dim,
                      enum meaning meaning) {
    const bool has_sentences =
        recording->sentence_count > 1 && dim > 0 && tensor->shape[0] == recording->sentence_count;
    tensor->axis[dim].meaning = meaning;
    if (tensor->shape[dim] != tokens_of_sentence(recording)) return;
    tensor->axis[dim].labels = recording->tokens;
    tensor->axis[dim].apart = has_sentences ? tokens_of_sentence(recording) : 0;
    if (has_sentences) tensor->axis[0].meaning = AXIS_BATCH;
}

void label_tokens(const struct recording *recording, struct tensor *tensor) {
    const int length = tokens_of_sentence(recording);
    const int last = tensor->ndim - 1;
    int dim = tensor->storage->dtype == INT64 ? last : last - 1;
    while (dim >= 0 && tensor->shape[dim] != length) dim--;
    if (dim >= 0 && length > 1) label_dim(recording, tensor, dim, AXIS_TOKEN);
}

// ---- Attention weights ------------------------------------------------------------------------------

// Is it a matrix, for each sentence and head, in which each token shares 1 among the tokens until it?
static bool are_weights(const struct recording *recording, const struct recorded_node *node,
                        const struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    const int length = tokens_of_sentence(recording);
    const bool is_softmax =
        node->call != NULL && node->result_count == 1 && strstr(node->call, "softmax(") != NULL;
    if (!is_softmax || last < 1 || last > 3 || strstr(node->call, "log_softmax") != NULL)
        return false;
    const bool is_square = tensor->shape[last] == tensor->shape[last - 1];
    return length > 0 ? is_square && tensor->shape[last] == length : is_square;
}

// A tensor with a row for each query and a column for each key.
static void label_keys(const struct recording *recording, struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    label_dim(recording, tensor, last, AXIS_KEY);
    label_dim(recording, tensor, last - 1, AXIS_QUERY);
    if (last == 3) tensor->axis[0].meaning = AXIS_BATCH;
    if (last == 3) tensor->axis[1].meaning = AXIS_HEAD;
    if (last == 2)
        tensor->axis[0].meaning =
            tensor->shape[0] == recording->sentence_count ? AXIS_BATCH : AXIS_HEAD;
}

// What the weights were computed from, number by number, has the same rows and columns: scores, scaled or masked, and masks. A
// product of matrices ends that: queries and keys have features.
static void label_back(const struct recorded_run *recorded, const struct recording *recording,
                       const struct recorded_node *node, int depth) {
    int64_t operands[MOST_OPERANDS];
    const struct tensor *result = &recorded->tensors[node->results[0]];
    const int last = result->ndim - 1;
    const bool is_product = node->call == NULL || strstr(node->call, "@") != NULL ||
                            strstr(node->call, "matmul(") != NULL ||
                            strstr(node->call, "mm(") != NULL;
    const int count =
        is_product ? 0
                   : operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    for (int i = 0; i < count && depth > 0; i++) {
        struct tensor *operand = &recorded->tensors[operands[i]];
        const int own = operand->ndim - 1, maker = recorded->makers[operands[i]];
        if (own < 1 || operand->axis[own].meaning == AXIS_KEY ||
            operand->shape[own] != result->shape[last] ||
            operand->shape[own - 1] != result->shape[last - 1])
            continue;
        label_keys(recording, operand);
        if (maker >= 0) label_back(recorded, recording, &recording->nodes[maker], depth - 1);
    }
}

void note_weights(struct recorded_run *recorded, const struct recording *recording) {
    enum { FAR = 6 };
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        struct tensor *tensor =
            node->result_count == 1 ? &recorded->tensors[node->results[0]] : NULL;
        if (tensor == NULL || !are_weights(recording, node, tensor)) continue;
        tensor->storage->purpose.role = ROLE_WEIGHTS;
        label_keys(recording, tensor);
        label_back(recorded, recording, node, FAR);
    }
}
