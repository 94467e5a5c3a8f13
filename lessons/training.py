"""Training is a loop of three calls: zero_grad, backward, step. SGD goes a small step against the gradient; AdamW
divides a running mean of the gradients by the root of the running mean of their squares, so that a step is about as
long as the learning rate. At the course's parameters the model says its sentence after 200 updates, because attention
looks back where one word has two successors. Without looking back, the loss stays above a price that can be counted
from the pairs of words. Without the mask the loss does not fall below that price either: this model has no positions,
so only the mask tells places apart.

New since gradients: an optimizer and its loop.

1. (loss_before) What does guessing among six words cost, and is the untrained model far from it? Answer: log 6 =
1.7918. The untrained model is at 1.8249, so not far.
2. (weights [0, 1, 8, 0]) Which word does the second "starts" attend to that the first one cannot see? Answer: "with",
the word after the first "starts". Head 2 gives it 0.94.
3. (price_of_not_looking_back) Why is the price of not looking back 0.4 times log 2? Answer: 4 of the 10 places follow a word that has two
successors. Each of them costs log 2, the others nothing: 0.2773 in the mean.

Exercises, each with three hints:
- (sgd: W_query_after) Go against the gradient, not along it.
  - The learning rate lr sets how far the step goes.
  - It is the weight minus its gradient times a number.
- (adamw: first_moment_corrected) The mean started at 0. What part of the gradient is in it by now?
  - It is a tenth after one update. By what must a tenth be divided to give 1?
  - Divide by 1 minus beta to the power of t.
- (price_of_not_looking_back) A share of 1 costs nothing, a share of ½ costs log 2.
  - The loss is the mean of minus the logarithm of each share.
  - share has one number for each position.

Your turn:
- (weights_before) shape
- (W_query_grad) shape: A gradient has a number for each number of its parameter. Which shape will W_query_grad have?
- (sgd: W_query_after) line
- (adamw: first_moment_corrected) line
- (losses) shape: There is a loss before the first update, and one after each. Which shape will losses have?
- (probabilities) shape
- (shared_evenly) shape
- (price_of_not_looking_back) line
- (probabilities_without_mask) shape

Learned: (weights [0]) A loop like this one trained the model of lesson 0, in 2,000 updates on sentences made of 35 words. One
of its heads has learned to find the subject. In its last row, "dogs" takes 0.961 from "cat":

You can now: do one step of SGD and of AdamW by hand, and say what a causal mask is for in training.

Next: your own words. --text takes a sentence; --updates, --lr, --weight-decay and --optimizer set how the model
learns it. --warmup, --cosine and --clip are those of the book's appendix D.

Gives: losses
"""

from model import Model

words = text.split()
vocabulary_words = list(dict.fromkeys(words))
ids = torch.tensor([[vocabulary_words.index(word) for word in words]])
torch.manual_seed(123)
model = Model(vocabulary, d_model, d_hidden, num_heads)
kinds = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam,
         "sgd": torch.optim.SGD,
         "momentum": lambda p, **how: torch.optim.SGD(p, momentum=0.9, **how)}
optimize = kinds[optimizer](model.parameters(), lr=lr, weight_decay=weight_decay)
import math  # {rates}
initial_lr, min_lr, end = lr / 100, lr / 1000, max(updates, warmup + 1)  # {rates}
losses = []
for update in range(updates + 1):
    lr_now = lr  # {rates}
    if cosine:  # {rates}
        progress = (update - warmup) / (end - warmup)  # {rates}
        lr_now = min_lr + (lr - min_lr) * 0.5 * (1 + math.cos(math.pi * progress))  # {rates}
    if update < warmup:  # {rates}
        lr_now = initial_lr + update * ((lr - initial_lr) / warmup)  # {rates}
    for group in optimize.param_groups:  # {rates}
        group["lr"] = lr_now  # {rates}
    logits = model(ids[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    losses.append(loss.item())
    optimize.zero_grad()
    loss.backward()
    if update >= warmup:  # {clip}
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)  # {clip}
    optimize.step()
losses = torch.tensor(losses)
