import torch

torch.manual_seed(123)
to_query = torch.nn.Linear(3, 4, bias=False)
to_latent = torch.nn.Linear(3, 2, bias=False)
to_keys = torch.nn.Linear(2, 4, bias=False)
to_values = torch.nn.Linear(2, 4, bias=False)
to_output = torch.nn.Linear(4, 4)

x = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
                  [0.22, 0.58, 0.33], [0.77, 0.25, 0.1], [0.05, 0.8, 0.55]])
t = x.size(0)
latents = to_latent(x)
query = to_query(x).reshape(t, 2, 2).transpose(0, 1)
key = to_keys(latents).reshape(t, 2, 2).transpose(0, 1)
value = to_values(latents).reshape(t, 2, 2).transpose(0, 1)
similarity = torch.bmm(query, key.transpose(1, 2))
visible = torch.tril(torch.ones(t, t)).bool()
similarity = torch.where(visible, similarity, torch.tensor(-1e9))
share = torch.softmax(similarity / 2 ** 0.5, dim=0)
gathered = torch.bmm(share, value)
flat = gathered.transpose(0, 1).reshape(t, 4)
final = to_output(flat)
print(final)
