// Format specifications: f"{x:>8.4f}", format(), str.format and "%d" % x.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "script/python/native.h"

// [[fill]align][sign][#][0][width][,][.precision][type]
struct specification {
    char fill[5], align, sign, type;
    bool is_alternative, has_precision;
    char grouping; // ',' or '_', or 0
    int width, precision;
};

static int read_number(const char **text) {
    int number = 0;
    while (**text >= '0' && **text <= '9' && number < 100000000)
        number = number * 10 + (*(*text)++ - '0');
    return number;
}

static bool is_align(char c) {
    return c == '<' || c == '>' || c == '^' || c == '=';
}

static bool read_specification(struct machine *machine, const char *text,
                               struct specification *spec, const char *type) {
    *spec = (struct specification){.fill = " "};
    const char *behind = text, *whole = text;
    if (*text != '\0') utf8_next(&behind);
    if (*text != '\0' && is_align(*behind)) {
        memcpy(spec->fill, text, (size_t)(behind - text));
        spec->fill[behind - text] = '\0';
        text = behind;
    }
    if (is_align(*text)) spec->align = *text++;
    if (*text == '+' || *text == '-' || *text == ' ') spec->sign = *text++;
    if (*text == '#') spec->is_alternative = true, text++;
    if (*text == '0' && spec->align == 0) spec->align = '=', strcpy(spec->fill, "0"), text++;
    spec->width = read_number(&text);
    if (*text == ',' || *text == '_') spec->grouping = *text++;
    if (*text == '.') {
        text++;
        if (*text < '0' || *text > '9')
            return machine_raise(machine, VALUE_ERROR, "Format specifier missing precision");
        spec->has_precision = true;
        spec->precision = read_number(&text);
    }
    if (*text != '\0') spec->type = *text++;
    if (*text != '\0')
        return machine_raise(machine, VALUE_ERROR,
                             "Invalid format specifier '%s' for object of type '%s'", whole, type);
    if (spec->width > 1000000 || spec->precision > 1000)
        return machine_raise(machine, VALUE_ERROR, "Too many decimal digits in format string");
    return true;
}

static int characters(const char *text) {
    int count = 0;
    for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

// `sign` stands in front of the padding if that is inside ('=').
static void add_padded(struct text *text, const struct specification *spec, const char *sign,
                       const char *body, char standard) {
    const char align = spec->align != 0 ? spec->align : standard;
    const int missing = spec->width - characters(sign) - characters(body);
    const int before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    text_add_repeated(text, spec->fill, before);
    text_add(text, sign);
    if (align == '=') text_add_repeated(text, spec->fill, missing);
    text_add(text, body);
    if (align != '=') text_add_repeated(text, spec->fill, missing - before);
}

static const char *sign_of(const struct specification *spec, bool is_negative) {
    return is_negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
}

// "1234567.5" as "1,234,567.5".
static const char *grouped(struct arena *arena, const char *digits, char mark) {
    struct text text = text_new(arena);
    const size_t whole = strspn(digits, "0123456789");
    text_add(&text, "");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) text_add_bytes(&text, &mark, 1);
        text_add_bytes(&text, digits + i, 1);
    }
    text_add(&text, digits + whole);
    return text.bytes;
}

static const char *float_body(struct arena *arena, const struct specification *spec, double x) {
    const int precision = spec->has_precision ? spec->precision : 6;
    if (!isfinite(x) && (spec->type == 'F' || spec->type == 'E' || spec->type == 'G'))
        return isnan(x) ? "NAN" : "INF";
    if (!isfinite(x) && spec->type == '%') return isnan(x) ? "nan%" : "inf%";
    if (!isfinite(x)) return isnan(x) ? "nan" : "inf";
    if (spec->type == 'f' || spec->type == 'F') return arena_format(arena, "%.*f", precision, x);
    if (spec->type == 'e') return arena_format(arena, "%.*e", precision, x);
    if (spec->type == 'E') return arena_format(arena, "%.*E", precision, x);
    if (spec->type == '%') return arena_format(arena, "%.*f%%", precision, x * 100);
    const int digits = precision == 0 ? 1 : precision;
    if (spec->type == 'G') return arena_format(arena, "%.*G", digits, x);
    if (spec->type != 0)
        return arena_format(arena, spec->is_alternative ? "%#.*g" : "%.*g", digits, x);
    struct text text = text_new(arena);
    if (!spec->has_precision) {
        text_add_float(&text, x);
        return text.bytes;
    }
    const char *body = arena_format(arena, "%.*g", digits, x);
    return strpbrk(body, ".e") == NULL && precision > (int)strlen(body)
               ? arena_format(arena, "%s.0", body)
               : body;
}

