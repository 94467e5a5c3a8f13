// The line under the matrix: what there is to say of the number under the cursor, or what the last key led
// to.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/number/partial.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "trace/run/step.h"
#include "trace/tape/graph.h"
#include "walk/kit/names.h"
#include "walk/step/screen.h"

static const char *name_of(const struct screen *screen, const struct cell *cell) {
    struct arena *arena = screen->canvas->arena;
    return arena_format(arena, "%s%s", screen->step->name, short_place(arena, cell));
}

const char *focus_name(const struct screen *screen) {
    return name_of(screen, &screen->cell);
}

// "scores[journey, starts]: 0.3135 + 0.8700·0.8500 = 1.0530, the sum so far"; of several sums beside each
// other, which of them.
static const char *term_line(const struct screen *screen, const struct partial *term) {
    struct arena *arena = screen->canvas->arena;
    const char *text = term_text(arena, &screen->derivation, term, screen->scene->digits);
    const bool is_last = term == &screen->terms.all[screen->terms.count - 1];
    const char *which = is_last ? "" : ", the sum so far";
    if (term->lane >= 0) which = arena_format(arena, ", sum number %d", (int)term->lane + 1);
    return arena_format(arena, "%s: %s%s", focus_name(screen), text, which);
}

// The moment inside the step, if the cursor is on what it computes: "scores[journey, starts] =
// 0.5500·0.5700 + 0.8700·0.8500 = 1.4754", "weights row starts: max = 1.4754".
static const char *moment_line(const struct screen *screen) {
    const struct state *state = screen->scene->state;
    const struct order *order = &screen->order;
    struct arena *arena = screen->canvas->arena;
    if (order->moment_count == 0) return NULL;
    const struct moment moment = moment_at(order, state->moment);
    if (moment_of(order, screen->cell.index) > state->moment && moment.part == COMPUTES_CELL)
        return "This cell is not computed yet.";
    if (state->grain == GRAIN_ROW || !same_element(&moment.cell, &screen->cell)) return NULL;
    if (!is_readable(&screen->step->tensor)) return NULL;
    if (current_term(screen) != NULL) return term_line(screen, current_term(screen));
    const struct happening happening =
        what_happens(arena, order, state->moment, screen->scene->digits);
    const bool is_copied_sum = adds_products(&screen->derivation);
    if (moment.part == COMPUTES_CELL)
        return arena_format(arena, "%s = %s", name_of(screen, &moment.cell),
                            is_copied_sum
                                ? mathematics_text(arena, screen->scene->run, &screen->derivation,
                                                   screen->step->number, screen->scene->digits)
                                : happening.what);
    return arena_format(arena, "%s%s%s: %s", screen->step->name,
                        *happening.where != '\0' ? " " : "", happening.where, happening.what);
}

// "weights[one, step] = 0.1295, in the course 0.1210, difference 0.0085": what the course, or the lesson without the mistake, has
// in this cell. Where a mistake changes nothing there is nothing to compare.
static const char *comparison(const struct screen *screen) {
    const struct scene *scene = screen->scene;
    struct arena *arena = screen->canvas->arena;
    if (scene->other == NULL) return NULL;
    const struct tensor *other = same_step_in(scene->other, screen->step);
    if (other == NULL && scene->companion != NULL) return NULL;
    if (other == NULL)
        return arena_format(arena, "There is no such step in %s.", scene->other_place);
    if (compared_with(screen, screen->step) == NULL)
        return arena_format(arena, "In %s this tensor has another shape, %s. Here %s = %s.",
                            scene->other_place, shape_text(arena, shape_of(other)),
                            focus_name(screen), cell_number(arena, &screen->cell, scene->digits));
    const double here = cell_value(&screen->cell), there = element(other, screen->cell.index);
    if (!is_changed_number(screen, screen->step, other, screen->cell.index))
        return scene->is_another
                   ? arena_format(arena, "The same number as in %s.", scene->other_place)
                   : NULL;
    return arena_format(arena, "%s = %s, %s %s, difference %s", focus_name(screen),
                        number_in_digits(arena, here, scene->digits), scene->other_word,
                        number_in_digits(arena, there, scene->digits),
                        number_in_digits(arena, here - there, scene->digits));
}

