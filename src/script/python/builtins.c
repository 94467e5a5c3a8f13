// Python's built-in functions and types.

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

static struct value keyword(const struct arguments *arguments, const char *name) {
    for (int i = 0; i < arguments->keyword_count; i++)
        if (strcmp(arguments->keywords[i], name) == 0) return arguments->keyword_values[i];
    return NO_VALUE;
}

static bool is_there(struct value value) {
    return value.kind != VALUE_ABSENT && value.kind != VALUE_NONE;
}

// ---- Printing -----------------------------------------------------------------------------------

static bool add_str_of(struct machine *machine, struct text *text, struct value value) {
    struct value as_text;
    if (!value_str(machine, value, &as_text)) return false;
    const struct str *str = (const struct str *)as_text.object;
    text_add_bytes(text, str->bytes, (size_t)str->length);
    return true;
}

FUNCTION(print) {
    const struct value separator = keyword(arguments, "sep"), end = keyword(arguments, "end");
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    bool is_done = true;
    for (int i = 0; is_done && i < arguments->count; i++) {
        if (i > 0)
            text_add(&text, is_kind(separator, OBJECT_STR) ? ((struct str *)separator.object)->bytes
                                                           : " ");
        is_done = add_str_of(machine, &text, ARGUMENT(i));
    }
    text_add(&text, is_kind(end, OBJECT_STR) ? ((struct str *)end.object)->bytes : "\n");
    if (is_done && machine->options.print != NULL)
        machine->options.print(machine->options.context, text.bytes, text.length);
    scratch_close(&scratch);
    *result = NONE_VALUE;
    return is_done;
}

// ---- Iterables ----------------------------------------------------------------------------------

FUNCTION(len) {
    int64_t length;
    if (!length_of(machine, ARGUMENT(0), &length)) return false;
    *result = value_of_int(length);
    return true;
}

FUNCTION(make_range) {
    int64_t bounds[3] = {0, 0, 1};
    if (arguments->count < 1 || arguments->count > 3)
        return machine_raise(machine, TYPE_ERROR, "range expected at least 1 argument, got %d",
                             arguments->count);
    for (int i = 0; i < arguments->count; i++)
        if (!as_index(machine, ARGUMENT(i), &bounds[arguments->count == 1 ? 1 : i])) return false;
    if (bounds[2] == 0)
        return machine_raise(machine, VALUE_ERROR, "range() arg 3 must not be zero");
    struct range *range = object_new(machine, OBJECT_RANGE, sizeof *range);
    range->start = bounds[0];
    range->stop = bounds[1];
    range->step = bounds[2];
    *result = value_of_object(range);
    return true;
}

