#include "tensor/text/printed.h"

#include <math.h>
#include <string.h>

#include "tensor/text/fields.h"
#include "tensor/text/numeral.h"

// ---- Lines --------------------------------------------------------------------------------------

// A table as it is being read.
struct table_reading {
    struct reading *reading;
    struct lines lines;
    struct collector collector;
    int labels; // columns before the numbers, -1 before that is known
    int64_t rows;
    int64_t columns;  // of numbers
    bool is_triangle; // each row has one number more than the one before
    int power;        // each number was divided by 10^power: C++ writes "0.01 *" above them
};

// "(2,.,.) = ": C++ writes it above a matrix of a larger tensor.
static bool take_slice(struct reading *reading) {
    struct reading ahead = *reading;
    skip_spaces(&ahead);
    if (!skip_word(&ahead, "(")) return false;
    while (!at_line_end(&ahead) && strchr("0123456789.,", *ahead.next) != NULL) ahead.next++;
    if (!skip_word(&ahead, ") =")) return false;
    skip_line(&ahead);
    *reading = ahead;
    return true;
}

// "0.01 *", or "1e-05  *": what the numbers below are to be multiplied by.
static bool take_factor(struct table_reading *table) {
    struct reading ahead = *table->reading;
    struct numeral factor;
    skip_spaces(&ahead);
    if (!take_numeral(&ahead, &factor) || !(factor.value > 0)) return false;
    skip_spaces(&ahead);
    if (!skip_word(&ahead, "*")) return false;
    skip_spaces(&ahead);
    if (!at_line_end(&ahead)) return false;
    table->power = (int)rint(log10(factor.value));
    skip_line(&ahead);
    *table->reading = ahead;
    return true;
}

// Moves to the next line of the table; returns false at its end, where a bracket may open.
static bool find_row(struct table_reading *table) {
    struct reading *reading = table->reading;
    do {
        if (!next_line(&table->lines)) return false;
    } while (take_slice(reading) || take_factor(table));
    struct reading ahead = *reading;
    skip_spaces(&ahead);
    return *ahead.next != '[';
}

// What divides the fields of the line that comes next.
static char divider_of(const struct reading *reading) {
    static const char dividers[] = ";,\t";
    const char *end = memchr(reading->next, '\n', (size_t)(reading->end - reading->next));
    const size_t length = (size_t)((end != NULL ? end : reading->end) - reading->next);
    for (const char *divider = dividers; *divider != '\0'; divider++) {
        if (memchr(reading->next, *divider, length) != NULL) return *divider;
    }
    return ' ';
}

// ---- What the fields are ------------------------------------------------------------------------

// Written without a point or an exponent, as pandas numbers columns?
static bool is_whole(struct field field) {
    for (size_t i = 0; i < field.length; i++) {
        if (field.bytes[i] < '0' || field.bytes[i] > '9') return false;
    }
    return true;
}

// A number, or what wants to be one or several and is not: "0,43", "2 3".
static bool looks_like_number(struct field field) {
    bool has_digit = false;
    for (size_t i = 0; i < field.length; i++) {
        const char byte = field.bytes[i];
        const bool begins_word = i == 0 || is_space(field.bytes[i - 1]);
        if (strchr("0123456789+-.,eE \t", byte) == NULL || byte == '\0') return false;
        if (begins_word && (byte == 'e' || byte == 'E')) return false;
        has_digit = has_digit || (byte >= '0' && byte <= '9');
    }
    return has_digit;
}

// What columns of labels are called in the files that `print --format csv` writes, and in others'.
static bool names_labels(struct field field) {
    static const char *const names[] = {
        "",      "batch", "head",  "head_dim",    "query",  "key", "token", "feature", "input",
        "width", "word",  "place", "probability", "factor", "row", "index", "id"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_called(field, names[i])) return true;
    }
    if (field.length <= 4 || memcmp(field.bytes, "dim ", 4) != 0) return false;
    return is_whole((struct field){.bytes = field.bytes + 4, .length = field.length - 4});
}

// Does the line at `start` count 0, 1, 2, ..., as pandas numbers columns, and does the line behind it have
// a point somewhere, which rows that count have not? Looks ahead only. *labels becomes 1 if that line has
// a field more: its own number.
static bool counts_columns(const struct table_reading *table, const char *start, int *labels) {
    struct reading ahead = *table->reading;
    const struct lines line = {.reading = &ahead, .divider = table->lines.divider};
    ahead.next = start;
    int fields = 0;
    do {
        const struct field field = take_field(&line);
        if (!is_called(field, arena_format(ahead.arena, "%d", fields))) return false;
        fields++;
    } while (skip_divider(&line));
    skip_line(&ahead);
    bool has_point = false;
    int behind = 0;
    do {
        const struct field field = take_field(&line);
        has_point = has_point || memchr(field.bytes, '.', field.length) != NULL;
        behind++;
    } while (skip_divider(&line));
    if (has_point && behind == fields + 1) *labels = 1;
    return has_point;
}

