#include "trace/run/list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/ops.h"
#include "tensor/text/digits.h"

// ---- One number after the other -----------------------------------------------------------------

// A number of a list as it is written, and what stands behind it: ',', ';', or NUL at the end.
struct item {
    char text[32]; // "" if it is longer
    char end;
};

// Takes the number at *next and moves behind its separator; *next is NULL behind the last one.
static bool next_item(const char **next, struct item *item) {
    if (*next == NULL) return false;
    const size_t length = strcspn(*next, ",;");
    *item = (struct item){.end = (*next)[length]};
    if (length < sizeof item->text) memcpy(item->text, *next, length);
    *next = item->end != '\0' ? *next + length + 1 : NULL;
    return true;
}

// ---- What may be listed -------------------------------------------------------------------------

// How many numbers a list has that all pass; 0 if one does not, or if nothing stands between two separators.
static int count_passing(const char *list, bool (*passes)(const char *text, double number)) {
    int count = 0;
    double number;
    struct item item;
    for (const char *next = list; next_item(&next, &item); count++) {
        if (!read_decimal(item.text, &number) || !passes(item.text, number)) return 0;
    }
    return count;
}

static bool is_id(const char *text, double number) {
    return strspn(text, "0123456789") == strlen(text) && number <= MOST_ID;
}

static bool is_logit(const char *text, double number) {
    (void)text;
    return fabs(number) <= 1000;
}

static bool is_temperature(const char *text, double number) {
    (void)text;
    return number >= 0.01 && number <= 100;
}

// ---- Reading ------------------------------------------------------------------------------------

static const char **field_of(struct parameters *parameters, const struct parameter *parameter) {
    return (const char **)(void *)((char *)parameters + parameter->offset);
}

static bool read_list(struct parameters *parameters, const struct parameter *parameter,
                      const char *value, int count, int most) {
    if (count == 0 || count > most || strchr(value, ';') != NULL) return false;
    *field_of(parameters, parameter) = value;
    return true;
}

static bool read_logits(struct parameters *parameters, const struct parameter *parameter,
                        const char *value) {
    return read_list(parameters, parameter, value, count_passing(value, is_logit), MOST_LISTED);
}

static bool read_temperatures(struct parameters *parameters, const struct parameter *parameter,
                              const char *value) {
    const int count = count_passing(value, is_temperature);
    return read_list(parameters, parameter, value, count, MOST_TEMPERATURES);
}

static bool is_length(const char *text, double number) {
    return strspn(text, "0123456789") == strlen(text) && number >= 1 && number <= MOST_LISTED;
}

static bool read_lengths(struct parameters *parameters, const struct parameter *parameter,
                         const char *value) {
    const int count = count_passing(value, is_length);
    return read_list(parameters, parameter, value, count, MOST_SENTENCES);
}

static const char *possible_lengths(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena, "whole numbers, 1 ... %d, with commas between them (at most %d)",
                        MOST_LISTED, MOST_SENTENCES);
}

// How many ids the first sentence has.
static int64_t sentence_count(const char *ids, int64_t *tokens) {
    int64_t sentences = 1;
    *tokens = 1;
    for (const char *c = ids; *c != '\0'; c++) {
        if (*c == ';') sentences++;
        if (*c == ',' && sentences == 1) (*tokens)++;
    }
    return sentences;
}

static bool read_ids(struct parameters *parameters, const struct parameter *parameter,
                     const char *value) {
    int64_t tokens, in_sentence = 0;
    struct item item;
    if (count_passing(value, is_id) == 0 || sentence_count(value, &tokens) > MOST_SENTENCES)
        return false;
    for (const char *next = value; next_item(&next, &item);) {
        if (++in_sentence > MOST_IDS) return false;
        if (item.end == ';') in_sentence = 0;
    }
    *field_of(parameters, parameter) = value;
    return true;
}

static const char *list_text(struct arena *arena, const struct parameters *parameters,
                             const struct parameter *parameter) {
    (void)arena;
    const char *list = *(const char *const *)((const char *)parameters + parameter->offset);
    return list == NULL ? "" : list;
}

static const char *possible_ids(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena,
                        "whole numbers, 0 ... %d, with commas between them (at most %d; a "
                        "semicolon between sentences, at most %d)",
                        MOST_ID, MOST_IDS, MOST_SENTENCES);
}

static const char *possible_logits(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena, "numbers, -1000 ... 1000, with commas between them (at most %d)",
                        MOST_LISTED);
}