// The step before this one that the cell's tensor is a view of, if that shows the cell; NULL if not.
static const struct step *earlier_step(const struct screen *screen, const struct cell *cell,
                                       struct cell *found) {
    const struct step *step = step_viewed(screen->scene->run, &cell->tensor, screen->step->number);
    return step != NULL && cell_in_view(&step->tensor, cell, found) ? step : NULL;
}

static bool copies(const struct operation *operation) {
    return operation->moves || operation->writes || operation == &repeat_row ||
           operation == &repeat_interleave_row;
}

// The operand that an operation copied, chose, or gave another type; NULL if it computed.
static const struct operand *passed_on(const struct derivation *derivation) {
    const struct operation *operation = derivation->origin->operation;
    const struct operand *operands = derivation->operands;
    if (derivation->operand_count == 2 && strncmp(operands[1].role, "where ", 6) == 0)
        return &operands[1];
    const bool passes = copies(operation) || strcmp(operation->name, "to") == 0;
    return passes && derivation->operand_count > 0 ? &operands[0] : NULL;
}

// Where a number was copied from, as far back as a step that shows it, or the operation that computed it.
static struct cell copied_from(const struct screen *screen, struct arena *arena, struct cell cell) {
    struct cell found;
    while (earlier_step(screen, &cell, &found) == NULL) {
        const struct derivation derivation = find_operands(arena, &cell);
        const struct operand *from = passed_on(&derivation);
        if (from == NULL) break;
        cell = from->cell;
    }
    return cell;
}

// " (place 4 in memory before, place 7 now)": of a copy at another place, where memory is the subject; else "".
static const char *places_text(const struct screen *screen, const struct cell *from,
                               const struct cell *cell, const struct derivation *derivation) {
    const bool is_whole = count_of(shape_of(&from->tensor)) == count_of(shape_of(&cell->tensor));
    const int64_t before = flat_index(&from->tensor, from->index);
    if (!is_whole || !is_about_memory(&screen->step->tensor) || before == derivation->flat_index)
        return "";
    return arena_format(screen->canvas->arena,
                        " (place %" PRId64 " in memory before, place %" PRId64 " now)", before + 1,
                        derivation->flat_index + 1);
}

// "queries_viewed[b1, Your, 2, 1] = queries[b1, Your, 2] = 0.3965": of a number that was not computed here, but taken from a
// step before or copied. NULL if no step shows it.
static const char *movement(const struct screen *screen, const struct cell *cell,
                            const struct cell *from, const struct derivation *derivation) {
    struct arena *arena = screen->canvas->arena;
    const struct run *run = screen->scene->run;
    const int before = screen->step->number;
    const char *name = name_of(screen, cell),
               *number = cell_number(arena, cell, screen->scene->digits);
    struct cell found = *from;
    const struct step *step = earlier_step(screen, from, &found);
    if (step == NULL && from->tensor.storage->origin->operand_count > 0) return NULL;
    const bool is_program = run->lesson->part == PART_OF_READER;
    if (step == NULL && is_program &&
        strcmp(from->tensor.storage->origin->operation->name, "tensor") == 0)
        return arena_format(arena, "%s = %s, a number of this line", name, number);
    if (step == NULL && from->tensor.storage != run->inputs.storage)
        return arena_format(arena, "%s = %s, from %s", name, number,
                            tensor_name(arena, run, &from->tensor, before));
    const bool is_view = from->tensor.storage == cell->tensor.storage;
    return arena_format(arena, "%s = %s%s = %s%s", name,
                        tensor_name(arena, run, &found.tensor, before), short_place(arena, &found),
                        number, is_view ? "" : places_text(screen, from, cell, derivation));
}

// "; in weights_before 0.1131": the same number in the step that the lesson wants this one to be seen beside; else "".
static const char *number_beside(const struct screen *screen, const struct cell *cell) {
    struct arena *arena = screen->canvas->arena;
    const char *name = screen->step->beside;
    const struct step *step = name != NULL ? step_called(screen->scene->run, name) : NULL;
    if (step == NULL || !shapes_equal(shape_of(&step->tensor), shape_of(&cell->tensor))) return "";
    return arena_format(
        arena, "; in %s %s", step->name,
        number_in_digits(arena, element(&step->tensor, cell->index), screen->scene->digits));
}

