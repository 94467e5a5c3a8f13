// The readers of students' numbers: what is read, how exact it is taken to be, and what is refused in
// which words. The files that PyTorch and NumPy themselves wrote are in app/check/test_check.c.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "tensor/file/numbers_read.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

static const char *file_name = "file";

static void set_up(void) {
    set_up_arena();
}

static void tear_down(void) {
    tear_down_arena();
    file_name = "file";
}

struct attempted {
    const char *bytes;
    size_t length;
    struct numbers numbers;
};

static void read_it(void *context) {
    struct attempted *attempted = context;
    attempted->numbers = numbers_read(&arena, file_name, attempted->bytes, attempted->length);
}

// Reads from memory that ends with the last byte, so that a sanitizer sees a step beyond.
static bool can_read(struct attempted *attempted) {
    char *exact = malloc(attempted->length > 0 ? attempted->length : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, attempted->bytes, attempted->length);
    struct attempted copy = {.bytes = exact, .length = attempted->length};
    const bool done = attempt(&failure, read_it, &copy);
    attempted->numbers = copy.numbers;
    free(exact);
    return done;
}

static struct numbers good(const char *text) {
    struct attempted attempted = {.bytes = text, .length = strlen(text)};
    expect(can_read(&attempted), "%s: %s", text, failure.message);
    return attempted.numbers;
}

static void check_message(void) {
    ck_assert_int_eq(failure.status, FAIL_INPUT);
    ck_assert(utf8_is_valid(failure.message, strlen(failure.message)));
    for (const char *byte = failure.message; *byte != '\0'; byte++)
        expect((unsigned char)*byte >= 0x20, "a control character: %s", failure.message);
}

static void bad_bytes(const char *bytes, size_t length, const char *message) {
    struct attempted attempted = {.bytes = bytes, .length = length};
    expect(!can_read(&attempted), "%s should be refused", bytes);
    check_message();
    ck_assert_str_eq(failure.message, message);
}

static void bad(const char *text, const char *message) {
    bad_bytes(text, strlen(text), message);
}

// Is it of this form and shape, and are its numbers 1, 2, 3, ...?
static void counts_up(const char *text, enum form form, struct shape shape) {
    const struct numbers numbers = good(text);
    expect(numbers.form == form, "%s is %s", text, form_text(numbers.form));
    expect(shapes_equal(numbers.shape, shape), "%s has shape %s", text,
           shape_text(&arena, numbers.shape));
    for (int64_t i = 0; i < count_of(shape); i++)
        expect(numbers.values[i] == (double)(i + 1), "%s: number %d is %g", text, (int)i,
               numbers.values[i]);
}

static void check_units(const char *text, int decimals, const double *units) {
    const struct numbers numbers = good(text);
    expect(numbers.decimals == decimals, "%s: %d decimals", text, numbers.decimals);
    for (int64_t i = 0; i < count_of(numbers.shape); i++) {
        const double unit = 2 * numbers.half_units[i];
        expect(fabs(unit - units[i]) <= 1e-12 * units[i], "%s: unit %d is %g", text, (int)i, unit);
    }
}

// ---- Printed tensors, arrays and lists ----------------------------------------------------------

START_TEST(tensors_of_pytorch_are_read) {
    counts_up("tensor([1., 2., 3.])", FORM_TENSOR, SHAPE(3));
    counts_up("tensor([[1., 2.],\n        [3., 4.]])\n", FORM_TENSOR, SHAPE(2, 2));
    counts_up("tensor([[[1.0000]],\n\n        [[2.0000]]], grad_fn=<UnsafeViewBackward0>)",
              FORM_TENSOR, SHAPE(2, 1, 1));
    counts_up("tensor([1, 2], device='cuda:0', dtype=torch.int32)", FORM_TENSOR, SHAPE(2));
    counts_up("tensor(1.)", FORM_TENSOR, NO_DIMS);
    counts_up("tensor(1., grad_fn=<NllLossBackward0>)", FORM_TENSOR, NO_DIMS);
    counts_up("Parameter containing:\ntensor([1., 2.], requires_grad=True)", FORM_TENSOR, SHAPE(2));
    counts_up("Attention weights (6 x 6): tensor([1., 2.])", FORM_TENSOR, SHAPE(2));
    counts_up(">>> w\r\ntensor([1.,\r\n2.])\r\n", FORM_TENSOR, SHAPE(2));
    counts_up("tensor([[1., 2.],\n        [3., 4.]],\n       grad_fn=<SoftmaxBackward0>)",
              FORM_TENSOR, SHAPE(2, 2));
    counts_up("torch.tensor([1, 2])", FORM_TENSOR, SHAPE(2));
}
END_TEST

START_TEST(arrays_of_numpy_are_read) {
    counts_up("[1. 2. 3.]", FORM_ARRAY, SHAPE(3));
    counts_up("[[1 2]\n [3 4]]\n", FORM_ARRAY, SHAPE(2, 2));
    counts_up("[[ 1.   2. ]\n [ 3.e+00 4.]]", FORM_ARRAY, SHAPE(2, 2));
    counts_up("array([[1., 2.],\n       [3., 4.]], dtype=float32)", FORM_ARRAY, SHAPE(2, 2));
    counts_up("Array([1., 2.], dtype=float32)", FORM_ARRAY, SHAPE(2));
    counts_up("<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
              FORM_ARRAY, SHAPE(2));
    counts_up("weights: [[1. 2.]]", FORM_ARRAY, SHAPE(1, 2));
}
END_TEST