static bool iterator_of(struct machine *machine, enum iterator_kind kind, struct value of,
                        int count, const struct value *iterables,
                        __attribute__((unused)) struct value *result) {
    struct iterator *iterator = iterator_new(machine, kind, of);
    *result = value_of_object(iterator);
    machine_keep(machine, *result);
    iterator->others = calloc((size_t)count + 1, sizeof *iterator->others);
    if (iterator->others == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
    for (int i = 0; i < count; i++, iterator->count++)
        if (!machine_iterate(machine, iterables[i], &iterator->others[i])) return false;
    return true;
}

FUNCTION(enumerate) {
    if (!iterator_of(machine, ITERATE_ENUMERATE, NONE_VALUE, 1, arguments->values, result))
        return false;
    return as_index(machine, ARGUMENT(1), &((struct iterator *)result->object)->at);
}

FUNCTION(zip) {
    const struct value strict = keyword(arguments, "strict");
    if (!iterator_of(machine, ITERATE_ZIP, NONE_VALUE, arguments->count, arguments->values, result))
        return false;
    if (arguments->count == 0)
        *result = list_new(machine, 0, NULL);
    else if (strict.kind == VALUE_BOOL)
        ((struct iterator *)result->object)->is_strict = strict.truth;
    return true;
}

FUNCTION(map) {
    if (arguments->count < 2)
        return machine_raise(machine, TYPE_ERROR, "map() must have at least two arguments.");
    return iterator_of(machine, ITERATE_MAP, ARGUMENT(0), arguments->count - 1,
                       arguments->values + 1, result);
}

FUNCTION(filter) {
    return iterator_of(machine, ITERATE_FILTER, ARGUMENT(0), 1, arguments->values + 1, result);
}

FUNCTION(reversed) {
    struct list *list;
    struct value of = ARGUMENT(0);
    if (is_kind(of, OBJECT_TENSOR) || is_kind(of, OBJECT_SET))
        return machine_raise(machine, TYPE_ERROR, "'%s' object is not reversible", type_name(of));
    if (!machine_list_of(machine, of, &list)) return false;
    *result = value_of_object(iterator_new(machine, ITERATE_REVERSED, value_of_object(list)));
    return true;
}

FUNCTION(iter) {
    return machine_iterate(machine, ARGUMENT(0), result);
}

FUNCTION(next) {
    if (!machine_next(machine, ARGUMENT(0), result)) return false;
    if (result->kind != VALUE_ABSENT) return true;
    if (arguments->count < 2) return machine_raise(machine, STOP_ITERATION, "%s", "");
    *result = ARGUMENT(1);
    return true;
}

// Do the items stand in order? keys: by which they are sorted.
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

bool sort_list(struct machine *machine, struct list *list, struct value key, bool reverse) {
    const struct value keys = list_new(machine, list->count, list->items),
                       spare = list_new(machine, list->count, NULL),
                       more = list_new(machine, list->count, NULL);
    machine_keep(machine, keys);
    machine_keep(machine, spare);
    machine_keep(machine, more);
    struct sorting s = {((struct list *)keys.object)->items, list->items,
                        ((struct list *)spare.object)->items, ((struct list *)more.object)->items};
    for (int64_t i = 0; is_there(key) && i < list->count; i++)
        if (!machine_call(machine, key, 1, &list->items[i], &s.keys[i])) return false;
    return merge_sort(machine, &s, 0, list->count, reverse);
}

FUNCTION(sorted) {
    struct list *list;
    bool reverse;
    if (!value_truth(machine, ARGUMENT(2), &reverse) ||
        !machine_list_of(machine, ARGUMENT(0), &list))
        return false;
    *result = list_new(machine, list->count, list->items);
    machine_keep(machine, *result);
    return sort_list(machine, (struct list *)result->object, ARGUMENT(1), reverse);
}

FUNCTION(sum) {
    struct value iterator, item;
    *result = ARGUMENT(1);
    if (!machine_iterate(machine, ARGUMENT(0), &iterator)) return false;
    // Floats are summed with Neumaier's compensation, as CPython does since 3.12.
    double compensation = 0;
    for (;;) {
        if (!machine_next(machine, iterator, &item)) return false;
        if (item.kind == VALUE_ABSENT) break;
        if (result->kind == VALUE_FLOAT &&
            (item.kind == VALUE_FLOAT || item.kind == VALUE_INT || item.kind == VALUE_BOOL)) {
            const double x = item.kind == VALUE_FLOAT ? item.number
                             : item.kind == VALUE_INT ? (double)item.integer
                                                      : item.truth;
            const double total = result->number + x;
            compensation += fabs(result->number) >= fabs(x) ? result->number - total + x
                                                            : x - total + result->number;
            result->number = total;
            continue;
        }
        if (result->kind == VALUE_FLOAT && compensation != 0 && isfinite(compensation))
            result->number += compensation, compensation = 0;
        machine_keep(machine, item);
        if (!binary(machine, OP_ADD, *result, item, result)) return false;
        machine_keep(machine, *result);
    }
    if (result->kind == VALUE_FLOAT && isfinite(compensation)) result->number += compensation;
    return true;
}

static bool extreme(struct machine *machine, const struct arguments *arguments,
                    enum operator operator, struct value * result) {
    const struct value key = keyword(arguments, "key"), otherwise = keyword(arguments, "default");
    struct list *list;
    struct value best = NO_VALUE;
    const struct value all = arguments->count == 1
                                 ? ARGUMENT(0)
                                 : list_new(machine, arguments->count, arguments->values);
    const char *name = operator== OP_MORE ? "max" : "min";
    machine_keep(machine, all);
    if (arguments->count == 0)
        return machine_raise(machine, TYPE_ERROR, "%s expected at least 1 argument, got 0", name);
    if (!machine_list_of(machine, all, &list)) return false;
    *result = otherwise;
    if (list->count == 0) {
        if (otherwise.kind != VALUE_ABSENT) return true;
        return machine_raise(machine, VALUE_ERROR, "%s() iterable argument is empty", name);
    }
    for (int64_t i = 0; i < list->count; i++) {
        struct value of = list->items[i], answer;
        bool is_better = i == 0;
        if (is_there(key) && !machine_call(machine, key, 1, &list->items[i], &of)) return false;
        machine_keep(machine, of);
        if (i > 0 && (!compare_values(machine, operator, of, best, &answer) ||
                      !value_truth(machine, answer, &is_better)))
            return false;
        if (is_better) best = of, *result = list->items[i];
    }
    return true;
}

FUNCTION(largest) {
    return extreme(machine, arguments, OP_MORE, result);
}

FUNCTION(smallest) {
    return extreme(machine, arguments, OP_LESS, result);
}

static bool quantified(struct machine *machine, struct value of, bool wanted,
                       struct value *result) {
    struct value iterator, item;
    bool truth;
    if (!machine_iterate(machine, of, &iterator)) return false;
    for (;;) {
        if (!machine_next(machine, iterator, &item)) return false;
        *result = value_of_bool(!wanted);
        if (item.kind == VALUE_ABSENT) return true;
        if (!value_truth(machine, item, &truth)) return false;
        *result = value_of_bool(wanted);
        if (truth == wanted) return true;
    }
}

FUNCTION(any) {
    return quantified(machine, ARGUMENT(0), true, result);
}

FUNCTION(all) {
    return quantified(machine, ARGUMENT(0), false, result);
}

// ---- Numbers ------------------------------------------------------------------------------------

FUNCTION(absolute) {
    const struct value x = ARGUMENT(0);
    bool has_method = false;
    if (x.kind == VALUE_INT || x.kind == VALUE_BOOL) {
        const int64_t n = x.kind == VALUE_BOOL ? x.truth : x.integer;
        if (n == INT64_MIN)
            return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
        *result = value_of_int(n < 0 ? -n : n);
        return true;
    }
    if (x.kind == VALUE_FLOAT) {
        *result = value_of_float(fabs(x.number));
        return true;
    }
    if (!call_method(machine, x, is_kind(x, OBJECT_INSTANCE) ? "__abs__" : "abs", 0, NULL, result,
                     &has_method))
        return false;
    return has_method ||
           machine_raise(machine, TYPE_ERROR, "bad operand type for abs(): '%s'", type_name(x));
}

// Python rounds the decimal number that is nearest to the float's own value.
FUNCTION(round_number) {
    const struct value x = ARGUMENT(0);
    int64_t digits = 0;
    bool has_method = false;
    if (is_there(ARGUMENT(1)) && !as_index(machine, ARGUMENT(1), &digits)) return false;
    if (x.kind == VALUE_INT || x.kind == VALUE_BOOL) {
        *result = value_of_int(x.kind == VALUE_BOOL ? x.truth : x.integer);
        return true;
    }
    if (x.kind != VALUE_FLOAT) {
        if (!call_method(machine, x, is_kind(x, OBJECT_INSTANCE) ? "__round__" : "round", 0, NULL,
                         result, &has_method))
            return false;
        return has_method || machine_raise(machine, TYPE_ERROR,
                                           "type %s doesn't define __round__ method", type_name(x));
    }
    if (!is_there(ARGUMENT(1))) {
        if (!isfinite(x.number) || fabs(x.number) > 9e18)
            return machine_raise(machine, OVERFLOW_ERROR, "cannot convert float to integer");
        *result = value_of_int((int64_t)rint(x.number));
        return true;
    }
    char text[400];
    if (digits > 17 || !isfinite(x.number))
        *result = x;
    else if (digits >= 0)
        snprintf(text, sizeof text, "%.*f", (int)digits, x.number),
            *result = value_of_float(strtod(text, NULL));
    else
        *result =
            value_of_float(rint(x.number / pow(10, (double)-digits)) * pow(10, (double)-digits));
    return true;
}

FUNCTION(divide_with_rest) {
    struct value both[2];
    if (!binary(machine, OP_FLOOR_DIVIDE, ARGUMENT(0), ARGUMENT(1), &both[0])) return false;
    if (!binary(machine, OP_MODULO, ARGUMENT(0), ARGUMENT(1), &both[1])) return false;
    *result = tuple_new(machine, 2, both);
    return true;
}

FUNCTION(power) {
    return binary(machine, OP_POWER, ARGUMENT(0), ARGUMENT(1), result);
}

static bool int_of_text(struct machine *machine, struct value text, int base,
                        struct value *result) {
    const struct str *str = (const struct str *)text.object;
    char digits[80];
    int count = 0;
    const char *at = str->bytes;
    while (*at == ' ' || *at == '\n' || *at == '\t') at++;
    for (; *at != '\0' && count < 79; at++)
        if (*at != '_') digits[count++] = *at;
    while (count > 0 && strchr(" \n\t", digits[count - 1]) != NULL) count--;
    digits[count] = '\0';
    char *end;
    const long long n = strtoll(digits, &end, base);
    if (count > 0 && *end == '\0' && strchr(" \n\t", digits[0]) == NULL) {
        *result = value_of_int(n);
        return true;
    }
    struct value as_written;
    if (!value_repr(machine, text, &as_written)) return false;
    return machine_raise(machine, VALUE_ERROR, "invalid literal for int() with base %d: %s", base,
                         ((struct str *)as_written.object)->bytes);
}

// What __int__, __float__, item() give.
static bool number_of_object(struct machine *machine, struct value x, const char *method,
                             const char *type, struct value *result) {
    bool has_method = false;
    if (!call_method(machine, x, is_kind(x, OBJECT_INSTANCE) ? method : "item", 0, NULL, result,
                     &has_method))
        return false;
    return has_method ||
           machine_raise(machine, TYPE_ERROR,
                         "%s() argument must be a string%s or a real number, not '%s'", type,
                         strcmp(type, "int") == 0 ? ", a bytes-like object" : "", type_name(x));
}

FUNCTION(make_int) {
    struct value x = ARGUMENT(0);
    int64_t base = 10;
    if (is_there(ARGUMENT(1)) && !as_index(machine, ARGUMENT(1), &base)) return false;
    if (is_kind(x, OBJECT_STR)) return int_of_text(machine, x, (int)base, result);
    if (x.kind == VALUE_OBJECT || x.kind == VALUE_NONE) {
        if (!number_of_object(machine, x, "__int__", "int", &x)) return false;
    }
    if (x.kind == VALUE_FLOAT) {
        if (isnan(x.number))
            return machine_raise(machine, VALUE_ERROR, "cannot convert float NaN to integer");
        if (isinf(x.number))
            return machine_raise(machine, OVERFLOW_ERROR,
                                 "cannot convert float infinity to integer");
        if (fabs(x.number) >= 9.2233720368547758e18)
            return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
        *result = value_of_int((int64_t)x.number);
    } else {
        *result = value_of_int(x.kind == VALUE_BOOL ? x.truth : x.integer);
    }
    return true;
}

FUNCTION(make_float) {
    struct value x = ARGUMENT(0);
    if (is_kind(x, OBJECT_STR)) {
        const struct str *str = (const struct str *)x.object;
        char *end;
        const double number = strtod(str->bytes, &end);
        while (*end == ' ' || *end == '\n') end++;
        if (str->length > 0 && *end == '\0' && strpbrk(str->bytes, "xX") == NULL) {
            *result = value_of_float(number);
            return true;
        }
        struct value as_written;
        if (!value_repr(machine, x, &as_written)) return false;
        return machine_raise(machine, VALUE_ERROR, "could not convert string to float: %s",
                             ((struct str *)as_written.object)->bytes);
    }
    if ((x.kind == VALUE_OBJECT || x.kind == VALUE_NONE) &&
        !number_of_object(machine, x, "__float__", "float", &x))
        return false;
    *result = value_of_float(x.kind == VALUE_FLOAT  ? x.number
                             : x.kind == VALUE_BOOL ? x.truth
                                                    : (double)x.integer);
    return true;
}

FUNCTION(make_bool) {
    bool truth;
    if (!value_truth(machine, ARGUMENT(0), &truth)) return false;
    *result = value_of_bool(truth);
    return true;
}

FUNCTION(make_str) {
    if (ARGUMENT(0).kind == VALUE_ABSENT) {
        *result = str_of(machine, "");
        return true;
    }
    return value_str(machine, ARGUMENT(0), result);
}

// ---- Containers ---------------------------------------------------------------------------------

static bool items_of(struct machine *machine, const struct arguments *arguments, bool is_tuple,
                     struct value *result) {
    struct list empty = {.count = 0}, *list = &empty;
    if (ARGUMENT(0).kind != VALUE_ABSENT && !machine_list_of(machine, ARGUMENT(0), &list))
        return false;
    *result = is_tuple ? tuple_new(machine, list->count, list->items)
                       : list_new(machine, list->count, list->items);
    return true;
}

FUNCTION(make_list) {
    return items_of(machine, arguments, false, result);
}

FUNCTION(make_tuple) {
    return items_of(machine, arguments, true, result);
}

FUNCTION(make_set) {
    struct list empty = {.count = 0}, *list = &empty;
    if (ARGUMENT(0).kind != VALUE_ABSENT && !machine_list_of(machine, ARGUMENT(0), &list))
        return false;
    *result = set_new(machine);
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, (struct dict *)result->object, list->items[i], NONE_VALUE))
            return false;
    return true;
}

