// A crawl over all that can be done in the walker, under sanitizers: what examined.h expects is expected at every step
// after every change, after every key at every step, after every pair of keys, after a click on every cell of the screen,
// and on walks at random.
//
//     crawl                            a sample of ten seconds (or CRAWL_SECONDS)
//     crawl --seconds 120 --seed 5     a sample of so many seconds, drawn from a seed
//     crawl --whole [--part 1/2]       all of it; or a part, for each processor one
//     crawl --lesson causal            the same in one lesson
//     crawl 'causal 7 80x24 x Enter'   one walk (events.h)
//
// Each walk is a process of its own, forked from one that has run the lesson. A walk that fails is cut down to the
// shortest one that does: what fails, the seed and the walk are printed. Exit status: 0 if all went well, 1 if not.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "examined.h"
#include "lessons.h"
#include "routes.h"
#include "walking.h"

struct crawl {
    uint64_t seed;
    int64_t seconds;       // of a sample; 0: the whole
    const char *lesson;    // NULL: all
    int64_t part, parts;   // which of how many, from 0
    int64_t walks, events; // done so far
    int64_t frames;
    int failures;
    time_t started, told; // when
    int said;             // by the walk on stderr: a file
};

enum { MOST_FAILURES = 10, MOST_SECONDS = 120 }; // failures in all; of a walk, on the processor

// ---- A walk ---------------------------------------------------------------------------------------

// What a walk in a process of its own comes to. Nothing is expected on stderr: a sanitizer writes there.
struct outcome {
    bool went_well;
    int events, frames; // that it came through
};

static void go_on_in_child(const struct crawl *crawl, const struct events *events, int done,
                           int reports) {
    (void)dup2(crawl->said, STDERR_FILENO);
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS});
    examine(events, done, reports);
    exit(0); // not _exit: LeakSanitizer looks at what is left
}

// Behind the events that are done.
static void go_on(const struct crawl *crawl, const struct events *events, struct outcome *outcome) {
    int ends[2], status = 0;
    if (pipe(ends) != 0) abort();
    (void)fflush(stdout); // or the child writes it, too
    const pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) go_on_in_child(crawl, events, outcome->events, ends[1]);
    (void)close(ends[1]);
    char reports[256];
    for (ssize_t count; (count = read(ends[0], reports, sizeof reports)) > 0;) {
        for (ssize_t i = 0; i < count; i++)
            *(reports[i] == EVENT_DONE ? &outcome->events : &outcome->frames) += 1;
    }
    (void)close(ends[0]);
    (void)waitpid(child, &status, 0);
    struct stat said;
    if (fstat(crawl->said, &said) != 0) abort();
    outcome->went_well = status == 0 && said.st_size == 0;
}

static struct outcome walk(const struct crawl *crawl, const struct events *events) {
    struct outcome outcome = {0};
    if (ftruncate(crawl->said, 0) != 0 || lseek(crawl->said, 0, SEEK_SET) != 0) abort();
    do go_on(crawl, events, &outcome);
    while (outcome.went_well && outcome.events < events->count);
    return outcome;
}

static struct events without(const struct events *events, int first, int count) {
    struct events fewer = *events;
    fewer.count -= count;
    memmove(&fewer.all[first], &fewer.all[first + count],
            (size_t)(fewer.count - first) * sizeof *fewer.all);
    return fewer;
}

// The shortest of the walks that still fail: none of its events can be left out. After a minute, the shortest so far.
static struct events shortest(const struct crawl *crawl, const struct events *failing) {
    struct events events = *failing;
    const int reached = walk(crawl, &events).events + 1;
    if (reached < events.count) events.count = reached;
    if (walk(crawl, &events).went_well) events = *failing; // it fails on its way out
    const time_t end = time(NULL) + 60;
    for (int size = events.count / 2; size > 0; size /= 2) {
        for (int first = 0; first + size <= events.count && time(NULL) < end;) {
            const struct events fewer = without(&events, first, size);
            if (walk(crawl, &fewer).went_well)
                first += size;
            else
                events = fewer;
        }
    }
    return events;
}

