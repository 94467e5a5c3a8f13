#include "app/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/checked.h"
#include "app/command/json.h"
#include "app/command/program.h"
#include "app/command/recording.h"
#include "app/compare/mending.h"
#include "script/steps/words.h"
#include "tensor/operation/operation.h"

// The two sides, and what came of them.
struct comparing {
    struct arena *arena;
    struct side a, b;
    const struct lesson *lesson_a, *lesson_b; // NULL: a dump
    struct matching matching;
    struct parting parting;
    struct mending mending;
};

// ---- Reading -----------------------------------------------------------------------------------------

// The lesson, or program, of an argument; NULL: a dump.
static const struct lesson *lesson_of(struct arena *arena, const char *argument) {
    const struct lesson *lesson = lesson_by_name(argument);
    if (lesson != NULL) return lesson;
    if (is_recording_name(argument)) return read_recording(arena, argument);
    return names_program(argument) ? read_program(arena, argument) : NULL;
}

static struct side read_side(struct arena *arena, const char *argument, const struct lesson *lesson,
                             const struct parameters *parameters) {
    static const struct parameters none;
    if (lesson == NULL) return side_of_dump(arena, argument);
    struct run *run = arena_allocate(arena, sizeof *run);
    run_lesson(run, arena, lesson, is_of_reader(lesson) ? &none : parameters);
    for (int i = 0; i < run->step_count && lesson->explain != NULL; i++) explain_step(run, i);
    return side_of_run(arena, argument, run, is_program(lesson) ? argument : NULL);
}

// "a=b,c=d".
static int read_aliases(struct arena *arena, const char *names, struct alias **aliases) {
    int count = 0;
    *aliases = NULL;
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, ",");
        const char *pair = arena_copy_bytes(arena, names, length);
        const size_t left = strcspn(pair, "=");
        if (left == 0 || pair[left] == '\0' || pair[left + 1] == '\0')
            fail(arena->failure, FAIL_USAGE, "--names takes a=b,c=d, and '%s' is no such pair",
                 text_safe(arena, pair));
        *aliases = arena_grow(arena, *aliases, (size_t)count * sizeof **aliases, sizeof **aliases);
        (*aliases)[count++] = (struct alias){arena_copy_bytes(arena, pair, left), pair + left + 1};
        names += length + (names[length] != '\0');
    }
    return count;
}

// ---- Words -------------------------------------------------------------------------------------------

