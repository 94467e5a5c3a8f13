// Token vectors from CSV: what is read, what is refused, and how a refusal is worded.

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "tensor/file/csv.h"
#include "tensor/operation/rows.h"
#include "tensor/origin.h"

#include <check.h> // last: defines a macro fail

struct reading {
    const char *name, *bytes;
    size_t length;
    struct tensor tensor;
};

static void read_it(void *context) {
    struct reading *reading = context;
    reading->tensor = csv_read(&arena, reading->name, reading->bytes, reading->length);
}

// Reads from memory that ends with the last byte, so that a sanitizer sees a step beyond.
static bool can_read(struct reading *reading) {
    char *exact = malloc(reading->length > 0 ? reading->length : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, reading->bytes, reading->length);
    struct reading copy = *reading;
    copy.bytes = exact;
    const bool done = attempt(&failure, read_it, &copy);
    reading->tensor = copy.tensor;
    free(exact);
    return done;
}

static struct tensor good(const char *bytes) {
    struct reading reading = {.name = "good.csv", .bytes = bytes, .length = strlen(bytes)};
    ck_assert_msg(can_read(&reading), "%s: %s", bytes, failure.message);
    return reading.tensor;
}

static const char *refusal_of(const char *name, const char *bytes, size_t length) {
    struct reading reading = {.name = name, .bytes = bytes, .length = length};
    ck_assert_msg(!can_read(&reading), "%s should be refused", bytes);
    ck_assert_int_eq(failure.status, FAIL_INPUT);
    ck_assert_msg(strlen(failure.message) <= 200, "too long: %s", failure.message);
    ck_assert(utf8_is_valid(failure.message, strlen(failure.message)));
    for (const char *byte = failure.message; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < 0x20) ck_abort_msg("a control character: %s", failure.message);
    }
    return failure.message;
}

static void bad(const char *bytes, const char *message) {
    ck_assert_str_eq(refusal_of("bad.csv", bytes, strlen(bytes)), message);
}

static float number(const struct tensor *tensor, int64_t row, int64_t column) {
    return float_at(tensor, (int64_t[]){row, column});
}

static void check_numbers(const char *bytes, int64_t rows, int64_t columns, const float *numbers) {
    const struct tensor tensor = good(bytes);
    ck_assert(shapes_equal(shape_of(&tensor), SHAPE(rows, columns)));
    for (int64_t i = 0; i < rows * columns; i++)
        ck_assert_float_eq(number(&tensor, i / columns, i % columns), numbers[i]);
}

// ---- What is read -------------------------------------------------------------------------------

START_TEST(tokens_and_numbers_become_a_tensor) {
    const struct tensor inputs = good("token,d1,d2,d3\n"
                                      "Your,0.43,0.15,0.89\n"
                                      "journey,0.55,0.87,0.66\n");
    ck_assert(shapes_equal(shape_of(&inputs), SHAPE(2, 3)));
    ck_assert_int_eq(inputs.storage->dtype, FLOAT32);
    ck_assert_ptr_eq(inputs.storage->origin->operation, &given_row);
    ck_assert(is_contiguous(&inputs));
    ck_assert_float_eq(number(&inputs, 1, 1), 0.87F);
    ck_assert_str_eq(axis_name(&inputs, 0), "token");
    ck_assert_str_eq(inputs.axis[0].labels[0], "Your");
    ck_assert_str_eq(inputs.axis[0].labels[1], "journey");
    ck_assert_str_eq(axis_name(&inputs, 1), "feature");
    ck_assert_str_eq(inputs.axis[1].labels[2], "d3");
}
END_TEST

START_TEST(lines_may_end_in_several_ways) {
    const float four[] = {1, 2, 3, 4};
    check_numbers("token,a,b\nx,1,2\ny,3,4\n", 2, 2, four);
    check_numbers("token,a,b\r\nx,1,2\r\ny,3,4\r\n", 2, 2, four);
    check_numbers("token,a,b\nx,1,2\r\ny,3,4", 2, 2, four);
    check_numbers("\xEF\xBB\xBFtoken,a,b\nx,1,2\ny,3,4", 2, 2, four);
    check_numbers("\n  \ntoken,a,b\n\r\n\t\nx,1,2\n\ny,3,4\n\n \t ", 2, 2, four);
    check_numbers("token,a\nx,1", 1, 1, four);
}
END_TEST

