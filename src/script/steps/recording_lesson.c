#include "script/steps/recording_lesson.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "script/machine.h"
#include "script/steps/words.h"
#include "script/torch/tensor_object.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

enum {
    MOST_OPERANDS = 64,
    MOST_AT_ONCE =
        1 << 21,           // numbers of a recording whose steps are all explained when it is opened
    MOST_WALKED = 1 << 16, // storages looked at behind a result
    TITLE_COLUMNS = 60
};

struct recording_lesson {
    struct lesson lesson; // first
    struct source source;
    struct recording recording;
};

// Of a run, which keeps it for its steps.
struct recorded_run {
    struct tensor *tensors;          // of the values
    int *makers;                     // node that made each value; -1: it was given
    int *nodes;                      // of the steps; of a given value -1 - the first that reads it
    int *steps;                      // of the nodes: the first; -1: none
    bool *is_shown;                  // of the values that were given: there is a step
    struct recorded_result *results; // of the nodes
    int root_count;                  // calls outside of all others
    struct machine *machine;         // while steps are explained
};

// ---- Numbers ----------------------------------------------------------------------------------------

static bool is_lowest_first(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

static enum dtype dtype_of(const struct element_type *type, enum narrow *narrow) {
    static const struct {
        const char *name;
        enum dtype dtype;
        enum narrow narrow;
    } types[] = {{"F32", FLOAT32, ALL_BITS},  {"F64", FLOAT64, ALL_BITS}, {"F16", FLOAT32, FLOAT16},
                 {"BF16", FLOAT32, BFLOAT16}, {"I64", INT64, ALL_BITS},   {"I32", INT32, ALL_BITS},
                 {"I16", INT32, INT16},       {"I8", INT32, INT8},        {"U8", INT32, UINT8},
                 {"BOOL", BOOL, ALL_BITS}};
    size_t i = 0;
    while (strcmp(types[i].name, type->name) != 0) i++;
    *narrow = types[i].narrow;
    return types[i].dtype;
}

// Its numbers stay where they are if memory can hold them as the file does.
static struct tensor stored_tensor(struct arena *arena, const struct recorded_value *value) {
    const struct elements *elements = &value->elements;
    enum narrow narrow, own;
    const enum dtype dtype = dtype_of(value->type, &narrow);
    const size_t width = elements->type->width;
    const bool is_as_stored = dtype == dtype_of(elements->type, &own) && own == ALL_BITS &&
                              width == bytes_of_number(dtype) && is_lowest_first() &&
                              (uintptr_t)elements->bytes % width == 0;
    struct tensor tensor = tensor_new(arena, dtype, NO_DIMS);
    struct storage *storage = tensor.storage;
    storage->count = count_of(value->shape);
    storage->shape = value->shape;
    storage->narrow = narrow;
    if (is_as_stored) {
        storage->data = (void *)(uintptr_t)elements->bytes;
    } else {
        storage->data = arena_array(arena, (size_t)storage->count, bytes_of_number(dtype));
        for (int64_t i = 0; i < storage->count; i++)
            put_number(storage, i,
                       number_of_bits(elements->type->kind, width,
                                      bits_at(elements->bytes + (size_t)i * width, width, false)));
    }
    return tensor_over(storage, value->shape);
}

// Numbers that were left out: one nan, seen everywhere.
static struct tensor absent_tensor(struct arena *arena, const struct recorded_value *value) {
    enum narrow narrow;
    struct tensor tensor = tensor_new(arena, dtype_of(value->type, &narrow), NO_DIMS);
    put_number(tensor.storage, 0, is_floating(tensor.storage->dtype) ? (double)NAN : 0);
    tensor.ndim = value->shape.ndim;
    for (int dim = 0; dim < tensor.ndim; dim++) tensor.shape[dim] = value->shape.size[dim];
    return tensor;
}

static struct tensor view_tensor(const struct tensor *whole, const struct recorded_value *value) {
    struct tensor tensor = *whole;
    tensor.ndim = value->shape.ndim;
    tensor.offset = whole->offset + value->offset;
    memset(tensor.axis, 0, sizeof tensor.axis);
    for (int dim = 0; dim < tensor.ndim; dim++) {
        tensor.shape[dim] = value->shape.size[dim];
        tensor.stride[dim] = value->stride[dim];
    }
    return tensor;
}

// ---- Words of the tokens ----------------------------------------------------------------------------

static int tokens_of_sentence(const struct recording *recording) {
    return recording->sentence_count > 0 ? recording->token_count / recording->sentence_count : 0;
}

// The indices along a dimension are the tokens.
static void label_dim(const struct recording *recording, struct tensor *tensor, int dim,
                      enum meaning meaning) {
    const bool has_sentences =
        recording->sentence_count > 1 && dim > 0 && tensor->shape[0] == recording->sentence_count;
    tensor->axis[dim].meaning = meaning;
    if (tensor->shape[dim] != tokens_of_sentence(recording)) return;
    tensor->axis[dim].labels = recording->tokens;
    tensor->axis[dim].apart = has_sentences ? tokens_of_sentence(recording) : 0;
    if (has_sentences) tensor->axis[0].meaning = AXIS_BATCH;
}

// A dimension that is as long as a sentence is one of tokens, but the last only of ids: it mostly counts features.
static void label_tokens(const struct recording *recording, struct tensor *tensor) {
    const int length = tokens_of_sentence(recording);
    const int last = tensor->ndim - 1;
    int dim = tensor->storage->dtype == INT64 ? last : last - 1;
    while (dim >= 0 && tensor->shape[dim] != length) dim--;
    if (dim >= 0 && length > 1) label_dim(recording, tensor, dim, AXIS_TOKEN);
}

// ---- Attention weights ------------------------------------------------------------------------------

// Is it a matrix, for each sentence and head, in which each token shares 1 among the tokens until it?
static bool are_weights(const struct recording *recording, const struct recorded_node *node,
                        const struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    const int length = tokens_of_sentence(recording);
    const bool is_softmax =
        node->call != NULL && node->result_count == 1 && strstr(node->call, "softmax(") != NULL;
    if (!is_softmax || last < 1 || last > 3 || strstr(node->call, "log_softmax") != NULL)
        return false;
    const bool is_square = tensor->shape[last] == tensor->shape[last - 1];
    return length > 0 ? is_square && tensor->shape[last] == length : is_square;
}

// A tensor with a row for each query and a column for each key.
static void label_keys(const struct recording *recording, struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    label_dim(recording, tensor, last, AXIS_KEY);
    label_dim(recording, tensor, last - 1, AXIS_QUERY);
    if (last == 3) tensor->axis[0].meaning = AXIS_BATCH;
    if (last == 3) tensor->axis[1].meaning = AXIS_HEAD;
    if (last == 2)
        tensor->axis[0].meaning =
            tensor->shape[0] == recording->sentence_count ? AXIS_BATCH : AXIS_HEAD;
}

// What the weights were computed from, number by number, has the same rows and columns: scores, scaled or masked, and masks. A
// product of matrices ends that: queries and keys have features.
static void label_back(const struct recorded_run *recorded, const struct recording *recording,
                       const struct recorded_node *node, int depth) {
    int64_t operands[MOST_OPERANDS];
    const struct tensor *result = &recorded->tensors[node->results[0]];
    const int last = result->ndim - 1;
    const bool is_product = node->call == NULL || strstr(node->call, "@") != NULL ||
                            strstr(node->call, "matmul(") != NULL ||
                            strstr(node->call, "mm(") != NULL;
    const int count =
        is_product ? 0
                   : operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    for (int i = 0; i < count && depth > 0; i++) {
        struct tensor *operand = &recorded->tensors[operands[i]];
        const int own = operand->ndim - 1, maker = recorded->makers[operands[i]];
        if (own < 1 || operand->axis[own].meaning == AXIS_KEY ||
            operand->shape[own] != result->shape[last] ||
            operand->shape[own - 1] != result->shape[last - 1])
            continue;
        label_keys(recording, operand);
        if (maker >= 0) label_back(recorded, recording, &recording->nodes[maker], depth - 1);
    }
}

// Softmax over keys makes attention weights; whoever reads a run finds them by their role, and their axes.
static void note_weights(struct recorded_run *recorded, const struct recording *recording) {
    enum { FAR = 6 };
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        struct tensor *tensor =
            node->result_count == 1 ? &recorded->tensors[node->results[0]] : NULL;
        if (tensor == NULL || !are_weights(recording, node, tensor)) continue;
        tensor->storage->purpose.role = ROLE_WEIGHTS;
        label_keys(recording, tensor);
        label_back(recorded, recording, node, FAR);
    }
}