FUNCTION(make_frozenset) {
    if (!make_set(machine, arguments, result)) return false;
    ((struct dict *)result->object)->is_frozen = true;
    return true;
}

bool update_dict(struct machine *machine, struct dict *dict, struct value from) {
    struct value key, item, iterator, pair;
    if (is_kind(from, OBJECT_DICT)) {
        for (int64_t i = 0; dict_next((struct dict *)from.object, &i, &key, &item);)
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
    struct dict *dict = (struct dict *)result->object;
    if (arguments->count > 0 && !update_dict(machine, dict, ARGUMENT(0))) return false;
    for (int i = 0; i < arguments->keyword_count; i++)
        dict_name(machine, dict, arguments->keywords[i], arguments->keyword_values[i]);
    return true;
}

FUNCTION(dict_from_keys) {
    struct list *list;
    *result = dict_new(machine);
    machine_keep(machine, *result);
    if (!machine_list_of(machine, ARGUMENT(0), &list)) return false;
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, (struct dict *)result->object, list->items[i], ARGUMENT(1)))
            return false;
    return true;
}

FUNCTION(make_slice) {
    if (arguments->count < 1 || arguments->count > 3)
        return machine_raise(machine, TYPE_ERROR, "slice expected at least 1 argument, got %d",
                             arguments->count);
    struct slice *slice = object_new(machine, OBJECT_SLICE, sizeof *slice);
    slice->start = arguments->count > 1 ? ARGUMENT(0) : NONE_VALUE;
    slice->stop = ARGUMENT(arguments->count > 1 ? 1 : 0);
    slice->step = arguments->count > 2 ? ARGUMENT(2) : NONE_VALUE;
    *result = value_of_object(slice);
    return true;
}