START_TEST(fields_may_be_quoted) {
    const struct tensor tensor = good("\"token\",\"a \"\"b\"\"\",\"c,d\"\r\n"
                                      "\"x, y\",\"1\",\" 2 \"\r\n"
                                      "\"\"\"\",3,4\n"
                                      "\"a\"\"\",5,6\n");
    ck_assert_str_eq(tensor.axis[1].labels[0], "a \"b\"");
    ck_assert_str_eq(tensor.axis[1].labels[1], "c,d");
    ck_assert_str_eq(tensor.axis[0].labels[0], "x, y");
    ck_assert_str_eq(tensor.axis[0].labels[1], "\"");
    ck_assert_str_eq(tensor.axis[0].labels[2], "a\"");
    ck_assert_float_eq(number(&tensor, 0, 1), 2);
    const struct tensor last = good("token,a\nx,\"7\"");
    ck_assert_float_eq(number(&last, 0, 0), 7);
}
END_TEST

START_TEST(tokens_stay_as_they_are) {
    const struct tensor tensor =
        good("token,a\nétoile,1\n日本,2\n step ,3\nétoile,4\n\\n,5\n' ',6\n");
    static const char *const expected[] = {"étoile", "日本", " step ", "étoile", "\\n", "' '"};
    for (int i = 0; i < 6; i++) ck_assert_str_eq(tensor.axis[0].labels[i], expected[i]);
}
END_TEST

START_TEST(numbers_are_decimal) {
    const float numbers[] = {1,    -1,    1,     0.5F,    -0.5F,    5,         0.001F, 1000,
                             2000, 1e-5F, 0.43F, FLT_MAX, -FLT_MAX, 0x1p-149F, 0,      7};
    check_numbers("token,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p\n"
                  "x,1,-1,+1,.5,-.5,5.,1e-3,1E3,+2.e+3,0.1e-4, 0.43\t,3.4028235e38,"
                  "-3.40282350000000000000000000000000000001e+38,1.4e-45,1e-999,0007\n",
                  1, 16, numbers);
    const struct tensor zeros = good("token,a,b\nx,-0,0\n");
    ck_assert(signbit(number(&zeros, 0, 0)));
    ck_assert(!signbit(number(&zeros, 0, 1)));
}
END_TEST

// The same float as Python's: the decimal number is rounded to a double, the double to a float.
START_TEST(numbers_round_twice_as_in_python) {
    const struct tensor tensor = good("token,a,b,c\nx,16777217.0000000001,16777217,16777219\n");
    ck_assert_float_eq(number(&tensor, 0, 0), 16777216);
    ck_assert_float_eq(number(&tensor, 0, 1), 16777216);
    ck_assert_float_eq(number(&tensor, 0, 2), 16777220);
}
END_TEST

// ---- What is refused ----------------------------------------------------------------------------

START_TEST(a_header_must_come_first) {
    bad("", "bad.csv:1:1: nothing here: a header like token,d1,d2 must come first");
    bad("\xEF\xBB\xBF", "bad.csv:1:1: nothing here: a header like token,d1,d2 must come first");
    bad("\n \n\r\n", "bad.csv:1:1: nothing here: a header like token,d1,d2 must come first");
    bad("x,1\n", "bad.csv:1:1: the first column is \"x\": the header must be like token,d1,d2, "
                 "with commas");
    bad("Token,1\nx,1\n", "bad.csv:1:1: the first column is \"Token\": the header must be like "
                          "token,d1,d2, with commas");
    bad("token;a\nx;1\n", "bad.csv:1:1: the first column is \"token;a\": the header must be like "
                          "token,d1,d2, with commas");
    bad(",a\nx,1\n", "bad.csv:1:1: the first column is \"\": the header must be like token,d1,d2, "
                     "with commas");
    bad("token\nx\n", "bad.csv:1:6: no column for numbers: the header must be like token,d1,d2");
    bad("token,a,\nx,1,2\n", "bad.csv:1:9: the name of a column is missing");
    bad("token,a,", "bad.csv:1:9: the name of a column is missing");
    bad("token,a\x7F\nx,1\n",
        "bad.csv:1:7: the name of a column has control characters: \"a\\x7f\"");
    bad("token,a,b\n",
        "bad.csv:2:1: no tokens: after the header, each line is a token and its numbers");
    bad("token,a,b",
        "bad.csv:1:10: no tokens: after the header, each line is a token and its numbers");
}
END_TEST

