// Calls: of functions of the program, of functions in C, of classes and of objects.

#include <string.h>

#include "script/inside.h"

enum {
    MOST_FRAMES = 1000,
    MOST_STACK = 7 << 20 // bytes of C; systems give 8 MiB, and so does the page
};

// ---- Frames -------------------------------------------------------------------------------------

struct frame *frame_new(struct machine *machine, const struct program *program,
                        struct dict *globals, struct frame *outer, const struct scope *scope,
                        const char *function) {
    struct frame *frame = object_new(machine, OBJECT_FRAME, sizeof *frame);
    machine_keep(machine, value_of_object(frame));
    frame->program = program;
    frame->globals = globals;
    frame->outer = outer;
    frame->scope = scope;
    frame->function = function;
    frame->names = scope->is_program ? globals : as_dict(dict_new(machine));
    return frame;
}

struct frame *frame_around(struct frame *frame) {
    return frame->scope->is_class ? frame->outer : frame->scope->is_program ? NULL : frame;
}

bool go_deeper(struct machine *machine) {
    const intptr_t stack = machine->stack - (intptr_t)__builtin_frame_address(0);
    if (++machine->depth <= MOST_FRAMES && stack < MOST_STACK) return true;
    machine->depth--;
    return machine_raise(machine, RECURSION_ERROR, "maximum recursion depth exceeded");
}

// A body that runs.
struct running {
    struct machine *machine;
    const struct node *body;
    struct value *result;
    bool is_done;
};

static void run_body(void *context) {
    struct running *running = context;
    running->is_done = running->body->kind == NODE_BLOCK
                           ? execute_block(running->machine, running->body)
                           : evaluate(running->machine, running->body, running->result);
}

bool run_in_frame(struct machine *machine, struct frame *frame, const struct node *body,
                  struct value *result) {
    struct call call = {machine->call, frame, body, NO_VALUE};
    struct running running = {machine, body, result, false};
    if (!go_deeper(machine)) return false;
    machine->call = &call;
    *result = NONE_VALUE;
    const struct node *caller = call.outer != NULL ? call.outer->node : body;
    machine_tell(machine, EVENT_CALL, caller, NO_VALUE, NO_VALUE);
    call_on_stack(run_body, &running);
    const bool is_done = running.is_done;
    if (is_done && machine->flow >= FLOW_RETURN) *result = machine->returned;
    if (is_done) machine->flow = FLOW_NEXT;
    if (is_done) machine->returned = NO_VALUE;
    machine_tell(machine, EVENT_CALL_END, caller, is_done ? *result : NO_VALUE, NO_VALUE);
    machine->call = call.outer;
    machine->depth--;
    return is_done;
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
        struct text name = text_new(machine->arena);
        text_add(&name, frame->function);
        text_add(&name, ".");
        text_add(&name, function->name);
        function->qualified_name = name.bytes;
    }
    function->frame = (struct object *)frame_around(frame);
    function->defaults = values_new(machine, parameters->part_count);
    for (int i = 0; i < parameters->part_count; i++) {
        const struct node *standard = parameters->parts[i]->parts[0];
        if (standard != NULL && !evaluate(machine, standard, &function->defaults[i])) return false;
    }
    return true;
}

// The values of a call and the parameters that they go to.
struct binding {
    struct machine *machine;
    const struct function *function;
    const struct node *parameters;
    const struct arguments *arguments;
    struct value *values; // one for each parameter
};

static bool is_native(const struct binding *binding) {
    return binding->function->program == NULL;
}

static bool raise_too_many(const struct binding *binding, int most, int least) {
    const int count = binding->arguments->count;
    const char *name = binding->function->qualified_name;
    if (least < most && !is_native(binding))
        return machine_raise(binding->machine, TYPE_ERROR,
                             "%s() takes from %d to %d positional arguments but %d were given",
                             name, least, most, count);
    return machine_raise(binding->machine, TYPE_ERROR,
                         "%s() takes %d positional argument%s but %d %s given", name, most,
                         most == 1 ? "" : "s", count, count == 1 ? "was" : "were");
}

