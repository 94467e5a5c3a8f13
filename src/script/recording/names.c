#include "script/recording/recorded.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

// The operation of a line: "softmax" of "torch.softmax(v3, dim=-1)", "matmul" of "v3 @ v4".
static const char *operation_of(struct arena *arena, const char *call) {
    static const struct {
        const char *sign, *name;
    } operators[] = {{" @ ", "matmul"},      {" + ", "add"},         {" - ", "subtract"},
                     {" * ", "multiply"},    {" / ", "divide"},      {" ** ", "power"},
                     {" == ", "equal"},      {" < ", "less"},        {" > ", "more"},
                     {" <= ", "less_equal"}, {" >= ", "more_equal"}, {" & ", "and"},
                     {" | ", "or"},          {" % ", "remainder"},   {" // ", "quotient"}};
    const char *open = strchr(call, '('), *point;
    const char *bracket = strchr(call, '[');
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const char *at = strstr(call, operators[i].sign);
        if (at != NULL && (open == NULL || at < open)) return operators[i].name;
    }
    if (bracket != NULL && (open == NULL || bracket < open)) return "index";
    if (open == call || (open == NULL && strchr(call, '.') == NULL))
        return call[0] == '-' ? "negative" : call[0] == '~' ? "not" : "value";
    const char *end = open != NULL ? open : call + strlen(call);
    for (point = end; point > call && point[-1] != '.';) point--;
    return text_safe_bytes(arena, point, (size_t)(end - point));
}

// The path of a module from the module around its call: "mlp" of "model.layers.1.mlp".
static const char *name_of_call(const struct recording *recording, int64_t number) {
    const struct recorded_call *call = &recording->calls[number];
    const char *outer = call->outer >= 0 ? recording->calls[call->outer].module : "";
    const size_t length = strlen(outer);
    const bool is_inside = length > 0 && strncmp(call->module, outer, length) == 0;
    return is_inside && call->module[length] == '.' ? call->module + length + 1 : call->module;
}

// The name of one of several results, of "queries, keys, values"; without as many names, its place behind them.
static const char *name_among(struct arena *arena, const char *names, int count, int result) {
    int commas = 0;
    for (const char *at = names; *at != '\0'; at++) commas += *at == ',';
    if (commas + 1 != count) return arena_format(arena, "%s[%d]", names, result);
    for (; result > 0; result--) names = strchr(names, ',') + 1;
    names += strspn(names, " (");
    return arena_copy_bytes(arena, names, strcspn(names, ",)"));
}

// A variable, or the piece of the line that computed it, such as keys.T; NULL: none is known that is short.
static const char *name_of_value(struct arena *arena, const struct recorded_run *recorded,
                                 const struct recording *recording, int64_t value) {
    enum { MOST_BYTES = 24 };
    const int maker = recorded->makers[value];
    if (maker < 0) return recording->values[value].name;
    const struct recorded_node *node = &recording->nodes[maker];
    int result = 0;
    while (node->results[result] != value) result++;
    if (node->variable != NULL && node->result_count > 1)
        return name_among(arena, node->variable, node->result_count, result);
    if (node->variable != NULL || node->expression == NULL) return node->variable;
    const char *expression = node->expression;
    const bool is_short = strlen(expression) <= MOST_BYTES && strpbrk(expression, " \n") == NULL;
    return is_short ? expression : NULL;
}

const char *word_for_value(struct arena *arena, const struct recorded_run *recorded,
                           const struct recording *recording, int64_t value) {
    const char *name = name_of_value(arena, recorded, recording, value);
    return name != NULL ? name : arena_format(arena, "v%" PRId64, value);
}

const char *name_of_node(struct arena *arena, const struct recorded_run *recorded,
                         const struct recording *recording, const struct recorded_node *node,
                         int result) {
    const char *name = "value";
    if (node->variable != NULL && *node->variable != '\0')
        name = node->variable;
    else if (node->gradient_of >= 0)
        name = arena_format(arena, "%s.grad",
                            word_for_value(arena, recorded, recording, node->gradient_of));
    else if (node->call != NULL)
        name = operation_of(arena, node->call);
    else if (node->ends >= 0)
        name = name_of_call(recording, node->ends);
    name = text_safe(arena, *name != '\0' ? name : "result");
    return node->result_count > 1 ? name_among(arena, name, node->result_count, result) : name;
}

// The operation with names in the place of its values.
const char *call_in_names(struct arena *arena, const struct recorded_run *recorded,
                          const struct recording *recording, const char *call) {
    struct text text = text_new(arena);
    char before = ' ';
    text_add(&text, "");
    for (const char *at = call; *at != '\0'; before = *at++) {
        size_t length = 1;
        const bool begins = strchr("_.", before) == NULL || before == '\0';
        const int64_t value = *at == 'v' && begins ? value_named_at(at, &length) : -1;
        const bool is_value = value >= 0 && value < recording->value_count;
        const char *name = is_value ? name_of_value(arena, recorded, recording, value) : NULL;
        if (!is_value) length = 1;
        if (name != NULL)
            text_add(&text, text_safe(arena, name));
        else
            text_add_bytes(&text, at, length);
        at += length - 1;
    }
    return text_safe(arena, text.bytes);
}
