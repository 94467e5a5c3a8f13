#include "script/recording/recorded.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/machine.h"
#include "script/torch/tensor_object.h"

// ---- Who reads a value --------------------------------------------------------------------------------

// The nodes that read each value, the latest first.
struct reader {
    int node, next; // next: -1: none
};

struct readers {
    int *first; // of each value
    struct reader *list;
    int count;
    enum { NOT_ASKED, REACHES, IS_DEAD } * is_dead; // does the loss depend on the value?
};

static void add_readers(struct arena *arena, struct readers *readers,
                        const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    int64_t operands[MOST_OPERANDS];
    if (node->call == NULL || node->result_count == 0) return;
    const int count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    for (int i = 0; i < count; i++) {
        readers->list =
            arena_grow(arena, readers->list, (size_t)readers->count * sizeof *readers->list,
                       sizeof *readers->list);
        readers->list[readers->count] = (struct reader){number, readers->first[operands[i]]};
        readers->first[operands[i]] = readers->count++;
    }
}

struct readers *readers_of(struct arena *arena, const struct recording *recording) {
    const size_t count = (size_t)recording->value_count + 1;
    struct readers *readers = arena_allocate(arena, sizeof *readers);
    readers->first = arena_array(arena, count, sizeof *readers->first);
    readers->is_dead = arena_array(arena, count, sizeof *readers->is_dead);
    for (int i = 0; i < recording->value_count; i++) readers->first[i] = -1;
    for (int i = 0; i < recording->node_count; i++) add_readers(arena, readers, recording, i);
    for (int i = 0; i < recording->node_count; i++)
        if (recording->nodes[i].gradient_of >= 0)
            readers->is_dead[recording->nodes[i].gradient_of] = REACHES;
    return readers;
}

// Nothing that has a gradient was computed from it. What is too deep to say counts as alive.
static bool is_dead(struct readers *readers, const struct recording *recording, int64_t value,
                    int depth) {
    enum { DEEPEST = 200 };
    bool reaches = depth > DEEPEST;
    if (readers->is_dead[value] != NOT_ASKED) return readers->is_dead[value] == IS_DEAD;
    readers->is_dead[value] = REACHES; // until it is known: a value may be its own result
    for (int at = readers->first[value]; at >= 0 && !reaches; at = readers->list[at].next) {
        const struct recorded_node *node = &recording->nodes[readers->list[at].node];
        for (int j = 0; j < node->result_count && !reaches; j++)
            reaches = node->results[j] != value &&
                      !is_dead(readers, recording, node->results[j], depth + 1);
    }
    readers->is_dead[value] = reaches ? REACHES : IS_DEAD;
    return !reaches;
}

bool begins_way_back(struct recorded_run *recorded, const struct recording *recording,
                     int64_t value) {
    const struct readers *readers = recorded->readers;
    for (int at = readers->first[value]; at >= 0; at = readers->list[at].next) {
        const struct recorded_node *node = &recording->nodes[readers->list[at].node];
        for (int j = 0; j < node->result_count; j++)
            if (!is_dead(recorded->readers, recording, node->results[j], 0)) return false;
    }
    return true;
}

// The first node of the way back that a gradient belongs to: the loss that is nearest before it.
static int start_of_way(struct recorded_run *recorded, const struct recording *recording,
                        int number) {
    for (int i = number; i > 0; i--) {
        const int64_t of = recording->nodes[i].gradient_of;
        if (of >= 0 && begins_way_back(recorded, recording, of)) return i;
    }
    return 0;
}

bool has_one_way_back(struct recorded_run *recorded, const struct recording *recording) {
    int count = 0;
    for (int i = 0; i < recording->node_count; i++) {
        const int64_t of = recording->nodes[i].gradient_of;
        count += of >= 0 && begins_way_back(recorded, recording, of);
    }
    return count == 1;
}

// ---- The way back as a program ------------------------------------------------------------------------

enum { MOST_USES = 32 };

