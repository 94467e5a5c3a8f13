// The methods of str, list, tuple, dict, set, int and float.

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "script/python/native.h"

#define SELF_STR as_str(ARGUMENT(0))
#define SELF_LIST as_list(ARGUMENT(0))
#define SELF_DICT as_dict(ARGUMENT(0))

static bool str_argument(struct machine *machine, struct value value, const struct str **str) {
    *str = as_str(value);
    return is_kind(value, OBJECT_STR) ||
           machine_raise(machine, TYPE_ERROR, "a str is needed, not '%s'", type_name(value));
}

// ---- str ----------------------------------------------------------------------------------------

FUNCTION(join) {
    struct list *list;
    if (!machine_list_of(machine, ARGUMENT(1), &list)) return false;
    struct written written;
    bool is_done = true;
    write_open(machine, &written);
    for (int64_t i = 0; is_done && i < list->count; i++) {
        const struct value item = list->items[i];
        if (i > 0) text_add_bytes(&written.text, SELF_STR->bytes, (size_t)SELF_STR->length);
        is_done = is_kind(item, OBJECT_STR) ||
                  machine_raise(machine, TYPE_ERROR,
                                "sequence item %" PRId64 ": expected str instance, %s found", i,
                                type_name(item));
        if (is_done) write_str(&written.text, item);
    }
    return write_close(machine, &written, is_done, result);
}

// upper, lower, title, capitalize, swapcase
FUNCTION(changed_case) {
    *result = str_new(machine, SELF_STR->bytes, SELF_STR->length);
    struct str *copy = as_str(*result);
    bool follows_letter = false;
    for (int64_t i = 0; i < copy->length; i++) {
        const unsigned char byte = (unsigned char)copy->bytes[i];
        const bool is_upper = IS_NAMED("upper") || (IS_NAMED("title") && !follows_letter) ||
                              (IS_NAMED("capitalize") && i == 0) ||
                              (IS_NAMED("swapcase") && !isupper(byte));
        follows_letter = isalpha(byte);
        if (byte < 128) copy->bytes[i] = (char)(is_upper ? toupper(byte) : tolower(byte));
    }
    copy->hash = bytes_hash(copy->bytes, copy->length);
    return true;
}

// strip, lstrip, rstrip
FUNCTION(strip) {
    const char *set = is_kind(ARGUMENT(1), OBJECT_STR) ? bytes_of(ARGUMENT(1)) : " \t\n\r\v\f";
    const char *first = SELF_STR->bytes, *behind = first + SELF_STR->length;
    while (!IS_NAMED("rstrip") && first < behind && strchr(set, *first) != NULL) first++;
    while (!IS_NAMED("lstrip") && behind > first && strchr(set, behind[-1]) != NULL) behind--;
    return gives(result, str_new(machine, first, behind - first));
}

static bool split_at_blanks(struct machine *machine, const char *at, struct list *list) {
    while (*(at += strspn(at, " \t\n\r\v\f")) != '\0') {
        const size_t length = strcspn(at, " \t\n\r\v\f");
        list_append(machine, list, str_new(machine, at, (int64_t)length));
        at += length;
    }
    return true;
}

FUNCTION(split) {
    *result = list_new(machine, 0, NULL);
    struct list *list = as_list(*result);
    const struct str *mark = NULL;
    const char *at = SELF_STR->bytes;
    int64_t most;
    if (ARGUMENT(1).kind == VALUE_NONE) return split_at_blanks(machine, at, list);
    if (!str_argument(machine, ARGUMENT(1), &mark) || !as_index(machine, ARGUMENT(2), &most))
        return false;
    if (mark->length == 0) return machine_raise(machine, VALUE_ERROR, "empty separator");
    for (const char *found;
         (most < 0 || list->count < most) && (found = strstr(at, mark->bytes)) != NULL;
         at = found + mark->length)
        list_append(machine, list, str_new(machine, at, found - at));
    list_append(machine, list, str_of(machine, at));
    return true;
}

FUNCTION(splitlines) {
    *result = list_new(machine, 0, NULL);
    for (const char *at = SELF_STR->bytes; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        list_append(machine, as_list(*result), str_new(machine, at, (int64_t)length));
        at += length + (at[length] == '\n');
    }
    return true;
}