// ---- The tensors of a run ---------------------------------------------------------------------------

static void fill_makers(struct recorded_run *recorded, const struct recording *recording) {
    for (int i = 0; i < recording->value_count; i++) recorded->makers[i] = -1;
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        for (int j = 0; j < node->result_count && node->ends < 0; j++)
            if (recorded->makers[node->results[j]] < 0) recorded->makers[node->results[j]] = i;
    }
}

// What is known of a result before its line is evaluated: what the operation was given.
static void note_operands(struct arena *arena, struct recorded_run *recorded,
                          const struct recording *recording, const struct recorded_node *node,
                          int result) {
    int64_t operands[MOST_OPERANDS];
    struct tensor *tensor = &recorded->tensors[result];
    struct operation *row = arena_allocate(arena, sizeof *row);
    struct origin *origin = arena_allocate(arena, sizeof *origin);
    int count = 0;
    if (node->call != NULL)
        count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    if (node->gradient_of >= 0) operands[count++] = node->gradient_of;
    struct tensor *read = arena_array(arena, (size_t)count + 1, sizeof *read);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const struct tensor *operand = &recorded->tensors[operands[i]];
        if (operand->storage != tensor->storage) read[kept++] = *operand;
    }
    row->name = "recorded";
    row->end = "PyTorch computed these numbers; onestep has not computed them again.";
    row->account = given_row.account;
    *origin = (struct origin){.operation = row, .operand_count = kept, .operands = read};
    tensor->storage->origin = origin;
}

