#include "script/edit/edit.h"

#include "script/steps/words.h"

int line_of_place(const char *source, size_t place) {
    int line = 1;
    for (const char *at = source; *at != '\0' && at < source + place; at++) line += *at == '\n';
    return line;
}

const char *edited_source(struct arena *arena, const char *source, const struct edit *edit) {
    return arena_format(arena, "%.*s%s%s", (int)edit->start, source, edit->text,
                        source + edit->end);
}

const char *line_words(struct arena *arena, const char *source, int line) {
    int within;
    const int cell = cell_of_line(source, line, &within);
    return cell > 0 ? arena_format(arena, "cell %d, line %d", cell, within)
                    : arena_format(arena, "line %d", within);
}
