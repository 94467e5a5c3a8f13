// The heap: objects, marking, sweeping.

#include <stdlib.h>

#include "script/inside.h"

enum { FIRST_SWEEP = 8 << 20 };

void *or_fail(struct machine *machine, void *memory) {
    if (memory == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
    return memory;
}

void *object_new(struct machine *machine, enum object_kind kind, size_t size) {
    struct object *object = or_fail(machine, calloc(1, size));
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
        machine->kept = or_fail(
            machine, realloc(machine->kept, (size_t)machine->kept_room * sizeof *machine->kept));
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
    MARK(class->bases, class->order, class->names);
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
    static const size_t sizes[OBJECT_NODE + 1] = {
        [OBJECT_STR] = sizeof(struct str) + 1,       [OBJECT_BYTES] = sizeof(struct str) + 1,
        [OBJECT_LIST] = sizeof(struct list),         [OBJECT_TUPLE] = sizeof(struct list),
        [OBJECT_DICT] = sizeof(struct dict),         [OBJECT_SET] = sizeof(struct dict),
        [OBJECT_FRAME] = sizeof(struct frame),       [OBJECT_ITERATOR] = sizeof(struct iterator),
        [OBJECT_INSTANCE] = sizeof(struct instance),
    };
    const bool is_str = object->kind == OBJECT_STR || object->kind == OBJECT_BYTES;
    return sizes[object->kind] + (is_str ? (size_t)((const struct str *)object)->length : 0);
}

static void mark_roots(struct machine *machine, int64_t kept) {
    for (int64_t i = 0; i < kept; i++) machine_mark(machine, machine->kept[i]);
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
    machine->swept_at = machine->bytes;
}

bool raise_full(struct machine *machine) {
    const bool is_watched = machine->options.observe != NULL; // by a command without --memory
    return machine_raise(machine, MEMORY_ERROR, "the program needs more than %lld bytes%s",
                         (long long)machine->options.memory,
                         is_watched ? "" : "; --memory sets another limit");
}

bool machine_has_room(struct machine *machine) {
    const int64_t before = machine->swept_at > FIRST_SWEEP ? machine->swept_at : FIRST_SWEEP;
    if (machine->bytes < 2 * before && machine->bytes < machine->options.memory) return true;
    sweep(machine);
    if (machine->bytes < machine->options.memory) return true;
    return raise_full(machine);
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