static void fill_tensors(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording) {
    struct arena *arena = run->memory;
    for (int i = 0; i < recording->value_count; i++) {
        const struct recorded_value *value = &recording->values[i];
        struct tensor *tensor = &recorded->tensors[i];
        if (value->view_of >= 0)
            *tensor = view_tensor(&recorded->tensors[value->view_of], value);
        else if (value->elements.bytes != NULL)
            *tensor = stored_tensor(arena, value);
        else
            *tensor = absent_tensor(arena, value);
        label_tokens(recording, tensor);
        if (value->view_of < 0 && recorded->makers[i] < 0) {
            struct origin *origin = arena_allocate(arena, sizeof *origin);
            origin->operation = &given_row;
            tensor->storage->origin = origin;
        }
    }
    for (int i = 0; i < recording->value_count; i++)
        if (recording->values[i].view_of < 0 && recorded->makers[i] >= 0)
            note_operands(arena, recorded, recording, &recording->nodes[recorded->makers[i]], i);
}

// ---- The words of a step ----------------------------------------------------------------------------

static const char *last_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return text_safe(arena, slash != NULL ? slash + 1 : path);
}

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

static const char *name_of_node(struct arena *arena, const struct recording *recording,
                                const struct recorded_node *node, int result) {
    const char *name = "value";
    if (node->variable != NULL && *node->variable != '\0')
        name = node->variable;
    else if (node->gradient_of >= 0 && recording->values[node->gradient_of].name != NULL)
        name = arena_format(arena, "%s.grad", recording->values[node->gradient_of].name);
    else if (node->gradient_of >= 0)
        name = arena_format(arena, "v%" PRId64 ".grad", node->gradient_of);
    else if (node->call != NULL)
        name = operation_of(arena, node->call);
    else if (node->ends >= 0)
        name = name_of_call(recording, node->ends);
    name = text_safe(arena, *name != '\0' ? name : "result");
    return node->result_count > 1 ? name_among(arena, name, node->result_count, result) : name;
}

static const char *line_of_file(struct arena *arena, const struct recorded_file *file,
                                int64_t line) {
    const char *at = place_in_source(file->text, (int)(line > 0 && line < INT32_MAX ? line : 1), 0);
    return at == NULL || *at == '\0' ? "" : text_safe_bytes(arena, at, strcspn(at, "\n"));
}

