#include "started.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h> // last: defines a macro fail

char folder[] = "/tmp/onestep-tests-XXXXXX";

const char *const lesson_names[LESSON_COUNT] = {"simplified", "trainable", "causal",
                                                "dropout",    "wrapper",   "split_head"};

void set_up_folder(void) {
    set_up_arena();
    memcpy(strchr(folder, '\0') - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void tear_down_folder(void) {
    const char *command = arena_format(&arena, "chmod -R u+rwx '%s' && rm -r '%s'", folder, folder);
    ck_assert_int_eq(system(command), 0);
    tear_down_arena();
}

const char *command_text(const char *const *arguments) {
    struct text text = text_new(&arena);
    text_add(&text, "onestep");
    for (; *arguments != NULL; arguments++)
        text_add_format(&text, " '%s'", text_safe(&arena, *arguments));
    return text.bytes;
}

int count_files(void) {
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    int count = -2; // without . and ..
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

const char *path_of(const char *name) {
    return arena_format(&arena, "%s/%s", folder, name);
}

void leave_file(const char *name, const char *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

struct text contents_of(const char *name) {
    FILE *file = fopen(path_of(name), "rb");
    ck_assert_msg(file != NULL, "no file %s", name);
    struct text text = text_new(&arena);
    text_add(&text, "");
    char bytes[4096];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add_bytes(&text, bytes, got);
    fclose(file);
    return text;
}

bool is_harmless(const char *bytes, size_t length) {
    if (strlen(bytes) != length || !utf8_is_valid(bytes, length)) return false;
    while (*bytes != '\0') {
        const uint32_t character = utf8_next(&bytes);
        if (character == '\n') continue;
        if (character_width(character) < 0) return false;
        if (character == 0x202E || character == 0x2066) return false; // turn the line around
    }
    return true;
}

const char *output_of(const struct end *end) {
    ck_assert_msg(end->status == DONE, "exit status %d: %s", end->status, end->error);
    ck_assert_str_eq(end->error, "");
    return end->output;
}

void check_done(const struct end *end, const char *what) {
    ck_assert_msg(end->status == DONE, "%s: exit status %d: %s", what, end->status, end->error);
    ck_assert_msg(end->error_length == 0, "%s: says %s", what, end->error);
    ck_assert_msg(end->output_length > 0, "%s: prints nothing", what);
    ck_assert_msg(is_harmless(end->output, end->output_length), "%s: odd bytes", what);
}

void check_misused(const struct end *end, const char *what, bool is_usage) {
    ck_assert_msg(end->status == MISUSED, "%s: exit status %d: %s", what, end->status, end->error);
    ck_assert_msg(end->output_length == 0, "%s: prints all the same", what);
    ck_assert_msg(is_harmless(end->error, end->error_length), "%s: odd bytes", what);
    ck_assert_msg(strncmp(end->error, "onestep: ", 9) == 0, "%s: says %s", what, end->error);
    const char *line_end = strchr(end->error, '\n');
    ck_assert_msg(line_end != NULL && line_end > end->error + 20, "%s: says %s", what, end->error);
    ck_assert_msg(strcmp(line_end + 1, is_usage ? "Try 'onestep --help'.\n" : "") == 0,
                  "%s: says %s", what, end->error);
}
