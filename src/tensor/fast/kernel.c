// The inner loops of the fast attention. Compiled several times with different flags: KERNEL is the
// name of the struct that it defines, and the flags decide how wide a vector is. FOR_FEW makes one for FEW_TOKENS at most:
// their panel is narrow, so that whole rows of a weight stand beside it in the nearest cache.
//
// Speed comes from vectors of lanes, from sums that stay in registers (SUMS vectors of them at once, so that
// a multiply-add need not wait for the one before it), and from blocks that stay in the nearest cache. None
// of it changes a bit: a sum that leaves its registers between two blocks of k is stored as the float that
// it is.

#include "tensor/fast/kernel.h"

#include <math.h>
#include <string.h>

#include "tensor/fast/gelu.h"
#include "tensor/fast/lanes.h"
#include "tensor/fast/norm.h"

#if HAS_AVX512
enum { VECTORS = 2, SUMS = 16 }; // of 32 registers
#elif HAS_AVX2 && defined(FOR_FEW)
enum { VECTORS = 1, SUMS = 8 }; // all tokens in one vector
#elif HAS_AVX2
enum { VECTORS = 3, SUMS = 12 }; // of 16
#else
enum { VECTORS = 4, SUMS = 16 };
#endif

enum {
    WIDTH = LANES * VECTORS, // of a panel
    K_BLOCK = 6144 / WIDTH,  // a panel's block of k: 24 KiB, which leave room in the first cache
    ROW_BLOCK = 64,          // rows of a weight that stay in the second cache for several panels
    UNROLLED = 4,            // steps of k written out
    ROWS_LEFT = 4,           // rows of a tile where there are fewer than a whole one has
    TURNS = 8,               // sums of a softmax's row
};

// The vectors that hold the first `lanes` of a panel. Not three of four, for which no tile is made.
static int vectors_of(int64_t lanes) {
    const int vectors = (int)((lanes + LANES - 1) / LANES);
    return vectors >= (int)VECTORS || vectors == 3 ? VECTORS : vectors;
}

// ---- Products -----------------------------------------------------------------------------------

// What is multiplied with a panel: element k of row n is at[n * n_step + k * k_step].
struct factors {
    const float *at;
    int64_t n_step, k_step;
};

INLINE struct factors factors_from(struct factors factors, int64_t row) {
    factors.at += row * factors.n_step;
    return factors;
}

INLINE void add_product(int rows, int vectors, const float *panel, struct factors factors,
                        int64_t k, floats *sums) {
    floats lanes[VECTORS];
    for (int v = 0; v < vectors; v++) lanes[v] = *(const floats *)(panel + k * WIDTH + v * LANES);
    for (int n = 0; n < rows; n++) {
        const floats factor = all(factors.at[n * factors.n_step + k * factors.k_step]);
        for (int v = 0; v < vectors; v++) {
            floats *sum = &sums[n * vectors + v];
            *sum = fused(factor, lanes[v], *sum);
        }
    }
}

// Asks for a line of each of some rows, once for all of its numbers, without waiting for it. What lies behind the last row
// may be asked for: nothing happens.
INLINE void fetch_ahead(struct factors factors, int rows, int64_t k) {
    enum { LINE = 16 }; // floats
    for (int n = 0; n < rows && k % LINE == 0; n++)
        __builtin_prefetch(factors.at + n * factors.n_step + k * factors.k_step, 0, 2);
}

// sums[n][v] += sum over k of factor[n][k] · panel[k][v], in registers. Inlined with rows and vectors
// constant.
INLINE void add_products(int rows, int vectors, const float *panel, struct factors factors,
                         int64_t depth, floats *sums) {
    int64_t k = 0;
    for (; k + UNROLLED <= depth; k += UNROLLED) {
        fetch_ahead(factors_from(factors, 2 * rows), rows, k);
        for (int i = 0; i < UNROLLED; i++) add_product(rows, vectors, panel, factors, k + i, sums);
    }
    for (; k < depth; k++) add_product(rows, vectors, panel, factors, k, sums);
}

// A block of k of some chains: where they are from the first block to the last, and how they end.
struct chains {
    bool begins;       // at 0; otherwise with what is in `out`
    const float *bias; // of each row, added last; NULL: `rest` is
    float rest;
    float *out; // rows `row_step` apart
    int64_t row_step;
};

