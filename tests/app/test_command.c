// The command line, as users see it: each test runs the program and looks at its exit status, standard
// output and standard error.

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "started.h"
#include "tensor/file/csv.h"

#include <check.h> // last: defines a macro fail

// ---- Wrong usage --------------------------------------------------------------------------------

static const struct {
    const char *arguments[8];
    const char *reason; // that the message contains
} wrong[] = {
    {{"--bogus"}, "--bogus"},
    {{"print"}, "split_head"},
    {{"print", "nolesson"}, "nolesson"},
    {{"print", "99"}, "no lesson '99'; the lessons are why, simplified, "},
    {{"casual"}, "no lesson 'casual'; did you mean causal?\n"},
    {{"prnt", "causal"}, "no lesson 'prnt'; did you mean print?\n"},
    {{"causal", "--sede", "3"}, "walk has no option '--sede'; did you mean --seed?\n"},
    {{"print", "causal", "--fromat", "json"}, "did you mean --format?\n"},
    {{"screen", "causal", "--what-if", "no-scal"}, "did you mean no-scale?"},
    {{"print", "99"}, "no lesson '99'"},
    {{"print", ""}, "no lesson ''"},
    {{"walk", "all"}, "no lesson 'all'"},
    {{"walk", "causal", "--step", "nostep"}, "no step 'nostep'"},
    {{"walk", "split_head", "--d-out", "7", "--heads", "2"}, "--heads can be 1 or 7"},
    {{"simplified", "--query", "nobody"}, "nobody"},
    {{"causal", "extra"}, "extra"},
    {{"#nolesson/x"}, "nolesson"},
    {{"#causal/nostep"}, "no step 'nostep'"},
    {{"#causal/scores?seed=x"}, "'x'"},
    {{"#causal/scores?output=x"}, "a link has no 'output'"},
    {{"#causal/scores?input=x"}, "a link has no 'input'"},
    {{"#causal/scores?what-if=x"}, "no what-if 'x'"},
    {{"#causal?heads=2"}, "causal has no use for --heads"},
    {{"print", "#causal?bias=1"}, "--bias takes no value"},
    {{"screen", "#causal/scores?cell=6,0"}, "its shape is (6, 6)"},
    {{"screen", "#causal/scores?cell=1"}, "its shape is (6, 6)"},
    {{"screen", "causal", "--cell", "-1,0"}, "from 0 on"},
    {{"screen", "causal", "--moving", "--keys=n"}, "--moving is for --format svg"},
    {{"screen", "causal", "--moving", "--format=svg"}, "--moving needs --keys"},
    {{"print", "causal", "extra"}, "extra"},
    {{"print", "causal", "--step", "nostep"}, "nostep"},
    {{"print", "causal", "--step", ""}, "no step ''"},
    {{"print", "causal", "--step", "0"}, "1 ... "},
    {{"print", "causal", "--step", "99"}, "no step 99"},
    {{"print", "causal", "--step"}, "--step needs a value"},
    {{"print", "all", "--step", "scores"}, "--step needs a lesson"},
    {{"check"}, "check needs a lesson (why, simplified, trainable, "},
    {{"print", "wrapper", "--step", "scores"}, "head 1: scores, head 2: scores"},
    {{"print", "wrapper", "--step", "head 3: scores"}, "head 3"},
    {{"print", "split_head", "--d-out", "7", "--heads", "2"}, "--heads can be 1 or 7"},
    {{"print", "split_head", "--heads", "0"}, "1 ... 1024"},
    {{"print", "grouped_query", "--groups", "3"}, "--groups can be 1, 2 or 4"},
    {{"print", "grouped_query", "--groups", "0"}, "1 ... 1024"},
    {{"print", "padding", "--lengths", "0,2"}, "1 ... 64"},
    {{"print", "padding", "--lengths", "2,"}, "1 ... 64"},
    {{"print", "padding", "--lengths", ""}, "1 ... 64"},
    {{"print", "padding", "--lengths", "6,x"}, "not '6,x'"},
    {{"print", "causal", "--lengths", "2"}, "no use for --lengths"},
    {{"print", "padding", "--lengths", "1,1,1,1,1"}, "at most 4"},
    {{"print", "padding", "--lengths", "6,7"}, "--lengths can be 1 ... 6"},
    {{"print", "cross", "--target", "one cat"}, "step) or a row, 1 ... 6, not 'cat'"},
    {{"print", "cross", "--target", " "}, "with blanks between them, not none"},
    {{"print", "cross", "--target", "1 7"}, "1 ... 6, not '7'"},
    {{"print", "cache", "--target", "one"}, "no use for --target"},
    {{"print", "cache", "--prefill", "0"}, "1 ... 64"},
    {{"print", "cache", "--prefill", "7"}, "--prefill can be 1 ... 6"},
    {{"print", "window", "--prefill", "3"}, "no use for --prefill"},
    {{"print", "rotary", "--d-out", "3"}, "--d-out must be even, such as 4"},
    {{"print", "rotary", "--base", "0"}, "1 ... 1000000000"},
    {{"print", "rotary", "--base", "nan"}, "1 ... 1000000000"},
    {{"print", "rotary", "--shift", "1000001"}, "0 ... 1000000"},
    {{"print", "rotary", "--shift", "-1"}, "0 ... 1000000"},
    {{"print", "window", "--shift", "3"}, "no use for --shift"},
    {{"print", "window", "--base", "3"}, "no use for --base"},
    {{"print", "window", "--window", "0"}, "1 ... 64"},
    {{"print", "window", "--window", "7"}, "--window can be 1 ... 6"},
    {{"print", "latent", "--latent", "0"}, "1 ... 64"},
    {{"print", "latent", "--latent", "65"}, "1 ... 64"},
    {{"print", "grouped_query", "--latent", "2"}, "no use for --latent"},
    {{"print", "causal", "--tile", "2"}, "no use for --tile"},
    {{"print", "online_softmax", "--tile", "0"}, "1 ... 64"},
    {{"print", "online_softmax", "--tile", "7"}, "--tile can be 1 ... 6"},
    {{"print", "causal", "--window", "3"}, "no use for --window"},
    {{"print", "split_head", "--groups", "1"}, "no use for --groups"},
    {{"print", "split_head", "--heads", "-1"}, "1 ... 1024"},
    {{"print", "split_head", "--heads", "99999999999999999999"}, "1 ... 1024"},
    {{"print", "split_head", "--heads", "2.0"}, "'2.0'"},
    {{"print", "split_head", "--heads", "0x2"}, "'0x2'"},
    {{"print", "split_head", "--heads", " 2"}, "' 2'"},
    {{"print", "wrapper", "--batch", "5"}, "1 ... 4"},
    {{"print", "wrapper", "--heads", "64", "--d-out", "17"}, "at most 1024"},
    {{"print", "wrapper", "--context-length", "5"}, "at least 6"},
    {{"print", "wrapper", "--context-length", "0"}, "--context-length"},
    {{"print", "dropout", "--dropout", "1.5"}, "0 ... 1"},
    {{"print", "dropout", "--dropout", "nan"}, "'nan'"},
    {{"print", "dropout", "--dropout", "inf"}, "'inf'"},
    {{"print", "dropout", "--dropout", "x"}, "'x'"},
    {{"print", "dropout", "--dropout", ""}, "''"},
    {{"print", "dropout", "--dropout", "-0.1"}, "'-0.1'"},
    {{"print", "dropout", "--dropout", "0,5"}, "'0,5'"},
    {{"print", "dropout", "--dropout", "0x1p-1"}, "'0x1p-1'"},
    {{"print", "dropout", "--dropout", "1.0000000000000002"}, "0 ... 1"},
    {{"print", "dropout", "--bernoulli", "dice"}, "mt19937 or mcg31m1"},
    {{"print", "trainable", "--seed", "18446744073709551616"}, "18446744073709551615"},
    {{"print", "trainable", "--seed", "-9223372036854775809"}, "-9223372036854775808"},
    {{"print", "trainable", "--seed", "1e3"}, "'1e3'"},
    {{"print", "trainable", "--seed", ""}, "''"},
    {{"print", "trainable", "--seed", "--1"}, "'--1'"},
    {{"print", "trainable", "--seed", "7 "}, "'7 '"},
    {{"print", "trainable", "--seed"}, "--seed needs a value"},
    {{"print", "dropout", "--dropout-seed", "one"}, "or none, not 'one'"},
    {{"print", "wrapper", "--dropout-seed", "none"}, "no use for --dropout-seed"},
    {{"print", "trainable", "--d-out", "0"}, "1 ... 1024"},
    {{"print", "trainable", "--d-out", "1025"}, "1 ... 1024"},
    {{"screen", "trainable", "--d-out", "65"}, "1 ... 64; 'onestep print' goes up to 1024"},
    {{"walk", "model", "--hidden", "65"}, "1 ... 64; 'onestep print' goes up to 4096"},
    {{"print", "model", "--heads", "3"}, "1, 2 or 4"},
    {{"print", "model", "--d-model", "6", "--heads", "4"}, "1, 2, 3 or 6"},
    {{"print", "model", "--vocabulary", "5"}, "at least 6"},
    {{"print", "training", "--text", "a b c a", "--vocabulary", "2"}, "at least 3"},
    {{"print", "gradients", "--d-model", "1024", "--hidden", "4096"}, "goes up to 10000000"},
    {{"print", "training", "--d-model", "512", "--hidden", "2048"}, "200000 with 200 updates"},
    {{"print", "causal", "--d-model", "8"}, "no use for --d-model"},
    {{"print", "causal", "--bias=yes"}, "takes no value"},
    {{"print", "causal", "--format", "docx"}, "torch"},
    {{"print", "causal", "--format", "Torch"}, "'Torch'"},
    {{"print", "gpt", "--format", "ipynb", "--blanks"}, "gpt has no exercises"},
    {{"print", "sampling", "--temperature", "0"}, "temperature 0 means the most likely word"},
    {{"print", "embeddings", "--text", "a b", "--ids", "2,3"}, "not in a vocabulary of 2"},
    {{"print", "causal", "--digits", "18"}, "0 ... 17"},
    {{"print", "causal", "--digits", "-1"}, "'-1'"},
    {{"print", "causal", "--digits", "4.0"}, "'4.0'"},
    {{"print", "causal", "--color", "sometimes"}, "auto, always or never"},
    {{"print", "causal", "-o"}, "-o needs a value"},
    {{"print", "causal", "-x"}, "'-x'"},
    {{"print", "causal", "--", "--bias"}, "--bias"},
    {{"print", "simplified", "--query", "nobody"}, "nobody"},
    {{"print", "simplified", "--query", "7"}, "7"},
    {{"print", "simplified", "--query", "0"}, "0"},
    {{"print", "simplified", "--query", ""}, "''"},
    {{"list", "--format", "xml"}, "plain or json"},
    {{"list", "--format", "torch"}, "plain or json"},
    {{"list", "casual"}, "no lesson 'casual'"},
    {{"list", "causal", "--options"}, "leave out one"},
    {{"list", "#causal?seed=5"}, "list has no option '--seed'"},
    {{"list", "--seed", "1"}, "--seed"},
    {{"list", "--step", "1"}, "--step"},
    {{"help", "nothing"}, "memory, gpt, agreement and formulas"},
    {{"help", "memory", "--groups", "5"}, "--groups 5 does not divide 32 heads"},
    {{"help", "memory", "--heads", "8", "--d-model", "4"}, "8 heads are more than the width 4"},
    {{"help", "memory", "--window", "40000"}, "above the number of tokens, 32768"},
    {{"help", "memory", "--window", "0"}, "'0'"},
    {{"help", "memory", "--latent", "0"}, "'0'"},
    {{"help", "memory", "--full-layers", "2"}, "--full-layers needs --window"},
    {{"help", "memory", "--window", "9", "--full-layers", "33"}, "above the number of layers, 32"},
    {{"help", "memory", "--seed", "1"}, "--seed"},
    {{"help", "--heads", "4", "memory"}, "stand behind it"},
    {{"memory", "causal"}, "causal"},
    {{"--help=yes"}, "takes no value"},
};
enum { WRONG_COUNT = sizeof wrong / sizeof *wrong };