static bool bind_positional(const struct binding *binding) {
    const struct arguments *arguments = binding->arguments;
    int taken = 0, plain = 0, required = 0;
    for (int i = 0; i < binding->parameters->part_count; i++) {
        const enum parameter_form kind = binding->parameters->parts[i]->parameter;
        if (kind == PARAMETER_STAR) {
            const int rest = arguments->count - taken;
            binding->values[i] = tuple_new(binding->machine, rest, arguments->values + taken);
            taken = arguments->count;
        } else if (kind <= PARAMETER_PLAIN) {
            if (taken < arguments->count) binding->values[i] = arguments->values[taken++];
            required += binding->function->defaults[i].kind == VALUE_ABSENT;
            plain++;
        }
    }
    return taken == arguments->count || raise_too_many(binding, plain, required);
}

static int parameter_of(const struct binding *binding, const char *keyword) {
    const struct node *parameters = binding->parameters;
    for (int i = 0; i < parameters->part_count; i++) {
        const enum parameter_form form = parameters->parts[i]->parameter;
        const bool is_named = form == PARAMETER_PLAIN || form == PARAMETER_KEYWORD_ONLY ||
                              (form == PARAMETER_STAR && is_native(binding)); // permute(dims=...)
        if (is_named && parameters->parts[i]->text != NULL &&
            strcmp(parameters->parts[i]->text, keyword) == 0)
            return i;
    }
    return -1;
}

// NumPy's name of a parameter, which PyTorch's functions in C++ take for their own.
static int parameter_meant(const struct binding *binding, const char *keyword) {
    static const char *const names[][2] = {{"axis", "dim"}, {"keepdims", "keepdim"}};
    const int parameter = parameter_of(binding, keyword);
    if (parameter >= 0 || !is_native(binding) || parameter_of(binding, "_stacklevel") >= 0)
        return parameter;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], keyword) == 0) return parameter_of(binding, names[i][1]);
    return -1;
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

// Raises where a parameter has neither a value nor a default.
static bool check_missing(const struct binding *binding) {
    struct machine *machine = binding->machine;
    const char *missing[2][64], *name = binding->function->qualified_name;
    int counts[2] = {0, 0};
    for (int i = 0; i < binding->parameters->part_count; i++) {
        const struct node *parameter = binding->parameters->parts[i];
        const int kind = parameter->parameter == PARAMETER_KEYWORD_ONLY;
        if (binding->values[i].kind == VALUE_ABSENT && counts[kind] < 64 &&
            binding->function->defaults[i].kind == VALUE_ABSENT)
            missing[kind][counts[kind]++] = parameter->text;
    }
    const int kind = counts[0] > 0 ? 0 : 1;
    if (counts[kind] == 0) return true;
    if (is_native(binding)) // as PyTorch says it
        return machine_raise(machine, TYPE_ERROR,
                             "%s() missing 1 required positional argument: \"%s\"", name,
                             missing[kind][0]);
    return machine_raise(machine, TYPE_ERROR, "%s() missing %d required %s argument%s: %s", name,
                         counts[kind], kind == 0 ? "positional" : "keyword-only",
                         counts[kind] == 1 ? "" : "s",
                         quoted(machine->arena, missing[kind], counts[kind]));
}

