// Text as a terminal sees it: growing, UTF-8, widths, fitting a width, ASCII, and what is harmless.

#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"

#include <check.h> // last: defines a macro fail

enum { CHARACTERS = 0x110000 };

static bool is_surrogate(uint32_t character) {
    return character >= 0xD800 && character <= 0xDFFF;
}

// ---- A string that grows ------------------------------------------------------------------------

START_TEST(text_grows) {
    struct text text = text_new(&arena);
    ck_assert_uint_eq(text.length, 0);
    text_add(&text, "");
    ck_assert_str_eq(text.bytes, "");
    for (int i = 0; i < 1000; i++) {
        text_add(&text, "ab");
        text_add_bytes(&text, "cdef", 2);
        text_add_format(&text, "%03d", i);
        ck_assert_uint_eq(text.length, 7 * ((size_t)i + 1));
        ck_assert_uint_eq(strlen(text.bytes), text.length);
    }
    ck_assert_int_eq(strncmp(text.bytes, "abcd000abcd001", 14), 0);
    ck_assert_str_eq(text.bytes + 6993, "abcd999");
}
END_TEST

START_TEST(a_long_piece_fits_at_once) {
    struct text text = text_new(&arena);
    text_add_format(&text, "%1000d", 7);
    text_add_repeated(&text, "─", 3);
    text_add_repeated(&text, "x", 0);
    text_add_repeated(&text, "x", -5);
    ck_assert_uint_eq(text.length, 1009);
    ck_assert_str_eq(text.bytes + 998, " 7───");
    text = text_new(&arena);
    text_add_bytes(&text, "a\0b", 3);
    ck_assert_int_eq(memcmp(text.bytes, "a\0b", 4), 0);
}
END_TEST

START_TEST(padding_counts_columns) {
    struct text text = text_new(&arena);
    text_add_padded(&text, "日本", 6, false);
    text_add(&text, "|");
    text_add_padded(&text, "日本", 6, true);
    text_add(&text, "|");
    text_add_padded(&text, "e\u0301toile", 7, true);
    text_add(&text, "|");
    text_add_padded(&text, "longer", 3, true);
    ck_assert_str_eq(text.bytes, "日本  |  日本| e\u0301toile|longer");
}
END_TEST

// ---- UTF-8 --------------------------------------------------------------------------------------

static bool survives_coding(uint32_t character) {
    char bytes[5];
    const char *next = bytes;
    const size_t length = utf8_encode(character, bytes);
    const uint32_t expected = is_surrogate(character) ? 0xFFFD : character;
    return length == strlen(bytes) && utf8_is_valid(bytes, length) &&
           utf8_next(&next) == expected && next == bytes + length;
}

START_TEST(every_character_survives_coding) {
    for (uint32_t character = 1; character < CHARACTERS; character++) {
        if (!survives_coding(character)) ck_abort_msg("U+%04X", (unsigned)character);
    }
    char bytes[5];
    ck_assert_uint_eq(utf8_encode(CHARACTERS, bytes), 3);
    ck_assert_str_eq(bytes, "�");
    ck_assert_uint_eq(utf8_encode(0, bytes), 1);
}
END_TEST

START_TEST(what_is_not_utf8_is_refused_byte_by_byte) {
    static const char *const malformed[] = {"\x80",
                                            "\xBF",
                                            "\xC0\x80",
                                            "\xC1\xBF",
                                            "\xC2",
                                            "\xC2\x41",
                                            "\xE0\x80\x80",
                                            "\xE0\x9F\xBF",
                                            "\xE6\x97",
                                            "\xE6\x41\xA5",
                                            "\xED\xA0\x80",
                                            "\xED\xBF\xBF",
                                            "\xF0\x80\x80\x80",
                                            "\xF0\x8F\xBF\xBF",
                                            "\xF0\x9F\x98",
                                            "\xF4\x90\x80\x80",
                                            "\xF5\x80\x80\x80",
                                            "\xFE",
                                            "\xFF"};
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        const char *next = malformed[i];
        ck_assert_uint_eq(utf8_next(&next), 0xFFFD);
        ck_assert_ptr_eq(next, malformed[i] + 1);
        ck_assert(!utf8_is_valid(malformed[i], strlen(malformed[i])));
        const char *between = arena_format(&arena, "a%sb", malformed[i]);
        ck_assert(!utf8_is_valid(between, strlen(between)));
    }
    const char *end = "";
    ck_assert_uint_eq(utf8_next(&end), 0);
    ck_assert_str_eq(end, "");
    ck_assert(utf8_is_valid("", 0));
    ck_assert(utf8_is_valid("a\0é", 4));
    ck_assert(!utf8_is_valid("é", 1));
    ck_assert(!utf8_is_valid("日本", 5));
}
END_TEST

