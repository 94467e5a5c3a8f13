// PyTorch's printing, against what PyTorch printed (tests/data/print_*.txt say where it came from).

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "records.h"
#include "tensor/ops/ops.h"
#include "tensor/text/format.h"

#include <check.h> // last: defines a macro fail

static struct tensor zeros(enum dtype dtype, struct shape shape) {
    return tensor_given(&arena, dtype, shape);
}

static void set_element(struct tensor *tensor, int64_t flat, const char *number) {
    void *data = tensor->storage->data;
    switch (tensor->storage->dtype) {
    case FLOAT32:
        ((float *)data)[flat] = strtof(number, NULL);
        return;
    case BOOL:
        ((unsigned char *)data)[flat] = number[0] == '1';
        return;
    case INT64:
        ((int64_t *)data)[flat] = strtoll(number, NULL, 10);
        return;
    case INT32:
        put_whole(tensor->storage, flat, strtoll(number, NULL, 10));
        return;
    case FLOAT64:
        put_number(tensor->storage, flat, strtod(number, NULL));
        return;
    }
}

// Fills a tensor with numbers separated by blanks, again from the first on if they do not suffice.
static void fill(struct tensor *tensor, const char *numbers) {
    int64_t flat = 0;
    while (flat < tensor->storage->count) {
        for (const char *next = numbers; flat < tensor->storage->count; flat++) {
            next += strspn(next, " ");
            if (*next == '\0') break;
            set_element(tensor, flat, next);
            next += strcspn(next, " ");
        }
    }
}

static struct tensor floats(struct shape shape, const char *numbers) {
    struct tensor tensor = zeros(FLOAT32, shape);
    fill(&tensor, numbers);
    return tensor;
}

// ---- Cases in files -----------------------------------------------------------------------------

struct reading {
    FILE *file;
    char line[4096]; // without its newline
    bool ended;
};

static void next_line(struct reading *reading) {
    reading->ended = fgets(reading->line, sizeof reading->line, reading->file) == NULL;
    if (!reading->ended) reading->line[strcspn(reading->line, "\n")] = '\0';
}

// Reads what follows the line "= name" and compares.
static void check_case(struct reading *reading) {
    char name[256], dtype_name[16], shape_name[64];
    int digits;
    unsigned crc;
    snprintf(name, sizeof name, "%s", reading->line + 2);
    next_line(reading);
    const int fields =
        sscanf(reading->line, "%15s %d %63s %x", dtype_name, &digits, shape_name, &crc);
    ck_assert_int_ge(fields, 3);
    const enum dtype dtype = strcmp(dtype_name, "bool") == 0    ? BOOL
                             : strcmp(dtype_name, "int64") == 0 ? INT64
                                                                : FLOAT32;
    struct tensor tensor = zeros(dtype, read_shape(shape_name));
    struct text numbers = text_new(&arena), expected = text_new(&arena);
    text_add(&numbers, "");
    for (next_line(reading); !reading->ended && !strchr("|", reading->line[0]); next_line(reading))
        text_add_format(&numbers, "%s ", reading->line);
    fill(&tensor, numbers.bytes);
    for (; !reading->ended && reading->line[0] == '|'; next_line(reading))
        text_add_format(&expected, "%s%s", expected.length > 0 ? "\n" : "", reading->line + 1);
    const char *printed = torch_text(&arena, &tensor, digits);
    if (fields == 4) {
        ck_assert_msg(crc32_with(0, printed, strlen(printed)) == crc,
                      "%s: not what PyTorch prints:\n%s", name, printed);
        return;
    }
    ck_assert_msg(strcmp(printed, expected.bytes) == 0, "%s: PyTorch prints\n%s\nand not\n%s", name,
                  expected.bytes, printed);
}

