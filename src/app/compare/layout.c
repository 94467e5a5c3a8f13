#include "app/compare/layout.h"

#include <math.h>
#include <string.h>

// ---- All layouts -------------------------------------------------------------------------------------

struct search {
    struct shape a, b;
    int64_t a_strides[MAX_DIMS], b_strides[MAX_DIMS];
    bool a_used[MAX_DIMS], b_used[MAX_DIMS];
    struct layout layout;
    bool (*visit)(void *context, const struct layout *layout);
    void *context;
};

static bool go_on(struct search *s);

static void push(struct search *s, int64_t size, int64_t a, int64_t b) {
    struct layout *layout = &s->layout;
    layout->size[layout->count] = size;
    layout->a[layout->count] = a;
    layout->b[layout->count++] = b;
}

// One dimension of `whole` is several of `parts`, in any order: those chosen so far have the product `rest` left to fill.
static bool split(struct search *s, bool is_a, int dim, int64_t rest, int depth) {
    enum { MOST = 3 };
    const struct shape *parts = is_a ? &s->b : &s->a;
    bool *used = is_a ? s->b_used : s->a_used;
    const int64_t *strides = is_a ? s->b_strides : s->a_strides;
    const int64_t stride = is_a ? s->a_strides[dim] : s->b_strides[dim];
    if (rest == 1) return depth > 1 && go_on(s);
    for (int i = 0; i < parts->ndim && depth < MOST; i++) {
        const int64_t size = parts->size[i];
        if (used[i] || rest % size != 0 || (depth == 0 && size == rest)) continue;
        used[i] = true;
        const int64_t outer = stride * (rest / size);
        push(s, size, is_a ? outer : strides[i], is_a ? strides[i] : outer);
        if (split(s, is_a, dim, rest / size, depth + 1)) return true;
        s->layout.count--;
        used[i] = false;
    }
    return false;
}

// The next dimension of `a` that is not used is one of `b`, or several of it, or all of `a` are used and those left of `b` are
// several of `a`; before that, any of `b` may take it as a part.
static bool go_on(struct search *s) {
    int dim = 0;
    while (dim < s->a.ndim && s->a_used[dim]) dim++;
    if (dim == s->a.ndim) {
        for (int i = 0; i < s->b.ndim; i++)
            if (!s->b_used[i]) return false;
        return s->visit(s->context, &s->layout);
    }
    s->a_used[dim] = true;
    for (int i = 0; i < s->b.ndim; i++) {
        if (s->b_used[i] || s->b.size[i] != s->a.size[dim]) continue;
        s->b_used[i] = true;
        push(s, s->a.size[dim], s->a_strides[dim], s->b_strides[i]);
        if (go_on(s)) return true;
        s->layout.count--;
        s->b_used[i] = false;
    }
    if (split(s, true, dim, s->a.size[dim], 0)) return true;
    s->a_used[dim] = false;
    for (int i = 0; i < s->b.ndim; i++) {
        if (s->b_used[i] || s->b.size[i] <= s->a.size[dim]) continue;
        s->b_used[i] = true;
        if (split(s, false, i, s->b.size[i], 0)) return true;
        s->b_used[i] = false;
    }
    return false;
}

static void strides_of(const struct shape *shape, int64_t *strides) {
    int64_t stride = 1;
    for (int i = shape->ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= shape->size[i];
    }
}

bool visit_layouts(struct shape a, struct shape b,
                   bool (*visit)(void *context, const struct layout *layout), void *context) {
    struct search s = {.a = a, .b = b, .visit = visit, .context = context};
    if (count_of(a) != count_of(b) || count_of(a) == 0) return false;
    strides_of(&a, s.a_strides);
    strides_of(&b, s.b_strides);
    return go_on(&s);
}

// Moves on to the next place of a layout; false behind the last.
static bool next_place(const struct layout *layout, int64_t *index, int64_t *a, int64_t *b) {
    for (int i = layout->count - 1; i >= 0; i--) {
        *a += layout->a[i];
        *b += layout->b[i];
        if (++index[i] < layout->size[i]) return true;
        *a -= layout->a[i] * layout->size[i];
        *b -= layout->b[i] * layout->size[i];
        index[i] = 0;
    }
    return false;
}

