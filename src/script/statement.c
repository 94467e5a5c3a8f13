// Statements.

#include <string.h>

#include "script/dict.h"

// ---- Assignments --------------------------------------------------------------------------------

static bool assign_part(struct machine *machine, const struct node *target, struct value value) {
    struct value of, index;
    machine_keep(machine, value);
    if (!evaluate(machine, target->parts[0], &of)) return false;
    machine_keep(machine, of);
    if (target->kind == NODE_ATTRIBUTE) {
        machine->call->node = target;
        return machine_set(machine, of, target->text, value);
    }
    if (!evaluate(machine, target->parts[1], &index)) return false;
    machine_keep(machine, index);
    machine->call->node = target;
    return set_item(machine, of, index, value);
}

// first, *middle, last = values
static bool assign_items(struct machine *machine, const struct node *target, struct value value) {
    const int count = target->part_count;
    int star = -1;
    struct list *list;
    for (int i = 0; i < count; i++)
        if (target->parts[i]->kind == NODE_STARRED) star = i;
    if (!machine_list_of(machine, value, &list)) {
        if (!machine_is_raised(machine, TYPE_ERROR) || is_kind(value, OBJECT_TENSOR) ||
            is_kind(value, OBJECT_INSTANCE))
            return false;
        return machine_raise(machine, TYPE_ERROR, "cannot unpack non-iterable %s object",
                             type_name(value));
    }
    machine_keep(machine, value_of_object(list));
    const int64_t least = star >= 0 ? count - 1 : count;
    if (list->count < least)
        return machine_raise(
            machine, VALUE_ERROR, "not enough values to unpack (expected %s%lld, got %lld)",
            star >= 0 ? "at least " : "", (long long)least, (long long)list->count);
    if (star < 0 && list->count > count) {
        return machine_raise(machine, VALUE_ERROR, "too many values to unpack (expected %d)",
                             count);
    }
    const int64_t middle = list->count - least;
    for (int i = 0; i < count; i++) {
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
    const int64_t kept = machine->kept_count;
    bool is_done = true;
    switch (target->kind) {
    case NODE_NAME:
        return bind_name(machine, target, value);
    case NODE_TUPLE:
    case NODE_LIST:
        machine->call->node = target;
        is_done = assign_items(machine, target, value);
        break;
    default:
        is_done = assign_part(machine, target, value);
    }
    machine->kept_count = kept;
    return is_done;
}

static bool execute_assign(struct machine *machine, const struct node *node) {
    struct value value;
    if (!evaluate(machine, node->parts[node->part_count - 1], &value)) return false;
    machine_keep(machine, value);
    for (int i = 0; i + 1 < node->part_count; i++)
        if (!assign(machine, node->parts[i], value)) return false;
    return true;
}

static bool execute_augmented(struct machine *machine, const struct node *node) {
    const struct node *target = node->parts[0];
    struct value of = NO_VALUE, index = NO_VALUE, old, more, new;
    if (target->kind == NODE_NAME) {
        if (!lookup(machine, target, &old)) return false;
    } else {
        if (!evaluate(machine, target->parts[0], &of)) return false;
        machine_keep(machine, of);
        if (target->kind == NODE_SUBSCRIPT && !evaluate(machine, target->parts[1], &index))
            return false;
        machine_keep(machine, index);
        machine->call->node = target;
        const bool is_there = target->kind == NODE_SUBSCRIPT
                                  ? get_item(machine, of, index, &old)
                                  : machine_get(machine, of, target->text, &old);
        if (!is_there) return false;
    }
    machine_keep(machine, old);
    if (!evaluate(machine, node->parts[1], &more)) return false;
    machine_keep(machine, more);
    machine->call->node = node;
    if (!in_place(machine, node->operator, old, more, &new)) return false;
    machine_keep(machine, new);
    if (target->kind == NODE_NAME) return bind_name(machine, target, new);
    return target->kind == NODE_SUBSCRIPT ? set_item(machine, of, index, new)
                                          : machine_set(machine, of, target->text, new);
}

static bool delete_target(struct machine *machine, const struct node *target) {
    struct value of, index;
    bool was_there = false;
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST) {
        for (int i = 0; i < target->part_count; i++)
            if (!delete_target(machine, target->parts[i])) return false;
        return true;
    }
    if (target->kind == NODE_NAME) {
        if (!lookup(machine, target, &of)) return false;
        struct frame *frame = machine->call->frame;
        struct dict *names = target->slot == SLOT_GLOBAL ? frame->globals : frame->names;
        return dict_delete(machine, names, value_of_object(name_of(machine, target)), &was_there);
    }
    if (!evaluate(machine, target->parts[0], &of)) return false;
    machine_keep(machine, of);
    if (target->kind == NODE_SUBSCRIPT)
        return evaluate(machine, target->parts[1], &index) && delete_item(machine, of, index);
    if (is_kind(of, OBJECT_INSTANCE) &&
        !dict_delete(machine, ((struct instance *)of.object)->names,
                     value_of_object(name_of(machine, target)), &was_there))
        return false;
    return was_there || machine_raise(machine, ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                                      type_name(of), target->text);
}

