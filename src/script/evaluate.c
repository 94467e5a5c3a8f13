// Expressions. What evaluate() gives is kept until the expression or statement around it is done.

#include <string.h>

#include "script/inside.h"

// ---- Names --------------------------------------------------------------------------------------

static int known_slot(struct machine *machine, const struct node *name) {
    if (name->slot == SLOT_UNKNOWN)
        ((struct node *)name)->slot = slot_of(machine->call->frame->scope, name->text);
    return name->slot;
}

static struct dict *names_at(const struct frame *frame, int slot) {
    if (slot == SLOT_GLOBAL) return frame->globals;
    if (slot < SLOT_OUTER) return frame->names;
    for (frame = frame->outer; slot > SLOT_OUTER; slot--) frame = frame->outer;
    return frame->names;
}

static bool raise_unknown(struct machine *machine, const char *name) {
    static const char *const modules[] = {"math",        "torch",       "copy", "random", "typing",
                                          "collections", "dataclasses", "time", NULL};
    const char *near = nearest_name(machine, name);
    if (near != NULL)
        return machine_raise(machine, NAME_ERROR, "name '%s' is not defined. Did you mean: '%s'?",
                             name, near);
    int i = 0;
    while (modules[i] != NULL && strcmp(modules[i], name) != 0) i++;
    if (modules[i] == NULL)
        return machine_raise(machine, NAME_ERROR, "name '%s' is not defined", name);
    return machine_raise(machine, NAME_ERROR,
                         "name '%s' is not defined. Did you forget to import '%s'?", name, name);
}

bool lookup(struct machine *machine, const struct node *node, struct value *value) {
    const struct str *name = name_of(machine, node);
    const struct frame *frame = machine->call->frame;
    const int slot = known_slot(machine, node);
    *value = dict_of_str(names_at(frame, slot), name);
    if (value->kind == VALUE_ABSENT && slot == SLOT_CLASS)
        *value = dict_of_str(frame->globals, name);
    if (value->kind == VALUE_ABSENT && (slot == SLOT_GLOBAL || slot == SLOT_CLASS))
        *value = dict_of_str(machine->builtins, name);
    if (value->kind != VALUE_ABSENT) return true;
    machine->call->node = node;
    if (slot == SLOT_LOCAL)
        return machine_raise(
            machine, UNBOUND_LOCAL_ERROR,
            "cannot access local variable '%s' where it is not associated with a value",
            node->text);
    if (slot >= SLOT_OUTER)
        return machine_raise(machine, NAME_ERROR,
                             "cannot access free variable '%s' where it is not associated with a "
                             "value in enclosing scope",
                             node->text);
    return raise_unknown(machine, node->text);
}

bool bind_name(struct machine *machine, const struct node *node, struct value value) {
    struct dict *names = names_at(machine->call->frame, known_slot(machine, node));
    return dict_set(machine, names, value_of_object(name_of(machine, node)), value);
}

bool bind_text(struct machine *machine, const char *text, struct value value) {
    struct str *name = interned(machine, text);
    const struct frame *frame = machine->call->frame;
    return dict_set(machine, names_at(frame, slot_of(frame->scope, text)), value_of_object(name),
                    value);
}

bool unbind_name(struct machine *machine, const struct node *node) {
    struct value old;
    bool was_there;
    return lookup(machine, node, &old) &&
           dict_delete(machine, names_at(machine->call->frame, node->slot),
                       value_of_object(name_of(machine, node)), &was_there);
}

// ---- Displays -----------------------------------------------------------------------------------

static bool evaluate_items(struct machine *machine, const struct node *node, struct list *list) {
    for (int i = 0; i < node->part_count; i++) {
        const struct node *part = node->parts[i];
        const bool is_starred = part->kind == NODE_STARRED;
        struct value item;
        if (!evaluate(machine, is_starred ? part->parts[0] : part, &item)) return false;
        if (!is_starred)
            list_append(machine, list, item);
        else if (!list_extend(machine, list, item))
            return false;
    }
    return true;
}

static bool evaluate_list(struct machine *machine, const struct node *node, struct value *value) {
    *value = node->kind == NODE_TUPLE ? tuple_new(machine, 0, NULL) : list_new(machine, 0, NULL);
    machine_keep(machine, *value);
    return evaluate_items(machine, node, as_list(*value));
}

static bool evaluate_set(struct machine *machine, const struct node *node, struct value *value) {
    const struct value items = list_new(machine, 0, NULL);
    machine_keep(machine, items);
    return evaluate_items(machine, node, as_list(items)) && set_from(machine, items, value);
}

