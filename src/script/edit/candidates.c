#include "script/edit/candidates.h"

#include <string.h>

#include "base/text.h"
#include "script/edit/visit.h"
#include "script/steps/words.h"

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
    const bool is_of_line =
        node->span.line == line &&
        (node->kind == NODE_ASSIGN || node->kind == NODE_RETURN || node->kind == NODE_AUGMENTED);
    if (is_of_line) return node->part_count > 0 ? node->parts[node->part_count - 1] : NULL;
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

// What stands at %s of a text, in its place.
static const char *text_around(struct arena *arena, const char *text, const char *value) {
    const char *at = strstr(text, "%s");
    return arena_format(arena, "%.*s%s%s", (int)(at - text), text, value, at + strlen("%s"));
}

bool edit_around_value(struct edit *edit, struct arena *arena, const char *source, const char *name,
                       const char *text) {
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, "lesson", source, &error);
    const struct edits edits = {.arena = arena, .program = &program};
    if (program.tree->part_count == 0) return false;
    const struct node *last = program.tree->parts[program.tree->part_count - 1];
    const bool is_its = last->kind == NODE_ASSIGN && last->part_count == 2 &&
                        last->parts[0]->kind == NODE_NAME &&
                        strcmp(last->parts[0]->text, name) == 0;
    if (is_its) {
        const struct node *value = last->parts[1];
        const bool is_whole = value->kind == NODE_NAME || value->kind == NODE_CALL ||
                              value->kind == NODE_ATTRIBUTE || value->kind == NODE_SUBSCRIPT;
        const char *written = text_of_node(arena, &program, value);
        const char *operand = is_whole ? written : arena_format(arena, "(%s)", written);
        *edit = edit_of_node(&edits, value, text_around(arena, text, operand), NULL, 0);
    } else {
        const bool is_parameter =
            strchr(name, '.') != NULL; // W_query.weight, whose numbers are .data
        const char *target = is_parameter ? arena_format(arena, "%s.data", name) : name;
        *edit = edit_of_node(&edits, last,
                             arena_format(arena, "%s\n%s = %s", text_of_node(arena, &program, last),
                                          target, text_around(arena, text, target)),
                             NULL, 0);
    }
    return true;
}