// ---- Types and attributes -----------------------------------------------------------------------

FUNCTION(type_of) {
    *result = value_of_object(machine_class(machine, ARGUMENT(0)));
    return true;
}

static bool is_of(struct machine *machine, const struct class *class, struct value classes,
                  bool *answer) {
    *answer = false;
    if (is_kind(classes, OBJECT_TUPLE)) {
        const struct list *list = (const struct list *)classes.object;
        for (int64_t i = 0; !*answer && i < list->count; i++)
            if (!is_of(machine, class, list->items[i], answer)) return false;
        return true;
    }
    if (!is_kind(classes, OBJECT_CLASS))
        return machine_raise(machine, TYPE_ERROR,
                             "isinstance() arg 2 must be a type, a tuple of types, or a union");
    const struct class *of = (const struct class *)classes.object;
    *answer = is_subclass(class, of) || of == machine->type_object ||
              (class == machine->type_bool && of == machine->type_int) ||
              (class == machine->type_size && of == machine->classes[OBJECT_TUPLE]);
    return true;
}

FUNCTION(is_instance) {
    bool answer;
    if (!is_of(machine, machine_class(machine, ARGUMENT(0)), ARGUMENT(1), &answer)) return false;
    *result = value_of_bool(answer);
    return true;
}

FUNCTION(is_subclass_of) {
    bool answer;
    if (!is_kind(ARGUMENT(0), OBJECT_CLASS))
        return machine_raise(machine, TYPE_ERROR, "issubclass() arg 1 must be a class");
    if (!is_of(machine, (struct class *)ARGUMENT(0).object, ARGUMENT(1), &answer)) return false;
    *result = value_of_bool(answer);
    return true;
}

