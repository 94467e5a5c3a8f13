#include "script/edit/edit.h"

int line_of_place(const char *source, size_t place) {
    int line = 1;
    for (const char *at = source; *at != '\0' && at < source + place; at++) line += *at == '\n';
    return line;
}

const char *edited_source(struct arena *arena, const char *source, const struct edit *edit) {
    return arena_format(arena, "%.*s%s%s", (int)edit->start, source, edit->text,
                        source + edit->end);
}
