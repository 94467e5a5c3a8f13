"""What PyTorch's attention makes of masks, and of rows in which every key is hidden, beside what the lesson padding says.

usage: pytorch_padding.py ONESTEP

Each line is measured with the PyTorch at hand, 1.13 or 2.6. The words of the lesson that say so must stand in its last step,
and the table of the cheat sheet must have these entries.
"""
import json
import re
import subprocess
import sys

import torch
from torch.nn import functional

EARLY = torch.__version__.startswith("1.13")
HIDDEN = torch.tensor([[False] * 4, [True, True, False, False]])  # padding in front of the second sentence
FUTURE = torch.ones(4, 4).triu(diagonal=1).bool()


def fused(x, mask):
    function = getattr(functional, "scaled_dot_product_attention", None) or functional._scaled_dot_product_attention
    result = function(x, x, x, mask)
    return result[0] if isinstance(result, tuple) else result  # 1.13 gives weights as well


def module(is_eval=False):
    torch.manual_seed(123)
    made = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    return made.eval() if is_eval else made


def effect_of_true(attend):
    """What True does to a key: without it, the key's numbers change nothing for the other rows."""
    torch.manual_seed(123)
    x = torch.randn(1, 4, 4)
    other = x.clone()
    other[0, 3] += 1
    mask = torch.tensor([False, False, False, True])
    seen = [not torch.equal(attend(x, each)[0, :3], attend(other, each)[0, :3]) for each in (mask, ~mask)]
    return {(False, True): "hides", (True, False): "keeps"}.get(tuple(seen), "?")


def hidden_rows(attend):
    """What the rows that see no key become: nan, 0 or other numbers."""
    torch.manual_seed(123)
    rows = attend(torch.randn(2, 4, 4))[1, :2].detach()
    return "nan" if rows.isnan().all() else "0" if (rows == 0).all() else "numbers"


def of_module(needs_weights, is_eval=False, has_gradients=True):
    def attend(x):
        with torch.set_grad_enabled(has_gradients):
            return module(is_eval)(x, x, x, key_padding_mask=HIDDEN, attn_mask=FUTURE, need_weights=needs_weights)[0]
    return hidden_rows(attend)


HIDES = "True hides in the masks of MultiheadAttention"
DEFAULT = "MultiheadAttention makes it nan with need_weights=True"
FAST = "nan again in the fast path: eval() without gradients"
ALL = "In 1.13 all of them make it nan"
MASKS, ROWS_OF_MODULE = "True in masks of MultiheadAttention", "hidden rows of MultiheadAttention"
WITHOUT = "the same with need_weights=False"
# what is measured; its row of the cheat sheet; how; in 1.13, in 2.6; the words of the lesson for 1.13, for 2.6
ROWS = [
    ("True in key_padding_mask", MASKS, lambda: effect_of_true(lambda x, m: module()(x, x, x, key_padding_mask=m[None])[0]),
     "hides", "hides", HIDES, HIDES),
    ("True in attn_mask of MultiheadAttention", MASKS,
     lambda: effect_of_true(lambda x, m: module()(x, x, x, attn_mask=m.expand(4, 4))[0]), "hides", "hides", HIDES, HIDES),
    ("True in attn_mask of scaled_dot_product_attention", "True in that of scaled_dot_product_attention",
     lambda: effect_of_true(lambda x, m: fused(x, m.expand(1, 4, 4))),
     "keeps", "keeps", *["keeps in that of scaled_dot_product_attention"] * 2),
    ("scaled_dot_product_attention", None, lambda: "public" if hasattr(functional, "scaled_dot_product_attention") else "private",
     "private", "public", "private (_scaled_dot_product_attention)", ""),
    ("hidden rows of scaled_dot_product_attention", "hidden rows of scaled_dot_product_attention",
     lambda: hidden_rows(lambda x: fused(x, ~(HIDDEN.unsqueeze(1) | FUTURE))),
     "nan", "0", ALL, "In 2.6 the latter makes a hidden row 0"),
    ("of MultiheadAttention, need_weights=True", ROWS_OF_MODULE, lambda: of_module(True), "nan", "nan", ALL, DEFAULT),
    ("... in eval() without gradients", ROWS_OF_MODULE, lambda: of_module(True, True, False), "nan", "nan", ALL, DEFAULT),
    ("of MultiheadAttention, need_weights=False", WITHOUT, lambda: of_module(False), "nan", "0", ALL, "and 0 with need_weights=False"),
    ("... in eval()", WITHOUT, lambda: of_module(False, True), "nan", "0", ALL, "and 0 with need_weights=False"),
    ("... in eval() without gradients", "the same in the fast path", lambda: of_module(False, True, False), "nan", "nan", ALL, FAST),
]


def output_of(*arguments):
    return subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


if __name__ == "__main__":
    words = json.loads(output_of("print", "padding", "--step", "left: keep", "--format", "json"))["lessons"][0]["steps"][0]["explanation"]
    sheet, wrong = output_of("help", "formulas"), 0
    for name, row, measure, early, late, said_early, said_late in ROWS:
        measured, said = measure(), said_early if EARLY else said_late
        entry = f"{row} +1.13: {measured}\\b" if EARLY else f"{row} +1.13: .* +2.6: {measured}\n"
        is_right = measured == (early if EARLY else late) and said in words and (row is None or re.search(entry, sheet) is not None)
        wrong += not is_right
        print(f"{name}: {measured}{'' if is_right else '   NOT AS THE LESSON SAYS'}")
    sys.exit(wrong > 0)