static const char *name_argument(struct machine *machine, struct value name) {
    if (is_kind(name, OBJECT_STR)) return ((struct str *)name.object)->bytes;
    machine_raise(machine, TYPE_ERROR, "attribute name must be string, not '%s'", type_name(name));
    return NULL;
}

FUNCTION(get_attribute_of) {
    const char *name = name_argument(machine, ARGUMENT(1));
    bool has_it;
    if (name == NULL) return false;
    if (arguments->count < 3) return machine_get(machine, ARGUMENT(0), name, result);
    if (!get_attribute(machine, ARGUMENT(0), name, result, &has_it)) {
        if (!machine_is_raised(machine, ATTRIBUTE_ERROR)) return false;
        machine_clear(machine);
        has_it = false;
    }
    if (!has_it) *result = ARGUMENT(2);
    return true;
}

FUNCTION(has_attribute) {
    const char *name = name_argument(machine, ARGUMENT(1));
    bool has_it;
    if (name == NULL) return false;
    if (!get_attribute(machine, ARGUMENT(0), name, result, &has_it)) {
        if (!machine_is_raised(machine, ATTRIBUTE_ERROR)) return false;
        machine_clear(machine);
        has_it = false;
    }
    *result = value_of_bool(has_it);
    return true;
}

FUNCTION(set_attribute) {
    const char *name = name_argument(machine, ARGUMENT(1));
    *result = NONE_VALUE;
    return name != NULL && machine_set(machine, ARGUMENT(0), name, ARGUMENT(2));
}

