// Calls: functions of the program, functions in C, classes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "script/dict.h"

enum { MOST_FRAMES = 1000 };

// ---- Frames -------------------------------------------------------------------------------------

struct frame *frame_new(struct machine *machine, const struct program *program,
                        struct dict *globals, struct frame *outer, struct scope *scope,
                        const char *function) {
    struct frame *frame = object_new(machine, OBJECT_FRAME, sizeof *frame);
    machine_keep(machine, value_of_object(frame));
    frame->program = program;
    frame->globals = globals;
    frame->outer = outer;
    frame->scope = scope;
    frame->function = function;
    frame->names = scope->is_program ? globals : (struct dict *)dict_new(machine).object;
    return frame;
}

bool run_in_frame(struct machine *machine, struct frame *frame, const struct node *body,
                  struct value *result,
                  bool (*run)(struct machine *machine, const struct node *body,
                              struct value *result)) {
    struct call call = {machine->call, frame, body, NO_VALUE};
    if (++machine->depth > MOST_FRAMES) {
        machine->depth--;
        return machine_raise(machine, RECURSION_ERROR, "maximum recursion depth exceeded");
    }
    machine->call = &call;
    const bool is_done = run(machine, body, result);
    machine->call = call.outer;
    machine->depth--;
    return is_done;
}

static bool run_body(struct machine *machine, const struct node *body, struct value *result) {
    if (body->kind != NODE_BLOCK) return evaluate(machine, body, result);
    if (!execute_block(machine, body)) return false;
    *result = machine->flow == FLOW_RETURN ? machine->returned : NONE_VALUE;
    machine->flow = FLOW_NEXT;
    machine->returned = NO_VALUE;
    return true;
}

// ---- Functions ----------------------------------------------------------------------------------

bool make_function(struct machine *machine, const struct node *node, struct value *value) {
    const struct node *parameters = node->parts[0];
    struct frame *frame = machine->call->frame;
    struct function *function = object_new(machine, OBJECT_FUNCTION, sizeof *function);
    *value = value_of_object(function);
    machine_keep(machine, *value);
    function->node = node;
    function->program = frame->program;
    function->globals = (struct object *)frame->globals;
    function->name = node->kind == NODE_LAMBDA ? "<lambda>" : node->text;
    function->qualified_name = function->name;
    if (frame->scope->is_class) {
        function->owner = (struct object *)frame->owner;
        function->qualified_name =
            arena_format(machine->arena, "%s.%s", frame->function, function->name);
    }
    struct frame *outer = frame->scope->is_class     ? frame->outer
                          : frame->scope->is_program ? NULL
                                                     : frame;
    function->frame = (struct object *)outer;
    function->defaults = calloc((size_t)parameters->part_count + 1, sizeof *function->defaults);
    if (function->defaults == NULL) fail(machine->arena->failure, FAIL_RUNTIME, "out of memory");
    scope_of(machine, node, frame->scope);
    for (int i = 0; i < parameters->part_count; i++) {
        const struct node *parameter = parameters->parts[i];
        if (parameter->part_count > 0 && parameter->parts[0] != NULL &&
            !evaluate(machine, parameter->parts[0], &function->defaults[i]))
            return false;
    }
    return true;
}

// Where the values of a call go.
struct binding {
    struct machine *machine;
    const struct function *function;
    const struct node *parameters;
    const struct arguments *arguments;
    struct dict *names;
};

static bool put(const struct binding *binding, const struct node *parameter, struct value value) {
    return dict_set(binding->machine, binding->names,
                    value_of_object(name_of(binding->machine, parameter)), value);
}

static bool is_plain(const struct node *parameter) {
    return parameter->parameter == PARAMETER_PLAIN ||
           parameter->parameter == PARAMETER_POSITIONAL_ONLY;
}

static bool raise_too_many(const struct binding *binding, int most, int least) {
    struct machine *machine = binding->machine;
    const int count = binding->arguments->count;
    const char *s = most == 1 ? "" : "s";
    if (least < most)
        return machine_raise(machine, TYPE_ERROR,
                             "%s() takes from %d to %d positional arguments but %d were given",
                             binding->function->qualified_name, least, most, count);
    return machine_raise(machine, TYPE_ERROR, "%s() takes %d positional argument%s but %d %s given",
                         binding->function->qualified_name, most, s, count,
                         count == 1 ? "was" : "were");
}

