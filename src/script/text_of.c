// What repr() and str() write.

#include <inttypes.h>
#include <string.h>

#include "script/inside.h"

void text_add_str(struct text *text, const struct str *str) {
    const bool has_single = memchr(str->bytes, '\'', (size_t)str->length) != NULL;
    const bool has_double = memchr(str->bytes, '"', (size_t)str->length) != NULL;
    const char quote = has_single && !has_double ? '"' : '\'';
    if (str->object.kind == OBJECT_BYTES) text_add(text, "b");
    text_add_format(text, "%c", quote);
    for (int64_t i = 0; i < str->length; i++) {
        const unsigned char byte = (unsigned char)str->bytes[i];
        const char *letter = byte != '\0' ? strchr("\nn\tt\rr", byte) : NULL;
        if (byte == (unsigned char)quote || byte == '\\')
            text_add_format(text, "\\%c", byte);
        else if (byte < ' ' && letter != NULL)
            text_add_format(text, "\\%c", letter[1]);
        else if (byte < ' ' || byte == 127 || (byte > 127 && str->object.kind == OBJECT_BYTES))
            text_add_format(text, "\\x%02x", byte);
        else
            text_add_bytes(text, (const char *)&byte, 1);
    }
    text_add_format(text, "%c", quote);
}

static bool add_repr(struct machine *machine, struct text *text, struct value value);

// Items between brackets with a mark between them; where they have names, each on a line with its name.
static bool add_items(struct machine *machine, struct text *text, const struct list *list,
                      const char *open, const char *mark, const char *close) {
    text_add(text, open);
    for (int64_t i = 0; i < list->count; i++) {
        if (i > 0) text_add(text, mark);
        if (list->names != NULL) text_add_format(text, "\n%s=", list->names[i]);
        if (!add_repr(machine, text, list->items[i])) return false;
    }
    text_add(text, close);
    return true;
}

static bool add_list(struct machine *machine, struct text *text, const struct list *list) {
    if (list->is_size) return add_items(machine, text, list, "torch.Size([", ", ", "])");
    if (list->type_name != NULL) text_add_format(text, "%s(", list->type_name);
    if (list->names != NULL) // torch.return_types.max(\nvalues=tensor(...),\nindices=...)
        return add_items(machine, text, list, "", ",", ")");
    if (list->type_name != NULL) return add_items(machine, text, list, "[", ", ", "])");
    if (list->object.kind == OBJECT_LIST) return add_items(machine, text, list, "[", ", ", "]");
    return add_items(machine, text, list, "(", ", ", list->count == 1 ? ",)" : ")");
}

static bool add_dict(struct machine *machine, struct text *text, const struct dict *dict) {
    const bool is_dict = dict->object.kind == OBJECT_DICT;
    struct value key, value;
    bool is_first = true;
    if (!is_dict && dict->count == 0) {
        text_add(text, dict->is_frozen ? "frozenset()" : "set()");
        return true;
    }
    text_add(text, dict->is_frozen ? "frozenset({" : "{");
    for (int64_t i = 0; dict_next(dict, &i, &key, &value); is_first = false) {
        if (!is_first) text_add(text, ", ");
        if (!add_repr(machine, text, key)) return false;
        if (is_dict) text_add(text, ": ");
        if (is_dict && !add_repr(machine, text, value)) return false;
    }
    text_add(text, dict->is_frozen ? "})" : "}");
    return true;
}

// Inside of itself it is "[...]".
static bool add_container(struct machine *machine, struct text *text, struct value value) {
    const enum object_kind kind = value.object->kind;
    const bool is_list = kind == OBJECT_LIST || kind == OBJECT_TUPLE;
    struct shown shown = {machine->shown, value.object};
    for (const struct shown *outer = machine->shown; outer != NULL; outer = outer->outer) {
        if (outer->object != value.object) continue;
        text_add(text, kind == OBJECT_LIST ? "[...]" : is_list ? "(...)" : "{...}");
        return true;
    }
    machine->shown = &shown;
    const bool is_done =
        is_list ? add_list(machine, text, as_list(value)) : add_dict(machine, text, as_dict(value));
    machine->shown = shown.outer;
    return is_done;
}

static bool add_instance(struct machine *machine, struct text *text, struct value value) {
    const struct instance *instance = as_instance(value);
    const struct class *class = instance->class;
    struct value answer;
    if (!ask(machine, value, "__repr__", &answer)) return false;
    if (answer.kind != VALUE_ABSENT && !is_kind(answer, OBJECT_STR))
        return machine_raise(machine, TYPE_ERROR, "__repr__ returned non-string (type %s)",
                             type_name(answer));
    if (answer.kind != VALUE_ABSENT) {
        write_str(text, answer);
    } else if (instance->inner.kind != VALUE_ABSENT) {
        return add_repr(machine, text, instance->inner);
    } else if (is_subclass(class, machine->exceptions[EXCEPTION])) {
        text_add(text, class->name);
        return add_items(machine, text, as_list(dict_named(instance->names, "args")), "(", ", ",
                         ")");
    } else {
        text_add_format(text, "<%s.%s object at %p>", class->module, class->name,
                        (const void *)instance);
    }
    return true;
}

