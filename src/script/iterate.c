// Iterators, comprehensions and generator expressions.

#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

struct value iterator_new(struct machine *machine, enum iterator_kind kind, struct value of) {
    struct iterator *iterator = object_new(machine, OBJECT_ITERATOR, sizeof *iterator);
    iterator->iterates = kind;
    iterator->of = of;
    iterator->level = -1;
    return value_of_object(iterator);
}

static bool raise_not_iterable(struct machine *machine, struct value value) {
    return machine_raise(machine, TYPE_ERROR, "'%s' object is not iterable", type_name(value));
}

bool machine_iterate(struct machine *machine, struct value iterable, struct value *iterator) {
    static const enum iterator_kind kinds[] = {
        [OBJECT_STR] = ITERATE_STR,    [OBJECT_BYTES] = ITERATE_STR, [OBJECT_LIST] = ITERATE_LIST,
        [OBJECT_TUPLE] = ITERATE_LIST, [OBJECT_DICT] = ITERATE_DICT, [OBJECT_SET] = ITERATE_DICT,
        [OBJECT_RANGE] = ITERATE_RANGE};
    if (iterable.kind != VALUE_OBJECT) return raise_not_iterable(machine, iterable);
    const enum object_kind kind = iterable.object->kind;
    *iterator = iterable;
    if (kind == OBJECT_ITERATOR) return true;
    bool is_there = false;
    struct value found;
    if (kind == OBJECT_INSTANCE &&
        !call_method(machine, iterable, "__iter__", 0, NULL, iterator, &is_there))
        return false;
    if (kind <= OBJECT_RANGE)
        *iterator = iterator_new(machine, kinds[kind], iterable);
    else if (machine->methods[kind].iterate != NULL)
        *iterator = iterator_new(machine, ITERATE_METHODS, iterable);
    else if (kind == OBJECT_INSTANCE && !is_there &&
             class_find(as_instance(iterable)->class, "__getitem__", &found))
        *iterator = iterator_new(machine, ITERATE_INSTANCE, iterable);
    else if (!is_there && inner_of(iterable).object != iterable.object)
        return machine_iterate(machine, inner_of(iterable), iterator);
    else if (!is_there)
        return raise_not_iterable(machine, iterable);
    if (kind == OBJECT_DICT || kind == OBJECT_SET)
        as_iterator(*iterator)->size = dict_count(as_dict(iterable));
    machine_keep(machine, *iterator);
    return true;
}

static bool next_of_str(struct machine *machine, struct iterator *iterator, struct value *item) {
    const struct str *str = as_str(iterator->of);
    if (iterator->at >= str->length) return true;
    if (str->object.kind == OBJECT_BYTES) {
        *item = value_of_int((unsigned char)str->bytes[iterator->at++]);
        return true;
    }
    const char *next = str->bytes + iterator->at;
    utf8_next(&next);
    const int64_t end = next - str->bytes > iterator->at ? next - str->bytes : iterator->at + 1;
    *item = str_new(machine, str->bytes + iterator->at, end - iterator->at);
    iterator->at = end;
    return true;
}

static bool next_of_range(struct iterator *iterator, struct value *item) {
    const struct range *range = (const struct range *)iterator->of.object;
    const int64_t n = range->start + iterator->at * range->step;
    if (range->step > 0 ? n >= range->stop : n <= range->stop) return true;
    iterator->at++;
    *item = value_of_int(n);
    return true;
}

// A tuple of the next items of all; NO_VALUE where one has ended.
static bool next_of_zip(struct machine *machine, struct iterator *iterator, struct value *item) {
    const struct value tuple = tuple_new(machine, iterator->count, NULL);
    machine_keep(machine, tuple);
    for (int64_t i = 0; i < iterator->count; i++) {
        struct value one;
        if (!machine_next(machine, iterator->others[i], &one)) return false;
        if (one.kind == VALUE_ABSENT) {
            if (iterator->is_strict && i > 0)
                return machine_raise(machine, VALUE_ERROR,
                                     "zip() argument %lld is shorter than argument%s %lld",
                                     (long long)i + 1, i > 1 ? "s 1 -" : "", (long long)i);
            return true;
        }
        as_list(tuple)->items[i] = one;
    }
    *item = tuple;
    return true;
}

