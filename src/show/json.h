#ifndef ONESTEP_SHOW_JSON_H
#define ONESTEP_SHOW_JSON_H

// A writer of JSON (RFC 8259). It places commas, colons and line breaks, so that whoever writes says only
// what there is:
//
//     struct json json = json_new(text);
//     json_open_object(&json, NULL);
//     json_add_string(&json, "lesson", "causal");
//     json_open_list(&json, "steps");
//     json_line(&json);
//     json_add_integer(&json, NULL, 1);         // {"lesson": "causal", "steps": [
//     json_close(&json);                        //   1
//     json_close(&json);                        //  ]}
//
// What stands in an object has a name, which is written as it is; what stands in a list, or around
// everything, has NULL.

#include "base/text.h"
#include "tensor/tensor.h"

enum { JSON_MOST_LEVELS = 24 };

struct json {
    struct text *text;
    int depth;       // levels that are open
    bool wants_line; // json_line was called, and nothing was added since
    struct json_level {
        char end;        // ']' or '}'
        bool has_values; // so the next one needs a comma
        bool has_lines;  // its first value began a line, so its end begins one as well
    } levels[JSON_MOST_LEVELS];
};

// Adds to `text`. When the outermost object or list is closed, a newline follows it.
struct json json_new(struct text *text);

void json_open_object(struct json *json, const char *name);
void json_open_list(struct json *json, const char *name);
void json_close(struct json *json); // the one opened last

// Lets what comes next begin a line, with a blank a level before it. No line ends in a blank.
void json_line(struct json *json);

// A string in quotes, escaped; NULL becomes null. The string is UTF-8.
void json_add_string(struct json *json, const char *name, const char *string);

// A number with nine significant digits, so that reading it back gives the same float; "inf", "-inf"
// and "nan" as strings.
void json_add_number(struct json *json, const char *name, double value);

void json_add_integer(struct json *json, const char *name, int64_t value);
void json_add_bool(struct json *json, const char *name, bool value);

// What is JSON already: a number as text; null.
void json_add_raw(struct json *json, const char *name, const char *value);

// A list of `count` integers, or of strings.
void json_add_integers(struct json *json, const char *name, const int64_t *integers, int count);
void json_add_strings(struct json *json, const char *name, const char *const *strings,
                      int64_t count);

// The elements of a tensor as nested lists: floats as above; bools as true and false.
void json_add_values(struct json *json, const char *name, const struct tensor *tensor);

#endif
