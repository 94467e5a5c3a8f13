// Optimizers, all parameters at once: what torch.optim (prelude/optim.py) does one by one where its steps are watched.

#include "script/torch/grad.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

static struct tensor_object *state_named(struct torch_call *call, const struct dict *state,
                                         const char *name) {
    const struct value value = dict_named(state, name);
    (void)tensor_of_value(call, value);
    return (struct tensor_object *)value.object;
}

static void name_zeros(struct torch_call *call, struct dict *state, const char *name,
                       struct shape shape) {
    const struct tensor zeros = full_of(call->arena, FLOAT32, shape, 0);
    dict_name(call->machine, state, name, tensor_value(call->machine, zeros, false));
}

// What the optimizer keeps of a parameter: the number of its steps and two means.
static struct dict *state_of(struct torch_call *call, struct dict *states, struct value param) {
    struct machine *machine = call->machine;
    const struct tensor x = tensor_of_value(call, param);
    struct value state;
    dict_get(machine, states, param, &state); // a tensor is a key by itself: nothing is raised
    if (state.kind == VALUE_ABSENT) {
        state = dict_new(machine);
        dict_set(machine, states, param, state);
    }
    struct dict *dict = (struct dict *)state.object;
    if (dict_count(dict) == 0) {
        name_zeros(call, dict, "step", NO_DIMS);
        name_zeros(call, dict, "exp_avg", shape_of(&x));
        name_zeros(call, dict, "exp_avg_sq", shape_of(&x));
    }
    return dict;
}

static int64_t count_step(struct torch_call *call, const struct dict *state) {
    struct tensor_object *object = state_named(call, state, "step");
    const struct tensor step = tensor_of_object(object);
    const double number = element_at(&step, 0) + 1;
    put_number(step.storage, step.offset, number);
    count_write(object->cell);
    return (int64_t)number;
}

// One update of Adam of one parameter, with PyTorch's arithmetic (ops/training.c). `written`: it and its two means.
static void update(struct torch_call *call, struct tensor_object *const written[3],
                   struct tensor grad, struct origin origin) {
    const struct tensor operands[] = {tensor_of_object(written[0]), grad,
                                      tensor_of_object(written[1]), tensor_of_object(written[2])};
    const struct tensor all = perform_on(4, operands, origin);
    for (int i = 0; i < 3; i++)
        write_in_place(call, written[i], operands[i == 0 ? 0 : i + 1], select_index(all, 0, i));
}

// "param, grad, first, second, lr, beta1, beta2, decay, step, is_coupled"
static struct value run_adam(struct torch_call *call) {
    const struct origin origin = {.operation = &adamw_row,
                                  .number = number_argument(call, 4),
                                  .beta1 = number_argument(call, 5),
                                  .beta2 = number_argument(call, 6),
                                  .decay = number_argument(call, 7),
                                  .update = int_argument(call, 8),
                                  .is_coupled = truth_argument(call, 9)};
    static const int places[] = {0, 2, 3};
    struct tensor_object *written[3];
    for (int i = 0; i < 3; i++) {
        (void)tensor_argument(call, places[i]);
        written[i] = (struct tensor_object *)call->values[places[i]].object;
    }
    update(call, written, tensor_argument(call, 1), origin);
    return NONE_VALUE;
}

static bool is_float32(struct value value) {
    if (!is_tensor_value(value)) return false;
    const struct storage *storage =
        tensor_of_object((const struct tensor_object *)value.object).storage;
    return storage->dtype == FLOAT32 && storage->narrow == ALL_BITS;
}

static void update_with_state(struct torch_call *call, struct dict *states, struct value param,
                              struct origin origin) {
    struct tensor_object *object = (struct tensor_object *)param.object;
    if (!is_tensor_value(object->grad)) return;
    const struct dict *state = state_of(call, states, param);
    struct tensor_object *const written[] = {object, state_named(call, state, "exp_avg"),
                                             state_named(call, state, "exp_avg_sq")};
    origin.update = count_step(call, state);
    update(call, written, tensor_of_value(call, object->grad), origin);
}

// All parameters that have a gradient. False where somebody watches, or one is not of float32: then nothing is done.
// "params, state, lr, beta1, beta2, decay, is_coupled"
static struct value run_adam_of_all(struct torch_call *call) {
    const struct value *params;
    const int64_t count = items_of(call, call->values[0], &params);
    struct dict *states = (struct dict *)call->values[1].object;
    const struct origin origin = {.operation = &adamw_row,
                                  .number = number_argument(call, 2),
                                  .beta1 = number_argument(call, 3),
                                  .beta2 = number_argument(call, 4),
                                  .decay = number_argument(call, 5),
                                  .is_coupled = truth_argument(call, 6)};
    bool is_right = machine_options_of(call->machine)->observe == NULL;
    for (int64_t i = 0; is_right && i < count; i++) is_right = is_float32(params[i]);
    for (int64_t i = 0; is_right && i < count; i++)
        update_with_state(call, states, params[i], origin);
    return value_of_bool(is_right);
}

// "params": none has a gradient any more. False where somebody watches: then nothing is done.
static struct value run_forget_gradients(struct torch_call *call) {
    const struct value *params;
    const int64_t count = items_of(call, call->values[0], &params);
    if (machine_options_of(call->machine)->observe != NULL) return value_of_bool(false);
    for (int64_t i = 0; i < count; i++)
        if (is_tensor_value(params[i]))
            ((struct tensor_object *)params[i].object)->grad = NONE_VALUE;
    return value_of_bool(true);
}

// "": does whoever watches want the lines of an update, rather than all of it at once?
static struct value run_is_watched(struct torch_call *call) {
    const bool *wants_lines = machine_options_of(call->machine)->wants_lines;
    return value_of_bool(wants_lines != NULL && *wants_lines);
}

const struct torch_row optimizer_rows[] = {
    VALUE_ROW("_adam_", "param, grad, first, second, lr, beta1, beta2, decay, step, is_coupled",
              run_adam, IN_TORCH),
    VALUE_ROW("_adam_all_", "params, state, lr, beta1, beta2, decay, is_coupled", run_adam_of_all,
              IN_TORCH),
    VALUE_ROW("_forget_gradients", "params", run_forget_gradients, IN_TORCH),
    VALUE_ROW("_is_watched", "", run_is_watched, IN_TORCH),
    {0},
};