static const char *base_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return text_safe(arena, slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

static const char *side_name(const struct comparing *c, bool is_b) {
    return base_name(c->arena, is_b ? c->b.name : c->a.name);
}

// A step's line as it is, of one line or several.
static const char *line_of(const struct comparing *c, const struct place *place) {
    const char *line = place->statement;
    const struct lesson *lesson =
        place >= c->b.places && place < c->b.places + c->b.count ? c->lesson_b : c->lesson_a;
    if (place->line > 0 && lesson != NULL && is_program(lesson)) {
        const char *source = program_text(lesson);
        const char *start = place_in_source(source, place->line, 0);
        return arena_copy_bytes(c->arena, start, strcspn(start, "\n"));
    }
    return line != NULL ? line : "";
}

// "scores", or "a part of the line of scores" for what no step shows.
static const char *place_name(const struct comparing *c, bool is_b, int number) {
    const struct side *side = is_b ? &c->b : &c->a;
    const struct place *place = &side->places[number];
    if (place->is_shown) return text_safe(c->arena, place->name);
    if (place->step < 0) return "a tensor without a name";
    const struct step *step = &side->run->steps[place->step];
    return arena_format(c->arena, "%s, inside the line of %s",
                        place->operation != NULL ? place->operation->name : "a view",
                        text_safe(c->arena, step->name));
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

static const char *where_of(const struct comparing *c, bool is_b, int number) {
    const struct place *place = &(is_b ? &c->b : &c->a)->places[number];
    const struct lesson *lesson = is_b ? c->lesson_b : c->lesson_a;
    if (!is_of_reader(lesson) || place->line <= 0) return side_name(c, is_b);
    if (is_program(lesson))
        return arena_format(c->arena, "%s, %s", side_name(c, is_b),
                            line_words(c->arena, program_text(lesson), place->line));
    return arena_format(c->arena, "%s, line %d", base_name(c->arena, place->file), place->line);
}

// The step whose line calls what a place is in; NULL: it is in no call.
static const struct step *call_around(const struct side *side, int number) {
    const int step = side->places[number].step;
    const int within = side->run != NULL && step >= 0 ? side->run->steps[step].within : 0;
    return within > 0 ? &side->run->steps[within - 1] : NULL;
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
    const struct parting *parting = &c->parting;
    add_wrapped(text, arena_format(text->arena,
                                   "%s and %s are the same, as far as rounding goes: the result of "
                                   "%s is %s of %s. %d of its %d tensors have a counterpart.",
                                   side_name(c, false), side_name(c, true), side_name(c, true),
                                   place_name(c, false,
                                              c->matching.match[c->b.last] >= 0
                                                  ? c->matching.match[c->b.last]
                                                  : c->a.last),
                                   side_name(c, false), parting->same, parting->shown));
    if (parting->is_shorter)
        add_wrapped(text, arena_format(text->arena, "%s goes on from there.", side_name(c, false)));
}

static void add_largest(struct text *text, const struct comparing *c) {
    struct arena *arena = text->arena;
    const struct difference *d = &c->parting.difference;
    const struct place *a = &c->a.places[c->parting.a], *b = &c->b.places[c->parting.b];
    if (!d->is_comparable) {
        add_wrapped(text, arena_format(arena, "Their shapes are %s and %s.",
                                       shape_text(arena, a->full), shape_text(arena, b->full)));
        return;
    }
    const char *cell = a->is_shown && a->step >= 0 ? place_text(arena, &a->tensor, d->worst_a)
                                                   : cell_text(arena, a, d->worst_a);
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
    if (mending->is_of_b) {
        add_lines(text, arena_format(arena, "%s is", mending->where), mending->before);
        add_lines(text, "right would be",
                  *mending->after != '\0' ? mending->after : "nothing: the line is too many");
    } else {
        text_add_format(text, "%s has these numbers with another line:\n", side_name(c, false));
        if (mending->before != NULL) add_lines(text, "its line is", mending->before);
        if (mending->after != NULL) add_lines(text, "with", mending->after);
    }
    if (mending->name != NULL)
        add_wrapped(text, arena_format(arena, "%s: %s", mending->name, mending->words));
    else if (mending->words != NULL)
        text_add_format(text, "(%s)\n", mending->words);
}

static void add_parting(struct text *text, const struct comparing *c) {
    struct arena *arena = text->arena;
    const struct parting *parting = &c->parting;
    add_wrapped(text, arena_format(arena, "%s and %s part at %s%s%s.", side_name(c, false),
                                   side_name(c, true), place_name(c, true, parting->b),
                                   parting->a >= 0 ? ", which stands for " : "",
                                   parting->a >= 0 ? place_name(c, false, parting->a) : ""));
    if (parting->a >= 0)
        add_lines(text, where_of(c, false, parting->a), line_of(c, &c->a.places[parting->a]));
    add_lines(text, where_of(c, true, parting->b), line_of(c, &c->b.places[parting->b]));
    const struct step *call = call_around(&c->b, parting->b);
    if (call != NULL)
        add_lines(text, arena_format(arena, "line %d calls", call->excerpt->first_line),
                  call->excerpt->text);
    if (parting->a >= 0) add_largest(text, c);
    if (parting->used_b >= 0 && parting->wanted_a >= 0)
        add_wrapped(text, arena_format(arena, "It reads %s, where %s reads %s.",
                                       place_name(c, true, parting->used_b), side_name(c, false),
                                       place_name(c, false, parting->wanted_a)));
    add_mending(text, c);
    if (parting->follow > 0)
        add_wrapped(text, arena_format(arena, "%d later tensor%s of %s differ%s because of it.",
                                       parting->follow, parting->follow == 1 ? "" : "s",
                                       side_name(c, true), parting->follow == 1 ? "s" : ""));
    if (parting->next >= 0) {
        const char *name = place_name(c, true, parting->next);
        add_wrapped(text, arena_format(arena, "%s, %s, differs as well, and is not made of it.",
                                       name, where_of(c, true, parting->next)));
    }
}

// ---- For programs ------------------------------------------------------------------------------------

static void add_json_place(struct json *json, const char *name, const struct comparing *c,
                           bool is_b, int number) {
    if (number < 0) {
        json_add_string(json, name, NULL);
        return;
    }
    const struct side *side = is_b ? &c->b : &c->a;
    const struct place *place = &side->places[number];
    const struct step *call = call_around(side, number);
    json_open_object(json, name);
    json_add_string(json, "tensor", place_name(c, is_b, number));
    json_add_integer(json, "line", place->line);
    json_add_string(json, "statement", line_of(c, place));
    if (call != NULL) json_add_integer(json, "called_at", call->excerpt->first_line);
    json_add_integers(json, "shape", place->full.size, place->full.ndim);
    json_close(json);
}

static void add_json(struct text *text, const struct comparing *c) {
    const struct parting *parting = &c->parting;
    const struct mending *mending = &c->mending;
    struct json json = json_answer(text);
    json_add_string(&json, "a", c->a.name);
    json_add_string(&json, "b", c->b.name);
    json_add_string(&json, "verdict", parting->is_same ? "same" : "part");
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
    if (c->a.run == NULL) return;
    if (c->lesson_b != NULL && is_program(c->lesson_b))
        c->mending = mend_program_of_b(c->arena, &c->matching, &c->parting, command->compare.b,
                                       program_text(c->lesson_b), is_thorough);
    else if (lesson_is_text(c->lesson_a))
        c->mending =
            mend_a(c->arena, &c->matching, &c->parting,
                   is_program(c->lesson_a) ? program_text(c->lesson_a) : NULL, is_thorough);
    if (!c->mending.is_found && c->mending.is_of_b && !is_of_reader(c->lesson_a))
        c->mending = mend_a(c->arena, &c->matching, &c->parting, NULL, is_thorough);
    const int changed = c->mending.changed;
    if (!c->mending.is_found || changed < 0 || changed == c->parting.b) return;
    c->parting = parting_at(c->arena, &c->matching, changed);
}

// Can it be computed again? A recording is not.
static bool has_operations(const struct side *side) {
    return side->run != NULL && side->run->recorded == NULL && side->is_traced;
}

bool add_comparison(struct text *text, const struct command *command) {
    struct arena *arena = text->arena;
    const struct compare_options *options = &command->compare;
    struct comparing c = {.arena = arena};
    struct alias *aliases;
    const int alias_count = read_aliases(arena, options->names, &aliases);
    c.lesson_a = lesson_of(arena, options->a);
    c.a = read_side(arena, options->a, c.lesson_a, &command->parameters);
    c.lesson_b = lesson_of(arena, options->b);
    c.b = read_side(arena, options->b, c.lesson_b, &command->parameters);
    const struct precision *precision = c.a.precision != NULL ? c.a.precision : c.b.precision;
    if (has_operations(&c.a))
        measure_rounding(arena, &c.a, precision);
    else if (has_operations(&c.b))
        measure_rounding(arena, &c.b, precision);
    else
        expect_rounding(&c.a, precision);
    sum_up(&c.a);
    sum_up(&c.b);
    c.matching = match_sides(arena, &c.a, &c.b, alias_count, aliases);
    c.parting = parting_of(arena, &c.matching);
    c.mending.changed = NOWHERE;
    if (!c.parting.is_same) find_edit(&c, command);
    if (command->format == FORMAT_JSON)
        add_json(text, &c);
    else if (c.parting.is_same)
        add_same(text, &c);
    else
        add_parting(text, &c);
    return c.parting.is_same;
}
