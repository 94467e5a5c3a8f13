#ifndef ONESTEP_SCRIPT_PRELUDE_H
#define ONESTEP_SCRIPT_PRELUDE_H

// What of torch is Python: the files of prelude/, embedded when the program is built. Each is parsed when a name of its
// module is first asked for that no table has.

extern const char data_prelude_torch[], data_prelude_nn[], data_prelude_functional[],
    data_prelude_init[], data_prelude_optim[], data_prelude_autograd[], data_prelude_utils[],
    data_prelude_rnn[], data_prelude_cuda[], data_prelude_copy[], data_prelude_typing[],
    data_prelude_collections[], data_prelude_dataclasses[], data_prelude_data[],
    data_prelude_tensor[], data_prelude_special[], data_prelude_linalg[];

#endif
