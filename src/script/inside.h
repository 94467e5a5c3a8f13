#ifndef ONESTEP_SCRIPT_INSIDE_H
#define ONESTEP_SCRIPT_INSIDE_H

// What the files of the machine share, and nobody else reads.

#include <stdarg.h> // defines: va_list

#include "script/machine.h"
#include "script/syntax/scope.h"
#include "tensor/text/digits.h" // defines: text_add_float

// The inside of a dict or a set; value.h has what others call.
struct dict_entry {
    struct value key, value; // NO_VALUE: deleted
    uint64_t hash;
};
struct dict {
    struct object object;
    struct dict_entry *entries; // room for half as many as there are slots
    int32_t *slots;             // behind the entries, in the same memory
    int64_t slot_count;         // a power of two, or 0
    int64_t used;               // entries, the deleted ones included
    int64_t count;
    bool is_frozen; // frozenset
};

uint64_t bytes_hash(const char *bytes, int64_t length);
// dict_named of a name whose hash is known.
struct value dict_at(const struct dict *dict, const char *name, int64_t length, uint64_t hash);
struct value dict_of_str(const struct dict *dict, const struct str *name); // as dict_named
void dict_clear(struct machine *machine, struct dict *dict);

// The variables of a call, of a class body, or of a program.
struct frame {
    struct object object;
    struct dict *names;
    struct frame *outer; // of the function that it is written in; NULL: none but the program
    struct dict *globals;
    const struct scope *scope;
    const struct program *program;
    const char *function; // "<module>" for a program
    struct class *owner;  // of a method, for super()
    struct value self;
};

// A running call.
struct call {
    struct call *outer;
    struct frame *frame;
    const struct node *node; // what is evaluated now
    struct value handled;    // the exception that an `except` deals with, for a `raise` without one
};

enum iterator_kind {
    ITERATE_LIST,
    ITERATE_STR,
    ITERATE_RANGE,
    ITERATE_DICT,
    ITERATE_METHODS,
    ITERATE_INSTANCE,
    ITERATE_ZIP,
    ITERATE_MAP,
    ITERATE_FILTER,
    ITERATE_REVERSED,
    ITERATE_GENERATOR,
    ITERATE_FUNCTION // a function that yields
};
struct iterator {
    struct object object;
    enum iterator_kind iterates;
    struct value of;
    int64_t at;
    int64_t count; // of `others`; of a function: where it goes on (statement.c), the outermost last
    struct value *others;
    const struct node *node; // of a generator; of a function its body
    struct frame *frame;
    int64_t level; // the innermost clause that has an iterator, -1: none
    enum { IS_WAITING, IS_RUNNING, IS_ENDED } state; // of a function
    bool is_strict;
    int64_t size; // of a dict or set when the iteration began
};

static inline struct iterator *as_iterator(struct value value) {
    return (struct iterator *)value.object;
}

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_YIELD };

enum {
    UNIT = 16,
    UNIT_COUNT = 32
}; // sizes of the pool's pieces: so many bytes, and how many sizes

// A list or dict whose text is being written, and those around it.
struct shown {
    const struct shown *outer;
    const struct object *object;
};

// What machine_remember keeps.
struct place_in_run {
    struct dict *names;
    struct generator generator;
    enum bernoulli stream;
};

struct machine {
    unsigned number; // from 1
    const struct shown *shown;
    struct arena *arena, *tensors;
    void (*before_sweep)(struct machine *machine);
    struct piece *pieces[UNIT_COUNT + 1]; // that were given back, by their units (pool.c)
    char *slab, *slab_end;                // where new ones are cut from
    struct machine_options options;
    struct object *heap, *settled; // settled: no sweep looks at these
    int64_t bytes, other_bytes, swept_at;
    struct value *roots; // values that running functions of C need; the sweep begins with them
    int64_t root_count, root_room;
    struct call *call; // the innermost
    int depth;
    intptr_t stack;      // where that of C began
    struct value raised; // the exception on its way
    struct traced *trace;
    int trace_count, trace_room;
    struct dict *modules, *builtins, *names; // names: text -> its str
    struct module *main;
    struct dict *signatures; // of functions in C that were called
    struct class *exceptions[EXCEPTION_COUNT];
    struct class *classes[OBJECT_NODE + 1]; // of built-in kinds
    struct class *type_none, *type_ellipsis, *type_bool, *type_int, *type_float, *type_type,
        *type_object, *type_size;
    struct class *type_super, *type_property, *type_static, *type_class_method, *type_frozenset;
    struct object_methods methods[OBJECT_NODE + 1];
    struct prelude *preludes;
    struct library *libraries;
    struct place_in_run *places;
    int place_count;
    int64_t steps;
    // The program that runs, and its last statement: where the machine was when memory gave out.
    const struct program *program;
    const struct node *statement;
    // How the statement that runs was left.
    enum flow flow;
    struct value returned; // or yielded
    bool closes;           // what goes on ends at its yield
    struct iterator *yielding,
        *resuming; // the function that yields and runs; where it is on its way back to its yield
};

