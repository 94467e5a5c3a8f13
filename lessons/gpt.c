#include "gpt.h"

struct tensor flat(tensor x) {
    return view(x, x.shape[0] * x.shape[1], x.shape[2]);
}

const char *const *counted_from_0(struct run *run, int64_t count) {
    const char **names =
        arena_array(run->memory, (size_t)count, sizeof *names);
    for (int64_t i = 0; i < count; i++)
        names[i] = arena_format(run->memory, "%lld", (long long)i);
    return names;
}

const char *const *position_names(struct run *run, int64_t count) {
    const char **names =
        arena_array(run->memory, (size_t)count, sizeof *names);
    for (int64_t i = 0; i < count; i++)
        names[i] = arena_format(run->memory, "p%lld", (long long)i);
    return names;
}
