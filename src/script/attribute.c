// Attributes, super() and properties.

#include <string.h>

#include "script/inside.h"

struct class *machine_class(struct machine *machine, struct value value) {
    struct class *const plain[] = {machine->type_none, machine->type_none, machine->type_ellipsis,
                                   machine->type_bool, machine->type_int,  machine->type_float};
    if (value.kind != VALUE_OBJECT) return plain[value.kind];
    const enum object_kind kind = value.object->kind;
    if (kind == OBJECT_INSTANCE) return as_instance(value)->class;
    if (kind == OBJECT_CLASS) return machine->type_type;
    if (kind == OBJECT_TUPLE && as_list(value)->is_size) return machine->type_size;
    if (kind == OBJECT_SET && as_dict(value)->is_frozen) return machine->type_frozenset;
    if (machine->methods[kind].class_of != NULL)
        return machine->methods[kind].class_of(machine, value);
    return machine->classes[kind] != NULL ? machine->classes[kind] : machine->type_object;
}

// ---- Reading ------------------------------------------------------------------------------------

static struct value bind_to(struct machine *machine, struct value self, struct value function) {
    struct method *method = object_new(machine, OBJECT_METHOD, sizeof *method);
    method->self = self;
    method->function = function;
    return value_of_object(method);
}

static struct dict *rows_of(struct machine *machine, struct class *class) {
    if (class->rows != NULL) return class->rows;
    class->rows = as_dict(dict_new(machine));
    for (const struct native_row *row = class->methods; row->name != NULL; row++) {
        const bool is_there = dict_named(class->rows, row->name).kind != VALUE_ABSENT;
        if (!is_there)
            dict_name(machine, class->rows, row->name, value_of_int(row - class->methods));
    }
    return class->rows;
}

// Methods in C of built-in values: along the order of the class.
static bool find_row(struct machine *machine, const struct class *class, struct value self,
                     const char *name, struct value *value) {
    for (int64_t i = 0; i < class->order->count; i++) {
        struct class *one = as_class(class->order->items[i]);
        if (one->methods == NULL) continue;
        const struct value found = dict_named(rows_of(machine, one), name);
        if (found.kind == VALUE_ABSENT) continue;
        return gives(value, native_new(machine, &one->methods[found.integer], inner_of(self)));
    }
    return false;
}

static bool is_instance_of(struct value value, const struct class *class) {
    return is_kind(value, OBJECT_INSTANCE) && as_instance(value)->class == class;
}

static struct value wrapped(struct value wrapper) {
    return dict_named(as_instance(wrapper)->names, "function");
}

// What an attribute of a class gives when it is asked of an instance (or of the class: self NO_VALUE).
static bool bind_attribute(struct machine *machine, struct value self, const struct class *class,
                           struct value found, struct value *value) {
    const bool has_self = self.kind != VALUE_ABSENT;
    const bool is_function = is_kind(found, OBJECT_FUNCTION) ||
                             (is_kind(found, OBJECT_NATIVE) &&
                              ((struct native *)found.object)->self.kind == VALUE_ABSENT);
    *value = found;
    if (is_function && has_self)
        *value = bind_to(machine, self, found);
    else if (is_instance_of(found, machine->type_static))
        *value = wrapped(found);
    else if (is_instance_of(found, machine->type_class_method))
        *value = bind_to(machine, value_of_object((void *)class), wrapped(found));
    else if (is_instance_of(found, machine->type_property) && has_self)
        return machine_call(machine, wrapped(found), 1, &self, value);
    return true;
}

// super().name: along the order of the object's class, behind the class that the method was written in.
static bool attribute_of_super(struct machine *machine, const struct instance *super,
                               const char *name, struct value *value, bool *is_there) {
    const struct value self = dict_named(super->names, "self");
    const struct class *class =
        is_kind(self, OBJECT_CLASS) ? as_class(self) : machine_class(machine, self);
    const struct object *owner = dict_named(super->names, "owner").object;
    bool is_behind = false;
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct value base = class->order->items[i];
        const struct value found = is_behind ? dict_named(as_class(base)->names, name) : NO_VALUE;
        if (found.kind != VALUE_ABSENT) return bind_attribute(machine, self, class, found, value);
        is_behind |= base.object == owner;
    }
    *is_there = find_row(machine, class, self, name, value);
    return true;
}