// "scores[journey, starts] = 0.5500·0.5700 + 0.8700·0.8500 + 0.6600·0.6400 = 1.4754". A copy of a number that no step
// shows is said as that number was computed.
static const char *arithmetic(const struct screen *screen, const struct cell *cell,
                              const struct derivation *derivation) {
    struct arena *arena = screen->canvas->arena;
    const struct run *run = screen->scene->run;
    const int digits = screen->scene->digits, before = screen->step->number;
    if (count_of(shape_of(&cell->tensor)) == 0) return "it has no numbers";
    const struct step *inside = computed_in_call(run, screen->step);
    struct cell found;
    if (inside !=
        NULL) { // "context[1, 1] = 0.3362, computed inside the call, in attn: return[1, 1]. I enters the call."
        const bool is_there = cell_in_view(&inside->tensor, cell, &found);
        return arena_format(arena, "%s = %s, computed inside the call, in %s%s.%s",
                            name_of(screen, cell), cell_number(arena, cell, digits),
                            step_label(arena, inside), is_there ? short_place(arena, &found) : "",
                            screen->canvas->look.has_buttons ? "" : " I enters the call.");
    }
    const bool is_copy = copies(derivation->origin->operation);
    const struct cell source =
        is_copy ? copied_from(screen, arena, derivation->operands[0].cell) : *cell;
    const bool is_view = shows_view(run, screen->step);
    const char *moved = is_view   ? movement(screen, cell, cell, derivation)
                        : is_copy ? movement(screen, cell, &source, derivation)
                                  : NULL;
    if (moved != NULL) return moved;
    const struct derivation computed =
        is_copy ? derive_conclusion(arena, &source, digits) : *derivation;
    const bool has_lines = computed.operand_count > 0 && computed.line_count > 0;
    const struct operation *operation = computed.origin->operation;
    const bool is_drawn = operation == &uniform_row || operation == &normal_row;
    return arena_format(arena, "%s = %s%s%s", name_of(screen, cell),
                        has_lines ? mathematics_text(arena, run, &computed, before, digits)
                                  : cell_number(arena, cell, digits),
                        is_drawn ? ", drawn" : "", number_beside(screen, cell));
}

static int rows_of_text(const struct screen *screen, const char *text) {
    return add_paragraph(screen, &(struct slot){0}, text, screen->width);
}

// A line that takes more rows is too long to be read here.
static int most_rows(const struct screen *screen) {
    return screen->canvas->rows < TALL_ROWS ? screen->canvas->rows / 5 : 7;
}

// About how many columns the arithmetic of a cell takes: its labels, and each number by its sign and its digits.
static double columns_of(const struct screen *screen, const struct cell *cell) {
    struct scratch scratch; // a cell of a long sum has many operands
    struct arena *arena = scratch_open(&scratch, screen->scene->matrix_cache->failure);
    double columns = 0;
    for (int dim = 0; dim < cell->tensor.ndim; dim++)
        columns += text_width(label_at(arena, &cell->tensor, dim, cell->index));
    struct derivation derivation = find_operands(arena, cell);
    if (copies(derivation.origin->operation)) {
        const struct cell from = copied_from(screen, arena, derivation.operands[0].cell);
        derivation = find_operands(arena, &from);
    }
    for (int i = 0; i < derivation.operand_count; i++) {
        const struct operand *operand = &derivation.operands[i];
        const bool is_true = operand->value == 1 && operand->cell.tensor.storage->dtype == BOOL;
        columns +=
            8 + (operand->value < 0 ? 3 : 0) + (is_true ? 16 : 0); // it says what a mask does
        if (isfinite(operand->value) && operand->value != 0)
            columns += fabs(log10(fabs(operand->value)));
    }
    scratch_close(&scratch);
    return columns;
}

