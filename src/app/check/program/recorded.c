#include "app/check/program/recorded.h"

#include "app/command/json.h"
#include "script/recording/recording_lesson.h"
#include "trace/run/step.h"

enum { MOST_LISTED = 20, KINDS = DIFFERENT + 1 };

static const char *const kinds[KINDS] = {[NOT_COMPARED] = "no arithmetic",
                                         [NOT_KNOWN] = "not computed",
                                         [SAME_BITS] = "same bits",
                                         [WITHIN_TYPE] = "rounding",
                                         [DIFFERENT] = "different"};

// Where a step stands in the user's code, and what it is called.
static void add_place(struct text *text, const struct step *step) {
    text_add_format(text, "  step %d, %s (%s)", step->number, step_label(text->arena, step),
                    step->paragraph->title);
}

// Of each kind that `is_listed` names, the first steps.
static void add_listed(struct text *text, struct run *run, enum agreement kind, int count) {
    int listed = 0;
    for (int i = 0; i < run->step_count && listed < MOST_LISTED; i++) {
        const struct recorded_result result = recorded_result(run, i);
        if (result.agreement != kind) continue;
        listed++;
        add_place(text, &run->steps[i]);
        if (kind == DIFFERENT) text_add_format(text, ": by up to %.2g", result.difference);
        if (kind == NOT_KNOWN && result.why != NULL) text_add_format(text, ": %s", result.why);
        text_add(text, "\n");
    }
    if (count > listed) text_add_format(text, "  ... and %d more\n", count - listed);
}

static void add_plain(struct text *text, struct run *run, const int *counts) {
    text_add_format(text, "%s: %d steps of a recorded run\n", run->lesson->title, run->step_count);
    text_add_format(text, "%6d have the bits that onestep computes from their operands\n",
                    counts[SAME_BITS]);
    text_add_format(text, "%6d differ from them by rounding alone\n", counts[WITHIN_TYPE]);
    text_add_format(text, "%6d have other numbers\n", counts[DIFFERENT]);
    if (counts[DIFFERENT] > 0) add_listed(text, run, DIFFERENT, counts[DIFFERENT]);
    text_add_format(text, "%6d come of operations that onestep does not compute again\n",
                    counts[NOT_KNOWN]);
    if (counts[NOT_KNOWN] > 0) add_listed(text, run, NOT_KNOWN, counts[NOT_KNOWN]);
    text_add_format(text, "%6d are given, or show what an earlier step computed\n",
                    counts[NOT_COMPARED]);
}

static void add_json(struct text *text, struct run *run, const int *counts) {
    struct json json = json_answer(text);
    json_add_string(&json, "recording", run->lesson->title);
    json_add_bool(&json, "right", counts[DIFFERENT] == 0);
    json_open_list(&json, "steps");
    for (int i = 0; i < run->step_count; i++) {
        const struct recorded_result result = recorded_result(run, i);
        const bool has_difference =
            result.agreement == WITHIN_TYPE || result.agreement == DIFFERENT;
        json_line(&json);
        json_open_object(&json, NULL);
        json_add_string(&json, "step", step_label(text->arena, &run->steps[i]));
        json_add_string(&json, "place", run->steps[i].paragraph->title);
        json_add_string(&json, "agreement", kinds[result.agreement]);
        if (has_difference) json_add_number(&json, "difference", result.difference);
        if (result.why != NULL) json_add_string(&json, "why", result.why);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

bool add_check_of_recording(struct text *text, const struct command *command, struct run *run) {
    int counts[KINDS] = {0};
    for (int i = 0; i < run->step_count; i++) counts[recorded_result(run, i).agreement]++;
    if (command->format == FORMAT_JSON)
        add_json(text, run, counts);
    else
        add_plain(text, run, counts);
    return counts[DIFFERENT] == 0;
}
