#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

enum { FIRST_SWEEP = 8 << 20 };
static const int64_t default_memory = (int64_t)2 << 30;

// ---- The heap -----------------------------------------------------------------------------------

void *object_new(struct machine *machine, enum object_kind kind, size_t size) {
    struct object *object = calloc(1, size);
    if (object == NULL)
        fail(machine->arena->failure, FAIL_RUNTIME, "out of memory (%zu bytes asked)", size);
    object->kind = kind;
    object->next = machine->heap;
    machine->heap = object;
    machine->bytes += (int64_t)size;
    return object;
}

void machine_count_memory(struct machine *machine, int64_t bytes) {
    machine->bytes += bytes;
}

void machine_keep(struct machine *machine, struct value value) {
    if (machine->kept_count == machine->kept_room) {
        machine->kept_room = machine->kept_room < 64 ? 64 : machine->kept_room * 2;
        struct value *kept = realloc(machine->kept, (size_t)machine->kept_room * sizeof *kept);
        if (kept == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
        machine->kept = kept;
    }
    machine->kept[machine->kept_count++] = value;
}

// Objects whose parts are still to be marked stand on a list of their own: marking recurses nowhere.
static void mark_object(struct machine *machine, struct object *object) {
    if (object == NULL || object->is_marked) return;
    object->is_marked = true;
    machine_keep(machine, value_of_object(object));
}

void machine_mark(struct machine *machine, struct value value) {
    if (value.kind == VALUE_OBJECT) mark_object(machine, value.object);
}

static void mark_dict(struct machine *machine, const struct dict *dict) {
    for (int64_t i = 0; dict != NULL && i < dict->used; i++) {
        machine_mark(machine, dict->entries[i].key);
        machine_mark(machine, dict->entries[i].value);
    }
}

static void mark_values(struct machine *machine, const struct value *values, int64_t count) {
    for (int64_t i = 0; values != NULL && i < count; i++) machine_mark(machine, values[i]);
}

static void mark_function(struct machine *machine, const struct function *function) {
    mark_values(machine, function->defaults, function->node->parts[0]->part_count);
    mark_object(machine, function->frame);
    mark_object(machine, function->globals);
    mark_object(machine, function->owner);
}

static void mark_iterator(struct machine *machine, const struct iterator *iterator) {
    machine_mark(machine, iterator->of);
    mark_values(machine, iterator->others, iterator->count);
    mark_object(machine, (struct object *)iterator->frame);
}

static void mark_frame(struct machine *machine, const struct frame *frame) {
    mark_object(machine, (struct object *)frame->names);
    mark_object(machine, (struct object *)frame->outer);
    mark_object(machine, (struct object *)frame->globals);
    mark_object(machine, (struct object *)frame->owner);
    machine_mark(machine, frame->self);
}

static void mark_class(struct machine *machine, const struct class *class) {
    mark_object(machine, (struct object *)class->bases);
    mark_object(machine, (struct object *)class->order);
    mark_object(machine, (struct object *)class->names);
}

static void mark_parts(struct machine *machine, struct object *object) {
    switch (object->kind) {
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        mark_values(machine, ((struct list *)object)->items, ((struct list *)object)->count);
        break;
    case OBJECT_DICT:
    case OBJECT_SET:
        mark_dict(machine, (struct dict *)object);
        break;
    case OBJECT_SLICE:
        mark_values(machine, &((struct slice *)object)->start, 3);
        break;
    case OBJECT_FUNCTION:
        mark_function(machine, (struct function *)object);
        break;
    case OBJECT_METHOD:
        mark_values(machine, &((struct method *)object)->self, 2);
        break;
    case OBJECT_NATIVE:
        machine_mark(machine, ((struct native *)object)->self);
        break;
    case OBJECT_MODULE:
        mark_object(machine, (struct object *)((struct module *)object)->names);
        break;
    case OBJECT_CLASS:
        mark_class(machine, (struct class *)object);
        break;
    case OBJECT_INSTANCE:
        mark_object(machine, (struct object *)((struct instance *)object)->class);
        mark_object(machine, (struct object *)((struct instance *)object)->names);
        break;
    case OBJECT_ITERATOR:
        mark_iterator(machine, (struct iterator *)object);
        break;
    case OBJECT_FRAME:
        mark_frame(machine, (struct frame *)object);
        break;
    default:
        if (machine->methods[object->kind].mark != NULL)
            machine->methods[object->kind].mark(machine, object);
    }
}

static void free_object(struct machine *machine, struct object *object) {
    switch (object->kind) {
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        machine->bytes -= ((struct list *)object)->room * (int64_t)sizeof(struct value);
        free(((struct list *)object)->items);
        break;
    case OBJECT_DICT:
    case OBJECT_SET:
        machine->bytes -= ((struct dict *)object)->slot_count *
                          (int64_t)(sizeof(struct dict_entry) + sizeof(int64_t));
        dict_clear((struct dict *)object);
        break;
    case OBJECT_ITERATOR:
        free(((struct iterator *)object)->others);
        break;
    case OBJECT_FUNCTION:
        free(((struct function *)object)->defaults);
        break;
    default:
        if (machine->methods[object->kind].free != NULL)
            machine->methods[object->kind].free(machine, object);
    }
    free(object);
}

static size_t size_of(const struct object *object) {
    switch (object->kind) {
    case OBJECT_STR:
    case OBJECT_BYTES:
        return sizeof(struct str) + (size_t)((const struct str *)object)->length + 1;
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        return sizeof(struct list);
    case OBJECT_DICT:
    case OBJECT_SET:
        return sizeof(struct dict);
    case OBJECT_FRAME:
        return sizeof(struct frame);
    case OBJECT_ITERATOR:
        return sizeof(struct iterator);
    case OBJECT_INSTANCE:
        return sizeof(struct instance);
    default:
        return 0;
    }
}

static void mark_roots(struct machine *machine, int64_t kept) {
    for (int64_t i = 0; i < kept; i++) machine_mark(machine, machine->kept[i]);
    for (const struct call *call = machine->call; call != NULL; call = call->outer) {
        mark_object(machine, (struct object *)call->frame);
        machine_mark(machine, call->handled);
    }
    machine_mark(machine, machine->raised);
    machine_mark(machine, machine->returned);
    mark_object(machine, (struct object *)machine->modules);
    mark_object(machine, (struct object *)machine->builtins);
    mark_object(machine, (struct object *)machine->names);
    mark_object(machine, (struct object *)machine->scopes);
    for (int i = 0; i < EXCEPTION_COUNT; i++)
        mark_object(machine, (struct object *)machine->exceptions[i]);
    for (int i = 0; i <= OBJECT_NODE; i++)
        mark_object(machine, (struct object *)machine->classes[i]);
    struct class *const others[] = {
        machine->type_none,     machine->type_ellipsis, machine->type_bool,
        machine->type_int,      machine->type_float,    machine->type_type,
        machine->type_object,   machine->type_size,     machine->type_super,
        machine->type_property, machine->type_static,   machine->type_class_method,
        machine->type_frozenset};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        mark_object(machine, (struct object *)others[i]);
}

static void sweep(struct machine *machine) {
    const int64_t kept = machine->kept_count;
    mark_roots(machine, kept);
    while (machine->kept_count > kept)
        mark_parts(machine, machine->kept[--machine->kept_count].object);
    struct object **link = &machine->heap;
    while (*link != NULL) {
        struct object *object = *link;
        if (object->is_marked) {
            object->is_marked = false;
            link = &object->next;
            continue;
        }
        *link = object->next;
        machine->bytes -= (int64_t)size_of(object);
        free_object(machine, object);
    }
    machine->swept_at = machine->bytes > FIRST_SWEEP ? machine->bytes : FIRST_SWEEP;
}

bool raise_full(struct machine *machine) {
    return machine_raise(machine, MEMORY_ERROR,
                         "the program needs more than %lld bytes; --memory sets another limit",
                         (long long)machine->options.memory);
}

bool machine_has_room(struct machine *machine) {
    if (machine->bytes < 2 * machine->swept_at && machine->bytes < machine->options.memory)
        return true;
    sweep(machine);
    if (machine->bytes < machine->options.memory) return true;
    return raise_full(machine);
}

// ---- Exceptions ---------------------------------------------------------------------------------

static void add_trace(struct machine *machine, const struct call *call) {
    if (machine->trace_count == machine->trace_room) {
        machine->trace_room = machine->trace_room < 16 ? 16 : machine->trace_room * 2;
        struct traced *trace = realloc(machine->trace, (size_t)machine->trace_room * sizeof *trace);
        if (trace == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
        machine->trace = trace;
    }
    machine->trace[machine->trace_count++] =
        (struct traced){call->frame->program, call->node, call->frame->function};
}

bool raise_value(struct machine *machine, struct value exception) {
    machine->raised = exception;
    machine->trace_count = 0;
    for (const struct call *call = machine->call; call != NULL; call = call->outer)
        add_trace(machine, call);
    return false;
}

struct value exception_new(struct machine *machine, struct class *class, int count,
                           const struct value *arguments) {
    struct instance *instance = object_new(machine, OBJECT_INSTANCE, sizeof *instance);
    instance->class = class;
    instance->names = (struct dict *)dict_new(machine).object;
    dict_name(machine, instance->names, "args", tuple_new(machine, count, arguments));
    return value_of_object(instance);
}

bool machine_raise(struct machine *machine, enum exception exception, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const struct value text = str_format_list(machine, format, arguments);
    va_end(arguments);
    const bool has_text = ((const struct str *)text.object)->length > 0;
    return raise_value(machine,
                       exception_new(machine, machine->exceptions[exception], has_text, &text));
}

struct class *machine_exception_class(struct machine *machine, enum exception exception) {
    return machine->exceptions[exception];
}

bool machine_is_raised(const struct machine *machine, enum exception exception) {
    return machine->raised.kind == VALUE_OBJECT &&
           is_subclass(((const struct instance *)machine->raised.object)->class,
                       machine->exceptions[exception]);
}

void machine_clear(struct machine *machine) {
    machine->raised = NO_VALUE;
    machine->trace_count = 0;
}

const char *machine_error_type(const struct machine *machine) {
    const struct class *class = ((const struct instance *)machine->raised.object)->class;
    const bool is_plain =
        strcmp(class->module, "builtins") == 0 || strcmp(class->module, "__main__") == 0;
    return is_plain ? class->name
                    : arena_format(machine->arena, "%s.%s", class->module, class->name);
}

const char *machine_error_message(struct machine *machine, struct arena *arena) {
    const struct value raised = machine->raised;
    struct value text;
    const bool is_done = value_str(machine, raised, &text);
    machine->raised = raised;
    return is_done ? arena_copy(arena, ((struct str *)text.object)->bytes) : "";
}

int machine_traceback(const struct machine *machine, const struct traced **frames) {
    *frames = machine->trace;
    return machine->trace_count;
}

bool machine_attempt(struct machine *machine, enum exception exception,
                     void (*action)(void *context), void *context) {
    struct failure *failure = machine->arena->failure;
    if (attempt(failure, action, context)) return true;
    if (failure->status == FAIL_RUNTIME) return raise_full(machine);
    return machine_raise(machine, exception, "%s", failure->message);
}

// ---- Modules ------------------------------------------------------------------------------------

struct module *machine_module(struct machine *machine, const char *name) {
    const struct value there = dict_named(machine->modules, name);
    if (there.kind == VALUE_OBJECT) return (struct module *)there.object;
    struct module *module = object_new(machine, OBJECT_MODULE, sizeof *module);
    const struct value value = value_of_object(module);
    module->name = arena_copy(machine->arena, name);
    dict_name(machine, machine->modules, name, value);
    module->names = (struct dict *)dict_new(machine).object;
    dict_name(machine, module->names, "__name__", str_of(machine, name));
    const char *dot = strrchr(name, '.'); // torch.nn is also the name nn in torch
    if (dot != NULL) {
        char *parent = arena_copy_bytes(machine->arena, name, (size_t)(dot - name));
        module_set(machine, machine_module(machine, parent), dot + 1, value);
    }
    return module;
}

void module_add(struct machine *machine, struct module *module, const struct native_row *rows) {
    for (const struct native_row *row = rows; row->name != NULL; row++) {
        struct native *native = object_new(machine, OBJECT_NATIVE, sizeof *native);
        native->row = row;
        module_set(machine, module, row->name, value_of_object(native));
    }
}

void module_set(struct machine *machine, struct module *module, const char *name,
                struct value value) {
    dict_name(machine, module->names, name, value);
}

void module_prelude(struct machine *machine, struct module *module, const char *file,
                    const char *source) {
    struct prelude *prelude = arena_allocate(machine->arena, sizeof *prelude);
    *prelude = (struct prelude){machine->preludes, module, file, source, false};
    machine->preludes = prelude;
}

void *machine_library(struct machine *machine, const char *name) {
    for (const struct library *library = machine->libraries; library != NULL;
         library = library->next)
        if (strcmp(library->name, name) == 0) return library->data;
    return NULL;
}

void machine_set_library(struct machine *machine, const char *name, void *data) {
    struct library *library = arena_allocate(machine->arena, sizeof *library);
    *library = (struct library){machine->libraries, name, data};
    machine->libraries = library;
}

void machine_add_methods(struct machine *machine, enum object_kind kind,
                         const struct object_methods *methods) {
    machine->methods[kind] = *methods;
}

// ---- The whole ----------------------------------------------------------------------------------

struct str *interned(struct machine *machine, const char *text) {
    struct value name = dict_named(machine->names, text);
    if (name.kind == VALUE_OBJECT) return (struct str *)name.object;
    name = str_of(machine, text);
    dict_set(machine, machine->names, name, name);
    return (struct str *)name.object;
}

struct str *name_of(struct machine *machine, const struct node *node) {
    if (node->name == NULL)
        ((struct node *)node)->name = (struct object *)interned(machine, node->text);
    return (struct str *)node->name;
}

struct arena *machine_arena(struct machine *machine) {
    return machine->arena;
}

const struct node *machine_node(const struct machine *machine) {
    return machine->call != NULL ? machine->call->node : NULL;
}

const struct machine_options *machine_options_of(const struct machine *machine) {
    return &machine->options;
}

struct dict *machine_globals(struct machine *machine) {
    return machine->main->names;
}

struct machine *machine_new(struct arena *arena, const struct machine_options *options) {
    struct machine *machine = arena_allocate(arena, sizeof *machine);
    machine->arena = arena;
    machine->options = *options;
    if (machine->options.memory == 0) machine->options.memory = default_memory;
    machine->swept_at = FIRST_SWEEP;
    arena->limit = arena->used + (size_t)machine->options.memory; // tensors live there
    machine->names = (struct dict *)dict_new(machine).object;
    machine->modules = (struct dict *)dict_new(machine).object;
    machine->builtins = (struct dict *)dict_new(machine).object;
    machine->scopes = (struct list *)list_new(machine, 0, NULL).object;
    add_builtin_types(machine);
    machine->main = machine_module(machine, "__main__");
    machine_add_builtins(machine);
    machine_add_math(machine);
    machine_add_torch(machine);
    machine_add_prelude(machine);
    return machine;
}

void machine_free(struct machine *machine) {
    for (struct object *object = machine->heap, *next; object != NULL; object = next) {
        next = object->next;
        free_object(machine, object);
    }
    machine->heap = NULL;
    free(machine->kept);
    free(machine->trace);
    machine->kept = NULL;
    machine->trace = NULL;
}