static bool evaluate_dict(struct machine *machine, const struct node *node, struct value *value) {
    *value = dict_new(machine);
    machine_keep(machine, *value);
    for (int i = 0; i < node->part_count; i += 2) {
        struct value key, item;
        if (node->parts[i] != NULL && !evaluate(machine, node->parts[i], &key)) return false;
        if (!evaluate(machine, node->parts[i + 1], &item)) return false;
        if (node->parts[i] == NULL && !is_kind(inner_of(item), OBJECT_DICT))
            return machine_raise(machine, TYPE_ERROR, "'%s' object is not a mapping",
                                 type_name(item));
        if (!(node->parts[i] == NULL ? update_dict(machine, as_dict(*value), item)
                                     : dict_set(machine, as_dict(*value), key, item)))
            return false;
    }
    return true;
}

static bool add_field(struct machine *machine, struct text *text, const struct node *field) {
    struct value value, format = NO_VALUE, formatted;
    if (!evaluate(machine, field->parts[0], &value)) return false;
    if (field->parts[1] != NULL && !evaluate(machine, field->parts[1], &format)) return false;
    if (field->text != NULL) {
        if (!(field->text[0] == 's' ? value_str : value_repr)(machine, value, &value)) return false;
        machine_keep(machine, value);
    }
    machine->call->node = field;
    const char *specification = format.kind == VALUE_ABSENT ? "" : bytes_of(format);
    if (!format_value(machine, value, specification, &formatted)) return false;
    write_str(text, formatted);
    return true;
}

static bool evaluate_fstring(struct machine *machine, const struct node *node,
                             struct value *value) {
    struct written written;
    write_open(machine, &written);
    bool is_done = true;
    for (int i = 0; is_done && i < node->part_count; i++) {
        const struct node *part = node->parts[i];
        if (part->kind == NODE_FIELD)
            is_done = add_field(machine, &written.text, part);
        else
            text_add_bytes(&written.text, part->text, (size_t)part->length);
    }
    return write_close(machine, &written, is_done, value);
}

// ---- Operators ----------------------------------------------------------------------------------

// Two parts, and then the node itself is what is evaluated.
static bool evaluate_two(struct machine *machine, const struct node *node, struct value *a,
                         struct value *b) {
    const bool is_done =
        evaluate(machine, node->parts[0], a) && evaluate(machine, node->parts[1], b);
    if (is_done) machine->call->node = node;
    return is_done;
}

static bool evaluate_binary(struct machine *machine, const struct node *node, struct value *value) {
    struct value a, b;
    return evaluate_two(machine, node, &a, &b) && binary(machine, node->operator, a, b, value);
}

static bool evaluate_boolean(struct machine *machine, const struct node *node,
                             struct value *value) {
    for (int i = 0; i < node->part_count; i++) {
        bool truth;
        if (!evaluate(machine, node->parts[i], value)) return false;
        if (i + 1 == node->part_count) return true;
        machine->call->node = node->parts[i];
        if (!value_truth(machine, *value, &truth)) return false;
        if (truth == (node->operator== OP_OR)) return true;
    }
    return true;
}

static bool evaluate_compare(struct machine *machine, const struct node *node,
                             struct value *value) {
    struct value a, b;
    if (!evaluate(machine, node->parts[0], &a)) return false;
    for (int i = 1; i < node->part_count; i++, a = b) {
        if (!evaluate(machine, node->parts[i], &b)) return false;
        machine->call->node = node;
        if (!compare_values(machine, node->operators[i - 1], a, b, value)) return false;
        bool truth = true;
        if (i + 1 < node->part_count && !value_truth(machine, *value, &truth)) return false;
        if (!truth) return true;
    }
    return true;
}

bool test_of(struct machine *machine, const struct node *node, bool *truth) {
    const int64_t roots = machine->root_count;
    struct value value;
    if (!evaluate(machine, node, &value)) return false;
    machine->call->node = node;
    const bool is_done = value_truth(machine, value, truth);
    machine->root_count = roots;
    return is_done;
}

static bool evaluate_conditional(struct machine *machine, const struct node *node,
                                 struct value *value) {
    bool truth;
    return test_of(machine, node->parts[1], &truth) &&
           evaluate(machine, node->parts[truth ? 0 : 2], value);
}

static bool evaluate_unary(struct machine *machine, const struct node *node, struct value *value) {
    struct value operand;
    if (!evaluate(machine, node->parts[0], &operand)) return false;
    machine->call->node = node;
    return unary(machine, node->operator, operand, value);
}

// ---- Parts of values ----------------------------------------------------------------------------