FUNCTION(set_attribute_of_object) {
    const char *name = name_argument(machine, ARGUMENT(1));
    if (name == NULL || !is_kind(ARGUMENT(0), OBJECT_INSTANCE))
        return machine_raise(machine, TYPE_ERROR, "can't set attributes of '%s'",
                             type_name(ARGUMENT(0)));
    dict_name(machine, ((struct instance *)ARGUMENT(0).object)->names, name, ARGUMENT(2));
    return true;
}

FUNCTION(nothing_to_initialize) {
    (void)machine;
    (void)arguments;
    *result = NONE_VALUE;
    return true;
}

FUNCTION(is_callable) {
    const struct value of = ARGUMENT(0);
    struct value call;
    const bool is_function = of.kind == VALUE_OBJECT && of.object->kind >= OBJECT_FUNCTION &&
                             of.object->kind <= OBJECT_NATIVE;
    *result = value_of_bool(is_function || is_kind(of, OBJECT_CLASS) ||
                            (is_kind(of, OBJECT_INSTANCE) &&
                             class_find(((struct instance *)of.object)->class, "__call__", &call)));
    (void)machine;
    return true;
}

FUNCTION(identity) {
    const struct value of = ARGUMENT(0);
    (void)machine;
    *result = value_of_int(of.kind == VALUE_OBJECT ? (int64_t)(intptr_t)of.object : of.integer);
    return true;
}

FUNCTION(hash_of) {
    uint64_t hash;
    if (!value_hash(machine, ARGUMENT(0), &hash)) return false;
    *result = value_of_int((int64_t)(hash >> 1));
    return true;
}

FUNCTION(repr) {
    return value_repr(machine, ARGUMENT(0), result);
}

FUNCTION(format) {
    return format_value(
        machine, ARGUMENT(0),
        is_kind(ARGUMENT(1), OBJECT_STR) ? ((struct str *)ARGUMENT(1).object)->bytes : "", result);
}

FUNCTION(ordinal) {
    if (!is_kind(ARGUMENT(0), OBJECT_STR))
        return machine_raise(machine, TYPE_ERROR, "ord() expected string of length 1, but %s found",
                             type_name(ARGUMENT(0)));
    const struct str *str = (const struct str *)ARGUMENT(0).object;
    const char *next = str->bytes;
    const uint32_t character = utf8_next(&next);
    if (str->length == 0 || next != str->bytes + str->length)
        return machine_raise(machine, TYPE_ERROR,
                             "ord() expected a character, but string of length %" PRId64 " found",
                             str->length);
    *result = value_of_int(character);
    return true;
}

FUNCTION(character) {
    int64_t code;
    char bytes[5];
    if (!as_index(machine, ARGUMENT(0), &code)) return false;
    if (code < 0 || code > 0x10FFFF)
        return machine_raise(machine, VALUE_ERROR, "chr() arg not in range(0x110000)");
    *result = str_new(machine, bytes, (int64_t)utf8_encode((uint32_t)code, bytes));
    return true;
}

FUNCTION(globals) {
    *result = value_of_object(machine->call->frame->globals);
    return true;
}

FUNCTION(locals) {
    *result = value_of_object(machine->call->frame->names);
    return true;
}

FUNCTION(vars) {
    return ARGUMENT(0).kind == VALUE_ABSENT ? locals(machine, arguments, result)
                                            : machine_get(machine, ARGUMENT(0), "__dict__", result);
}

FUNCTION(refused) {
    (void)result;
    return machine_raise(
        machine, NOT_IMPLEMENTED_ERROR,
        "onestep runs no %s(): it lets no program reach files, input or other code",
        arguments->row->name);
}

// ---- super(), properties, exceptions ------------------------------------------------------------

static struct value instance_of(struct machine *machine, struct class *class) {
    const struct value instance = exception_new(machine, class, 0, NULL);
    dict_clear(((struct instance *)instance.object)->names);
    machine_keep(machine, instance);
    return instance;
}