static bool bind_positional(const struct binding *binding) {
    const struct node *parameters = binding->parameters;
    const struct arguments *arguments = binding->arguments;
    int taken = 0, plain = 0, required = 0;
    const struct node *star = NULL;
    for (int i = 0; i < parameters->part_count; i++) {
        const struct node *parameter = parameters->parts[i];
        if (parameter->parameter == PARAMETER_STAR) star = parameter;
        if (!is_plain(parameter)) continue;
        plain++;
        required += binding->function->defaults[i].kind == VALUE_ABSENT;
        if (taken < arguments->count && !put(binding, parameter, arguments->values[taken]))
            return false;
        taken += taken < arguments->count;
    }
    const int left = arguments->count - taken;
    if (star == NULL) return left == 0 || raise_too_many(binding, plain, required);
    return put(binding, star,
               tuple_new(binding->machine, left, left > 0 ? arguments->values + taken : NULL));
}

static bool bind_keywords(const struct binding *binding) {
    const struct node *parameters = binding->parameters, *stars = NULL;
    const struct arguments *arguments = binding->arguments;
    struct machine *machine = binding->machine;
    struct value rest = NO_VALUE;
    for (int i = 0; i < parameters->part_count; i++)
        if (parameters->parts[i]->parameter == PARAMETER_STARS) stars = parameters->parts[i];
    if (stars != NULL) {
        rest = dict_new(machine);
        if (!put(binding, stars, rest)) return false;
    }
    for (int k = 0; k < arguments->keyword_count; k++) {
        const char *keyword = arguments->keywords[k];
        const struct node *found = NULL;
        for (int i = 0; i < parameters->part_count; i++) {
            const struct node *parameter = parameters->parts[i];
            if ((parameter->parameter == PARAMETER_PLAIN ||
                 parameter->parameter == PARAMETER_KEYWORD_ONLY) &&
                strcmp(parameter->text, keyword) == 0)
                found = parameter;
        }
        if (found == NULL && stars == NULL)
            return machine_raise(machine, TYPE_ERROR,
                                 "%s() got an unexpected keyword argument '%s'",
                                 binding->function->qualified_name, keyword);
        if (found == NULL) {
            dict_name(machine, (struct dict *)rest.object, keyword, arguments->keyword_values[k]);
            continue;
        }
        if (dict_named(binding->names, keyword).kind != VALUE_ABSENT)
            return machine_raise(machine, TYPE_ERROR, "%s() got multiple values for argument '%s'",
                                 binding->function->qualified_name, keyword);
        if (!put(binding, found, arguments->keyword_values[k])) return false;
    }
    return true;
}

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'"
static const char *quoted(struct arena *arena, const char *const *names, int count) {
    struct text text = text_new(arena);
    for (int i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : count == 2 ? " and " : ", and ";
        text_add_format(&text, "%s'%s'", before, names[i]);
    }
    return text.bytes;
}

static bool bind_defaults(const struct binding *binding) {
    const struct node *parameters = binding->parameters;
    struct machine *machine = binding->machine;
    const char *missing[2][64];
    int counts[2] = {0, 0};
    for (int i = 0; i < parameters->part_count; i++) {
        const struct node *parameter = parameters->parts[i];
        if (parameter->parameter == PARAMETER_STAR || parameter->parameter == PARAMETER_STARS)
            continue;
        if (dict_of_str(binding->names, name_of(machine, parameter)).kind != VALUE_ABSENT) continue;
        const int kind = parameter->parameter == PARAMETER_KEYWORD_ONLY;
        if (binding->function->defaults[i].kind != VALUE_ABSENT) {
            if (!put(binding, parameter, binding->function->defaults[i])) return false;
        } else if (counts[kind] < 64) {
            missing[kind][counts[kind]++] = parameter->text;
        }
    }
    const int kind = counts[0] > 0 ? 0 : 1;
    if (counts[kind] == 0) return true;
    return machine_raise(machine, TYPE_ERROR, "%s() missing %d required %s argument%s: %s",
                         binding->function->qualified_name, counts[kind],
                         kind == 0 ? "positional" : "keyword-only", counts[kind] == 1 ? "" : "s",
                         quoted(machine->arena, missing[kind], counts[kind]));
}

