#include "script/lesson/line_edits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/edit/candidates.h"
#include "script/lesson/statements.h"
#include "script/steps/words.h"

struct lesson_lines lines_of_lesson(struct arena *arena, const struct run *run, int step) {
    struct lesson_lines lines = {.run = run, .step = step};
    struct text text = text_new(arena);
    lines.starts = arena_array(arena, (size_t)step + 2, sizeof *lines.starts);
    // Nobody writes down what a model has learned, or the lines that read it: no edit is made in them.
    if (run->lesson->learned == NULL) text_add_format(&text, "%s\n", run_setup(arena, run));
    for (int i = 0; i <= step; i++) {
        lines.starts[i] = text.length;
        text_add_format(&text, "%s\n", run->steps[i].statement);
    }
    lines.starts[step + 1] = text.length;
    lines.source = text.bytes;
    return lines;
}

// ---- Which lines a step needs -------------------------------------------------------------------------

static bool binds_word(const struct node *target, const char *needed) {
    if (target->kind == NODE_NAME) return find_word(needed, target->text);
    if (target->kind != NODE_TUPLE && target->kind != NODE_LIST)
        return target->part_count > 0 && binds_word(target->parts[0], needed); // x[0], x.data
    for (int i = 0; i < target->part_count; i++) {
        if (binds_word(target->parts[i], needed)) return true;
    }
    return false;
}

// Does a statement bind or change what stands in the text? A call may change anything.
static bool is_needed(const struct node *statement, const char *needed) {
    bool binds = false;
    switch (statement->kind) {
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_IF:
    case NODE_WITH:
    case NODE_BLOCK:
        for (int i = 0; i < statement->part_count; i++) {
            const struct node *part = statement->parts[i];
            binds = binds || (part != NULL && part->kind >= NODE_BLOCK && is_needed(part, needed));
        }
        return binds;
    case NODE_ASSIGN:
    case NODE_AUGMENTED:
        for (int i = 0; i + 1 < statement->part_count || i == 0; i++)
            binds = binds || binds_word(statement->parts[i], needed);
        return binds;
    case NODE_DEF:
    case NODE_CLASS:
        return find_word(needed, statement->text);
    default:
        return true;
    }
}

// Is the statement the only place that a name has its value from? Then what stands before it does not matter for the name.
static bool forget_assigned(char *needed, const struct node *statement) {
    if (statement->kind != NODE_ASSIGN || statement->part_count != 2 ||
        statement->parts[0]->kind != NODE_NAME)
        return false;
    const char *name = statement->parts[0]->text;
    for (const char *at; (at = find_word(needed, name)) != NULL;)
        memset(needed + (at - needed), ' ', strlen(name));
    return true;
}

// Is the line one of an earlier step whose numbers were handed in? What it computes is not read.
static bool is_handed_in(const struct lesson_lines *lines, int line) {
    const size_t start = (size_t)(place_in_source(lines->source, line, 0) - lines->source);
    int step = lines->step;
    while (step >= 0 && lines->starts[step] > start) step--;
    return step >= 0 && step < lines->step && lines->run->is_handed != NULL &&
           lines->run->is_handed[step];
}

// By line: is it one of the statements that the last step's expression, and `also`, do not go back to? Gradients matter only to
// what reads them. `reads_handed`: a line of a step that was handed in may do more than compute it, such as make a layer.
static const bool *idle_lines(struct arena *arena, const struct lesson_lines *lines,
                              bool reads_handed, const char *also) {
    const int last = line_of_place(lines->source, lines->starts[lines->step + 1]);
    bool *closed = arena_array(arena, (size_t)last + 1, sizeof *closed);
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, "lesson", lines->source, &error);
    struct text needed = text_new(arena);
    text_add_format(&needed, "%s\n%s", lines->run->steps[lines->step].expression, also);
    for (int i = program.tree->part_count - 1; i >= 0; i--) {
        const struct node *statement = program.tree->parts[i];
        const struct span *span = &statement->span;
        const char *written = text_of_node(arena, &program, statement);
        const bool is_idle =
            (!reads_handed && is_handed_in(lines, span->line)) ||
            (statement->kind == NODE_EXPRESSION && strstr(written, ".backward(") != NULL &&
             strstr(needed.bytes, "grad") == NULL && strstr(needed.bytes, ".step(") == NULL);
        if (!is_idle && is_needed(statement, needed.bytes)) {
            const bool is_assigned = forget_assigned(needed.bytes, statement);
            const struct node *value = statement->parts[statement->part_count - 1];
            text_add_format(&needed, "\n%s",
                            is_assigned ? text_of_node(arena, &program, value) : written);
        } else
            for (int k = span->line; k <= span->end_line; k++) closed[k] = true;
    }
    return closed;
}

