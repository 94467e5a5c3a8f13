// Expressions.

#include <string.h>

#include "script/dict.h"

// ---- Names --------------------------------------------------------------------------------------

static struct frame *frame_out(struct machine *machine, int count) {
    struct frame *frame = machine->call->frame->outer;
    while (count-- > 0) frame = frame->outer;
    return frame;
}

static int known_slot(struct machine *machine, const struct node *name) {
    if (name->slot == SLOT_UNKNOWN)
        ((struct node *)name)->slot = slot_of(machine, machine->call->frame->scope, name);
    return name->slot;
}

static bool raise_unknown(struct machine *machine, const char *name) {
    static const char *const modules[] = {"math",        "torch",       "copy", "random", "typing",
                                          "collections", "dataclasses", "time", NULL};
    const char *near = nearest_name(machine, name);
    if (near != NULL)
        return machine_raise(machine, NAME_ERROR, "name '%s' is not defined. Did you mean: '%s'?",
                             name, near);
    for (int i = 0; modules[i] != NULL; i++)
        if (strcmp(modules[i], name) == 0)
            return machine_raise(machine, NAME_ERROR,
                                 "name '%s' is not defined. Did you forget to import '%s'?", name,
                                 name);
    return machine_raise(machine, NAME_ERROR, "name '%s' is not defined", name);
}

static struct value lookup_global(struct machine *machine, const struct str *name) {
    const struct value value = dict_of_str(machine->call->frame->globals, name);
    return value.kind != VALUE_ABSENT ? value : dict_of_str(machine->builtins, name);
}

bool lookup(struct machine *machine, const struct node *node, struct value *value) {
    const struct str *name = name_of(machine, node);
    struct frame *frame = machine->call->frame;
    const int slot = known_slot(machine, node);
    if (slot == SLOT_LOCAL || slot == SLOT_CLASS)
        *value = dict_of_str(frame->names, name);
    else
        *value = slot >= SLOT_OUTER
                     ? dict_of_str(frame_out(machine, slot - SLOT_OUTER)->names, name)
                     : NO_VALUE;
    if (slot == SLOT_GLOBAL || (slot == SLOT_CLASS && value->kind == VALUE_ABSENT))
        *value = lookup_global(machine, name);
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
    const int slot = known_slot(machine, node);
    struct frame *frame = machine->call->frame;
    struct dict *names = slot >= SLOT_OUTER    ? frame_out(machine, slot - SLOT_OUTER)->names
                         : slot == SLOT_GLOBAL ? frame->globals
                                               : frame->names;
    return dict_set(machine, names, value_of_object(name_of(machine, node)), value);
}

// ---- Displays -----------------------------------------------------------------------------------

// The items of a display; *items is kept.
static bool evaluate_items(struct machine *machine, const struct node *node, struct list *list) {
    for (int i = 0; i < node->part_count; i++) {
        const struct node *part = node->parts[i];
        struct value item;
        if (!evaluate(machine, part->kind == NODE_STARRED ? part->parts[0] : part, &item))
            return false;
        if (part->kind != NODE_STARRED) {
            list_append(machine, list, item);
            continue;
        }
        struct list *more;
        if (!machine_list_of(machine, item, &more)) return false;
        for (int64_t j = 0; j < more->count; j++) list_append(machine, list, more->items[j]);
    }
    return true;
}

static bool evaluate_list(struct machine *machine, const struct node *node, struct value *value) {
    *value = node->kind == NODE_TUPLE ? tuple_new(machine, 0, NULL) : list_new(machine, 0, NULL);
    machine_keep(machine, *value);
    return evaluate_items(machine, node, (struct list *)value->object);
}

static bool evaluate_set(struct machine *machine, const struct node *node, struct value *value) {
    *value = set_new(machine);
    machine_keep(machine, *value);
    const struct value items = list_new(machine, 0, NULL);
    machine_keep(machine, items);
    const struct list *list = (const struct list *)items.object;
    if (!evaluate_items(machine, node, (struct list *)items.object)) return false;
    for (int64_t i = 0; i < list->count; i++)
        if (!dict_set(machine, (struct dict *)value->object, list->items[i], NONE_VALUE))
            return false;
    return true;
}

static bool add_all(struct machine *machine, struct dict *dict, struct value from) {
    if (!is_kind(from, OBJECT_DICT))
        return machine_raise(machine, TYPE_ERROR, "'%s' object is not a mapping", type_name(from));
    struct value key, item;
    for (int64_t i = 0; dict_next((struct dict *)from.object, &i, &key, &item);)
        if (!dict_set(machine, dict, key, item)) return false;
    return true;
}

