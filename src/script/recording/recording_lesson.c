#include "script/recording/recording_lesson.h"

#include <string.h>

#include "base/text.h"
#include "script/machine.h"
#include "script/recording/recorded.h"

enum {
    MOST_AT_ONCE =
        1 << 21, // numbers of a recording whose steps are all explained when it is opened
    MOST_EXPLAINED = 1 << 24, // bytes of what is kept of the steps that were shown
    TITLE_COLUMNS = 60
};

struct recording_lesson {
    struct lesson lesson; // first
    struct source source;
    struct recording recording;
};

static void free_machine(void *context) {
    machine_free(context);
}

// ---- Explaining a step ------------------------------------------------------------------------------

static struct recorded_run *recorded_run_of(const struct run *run);

// Is it an operation, or a gradient?
static bool is_computed(const struct recorded_node *node) {
    return node->call != NULL || (node->gradient_of >= 0 && node->result_count == 1);
}

static bool is_known(const struct recorded_run *recorded, int node) {
    return recorded->is_explained[node] || recorded->results[node].agreement != NOT_COMPARED;
}

static void say_what_came(struct run *run, struct recorded_run *recorded,
                          const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    for (int j = 0; j < node->result_count; j++) {
        struct step *step = &run->steps[recorded->steps[number] + j];
        struct paragraph *paragraph = (struct paragraph *)(uintptr_t)step->paragraph;
        paragraph->explanation = explanation_of(run->memory, recorded, recording, number);
        step->tensor.view = recorded->tensors[node->results[j]].view;
    }
}

static void explain_node(struct run *run, struct recorded_run *recorded,
                         const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    struct recorded_result *result = &recorded->results[number];
    if (!is_computed(node) || node->result_count == 0 || recorded->is_explained[number]) return;
    const bool was_known = is_known(recorded, number);
    evaluate_node(recorded, recording, number);
    recorded->is_explained[number] = true;
    if (was_known) return;
    if (result->why != NULL) result->why = arena_copy(run->memory, result->why);
    say_what_came(run, recorded, recording, number);
}

// The node that computed what a step shows, which may be a view of an earlier result.
static int node_behind(const struct recorded_run *recorded, const struct recording *recording,
                       int64_t value) {
    if (recording->values[value].view_of >= 0) value = recording->values[value].view_of;
    return recorded->makers[value];
}

// Room for what the next steps' origins need.
static void begin_explaining(struct run *run, struct recorded_run *recorded) {
    struct explained *explained = recorded->unused;
    if (explained == NULL) {
        explained = arena_allocate(run->memory, sizeof *explained);
        explained->arena = arena_child(run->memory);
    } else {
        recorded->unused = explained->next;
    }
    explained->next = NULL;
    explained->origins = NULL;
    if (recorded->newest != NULL) recorded->newest->next = explained;
    if (recorded->oldest == NULL) recorded->oldest = explained;
    recorded->newest = explained;
}

static void explain_some(struct run *run, int first, int last) {
    struct recorded_run *recorded = recorded_run_of(run);
    const struct recording *recording = recording_of(run->lesson);
    struct cleanup cleanup;
    end_lending(recorded, recording);
    begin_explaining(run, recorded);
    recorded->machine = machine_for(recorded->newest->arena);
    cleanup_open(&cleanup, run->memory->failure, free_machine, recorded->machine);
    for (int i = first; i <= last; i++) {
        if (recorded->nodes[i] < 0) continue;
        const struct recorded_node *node = &recording->nodes[recorded->nodes[i]];
        for (int j = 0; j < node->result_count; j++) {
            const int behind = node_behind(recorded, recording, node->results[j]);
            if (behind >= 0) explain_node(run, recorded, recording, behind);
        }
        explain_node(run, recorded, recording, recorded->nodes[i]);
    }
    cleanup_close(&cleanup);
    recorded->machine = NULL;
}

static bool is_step_explained(const struct recorded_run *recorded,
                              const struct recording *recording, int step) {
    const int number = recorded->nodes[step];
    if (number < 0) return true;
    const struct recorded_node *node = &recording->nodes[number];
    const int behind = node_behind(recorded, recording, node->results[0]);
    return (!is_computed(node) || recorded->is_explained[number]) &&
           (behind < 0 || !is_computed(&recording->nodes[behind]) ||
            recorded->is_explained[behind]);
}

// The bytes of the files that were read are given back.
static void rest(const struct recording *recording) {
    if (recording->rest != NULL) recording->rest();
}

static void explain_if_needed(struct run *run, int step) {
    const struct recording *recording = recording_of(run->lesson);
    if (is_step_explained(recorded_run_of(run), recording, step)) return;
    explain_some(run, step, step);
    rest(recording);
}

static void explain(struct run *run, int step) {
    struct recorded_run *recorded = recorded_run_of(run);
    if (step != recorded->last) rest(recording_of(run->lesson));
    recorded->last = step;
    explain_if_needed(run, step);
}