static void check_file(const char *path, int expected_count) {
    struct reading reading = {.file = fopen(path, "r")};
    ck_assert_msg(reading.file != NULL, "cannot read %s", path);
    int count = 0;
    for (next_line(&reading); !reading.ended;) {
        if (reading.line[0] == '=') {
            check_case(&reading);
            arena_free(&arena);
            count++;
        } else {
            next_line(&reading);
        }
    }
    fclose(reading.file);
    ck_assert_int_eq(count, expected_count);
}

START_TEST(chosen_tensors_print_as_in_pytorch) {
    check_file(TEST_DATA "/print_cases.txt", 75);
}
END_TEST

START_TEST(random_tensors_print_as_in_pytorch) {
    check_file(TEST_DATA "/print_random.txt", 2000);
}
END_TEST

// ---- Views --------------------------------------------------------------------------------------

START_TEST(a_view_prints_its_own_elements) {
    const struct tensor whole = floats(SHAPE(2, 3), "1 2 3 4 5 6");
    struct tensor transposed = whole;
    transposed.shape[0] = 3, transposed.shape[1] = 2;
    transposed.stride[0] = 1, transposed.stride[1] = 3;
    ck_assert_str_eq(torch_text(&arena, &transposed, 4), "tensor([[1., 4.],\n"
                                                         "        [2., 5.],\n"
                                                         "        [3., 6.]])");
    struct tensor column = transposed;
    column.ndim = 1;
    column.offset = 2;
    column.shape[0] = 2, column.stride[0] = 3;
    ck_assert_str_eq(torch_text(&arena, &column, 4), "tensor([3., 6.])");
}
END_TEST

START_TEST(one_number_seen_many_times_prints_everywhere) {
    struct tensor expanded = floats(NO_DIMS, ".5");
    expanded.ndim = 2;
    expanded.shape[0] = 2, expanded.shape[1] = 2; // strides 0
    ck_assert_str_eq(torch_text(&arena, &expanded, 2), "tensor([[0.50, 0.50],\n"
                                                       "        [0.50, 0.50]])");
}
END_TEST

// What is cut away has no say in how the rest is written.
START_TEST(numbers_that_are_not_shown_do_not_count) {
    struct tensor tensor = floats(SHAPE(1001), "1");
    set_element(&tensor, 500, "123456789.5");
    ck_assert_str_eq(torch_text(&arena, &tensor, 4), "tensor([1., 1., 1.,  ..., 1., 1., 1.])");
    set_element(&tensor, 998, "0.25");
    ck_assert_str_eq(torch_text(&arena, &tensor, 4),
                     "tensor([1.0000, 1.0000, 1.0000,  ..., 0.2500, 1.0000, 1.0000])");
    struct tensor shorter = floats(SHAPE(1000), "1");
    set_element(&shorter, 500, "10");
    ck_assert_ptr_null(strstr(torch_text(&arena, &shorter, 4), "..."));
}
END_TEST

START_TEST(no_elements_show_shape_and_type) {
    const struct tensor wide = zeros(BOOL, SHAPE(2, 0, 3));
    ck_assert_str_eq(torch_text(&arena, &wide, 4), "tensor([], size=(2, 0, 3), dtype=torch.bool)");
    struct tensor empty = zeros(INT64, SHAPE(0, 1, 1, 1, 1));
    for (int dim = 1; dim < 5; dim++) empty.shape[dim] = 100000000000;
    ck_assert_str_eq(
        torch_text(&arena, &empty, 4),
        "tensor([], size=(0, 100000000000, 100000000000, 100000000000, 100000000000),\n"
        "       dtype=torch.int64)");
}
END_TEST

// ---- The parts ----------------------------------------------------------------------------------

static void check_format(const char *numbers, int digits, enum notation notation, int width) {
    int64_t count = 0;
    for (const char *next = numbers; *next != '\0'; count++) {
        next += strcspn(next, " ");
        next += strspn(next, " ");
    }
    const struct tensor tensor = floats(SHAPE(count), numbers);
    const struct number_format format = number_format_of(&arena, &tensor, digits);
    ck_assert_msg(format.notation == notation, "%s: notation %d", numbers, (int)format.notation);
    ck_assert_msg(format.width == width, "%s: width %d", numbers, format.width);
    ck_assert_int_eq(format.digits, digits);
}

