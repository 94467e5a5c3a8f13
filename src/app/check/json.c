// The answer of `check` for graders. One object, whose members are always there:
//
//     onestep             version, a string
//     lesson              name
//     parameters          all that the lesson takes, as in `print --format json`
//     step                {"number", "name", "group" (or null), "shape" (list)}
//     file                {"name" (control characters and what is not UTF-8 as \x1b), "form":
//                         "tensor", "array", "list", "table" or "npy", "dtype" (npy's, or null),
//                         "decimals" (null if the numbers are exact), "scientific" (true or
//                         false), "shape" (list)}
//     verdict             "equal", "coarse" (equal, but with too few or no decimals), "unjudged" (nothing is
//                         wrong, but rounding alone moves some numbers by as much as they are large),
//                         "stream" (equal, but for masks of the other dropout stream), "rounded" (equal as
//                         far as the type `precision` holds them), "different" or "shape"
//     code                one word for the verdict and the best explanation: see checked.h
//     min_decimals        that were asked for; 0 if none were
//     quiet               are the right numbers left out? Then what gives them away is null
//     unseen              names of mistakes with which the numbers would look the same, if they are equal;
//                         null if the lesson is so large that looking for them would take long
//     elements            how many numbers were compared; 0 if the shape is wrong
//     rounded_as          "1.13" if they were compared with the step as that version of PyTorch rounds it, to which
//                         the file is nearer; else null
//     different           how many of them differ
//     different_at        where the first 4096 of these are: positions, counted row by row from 0
//     precision           the type by which they were judged: "bfloat16", "float16" or "tf32"; null: float32
//     unjudged            how many of them cannot be judged
//     largest_difference  of those that are finite; null if quiet
//     largest_index       where it is (list, from 0); null if the shape is wrong
//     first_difference    null, or {"index" (list, from 0), "place" (in words), "file", "right"
//                         (null if quiet), "allowed" (the difference that would have agreed)}
//     explanations        list, best first, of
//                         {"kind": "mistakes", "mistakes": [1 or 2 names], "text": [sentences], "step", "line", "right_line": as of an edit,
//                          "look_for": [what it looks like in PyTorch]},
//                         {"kind": "step", "step": label},
//                         {"kind": "transposed", "dims": [2 numbers]},
//                         {"kind": "parameter", "parameter": "seed=42"}
//                         {"kind": "relation", "relation": one word (relation.h), "sentence": with its usual cause}
//                         {"kind": "edit", "mistake": its name or null, "step": label, "line": as it is written otherwise,
//                          "right_line": as the lesson has it (null if quiet), "text": what goes wrong, or null}
//                         {"kind": "mask-times-inf"}: a mask of 0 and 1 times inf, where 0 * inf is nan
//     possible            how many explanations agree with the file where too few of its digits differ to tell
//                         them apart from chance; then none is given. 0 in any other answer
//     cut                 was the search stopped before all mistakes and lines were tried? (true or false)
//     nearest             null, or {"mistakes": [names], "different", "largest_difference"}
//     hint                null or a sentence
//     shape_relation      null, or {"kind": "transposed", "part", "refolded" or "unrelated",
//                         "dims" (list or null), "index" (or null), "same_numbers" (true or false),
//                         "mistake": whose numbers they are with the dimensions exchanged back (or null),
//                         or of which named edit of a line (or null),
//                         "text": what goes wrong, or the parameter whose numbers they are (or null),
//                         "line", "right_line": of the edit, as in "explanations" (or null)}
//     same_numbers        labels of other steps with the file's shape and numbers (wrong shape only)
//     same_shape          labels of other steps with the file's shape alone (wrong shape only)
//
// Numbers that are not finite are the strings "inf", "-inf" and "nan", as in `print --format json`.

#include <inttypes.h>
#include <math.h>

#include "app/check/answer.h"
#include "app/check/changed_run.h"
#include "app/check/rounding/narrowed.h"
#include "app/command/json.h"
#include "show/json.h"
#include "trace/run/step.h"

