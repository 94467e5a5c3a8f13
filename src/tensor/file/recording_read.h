#ifndef ONESTEP_TENSOR_FILE_RECORDING_READ_H
#define ONESTEP_TENSOR_FILE_RECORDING_READ_H

// A recording: one run of a model, operation by operation, with the numbers. python/RECORDING.md explains the file. What is
// read here is what the file says, checked: numbers of values, nodes and calls are those of rows that are there, a view lies within what it
// shows, a node reads nothing that a later node makes.

#include "tensor/file/dump_read.h"

// Value number k, "vk" in the lines of the nodes.
struct recorded_value {
    const char *name;                // of a parameter, a buffer or a variable; NULL: a node made it
    const struct element_type *type; // of the numbers in the run
    struct shape shape;
    struct elements elements; // as they are stored; bytes NULL: a view, or they were left out
    int64_t view_of;          // -1: no view
    int64_t stride[MAX_DIMS], offset; // of a view
};

// A call of a module that is not PyTorch's own.
struct recorded_call {
    const char *module, *class;
    int64_t outer; // the call around it; -1: none
};

struct recorded_node {
    const char
        *call; // the operation as Python; NULL: it ends a call, or says what became of a value
    int result_count;
    int64_t *results;
    int64_t in;                                    // the call that it ran in; -1: none
    const char *module;                            // of the innermost module around it; NULL: none
    int64_t file, line;                            // of the user's code; file -1: it is not known
    const char *variable, *expression;             // NULL: not known
    int64_t writes, ends, changed_by, gradient_of; // -1: it does not
    const char *autocast; // "bfloat16": what its operands were cast to; or NULL
    const char *raised;   // what ended the run here; or NULL
};

struct recorded_file {
    const char *name, *text;
};

struct recording {
    struct reading reading; // of the file, for messages
    const char *made_by;
    int value_count, call_count, node_count, file_count, token_count;
    struct recorded_value *values;
    struct recorded_call *calls;
    struct recorded_node *nodes;
    struct recorded_file *files;
    const char **tokens; // of all sentences, one after the other
    int sentence_count;  // each has as many tokens; 1 without a batch
    void (*rest)(
        void); // gives back the memory of the files' bytes until they are read again; or NULL
};

// Reads a file beside the recording that it names: its bytes, which stay. Fails with FAIL_INPUT if it can't.
struct beside {
    const char *(*read)(void *context, const char *path, size_t *length);
    void *context;
    void (*rest)(void); // as in struct recording
};

// Is it a file of the form safetensors whose header says that it is a recording?
bool is_recording(const struct reading *reading);

// The recording in a file for which is_recording() holds; the bytes stay. Fails with FAIL_INPUT and "NAME: what is wrong".
struct recording recording_read(const struct reading *reading, const struct beside *beside);

// The operands of a line of Python: writes the numbers of the values that it names, each once, at most `most`, and returns how
// many there are. A number that is no value's is left out.
int operands_of_call(const char *call, int64_t value_count, int64_t *values, int most);

// The place of `k` in "vk" at the start of a text; -1: no value's name stands there. *length: bytes of the name.
int64_t value_named_at(const char *text, size_t *length);

#endif
