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

struct tensor name_tokens(struct run *run, tensor x, int64_t first) {
    const char *const *names = run->inputs.axis[0].labels;
    if (names == NULL) return x;
    return label_rows(label_columns(x, names), names + first);
}

const char *const *position_names(struct run *run, int64_t count) {
    const char **names =
        arena_array(run->memory, (size_t)count, sizeof *names);
    for (int64_t i = 0; i < count; i++)
        names[i] = arena_format(run->memory, "p%lld", (long long)i);
    return names;
}

void check_off(struct run *run, int64_t blocks, int64_t heads) {
    const char *name = run->lesson->name;
    struct furthest off = furthest_off(run->parameters.off);
    if (off.block > blocks)
        fail(run->memory->failure, FAIL_USAGE,
             "%s: --off names block %lld; blocks are 1 ... %lld", name,
             (long long)off.block, (long long)blocks);
    if (off.head > heads)
        fail(run->memory->failure, FAIL_USAGE,
             "%s: --off names head %lld; heads of a block are 1 ... %lld",
             name, (long long)off.head, (long long)heads);
}
