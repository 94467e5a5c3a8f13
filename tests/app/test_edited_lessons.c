// The classic mistakes, made in the lessons' own lines by the rows of data/edits.txt: do they give what PyTorch gives
// (pytorch_mistakes.py)?

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"
#include "records.h"
#include "sample.h"
#include "script/lesson/interpreter.h"
#include "script/lesson/line_edits.h"
#include "trace/run/step.h"
#include "trace/what_if/made.h"

#include <check.h> // last: defines a macro fail

// From the best to the worst.
enum verdict { SAME, ABSENT, DIFFERS, UNMATCHED };
static const char *const verdict_words[] = {"same", "absent", "differs", "unmatched"};

struct judged {
    enum verdict verdict;
    const char *step; // that is another one, and how; NULL: none
};

// ---- One case -------------------------------------------------------------------------------------------

// A case of data/mistakes.txt with the mistakes in the lesson's lines.
struct edited_case {
    struct made made;
    struct trial trial;
    const char *names; // of the mistakes, blanks between them
    bool is_plain;     // without options
    struct judged judged;
};

// Does --what-if make the mistake otherwise? "chunks-exchanged/2" is what another row makes.
static bool is_of_other_way(const struct case_lines *lines) {
    const size_t length = strcspn(lines->heading, "\n");
    return memchr(lines->heading, '/', length) != NULL;
}

static bool is_of_lesson(const struct case_lines *lines, const struct lesson *lesson) {
    const char *begin = arena_format(&arena, "case %s ", lesson->name);
    return strncmp(lines->heading, begin, strlen(begin)) == 0 && !is_of_other_way(lines);
}

static void make_in_case(struct edited_case *own, const struct case_lines *lines) {
    *own = (struct edited_case){.made = make_case(lines)};
    own->names = strstr(own->made.heading, " : ") + 3;
    own->is_plain = strstr(own->made.heading, " --") == NULL;
    own->trial = *trial_of(&own->made);
    if (own->trial.outcomes == NULL) own->judged.verdict = UNMATCHED;
}

static void worsen(struct edited_case *own, enum verdict verdict, const struct step *step,
                   const char *why) {
    if (verdict <= own->judged.verdict) return;
    own->judged = (struct judged){
        .verdict = verdict, .step = arena_format(&arena, "%s: %s", step_label(&arena, step), why)};
}

// The step's numbers beside PyTorch's.
static void judge_step(struct edited_case *own, const struct made_step *made) {
    const struct step *step = &own->trial.run.steps[made->right->number - 1];
    const struct line_outcome *failed = failed_outcome(&own->trial, step);
    if (failed != NULL) {
        worsen(own, DIFFERS, step, failed->failure);
        return;
    }
    if (own->trial.is_absent != NULL && own->trial.is_absent[step->number - 1])
        worsen(own, ABSENT, step, "None");
    const char *how = unlike_pytorch(&own->made, made, &step->tensor, NULL);
    if (how != NULL) worsen(own, DIFFERS, step, how);
}

// ---- Other ways ---------------------------------------------------------------------------------------

// The rows of a mistake, each tried alone, beside what PyTorch has for another way to make it ("chunks-exchanged/2").
struct ways {
    const struct made *made;
    struct case_lines lines;
    int found; // that give PyTorch's numbers
};

static void judge_way(void *context, int i, const struct line_outcome *outcomes) {
    struct ways *ways = context;
    struct case_lines rest = ways->lines;
    bool is_same = true;
    (void)i;
    for (struct made_step step; next_made_step(&rest, ways->made, &step);) {
        const struct tensor *tensor = &outcomes[step.right->number - 1].tensor;
        is_same =
            is_same && is_tensor(tensor) && unlike_pytorch(ways->made, &step, tensor, NULL) == NULL;
    }
    ways->found += is_same;
}

static bool is_made_by_a_row(const struct case_lines *lines) {
    const struct made made = make_case(lines);
    const struct run *right = &made.right;
    const struct lesson_lines all = lines_of_lesson(&arena, right, right->step_count - 1);
    const struct edit_list edits = mistakes_of_lines(&arena, &all, "");
    struct run *runs = arena_array(&arena, (size_t)edits.count, sizeof *runs);
    struct ways ways = {.made = &made, .lines = *lines};
    int count = 0;
    for (int i = 0; i < edits.count; i++) {
        if (strcmp(edits.edits[i].name, made.mistakes[0]->name) == 0)
            runs[count++] = edited_run(&arena, &all, &edits.edits[i]);
    }
    python_interpreter.compute(&arena, right, count, runs, judge_way, &ways);
    if (ways.found == 0)
        fprintf(stderr, "%s: no row of data/edits.txt gives PyTorch's numbers\n", made.heading);
    return ways.found > 0;
}