// ---- Flow ---------------------------------------------------------------------------------------

// After a turn of a loop: does it go on? A `break` ends it, and leaves out its else.
static bool goes_on(struct machine *machine, bool *was_broken) {
    if (machine->flow == FLOW_BREAK) {
        machine->flow = FLOW_NEXT;
        *was_broken = true;
        return false;
    }
    if (machine->flow == FLOW_CONTINUE) machine->flow = FLOW_NEXT;
    return machine->flow == FLOW_NEXT;
}

static bool execute_for(struct machine *machine, const struct node *node) {
    struct value iterable, iterator, item;
    bool was_broken = false;
    if (!evaluate(machine, node->parts[1], &iterable)) return false;
    machine_keep(machine, iterable);
    machine->call->node = node->parts[1];
    if (!machine_iterate(machine, iterable, &iterator)) return false;
    machine_keep(machine, iterator);
    for (;;) {
        machine->call->node = node->parts[1];
        if (!machine_next(machine, iterator, &item)) return false;
        if (item.kind == VALUE_ABSENT) break;
        if (!assign(machine, node->parts[0], item) || !execute_block(machine, node->parts[2]))
            return false;
        if (!goes_on(machine, &was_broken)) break;
    }
    if (was_broken || machine->flow != FLOW_NEXT || node->part_count < 4 || node->parts[3] == NULL)
        return true;
    return execute_block(machine, node->parts[3]);
}

static bool execute_while(struct machine *machine, const struct node *node) {
    bool was_broken = false, truth;
    for (;;) {
        if (!test_of(machine, node->parts[0], &truth)) return false;
        if (!truth) break;
        if (!execute_block(machine, node->parts[1])) return false;
        if (!goes_on(machine, &was_broken)) break;
    }
    if (was_broken || machine->flow != FLOW_NEXT || node->part_count < 3 || node->parts[2] == NULL)
        return true;
    return execute_block(machine, node->parts[2]);
}

static bool execute_if(struct machine *machine, const struct node *node) {
    bool truth;
    if (!test_of(machine, node->parts[0], &truth)) return false;
    if (truth) return execute_block(machine, node->parts[1]);
    const struct node *other = node->part_count > 2 ? node->parts[2] : NULL;
    if (other == NULL) return true;
    return other->kind == NODE_BLOCK ? execute_block(machine, other) : execute(machine, other);
}

// ---- Exceptions ---------------------------------------------------------------------------------

