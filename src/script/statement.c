// Statements.

#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

// ---- Assignments --------------------------------------------------------------------------------

// What an item or an attribute belongs to, and which item: evaluated before it is read, written or deleted.
struct spot {
    const struct node *target;
    struct value of, index;
};

static bool find_spot(struct machine *machine, const struct node *target, struct spot *spot) {
    *spot = (struct spot){target, NO_VALUE, NO_VALUE};
    if (target->kind == NODE_NAME) return true;
    if (!evaluate(machine, target->parts[0], &spot->of)) return false;
    if (target->kind == NODE_SUBSCRIPT && !evaluate(machine, target->parts[1], &spot->index))
        return false;
    machine->call->node = target;
    return true;
}

static bool read_spot(struct machine *machine, const struct spot *spot, struct value *value) {
    const struct node *target = spot->target;
    return target->kind == NODE_NAME        ? lookup(machine, target, value)
           : target->kind == NODE_SUBSCRIPT ? get_item(machine, spot->of, spot->index, value)
                                            : machine_get(machine, spot->of, target->text, value);
}

static bool write_spot(struct machine *machine, const struct spot *spot, struct value value) {
    const struct node *target = spot->target;
    const bool is_done = target->kind == NODE_NAME ? bind_name(machine, target, value)
                         : target->kind == NODE_SUBSCRIPT
                             ? set_item(machine, spot->of, spot->index, value)
                             : machine_set(machine, spot->of, target->text, value);
    if (is_done) machine_tell(machine, EVENT_BIND, target, value, spot->of);
    return is_done;
}

// The items of what stands on the right of `first, *middle, last =`.
static bool items_to_unpack(struct machine *machine, const struct node *target, int star,
                            struct value value, struct list **list) {
    const int count = target->part_count, least = star >= 0 ? count - 1 : count;
    machine->call->node = target;
    if (!machine_list_of(machine, value, list)) {
        if (!machine_is_raised(machine, TYPE_ERROR) || is_kind(value, OBJECT_TENSOR) ||
            is_kind(value, OBJECT_INSTANCE))
            return false;
        return machine_raise(machine, TYPE_ERROR, "cannot unpack non-iterable %s object",
                             type_name(value));
    }
    machine_keep(machine, value_of_object(*list));
    if ((*list)->count < least)
        return machine_raise(machine, VALUE_ERROR,
                             "not enough values to unpack (expected %s%d, got %lld)",
                             star >= 0 ? "at least " : "", least, (long long)(*list)->count);
    return star >= 0 || (*list)->count == count ||
           machine_raise(machine, VALUE_ERROR, "too many values to unpack (expected %d)", count);
}

static bool assign_items(struct machine *machine, const struct node *target, struct value value) {
    int star = -1;
    struct list *list;
    for (int i = 0; i < target->part_count; i++)
        if (target->parts[i]->kind == NODE_STARRED) star = i;
    if (!items_to_unpack(machine, target, star, value, &list)) return false;
    const int64_t middle = list->count - target->part_count + 1;
    for (int i = 0; i < target->part_count; i++) {
        const struct node *part = target->parts[i];
        const int64_t at = star >= 0 && i > star ? i - 1 + middle : i;
        const bool is_done =
            i == star ? assign(machine, part->parts[0], list_new(machine, middle, list->items + at))
                      : assign(machine, part, list->items[at]);
        if (!is_done) return false;
    }
    return true;
}

bool assign(struct machine *machine, const struct node *target, struct value value) {
    const int64_t roots = machine->root_count;
    struct spot spot;
    machine_keep(machine, value);
    const bool is_done =
        target->kind == NODE_TUPLE || target->kind == NODE_LIST
            ? assign_items(machine, target, value)
            : find_spot(machine, target, &spot) && write_spot(machine, &spot, value);
    machine->root_count = roots;
    return is_done;
}

static bool execute_assign(struct machine *machine, const struct node *node) {
    struct value value;
    if (!evaluate(machine, node->parts[node->part_count - 1], &value)) return false;
    for (int i = 0; i + 1 < node->part_count; i++)
        if (!assign(machine, node->parts[i], value)) return false;
    return true;
}

