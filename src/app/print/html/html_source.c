// C in the HTML handout: numbered lines, with the words of the language and the calls set apart.

#include <ctype.h>
#include <string.h>

#include "app/print/html/html.h"
#include "show/markup.h"
#include "trace/run/step.h"

static const char *const words[] = {
    "const", "struct", "int",  "int64_t", "double", "float", "bool",   "for",
    "while", "if",     "else", "return",  "true",   "false", "static", "char",
};

static bool is_word_of_c(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && strncmp(words[i], name, length) == 0) return true;
    }
    return false;
}

static size_t name_length(const char *code) {
    if (!isalpha((unsigned char)*code) && *code != '_') return 0;
    size_t length = 1;
    while (isalnum((unsigned char)code[length]) || code[length] == '_') length++;
    return length;
}

static void add_bytes(struct text *text, const char *bytes, size_t length) {
    markup_add(text, arena_copy_bytes(text->arena, bytes, length));
}

// A name: <b> for a word of C, <i> for what is called. Returns its length.
static size_t add_name(struct text *text, const char *code, size_t length) {
    const bool is_word = is_word_of_c(code, length), is_call = !is_word && code[length] == '(';
    text_add(text, is_word ? "<b>" : is_call ? "<i>" : "");
    text_add_bytes(text, code, length);
    text_add(text, is_word ? "</b>" : is_call ? "</i>" : "");
    return length;
}

// One line without its newline.
static void add_line(struct text *text, const char *code, const char *end) {
    text_add(text, "<span>");
    while (code < end) {
        const size_t length = name_length(code);
        const bool is_comment = code[0] == '/' && code[1] == '/';
        if (is_comment) {
            text_add(text, "<em>");
            add_bytes(text, code, (size_t)(end - code));
            text_add(text, "</em>");
            code = end;
        } else if (length > 0) {
            code += add_name(text, code, length);
        } else {
            size_t other = 1; // up to the next name or comment; a digit takes its letters along
            while (code + other < end && code[other] != '/' &&
                   (isalnum((unsigned char)code[other - 1]) || name_length(code + other) == 0))
                other++;
            add_bytes(text, code, other);
            code += other;
        }
    }
    text_add(text, "</span>\n");
}

void html_add_source(const struct document *document) {
    struct text *text = document->text;
    const struct step *step = document->step;
    const struct excerpt *excerpt = step->excerpt;
    const bool is_one = excerpt->first_line == excerpt->last_line;
    text_add(text, "<figure><figcaption>");
    markup_add(text, step->paragraph->file);
    text_add_format(text, is_one ? ", line %d" : ", lines %d–%d", excerpt->first_line,
                    excerpt->last_line);
    text_add_format(text, "</figcaption><pre style=\"counter-reset:line %d\"><code>",
                    excerpt->first_line - 1);
    for (const char *line = excerpt->text; *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        add_line(text, line, end);
        line = *end == '\n' ? end + 1 : end;
    }
    text_add(text, "</code></pre>\n");
    if (document->selection->code != CODE_C) {
        text_add(text, "<div class=\"pytorch\"><span>PyTorch</span><pre><code>");
        markup_add(text, step_pytorch(text->arena, step));
        text_add(text, "</code></pre></div>\n");
    }
    text_add(text, "</figure>\n");
}
