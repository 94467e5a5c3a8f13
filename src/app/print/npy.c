// The format `npy`, for NumPy: one step's numbers and nothing else.

#include "tensor/file/npy.h"
#include "app/print/formats.h"

void add_npy(struct text *text, const struct selection *selection) {
    npy_add(text, &selection->step->tensor);
}