// ---- Numbers -----------------------------------------------------------------------------------------

// What a mask makes of scores: e^x is 0.
static bool is_masked(double x) {
    static const double FAR = -9e3;
    return x <= FAR;
}

// The sums of a weight's floats, in whatever order they lie, are those of its numbers.
static struct sums sums_of_floats(const struct storage *storage) {
    const float *floats = storage->data;
    struct sums sums = {.are_known = true};
    for (int64_t i = 0; i < storage->count; i++) {
        const double x = (double)floats[i];
        const bool counts = isfinite(x) && !is_masked(x);
        sums.masked += !counts;
        sums.numbers += counts ? x : 0;
        sums.squares += counts ? x * x : 0;
        sums.sizes += counts ? fabs(x) : 0;
    }
    return sums;
}

// Of a large tensor they are kept when they are first asked for.
static struct sums sums_of(const struct place *place) {
    if (place->sums.are_known) return place->sums;
    const struct storage *storage = place->tensor.storage;
    if (place->is_large && storage->dtype == FLOAT32 && storage->count == place->count) {
        struct place *unread = (struct place *)place; // of a side, whose places may be changed
        return unread->sums = sums_of_floats(storage);
    }
    read_place(place);
    struct sums sums = {.are_known = true};
    for (int64_t i = 0; i < place->count; i++) {
        const double x = place->numbers[i];
        const bool counts = isfinite(x) && !is_masked(x);
        const double allowed = place->allowed != NULL ? place->allowed[i] : 0;
        sums.masked += !counts;
        if (!counts) continue;
        sums.numbers += x;
        sums.squares += x * x;
        sums.sizes += fabs(x);
        sums.allowed += allowed;
        sums.allowed_squares += 2 * fabs(x) * allowed + allowed * allowed;
    }
    return sums;
}

void sum_up(struct side *side) {
    for (int i = 0; i < side->count; i++)
        if (side->places[i].numbers != NULL) side->places[i].sums = sums_of(&side->places[i]);
}

bool have_same_bits(const struct place *a, const struct place *b) {
    enum { SAMPLES = 64 };
    const struct tensor *one = &a->tensor, *other = &b->tensor;
    if (!a->is_large || !b->is_large || one->offset != other->offset ||
        one->storage->dtype != other->storage->dtype ||
        one->storage->count != other->storage->count ||
        !shapes_equal(shape_of(one), shape_of(other)) ||
        memcmp(one->stride, other->stride, (size_t)one->ndim * sizeof *one->stride) != 0)
        return false;
    const size_t size = bytes_of_number(one->storage->dtype), count = (size_t)one->storage->count;
    const char *bytes = one->storage->data, *others = other->storage->data;
    for (size_t i = 0; i < SAMPLES; i++) { // most differ in one of these
        const size_t at = count / SAMPLES * i * size;
        if (memcmp(bytes + at, others + at, size) != 0) return false;
    }
    return memcmp(bytes, others, count * size) == 0;
}

static double root_mean_square(const struct place *place) {
    const struct sums sums = sums_of(place);
    const int64_t count = place->count - sums.masked;
    return count > 0 ? sqrt(sums.squares / (double)count) : 0;
}

// How far the numbers of two tensors may differ, of which nobody has measured it.
static double otherwise(const struct place *a, const struct place *b) {
    static const double CLOSE = 5e-6;
    return fmax(fmax(a->within, b->within), CLOSE) * root_mean_square(a);
}

struct pair {
    const struct place *a, *b;
    double otherwise; // what may differ where neither knows
    bool is_inverted, is_mask;
};

static double allowed_between(const struct pair *pair, int64_t a, int64_t b) {
    if (pair->a->allowed == NULL && pair->b->allowed == NULL) return pair->otherwise;
    const double one = pair->a->allowed != NULL ? pair->a->allowed[a] : 0,
                 other = pair->b->allowed != NULL ? pair->b->allowed[b] : 0;
    return fmax(one, other);
}