static bool call_function(struct machine *machine, struct function *function,
                          struct arguments *arguments, struct value *result) {
    struct frame *frame =
        frame_new(machine, function->program, (struct dict *)function->globals,
                  (struct frame *)function->frame, function->node->scope, function->name);
    const struct binding binding = {machine, function, function->node->parts[0], arguments,
                                    frame->names};
    frame->owner = (struct class *)function->owner;
    frame->self = arguments->count > 0 ? arguments->values[0] : NO_VALUE;
    if (!bind_positional(&binding) || !bind_keywords(&binding) || !bind_defaults(&binding))
        return false;
    return run_in_frame(machine, frame, function->node->parts[1], result, run_body);
}

// ---- Functions in C -----------------------------------------------------------------------------

// One parameter of a signature.
struct parameter {
    char name[40], standard[24]; // standard: the default as written, "" if there is none
    bool is_star, is_keyword_only;
};

static const char *read_parameter(const char *signature, struct parameter *parameter) {
    const size_t length = strcspn(signature, ",");
    size_t name = strcspn(signature, ",=");
    *parameter = (struct parameter){.is_star = *signature == '*'};
    if (parameter->is_star) signature++, name--;
    if (name >= sizeof parameter->name) name = sizeof parameter->name - 1;
    memcpy(parameter->name, signature, name);
    const size_t rest = length - parameter->is_star - name;
    if (rest > 1 && rest - 1 < sizeof parameter->standard)
        memcpy(parameter->standard, signature + name + 1, rest - 1);
    signature += length - parameter->is_star;
    while (*signature == ',' || *signature == ' ') signature++;
    return signature;
}

static struct value value_of_standard(const char *text) {
    if (text[0] == '\0') return NO_VALUE;
    if (strcmp(text, "None") == 0) return NONE_VALUE;
    if (strcmp(text, "True") == 0) return value_of_bool(true);
    if (strcmp(text, "False") == 0) return value_of_bool(false);
    char *end;
    const long long integer = strtoll(text, &end, 10);
    if (*end == '\0') return value_of_int(integer);
    const double number = strtod(text, &end);
    return *end == '\0' ? value_of_float(number) : NO_VALUE;
}

enum { MOST_PARAMETERS = 24 };

// The value of the keyword; true in used[] for it.
static struct value take_keyword(const struct arguments *arguments, const char *name, bool *used) {
    for (int i = 0; i < arguments->keyword_count; i++) {
        if (strcmp(arguments->keywords[i], name) != 0) continue;
        used[i] = true;
        return arguments->keyword_values[i];
    }
    return NO_VALUE;
}

static bool refuse_rest(struct machine *machine, const struct native_row *row,
                        const struct arguments *arguments, const bool *used) {
    for (int i = 0; i < arguments->keyword_count; i++)
        if (!used[i])
            return machine_raise(machine, TYPE_ERROR,
                                 "%s() got an unexpected keyword argument '%s'", row->name,
                                 arguments->keywords[i]);
    return true;
}

static bool bind_native(struct machine *machine, const struct native_row *row,
                        const struct arguments *given, struct value *values, int *count) {
    bool used[64] = {false}, is_keyword_only = false;
    int taken = 0;
    const char *signature = row->signature;
    if (given->keyword_count > 64)
        return machine_raise(machine, TYPE_ERROR, "%s() takes at most 64 keyword arguments",
                             row->name);
    *count = 0;
    while (*signature != '\0') {
        struct parameter parameter;
        signature = read_parameter(signature, &parameter);
        if (parameter.is_star && parameter.name[0] == '\0') {
            is_keyword_only = true;
            continue;
        }
        if (*count == MOST_PARAMETERS) break;
        struct value value = NO_VALUE;
        if (parameter.is_star) {
            const int rest = given->count - taken;
            value = tuple_new(machine, rest, rest > 0 ? given->values + taken : NULL);
            machine_keep(machine, value);
            taken = given->count;
            is_keyword_only = true;
        } else if (!is_keyword_only && taken < given->count) {
            value = given->values[taken++];
        } else {
            value = take_keyword(given, parameter.name, used);
        }
        if (value.kind == VALUE_ABSENT) value = value_of_standard(parameter.standard);
        if (value.kind == VALUE_ABSENT && parameter.standard[0] == '\0' && !parameter.is_star)
            return machine_raise(machine, TYPE_ERROR,
                                 "%s() missing %d required positional argument%s: \"%s\"",
                                 row->name, 1, "", parameter.name);
        values[(*count)++] = value;
    }
    if (taken < given->count)
        return machine_raise(
            machine, TYPE_ERROR, "%s() takes %d positional argument%s but %d %s given", row->name,
            taken, taken == 1 ? "" : "s", given->count, given->count == 1 ? "was" : "were");
    return refuse_rest(machine, row, given, used);
}