static const char *possible_temperatures(struct arena *arena, const struct parameter *parameter) {
    (void)parameter;
    return arena_format(arena,
                        "numbers, 0.01 ... 100, with commas between them (at most %d; temperature "
                        "0 means the most likely word, the step most_likely)",
                        MOST_TEMPERATURES);
}

// ---- What is switched off -----------------------------------------------------------------------

// "4" or "3.5", up to a comma: a block, and a head or 0. Returns what stands behind it; NULL if it is neither.
static const char *read_place(const char *text, int64_t *block, int64_t *head) {
    enum { MOST_DIGITS = 4 };
    const size_t first = strspn(text, "0123456789");
    *block = strtoll(text, NULL, 10);
    *head = 0;
    if (first == 0 || first > MOST_DIGITS || *block == 0) return NULL;
    text += first;
    if (*text != '.') return *text == '\0' || *text == ',' ? text : NULL;
    const size_t second = strspn(++text, "0123456789");
    *head = strtoll(text, NULL, 10);
    if (second == 0 || second > MOST_DIGITS || *head == 0) return NULL;
    text += second;
    return *text == '\0' || *text == ',' ? text : NULL;
}

static bool read_off(struct parameters *parameters, const struct parameter *parameter,
                     const char *value) {
    for (const char *next = value;; next++) {
        int64_t block, head;
        next = read_place(next, &block, &head);
        if (next == NULL) return false;
        if (*next == '\0') break;
    }
    *field_of(parameters, parameter) = value;
    return true;
}

static const char *possible_off(struct arena *arena, const struct parameter *parameter) {
    (void)arena, (void)parameter;
    return "blocks (4) and heads of blocks (3.5), with commas between them";
}

bool is_switched_off(const char *list, int64_t block, int64_t head) {
    for (const char *next = list; next != NULL && *next != '\0'; next += *next == ',') {
        int64_t its_block, own_head;
        next = read_place(next, &its_block, &own_head);
        if (next == NULL) return false;
        if (its_block == block && own_head == head) return true;
    }
    return false;
}

struct furthest furthest_off(const char *list) {
    struct furthest furthest = {0, 0};
    for (const char *next = list; next != NULL && *next != '\0'; next += *next == ',') {
        int64_t block, head;
        next = read_place(next, &block, &head);
        if (next == NULL) break;
        if (block > furthest.block) furthest.block = block;
        if (head > furthest.head) furthest.head = head;
    }
    return furthest;
}

const struct parameter_kind off_kind = {.read = read_off,
                                        .text = list_text,
                                        .possible = possible_off,
                                        .form = FORM_WORDS,
                                        .separator = ","};
const struct parameter_kind lengths_kind = {
    .read = read_lengths, .text = list_text, .possible = possible_lengths, .form = FORM_NUMBERS};
const struct parameter_kind ids_kind = {.read = read_ids,
                                        .text = list_text,
                                        .possible = possible_ids,
                                        .form = FORM_NUMBERS,
                                        .separator = ";"};
const struct parameter_kind logits_kind = {
    .read = read_logits, .text = list_text, .possible = possible_logits, .form = FORM_NUMBERS};
const struct parameter_kind temperatures_kind = {.read = read_temperatures,
                                                 .text = list_text,
                                                 .possible = possible_temperatures,
                                                 .form = FORM_NUMBERS,
                                                 .separator = ","};

// ---- What is listed -----------------------------------------------------------------------------

// A number as JSON writes it: "+1." is 1.
static const char *number_json(struct arena *arena, const char *number) {
    if (strspn(number, "0123456789") == strlen(number))
        return arena_format(arena, "%lld", strtoll(number, NULL, 10));
    const char *text = shortest_decimal(arena, strtod(number, NULL), FLOAT64);
    return strcmp(text, "-0") == 0 ? "-0.0" : text; // Python's -0 is 0
}

const char *list_json(struct arena *arena, const char *list) {
    const bool is_nested = strchr(list, ';') != NULL;
    struct text text = text_new(arena);
    struct item item;
    text_add(&text, is_nested ? "[[" : "[");
    for (const char *next = *list != '\0' ? list : NULL; next_item(&next, &item);) {
        text_add(&text, number_json(arena, item.text));
        if (item.end != '\0') text_add(&text, item.end == ';' ? "], [" : ", ");
    }
    text_add(&text, is_nested ? "]]" : "]");
    return text.bytes;
}

