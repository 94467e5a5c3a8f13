// Files that users bring: read, or refused with the place where something is wrong.

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "started.h"
#include "tensor/file/csv.h"

#include <check.h> // last: defines a macro fail

#define BYTES(text) (text), sizeof(text) - 1

static const struct {
    const char *name, *bytes;
    size_t length;
    const char *place; // line and column that the message names; NULL: none
} bad_files[] = {
    {"empty.csv", BYTES(""), NULL},
    {"blank.csv", BYTES("\n\n\n"), NULL},
    {"header-only.csv", BYTES("token,a,b\n"), NULL},
    {"ragged.csv", BYTES("token,a,b\nx,1,2\ny,3\n"), ":3:"},
    {"long.csv", BYTES("token,a,b\nx,1,2,3\n"), ":2:"},
    {"word.csv", BYTES("token,a,b\nx,1,two\n"), ":2:5:"},
    {"nan.csv", BYTES("token,a,b\nx,1,nan\n"), ":2:5:"},
    {"infinite.csv", BYTES("token,a\nx,1e999\n"), ":2:3:"},
    {"hexadecimal.csv", BYTES("token,a\nx,0x10\n"), ":2:3:"},
    {"comma.csv", BYTES("token;a\nx;1,5\n"), NULL},
    {"nul.csv", BYTES("token,a\nx\0y,1\n"), ":2:"},
    {"no-number.csv", BYTES("token\nx\n"), NULL},
    {"hole.csv", BYTES("token,a,b\nx,,1\n"), ":2:3:"},
    {"no-token.csv", BYTES("token,a\n,1\n"), ":2:1:"},
    {"trailing.csv", BYTES("token,a,b\nx,1,2,\n"), ":2:"},
    {"escape.csv", BYTES("token,a\n\x1b[31mred,1\n"), ":2:1:"},
    {"csi.csv", BYTES("token,a\nx,1\n\xc2\x9b[2Jy,2\n"), ":3:1:"},
    {"turned.csv", BYTES("token,a\n\xe2\x80\xaeolleh,2\n"), ":2:1:"},
    {"latin.csv", BYTES("token,a\n\xe9toile,1\n"), ":2:1:"},
    {"quote.csv", BYTES("token,a\n\"x,1\n"), ":2:1:"},
    {"escaped-header.csv", BYTES("token,\x1b]0;a\a\nx,1\n"), ":1:"},
    {"escaped-number.csv", BYTES("token,a\nx,\x1b[2J\n"), ":2:3:"},
};
enum { BAD_FILES = sizeof bad_files / sizeof *bad_files };

START_TEST(a_bad_file_is_refused_with_its_place) {
    leave_file(bad_files[_i].name, bad_files[_i].bytes, bad_files[_i].length);
    const struct end end = START("print", "simplified", "--input", path_of(bad_files[_i].name));
    check_misused(&end, bad_files[_i].name, false);
    const char *place = bad_files[_i].place != NULL ? bad_files[_i].place : "";
    const char *named = arena_format(&arena, "%s%s", path_of(bad_files[_i].name), place);
    ck_assert_msg(strstr(end.error, named) != NULL, "no %s in: %s", named, end.error);
}
END_TEST

// The walker refuses it as the others do, with their status.
START_TEST(a_bad_file_is_not_walked_through) {
    if (!has_terminals()) return;
    leave_file("word.csv", BYTES("token,a,b\nx,1,two\n"));
    const struct end end = START_WITH((.on_terminal = true, ENVIRONMENT("TERM=xterm")), "walk",
                                      "causal", "--input", path_of("word.csv"));
    check_misused(&end, "walk", false);
    ck_assert_ptr_nonnull(strstr(end.error, ":2:5:"));
}
END_TEST

START_TEST(what_is_no_file_is_refused) {
    static const char *const paths[] = {"missing.csv", "/", "/dev/null", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct end end =
            START_WITH((.folder = folder), "print", "simplified", "--input", paths[i]);
        check_misused(&end, paths[i], false);
        ck_assert_ptr_nonnull(strstr(end.error, paths[i]));
    }
    if (access("/dev/zero", R_OK) != 0) return;
    const struct end endless = START("print", "simplified", "--input", "/dev/zero");
    check_misused(&endless, "/dev/zero", false);
}
END_TEST