// The arguments with one more in front of them, kept.
static struct arguments behind(struct machine *machine, struct value self,
                               const struct arguments *arguments) {
    const struct value together = tuple_new(machine, arguments->count + 1, NULL);
    machine_keep(machine, together);
    struct arguments all = *arguments;
    all.values = ((struct list *)together.object)->items;
    all.values[0] = self;
    if (arguments->count > 0)
        memcpy(all.values + 1, arguments->values, (size_t)arguments->count * sizeof *all.values);
    all.count++;
    return all;
}

bool call_native(struct machine *machine, const struct native_row *row, struct value self,
                 struct arguments *given, struct value *result) {
    const int64_t kept = machine->kept_count;
    struct value values[MOST_PARAMETERS + 1];
    struct arguments arguments = self.kind == VALUE_ABSENT ? *given : behind(machine, self, given);
    arguments.row = row;
    *result = NONE_VALUE;
    bool is_done = true;
    if (row->signature != NULL) {
        int count = 0;
        is_done = bind_native(machine, row, &arguments, values, &count);
        arguments.values = values;
        arguments.count = count;
        arguments.keyword_count = 0;
    }
    is_done = is_done && row->function(machine, &arguments, result);
    machine->kept_count = kept;
    return is_done;
}

// ---- Classes ------------------------------------------------------------------------------------

bool is_subclass(const struct class *class, const struct class *of) {
    for (int64_t i = 0; i < class->order->count; i++)
        if (class->order->items[i].object == (const struct object *)of) return true;
    return false;
}

bool class_find(const struct class *class, const char *name, struct value *value) {
    for (int64_t i = 0; i < class->order->count; i++) {
        *value = dict_named(((const struct class *)class->order->items[i].object)->names, name);
        if (value->kind != VALUE_ABSENT) return true;
    }
    return false;
}

static const struct native_row *constructor_of(const struct class *class) {
    for (int64_t i = 0; i < class->order->count; i++) {
        const struct class *base = (const struct class *)class->order->items[i].object;
        if (base->construct != NULL) return base->construct;
    }
    return NULL;
}

// Makes an instance: __init__, or the exception's arguments.
static bool construct(struct machine *machine, struct class *class, struct arguments *arguments,
                      struct value *result) {
    struct value initialize;
    const bool has_initialize = class_find(class, "__init__", &initialize);
    const struct native_row *row = constructor_of(class);
    if (row != NULL && (!has_initialize || class->construct != NULL))
        return call_native(machine, row, NO_VALUE, arguments, result);
    const bool is_exception = is_subclass(class, machine->exceptions[EXCEPTION]);
    *result = exception_new(machine, class, is_exception ? arguments->count : 0, arguments->values);
    machine_keep(machine, *result);
    if (!is_exception) dict_clear(((struct instance *)result->object)->names);
    if (!has_initialize) {
        if (is_exception || arguments->count + arguments->keyword_count == 0) return true;
        return machine_raise(machine, TYPE_ERROR, "%s() takes no arguments", class->name);
    }
    struct arguments with_self = behind(machine, *result, arguments);
    struct value nothing;
    return call_value(machine, initialize, &with_self, &nothing);
}

// C3 would do the same for the classes that people write: each base's order, a class behind all that inherit from it.
static void set_order(struct machine *machine, struct class *class) {
    class->order = (struct list *)tuple_new(machine, 0, NULL).object;
    list_append(machine, class->order, value_of_object(class));
    for (int64_t b = 0; b < class->bases->count; b++) {
        const struct list *order = ((struct class *)class->bases->items[b].object)->order;
        for (int64_t i = 0; i < order->count; i++) {
            bool is_later = false;
            for (int64_t later = b + 1; later < class->bases->count; later++)
                is_later |= is_subclass((struct class *)class->bases->items[later].object,
                                        (struct class *)order->items[i].object);
            if (!is_later && !is_subclass(class, (struct class *)order->items[i].object))
                list_append(machine, class->order, order->items[i]);
        }
    }
}