// What has a text that cannot fail.
static void add_name(struct text *text, struct value value) {
    const void *object = value.object;
    const struct range *range = object;
    const char *module = is_kind(value, OBJECT_CLASS) ? as_class(value)->module : "";
    const bool is_builtin = strcmp(module, "builtins") == 0;
    if (is_kind(value, OBJECT_STR) || is_kind(value, OBJECT_BYTES))
        text_add_str(text, object);
    else if (is_kind(value, OBJECT_RANGE) && range->step == 1)
        text_add_format(text, "range(%" PRId64 ", %" PRId64 ")", range->start, range->stop);
    else if (is_kind(value, OBJECT_RANGE))
        text_add_format(text, "range(%" PRId64 ", %" PRId64 ", %" PRId64 ")", range->start,
                        range->stop, range->step);
    else if (is_kind(value, OBJECT_CLASS))
        text_add_format(text, "<class '%s%s%s'>", is_builtin ? "" : module, is_builtin ? "" : ".",
                        as_class(value)->name);
    else if (is_kind(value, OBJECT_MODULE))
        text_add_format(text, "<module '%s'>", ((const struct module *)object)->name);
    else if (is_kind(value, OBJECT_NATIVE))
        text_add_format(text, "<built-in function %s>", ((const struct native *)object)->row->name);
    else if (is_kind(value, OBJECT_FUNCTION))
        text_add_format(text, "<function %s at %p>",
                        ((const struct function *)object)->qualified_name, object);
    else
        text_add_format(text, "<%s object at %p>", type_name(value), object);
}

static bool add_object(struct machine *machine, struct text *text, struct value value) {
    const enum object_kind kind = value.object->kind;
    struct value answer;
    if (machine->methods[kind].repr != NULL) {
        if (!machine->methods[kind].repr(machine, value, &answer)) return false;
        write_str(text, answer);
        return true;
    }
    if (kind >= OBJECT_LIST && kind <= OBJECT_SET) return add_container(machine, text, value);
    if (kind == OBJECT_INSTANCE) return add_instance(machine, text, value);
    add_name(text, value);
    return true;
}

static bool add_repr(struct machine *machine, struct text *text, struct value value) {
    enum { DEPTH = 8, MOST_DEPTH = 990 }; // repr is deeper in C than a call
    if (value.kind == VALUE_BOOL)
        text_add(text, value.truth ? "True" : "False");
    else if (value.kind == VALUE_INT)
        text_add_format(text, "%" PRId64, value.integer);
    else if (value.kind == VALUE_FLOAT)
        text_add_float(text, value.number);
    else if (value.kind != VALUE_OBJECT)
        text_add(text, value.kind == VALUE_ELLIPSIS ? "Ellipsis" : "None");
    else if (machine->depth > MOST_DEPTH)
        text_add(text, "...");
    if (value.kind != VALUE_OBJECT || machine->depth > MOST_DEPTH) return true;
    machine->depth += DEPTH;
    const bool is_done = add_object(machine, text, value);
    machine->depth -= DEPTH;
    return is_done;
}

bool value_repr(struct machine *machine, struct value value, struct value *answer) {
    struct written written;
    write_open(machine, &written);
    return write_close(machine, &written, add_repr(machine, &written.text, value), answer);
}

static bool str_of_exception(struct machine *machine, const struct instance *exception,
                             struct value *text) {
    const struct value arguments = dict_named(exception->names, "args");
    const struct list *list = as_list(arguments);
    if (list->count == 0) return gives(text, str_of(machine, ""));
    if (list->count > 1) return value_repr(machine, arguments, text);
    return (is_subclass(exception->class, machine->exceptions[KEY_ERROR]) ? value_repr : value_str)(
        machine, list->items[0], text);
}

bool value_str(struct machine *machine, struct value value, struct value *text) {
    if (is_kind(value, OBJECT_STR)) return gives(text, value);
    if (!ask(machine, value, "__str__", text)) return false;
    if (text->kind != VALUE_ABSENT) return true;
    return is_kind(value, OBJECT_INSTANCE) &&
                   is_subclass(as_instance(value)->class, machine->exceptions[EXCEPTION])
               ? str_of_exception(machine, as_instance(value), text)
               : value_repr(machine, value, text);
}