static bool handles(struct machine *machine, const struct node *handler, struct value raised,
                    bool *answer) {
    struct value type;
    *answer = true;
    if (handler->parts[0] == NULL) return true;
    if (!evaluate(machine, handler->parts[0], &type)) return false;
    const struct list *types =
        is_kind(type, OBJECT_TUPLE) ? (const struct list *)type.object : NULL;
    const int64_t count = types != NULL ? types->count : 1;
    for (int64_t i = 0; i < count; i++) {
        const struct value one = types != NULL ? types->items[i] : type;
        if (!is_kind(one, OBJECT_CLASS))
            return machine_raise(
                machine, TYPE_ERROR,
                "catching classes that do not inherit from BaseException is not allowed");
        if (is_subclass(((struct instance *)raised.object)->class, (struct class *)one.object))
            return true;
    }
    *answer = false;
    return true;
}

static bool handle(struct machine *machine, const struct node *handler, struct value raised) {
    const struct value outer = machine->call->handled;
    machine->call->handled = raised;
    if (handler->text != NULL) {
        struct dict *names = machine->call->frame->names;
        if (machine->call->frame->scope->is_program) names = machine->call->frame->globals;
        dict_name(machine, names, handler->text, raised);
    }
    const bool is_done = execute_block(machine, handler->parts[1]);
    machine->call->handled = outer;
    return is_done;
}

static bool try_handlers(struct machine *machine, const struct node *node) {
    const struct value raised = machine->raised;
    machine_keep(machine, raised);
    const int trace_count = machine->trace_count;
    for (int i = 3; i < node->part_count; i++) {
        bool is_right;
        machine->raised = NO_VALUE;
        if (!handles(machine, node->parts[i], raised, &is_right)) return false;
        if (is_right) return handle(machine, node->parts[i], raised);
    }
    machine->raised = raised; // as if nobody had asked
    machine->trace_count = trace_count;
    return false;
}

static bool execute_try(struct machine *machine, const struct node *node) {
    struct call *call = machine->call;
    const int depth = machine->depth;
    bool is_done = execute_block(machine, node->parts[0]);
    if (!is_done) {
        machine->call = call;
        machine->depth = depth;
        is_done = try_handlers(machine, node);
    } else if (machine->flow == FLOW_NEXT && node->parts[1] != NULL) {
        is_done = execute_block(machine, node->parts[1]);
    }
    if (node->parts[2] == NULL) return is_done;
    const struct value raised = machine->raised, returned = machine->returned;
    const enum flow flow = machine->flow;
    machine_keep(machine, raised);
    machine_keep(machine, returned);
    machine->raised = NO_VALUE;
    machine->flow = FLOW_NEXT;
    if (!execute_block(machine, node->parts[2])) return false;
    if (machine->flow != FLOW_NEXT) return true; // it returns itself
    machine->flow = flow;
    machine->returned = returned;
    machine->raised = raised;
    return is_done;
}

static bool execute_raise(struct machine *machine, const struct node *node) {
    struct value value = machine->call->handled;
    machine->call->node = node;
    if (node->part_count == 0 || node->parts[0] == NULL) {
        if (value.kind != VALUE_OBJECT)
            return machine_raise(machine, RUNTIME_ERROR, "No active exception to reraise");
        return raise_value(machine, value);
    }
    if (!evaluate(machine, node->parts[0], &value)) return false;
    machine->call->node = node;
    if (is_kind(value, OBJECT_CLASS) && !machine_call(machine, value, 0, NULL, &value))
        return false;
    if (!is_kind(value, OBJECT_INSTANCE) ||
        !is_subclass(((struct instance *)value.object)->class, machine->exceptions[EXCEPTION]))
        return machine_raise(machine, TYPE_ERROR, "exceptions must derive from BaseException");
    struct value cause;
    if (node->part_count > 1 && node->parts[1] != NULL) {
        machine_keep(machine, value);
        if (!evaluate(machine, node->parts[1], &cause)) return false;
        dict_name(machine, ((struct instance *)value.object)->names, "__cause__", cause);
    }
    return raise_value(machine, value);
}

static bool execute_assert(struct machine *machine, const struct node *node) {
    bool truth;
    struct value message = NO_VALUE;
    if (!test_of(machine, node->parts[0], &truth)) return false;
    if (truth) return true;
    if (node->part_count > 1 && node->parts[1] != NULL &&
        !evaluate(machine, node->parts[1], &message))
        return false;
    machine->call->node = node;
    return raise_value(machine, exception_new(machine, machine->exceptions[ASSERTION_ERROR],
                                              message.kind != VALUE_ABSENT, &message));
}

