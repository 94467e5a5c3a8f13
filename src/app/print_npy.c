// The format `npy`, for NumPy: one step's numbers and nothing else.

#include "app/print.h"
#include "tensor/file/npy.h"

void add_npy(struct text *text, const struct selection *selection) {
    npy_add(text, &selection->step->tensor);
}
