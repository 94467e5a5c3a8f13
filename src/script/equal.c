// Which values are true, the same, or equal; their hashes, and the names of their types.

#include <math.h>
#include <string.h>

#include "script/dict.h"

// ---- What values are ----------------------------------------------------------------------------

bool value_is_same(struct value a, struct value b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case VALUE_BOOL:
        return a.truth == b.truth;
    case VALUE_INT:
        return a.integer == b.integer;
    case VALUE_FLOAT:
        return memcmp(&a.number, &b.number, sizeof a.number) == 0;
    case VALUE_OBJECT:
        return a.object == b.object;
    case VALUE_ABSENT:
    case VALUE_NONE:
    case VALUE_ELLIPSIS:
        break;
    }
    return true;
}

bool value_truth(struct machine *machine, struct value value, bool *truth) {
    switch (value.kind) {
    case VALUE_BOOL:
        *truth = value.truth;
        return true;
    case VALUE_INT:
        *truth = value.integer != 0;
        return true;
    case VALUE_FLOAT:
        *truth = value.number != 0;
        return true;
    case VALUE_ABSENT:
    case VALUE_NONE:
        *truth = false;
        return true;
    case VALUE_ELLIPSIS:
        *truth = true;
        return true;
    case VALUE_OBJECT:
        break;
    }
    const enum object_kind kind = value.object->kind;
    if (machine->methods[kind].truth != NULL)
        return machine->methods[kind].truth(machine, value, truth);
    if (kind == OBJECT_INSTANCE) {
        bool is_there;
        struct value answer;
        if (!call_method(machine, value, "__bool__", 0, NULL, &answer, &is_there)) return false;
        if (is_there) return value_truth(machine, answer, truth);
        if (!call_method(machine, value, "__len__", 0, NULL, &answer, &is_there)) return false;
        if (is_there) return value_truth(machine, answer, truth);
        if (inner_of(value).object != value.object)
            return value_truth(machine, inner_of(value), truth);
    }
    int64_t length = 1;
    const bool has_length = kind <= OBJECT_RANGE;
    if (has_length && !length_of(machine, value, &length)) return false;
    *truth = length != 0;
    return true;
}

