#ifndef ONESTEP_LESSONS_GRADIENTS_H
#define ONESTEP_LESSONS_GRADIENTS_H

// What the files of lesson 8 hand to each other: gradients.c goes forward, gradients_back.c comes back.

#include "gpt.h"

enum { MOST_PARAMETERS = 17 };

// What the way forward leaves for the way back; and each parameter with the
// gradient that was computed by hand.
struct forward {
    int64_t vocabulary;
    const char *const *words;
    struct tensor ids, read, targets;
    struct tensor embedding, embedded;
    struct layers layers;
    struct tensor queries_by_head, keys_by_head, values_by_head;
    struct tensor dot_products, scores, masked_scores;
    struct tensor mask, weights, context, attention;
    struct tensor ffn1, hidden, feed_forward, logits, probabilities, loss;

    int count;
    const char *names[MOST_PARAMETERS];
    struct tensor parameters[MOST_PARAMETERS], by_hand[MOST_PARAMETERS];
};

// From the loss to every parameter, whose gradients it leaves in by_hand.
void go_back(struct run *run, struct forward *f);

#endif