static void explain_storage(struct run *run, const struct storage *numbers) {
    const struct recorded_run *recorded = recorded_run_of(run);
    const struct recording *recording = recording_of(run->lesson);
    int value = 0;
    while (value < recording->value_count && recorded->tensors[value].storage != numbers) value++;
    if (value == recording->value_count) return; // in the middle of an operation
    const int node = node_behind(recorded, recording, value);
    if (node >= 0 && recorded->steps[node] >= 0) explain_if_needed(run, recorded->steps[node]);
}

// The origins are again those that were known before.
static void forget(struct recorded_run *recorded) {
    struct explained *explained = recorded->oldest;
    for (struct found_origin *at = explained->origins; at != NULL; at = at->next) {
        *(struct origin *)(uintptr_t)at->storage->origin = at->before;
        recorded->is_explained[at->node] = false;
    }
    arena_free(explained->arena);
    recorded->oldest = explained->next;
    explained->next = recorded->unused;
    recorded->unused = explained;
}

static bool forget_some(struct run *run) {
    struct recorded_run *recorded = recorded_run_of(run);
    size_t used = 0;
    bool has_forgotten = false;
    for (struct explained *at = recorded->oldest; at != NULL; at = at->next)
        used += at->arena->used;
    while (used > MOST_EXPLAINED && recorded->oldest != recorded->newest) {
        used -= recorded->oldest->arena->used;
        forget(recorded);
        has_forgotten = true;
    }
    return has_forgotten;
}

struct recorded_result recorded_result(struct run *run, int step) {
    const struct recorded_run *recorded = recorded_run_of(run);
    const int node = recorded->nodes[step];
    if (node < 0) return (struct recorded_result){.agreement = NOT_COMPARED};
    if (!is_known(recorded, node)) explain(run, step);
    return recorded->results[node];
}

// ---- The lesson --------------------------------------------------------------------------------------

static int64_t numbers_of(const struct recording *recording) {
    int64_t count = 0;
    for (int i = 0; i < recording->value_count; i++)
        if (recording->values[i].view_of < 0) count += count_of(recording->values[i].shape);
    return count;
}

static int results_of(const struct recording *recording) {
    int count = 0;
    for (int i = 0; i < recording->node_count; i++) count += recording->nodes[i].result_count;
    return count;
}

static void teach_recording(struct run *run) {
    struct arena *arena = run->memory;
    const struct recording *recording = recording_of(run->lesson);
    const size_t values = (size_t)recording->value_count, nodes = (size_t)recording->node_count;
    const int results = results_of(recording);
    struct recorded_run *recorded = arena_allocate(arena, sizeof *recorded);
    recorded->tensors = arena_array(arena, values + 1, sizeof *recorded->tensors);
    recorded->makers = arena_array(arena, values + 1, sizeof *recorded->makers);
    recorded->namers = arena_array(arena, values + 1, sizeof *recorded->namers);
    recorded->is_shown = arena_array(arena, values + 1, sizeof *recorded->is_shown);
    recorded->nodes = arena_array(arena, (size_t)results + values + 1, sizeof *recorded->nodes);
    recorded->steps = arena_array(arena, nodes + 1, sizeof *recorded->steps);
    recorded->results = arena_array(arena, nodes + 1, sizeof *recorded->results);
    recorded->is_explained = arena_array(arena, nodes + 1, sizeof *recorded->is_explained);
    recorded->memory = arena;
    recorded->readers = readers_of(arena, recording);
    run->recorded = recorded;
    fill_tensors(run, recorded, recording);
    add_steps(run, recorded, recording);
    if (run->step_count == 0)
        fail(arena->failure, FAIL_INPUT, "%s has no operation with a result, so there is no step",
             recording->reading.name);
    if (run->lesson->is_explained_at_once) explain_some(run, 0, run->step_count - 1);
}

static struct recorded_run *recorded_run_of(const struct run *run) {
    return run->recorded;
}

const struct recording *recording_of(const struct lesson *lesson) {
    return lesson != NULL && lesson->teach == teach_recording
               ? &((const struct recording_lesson *)lesson)->recording
               : NULL;
}

const struct lesson *recording_lesson_new(struct arena *arena, const char *file,
                                          const struct recording *recording) {
    struct recording_lesson *lesson = arena_allocate(arena, sizeof *lesson);
    const char *name = last_name(arena, file), *dot = strrchr(name, '.');
    const size_t stem = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    lesson->recording = *recording;
    lesson->lesson = (struct lesson){
        .name = arena_copy_bytes(arena, name, stem),
        .part = PART_OF_READER,
        .title = text_cut(arena, name, TITLE_COLUMNS),
        .summary = *recording->made_by != '\0'
                       ? arena_format(arena, "A run of a model, recorded by %s.",
                                      text_safe(arena, recording->made_by))
                       : "A run of a model, recorded.",
        .teach = teach_recording,
        .explain = explain,
        .explain_numbers = explain_storage,
        .is_explained_at_once = numbers_of(recording) <= MOST_AT_ONCE,
        .forget_some = forget_some,
        .source = &lesson->source,
    };
    return &lesson->lesson;
}
