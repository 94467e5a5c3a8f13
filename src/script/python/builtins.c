// Python's built-in functions and types.

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "script/python/native.h"

// ---- Printing -----------------------------------------------------------------------------------

FUNCTION(print) {
    const struct list *list = as_list(ARGUMENT(0));
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    struct value str;
    bool is_done = true;
    for (int64_t i = 0; is_done && i < list->count; i++) {
        if (i > 0) text_add(&text, is_kind(ARGUMENT(1), OBJECT_STR) ? bytes_of(ARGUMENT(1)) : " ");
        is_done = value_str(machine, list->items[i], &str);
        if (is_done) write_str(&text, str);
    }
    text_add(&text, is_kind(ARGUMENT(2), OBJECT_STR) ? bytes_of(ARGUMENT(2)) : "\n");
    if (is_done && machine->options.print != NULL)
        machine->options.print(machine->options.context, text.bytes, text.length);
    scratch_close(&scratch);
    return is_done;
}

// ---- Iterables ----------------------------------------------------------------------------------

FUNCTION(len) {
    int64_t length;
    return length_of(machine, ARGUMENT(0), &length) && gives(result, value_of_int(length));
}

// Of range() and slice(): one to three.
static bool check_count(struct machine *machine, const struct arguments *arguments) {
    const int64_t count = as_list(ARGUMENT(0))->count;
    return (count >= 1 && count <= 3) ||
           machine_raise(machine, TYPE_ERROR, "%s expected at least 1 argument, got %d",
                         arguments->row->name, (int)count);
}

FUNCTION(make_range) {
    const struct list *list = as_list(ARGUMENT(0));
    int64_t bounds[3] = {0, 0, 1};
    if (!check_count(machine, arguments)) return false;
    for (int64_t i = 0; i < list->count; i++)
        if (!as_index(machine, list->items[i], &bounds[list->count == 1 ? 1 : i])) return false;
    if (bounds[2] == 0)
        return machine_raise(machine, VALUE_ERROR, "range() arg 3 must not be zero");
    return gives(result, range_new(machine, bounds[0], bounds[1], bounds[2]));
}

FUNCTION(make_slice) {
    const struct list *list = as_list(ARGUMENT(0));
    if (!check_count(machine, arguments)) return false;
    return gives(result, slice_new(machine, list->count > 1 ? list->items[0] : NONE_VALUE,
                                   list->items[list->count > 1],
                                   list->count > 2 ? list->items[2] : NONE_VALUE));
}

static bool iterator_of(struct machine *machine, enum iterator_kind kind, struct value of,
                        int64_t count, const struct value *iterables, struct value *result) {
    *result = iterator_new(machine, kind, of);
    machine_keep(machine, *result);
    struct iterator *iterator = as_iterator(*result);
    iterator->others = values_new(machine, count);
    for (; iterator->count < count; iterator->count++)
        if (!machine_iterate(machine, iterables[iterator->count],
                             &iterator->others[iterator->count]))
            return false;
    return true;
}

FUNCTION(enumerate) { // what zip() makes of an endless range and the iterable
    int64_t start;
    if (!as_index(machine, ARGUMENT(1), &start)) return false;
    struct value both[] = {range_new(machine, start, INT64_MAX, 1), ARGUMENT(0)};
    return iterator_of(machine, ITERATE_ZIP, NONE_VALUE, 2, both, result);
}

FUNCTION(zip) {
    const struct list *list = as_list(ARGUMENT(0));
    if (list->count == 0) return gives(result, list_new(machine, 0, NULL));
    return iterator_of(machine, ITERATE_ZIP, NONE_VALUE, list->count, list->items, result) &&
           value_truth(machine, ARGUMENT(1), &as_iterator(*result)->is_strict);
}

FUNCTION(map) {
    const struct list *list = as_list(ARGUMENT(1));
    if (list->count == 0)
        return machine_raise(machine, TYPE_ERROR, "map() must have at least two arguments.");
    return iterator_of(machine, ITERATE_MAP, ARGUMENT(0), list->count, list->items, result);
}

FUNCTION(filter) {
    return iterator_of(machine, ITERATE_FILTER, ARGUMENT(0), 1, arguments->values + 1, result);
}

FUNCTION(reversed) {
    struct list *list;
    const struct value of = ARGUMENT(0);
    if (is_kind(of, OBJECT_TENSOR) || is_kind(of, OBJECT_SET))
        return machine_raise(machine, TYPE_ERROR, "'%s' object is not reversible", type_name(of));
    if (!machine_list_of(machine, of, &list)) return false;
    return gives(result, iterator_new(machine, ITERATE_REVERSED, value_of_object(list)));
}

FUNCTION(iter) {
    return machine_iterate(machine, ARGUMENT(0), result);
}