struct prelude {
    struct prelude *next;
    struct module *module;
    const char *file, *source;
    bool is_run;
};
struct library {
    struct library *next;
    const char *name;
    void *data;
};

// For `return gives(result, ...)`.
static inline bool gives(struct value *result, struct value value) {
    *result = value;
    return true;
}

// Evaluates an expression; the value is kept until the expression or the statement around it is done.
bool evaluate(struct machine *machine, const struct node *node, struct value *value);
bool execute(struct machine *machine, const struct node *statement);
bool execute_block(struct machine *machine, const struct node *block);
bool assign(struct machine *machine, const struct node *target, struct value value);
bool test_of(struct machine *machine, const struct node *node, bool *truth); // of a condition
// A node with a text, such as a name or a def, where it is evaluated. `text`: a name that no node has.
bool lookup(struct machine *machine, const struct node *name, struct value *value);
bool bind_name(struct machine *machine, const struct node *name, struct value value);
bool unbind_name(struct machine *machine, const struct node *name);
bool bind_text(struct machine *machine, const char *text, struct value value);
struct str *name_of(struct machine *machine, const struct node *node); // its text as a value
// What the machine keeps at a node, or NULL: another machine may have left something there.
struct object *kept_at(const struct machine *machine, const struct node *node);
struct object *keep_at(const struct machine *machine, const struct node *node, struct object *name);
struct str *interned(struct machine *machine, const char *text);
struct value interned_str(struct machine *machine, struct value str); // the one of the same text

struct frame *frame_new(struct machine *machine, const struct program *program,
                        struct dict *globals, struct frame *outer, const struct scope *scope,
                        const char *function);
// In which functions see names that are written in the frame: a class body's names are seen by none.
struct frame *frame_around(struct frame *frame);
// Runs a block, or evaluates an expression, in a call of the frame.
bool run_in_frame(struct machine *machine, struct frame *frame, const struct node *body,
                  struct value *result);
// One level of calls, or of values inside of values, more: RecursionError where there are too many. machine->depth-- ends it.
bool go_deeper(struct machine *machine);
// Before each statement, and each item that is iterated over; false: the last step was taken, or the machine is to stop.
bool takes_step(struct machine *machine);

bool make_function(struct machine *machine, const struct node *node, struct value *value);
bool evaluate_call(struct machine *machine, const struct node *node, struct value *value);
bool call_value(struct machine *machine, struct value function, const struct arguments *arguments,
                struct value *result);
bool call_with_self(struct machine *machine, struct value function, struct value self,
                    const struct arguments *arguments, struct value *result);
bool call_native(struct machine *machine, const struct native_row *row, struct value self,
                 const struct arguments *arguments, struct value *result);
bool call_method(struct machine *machine, struct value self, const char *name, int count,
                 const struct value *arguments, struct value *result,
                 bool *is_there); // false in *is_there, and true, where there is no such method
// What the method without arguments gives of an instance; NO_VALUE: it has none.
bool ask(struct machine *machine, struct value self, const char *method, struct value *answer);
bool construct(struct machine *machine, struct class *class, const struct arguments *arguments,
               struct value *result);
struct instance *instance_new(struct machine *machine, struct class *class);
bool class_find(const struct class *class, const char *name,
                struct value *value); // along its order
bool build_class(struct machine *machine, const struct node *node, struct value *class);

bool get_attribute(struct machine *machine, struct value object, const char *name,
                   struct value *value, bool *is_there);
// The nearest attribute to the one that an AttributeError did not find, or NULL.
const char *attribute_meant(struct machine *machine, struct value exception);
bool get_item(struct machine *machine, struct value object, struct value index,
              struct value *value);
bool set_item(struct machine *machine, struct value object, struct value index, struct value value);
bool delete_item(struct machine *machine, struct value object, struct value index);
bool binary(struct machine *machine, enum operator operator, struct value a, struct value b,
            struct value *value);
// What a library's kinds of objects make of it; NO_VALUE: nothing.
bool ask_library(struct machine *machine, enum operator operator, struct value a, struct value b,
                 struct value *value);
bool raise_too_large(struct machine *machine);
bool in_place(struct machine *machine, enum operator operator, struct value a, struct value b,
              struct value *value);