static bool agree_at(const struct pair *pair, int64_t a, int64_t b) {
    const double x = pair->a->numbers[a], y = pair->b->numbers[b];
    if (x == y || (isnan(x) && isnan(y)) || (is_masked(x) && is_masked(y))) return true;
    return fabs(x - y) <= allowed_between(pair, a, b);
}

static bool agree_in(void *context, const struct layout *layout) {
    const struct pair *pair = context;
    read_place(pair->a);
    read_place(pair->b);
    int64_t index[2 * MAX_DIMS] = {0}, a = 0, b = 0;
    do {
        if (pair->is_mask) {
            const bool one = pair->a->numbers[a] == 0, other = pair->b->numbers[b] == 0;
            if ((one == other) == pair->is_inverted) return false;
        } else if (!agree_at(pair, a, b))
            return false;
    } while (next_place(layout, index, &a, &b));
    return true;
}

// Two different numbers, one of them 0: a mask, of whatever kind.
static bool is_mask(const struct place *place) {
    double other = 0;
    bool has_zero = false;
    for (int64_t i = 0; i < place->count; i++) {
        const double x = number_of_place(place, i);
        has_zero = has_zero || x == 0;
        if (x == 0) continue;
        if (other != 0 && x != other) return false;
        other = x;
    }
    return place->count > 3 && has_zero && (other == 1 || is_masked(other));
}

// Numbers of any order have the same sum: what differs here has no layout. False: it may have one.
static bool have_other_sums(const struct pair *pair) {
    const struct sums a = sums_of(pair->a), b = sums_of(pair->b);
    double allowed = 0, squares = 0;
    for (int side = 0; side < 2; side++) {
        const struct sums *sums = side == 0 ? &a : &b;
        const bool is_measured = (side == 0 ? pair->a : pair->b)->allowed != NULL;
        const double most = is_measured ? 0 : pair->otherwise,
                     count = (double)(pair->a->count - sums->masked);
        allowed += sums->allowed + most * count;
        squares += sums->allowed_squares + 2 * sums->sizes * most + most * most * count;
    }
    return a.masked != b.masked || fabs(a.numbers - b.numbers) > allowed ||
           fabs(a.squares - b.squares) > squares;
}

bool have_same_numbers(const struct place *a, const struct place *b) {
    if (a->count != b->count || a->count == 0) return false;
    if (have_same_bits(a, b)) return true;
    struct pair pair = {.a = a, .b = b};
    if (a->allowed == NULL && b->allowed == NULL) pair.otherwise = otherwise(a, b);
    if (is_mask(a) && is_mask(b)) {
        pair.is_mask = true;
        if (visit_layouts(a->shape, b->shape, agree_in, &pair)) return true;
        pair.is_inverted = true;
        return visit_layouts(a->shape, b->shape, agree_in, &pair);
    }
    return !have_other_sums(&pair) && visit_layouts(a->shape, b->shape, agree_in, &pair);
}

bool are_in_same_order(const struct place *a, const struct place *b) {
    if (!shapes_equal(a->shape, b->shape)) return false;
    if (have_same_bits(a, b)) return true;
    struct pair pair = {.a = a, .b = b, .is_mask = is_mask(a) && is_mask(b)};
    struct layout layout = {.count = a->shape.ndim};
    memcpy(layout.size, a->shape.size, sizeof a->shape.size);
    strides_of(&a->shape, layout.a);
    strides_of(&a->shape, layout.b);
    if (a->allowed == NULL && b->allowed == NULL) pair.otherwise = otherwise(a, b);
    if (agree_in(&pair, &layout)) return true;
    pair.is_inverted = true;
    return pair.is_mask && agree_in(&pair, &layout);
}

