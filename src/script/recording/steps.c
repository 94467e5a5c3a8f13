#include "script/recording/recorded.h"

#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"

// ---- Groups ----------------------------------------------------------------------------------------

static bool are_alike(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// The name of each call; a module that is called again has a number.
static const char **groups_of(struct arena *arena, const struct recording *recording) {
    const char **groups = arena_array(arena, (size_t)recording->call_count + 1, sizeof *groups);
    for (int i = 0; i < recording->call_count; i++) {
        const struct recorded_call *call = &recording->calls[i];
        const char *name = *call->module != '\0' ? call->module : call->class;
        int before = 0;
        for (int j = 0; j < i; j++)
            before += are_alike(recording->calls[j].module, call->module) &&
                      are_alike(recording->calls[j].class, call->class);
        name = text_safe(arena, *name != '\0' ? name : "model");
        groups[i] = before > 0 ? arena_format(arena, "%s (%d)", name, before + 1) : name;
    }
    return groups;
}

// The group of a parameter: its module, "transformer.h.0.attn"; NULL of what has no module.
static const char *group_of_given(struct arena *arena, const struct recording *recording,
                                  const char **groups, const char *name) {
    const char *point = strrchr(name, '.');
    if (point == NULL) return NULL;
    const char *module = arena_copy_bytes(arena, name, (size_t)(point - name));
    for (int i = 0; i < recording->call_count; i++)
        if (strcmp(recording->calls[i].module, module) == 0) return groups[i];
    return text_safe(arena, module);
}

// How often a step before this one has its name, in its group.
static int namesakes(const struct run *run, const char *group, const char *name) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const size_t length = strlen(name);
        if (step->group != group || strncmp(step->name, name, length) != 0) continue;
        count += step->name[length] == '\0' || strncmp(step->name + length, " (", 2) == 0;
    }
    return count;
}

// The number, from 1, of the step that shows the result of the call around a node; 0: none does. Of a run that is one call, the
// steps of this call are the walk.
static int within_of(const struct recorded_run *recorded, const struct recording *recording,
                     const int *closers, const struct recorded_node *node, int number) {
    for (int64_t call = node->in; call >= 0; call = recording->calls[call].outer) {
        const bool is_walk = recorded->root_count == 1 && recording->calls[call].outer < 0;
        const int closer = closers[call] >= 0 ? recorded->steps[closers[call]] + 1 : 0;
        if (closer > number && !is_walk) return closer;
    }
    return 0;
}

// ---- Steps --------------------------------------------------------------------------------------------

static void add_step(struct run *run, struct recorded_run *recorded,
                     const struct recording *recording, const char *group, int number, int result) {
    struct arena *arena = run->memory;
    const struct recorded_node *node = &recording->nodes[number];
    const char *name = name_of_node(arena, recorded, recording, node, result);
    const int before = namesakes(run, group, name);
    struct paragraph *paragraph = paragraph_of_node(arena, recorded, recording, node);
    const char *line = paragraph->excerpts->text;
    if (before > 0) name = arena_format(arena, "%s (%d)", name, before + 1);
    paragraph->explanation = explanation_of(arena, recorded, recording, number);
    const char *formula = node->call != NULL ? call_in_names(arena, recorded, recording, node->call)
                                             : arena_copy_bytes(arena, line, strlen(line) - 1);
    const struct step step = {
        .name = name,
        .group = group,
        .formula = formula,
        .statement = arena_copy_bytes(arena, line, strlen(line) - 1),
        .expression = name,
        .is_unnamed = node->variable == NULL && node->gradient_of < 0 && node->ends < 0,
        .paragraph = paragraph,
        .excerpt = paragraph->excerpts,
        .tensor = recorded->tensors[node->results[result]],
    };
    recorded->nodes[run->step_count] = number;
    record_as(run, &step);
}

// A parameter or an input, before the first operation that reads it.
static void add_given(struct run *run, struct recorded_run *recorded,
                      const struct recording *recording, const char **groups, int64_t value,
                      int number) {
    struct arena *arena = run->memory;
    if (recording->values[value].view_of >= 0) value = recording->values[value].view_of;
    const char *name = recording->values[value].name;
    if (recorded->makers[value] >= 0 || recorded->is_shown[value] || name == NULL) return;
    recorded->is_shown[value] = true;
    const char *group = group_of_given(arena, recording, groups, name);
    const char *point = strrchr(name, '.');
    const char *own = text_safe(arena, point != NULL ? point + 1 : name);
    const int before = namesakes(run, group, own);
    struct excerpt *excerpt = arena_allocate(arena, sizeof *excerpt);
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    *excerpt = (struct excerpt){.text = ""};
    *paragraph = (struct paragraph){
        .file = "recording.py",
        .title = text_safe(arena, name),
        .explanation = group != NULL ? "The numbers of the model, as they were when it ran."
                                     : "These numbers were given to the run.",
        .excerpt_count = 1,
        .excerpts = excerpt,
    };
    const struct step step = {
        .name = before > 0 ? arena_format(arena, "%s (%d)", own, before + 1) : own,
        .group = group,
        .formula = text_safe(arena, name),
        .statement = "",
        .expression = own,
        .paragraph = paragraph,
        .excerpt = excerpt,
        .tensor = recorded->tensors[value],
    };
    recorded->nodes[run->step_count] = -1 - number;
    record_as(run, &step);
}

static void add_operands(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording, const char **groups, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    int64_t operands[MOST_OPERANDS];
    const int count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    for (int i = 0; i < count; i++)
        add_given(run, recorded, recording, groups, operands[i], number);
}

// The step that shows the result of the line which first reads a parameter stands around it.
static int within_of_step(const struct recorded_run *recorded, const struct recording *recording,
                          const int *closers, const struct step *step) {
    const int node = recorded->nodes[step->number - 1];
    if (node >= 0)
        return within_of(recorded, recording, closers, &recording->nodes[node], step->number);
    return step->group != NULL ? recorded->steps[-1 - node] + 1 : 0;
}

void add_steps(struct run *run, struct recorded_run *recorded, const struct recording *recording) {
    struct arena *arena = run->memory;
    const char **groups = groups_of(arena, recording);
    int *closers = arena_array(arena, (size_t)recording->call_count + 1, sizeof *closers);
    for (int i = 0; i < recording->call_count; i++) {
        closers[i] = -1;
        recorded->root_count += recording->calls[i].outer < 0;
    }
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        const char *group = node->in >= 0 ? groups[node->in] : NULL;
        if (node->call != NULL && node->result_count > 0)
            add_operands(run, recorded, recording, groups, i);
        recorded->steps[i] = node->result_count > 0 ? run->step_count : -1;
        if (node->ends >= 0 && node->result_count > 0) closers[node->ends] = i;
        for (int j = 0; j < node->result_count; j++)
            add_step(run, recorded, recording, group, i, j);
    }
    for (int i = 0; i < run->step_count; i++)
        run->steps[i].within = within_of_step(recorded, recording, closers, &run->steps[i]);
}
