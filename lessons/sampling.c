#include <math.h>
#include <stdlib.h>

#include "sampling.h"
#include "variants.h"

static const char *const nine_words[] = {"closer",  "every",  "effort",
                                         "forward", "inches", "moves",
                                         "pizza",   "toward", "you"};
enum { WORDS = 9 };

// Words of one's own logits have no names but their places.
static const char *const *words_for(struct run *run, int count) {
    if (count == WORDS) return nine_words;
    const char **names =
        arena_array(run->memory, (size_t)count, sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = arena_format(run->memory, "[%d]", i);
    return names;
}

static bool has_words(tensor logits) {
    return logits.shape[0] == WORDS;
}

#define LOGITS "logits = torch.tensor(given_logits, dtype=torch.float32)"

static struct tensor logits_given(struct run *run) {
    double listed[MOST_LISTED];
    float logits[MOST_LISTED];
    int count = numbers_listed(run->parameters.logits, listed);
    for (int i = 0; i < count; i++) logits[i] = (float)listed[i];
    tensor row = set_axis(numbers_of(run, count, logits), 0, AXIS_WORD);
    return as(ROLE_LOGITS, label_columns(row, words_for(run, count)));
}

// How often each word is among those drawn.
static struct tensor count_words(tensor drawn, tensor logits) {
    return bincount(drawn, logits.shape[0]);
}

enum { FIRST = 16 }; // draws that are shown

static struct tensor first_of(tensor drawn) {
    int64_t count = drawn.shape[0] < FIRST ? drawn.shape[0] : FIRST;
    return named(narrow(drawn, 0, 0, count), "draw");
}

const char *in_digits(struct run *run, double number) {
    const char *text = "";
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_format(run->memory, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    return text;
}

// Returns the probabilities [words].
static struct tensor draw_at(struct run *run, tensor logits,
                             double temperature) {
    int64_t samples = run->parameters.samples;

    // Divide all logits by the temperature, then take the softmax. A
    // temperature below 1 makes the differences between logits larger, and
    // a text predictable; one above 1 makes them smaller, and a text
    // varied. The order of the words stays. At the course's parameters
    // "forward" has 57 percent of the probability at a temperature of 1,
    // 99 percent at 0.1 and 24 percent at 5; "pizza", which does not fit,
    // has 4 percent at 5, and next to none at 1.
    tensor scaled_logits = divide_by(logits, temperature);
    STEP(scaled_logits, "l / T",
         arena_format(run->memory, "scaled_logits = logits / %s",
                      in_digits(run, temperature)));
    tensor probabilities = softmax(scaled_logits, -1);
    STEP(probabilities, "p = softmax(l / T)",
         "probabilities = torch.softmax(scaled_logits, dim=-1)");

    // Draw words by their probabilities, and count them. multinomial
    // divides each probability by a random number of its own, drawn from
    // the exponential distribution, and takes the word with the largest
    // quotient. The same seed gives the same draws. At the course's
    // parameters each of the temperatures 1, 0.1 and 5 has 1,000 draws:
    // "forward" is drawn 582, 985 and 239 times, "pizza" 0, 0 and 32
    // times.
    reseed(run, 123);
    tensor drawn = multinomial(&run->generator, probabilities, samples);
    tensor first_samples = first_of(drawn);
    STEP(first_samples,
         "the word with the largest pᵢ / eᵢ, again and again",
         "draws = [torch.multinomial(probabilities, 1) for _ in range(samples)]\n"
         "drawn = torch.cat(draws)\n"
         "first_samples = drawn[:16]");
    tensor counts = count_words(drawn, logits);
    STEP(counts, "cⱼ = number of draws that are word j",
         "counts = torch.bincount(drawn, minlength=len(logits))");

    return probabilities;
}

int temperatures_of(const struct run *run, double *temperatures) {
    double given[MOST_TEMPERATURES];
    int listed = numbers_listed(run->parameters.temperatures, given);
    int count = 0;
    for (int i = 0; i < listed; i++) {
        bool is_repeated = false;
        for (int j = 0; j < count; j++)
            is_repeated = is_repeated || temperatures[j] == given[i];
        if (!is_repeated) temperatures[count++] = given[i];
    }
    return count;
}

// "[1, 0.1, 5]"
static const char *list_of(struct run *run, int count,
                           const char *const *names) {
    const char *list = names[0];
    for (int i = 1; i < count; i++)
        list = arena_format(run->memory, "%s, %s", list, names[i]);
    return arena_format(run->memory, "[%s]", list);
}

static void draw_at_all(struct run *run, tensor logits) {
    double temperatures[MOST_TEMPERATURES];
    struct tensor probabilities[MOST_TEMPERATURES];
    int count = temperatures_of(run, temperatures);
    const char **names =
        arena_array(run->memory, (size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) {
        names[i] = in_digits(run, temperatures[i]);
        GROUP("temperature %s", names[i]);
        probabilities[i] = draw_at(run, logits, temperatures[i]);
    }
    END_GROUP;

    // The probabilities of all temperatures, a row each. At the course's
    // parameters "forward" has 0.5721, 0.9910 and 0.2421.
    tensor stacked = stack(count, probabilities, 0);
    tensor by_temperature =
        label_rows(name_axis(stacked, 0, "temperature"), names);
    AT(0, 3);
    STEP(by_temperature, "row T: softmax(l / T)",
         arena_format(run->memory,
                      "rows = [torch.softmax(logits / t, dim=-1) for t in %s]\n"
                      "by_temperature = torch.stack(rows)",
                      list_of(run, count, names)));
}

int64_t kept_words(const struct run *run, int64_t words) {
    return run->parameters.top_k < words ? run->parameters.top_k : words;
}

static void keep_the_largest(struct run *run, tensor logits) {
    int64_t top_k = kept_words(run, logits.shape[0]);
    int64_t samples = run->parameters.samples;

    SECTION("Only the k most likely words");

    // The k largest logits, the largest first, and the places where they stand.
    // Drawing from all words has a flaw: a vocabulary has thousands of unlikely
    // words, and together they are drawn now and then. One such word can spoil
    // a text. So only the k most likely words are kept; here k is {top_k}.
    struct top top = topk(logits, top_k);
    tensor top_logits = named(top.values, "rank");
    STEP(top_logits, "the k largest of l",
         "top_logits, top_positions = logits.topk(min(top_k, len(logits)))");
    tensor top_positions = named(top.positions, "rank");
    STEP(top_positions, "their places", "");

    // Each logit below the k-th largest becomes -∞. The last of the top logits
    // is the threshold. The k-th largest logit itself is not below the
    // threshold, so it is kept. True marks the words that must not be drawn.
    // e^-∞ is 0, so these words get the probability 0. Putting 0 there would
    // be wrong: a logit of 0 is larger than every negative one, and e^0 is 1.
    // The causal mask uses -∞ for the same reason.
    tensor threshold = select_index(top_logits, 0, top_k - 1);
    tensor is_below = less(logits, threshold);
    STEP(is_below, "lᵢ < k-th largest of l",
         "is_below = logits < top_logits[-1]");
    tensor kept_logits = masked_fill(logits, is_below, -INFINITY);
    STEP(kept_logits, "-∞ where l is below, else l",
         "kept_logits = logits.masked_fill(is_below, -torch.inf)");

    // The softmax shares 1 among the words that are kept. It divides by a sum
    // of fewer powers of e, so all their probabilities grow by the same factor.
    // At the course's parameters "forward" now has 0.5775. Words with the
    // probability 0 are never drawn, at any temperature. A program that
    // generates text removes all but the k largest logits, divides the rest by
    // the temperature, and draws.
    tensor kept_probabilities = softmax(kept_logits, -1);
    STEP(kept_probabilities, "softmax of what is kept",
         "kept_probabilities = torch.softmax(kept_logits, dim=-1)");
    reseed(run, 123);
    tensor drawn =
        multinomial(&run->generator, kept_probabilities, samples);
    tensor kept_counts = count_words(drawn, logits);
    STEP(kept_counts, "cⱼ = number of draws that are word j",
         "draws = [torch.multinomial(kept_probabilities, 1) for _ in range(samples)]\n"
         "kept_counts = torch.bincount(torch.cat(draws), minlength=len(logits))");
}

static void measure(struct run *run, tensor logits, tensor most_likely) {
    SECTION("How good a prediction is");

    // What would each word cost if it came next? The cost is minus the
    // logarithm of its probability: 0 for a word that was certain. At the
    // course's parameters "forward" costs 0.5584, "pizza" 9.1984.
    // Cross-entropy picks the cost of the word that does come next;
    // suppose it is the most likely one. It takes logits, not
    // probabilities: log_softmax is part of it, and is more exact than a
    // softmax and a logarithm. In training the loss is the mean of such
    // costs.
    tensor costs = negative(log_softmax(logits, -1));
    AT(0, 3);
    STEP(costs, "-log softmax(l)",
         "costs = -torch.log_softmax(logits, dim=-1)");
    tensor target = view(most_likely, 1);
    tensor loss = cross_entropy(view(logits, 1, logits.shape[0]), target);
    STEP(loss, "-log p of the next word",
         "target = most_likely.unsqueeze(0)\n"
         "loss = torch.nn.functional.cross_entropy(logits.unsqueeze(0), target)");

    // Perplexity is e^loss. At the course's parameters it is 1.75: the model is
    // as unsure as in a fair choice among 1.75 words. A model that knows
    // nothing has a perplexity as large as its vocabulary; a model that is
    // certain and right has a perplexity of 1.
    tensor perplexity = exponential(loss);
    STEP(perplexity, "e^loss", "perplexity = loss.exp()");
}

static void sampling(struct run *run) {
    SECTION("From logits to a word");

    // Logits: one number for each word that may come next. The larger a word's
    // logit, the more likely is the word. Logits are no probabilities yet: they
    // may be negative, and they do not add up to 1. The course imagines a
    // vocabulary of nine words, and a model that has read "every effort moves
    // you".
    tensor logits = logits_given(run);
    STEP(logits, "l",
         has_words(logits)
             ? "vocabulary_words = [\"closer\", \"every\", \"effort\", \"forward\",\n"
               "                    \"inches\", \"moves\", \"pizza\", \"toward\", \"you\"]\n" LOGITS
             : "vocabulary_words = [f\"[{i}]\" for i in range(len(given_logits))]\n" LOGITS);

    // The most likely word has the largest logit. argmax gives its place,
    // counted from 0: at the course's parameters place 3, which is "forward".
    // Always taking this word is called greedy decoding. It gives the same text
    // each time, and such a text easily repeats itself.
    tensor most_likely = argmax(logits);
    STEP(most_likely, "argmax l", "most_likely = logits.argmax()");

    SECTION("Drawing a word");
    draw_at_all(run, logits);
    keep_the_largest(run, logits);
    measure(run, logits, most_likely);
    write_text(run);
}

// Draws `count` words by their logits [words], among the top_k most likely.
struct tensor draw_words(struct run *run, tensor logits, double temperature,
                         int64_t top_k, int64_t count) {
    tensor top_logits = topk(logits, top_k).values;
    tensor threshold = select_index(top_logits, 0, top_k - 1);
    tensor is_below = less(logits, threshold);
    tensor kept_logits = masked_fill(logits, is_below, -INFINITY);
    tensor scaled_logits = divide_by(kept_logits, temperature);
    tensor probabilities = softmax(scaled_logits, -1);
    return multinomial(&run->generator, probabilities, count);
}

LESSON(sampling) = {
    .name = "sampling",
    .part = PART_OF_GPT,
    .title = "Sampling: from logits to the next word",
    .summary =
        "How a model chooses the next word: the most likely one, or a draw by temperature and top-k; how cross-entropy and perplexity judge the choice; and text from a trained model.",
    .book = "chapter 5, Pretraining on unlabeled data",
    .uses = USES_SEED | USES_LOGITS | USES_TEMPERATURE | USES_TOP_K |
            USES_SAMPLES | USES_UPDATES,
    .trains = true,
    .defaults =
        {.logits = "4.51,0.89,-1.90,6.75,1.63,-1.62,-1.89,6.28,1.79",
         .temperatures = "1,0.1,5",
         .top_k = 3,
         .samples = 1000,
         // the model of lesson 9
         .text =
             "Your journey starts with one step one step starts Your journey",
         .d_model = 4,
         .hidden = 8,
         .heads = 2,
         .updates = 200,
         .optimizer = ADAMW,
         .lr = 0.01},
    .teach = sampling,
    .source = &sampling_source,
};