// ---- Which names take each other's place ----------------------------------------------------------------

// The step that a name is the tensor of, or whose layer it is, with `end` ".weight"; NULL if there is none.
static const struct step *step_of_name(const struct lesson_lines *lines, const char *name,
                                       const char *end) {
    const size_t length = strlen(name);
    for (int i = lines->step; i >= 0; i--) {
        const struct step *step = &lines->run->steps[i];
        if (strncmp(step->expression, name, length) == 0 &&
            strcmp(step->expression + length, end) == 0)
            return step;
    }
    return NULL;
}

// Tensors of one shape, layers whose rows are as long, or neither.
static bool may_take_place(const struct lesson_lines *lines, const char *name, const char *other) {
    const struct step *a = step_of_name(lines, name, ""), *b = step_of_name(lines, other, "");
    if ((a == NULL) != (b == NULL)) return false;
    if (a != NULL) return shapes_equal(shape_of(&a->tensor), shape_of(&b->tensor));
    a = step_of_name(lines, name, ".weight"), b = step_of_name(lines, other, ".weight");
    if ((a == NULL) != (b == NULL)) return false;
    return a == NULL ||
           (a->tensor.ndim == b->tensor.ndim &&
            a->tensor.shape[a->tensor.ndim - 1] == b->tensor.shape[a->tensor.ndim - 1]);
}

// Only the size of a name's tensor is asked for: any other may have another one.
static bool is_of_size(const struct lesson_lines *lines, const struct edit *edit) {
    return strncmp(lines->source + edit->end, ".shape[", strlen(".shape[")) == 0;
}

// Have tensors of one shape the same numbers, but for rounding?
static bool are_alike(const struct tensor *a, const struct tensor *b) {
    static const double REORDERED = 1e-5;
    const int64_t count = count_of(shape_of(a));
    for (int64_t i = 0; i < count; i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (!(fabs(x - y) <= REORDERED * fmax(fabs(x), fabs(y)))) return false;
    }
    return true;
}

struct line_judge {
    struct edit_judge judge;
    struct arena *arena;
    const struct lesson_lines *lines;
};

// Is what the edit reads of the shape, or the kind, of what it stands for?
static bool is_sensible(const struct edit_judge *judge, const struct edit *edit) {
    const struct line_judge *line_judge = (const struct line_judge *)judge;
    const struct lesson_lines *lines = line_judge->lines;
    if (edit->reading == READS_ITS_VALUE) // a training takes too long for all of these
        return step_of_edit(lines, edit) == lines->step && !lines->run->lesson->trains;
    if (edit->reads == NULL) return true;
    const struct step *read = step_of_name(lines, edit->reads, "");
    const struct step *of = &lines->run->steps[step_of_edit(lines, edit)];
    switch (edit->reading) {
    case READ_AS_NAME:
        return is_of_size(lines, edit) ||
               may_take_place(lines,
                              arena_copy_bytes(line_judge->arena, lines->source + edit->start,
                                               edit->end - edit->start),
                              edit->reads);
    case READ_AS_TERM:
        return read != NULL && shapes_equal(shape_of(&read->tensor), shape_of(&of->tensor)) &&
               !are_alike(&read->tensor, &of->tensor); // x + x is x * 2
    case READ_AS_NUMBER:
        return read == NULL || !is_floating(read->tensor.storage->dtype);
    default:
        return true;
    }
}

// ---- Edits ------------------------------------------------------------------------------------------

static int compare_prices(const void *a, const void *b) {
    const struct edit *one = a, *other = b;
    if (one->price != other->price) return one->price < other->price ? -1 : 1;
    if (one->start != other->start) return one->start > other->start ? -1 : 1; // the later one
    const size_t length = strlen(one->text), longer = strlen(other->text);
    if (length != longer) return length < longer ? -1 : 1;
    return strcmp(one->text, other->text);
}

static const double ELSEWHERE = 3; // bits more, in the lines of an earlier step

