// torch.einsum: letters become dimensions of views; what is left out of the result is summed by one product, as in
// aten/src/ATen/native/Linear.cpp (sumproduct_pair).

#include <string.h>

#include "script/torch/tensor_object.h"
#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"

enum { LETTERS = 52 };
struct letters {
    char text[MAX_DIMS + 1];
    int count;
};

static int place_of(const struct letters *letters, char letter) {
    for (int i = 0; i < letters->count; i++)
        if (letters->text[i] == letter) return i;
    return -1;
}

static struct tensor in_order(struct tensor x, const struct letters *own,
                              const struct letters *wanted) {
    struct tensor result = x;
    result.view = NULL;
    for (int dim = 0; dim < wanted->count; dim++) {
        const int from = place_of(own, wanted->text[dim]);
        result.shape[dim] = x.shape[from];
        result.stride[dim] = x.stride[from];
        result.axis[dim] = x.axis[from];
    }
    return result;
}

static void push(struct torch_call *call, struct letters *letters, char letter) {
    if (letters->count == MAX_DIMS)
        refuse(call, RUNTIME_ERROR, "einsum(): onestep takes at most %d letters", MAX_DIMS);
    letters->text[letters->count++] = letter;
}

struct operand_of_sum {
    struct tensor x;
    struct letters letters;
};

// Letters that nobody needs any more are summed.
static void sum_out(struct operand_of_sum *operand, const char *needed) {
    for (int dim = operand->letters.count - 1; dim >= 0; dim--) {
        if (strchr(needed, operand->letters.text[dim]) != NULL) continue;
        operand->x = operand->x.storage->dtype == FLOAT32 ? sum(operand->x, dim, false)
                                                          : total(operand->x, dim, false);
        memmove(operand->letters.text + dim, operand->letters.text + dim + 1,
                (size_t)(operand->letters.count - dim - 1));
        operand->letters.count--;
    }
}

static int64_t size_of_letters(const struct operand_of_sum *operand,
                               const struct letters *letters) {
    int64_t size = 1;
    for (int i = 0; i < letters->count; i++)
        size *= operand->x.shape[place_of(&operand->letters, letters->text[i])];
    return size;
}

// Batches, rows of the one, columns of the other, and what is summed: one product of matrices.
static struct operand_of_sum multiplied(struct torch_call *call, struct operand_of_sum a,
                                        struct operand_of_sum b, const char *needed) {
    struct letters batch = {0}, rows = {0}, columns = {0}, inner = {0}, left = {0}, right = {0},
                   all = {0};
    struct shape shape = {0};
    for (int i = 0; i < a.letters.count; i++) {
        const char letter = a.letters.text[i];
        const bool is_shared = place_of(&b.letters, letter) >= 0;
        push(call, is_shared ? strchr(needed, letter) != NULL ? &batch : &inner : &rows, letter);
    }
    for (int i = 0; i < b.letters.count; i++)
        if (place_of(&a.letters, b.letters.text[i]) < 0) push(call, &columns, b.letters.text[i]);
    const struct letters *const parts[] = {&batch, &rows, &inner, &columns};
    for (int part = 0; part < 4; part++) {
        for (int i = 0; i < parts[part]->count; i++) {
            const char letter = parts[part]->text[i];
            if (part < 3) push(call, &left, letter);
            if (part != 2) push(call, &all, letter);
            if (part != 2)
                shape.size[shape.ndim++] = part == 3 ? b.x.shape[place_of(&b.letters, letter)]
                                                     : a.x.shape[place_of(&a.letters, letter)];
        }
    }
    const struct letters *const of_right[] = {&batch, &inner, &columns};
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < of_right[part]->count; i++) push(call, &right, of_right[part]->text[i]);
    const int64_t batches = size_of_letters(&a, &batch), n = size_of_letters(&a, &rows),
                  k = size_of_letters(&a, &inner), m = size_of_letters(&b, &columns);
    const struct tensor x = reshape(in_order(a.x, &a.letters, &left), SHAPE(batches, n, k));
    const struct tensor y = reshape(in_order(b.x, &b.letters, &right), SHAPE(batches, k, m));
    const struct tensor product = x.storage->dtype == FLOAT32 ? matmul(x, y) : typed_product(x, y);
    return (struct operand_of_sum){reshape(product, shape), all};
}

// "ik, kj -> ij": the letters of operand number i; returns behind them.
static const char *read_letters(struct torch_call *call, const char *at, struct letters *letters) {
    for (; *at != '\0' && *at != ',' && !(at[0] == '-' && at[1] == '>'); at++) {
        if (*at == ' ') continue;
        if (*at == '.')
            refuse(call, RUNTIME_ERROR, "einsum(): onestep takes letters, without '...'");
        push(call, letters, *at);
    }
    return at;
}