static bool execute_with(struct machine *machine, const struct node *node, int item) {
    if (item == node->part_count) return execute_block(machine, node->parts[0]);
    const struct node *part = node->parts[item];
    struct value manager, entered, left;
    bool is_there;
    if (!evaluate(machine, part->parts[0], &manager)) return false;
    machine_keep(machine, manager);
    machine->call->node = part;
    if (!call_method(machine, manager, "__enter__", 0, NULL, &entered, &is_there)) return false;
    if (!is_there)
        return machine_raise(machine, TYPE_ERROR,
                             "'%s' object does not support the context manager protocol",
                             type_name(manager));
    if (part->parts[1] != NULL && !assign(machine, part->parts[1], entered)) return false;
    struct call *call = machine->call;
    const int depth = machine->depth;
    const bool is_done = execute_with(machine, node, item + 1);
    machine->call = call;
    machine->depth = depth;
    const struct value raised = machine->raised, returned = machine->returned;
    const enum flow flow = machine->flow;
    const int trace_count = machine->trace_count;
    machine_keep(machine, raised);
    machine_keep(machine, returned);
    struct value arguments[] = {NONE_VALUE, NONE_VALUE, NONE_VALUE};
    if (!is_done)
        arguments[0] = value_of_object(((struct instance *)raised.object)->class),
        arguments[1] = raised;
    machine->raised = NO_VALUE;
    if (!call_method(machine, manager, "__exit__", 3, arguments, &left, &is_there)) return false;
    bool is_swallowed = false;
    if (!is_done && is_there && !value_truth(machine, left, &is_swallowed)) return false;
    machine->flow = flow;
    machine->returned = returned;
    if (is_done || is_swallowed) return true;
    machine->raised = raised;
    machine->trace_count = trace_count;
    return false;
}

// ---- Definitions and imports --------------------------------------------------------------------

static bool decorate(struct machine *machine, const struct node *node, int first,
                     struct value *value) {
    machine_keep(machine, *value);
    for (int i = node->part_count - 1; i >= first; i--) {
        struct value decorator;
        if (!evaluate(machine, node->parts[i], &decorator)) return false;
        machine_keep(machine, decorator);
        machine->call->node = node->parts[i];
        if (!machine_call(machine, decorator, 1, value, value)) return false;
        machine_keep(machine, *value);
    }
    return true;
}

static bool bind_text(struct machine *machine, const char *text, struct value value) {
    struct frame *frame = machine->call->frame;
    const struct value how = dict_named(frame->scope->bound, text);
    const bool is_global =
        frame->scope->is_program || (how.kind == VALUE_INT && how.integer == SCOPE_GLOBAL);
    return dict_set(machine, is_global ? frame->globals : frame->names,
                    value_of_object(interned(machine, text)), value);
}

static bool execute_definition(struct machine *machine, const struct node *node) {
    struct value value;
    const bool is_def = node->kind == NODE_DEF;
    if (!(is_def ? make_function(machine, node, &value) : build_class(machine, node, &value)))
        return false;
    return decorate(machine, node, is_def ? 3 : 2, &value) && bind_text(machine, node->text, value);
}

static bool execute_import(struct machine *machine, const struct node *node) {
    for (int i = 0; i < node->part_count; i++) {
        const struct node *alias = node->parts[i];
        struct value module;
        machine->call->node = node;
        if (!import_module(machine, alias->text, &module)) return false;
        const char *dot = strchr(alias->text, '.');
        const char *name = alias->alias;
        if (name == NULL && dot != NULL) { // `import torch.nn` binds torch
            name = arena_copy_bytes(machine->arena, alias->text, (size_t)(dot - alias->text));
            if (!import_module(machine, name, &module)) return false;
        }
        if (!bind_text(machine, name != NULL ? name : alias->text, module)) return false;
    }
    return true;
}

