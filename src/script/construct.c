// New texts, lists and tuples.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

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
    struct written written;
    struct value str;
    write_open(machine, &written);
    text_add(&written.text, arena_format_list(&written.scratch.arena, format, arguments));
    write_close(machine, &written, true, &str);
    return str;
}

struct value str_format(struct machine *machine, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const struct value str = str_format_list(machine, format, arguments);
    va_end(arguments);
    return str;
}

void write_open(struct machine *machine, struct written *written) {
    struct arena *arena = scratch_open(&written->scratch, machine->arena->failure);
    arena->limit = (size_t)machine->options.memory;
    written->text = text_new(arena);
    text_add(&written->text, "");
}

bool write_close(struct machine *machine, struct written *written, bool is_done,
                 struct value *str) {
    if (is_done) *str = str_new(machine, written->text.bytes, (int64_t)written->text.length);
    scratch_close(&written->scratch);
    return is_done;
}

void write_str(struct text *text, struct value str) {
    text_add_bytes(text, bytes_of(str), (size_t)as_str(str)->length);
}

// ---- Lists and slices --------------------------------------------------------------------------------------

static struct list *items_new(struct machine *machine, enum object_kind kind, int64_t count,
                              const struct value *items) {
    struct list *list = object_new(machine, kind, sizeof *list);
    if (count == 0) return list;
    list->items = pool_take(machine, (size_t)count * sizeof *list->items);
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
        struct value *items = pool_take(machine, (size_t)room * sizeof *items);
        if (list->count > 0) memcpy(items, list->items, (size_t)list->count * sizeof *items);
        pool_give(machine, list->items, (size_t)list->room * sizeof *items);
        list->items = items;
        machine_count_memory(machine, (room - list->room) * (int64_t)sizeof *list->items);
        list->room = room;
    }
    list->items[list->count++] = item;
}

struct value *values_new(struct machine *machine, int64_t count) {
    return or_fail(machine, calloc((size_t)count + 1, sizeof(struct value)));
}

struct value slice_new(struct machine *machine, struct value start, struct value stop,
                       struct value step) {
    struct slice *slice = object_new(machine, OBJECT_SLICE, sizeof *slice);
    slice->start = start;
    slice->stop = stop;
    slice->step = step;
    return value_of_object(slice);
}

struct value range_new(struct machine *machine, int64_t start, int64_t stop, int64_t step) {
    struct range *range = object_new(machine, OBJECT_RANGE, sizeof *range);
    range->start = start;
    range->stop = stop;
    range->step = step;
    return value_of_object(range);
}

void list_remove(struct list *list, int64_t position) {
    memmove(list->items + position, list->items + position + 1,
            (size_t)(list->count - position - 1) * sizeof *list->items);
    list->count--;
}

struct value native_new(struct machine *machine, const struct native_row *row, struct value self) {
    struct native *native = object_new(machine, OBJECT_NATIVE, sizeof *native);
    native->row = row;
    native->self = self;
    return value_of_object(native);
}