static void add_step(struct json *json, const struct step *step) {
    json_open_object(json, "step");
    json_add_integer(json, "number", step->number);
    json_add_string(json, "name", step->name);
    json_add_string(json, "group", step->group);
    json_add_integers(json, "shape", step->tensor.shape, step->tensor.ndim);
    json_close(json);
}

static void add_file(struct json *json, const struct checked *checked) {
    static const char *const forms[] = {
        [FORM_TENSOR] = "tensor", [FORM_ARRAY] = "array", [FORM_LIST] = "list",
        [FORM_TABLE] = "table",   [FORM_NPY] = "npy",     [FORM_SAFETENSORS] = "safetensors",
    };
    const struct numbers *numbers = &checked->numbers;
    json_open_object(json, "file");
    json_add_string(json, "name", text_safe(json->text->arena, checked->file));
    json_add_string(json, "form", forms[numbers->form]);
    json_add_string(json, "dtype", numbers->dtype);
    if (numbers->decimals < 0)
        json_add_raw(json, "decimals", "null");
    else
        json_add_integer(json, "decimals", numbers->decimals);
    json_add_bool(json, "scientific", numbers->is_scientific);
    json_add_integers(json, "shape", numbers->shape.size, numbers->shape.ndim);
    json_close(json);
}

static void add_first(struct json *json, const struct checked *checked) {
    const struct tensor *tensor = checked->right;
    const int64_t first = checked->comparison.first;
    if (checked->verdict != VERDICT_DIFFERENT) {
        json_add_raw(json, "first_difference", "null");
        return;
    }
    int64_t index[MAX_DIMS];
    index_at(shape_of(tensor), first, index);
    const double right = element_at(tensor, first);
    json_open_object(json, "first_difference");
    json_add_integers(json, "index", index, tensor->ndim);
    json_add_string(json, "place", place_text(json->text->arena, tensor, first));
    json_add_number(json, "file", checked->numbers.values[first]);
    if (checked->is_quiet)
        json_add_raw(json, "right", "null");
    else
        json_add_number(json, "right", right);
    json_add_number(json, "allowed", isfinite(right) ? allowed_at(checked, first) : 0);
    json_close(json);
}

static void add_different(struct json *json, const struct checked *checked) {
    enum { MOST_LISTED = 4096 };
    const struct comparison *comparison = &checked->comparison;
    const bool is_different = checked->verdict == VERDICT_DIFFERENT;
    json_open_list(json, "different_at");
    for (int64_t i = 0, listed = 0; is_different && i < comparison->count && listed < MOST_LISTED;
         i++) {
        if (is_right(checked, i)) continue;
        json_add_integer(json, NULL, i);
        listed++;
    }
    json_close(json);
}

static void add_dims(struct json *json, const int *dims) {
    json_add_integers(json, "dims", (const int64_t[]){dims[0], dims[1]}, 2);
}

static void add_mistakes(struct json *json, const struct explanation *explanation) {
    json_open_list(json, "mistakes");
    for (int i = 0; i < explanation->mistake_count; i++)
        json_add_string(json, NULL, explanation->mistakes[i]->name);
    json_close(json);
}

static void add_mistakes_in_words(struct json *json, const struct explanation *explanation) {
    json_open_list(json, "text");
    for (int i = 0; i < explanation->mistake_count; i++) {
        const struct mistake *mistake = explanation->mistakes[i];
        json_add_string(json, NULL,
                        arena_format(json->text->arena, "%s. %s", mistake->title, mistake->wrong));
    }
    json_close(json);
    json_open_list(json, "look_for");
    for (int i = 0; i < explanation->mistake_count; i++)
        json_add_string(json, NULL, explanation->mistakes[i]->pytorch);
    json_close(json);
}

// The other names of it: explanations without any of their own.
static void add_alike(struct json *json, const struct explanation *explanation) {
    json_open_list(json, "alike");
    for (int i = 0; i < explanation->alike_count; i++) {
        json_open_object(json, NULL);
        add_mistakes(json, &explanation->alike[i]);
        add_mistakes_in_words(json, &explanation->alike[i]);
        json_close(json);
    }
    json_close(json);
}