static bool execute_augmented(struct machine *machine, const struct node *node) {
    struct spot spot;
    struct value old, more, new;
    if (!find_spot(machine, node->parts[0], &spot) || !read_spot(machine, &spot, &old))
        return false;
    machine_keep(machine, old);
    if (!evaluate(machine, node->parts[1], &more)) return false;
    machine->call->node = node;
    if (!in_place(machine, node->operator, old, more, &new)) return false;
    machine_keep(machine, new);
    return write_spot(machine, &spot, new);
}

// In a class: __annotations__[name] = annotation.
static bool annotate(struct machine *machine, const struct node *node) {
    struct dict *names = machine->call->frame->names;
    struct value annotation, all = dict_named(names, "__annotations__");
    if (!evaluate(machine, node->parts[1], &annotation)) return false;
    if (all.kind == VALUE_ABSENT) {
        all = dict_new(machine);
        dict_name(machine, names, "__annotations__", all);
    }
    dict_name(machine, as_dict(all), node->parts[0]->text, annotation);
    return true;
}

static bool execute_annotated(struct machine *machine, const struct node *node) {
    struct value value;
    if (machine->call->frame->scope->is_class && node->parts[0]->kind == NODE_NAME &&
        !annotate(machine, node))
        return false;
    return node->parts[2] == NULL ||
           (evaluate(machine, node->parts[2], &value) && assign(machine, node->parts[0], value));
}

static bool delete_targets(struct machine *machine, const struct node *targets);

static bool delete_target(struct machine *machine, const struct node *target) {
    struct spot spot;
    bool was_there = false;
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST)
        return delete_targets(machine, target);
    if (target->kind == NODE_NAME) return unbind_name(machine, target);
    const struct node *node = machine->call->node;
    if (!find_spot(machine, target, &spot)) return false;
    machine->call->node = node;
    if (target->kind == NODE_SUBSCRIPT) return delete_item(machine, spot.of, spot.index);
    if (is_kind(spot.of, OBJECT_INSTANCE) &&
        !dict_delete(machine, as_instance(spot.of)->names,
                     value_of_object(name_of(machine, target)), &was_there))
        return false;
    return was_there || machine_raise(machine, ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                                      type_name(spot.of), target->text);
}

static bool delete_targets(struct machine *machine, const struct node *targets) {
    for (int i = 0; i < targets->part_count; i++)
        if (!delete_target(machine, targets->parts[i])) return false;
    return true;
}

// How a block was left, put aside while a handler, `finally` or __exit__ runs.
struct aside {
    struct value raised, returned;
    enum flow flow;
    int trace_count;
};

static struct aside put_aside(struct machine *machine) {
    const struct aside aside = {machine->raised, machine->returned, machine->flow,
                                machine->trace_count};
    machine_keep(machine, aside.raised);
    machine_keep(machine, aside.returned);
    machine->raised = NO_VALUE;
    machine->flow = FLOW_NEXT;
    return aside;
}

static bool take_up(struct machine *machine, const struct aside *aside) {
    machine->raised = aside->raised;
    machine->returned = aside->returned;
    machine->flow = aside->flow;
    machine->trace_count = aside->trace_count;
    return aside->raised.kind == VALUE_ABSENT;
}

// ---- Where a function that yields goes on ----------------------------------------------------------

// Each statement around a `yield` leaves a place when it is left by it, the innermost first; a function that goes on takes
// them back, the outermost first. In a block that is the number of a statement, in a loop its iterator.
static bool leave_place(struct machine *machine, struct value resumed) {
    struct iterator *function = machine->yielding;
    if (machine->flow != FLOW_YIELD) return true;
    function->others =
        or_fail(machine, realloc(function->others, (size_t)(function->count + 1) * sizeof resumed));
    function->others[function->count++] = resumed;
    return true;
}

static bool take_place(struct machine *machine, struct value *resumed) {
    struct iterator *function = machine->resuming;
    if (function == NULL || function->count == 0) return false;
    *resumed = function->others[--function->count];
    machine_keep(machine, *resumed);
    return true;
}