INLINE void tile(int rows, int vectors, const float *panel, struct factors factors, int64_t depth,
                 const struct chains *chains, int64_t row) {
    floats sums[SUMS] = {{0}};
    float *out = chains->out + row * chains->row_step;
    for (int n = 0; n < rows && !chains->begins; n++) {
        for (int v = 0; v < vectors; v++)
            sums[n * vectors + v] =
                *(const floats_anywhere *)(out + n * chains->row_step + v * LANES);
    }
    add_products(rows, vectors, panel, factors_from(factors, row), depth, sums);
    for (int n = 0; n < rows; n++) {
        const floats last = all(chains->bias != NULL ? chains->bias[row + n] : chains->rest);
        for (int v = 0; v < vectors; v++)
            *(floats_anywhere *)(out + n * chains->row_step + v * LANES) =
                sums[n * vectors + v] + last;
    }
}

INLINE void multiply_vectors(int vectors, const float *panel, struct factors factors, int64_t rows,
                             int64_t depth, const struct chains *chains) {
    const int whole = SUMS / vectors;
    int64_t row = 0;
    for (; row + whole <= rows; row += whole)
        tile(whole, vectors, panel, factors, depth, chains, row);
    for (; row + ROWS_LEFT <= rows; row += ROWS_LEFT)
        tile(ROWS_LEFT, vectors, panel, factors, depth, chains, row);
    for (; row < rows; row++) tile(1, vectors, panel, factors, depth, chains, row);
}

// out[n][lane] = sum over k of factor[n][k] · panel[k][lane], fused, in the panel's first vectors; k runs
// along the factors.
static void multiply(int vectors, const float *panel, const float *at, int64_t n_step, int64_t rows,
                     int64_t depth, const struct chains *chains) {
    const struct factors factors = {at, n_step, 1};
    if (vectors == 1)
        multiply_vectors(1, panel, factors, rows, depth, chains);
    else if (vectors == 2)
        multiply_vectors(2, panel, factors, rows, depth, chains);
    else
        multiply_vectors(VECTORS, panel, factors, rows, depth, chains);
}

#ifdef FOR_FEW
// The other way round: LANES rows of the weight, each in a lane, meet each token. A number of the weight is fetched once for
// all tokens, in a vector with three more of its row.
INLINE void meet_rows(int tokens, const float *panel, struct factors factors, int64_t depth,
                      const struct chains *chains, int64_t row) {
    floats sums[WIDTH] = {{0}};
    const int64_t step = chains->row_step;
    float *out = chains->out + row * step;
    factors = factors_from(factors, row);
    for (int i = 0; i < tokens * (int)LANES && !chains->begins; i++)
        sums[i / LANES][i % LANES] = out[i % LANES * step + i / LANES];
    for (int64_t k = 0; k + COLUMNS <= depth; k += COLUMNS) {
        floats columns[COLUMNS];
        fetch_ahead(factors_from(factors, 2 * LANES), LANES, k);
        turn_rows(factors.at + k, factors.n_step, columns);
        for (int i = 0; i < COLUMNS; i++) {
            for (int t = 0; t < tokens; t++)
                sums[t] = fused(columns[i], all(panel[(k + i) * WIDTH + t]), sums[t]);
        }
    }
    for (int64_t k = depth - depth % COLUMNS; k < depth; k++) {
        floats column;
        for (int lane = 0; lane < LANES; lane++)
            column[lane] = factors.at[lane * factors.n_step + k];
        for (int t = 0; t < tokens; t++)
            sums[t] = fused(column, all(panel[k * WIDTH + t]), sums[t]);
    }
    for (int i = 0; i < tokens * (int)LANES; i++) {
        const int lane = i % LANES;
        const float last = chains->bias != NULL ? chains->bias[row + lane] : chains->rest;
        out[lane * step + i / LANES] = sums[i / LANES][lane] + last;
    }
}

static void multiply_panel(int64_t tokens, const float *panel, const float *at, int64_t n_step,
                           int64_t rows, int64_t depth, const struct chains *chains) {
    const struct factors factors = {at, n_step, 1};
    int64_t row = 0;
    for (; row + LANES <= rows; row += LANES) {
        if (tokens == 1)
            meet_rows(1, panel, factors, depth, chains, row);
        else if (tokens <= WIDTH / 2)
            meet_rows(WIDTH / 2, panel, factors, depth, chains, row);
        else
            meet_rows(WIDTH, panel, factors, depth, chains, row);
    }
    for (; row < rows; row++) tile(1, 1, panel, factors, depth, chains, row);
}
#else
static void multiply_panel(int64_t tokens, const float *panel, const float *at, int64_t n_step,
                           int64_t rows, int64_t depth, const struct chains *chains) {
    multiply(vectors_of(tokens), panel, at, n_step, rows, depth, chains);
}
#endif