static const struct {
    const char *name, *bytes;
    size_t length;
} good_files[] = {
    {"crlf.csv", BYTES("token,a,b\r\nx,1,2\r\ny,3,4\r\n")},
    {"no-newline.csv", BYTES("token,a,b\nx,1,2\ny,3,4")},
    {"utf8.csv", BYTES("token,a\n\xc3\xa9toile,1\n\xe6\x97\xa5\xe6\x9c\xac,2\n")},
    {"bom.csv", BYTES("\xef\xbb\xbftoken,a\nx,1\ny,2\n")},
    {"quoted.csv", BYTES("token,a\n\"x, y\",1\nz,2\n")},
    {"quotes.csv", BYTES("token,a\n\"say \"\"x\"\"\",1\nz,\"2\"\n")},
    {"one.csv", BYTES("token,a\nx,1\n")},
    {"twice.csv", BYTES("token,a\nx,1\nx,2\n")},
    {"exponent.csv", BYTES("token,a,b\nx,-1e-3,+2.5E+1\ny,.5,5.\n")},
    {"tiny.csv", BYTES("token,a\nx,1e-45\ny,1e-300\n")},
    {"back-slash.csv", BYTES("token,a\n\\,1\n/,2\n")},
    {"word.csv", BYTES("word,a,b\nx,1,2\n[CLS],3,4\n")},
    {"plain.csv", BYTES("1,2\n3,4\n")},
    {"print.txt", BYTES("tensor([[1., 2.],\n        [3., 4.]])\n")},
};
enum { GOOD_FILES = sizeof good_files / sizeof *good_files };

START_TEST(a_good_file_is_read_by_every_lesson) {
    leave_file(good_files[_i].name, good_files[_i].bytes, good_files[_i].length);
    static const char *const formats[] = {"torch", "plain", "json"};
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end end = START("print", lesson_names[i], "--input",
                                     path_of(good_files[_i].name), "--format", formats[i % 3]);
        check_done(&end, arena_format(&arena, "%s: %s", good_files[_i].name, lesson_names[i]));
    }
}
END_TEST

START_TEST(standard_input_is_a_file_too) {
    const char csv[] = "token,a\nx,1\ny,2\n";
    leave_file("input.csv", csv, strlen(csv));
    const struct end end = START_WITH((.input = path_of("input.csv")), "print", "simplified",
                                      "--input", "-", "--step", "inputs");
    check_done(&end, "--input -");
    ck_assert_str_eq(end.output, "tensor([[1.],\n        [2.]])\n");
    const struct end empty = START("print", "simplified", "--input", "-");
    check_misused(&empty, "--input - of nothing", false);
    ck_assert_ptr_nonnull(strstr(empty.error, "standard input"));
}
END_TEST

