// Classes: making them and their instances.

#include <string.h>

#include "script/inside.h"

bool is_subclass(const struct class *class, const struct class *of) {
    for (int64_t i = 0; i < class->order->count; i++)
        if (class->order->items[i].object == (const struct object *)of) return true;
    return false;
}

bool class_find(const struct class *class, const char *name, struct value *value) {
    const int64_t length = (int64_t)strlen(name);
    const uint64_t hash = bytes_hash(name, length);
    for (int64_t i = 0; i < class->order->count; i++) {
        *value = dict_at(as_class(class->order->items[i])->names, name, length, hash);
        if (value->kind != VALUE_ABSENT) return true;
    }
    return false;
}

static const struct native_row *constructor_of(const struct class *class) {
    for (int64_t i = 0; i < class->order->count; i++)
        if (as_class(class->order->items[i])->construct != NULL)
            return as_class(class->order->items[i])->construct;
    return NULL;
}

static bool is_container(const struct machine *machine, const struct class *class) {
    static const enum object_kind kinds[] = {OBJECT_LIST, OBJECT_TUPLE, OBJECT_DICT, OBJECT_SET};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_subclass(class, machine->classes[kinds[i]])) return true;
    return false;
}

struct instance *instance_new(struct machine *machine, struct class *class) {
    struct instance *instance = object_new(machine, OBJECT_INSTANCE, sizeof *instance);
    machine_keep(machine, value_of_object(instance));
    instance->class = class;
    instance->names = as_dict(dict_new(machine));
    return instance;
}

bool construct(struct machine *machine, struct class *class, const struct arguments *arguments,
               struct value *result) {
    struct value initialize, nothing;
    const bool has_initialize = class_find(class, "__init__", &initialize);
    const struct native_row *row = constructor_of(class);
    const struct arguments none = {0};
    struct value inner = NO_VALUE;
    if (class->construct == NULL && is_container(machine, class)) {
        if (!call_native(machine, row, NO_VALUE, has_initialize ? &none : arguments, &inner))
            return false;
        machine_keep(machine, inner);
    } else if (row != NULL && (!has_initialize || class->construct != NULL)) {
        return call_native(machine, row, NO_VALUE, arguments, result);
    }
    const bool is_exception = is_subclass(class, machine->exceptions[EXCEPTION]);
    *result = is_exception ? exception_new(machine, class, arguments->count, arguments->values)
                           : value_of_object(instance_new(machine, class));
    machine_keep(machine, *result);
    as_instance(*result)->inner = inner;
    if (has_initialize) return call_with_self(machine, initialize, *result, arguments, &nothing);
    return is_exception || inner.kind != VALUE_ABSENT ||
           (arguments->count == 0 &&
            (arguments->keywords == NULL || dict_count(arguments->keywords) == 0)) ||
           machine_raise(machine, TYPE_ERROR, "%s() takes no arguments", class->name);
}

// C3 would do the same for the classes that people write: each base's order, a class behind all that inherit from it.
static void set_order(struct machine *machine, struct class *class) {
    class->order = as_list(tuple_new(machine, 0, NULL));
    list_append(machine, class->order, value_of_object(class));
    for (int64_t b = 0; b < class->bases->count; b++) {
        const struct list *order = as_class(class->bases->items[b])->order;
        for (int64_t i = 0; i < order->count; i++) {
            const struct class *above = as_class(order->items[i]);
            bool is_later = false;
            for (int64_t later = b + 1; later < class->bases->count; later++)
                is_later |= is_subclass(as_class(class->bases->items[later]), above);
            if (!is_later && !is_subclass(class, above))
                list_append(machine, class->order, order->items[i]);
        }
    }
}

static struct class *class_without_order(struct machine *machine, const char *module,
                                         const char *name) {
    struct class *class = object_new(machine, OBJECT_CLASS, sizeof *class);
    machine_keep(machine, value_of_object(class));
    class->name = name;
    class->module = module;
    class->names = as_dict(dict_new(machine));
    class->bases = as_list(tuple_new(machine, 0, NULL));
    return class;
}

struct class *class_new(struct machine *machine, const char *module, const char *name,
                        const struct native_row *construct_row, const struct native_row *methods) {
    struct class *class = class_without_order(machine, module, name);
    class->construct = construct_row;
    class->methods = methods;
    set_order(machine, class);
    return class;
}

bool build_class(struct machine *machine, const struct node *node, struct value *value) {
    struct frame *frame = machine->call->frame;
    const struct value module = dict_named(frame->globals, "__name__");
    struct class *class = class_without_order(
        machine, module.kind == VALUE_OBJECT ? bytes_of(module) : "__main__", node->text);
    *value = value_of_object(class);
    const struct node *bases = node->parts[1];
    for (int i = 0; i < bases->part_count; i++) {
        struct value base;
        if (!evaluate(machine, bases->parts[i]->parts[0], &base)) return false;
        machine->call->node = bases->parts[i];
        if (!is_kind(base, OBJECT_CLASS))
            return machine_raise(machine, TYPE_ERROR, "a base must be a class, not '%s'",
                                 type_name(base));
        if (as_class(base) != machine->type_object) list_append(machine, class->bases, base);
    }
    list_append(machine, class->bases, value_of_object(machine->type_object));
    set_order(machine, class);
    struct frame *body = frame_new(machine, frame->program, frame->globals, frame_around(frame),
                                   node->scope, node->text);
    body->names = class->names;
    body->owner = class;
    struct value nothing;
    return run_in_frame(machine, body, node->parts[0], &nothing);
}
