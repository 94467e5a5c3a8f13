"""Sentences of different lengths share a batch once the shorter ones are filled up with padding. A mask that comes from
the lengths hides the keys that are padding, so whole columns of scores become -∞. The rows of padding keep weights,
which nobody reads. With padding in front and a causal mask, some rows see no key at all, and their softmax is nan. Zeros after the softmax repair them, and the
most negative float in place of -∞ gives equal weights.

New since causal: a mask that hides keys by their sentence's length.

1. (weights) Which weights does a row of padding have in the second sentence, and why are they not 0? Answer: 0.5000 for
each of the two tokens. The mask hides keys, not queries.
2. (left: weights) How many rows of the second sentence are nan, and why? Answer: 4 rows. Each sees only padding, so all
its scores are -∞.
3. (weights_unmasked) How much weight does "one", the first token of the second sentence, give to padding without a mask?
Answer: 0.6593, nearly two thirds.

Exercises, each with three hints:
- (scores) Each query of a sentence is compared with each key of that sentence.
  - One matrix product for each sentence; swap tokens and features of the keys.
  - queries @ ..., with the last two dimensions of the keys swapped.
- (weights) Padding is hidden already: what turns scores into weights?
  - Divide by the root of a key's width, then take the softmax over the keys.
  - torch.softmax(masked_scores / ..., dim=-1)
- (context) Each row of weights mixes the rows of one tensor.
  - A matrix product of weights and values.
  - weights @ ...
- (left: weights_repaired) Some rows of weights are nan. What should a row that sees nothing give?
  - Put 0 into the rows of weights for which hidden_rows is True.
  - weights.masked_fill(..., ...)

Your turn:
- (scores) line
- (weights) line
- (context_alone) shape: Now the shortest sentence is read alone. Which shape will its context vectors have?
- (left: mask) shape
- (left: weights_repaired) line
- (left: targets) prints `print((targets == -100).sum())`: Padding has no target, and no token follows the last one.
What does print((targets == -100).sum()) print?
- (left: W_query_grad) prints `print(W_query_grad.isnan().any())`: Some weights are nan here, and nothing repairs
them. But masked_fill passes no gradient back where it hid a score. What does print(W_query_grad.isnan().any()) print?

You can now: mask sentences of different lengths, and say where nan comes from and which repair keeps the gradients.

Next: in the next lesson one sentence asks and another answers, and the two need not be of the same length.

Gives: context
"""


class PaddedAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x, key_padding_mask):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.transpose(1, 2)
        scores = scores.masked_fill(key_padding_mask.unsqueeze(1), -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(789)
attention = PaddedAttention(d_in, d_out, qkv_bias)
sentences = [inputs[-length:] for length in lengths]
batch = torch.nn.utils.rnn.pad_sequence(sentences, batch_first=True)
places = torch.arange(batch.shape[1])
key_padding_mask = places >= torch.tensor(lengths).unsqueeze(1)
context = attention(batch, key_padding_mask)
