// Exceptions, and where they were raised.

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

// ---- Exceptions ---------------------------------------------------------------------------------

static void add_trace(struct machine *machine, const struct call *call) {
    if (machine->trace_count == machine->trace_room) {
        const int room = machine->trace_room < 16 ? 16 : machine->trace_room * 2;
        machine->trace =
            or_fail(machine, realloc(machine->trace, (size_t)room * sizeof *machine->trace));
        machine->trace_room = room;
    }
    machine->trace[machine->trace_count++] =
        (struct traced){call->frame->program, call->node, call->frame->function};
}

bool raise_value(struct machine *machine, struct value exception) {
    machine->raised = exception;
    machine->trace_count = 0;
    for (const struct call *call = machine->call; call != NULL; call = call->outer)
        add_trace(machine, call);
    return false;
}

struct value exception_new(struct machine *machine, struct class *class, int count,
                           const struct value *arguments) {
    struct instance *instance = instance_new(machine, class);
    dict_name(machine, instance->names, "args", tuple_new(machine, count, arguments));
    return value_of_object(instance);
}

bool raise_key(struct machine *machine, struct value key) {
    return raise_value(machine, exception_new(machine, machine->exceptions[KEY_ERROR], 1, &key));
}

bool machine_raise(struct machine *machine, enum exception exception, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const struct value text = str_format_list(machine, format, arguments);
    va_end(arguments);
    const bool has_text = as_str(text)->length > 0;
    return raise_value(machine,
                       exception_new(machine, machine->exceptions[exception], has_text, &text));
}

struct class *machine_exception_class(struct machine *machine, enum exception exception) {
    return machine->exceptions[exception];
}

bool machine_is_raised(const struct machine *machine, enum exception exception) {
    return machine->raised.kind == VALUE_OBJECT &&
           is_subclass(as_instance(machine->raised)->class, machine->exceptions[exception]);
}

bool machine_is_cleared(struct machine *machine, enum exception exception) {
    if (!machine_is_raised(machine, exception)) return false;
    machine_clear(machine);
    return true;
}

bool takes_step(struct machine *machine) {
    machine->steps++;
    if (machine->options.steps > 0 && machine->steps > machine->options.steps)
        return machine_raise(machine, RUNTIME_ERROR, "the program takes more than %lld steps",
                             (long long)machine->options.steps);
    return machine->options.stop == NULL || !*machine->options.stop ||
           machine_raise(machine, KEYBOARD_INTERRUPT, "%s", "");
}

void machine_clear(struct machine *machine) {
    machine->raised = NO_VALUE;
    machine->trace_count = 0;
}

const char *machine_error_type(const struct machine *machine) {
    const struct class *class = as_instance(machine->raised)->class;
    const bool is_plain =
        strcmp(class->module, "builtins") == 0 || strcmp(class->module, "__main__") == 0;
    return is_plain ? class->name
                    : arena_format(machine->arena, "%s.%s", class->module, class->name);
}

const char *machine_error_message(struct machine *machine, struct arena *arena) {
    const struct value raised = machine->raised;
    struct value text;
    const bool is_done = value_str(machine, raised, &text);
    machine->raised = raised;
    if (!is_done) return "";
    const char *meant =
        machine_is_raised(machine, ATTRIBUTE_ERROR) ? attribute_meant(machine, raised) : NULL;
    const char *bytes = bytes_of(text);
    return meant == NULL ? arena_copy(arena, bytes)
                         : arena_format(arena, "%s. Did you mean: '%s'?", bytes, meant);
}

int machine_traceback(const struct machine *machine, const struct traced **frames) {
    *frames = machine->trace;
    return machine->trace_count;
}

bool machine_attempt(struct machine *machine, enum exception exception,
                     void (*action)(void *context), void *context) {
    struct failure *failure = machine->arena->failure;
    if (attempt(failure, action, context)) return true;
    if (failure->status == FAIL_RUNTIME) return raise_full(machine);
    return machine_raise(machine, exception, "%s", failure->message);
}
