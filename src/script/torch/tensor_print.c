// How programs show tensors: print, repr, formats of f-strings.

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "script/inside.h"
#include "script/torch/tensor_object.h"
#include "tensor/text/format.h"

static void print_tensor(struct torch_call *call, void *context) {
    const struct value self = *(const struct value *)context;
    const struct tensor_object *object = (const struct tensor_object *)self.object;
    const struct tensor x = tensor_of_object(object);
    const char *name = grad_name(object), *suffix = NULL;
    if (name != NULL)
        suffix = arena_format(call->arena, "grad_fn=<%s>", name);
    else if (requires_grad_of(object))
        suffix = "requires_grad=True";
    const char *text =
        torch_text_as(call->arena, &x, &torch_library_of(call->machine)->printing, suffix);
    if (object->class != NULL) text = arena_format(call->arena, "Parameter containing:\n%s", text);
    call->result = str_of(call->machine, text);
}

bool tensor_repr(struct machine *machine, struct value self, struct value *text) {
    return torch_attempt(machine, print_tensor, &self, text);
}

// A tensor of no dimensions is formatted as its number; any other has no formats.
bool tensor_format(struct machine *machine, struct value self, const char *specification,
                   struct value *text) {
    const struct tensor x = tensor_of_object((const struct tensor_object *)self.object);
    if (x.ndim == 0)
        return format_value(machine, number_value(&x, (int64_t[MAX_DIMS]){0}), specification, text);
    if (specification[0] != '\0')
        return machine_raise(machine, TYPE_ERROR,
                             "unsupported format string passed to Tensor.__format__");
    return tensor_repr(machine, self, text);
}