static bool refuse_yield(struct machine *machine) {
    if (machine->flow != FLOW_YIELD) return true;
    machine->flow = FLOW_NEXT;
    return machine_raise(machine, NOT_IMPLEMENTED_ERROR,
                         "onestep does not run `yield` in an except, finally or else");
}

static bool execute_yield(struct machine *machine, const struct node *node) {
    struct value value = NONE_VALUE, iterator = NONE_VALUE;
    const bool is_from = node->text != NULL, is_back = machine->resuming != NULL;
    if (is_back && is_from) take_place(machine, &iterator);
    machine->resuming = NULL;
    if (is_back && machine->closes) {
        machine->closes = false;
        if (is_kind(iterator, OBJECT_ITERATOR) && !function_close(machine, as_iterator(iterator)))
            return false;
        return machine_raise(machine, GENERATOR_EXIT, "%s", "");
    }
    if (is_back && !is_from) return true;
    if (!is_back && node->parts[0] != NULL && !evaluate(machine, node->parts[0], &value))
        return false;
    if (is_from && !is_back && !machine_iterate(machine, value, &iterator)) return false;
    if (is_from && !machine_next(machine, iterator, &value)) return false;
    if (value.kind == VALUE_ABSENT) return true;
    machine->returned = value;
    machine->flow = FLOW_YIELD;
    return !is_from || leave_place(machine, iterator);
}

// ---- Flow ---------------------------------------------------------------------------------------

static bool execute_or_pass(struct machine *machine, const struct node *block) {
    return block == NULL || execute_block(machine, block);
}

// After a turn of a loop: does it go on? A `break` ends it, and leaves out its else.
static bool has_next_turn(struct machine *machine, const struct node **otherwise) {
    if (machine->flow == FLOW_BREAK || machine->flow >= FLOW_RETURN) *otherwise = NULL;
    const bool is_left = machine->flow == FLOW_BREAK;
    if (machine->flow < FLOW_RETURN) machine->flow = FLOW_NEXT;
    return machine->flow == FLOW_NEXT && !is_left;
}

// A function that yields and that nobody but the loop knows ends with it.
static bool close_left(struct machine *machine, const struct node *iterable,
                       struct value iterator) {
    if (iterable->kind != NODE_CALL || !is_kind(iterator, OBJECT_ITERATOR) ||
        as_iterator(iterator)->iterates != ITERATE_FUNCTION)
        return machine->raised.kind == VALUE_ABSENT;
    const struct aside aside = put_aside(machine);
    return function_close(machine, as_iterator(iterator)) && take_up(machine, &aside);
}

static bool execute_for(struct machine *machine, const struct node *node) {
    struct value iterable, iterator, item;
    const struct node *otherwise = node->parts[3];
    const bool is_back = take_place(machine, &iterator);
    if (!is_back) {
        if (!evaluate(machine, node->parts[1], &iterable)) return false;
        machine->call->node = node->parts[1];
        if (!machine_iterate(machine, iterable, &iterator)) return false;
    }
    const int64_t roots = machine->root_count;
    for (bool is_first = is_back;; is_first = false) {
        machine->root_count = roots;
        machine->call->node = node->parts[1];
        if (!is_first && !machine_next(machine, iterator, &item)) return false;
        if (!is_first && item.kind == VALUE_ABSENT) break;
        machine_tell(machine, EVENT_TURN, node, NO_VALUE, NO_VALUE);
        if ((!is_first && !assign(machine, node->parts[0], item)) ||
            !execute_block(machine, node->parts[2]))
            return close_left(machine, node->parts[1], iterator);
        if (!has_next_turn(machine, &otherwise)) {
            if (machine->flow == FLOW_YIELD) return leave_place(machine, iterator);
            return close_left(machine, node->parts[1], iterator);
        }
    }
    return execute_or_pass(machine, otherwise) && refuse_yield(machine);
}