// The rows of the longest arithmetic of all cells, or of some of these where all would be too many. As many are kept, so that
// the matrices stay where they are when the cursor moves or a page turns. A few that seem longest are written.
static int rows_of_longest(const struct screen *screen) {
    enum { MOST_CELLS = 512, MOST_COLUMNS = 8000, WRITTEN = 6, MOST_WRITTEN = 3000 };
    const struct tensor *tensor = &screen->step->tensor;
    const struct table table = screen->matrix->table;
    const int64_t page = table.rows * table.columns, count = page * table.pages;
    struct cell longest[WRITTEN] = {screen->cell};
    double columns[WRITTEN] = {0}, seen = 0, written = 0;
    for (int64_t i = count - 1; i >= 0 && seen < MOST_COLUMNS; i -= 1 + count / MOST_CELLS) {
        struct cell cell = {.tensor = *tensor};
        table_index(tensor, i / page, i % page / table.columns, i % table.columns, cell.index);
        const double taken = columns_of(screen, &cell);
        int least = 0;
        for (int k = 1; k < WRITTEN; k++) least = columns[k] < columns[least] ? k : least;
        if (taken > columns[least]) columns[least] = taken, longest[least] = cell;
        seen += taken;
    }
    int rows = 1;
    for (int i = 0; i < WRITTEN && columns[i] > 0 && written < MOST_WRITTEN; i++) {
        const struct derivation derivation =
            derive_conclusion(screen->canvas->arena, &longest[i], screen->scene->digits);
        const int more = rows_of_text(screen, arithmetic(screen, &longest[i], &derivation));
        rows = more > rows ? more : rows;
        written += columns[i];
    }
    return rows;
}

// The rows that are kept, also for the arithmetic that stands there now.
static int reserved_rows(const struct screen *screen, const char *here) {
    struct longest_arithmetic *known = &screen->scene->matrix_cache->longest;
    const struct tensor *tensor = &screen->step->tensor;
    const int digits = screen->scene->digits, most = most_rows(screen);
    const bool is_ascii = screen->canvas->look.is_ascii;
    if (!is_readable(tensor)) return 1;
    if (known->rows == 0 || known->width != screen->width || known->digits != digits ||
        known->is_ascii != is_ascii || known->step != screen->step)
        *known = (struct longest_arithmetic){screen->step, screen->width, digits, is_ascii,
                                             rows_of_longest(screen)};
    const int needed = rows_of_text(screen, here),
              rows = known->rows > needed ? known->rows : needed;
    return rows < most ? rows : most;
}

// ---- Contributions ------------------------------------------------------------------------------

// An addend of the number under the cursor.
struct addend {
    const char *name;
    double value;
};

// What an addend of a sum is called, by what tells it from the next one of the same operand: its label along the
// dimension that is added up, its place where that are several.
static const char *name_of_addend(struct arena *arena, const struct derivation *derivation, int i) {
    const struct operand *operand = &derivation->operands[i];
    const struct tensor *tensor = &operand->cell.tensor;
    int summed = -1;
    for (int k = 0; k < derivation->operand_count; k++) {
        const struct operand *other = &derivation->operands[k];
        for (int dim = 0; other->number == operand->number && dim < tensor->ndim; dim++) {
            if (other->cell.index[dim] == operand->cell.index[dim] || summed == dim) continue;
            if (summed >= 0) return short_place(arena, &operand->cell);
            summed = dim;
        }
    }
    if (summed < 0) return operand->role;
    const char *name = axis_name(tensor, summed);
    const bool is_numbered = name != NULL && tensor->axis[summed].labels == NULL;
    return arena_format(arena, "%s%s%s", is_numbered ? name : "", is_numbered ? " " : "",
                        label_at(arena, tensor, summed, operand->cell.index));
}

// The addends of a sum of three or more, from the largest to the smallest, whatever their signs; 0 of
// anything else. What is added behind a product's pairs, a bias, goes by its role.
static int addends_of(struct arena *arena, const struct derivation *derivation,
                      struct addend **addends) {
    enum { FEWEST = 3 };
    const int factors = derivation->origin->operation->factors;
    if (factors == 0 || derivation->operand_count < FEWEST * factors) return 0;
    int count = 0;
    *addends = arena_array(arena, (size_t)derivation->operand_count, sizeof **addends);
    for (int i = 0; i < derivation->operand_count;) {
        const struct operand *operand = &derivation->operands[i];
        const bool is_whole = i + factors <= derivation->operand_count;
        double value = operand->value;
        for (int k = 1; k < factors && is_whole; k++) value *= derivation->operands[i + k].value;
        const char *name = is_whole ? name_of_addend(arena, derivation, i) : operand->role;
        int at = count++;
        for (; at > 0 && fabs((*addends)[at - 1].value) < fabs(value); at--)
            (*addends)[at] = (*addends)[at - 1];
        (*addends)[at] = (struct addend){name, value};
        i += is_whole ? factors : 1;
    }
    return count;
}