FUNCTION(next) {
    if (!machine_next(machine, ARGUMENT(0), result)) return false;
    if (result->kind == VALUE_ABSENT) *result = ARGUMENT(1);
    return result->kind != VALUE_ABSENT || machine_raise(machine, STOP_ITERATION, "%s", "");
}

// Items, by which keys they are sorted, and room for as many.
struct sorting {
    struct value *keys, *items, *spare_keys, *spare_items;
};

// A stable merge sort; reverse keeps equal items in their order, as Python does.
static bool merge_sort(struct machine *machine, struct sorting *s, int64_t first, int64_t behind,
                       bool reverse) {
    if (behind - first < 2) return true;
    const int64_t middle = first + (behind - first) / 2;
    if (!merge_sort(machine, s, first, middle, reverse) ||
        !merge_sort(machine, s, middle, behind, reverse))
        return false;
    int64_t a = first, b = middle;
    for (int64_t to = first; to < behind; to++) {
        bool takes_second = a == middle;
        if (a < middle && b < behind) {
            struct value answer;
            if (!compare_values(machine, OP_LESS, reverse ? s->keys[a] : s->keys[b],
                                reverse ? s->keys[b] : s->keys[a], &answer))
                return false;
            if (!value_truth(machine, answer, &takes_second)) return false;
        }
        const int64_t from = takes_second ? b++ : a++;
        s->spare_keys[to] = s->keys[from];
        s->spare_items[to] = s->items[from];
    }
    const size_t size = (size_t)(behind - first) * sizeof *s->keys;
    memcpy(s->keys + first, s->spare_keys + first, size);
    memcpy(s->items + first, s->spare_items + first, size);
    return true;
}

static bool sort_items(struct machine *machine, struct list *list, struct value key, bool reverse) {
    const struct value keys = list_new(machine, list->count, list->items),
                       spare = list_new(machine, list->count, NULL),
                       more = list_new(machine, list->count, NULL);
    machine_keep(machine, keys);
    machine_keep(machine, spare);
    machine_keep(machine, more);
    struct sorting s = {as_list(keys)->items, list->items, as_list(spare)->items,
                        as_list(more)->items};
    for (int64_t i = 0; is_given(key) && i < list->count; i++)
        if (!machine_call(machine, key, 1, &list->items[i], &s.keys[i])) return false;
    return merge_sort(machine, &s, 0, list->count, reverse);
}

static void exchange_items(struct list *a, struct list *b) {
    const struct list kept = *a;
    a->items = b->items, a->count = b->count, a->room = b->room;
    b->items = kept.items, b->count = kept.count, b->room = kept.room;
}

// The list is empty meanwhile: keys and comparisons may change it.
bool sort_list(struct machine *machine, struct list *list, struct value key, bool reverse) {
    const struct value aside = list_new(machine, 0, NULL);
    machine_keep(machine, aside);
    exchange_items(list, as_list(aside));
    const bool is_done = sort_items(machine, as_list(aside), key, reverse);
    const bool is_changed = list->count > 0;
    exchange_items(list, as_list(aside));
    return is_done &&
           (!is_changed || machine_raise(machine, VALUE_ERROR, "list modified during sort"));
}

FUNCTION(sorted) {
    struct list *list;
    bool reverse;
    if (!value_truth(machine, ARGUMENT(2), &reverse) ||
        !machine_list_of(machine, ARGUMENT(0), &list))
        return false;
    *result = list_new(machine, list->count, list->items);
    machine_keep(machine, *result);
    return sort_list(machine, as_list(*result), ARGUMENT(1), reverse);
}

FUNCTION(sum) {
    struct value iterator, item;
    *result = ARGUMENT(1);
    if (!machine_iterate(machine, ARGUMENT(0), &iterator)) return false;
    // Floats are summed with Neumaier's compensation, as CPython does since 3.12.
    double compensation = 0;
    const int64_t roots = machine->root_count;
    for (;;) {
        machine->root_count = roots;
        machine_keep(machine, *result);
        if (!machine_next(machine, iterator, &item)) return false;
        const bool has_rest = result->kind == VALUE_FLOAT && isfinite(compensation);
        if (result->kind == VALUE_FLOAT && is_number(item)) {
            const double x = double_of(item), total = result->number + x;
            compensation += fabs(result->number) >= fabs(x) ? result->number - total + x
                                                            : x - total + result->number;
            result->number = total;
            continue;
        }
        if (has_rest) result->number += compensation;
        if (has_rest) compensation = 0;
        if (item.kind == VALUE_ABSENT) return true;
        machine_keep(machine, item);
        if (!binary(machine, OP_ADD, *result, item, result)) return false;
    }
}

