#ifndef ONESTEP_TRACE_RUN_PARAMETERS_H
#define ONESTEP_TRACE_RUN_PARAMETERS_H

// The parameters of a lesson: one struct that lessons read, and one table (parameter_rows.h) that says of each
// what it is called, what values it takes and how it is explained. The command line, its help, the manual,
// completions, the JSON, links and the walker's panel all come from that table.

#include "tensor/origin.h"
#include "tensor/tensor.h"

// The most that they may be.
enum {
    MOST_HEADS = 1024,
    MOST_SENTENCES = 4,
    MOST_WORDS = 64,
    MOST_UPDATES = 2000,
    MOST_RATE = 10,
    MOST_BASE = 1000000000
};

enum optimizer { ADAMW, SGD, ADAM, MOMENTUM };

struct parameters {
    uint64_t given;       // USES_ bits of those that the user chose; the rest are the lesson's own
    const char *input;    // name of the input file
    struct tensor inputs; // what it holds (tokens, features)
    int other_count;      // further files, each another sentence of a batch
    const char *other_input[MOST_SENTENCES - 1];
    struct tensor other_inputs[MOST_SENTENCES - 1]; // of the same shape
    uint64_t seed;                                  // replaces every seed that the lesson sets
    uint64_t dropout_seed;                          // replaces the seed before each mask
    bool no_dropout_seed;   // masks continue the random stream after the layers
    int64_t d_out;          // width of queries, keys and values; of one head in the wrapper
    int64_t heads;          //
    int64_t groups;         // of heads that share keys and values
    const char *lengths;    // list (list.h): tokens of each sentence of a padded batch
    const char *target;     // the tokens that ask, blanks between; NULL: those of the lesson
    int64_t prefill;        // tokens that are read at once before the others come one by one
    int64_t window;         // tokens that a token sees, itself counted
    double base;            // of the angles that queries and keys are turned by
    bool qk_norm;           // queries and keys are normalized before they turn
    int64_t shift;          // how many positions later the same tokens stand
    int64_t tile;           // keys that are read at a time
    int64_t latent;         // width of what keys and values are made from
    double dropout;         // probability
    enum bernoulli stream;  // of dropout masks
    bool bias;              // in the query, key and value projections
    const char *query;      // token or row number
    int64_t context_length; // size of the causal mask, in tokens
    int64_t batch;          // copies of the input; 0: no batch
    bool eval;              // evaluation mode
    const char *text;       // what a model reads: words with blanks between them
    const char *sentence;   // a beginning, of words that the lesson's model has learned
    int64_t updates;        // of a training
    enum optimizer optimizer;
    double lr;           // learning rate
    double weight_decay; // read it by weight_decay_of() or decay_of_adamw()
    int64_t warmup;      // updates in which the learning rate grows
    bool cosine;         // it falls after them
    double clip;         // largest norm of all gradients; 0: any
    int64_t d_model;     // width of a model's vectors
    int64_t hidden;      // width of its feed-forward block
    int64_t vocabulary;  // words in the vocabulary; 0: those of the text
    int64_t layers;      // blocks of a model
    const char *ids;     // lists (list.h): of token ids, one for each sentence
    const char *logits;
    const char *temperatures;
    int64_t top_k;      // how many of the largest logits are kept
    int64_t samples;    // how many tokens are drawn
    int64_t new_tokens; // how many are generated behind the ids
    const char *off;    // list (list.h): blocks and heads that are switched off
    int64_t turn;       // of a program's loops, which is shown beside the first and the last two
};

// How JSON and Python write a value. FORM_NUMBERS is a list as list_json() writes it.
enum value_form { FORM_NUMBER, FORM_WORDS, FORM_SWITCH, FORM_NUMBERS };

// A number of a run that limits a parameter.
enum whole {
    WHOLE_NONE,
    WHOLE_TOKENS, // of the input
    WHOLE_HEADS,
    WHOLE_WIDTH, // of all heads together, where they divide it
};

struct parameter;

