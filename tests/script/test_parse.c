// The parser of programs: its trees beside those of Python's `ast`, its messages beside those of CPython, and that no
// text can make it fall over.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "records.h"
#include "script/syntax/tree.h"
#include "tree_text.h"

#include <check.h> // last: defines a macro fail

// "" for a program that is right, else "SyntaxError:1: invalid syntax".
static const char *wrong_with(const char *source) {
    struct syntax_error error;
    const struct program program = parse_program(&arena, "program.py", source, &error);
    if (error.message != NULL)
        return arena_format(&arena, "%s:%d: %s", error.type, error.span.line, error.message);
    ck_assert_ptr_nonnull(program.tree);
    return "";
}

static const struct node *first_statement(const char *source) {
    struct syntax_error error;
    const struct program program = parse_program(&arena, "program.py", source, &error);
    ck_assert_msg(error.message == NULL, "%s: %s", source, error.message);
    ck_assert_int_ge(program.tree->part_count, 1);
    return program.tree->parts[0];
}

// ---- Beside Python -----------------------------------------------------------------------------------------------

START_TEST(every_construct_has_the_tree_that_python_gives_it) {
    struct syntax_error error;
    const struct program program =
        parse_program(&arena, "everything.py", data_file(&arena, "script/everything.py"), &error);
    ck_assert_msg(error.message == NULL, "line %d: %s", error.span.line, error.message);
    const char *expected = data_file(&arena, "script/everything.tree"),
               *found = tree_text(&arena, program.tree);
    for (int line = 1; *expected != '\0'; line++) {
        const size_t length = strcspn(expected, "\n");
        ck_assert_msg(strncmp(expected, found, length + 1) == 0, "node %d is\n%.*s, not\n%.*s",
                      line, (int)strcspn(found, "\n"), found, (int)length, expected);
        expected += length + 1;
        found += length + 1;
    }
    ck_assert_str_eq(found, "");
}
END_TEST

// A paragraph: what CPython says, then the program, each line behind a bar.
START_TEST(each_slip_has_the_message_and_the_line_of_cpython) {
    const char *at = data_file(&arena, "script/wrong.txt");
    int count = 0;
    while (*at != '\0') {
        const size_t length = strcspn(at, "\n");
        const char *expected = arena_copy_bytes(&arena, at, length);
        struct text source = text_new(&arena);
        for (at += length + 1; *at == '|'; at += strcspn(at, "\n") + 1)
            text_add_bytes(&source, at + 1, strcspn(at, "\n"));
        at += *at == '\n';
        ck_assert_msg(strcmp(wrong_with(source.bytes), expected) == 0, "%sis %s, not %s",
                      source.bytes, wrong_with(source.bytes), expected);
        count++;
    }
    ck_assert_int_ge(count, 130);
}
END_TEST