// max, min
FUNCTION(extreme) {
    const struct value key = ARGUMENT(1), all = ARGUMENT(0);
    const enum operator better = IS_NAMED("max") ? OP_MORE : OP_LESS;
    struct list *list = as_list(all);
    struct value best = NO_VALUE;
    if (list->count == 0)
        return machine_raise(machine, TYPE_ERROR, "%s expected at least 1 argument, got 0",
                             arguments->row->name);
    if (list->count == 1 && !machine_list_of(machine, list->items[0], &list)) return false;
    *result = ARGUMENT(2);
    if (list->count == 0)
        return result->kind != VALUE_ABSENT ||
               machine_raise(machine, VALUE_ERROR, "%s() iterable argument is empty",
                             arguments->row->name);
    for (int64_t i = 0; i < list->count; i++) {
        struct value of = list->items[i], answer;
        bool is_better = i == 0;
        if (is_given(key) && !machine_call(machine, key, 1, &list->items[i], &of)) return false;
        machine_keep(machine, of);
        if (i > 0 && (!compare_values(machine, better, of, best, &answer) ||
                      !value_truth(machine, answer, &is_better)))
            return false;
        if (is_better) best = of, *result = list->items[i];
    }
    return true;
}

// any, all
FUNCTION(quantified) {
    const bool wanted = IS_NAMED("any");
    struct value iterator, item;
    bool truth = !wanted;
    if (!machine_iterate(machine, ARGUMENT(0), &iterator)) return false;
    do {
        if (!machine_next(machine, iterator, &item)) return false;
        if (item.kind != VALUE_ABSENT && !value_truth(machine, item, &truth)) return false;
    } while (item.kind != VALUE_ABSENT && truth != wanted);
    return gives(result, value_of_bool(item.kind != VALUE_ABSENT ? wanted : !wanted));
}

// ---- Numbers ------------------------------------------------------------------------------------

// What the method gives that Python asks for in an object; tensors and the like have another one.
static bool ask_object(struct machine *machine, struct value x, const char *method,
                       const char *other, struct value *result, const char *message) {
    bool has_method = false;
    return call_method(machine, x, is_kind(x, OBJECT_INSTANCE) ? method : other, 0, NULL, result,
                       &has_method) &&
           (has_method || machine_raise(machine, TYPE_ERROR, message, type_name(x)));
}

FUNCTION(absolute) {
    const struct value x = ARGUMENT(0);
    if (x.kind == VALUE_FLOAT) return gives(result, value_of_float(fabs(x.number)));
    if (!is_integer(x))
        return ask_object(machine, x, "__abs__", "abs", result, "bad operand type for abs(): '%s'");
    const int64_t n = integer_of(x);
    if (n == INT64_MIN) return raise_too_large(machine);
    return gives(result, value_of_int(n < 0 ? -n : n));
}

// Python rounds the decimal number that is nearest to the float's own value.
static bool whole_of_float(struct machine *machine, double x, struct value *result) {
    if (isnan(x)) return machine_raise(machine, VALUE_ERROR, "cannot convert float NaN to integer");
    if (isinf(x))
        return machine_raise(machine, OVERFLOW_ERROR, "cannot convert float infinity to integer");
    if (fabs(x) >= 9.2233720368547758e18) return raise_too_large(machine);
    return gives(result, value_of_int((int64_t)x));
}

FUNCTION(round_number) {
    const struct value x = ARGUMENT(0);
    int64_t digits = 0;
    if (is_given(ARGUMENT(1)) && !as_index(machine, ARGUMENT(1), &digits)) return false;
    if (is_integer(x)) return gives(result, value_of_int(integer_of(x)));
    if (x.kind != VALUE_FLOAT)
        return ask_object(machine, x, "__round__", "round", result,
                          "type %s doesn't define __round__ method");
    if (!is_given(ARGUMENT(1))) {
        return whole_of_float(machine, rint(x.number), result);
    }
    if (digits > 17 || !isfinite(x.number)) return gives(result, x);
    if (digits < 0) {
        const double unit = pow(10, (double)-digits);
        return gives(result, value_of_float(rint(x.number / unit) * unit));
    }
    char text[400];
    snprintf(text, sizeof text, "%.*f", (int)digits, x.number);
    return gives(result, value_of_float(strtod(text, NULL)));
}

FUNCTION(divide_with_rest) {
    struct value both[2];
    return binary(machine, OP_FLOOR_DIVIDE, ARGUMENT(0), ARGUMENT(1), &both[0]) &&
           binary(machine, OP_MODULO, ARGUMENT(0), ARGUMENT(1), &both[1]) &&
           gives(result, tuple_new(machine, 2, both));
}

FUNCTION(power) {
    return binary(machine, OP_POWER, ARGUMENT(0), ARGUMENT(1), result);
}

static bool raise_literal(struct machine *machine, struct value text, const char *what) {
    struct value written;
    return value_repr(machine, text, &written) &&
           machine_raise(machine, VALUE_ERROR, "%s: %s", what, bytes_of(written));
}

