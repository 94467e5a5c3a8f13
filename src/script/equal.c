// Which values are true, the same, or equal; their hashes, and the names of their types.

#include <math.h>
#include <string.h>

#include "script/inside.h"

// ---- What values are ----------------------------------------------------------------------------

bool value_is_same(struct value a, struct value b) {
    if (a.kind != b.kind) return false;
    return a.kind == VALUE_BOOL    ? a.truth == b.truth
           : a.kind == VALUE_INT   ? a.integer == b.integer
           : a.kind == VALUE_FLOAT ? memcmp(&a.number, &b.number, sizeof a.number) == 0
                                   : a.kind != VALUE_OBJECT || a.object == b.object;
}

static bool truth_of_object(struct machine *machine, struct value value, bool *truth) {
    const enum object_kind kind = value.object->kind;
    struct value answer;
    int64_t length = 1;
    if (machine->methods[kind].truth != NULL)
        return machine->methods[kind].truth(machine, value, truth);
    if (!ask(machine, value, "__bool__", &answer)) return false;
    if (answer.kind != VALUE_ABSENT && answer.kind != VALUE_BOOL)
        return machine_raise(machine, TYPE_ERROR, "__bool__ should return bool, returned %s",
                             type_name(answer));
    if (answer.kind != VALUE_ABSENT) return value_truth(machine, answer, truth);
    struct value found;
    const bool has_length =
        kind == OBJECT_INSTANCE && class_find(as_instance(value)->class, "__len__", &found);
    if (!has_length && inner_of(value).object != value.object)
        return value_truth(machine, inner_of(value), truth);
    if ((kind <= OBJECT_RANGE || has_length) && !length_of(machine, value, &length)) return false;
    *truth = length != 0;
    return true;
}

bool value_truth(struct machine *machine, struct value value, bool *truth) {
    if (value.kind == VALUE_OBJECT) return truth_of_object(machine, value, truth);
    *truth = is_number(value) ? double_of(value) != 0 : value.kind == VALUE_ELLIPSIS;
    return true;
}

// ---- Hashes -------------------------------------------------------------------------------------

static bool hash_items(struct machine *machine, const struct list *list, uint64_t *hash) {
    bool is_done = go_deeper(machine);
    if (!is_done) return false;
    *hash = 7;
    for (int64_t i = 0; is_done && i < list->count; i++) {
        uint64_t item = 0;
        is_done = value_hash(machine, list->items[i], &item);
        *hash = (*hash ^ item) * 1099511628211u;
    }
    machine->depth--;
    return is_done;
}

static uint64_t hash_of_int(int64_t integer) {
    const uint64_t mixed = (uint64_t)integer * 0x9E3779B97F4A7C15u;
    return mixed ^ mixed >> 32;
}

static uint64_t hash_of_float(double number) { // as that of an int that is equal
    return number == floor(number) && fabs(number) < 9e18
               ? hash_of_int((int64_t)number)
               : bytes_hash((const char *)&number, sizeof number);
}

bool value_hash(struct machine *machine, struct value value, uint64_t *hash) {
    struct value answer;
    *hash = is_integer(value)            ? hash_of_int(integer_of(value))
            : value.kind == VALUE_FLOAT  ? hash_of_float(value.number)
            : value.kind == VALUE_OBJECT ? hash_of_int((int64_t)(intptr_t)value.object)
                                         : 11 + (uint64_t)value.kind;
    if (value.kind != VALUE_OBJECT) return true;
    switch (value.object->kind) {
    case OBJECT_STR:
    case OBJECT_BYTES:
        *hash = as_str(value)->hash;
        return true;
    case OBJECT_TUPLE:
        return hash_items(machine, as_list(value), hash);
    case OBJECT_SET:
        *hash = 13 + (uint64_t)as_dict(value)->count;
        if (as_dict(value)->is_frozen) return true; // fall through
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_SLICE:
        return machine_raise(machine, TYPE_ERROR, "unhashable type: '%s'", type_name(value));
    case OBJECT_INSTANCE:
        if (!ask(machine, value, "__hash__", &answer)) return false;
        if (answer.kind == VALUE_ABSENT)
            answer = inner_of(value);
        else if (answer.kind != VALUE_INT && answer.kind != VALUE_BOOL)
            return machine_raise(machine, TYPE_ERROR, "__hash__ method should return an integer");
        return answer.object == value.object || value_hash(machine, answer, hash);
    default:
        return true;
    }
}

// ---- Equality -----------------------------------------------------------------------------------

static bool numbers_equal(struct value a, struct value b) {
    return is_integer(a) && is_integer(b) ? integer_of(a) == integer_of(b)
                                          : double_of(a) == double_of(b);
}

bool is_or_equals(struct machine *machine, struct value a, struct value b, bool *equal) {
    *equal = value_is_same(a, b);
    return *equal || values_equal(machine, a, b, equal);
}