static bool bind_keywords(const struct binding *binding) {
    struct machine *machine = binding->machine;
    const char *name = binding->function->qualified_name;
    const int last = binding->parameters->part_count - 1;
    struct dict *rest = NULL;
    struct value key, value;
    if (last >= 0 && binding->parameters->parts[last]->parameter == PARAMETER_STARS) {
        binding->values[last] = dict_new(machine);
        rest = as_dict(binding->values[last]);
    }
    for (int64_t k = 0; binding->arguments->keywords != NULL &&
                        dict_next(binding->arguments->keywords, &k, &key, &value);) {
        const int i = parameter_meant(binding, bytes_of(key));
        if (i >= 0 && binding->parameters->parts[i]->parameter == PARAMETER_STAR &&
            as_list(binding->values[i])->count == 0) {
            binding->values[i] = tuple_new(machine, 1, &value);
            continue;
        }
        if (i < 0 && rest == NULL)
            return (!is_native(binding) || check_missing(binding)) &&
                   machine_raise(machine, TYPE_ERROR,
                                 "%s() got an unexpected keyword argument '%s'", name,
                                 bytes_of(key));
        if (i >= 0 && binding->values[i].kind != VALUE_ABSENT)
            return machine_raise(machine, TYPE_ERROR, "%s() got multiple values for argument '%s'",
                                 name, bytes_of(key));
        if (i >= 0)
            binding->values[i] = value;
        else if (!dict_set(machine, rest, key, value))
            return false;
    }
    return true;
}

// Values of one call: some of them lie where it runs, more in a tuple that is kept.
enum { FEW = 12 };

static struct value *room_for(struct machine *machine, int count, struct value few[FEW]) {
    if (count <= FEW) return few;
    const struct value all = tuple_new(machine, count, NULL);
    machine_keep(machine, all);
    return as_list(all)->items;
}

// *values: a value for each parameter. Those that were gathered are kept.
static bool bind_arguments(struct machine *machine, const struct function *function,
                           const struct arguments *arguments, struct value few[FEW],
                           struct value **values) {
    const struct node *parameters = function->node->parts[0];
    *values = room_for(machine, parameters->part_count, few);
    for (int i = 0; i < parameters->part_count; i++) (*values)[i] = NO_VALUE;
    const struct binding binding = {machine, function, parameters, arguments, *values};
    if (!bind_positional(&binding) || !bind_keywords(&binding) || !check_missing(&binding))
        return false;
    for (int i = 0; i < parameters->part_count; i++) {
        const struct value standard = function->defaults[i];
        const bool is_left_out = is_native(&binding) && standard.kind == VALUE_ELLIPSIS;
        if ((*values)[i].kind == VALUE_ABSENT) (*values)[i] = is_left_out ? NO_VALUE : standard;
        if (parameters->parts[i]->parameter >= PARAMETER_STAR) machine_keep(machine, (*values)[i]);
    }
    return true;
}

// The frame of a call with its parameters' values; NULL if they do not fit. A function of its own: while the call runs, its
// stack is free.
__attribute__((noinline)) static struct frame *frame_for(struct machine *machine,
                                                         const struct function *function,
                                                         const struct arguments *arguments) {
    const struct node *parameters = function->node->parts[0];
    struct value few[FEW], *values;
    if (!bind_arguments(machine, function, arguments, few, &values)) return NULL;
    struct frame *frame =
        frame_new(machine, function->program, (struct dict *)function->globals,
                  (struct frame *)function->frame, function->node->scope, function->name);
    for (int i = 0; i < parameters->part_count; i++)
        if (!dict_set(machine, frame->names,
                      value_of_object(name_of(machine, parameters->parts[i])), values[i]))
            return NULL;
    frame->owner = (struct class *)function->owner;
    frame->self = arguments->count > 0 ? arguments->values[0] : NO_VALUE;
    return frame;
}

static bool call_function(struct machine *machine, struct function *function,
                          const struct arguments *arguments, struct value *result) {
    struct frame *frame = frame_for(machine, function, arguments);
    if (frame == NULL) return false;
    if (!function->node->scope->is_generator)
        return run_in_frame(machine, frame, function->node->parts[1], result);
    *result = iterator_new(machine, ITERATE_FUNCTION, NONE_VALUE);
    as_iterator(*result)->frame = frame;
    as_iterator(*result)->node = function->node->parts[1];
    return true;
}

// ---- Functions in C -----------------------------------------------------------------------------

