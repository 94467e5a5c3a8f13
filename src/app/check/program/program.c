#include "app/check/program/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/check/checked.h"
#include "app/check/edited.h"
#include "app/check/program/mend.h"
#include "app/command/input.h"
#include "app/command/json.h"
#include "app/command/program.h"
#include "show/json.h"
#include "tensor/file/notebook.h"
#include "trace/run/step.h"

struct judging {
    const struct wanted *wanted;
    const char *file;
    const struct matched *matched, *last; // last: with all edits
    struct mended mended;
    bool is_quiet, is_thorough;
    bool is_part; // nothing is wrong, and not all of it is judged
};

static const char *lesson_of(const struct judging *j) {
    return j->wanted->run->lesson->name;
}

// ---- Tensors ----------------------------------------------------------------------------------------

static int matched_count(const struct matched *matched) {
    int count = 0;
    for (int i = 0; i < matched->tensor_count; i++) count += matched->tensors[i].step >= 0;
    return count;
}

// The label of the lesson's step that a tensor is.
static const char *step_of(const struct judging *j, const struct program_tensor *tensor) {
    return tensor->step >= 0 ? j->wanted->steps[tensor->step].label : NULL;
}

// The first tensor of the program that is the lesson's with its edits and was not before; NULL if there is none. *mended: what
// became of it.
static const struct program_tensor *first_mended(const struct judging *j,
                                                 const struct program_tensor **mended) {
    for (int i = 0; i < j->matched->tensor_count && j->mended.count > 0; i++) {
        const struct program_tensor *first = &j->matched->tensors[i];
        if (first->step >= 0) continue;
        for (int k = 0; k < j->last->tensor_count; k++) {
            const struct program_tensor *tensor = &j->last->tensors[k];
            if (tensor->step < 0 || first->nth != tensor->nth ||
                strcmp(first->name, tensor->name) != 0)
                continue;
            *mended = tensor;
            return first;
        }
    }
    return NULL;
}

// The steps of the lesson that the program computes, equal numbers counted once and what the lesson begins with not at all;
// *all: how many there are; missing: the labels of the others, in a list.
static int computed_steps(struct arena *arena, const struct judging *j, int *all,
                          const char ***missing) {
    const struct wanted *wanted = j->wanted;
    bool *is_computed = arena_array(arena, (size_t)wanted->count, sizeof *is_computed);
    *missing = arena_array(arena, (size_t)wanted->count, sizeof **missing);
    int count = 0, others = 0;
    for (int i = 0; i < j->matched->tensor_count; i++) {
        const int step = j->matched->tensors[i].step;
        if (step >= 0) is_computed[wanted->steps[step].same] = true;
    }
    for (int i = 0; i < wanted->run->step_count; i++) {
        if (wanted->steps[i].same != i || wanted->steps[i].is_given) continue;
        count += is_computed[i];
        if (!is_computed[i]) (*missing)[others++] = wanted->steps[i].label;
    }
    *all = count + others;
    return count;
}

// ---- Lines ------------------------------------------------------------------------------------------

// The lines of a source that bytes from `start` to `end` stand in, without their indent and line ends.
static const char *lines_around(struct arena *arena, const char *source, size_t start, size_t end) {
    while (start > 0 && source[start - 1] != '\n') start--;
    end += strcspn(source + end, "\n");
    start += strspn(source + start, " \t");
    if (end < start) return "";
    return arena_copy_bytes(arena, source + start, end - start);
}

static const char *source_before(const struct judging *j, int i) {
    return i == 0 ? j->matched->source : j->mended.after[i - 1]->source;
}

static const char *where_of_edit(struct arena *arena, const struct judging *j, int i) {
    const char *source = source_before(j, i);
    return line_words(arena, source, line_of_place(source, j->mended.edits[i].start));
}

static const char *line_before(struct arena *arena, const struct judging *j, int i) {
    const struct edit *edit = &j->mended.edits[i];
    return lines_around(arena, source_before(j, i), edit->start, edit->end);
}

static const char *line_after(struct arena *arena, const struct judging *j, int i) {
    const struct edit *edit = &j->mended.edits[i];
    if (strcmp(edit->text, "pass") == 0) return "";
    return lines_around(arena, j->mended.after[i]->source, edit->start,
                        edit->start + strlen(edit->text));
}

