#include "app/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "lessons.h"

static const char *const verb_names[] = {
    [VERB_WALK] = "walk",     [VERB_LIST] = "list",         [VERB_PRINT] = "print",
    [VERB_CHECK] = "check",   [VERB_VERIFY] = "verify",     [VERB_GPT2] = "gpt2",
    [VERB_BENCH] = "bench",   [VERB_HELP] = "help",         [VERB_VERSION] = "version",
    [VERB_SCREEN] = "screen", [VERB_PRACTICE] = "practice",
};

const char *verb_name(enum verb verb) {
    return verb == VERB_HELP ? "onestep" : verb_names[verb];
}

static const char *const format_names[] = {
    [FORMAT_TORCH] = "torch", [FORMAT_PLAIN] = "plain",       [FORMAT_JSON] = "json",
    [FORMAT_CSV] = "csv",     [FORMAT_NPY] = "npy",           [FORMAT_SVG] = "svg",
    [FORMAT_HTML] = "html",   [FORMAT_MARKDOWN] = "markdown", [FORMAT_PY] = "py",
    [FORMAT_IPYNB] = "ipynb", [FORMAT_GIFT] = "gift",         [FORMAT_LATEX] = "latex",
    [FORMAT_TEXT] = "text",   [FORMAT_ANSI] = "ansi",         [FORMAT_LINK] = "link",
};

const char *format_name(enum format format) {
    return format_names[format];
}

bool holds_one_step(enum format format) {
    return format == FORMAT_CSV || format == FORMAT_NPY || format == FORMAT_SVG ||
           format == FORMAT_LATEX || format == FORMAT_GIFT;
}

bool find_verb(const char *name, enum verb *verb) {
    for (int i = VERB_WALK; i <= VERB_HELP; i++) {
        if (strcmp(name, verb_names[i]) != 0) continue;
        *verb = (enum verb)i;
        return true;
    }
    return false;
}

bool takes_parameters(enum verb verb) {
    return verb == VERB_WALK || verb == VERB_PRINT || verb == VERB_CHECK || verb == VERB_HELP ||
           verb == VERB_SCREEN;
}

const char *lesson_names(struct arena *arena) {
    struct text text = text_new(arena);
    for (int i = 0; i < lesson_count; i++) {
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", lesson_table[i]->name);
    }
    return text.bytes;
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
