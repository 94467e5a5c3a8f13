#include "app/cache.h"

#include <inttypes.h>
#include <math.h>

enum {
    BYTES = 2, // of a number in bfloat16
    MOST_WAYS = 5,
};

// A row of the table: how many numbers of a token a layer keeps, and of how many tokens all layers together.
struct way {
    const char *name;
    const char *sum, *token_sum; // the same in words
    double numbers;
    int64_t tokens;
};

static double bytes_of(const struct way *way) {
    return way->numbers * (double)way->tokens * BYTES;
}

// "4,128"; "1,365.33" where heads do not divide the width.
static const char *amount(struct arena *arena, double number) {
    const double whole = floor(number);
    const char *digits = digits_grouped(arena, (int64_t)whole);
    return number == whole ? digits
                           : arena_format(arena, "%s%s", digits,
                                          arena_format(arena, "%.2f", number - whole) + 1);
}

static void add_row(struct text *text, const struct way *way, const struct way *plain) {
    const double bytes = bytes_of(way), all = bytes_of(plain);
    text_add_padded(text, way->name, 22, false);
    text_add_padded(text, amount(text->arena, way->numbers), 13, true);
    text_add_padded(text, digits_grouped(text->arena, (int64_t)round(bytes)), 18, true);
    text_add_format(text, " %9.2f %6.2fx %5.2f %%\n", bytes / 1e9, all / bytes,
                    100 - 100 * bytes / all);
}

static void add_sum(struct text *text, const struct way *way) {
    text_add_format(text, "  %s:\n    %s numbers x %s x %d bytes\n", way->name, way->sum,
                    way->token_sum, BYTES);
}

static const char *tokens_of_window(struct arena *arena, const struct cache_options *o) {
    const char *windowed = arena_format(arena, "%" PRId64 " x %s", o->layers - o->full_layers,
                                        digits_grouped(arena, o->window));
    if (o->full_layers == 0)
        return arena_format(arena, "%" PRId64 " layers x %s tokens", o->layers,
                            digits_grouped(arena, o->window));
    return arena_format(arena, "(%s + %" PRId64 " x %s) tokens", windowed, o->full_layers,
                        digits_grouped(arena, o->tokens));
}

// The ways that were asked for. `width` is what all query heads of a layer take together.
static int ways_of(struct arena *arena, const struct cache_options *o, int64_t width,
                   struct way ways[MOST_WAYS]) {
    const double head = (double)width / (double)o->heads;
    const int64_t groups = o->groups > 0 ? o->groups : o->heads;
    const int64_t full = o->layers * o->tokens;
    const int64_t part = (o->layers - o->full_layers) * o->window + o->full_layers * o->tokens;
    const char *head_sum =
        width % o->heads == 0
            ? digits_grouped(arena, width / o->heads)
            : arena_format(arena, "%s/%" PRId64, digits_grouped(arena, width), o->heads);
    const char *all_heads = arena_format(arena, "2 x %" PRId64 " heads x %s", o->heads, head_sum);
    const char *shared = arena_format(arena, "2 x %" PRId64 " heads x %s", groups, head_sum);
    const char *full_sum = arena_format(arena, "%" PRId64 " layers x %s tokens", o->layers,
                                        digits_grouped(arena, o->tokens));
    const char *part_sum = tokens_of_window(arena, o);
    const double full_cache = 2 * head * (double)o->heads, narrow = 2 * head * (double)groups;
    int count = 0;
    ways[count++] = (struct way){"plain", all_heads, full_sum, full_cache, full};
    if (o->groups > 0) ways[count++] = (struct way){"grouped", shared, full_sum, narrow, full};
    if (o->window > 0)
        ways[count++] = (struct way){"windowed", all_heads, part_sum, full_cache, part};
    if (o->groups > 0 && o->window > 0)
        ways[count++] = (struct way){"grouped and windowed", shared, part_sum, narrow, part};
    if (o->latent > 0)
        ways[count++] = (struct way){"latent", digits_grouped(arena, o->latent), full_sum,
                                     (double)o->latent, full};
    return count;
}

static void add_table(struct text *text, const struct cache_options *o, int64_t width) {
    struct way ways[MOST_WAYS];
    const int count = ways_of(text->arena, o, width, ways);
    text_add(text,
             "\n                      numbers of a\n"
             "                     token, a layer             bytes        GB smaller   saved\n");
    for (int i = 0; i < count; i++) add_row(text, &ways[i], &ways[0]);
    for (int i = 0; i < count; i++) add_sum(text, &ways[i]);
}

