#include "script/steps/recorder.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/modules.h"
#include "script/steps/raised.h"
#include "script/steps/words.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"

enum {
    MOST_WAITING = 6,
    MOST_ITEMS = 16,
    MOST_MEMBERS = 4096,
    MOST_NAMED = 4096,
    MOST_PRINTED = 4000
};

// A turn of a loop in which a step was recorded.
struct turn {
    struct turn *outer;
    const struct loop *loop;
    int64_t number; // from 1
};
struct loop {
    struct loop *outer;
    const struct level *level; // of the call that it runs in
    const struct node *node;
    int depth;     // of its statement, or the one that it stands in
    int64_t count; // of turns that began
    bool has_ended;
    int starts[4]; // how many steps were recorded when turn number i % 4 began
    struct turn *turn;
};

// A call of a function; or the program itself, which has no outer one.
struct level {
    struct level *outer;
    struct level *called; // the next of those that one statement called and that have steps
    const struct program *program;
    const struct node *node; // what its caller evaluated
    struct value self;       // whose method runs, or NO_VALUE
    const struct class *owner;
    const char *function;
    const struct dict *names;
    const char *path; // of the group, once a step was recorded; NULL: not yet, or of the program
    const char *function_path; // "Class.function", once a step was recorded
    int waiting_count;         // statements without tensors, which belong to the next step
    const struct node *waiting[MOST_WAITING];
    bool is_kept;                   // a step belongs to it
    bool has_steps;                 // it, or a call in it, has
    int64_t closer;                 // the step (struct recorded) that shows its result; 0: none
    int hidden;                     // calls that run and are not watched, as Module.__call__ is not
    const struct node *hidden_node; // what called the first of them
};

// A statement that runs.
struct running {
    const struct node *node;
    int first_write; // of recorder->writes
    int64_t total;   // of steps, when it began
    struct level *called;
};

// A tensor that the statement wrote in place, or whose gradient came.
struct write {
    struct tensor view;
    const struct tensor_cell *cell;
    struct storage *before; // what the cell held when the statement first wrote it
    bool is_gradient;
    const struct level *shown; // a statement of this call has shown it; or NULL
};

struct recorded {
    int64_t id; // from 1, in the order in which they were made
    const struct node *statement, *target;
    const char *name; // NULL: the target as it is written
    struct tensor tensor;
    const struct level *level;
    const struct turn *turn;
    bool is_written;    // in place: to be seen beside what was there
    bool is_before;     // what was there before the step in front of it was written
    bool is_result;     // of a call, which no name was given yet
    bool is_cut;        // there was no room for the steps behind it
    const char *also;   // variables that see what was written, or NULL
    const char *before; // lines of statements without tensors, or NULL
    const char *error;  // what the statement raised, or NULL
    struct text printed;
};

struct named {
    const struct tensor_cell *cell;
    const char *name;
};

// Of a module: its place among the steps is `rank`.
struct member {
    struct recorded recorded;
    int64_t rank;
};

struct worded {
    const struct node *statement, *call; // call: of a result; NULL
    const char *also;
    const struct paragraph *paragraph;
};

struct recorder {
    struct run *run;
    struct arena *arena;
    const struct program *program;
    const struct program *library; // the last one that ran
    bool is_entered;               // and whether its steps are recorded
    const struct dict *globals;    // of the call that runs
    bool wants_lines;
    struct level *level, *unused;
    struct loop *loop;
    int depth, depth_room, write_count, write_room, count, room, named_count, worded_count;
    struct running *running;
    struct write *writes;
    struct recorded *recorded;
    struct named *named;
    struct worded *worded;
    int64_t total; // of steps, also those that are left out again
    struct text printed_first;
    // The members of a module that is bound.
    int member_count;
    struct member *members;
    // What is on its way, and what the statement that raised it read.
    const struct object *raised;
    int operand_count;
    struct recorded operands[MOST_ITEMS];
    int read_count; // the same in the order of the line, each time that it is named
    struct read reads[MOST_ITEMS];
    const struct node *module_node; // whose parameters are read
};

struct recorder *recorder_new(struct run *run, const struct program *program) {
    struct recorder *recorder = arena_allocate(run->memory, sizeof *recorder);
    recorder->run = run;
    recorder->arena = run->memory;
    recorder->program = program;
    recorder->level = arena_allocate(run->memory, sizeof *recorder->level);
    recorder->level->function = "";
    recorder->level->program = program;
    recorder->wants_lines = true;
    return recorder;
}

const bool *recorder_wants_lines(const struct recorder *recorder) {
    return &recorder->wants_lines;
}

// Room for one item more.
static void *with_room(struct arena *arena, void *items, int count, int *room, size_t size) {
    if (count < *room) return items;
    *room = *room > 0 ? 2 * *room : 16;
    void *more = arena_array(arena, (size_t)*room, size);
    if (count > 0) memcpy(more, items, (size_t)count * size);
    return more;
}

// The limit of memory is the program's: what is noted down here must not fail. The next tensor does.
static size_t lift_limit(struct recorder *recorder) {
    const size_t limit = recorder->arena->limit;
    recorder->arena->limit = 0;
    return limit;
}

void recorder_print(void *context, const char *bytes, size_t length) {
    struct recorder *recorder = context;
    const size_t limit = lift_limit(recorder);
    struct text *printed = recorder->count > 0 ? &recorder->recorded[recorder->count - 1].printed
                                               : &recorder->printed_first;
    if (printed->arena == NULL) *printed = text_new(recorder->arena);
    if (printed->length < MOST_PRINTED) text_add_bytes(printed, bytes, length);
    recorder->arena->limit = limit;
}

// ---- Where a step stands ---------------------------------------------------------------------------

// The turn that runs, and those around it.
static struct turn *turn_of(struct recorder *recorder, struct loop *loop) {
    if (loop == NULL) return NULL;
    if (loop->turn == NULL) {
        loop->turn = arena_allocate(recorder->arena, sizeof *loop->turn);
        *loop->turn = (struct turn){turn_of(recorder, loop->outer), loop, loop->count};
    }
    return loop->turn;
}

