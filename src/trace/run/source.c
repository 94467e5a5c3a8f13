#include "trace/run/source.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *without_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const struct paragraph *paragraph_at(const struct source *source, const char *file, int line,
                                     const struct excerpt **excerpt) {
    for (int i = 0; i < source->paragraph_count; i++) {
        const struct paragraph *paragraph = &source->paragraphs[i];
        if (strcmp(without_folder(paragraph->file), without_folder(file)) != 0) continue;
        for (int j = 0; j < paragraph->excerpt_count; j++) {
            *excerpt = &paragraph->excerpts[j];
            if (line >= (*excerpt)->first_record && line <= (*excerpt)->last_record)
                return paragraph;
        }
    }
    return NULL;
}

bool is_python(const struct paragraph *paragraph) {
    const char *ending = strrchr(paragraph->file, '.');
    return ending != NULL && (strcmp(ending, ".py") == 0 || strcmp(ending, ".ipynb") == 0);
}

// ---- Parameters in words -------------------------------------------------------------------------

static const char *value_of(struct arena *arena, const struct parameters *parameters,
                            const char *name) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (strcmp(parameter_table[i].name, name) == 0)
            return parameter_text(arena, parameters, &parameter_table[i]);
    }
    fail(arena->failure, FAIL_RUNTIME, "{%s}: no parameter has this name", name);
}

// "four heads", "one head", "24 heads".
static const char *number_of(struct arena *arena, const char *value, const char *thing) {
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    const long number = strtol(value, NULL, 10);
    const bool has_word = number >= 0 && number < (long)(sizeof words / sizeof *words);
    return arena_format(arena, "%s %s%s", has_word ? words[number] : value, thing,
                        number == 1 ? "" : "s");
}

// The words with the value of each parameter that they hold in braces.
static const char *worded(struct arena *arena, const char *words,
                          const struct parameters *parameters) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (const char *open; (open = strchr(words, '{')) != NULL; words += strcspn(words, "}") + 1) {
        text_add_bytes(&text, words, (size_t)(open - words));
        words = open;
        const size_t length = strcspn(open, "}") - 1, name = strcspn(open, " }") - 1;
        const char *value = value_of(arena, parameters, arena_copy_bytes(arena, open + 1, name));
        const char *thing =
            name < length ? arena_copy_bytes(arena, open + 2 + name, length - name - 1) : NULL;
        text_add(&text, thing != NULL ? number_of(arena, value, thing) : value);
    }
    text_add(&text, words);
    return text.bytes;
}

const struct paragraph *worded_paragraph(struct arena *arena, const struct paragraph *paragraph,
                                         const struct parameters *parameters) {
    if (strchr(paragraph->title, '{') == NULL && strchr(paragraph->explanation, '{') == NULL)
        return paragraph;
    struct paragraph *copy = arena_array(arena, 1, sizeof *copy);
    *copy = *paragraph;
    copy->title = worded(arena, paragraph->title, parameters);
    copy->explanation = worded(arena, paragraph->explanation, parameters);
    return copy;
}