FUNCTION(make_super) {
    const struct frame *frame = machine->call->frame;
    struct value owner = arguments->count > 0 ? ARGUMENT(0) : NO_VALUE,
                 self = arguments->count > 1 ? ARGUMENT(1) : frame->self;
    if (arguments->count == 0 && frame->owner != NULL) owner = value_of_object(frame->owner);
    if (owner.kind == VALUE_ABSENT || self.kind == VALUE_ABSENT)
        return machine_raise(machine, RUNTIME_ERROR, "super(): no arguments");
    *result = instance_of(machine, machine->type_super);
    dict_name(machine, ((struct instance *)result->object)->names, "owner", owner);
    dict_name(machine, ((struct instance *)result->object)->names, "self", self);
    return true;
}

static bool wrap(struct machine *machine, struct class *class, const struct arguments *arguments,
                 struct value *result) {
    *result = instance_of(machine, class);
    dict_name(machine, ((struct instance *)result->object)->names, "function", ARGUMENT(0));
    return true;
}

FUNCTION(make_property) {
    if (!wrap(machine, machine->type_property, arguments, result)) return false;
    if (is_there(ARGUMENT(1)))
        dict_name(machine, ((struct instance *)result->object)->names, "set", ARGUMENT(1));
    return true;
}

FUNCTION(set_of_property) {
    const struct value getter =
        dict_named(((struct instance *)ARGUMENT(0).object)->names, "function");
    struct arguments both = {.count = 2, .values = (struct value[]){getter, ARGUMENT(1)}};
    return make_property(machine, &both, result);
}

FUNCTION(make_static) {
    return wrap(machine, machine->type_static, arguments, result);
}

FUNCTION(make_class_method) {
    return wrap(machine, machine->type_class_method, arguments, result);
}

FUNCTION(with_traceback) {
    (void)machine;
    *result = ARGUMENT(0);
    return true;
}

// ---- Tables -------------------------------------------------------------------------------------

static const struct native_row functions[] = {
    {"print", NULL, print},
    {"len", "obj", len},
    {"enumerate", "iterable, start=0", enumerate},
    {"zip", NULL, zip},
    {"map", NULL, map},
    {"filter", "function, iterable", filter},
    {"reversed", "sequence", reversed},
    {"iter", "object", iter},
    {"next", NULL, next},
    {"sorted", "iterable, *, key=None, reverse=False", sorted},
    {"sum", "iterable, start=0", sum},
    {"max", NULL, largest},
    {"min", NULL, smallest},
    {"any", "iterable", any},
    {"all", "iterable", all},
    {"abs", "x", absolute},
    {"round", "number, ndigits=None", round_number},
    {"divmod", "x, y", divide_with_rest},
    {"pow", "base, exp", power},
    {"isinstance", "obj, class_or_tuple", is_instance},
    {"issubclass", "cls, class_or_tuple", is_subclass_of},
    {"getattr", NULL, get_attribute_of},
    {"hasattr", "obj, name", has_attribute},
    {"setattr", "obj, name, value", set_attribute},
    {"callable", "obj", is_callable},
    {"id", "obj", identity},
    {"hash", "obj", hash_of},
    {"repr", "obj", repr},
    {"format", "value, format_spec=None", format},
    {"ord", "c", ordinal},
    {"chr", "i", character},
    {"globals", "", globals},
    {"locals", "", locals},
    {"vars", "object=...", vars},
    {"open", NULL, refused},
    {"input", NULL, refused},
    {"eval", NULL, refused},
    {"exec", NULL, refused},
    {"compile", NULL, refused},
    {"__import__", NULL, refused},
    {NULL, NULL, NULL},
};

static const struct native_row constructors[] = {
    {"range", NULL, make_range},
    {"int", "x=0, base=None", make_int},
    {"float", "x=0.0", make_float},
    {"bool", "x=False", make_bool},
    {"str", "object=...", make_str},
    {"list", "iterable=...", make_list},
    {"tuple", "iterable=...", make_tuple},
    {"set", "iterable=...", make_set},
    {"frozenset", "iterable=...", make_frozenset},
    {"dict", NULL, make_dict},
    {"slice", NULL, make_slice},
    {"type", "object", type_of},
    {"super", NULL, make_super},
    {"property", "fget, fset=None", make_property},
    {"staticmethod", "function", make_static},
    {"classmethod", "function", make_class_method},
};

static const struct native_row object_methods_[] = {
    {"__setattr__", "self, name, value", set_attribute_of_object},
    {"__init__", NULL, nothing_to_initialize},
    {NULL, NULL, NULL}};
static const struct native_row property_methods[] = {{"setter", "self, fset", set_of_property},
                                                     {NULL, NULL, NULL}};
