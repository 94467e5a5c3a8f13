#include "tensor/file/notebook.h"

#include <string.h>

#include "base/text.h"

// ---- JSON, as far as a notebook needs it (RFC 8259) ---------------------------------------------

static char next_byte(struct reading *json) {
    skip_blanks(json);
    return json->next < json->end ? *json->next : '\0';
}

static void take_byte(struct reading *json, char byte) {
    if (next_byte(json) != byte)
        fail_at(json, json->next, "a notebook with \"%s\" where %c should be",
                word_at(json, json->next), byte);
    json->next++;
}

static uint32_t take_hex(struct reading *json) {
    uint32_t value = 0;
    for (int i = 0; i < 4 && json->next < json->end; i++, json->next++) {
        const char *digits = "0123456789abcdef";
        const char letter = *json->next >= 'A' && *json->next <= 'F'
                                ? (char)(*json->next - 'A' + 'a')
                                : *json->next;
        const char *digit = strchr(digits, letter);
        if (digit == NULL || *digit == '\0') fail_at(json, json->next, "a damaged \\u");
        value = value * 16 + (uint32_t)(digit - digits);
    }
    return value;
}

// What a backslash and the byte behind it mean.
static void add_escape(struct reading *json, struct text *text) {
    static const char letters[] = "nrtbf", meanings[] = "\n\r\t\b\f";
    const char byte = *json->next++;
    const char *letter = byte != '\0' ? strchr(letters, byte) : NULL;
    if (byte == 'u') {
        char bytes[5];
        text_add_bytes(text, bytes, utf8_encode(take_hex(json), bytes));
    } else if (letter != NULL) {
        text_add_bytes(text, &meanings[letter - letters], 1);
    } else {
        text_add_bytes(text, &byte, 1);
    }
}

static void add_string(struct reading *json, struct text *text) {
    take_byte(json, '"');
    const char *start = json->next;
    while (json->next < json->end && *json->next != '"') {
        const char *plain = json->next;
        while (json->next < json->end && *json->next != '"' && *json->next != '\\') json->next++;
        text_add_bytes(text, plain, (size_t)(json->next - plain));
        if (json->next == json->end || *json->next == '"') continue;
        if (++json->next < json->end) add_escape(json, text);
    }
    if (json->next == json->end) fail_at(json, start, "a notebook that is cut inside a string");
    json->next++;
}

static const char *take_string(struct reading *json) {
    struct text text = text_new(json->arena);
    text_add(&text, "");
    add_string(json, &text);
    return text.bytes;
}

// Moves over any value.
static void skip_value(struct reading *json) {
    int depth = 0;
    do {
        const char byte = next_byte(json);
        if (byte == '\0') fail_at(json, json->next, "a notebook that is cut");
        if (byte == '"') {
            (void)take_string(json);
            continue;
        }
        depth += (byte == '{' || byte == '[') - (byte == '}' || byte == ']');
        json->next++;
        while (json->next < json->end && !ends_word(*json->next) && *json->next != '"' &&
               *json->next != ':')
            json->next++;
    } while (depth > 0);
}

// What comes next in an object or a list that was opened: returns false at its end. In an object, *name
// is the member's, and its value comes next.
static bool next_item(struct reading *json, char end, const char **name) {
    if (next_byte(json) == ',') json->next++;
    if (next_byte(json) == end) {
        json->next++;
        return false;
    }
    if (end == '}') {
        *name = take_string(json);
        take_byte(json, ':');
    }
    return true;
}

// Text of a notebook: a string, or a list of strings.
static void add_lines(struct reading *json, struct text *text) {
    if (next_byte(json) == '"') {
        add_string(json, text);
    } else if (next_byte(json) != '[') {
        skip_value(json);
    } else {
        json->next++;
        while (next_item(json, ']', NULL)) {
            if (next_byte(json) == '"')
                add_string(json, text);
            else
                skip_value(json);
        }
    }
}

// ---- Cells --------------------------------------------------------------------------------------

struct cell_read {
    const char *number, *id; // as they are written; NULL without
    struct text shown;
};