bool is_slice_at(const struct place *whole, const struct place *part, int dim, int64_t at) {
    struct pair pair = {.a = whole, .b = part};
    if (whole->shape.ndim != part->shape.ndim ||
        at + part->shape.size[dim] > whole->shape.size[dim])
        return false;
    struct layout layout = {.count = part->shape.ndim};
    int64_t stride = 1, part_stride = 1, offset = 0;
    for (int i = part->shape.ndim - 1; i >= 0; i--) {
        if (i != dim && whole->shape.size[i] != part->shape.size[i]) return false;
        layout.size[i] = part->shape.size[i];
        layout.a[i] = stride;
        layout.b[i] = part_stride;
        if (i == dim) offset = at * stride;
        stride *= whole->shape.size[i];
        part_stride *= part->shape.size[i];
    }
    if (whole->allowed == NULL && part->allowed == NULL) pair.otherwise = otherwise(part, whole);
    read_place(whole);
    read_place(part);
    int64_t index[2 * MAX_DIMS] = {0}, a = offset, b = 0;
    do {
        if (!agree_at(&pair, a, b)) return false;
    } while (next_place(&layout, index, &a, &b));
    return true;
}

bool is_slice_of_other(const struct place *a, const struct place *b) {
    if (a->shape.ndim != b->shape.ndim || a->shape.ndim == 0 || a->count == b->count) return false;
    const struct place *whole = a->count > b->count ? a : b, *part = whole == a ? b : a;
    for (int dim = 0; dim < part->shape.ndim; dim++) {
        const int64_t most = whole == a ? whole->shape.size[dim] - part->shape.size[dim] : 0;
        for (int64_t at = 0; at <= most; at++)
            if (is_slice_at(whole, part, dim, at)) return true;
    }
    return false;
}

// ---- Differences -------------------------------------------------------------------------------------

struct weighing {
    struct pair pair;
    double size;
    struct difference best;
};

static bool weigh_layout(void *context, const struct layout *layout) {
    struct weighing *w = context;
    struct difference d = {.is_comparable = true, .layout = *layout, .count = w->pair.a->count};
    int64_t index[2 * MAX_DIMS] = {0}, a = 0, b = 0;
    double sum = 0;
    do {
        if (agree_at(&w->pair, a, b)) continue;
        const double x = w->pair.a->numbers[a], y = w->pair.b->numbers[b];
        const double apart = isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY;
        if (d.different++ == 0 || (apart > d.largest && isfinite(apart)) || !isfinite(d.largest)) {
            d.largest = apart;
            d.worst_a = a;
            d.worst_b = b;
        }
        sum += isfinite(apart) ? apart * apart : w->size * w->size;
    } while (next_place(layout, index, &a, &b));
    d.part = w->size > 0 ? sqrt(sum / (double)d.count) / w->size : INFINITY;
    if (!w->best.is_comparable || d.part < w->best.part) w->best = d;
    return false;
}

struct difference difference_between(const struct place *a, const struct place *b) {
    struct weighing w = {.pair = {.a = a, .b = b}, .size = root_mean_square(a)};
    w.pair.otherwise = otherwise(a, b);
    read_place(a);
    read_place(b);
    visit_layouts(a->shape, b->shape, weigh_layout, &w);
    return w.best;
}

bool *others_in_layout(struct arena *arena, const struct difference *difference,
                       const struct place *a, const struct place *b) {
    const struct pair pair = {.a = a, .b = b, .otherwise = otherwise(a, b)};
    bool *are_other = arena_array(arena, (size_t)a->count, sizeof *are_other);
    int64_t index[2 * MAX_DIMS] = {0}, to = 0, from = 0;
    do are_other[to] = !agree_at(&pair, to, from);
    while (next_place(&difference->layout, index, &to, &from));
    return are_other;
}

double *in_layout_of(struct arena *arena, const struct difference *difference,
                     const struct place *b) {
    double *numbers = arena_array(arena, (size_t)b->count, sizeof *numbers);
    int64_t index[2 * MAX_DIMS] = {0}, to = 0, from = 0;
    do numbers[to] = b->numbers[from];
    while (next_place(&difference->layout, index, &to, &from));
    return numbers;
}