static const char *place_of_node(struct arena *arena, const struct recording *recording,
                                 const struct recorded_node *node) {
    return node->file < 0
               ? "no line is known"
               : arena_format(arena, "%s:%" PRId64,
                              last_name(arena, recording->files[node->file].name), node->line);
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

// The operation with names in the place of its values.
static const char *call_in_names(struct arena *arena, const struct recorded_run *recorded,
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

static const char *sentence_of(struct arena *arena, const struct recorded_result *result) {
    switch (result->agreement) {
    case SAME_BITS:
        return "onestep's own arithmetic gives these numbers, every bit.";
    case WITHIN_TYPE:
        return arena_format(arena,
                            "onestep's own arithmetic gives these numbers but for rounding: the "
                            "largest difference is %.2g.",
                            result->difference);
    case DIFFERENT:
        return arena_format(arena,
                            "onestep's own arithmetic gives other numbers from these operands: "
                            "the largest difference is %.2g.",
                            result->difference);
    case NOT_KNOWN:
        return arena_format(arena,
                            "onestep has not computed these numbers again%s%s. It shows what the "
                            "operation was given.",
                            result->why != NULL ? ": " : "",
                            result->why != NULL ? result->why : "");
    case NOT_COMPARED:
        break;
    }
    return "";
}

// Of each step its own, so that what its explanation says can still change.
static struct paragraph *paragraph_of_node(struct arena *arena, const struct recorded_run *recorded,
                                           const struct recording *recording,
                                           const struct recorded_node *node) {
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    struct excerpt *excerpt = arena_allocate(arena, sizeof *excerpt);
    const char *line =
        node->file >= 0 ? line_of_file(arena, &recording->files[node->file], node->line) : "";
    line += strspn(line, " \t");
    if (*line == '\0' && node->call != NULL)
        line = call_in_names(arena, recorded, recording, node->call);
    const int number = (int)(node->line < INT32_MAX ? node->line : 0);
    *excerpt = (struct excerpt){number, number, number, number, arena_format(arena, "%s\n", line)};
    const char *module = node->module != NULL && *node->module != '\0'
                             ? arena_format(arena, ", in %s", text_safe(arena, node->module))
                             : "";
    *paragraph = (struct paragraph){
        .file =
            node->file >= 0 ? last_name(arena, recording->files[node->file].name) : "recording.py",
        .title = arena_format(arena, "%s%s", place_of_node(arena, recording, node), module),
        .explanation = "",
        .excerpt_count = 1,
        .excerpts = excerpt,
    };
    return paragraph;
}

static const char *explanation_of(struct arena *arena, const struct recorded_run *recorded,
                                  const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    const char *result = sentence_of(arena, &recorded->results[number]);
    const char *what = "";
    if (node->raised != NULL)
        return arena_format(arena, "The run ends here: it raised %s.",
                            text_safe(arena, node->raised));
    if (node->ends >= 0)
        what = arena_format(arena, "The call of %s gives this.",
                            *recording->calls[node->ends].module != '\0'
                                ? text_safe(arena, recording->calls[node->ends].module)
                                : "the model");
    else if (node->changed_by >= 0)
        what = "An operation on another view has changed these numbers.";
    else if (node->gradient_of >= 0)
        what = "The gradient of the loss, as PyTorch gave it.";
    else if (node->call != NULL)
        what = arena_format(arena, "PyTorch ran: %s.",
                            call_in_names(arena, recorded, recording, node->call));
    return *result != '\0' ? arena_format(arena, "%s %s", what, result) : what;
}

// ---- Groups ----------------------------------------------------------------------------------------

static bool are_alike(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// The name of each call; a module that is called again has a number.
static const char **groups_of(struct arena *arena, const struct recording *recording) {
    const char **groups = arena_array(arena, (size_t)recording->call_count + 1, sizeof *groups);
    for (int i = 0; i < recording->call_count; i++) {
        const struct recorded_call *call = &recording->calls[i];
        const char *name = *call->module != '\0' ? call->module : call->class;
        int before = 0;
        for (int j = 0; j < i; j++)
            before += are_alike(recording->calls[j].module, call->module) &&
                      are_alike(recording->calls[j].class, call->class);
        name = text_safe(arena, *name != '\0' ? name : "model");
        groups[i] = before > 0 ? arena_format(arena, "%s (%d)", name, before + 1) : name;
    }
    return groups;
}

// The group of a parameter: its module, "transformer.h.0.attn"; NULL of what has no module.
static const char *group_of_given(struct arena *arena, const struct recording *recording,
                                  const char **groups, const char *name) {
    const char *point = strrchr(name, '.');
    if (point == NULL) return NULL;
    const char *module = arena_copy_bytes(arena, name, (size_t)(point - name));
    for (int i = 0; i < recording->call_count; i++)
        if (strcmp(recording->calls[i].module, module) == 0) return groups[i];
    return text_safe(arena, module);
}

// How often a step before this one has its name, in its group.
static int namesakes(const struct run *run, const char *group, const char *name) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const size_t length = strlen(name);
        if (step->group != group || strncmp(step->name, name, length) != 0) continue;
        count += step->name[length] == '\0' || strncmp(step->name + length, " (", 2) == 0;
    }
    return count;
}

// The number, from 1, of the step that shows the result of the call around a node; 0: none does. Of a run that is one call, the
// steps of this call are the walk.
static int within_of(const struct recorded_run *recorded, const struct recording *recording,
                     const int *closers, const struct recorded_node *node, int number) {
    for (int64_t call = node->in; call >= 0; call = recording->calls[call].outer) {
        const bool is_walk = recorded->root_count == 1 && recording->calls[call].outer < 0;
        const int closer = closers[call] >= 0 ? recorded->steps[closers[call]] + 1 : 0;
        if (closer > number && !is_walk) return closer;
    }
    return 0;
}

// ---- Steps --------------------------------------------------------------------------------------------

static void add_step(struct run *run, struct recorded_run *recorded,
                     const struct recording *recording, const char *group, int number, int result) {
    struct arena *arena = run->memory;
    const struct recorded_node *node = &recording->nodes[number];
    const char *name = name_of_node(arena, recording, node, result);
    const int before = namesakes(run, group, name);
    struct paragraph *paragraph = paragraph_of_node(arena, recorded, recording, node);
    const char *line = paragraph->excerpts->text;
    if (before > 0) name = arena_format(arena, "%s (%d)", name, before + 1);
    paragraph->explanation = explanation_of(arena, recorded, recording, number);
    const char *formula = node->call != NULL ? call_in_names(arena, recorded, recording, node->call)
                                             : arena_copy_bytes(arena, line, strlen(line) - 1);
    const struct step step = {
        .name = name,
        .group = group,
        .formula = formula,
        .statement = arena_copy_bytes(arena, line, strlen(line) - 1),
        .expression = name,
        .paragraph = paragraph,
        .excerpt = paragraph->excerpts,
        .tensor = recorded->tensors[node->results[result]],
    };
    recorded->nodes[run->step_count] = number;
    record_as(run, &step);
}

// A parameter or an input, before the first operation that reads it.
static void add_given(struct run *run, struct recorded_run *recorded,
                      const struct recording *recording, const char **groups, int64_t value,
                      int number) {
    struct arena *arena = run->memory;
    if (recording->values[value].view_of >= 0) value = recording->values[value].view_of;
    const char *name = recording->values[value].name;
    if (recorded->makers[value] >= 0 || recorded->is_shown[value] || name == NULL) return;
    recorded->is_shown[value] = true;
    const char *group = group_of_given(arena, recording, groups, name);
    const char *point = strrchr(name, '.');
    const char *own = text_safe(arena, point != NULL ? point + 1 : name);
    const int before = namesakes(run, group, own);
    struct excerpt *excerpt = arena_allocate(arena, sizeof *excerpt);
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    *excerpt = (struct excerpt){.text = ""};
    *paragraph = (struct paragraph){
        .file = "recording.py",
        .title = text_safe(arena, name),
        .explanation = group != NULL ? "The numbers of the model, as they were when it ran."
                                     : "These numbers were given to the run.",
        .excerpt_count = 1,
        .excerpts = excerpt,
    };
    const struct step step = {
        .name = before > 0 ? arena_format(arena, "%s (%d)", own, before + 1) : own,
        .group = group,
        .formula = text_safe(arena, name),
        .statement = "",
        .expression = own,
        .paragraph = paragraph,
        .excerpt = excerpt,
        .tensor = recorded->tensors[value],
    };
    recorded->nodes[run->step_count] = -1 - number;
    record_as(run, &step);
}

static void add_operands(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording, const char **groups, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    int64_t operands[MOST_OPERANDS];
    const int count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    for (int i = 0; i < count; i++)
        add_given(run, recorded, recording, groups, operands[i], number);
}

// The step that shows the result of the line which first reads a parameter stands around it.
static int within_of_step(const struct recorded_run *recorded, const struct recording *recording,
                          const int *closers, const struct step *step) {
    const int node = recorded->nodes[step->number - 1];
    if (node >= 0)
        return within_of(recorded, recording, closers, &recording->nodes[node], step->number);
    return step->group != NULL ? recorded->steps[-1 - node] + 1 : 0;
}

static void add_steps(struct run *run, struct recorded_run *recorded,
                      const struct recording *recording) {
    struct arena *arena = run->memory;
    const char **groups = groups_of(arena, recording);
    int *closers = arena_array(arena, (size_t)recording->call_count + 1, sizeof *closers);
    for (int i = 0; i < recording->call_count; i++) {
        closers[i] = -1;
        recorded->root_count += recording->calls[i].outer < 0;
    }
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        const char *group = node->in >= 0 ? groups[node->in] : NULL;
        if (node->call != NULL && node->result_count > 0)
            add_operands(run, recorded, recording, groups, i);
        recorded->steps[i] = node->result_count > 0 ? run->step_count : -1;
        if (node->ends >= 0 && node->result_count > 0) closers[node->ends] = i;
        for (int j = 0; j < node->result_count; j++)
            add_step(run, recorded, recording, group, i, j);
    }
    for (int i = 0; i < run->step_count; i++)
        run->steps[i].within = within_of_step(recorded, recording, closers, &run->steps[i]);
}

