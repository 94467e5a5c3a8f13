#ifndef ONESTEP_SCRIPT_TORCH_PRELUDE_H
#define ONESTEP_SCRIPT_TORCH_PRELUDE_H

// What of torch and of Python's library is Python: the files of prelude/, embedded when the program is built. Each is parsed
// when a name of its module is first asked for that no table has.

// The name of the file, the module, and where a traceback says it is.
#define PRELUDES(PRELUDE)                                                                          \
    PRELUDE(torch, "torch", "torch.py")                                                            \
    PRELUDE(nn, "torch.nn", "torch/nn.py")                                                         \
    PRELUDE(functional, "torch.nn.functional", "torch/nn/functional.py")                           \
    PRELUDE(init, "torch.nn.init", "torch/nn/init.py")                                             \
    PRELUDE(utils, "torch.nn.utils", "torch/nn/utils.py")                                          \
    PRELUDE(rnn, "torch.nn.utils.rnn", "torch/nn/utils/rnn.py")                                    \
    PRELUDE(optim, "torch.optim", "torch/optim.py")                                                \
    PRELUDE(lr_scheduler, "torch.optim.lr_scheduler", "torch/optim/lr_scheduler.py")               \
    PRELUDE(autograd, "torch.autograd", "torch/autograd.py")                                       \
    PRELUDE(copy, "copy", "copy.py")                                                               \
    PRELUDE(typing, "typing", "typing.py")                                                         \
    PRELUDE(typing, "typing_extensions", "typing.py")                                              \
    PRELUDE(typing, "collections.abc", "typing.py")                                                \
    PRELUDE(cuda, "torch.cuda", "torch/cuda.py")                                                   \
    PRELUDE(collections, "collections", "collections.py")                                          \
    PRELUDE(dataclasses, "dataclasses", "dataclasses.py")                                          \
    PRELUDE(data, "torch.utils.data", "torch/utils/data.py")                                       \
    PRELUDE(special, "torch.special", "torch/special.py")                                          \
    PRELUDE(linalg, "torch.linalg", "torch/linalg.py")                                             \
    PRELUDE(tensor, "torch._tensor", "torch/_tensor.py")                                           \
    PRELUDE(halves, "torch._halves", "torch/_halves.py")                                           \
    PRELUDE(complex, "torch._complex", "torch/_complex.py")                                        \
    PRELUDE(functools, "functools", "functools.py")                                                \
    PRELUDE(time, "time", "time.py")                                                               \
    PRELUDE(inspect, "inspect", "inspect.py")                                                      \
    PRELUDE(warnings, "warnings", "warnings.py")

#define DECLARE_PRELUDE(name, module, file) extern const char data_prelude_##name[];
PRELUDES(DECLARE_PRELUDE)
#undef DECLARE_PRELUDE
extern const char data_prelude_refused[]; // of each module of Python that is not there

#endif