// ---- Widths -------------------------------------------------------------------------------------

START_TEST(characters_have_the_width_of_unicode) {
    static const struct {
        uint32_t character;
        int width;
    } expected[] = {
        {0, -1},       {'\n', -1},   {0x1B, -1},   {0x7F, -1},   {0x80, -1},   {0x9F, -1},
        {0x2028, -1},  {' ', 1},     {'~', 1},     {0xA0, 1},    {0xAD, 1},    {0xE9, 1},
        {0x3B1, 1},    {0x221E, 1},  {0x1D40, 1},  {0x2500, 1},  {0x2588, 1},  {0x2591, 1},
        {0x2026, 1},   {0xFFFD, 1},  {0xFF61, 1},  {0x300, 0},   {0x36F, 0},   {0x200B, 0},
        {0x200D, 0},   {0xFE0F, 0},  {0xFEFF, 0},  {0x1160, 0},  {0x20DD, 0},  {0xE0100, 0},
        {0xE01EF, 0},  {0x1100, 2},  {0x231A, 2},  {0x3000, 2},  {0x3042, 2},  {0x4E00, 2},
        {0x65E5, 2},   {0x9FFF, 2},  {0xAC00, 2},  {0xD7A3, 2},  {0xFF01, 2},  {0xFFE6, 2},
        {0x1F600, 2},  {0x1F680, 2}, {0x1FAFF, 2}, {0x20000, 2}, {0x3FFFD, 2}, {0x3FFFE, 1},
        {0x10FFFF, 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ck_assert_msg(character_width(expected[i].character) == expected[i].width, "U+%04X",
                      (unsigned)expected[i].character);
}
END_TEST

// Together the tables cover as many characters as when they were made.
START_TEST(the_tables_of_widths_are_whole) {
    int count[4] = {0};
    for (uint32_t character = 0; character < CHARACTERS; character++)
        count[character_width(character) + 1]++;
    ck_assert_int_eq(count[0], 65 + 2);
    ck_assert_int_eq(count[1], 2344);
    ck_assert_int_eq(count[3], 191950);
}
END_TEST

START_TEST(strings_are_as_wide_as_their_characters) {
    ck_assert_int_eq(text_width(""), 0);
    ck_assert_int_eq(text_width("S = Q Kᵀ / √dₖ"), 14);
    ck_assert_int_eq(text_width("日本"), 4);
    ck_assert_int_eq(text_width("e\u0301"), 1);
    ck_assert_int_eq(text_width("a\x1b\tb"), 2);
    ck_assert_int_eq(text_width("\xFF\xFE"), 2);
}
END_TEST

START_TEST(widths_do_not_ask_the_locale) {
    setlocale(LC_ALL, "C");
    ck_assert_int_eq(text_width("日本 é"), 6);
    setlocale(LC_ALL, "C.UTF-8");
    ck_assert_int_eq(text_width("日本 é"), 6);
}
END_TEST

// ---- Fitting a width ----------------------------------------------------------------------------

START_TEST(cut_text_ends_in_dots) {
    ck_assert_str_eq(text_cut(&arena, "journey", 7), "journey");
    ck_assert_str_eq(text_cut(&arena, "journey", 6), "journ…");
    ck_assert_str_eq(text_cut(&arena, "journey", 1), "…");
    ck_assert_str_eq(text_cut(&arena, "journey", 0), "");
    ck_assert_str_eq(text_cut(&arena, "journey", -1), "");
    ck_assert_str_eq(text_cut(&arena, "", 3), "");
    ck_assert_str_eq(text_cut(&arena, "日本語", 6), "日本語");
    ck_assert_str_eq(text_cut(&arena, "日本語", 5), "日本…");
    ck_assert_str_eq(text_cut(&arena, "日本語", 4), "日…"); // half a character can't be shown
    ck_assert_str_eq(text_cut(&arena, "日本語", 2), "…");
    ck_assert_str_eq(text_cut(&arena, "e\u0301e\u0301e\u0301", 3), "e\u0301e\u0301e\u0301");
    ck_assert_str_eq(text_cut(&arena, "e\u0301e\u0301e\u0301", 2), "e\u0301…");
}
END_TEST

// Random strings of characters of all widths, malformed ones included.
static const char *random_string(uint32_t *state, const char *const *pieces, uint32_t piece_count) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    const uint32_t length = *state % 40;
    for (uint32_t i = 0; i < length; i++) {
        *state = *state * 1664525U + 1013904223U;
        text_add(&text, pieces[(*state >> 16) % piece_count]);
    }
    *state = *state * 1664525U + 1013904223U;
    return text.bytes;
}

static bool is_cut_well(const char *string, int width) {
    const char *cut = text_cut(&arena, string, width);
    if (text_width(string) <= width) return strcmp(cut, string) == 0;
    const size_t kept = strlen(cut) - strlen("…"); // a wide character may leave a column empty
    return text_width(cut) <= width && text_width(cut) >= width - 1 &&
           strcmp(cut + kept, "…") == 0 && strncmp(cut, string, kept) == 0;
}

START_TEST(cut_text_always_fits) {
    static const char *const pieces[] = {"a", "é", "日", "\u0301", "…", "\x1b", "\xFF", "😀", " "};
    uint32_t state = 7;
    for (int round = 0; round < 2000; round++) {
        const char *string = random_string(&state, pieces, sizeof pieces / sizeof pieces[0]);
        for (int width = 1; width < 20; width++)
            if (!is_cut_well(string, width)) ck_abort_msg("\"%s\" to %d columns", string, width);
        arena_free(&arena);
    }
}
END_TEST

static void check_wrap(const char *paragraph, int width, const char *joined) {
    char **lines;
    const int count = text_wrap(&arena, paragraph, width, &lines);
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (int i = 0; i < count; i++) text_add_format(&text, "%s|", lines[i]);
    ck_assert_str_eq(text.bytes, joined);
}

START_TEST(paragraphs_break_at_blanks) {
    check_wrap("How well does each key answer each query?", 15,
               "How well does|each key answer|each query?|");
    check_wrap("one two", 7, "one two|");
    check_wrap("one two", 6, "one|two|");
    check_wrap("  one \t\n two  ", 20, "one two|");
    check_wrap("", 10, "");
    check_wrap(" \n ", 10, "");
    check_wrap("日本 語", 4, "日本|語|");
    check_wrap("日本 語", 7, "日本 語|");
    check_wrap("√d\u00A0= 2", 5, "√d\u00A0=|2|"); // a no-break space does not break
}
END_TEST

START_TEST(long_words_are_split) {
    check_wrap("a transformers b", 5, "a|trans|forme|rs b|");
    check_wrap("transformers", 4, "tran|sfor|mers|");
    check_wrap("ab 日本語", 3, "ab|日|本|語|");
    check_wrap("日a", 1, "日|a|");
    check_wrap("e\u0301e\u0301", 1, "e\u0301|e\u0301|");
}
END_TEST

static const char *without_blanks(const char *string) {
    struct text text = text_new(&arena);
    text_add(&text, "");
    for (; *string != '\0'; string++) {
        if (*string != ' ') text_add_bytes(&text, string, 1);
    }
    return text.bytes;
}

static bool is_wrapped_well(const char *string, int width) {
    char **lines;
    const int count = text_wrap(&arena, string, width, &lines);
    struct text joined = text_new(&arena);
    text_add(&joined, "");
    for (int i = 0; i < count; i++) {
        if (text_width(lines[i]) > width || lines[i][0] == '\0') return false;
        text_add(&joined, lines[i]);
    }
    return strcmp(without_blanks(joined.bytes), without_blanks(string)) == 0;
}

START_TEST(wrapped_lines_fit_and_lose_nothing) {
    static const char *const pieces[] = {"a", "é", "日", "\u0301", " ", " ", "\xFF", "bc"};
    uint32_t state = 11;
    for (int round = 0; round < 2000; round++) {
        const char *string = random_string(&state, pieces, sizeof pieces / sizeof pieces[0]);
        for (int width = 2; width < 20; width++)
            if (!is_wrapped_well(string, width))
                ck_abort_msg("\"%s\" in %d columns", string, width);
        arena_free(&arena);
    }
}
END_TEST

// ---- Without UTF-8 ------------------------------------------------------------------------------

static void check_ascii(const char *string, const char *expected) {
    ck_assert_str_eq(text_to_ascii(&arena, string), expected);
}

START_TEST(mathematics_becomes_what_one_would_type) {
    check_ascii("S = Q Kᵀ", "S = Q K^T");
    check_ascii("A = softmax(S / √dₖ)", "A = softmax(S / sqrt(d_k))");
    check_ascii("M[i,j] = -∞ if j > i, else S[i,j]", "M[i,j] = -inf if j > i, else S[i,j]");
    check_ascii("e^-∞ = 0", "e^-inf = 0");
    check_ascii("x₀ + x₁₂ ≈ x², x⁻¹", "x_0 + x_12 ~= x^2, x^-1");
    check_ascii("a · b × c ∙ d ÷ e − f", "a * b x c * d / e - f");
    check_ascii("a ≤ b ≥ c ≠ d ± e ∈ F", "a <= b >= c != d +- e in F");
    check_ascii("Σᵢ xᵢ = ∑ x", "sum_i x_i = sum x");
    check_ascii("1/√2 √(a) √d·√0.5", "1/sqrt(2) sqrt(a) sqrt(d)*sqrt(0.5)");
    check_ascii("√√d", "sqrt(sqrt(d))");
    check_ascii("by √d. So", "by sqrt(d). So");
    check_ascii("√", "sqrt");
    check_ascii("W_q ∘ ½ → 𝐱, 𝑦, 𝟏", "W_q o 1/2 -> x, y, 1");
    check_ascii("a ⇒ b ← c ↔ d", "a => b <- c <-> d");
}
END_TEST

START_TEST(greek_letters_become_names) {
    check_ascii("α", "alpha");
    check_ascii("αβ", "alpha beta");
    check_ascii("αx + xα", "alpha x + x alpha");
    check_ascii("2πσ²", "2pi sigma^2");
    check_ascii("θᵢ", "theta_i");
    check_ascii("Δ Ω ω 𝛼 𝜕", "Delta Omega omega alpha d");
    check_ascii("√σ", "sqrt(sigma)");
}
END_TEST

START_TEST(signs_become_similar_signs) {
    check_ascii("a – b — c", "a - b - c");
    check_ascii("“it’s…” «so»", "\"it's...\" <<so>>");
    check_ascii("┌─┬┐│├┼┤└┴┘", "+-++|+++++"
                               "+");
    check_ascii("━┃╭╮╯╰═║╬╱╲", "-|++++-|+/\\");
    check_ascii(" ░▒▓█", " .:*#");
    check_ascii("• one\u00A0two", "* one two");
}
END_TEST

START_TEST(letters_lose_their_accents) {
    check_ascii("étoile", "etoile");
    check_ascii("e\u0301toile", "etoile");
    check_ascii("Ångström Łódź naïve œuvre Straße", "Angstrom Lodz naive oeuvre Strasse");
    check_ascii("ＡＢｃ！", "ABc!");
    check_ascii("日本", "U+65E5U+672C");
    check_ascii("😀", "U+1F600");
    check_ascii("a\xFFz", "a?z");
    check_ascii("plain\ttext\n", "plain\ttext\n");
    check_ascii("", "");
}
END_TEST

// Printable ASCII, and something wherever there was something to see.
static bool is_plain(const char *ascii, uint32_t character) {
    if (character < 0x80) return ascii[0] == (char)character && ascii[1] == '\0';
    for (const char *byte = ascii; *byte != '\0'; byte++) {
        if (*byte < ' ' || *byte > '~') return false;
    }
    return *ascii != '\0' || character_width(character) == 0;
}

START_TEST(no_character_escapes_ascii) {
    for (uint32_t character = 1; character < CHARACTERS; character++) {
        char bytes[5];
        utf8_encode(character, bytes);
        if (!is_plain(text_to_ascii(&arena, bytes), character))
            ck_abort_msg("U+%04X", (unsigned)character);
        if (character % 1024 == 0) arena_free(&arena);
    }
}
END_TEST

// ---- Strangers' text ----------------------------------------------------------------------------

START_TEST(strangers_text_is_made_harmless) {
    ck_assert_str_eq(text_safe(&arena, ""), "");
    ck_assert_str_eq(text_safe(&arena, "étoile 日本 e\u0301"), "étoile 日本 e\u0301");
    ck_assert_str_eq(text_safe(&arena, "a\x1b[31m\x07\n\x7F"), "a\\x1b[31m\\x07\\x0a\\x7f");
    ck_assert_str_eq(text_safe(&arena, "\xFF\xC3x\xE6\x97"), "\\xff\\xc3x\\xe6\\x97");
    ck_assert_str_eq(text_safe(&arena, "\xC2\x9B"
                                       "31m\u2028"),
                     "\\u009b31m\\u2028");
    ck_assert_str_eq(text_safe(&arena, "\u202Egnp.exe\u2066"), "\\u202egnp.exe\\u2066");
    ck_assert_str_eq(text_safe(&arena, "C:\\x1b"), "C:\\x1b");
    ck_assert_str_eq(text_safe_bytes(&arena, "a\0b", 3), "a\\x00b");
    ck_assert_str_eq(text_safe_bytes(&arena, "\0", 1), "\\x00");
    ck_assert_str_eq(text_safe_bytes(&arena, "日", 2), "\\xe6\\x97");
}
END_TEST

static bool is_harmless(const char *string) {
    while (*string != '\0') {
        if (character_width(utf8_next(&string)) < 0) return false;
    }
    return true;
}

START_TEST(no_bytes_are_harmful) {
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            const char bytes[] = {(char)first, (char)second, 'x'};
            const char *safe = text_safe_bytes(&arena, bytes, sizeof bytes);
            if (!utf8_is_valid(safe, strlen(safe)) || !is_harmless(safe))
                ck_abort_msg("%02x %02x", (unsigned)first, (unsigned)second);
        }
        arena_free(&arena);
    }
}
END_TEST