struct edit_list edits_of_lines(struct arena *arena, const struct lesson_lines *lines) {
    const bool *closed = idle_lines(arena, lines, false, "");
    const struct line_judge judge = {{is_sensible}, arena, lines};
    const struct edit_list found =
        mistakes_in_program(arena, "lesson", lines->source, closed, &judge.judge);
    struct edit *edits = arena_array(arena, (size_t)found.count + 1, sizeof *edits);
    int count = 0;
    double sum = 0;
    for (int i = 0; i < found.count; i++) {
        edits[count] = found.edits[i];
        if (step_of_edit(lines, &edits[count]) < lines->step) edits[count].price += ELSEWHERE;
        sum += exp2(-edits[count++].price);
    }
    for (int i = 0; i < count; i++) edits[i].price += log2(sum);
    if (count > 0) qsort(edits, (size_t)count, sizeof *edits, compare_prices);
    return (struct edit_list){count, edits};
}

// Without the pieces behind the last step; NULL if none is left that the step needs.
static const struct edit *needed_pieces(struct arena *arena, const struct lesson_lines *lines,
                                        const bool *closed, const struct edit *edit) {
    const struct edit *first = NULL, **behind = &first;
    bool is_needed = false;
    for (; edit != NULL && edit->start < lines->starts[lines->step + 1]; edit = edit->also) {
        struct edit *piece = arena_allocate(arena, sizeof *piece);
        *piece = *edit;
        piece->also = NULL;
        *behind = piece;
        behind = &piece->also;
        const bool draws =
            strstr(piece->text, "torch.nn.") != NULL; // and so all behind it is other
        is_needed = is_needed || draws || !closed[line_of_place(lines->source, piece->start)];
    }
    return is_needed ? first : NULL;
}

struct edit_list mistakes_of_lines(struct arena *arena, const struct lesson_lines *lines,
                                   const char *also) {
    const bool *closed = idle_lines(arena, lines, true, also);
    const struct lesson_lines all = lines_of_lesson(arena, lines->run, lines->run->step_count - 1);
    const struct edit_list found = mistakes_named(arena, "lesson", all.source, NULL);
    struct edit *edits = arena_array(arena, (size_t)found.count + 1, sizeof *edits);
    int count = 0;
    for (int i = 0; i < found.count; i++) {
        if (found.edits[i].is_variant) continue;
        const struct edit *needed = needed_pieces(arena, lines, closed, &found.edits[i]);
        if (needed != NULL) edits[count++] = *needed;
    }
    return (struct edit_list){count, edits};
}

const struct edit *pieces_needed(struct arena *arena, const struct lesson_lines *lines,
                                 const struct edit *edit) {
    const bool *closed = idle_lines(arena, lines, true, "");
    const struct edit *first = NULL, **behind = &first;
    for (const struct edit *part = edit; part != NULL; part = part->also) {
        if (closed[line_of_place(lines->source, part->start)]) continue;
        struct edit *piece = arena_allocate(arena, sizeof *piece);
        *piece = *part;
        piece->also = NULL;
        *behind = piece;
        behind = &piece->also;
    }
    return first != NULL ? first : edit;
}

int step_of_edit(const struct lesson_lines *lines, const struct edit *edit) {
    int step = 0;
    while (step < lines->step && lines->starts[step + 1] <= edit->start) step++;
    return step;
}

// The piece that comes first in the source of two lists of pieces, taken out of its list.
static const struct edit *take_first(const struct edit **a, const struct edit **b) {
    const struct edit **from = *b == NULL || (*a != NULL && (*a)->start < (*b)->start) ? a : b;
    const struct edit *piece = *from;
    *from = piece->also;
    return piece;
}

const struct edit *both_edits(struct arena *arena, const struct edit *a, const struct edit *b) {
    const struct edit *first = NULL, **behind = &first;
    const struct edit *before = NULL;
    while (a != NULL || b != NULL) {
        struct edit *piece = arena_allocate(arena, sizeof *piece);
        *piece = *take_first(&a, &b);
        piece->also = NULL;
        if (before != NULL && (piece->start < before->end || piece->start == before->start))
            return NULL;
        *behind = before = piece;
        behind = &piece->also;
    }
    return first;
}