static void check_sizes(struct torch_call *call, const struct operand_of_sum *operands, int count) {
    for (int i = 0; i < count; i++) {
        if (operands[i].letters.count != operands[i].x.ndim)
            refuse(call, RUNTIME_ERROR,
                   "einsum(): the number of subscripts in the equation (%d) does not match the "
                   "number of dimensions (%d) for operand %d and no ellipsis was given",
                   operands[i].letters.count, operands[i].x.ndim, i);
        for (int j = 0; j < operands[i].letters.count; j++) {
            for (int other = 0; other < i; other++) {
                const int at = place_of(&operands[other].letters, operands[i].letters.text[j]);
                if (at >= 0 && operands[other].x.shape[at] != operands[i].x.shape[j])
                    refuse(call, RUNTIME_ERROR,
                           "einsum(): subscript %c has size %lld for operand %d which does not "
                           "broadcast with previously seen size %lld",
                           operands[i].letters.text[j], (long long)operands[i].x.shape[j], i,
                           (long long)operands[other].x.shape[at]);
            }
        }
    }
}

// Without "->": the letters that occur once, in the order of the alphabet.
static void default_result(struct torch_call *call, const struct operand_of_sum *operands,
                           int count, struct letters *result) {
    for (char letter = 'A'; letter <= 'z'; letter++) {
        int times = 0;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < operands[i].letters.count; j++)
                times += operands[i].letters.text[j] == letter;
        if (times == 1) push(call, result, letter);
    }
}

// Each letter of the result stands there once, and in an operand.
static void check_result(struct torch_call *call, const struct operand_of_sum *operands, int count,
                         const struct letters *result) {
    for (int i = 0; i < result->count; i++) {
        const char letter = result->text[i];
        bool is_there = false;
        for (int j = 0; j < count; j++) is_there |= place_of(&operands[j].letters, letter) >= 0;
        if (!is_there)
            refuse(call, RUNTIME_ERROR,
                   "einsum(): output subscript %c does not appear in the equation for any input "
                   "operand",
                   letter);
        if (place_of(result, letter) != i)
            refuse(call, RUNTIME_ERROR,
                   "einsum(): output subscript %c appears more than once in the output", letter);
    }
}

struct tensor einsum(struct torch_call *call) {
    enum { MOST = 4 };
    struct operand_of_sum operands[MOST] = {0};
    struct letters result = {0};
    const struct value *items;
    if (!is_kind(call->values[0], OBJECT_STR))
        refuse(call, TYPE_ERROR, "einsum(): the first argument must be the equation, a str");
    int64_t count = items_of(call, call->values[1], &items);
    if (count == 1 && is_kind(items[0], OBJECT_LIST)) count = items_of(call, items[0], &items);
    if (count < 1 || count > MOST)
        refuse(call, RUNTIME_ERROR, "einsum(): onestep takes one to %d operands", MOST);
    const char *at = ((const struct str *)call->values[0].object)->bytes;
    for (int i = 0; i < count; i++) {
        operands[i].x = tensor_of_value(call, items[i]);
        at = read_letters(call, at, &operands[i].letters);
        if (*at == ',') at++;
    }
    check_sizes(call, operands, (int)count);
    if (at[0] == '-' && at[1] == '>')
        (void)read_letters(call, at + 2, &result);
    else
        default_result(call, operands, (int)count, &result);
    check_result(call, operands, (int)count, &result);
    for (int i = 0; i < count; i++) { // a letter twice in one operand: its diagonal
        struct operand_of_sum *o = &operands[i];
        for (int dim = 0; dim < o->letters.count; dim++) {
            const int first = place_of(&o->letters, o->letters.text[dim]);
            if (first == dim) continue;
            o->x.stride[first] += o->x.stride[dim];
            for (int next = dim; next < o->x.ndim - 1; next++) {
                o->x.shape[next] = o->x.shape[next + 1];
                o->x.stride[next] = o->x.stride[next + 1];
                o->letters.text[next] = o->letters.text[next + 1];
            }
            o->x.ndim--;
            o->letters.count--;
            dim--;
        }
    }
    struct operand_of_sum sum_so_far = operands[0];
    for (int i = 0; i < count; i++) {
        char needed[MOST * MAX_DIMS + MAX_DIMS + 1] = "";
        size_t length = 0;
        for (int j = i + 1; j < count; j++)
            for (int n = 0; n < operands[j].letters.count; n++)
                needed[length++] = operands[j].letters.text[n];
        memcpy(needed + length, result.text, (size_t)result.count);
        needed[length + (size_t)result.count] = '\0';
        if (i == 0) {
            sum_out(&sum_so_far, needed);
            continue;
        }
        char of_both[sizeof needed + MAX_DIMS + 1];
        memcpy(of_both, needed, sizeof needed);
        memcpy(of_both + strlen(needed), sum_so_far.letters.text, (size_t)sum_so_far.letters.count);
        of_both[strlen(needed) + (size_t)sum_so_far.letters.count] = '\0';
        sum_out(&operands[i], of_both);
        sum_so_far = multiplied(call, sum_so_far, operands[i], needed);
    }
    return in_order(sum_so_far.x, &sum_so_far.letters, &result);
}