// The gradient of x: through each line that reads it, from the recorded gradient of what that line gave.
struct way {
    const struct recording *recording;
    struct recorded_run *recorded;
    struct arena *arena;
    struct text program, pairs;
    int64_t x, operands[MOST_USES * MOST_OPERANDS];
    int operand_count, uses, number, start;
    bool is_shared;  // a line reads its numbers through another view, too
    const char *why; // it cannot be computed; or NULL
};

static void note_operand(struct way *way, int64_t value) {
    for (int i = 0; i < way->operand_count; i++)
        if (way->operands[i] == value) return;
    way->operands[way->operand_count++] = value;
}

static int64_t root_of(const struct recording *recording, int64_t value) {
    const int64_t of = recording->values[value].view_of;
    return of >= 0 ? of : value;
}

// The gradient of a value on this way; -1: there is none.
static int64_t gradient_of_value(const struct way *way, int64_t value) {
    for (int i = way->number - 1; i >= way->start; i--) {
        const struct recorded_node *node = &way->recording->nodes[i];
        if (node->gradient_of == value && node->result_count == 1) return node->results[0];
    }
    return -1;
}

// No gradient comes from it: nothing was computed from it that the loss depends on, or it belongs to another way back.
static bool gives_nothing(const struct way *way, int64_t value) {
    if (is_dead(way->recorded->readers, way->recording, value, 0)) return true;
    for (int i = 0; i < way->start; i++)
        if (way->recording->nodes[i].gradient_of == value) return true;
    return false;
}

// Result number `result` of the use, and its gradient.
static void add_pair(struct way *way, const struct recorded_node *node, int result) {
    const int64_t value = node->results[result];
    const int64_t grad = gradient_of_value(way, value);
    struct text *pairs = &way->pairs;
    if (grad < 0 && gives_nothing(way, value)) return;
    if (grad >= 0) note_operand(way, grad);
    text_add_format(pairs, "(y%d%s, ", way->uses,
                    node->result_count > 1 ? arena_format(way->arena, "[%d]", result) : "");
    if (grad >= 0)
        text_add_format(pairs, "v%" PRId64 "), ", grad);
    else
        text_add(pairs, "None), ");
}

static bool is_expression(struct arena *arena, const char *call) {
    struct syntax_error error;
    const struct program line = parse_program(arena, "recording", call, &error);
    return error.message == NULL && line.tree->part_count == 1 &&
           line.tree->parts[0]->kind == NODE_EXPRESSION;
}

// Under autocast the operands are cast for this line alone.
static void add_casts(struct way *way, const struct recorded_node *node, int count,
                      const int64_t *operands, bool begins) {
    const char *type = way->recording->values[node->results[0]].type->dtype;
    for (int i = 0; i < count && node->autocast != NULL; i++) {
        const int64_t v = operands[i];
        if (!is_floating(way->recorded->tensors[v].storage->dtype)) continue;
        if (begins)
            text_add_format(&way->program,
                            "w%" PRId64 " = v%" PRId64 "\nv%" PRId64 " = v%" PRId64
                            ".to(torch.%s)\n",
                            v, v, v, v, type);
        else
            text_add_format(&way->program, "v%" PRId64 " = w%" PRId64 "\n", v, v);
    }
}

// The line, whose value is the next y. What it writes in place is a copy: other lines read the value itself.
static void add_line(struct way *way, const struct recorded_node *node) {
    struct text *program = &way->program;
    const int64_t written = node->writes;
    if (written >= 0)
        text_add_format(program, "kept = v%" PRId64 "\nv%" PRId64 " = kept.clone()\n", written,
                        written);
    if (is_expression(way->arena, node->call))
        text_add_format(program, "y%d = %s\n", way->uses, node->call);
    else
        text_add_format(program, "%s\ny%d = v%" PRId64 "\n", node->call, way->uses, written);
    if (written >= 0) text_add_format(program, "v%" PRId64 " = kept\n", written);
}

