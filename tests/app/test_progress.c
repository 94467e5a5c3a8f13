// What is remembered between two walks, and what becomes of it when its file is damaged, of a later
// version, or cannot be written.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command/progress.h"
#include "started.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static const struct lesson lesson_a = {.name = "causal"}, lesson_b = {.name = "dropout"};
static const struct lesson *const lessons[] = {&lesson_a, &lesson_b};
enum { COUNT = 2 };

static const char *path;

static void set_up(void) {
    set_up_folder();
    setenv("XDG_STATE_HOME", folder, 1);
    path = arena_format(&arena, "%s/onestep/progress", folder);
}

static void put(const char *bytes, size_t length) {
    mkdir(arena_format(&arena, "%s/onestep", folder), 0700);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

// The file, or NULL if there is none.
static const char *got(void) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = arena_allocate(&arena, 1 << 16);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static struct progress known(const char *text) {
    put(text, strlen(text));
    return progress_read(lessons, COUNT);
}

struct writing {
    const struct progress *before, *now;
};

static void write_down(void *context) {
    const struct writing *writing = context;
    progress_write(writing->before, writing->now, &failure);
}

// Goes to a step of a lesson and writes that down. Returns whether that went well.
static bool go(struct progress *progress, int lesson, int step) {
    const struct progress before = *progress;
    progress->lesson = lesson;
    progress->visits[lesson].step = step;
    progress->visits[lesson].seen[step / 64] |= (uint64_t)1 << (step % 64);
    struct writing writing = {&before, progress};
    return attempt(&failure, write_down, &writing);
}

// The same where no file can have more than 8 bytes, as if the file system had no more.
static bool go_on_a_full_disk(struct progress *progress, int lesson, int step) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    const struct rlimit full = {8, old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    const bool is_written = go(progress, lesson, step);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    return is_written;
}

// Are there so many files and folders in the folder of this test, and those in it?
static void check_made(int count) {
    ck_assert_int_eq(
        system(arena_format(&arena, "test $(find %s -mindepth 1 | wc -l) -eq %d", folder, count)),
        0);
}

static void check_nothing_known(const struct progress *progress) {
    static const struct visit none;
    ck_assert_int_eq(progress->lesson, -1);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(memcmp(&progress->visits[i], &none, sizeof none), 0);
}

// ---- Coming back --------------------------------------------------------------------------------

START_TEST(what_is_written_is_read) {
    struct progress progress = progress_read(lessons, COUNT);
    check_nothing_known(&progress);
    ck_assert(go(&progress, 0, 3) && go(&progress, 1, 70));
    progress.visits[1].guesses = 5;
    progress.visits[1].good_guesses = 3;
    ck_assert(go(&progress, 1, 0));
    ck_assert_str_eq(got(), "causal\tstep 4\tseen 8\tguesses 0 of 0\n"
                            "dropout\tstep 1\tseen 400000000000000001\tguesses 3 of 5\tlast\n");
    const struct progress again = progress_read(lessons, COUNT);
    ck_assert_int_eq(again.lesson, 1);
    ck_assert_int_eq(memcmp(again.visits, progress.visits, sizeof again.visits), 0);
}
END_TEST

START_TEST(whether_c_comes_first_is_remembered) {
    struct progress progress = progress_read(lessons, COUNT);
    progress.shows_c = true;
    ck_assert(go(&progress, 1, 3));
    ck_assert(progress_read(lessons, COUNT).shows_c);
    progress.shows_c = false;
    ck_assert(go(&progress, 0, 3));
    ck_assert(!progress_read(lessons, COUNT).shows_c);
}
END_TEST

START_TEST(a_light_screen_is_remembered) {
    struct progress progress = progress_read(lessons, COUNT);
    progress.is_light = true;
    ck_assert(go(&progress, 1, 3));
    ck_assert(progress_read(lessons, COUNT).is_light);
    ck_assert(!progress_read(lessons, COUNT).shows_c);
    progress.is_light = false;
    ck_assert(go(&progress, 0, 3));
    ck_assert(!progress_read(lessons, COUNT).is_light);
}
END_TEST

START_TEST(two_walks_at_once_keep_both_places) {
    struct progress one = progress_read(lessons, COUNT), other = one;
    ck_assert(go(&one, 0, 3));
    ck_assert(go(&other, 1, 6)); // which knows nothing of the first one's place
    const struct progress again = progress_read(lessons, COUNT);
    ck_assert_int_eq(again.visits[0].step, 3);
    ck_assert_int_eq(again.visits[1].step, 6);
    ck_assert_int_eq(again.lesson, 1);
}
END_TEST

START_TEST(what_a_later_version_wrote_is_kept) {
    struct progress progress = known("rotary\tstep 9\tseen 1ff\tguesses 1 of 1\tspeed fast\tlast\n"
                                     "causal\tstep 2\tseen 3\tguesses 0 of 0\tstars 5\tseed é\n");
    ck_assert_int_eq(progress.lesson, -1);
    ck_assert_int_eq(progress.visits[0].step, 1);
    ck_assert(go(&progress, 0, 2));
    ck_assert_str_eq(got(), "rotary\tstep 9\tseen 1ff\tguesses 1 of 1\tspeed fast\n"
                            "causal\tstep 3\tseen 7\tguesses 0 of 0\tstars 5\tseed é\tlast\n");
}
END_TEST

// ---- Damage -------------------------------------------------------------------------------------

START_TEST(what_cannot_be_read_is_as_good_as_nothing) {
    static const char *const texts[] = {"",
                                        "\n\n\n",
                                        "causal",
                                        "causal\n",
                                        "causal step 4",
                                        "\tstep 4",
                                        "CAUSAL\tstep 4",
                                        "causal\x01\tstep 4",
                                        "causal\tstep 4\x1b[m",
                                        "causal\tstep 4\t\xff\xfe",
                                        "causal\tstep -7\tguesses x of y",
                                        "causal\tstep",
                                        "causal\tseen xyz",
                                        "causal\tguesses -1 of -5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct progress progress = known(texts[i]);
        check_nothing_known(&progress);
    }
}
END_TEST

START_TEST(numbers_stay_within_bounds) {
    const struct progress progress =
        known("causal\tstep 99999999999999999999\tseen "
              "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
              "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
              "\tguesses 99999999999 of 7");
    ck_assert_int_eq(progress.visits[0].step, MAX_STEPS - 1);
    for (int i = 0; i < SEEN_WORDS; i++) ck_assert(progress.visits[0].seen[i] == UINT64_MAX);
    ck_assert_int_eq(progress.visits[0].guesses, 7);
    ck_assert_int_eq(progress.visits[0].good_guesses, 7);
}
END_TEST

// A sound file with bytes changed, left out and doubled at random: read to something within bounds, and
// replaced by a whole file that is read as it was written.
START_TEST(a_damaged_file_is_mended) {
    static const char sound[] = "causal\tstep 4\tseen f\tguesses 3 of 5\n"
                                "rotary\tstep 9\tseen 1ff\tguesses 1 of 1\tspeed fast\n"
                                "dropout\tstep 12\tseen fff\tguesses 0 of 2\tlast\n";
    uint32_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        char bytes[sizeof sound];
        size_t length = 0;
        for (size_t i = 0; i < sizeof sound - 1; i++) {
            seed = seed * 1664525 + 1013904223;
            const uint32_t what = seed >> 16;
            if (what % 40 == 0) continue;
            bytes[length++] = what % 40 == 1 ? (char)(what >> 8) : sound[i];
        }
        put(bytes, length);
        struct progress progress = progress_read(lessons, COUNT);
        expect(progress.lesson >= -1 && progress.lesson < COUNT, "round %d", round);
        for (int i = 0; i < COUNT; i++) {
            const struct visit *visit = &progress.visits[i];
            expect(visit->step >= 0 && visit->step < MAX_STEPS, "round %d", round);
            expect(visit->good_guesses >= 0 && visit->good_guesses <= visit->guesses, "round %d",
                   round);
        }
        ck_assert(go(&progress, round % 2, round % MAX_STEPS));
        const struct progress again = progress_read(lessons, COUNT);
        expect(memcmp(&again, &progress, sizeof again) == 0, "round %d", round);
        expect(utf8_is_valid(got(), strlen(got())), "round %d", round);
    }
}
END_TEST

