// The format `ipynb`: a notebook of Jupyter (nbformat 4.5) that runs with PyTorch alone, with what its cells
// print. With exercises it carries the marks of nbgrader (the metadata of its cells, schema version 3).

#include <string.h>

#include "app/print/document.h"
#include "show/json.h"
#include "show/markup.h" // defines: step_address
#include "show/table.h"
#include "tensor/text/format.h"
#include "trace/run/step.h"

// The notebook as it is being written.
struct notebook {
    struct json json;
    struct text words; // of the cell of text that is being collected
    int texts;         // cells of text written so far
    int executed;      // cells of code
    int points;        // that the checks are worth
};

static struct notebook *notebook_of(const struct document *d) {
    return d->state;
}

// ---- Cells --------------------------------------------------------------------------------------

// A list of lines, each but the last with its \n, as Jupyter writes text.
static void add_lines(struct json *json, const char *name, const char *string) {
    json_open_list(json, name);
    while (*string != '\0') {
        size_t length = strcspn(string, "\n");
        if (string[length] == '\n') length++;
        json_line(json);
        json_add_string(json, NULL, arena_copy_bytes(json->text->arena, string, length));
        string += length;
    }
    json_close(json);
}

// What nbgrader is to do with a cell, and what Jupyter is to do with one of code: SET_UP is shown collapsed.
enum kind { READ, SET_UP, SOLVE, GRADE };

// Where a blank was left, the notebook runs on behind it, and Colab and Jupyter collapse the set-up.
static void add_look(struct json *json, enum kind role) {
    if (role == SET_UP) {
        json_open_object(json, "jupyter");
        json_add_bool(json, "source_hidden", true);
        json_close(json);
        json_add_string(json, "cellView", "form");
    }
    if (role == READ) return;
    json_open_list(json, "tags");
    json_add_string(json, NULL, role == SET_UP ? "hide-input" : "raises-exception");
    json_close(json);
}

static void add_metadata(struct json *json, const struct document *d, const char *id,
                         enum kind role) {
    json_open_object(json, "metadata");
    if (d->selection->exercises != NO_EXERCISES) {
        json_open_object(json, "nbgrader");
        json_add_integer(json, "schema_version", 3);
        json_add_string(json, "grade_id", id);
        json_add_bool(json, "solution", role == SOLVE);
        json_add_bool(json, "locked", role != SOLVE);
        json_add_bool(json, "grade", role == GRADE);
        if (role == GRADE) json_add_integer(json, "points", 1);
        json_add_bool(json, "task", false);
        json_close(json);
        add_look(json, role);
    }
    json_close(json);
}

static void open_cell(const struct document *d, const char *type, const char *id, enum kind role) {
    struct json *json = &notebook_of(d)->json;
    json_line(json);
    json_open_object(json, NULL);
    json_add_string(json, "cell_type", type);
    json_add_string(json, "id", id);
    add_metadata(json, d, id, role);
}

// Writes the words collected as a cell, if there are any.
static void close_words(const struct document *d) {
    struct notebook *notebook = notebook_of(d);
    struct text *words = &notebook->words;
    while (words->length > 0 && words->bytes[words->length - 1] == '\n')
        words->bytes[--words->length] = '\0';
    if (words->length == 0) return;
    open_cell(d, "markdown", arena_format(d->text->arena, "text-%d", ++notebook->texts), READ);
    add_lines(&notebook->json, "source", words->bytes);
    json_close(&notebook->json);
    *words = text_new(d->text->arena);
}

// A cell of code; `result` is what it prints, or what its last line is worth; NULL for neither.
struct code {
    const char *id;
    enum kind role;
    const char *source, *printed, *worth;
};

static void add_output(struct json *json, const struct code *code, int number) {
    json_open_object(json, NULL);
    if (code->printed != NULL) {
        json_add_string(json, "output_type", "stream");
        json_add_string(json, "name", "stdout");
        add_lines(json, "text", code->printed);
    } else {
        json_add_string(json, "output_type", "execute_result");
        json_add_integer(json, "execution_count", number);
        json_open_object(json, "data");
        add_lines(json, "text/plain", code->worth);
        json_close(json);
        json_open_object(json, "metadata");
        json_close(json);
    }
    json_close(json);
}