// Looks at the first line: does it name columns? Then moves behind it, and counts those of labels,
// as far as their names tell.
static int take_header(struct table_reading *table) {
    struct reading *reading = table->reading;
    const char *start = reading->next;
    const struct field first = take_field(&table->lines);
    struct field last = first;
    int fields = 1, labels = names_labels(first) ? 1 : 0;
    for (; skip_divider(&table->lines); fields++) {
        last = take_field(&table->lines);
        if (labels == fields && names_labels(last)) labels++;
    }
    const bool has_number = is_numeral(table->reading, last, NULL) || looks_like_number(last);
    const bool is_header = !has_number || (names_labels(first) && is_whole(last)) ||
                           counts_columns(table, start, &labels);
    if (!is_header) {
        reading->next = start;
        return 0;
    }
    skip_line(reading);
    return labels < fields ? labels : fields - 1;
}

// ---- Numbers ------------------------------------------------------------------------------------

_Noreturn static void fail_number(const struct table_reading *table, struct field field) {
    const struct reading *reading = table->reading;
    if (field.length == 0) fail_at(reading, field.start, "a number is missing");
    const char *hint = "";
    if (memchr(field.bytes, ' ', field.length) != NULL ||
        memchr(field.bytes, '\t', field.length) != NULL)
        hint = ": put commas or blanks between numbers, not both, and a point before decimals";
    if (memchr(field.bytes, ',', field.length) != NULL)
        hint = ": write a decimal point, not a comma";
    fail_at(reading, field.start, "\"%s\" is not a number%s", field_text(reading, field), hint);
}

static void take_number(struct table_reading *table, struct field field) {
    if (field.length >= 3 && memcmp(field.bytes, "...", 3) == 0)
        fail_at(table->reading, field.start, "cut with \"...\": write all numbers");
    struct numeral numeral;
    if (!is_numeral(table->reading, field, &numeral)) fail_number(table, field);
    if (table->power != 0 && numeral.decimals != EXACT) {
        numeral.value *= pow(10, table->power);
        numeral.decimals -= table->power;
    }
    collect(&table->collector, &numeral, field.start);
}

// "Your: -0.08": a label and the first number of a row in one field. Takes the label and a colon off;
// returns false, and changes nothing, if it is none.
static bool split_label(const struct table_reading *table, struct field *field) {
    const char *colon = memchr(field->bytes, ':', field->length);
    if (colon == NULL) return false;
    struct field rest = *field;
    rest.bytes = colon + 1;
    rest.length = field->length - (size_t)(rest.bytes - field->bytes);
    rest.start = field->start + (rest.bytes - field->bytes);
    if (rest.length == 0 || !is_numeral(table->reading, rest, NULL)) return false;
    *field = rest;
    return true;
}

// A row has as many numbers as the one before, or all have one more.
static void check_row(struct table_reading *table, const char *at, int64_t columns) {
    if (columns == 0) fail_at(table->reading, at, "no numbers in this line: take it out");
    if (table->rows == 1 && table->columns == 1 && columns == 2) table->is_triangle = true;
    const int64_t expected = table->is_triangle ? table->rows + 1 : table->columns;
    if (table->rows > 0 && columns != expected)
        fail_at(table->reading, at, "%lld number%s in this line, %lld in the line%s before",
                (long long)columns, columns == 1 ? "" : "s", (long long)table->columns,
                table->is_triangle ? "" : "s");
}

// A line: labels, then numbers.
static void take_row(struct table_reading *table) {
    const char *at = table->reading->next;
    int64_t columns = 0, fields = 0;
    do {
        struct field field = take_field(&table->lines);
        if (fields == 0 && split_label(table, &field)) {
            take_number(table, field);
            columns++;
            continue;
        }
        const bool may_be_label =
            table->rows == 0 && columns == 0 && field.length > 0 && !looks_like_number(field);
        if (may_be_label && fields == table->labels && !is_numeral(table->reading, field, NULL))
            table->labels++;
        if (fields++ < table->labels) continue;
        take_number(table, field);
        columns++;
    } while (skip_divider(&table->lines));
    check_row(table, at, columns);
    table->columns = columns;
    table->rows++;
    skip_line(table->reading);
}

// The square that a triangle is half of; what is missing is 0.
static void complete_triangle(struct table_reading *table) {
    static const struct numeral zero = {.decimals = EXACT};
    const struct collector given = table->collector;
    size_t next = 0;
    table->collector = (struct collector){.reading = table->reading};
    for (int64_t row = 0; row < table->rows; row++) {
        for (int64_t column = 0; column < table->rows; column++)
            collect(&table->collector, column <= row ? &given.numerals[next++] : &zero,
                    table->reading->next);
    }
}

struct numbers read_table(struct reading *reading) {
    struct table_reading table = {
        .reading = reading, .lines.reading = reading, .collector.reading = reading};
    if (!find_row(&table)) fail_at(reading, reading->next, "no numbers here");
    table.lines.divider = divider_of(reading);
    table.labels = take_header(&table);
    while (find_row(&table)) take_row(&table);
    if (table.rows == 0) fail_at(reading, reading->next, "no numbers here");
    if (table.is_triangle) complete_triangle(&table);
    struct numbers numbers =
        collected(&table.collector, FORM_TABLE, SHAPE(table.rows, table.columns));
    numbers.is_triangle = table.is_triangle;
    return numbers;
}
