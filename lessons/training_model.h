#ifndef ONESTEP_LESSONS_TRAINING_MODEL_H
#define ONESTEP_LESSONS_TRAINING_MODEL_H

// The model of lesson 7 as what lesson 9 trains: parameters in a row, and what follows from them.

#include "gpt.h"

// The parameters, in the order in which they are drawn.
enum parameter_place {
    EMBEDDING,
    W_QUERY,
    W_QUERY_BIAS,
    W_KEY,
    W_KEY_BIAS,
    W_VALUE,
    W_VALUE_BIAS,
    W_OUT,
    W_OUT_BIAS,
    W_FFN1,
    W_FFN1_BIAS,
    W_FFN2,
    W_FFN2_BIAS,
    W_LOGITS,
    W_LOGITS_BIAS,
    COUNT
};

// What the model is asked: to read ids, looking where the mask lets it, and to
// say the targets.
struct task {
    struct run *run;
    struct tensor read, targets, mask;
};

// Draws all parameters into p, as lesson 7 does: NO_TENSOR where one head needs no output projection.
void draw_parameters(struct run *run, const struct sentence *sentence,
                     struct tensor *p);

// The attention weights [batch, head, query, key] of embedded tokens [batch, token, d_model], and the logits [batch,
// token, word] that follow from them.
struct tensor weigh(const struct task *t, tensor *p, tensor embedded);
struct tensor conclude(const struct task *t, tensor *p, tensor embedded,
                       tensor weights);

// The logits of what is read; and the loss, as training asks for it: `task` is a struct task.
struct tensor logits_of(const struct task *t, tensor *p);
struct tensor loss_of(const void *task, tensor *p);

// The logits of ids [1, token], as many as the mask has at most.
struct tensor read_so_far(const struct task *t, tensor *p, tensor ids);

// How a next word is drawn: among the top_k most likely ones.
struct choice {
    double temperature;
    int64_t top_k;
};

// The ids [token] that are said, `words` of them: the first `given` ones of `ids` [1, token], then the words that follow, each
// chosen and read in turn. Without a choice (NULL) each is the most likely one.
struct tensor speak(const struct task *t, tensor *p, tensor ids,
                    int64_t given, int64_t words,
                    const struct choice *choice);

// Where rates change, or gradients are clipped, training_rates.c: the rates of all updates, and what clipping makes of the
// gradients of the drawn parameters p.
void rates_and_clipping(struct run *run, const struct task *task,
                        tensor *p);

// The end of lesson 9, training_learned.c: what the trained parameters p make of the ids; and the same training, from
// untrained ones, of a model that sees only itself, and of one that sees all.
void what_it_learned(struct run *run, const struct task *task, tensor *p,
                     tensor ids);
void what_attention_is_for(struct run *run, const struct task *task,
                           tensor *p, tensor ids, int64_t vocabulary);

#endif