// Several lines of a program, each behind a label of its own or blanks as wide.
static void add_lines(struct text *text, const char *label, const char *lines) {
    enum { COLUMNS = 15 };
    const int columns = (int)strlen(label) < COLUMNS ? COLUMNS : (int)strlen(label) + 1;
    for (int i = 0; i == 0 || *lines != '\0'; i++) {
        const size_t length = strcspn(lines, "\n");
        text_add_padded(text, i == 0 ? label : "", columns, false);
        text_add_format(text, "%s\n", text_safe_bytes(text->arena, lines, length));
        lines += length + (lines[length] != '\0');
    }
}

// ---- For people -------------------------------------------------------------------------------------

// " differs in 21 of 36 numbers, first at query Your, key Your (x[0, 0]): 0.1605, and it should be 1."
static void add_difference(struct text *text, const struct judging *j, const struct values *values,
                           const struct wanted_step *right) {
    const struct values *wanted = &right->values;
    const bool is_batch = values->count % wanted->count == 0 && values->count > wanted->count;
    if (values->count != wanted->count && !is_batch) {
        text_add_format(text, " has the shape %s, and it should be %s.",
                        shape_text(text->arena, values->shape),
                        shape_text(text->arena, wanted->shape));
        return;
    }
    int64_t different = 0, first = -1;
    for (int64_t i = 0; i < wanted->count; i++) {
        const double a = values->numbers[i], b = wanted->numbers[i];
        if ((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-5 * wanted->size) continue;
        if (first < 0) first = i;
        different++;
    }
    text_add_format(text, " differs in %" PRId64 " of %" PRId64 " numbers%s", different,
                    wanted->count, is_batch ? " of its first sentence" : "");
    if (first >= 0 && !j->is_quiet)
        text_add_format(text, ", first at %s: %.4g, and it should be %.4g",
                        place_text(text->arena, &right->tensor, first), values->numbers[first],
                        wanted->numbers[first]);
    text_add(text, ".");
}

// A paragraph in 80 columns.
static void add_wrapped(struct text *text, const char *paragraph) {
    char **lines;
    const int count = text_wrap(text->arena, paragraph, 80, &lines);
    for (int i = 0; i < count; i++) text_add_format(text, "%s\n", lines[i]);
}

static void add_edit_text(struct text *text, const struct judging *j, int i) {
    struct arena *arena = text->arena;
    const struct edit *edit = &j->mended.edits[i];
    const char *after = line_after(arena, j, i);
    add_lines(text, arena_format(arena, "%s is", where_of_edit(arena, j, i)),
              line_before(arena, j, i));
    add_lines(text, "right would be", *after != '\0' ? after : "nothing: the line is too many");
    if (edit->name != NULL)
        add_wrapped(text,
                    arena_format(arena, "%s: %s", edit->name, words_of_named(arena, edit->name)));
    else
        text_add_format(text, "(%s)\n", edit->words);
}

// What is wrong, before the lines.
static void add_first(struct text *text, const struct judging *j) {
    const struct program_tensor *mended = NULL, *first = first_mended(j, &mended);
    if (first == NULL) return;
    const struct wanted_step *right = &j->wanted->steps[mended->step];
    struct text words = text_new(text->arena);
    text_add_format(&words, "%s, %s,", text_safe(text->arena, first->name),
                    line_words(text->arena, j->matched->source, first->line));
    if (strcmp(first->name, right->name) != 0)
        text_add_format(&words, " %s %s of the lesson. It", j->is_part ? "may be meant for" : "is",
                        right->label);
    add_difference(&words, j, &first->values, right);
    add_wrapped(text, words.bytes);
}

static void add_wrong(struct text *text, const struct judging *j) {
    const int wrong = first_wrong(j->last);
    add_first(text, j);
    for (int i = 0; i < j->mended.count; i++) {
        if (i > 0) text_add(text, "and then\n");
        add_edit_text(text, j, i);
    }
    if (j->mended.count > 0)
        text_add_format(text, "With %s, %d of its %d tensors are steps of %s%s.\n",
                        j->mended.count == 1 ? "this" : "these", matched_count(j->last),
                        j->last->tensor_count, lesson_of(j), wrong < 0 ? ", the last one too" : "");
    if (wrong < 0) return;
    const struct program_tensor *tensor = &j->last->tensors[wrong];
    add_wrapped(text, arena_format(
                          text->arena,
                          "No %sline written otherwise makes %s, in %s, a step of "
                          "%s (%d tried%s).",
                          j->mended.count > 0 ? "other " : "", text_safe(text->arena, tensor->name),
                          line_words(text->arena, j->last->source, tensor->line), lesson_of(j),
                          j->mended.tried,
                          !j->mended.is_cut ? "; there are no more"
                          : j->is_thorough
                              ? "; the search ended"
                              : "; the search ended, and --thorough tries ten times as many"));
}

static void add_table(struct text *text, const struct judging *j) {
    enum { NAME_COLUMNS = 34 };
    text_add(text, "line  tensor                             step of the lesson\n");
    for (int i = 0; i < j->matched->tensor_count; i++) {
        const struct program_tensor *tensor = &j->matched->tensors[i];
        const char *name =
            text_cut(text->arena, text_safe(text->arena, tensor->name), NAME_COLUMNS);
        const char *label = step_of(j, tensor);
        text_add_format(text, "%4d  ", tensor->line);
        text_add_padded(text, name, NAME_COLUMNS, false);
        text_add_format(text, " %s\n",
                        label != NULL        ? label
                        : tensor->is_suspect ? "no: other numbers"
                                             : "none");
    }
}

// Does a line print what stands at a place of it, and no more?
static bool is_printed(const char *source, const char *at) {
    while (at > source && at[-1] != '\n') at--;
    return strncmp(at + strspn(at, " "), "print(", 6) == 0;
}

// Is a tensor's name read in a line behind its own, other than to print it? Then what it is for is judged.
static bool is_read_later(const struct judging *j, const struct program_tensor *tensor) {
    const char *at = j->matched->source;
    const size_t length = strlen(tensor->name);
    for (int line = 1; line <= tensor->last_line && *at != '\0'; at++) line += *at == '\n';
    while ((at = strstr(at, tensor->name)) != NULL) {
        const bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_';
        const bool ends = !isalnum((unsigned char)at[length]) && at[length] != '_';
        if (begins && ends && !is_printed(j->matched->source, at)) return true;
        at += length;
    }
    return strpbrk(tensor->name, ".([ ") != NULL;
}

// May a tensor that is no step be one that the program should have? It has the shape of a step that is missing, numbers that
// are no mask, nothing is made of it, and no later tensor has its name.
static bool may_be_missing(const struct judging *j, int position, const struct wanted_step *step) {
    const struct program_tensor *tensor = &j->matched->tensors[position];
    bool is_mask = true;
    if (tensor->step >= 0 || tensor->is_misnamed)
        return false; // its name is a step's: see is_suspect
    if (!shapes_equal(tensor->values.squeezed, step->values.squeezed)) return false;
    if (is_read_later(j, tensor)) return false;
    for (int64_t i = 0; i < tensor->values.count && is_mask; i++)
        is_mask = tensor->values.numbers[i] == rint(tensor->values.numbers[i]);
    for (int i = position + 1; i < j->matched->tensor_count; i++) {
        if (strcmp(j->matched->tensors[i].name, tensor->name) == 0) return false;
    }
    return !is_mask;
}

// The step that the lesson's class gives, if the program ends before it and has it nowhere; NO_STEP if it does not.
static int step_ahead(const struct judging *j) {
    const int last = j->matched->tensors[j->matched->tensor_count - 1].step,
              given = j->wanted->given;
    if (given <= last || j->matched->found[j->wanted->steps[given].same]) return NO_STEP;
    return given;
}

// The first tensor that has a step's name and the numbers of none, and is not wrong for that; NULL if none has.
static const struct program_tensor *excused(const struct matched *matched) {
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        if (tensor->is_excused && tensor->step < 0) return tensor;
    }
    return NULL;
}

