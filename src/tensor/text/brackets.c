#include "tensor/text/printed.h"

#include <string.h>

#include "tensor/text/numeral.h"

// ---- Brackets -----------------------------------------------------------------------------------

enum divider { UNKNOWN, COMMAS, BLANKS };

// Brackets as they are being read. Depth 0 is outside of all.
struct brackets {
    struct reading *reading;
    struct collector collector;
    int depth;                          // brackets open now
    int ndim;                           // -1 before the first number
    int64_t count[MAX_DIMS + 1];        // items so far in the bracket open at each depth
    int64_t size[MAX_DIMS + 1];         // items of those that were closed, -1 before the first
    enum divider divider[MAX_DIMS + 1]; // what stands between items
    const char *comma;                  // after the last item; NULL if there is none
    const char *glued;                  // the first comma between two digits; NULL if there is none
    bool has_gaps, alternates;          // commas with a blank; these and the glued ones in turn
    bool has_calls;                     // tensors or arrays are items
};

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

_Noreturn static void fail_cut(const struct reading *reading, const char *at) {
    fail_at(reading, at,
            "cut with \"...\": print the whole tensor, after "
            "torch.set_printoptions(threshold=1_000_000) or "
            "numpy.set_printoptions(threshold=1_000_000)");
}

// In "0,43, 0,15" each second comma stands between digits. Python never prints that, but people write it.
_Noreturn static void fail_decimal_comma(const struct brackets *brackets) {
    const struct reading *reading = brackets->reading;
    const char *start = brackets->glued, *end = brackets->glued + 1;
    while (start > reading->start && is_digit(start[-1])) start--;
    while (end < reading->end && is_digit(*end)) end++;
    const char *whole = arena_copy_bytes(reading->arena, start, (size_t)(brackets->glued - start));
    const char *part =
        arena_copy_bytes(reading->arena, brackets->glued + 1, (size_t)(end - brackets->glued - 1));
    fail_at(reading, start,
            "decimal commas: \"%s,%s\" is read as two numbers; write %s.%s, with a point", whole,
            part, whole, part);
}

// A comma behind an item: what stands on both sides of it.
static void note_comma(struct brackets *brackets) {
    const struct reading *reading = brackets->reading;
    const char *comma = brackets->comma;
    const bool is_glued = comma > reading->start && is_digit(comma[-1]) &&
                          comma + 1 < reading->end && is_digit(comma[1]);
    const bool is_inside = brackets->count[brackets->depth] % 2 == 1; // of a number
    if (is_glued && brackets->glued == NULL) brackets->glued = comma;
    if (!is_glued) brackets->has_gaps = true;
    if (is_glued != is_inside) brackets->alternates = false;
}

// An item begins: what stands before it, and what kind it is, must be as in the items before.
static void begin_item(struct brackets *brackets, bool is_number) {
    const struct reading *reading = brackets->reading;
    const int depth = brackets->depth;
    if (brackets->count[depth] > 0) {
        const enum divider divider = brackets->comma != NULL ? COMMAS : BLANKS;
        if (brackets->divider[depth] == UNKNOWN) brackets->divider[depth] = divider;
        if (brackets->divider[depth] != divider && brackets->glued != NULL)
            fail_decimal_comma(brackets);
        if (brackets->divider[depth] != divider)
            fail_at(reading, reading->next, "%s",
                    divider == BLANKS ? "a comma is missing before this"
                                      : "a comma before this, where the others have none");
    }
    if (brackets->ndim >= 0 && is_number && depth != brackets->ndim)
        fail_at(reading, reading->next, "a number where a bracket should open");
    if (brackets->ndim >= 0 && !is_number && depth == brackets->ndim)
        fail_at(reading, reading->next, "a bracket opens where a number should be");
    brackets->count[depth]++;
    brackets->comma = NULL;
}

static void open_bracket(struct brackets *brackets) {
    if (brackets->depth == MAX_DIMS)
        fail_at(brackets->reading, brackets->reading->next,
                "brackets %d deep: a tensor has at most %d dimensions", MAX_DIMS + 1, MAX_DIMS);
    begin_item(brackets, false);
    brackets->count[++brackets->depth] = 0;
    brackets->reading->next++;
}

static void close_bracket(struct brackets *brackets) {
    const struct reading *reading = brackets->reading;
    const int64_t count = brackets->count[brackets->depth];
    int64_t *size = &brackets->size[brackets->depth];
    if (count == 0) fail_at(reading, reading->next, "nothing between these brackets");
    if (*size >= 0 && count != *size) {
        const char *what = brackets->depth == brackets->ndim ? "number" : "row";
        fail_at(reading, reading->next, "%lld %s%s here, %lld in the brackets before",
                (long long)count, what, count == 1 ? "" : "s", (long long)*size);
    }
    *size = count;
    brackets->depth--;
    brackets->comma = NULL; // Python allows one after the last item
    brackets->reading->next++;
}

