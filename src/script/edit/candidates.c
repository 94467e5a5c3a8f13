#include "script/edit/candidates.h"

#include "script/edit/visit.h"

// The edits of a program from a source, and the usual ones.
static struct edit_list edits_from(struct arena *arena, const char *file, const char *source,
                                   const bool *closed, const struct edit_judge *judge,
                                   void (*add)(struct edits *edits)) {
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, file, source, &error);
    struct edits edits = {.arena = arena, .program = &program, .closed = closed, .judge = judge};
    add(&edits);
    add_usual_edits(&edits);
    return (struct edit_list){edits.count, edits.all};
}

static void add_mending_edits(struct edits *edits) {
    add_named_edits(edits);
    add_lacking_pieces(edits);
}

static void add_mistakes(struct edits *edits) {
    add_named_mistakes(edits);
    add_changed_values(edits);
}

struct edit_list edits_of_program(struct arena *arena, const char *file, const char *source,
                                  const bool *closed) {
    return edits_from(arena, file, source, closed, NULL, add_mending_edits);
}

struct edit_list mistakes_in_program(struct arena *arena, const char *file, const char *source,
                                     const bool *closed, const struct edit_judge *judge) {
    return edits_from(arena, file, source, closed, judge, add_mistakes);
}

struct edit_list mistakes_named(struct arena *arena, const char *file, const char *source,
                                const char *name) {
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, file, source, &error);
    struct edits edits = {.arena = arena, .program = &program};
    add_mistakes_named(&edits, name);
    return (struct edit_list){edits.count, edits.all};
}

// The value of the assignment, or of the return, whose line it is; NULL if there is none.
static const struct node *value_in_line(const struct node *node, int line) {
    const bool is_it =
        node->span.line == line &&
        (node->kind == NODE_ASSIGN || node->kind == NODE_RETURN || node->kind == NODE_AUGMENTED);
    if (is_it) return node->part_count > 0 ? node->parts[node->part_count - 1] : NULL;
    for (int i = 0; i < node->part_count; i++) {
        const struct node *found =
            node->parts[i] != NULL ? value_in_line(node->parts[i], line) : NULL;
        if (found != NULL) return found;
    }
    return NULL;
}

bool edit_of_value(struct edit *edit, struct arena *arena, const char *file, const char *source,
                   int line) {
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, file, source, &error);
    const struct node *value = value_in_line(program.tree, line);
    const struct edits edits = {.arena = arena, .program = &program};
    if (value == NULL) return false;
    *edit = edit_of_node(&edits, value, "", NULL, 0);
    return true;
}
