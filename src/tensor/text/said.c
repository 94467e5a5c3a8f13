#include "tensor/text/printed.h"

#include <string.h>

#include "tensor/text/numeral.h"

// Moves behind "[6, 2]", "(6, 2)" or "{6,2}", whose opening bracket comes next, and keeps the sizes. Returns
// false, and stays, if it is something else.
static bool take_sizes(struct reading *reading, struct shape *shape) {
    const char *start = reading->next;
    const char end = *start == '[' ? ']' : *start == '(' ? ')' : '}';
    *shape = (struct shape){0};
    reading->next++;
    for (;;) {
        skip_blanks(reading);
        if (reading->next < reading->end && *reading->next == end) break;
        int64_t size = 0;
        int digits = 0;
        for (; reading->next < reading->end && *reading->next >= '0' && *reading->next <= '9';
             reading->next++, digits++) {
            if (digits < 9) size = size * 10 + (*reading->next - '0');
        }
        if (digits == 0 || shape->ndim == MAX_DIMS) {
            reading->next = start;
            return false;
        }
        shape->size[shape->ndim++] = size;
        skip_blanks(reading);
        (void)skip_word(reading, ",");
    }
    reading->next++;
    return true;
}

static bool opens_with(const struct reading *reading, char bracket) {
    return reading->next < reading->end && *reading->next == bracket;
}

// Behind a caption, "(6, 2)" may be any tensor's; `numbers` is NULL if they come later.
static bool take_shape(struct reading *reading, const struct numbers *numbers) {
    static const char *const forms[][2] = {{"torch.Size(", ")"}, {"Tensor[", NULL}, {"", ""}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct reading ahead = *reading;
        struct shape shape;
        if (!skip_word(&ahead, forms[i][0]) || !opens_with(&ahead, i < 2 ? '[' : '(') ||
            !take_sizes(&ahead, &shape))
            continue;
        const char *end = forms[i][1];
        if (end == NULL) { // candle's: ", f32]"
            while (ahead.next < ahead.end && *ahead.next != ']' && *ahead.next != '\n')
                ahead.next++;
            end = "]";
        }
        if (!skip_word(&ahead, end)) continue;
        if (numbers != NULL && !shapes_equal(shape, numbers->shape))
            fail_at(reading, reading->next,
                    "this shape is not that of the numbers before it, which is %s",
                    shape_text(reading->arena, numbers->shape));
        reading->next = ahead.next;
        return true;
    }
    return false;
}

// "[ CPUFloatType{6,2} ]", below the rows that C++ and R print.
static bool take_library_type(struct reading *reading, struct numbers *numbers) {
    struct reading ahead = *reading;
    struct shape shape;
    if (numbers->form != FORM_TABLE || !skip_word(&ahead, "[")) return false;
    skip_blanks(&ahead);
    while (ahead.next < ahead.end && !ends_word(*ahead.next)) ahead.next++;
    if (ahead.next - reading->next < 4 || memcmp(ahead.next - 4, "Type", 4) != 0 ||
        !opens_with(&ahead, '{') || !take_sizes(&ahead, &shape))
        return false;
    skip_blanks(&ahead);
    if (!skip_word(&ahead, "]")) return false;
    const int64_t columns = numbers->shape.size[1];
    const int64_t last = shape.ndim > 1 ? shape.size[shape.ndim - 1] : columns;
    if (count_of(shape) != count_of(numbers->shape) || last != columns)
        fail_at(reading, reading->next, "this shape is not that of the %lld rows of %lld before it",
                (long long)numbers->shape.size[0], (long long)columns);
    numbers->shape = shape;
    numbers->form = FORM_TENSOR;
    reading->next = ahead.next;
    return true;
}

static bool take_type(struct reading *reading) {
    static const char *const names[] = {"float32", "float64", "float16", "bfloat16",
                                        "int64",   "int32",   "bool"};
    const char *start = reading->next;
    if (!skip_word(reading, "torch.")) (void)skip_word(reading, "numpy.");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (skip_word(reading, names[i])) return true;
    }
    reading->next = start;
    return false;
}

