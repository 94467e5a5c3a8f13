// The canvas: characters of all widths, cut at edges and at the ends of their room.

#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "tensor/ops/ops.h"
#include "walk/kit/cells.h"

#include <check.h> // last: defines a macro fail

static struct canvas utf8_canvas(int rows, int columns) {
    return canvas_new(&arena, rows, columns, (struct look){.has_heat = true});
}

static struct canvas ascii_canvas(int rows, int columns) {
    return canvas_new(&arena, rows, columns, (struct look){.is_ascii = true});
}

// A row as the terminal would show it.
static const char *row_text(const struct canvas *canvas, int row) {
    struct text text = text_new(canvas->arena);
    text_add(&text, "");
    for (int column = 0; column < canvas->columns; column++) {
        const struct glyph *glyph = glyph_at(canvas, row, column);
        if (glyph->character == 0) continue;
        char bytes[5];
        utf8_encode(glyph->character, bytes);
        text_add(&text, bytes);
        for (int i = 0; i < GLYPH_MARKS && glyph->marks[i] != 0; i++) {
            utf8_encode(glyph->marks[i], bytes);
            text_add(&text, bytes);
        }
    }
    return text.bytes;
}

START_TEST(begins_blank) {
    const struct canvas canvas = utf8_canvas(2, 3);
    ck_assert_str_eq(row_text(&canvas, 0), "   ");
    ck_assert_int_eq(canvas.cursor_row, 1);
    ck_assert_int_eq(canvas.cursor_column, 2);
}
END_TEST

START_TEST(has_at_least_one_cell) {
    const struct canvas canvas = utf8_canvas(0, -5);
    ck_assert_int_eq(canvas.rows, 1);
    ck_assert_int_eq(canvas.columns, 1);
}
END_TEST

START_TEST(cuts_text_with_a_mark) {
    struct canvas canvas = utf8_canvas(1, 10);
    ck_assert_int_eq(put_text(&canvas, 0, 1, 5, "journey", PLAIN), 5);
    ck_assert_str_eq(row_text(&canvas, 0), " jour…    ");
}
END_TEST

START_TEST(cuts_in_ascii_with_a_tilde) {
    struct canvas canvas = ascii_canvas(1, 10);
    put_text(&canvas, 0, 0, 5, "-∞ and more", PLAIN);
    ck_assert_str_eq(row_text(&canvas, 0), "-inf~     ");
}
END_TEST

START_TEST(clips_at_every_edge) {
    struct canvas canvas = utf8_canvas(2, 4);
    put_text(&canvas, 0, -2, 20, "abcdefgh", PLAIN);
    put_text(&canvas, -1, 0, 20, "above", PLAIN);
    put_text(&canvas, 2, 0, 20, "below", PLAIN);
    put_blanks(&canvas, 1, -3, 50, REVERSE);
    ck_assert_str_eq(row_text(&canvas, 0), "cdef");
    ck_assert_ptr_null(glyph_at(&canvas, 0, 4));
    ck_assert(glyph_at(&canvas, 1, 3)->style.reverse);
}
END_TEST

START_TEST(gives_wide_characters_two_cells) {
    struct canvas canvas = utf8_canvas(1, 6);
    ck_assert_int_eq(put_text(&canvas, 0, 0, 6, "日本", PLAIN), 4);
    ck_assert_uint_eq(glyph_at(&canvas, 0, 1)->character, 0);
    ck_assert_str_eq(row_text(&canvas, 0), "日本  ");
}
END_TEST

START_TEST(leaves_no_half_character) {
    struct canvas canvas = utf8_canvas(1, 4);
    put_text(&canvas, 0, 0, 4, "日本", PLAIN);
    put_text(&canvas, 0, 1, 2, "xy", PLAIN);
    ck_assert_str_eq(row_text(&canvas, 0), " xy ");
    put_text(&canvas, 0, 3, 2, "語", PLAIN);
    ck_assert_str_eq(row_text(&canvas, 0), " xy ");
}
END_TEST

START_TEST(keeps_marks_with_their_letter) {
    struct canvas canvas = utf8_canvas(1, 3);
    ck_assert_int_eq(put_text(&canvas, 0, 0, 3, "e\u0301a", PLAIN), 2);
    ck_assert_str_eq(row_text(&canvas, 0), "e\u0301a ");
}
END_TEST

