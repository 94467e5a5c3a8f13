// What is said of each student's file.

#include <inttypes.h>
#include <string.h>

#include "app/check/changed_run.h"
#include "app/check/checked.h"
#include "app/check/class/class.h"
#include "app/check/judged.h"
#include "app/check/program/program.h"
#include "app/check/rounding/narrowed.h"
#include "app/command/program.h"
#include "trace/run/expression.h"
#include "trace/run/step.h"

enum { LEAST_DECIMALS = 4 }; // of a class, as PyTorch prints them

// Reading a student's file, as an attempt.
struct reading_file {
    struct arena *arena;
    const char *path;
    struct numbers numbers;
};

static const char *path_of(struct arena *arena, const struct class *class,
                           const struct student *student) {
    return arena_format(arena, "%s/%s", class->command->check.file, student->file);
}

static void read_student_file(void *context) {
    struct reading_file *work = context;
    work->numbers = read_numbers(work->arena, work->path, REGULAR_FILE);
}

bool read_file_of(struct arena *arena, const struct class *class, const struct student *student,
                  struct numbers *numbers) {
    struct reading_file work = {.arena = arena, .path = path_of(arena, class, student)};
    const bool is_read = attempt(arena->failure, read_student_file, &work);
    *numbers = work.numbers;
    return is_read;
}

static const char *titles_text(struct arena *arena, const struct explanation *explanation) {
    const char *titles = explanation->mistakes[0]->title;
    if (explanation->mistake_count > 1)
        titles = arena_format(arena, "%s; and %s", titles, explanation->mistakes[1]->title);
    for (int i = 0; i < explanation->alike_count; i++)
        titles =
            arena_format(arena, "%s; or %s", titles, titles_text(arena, &explanation->alike[i]));
    return titles;
}

static const char *edited_words(struct arena *arena, const struct edited *edited) {
    return arena_format(arena, "%.*s, not %.*s", (int)strcspn(edited->line, "\n"), edited->line,
                        (int)strcspn(edited->right_line, "\n"), edited->right_line);
}

// The best explanation in a sentence or two; "" if there is none.
static const char *words_for(struct arena *arena, const struct checked *checked) {
    if (checked->verdict == VERDICT_COARSE && checked->min_decimals == 0)
        return "equal as far as the digits show: the numbers have no decimals";
    if (checked->verdict == VERDICT_COARSE)
        return arena_format(arena, "%d decimals, but --min-decimals requires %d",
                            checked->numbers.decimals, checked->min_decimals);
    if (checked->verdict == VERDICT_SHAPE && checked->shaped.parameter != NULL)
        return changed_text(arena, checked->shaped.parameter);
    if (checked->verdict == VERDICT_SHAPE && checked->shaped.edited != NULL)
        return edited_words(arena, checked->shaped.edited);
    if (checked->verdict == VERDICT_SHAPE)
        return arena_format(arena, "shape %s, but %s is right",
                            shape_text(arena, checked->numbers.shape),
                            shape_text(arena, shape_of(&checked->step->tensor)));
    if (checked->verdict == VERDICT_EQUAL) return "";
    if (checked->verdict == VERDICT_UNJUDGED)
        return "rounding alone changes some of these numbers by as much as their own size";
    if (checked->verdict == VERDICT_STREAM)
        return "right, but with masks of the other dropout stream";
    if (checked->verdict == VERDICT_ROUNDED) return narrowed_text(arena, checked->precision);
    const struct explanation *best = checked->diagnosis.explanations;
    if (checked->diagnosis.possible > 0) return "too few digits differ to identify the mistake";
    if (checked->diagnosis.count == 0) {
        const char *hint = hint_text(arena, checked);
        return hint != NULL ? hint : "";
    }
    if (best->kind == BY_STEP) return "the numbers of another step";
    if (best->kind == BY_PARAMETER) return changed_text(arena, best->parameter);
    if (best->kind == BY_MASK_TIMES_INF) return "the mask was multiplied by inf: 0 * inf is nan";
    if (best->kind == BY_RELATION) return best->relation.text;
    if (best->kind == BY_EDIT) return edited_words(arena, &best->edited);
    if (best->kind == BY_TRANSPOSING) return "the right numbers, transposed";
    return titles_text(arena, best);
}

static void note_answer(struct arena *arena, struct student *student,
                        const struct checked *checked) {
    const struct comparison *comparison = &checked->comparison;
    student->is_accepted = is_accepted(checked);
    student->is_wrong = checked->verdict == VERDICT_DIFFERENT || checked->verdict == VERDICT_SHAPE;
    student->verdict = verdict_text(checked->verdict);
    student->code = arena_copy(arena, code_of(arena, checked));
    student->words = arena_copy(arena, words_for(arena, checked));
    student->coverage = (struct coverage){.right = student->is_accepted,
                                          .wrong = !student->is_accepted,
                                          .all = checked->run->step_count};
    if (comparison->count > 0)
        student->fraction = 1 - (double)comparison->different / (double)comparison->count;
}

// ---- All tensors of a program -------------------------------------------------------------------