static bool execute_while(struct machine *machine, const struct node *node) {
    const struct node *otherwise = node->parts[2];
    const int64_t roots = machine->root_count;
    struct value resumed;
    bool is_back = take_place(machine, &resumed), truth = is_back;
    do {
        machine->root_count = roots;
        if (!is_back && !test_of(machine, node->parts[0], &truth)) return false;
        is_back = false;
        if (truth) machine_tell(machine, EVENT_TURN, node, NO_VALUE, NO_VALUE);
        if (truth && !execute_block(machine, node->parts[1])) return false;
    } while (truth && has_next_turn(machine, &otherwise));
    if (machine->flow == FLOW_YIELD) return leave_place(machine, NONE_VALUE);
    return execute_or_pass(machine, otherwise) && refuse_yield(machine);
}

static bool execute_if(struct machine *machine, const struct node *node) {
    struct value resumed;
    const struct node *other = node->parts[2];
    bool truth = false;
    if (take_place(machine, &resumed))
        truth = resumed.truth;
    else if (!test_of(machine, node->parts[0], &truth))
        return false;
    const bool is_done = truth ? execute_block(machine, node->parts[1])
                         : other != NULL && other->kind == NODE_IF
                             ? execute(machine, other)
                             : execute_or_pass(machine, other);
    return is_done && leave_place(machine, value_of_bool(truth));
}

static bool execute_jump(struct machine *machine, const struct node *node) {
    machine->flow = node->kind == NODE_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    return true;
}

static bool execute_return(struct machine *machine, const struct node *node) {
    struct value value = NONE_VALUE;
    if (node->parts[0] != NULL && !evaluate(machine, node->parts[0], &value)) return false;
    machine_tell(machine, EVENT_RETURN, node, value, NO_VALUE);
    machine->returned = value;
    machine->flow = FLOW_RETURN;
    return true;
}

// ---- Exceptions ---------------------------------------------------------------------------------

static bool handles(struct machine *machine, const struct node *handler, struct value raised,
                    bool *answer) {
    struct value type;
    *answer = true;
    if (handler->parts[0] == NULL) return true;
    if (!evaluate(machine, handler->parts[0], &type)) return false;
    const struct list *types = is_kind(type, OBJECT_TUPLE) ? as_list(type) : NULL;
    const int64_t count = types != NULL ? types->count : 1;
    for (int64_t i = 0; i < count; i++) {
        const struct value one = types != NULL ? types->items[i] : type;
        if (!is_kind(one, OBJECT_CLASS))
            return machine_raise(
                machine, TYPE_ERROR,
                "catching classes that do not inherit from BaseException is not allowed");
        if (as_instance(raised)->class == machine->exceptions[GENERATOR_EXIT] &&
            one.object == (struct object *)machine->exceptions[EXCEPTION])
            continue; // it is below BaseException alone
        if (is_subclass(as_instance(raised)->class, as_class(one))) return true;
    }
    *answer = false;
    return true;
}

static bool handle(struct machine *machine, const struct node *handler, struct value raised) {
    const struct value outer = machine->call->handled;
    machine->call->handled = raised;
    if (handler->text != NULL) bind_name(machine, handler, raised);
    const bool is_done = execute_block(machine, handler->parts[1]) && refuse_yield(machine);
    machine->call->handled = outer;
    return is_done;
}

static bool try_handlers(struct machine *machine, const struct node *node) {
    const struct aside aside = put_aside(machine);
    for (int i = 3; i < node->part_count; i++) {
        bool is_right;
        if (!handles(machine, node->parts[i], aside.raised, &is_right)) return false;
        if (is_right) return handle(machine, node->parts[i], aside.raised);
    }
    return take_up(machine, &aside);
}

static bool execute_try(struct machine *machine, const struct node *node) {
    struct value resumed;
    (void)take_place(machine, &resumed); // in its first block
    bool is_done = execute_block(machine, node->parts[0]);
    if (is_done && machine->flow == FLOW_YIELD) return leave_place(machine, NONE_VALUE);
    if (!is_done)
        is_done = try_handlers(machine, node);
    else if (machine->flow == FLOW_NEXT)
        is_done = execute_or_pass(machine, node->parts[1]) && refuse_yield(machine);
    if (node->parts[2] == NULL) return is_done;
    const struct aside aside = put_aside(machine);
    if (!execute_block(machine, node->parts[2]) || !refuse_yield(machine)) return false;
    return machine->flow != FLOW_NEXT || take_up(machine, &aside); // or it returns itself
}

