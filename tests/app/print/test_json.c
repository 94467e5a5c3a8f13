// JSON: what is written reads back, strings to the byte and numbers to the bit, and is well laid out.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "show/json.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static const char *string_as_json(const char *string) {
    struct text text = text_new(&arena);
    struct json json = json_new(&text);
    json_add_string(&json, NULL, string);
    return text.bytes;
}

// Without the newline that ends a document.
static const char *values_as_json(struct tensor tensor) {
    struct text text = text_new(&arena);
    struct json json = json_new(&text);
    json_add_values(&json, NULL, &tensor);
    return arena_copy_bytes(&arena, text.bytes, strcspn(text.bytes, "\n"));
}

START_TEST(commas_and_lines_are_placed) {
    struct text text = text_new(&arena);
    struct json json = json_new(&text);
    json_open_object(&json, NULL);
    json_add_string(&json, "name", "x");
    json_open_list(&json, "empty");
    json_close(&json);
    json_line(&json);
    json_open_list(&json, "tall");
    json_line(&json);
    json_add_bool(&json, NULL, true);
    json_line(&json);
    json_open_object(&json, NULL);
    json_add_number(&json, "a", 0.5);
    json_line(&json);
    json_add_integer(&json, "b", -7);
    json_close(&json);
    json_close(&json);
    json_add_raw(&json, "none", "null");
    json_add_strings(&json, "words", (const char *const[]){"u", NULL}, 2);
    json_add_integers(&json, "sizes", (const int64_t[]){2, 3}, 2);
    json_close(&json);
    ck_assert_str_eq(text.bytes, "{\"name\": \"x\", \"empty\": [],\n"
                                 " \"tall\": [\n"
                                 "  true,\n"
                                 "  {\"a\": 0.5,\n"
                                 "   \"b\": -7}\n"
                                 " ], \"none\": null, \"words\": [\"u\", null], "
                                 "\"sizes\": [2, 3]}\n");
}
END_TEST

static void open_without_end(void *context) {
    for (int i = 0; i <= JSON_MOST_LEVELS; i++) json_open_list(context, NULL);
}

START_TEST(more_levels_than_there_may_be_are_a_failure) {
    struct text text = text_new(&arena);
    struct json json = json_new(&text);
    ck_assert(!attempt(&failure, open_without_end, &json));
}
END_TEST

START_TEST(strings_are_escaped) {
    ck_assert_str_eq(string_as_json("plain √d_k 日本"), "\"plain √d_k 日本\"");
    ck_assert_str_eq(string_as_json(""), "\"\"");
    ck_assert_str_eq(string_as_json("\"\\/"), "\"\\\"\\\\/\"");
    ck_assert_str_eq(string_as_json("a\nb\tc\x1b"), "\"a\\nb\\u0009c\\u001b\"");
    ck_assert_str_eq(string_as_json(NULL), "null");
    for (int character = 1; character < 0x20; character++) {
        const char string[] = {(char)character, '\0'};
        const char *json = string_as_json(string);
        for (; *json != '\0'; json++) ck_assert_int_ge(*json, 0x20);
    }
}
END_TEST

START_TEST(values_are_nested_as_the_tensor_is) {
    const float numbers[] = {1, -2.5F, 0, -0.0F, 1e-45F, 3.40282347e38F};
    ck_assert_str_eq(values_as_json(tensor_of(&arena, SHAPE(2, 3), numbers)),
                     "[[1, -2.5, 0], [-0.0, 1.40129846e-45, 3.40282347e+38]]");
    ck_assert_str_eq(values_as_json(transpose(tensor_of(&arena, SHAPE(3, 2), numbers), 0, 1)),
                     "[[1, 0, 1.40129846e-45], [-2.5, -0.0, 3.40282347e+38]]");
    ck_assert_str_eq(values_as_json(scalar(&arena, 0.1)), "0.100000001");
    ck_assert_str_eq(values_as_json(full(&arena, SHAPE(0), 1)), "[]");
    ck_assert_str_eq(values_as_json(full(&arena, SHAPE(2, 0), 1)), "[[], []]");
    const float odd[] = {INFINITY, -INFINITY, NAN};
    ck_assert_str_eq(values_as_json(tensor_of(&arena, SHAPE(3), odd)),
                     "[\"inf\", \"-inf\", \"nan\"]");
    ck_assert_str_eq(values_as_json(to_bool(tensor_of(&arena, SHAPE(3), numbers))),
                     "[true, true, false]");
    ck_assert_str_eq(values_as_json(arange(&arena, -1, 3)), "[-1, 0, 1]");
}
END_TEST

// Any bits at all: every finite float comes back as it was, and is a float to any reader of JSON.
START_TEST(floats_read_back_to_the_same_bits) {
    enum { COUNT = 4096 };
    float numbers[COUNT];
    uint32_t bits = 1;
    for (int i = 0; i < COUNT; i++) {
        bits = bits * 1664525U + 1013904223U;
        memcpy(&numbers[i], &bits, sizeof bits);
        if (!isfinite(numbers[i])) numbers[i] = 0;
    }
    const char *json = values_as_json(tensor_of(&arena, SHAPE(COUNT), numbers));
    for (int i = 0; i < COUNT; i++) {
        char *end;
        const float back = strtof(json + 1, &end);
        expect(memcmp(&back, &numbers[i], sizeof back) == 0, "%a became %a", (double)numbers[i],
               (double)back);
        json = end + (i + 1 < COUNT);
    }
    ck_assert_str_eq(json, "]");
}
END_TEST

Suite *json_suite(void) {
    Suite *suite = suite_create("json");
    TCase *pieces = add_case(suite, "pieces", set_up_arena, tear_down_arena);
    tcase_add_test(pieces, commas_and_lines_are_placed);
    tcase_add_test(pieces, more_levels_than_there_may_be_are_a_failure);
    tcase_add_test(pieces, strings_are_escaped);
    tcase_add_test(pieces, values_are_nested_as_the_tensor_is);
    tcase_add_test(pieces, floats_read_back_to_the_same_bits);
    return suite;
}
