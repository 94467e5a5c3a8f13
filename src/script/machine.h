#ifndef ONESTEP_SCRIPT_MACHINE_H
#define ONESTEP_SCRIPT_MACHINE_H

// The machine runs programs: it has their heap, their modules, the running calls and the exception that is on its way. No
// function here leaves by fail(): a failure of an operation on tensors becomes an exception (machine_attempt).

#include "base/arena.h"
#include "base/text.h"
#include "script/syntax/tree.h"
#include "script/value.h"
#include "tensor/number/generator.h"
#include "tensor/origin.h"

enum exception {
    EXCEPTION,
    ARITHMETIC_ERROR,
    ZERO_DIVISION_ERROR,
    OVERFLOW_ERROR,
    ASSERTION_ERROR,
    ATTRIBUTE_ERROR,
    IMPORT_ERROR,
    MODULE_NOT_FOUND_ERROR,
    LOOKUP_ERROR,
    INDEX_ERROR,
    KEY_ERROR,
    MEMORY_ERROR,
    NAME_ERROR,
    UNBOUND_LOCAL_ERROR,
    OS_ERROR,
    RUNTIME_ERROR,
    NOT_IMPLEMENTED_ERROR,
    RECURSION_ERROR,
    STOP_ITERATION,
    SYNTAX_ERROR,
    TYPE_ERROR,
    VALUE_ERROR,
    UNICODE_ERROR,
    KEYBOARD_INTERRUPT,
    GENERATOR_EXIT,
    EXCEPTION_COUNT
};

// What happens in a program, for whoever watches it run.
enum event_kind {
    EVENT_BEGIN, // a statement
    EVENT_END,   // it is done, or EVENT_FAIL: it raised `value`
    EVENT_FAIL,
    EVENT_BIND, // `node`, a target, is bound to `value`; of an index or attribute, in the object `of`
    EVENT_RETURN,    // `node`, a return, gives `value`
    EVENT_WRITE,     // the tensor `value` is written in place
    EVENT_GRADIENT,  // the leaf `value` got a gradient
    EVENT_CALL,      // of a function; `node` is what its caller evaluates
    EVENT_CALL_END,  // with its result `value`; NO_VALUE where it raised
    EVENT_TURN,      // of a loop or a comprehension: `node`
    EVENT_TURNS_END, // of a comprehension
};
struct event {
    enum event_kind kind;
    const struct node *node;
    struct value value, of;
    // Where: the call that runs. function: "<module>" for the program itself. owner: the class of a method.
    const struct program *program;
    const char *function;
    const struct class *owner;
    struct value self; // the first argument
    struct dict *names, *globals;
};

struct machine_options {
    int64_t memory;            // bytes that a program may have at once; 0: 2 GiB (in 32 bits 1 GiB)
    int64_t steps;             // statements and items of loops that may be taken; 0: no limit
    bool sweeps_always;        // the heap, at every statement: for tests
    enum bernoulli stream;     // of dropout
    const volatile bool *stop; // NULL, or ends the run when it becomes true (KeyboardInterrupt)
    void (*print)(void *context, const char *bytes, size_t length); // standard output
    void (*observe)(void *context, const struct event *event);      // or NULL
    const bool
        *wants_lines; // while it is true, an optimizer takes its update line by line; or NULL
    void *context;
};

// One frame of a traceback.
struct traced {
    const struct program *program;
    const struct node *node;
    const char *function;
};

struct machine;

// A new machine in the arena; machine_free frees its heap. The libraries (builtins, torch, math, ...) are there, the prelude is
// parsed when it is first used.
struct machine *machine_new(struct arena *arena, const struct machine_options *options);
void machine_free(struct machine *machine);

// Before another program on the same machine: "__main__" has no names, nothing has run, and the generator, gradients and
// printing are as they were at first. Modules that were loaded stay. It may take so many steps; 0: no limit.
void machine_restart(struct machine *machine, int64_t steps);

// What "__main__" binds now, the generator and the steps so far, to go on from here again: the number of the place, from 0. The
// objects themselves are not copied: only what changes none of them in place may follow.
int machine_remember(struct machine *machine);
// As machine_restart, at a place. It may take so many further steps; 0: no limit.
void machine_recall(struct machine *machine, int position, int64_t steps);

// Runs the program's statements in its module "__main__". False if an exception was not caught.
bool machine_run(struct machine *machine, const struct program *program);
// The value of a program that is a single expression.
bool machine_evaluate(struct machine *machine, const struct program *program, struct value *value);
// Takes the names that the program binds out of "__main__", and adds them to `names`, a blank behind each.
void machine_unbind(struct machine *machine, const struct program *program, struct text *names);
// Was the program stopped, or has it come to its limit of steps? Then no other runs on this machine.
bool machine_is_over(const struct machine *machine);
// Dropout draws from this stream from now on.
void machine_draw_from(struct machine *machine, enum bernoulli stream);
// The exception that was not caught: "ValueError", its message (several lines perhaps), and where, innermost first.
const char *machine_error_type(const struct machine *machine);
const char *machine_error_message(struct machine *machine, struct arena *arena);
int machine_traceback(const struct machine *machine, const struct traced **frames);

// ---- For libraries -----------------------------------------------------------------------------