START_TEST(lists_are_read) {
    counts_up("[1, 2, 3]", FORM_LIST, SHAPE(3));
    counts_up("\xEF\xBB\xBF[[[[[1, 2]]]]]", FORM_LIST, SHAPE(1, 1, 1, 1, 2));
    counts_up("w = [[1,2],[3,4],]", FORM_LIST, SHAPE(2, 2));
    counts_up("[\n [\n  1.0,\n  2e0\n ]\n]\n", FORM_LIST, SHAPE(1, 2));
    counts_up("1", FORM_LIST, NO_DIMS);
    counts_up("{\"name\": \"a \\\"values\\\": [3]\", \"values\": [1, 2], \"x\": {}}", FORM_LIST,
              SHAPE(2));
    counts_up("{\"values\": [[1], [2]]}", FORM_LIST, SHAPE(2, 1));
    counts_up("{\"a\": \"values\", \"values\": 1}", FORM_LIST, NO_DIMS);
}
END_TEST

START_TEST(words_are_numbers_too) {
    static const char *const lists[] = {"[inf, -inf, nan, 1, 0]",
                                        "[Infinity, -Infinity, NaN, true, false]",
                                        "[\"inf\", \"-inf\", \"nan\", True, False]",
                                        "tensor([inf, -inf, nan, 1., 0.])",
                                        "[inf -inf nan 1. -0.]",
                                        "inf,-inf,nan,1,0"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct numbers numbers = good(lists[i]);
        ck_assert_int_eq(count_of(numbers.shape), 5);
        ck_assert(numbers.values[0] > 0 && isinf(numbers.values[0]));
        ck_assert(numbers.values[1] < 0 && isinf(numbers.values[1]));
        ck_assert(isnan(numbers.values[2]));
        ck_assert(numbers.values[3] == 1 && numbers.values[4] == 0);
        ck_assert_ptr_null(numbers.half_units);
    }
}
END_TEST

START_TEST(brackets_must_fit) {
    bad("[[1, 2], [3]]", "file:1:12: 1 number here, 2 in the brackets before");
    bad("[[1, 2], [3, 4, 5]]", "file:1:18: 3 numbers here, 2 in the brackets before");
    bad("[[[1], [2]], [[3]]]", "file:1:18: 1 row here, 2 in the brackets before");
    bad("[[1, 2], 3]", "file:1:10: a number where a bracket should open");
    bad("[1, [2]]", "file:1:5: a bracket opens where a number should be");
    bad("[[1, 2],\n [3, 4]", "file:2:8: the file ends here, with 1 bracket open");
    bad("tensor([[1., 2.", "file:1:16: the file ends here, with 2 brackets open");
    bad("tensor([1., 2.]", "file:1:16: the file ends here, before the \")\" of tensor( or array(");
    bad("[]", "file:1:2: nothing between these brackets");
    bad("[[1], []]", "file:1:8: nothing between these brackets");
    bad("tensor([[0,43, -0,15]])",
        "file:1:10: decimal commas: \"0,43\" is read as two numbers; write 0.43, with a point");
    bad("[[0,43 0,15]\n [0,55 0,87]]",
        "file:1:3: decimal commas: \"0,43\" is read as two numbers; write 0.43, with a point");
    bad("tensor(-0,0872)",
        "file:1:9: decimal commas: \"0,0872\" is read as two numbers; write 0.0872, with a point");
    bad("[1,,2]", "file:1:4: nothing before this comma");
    bad("[,1]", "file:1:2: nothing before this comma");
    bad("[1, 2 3]", "file:1:7: a comma is missing before this");
    bad("[1 2, 3]", "file:1:7: a comma before this, where the others have none");
    bad("[1, 2]]", "file:1:7: \"]\" after the numbers: one tensor a file (take it out, or put "
                   "brackets around all rows)");
    bad("[1, 2] [3]", "file:1:8: \"[\" after the numbers: one tensor a file (take it out, or put "
                      "brackets around all rows)");
    bad("tensor([1.])\ntensor([2.])", "file:2:1: \"tensor\" after the numbers: one tensor a file "
                                      "(take it out, or put brackets around all rows)");
    bad("(tensor([1.]), tensor([2.]))", "file:1:14: \",\" after the numbers: one tensor a file "
                                        "(take it out, or put brackets around all rows)");
    bad("tensor([1.], [2.])", "file:1:14: brackets after the numbers: one tensor a file");
    bad("tensor([1.] [2.])",
        "file:1:13: \"[\" after the numbers, where a comma or \")\" should be");
    bad("array([1.] float32)",
        "file:1:12: \"float32\" after the numbers, where a comma or \")\" should be");
    bad("[[[[[[[1]]]]]]]", "file:1:7: brackets 7 deep: a tensor has at most 6 dimensions");
}
END_TEST

