// Names in a dump: what a file with long names, or with many, costs beyond its own bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/handed_in.h"
#include "base/text.h"
#include "fixture.h"
#include "lesson.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static struct run run;

static void set_up_run(void) {
    static const struct parameters none;
    set_up_arena();
    run_lesson(&run, &arena, lesson_called("causal"), &none);
}

static void add_entry(struct text *header, const char *name, int number, const char *shape) {
    text_add_format(header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[%d,%d]}",
                    number == 0 ? "{" : ",", name, shape, number == 0 ? 0 : 140 + 4 * number,
                    144 + 4 * number);
}

// A safetensors file with the step scores, and so many names of so many letters, which are of no step.
static struct text dump_of(int count, int letters) {
    struct text header = text_new(&arena), file = text_new(&arena);
    char *name = arena_allocate(&arena, (size_t)letters + 1);
    memset(name, 'x', (size_t)letters);
    add_entry(&header, "scores", 0, "[6,6]");
    for (int i = 0; i < count; i++) {
        memcpy(name, arena_format(&arena, "%08d", i), 8);
        add_entry(&header, name, i + 1, "[1]");
    }
    text_add(&header, "}");
    for (int i = 0; i < 8; i++)
        text_add_bytes(&file, &(const char){(char)(header.length >> 8 * i & 0xFF)}, 1);
    text_add_bytes(&file, header.bytes, header.length);
    const size_t length = 144 + 4 * (size_t)count;
    text_add_bytes(&file, arena_allocate(&arena, length), length);
    return file;
}

// How many bytes of memory reading it takes, for each byte of the file.
static double bytes_a_byte(struct text file) {
    char path[] = "/tmp/onestep-names-XXXXXX";
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    FILE *stream = fdopen(descriptor, "wb");
    ck_assert_uint_eq(fwrite(file.bytes, 1, file.length, stream), file.length);
    ck_assert_int_eq(fclose(stream), 0);
    const size_t before = arena.used;
    const struct handed_in handed = read_handed_in(&arena, &run, path, NULL);
    (void)remove(path);
    ck_assert_int_eq(handed.count, 1);
    return (double)(arena.used - before) / (double)file.length;
}

START_TEST(a_name_costs_no_memory_for_each_step) {
    static const struct { int count, letters; } cases[] = {{1, 3000000}, {1000, 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double bytes = bytes_a_byte(dump_of(cases[i].count, cases[i].letters));
        expect(bytes < 20, "%d names of %d letters: %g bytes a byte", cases[i].count,
               cases[i].letters, bytes);
    }
}
END_TEST

Suite *handed_in_suite(void) {
    Suite *suite = suite_create("handed_in");
    TCase *cases = add_case(suite, "names", set_up_run, tear_down_arena);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_name_costs_no_memory_for_each_step);
    return suite;
}