struct class *class_new(struct machine *machine, const char *module, const char *name,
                        const struct native_row *construct_row, const struct native_row *methods) {
    struct class *class = object_new(machine, OBJECT_CLASS, sizeof *class);
    machine_keep(machine, value_of_object(class));
    class->name = name;
    class->module = module;
    class->construct = construct_row;
    class->methods = methods;
    class->names = (struct dict *)dict_new(machine).object;
    class->bases = (struct list *)tuple_new(machine, 0, NULL).object;
    set_order(machine, class);
    return class;
}

static bool run_class_body(struct machine *machine, const struct node *body, struct value *result) {
    *result = NONE_VALUE;
    return execute_block(machine, body);
}

bool build_class(struct machine *machine, const struct node *node, struct value *value) {
    struct frame *frame = machine->call->frame, *outer = frame->scope->is_class     ? frame->outer
                                                         : frame->scope->is_program ? NULL
                                                                                    : frame;
    struct class *class = object_new(machine, OBJECT_CLASS, sizeof *class);
    *value = value_of_object(class);
    machine_keep(machine, *value);
    class->name = node->text;
    class->module = dict_named(frame->globals, "__name__").kind == VALUE_OBJECT
                        ? ((struct str *)dict_named(frame->globals, "__name__").object)->bytes
                        : "__main__";
    class->names = (struct dict *)dict_new(machine).object;
    class->bases = (struct list *)tuple_new(machine, 0, NULL).object;
    const struct node *bases = node->parts[1];
    for (int i = 0; bases != NULL && i < bases->part_count; i++) {
        struct value base;
        if (!evaluate(machine, bases->parts[i]->parts[0], &base)) return false;
        machine->call->node = bases->parts[i];
        if (!is_kind(base, OBJECT_CLASS))
            return machine_raise(machine, TYPE_ERROR, "a base must be a class, not '%s'",
                                 type_name(base));
        if (base.object != (struct object *)machine->type_object)
            list_append(machine, class->bases, base);
    }
    list_append(machine, class->bases, value_of_object(machine->type_object));
    set_order(machine, class);
    struct frame *body = frame_new(machine, frame->program, frame->globals, outer,
                                   scope_of(machine, node, frame->scope), node->text);
    body->names = class->names;
    body->owner = class;
    struct value nothing;
    return run_in_frame(machine, body, node->parts[0], &nothing, run_class_body);
}

// ---- Calls --------------------------------------------------------------------------------------

static bool call_with_self(struct machine *machine, struct value function, struct value self,
                           struct arguments *arguments, struct value *result) {
    struct arguments all = behind(machine, self, arguments);
    return call_value(machine, function, &all, result);
}

bool call_value(struct machine *machine, struct value function, struct arguments *arguments,
                struct value *result) {
    const int64_t kept = machine->kept_count;
    bool is_done = false;
    machine_keep(machine, function);
    if (function.kind != VALUE_OBJECT) {
        return machine_raise(machine, TYPE_ERROR, "'%s' object is not callable",
                             type_name(function));
    }
    struct value call;
    switch (function.object->kind) {
    case OBJECT_FUNCTION:
        is_done = call_function(machine, (struct function *)function.object, arguments, result);
        break;
    case OBJECT_NATIVE: {
        const struct native *native = (const struct native *)function.object;
        is_done = call_native(machine, native->row, native->self, arguments, result);
        break;
    }
    case OBJECT_METHOD: {
        const struct method *method = (const struct method *)function.object;
        is_done = call_with_self(machine, method->function, method->self, arguments, result);
        break;
    }
    case OBJECT_CLASS:
        is_done = construct(machine, (struct class *)function.object, arguments, result);
        break;
    case OBJECT_INSTANCE:
        if (class_find(((struct instance *)function.object)->class, "__call__", &call)) {
            is_done = call_with_self(machine, call, function, arguments, result);
            break;
        } // fall through
    default:
        if (machine->methods[function.object->kind].call != NULL)
            is_done =
                machine->methods[function.object->kind].call(machine, function, arguments, result);
        else
            machine_raise(machine, TYPE_ERROR, "'%s' object is not callable", type_name(function));
    }
    machine->kept_count = kept;
    return is_done;
}

