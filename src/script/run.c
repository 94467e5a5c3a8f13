// Programs: their statements, and what they import.

#include <stdlib.h>
#include <string.h>

#include "script/inside.h"

// Runs the statements of a program, or evaluates its expression; its names are those of a module.
static bool run_as(struct machine *machine, const struct program *program, const struct node *body,
                   struct dict *names, struct value *result) {
    const int64_t roots = machine->root_count;
    struct frame *frame =
        frame_new(machine, program, names, NULL, program->tree->scope, "<module>");
    const bool is_done = run_in_frame(machine, frame, body, result);
    machine->root_count = roots;
    return is_done;
}

struct running {
    struct machine *machine;
    const struct program *program;
    bool is_done;
};

static void run_whole(void *context) {
    struct running *running = context;
    struct machine *machine = running->machine;
    struct value nothing;
    running->is_done =
        run_as(machine, running->program, running->program->tree, machine->main->names, &nothing);
}

// What was going on is gone; only the statement is known. What says so needs memory, too.
static bool raise_full_at(struct machine *machine) {
    enum { TO_SAY_IT = 1 << 20 };
    struct frame frame = {.program = machine->program, .function = "<module>"};
    struct call call = {.frame = &frame, .node = machine->statement};
    machine->arena->limit += TO_SAY_IT;
    machine->depth = 0;
    machine->call = &call;
    (void)raise_full(machine);
    machine->call = NULL;
    return false;
}

void machine_tell(struct machine *machine, enum event_kind kind, const struct node *node,
                  struct value value, struct value of) {
    if (machine->options.observe == NULL) return;
    const struct frame *frame = machine->call->frame;
    const struct event event = {
        .kind = kind,
        .node = node,
        .value = value,
        .of = of,
        .program = frame->program,
        .function = frame->function,
        .owner = frame->owner,
        .self = frame->self,
        .names = frame->names,
        .globals = frame->globals,
    };
    machine->options.observe(machine->options.context, &event);
}

bool machine_run(struct machine *machine, const struct program *program) {
    struct running running = {machine, program, false};
    machine_clear(machine);
    machine->flow = FLOW_NEXT;
    machine->program = program;
    machine->statement = program->tree;
    if (attempt(machine->arena->failure, run_whole, &running)) return running.is_done;
    return raise_full_at(machine);
}

bool machine_evaluate(struct machine *machine, const struct program *program, struct value *value) {
    const struct node *tree = program->tree;
    machine_clear(machine);
    machine->flow = FLOW_NEXT;
    if (tree->part_count != 1 || tree->parts[0]->kind != NODE_EXPRESSION)
        return machine_raise(machine, SYNTAX_ERROR, "invalid syntax");
    return run_as(machine, program, tree->parts[0]->parts[0], machine->main->names, value);
}

void machine_unbind(struct machine *machine, const struct program *program, struct text *names) {
    const char *name;
    for (int i = 0; (name = next_bound(program->tree->scope, &i)) != NULL;) {
        bool was_there;
        text_add_format(names, "%s ", name);
        dict_delete(machine, machine->main->names, str_of(machine, name), &was_there);
    }
}

bool machine_is_over(const struct machine *machine) {
    const struct machine_options *options = &machine->options;
    return (options->stop != NULL && *options->stop) ||
           (options->steps > 0 && machine->steps > options->steps);
}

void machine_draw_from(struct machine *machine, enum bernoulli stream) {
    machine->options.stream = stream;
}

// The files of the prelude that were parsed, for all machines: a run of a few lines takes much longer to parse them than to run.
// No program changes them, and their memory stays to the end.
struct parsed_prelude {
    struct parsed_prelude *next;
    const char *file, *source;
    struct program program;
    struct syntax_error error;
};

static struct failure parsed_failure;
static struct arena parsed_memory = {.failure = &parsed_failure};
static struct parsed_prelude *parsed_preludes;

static void forget_parsed(void) {
    parsed_preludes = NULL;
    arena_free(&parsed_memory);
}

static void parse_prelude(void *context) {
    const struct prelude *prelude = context;
    if (parsed_memory.newest == NULL) (void)atexit(forget_parsed);
    struct parsed_prelude *parsed = arena_allocate(&parsed_memory, sizeof *parsed);
    parsed->file = prelude->file;
    parsed->source = prelude->source;
    parsed->program = parse_program(&parsed_memory, prelude->file, prelude->source, &parsed->error);
    parsed->next = parsed_preludes;
    parsed_preludes = parsed;
}

static const struct parsed_prelude *parsed_prelude(struct machine *machine,
                                                   struct prelude *prelude) {
    const struct parsed_prelude *parsed = parsed_preludes;
    while (parsed != NULL && (parsed->source != prelude->source || parsed->file != prelude->file))
        parsed = parsed->next;
    if (parsed != NULL) return parsed;
    if (!attempt(&parsed_failure, parse_prelude, prelude))
        fail(machine->arena->failure, parsed_failure.status, "%s", parsed_failure.message);
    return parsed_preludes;
}

void run_prelude(struct machine *machine, struct module *module) {
    for (struct prelude *prelude = machine->preludes; prelude != NULL; prelude = prelude->next) {
        if (prelude->module != module || prelude->is_run) continue;
        prelude->is_run = true;
        const struct parsed_prelude *parsed = parsed_prelude(machine, prelude);
        const struct syntax_error *error = &parsed->error;
        if (error->message != NULL) {
            machine_raise(machine, SYNTAX_ERROR, "%s:%d: %s", prelude->file, error->span.line,
                          error->message);
            return;
        }
        struct value nothing;
        run_as(machine, &parsed->program, parsed->program.tree, module->names, &nothing);
        heap_settle(machine);
    }
}

bool import_module(struct machine *machine, const char *name, struct value *module) {
    *module = dict_named(machine->modules, name);
    if (module->kind == VALUE_OBJECT && strcmp(name, "__main__") != 0) return true;
    struct module *refused = refused_module(machine, name);
    if (refused != NULL) return gives(module, value_of_object(refused));
    return machine_raise(machine, MODULE_NOT_FOUND_ERROR, "No module named '%s'", name);
}

const char *nearest_name(struct machine *machine, const char *name) {
    const struct frame *frame = machine->call->frame;
    const struct dict *dicts[] = {frame->names, frame->globals, machine->builtins};
    struct names names = {.count = 0};
    // CPython suggests the attribute of self first.
    if (frame->self.kind == VALUE_OBJECT && dict_named(frame->names, "self").kind == VALUE_OBJECT) {
        bool is_there = false;
        struct value found;
        if (get_attribute(machine, frame->self, name, &found, &is_there) && is_there)
            return arena_format(machine->arena, "self.%s", name);
        machine_clear(machine);
    }
    for (int d = 0; d < 3; d++) names_add(&names, dicts[d]);
    int count = 0; // without those that are nobody's business
    for (int i = 0; i < names.count; i++)
        if (names.words[i][0] != '_') names.words[count++] = names.words[i];
    names.words[count] = NULL;
    return count > 0 ? word_meant(name, names.words, count) : NULL;
}
