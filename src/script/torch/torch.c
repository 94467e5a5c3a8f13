// The library torch: its tables become modules and methods here, and every function of them runs inside of one attempt.

#include "script/torch/grad.h"
#include "script/torch/tensor_object.h"

#include <math.h>
#include <string.h>

enum { TORCH_TABLE, TENSOR_TABLE, FUNCTIONAL_TABLE, GENERATOR_TABLE, TABLE_COUNT };
static const int table_flags[TABLE_COUNT] = {IN_TORCH, IN_TENSOR, IN_FUNCTIONAL, IN_GENERATOR};

static const struct torch_row *const all_rows[] = {creation_rows, shape_rows,  number_rows,
                                                   along_rows,    object_rows, random_rows,
                                                   network_rows,  grad_rows,   optimizer_rows};
enum { GROUP_COUNT = sizeof all_rows / sizeof *all_rows };

// Behind a table's native rows stand the rows that they come from.
struct torch_table {
    struct native_row *native;
    const struct torch_row **rows;
    int count;
};
struct torch_tables {
    struct torch_library library; // first: what machine_library gives
    struct torch_table tables[TABLE_COUNT];
};

// ---- Calls -----------------------------------------------------------------------------------------

static const struct torch_row *row_of(struct machine *machine, const struct native_row *native,
                                      bool *in_place) {
    const struct torch_tables *tables = machine_library(machine, "torch");
    for (int i = 0; i < TABLE_COUNT; i++) {
        const struct torch_table *table = &tables->tables[i];
        if (native < table->native || native >= table->native + table->count) continue;
        const struct torch_row *row = table->rows[native - table->native];
        *in_place = strcmp(row->name, native->name) != 0;
        return row;
    }
    return NULL;
}

struct called {
    struct arguments *arguments;
    const struct torch_row *row;
    bool in_place;
};

static void run_row(struct torch_call *call, void *context) {
    const struct called *called = context;
    call->row = called->row;
    call->count = called->arguments->count;
    call->values = called->arguments->values;
    call->is_in_place = called->in_place;
    if ((called->row->where & BY_NUMBER) && !called->in_place)
        take_layout(call, call->count, call->values);
    if ((called->row->where & ALONG_DIM) && !called->in_place && call->count > 0 &&
        is_tensor_value(call->values[0]))
        call->layout.is_line =
            ((const struct tensor_object *)call->values[0].object)->view.ndim == 0;
    if (called->row->value != NULL) {
        call->result = called->row->value(call);
        return;
    }
    if (!called->in_place) {
        call->result = made(call, called->row->tensor(call));
        return;
    }
    if (!is_tensor_value(call->values[0])) (void)tensor_argument(call, 0);
    struct tensor_object *object = (struct tensor_object *)call->values[0].object;
    const struct tensor target = tensor_of_object(object);
    for (int i = 1; i < call->count; i++) {
        if (!is_tensor_value(call->values[i])) continue;
        const struct tensor from = tensor_of_value(call, call->values[i]);
        check_overlap(call, &target, &from);
    }
    put_in_place(call, object, called->row->tensor(call));
    call->result = call->values[0];
}

static bool torch_native(struct machine *machine, struct arguments *arguments,
                         struct value *result) {
    struct called called = {.arguments = arguments};
    called.row = row_of(machine, arguments->row, &called.in_place);
    return torch_attempt(machine, run_row, &called, result);
}

// ---- Tables -------------------------------------------------------------------------------------------

static void add_row(struct machine *machine, struct torch_table *table, const struct torch_row *row,
                    const char *name) {
    (void)machine;
    table->native[table->count] = (struct native_row){name, row->signature, torch_native};
    table->rows[table->count++] = row;
}

static void fill_table(struct machine *machine, struct torch_table *table, int flag) {
    enum { MOST = 512 };
    struct arena *arena = machine_arena(machine);
    table->native = arena_array(arena, MOST, sizeof *table->native);
    table->rows = arena_array(arena, MOST, sizeof(struct torch_row *));
    for (int group = 0; group < GROUP_COUNT; group++) {
        for (const struct torch_row *row = all_rows[group]; row->name != NULL; row++) {
            if (table->count + 2 >= MOST) break;
            if (row->where & flag) add_row(machine, table, row, row->name);
            if ((row->where & IN_PLACE) && flag == IN_TENSOR)
                add_row(machine, table, row, arena_format(arena, "%s_", row->name));
        }
    }
}

// ---- Values of the module --------------------------------------------------------------------------------

