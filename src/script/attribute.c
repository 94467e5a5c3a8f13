// Attributes, super() and properties.

#include <string.h>

#include "script/dict.h"

struct class *machine_class(struct machine *machine, struct value value) {
    switch (value.kind) {
    case VALUE_ABSENT:
    case VALUE_NONE:
        return machine->type_none;
    case VALUE_ELLIPSIS:
        return machine->type_ellipsis;
    case VALUE_BOOL:
        return machine->type_bool;
    case VALUE_INT:
        return machine->type_int;
    case VALUE_FLOAT:
        return machine->type_float;
    case VALUE_OBJECT:
        break;
    }
    const enum object_kind kind = value.object->kind;
    if (kind == OBJECT_INSTANCE) return ((struct instance *)value.object)->class;
    if (kind == OBJECT_CLASS) return machine->type_type;
    if (kind == OBJECT_TUPLE && ((struct list *)value.object)->is_size) return machine->type_size;
    if (kind == OBJECT_SET && ((struct dict *)value.object)->is_frozen)
        return machine->type_frozenset;
    if (machine->methods[kind].class_of != NULL)
        return machine->methods[kind].class_of(machine, value);
    return machine->classes[kind] != NULL ? machine->classes[kind] : machine->type_object;
}

static struct value bind_to(struct machine *machine, struct value self, struct value function) {
    struct method *method = object_new(machine, OBJECT_METHOD, sizeof *method);
    method->self = self;
    method->function = function;
    return value_of_object(method);
}

// Methods in C of built-in values: along the order of the class.
static bool find_row(struct machine *machine, const struct class *class, struct value self,
                     const char *name, struct value *value) {
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct class *base = (const struct class *)class->order->items[i].object;
        for (const struct native_row *row = base->methods; row != NULL && row->name != NULL;
             row++) {
            if (strcmp(row->name, name) != 0) continue;
            struct native *native = object_new(machine, OBJECT_NATIVE, sizeof *native);
            native->row = row;
            native->self = inner_of(self);
            *value = value_of_object(native);
            return true;
        }
    }
    return false;
}

static struct value wrapped(struct value wrapper) {
    return dict_named(((struct instance *)wrapper.object)->names, "function");
}

// What an attribute of a class gives when it is asked of an instance (or of the class: self NO_VALUE).
static bool bind_attribute(struct machine *machine, struct value self, const struct class *class,
                           struct value found, struct value *value) {
    *value = found;
    if (found.kind != VALUE_OBJECT) return true;
    if (found.object->kind == OBJECT_FUNCTION ||
        (found.object->kind == OBJECT_NATIVE &&
         ((struct native *)found.object)->self.kind == VALUE_ABSENT)) {
        if (self.kind != VALUE_ABSENT) *value = bind_to(machine, self, found);
        return true;
    }
    if (found.object->kind != OBJECT_INSTANCE) return true;
    const struct class *kind = ((struct instance *)found.object)->class;
    if (kind == machine->type_static)
        *value = wrapped(found);
    else if (kind == machine->type_class_method)
        *value = bind_to(machine, value_of_object((void *)class), wrapped(found));
    else if (kind == machine->type_property && self.kind != VALUE_ABSENT)
        return machine_call(machine, wrapped(found), 1, &self, value);
    return true;
}

// super().name: along the order of the object's class, behind the class that the method was written in.
static bool attribute_of_super(struct machine *machine, const struct instance *super,
                               const char *name, struct value *value, bool *is_there) {
    const struct value self = dict_named(super->names, "self");
    const struct class *class =
        is_kind(self, OBJECT_CLASS) ? (struct class *)self.object : machine_class(machine, self);
    const struct object *owner = dict_named(super->names, "owner").object;
    bool is_behind = false;
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct class *base = (const struct class *)class->order->items[i].object;
        const struct value found = is_behind ? dict_named(base->names, name) : NO_VALUE;
        if (found.kind != VALUE_ABSENT) return bind_attribute(machine, self, class, found, value);
        is_behind |= class->order->items[i].object == owner;
    }
    *is_there = find_row(machine, class, self, name, value);
    return true;
}

// The exception says of which object no such attribute was found: a suggestion needs it.
static bool note_attribute(struct machine *machine, struct value object, const char *name) {
    if (!machine_is_raised(machine, ATTRIBUTE_ERROR)) return false;
    struct dict *names = ((struct instance *)machine->raised.object)->names;
    if (dict_named(names, "name").kind != VALUE_ABSENT) return false;
    dict_name(machine, names, "name", str_of(machine, name));
    dict_name(machine, names, "obj", object);
    return false;
}