static bool import_all(struct machine *machine, const struct module *module) {
    struct value key, value;
    for (int64_t i = 0; dict_next(module->names, &i, &key, &value);) {
        const char *name = ((struct str *)key.object)->bytes;
        if (name[0] != '_' && !bind_text(machine, name, value)) return false;
    }
    return true;
}

static bool execute_from(struct machine *machine, const struct node *node) {
    struct value module;
    machine->call->node = node;
    if (strcmp(node->text, "__future__") == 0) return true;
    if (!import_module(machine, node->text, &module)) return false;
    if (node->part_count == 0) return import_all(machine, (struct module *)module.object);
    for (int i = 0; i < node->part_count; i++) {
        const struct node *alias = node->parts[i];
        struct value value;
        bool is_there;
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

static bool execute_return(struct machine *machine, const struct node *node) {
    struct value value = NONE_VALUE;
    if (node->part_count > 0 && node->parts[0] != NULL &&
        !evaluate(machine, node->parts[0], &value))
        return false;
    machine->returned = value;
    machine->flow = FLOW_RETURN;
    return true;
}

static bool execute_annotated(struct machine *machine, const struct node *node) {
    struct value value;
    if (node->part_count < 3 || node->parts[2] == NULL) return true;
    return evaluate(machine, node->parts[2], &value) && assign(machine, node->parts[0], value);
}

static bool execute_kind(struct machine *machine, const struct node *node) {
    struct value value;
    switch (node->kind) {
    case NODE_EXPRESSION:
        return evaluate(machine, node->parts[0], &value);
    case NODE_ASSIGN:
        return execute_assign(machine, node);
    case NODE_AUGMENTED:
        return execute_augmented(machine, node);
    case NODE_ANNOTATED:
        return execute_annotated(machine, node);
    case NODE_DEF:
    case NODE_CLASS:
        return execute_definition(machine, node);
    case NODE_RETURN:
        return execute_return(machine, node);
    case NODE_IF:
        return execute_if(machine, node);
    case NODE_FOR:
        return execute_for(machine, node);
    case NODE_WHILE:
        return execute_while(machine, node);
    case NODE_TRY:
        return execute_try(machine, node);
    case NODE_WITH:
        return execute_with(machine, node, 1);
    case NODE_RAISE:
        return execute_raise(machine, node);
    case NODE_ASSERT:
        return execute_assert(machine, node);
    case NODE_DEL:
        for (int i = 0; i < node->part_count; i++)
            if (!delete_target(machine, node->parts[i])) return false;
        return true;
    case NODE_IMPORT:
        return execute_import(machine, node);
    case NODE_FROM:
        return execute_from(machine, node);
    case NODE_BREAK:
        machine->flow = FLOW_BREAK;
        return true;
    case NODE_CONTINUE:
        machine->flow = FLOW_CONTINUE;
        return true;
    default:
        return true; // pass, global, nonlocal
    }
}

static bool may_go_on(struct machine *machine) {
    machine->steps++;
    if (machine->options.stop != NULL && *machine->options.stop)
        return machine_raise(machine, KEYBOARD_INTERRUPT, "%s", "");
    if (machine->options.steps > 0 && machine->steps > machine->options.steps)
        return machine_raise(machine, RUNTIME_ERROR, "the program takes more than %lld steps",
                             (long long)machine->options.steps);
    return machine_has_room(machine);
}

bool execute(struct machine *machine, const struct node *node) {
    const int64_t kept = machine->kept_count;
    machine->call->node = node;
    const bool is_done = may_go_on(machine) && execute_kind(machine, node);
    machine->kept_count = kept;
    return is_done;
}

bool execute_block(struct machine *machine, const struct node *block) {
    for (int i = 0; i < block->part_count; i++) {
        if (!execute(machine, block->parts[i])) return false;
        if (machine->flow != FLOW_NEXT) return true;
    }
    return true;
}