START_TEST(a_file_too_large_to_be_ours_is_passed_over) {
    enum { SIZE = 1 << 20 };
    char *bytes = arena_allocate(&arena, SIZE);
    for (size_t i = 0; i + 14 <= SIZE; i += 14) memcpy(bytes + i, "causal\tstep 4\n", 14);
    put(bytes, SIZE);
    struct progress progress = progress_read(lessons, COUNT);
    check_nothing_known(&progress);
    ck_assert(go(&progress, 0, 1));
    ck_assert_str_eq(got(), "causal\tstep 2\tseen 2\tguesses 0 of 0\tlast\n");
}
END_TEST

START_TEST(more_lessons_than_there_can_be_are_not_all_kept) {
    struct text text = text_new(&arena);
    for (int i = 0; i < 500; i++) text_add_format(&text, "lesson-%d\tstep 2\n", i);
    struct progress progress = known(text.bytes);
    check_nothing_known(&progress);
    ck_assert(go(&progress, 0, 1)); // without room for it
    ck_assert_ptr_nonnull(strstr(got(), "lesson-63\tstep 2"));
}
END_TEST

// ---- Not written --------------------------------------------------------------------------------

START_TEST(a_full_disk_leaves_the_old_file) {
    struct progress progress = known("causal\tstep 4\tseen f\tguesses 3 of 5\tlast\n");
    const char *before = got();
    ck_assert(!go_on_a_full_disk(&progress, 0, 5));
    ck_assert_str_eq(failure.message,
                     arena_format(&arena, "cannot write %s: File too large", path));
    ck_assert_str_eq(got(), before);
    ck_assert_int_eq(system(arena_format(&arena, "test \"$(ls %s/onestep)\" = progress", folder)),
                     0);
    ck_assert(go(&progress, 0, 6)); // as soon as there is room
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_named) {
    setenv("XDG_STATE_HOME", "/proc/nothing/state", 1);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(!go(&progress, 0, 5));
    ck_assert_str_eq(failure.message,
                     "cannot make the folder /proc/nothing/state/onestep: No such file "
                     "or directory");
    setenv("XDG_STATE_HOME", "/dev/null", 1);
    ck_assert(!go(&progress, 0, 6));
    ck_assert_str_eq(failure.message, "cannot make the folder /dev/null/onestep: Not a directory");
}
END_TEST

