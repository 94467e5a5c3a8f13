"""A model gives each word of its vocabulary a logit, and the largest logit belongs to the most likely word. Drawing by
probabilities makes texts vary. A temperature below 1 makes likely words likelier, one above 1 makes all words more
alike. Top-k keeps the k largest logits and puts -∞ in the place of the others, so that no unlikely word is drawn.
Cross-entropy is the cost of the word that does come next, and perplexity is e to the power of it.

New: drawing the next word.

1. (temperature 0.1: counts) How often is the second most likely word drawn at a temperature of 0.1, and how often at 1?
Answer: 15 times of 1,000 at 0.1, and 343 times at 1.
2. (kept_probabilities [7]) Before you look: does "toward" have more than 0.3576 once only three words are kept? Answer: Yes:
0.3610. The words that are left out give their share to those that stay.
3. (perplexity) What would the perplexity be if all nine logits were equal? Answer: 9. Each word would cost log 9 = 2.1972.

Exercises, each with three hints:
- (most_likely) The most likely word has the largest logit. Its place is asked for.
  - max gives the largest number; another function gives where it stands.
  - logits.arg...()
- (temperature 1: probabilities) Probabilities add up to 1.
  - The function is the one that makes attention weights of scores.
  - torch.softmax(..., dim=-1), of the logits that were divided.
- (is_below) Compare each logit with the smallest one that is kept.
  - top_logits begins with the largest and ends with the k-th largest.
  - logits < ..., with the last of top_logits
- (kept_logits) The softmax must make 0 of each logit that is below.
  - Which number x has e^x = 0? masked_fill puts it where a mask is True.
  - logits.masked_fill(..., -torch.inf)
- (perplexity) The loss is a logarithm. What undoes a logarithm?
  - It is e to the power of the loss.
  - Tensors have a method for it: loss.e..()

Your turn:
- (most_likely) line
- (temperature 1: probabilities) line
- (temperature 0.1: counts [0]) largest: 1,000 words are drawn at temperature 0.1. Which is drawn most often?
- (by_temperature [2, 0]) largest: At temperature 5 all shares come closer to each other. Which word has the largest?
- (is_below) line
- (kept_probabilities) prints `print(kept_probabilities.sum())`: What does print(kept_probabilities.sum()) print?
- (perplexity) line
- (text_probabilities) shape
- (next_probabilities) shape: Only the last row of logits is needed. Which shape will next_probabilities have?
- (untrained: next_probabilities) shape

You can now: turn logits into text with temperature and top-k, and read a loss as a perplexity.

Next: attention as models run it today. Each of the next eight lessons changes one part of it. The first puts sentences of
different lengths into a batch.

Gives: kept_counts
"""


class Sampler(torch.nn.Module):
    def __init__(self, temperature, top_k):
        super().__init__()
        self.temperature = temperature
        self.top_k = top_k

    def forward(self, logits):
        top_logits = logits.topk(min(self.top_k, len(logits))).values
        kept_logits = logits.masked_fill(logits < top_logits[-1], -torch.inf)
        probabilities = torch.softmax(kept_logits / self.temperature, dim=-1)
        return torch.multinomial(probabilities, 1)


logits = torch.tensor(given_logits, dtype=torch.float32)
sampler = Sampler(1, top_k)
torch.manual_seed(123)
drawn = torch.cat([sampler(logits) for _ in range(samples)])
kept_counts = torch.bincount(drawn, minlength=len(logits))
