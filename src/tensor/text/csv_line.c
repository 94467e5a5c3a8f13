#include "tensor/text/csv_line.h"

static bool at_line_feed(const struct reading *reading) {
    const char *next = reading->next;
    if (next < reading->end && *next == '\r') next++;
    return next < reading->end && *next == '\n';
}

static bool at_line_end(const struct reading *reading) {
    return reading->next == reading->end || at_line_feed(reading);
}

static void skip_line_feed(struct reading *reading) {
    if (reading->next < reading->end && *reading->next == '\r') reading->next++;
    if (reading->next < reading->end) reading->next++;
}

void csv_skip_blank_lines(struct reading *reading) {
    for (;;) {
        const char *start = reading->next;
        while (reading->next < reading->end && (*reading->next == ' ' || *reading->next == '\t'))
            reading->next++;
        if (!at_line_feed(reading)) {
            if (reading->next < reading->end) reading->next = start;
            return;
        }
        skip_line_feed(reading);
    }
}

static struct field take_whole_quoted(struct reading *reading, char separator) {
    const struct field field = take_quoted(reading);
    if (!at_line_end(reading) && *reading->next != separator)
        fail_at(reading, reading->next,
                "after a closing quote, a %s or the end of the line must follow",
                separator == ';' ? "semicolon" : "comma");
    return field;
}

static struct field take_plain(struct reading *reading, char separator) {
    const char *place = reading->next;
    while (!at_line_end(reading) && *reading->next != separator) {
        if (*reading->next == '"')
            fail_at(reading, reading->next,
                    "a quote inside a field: put the whole field in quotes and write it twice, "
                    "as in \"5\"\"\"");
        if (*reading->next == '\r')
            fail_at(reading, reading->next,
                    "a carriage return alone: lines must end in LF or CRLF");
        reading->next++;
    }
    return (struct field){place, place, (size_t)(reading->next - place)};
}

struct csv_line csv_take_line(struct reading *reading, char separator, int most,
                              const char *excess) {
    struct csv_line line = {0};
    for (;;) {
        if (line.count == most) fail_at(reading, reading->next, "%s", excess);
        const bool is_quoted = reading->next < reading->end && *reading->next == '"';
        line.field[line.count++] =
            is_quoted ? take_whole_quoted(reading, separator) : take_plain(reading, separator);
        if (at_line_end(reading)) break;
        reading->next++; // the separator
    }
    line.end = reading->next;
    skip_line_feed(reading);
    return line;
}
