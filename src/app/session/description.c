#include "app/session/terminal.h"

#include <string.h>

#include "base/text.h"

// Little-endian numbers of so many bytes, in hexadecimal.
static void add_number(struct text *text, int bytes, int number) {
    for (int i = 0; i < bytes; i++)
        text_add_format(text, "%02x", (unsigned)number >> (8 * i) & 255);
}

static void add_string(struct text *text, const char *string) {
    for (const char *byte = string; *byte != '\0'; byte++)
        add_number(text, 1, (unsigned char)*byte);
    add_number(text, 1, 0);
}

static int bytes_in(const struct text *text) {
    return (int)text->length / 2;
}

// What follows lies at an even place.
static void make_even(struct text *text) {
    if (bytes_in(text) % 2 != 0) add_number(text, 1, 0);
}

// A string's place in a table, and the string; -1 where there is none.
static void add_entry(struct text *places, struct text *table, const char *string) {
    add_number(places, 2, string != NULL ? bytes_in(table) : -1);
    if (string != NULL) add_string(table, string);
}

static void add_standard(struct text *all, const struct description *description) {
    enum { MAGIC = 01036 }; // numbers have four bytes
    struct text places = text_new(all->arena), table = text_new(all->arena);
    for (int i = 0; i < description->string_count; i++)
        add_entry(&places, &table, description->strings[i]);
    const int header[] = {MAGIC,
                          (int)strlen(description->name) + 1,
                          description->flag_count,
                          description->number_count,
                          description->string_count,
                          bytes_in(&table)};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) add_number(all, 2, header[i]);
    add_string(all, description->name);
    for (int i = 0; i < description->flag_count; i++) add_number(all, 1, description->flags[i]);
    make_even(all);
    for (int i = 0; i < description->number_count; i++) add_number(all, 4, description->numbers[i]);
    text_add_bytes(all, places.bytes, places.length);
    text_add_bytes(all, table.bytes, table.length);
    make_even(all);
}

// The capabilities that are not in the arrays come with their names: a flag and at most one string.
static void add_extended(struct text *all, const struct description *description) {
    struct text places = text_new(all->arena), table = text_new(all->arena),
                names = text_new(all->arena);
    const bool has_mouse = description->mouse != NULL;
    if (has_mouse) add_entry(&places, &table, description->mouse);
    add_entry(&places, &names, "RGB"); // names are counted from their own beginning
    if (has_mouse) add_entry(&places, &names, "XM");
    const int header[] = {1, 0, has_mouse, has_mouse ? 3 : 1, bytes_in(&table) + bytes_in(&names)};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) add_number(all, 2, header[i]);
    add_number(all, 1, description->has_rgb);
    make_even(all);
    text_add_bytes(all, places.bytes, places.length);
    if (has_mouse) text_add_bytes(all, table.bytes, table.length);
    text_add_bytes(all, names.bytes, names.length);
}

const char *description_text(struct arena *arena, const struct description *description) {
    struct text all = text_new(arena), text = text_new(arena);
    add_standard(&all, description);
    add_extended(&all, description);
    text_add_format(&text, "hex:%s", all.bytes);
    return text.bytes;
}
