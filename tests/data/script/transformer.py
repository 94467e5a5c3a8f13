# nn.MultiheadAttention and the layers of nn.Transformer, in training (with dropout) and in evaluation; schedulers.
import torch
from torch import nn
from torch.optim import lr_scheduler

torch.manual_seed(0)
for batch_first in (False, True):
    m = nn.MultiheadAttention(8, 2, dropout=0.3, batch_first=batch_first)
    x = torch.randn(3, 4, 8)
    tokens = 4 if batch_first else 3
    causal = torch.triu(torch.ones(tokens, tokens), diagonal=1).bool()
    padding = torch.zeros(7 - tokens, tokens).bool()
    padding[0, -1] = True
    for training in (True, False):
        m.train(training)
        for mask in (None, causal):
            out, weights = m(x, x, x, attn_mask=mask, key_padding_mask=padding)
            print(out[1], weights[0], out.stride())
            out, weights = m(x, x, x, attn_mask=mask, average_attn_weights=False)
            print(weights[0])
    print(m(x[0], x[0], x[0]), m(x, x.flip(0), x.flip(0))[0][0], m(x, x.flip(0), x + 1)[0][0])
    m.train()
    print(m(x, x, x, need_weights=False)[0][0])
    out.sum().backward()
    print(m.in_proj_weight.grad[:2], m.out_proj.weight.grad[:2])

for options in ({}, {"norm_first": True}, {"activation": "gelu", "batch_first": True}, {"bias": False}):
    layer = nn.TransformerEncoderLayer(8, 2, 16, **options)
    encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8), enable_nested_tensor=False)
    x = torch.randn(3, 4, 8)
    print(encoder(x).mul(100).round()[0])
    mask = nn.Transformer.generate_square_subsequent_mask(4 if "batch_first" in options else 3)
    print(encoder(x, mask=mask).mul(100).round()[0])
print(encoder)
model = nn.Transformer(8, 2, 1, 1, 16)
print(model)
out = model(torch.randn(5, 2, 8), torch.randn(4, 2, 8), tgt_mask=model.generate_square_subsequent_mask(4))
print(out.mul(100).round())
out.pow(2).sum().backward()
for name, parameter in model.named_parameters():
    print(name, parameter.shape, parameter.grad is not None)

q, k, v = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4)
nobody = torch.ones(3, 3).bool()
nobody[1] = False
print(nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=nobody))

lazy = nn.LazyLinear(3)
print(lazy(torch.ones(2, 5)), lazy)

weight = nn.Parameter(torch.ones(2))
for make in (lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 0.9 ** epoch), lambda o: lr_scheduler.StepLR(o, 3),
             lambda o: lr_scheduler.ExponentialLR(o, 0.8), lambda o: lr_scheduler.CosineAnnealingLR(o, 5, 1e-4),
             lambda o: lr_scheduler.LinearLR(o)):
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = make(optimizer)
    for i in range(12):
        optimizer.step()
        scheduler.step()
        print(scheduler.get_last_lr(), optimizer.param_groups[0]["lr"], scheduler.last_epoch)
