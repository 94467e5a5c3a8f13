// No what-if goes on for ever: every mistake, in every lesson, with the odd values of each parameter, takes at most
// twice the time of the right run and a second. The values come from the table of parameters.

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"
#include "lessons.h"
#include "sample.h"
#include "script/lesson/interpreter.h"
#include "tensor/file/csv.h"
#include "trace/run/step.h"
#include "trace/what_if/trial.h"

#include <check.h> // last: defines a macro fail

static struct failure failure;

// ---- Odd values ---------------------------------------------------------------------------------

enum { MOST_ODD = 6 };

// The least, the most, and what makes unusual shapes.
static const char *const odd_counts[MOST_ODD] = {"0", "1", "2", "7", "64"};
static const char *const odd_seeds[MOST_ODD] = {"none", "0", "-1", "18446744073709551615"};
static const char *const odd_chances[MOST_ODD] = {"0", "1e-300", "0.5", "0.999999999", "1"};
static const char *const odd_rates[MOST_ODD] = {"1e-300", "10"};
static const char *const odd_bases[MOST_ODD] = {"1", "1.5", "1000000000"};
static const char *const odd_clips[MOST_ODD] = {"0", "1e-300", "10"};
static const char *const odd_switches[MOST_ODD] = {""};
static const char *const odd_tokens[MOST_ODD] = {"1", "2", "6"};
static const char *const odd_texts[MOST_ODD] = {"a a", "a b", "a b c d e f g h a b c d e f g h"};
static const char *const odd_offs[MOST_ODD] = {"1", "2", "2.2", "1,2", "1.1,1.2,2.1,2.2"};
static const char *const odd_ids[MOST_ODD] = {"0", "0,0", "1,0;0,1", "5,5,5,5,5,5,5,5"};
static const char *const odd_lists[MOST_ODD] = {"1", "0.01,100", "1,1,1", "-1000,1000,0,0"};
static const char *const odd_lengths[MOST_ODD] = {"1", "1,1,1,1", "2,1"};
static const char *const odd_files[MOST_ODD] = {"token,x\na,0.5\n", "token,x\na,0\nb,0\n",
                                                "token,x,y\na,1e30,-1e30\nb,1e30,1\nc,0,0\n"};

static const char *const *odd_values(const struct parameter *parameter) {
    static const struct {
        const struct parameter_kind *kind;
        const char *const *values;
    } table[] = {
        {&size_kind, odd_counts},         {&count_kind, odd_counts},
        {&seed_kind, odd_seeds},          {&mask_seed_kind, odd_seeds},
        {&rate_kind, odd_rates},          {&decay_kind, odd_chances},
        {&probability_kind, odd_chances}, {&switch_kind, odd_switches},
        {&token_kind, odd_tokens},        {&text_kind, odd_texts},
        {&file_kind, odd_files},          {&ids_kind, odd_ids},
        {&lengths_kind, odd_lengths},     {&logits_kind, odd_lists},
        {&temperatures_kind, odd_lists},  {&base_kind, odd_bases},
        {&clip_kind, odd_clips},          {&off_kind, odd_offs},
    };
    if (parameter->kind == &choice_kind) return parameter->choices;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].kind == parameter->kind) return table[i].values;
    }
    ck_abort_msg("%s: of a kind without odd values", parameter->name);
}

// Among slow tests also the most that a parameter may be.
static const char *odd_value(struct arena *arena, const struct parameter *parameter, int i) {
    const char *value = odd_values(parameter)[i];
    const bool adds_most = parameter->most > 0 && i == MOST_ODD - 1 && one_in(2) == 1;
    return adds_most ? arena_format(arena, "%" PRId64, parameter->most) : value;
}

// Returns false if it is none of the parameter's values.
static bool choose(struct arena *arena, struct parameters *parameters,
                   const struct parameter *parameter, const char *value) {
    if (!set_parameter(parameters, parameter, value)) return false;
    if (is_file(parameter)) parameters->inputs = csv_read(arena, "odd.csv", value, strlen(value));
    return true;
}

// ---- Limits -------------------------------------------------------------------------------------

// What is being tried, for the message of a run that does not end.
static char trying[200];

static void end_of_time(int number) {
    (void)number;
    const char said[] = "Bail out! does not end: ";
    if (write(STDOUT_FILENO, said, sizeof said - 1) > 0)
        (void)!write(STDOUT_FILENO, trying, strlen(trying));
    _exit(1);
}

// Of the processor's time, which other processes do not take; 0: no limit.
static void allow(double time) {
    (void)signal(SIGPROF, end_of_time);
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)time;
    timer.it_value.tv_usec = (suseconds_t)((time - (double)(time_t)time) * 1e6);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &timer, NULL), 0);
}

static void make_mistake(const struct lesson *lesson, const struct parameters *chosen,
                         const struct mistake *mistake) {
    enum { SECONDS = 60 }; // with sanitizers, emulators
    struct what_ifs what_ifs = {.lines.interpreter = &python_interpreter};
    struct parameters parameters = showing_parameters(lesson, chosen, mistake);
    if (!(parameters.given & USES_UPDATES)) parameters.updates = 2;
    parameters.given |= USES_UPDATES;
    struct arena arena = arena_new(&failure);
    struct run right;
    what_ifs.made[mistake_number(mistake)] = true;
    if (try_lesson(&right, &arena, lesson, &parameters)) {
        struct trial trial;
        allow(SECONDS);
        run_trial_in(&trial, &arena, &right, &what_ifs);
        allow(0);
    }
    arena_free(&arena);
}

START_TEST(every_what_if_ends) {
    const struct lesson *lesson = lesson_table[_i];
    struct arena arena = arena_new(&failure);
    for (int p = 0; p < PARAMETER_COUNT; p++) {
        const struct parameter *parameter = &parameter_table[p];
        const char *value;
        if (!(lesson->uses & parameter->bit)) continue;
        for (int i = 0; i < MOST_ODD && (value = odd_value(&arena, parameter, i)) != NULL; i++) {
            struct parameters chosen = {0};
            if (!choose(&arena, &chosen, parameter, value)) continue;
            const int stride = one_in(31);
            for (int mistake = (p + i) % stride; mistake < mistake_total; mistake += stride) {
                snprintf(trying, sizeof trying, "%s %s %s --what-if %s\n", lesson->name,
                         parameter->option, value, mistake_table[mistake].name);
                make_mistake(lesson, &chosen, &mistake_table[mistake]);
            }
        }
    }
    arena_free(&arena);
}
END_TEST

Suite *limits_suite(void) {
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("odd parameters");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, every_what_if_ends, 0, lesson_count);
    suite_add_tcase(suite, tests);
    return suite;
}
