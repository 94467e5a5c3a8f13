// The module math.

#include <math.h>

#include "script/machine.h"

#define FUNCTION(name)                                                                             \
    static bool name(struct machine *machine, struct arguments *arguments, struct value *result)

static bool number_of(struct machine *machine, struct value value, double *number) {
    struct value item;
    if (value.kind == VALUE_FLOAT)
        *number = value.number;
    else if (value.kind == VALUE_INT)
        *number = (double)value.integer;
    else if (value.kind == VALUE_BOOL)
        *number = value.truth;
    else {
        struct value method;
        if (!is_kind(value, OBJECT_TENSOR))
            return machine_raise(machine, TYPE_ERROR, "must be real number, not %s",
                                 type_name(value));
        if (!machine_get(machine, value, "item", &method) ||
            !machine_call(machine, method, 0, NULL, &item))
            return false;
        return number_of(machine, item, number);
    }
    return true;
}

static bool of_one(struct machine *machine, const struct arguments *arguments,
                   double (*function)(double), struct value *result) {
    double x;
    if (!number_of(machine, arguments->values[0], &x)) return false;
    const double y = function(x);
    if (isnan(y) && !isnan(x)) return machine_raise(machine, VALUE_ERROR, "math domain error");
    if (isinf(y) && isfinite(x))
        return x == 0 ? machine_raise(machine, VALUE_ERROR, "math domain error")
                      : machine_raise(machine, OVERFLOW_ERROR, "math range error");
    *result = value_of_float(y);
    return true;
}

// A struct is named once more, so that a semicolon may stand behind.
#define OF_ONE(name)                                                                               \
    FUNCTION(math_##name) {                                                                        \
        return of_one(machine, arguments, name, result);                                           \
    }                                                                                              \
    struct machine
OF_ONE(sqrt);
OF_ONE(exp);
OF_ONE(log2);
OF_ONE(log10);
OF_ONE(log1p);
OF_ONE(sin);
OF_ONE(cos);
OF_ONE(tan);
OF_ONE(tanh);
OF_ONE(erf);
OF_ONE(fabs);
OF_ONE(atan);
OF_ONE(sinh);
OF_ONE(cosh);
OF_ONE(expm1);

FUNCTION(math_log) {
    struct value base = NONE_VALUE;
    if (!of_one(machine, arguments, log, result)) return false;
    if (arguments->values[1].kind == VALUE_NONE) return true;
    struct arguments other = {.count = 1, .values = &arguments->values[1]};
    if (!of_one(machine, &other, log, &base)) return false;
    *result = value_of_float(result->number / base.number);
    return true;
}

static bool whole(struct machine *machine, const struct arguments *arguments,
                  double (*function)(double), struct value *result) {
    double x;
    if (arguments->values[0].kind == VALUE_INT) {
        *result = arguments->values[0];
        return true;
    }
    if (!number_of(machine, arguments->values[0], &x)) return false;
    if (isnan(x)) return machine_raise(machine, VALUE_ERROR, "cannot convert float NaN to integer");
    if (isinf(x) || fabs(x) > 9e18)
        return machine_raise(machine, OVERFLOW_ERROR, "cannot convert float infinity to integer");
    *result = value_of_int((int64_t)function(x));
    return true;
}
FUNCTION(math_floor) {
    return whole(machine, arguments, floor, result);
}
FUNCTION(math_ceil) {
    return whole(machine, arguments, ceil, result);
}
FUNCTION(math_trunc) {
    return whole(machine, arguments, trunc, result);
}

FUNCTION(math_pow) {
    double a, b;
    if (!number_of(machine, arguments->values[0], &a) ||
        !number_of(machine, arguments->values[1], &b))
        return false;
    *result = value_of_float(pow(a, b));
    return true;
}

FUNCTION(math_isnan) {
    double x;
    if (!number_of(machine, arguments->values[0], &x)) return false;
    *result = value_of_bool(isnan(x));
    return true;
}
FUNCTION(math_isinf) {
    double x;
    if (!number_of(machine, arguments->values[0], &x)) return false;
    *result = value_of_bool(isinf(x));
    return true;
}
FUNCTION(math_isfinite) {
    double x;
    if (!number_of(machine, arguments->values[0], &x)) return false;
    *result = value_of_bool(isfinite(x));
    return true;
}

FUNCTION(math_isclose) {
    double a, b, relative, absolute;
    if (!number_of(machine, arguments->values[0], &a) ||
        !number_of(machine, arguments->values[1], &b) ||
        !number_of(machine, arguments->values[2], &relative) ||
        !number_of(machine, arguments->values[3], &absolute))
        return false;
    const double most = fmax(relative * fmax(fabs(a), fabs(b)), absolute);
    *result = value_of_bool(a == b || (isfinite(a) && isfinite(b) && fabs(a - b) <= most));
    return true;
}