START_TEST(other_ways_give_what_pytorch_gives) {
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "mistakes.txt");
    int ways = 0, missing = 0;
    for (struct case_lines lines; next_case(&text, &lines);) {
        if (!is_of_other_way(&lines)) continue;
        missing += !is_made_by_a_row(&lines);
        ways++;
        arena_free(&arena);
    }
    arena_free(&of_file);
    ck_assert_int_ge(ways, 12);
    ck_assert_int_eq(missing, 0);
}
END_TEST

// ---- A table ------------------------------------------------------------------------------------------

// What data/edited_lessons.txt says: "VERDICT NAME: LESSON LESSON ...", and SAME for what does not stand there.
static enum verdict expected_of(const char *table, const char *name, const char *lesson) {
    for (const char *line = table; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *end = line + strcspn(line, "\n");
        const char *own = arena_copy_bytes(&arena, line, (size_t)(end - line));
        const char *is_it = arena_format(&arena, " %s: ", name);
        if (strchr("# ", *own) != NULL || strstr(own, is_it) == NULL) continue;
        const char *word = arena_format(&arena, " %s ", lesson);
        if (strstr(arena_format(&arena, "%s ", strstr(own, ": ") + 1), word) == NULL) continue;
        for (int i = SAME; i <= UNMATCHED; i++) {
            if (strncmp(own, verdict_words[i], strlen(verdict_words[i])) == 0)
                return (enum verdict)i;
        }
    }
    return SAME;
}

// The verdict that the table has for the mistakes of a case, "a+b" being two; else of several the worst.
static enum verdict expected_of_case(const char *table, const struct edited_case *made,
                                     const char *lesson) {
    char *together = arena_copy(&arena, made->names);
    for (char *at = together; (at = strchr(at, ' ')) != NULL;) *at = '+';
    enum verdict worst = expected_of(table, together, lesson);
    char *rest, *words = arena_copy(&arena, made->names);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const enum verdict one = expected_of(table, word, lesson);
        if (one > worst) worst = one;
    }
    return worst;
}

// With one mistake and the lesson's own parameters the verdict is the table's; in other cases it may be a better one.
static int conclude(const struct edited_case *made, const char *table, const char *lesson) {
    const enum verdict own = made->judged.verdict;
    const enum verdict expected = expected_of_case(table, made, lesson);
    const bool is_plain = made->is_plain && strchr(made->names, ' ') == NULL;
    if (own == expected || (!is_plain && own < expected)) return 0;
    fprintf(stderr, "%s in %s: %s, and data/edited_lessons.txt has %s. %s\n", made->names, lesson,
            verdict_words[own], verdict_words[expected],
            made->judged.step != NULL ? made->judged.step : "");
    return 1;
}

// Every case of the lesson: are the numbers of its lines PyTorch's?
static void judge_lesson(const struct lesson *lesson) {
    struct arena of_file = arena_new(&failure);
    const char *text = data_file(&of_file, "mistakes.txt");
    const char *table = data_file(&of_file, "edited_lessons.txt");
    struct case_lines lines;
    int wrong_verdicts = 0, cases = 0;
    while (next_case(&text, &lines)) {
        if (!is_of_lesson(&lines, lesson) || cases++ % one_in(1) != 0) continue;
        struct edited_case own;
        struct case_lines rest = lines;
        make_in_case(&own, &lines);
        for (struct made_step step; next_made_step(&rest, &own.made, &step);)
            judge_step(&own, &step);
        wrong_verdicts += conclude(&own, table, lesson->name);
        arena_free(&arena);
    }
    arena_free(&of_file);
    ck_assert(cases > 0 || lesson->learned != NULL);
    ck_assert_int_eq(wrong_verdicts, 0);
}

START_TEST(lines_give_what_pytorch_gives) {
    judge_lesson(lesson_table[_i]);
}
END_TEST

Suite *edited_lessons_suite(void) {
    Suite *suite = suite_create("edited_lessons");
    TCase *tests = add_case(suite, "edited_lessons", set_up_arena, tear_down_arena);
    tcase_add_loop_test(tests, lines_give_what_pytorch_gives, 0, lesson_count);
    tcase_add_test(tests, other_ways_give_what_pytorch_gives);
    tcase_set_timeout(tests, 400);
    return suite;
}
