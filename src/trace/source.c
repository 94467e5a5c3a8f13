#include "trace/source.h"

#include <stddef.h>

const struct paragraph *paragraph_at(const struct source *source, int line) {
    for (int i = 0; i < source->paragraph_count; i++) {
        const struct paragraph *paragraph = &source->paragraphs[i];
        if (line >= paragraph->first_line && line <= paragraph->end_line) return paragraph;
    }
    return NULL;
}