static bool next_of_filter(struct machine *machine, struct iterator *iterator, struct value *item) {
    for (;;) {
        struct value one, answer;
        bool truth;
        if (!machine_next(machine, iterator->others[0], &one)) return false;
        if (one.kind == VALUE_ABSENT) return true;
        machine_keep(machine, one);
        answer = one;
        if (iterator->of.kind != VALUE_NONE &&
            !machine_call(machine, iterator->of, 1, &one, &answer))
            return false;
        if (!value_truth(machine, answer, &truth)) return false;
        if (truth) {
            *item = one;
            return true;
        }
    }
}

static bool next_of_instance(struct machine *machine, struct iterator *iterator,
                             struct value *item) {
    if (get_item(machine, iterator->of, value_of_int(iterator->at++), item)) return true;
    *item = NO_VALUE;
    return machine_is_cleared(machine, INDEX_ERROR);
}

static bool next_of_iterator(struct machine *machine, struct iterator *iterator,
                             struct value *item) {
    const struct list *list = as_list(iterator->of);
    struct value key, value = NO_VALUE;
    switch (iterator->iterates) {
    case ITERATE_LIST:
        if (iterator->at < list->count) *item = list->items[iterator->at++];
        return true;
    case ITERATE_REVERSED:
        if (iterator->at < list->count) *item = list->items[list->count - 1 - iterator->at++];
        return true;
    case ITERATE_STR:
        return next_of_str(machine, iterator, item);
    case ITERATE_RANGE:
        return next_of_range(iterator, item);
    case ITERATE_DICT:
        if (dict_count(as_dict(iterator->of)) != iterator->size)
            return machine_raise(machine, RUNTIME_ERROR, "%s changed size during iteration",
                                 is_kind(iterator->of, OBJECT_SET) ? "Set" : "dictionary");
        if (dict_next(as_dict(iterator->of), &iterator->at, &key, &value)) *item = key;
        return true;
    case ITERATE_METHODS:
        return machine->methods[iterator->of.object->kind].iterate(machine, iterator->of,
                                                                   iterator->at++, item);
    case ITERATE_INSTANCE:
        return next_of_instance(machine, iterator, item);
    case ITERATE_ZIP:
        return next_of_zip(machine, iterator, item);
    case ITERATE_MAP:
        if (!next_of_zip(machine, iterator, &value)) return false;
        if (value.kind == VALUE_ABSENT) return true;
        machine_keep(machine, value);
        return machine_call(machine, iterator->of, (int)iterator->count, as_list(value)->items,
                            item);
    case ITERATE_FILTER:
        return next_of_filter(machine, iterator, item);
    case ITERATE_GENERATOR:
        return generator_next(machine, iterator, item);
    case ITERATE_FUNCTION:
        return function_next(machine, iterator, item);
    }
    return true;
}

// Iterators may have iterators inside of them, and so on.
static bool next_inside(struct machine *machine, struct iterator *iterator, struct value *item) {
    if (iterator->others == NULL || iterator->iterates >= ITERATE_GENERATOR)
        return next_of_iterator(machine, iterator, item);
    if (!go_deeper(machine)) return false;
    const bool is_done = next_of_iterator(machine, iterator, item);
    machine->depth--;
    return is_done;
}

bool machine_next(struct machine *machine, struct value iterator, struct value *item) {
    const int64_t roots = machine->root_count;
    *item = NO_VALUE;
    if (!takes_step(machine)) return false;
    machine_keep(machine, iterator);
    bool is_there = true;
    bool is_done = is_kind(iterator, OBJECT_ITERATOR)
                       ? next_inside(machine, as_iterator(iterator), item)
                       : call_method(machine, iterator, "__next__", 0, NULL, item, &is_there);
    if (!is_there)
        is_done = machine_raise(machine, TYPE_ERROR, "'%s' object is not an iterator",
                                type_name(iterator));
    if (!is_kind(iterator, OBJECT_ITERATOR) && !is_done) {
        is_done = machine_is_cleared(machine, STOP_ITERATION);
        *item = NO_VALUE;
    }
    machine->root_count = roots;
    return is_done;
}