// Paths in the folder of this test, and the folder that can't be made.
static const struct {
    const char *home, *state; // NULL: the environment names none
    const char *made;
} no_homes[] = {
    {"/missing", NULL, "/missing/.local/state/onestep"},
    {"/missing/", NULL, "/missing//.local/state/onestep"},
    {"/missing", "/missing/state", "/missing/state/onestep"},
    {"/missing/", "/missing/state", "/missing/state/onestep"},
    {"/missing/home", "/missing/home/a/b", "/missing/home/a/b/onestep"},
};
enum { NO_HOMES = sizeof no_homes / sizeof *no_homes };

START_TEST(a_home_that_is_not_there_is_not_made) {
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", arena_format(&arena, "%s%s", folder, no_homes[_i].home), 1);
    if (no_homes[_i].state != NULL)
        setenv("XDG_STATE_HOME", arena_format(&arena, "%s%s", folder, no_homes[_i].state), 1);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(!go(&progress, 0, 5));
    ck_assert_str_eq(failure.message,
                     arena_format(&arena, "cannot make the folder %s%s: No such file or directory",
                                  folder, no_homes[_i].made));
    check_made(0);
}
END_TEST

START_TEST(a_home_that_is_a_file_is_left_alone) {
    const char *home = arena_format(&arena, "%s/home", folder);
    FILE *file = fopen(home, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", home, 1);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(!go(&progress, 0, 5));
    ck_assert_str_eq(failure.message,
                     arena_format(&arena,
                                  "cannot make the folder %s/.local/state/onestep: Not a directory",
                                  home));
    ck_assert_int_eq(unlink(home), 0);
    check_made(0);
}
END_TEST

// A place named outside the home is made, with the folders above it.
START_TEST(a_place_of_its_own_is_made) {
    setenv("HOME", arena_format(&arena, "%s/a", folder), 1);
    setenv("XDG_STATE_HOME", arena_format(&arena, "%s/ab/c", folder), 1);
    path = arena_format(&arena, "%s/ab/c/onestep/progress", folder);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(go(&progress, 0, 5));
    ck_assert_str_eq(got(), "causal\tstep 6\tseen 20\tguesses 0 of 0\tlast\n");
}
END_TEST

START_TEST(a_full_disk_keeps_no_empty_folders) {
    static const char *const kept[] = {"", "/.local", "/.local//state"};
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", folder, 1);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        mkdir(arena_format(&arena, "%s%s", folder, kept[i]), 0700);
        struct progress progress = progress_read(lessons, COUNT);
        ck_assert(!go_on_a_full_disk(&progress, 0, 5));
        ck_assert_ptr_nonnull(strstr(failure.message, "/progress: File too large"));
        check_made((int)i);
    }
}
END_TEST

START_TEST(what_is_no_file_is_left_alone) {
    struct progress progress = progress_read(lessons, COUNT);
    mkdir(arena_format(&arena, "%s/onestep", folder), 0700);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    const struct progress read = progress_read(lessons, COUNT); // and does not wait
    check_nothing_known(&read);
    ck_assert(!go(&progress, 0, 5));
    ck_assert_str_eq(failure.message,
                     arena_format(&arena, "cannot read %s: it is no regular file", path));
}
END_TEST

