#include "tensor/operation/addends.h"

#include <inttypes.h>

// What is being written. In front of all but the first of a bracket there is a plus.
struct writing {
    struct account *account;
    struct text text;
    bool has_begun; // the innermost bracket holds something
};

// A 0 has no sign here: in a sum "(-0.0000)" says no more than "0.0000".
static void write_number(struct writing *w, float signed_number) {
    const float number = signed_number + 0.0f;
    text_add_format(&w->text, "%s%s", w->has_begun ? " + " : "",
                    w->has_begun ? bracketed(w->account, (double)number)
                                 : figure(w->account, (double)number));
    w->has_begun = true;
}

// The first of a sum needs no brackets, nor does a single number.
static bool open_bracket(struct writing *w, int64_t count) {
    const bool has_bracket = w->has_begun && count > 1;
    if (has_bracket) text_add(&w->text, " + (");
    if (has_bracket) w->has_begun = false;
    return has_bracket;
}

static void close_bracket(struct writing *w, bool has_bracket) {
    if (has_bracket) text_add(&w->text, ")");
    if (has_bracket) w->has_begun = true;
}

static void write_in_order(struct writing *w, struct line line) {
    for (int64_t i = 0; i < line.count; i++) write_number(w, number_in(line, i));
}

enum { RUN = 16, CASCADES = 4, LANES = 8, LEVELS = 4 };

// A group of numbers in runs of `unit`, each of them in runs, down to single numbers.
static void write_runs(struct writing *w, struct line line, int64_t unit) {
    const bool has_bracket = open_bracket(w, line.count);
    if (unit == 1) write_in_order(w, line);
    for (int64_t i = 0; unit > 1 && i < line.count; i += unit)
        write_runs(w, part_of(line, i, i + unit), unit / RUN);
    close_bracket(w, has_bracket);
}

static void write_cascade(struct writing *w, struct line line) {
    int64_t end = line.count, unit = 1;
    for (int level = 0; level < LEVELS; level++, unit *= RUN) {
        const int64_t units = line.count / unit,
                      at_level = level + 1 < LEVELS ? units % RUN : units;
        if (at_level == 0) continue;
        write_runs(w, part_of(line, end - at_level * unit, end), unit);
        end -= at_level * unit;
    }
}

static void write_four_cascades(struct writing *w, struct line line) {
    const int64_t whole = line.count - line.count % CASCADES;
    for (int j = 0; j < CASCADES; j++) {
        const struct line cascade = every(part_of(line, 0, whole), CASCADES, j);
        const bool has_bracket = open_bracket(w, cascade.count);
        write_cascade(w, cascade);
        if (j == 0) write_in_order(w, part_of(line, whole, line.count));
        close_bracket(w, has_bracket);
    }
}

static void write_eight_lanes(struct writing *w, struct line line) {
    const int64_t whole = line.count - line.count % LANES;
    write_in_order(w, part_of(line, whole, line.count));
    for (int lane = 0; lane < LANES; lane++) {
        const bool has_bracket = open_bracket(w, whole / LANES);
        write_four_cascades(w, every(part_of(line, 0, whole), LANES, lane));
        close_bracket(w, has_bracket);
    }
}

// Two halves of two pairs of two lanes.
static void write_lanes_by_halves(struct writing *w, struct line line) {
    static const int lanes[2][2][2] = {{{0, 4}, {2, 6}}, {{1, 5}, {3, 7}}};
    if (line.count < LANES) {
        write_in_order(w, line);
        return;
    }
    for (int half = 0; half < 2; half++) {
        const bool has_bracket = open_bracket(w, line.count / 2);
        for (int pair = 0; pair < 2; pair++) {
            const bool pair_bracket = open_bracket(w, line.count / 4);
            for (int i = 0; i < 2; i++) write_runs(w, every(line, LANES, lanes[half][pair][i]), 1);
            close_bracket(w, pair_bracket);
        }
        close_bracket(w, has_bracket);
    }
}

const char *sum_text(struct account *account, struct line addends, enum sum_order order) {
    static void (*const ways[])(struct writing *, struct line) = {
        [IN_ORDER] = write_in_order,
        [CASCADE] = write_cascade,
        [FOUR_CASCADES] = write_four_cascades,
        [EIGHT_LANES] = write_eight_lanes,
        [LANES_BY_HALVES] = write_lanes_by_halves,
    };
    struct writing writing = {.account = account, .text = empty_text(account)};
    ways[order](&writing, addends);
    return addends.count == 0 ? "0" : writing.text.bytes;
}

void say_order(struct account *account, int64_t count, enum sum_order order) {
    if (order == EIGHT_LANES || (order == LANES_BY_HALVES && count >= LANES)) {
        say(account, "added in PyTorch's order: eight sums, each of every eighth number");
    } else if (order == FOUR_CASCADES && count >= 2 * CASCADES) {
        say(account, "added in PyTorch's order: four sums, each of every fourth number");
    } else if (order == FOUR_CASCADES && count > CASCADES) {
        struct text text = empty_text(account);
        for (int64_t i = CASCADES + 1; i <= count; i++) text_add_format(&text, "%" PRId64 ", ", i);
        say(account, "added in PyTorch's order: numbers 1, %s2, 3, 4", text.bytes);
    } else if (order == CASCADE && count >= RUN) {
        say(account, "added in PyTorch's order: in runs of sixteen");
    }
}
