#include "app/compare/matching.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

// ---- What a tensor tells -----------------------------------------------------------------------------

bool is_whole(const struct place *place) {
    for (int64_t i = 0; i < place->count; i++) {
        const double x = number_of_place(place, i);
        if (x != rint(x)) return false;
    }
    return true;
}

bool tells_little(const struct place *place) {
    bool is_even = true;
    for (int64_t i = 0; i < place->count && is_even; i++) {
        const double x = number_of_place(place, i);
        is_even = fabs(x - number_of_place(place, 0)) <= 1e-6 * fabs(x);
    }
    return is_even || place->count < 2 || is_whole(place);
}

bool knows_operations(const struct side *side) {
    return side->run != NULL && side->is_traced;
}

// What the result of a side is made of, and its parts. Of a dump: all.
static bool *relevant_of(struct arena *arena, const struct side *side) {
    bool *is_relevant = arena_array(arena, (size_t)side->count, sizeof *is_relevant);
    if (!knows_operations(side)) {
        memset(is_relevant, 1, (size_t)side->count);
        return is_relevant;
    }
    is_relevant[side->last] = true;
    for (int i = side->count - 1; i >= 0; i--) {
        const struct place *place = &side->places[i];
        for (int k = 0; is_relevant[i] && k < place->made_count; k++)
            is_relevant[place->made_of[k]] = true;
    }
    for (int i = 0; i < side->count; i++) { // a view, or a part, of what is relevant
        const struct place *place = &side->places[i];
        if (place->made_count == 1 && place->operation == NULL && is_relevant[place->made_of[0]])
            is_relevant[i] = true;
    }
    return is_relevant;
}

// ---- Names -------------------------------------------------------------------------------------------

// "scores" of "block 1: scores" or "self.scores": in small letters, the last word of it.
static const char *plain(struct arena *arena, const char *name) {
    const char *at = name;
    for (const char *c = name; *c != '\0'; c++)
        if (*c == '.' || *c == ':' || *c == '/') at = c + 1;
    while (*at == ' ') at++;
    char *copy = arena_copy(arena, at);
    for (char *c = copy; *c != '\0'; c++) *c = (char)tolower((unsigned char)*c);
    return copy;
}

// Does a name begin or end with a part of another, or with one of its words: "scores" of "masked_scores", "att" of "attn"?
static bool is_word_of(const char *name, const char *part) {
    const size_t length = strlen(part);
    for (const char *at = strstr(name, part); at != NULL; at = strstr(at + 1, part))
        if (at == name || at[-1] == '_' || at[length] == '\0' || at[length] == '_') return true;
    return false;
}

int likeness_of_names(struct arena *arena, const char *a, const char *b) {
    if (*a == '\0' || *b == '\0') return 0;
    const char *one = plain(arena, a), *other = plain(arena, b);
    const size_t length = strlen(one), other_length = strlen(other);
    if (strcmp(one, other) == 0) return 4;
    if (length >= 3 && other_length >= 3 && (is_word_of(one, other) || is_word_of(other, one)))
        return 3;
    if (length < 2 || other_length < 2) return *one == *other;
    return strncmp(one, other, 3) == 0 ? 2 : *one == *other;
}

int likeness(struct arena *arena, const struct place *a, const struct place *b) {
    return a->is_unnamed || b->is_unnamed ? 0 : likeness_of_names(arena, a->name, b->name);
}

// ---- Matching ----------------------------------------------------------------------------------------

// Two weights of one large model are the same if their bits are.
static bool are_the_same(const struct place *a, const struct place *b) {
    const bool are_weights = a->is_large && a->is_weight && b->is_large && b->is_weight;
    return are_weights ? have_same_bits(a, b) : have_same_numbers(a, b);
}

static void find_same(struct arena *arena, struct matching *m, const bool *is_relevant) {
    m->first_same = arena_array(arena, (size_t)m->a->count, sizeof *m->first_same);
    for (int i = 0; i < m->a->count; i++) {
        m->first_same[i] = i;
        for (int k = 0; k < i && is_relevant[i]; k++) {
            if (!is_relevant[k] || m->first_same[k] != k ||
                !are_the_same(&m->a->places[k], &m->a->places[i]))
                continue;
            m->first_same[i] = k;
            break;
        }
    }
}

// Which of the places of A with these numbers is meant: one of the same name, else the nearest behind the last that was met.
static int best_match(struct arena *arena, const struct matching *m, const bool *is_relevant, int b,
                      int last, bool (*are_same)(const struct place *a, const struct place *b)) {
    int best = NOWHERE, most = -1;
    for (int i = 0; i < m->a->count; i++) {
        if (!is_relevant[i] || m->first_same[i] != i) continue;
        if (!are_same(&m->a->places[i], &m->b->places[b])) continue;
        const int worth = 2 * likeness(arena, &m->a->places[i], &m->b->places[b]) + (i >= last) +
                          !m->a->places[i].is_part;
        if (worth <= most) continue;
        most = worth;
        best = i;
    }
    return best;
}

