// The answer of `check` for people, about all steps at once.

#include <inttypes.h>

#include "app/check/answer.h"
#include "app/check/judged.h"
#include "app/check/rounding/narrowed.h"
#include "trace/run/step.h"
#include "trace/tape/autograd.h"
#include "trace/tape/tape.h"

// Was step `i` computed from the first wrong one? If not, the same mistake made both wrong: one seed draws all layers.
static bool is_made_of_first(struct arena *arena, const struct judged *judged, int i) {
    const struct step *steps = judged->run->steps;
    const struct tape tape = computed_tape_of(arena, 1, &steps[i].tensor);
    return place_on_tape(&tape, steps[judged->first].tensor.storage) >= 0;
}

// Are parameters all that is wrong?
static bool is_parameter_alone(const struct judged *judged) {
    return judged->counts[STANDS_GIVEN] > 0 && is_parameter(&judged->run->steps[judged->first]);
}

// Is it right, apart from the parameters that are given?
static bool is_of_given(const struct judged *judged, int i) {
    return judged->steps[i].standing == STANDS_FOLLOWS && judged->counts[STANDS_GIVEN] > 0 &&
           (i < judged->first || is_parameter_alone(judged));
}

// What a line says behind the standing.
static const char *standing_remark(struct arena *arena, const struct judged *judged, int i) {
    const struct judged_step *step = &judged->steps[i];
    if (step->standing == STANDS_EQUAL && has_another_shape(&step->checked))
        return arena_format(arena, "in another shape: %s, and the lesson has %s",
                            shape_text(arena, step->checked.numbers.shape),
                            shape_text(arena, shape_of(&step->checked.step->tensor)));
    if (is_one_everywhere(judged, i)) return "1 everywhere: a mistake may not show";
    if (step->standing == STANDS_GIVEN) return "your own parameter";
    if (is_of_given(judged, i)) return "right: what your own parameters lead to";
    if (step->standing == STANDS_WRONG)
        return i == judged->first ? "the first wrong step" : "wrong in itself: another mistake";
    if (step->standing == STANDS_FOLLOWS && judged->counts[STANDS_WRONG] > 1)
        return "follows from the wrong steps above";
    if (step->standing == STANDS_FOLLOWS)
        return arena_format(arena,
                            is_made_of_first(arena, judged, i) ? "follows from %s"
                                                               : "by the same mistake as %s",
                            step_label(arena, &judged->run->steps[judged->first]));
    return "";
}

// That, and the student's name for a step that is not known by its own.
static const char *remark(struct arena *arena, const struct judged *judged, int i) {
    enum { NAME_COLUMNS = 28 };
    const char *words = standing_remark(arena, judged, i);
    const char *name = judged->steps[i].name;
    if (name == NULL || judged->handed->known_by[i] == KNOWN_BY_NAME) return words;
    return arena_format(arena, "%s%syour %s%s", words, *words != '\0' ? "; " : "",
                        text_cut(arena, text_safe(arena, name), NAME_COLUMNS),
                        judged->handed->known_by[i] == KNOWN_BY_NUMBERS ? ", by its numbers" : "");
}

static void add_missing(struct text *text, int first, int last) {
    if (last < first) return;
    if (first == last)
        text_add_format(text, "%3d  not handed in\n", first + 1);
    else
        text_add_format(text, "%3d ... %d  not handed in\n", first + 1, last + 1);
}

static void add_line(struct text *text, const struct judged *judged, int i) {
    enum { NAME_COLUMNS = 28, STANDING_COLUMNS = 9 };
    const enum standing standing = judged->steps[i].standing;
    const char *more = remark(text->arena, judged, i);
    text_add_format(text, "%3d  ", i + 1);
    text_add_padded(text, step_label(text->arena, &judged->run->steps[i]), NAME_COLUMNS, false);
    text_add(text, " ");
    text_add_padded(text, standing == NOT_HANDED_IN ? "not handed in" : standing_text(standing),
                    *more != '\0' ? STANDING_COLUMNS : 0, false);
    text_add_format(text, "%s%s\n", *more != '\0' ? " " : "", more);
}

// Steps that were not handed in are folded, unless all are asked for.
static void add_table(struct text *text, const struct judged *judged, bool has_all) {
    int shown = 0; // all before it
    for (int i = 0; i < judged->run->step_count; i++) {
        if (judged->steps[i].standing == NOT_HANDED_IN && !has_all) continue;
        add_missing(text, shown, i - 1);
        add_line(text, judged, i);
        shown = i + 1;
    }
    add_missing(text, shown, judged->run->step_count - 1);
}