static const char *path_of(struct recorder *recorder, struct level *level);

// What a module is called where it runs: in the modules around it, or by the names in sight of its callers.
static const char *path_of_module(struct recorder *recorder, const struct level *level) {
    struct arena *arena = recorder->arena;
    for (struct level *outer = level->outer; outer != NULL; outer = outer->outer) {
        const char *path = NULL;
        if (value_is_same(outer->self, level->self)) return path_of(recorder, outer);
        if (is_module(outer->self))
            path = path_inside(arena, outer->self, path_of(recorder, outer), level->self);
        if (path == NULL) path = path_by_names(arena, outer->names, level->self);
        if (path != NULL) return path;
    }
    return arena_copy(arena, type_name(level->self));
}

static bool is_called(const struct level *level, const char *function) {
    return strcmp(level->function, function) == 0;
}

static const char *path_of(struct recorder *recorder, struct level *level) {
    if (level->path != NULL || level->outer == NULL) return level->path;
    const bool is_method = level->owner != NULL && is_kind(level->self, OBJECT_INSTANCE);
    if (!is_method)
        level->path = level->function;
    else if (is_called(level, "__init__"))
        level->path = arena_copy(recorder->arena, type_name(level->self));
    else if (!is_module(level->self))
        level->path =
            arena_format(recorder->arena, "%s.%s", type_name(level->self), level->function);
    else if (is_called(level, "forward"))
        level->path = path_of_module(recorder, level);
    else
        level->path = arena_format(recorder->arena, "%s.%s", path_of_module(recorder, level),
                                   level->function);
    return level->path;
}

// A step belongs to the level: what is said of it must outlive its class and its objects.
static void keep_level(struct recorder *recorder, struct level *level) {
    for (struct level *at = level; at != NULL && !at->has_steps; at = at->outer)
        at->has_steps = true;
    if (level->is_kept) return;
    level->is_kept = true;
    path_of(recorder, level);
    level->function_path = level->owner == NULL ? level->function
                                                : arena_format(recorder->arena, "%s.%s",
                                                               level->owner->name, level->function);
}

// Lines of the statements that wait; NULL if there are none.
static const char *take_waiting(struct recorder *recorder) {
    struct level *level = recorder->level;
    if (level->waiting_count == 0) return NULL;
    struct text text = text_new(recorder->arena);
    for (int i = 0; i < level->waiting_count; i++)
        text_add(&text, lines_of_span(recorder->arena, level->program, &level->waiting[i]->span));
    level->waiting_count = 0;
    return text.bytes;
}

static struct recorded *keep(struct recorder *recorder, const struct node *target, const char *name,
                             struct tensor tensor) {
    struct arena *arena = recorder->arena;
    recorder->total++;
    if (recorder->count == MOST_PROGRAM_STEPS) {
        recorder->recorded[recorder->count - 1].is_cut = true;
        return NULL;
    }
    recorder->recorded = with_room(arena, recorder->recorded, recorder->count, &recorder->room,
                                   sizeof *recorder->recorded);
    struct recorded *recorded = &recorder->recorded[recorder->count++];
    keep_level(recorder, recorder->level);
    *recorded = (struct recorded){.id = recorder->total,
                                  .statement = recorder->running[recorder->depth - 1].node,
                                  .target = target,
                                  .name = name,
                                  .tensor = tensor,
                                  .level = recorder->level,
                                  .turn = turn_of(recorder, recorder->loop),
                                  .before = take_waiting(recorder)};
    return recorded;
}

// ---- What a statement binds --------------------------------------------------------------------------

static const char *name_of_cell(const struct recorder *recorder, const struct tensor_cell *cell) {
    for (int i = 0; i < recorder->named_count; i++)
        if (recorder->named[i].cell == cell) return recorder->named[i].name;
    return NULL;
}

// Leaves keep their name, for their gradients and updates.
static void name_leaf(struct recorder *recorder, const struct tensor_object *object,
                      const char *name) {
    if (!object->requires_grad || object->is_computed) return;
    if (recorder->named == NULL)
        recorder->named = arena_array(recorder->arena, MOST_NAMED, sizeof *recorder->named);
    int i = 0;
    while (i < recorder->named_count && recorder->named[i].cell != object->cell) i++;
    if (i == MOST_NAMED) return;
    recorder->named_count += i == recorder->named_count;
    recorder->named[i] = (struct named){object->cell, name};
}

static const struct running *running_now(const struct recorder *recorder) {
    return &recorder->running[recorder->depth - 1];
}

// Has a step shown it, before the statement that runs?
static bool is_shown(const struct recorder *recorder, const struct tensor *tensor) {
    const int64_t total = running_now(recorder)->total;
    for (int i = 0; i < recorder->count && recorder->recorded[i].id <= total; i++)
        if (recorder->recorded[i].tensor.storage == tensor->storage) return true;
    return false;
}

// The first step of the statement that runs which shows the tensor; 0 if none does.
static int64_t id_showing(const struct recorder *recorder, const struct tensor *tensor) {
    const int64_t total = running_now(recorder)->total;
    int64_t id = 0;
    for (int i = recorder->count - 1; i >= 0 && recorder->recorded[i].id > total; i--)
        if (recorder->recorded[i].tensor.storage == tensor->storage) id = recorder->recorded[i].id;
    return id;
}

static void add_member(void *context, const char *path, const struct tensor_object *object) {
    struct recorder *recorder = context;
    const struct tensor tensor = tensor_of_object(object);
    const int count = recorder->member_count;
    name_leaf(recorder, object, path);
    if (count == MOST_MEMBERS || is_shown(recorder, &tensor)) return;
    int64_t rank = id_showing(recorder, &tensor);
    if (rank == 0 && count > 0) rank = recorder->members[count - 1].rank;
    recorder->members[recorder->member_count++] =
        (struct member){{.name = path, .tensor = tensor}, rank};
}

