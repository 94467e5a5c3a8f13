"""LoRA: a layer stays as it is, and a product of two narrow matrices is learned beside it."""
import torch


class Lora(torch.nn.Module):
    def __init__(self, layer, rank, alpha):
        super().__init__()
        self.layer, self.scale = layer.requires_grad_(False), alpha / rank
        self.down = torch.nn.Parameter(torch.empty(layer.in_features, rank))
        self.up = torch.nn.Parameter(torch.zeros(rank, layer.out_features))
        torch.nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, x):
        return self.layer(x) + self.scale * (x @ self.down @ self.up)


torch.manual_seed(123)
W_query = torch.nn.Linear(64, 64)
x, wanted = torch.rand(6, 64), torch.rand(6, 64)
before = W_query(x)
learning = Lora(W_query, rank=4, alpha=4)
print((learning(x) == before).all(), "because up is 0")
print(sum(p.numel() for p in learning.parameters() if p.requires_grad), "of", sum(p.numel() for p in learning.parameters()))
optimizer = torch.optim.AdamW([p for p in learning.parameters() if p.requires_grad], lr=0.01)
for update in range(3):
    optimizer.zero_grad()
    loss = ((learning(x) - wanted) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(loss)