static void tell_failure(struct crawl *crawl, const struct events *failing) {
    const struct events events = shortest(crawl, failing);
    (void)walk(crawl, &events);
    printf("FAILED, seed %" PRIu64 ": crawl '%s'\n", crawl->seed, events_text(&frame, &events));
    arena_free(&frame);
    enum { MOST_SAID = 4000 };
    char said[MOST_SAID + 1] = "";
    (void)!pread(crawl->said, said, MOST_SAID, 0);
    for (const char *line = strtok(said, "\n"); line != NULL; line = strtok(NULL, "\n"))
        printf("    %s\n", line);
    (void)fflush(stdout);
    crawl->failures++;
}

// ---- The crawl ------------------------------------------------------------------------------------

static void tell_progress(struct crawl *crawl, const char *sort, int64_t done, int64_t count) {
    const time_t now = time(NULL);
    if (now == crawl->told || !isatty(STDERR_FILENO)) return;
    crawl->told = now;
    fprintf(stderr, "\r\033[K%s: %s, %" PRId64 " of %" PRId64,
            lesson_table[walker.state.lesson]->name, sort, done, count);
}

// Every walk can be written down and walked again.
static void expect_legible(const struct events *events) {
    struct events again;
    const char *text = events_text(&frame, events);
    if (!read_events(&again, text) || again.count != events->count ||
        memcmp(again.all, events->all, (size_t)events->count * sizeof *events->all) != 0) {
        fprintf(stderr, "crawl: '%s' is read as another walk\n", text);
        exit(1);
    }
    arena_free(&frame);
}

static void do_walk(struct crawl *crawl, const struct sort *sort, int64_t number, uint64_t seed) {
    struct events events = {.lesson = walker.state.lesson, .rows = 24, .columns = 80};
    sort->make(&events, number, seed);
    expect_legible(&events);
    const struct outcome outcome = walk(crawl, &events);
    crawl->walks++;
    crawl->events += outcome.events;
    crawl->frames += outcome.frames;
    if (!outcome.went_well) tell_failure(crawl, &events);
}

static void tell_done(const struct crawl *crawl, const char *what) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
    printf("%s: seed %" PRIu64 ", part %" PRId64 " of %" PRId64 ", %" PRId64 " walks, %" PRId64
           " states, %" PRId64 " frames, %d failed, %" PRId64 " s\n",
           what, crawl->seed, crawl->part + 1, crawl->parts, crawl->walks,
           crawl->walks + crawl->events, crawl->frames, crawl->failures,
           (int64_t)(time(NULL) - crawl->started));
}

// What each mistake does to the course's run, which takes longest to find out: every walk begins with it.
static void count_effects(void) {
    for (int i = 0; i < mistake_total; i++) (void)changed_by(&walker.effects, &walker.trial.run, i);
}

static void crawl_whole_lesson(struct crawl *crawl) {
    count_effects();
    for (int i = 0; i < SORTS; i++) {
        const int64_t count = sorts[i].count();
        for (int64_t number = crawl->part; number < count && crawl->failures < MOST_FAILURES;
             number += crawl->parts) {
            tell_progress(crawl, sorts[i].name, number, count);
            do_walk(crawl, &sorts[i], number, crawl->seed);
        }
    }
    tell_done(crawl, lesson_table[walker.state.lesson]->name);
}

// How many parts of the seconds the lessons below one have, or all: one that trains takes longer to run.
static int64_t shares_below(const struct crawl *crawl, int below) {
    int64_t shares = 0;
    for (int i = 0; i < below; i++) {
        if (crawl->lesson != NULL && strcmp(crawl->lesson, lesson_table[i]->name) != 0) continue;
        shares += lesson_table[i]->trains ? 3 : 1;
    }
    return shares;
}