static bool attribute_of_instance(struct machine *machine, struct value object, const char *name,
                                  struct value *value, bool *is_there) {
    struct instance *instance = (struct instance *)object.object;
    struct value found;
    *is_there = true;
    if (instance->class == machine->type_super)
        return attribute_of_super(machine, instance, name, value, is_there);
    const bool is_in_class = class_find(instance->class, name, &found);
    const bool is_property = is_in_class && is_kind(found, OBJECT_INSTANCE) &&
                             ((struct instance *)found.object)->class == machine->type_property;
    *value = dict_named(instance->names, name);
    if (value->kind != VALUE_ABSENT && !is_property) return true;
    if (is_in_class) return bind_attribute(machine, object, instance->class, found, value);
    if (strcmp(name, "__class__") == 0)
        *value = value_of_object(instance->class);
    else if (strcmp(name, "__cause__") == 0 &&
             is_subclass(instance->class, machine->exceptions[EXCEPTION]))
        *value = NONE_VALUE;
    else if (strcmp(name, "__dict__") == 0)
        *value = value_of_object(instance->names);
    else if (find_row(machine, instance->class, object, name, value))
        return true;
    else if (class_find(instance->class, "__getattr__", &found)) {
        const struct value arguments[] = {object, str_of(machine, name)};
        return machine_call(machine, found, 2, arguments, value) ||
               note_attribute(machine, object, name);
    } else
        *is_there = false;
    return true;
}

static bool attribute_of_class(struct machine *machine, struct value object, const char *name,
                               struct value *value, bool *is_there) {
    struct class *class = (struct class *)object.object;
    struct value found;
    *is_there = true;
    if (class_find(class, name, &found))
        return bind_attribute(machine, NO_VALUE, class, found, value);
    if (strcmp(name, "__name__") == 0 || strcmp(name, "__qualname__") == 0)
        *value = str_of(machine, class->name);
    else if (strcmp(name, "__module__") == 0)
        *value = str_of(machine, class->module);
    else if (strcmp(name, "__mro__") == 0)
        *value = value_of_object(class->order);
    else if (strcmp(name, "__bases__") == 0)
        *value = value_of_object(class->bases);
    else if (strcmp(name, "__dict__") == 0)
        *value = value_of_object(class->names);
    else if (!find_row(machine, class, NO_VALUE, name, value))
        *is_there = false;
    return true;
}

static bool attribute_of_function(struct machine *machine, struct value object, const char *name,
                                  struct value *value) {
    const struct function *function = (const struct function *)object.object;
    if (strcmp(name, "__name__") == 0)
        *value = str_of(machine, function->name);
    else if (strcmp(name, "__qualname__") == 0)
        *value = str_of(machine, function->qualified_name);
    else if (strcmp(name, "__doc__") == 0)
        *value = NONE_VALUE;
    else
        return false;
    return true;
}

static bool attribute_of_module(struct machine *machine, struct value object, const char *name,
                                struct value *value, bool *is_there) {
    struct module *module = (struct module *)object.object;
    *value = dict_named(module->names, name);
    if (value->kind == VALUE_ABSENT) {
        run_prelude(machine, module);
        if (machine->raised.kind == VALUE_OBJECT) return false;
        *value = dict_named(module->names, name);
    }
    *is_there = value->kind != VALUE_ABSENT;
    return true;
}

// A method of a built-in value that the prelude has in Python.
static bool attribute_of_prelude(struct machine *machine, struct value object,
                                 const struct class *class, const char *name, struct value *value,
                                 bool *is_there) {
    struct value found;
    *is_there = false;
    if (class->prelude != NULL) run_prelude(machine, class->prelude);
    if (machine->raised.kind == VALUE_OBJECT) return false;
    if (!class_find(class, name, &found)) return true;
    *is_there = true;
    return bind_attribute(machine, object, class, found, value);
}

bool get_attribute(struct machine *machine, struct value object, const char *name,
                   struct value *value, bool *is_there) {
    *is_there = true;
    *value = NO_VALUE;
    if (object.kind == VALUE_OBJECT) {
        switch (object.object->kind) {
        case OBJECT_INSTANCE:
            return attribute_of_instance(machine, object, name, value, is_there);
        case OBJECT_CLASS:
            return attribute_of_class(machine, object, name, value, is_there);
        case OBJECT_MODULE:
            return attribute_of_module(machine, object, name, value, is_there);
        case OBJECT_FUNCTION:
            if (attribute_of_function(machine, object, name, value)) return true;
            break;
        case OBJECT_METHOD:
            if (strcmp(name, "__self__") == 0)
                *value = ((struct method *)object.object)->self;
            else
                return get_attribute(machine, ((struct method *)object.object)->function, name,
                                     value, is_there);
            return true;
        case OBJECT_LIST:
        case OBJECT_TUPLE: {
            const struct list *list = (const struct list *)object.object;
            for (int64_t i = 0; list->names != NULL && i < list->count; i++)
                if (strcmp(list->names[i], name) == 0) {
                    *value = list->items[i];
                    return true;
                }
            break;
        }
        default:
            break;
        }
        if (machine->methods[object.object->kind].get != NULL) {
            if (!machine->methods[object.object->kind].get(machine, object, name, value))
                return false;
            if (value->kind != VALUE_ABSENT) return true;
        }
    }
    const struct class *class = machine_class(machine, object);
    if (strcmp(name, "__class__") == 0)
        *value = value_of_object((void *)class);
    else if (!find_row(machine, class, object, name, value))
        return attribute_of_prelude(machine, object, class, name, value, is_there);
    return true;
}