// The exception says of which object no such attribute was found: a suggestion needs it.
static bool note_attribute(struct machine *machine, struct value object, const char *name) {
    if (!machine_is_raised(machine, ATTRIBUTE_ERROR)) return false;
    struct dict *names = as_instance(machine->raised)->names;
    if (dict_named(names, "name").kind != VALUE_ABSENT) return false;
    dict_name(machine, names, "name", str_of(machine, name));
    dict_name(machine, names, "obj", object);
    return false;
}

static bool attribute_of_instance(struct machine *machine, struct value object, const char *name,
                                  struct value *value, bool *is_there) {
    const struct instance *instance = as_instance(object);
    const struct class *class = instance->class;
    struct value found;
    if (class == machine->type_super)
        return attribute_of_super(machine, instance, name, value, is_there);
    const bool is_in_class = class_find(class, name, &found);
    *value = dict_named(instance->names, name);
    if (value->kind != VALUE_ABSENT &&
        !(is_in_class && is_instance_of(found, machine->type_property)))
        return true;
    if (is_in_class) return bind_attribute(machine, object, class, found, value);
    if (strcmp(name, "__dict__") == 0) return gives(value, value_of_object(instance->names));
    if (strcmp(name, "__cause__") == 0 && is_subclass(class, machine->exceptions[EXCEPTION]))
        return gives(value, NONE_VALUE);
    if (find_row(machine, class, object, name, value)) return true;
    *is_there = class_find(class, "__getattr__", &found);
    const struct value arguments[] = {object, str_of(machine, name)};
    return !*is_there || machine_call(machine, found, 2, arguments, value) ||
           note_attribute(machine, object, name);
}

// The methods of a built-in class, and of those that it inherits from, that are Python (prelude.h). False where defining them raised.
static bool complete_class(struct machine *machine, const struct class *class) {
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct class *of = as_class(class->order->items[i]);
        if (of->prelude != NULL) run_prelude(machine, of->prelude);
    }
    return machine->raised.kind != VALUE_OBJECT;
}

// A method of a built-in class that is Python, of an object or of the class itself (NO_VALUE).
static bool attribute_of_prelude(struct machine *machine, struct value object,
                                 const struct class *class, const char *name, struct value *value,
                                 bool *is_there) {
    struct value found;
    if (!complete_class(machine, class)) return false;
    *is_there = class_find(class, name, &found);
    return !*is_there || bind_attribute(machine, object, class, found, value);
}

static bool attribute_of_class(struct machine *machine, struct class *class, const char *name,
                               struct value *value, bool *is_there) {
    struct value found;
    if (class_find(class, name, &found))
        return bind_attribute(machine, NO_VALUE, class, found, value);
    if (strcmp(name, "__name__") == 0 || strcmp(name, "__qualname__") == 0)
        return gives(value, str_of(machine, class->name));
    if (strcmp(name, "__module__") == 0) return gives(value, str_of(machine, class->module));
    if (strcmp(name, "__mro__") == 0) return gives(value, value_of_object(class->order));
    if (strcmp(name, "__bases__") == 0) return gives(value, value_of_object(class->bases));
    if (strcmp(name, "__dict__") == 0) return gives(value, value_of_object(class->names));
    return find_row(machine, class, NO_VALUE, name, value) ||
           attribute_of_prelude(machine, NO_VALUE, class, name, value, is_there);
}

