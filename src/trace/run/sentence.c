#include "trace/run/sentence.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tensor/ops/ops.h"

enum { MOST_WORD_BYTES = 64 };

static bool is_printable(const char *word) {
    if (!utf8_is_valid(word, strlen(word)) || strlen(word) > MOST_WORD_BYTES) return false;
    while (*word != '\0') {
        if (character_width(utf8_next(&word)) < 0) return false;
    }
    return true;
}

static _Noreturn void refuse_words(const struct run *run, int64_t count) {
    fail(run->memory->failure, FAIL_USAGE,
         "--text takes 2 to %d words with blanks between them, not %" PRId64, MOST_WORDS, count);
}

// Cuts the text at blanks; returns how many words there are.
static int64_t cut_words(const struct run *run, const char **words) {
    const char *text = run->parameters.text;
    int64_t count = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");
        if (count == MOST_WORDS) refuse_words(run, count + 1);
        words[count] = arena_copy_bytes(run->memory, text, length);
        if (!is_printable(words[count]))
            fail(run->memory->failure, FAIL_USAGE,
                 "--text takes words of printable characters, %d bytes at most, not '%s'",
                 MOST_WORD_BYTES, text_safe(run->memory, words[count]));
        text += length;
        count++;
    }
    if (count < 2) refuse_words(run, count);
    return count;
}

// Sets how many words the model knows; those beyond the `different` ones of the text are called by number.
static int64_t settle_vocabulary(struct run *run, int64_t different, const char **vocabulary) {
    struct parameters *p = &run->parameters;
    if (!(p->given & USES_VOCABULARY)) p->vocabulary = different;
    if (p->vocabulary < different)
        fail(run->memory->failure, FAIL_USAGE,
             "%s: %" PRId64 " different words are more than a --vocabulary of %" PRId64
             "; it must be at least %" PRId64,
             run->lesson->name, different, p->vocabulary, different);
    for (int64_t id = different; id < p->vocabulary; id++)
        vocabulary[id] = arena_format(run->memory, "[%" PRId64 "]", id);
    return p->vocabulary;
}

struct sentence read_sentence(struct run *run) {
    const int64_t asked = run->parameters.vocabulary;
    const size_t room = (size_t)(asked > MOST_WORDS ? asked : MOST_WORDS);
    const char **words = arena_array(run->memory, MOST_WORDS, sizeof *words);
    const char **vocabulary = arena_array(run->memory, room, sizeof *vocabulary);
    const int64_t count = cut_words(run, words);
    struct sentence sentence = {.vocabulary_words = vocabulary};
    const struct tensor ids = tensor_given(run->memory, INT64, SHAPE(1, count));
    for (int64_t i = 0; i < count; i++) {
        int64_t id = 0;
        while (id < sentence.vocabulary && strcmp(vocabulary[id], words[i]) != 0) id++;
        if (id == sentence.vocabulary) vocabulary[sentence.vocabulary++] = words[i];
        ((int64_t *)ids.storage->data)[i] = id;
    }
    sentence.vocabulary = settle_vocabulary(run, sentence.vocabulary, vocabulary);
    ids.storage->words = vocabulary;
    ids.storage->word_count = sentence.vocabulary;
    sentence.ids = label_axis(set_matrix(ids, AXIS_BATCH, AXIS_TOKEN), 1, words);
    return sentence;
}