// A caption: words up to a colon or an equals sign on the same line, of which the last is no bracket.
static bool take_caption(struct reading *reading) {
    const char *at = reading->next;
    while (at < reading->end && strchr("\n[]{}\"", *at) == NULL && *at != ':' && *at != '=') at++;
    if (at == reading->end || (*at != ':' && *at != '=')) return false;
    reading->next = at + 1;
    return true;
}

static void skip_to_line_end(struct reading *reading) {
    while (reading->next < reading->end && *reading->next != '\n') reading->next++;
}

// ">>> print(context)" and "In [5]: context", with all that was typed; of "Out[5]: ..." only the prompt.
static bool take_prompt(struct reading *reading) {
    struct reading ahead = *reading;
    const bool is_python = skip_word(&ahead, ">>>");
    const bool is_in = !is_python && skip_word(&ahead, "In [");
    if (!is_python && !is_in && !skip_word(&ahead, "Out[")) return false;
    if (!is_python) {
        while (ahead.next < ahead.end && *ahead.next >= '0' && *ahead.next <= '9') ahead.next++;
        if (!skip_word(&ahead, "]:")) return false;
    }
    if (is_python || is_in) skip_to_line_end(&ahead);
    reading->next = ahead.next;
    return true;
}

// One number, alone or as tensor(1.7565); `numbers` may have one behind it.
static bool take_behind(struct reading *reading, struct numbers *numbers) {
    if (numbers->behind != NULL || numbers->shape.ndim == 0) return false;
    struct reading ahead = *reading, inside = *reading;
    struct numeral numeral;
    const bool is_call = skip_word(&inside, "tensor(");
    if (!take_numeral(&inside, &numeral)) return false;
    const bool ends = inside.next == inside.end || is_blank(*inside.next);
    if (!is_call && !ends) return false;
    struct numbers *behind = arena_allocate(reading->arena, sizeof *behind);
    *behind = is_call ? read_call(&ahead) : read_brackets(&ahead, FORM_LIST);
    numbers->behind = behind;
    reading->next = ahead.next;
    return true;
}

// "Context shape: (6, 2)" or "torch.Size([6, 2])" and nothing else in the line.
static bool take_line(struct reading *reading) {
    struct reading ahead = *reading;
    if (!take_shape(&ahead, NULL)) {
        if (!take_caption(&ahead)) return false;
        skip_blanks(&ahead);
        if (!take_shape(&ahead, NULL) && !take_type(&ahead)) return false;
    }
    const char *end = ahead.next;
    skip_to_line_end(&ahead);
    for (; end < ahead.next; end++) {
        if (!is_blank(*end)) return false;
    }
    reading->next = ahead.next;
    return true;
}

void skip_what_is_said_before(struct reading *reading) {
    struct reading ahead = *reading;
    while (take_prompt(&ahead) || take_line(&ahead)) {
        skip_blanks(&ahead);
        if (ahead.next < ahead.end) *reading = ahead;
    }
}

static bool take_said(struct reading *reading, struct numbers *numbers) {
    return take_shape(reading, numbers) || take_type(reading) || take_behind(reading, numbers);
}

void skip_what_is_said(struct reading *reading, struct numbers *numbers) {
    for (;;) {
        skip_blanks(reading);
        if (reading->next == reading->end) return;
        const char *start = reading->next;
        if (take_said(reading, numbers) || take_prompt(reading) ||
            take_library_type(reading, numbers))
            continue;
        const bool has_caption = take_caption(reading);
        skip_blanks(reading);
        if (!has_caption || reading->next == reading->end || !take_said(reading, numbers))
            fail_at(reading, start,
                    "\"%s\" after the numbers: one tensor a file (take it out, or put brackets "
                    "around all rows)",
                    word_at(reading, start));
    }
}