// ---- Evaluating a line ------------------------------------------------------------------------------

static void watch_nothing(void *context, const struct event *event) {
    (void)context;
    (void)event;
}

static void print_nothing(void *context, const char *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static void free_machine(void *context) {
    machine_free(context);
}

static void run_text(struct machine *machine, struct arena *arena, const char *text) {
    struct syntax_error error;
    const struct program program = parse_program(arena, "recording", text, &error);
    if (error.message == NULL) (void)machine_run(machine, &program);
}

static struct machine *machine_for(struct arena *arena) {
    const struct machine_options options = {.observe = watch_nothing, .print = print_nothing};
    struct machine *machine = machine_new(arena, &options);
    run_text(machine, arena, "import torch\nimport math\ninf = float('inf')\nnan = float('nan')\n");
    return machine;
}

// The place of `k` in the values is the name "vk" of a variable of the machine.
static void bind_operands(struct recorded_run *recorded, int count, const int64_t *operands,
                          struct arena *arena) {
    struct module *main = machine_module(recorded->machine, "__main__");
    for (int i = 0; i < count; i++)
        module_set(recorded->machine, main, arena_format(arena, "v%" PRId64, operands[i]),
                   tensor_value(recorded->machine, recorded->tensors[operands[i]], false));
}

// What the machine kept with a tensor's storage goes with the machine.
static void forget_keepers(struct recorded_run *recorded, int count, const int64_t *operands) {
    for (int i = 0; i < count; i++) recorded->tensors[operands[i]].storage->keeper = NULL;
}

// Is a number behind the result drawn, among what was computed just now?
static bool draws(const struct tensor *result, uint64_t age) {
    const struct tensor *at = result;
    for (int i = 0; i < MOST_WALKED && at->storage->age > age; i++) {
        const struct origin *origin = at->storage->origin;
        if (origin == NULL) return false;
        if (origin->operation->draws) return true;
        if (origin->operand_count == 0) return false;
        for (int j = 1; j < origin->operand_count; j++) {
            const struct origin *other = origin->operands[j].storage->origin;
            if (other != NULL && origin->operands[j].storage->age > age && other->operation->draws)
                return true;
        }
        at = &origin->operands[0];
    }
    return false;
}

// How far numbers of the type may lie apart by rounding, as a part of the largest of them.
static double rounding_of(const struct storage *storage) {
    enum { TIMES = 4 };
    if (!is_floating(storage->dtype)) return 0;
    if (storage->dtype == FLOAT64) return TIMES * ROUNDING * ROUNDING;
    if (storage->narrow == BFLOAT16) return TIMES * 0x1p-9;
    return storage->narrow == FLOAT16 ? TIMES * 0x1p-12 : TIMES * ROUNDING;
}

static void compare(struct recorded_result *result, const struct tensor *own,
                    const struct tensor *recorded) {
    const struct shape shape = shape_of(recorded);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    double largest = 0;
    bool is_same = true, is_near = true;
    result->difference = 0;
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const double a = element(own, index), b = element(recorded, index);
        if (isfinite(b) && fabs(b) > largest) largest = fabs(b);
        if (a == b || (isnan(a) && isnan(b))) continue;
        is_same = false;
        if (!isfinite(a) || !isfinite(b)) is_near = false;
        if (!(fabs(a - b) <= result->difference)) result->difference = fabs(a - b);
    }
    is_near = is_near && result->difference <= rounding_of(recorded->storage) * largest;
    const enum agreement agreement = is_same ? SAME_BITS : is_near ? WITHIN_TYPE : DIFFERENT;
    if (agreement > result->agreement) result->agreement = agreement;
}