// "inf", "-inf", "nan" in quotes, as JSON needs them.
static bool take_quoted_word(struct reading *reading, struct numeral *numeral) {
    const char *start = reading->next;
    if (!skip_word(reading, "\"")) return false;
    const bool is_word = take_numeral(reading, numeral) && numeral->decimals == EXACT;
    if (is_word && skip_word(reading, "\"")) return true;
    reading->next = start;
    return false;
}

// A scalar as NumPy 2 shows it: np.float32(0.43), np.True_.
static bool take_scalar(struct reading *reading, struct numeral *numeral) {
    static const struct numeral truth = {.value = 1, .decimals = EXACT};
    static const struct numeral falsehood = {.value = 0, .decimals = EXACT};
    const char *start = reading->next;
    if (!skip_word(reading, "np.")) return false;
    const bool is_true = skip_word(reading, "True_"), is_false = skip_word(reading, "False_");
    if (is_true || is_false) {
        *numeral = is_true ? truth : falsehood;
        return true;
    }
    while (reading->next < reading->end && !ends_word(*reading->next)) reading->next++;
    if (skip_word(reading, "(") && take_numeral(reading, numeral) && skip_word(reading, ")"))
        return true;
    reading->next = start;
    return false;
}

static void take_number(struct brackets *brackets) {
    struct reading *reading = brackets->reading;
    const char *at = reading->next;
    struct numeral numeral;
    begin_item(brackets, true);
    if (!take_numeral(reading, &numeral) && !take_quoted_word(reading, &numeral) &&
        !take_scalar(reading, &numeral))
        fail_at(reading, at, "\"%s\" is not a number", word_at(reading, at));
    collect(&brackets->collector, &numeral, at);
    if (brackets->ndim < 0) brackets->ndim = brackets->depth;
}

static void take_comma(struct brackets *brackets) {
    const struct reading *reading = brackets->reading;
    if (brackets->count[brackets->depth] == 0 || brackets->comma != NULL)
        fail_at(reading, reading->next, "nothing before this comma");
    brackets->comma = brackets->reading->next++;
    if (brackets->depth == brackets->ndim) note_comma(brackets);
}

static bool is_cut_here(const struct reading *reading) {
    return reading->end - reading->next >= 3 && memcmp(reading->next, "...", 3) == 0;
}

// Moves to the ")" that closes the call, over dtype=..., grad_fn=<...>, size=(...) and the like.
static void skip_suffixes(struct reading *reading) {
    int depth = 0; // round brackets open inside
    for (; reading->next < reading->end; reading->next++) {
        if (*reading->next == '[')
            fail_at(reading, reading->next, "brackets after the numbers: one tensor a file");
        if (*reading->next == '(') depth++;
        if (*reading->next == ')' && depth-- == 0) return;
    }
    fail_at(reading, reading->next, "the file ends here, before the \")\" of tensor( or array(");
}

// An item that is a tensor or an array itself, in a list of them, counts as its numbers: its name is passed
// over here, its end where the next item is looked for.
static bool take_inner_call(struct brackets *brackets) {
    struct reading *reading = brackets->reading;
    if (skip_word(reading, "tensor(") || skip_word(reading, "array(")) {
        brackets->has_calls = true;
        return true;
    }
    if (!brackets->has_calls) return false;
    struct reading ahead = *reading;
    if (skip_word(&ahead, ",")) skip_blanks(&ahead);
    static const char *const suffixes[] = {"dtype=", "grad_fn=", "requires_grad=", "device="};
    bool is_end = skip_word(reading, ")");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !is_end; i++) {
        if (!skip_word(&ahead, suffixes[i])) continue;
        *reading = ahead;
        skip_suffixes(reading);
        reading->next++;
        is_end = true;
    }
    return is_end;
}

static void take_item(struct brackets *brackets) {
    struct reading *reading = brackets->reading;
    skip_blanks(reading);
    if (reading->next == reading->end)
        fail_at(reading, reading->next, "the file ends here, with %d bracket%s open",
                brackets->depth, brackets->depth == 1 ? "" : "s");
    if (is_cut_here(reading)) fail_cut(reading, reading->next);
    if (take_inner_call(brackets)) return;
    switch (*reading->next) {
    case '[':
        open_bracket(brackets);
        break;
    case ']':
        close_bracket(brackets);
        break;
    case ',':
        take_comma(brackets);
        break;
    default:
        take_number(brackets);
        break;
    }
}

