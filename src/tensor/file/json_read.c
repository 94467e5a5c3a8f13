#include "tensor/file/json_read.h"

#include <string.h>

char json_next(struct reading *json) {
    skip_blanks(json);
    return json->next < json->end ? *json->next : '\0';
}

void json_take(struct reading *json, char byte) {
    if (json_next(json) != byte)
        fail_at(json, json->next, "JSON with \"%s\" where %c should be", word_at(json, json->next),
                byte);
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

void json_add_text(struct reading *json, struct text *text) {
    json_take(json, '"');
    const char *start = json->next;
    while (json->next < json->end && *json->next != '"') {
        const char *plain = json->next;
        while (json->next < json->end && *json->next != '"' && *json->next != '\\') json->next++;
        text_add_bytes(text, plain, (size_t)(json->next - plain));
        if (json->next == json->end || *json->next == '"') continue;
        if (++json->next < json->end) add_escape(json, text);
    }
    if (json->next == json->end) fail_at(json, start, "JSON that is cut inside a string");
    json->next++;
}

const char *json_string(struct reading *json) {
    struct text text = text_new(json->arena);
    text_add(&text, "");
    json_add_text(json, &text);
    if (strlen(text.bytes) != text.length)
        fail_whole(json, "a name or a word in its JSON holds a NUL, which no name has");
    return text.bytes;
}

void json_skip(struct reading *json) {
    int depth = 0;
    do {
        const char byte = json_next(json);
        if (byte == '\0') fail_at(json, json->next, "JSON that is cut");
        if (byte == '"') {
            struct text skipped = text_new(json->arena);
            json_add_text(json, &skipped);
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
bool json_item(struct reading *json, char end, const char **name) {
    if (json_next(json) == ',') json->next++;
    if (json_next(json) == end) {
        json->next++;
        return false;
    }
    if (end == '}') {
        *name = json_string(json);
        json_take(json, ':');
    }
    return true;
}
