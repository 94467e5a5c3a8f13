"""The model of the lesson `why`: a GPT of 5,792 parameters that has learned how a verb agrees with its subject.

usage: agreement.py            trains it, about a minute, and writes agreement.txt beside this file
       agreement.py --check    reads agreement.txt and prints what the model predicts; fails if a verb does not agree

The sentences are drawn from a small grammar of 35 words: a noun, perhaps something that stands between it and its verb, and
the verb. Twelve words fit. The model has the form of GPT-2: two blocks of two heads, LayerNorm in front of attention and of
the feed-forward module, GELU by tanh, and a head without a bias. Its weights are rounded to bfloat16 when they are written:
four hexadecimal digits are a number. The line `digest` is the SHA-256 of all lines above it.

The file was trained by PyTorch 1.13 with one thread. Another version may round otherwise and train another model. Of some
twenty seeds this one was taken: its model asks the subject's row directly, in one head, where others ask a word between the two.
"""
import hashlib
import math
import os
import random
import sys

import torch

NOUNS = [("cat", "cats"), ("dog", "dogs"), ("bird", "birds"), ("child", "children"), ("teacher", "teachers"),
         ("student", "students")]
ALONE = [("sleeps", "sleep"), ("sings", "sing"), ("waits", "wait"), ("smiles", "smile")]  # verbs without an object
WITH_OBJECT = [("sees", "see"), ("likes", "like"), ("follows", "follow"), ("hears", "hear")]
VERBS = ALONE + WITH_OBJECT
PREPOSITIONS = ["near", "behind", "with", "beside"]
WORDS = ["the", "that", "."] + [word for pair in NOUNS + VERBS for word in pair] + PREPOSITIONS
POSITIONS, WIDTH, HEADS, HIDDEN = 12, 16, 2, 32
UPDATES, BATCH, RATE = 2000, 128, 3e-3
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agreement.txt")


class LayerNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(WIDTH))
        self.shift = torch.nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        distance = x - x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * (distance / torch.sqrt(variance + 1e-5)) + self.shift


