#include "script/edit/edit.h"

#include <string.h>

#include "base/text.h"
#include "script/steps/words.h"

int line_of_place(const char *source, size_t position) {
    int line = 1;
    for (const char *at = source; *at != '\0' && at < source + position; at++) line += *at == '\n';
    return line;
}

const char *edited_source(struct arena *arena, const char *source, const struct edit *edit) {
    struct text text = text_new(arena);
    size_t at = 0;
    for (; edit != NULL; at = edit->end, edit = edit->also) {
        text_add_bytes(&text, source + at, edit->start - at);
        text_add(&text, edit->text);
    }
    text_add(&text, source + at);
    return text.bytes;
}

size_t place_after(const struct edit *edit, size_t position) {
    size_t after = position;
    for (; edit != NULL && edit->start < position; edit = edit->also)
        after += strlen(edit->text) - ((edit->end < position ? edit->end : position) - edit->start);
    return after;
}

const char *line_words(struct arena *arena, const char *source, int line) {
    int within;
    const int cell = cell_of_line(source, line, &within);
    return cell > 0 ? arena_format(arena, "cell %d, line %d", cell, within)
                    : arena_format(arena, "line %d", within);
}