// What a chain without a bias ends with: 0, so that none is -0; and what leaves a sum as it is, between
// two blocks of k.
INLINE float end_of_chain(bool is_last) {
    return is_last ? 0.0F : -0.0F;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// A block of rows meets every panel before the next one is fetched; within it, a block of k.
static void project(const struct projection *p) {
    for (int64_t n = 0; n < p->rows; n += ROW_BLOCK) {
        for (int64_t k = 0; k < p->depth; k += K_BLOCK) {
            const int64_t depth = least(K_BLOCK, p->depth - k);
            const bool is_last = k + depth == p->depth;
            struct chains chains = {
                .begins = k == 0,
                .bias = is_last && p->bias != NULL ? p->bias + n : NULL,
                .rest = end_of_chain(is_last),
                .row_step = p->row_step,
            };
            for (int64_t panel = 0; panel * WIDTH < p->tokens; panel++) {
                chains.out = p->out + panel * p->out_step + n * p->row_step;
                multiply_panel(p->tokens - panel * WIDTH,
                               p->panels + panel * p->panel_step + k * WIDTH,
                               p->weight + n * p->depth + k, p->depth,
                               least(ROW_BLOCK, p->rows - n), depth, &chains);
            }
        }
    }
}

static void pack(const float *x, int64_t tokens, int64_t depth, float *panel) {
    for (int64_t block = 0; block < depth; block += LANES) {
        const int64_t end = least(block + LANES, depth);
        for (int64_t token = 0; token < WIDTH; token++) {
            for (int64_t k = block; k < end; k++) {
                panel[k * WIDTH + token] = token < tokens ? x[token * depth + k] : 0;
            }
        }
    }
}

static void unpack(const float *panel, int64_t tokens, int64_t depth, float *out,
                   int64_t out_step) {
    for (int64_t block = 0; block < depth; block += LANES) {
        const int64_t end = least(block + LANES, depth);
        for (int64_t token = 0; token < tokens; token++) {
            for (int64_t k = block; k < end; k++)
                out[token * out_step + k] = panel[k * WIDTH + token];
        }
    }
}

// ---- One head -----------------------------------------------------------------------------------

// How a head's scores are made: all that a tile of them needs to know.
struct scoring {
    const struct head *head;
    bool is_exact; // 1 / root is a power of two: times it is the same as divided by root
    floats root, inverse;
};

static struct scoring scoring_of(const struct head *head) {
    int exponent;
    return (struct scoring){
        .head = head,
        .is_exact = frexpf(head->root, &exponent) == 0.5F,
        .root = all(head->root),
        .inverse = all(1 / head->root),
    };
}

// A chain that ends in -0 would be 0; e^x is 1 for either.
INLINE floats scaled(const struct scoring *scoring, floats sum) {
    return scoring->is_exact ? sum * scoring->inverse : sum / scoring->root;
}

// Scores of some rows of keys, the first at `keys`: query · key / root. most[v] grows with them.
INLINE void score_tile(int rows, int vectors, const struct scoring *scoring, const float *keys,
                       float *scores, floats *most) {
    floats sums[SUMS] = {{0}};
    const struct factors factors = {keys, 1, WIDTH};
    add_products(rows, vectors, scoring->head->queries, factors, scoring->head->head_dim, sums);
    for (int n = 0; n < rows; n++) {
        for (int v = 0; v < vectors; v++) {
            const floats score = scaled(scoring, sums[n * vectors + v]);
            if (most != NULL) most[v] = larger(score, most[v]);
            *(floats *)(scores + n * WIDTH + v * LANES) = score;
        }
    }
}

// Scores of the first `rows` keys of a panel, from `key` on; rounded up to a whole tile.
INLINE void score_panel(int vectors, const struct scoring *scoring, int64_t key, int64_t rows,
                        floats *most) {
    const struct head *head = scoring->head;
    const float *keys = head->keys + key / WIDTH * head->key_step;
    const int whole = SUMS / vectors;
    for (int64_t n = 0; n < rows; n += whole)
        score_tile(whole, vectors, scoring, keys + n, head->scores + (key + n) * WIDTH, most);
}

// Hides the keys after each query in the queries' own panel. A number that is no number is never the
// largest here, otherwise than in PyTorch: the row's sum is NAN either way, and with it all of the row.
INLINE void hide_later_keys(const struct head *head, int vectors, int64_t rows, floats *most) {
    int32_t places[WIDTH]; // which query a lane is, counted from the panel's first
    for (int32_t lane = 0; lane < WIDTH; lane++) places[lane] = lane;
    ints query[VECTORS];
    memcpy(query, places, sizeof query);
    for (int32_t j = 0; j < rows; j++) {
        for (int v = 0; v < vectors; v++) {
            floats *score = (floats *)(head->scores + (head->first + j) * WIDTH + v * LANES);
            *score = choose(query[v] < j, all(-INFINITY), *score);
            most[v] = larger(*score, most[v]);
        }
    }
}

INLINE void score_all(int vectors, const struct head *head, floats *most) {
    const struct scoring scoring = scoring_of(head);
    const int64_t last_width = least(WIDTH, head->tokens - head->first);
    for (int64_t key = 0; key < head->first; key += WIDTH)
        score_panel(vectors, &scoring, key, WIDTH, most);
    score_panel(vectors, &scoring, head->first, last_width, NULL);
    hide_later_keys(head, vectors, (last_width + TURNS - 1) / TURNS * TURNS, most);
}

// The next TURNS keys' scores become powers, and are added to the sums by turns.
INLINE void exponentiate_turns(float *scores, floats most, floats *sums) {
    for (int j = 0; j < TURNS; j += TOGETHER) {
        floats x[TOGETHER];
        EACH x[i] = *(floats *)(scores + (j + i) * WIDTH) - most;
        exponentiate(x);
        EACH *(floats *)(scores + (j + i) * WIDTH) = x[i];
        EACH sums[j + i] += x[i];
    }
}

// A row of eight numbers or more has eight sums, which are added by halves. In a shorter one each of them is
// a number, and they are added in order.
INLINE floats add_turns(const floats *sums, int64_t tokens) {
    if (tokens >= TURNS)
        return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
               ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    floats sum = sums[0];
    for (int i = 1; i < TURNS; i++) sum += sums[i];
    return sum;
}

// Scores become weights, but for the factor *scale: softmax of softmax.c, each lane a row of it. Hidden
// numbers are added, too, and are 0.
INLINE void exponentiate_scores(const struct head *head, int vectors, const floats *most,
                                floats *scale) {
    const int64_t keys = least(head->first + WIDTH, head->tokens);
    for (int v = 0; v < vectors; v++) {
        floats sums[TURNS] = {{0}};
        for (int64_t j = 0; j < keys; j += TURNS)
            exponentiate_turns(head->scores + j * WIDTH + v * LANES, most[v], sums);
        scale[v] = 1 / add_turns(sums, head->tokens);
    }
}

// The definition goes on with the keys after this panel: their weights are 0, and 0 · value leaves a sum
// as it is, but for a value that is not finite, which spoils it.
static void finish_chains(const struct head *head, int64_t from) {
    for (int64_t i = 0; i < head->head_dim * WIDTH; i++) {
        const float *values = head->values + i / WIDTH * head->value_step;
        float sum = head->queries[i];
        for (int64_t j = from; j < head->tokens; j++) sum += 0 * values[j];
        head->queries[i] = sum;
    }
}

// Dropout of a few keys' weights, from `key` on.
static void drop_weights(const struct head *head, int64_t key, int64_t keys, float *weights) {
    const int64_t queries = least(WIDTH, head->tokens - head->first);
    for (int64_t lane = 0; lane < queries; lane++) {
        const int64_t row = head->kept_from + (head->first + lane) * head->tokens + key;
        for (int64_t j = 0; j < keys; j++) {
            const bool is_kept = head->kept[(row + j) / 8] >> (row + j) % 8 & 1;
            weights[j * WIDTH + lane] *= is_kept ? head->kept_factor : 0;
        }
    }
}

INLINE void scale_weights(float *weights, int vectors, int64_t keys, const floats *scale) {
    for (int64_t j = 0; j < keys; j++) {
        for (int v = 0; v < vectors; v++) *(floats *)(weights + j * WIDTH + v * LANES) *= scale[v];
    }
}

// Context: each query's weighted sum of the values.
INLINE void mix_values(int vectors, const struct head *head, const floats *scale) {
    const int64_t keys = least(head->first + WIDTH, head->tokens);
    for (int64_t k = 0; k < keys; k += K_BLOCK) {
        const int64_t depth = least(K_BLOCK, keys - k);
        float *weights = head->scores + k * WIDTH;
        const struct chains chains = {
            .begins = k == 0,
            .rest = end_of_chain(k + depth == keys),
            .out = head->queries,
            .row_step = WIDTH,
        };
        scale_weights(weights, vectors, depth, scale);
        if (head->kept != NULL) drop_weights(head, k, depth, weights);
        multiply(vectors, weights, head->values + k, head->value_step, head->head_dim, depth,
                 &chains);
    }
    if (keys < head->tokens && !head->values_are_finite) finish_chains(head, keys);
}

INLINE void attend_vectors(int vectors, const struct head *head) {
    floats most[VECTORS], scale[VECTORS];
    for (int v = 0; v < vectors; v++) most[v] = all(-INFINITY);
    score_all(vectors, head, most);
    exponentiate_scores(head, vectors, most, scale);
    mix_values(vectors, head, scale);
}

static void attend(const struct head *head) {
    const int vectors = vectors_of(head->tokens - head->first);
    if (vectors == 1)
        attend_vectors(1, head);
    else if (vectors == 2)
        attend_vectors(2, head);
    else
        attend_vectors(VECTORS, head);
}

// ---- For tests, and what the processor can do ---------------------------------------------------

static void exponentials(const float *x, float *result, int64_t count) {
    enum { BLOCK = TOGETHER * LANES };
    for (int64_t done = 0; done < count; done += BLOCK) {
        const size_t bytes = (size_t)least(BLOCK, count - done) * sizeof *x;
        floats block[TOGETHER] = {{0}};
        memcpy(block, x + done, bytes);
        exponentiate(block);
        memcpy(result + done, block, bytes);
    }
}

// ---- Normal numbers -----------------------------------------------------------------------------

// Numbers j and j + 8 of a block are a pair. A vector holds as many j of one block, or of several.
static void normals(float *values, int64_t blocks) {
    enum { HALF = 8, SIDE = LANES < HALF ? LANES : HALF, SIDES = LANES / SIDE };
    const int64_t sides = blocks * HALF / SIDE;
    for (int64_t side = 0; side < sides; side += SIDES) {
        floats first = {0}, second = {0};
        const int64_t here = least(SIDES, sides - side);
        for (int64_t i = 0; i < here; i++) {
            const float *at = values + (side + i) * SIDE + (side + i) * SIDE / HALF * HALF;
            memcpy((float *)&first + i * SIDE, at, SIDE * sizeof *at);
            memcpy((float *)&second + i * SIDE, at + HALF, SIDE * sizeof *at);
        }
        normal_pairs(&first, &second);
        for (int64_t i = 0; i < here; i++) {
            float *at = values + (side + i) * SIDE + (side + i) * SIDE / HALF * HALF;
            memcpy(at, (float *)&first + i * SIDE, SIDE * sizeof *at);
            memcpy(at + HALF, (float *)&second + i * SIDE, SIDE * sizeof *at);
        }
    }
}

// ---- GELU ---------------------------------------------------------------------------------------

static void gelu(float *values, int64_t count, float root) {
    for (int64_t done = 0; done < count; done += LANES) {
        const size_t bytes = (size_t)least(LANES, count - done) * sizeof *values;
        floats x = {0};
        memcpy(&x, values + done, bytes);
        x = gelu_of(x, root);
        memcpy(values + done, &x, bytes);
    }
}

// ---- LayerNorm ----------------------------------------------------------------------------------

static void normalize(const struct norm *norm, int64_t first, int64_t rows) {
    const int64_t features = norm->features;
    for (int64_t done = 0; done < rows; done += ROWS_TOGETHER) {
        const int64_t here = least(ROWS_TOGETHER, rows - done);
        const float *at[ROWS_TOGETHER];
        of_rows squares[CHAINS];
        for (int64_t i = 0; i < ROWS_TOGETHER; i++)
            at[i] = norm->x + (first + done + (i < here ? i : 0)) * features;
        squares_of_rows(at, features, squares);
        for (int64_t i = 0; i < here; i++) {
            const float variance = (float)(squares[i / ROWS][i % ROWS] / (double)features);
            scale_row(at[i], norm->means[first + done + i], sqrtf(variance + norm->epsilon),
                      features, norm->result + (first + done + i) * features);
        }
    }
}

static double spin(int64_t rounds) {
    floats sums[SUMS];
    const floats factor = all(0.5F), addend = all(1);
    for (int i = 0; i < SUMS; i++) sums[i] = all((float)i);
    for (int64_t round = 0; round < rounds; round++) {
        for (int i = 0; i < SUMS; i++) sums[i] = fused(sums[i], factor, addend);
    }
    volatile float kept; // so that no compiler leaves the work out
    for (int i = 0; i < SUMS; i++) kept = sums[i][0];
    (void)kept;
    return 2.0 * (int)LANES * (int)SUMS * (double)rounds;
}

const struct kernel KERNEL = {
    .name = KERNEL_NAME,
    .width = WIDTH,
    .pack = pack,
    .unpack = unpack,
    .project = project,
    .attend = attend,
    .exponentials = exponentials,
    .normals = normals,
    .gelu = gelu,
    .normalize = normalize,
    .spin = spin,
};