// What the model is, and how its cache is made smaller.
static const char *model_text(struct arena *arena, const struct cache_options *o) {
    struct text text = text_new(arena);
    text_add_format(&text, "Width %s, %" PRId64 " heads, %" PRId64 " layers, %s tokens.",
                    digits_grouped(arena, o->width), o->heads, o->layers,
                    digits_grouped(arena, o->tokens));
    if (o->groups > 0)
        text_add_format(&text,
                        " Grouped: %" PRId64 " key-value heads, each for %" PRId64 " query heads.",
                        o->groups, o->heads / o->groups);
    if (o->window > 0)
        text_add_format(
            &text, " Windowed: %" PRId64 " layers keep %s tokens, %" PRId64 " layers keep all.",
            o->layers - o->full_layers, digits_grouped(arena, o->window), o->full_layers);
    if (o->latent > 0)
        text_add_format(&text,
                        " Latent: keys and values are computed from %s numbers. DeepSeek's "
                        "models keep a rotary key beside them, which is not counted here.",
                        digits_grouped(arena, o->latent));
    return text.bytes;
}

static void add_words(struct text *text, const char *words) {
    enum { WIDTH = 80 };
    char **lines;
    const int count = text_wrap(text->arena, words, WIDTH, &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "%s\n", lines[i]);
}

// One table; two where the heads do not divide the width.
static void add_model(struct text *text, const struct cache_options *o) {
    const int64_t rounded = (o->width + o->heads - 1) / o->heads; // head_dim
    add_words(text, model_text(text->arena, o));
    if (o->width % o->heads != 0)
        text_add_format(text,
                        "%" PRId64 " heads do not divide %s.\n"
                        "With heads of %" PRId64 " numbers, rounded up as in the course:\n",
                        o->heads, digits_grouped(text->arena, o->width), rounded);
    add_table(text, o, rounded * o->heads);
    if (o->width % o->heads == 0) return;
    text_add(text, "\nWithout rounding:\n");
    add_table(text, o, o->width);
}

// ---- What goes together -------------------------------------------------------------------------

static void check_sizes(const struct cache_options *o, struct failure *failure) {
    if (o->heads > o->width)
        fail(failure, FAIL_USAGE,
             "%" PRId64 " heads are more than the width %" PRId64 ": each head needs a number",
             o->heads, o->width);
    if (o->groups > 0 && o->heads % o->groups != 0)
        fail(failure, FAIL_USAGE,
             "--groups %" PRId64 " does not divide %" PRId64
             " heads: each key-value head serves as many queries as the others",
             o->groups, o->heads);
    if (o->window > o->tokens)
        fail(failure, FAIL_USAGE,
             "--window %" PRId64 " is above the number of tokens, %" PRId64
             ": such a window hides nothing",
             o->window, o->tokens);
    if (o->full_layers > 0 && o->window == 0)
        fail(failure, FAIL_USAGE, "--full-layers needs --window: the other layers keep a window");
    if (o->full_layers > o->layers)
        fail(failure, FAIL_USAGE,
             "--full-layers %" PRId64 " is above the number of layers, %" PRId64, o->full_layers,
             o->layers);
}

// ---- The command --------------------------------------------------------------------------------

static const struct cache_options plain_example = {
    .width = 4096, .heads = 32, .layers = 32, .tokens = 32768};
static const struct cache_options examples[] = {
    {4096, 32, 32, 32768, .groups = 8, .window = 1024, .full_layers = 5},
    {2048, 24, 48, 8192, .latent = 1024},
};

static bool is_asked(const struct cache_options *o) {
    return o->width + o->heads + o->layers + o->tokens + o->groups + o->window + o->full_layers +
               o->latent >
           0;
}

static int64_t given(int64_t option, int64_t otherwise) {
    return option > 0 ? option : otherwise;
}

void add_cache_sizes(struct text *text, const struct cache_options *options) {
    text_add(
        text,
        "A model that writes keeps the keys and values of all tokens so far: its cache.\n"
        "Its bytes, in bfloat16, for a batch of one sentence. GB are 1,000,000,000 bytes.\n\n");
    if (is_asked(options)) {
        struct cache_options sized = *options;
        sized.width = given(sized.width, plain_example.width);
        sized.heads = given(sized.heads, plain_example.heads);
        sized.layers = given(sized.layers, plain_example.layers);
        sized.tokens = given(sized.tokens, plain_example.tokens);
        check_sizes(&sized, text->arena->failure);
        add_model(text, &sized);
    }
    for (size_t i = 0; !is_asked(options) && i < sizeof examples / sizeof *examples; i++) {
        text_add(text, i > 0 ? "\n" : "");
        add_model(text, &examples[i]);
    }
    if (!is_asked(options)) text_add(text, "\nFor sizes of your own: onestep memory --help\n");
}