// A step's statement with the edit; the step's own text where it is the same.
static const char *statement_with(struct arena *arena, const struct lesson_lines *lines, int step,
                                  const struct edit *edit, const char *edited) {
    const char *right = lines->run->steps[step].statement;
    const size_t start = place_after(edit, lines->starts[step]);
    const size_t end = place_after(edit, lines->starts[step + 1] - 1);
    const char *statement = arena_copy_bytes(arena, edited + start, end - start);
    return strcmp(statement, right) == 0 ? right : statement;
}

struct run edited_run(struct arena *arena, const struct lesson_lines *lines,
                      const struct edit *edit) {
    struct run run = *lines->run;
    struct step *steps = arena_array(arena, (size_t)run.step_count, sizeof *steps);
    memcpy(steps, run.steps, (size_t)run.step_count * sizeof *steps);
    const char *edited = edited_source(arena, lines->source, edit);
    for (int i = 0; i <= lines->step; i++)
        steps[i].statement = statement_with(arena, lines, i, edit, edited);
    run.steps = steps;
    if (edit->start < lines->starts[0])
        run.setup = arena_copy_bytes(arena, edited, place_after(edit, lines->starts[0]));
    return run;
}

// The one mistake that is in no line, but a setting: another build of PyTorch draws other masks.
static bool change_stream(struct run *result, const struct run *run, const char *mistake) {
    if (strcmp(mistake, "other-bernoulli") != 0 || !(run->lesson->uses & USES_DROPOUT))
        return false;
    *result = *run;
    result->stream = run->stream == MT19937 ? MCG31M1 : MT19937;
    return true;
}

bool make_in_lines(struct run *result, struct arena *arena, const struct run *run,
                   const char *mistake) {
    if (change_stream(result, run, mistake)) return true;
    // The lines that compute attention stand in the setup there.
    if (run->lesson->learned != NULL) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    const struct lesson_lines lines = lines_of_lesson(m, run, run->step_count - 1);
    const struct edit_list edits = mistakes_named(m, "lesson", lines.source, mistake);
    const bool is_made = edits.count > 0;
    if (is_made) *result = edited_run(arena, &lines, &edits.edits[0]);
    scratch_close(&scratch);
    return is_made;
}

struct tensor play_edit(struct rehearsal *rehearsal, struct arena *arena,
                        const struct lesson_lines *lines, const struct edit *edit, int64_t most,
                        int64_t *work) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    const struct run run = edited_run(m, lines, edit);
    const struct tensor tensor = rehearse(rehearsal, arena, &run, most, work);
    scratch_close(&scratch);
    return tensor;
}

// A piece's line, or lines, in the source: from *start to *end.
static void find_line(const struct lesson_lines *lines, const struct edit *piece, size_t *start,
                      size_t *end) {
    const char *source = lines->source;
    *start = (size_t)(place_in_source(source, line_of_place(source, piece->start), 0) - source);
    *end = piece->end + strcspn(source + piece->end, "\n");
}

// Does an earlier piece stand in the same line, or in a line of the same text, as of another block?
static bool is_shown(const struct lesson_lines *lines, const struct edit *edit,
                     const struct edit *piece) {
    size_t start, end, other, other_end;
    find_line(lines, piece, &start, &end);
    for (; edit != piece; edit = edit->also) {
        find_line(lines, edit, &other, &other_end);
        if (end - start == other_end - other &&
            strncmp(lines->source + start, lines->source + other, end - start) == 0)
            return true;
    }
    return false;
}

// The lines of the source, or of the edited one, in which pieces stand.
static const char *lines_of_pieces(struct arena *arena, const struct lesson_lines *lines,
                                   const struct edit *edit, bool is_edited) {
    const char *source = is_edited ? edited_source(arena, lines->source, edit) : lines->source;
    struct text text = text_new(arena);
    for (const struct edit *piece = edit; piece != NULL; piece = piece->also) {
        size_t start, end;
        if (is_shown(lines, edit, piece)) continue;
        find_line(lines, piece, &start, &end);
        const size_t first = is_edited ? place_after(edit, start) : start;
        const size_t behind = is_edited ? place_after(edit, end) : end;
        text_add_bytes(&text, source + first, behind - first);
        text_add(&text, "\n");
    }
    return text.bytes;
}

const char *lines_before(struct arena *arena, const struct lesson_lines *lines,
                         const struct edit *edit) {
    return lines_of_pieces(arena, lines, edit, false);
}

const char *lines_after(struct arena *arena, const struct lesson_lines *lines,
                        const struct edit *edit) {
    return lines_of_pieces(arena, lines, edit, true);
}