// The nearest of an object's names to one that is not there.
static const char *near_attribute(struct machine *machine, struct value object, const char *name) {
    const char *words[513];
    int count = 0;
    struct value key, value;
    const struct dict *dicts[16];
    int dict_count_ = 0;
    if (is_kind(object, OBJECT_INSTANCE))
        dicts[dict_count_++] = ((struct instance *)object.object)->names;
    if (is_kind(object, OBJECT_MODULE)) return NULL;
    const struct class *class = is_kind(object, OBJECT_CLASS) ? (struct class *)object.object
                                                              : machine_class(machine, object);
    for (int64_t i = 0; i < class->order->count && dict_count_ < 15; i++)
        dicts[dict_count_++] = ((struct class *)class->order->items[i].object)->names;
    for (int d = 0; d < dict_count_; d++)
        for (int64_t i = 0; count < 512 && dict_next(dicts[d], &i, &key, &value);)
            if (is_kind(key, OBJECT_STR)) words[count++] = ((struct str *)key.object)->bytes;
    for (const char *const groups[] = {"_parameters", "_modules", "_buffers", NULL}, *const *group =
                                                                                         groups;
         *group != NULL; group++) {
        if (!is_kind(object, OBJECT_INSTANCE)) break;
        const struct value names = dict_named(((struct instance *)object.object)->names, *group);
        if (!is_kind(names, OBJECT_DICT)) continue;
        for (int64_t i = 0;
             count < 512 && dict_next((struct dict *)names.object, &i, &key, &value);)
            if (is_kind(key, OBJECT_STR)) words[count++] = ((struct str *)key.object)->bytes;
    }
    words[count] = NULL;
    return count > 0 ? word_meant(name, words, count) : NULL;
}

const char *attribute_meant(struct machine *machine, struct value exception) {
    const struct dict *names = ((struct instance *)exception.object)->names;
    const struct value name = dict_named(names, "name"), object = dict_named(names, "obj");
    if (!is_kind(name, OBJECT_STR) || object.kind == VALUE_ABSENT) return NULL;
    return near_attribute(machine, object, ((const struct str *)name.object)->bytes);
}

static bool raise_no_attribute(struct machine *machine, struct value object, const char *name) {
    if (is_kind(object, OBJECT_MODULE))
        return machine_raise(machine, ATTRIBUTE_ERROR, "module '%s' has no attribute '%s'",
                             ((struct module *)object.object)->name, name);
    const bool is_class = is_kind(object, OBJECT_CLASS);
    machine_raise(machine, ATTRIBUTE_ERROR, "%s%s'%s has no attribute '%s'",
                  is_class ? "type object '" : "'",
                  is_class ? ((struct class *)object.object)->name : type_name(object),
                  is_class ? "" : " object", name);
    return note_attribute(machine, object, name);
}

bool machine_get(struct machine *machine, struct value object, const char *name,
                 struct value *value) {
    bool is_there;
    if (!get_attribute(machine, object, name, value, &is_there)) return false;
    return is_there || raise_no_attribute(machine, object, name);
}

bool machine_set(struct machine *machine, struct value object, const char *name,
                 struct value value) {
    struct value found, nothing;
    if (object.kind == VALUE_OBJECT && object.object->kind == OBJECT_INSTANCE) {
        struct instance *instance = (struct instance *)object.object;
        if (class_find(instance->class, name, &found) && is_kind(found, OBJECT_INSTANCE) &&
            ((struct instance *)found.object)->class == machine->type_property) {
            const struct value setter = dict_named(((struct instance *)found.object)->names, "set");
            const struct value arguments[] = {object, value};
            if (setter.kind != VALUE_OBJECT)
                return machine_raise(machine, ATTRIBUTE_ERROR,
                                     "property '%s' of '%s' object has no setter", name,
                                     type_name(object));
            return machine_call(machine, setter, 2, arguments, &nothing);
        }
        if (class_find(instance->class, "__setattr__", &found)) {
            const struct value arguments[] = {object, str_of(machine, name), value};
            return machine_call(machine, found, 3, arguments, &nothing);
        }
        dict_name(machine, instance->names, name, value);
        return true;
    }
    if (is_kind(object, OBJECT_CLASS)) {
        dict_name(machine, ((struct class *)object.object)->names, name, value);
        return true;
    }
    if (is_kind(object, OBJECT_MODULE)) {
        module_set(machine, (struct module *)object.object, name, value);
        return true;
    }
    if (object.kind == VALUE_OBJECT && machine->methods[object.object->kind].set != NULL)
        return machine->methods[object.object->kind].set(machine, object, name, value);
    return machine_raise(machine, ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                         type_name(object), name);
}
