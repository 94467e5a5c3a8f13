#include "app/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/checked.h"
#include "app/command/json.h"
#include "app/command/program.h"
#include "app/compare/mending.h"
#include "app/compare/two_runs.h"
#include "script/recording/recording_lesson.h"
#include "script/steps/words.h"
#include "tensor/operation/operation.h"

struct comparing {
    struct two_runs runs;
    struct mending mending;
};

static const char *side_name(const struct comparing *c, bool is_b) {
    return run_name(&c->runs, is_b);
}

static const char *name_of(const struct comparing *c, bool is_b, int number) {
    return place_name(&c->runs, is_b, number);
}

static void add_wrapped(struct text *text, const char *paragraph) {
    char **lines;
    const int count = text_wrap(text->arena, paragraph, 80, &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "%s\n", lines[i]);
}

// A label, and behind it the lines, indented alike.
static void add_lines(struct text *text, const char *label, const char *lines) {
    enum { COLUMNS = 18 };
    const int columns = text_width(label) < COLUMNS ? COLUMNS : text_width(label) + 1;
    for (bool is_first = true; is_first || *lines != '\0'; is_first = false) {
        const size_t length = strcspn(lines, "\n");
        const char *start = lines;
        size_t blanks = is_first ? strspn(start, " \t") : 0;
        if (blanks > length) blanks = length;
        text_add_padded(text, is_first ? label : "", columns, false);
        text_add_format(text, "%s\n",
                        text_safe_bytes(text->arena, start + blanks, length - blanks));
        lines += length + (lines[length] != '\0');
    }
}

// A line that calls; of number 0: none is known.
struct calling {
    int line;
    const char *text;
};

// The name of the function that a line of a source stands in, and where it begins; NULL: it stands in none.
static const char *function_around(struct arena *arena, const char *source, int line, int *first) {
    size_t indent = SIZE_MAX;
    for (int i = line; i > 0; i--) {
        const char *start = place_in_source(source, i, 0), *text = start + strspn(start, " \t");
        if (*text == '\n' || *text == '\0' || (size_t)(text - start) >= indent) continue;
        indent = (size_t)(text - start);
        if (i == line || strncmp(text, "def ", 4) != 0) continue;
        text += 4;
        *first = i;
        return arena_copy_bytes(arena, text, strcspn(text, "( "));
    }
    return NULL;
}

