#include <math.h>

#include "sampling.h"
#include "small_gpt.h"
#include "training_model.h"

// In PyTorch; stands before the first step that needs the model.
#define MODEL                                                                       \
    "embedding = torch.nn.Embedding(6, 4)\n"                                        \
    "W_query = torch.nn.Linear(4, 4)\n"                                             \
    "W_key = torch.nn.Linear(4, 4)\n"                                               \
    "W_value = torch.nn.Linear(4, 4)\n"                                             \
    "out_proj = torch.nn.Linear(4, 4)\n"                                            \
    "ffn1 = torch.nn.Linear(4, 8)\n"                                                \
    "ffn2 = torch.nn.Linear(8, 4)\n"                                                \
    "to_logits = torch.nn.Linear(4, 6)\n"                                           \
    "layers = torch.nn.ModuleList([embedding, W_query, W_key, W_value, out_proj,\n" \
    "                              ffn1, ffn2, to_logits])\n"                       \
    "def split(x):\n"                                                               \
    "    return x.view(1, -1, 2, 2).transpose(1, 2)\n"                              \
    "def logits_of(ids):\n"                                                         \
    "    x, t = embedding(ids), ids.shape[1]\n"                                     \
    "    scores = split(W_query(x)) @ split(W_key(x)).transpose(2, 3) * 2**-0.5\n"  \
    "    mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"                  \
    "    weights = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)\n"   \
    "    mixed = (weights @ split(W_value(x))).transpose(1, 2).contiguous()\n"      \
    "    attention = out_proj(mixed.view(1, -1, 4))\n"                              \
    "    hidden = torch.relu(ffn1(attention))\n"                                    \
    "    feed_forward = ffn2(hidden)\n"                                             \
    "    return to_logits(feed_forward)\n"                                          \
    "def loss_of(logits):\n"                                                        \
    "    targets = ids[:, 1:].flatten()\n"                                          \
    "    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets)\n"
#define TRAINING                                                           \
    "optimizer = torch.optim.AdamW(layers.parameters(), lr=0.01)\n"        \
    "losses = []\n"                                                        \
    "for update in range(updates + 1):\n"                                  \
    "    loss = loss_of(logits_of(ids[:, :-1]))\n"                         \
    "    losses.append(loss.item())\n"                                     \
    "    if update < updates:\n"                                           \
    "        optimizer.zero_grad()\n"                                      \
    "        loss.backward()\n"                                            \
    "        optimizer.step()\n"                                           \
    "losses = torch.tensor(losses)"

static struct task learn(struct run *run, const struct sentence *sentence,
                         struct tensor *p) {
    SECTION("Text from a trained model");

    // The sentence of lesson 9, its model, and the loss as the model
    // learns. The model has two heads and no positions. It learns only
    // this sentence, by {updates update}, in the same way as there. At the
    // course's parameters the loss falls from that of guessing among six
    // words to nearly 0. --updates trains for a shorter or longer time, so
    // you can see what a model writes that has learned less.
    tensor ids = sentence->ids;
    int64_t tokens = ids.shape[1];
    STEP(ids, "words numbered as they first appear",
         "text = \"Your journey starts with one step one step starts Your journey\"\n"
         "words = text.split()\n"
         "vocabulary_words = list(dict.fromkeys(words))\n"
         "ids = torch.tensor([[vocabulary_words.index(word) for word in words]])");
    struct task task = {.run = run};
    task.read = narrow(ids, 1, 0, tokens - 1);
    task.targets = narrow(ids, 1, 1, tokens - 1);
    task.mask = to_bool(triu(ones(run, tokens - 1, tokens - 1), 1));
    draw_parameters(run, sentence, p);
    struct training training = {run, COUNT, loss_of, &task};
    struct trained trained;
    train(&training, p, &trained);
    tensor losses = trained.losses;
    STEP(losses, "before each update, and after all", MODEL TRAINING);

    for (int i = 0; i < COUNT; i++) p[i] = trained.parameters[i];
    return task;
}

static void judge(struct run *run, const struct task *task, tensor *p) {
    SECTION("How well it has learned");

    // The model gives probabilities at each position. The row of "Your" says
    // what may follow "Your". So ten words that are read give ten predictions
    // at once, and in training all of them count.
    tensor text_logits = logits_of(task, p);
    tensor text_probabilities = softmax(text_logits, -1);
    STEP(text_probabilities, "P = softmax(L)",
         "text_logits = logits_of(ids[:, :-1])\n"
         "text_probabilities = torch.softmax(text_logits, dim=-1)");

    // The loss of the text is the mean cost of its words, and its
    // perplexity is e^loss. The targets are the ids one place later: the
    // word that does follow each word. At the course's parameters the
    // perplexity is near 1: the model is certain, and right, because it
    // has learned the text by heart. On a text that it has not seen, its
    // perplexity would be far larger, so models are judged by texts that
    // they were not trained on.
    tensor text_loss = cross_entropy(text_logits, task->targets);
    STEP(text_loss, "mean of -log P[i, idᵢ₊₁]",
         "text_loss = loss_of(text_logits)");
    tensor text_perplexity = exponential(text_loss);
    STEP(text_perplexity, "e^loss", "text_perplexity = text_loss.exp()");
}

