// Items, slices and lengths.

#include <inttypes.h>
#include <string.h>

#include "script/inside.h"

// ---- Items --------------------------------------------------------------------------------------

bool as_index(struct machine *machine, struct value value, int64_t *index) {
    struct value answer = value;
    bool is_there = false;
    if (value.kind == VALUE_OBJECT &&
        !call_method(machine, value, "__index__", 0, NULL, &answer, &is_there))
        return false;
    *index = integer_of(answer);
    return is_integer(answer) ||
           machine_raise(machine, TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
                         type_name(value));
}

static int64_t within(int64_t n, int64_t least, int64_t most) {
    return n < least ? least : n > most ? most : n;
}

bool slice_bounds(struct machine *machine, const struct slice *slice, int64_t length,
                  int64_t *start, int64_t *step, int64_t *count) {
    int64_t stop;
    *step = 1;
    if (slice->step.kind != VALUE_NONE && !as_index(machine, slice->step, step)) return false;
    if (*step == 0) return machine_raise(machine, VALUE_ERROR, "slice step cannot be zero");
    const int64_t least = *step < 0 ? -1 : 0, most = *step < 0 ? length - 1 : length;
    *start = *step < 0 ? most : least;
    stop = *step < 0 ? least : most;
    if (slice->start.kind != VALUE_NONE) {
        if (!as_index(machine, slice->start, start)) return false;
        *start = within(*start < 0 ? *start + length : *start, least, most);
    }
    if (slice->stop.kind != VALUE_NONE) {
        if (!as_index(machine, slice->stop, &stop)) return false;
        stop = within(stop < 0 ? stop + length : stop, least, most);
    }
    const int64_t span = *step > 0 ? stop - *start : *start - stop,
                  size = *step > 0 ? *step : -*step;
    *count = span <= 0 ? 0 : (span + size - 1) / size;
    return true;
}

static bool length_of_range(struct machine *machine, const struct range *range, int64_t *length) {
    const bool is_up = range->step > 0;
    const uint64_t first = (uint64_t)(is_up ? range->start : range->stop);
    const uint64_t last = (uint64_t)(is_up ? range->stop : range->start);
    const uint64_t step = is_up ? (uint64_t)range->step : 0 - (uint64_t)range->step;
    const bool is_empty = is_up ? range->start >= range->stop : range->start <= range->stop;
    const uint64_t count = is_empty ? 0 : (last - first - 1) / step + 1;
    *length = (int64_t)count;
    return count <= INT64_MAX || raise_too_large(machine);
}

static bool length_of_object(struct machine *machine, struct value value, int64_t *length) {
    struct value answer;
    if (!ask(machine, value, "__len__", &answer)) return false;
    if (answer.kind != VALUE_ABSENT)
        return as_index(machine, answer, length) &&
               (*length >= 0 ||
                machine_raise(machine, VALUE_ERROR, "__len__() should return >= 0"));
    if (inner_of(value).object != value.object) return length_of(machine, inner_of(value), length);
    if (value.kind == VALUE_OBJECT && machine->methods[value.object->kind].length != NULL)
        return machine->methods[value.object->kind].length(machine, value, length);
    return machine_raise(machine, TYPE_ERROR, "object of type '%s' has no len()", type_name(value));
}

bool length_of(struct machine *machine, struct value value, int64_t *length) {
    if (value.kind != VALUE_OBJECT) return length_of_object(machine, value, length);
    *length = 0;
    switch (value.object->kind) {
    case OBJECT_STR:
        for (const char *at = bytes_of(value), *end = at + as_str(value)->length; at < end; at++)
            *length += ((unsigned char)*at & 0xC0) != 0x80;
        return true;
    case OBJECT_BYTES:
        *length = as_str(value)->length;
        return true;
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        *length = as_list(value)->count;
        return true;
    case OBJECT_DICT:
    case OBJECT_SET:
        *length = as_dict(value)->count;
        return true;
    case OBJECT_RANGE:
        return length_of_range(machine, (const struct range *)value.object, length);
    default:
        return length_of_object(machine, value, length);
    }
}

static bool is_in_range(const struct range *range, int64_t n) {
    const bool is_up = range->step > 0;
    const uint64_t apart =
        is_up ? (uint64_t)n - (uint64_t)range->start : (uint64_t)range->start - (uint64_t)n;
    const uint64_t step = is_up ? (uint64_t)range->step : 0 - (uint64_t)range->step;
    const bool is_between =
        is_up ? n >= range->start && n < range->stop : n <= range->start && n > range->stop;
    return is_between && apart % step == 0;
}