// A step for each parameter and buffer that none has shown, in the order in which they were drawn.
static void keep_members(struct recorder *recorder, struct value module, const char *name) {
    if (recorder->members == NULL)
        recorder->members = arena_array(recorder->arena, MOST_MEMBERS, sizeof *recorder->members);
    recorder->member_count = 0;
    visit_members(recorder->arena, module, name, add_member, recorder);
    struct member *members = recorder->members;
    for (int i = 1; i < recorder->member_count; i++) {
        const struct member member = members[i];
        int at = i;
        for (; at > 0 && members[at - 1].rank > member.rank; at--) members[at] = members[at - 1];
        members[at] = member;
    }
    for (int i = 0; i < recorder->member_count; i++)
        keep(recorder, NULL, members[i].recorded.name, members[i].recorded.tensor);
}

static const char *text_here(const struct recorder *recorder, const struct node *node) {
    return text_of_node(recorder->arena, recorder->level->program, node);
}

static bool is_same_view(const struct tensor *a, const struct tensor *b) {
    return a->storage == b->storage && a->offset == b->offset &&
           shapes_equal(shape_of(a), shape_of(b)) &&
           memcmp(a->stride, b->stride, (size_t)a->ndim * sizeof *a->stride) == 0;
}

// A result of a call gets the name that it is bound to. False if the tensor is none.
static bool name_result(struct recorder *recorder, const struct node *target, const char *name,
                        const struct tensor *tensor) {
    struct recorded *last = recorder->count > 0 ? &recorder->recorded[recorder->count - 1] : NULL;
    if (last == NULL || !last->is_result || last->level != recorder->level ||
        last->statement != running_now(recorder)->node || !is_same_view(&last->tensor, tensor))
        return false;
    last->is_result = false;
    last->target = target;
    last->name = name;
    return true;
}

static void keep_value(struct recorder *recorder, const struct node *target, const char *name,
                       struct value value) {
    struct arena *arena = recorder->arena;
    if (is_tensor_value(value)) {
        const struct tensor_object *object = (const struct tensor_object *)value.object;
        const struct tensor tensor = tensor_of_object(object);
        const char *text = name != NULL            ? name
                           : object->requires_grad ? text_here(recorder, target)
                                                   : NULL;
        name_leaf(recorder, object, text);
        if (!name_result(recorder, target, text, &tensor)) keep(recorder, target, text, tensor);
    } else if (is_module(value)) {
        keep_members(recorder, value, name != NULL ? name : text_here(recorder, target));
    } else if (is_kind(value, OBJECT_LIST) || is_kind(value, OBJECT_TUPLE)) {
        const struct list *list = (const struct list *)value.object;
        if (name == NULL) name = text_here(recorder, target);
        for (int64_t i = 0; i < list->count && i < MOST_ITEMS; i++)
            if (is_tensor_value(list->items[i]) || is_module(list->items[i]))
                keep_value(recorder, target, arena_format(arena, "%s[%" PRId64 "]", name, i),
                           list->items[i]);
    } else if (is_kind(value, OBJECT_DICT)) {
        const struct dict *dict = (const struct dict *)value.object;
        struct value key, item;
        if (name == NULL) name = text_here(recorder, target);
        for (int64_t i = 0; i < MOST_ITEMS && dict_next(dict, &i, &key, &item);)
            if (is_tensor_value(item) && is_kind(key, OBJECT_STR))
                keep_value(
                    recorder, target,
                    arena_format(arena, "%s[\"%s\"]", name, ((struct str *)key.object)->bytes),
                    item);
    }
}

static bool is_assignment(const struct node *node) {
    return node->kind == NODE_ASSIGN || node->kind == NODE_AUGMENTED ||
           node->kind == NODE_ANNOTATED;
}

static void bind(struct recorder *recorder, const struct event *event) {
    if (!is_assignment(recorder->running[recorder->depth - 1].node)) return;
    if (event->node->kind == NODE_SUBSCRIPT && is_tensor_value(event->of))
        keep_value(recorder, event->node, NULL, event->of);
    else
        keep_value(recorder, event->node, NULL, event->value);
}

// A plain name has been seen already.
static void give_back(struct recorder *recorder, const struct node *result, const char *name,
                      struct value value) {
    if (result->kind == NODE_NAME || result->kind == NODE_ATTRIBUTE) return;
    if (result->kind != NODE_TUPLE || !is_kind(value, OBJECT_TUPLE)) {
        keep_value(recorder, result, name, value);
        return;
    }
    const struct list *list = (const struct list *)value.object;
    for (int i = 0; i < result->part_count && i < list->count; i++)
        give_back(recorder, result->parts[i], arena_format(recorder->arena, "%s[%d]", name, i),
                  list->items[i]);
}

// ---- What a statement changes -------------------------------------------------------------------------

static void note_write(struct recorder *recorder, const struct event *event) {
    const struct tensor_object *object = (const struct tensor_object *)event->value.object;
    if (recorder->depth == 0) return;
    const bool is_gradient = event->kind == EVENT_GRADIENT;
    const int first = recorder->running[recorder->depth - 1].first_write;
    for (int i = first; i < recorder->write_count; i++)
        if (recorder->writes[i].cell == object->cell &&
            recorder->writes[i].is_gradient == is_gradient) {
            recorder->writes[i].shown = NULL;
            return;
        }
    recorder->writes = with_room(recorder->arena, recorder->writes, recorder->write_count,
                                 &recorder->write_room, sizeof *recorder->writes);
    recorder->writes[recorder->write_count++] =
        (struct write){object->view, object->cell, object->cell->storage, is_gradient, NULL};
}