// Words that the model is given to go on from, and words that it adds.
enum { GIVEN = 3, WRITTEN = 8 };

static void go_on(struct run *run, const struct task *task, tensor *p) {
    SECTION("How its text goes on");

    // A prompt, and the word that may follow it. The model reads all words
    // of the prompt at once. Each row of logits is about the word that
    // follows its position, and for all rows but the last this word is
    // known. So only the last row is needed, and its softmax is the
    // distribution of the next word. At the course's parameters "with" has
    // nearly all of the probability, because it follows "Your journey
    // starts".
    tensor prompt = narrow(task->read, 1, 0, GIVEN);
    STEP(prompt, "the first words", "prompt = ids[:, :3]");
    tensor prompt_logits = read_so_far(task, p, prompt);
    tensor next_logits =
        select_index(select_index(prompt_logits, 0, 0), 0, GIVEN - 1);
    tensor next_probabilities = softmax(next_logits, -1);
    STEP(next_probabilities, "p = softmax(last row of L)",
         "next_logits = logits_of(prompt)[0, -1]\n"
         "next_probabilities = torch.softmax(next_logits, dim=-1)");

    // Greedy decoding: the most likely word, again and again. Each new word is
    // put behind the text, and the model reads all of it for the next one. A
    // cache, as in GPT-2's programs, would spare it reading the old words
    // again. At the course's parameters the model says its sentence.
    tensor said = speak(task, p, task->read, GIVEN, GIVEN + WRITTEN, NULL);
    STEP(said, "idᵢ₊₁ = argmax of L[i]",
         "def write(choose):\n"
         "    said = prompt\n"
         "    for _ in range(8):\n"
         "        chosen = choose(logits_of(said)[0, -1])\n"
         "        said = torch.cat([said, chosen.view(1, 1)], dim=1)\n"
         "    return said[0]\n"
         "def draw(logits):\n"
         "    threshold = logits.topk(min(top_k, 6)).values[-1]\n"
         "    kept_logits = logits.masked_fill(logits < threshold, -torch.inf)\n"
         "    probabilities = torch.softmax(kept_logits / temperature, dim=-1)\n"
         "    return torch.multinomial(probabilities, 1)\n"
         "said = write(torch.argmax)");
}

static void write_by_drawing(struct run *run, const struct task *task,
                             tensor *p, double temperature) {
    GROUP("temperature %s", in_digits(run, temperature));

    // Each word drawn, among the k most likely ones. This is how programs
    // that write text choose: keep the k largest logits, here k is {top_k},
    // divide them by the temperature, take the softmax, draw. At the
    // course's parameters the model is so certain that at temperatures of
    // 0.1 and 1 it writes the sentence that it was trained on; at 5
    // unlikely words are drawn, too, and each of them changes what the
    // model reads from then on.
    struct choice choice = {temperature,
                            kept_words(run, p[W_LOGITS].shape[0])};
    reseed(run, 123);
    tensor said =
        speak(task, p, task->read, GIVEN, GIVEN + WRITTEN, &choice);
    STEP(said, "idᵢ₊₁ drawn from softmax(top k of L[i] / T)",
         arena_format(run->memory, "temperature = %s\nsaid = write(draw)",
                      in_digits(run, temperature)));

    END_GROUP;
}