// Null where nobody knows the lines.
static void add_lines(struct json *json, const struct edited *edited) {
    const char *step = edited->step != NULL ? step_label(json->text->arena, edited->step) : NULL;
    json_add_string(json, "step", step);
    json_add_string(json, "line", edited->line);
    json_add_string(json, "right_line", edited->right_line);
}

static void add_explanation(struct json *json, const struct explanation *explanation) {
    json_open_object(json, NULL);
    switch (explanation->kind) {
    case BY_MISTAKES:
        json_add_string(json, "kind", "mistakes");
        add_mistakes(json, explanation);
        add_mistakes_in_words(json, explanation);
        add_lines(json, &explanation->edited);
        add_alike(json, explanation);
        break;
    case BY_STEP:
        json_add_string(json, "kind", "step");
        json_add_string(json, "step", step_label(json->text->arena, explanation->step));
        break;
    case BY_TRANSPOSING:
        json_add_string(json, "kind", "transposed");
        add_dims(json, explanation->dims);
        break;
    case BY_PARAMETER:
        json_add_string(json, "kind", "parameter");
        json_add_string(json, "parameter", explanation->parameter);
        break;
    case BY_MASK_TIMES_INF:
        json_add_string(json, "kind", "mask-times-inf");
        break;
    case BY_EDIT:
        json_add_string(json, "kind", "edit");
        json_add_string(json, "mistake", explanation->edited.name); // null: it has no name
        add_lines(json, &explanation->edited);
        json_add_string(json, "text", explanation->edited.words);
        break;
    case BY_RELATION:
        json_add_string(json, "kind", "relation");
        json_add_string(json, "relation", explanation->relation.code);
        json_add_string(json, "sentence", explanation->relation.text);
        break;
    }
    json_close(json);
}

static void add_nearest(struct json *json, const struct explanation *nearest) {
    json_open_object(json, "nearest");
    add_mistakes(json, nearest);
    json_add_integer(json, "different", nearest->comparison.different);
    json_add_number(json, "largest_difference", nearest->comparison.largest);
    json_close(json);
}

static void add_diagnosis(struct json *json, const struct checked *checked) {
    const struct diagnosis *diagnosis = &checked->diagnosis;
    const bool is_open = checked->verdict == VERDICT_DIFFERENT && diagnosis->count == 0;
    json_line(json);
    json_open_list(json, "explanations");
    for (int i = 0; i < diagnosis->count; i++) {
        json_line(json);
        add_explanation(json, &diagnosis->explanations[i]);
    }
    json_close(json);
    json_line(json);
    json_add_integer(json, "possible", diagnosis->possible);
    json_line(json);
    json_add_bool(json, "cut",
                  diagnosis->is_cut || (diagnosis->is_edits_cut && diagnosis->count == 0));
    json_line(json);
    if (is_open && diagnosis->has_nearest)
        add_nearest(json, &diagnosis->nearest);
    else
        json_add_raw(json, "nearest", "null");
    json_line(json);
    const char *hint = is_open ? hint_text(json->text->arena, checked) : NULL;
    if (checked->verdict == VERDICT_ROUNDED)
        hint = narrowed_text(json->text->arena, checked->precision);
    json_add_string(json, "hint", hint);
}

static void add_relation(struct json *json, const struct checked *checked) {
    static const char *const kinds[] = {
        [UNRELATED] = "unrelated",
        [TRANSPOSED] = "transposed",
        [PART] = "part",
        [REFOLDED] = "refolded",
    };
    const struct shape_diagnosis *shaped = &checked->shaped;
    if (checked->verdict != VERDICT_SHAPE) {
        json_add_raw(json, "shape_relation", "null");
        return;
    }
    json_open_object(json, "shape_relation");
    json_add_string(json, "kind", kinds[shaped->misshape]);
    if (shaped->misshape == TRANSPOSED)
        add_dims(json, shaped->dims);
    else
        json_add_raw(json, "dims", "null");
    if (shaped->misshape == PART && shaped->has_numbers)
        json_add_integer(json, "index", shaped->index);
    else
        json_add_raw(json, "index", "null");
    json_add_bool(json, "same_numbers", shaped->has_numbers);
    const struct mistake *mistake = shaped->mistake;
    json_add_string(json, "mistake",
                    mistake != NULL          ? mistake->name
                    : shaped->edited != NULL ? shaped->edited->name
                                             : NULL);
    const char *text = NULL;
    if (mistake != NULL)
        text = arena_format(json->text->arena, "%s. %s", mistake->title, mistake->wrong);
    else if (shaped->parameter != NULL)
        text = changed_text(json->text->arena, shaped->parameter);
    else if (shaped->edited != NULL)
        text = shaped->edited->words;
    json_add_string(json, "text", text);
    json_add_string(json, "line", shaped->edited != NULL ? shaped->edited->line : NULL);
    json_add_string(json, "right_line", shaped->edited != NULL ? shaped->edited->right_line : NULL);
    json_close(json);
}

