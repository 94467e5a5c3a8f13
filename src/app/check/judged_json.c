// The answer of `check` for graders, about all steps at once. One object, whose members are always there:
//
//     onestep      version, a string
//     lesson       name
//     parameters   all that the lesson takes, as in `print --format json`
//     file         name of the file or the folder
//     verdict      "equal"; "part": nothing is wrong, but a tensor that may be a step was not judged, or nothing was handed in
//                  from the step on that the lesson's class gives; "rounded": nothing is wrong, but steps are
//                  right only as `precision` rounds them; "wrong"
//     precision    the type by which steps were judged: "bfloat16", "float16" or "tf32"; null: float32
//     first_wrong  label of the first wrong step; null if none is
//     counts       {"equal", "wrong", "follows", "rounded", "given", "missing"}: how many steps
//     steps        list, one for each step of the lesson: {"number", "step" (label), "name" (the student's, or null),
//                  "standing" ("equal", "wrong", "follows", "rounded", "given" or "missing"), "known_by" (how it is known which step it is:
//                  "name" of the step, "map" of --names, "course" (data/names.txt) or "numbers"; null if it is missing)}
//     answers      list, one for each step that stands wrong: what `check --step` says of it (json.c). That of the first
//                  compares with the lesson; each other compares with what the student's own numbers of
//                  earlier steps lead to
//     notes        list of sentences about names that could not be used
//     unjudged     list: names of tensors that may be steps and were not judged
//     hidden       list: labels of right steps that are 1 everywhere, so that a mistake in them may not show

#include "app/check/answer.h"
#include "app/check/judged.h"
#include "app/command/json.h"
#include "show/json.h"
#include "tensor/operation/precision.h"
#include "trace/run/step.h"

static void add_counts(struct json *json, const struct judged *judged) {
    static const enum standing order[] = {STANDS_EQUAL,   STANDS_WRONG, STANDS_FOLLOWS,
                                          STANDS_ROUNDED, STANDS_GIVEN, NOT_HANDED_IN};
    json_open_object(json, "counts");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        json_add_integer(json, standing_text(order[i]), judged->counts[order[i]]);
    json_close(json);
}

static const char *known_by_text(const struct judged *judged, int i) {
    static const char *const names[] = {
        [KNOWN_BY_NAME] = "name",
        [KNOWN_BY_MAP] = "map",
        [KNOWN_BY_COURSE] = "course",
        [KNOWN_BY_NUMBERS] = "numbers",
    };
    return judged->steps[i].name != NULL ? names[judged->handed->known_by[i]] : NULL;
}

static void add_steps(struct json *json, const struct judged *judged) {
    struct arena *arena = json->text->arena;
    json_open_list(json, "steps");
    for (int i = 0; i < judged->run->step_count; i++) {
        const struct judged_step *step = &judged->steps[i];
        json_line(json);
        json_open_object(json, NULL);
        json_add_integer(json, "number", i + 1);
        json_add_string(json, "step", step_label(arena, &judged->run->steps[i]));
        json_add_string(json, "name", step->name != NULL ? text_safe(arena, step->name) : NULL);
        json_add_string(json, "standing", standing_text(step->standing));
        json_add_string(json, "known_by", known_by_text(judged, i));
        json_close(json);
    }
    json_close(json);
}

static void add_answers(struct json *json, const struct judged *judged) {
    json_open_list(json, "answers");
    for (int i = 0; i < judged->run->step_count; i++) {
        if (judged->steps[i].standing != STANDS_WRONG) continue;
        struct text answer = text_new(json->text->arena);
        add_check_json(&answer, &judged->steps[i].checked);
        while (answer.length > 0 && answer.bytes[answer.length - 1] == '\n')
            answer.bytes[--answer.length] = '\0';
        json_line(json);
        json_add_raw(json, NULL, answer.bytes);
    }
    json_close(json);
}

void add_judged_json(struct text *text, const struct judged *judged) {
    struct arena *arena = text->arena;
    struct json json = json_answer(text);
    json_line(&json);
    json_add_string(&json, "lesson", judged->run->lesson->name);
    json_line(&json);
    json_add_parameters(&json, judged->run);
    json_line(&json);
    json_add_string(&json, "file", text_safe(arena, judged->handed->file));
    json_line(&json);
    json_add_string(&json, "verdict", judged_verdict(judged));
    json_line(&json);
    json_add_string(&json, "precision", judged->precision != NULL ? judged->precision->name : NULL);
    json_line(&json);
    json_add_string(&json, "first_wrong",
                    judged->first < 0 ? NULL
                                      : step_label(arena, &judged->run->steps[judged->first]));
    json_line(&json);
    add_counts(&json, judged);
    json_line(&json);
    add_steps(&json, judged);
    json_line(&json);
    add_answers(&json, judged);
    json_line(&json);
    json_add_strings(&json, "notes", judged->handed->notes, judged->handed->note_count);
    json_line(&json);
    json_add_strings(&json, "unjudged", judged->handed->unjudged, judged->handed->unjudged_count);
    json_line(&json);
    json_open_list(&json, "hidden");
    for (int i = 0; i < judged->run->step_count; i++) {
        if (is_one_everywhere(judged, i))
            json_add_string(&json, NULL, step_label(arena, &judged->run->steps[i]));
    }
    json_close(&json);
    json_close(&json);
}