static bool line_calls(struct arena *arena, const char *source, int line, const char *name) {
    const char *start = place_in_source(source, line, 0);
    const char *text = arena_copy_bytes(arena, start, strcspn(start, "\n"));
    const char *at = find_word(text, name);
    return at != NULL && at[strlen(name)] == '(';
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Of a step in a function that is no module's, of a recording: its steps before or behind it in another function may stand in the
// line that calls it.
static struct calling calling_in_recording(const struct comparing *c, const struct side *side,
                                           const struct recording *recording, int step) {
    const struct step *steps = side->run->steps;
    const char *source = NULL;
    for (int i = 0; i < recording->file_count && steps[step].paragraph != NULL; i++)
        if (strcmp(last_name(recording->files[i].name), steps[step].paragraph->file) == 0)
            source = recording->files[i].text;
    if (source == NULL || steps[step].excerpt == NULL) return (struct calling){0};
    int first = 0, other = 0;
    const char *name =
        function_around(c->runs.arena, source, steps[step].excerpt->first_line, &first);
    for (int way = -1; name != NULL && way <= 1; way += 2) {
        for (int i = step + way; i >= 0 && i < side->run->step_count; i += way) {
            if (steps[i].within != steps[step].within || steps[i].excerpt == NULL) continue;
            const int line = steps[i].excerpt->first_line;
            function_around(c->runs.arena, source, line, &other);
            if (other == first) continue;
            if (!line_calls(c->runs.arena, source, line, name)) break;
            const char *text = place_in_source(source, line, 0);
            return (struct calling){line,
                                    arena_copy_bytes(c->runs.arena, text, strcspn(text, "\n"))};
        }
    }
    return (struct calling){0};
}

// The line that calls what a place is in.
static struct calling calling_of(const struct comparing *c, bool is_b, int number) {
    const struct side *side = is_b ? &c->runs.b : &c->runs.a;
    const int step = side->places[number].step;
    if (side->run == NULL || step < 0) return (struct calling){0};
    const struct recording *recording = recording_of(is_b ? c->runs.lesson_b : c->runs.lesson_a);
    if (recording != NULL) {
        const struct calling calling = calling_in_recording(c, side, recording, step);
        if (calling.line > 0) return calling;
    }
    const int within = side->run->steps[step].within;
    if (within == 0) return (struct calling){0};
    const struct excerpt *excerpt = side->run->steps[within - 1].excerpt;
    return (struct calling){excerpt->first_line, excerpt->text};
}

static const char *cell_text(struct arena *arena, const struct place *place, int64_t position) {
    struct text text = text_new(arena);
    int64_t index[MAX_DIMS];
    if (place->full.ndim == 0) return "its only number";
    index_at(place->full, position, index);
    text_add(&text, "[");
    for (int dim = 0; dim < place->full.ndim; dim++)
        text_add_format(&text, "%s%" PRId64, dim > 0 ? ", " : "", index[dim]);
    text_add(&text, "]");
    return text.bytes;
}

// ---- For people --------------------------------------------------------------------------------------

static void add_same(struct text *text, const struct comparing *c) {
    const struct parting *parting = &c->runs.parting;
    add_wrapped(text, arena_format(text->arena,
                                   "%s and %s are the same, as far as rounding goes: the result of "
                                   "%s is %s of %s. %d of its %d tensors have a counterpart.",
                                   side_name(c, false), side_name(c, true), side_name(c, true),
                                   name_of(c, false,
                                           c->runs.matching.match[c->runs.b.last] >= 0
                                               ? c->runs.matching.match[c->runs.b.last]
                                               : c->runs.a.last),
                                   side_name(c, false), parting->same, parting->shown));
    if (parting->is_shorter)
        add_wrapped(text, arena_format(text->arena, "%s goes on from there.", side_name(c, false)));
}

static void add_largest(struct text *text, const struct comparing *c) {
    struct arena *arena = text->arena;
    const struct difference *d = &c->runs.parting.difference;
    const struct place *a = &c->runs.a.places[c->runs.parting.a],
                       *b = &c->runs.b.places[c->runs.parting.b];
    if (!d->is_comparable) {
        add_wrapped(text, arena_format(arena, "Their shapes are %s and %s.",
                                       shape_text(arena, a->full), shape_text(arena, b->full)));
        return;
    }
    const bool has_axes =
        a->is_shown && a->step >= 0 && a->full.ndim > 0 && axis_name(&a->tensor, 0) != NULL;
    const char *cell =
        has_axes ? place_text(arena, &a->tensor, d->worst_a) : cell_text(arena, a, d->worst_a);
    const char *other = cell_text(arena, b, d->worst_b);
    add_wrapped(text,
                arena_format(arena,
                             "%" PRId64 " of %" PRId64 " numbers differ. The largest difference is "
                             "%.4g, at %s: %.6g in %s, and %.6g in %s%s%s.",
                             d->different, d->count, d->largest, cell, a->numbers[d->worst_a],
                             side_name(c, false), b->numbers[d->worst_b], side_name(c, true),
                             d->worst_a != d->worst_b ? " at " : "",
                             d->worst_a != d->worst_b ? other : ""));
}

static void add_mending(struct text *text, const struct comparing *c) {
    const struct mending *mending = &c->mending;
    struct arena *arena = text->arena;
    if (!mending->is_found && mending->tried > 0)
        add_wrapped(text,
                    arena_format(arena, "No line written otherwise explains it (%d tried%s).",
                                 mending->tried, mending->is_cut ? "; --thorough tries more" : ""));
    if (!mending->is_found) return;
    if (mending->parameter != NULL) {
        text_add_format(text, "%s has these numbers with %s.\n", side_name(c, false),
                        mending->parameter);
        return;
    }
    if (mending->is_of_b) {
        add_lines(text, arena_format(arena, "%s is", mending->where), mending->before);
        add_lines(text, "right would be",
                  *mending->after != '\0' ? mending->after : "nothing: the line is too many");
    } else {
        text_add_format(text, "%s has these numbers with another line:\n", side_name(c, false));
        if (mending->before != NULL) add_lines(text, "its line is", mending->before);
        if (mending->after != NULL) add_lines(text, "with", mending->after);
    }
    if (mending->is_partial) add_wrapped(text, "With it the results still differ.");
    if (mending->name != NULL)
        add_wrapped(text, arena_format(arena, "%s: %s", mending->name, mending->words));
    else if (mending->words != NULL)
        text_add_format(text, "(%s)\n", mending->words);
}

// One of them was ended before it could part from the other.
static void add_ended(struct text *text, const struct comparing *c) {
    const struct parting *parting = &c->runs.parting;
    const bool is_b = c->runs.b.ended != NULL;
    add_wrapped(text,
                arena_format(text->arena,
                             "%s ended before it had the result of %s. Until then they are the "
                             "same: %d of the %d tensors of %s have a counterpart.",
                             side_name(c, is_b), side_name(c, !is_b), parting->same, parting->shown,
                             side_name(c, true)));
    add_wrapped(text, arena_format(text->arena, "It was ended by %s",
                                   is_b ? c->runs.b.ended : c->runs.a.ended));
    add_mending(text, c);
}

// The line of a tensor, and of a recording the call that it ran.
static void add_line(struct text *text, const struct comparing *c, bool is_b, int number) {
    const struct side *side = is_b ? &c->runs.b : &c->runs.a;
    const char *call = call_compared(&c->runs, is_b, number);
    add_lines(text, place_where(&c->runs, is_b, number),
              line_compared(&c->runs, &side->places[number]));
    if (call != NULL) add_lines(text, "  it ran", call);
}

static void add_parting(struct text *text, const struct comparing *c) {
    struct arena *arena = text->arena;
    const struct parting *parting = &c->runs.parting;
    const char *name = name_of(c, true, parting->b),
               *other = parting->a >= 0 ? name_of(c, false, parting->a) : name;
    const bool is_renamed =
        strcmp(name, other) != 0 && !parting->is_exchanged && parting->meant < 0;
    add_wrapped(text,
                arena_format(arena, "%s and %s part at %s%s%s.", side_name(c, false),
                             side_name(c, true), name, is_renamed ? ", which stands for " : "",
                             is_renamed ? other : ""));
    if (parting->a >= 0) add_line(text, c, false, parting->a);
    add_line(text, c, true, parting->b);
    const struct calling calling = calling_of(c, true, parting->b);
    if (calling.line > 0 && calling.line != c->runs.b.places[parting->b].line)
        add_lines(text, arena_format(arena, "line %d calls", calling.line), calling.text);
    if (parting->is_exchanged)
        add_wrapped(
            text, arena_format(arena, "It has the numbers of %s, but two dimensions are exchanged.",
                               other));
    else if (parting->meant >= 0)
        add_wrapped(text, arena_format(arena, "It has the numbers of %s, and the name of %s.",
                                       other, name_of(c, false, parting->meant)));
    else if (parting->a >= 0)
        add_largest(text, c);
    if (parting->used_b >= 0 && parting->wanted_a >= 0)
        add_wrapped(text, arena_format(arena, "It reads %s, where %s reads %s.",
                                       name_of(c, true, parting->used_b), side_name(c, false),
                                       name_of(c, false, parting->wanted_a)));
    add_mending(text, c);
    if (parting->follow > 0)
        add_wrapped(text, arena_format(arena, "%d later tensor%s of %s differ%s because of it.",
                                       parting->follow, parting->follow == 1 ? "" : "s",
                                       side_name(c, true), parting->follow == 1 ? "s" : ""));
    if (parting->next >= 0) {
        const char *further = name_of(c, true, parting->next);
        add_wrapped(text, arena_format(arena, "%s, %s, differs as well, and is not made of it.",
                                       further, place_where(&c->runs, true, parting->next)));
    }
}

// ---- For programs ------------------------------------------------------------------------------------

static void add_json_place(struct json *json, const char *name, const struct comparing *c,
                           bool is_b, int number) {
    if (number < 0) {
        json_add_string(json, name, NULL);
        return;
    }
    const struct side *side = is_b ? &c->runs.b : &c->runs.a;
    const struct place *place = &side->places[number];
    const struct calling calling = calling_of(c, is_b, number);
    json_open_object(json, name);
    json_add_string(json, "tensor", name_of(c, is_b, number));
    json_add_integer(json, "line", place->line);
    json_add_string(json, "statement", line_compared(&c->runs, place));
    const char *ran = call_compared(&c->runs, is_b, number);
    if (ran != NULL) json_add_string(json, "ran", ran);
    if (calling.line > 0) json_add_integer(json, "called_at", calling.line);
    json_add_integers(json, "shape", place->full.size, place->full.ndim);
    json_close(json);
}

static void add_json(struct text *text, const struct comparing *c) {
    const struct parting *parting = &c->runs.parting;
    const struct mending *mending = &c->mending;
    struct json json = json_answer(text);
    json_add_string(&json, "a", c->runs.a.name);
    json_add_string(&json, "b", c->runs.b.name);
    json_add_string(&json, "verdict", parting->is_same ? "same" : "part");
    json_add_string(&json, "ended", c->runs.b.ended);
    json_add_integer(&json, "tensors", parting->shown);
    json_add_integer(&json, "same", parting->same);
    if (!parting->is_same) {
        add_json_place(&json, "of_a", c, false, parting->a);
        add_json_place(&json, "of_b", c, true, parting->b);
        const struct difference *d = &parting->difference;
        json_add_integer(&json, "different", d->is_comparable ? d->different : -1);
        json_add_number(&json, "largest", d->is_comparable ? d->largest : NAN);
        json_add_integer(&json, "follow", parting->follow);
        add_json_place(&json, "next", c, true, parting->next);
        json_open_object(&json, "edit");
        json_add_bool(&json, "found", mending->is_found);
        json_add_string(&json, "of", !mending->is_found ? NULL : mending->is_of_b ? "b" : "a");
        json_add_bool(&json, "gives_result", mending->is_found && !mending->is_partial);
        json_add_string(&json, "parameter", mending->parameter);
        json_add_string(&json, "name", mending->name);
        json_add_string(&json, "words", mending->words);
        json_add_string(&json, "before", mending->before);
        json_add_string(&json, "after", mending->after);
        json_close(&json);
    }
    json_close(&json);
}

// ---- The command -------------------------------------------------------------------------------------

// Has it lines that can be edited?
static bool lesson_is_text(const struct lesson *lesson) {
    return !is_of_reader(lesson) || is_program(lesson);
}

// The edit, and what it says of where they part: the first tensor that it changes.
static void find_edit(struct comparing *c, const struct command *command) {
    const bool is_thorough = command->compare.is_thorough;
    const struct parting *parting = &c->runs.parting;
    if (c->runs.a.run == NULL || (parting->is_ended && c->runs.b.ended == NULL)) return;
    if (c->runs.lesson_b != NULL && is_program(c->runs.lesson_b))
        c->mending =
            mend_program_of_b(c->runs.arena, &c->runs.matching, &c->runs.parting,
                              command->compare.b, program_text(c->runs.lesson_b), is_thorough);
    else if (lesson_is_text(c->runs.lesson_a) && !parting->is_ended)
        c->mending = mend_a(c->runs.arena, &c->runs.matching, &c->runs.parting,
                            is_program(c->runs.lesson_a) ? program_text(c->runs.lesson_a) : NULL,
                            is_thorough);
    if (!c->mending.is_found && c->mending.is_of_b && !is_of_reader(c->runs.lesson_a) &&
        !parting->is_ended)
        c->mending = mend_a(c->runs.arena, &c->runs.matching, &c->runs.parting, NULL, is_thorough);
    const int changed = c->mending.changed;
    if (!c->mending.is_found || changed < 0 || changed == c->runs.parting.b) return;
    // By numbers and names is known what the edit may not change first.
    const bool is_told = c->runs.parting.is_exchanged || c->runs.parting.meant >= 0;
    if (is_told && changed > c->runs.parting.b) return;
    c->runs.parting = parting_at(c->runs.arena, &c->runs.matching, changed);
}

bool add_comparison(struct text *text, const struct command *command) {
    struct arena *arena = text->arena;
    const struct compare_options *options = &command->compare;
    struct comparing c = {.runs.arena = arena};
    struct two_runs *runs = &c.runs;
    runs->lesson_a = lesson_compared(arena, options->a);
    runs->a = side_compared(arena, options->a, runs->lesson_a, &command->parameters);
    runs->lesson_b = lesson_compared(arena, options->b);
    runs->b = side_compared(arena, options->b, runs->lesson_b, &command->parameters);
    match_runs(runs, options->names);
    c.mending.changed = NOWHERE;
    if (!c.runs.parting.is_same) find_edit(&c, command);
    if (command->format == FORMAT_JSON)
        add_json(text, &c);
    else if (c.runs.parting.is_same)
        add_same(text, &c);
    else if (c.runs.parting.is_ended)
        add_ended(text, &c);
    else
        add_parting(text, &c);
    return c.runs.parting.is_same;
}