// A kind of value: all that differs between parameters, and is no matter of their fields or words.
struct parameter_kind {
    // Reads a value into its field; false if it is none.
    bool (*read)(struct parameters *parameters, const struct parameter *parameter,
                 const char *value);
    const char *(*text)(struct arena *arena, const struct parameters *parameters,
                        const struct parameter *parameter);
    // "a whole number, 1 ... 16"; NULL: any text is read.
    const char *(*possible)(struct arena *arena, const struct parameter *parameter);
    // The value that follows one (by 1) or is before it (by -1); NULL: values have no order.
    const char *(*next)(struct arena *arena, const struct parameter *parameter, const char *value,
                        int by);
    enum value_form form;
    // What stands between the values of an option that is given several times; NULL: the last one counts.
    const char *separator;
};
extern const struct parameter_kind size_kind, count_kind, seed_kind, mask_seed_kind,
    probability_kind, rate_kind, decay_kind, clip_kind, base_kind, choice_kind, switch_kind,
    token_kind, text_kind, file_kind;
extern const struct parameter_kind ids_kind, logits_kind, temperatures_kind, off_kind,
    lengths_kind; // list.c

enum { PARAMETER_CHOICES = 6 };

struct parameter {
    uint64_t bit;
    const char *name;   // in JSON and on screen: "d_out"
    const char *option; // on the command line: "--d-out"
    const char *python; // in the statements: "d_out"; NULL: they do not use it
    const char *value;  // the name of its value in the help; NULL for a switch
    const struct parameter_kind *kind;
    size_t offset, size;                    // of its fields in struct parameters
    const char *choices[PARAMETER_CHOICES]; // choice_kind: its values, in the order of their enum
    int64_t most;                           // size_kind: 1 ... most; count_kind: 0 ... most
    int64_t walked;     // the largest in the walker, where a run must be immediate
    enum whole divides; // of size_kind: it must divide this,
    bool or_is_1;       // and the lesson's own value is 1 where it does not;
    enum whole most_is; // or it is at most this,
    int64_t leaves;     // of which the lesson's own value leaves so many
    // What is said of a larger one, # being its value: "a window of # is wider than the sentence".
    const char *beyond;
    const char *unset; // what stands for its value where a lesson has several of its own, or NULL
    const char *help;  // one line
    const char *more;  // further sentences for the manual, or NULL
};

// PARAMETER_D_OUT is the number of a row, USES_D_OUT its bit. A lesson lists those it has a use for.
#define ROW(BIT, ...) PARAMETER_##BIT,
enum {
#include "trace/run/parameter_rows.h"
    PARAMETER_COUNT
};
#undef ROW
#define ROW(BIT, ...) USES_##BIT = UINT64_C(1) << PARAMETER_##BIT,
enum {
#include "trace/run/parameter_rows.h"
};
#undef ROW

extern const struct parameter parameter_table[PARAMETER_COUNT];

// The row of the table for an option ("--d-out"), or for a bit; NULL if there is none.
const struct parameter *parameter_by_option(const char *option);
const struct parameter *parameter_by_bit(uint64_t bit);

// Reads a value and notes that it was given. Returns false and leaves the parameters unchanged if the value
// is not possible. Files and tokens are any text here: whether the file or token exists is checked later. A
// switch ignores `value` and turns on.
bool set_parameter(struct parameters *parameters, const struct parameter *parameter,
                   const char *value);

// Is it a switch, which is turned on without a value? Is it a file, which neither links nor the walker have?
bool is_switch(const struct parameter *parameter);
bool is_file(const struct parameter *parameter);

// The same row for the walker, which shows smaller matrices than are printed.
struct parameter parameter_walked(const struct parameter *parameter);

// Was this parameter given, with a value too large for the walker?
bool is_beyond_walker(const struct parameters *parameters, const struct parameter *parameter);

// "a whole number, 1 ... 16": the possible values, for a message.
const char *possible_values(struct arena *arena, const struct parameter *parameter);

// The weight decay of the optimizer that was chosen: the one given, else PyTorch's own for this optimizer. And that of
// AdamW, which is shown beside another optimizer as well, and has PyTorch's own there.
double weight_decay_of(const struct parameters *parameters);
double decay_of_adamw(const struct parameters *parameters);

// The value as text ("2", "0.5", "mt19937", "yes", "no").
const char *parameter_text(struct arena *arena, const struct parameters *parameters,
                           const struct parameter *parameter);

// `defaults`, with the parameters that were given in `chosen` and are in `uses`.
struct parameters overlaid(const struct parameters *defaults, const struct parameters *chosen,
                           uint64_t uses);

#endif