static bool evaluate_dict(struct machine *machine, const struct node *node, struct value *value) {
    *value = dict_new(machine);
    machine_keep(machine, *value);
    struct dict *dict = (struct dict *)value->object;
    for (int i = 0; i < node->part_count; i += 2) {
        struct value key, item;
        if (node->parts[i] == NULL) {
            if (!evaluate(machine, node->parts[i + 1], &item) || !add_all(machine, dict, item))
                return false;
            continue;
        }
        if (!evaluate(machine, node->parts[i], &key)) return false;
        machine_keep(machine, key);
        if (!evaluate(machine, node->parts[i + 1], &item) || !dict_set(machine, dict, key, item))
            return false;
    }
    return true;
}

static bool add_field(struct machine *machine, struct text *text, const struct node *field) {
    struct value value, format = NO_VALUE, formatted;
    if (!evaluate(machine, field->parts[0], &value)) return false;
    machine_keep(machine, value);
    if (field->parts[1] != NULL && !evaluate(machine, field->parts[1], &format)) return false;
    machine_keep(machine, format);
    if (field->text != NULL) {
        const bool is_done = field->text[0] == 's' ? value_str(machine, value, &value)
                                                   : value_repr(machine, value, &value);
        if (!is_done) return false;
        machine_keep(machine, value);
    }
    machine->call->node = field;
    const char *specification =
        format.kind == VALUE_ABSENT ? "" : ((struct str *)format.object)->bytes;
    if (!format_value(machine, value, specification, &formatted)) return false;
    const struct str *str = (const struct str *)formatted.object;
    text_add_bytes(text, str->bytes, (size_t)str->length);
    return true;
}

static bool evaluate_fstring(struct machine *machine, const struct node *node,
                             struct value *value) {
    struct scratch scratch;
    struct text text = text_new(scratch_open(&scratch, machine->arena->failure));
    bool is_done = true;
    for (int i = 0; is_done && i < node->part_count; i++) {
        const struct node *part = node->parts[i];
        if (part->kind == NODE_FIELD)
            is_done = add_field(machine, &text, part);
        else
            text_add_bytes(&text, part->text, (size_t)part->length);
    }
    if (is_done)
        *value = str_new(machine, text.bytes != NULL ? text.bytes : "", (int64_t)text.length);
    scratch_close(&scratch);
    return is_done;
}

// ---- Operators ----------------------------------------------------------------------------------

static bool evaluate_binary(struct machine *machine, const struct node *node, struct value *value) {
    struct value a, b;
    if (!evaluate(machine, node->parts[0], &a)) return false;
    machine_keep(machine, a);
    if (!evaluate(machine, node->parts[1], &b)) return false;
    machine_keep(machine, b);
    machine->call->node = node;
    return binary(machine, node->operator, a, b, value);
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
        machine_keep(machine, a);
        if (!evaluate(machine, node->parts[i], &b)) return false;
        machine_keep(machine, b);
        machine->call->node = node;
        if (!compare_values(machine, node->operators[i - 1], a, b, value)) return false;
        bool truth;
        if (i + 1 < node->part_count && !value_truth(machine, *value, &truth)) return false;
        if (i + 1 < node->part_count && !truth) return true;
    }
    return true;
}

bool test_of(struct machine *machine, const struct node *node, bool *truth) {
    struct value value;
    if (!evaluate(machine, node, &value)) return false;
    machine_keep(machine, value);
    machine->call->node = node;
    return value_truth(machine, value, truth);
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
    machine_keep(machine, operand);
    machine->call->node = node;
    return unary(machine, node->operator, operand, value);
}

// ---- Parts of values ----------------------------------------------------------------------------

static bool evaluate_slice(struct machine *machine, const struct node *node, struct value *value) {
    struct value parts[3];
    for (int i = 0; i < 3; i++) {
        parts[i] = NONE_VALUE;
        if (i < node->part_count && node->parts[i] != NULL &&
            !evaluate(machine, node->parts[i], &parts[i]))
            return false;
        machine_keep(machine, parts[i]);
    }
    struct slice *slice = object_new(machine, OBJECT_SLICE, sizeof *slice);
    slice->start = parts[0];
    slice->stop = parts[1];
    slice->step = parts[2];
    *value = value_of_object(slice);
    return true;
}