// In PyTorch; the GPT of the lesson `block`.
#define SMALL_GPT                                                                   \
    "token_table = torch.nn.Embedding(6, 4)\n"                                      \
    "position_table = torch.nn.Embedding(6, 4)\n"                                   \
    "def layers_of_block():\n"                                                      \
    "    W_query = torch.nn.Linear(4, 4, bias=False)\n"                             \
    "    W_key = torch.nn.Linear(4, 4, bias=False)\n"                               \
    "    W_value = torch.nn.Linear(4, 4, bias=False)\n"                             \
    "    out_proj = torch.nn.Linear(4, 4)\n"                                        \
    "    ffn1 = torch.nn.Linear(4, 16)\n"                                           \
    "    ffn2 = torch.nn.Linear(16, 4)\n"                                           \
    "    return W_query, W_key, W_value, out_proj, ffn1, ffn2\n"                    \
    "blocks = [layers_of_block() for _ in range(2)]\n"                              \
    "head = torch.nn.Linear(4, 6, bias=False)\n"                                    \
    "def norm(x):\n"                                                                \
    "    variance = x.var(dim=-1, keepdim=True, unbiased=False)\n"                  \
    "    return (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + 1e-5)\n" \
    "def gelu(x):\n"                                                                \
    "    bent = torch.sqrt(torch.tensor(2 / torch.pi)) * (x + 0.044715 * x**3)\n"   \
    "    return 0.5 * x * (1 + torch.tanh(bent))\n"                                 \
    "def through(block, x):\n"                                                      \
    "    W_query, W_key, W_value, out_proj, ffn1, ffn2 = block\n"                   \
    "    y, t = norm(x), x.shape[1]\n"                                              \
    "    mask = torch.triu(torch.ones(t, t), diagonal=1).bool()\n"                  \
    "    scores = split(W_query(y)) @ split(W_key(y)).transpose(2, 3)\n"            \
    "    scaled = scores.masked_fill(mask, -torch.inf) / 2**0.5\n"                  \
    "    weights = torch.softmax(scaled, dim=-1)\n"                                 \
    "    mixed = (weights @ split(W_value(y))).transpose(1, 2).contiguous()\n"      \
    "    x = out_proj(mixed.view(1, -1, 4)) + x\n"                                  \
    "    hidden = ffn1(norm(x))\n"                                                  \
    "    return ffn2(gelu(hidden)) + x\n"                                           \
    "def small_gpt(ids):\n"                                                         \
    "    x = token_table(ids) + position_table(torch.arange(ids.shape[1]))\n"       \
    "    for block in blocks:\n"                                                    \
    "        x = through(block, x)\n"                                               \
    "    return head(norm(x))\n"

// The prompt, and behind it the most likely words for as long as there are
// positions.
static struct tensor speak_untrained(struct run *run,
                                     const struct small_gpt *gpt,
                                     tensor prompt) {
    int64_t words = gpt->sizes.context_length;
    struct tensor said[MOST_WORDS];
    tensor sentence = select_index(prompt, 0, 0);
    for (int64_t i = 0; i < words; i++) {
        if (i < prompt.shape[1]) {
            said[i] = select_index(sentence, 0, i);
            continue;
        }
        tensor so_far =
            axes(view(stack(i, said, 0), 1, i), AXIS_BATCH, AXIS_TOKEN);
        tensor logits = small_gpt_logits(run, gpt, so_far);
        said[i] =
            argmax(select_index(select_index(logits, 0, 0), 0, i - 1));
    }
    return name_axis(stack(words, said, 0), 0, "token");
}

// The sizes of the small GPT of the lesson `block`.
enum { SMALL_WORDS = 6, SMALL_POSITIONS = 6, SMALL_WIDTH = 4 };

static void write_untrained(struct run *run,
                            const struct sentence *sentence) {
    SECTION("What a model says that has learned nothing");
    GROUP("untrained");

    // The small GPT of the lesson `block` is not trained, and writes, too. Its
    // weights are random. At the course's parameters "with" follows. The
    // trained model gives it nearly all of the probability. At the course's
    // parameters this one gives it about 1/6, like a guess among six words.
    // Greedy decoding takes the most likely word, however small its
    // probability. So a text alone does not show how certain a model is: look
    // at the probabilities or the loss.
    reseed(run, 123);
    struct gpt_sizes sizes = {SMALL_WORDS, SMALL_POSITIONS,
                              SMALL_WIDTH, 2,
                              2,           false};
    const struct small_gpt gpt =
        draw_small_gpt(run, sizes, sentence->vocabulary_words);
    tensor prompt = narrow(sentence->ids, 1, 0, GIVEN);
    tensor prompt_logits = small_gpt_logits(run, &gpt, prompt);
    tensor next_logits =
        select_index(select_index(prompt_logits, 0, 0), 0, GIVEN - 1);
    STEP(next_logits, "l = last row of L",
         SMALL_GPT "next_logits = small_gpt(prompt)[0, -1]");
    tensor next_probabilities = softmax(next_logits, -1);
    STEP(next_probabilities, "p = softmax(l)",
         "next_probabilities = torch.softmax(next_logits, dim=-1)");
    tensor said = speak_untrained(run, &gpt, prompt);
    STEP(said, "idᵢ₊₁ = argmax of L[i]",
         "said = prompt\n"
         "for _ in range(3):\n"
         "    chosen = small_gpt(said)[0, -1].argmax()\n"
         "    said = torch.cat([said, chosen.view(1, 1)], dim=1)\n"
         "said = said[0]");

    END_GROUP;
}

void write_text(struct run *run) {
    struct tensor *p = arena_array(run->memory, COUNT, sizeof *p);
    struct sentence sentence = read_sentence(run);
    struct task task = learn(run, &sentence, p);
    judge(run, &task, p);
    go_on(run, &task, p);
    double temperatures[MOST_TEMPERATURES];
    int count = temperatures_of(run, temperatures);
    for (int i = 0; i < count; i++)
        write_by_drawing(run, &task, p, temperatures[i]);
    write_untrained(run, &sentence);
}
