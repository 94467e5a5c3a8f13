#include "app/check/relation/fitted.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "app/check/compare.h"
#include "base/text.h"
#include "tensor/operation/tolerance.h"

// Bits: that something is done at all, and which it is.
static const double FITTED = 8, SIMPLE = 1, OF_DIGIT = 3.4;

struct fitting {
    struct arena *arena;
    const struct tensor *right;
    const struct numbers *numbers;
    const double *allowed;
    const double *least; // what is allowed without what rounding moves
    int64_t count;
    struct fits fits;
};

// How far the number at a position may lie from `number`, which is computed from the right one at `at`, `times` as large.
static double allowed_at(const struct fitting *fitting, int64_t position, int64_t at, double number,
                         double times) {
    const double moved = fmax(fitting->allowed[position] - fitting->least[position],
                              fitting->allowed[at] - fitting->least[at]);
    return half_unit_at(fitting->numbers, position) + times * moved +
           (isfinite(number) ? ROUNDING * fabs(number) : 0);
}

static void add_fit(struct fitting *fitting, const char *text, float *values, double *allowed,
                    double price) {
    struct fits *fits = &fitting->fits;
    for (int64_t i = 0; i < fitting->count; i++)
        if (!agree(fitting->numbers->values[i], (double)values[i], allowed[i])) return;
    fits->all = arena_grow(fitting->arena, fits->all, (size_t)fits->count * sizeof *fits->all,
                           sizeof *fits->all);
    fits->all[fits->count++] = (struct fit){
        .text = text,
        .tensor = tensor_around(fitting->arena, shape_of(fitting->right), values),
        .allowed = allowed,
        .price = FITTED + price,
    };
}

// ---- A constant ---------------------------------------------------------------------------------

// A number as it is written, and how many bits that takes.
struct constant {
    double value;
    const char *text;
    double price;
};

static void take(struct constant *best, double low, double high, struct constant other) {
    if (other.value < low || other.value > high) return;
    if (best->text == NULL || other.price < best->price) *best = other;
}

// The number between `low` and `high`, which are positive, that is the simplest to write.
static struct constant simplest(struct arena *arena, double low, double high) {
    enum { MOST_DIGITS = 9 };
    struct constant best = {0};
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        const char *text = arena_format(arena, "%.*g", digits, (low + high) / 2);
        const double value = strtod(text, NULL);
        const double price = OF_DIGIT * digits + fabs(log10(value));
        take(&best, low, high, (struct constant){value, text, SIMPLE + price});
    }
    return best;
}

// The same of a factor: a root, or a number that it is divided by, may be simpler. `text` is what stands behind the value.
static struct constant simplest_factor(struct arena *arena, double low, double high) {
    enum { MOST_UNDER_ROOT = 64 };
    struct constant best = simplest(arena, low, high);
    struct constant divided = simplest(arena, 1 / high, 1 / low);
    best.text = arena_format(arena, " * %s", best.text);
    divided.text = arena_format(arena, " / %s", divided.text);
    if (divided.price < best.price)
        best = (struct constant){1 / divided.value, divided.text, divided.price};
    for (int i = 2; i <= MOST_UNDER_ROOT; i++) {
        const double root = sqrt(i), price = SIMPLE + 2 * log2(i);
        take(&best, low, high,
             (struct constant){root, arena_format(arena, " * %d**0.5", i), price});
        take(&best, low, high,
             (struct constant){1 / root, arena_format(arena, " / %d**0.5", i), price});
    }
    return best;
}

// The position where the file's number tells most of a factor: it and the right one are not 0, and it is the largest.
static int64_t largest_at(const struct fitting *fitting) {
    const double *values = fitting->numbers->values;
    int64_t best = -1;
    for (int64_t i = 0; i < fitting->count; i++) {
        const double right = element_at(fitting->right, i);
        if (!isfinite(values[i]) || !isfinite(right) || right == 0 || values[i] == 0) continue;
        if (best < 0 || fabs(values[i]) > fabs(values[best])) best = i;
    }
    return best;
}

// The interval in which all numbers want the constant.
static void narrow(const struct fitting *fitting, bool is_factor, double about, double *low,
                   double *high) {
    const double times = is_factor ? fabs(about) : 1;
    for (int64_t i = 0; i < fitting->count; i++) {
        const double value = fitting->numbers->values[i], right = element_at(fitting->right, i);
        if (!isfinite(value) || !isfinite(right) || (is_factor && right == 0)) continue;
        const double by = is_factor ? fabs(right) : 1;
        const double wanted = is_factor ? value / right : value - right;
        const double off = allowed_at(fitting, i, i, value, times) / by;
        *low = fmax(*low, wanted - off);
        *high = fmin(*high, wanted + off);
    }
}