// Is `b` several places of A side by side along a dimension, from `at` on: queries, keys and values of one layer?
static bool is_joined(const struct matching *m, const bool *is_relevant, const struct place *b,
                      int dim, int64_t at) {
    if (at == b->shape.size[dim]) return true;
    for (int i = 0; i < m->a->count; i++) {
        const struct place *a = &m->a->places[i];
        if (!is_relevant[i] || m->first_same[i] != i || a->count >= b->count || a->count == 0 ||
            a->is_part)
            continue;
        if (a->shape.ndim != b->shape.ndim || !is_slice_at(b, a, dim, at)) continue;
        if (is_joined(m, is_relevant, b, dim, at + a->shape.size[dim])) return true;
    }
    return false;
}

bool is_made_of_known(const struct matching *m, int b) {
    const struct place *place = &m->b->places[b];
    for (int k = 0; k < place->made_count; k++) {
        const int other = place->made_of[k];
        if (!m->is_known[other] && !m->b->places[other].is_given) return false;
    }
    return true;
}

static bool is_composed(const struct matching *m, const bool *is_relevant, int b) {
    const struct place *place = &m->b->places[b];
    const bool may_be_larger = is_made_of_known(m, b);
    for (int i = 0; i < m->a->count; i++) {
        if (m->a->places[i].count < place->count && !may_be_larger) continue;
        if (is_relevant[i] && m->first_same[i] == i && m->a->places[i].count > 1 &&
            place->count > 1 && is_slice_of_other(&m->a->places[i], place))
            return true;
    }
    for (int dim = 0; dim < place->shape.ndim; dim++)
        if (is_joined(m, is_relevant, place, dim, 0)) return true;
    return false;
}

// A tensor is there if all its parts along a dimension are, and so are the parts of one that is there.
static void know_parts(const struct side *side, bool *is_there) {
    for (int i = side->count - 1; i >= 0; i--) {
        if (!side->places[i].is_part) continue;
        const int whole = side->places[i].made_of[0], dim = side->places[i].part_dim;
        int first = i;
        bool are_all = is_there[i];
        while (first > 0 && side->places[first - 1].is_part &&
               side->places[first - 1].made_of[0] == whole &&
               side->places[first - 1].part_dim == dim)
            are_all = is_there[--first] && are_all;
        is_there[whole] = is_there[whole] || are_all;
        i = first;
    }
    for (int i = 0; i < side->count; i++) {
        if (side->places[i].is_part && is_there[side->places[i].made_of[0]]) is_there[i] = true;
    }
}

static void find_needed(struct matching *m) {
    m->is_needed[m->a->last] = !m->is_had[m->first_same[m->a->last]];
    for (int i = m->a->count - 1; i >= 0; i--) {
        const struct place *place = &m->a->places[i];
        if (!knows_operations(m->a)) m->is_needed[i] = !m->is_had[i] && !place->is_part;
        for (int k = 0; m->is_needed[i] && k < place->made_count; k++) {
            const int other = place->made_of[k];
            if (!m->is_had[m->first_same[other]]) m->is_needed[other] = true;
        }
    }
}

struct matching match_sides(struct arena *arena, const struct side *a, const struct side *b,
                            int alias_count, const struct alias *aliases) {
    struct matching m = {.a = a, .b = b, .alias_count = alias_count, .aliases = aliases};
    const bool *is_relevant = relevant_of(arena, a);
    const size_t of_a = (size_t)a->count, of_b = (size_t)b->count;
    find_same(arena, &m, is_relevant);
    m.is_had = arena_array(arena, of_a, sizeof *m.is_had);
    m.is_needed = arena_array(arena, of_a, sizeof *m.is_needed);
    m.match = arena_array(arena, of_b, sizeof *m.match);
    m.is_known = arena_array(arena, of_b, sizeof *m.is_known);
    int last = 0;
    for (int i = 0; i < b->count; i++) {
        m.match[i] = NOWHERE;
        if (b->places[i].is_large)
            m.match[i] = best_match(arena, &m, is_relevant, i, last, have_same_bits);
        if (m.match[i] < 0)
            m.match[i] = best_match(arena, &m, is_relevant, i, last, have_same_numbers);
        m.is_known[i] = m.match[i] >= 0;
        if (m.match[i] < 0)
            m.is_known[i] = !b->places[i].is_part && is_composed(&m, is_relevant, i);
        if (m.match[i] < 0) continue;
        m.is_had[m.match[i]] = true;
        if (b->places[i].is_shown && !tells_little(&b->places[i])) last = m.match[i];
    }
    know_parts(b, m.is_known);
    for (int i = 0; i < a->count; i++) m.is_had[i] = m.is_had[m.first_same[i]];
    know_parts(a, m.is_had);
    for (int i = 0; i < a->count; i++)
        if (m.is_had[i]) m.is_had[m.first_same[i]] = true;
    find_needed(&m);
    return m;
}
