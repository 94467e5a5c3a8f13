// Operations against PyTorch, bit for bit. Each line of tests/data/pytorch.txt is a digest of what
// PyTorch 1.13 computed, and the operation; tests/pytorch_operations.py wrote it, and compares far more.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "fixture.h"

#include <check.h> // last: defines a macro fail

enum { MOST_LINES = 1000 };

static char *lines[MOST_LINES];
static int line_count;

static void read_lines(void) {
    FILE *file = fopen(TEST_DATA "/pytorch.txt", "r");
    char line[256];
    while (file != NULL && line_count < MOST_LINES && fgets(line, sizeof line, file) != NULL)
        lines[line_count++] = strdup(line);
    if (file != NULL) fclose(file);
}

// FNV-1a of the bits of all numbers, the lowest byte first; any nan is the same.
static uint64_t digest_of(const struct tensor *tensor) {
    uint64_t digest = 0xcbf29ce484222325U;
    for (int64_t i = 0; i < count_of(shape_of(tensor)); i++) {
        const float number = floats_of(tensor)[i];
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        if (isnan(number)) bits = 0x7fc00000U;
        for (int byte = 0; byte < 4; byte++)
            digest = (digest ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3U;
    }
    return digest;
}

struct asking {
    struct arena arena;
    const char *line;
    struct tensor result;
};

static void ask(void *context) {
    struct asking *asking = context;
    asking->result = asked(&asking->arena, asking->line, NULL);
}

START_TEST(pytorch_computes_the_same_bits) {
    char *operation;
    const uint64_t digest = strtoull(lines[_i], &operation, 16);
    struct asking asking = {.arena = arena_new(&failure), .line = operation + 1};
    ck_assert_msg(attempt(&failure, ask, &asking), "%s: %s", operation, failure.message);
    ck_assert_msg(digest_of(&asking.result) == digest, "other bits: %s", operation);
    arena_free(&asking.arena);
}
END_TEST

START_TEST(there_are_questions) {
    ck_assert_int_gt(line_count, 0);
    ck_assert_int_lt(line_count, MOST_LINES);
}
END_TEST

Suite *asked_suite(void) {
    if (line_count == 0) read_lines();
    Suite *suite = suite_create("asked");
    TCase *all = add_case(suite, "bits", NULL, NULL);
    tcase_add_test(all, there_are_questions);
    tcase_add_loop_test(all, pytorch_computes_the_same_bits, 0, line_count);
    return suite;
}