// x of `x.add_(1)`, or the first argument of `init.zeros_(x)`. NULL for what only writes inside, as `optimizer.step()`.
static const struct node *written_node(const struct node *statement) {
    if (statement->kind != NODE_EXPRESSION || statement->parts[0]->kind != NODE_CALL) return NULL;
    const struct node *call = statement->parts[0], *called = call->parts[0];
    const size_t length = called->text != NULL ? strlen(called->text) : 0;
    if (length == 0 || called->text[length - 1] != '_') return NULL;
    const struct node *of = called->kind == NODE_ATTRIBUTE ? called->parts[0] : NULL;
    while (of != NULL && of->kind == NODE_CALL && of->parts[0]->kind == NODE_ATTRIBUTE)
        of = of->parts[0]->parts[0]; // x.mul_(2).add_(1)
    const bool is_method = of != NULL && (of->text == NULL || strcmp(of->text, "init") != 0);
    if (is_method) return of;
    return call->part_count > 1 ? call->parts[1]->parts[0] : NULL;
}

static struct recorded *bound_here(const struct recorder *recorder, const struct running *running,
                                   const struct write *write) {
    for (int i = recorder->count - 1; i >= 0 && recorder->recorded[i].id > running->total; i--) {
        struct recorded *recorded = &recorder->recorded[i];
        if (recorded->statement == running->node && recorded->level == recorder->level &&
            recorded->tensor.storage == write->cell->storage)
            return recorded;
    }
    return NULL;
}

// "row, y": the variables in sight that share the cell with what a statement wrote; names_sharing() is NULL if there are none.
static void add_sharing(struct text *text, const struct dict *names, const struct tensor_cell *cell,
                        const char *written) {
    enum { MOST_BYTES = 120 };
    struct value key, value;
    for (int64_t i = 0; names != NULL && dict_next(names, &i, &key, &value);) {
        if (!is_tensor_value(value) || !is_kind(key, OBJECT_STR)) continue;
        const char *name = ((const struct str *)key.object)->bytes;
        const size_t length = strlen(name);
        const bool is_own =
            strncmp(written, name, length) == 0 && strchr("[ ", written[length]) != NULL;
        if (((const struct tensor_object *)value.object)->cell != cell || is_own) continue;
        if (text->length < MOST_BYTES)
            text_add_format(text, "%s%s", text->length > 0 ? ", " : "", name);
    }
}

static const char *names_sharing(const struct recorder *recorder, const struct tensor_cell *cell,
                                 const char *written) {
    const struct dict *names = recorder->level->names;
    struct text text = text_new(recorder->arena);
    text_add(&text, "");
    add_sharing(&text, names, cell, written);
    if (names != recorder->globals) add_sharing(&text, recorder->globals, cell, written);
    return text.length > 0 ? text.bytes : NULL;
}

// What was there before is seen beside it: a step of its own where no other of this turn shows it.
static void keep_before(struct recorder *recorder, const struct recorded *written, const char *name,
                        const struct write *write) {
    struct tensor before = written->tensor;
    before.storage = write->before;
    if (count_of(before.storage->shape) != count_of(written->tensor.storage->shape)) return;
    for (int i = recorder->count - 1; i >= 0; i--)
        if (recorder->recorded[i].turn == written->turn &&
            is_same_view(&recorder->recorded[i].tensor, &before))
            return;
    struct recorded *recorded =
        keep(recorder, NULL, arena_format(recorder->arena, "%s before", name), before);
    if (recorded != NULL) recorded->is_before = true;
}

// A library's lines may write one cell several times.
static bool is_first_of_cell(const struct recorder *recorder, const struct running *running,
                             int i) {
    int at = running->first_write;
    while (recorder->writes[at].cell != recorder->writes[i].cell ||
           recorder->writes[at].is_gradient != recorder->writes[i].is_gradient)
        at++;
    return at == i;
}

// Of several writes, as an optimizer's, the turn before shows what was there, unless it will be left out.
static bool wants_before(const struct recorder *recorder, const struct running *running,
                         bool is_only) {
    enum { FEW = 4 };
    int named = 0;
    for (int i = running->first_write; i < recorder->write_count; i++)
        named += is_first_of_cell(recorder, running, i) &&
                 name_of_cell(recorder, recorder->writes[i].cell) != NULL;
    const bool is_late = recorder->loop != NULL && recorder->loop->count > 2;
    return recorder->level->program == recorder->program && (is_only || (is_late && named <= FEW));
}

static void keep_gradient(struct recorder *recorder, const struct write *write, const char *name) {
    const struct tensor_object *leaf = write->cell->leaf;
    if (leaf == NULL || !is_tensor_value(leaf->grad)) return;
    keep(recorder, NULL, arena_format(recorder->arena, "%s.grad", name != NULL ? name : "leaf"),
         tensor_of_object((const struct tensor_object *)leaf->grad.object));
}

static void keep_write(struct recorder *recorder, const struct running *running,
                       const struct write *write, bool is_only) {
    const char *name = name_of_cell(recorder, write->cell);
    const struct node *node = is_only ? written_node(running->node) : NULL;
    struct tensor tensor = write->view;
    tensor.storage = write->cell->storage;
    if (write->is_gradient) {
        keep_gradient(recorder, write, name);
        return;
    }
    struct recorded *recorded = bound_here(recorder, running, write);
    if (recorded == NULL && (name != NULL || node != NULL))
        recorded = keep(recorder, node, node == NULL ? name : NULL, tensor);
    if (recorded == NULL) return;
    recorded->is_written = true;
    name = recorded->name != NULL ? recorded->name : text_here(recorder, recorded->target);
    if (is_only) recorded->also = names_sharing(recorder, write->cell, name);
    if (wants_before(recorder, running, is_only)) keep_before(recorder, recorded, name, write);
}

static void keep_writes(struct recorder *recorder, const struct running *running) {
    int in_place = 0;
    for (int i = running->first_write; i < recorder->write_count; i++)
        in_place += !recorder->writes[i].is_gradient && is_first_of_cell(recorder, running, i);
    for (int i = running->first_write; i < recorder->write_count; i++) {
        if (recorder->writes[i].shown == recorder->level) continue; // by a statement inside of it
        if (!is_first_of_cell(recorder, running, i)) continue;
        keep_write(recorder, running, &recorder->writes[i], in_place == 1);
        recorder->writes[i].shown = recorder->level;
    }
}

