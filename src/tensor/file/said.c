#include "tensor/file/said.h"

#include <string.h>

#include "tensor/file/numeral.h"
#include "tensor/file/printed.h"

// Moves behind "[6, 2]" or "(6, 2)", whose opening bracket comes next, and keeps the sizes. Returns
// false, and stays, if it is something else.
static bool take_sizes(struct reading *reading, struct shape *shape) {
    const char *start = reading->next, end = *reading->next == '[' ? ']' : ')';
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

static bool take_shape(struct reading *reading, const struct numbers *numbers) {
    const char *start = reading->next;
    const bool is_call = skip_word(reading, "torch.Size(");
    const char *brackets = is_call ? "[" : "(";
    const bool opens = reading->next < reading->end && *reading->next == *brackets;
    struct shape shape;
    if (!opens || !take_sizes(reading, &shape) || (is_call && !skip_word(reading, ")"))) {
        reading->next = start;
        return false;
    }
    if (!shapes_equal(shape, numbers->shape))
        fail_at(reading, start, "this shape is not that of the numbers before it, which is %s",
                shape_text(reading->arena, numbers->shape));
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
    const char *place = reading->next;
    while (place < reading->end && strchr("\n[]{}\"", *place) == NULL && *place != ':' &&
           *place != '=')
        place++;
    if (place == reading->end || (*place != ':' && *place != '=')) return false;
    reading->next = place + 1;
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

void skip_what_is_said(struct reading *reading, struct numbers *numbers) {
    for (;;) {
        skip_blanks(reading);
        if (reading->next == reading->end) return;
        const char *start = reading->next;
        if (take_shape(reading, numbers) || take_type(reading) || take_behind(reading, numbers))
            continue;
        const bool has_caption = take_caption(reading);
        skip_blanks(reading);
        const bool is_said =
            has_caption && reading->next < reading->end &&
            (take_shape(reading, numbers) || take_type(reading) || take_behind(reading, numbers));
        if (!is_said)
            fail_at(reading, start,
                    "\"%s\" after the numbers: one tensor a file (take it out, or put brackets "
                    "around all rows)",
                    word_at(reading, start));
    }
}