START_TEST(all_numbers_decide_the_format) {
    check_format("0 -0 nan inf", 4, INTEGER, 1);
    check_format("1 1000", 4, INTEGER, 5);
    check_format("1 1001", 4, SCIENTIFIC, 10);
    check_format("100000000", 4, INTEGER, 10);
    check_format("100000008", 4, SCIENTIFIC, 10);
    check_format("-.5 .25", 4, FIXED, 7);
    check_format("-.5 .25", 0, FIXED, 2);
    check_format(".0001", 4, SCIENTIFIC, 10); // as a float it is below 1e-4
    check_format(".00010001", 8, FIXED, 10);
    check_format(".5 -inf", 4, FIXED, 6);
    check_format("-.5 1e-30", 2, SCIENTIFIC, 9);
}
END_TEST

START_TEST(one_number_is_not_padded) {
    const struct tensor tensor = floats(SHAPE(2), "0.43 -100");
    const struct number_format format = number_format_of(&arena, &tensor, 4);
    ck_assert_int_eq(format.width, 9);
    ck_assert_str_eq(number_text(&arena, format, (double)0.43F), "0.4300");
    ck_assert_str_eq(number_text(&arena, format, -INFINITY), "-inf");
    ck_assert_str_eq(number_text(&arena, format, -(double)NAN), "nan");
    ck_assert_str_eq(number_text(&arena, format, -0.0), "-0.0000");
    const struct number_format whole = {.notation = INTEGER, .digits = 4, .width = 3};
    ck_assert_str_eq(number_text(&arena, whole, -12), "-12.");
    ck_assert_str_eq(number_text(&arena, whole, INFINITY), "inf");
    const struct number_format scientific = {.notation = SCIENTIFIC, .digits = 2, .width = 8};
    ck_assert_str_eq(number_text(&arena, scientific, -12345), "-1.23e+04");
}
END_TEST

START_TEST(words_and_whole_numbers_have_no_point) {
    struct tensor mask = zeros(BOOL, SHAPE(2));
    struct number_format format = number_format_of(&arena, &mask, 4);
    ck_assert_int_eq(format.notation, TRUTH);
    ck_assert_int_eq(format.width, 5);
    ck_assert_str_eq(number_text(&arena, format, 1), "True");
    fill(&mask, "1");
    ck_assert_int_eq(number_format_of(&arena, &mask, 4).width, 4);
    struct tensor ids = zeros(INT64, SHAPE(3));
    fill(&ids, "7 -1234 9007199254740992");
    format = number_format_of(&arena, &ids, 4);
    ck_assert_int_eq(format.width, 16);
    ck_assert_str_eq(number_text(&arena, format, -1234), "-1234");
}
END_TEST

Suite *format_suite(void) {
    Suite *suite = suite_create("format");
    TCase *files = add_case(suite, "as PyTorch", set_up_arena, tear_down_arena);
    tcase_set_timeout(files, 60);
    tcase_add_test(files, chosen_tensors_print_as_in_pytorch);
    tcase_add_test(files, random_tensors_print_as_in_pytorch);
    TCase *parts = add_case(suite, "views and parts", set_up_arena, tear_down_arena);
    tcase_add_test(parts, a_view_prints_its_own_elements);
    tcase_add_test(parts, one_number_seen_many_times_prints_everywhere);
    tcase_add_test(parts, numbers_that_are_not_shown_do_not_count);
    tcase_add_test(parts, no_elements_show_shape_and_type);
    tcase_add_test(parts, all_numbers_decide_the_format);
    tcase_add_test(parts, one_number_is_not_padded);
    tcase_add_test(parts, words_and_whole_numbers_have_no_point);
    return suite;
}