// Each lesson has its share of the seconds. The first half of it is for the first sort, in order. Of the other half, every
// second walk is one at random, which goes furthest.
static void crawl_sample(struct crawl *crawl, int lesson) {
    uint64_t state = crawl->seed + (uint64_t)(crawl->part * lesson_count + lesson);
    const time_t began = time(NULL);
    const time_t end = crawl->started + (time_t)(crawl->seconds * shares_below(crawl, lesson + 1) /
                                                 shares_below(crawl, lesson_count));
    int64_t next = crawl->part;
    while (time(NULL) < end && crawl->failures < MOST_FAILURES) {
        tell_progress(crawl, "a sample", time(NULL) - crawl->started, crawl->seconds);
        if (time(NULL) < began + (end - began + 1) / 2 && next < sorts[0].count()) {
            do_walk(crawl, &sorts[0], next, crawl->seed);
            next += crawl->parts;
            continue;
        }
        const struct sort *sort = &sorts[SORTS - 1];
        if (random_below(&state, 2)) sort = &sorts[random_below(&state, SORTS - 1)];
        const int64_t number = random_below(&state, sort->count());
        do_walk(crawl, sort, number, next_random(&state));
    }
}

static void crawl_all(struct crawl *crawl) {
    for (int lesson = 0; lesson < lesson_count; lesson++) {
        if (crawl->lesson != NULL && strcmp(lesson_table[lesson]->name, crawl->lesson) != 0)
            continue;
        start(lesson);
        if (crawl->seconds > 0)
            crawl_sample(crawl, lesson);
        else
            crawl_whole_lesson(crawl);
    }
    tell_done(crawl, "crawl");
}

static void crawl_one(struct crawl *crawl, const char *text) {
    struct events events;
    if (!read_events(&events, text)) {
        fprintf(stderr, "crawl: '%s' is no walk: 'causal 7 80x24 x Enter' would be one\n", text);
        exit(2);
    }
    start(events.lesson);
    if (walk(crawl, &events).went_well)
        printf("crawl: all is well\n");
    else
        tell_failure(crawl, &events);
}

static _Noreturn void explain(void) {
    fprintf(stderr, "usage: crawl [--seconds N | --whole] [--seed N] [--part I/N] [--lesson NAME] "
                    "| crawl WALK\n");
    exit(2);
}

static bool is_lesson(const char *name) {
    for (int i = 0; i < lesson_count; i++) {
        if (strcmp(lesson_table[i]->name, name) == 0) return true;
    }
    return false;
}

static bool read_part(struct crawl *crawl, const char *text) {
    const bool is_part = sscanf(text, "%" SCNd64 "/%" SCNd64, &crawl->part, &crawl->parts) == 2 &&
                         crawl->part >= 1 && crawl->part <= crawl->parts;
    crawl->part--;
    return is_part;
}

static bool read_seconds(struct crawl *crawl, const char *text) {
    crawl->seconds = atoll(text);
    return crawl->seconds > 0;
}

// Returns the walk that is asked for, or NULL.
static const char *read_options(struct crawl *crawl, int count, char **arguments) {
    const char *one = NULL, *seconds = getenv("CRAWL_SECONDS");
    bool is_right = read_seconds(crawl, seconds != NULL ? seconds : "10");
    for (int i = 1; i < count && is_right; i++) {
        const char *option = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        const bool has_value = strcmp(option, "--whole") != 0 && *option == '-';
        if (*option != '-')
            one = option;
        else if (!has_value)
            crawl->seconds = 0;
        else if (strcmp(option, "--seconds") == 0)
            is_right = read_seconds(crawl, value);
        else if (strcmp(option, "--part") == 0)
            is_right = read_part(crawl, value);
        else if (strcmp(option, "--lesson") == 0)
            is_right = is_lesson(crawl->lesson = value);
        else if (strcmp(option, "--seed") == 0)
            crawl->seed = strtoull(value, NULL, 10);
        else
            is_right = false;
        i += has_value ? 1 : 0;
    }
    if (!is_right) explain();
    return one;
}

int main(int count, char **arguments) {
    struct crawl crawl = {.parts = 1, .started = time(NULL)};
    crawl.seed = (uint64_t)crawl.started;
    const char *one = read_options(&crawl, count, arguments);
    FILE *said = tmpfile();
    if (said == NULL) abort();
    crawl.said = fileno(said);
    walk_set_up();
    if (one != NULL)
        crawl_one(&crawl, one);
    else
        crawl_all(&crawl);
    walk_tear_down();
    return crawl.failures > 0 ? 1 : 0;
}
