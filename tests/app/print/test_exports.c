// What `print` exports, byte by byte, and where it puts the files. That other programs can read them
// is tested in exports.py.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/started.h"
#include "tensor/file/npy.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

static bool exists(const char *name) {
    struct stat status;
    return stat(path_of(name), &status) == 0;
}

static void check_refused(const struct end *end, int status, const char *words) {
    ck_assert_int_eq(end->status, status);
    ck_assert_str_eq(end->output, "");
    ck_assert_msg(strstr(end->error, words) != NULL, "not '%s' but %s", words, end->error);
}

// Every form a step has, and what it is refused with if it can't be one of an empty tensor.
START_TEST(a_part_without_numbers_is_no_accident) {
    static const char *const parts[] = {"queries[0:0]", "scores[:, 0:0]", "weights[:, :, 0:0]",
                                        "mask[0:0]", "output[:, :, 0:0]"};
    static const char *const forms[][2] = {
        {"--format", "torch"}, {"--format", "plain"},    {"--format", "json"},
        {"--format", "csv"},   {"--format", "npy"},      {"--format", "svg"},
        {"--format", "html"},  {"--format", "markdown"}, {"--format", "latex"},
        {"--format", "gift"},  {"--picture", "plane"},   {"--picture", "strips"},
        {"--picture", "curve"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct end end =
            RUN(&arena, "print", "split_head", "--step", parts[i], forms[_i][0], forms[_i][1]);
        if (end.status == 0) {
            ck_assert_str_eq(end.error, "");
        } else {
            check_refused(&end, MISUSED, _i < 10 ? "is empty" : "has no ");
        }
    }
}
END_TEST

// ---- torch --------------------------------------------------------------------------------------

// As PyTorch 2.6 prints them: a parameter stays one when an optimizer changes it, and item() made the losses.
START_TEST(a_training_leaves_parameters_and_losses) {
    const struct end adamw = RUN(&arena, "print", "training", "--updates", "2", "--requires-grad");
    const char *output = output_of(&adamw);
    ck_assert_ptr_nonnull(strstr(output, "\ntensor([1.8249, 1.8127, 1.8021])\n"));
    const char *trained = strstr(output, ". trained: W_query_bias\n");
    ck_assert_ptr_nonnull(trained);
    const char *parameter = "Parameter containing:\n"
                            "tensor([-0.3289,  0.4467,  0.0099, -0.3863], requires_grad=True)\n";
    ck_assert_ptr_nonnull(strstr(trained, parameter));
    ck_assert_ptr_eq(strstr(trained, "Parameter"), strstr(trained, parameter));
    const struct end sgd =
        RUN(&arena, "print", "training", "--updates", "2", "--requires-grad", "--optimizer", "sgd");
    ck_assert_ptr_null(strstr(output_of(&sgd), "SelectBackward"));
}
END_TEST

// ---- npy ----------------------------------------------------------------------------------------

static struct text npy_of(const struct tensor *tensor) {
    struct text text = text_new(&arena);
    npy_add(&text, tensor);
    return text;
}

// The header's dictionary, and after it `length` bytes of elements.
static void check_npy(const struct tensor *tensor, const char *header, const char *elements,
                      size_t length) {
    const struct text text = npy_of(tensor);
    ck_assert_uint_ge(text.length, 64);
    ck_assert_mem_eq(text.bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    ck_assert_mem_eq(text.bytes + 10, header, strlen(header));
    ck_assert_int_eq(text.bytes[127], '\n');
    for (size_t i = 10 + strlen(header); i < 127; i++) ck_assert_int_eq(text.bytes[i], ' ');
    ck_assert_uint_eq(text.length, 128 + length);
    ck_assert_mem_eq(text.bytes + 128, elements, length);
}

START_TEST(npy_of_floats) {
    struct tensor tensor = tensor_given(&arena, FLOAT32, SHAPE(2, 2));
    memcpy(floats_of(&tensor), (const float[]){1, -2, 0.5F, -0.0F}, 16);
    check_npy(&tensor, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
              "\0\0\x80\x3f\0\0\0\xc0\0\0\0\x3f\0\0\0\x80", 16);
}
END_TEST

START_TEST(npy_of_a_view_is_in_the_order_of_the_view) {
    struct tensor tensor = tensor_given(&arena, FLOAT32, SHAPE(2, 2));
    memcpy(floats_of(&tensor), (const float[]){1, -2, 0.5F, -0.0F}, 16);
    const struct tensor turned = transpose(tensor, 0, 1);
    check_npy(&turned, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
              "\0\0\x80\x3f\0\0\0\x3f\0\0\0\xc0\0\0\0\x80", 16);
    const struct tensor second = select_index(tensor, 1, 1);
    check_npy(&second, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
              "\0\0\0\xc0\0\0\0\x80", 8);
}
END_TEST

START_TEST(npy_of_other_types) {
    const struct tensor flags = tensor_given(&arena, BOOL, SHAPE(3));
    memcpy(flags.storage->data, "\1\0\1", 3);
    check_npy(&flags, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\1\0\1", 3);
    const struct tensor number = tensor_given(&arena, INT64, NO_DIMS);
    memcpy(number.storage->data, &(const int64_t){-2}, 8);
    check_npy(&number, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
              "\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
    const struct tensor nothing = tensor_given(&arena, FLOAT32, SHAPE(0, 3));
    check_npy(&nothing, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", "", 0);
}
END_TEST

// ---- csv ----------------------------------------------------------------------------------------

START_TEST(csv_of_a_matrix) {
    const struct end end =
        RUN(&arena, "print", "simplified", "--step", "inputs", "--format", "csv");
    ck_assert_str_eq(output_of(&end), "token,d1,d2,d3\n"
                                      "Your,0.430000007,0.150000006,0.889999986\n"
                                      "journey,0.550000012,0.870000005,0.660000026\n"
                                      "starts,0.569999993,0.850000024,0.639999986\n"
                                      "with,0.219999999,0.579999983,0.330000013\n"
                                      "one,0.769999981,0.25,0.100000001\n"
                                      "step,0.0500000007,0.800000012,0.550000012\n");
}
END_TEST

START_TEST(csv_of_a_vector_and_of_a_number) {
    const struct end vector =
        RUN(&arena, "print", "simplified", "--step", "query", "--format", "csv");
    ck_assert_str_eq(output_of(&vector),
                     "feature,query\nd1,0.550000012\nd2,0.870000005\nd3,0.660000026\n");
    const struct end number =
        RUN(&arena, "print", "split_head", "--step", "difference", "--format", "csv");
    ck_assert_str_eq(output_of(&number), "difference\n0\n");
}
END_TEST

START_TEST(csv_of_a_batch_has_a_column_for_each_dimension) {
    const struct end end =
        RUN(&arena, "print", "split_head", "--step", "masked_scores", "--format", "csv");
    const char *output = output_of(&end);
    const char *start = "batch,head,query,Your,journey,starts,with,one,step\n1,1,Your,";
    ck_assert_mem_eq(output, start, strlen(start));
    ck_assert_ptr_nonnull(strstr(output, "\n1,2,Your,"));
    ck_assert_ptr_nonnull(strstr(output, "\n2,1,Your,"));
}
END_TEST

static const char evil[] = "token,d1,=d2\n"
                           "=1+1,1,2\n"
                           "\"@a,b\",3,4\n"
                           "\"say \"\"hi\"\"\",5,6\n"
                           "<script>alert(1)</script>,7,8\n"
                           "[a](http://b)|`c`,9,1\n";

static struct end print_evil(const char *format) {
    leave_file("evil.csv", evil, strlen(evil));
    return RUN(&arena, "print", "simplified", "--step", "inputs", "--input", path_of("evil.csv"),
               "--format", format);
}

START_TEST(csv_holds_no_formula) {
    const struct end end = print_evil("csv");
    ck_assert_str_eq(output_of(&end), "token,d1,'=d2\n"
                                      "'=1+1,1,2\n"
                                      "\"'@a,b\",3,4\n"
                                      "\"say \"\"hi\"\"\",5,6\n"
                                      "<script>alert(1)</script>,7,8\n"
                                      "[a](http://b)|`c`,9,1\n");
}
END_TEST

// ---- Markup -------------------------------------------------------------------------------------

START_TEST(a_token_is_no_markup) {
    const char *format = _i == 0 ? "html" : "svg";
    const struct end end = print_evil(format);
    const char *output = output_of(&end);
    ck_assert_ptr_null(strstr(output, "<script"));
    ck_assert_ptr_nonnull(
        strstr(output, _i == 0 ? "&lt;script&gt;alert(1)&lt;/script&gt;" : "&lt;script&gt;"));
    ck_assert_ptr_nonnull(strstr(output, "say &quot;hi&quot;"));
}
END_TEST

START_TEST(a_token_is_no_markdown) {
    const struct end end = print_evil("markdown");
    const char *output = output_of(&end);
    ck_assert_ptr_nonnull(strstr(output, "| \\<script\\>"));
    ck_assert_ptr_nonnull(strstr(output, "| \\[a\\]\\(http\\:\\/\\/b\\)\\|\\`c\\`"));
}
END_TEST

START_TEST(a_handout_says_that_it_is_not_the_course) {
    static const char *const formats[] = {"html", "markdown", "svg"};
    const char *step = _i == 2 ? "scores" : "1";
    const struct end own = RUN(&arena, "print", "causal", "--step", step, "--format", formats[_i]);
    ck_assert_ptr_null(strstr(output_of(&own), "Not the course"));
    const struct end other =
        RUN(&arena, "print", "causal", "--step", step, "--format", formats[_i], "--seed", "5");
    ck_assert_ptr_nonnull(strstr(output_of(&other), "Not the course"));
    ck_assert_ptr_nonnull(strstr(other.output, "seed 5"));
}
END_TEST

START_TEST(a_handout_shows_what_a_mistake_changed) {
    const struct end right = RUN(&arena, "print", "causal", "--format", "html");
    ck_assert_ptr_null(strstr(output_of(&right), " changed\""));
    const struct end wrong =
        RUN(&arena, "print", "causal", "--format", "html", "--what-if", "mask-zero");
    ck_assert_ptr_nonnull(strstr(output_of(&wrong), " changed\""));
    ck_assert_ptr_nonnull(strstr(wrong.output, "the right program has -inf"));
    ck_assert_ptr_nonnull(strstr(wrong.output, "changed by the mistake"));
    const struct end idle =
        RUN(&arena, "print", "split_head", "--format", "html", "--what-if", "no-scale");
    ck_assert_int_eq(idle.status, DONE);
    ck_assert_ptr_null(strstr(idle.output, " changed\""));
    ck_assert_ptr_nonnull(strstr(idle.output, "no-scale changes nothing here"));
}
END_TEST

START_TEST(what_is_too_large_is_shown_in_part) {
    static const char *const formats[] = {"html", "markdown", "svg"};
    const struct end end =
        RUN(&arena, "print", "trainable", "--step", "random_scores", "--format", formats[_i]);
    ck_assert_ptr_nonnull(strstr(output_of(&end), "Shown in part, the first and the last 3 of 9"));
    ck_assert_uint_lt(end.output_length, 100000);
}
END_TEST

// ---- Files --------------------------------------------------------------------------------------

START_TEST(a_folder_gets_a_file_a_step) {
    static const char *const formats[] = {"csv", "npy", "svg"};
    const char *form = formats[_i], *place = path_of("new");
    const struct end end = RUN(&arena, "print", "wrapper", "--format", form, "-o", place);
    ck_assert_str_eq(output_of(&end), "");
    ck_assert(exists(arena_format(&arena, "new/wrapper.batch.%s", form)));
    ck_assert(exists(arena_format(&arena, "new/wrapper.head-2.scores.%s", form)));
    const struct end again = RUN(&arena, "print", "all", "--format", form, "-o", place);
    ck_assert_str_eq(output_of(&again), "");
    ck_assert(exists(arena_format(&arena, "new/causal.scores.%s", form)));
}
END_TEST

START_TEST(one_step_is_the_same_in_a_file_a_folder_and_a_pipe) {
    static const char *const formats[] = {"csv", "npy", "svg"};
    const char *form = formats[_i];
    const struct end pipe = RUN(&arena, "print", "causal", "--step", "scores", "--format", form);
    const struct end file =
        RUN(&arena, "print", "causal", "--step", "scores", "--format", form, "-o", path_of("file"));
    const struct end other = RUN(&arena, "print", "causal", "--step", "scores", "--format", form,
                                 "-o", path_of("folder/"));
    output_of(&pipe);
    output_of(&file);
    output_of(&other);
    const struct text in_file = contents_of("file");
    const struct text in_folder =
        contents_of(arena_format(&arena, "folder/causal.scores.%s", form));
    ck_assert_uint_eq(in_file.length, pipe.output_length);
    ck_assert_mem_eq(in_file.bytes, pipe.output, pipe.output_length);
    ck_assert_uint_eq(in_folder.length, pipe.output_length);
    ck_assert_mem_eq(in_folder.bytes, pipe.output, pipe.output_length);
}
END_TEST

START_TEST(a_folder_that_cannot_be_is_an_error) {
    leave_file("file", "precious", strlen("precious"));
    const struct end end = RUN(&arena, "print", "causal", "--format", "csv", "-o", path_of("file"));
    check_refused(&end, FAILED, "Not a directory");
    ck_assert_str_eq(contents_of("file").bytes, "precious");
    const struct end lost = RUN(&arena, "print", "causal", "--format", "csv", "-o", path_of("a/b"));
    check_refused(&lost, FAILED, "cannot make the folder");
    ck_assert(!exists("a"));
    const struct end nothing = RUN(&arena, "print", "causal", "--format", "csv", "-o", "");
    check_refused(&nothing, FAILED, "cannot make the folder");
}
END_TEST

START_TEST(one_step_needs_a_step_or_a_folder) {
    static const char *const formats[] = {"svg", "csv", "npy"};
    const struct end end = RUN(&arena, "print", "causal", "--format", formats[_i]);
    if (_i > 0)
        check_refused(&end, MISUSED, arena_format(&arena, "%s holds one step", formats[_i]));
    const struct end all = RUN(&arena, "print", "all", "--format", formats[_i]);
    check_refused(&all, MISUSED, "-o FOLDER");
}
END_TEST

START_TEST(a_terminal_gets_no_npy) {
    if (!has_terminals()) return;
    const struct end end = run_process(
        &arena,
        &(struct start){.arguments = (const char *const[]){"print", "causal", "--step", "scores",
                                                           "--format", "npy", NULL},
                        .on_terminal = true});
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert_ptr_null(strstr(end.output, "NUMPY"));
}
END_TEST

Suite *exports_suite(void) {
    Suite *suite = suite_create("exports");
    TCase *bytes = add_case(suite, "bytes", set_up_folder, tear_down_folder);
    tcase_add_test(bytes, npy_of_floats);
    tcase_add_test(bytes, npy_of_a_view_is_in_the_order_of_the_view);
    tcase_add_test(bytes, npy_of_other_types);
    tcase_add_test(bytes, csv_of_a_matrix);
    tcase_add_test(bytes, csv_of_a_vector_and_of_a_number);
    tcase_add_test(bytes, csv_of_a_batch_has_a_column_for_each_dimension);
    tcase_add_test(bytes, csv_holds_no_formula);
    tcase_add_loop_test(bytes, a_part_without_numbers_is_no_accident, 0, 13);
    tcase_add_test(bytes, a_training_leaves_parameters_and_losses);
    TCase *handout = add_case(suite, "handout", set_up_folder, tear_down_folder);
    tcase_add_loop_test(handout, a_token_is_no_markup, 0, 2);
    tcase_add_test(handout, a_token_is_no_markdown);
    tcase_add_loop_test(handout, a_handout_says_that_it_is_not_the_course, 0, 3);
    tcase_add_test(handout, a_handout_shows_what_a_mistake_changed);
    tcase_add_loop_test(handout, what_is_too_large_is_shown_in_part, 0, 3);
    TCase *files = add_case(suite, "files", set_up_folder, tear_down_folder);
    tcase_add_loop_test(files, a_folder_gets_a_file_a_step, 0, 3);
    tcase_add_loop_test(files, one_step_is_the_same_in_a_file_a_folder_and_a_pipe, 0, 3);
    tcase_add_test(files, a_folder_that_cannot_be_is_an_error);
    tcase_add_loop_test(files, one_step_needs_a_step_or_a_folder, 0, 3);
    tcase_add_test(files, a_terminal_gets_no_npy);
    return suite;
}