static const struct native_row exception_methods[] = {
    {"with_traceback", "self, tb", with_traceback},
    {"__init__", NULL, nothing_to_initialize},
    {NULL, NULL, NULL}};

static struct class *built_in(struct machine *machine, const char *name,
                              const struct native_row *methods) {
    const struct native_row *row = NULL;
    for (size_t i = 0; i < sizeof constructors / sizeof *constructors; i++)
        if (strcmp(constructors[i].name, name) == 0) row = &constructors[i];
    struct class *class = class_new(machine, "builtins", name, row, methods);
    dict_name(machine, machine->builtins, name, value_of_object(class));
    return class;
}

static void add_exceptions(struct machine *machine) {
    static const struct {
        const char *name;
        enum exception base;
    } rows[EXCEPTION_COUNT] = {
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
    };
    for (int i = 0; i < EXCEPTION_COUNT; i++) {
        struct class *class = class_new(machine, "builtins", rows[i].name, NULL,
                                        i == EXCEPTION ? exception_methods : NULL);
        machine->exceptions[i] = class;
        const struct list *above = machine->exceptions[rows[i].base]->order;
        for (int64_t j = 0; i != EXCEPTION && j < above->count; j++)
            list_append(machine, class->order, above->items[j]);
        dict_name(machine, machine->builtins, rows[i].name, value_of_object(class));
    }
    dict_name(machine, machine->builtins, "BaseException",
              value_of_object(machine->exceptions[EXCEPTION]));
}

void add_builtin_types(struct machine *machine) {
    machine->type_object = built_in(machine, "object", object_methods_);
    machine->type_type = built_in(machine, "type", NULL);
    machine->type_bool = built_in(machine, "bool", int_methods);
    machine->type_int = built_in(machine, "int", int_methods);
    machine->type_float = built_in(machine, "float", float_methods);
    machine->classes[OBJECT_STR] = built_in(machine, "str", str_methods);
    machine->classes[OBJECT_BYTES] = built_in(machine, "bytes", NULL);
    machine->classes[OBJECT_LIST] = built_in(machine, "list", list_methods);
    machine->classes[OBJECT_TUPLE] = built_in(machine, "tuple", tuple_methods);
    machine->classes[OBJECT_DICT] = built_in(machine, "dict", dict_methods);
    static const struct native_row from_keys = {"fromkeys", "iterable, value=None", dict_from_keys};
    struct native *native = object_new(machine, OBJECT_NATIVE, sizeof *native);
    native->row = &from_keys;
    dict_name(machine, machine->classes[OBJECT_DICT]->names, "fromkeys", value_of_object(native));
    machine->classes[OBJECT_SET] = built_in(machine, "set", set_methods);
    machine->classes[OBJECT_RANGE] = built_in(machine, "range", NULL);
    machine->classes[OBJECT_SLICE] = built_in(machine, "slice", NULL);
    machine->type_frozenset = built_in(machine, "frozenset", set_methods);
    machine->type_super = built_in(machine, "super", NULL);
    machine->type_property = built_in(machine, "property", property_methods);
    machine->type_static = built_in(machine, "staticmethod", NULL);
    machine->type_class_method = built_in(machine, "classmethod", NULL);
    machine->type_none = class_new(machine, "builtins", "NoneType", NULL, NULL);
    machine->type_ellipsis = class_new(machine, "builtins", "ellipsis", NULL, NULL);
    machine->type_size = class_new(machine, "torch", "Size", NULL, tuple_methods);
    static const struct {
        enum object_kind kind;
        const char *name;
    } others[] = {{OBJECT_FUNCTION, "function"},
                  {OBJECT_METHOD, "method"},
                  {OBJECT_NATIVE, "builtin_function_or_method"},
                  {OBJECT_MODULE, "module"},
                  {OBJECT_ITERATOR, "generator"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        machine->classes[others[i].kind] =
            class_new(machine, "builtins", others[i].name, NULL, NULL);
    add_exceptions(machine);
}

void machine_add_builtins(struct machine *machine) {
    for (const struct native_row *row = functions; row->name != NULL; row++) {
        struct native *native = object_new(machine, OBJECT_NATIVE, sizeof *native);
        native->row = row;
        dict_name(machine, machine->builtins, row->name, value_of_object(native));
    }
    dict_name(machine, machine->builtins, "NotImplemented", (struct value){VALUE_ELLIPSIS, {0}});
    dict_name(machine, machine->builtins, "__debug__", value_of_bool(true));
}