START_TEST(a_link_stays_a_link) {
    mkdir(arena_format(&arena, "%s/onestep", folder), 0700);
    const char *elsewhere = arena_format(&arena, "%s/elsewhere", folder);
    FILE *file = fopen(elsewhere, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(symlink(elsewhere, path), 0);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(go(&progress, 0, 5));
    struct stat status;
    ck_assert_int_eq(lstat(path, &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_assert_int_eq(stat(elsewhere, &status), 0);
    ck_assert_int_gt(status.st_size, 0);
}
END_TEST

START_TEST(without_a_place_nothing_is_kept) {
    static const char *const homes[][2] = {
        {NULL, NULL}, {"relative", "relative"}, {"", ""}, {NULL, "relative"}};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        unsetenv("XDG_STATE_HOME");
        unsetenv("HOME");
        if (homes[i][0] != NULL) setenv("XDG_STATE_HOME", homes[i][0], 1);
        if (homes[i][1] != NULL) setenv("HOME", homes[i][1], 1);
        struct progress progress = progress_read(lessons, COUNT);
        check_nothing_known(&progress);
        ck_assert(go(&progress, 0, 5));
        ck_assert_ptr_null(got());
    }
    setenv("HOME", folder, 1);
    struct progress progress = progress_read(lessons, COUNT);
    ck_assert(go(&progress, 0, 5));
    path = arena_format(&arena, "%s/.local/state/onestep/progress", folder);
    ck_assert_str_eq(got(), "causal\tstep 6\tseen 20\tguesses 0 of 0\tlast\n");
}
END_TEST

// Each reads, changes and replaces the same file, as the walks of a window with many tabs do when it is closed.
START_TEST(walks_that_leave_at_once_keep_all_places) {
    enum { WALKS = 8, ROUNDS = 40 };
    static struct lesson many[WALKS];
    static const struct lesson *all[WALKS];
    for (int i = 0; i < WALKS; i++) {
        many[i].name = arena_format(&arena, "lesson_%d", i);
        all[i] = &many[i];
    }
    pid_t walks[WALKS];
    for (int i = 0; i < WALKS; i++) {
        walks[i] = fork();
        ck_assert_int_ge(walks[i], 0);
        if (walks[i] > 0) continue;
        struct progress progress = progress_read(all, WALKS);
        bool is_kept = true;
        for (int step = 0; step < ROUNDS; step++) {
            is_kept = go(&progress, i, step) && is_kept;
            is_kept = progress_read(all, WALKS).visits[i].step == step && is_kept;
        }
        _exit(is_kept ? 0 : 1);
    }
    for (int i = 0; i < WALKS; i++) {
        int status;
        ck_assert_int_eq(waitpid(walks[i], &status, 0), walks[i]);
        ck_assert_int_eq(status, 0);
    }
    const struct progress kept = progress_read(all, WALKS);
    for (int i = 0; i < WALKS; i++) ck_assert_int_eq(kept.visits[i].step, ROUNDS - 1);
}
END_TEST

Suite *progress_suite(void) {
    Suite *suite = suite_create("progress");
    TCase *cases = add_case(suite, "progress", set_up, tear_down_folder);
    tcase_add_test(cases, what_is_written_is_read);
    tcase_add_test(cases, whether_c_comes_first_is_remembered);
    tcase_add_test(cases, a_light_screen_is_remembered);
    tcase_add_test(cases, two_walks_at_once_keep_both_places);
    tcase_add_test(cases, walks_that_leave_at_once_keep_all_places);
    tcase_add_test(cases, what_a_later_version_wrote_is_kept);
    tcase_add_test(cases, what_cannot_be_read_is_as_good_as_nothing);
    tcase_add_test(cases, numbers_stay_within_bounds);
    tcase_add_test(cases, a_damaged_file_is_mended);
    tcase_add_test(cases, a_file_too_large_to_be_ours_is_passed_over);
    tcase_add_test(cases, more_lessons_than_there_can_be_are_not_all_kept);
    tcase_add_test(cases, a_full_disk_leaves_the_old_file);
    tcase_add_test(cases, a_folder_that_cannot_be_made_is_named);
    tcase_add_loop_test(cases, a_home_that_is_not_there_is_not_made, 0, NO_HOMES);
    tcase_add_test(cases, a_home_that_is_a_file_is_left_alone);
    tcase_add_test(cases, a_place_of_its_own_is_made);
    tcase_add_test(cases, a_full_disk_keeps_no_empty_folders);
    tcase_add_test(cases, what_is_no_file_is_left_alone);
    tcase_add_test(cases, a_link_stays_a_link);
    tcase_add_test(cases, without_a_place_nothing_is_kept);
    return suite;
}
