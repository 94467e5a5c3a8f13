#include "script/steps/sighting.h"

#include <string.h>

#include "base/text.h"
#include "script/machine.h"
#include "script/steps/modules.h"
#include "script/steps/words.h"
#include "script/torch/tensor_object.h"

enum { MOST_NESTED = 1024 };

struct watching {
    const struct viewing *viewing;
    struct arena *arena; // of the names
    const struct program *program;
    volatile bool stop; // `see` said so
    int depth;          // of the statements that run
    const struct node *running[MOST_NESTED];
    const char *function; // that runs
    struct tensor_object *written;
    bool is_filled; // see struct sighting
};

static void print_nothing(void *context, const char *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

static void tell(struct watching *w, const char *name, struct tensor tensor) {
    const struct node *statement = w->depth > 0 ? w->running[w->depth - 1] : w->program->tree;
    const struct sighting sighting = {.name = name,
                                      .line = statement->span.line,
                                      .last_line = statement->span.end_line,
                                      .function = w->function,
                                      .tensor = tensor,
                                      .is_filled = w->is_filled};
    if (!w->stop && !w->viewing->see(w->viewing->context, &sighting)) w->stop = true;
}

static void tell_member(void *context, const char *path, const struct tensor_object *object) {
    tell(context, path, tensor_of_object(object));
}

static void tell_value(struct watching *w, const struct node *target, struct value value) {
    enum { MOST_ITEMS = 16 };
    const char *name = text_of_node(w->arena, w->program, target);
    if (is_kind(value, OBJECT_TENSOR)) {
        tell(w, name, tensor_of_object((const struct tensor_object *)value.object));
    } else if (is_module(value)) {
        visit_members(w->arena, value, name, tell_member, w);
    } else if (is_kind(value, OBJECT_LIST) || is_kind(value, OBJECT_TUPLE)) {
        const struct list *list = (const struct list *)value.object;
        for (int64_t i = 0; i < list->count && i < MOST_ITEMS; i++)
            if (is_kind(list->items[i], OBJECT_TENSOR))
                tell(w, name,
                     tensor_of_object((const struct tensor_object *)list->items[i].object));
    }
}

// What a statement wrote in place is seen when it is done.
static void end_statement(struct watching *w, const struct node *statement) {
    if (w->written != NULL && statement->kind == NODE_EXPRESSION)
        tell(w, text_of_node(w->arena, w->program, statement), tensor_of_object(w->written));
    w->written = NULL;
    if (w->depth > 0) w->depth--;
}

// Is it bound inside of an expression, as `i` in print([f(i) for i in x])?
static bool is_of_comprehension(const struct watching *w, const struct node *target) {
    const struct node *statement = w->depth > 0 ? w->running[w->depth - 1] : NULL;
    return statement != NULL && statement->kind == NODE_EXPRESSION && target->kind == NODE_NAME;
}

static void observe(void *context, const struct event *event) {
    struct watching *w = context;
    if (event->kind == EVENT_WRITE) w->written = (struct tensor_object *)event->value.object;
    if (event->kind == EVENT_GRADIENT) {
        const struct tensor_object *leaf = (const struct tensor_object *)event->value.object;
        const struct value grad = leaf->grad;
        if (is_kind(grad, OBJECT_TENSOR))
            tell(w, ".grad", tensor_of_object((const struct tensor_object *)grad.object));
    }
    if (event->program != w->program) return;
    w->function = event->function;
    switch (event->kind) {
    case EVENT_BEGIN:
        w->written = NULL;
        if (w->depth < MOST_NESTED) w->running[w->depth++] = event->node;
        break;
    case EVENT_END:
    case EVENT_FAIL:
        end_statement(w, event->node);
        break;
    case EVENT_BIND:
        if (is_of_comprehension(w, event->node)) break;
        w->is_filled = event->node->kind == NODE_SUBSCRIPT;
        tell_value(w, event->node, w->is_filled ? event->of : event->value);
        w->is_filled = false;
        break;
    case EVENT_RETURN:
        if (event->node->part_count > 0 && event->node->parts[0] != NULL &&
            event->node->parts[0]->kind != NODE_NAME)
            tell_value(w, event->node->parts[0], event->value);
        break;
    default:
        break;
    }
}

static const char *error_of(struct arena *arena, struct machine *machine,
                            const struct program *program) {
    const struct traced *frames;
    const int count = machine_traceback(machine, &frames);
    const char *message = machine_error_message(machine, arena);
    int line = 1;
    for (int i = count - 1; i >= 0; i--)
        if (frames[i].program == program) line = frames[i].node->span.line;
    return arena_format(arena, "%s:%d: %s%s%.*s", text_safe(arena, program->file), line,
                        machine_error_type(machine), *message != '\0' ? ": " : "", 200,
                        text_safe_bytes(arena, message, strcspn(message, "\n")));
}

static void free_machine(void *context) {
    machine_free(context);
}

struct viewer {
    struct arena *arena, *memory; // memory: the machine's
    int64_t bytes;                // that a program may have
    struct machine *machine;
    struct cleanup cleanup;
    struct watching watching;
    bool is_full; // memory has ended
};

static void start_machine(struct viewer *viewer) {
    const struct machine_options options = {.memory = viewer->bytes,
                                            .stop = &viewer->watching.stop,
                                            .print = print_nothing,
                                            .observe = observe,
                                            .context = &viewer->watching};
    viewer->memory = arena_child(viewer->arena);
    viewer->machine = machine_new(viewer->memory, &options);
    viewer->is_full = false;
    cleanup_open(&viewer->cleanup, viewer->arena->failure, free_machine, viewer->machine);
}

struct viewer *open_viewer(struct arena *arena, int64_t memory) {
    struct viewer *viewer = arena_allocate(arena, sizeof *viewer);
    viewer->arena = arena;
    viewer->bytes = memory;
    start_machine(viewer);
    return viewer;
}

void close_viewer(struct viewer *viewer) {
    cleanup_close(&viewer->cleanup);
    arena_free(viewer->memory);
}

void renew_viewer(struct viewer *viewer) {
    enum { MUCH = 32 << 20 }; // a machine that is watched keeps all its tensors
    if (!viewer->is_full && viewer->memory->used < MUCH) return;
    close_viewer(viewer);
    start_machine(viewer);
}

const char *view_program(struct arena *arena, struct viewer *viewer, const struct viewing *viewing,
                         int64_t *statements) {
    struct syntax_error syntax = {0};
    *statements = 0;
    struct machine *machine = viewer->machine;
    struct program *program = arena_allocate(viewer->memory, sizeof *program);
    *program = parse_program(viewer->memory, viewing->file, viewing->source, &syntax);
    if (syntax.message != NULL)
        return arena_format(arena, "%s:%d: %s: %s", text_safe(arena, viewing->file),
                            syntax.span.line, syntax.type, syntax.message);
    struct watching *w = &viewer->watching;
    *w = (struct watching){
        .viewing = viewing, .arena = viewer->memory, .program = program, .function = "<module>"};
    machine_restart(machine, viewing->nodes);
    const bool is_done = machine_run(machine, program);
    const char *error = is_done || w->stop ? NULL : error_of(arena, machine, program);
    *statements = machine_steps(machine);
    viewer->is_full = machine_is_raised(machine, MEMORY_ERROR);
    return error;
}
