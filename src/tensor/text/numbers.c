#include "tensor/text/numbers.h"

const char *form_text(enum form form) {
    static const char *const names[] = {
        [FORM_TENSOR] = "a PyTorch tensor",
        [FORM_ARRAY] = "a NumPy array",
        [FORM_LIST] = "a list",
        [FORM_TABLE] = "a table",
        [FORM_NPY] = "a .npy file",
        [FORM_SAFETENSORS] = "a safetensors file",
    };
    return names[form];
}