// The signature of a row as a function that binds arguments: parsed when it is first called.
static struct function *signature_of(struct machine *machine, const struct native_row *row) {
    const struct value key = value_of_int((int64_t)(intptr_t)row);
    struct value value;
    dict_get(machine, machine->signatures, key, &value);
    if (value.kind != VALUE_ABSENT) return (struct function *)value.object;
    struct syntax_error error;
    const char *source = arena_format(machine->arena, "lambda %s: 0", row->signature);
    const struct program program = parse_program(machine->arena, row->name, source, &error);
    const struct node *here = machine->call->node;
    make_function(machine, program.tree->parts[0]->parts[0], &value); // its defaults are literals
    machine->call->node = here;
    struct function *function = (struct function *)value.object;
    function->program = NULL;
    function->frame = function->globals = function->owner = NULL;
    function->name = function->qualified_name = row->name;
    dict_set(machine, machine->signatures, key, value);
    return function;
}

// The arguments with one more in front of them.
static struct arguments behind(struct machine *machine, struct value self,
                               const struct arguments *arguments, struct value few[FEW]) {
    struct arguments all = *arguments;
    all.values = room_for(machine, arguments->count + 1, few);
    all.values[0] = self;
    if (arguments->count > 0)
        memcpy(all.values + 1, arguments->values, (size_t)arguments->count * sizeof *all.values);
    all.count++;
    return all;
}

bool call_native(struct machine *machine, const struct native_row *row, struct value self,
                 const struct arguments *given, struct value *result) {
    const int64_t roots = machine->root_count;
    struct value few[FEW], bound[FEW], *values;
    struct arguments arguments =
        self.kind == VALUE_ABSENT ? *given : behind(machine, self, given, few);
    const struct function *signature = signature_of(machine, row);
    bool is_done = bind_arguments(machine, signature, &arguments, bound, &values);
    arguments = (struct arguments){row, signature->node->parts[0]->part_count, values, NULL};
    *result = NONE_VALUE;
    is_done = is_done && row->function(machine, &arguments, result);
    machine->root_count = roots;
    return is_done;
}

// ---- Calls --------------------------------------------------------------------------------------

bool call_with_self(struct machine *machine, struct value function, struct value self,
                    const struct arguments *arguments, struct value *result) {
    struct value few[FEW];
    const struct arguments all = behind(machine, self, arguments, few);
    return call_value(machine, function, &all, result);
}

static bool call_instance(struct machine *machine, struct value self,
                          const struct arguments *arguments, struct value *result) {
    struct value call;
    if (class_find(as_instance(self)->class, "__call__", &call))
        return call_with_self(machine, call, self, arguments, result);
    return machine_raise(machine, TYPE_ERROR, "'%s' object is not callable", type_name(self));
}

bool call_value(struct machine *machine, struct value function, const struct arguments *arguments,
                struct value *result) {
    const int64_t roots = machine->root_count;
    bool is_done = false;
    machine_keep(machine, function);
    if (is_kind(function, OBJECT_FUNCTION)) {
        is_done = call_function(machine, (struct function *)function.object, arguments, result);
    } else if (is_kind(function, OBJECT_NATIVE)) {
        const struct native *native = (const struct native *)function.object;
        is_done = call_native(machine, native->row, native->self, arguments, result);
    } else if (is_kind(function, OBJECT_METHOD)) {
        const struct method *method = (const struct method *)function.object;
        is_done = call_with_self(machine, method->function, method->self, arguments, result);
    } else if (is_kind(function, OBJECT_CLASS)) {
        is_done = construct(machine, as_class(function), arguments, result);
    } else if (is_kind(function, OBJECT_INSTANCE)) {
        is_done = call_instance(machine, function, arguments, result);
    } else {
        machine_raise(machine, TYPE_ERROR, "'%s' object is not callable", type_name(function));
    }
    machine->root_count = roots;
    return is_done;
}

bool machine_call(struct machine *machine, struct value function, int count,
                  const struct value *arguments, struct value *result) {
    const struct arguments all = {.count = count, .values = (struct value *)arguments};
    struct value answer;
    if (!call_value(machine, function, &all, &answer)) return false;
    *result = answer;
    return true;
}

