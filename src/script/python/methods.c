// The methods of str, list, tuple, dict, set, int and float.

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

#define FUNCTION(name)                                                                             \
    static bool name(__attribute__((unused)) struct machine *machine,                              \
                     __attribute__((unused)) struct arguments *arguments,                          \
                     __attribute__((unused)) struct value *result)
#define ARGUMENT(i) (arguments->values[i])
#define SELF_STR ((const struct str *)ARGUMENT(0).object)
#define SELF_LIST ((struct list *)ARGUMENT(0).object)
#define SELF_DICT ((struct dict *)ARGUMENT(0).object)

static bool str_argument(struct machine *machine, struct value value, const struct str **str) {
    if (!is_kind(value, OBJECT_STR))
        return machine_raise(machine, TYPE_ERROR, "a str is needed, not '%s'", type_name(value));
    *str = (const struct str *)value.object;
    return true;
}

// ---- str ----------------------------------------------------------------------------------------

FUNCTION(join) {
    struct list *list;
    if (!machine_list_of(machine, ARGUMENT(1), &list)) return false;
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    bool is_done = true;
    text_add(&text, "");
    for (int64_t i = 0; is_done && i < list->count; i++) {
        const struct str *item = (const struct str *)list->items[i].object;
        if (i > 0) text_add_bytes(&text, SELF_STR->bytes, (size_t)SELF_STR->length);
        if (!is_kind(list->items[i], OBJECT_STR))
            is_done = machine_raise(machine, TYPE_ERROR,
                                    "sequence item %" PRId64 ": expected str instance, %s found", i,
                                    type_name(list->items[i]));
        else
            text_add_bytes(&text, item->bytes, (size_t)item->length);
    }
    if (is_done) *result = str_new(machine, text.bytes, (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}

static bool changed(struct machine *machine, const struct str *str, int (*change)(int first, int c),
                    struct value *result) {
    *result = str_new(machine, str->bytes, str->length);
    struct str *copy = (struct str *)result->object;
    for (int64_t i = 0; i < copy->length; i++) {
        const unsigned char byte = (unsigned char)copy->bytes[i];
        const int first = i == 0 || !isalpha((unsigned char)copy->bytes[i - 1]);
        if (byte < 128) copy->bytes[i] = (char)change(i == 0 ? 2 : first, byte);
    }
    copy->hash = bytes_hash(copy->bytes, copy->length);
    return true;
}
static int to_upper(int first, int c) {
    (void)first;
    return toupper(c);
}
static int to_lower(int first, int c) {
    (void)first;
    return tolower(c);
}
static int to_title(int first, int c) {
    return first ? toupper(c) : tolower(c);
}
static int to_capital(int first, int c) {
    return first == 2 ? toupper(c) : tolower(c);
}
static int to_other(int first, int c) {
    (void)first;
    return isupper(c) ? tolower(c) : toupper(c);
}
FUNCTION(upper) {
    return changed(machine, SELF_STR, to_upper, result);
}
FUNCTION(lower) {
    return changed(machine, SELF_STR, to_lower, result);
}
FUNCTION(title) {
    return changed(machine, SELF_STR, to_title, result);
}
FUNCTION(capitalize) {
    return changed(machine, SELF_STR, to_capital, result);
}
FUNCTION(swapcase) {
    return changed(machine, SELF_STR, to_other, result);
}

static bool stripped(struct machine *machine, const struct arguments *arguments, bool left,
                     bool right, struct value *result) {
    const char *set = is_kind(ARGUMENT(1), OBJECT_STR) ? ((struct str *)ARGUMENT(1).object)->bytes
                                                       : " \t\n\r\v\f";
    const char *bytes = SELF_STR->bytes;
    int64_t first = 0, behind = SELF_STR->length;
    while (left && first < behind && strchr(set, bytes[first]) != NULL) first++;
    while (right && behind > first && strchr(set, bytes[behind - 1]) != NULL) behind--;
    *result = str_new(machine, bytes + first, behind - first);
    return true;
}
FUNCTION(strip) {
    return stripped(machine, arguments, true, true, result);
}
FUNCTION(lstrip) {
    return stripped(machine, arguments, true, false, result);
}
FUNCTION(rstrip) {
    return stripped(machine, arguments, false, true, result);
}

static bool split_at_blanks(struct machine *machine, const struct str *str, struct list *list) {
    const char *at = str->bytes;
    while (*(at += strspn(at, " \t\n\r\v\f")) != '\0') {
        const size_t length = strcspn(at, " \t\n\r\v\f");
        list_append(machine, list, str_new(machine, at, (int64_t)length));
        at += length;
    }
    return true;
}

FUNCTION(split) {
    *result = list_new(machine, 0, NULL);
    struct list *list = (struct list *)result->object;
    const struct str *mark = NULL;
    int64_t most;
    if (ARGUMENT(1).kind == VALUE_NONE) return split_at_blanks(machine, SELF_STR, list);
    if (!str_argument(machine, ARGUMENT(1), &mark) || !as_index(machine, ARGUMENT(2), &most))
        return false;
    if (mark->length == 0) return machine_raise(machine, VALUE_ERROR, "empty separator");
    const char *at = SELF_STR->bytes;
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
        list_append(machine, (struct list *)result->object, str_new(machine, at, (int64_t)length));
        at += length + (at[length] == '\n');
    }
    return true;
}

FUNCTION(replace) {
    const struct str *old = NULL, *new = NULL;
    if (!str_argument(machine, ARGUMENT(1), &old) || !str_argument(machine, ARGUMENT(2), &new))
        return false;
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    const char *at = SELF_STR->bytes;
    text_add(&text, "");
    for (const char *found; old->length > 0 && (found = strstr(at, old->bytes)) != NULL;
         at = found + old->length) {
        text_add_bytes(&text, at, (size_t)(found - at));
        text_add_bytes(&text, new->bytes, (size_t) new->length);
    }
    text_add(&text, at);
    *result = str_new(machine, text.bytes, (int64_t)text.length);
    scratch_close(&scratch);
    return true;
}

static bool padded(struct machine *machine, struct arguments *arguments, const char *align,
                   struct value *result) {
    int64_t width;
    if (!as_index(machine, ARGUMENT(1), &width)) return false;
    const char *fill = arguments->count > 2 && is_kind(ARGUMENT(2), OBJECT_STR)
                           ? ((struct str *)ARGUMENT(2).object)->bytes
                           : " ";
    char specification[40];
    snprintf(specification, sizeof specification, "%.4s%s%" PRId64, fill, align,
             width < 0 ? 0 : width);
    return format_value(machine, ARGUMENT(0), specification, result);
}
FUNCTION(ljust) {
    return padded(machine, arguments, "<", result);
}
FUNCTION(rjust) {
    return padded(machine, arguments, ">", result);
}
FUNCTION(center) {
    return padded(machine, arguments, "^", result);
}
FUNCTION(zfill) {
    struct value values[] = {ARGUMENT(0), ARGUMENT(1), str_of(machine, "0")};
    struct arguments all = {.count = 3, .values = values};
    const char sign = SELF_STR->bytes[0];
    if (sign != '-' && sign != '+') return padded(machine, &all, ">", result);
    values[0] = str_of(machine, SELF_STR->bytes + 1);
    values[1].integer--;
    if (!padded(machine, &all, ">", result)) return false;
    *result = str_format(machine, "%c%s", sign, ((struct str *)result->object)->bytes);
    return true;
}

static bool starts(const struct str *str, const struct str *with) {
    return str->length >= with->length &&
           memcmp(str->bytes, with->bytes, (size_t)with->length) == 0;
}
static bool ends(const struct str *str, const struct str *with) {
    return str->length >= with->length &&
           memcmp(str->bytes + str->length - with->length, with->bytes, (size_t)with->length) == 0;
}
static bool any_of(struct machine *machine, const struct arguments *arguments,
                   bool (*is_so)(const struct str *, const struct str *), struct value *result) {
    const bool is_tuple = is_kind(ARGUMENT(1), OBJECT_TUPLE);
    const struct list *list = (const struct list *)ARGUMENT(1).object;
    bool answer = false;
    for (int64_t i = 0; !answer && i < (is_tuple ? list->count : 1); i++) {
        const struct str *with = NULL;
        if (!str_argument(machine, is_tuple ? list->items[i] : ARGUMENT(1), &with)) return false;
        answer = is_so(SELF_STR, with);
    }
    *result = value_of_bool(answer);
    return true;
}
FUNCTION(startswith) {
    return any_of(machine, arguments, starts, result);
}
FUNCTION(endswith) {
    return any_of(machine, arguments, ends, result);
}

FUNCTION(find) {
    const struct str *what = NULL;
    if (!str_argument(machine, ARGUMENT(1), &what)) return false;
    const char *found = strstr(SELF_STR->bytes, what->bytes);
    *result = value_of_int(found == NULL ? -1 : found - SELF_STR->bytes);
    return true;
}

FUNCTION(count_of_str) {
    const struct str *what = NULL;
    int64_t count = 0;
    if (!str_argument(machine, ARGUMENT(1), &what)) return false;
    for (const char *at = SELF_STR->bytes;
         what->length > 0 && (at = strstr(at, what->bytes)) != NULL; at += what->length)
        count++;
    *result = value_of_int(count);
    return true;
}

static bool every(const struct str *str, int (*is_so)(int c)) {
    for (int64_t i = 0; i < str->length; i++)
        if (!is_so((unsigned char)str->bytes[i])) return false;
    return str->length > 0;
}
FUNCTION(isalpha_) {
    (void)machine;
    *result = value_of_bool(every(SELF_STR, isalpha));
    return true;
}
FUNCTION(isdigit_) {
    (void)machine;
    *result = value_of_bool(every(SELF_STR, isdigit));
    return true;
}
FUNCTION(isalnum_) {
    (void)machine;
    *result = value_of_bool(every(SELF_STR, isalnum));
    return true;
}
FUNCTION(isspace_) {
    (void)machine;
    *result = value_of_bool(every(SELF_STR, isspace));
    return true;
}
FUNCTION(isupper_) {
    (void)machine;
    *result = value_of_bool(every(SELF_STR, isupper));
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
    char *text = arena_copy_bytes(machine->arena, name, length);
    char *end;
    const long place = length == 0 ? (*next)++ : strtol(text, &end, 10);
    if (length == 0 || *end == '\0') {
        if (place + 1 >= arguments->count)
            return machine_raise(machine, INDEX_ERROR,
                                 "Replacement index %ld out of range for positional args tuple",
                                 place);
        *value = ARGUMENT(place + 1);
        return true;
    }
    for (int i = 0; i < arguments->keyword_count; i++)
        if (strcmp(arguments->keywords[i], text) == 0) {
            *value = arguments->keyword_values[i];
            return true;
        }
    const struct value key = str_of(machine, text);
    return raise_value(
        machine, exception_new(machine, machine_exception_class(machine, KEY_ERROR), 1, &key));
}

static bool add_fields(struct machine *machine, const struct arguments *arguments,
                       struct text *text) {
    int next = 0;
    for (const char *at = SELF_STR->bytes; *at != '\0';) {
        const size_t plain = strcspn(at, "{}");
        text_add_bytes(text, at, plain);
        at += plain;
        if (*at == '\0') break;
        if (at[1] == *at) {
            text_add_bytes(text, at, 1);
            at += 2;
            continue;
        }
        const char *close = strchr(at, '}');
        if (*at == '}' || close == NULL)
            return machine_raise(machine, VALUE_ERROR, "Single '%c' encountered in format string",
                                 *at);
        const size_t name = strcspn(at + 1, "}:!");
        const char *rest = at + 1 + name;
        struct value value, formatted;
        if (!field_of(machine, arguments, at + 1, name, &next, &value)) return false;
        if (*rest == '!') {
            if (!(rest[1] == 'r' ? value_repr(machine, value, &value)
                                 : value_str(machine, value, &value)))
                return false;
            rest += 2;
        }
        if (*rest == ':') rest++;
        const char *specification = arena_copy_bytes(machine->arena, rest, (size_t)(close - rest));
        if (!format_value(machine, value, specification, &formatted)) return false;
        text_add_bytes(text, ((struct str *)formatted.object)->bytes,
                       (size_t)((struct str *)formatted.object)->length);
        at = close + 1;
    }
    return true;
}

FUNCTION(format) {
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    text_add(&text, "");
    const bool is_done = add_fields(machine, arguments, &text);
    if (is_done) *result = str_new(machine, text.bytes, (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}

const struct native_row str_methods[] = {
    {"join", "self, iterable", join},
    {"upper", "self", upper},
    {"lower", "self", lower},
    {"title", "self", title},
    {"capitalize", "self", capitalize},
    {"swapcase", "self", swapcase},
    {"strip", "self, chars=None", strip},
    {"lstrip", "self, chars=None", lstrip},
    {"rstrip", "self, chars=None", rstrip},
    {"split", "self, sep=None, maxsplit=-1", split},
    {"splitlines", "self", splitlines},
    {"replace", "self, old, new", replace},
    {"ljust", NULL, ljust},
    {"rjust", NULL, rjust},
    {"center", NULL, center},
    {"zfill", "self, width", zfill},
    {"startswith", "self, prefix", startswith},
    {"endswith", "self, suffix", endswith},
    {"find", "self, sub", find},
    {"index", "self, sub", find},
    {"count", "self, sub", count_of_str},
    {"isalpha", "self", isalpha_},
    {"isdigit", "self", isdigit_},
    {"isalnum", "self", isalnum_},
    {"isspace", "self", isspace_},
    {"isupper", "self", isupper_},
    {"encode", "self, encoding=None", encode},
    {"format", NULL, format},
    {NULL, NULL, NULL},
};

// ---- list and tuple -----------------------------------------------------------------------------

FUNCTION(append) {
    list_append(machine, SELF_LIST, ARGUMENT(1));
    *result = NONE_VALUE;
    return true;
}

FUNCTION(extend) {
    struct list *more;
    if (!machine_list_of(machine, ARGUMENT(1), &more)) return false;
    const int64_t count = more->count;
    for (int64_t i = 0; i < count; i++) list_append(machine, SELF_LIST, more->items[i]);
    return true;
}

FUNCTION(insert) {
    int64_t place;
    struct list *list = SELF_LIST;
    if (!as_index(machine, ARGUMENT(1), &place)) return false;
    if (place < 0) place = place + list->count < 0 ? 0 : place + list->count;
    if (place > list->count) place = list->count;
    list_append(machine, list, NONE_VALUE);
    memmove(list->items + place + 1, list->items + place,
            (size_t)(list->count - 1 - place) * sizeof *list->items);
    list->items[place] = ARGUMENT(2);
    return true;
}

FUNCTION(pop) {
    struct list *list = SELF_LIST;
    int64_t place;
    if (!as_index(machine, ARGUMENT(1), &place)) return false;
    if (list->count == 0) return machine_raise(machine, INDEX_ERROR, "pop from empty list");
    if (place < 0) place += list->count;
    if (place < 0 || place >= list->count)
        return machine_raise(machine, INDEX_ERROR, "pop index out of range");
    *result = list->items[place];
    memmove(list->items + place, list->items + place + 1,
            (size_t)(list->count - place - 1) * sizeof *list->items);
    list->count--;
    return true;
}

static bool place_of(struct machine *machine, const struct list *list, struct value item,
                     int64_t *place) {
    for (*place = 0; *place < list->count; ++*place) {
        bool is_equal = value_is_same(list->items[*place], item);
        if (!is_equal && !values_equal(machine, list->items[*place], item, &is_equal)) return false;
        if (is_equal) return true;
    }
    *place = -1;
    return true;
}

FUNCTION(index_of) {
    int64_t place;
    struct value as_text;
    if (!place_of(machine, SELF_LIST, ARGUMENT(1), &place)) return false;
    *result = value_of_int(place);
    if (place >= 0) return true;
    if (!value_repr(machine, ARGUMENT(1), &as_text)) return false;
    return machine_raise(machine, VALUE_ERROR, "%s is not in list",
                         ((struct str *)as_text.object)->bytes);
}

FUNCTION(remove_item) {
    int64_t place;
    struct list *list = SELF_LIST;
    if (!place_of(machine, list, ARGUMENT(1), &place)) return false;
    if (place < 0) return machine_raise(machine, VALUE_ERROR, "list.remove(x): x not in list");
    memmove(list->items + place, list->items + place + 1,
            (size_t)(list->count - place - 1) * sizeof *list->items);
    list->count--;
    *result = NONE_VALUE;
    return true;
}

FUNCTION(count_of_list) {
    int64_t count = 0;
    for (int64_t i = 0; i < SELF_LIST->count; i++) {
        bool is_equal;
        if (!values_equal(machine, SELF_LIST->items[i], ARGUMENT(1), &is_equal)) return false;
        count += is_equal;
    }
    *result = value_of_int(count);
    return true;
}

FUNCTION(sort) {
    bool reverse;
    *result = NONE_VALUE;
    return value_truth(machine, ARGUMENT(2), &reverse) &&
           sort_list(machine, SELF_LIST, ARGUMENT(1), reverse);
}

FUNCTION(reverse) {
    struct list *list = SELF_LIST;
    (void)machine;
    for (int64_t i = 0, j = list->count - 1; i < j; i++, j--) {
        const struct value item = list->items[i];
        list->items[i] = list->items[j];
        list->items[j] = item;
    }
    *result = NONE_VALUE;
    return true;
}

FUNCTION(copy_list) {
    *result = list_new(machine, SELF_LIST->count, SELF_LIST->items);
    return true;
}

FUNCTION(clear_list) {
    (void)machine;
    SELF_LIST->count = 0;
    *result = NONE_VALUE;
    return true;
}

FUNCTION(numel) { // torch.Size
    int64_t count = 1;
    (void)machine;
    for (int64_t i = 0; i < SELF_LIST->count; i++) count *= SELF_LIST->items[i].integer;
    *result = value_of_int(count);
    return true;
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

enum view { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS };
static bool view_of(struct machine *machine, const struct dict *dict, enum view view,
                    struct value *result) {
    static const char *const names[] = {"dict_keys", "dict_values", "dict_items"};
    struct value pair[2];
    *result = list_new(machine, 0, NULL);
    struct list *list = (struct list *)result->object;
    list->type_name = names[view];
    for (int64_t i = 0; dict_next(dict, &i, &pair[0], &pair[1]);)
        list_append(machine, list,
                    view == VIEW_KEYS     ? pair[0]
                    : view == VIEW_VALUES ? pair[1]
                                          : tuple_new(machine, 2, pair));
    return true;
}
FUNCTION(keys) {
    return view_of(machine, SELF_DICT, VIEW_KEYS, result);
}
FUNCTION(values) {
    return view_of(machine, SELF_DICT, VIEW_VALUES, result);
}
FUNCTION(items) {
    return view_of(machine, SELF_DICT, VIEW_ITEMS, result);
}

FUNCTION(get) {
    if (!dict_get(machine, SELF_DICT, ARGUMENT(1), result)) return false;
    if (result->kind == VALUE_ABSENT) *result = ARGUMENT(2);
    return true;
}

FUNCTION(setdefault) {
    if (!dict_get(machine, SELF_DICT, ARGUMENT(1), result)) return false;
    if (result->kind != VALUE_ABSENT) return true;
    *result = ARGUMENT(2);
    return dict_set(machine, SELF_DICT, ARGUMENT(1), ARGUMENT(2));
}

FUNCTION(pop_key) {
    bool was_there;
    if (arguments->count < 2)
        return machine_raise(machine, TYPE_ERROR, "pop expected at least 1 argument, got 0");
    if (!dict_get(machine, SELF_DICT, ARGUMENT(1), result)) return false;
    if (result->kind != VALUE_ABSENT)
        return dict_delete(machine, SELF_DICT, ARGUMENT(1), &was_there);
    if (arguments->count < 3)
        return raise_value(
            machine,
            exception_new(machine, machine_exception_class(machine, KEY_ERROR), 1, &ARGUMENT(1)));
    *result = ARGUMENT(2);
    return true;
}

FUNCTION(update) {
    struct dict *dict = SELF_DICT;
    *result = NONE_VALUE;
    if (arguments->count > 1 && !update_dict(machine, dict, ARGUMENT(1))) return false;
    for (int i = 0; i < arguments->keyword_count; i++)
        dict_name(machine, dict, arguments->keywords[i], arguments->keyword_values[i]);
    return true;
}

FUNCTION(copy_dict) {
    struct value key, item;
    *result = SELF_DICT->object.kind == OBJECT_DICT ? dict_new(machine) : set_new(machine);
    for (int64_t i = 0; dict_next(SELF_DICT, &i, &key, &item);)
        if (!dict_set(machine, (struct dict *)result->object, key, item)) return false;
    return true;
}

FUNCTION(clear_dict) {
    (void)machine;
    dict_clear(SELF_DICT);
    *result = NONE_VALUE;
    return true;
}

const struct native_row dict_methods[] = {
    {"keys", "self", keys},
    {"values", "self", values},
    {"items", "self", items},
    {"get", "self, key, default=None", get},
    {"setdefault", "self, key, default=None", setdefault},
    {"pop", NULL, pop_key},
    {"update", NULL, update},
    {"copy", "self", copy_dict},
    {"clear", "self", clear_dict},
    {NULL, NULL, NULL},
};

FUNCTION(add_to_set) {
    *result = NONE_VALUE;
    return dict_set(machine, SELF_DICT, ARGUMENT(1), NONE_VALUE);
}

FUNCTION(remove_from_set) {
    bool was_there;
    *result = NONE_VALUE;
    if (!dict_delete(machine, SELF_DICT, ARGUMENT(1), &was_there)) return false;
    if (was_there || strcmp(arguments->row->name, "discard") == 0) return true;
    return raise_value(machine, exception_new(machine, machine_exception_class(machine, KEY_ERROR),
                                              1, &ARGUMENT(1)));
}

static bool with_other(struct machine *machine, const struct arguments *arguments,
                       enum operator operator, struct value * result) {
    struct list *list;
    struct value other = set_new(machine);
    machine_keep(machine, other);
    if (!machine_list_of(machine, ARGUMENT(1), &list)) return false;
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, (struct dict *)other.object, list->items[i], NONE_VALUE))
            return false;
    return operator== OP_AT_MOST || operator== OP_AT_LEAST
               ? compare_values(machine, operator, ARGUMENT(0), other, result)
               : binary(machine, operator, ARGUMENT(0), other, result);
}
FUNCTION(unite) {
    return with_other(machine, arguments, OP_OR_BITS, result);
}
FUNCTION(intersect) {
    return with_other(machine, arguments, OP_AND_BITS, result);
}
FUNCTION(subtract) {
    return with_other(machine, arguments, OP_SUBTRACT, result);
}
FUNCTION(is_below) {
    return with_other(machine, arguments, OP_AT_MOST, result);
}
FUNCTION(is_above) {
    return with_other(machine, arguments, OP_AT_LEAST, result);
}

const struct native_row set_methods[] = {
    {"add", "self, elem", add_to_set},
    {"remove", "self, elem", remove_from_set},
    {"discard", "self, elem", remove_from_set},
    {"union", "self, other", unite},
    {"intersection", "self, other", intersect},
    {"difference", "self, other", subtract},
    {"issubset", "self, other", is_below},
    {"issuperset", "self, other", is_above},
    {"update", NULL, update},
    {"copy", "self", copy_dict},
    {"clear", "self", clear_dict},
    {NULL, NULL, NULL},
};

// ---- int and float ------------------------------------------------------------------------------

FUNCTION(is_integer) {
    const struct value x = ARGUMENT(0);
    (void)machine;
    *result =
        value_of_bool(x.kind != VALUE_FLOAT || (isfinite(x.number) && x.number == floor(x.number)));
    return true;
}

FUNCTION(bit_length) {
    const struct value x = ARGUMENT(0);
    int64_t n = x.kind == VALUE_BOOL ? x.truth : x.integer, bits = 0;
    (void)machine;
    for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left != 0; left >>= 1) bits++;
    *result = value_of_int(bits);
    return true;
}

const struct native_row int_methods[] = {
    {"bit_length", "self", bit_length}, {"is_integer", "self", is_integer}, {NULL, NULL, NULL}};
const struct native_row float_methods[] = {{"is_integer", "self", is_integer}, {NULL, NULL, NULL}};
