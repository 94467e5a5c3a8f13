"""Three matrices give each token three roles: a query that asks, a key that is found, a value that is handed over.
The matrices are parameters, and training would change them; the weights of attention are computed anew for every
sentence. A sum of d_k products spreads the more the wider the vectors are, and a softmax of wide scores picks one key
and ignores the rest. Dividing the scores by the root of d_k takes that spread away. A linear layer computes the same
from a weight that it keeps turned, as [d_out, d_in].

1. (linear: scores) How large is the score of "journey" as a query and "starts" as a key, and is it that of the roles
exchanged?
2. (linear: weights) Untrained weights are nearly even: about how much does each of six tokens get?
3. (linear: context) The context has two numbers a token where the inputs have three; which matrix decides that?

Next: every token still sees those that come after it. The next lesson hides them.

Gives: linear: context
"""


class SelfAttention(torch.nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)
        return weights @ values


torch.manual_seed(789)
attention = SelfAttention(d_in, d_out, qkv_bias)
context = attention(inputs)