// "data": {"text/plain": ...}.
static void take_data(struct reading *json, struct cell_read *cell) {
    const char *name;
    if (next_byte(json) != '{') {
        skip_value(json);
        return;
    }
    json->next++;
    while (next_item(json, '}', &name)) {
        if (strcmp(name, "text/plain") == 0)
            add_lines(json, &cell->shown);
        else
            skip_value(json);
    }
    text_add(&cell->shown, "\n");
}

static void take_outputs(struct reading *json, struct cell_read *cell) {
    const char *name;
    take_byte(json, '[');
    while (next_item(json, ']', NULL)) {
        take_byte(json, '{');
        while (next_item(json, '}', &name)) {
            if (strcmp(name, "text") == 0)
                add_lines(json, &cell->shown);
            else if (strcmp(name, "data") == 0)
                take_data(json, cell);
            else
                skip_value(json);
        }
    }
}

static struct cell_read take_cell(struct reading *json) {
    struct cell_read cell = {.shown = text_new(json->arena)};
    const char *name;
    text_add(&cell.shown, "");
    take_byte(json, '{');
    while (next_item(json, '}', &name)) {
        if (strcmp(name, "outputs") == 0) {
            take_outputs(json, &cell);
        } else if (strcmp(name, "id") == 0 && next_byte(json) == '"') {
            cell.id = take_string(json);
        } else if (strcmp(name, "execution_count") == 0) {
            (void)next_byte(json);
            const char *start = json->next;
            skip_value(json);
            if (*start >= '0' && *start <= '9')
                cell.number = arena_copy_bytes(json->arena, start, (size_t)(json->next - start));
        } else {
            skip_value(json);
        }
    }
    return cell;
}

// Numbers in brackets?
static bool shows_numbers(const struct cell_read *cell) {
    const char *bracket = cell->shown.bytes;
    while ((bracket = strchr(bracket, '[')) != NULL) {
        bracket += 1 + strspn(bracket + 1, "[ \n");
        if (strchr("0123456789-+.inTF", *bracket) != NULL && *bracket != '\0') return true;
    }
    return strstr(cell->shown.bytes, "tensor(") != NULL;
}

static bool is_called_so(const struct cell_read *cell, const char *wanted) {
    return (cell->number != NULL && strcmp(cell->number, wanted) == 0) ||
           (cell->id != NULL && strcmp(cell->id, wanted) == 0);
}

bool is_notebook(const struct reading *reading) {
    static const char mark[] = "\"nbformat\"";
    struct reading json = *reading;
    if (next_byte(&json) != '{') return false;
    for (const char *place = json.next; place < json.end; place++) {
        place = memchr(place, '"', (size_t)(json.end - place));
        if (place == NULL) return false;
        const bool has_room = (size_t)(json.end - place) >= sizeof mark - 1;
        if (has_room && memcmp(place, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

// "3, 5": the cells that show numbers, by their number or id.
static void add_name(struct text *names, const struct cell_read *cell) {
    const char *name = cell->number != NULL ? cell->number : cell->id;
    if (names->length > 0) text_add(names, ", ");
    text_add(names, name != NULL ? text_safe(names->arena, name) : "?");
}

const char *notebook_output(const struct reading *reading, const char *wanted) {
    struct reading json = *reading;
    struct text names = text_new(json.arena);
    const char *name, *shown = NULL;
    int count = 0;
    text_add(&names, "");
    take_byte(&json, '{');
    while (next_item(&json, '}', &name) && strcmp(name, "cells") != 0) skip_value(&json);
    take_byte(&json, '[');
    while (next_item(&json, ']', NULL)) {
        const struct cell_read cell = take_cell(&json);
        if (wanted != NULL && is_called_so(&cell, wanted)) return cell.shown.bytes;
        if (!shows_numbers(&cell)) continue;
        add_name(&names, &cell);
        count++;
        shown = cell.shown.bytes;
    }
    if (count == 0)
        fail_whole(reading, "no cell of this notebook shows numbers: run it, and save it");
    if (wanted != NULL)
        fail_whole(reading, "no cell %s; cells that show numbers: %s",
                   text_safe(json.arena, wanted), names.bytes);
    if (count > 1)
        fail_whole(reading, "several cells show numbers: choose one of %s, as in FILE#%.*s",
                   names.bytes, (int)strcspn(names.bytes, ","), names.bytes);
    return shown;
}
