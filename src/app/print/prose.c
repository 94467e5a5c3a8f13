#include "app/print/prose.h"

#include <string.h>

// Adds text with a backslash before each of `specials`.
static void add_escaped(struct text *text, const char *string, const char *specials) {
    for (;;) {
        const size_t length = strcspn(string, specials);
        text_add_bytes(text, string, length);
        if (string[length] == '\0') return;
        text_add_format(text, "\\%c", string[length]);
        string += length + 1;
    }
}

void add_prose(struct text *text, const char *string) {
    add_escaped(text, string, "\\`*_[]<>|~$&#");
}

void add_label(struct text *text, const char *string) {
    add_escaped(text, string, "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
}
