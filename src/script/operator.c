// Operators, items and lengths.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/dict.h"

// ---- Numbers ------------------------------------------------------------------------------------

static bool is_integer(struct value value) {
    return value.kind == VALUE_INT || value.kind == VALUE_BOOL;
}

static bool is_number(struct value value) {
    return is_integer(value) || value.kind == VALUE_FLOAT;
}

static int64_t integer_of(struct value value) {
    return value.kind == VALUE_BOOL ? value.truth : value.integer;
}

static double double_of(struct value value) {
    return value.kind == VALUE_FLOAT ? value.number : (double)integer_of(value);
}

static bool raise_too_large(struct machine *machine) {
    return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
}

static int64_t floor_quotient(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

static double modulo(double a, double b) {
    double rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    else if (rest == 0)
        rest = copysign(0, b);
    return rest;
}

static bool power_of_ints(struct machine *machine, int64_t base, int64_t exponent,
                          struct value *value) {
    int64_t result = 1;
    if (exponent < 0) {
        if (base == 0)
            return machine_raise(machine, ZERO_DIVISION_ERROR,
                                 "0.0 cannot be raised to a negative power");
        *value = value_of_float(pow((double)base, (double)exponent));
        return true;
    }
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return raise_too_large(machine);
        if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
            return raise_too_large(machine);
    }
    *value = value_of_int(result);
    return true;
}

static bool shift(struct machine *machine, int64_t a, int64_t b, bool is_left,
                  struct value *value) {
    if (b < 0) return machine_raise(machine, VALUE_ERROR, "negative shift count");
    if (is_left && a != 0 && (b > 62 || (a < 0 ? -(a + 1) : a) >> (62 - b) > 1))
        return raise_too_large(machine);
    *value = value_of_int(is_left ? (int64_t)((uint64_t)a << (b & 63)) : a >> (b > 63 ? 63 : b));
    return true;
}

static bool binary_ints(struct machine *machine, enum operator operator, struct value left,
                        struct value right, struct value *value) {
    const int64_t a = integer_of(left), b = integer_of(right);
    const bool are_bools = left.kind == VALUE_BOOL && right.kind == VALUE_BOOL;
    int64_t result = 0;
    bool overflows = false;
    switch (operator) {
    case OP_ADD:
        overflows = __builtin_add_overflow(a, b, &result);
        break;
    case OP_SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &result);
        break;
    case OP_MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &result);
        break;
    case OP_DIVIDE:
        if (b == 0) return machine_raise(machine, ZERO_DIVISION_ERROR, "division by zero");
        *value = value_of_float((double)a / (double)b);
        return true;
    case OP_FLOOR_DIVIDE:
    case OP_MODULO:
        if (b == 0)
            return machine_raise(machine, ZERO_DIVISION_ERROR,
                                 "integer division or modulo by zero");
        if (b == -1)
            overflows = __builtin_sub_overflow((int64_t)0, operator== OP_MODULO ? 0 : a, &result);
        else
            result = operator== OP_MODULO ? a - floor_quotient(a, b) * b : floor_quotient(a, b);
        break;
    case OP_POWER:
        return power_of_ints(machine, a, b, value);
    case OP_AND_BITS:
        result = a & b;
        break;
    case OP_OR_BITS:
        result = a | b;
        break;
    case OP_XOR_BITS:
        result = a ^ b;
        break;
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        return shift(machine, a, b, operator== OP_SHIFT_LEFT, value);
    default:
        return true;
    }
    if (overflows) return raise_too_large(machine);
    const bool stays_bool =
        are_bools && (operator== OP_AND_BITS || operator== OP_OR_BITS || operator== OP_XOR_BITS);
    *value = stays_bool ? value_of_bool(result != 0) : value_of_int(result);
    return true;
}