static bool int_of_text(struct machine *machine, struct value text, int base,
                        struct value *result) {
    char digits[80], *end;
    int count = 0;
    const char *at = bytes_of(text) + strspn(bytes_of(text), " \n\t");
    for (; *at != '\0' && count < 79; at++)
        if (*at != '_') digits[count++] = *at;
    while (count > 0 && strchr(" \n\t", digits[count - 1]) != NULL) count--;
    digits[count] = '\0';
    const long long n = strtoll(digits, &end, base);
    if (count > 0 && *end == '\0') return gives(result, value_of_int(n));
    const char *what = arena_format(machine->arena, "invalid literal for int() with base %d", base);
    return raise_literal(machine, text, what);
}

FUNCTION(make_int) {
    struct value x = ARGUMENT(0);
    int64_t base = 10;
    if (is_given(ARGUMENT(1)) && !as_index(machine, ARGUMENT(1), &base)) return false;
    if (is_kind(x, OBJECT_STR)) return int_of_text(machine, x, (int)base, result);
    if (!is_number(x) &&
        !ask_object(machine, x, "__int__", "__int__", &x,
                    "int() argument must be a string, a bytes-like object or a real number, "
                    "not '%s'"))
        return false;
    if (x.kind != VALUE_FLOAT) return gives(result, value_of_int(integer_of(x)));
    return whole_of_float(machine, x.number, result);
}

FUNCTION(make_float) {
    struct value x = ARGUMENT(0);
    if (is_kind(x, OBJECT_STR)) {
        char *end;
        const double number = strtod(bytes_of(x), &end);
        end += strspn(end, " \n");
        if (as_str(x)->length > 0 && *end == '\0' && strpbrk(bytes_of(x), "xX") == NULL)
            return gives(result, value_of_float(number));
        return raise_literal(machine, x, "could not convert string to float");
    }
    if (!is_number(x) &&
        !ask_object(machine, x, "__float__", "__float__", &x,
                    "float() argument must be a string or a real number, not '%s'"))
        return false;
    return gives(result, value_of_float(double_of(x)));
}

FUNCTION(make_bool) {
    bool truth;
    return value_truth(machine, ARGUMENT(0), &truth) && gives(result, value_of_bool(truth));
}

FUNCTION(make_str) {
    return ARGUMENT(0).kind == VALUE_ABSENT ? gives(result, str_of(machine, ""))
                                            : value_str(machine, ARGUMENT(0), result);
}

// ---- Containers ---------------------------------------------------------------------------------

// list, tuple
FUNCTION(make_size) { // torch.Size
    struct list *sizes;
    if (!machine_list_of(machine, ARGUMENT(0), &sizes)) return false;
    *result = tuple_new(machine, sizes->count, sizes->items);
    as_list(*result)->is_size = true;
    return true;
}

FUNCTION(make_list) {
    struct list *list;
    if (!machine_list_of(machine, ARGUMENT(0), &list)) return false;
    return gives(result,
                 (IS_NAMED("list") ? list_new : tuple_new)(machine, list->count, list->items));
}

FUNCTION(make_bytes) {
    struct list *list;
    int64_t byte;
    if (!machine_list_of(machine, ARGUMENT(0), &list)) return false;
    struct scratch scratch;
    char *bytes = arena_array(scratch_open(&scratch, machine->arena->failure),
                              (size_t)list->count + 1, sizeof *bytes);
    bool is_done = true;
    for (int64_t i = 0; is_done && i < list->count; i++) {
        is_done = as_index(machine, list->items[i], &byte) &&
                  ((byte >= 0 && byte <= 255) ||
                   machine_raise(machine, VALUE_ERROR, "bytes must be in range(0, 256)"));
        bytes[i] = (char)(unsigned char)byte;
    }
    if (is_done) *result = str_new(machine, bytes, list->count);
    scratch_close(&scratch);
    if (is_done) result->object->kind = OBJECT_BYTES;
    return is_done;
}

// set, frozenset
FUNCTION(make_set) {
    if (!set_from(machine, ARGUMENT(0), result)) return false;
    as_dict(*result)->is_frozen = IS_NAMED("frozenset");
    return true;
}

bool update_dict(struct machine *machine, struct dict *dict, struct value from) {
    struct value key, item, iterator, pair;
    from = inner_of(from);
    if (is_kind(from, OBJECT_DICT) || dict->object.kind == OBJECT_SET) {
        for (int64_t i = 0; dict_next(as_dict(from), &i, &key, &item);)
            if (!dict_set(machine, dict, key, item)) return false;
        return true;
    }
    if (!machine_iterate(machine, from, &iterator)) return false;
    for (;;) {
        struct list *list;
        if (!machine_next(machine, iterator, &pair)) return false;
        if (pair.kind == VALUE_ABSENT) return true;
        machine_keep(machine, pair);
        if (!machine_list_of(machine, pair, &list)) return false;
        if (list->count != 2)
            return machine_raise(machine, VALUE_ERROR,
                                 "dictionary update sequence element #0 has length %" PRId64
                                 "; 2 is required",
                                 list->count);
        if (!dict_set(machine, dict, list->items[0], list->items[1])) return false;
    }
}