bool call_method(struct machine *machine, struct value self, const char *name, int count,
                 const struct value *arguments, struct value *result, bool *is_there) {
    const struct arguments all = {.count = count, .values = (struct value *)arguments};
    const int64_t roots = machine->root_count;
    struct value method;
    bool is_done = true;
    *is_there = false;
    machine_keep(machine, self);
    for (int i = 0; i < count; i++) machine_keep(machine, arguments[i]);
    if (is_kind(self, OBJECT_INSTANCE)) {
        *is_there = class_find(as_instance(self)->class, name, &method);
        if (*is_there) is_done = call_with_self(machine, method, self, &all, result);
    } else if (self.kind == VALUE_OBJECT) {
        is_done = get_attribute(machine, self, name, &method, is_there) &&
                  (!*is_there || call_value(machine, method, &all, result));
    }
    machine->root_count = roots;
    return is_done;
}

bool ask(struct machine *machine, struct value self, const char *method, struct value *answer) {
    bool is_there = false;
    *answer = NO_VALUE;
    return !is_kind(self, OBJECT_INSTANCE) ||
           call_method(machine, self, method, 0, NULL, answer, &is_there);
}

static bool add_keywords(struct machine *machine, struct value from, struct dict *keywords) {
    struct value key, value;
    from = inner_of(from);
    if (!is_kind(from, OBJECT_DICT))
        return machine_raise(machine, TYPE_ERROR, "argument after ** must be a mapping, not %s",
                             type_name(from));
    for (int64_t i = 0; dict_next(as_dict(from), &i, &key, &value);)
        if (!dict_set(machine, keywords, key, value)) return false;
    return true;
}

static bool evaluate_arguments(struct machine *machine, const struct node *node,
                               struct list *values, struct dict *keywords) {
    for (int i = 1; i < node->part_count; i++) {
        const struct node *argument = node->parts[i];
        struct value value;
        bool is_done = true;
        if (!evaluate(machine, argument->parts[0], &value)) return false;
        if (argument->stars > 0) machine->call->node = node;
        if (argument->text != NULL)
            is_done =
                dict_set(machine, keywords, value_of_object(name_of(machine, argument)), value);
        else if (argument->stars == 0)
            list_append(machine, values, value);
        else
            is_done = argument->stars == 2 ? add_keywords(machine, value, keywords)
                                           : list_extend(machine, values, value);
        if (!is_done) return false;
    }
    return true;
}

// Only values, and few of them: as most calls are.
static bool is_plain_call(const struct node *node) {
    for (int i = 1; i < node->part_count; i++)
        if (node->parts[i]->stars > 0 || node->parts[i]->text != NULL) return false;
    return node->part_count <= FEW;
}

static bool evaluate_plain_call(struct machine *machine, const struct node *node,
                                struct value function, struct value *value) {
    struct value values[FEW];
    const struct arguments arguments = {.count = node->part_count - 1, .values = values};
    for (int i = 1; i < node->part_count; i++)
        if (!evaluate(machine, node->parts[i]->parts[0], &values[i - 1])) return false;
    machine->call->node = node;
    return call_value(machine, function, &arguments, value);
}

bool evaluate_call(struct machine *machine, const struct node *node, struct value *value) {
    struct value function, key, one;
    if (!evaluate(machine, node->parts[0], &function)) return false;
    if (is_plain_call(node)) return evaluate_plain_call(machine, node, function, value);
    const struct value values = list_new(machine, 0, NULL), keywords = dict_new(machine);
    machine_keep(machine, values);
    machine_keep(machine, keywords);
    if (!evaluate_arguments(machine, node, as_list(values), as_dict(keywords))) return false;
    for (int64_t i = 0; dict_next(as_dict(keywords), &i, &key, &one);)
        if (!is_kind(key, OBJECT_STR))
            return machine_raise(machine, TYPE_ERROR, "keywords must be strings");
    const struct arguments arguments = {.count = (int)as_list(values)->count,
                                        .values = as_list(values)->items,
                                        .keywords = as_dict(keywords)};
    machine->call->node = node;
    return call_value(machine, function, &arguments, value);
}