START_TEST(wrong_usage_is_refused) {
    const char *const *arguments = wrong[_i].arguments;
    const struct end end = run_process(&arena, &(struct start){.arguments = arguments});
    check_misused(&end, command_text(arguments), true);
    ck_assert_msg(strstr(end.error, wrong[_i].reason) != NULL, "%s: no '%s' in: %s",
                  command_text(arguments), wrong[_i].reason, end.error);
}
END_TEST

// Whatever is typed, nothing that a terminal would obey comes back.
START_TEST(nothing_typed_reaches_the_terminal_raw) {
    static const char *const evil[] = {
        "\x1b[31mred",      "\x1b]0;title\a",     "\x9b[2J",  "\xc2\x9b[2J", "a\r\nb",
        "\xe2\x80\xae abc", "\xff\xfe not UTF-8", "\x7f\b\b",
    };
    const char *bytes = evil[_i];
    const struct end ends[] = {
        START(bytes),
        START("print", bytes),
        START("print", "causal", bytes),
        START("print", "causal", arena_format(&arena, "--%s", bytes)),
        START("print", "causal", arena_format(&arena, "-%s=3", bytes)),
        START("print", "causal", "--step", bytes),
        START("print", "causal", "--step", arena_format(&arena, "%s: scores", bytes)),
        START("print", "causal", "--format", bytes),
        START("print", "causal", "--digits", bytes),
        START("print", "causal", "--color", bytes),
        START("print", "causal", "--seed", bytes),
        START("print", "causal", "--d-out", bytes),
        START("print", "dropout", "--dropout", bytes),
        START("print", "dropout", "--bernoulli", bytes),
        START("print", "simplified", "--query", bytes),
        START("help", bytes),
        START("list", bytes),
        START("list", "--format", bytes),
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        check_misused(&ends[i], arena_format(&arena, "place %d", (int)i), true);
    const struct end unread = START("print", "causal", "--input", bytes);
    check_misused(&unread, "--input", false);
    const struct end unwritten =
        START("print", "causal", "-o", arena_format(&arena, "/dev/null/%s", bytes));
    ck_assert_int_eq(unwritten.status, FAILED);
    ck_assert(is_harmless(unwritten.error, unwritten.error_length));
}
END_TEST

START_TEST(a_long_argument_is_cut_at_a_character) {
    char name[901] = "";
    for (int i = 0; i < 300; i++) memcpy(name + 3 * i, "日", 4);
    const struct end end = START("print", "causal", "--step", name);
    ck_assert_int_eq(end.status, MISUSED);
    ck_assert(is_harmless(end.error, end.error_length));
}
END_TEST

START_TEST(a_file_with_an_evil_name_is_read_and_named_harmlessly) {
    const char *name = "\x1b[31m\xff.csv", csv[] = "token,a\nx,1\ny,2\n";
    leave_file(name, csv, strlen(csv));
    static const char *const formats[] = {"torch", "plain", "json"};
    for (int i = 0; i < 3; i++) {
        const struct end end =
            START("print", "simplified", "--input", path_of(name), "--format", formats[i]);
        check_done(&end, formats[i]);
    }
    const struct end end = START("print", "simplified", "-o", path_of(name));
    ck_assert_int_eq(end.status, DONE);
}
END_TEST

// ---- Parameters ---------------------------------------------------------------------------------

// Each parameter, a value other than the lessons' own, and the lessons that have a use for it.
static const struct {
    const char *option, *value;
    bool used[LESSON_COUNT];
} parameters[] = {
    {"--input", "FILE", {1, 1, 1, 1, 1, 1}},        {"--seed", "7", {0, 1, 1, 1, 1, 1}},
    {"--dropout-seed", "-7", {0, 0, 0, 1, 0, 0}},   {"--d-out", "4", {0, 1, 1, 1, 1, 1}},
    {"--heads", "1", {0, 0, 0, 0, 1, 1}},           {"--dropout", "0.25", {0, 0, 0, 1, 1, 1}},
    {"--bernoulli", "mcg31m1", {0, 0, 0, 1, 1, 1}}, {"--bias", NULL, {0, 1, 1, 1, 1, 1}},
    {"--query", "step", {1, 1, 0, 0, 0, 0}},        {"--context-length", "9", {0, 0, 0, 0, 1, 1}},
    {"--batch", "3", {0, 1, 0, 0, 1, 1}},           {"--eval", NULL, {0, 0, 0, 1, 1, 1}},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static const char *value_of(int parameter) {
    if (strcmp(parameters[parameter].option, "--input") != 0) return parameters[parameter].value;
    const char csv[] = "token,a,b,c,d\nx,1,3,5,7\nstep,2,4,6,8\n";
    leave_file("input.csv", csv, strlen(csv));
    return path_of("input.csv");
}

START_TEST(a_parameter_is_for_the_lessons_that_use_it) {
    const char *option = parameters[_i].option, *value = value_of(_i);
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end end = START("print", lesson_names[i], option, value);
        const char *what = arena_format(&arena, "%s %s", lesson_names[i], option);
        if (parameters[_i].used[i]) {
            check_done(&end, what);
            ck_assert_msg(strstr(end.output, "Not the course's numbers: ") != NULL,
                          "%s: does not say that it is not the course's", what);
            continue;
        }
        check_misused(&end, what, true);
        ck_assert_ptr_nonnull(strstr(end.error, lesson_names[i]));
        ck_assert_ptr_nonnull(strstr(end.error, option));
    }
    const struct end all = START("print", "all", option, value);
    check_done(&all, "all");
}
END_TEST

START_TEST(a_value_follows_or_is_attached) {
    const char *option = parameters[_i].option, *value = value_of(_i);
    if (value == NULL) return;
    const struct end apart = START("print", "all", option, value);
    const struct end attached = START("print", arena_format(&arena, "%s=%s", option, value), "all");
    ck_assert_str_eq(apart.output, attached.output);
    check_done(&apart, option);
}
END_TEST

START_TEST(the_last_value_counts) {
    const struct end twice = START("print", "causal", "--seed", "1", "--seed", "2");
    const struct end once = START("print", "causal", "--seed", "2");
    ck_assert_str_eq(twice.output, once.output);
}
END_TEST

START_TEST(two_dashes_end_the_options) {
    const struct end plain = START("print", "causal"), dashes = START("print", "--", "causal");
    check_done(&dashes, "--");
    ck_assert_str_eq(plain.output, dashes.output);
}
END_TEST

START_TEST(the_ends_of_the_ranges_are_allowed) {
    static const char *const choices[][3] = {
        {"causal", "--seed", "-9223372036854775808"},
        {"causal", "--seed", "18446744073709551615"},
        {"dropout", "--dropout", "0"},
        {"dropout", "--dropout", "1"},
        {"dropout", "--dropout", "1e-300"},
        {"causal", "--d-out", "1024"},
        {"wrapper", "--heads", "512"},
        {"model", "--d-model", "1024"},
        {"model", "--hidden", "4096"},
        {"gradients", "--vocabulary", "65536"},
        {"wrapper", "--batch", "4"},
        {"wrapper", "--context-length", "6"},
        {"wrapper", "--context-length", "256"},
        {"causal", "--digits", "0"},
        {"causal", "--digits", "17"},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct end end = START("print", choices[i][0], choices[i][1], choices[i][2]);
        check_done(&end, arena_format(&arena, "%s %s", choices[i][1], choices[i][2]));
    }
}
END_TEST

START_TEST(a_lesson_has_a_name_and_a_number) {
    for (int i = 0; i < LESSON_COUNT; i++) {
        const struct end name = START("print", lesson_names[i]);
        const struct end number = START("print", arena_format(&arena, "%d", i + 1));
        check_done(&name, lesson_names[i]);
        ck_assert_str_eq(name.output, number.output);
    }
    const struct end dash = START("print", "split-head"), line = START("print", "split_head");
    ck_assert_str_eq(dash.output, line.output);
}
END_TEST

START_TEST(digits_are_those_of_printed_tensors) {
    const struct end two = START("print", "simplified", "--step", "inputs", "--digits", "2");
    ck_assert_str_eq(two.output, "tensor([[0.43, 0.15, 0.89],\n        [0.55, 0.87, 0.66],\n"
                                 "        [0.57, 0.85, 0.64],\n        [0.22, 0.58, 0.33],\n"
                                 "        [0.77, 0.25, 0.10],\n        [0.05, 0.80, 0.55]])\n");
    const struct end none = START("print", "simplified", "--step", "query", "--digits=0");
    ck_assert_str_eq(none.output, "tensor([1, 1, 1])\n");
}
END_TEST

START_TEST(a_step_alone_is_what_pytorch_prints) {
    const struct end end = START("print", "split_head", "--step", "W_out");
    check_done(&end, "--step W_out");
    ck_assert_int_eq(strncmp(end.output, "tensor([[", 9), 0);
    ck_assert_str_eq(end.output + end.output_length - 4, "]])\n");
    const struct end mask = START("print", "causal", "--step", "mask_bool");
    ck_assert_ptr_nonnull(strstr(mask.output, "[False,  True,"));
    const struct end group = START("print", "wrapper", "--step", "head 2: W_query");
    const struct end number = START("print", "wrapper", "--step", "8");
    ck_assert_str_eq(group.output, number.output);
    check_done(&group, "--step 'head 2: W_query'");
}
END_TEST

// ---- Help, list and version ---------------------------------------------------------------------

static void check_width(const struct end *end, int width) {
    for (const char *line = end->output; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char *alone = arena_copy_bytes(&arena, line, strcspn(line, "\n"));
        ck_assert_msg(text_width(alone) <= width, "wider than %d: %s", width, alone);
    }
}

START_TEST(help_fits_a_terminal) {
    static const char *const commands[] = {"walk",   "list", "print", "check",
                                           "verify", "gpt2", "bench", "practice"};
    const struct end help = START("--help"), short_help = START("-h"), command = START("help");
    check_done(&help, "--help");
    check_width(&help, 80);
    ck_assert_str_eq(help.output, short_help.output);
    ck_assert_str_eq(help.output, command.output);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct end about = START(commands[i], "--help"), same = START("help", commands[i]);
        check_done(&about, commands[i]);
        check_width(&about, 80);
        ck_assert_str_eq(about.output, same.output);
        ck_assert_ptr_nonnull(strstr(help.output, commands[i]));
    }
}
END_TEST

