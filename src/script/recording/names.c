#include "script/recording/recorded.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

// The operation of a line: "softmax" of "torch.softmax(v3, dim=-1)", "matmul" of "v3 @ v4".
const char *operation_of(struct arena *arena, const char *call) {
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

// Is it more than a name or a call: is there a blank outside of all brackets?
static bool has_operator(const char *expression) {
    int depth = 0;
    for (const char *at = expression; *at != '\0'; at++) {
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        if (*at == ' ' && depth == 0) return true;
    }
    return false;
}

// A piece of a line, if it is short; in brackets where it needs them.
static const char *short_piece(struct arena *arena, const char *expression) {
    enum { MOST_BYTES = 40 };
    if (expression == NULL || strlen(expression) > MOST_BYTES || strchr(expression, '\n') != NULL)
        return NULL;
    return has_operator(expression) ? arena_format(arena, "(%s)", expression) : expression;
}

// A variable, of the line or of the call that gave the value, or the piece of the line that computed it, such as keys.T; NULL:
// none is known that is short.
static const char *name_of_value(struct arena *arena, const struct recorded_run *recorded,
                                 const struct recording *recording, int64_t value) {
    enum { MOST_WRITES = 64 };
    for (int i = 0; i < MOST_WRITES && recorded->makers[value] >= 0; i++) {
        const struct recorded_node *node = &recording->nodes[recorded->makers[value]];
        if (node->variable != NULL || node->writes < 0) break;
        value = node->writes; // it is called as before it was written
    }
    const int maker = recorded->makers[value], namer = recorded->namers[value];
    if (maker < 0) return recording->values[value].name;
    const struct recorded_node *node = &recording->nodes[maker];
    int result = 0;
    while (node->results[result] != value) result++;
    if (node->variable != NULL && node->result_count > 1)
        return name_among(arena, node->variable, node->result_count, result);
    if (node->variable != NULL) return node->variable;
    return namer >= 0 ? recording->nodes[namer].variable : short_piece(arena, node->expression);
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

// Does the bracket that it begins with end at its end?
static bool is_in_brackets(const char *name) {
    int depth = 0;
    const char *at = name;
    if (*name != '(') return false;
    do {
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        at++;
    } while (depth > 0 && *at != '\0');
    return *at == '\0';
}

// An argument of its own needs no brackets.
static const char *without_brackets(struct arena *arena, const char *name, char before,
                                    char behind) {
    const bool is_alone = before == '(' && (behind == ',' || behind == ')');
    return is_alone && is_in_brackets(name) ? arena_copy_bytes(arena, name + 1, strlen(name) - 2)
                                            : name;
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
            text_add(&text, text_safe(arena, without_brackets(arena, name, before, at[length])));
        else
            text_add_bytes(&text, at, length);
        at += length - 1;
    }
    return text_safe(arena, text.bytes);
}