static void fit_constant(struct fitting *fitting, bool is_factor) {
    static const double LEAST_OFF = 0.01; // nearer to 1, much else looks like a factor
    struct arena *arena = fitting->arena;
    const int64_t best = largest_at(fitting);
    if (best < 0) return;
    const double value = fitting->numbers->values[best], right = element_at(fitting->right, best);
    const double about = is_factor ? value / right : value - right;
    double low = -INFINITY, high = INFINITY;
    narrow(fitting, is_factor, about, &low, &high);
    if (low > high || low * high <= 0 || (is_factor && fabs(about - 1) < LEAST_OFF)) return;
    const double least = fmin(fabs(low), fabs(high)), most = fmax(fabs(low), fabs(high));
    const struct constant found =
        is_factor ? simplest_factor(arena, least, most) : simplest(arena, least, most);
    if (found.value == 0) return;
    const double constant = about < 0 ? -found.value : found.value;
    const char *sign = about < 0 ? "-" : "";
    const char *text =
        is_factor ? arena_format(arena, "%s%%s%s", sign, fabs(constant) == 1 ? "" : found.text)
                  : arena_format(arena, "%%s %s %s", about < 0 ? "-" : "+", found.text);
    float *values = arena_array(arena, (size_t)fitting->count, sizeof *values);
    double *allowed = arena_array(arena, (size_t)fitting->count, sizeof *allowed);
    for (int64_t i = 0; i < fitting->count; i++) {
        const double number = element_at(fitting->right, i);
        const double other = is_factor ? constant * number : constant + number;
        values[i] = (float)other;
        allowed[i] = allowed_at(fitting, i, i, other, is_factor ? fabs(constant) : 1);
    }
    add_fit(fitting, text, values, allowed, found.price + (about < 0));
}

// ---- An order -----------------------------------------------------------------------------------

// Dimensions longer than this are taken for no order of their indices.
enum { MOST_INDICES = 256 };

// What stands along a dimension: at each index, what the right numbers have at index of[i]; 0 where it is -1.
struct order {
    int dim;
    int64_t size, apart; // of the dimension; between two neighbours along it
    int64_t of[MOST_INDICES];
};

// Has the file at index `i` the right numbers of index of[i]?
static bool agrees_at(const struct fitting *fitting, const struct order *order, int64_t i) {
    const int64_t round = order->apart * order->size, more = (order->of[i] - i) * order->apart;
    for (int64_t outer = i * order->apart; outer < fitting->count; outer += round) {
        for (int64_t position = outer; position < outer + order->apart; position++) {
            const bool is_open = order->of[i] < 0;
            const int64_t at = is_open ? position : position + more;
            const double number = is_open ? 0 : element_at(fitting->right, at);
            if (!agree(fitting->numbers->values[position], number,
                       allowed_at(fitting, position, at, number, 1)))
                return false;
        }
    }
    return true;
}

static void add_order(struct fitting *fitting, const struct order *order, const char *text,
                      double price) {
    for (int64_t i = 0; i < order->size; i++)
        if (!agrees_at(fitting, order, i)) return;
    float *values = arena_array(fitting->arena, (size_t)fitting->count, sizeof *values);
    double *allowed = arena_array(fitting->arena, (size_t)fitting->count, sizeof *allowed);
    for (int64_t i = 0; i < fitting->count; i++) {
        const int64_t index = i / order->apart % order->size, from = order->of[index];
        const int64_t position = from < 0 ? i : i + (from - index) * order->apart;
        const double number = from < 0 ? 0 : element_at(fitting->right, position);
        values[i] = (float)number;
        allowed[i] = allowed_at(fitting, i, position, number, 1);
    }
    add_fit(fitting, text, values, allowed, price);
}

// "[:, PIECE]": a piece of a dimension.
static const char *piece_of(const struct fitting *fitting, int dim, const char *piece) {
    struct text text = text_new(fitting->arena);
    text_add(&text, "[");
    for (int i = 0; i < dim; i++) text_add(&text, ":, ");
    text_add_format(&text, "%s]", piece);
    return text.bytes;
}

