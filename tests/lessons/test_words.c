// What a lesson says of its numbers is true whatever its parameters are. A sentence with a number is one of three: its
// number is a parameter of the run ("{heads head}", source.h), it says that it speaks of the course's parameters, or it
// holds at any parameters: then it stands in tests/data/any_parameters.txt, where somebody has read it with that in mind.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "any_parameters.h"
#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "records.h"
#include "trace/run/step.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

// ---- Sentences and their numbers -----------------------------------------------------------------

static bool is_marked(const char *sentence) {
    return strstr(sentence, "the course's parameters") != NULL ||
           strstr(sentence, "the course's seed") != NULL;
}

// Sentences that hold at any parameters, each closed by \n.
static const char *known;

static bool is_known(const char *sentence) {
    const char *line = arena_format(&arena, "\n%s\n", sentence);
    return strstr(known, line) != NULL;
}

// The next sentence of *words, which moves behind it; NULL at the end.
static const char *next_sentence(const char **words) {
    *words += strspn(*words, " ");
    if (**words == '\0') return NULL;
    const char *begin = *words, *end = begin;
    while (*end != '\0') {
        end += strcspn(end, ".?!:") + (end[strcspn(end, ".?!:")] != '\0');
        if (end[-1] == ':') continue;
        if (*end == ')') end++;
        if (*end == ' ' || *end == '\0') break;
    }
    *words = end;
    return arena_copy_bytes(&arena, begin, (size_t)(end - begin));
}

// How many things there are where a word says it: "two" or "12"; -1 if it says no number.
static double number_in_words(const char *word, size_t length) {
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    for (int i = 2; i < (int)(sizeof words / sizeof *words); i++) {
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0) return i;
    }
    if (length == 3 && strncasecmp(word, "one", 3) == 0) return 1;
    if (length == 7 && strncasecmp(word, "hundred", 7) == 0) return 100;
    return length == 8 && strncasecmp(word, "thousand", 8) == 0 ? 1000 : -1;
}

// What there are as many of as a parameter says.
static const struct thing {
    const char *name;
    uint64_t bit;
} things[] = {{"sentence", USES_BATCH}, {"head", USES_HEADS},      {"group", USES_GROUPS},
              {"update", USES_UPDATES}, {"feature", USES_D_MODEL}, {"input", USES_HIDDEN},
              {"token", USES_INPUT}};

// The thing that begins at `word`, or NULL.
static const struct thing *thing_at(const char *word) {
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        const size_t length = strlen(things[i].name);
        if (strncmp(word, things[i].name, length) != 0) continue;
        if (!isalpha(word[length + (word[length] == 's')])) return &things[i];
    }
    return NULL;
}

// A number in a sentence, and the word behind it.
struct number {
    double value;
    const char *text, *behind;
};

// Does what stands before a number make it a name: "lesson 4", "dim=1", "GPT-2", "float32"?
static bool is_name(const char *sentence, const char *at) {
    static const char *const before[] = {"esson ",  "essons ", "tep ",
                                         "ection ", "hapter ", "version "};
    if (at > sentence && (isalnum(at[-1]) || at[-1] == '_' || at[-1] == '=')) return true;
    if (at >= sentence + 2 && at[-1] == '-' && isalpha(at[-2])) return true;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t length = strlen(before[i]);
        if ((size_t)(at - sentence) >= length && strncmp(at - length, before[i], length) == 0)
            return true;
    }
    return false;
}