START_TEST(puts_text_at_the_right) {
    struct canvas canvas = utf8_canvas(1, 8);
    put_right(&canvas, 0, 1, 6, "日1", PLAIN);
    ck_assert_str_eq(row_text(&canvas, 0), "    日1 ");
}
END_TEST

START_TEST(keeps_the_cursor_inside) {
    struct canvas canvas = utf8_canvas(3, 3);
    put_cursor(&canvas, -1, 7);
    ck_assert_int_eq(canvas.cursor_row, 0);
    ck_assert_int_eq(canvas.cursor_column, 2);
}
END_TEST

START_TEST(shows_no_byte_above_127_in_ascii) {
    struct canvas canvas = ascii_canvas(1, 40);
    put_text(&canvas, 0, 0, 40, "S = Q Kᵀ / √d_k, 日本, ×, ●", PLAIN);
    for (const char *byte = row_text(&canvas, 0); *byte != '\0'; byte++)
        ck_assert_uint_lt((unsigned char)*byte, 128);
}
END_TEST

// The same number again and again: what is special about one shows without any colour, bold or underline, also in
// ASCII.
START_TEST(each_distinction_has_a_mark) {
    static const unsigned char marks[] = {0,           CELL_LIT,     CELL_PENDING,
                                          CELL_HIDDEN, CELL_REACHED, CELL_CHANGED};
    enum { MARKS = sizeof marks };
    const float numbers[MARKS] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25};
    const struct tensor tensor = tensor_of(&arena, SHAPE(MARKS, 1), numbers);
    const struct matrix matrix = matrix_measure(&arena, &tensor, 0, 4);
    for (int look = 0; look < 4; look++) {
        struct canvas canvas =
            canvas_new(&arena, MARKS + 1, 20,
                       (struct look){.has_heat = look / 2 == 1, .is_ascii = look % 2 == 1});
        const struct placed_matrix placed = {
            &matrix,
            {.row = -1, .column = -1, .hides_rows = true, .marks = marks},
            {0, 0, MARKS + 1, 20}};
        matrix_draw(&canvas, &placed);
        for (int i = 1; i <= MARKS; i++) {
            for (int j = 1; j < i; j++) {
                const char *one = row_text(&canvas, i), *other = row_text(&canvas, j);
                ck_assert_str_ne(one, other);
            }
        }
    }
}
END_TEST

// Labels are cut to the width of the numbers, but not so that two of them look alike.
START_TEST(a_numbered_label_keeps_its_number) {
    static const char *const labels[] = {"width 8", "width 16", "width 32"};
    const float numbers[] = {1, 2, 3};
    struct tensor tensor = tensor_of(&arena, SHAPE(3), numbers);
    tensor.axis[0].labels = labels;
    const struct matrix matrix = matrix_measure(&arena, &tensor, 0, 4);
    struct canvas canvas = utf8_canvas(2, 16);
    const struct placed_matrix placed = {
        &matrix, {.row = -1, .column = -1, .is_tight = true, .hides_rows = true}, {0, 0, 2, 16}};
    matrix_draw(&canvas, &placed);
    ck_assert_ptr_nonnull(strstr(row_text(&canvas, 0), "8"));
    ck_assert_ptr_nonnull(strstr(row_text(&canvas, 0), "16"));
    ck_assert_ptr_null(strstr(row_text(&canvas, 0), "wi."));
}
END_TEST

Suite *canvas_suite(void) {
    Suite *suite = suite_create("canvas");
    TCase *tests = add_case(suite, "canvas", set_up_arena, tear_down_arena);
    tcase_add_test(tests, begins_blank);
    tcase_add_test(tests, has_at_least_one_cell);
    tcase_add_test(tests, cuts_text_with_a_mark);
    tcase_add_test(tests, cuts_in_ascii_with_a_tilde);
    tcase_add_test(tests, clips_at_every_edge);
    tcase_add_test(tests, gives_wide_characters_two_cells);
    tcase_add_test(tests, leaves_no_half_character);
    tcase_add_test(tests, keeps_marks_with_their_letter);
    tcase_add_test(tests, each_distinction_has_a_mark);
    tcase_add_test(tests, a_numbered_label_keeps_its_number);
    tcase_add_test(tests, puts_text_at_the_right);
    tcase_add_test(tests, keeps_the_cursor_inside);
    tcase_add_test(tests, shows_no_byte_above_127_in_ascii);
    return suite;
}