// Marks the tensors of the program that may be a missing step: nobody can judge them.
static void mark_unjudged(struct arena *arena, const struct judging *j, struct matched *matched) {
    const struct wanted *wanted = j->wanted;
    bool *has = arena_array(arena, (size_t)wanted->count, sizeof *has);
    for (int i = 0; i < matched->tensor_count; i++) {
        const int step = matched->tensors[i].step;
        if (step >= 0) has[wanted->steps[step].same] = true;
    }
    for (int k = 0; k < matched->tensor_count; k++) {
        bool may_be = false;
        for (int i = 0; i < wanted->run->step_count && !may_be; i++)
            may_be = !has[wanted->steps[i].same] && may_be_missing(j, k, &wanted->steps[i]);
        matched->tensors[k].is_unjudged = may_be;
    }
}

static int count_unjudged(const struct judging *j) {
    int count = 0;
    for (int i = 0; i < j->matched->tensor_count; i++) count += j->matched->tensors[i].is_unjudged;
    return count;
}

// Is nothing wrong, and yet not all of it judged? It ends too early, or not all of it can be judged.
static bool is_in_part(const struct judging *j) {
    return step_ahead(j) >= 0 || is_beyond_us(j->matched) || excused(j->matched) != NULL ||
           j->matched->is_transposed || count_unjudged(j) > 0;
}