static bool execute_raise(struct machine *machine, const struct node *node) {
    struct value value = machine->call->handled, cause;
    if (node->parts[0] != NULL && !evaluate(machine, node->parts[0], &value)) return false;
    machine->call->node = node;
    if (value.kind == VALUE_ABSENT)
        return machine_raise(machine, RUNTIME_ERROR, "No active exception to reraise");
    if (is_kind(value, OBJECT_CLASS) && !machine_call(machine, value, 0, NULL, &value))
        return false;
    if (!is_kind(value, OBJECT_INSTANCE) ||
        !is_subclass(as_instance(value)->class, machine->exceptions[EXCEPTION]))
        return machine_raise(machine, TYPE_ERROR, "exceptions must derive from BaseException");
    machine_keep(machine, value);
    if (node->parts[1] != NULL) {
        if (!evaluate(machine, node->parts[1], &cause)) return false;
        dict_name(machine, as_instance(value)->names, "__cause__", cause);
    }
    return raise_value(machine, value);
}

static bool execute_assert(struct machine *machine, const struct node *node) {
    bool truth;
    struct value message = NO_VALUE;
    if (!test_of(machine, node->parts[0], &truth)) return false;
    if (truth) return true;
    if (node->parts[1] != NULL && !evaluate(machine, node->parts[1], &message)) return false;
    machine->call->node = node;
    return raise_value(machine, exception_new(machine, machine->exceptions[ASSERTION_ERROR],
                                              message.kind != VALUE_ABSENT, &message));
}

static bool enter_item(struct machine *machine, const struct node *part, struct value *manager) {
    struct value entered;
    bool is_there;
    if (!evaluate(machine, part->parts[0], manager)) return false;
    machine->call->node = part;
    struct value other;
    const struct class *class = machine_class(machine, *manager);
    if (class_find(class, "__enter__", &other) && !class_find(class, "__exit__", &other))
        return machine_raise(
            machine, TYPE_ERROR,
            "'%s' object does not support the context manager protocol (missed __exit__ method)",
            type_name(*manager));
    if (!call_method(machine, *manager, "__enter__", 0, NULL, &entered, &is_there)) return false;
    if (!is_there)
        return machine_raise(machine, TYPE_ERROR,
                             "'%s' object does not support the context manager protocol",
                             type_name(*manager));
    return part->parts[1] == NULL || assign(machine, part->parts[1], entered);
}

static bool enter_items(struct machine *machine, const struct node *node, int item) {
    if (item == node->part_count) return execute_block(machine, node->parts[0]);
    const struct node *part = node->parts[item];
    struct value manager, left;
    bool is_there;
    if (!take_place(machine, &manager) && !enter_item(machine, part, &manager)) return false;
    const bool is_done = enter_items(machine, node, item + 1);
    if (is_done && machine->flow == FLOW_YIELD) return leave_place(machine, manager);
    struct aside aside = put_aside(machine);
    struct value arguments[] = {NONE_VALUE, NONE_VALUE, NONE_VALUE};
    if (!is_done) {
        arguments[0] = value_of_object(as_instance(aside.raised)->class);
        arguments[1] = aside.raised;
    }
    if (!call_method(machine, manager, "__exit__", 3, arguments, &left, &is_there)) return false;
    bool is_swallowed = false;
    if (!is_done && is_there && !value_truth(machine, left, &is_swallowed)) return false;
    if (is_swallowed) aside.raised = NO_VALUE;
    return take_up(machine, &aside);
}

static bool execute_with(struct machine *machine, const struct node *node) {
    return enter_items(machine, node, 1);
}

// ---- Definitions and imports --------------------------------------------------------------------

static bool execute_definition(struct machine *machine, const struct node *node) {
    struct value value, decorator;
    const bool is_def = node->kind == NODE_DEF;
    if (!(is_def ? make_function : build_class)(machine, node, &value)) return false;
    machine_keep(machine, value);
    for (int i = node->part_count - 1; i >= (is_def ? 3 : 2); i--) {
        if (!evaluate(machine, node->parts[i], &decorator)) return false;
        machine->call->node = node->parts[i];
        if (!machine_call(machine, decorator, 1, &value, &value)) return false;
        machine_keep(machine, value);
    }
    return bind_name(machine, node, value);
}

