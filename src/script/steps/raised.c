#include "script/steps/raised.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/words.h"

// "6x3", as in PyTorch's messages; "(6,)" of one dimension, "()" of a single number.
static const char *sizes_in_message(struct arena *arena, struct shape shape) {
    if (shape.ndim < 2) return shape_text(arena, shape);
    struct text text = text_new(arena);
    for (int dim = 0; dim < shape.ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? "x" : "", shape.size[dim]);
    return text.bytes;
}

static bool has_block(const struct node *statement) {
    for (int i = 0; i < statement->part_count; i++)
        if (statement->parts[i] != NULL && statement->parts[i]->kind == NODE_BLOCK) return true;
    return false;
}

static bool is_behind(const struct span *span, int line, int column) {
    return span->line > line || (span->line == line && span->column >= column);
}

// Adds the statement with shapes behind the names that nothing is written to; the others stay in *left.
static void add_line(struct text *text, const struct program *program, struct node piece,
                     const struct read *reads, int count, bool *left) {
    const struct span whole = piece.span;
    for (int i = 0; i < count; i++) {
        const struct span *span = &reads[i].node->span;
        const char *next = place_in_source(program->source, span->end_line, span->end_column);
        left[i] = reads[i].path != NULL || strchr(".[(", *next) != NULL ||
                  !is_behind(span, piece.span.line, piece.span.column);
        if (left[i]) continue;
        piece.span.end_line = span->end_line;
        piece.span.end_column = span->end_column;
        text_add_format(text, "%s %s", text_of_node(text->arena, program, &piece),
                        sizes_in_message(text->arena, reads[i].shape));
        piece.span.line = span->end_line;
        piece.span.column = span->end_column;
    }
    piece.span.end_line = whole.end_line;
    piece.span.end_column = whole.end_column;
    text_add(text, text_of_node(text->arena, program, &piece));
}

// Does the line have its shape, or the list before it?
static bool is_told(const char *const *names, const bool *left, int count, int i, bool is_listed) {
    for (int k = 0; k < count; k++) {
        const bool has_shape = is_listed ? k < i : !left[k] || k < i;
        if (has_shape && strcmp(names[k], names[i]) == 0) return true;
    }
    return false;
}

const char *line_with_shapes(struct arena *arena, const struct program *program,
                             const struct node *statement, const struct read *reads, int count) {
    enum { LONG = 150, MOST = 16 };
    bool left[MOST], stands_inside = false;
    const char *names[MOST];
    struct text line = text_new(arena), list = text_new(arena);
    if (count > MOST) count = MOST;
    if (count == 0) return "";
    add_line(&line, program, *statement, reads, count, left);
    for (int i = 0; i < count; i++) {
        names[i] =
            reads[i].path != NULL ? reads[i].path : text_of_node(arena, program, reads[i].node);
        stands_inside |= !left[i];
    }
    const bool is_listed = !stands_inside || line.length > LONG || has_block(statement);
    text_add(&list, "");
    for (int i = 0; i < count; i++)
        if (!is_told(names, left, count, i, is_listed))
            text_add_format(&list, " %s is %s.", names[i], sizes_in_message(arena, reads[i].shape));
    return is_listed
               ? list.bytes + 1
               : arena_format(arena, "The line with its shapes: %s.%s", line.bytes, list.bytes);
}

const char *error_in_words(struct arena *arena, const char *error) {
    const char *message = strstr(error, ": ");
    int64_t a, b, c, d;
    if (message == NULL) return "";
    message += 2;
    if (sscanf(message,
               "mat1 and mat2 shapes cannot be multiplied (%" SCNd64 "x%" SCNd64 " and %" SCNd64
               "x%" SCNd64,
               &a, &b, &c, &d) == 4)
        return arena_format(arena,
                            "A product of matrices needs as many columns on its left as rows on "
                            "its right: %" PRId64 " is not %" PRId64 ".",
                            b, c);
    if (sscanf(message,
               "The size of tensor a (%" SCNd64 ") must match the size of tensor b (%" SCNd64
               ") at non-singleton dimension %" SCNd64,
               &a, &b, &c) == 3)
        return arena_format(arena,
                            "Shapes are compared from their last dimension on. Two sizes must be "
                            "equal, or one of them 1: in dimension %" PRId64 ", counted from 0, "
                            "%" PRId64 " is not %" PRId64 ".",
                            c, a, b);
    if (strncmp(message, "shape '[", 8) == 0 && strstr(message, "is invalid for input") != NULL)
        return "The sizes of the new shape, multiplied, must give the count of the numbers.";
    return "";
}