// In reverse order, rolled by each number, and moved by one.
static void fit_known_orders(struct fitting *fitting, struct order *order) {
    struct arena *arena = fitting->arena;
    const int64_t size = order->size;
    const int dim = order->dim;
    for (int64_t i = 0; i < size; i++) order->of[i] = size - 1 - i;
    add_order(fitting, order, arena_format(arena, "%%s.flip(%d)", dim), SIMPLE);
    for (int64_t by = 1; by < size; by++) {
        const int64_t nearest = 2 * by > size ? by - size : by;
        for (int64_t i = 0; i < size; i++) order->of[i] = (i - by + size) % size;
        add_order(fitting, order, arena_format(arena, "%%s.roll(%" PRId64 ", %d)", nearest, dim),
                  SIMPLE + log2((double)size));
    }
    for (int is_late = 0; is_late <= 1; is_late++) {
        struct text text = text_new(arena);
        text_add_format(&text, "torch.nn.functional.pad(%%s%s, (",
                        piece_of(fitting, dim, is_late ? "1:" : ":-1"));
        for (int i = dim + 1; i < fitting->right->ndim; i++) text_add(&text, "0, 0, ");
        text_add(&text, is_late ? "0, 1))" : "1, 0))");
        for (int64_t i = 0; i < size; i++) order->of[i] = is_late ? i + 1 : i - 1;
        if (is_late) order->of[size - 1] = -1;
        add_order(fitting, order, text.bytes, 2 * SIMPLE);
    }
}

// "[:1].expand(6, 3)"
static const char *expand_text(const struct fitting *fitting, const struct order *order) {
    struct arena *arena = fitting->arena;
    const int64_t index = order->of[0];
    struct text text = text_new(arena);
    text_add_format(&text, "%%s%s.expand(",
                    piece_of(fitting, order->dim,
                             arena_format(arena, "%" PRId64 ":%" PRId64, index, index + 1)));
    for (int i = 0; i < fitting->right->ndim; i++)
        text_add_format(&text, "%s%" PRId64, i > 0 ? ", " : "", fitting->right->shape[i]);
    text_add(&text, ")");
    return text.bytes;
}

// "[:, [2, 0, 1]]"
static const char *list_text(const struct fitting *fitting, const struct order *order) {
    struct text list = text_new(fitting->arena);
    for (int64_t i = 0; i < order->size; i++)
        text_add_format(&list, "%s%" PRId64, i > 0 ? ", " : "[", order->of[i]);
    text_add(&list, "]");
    return arena_format(fitting->arena, "%%s%s", piece_of(fitting, order->dim, list.bytes));
}

// The order that the file tells: an index whose numbers are right is in its place.
static void fit_found_order(struct fitting *fitting, struct order *order) {
    enum { MOST_LISTED = 32 };
    const double of_index = log2((double)order->size);
    int64_t moved = 0;
    bool is_of_one = true;
    for (int64_t i = 0; i < order->size; i++) {
        order->of[i] = i;
        if (!agrees_at(fitting, order, i)) {
            moved++;
            for (order->of[i] = 0; order->of[i] < order->size; order->of[i]++)
                if (agrees_at(fitting, order, i)) break;
            if (order->of[i] == order->size) return;
        }
        is_of_one = is_of_one && order->of[i] == order->of[0];
    }
    if (moved > 0 && is_of_one)
        add_order(fitting, order, expand_text(fitting, order), SIMPLE + of_index);
    else if (moved > 0 && order->size <= MOST_LISTED)
        add_order(fitting, order, list_text(fitting, order), SIMPLE + (double)moved * of_index);
}

// ---- All of them --------------------------------------------------------------------------------

// Has the file anything but zeros, and the tensor fractions?
static bool may_fit(const struct fitting *fitting) {
    bool is_zero = true;
    for (int64_t i = 0; i < fitting->count && is_zero; i++)
        is_zero = fitting->numbers->values[i] == 0;
    return !is_zero && has_fractions(fitting->right);
}

static int compare_prices(const void *a, const void *b) {
    const double one = ((const struct fit *)a)->price, other = ((const struct fit *)b)->price;
    return (one > other) - (one < other);
}

struct fits fits_of(struct arena *arena, const struct tensor *right, const struct numbers *numbers,
                    const double *allowed) {
    struct fitting fitting = {.arena = arena,
                              .right = right,
                              .numbers = numbers,
                              .allowed = allowed,
                              .least = least_allowed(arena, numbers, right),
                              .count = count_of(shape_of(right))};
    struct order order = {.apart = fitting.count};
    if (!may_fit(&fitting)) return fitting.fits;
    fit_constant(&fitting, true);
    fit_constant(&fitting, false);
    for (order.dim = 0; order.dim < right->ndim; order.dim++) {
        order.size = right->shape[order.dim];
        order.apart /= order.size;
        if (order.size < 2 || order.size > MOST_INDICES) continue;
        fit_known_orders(&fitting, &order);
        fit_found_order(&fitting, &order);
    }
    if (fitting.fits.count > 0)
        qsort(fitting.fits.all, (size_t)fitting.fits.count, sizeof *fitting.fits.all,
              compare_prices);
    return fitting.fits;
}
