#ifndef ONESTEP_TRACE_PARAMETERS_H
#define ONESTEP_TRACE_PARAMETERS_H

// The parameters of a lesson: one struct that lessons read, and one table that says of each what it is
// called, what values it takes and how it is explained. The command line, its help, the JSON and the
// walker's panel all come from that table.

#include "tensor/origin.h"
#include "tensor/tensor.h"

// One bit a parameter. A lesson lists those it has a use for.
enum parameter_bit {
    USES_INPUT = 1 << 0,
    USES_SEED = 1 << 1,
    USES_DROPOUT_SEED = 1 << 2,
    USES_D_OUT = 1 << 3,
    USES_HEADS = 1 << 4,
    USES_DROPOUT = 1 << 5,
    USES_BERNOULLI = 1 << 6,
    USES_BIAS = 1 << 7,
    USES_QUERY = 1 << 8,
    USES_CONTEXT_LENGTH = 1 << 9,
    USES_BATCH = 1 << 10,
    USES_EVAL = 1 << 11,
    USES_TEXT = 1 << 12,
    USES_UPDATES = 1 << 13,
    USES_OPTIMIZER = 1 << 14,
    USES_LR = 1 << 15,
    USES_D_MODEL = 1 << 16,
    USES_HIDDEN = 1 << 17,
    USES_VOCABULARY = 1 << 18,
};

// The most that they may be.
enum {
    MOST_HEADS = 1024,
    MOST_SENTENCES = 4,
    MOST_WORDS = 64,
    MOST_UPDATES = 2000,
    MOST_RATE = 10
};

enum optimizer { ADAMW, SGD };

struct parameters {
    unsigned given;       // USES_ bits of those that the user chose; the rest are the lesson's own
    const char *input;    // name of the input file
    struct tensor inputs; // what it holds (tokens, features)
    int other_count;      // further files, each another sentence of a batch
    const char *other_input[MOST_SENTENCES - 1];
    struct tensor other_inputs[MOST_SENTENCES - 1]; // of the same shape
    uint64_t seed;                                  // in place of every seed that the lesson sets
    uint64_t dropout_seed;                          // in place of the seed before each mask
    bool no_dropout_seed;                           // masks go on behind the layers
    int64_t d_out;          // width of queries, keys and values; of one head in the wrapper
    int64_t heads;          //
    double dropout;         // probability
    enum bernoulli stream;  // of dropout masks
    bool bias;              // in the query, key and value projections
    const char *query;      // token or row number
    int64_t context_length; // tokens that the mask is made for
    int64_t batch;          // copies of the input; 0: no batch
    bool eval;              // evaluation mode
    const char *text;       // what a model reads: words with blanks between them
    int64_t updates;        // of a training
    enum optimizer optimizer;
    double lr;          // learning rate
    int64_t d_model;    // width of a model's vectors
    int64_t hidden;     // width of its feed-forward block
    int64_t vocabulary; // words that it knows; 0: those of its text
};

enum parameter_kind {
    IS_COUNT,
    IS_COUNT_FROM_0,
    IS_SEED,
    IS_SEED_OR_NONE,
    IS_PROBABILITY,
    IS_RATE,
    IS_STREAM,
    IS_OPTIMIZER,
    IS_SWITCH,
    IS_TOKEN,
    IS_TEXT,
    IS_FILE,
};

struct parameter {
    unsigned bit;
    const char *name;   // in JSON and on screen: "d_out"
    const char *option; // on the command line: "--d-out"
    const char *python; // in the statements: "d_out"; NULL: they do not speak of it
    const char *value;  // what help calls its value, NULL for a switch
    enum parameter_kind kind;
    size_t place;     // of the field in struct parameters
    int64_t most;     // IS_COUNT: 1 ... most; IS_COUNT_FROM_0: 0 ... most
    int64_t walked;   // the most in the walker, where a run is to take no longer than a blink
    const char *help; // one line
};

enum { PARAMETER_COUNT = 19 };
extern const struct parameter parameter_table[PARAMETER_COUNT];

// The row of the table for an option ("--d-out"), or for a bit; NULL if there is none.
const struct parameter *parameter_by_option(const char *option);
const struct parameter *parameter_by_bit(unsigned bit);

// Reads a value and notes that it was given. Returns false and leaves the parameters as they were if
// it is none of the possible ones. IS_FILE and IS_TOKEN take any text here: whether there is such a
// file or token is seen later. IS_SWITCH ignores `value` and turns on.
bool set_parameter(struct parameters *parameters, const struct parameter *parameter,
                   const char *value);

// The same row for the walker, which shows smaller matrices than are printed.
struct parameter parameter_walked(const struct parameter *parameter);

// Is what was given of it too large for the walker?
bool is_beyond_walker(const struct parameters *parameters, const struct parameter *parameter);

// "a whole number, 1 ... 16": the values that there are, for a message.
const char *possible_values(struct arena *arena, const struct parameter *parameter);

// The value as text ("2", "0.5", "mt19937", "yes", "no").
const char *parameter_text(struct arena *arena, const struct parameters *parameters,
                           const struct parameter *parameter);

// `own` with those of `chosen` that were given put in place, but for those outside of `uses`.
struct parameters overlaid(const struct parameters *own, const struct parameters *chosen,
                           unsigned uses);

#endif
