// The heap: objects, marking, sweeping.

#include <stdlib.h>
#include <string.h>

#include "base/swept.h"
#include "script/inside.h"

enum { FIRST_SWEEP = 1 << 20 };

void *or_fail(struct machine *machine, void *memory) {
    if (memory == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
    return memory;
}

void *object_new(struct machine *machine, enum object_kind kind, size_t size) {
    struct object *object = pool_take(machine, size);
    memset(object, 0, size);
    object->kind = kind;
    object->size = size <= UINT16_MAX ? (uint16_t)size : 0;
    object->next = machine->heap;
    machine->heap = object;
    machine->bytes += (int64_t)size;
    return object;
}

void machine_count_memory(struct machine *machine, int64_t bytes) {
    machine->bytes += bytes;
}

void machine_keep(struct machine *machine, struct value value) {
    if (machine->root_count == machine->root_room) {
        const int64_t room = machine->root_room < 64 ? 64 : machine->root_room * 2;
        machine->roots =
            or_fail(machine, realloc(machine->roots, (size_t)room * sizeof *machine->roots));
        machine->root_room = room;
    }
    machine->roots[machine->root_count++] = value;
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

static void mark_objects(struct machine *machine, int count, const void *const *objects) {
    for (int i = 0; i < count; i++) mark_object(machine, (struct object *)objects[i]);
}
#define MARK(...)                                                                                  \
    mark_objects(machine, (int)(sizeof(const void *[]){__VA_ARGS__} / sizeof(void *)),             \
                 (const void *[]){__VA_ARGS__})

static void mark_function(struct machine *machine, const struct function *function) {
    mark_values(machine, function->defaults, function->node->parts[0]->part_count);
    MARK(function->frame, function->globals, function->owner, function->names);
}

static void mark_iterator(struct machine *machine, const struct iterator *iterator) {
    machine_mark(machine, iterator->of);
    mark_values(machine, iterator->others, iterator->count);
    MARK(iterator->frame);
}

static void mark_frame(struct machine *machine, const struct frame *frame) {
    machine_mark(machine, frame->self);
    MARK(frame->names, frame->outer, frame->globals, frame->owner);
}

static void mark_class(struct machine *machine, const struct class *class) {
    MARK(class->bases, class->order, class->names, class->rows);
}

static void mark_instance(struct machine *machine, const struct instance *instance) {
    machine_mark(machine, instance->inner);
    MARK(instance->class, instance->names);
}

static void mark_parts(struct machine *machine, struct object *object) {
    switch (object->kind) {
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        return mark_values(machine, ((struct list *)object)->items, ((struct list *)object)->count);
    case OBJECT_DICT:
    case OBJECT_SET:
        return mark_dict(machine, (struct dict *)object);
    case OBJECT_SLICE:
        return mark_values(machine, &((struct slice *)object)->start, 3);
    case OBJECT_FUNCTION:
        return mark_function(machine, (struct function *)object);
    case OBJECT_METHOD:
        return mark_values(machine, &((struct method *)object)->self, 2);
    case OBJECT_NATIVE:
        return machine_mark(machine, ((struct native *)object)->self);
    case OBJECT_MODULE:
        return mark_object(machine, (struct object *)((struct module *)object)->names);
    case OBJECT_CLASS:
        return mark_class(machine, (struct class *)object);
    case OBJECT_INSTANCE:
        return mark_instance(machine, (struct instance *)object);
    case OBJECT_ITERATOR:
        return mark_iterator(machine, (struct iterator *)object);
    case OBJECT_FRAME:
        return mark_frame(machine, (struct frame *)object);
    default:
        if (machine->methods[object->kind].mark != NULL)
            machine->methods[object->kind].mark(machine, object);
    }
}

// Only texts are larger than what an object says of itself.
static size_t size_of(const struct object *object) {
    return object->size > 0 ? object->size
                            : sizeof(struct str) + (size_t)((const struct str *)object)->length + 1;
}

static void free_items(struct machine *machine, const struct list *list) {
    const size_t size = (size_t)list->room * sizeof *list->items;
    machine->bytes -= (int64_t)size;
    pool_give(machine, list->items, size);
}

static void free_object(struct machine *machine, struct object *object) {
    switch (object->kind) {
    case OBJECT_LIST:
    case OBJECT_TUPLE:
        free_items(machine, (struct list *)object);
        break;
    case OBJECT_DICT:
    case OBJECT_SET:
        dict_clear(machine, (struct dict *)object);
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
    const size_t size = size_of(object);
    machine->bytes -= (int64_t)size;
    pool_give(machine, object, size);
}

static void mark_roots(struct machine *machine, int64_t count) {
    for (int64_t i = 0; i < count; i++) machine_mark(machine, machine->roots[i]);
    for (const struct call *call = machine->call; call != NULL; call = call->outer) {
        mark_object(machine, (struct object *)call->frame);
        machine_mark(machine, call->handled);
    }
    machine_mark(machine, machine->raised);
    machine_mark(machine, machine->returned);
    MARK(machine->modules, machine->builtins, machine->names, machine->signatures);
    for (int i = 0; i < EXCEPTION_COUNT; i++) MARK(machine->exceptions[i]);
    for (int i = 0; i <= OBJECT_NODE; i++) MARK(machine->classes[i]);
    MARK(machine->type_none, machine->type_ellipsis, machine->type_bool, machine->type_int,
         machine->type_float, machine->type_type, machine->type_object, machine->type_size,
         machine->type_super, machine->type_property, machine->type_static,
         machine->type_class_method, machine->type_frozenset);
}

static int64_t bytes_of_all(const struct machine *machine) {
    return machine->bytes +
           (machine->tensors != machine->arena ? (int64_t)machine->tensors->used : 0);
}

// What objects take is not there for tensors.
static void sweep_tensors(struct machine *machine) {
    const int64_t rest = machine->options.memory - machine->bytes;
    arena_sweep(machine->tensors);
    machine->tensors->limit = rest > 1 ? (size_t)rest : 1;
}

static void sweep(struct machine *machine) {
    const int64_t roots = machine->root_count;
    mark_roots(machine, roots);
    while (machine->root_count > roots)
        mark_parts(machine, machine->roots[--machine->root_count].object);
    if (machine->before_sweep != NULL) machine->before_sweep(machine);
    struct object **link = &machine->heap;
    while (*link != NULL) {
        struct object *object = *link;
        if (object->is_marked) {
            object->is_marked = false;
            link = &object->next;
            continue;
        }
        *link = object->next;
        free_object(machine, object);
    }
    if (machine->before_sweep != NULL) sweep_tensors(machine);
    machine->swept_at = bytes_of_all(machine);
}

bool raise_full(struct machine *machine) {
    const bool is_watched = machine->options.observe != NULL; // by a command without --memory
    return machine_raise(machine, MEMORY_ERROR, "the program needs more than %lld bytes%s",
                         (long long)machine->options.memory,
                         is_watched ? "" : "; --memory sets another limit");
}

bool machine_has_room(struct machine *machine) {
    const int64_t before = machine->swept_at > FIRST_SWEEP ? machine->swept_at : FIRST_SWEEP;
    const int64_t bytes = bytes_of_all(machine), most = machine->options.memory;
    // Before the limit is reached in the middle of a statement.
    const bool is_near = bytes > most / 2 && bytes - machine->swept_at > most / 16;
    if (bytes < 2 * before && bytes < most && !is_near && !machine->options.sweeps_always)
        return true;
    sweep(machine);
    if (bytes_of_all(machine) < most) return true;
    return raise_full(machine);
}

void heap_settle(struct machine *machine) {
    for (struct object **link = &machine->heap; *link != NULL;) {
        struct object *object = *link;
        if (object->kind != OBJECT_STR && (object->kind != OBJECT_NATIVE ||
                                           ((struct native *)object)->self.kind != VALUE_ABSENT)) {
            link = &object->next;
            continue;
        }
        *link = object->next;
        object->is_marked = true;
        object->next = machine->settled;
        machine->settled = object;
    }
}

static void free_all(struct machine *machine, struct object *object) {
    for (struct object *next; object != NULL; object = next) {
        next = object->next;
        free_object(machine, object);
    }
}

void machine_free(struct machine *machine) {
    free_all(machine, machine->heap);
    free_all(machine, machine->settled);
    machine->heap = machine->settled = NULL;
    free(machine->roots);
    free(machine->trace);
    machine->roots = NULL;
    machine->trace = NULL;
}
