"""A gradient says for each number how fast the loss would rise if that number rose a little. One walk from the loss
back to the words finds all of them: each operation turns the gradient of its result into the gradients of its
operands, using numbers of the way forward. Where a tensor was used more than once, its gradients add up. A number
that cannot change the loss, because the mask hid it, ReLU puts 0 in its place or nothing reads it, has a gradient of exactly
0. backward() does the same by itself and gives the same numbers, but for rounding.

New since model: the way back. The way forward is that of lesson 7.

1. (logits_grad) What does each row of the logits' gradient add up to, and why? Answer: To 0. A row is its
probabilities, which add up to 1, minus 1 at the true word, all divided by the number of positions.
2. (embedding_grad) Which row of the embedding has a gradient of 0? Answer: The last one, that of "step": it is a target
but never read.
3. (W_key_bias_grad) Which parameter could have any value without changing the loss? Answer: W_key_bias. It adds the
same number to all scores of a query, and the softmax does not change with that.

Exercises, each with three hints:
- (logits_grad) How far are the model's probabilities from the true words?
  - The loss is a mean over positions. What is the share of each position?
  - It is the difference of two tensors, divided by the number of targets.
- (W_logits_bias_grad) The same bias is added at every position.
  - Is it a sum over the positions or a mean?
  - Flatten sentences and tokens into one dimension. What happens to this dimension?
- (ffn1_grad) ReLU kept the positive numbers and set the others to 0.
  - Which tensor shows where it set a number to 0?
  - Use masked_fill with a comparison of hidden and 0.
- (values_by_head_grad) A value contributed to every token that attended to it.
  - The weights are the factors. Do they belong along rows or columns?
  - It is a product of matrices, with the weights transposed.
- (scores_grad) A score that was hidden cannot change the loss.
  - Use the same mask as on the way forward.
  - Use masked_fill, but not with -torch.inf.
- (keys_by_head_grad) A key was used by every query that sees it.
  - Its gradient adds up down a column of the scores, not along a row.
  - Transpose the gradient of the dot products and multiply it by the queries.
- (embedded_grad) Each row was used in three layers.
  - Does each use get a third of the gradient, or all of it?
  - Add the three tensors just computed.

Your turn:
- (targets) shape
- (queries_by_head) shape
- (loss) shape: The loss is a mean over all positions and sentences. Which shape will it have?
- (logits_grad) line
- (W_logits_bias_grad) line
- (W_ffn2_grad) shape: A gradient has a number for each number of its tensor. Which shape will W_ffn2_grad have?
- (ffn1_grad) line
- (W_out_grad) shape
- (values_by_head_grad) line
- (scores_grad) line
- (keys_by_head_grad) line
- (W_query_grad) shape
- (embedded_grad) line
- (nudged_loss) shape: The loss is computed with the weight a little smaller, and a little larger. Which shape will
nudged_loss have?

You can now: say how the loss changes with any number of a small model, and check a gradient by moving one weight.

Next: a gradient says in which direction to change each number. The next lesson does so again and again.

Gives: embedding_grad
"""

from model import Model

words = text.split()
vocabulary_words = list(dict.fromkeys(words))
ids = torch.tensor([[vocabulary_words.index(word) for word in words]])
torch.manual_seed(123)
model = Model(vocabulary, d_model, d_hidden, num_heads)
logits = model(ids[:, :-1])
loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
loss.backward()
embedding_grad = model.embedding.weight.grad