// The next number from *at on, which moves behind it. "one" is one only of things that a parameter counts, and what
// stands in braces is no number.
static bool next_number(const char *sentence, const char **at, struct number *number) {
    for (; **at != '\0'; ++*at) {
        if (**at == '{') *at += strcspn(*at, "}");
        const char *begin = *at;
        const size_t letters =
            strspn(begin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        const size_t digits = strspn(begin, "0123456789");
        if (letters + digits == 0) continue;
        *at += letters > 0 ? letters
                           : digits + (begin[digits] == '.' || begin[digits] == ','
                                           ? strspn(begin + digits, "0123456789.,")
                                           : 0);
        const char *behind = *at + strspn(*at, " ");
        const bool is_whole_word = begin == sentence || !isalnum(begin[-1]);
        *number = (struct number){.text = begin, .behind = behind};
        number->value = letters > 0 ? number_in_words(begin, letters) : strtod(begin, NULL);
        const bool counts = number->value != 1 || letters == 0 || thing_at(behind) != NULL;
        if (letters > 0 && number->value >= 0 && is_whole_word && counts) return true;
        if (digits > 0 && !is_name(sentence, begin)) return true;
        --*at;
    }
    return false;
}

// ---- As the lessons are written ------------------------------------------------------------------

// Lessons, and behind them the models at full size.
static const struct lesson *lesson_or_model(int i) {
    return i < lesson_count ? lesson_table[i] : model_table[i - lesson_count];
}

static const char *read_known(void) {
    return arena_format(&arena, "\n%s", data_file(&arena, "any_parameters.txt"));
}

// Appends each sentence that has a number which may be another at other parameters.
static void check_sentences(struct text *found, const char *words) {
    for (const char *sentence; (sentence = next_sentence(&words)) != NULL;) {
        struct number number;
        const char *at = sentence;
        if (!is_marked(sentence) && !is_known(sentence) && next_number(sentence, &at, &number))
            text_add_format(found, "\n%s", sentence);
    }
}

// "At the course's parameters" in a sentence and again in the next one: they can be one sentence.
static void check_marks(const char *place, const char *words) {
    bool was_marked = false;
    for (const char *sentence; (sentence = next_sentence(&words)) != NULL;) {
        expect(!was_marked || !is_marked(sentence), "%s: \"%s\" is marked, as the one before it",
               place, sentence);
        was_marked = is_marked(sentence);
    }
}

START_TEST(a_number_is_computed_or_marked) {
    const struct lesson *lesson = lesson_or_model(_i);
    struct text found = text_new(&arena);
    text_add(&found, "");
    known = read_known();
    for (int i = 0; i < lesson->source->paragraph_count; i++) {
        const struct paragraph *paragraph = &lesson->source->paragraphs[i];
        check_sentences(&found, paragraph->title);
        check_sentences(&found, paragraph->explanation);
        check_marks(lesson->name, paragraph->explanation);
    }
    check_sentences(&found, lesson->summary);
    if (lesson->source->recap != NULL) check_sentences(&found, lesson->source->recap->words);
    expect(
        found.length == 0,
        "%s: these sentences have numbers. Write a parameter ({heads head}), or \"At the course's "
        "parameters\", or, if they hold at any, add them to tests/data/any_parameters.txt:%s",
        lesson->name, found.bytes);
}
END_TEST

// Are the words said in a lesson?
static bool is_said(const struct lesson *lesson, const char *sentence) {
    for (int i = 0; i < lesson->source->paragraph_count; i++) {
        const struct paragraph *paragraph = &lesson->source->paragraphs[i];
        if (strstr(paragraph->title, sentence) != NULL) return true;
        if (strstr(paragraph->explanation, sentence) != NULL) return true;
    }
    const struct recap *recap = lesson->source->recap;
    return strstr(lesson->summary, sentence) != NULL ||
           (recap != NULL && strstr(recap->words, sentence) != NULL);
}

START_TEST(what_holds_at_any_parameters_is_still_said) {
    const char *text = data_file(&arena, "any_parameters.txt");
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const char *sentence = arena_copy_bytes(&arena, text, length);
        bool found = length == 0 || *sentence == '#';
        for (int i = 0; i < lesson_count + model_count && !found; i++)
            found = is_said(lesson_or_model(i), sentence);
        expect(found, "no lesson says \"%s\"", sentence);
    }
}
END_TEST

// ---- As they are said at any parameters ----------------------------------------------------------

static double value_of(const struct run *run, uint64_t bit) {
    if (bit == USES_BATCH) return (double)run->batch_size;
    if (bit == USES_INPUT) return (double)run->inputs.shape[0];
    const struct parameter *parameter = parameter_by_bit(bit);
    return strtod(parameter_text(&arena, &run->parameters, parameter), NULL);
}

static bool is_a_parameter(const struct run *run, double value) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const uint64_t bit = parameter_table[i].bit;
        const bool counts = parameter_table[i].kind != parameter_by_bit(USES_TEXT)->kind;
        const bool is_used = run->lesson->uses & bit || bit == USES_D_MODEL;
        if (counts && is_used && value_of(run, bit) == value) return true;
    }
    return false;
}

// Each number of the sentence is a parameter of the run: of the things that stand behind it, if they are counted by one.
static void check_number_of(const struct run *run, const struct step *step, const char *sentence) {
    struct number number;
    for (const char *at = sentence; next_number(sentence, &at, &number);) {
        const struct thing *thing = thing_at(number.behind);
        const bool is_true = thing != NULL ? value_of(run, thing->bit) == number.value
                                           : is_a_parameter(run, number.value);
        expect(is_true, "%s: %s says \"%s\"", run->lesson->name, step_label(&arena, step),
               sentence);
    }
}

static bool is_zero(const struct run *run, const struct step *step) {
    (void)run;
    if (strstr(step->name, "difference") == NULL) return true; // another step of the paragraph
    for (int64_t i = 0; i < count_of(shape_of(&step->tensor)); i++)
        if (element_at(&step->tensor, i) != 0) return false;
    return true;
}

static bool turns_slowly(const struct run *run, const struct step *step) {
    (void)step;
    return run->parameters.base > 1 && run->parameters.d_out > 2;
}