bool contains(struct machine *machine, struct value container, struct value item, bool *found) {
    struct value answer, iterator, one;
    bool is_there = false;
    if (is_kind(container, OBJECT_DICT) || is_kind(container, OBJECT_SET)) {
        if (!dict_get(machine, as_dict(container), item, &answer)) return false;
        *found = answer.kind != VALUE_ABSENT;
        return true;
    }
    if (is_kind(container, OBJECT_RANGE) && is_integer(item)) {
        *found = is_in_range((const struct range *)container.object, integer_of(item));
        return true;
    }
    if (is_kind(container, OBJECT_STR)) {
        if (!is_kind(item, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR,
                                 "'in <string>' requires string as left operand, not %s",
                                 type_name(item));
        *found = strstr(bytes_of(container), bytes_of(item)) != NULL;
        return true;
    }
    if (is_kind(container, OBJECT_INSTANCE) &&
        !call_method(machine, container, "__contains__", 1, &item, &answer, &is_there))
        return false;
    if (is_there) return value_truth(machine, answer, found);
    if (inner_of(container).object != container.object)
        return contains(machine, inner_of(container), item, found);
    if (!machine_iterate(machine, container, &iterator))
        return machine_is_raised(machine, TYPE_ERROR) &&
               machine_raise(machine, TYPE_ERROR, "argument of type '%s' is not iterable",
                             type_name(container));
    for (*found = false; !*found;) {
        if (!machine_next(machine, iterator, &one)) return false;
        if (one.kind == VALUE_ABSENT) return true;
        if (!is_or_equals(machine, one, item, found)) return false;
    }
    return true;
}

static bool place_in(struct machine *machine, const char *type, int64_t count, struct value index,
                     int64_t *position) {
    if (!is_integer(index) && !is_kind(index, OBJECT_TENSOR))
        return machine_raise(machine, TYPE_ERROR, "%s indices must be integers%s, not %s", type,
                             strcmp(type, "string") == 0 ? "" : " or slices", type_name(index));
    if (!as_index(machine, index, position)) return false;
    if (*position < 0) *position += count;
    return (*position >= 0 && *position < count) ||
           machine_raise(machine, INDEX_ERROR, "%s index out of range", type);
}

static bool item_of_list(struct machine *machine, struct value of, struct value index,
                         struct value *value) {
    const struct list *list = as_list(of);
    int64_t start, step, count;
    if (!is_kind(index, OBJECT_SLICE)) {
        if (!place_in(machine, list->is_size || of.object->kind == OBJECT_TUPLE ? "tuple" : "list",
                      list->count, index, &start))
            return false;
        *value = list->items[start];
        return true;
    }
    if (!slice_bounds(machine, (struct slice *)index.object, list->count, &start, &step, &count))
        return false;
    *value = (is_kind(of, OBJECT_LIST) ? list_new : tuple_new)(machine, count, NULL);
    struct list *result = as_list(*value);
    result->is_size = list->is_size;
    for (int64_t i = 0; i < count; i++) result->items[i] = list->items[start + i * step];
    return true;
}

// Characters have one to four bytes.
static int64_t byte_at(const struct str *str, int64_t character) {
    int64_t at = 0;
    for (; character > 0 && at < str->length; character--) do
            at++;
        while (((unsigned char)str->bytes[at] & 0xC0) == 0x80);
    return at;
}

static bool item_of_str(struct machine *machine, struct value of, struct value index,
                        struct value *value) {
    const struct str *str = as_str(of);
    int64_t length, start, step = 1, count = 1;
    if (!length_of(machine, of, &length)) return false;
    const bool is_bytes = of.object->kind == OBJECT_BYTES;
    if (is_kind(index, OBJECT_SLICE)) {
        if (!slice_bounds(machine, (struct slice *)index.object, length, &start, &step, &count))
            return false;
    } else if (!place_in(machine, "string", length, index, &start)) {
        return false;
    } else if (is_bytes) {
        return gives(value, value_of_int((unsigned char)str->bytes[start]));
    }
    struct written written;
    write_open(machine, &written);
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = is_bytes ? start + i * step : byte_at(str, start + i * step);
        int64_t end = from + 1;
        while (!is_bytes && ((unsigned char)str->bytes[end] & 0xC0) == 0x80) end++;
        text_add_bytes(&written.text, str->bytes + from, (size_t)(end - from));
    }
    write_close(machine, &written, true, value);
    value->object->kind = of.object->kind;
    return true;
}

static bool item_of_range(struct machine *machine, struct value of, struct value index,
                          struct value *value) {
    const struct range *range = (const struct range *)of.object;
    int64_t length, start, step, count;
    if (!length_of(machine, of, &length)) return false;
    if (!is_kind(index, OBJECT_SLICE)) {
        if (!place_in(machine, "range object", length, index, &start)) return false;
        return gives(value, value_of_int(range->start + start * range->step));
    }
    if (!slice_bounds(machine, (struct slice *)index.object, length, &start, &step, &count))
        return false;
    const int64_t first = range->start + start * range->step, by = range->step * step;
    return gives(value, range_new(machine, first, first + count * by, by));
}

static bool item_of_dict(struct machine *machine, struct value of, struct value key,
                         struct value *value) {
    return dict_get(machine, as_dict(of), key, value) &&
           (value->kind != VALUE_ABSENT || raise_key(machine, key));
}

static bool item_of_inner(struct machine *machine, struct value of, struct value index,
                          struct value *value) {
    bool has_it = true, is_there = false;
    const struct value inner = inner_of(of);
    if (is_kind(inner, OBJECT_DICT) && !contains(machine, inner, index, &has_it)) return false;
    if (!has_it && !call_method(machine, of, "__missing__", 1, &index, value, &is_there))
        return false;
    return is_there || get_item(machine, inner, index, value);
}