static bool execute_import(struct machine *machine, const struct node *node) {
    for (int i = 0; i < node->part_count; i++) {
        const struct node *alias = node->parts[i];
        struct value module;
        if (!import_module(machine, alias->text, &module)) return false;
        const char *name = alias->alias;
        if (name == NULL) { // `import torch.nn` binds torch
            name = arena_copy_bytes(machine->arena, alias->text, strcspn(alias->text, "."));
            if (!import_module(machine, name, &module)) return false;
        }
        if (!bind_text(machine, name, module)) return false;
    }
    return true;
}

static bool import_all(struct machine *machine, const struct module *module) {
    struct value key, value;
    for (int64_t i = 0; dict_next(module->names, &i, &key, &value);)
        if (bytes_of(key)[0] != '_' && !bind_text(machine, bytes_of(key), value)) return false;
    return true;
}

static bool execute_from(struct machine *machine, const struct node *node) {
    struct value module, value;
    bool is_there;
    if (strcmp(node->text, "__future__") == 0) return true;
    if (!import_module(machine, node->text, &module)) return false;
    if (node->part_count == 0) return import_all(machine, (struct module *)module.object);
    for (int i = 0; i < node->part_count; i++) {
        const struct node *alias = node->parts[i];
        if (!get_attribute(machine, module, alias->text, &value, &is_there)) return false;
        if (!is_there)
            return machine_raise(machine, IMPORT_ERROR, "cannot import name '%s' from '%s'",
                                 alias->text, node->text);
        if (!bind_text(machine, alias->alias != NULL ? alias->alias : alias->text, value))
            return false;
    }
    return true;
}

// ---- All of them --------------------------------------------------------------------------------

static bool execute_expression(struct machine *machine, const struct node *node) {
    struct value value;
    return evaluate(machine, node->parts[0], &value);
}

// A statement without a row does nothing: pass, global, nonlocal.
static bool (*const executors[NODE_CONTINUE + 1])(struct machine *machine,
                                                  const struct node *node) = {
    [NODE_EXPRESSION] = execute_expression,
    [NODE_ASSIGN] = execute_assign,
    [NODE_AUGMENTED] = execute_augmented,
    [NODE_ANNOTATED] = execute_annotated,
    [NODE_DEF] = execute_definition,
    [NODE_CLASS] = execute_definition,
    [NODE_RETURN] = execute_return,
    [NODE_YIELD] = execute_yield,
    [NODE_IF] = execute_if,
    [NODE_FOR] = execute_for,
    [NODE_WHILE] = execute_while,
    [NODE_TRY] = execute_try,
    [NODE_WITH] = execute_with,
    [NODE_RAISE] = execute_raise,
    [NODE_ASSERT] = execute_assert,
    [NODE_DEL] = delete_targets,
    [NODE_IMPORT] = execute_import,
    [NODE_FROM] = execute_from,
    [NODE_BREAK] = execute_jump,
    [NODE_CONTINUE] = execute_jump,
};

bool execute(struct machine *machine, const struct node *node) {
    const int64_t roots = machine->root_count;
    machine->call->node = node;
    if (machine->call->frame->program == machine->program) machine->statement = node;
    machine_tell(machine, EVENT_BEGIN, node, NO_VALUE, NO_VALUE);
    const bool is_done = takes_step(machine) && machine_has_room(machine) &&
                         (executors[node->kind] == NULL || executors[node->kind](machine, node));
    machine_tell(machine, is_done ? EVENT_END : EVENT_FAIL, node, machine->raised, NO_VALUE);
    machine->root_count = roots;
    return is_done;
}

bool execute_block(struct machine *machine, const struct node *block) {
    struct value resumed;
    for (int64_t i = take_place(machine, &resumed) ? resumed.integer : 0; i < block->part_count;
         i++) {
        if (!execute(machine, block->parts[i])) return false;
        if (machine->flow != FLOW_NEXT) return leave_place(machine, value_of_int(i));
    }
    return true;
}