// ---- Loops ----------------------------------------------------------------------------------------------

// Leaves out the steps of a turn that is neither of the first two nor of the last two.
static void leave_out(struct recorder *recorder, struct loop *loop, int64_t turn) {
    const int first = loop->starts[turn % 4], end = loop->starts[(turn + 1) % 4];
    memmove(&recorder->recorded[first], &recorder->recorded[end],
            (size_t)(recorder->count - end) * sizeof *recorder->recorded);
    recorder->count -= end - first;
    loop->starts[(turn + 1) % 4] = first;
}

// In a library's loops all turns are as good as any other.
static void ask_for_lines(struct recorder *recorder) {
    const int64_t wanted = recorder->run->parameters.turn;
    recorder->wants_lines = true;
    for (const struct loop *loop = recorder->loop; loop != NULL; loop = loop->outer)
        if (loop->level->program == recorder->program && loop->count > 2 && loop->count != wanted)
            recorder->wants_lines = false;
}

static void turn_loop(struct recorder *recorder, const struct node *node) {
    struct loop *loop = recorder->loop;
    if (loop == NULL || loop->node != node || loop->level != recorder->level) {
        loop = arena_allocate(recorder->arena, sizeof *loop);
        *loop = (struct loop){.outer = recorder->loop,
                              .level = recorder->level,
                              .node = node,
                              .depth = recorder->depth};
        recorder->loop = loop;
    }
    loop->count++;
    loop->turn = NULL;
    const int64_t before = loop->count - 2, wanted = recorder->run->parameters.turn;
    if (loop->count >= 5 && recorder->count > 0 && before != wanted)
        leave_out(recorder, loop, before);
    loop->starts[loop->count % 4] = recorder->count;
    ask_for_lines(recorder);
}

// Those of the statement at a depth of the call that runs, and of the statements inside of it.
static void end_loops(struct recorder *recorder, int depth, bool has_ended) {
    while (recorder->loop != NULL && recorder->loop->level == recorder->level &&
           recorder->loop->depth >= depth) {
        recorder->loop->has_ended = has_ended;
        recorder->loop = recorder->loop->outer;
        ask_for_lines(recorder);
    }
}

// A comprehension's.
static void end_turns(struct recorder *recorder, const struct node *node) {
    struct loop *loop = recorder->loop;
    if (loop == NULL || loop->node != node || loop->level != recorder->level) return;
    loop->has_ended = true;
    recorder->loop = loop->outer;
    ask_for_lines(recorder);
}

// ---- Statements -------------------------------------------------------------------------------------------

static void begin(struct recorder *recorder, const struct node *node) {
    recorder->running = with_room(recorder->arena, recorder->running, recorder->depth,
                                  &recorder->depth_room, sizeof *recorder->running);
    recorder->running[recorder->depth++] =
        (struct running){node, recorder->write_count, recorder->total, NULL};
}

// Does it wait for the next step? What only calls, as super().__init__() and print() do, does not.
static bool does_wait(const struct node *node) {
    return is_assignment(node);
}

static void wait_for_step(struct level *level, const struct node *node) {
    if (level->waiting_count == MOST_WAITING) {
        memmove(level->waiting, level->waiting + 1, (MOST_WAITING - 1) * sizeof *level->waiting);
        level->waiting_count--;
    }
    level->waiting[level->waiting_count++] = node;
}

// self.register_buffer("mask", ...) binds self.mask.
static void bind_registered(struct recorder *recorder, const struct event *event) {
    const struct node *call = event->node->kind == NODE_EXPRESSION ? event->node->parts[0] : NULL;
    if (call == NULL || call->kind != NODE_CALL || call->part_count < 2) return;
    const struct node *called = call->parts[0], *name = call->parts[1]->parts[0];
    const bool is_registered = called->kind == NODE_ATTRIBUTE && name->kind == NODE_STRING &&
                               (strcmp(called->text, "register_buffer") == 0 ||
                                strcmp(called->text, "register_parameter") == 0);
    if (!is_registered) return;
    const struct value of = value_in_sight(called->parts[0], event->names, event->globals);
    const char *owner = text_here(recorder, called->parts[0]);
    const struct value value = attribute_in_sight(of, name->text);
    if (is_tensor_value(value))
        keep_value(recorder, name, arena_format(recorder->arena, "%s.%s", owner, name->text),
                   value);
}

// The calls of a statement are closed by its first step of its own.
static void close_calls(struct recorder *recorder, const struct running *running) {
    int64_t closer = 0;
    for (int i = recorder->count - 1; i >= 0 && recorder->recorded[i].id > running->total; i--)
        if (recorder->recorded[i].statement == running->node &&
            recorder->recorded[i].level == recorder->level && !recorder->recorded[i].is_result)
            closer = recorder->recorded[i].id;
    for (struct level *level = running->called; level != NULL; level = level->called)
        if (level->closer == 0) level->closer = closer;
}

// What a library wrote for the program is a change by the statement that called the library.
static bool hands_writes_on(const struct recorder *recorder) {
    const struct level *level = recorder->level;
    return level->outer != NULL && level->program != recorder->program;
}

static void end(struct recorder *recorder, const struct event *event) {
    const struct node *node = event->node;
    recorder->globals = event->globals;
    bind_registered(recorder, event);
    const struct running *running = running_now(recorder);
    keep_writes(recorder, running);
    close_calls(recorder, running);
    end_loops(recorder, recorder->depth, true);
    if (recorder->total == running->total && does_wait(node)) wait_for_step(recorder->level, node);
    if (node->kind == NODE_TRY || node->kind == NODE_WITH) recorder->operand_count = 0; // caught
    if (!hands_writes_on(recorder)) recorder->write_count = running->first_write;
    recorder->depth--;
}

// ---- Exceptions --------------------------------------------------------------------------------------------

