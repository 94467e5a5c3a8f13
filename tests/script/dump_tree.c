// Prints the tree of each program that is named, one node a line, for script_trees.py (tree_text.h).
//
//   dump_tree FILE...

#include <stdio.h>
#include <stdlib.h>

#include "script/syntax/tree.h"
#include "tree_text.h"

static char *read_whole(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) exit(2);
    char *source = NULL;
    size_t length = 0;
    for (int c; (c = getc(file)) != EOF; length++) {
        source = arena_grow(arena, source, length, 2);
        source[length] = (char)c;
        source[length + 1] = '\0';
    }
    fclose(file);
    return source == NULL ? arena_copy(arena, "") : source;
}

int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        struct failure failure = {0};
        struct arena arena = arena_new(&failure);
        struct syntax_error error;
        const struct program program =
            parse_program(&arena, names[i], read_whole(&arena, names[i]), &error);
        printf("= %s\n", names[i]);
        if (error.message != NULL)
            printf("%s:%d: %s\n", error.type, error.span.line, error.message);
        else
            fputs(tree_text(&arena, program.tree), stdout);
        arena_free(&arena);
    }
    return 0;
}
