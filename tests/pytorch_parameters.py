"""Parameters of lessons, chosen at random."""
import os
import pathlib


def splits_heads(lesson):
    """Is d_out the width of all heads together? So the lesson's own file says."""
    source = pathlib.Path(__file__).resolve().parent.parent / "lessons" / (lesson + ".c")
    return ".splits_heads = true" in source.read_text()


def random_seed(r):
    return r.choice([r.randrange(1000), r.randrange(2**32), r.randrange(2**32, 2**64), -r.randrange(1, 2**63)])


def random_inputs(r, large):
    tokens = r.randint(1, 64) if large else r.choice([1, 2, 3, 5, 6, 7, 8, 9, 12, 17])
    features = r.randint(1, 64) if large else r.choice([1, 2, 3, 3, 4, 5, 8, 13])
    least, most = r.choice([(0, 1), (-1, 1), (-2, 2)])
    scale = r.choice([1, 1, 1, 1e-42, 1e-30, 1e-10, 1e4, 1e18]) if large else 1
    digits = r.choice([2, 2, 6])
    return [[float(f"{r.uniform(least, most):.{digits}f}") * scale for _ in range(features)] for _ in range(tokens)]


class Parameters(list):
    """A command line for a lesson that takes the parameters `uses`; most of them chosen most of the time."""

    def __init__(self, r, lesson, uses, folder, large):
        super().__init__([lesson])
        self.r, self.uses, self.differ = r, uses, False
        tokens = 6
        if "input" in uses and r.random() < 0.7:
            inputs = random_inputs(r, large)
            tokens = len(inputs)
            self.append("--input=" + write_inputs(folder, inputs))
            if "batch" in uses and r.random() < 0.4:
                self.append_sentences(folder, inputs)
        self.choose("seed", random_seed(r))
        self.choose("dropout_seed", r.choice(["none", random_seed(r)]))
        heads = r.choice([1, 2, 4, 8, 16]) if large else r.choice([1, 1, 2, 3, 4])
        if "d_model" in uses:
            self.choose_sizes(large)
        elif splits_heads(lesson):
            of_pairs = 2 if "base" in uses else 1
            width = heads * of_pairs * r.randint(1, 64 // heads // of_pairs if large else 3)
            self += [f"--heads={heads}", f"--d-out={width}"]
            if "groups" in uses:
                self.append(f"--groups={r.choice([groups for groups in range(1, heads + 1) if heads % groups == 0])}")
        else:
            self.choose("heads", heads)
            most = min(64, 256 // heads) if "heads" in uses else 64
            width = r.randint(1, most) if large else r.choice([1, 2, 3, 4, 5, 7, 8])
            self.choose("d_out", width + width % 2 if "base" in uses else width)
        self.choose("dropout", r.choice([0, 1, 0.1, 0.5, round(r.random(), 3)]))
        self.choose("bernoulli", r.choice(["mt19937", "mcg31m1"]), 0.1)
        if not self.differ:
            self.choose("batch", r.randint(1, 3))
        # AdamW makes full steps of what is rounding: ten times the course's length, and soon nothing is left but that.
        is_wide = any(argument.startswith("--d-model") for argument in self)
        lr = r.choice([0.001, 0.01, 0.1])
        self.choose("updates", r.randint(0, 30 if lr < 0.1 else 8), 1 if is_wide or lr == 0.1 else 0.7)
        self.choose("optimizer", r.choice(["sgd", "adamw", "adam", "momentum"]))
        self.choose("weight_decay", r.choice([0, 0.01, 0.1, 1]), 0.3)
        self.choose("lr", lr)
        self.choose("warmup", r.choice([1, 3, 10, 50]), 0.4)
        self.choose("clip", r.choice([0.001, 0.1, 1, 10]), 0.4)
        if "ids" in uses:
            tokens = self.choose_ids(large)
        self.choose("context_length", tokens + r.choice([0, 1, 10]), 1 if "ids" in uses else 0.7)
        self.choose("query", r.randint(1, tokens))
        if "sentence" in uses:
            self.choose_sentence()
        self.choose("lengths", ",".join(str(r.randint(1, tokens)) for _ in range(r.randint(1, 4))))
        self.choose("target", " ".join(str(r.randint(1, tokens)) for _ in range(r.randint(1, 9))), 1 if tokens < 4 else 0.7)
        self.choose("prefill", r.randint(1, tokens))
        if "d_model" not in uses:
            self.choose("hidden", r.randint(1, 300 if large else 20))
        self.choose("base", r.choice([1, 2, 100, 10000, 500000, round(r.uniform(1, 1000), 2)]))
        self.choose("shift", r.choice([0, 1, 7, 100, 5000, 100000, 1000000]))
        self.choose("window", r.randint(1, tokens))
        self.choose("tile", r.randint(1, tokens))
        self.choose("latent", r.choice([1, 2, 3, 4, 8, 17]))
        if "logits" in uses:
            self.choose_logits()
        if "query" in uses and tokens == 1 and not any(argument.startswith("--query") for argument in self):
            self.append("--query=1")
        for switch in "bias", "eval", "cosine", "qk_norm":
            if switch in uses and r.random() < 0.3:
                self.append("--" + switch.replace("_", "-"))

    def append_sentences(self, folder, inputs):
        """Other sentences of the same shape, in place of copies."""
        self.differ = True
        for number in range(self.r.randint(1, 3)):
            other = [self.r.sample(row, len(row)) for row in self.r.sample(inputs, len(inputs))]
            self.append("--input=" + write_inputs(folder, other, f"other{number}"))

    def choose_sizes(self, large):
        """A model's: heads that divide its width, and words beyond those of its text."""
        r, uses = self.r, self.uses
        text = [r.choice("abcdef") for _ in range(r.randint(2, 12))]
        self.choose("text", " ".join(text))
        words = len(set(text)) if self[-1].startswith("--text") else 6
        heads = r.choice([1, 2, 3, 4, 5, 8, 16]) if large else r.choice([1, 1, 2, 3, 4])
        width = heads * r.randint(1, max(1, (16 if "lr" in uses else 128 if large else 12) // heads))
        if r.random() < 0.3:
            heads, width = r.choice([1, 2, 4]), 4
        self += [f"--heads={heads}"] * ("heads" in uses) + [f"--d-model={width}"] * (width != 4)
        self.choose("hidden", r.randint(1, 16 if "lr" in uses else 300 if large else 20))
        self.choose("layers", r.randint(1, 3))
        self.choose("vocabulary", words + r.choice([0, 1, 2, 10]), 0.5)

    def choose_sentence(self):
        """Words that the model of the lesson `why` knows, and heads or blocks of it that are off."""
        r, data = self.r, pathlib.Path(__file__).resolve().parent.parent / "data" / "agreement.txt"
        known = data.read_text().split("\n")[0].split()[1:]
        self.choose("sentence", " ".join(r.choice(known) for _ in range(r.randint(1, 12))))
        self.choose("off", r.choice(["1.1", "1.2", "2.1", "2.2", "1", "2", "1.1,2.2", "2.1,2.2"]))

    def choose_ids(self, large):
        """Ids of the vocabulary, in one sentence or several; how many there are."""
        known = [int(argument.split("=")[1]) for argument in self if argument.startswith("--vocabulary=")]
        words = {word for argument in self if argument.startswith("--text=") for word in argument[7:].split()}
        vocabulary = known[0] if known else len(words) or 6
        tokens = self.r.randint(2, 64 if large else 9)
        for _ in range(self.r.choice([1, 1, 2, 3])):
            self.append("--ids=" + ",".join(str(self.r.randrange(vocabulary)) for _ in range(tokens)))
        return tokens

    def choose_logits(self):
        """Of a few words or of many, and how one of them is drawn. No two are equal: PyTorch's topk has no order for these."""
        r = self.r
        digits, most = r.choice([1, 2, 2, 6]), r.choice([10, 10, 100])
        logits = {f"{r.uniform(-most, most):.{digits}f}".replace("-0.0", "0.0") for _ in range(r.randint(1, 64))}
        self.choose("logits", ",".join(r.sample(sorted(logits), len(logits))))
        for _ in range(r.choice([0, 1, 2, 3])):
            self.append(f"--temperature={r.choice([0.01, 0.1, 0.5, 1, 1.5, 5, 100, round(r.uniform(0.05, 3), 3)])}")
        self.choose("top_k", r.randint(1, 64))
        self.choose("samples", r.choice([1, 2, 16, 17, 100, 1000, 3000]))

    def choose(self, name, value, probability=0.7):
        if name in self.uses and self.r.random() < probability:
            self.append(f"--{name.replace('_', '-')}={value}")


def write_inputs(folder, inputs, name="input"):
    path = os.path.join(folder, name + ".csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(["token"] + [f"d{i}" for i in range(len(inputs[0]))]) + "\n")
        for i, row in enumerate(inputs):
            file.write(",".join([f"token{i}"] + [repr(value) for value in row]) + "\n")
    return path
