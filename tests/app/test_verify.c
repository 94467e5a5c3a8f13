// `verify`: this machine's numbers are PyTorch's, and a difference is seen.

#include <stdio.h>
#include <string.h>

#include "app/verify.h"
#include "base/text.h"
#include "fixture.h"
#include "process.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

// How many lines of the expectations begin so.
static int lines_that_begin(const char *word) {
    FILE *opened = fopen(TEST_DATA "/../../data/expectations.txt", "r");
    ck_assert_ptr_nonnull(opened);
    char line[4096];
    int count = 0;
    while (fgets(line, sizeof line, opened) != NULL)
        count += strncmp(line, word, strlen(word)) == 0;
    fclose(opened);
    return count;
}

START_TEST(this_machine_has_pytorchs_numbers) {
    const struct end end = RUN(&arena, "verify");
    ck_assert_msg(end.status == 0, "%s%s", end.output, end.error);
    const char *all = arena_format(&arena, "\nAll is well: %d tensors of %d runs, ",
                                   lines_that_begin("tensor "), lines_that_begin("run "));
    expect(strstr(end.output, all) != NULL, "not found: %s", all);
    ck_assert_ptr_null(strstr(end.output, "DIFFERENT"));
    const char *lines = strstr(end.output, "\nLines of PyTorch, run in onestep's own Python: ");
    int right = 0, count = 0;
    expect(lines != NULL && sscanf(strchr(lines, ':'), ": %d of %d steps", &right, &count) == 2 &&
               right == count && count > 600,
           "%d of %d steps of lines", right, count);
    ck_assert_ptr_nonnull(strstr(end.output, "\nonestep " VERSION ", built by "));
}
END_TEST

struct verifying {
    const char *expectations, *bits;
    struct text text;
    bool is_well;
};

static void verify_it(void *context) {
    struct verifying *verifying = context;
    verifying->text = text_new(&arena);
    verifying->is_well =
        add_verify_with(&verifying->text, verifying->expectations, verifying->bits);
}

START_TEST(a_difference_is_seen) {
    struct verifying verifying = {.expectations =
                                      "run simplified\ntensor float32 3 : query\n0.55 0.87 0.66\n"};
    ck_assert_msg(attempt(&failure, verify_it, &verifying), "%s", failure.message);
    ck_assert(verifying.is_well);
    verifying.bits = "0123456789abcdef"; // all agrees, but some step has other bits than everywhere
    ck_assert_msg(attempt(&failure, verify_it, &verifying), "%s", failure.message);
    ck_assert(!verifying.is_well);
    ck_assert_ptr_nonnull(strstr(verifying.text.bytes, ", and 0123456789abcdef in every other"));
    ck_assert_ptr_null(strstr(verifying.text.bytes, "All is well"));
    verifying.bits = NULL;
    verifying.expectations = "run simplified\ntensor float32 3 : query\n0.55 0.8700001 0.66\n"
                             "run simplified --query 1\ntensor float32 3 : query\n0.43 0.15 0.89\n";
    ck_assert_msg(attempt(&failure, verify_it, &verifying), "%s", failure.message);
    ck_assert(!verifying.is_well);
    ck_assert_ptr_nonnull(strstr(verifying.text.bytes,
                                 "different: simplified: 1 of 3 numbers; first query: element 1 is "
                                 "0.870000005 here, 0.870000124 in PyTorch\n"
                                 "1 of 2 runs differ from PyTorch's numbers.\n"));
}
END_TEST

// The digest of three numbers, after a bit of each of the first two is turned over; 32: none is.
static uint64_t digest_with(int bit_of_first, int bit_of_second) {
    uint32_t bits[] = {0x80000000, 0x3f800000, 0x40490fdb};
    float numbers[3];
    if (bit_of_first < 32) bits[0] ^= UINT32_C(1) << bit_of_first;
    if (bit_of_second < 32) bits[1] ^= UINT32_C(1) << bit_of_second;
    memcpy(numbers, bits, sizeof numbers);
    const struct tensor tensor = tensor_of(&arena, SHAPE(3), numbers);
    return digest_of(0, &tensor);
}

START_TEST(each_bit_shows_in_the_digest) {
    enum { OF_A_FLOAT = 32, ALL = (OF_A_FLOAT + 1) * (OF_A_FLOAT + 1) };
    uint64_t digests[ALL];
    for (int i = 0; i < ALL; i++) {
        digests[i] = digest_with(i / (OF_A_FLOAT + 1), i % (OF_A_FLOAT + 1));
        for (int j = 0; j < i; j++) expect(digests[i] != digests[j], "%d and %d", i, j);
    }
}
END_TEST

START_TEST(damaged_expectations_are_refused) {
    static const char *const damaged[] = {
        "",
        "tensor float32 3 : query\n",
        "run nothing\n",
        "run simplified --nothing\n",
        "run simplified --query\n",
        "run simplified\ntensor float32 3\n",
        "run simplified\ntensor float32 2 : query\n",
        "run simplified\ntensor int64 3 : query\n",
        "run simplified\ntensor float32 3 : nothing\n",
        "run simplified\ntensor float32 3 : query\n0.55 0.87\n",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct verifying verifying = {.expectations = damaged[i]};
        expect(!attempt(&failure, verify_it, &verifying), "%s", damaged[i]);
    }
}
END_TEST

Suite *verify_suite(void) {
    Suite *suite = suite_create("verify");
    TCase *cases = add_case(suite, "verify", set_up_arena, tear_down_arena);
    tcase_set_timeout(cases, 280);
    tcase_add_test(cases, this_machine_has_pytorchs_numbers);
    tcase_add_test(cases, a_difference_is_seen);
    tcase_add_test(cases, each_bit_shows_in_the_digest);
    tcase_add_test(cases, damaged_expectations_are_refused);
    return suite;
}