bool compare_values(struct machine *machine, enum operator operator, struct value a, struct value b,
                    struct value *value);
bool unary(struct machine *machine, enum operator operator, struct value a, struct value *value);
bool contains(struct machine *machine, struct value container, struct value item, bool *found);
bool length_of(struct machine *machine, struct value value, int64_t *length);
bool as_index(struct machine *machine, struct value value,
              int64_t *index); // int or bool; else TypeError
// Which of `length` items a slice takes.
bool slice_bounds(struct machine *machine, const struct slice *slice, int64_t length,
                  int64_t *start, int64_t *step, int64_t *count);

struct value iterator_new(struct machine *machine, enum iterator_kind kind, struct value of);
bool generator_next(struct machine *machine, struct iterator *iterator, struct value *item);
bool function_next(struct machine *machine, struct iterator *iterator, struct value *item);
// Ends a function at its yield, whose `finally` and __exit__ run. Other iterators have nothing to end.
bool function_close(struct machine *machine, struct iterator *iterator);
bool comprehension(struct machine *machine, const struct node *node, struct value *value);
bool list_extend(struct machine *machine, struct list *list, struct value iterable);
bool set_from(struct machine *machine, struct value iterable, struct value *set);
struct value slice_new(struct machine *machine, struct value start, struct value stop,
                       struct value step);
struct value range_new(struct machine *machine, int64_t start, int64_t stop, int64_t step);
void list_remove(struct list *list, int64_t position);
// `is` or ==, as `in` and list.index compare.
bool is_or_equals(struct machine *machine, struct value a, struct value b, bool *equal);
// A function in C; a method of `self`, or NO_VALUE.
struct value native_new(struct machine *machine, const struct native_row *row, struct value self);
void *or_fail(struct machine *machine, void *memory); // out of memory where it is NULL
// Memory for a few values or one object, as it was left; what is given back has the size that was taken. NULL is nothing.
void *pool_take(struct machine *machine, size_t size);
void pool_give(struct machine *machine, void *memory, size_t size);
struct value *values_new(struct machine *machine, int64_t count); // NO_VALUE; to be freed

// A text that is written piece by piece, and then a str: where all was done, which is what write_close returns.
struct written {
    struct scratch scratch;
    struct text text;
};
void write_str(struct text *text, struct value str);
void write_open(struct machine *machine, struct written *written);
bool write_close(struct machine *machine, struct written *written, bool is_done, struct value *str);
bool format_value(struct machine *machine, struct value value, const char *specification,
                  struct value *text);
bool format_percent(struct machine *machine, const struct str *format, struct value values,
                    struct value *text);
void text_add_str(struct text *text, const struct str *str); // as repr does

// The texts and the functions in C that there are refer to nothing, and stay.
void heap_settle(struct machine *machine);
bool raise_full(struct machine *machine); // MemoryError, which names the limit
struct value str_format_list(struct machine *machine, const char *format, va_list arguments);
// Runs what of the module is Python, if it has not been run yet.
void run_prelude(struct machine *machine, struct module *module);
// Sorts in place, by what `key` gives of each item (None: by the items), as list.sort does.
bool sort_list(struct machine *machine, struct list *list, struct value key, bool reverse);
// A list of the names that an object has, sorted, as dir() gives; and of a dict's keys.
bool list_attributes(struct machine *machine, struct value object, struct value *list);
bool keys_in_order(struct machine *machine, const struct dict *dict, struct value *list);
bool update_dict(struct machine *machine, struct dict *dict, struct value from); // dict.update
bool raise_value(struct machine *machine, struct value exception);
bool raise_key(struct machine *machine, struct value key); // KeyError
// Where this exception, or one below it, is on its way: as if it had not been raised.
bool machine_is_cleared(struct machine *machine, enum exception exception);
struct value exception_new(struct machine *machine, struct class *class, int count,
                           const struct value *arguments);
bool import_module(struct machine *machine, const char *name, struct value *module);
// Names among which the nearest to another one is looked for (base/text.h), and those of a dict added to them.
enum { MOST_NAMES = 1024 };
struct names {
    const char *words[MOST_NAMES + 1]; // ends with NULL
    int count;
};
void names_add(struct names *names, const struct dict *dict);
const char *nearest_name(struct machine *machine, const char *name); // in sight; NULL: none
extern const struct native_row str_methods[], bytes_methods[], list_methods[], tuple_methods[],
    dict_methods[], set_methods[], iterator_methods[], int_methods[], float_methods[];
void add_builtin_types(struct machine *machine);
bool machine_has_room(
    struct machine *machine); // sweeps the heap where it has grown; false: the limit is reached

#endif