static const char *verdict(const struct judging *j) {
    if (first_wrong(j->matched) < 0) return j->is_part ? "part" : "equal";
    return j->mended.count > 0             ? "wrong"
           : matched_count(j->matched) > 0 ? "unexplained"
                                           : "unrelated";
}

// "It has the numbers of 3 of the 15 steps of causal. It has not: keys, values and 10 more."
static void add_coverage(struct text *text, const struct judging *j) {
    enum { SHOWN = 6 };
    struct text words = text_new(text->arena);
    const char **missing;
    int all;
    const int count = computed_steps(text->arena, j, &all, &missing);
    text_add_format(&words, "It has the numbers of %d of the %d steps that %s computes.", count,
                    all, lesson_of(j));
    for (int i = 0; i < all - count && i < SHOWN; i++)
        text_add_format(&words, "%s%s", i == 0 ? " It has not: " : ", ", missing[i]);
    if (all - count > SHOWN) text_add_format(&words, ", and %d more", all - count - SHOWN);
    if (all > count) text_add(&words, ".");
    add_wrapped(text, words.bytes);
}

// What would be the lesson's with something that the program has and does not use.
static void add_forgotten(struct text *text, const struct judging *j) {
    if (j->mended.count == 0) return;
    const struct program_tensor *is = &j->last->tensors[j->last->tensor_count - 1];
    first_mended(j, &is);
    add_first(text, j);
    add_edit_text(text, j, 0);
    text_add_format(text, "With this, %s is %s.\n", text_safe(text->arena, is->name),
                    j->wanted->steps[is->step].label);
}

static void add_plain(struct text *text, const struct judging *j) {
    const struct matched *matched = j->matched;
    text_add_format(text, "%s: %d of the %d tensors of %s are steps of %s\n", verdict(j),
                    matched_count(matched), matched->tensor_count, text_safe(text->arena, j->file),
                    lesson_of(j));
    add_table(text, j);
    if (matched->error != NULL) text_add_format(text, "It ended early: %s\n", matched->error);
    add_coverage(text, j);
    text_add(text, "\n");
    if (first_wrong(matched) >= 0) {
        add_wrong(text, j);
        return;
    }
    const struct program_tensor *last = &matched->tensors[matched->tensor_count - 1];
    const int ahead = step_ahead(j);
    if (is_beyond_us(matched))
        add_wrapped(text, "Nothing is wrong so far. What comes behind the line that onestep could "
                          "not run cannot be judged.");
    else if (ahead >= 0)
        add_wrapped(text,
                    arena_format(text->arena, "Nothing is wrong so far. The lesson goes on to %s.",
                                 j->wanted->steps[ahead].label));
    else if (matched->is_transposed)
        add_wrapped(text,
                    arena_format(text->arena, "%s has the numbers of %s with its rows as columns.",
                                 text_safe(text->arena, last->name), step_of(j, last)));
    else if (excused(matched) != NULL)
        add_wrapped(text,
                    arena_format(text->arena,
                                 "%s, in %s, has the name of a step and other numbers. What "
                                 "is computed from it is right.",
                                 text_safe(text->arena, excused(matched)->name),
                                 line_words(text->arena, matched->source, excused(matched)->line)));
    else if (j->is_part)
        add_wrapped(text, "Nothing is wrong in what is a step of the lesson. Whether the rest is "
                          "right cannot be judged.");
    add_forgotten(text, j);
    if (step_of(j, last) != NULL && !matched->is_transposed)
        text_add_format(text, "Its last tensor, %s, is %s.\n", text_safe(text->arena, last->name),
                        step_of(j, last));
}