static bool power_of_floats(struct machine *machine, double a, double b, struct value *value) {
    if (a == 0 && b < 0)
        return machine_raise(machine, ZERO_DIVISION_ERROR,
                             "0.0 cannot be raised to a negative power");
    if (a < 0 && b != floor(b) && isfinite(a) && isfinite(b))
        return machine_raise(machine, VALUE_ERROR,
                             "a negative number to a power that is not whole is complex, which "
                             "onestep does not run");
    const double result = pow(a, b);
    if (isinf(result) && isfinite(a) && isfinite(b))
        return machine_raise(machine, OVERFLOW_ERROR, "(34, 'Numerical result out of range')");
    *value = value_of_float(result);
    return true;
}

static bool binary_floats(struct machine *machine, enum operator operator, double a, double b,
                          struct value *value) {
    switch (operator) {
    case OP_ADD:
        *value = value_of_float(a + b);
        return true;
    case OP_SUBTRACT:
        *value = value_of_float(a - b);
        return true;
    case OP_MULTIPLY:
        *value = value_of_float(a * b);
        return true;
    case OP_POWER:
        return power_of_floats(machine, a, b, value);
    case OP_DIVIDE:
        if (b == 0) return machine_raise(machine, ZERO_DIVISION_ERROR, "float division by zero");
        *value = value_of_float(a / b);
        return true;
    case OP_FLOOR_DIVIDE:
        if (b == 0)
            return machine_raise(machine, ZERO_DIVISION_ERROR, "float floor division by zero");
        *value = value_of_float(floor((a - modulo(a, b)) / b + 0.5));
        return true;
    case OP_MODULO:
        if (b == 0) return machine_raise(machine, ZERO_DIVISION_ERROR, "float modulo");
        *value = value_of_float(modulo(a, b));
        return true;
    default:
        return true;
    }
}

// ---- Sequences ----------------------------------------------------------------------------------

static bool is_sequence(struct value value) {
    return is_kind(value, OBJECT_STR) || is_kind(value, OBJECT_BYTES) ||
           is_kind(value, OBJECT_LIST) || is_kind(value, OBJECT_TUPLE);
}

static bool has_room_for(struct machine *machine, int64_t count, int64_t times, int64_t size) {
    if (times <= 0 || count == 0 || count <= machine->options.memory / size / times) return true;
    return machine_raise(machine, MEMORY_ERROR,
                         "the program needs more than %" PRId64
                         " bytes; --memory sets another limit",
                         machine->options.memory);
}

static bool repeated(struct machine *machine, struct value of, int64_t times, struct value *value) {
    if (times < 0) times = 0;
    if (is_kind(of, OBJECT_STR) || is_kind(of, OBJECT_BYTES)) {
        const struct str *str = (const struct str *)of.object;
        if (!has_room_for(machine, str->length, times, 1)) return false;
        struct str *result = object_new(machine, of.object->kind,
                                        sizeof *result + (size_t)(str->length * times) + 1);
        for (int64_t i = 0; i < times; i++)
            memcpy(result->bytes + i * str->length, str->bytes, (size_t)str->length);
        result->length = str->length * times;
        result->hash = bytes_hash(result->bytes, result->length);
        *value = value_of_object(result);
        return true;
    }
    const struct list *list = (const struct list *)of.object;
    if (!has_room_for(machine, list->count, times, (int64_t)sizeof(struct value))) return false;
    *value = of.object->kind == OBJECT_LIST ? list_new(machine, list->count * times, NULL)
                                            : tuple_new(machine, list->count * times, NULL);
    struct list *result = (struct list *)value->object;
    for (int64_t i = 0; i < result->count; i++) result->items[i] = list->items[i % list->count];
    return true;
}

static bool joined(struct machine *machine, struct value a, struct value b, struct value *value) {
    if (is_kind(a, OBJECT_STR)) {
        const struct str *x = (const struct str *)a.object, *y = (const struct str *)b.object;
        struct scratch scratch;
        struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
        text_add_bytes(&text, x->bytes, (size_t)x->length);
        text_add_bytes(&text, y->bytes, (size_t)y->length);
        *value = str_new(machine, text.bytes, x->length + y->length);
        scratch_close(&scratch);
        return true;
    }
    const struct list *x = (const struct list *)a.object, *y = (const struct list *)b.object;
    *value = a.object->kind == OBJECT_LIST ? list_new(machine, x->count + y->count, NULL)
                                           : tuple_new(machine, x->count + y->count, NULL);
    struct list *result = (struct list *)value->object;
    for (int64_t i = 0; i < result->count; i++)
        result->items[i] = i < x->count ? x->items[i] : y->items[i - x->count];
    result->is_size = x->is_size && y->is_size;
    return true;
}