START_TEST(lines_must_be_as_long_as_the_header) {
    bad("token,a,b\nx,1,2\ny,3\n",
        "bad.csv:3:4: 2 fields, but the header names 3: a token and 2 numbers");
    bad("token,a\nx", "bad.csv:2:2: 1 field, but the header names 2: a token and 1 number");
    bad("token,a\n\"x\"\r\n", "bad.csv:2:4: 1 field, but the header names 2: a token and 1 number");
    bad("token,a,b\nx,1,2,\n",
        "bad.csv:2:7: one field too many: the header names 3: a token and 2 numbers");
    bad("token,a,b\n\n日本,1,2,3\n",
        "bad.csv:3:8: one field too many: the header names 3: a token and 2 numbers");
    bad("token,a\nx,0,43\n",
        "bad.csv:2:5: one field too many: the header names 2: a token and 1 number");
}
END_TEST

START_TEST(other_numbers_are_refused) {
    static const char *const misfits[] = {
        "two", "nan",  "NaN", "inf", "-inf",   "Infinity", "0x10", "0x1p3", "1e",
        "1e+", "e5",   ".",   "+",   "-",      "--1",      "+-1",  "1.2.3", "1 2",
        "1_0", "1f",   "1L",  "½",   "1e5.",   "٣",        "−1",   "1,",    "1;",
        "0b1", "1e 5", "'1'", "1\v", "nan(1)", "1\x1b[m"};
    for (size_t i = 0; i < sizeof misfits / sizeof misfits[0]; i++) {
        const char *bytes = arena_format(&arena, "token,a,b\nx,1,\"%s\"\n", misfits[i]);
        const char *message = arena_format(
            &arena, "bad.csv:2:5: \"%s\" is not a number: write it like 0.43, -1 or 2e-3",
            text_safe(&arena, misfits[i]));
        bad(bytes, message);
    }
    bad("token,a,b\nx,,1\n", "bad.csv:2:3: a number is missing: write it like 0.43, -1 or 2e-3");
    bad("token,a\nx, \t\n", "bad.csv:2:3: a number is missing: write it like 0.43, -1 or 2e-3");
    bad("token,a\nx,\"\"", "bad.csv:2:3: a number is missing: write it like 0.43, -1 or 2e-3");
}
END_TEST

START_TEST(numbers_must_fit_a_float) {
    static const char *const giants[] = {"1e999",     "-1e999",        "3.5e38", "3.4028236e38",
                                         "-3.403e38", "1e99999999999", "1e39"};
    for (size_t i = 0; i < sizeof giants / sizeof giants[0]; i++) {
        bad(arena_format(&arena, "token,a\nx,%s\n", giants[i]),
            arena_format(&arena,
                         "bad.csv:2:3: \"%s\" is too large for a float: at most 3.4e38 is possible",
                         giants[i]));
    }
}
END_TEST

START_TEST(quotes_must_be_closed_and_whole) {
    bad("token,a\nx,1\n\"y,2\nz,3\n", "bad.csv:3:1: a quote opens here and is never closed");
    bad("token,\"a", "bad.csv:1:7: a quote opens here and is never closed");
    bad("token,a\n\"", "bad.csv:2:1: a quote opens here and is never closed");
    bad("token,a\n\"x\"\"", "bad.csv:2:1: a quote opens here and is never closed");
    bad("token,a\n\"x\"y,1\n",
        "bad.csv:2:4: after a closing quote, a comma or the end of the line must follow");
    bad("token,a\n\"x\" ,1\n",
        "bad.csv:2:4: after a closing quote, a comma or the end of the line must follow");
    bad("token,a\nx,1\n5\",2\n",
        "bad.csv:3:2: a quote inside a field: put the whole field in quotes "
        "and write it twice, as in \"5\"\"\"");
    bad("token,a\nx, \"1\"\n", "bad.csv:2:4: a quote inside a field: put the whole field in quotes "
                               "and write it twice, as in \"5\"\"\"");
}
END_TEST

START_TEST(lines_of_old_macintoshes_are_named) {
    bad("token,a\rx,1\r", "bad.csv:1:8: a carriage return alone: lines must end in LF or CRLF");
    bad("token,a\nx,1\r", "bad.csv:2:4: a carriage return alone: lines must end in LF or CRLF");
    bad("token,a\nx,1\r\r\n", "bad.csv:2:4: a carriage return alone: lines must end in LF or CRLF");
}
END_TEST

