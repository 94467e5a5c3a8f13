// What repr() and str() write.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

// The shortest digits that read back as the number, as Python writes them.
void text_add_float(struct text *text, double number) {
    if (isnan(number) || isinf(number)) {
        text_add(text, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
        return;
    }
    char digits[40];
    int precision = 0;
    do snprintf(digits, sizeof digits, "%.*e", precision, number);
    while (strtod(digits, NULL) != number && ++precision < 17);
    char *mark = strchr(digits, 'e');
    const int exponent = atoi(mark + 1);
    *mark = '\0';
    if (exponent >= -4 && exponent < 16) {
        const int decimals = precision > exponent ? precision - exponent : 1;
        text_add_format(text, "%.*f", decimals, number);
    } else {
        text_add_format(text, "%se%c%02d", digits, exponent < 0 ? '-' : '+', abs(exponent));
    }
}

void text_add_str(struct text *text, const struct str *str) {
    const bool has_single = memchr(str->bytes, '\'', (size_t)str->length) != NULL;
    const bool has_double = memchr(str->bytes, '"', (size_t)str->length) != NULL;
    const char quote = has_single && !has_double ? '"' : '\'';
    if (str->object.kind == OBJECT_BYTES) text_add(text, "b");
    text_add_format(text, "%c", quote);
    for (int64_t i = 0; i < str->length; i++) {
        const unsigned char byte = (unsigned char)str->bytes[i];
        if (byte == (unsigned char)quote || byte == '\\')
            text_add_format(text, "\\%c", byte);
        else if (byte == '\n')
            text_add(text, "\\n");
        else if (byte == '\t')
            text_add(text, "\\t");
        else if (byte == '\r')
            text_add(text, "\\r");
        else if (byte < ' ' || byte == 127 || (byte > 127 && str->object.kind == OBJECT_BYTES))
            text_add_format(text, "\\x%02x", byte);
        else
            text_add_bytes(text, (const char *)&byte, 1);
    }
    text_add_format(text, "%c", quote);
}

static bool add_repr(struct machine *machine, struct text *text, struct value value);

static bool add_items(struct machine *machine, struct text *text, const struct list *list,
                      const char *open, const char *close) {
    text_add(text, open);
    for (int64_t i = 0; i < list->count; i++) {
        if (i > 0) text_add(text, ", ");
        if (list->names != NULL && i < list->count) text_add_format(text, "%s=", list->names[i]);
        if (!add_repr(machine, text, list->items[i])) return false;
    }
    text_add(text,
             list->object.kind == OBJECT_TUPLE && list->count == 1 && !list->is_size ? "," : "");
    text_add(text, close);
    return true;
}

// torch.return_types.max(\nvalues=tensor(...),\nindices=...)
static bool add_named(struct machine *machine, struct text *text, const struct list *list) {
    text_add_format(text, "%s(", list->type_name);
    for (int64_t i = 0; i < list->count; i++) {
        text_add_format(text, "%s\n%s=", i > 0 ? "," : "", list->names[i]);
        if (!add_repr(machine, text, list->items[i])) return false;
    }
    text_add(text, ")");
    return true;
}

static bool add_dict(struct machine *machine, struct text *text, const struct dict *dict) {
    const bool is_dict = dict->object.kind == OBJECT_DICT;
    struct value key, value;
    if (!is_dict && dict->count == 0) {
        text_add(text, dict->is_frozen ? "frozenset()" : "set()");
        return true;
    }
    text_add(text, dict->is_frozen ? "frozenset({" : "{");
    bool is_first = true;
    for (int64_t i = 0; dict_next(dict, &i, &key, &value); is_first = false) {
        if (!is_first) text_add(text, ", ");
        if (!add_repr(machine, text, key)) return false;
        if (is_dict) text_add(text, ": ");
        if (is_dict && !add_repr(machine, text, value)) return false;
    }
    text_add(text, dict->is_frozen ? "})" : "}");
    return true;
}

static bool add_list(struct machine *machine, struct text *text, const struct list *list) {
    if (list->is_size) return add_items(machine, text, list, "torch.Size([", "])");
    if (list->names != NULL) return add_named(machine, text, list);
    if (list->type_name != NULL) {
        text_add_format(text, "%s(", list->type_name);
        return add_items(machine, text, list, "[", "])");
    }
    return list->object.kind == OBJECT_LIST ? add_items(machine, text, list, "[", "]")
                                            : add_items(machine, text, list, "(", ")");
}

static bool add_instance(struct machine *machine, struct text *text, struct value value) {
    const struct instance *instance = (const struct instance *)value.object;
    struct value answer;
    bool is_there;
    if (!call_method(machine, value, "__repr__", 0, NULL, &answer, &is_there)) return false;
    if (is_there) {
        if (!is_kind(answer, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR, "__repr__ returned non-string (type %s)",
                                 type_name(answer));
        text_add_bytes(text, ((const struct str *)answer.object)->bytes,
                       (size_t)((const struct str *)answer.object)->length);
        return true;
    }
    if (instance->inner.kind != VALUE_ABSENT) return add_repr(machine, text, instance->inner);
    if (is_subclass(instance->class, machine->exceptions[EXCEPTION])) {
        const struct value arguments = dict_named(instance->names, "args");
        text_add(text, instance->class->name);
        const struct list *list = (const struct list *)arguments.object;
        if (list->count == 1) {
            text_add(text, "(");
            if (!add_repr(machine, text, list->items[0])) return false;
            text_add(text, ")");
            return true;
        }
        return add_items(machine, text, list, "(", ")");
    }
    text_add_format(text, "<%s.%s object at %p>", instance->class->module, instance->class->name,
                    (void *)value.object);
    return true;
}

static bool add_object(struct machine *machine, struct text *text, struct value value) {
    struct object *object = value.object;
    if (machine->methods[object->kind].repr != NULL) {
        struct value answer;
        if (!machine->methods[object->kind].repr(machine, value, &answer)) return false;
        text_add_bytes(text, ((const struct str *)answer.object)->bytes,
                       (size_t)((const struct str *)answer.object)->length);
        return true;
    }
    switch (object->kind) {
    case OBJECT_STR:
    case OBJECT_BYTES:
        text_add_str(text, (const struct str *)object);
        return true;
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        return add_list(machine, text, (const struct list *)object);
    case OBJECT_DICT:
    case OBJECT_SET:
        return add_dict(machine, text, (const struct dict *)object);
    case OBJECT_INSTANCE:
        return add_instance(machine, text, value);
    case OBJECT_RANGE: {
        const struct range *range = (const struct range *)object;
        text_add_format(text,
                        range->step == 1 ? "range(%" PRId64 ", %" PRId64 ")"
                                         : "range(%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                        range->start, range->stop, range->step);
        return true;
    }
    case OBJECT_CLASS: {
        const struct class *class = (const struct class *)object;
        const bool is_builtin = strcmp(class->module, "builtins") == 0;
        text_add_format(text, "<class '%s%s%s'>", is_builtin ? "" : class->module,
                        is_builtin ? "" : ".", class->name);
        return true;
    }
    case OBJECT_MODULE:
        text_add_format(text, "<module '%s'>", ((const struct module *)object)->name);
        return true;
    case OBJECT_FUNCTION:
        text_add_format(text, "<function %s at %p>",
                        ((const struct function *)object)->qualified_name, (void *)object);
        return true;
    case OBJECT_NATIVE:
        text_add_format(text, "<built-in function %s>", ((const struct native *)object)->row->name);
        return true;
    default:
        text_add_format(text, "<%s object at %p>", type_name(value), (void *)object);
        return true;
    }
}

static bool add_repr(struct machine *machine, struct text *text, struct value value) {
    switch (value.kind) {
    case VALUE_ABSENT:
    case VALUE_NONE:
        text_add(text, "None");
        return true;
    case VALUE_ELLIPSIS:
        text_add(text, "Ellipsis");
        return true;
    case VALUE_BOOL:
        text_add(text, value.truth ? "True" : "False");
        return true;
    case VALUE_INT:
        text_add_format(text, "%" PRId64, value.integer);
        return true;
    case VALUE_FLOAT:
        text_add_float(text, value.number);
        return true;
    case VALUE_OBJECT:
        break;
    }
    if (machine->depth > 990) {
        text_add(text, "...");
        return true;
    }
    machine->depth += 8; // repr is deeper in C than a call
    const bool is_done = add_object(machine, text, value);
    machine->depth -= 8;
    return is_done;
}

bool value_repr(struct machine *machine, struct value value, struct value *answer) {
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    const bool is_done = add_repr(machine, &text, value);
    if (is_done)
        *answer = str_new(machine, text.bytes != NULL ? text.bytes : "", (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}

static bool str_of_exception(struct machine *machine, struct value value, struct value *text) {
    const struct instance *instance = (const struct instance *)value.object;
    const struct value arguments = dict_named(instance->names, "args");
    const struct list *list = (const struct list *)arguments.object;
    if (list->count == 0) {
        *text = str_of(machine, "");
        return true;
    }
    if (list->count > 1) return value_repr(machine, arguments, text);
    if (is_subclass(instance->class, machine->exceptions[KEY_ERROR]))
        return value_repr(machine, list->items[0], text);
    return value_str(machine, list->items[0], text);
}

bool value_str(struct machine *machine, struct value value, struct value *text) {
    if (is_kind(value, OBJECT_STR)) {
        *text = value;
        return true;
    }
    if (is_kind(value, OBJECT_INSTANCE)) {
        bool is_there;
        if (!call_method(machine, value, "__str__", 0, NULL, text, &is_there)) return false;
        if (is_there) return true;
        if (is_subclass(((const struct instance *)value.object)->class,
                        machine->exceptions[EXCEPTION]))
            return str_of_exception(machine, value, text);
    }
    return value_repr(machine, value, text);
}
