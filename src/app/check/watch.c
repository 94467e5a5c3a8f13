#include "app/check/watch.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/check/change.h"
#include "app/check/check.h"
#include "app/command/output.h"
#include "base/text.h"

struct checking {
    struct arena *arena;
    const struct command *command;
    bool is_equal;
};

static void check_file(void *context) {
    struct checking *checking = context;
    struct text text = text_new(checking->arena);
    checking->is_equal = add_check(&text, NULL, checking->command);
    write_output(text.bytes, text.length, checking->arena->failure);
}

// One answer. A file that can't be read is complained of, and may be better the next time.
static bool check_once(const struct command *command, struct failure *failure) {
    struct scratch scratch;
    struct checking checking = {.arena = scratch_open(&scratch, failure), .command = command};
    const bool is_done = attempt(failure, check_file, &checking);
    scratch_close(&scratch);
    if (!is_done && failure->status != FAIL_INPUT) {
        char message[sizeof failure->message];
        memcpy(message, failure->message, sizeof message);
        fail(failure, failure->status, "%s", message);
    }
    if (!is_done) (void)report(failure);
    fflush(stdout);
    return is_done && checking.is_equal;
}

static void wait_for_change(const char *path, struct file_state *seen) {
    static const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
    while (!has_changed(path, seen)) nanosleep(&pause, NULL);
}

static void say_that_it_waits(const char *path, struct failure *failure) {
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, failure);
    fprintf(stderr, "onestep: %s is not there yet; waiting for it\n", text_safe(m, path));
    scratch_close(&scratch);
}

void watch_file(const struct command *command, struct failure *failure) {
    struct file_state seen = {.size = 0};
    if (access(command->check.file, F_OK) != 0) say_that_it_waits(command->check.file, failure);
    wait_for_change(command->check.file, &seen);
    while (!check_once(command, failure)) wait_for_change(command->check.file, &seen);
}
