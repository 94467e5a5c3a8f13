#include "show/json.h"

#include <inttypes.h>
#include <math.h>

void json_add_string(struct text *text, const char *string) {
    if (string == NULL) {
        text_add(text, "null");
        return;
    }
    text_add(text, "\"");
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            text_add_format(text, "\\%c", *c);
        else if (*c == '\n')
            text_add(text, "\\n");
        else if ((unsigned char)*c < 0x20)
            text_add_format(text, "\\u%04x", (unsigned)*c);
        else
            text_add_bytes(text, c, 1);
    }
    text_add(text, "\"");
}

void json_add_number(struct text *text, double value) {
    if (isnan(value))
        text_add(text, "\"nan\"");
    else if (isinf(value))
        text_add(text, value > 0 ? "\"inf\"" : "\"-inf\"");
    else if (value == 0 && signbit(value))
        text_add(text, "-0.0"); // -0 is an integer to many readers, which loses its sign
    else
        text_add_format(text, "%.9g", value);
}

static void add_element(struct text *text, const struct tensor *tensor, const int64_t *index) {
    const double value = element(tensor, index);
    switch (tensor->storage->dtype) {
    case FLOAT32:
        json_add_number(text, value);
        break;
    case BOOL:
        text_add(text, value != 0 ? "true" : "false");
        break;
    case INT64:
        text_add_format(text, "%.0f", value);
        break;
    }
}

// The elements below index[0 ... dim - 1].
static void add_nested(struct text *text, const struct tensor *tensor, int64_t *index, int dim) {
    if (dim == tensor->ndim || dim == MAX_DIMS) {
        add_element(text, tensor, index);
        return;
    }
    text_add(text, "[");
    for (int64_t i = 0; i < tensor->shape[dim]; i++) {
        if (i > 0) text_add(text, ", ");
        index[dim] = i;
        add_nested(text, tensor, index, dim + 1);
    }
    text_add(text, "]");
}

void json_add_values(struct text *text, const struct tensor *tensor) {
    int64_t index[MAX_DIMS] = {0};
    add_nested(text, tensor, index, 0);
}

void json_add_integers(struct text *text, const int64_t *integers, int count) {
    text_add(text, "[");
    for (int i = 0; i < count; i++) {
        text_add_format(text, "%s%" PRId64, i > 0 ? ", " : "", integers[i]);
    }
    text_add(text, "]");
}
