#include "tensor/fast/small_head.h"

#include <math.h>
#include <stddef.h>

#include "tensor/number/elementary.h"
#include "tensor/number/product.h"
#include "tensor/number/sum.h"

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// A token's numbers in the panels at `panels`, `step` apart: one lane of one of them.
static struct line line_of(const float *panels, int64_t step, int64_t width, int64_t token,
                           int64_t count) {
    return (struct line){panels + token / width * step + token % width, width, count};
}

static void add_row(struct line row, struct columns columns, struct entry entry, float *sums) {
    if (entry.rows * entry.inner * entry.columns < SMALL_BATCH)
        add_plain_products(row, columns, sums);
    else
        add_fused_products(row, columns, entry, sums);
}

// scores[j] = query · key j / root, and -INFINITY for the keys after the query.
static void score_query(const struct head *head, int64_t width, int64_t query, float *scores) {
    const int64_t tokens = head->tokens, d = head->head_dim;
    struct entry entry = {query, 0, tokens, d, tokens};
    const struct line row = line_of(head->queries, 0, width, query - head->first, d);
    for (; entry.column < tokens; entry.column += width) {
        const struct columns keys = {line_of(head->keys, head->key_step, width, entry.column, d), 1,
                                     least(width, tokens - entry.column)};
        float *column = scores + entry.column;
        for (int64_t j = 0; j < keys.count; j++) column[j] = 0;
        add_row(row, keys, entry, column);
    }
    for (int64_t j = 0; j < tokens; j++) scores[j] = j > query ? -INFINITY : scores[j] / head->root;
}

// Scores become weights, as softmax.c computes a row, and some of them 0.
static void weigh(const struct head *head, int64_t query, float *scores) {
    const struct line row = {scores, 1, head->tokens};
    float most = -INFINITY; // not of a nan, which spoils the row by its own e^x
    for (int64_t j = 0; j < head->tokens; j++) most = scores[j] > most ? scores[j] : most;
    exp_floats(row, most, scores);
    const float scale = 1 / sum_of(row, LANES_BY_HALVES);
    const int64_t kept_from = head->kept_from + query * head->tokens;
    for (int64_t j = 0; j < head->tokens; j++) {
        scores[j] *= scale;
        if (head->kept == NULL) continue;
        const int64_t bit = kept_from + j;
        scores[j] *= head->kept[bit / 8] >> bit % 8 & 1 ? head->kept_factor : 0;
    }
}

// The query becomes its context, some features after the other.
static void mix(const struct head *head, int64_t width, int64_t query, const float *weights) {
    enum { TOGETHER = 64 }; // whole tiles
    const struct line row = {weights, 1, head->tokens};
    struct entry entry = {query, 0, head->tokens, head->tokens, head->head_dim};
    for (; entry.column < head->head_dim; entry.column += TOGETHER) {
        const float *first = head->values + entry.column * head->value_step;
        const struct columns values = {{first, 1, head->tokens},
                                       head->value_step,
                                       least(TOGETHER, head->head_dim - entry.column)};
        float sums[TOGETHER] = {0};
        add_row(row, values, entry, sums);
        float *context = head->queries + entry.column * width + query - head->first;
        for (int64_t n = 0; n < values.count; n++) context[n * width] = sums[n];
    }
}

void attend_head(const struct kernel *kernel, const struct head *head) {
    const int64_t end = least(head->first + kernel->width, head->tokens);
    if (is_large_product(head->tokens, head->head_dim, head->tokens)) {
        kernel->attend(head);
        return;
    }
    for (int64_t query = head->first; query < end; query++) {
        score_query(head, kernel->width, query, head->scores);
        weigh(head, query, head->scores);
        mix(head, kernel->width, query, head->scores);
    }
}