START_TEST(help_names_what_there_is) {
    const struct end help = START("--help"), about_print = START("print", "--help");
    for (int i = 0; i < LESSON_COUNT; i++)
        ck_assert_ptr_nonnull(strstr(help.output, lesson_names[i]));
    for (int i = 0; i < PARAMETERS; i++)
        ck_assert_ptr_nonnull(strstr(about_print.output, parameters[i].option));
    static const char *const options[] = {"--step",  "--format", "-o",    "--digits",
                                          "--color", "torch",    "plain", "json"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        ck_assert_ptr_nonnull(strstr(about_print.output, options[i]));
}
END_TEST

START_TEST(the_cheat_sheet_has_the_shapes_of_the_parameters) {
    const struct end sheet = START("help", "formulas");
    check_done(&sheet, "help formulas");
    check_width(&sheet, 80);
    for (int i = 0; i < LESSON_COUNT; i++) {
        const char *title = arena_format(&arena, "Shapes: %s\n", lesson_names[i]);
        ck_assert_ptr_nonnull(strstr(sheet.output, title));
    }
    ck_assert_ptr_nonnull(strstr(sheet.output, "softmax(Q Kᵀ / √d_k) V"));
    ck_assert_ptr_nonnull(strstr(sheet.output, "mat1 and mat2 shapes cannot be multiplied"));
    ck_assert_ptr_nonnull(strstr(sheet.output, "the same with need_weights=False"));
    ck_assert_ptr_null(strstr(sheet.output, "(2, 6, 8)"));

    const struct end wide = START("help", "formulas", "--d-out", "8", "--heads", "4");
    check_done(&wide, "help formulas --d-out 8");
    ck_assert_ptr_nonnull(strstr(wide.output, "(2, 6, 8)"));
    ck_assert_ptr_nonnull(strstr(wide.output, "With d_out 8, heads 4."));
}
END_TEST

// Every operation that the lessons take a gradient of, and what is asked about them.
START_TEST(the_cheat_sheet_has_the_way_back) {
    static const char *const words[] = {
        "  matmul\n      of C = A B: dA = dC Bᵀ, dB = Aᵀ dC\n",
        "  softmax\n      of y: dx = y · (dy - Σ dy · y), along dim\n",
        "  relu\n      dx = dy where y is above 0, else 0\n",
        "  cross_entropy\n      of logits: (softmax - one-hot) / n\n",
        "\nAsked about gradients\n  why the way back runs in the reverse order\n",
        "  step before backward\n      with zero_grad before both, PyTorch 2.6"};
    const struct end end = START("help", "formulas");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(strstr(end.output, words[i]) != NULL, "no %s", words[i]);
}
END_TEST

// The bytes of each row, and what is said of them, by the arithmetic of the course's estimators.
START_TEST(a_cache_has_its_sizes) {
    static const char *const rows[] = {
        "plain                         8,192    17,179,869,184     17.18   1.00x  0.00 %\n",
        "grouped                       2,048     4,294,967,296      4.29   4.00x 75.00 %\n",
        "windowed                      8,192     3,137,339,392      3.14   5.48x 81.74 %\n",
        "grouped and windowed          2,048       784,334,848      0.78  21.90x 95.43 %\n",
        "With heads of 86 numbers, rounded up",
        "plain                         4,128     3,246,391,296      3.25   1.00x  0.00 %\n",
        "latent                        1,024       805,306,368      0.81   4.03x 75.19 %\n",
        "Without rounding:",
        "plain                         4,096     3,221,225,472      3.22   1.00x  0.00 %\n",
        "latent                        1,024       805,306,368      0.81   4.00x 75.00 %\n",
    };
    const struct end end = START("help", "memory");
    check_done(&end, "help memory");
    check_width(&end, 80);
    const char *behind = end.output;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        behind = strstr(behind, rows[i]);
        ck_assert_msg(behind != NULL, "no %s behind the row before", rows[i]);
    }
    const struct end own = START("help", "memory", "--d-model", "2048", "--heads", "24", "--layers",
                                 "48", "--tokens", "8192", "--groups", "8");
    check_done(&own, "help memory with options");
    ck_assert_ptr_nonnull(strstr(
        own.output, "grouped                    1,365.33     1,073,741,824      1.07   3.00x"));
    const struct end same = START("memory");
    ck_assert_str_eq(same.output, end.output);
}
END_TEST