static bool hash_items(struct machine *machine, const struct list *list, uint64_t *hash) {
    *hash = 7;
    bool is_done = go_deeper(machine);
    if (!is_done) return false;
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

bool value_hash(struct machine *machine, struct value value, uint64_t *hash) {
    switch (value.kind) {
    case VALUE_BOOL:
        *hash = hash_of_int(value.truth);
        return true;
    case VALUE_INT:
        *hash = hash_of_int(value.integer);
        return true;
    case VALUE_FLOAT:
        if (value.number == floor(value.number) && fabs(value.number) < 9e18)
            *hash = hash_of_int((int64_t)value.number);
        else
            *hash = bytes_hash((const char *)&value.number, sizeof value.number);
        return true;
    case VALUE_ABSENT:
    case VALUE_NONE:
    case VALUE_ELLIPSIS:
        *hash = 11 + (uint64_t)value.kind;
        return true;
    case VALUE_OBJECT:
        break;
    }
    switch (value.object->kind) {
    case OBJECT_STR:
    case OBJECT_BYTES:
        *hash = ((const struct str *)value.object)->hash;
        return true;
    case OBJECT_TUPLE:
        return hash_items(machine, (const struct list *)value.object, hash);
    case OBJECT_LIST:
    case OBJECT_DICT:
    case OBJECT_SLICE:
        return machine_raise(machine, TYPE_ERROR, "unhashable type: '%s'", type_name(value));
    case OBJECT_SET:
        if (!((const struct dict *)value.object)->is_frozen)
            return machine_raise(machine, TYPE_ERROR, "unhashable type: 'set'");
        *hash = 13 + (uint64_t)((const struct dict *)value.object)->count;
        return true;
    case OBJECT_INSTANCE: {
        bool is_there;
        struct value answer;
        if (!call_method(machine, value, "__hash__", 0, NULL, &answer, &is_there)) return false;
        if (is_there) return value_hash(machine, answer, hash);
        if (inner_of(value).object != value.object)
            return value_hash(machine, inner_of(value), hash);
        break;
    }
    default:
        break;
    }
    *hash = hash_of_int((int64_t)(intptr_t)value.object);
    return true;
}

// ---- Equality -----------------------------------------------------------------------------------

static bool is_number(struct value value) {
    return value.kind == VALUE_BOOL || value.kind == VALUE_INT || value.kind == VALUE_FLOAT;
}

static int64_t integer_of(struct value value) {
    return value.kind == VALUE_BOOL ? value.truth : value.integer;
}

static bool numbers_equal(struct value a, struct value b) {
    if (a.kind != VALUE_FLOAT && b.kind != VALUE_FLOAT) return integer_of(a) == integer_of(b);
    const double x = a.kind == VALUE_FLOAT ? a.number : (double)integer_of(a);
    const double y = b.kind == VALUE_FLOAT ? b.number : (double)integer_of(b);
    return x == y;
}

bool is_or_equals(struct machine *machine, struct value a, struct value b, bool *equal) {
    *equal = value_is_same(a, b);
    return *equal || values_equal(machine, a, b, equal);
}

static bool items_equal(struct machine *machine, const struct list *a, const struct list *b,
                        bool *equal) {
    *equal = a->count == b->count;
    for (int64_t i = 0; *equal && i < a->count && i < b->count; i++) {
        if (value_is_same(a->items[i], b->items[i])) continue;
        if (!values_equal(machine, a->items[i], b->items[i], equal)) return false;
    }
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

static bool objects_equal(struct machine *machine, struct value a, struct value b, bool *equal) {
    if (a.object->kind == OBJECT_INSTANCE || b.object->kind == OBJECT_INSTANCE) {
        struct value answer;
        bool is_there;
        const struct value self = a.object->kind == OBJECT_INSTANCE ? a : b,
                           other = a.object->kind == OBJECT_INSTANCE ? b : a;
        if (!call_method(machine, self, "__eq__", 1, &other, &answer, &is_there)) return false;
        if (is_there) return value_truth(machine, answer, equal);
        a = inner_of(a), b = inner_of(b);
    }
    *equal = a.object == b.object;
    if (*equal || a.object->kind != b.object->kind) return true;
    switch (a.object->kind) {
    case OBJECT_STR:
    case OBJECT_BYTES: {
        const struct str *x = (const struct str *)a.object, *y = (const struct str *)b.object;
        *equal = x->length == y->length && memcmp(x->bytes, y->bytes, (size_t)x->length) == 0;
        return true;
    }
    case OBJECT_LIST:
    case OBJECT_TUPLE: {
        if (!go_deeper(machine)) return false;
        const bool is_done =
            items_equal(machine, (struct list *)a.object, (struct list *)b.object, equal);
        machine->depth--;
        return is_done;
    }
    case OBJECT_DICT:
    case OBJECT_SET:
        return dicts_equal(machine, (struct dict *)a.object, (struct dict *)b.object, equal);
    case OBJECT_RANGE: {
        const struct range *x = (const struct range *)a.object, *y = (const struct range *)b.object;
        *equal = x->start == y->start && x->stop == y->stop && x->step == y->step;
        return true;
    }
    default:
        return true;
    }
}

bool values_equal(struct machine *machine, struct value a, struct value b, bool *equal) {
    if (is_number(a) && is_number(b)) {
        *equal = numbers_equal(a, b);
        return true;
    }
    const struct value *of[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        if (of[i]->kind != VALUE_OBJECT || machine->methods[of[i]->object->kind].binary == NULL)
            continue;
        struct value answer;
        if (!machine->methods[of[i]->object->kind].binary(machine, OP_EQUAL, a, b, &answer))
            return false;
        if (answer.kind != VALUE_ABSENT) return value_truth(machine, answer, equal);
    }
    if (a.kind == VALUE_OBJECT && b.kind == VALUE_OBJECT)
        return objects_equal(machine, a, b, equal);
    *equal = a.kind == b.kind && a.kind != VALUE_OBJECT;
    return true;
}

// ---- Names of types -----------------------------------------------------------------------------

const char *type_name(struct value value) {
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
    switch (value.kind) {
    case VALUE_ABSENT:
    case VALUE_NONE:
        return "NoneType";
    case VALUE_ELLIPSIS:
        return "ellipsis";
    case VALUE_BOOL:
        return "bool";
    case VALUE_INT:
        return "int";
    case VALUE_FLOAT:
        return "float";
    case VALUE_OBJECT:
        break;
    }
    if (value.object->kind == OBJECT_INSTANCE)
        return ((const struct instance *)value.object)->class->name;
    if (value.object->kind == OBJECT_TUPLE || value.object->kind == OBJECT_LIST) {
        const struct list *list = (const struct list *)value.object;
        if (list->is_size) return "torch.Size";
        if (list->type_name != NULL) return list->type_name;
    }
    if (value.object->kind == OBJECT_SET && ((const struct dict *)value.object)->is_frozen)
        return "frozenset";
    return names[value.object->kind];
}
