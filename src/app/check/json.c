// The answer of `check` for graders. One object, whose members are always there:
//
//     onestep             version, a string
//     lesson              name
//     parameters          "seed 5, d_out 4" if they are not the lesson's own, else null
//     step                {"number", "name", "group" (or null), "shape" (list)}
//     file                {"name" (control characters and what is not UTF-8 as \x1b), "form":
//                         "tensor", "array", "list", "table" or "npy", "dtype" (npy's, or null),
//                         "decimals" (null if the numbers are exact), "scientific" (true or
//                         false), "shape" (list)}
//     verdict             "equal", "different" or "shape"
//     elements            how many numbers were compared; 0 if the shape is wrong
//     different           how many of them differ
//     largest_difference  of those that are finite
//     first_difference    null, or {"index" (list, from 0), "place" (in words), "file", "right",
//                         "allowed" (the difference that would have agreed)}
//     explanations        list, best first, of
//                         {"kind": "mistakes", "mistakes": [1 or 2 names], "text": [sentences]},
//                         {"kind": "step", "step": label},
//                         {"kind": "transposed", "dims": [2 numbers]}
//     nearest             null, or {"mistakes": [names], "different", "largest_difference"}
//     hint                null or a sentence
//     shape_relation      null, or {"kind": "transposed", "part", "refolded" or "unrelated",
//                         "dims" (list or null), "index" (or null), "same_numbers" (true or false)}
//     same_numbers        labels of other steps with the file's shape and numbers (wrong shape only)
//     same_shape          labels of other steps with the file's shape alone (wrong shape only)
//
// Numbers that are not finite are the strings "inf", "-inf" and "nan", as in `print --format json`.

#include <inttypes.h>
#include <math.h>

#include "app/check/check.h"
#include "show/json.h"
#include "trace/step.h"

static void add_string(struct text *text, const char *name, const char *string) {
    text_add_format(text, "\"%s\": ", name);
    json_add_string(text, string);
}

static void add_shape(struct text *text, struct shape shape) {
    text_add(text, "\"shape\": ");
    json_add_integers(text, shape.size, shape.ndim);
}

static void add_bool(struct text *text, const char *name, bool is_true) {
    text_add_format(text, "\"%s\": %s", name, is_true ? "true" : "false");
}

static void add_step(struct text *text, const struct checked *checked) {
    const struct step *step = checked->step;
    text_add_format(text, " \"step\": {\"number\": %d, ", step->number);
    add_string(text, "name", step->name);
    text_add(text, ", ");
    add_string(text, "group", step->group);
    text_add(text, ", ");
    add_shape(text, shape_of(&step->tensor));
    text_add(text, "},\n");
}

static void add_file(struct text *text, const struct checked *checked) {
    static const char *const forms[] = {[FORM_TENSOR] = "tensor",
                                        [FORM_ARRAY] = "array",
                                        [FORM_LIST] = "list",
                                        [FORM_TABLE] = "table",
                                        [FORM_NPY] = "npy"};
    const struct numbers *numbers = &checked->numbers;
    text_add(text, " \"file\": {");
    add_string(text, "name", text_safe(text->arena, checked->file));
    text_add_format(text, ", \"form\": \"%s\", ", forms[numbers->form]);
    add_string(text, "dtype", numbers->dtype);
    if (numbers->decimals < 0)
        text_add(text, ", \"decimals\": null, ");
    else
        text_add_format(text, ", \"decimals\": %d, ", numbers->decimals);
    add_bool(text, "scientific", numbers->is_scientific);
    text_add(text, ", ");
    add_shape(text, numbers->shape);
    text_add(text, "},\n");
}

static void add_first(struct text *text, const struct checked *checked) {
    const struct tensor *tensor = &checked->step->tensor;
    const int64_t first = checked->comparison.first;
    text_add(text, " \"first_difference\": ");
    if (checked->verdict != VERDICT_DIFFERENT) {
        text_add(text, "null,\n");
        return;
    }
    int64_t index[MAX_DIMS];
    index_at(shape_of(tensor), first, index);
    const double right = element_at(tensor, first);
    const double relative = isfinite(right) ? fmax(1, fabs(right)) : 0;
    text_add(text, "{\"index\": ");
    json_add_integers(text, index, tensor->ndim);
    text_add(text, ", ");
    add_string(text, "place", place_text(text->arena, tensor, first));
    text_add(text, ", \"file\": ");
    json_add_number(text, checked->numbers.values[first]);
    text_add(text, ", \"right\": ");
    json_add_number(text, right);
    text_add(text, ", \"allowed\": ");
    json_add_number(text,
                    half_unit_at(&checked->numbers, first) + tolerance_for(tensor) * relative);
    text_add(text, "},\n");
}

static void add_mistakes(struct text *text, const struct explanation *explanation) {
    text_add(text, "\"mistakes\": [");
    for (int i = 0; i < explanation->mistake_count; i++) {
        if (i > 0) text_add(text, ", ");
        json_add_string(text, explanation->mistakes[i]->name);
    }
    text_add(text, "]");
}