// The recorded numbers get the origin of those that were computed.
static void take_origin(struct tensor *recorded, const struct tensor *own) {
    struct tensor whole = *own;
    const bool is_whole =
        is_contiguous(own) && own->offset == 0 && own->storage->count == count_of(shape_of(own));
    if (!is_whole) whole = perform_on(ONE(*own), (struct origin){.operation = &copy_row});
    if (whole.storage->origin == NULL || whole.storage == recorded->storage) return;
    *(struct origin *)(uintptr_t)recorded->storage->origin = *whole.storage->origin;
    if (role_of(recorded) == ROLE_NONE) recorded->storage->purpose = whole.storage->purpose;
}

static void take_result(struct run *run, struct recorded_run *recorded,
                        const struct recording *recording, int number, int position,
                        struct value value, uint64_t age) {
    struct recorded_result *result = &recorded->results[number];
    const int64_t place = recording->nodes[number].results[position];
    struct tensor *tensor = &recorded->tensors[place];
    if (!is_tensor_value(value)) {
        result->agreement = NOT_KNOWN;
        return;
    }
    const struct tensor own = tensor_of_object((const struct tensor_object *)value.object);
    if (own.storage->dtype != tensor->storage->dtype) {
        result->why = "its result has another type here";
        result->agreement = NOT_KNOWN;
        return;
    }
    if (!shapes_equal(shape_of(&own), shape_of(tensor)) || draws(&own, age)) {
        result->why = draws(&own, age) ? "the operation draws random numbers"
                                       : "its result has another shape here";
        result->agreement = NOT_KNOWN;
        return;
    }
    if (own.storage == tensor->storage) { // a view
        tensor->view = own.view;
        return;
    }
    if (recording->values[place].elements.bytes == NULL && recording->values[place].view_of < 0)
        return; // its numbers were left out
    compare(result, &own, tensor);
    if (recording->values[place].view_of < 0) take_origin(tensor, &own);
    (void)run;
}