START_TEST(help_comes_before_mistakes_that_follow_it) {
    const struct end end = START("print", "--help", "--bogus");
    check_done(&end, "print --help --bogus");
}
END_TEST

START_TEST(version_is_a_name_and_a_number) {
    const struct end end = START("--version");
    check_done(&end, "--version");
    int major, minor, patch;
    unsigned numbers;
    ck_assert_int_eq(
        sscanf(end.output, "onestep %d.%d.%d\nnumbers %8x\n", &major, &minor, &patch, &numbers), 4);
}
END_TEST

START_TEST(list_names_lessons_steps_and_parameters) {
    const struct end end = START("list"), json = START("list", "--format=json");
    check_done(&end, "list");
    check_done(&json, "list --format json");
    for (int i = 0; i < LESSON_COUNT; i++)
        ck_assert_ptr_nonnull(
            strstr(end.output, arena_format(&arena, "%d %s: ", i + 1, lesson_names[i])));
    ck_assert_int_eq(strncmp(end.output, "Part 1: the course\n", 19), 0);
    ck_assert_ptr_nonnull(strstr(end.output, "\n\nPart 2: learning\n\n7 model: "));
    ck_assert_ptr_nonnull(strstr(end.output, "head 2: masked_scores"));
    ck_assert_ptr_nonnull(strstr(end.output, "--context-length"));
}
END_TEST

