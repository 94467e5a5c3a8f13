#include "script/torch/prelude.h"

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

void machine_add_prelude(struct machine *machine) {
    const struct {
        const char *module, *file, *source;
    } preludes[] = {
        {"torch", "torch.py", data_prelude_torch},
        {"torch.nn", "torch/nn.py", data_prelude_nn},
        {"torch.nn.functional", "torch/nn/functional.py", data_prelude_functional},
        {"torch.nn.init", "torch/nn/init.py", data_prelude_init},
        {"torch.nn.utils", "torch/nn/utils.py", data_prelude_utils},
        {"torch.nn.utils.rnn", "torch/nn/utils/rnn.py", data_prelude_rnn},
        {"torch.optim", "torch/optim.py", data_prelude_optim},
        {"torch.autograd", "torch/autograd.py", data_prelude_autograd},
        {"copy", "copy.py", data_prelude_copy},
        {"typing", "typing.py", data_prelude_typing},
        {"torch.cuda", "torch/cuda.py", data_prelude_cuda},
        {"collections", "collections.py", data_prelude_collections},
        {"dataclasses", "dataclasses.py", data_prelude_dataclasses},
        {"torch.utils.data", "torch/utils/data.py", data_prelude_data},
        {"torch.special", "torch/special.py", data_prelude_special},
        {"torch.linalg", "torch/linalg.py", data_prelude_linalg},
        {"torch._tensor", "torch/_tensor.py", data_prelude_tensor},
    };
    module_add(machine, machine_module(machine, "copy"), copy_rows);
    module_add(machine, machine_module(machine, "collections"), collections_rows);
    for (size_t i = 0; i < sizeof preludes / sizeof *preludes; i++)
        module_prelude(machine, machine_module(machine, preludes[i].module), preludes[i].file,
                       preludes[i].source);
}