// NO_VALUE where it is none that functions have of their own.
static struct value attribute_of_function(struct machine *machine, const struct function *function,
                                          const char *name) {
    const struct value value =
        function->names != NULL ? dict_named((struct dict *)function->names, name) : NO_VALUE;
    return value.kind != VALUE_ABSENT          ? value
           : strcmp(name, "__name__") == 0     ? str_of(machine, function->name)
           : strcmp(name, "__qualname__") == 0 ? str_of(machine, function->qualified_name)
           : strcmp(name, "__doc__") == 0      ? NONE_VALUE
                                               : NO_VALUE;
}

static bool attribute_of_module(struct machine *machine, struct module *module, const char *name,
                                struct value *value, bool *is_there) {
    *value = dict_named(module->names, name);
    if (value->kind == VALUE_ABSENT) {
        run_prelude(machine, module);
        if (machine->raised.kind == VALUE_OBJECT) return false;
        *value = dict_named(module->names, name);
    }
    const struct value ask = dict_named(module->names, "__getattr__");
    const struct value asked = str_of(machine, name);
    *is_there = value->kind != VALUE_ABSENT || ask.kind != VALUE_ABSENT;
    return value->kind != VALUE_ABSENT || ask.kind == VALUE_ABSENT ||
           machine_call(machine, ask, 1, &asked, value);
}

