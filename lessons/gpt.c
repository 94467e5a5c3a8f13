#include "gpt.h"

struct tensor flat(tensor x) {
    return view(x, x.shape[0] * x.shape[1], x.shape[2]);
}

struct tensor split(struct run *run, tensor x, const char *token) {
    int64_t heads = run->parameters.heads;
    tensor viewed =
        axes(view(x, x.shape[0], x.shape[1], heads, x.shape[2] / heads),
             "batch", token, "head", "head_dim");
    return transpose(viewed, 1, 2);
}

struct tensor merge(tensor x) {
    tensor together = contiguous(transpose(x, 1, 2));
    tensor merged =
        view(together, x.shape[0], x.shape[2], x.shape[1] * x.shape[3]);
    return axes(merged, "batch", x.axis[2].name, "feature");
}
