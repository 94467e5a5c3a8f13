#ifndef ONESTEP_LESSONS_AGREEMENT_H
#define ONESTEP_LESSONS_AGREEMENT_H

// The GPT of the lesson `why`, which has learned how a verb agrees with its subject. data/agreement.py trained it;
// data/agreement.txt, which the program contains, has its words and weights.

#include "small_gpt.h"

// In PyTorch: reads the file `learned`. `parameters` has its tensors by name.
// clang-format off
#define READ_LEARNED \
        "words, verbs, sizes, numbers = [], [], {}, {}\n" \
        "def number_of(digits):\n" \
        "    bits = int(digits, 16)\n" \
        "    sign, exponent, fraction = bits >> 15, bits >> 7 & 255, bits & 127\n" \
        "    return (-1)**sign * 2.0**(exponent - 127) * (1 + fraction / 128)\n" \
        "for line in learned.splitlines():\n" \
        "    first, *rest = line.split()\n" \
        "    if first == \"words\":\n" \
        "        words = rest\n" \
        "    elif first == \"verbs\":\n" \
        "        verbs = torch.tensor([words.index(word) for word in rest]).view(-1, 2)\n" \
        "    elif \".\" in first:\n" \
        "        name = first\n" \
        "        sizes[name], numbers[name] = [int(size) for size in rest], []\n" \
        "    elif first != \"digest\":\n" \
        "        numbers[name] += [number_of(digits) for digits in line.split()]\n" \
        "parameters = {name: torch.tensor(numbers[name]).view(sizes[name]) for name in sizes}\n"
// clang-format on

struct agreement {
    struct small_gpt gpt;
    const char *const *words; // of its vocabulary, in the order of their ids
    struct tensor
        verbs; // their ids [verbs, 2]: in the singular, in the plural
};

struct agreement read_agreement(struct run *run);

// The ids of the run's --sentence, [tokens] of INT64. Fails with FAIL_USAGE if it has a word that the model does not know, or
// more words than the model has positions.
struct tensor ids_of_sentence(struct run *run,
                              const struct agreement *model);

// One block: x [tokens, d_model] becomes the same. `number` is that of the block, from 1; heads and blocks in `off`, as
// --off lists them, add nothing.
struct tensor pass_block(struct run *run, const struct small_gpt *gpt,
                         int number, struct tensor x, const char *off);

// The weights of its attention: [heads, tokens, tokens].
struct tensor look(struct run *run, const struct small_gpt *gpt, int number,
                   struct tensor x);

// The last LayerNorm and the head: the logits [tokens, vocabulary].
struct tensor to_words(const struct small_gpt *gpt, struct tensor x);

#endif