static void add_float(struct arena *arena, struct text *text, const struct specification *spec,
                      double x) {
    const bool is_negative = signbit(x) && !isnan(x);
    const char *body = float_body(arena, spec, fabs(x));
    if (spec->grouping != 0) body = grouped(arena, body, spec->grouping);
    add_padded(text, spec, sign_of(spec, is_negative), body, '>');
}

static const char *int_body(struct arena *arena, const struct specification *spec, uint64_t n) {
    const bool has_base = spec->type != 0 && strchr("xXob", spec->type) != NULL;
    const unsigned base = spec->type == 'b' ? 2 : spec->type == 'o' ? 8 : has_base ? 16 : 10;
    const char *digits = spec->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[65];
    int at = 64;
    text[64] = '\0';
    do text[--at] = digits[n % base];
    while ((n /= base) != 0);
    return spec->is_alternative && has_base ? arena_format(arena, "0%c%s", spec->type, text + at)
                                            : arena_copy(arena, text + at);
}

static bool raise_code(struct machine *machine, const struct specification *spec,
                       const char *type) {
    return machine_raise(machine, VALUE_ERROR, "Unknown format code '%c' for object of type '%s'",
                         spec->type, type);
}

static bool add_int(struct machine *machine, struct arena *arena, struct text *text,
                    const struct specification *spec, int64_t n) {
    if (spec->type != 0 && strchr("fFeEgG%", spec->type) != NULL) {
        add_float(arena, text, spec, (double)n);
        return true;
    }
    if (spec->type == 'c') {
        char bytes[5];
        bytes[utf8_encode((uint32_t)n, bytes)] = '\0';
        add_padded(text, spec, "", bytes, '<');
        return true;
    }
    if (spec->type != 0 && strchr("dnxXob", spec->type) == NULL)
        return raise_code(machine, spec, "int");
    if (spec->has_precision)
        return machine_raise(machine, VALUE_ERROR,
                             "Precision not allowed in integer format specifier");
    const char *body = int_body(arena, spec, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    if (spec->grouping != 0) body = grouped(arena, body, spec->grouping);
    add_padded(text, spec, sign_of(spec, n < 0), body, '>');
    return true;
}

static bool add_text(struct machine *machine, struct arena *arena, struct text *text,
                     const struct specification *spec, const struct str *str) {
    if (spec->type != 0 && spec->type != 's') return raise_code(machine, spec, "str");
    const char *body = str->bytes;
    if (spec->has_precision) {
        const char *end = body;
        for (int i = 0; i < spec->precision && *end != '\0'; i++) utf8_next(&end);
        body = arena_copy_bytes(arena, body, (size_t)(end - body));
    }
    add_padded(text, spec, "", body, '<');
    return true;
}

static bool add_formatted(struct machine *machine, struct arena *arena, struct text *text,
                          struct value value, const char *specification) {
    struct specification spec;
    if (!read_specification(machine, specification, &spec, type_name(value))) return false;
    if (value.kind == VALUE_BOOL && spec.type != 0 && spec.type != 's')
        value = value_of_int(value.truth);
    if (value.kind == VALUE_INT) return add_int(machine, arena, text, &spec, value.integer);
    if (value.kind == VALUE_FLOAT) {
        if (spec.type != 0 && strchr("fFeEgGn%", spec.type) == NULL)
            return raise_code(machine, &spec, "float");
        add_float(arena, text, &spec, value.number);
        return true;
    }
    if (value.kind == VALUE_BOOL && !value_str(machine, value, &value)) return false;
    if (is_kind(value, OBJECT_STR)) return add_text(machine, arena, text, &spec, as_str(value));
    return machine_raise(machine, TYPE_ERROR, "unsupported format string passed to %s.__format__",
                         type_name(value));
}

bool format_value(struct machine *machine, struct value value, const char *specification,
                  struct value *result) {
    bool is_there = false;
    if (is_kind(value, OBJECT_INSTANCE)) {
        const struct value argument = str_of(machine, specification);
        machine_keep(machine, argument);
        if (!call_method(machine, value, "__format__", 1, &argument, result, &is_there))
            return false;
        if (is_there) return true;
    }
    if (value.kind == VALUE_OBJECT && machine->methods[value.object->kind].format != NULL)
        return machine->methods[value.object->kind].format(machine, value, specification, result);
    if (specification[0] == '\0') return value_str(machine, value, result);
    struct written written;
    write_open(machine, &written);
    const bool is_done =
        add_formatted(machine, &written.scratch.arena, &written.text, value, specification);
    return write_close(machine, &written, is_done, result);
}

// ---- "%d" % x -----------------------------------------------------------------------------------

// Flags, width and precision between % and the letter.
static struct specification read_directive(const char *at, char type) {
    struct specification spec = {.fill = " ", .align = '>', .type = type};
    for (; *at != '\0' && strchr("-+ 0#", *at) != NULL; at++) {
        if (*at == '-') spec.align = '<';
        if (*at == '0') spec.align = '=', strcpy(spec.fill, "0");
        if (*at == '#') spec.is_alternative = true;
        if (*at == '+' || *at == ' ') spec.sign = *at;
    }
    spec.width = read_number(&at);
    spec.has_precision = *at == '.';
    if (*at == '.') at++, spec.precision = read_number(&at);
    return spec;
}

static bool add_percent(struct machine *machine, struct text *text, const char *directive,
                        char type, struct value value) {
    struct specification spec = read_directive(directive, type);
    const bool is_whole = strchr("diuxXoc", type) != NULL;
    bool is_there = false;
    if (type == 's' || type == 'r') {
        spec.type = 's';
        return (type == 's' ? value_str : value_repr)(machine, value, &value) &&
               add_text(machine, text->arena, text, &spec, as_str(value));
    }
    if (value.kind == VALUE_OBJECT && strchr("fFeEgGd", type) != NULL && // a tensor of one number
        !call_method(machine, value, "item", 0, NULL, &value, &is_there))
        return false;
    if (is_integer(value)) value = value_of_int(integer_of(value));
    if (value.kind == VALUE_FLOAT && is_whole) value = value_of_int((int64_t)value.number);
    if (type == 'i' || type == 'u') spec.type = 'd';
    if (is_whole) spec.has_precision = false;
    if (value.kind == VALUE_INT) return add_int(machine, text->arena, text, &spec, value.integer);
    if (value.kind != VALUE_FLOAT)
        return machine_raise(machine, TYPE_ERROR, "%%%c format: a real number is required, not %s",
                             type, type_name(value));
    add_float(text->arena, text, &spec, value.number);
    return true;
}

// The values on the right of %, and how many were taken.
struct taking {
    struct value values;
    int64_t count, taken;
};

// Goes over `(name)`, and gives the value that the directive at *at is for.
static bool take_value(struct machine *machine, struct taking *from, const char **at,
                       struct value *value) {
    const struct value values = from->values;
    if (**at == '(') {
        const char *name = *at + 1, *close = strchr(name, ')');
        if (close == NULL || !is_kind(values, OBJECT_DICT))
            return machine_raise(machine, TYPE_ERROR, "format requires a mapping");
        *at = close + 1;
        from->taken = from->count;
        return get_item(machine, values, str_new(machine, name, close - name), value);
    }
    if ((*at)[strspn(*at, "-+ #0123456789.")] == '\0')
        return machine_raise(machine, VALUE_ERROR, "incomplete format");
    if (from->taken == from->count)
        return machine_raise(machine, TYPE_ERROR, "not enough arguments for format string");
    *value = is_kind(values, OBJECT_TUPLE) ? as_list(values)->items[from->taken] : values;
    from->taken++;
    return true;
}

static bool add_all_percent(struct machine *machine, struct text *text, const char *at,
                            struct value values) {
    const int64_t count = is_kind(values, OBJECT_TUPLE) ? as_list(values)->count : 1;
    struct taking from = {values, count, 0};
    while (*at != '\0') {
        const size_t plain = strcspn(at, "%");
        struct value value;
        text_add_bytes(text, at, plain);
        at += plain;
        if (*at == '\0') break;
        if (*++at == '%') {
            text_add(text, "%");
            at++;
            continue;
        }
        if (!take_value(machine, &from, &at, &value)) return false;
        const char *directive = at;
        at += strspn(at, "-+ #0123456789.");
        if (*at == '\0') return machine_raise(machine, VALUE_ERROR, "incomplete format");
        if (!add_percent(machine, text, directive, *at++, value)) return false;
    }
    return from.taken == count || is_kind(values, OBJECT_DICT) ||
           machine_raise(machine, TYPE_ERROR,
                         "not all arguments converted during string formatting");
}

bool format_percent(struct machine *machine, const struct str *format, struct value values,
                    struct value *result) {
    struct written written;
    write_open(machine, &written);
    const bool is_done = add_all_percent(machine, &written.text, format->bytes, values);
    return write_close(machine, &written, is_done, result);
}
