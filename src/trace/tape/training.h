#ifndef ONESTEP_TRACE_TAPE_TRAINING_H
#define ONESTEP_TRACE_TAPE_TRAINING_H

// Training: a loss is computed, its gradients, and every parameter moves a little; again and again.
//
//     struct training training = {.run = run, .count = 15, .loss = loss_of, .model = &model};
//     struct trained trained;
//     train(&training, parameters, &trained);
//
// Each update has memory of its own, which is freed when the next but one begins: the first and the last
// stay whole. What an update starts from is a copy that knows only after which update it was so (kept()).
// The three verbs of each update are recorded like all else: zero_grad, the gradients added to it, and the
// step of the optimizer.

#include "trace/run/run.h"

enum { MOST_TRAINED = 17 }; // parameters

struct training {
    struct run *run; // its parameters say how many updates, how far and by which optimizer
    int count;
    // The loss with these parameters. NO_TENSOR among them is a parameter that is not there.
    struct tensor (*loss)(const void *model, const struct tensor *parameters);
    const void *model;
};

struct trained {
    struct tensor losses; // updates + 1: before each update, and after all of them
    struct tensor
        after_one[MOST_TRAINED]; // parameters after the first update; NO_TENSOR without any
    struct tensor parameters[MOST_TRAINED];
    const struct training_state *state; // what the next update would begin with
};

// Where the run continues another one (continue_lesson), only the first update is made, and those that the
// other one did not make. Fails as the operations do.
void train(const struct training *training, const struct tensor *parameters,
           struct trained *trained);

// The norm of each gradient that is there, one behind the other; and what the gradients are multiplied with where `norm`
// is that of all of them: 1, or less if it is larger than `most`. torch.nn.utils.clip_grad_norm_
struct tensor norms_of(int count, const struct tensor *grads);
struct tensor factor_to_clip(struct tensor norm, double most);

#endif