// Where the line fails, that is what is known.
static void note_failure(struct arena *arena, struct recorded_result *result,
                         struct machine *machine) {
    const char *message = machine_error_message(machine, arena);
    result->agreement = NOT_KNOWN;
    result->why = text_cut(arena, text_safe_bytes(arena, message, strcspn(message, "\n")), 80);
}

// Under autocast PyTorch casts floating operands to the type that the operation computes in, which its result has.
static void cast_operands(struct recorded_run *recorded, const struct recording *recording,
                          const struct recorded_node *node, int count, const int64_t *operands,
                          struct arena *arena) {
    const char *type = recording->values[node->results[0]].type->dtype;
    for (int i = 0; i < count && node->autocast != NULL; i++) {
        if (!is_floating(recorded->tensors[operands[i]].storage->dtype)) continue;
        run_text(recorded->machine, arena,
                 arena_format(arena, "v%" PRId64 " = v%" PRId64 ".to(torch.%s)\n", operands[i],
                              operands[i], type));
    }
}

// The value of a line: of an expression its own, of a statement that writes in place that of what it wrote. False: it failed.
static bool value_of_line(struct recorded_run *recorded, const struct recorded_node *node,
                          struct arena *arena, struct value *value) {
    struct syntax_error error;
    struct program line = parse_program(arena, "recording", node->call, &error);
    const struct node *tree = error.message == NULL ? line.tree : NULL;
    const bool is_expression =
        tree != NULL && tree->part_count == 1 && tree->parts[0]->kind == NODE_EXPRESSION;
    if (tree == NULL) return false;
    if (is_expression) return machine_evaluate(recorded->machine, &line, value);
    if (node->writes < 0 || !machine_run(recorded->machine, &line)) return false;
    line =
        parse_program(arena, "recording", arena_format(arena, "v%" PRId64, node->writes), &error);
    return machine_evaluate(recorded->machine, &line, value);
}

static bool are_numbers_there(const struct recording *recording, int count,
                              const int64_t *operands) {
    for (int i = 0; i < count; i++) {
        const struct recorded_value *value = &recording->values[operands[i]];
        if (value->view_of >= 0) value = &recording->values[value->view_of];
        if (value->elements.bytes == NULL) return false;
    }
    return true;
}

static void take_results(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording, int number, struct value value,
                         uint64_t age) {
    const struct recorded_node *node = &recording->nodes[number];
    struct list *list;
    if (node->result_count == 1 && is_tensor_value(value)) {
        take_result(run, recorded, recording, number, 0, value, age);
        return;
    }
    const bool has_items = machine_list_of(recorded->machine, value, &list);
    for (int i = 0; i < node->result_count; i++)
        take_result(run, recorded, recording, number, i,
                    has_items && i < list->count ? list->items[i] : NO_VALUE, age);
}

static void evaluate(struct run *run, struct recorded_run *recorded,
                     const struct recording *recording, int number) {
    struct arena *arena = run->memory;
    const struct recorded_node *node = &recording->nodes[number];
    struct recorded_result *result = &recorded->results[number];
    int64_t operands[MOST_OPERANDS];
    const int count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    struct value value = NO_VALUE;
    if (!are_numbers_there(recording, count, operands)) {
        *result = (struct recorded_result){.agreement = NOT_KNOWN,
                                           .why = "numbers that it read were left out"};
        return;
    }
    bind_operands(recorded, count, operands, arena);
    cast_operands(recorded, recording, node, count, operands, arena);
    const uint64_t age = tensor_new(arena, FLOAT32, NO_DIMS).storage->age;
    if (value_of_line(recorded, node, arena, &value))
        take_results(run, recorded, recording, number, value, age);
    else
        note_failure(arena, result, recorded->machine);
    forget_keepers(recorded, count, operands);
}

// ---- Explaining a step ------------------------------------------------------------------------------

static void explain_node(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    if (node->call == NULL || node->result_count == 0 ||
        recorded->results[number].agreement != NOT_COMPARED)
        return;
    evaluate(run, recorded, recording, number);
    for (int j = 0; j < node->result_count; j++) {
        const int at = recorded->steps[number] + j;
        struct step *step = &run->steps[at];
        struct paragraph *paragraph = (struct paragraph *)(uintptr_t)step->paragraph;
        paragraph->explanation = explanation_of(run->memory, recorded, recording, number);
        step->tensor.view = recorded->tensors[node->results[j]].view;
    }
}

// The node that computed what a step shows, which may be a view of an earlier result.
static int node_behind(const struct recorded_run *recorded, const struct recording *recording,
                       int64_t value) {
    if (recording->values[value].view_of >= 0) value = recording->values[value].view_of;
    return recorded->makers[value];
}

static struct recorded_run *recorded_run_of(const struct run *run);