// "Largest terms: starts ██████ 0.0229  journey ███ 0.0123": as many of the largest addends as fit into a line; NULL if
// there is nothing to weigh up.
static const char *contributions(const struct screen *screen) {
    enum { LONGEST = 8 };
    const struct canvas *canvas = screen->canvas;
    struct arena *arena = canvas->arena;
    struct addend *addends;
    const bool is_view = shows_view(screen->scene->run, screen->step);
    const int count = is_view ? 0 : addends_of(arena, &screen->derivation, &addends);
    const double least = screen->scene->digits < 0 ? 0 : pow(10, -screen->scene->digits) / 2;
    if (count == 0 || !(fabs(addends[0].value) > least) || !isfinite(addends[0].value)) return NULL;
    struct text line = text_new(arena);
    text_add(&line, "Largest terms:");
    for (int i = 0; i < count && fabs(addends[i].value) > least; i++) {
        struct text addend = text_new(arena);
        text_add_format(&addend, " %s ", addends[i].name);
        const double share = fabs(addends[i].value / addends[0].value);
        text_add_repeated(&addend, canvas->look.is_ascii ? "=" : "█", (int)lround(LONGEST * share));
        text_add_format(&addend, " %s",
                        number_in_arithmetic(arena, addends[i].value, screen->scene->digits));
        if (shown_width(canvas, line.bytes) + shown_width(canvas, addend.bytes) + 1 > screen->width)
            break;
        text_add_format(&line, "%s%s", i > 0 ? " " : "", addend.bytes);
    }
    return line.bytes;
}

// ---- Factors that stand in no table -----------------------------------------------------------------

static bool is_on_screen(const struct screen *screen, const struct tensor *tensor) {
    for (int i = 0; i < screen->matrices.count; i++) {
        const struct matrix *matrix = screen->matrices.panels[i].placed.matrix;
        if (matrix->tensor.storage == tensor->storage) return true;
    }
    return false;
}

// "[1, :]": the places of all operands of one number among those of a derivation, a colon where they differ.
static const char *places_of(struct arena *arena, const struct derivation *derivation, int first) {
    const struct operand *operand = &derivation->operands[first];
    const struct tensor *tensor = &operand->cell.tensor;
    struct text text = text_new(arena);
    for (int dim = 0; dim < tensor->ndim; dim++) {
        const char *label = label_at(arena, tensor, dim, operand->cell.index);
        for (int i = first; i < derivation->operand_count; i++) {
            const struct operand *other = &derivation->operands[i];
            if (other->number == operand->number &&
                other->cell.index[dim] != operand->cell.index[dim])
                label = ":";
        }
        text_add_format(&text, "%s%s", dim == 0 ? "[" : ", ", label);
    }
    text_add(&text, tensor->ndim > 0 ? "]" : "");
    return text.bytes;
}

// "; 0.0737, ... are W_ffn2[1, :]; 0.1334 is W_ffn2_bias[1]": of a sum of products, the factors that stand in no table on
// screen; "" if all do.
static const char *factors_elsewhere(const struct screen *screen, int most) {
    struct arena *arena = screen->canvas->arena;
    struct derivation computed = screen->derivation; // of a copy, what it was computed from
    if (copies(computed.origin->operation) && computed.operand_count > 0) {
        const struct cell from = copied_from(screen, arena, computed.operands[0].cell);
        computed = find_operands(arena, &from);
    }
    const struct derivation *derivation = &computed;
    struct text text = text_new(arena);
    text_add(&text, "");
    if (derivation->origin->operation->factors == 0) return text.bytes;
    for (int number = 0; number < most; number++) {
        int first = -1, count = 0;
        for (int i = 0; i < derivation->operand_count; i++) {
            if (derivation->operands[i].number != number) continue;
            first = count++ == 0 ? i : first;
        }
        if (count == 0) continue;
        const struct operand *operand = &derivation->operands[first];
        if (is_on_screen(screen, &operand->cell.tensor)) continue;
        const struct tensor *tensor = &operand->cell.tensor;
        const struct run *run = screen->scene->run;
        const int before = screen->step->number;
        const bool is_shown =
            step_viewed(run, tensor, before) != NULL || tensor->storage == run->inputs.storage;
        const char *name =
            is_shown ? short_name(arena, tensor_name(arena, run, tensor, before)) : NULL;
        if (tensor->storage == run->inputs.storage) name = "inputs";
        if (name == NULL) continue;
        const char *figure = number_in_arithmetic(arena, operand->value, screen->scene->digits);
        text_add_format(&text, "; %s%s %s%s", figure, count > 1 ? ", ... are" : " is", name,
                        places_of(arena, derivation, first));
    }
    return text.bytes;
}