static void add_operand_step(struct recorder *recorder, const struct node *node, const char *name,
                             struct tensor tensor) {
    if (node != NULL && recorder->read_count < MOST_ITEMS)
        recorder->reads[recorder->read_count++] = (struct read){node, name, shape_of(&tensor)};
    if (recorder->operand_count == MOST_ITEMS) return;
    for (int i = 0; i < recorder->operand_count; i++)
        if (recorder->operands[i].tensor.storage == tensor.storage) return;
    keep_level(recorder, recorder->level);
    recorder->operands[recorder->operand_count++] =
        (struct recorded){.statement = recorder->running[recorder->depth - 1].node,
                          .target = node,
                          .name = name,
                          .tensor = tensor,
                          .level = recorder->level,
                          .turn = turn_of(recorder, recorder->loop)};
}

// The line reads no tensor: there is nothing to show but its words.
static void add_no_operand(struct recorder *recorder) {
    add_operand_step(recorder, NULL, "error", tensor_given(recorder->arena, FLOAT32, SHAPE(0)));
}

static void add_member_operand(void *context, const char *path,
                               const struct tensor_object *object) {
    const struct recorder *recorder = context;
    add_operand_step(context, recorder->module_node, path, tensor_of_object(object));
}

// A name that an assignment binds is not read by it.
static bool is_bound(const struct node *node, int i) {
    const bool is_target = (node->kind == NODE_ASSIGN && i < node->part_count - 1) ||
                           ((node->kind == NODE_ANNOTATED || node->kind == NODE_FOR) && i == 0);
    return is_target && node->parts[i]->kind != NODE_SUBSCRIPT;
}

// The tensors that a line reads and that can be seen without running anything.
static void add_operands(struct recorder *recorder, const struct node *node,
                         const struct event *event) {
    if (node == NULL || node->kind == NODE_BLOCK || node->kind == NODE_DEF ||
        node->kind == NODE_CLASS)
        return;
    const struct value value = value_in_sight(node, event->names, event->globals);
    if (is_tensor_value(value)) {
        add_operand_step(recorder, node, NULL,
                         tensor_of_object((const struct tensor_object *)value.object));
        return;
    }
    if (is_module(value) && strcmp(node->text, "self") != 0) {
        const char *path = text_here(recorder, node);
        recorder->module_node = node;
        visit_members(recorder->arena, value, path, add_member_operand, recorder);
        return;
    }
    for (int i = 0; i < node->part_count; i++)
        if (!is_bound(node, i)) add_operands(recorder, node->parts[i], event);
}

static void fail_statement(struct recorder *recorder, const struct event *event) {
    const struct running *running = &recorder->running[recorder->depth - 1];
    const struct object *raised = event->value.kind == VALUE_OBJECT ? event->value.object : NULL;
    const bool is_own = recorder->level->program == recorder->program;
    if (is_own && (raised != recorder->raised || recorder->operand_count == 0)) {
        recorder->raised = raised;
        recorder->operand_count = recorder->read_count = 0;
        add_operands(recorder, event->node, event);
        if (recorder->operand_count == 0) add_no_operand(recorder);
    }
    end_loops(recorder, recorder->depth, false);
    recorder->write_count = running->first_write;
    recorder->depth--;
}

// ---- Calls ----------------------------------------------------------------------------------------------------

static void enter_call(struct recorder *recorder, const struct event *event) {
    struct level *level = recorder->unused, *outer = recorder->level;
    if (level != NULL)
        recorder->unused = level->outer;
    else
        level = arena_allocate(recorder->arena, sizeof *level);
    *level = (struct level){.outer = outer,
                            .program = event->program,
                            .node = outer->hidden > 0 ? outer->hidden_node : event->node,
                            .self = event->owner != NULL ? event->self : NO_VALUE,
                            .owner = event->owner,
                            .function = event->function,
                            .names = event->names};
    recorder->level = level;
}

// The result of a call that has steps is a step, which the call's steps are behind.
static void leave_call(struct recorder *recorder, struct value result) {
    struct level *level = recorder->level;
    end_loops(recorder, 0, false);
    recorder->level = level->outer;
    if (!level->has_steps) {
        level->outer = recorder->unused;
        recorder->unused = level;
        return;
    }
    struct running *running = &recorder->running[recorder->depth - 1];
    level->called = running->called;
    running->called = level;
    if (!is_tensor_value(result)) return;
    struct recorded *recorded = keep(recorder, level->node, NULL,
                                     tensor_of_object((const struct tensor_object *)result.object));
    if (recorded == NULL) return;
    recorded->is_result = true;
    level->closer = recorded->id;
}

// Does it run in the program, or in a module or an optimizer of PyTorch? What only keeps their parts is not watched, and
// operations are not entered.
static bool is_watched(struct recorder *recorder, const struct event *event) {
    static const char *const functions[] = {"__init__", "reset_parameters", "forward", "step",
                                            "_update"};
    if (event->program == recorder->program) return true;
    if (event->program != recorder->library) {
        const char *file = event->program->file;
        recorder->library = event->program;
        recorder->is_entered =
            strcmp(file, "torch/nn.py") == 0 || strcmp(file, "torch/optim.py") == 0;
    }
    if (!recorder->is_entered || event->owner == NULL) return false;
    int i = 0;
    while (i < 5 && strcmp(event->function, functions[i]) != 0) i++;
    return i < 5 && (i > 0 || (strcmp(event->owner->name, "Module") != 0 &&
                               strcmp(event->owner->name, "Optimizer") != 0));
}

// What is not watched is known by the place in the program that called it.
static void pass_over(struct recorder *recorder, const struct event *event) {
    struct level *level = recorder->level;
    if (event->kind == EVENT_CALL && level->hidden++ == 0) level->hidden_node = event->node;
    if (event->kind == EVENT_CALL_END) level->hidden--;
}

static void note_return(struct recorder *recorder, const struct event *event) {
    const struct node *node = event->node;
    if (node->part_count > 0 && node->parts[0] != NULL)
        give_back(recorder, node->parts[0], "return", event->value);
}

