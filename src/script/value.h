#ifndef ONESTEP_SCRIPT_VALUE_H
#define ONESTEP_SCRIPT_VALUE_H

// The values of a program. None, bools, ints and floats are plain; all others are objects on the machine's heap, which is
// swept when no statement needs them any more (machine.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "script/syntax/tree.h"

enum value_kind {
    VALUE_ABSENT,
    VALUE_NONE,
    VALUE_ELLIPSIS,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_OBJECT
};

enum object_kind {
    OBJECT_STR,
    OBJECT_BYTES,
    OBJECT_LIST,
    OBJECT_TUPLE,
    OBJECT_DICT,
    OBJECT_SET,
    OBJECT_RANGE,
    OBJECT_SLICE,
    OBJECT_FUNCTION,
    OBJECT_METHOD,
    OBJECT_NATIVE,
    OBJECT_MODULE,
    OBJECT_CLASS,
    OBJECT_INSTANCE,
    OBJECT_ITERATOR,
    OBJECT_FRAME, // variables of a call, where a closure may keep them
    OBJECT_TENSOR,
    OBJECT_DTYPE,
    OBJECT_RANDOM, // torch.Generator
    OBJECT_NODE,   // of the graph of gradients: grad_fn
};

struct object {
    struct object *next; // on the heap
    enum object_kind kind;
    bool is_marked;
    uint16_t size; // bytes, 0: too many for this
};

struct value {
    enum value_kind kind;
    union {
        bool truth;
        int64_t integer;
        double number;
        struct object *object;
    };
};

#define NO_VALUE ((struct value){VALUE_ABSENT, {0}})
#define NONE_VALUE ((struct value){VALUE_NONE, {0}})
static inline struct value value_of_bool(bool truth) {
    return (struct value){VALUE_BOOL, {.truth = truth}};
}
static inline struct value value_of_int(int64_t n) {
    return (struct value){VALUE_INT, {.integer = n}};
}
static inline struct value value_of_float(double x) {
    return (struct value){VALUE_FLOAT, {.number = x}};
}
static inline struct value value_of_object(void *object) {
    return (struct value){VALUE_OBJECT, {.object = object}};
}
static inline bool is_kind(struct value value, enum object_kind kind) {
    return value.kind == VALUE_OBJECT && value.object->kind == kind;
}

struct str {
    struct object object;
    int64_t length;
    uint64_t hash;
    char bytes[];
}; // UTF-8, NUL behind; also OBJECT_BYTES
// Also OBJECT_TUPLE. is_size: torch.Size. names: of a named tuple such as torch.return_types.max, or NULL; type_name.
struct list {
    struct object object;
    struct value *items;
    int64_t count, room;
    bool is_size;
    const char *type_name;
    const char *const *names;
};
struct dict; // inside.h: insertion-ordered; also OBJECT_SET
struct range {
    struct object object;
    int64_t start, stop, step;
};
struct slice {
    struct object object;
    struct value start, stop, step;
};

struct machine;
struct arguments;

// A function written in C. It fills *result and returns true; or raises (machine_raise) and returns false.
typedef bool native_function(struct machine *machine, struct arguments *arguments,
                             struct value *result);

// A row of a library's table. `signature` is Python's: "input, dim=None, *, keepdim=False"; the values arrive in its order,
// NO_VALUE where the default is `...` and the argument was left out. "*sizes" gathers a tuple, "**keywords" a dict. A method's
// first parameter is the object itself.
struct native_row {
    const char *name;
    const char *signature;
    native_function *function;
};

struct arguments {
    const struct native_row *row;
    int count; // positional, or those of the signature
    struct value *values;
    struct dict *keywords; // of a call that is not bound to a signature yet; NULL: none
};

struct native {
    struct object object;
    const struct native_row *row;
    struct value self;
}; // self: NO_VALUE for a function