// ---- For graders ------------------------------------------------------------------------------------

// One object, whose members are always there:
//
//     onestep, lesson, parameters, file   as in the other answers
//     verdict    "equal": its last tensor is the lesson's; "part": it is, but the program
//                ends before the step that the lesson's class gives, or has a tensor of a missing step's shape that is no
//                step: it cannot be judged whether that is right; or it ended at something that onestep has not, or
//                a tensor has a step's name and other numbers, and what is made of it is right; or its last tensor is the
//                lesson's with its rows as columns; an edit may say what it has and does not use; "wrong": edits explain what is not; "unexplained": none do;
//                "unrelated": no tensor of it is the lesson's
//     error      what ended the program early, or null
//     tensors    list: {"line", "name", "step" (label of the lesson's step with these numbers, or null)}
//     edits      list: {"line", "is" (the student's lines), "right" (the lines in their place), "mistake" (its name, or null),
//                "words" (what is changed, or null)}
//     whole      with the edits, is its last tensor the lesson's?
//     tried      how many edits were run
//     cut        did the search end before all edits were run?
//     steps      {"computed", "all": how many steps the lesson computes, and the program of them; "missing": labels of the others}
static void add_tensors(struct json *json, const struct judging *j) {
    json_open_list(json, "tensors");
    for (int i = 0; i < j->matched->tensor_count; i++) {
        const struct program_tensor *tensor = &j->matched->tensors[i];
        json_line(json);
        json_open_object(json, NULL);
        json_add_integer(json, "line", tensor->line);
        json_add_string(json, "name", text_safe(json->text->arena, tensor->name));
        json_add_string(json, "step", step_of(j, tensor));
        json_close(json);
    }
    json_close(json);
}

static void add_edits(struct json *json, const struct judging *j) {
    struct arena *arena = json->text->arena;
    json_open_list(json, "edits");
    for (int i = 0; i < j->mended.count; i++) {
        const struct edit *edit = &j->mended.edits[i];
        json_line(json);
        json_open_object(json, NULL);
        json_add_integer(json, "line", line_of_place(source_before(j, i), edit->start));
        json_add_string(json, "is", text_safe(arena, line_before(arena, j, i)));
        json_add_string(json, "right", text_safe(arena, line_after(arena, j, i)));
        json_add_string(json, "mistake", edit->name);
        json_add_string(json, "words", edit->words);
        json_close(json);
    }
    json_close(json);
}

static void add_steps(struct json *json, const struct judging *j) {
    const char **missing;
    int all;
    const int count = computed_steps(json->text->arena, j, &all, &missing);
    json_open_object(json, "steps");
    json_add_integer(json, "computed", count);
    json_add_integer(json, "all", all);
    json_open_list(json, "missing");
    for (int i = 0; i < all - count; i++) json_add_string(json, NULL, missing[i]);
    json_close(json);
    json_close(json);
}

static void add_json(struct text *text, const struct judging *j) {
    struct json json = json_answer(text);
    json_add_string(&json, "lesson", lesson_of(j));
    json_add_parameters(&json, j->wanted->run);
    json_add_string(&json, "file", text_safe(text->arena, j->file));
    json_add_string(&json, "verdict", verdict(j));
    json_add_string(&json, "error", j->matched->error);
    add_tensors(&json, j);
    add_edits(&json, j);
    json_add_bool(&json, "whole", first_wrong(j->last) < 0);
    json_add_integer(&json, "tried", j->mended.tried);
    json_add_bool(&json, "cut", j->mended.is_cut);
    add_steps(&json, j);
    json_close(&json);
}

// The program in a file.
static const char *read_source(struct arena *arena, const char *path) {
    size_t length;
    const char *source = read_file(arena, path, ANY_FILE, NUMBERS_MAX_BYTES, &length);
    if (strlen(source) != length)
        fail(arena->failure, FAIL_INPUT, "%s is no program: it has a byte that is 0",
             text_safe(arena, file_name(path)));
    if (!is_notebook_name(path)) return source;
    const struct reading reading = reading_new(arena, file_name(path), source, length);
    return notebook_code(&reading);
}