static void observe(struct recorder *recorder, const struct event *event) {
    if (event->kind == EVENT_WRITE || event->kind == EVENT_GRADIENT) {
        note_write(recorder, event);
        return;
    }
    if (!is_watched(recorder, event)) {
        pass_over(recorder, event);
        return;
    }
    if (recorder->level->names == NULL) recorder->level->names = event->globals;
    switch (event->kind) {
    case EVENT_BEGIN:
        begin(recorder, event->node);
        break;
    case EVENT_END:
        end(recorder, event);
        break;
    case EVENT_FAIL:
        fail_statement(recorder, event);
        break;
    case EVENT_BIND:
        bind(recorder, event);
        break;
    case EVENT_RETURN:
        note_return(recorder, event);
        break;
    case EVENT_CALL: // the first is the program itself
        if (recorder->depth > 0) enter_call(recorder, event);
        break;
    case EVENT_CALL_END:
        if (recorder->depth > 0) leave_call(recorder, event->value);
        break;
    case EVENT_TURN:
        turn_loop(recorder, event->node);
        break;
    case EVENT_TURNS_END:
        end_turns(recorder, event->node);
        break;
    default:
        break;
    }
}

void recorder_observe(void *context, const struct event *event) {
    struct recorder *recorder = context;
    const size_t limit = lift_limit(recorder);
    observe(recorder, event);
    recorder->arena->limit = limit;
}

// ---- The steps of the run ----------------------------------------------------------------------------------------

// Is it said in which turn of the loop a step was made? A comprehension's few turns can be told by their calls.
// A library's turns are no matter of what it calls.
static bool says_turn(const struct recorder *recorder, const struct turn *turn,
                      const struct level *level) {
    const struct loop *loop = turn->loop;
    const bool is_statement = loop->node->kind == NODE_FOR || loop->node->kind == NODE_WHILE;
    if (loop->level->program != recorder->program) return loop->level == level && loop->count > 1;
    return is_statement || loop->count > 4 || loop->level == level;
}

// "turn 3 of 200, turn 1 of 2"; NULL outside of loops.
static const char *turns_text(const struct recorder *recorder, const struct turn *turn,
                              const struct level *level) {
    if (turn == NULL) return NULL;
    struct arena *arena = recorder->arena;
    const char *outer = turns_text(recorder, turn->outer, level);
    if (!says_turn(recorder, turn, level)) return outer;
    const char *words = turn->loop->has_ended ? arena_format(arena, "turn %" PRId64 " of %" PRId64,
                                                             turn->number, turn->loop->count)
                                              : arena_format(arena, "turn %" PRId64, turn->number);
    return outer != NULL ? arena_format(arena, "%s, %s", outer, words) : words;
}