static bool hides_some(const struct run *run, const struct step *step) {
    (void)step;
    return run->parameters.window < run->inputs.shape[0];
}

// Is the factor 1 in every tile but the first?
static bool rescales_nothing(const struct run *run, const struct step *step) {
    (void)step;
    for (int i = 0; i < run->step_count; i++) {
        const struct step *other = &run->steps[i];
        const bool is_later = other->group != NULL && strcmp(other->group, "tile 1") != 0;
        if (!is_later || strcmp(other->name, "rescale") != 0) continue;
        for (int64_t k = 0; k < count_of(shape_of(&other->tensor)); k++)
            if (element_at(&other->tensor, k) != 1) return false;
    }
    return true;
}

// Claims without a number that some parameters make false, and those of a difference of 0.
static const struct claim {
    const char *lesson, *words; // NULL: any lesson
    bool (*holds)(const struct run *run, const struct step *step);
} claims[] = {
    {NULL, "difference is 0", is_zero},
    {NULL, "largest difference between the two is 0", is_zero},
    {NULL, "largest difference between the two ways is 0", is_zero},
    {NULL, "largest difference from the rows above is 0", is_zero},
    {"cache", "The difference from row 1 of the context above is 0", is_zero},
    {"rotary", "different angles", turns_slowly},
    {"window", "The rows below mix more values", hides_some},
    {"online_softmax", "rescale is 1", rescales_nothing},
};

static void check_claims(const struct run *run, const struct step *step, const char *sentence) {
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct claim *claim = &claims[i];
        if (claim->lesson != NULL && strcmp(claim->lesson, run->lesson->name) != 0) continue;
        if (strstr(sentence, claim->words) == NULL) continue;
        expect(claim->holds(run, step), "%s: %s says \"%s\"", run->lesson->name,
               step_label(&arena, step), sentence);
    }
}

static void check_run(const struct run *run) {
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const char *parts[] = {step->paragraph->title, step->paragraph->explanation};
        for (int k = 0; k < 2; k++) {
            const char *words = parts[k];
            for (const char *sentence; (sentence = next_sentence(&words)) != NULL;) {
                if (is_marked(sentence)) continue;
                expect(strstr(sentence, " ,") == NULL && strstr(sentence, "  ") == NULL,
                       "%s: a parameter of \"%s\" has no value", run->lesson->name, sentence);
                check_claims(run, step, sentence);
                if (!is_known(sentence)) check_number_of(run, step, sentence);
            }
        }
    }
}

enum { DRAWS = 6 };

START_TEST(words_are_true_at_any_parameters) {
    const struct lesson *lesson = lesson_table[_i / DRAWS];
    known = read_known();
    begin_drawing((uint64_t)_i + 1);
    const struct parameters parameters = any_parameters(lesson);
    struct run run;
    if (try_lesson(&run, &arena, lesson, &parameters)) check_run(&run);
}
END_TEST

// Settings at which a lesson once said what was not so.
static const struct setting {
    const char *lesson;
    const char *options[3][2];
} settings[] = {
    {"latent", {{"--latent", "1"}}},
    {"latent", {{"--batch", "2"}}},
    {"grouped_query", {{"--heads", "8"}, {"--d-out", "8"}, {"--groups", "8"}}},
    {"grouped_query", {{"--batch", "2"}}},
    {"sampling", {{"--top-k", "1"}}},
    {"window", {{"--window", "6"}}},
    {"rotary", {{"--base", "1"}}},
    {"rotary", {{"--d-out", "2"}}},
    {"online_softmax", {{"--seed", "3"}}},
    {"online_softmax", {{"--tile", "6"}}},
    {"model", {{"--hidden", "5"}}},
    {"wrapper", {{"--heads", "1"}}},
};

START_TEST(words_are_true_at_settings_that_made_them_false) {
    const struct setting *setting = &settings[_i];
    struct parameters parameters = {0};
    known = read_known();
    for (int i = 0; i < 3 && setting->options[i][0] != NULL; i++)
        ck_assert(set_parameter(&parameters, parameter_by_option(setting->options[i][0]),
                                setting->options[i][1]));
    const struct run run = must_run(&arena, lesson_called(setting->lesson), &parameters);
    check_run(&run);
}
END_TEST

Suite *words_suite(void) {
    Suite *suite = suite_create("words");
    TCase *tests = add_case(suite, "of every lesson", set_up_arena, tear_down_arena);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, a_number_is_computed_or_marked, 0, lesson_count + model_count);
    tcase_add_test(tests, what_holds_at_any_parameters_is_still_said);
    tcase_add_loop_test(tests, words_are_true_at_any_parameters, 0, DRAWS * lesson_count);
    tcase_add_loop_test(tests, words_are_true_at_settings_that_made_them_false, 0,
                        (int)(sizeof settings / sizeof *settings));
    return suite;
}