FUNCTION(make_dict) {
    *result = dict_new(machine);
    machine_keep(machine, *result);
    return update_dict(machine, as_dict(*result), ARGUMENT(0)) &&
           update_dict(machine, as_dict(*result), ARGUMENT(1));
}

FUNCTION(dict_from_keys) {
    struct list *list;
    *result = dict_new(machine);
    machine_keep(machine, *result);
    if (!machine_list_of(machine, ARGUMENT(0), &list)) return false;
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, as_dict(*result), list->items[i], ARGUMENT(1))) return false;
    return true;
}

// ---- Types and attributes -----------------------------------------------------------------------

FUNCTION(type_of) {
    return gives(result, value_of_object(machine_class(machine, ARGUMENT(0))));
}

static bool is_of(struct machine *machine, const struct class *class, struct value classes,
                  bool *answer) {
    *answer = false;
    if (is_kind(classes, OBJECT_TUPLE)) {
        const struct list *list = as_list(classes);
        for (int64_t i = 0; !*answer && i < list->count; i++)
            if (!is_of(machine, class, list->items[i], answer)) return false;
        return true;
    }
    if (!is_kind(classes, OBJECT_CLASS))
        return machine_raise(machine, TYPE_ERROR,
                             "isinstance() arg 2 must be a type, a tuple of types, or a union");
    const struct class *of = as_class(classes);
    *answer = is_subclass(class, of) || of == machine->type_object ||
              (class == machine->type_bool && of == machine->type_int) ||
              (class == machine->type_size && of == machine->classes[OBJECT_TUPLE]);
    return true;
}

FUNCTION(is_instance) {
    bool answer;
    return is_of(machine, machine_class(machine, ARGUMENT(0)), ARGUMENT(1), &answer) &&
           gives(result, value_of_bool(answer));
}

FUNCTION(is_subclass_of) {
    bool answer;
    if (!is_kind(ARGUMENT(0), OBJECT_CLASS))
        return machine_raise(machine, TYPE_ERROR, "issubclass() arg 1 must be a class");
    return is_of(machine, as_class(ARGUMENT(0)), ARGUMENT(1), &answer) &&
           gives(result, value_of_bool(answer));
}

static bool is_name(struct machine *machine, struct value name) {
    return is_kind(name, OBJECT_STR) ||
           machine_raise(machine, TYPE_ERROR, "attribute name must be string, not '%s'",
                         type_name(name));
}

// getattr, hasattr
FUNCTION(get_attribute_of) {
    bool has_it = false;
    const bool may_lack = IS_NAMED("hasattr") || ARGUMENT(2).kind != VALUE_ABSENT;
    if (!is_name(machine, ARGUMENT(1))) return false;
    const char *name = bytes_of(ARGUMENT(1));
    if (!may_lack) return machine_get(machine, ARGUMENT(0), name, result);
    if (!get_attribute(machine, ARGUMENT(0), name, result, &has_it)) {
        if (!machine_is_cleared(machine, ATTRIBUTE_ERROR)) return false;
        has_it = false;
    }
    if (IS_NAMED("hasattr")) return gives(result, value_of_bool(has_it));
    return has_it || gives(result, ARGUMENT(2));
}

FUNCTION(set_attribute) {
    return is_name(machine, ARGUMENT(1)) &&
           machine_set(machine, ARGUMENT(0), bytes_of(ARGUMENT(1)), ARGUMENT(2));
}

FUNCTION(set_attribute_of_object) {
    if (!is_kind(ARGUMENT(1), OBJECT_STR) || !is_kind(ARGUMENT(0), OBJECT_INSTANCE))
        return machine_raise(machine, TYPE_ERROR, "can't set attributes of '%s'",
                             type_name(ARGUMENT(0)));
    return dict_set(machine, as_instance(ARGUMENT(0))->names, ARGUMENT(1), ARGUMENT(2));
}

// Of object nothing; of an exception its args; of what is inside a list or dict its items.
FUNCTION(initialize_object) {
    const struct list *items = as_list(ARGUMENT(1));
    if (items->count > 0 && is_kind(ARGUMENT(0), OBJECT_DICT))
        return update_dict(machine, as_dict(ARGUMENT(0)), items->items[0]);
    if (items->count > 0 && is_kind(ARGUMENT(0), OBJECT_LIST)) {
        struct list *list;
        if (!machine_list_of(machine, items->items[0], &list)) return false;
        for (int64_t i = 0; i < list->count; i++)
            list_append(machine, as_list(ARGUMENT(0)), list->items[i]);
        return true;
    }
    if (is_kind(ARGUMENT(0), OBJECT_INSTANCE) &&
        is_subclass(machine_class(machine, ARGUMENT(0)), machine->exceptions[EXCEPTION]))
        dict_name(machine, as_instance(ARGUMENT(0))->names, "args", ARGUMENT(1));
    return true;
}