static void add_use(struct way *way, int number) {
    const struct recorded_node *node = &way->recording->nodes[number];
    const int64_t root = root_of(way->recording, way->x);
    int64_t operands[MOST_OPERANDS];
    const int count =
        operands_of_call(node->call, way->recording->value_count, operands, MOST_OPERANDS);
    const size_t before = way->pairs.length;
    for (int j = 0; j < node->result_count; j++) add_pair(way, node, j);
    if (way->pairs.length == before) return;
    for (int i = 0; i < count; i++) {
        note_operand(way, operands[i]);
        way->is_shared |= operands[i] != way->x && root_of(way->recording, operands[i]) == root;
    }
    add_casts(way, node, count, operands, true);
    add_line(way, node);
    add_casts(way, node, count, operands, false);
    way->uses++;
}

// All lines before the gradient that read x, in their order.
static void add_uses(struct way *way) {
    const struct readers *readers = way->recorded->readers;
    int uses[MOST_USES], count = 0;
    for (int at = readers->first[way->x]; at >= 0; at = readers->list[at].next) {
        if (readers->list[at].node > way->number) continue;
        if (count == MOST_USES) way->why = "too many lines read it";
        if (count == MOST_USES) return;
        uses[count++] = readers->list[at].node;
    }
    while (count > 0) add_use(way, uses[--count]);
}

// A write through another view: what became of x, no line says.
static bool is_written_elsewhere(const struct way *way) {
    const int64_t root = root_of(way->recording, way->x);
    for (int i = 0; i < way->number; i++) {
        const struct recorded_node *node = &way->recording->nodes[i];
        const bool writes = node->writes >= 0 && node->writes != way->x;
        if (writes && root_of(way->recording, node->writes) == root) return true;
    }
    return false;
}

// Did the run go back behind x, and a line then write x, as an optimizer does?
static bool is_replaced(const struct way *way) {
    bool has_gone_back = false;
    for (int i = way->recorded->makers[way->x] + 1; i < way->start; i++) {
        const struct recorded_node *node = &way->recording->nodes[i];
        has_gone_back |= node->gradient_of >= 0;
        if (has_gone_back && node->writes == way->x) return true;
    }
    return false;
}

// Python's lines behind those of the uses. Where nothing was computed from x, it is the loss.
static const char *end_of_program(struct way *way) {
    if (way->uses == 0) return "g = torch.ones_like(x)\n";
    return arena_format(
        way->arena,
        "ys = [p for p in [%s] if p[0].requires_grad]\n"
        "if any([p[1] is None for p in ys]):\n"
        "    raise RuntimeError('a gradient that it is computed from was not recorded')\n"
        "g = torch.autograd.grad([p[0] for p in ys], [x], [p[1] for p in ys])[0]\n",
        way->pairs.bytes);
}

const char *gradient_program(struct recorded_run *recorded, const struct recording *recording,
                             int number, struct gradient_way *result) {
    struct arena *arena = recorded->newest->arena;
    struct way *way = arena_allocate(arena, sizeof *way);
    *way = (struct way){.recording = recording,
                        .recorded = recorded,
                        .arena = arena,
                        .program = text_new(arena),
                        .pairs = text_new(arena),
                        .x = recording->nodes[number].gradient_of,
                        .number = number,
                        .start = start_of_way(recorded, recording, number)};
    text_add(&way->pairs, "");
    text_add(&way->program, "");
    note_operand(way, way->x);
    add_uses(way);
    if (way->why == NULL && is_written_elsewhere(way))
        way->why = "its numbers were written in place";
    if (is_replaced(way)) way->why = "other numbers had taken its place when the way back began";
    *result = (struct gradient_way){way->operand_count, way->operands, way->uses, way->why};
    return arena_format(
        arena, "x = v%" PRId64 "%s.detach().requires_grad_()\nv%" PRId64 " = x\n%s%s", way->x,
        way->is_shared ? ".clone()" : "", way->x, way->program.bytes, end_of_program(way));
}