// A notebook with blanks has not been run.
static void add_code(const struct document *d, const struct code *code) {
    struct notebook *notebook = notebook_of(d);
    struct json *json = &notebook->json;
    const bool was_run = d->selection->exercises != BLANKS;
    close_words(d);
    open_cell(d, "code", code->id, code->role);
    notebook->executed++;
    if (code->role == GRADE) notebook->points++;
    if (was_run)
        json_add_integer(json, "execution_count", notebook->executed);
    else
        json_add_raw(json, "execution_count", "null");
    add_lines(json, "source", code->source);
    json_open_list(json, "outputs");
    if (was_run && (code->printed != NULL || code->worth != NULL))
        add_output(json, code, notebook->executed);
    json_close(json);
    json_close(json);
}

// A line without its last \n: code in a cell ends with none.
static const char *without_end(struct arena *arena, const char *lines) {
    size_t length = strlen(lines);
    while (length > 0 && lines[length - 1] == '\n') length--;
    return arena_copy_bytes(arena, lines, length);
}

// ---- Words --------------------------------------------------------------------------------------

static void add_heading(const struct document *d) {
    struct text *words = &notebook_of(d)->words;
    text_add_repeated(words, "#", d->level);
    text_add(words, " ");
    add_prose(words, d->words);
    text_add(words, "\n\n");
}

static void add_paragraph(const struct document *d) {
    add_prose(&notebook_of(d)->words, d->words);
    text_add(&notebook_of(d)->words, "\n\n");
}

static void add_formula(const struct document *d) {
    text_add_format(&notebook_of(d)->words, "`%s`\n\n", d->words);
}

static void add_differences(const struct document *d) {
    if (d->words == NULL) return;
    struct text *words = &notebook_of(d)->words;
    text_add_format(words, "**Not the %s's numbers:** ", standard_of(d->trial->run.lesson));
    add_label(words, d->words);
    text_add(words, ".\n\n");
}

// ---- The notebook -------------------------------------------------------------------------------

static const char show_function[] =
    "def show(tensor):\n"
    "    \"\"\"Prints a tensor without its autograd information.\"\"\"\n"
    "    print(tensor.detach())";

static void begin(const struct document *d) {
    struct json *json = &notebook_of(d)->json;
    json_open_object(json, NULL);
    json_line(json);
    json_open_list(json, "cells");
    if (d->selection->trial_count > 1) {
        add_heading(d);
        close_words(d);
    }
}

static const char *setup_of(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct run *run = &d->trial->run;
    const bool is_first = d->trial == d->selection->trials;
    const char *setup =
        arena_format(arena, "%s%s", run_setup(arena, run), print_options(arena, d->selection));
    if (d->selection->exercises != NO_EXERCISES)
        return arena_format(arena,
                            "#@title Set-up: run this cell first\n%s\n"
                            "# check(), hint(), points() and show(); encoded, as it holds hints "
                            "and answers\nimport base64\n%s",
                            setup, exercises_line(arena, run, is_first));
    return is_first ? arena_format(arena, "%s\n\n%s", setup, show_function) : setup;
}

static void add_setup(const struct document *d) {
    struct arena *arena = d->text->arena;
    const char *name = d->trial->run.lesson->name;
    close_words(d);
    add_code(d, &(struct code){
                    .id = arena_format(arena, "%s-setup", name),
                    .role = d->selection->exercises != NO_EXERCISES ? SET_UP : READ,
                    .source = without_end(arena, setup_of(d)),
                });
}

// "causal-12": no address, for ids take no more than 64 letters, digits and - _.
static const char *id_of(const struct document *d, const char *end) {
    return arena_format(d->text->arena, "%s-%d%s", d->trial->run.lesson->name, d->step->number,
                        end);
}

static void begin_step(const struct document *d) {
    struct arena *arena = d->text->arena;
    const char *before = statements_before(d);
    if (*before != '\0')
        add_code(d,
                 &(struct code){.id = id_of(d, "-before"), .source = without_end(arena, before)});
    struct text *words = &notebook_of(d)->words;
    text_add_repeated(words, "#", d->level);
    text_add_format(words, " %d. ", d->step->number);
    add_prose(words, d->words != NULL ? d->words : step_label(arena, d->step));
    text_add(words, "\n\n");
}

// The words of ids, where the program up to this step knows them: not every lesson with ids has a text. Else NULL.
static const char *words_here(const struct document *d) {
    const struct step *steps = d->trial->run.steps;
    for (int i = 0; i < d->step->number; i++) {
        if (strstr(steps[i].statement, "vocabulary_words = ") != NULL)
            return sentence_of(d->text->arena, &d->step->tensor);
    }
    return NULL;
}

// The tensor; of ids, the words as well.
static const char *printed_text(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct tensor *tensor = &d->step->tensor;
    const char *sentence = words_here(d);
    return arena_format(arena, "%s\n%s%s", torch_text(arena, tensor, d->selection->digits),
                        sentence != NULL ? sentence : "", sentence != NULL ? "\n" : "");
}

