// Format specifications: f"{x:>8.4f}", format(), str.format and "%d" % x.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

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

static void add_fill(struct text *text, const char *fill, int times) {
    for (int i = 0; i < times; i++) text_add(text, fill);
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
    add_fill(text, spec->fill, missing > 0 ? before : 0);
    text_add(text, sign);
    if (align == '=') add_fill(text, spec->fill, missing);
    text_add(text, body);
    add_fill(text, spec->fill, missing > 0 && align != '>' && align != '=' ? missing - before : 0);
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
    if (isnan(x)) return "nan";
    if (isinf(x)) return "inf";
    switch (spec->type) {
    case 'f':
    case 'F':
        return arena_format(arena, "%.*f", precision, x);
    case 'e':
        return arena_format(arena, "%.*e", precision, x);
    case 'E':
        return arena_format(arena, "%.*E", precision, x);
    case '%':
        return arena_format(arena, "%.*f%%", precision, x * 100);
    case 'g':
    case 'G':
    case 'n':
        return arena_format(arena,
                            spec->is_alternative ? "%#.*g"
                            : spec->type == 'G'  ? "%.*G"
                                                 : "%.*g",
                            precision == 0 ? 1 : precision, x);
    default:
        break;
    }
    struct text text = text_new(arena);
    if (!spec->has_precision) {
        text_add_float(&text, x);
        return text.bytes;
    }
    const char *body = arena_format(arena, "%.*g", precision == 0 ? 1 : precision, x);
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
    if (spec->type == 'x')
        return arena_format(arena, "%s%" PRIx64, spec->is_alternative ? "0x" : "", n);
    if (spec->type == 'X')
        return arena_format(arena, "%s%" PRIX64, spec->is_alternative ? "0X" : "", n);
    if (spec->type == 'o')
        return arena_format(arena, "%s%" PRIo64, spec->is_alternative ? "0o" : "", n);
    if (spec->type != 'b') return arena_format(arena, "%" PRIu64, n);
    char bits[65];
    int at = 64;
    bits[64] = '\0';
    do bits[--at] = (char)('0' + (n & 1));
    while ((n >>= 1) != 0);
    return arena_format(arena, "%s%s", spec->is_alternative ? "0b" : "", bits + at);
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
        return machine_raise(machine, VALUE_ERROR,
                             "Unknown format code '%c' for object of type 'int'", spec->type);
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
    if (spec->type != 0 && spec->type != 's')
        return machine_raise(machine, VALUE_ERROR,
                             "Unknown format code '%c' for object of type 'str'", spec->type);
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
            return machine_raise(machine, VALUE_ERROR,
                                 "Unknown format code '%c' for object of type 'float'", spec.type);
        add_float(arena, text, &spec, value.number);
        return true;
    }
    if (value.kind == VALUE_BOOL) {
        struct value as_text;
        if (!value_str(machine, value, &as_text)) return false;
        return add_text(machine, arena, text, &spec, (struct str *)as_text.object);
    }
    if (is_kind(value, OBJECT_STR))
        return add_text(machine, arena, text, &spec, (struct str *)value.object);
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
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, machine->arena->failure);
    struct text text = text_new(m);
    text_add(&text, "");
    const bool is_done = add_formatted(machine, m, &text, value, specification);
    if (is_done) *result = str_new(machine, text.bytes, (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}

// ---- "%d" % x -----------------------------------------------------------------------------------

static bool add_percent(struct machine *machine, struct text *text, const char *directive,
                        char type, struct value value) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, machine->arena->failure);
    struct value as_text;
    struct specification spec = {.fill = " ", .align = '>', .type = type};
    bool is_done = true;
    for (; strchr("-+ 0#", *directive) != NULL && *directive != '\0'; directive++) {
        if (*directive == '-')
            spec.align = '<';
        else if (*directive == '0')
            spec.align = '=', strcpy(spec.fill, "0");
        else if (*directive == '#')
            spec.is_alternative = true;
        else
            spec.sign = *directive;
    }
    spec.width = read_number(&directive);
    if (*directive == '.') {
        directive++;
        spec.has_precision = true;
        spec.precision = read_number(&directive);
    }
    if (type == 's' || type == 'r') {
        spec.type = 's';
        is_done = type == 's' ? value_str(machine, value, &as_text)
                              : value_repr(machine, value, &as_text);
        is_done = is_done && add_text(machine, m, text, &spec, (struct str *)as_text.object);
    } else {
        if (value.kind == VALUE_OBJECT &&
            strchr("fFeEgGd", type) != NULL) { // a tensor of one number
            bool is_there = false;
            is_done = call_method(machine, value, "item", 0, NULL, &value, &is_there);
        }
        const bool is_whole = strchr("dixXoc", type) != NULL;
        if (is_done && value.kind == VALUE_BOOL) value = value_of_int(value.truth);
        if (is_done && value.kind == VALUE_FLOAT && is_whole)
            value = value_of_int((int64_t)value.number);
        if (type == 'i' || type == 'u') spec.type = 'd';
        if (is_done && value.kind == VALUE_INT)
            spec.has_precision &= !is_whole,
                is_done = add_int(machine, m, text, &spec, value.integer);
        else if (is_done && value.kind == VALUE_FLOAT)
            add_float(m, text, &spec, value.number);
        else if (is_done)
            is_done =
                machine_raise(machine, TYPE_ERROR, "%%%c format: a real number is required, not %s",
                              type, type_name(value));
    }
    scratch_close(&scratch);
    return is_done;
}

static bool add_all_percent(struct machine *machine, struct text *text, const char *format,
                            struct value values) {
    const struct list *list =
        is_kind(values, OBJECT_TUPLE) ? (const struct list *)values.object : NULL;
    int64_t taken = 0;
    const int64_t count = list != NULL ? list->count : 1;
    while (*format != '\0') {
        const size_t plain = strcspn(format, "%");
        text_add_bytes(text, format, plain);
        format += plain;
        if (*format == '\0') break;
        const char *directive = ++format;
        if (*format == '%') {
            text_add(text, "%");
            format++;
            continue;
        }
        struct value value = NO_VALUE;
        if (*directive == '(') { // %(name)d
            const char *close = strchr(directive, ')');
            if (close == NULL || !is_kind(values, OBJECT_DICT))
                return machine_raise(machine, TYPE_ERROR, "format requires a mapping");
            if (!get_item(machine, values, str_new(machine, directive + 1, close - directive - 1),
                          &value))
                return false;
            directive = format = close + 1;
            taken = count;
        }
        format += strspn(format, "-+ #0123456789.");
        if (*format == '\0') return machine_raise(machine, VALUE_ERROR, "incomplete format");
        if (value.kind == VALUE_ABSENT) {
            if (taken == count)
                return machine_raise(machine, TYPE_ERROR, "not enough arguments for format string");
            value = list != NULL ? list->items[taken] : values;
            taken++;
        }
        if (!add_percent(machine, text, directive, *format++, value)) return false;
    }
    if (taken < count && !is_kind(values, OBJECT_DICT))
        return machine_raise(machine, TYPE_ERROR,
                             "not all arguments converted during string formatting");
    return true;
}

bool format_percent(struct machine *machine, const struct str *format, struct value values,
                    struct value *result) {
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    text_add(&text, "");
    const bool is_done = add_all_percent(machine, &text, format->bytes, values);
    if (is_done) *result = str_new(machine, text.bytes, (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}