static void add_characters(Suite *suite) {
    TCase *growing = add_case(suite, "growing", set_up_arena, tear_down_arena);
    tcase_add_test(growing, text_grows);
    tcase_add_test(growing, a_long_piece_fits_at_once);
    tcase_add_test(growing, padding_counts_columns);
    TCase *characters = add_case(suite, "characters", set_up_arena, tear_down_arena);
    tcase_set_timeout(characters, 60);
    tcase_add_test(characters, every_character_survives_coding);
    tcase_add_test(characters, what_is_not_utf8_is_refused_byte_by_byte);
    tcase_add_test(characters, characters_have_the_width_of_unicode);
    tcase_add_test(characters, the_tables_of_widths_are_whole);
    tcase_add_test(characters, strings_are_as_wide_as_their_characters);
    tcase_add_test(characters, widths_do_not_ask_the_locale);
}

Suite *text_suite(void) {
    Suite *suite = suite_create("text");
    add_characters(suite);
    TCase *fitting = add_case(suite, "fitting", set_up_arena, tear_down_arena);
    tcase_set_timeout(fitting, 60);
    tcase_add_test(fitting, cut_text_ends_in_dots);
    tcase_add_test(fitting, cut_text_always_fits);
    tcase_add_test(fitting, paragraphs_break_at_blanks);
    tcase_add_test(fitting, long_words_are_split);
    tcase_add_test(fitting, wrapped_lines_fit_and_lose_nothing);
    TCase *other = add_case(suite, "ascii and safe", set_up_arena, tear_down_arena);
    tcase_set_timeout(other, 60);
    tcase_add_test(other, mathematics_becomes_what_one_would_type);
    tcase_add_test(other, greek_letters_become_names);
    tcase_add_test(other, signs_become_similar_signs);
    tcase_add_test(other, letters_lose_their_accents);
    tcase_add_test(other, no_character_escapes_ascii);
    tcase_add_test(other, strangers_text_is_made_harmless);
    tcase_add_test(other, no_bytes_are_harmful);
    return suite;
}
