#include "app/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/program.h"
#include "app/print/formats.h"
#include "base/text.h"
#include "lessons.h"
#include "tensor/operation/precision.h"

static const struct {
    const char *name, *summary;
    bool takes_lesson, takes_parameters;
} verbs[] = {
    [VERB_WALK] = {"walk", "walk through lessons", true, true},
    [VERB_LIST] = {"list", "lessons and their steps", true, false},
    [VERB_PRINT] = {"print", "print steps and numbers", true, true},
    [VERB_RUN] = {"run", "run a program in PyTorch", false, false},
    [VERB_CHECK] = {"check", "a student's numbers against a step", true, true},
    [VERB_COMPARE] = {"compare", "where two runs part", false, true},
    [VERB_VERIFY] = {"verify", "this machine's numbers against PyTorch's", false, false},
    [VERB_GPT2] = {"gpt2", "attention at the size of GPT-2", false, false},
    [VERB_BENCH] = {"bench", "the fast path against the readable one", false, false},
    [VERB_SCREEN] = {"screen", "a screen of the walker", true, true},
    [VERB_PRACTICE] = {"practice", "exercises in PyTorch, one line each", true, false},
    [VERB_MEMORY] = {"memory", "what a cache of keys and values takes", false, false},
    [VERB_HELP] = {"help", "help about a command", false, true},
};

const char *verb_name(enum verb verb) {
    return verb == VERB_HELP ? "onestep" : verbs[verb].name;
}

const char *verb_summary(enum verb verb) {
    return verbs[verb].summary;
}

#define ROW(FORMAT, NAME, ...) [FORMAT_##FORMAT] = {.name = NAME, __VA_ARGS__},
static const struct {
    const char *name;
    const char *help[VERB_VERSION]; // of each command; NULL: it does not write this format
    bool holds_one_step;
    void (*add)(struct text *text, const struct selection *selection);
} formats[] = {
#include "app/command/format_rows.h"
};
#undef ROW

const char *format_name(enum format format) {
    return formats[format].name;
}

const char *format_help(enum verb verb, enum format format) {
    return formats[format].help[verb];
}

bool holds_one_step(enum format format) {
    return formats[format].holds_one_step;
}

bool writes_format(enum verb verb, enum format format) {
    return format_help(verb, format) != NULL;
}

void add_format(struct text *text, enum format format, const struct selection *selection) {
    formats[format].add(text, selection);
}

void add_program(struct text *text, const struct trial *trial, int digits) {
    if (trial->mistake_count > 0)
        fail(text->arena->failure, FAIL_USAGE,
             "a program has the lesson's own lines, and a mistake is made; u undoes it");
    const struct selection selection = {.trial_count = 1, .trials = trial, .digits = digits};
    add_format(text, FORMAT_LINES, &selection);
}

bool find_verb(const char *name, enum verb *verb) {
    for (int i = VERB_WALK; i <= VERB_HELP; i++) {
        if (strcmp(name, verbs[i].name) != 0) continue;
        *verb = (enum verb)i;
        return true;
    }
    return false;
}

bool takes_parameters(enum verb verb) {
    return verbs[verb].takes_parameters;
}

bool takes_lesson(enum verb verb) {
    return verbs[verb].takes_lesson;
}

bool takes_program(enum verb verb) {
    return IN(verb) & (IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_SCREEN) | IN(VERB_LIST));
}

static bool is_same_name(const char *typed, const char *name) {
    for (; *typed != '\0' && *name != '\0'; typed++, name++) {
        if (*typed != *name && !(*typed == '-' && *name == '_')) return false;
    }
    return *typed == *name;
}

const struct lesson *lesson_by_name(const char *name) {
    for (int i = 0; i < lesson_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", first_number(lesson_table) + i);
        if (strcmp(name, number) == 0 || is_same_name(name, lesson_table[i]->name))
            return lesson_table[i];
    }
    for (int i = 0; i < model_count; i++) {
        if (is_same_name(name, model_table[i]->name)) return model_table[i];
    }
    return NULL;
}

bool is_model(const struct lesson *lesson) {
    for (int i = 0; i < model_count; i++) {
        if (model_table[i] == lesson) return true;
    }
    return false;
}

bool stands_alone(const struct lesson *lesson) {
    return is_model(lesson) || is_of_reader(lesson);
}

const char *names_of_lessons(struct arena *arena, uint64_t uses) {
    struct text text = text_new(arena);
    for (int i = 0; i < lesson_count; i++) {
        if ((lesson_table[i]->uses & uses) != uses) continue;
        text_add_format(&text, "%s%s", text.length > 0 ? ", " : "", lesson_table[i]->name);
    }
    return text.bytes;
}

const struct precision *precision_of(const struct check_options *options) {
    return options->dtype > 0 ? &precisions[options->dtype - 1] : NULL;
}

bool wants_color(enum color_choice choice) {
    if (choice != COLOR_AUTO) return choice == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    const char *clicolor = getenv("CLICOLOR");
    if (no_color != NULL && *no_color != '\0') return false;
    if (force != NULL && *force != '\0' && strcmp(force, "0") != 0) return true;
    if (clicolor != NULL && strcmp(clicolor, "0") == 0) return false;
    return isatty(STDOUT_FILENO) == 1;
}

bool wants_all_colors(void) {
    const char *name = getenv("COLORTERM");
    if (getenv("STY") != NULL) return false;
    return name != NULL && (strcmp(name, "truecolor") == 0 || strcmp(name, "24bit") == 0);
}