FUNCTION(replace) {
    const struct str *old = NULL, *new = NULL;
    if (!str_argument(machine, ARGUMENT(1), &old) || !str_argument(machine, ARGUMENT(2), &new))
        return false;
    struct written written;
    const char *at = SELF_STR->bytes;
    write_open(machine, &written);
    for (const char *found; old->length > 0 && (found = strstr(at, old->bytes)) != NULL;
         at = found + old->length) {
        text_add_bytes(&written.text, at, (size_t)(found - at));
        text_add(&written.text, new->bytes);
    }
    text_add(&written.text, at);
    return write_close(machine, &written, true, result);
}

// ljust, rjust, center
FUNCTION(padded) {
    int64_t width;
    if (!as_index(machine, ARGUMENT(1), &width)) return false;
    const char *fill = is_kind(ARGUMENT(2), OBJECT_STR) ? bytes_of(ARGUMENT(2)) : " ";
    const struct value specification = str_format(machine, "%.4s%c%" PRId64, fill,
                                                  IS_NAMED("ljust")    ? '<'
                                                  : IS_NAMED("center") ? '^'
                                                                       : '>',
                                                  width < 0 ? 0 : width);
    return format_value(machine, ARGUMENT(0), bytes_of(specification), result);
}

FUNCTION(zfill) {
    int64_t width, length;
    const size_t sign = strspn(SELF_STR->bytes, "+-") > 0;
    if (!as_index(machine, ARGUMENT(1), &width) || !length_of(machine, ARGUMENT(0), &length))
        return false;
    if (width > INT_MAX) return raise_full(machine);
    struct written written;
    write_open(machine, &written);
    text_add_bytes(&written.text, SELF_STR->bytes, sign);
    text_add_repeated(&written.text, "0", width > length ? (int)(width - length) : 0);
    text_add(&written.text, SELF_STR->bytes + sign);
    return write_close(machine, &written, true, result);
}

// startswith, endswith
FUNCTION(has_at_end) {
    const bool is_tuple = is_kind(ARGUMENT(1), OBJECT_TUPLE);
    bool answer = false;
    for (int64_t i = 0; !answer && i < (is_tuple ? as_list(ARGUMENT(1))->count : 1); i++) {
        const struct str *with = NULL;
        const struct value one = is_tuple ? as_list(ARGUMENT(1))->items[i] : ARGUMENT(1);
        if (!str_argument(machine, one, &with)) return false;
        const int64_t left = SELF_STR->length - with->length;
        const char *at = SELF_STR->bytes + (IS_NAMED("endswith") && left > 0 ? left : 0);
        answer = left >= 0 && memcmp(at, with->bytes, (size_t)with->length) == 0;
    }
    return gives(result, value_of_bool(answer));
}

FUNCTION(find) {
    const struct str *what = NULL;
    if (!str_argument(machine, ARGUMENT(1), &what)) return false;
    const char *found = strstr(SELF_STR->bytes, what->bytes);
    return gives(result, value_of_int(found == NULL ? -1 : found - SELF_STR->bytes));
}

FUNCTION(count_of_str) {
    const struct str *what = NULL;
    int64_t count = 0;
    if (!str_argument(machine, ARGUMENT(1), &what)) return false;
    const char *at = SELF_STR->bytes;
    for (; what->length > 0 && (at = strstr(at, what->bytes)) != NULL; at += what->length) count++;
    return gives(result, value_of_int(count));
}

// isalpha, isdigit, isalnum, isspace, isupper
FUNCTION(is_all) {
    bool answer = SELF_STR->length > 0;
    for (int64_t i = 0; i < SELF_STR->length; i++) {
        const unsigned char c = (unsigned char)SELF_STR->bytes[i];
        answer = answer && (IS_NAMED("isalpha")   ? isalpha(c)
                            : IS_NAMED("isdigit") ? isdigit(c)
                            : IS_NAMED("isalnum") ? isalnum(c)
                            : IS_NAMED("isspace") ? isspace(c)
                                                  : isupper(c));
    }
    return gives(result, value_of_bool(answer));
}

FUNCTION(decode) {
    *result = str_new(machine, SELF_STR->bytes, SELF_STR->length);
    return true;
}

FUNCTION(encode) {
    *result = str_new(machine, SELF_STR->bytes, SELF_STR->length);
    result->object->kind = OBJECT_BYTES;
    return true;
}

