// The heap: objects, marking, sweeping.

#include <stdlib.h>

#include "script/dict.h"

enum { FIRST_SWEEP = 8 << 20 };

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
        machine_mark(machine, ((struct instance *)object)->inner);
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
    mark_object(machine, (struct object *)machine->signatures);
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
    machine->swept_at = machine->bytes;
}

bool raise_full(struct machine *machine) {
    return machine_raise(machine, MEMORY_ERROR,
                         "the program needs more than %lld bytes; --memory sets another limit",
                         (long long)machine->options.memory);
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