static bool evaluate_subscript(struct machine *machine, const struct node *node,
                               struct value *value) {
    struct value of, index;
    if (!evaluate(machine, node->parts[0], &of)) return false;
    machine_keep(machine, of);
    if (!evaluate(machine, node->parts[1], &index)) return false;
    machine_keep(machine, index);
    machine->call->node = node;
    return get_item(machine, of, index, value);
}

static bool evaluate_attribute(struct machine *machine, const struct node *node,
                               struct value *value) {
    struct value of;
    if (!evaluate(machine, node->parts[0], &of)) return false;
    machine_keep(machine, of);
    machine->call->node = node;
    return machine_get(machine, of, node->text, value);
}

static bool evaluate_walrus(struct machine *machine, const struct node *node, struct value *value) {
    return evaluate(machine, node->parts[1], value) && bind_name(machine, node->parts[0], *value);
}

static bool evaluate_int(struct machine *machine, const struct node *node, struct value *value) {
    machine->call->node = node;
    *value = value_of_int((int64_t)node->integer); // above 2^63 only for seeds
    return true;
}

static bool evaluate_string(struct machine *machine, const struct node *node, struct value *value) {
    if (node->name == NULL && !node->is_bytes) {
        *value = str_new(machine, node->text, node->length);
        if (node->length >= 4096) return true;
        struct value kept; // the names keep one string for each text
        if (!dict_get(machine, machine->names, *value, &kept)) return false;
        if (kept.kind == VALUE_OBJECT)
            *value = kept;
        else if (!dict_set(machine, machine->names, *value, *value))
            return false;
        ((struct node *)node)->name = value->object;
        return true;
    }
    if (!node->is_bytes) {
        *value = value_of_object(node->name);
        return true;
    }
    *value = str_new(machine, node->text, node->length);
    value->object->kind = OBJECT_BYTES;
    return true;
}

static bool evaluate_kind(struct machine *machine, const struct node *node, struct value *value) {
    switch (node->kind) {
    case NODE_NAME:
        return lookup(machine, node, value);
    case NODE_INT:
        return evaluate_int(machine, node, value);
    case NODE_FLOAT:
        *value = value_of_float(node->number);
        return true;
    case NODE_STRING:
        return evaluate_string(machine, node, value);
    case NODE_FSTRING:
        return evaluate_fstring(machine, node, value);
    case NODE_NONE:
        *value = NONE_VALUE;
        return true;
    case NODE_TRUE:
        *value = value_of_bool(true);
        return true;
    case NODE_FALSE:
        *value = value_of_bool(false);
        return true;
    case NODE_ELLIPSIS:
        *value = (struct value){VALUE_ELLIPSIS, {0}};
        return true;
    case NODE_TUPLE:
    case NODE_LIST:
        return evaluate_list(machine, node, value);
    case NODE_SET:
        return evaluate_set(machine, node, value);
    case NODE_DICT:
        return evaluate_dict(machine, node, value);
    case NODE_UNARY:
        return evaluate_unary(machine, node, value);
    case NODE_BINARY:
        return evaluate_binary(machine, node, value);
    case NODE_BOOLEAN:
        return evaluate_boolean(machine, node, value);
    case NODE_COMPARE:
        return evaluate_compare(machine, node, value);
    case NODE_CONDITIONAL:
        return evaluate_conditional(machine, node, value);
    case NODE_LAMBDA:
        return make_function(machine, node, value);
    case NODE_CALL:
        return evaluate_call(machine, node, value);
    case NODE_ATTRIBUTE:
        return evaluate_attribute(machine, node, value);
    case NODE_SUBSCRIPT:
        return evaluate_subscript(machine, node, value);
    case NODE_SLICE:
        return evaluate_slice(machine, node, value);
    case NODE_WALRUS:
        return evaluate_walrus(machine, node, value);
    case NODE_LIST_COMPREHENSION:
    case NODE_SET_COMPREHENSION:
    case NODE_DICT_COMPREHENSION:
    case NODE_GENERATOR:
        return comprehension(machine, node, value);
    default:
        break;
    }
    machine->call->node = node;
    return machine_raise(machine, SYNTAX_ERROR, "can't use starred expression here");
}

bool evaluate(struct machine *machine, const struct node *node, struct value *value) {
    const int64_t kept = machine->kept_count;
    *value = NO_VALUE;
    const bool is_done = evaluate_kind(machine, node, value);
    machine->kept_count = kept;
    return is_done;
}