struct function {
    struct object object;
    const struct program *program;
    const struct node *node; // NODE_DEF or NODE_LAMBDA
    const char *name, *qualified_name;
    struct value *defaults; // as many as there are parameters; NO_VALUE: none
    struct object *frame;   // of the enclosing call, or NULL
    struct object *globals; // the module's dict
    struct object *owner;   // the class whose body it was written in (for super()), or NULL
    struct object *names;   // a dict of the attributes that it was given, or NULL
};
struct method {
    struct object object;
    struct value self, function;
};
struct module {
    struct object object;
    const char *name;
    struct dict *names;
};
// A class of the program, or of built-in values: then `methods` (which ends with a row without a name) are found behind names.
struct class {
    struct object object;
    const char *name, *module;
    struct list *bases; // tuple
    struct list *order; // the method resolution order, itself first
    struct dict *names;
    const struct native_row *methods;   // of built-in values, or NULL
    struct dict *rows;                  // their places by their names; NULL: not asked for yet
    const struct native_row *construct; // what calling a built-in class does, or NULL
    struct module *prelude;             // whose source adds methods to a built-in class, or NULL
};
struct instance {
    struct object object;
    struct class *class;
    struct dict *names;
    struct value inner; // of a class below list, tuple, dict or set: the list, ...; else NO_VALUE
};
// That list, ... of such an instance; any other value itself.
static inline struct value inner_of(struct value value) {
    if (!is_kind(value, OBJECT_INSTANCE)) return value;
    const struct value inner = ((const struct instance *)value.object)->inner;
    return inner.kind == VALUE_ABSENT ? value : inner;
}

static inline bool is_integer(struct value value) {
    return value.kind == VALUE_INT || value.kind == VALUE_BOOL;
}

static inline bool is_number(struct value value) {
    return is_integer(value) || value.kind == VALUE_FLOAT;
}

static inline int64_t integer_of(struct value value) {
    return value.kind == VALUE_BOOL ? value.truth : value.integer;
}

static inline double double_of(struct value value) {
    return value.kind == VALUE_FLOAT ? value.number : (double)integer_of(value);
}

// The object of a value whose kind is known.
static inline struct str *as_str(struct value value) {
    return (struct str *)value.object;
}
static inline const char *bytes_of(struct value str) {
    return as_str(str)->bytes;
}
static inline struct list *as_list(struct value value) {
    return (struct list *)value.object;
}
static inline struct dict *as_dict(struct value value) {
    return (struct dict *)value.object;
}
static inline struct class *as_class(struct value value) {
    return (struct class *)value.object;
}
static inline struct instance *as_instance(struct value value) {
    return (struct instance *)value.object;
}

struct value str_new(struct machine *machine, const char *bytes, int64_t length);
struct value str_of(struct machine *machine, const char *text);
struct value str_format(struct machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct value list_new(struct machine *machine, int64_t count,
                      const struct value *items); // items NULL: None
struct value tuple_new(struct machine *machine, int64_t count, const struct value *items);
void list_append(struct machine *machine, struct list *list, struct value item);

// Dicts keep the order of insertion. Keys are hashable (str, numbers, tuples, None, tensors and objects by identity); a key
// that is not raises TypeError and returns false.
struct value dict_new(struct machine *machine);
struct value set_new(struct machine *machine);
bool dict_set(struct machine *machine, struct dict *dict, struct value key, struct value value);
bool dict_get(struct machine *machine, struct dict *dict, struct value key,
              struct value *value); // *value NO_VALUE: none
bool dict_delete(struct machine *machine, struct dict *dict, struct value key, bool *was_there);
struct value dict_named(const struct dict *dict, const char *name); // NO_VALUE: none; never fails
void dict_name(struct machine *machine, struct dict *dict, const char *name, struct value value);
int64_t dict_count(const struct dict *dict);
// Item number i from 0 in the order of insertion; false behind the last. Deleted ones are passed over: *i moves on.
bool dict_next(const struct dict *dict, int64_t *i, struct value *key, struct value *value);

// What Python's functions of these names do; each false if it raised.
bool value_truth(struct machine *machine, struct value value, bool *truth);
bool value_repr(struct machine *machine, struct value value, struct value *text);
bool value_str(struct machine *machine, struct value value, struct value *text);
bool values_equal(struct machine *machine, struct value a, struct value b, bool *equal);
bool value_hash(struct machine *machine, struct value value, uint64_t *hash);
bool value_is_same(struct value a, struct value b); // `is`
const char *type_name(struct value value);          // "int", "Tensor", "NoneType", a class's name

#endif
