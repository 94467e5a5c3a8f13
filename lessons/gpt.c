#include "gpt.h"

struct tensor flat(tensor x) {
    return view(x, x.shape[0] * x.shape[1], x.shape[2]);
}

struct tensor split(struct run *run, tensor x, enum meaning token) {
    int64_t heads = run->parameters.heads;
    tensor viewed =
        axes(view(x, x.shape[0], x.shape[1], heads, x.shape[2] / heads),
             AXIS_BATCH, token, AXIS_HEAD, AXIS_HEAD_DIM);
    return transpose(viewed, 1, 2);
}

struct tensor merge(tensor x) {
    tensor together = contiguous(transpose(x, 1, 2));
    tensor merged =
        view(together, x.shape[0], x.shape[2], x.shape[1] * x.shape[3]);
    return axes(merged, AXIS_BATCH, x.axis[2].meaning, AXIS_FEATURE);
}