// The field {0}, {name}, {} of str.format, its [index] and .attribute left out.
static bool field_of(struct machine *machine, const struct arguments *arguments, const char *name,
                     size_t length, int *next, struct value *value) {
    char *text = arena_copy_bytes(machine->arena, name, length), *end = text;
    const long position = length == 0 ? (*next)++ : strtol(text, &end, 10);
    if (*end == '\0' && position >= as_list(ARGUMENT(1))->count)
        return machine_raise(machine, INDEX_ERROR,
                             "Replacement index %ld out of range for positional args tuple",
                             position);
    *value = *end == '\0' ? as_list(ARGUMENT(1))->items[position]
                          : dict_named(as_dict(ARGUMENT(2)), text);
    return value->kind != VALUE_ABSENT || raise_key(machine, str_of(machine, text));
}

static bool add_field(struct machine *machine, const struct arguments *arguments, const char **at,
                      int *next, struct text *text) {
    const char *close = strchr(*at, '}');
    if (**at == '}' || close == NULL)
        return machine_raise(machine, VALUE_ERROR, "Single '%c' encountered in format string",
                             **at);
    const size_t name = strcspn(*at + 1, "}:!");
    const char *rest = *at + 1 + name;
    struct value value, formatted;
    if (!field_of(machine, arguments, *at + 1, name, next, &value)) return false;
    if (*rest == '!') {
        if (!(rest[1] == 'r' ? value_repr : value_str)(machine, value, &value)) return false;
        rest += 2;
    }
    if (*rest == ':') rest++;
    const char *specification = arena_copy_bytes(machine->arena, rest, (size_t)(close - rest));
    if (!format_value(machine, value, specification, &formatted)) return false;
    write_str(text, formatted);
    *at = close + 1;
    return true;
}

FUNCTION(format) {
    struct written written;
    bool is_done = true;
    int next = 0;
    write_open(machine, &written);
    for (const char *at = SELF_STR->bytes; is_done && *at != '\0';) {
        const size_t plain = strcspn(at, "{}");
        text_add_bytes(&written.text, at, plain);
        at += plain;
        if (*at != '\0' && at[1] == *at) {
            text_add_bytes(&written.text, at, 1);
            at += 2;
        } else if (*at != '\0') {
            is_done = add_field(machine, arguments, &at, &next, &written.text);
        }
    }
    return write_close(machine, &written, is_done, result);
}

const struct native_row bytes_methods[] = {{"decode", "self, encoding=None, errors=None", decode},
                                           {NULL, NULL, NULL}};

const struct native_row str_methods[] = {
    {"join", "self, iterable", join},
    {"upper", "self", changed_case},
    {"lower", "self", changed_case},
    {"title", "self", changed_case},
    {"capitalize", "self", changed_case},
    {"swapcase", "self", changed_case},
    {"strip", "self, chars=None", strip},
    {"lstrip", "self, chars=None", strip},
    {"rstrip", "self, chars=None", strip},
    {"split", "self, sep=None, maxsplit=-1", split},
    {"splitlines", "self", splitlines},
    {"replace", "self, old, new", replace},
    {"ljust", "self, width, fillchar=' '", padded},
    {"rjust", "self, width, fillchar=' '", padded},
    {"center", "self, width, fillchar=' '", padded},
    {"zfill", "self, width", zfill},
    {"startswith", "self, prefix", has_at_end},
    {"endswith", "self, suffix", has_at_end},
    {"find", "self, sub", find},
    {"index", "self, sub", find},
    {"count", "self, sub", count_of_str},
    {"isalpha", "self", is_all},
    {"isdigit", "self", is_all},
    {"isalnum", "self", is_all},
    {"isspace", "self", is_all},
    {"isupper", "self", is_all},
    {"encode", "self, encoding=None", encode},
    {"format", "self, /, *args, **kwargs", format},
    {NULL, NULL, NULL},
};

// ---- list and tuple -----------------------------------------------------------------------------

FUNCTION(append) {
    list_append(machine, SELF_LIST, ARGUMENT(1));
    return true;
}

FUNCTION(extend) {
    return list_extend(machine, SELF_LIST, ARGUMENT(1));
}

FUNCTION(insert) {
    int64_t position;
    struct list *list = SELF_LIST;
    if (!as_index(machine, ARGUMENT(1), &position)) return false;
    if (position < 0) position = position + list->count < 0 ? 0 : position + list->count;
    if (position > list->count) position = list->count;
    list_append(machine, list, NONE_VALUE);
    memmove(list->items + position + 1, list->items + position,
            (size_t)(list->count - 1 - position) * sizeof *list->items);
    list->items[position] = ARGUMENT(2);
    return true;
}

