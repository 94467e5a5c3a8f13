#ifndef ONESTEP_SCRIPT_TORCH_TENSOR_OBJECT_H
#define ONESTEP_SCRIPT_TORCH_TENSOR_OBJECT_H

// How programs see tensors: the objects, and what all functions of the torch tables have in common. Such a function runs
// inside of one attempt (torch.c): it leaves by refuse(), as an operation leaves by fail(), and what it returns is right.

#include "script/machine.h"
#include "tensor/tensor.h"
#include "tensor/text/format.h"

// When numbers were written in place, among the ages of storages. detach() shares it, as do the cells of storages before.
struct writes {
    uint64_t *ages;
    uint32_t count, room;
};

// What all views of one storage share; storage->keeper. Writing in place gives them another storage where the old one is
// part of the graph of gradients, and writes into it where it is not.
struct tensor_cell {
    struct storage *storage;
    struct writes *writes;
    uint32_t first_version;   // how many there were when the storage became this cell's
    struct tensor_cell *now;  // of a storage before: the cell that was it; else NULL
    struct tensor_cell *twin; // the next of those over the same numbers, a ring; NULL: none
    // For the way back (grad.h): does a gradient go through? May it go once more? The leaf, and who keeps its gradient besides.
    bool flows, is_freed;
    bool is_written,
        is_sliced; // in place under gradients; the last time a part of it, or through a view
    struct tensor_object *leaf, *retained;
    struct tensor_object *first; // whose views all others are; NULL: it is gone
    // Which sweep of the heap saw that it is needed; the next that detach() joined (storages.c).
    uint32_t kept_at;
    struct tensor_cell *next_joined;
};

// What a leaf was.
struct leaf_before {
    struct tensor_cell *cell;
    struct tensor view;
};

struct tensor_object {
    struct object object;
    struct tensor view; // read it by tensor_of_object: its storage may have been replaced
    struct tensor_cell *cell;
    struct leaf_before *before; // its .data was set: an older graph leads there
    bool requires_grad;
    bool is_computed;  // not a leaf: it has a grad_fn
    struct value grad; // NONE_VALUE or a tensor
    struct object
        *grad_fn; // OBJECT_NODE, made when it is asked for (grad.h); NULL: not yet, or a leaf
    const char
        *name; // of its grad_fn, where several operations stand for one of PyTorch's; or NULL
    struct class *class; // torch.nn.Parameter; NULL: torch.Tensor
    const struct node *made_at;
};

struct dtype_object {
    struct object object;
    const char *name; // "float32"; "cpu"
    enum dtype dtype;
    enum narrow narrow;
    bool is_device;
    int size; // bytes of a number
};

struct random_object {
    struct object object;
    struct generator generator;
};

// A view that a program made of a tensor that requires a gradient, and which view that was of (0: of the storage).
struct seen_view {
    struct tensor view;
    uint32_t of;
};

// What the library keeps: machine_library(machine, "torch").
struct torch_library {
    struct random_object *generator; // of torch.manual_seed
    bool grad_enabled;
    struct operation *soft_rows[2]; // of softmax and log_softmax in narrow.c
    struct operation *names[64];    // rows that only name a gradient function
    int name_count;
    struct seen_view *views; // in the order of tensor.seen
    int view_count, view_room;
    struct printing_options printing;
    const char *kept_names[64];
    int kept_name_count;
    struct way_room *way_room; // of the way back (grad.c), for the next one
    struct keeping *keeping;   // of the heap's sweeps (storages.c); NULL: all storages stay
    struct class *tensor_class, *dtype_class, *device_class, *size_class, *generator_class;
    struct dtype_object *dtypes[16], *cpu;
    int dtype_count;
    struct native_row *rows[4]; // of the tables, as the machine reads them
    int row_counts[4];
};
// The name of a gradient function, a str, for as long as the machine lives.
const char *kept_name(struct machine *machine, struct value name);
struct torch_library *torch_library_of(struct machine *machine);

// ---- A call -------------------------------------------------------------------------------------

// How a call sees its operands (layout.c): their dimensions from the innermost to the outermost, where they lie otherwise than
// their order says; ndim 0: as they are. stride: of all operands, where they agree. is_line: one number is a row of one.
struct layout {
    int ndim, order[MAX_DIMS];
    int64_t stride[MAX_DIMS];
    bool has_strides, is_line;
};

struct torch_row;
struct torch_call {
    struct machine *machine;
    struct arena *arena;
    const struct torch_row *row;
    int count;
    const struct value *values;
    struct value result;
    struct layout layout;
    bool is_in_place;   // a method name_
    bool requires_grad; // one of the tensors that were read does
    signed char
        narrow[2]
              [2]; // narrow.c: of integers and floats that were read, with dimensions and without
    enum narrow narrow_given; // by an argument, if
    bool is_narrow_given;
    bool is_exact; // a number beside a narrow tensor stays as it is: of products and quotients
    enum exception exception; // what a failure raises
    char message[1024];       // of refuse(); "": the failure's
};

