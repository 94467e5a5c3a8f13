#include "show/markup.h"

#include <ctype.h>

static const char *entity_of(char character) {
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

// Char of XML 1.0, without the control characters that HTML refuses.
static bool is_allowed(uint32_t character) {
    if (character < 0x20) return character == '\n' || character == '\t';
    if (character >= 0x7f && character < 0xa0) return false;
    return (character & 0xfffe) != 0xfffe && !(character >= 0xfdd0 && character <= 0xfdef);
}

// Letters and the like of ASCII, which are themselves.
static bool is_itself(char byte) {
    return byte >= ' ' && byte < 0x7f && entity_of(byte) == NULL;
}

void markup_add(struct text *text, const char *string) {
    while (*string != '\0') {
        const char *plain = string;
        while (is_itself(*string)) string++;
        text_add_bytes(text, plain, (size_t)(string - plain));
        if (*string == '\0') return;
        const char *start = string;
        const uint32_t character = utf8_next(&string);
        const char *entity = entity_of(*start);
        char bytes[5];
        if (entity != NULL)
            text_add(text, entity);
        else
            text_add_bytes(text, bytes,
                           utf8_encode(is_allowed(character) ? character : 0xfffd, bytes));
    }
}

const char *step_address(struct arena *arena, const struct run *run, const struct step *step) {
    const bool has_group = step->group != NULL;
    char *address = arena_format(arena, "%s%s%s.%s", run->lesson->name, has_group ? "." : "",
                                 has_group ? step->group : "", step->name);
    for (char *c = address; *c != '\0'; c++) {
        const bool is_plain = isalnum((unsigned char)*c) || *c == '_' || *c == '.';
        if (!is_plain) *c = '-';
    }
    return address;
}
