#ifndef ONESTEP_SCRIPT_RECORDING_RECORDED_H
#define ONESTEP_SCRIPT_RECORDING_RECORDED_H

// What the files of this room have in common: the run of a recording, while it is made and explained.

#include "script/recording/agreement.h"
#include "tensor/file/recording_read.h"
#include "trace/run/run.h"

enum { MOST_OPERANDS = 64 }; // of an operation that are looked at

struct machine;

// What a result was computed from, as the machine found it out: its storage's origin until then.
struct found_origin {
    struct found_origin *next;
    int node;
    struct storage *storage;
    struct origin before;
};

// Steps that were explained together.
struct explained {
    struct explained *next; // that was explained later
    struct arena *arena;    // of all that their origins need
    struct found_origin *origins;
};

// Of a run, which keeps it for its steps.
struct recorded_run {
    struct tensor *tensors; // of the values
    int *makers;            // node that made each value; -1: it was given
    int *namers;            // node that ends the call whose value it is, and names it; or -1
    int *nodes;             // of the steps; of a given value -1 - the first that reads it
    int *steps;             // of the nodes: the first; -1: none
    bool *is_shown;         // of the values that were given: there is a step
    struct recorded_result *results; // of the nodes
    bool *is_explained;              // of the nodes: their origins are there
    int root_count;                  // calls outside of all others
    struct readers *readers;         // of the values
    struct explained *oldest, *newest, *unused;
    struct arena *memory; // the run's
    bool
        is_lent; // a node is evaluated: its operands lie in the arena of `newest`, where results go
    struct machine *machine; // while steps are explained
    int last;                // step that was asked for
};

// tensors.c: a tensor for each value, with the recorded numbers. Its origin says what the operation was given, until
// its line is evaluated. Dimensions get the meanings, and the words of the tokens, that can be told.
void fill_tensors(struct run *run, struct recorded_run *recorded,
                  const struct recording *recording);

// names.c: what a step is called, among `result` results of a node; and the operation with names in the place of its values.
// operation_of: "softmax" of "torch.softmax(v3, dim=-1)", "matmul" of "v3 @ v4". word_for_value: a parameter's name, a variable, or "v7".
const char *name_of_node(struct arena *arena, const struct recorded_run *recorded,
                         const struct recording *recording, const struct recorded_node *node,
                         int result);
const char *operation_of(struct arena *arena, const char *call);
const char *word_for_value(struct arena *arena, const struct recorded_run *recorded,
                           const struct recording *recording, int64_t value);
const char *call_in_names(struct arena *arena, const struct recorded_run *recorded,
                          const struct recording *recording, const char *call);

// paragraphs.c: the line of a node, its place, and the sentences beside it. Each step has a paragraph of its own, so
// that its explanation can still change. last_name: a path's last part.
struct paragraph *paragraph_of_node(struct arena *arena, const struct recorded_run *recorded,
                                    const struct recording *recording,
                                    const struct recorded_node *node);
const char *explanation_of(struct arena *arena, struct recorded_run *recorded,
                           const struct recording *recording, int number);
const char *last_name(struct arena *arena, const char *path);

// steps.c: the steps of all nodes, and of what was given before the first node that reads it.
void add_steps(struct run *run, struct recorded_run *recorded, const struct recording *recording);

// evaluation.c: evaluates the line of a node, whose result says where the recorded numbers came from: so far as `newest` of
// `recorded` is there, in whose arena it is computed. So is the machine.
void evaluate_node(struct recorded_run *recorded, const struct recording *recording, int number);
// After an evaluation that a failure ended.
void end_lending(struct recorded_run *recorded, const struct recording *recording);

// gradients.c: a gradient is computed again from the recorded gradients of what was computed from the value, and by the lines that
// did. The program that gives it in "g", with the results of those lines in "y0", "y1", ...
struct readers; // which nodes read each value
struct readers *readers_of(struct arena *arena, const struct recording *recording);
// Is it the loss, whose gradient is computed from no other?
bool begins_way_back(struct recorded_run *recorded, const struct recording *recording,
                     int64_t value);
bool has_one_way_back(struct recorded_run *recorded, const struct recording *recording);
struct gradient_way {
    int operand_count;
    const int64_t *operands; // values that the program reads
    int uses;                // lines that read the value; 0: the loss
    const char *why;         // it cannot be computed; or NULL
};
const char *gradient_program(struct recorded_run *recorded, const struct recording *recording,
                             int number, struct gradient_way *way);

// A new machine on which torch is imported; machine_free frees it.
struct machine *machine_for(struct arena *arena);

#endif