static void judge_program(struct arena *arena, struct judging *j, const char *source) {
    struct matched *matched = match_program(arena, NULL, j->wanted, j->file, source, NULL);
    j->matched = j->last = matched;
    if (j->matched->tensor_count == 0)
        fail(arena->failure, FAIL_INPUT, "%s",
             j->matched->error != NULL
                 ? j->matched->error
                 : arena_format(arena, "%s computes no tensor", text_safe(arena, j->file)));
    mark_unjudged(arena, j, matched);
    j->is_part = first_wrong(matched) < 0 && is_in_part(j);
    if (!j->is_part)
        j->mended = mend_program(arena, j->wanted, j->file, matched, j->is_thorough);
    else if (!is_beyond_us(matched) && step_ahead(j) >= 0)
        j->mended = mend_unfinished(arena, j->wanted, j->file, matched);
    if (j->is_part && j->mended.count == 0 && count_unjudged(j) > 0)
        j->mended = mend_aside(arena, j->wanted, j->file, matched);
    if (j->mended.count > 0) j->last = j->mended.after[j->mended.count - 1];
}

bool add_check_of_program(struct text *text, const struct command *command, const struct run *run) {
    struct arena *arena = text->arena;
    const char *path = command->check.file;
    const struct wanted wanted = wanted_of(arena, run);
    struct judging j = {.wanted = &wanted,
                        .file = file_name(path),
                        .is_quiet = command->check.is_quiet,
                        .is_thorough = command->check.is_thorough};
    judge_program(arena, &j, read_source(arena, path));
    if (command->format == FORMAT_JSON)
        add_json(text, &j);
    else
        add_plain(text, &j);
    return first_wrong(j.matched) < 0;
}

// ---- For a class --------------------------------------------------------------------------------------

// A program without blanks, and without lines of comments.
static const char *bare_text(struct arena *arena, const char *source) {
    struct text text = text_new(arena);
    text_add(&text, "");
    while (*source != '\0') {
        const size_t length = strcspn(source, "\n");
        const size_t indent = strspn(source, " \t\r");
        for (size_t i = indent; i < length && source[indent] != '#'; i++) {
            if (strchr(" \t\r", source[i]) == NULL) text_add_bytes(&text, source + i, 1);
        }
        if (indent < length && source[indent] != '#') text_add(&text, "\n");
        source += length + (source[length] != '\0');
    }
    return text.bytes;
}

static struct coverage coverage_of(struct arena *arena, const struct judging *j) {
    struct coverage coverage = {.unjudged = count_unjudged(j)};
    const char **missing;
    coverage.right = computed_steps(arena, j, &coverage.all, &missing);
    for (int i = 0; i < j->matched->tensor_count; i++)
        coverage.wrong += j->matched->tensors[i].is_suspect;
    if (coverage.wrong == 0 && first_wrong(j->matched) >= 0) coverage.wrong = 1; // its last tensor
    return coverage;
}

// "line 18 is A, and B would be right"
static const char *words_of_mark(struct arena *arena, const struct judging *j) {
    if (strcmp(verdict(j), "part") == 0 && j->mended.count == 0)
        return "right as far as it is steps of the lesson";
    if (j->mended.count == 0)
        return strcmp(verdict(j), "equal") == 0 ? "" : "no line written otherwise explains it";
    const char *after = line_after(arena, j, 0);
    const char *before = line_before(arena, j, 0);
    return arena_format(
        arena, "%s is %s%s", where_of_edit(arena, j, 0), text_safe(arena, before),
        *after == '\0' ? ", a line too many"
                       : arena_format(arena, ", and %s would be right", text_safe(arena, after)));
}

struct program_mark mark_of_program(struct arena *arena, const char *path, const struct run *run,
                                    bool is_thorough) {
    const struct wanted wanted = wanted_of(arena, run);
    struct judging j = {.wanted = &wanted, .file = file_name(path), .is_thorough = is_thorough};
    const char *source = read_source(arena, path);
    judge_program(arena, &j, source);
    const struct program_tensor *mended = NULL, *wrong = first_mended(&j, &mended);
    const char *name = j.mended.count > 0 ? j.mended.edits[0].name : NULL;
    return (struct program_mark){
        .verdict = verdict(&j),
        .code = name != NULL ? name : verdict(&j),
        .words = words_of_mark(arena, &j),
        .first_wrong = wrong != NULL ? wanted.steps[mended->step].label : NULL,
        .fraction = (double)matched_count(j.matched) / (double)j.matched->tensor_count,
        .coverage = coverage_of(arena, &j),
        .text = bare_text(arena, source),
    };
}