Suite *command_suite(void) {
    Suite *suite = suite_create("command");
    TCase *mistakes = add_case(suite, "mistakes", set_up_folder, tear_down_folder);
    tcase_add_loop_test(mistakes, wrong_usage_is_refused, 0, WRONG_COUNT);
    tcase_add_loop_test(mistakes, nothing_typed_reaches_the_terminal_raw, 0, 8);
    tcase_add_test(mistakes, a_long_argument_is_cut_at_a_character);
    tcase_add_test(mistakes, a_file_with_an_evil_name_is_read_and_named_harmlessly);

    TCase *choices = add_case(suite, "parameters", set_up_folder, tear_down_folder);
    tcase_add_loop_test(choices, a_parameter_is_for_the_lessons_that_use_it, 0, PARAMETERS);
    tcase_add_loop_test(choices, a_value_follows_or_is_attached, 0, PARAMETERS);
    tcase_add_test(choices, the_last_value_counts);
    tcase_add_test(choices, two_dashes_end_the_options);
    tcase_add_test(choices, the_ends_of_the_ranges_are_allowed);
    tcase_add_test(choices, a_lesson_has_a_name_and_a_number);
    tcase_add_test(choices, digits_are_those_of_printed_tensors);
    tcase_add_test(choices, a_step_alone_is_what_pytorch_prints);

    TCase *help = add_case(suite, "help", set_up_folder, tear_down_folder);
    tcase_add_test(help, help_fits_a_terminal);
    tcase_add_test(help, help_names_what_there_is);
    tcase_add_test(help, the_cheat_sheet_has_the_shapes_of_the_parameters);
    tcase_add_test(help, the_cheat_sheet_has_the_way_back);
    tcase_add_test(help, a_cache_has_its_sizes);
    tcase_add_test(help, help_comes_before_mistakes_that_follow_it);
    tcase_add_test(help, version_is_a_name_and_a_number);
    tcase_add_test(help, list_names_lessons_steps_and_parameters);
    return suite;
}