static bool items_equal(struct machine *machine, const struct list *a, const struct list *b,
                        bool *equal) {
    *equal = a->count == b->count;
    for (int64_t i = 0; *equal && i < a->count && i < b->count; i++)
        if (!is_or_equals(machine, a->items[i], b->items[i], equal)) return false;
    return true;
}

static bool dicts_equal(struct machine *machine, struct dict *a, struct dict *b, bool *equal) {
    *equal = a->count == b->count;
    struct value key, value, other;
    for (int64_t i = 0; *equal && dict_next(a, &i, &key, &value);) {
        if (!dict_get(machine, b, key, &other)) return false;
        *equal = other.kind != VALUE_ABSENT;
        if (*equal && a->object.kind == OBJECT_DICT && !values_equal(machine, value, other, equal))
            return false;
    }
    return true;
}

static bool containers_equal(struct machine *machine, struct value a, struct value b, bool *equal) {
    if (!go_deeper(machine)) return false;
    const bool are_lists = is_kind(a, OBJECT_LIST) || is_kind(a, OBJECT_TUPLE);
    const bool is_done = are_lists ? items_equal(machine, as_list(a), as_list(b), equal)
                                   : dicts_equal(machine, as_dict(a), as_dict(b), equal);
    machine->depth--;
    return is_done;
}

static bool objects_equal(struct machine *machine, struct value a, struct value b, bool *equal) {
    const bool is_first = is_kind(a, OBJECT_INSTANCE);
    struct value answer;
    bool is_there = false;
    if ((is_first || is_kind(b, OBJECT_INSTANCE)) &&
        !call_method(machine, is_first ? a : b, "__eq__", 1, is_first ? &b : &a, &answer,
                     &is_there))
        return false;
    if (is_there) return value_truth(machine, answer, equal);
    a = inner_of(a), b = inner_of(b);
    *equal = a.object == b.object;
    if (*equal || a.object->kind != b.object->kind) return true;
    if (is_kind(a, OBJECT_STR) || is_kind(a, OBJECT_BYTES)) {
        *equal = as_str(a)->length == as_str(b)->length &&
                 memcmp(bytes_of(a), bytes_of(b), (size_t)as_str(a)->length) == 0;
    } else if (is_kind(a, OBJECT_RANGE)) {
        const struct range *x = (const struct range *)a.object, *y = (const struct range *)b.object;
        *equal = x->start == y->start && x->stop == y->stop && x->step == y->step;
    } else if (a.object->kind <= OBJECT_SET) {
        return containers_equal(machine, a, b, equal);
    }
    return true;
}

bool values_equal(struct machine *machine, struct value a, struct value b, bool *equal) {
    struct value answer;
    if (is_number(a) && is_number(b)) {
        *equal = numbers_equal(a, b);
        return true;
    }
    if (!ask_library(machine, OP_EQUAL, a, b, &answer)) return false;
    if (answer.kind != VALUE_ABSENT) return value_truth(machine, answer, equal);
    if (a.kind == VALUE_OBJECT && b.kind == VALUE_OBJECT)
        return objects_equal(machine, a, b, equal);
    *equal = a.kind == b.kind;
    return true;
}

// ---- Names of types -----------------------------------------------------------------------------

const char *type_name(struct value value) {
    static const char *const plain[] = {"NoneType", "NoneType", "ellipsis", "bool", "int", "float"};
    static const char *const names[] = {
        [OBJECT_STR] = "str",
        [OBJECT_BYTES] = "bytes",
        [OBJECT_LIST] = "list",
        [OBJECT_TUPLE] = "tuple",
        [OBJECT_DICT] = "dict",
        [OBJECT_SET] = "set",
        [OBJECT_RANGE] = "range",
        [OBJECT_SLICE] = "slice",
        [OBJECT_FUNCTION] = "function",
        [OBJECT_METHOD] = "method",
        [OBJECT_NATIVE] = "builtin_function_or_method",
        [OBJECT_MODULE] = "module",
        [OBJECT_CLASS] = "type",
        [OBJECT_ITERATOR] = "generator",
        [OBJECT_FRAME] = "frame",
        [OBJECT_TENSOR] = "Tensor",
        [OBJECT_DTYPE] = "torch.dtype",
        [OBJECT_RANDOM] = "Generator",
        [OBJECT_NODE] = "Node",
    };
    if (value.kind != VALUE_OBJECT) return plain[value.kind];
    if (is_kind(value, OBJECT_INSTANCE)) return as_instance(value)->class->name;
    if (is_kind(value, OBJECT_SET) && as_dict(value)->is_frozen) return "frozenset";
    const bool is_list = is_kind(value, OBJECT_TUPLE) || is_kind(value, OBJECT_LIST);
    if (is_list && as_list(value)->is_size) return "torch.Size";
    if (is_list && as_list(value)->type_name != NULL) return as_list(value)->type_name;
    return names[value.object->kind];
}
