"""A model reads ids of words, and each id selects a row of a table. A lookup gives the same numbers as a product with
one-hot rows, but it is faster. A second table has a row for each position, because attention alone does not know in
which order the rows stand. The sum of the two rows is what the first block of a GPT reads. For training, a window slides
over the text, and the targets are the same windows one word later.

New: positions.

1. (token_embeddings [0, 0]) The first id is 2. Which number stands first in its row of token_embeddings? Answer: 1.2753, copied from
row 2 of the table, counted from 0.
2. (one_word_everywhere) How many rows of one_word_everywhere differ only by their position? Answer: All 4. A word has the same
row of the token table at every place.
3. (window_targets) The text has 11 words. How many windows of 4 ids have a target for every id? Answer: 7. The last window
ends at the tenth word, because the eleventh must still be a target.

Exercises, each with three hints:
- (token_embeddings) Each id selects a row of the table.
  - An Embedding is called with ids, as a layer is called with inputs.
  - token_table(...), with the ids of this text.
- (by_product) Multiply the one-hot rows by the table.
  - The table's numbers are token_table.weight; @ multiplies matrices.
  - one_hot_rows @ ...
- (position_embeddings) The positions are 0, 1, 2, ...; each selects a row of the second table.
  - torch.arange(n) counts from 0 to n - 1; input_ids.shape[-1] is how many ids there are.
  - position_table(torch.arange(...))
- (input_embeddings) Each token has a row for its word and a row for its position.
  - Both are equally wide. They are put together number by number.
  - token_embeddings + ...

Your turn:
- (token_embeddings) line
- (one_hot_rows) shape: Each id becomes a row with a place for every word of the vocabulary. Which shape will
one_hot_rows have?
- (by_product) line
- (position_embeddings) line
- (input_embeddings) line
- (window_targets [0, 0]) number: Which id is the first target of the first window?

You can now: look up the rows of words and positions, and cut a text into inputs and targets.

Next: what these rows go through. A block of GPT normalizes them, lets them attend, and adds what it finds to them.

Gives: input_embeddings
"""


class Embeddings(torch.nn.Module):
    def __init__(self, vocabulary, context_length, d_model):
        super().__init__()
        self.token_table = torch.nn.Embedding(vocabulary, d_model)
        self.position_table = torch.nn.Embedding(context_length, d_model)

    def forward(self, ids):
        positions = torch.arange(ids.shape[-1])
        return self.token_table(ids) + self.position_table(positions)


input_ids = torch.tensor(token_ids)
torch.manual_seed(123)
embeddings = Embeddings(vocabulary, context_length, d_model)
input_embeddings = embeddings(input_ids)