static bool are_alike(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// Fills in the group of each step. A group that is called again has a number: "attention (2)".
static void add_groups(struct recorder *recorder, const char **groups) {
    struct arena *arena = recorder->arena;
    const char **plain = arena_array(arena, (size_t)recorder->count + 1, sizeof *plain);
    int *calls = arena_array(arena, (size_t)recorder->count + 1, sizeof *calls);
    for (int i = 0; i < recorder->count; i++) {
        const struct recorded *recorded = &recorder->recorded[i];
        const char *turns = turns_text(recorder, recorded->turn, recorded->level),
                   *path = recorded->level->path;
        plain[i] = turns != NULL && path != NULL ? arena_format(arena, "%s, %s", turns, path)
                   : turns != NULL               ? turns
                                                 : path;
        int most = 0;
        for (int j = i - 1; j >= 0 && calls[i] == 0; j--) {
            if (!are_alike(plain[j], plain[i])) continue;
            if (recorder->recorded[j].level == recorded->level) calls[i] = calls[j];
            if (calls[j] > most) most = calls[j];
        }
        if (calls[i] == 0) calls[i] = most + 1;
        groups[i] = calls[i] > 1 ? arena_format(arena, "%s (%d)", plain[i], calls[i]) : plain[i];
    }
}

static const char *name_of(struct recorder *recorder, const struct recorded *recorded) {
    return recorded->name != NULL
               ? recorded->name
               : text_of_node(recorder->arena, recorded->level->program, recorded->target);
}

// A result of a call that has no name has a place of its own, in the words of its line.
static const struct paragraph *paragraph_of(struct recorder *recorder,
                                            const struct recorded *recorded) {
    const struct node *call = recorded->is_result ? recorded->target : NULL;
    struct arena *arena = recorder->arena;
    for (int i = 0; i < recorder->worded_count; i++) {
        const struct worded *worded = &recorder->worded[i];
        const bool is_same = recorded->also == NULL || are_alike(worded->also, recorded->also);
        if (worded->statement == recorded->statement && worded->call == call && is_same)
            return worded->paragraph;
    }
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    *paragraph = *paragraph_of_statement(arena, recorded->level->program, recorded->statement,
                                         recorded->level->function_path);
    const char *words = paragraph->explanation;
    if (recorded->also != NULL)
        paragraph->explanation = arena_format(arena, "%s%sAlso seen in %s.", words,
                                              *words != '\0' ? " " : "", recorded->also);
    recorder->worded[recorder->worded_count++] =
        (struct worded){recorded->statement, call, recorded->also, paragraph};
    return paragraph;
}

// Was a step made by a call of the line whose step comes next?
static bool is_inside_next(const struct run *run, const struct step *step) {
    while (step->within > 0 && step->within <= run->step_count)
        step = &run->steps[step->within - 1];
    return step->within == run->step_count + 1;
}

// The step that shows what was there before the line, which may have written it several times.
static const char *beside_of(struct recorder *recorder, const struct recorded *recorded) {
    enum { MOST_WRITES = 16 };
    const struct run *run = recorder->run;
    const struct origin *origin = recorded->tensor.storage->origin;
    for (int k = 0; recorded->is_written && k < MOST_WRITES && origin->operand_count > 0; k++) {
        const struct storage *before = origin->operands[0].storage;
        for (int i = run->step_count - 1; i >= 0; i--) {
            const struct step *step = &run->steps[i];
            if (step->tensor.storage == before && !is_inside_next(run, step) &&
                shapes_equal(shape_of(&step->tensor), shape_of(&recorded->tensor)))
                return step_label(recorder->arena, step);
        }
        origin = before->origin;
    }
    return NULL;
}

static const char *first_line(struct arena *arena, const char *text) {
    return text_safe_bytes(arena, text, strcspn(text, "\n"));
}

static const struct paragraph *paragraph_of_error(struct recorder *recorder,
                                                  const struct paragraph *paragraph,
                                                  const struct recorded *recorded) {
    const char *error = recorded->error;
    struct arena *arena = recorder->arena;
    struct paragraph *copy = arena_allocate(arena, sizeof *copy);
    int line;
    const int cell =
        cell_of_line(recorder->program->source, paragraph->excerpts->first_line, &line);
    const char *at = cell > 0 ? arena_format(arena, "code cell %d, line %d", cell, line)
                              : arena_format(arena, "line %d", line);
    *copy = *paragraph;
    copy->title = first_line(arena, error);
    const char *words = error_in_words(arena, error),
               *shapes = line_with_shapes(arena, recorded->level->program, recorded->statement,
                                          recorder->reads, recorder->read_count);
    copy->explanation =
        arena_format(arena, "The program ends here, in %s: it raised this.%s%s%s%s", at,
                     *shapes != '\0' ? " " : "", shapes, *words != '\0' ? " " : "", words);
    return copy;
}

static const struct paragraph *paragraph_of_cut(struct arena *arena,
                                                const struct paragraph *paragraph) {
    struct paragraph *copy = arena_allocate(arena, sizeof *copy);
    const char *words = paragraph->explanation;
    *copy = *paragraph;
    copy->explanation = arena_format(
        arena, "%s%sonestep keeps %d steps of a program. Steps behind this one are left out.",
        words, *words != '\0' ? " " : "", MOST_PROGRAM_STEPS);
    return copy;
}

static void add_step(struct recorder *recorder, const struct recorded *recorded, const char *group,
                     const char *name, const char *beside, int within) {
    struct arena *arena = recorder->arena;
    const struct run *run = recorder->run;
    const struct paragraph *paragraph = paragraph_of(recorder, recorded);
    const struct step *last = run->step_count > 0 ? &run->steps[run->step_count - 1] : NULL;
    const char *lines = paragraph->excerpts->text;
    if (recorded->error != NULL) paragraph = paragraph_of_error(recorder, paragraph, recorded);
    if (recorded->is_cut) paragraph = paragraph_of_cut(arena, paragraph);
    const bool continues = last != NULL && last->paragraph->excerpts == paragraph->excerpts &&
                           are_alike(last->group, group);
    if (continues && recorded->error != NULL &&
        strcmp(last->paragraph->title, paragraph->title) == 0)
        paragraph = last->paragraph;
    if (recorded->before != NULL) lines = arena_format(arena, "%s%s", recorded->before, lines);
    const struct step step = {
        .name = name,
        .group = group,
        .formula = text_of_node(arena, recorded->level->program,
                                recorded->is_result ? recorded->target : recorded->statement),
        .statement = continues ? "" : arena_copy_bytes(arena, lines, strlen(lines) - 1),
        .expression = name,
        .paragraph = paragraph,
        .excerpt = paragraph->excerpts,
        .tensor = recorded->tensor,
        .beside = beside != NULL ? beside : beside_of(recorder, recorded),
        .printed = recorded->printed.arena != NULL ? recorded->printed.bytes : NULL,
        .within = within,
    };
    record_as(recorder->run, &step);
}

// The number, from 1, of the step that closes the call which a step was made in, or the call around that; 0 if none does.
static int within_of(const struct recorder *recorder, const struct recorded *recorded, int i) {
    int64_t closer = 0;
    for (const struct level *level = recorded->level; level != NULL && closer == 0;
         level = level->outer)
        closer = level->closer;
    while (closer != 0 && i < recorder->count && recorder->recorded[i].id != closer) i++;
    return closer != 0 && i < recorder->count ? i + 1 : 0;
}

// How often a step before this one has its name, in its group.
static int namesakes(const char *const *names, const char *const *groups, int i) {
    int count = 0;
    for (int j = 0; j < i; j++)
        count += strcmp(names[j], names[i]) == 0 && are_alike(groups[j], groups[i]);
    return count;
}

void recorder_finish(struct recorder *recorder, const char *error) {
    struct arena *arena = recorder->arena;
    if (error != NULL && recorder->operand_count == 0 && recorder->depth > 0)
        add_no_operand(recorder);
    for (int i = 0; i < recorder->operand_count && error != NULL; i++) {
        recorder->recorded = with_room(arena, recorder->recorded, recorder->count, &recorder->room,
                                       sizeof *recorder->recorded);
        recorder->recorded[recorder->count] = recorder->operands[i];
        recorder->recorded[recorder->count++].error = error;
    }
    const size_t count = (size_t)recorder->count + 1;
    const char **groups = arena_array(arena, count, sizeof *groups);
    const char **names = arena_array(arena, count, sizeof *names);
    const char **shown = arena_array(arena, count, sizeof *shown);
    recorder->worded = arena_array(arena, count, sizeof *recorder->worded);
    add_groups(recorder, groups);
    for (int i = 0; i < recorder->count; i++) {
        names[i] = name_of(recorder, &recorder->recorded[i]);
        const int more = namesakes(names, groups, i);
        shown[i] = more > 0 ? arena_format(arena, "%s (%d)", names[i], more + 1) : names[i];
    }
    for (int i = 0; i < recorder->count; i++) {
        const struct recorded *recorded = &recorder->recorded[i];
        const struct step before = {.name = shown[i + 1], .group = groups[i]};
        const bool has_before = i + 1 < recorder->count && recorded[1].is_before;
        add_step(recorder, recorded, groups[i], shown[i],
                 has_before ? step_label(arena, &before) : NULL, within_of(recorder, recorded, i));
    }
}