static bool binary_sets(struct machine *machine, enum operator operator, struct dict * a,
                        struct dict *b, struct value *value) {
    struct value key, item, other;
    const bool are_dicts = a->object.kind == OBJECT_DICT;
    *value = are_dicts ? dict_new(machine) : set_new(machine);
    struct dict *result = (struct dict *)value->object;
    for (int64_t i = 0; dict_next(a, &i, &key, &item);) {
        if (!dict_get(machine, b, key, &other)) return false;
        const bool is_in = other.kind != VALUE_ABSENT;
        const bool stays = operator== OP_OR_BITS ||(operator== OP_AND_BITS ? is_in : !is_in);
        if (stays && !dict_set(machine, result, key, item)) return false;
    }
    for (int64_t i = 0;
         (operator== OP_OR_BITS || operator== OP_XOR_BITS) && dict_next(b, &i, &key, &item);) {
        if (!dict_get(machine, a, key, &other)) return false;
        if ((operator== OP_OR_BITS || other.kind == VALUE_ABSENT) &&
            !dict_set(machine, result, key, item))
            return false;
    }
    return true;
}

// ---- Operators ----------------------------------------------------------------------------------

static const char *const method_names[OPERATOR_COUNT] = {
    [OP_ADD] = "__add__",
    [OP_SUBTRACT] = "__sub__",
    [OP_MULTIPLY] = "__mul__",
    [OP_DIVIDE] = "__truediv__",
    [OP_FLOOR_DIVIDE] = "__floordiv__",
    [OP_MODULO] = "__mod__",
    [OP_POWER] = "__pow__",
    [OP_MATMUL] = "__matmul__",
    [OP_AND_BITS] = "__and__",
    [OP_OR_BITS] = "__or__",
    [OP_XOR_BITS] = "__xor__",
    [OP_LESS] = "__lt__",
    [OP_AT_MOST] = "__le__",
    [OP_MORE] = "__gt__",
    [OP_AT_LEAST] = "__ge__",
    [OP_EQUAL] = "__eq__",
    [OP_UNEQUAL] = "__ne__",
    [OP_MINUS] = "__neg__",
    [OP_INVERT] = "__invert__",
};
static const char *const reverse_names[OPERATOR_COUNT] = {
    [OP_ADD] = "__radd__",        [OP_SUBTRACT] = "__rsub__",  [OP_MULTIPLY] = "__rmul__",
    [OP_DIVIDE] = "__rtruediv__", [OP_MATMUL] = "__rmatmul__", [OP_POWER] = "__rpow__",
};

// What an object's own methods give; NO_VALUE where there are none.
static bool ask_objects(struct machine *machine, enum operator operator, struct value a,
                        struct value b, struct value *value) {
    bool is_there = false;
    *value = NO_VALUE;
    if (is_kind(a, OBJECT_INSTANCE) && method_names[operator] != NULL) {
        if (!call_method(machine, a, method_names[operator], 1, &b, value, &is_there)) return false;
        if (is_there) return true;
    }
    if (is_kind(b, OBJECT_INSTANCE) && reverse_names[operator] != NULL) {
        if (!call_method(machine, b, reverse_names[operator], 1, &a, value, &is_there))
            return false;
        if (is_there) return true;
    }
    *value = NO_VALUE;
    if (operator== OP_OR_BITS && is_kind(a, OBJECT_CLASS)) { // int | None, of annotations
        struct value either;
        const struct value typing = value_of_object(machine_module(machine, "typing"));
        return machine_get(machine, typing, "_either", &either) &&
               machine_call(machine, either, 2, (struct value[]){a, b}, value);
    }
    const struct value *of[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        if (of[i]->kind != VALUE_OBJECT || machine->methods[of[i]->object->kind].binary == NULL)
            continue;
        if (!machine->methods[of[i]->object->kind].binary(machine, operator, a, b, value))
            return false;
        if (value->kind != VALUE_ABSENT) return true;
    }
    return true;
}