FUNCTION(pop) {
    struct list *list = SELF_LIST;
    int64_t position;
    if (!as_index(machine, ARGUMENT(1), &position)) return false;
    if (list->count == 0) return machine_raise(machine, INDEX_ERROR, "pop from empty list");
    if (position < 0) position += list->count;
    if (position < 0 || position >= list->count)
        return machine_raise(machine, INDEX_ERROR, "pop index out of range");
    *result = list->items[position];
    list_remove(list, position);
    return true;
}

// The place of the second argument; -1: it is not there.
static bool place_of(struct machine *machine, const struct arguments *arguments,
                     int64_t *position) {
    bool is_found = false;
    for (*position = 0; *position < SELF_LIST->count; ++*position) {
        if (!is_or_equals(machine, SELF_LIST->items[*position], ARGUMENT(1), &is_found))
            return false;
        if (is_found) return true;
    }
    *position = -1;
    return true;
}

FUNCTION(index_of) {
    int64_t position;
    struct value text;
    if (!place_of(machine, arguments, &position)) return false;
    if (position >= 0) return gives(result, value_of_int(position));
    return value_repr(machine, ARGUMENT(1), &text) &&
           machine_raise(machine, VALUE_ERROR, "%s is not in list", bytes_of(text));
}

FUNCTION(remove_item) {
    int64_t position;
    if (!place_of(machine, arguments, &position)) return false;
    if (position < 0) return machine_raise(machine, VALUE_ERROR, "list.remove(x): x not in list");
    list_remove(SELF_LIST, position);
    return true;
}

FUNCTION(count_of_list) {
    int64_t count = 0;
    for (int64_t i = 0; i < SELF_LIST->count; i++) {
        bool is_equal;
        if (!values_equal(machine, SELF_LIST->items[i], ARGUMENT(1), &is_equal)) return false;
        count += is_equal;
    }
    return gives(result, value_of_int(count));
}

FUNCTION(sort) {
    bool reverse;
    return value_truth(machine, ARGUMENT(2), &reverse) &&
           sort_list(machine, SELF_LIST, ARGUMENT(1), reverse);
}

FUNCTION(reverse) {
    struct list *list = SELF_LIST;
    for (int64_t i = 0, j = list->count - 1; i < j; i++, j--) {
        const struct value item = list->items[i];
        list->items[i] = list->items[j];
        list->items[j] = item;
    }
    return true;
}

FUNCTION(copy_list) {
    return gives(result, list_new(machine, SELF_LIST->count, SELF_LIST->items));
}

FUNCTION(clear_list) {
    SELF_LIST->count = 0;
    return true;
}

FUNCTION(numel) { // torch.Size
    int64_t count = 1;
    for (int64_t i = 0; i < SELF_LIST->count; i++) count *= SELF_LIST->items[i].integer;
    return gives(result, value_of_int(count));
}

const struct native_row list_methods[] = {
    {"append", "self, object", append},
    {"extend", "self, iterable", extend},
    {"insert", "self, index, object", insert},
    {"pop", "self, index=-1", pop},
    {"index", "self, value", index_of},
    {"remove", "self, value", remove_item},
    {"count", "self, value", count_of_list},
    {"sort", "self, *, key=None, reverse=False", sort},
    {"reverse", "self", reverse},
    {"copy", "self", copy_list},
    {"clear", "self", clear_list},
    {NULL, NULL, NULL},
};
const struct native_row tuple_methods[] = {{"index", "self, value", index_of},
                                           {"count", "self, value", count_of_list},
                                           {"numel", "self", numel},
                                           {NULL, NULL, NULL}};

// ---- dict and set -------------------------------------------------------------------------------

// keys, values, items
FUNCTION(view) {
    struct value pair[2];
    *result = list_new(machine, 0, NULL);
    as_list(*result)->type_name = IS_NAMED("keys")     ? "dict_keys"
                                  : IS_NAMED("values") ? "dict_values"
                                                       : "dict_items";
    for (int64_t i = 0; dict_next(SELF_DICT, &i, &pair[0], &pair[1]);)
        list_append(machine, as_list(*result),
                    IS_NAMED("items") ? tuple_new(machine, 2, pair) : pair[IS_NAMED("values")]);
    return true;
}

