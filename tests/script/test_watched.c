// A program that is watched keeps what its steps showed: each write makes new numbers. It prints what it prints unwatched.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "records.h"
#include "script/machine.h"

#include <check.h> // last: defines a macro fail

static void take(void *context, const char *bytes, size_t length) {
    text_add_bytes(context, bytes, length);
}

static void watch(void *context, const struct event *event) {
    (void)context, (void)event;
}

static const char *printed(const char *source, const char *name) {
    struct text text = text_new(&arena);
    struct syntax_error error;
    const struct program program = parse_program(&arena, name, source, &error);
    ck_assert_msg(error.message == NULL, "%s: %s", name, error.message);
    const struct machine_options options = {.print = take, .observe = watch, .context = &text};
    struct machine *machine = machine_new(&arena, &options);
    text_add(&text, "");
    const bool is_done = machine_run(machine, &program);
    ck_assert_msg(is_done, "%s: %s", name, is_done ? "" : machine_error_message(machine, &arena));
    machine_free(machine);
    return text.bytes;
}

START_TEST(a_watched_program_prints_what_pytorch_prints) {
    static const char *const names[] = {"aliasing", "functions", "generators", "halves",
                                        "scopes",   "shared",    "training"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *file = arena_format(&arena, "script/%s.py", names[i]);
        const char *own = printed(data_file(&arena, file), names[i]);
        const char *theirs = data_file(&arena, arena_format(&arena, "script/%s.out", names[i]));
        for (int line = 1; *theirs != '\0'; line++) {
            const size_t length = strcspn(theirs, "\n"), found = strcspn(own, "\n");
            ck_assert_msg(length == found && strncmp(theirs, own, length) == 0,
                          "%s, line %d: %.*s, not %.*s", names[i], line, (int)found, own,
                          (int)length, theirs);
            theirs += length + (theirs[length] != '\0');
            own += found + (own[found] != '\0');
        }
    }
}
END_TEST

Suite *watched_suite(void) {
    Suite *suite = suite_create("watched");
    TCase *programs = add_case(suite, "programs that are watched", set_up_arena, tear_down_arena);
    tcase_add_test(programs, a_watched_program_prints_what_pytorch_prints);
    return suite;
}
