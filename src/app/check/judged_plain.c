// The answer of `check` for people, about all steps at once.

#include <inttypes.h>

#include "app/check/answer.h"
#include "app/check/judged.h"
#include "trace/run/step.h"
#include "trace/tape/tape.h"

// Was step `i` computed from the first wrong one? If not, the same mistake made both wrong: one seed draws all layers.
static bool is_made_of_first(struct arena *arena, const struct judged *judged, int i) {
    const struct step *steps = judged->run->steps;
    const struct tape tape = computed_tape_of(arena, 1, &steps[i].tensor);
    return place_on_tape(&tape, steps[judged->first].tensor.storage) >= 0;
}

// What a line says behind the standing.
static const char *remark(struct arena *arena, const struct judged *judged, int i) {
    const struct judged_step *step = &judged->steps[i];
    if (step->standing == STANDS_EQUAL && has_another_shape(&step->checked))
        return arena_format(arena, "in another shape: %s, and the lesson has %s",
                            shape_text(arena, step->checked.numbers.shape),
                            shape_text(arena, shape_of(&step->checked.step->tensor)));
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

static void add_verdict(struct text *text, const struct judged *judged) {
    const int handed = judged->handed->count;
    const char *s = handed == 1 ? "" : "s";
    if (judged->first < 0) {
        text_add_format(text, "equal: %s%d step%s of %s %s right\n", handed > 1 ? "all " : "the ",
                        handed, s, judged->run->lesson->name, handed == 1 ? "is" : "are");
        return;
    }
    text_add_format(text, "wrong: the first wrong step is %s; %d of %d step%s are equal",
                    step_label(text->arena, &judged->run->steps[judged->first]),
                    judged->counts[STANDS_EQUAL], handed, s);
    if (judged->counts[STANDS_FOLLOWS] > 0)
        text_add_format(text, ", %d follow%s from wrong ones", judged->counts[STANDS_FOLLOWS],
                        judged->counts[STANDS_FOLLOWS] == 1 ? "s" : "");
    if (judged->counts[STANDS_WRONG] > 1)
        text_add_format(text, ", %d are wrong in themselves", judged->counts[STANDS_WRONG]);
    text_add(text, "\n");
}

void add_judged_plain(struct text *text, const struct judged *judged, bool has_all) {
    add_verdict(text, judged);
    add_table(text, judged, has_all);
    for (int i = 0; i < judged->run->step_count; i++) {
        if (judged->steps[i].standing != STANDS_WRONG) continue;
        text_add(text, "\n");
        if (i != judged->first)
            text_add(text, "another mistake, compared with what your own numbers of the steps "
                           "before lead to:\n");
        add_check_plain(text, &judged->steps[i].checked);
    }
    for (int i = 0; i < judged->handed->note_count; i++)
        text_add_format(text, "%snote: %s\n", i == 0 ? "\n" : "", judged->handed->notes[i]);
}
