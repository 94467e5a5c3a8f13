#include "show/json.h"

#include <inttypes.h>
#include <math.h>

struct json json_new(struct text *text) {
    return (struct json){.text = text};
}

// ---- Commas and lines ---------------------------------------------------------------------------

static void add_line_break(struct json *json) {
    text_add(json->text, "\n");
    text_add_repeated(json->text, " ", json->depth);
}

void json_line(struct json *json) {
    json->wants_line = true;
}

// What stands before a value: a comma behind the one before it, a blank or a new line, its name.
static void begin_value(struct json *json, const char *name) {
    if (json->depth > 0) {
        struct json_level *level = &json->levels[json->depth - 1];
        if (level->has_values) text_add_bytes(json->text, ", ", json->wants_line ? 1 : 2);
        if (!level->has_values) level->has_lines = json->wants_line;
        if (json->wants_line) add_line_break(json);
        level->has_values = true;
    }
    json->wants_line = false;
    if (name != NULL) text_add_format(json->text, "\"%s\": ", name);
}

static void open_level(struct json *json, const char *name, const char *start, char end) {
    if (json->depth == JSON_MOST_LEVELS)
        fail(json->text->arena->failure, FAIL_RUNTIME, "JSON more than %d levels deep",
             JSON_MOST_LEVELS);
    begin_value(json, name);
    text_add_bytes(json->text, start, 1);
    json->levels[json->depth++] = (struct json_level){.end = end};
}

void json_open_object(struct json *json, const char *name) {
    open_level(json, name, "{", '}');
}

void json_open_list(struct json *json, const char *name) {
    open_level(json, name, "[", ']');
}

void json_close(struct json *json) {
    const struct json_level *level = &json->levels[--json->depth];
    if (level->has_lines) add_line_break(json);
    text_add_bytes(json->text, &level->end, 1);
    if (json->depth == 0) text_add(json->text, "\n");
}

// ---- Values -------------------------------------------------------------------------------------

static bool is_plain(char byte) {
    return (unsigned char)byte >= 0x20 && byte != '"' && byte != '\\';
}

void json_add_string(struct json *json, const char *name, const char *string) {
    struct text *text = json->text;
    begin_value(json, name);
    if (string == NULL) {
        text_add(text, "null");
        return;
    }
    text_add(text, "\"");
    for (const char *c = string; *c != '\0';) {
        const char *plain = c;
        while (is_plain(*c)) c++;
        text_add_bytes(text, plain, (size_t)(c - plain));
        if (*c == '"' || *c == '\\')
            text_add_format(text, "\\%c", *c++);
        else if (*c == '\n')
            text_add(text, "\\n"), c++;
        else if (*c != '\0')
            text_add_format(text, "\\u%04x", (unsigned)*c++);
    }
    text_add(text, "\"");
}

void json_add_number(struct json *json, const char *name, double value) {
    if (!isfinite(value)) {
        json_add_string(json, name, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    begin_value(json, name);
    if (value == 0 && signbit(value))
        text_add(json->text, "-0.0"); // -0 is an integer to many readers, which loses its sign
    else
        text_add_format(json->text, "%.9g", value);
}

void json_add_integer(struct json *json, const char *name, int64_t value) {
    begin_value(json, name);
    text_add_format(json->text, "%" PRId64, value);
}

void json_add_raw(struct json *json, const char *name, const char *value) {
    begin_value(json, name);
    text_add(json->text, value);
}

void json_add_bool(struct json *json, const char *name, bool value) {
    json_add_raw(json, name, value ? "true" : "false");
}

// ---- Lists --------------------------------------------------------------------------------------

void json_add_integers(struct json *json, const char *name, const int64_t *integers, int count) {
    json_open_list(json, name);
    for (int i = 0; i < count; i++) json_add_integer(json, NULL, integers[i]);
    json_close(json);
}

void json_add_strings(struct json *json, const char *name, const char *const *strings,
                      int64_t count) {
    json_open_list(json, name);
    for (int64_t i = 0; i < count; i++) json_add_string(json, NULL, strings[i]);
    json_close(json);
}

// A tensor as it is being written, at one of its places.
struct nesting {
    struct json *json;
    const struct tensor *tensor;
    int64_t index[MAX_DIMS];
};

static void add_element(const struct nesting *nesting, const char *name) {
    const double value = element(nesting->tensor, nesting->index);
    switch (nesting->tensor->storage->dtype) {
    case FLOAT32:
    case FLOAT64:
        json_add_number(nesting->json, name, value);
        break;
    case BOOL:
        json_add_bool(nesting->json, name, value != 0);
        break;
    case INT64:
    case INT32:
        json_add_integer(nesting->json, name, (int64_t)value);
        break;
    }
}

// The elements below index[0 ... dim - 1].
static void add_nested(struct nesting *nesting, const char *name, int dim) {
    if (dim == nesting->tensor->ndim || dim == MAX_DIMS) {
        add_element(nesting, name);
        return;
    }
    json_open_list(nesting->json, name);
    for (int64_t i = 0; i < nesting->tensor->shape[dim]; i++) {
        nesting->index[dim] = i;
        add_nested(nesting, NULL, dim + 1);
    }
    json_close(nesting->json);
}

void json_add_values(struct json *json, const char *name, const struct tensor *tensor) {
    struct nesting nesting = {.json = json, .tensor = tensor};
    add_nested(&nesting, name, 0);
}
