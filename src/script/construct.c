// New texts, lists and tuples.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

// ---- Texts --------------------------------------------------------------------------------------

uint64_t bytes_hash(const char *bytes, int64_t length) { // FNV-1a
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

struct value str_new(struct machine *machine, const char *bytes, int64_t length) {
    struct str *str = object_new(machine, OBJECT_STR, sizeof *str + (size_t)length + 1);
    if (length > 0) memcpy(str->bytes, bytes, (size_t)length);
    str->length = length;
    str->hash = bytes_hash(bytes, length);
    return value_of_object(str);
}

struct value str_of(struct machine *machine, const char *text) {
    return str_new(machine, text, (int64_t)strlen(text));
}

struct value str_format_list(struct machine *machine, const char *format, va_list arguments) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, machine->arena->failure);
    const struct value str = str_of(machine, arena_format_list(m, format, arguments));
    scratch_close(&scratch);
    return str;
}

struct value str_format(struct machine *machine, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const struct value str = str_format_list(machine, format, arguments);
    va_end(arguments);
    return str;
}

// ---- Lists --------------------------------------------------------------------------------------

static struct list *items_new(struct machine *machine, enum object_kind kind, int64_t count,
                              const struct value *items) {
    struct list *list = object_new(machine, kind, sizeof *list);
    if (count == 0) return list;
    list->items = malloc((size_t)count * sizeof *list->items);
    if (list->items == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
    list->count = list->room = count;
    machine_count_memory(machine, count * (int64_t)sizeof *list->items);
    for (int64_t i = 0; i < count; i++) list->items[i] = items != NULL ? items[i] : NONE_VALUE;
    return list;
}

struct value list_new(struct machine *machine, int64_t count, const struct value *items) {
    return value_of_object(items_new(machine, OBJECT_LIST, count, items));
}

struct value tuple_new(struct machine *machine, int64_t count, const struct value *items) {
    return value_of_object(items_new(machine, OBJECT_TUPLE, count, items));
}

void list_append(struct machine *machine, struct list *list, struct value item) {
    if (list->count == list->room) {
        const int64_t room = list->room < 4 ? 4 : list->room * 2;
        struct value *items = realloc(list->items, (size_t)room * sizeof *items);
        if (items == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
        machine_count_memory(machine, (room - list->room) * (int64_t)sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
}
