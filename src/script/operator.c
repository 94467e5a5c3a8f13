// Operators: arithmetic, what objects make of it, and comparisons.

#include <math.h>
#include <string.h>

#include "script/inside.h"

// ---- Numbers ------------------------------------------------------------------------------------

bool raise_too_large(struct machine *machine) {
    return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

static double modulo(double a, double b) {
    const double rest = fmod(a, b);
    return rest == 0 ? copysign(0, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}

static bool raise_division(struct machine *machine, const char *message) {
    return machine_raise(machine, ZERO_DIVISION_ERROR, "%s", message);
}

static bool power_of_ints(struct machine *machine, int64_t base, int64_t exponent,
                          struct value *value) {
    int64_t result = 1;
    if (exponent < 0 && base == 0)
        return raise_division(machine, "0.0 cannot be raised to a negative power");
    if (exponent < 0) return gives(value, value_of_float(pow((double)base, (double)exponent)));
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return raise_too_large(machine);
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
            return raise_too_large(machine);
    }
    return gives(value, value_of_int(result));
}

static bool shift(struct machine *machine, int64_t a, int64_t b, bool is_left,
                  struct value *value) {
    if (b < 0) return machine_raise(machine, VALUE_ERROR, "negative shift count");
    if (is_left && a != 0 && (b > 62 || (a < 0 ? -(a + 1) : a) >> (62 - b) > 1))
        return raise_too_large(machine);
    return gives(
        value, value_of_int(is_left ? (int64_t)((uint64_t)a << (b & 63)) : a >> (b > 63 ? 63 : b)));
}

static bool divide_ints(struct machine *machine, enum operator operator, int64_t a, int64_t b,
                        struct value *value) {
    if (b == 0)
        return raise_division(machine, operator== OP_DIVIDE ? "division by zero"
                                                            : "integer division or modulo by zero");
    if (operator== OP_DIVIDE) return gives(value, value_of_float((double)a / (double)b));
    if (b == -1 && a == INT64_MIN && operator== OP_FLOOR_DIVIDE) return raise_too_large(machine);
    const int64_t quotient = b == -1 ? (int64_t)(0 - (uint64_t)a) : floor_quotient(a, b);
    if (operator== OP_FLOOR_DIVIDE) return gives(value, value_of_int(quotient));
    return gives(value, value_of_int(b == -1 ? 0 : a - quotient * b));
}

static bool binary_ints(struct machine *machine, enum operator operator, struct value left,
                        struct value right, struct value *value) {
    const int64_t a = integer_of(left), b = integer_of(right);
    int64_t result = 0;
    switch (operator) {
    case OP_ADD:
        if (__builtin_add_overflow(a, b, &result)) return raise_too_large(machine);
        return gives(value, value_of_int(result));
    case OP_SUBTRACT:
        if (__builtin_sub_overflow(a, b, &result)) return raise_too_large(machine);
        return gives(value, value_of_int(result));
    case OP_MULTIPLY:
        if (__builtin_mul_overflow(a, b, &result)) return raise_too_large(machine);
        return gives(value, value_of_int(result));
    case OP_DIVIDE:
    case OP_FLOOR_DIVIDE:
    case OP_MODULO:
        return divide_ints(machine, operator, a, b, value);
    case OP_POWER:
        return power_of_ints(machine, a, b, value);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        return shift(machine, a, b, operator== OP_SHIFT_LEFT, value);
    case OP_AND_BITS:
    case OP_OR_BITS:
    case OP_XOR_BITS:
        result = operator== OP_AND_BITS ? a & b : operator== OP_OR_BITS ? a | b : a ^ b;
        const bool are_bools = left.kind == VALUE_BOOL && right.kind == VALUE_BOOL;
        return gives(value, are_bools ? value_of_bool(result != 0) : value_of_int(result));
    default:
        return true;
    }
}

static bool power_of_floats(struct machine *machine, double a, double b, struct value *value) {
    if (a == 0 && b < 0) return raise_division(machine, "0.0 cannot be raised to a negative power");
    if (a < 0 && b != floor(b) && isfinite(a) && isfinite(b))
        return machine_raise(machine, VALUE_ERROR,
                             "a negative number to a power that is not whole is complex, which "
                             "onestep does not run");
    const double result = pow(a, b);
    if (isinf(result) && isfinite(a) && isfinite(b))
        return machine_raise(machine, OVERFLOW_ERROR, "(34, 'Numerical result out of range')");
    return gives(value, value_of_float(result));
}

static bool binary_floats(struct machine *machine, enum operator operator, double a, double b,
                          struct value *value) {
    switch (operator) {
    case OP_ADD:
        return gives(value, value_of_float(a + b));
    case OP_SUBTRACT:
        return gives(value, value_of_float(a - b));
    case OP_MULTIPLY:
        return gives(value, value_of_float(a * b));
    case OP_POWER:
        return power_of_floats(machine, a, b, value);
    case OP_DIVIDE:
        if (b == 0) return raise_division(machine, "float division by zero");
        return gives(value, value_of_float(a / b));
    case OP_FLOOR_DIVIDE:
        if (b == 0) return raise_division(machine, "float floor division by zero");
        return gives(value, value_of_float(floor((a - modulo(a, b)) / b + 0.5)));
    case OP_MODULO:
        if (b == 0) return raise_division(machine, "float modulo");
        return gives(value, value_of_float(modulo(a, b)));
    default:
        return true;
    }
}

// ---- Sequences and sets -------------------------------------------------------------------------

static bool is_sequence(struct value value) {
    return value.kind == VALUE_OBJECT && value.object->kind <= OBJECT_TUPLE;
}

static struct value sequence_new(struct machine *machine, enum object_kind kind, int64_t count) {
    if (kind == OBJECT_LIST) return list_new(machine, count, NULL);
    if (kind == OBJECT_TUPLE) return tuple_new(machine, count, NULL);
    struct str *str = object_new(machine, kind, sizeof *str + (size_t)count + 1);
    str->length = count;
    return value_of_object(str);
}

// Writes the items or bytes of a sequence into another one of its kind.
static void copy_into(struct value to, int64_t at, struct value of) {
    if (to.object->kind <= OBJECT_BYTES)
        memcpy(as_str(to)->bytes + at, bytes_of(of), (size_t)as_str(of)->length);
    else if (as_list(of)->count > 0)
        memcpy(as_list(to)->items + at, as_list(of)->items,
               (size_t)as_list(of)->count * sizeof(struct value));
}

static void finish(struct value sequence) {
    if (sequence.object->kind <= OBJECT_BYTES)
        as_str(sequence)->hash = bytes_hash(bytes_of(sequence), as_str(sequence)->length);
}

static int64_t items_in(struct value sequence) {
    return sequence.object->kind <= OBJECT_BYTES ? as_str(sequence)->length
                                                 : as_list(sequence)->count;
}

static bool repeated(struct machine *machine, struct value of, int64_t times, struct value *value) {
    const int64_t size = of.object->kind <= OBJECT_BYTES ? 1 : (int64_t)sizeof(struct value);
    const int64_t count = items_in(of);
    if (times < 0 || count == 0) times = 0;
    if (times > 0 && count > machine->options.memory / size / times) return raise_full(machine);
    *value = sequence_new(machine, of.object->kind, count * times);
    for (int64_t i = 0; i < times; i++) copy_into(*value, i * count, of);
    finish(*value);
    return true;
}

static bool joined(struct machine *machine, struct value a, struct value b, struct value *value) {
    *value = sequence_new(machine, a.object->kind, items_in(a) + items_in(b));
    copy_into(*value, 0, a);
    copy_into(*value, items_in(a), b);
    if (is_kind(a, OBJECT_TUPLE))
        as_list(*value)->is_size = as_list(a)->is_size && as_list(b)->is_size;
    finish(*value);
    return true;
}

// Adds what is in `from` and (`is_in`) in `other` too, or is not.
static bool add_those(struct machine *machine, struct dict *to, struct dict *from,
                      struct dict *other, bool is_in) {
    struct value key, item, there;
    for (int64_t i = 0; dict_next(from, &i, &key, &item);) {
        if (!dict_get(machine, other, key, &there)) return false;
        if ((there.kind != VALUE_ABSENT) == is_in && !dict_set(machine, to, key, item))
            return false;
    }
    return true;
}

static bool binary_sets(struct machine *machine, enum operator operator, struct dict * a,
                        struct dict *b, struct value *value) {
    *value = a->object.kind == OBJECT_DICT ? dict_new(machine) : set_new(machine);
    machine_keep(machine, *value);
    struct dict *result = as_dict(*value);
    if (operator== OP_OR_BITS)
        return update_dict(machine, result, value_of_object(a)) &&
               update_dict(machine, result, value_of_object(b));
    return add_those(machine, result, a, b, operator== OP_AND_BITS) &&
           (operator!= OP_XOR_BITS || add_those(machine, result, b, a, false));
}

// keys() and items() of a dict are sets to operators.
static bool view_as_set(struct machine *machine, struct value *value) {
    const char *name = is_kind(*value, OBJECT_LIST) ? as_list(*value)->type_name : NULL;
    if (name == NULL || (strcmp(name, "dict_keys") != 0 && strcmp(name, "dict_items") != 0))
        return true;
    return set_from(machine, *value, value);
}

// ---- What objects do ----------------------------------------------------------------------------

static const struct {
    const char *name, *reverse;
} methods_of_operators[OPERATOR_COUNT] = {
    [OP_ADD] = {"__add__", "__radd__"},
    [OP_SUBTRACT] = {"__sub__", "__rsub__"},
    [OP_MULTIPLY] = {"__mul__", "__rmul__"},
    [OP_DIVIDE] = {"__truediv__", "__rtruediv__"},
    [OP_FLOOR_DIVIDE] = {"__floordiv__", NULL},
    [OP_MODULO] = {"__mod__", NULL},
    [OP_POWER] = {"__pow__", "__rpow__"},
    [OP_MATMUL] = {"__matmul__", "__rmatmul__"},
    [OP_AND_BITS] = {"__and__", NULL},
    [OP_OR_BITS] = {"__or__", NULL},
    [OP_XOR_BITS] = {"__xor__", NULL},
    [OP_LESS] = {"__lt__", NULL},
    [OP_AT_MOST] = {"__le__", NULL},
    [OP_MORE] = {"__gt__", NULL},
    [OP_AT_LEAST] = {"__ge__", NULL},
    [OP_EQUAL] = {"__eq__", NULL},
    [OP_UNEQUAL] = {"__ne__", NULL},
    [OP_MINUS] = {"__neg__", NULL},
    [OP_INVERT] = {"__invert__", NULL},
};

// What a method of an instance gives; NO_VALUE where it has none.
static bool ask_instance(struct machine *machine, struct value self, const char *method, int count,
                         const struct value *other, struct value *value) {
    bool is_there = false;
    if (is_kind(self, OBJECT_INSTANCE) && method != NULL &&
        !call_method(machine, self, method, count, other, value, &is_there))
        return false;
    if (!is_there) *value = NO_VALUE;
    return true;
}

bool ask_library(struct machine *machine, enum operator operator, struct value a, struct value b,
                 struct value *value) {
    const struct value of[] = {a, b};
    *value = NO_VALUE;
    for (int i = 0; i < 2 && value->kind == VALUE_ABSENT; i++)
        if (of[i].kind == VALUE_OBJECT && machine->methods[of[i].object->kind].binary != NULL &&
            !machine->methods[of[i].object->kind].binary(machine, operator, a, b, value))
            return false;
    return true;
}

// int | None, of annotations
static bool either_of(struct machine *machine, struct value a, struct value b,
                      struct value *value) {
    const struct value typing = value_of_object(machine_module(machine, "typing"));
    struct value either;
    return machine_get(machine, typing, "_either", &either) &&
           machine_call(machine, either, 2, (struct value[]){a, b}, value);
}

static bool ask_objects(struct machine *machine, enum operator operator, struct value a,
                        struct value b, struct value *value) {
    const char *name = methods_of_operators[operator].name,
               *reverse = methods_of_operators[operator].reverse;
    if (!ask_instance(machine, a, name, 1, &b, value)) return false;
    if (value->kind != VALUE_ABSENT) return true;
    if (!ask_instance(machine, b, reverse, 1, &a, value)) return false;
    if (value->kind == VALUE_ABSENT && operator== OP_OR_BITS && is_kind(a, OBJECT_CLASS))
        return either_of(machine, a, b, value);
    return value->kind != VALUE_ABSENT || ask_library(machine, operator, a, b, value);
}

static bool raise_operands(struct machine *machine, enum operator operator, struct value a,
                           struct value b, bool is_in_place) {
    const char *left = type_name(a), *right = type_name(b);
    if (operator== OP_ADD && is_sequence(a))
        return machine_raise(machine, TYPE_ERROR, "can only concatenate %s (not \"%s\") to %s",
                             left, right, left);
    if (operator== OP_MULTIPLY &&(is_sequence(a) || is_sequence(b)))
        return machine_raise(machine, TYPE_ERROR, "can't multiply sequence by non-int of type '%s'",
                             is_sequence(a) ? right : left);
    const bool is_power = operator== OP_POWER && !is_in_place;
    return machine_raise(machine, TYPE_ERROR, "unsupported operand type(s) for %s%s: '%s' and '%s'",
                         is_power ? "** or pow()" : operator_text(operator), is_in_place ? "=" : "",
                         left, right);
}

// What is none of numbers only: NO_VALUE where the operator does not take it.
static bool binary_objects(struct machine *machine, enum operator operator, struct value a,
                           struct value b, struct value *value) {
    if (!ask_objects(machine, operator, a, b, value)) return false;
    if (value->kind != VALUE_ABSENT) return true;
    if (!view_as_set(machine, &a) || !view_as_set(machine, &b)) return false;
    const bool are_alike =
        a.kind == VALUE_OBJECT && b.kind == VALUE_OBJECT && a.object->kind == b.object->kind;
    if (operator== OP_MODULO && is_kind(a, OBJECT_STR))
        return format_percent(machine, as_str(a), b, value);
    if (operator== OP_MULTIPLY && is_sequence(a) && is_integer(b))
        return repeated(machine, a, integer_of(b), value);
    if (operator== OP_MULTIPLY && is_sequence(b) && is_integer(a))
        return repeated(machine, b, integer_of(a), value);
    if (operator== OP_ADD && is_sequence(a) && are_alike) return joined(machine, a, b, value);
    const bool takes_sets =
    operator== OP_OR_BITS || operator== OP_AND_BITS || operator== OP_XOR_BITS || operator==
        OP_SUBTRACT;
    if (are_alike && ((takes_sets && is_kind(a, OBJECT_SET)) ||
                      (operator== OP_OR_BITS && is_kind(a, OBJECT_DICT))))
        return binary_sets(machine, operator, as_dict(a), as_dict(b), value);
    return true;
}

static bool binary_or_raise(struct machine *machine, enum operator operator, struct value a,
                            struct value b, struct value *value, bool is_in_place) {
    *value = NO_VALUE;
    if (!(is_integer(a) && is_integer(b) ? binary_ints(machine, operator, a, b, value)
          : is_number(a) && is_number(b)
              ? binary_floats(machine, operator, double_of(a), double_of(b), value)
              : binary_objects(machine, operator, a, b, value)))
        return false;
    return value->kind != VALUE_ABSENT || raise_operands(machine, operator, a, b, is_in_place);
}

bool binary(struct machine *machine, enum operator operator, struct value a, struct value b,
            struct value *value) {
    return binary_or_raise(machine, operator, a, b, value, false);
}

bool in_place(struct machine *machine, enum operator operator, struct value a, struct value b,
              struct value *value) {
    *value = NO_VALUE;
    if (a.kind == VALUE_OBJECT && machine->methods[a.object->kind].in_place != NULL &&
        !machine->methods[a.object->kind].in_place(machine, operator, a, b, value))
        return false;
    if (value->kind != VALUE_ABSENT) return true;
    if (is_kind(a, OBJECT_LIST) && operator== OP_ADD)
        return list_extend(machine, as_list(a), b) && gives(value, a);
    return binary_or_raise(machine, operator, a, b, value, true);
}

bool unary(struct machine *machine, enum operator operator, struct value a, struct value *value) {
    bool truth;
    *value = NO_VALUE;
    if (operator== OP_NOT)
        return value_truth(machine, a, &truth) && gives(value, value_of_bool(!truth));
    if (is_integer(a)) {
        const int64_t n = integer_of(a);
        if (operator== OP_MINUS && n == INT64_MIN) return gives(value, a); // -2^63, read as 2^63
        return gives(value, value_of_int(operator== OP_MINUS ? -n : operator== OP_INVERT ? ~n : n));
    }
    if (a.kind == VALUE_FLOAT && operator!= OP_INVERT)
        return gives(value, value_of_float(operator== OP_MINUS ? -a.number : a.number));
    if (!ask_instance(machine, a, methods_of_operators[operator].name, 0, NULL, value))
        return false;
    if (a.kind == VALUE_OBJECT && machine->methods[a.object->kind].unary != NULL &&
        !machine->methods[a.object->kind].unary(machine, operator, a, value))
        return false;
    return value->kind != VALUE_ABSENT ||
           machine_raise(machine, TYPE_ERROR, "bad operand type for unary %s: '%s'",
                         operator_text(operator), type_name(a));
}

// ---- Comparisons --------------------------------------------------------------------------------

enum { UNORDERED = 2, INCOMPARABLE = 3 }; // besides -1, 0 and 1: neither less nor more; not at all

static bool order(struct machine *machine, struct value a, struct value b, int *result);

static bool order_items(struct machine *machine, const struct list *a, const struct list *b,
                        int *result) {
    for (int64_t i = 0; i < a->count && i < b->count; i++) {
        bool is_equal;
        if (!values_equal(machine, a->items[i], b->items[i], &is_equal)) return false;
        if (is_equal) continue;
        if (!go_deeper(machine)) return false;
        const bool is_done = order(machine, a->items[i], b->items[i], result);
        machine->depth--;
        return is_done;
    }
    *result = (a->count > b->count) - (a->count < b->count);
    return true;
}

static bool order(struct machine *machine, struct value a, struct value b, int *result) {
    const bool are_alike =
        a.kind == VALUE_OBJECT && b.kind == VALUE_OBJECT && a.object->kind == b.object->kind;
    *result = INCOMPARABLE;
    if (is_integer(a) && is_integer(b)) {
        *result = (integer_of(a) > integer_of(b)) - (integer_of(a) < integer_of(b));
    } else if (is_number(a) && is_number(b)) {
        const double x = double_of(a), y = double_of(b);
        *result = isnan(x) || isnan(y) ? UNORDERED : (x > y) - (x < y);
    } else if (are_alike && is_kind(a, OBJECT_STR)) {
        const int compared = strcmp(bytes_of(a), bytes_of(b));
        *result = (compared > 0) - (compared < 0);
    } else if (are_alike && (is_kind(a, OBJECT_LIST) || is_kind(a, OBJECT_TUPLE))) {
        return order_items(machine, as_list(a), as_list(b), result);
    }
    return true;
}

static bool compare_sets(struct machine *machine, enum operator operator, struct value a,
                         struct value b, struct value *value) {
    const bool turns = operator== OP_MORE || operator== OP_AT_LEAST;
    struct dict *less = as_dict(turns ? b : a), *more = as_dict(turns ? a : b);
    struct value key, item, other = NO_VALUE;
    bool is_subset = true;
    for (int64_t i = 0; is_subset && dict_next(less, &i, &key, &item);) {
        if (!dict_get(machine, more, key, &other)) return false;
        is_subset = other.kind != VALUE_ABSENT;
    }
    const bool is_strict = operator== OP_LESS || operator== OP_MORE;
    return gives(value, value_of_bool(is_subset && (!is_strict || less->count < more->count)));
}

static bool compare_order(struct machine *machine, enum operator operator, struct value a,
                          struct value b, struct value *value) {
    int result = 0;
    if (is_kind(a, OBJECT_SET) && is_kind(b, OBJECT_SET))
        return compare_sets(machine, operator, a, b, value);
    if (!order(machine, a, b, &result)) return false;
    if (result == INCOMPARABLE) {
        if (!ask_objects(machine, operator, a, b, value)) return false;
        return value->kind != VALUE_ABSENT ||
               machine_raise(machine, TYPE_ERROR,
                             "'%s' not supported between instances of '%s' and '%s'",
                             operator_text(operator), type_name(a), type_name(b));
    }
    const bool is_less = operator== OP_LESS || operator== OP_AT_MOST;
    const bool is_at = operator== OP_AT_MOST || operator== OP_AT_LEAST;
    return gives(value, value_of_bool(result == 0 ? is_at : result == (is_less ? -1 : 1)));
}

bool compare_values(struct machine *machine, enum operator operator, struct value a, struct value b,
                    struct value *value) {
    bool answer = value_is_same(a, b);
    if (operator<= OP_UNEQUAL &&(!view_as_set(machine, &a) || !view_as_set(machine, &b)))
        return false;
    const bool turns = operator== OP_IS_NOT || operator== OP_NOT_IN || operator== OP_UNEQUAL;
    if (operator== OP_EQUAL || operator== OP_UNEQUAL) {
        if (!ask_objects(machine, operator, a, b, value)) return false;
        if (value->kind != VALUE_ABSENT) return true;
        if (!values_equal(machine, a, b, &answer)) return false;
    } else if (operator== OP_IN || operator== OP_NOT_IN) {
        if (!contains(machine, b, a, &answer)) return false;
    } else if (operator!= OP_IS && operator!= OP_IS_NOT) {
        return compare_order(machine, operator, a, b, value);
    }
    return gives(value, value_of_bool(answer != turns));
}