static struct value attribute_of_list(const struct list *list, const char *name) {
    for (int64_t i = 0; list->names != NULL && i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return list->items[i];
    return NO_VALUE;
}

bool get_attribute(struct machine *machine, struct value of, const char *name, struct value *value,
                   bool *is_there) {
    const struct class *class = machine_class(machine, of);
    *is_there = true;
    *value = NO_VALUE;
    if (strcmp(name, "__class__") == 0) return gives(value, value_of_object((void *)class));
    if (is_kind(of, OBJECT_INSTANCE))
        return attribute_of_instance(machine, of, name, value, is_there);
    if (is_kind(of, OBJECT_CLASS))
        return attribute_of_class(machine, as_class(of), name, value, is_there);
    if (is_kind(of, OBJECT_MODULE))
        return attribute_of_module(machine, (struct module *)of.object, name, value, is_there);
    if (is_kind(of, OBJECT_METHOD)) {
        const struct method *method = (const struct method *)of.object;
        if (strcmp(name, "__self__") == 0) return gives(value, method->self);
        return get_attribute(machine, method->function, name, value, is_there);
    }
    if (is_kind(of, OBJECT_FUNCTION))
        *value = attribute_of_function(machine, (struct function *)of.object, name);
    if (is_kind(of, OBJECT_NATIVE) && strcmp(name, "__name__") == 0)
        *value = str_of(machine, ((const struct native *)of.object)->row->name);
    if (is_kind(of, OBJECT_NATIVE) && strcmp(name, "__doc__") == 0) *value = NONE_VALUE;
    if (is_kind(of, OBJECT_LIST) || is_kind(of, OBJECT_TUPLE))
        *value = attribute_of_list(as_list(of), name);
    if (value->kind != VALUE_ABSENT || find_row(machine, class, of, name, value)) return true;
    if (of.kind == VALUE_OBJECT && machine->methods[of.object->kind].get != NULL &&
        !machine->methods[of.object->kind].get(machine, of, name, value))
        return false;
    if (value->kind != VALUE_ABSENT) return true;
    return attribute_of_prelude(machine, of, class, name, value, is_there);
}

// ---- Where there is none ------------------------------------------------------------------------

void names_add(struct names *names, const struct dict *dict) {
    struct value key, value;
    for (int64_t i = 0; names->count < MOST_NAMES && dict_next(dict, &i, &key, &value);)
        if (is_kind(key, OBJECT_STR)) names->words[names->count++] = bytes_of(key);
    names->words[names->count] = NULL;
}

// The nearest of an object's names to one that is not there.
static const char *near_attribute(struct machine *machine, struct value object, const char *name) {
    static const char *const groups[] = {"_parameters", "_modules", "_buffers", NULL};
    struct names names = {.count = 0};
    const struct dict *names_of_object =
        is_kind(object, OBJECT_INSTANCE) ? as_instance(object)->names : NULL;
    const struct class *class =
        is_kind(object, OBJECT_CLASS) ? as_class(object) : machine_class(machine, object);
    if (names_of_object != NULL) names_add(&names, names_of_object);
    for (int64_t i = 0; i < class->order->count; i++)
        names_add(&names, as_class(class->order->items[i])->names);
    for (int i = 0; names_of_object != NULL && groups[i] != NULL; i++)
        if (is_kind(dict_named(names_of_object, groups[i]), OBJECT_DICT))
            names_add(&names, as_dict(dict_named(names_of_object, groups[i])));
    return names.count > 0 ? word_meant(name, names.words, names.count) : NULL;
}

const char *attribute_meant(struct machine *machine, struct value exception) {
    const struct dict *names = as_instance(exception)->names;
    const struct value name = dict_named(names, "name"), object = dict_named(names, "obj");
    if (!is_kind(name, OBJECT_STR) || object.kind == VALUE_ABSENT) return NULL;
    return near_attribute(machine, object, bytes_of(name));
}

// What torch has and onestep lacks cannot be told from what is misspelled, but by what is near.
static bool raise_not_in_torch(struct machine *machine, const char *module, const char *name,
                               const struct dict *names_of_object) {
    struct names names = {.count = 0};
    names_add(&names, names_of_object);
    const char *meant = names.count > 0 ? word_meant(name, names.words, names.count) : NULL;
    const bool is_said =
        strcmp(module, "torch") != 0; // torch raises it itself: Python says no more
    if (meant != NULL && is_said)
        return machine_raise(machine, ATTRIBUTE_ERROR,
                             "module '%s' has no attribute '%s'. Did you mean: '%s'?", module, name,
                             meant);
    if (meant != NULL)
        return machine_raise(machine, ATTRIBUTE_ERROR, "module '%s' has no attribute '%s'", module,
                             name);
    return machine_raise(machine, ATTRIBUTE_ERROR,
                         "onestep has no %s.%s. It may be misspelled, or PyTorch alone has it",
                         module, name);
}

static bool raise_no_attribute(struct machine *machine, struct value object, const char *name) {
    const struct module *module = (const struct module *)object.object;
    if (is_kind(object, OBJECT_MODULE) && *name != '_' && strncmp(module->name, "torch", 5) == 0)
        return raise_not_in_torch(machine, module->name, name, module->names);
    if (is_kind(object, OBJECT_MODULE))
        return machine_raise(machine, ATTRIBUTE_ERROR, "module '%s' has no attribute '%s'",
                             ((struct module *)object.object)->name, name);
    const bool is_class = is_kind(object, OBJECT_CLASS);
    machine_raise(
        machine, ATTRIBUTE_ERROR, "%s'%s'%s has no attribute '%s'", is_class ? "type object " : "",
        is_class ? as_class(object)->name : type_name(object), is_class ? "" : " object", name);
    return note_attribute(machine, object, name);
}

bool machine_get(struct machine *machine, struct value object, const char *name,
                 struct value *value) {
    bool is_there;
    if (!get_attribute(machine, object, name, value, &is_there)) return false;
    return is_there || raise_no_attribute(machine, object, name);
}

// ---- Listing ------------------------------------------------------------------------------------

static void add_attribute(struct machine *machine, struct dict *names, const char *name) {
    dict_name(machine, names, name, NONE_VALUE);
}

static void add_keys(struct machine *machine, struct dict *names, const struct dict *from) {
    struct value key, value;
    for (int64_t i = 0; dict_next(from, &i, &key, &value);)
        if (is_kind(key, OBJECT_STR)) add_attribute(machine, names, as_str(key)->bytes);
}

static void add_names_of_class(struct machine *machine, struct dict *names,
                               const struct class *class) {
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct class *of = as_class(class->order->items[i]);
        add_keys(machine, names, of->names);
        for (const struct native_row *row = of->methods; row != NULL && row->name != NULL; row++)
            add_attribute(machine, names, row->name);
    }
}