// A name of torch, of tensors or of torch.nn.functional: `tensor` for those that give one tensor.
struct torch_row {
    const char *name, *signature;
    struct tensor (*tensor)(struct torch_call *call);
    struct value (*value)(struct torch_call *call);
    int where;
    union { // what rows of one function differ in
        int number;
        struct tensor (*each)(struct tensor x);
        struct tensor (*pair)(struct tensor a, struct tensor b);
        struct tensor (*at)(struct tensor x, int dim);
    };
};
#define TENSOR_ROW(name_, signature_, function, ...)                                               \
    { .name = name_, .signature = signature_, .tensor = function, .where = __VA_ARGS__ }
#define VALUE_ROW(name_, signature_, function, ...)                                                \
    { .name = name_, .signature = signature_, .value = function, .where = __VA_ARGS__ }
enum {
    IN_TORCH = 1,
    IN_TENSOR = 2,
    IN_FUNCTIONAL = 4,
    IN_PLACE = 8,
    IN_GENERATOR = 16,
    BY_NUMBER = 32,
    ALONG_DIM = 64
}; // IN_PLACE: also a method name_. BY_NUMBER: the result lies as the operands do; ALONG_DIM: one number is a row of one

// Raises the exception; refuse() a RuntimeError, as PyTorch mostly does.
_Noreturn void refuse_as(struct torch_call *call, enum exception exception, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define refuse(call, ...) refuse_as(call, RUNTIME_ERROR, __VA_ARGS__)

// Of a call that computes number by number: how its operands lie. in_memory_order is how it sees one of them;
// in_own_order takes what it made of them back.
void take_layout(struct torch_call *call, int count, const struct value *values);
// Of the gradients of a storage, computed number by number from `count` tensors of its shape, or of one that it repeats. Where
// these say nothing, they lie as the view of it shows them.
void take_layout_back(struct torch_call *call, const struct tensor *view, int count,
                      const struct tensor *x);
static inline bool is_in_memory_order(const struct torch_call *call, const struct tensor *x) {
    return call->layout.ndim == 0 && !(call->layout.is_line && x->ndim <= 1);
}
struct tensor in_memory_order(const struct torch_call *call, struct tensor x);
struct tensor in_own_order(const struct torch_call *call, struct tensor x);

// Arguments, counted from 0. They refuse what is of another kind.
bool is_given(const struct torch_call *call, int i); // neither left out nor None
struct tensor tensor_argument(struct torch_call *call, int i);
struct tensor tensor_of_value(struct torch_call *call, struct value value);
bool is_tensor_value(struct value value);
int64_t int_argument(struct torch_call *call, int i);
int64_t int_of_value(struct torch_call *call, struct value value);
double number_argument(struct torch_call *call, int i);
double number_of_value(struct torch_call *call, struct value value); // also a tensor of one number
bool truth_argument(struct torch_call *call, int i);
enum dtype dtype_argument(struct torch_call *call, int i, enum dtype otherwise);
// A dimension from 0, or PyTorch's IndexError.
int dim_argument(struct torch_call *call, int i, const struct tensor *x);
int dim_of(struct torch_call *call, int64_t dim, int ndim);
int own_dim_argument(struct torch_call *call, int i,
                     const struct tensor *x); // a tensor without dimensions has none
// Sizes: a tuple or list in values[i], or the tuple that "*sizes" gathered, whose only item may be one.
struct shape sizes_argument(struct torch_call *call, int i);
struct generator *generator_argument(struct torch_call *call, int i);
int64_t items_of(struct torch_call *call, struct value sequence,
                 const struct value **items); // list or tuple, or TypeError

// ---- Tensors and objects ---------------------------------------------------------------------------

void count_write(struct tensor_cell *cell);
// Both see each other's writes; they count them together: detach(), or each its own: .data.
void join_cells(struct tensor_cell *cell, struct tensor_cell *other, bool counts_together);
// The view with this number, or NULL.
const struct seen_view *view_seen(const struct torch_library *library, uint64_t seen);
// After object->requires_grad was set: its cell follows.
void grad_follow(struct tensor_object *object);
struct tensor tensor_of_object(const struct tensor_object *object);
// A new object of a tensor. It requires a gradient if `requires_grad` and gradients are enabled.
struct value tensor_value(struct machine *machine, struct tensor view, bool requires_grad);
// The result of a call.
struct value made(struct torch_call *call, struct tensor view);
// The same view, whose gradient function PyTorch calls so; `name` is a literal.
struct tensor named(struct torch_call *call, struct tensor x, const char *name);
// As Python sees it: a view requires a gradient too when its base was written with one.
bool requires_grad_of(const struct tensor_object *object);
bool is_leaf(const struct tensor_object *object);
// The name of its gradient function, "MulBackward0", or NULL for a leaf.
const char *grad_name(const struct tensor_object *object);
// An in-place operation's result into all of the object, if it has its shape and its type can hold it.
void put_in_place(struct torch_call *call, struct tensor_object *object, struct tensor result);
// Writes `from`, broadcast, into what `target` shows of the object's storage.
void write_in_place(struct torch_call *call, struct tensor_object *object, struct tensor target,
                    struct tensor from);
// Writes into the tensor of the call's first argument, which is the result; its gradient function is called so.
struct value written(struct torch_call *call, struct tensor from, const char *name);
struct value size_value(struct machine *machine, struct shape shape); // torch.Size
struct value number_value(const struct tensor *x,
                          const int64_t *index); // an element as Python's number
struct value dtype_value(struct machine *machine, enum dtype dtype, enum narrow narrow);
const char *scalar_type(const struct storage *storage);              // "Float", "Long"
const char *sizes_list(struct torch_call *call, struct shape shape); // "[2, 3]"

// ---- Types ------------------------------------------------------------------------------------------

// The same numbers in another dtype; `x` itself if it has it.
struct tensor to_dtype(struct tensor x, enum dtype dtype);
enum dtype promoted(enum dtype a, enum dtype b);
// Two values, at least one of them a tensor, in the type that PyTorch computes with.
void read_pair(struct torch_call *call, struct value a, struct value b, struct tensor *left,
               struct tensor *right);
// A number as a tensor of no dimensions.
struct tensor number_tensor(struct torch_call *call, struct value number, enum dtype dtype);
struct tensor as_floats(struct tensor x); // integers and truths as float32
// A leaf; it requires a gradient if argument number `requires` says so. And sizes that are not below 0.
struct value leaf_value(struct torch_call *call, struct tensor x, int requires);
void check_sizes_of(struct torch_call *call, struct shape shape);
// From nested lists, numbers and tensors: torch.tensor. dtype -1: as the numbers say.
struct tensor tensor_from(struct torch_call *call, struct value value, int dtype);

// ---- The files of the library ------------------------------------------------------------------------

extern const struct torch_row creation_rows[], shape_rows[], number_rows[], along_rows[],
    object_rows[], random_rows[], network_rows[], optimizer_rows[];
bool tensor_binary(struct machine *machine, enum operator operator, struct value a, struct value b,
                   struct value *value);
bool tensor_in_place(struct machine *machine, enum operator operator, struct value a,
                     struct value b, struct value *value);
bool tensor_unary(struct machine *machine, enum operator operator, struct value a,
                  struct value *value);
bool tensor_index(struct machine *machine, struct value self, struct value index,
                  struct value *value);
bool tensor_set_index(struct machine *machine, struct value self, struct value index,
                      struct value value);
bool tensor_iterate(struct machine *machine, struct value self, int64_t i, struct value *item);
bool tensor_get(struct machine *machine, struct value self, const char *name, struct value *value);
extern const char *const tensor_attributes[]; // what it answers, NULL behind the last
bool tensor_set(struct machine *machine, struct value self, const char *name, struct value value);
bool tensor_repr(struct machine *machine, struct value self, struct value *text);
bool tensor_format(struct machine *machine, struct value self, const char *specification,
                   struct value *text);
// Does action(call) inside an attempt; its exception where it failed. For methods of objects, which have no row.
bool torch_attempt(struct machine *machine, void (*action)(struct torch_call *call, void *context),
                   void *context, struct value *result);
struct tensor unsqueezed(struct torch_call *call, struct tensor x,
                         int at); // x with a dimension of size 1
struct tensor indexed(struct torch_call *call, struct tensor x, struct value index);
// Where x is not 0: a row for each place, or a tuple of each dimension's places. torch.nonzero
struct value places_of(struct torch_call *call, struct tensor x, bool as_tuple);

// storages.c: what the object shows stays when the heap is swept.
void mark_storages(struct machine *machine, const struct tensor_object *object);
void machine_add_storages(struct machine *machine);
// narrow.c: the dtype of the numbers, and a number as the type holds it.
enum dtype dtype_of_narrow(enum narrow narrow);
double narrow_number(double x, enum narrow narrow);
// The numbers as the type holds them; `x` itself where they are, or where they are of another dtype. narrowed is for what a call
// has computed, and nobody has read.
struct tensor cast_to(struct tensor x, enum narrow narrow);
struct tensor narrowed(struct tensor x, enum narrow narrow);
void note_narrow(struct torch_call *call, const struct tensor *x);
enum narrow narrow_of_call(const struct torch_call *call, enum dtype dtype); // of its result
// Functions that round more than their result; numbers as they are drawn for a type, which may be none of those.
struct tensor narrow_soft(struct torch_call *call, struct tensor x, int dim, bool is_log);
struct tensor narrow_rsqrt(struct tensor x, enum narrow narrow);
struct tensor narrow_uniform(struct arena *arena, struct generator *generator, struct shape shape,
                             double least, double most, enum narrow narrow);
struct tensor narrow_normal(struct arena *arena, struct generator *generator, struct shape shape,
                            enum narrow narrow);

// misfit.c: PyTorch's words where shapes do not fit.
struct shape broadcast_of(struct torch_call *call, const struct tensor *a, const struct tensor *b);
// Where an in-place operation would read numbers that it writes: PyTorch's RuntimeError.
void check_overlap(struct torch_call *call, const struct tensor *target, const struct tensor *from);
const char *c_name(const struct storage *storage); // "float", "long int"
void check_product(struct torch_call *call, const struct tensor *a, const struct tensor *b);

#endif