FUNCTION(is_callable) {
    const struct value of = ARGUMENT(0);
    struct value call;
    const bool is_function = of.kind == VALUE_OBJECT && of.object->kind >= OBJECT_FUNCTION &&
                             of.object->kind <= OBJECT_NATIVE;
    return gives(result, value_of_bool(is_function || is_kind(of, OBJECT_CLASS) ||
                                       (is_kind(of, OBJECT_INSTANCE) &&
                                        class_find(as_instance(of)->class, "__call__", &call))));
}

FUNCTION(identity) {
    const struct value of = ARGUMENT(0);
    return gives(result,
                 value_of_int(of.kind == VALUE_OBJECT ? (int64_t)(intptr_t)of.object : of.integer));
}

FUNCTION(hash_of) {
    uint64_t hash;
    return value_hash(machine, ARGUMENT(0), &hash) &&
           gives(result, value_of_int((int64_t)(hash >> 1)));
}

FUNCTION(repr) {
    return value_repr(machine, ARGUMENT(0), result);
}

FUNCTION(format) {
    const char *specification = is_kind(ARGUMENT(1), OBJECT_STR) ? bytes_of(ARGUMENT(1)) : "";
    return format_value(machine, ARGUMENT(0), specification, result);
}

FUNCTION(ordinal) {
    if (!is_kind(ARGUMENT(0), OBJECT_STR))
        return machine_raise(machine, TYPE_ERROR, "ord() expected string of length 1, but %s found",
                             type_name(ARGUMENT(0)));
    const struct str *str = as_str(ARGUMENT(0));
    const char *next = str->bytes;
    const uint32_t character = utf8_next(&next);
    if (str->length == 0 || next != str->bytes + str->length)
        return machine_raise(machine, TYPE_ERROR,
                             "ord() expected a character, but string of length %" PRId64 " found",
                             str->length);
    return gives(result, value_of_int(character));
}

FUNCTION(character) {
    int64_t code;
    char bytes[5];
    if (!as_index(machine, ARGUMENT(0), &code)) return false;
    if (code < 0 || code > 0x10FFFF)
        return machine_raise(machine, VALUE_ERROR, "chr() arg not in range(0x110000)");
    const size_t length = utf8_encode((uint32_t)code, bytes);
    return gives(result, str_new(machine, bytes, (int64_t)length));
}

// dir()
FUNCTION(names_in) {
    if (ARGUMENT(0).kind != VALUE_ABSENT) return list_attributes(machine, ARGUMENT(0), result);
    return keys_in_order(machine, machine->call->frame->names, result);
}

FUNCTION(globals) {
    return gives(result, value_of_object(machine->call->frame->globals));
}

// locals(), vars(), vars(object)
FUNCTION(vars) {
    if (ARGUMENT(0).kind != VALUE_ABSENT)
        return machine_get(machine, ARGUMENT(0), "__dict__", result);
    return gives(result, value_of_object(machine->call->frame->names));
}

FUNCTION(refused) {
    return machine_raise(
        machine, NOT_IMPLEMENTED_ERROR,
        "onestep runs no %s(): it lets no program reach files, input or other code",
        arguments->row->name);
}

// ---- super(), properties, exceptions ------------------------------------------------------------

FUNCTION(make_super) {
    const struct frame *frame = machine->call->frame;
    struct value owner = ARGUMENT(0), self = ARGUMENT(1);
    if (self.kind == VALUE_ABSENT) self = frame->self;
    if (owner.kind == VALUE_ABSENT && frame->owner != NULL) owner = value_of_object(frame->owner);
    if (owner.kind == VALUE_ABSENT || self.kind == VALUE_ABSENT)
        return machine_raise(machine, RUNTIME_ERROR, "super(): no arguments");
    struct instance *super = instance_new(machine, machine->type_super);
    dict_name(machine, super->names, "owner", owner);
    dict_name(machine, super->names, "self", self);
    return gives(result, value_of_object(super));
}

// An object of a function: of a property, static or class method, and what sets a property.
static bool wrap(struct machine *machine, struct class *class, struct value function,
                 struct value set, struct value *result) {
    struct instance *wrapper = instance_new(machine, class);
    dict_name(machine, wrapper->names, "function", function);
    if (is_given(set)) dict_name(machine, wrapper->names, "set", set);
    return gives(result, value_of_object(wrapper));
}

// property, staticmethod, classmethod
FUNCTION(make_wrapper) {
    struct class *class = IS_NAMED("property")       ? machine->type_property
                          : IS_NAMED("staticmethod") ? machine->type_static
                                                     : machine->type_class_method;
    return wrap(machine, class, ARGUMENT(0), ARGUMENT(1), result);
}

FUNCTION(set_of_property) {
    const struct value getter = dict_named(as_instance(ARGUMENT(0))->names, "function");
    return wrap(machine, machine->type_property, getter, ARGUMENT(1), result);
}

