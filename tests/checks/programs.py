"""Right programs that more than one table has."""

SETUP = """import torch
inputs = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                       [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
"""

LAYERS = SETUP + """torch.manual_seed(789)
W_query = torch.nn.Linear(3, 2, bias=False)
W_key = torch.nn.Linear(3, 2, bias=False)
W_value = torch.nn.Linear(3, 2, bias=False)
queries = W_query(inputs)
keys = W_key(inputs)
values = W_value(inputs)
scores = queries @ keys.T
"""

GPT_LAYERS = """
torch.manual_seed(123)
embedding = torch.nn.Embedding(6, 4)
W_query, W_key, W_value = (torch.nn.Linear(4, 4) for _ in range(3))
W_out = torch.nn.Linear(4, 4)
W_ffn1 = torch.nn.Linear(4, 8)
W_ffn2 = torch.nn.Linear(8, 4)
W_logits = torch.nn.Linear(4, 6)
"""

GRADIENTS = """
ids = torch.tensor([[0, 1, 2, 3, 4, 5]])
targets = ids[:, 1:]
""" + GPT_LAYERS + """
b, t, num_heads, head_dim = 1, 5, 2, 2

def split(x):
    return x.view(b, t, num_heads, head_dim).transpose(1, 2)

def merge(x):
    return x.transpose(1, 2).contiguous().view(b, t, 4)

embedded = embedding(ids[:, :-1])
queries, keys, values = W_query(embedded), W_key(embedded), W_value(embedded)
queries_by_head, keys_by_head, values_by_head = split(queries), split(keys), split(values)
dot_products = queries_by_head @ keys_by_head.transpose(2, 3)
scores = dot_products * head_dim**-0.5
mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
masked_scores = scores.masked_fill(mask, -torch.inf)
weights = torch.softmax(masked_scores, dim=-1)
context_by_head = weights @ values_by_head
context = merge(context_by_head)
attention = W_out(context)
hidden = torch.relu(W_ffn1(attention))
feed_forward = W_ffn2(hidden)
logits = W_logits(feed_forward)
probabilities = torch.softmax(logits, dim=-1)
loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
truth = torch.nn.functional.one_hot(targets, 6)
logits_grad = (probabilities - truth) / t
W_logits_grad = logits_grad.flatten(0, 1).T @ feed_forward.flatten(0, 1)
W_logits_bias_grad = logits_grad.flatten(0, 1).sum(0)
feed_forward_grad = logits_grad @ W_logits.weight
W_ffn2_grad = feed_forward_grad.flatten(0, 1).T @ hidden.flatten(0, 1)
hidden_grad = feed_forward_grad @ W_ffn2.weight
ffn1_grad = hidden_grad * (hidden > 0)
W_ffn1_grad = ffn1_grad.flatten(0, 1).T @ attention.flatten(0, 1)
attention_grad = ffn1_grad @ W_ffn1.weight
W_out_grad = attention_grad.flatten(0, 1).T @ context.flatten(0, 1)
context_grad = attention_grad @ W_out.weight
context_by_head_grad = split(context_grad)
values_by_head_grad = weights.transpose(2, 3) @ context_by_head_grad
weights_grad = context_by_head_grad @ values_by_head.transpose(2, 3)
average = (weights_grad * weights).sum(-1, keepdim=True)
masked_scores_grad = (weights_grad - average) * weights
scores_grad = masked_scores_grad.masked_fill(mask, 0)
dot_products_grad = scores_grad * head_dim**-0.5
queries_by_head_grad = dot_products_grad @ keys_by_head
keys_by_head_grad = dot_products_grad.transpose(2, 3) @ queries_by_head
queries_grad, keys_grad, values_grad = merge(queries_by_head_grad), merge(keys_by_head_grad), merge(values_by_head_grad)
W_query_grad = queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)
W_key_grad = keys_grad.flatten(0, 1).T @ embedded.flatten(0, 1)
W_value_grad = values_grad.flatten(0, 1).T @ embedded.flatten(0, 1)
embedded_grad = values_grad @ W_value.weight + keys_grad @ W_key.weight + queries_grad @ W_query.weight
embedding_grad = torch.zeros(6, 4).index_add(0, ids[:, :-1].flatten(), embedded_grad.flatten(0, 1))
"""

FORWARD = GRADIENTS[:GRADIENTS.index("truth =")]

BACKWARD = FORWARD.replace("loss = ", "for x in (logits, feed_forward, hidden, attention, context, weights, scores, embedded): "
                           "x.retain_grad()\nloss = ") + """
loss.backward()
logits_grad, feed_forward_grad, hidden_grad, attention_grad = logits.grad, feed_forward.grad, hidden.grad, attention.grad
context_grad, weights_grad, scores_grad, embedded_grad = context.grad, weights.grad, scores.grad, embedded.grad
W_logits_grad, W_ffn2_grad, W_ffn1_grad, W_out_grad = (x.weight.grad for x in (W_logits, W_ffn2, W_ffn1, W_out))
W_query_grad, W_key_grad, W_value_grad = (x.weight.grad for x in (W_query, W_key, W_value))
embedding_grad = embedding.weight.grad
"""

TRAINING = """
ids = torch.tensor([[0, 1, 2, 3, 4, 5, 4, 5, 2, 0, 1]])
read, targets = ids[:, :-1], ids[:, 1:]
""" + GPT_LAYERS + """
layers = torch.nn.ModuleList([embedding, W_query, W_key, W_value, W_out, W_ffn1, W_ffn2, W_logits])
mask = torch.triu(torch.ones(10, 10), diagonal=1).bool()

def split(x):
    return x.view(1, 10, 2, 2).transpose(1, 2)

def weigh(x):
    scores = split(W_query(x)) @ split(W_key(x)).transpose(2, 3) / 2**0.5
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)

def logits_of(x):
    context = (weigh(x) @ split(W_value(x))).transpose(1, 2).contiguous().view(1, 10, 4)
    return W_logits(W_ffn2(torch.relu(W_ffn1(W_out(context)))))

def loss_of():
    return torch.nn.functional.cross_entropy(logits_of(embedding(read)).flatten(0, 1), targets.flatten())

weights_before = weigh(embedding(read))
probabilities_before = torch.softmax(logits_of(embedding(read)), dim=-1)
loss_before = loss_of()
loss_before.backward()
W_query_grad = W_query.weight.grad.clone()
lr = 0.01
sgd_after = W_query.weight.detach() - lr * W_query_grad
first_moment = (1 - 0.9) * W_query_grad
second_moment = (1 - 0.999) * W_query_grad**2
first_moment_corrected = first_moment / (1 - 0.9)
second_moment_corrected = second_moment / (1 - 0.999)
length = first_moment_corrected / (second_moment_corrected.sqrt() + 1e-8)
adamw_after = W_query.weight.detach() * (1 - lr * 0.01) - lr * length
names = {"drawn: W_query": W_query.weight.detach().clone(), "sgd: W_query_after": sgd_after,
         "adamw: W_query_after": adamw_after}
optimizer = torch.optim.AdamW(layers.parameters(), lr=0.01)
losses = []
for update in range(20):
    optimizer.zero_grad()
    loss = loss_of()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append(loss_of().item())
names["trained: embedding"], names["trained: W_value"] = embedding.weight, W_value.weight
weights = weigh(embedding(read))
probabilities = torch.softmax(logits_of(embedding(read)), dim=-1)
loss = loss_of()
"""
