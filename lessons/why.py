"""A model that sees only the last word cannot know the subject: after "dogs" it prefers verbs in the plural. Attention lets the row of a
word take numbers from the rows before it. Its weights say how much from which. In "the cat near the dogs" one head gives
most of its weight to the subject. The model knows the number of the verb in all of 216 such sentences with a singular and a
plural noun; without this head it errs in 54 of them.

1. (last_together) Which has more after "dogs" alone, the singular or the plural? Answer: The plural: 0.4786, and the
singular has 0.0001.
2. (weights [0, 4, 1]) Which word has the largest weight in the last row of head 1, and how much? Answer: "cat" has 0.9608.
3. (off_together) What have singular and plural without this head? Answer: The singular has 0.0109 and the plural 0.9865, so
the verb agrees with the wrong noun.

Exercises, each with three hints:
- (last_together) Add up the probabilities of each column.
  - The rows are verbs, and the sum runs along the rows.
  - last_verbs.sum(dim=...)
- (verb_probabilities) The probabilities of all words are there; those of the verbs are asked for.
  - verbs has the place of each form of each verb.
  - probabilities[...]
- (together) Add up the probabilities of each column once more.
  - The sum runs along the first dimension.
  - verb_probabilities.sum(...)

Your turn:
- (last_verbs [0, 0]) largest: Which form of this verb is more likely after the last word alone?
- (weights [0, 4, 0]) largest: Which word gets the largest weight of "dogs" in head 1?
- (verb_probabilities [0, 0]) largest: Which form is more likely after the whole sentence?
- (off_verbs [0, 0]) largest: Which form is more likely without the head that is off?

Next: how such a weight comes about is lesson 1. It computes weights of attention from the rows of a sentence, one number
at a time.

Gives: probabilities
"""


class GPT(torch.nn.Module):
    def forward(self, ids):
        x = parameters["token_table.weight"][ids]
        x = x + parameters["position_table.weight"][:len(ids)]
        for block in (1, 2):
            x = through(block, x)
        logits = layer("head", norm("norm", x))
        return torch.softmax(logits[-1], dim=-1)


model = GPT()
ids = torch.tensor([words.index(word) for word in sentence.split()])
probabilities = model(ids)