FUNCTION(with_traceback) {
    return gives(result, ARGUMENT(0));
}

// ---- Tables -------------------------------------------------------------------------------------

static const struct native_row functions[] = {
    {"print", "*values, sep=None, end=None, file=None, flush=False", print},
    {"len", "obj", len},
    {"enumerate", "iterable, start=0", enumerate},
    {"zip", "*iterables, strict=False", zip},
    {"map", "function, /, *iterables", map},
    {"filter", "function, iterable", filter},
    {"reversed", "sequence", reversed},
    {"iter", "object", iter},
    {"next", "iterator, default=..., /", next},
    {"sorted", "iterable, *, key=None, reverse=False", sorted},
    {"sum", "iterable, start=0", sum},
    {"max", "*values, key=None, default=...", extreme},
    {"min", "*values, key=None, default=...", extreme},
    {"any", "iterable", quantified},
    {"all", "iterable", quantified},
    {"abs", "x", absolute},
    {"round", "number, ndigits=None", round_number},
    {"divmod", "x, y", divide_with_rest},
    {"pow", "base, exp", power},
    {"isinstance", "obj, class_or_tuple", is_instance},
    {"issubclass", "cls, class_or_tuple", is_subclass_of},
    {"getattr", "object, name, default=..., /", get_attribute_of},
    {"hasattr", "obj, name", get_attribute_of},
    {"setattr", "obj, name, value", set_attribute},
    {"callable", "obj", is_callable},
    {"id", "obj", identity},
    {"hash", "obj", hash_of},
    {"repr", "obj", repr},
    {"format", "value, format_spec=None", format},
    {"ord", "c", ordinal},
    {"chr", "i", character},
    {"dir", "object=...", names_in},
    {"globals", "", globals},
    {"locals", "object=...", vars},
    {"vars", "object=...", vars},
    {"open", "*args, **kwargs", refused},
    {"input", "*args, **kwargs", refused},
    {"eval", "*args, **kwargs", refused},
    {"exec", "*args, **kwargs", refused},
    {"compile", "*args, **kwargs", refused},
    {"__import__", "*args, **kwargs", refused},
    {NULL, NULL, NULL},
};

static const struct native_row object_methods_[] = {
    {"__setattr__", "self, name, value", set_attribute_of_object},
    {"__init__", "self, *args, **kwargs", initialize_object},
    {NULL, NULL, NULL}};
static const struct native_row property_methods[] = {{"setter", "self, fset", set_of_property},
                                                     {NULL, NULL, NULL}};
static const struct native_row exception_methods[] = {
    {"with_traceback", "self, tb", with_traceback},
    {"__init__", "self, *args, **kwargs", initialize_object},
    {NULL, NULL, NULL}};

static const struct {
    const char *name;
    enum exception base;
} exceptions[EXCEPTION_COUNT] = {
    [EXCEPTION] = {"Exception", EXCEPTION},
    [ARITHMETIC_ERROR] = {"ArithmeticError", EXCEPTION},
    [ZERO_DIVISION_ERROR] = {"ZeroDivisionError", ARITHMETIC_ERROR},
    [OVERFLOW_ERROR] = {"OverflowError", ARITHMETIC_ERROR},
    [ASSERTION_ERROR] = {"AssertionError", EXCEPTION},
    [ATTRIBUTE_ERROR] = {"AttributeError", EXCEPTION},
    [IMPORT_ERROR] = {"ImportError", EXCEPTION},
    [MODULE_NOT_FOUND_ERROR] = {"ModuleNotFoundError", IMPORT_ERROR},
    [LOOKUP_ERROR] = {"LookupError", EXCEPTION},
    [INDEX_ERROR] = {"IndexError", LOOKUP_ERROR},
    [KEY_ERROR] = {"KeyError", LOOKUP_ERROR},
    [MEMORY_ERROR] = {"MemoryError", EXCEPTION},
    [NAME_ERROR] = {"NameError", EXCEPTION},
    [UNBOUND_LOCAL_ERROR] = {"UnboundLocalError", NAME_ERROR},
    [OS_ERROR] = {"OSError", EXCEPTION},
    [RUNTIME_ERROR] = {"RuntimeError", EXCEPTION},
    [NOT_IMPLEMENTED_ERROR] = {"NotImplementedError", RUNTIME_ERROR},
    [RECURSION_ERROR] = {"RecursionError", RUNTIME_ERROR},
    [STOP_ITERATION] = {"StopIteration", EXCEPTION},
    [SYNTAX_ERROR] = {"SyntaxError", EXCEPTION},
    [TYPE_ERROR] = {"TypeError", EXCEPTION},
    [VALUE_ERROR] = {"ValueError", EXCEPTION},
    [UNICODE_ERROR] = {"UnicodeError", VALUE_ERROR},
    [KEYBOARD_INTERRUPT] = {"KeyboardInterrupt", EXCEPTION},
    [GENERATOR_EXIT] = {"GeneratorExit", EXCEPTION},
};

