#include "script/recording/recorded.h"

#include <math.h>
#include <string.h>

#include "script/recording/axes.h"
#include "tensor/file/widened.h"
#include "tensor/operation/account.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"

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
    storage->data =
        is_as_stored ? (void *)(uintptr_t)elements->bytes : widened(arena, storage, *elements);
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

// ---- The tensors of a run ---------------------------------------------------------------------------

static void fill_makers(struct recorded_run *recorded, const struct recording *recording) {
    for (int i = 0; i < recording->value_count; i++) recorded->makers[i] = recorded->namers[i] = -1;
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        for (int j = 0; j < node->result_count && node->ends < 0; j++)
            if (recorded->makers[node->results[j]] < 0) recorded->makers[node->results[j]] = i;
        const bool has_name = node->ends >= 0 && node->result_count == 1 && node->variable != NULL;
        if (has_name && recorded->namers[node->results[0]] < 0)
            recorded->namers[node->results[0]] = i;
    }
}

static double account_of_recorded(struct account *account) {
    const double value = account->derivation->value;
    say(account, "%s is what PyTorch computed", figure(account, value));
    return value;
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
    row->name = node->call != NULL ? operation_of(arena, node->call) : "recorded";
    row->end = "onestep has not computed these numbers again.";
    row->account = account_of_recorded;
    *origin = (struct origin){.operation = row, .operand_count = kept, .operands = read};
    tensor->storage->origin = origin;
}

void fill_tensors(struct run *run, struct recorded_run *recorded,
                  const struct recording *recording) {
    struct arena *arena = run->memory;
    fill_makers(recorded, recording);
    for (int i = 0; i < recording->value_count; i++) {
        const struct recorded_value *value = &recording->values[i];
        struct tensor *tensor = &recorded->tensors[i];
        const bool is_view =
            value->view_of >= 0 && recording->values[value->view_of].elements.bytes != NULL;
        if (is_view)
            *tensor = view_tensor(&recorded->tensors[value->view_of], value);
        else if (value->elements.bytes != NULL)
            *tensor = stored_tensor(arena, value);
        else
            *tensor = absent_tensor(arena, value);
        label_tokens(recording, tensor);
        if (!is_view && (value->view_of >= 0 || recorded->makers[i] < 0)) {
            struct origin *origin = arena_allocate(arena, sizeof *origin);
            origin->operation = &given_row;
            tensor->storage->origin = origin;
        }
    }
    for (int i = 0; i < recording->value_count; i++)
        if (recording->values[i].view_of < 0 && recorded->makers[i] >= 0)
            note_operands(arena, recorded, recording, &recording->nodes[recorded->makers[i]], i);
    note_weights(recorded, recording);
}