bool machine_call(struct machine *machine, struct value function, int count,
                  const struct value *arguments, struct value *result) {
    struct arguments all = {.count = count, .values = (struct value *)arguments};
    struct value answer;
    if (!call_value(machine, function, &all, &answer)) return false;
    *result = answer;
    return true;
}

bool call_method(struct machine *machine, struct value self, const char *name, int count,
                 const struct value *arguments, struct value *result, bool *is_there) {
    struct value method;
    *is_there = false;
    if (is_kind(self, OBJECT_INSTANCE)) {
        if (!class_find(((struct instance *)self.object)->class, name, &method)) return true;
    } else {
        if (self.kind != VALUE_OBJECT) return true;
        return !get_attribute(machine, self, name, &method, is_there) ? false
               : !*is_there                                           ? true
                            : machine_call(machine, method, count, arguments, result);
    }
    *is_there = true;
    struct arguments all = {.count = count, .values = (struct value *)arguments};
    const int64_t kept = machine->kept_count;
    machine_keep(machine, self);
    for (int i = 0; i < count; i++) machine_keep(machine, arguments[i]);
    const bool is_done = call_with_self(machine, method, self, &all, result);
    machine->kept_count = kept;
    return is_done;
}

static bool raise_stars(struct machine *machine, struct value value, int stars) {
    return machine_raise(machine, TYPE_ERROR, "argument after %s must be %s, not %s",
                         stars == 1 ? "*" : "**", stars == 1 ? "an iterable" : "a mapping",
                         type_name(value));
}

static bool add_keywords(struct machine *machine, struct value from, struct dict *keywords) {
    struct value key, value;
    if (!is_kind(from, OBJECT_DICT)) return raise_stars(machine, from, 2);
    for (int64_t i = 0; dict_next((struct dict *)from.object, &i, &key, &value);)
        if (!dict_set(machine, keywords, key, value)) return false;
    return true;
}

static bool evaluate_arguments(struct machine *machine, const struct node *node,
                               struct list *values, struct dict *keywords) {
    for (int i = 1; i < node->part_count; i++) {
        const struct node *argument = node->parts[i];
        struct value value;
        if (!evaluate(machine, argument->parts[0], &value)) return false;
        if (argument->text != NULL) {
            if (!dict_set(machine, keywords, value_of_object(name_of(machine, argument)), value))
                return false;
        } else if (argument->stars == 0) {
            list_append(machine, values, value);
        } else if (argument->stars == 2) {
            if (!add_keywords(machine, value, keywords)) return false;
        } else {
            struct list *more;
            machine->call->node = node;
            if (!machine_list_of(machine, value, &more)) return false;
            for (int64_t j = 0; j < more->count; j++) list_append(machine, values, more->items[j]);
        }
    }
    return true;
}

bool evaluate_call(struct machine *machine, const struct node *node, struct value *value) {
    struct value function;
    if (!evaluate(machine, node->parts[0], &function)) return false;
    machine_keep(machine, function);
    const struct value values = list_new(machine, 0, NULL), keywords = dict_new(machine);
    machine_keep(machine, values);
    machine_keep(machine, keywords);
    struct list *list = (struct list *)values.object;
    struct dict *dict = (struct dict *)keywords.object;
    if (!evaluate_arguments(machine, node, list, dict)) return false;
    const char *names[64];
    struct value keyword_values[64];
    struct arguments arguments = {.count = (int)list->count,
                                  .values = list->items,
                                  .keywords = names,
                                  .keyword_values = keyword_values};
    struct value key, one;
    for (int64_t i = 0; arguments.keyword_count < 64 && dict_next(dict, &i, &key, &one);) {
        if (!is_kind(key, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR, "keywords must be strings");
        names[arguments.keyword_count] = ((struct str *)key.object)->bytes;
        keyword_values[arguments.keyword_count++] = one;
    }
    machine->call->node = node;
    return call_value(machine, function, &arguments, value);
}