static void add_explanation(struct text *text, const struct explanation *explanation) {
    switch (explanation->kind) {
    case BY_MISTAKES:
        text_add(text, "{\"kind\": \"mistakes\", ");
        add_mistakes(text, explanation);
        text_add(text, ", \"text\": [");
        for (int i = 0; i < explanation->mistake_count; i++) {
            const struct mistake *mistake = explanation->mistakes[i];
            if (i > 0) text_add(text, ", ");
            json_add_string(text,
                            arena_format(text->arena, "%s. %s", mistake->title, mistake->wrong));
        }
        text_add(text, "]}");
        break;
    case BY_STEP:
        text_add(text, "{\"kind\": \"step\", ");
        add_string(text, "step", step_label(text->arena, explanation->step));
        text_add(text, "}");
        break;
    case BY_TRANSPOSING:
        text_add_format(text, "{\"kind\": \"transposed\", \"dims\": [%d, %d]}",
                        explanation->dims[0], explanation->dims[1]);
        break;
    }
}

static void add_diagnosis(struct text *text, const struct checked *checked) {
    const struct diagnosis *diagnosis = &checked->diagnosis;
    const bool is_open = checked->verdict == VERDICT_DIFFERENT && diagnosis->count == 0;
    text_add(text, " \"explanations\": [");
    for (int i = 0; i < diagnosis->count; i++) {
        text_add(text, i > 0 ? ",\n  " : "\n  ");
        add_explanation(text, &diagnosis->explanations[i]);
    }
    text_add(text, "],\n \"nearest\": ");
    if (is_open && diagnosis->has_nearest) {
        text_add(text, "{");
        add_mistakes(text, &diagnosis->nearest);
        text_add_format(text, ", \"different\": %" PRId64 ", \"largest_difference\": %.9g}",
                        diagnosis->nearest.comparison.different,
                        diagnosis->nearest.comparison.largest);
    } else {
        text_add(text, "null");
    }
    text_add(text, ",\n ");
    add_string(text, "hint", is_open ? hint_text(text->arena, checked) : NULL);
    text_add(text, ",\n");
}

static void add_relation(struct text *text, const struct checked *checked) {
    static const char *const kinds[] = {[UNRELATED] = "unrelated",
                                        [TRANSPOSED] = "transposed",
                                        [PART] = "part",
                                        [REFOLDED] = "refolded"};
    const struct shape_diagnosis *shaped = &checked->shaped;
    text_add(text, " \"shape_relation\": ");
    if (checked->verdict != VERDICT_SHAPE) {
        text_add(text, "null,\n");
        return;
    }
    text_add_format(text, "{\"kind\": \"%s\", \"dims\": ", kinds[shaped->misshape]);
    if (shaped->misshape == TRANSPOSED)
        text_add_format(text, "[%d, %d]", shaped->dims[0], shaped->dims[1]);
    else
        text_add(text, "null");
    if (shaped->misshape == PART && shaped->has_numbers)
        text_add_format(text, ", \"index\": %" PRId64 ", ", shaped->index);
    else
        text_add(text, ", \"index\": null, ");
    add_bool(text, "same_numbers", shaped->has_numbers);
    text_add(text, "},\n");
}

static void add_labels(struct text *text, const struct shape_diagnosis *shaped, int first,
                       int end) {
    text_add(text, "[");
    for (int i = first; i < end; i++) {
        if (i > first) text_add(text, ", ");
        json_add_string(text, step_label(text->arena, shaped->steps[i]));
    }
    text_add(text, "]");
}

void add_check_json(struct text *text, const struct checked *checked) {
    static const char *const verdicts[] = {
        [VERDICT_EQUAL] = "equal", [VERDICT_DIFFERENT] = "different", [VERDICT_SHAPE] = "shape"};
    text_add(text, "{\"onestep\": \"" VERSION "\",\n ");
    add_string(text, "lesson", checked->run->lesson->name);
    text_add(text, ",\n ");
    add_string(text, "parameters", parameters_text(text->arena, checked->run));
    text_add(text, ",\n");
    add_step(text, checked);
    add_file(text, checked);
    text_add_format(text,
                    " \"verdict\": \"%s\",\n \"elements\": %" PRId64 ",\n \"different\": %" PRId64
                    ",\n \"largest_difference\": %.9g,\n",
                    verdicts[checked->verdict], checked->comparison.count,
                    checked->comparison.different, checked->comparison.largest);
    add_first(text, checked);
    add_diagnosis(text, checked);
    add_relation(text, checked);
    text_add(text, " \"same_numbers\": ");
    add_labels(text, &checked->shaped, 0, checked->shaped.agreeing);
    text_add(text, ",\n \"same_shape\": ");
    add_labels(text, &checked->shaped, checked->shaped.agreeing, checked->shaped.count);
    text_add(text, "}\n");
}
