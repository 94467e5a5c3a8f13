#include "script/prelude.h"

#include "script/machine.h"

void machine_add_prelude(struct machine *machine) {
    const struct { const char *module, *file, *source; } preludes[] = {
        {"torch", "torch.py", data_prelude_torch},
        {"torch.nn", "torch/nn.py", data_prelude_nn},
        {"torch.nn.functional", "torch/nn/functional.py", data_prelude_functional},
        {"torch.nn.init", "torch/nn/init.py", data_prelude_init},
        {"torch.nn.utils", "torch/nn/utils.py", data_prelude_utils},
        {"torch.nn.utils.rnn", "torch/nn/utils/rnn.py", data_prelude_rnn},
        {"torch.optim", "torch/optim.py", data_prelude_optim},
        {"torch.autograd", "torch/autograd.py", data_prelude_autograd},
        {"torch.cuda", "torch/cuda.py", data_prelude_cuda},
    };
    for (size_t i = 0; i < sizeof preludes / sizeof *preludes; i++)
        module_prelude(machine, machine_module(machine, preludes[i].module), preludes[i].file, preludes[i].source);
}
