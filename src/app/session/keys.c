#include "app/session/link.h"

#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;
    uint32_t key;
} names[] = {
    {"Up", PRESS_UP},        {"Down", PRESS_DOWN},           {"Left", PRESS_LEFT},
    {"Right", PRESS_RIGHT},  {"Home", PRESS_HOME},           {"End", PRESS_END},
    {"PgUp", PRESS_PAGE_UP}, {"PgDn", PRESS_PAGE_DOWN},      {"Enter", PRESS_ENTER},
    {"Esc", PRESS_ESCAPE},   {"Backspace", PRESS_BACKSPACE}, {"Tab", PRESS_TAB},
    {"Space", ' '},          {"Shift-Tab", PRESS_BACK_TAB},  {"Delete", PRESS_DELETE},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

static const char *all_names(struct arena *arena) {
    struct text text = text_new(arena);
    for (int i = 0; i < NAME_COUNT; i++)
        text_add_format(&text, "%s<%s>",
                        i == 0                ? ""
                        : i == NAME_COUNT - 1 ? " and "
                                              : ", ",
                        names[i].name);
    return text.bytes;
}

uint32_t next_key(struct arena *arena, const char **keys) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    const size_t length = **keys == '<' ? strspn(*keys + 1, letters) : 0;
    if (length == 0 || (*keys)[1 + length] != '>') return utf8_next(keys);
    const char *name = arena_copy_bytes(arena, *keys + 1, length);
    for (int i = 0; i < NAME_COUNT; i++) {
        if (strcmp(names[i].name, name) != 0) continue;
        *keys += length + 2;
        return names[i].key;
    }
    fail(arena->failure, FAIL_USAGE, "no key is called <%s>; those with names are %s", name,
         all_names(arena));
}