START_TEST(tokens_must_be_readable) {
    bad("token,a\n,1\n", "bad.csv:2:1: the token is missing");
    bad("token,a\n\"\",1\n", "bad.csv:2:1: the token is missing");
    bad("token,a\n\x1b[31mred,1\n",
        "bad.csv:2:1: the token has control characters: \"\\x1b[31mred\"");
    bad("token,a\nx\ty,1\n", "bad.csv:2:1: the token has control characters: \"x\\x09y\"");
    bad("token,a\n\"x\ny\",1\n", "bad.csv:2:1: the token has control characters: \"x\\x0ay\"");
    bad("token,a\n\xC2\x9B"
        "31m,1\n",
        "bad.csv:2:1: the token has control characters: \"\\u009b31m\"");
    bad("token,a\n\u202Eevil,1\n",
        "bad.csv:2:1: the token has control characters: \"\\u202eevil\"");
    bad("token,a\ncaf\xE9,1\n", "bad.csv:2:1: the token is not UTF-8: \"caf\\xe9\"");
    bad("token,a\n\xED\xA0\x80,1\n", "bad.csv:2:1: the token is not UTF-8: \"\\xed\\xa0\\x80\"");
    bad("token,a\n\xE6\x97,1\n", "bad.csv:2:1: the token is not UTF-8: \"\\xe6\\x97\"");
}
END_TEST

START_TEST(bytes_of_value_zero_are_no_ends) {
    static const char token[] = "token,a\nx\0y,1\n", number[] = "token,a\nx,1\0\n",
                      empty[] = "token,a\nx,\0\n", header[] = "token\0,a\nx,1\n";
    ck_assert_str_eq(refusal_of("nul", token, sizeof token - 1),
                     "nul:2:1: the token has control characters: \"x\\x00y\"");
    ck_assert_str_eq(refusal_of("nul", number, sizeof number - 1),
                     "nul:2:3: \"1\\x00\" is not a number: write it like 0.43, -1 or 2e-3");
    ck_assert_str_eq(refusal_of("nul", empty, sizeof empty - 1),
                     "nul:2:3: \"\\x00\" is not a number: write it like 0.43, -1 or 2e-3");
    ck_assert_str_eq(refusal_of("nul", header, sizeof header - 1),
                     "nul:1:1: the first column is \"token\\x00\": the header must be like "
                     "token,d1,d2, with commas");
}
END_TEST

// ---- Limits -------------------------------------------------------------------------------------

// A header and lines of `features` numbers.
static const char *table_of(int tokens, int features) {
    struct text text = text_new(&arena);
    text_add(&text, "token");
    for (int i = 0; i < features; i++) text_add_format(&text, ",d%d", i + 1);
    for (int row = 0; row < tokens; row++) {
        text_add(&text, "\nx");
        for (int i = 0; i < features; i++) text_add_format(&text, ",%d.5", row + i);
    }
    return text.bytes;
}

START_TEST(as_much_as_the_limits_is_read) {
    const struct tensor most = good(table_of(CSV_MAX_TOKENS, CSV_MAX_FEATURES));
    ck_assert(shapes_equal(shape_of(&most), SHAPE(64, 64)));
    ck_assert_float_eq(number(&most, 63, 63), 126.5F);
    bad(table_of(CSV_MAX_TOKENS + 1, 2), "bad.csv:66:1: too many tokens: at most 64 are possible");
    bad(table_of(1, CSV_MAX_FEATURES + 1),
        "bad.csv:1:254: too many columns: at most 64 numbers a token are possible");
    struct text token = text_new(&arena);
    text_add_repeated(&token, "é", 32);
    const struct tensor tensor = good(arena_format(&arena, "token,a\n%s,1\n", token.bytes));
    ck_assert_str_eq(tensor.axis[0].labels[0], token.bytes);
    bad(arena_format(&arena, "token,a\n%sx,1\n", token.bytes),
        "bad.csv:2:1: the token has 65 bytes: at most 64 are possible");
    bad(arena_format(&arena, "token,%sx\nx,1\n", token.bytes),
        "bad.csv:1:7: the name of a column has 65 bytes: at most 64 are possible");
}
END_TEST

START_TEST(a_file_has_a_largest_size) {
    struct text text = text_new(&arena);
    text_add(&text, "token,a\nx,1\n");
    while (text.length < CSV_MAX_BYTES) text_add(&text, "\n");
    good(text.bytes);
    text_add(&text, "\n");
    bad(text.bytes, "bad.csv:1:1: too large: 1048577 bytes, at most 1048576 are possible");
}
END_TEST