struct numbers read_brackets(struct reading *reading, enum form form) {
    struct brackets brackets = {
        .reading = reading, .collector.reading = reading, .ndim = -1, .alternates = true};
    for (int depth = 0; depth <= MAX_DIMS; depth++) brackets.size[depth] = -1;
    skip_blanks(reading);
    if (reading->next == reading->end) fail_at(reading, reading->next, "no numbers here");
    const bool is_bracket = *reading->next == '[';
    if (is_bracket)
        open_bracket(&brackets);
    else
        take_number(&brackets);
    if (!is_bracket && reading->end - reading->next > 1 && reading->next[0] == ',' &&
        is_digit(reading->next[1])) {
        brackets.glued = reading->next; // tensor(1,7918)
        fail_decimal_comma(&brackets);
    }
    while (brackets.depth > 0) take_item(&brackets);
    if (brackets.glued != NULL && brackets.has_gaps && brackets.alternates)
        fail_decimal_comma(&brackets);
    struct shape shape = {.ndim = brackets.ndim};
    for (int dim = 0; dim < shape.ndim; dim++) shape.size[dim] = brackets.size[dim + 1];
    const bool has_blanks = shape.ndim > 0 && brackets.divider[shape.ndim] == BLANKS;
    if (form == FORM_LIST && has_blanks) form = FORM_ARRAY;
    if (form == FORM_LIST && brackets.has_calls) form = FORM_TENSOR;
    return collected(&brackets.collector, form, shape);
}

// ---- tensor(...) and array(...) -----------------------------------------------------------------

struct numbers read_call(struct reading *reading) {
    const bool is_tensor_call = skip_word(reading, "tensor(");
    if (!is_tensor_call) (void)skip_word(reading, "array(");
    const struct numbers numbers =
        read_brackets(reading, is_tensor_call ? FORM_TENSOR : FORM_ARRAY);
    skip_blanks(reading);
    const bool ends = reading->next < reading->end && strchr(",)", *reading->next) != NULL;
    if (reading->next < reading->end && !ends)
        fail_at(reading, reading->next,
                "\"%s\" after the numbers, where a comma or \")\" should be",
                word_at(reading, reading->next));
    skip_suffixes(reading);
    reading->next++;
    (void)skip_word(reading, ">"); // <tf.Tensor: ... array(...)>
    return numbers;
}

struct numbers read_record(struct reading *reading) {
    const char *start = reading->next;
    while (reading->next < reading->end && *reading->next != '[') reading->next++;
    const struct numbers numbers = read_brackets(reading, FORM_LIST);
    const char *end = memchr(reading->next, '}', (size_t)(reading->end - reading->next));
    if (end == NULL) fail_at(reading, start, "a tensor opens here and is never closed with \"}\"");
    reading->next = end + 1;
    return numbers;
}

// ---- JSON objects -------------------------------------------------------------------------------

// Moves behind a string; returns its length without the quotes.
static size_t skip_string(struct reading *reading) {
    const char *quote = reading->next++;
    while (reading->next < reading->end && *reading->next != '"') {
        const bool is_escape = *reading->next == '\\' && reading->next + 1 < reading->end;
        reading->next += is_escape ? 2 : 1;
    }
    if (reading->next >= reading->end)
        fail_at(reading, quote, "a string opens here and is never closed");
    return (size_t)(reading->next++ - quote - 1);
}

// Where the numbers of an object are: its list called "values", or the only list that it has.
struct member {
    const char *values, *only, *second; // what stands behind the colons; NULL without
};

// Looks at a name and what is behind its colon; moves behind the name.
static void note_member(struct reading *reading, struct member *member) {
    static const char VALUES[] = "values";
    const char *at = reading->next, *name = reading->next + 1;
    const size_t length = skip_string(reading);
    const bool is_values = length == sizeof VALUES - 1 && memcmp(name, VALUES, length) == 0;
    struct reading ahead = *reading;
    skip_blanks(&ahead);
    if (!skip_word(&ahead, ":")) return;
    skip_blanks(&ahead);
    if (is_values && member->values != NULL)
        fail_at(reading, at, "a second list called \"values\": one step a file (print --step S)");
    if (is_values) member->values = ahead.next;
    const bool is_list = ahead.next < ahead.end && *ahead.next == '[';
    if (!is_list) return;
    if (member->only == NULL)
        member->only = ahead.next;
    else if (member->second == NULL)
        member->second = at;
}

struct numbers read_object(struct reading *reading) {
    const char *start = reading->next;
    struct member member = {0};
    while (reading->next < reading->end) {
        if (*reading->next == '"')
            note_member(reading, &member);
        else
            reading->next++;
    }
    if (member.values == NULL && member.second != NULL)
        fail_at(reading, member.second,
                "a second list in this object: one tensor a file, or call one \"values\"");
    if (member.values == NULL && member.only == NULL)
        fail_at(reading, start, "an object of JSON without a list of numbers");
    reading->next = member.values != NULL ? member.values : member.only;
    const struct numbers numbers = read_brackets(reading, FORM_LIST);
    reading->next = reading->end;
    return numbers;
}