// The statement, and the step's print.
static void add_given(const struct document *d) {
    struct arena *arena = d->text->arena;
    const char *statement = d->step->statement, *expression = d->step->expression;
    const bool is_sentence = words_here(d) != NULL;
    const char *words =
        arena_format(arena, "\nprint(*[vocabulary_words[id] for id in %s.flatten()])", expression);
    add_code(d, &(struct code){
                    .id = id_of(d, ""),
                    .source = arena_format(arena, "%s%sshow(%s)%s", statement,
                                           *statement != '\0' ? "\n" : "", expression,
                                           is_sentence ? words : ""),
                    .printed = printed_text(d),
                });
}

// A blank, or its answer, and the check behind it, which is worth a point.
static void add_blank(const struct document *d, const char *id, const char *label,
                      const char *source) {
    struct arena *arena = d->text->arena;
    if (d->selection->exercises == SOLVED)
        source = arena_format(arena, "### BEGIN SOLUTION\n%s\n### END SOLUTION", source);
    add_code(d, &(struct code){.id = id, .role = SOLVE, .source = source});
    add_code(d, &(struct code){
                    .id = arena_format(arena, "%s-check", id),
                    .role = GRADE,
                    .source = arena_format(arena, "check(\"%s\", \"%s\")",
                                           d->trial->run.lesson->name, label),
                    .worth = arena_format(arena, "%s: right", label),
                });
}

// The last exercise of a lesson.
static void add_whole_class(const struct document *d) {
    struct arena *arena = d->text->arena;
    const struct run *run = &d->trial->run;
    const struct recap *recap = run->lesson->source->recap;
    if (d->selection->exercises == NO_EXERCISES || d->selection->step != NULL) return;
    text_add_repeated(&notebook_of(d)->words, "#", d->level - (d->section != NULL));
    text_add_format(&notebook_of(d)->words,
                    " The whole class\n\nWrite what this lesson computes as one class. The check "
                    "behind it runs these lines:\n\n```python\n%s```\n",
                    run_statement(arena, run, recap->use));
    const bool is_solved = d->selection->exercises == SOLVED;
    add_blank(d, arena_format(arena, "%s-class", run->lesson->name), "the whole class",
              without_end(arena, is_solved ? recap->classes : recap->outline));
}

static void add_statement(const struct document *d) {
    if (exercise_here(d) != NULL)
        add_blank(d, id_of(d, ""), step_label(d->text->arena, d->step), statement_here(d));
    else
        add_given(d);
}

static void end(const struct document *d) {
    if (d->selection->exercises != NO_EXERCISES) {
        const int all = notebook_of(d)->points;
        const char *worth = arena_format(d->text->arena, "%d of %d points", all, all);
        add_code(d, &(struct code){.id = "points", .source = "points()", .worth = worth});
    }
    struct json *json = &notebook_of(d)->json;
    json_close(json);
    json_line(json);
    json_open_object(json, "metadata");
    json_open_object(json, "kernelspec");
    json_add_string(json, "display_name", "Python 3");
    json_add_string(json, "language", "python");
    json_add_string(json, "name", "python3");
    json_close(json);
    json_open_object(json, "language_info");
    json_add_string(json, "name", "python");
    json_close(json);
    json_close(json);
    json_line(json);
    json_add_integer(json, "nbformat", 4);
    json_add_integer(json, "nbformat_minor", 5);
    json_close(json);
}

static const struct print_part parts[PART_COUNT] = {
    [PART_BEGIN] = {begin, NULL},
    [PART_LESSON] = {add_heading, NULL},
    [PART_SUMMARY] = {add_paragraph, NULL},
    [PART_BOOK] = {add_paragraph, NULL},
    [PART_DIFFERENCES] = {add_differences, NULL},
    [PART_STEPS] = {add_setup, NULL},
    [PART_SECTION] = {add_heading, NULL},
    [PART_STEP] = {begin_step, NULL},
    [PART_EXPLANATION] = {add_paragraph, NULL},
    [PART_FORMULA] = {add_formula, NULL},
    [PART_PYTORCH] = {add_statement, NULL},
    [PART_LESSON_END] = {add_whole_class, NULL},
    [PART_END] = {end, NULL},
};

void add_ipynb(struct text *text, const struct selection *selection) {
    struct notebook notebook = {.json = json_new(text), .words = text_new(text->arena)};
    add_document(text, selection, parts, &notebook);
}