START_TEST(huge_rows_are_refused_in_one_line) {
    struct text text = text_new(&arena);
    text_add(&text, "token");
    for (int i = 0; i < 100000; i++) text_add_format(&text, ",d%d", i);
    bad(text.bytes, "bad.csv:1:253: too many columns: at most 64 numbers a token are possible");
    text = text_new(&arena);
    text_add(&text, "token,a\nx,");
    text_add_repeated(&text, "9", 1000000);
    bad(text.bytes,
        "bad.csv:2:3: \"99999999999999999999999999999999...\" is too large for a float: "
        "at most 3.4e38 is possible");
    text = text_new(&arena);
    text_add_repeated(&text, "\"", 1000000);
    const char *message = refusal_of("bad.csv", text.bytes, text.length);
    ck_assert_ptr_nonnull(strstr(message, "\"\"...\": the header must be like token,d1,d2"));
}
END_TEST

// ---- Messages -----------------------------------------------------------------------------------

START_TEST(names_of_files_are_harmless_and_keep_their_end) {
    const char *message = refusal_of("/tmp/\x1b[31m\xFF\n.csv", "", 0);
    ck_assert_ptr_nonnull(strstr(message, "/tmp/\\x1b[31m\\xff\\x0a.csv:1:1: nothing here"));
    struct text name = text_new(&arena);
    text_add_repeated(&name, "/日本", 1000);
    text_add(&name, "/nan.csv");
    const char *field = "token,a\nx,日日日日日日日日日日日日日日日日日日日日\n";
    message = refusal_of(name.bytes, field, strlen(field));
    ck_assert_int_eq(strncmp(message, "...", 3), 0);
    ck_assert_ptr_nonnull(strstr(message, "/日本/nan.csv:2:3: \"日日日日日日日日日日...\" is not"));
}
END_TEST

// Whatever the bytes, the answer is a tensor or one short line.
START_TEST(no_bytes_break_it) {
    static const char alphabet[] = "\",\n\r\t x1.e-\0\xE9\xC3\xA9token,a";
    const char *const start = "token,a\n";
    uint32_t state = 1;
    for (int round = 0; round < 5000; round++) {
        char bytes[64];
        size_t length = round % 2 == 0 ? strlen(start) : 0;
        memcpy(bytes, start, length);
        const size_t end = length + state % 40;
        while (length < end) {
            state = state * 1664525U + 1013904223U;
            bytes[length++] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        struct reading reading = {.name = "any", .bytes = bytes, .length = length};
        if (can_read(&reading)) {
            ck_assert_int_gt(count_of(shape_of(&reading.tensor)), 0);
        } else {
            refusal_of("any", bytes, length);
        }
        arena_free(&arena);
    }
}
END_TEST

Suite *csv_suite(void) {
    Suite *suite = suite_create("csv");
    TCase *reading = add_case(suite, "read", set_up_arena, tear_down_arena);
    tcase_add_test(reading, tokens_and_numbers_become_a_tensor);
    tcase_add_test(reading, lines_may_end_in_several_ways);
    tcase_add_test(reading, fields_may_be_quoted);
    tcase_add_test(reading, tokens_stay_as_they_are);
    tcase_add_test(reading, numbers_are_decimal);
    tcase_add_test(reading, numbers_round_twice_as_in_python);
    TCase *refusing = add_case(suite, "refused", set_up_arena, tear_down_arena);
    tcase_set_timeout(refusing, 60);
    tcase_add_test(refusing, a_header_must_come_first);
    tcase_add_test(refusing, lines_must_be_as_long_as_the_header);
    tcase_add_test(refusing, other_numbers_are_refused);
    tcase_add_test(refusing, numbers_must_fit_a_float);
    tcase_add_test(refusing, quotes_must_be_closed_and_whole);
    tcase_add_test(refusing, lines_of_old_macintoshes_are_named);
    tcase_add_test(refusing, tokens_must_be_readable);
    tcase_add_test(refusing, bytes_of_value_zero_are_no_ends);
    tcase_add_test(refusing, as_much_as_the_limits_is_read);
    tcase_add_test(refusing, a_file_has_a_largest_size);
    tcase_add_test(refusing, huge_rows_are_refused_in_one_line);
    tcase_add_test(refusing, names_of_files_are_harmless_and_keep_their_end);
    tcase_add_test(refusing, no_bytes_break_it);
    return suite;
}