// The same vectors in each form; without words the tokens are numbered.
START_TEST(numbers_alone_are_vectors_of_tokens) {
    static const struct {
        const char *name, *bytes, *last;
    } forms[] = {
        {"words.csv", "word,a,b\nx,1,2\ny,3,-4.5\n", "\ny,3,-4.5\n"},
        {"plain.csv", "1,2\n3,-4.5\n", "\n2,3,-4.5\n"},
        {"names.csv", "a,b\n1,2\n3,-4.5\n", "\n2,3,-4.5\n"},
        {"semicolons.csv", "1;2\n3;-4.5\n", "\n2,3,-4.5\n"},
        {"torch.txt", "tensor([[ 1.0000,  2.0000],\n        [ 3.0000, -4.5000]])\n",
         "\n2,3,-4.5\n"},
        {"caption.txt", "x = tensor([[[1, 2], [3, -4.5]]])\n", "\n2,3,-4.5\n"},
        {"numpy.txt", "Inputs:\n[[ 1.   2. ]\n [ 3.  -4.5]]\n", "\n2,3,-4.5\n"},
        {"list.json", "[[1, 2], [3, -4.5]]", "\n2,3,-4.5\n"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        leave_file(forms[i].name, forms[i].bytes, strlen(forms[i].bytes));
        const struct end end =
            START("print", "simplified", "--input", path_of(forms[i].name), "--step", "inputs");
        check_done(&end, forms[i].name);
        ck_assert_str_eq(end.output, "tensor([[ 1.0000,  2.0000],\n        [ 3.0000, -4.5000]])\n");
        const struct end plain = START("print", "simplified", "--input", path_of(forms[i].name),
                                       "--step", "inputs", "--format", "csv");
        check_done(&plain, forms[i].name);
        ck_assert_msg(strstr(plain.output, forms[i].last) != NULL, "%s: %s", forms[i].name,
                      plain.output);
    }
}
END_TEST

START_TEST(numbers_that_are_no_vectors_are_refused) {
    static const struct {
        const char *bytes, *words;
    } cases[] = {
        {"[1, 2]", "its shape is (2,): token vectors are a table"},
        {"[[[1, 2]], [[3, 4]]]", "its shape is (2, 1, 2): token vectors are a table"},
        {"[[1, 2], [3, nan]]", "not finite"},
        {"1,2\n3,1e39\n", "too large for a float"},
        {"1,2\n3,4,5\n", "odd.txt:2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        leave_file("odd.txt", cases[i].bytes, strlen(cases[i].bytes));
        const struct end end = START("print", "simplified", "--input", path_of("odd.txt"));
        check_misused(&end, cases[i].bytes, false);
        ck_assert_msg(strstr(end.error, cases[i].words) != NULL, "%s", end.error);
    }
    struct text wide = text_new(&arena);
    for (int i = 0; i <= CSV_MAX_TOKENS; i++) text_add(&wide, "1,2\n");
    leave_file("long.txt", wide.bytes, wide.length);
    const struct end end = START("print", "simplified", "--input", path_of("long.txt"));
    check_misused(&end, "long.txt", false);
    ck_assert_ptr_nonnull(strstr(end.error, "at most 64"));
}
END_TEST

// Writes a file of so many tokens and features.
static void write_sizes(const char *name, int tokens, int features) {
    struct text csv = text_new(&arena);
    text_add(&csv, "token");
    for (int i = 0; i < features; i++) text_add_format(&csv, ",d%d", i);
    for (int i = 0; i < tokens; i++) {
        text_add_format(&csv, "\nt%d", i);
        for (int j = 0; j < features; j++) text_add_format(&csv, ",0.%d", (i * 7 + j) % 10);
    }
    leave_file(name, csv.bytes, csv.length);
}

START_TEST(as_many_tokens_as_there_may_be) {
    write_sizes("most.csv", CSV_MAX_TOKENS, CSV_MAX_FEATURES);
    const struct end all = START("print", "all", "--input", path_of("most.csv"));
    check_done(&all, "the largest input");
    write_sizes("tokens.csv", CSV_MAX_TOKENS + 1, 1);
    const struct end tokens = START("print", "causal", "--input", path_of("tokens.csv"));
    check_misused(&tokens, "too many tokens", false);
    ck_assert_ptr_nonnull(strstr(tokens.error, "64"));
    write_sizes("features.csv", 1, CSV_MAX_FEATURES + 1);
    const struct end features = START("print", "causal", "--input", path_of("features.csv"));
    check_misused(&features, "too many features", false);
    ck_assert_ptr_nonnull(strstr(features.error, "64"));
    const struct end context =
        START("print", "wrapper", "--context-length", "63", "--input", path_of("most.csv"));
    check_misused(&context, "more tokens than context_length", true);
    ck_assert_ptr_nonnull(strstr(context.error, "at least 64"));
}
END_TEST

START_TEST(a_query_is_a_token_of_the_file) {
    const char csv[] = "token,a\n日本,1\n2,2\nx,3\n";
    leave_file("input.csv", csv, strlen(csv));
    static const char *const queries[][2] = {
        {"日本", "tensor([1.])\n"}, {"1", "tensor([1.])\n"}, {"2", "tensor([2.])\n"},
        {"x", "tensor([3.])\n"},    {"3", "tensor([3.])\n"},
    };
    for (int i = 0; i < 5; i++) {
        const struct end end = START("print", "simplified", "--input", path_of("input.csv"),
                                     "--query", queries[i][0], "--step", "query");
        ck_assert_str_eq(end.output, queries[i][1]);
    }
    const struct end journey =
        START("print", "simplified", "--input", path_of("input.csv"), "--query", "journey");
    check_misused(&journey, "--query journey", true);
}
END_TEST

// ---- A batch of different sentences ----------------------------------------------------------------

static void leave_sentences(void) {
    static const char first[] = "token,a,b\nYour,1,2\njourney,3,4\n";
    static const char second[] = "token,a,b\nOne,5,6\nstep,7,8\n";
    static const char longer[] = "token,a,b\nOne,5,6\nmore,7,8\nstep,9,1\n";
    leave_file("first.csv", first, strlen(first));
    leave_file("second.csv", second, strlen(second));
    leave_file("longer.csv", longer, strlen(longer));
}

// Whatever prints a batch: each sentence keeps its own tokens.
static const struct {
    const char *step, *format, *says;
} own_labels[] = {
    {"batch", "plain", "batch[batch 2, One]: a 5., b 6.\n"},
    {"head 2: scores", "plain", "[batch 2, step]: One "},
    {"batch", "csv", "\n1,Your,1,2\n1,journey,3,4\n2,One,5,6\n2,step,7,8\n"},
    {"head 1: weights", "csv", "batch,query,key 1,key 2\n"},
    {"head 1: weights", "json", "\"rows\": [[\"Your\", \"journey\"], [\"One\", \"step\"]]"},
    {"head 1: weights", "json", "\"input\": [\""},
    {"batch", "html", ">One<"},
    {"batch", "svg", ">step<"},
    {"batch", "markdown", "\n| One  "},
};
enum { OWN_LABELS = sizeof own_labels / sizeof *own_labels };

START_TEST(each_sentence_keeps_its_tokens) {
    leave_sentences();
    const struct end end =
        START("print", "wrapper", "--input", path_of("first.csv"), "--input", path_of("second.csv"),
              "--step", own_labels[_i].step, "--format", own_labels[_i].format);
    check_done(&end, own_labels[_i].format);
    ck_assert_msg(strstr(end.output, own_labels[_i].says) != NULL, "no '%s' in: %s",
                  own_labels[_i].says, end.output);
}
END_TEST

// The lines of PyTorch that make the batch take the sentences, not copies of the first.
START_TEST(each_lesson_stacks_its_sentences) {
    static const char *const lessons[] = {"trainable", "wrapper", "split_head", "grouped_query",
                                          "latent"};
    leave_sentences();
    for (int i = 0; i < 5; i++) {
        const struct end end =
            START("print", lessons[i], "--input", path_of("first.csv"), "--input",
                  path_of("second.csv"), "--step", "batch", "--format", "json");
        check_done(&end, lessons[i]);
        ck_assert_msg(strstr(end.output, "torch.stack(sentences") != NULL, "%s: %s", lessons[i],
                      end.output);
    }
}
END_TEST

START_TEST(a_screen_has_the_tokens_of_its_sentence) {
    leave_sentences();
    const struct end one = START("screen", "split_head", "--input", path_of("first.csv"), "--input",
                                 path_of("second.csv"), "--step", "weights");
    const struct end two = START("screen", "split_head", "--input", path_of("first.csv"), "--input",
                                 path_of("second.csv"), "--step", "weights", "--keys", "..");
    ck_assert_ptr_nonnull(strstr(one.output, " journey"));
    ck_assert_ptr_null(strstr(one.output, " One "));
    ck_assert_ptr_nonnull(strstr(two.output, "batch 2"));
    ck_assert_ptr_nonnull(strstr(two.output, "weights[b2, h1, "));
    ck_assert_ptr_nonnull(strstr(two.output, " One "));
}
END_TEST

START_TEST(what_makes_no_batch_is_refused) {
    leave_sentences();
    const char *first = path_of("first.csv"), *second = path_of("second.csv");
    const struct end unequal =
        START("print", "wrapper", "--input", first, "--input", path_of("longer.csv"));
    check_misused(&unequal, "sentences of unequal shape", false);
    ck_assert_ptr_nonnull(strstr(unequal.error, "is 2 by 2"));
    ck_assert_ptr_nonnull(strstr(unequal.error, "3 by 2"));
    const struct end copies =
        START("print", "wrapper", "--input", first, "--input", second, "--batch", "2");
    check_misused(&copies, "--batch beside several inputs", true);
    const struct end causal = START("print", "causal", "--input", first, "--input", second);
    check_misused(&causal, "several inputs without a batch", true);
    const struct end five = START("print", "wrapper", "--input", first, "--input", first, "--input",
                                  first, "--input", first, "--input", first);
    check_misused(&five, "five inputs", true);
    const struct end standard = START("print", "wrapper", "--input", "-", "--input", "-");
    check_misused(&standard, "standard input twice", true);
}
END_TEST

Suite *input_suite(void) {
    Suite *suite = suite_create("input");
    TCase *input = add_case(suite, "input", set_up_folder, tear_down_folder);
    tcase_add_loop_test(input, a_bad_file_is_refused_with_its_place, 0, BAD_FILES);
    tcase_add_test(input, a_bad_file_is_not_walked_through);
    tcase_add_test(input, what_is_no_file_is_refused);
    tcase_add_loop_test(input, a_good_file_is_read_by_every_lesson, 0, GOOD_FILES);
    tcase_add_test(input, numbers_alone_are_vectors_of_tokens);
    tcase_add_test(input, numbers_that_are_no_vectors_are_refused);
    tcase_add_test(input, standard_input_is_a_file_too);
    tcase_add_test(input, as_many_tokens_as_there_may_be);
    tcase_add_test(input, a_query_is_a_token_of_the_file);
    tcase_add_loop_test(input, each_sentence_keeps_its_tokens, 0, OWN_LABELS);
    tcase_add_test(input, each_lesson_stacks_its_sentences);
    tcase_add_test(input, a_screen_has_the_tokens_of_its_sentence);
    tcase_add_test(input, what_makes_no_batch_is_refused);
    return suite;
}
