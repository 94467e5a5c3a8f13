// Programs: their statements, and what they import.

#include <string.h>

#include "script/dict.h"

bool run_statements(struct machine *machine, const struct node *body, struct value *result) {
    *result = NONE_VALUE;
    return execute_block(machine, body);
}

static bool evaluate_expression(struct machine *machine, const struct node *node,
                                struct value *result) {
    return evaluate(machine, node, result);
}

static bool run_in_main(struct machine *machine, const struct program *program,
                        const struct node *node, struct value *value,
                        bool (*run)(struct machine *machine, const struct node *body,
                                    struct value *result)) {
    const int64_t kept = machine->kept_count;
    machine_clear(machine);
    machine->flow = FLOW_NEXT;
    struct scope *scope = scope_of(machine, program->tree, NULL);
    struct frame *frame =
        frame_new(machine, program, machine->main->names, NULL, scope, "<module>");
    const bool is_done = run_in_frame(machine, frame, node, value, run);
    machine->kept_count = kept;
    machine->flow = FLOW_NEXT;
    return is_done;
}

bool machine_run(struct machine *machine, const struct program *program) {
    struct value nothing;
    return run_in_main(machine, program, program->tree, &nothing, run_statements);
}

bool machine_evaluate(struct machine *machine, const struct program *program,
                      const struct node *expression, struct value *value) {
    return run_in_main(machine, program, expression, value, evaluate_expression);
}

void run_prelude(struct machine *machine, struct module *module) {
    for (struct prelude *prelude = machine->preludes; prelude != NULL; prelude = prelude->next) {
        if (prelude->module != module || prelude->is_run) continue;
        prelude->is_run = true;
        struct syntax_error error = {0};
        struct program *program = arena_allocate(machine->arena, sizeof *program);
        *program = parse_program(machine->arena, prelude->file, prelude->source, &error);
        if (error.message != NULL) {
            machine_raise(machine, SYNTAX_ERROR, "%s:%d: %s", prelude->file, error.span.line,
                          error.message);
            return;
        }
        const int64_t kept = machine->kept_count;
        struct frame *frame = frame_new(machine, program, module->names, NULL,
                                        scope_of(machine, program->tree, NULL), "<module>");
        struct value nothing;
        run_in_frame(machine, frame, program->tree, &nothing, run_statements);
        machine->kept_count = kept;
    }
}

bool import_module(struct machine *machine, const char *name, struct value *module) {
    *module = dict_named(machine->modules, name);
    if (module->kind == VALUE_OBJECT && strcmp(name, "__main__") != 0) return true;
    return machine_raise(machine, MODULE_NOT_FOUND_ERROR, "No module named '%s'", name);
}

const char *nearest_name(struct machine *machine, const char *name) {
    const char *words[1025];
    int count = 0;
    struct value key, value;
    const struct frame *frame = machine->call->frame;
    const struct dict *dicts[] = {frame->names, frame->globals, machine->builtins};
    // CPython suggests the attribute of self first.
    if (frame->self.kind == VALUE_OBJECT && dict_named(frame->names, "self").kind == VALUE_OBJECT) {
        bool is_there = false;
        struct value found;
        if (get_attribute(machine, frame->self, name, &found, &is_there) && is_there)
            return arena_format(machine->arena, "self.%s", name);
        machine_clear(machine);
    }
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; count < 1024 && dict_next(dicts[d], &i, &key, &value);)
            if (is_kind(key, OBJECT_STR) && ((struct str *)key.object)->bytes[0] != '_')
                words[count++] = ((struct str *)key.object)->bytes;
    words[count] = NULL;
    return count > 0 ? word_meant(name, words, count) : NULL;
}