static void note_all(struct arena *arena, struct student *student, const struct judged *judged) {
    const int unjudged = judged->handed->unjudged_count;
    const struct step *ahead = step_ahead(judged);
    student->verdict = student->code = judged_verdict(judged);
    student->is_accepted = strcmp(student->verdict, "equal") == 0;
    student->words =
        ahead == NULL ? ""
                      : arena_format(arena, "the lesson goes on to %s", step_label(arena, ahead));
    if (student->verdict == student->code && judged->counts[STANDS_ROUNDED] > 0) {
        student->code = judged->precision->name;
        student->words = arena_copy(arena, narrowed_text(arena, judged->precision));
    }
    student->fraction = (double)judged->counts[STANDS_EQUAL] / (double)judged->handed->count;
    student->coverage =
        (struct coverage){.right = judged->counts[STANDS_EQUAL],
                          .wrong = judged->counts[STANDS_WRONG] + judged->counts[STANDS_FOLLOWS] +
                                   judged->counts[STANDS_ROUNDED] + judged->counts[STANDS_GIVEN],
                          .unjudged = unjudged,
                          .all = judged->run->step_count};
    if (judged->first < 0 && unjudged > 0)
        student->words =
            arena_format(arena, "not judged: %s",
                         words_joined(arena, judged->handed->unjudged, unjudged, "and"));
    if (judged->first < 0) return;
    const struct checked *checked = &judged->steps[judged->first].checked;
    const char *words = words_for(arena, checked);
    student->first_wrong = arena_copy(arena, step_label(arena, &judged->run->steps[judged->first]));
    student->code = arena_copy(arena, code_of(arena, checked));
    student->words = arena_format(arena, "the first wrong step is %s%s%s", student->first_wrong,
                                  *words != '\0' ? ": " : "", words);
}

static void mark_all(struct arena *m, const struct class *class, struct student *student,
                     const struct checked *begun) {
    const struct handed_in handed =
        read_handed_in(m, begun->run, path_of(m, class, student), class->command->check.names);
    const struct judged judged = judge_all(m, begun->run, &handed, begun);
    note_all(class->arena, student, &judged);
}

// ---- A program ----------------------------------------------------------------------------------

static void mark_program(struct arena *m, const struct class *class, struct student *student,
                         const struct run *run) {
    struct arena *arena = class->arena;
    const struct program_mark mark =
        mark_of_program(m, path_of(m, class, student), run, class->command->check.is_thorough);
    student->is_accepted = strcmp(mark.verdict, "equal") == 0;
    student->verdict = mark.verdict;
    student->code = arena_copy(arena, mark.code);
    student->words = arena_copy(arena, mark.words);
    student->fraction = mark.fraction;
    student->coverage = mark.coverage;
    student->program = arena_copy(arena, mark.text);
    if (mark.first_wrong != NULL) student->first_wrong = arena_copy(arena, mark.first_wrong);
}

// ---- One step -----------------------------------------------------------------------------------

// Are these the numbers of the seed beside the student's, as of a line that slipped? Then the answer says which.
static bool is_seed_beside(struct arena *m, const struct class *class, struct student *student,
                           const struct checked *checked, int by) {
    struct parameters parameters = student->parameters;
    struct run run;
    parameters.seed += (uint64_t)by;
    run_lesson(&run, m, student->lesson, &parameters);
    struct checked other = *checked;
    other.run = &run;
    other.step = tensor_asked_for(m, &run, student->step);
    compare_checked(m, &other);
    if (!is_accepted(&other)) return false;
    note_answer(class->arena, student, checked);
    student->code = arena_format(class->arena, "seed=%" PRIu64, parameters.seed);
    student->words =
        arena_format(class->arena, "the right numbers for seed %" PRIu64 ", and yours is %" PRIu64,
                     parameters.seed, student->parameters.seed);
    return true;
}

static void mark_step(struct arena *m, const struct class *class, struct student *student,
                      struct checked *checked) {
    checked->numbers = read_numbers_for(m, path_of(m, class, student), REGULAR_FILE, checked->step);
    compare_narrowed(m, checked);
    const bool has_seed = student->parameters.given & USES_SEED;
    for (int by = -1; has_seed && checked->verdict == VERDICT_DIFFERENT && by <= 1; by += 2) {
        if (is_seed_beside(m, class, student, checked, by)) return;
    }
    explain_checked(m, checked);
    note_answer(class->arena, student, checked);
}

// ---- Either -------------------------------------------------------------------------------------

struct marking {
    const struct class *class;
    struct student *student;
};

static void mark(void *context) {
    const struct marking *marking = context;
    const struct class *class = marking->class;
    const struct check_options *options = &class->command->check;
    struct student *student = marking->student;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, class->arena->failure);
    struct run run;
    run_lesson(&run, m, student->lesson, &student->parameters);
    struct checked checked = {.run = &run,
                              .file = student->file,
                              .min_decimals = options->min_decimals > 0 ? options->min_decimals
                                                                        : LEAST_DECIMALS,
                              .is_thorough = options->is_thorough,
                              .any_stream = options->any_stream,
                              .accepted = precision_of(options)};
    if (student->step != NULL) checked.step = tensor_asked_for(m, &run, student->step);
    const char *at = parameters_text(m, &run);
    if (at != NULL) student->parameters_text = arena_copy(class->arena, at);
    student->is_run = true;
    if (student->step != NULL)
        mark_step(m, class, student, &checked);
    else if (names_program(student->file))
        mark_program(m, class, student, &run);
    else
        mark_all(m, class, student, &checked);
    scratch_close(&scratch);
}

void mark_student(const struct class *class, struct student *student) {
    struct marking marking = {class, student};
    if (attempt_input(class->arena->failure, mark, &marking)) return;
    student->verdict = student->code = student->is_run ? "unreadable" : "roster";
    student->words = arena_copy(class->arena, class->arena->failure->message);
}