bool list_attributes(struct machine *machine, struct value object, struct value *list) {
    const struct value all = dict_new(machine);
    struct dict *names = as_dict(all);
    machine_keep(machine, all);
    if (is_kind(object, OBJECT_MODULE)) {
        struct module *module = (struct module *)object.object;
        run_prelude(machine, module);
        add_keys(machine, names, module->names);
    } else {
        const struct class *class =
            is_kind(object, OBJECT_CLASS) ? as_class(object) : machine_class(machine, object);
        if (!complete_class(machine, class)) return false;
        add_names_of_class(machine, names, class);
    }
    if (is_kind(object, OBJECT_INSTANCE)) add_keys(machine, names, as_instance(object)->names);
    const char *const *attributes =
        object.kind == VALUE_OBJECT ? machine->methods[object.object->kind].attributes : NULL;
    for (; attributes != NULL && *attributes != NULL; attributes++)
        add_attribute(machine, names, *attributes);
    return keys_in_order(machine, names, list);
}

bool keys_in_order(struct machine *machine, const struct dict *dict, struct value *list) {
    struct value key, value;
    *list = list_new(machine, 0, NULL);
    for (int64_t i = 0; dict_next(dict, &i, &key, &value);)
        list_append(machine, as_list(*list), key);
    return sort_list(machine, as_list(*list), NONE_VALUE, false);
}

// ---- Writing ------------------------------------------------------------------------------------

static bool set_of_instance(struct machine *machine, struct value object, const char *name,
                            struct value value) {
    struct instance *instance = as_instance(object);
    struct value arguments[] = {object, value, value}, found, nothing;
    if (strcmp(name, "__class__") == 0 && is_kind(value, OBJECT_CLASS)) {
        instance->class = as_class(value);
        return true;
    }
    if (strcmp(name, "__class__") == 0)
        return machine_raise(machine, TYPE_ERROR,
                             "__class__ must be set to a class, not '%s' object", type_name(value));
    if (class_find(instance->class, name, &found) &&
        is_instance_of(found, machine->type_property)) {
        const struct value setter = dict_named(as_instance(found)->names, "set");
        if (setter.kind != VALUE_OBJECT)
            return machine_raise(machine, ATTRIBUTE_ERROR,
                                 "property '%s' of '%s' object has no setter", name,
                                 type_name(object));
        return machine_call(machine, setter, 2, arguments, &nothing);
    }
    if (class_find(instance->class, "__setattr__", &found)) {
        arguments[1] = str_of(machine, name);
        return machine_call(machine, found, 3, arguments, &nothing);
    }
    dict_name(machine, instance->names, name, value);
    return true;
}

bool machine_set(struct machine *machine, struct value object, const char *name,
                 struct value value) {
    if (is_kind(object, OBJECT_INSTANCE)) return set_of_instance(machine, object, name, value);
    const bool is_class = is_kind(object, OBJECT_CLASS);
    if (is_class || is_kind(object, OBJECT_MODULE)) {
        // Now, so that what is there later does not take the place of this value.
        if (is_class && !complete_class(machine, as_class(object))) return false;
        struct dict *names =
            is_class ? as_class(object)->names : ((struct module *)object.object)->names;
        dict_name(machine, names, name, value);
        return true;
    }
    if (is_kind(object, OBJECT_FUNCTION)) {
        struct function *function = (struct function *)object.object;
        if (function->names == NULL) function->names = dict_new(machine).object;
        dict_name(machine, (struct dict *)function->names, name, value);
        return true;
    }
    if (object.kind == VALUE_OBJECT && machine->methods[object.object->kind].set != NULL)
        return machine->methods[object.object->kind].set(machine, object, name, value);
    return machine_raise(machine, ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                         type_name(object), name);
}