static void explain_some(struct run *run, int first, int last) {
    struct recorded_run *recorded = recorded_run_of(run);
    const struct recording *recording = recording_of(run->lesson);
    struct cleanup cleanup;
    recorded->machine = machine_for(run->memory);
    cleanup_open(&cleanup, run->memory->failure, free_machine, recorded->machine);
    for (int i = first; i <= last; i++) {
        if (recorded->nodes[i] < 0) continue;
        const struct recorded_node *node = &recording->nodes[recorded->nodes[i]];
        for (int j = 0; j < node->result_count; j++) {
            const int behind = node_behind(recorded, recording, node->results[j]);
            if (behind >= 0) explain_node(run, recorded, recording, behind);
        }
        explain_node(run, recorded, recording, recorded->nodes[i]);
    }
    cleanup_close(&cleanup);
    recorded->machine = NULL;
}

static bool is_explained(const struct recorded_run *recorded, const struct recording *recording,
                         int step) {
    const int number = recorded->nodes[step];
    if (number < 0) return true;
    const struct recorded_node *node = &recording->nodes[number];
    const int behind = node_behind(recorded, recording, node->results[0]);
    const bool is_own = node->call == NULL || recorded->results[number].agreement != NOT_COMPARED;
    return is_own && (behind < 0 || recording->nodes[behind].call == NULL ||
                      recorded->results[behind].agreement != NOT_COMPARED);
}

static void explain(struct run *run, int step) {
    if (!is_explained(recorded_run_of(run), recording_of(run->lesson), step))
        explain_some(run, step, step);
}

struct recorded_result recorded_result(struct run *run, int step) {
    const struct recorded_run *recorded = recorded_run_of(run);
    if (recorded->nodes[step] < 0) return (struct recorded_result){.agreement = NOT_COMPARED};
    explain(run, step);
    return recorded->results[recorded->nodes[step]];
}

// ---- The lesson --------------------------------------------------------------------------------------

static int64_t numbers_of(const struct recording *recording) {
    int64_t count = 0;
    for (int i = 0; i < recording->value_count; i++)
        if (recording->values[i].view_of < 0) count += count_of(recording->values[i].shape);
    return count;
}

static int results_of(const struct recording *recording) {
    int count = 0;
    for (int i = 0; i < recording->node_count; i++) count += recording->nodes[i].result_count;
    return count;
}

static void teach_recording(struct run *run) {
    struct arena *arena = run->memory;
    const struct recording *recording = recording_of(run->lesson);
    const size_t values = (size_t)recording->value_count, nodes = (size_t)recording->node_count;
    const int results = results_of(recording);
    struct recorded_run *recorded = arena_allocate(arena, sizeof *recorded);
    recorded->tensors = arena_array(arena, values + 1, sizeof *recorded->tensors);
    recorded->makers = arena_array(arena, values + 1, sizeof *recorded->makers);
    recorded->is_shown = arena_array(arena, values + 1, sizeof *recorded->is_shown);
    recorded->nodes = arena_array(arena, (size_t)results + values + 1, sizeof *recorded->nodes);
    recorded->steps = arena_array(arena, nodes + 1, sizeof *recorded->steps);
    recorded->results = arena_array(arena, nodes + 1, sizeof *recorded->results);
    run->recorded = recorded;
    fill_makers(recorded, recording);
    fill_tensors(run, recorded, recording);
    note_weights(recorded, recording);
    add_steps(run, recorded, recording);
    if (run->step_count == 0)
        fail(arena->failure, FAIL_INPUT, "%s has no operation with a result, so there is no step",
             recording->reading.name);
    if (numbers_of(recording) <= MOST_AT_ONCE) explain_some(run, 0, run->step_count - 1);
}

static struct recorded_run *recorded_run_of(const struct run *run) {
    return run->recorded;
}

const struct recording *recording_of(const struct lesson *lesson) {
    return lesson != NULL && lesson->teach == teach_recording
               ? &((const struct recording_lesson *)lesson)->recording
               : NULL;
}

const struct lesson *recording_lesson_new(struct arena *arena, const char *file,
                                          const struct recording *recording) {
    struct recording_lesson *lesson = arena_allocate(arena, sizeof *lesson);
    const char *name = last_name(arena, file), *dot = strrchr(name, '.');
    const size_t stem = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    lesson->recording = *recording;
    lesson->lesson = (struct lesson){
        .name = arena_copy_bytes(arena, name, stem),
        .part = PART_OF_READER,
        .title = text_cut(arena, name, TITLE_COLUMNS),
        .summary = *recording->made_by != '\0'
                       ? arena_format(arena, "A run of a model, recorded by %s.",
                                      text_safe(arena, recording->made_by))
                       : "A run of a model, recorded.",
        .teach = teach_recording,
        .explain = explain,
        .source = &lesson->source,
    };
    return &lesson->lesson;
}
