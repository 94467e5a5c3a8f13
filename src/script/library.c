// Modules, what libraries keep, and the machine as a whole.

#include <string.h>

#include "base/swept.h"
#include "script/inside.h"

// Where addresses have 32 bits, as in the page, there is no more.
static const int64_t default_memory = (int64_t)(sizeof(void *) > 4 ? 2048 : 1024) << 20;

// ---- Modules ------------------------------------------------------------------------------------

void machine_restart(struct machine *machine, int64_t steps) {
    dict_clear(machine, machine->main->names);
    dict_name(machine, machine->main->names, "__name__", str_of(machine, "__main__"));
    machine_clear(machine);
    machine->steps = 0;
    machine->options.steps = steps;
    machine_restart_torch(machine);
}

static void copy_names(struct machine *machine, struct dict *to, const struct dict *from) {
    struct value key, value;
    dict_clear(machine, to);
    for (int64_t i = 0; dict_next(from, &i, &key, &value);)
        dict_name(machine, to, ((struct str *)key.object)->bytes, value);
}

int machine_remember(struct machine *machine) {
    const size_t size = sizeof *machine->places;
    const int position = machine->place_count++;
    machine->places = arena_grow(machine->arena, machine->places, (size_t)position * size, size);
    machine->places[position] = (struct place_in_run){
        machine_module(machine, arena_format(machine->arena, "place %d", position))->names,
        *machine_generator(machine), machine->options.stream};
    copy_names(machine, machine->places[position].names, machine->main->names);
    return position;
}

void machine_recall(struct machine *machine, int position, int64_t steps) {
    machine_restart(machine, steps);
    copy_names(machine, machine->main->names, machine->places[position].names);
    *machine_generator(machine) = machine->places[position].generator;
    machine_draw_from(machine, machine->places[position].stream);
}

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
    for (const struct native_row *row = rows; row->name != NULL; row++)
        module_set(machine, module, row->name, native_new(machine, row, NO_VALUE));
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
        if (library->name == name || strcmp(library->name, name) == 0) return library->data;
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

struct value interned_str(struct machine *machine, struct value str) {
    const struct value there = dict_of_str(machine->names, as_str(str));
    if (there.kind != VALUE_ABSENT) return there;
    dict_set(machine, machine->names, str, str);
    return str;
}

struct str *interned(struct machine *machine, const char *text) {
    const struct value there = dict_named(machine->names, text);
    return as_str(there.kind != VALUE_ABSENT ? there
                                             : interned_str(machine, str_of(machine, text)));
}

// Several machines run the same tree of a prelude.
struct object *kept_at(const struct machine *machine, const struct node *node) {
    return node->machine == machine->number ? node->name : NULL;
}

struct object *keep_at(const struct machine *machine, const struct node *node,
                       struct object *name) {
    ((struct node *)node)->machine = machine->number;
    return ((struct node *)node)->name = name;
}

struct str *name_of(struct machine *machine, const struct node *node) {
    const struct object *name = kept_at(machine, node);
    if (name == NULL) name = keep_at(machine, node, (struct object *)interned(machine, node->text));
    return (struct str *)name;
}

struct arena *machine_arena(struct machine *machine) {
    return machine->arena;
}

struct arena *machine_tensors(struct machine *machine) {
    return machine->tensors;
}

void machine_before_sweep(struct machine *machine, void (*action)(struct machine *machine)) {
    machine->before_sweep = action;
}

const struct node *machine_node(const struct machine *machine) {
    return machine->call != NULL ? machine->call->node : NULL;
}

int64_t machine_steps(const struct machine *machine) {
    return machine->steps;
}

const struct machine_options *machine_options_of(const struct machine *machine) {
    return &machine->options;
}

// A machine that is being made; NULL: it is whole.
static void give_up(void *context) {
    struct machine *machine = *(struct machine **)context;
    if (machine != NULL) machine_free(machine);
}

struct machine *machine_new(struct arena *arena, const struct machine_options *options) {
    static unsigned last;
    struct machine *machine = arena_allocate(arena, sizeof *machine);
    machine->number = ++last;
    machine->arena = arena;
    machine->stack = (intptr_t)__builtin_frame_address(0);
    machine->options = *options;
    if (machine->options.memory == 0) machine->options.memory = default_memory;
    arena->limit = arena->used + (size_t)machine->options.memory;
    machine->tensors = options->observe != NULL ? arena : arena_child_swept(arena);
    if (machine->tensors != arena) machine->tensors->limit = (size_t)machine->options.memory;
    struct machine *unfinished = machine;
    struct cleanup cleanup;
    cleanup_open(&cleanup, arena->failure, give_up, &unfinished);
    machine->names = (struct dict *)dict_new(machine).object;
    machine->modules = (struct dict *)dict_new(machine).object;
    machine->builtins = (struct dict *)dict_new(machine).object;
    machine->signatures = as_dict(dict_new(machine));
    add_builtin_types(machine);
    machine->main = machine_module(machine, "__main__");
    machine_add_builtins(machine);
    machine_add_math(machine);
    machine_add_torch(machine);
    machine_add_prelude(machine);
    heap_settle(machine);
    unfinished = NULL;
    cleanup_close(&cleanup);
    return machine;
}