static const struct {
    const char *name, *other;
    enum dtype dtype;
    enum narrow narrow;
    int size;
} dtype_names[] = {
    {"float32", "float", FLOAT32, ALL_BITS, 4}, {"float64", "double", FLOAT64, ALL_BITS, 8},
    {"int64", "long", INT64, ALL_BITS, 8},      {"int32", "int", INT32, ALL_BITS, 4},
    {"bool", NULL, BOOL, ALL_BITS, 1},          {"float16", "half", FLOAT32, FLOAT16, 2},
    {"bfloat16", NULL, FLOAT32, BFLOAT16, 2},   {"int8", NULL, INT32, INT8, 1},
    {"int16", "short", INT32, INT16, 2},        {"uint8", NULL, INT32, UINT8, 1},
};

static void add_dtypes(struct machine *machine, struct torch_library *library,
                       struct module *torch) {
    library->dtype_count = sizeof dtype_names / sizeof *dtype_names;
    for (int i = 0; i < library->dtype_count; i++) {
        struct dtype_object *dtype = object_new(machine, OBJECT_DTYPE, sizeof *dtype);
        dtype->name = dtype_names[i].name;
        dtype->dtype = dtype_names[i].dtype;
        dtype->narrow = dtype_names[i].narrow;
        dtype->size = dtype_names[i].size;
        library->dtypes[i] = dtype;
        module_set(machine, torch, dtype->name, value_of_object(dtype));
        if (dtype_names[i].other != NULL)
            module_set(machine, torch, dtype_names[i].other, value_of_object(dtype));
    }
    library->cpu = object_new(machine, OBJECT_DTYPE, sizeof *library->cpu);
    library->cpu->name = "cpu";
    library->cpu->is_device = true;
    module_set(machine, torch, "_cpu", value_of_object(library->cpu));
}

static void add_constants(struct machine *machine, struct module *torch) {
    module_set(machine, torch, "inf", value_of_float(INFINITY));
    module_set(machine, torch, "nan", value_of_float(NAN));
    module_set(machine, torch, "pi", value_of_float(3.141592653589793));
    module_set(machine, torch, "e", value_of_float(2.718281828459045));
    module_set(machine, torch, "__version__", str_of(machine, "2.6.0+cpu"));
}

// ---- Objects -----------------------------------------------------------------------------------------------

static struct class *class_of_object(struct machine *machine, struct value self) {
    const struct torch_library *library = torch_library_of(machine);
    if (is_kind(self, OBJECT_TENSOR)) {
        const struct tensor_object *tensor = (const struct tensor_object *)self.object;
        return tensor->class != NULL ? tensor->class : library->tensor_class;
    }
    if (is_kind(self, OBJECT_RANDOM)) return library->generator_class;
    return ((const struct dtype_object *)self.object)->is_device ? library->device_class
                                                                 : library->dtype_class;
}

static void mark_tensor(struct machine *machine, struct object *object) {
    struct tensor_object *tensor = (struct tensor_object *)object;
    machine_mark(machine, tensor->grad);
    mark_storages(machine, tensor);
    if (tensor->grad_fn != NULL) machine_mark(machine, value_of_object(tensor->grad_fn));
    if (tensor->class != NULL) machine_mark(machine, value_of_object(tensor->class));
}

static void forget_tensor(struct machine *machine, struct object *object) {
    struct tensor_object *tensor = (struct tensor_object *)object;
    (void)machine;
    if (tensor->cell->first == tensor) tensor->cell->first = NULL;
    if (tensor->cell->leaf == tensor) tensor->cell->leaf = NULL;
    if (tensor->before != NULL) tensor->before->cell->leaf = NULL;
    if (tensor->cell->retained == tensor) tensor->cell->retained = NULL;
}

static bool dtype_repr(struct machine *machine, struct value self, struct value *text) {
    const struct dtype_object *dtype = (const struct dtype_object *)self.object;
    *text = str_format(machine, dtype->is_device ? "%s" : "torch.%s", dtype->name);
    return true;
}

static bool dtype_get(struct machine *machine, struct value self, const char *name,
                      struct value *value) {
    const struct dtype_object *dtype = (const struct dtype_object *)self.object;
    *value = NO_VALUE;
    if (dtype->is_device && strcmp(name, "type") == 0) *value = str_of(machine, dtype->name);
    if (dtype->is_device && strcmp(name, "index") == 0) *value = NONE_VALUE;
    if (!dtype->is_device && strcmp(name, "is_floating_point") == 0)
        *value = value_of_bool(is_floating(dtype->dtype));
    if (!dtype->is_device && strcmp(name, "itemsize") == 0) *value = value_of_int(dtype->size);
    return true;
}

static bool dtype_format(struct machine *machine, struct value self, const char *specification,
                         struct value *text) {
    const struct dtype_object *dtype = (const struct dtype_object *)self.object;
    if (specification[0] != '\0')
        return machine_raise(machine, TYPE_ERROR,
                             "unsupported format string passed to torch.%s.__format__",
                             dtype->is_device ? "device" : "dtype");
    *text = dtype->is_device ? str_of(machine, dtype->name)
                             : str_format(machine, "torch.%s", dtype->name);
    return true;
}