FUNCTION(math_prod) {
    struct list *list;
    *result = arguments->values[1];
    if (!machine_list_of(machine, arguments->values[0], &list)) return false;
    for (int64_t i = 0; i < list->count; i++) {
        const struct value item = list->items[i];
        double x;
        int64_t product = 0;
        if (result->kind == VALUE_INT && item.kind == VALUE_INT) {
            if (__builtin_mul_overflow(result->integer, item.integer, &product))
                return machine_raise(machine, OVERFLOW_ERROR,
                                     "an int has at most 64 bits in onestep");
            *result = value_of_int(product);
            continue;
        }
        if (!number_of(machine, item, &x)) return false;
        *result = value_of_float(
            (result->kind == VALUE_INT ? (double)result->integer : result->number) * x);
    }
    return true;
}

FUNCTION(math_hypot) {
    double a, b;
    if (!number_of(machine, arguments->values[0], &a) ||
        !number_of(machine, arguments->values[1], &b))
        return false;
    *result = value_of_float(hypot(a, b));
    return true;
}

static bool integers_of(struct machine *machine, const struct arguments *arguments, int count) {
    for (int i = 0; i < count; i++)
        if (arguments->values[i].kind != VALUE_INT)
            return machine_raise(machine, TYPE_ERROR,
                                 "'%s' object cannot be interpreted as an integer",
                                 type_name(arguments->values[i]));
    return true;
}

FUNCTION(math_gcd) {
    if (!integers_of(machine, arguments, 2)) return false;
    int64_t a = arguments->values[0].integer, b = arguments->values[1].integer;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    *result = value_of_int(a < 0 ? -a : a);
    return true;
}

FUNCTION(math_factorial) {
    int64_t product = 1;
    if (!integers_of(machine, arguments, 1)) return false;
    const int64_t n = arguments->values[0].integer;
    if (n < 0)
        return machine_raise(machine, VALUE_ERROR, "factorial() not defined for negative values");
    if (n > 20)
        return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
    for (int64_t i = 2; i <= n; i++) product *= i;
    *result = value_of_int(product);
    return true;
}

FUNCTION(math_comb) {
    if (!integers_of(machine, arguments, 2)) return false;
    const int64_t n = arguments->values[0].integer, k = arguments->values[1].integer;
    int64_t ways = k < 0 || k > n ? 0 : 1;
    for (int64_t i = 1; ways > 0 && i <= k; i++) {
        if (__builtin_mul_overflow(ways, n - k + i, &ways))
            return machine_raise(machine, OVERFLOW_ERROR, "an int has at most 64 bits in onestep");
        ways /= i;
    }
    *result = value_of_int(ways);
    return true;
}

static const struct native_row functions[] = {
    {"sqrt", "x", math_sqrt},
    {"exp", "x", math_exp},
    {"log", "x, base=None", math_log},
    {"log2", "x", math_log2},
    {"log10", "x", math_log10},
    {"log1p", "x", math_log1p},
    {"expm1", "x", math_expm1},
    {"sin", "x", math_sin},
    {"cos", "x", math_cos},
    {"tan", "x", math_tan},
    {"atan", "x", math_atan},
    {"sinh", "x", math_sinh},
    {"cosh", "x", math_cosh},
    {"tanh", "x", math_tanh},
    {"erf", "x", math_erf},
    {"fabs", "x", math_fabs},
    {"floor", "x", math_floor},
    {"ceil", "x", math_ceil},
    {"trunc", "x", math_trunc},
    {"pow", "x, y", math_pow},
    {"isnan", "x", math_isnan},
    {"isinf", "x", math_isinf},
    {"isfinite", "x", math_isfinite},
    {"isclose", "a, b, *, rel_tol=1e-09, abs_tol=0.0", math_isclose},
    {"prod", "iterable, *, start=1", math_prod},
    {"hypot", "x, y", math_hypot},
    {"gcd", "a, b", math_gcd},
    {"factorial", "n", math_factorial},
    {"comb", "n, k", math_comb},
    {NULL, NULL, NULL},
};

void machine_add_math(struct machine *machine) {
    struct module *module = machine_module(machine, "math");
    module_add(machine, module, functions);
    module_set(machine, module, "pi", value_of_float(3.141592653589793));
    module_set(machine, module, "e", value_of_float(2.718281828459045));
    module_set(machine, module, "tau", value_of_float(6.283185307179586));
    module_set(machine, module, "inf", value_of_float(INFINITY));
    module_set(machine, module, "nan", value_of_float(NAN));
}