// Labels of the steps of the file's shape: those with its numbers, or the others.
static void add_labels(struct json *json, const char *name, const struct shape_diagnosis *shaped,
                       bool have_numbers) {
    json_line(json);
    json_open_list(json, name);
    for (int i = 0; i < shaped->count; i++) {
        if ((i < shaped->agreeing) != have_numbers) continue;
        json_add_string(json, NULL, step_label(json->text->arena, shaped->steps[i]));
    }
    json_close(json);
}

static void add_largest_index(struct json *json, const struct checked *checked) {
    const struct tensor *tensor = checked->right;
    if (checked->verdict == VERDICT_SHAPE) {
        json_add_raw(json, "largest_index", "null");
        return;
    }
    int64_t index[MAX_DIMS];
    index_at(shape_of(tensor), checked->comparison.worst, index);
    json_add_integers(json, "largest_index", index, tensor->ndim);
}

static void add_unseen(struct json *json, const struct checked *checked) {
    if (checked->unseen_count == NOT_SOUGHT) {
        json_add_raw(json, "unseen", "null");
        return;
    }
    json_open_list(json, "unseen");
    for (int i = 0; i < checked->unseen_count; i++)
        json_add_string(json, NULL, checked->unseen[i]->name);
    json_close(json);
}

static void add_comparison(struct json *json, const struct checked *checked) {
    json_line(json);
    json_add_string(json, "verdict", verdict_text(checked->verdict));
    json_line(json);
    json_add_string(json, "code", code_of(json->text->arena, checked));
    json_line(json);
    json_add_integer(json, "min_decimals", checked->min_decimals);
    json_line(json);
    json_add_bool(json, "quiet", checked->is_quiet);
    json_line(json);
    add_unseen(json, checked);
    json_line(json);
    json_add_integer(json, "elements", checked->comparison.count);
    json_line(json);
    json_add_string(json, "rounded_as", checked->is_of_1_13 ? "1.13" : NULL);
    json_line(json);
    json_add_string(json, "precision",
                    checked->precision != NULL ? checked->precision->name : NULL);
    json_line(json);
    json_add_integer(json, "different", checked->comparison.different);
    json_line(json);
    add_different(json, checked);
    json_line(json);
    json_add_integer(json, "unjudged", checked->unjudged);
    json_line(json);
    if (checked->is_quiet)
        json_add_raw(json, "largest_difference", "null");
    else
        json_add_number(json, "largest_difference", checked->comparison.largest);
    json_line(json);
    add_largest_index(json, checked);
    json_line(json);
    add_first(json, checked);
}

void add_check_json(struct text *text, const struct checked *checked) {
    struct json json = json_answer(text);
    json_line(&json);
    json_add_string(&json, "lesson", checked->run->lesson->name);
    json_line(&json);
    json_add_parameters(&json, checked->run);
    json_line(&json);
    add_step(&json, checked->step);
    json_line(&json);
    add_file(&json, checked);
    add_comparison(&json, checked);
    add_diagnosis(&json, checked);
    json_line(&json);
    add_relation(&json, checked);
    add_labels(&json, "same_numbers", &checked->shaped, true);
    add_labels(&json, "same_shape", &checked->shaped, false);
    json_close(&json);
}