bool get_item(struct machine *machine, struct value of, struct value index, struct value *value) {
    bool is_there = false;
    if (of.kind == VALUE_OBJECT) {
        switch (of.object->kind) {
        case OBJECT_LIST:
        case OBJECT_TUPLE:
            return item_of_list(machine, of, index, value);
        case OBJECT_STR:
        case OBJECT_BYTES:
            return item_of_str(machine, of, index, value);
        case OBJECT_DICT:
            return item_of_dict(machine, of, index, value);
        case OBJECT_RANGE:
            return item_of_range(machine, of, index, value);
        case OBJECT_CLASS:
            return gives(value, of); // list[int], of annotations
        case OBJECT_INSTANCE:
            if (!call_method(machine, of, "__getitem__", 1, &index, value, &is_there)) return false;
            if (is_there) return true;
            if (inner_of(of).object == of.object) break;
            return item_of_inner(machine, of, index, value);
        default:
            if (machine->methods[of.object->kind].index != NULL)
                return machine->methods[of.object->kind].index(machine, of, index, value);
        }
    }
    return machine_raise(machine, TYPE_ERROR, "'%s' object is not subscriptable", type_name(of));
}

static bool set_slice(struct machine *machine, struct list *list, const struct slice *slice,
                      struct value value) {
    int64_t start, step, count;
    struct list *more;
    if (!slice_bounds(machine, slice, list->count, &start, &step, &count)) return false;
    if (!machine_list_of(machine, value, &more)) return false;
    if (step != 1) {
        if (more->count != count)
            return machine_raise(machine, VALUE_ERROR,
                                 "attempt to assign sequence of size %" PRId64
                                 " to extended slice of size %" PRId64,
                                 more->count, count);
        for (int64_t i = 0; i < count; i++) list->items[start + i * step] = more->items[i];
        return true;
    }
    struct list *new = as_list(list_new(machine, 0, NULL));
    for (int64_t i = 0; i < start; i++) list_append(machine, new, list->items[i]);
    for (int64_t i = 0; i < more->count; i++) list_append(machine, new, more->items[i]);
    for (int64_t i = start + count; i < list->count; i++) list_append(machine, new, list->items[i]);
    const struct list old = *list;
    list->items = new->items, list->count = new->count, list->room = new->room;
    new->items = old.items, new->count = old.count, new->room = old.room;
    return true;
}

bool set_item(struct machine *machine, struct value of, struct value index, struct value value) {
    bool is_there = false;
    struct value nothing;
    int64_t position;
    if (of.kind == VALUE_OBJECT) {
        struct list *list = as_list(of);
        const struct value arguments[] = {index, value};
        switch (of.object->kind) {
        case OBJECT_LIST:
            if (is_kind(index, OBJECT_SLICE))
                return set_slice(machine, list, (struct slice *)index.object, value);
            if (!is_integer(index)) return place_in(machine, "list", list->count, index, &position);
            position = integer_of(index) < 0 ? integer_of(index) + list->count : integer_of(index);
            if (position < 0 || position >= list->count)
                return machine_raise(machine, INDEX_ERROR, "list assignment index out of range");
            list->items[position] = value;
            return true;
        case OBJECT_DICT:
            return dict_set(machine, as_dict(of), index, value);
        case OBJECT_INSTANCE:
            if (!call_method(machine, of, "__setitem__", 2, arguments, &nothing, &is_there))
                return false;
            if (is_there) return true;
            if (inner_of(of).object == of.object) break;
            return set_item(machine, inner_of(of), index, value);
        default:
            if (machine->methods[of.object->kind].set_index != NULL)
                return machine->methods[of.object->kind].set_index(machine, of, index, value);
        }
    }
    return machine_raise(machine, TYPE_ERROR, "'%s' object does not support item assignment",
                         type_name(of));
}

bool delete_item(struct machine *machine, struct value of, struct value index) {
    bool was_there = false;
    struct value nothing;
    int64_t position;
    if (is_kind(of, OBJECT_DICT))
        return dict_delete(machine, as_dict(of), index, &was_there) &&
               (was_there || raise_key(machine, index));
    if (is_kind(of, OBJECT_LIST) && is_kind(index, OBJECT_SLICE))
        return set_slice(machine, as_list(of), (struct slice *)index.object,
                         list_new(machine, 0, NULL));
    if (is_kind(of, OBJECT_LIST)) {
        if (!place_in(machine, "list assignment", as_list(of)->count, index, &position))
            return false;
        list_remove(as_list(of), position);
        return true;
    }
    if (!call_method(machine, of, "__delitem__", 1, &index, &nothing, &was_there)) return false;
    if (!was_there && inner_of(of).object != of.object)
        return delete_item(machine, inner_of(of), index);
    return was_there || machine_raise(machine, TYPE_ERROR,
                                      "'%s' object doesn't support item deletion", type_name(of));
}