int numbers_listed(const char *list, double *numbers) {
    int count = 0;
    struct item item;
    for (const char *next = list; next_item(&next, &item);)
        numbers[count++] = strtod(item.text, NULL);
    return count;
}

int lengths_given(const struct run *run, double *lengths) {
    const int64_t tokens = size_along(&run->inputs, AXIS_TOKEN);
    const int count = numbers_listed(run->parameters.lengths, lengths);
    for (int i = 0; i < count; i++) {
        if (lengths[i] <= (double)tokens) continue;
        fail(run->memory->failure, FAIL_USAGE,
             "%s: a length of %g is above the number of tokens; each of --lengths can be 1 ... "
             "%" PRId64,
             run->lesson->name, lengths[i], tokens);
    }
    return count;
}

// The ids of a lesson are those of its own text: of a text with fewer words they are the first words, as many as there are ids.
static void keep_ids_known(struct run *run, int64_t tokens) {
    struct parameters *p = &run->parameters;
    struct item item;
    bool is_known = true;
    for (const char *next = p->ids; next_item(&next, &item);)
        is_known = is_known && strtoll(item.text, NULL, 10) < p->vocabulary;
    if (is_known || p->given & USES_IDS) return;
    p->ids = "";
    for (int64_t id = 0; id < tokens && id < p->vocabulary; id++)
        p->ids = arena_format(run->memory, "%s%s%" PRId64, p->ids, id > 0 ? "," : "", id);
}

// The ids of all sentences, each of which must have as many.
static void take_ids(const struct run *run, int64_t tokens, int64_t *id) {
    const struct parameters *p = &run->parameters;
    struct failure *failure = run->memory->failure;
    const char *name = run->lesson->name;
    int64_t in_sentence = 0;
    struct item item;
    for (const char *next = p->ids; next_item(&next, &item);) {
        const int64_t number = strtoll(item.text, NULL, 10);
        if (number >= p->vocabulary)
            fail(failure, FAIL_USAGE,
                 "%s: id %" PRId64 " is not in a vocabulary of %" PRId64 "; ids are 0 ... %" PRId64,
                 name, number, p->vocabulary, p->vocabulary - 1);
        if (in_sentence++ < tokens) *id++ = number;
        if (item.end == ',') continue;
        if (in_sentence != tokens)
            fail(failure, FAIL_USAGE,
                 "%s: one sentence has %" PRId64 " ids and another %" PRId64
                 "; all need the same number",
                 name, tokens, in_sentence);
        in_sentence = 0;
    }
}

// The words of ids in a row.
static const char *const *words_of(const struct run *run, const struct tensor *ids,
                                   const char *const *words) {
    const int64_t count = count_of(shape_of(ids));
    const char **named = arena_array(run->memory, (size_t)count, sizeof *named);
    for (int64_t i = 0; i < count; i++) named[i] = words[(int64_t)element_at(ids, i)];
    return named;
}

struct tensor ids_given(struct run *run, const char *const *words) {
    struct parameters *p = &run->parameters;
    int64_t tokens, sentences = sentence_count(p->ids, &tokens);
    keep_ids_known(run, tokens);
    sentences = sentence_count(p->ids, &tokens);
    if (p->context_length == 0) p->context_length = tokens;
    if (tokens > p->context_length)
        fail(run->memory->failure, FAIL_USAGE,
             "%s: %" PRId64 " ids are more than a --context-length of %" PRId64
             "; it must be at least %" PRId64,
             run->lesson->name, tokens, p->context_length, tokens);
    const struct tensor ids = tensor_given(run->memory, INT64, SHAPE(sentences, tokens));
    take_ids(run, tokens, ids.storage->data);
    ids.storage->words = words;
    ids.storage->word_count = p->vocabulary;
    const struct tensor named = set_matrix(ids, AXIS_BATCH, AXIS_TOKEN);
    return sentences == 1 ? label_axis(named, 1, words_of(run, &ids, words)) : named;
}

struct tensor target_ids(struct run *run) {
    const struct axis *tokens = &run->inputs.axis[find_axis(&run->inputs, AXIS_TOKEN)];
    const char **words = arena_array(run->memory, MOST_TARGETS, sizeof *words);
    const struct tensor ids = tensor_given(run->memory, INT64, SHAPE(run->target_count));
    for (int i = 0; i < run->target_count; i++) {
        ((int64_t *)ids.storage->data)[i] = run->targets[i];
        words[i] = tokens->labels[run->targets[i]];
    }
    return label_axis(set_axis(ids, 0, AXIS_TOKEN), 0, words);
}
