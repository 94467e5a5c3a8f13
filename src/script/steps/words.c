#include "script/steps/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *place_in_source(const char *source, int line, int column) {
    const char *at = source;
    for (; line > 1 && *at != '\0'; line--) {
        at += strcspn(at, "\r\n");
        if (*at != '\0') at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
    }
    for (; column > 0 && *at != '\0'; column--) {
        at++;
        while (((unsigned char)*at & 0xC0) == 0x80) at++;
    }
    return at;
}

// ---- A node -------------------------------------------------------------------------------------

// Adds what stands between `at` and `end`. Between strings, a line's end with the blanks around it becomes one blank, or
// nothing inside of a bracket's edge; a comment is left out.
static void add_on_one_line(struct text *text, const char *at, const char *end) {
    char quote = '\0';
    while (at < end) {
        if (quote == '\0' && *at == '#') at += strcspn(at, "\r\n");
        if (at >= end) break;
        if (quote == '\0' && strchr("\r\n", *at) != NULL) {
            at += strspn(at, " \t\r\n\\");
            while (text->length > 0 && text->bytes[text->length - 1] == ' ')
                text->bytes[--text->length] = '\0';
            const char last = text->length > 0 ? text->bytes[text->length - 1] : ' ';
            const bool is_edge = strchr("([{ ", last) != NULL || strchr(")]}", *at) != NULL;
            if (!is_edge && at < end) text_add(text, " ");
            continue;
        }
        if (quote != '\0' && *at == '\\' && at + 1 < end)
            text_add_bytes(text, at++, 1);
        else if (*at == quote)
            quote = '\0';
        else if (quote == '\0' && (*at == '"' || *at == '\''))
            quote = *at;
        text_add_bytes(text, at++, 1);
    }
}

const char *text_of_node(struct arena *arena, const struct program *program,
                         const struct node *node) {
    const struct span *span = &node->span;
    struct text text = text_new(arena);
    text_add(&text, "");
    add_on_one_line(&text, place_in_source(program->source, span->line, span->column),
                    place_in_source(program->source, span->end_line, span->end_column));
    return text_safe(arena, text.bytes);
}

// ---- Lines --------------------------------------------------------------------------------------

// The end of the last line, up to the statement's end if a comment follows.
static const char *without_comment(struct arena *arena, const struct program *program,
                                   const struct span *span, const char *line) {
    const char *rest = place_in_source(program->source, span->end_line, span->end_column);
    const size_t behind = strcspn(rest, "\r\n"), length = strlen(line);
    if (rest[strspn(rest, " \t")] != '#' || behind > length) return line;
    return arena_copy_bytes(arena, line, length - behind);
}

const char *lines_of_span(struct arena *arena, const struct program *program,
                          const struct span *span) {
    struct text text = text_new(arena);
    const char *first = program_line(arena, program, span->line);
    const size_t indent = strspn(first, " \t");
    for (int line = span->line; line <= span->end_line; line++) {
        const char *bytes = program_line(arena, program, line);
        const size_t blanks = strspn(bytes, " \t");
        bytes += blanks < indent ? blanks : indent;
        if (line == span->end_line) bytes = without_comment(arena, program, span, bytes);
        text_add_format(&text, "%s\n", text_safe(arena, bytes));
    }
    return text.bytes;
}

// ---- Comments -----------------------------------------------------------------------------------

size_t first_sentence(const char *text) {
    for (const char *at = text; (at = strpbrk(at, ".?!")) != NULL; at++) {
        if (at[1] == ' ' || at[1] == '\0') return (size_t)(at + 1 - text);
    }
    return strlen(text);
}

static const char *without_sign(const char *line) {
    line += strspn(line, " \t");
    line += strspn(line, "#");
    return line + strspn(line, " \t");
}

static bool is_comment(const char *line) {
    return line[strspn(line, " \t")] == '#';
}

// Is it a line for the eye or for a tool, such as "# ----", "# %%" or a box's edge?
static bool says_nothing(const char *words) {
    enum { FIRST_OF_BOXES = 0x2500, LAST_OF_BOXES = 0x259F };
    if (*words == '\0' || strchr("-=*%~_", *words) != NULL) return true;
    while (*words != '\0') {
        const uint32_t character = utf8_next(&words);
        const bool is_line = character >= FIRST_OF_BOXES && character <= LAST_OF_BOXES;
        if (!is_line && character != ' ' && character != '\t' && character != '\r') return false;
    }
    return true;
}

static const char *comment_above(struct arena *arena, const struct program *program, int line) {
    struct text text = text_new(arena);
    int first = line;
    while (first > 1 && is_comment(program_line(arena, program, first - 1))) first--;
    text_add(&text, "");
    for (int i = first; i < line; i++) {
        const char *words = without_sign(program_line(arena, program, i));
        if (says_nothing(words)) continue;
        text_add_format(&text, "%s%s", text.length > 0 ? " " : "", words);
    }
    return text.bytes;
}

static const char *comment_behind(struct arena *arena, const struct program *program,
                                  const struct span *span) {
    const char *rest = place_in_source(program->source, span->end_line, span->end_column);
    rest += strspn(rest, " \t);]}");
    if (*rest != '#') return "";
    const char *words = without_sign(rest);
    return arena_copy_bytes(arena, words, strcspn(words, "\r\n"));
}

int cell_of_line(const char *source, int line, int *within) {
    static const char mark[] = "# %% code cell ";
    int cell = 0;
    const char *at = source;
    *within = line;
    for (int i = 1; i <= line && *at != '\0'; i++) {
        if (strncmp(at, mark, sizeof mark - 1) == 0) {
            cell = atoi(at + sizeof mark - 1);
            *within = line - i;
        } else if (i == 1) {
            return 0;
        }
        at += strcspn(at, "\n");
        at += *at != '\0';
    }
    return cell;
}

// The lines of PyTorch's classes are the prelude's, so that their numbers say nothing to a reader.
static const char *title_of_place(struct arena *arena, const struct program *program, int line,
                                  const char *function) {
    int within;
    if (strncmp(program->file, "torch/", 6) == 0 && *function != '\0')
        return arena_format(arena, "Inside PyTorch: %s", function);
    const int cell = cell_of_line(program->source, line, &within);
    const char *at = cell > 0 ? arena_format(arena, "Code cell %d, line %d", cell, within)
                              : arena_format(arena, "Line %d", line);
    return *function == '\0' ? at : arena_format(arena, "%s, in %s", at, function);
}

const struct paragraph *paragraph_of_statement(struct arena *arena, const struct program *program,
                                               const struct node *statement, const char *function) {
    const struct span *span = &statement->span;
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    struct excerpt *excerpt = arena_allocate(arena, sizeof *excerpt);
    *excerpt = (struct excerpt){span->line, span->end_line, span->line, span->end_line,
                                lines_of_span(arena, program, span)};
    const char *words = comment_above(arena, program, span->line);
    if (*words == '\0') words = comment_behind(arena, program, span);
    words = text_safe(arena, words);
    size_t length = first_sentence(words);
    const char *explanation = words + length + strspn(words + length, " ");
    if (length > 0 && words[length - 1] == '.') length--;
    const char *title = arena_copy_bytes(arena, words, length);
    if (*words == '\0') title = title_of_place(arena, program, span->line, function);
    *paragraph = (struct paragraph){.file = program->file,
                                    .title = title,
                                    .explanation = explanation,
                                    .excerpt_count = 1,
                                    .excerpts = excerpt};
    return paragraph;
}

static bool is_of_word(char byte) {
    return byte == '_' || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

const char *find_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[length])) return at;
    }
    return NULL;
}