def gelu(x):
    bent = torch.sqrt(torch.tensor(2 / torch.pi)) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + torch.tanh(bent))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(), LayerNorm()
        self.W_query = torch.nn.Linear(WIDTH, WIDTH)
        self.W_key = torch.nn.Linear(WIDTH, WIDTH)
        self.W_value = torch.nn.Linear(WIDTH, WIDTH)
        self.out_proj = torch.nn.Linear(WIDTH, WIDTH)
        self.ffn1 = torch.nn.Linear(WIDTH, HIDDEN)
        self.ffn2 = torch.nn.Linear(HIDDEN, WIDTH)
        self.off = []  # heads that add nothing, from 0

    def attention(self, x):
        b, t, _ = x.shape

        def split(layer):
            return layer(x).view(b, t, HEADS, WIDTH // HEADS).transpose(1, 2)

        scores = split(self.W_query) @ split(self.W_key).transpose(2, 3)
        mask = torch.triu(torch.ones(t, t), diagonal=1).bool()
        scores = scores.masked_fill(mask, -torch.inf)
        self.weights = torch.softmax(scores / (WIDTH // HEADS) ** 0.5, dim=-1)
        context = self.weights @ split(self.W_value)
        if self.off:
            context = context.clone()
            context[:, self.off] = 0
        return self.out_proj(context.transpose(1, 2).contiguous().view(b, t, WIDTH))

    def forward(self, x):
        x = self.attention(self.norm1(x)) + x
        return self.ffn2(gelu(self.ffn1(self.norm2(x)))) + x


class GPT(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token_table = torch.nn.Embedding(len(WORDS), WIDTH)
        self.position_table = torch.nn.Embedding(POSITIONS, WIDTH)
        self.block1, self.block2 = Block(), Block()
        self.norm = LayerNorm()
        self.head = torch.nn.Linear(WIDTH, len(WORDS), bias=False)

    def forward(self, ids):
        x = self.token_table(ids) + self.position_table(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.block2(self.block1(x))))


# ---- What it learns from ----------------------------------------------------------------------------------------------


def draw_noun():
    number = random.randrange(2)
    return random.choice(NOUNS)[number], number


def draw_sentence():
    subject, number = draw_noun()
    other, other_number = draw_noun()
    between = random.choices(
        [
            [],
            [random.choice(PREPOSITIONS), "the", other],
            ["that", random.choice(WITH_OBJECT)[number], "the", other],
            ["that", "the", other, random.choice(WITH_OBJECT)[other_number]],
        ],
        weights=[10, 35, 30, 25],
    )[0]
    if random.randrange(2):
        end = [random.choice(ALONE)[number]]
    else:
        end = [random.choice(WITH_OBJECT)[number], "the", draw_noun()[0]]
    return ["the", subject] + between + end + ["."]


NOTHING = -100  # the target behind the end of a sentence, which no loss counts


def draw_batch():
    ids = torch.zeros(BATCH, POSITIONS, dtype=torch.long)
    targets = torch.full((BATCH, POSITIONS), NOTHING)
    for row in range(BATCH):
        sentence = [WORDS.index(word) for word in draw_sentence()]
        ids[row, : len(sentence)] = torch.tensor(sentence)
        targets[row, : len(sentence) - 1] = torch.tensor(sentence[1:])
    return ids, targets


def train():
    torch.manual_seed(15)
    random.seed(123)
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    for update in range(UPDATES):
        rate = RATE * min(1, update / 100) * (0.5 + 0.5 * math.cos(math.pi * update / UPDATES)) + 1e-5
        optimizer.param_groups[0]["lr"] = rate
        ids, targets = draw_batch()
        loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), targets.flatten(), ignore_index=NOTHING)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 500 == 0:
            print(f"update {update:4}: loss {loss.item():.4f}", flush=True)
    return model


# ---- The file ---------------------------------------------------------------------------------------------------------


def hexadecimal(numbers):
    """The upper half of each float32, which is a bfloat16: the numbers are rounded. None is so small that its exponent is 0."""
    bits = [number & 0xFFFF for number in numbers.bfloat16().view(torch.int16).tolist()]
    assert all(number >> 7 & 0xFF for number in bits)
    return " ".join(f"{number:04x}" for number in bits)


def number_of(digits):
    bits = int(digits, 16)
    sign, exponent, fraction = bits >> 15, bits >> 7 & 0xFF, bits & 0x7F
    return (-1) ** sign * 2.0 ** (exponent - 127) * (1 + fraction / 128)


def digest(lines):
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def write(model):
    """The words; the verbs, each in the singular and in the plural; then for each tensor its name and its sizes, and its numbers,
    sixteen a line."""
    lines = ["words " + " ".join(WORDS), "verbs " + " ".join(word for pair in VERBS for word in pair)]
    for name, tensor in model.state_dict().items():
        lines.append(name + "".join(f" {size}" for size in tensor.shape))
        lines += [hexadecimal(part) for part in tensor.flatten().split(16)]
    with open(FILE, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in lines + ["digest " + digest(lines)])


def read():
    with open(FILE, encoding="ascii") as file:
        *lines, last = file.read().splitlines()
    if last != "digest " + digest(lines):
        sys.exit("agreement.py: the digest of agreement.txt is another")
    numbers, sizes = {}, {}
    for line in lines[2:]:
        first, *rest = line.split()
        if "." in first:
            name = first
            numbers[name], sizes[name] = [], [int(size) for size in rest]
        else:
            numbers[name] += [number_of(digits) for digits in line.split()]
    model = GPT()
    model.load_state_dict({name: torch.tensor(numbers[name]).view(sizes[name]) for name in numbers})
    return model


# ---- What it has learned ----------------------------------------------------------------------------------------------


def predict(model, words):
    """The probabilities of the word behind `words`."""
    return torch.softmax(model(torch.tensor([[WORDS.index(word) for word in words]]))[0, -1], dim=-1)


def together(probabilities):
    """The probability of all verbs in the singular, and of all in the plural."""
    return [sum(probabilities[WORDS.index(pair[number])] for pair in VERBS).item() for number in (0, 1)]


def beginnings():
    """432 beginnings up to the verb, with the number of the subject and that of the noun nearer to the verb."""
    for number in (0, 1):
        for other_number in (0, 1):
            for noun in NOUNS:
                for other_noun in NOUNS:
                    subject, other = noun[number], other_noun[other_number]
                    yield ["the", subject, "near", "the", other], number, other_number
                    yield ["the", subject, "that", WITH_OBJECT[0][number], "the", other], number, other_number
                    yield ["the", subject, "that", "the", other, WITH_OBJECT[1][other_number]], number, other_number


def print_agreement(model, name):
    """How often the verbs of the subject's number are together more probable than the others."""
    right = {True: 0, False: 0}  # is the nearer noun of the other number?
    for words, number, other_number in beginnings():
        verbs = together(predict(model, words))
        right[number != other_number] += verbs[number] > verbs[1 - number]
    print(f"{name:24} all {right[True] + right[False]:3} of 432, hard {right[True]:3} of 216")
    return right[True] + right[False] == 432


def print_sentence(model, text):
    probabilities = predict(model, text.split())
    singular, plural = together(probabilities)
    largest = " ".join(f"{WORDS[place]} {probabilities[place]:.3f}" for place in probabilities.topk(3).indices)
    sleeps, sleep = (probabilities[WORDS.index(word)] for word in ALONE[0])
    print(f"{text}: singular {singular:.4f}, plural {plural:.4f}; sleeps {sleeps:.4f}, sleep {sleep:.4f}; {largest}")


def print_table(model):
    print("parameters", sum(tensor.numel() for tensor in model.parameters()), "words", len(WORDS))
    agrees = print_agreement(model, "whole model")
    for text in ("the dogs", "the cat near the dogs", "the cats near the dog", "the child that the birds hear"):
        print_sentence(model, text)
        for number, block in enumerate((model.block1, model.block2), 1):
            for head in range(HEADS):
                row = zip(text.split(), block.weights[0, head, -1].tolist())
                print(f"  block {number}, head {head + 1}:", " ".join(f"{word} {weight:.3f}" for word, weight in row))
    for number, block in enumerate((model.block1, model.block2), 1):
        for head in range(HEADS):
            block.off = [head]
            print_agreement(model, f"without block {number}, head {head + 1}")
            print_sentence(model, "the cat near the dogs")
            block.off = []
    return agrees


def main():
    torch.set_num_threads(1)
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if not sys.argv[1:]:
        write(train())
    with torch.no_grad():
        sys.exit(0 if print_table(read()) else "agreement.py: not all verbs agree")


if __name__ == "__main__":
    main()