// "equal: all 19 steps of causal are right", or how many of them were handed in.
static void add_right(struct text *text, const struct judged *judged) {
    const int handed = judged->handed->count, unjudged = judged->handed->unjudged_count;
    const char *lesson = judged->run->lesson->name;
    const int rounded = judged->counts[STANDS_ROUNDED];
    text_add_format(text, "%s: ", judged_verdict(judged));
    if (rounded > 0)
        text_add_format(text, "%d of the %d steps handed in %s right as %s rounds %s, and %d equal",
                        rounded, handed, rounded == 1 ? "is" : "are", judged->precision->name,
                        rounded == 1 ? "it" : "them", judged->counts[STANDS_EQUAL]);
    else if (handed == judged->run->step_count)
        text_add_format(text, "all %d steps of %s are right", handed, lesson);
    else
        text_add_format(text, "%d of the %d steps of %s %s handed in, and %s right", handed,
                        judged->run->step_count, lesson, handed == 1 ? "was" : "were",
                        handed == 1 ? "is" : "all are");
    if (unjudged > 0)
        text_add_format(text, "; %d tensor%s not judged", unjudged,
                        unjudged == 1 ? " was" : "s were");
    text_add(text, "\n");
    int hidden = 0;
    for (int i = 0; i < judged->run->step_count; i++) hidden += is_one_everywhere(judged, i);
    if (hidden > 0)
        text_add_format(
            text,
            "With these parameters %d of them %s 1 everywhere, so a mistake in %s may not "
            "show.\nAnother --seed or --input may show it.\n",
            hidden, hidden == 1 ? "is" : "are", hidden == 1 ? "it" : "them");
    const struct step *ahead = step_ahead(judged);
    if (ahead != NULL)
        text_add_format(text, "The lesson goes on to %s.\n", step_label(text->arena, ahead));
}

static int count_of_given(const struct judged *judged) {
    int count = 0;
    for (int i = 0; i < judged->run->step_count; i++) count += is_of_given(judged, i);
    return count;
}

static void add_verdict(struct text *text, const struct judged *judged) {
    const int handed = judged->handed->count, unjudged = judged->handed->unjudged_count;
    const char *s = handed == 1 ? "" : "s";
    if (judged->first < 0) {
        add_right(text, judged);
        return;
    }
    text_add_format(text, "wrong: the first wrong step is %s; %d of %d step%s are equal",
                    step_label(text->arena, &judged->run->steps[judged->first]),
                    judged->counts[STANDS_EQUAL], handed, s);
    const int of_given = count_of_given(judged);
    const int following = judged->counts[STANDS_FOLLOWS] - of_given;
    const int given = judged->counts[STANDS_GIVEN] + is_parameter_alone(judged);
    if (given > 0)
        text_add_format(text, ", %d %s of your own", given,
                        given == 1 ? "is a parameter" : "are parameters");
    if (of_given > 0)
        text_add_format(text, ", %d %s right for these", of_given, of_given == 1 ? "is" : "are");
    if (following > 0)
        text_add_format(text, ", %d follow%s from wrong ones", following,
                        following == 1 ? "s" : "");
    if (judged->counts[STANDS_WRONG] > 1)
        text_add_format(text, ", %d are wrong in themselves", judged->counts[STANDS_WRONG]);
    if (unjudged > 0)
        text_add_format(text, "; %d tensor%s not judged", unjudged,
                        unjudged == 1 ? " was" : "s were");
    text_add(text, "\n");
}

void add_judged_plain(struct text *text, const struct judged *judged, bool has_all) {
    add_verdict(text, judged);
    if (judged->counts[STANDS_ROUNDED] > 0)
        text_add_format(text, "%s: %s\n", judged->first < 0 ? "why" : "note",
                        narrowed_text(text->arena, judged->precision));
    add_table(text, judged, has_all);
    for (int i = 0; i < judged->run->step_count; i++) {
        if (judged->steps[i].standing != STANDS_WRONG) continue;
        text_add(text, "\n");
        if (i != judged->first)
            text_add(text, "another mistake, compared with what your own numbers of the steps "
                           "before lead to:\n");
        else if (count_of_given(judged) > 0 && !is_parameter_alone(judged))
            text_add(text, "compared with what your own parameters lead to:\n");
        add_check_plain(text, &judged->steps[i].checked);
    }
    for (int i = 0; i < judged->handed->note_count; i++)
        text_add_format(text, "%snote: %s\n", i == 0 ? "\n" : "", judged->handed->notes[i]);
}