static bool evaluate_slice(struct machine *machine, const struct node *node, struct value *value) {
    struct value parts[3] = {NONE_VALUE, NONE_VALUE, NONE_VALUE};
    for (int i = 0; i < node->part_count; i++)
        if (node->parts[i] != NULL && !evaluate(machine, node->parts[i], &parts[i])) return false;
    *value = slice_new(machine, parts[0], parts[1], parts[2]);
    return true;
}

static bool evaluate_subscript(struct machine *machine, const struct node *node,
                               struct value *value) {
    struct value of, index;
    return evaluate_two(machine, node, &of, &index) && get_item(machine, of, index, value);
}

static bool evaluate_attribute(struct machine *machine, const struct node *node,
                               struct value *value) {
    struct value of;
    if (!evaluate(machine, node->parts[0], &of)) return false;
    machine->call->node = node;
    return machine_get(machine, of, node->text, value);
}

static bool evaluate_walrus(struct machine *machine, const struct node *node, struct value *value) {
    return evaluate(machine, node->parts[1], value) && bind_name(machine, node->parts[0], *value);
}

// ---- Literals -----------------------------------------------------------------------------------

static bool evaluate_int(struct machine *machine, const struct node *node, struct value *value) {
    machine->call->node = node;
    *value = value_of_int((int64_t)node->integer); // above 2^63 only for seeds
    return true;
}

static bool evaluate_constant(struct machine *machine, const struct node *node,
                              struct value *value) {
    (void)machine;
    *value = node->kind == NODE_FLOAT      ? value_of_float(node->number)
             : node->kind == NODE_NONE     ? NONE_VALUE
             : node->kind == NODE_ELLIPSIS ? (struct value){VALUE_ELLIPSIS, {0}}
                                           : value_of_bool(node->kind == NODE_TRUE);
    return true;
}

static bool evaluate_string(struct machine *machine, const struct node *node, struct value *value) {
    struct object *kept = kept_at(machine, node);
    *value = kept != NULL ? value_of_object(kept) : str_new(machine, node->text, node->length);
    if (node->is_bytes) value->object->kind = OBJECT_BYTES;
    if (node->is_bytes || kept != NULL || node->length >= 4096) return true;
    *value = interned_str(machine, *value); // one string for each text
    (void)keep_at(machine, node, value->object);
    return true;
}

static bool evaluate_starred(struct machine *machine, const struct node *node,
                             struct value *value) {
    (void)value;
    machine->call->node = node;
    return machine_raise(machine, SYNTAX_ERROR, "can't use starred expression here");
}

// ---- All of them --------------------------------------------------------------------------------

static bool (*const evaluators[])(struct machine *machine, const struct node *node,
                                  struct value *value) = {
    [NODE_NAME] = lookup,
    [NODE_INT] = evaluate_int,
    [NODE_FLOAT] = evaluate_constant,
    [NODE_STRING] = evaluate_string,
    [NODE_FSTRING] = evaluate_fstring,
    [NODE_NONE] = evaluate_constant,
    [NODE_TRUE] = evaluate_constant,
    [NODE_FALSE] = evaluate_constant,
    [NODE_ELLIPSIS] = evaluate_constant,
    [NODE_TUPLE] = evaluate_list,
    [NODE_LIST] = evaluate_list,
    [NODE_SET] = evaluate_set,
    [NODE_DICT] = evaluate_dict,
    [NODE_UNARY] = evaluate_unary,
    [NODE_BINARY] = evaluate_binary,
    [NODE_BOOLEAN] = evaluate_boolean,
    [NODE_COMPARE] = evaluate_compare,
    [NODE_CONDITIONAL] = evaluate_conditional,
    [NODE_LAMBDA] = make_function,
    [NODE_CALL] = evaluate_call,
    [NODE_ATTRIBUTE] = evaluate_attribute,
    [NODE_SUBSCRIPT] = evaluate_subscript,
    [NODE_SLICE] = evaluate_slice,
    [NODE_STARRED] = evaluate_starred,
    [NODE_WALRUS] = evaluate_walrus,
    [NODE_LIST_COMPREHENSION] = comprehension,
    [NODE_SET_COMPREHENSION] = comprehension,
    [NODE_GENERATOR] = comprehension,
    [NODE_DICT_COMPREHENSION] = comprehension,
};

bool evaluate(struct machine *machine, const struct node *node, struct value *value) {
    const int64_t roots = machine->root_count;
    *value = NO_VALUE;
    const bool is_done = evaluators[node->kind](machine, node, value);
    machine->root_count = roots;
    if (is_done && value->kind == VALUE_OBJECT) machine_keep(machine, *value);
    return is_done;
}