// Behind the arithmetic stands where its other factors are from, if the rows of the slot hold it: at least those of the
// products, without the bias.
static bool draw_with_factors(struct screen *screen, const struct slot *slot) {
    enum { WITH_BIAS = 3, FACTORS = 2 };
    struct arena *arena = screen->canvas->arena;
    const struct derivation *derivation = &screen->derivation;
    if (shows_view(screen->scene->run, screen->step)) return false;
    if (copies(derivation->origin->operation) && derivation->operand_count > 0) {
        const struct cell from = copied_from(screen, arena, derivation->operands[0].cell);
        if (movement(screen, &screen->cell, &from, derivation) != NULL) return false;
    }
    const char *whole = arithmetic(screen, &screen->cell, &screen->derivation);
    struct slot plain = {.row = slot->row, .rows = slot->rows};
    if (add_paragraph(screen, &plain, whole, screen->width) != slot->wanted) return false;
    for (int most = WITH_BIAS; most >= FACTORS; most--) {
        const char *elsewhere = factors_elsewhere(screen, most);
        if (*elsewhere == '\0') return false;
        const char *line = arena_format(arena, "%s%s", whole, elsewhere);
        struct slot longer = {.row = slot->row, .rows = slot->rows};
        longer.wanted = add_paragraph(screen, &longer, line, screen->width);
        if (longer.wanted > slot->rows) continue;
        put_lines(screen, &longer, 1, PLAIN);
        return true;
    }
    return false;
}

// ---- The block ----------------------------------------------------------------------------------

// The lines in full; of what is too long to be read here, where to read it. One more, the largest terms of a sum or in which
// order it is made, stands below them where a row is left for it.
static int want_readout(struct screen *screen, struct slot *slot, const char *line,
                        const char *more) {
    int count = add_paragraph(screen, slot, line, screen->width);
    if (count > most_rows(screen)) {
        struct arena *arena = screen->canvas->arena;
        const char *number = cell_number(arena, &screen->cell, screen->scene->digits);
        line = arena_format(arena, "%s = %s (Enter: of which numbers)", focus_name(screen), number);
        slot->line_count = 0;
        count = add_paragraph(screen, slot, line, screen->width);
    }
    if (more != NULL) add_line(screen, slot, more);
    return count;
}

static int want_cell(struct screen *screen, struct slot *slot) {
    const char *message = screen->scene->state->message;
    if (*message != '\0') {
        const char *here = arithmetic(screen, &screen->cell, &screen->derivation);
        slot->needed = reserved_rows(screen, here); // a message moves nothing either
        return add_paragraph(screen, slot, message, screen->width);
    }
    if (screen->failure != NULL) return 0;
    if (marks_at_cursor(screen) & CELL_HIDDEN)
        return add_paragraph(screen, slot,
                             arena_format(screen->canvas->arena, "%s = ?", focus_name(screen)),
                             screen->width);
    const char *moment = moment_line(screen), *compared = comparison(screen);
    const char *whole = arithmetic(screen, &screen->cell, &screen->derivation);
    if (moment == NULL && compared != NULL) return want_readout(screen, slot, compared, NULL);
    slot->needed = reserved_rows(screen, whole); // inside as for the whole step
    if (moment == NULL) return want_readout(screen, slot, whole, contributions(screen));
    const char *order = current_term(screen) != NULL ? screen->terms.order : NULL;
    if (order != NULL)
        return want_readout(screen, slot, moment,
                            shown_width(screen->canvas, order) <= screen->width ? order : NULL);
    const bool is_computed =
        moment_of(&screen->order, screen->cell.index) <= screen->scene->state->moment;
    return want_readout(screen, slot, moment, is_computed ? contributions(screen) : NULL);
}

static void draw_cell(struct screen *screen, const struct slot *slot) {
    const struct state *state = screen->scene->state;
    const bool is_plain = *state->message == '\0' && state->grain == GRAIN_STEP &&
                          screen->failure == NULL && screen->arrangement->hide == NULL &&
                          screen->scene->other == NULL;
    if (is_plain && draw_with_factors(screen, slot)) return;
    put_lines(screen, slot, 1, *state->message != '\0' ? BOLD : PLAIN);
}

const struct block cell_block = {.wants = want_cell, .draw = draw_cell};