START_TEST(what_is_not_run_is_refused_by_its_name) {
    static const char *const rows[][2] = {
        {"def f():\n    x = yield 1\n", "SyntaxError:2: onestep does not run `yield`"},
        {"x = 1\nasync def f(): pass\n", "SyntaxError:2: onestep does not run `async`"},
        {"x = await y\n", "SyntaxError:1: onestep does not run `await`"},
        {"x = 1\nmatch x:\n    case 1: pass\n", "SyntaxError:2: onestep does not run `match`"},
        {"type X = int\n", "SyntaxError:1: onestep does not run `type`"},
        {"try: pass\nexcept* A: pass\n", "SyntaxError:2: onestep does not run `except*`"},
        {"x = 2j\n", "SyntaxError:1: onestep does not run complex numbers"},
        {"x = 18446744073709551616\n",
         "SyntaxError:1: onestep does not run integers of more than 64 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(wrong_with(rows[i][0]), rows[i][1]);
}
END_TEST

// ---- Ends of lines and of files -----------------------------------------------------------------------------------

START_TEST(a_program_may_end_anywhere_and_its_lines_may_end_as_on_any_system) {
    static const char *const right[] = {"",
                                        "\n",
                                        "# nothing",
                                        "x = 1",
                                        "if x:\n    y",
                                        "x\r\n",
                                        "\xEF\xBB\xBFx = 1\n",
                                        "x;",
                                        "if x:\r    y\rz\r",
                                        "\f\n  \n\t# words\nx = 1"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        ck_assert_str_eq(wrong_with(right[i]), "");
    const struct node *text = first_statement("x = '''a\r\nb\rc'''")->parts[1];
    ck_assert_str_eq(text->text, "a\nb\nc");
}
END_TEST

START_TEST(a_line_of_the_source_is_found) {
    const struct program program = {.source = "one\ntwo\r\n\rfour"};
    static const char *const lines[] = {"one", "two", "", "four", ""};
    for (int i = 0; i < 5; i++) ck_assert_str_eq(program_line(&arena, &program, i + 1), lines[i]);
}
END_TEST

START_TEST(bytes_of_a_string_may_be_zero) {
    const struct node *zero = first_statement("'a\\0b'")->parts[0];
    ck_assert_int_eq(zero->length, 3);
    ck_assert_mem_eq(zero->text, "a\0b", 4);
}
END_TEST

START_TEST(operators_are_written_as_in_programs) {
    ck_assert_str_eq(operator_text(OP_NOT_IN), "not in");
    ck_assert_str_eq(operator_text(OP_FLOOR_DIVIDE), "//");
    for (int i = OP_NONE + 1; i < OPERATOR_COUNT; i++)
        ck_assert_str_ne(operator_text((enum operator)i), "");
}
END_TEST

// ---- Depth --------------------------------------------------------------------------------------------------------

static const char *repeated(const char *before, const char *piece, int times, const char *behind) {
    struct text text = text_new(&arena);
    text_add(&text, before);
    text_add_repeated(&text, piece, times);
    text_add(&text, behind);
    return text.bytes;
}

START_TEST(as_many_levels_are_read_as_cpython_reads) {
    ck_assert_str_eq(wrong_with(repeated(repeated("x = ", "(", 199, "1"), ")", 199, "\n")), "");
    ck_assert_str_eq(wrong_with(repeated("x = ", "-", 90, "1\n")), "");
    ck_assert_str_eq(wrong_with(repeated("x = 1", " + 1", 900, "\n")), "");
    ck_assert_str_eq(wrong_with(repeated("x = a", ".b", 900, "\n")), "");
    ck_assert_str_eq(wrong_with(repeated("if a: b\n", "elif a: b\n", 900, "")), "");
}
END_TEST

START_TEST(too_many_levels_are_refused_and_not_read) {
    static const char *const pieces[] = {
        "(",     "[",   "{",    "-",   "not ",        "lambda: ", "a if b else ",
        "2 ** ", "f(",  "a[",   "f'{", "x = f\"{a:{", "+ 1 ",     ".a",
        "()",    "[0]", "{1: ", "*",   "**",          "~ - "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const char *message = wrong_with(repeated("x = a", pieces[i], 10000, "1\n"));
        ck_assert_msg(*message != '\0', "%s", pieces[i]);
        wrong_with(repeated("x = ", pieces[i], 10000, "1\n"));
    }
    ck_assert_str_ne(wrong_with(repeated("if a: b\n", "elif a: b\n", 10000, "")), "");
    struct text blocks = text_new(&arena);
    for (int i = 0; i < 300; i++) text_add_format(&blocks, "%*sif a:\n", i, "");
    ck_assert_str_eq(wrong_with(blocks.bytes),
                     "IndentationError:101: too many levels of indentation");
}
END_TEST

Suite *parse_suite(void) {
    Suite *suite = suite_create("parse");
    TCase *python = add_case(suite, "beside Python", set_up_arena, tear_down_arena);
    tcase_add_test(python, every_construct_has_the_tree_that_python_gives_it);
    tcase_add_test(python, each_slip_has_the_message_and_the_line_of_cpython);
    tcase_add_test(python, what_is_not_run_is_refused_by_its_name);
    TCase *ends = add_case(suite, "ends", set_up_arena, tear_down_arena);
    tcase_add_test(ends, a_program_may_end_anywhere_and_its_lines_may_end_as_on_any_system);
    tcase_add_test(ends, a_line_of_the_source_is_found);
    tcase_add_test(ends, bytes_of_a_string_may_be_zero);
    tcase_add_test(ends, operators_are_written_as_in_programs);
    TCase *depth = add_case(suite, "depth", set_up_arena, tear_down_arena);
    tcase_add_test(depth, as_many_levels_are_read_as_cpython_reads);
    tcase_add_test(depth, too_many_levels_are_refused_and_not_read);
    return suite;
}
