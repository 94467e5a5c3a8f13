// The module math.

#include <math.h>

#include "script/python/native.h"

static bool number_of(struct machine *machine, struct value value, double *number) {
    struct value item;
    bool is_there = false;
    *number = double_of(value);
    if (is_number(value)) return true;
    if (is_kind(value, OBJECT_TENSOR) &&
        !call_method(machine, value, "item", 0, NULL, &item, &is_there))
        return false;
    return is_there ? number_of(machine, item, number)
                    : machine_raise(machine, TYPE_ERROR, "must be real number, not %s",
                                    type_name(value));
}

static bool numbers_of(struct machine *machine, const struct arguments *arguments,
                       double *numbers) {
    for (int i = 0; i < arguments->count; i++)
        if (!number_of(machine, ARGUMENT(i), &numbers[i])) return false;
    return true;
}

// ---- Of one number ------------------------------------------------------------------------------

// Functions of the C library; those that give an int are `floor`, `ceil` and `trunc`.
static const struct function_of_one {
    const char *name;
    double (*function)(double);
} functions_of_one[] = {{"sqrt", sqrt},   {"exp", exp},     {"log", log},     {"log2", log2},
                        {"log10", log10}, {"log1p", log1p}, {"expm1", expm1}, {"sin", sin},
                        {"cos", cos},     {"tan", tan},     {"atan", atan},   {"sinh", sinh},
                        {"cosh", cosh},   {"tanh", tanh},   {"erf", erf},     {"fabs", fabs},
                        {"floor", floor}, {"ceil", ceil},   {"trunc", trunc}};

static double (*function_named(const char *name))(double) {
    const struct function_of_one *row = functions_of_one;
    while (strcmp(row->name, name) != 0) row++;
    return row->function;
}

static bool computed(struct machine *machine, const struct arguments *arguments, struct value of,
                     struct value *result) {
    double x;
    if (!number_of(machine, of, &x)) return false;
    const double y = function_named(arguments->row->name)(x);
    if ((isnan(y) && !isnan(x)) || (isinf(y) && x == 0))
        return machine_raise(machine, VALUE_ERROR, "math domain error");
    if (isinf(y) && isfinite(x)) return machine_raise(machine, OVERFLOW_ERROR, "math range error");
    return gives(result, value_of_float(y));
}

FUNCTION(of_one) {
    return computed(machine, arguments, ARGUMENT(0), result);
}

FUNCTION(logarithm) {
    struct value base;
    if (!computed(machine, arguments, ARGUMENT(0), result)) return false;
    if (ARGUMENT(1).kind == VALUE_NONE) return true;
    if (!computed(machine, arguments, ARGUMENT(1), &base)) return false;
    return gives(result, value_of_float(result->number / base.number));
}

FUNCTION(whole) {
    double x;
    if (ARGUMENT(0).kind == VALUE_INT) return gives(result, ARGUMENT(0));
    if (!number_of(machine, ARGUMENT(0), &x)) return false;
    if (isnan(x)) return machine_raise(machine, VALUE_ERROR, "cannot convert float NaN to integer");
    if (isinf(x) || fabs(x) > 9e18)
        return machine_raise(machine, OVERFLOW_ERROR, "cannot convert float infinity to integer");
    return gives(result, value_of_int((int64_t)function_named(arguments->row->name)(x)));
}

FUNCTION(is_so) {
    double x;
    if (!number_of(machine, ARGUMENT(0), &x)) return false;
    return gives(result, value_of_bool(IS_NAMED("isnan")   ? isnan(x)
                                       : IS_NAMED("isinf") ? isinf(x)
                                                           : isfinite(x)));
}

// ---- Of several ---------------------------------------------------------------------------------

FUNCTION(of_two) {
    double x[2];
    return numbers_of(machine, arguments, x) &&
           gives(result, value_of_float((IS_NAMED("pow") ? pow : hypot)(x[0], x[1])));
}

FUNCTION(isclose) {
    double x[4]; // the numbers, and by how much they may differ
    if (!numbers_of(machine, arguments, x)) return false;
    const double most = fmax(x[2] * fmax(fabs(x[0]), fabs(x[1])), x[3]);
    const bool is_near = isfinite(x[0]) && isfinite(x[1]) && fabs(x[0] - x[1]) <= most;
    return gives(result, value_of_bool(x[0] == x[1] || is_near));
}

FUNCTION(prod) {
    struct list *list;
    double x;
    *result = ARGUMENT(1);
    if (!machine_list_of(machine, ARGUMENT(0), &list)) return false;
    for (int64_t i = 0; i < list->count; i++) {
        struct value item = list->items[i];
        if (item.kind != VALUE_INT && !number_of(machine, item, &x)) return false;
        if (item.kind != VALUE_INT) item = value_of_float(x);
        if (!binary(machine, OP_MULTIPLY, *result, item, result)) return false;
    }
    return true;
}

static bool integers_of(struct machine *machine, const struct arguments *arguments) {
    for (int i = 0; i < arguments->count; i++)
        if (ARGUMENT(i).kind != VALUE_INT)
            return machine_raise(machine, TYPE_ERROR,
                                 "'%s' object cannot be interpreted as an integer",
                                 type_name(ARGUMENT(i)));
    return true;
}

FUNCTION(gcd) {
    if (!integers_of(machine, arguments)) return false;
    int64_t a = ARGUMENT(0).integer, b = ARGUMENT(1).integer;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return gives(result, value_of_int(a < 0 ? -a : a));
}

FUNCTION(factorial) {
    *result = value_of_int(1);
    if (!integers_of(machine, arguments)) return false;
    if (ARGUMENT(0).integer < 0)
        return machine_raise(machine, VALUE_ERROR, "factorial() not defined for negative values");
    for (int64_t i = 2; i <= ARGUMENT(0).integer; i++)
        if (!binary(machine, OP_MULTIPLY, *result, value_of_int(i), result)) return false;
    return true;
}

FUNCTION(comb) {
    if (!integers_of(machine, arguments)) return false;
    const int64_t n = ARGUMENT(0).integer, k = ARGUMENT(1).integer;
    *result = value_of_int(k < 0 || k > n ? 0 : 1);
    for (int64_t i = 1; result->integer > 0 && i <= k; i++) {
        if (!binary(machine, OP_MULTIPLY, *result, value_of_int(n - k + i), result)) return false;
        result->integer /= i;
    }
    return true;
}

static const struct native_row functions[] = {
    {"sqrt", "x", of_one},
    {"exp", "x", of_one},
    {"log", "x, base=None", logarithm},
    {"log2", "x", of_one},
    {"log10", "x", of_one},
    {"log1p", "x", of_one},
    {"expm1", "x", of_one},
    {"sin", "x", of_one},
    {"cos", "x", of_one},
    {"tan", "x", of_one},
    {"atan", "x", of_one},
    {"sinh", "x", of_one},
    {"cosh", "x", of_one},
    {"tanh", "x", of_one},
    {"erf", "x", of_one},
    {"fabs", "x", of_one},
    {"floor", "x", whole},
    {"ceil", "x", whole},
    {"trunc", "x", whole},
    {"isnan", "x", is_so},
    {"isinf", "x", is_so},
    {"isfinite", "x", is_so},
    {"pow", "x, y", of_two},
    {"hypot", "x, y", of_two},
    {"isclose", "a, b, *, rel_tol=1e-09, abs_tol=0.0", isclose},
    {"prod", "iterable, *, start=1", prod},
    {"gcd", "a, b", gcd},
    {"factorial", "n", factorial},
    {"comb", "n, k", comb},
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