// get, setdefault, pop
FUNCTION(get) {
    bool was_there;
    if (!dict_get(machine, SELF_DICT, ARGUMENT(1), result)) return false;
    if (result->kind != VALUE_ABSENT)
        return !IS_NAMED("pop") || dict_delete(machine, SELF_DICT, ARGUMENT(1), &was_there);
    *result = ARGUMENT(2);
    if (result->kind == VALUE_ABSENT) return raise_key(machine, ARGUMENT(1));
    return !IS_NAMED("setdefault") || dict_set(machine, SELF_DICT, ARGUMENT(1), ARGUMENT(2));
}

FUNCTION(update) {
    for (int i = 1; i < 3; i++)
        if (ARGUMENT(i).kind != VALUE_ABSENT && !update_dict(machine, SELF_DICT, ARGUMENT(i)))
            return false;
    return true;
}

FUNCTION(copy_dict) {
    *result = SELF_DICT->object.kind == OBJECT_DICT ? dict_new(machine) : set_new(machine);
    machine_keep(machine, *result);
    return update_dict(machine, as_dict(*result), ARGUMENT(0));
}

FUNCTION(clear_dict) {
    dict_clear(machine, SELF_DICT);
    return true;
}

const struct native_row dict_methods[] = {
    {"keys", "self", view},
    {"values", "self", view},
    {"items", "self", view},
    {"get", "self, key, default=None", get},
    {"setdefault", "self, key, default=None", get},
    {"pop", "self, key, default=...", get},
    {"update", "self, other=..., /, **kwargs", update},
    {"copy", "self", copy_dict},
    {"clear", "self", clear_dict},
    {NULL, NULL, NULL},
};

FUNCTION(add_to_set) {
    return dict_set(machine, SELF_DICT, ARGUMENT(1), NONE_VALUE);
}

FUNCTION(add_all_to_set) {
    struct value other;
    return set_from(machine, ARGUMENT(1), &other) && update_dict(machine, SELF_DICT, other);
}

// remove, discard
FUNCTION(remove_from_set) {
    bool was_there;
    return dict_delete(machine, SELF_DICT, ARGUMENT(1), &was_there) &&
           (was_there || IS_NAMED("discard") || raise_key(machine, ARGUMENT(1)));
}

// union, intersection, difference, issubset, issuperset: what an operator does with the set and a set of the other's items.
FUNCTION(with_other) {
    const enum operator operator= IS_NAMED("union") ? OP_OR_BITS
    : IS_NAMED("intersection")                      ? OP_AND_BITS
    : IS_NAMED("difference")                        ? OP_SUBTRACT
    : IS_NAMED("issubset")                          ? OP_AT_MOST
                                                    : OP_AT_LEAST;
    struct value other;
    if (!set_from(machine, ARGUMENT(1), &other)) return false;
    machine_keep(machine, other);
    return (operator>= OP_LESS ? compare_values : binary)(machine, operator, ARGUMENT(0), other,
                                                          result);
}

const struct native_row set_methods[] = {
    {"add", "self, elem", add_to_set},
    {"remove", "self, elem", remove_from_set},
    {"discard", "self, elem", remove_from_set},
    {"union", "self, other", with_other},
    {"intersection", "self, other", with_other},
    {"difference", "self, other", with_other},
    {"issubset", "self, other", with_other},
    {"issuperset", "self, other", with_other},
    {"update", "self, other", add_all_to_set},
    {"copy", "self", copy_dict},
    {"clear", "self", clear_dict},
    {NULL, NULL, NULL},
};

// ---- int and float ------------------------------------------------------------------------------

FUNCTION(is_whole) {
    const struct value x = ARGUMENT(0);
    return gives(result, value_of_bool(is_integer(x) ||
                                       (isfinite(x.number) && x.number == floor(x.number))));
}

FUNCTION(bit_length) {
    const int64_t n = integer_of(ARGUMENT(0));
    int64_t bits = 0;
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left != 0; left >>= 1) bits++;
    return gives(result, value_of_int(bits));
}

const struct native_row int_methods[] = {
    {"bit_length", "self", bit_length}, {"is_integer", "self", is_whole}, {NULL, NULL, NULL}};
const struct native_row float_methods[] = {{"is_integer", "self", is_whole}, {NULL, NULL, NULL}};