static bool raise_operands(struct machine *machine, enum operator operator, struct value a,
                           struct value b, bool is_in_place) {
    if (operator== OP_ADD && is_sequence(a)) {
        if (is_kind(a, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR,
                                 "can only concatenate str (not \"%s\") to str", type_name(b));
        return machine_raise(machine, TYPE_ERROR, "can only concatenate %s (not \"%s\") to %s",
                             type_name(a), type_name(b), type_name(a));
    }
    if (operator== OP_MULTIPLY &&(is_sequence(a) || is_sequence(b)))
        return machine_raise(machine, TYPE_ERROR, "can't multiply sequence by non-int of type '%s'",
                             type_name(is_sequence(a) ? b : a));
    return machine_raise(machine, TYPE_ERROR,
                         "unsupported operand type(s) for %s%s: '%s' and '%s'",
                         operator== OP_POWER && !is_in_place ? "** or pow()"
                                                             : operator_text(operator),
                         is_in_place ? "=" : "", type_name(a), type_name(b));
}

static bool binary_or_raise(struct machine *machine, enum operator operator, struct value a,
                            struct value b, struct value *value, bool is_in_place) {
    *value = NO_VALUE;
    if (is_integer(a) && is_integer(b)) {
        if (!binary_ints(machine, operator, a, b, value)) return false;
    } else if (is_number(a) && is_number(b)) {
        if (!binary_floats(machine, operator, double_of(a), double_of(b), value)) return false;
    } else {
        if (!ask_objects(machine, operator, a, b, value)) return false;
        if (value->kind != VALUE_ABSENT) return true;
        if (operator== OP_MODULO && is_kind(a, OBJECT_STR))
            return format_percent(machine, (struct str *)a.object, b, value);
        if (operator== OP_MULTIPLY && is_sequence(a) && is_integer(b))
            return repeated(machine, a, integer_of(b), value);
        if (operator== OP_MULTIPLY && is_sequence(b) && is_integer(a))
            return repeated(machine, b, integer_of(a), value);
        const bool are_alike =
            a.kind == VALUE_OBJECT && b.kind == VALUE_OBJECT && a.object->kind == b.object->kind;
        if (operator== OP_ADD && is_sequence(a) && are_alike) return joined(machine, a, b, value);
        const bool are_sets = are_alike && (is_kind(a, OBJECT_SET) ||
                                            (is_kind(a, OBJECT_DICT) && operator== OP_OR_BITS));
        const bool is_of_sets =
        operator== OP_OR_BITS || operator== OP_AND_BITS || operator== OP_XOR_BITS || operator==
            OP_SUBTRACT;
        if (are_sets && is_of_sets)
            return binary_sets(machine, operator,(struct dict *) a.object, (struct dict *)b.object,
                               value);
    }
    return value->kind != VALUE_ABSENT || raise_operands(machine, operator, a, b, is_in_place);
}

bool binary(struct machine *machine, enum operator operator, struct value a, struct value b,
            struct value *value) {
    return binary_or_raise(machine, operator, a, b, value, false);
}

bool in_place(struct machine *machine, enum operator operator, struct value a, struct value b,
              struct value *value) {
    *value = NO_VALUE;
    if (a.kind == VALUE_OBJECT && machine->methods[a.object->kind].in_place != NULL) {
        if (!machine->methods[a.object->kind].in_place(machine, operator, a, b, value))
            return false;
        if (value->kind != VALUE_ABSENT) return true;
    }
    if (is_kind(a, OBJECT_LIST) && operator== OP_ADD) {
        struct list *more;
        if (!machine_list_of(machine, b, &more)) return false;
        const int64_t count = more->count; // `a += a` ends
        for (int64_t i = 0; i < count; i++)
            list_append(machine, (struct list *)a.object, more->items[i]);
        *value = a;
        return true;
    }
    return binary_or_raise(machine, operator, a, b, value, true);
}

static bool order_inside(struct machine *machine, struct value a, struct value b,
                         enum operator operator, int * result, bool *is_ordered);

static bool order(struct machine *machine, struct value a, struct value b, enum operator operator,
                  int * result, bool *is_ordered) {
    *is_ordered = true;
    if (is_integer(a) && is_integer(b)) {
        *result = (integer_of(a) > integer_of(b)) - (integer_of(a) < integer_of(b));
    } else if (is_number(a) && is_number(b)) {
        const double x = double_of(a), y = double_of(b);
        *result = isnan(x) || isnan(y) ? 2 : (x > y) - (x < y); // 2: neither less nor more
    } else if (is_kind(a, OBJECT_STR) && is_kind(b, OBJECT_STR)) {
        const int compared =
            strcmp(((struct str *)a.object)->bytes, ((struct str *)b.object)->bytes);
        *result = (compared > 0) - (compared < 0);
    } else if ((is_kind(a, OBJECT_LIST) && is_kind(b, OBJECT_LIST)) ||
               (is_kind(a, OBJECT_TUPLE) && is_kind(b, OBJECT_TUPLE))) {
        const struct list *x = (const struct list *)a.object, *y = (const struct list *)b.object;
        for (int64_t i = 0; i < x->count && i < y->count; i++) {
            bool is_equal;
            if (!values_equal(machine, x->items[i], y->items[i], &is_equal)) return false;
            if (!is_equal)
                return order_inside(machine, x->items[i], y->items[i], operator, result,
                                    is_ordered);
        }
        *result = (x->count > y->count) - (x->count < y->count);
    } else {
        *is_ordered = false;
    }
    return true;
}

static bool order_inside(struct machine *machine, struct value a, struct value b,
                         enum operator operator, int * result, bool *is_ordered) {
    enum { MOST_INSIDE = 1000 };
    if (machine->depth >= MOST_INSIDE)
        return machine_raise(machine, RECURSION_ERROR, "maximum recursion depth exceeded");
    machine->depth++;
    const bool is_done = order(machine, a, b, operator, result, is_ordered);
    machine->depth--;
    return is_done;
}

static bool compare_sets(struct machine *machine, enum operator operator, struct value a,
                         struct value b, struct value *value) {
    const bool turns = operator== OP_MORE || operator== OP_AT_LEAST;
    struct dict *less = (struct dict *)(turns ? b : a).object,
                *more = (struct dict *)(turns ? a : b).object;
    struct value key, item, other = NO_VALUE;
    bool is_subset = true;
    for (int64_t i = 0; is_subset && dict_next(less, &i, &key, &item);) {
        if (!dict_get(machine, more, key, &other)) return false;
        is_subset = other.kind != VALUE_ABSENT;
    }
    const bool is_strict = operator== OP_LESS || operator== OP_MORE;
    *value = value_of_bool(is_subset && (!is_strict || less->count < more->count));
    return true;
}

static bool compare_order(struct machine *machine, enum operator operator, struct value a,
                          struct value b, struct value *value) {
    int result = 0;
    bool is_ordered;
    if (is_kind(a, OBJECT_SET) && is_kind(b, OBJECT_SET))
        return compare_sets(machine, operator, a, b, value);
    if (!order(machine, a, b, operator, & result, &is_ordered)) return false;
    if (!is_ordered) {
        if (!ask_objects(machine, operator, a, b, value)) return false;
        if (value->kind != VALUE_ABSENT) return true;
        return machine_raise(machine, TYPE_ERROR,
                             "'%s' not supported between instances of '%s' and '%s'",
                             operator_text(operator), type_name(a), type_name(b));
    }
    *value = value_of_bool(result != 2 && (operator== OP_LESS    ? result < 0 :
                                           operator== OP_AT_MOST ? result <= 0
                                           :
                                           operator== OP_MORE ? result > 0
                                                              : result >= 0));
    return true;
}

bool compare_values(struct machine *machine, enum operator operator, struct value a, struct value b,
                    struct value *value) {
    bool answer = false;
    switch (operator) {
    case OP_IS:
    case OP_IS_NOT:
        *value = value_of_bool(value_is_same(a, b) == (operator== OP_IS));
        return true;
    case OP_IN:
    case OP_NOT_IN:
        if (!contains(machine, b, a, &answer)) return false;
        *value = value_of_bool(answer == (operator== OP_IN));
        return true;
    case OP_EQUAL:
    case OP_UNEQUAL:
        if (a.kind == VALUE_OBJECT || b.kind == VALUE_OBJECT) {
            if (!ask_objects(machine, operator, a, b, value)) return false;
            if (value->kind != VALUE_ABSENT) return true;
        }
        if (!values_equal(machine, a, b, &answer)) return false;
        *value = value_of_bool(answer == (operator== OP_EQUAL));
        return true;
    default:
        return compare_order(machine, operator, a, b, value);
    }
}

bool unary(struct machine *machine, enum operator operator, struct value a, struct value *value) {
    bool truth;
    *value = NO_VALUE;
    if (operator== OP_NOT) {
        if (!value_truth(machine, a, &truth)) return false;
        *value = value_of_bool(!truth);
        return true;
    }
    if (is_integer(a)) {
        const int64_t n = integer_of(a);
        if (operator== OP_MINUS && n == INT64_MIN) {
            *value = a;
            return true; // -2^63, whose digits were read as 2^63
        }
        *value = value_of_int(operator== OP_MINUS ? -n : operator== OP_INVERT ? ~n : n);
        return true;
    }
    if (a.kind == VALUE_FLOAT && operator!= OP_INVERT) {
        *value = value_of_float(operator== OP_MINUS ? -a.number : a.number);
        return true;
    }
    bool is_there = false;
    if (is_kind(a, OBJECT_INSTANCE) && method_names[operator] != NULL) {
        if (!call_method(machine, a, method_names[operator], 0, NULL, value, &is_there))
            return false;
        if (is_there) return true;
    }
    if (a.kind == VALUE_OBJECT && machine->methods[a.object->kind].unary != NULL &&
        !machine->methods[a.object->kind].unary(machine, operator, a, value))
        return false;
    return value->kind != VALUE_ABSENT ||
           machine_raise(machine, TYPE_ERROR, "bad operand type for unary %s: '%s'",
                         operator_text(operator), type_name(a));
}

// ---- Items --------------------------------------------------------------------------------------

bool as_index(struct machine *machine, struct value value, int64_t *index) {
    if (is_integer(value)) {
        *index = integer_of(value);
        return true;
    }
    struct value answer;
    bool is_there = false;
    if (value.kind == VALUE_OBJECT &&
        !call_method(machine, value, "__index__", 0, NULL, &answer, &is_there))
        return false;
    if (is_there && is_integer(answer)) {
        *index = integer_of(answer);
        return true;
    }
    return machine_raise(machine, TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
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

bool length_of(struct machine *machine, struct value value, int64_t *length) {
    if (value.kind == VALUE_OBJECT) {
        const struct object *object = value.object;
        switch (object->kind) {
        case OBJECT_STR: {
            const struct str *str = (const struct str *)object;
            *length = 0;
            for (int64_t i = 0; i < str->length; i++)
                *length += ((unsigned char)str->bytes[i] & 0xC0) != 0x80;
            return true;
        }
        case OBJECT_BYTES:
            *length = ((const struct str *)object)->length;
            return true;
        case OBJECT_LIST:
        case OBJECT_TUPLE:
            *length = ((const struct list *)object)->count;
            return true;
        case OBJECT_DICT:
        case OBJECT_SET:
            *length = ((const struct dict *)object)->count;
            return true;
        case OBJECT_RANGE: {
            const struct range *range = (const struct range *)object;
            const bool is_up = range->step > 0;
            const uint64_t first = (uint64_t)(is_up ? range->start : range->stop);
            const uint64_t last = (uint64_t)(is_up ? range->stop : range->start);
            const uint64_t step = is_up ? (uint64_t)range->step : 0 - (uint64_t)range->step;
            const bool is_empty = is_up ? range->start >= range->stop : range->start <= range->stop;
            const uint64_t count = is_empty ? 0 : (last - first - 1) / step + 1;
            if (count > INT64_MAX) return raise_too_large(machine);
            *length = (int64_t)count;
            return true;
        }
        default:
            break;
        }
        struct value answer;
        bool is_there = false;
        if (object->kind == OBJECT_INSTANCE &&
            !call_method(machine, value, "__len__", 0, NULL, &answer, &is_there))
            return false;
        if (is_there) return as_index(machine, answer, length);
        if (inner_of(value).object != object) return length_of(machine, inner_of(value), length);
        if (machine->methods[object->kind].length != NULL)
            return machine->methods[object->kind].length(machine, value, length);
    }
    return machine_raise(machine, TYPE_ERROR, "object of type '%s' has no len()", type_name(value));
}

bool contains(struct machine *machine, struct value container, struct value item, bool *found) {
    struct value answer;
    bool is_there = false;
    if (is_kind(container, OBJECT_DICT) || is_kind(container, OBJECT_SET)) {
        if (!dict_get(machine, (struct dict *)container.object, item, &answer)) return false;
        *found = answer.kind != VALUE_ABSENT;
        return true;
    }
    if (is_kind(container, OBJECT_STR)) {
        if (!is_kind(item, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR,
                                 "'in <string>' requires string as left operand, not %s",
                                 type_name(item));
        *found = strstr(((struct str *)container.object)->bytes,
                        ((struct str *)item.object)->bytes) != NULL;
        return true;
    }
    if (is_kind(container, OBJECT_INSTANCE)) {
        if (!call_method(machine, container, "__contains__", 1, &item, &answer, &is_there))
            return false;
        if (is_there) return value_truth(machine, answer, found);
        if (inner_of(container).object != container.object)
            return contains(machine, inner_of(container), item, found);
    }
    struct value iterator, one;
    if (!machine_iterate(machine, container, &iterator)) {
        if (!machine_is_raised(machine, TYPE_ERROR)) return false;
        return machine_raise(machine, TYPE_ERROR, "argument of type '%s' is not iterable",
                             type_name(container));
    }
    for (*found = false; !*found;) {
        if (!machine_next(machine, iterator, &one)) return false;
        if (one.kind == VALUE_ABSENT) return true;
        *found = value_is_same(one, item);
        if (!*found && !values_equal(machine, one, item, found)) return false;
    }
    return true;
}

static bool place_in(struct machine *machine, const char *type, int64_t count, struct value index,
                     int64_t *place) {
    if (!is_integer(index) && !is_kind(index, OBJECT_TENSOR))
        return machine_raise(machine, TYPE_ERROR, "%s indices must be integers%s, not %s", type,
                             strcmp(type, "string") == 0 ? "" : " or slices", type_name(index));
    if (!as_index(machine, index, place)) return false;
    if (*place < 0) *place += count;
    return (*place >= 0 && *place < count) ||
           machine_raise(machine, INDEX_ERROR, "%s index out of range", type);
}

static bool item_of_list(struct machine *machine, struct value of, struct value index,
                         struct value *value) {
    const struct list *list = (const struct list *)of.object;
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
    *value = of.object->kind == OBJECT_LIST ? list_new(machine, count, NULL)
                                            : tuple_new(machine, count, NULL);
    struct list *result = (struct list *)value->object;
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
    const struct str *str = (const struct str *)of.object;
    int64_t length, start, step = 1, count = 1;
    if (!length_of(machine, of, &length)) return false;
    const bool is_bytes = of.object->kind == OBJECT_BYTES;
    if (is_kind(index, OBJECT_SLICE)) {
        if (!slice_bounds(machine, (struct slice *)index.object, length, &start, &step, &count))
            return false;
    } else if (!place_in(machine, "string", length, index, &start)) {
        return false;
    } else if (is_bytes) {
        *value = value_of_int((unsigned char)str->bytes[start]);
        return true;
    }
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = is_bytes ? start + i * step : byte_at(str, start + i * step);
        int64_t end = from + 1;
        while (!is_bytes && ((unsigned char)str->bytes[end] & 0xC0) == 0x80) end++;
        text_add_bytes(&text, str->bytes + from, (size_t)(end - from));
    }
    *value = str_new(machine, text.bytes != NULL ? text.bytes : "", (int64_t)text.length);
    value->object->kind = of.object->kind;
    scratch_close(&scratch);
    return true;
}

static bool item_of_range(struct machine *machine, struct value of, struct value index,
                          struct value *value) {
    const struct range *range = (const struct range *)of.object;
    int64_t length, start, step, count;
    if (!length_of(machine, of, &length)) return false;
    if (!is_kind(index, OBJECT_SLICE)) {
        if (!place_in(machine, "range object", length, index, &start)) return false;
        *value = value_of_int(range->start + start * range->step);
        return true;
    }
    if (!slice_bounds(machine, (struct slice *)index.object, length, &start, &step, &count))
        return false;
    struct range *part = object_new(machine, OBJECT_RANGE, sizeof *part);
    part->start = range->start + start * range->step;
    part->step = range->step * step;
    part->stop = part->start + count * part->step;
    *value = value_of_object(part);
    return true;
}

static bool item_of_dict(struct machine *machine, struct value of, struct value key,
                         struct value *value) {
    if (!dict_get(machine, (struct dict *)of.object, key, value)) return false;
    if (value->kind != VALUE_ABSENT) return true;
    return raise_value(machine, exception_new(machine, machine->exceptions[KEY_ERROR], 1, &key));
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
            *value = of;
            return true; // list[int], of annotations
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
    const struct value whole = list_new(machine, 0, NULL);
    struct list *new = (struct list *)whole.object;
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
    int64_t place;
    if (of.kind == VALUE_OBJECT) {
        struct list *list = (struct list *)of.object;
        const struct value arguments[] = {index, value};
        switch (of.object->kind) {
        case OBJECT_LIST:
            if (is_kind(index, OBJECT_SLICE))
                return set_slice(machine, list, (struct slice *)index.object, value);
            if (!is_integer(index)) return place_in(machine, "list", list->count, index, &place);
            place = integer_of(index) < 0 ? integer_of(index) + list->count : integer_of(index);
            if (place < 0 || place >= list->count)
                return machine_raise(machine, INDEX_ERROR, "list assignment index out of range");
            list->items[place] = value;
            return true;
        case OBJECT_DICT:
            return dict_set(machine, (struct dict *)of.object, index, value);
        case OBJECT_INSTANCE:
            if (!call_method(machine, of, "__setitem__", 2, arguments, &nothing, &is_there))
                return false;
            if (is_there) return true;
            if (inner_of(of).object != of.object)
                return set_item(machine, inner_of(of), index, value);
            break;
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
    if (is_kind(of, OBJECT_DICT)) {
        if (!dict_delete(machine, (struct dict *)of.object, index, &was_there)) return false;
        return was_there ||
               raise_value(machine,
                           exception_new(machine, machine->exceptions[KEY_ERROR], 1, &index));
    }
    if (is_kind(of, OBJECT_LIST)) {
        struct list *list = (struct list *)of.object;
        int64_t place;
        if (is_kind(index, OBJECT_SLICE))
            return set_slice(machine, list, (struct slice *)index.object,
                             list_new(machine, 0, NULL));
        if (!place_in(machine, "list assignment", list->count, index, &place)) return false;
        memmove(list->items + place, list->items + place + 1,
                (size_t)(list->count - place - 1) * sizeof *list->items);
        list->count--;
        return true;
    }
    if (!call_method(machine, of, "__delitem__", 1, &index, &nothing, &was_there)) return false;
    if (!was_there && inner_of(of).object != of.object)
        return delete_item(machine, inner_of(of), index);
    return was_there || machine_raise(machine, TYPE_ERROR,
                                      "'%s' object doesn't support item deletion", type_name(of));
}