static void truth_of(struct torch_call *call, void *context) {
    const struct tensor x = tensor_of_value(call, *(const struct value *)context);
    const int64_t count = count_of(shape_of(&x));
    if (count == 0) refuse(call, "Boolean value of Tensor with no values is ambiguous");
    if (count > 1) refuse(call, "Boolean value of Tensor with more than one value is ambiguous");
    call->result = value_of_bool(element(&x, (int64_t[MAX_DIMS]){0}) != 0);
}

static bool tensor_truth(struct machine *machine, struct value self, bool *truth) {
    struct value result;
    if (!torch_attempt(machine, truth_of, &self, &result)) return false;
    *truth = result.truth;
    return true;
}

static bool tensor_length(struct machine *machine, struct value self, int64_t *length) {
    const struct tensor x = tensor_of_object((const struct tensor_object *)self.object);
    if (x.ndim == 0) return machine_raise(machine, TYPE_ERROR, "len() of a 0-d tensor");
    *length = x.shape[0];
    return true;
}

static void add_kinds(struct machine *machine) {
    machine_add_methods(machine, OBJECT_TENSOR,
                        &(struct object_methods){.mark = mark_tensor,
                                                 .free = forget_tensor,
                                                 .get = tensor_get,
                                                 .attributes = tensor_attributes,
                                                 .set = tensor_set,
                                                 .repr = tensor_repr,
                                                 .format = tensor_format,
                                                 .truth = tensor_truth,
                                                 .length = tensor_length,
                                                 .index = tensor_index,
                                                 .set_index = tensor_set_index,
                                                 .binary = tensor_binary,
                                                 .in_place = tensor_in_place,
                                                 .unary = tensor_unary,
                                                 .iterate = tensor_iterate,
                                                 .class_of = class_of_object});
    machine_add_methods(machine, OBJECT_DTYPE,
                        &(struct object_methods){.get = dtype_get,
                                                 .repr = dtype_repr,
                                                 .format = dtype_format,
                                                 .class_of = class_of_object});
    machine_add_methods(machine, OBJECT_RANDOM,
                        &(struct object_methods){.class_of = class_of_object});
}

struct generator *machine_generator(struct machine *machine) {
    return &torch_library_of(machine)->generator->generator;
}

void machine_restart_torch(struct machine *machine) {
    struct torch_library *library = torch_library_of(machine);
    library->grad_enabled = true;
    library->printing = standard_printing;
    manual_seed(&library->generator->generator,
                67280421310721); // torch.default_generator's own seed
}

// torch.Tensor(*sizes or a list) is torch.FloatTensor.
static bool make_tensor(struct machine *machine, struct arguments *arguments,
                        struct value *result) {
    struct value make;
    const struct value torch = value_of_object(machine_module(machine, "torch"));
    const struct list *given = (const struct list *)arguments->values[0].object;
    return machine_get(machine, torch, "FloatTensor", &make) &&
           machine_call(machine, make, (int)given->count, given->items, result);
}
static const struct native_row tensor_row = {"Tensor", "*args", make_tensor};

void machine_add_torch(struct machine *machine) {
    struct torch_tables *tables = arena_allocate(machine_arena(machine), sizeof *tables);
    struct torch_library *library = &tables->library;
    machine_set_library(machine, "torch", tables);
    for (int i = 0; i < TABLE_COUNT; i++) fill_table(machine, &tables->tables[i], table_flags[i]);
    struct module *torch = machine_module(machine, "torch"),
                  *functional = machine_module(machine, "torch.nn.functional");
    module_add(machine, torch, tables->tables[TORCH_TABLE].native);
    module_add(machine, functional, tables->tables[FUNCTIONAL_TABLE].native);
    library->generator = object_new(machine, OBJECT_RANDOM, sizeof *library->generator);
    machine_restart_torch(machine);
    library->tensor_class =
        class_new(machine, "torch", "Tensor", &tensor_row, tables->tables[TENSOR_TABLE].native);
    library->tensor_class->prelude = machine_module(machine, "torch._tensor");
    library->dtype_class = class_new(machine, "torch", "dtype", NULL, NULL);
    library->device_class = class_new(machine, "torch", "device", NULL, NULL);
    library->generator_class =
        class_new(machine, "torch", "Generator", NULL, tables->tables[GENERATOR_TABLE].native);
    module_set(machine, torch, "Tensor", value_of_object(library->tensor_class));
    struct list size = {.object.kind = OBJECT_TUPLE, .is_size = true};
    module_set(machine, torch, "Size",
               value_of_object(machine_class(machine, value_of_object(&size))));
    module_set(machine, torch, "dtype", value_of_object(library->dtype_class));
    module_set(machine, torch, "default_generator", value_of_object(library->generator));
    add_dtypes(machine, library, torch);
    add_constants(machine, torch);
    add_kinds(machine);
    machine_add_grad(machine);
    machine_add_storages(machine);
}