bool machine_list_of(struct machine *machine, struct value iterable, struct list **list) {
    if (is_kind(iterable, OBJECT_LIST) || is_kind(iterable, OBJECT_TUPLE)) {
        *list = as_list(iterable);
        return true;
    }
    struct value iterator, item;
    const struct value value = list_new(machine, 0, NULL);
    machine_keep(machine, value);
    *list = as_list(value);
    if (!machine_iterate(machine, iterable, &iterator)) return false;
    for (;;) {
        if (!machine_next(machine, iterator, &item)) return false;
        if (item.kind == VALUE_ABSENT) return true;
        if (machine->bytes > machine->options.memory) return raise_full(machine);
        list_append(machine, *list, item);
    }
}

bool list_extend(struct machine *machine, struct list *list, struct value iterable) {
    struct list *more;
    if (!machine_list_of(machine, iterable, &more)) return false;
    const int64_t count = more->count; // `a += a` ends
    for (int64_t i = 0; i < count; i++) list_append(machine, list, more->items[i]);
    return true;
}

bool set_from(struct machine *machine, struct value iterable, struct value *set) {
    struct list *list;
    if (!machine_list_of(machine, iterable, &list)) return false;
    *set = set_new(machine);
    machine_keep(machine, *set);
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, as_dict(*set), list->items[i], NONE_VALUE)) return false;
    return true;
}

// ---- Comprehensions -----------------------------------------------------------------------------

static int first_clause(const struct node *node) {
    return node->kind == NODE_DICT_COMPREHENSION ? 2 : 1;
}

static bool conditions_hold(struct machine *machine, const struct node *clause, bool *holds) {
    *holds = true;
    for (int i = 2; *holds && i < clause->part_count; i++)
        if (!test_of(machine, clause->parts[i], holds)) return false;
    return true;
}

static bool begin_clause(struct machine *machine, struct iterator *generator) {
    const struct node *clause =
        generator->node->parts[first_clause(generator->node) + generator->level + 1];
    struct value iterable, iterator;
    if (!evaluate(machine, clause->parts[1], &iterable)) return false;
    machine->call->node = clause->parts[1];
    if (!machine_iterate(machine, iterable, &iterator)) return false;
    generator->others[++generator->level] = iterator;
    return true;
}

// Goes on to the next element: true in *is_there, and its variables are bound.
static bool advance(struct machine *machine, struct iterator *generator, bool *is_there) {
    const struct node *node = generator->node;
    *is_there = false;
    while (generator->level >= 0) {
        const struct node *clause = node->parts[first_clause(node) + generator->level];
        struct value item;
        bool holds;
        if (!machine_has_room(machine) ||
            !machine_next(machine, generator->others[generator->level], &item))
            return false;
        if (item.kind == VALUE_ABSENT) {
            generator->level--;
            continue;
        }
        machine_keep(machine, item);
        if (!assign(machine, clause->parts[0], item) || !conditions_hold(machine, clause, &holds))
            return false;
        if (!holds) continue;
        if (generator->level + 1 == generator->count) {
            *is_there = true;
            return true;
        }
        if (!begin_clause(machine, generator)) return false;
    }
    return true;
}

static struct iterator *generator_new(struct machine *machine, const struct node *node) {
    struct frame *frame = machine->call->frame;
    const struct value value = iterator_new(machine, ITERATE_GENERATOR, NONE_VALUE);
    struct iterator *generator = as_iterator(value);
    machine_keep(machine, value);
    generator->node = node;
    generator->count = node->part_count - first_clause(node);
    generator->others = values_new(machine, generator->count);
    generator->frame = frame_new(machine, frame->program, frame->globals, frame_around(frame),
                                 node->scope, frame->function);
    generator->frame->owner = frame->owner;
    generator->frame->self = frame->self;
    return generator;
}

// Does `action` in the frame of the comprehension.
static bool in_generator(struct machine *machine, struct iterator *generator, struct value *value,
                         bool (*action)(struct machine *machine, struct iterator *generator,
                                        struct value *value)) {
    struct call call = {machine->call, generator->frame, generator->node, NO_VALUE};
    if (!go_deeper(machine)) return false;
    machine->call = &call;
    const bool is_done = action(machine, generator, value);
    machine->depth--;
    machine->call = call.outer;
    return is_done;
}

