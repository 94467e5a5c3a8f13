#include "trace/source.h"

#include <stddef.h>

const struct paragraph *paragraph_at(const struct source *source, int line,
                                     const struct excerpt **excerpt) {
    for (int i = 0; i < source->paragraph_count; i++) {
        const struct paragraph *paragraph = &source->paragraphs[i];
        for (int j = 0; j < paragraph->excerpt_count; j++) {
            *excerpt = &paragraph->excerpts[j];
            if (line >= (*excerpt)->first_record && line <= (*excerpt)->last_record)
                return paragraph;
        }
    }
    return NULL;
}
