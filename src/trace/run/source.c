#include "trace/run/source.h"

#include <stddef.h>
#include <string.h>

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
