#include "script/torch/prelude.h"

#include <string.h>

#include "script/machine.h"

// copy._new(class): an instance without attributes.
static bool new_instance(struct machine *machine, struct arguments *arguments,
                         struct value *result) {
    if (!is_kind(arguments->values[0], OBJECT_CLASS))
        return machine_raise(machine, TYPE_ERROR, "a class is copied as it is");
    struct instance *instance = object_new(machine, OBJECT_INSTANCE, sizeof *instance);
    instance->class = (struct class *)arguments->values[0].object;
    instance->names = (struct dict *)dict_new(machine).object;
    *result = value_of_object(instance);
    return true;
}
static const struct native_row copy_rows[] = {{"_new", "cls", new_instance}, {NULL, NULL, NULL}};

// collections._hold(object, tuple): what is inside the instance of a class below tuple.
static bool hold(struct machine *machine, struct arguments *arguments, struct value *result) {
    (void)machine;
    *result = NONE_VALUE;
    if (is_kind(arguments->values[0], OBJECT_INSTANCE) &&
        is_kind(arguments->values[1], OBJECT_TUPLE))
        ((struct instance *)arguments->values[0].object)->inner = arguments->values[1];
    return true;
}
static const struct native_row collections_rows[] = {{"_hold", "instance, items", hold},
                                                     {NULL, NULL, NULL}};

// inspect._parameters(function): the names of its parameters.
static bool parameters_of(struct machine *machine, struct arguments *arguments,
                          struct value *result) {
    if (!is_kind(arguments->values[0], OBJECT_FUNCTION))
        return machine_raise(machine, TYPE_ERROR, "onestep sees parameters of Python's functions");
    const struct node *parameters =
        ((const struct function *)arguments->values[0].object)->node->parts[0];
    *result = tuple_new(machine, parameters->part_count, NULL);
    for (int i = 0; i < parameters->part_count; i++)
        ((struct list *)result->object)->items[i] = str_of(machine, parameters->parts[i]->text);
    return true;
}
static const struct native_row inspect_rows[] = {{"_parameters", "function", parameters_of},
                                                 {NULL, NULL, NULL}};

// torch.nn._member(module, name), which is Module.__getattr__: a parameter, buffer or module; they stand in dicts of their own.
static bool find_member(struct machine *machine, struct arguments *arguments,
                        struct value *result) {
    static const char *const groups[] = {"_parameters", "_buffers", "_modules"};
    const struct value self = arguments->values[0], name = arguments->values[1];
    if (!is_kind(self, OBJECT_INSTANCE) || !is_kind(name, OBJECT_STR))
        return machine_raise(machine, TYPE_ERROR, "__getattr__() takes a module and a name");
    for (int i = 0; i < 3; i++) {
        const struct value group = dict_named(as_instance(self)->names, groups[i]);
        if (!is_kind(group, OBJECT_DICT)) continue;
        if (!dict_get(machine, as_dict(group), name, result)) return false;
        if (result->kind != VALUE_ABSENT) return true;
    }
    return machine_raise(machine, ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                         type_name(self), bytes_of(name));
}
static const struct native_row nn_rows[] = {{"_member", "self, name", find_member},
                                            {NULL, NULL, NULL}};

// time._steps(): statements until now.
static bool steps_of(struct machine *machine, struct arguments *arguments, struct value *result) {
    (void)arguments;
    *result = value_of_int(machine_steps(machine));
    return true;
}
static const struct native_row time_rows[] = {{"_steps", "", steps_of}, {NULL, NULL, NULL}};

void machine_add_prelude(struct machine *machine) {
    module_add(machine, machine_module(machine, "copy"), copy_rows);
    module_add(machine, machine_module(machine, "collections"), collections_rows);
    module_add(machine, machine_module(machine, "inspect"), inspect_rows);
    module_add(machine, machine_module(machine, "time"), time_rows);
    module_add(machine, machine_module(machine, "torch.nn"), nn_rows);
#define ADD_PRELUDE(name, module, file)                                                            \
    module_prelude(machine, machine_module(machine, module), file, data_prelude_##name);
    PRELUDES(ADD_PRELUDE)
#undef ADD_PRELUDE
}

struct module *refused_module(struct machine *machine, const char *name) {
    static const char *const names[] = {
        "os",       "os.path",  "sys",    "json",       "logging",
        "argparse", "pathlib",  "random", "struct",     "itertools",
        "pickle",   "datetime", "enum",   "contextlib", "abc",
        "ast",      "re",       "string", "glob",       "tempfile",
        "shutil",   "io",       "numpy",  "matplotlib", "matplotlib.pyplot",
        NULL};
    int i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) i++;
    if (names[i] == NULL) return NULL;
    struct module *module = machine_module(machine, names[i]);
    module_prelude(machine, module, names[i], data_prelude_refused);
    return module;
}