static void add_exceptions(struct machine *machine) {
    for (int i = 0; i < EXCEPTION_COUNT; i++) {
        struct class *class = class_new(machine, "builtins", exceptions[i].name, NULL,
                                        i == EXCEPTION ? exception_methods : NULL);
        machine->exceptions[i] = class;
        const struct list *above = machine->exceptions[exceptions[i].base]->order;
        for (int64_t j = 0; i != EXCEPTION && j < above->count; j++)
            list_append(machine, class->order, above->items[j]);
        dict_name(machine, machine->builtins, exceptions[i].name, value_of_object(class));
    }
    dict_name(machine, machine->builtins, "BaseException",
              value_of_object(machine->exceptions[EXCEPTION]));
}

// Where the machine keeps a class, how it is called, and its methods. Without a signature it has no name in programs.
#define KEPT(field) offsetof(struct machine, field)
static const struct {
    size_t at;
    struct native_row construct;
    const struct native_row *methods;
} classes[] = {
    {KEPT(type_object), {"object", "", NULL}, object_methods_},
    {KEPT(type_type), {"type", "object", type_of}, NULL},
    {KEPT(type_bool), {"bool", "x=False", make_bool}, int_methods},
    {KEPT(type_int), {"int", "x=0, base=None", make_int}, int_methods},
    {KEPT(type_float), {"float", "x=0.0", make_float}, float_methods},
    {KEPT(classes[OBJECT_STR]), {"str", "object=...", make_str}, str_methods},
    {KEPT(classes[OBJECT_BYTES]), {"bytes", "source", make_bytes}, bytes_methods},
    {KEPT(classes[OBJECT_LIST]), {"list", "iterable=()", make_list}, list_methods},
    {KEPT(classes[OBJECT_TUPLE]), {"tuple", "iterable=()", make_list}, tuple_methods},
    {KEPT(classes[OBJECT_DICT]), {"dict", "iterable=(), /, **kwargs", make_dict}, dict_methods},
    {KEPT(classes[OBJECT_SET]), {"set", "iterable=()", make_set}, set_methods},
    {KEPT(type_frozenset), {"frozenset", "iterable=()", make_set}, set_methods},
    {KEPT(classes[OBJECT_RANGE]), {"range", "*bounds", make_range}, NULL},
    {KEPT(classes[OBJECT_SLICE]), {"slice", "*bounds", make_slice}, NULL},
    {KEPT(type_super), {"super", "type=..., object=...", make_super}, NULL},
    {KEPT(type_property), {"property", "fget, fset=None", make_wrapper}, property_methods},
    {KEPT(type_static), {"staticmethod", "function, set=None", make_wrapper}, NULL},
    {KEPT(type_class_method), {"classmethod", "function, set=None", make_wrapper}, NULL},
    {KEPT(type_none), {"NoneType", NULL, NULL}, NULL},
    {KEPT(type_ellipsis), {"ellipsis", NULL, NULL}, NULL},
    {KEPT(type_size), {"Size", "iterable=()", make_size}, tuple_methods},
    {KEPT(classes[OBJECT_FUNCTION]), {"function", NULL, NULL}, NULL},
    {KEPT(classes[OBJECT_METHOD]), {"method", NULL, NULL}, NULL},
    {KEPT(classes[OBJECT_NATIVE]), {"builtin_function_or_method", NULL, NULL}, NULL},
    {KEPT(classes[OBJECT_MODULE]), {"module", NULL, NULL}, NULL},
    {KEPT(classes[OBJECT_ITERATOR]), {"generator", NULL, NULL}, iterator_methods},
};

void add_builtin_types(struct machine *machine) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct native_row *row = &classes[i].construct;
        struct class *class = class_new(machine, "builtins", row->name,
                                        row->function != NULL ? row : NULL, classes[i].methods);
        *(struct class **)((char *)machine + classes[i].at) = class;
        if (row->signature != NULL)
            dict_name(machine, machine->builtins, row->name, value_of_object(class));
    }
    machine->type_size->module = "torch";
    static const struct native_row from_keys = {"fromkeys", "iterable, value=None", dict_from_keys};
    dict_name(machine, machine->classes[OBJECT_DICT]->names, "fromkeys",
              native_new(machine, &from_keys, NO_VALUE));
    add_exceptions(machine);
}

void machine_add_builtins(struct machine *machine) {
    for (const struct native_row *row = functions; row->name != NULL; row++)
        dict_name(machine, machine->builtins, row->name, native_new(machine, row, NO_VALUE));
    dict_name(machine, machine->builtins, "NotImplemented", (struct value){VALUE_ELLIPSIS, {0}});
    dict_name(machine, machine->builtins, "__debug__", value_of_bool(true));
}