START_TEST(what_is_no_number_is_named) {
    bad("[1, two]", "file:1:5: \"two\" is not a number");
    bad("[1, 0x10]", "file:1:5: \"0x10\" is not a number");
    bad("[1, 2+3j]", "file:1:5: \"2+3j\" is not a number");
    bad("[1, 1e]", "file:1:5: \"1e\" is not a number");
    bad("[1, 1e+]", "file:1:5: \"1e+\" is not a number");
    bad("[1, \"2\"]", "file:1:5: \"\"2\"\" is not a number");
    bad("4,5\n1,2 3\n", "file:2:3: \"2 3\" is not a number: put commas or blanks between numbers, "
                        "not both, and a point before decimals");
    bad("4;5\n1;2,x5\n", "file:2:3: \"2,x5\" is not a number: write a decimal point, not a comma");
    bad("[1, null]", "file:1:5: \"null\" is not a number");
    bad("tensor([1, (2)])", "file:1:12: \"(\" is not a number");
    bad("[1, 1e999]", "file:1:5: 1e999 is too large for a number");
    bad("[日本]", "file:1:2: \"日本\" is not a number");
    bad("[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]",
        "file:1:2: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" is not a number");
}
END_TEST

START_TEST(numbers_of_any_length_are_read) {
    char text[1200];
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[1] = '.';
    text[1100] = '\0';
    const struct numbers longest = good(text);
    ck_assert(longest.values[0] == 1);
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[1] = '.';
    text[1101] = '\0';
    bad(text, "file:1:1: a number of 1101 characters: at most 1100 are possible");
}
END_TEST

START_TEST(a_long_name_of_a_file_is_cut_in_front) {
    file_name =
        "/home/student/a/folder/within/a/folder/within/a/folder/within/a/folder/within/w.txt";
    bad("[two]", "...nt/a/folder/within/a/folder/within/a/folder/within/a/folder/within/w.txt:1:2: "
                 "\"two\" is not a number");
    file_name = "/éééééééééééééééééééééééééééééééééééééééé.text"; // never within a character
    bad("[two]", "...ééééééééééééééééééééééééééééééééé.text:1:2: \"two\" is not a number");
}
END_TEST

#define CUT                                                                                        \
    "cut with \"...\": print the whole tensor, after torch.set_printoptions(threshold=1_000_000) " \
    "or numpy.set_printoptions(threshold=1_000_000)"

START_TEST(summaries_are_refused) {
    bad("tensor([[0.1, 0.2, 0.3,  ..., 0.4]])", "file:1:26: " CUT);
    bad("tensor([[0.1],\n        ...,\n        [0.2]])", "file:2:9: " CUT);
    bad("[[0.1 0.2 ... 0.3]\n [0.1]]", "file:1:11: " CUT);
    bad("[1, 2, ...]", "file:1:8: " CUT);
}
END_TEST

START_TEST(objects_need_one_list_of_values) {
    counts_up("{\"context\": [1, 2]}", FORM_LIST, SHAPE(2));
    counts_up("{\"a\": [9], \"values\": [[1]]}", FORM_LIST, SHAPE(1, 1));
    bad("{\"a\": 1}", "file:1:1: an object of JSON without a list of numbers");
    bad("{\"a\": [1], \"b\": [2]}",
        "file:1:12: a second list in this object: one tensor a file, or "
        "call one \"values\"");
    bad("{\"values\": [1], \"b\": {\"values\": [2]}}",
        "file:1:23: a second list called \"values\": one step a file (print --step S)");
    bad("{\"values\": [1", "file:1:14: the file ends here, with 1 bracket open");
    bad("{\"values", "file:1:2: a string opens here and is never closed");
}
END_TEST

START_TEST(what_is_said_of_a_tensor_is_passed_over) {
    counts_up("tensor([1., 2.])\ntorch.Size([2])\n", FORM_TENSOR, SHAPE(2));
    counts_up("tensor([[1.],\n        [2.]])\nx.shape: torch.Size([2, 1])\ntorch.float32",
              FORM_TENSOR, SHAPE(2, 1));
    counts_up("[[1 2]]\nShape = (1, 2)", FORM_ARRAY, SHAPE(1, 2));
    counts_up("tensor(1.)\ntorch.Size([])", FORM_TENSOR, NO_DIMS);
    bad("tensor([1.])\ntorch.Size([2])",
        "file:2:1: this shape is not that of the numbers before it, which is (1,)");
    bad("tensor([1.])\ntensor([2.])", "file:2:1: \"tensor\" after the numbers: one tensor a file "
                                      "(take it out, or put brackets around all rows)");
    bad("tensor([1.])\nx: tensor([2.])", "file:2:1: \"x:\" after the numbers: one tensor a file "
                                         "(take it out, or put brackets around all rows)");
    bad("[1]\ntorch.Size([2", "file:2:1: \"torch.Size\" after the numbers: one tensor a file (take "
                              "it out, or put brackets around all rows)");
}
END_TEST

// Of the course's chapter, and of pages, prompts and PDFs that it is copied from.
START_TEST(what_stands_around_a_tensor_is_passed_over) {
    counts_up("Context shape: (6, 2)\n[[1. 2.]\n [3. 4.]]", FORM_ARRAY, SHAPE(2, 2));
    counts_up("torch.Size([2, 2])\n[[1. 2.]\n [3. 4.]]", FORM_ARRAY, SHAPE(2, 2));
    counts_up(">>> print(w)\n[[1. 2.]]\n>>> ", FORM_ARRAY, SHAPE(1, 2));
    counts_up(">>> w = torch.tensor([1, 2])\n>>> w\ntensor([1, 2])\n>>> w.shape\ntorch.Size([2])\n",
              FORM_TENSOR, SHAPE(2));
    counts_up("In [5]: w\nOut[5]: \narray([1., 2.])\n\nIn [6]: ", FORM_ARRAY, SHAPE(2));
    counts_up("Out[12]: [[1, 2]]", FORM_LIST, SHAPE(1, 2));
    counts_up("Weights of head 1\n[[1. 2.]]", FORM_ARRAY, SHAPE(1, 2));
    counts_up("tensor([1.,\xC2\xA0\xC2\xA0 2.])", FORM_TENSOR, SHAPE(2));
    ck_assert(good("[1, \xE2\x88\x92"
                   "0.5]")
                  .values[1] == -0.5);
    bad("[\xE2\x88\x92"
        "1, x]",
        "file:1:6: \"x\" is not a number");
    bad("0.1 0.2\n[0.3 0.4]",
        "file:2:1: \"[\" after the numbers: one tensor a file (take it out, or put "
        "brackets around all rows)");
}
END_TEST

START_TEST(prints_of_other_languages_are_read) {
    counts_up("[[1., 2.],\n [3., 4.]]\nTensor[[2, 2], f32]\n", FORM_LIST, SHAPE(2, 2));
    counts_up("Tensor {\n  data:\n[[1.0, 2.0]],\n  shape:  [1, 2],\n  device:  Cpu,\n}\n",
              FORM_LIST, SHAPE(1, 2));
    counts_up(" 1.0000  2.0000\n 3.0000  4.0000\n[ CPUFloatType{2,2} ]", FORM_TENSOR, SHAPE(2, 2));
    counts_up("torch_tensor\n 1\n 2\n[ CPULongType{2} ]", FORM_TENSOR, SHAPE(2));
    counts_up("(1,.,.) = \n  1  2\n\n(2,.,.) = \n  3  4\n[ CPUFloatType{2,1,2} ]\n", FORM_TENSOR,
              SHAPE(2, 1, 2));
    counts_up("0.01 *\n 100.0  200.0\n[ CPUFloatType{1,2} ]", FORM_TENSOR, SHAPE(1, 2));
    check_units("0.01 *\n-8.7218  2.8590\n", 6, (const double[]){1e-6, 1e-6});
    bad("1 2\n[ CPUFloatType{1,3} ]",
        "file:2:1: this shape is not that of the 1 rows of 2 before it");
    bad("[[1, 2]]\nTensor[[2, 2], f32]",
        "file:2:1: this shape is not that of the numbers before it, which is (1, 2)");
    bad("Tensor { data: [1.0, 2.0]",
        "file:1:9: a tensor opens here and is never closed with \"}\"");
}
END_TEST

START_TEST(a_triangle_of_rows_is_read) {
    const struct numbers numbers = good("1.00\n0.60 0.40\n0.50 0.30 0.20\n");
    static const double whole[] = {1, 0, 0, 0.6, 0.4, 0, 0.5, 0.3, 0.2};
    ck_assert(numbers.is_triangle && shapes_equal(numbers.shape, SHAPE(3, 3)));
    for (int i = 0; i < 9; i++) ck_assert(numbers.values[i] == whole[i]);
    ck_assert(!good("1\n2\n3\n").is_triangle);
    bad("1\n2 3\n4 5\n", "file:3:1: 2 numbers in this line, 2 in the line before");
    bad("1\n2\n3 4 5\n", "file:3:1: 3 numbers in this line, 1 in the lines before");
}
END_TEST

START_TEST(a_number_may_stand_behind_a_tensor) {
    static const char *const texts[] = {"tensor([1., 2.])\n1.75", "tensor([1., 2.])\nloss: 1.75\n",
                                        "tensor([1., 2.]) tensor(1.75, grad_fn=<NllLossBackward0>)",
                                        "[1, 2]\ntorch.Size([2])\nLoss = tensor(1.75)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct numbers numbers = good(texts[i]);
        ck_assert(shapes_equal(numbers.shape, SHAPE(2)));
        expect(numbers.behind != NULL, "%s", texts[i]);
        ck_assert(numbers.behind->values[0] == 1.75 && numbers.behind->shape.ndim == 0);
    }
    bad("tensor([1., 2.])\n1.75\n2.5",
        "file:3:1: \"2.5\" after the numbers: one tensor a file (take "
        "it out, or put brackets around all rows)");
    bad("tensor(1.)\ntensor(2.)", "file:2:1: \"tensor\" after the numbers: one tensor a file (take "
                                  "it out, or put brackets around all rows)");
    ck_assert_ptr_null(good("tensor([1., 2.])").behind);
}
END_TEST

START_TEST(scalars_and_tensors_in_lists_are_read) {
    counts_up("[np.float32(1.0), np.int64(2)]", FORM_LIST, SHAPE(2));
    counts_up("[np.True_]", FORM_LIST, SHAPE(1));
    counts_up("[tensor(1.), tensor(2., grad_fn=<AddBackward0>)]", FORM_TENSOR, SHAPE(2));
    counts_up("[tensor([1., 2.]), tensor([3., 4.], dtype=torch.float64)]", FORM_TENSOR,
              SHAPE(2, 2));
    counts_up("[array([1, 2]), array([3, 4])]", FORM_TENSOR, SHAPE(2, 2));
    bad("[tensor([1., 2.]), tensor([3.])]", "file:1:30: 1 number here, 2 in the brackets before");
    bad("[np.float32(x)]", "file:1:2: \"np.float32\" is not a number");
    bad("[1)]", "file:1:3: \")\" is not a number");
}
END_TEST

// ---- Notebooks ----------------------------------------------------------------------------------

#define CELL(number, id, output)                                                                   \
    "{\"cell_type\": \"code\", \"execution_count\": " number ", \"id\": \"" id                     \
    "\", \"metadata\": {\"a\": [1, {\"b\": null}]}, \"outputs\": [" output "], \"source\": []}"
#define STREAM(text) "{\"name\": \"stdout\", \"output_type\": \"stream\", \"text\": " text "}"
#define RESULT(text) "{\"output_type\": \"execute_result\", \"data\": {\"text/plain\": [" text "]}}"
#define NOTEBOOK(cells) "{\"nbformat\": 4, \"cells\": [" cells "], \"metadata\": {}}"
#define ONE_TENSOR                                                                                 \
    CELL("1", "a", STREAM("\"nothing here\\n\""))                                                  \
    ", " CELL("2", "b", RESULT("\"tensor([1.,\\n\", \"        2.])\""))
#define TWO_TENSORS                                                                                \
    CELL("1", "a", STREAM("[\"x: tensor([\\u0031])\"]"))                                           \
    ", " CELL("null", "b", STREAM("\"[[1, 2]]\\ntorch.Size([1, 2])\""))

START_TEST(a_cell_of_a_notebook_is_read) {
    static const char one[] = NOTEBOOK("{\"source\": [\"tensor([9])\"]}, " ONE_TENSOR);
    static const char two[] = NOTEBOOK(TWO_TENSORS);
    counts_up(one, FORM_TENSOR, SHAPE(2));
    bad(two, "file: several cells show numbers: choose one of 1, b, as in FILE#1");
    file_name = "file.ipynb#b";
    counts_up(two, FORM_LIST, SHAPE(1, 2));
    file_name = "file.ipynb#1";
    counts_up(two, FORM_TENSOR, SHAPE(1));
    bad(one, "file.ipynb#1:2:1: no numbers here");
    file_name = "file.ipynb#7";
    bad(two, "file.ipynb#7: no cell 7; cells that show numbers: 1, b");
    bad(NOTEBOOK(""), "file.ipynb#7: no cell of this notebook shows numbers: run it, and save it");
    for (size_t length = strlen(two) - 1; length > 0; length--) {
        struct attempted attempted = {.bytes = two, .length = length};
        expect(!can_read(&attempted), "%zu bytes of a notebook", length);
        check_message();
    }
}
END_TEST

// ---- Tables -------------------------------------------------------------------------------------

START_TEST(tables_are_read) {
    counts_up("1,2\n3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("1, 2\r\n3, 4\r\n\r\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("1;2\n3;4", FORM_TABLE, SHAPE(2, 2));
    counts_up("1\t2\n3\t4", FORM_TABLE, SHAPE(2, 2));
    counts_up("# weights\n1.0 2.0\n 3.000e+00  4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("\"1\",\"2\"\n", FORM_TABLE, SHAPE(1, 2));
    counts_up("1\n2\n3\n", FORM_TABLE, SHAPE(3, 1));
}
END_TEST

START_TEST(labels_are_passed_over) {
    counts_up("   0    1\n0  1.0  2.0\n1  3.0  4.0\n", FORM_TABLE, SHAPE(2, 2)); // pandas
    counts_up("0,1\n1.0,2.0\n", FORM_TABLE, SHAPE(1, 2));
    counts_up("1,2\n3.0,4.0\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("Your: 1, 2\njourney: 3, 4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("query,Your,journey\nYour,1,2\njourney,3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("Your,1,2\njourney,3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("a,b\n1,2\n3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up(",0,1\n0,1,2\n1,3,4\n", FORM_TABLE, SHAPE(2, 2)); // pandas
    counts_up("token,1,2\nYour,1,2\njourney,3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("batch,head,query,a,b\n1,1,x,1,2\n1,2,\"y, \"\"z\"\"\",3,4\n", FORM_TABLE,
              SHAPE(2, 2));
    counts_up("dim 0,dim 1,feature 1\n1,1,1\n1,2,2\n", FORM_TABLE, SHAPE(2, 1));
    counts_up("dim 0,dim 1 1,dim 1 2\n1,1,2\n2,3,4\n", FORM_TABLE, SHAPE(2, 2));
    counts_up("probability,1/(1-p),1/p\np 0.1,1,2\n", FORM_TABLE, SHAPE(1, 2));
    counts_up("loss\n1\n", FORM_TABLE, SHAPE(1, 1));
    counts_up("word,a\n\"two\nlines, and a \"\"\",1\nx,2\n", FORM_TABLE, SHAPE(2, 1));
    counts_up("query\tYour\tjourney\nYour\t1\t2\n", FORM_TABLE, SHAPE(1, 2));
}
END_TEST

START_TEST(tables_must_fit) {
    bad("1,2\n3\n", "file:2:1: 1 number in this line, 2 in the lines before");
    bad("1,2\n3,4,5\n", "file:2:1: 3 numbers in this line, 2 in the lines before");
    bad("1,2\n3,\n", "file:2:3: a number is missing");
    bad("1,2\n3,x\n", "file:2:3: \"x\" is not a number");
    bad("0,43;0,15\n0,1;0,2\n",
        "file:1:1: \"0,43\" is not a number: write a decimal point, not a comma");
    bad("1 2,3\n4 5,6\n",
        "file:1:1: \"1 2\" is not a number: put commas or blanks between numbers, "
        "not both, and a point before decimals");
    bad("0,43\t0,15\n",
        "file:1:3: \"43\\x090\" is not a number: put commas or blanks between numbers, "
        "not both, and a point before decimals");
    bad("1,2 3\n4,5 6\n",
        "file:1:3: \"2 3\" is not a number: put commas or blanks between numbers, "
        "not both, and a point before decimals");
    bad("1,2\n3,one_word_of_more_than_thirty_two_letters\n",
        "file:2:3: \"one_word_of_more_than_thirty_two...\" is not a number");
    bad("1,2\n3,\"1e999\"\n", "file:2:3: 1e999 is too large for a number");
    bad("1,2\n3,\"1e999 \"\"\"\n", "file:2:3: 1e999 is too large for a number");
    bad("a,b\n\"x\"\"\ny\",1e999\n", "file:3:4: 1e999 is too large for a number");
    bad("1,2\n\"3,4\n", "file:2:1: a quote opens here and is never closed");
    bad("1,2\n\"3\"4,5\n", "file:2:4: after a closing quote, the next field or line must follow");
    bad("a,b\n", "file:2:1: no numbers here");
    bad("a,b\nc,d\n", "file:2:1: no numbers in this line: take it out");
    bad("1,2\n...,3\n", "file:2:1: cut with \"...\": write all numbers");
    bad("The weights are wrong.\n", "file:2:1: no numbers here");
}
END_TEST

// ---- Precision ----------------------------------------------------------------------------------

START_TEST(digits_say_how_exact_numbers_are) {
    check_units("tensor([0.4300, 12.1500])", 4, (const double[]){1e-4, 1e-4});
    check_units("tensor([4.3000e-01, 1.2346e-05, 0.0000e+00, inf])", 4,
                (const double[]){1e-5, 1e-9, 0, 0});
    check_units("[0.43 0.1235]", 4, (const double[]){1e-4, 1e-4});             // NumPy drops zeros
    check_units("[4.3e-01 1.2346e-05]", 4, (const double[]){1e-5, 1e-9});      // here as well
    check_units("[0.43, 0.1235, 1.0]", 4, (const double[]){1e-4, 1e-4, 1e-3}); // rounded somehow
    check_units("[0.001234, 0.1235, 12.35, 0.5]", 6, (const double[]){1e-6, 1e-4, 1e-2, 1e-4});
    check_units("0.1,0.25\n1e-05,3\n", 5, (const double[]){1e-2, 1e-2, 1e-5, 0.1});
}
END_TEST

START_TEST(whole_numbers_are_exact) {
    static const char *const texts[] = {"tensor([1., 0.])",     "[1. 0.]", "[1, 0]", "1,0", "1 0",
                                        "tensor([True, False])"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct numbers numbers = good(texts[i]);
        ck_assert_ptr_null(numbers.half_units);
        ck_assert_int_eq(numbers.decimals, -1);
    }
}
END_TEST

// ---- .npy files ---------------------------------------------------------------------------------

// A .npy file of version 1.0 with this header and these bytes behind it; *length is its size.
static const char *npy(const char *header, const char *data, size_t data_length, size_t *length) {
    struct text text = text_new(&arena);
    const char size[2] = {(char)(strlen(header) & 0xFF), (char)(strlen(header) >> 8)};
    text_add_bytes(&text, "\x93NUMPY\x01\x00", 8);
    text_add_bytes(&text, size, 2);
    text_add(&text, header);
    text_add_bytes(&text, data, data_length);
    *length = text.length;
    return text.bytes;
}

static struct numbers good_npy(const char *header, const char *data, size_t data_length) {
    struct attempted attempted = {0};
    attempted.bytes = npy(header, data, data_length, &attempted.length);
    expect(can_read(&attempted), "%s: %s", header, failure.message);
    ck_assert_int_eq(attempted.numbers.form, FORM_NPY);
    return attempted.numbers;
}

static void bad_npy(const char *header, const char *message) {
    size_t length;
    const char *bytes = npy(header, "\0\0\0\0", 4, &length);
    bad_bytes(bytes, length, message);
}

START_TEST(all_plain_types_are_read) {
    static const struct {
        const char *descr, *bytes;
        size_t length;
        double value;
        const char *name;
    } types[] = {
        {"<f4", "\0\0\x80\xbf", 4, -1, "float32"},
        {">f4", "\xbf\x80\0\0", 4, -1, "float32"},
        {"<f8", "\0\0\0\0\0\0\xf8\x3f", 8, 1.5, "float64"},
        {"<f2", "\x00\xb8", 2, -0.5, "float16"},
        {">f2", "\x3e\x00", 2, 1.5, "float16"},
        {">f8", "\x3f\xf8\0\0\0\0\0\0", 8, 1.5, "float64"},
        {"|b1", "\x01", 1, 1, "bool"},
        {"|i1", "\x80", 1, -128, "int8"},
        {"|u1", "\xff", 1, 255, "uint8"},
        {"<i2", "\xfe\xff", 2, -2, "int16"},
        {">u2", "\x01\x00", 2, 256, "uint16"},
        {"=f4", "\0\0\x80\xbf", 4, -1, "float32"},
        {"<i4", "\xff\xff\xff\xff", 4, -1, "int32"},
        {">i8", "\xff\xff\xff\xff\xff\xff\xff\xfd", 8, -3, "int64"},
        {"<i8", "\0\0\0\0\0\0\0\x80", 8, -0x1p63, "int64"},
        {"<u8", "\0\0\0\0\0\0\0\x80", 8, 0x1p63, "uint64"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *header = arena_format(
            &arena, "{'descr': '%s', 'fortran_order': False, 'shape': (), }\n", types[i].descr);
        const struct numbers numbers = good_npy(header, types[i].bytes, types[i].length);
        ck_assert_str_eq(numbers.dtype, types[i].name);
        expect(numbers.values[0] == types[i].value, "%s: %g", types[i].descr, numbers.values[0]);
        ck_assert_int_eq(numbers.shape.ndim, 0);
        ck_assert_ptr_null(numbers.half_units);
    }
}
END_TEST

START_TEST(columns_may_come_first) {
    const struct numbers rows =
        good_npy("{'shape': (2, 3), 'descr': '|i1', 'fortran_order': False}", "\1\2\3\4\5\6", 6);
    const struct numbers columns =
        good_npy("{'descr':\"|i1\",'fortran_order':True,'shape':(2,3)}", "\1\4\2\5\3\6", 6);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq((int)rows.values[i], i + 1);
        ck_assert_int_eq((int)columns.values[i], i + 1);
    }
    ck_assert(shapes_equal(rows.shape, columns.shape));
}
END_TEST

#define WITH_SHAPE(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"
#define WITH_DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (1,), }"
#define DAMAGED "file: the header of this .npy file is damaged: "

START_TEST(damaged_headers_are_refused) {
    bad_npy("", DAMAGED "it does not begin with {");
    bad_npy("{}", DAMAGED "it must have 'descr', 'fortran_order' and 'shape'");
    bad_npy("{'descr': '<f4'", DAMAGED "a comma or } is missing");
    bad_npy("{'descr' '<f4'}", DAMAGED "a colon is missing");
    bad_npy("{'descr", DAMAGED "a quote is never closed");
    bad_npy("{descr: 1}", DAMAGED "a name in quotes is missing");
    bad_npy("{'descr': '<f4', 'descr': '<f4'}",
            DAMAGED "an unknown entry, or one that is there twice");
    bad_npy("{'fortran_order': 0}", DAMAGED "'fortran_order' is neither True nor False");
    bad_npy(WITH_SHAPE("(1,)") "x", DAMAGED "there is more after its }");
    bad_npy(WITH_SHAPE("[1]"), DAMAGED "'shape' is not a list of sizes");
    bad_npy(WITH_SHAPE("(-1,)"), DAMAGED "'shape' is not a list of sizes");
    bad_npy(WITH_SHAPE("(1 1)"), DAMAGED "'shape' is not a list of sizes");
    bad_npy(WITH_SHAPE("(1"), DAMAGED "'shape' is not a list of sizes");
}
END_TEST

START_TEST(shapes_and_types_that_no_step_has_are_refused) {
    bad_npy(WITH_SHAPE("(0,)"), "file: an array without elements");
    bad_npy(WITH_SHAPE("(1,1,1,1,1,1,1)"),
            "file: an array of more than 6 dimensions, which no step has");
    static const char *const huge[] = {
        WITH_SHAPE("(1048577,)"), WITH_SHAPE("(2097152, 2097152, 2097152)"),
        WITH_SHAPE("(4294967296, 4294967296)"),
        WITH_SHAPE("(99999999999999999999999999999999999999999999,)")};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        bad_npy(huge[i], "file: the header speaks of more than 1048576 numbers, which no step has");
    bad_npy(WITH_DESCR("[('a', '<f4')]"),
            "file: an array of records: save one plain array of float32 or float64");
    static const char *const descrs[] = {"<f1", "<c8", "|O",  "|S3", "<U1",    "<f16",  "f4",
                                         "<",   "",    "<f3", "<i3", "<M8[s]", "\x1b[m"};
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
        bad_npy(arena_format(&arena, WITH_DESCR("'%s'"), descrs[i]),
                arena_format(&arena,
                             "file: numbers of the type '%s': save float32 or float64 (float16, "
                             "integers and bool can be read as well)",
                             text_safe(&arena, descrs[i])));
    }
}
END_TEST

START_TEST(npy_files_must_have_all_their_bytes) {
    bad_npy(WITH_SHAPE("(2,)"),
            "file: this .npy file is cut: (2,) of float32 are 8 bytes, but only 4 are there");
    bad_npy(WITH_DESCR("'|b1'"), "file: too long: (1,) of bool are 1 bytes, but 4 are there");
    size_t length;
    const char *bytes = npy(WITH_SHAPE("(1,)"), "\0\0\0\0", 4, &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct attempted attempted = {.bytes = bytes, .length = cut};
        expect(!can_read(&attempted), "cut after %d bytes", (int)cut);
        check_message();
    }
    bad_bytes("\x93NUMPY\x01", 7, "file: this .npy file is cut: it ends before its header");
    bad_bytes("\x93NUMPY\x01\x00\xff\x00{", 11,
              "file: this .npy file is cut: it ends within its header");
    bad_bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13,
              "file: the header of this .npy file would have 4294967295 bytes: at most 65536 are "
              "possible");
    bad_bytes("\x93NUMPY\x04\x00\x01\x00{", 11,
              "file: version 4.0 of .npy files: 1.0, 2.0 and 3.0 can be read");
    bad_bytes("\x93NUMPX\x01\x00\x01\x00{", 11, "file: a .npy file that is damaged at its start");
}
END_TEST

// ---- Files of another kind ----------------------------------------------------------------------

START_TEST(other_files_are_named) {
    bad("", "file: nothing in it");
    bad(" \n\t\r\n", "file: nothing in it");
    bad("\xEF\xBB\xBF", "file: nothing in it");
    bad("PK\x03\x04...", "file: this zip file is cut or damaged: write it again with numpy.savez");
    bad("\x80\x04\x95", "file: a pickle of Python's: save with numpy.save, or print the tensor");
    bad("\xFF\xFE[", "file: text in UTF-16, as PowerShell's > writes it: save it as UTF-8");
    bad_bytes("[1,\0 2]", 7, "file: neither text nor a .npy file: byte 4 is 0x00");
    bad("[1,\x1b[m 2]", "file: neither text nor a .npy file: byte 4 is 0x1b");
    bad("[1, 2\xC3]", "file: neither a .npy file nor text in UTF-8");
}
END_TEST

START_TEST(large_files_are_refused_before_they_are_looked_at) {
    static const char byte = '1';
    bad_bytes(&byte, 0, "file: nothing in it");
    struct attempted attempted = {.bytes = &byte, .length = (size_t)NUMBERS_MAX_BYTES + 1};
    ck_assert(!attempt(&failure, read_it, &attempted));
    ck_assert_str_eq(failure.message, "file: larger than 32 MB, which no step's numbers are");
}
END_TEST

START_TEST(too_many_numbers_are_refused) {
    const size_t count = NUMBERS_MAX + 1;
    char *bytes = malloc(2 * count);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < count; i++) memcpy(bytes + 2 * i, "1\n", 2);
    struct attempted attempted = {.bytes = bytes, .length = 2 * count};
    ck_assert(!attempt(&failure, read_it, &attempted));
    free(bytes);
    ck_assert_str_eq(failure.message,
                     "file:1048577:1: too many numbers: at most 1048576 are possible");
}
END_TEST

Suite *readers_suite(void) {
    Suite *suite = suite_create("readers");
    TCase *cases = add_case(suite, "readers", set_up, tear_down);
    tcase_add_test(cases, tensors_of_pytorch_are_read);
    tcase_add_test(cases, arrays_of_numpy_are_read);
    tcase_add_test(cases, lists_are_read);
    tcase_add_test(cases, words_are_numbers_too);
    tcase_add_test(cases, brackets_must_fit);
    tcase_add_test(cases, what_is_no_number_is_named);
    tcase_add_test(cases, numbers_of_any_length_are_read);
    tcase_add_test(cases, a_long_name_of_a_file_is_cut_in_front);
    tcase_add_test(cases, summaries_are_refused);
    tcase_add_test(cases, what_is_said_of_a_tensor_is_passed_over);
    tcase_add_test(cases, what_stands_around_a_tensor_is_passed_over);
    tcase_add_test(cases, prints_of_other_languages_are_read);
    tcase_add_test(cases, a_triangle_of_rows_is_read);
    tcase_add_test(cases, a_number_may_stand_behind_a_tensor);
    tcase_add_test(cases, scalars_and_tensors_in_lists_are_read);
    tcase_add_test(cases, a_cell_of_a_notebook_is_read);
    tcase_add_test(cases, objects_need_one_list_of_values);
    tcase_add_test(cases, tables_are_read);
    tcase_add_test(cases, labels_are_passed_over);
    tcase_add_test(cases, tables_must_fit);
    tcase_add_test(cases, digits_say_how_exact_numbers_are);
    tcase_add_test(cases, whole_numbers_are_exact);
    tcase_add_test(cases, all_plain_types_are_read);
    tcase_add_test(cases, columns_may_come_first);
    tcase_add_test(cases, damaged_headers_are_refused);
    tcase_add_test(cases, shapes_and_types_that_no_step_has_are_refused);
    tcase_add_test(cases, npy_files_must_have_all_their_bytes);
    tcase_add_test(cases, other_files_are_named);
    tcase_add_test(cases, large_files_are_refused_before_they_are_looked_at);
    tcase_add_test(cases, too_many_numbers_are_refused);
    return suite;
}
