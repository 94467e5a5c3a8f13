#include "tensor/text/fields.h"

// ---- Bytes of a line ----------------------------------------------------------------------------

bool is_space(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

void skip_spaces(struct reading *reading) {
    while (reading->next < reading->end && is_space(*reading->next)) reading->next++;
}

bool at_line_end(const struct reading *reading) {
    const char *next = reading->next;
    if (next < reading->end - 1 && *next == '\r') next++;
    return reading->next == reading->end || *next == '\n';
}

void skip_line(struct reading *reading) {
    while (!at_line_end(reading)) reading->next++;
    if (reading->next < reading->end && *reading->next == '\r') reading->next++;
    if (reading->next < reading->end) reading->next++;
}

bool next_line(const struct lines *lines) {
    struct reading *reading = lines->reading;
    for (;;) {
        const char *start = reading->next;
        while (reading->next < reading->end && is_space(*reading->next) &&
               !(lines->is_strict && *reading->next == '\r'))
            reading->next++;
        if (reading->next == reading->end) return false;
        if (!at_line_end(reading) && (lines->is_strict || *reading->next != '#')) {
            reading->next = start;
            return true;
        }
        skip_line(reading);
    }
}

// ---- Fields -------------------------------------------------------------------------------------

static bool at_divider(const struct lines *lines) {
    const char byte = *lines->reading->next;
    return lines->divider == ' ' ? is_space(byte) : byte == lines->divider;
}

struct field take_field(const struct lines *lines) {
    struct reading *reading = lines->reading;
    const bool trims = !lines->is_strict;
    if (trims && lines->divider != '\t') skip_spaces(reading);
    if (reading->next < reading->end && *reading->next == '"') return take_quoted(reading);
    struct field field = {.start = reading->next, .bytes = reading->next};
    for (; !at_line_end(reading) && !at_divider(lines); reading->next++) {
        if (lines->is_strict && *reading->next == '"')
            fail_at(reading, reading->next,
                    "a quote inside a field: put the whole field in quotes and write it twice, "
                    "as in \"5\"\"\"");
        if (lines->is_strict && *reading->next == '\r')
            fail_at(reading, reading->next,
                    "a carriage return alone: lines must end in LF or CRLF");
    }
    field.length = (size_t)(reading->next - field.bytes);
    while (trims && field.length > 0 && is_space(field.bytes[field.length - 1])) field.length--;
    return field;
}

bool skip_divider(const struct lines *lines) {
    struct reading *reading = lines->reading;
    if (!lines->is_strict && lines->divider != '\t') skip_spaces(reading);
    if (at_line_end(reading)) return false;
    if (lines->divider == ' ') return true;
    if (*reading->next != lines->divider)
        fail_at(reading, reading->next, "after a closing quote, %s must follow",
                !lines->is_strict       ? "the next field or line"
                : lines->divider == ';' ? "a semicolon or the end of the line"
                                        : "a comma or the end of the line");
    reading->next++;
    return true;
}

struct csv_line take_fields(const struct lines *lines, int most, const char *excess) {
    struct csv_line line = {0};
    do {
        if (line.count == most) fail_at(lines->reading, lines->reading->next, "%s", excess);
        line.field[line.count++] = take_field(lines);
    } while (skip_divider(lines));
    line.end = lines->reading->next;
    skip_line(lines->reading);
    return line;
}