static bool next_element(struct machine *machine, struct iterator *generator, struct value *item) {
    bool is_there;
    return advance(machine, generator, &is_there) &&
           (!is_there || evaluate(machine, generator->node->parts[0], item));
}

bool generator_next(struct machine *machine, struct iterator *generator, struct value *item) {
    return in_generator(machine, generator, item, next_element);
}

// Runs the function on to its next yield, or to its end.
bool function_next(struct machine *machine, struct iterator *iterator, struct value *item) {
    struct iterator *const outer = machine->yielding;
    struct value value;
    if (iterator->state == IS_ENDED) return true;
    if (iterator->state == IS_RUNNING)
        return machine_raise(machine, VALUE_ERROR, "generator already executing");
    iterator->state = IS_RUNNING;
    machine->yielding = iterator;
    machine->resuming = iterator->count > 0 ? iterator : NULL;
    const bool is_done = run_in_frame(machine, iterator->frame, iterator->node, &value);
    machine->yielding = outer;
    machine->resuming = NULL;
    iterator->state = is_done && iterator->count > 0 ? IS_WAITING : IS_ENDED;
    if (iterator->state == IS_WAITING) *item = value;
    return is_done;
}

bool function_close(struct machine *machine, struct iterator *iterator) {
    struct value item = NO_VALUE;
    if (iterator->iterates != ITERATE_FUNCTION || iterator->state == IS_ENDED) return true;
    if (iterator->state == IS_WAITING && iterator->count == 0) iterator->state = IS_ENDED;
    if (iterator->state == IS_ENDED) return true;
    machine->closes = true;
    const bool is_done = function_next(machine, iterator, &item);
    machine->closes = false;
    if (!is_done) return machine_is_cleared(machine, GENERATOR_EXIT);
    return item.kind == VALUE_ABSENT ||
           machine_raise(machine, RUNTIME_ERROR, "generator ignored GeneratorExit");
}

static bool close_iterator(struct machine *machine, struct arguments *arguments,
                           struct value *result) {
    *result = NONE_VALUE;
    return function_close(machine, as_iterator(arguments->values[0]));
}
const struct native_row iterator_methods[] = {{"close", "self", close_iterator},
                                              {NULL, NULL, NULL}};

static bool add_element(struct machine *machine, const struct node *node, struct value value) {
    struct value element, item = NONE_VALUE;
    if (!evaluate(machine, node->parts[0], &element)) return false;
    if (node->kind == NODE_LIST_COMPREHENSION) {
        list_append(machine, as_list(value), element);
        return true;
    }
    if (node->kind == NODE_DICT_COMPREHENSION && !evaluate(machine, node->parts[1], &item))
        return false;
    return dict_set(machine, as_dict(value), element, item);
}

static bool collect(struct machine *machine, struct iterator *generator, struct value *value) {
    const int64_t roots = machine->root_count;
    bool is_there = true, is_done = true;
    while (is_done && is_there) {
        is_done = advance(machine, generator, &is_there);
        if (is_done && is_there)
            machine_tell(machine, EVENT_TURN, generator->node, NO_VALUE, NO_VALUE);
        is_done = is_done && (!is_there || add_element(machine, generator->node, *value)) &&
                  machine_has_room(machine);
        machine->root_count = roots;
    }
    if (is_done) machine_tell(machine, EVENT_TURNS_END, generator->node, NO_VALUE, NO_VALUE);
    return is_done;
}

bool comprehension(struct machine *machine, const struct node *node, struct value *value) {
    struct iterator *generator = generator_new(machine, node);
    if (!begin_clause(machine, generator)) return false; // outside of the comprehension's scope
    if (node->kind == NODE_GENERATOR) {
        *value = value_of_object(generator);
        return true;
    }
    *value = node->kind == NODE_LIST_COMPREHENSION  ? list_new(machine, 0, NULL)
             : node->kind == NODE_SET_COMPREHENSION ? set_new(machine)
                                                    : dict_new(machine);
    machine_keep(machine, *value);
    return in_generator(machine, generator, value, collect);
}