// Raises; returns false, for `return machine_raise(...)`.
bool machine_raise(struct machine *machine, enum exception exception, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Tells whoever watches.
void machine_tell(struct machine *machine, enum event_kind kind, const struct node *node,
                  struct value value, struct value of);
struct class *machine_exception_class(struct machine *machine, enum exception exception);
bool machine_is_raised(const struct machine *machine,
                       enum exception exception); // of this class or one below it
void machine_clear(struct machine *machine);      // as if nothing had been raised

// Heap objects: zeroed. The heap is swept only at the beginning of statements, so what a native function makes stays until it
// returns, unless it calls machine_call or iterates: then it keeps what it needs by machine_keep until it returns.
void *object_new(struct machine *machine, enum object_kind kind, size_t size);
void machine_keep(struct machine *machine, struct value value);
// How objects of the kinds of another library are marked and freed: called for each object of the kind.
struct object_methods {
    void (*mark)(struct machine *machine, struct object *object);
    void (*free)(struct machine *machine, struct object *object);
    bool (*get)(struct machine *machine, struct value self, const char *name,
                struct value *value); // *value NO_VALUE: none
    const char *const
        *attributes; // names that `get` answers, for dir(), NULL behind the last; or NULL
    bool (*set)(struct machine *machine, struct value self, const char *name, struct value value);
    bool (*repr)(struct machine *machine, struct value self, struct value *text);
    bool (*format)(struct machine *machine, struct value self, const char *specification,
                   struct value *text);
    bool (*truth)(struct machine *machine, struct value self, bool *truth);
    bool (*length)(struct machine *machine, struct value self, int64_t *length);
    bool (*index)(struct machine *machine, struct value self, struct value index,
                  struct value *value);
    bool (*set_index)(struct machine *machine, struct value self, struct value index,
                      struct value value);
    // a op b, where one of them is such an object; *value NO_VALUE: not supported. Also comparisons.
    bool (*binary)(struct machine *machine, enum operator operator, struct value a, struct value b,
                   struct value *value);
    bool (*in_place)(struct machine *machine, enum operator operator, struct value a,
                     struct value b, struct value *value);
    bool (*unary)(struct machine *machine, enum operator operator, struct value a,
                  struct value *value);
    bool (*iterate)(struct machine *machine, struct value self, int64_t i,
                    struct value *item); // *item NO_VALUE: the end
    struct class *(*class_of)(
        struct machine *machine,
        struct value self); // for type() and isinstance(); its `methods` are looked up too
};
// The class of any value.
struct class *machine_class(struct machine *machine, struct value value);
bool is_subclass(const struct class *class, const struct class *of);
// A new class of built-in values: its constructor (or NULL) and its methods (rows whose first parameter is the object; or NULL).
struct class *class_new(struct machine *machine, const char *module, const char *name,
                        const struct native_row *construct, const struct native_row *methods);
void machine_mark(struct machine *machine, struct value value);
void machine_add_methods(struct machine *machine, enum object_kind kind,
                         const struct object_methods *methods);
void machine_count_memory(struct machine *machine,
                          int64_t bytes); // more, or fewer, that objects hold beside themselves

// A new module, or the one that is there; and a function or a value in it.
struct module *machine_module(struct machine *machine, const char *name);
void module_add(struct machine *machine, struct module *module,
                const struct native_row *rows); // ends with a row without name
void module_set(struct machine *machine, struct module *module, const char *name,
                struct value value);
// Python source of a module, which is run when the module is first imported or one of its names is first asked for.
void module_prelude(struct machine *machine, struct module *module, const char *file,
                    const char *source);

bool machine_call(struct machine *machine, struct value function, int count,
                  const struct value *arguments, struct value *result);
bool machine_get(struct machine *machine, struct value object, const char *name,
                 struct value *value);
bool machine_set(struct machine *machine, struct value object, const char *name,
                 struct value value);
// Iterating: *iterator is kept for you. *item is NO_VALUE behind the last.
bool machine_iterate(struct machine *machine, struct value iterable, struct value *iterator);
bool machine_next(struct machine *machine, struct value iterator, struct value *item);
// As a list of its items.
bool machine_list_of(struct machine *machine, struct value iterable, struct list **list);

// Does action(context), which may fail(): its message becomes an exception of the class.
bool machine_attempt(struct machine *machine, enum exception exception,
                     void (*action)(void *context), void *context);

struct arena *machine_arena(struct machine *machine); // lives as long as the machine
// Of tensors. What the sweep of the heap does not find is gone (base/swept.h): action(machine) marks it, when all objects that
// stay are marked and none is freed yet. A machine that is watched keeps all.
struct arena *machine_tensors(struct machine *machine);
void machine_before_sweep(struct machine *machine, void (*action)(struct machine *machine));
const struct node *machine_node(
    const struct machine *machine); // that is being evaluated; a tensor's origin in the program
int64_t machine_steps(const struct machine *machine); // statements that ran
const struct machine_options *machine_options_of(const struct machine *machine);
void *machine_library(struct machine *machine,
                      const char *name); // what a library keeps; NULL: nothing yet
void machine_set_library(struct machine *machine, const char *name, void *data);

// The libraries, each in a file of its own; called by machine_new.
void machine_add_builtins(struct machine *machine);
void machine_add_math(struct machine *machine);
void machine_add_torch(struct machine *machine);
void machine_restart_torch(struct machine *machine);
struct generator *machine_generator(struct machine *machine); // torch's own
void machine_add_prelude(struct machine *machine);
// A module of Python's own library that is not here: what a program takes of it is refused where it is used. NULL: no such.
struct module *refused_module(struct machine *machine, const char *name);

#endif
