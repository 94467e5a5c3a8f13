#include "app/compare/parting.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "tensor/operation/rows.h"

// ---- Ancestors ---------------------------------------------------------------------------------------

// The places that one is made of: those that `stops` says are not gone through. *marks: 1 gone through, 2 stopped at.
static void go_back(const struct side *side, int from, const bool *stops, char *marks) {
    marks[from] = 1;
    for (int i = from; i >= 0; i--) {
        if (marks[i] != 1) continue;
        const struct place *place = &side->places[i];
        for (int k = 0; k < place->made_count; k++) {
            const int other = place->made_of[k];
            if (marks[other] == 0) marks[other] = stops != NULL && stops[other] ? 2 : 1;
        }
    }
}

static char *ancestors(struct arena *arena, const struct side *side, int from, const bool *stops) {
    char *marks = arena_array(arena, (size_t)side->count, 1);
    go_back(side, from, stops, marks);
    return marks;
}

// By first_same: is a place of A with those numbers, or the whole of it, among what `of` is made of?
static bool is_among(const struct matching *m, const char *marks, int a) {
    for (int i = 0; i < m->a->count; i++) {
        if (marks[i] != 0 && m->first_same[i] == m->first_same[a]) return true;
    }
    const struct place *place = &m->a->places[a];
    if (place->is_part) return is_among(m, marks, place->made_of[0]);
    return false;
}

// Is all that b is made of, and A has, something that a is made of as well?
static bool has_right_operands(struct arena *arena, const struct matching *m, int a, int b,
                               int *other) {
    *other = NOWHERE;
    if (!knows_operations(m->a) || !knows_operations(m->b)) return true;
    const char *of_a = ancestors(arena, m->a, a, NULL);
    const char *of_b = ancestors(arena, m->b, b, m->is_known);
    for (int i = 0; i < m->b->count; i++) {
        if (of_b[i] != 2 || m->match[i] < 0 || tells_little(&m->b->places[i])) continue;
        if (is_among(m, of_a, m->match[i])) continue;
        *other = i;
        return false;
    }
    return true;
}

// ---- The first difference ----------------------------------------------------------------------------

static const char *alias_of(const struct matching *m, const char *b) {
    for (int i = 0; i < m->alias_count; i++) {
        if (strcmp(m->aliases[i].b, b) == 0) return m->aliases[i].a;
    }
    return NULL;
}

// Is it unknown, and B's result made of it by nothing that is known?
static bool *unknown_of(struct arena *arena, const struct matching *m) {
    const struct side *b = m->b;
    bool *is_unknown = arena_array(arena, (size_t)b->count, sizeof *is_unknown);
    for (int i = b->count - 1; i >= 0; i--) {
        const struct place *place = &b->places[i];
        if (place->is_part || m->is_known[i]) continue;
        const bool is_end = !knows_operations(b) || i == b->last;
        is_unknown[i] = is_unknown[i] || is_end;
        for (int k = 0; is_unknown[i] && k < place->made_count; k++) {
            const int other = place->made_of[k];
            if (!m->is_known[other]) is_unknown[other] = true;
        }
    }
    return is_unknown;
}

// Has A the numbers of everything that it is made of in B?
static bool is_ready(const struct matching *m, int a) {
    const struct place *place = &m->a->places[a];
    for (int k = 0; k < place->made_count; k++)
        if (m->is_needed[place->made_of[k]]) return false;
    return true;
}

// The factor by which all numbers of `b` are those of `a`; 0: there is none.
static double factor_between(const struct place *a, const struct place *b,
                             const struct difference *difference, struct arena *arena) {
    static const double CLOSE = 1e-4;
    if (!difference->is_comparable) return 0;
    const double *numbers = in_layout_of(arena, difference, b);
    int64_t largest = 0;
    for (int64_t i = 0; i < a->count; i++)
        if (isfinite(a->numbers[i]) &&
            (!isfinite(a->numbers[largest]) || fabs(a->numbers[i]) > fabs(a->numbers[largest])))
            largest = i;
    const double size = fabs(a->numbers[largest]);
    if (!(size > 0) || !isfinite(size)) return 0;
    const double factor = numbers[largest] / a->numbers[largest];
    if (fabs(factor - 1) <= 10 * CLOSE) return 0;
    for (int64_t i = 0; i < a->count; i++)
        if (numbers[i] != a->numbers[i] &&
            !(fabs(numbers[i] - factor * a->numbers[i]) <= CLOSE * size * fabs(factor)))
            return 0;
    return factor;
}

// Does a factor of what it is made of become one of its result? An operation that bends numbers ends that.
static bool keeps_factors(const struct operation *operation) {
    static const struct operation *const bends[] = {
        &softmax_row, &exp_row, &log_row, &tanh_row,    &sqrt_row,      &pow_row,
        &relu_row,    &sin_row, &cos_row, &maximum_row, &pow_number_row};
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++)
        if (operation == bends[i]) return false;
    return true;
}

// Does A multiply what it makes of `a` by a factor, further on?
static bool has_factor_behind(struct arena *arena, const struct matching *m, int a, double factor) {
    static const double CLOSE = 1e-4;
    if (factor == 0) return false;
    bool *is_behind = arena_array(arena, (size_t)m->a->count, sizeof *is_behind);
    is_behind[a] = true;
    for (int i = a + 1; i < m->a->count; i++) {
        const struct place *place = &m->a->places[i];
        for (int k = 0; k < place->made_count && keeps_factors(place->operation); k++)
            is_behind[i] = is_behind[i] || is_behind[place->made_of[k]];
        if (!is_behind[i] || place->operation == NULL) continue;
        const struct place *of = &m->a->places[place->made_of[0]];
        if (of->count != place->count) continue;
        const struct difference d = difference_between(of, place);
        const double other = factor_between(of, place, &d, arena);
        if (other != 0 && fabs(other - factor) <= CLOSE * fabs(factor)) return true;
    }
    return false;
}

// Is b a tensor of A times a factor by which A multiplies something further on? Then B may do so earlier.
static bool is_scaled_later(struct arena *arena, const struct matching *m, int a, int b) {
    const struct difference apart = difference_between(&m->a->places[a], &m->b->places[b]);
    const double factor = factor_between(&m->a->places[a], &m->b->places[b], &apart, arena);
    return has_factor_behind(arena, m, a, factor);
}

// The same of what b is made of, if A has it.
static bool is_scaled_early(struct arena *arena, const struct matching *m, int b) {
    const struct place *place = &m->b->places[b];
    for (int k = 0; k < place->made_count; k++) {
        const int of = m->match[place->made_of[k]];
        if (of >= 0 && m->a->places[of].count == place->count && !tells_little(&m->a->places[of]) &&
            is_scaled_later(arena, m, of, b))
            return true;
    }
    return false;
}

struct candidate {
    int a, other; // other: what b is made of and a is not
    int worth;
    struct difference difference;
};

// How well `a` stands for `b`; 0: it does not.
static int worth_of(struct arena *arena, const struct matching *m, int a, int b,
                    struct candidate *candidate) {
    const struct place *one = &m->a->places[a], *two = &m->b->places[b];
    const char *alias = alias_of(m, two->name);
    int worth = 1 + 3 * likeness(arena, one, two);
    if (alias != NULL) worth += strcmp(alias, one->name) == 0 ? 100 : 0;
    if (one->operation != NULL && one->operation == two->operation) worth += 3;
    candidate->difference = difference_between(one, two);
    if (!candidate->difference.is_comparable) return likeness(arena, one, two) > 3;
    worth += is_ready(m, a) ? 4 : 0;
    worth += one->is_shown ? 2 : 0;
    worth += candidate->difference.part < 0.5 ? 2 : 0;
    if (has_right_operands(arena, m, a, b, &candidate->other)) return worth + 4;
    const bool may_be_exchanged = one->operation != NULL && one->operation == two->operation;
    return may_be_exchanged ? worth : 0;
}

// Was it computed from nothing, as a weight was? Of a dump nobody knows.
static bool is_source(const struct side *side, int place) {
    return knows_operations(side) && side->places[place].made_count == 0;
}

static struct candidate best_candidate(struct arena *arena, const struct matching *m, int b,
                                       bool with_sources) {
    struct candidate best = {.a = NOWHERE, .other = NOWHERE};
    for (int a = 0; a < m->a->count; a++) {
        if (!m->is_needed[a] || m->a->places[a].is_part) continue;
        if (!with_sources && is_source(m->a, a)) continue;
        struct candidate candidate = {.a = a, .other = NOWHERE};
        candidate.worth = worth_of(arena, m, a, b, &candidate);
        if (candidate.worth > best.worth) best = candidate;
    }
    return best;
}

// What is computed stands for what is computed; a weight for a weight, or where there is nothing else.
static struct candidate candidate_for(struct arena *arena, const struct matching *m, int b) {
    const struct candidate best = best_candidate(arena, m, b, is_source(m->b, b));
    return best.a >= 0 && best.difference.is_comparable ? best : best_candidate(arena, m, b, true);
}

// The place of A that b is in the place of, where it is made of something that A makes another thing of: it has the place of what
// lies between.
static void see_exchanged(struct arena *arena, const struct matching *m, struct parting *parting,
                          int other) {
    const char *of_a = ancestors(arena, m->a, parting->a, m->is_had);
    const char *of_b = ancestors(arena, m->b, parting->b, m->is_known);
    if (m->b->places[other].count == 0) return;
    for (int i = m->a->count - 1; i >= 0; i--) {
        if (of_a[i] != 2 || m->a->places[i].count != m->b->places[other].count) continue;
        bool is_read = false;
        for (int k = 0; k < m->b->count && !is_read; k++)
            is_read =
                of_b[k] == 2 && m->match[k] >= 0 && m->first_same[m->match[k]] == m->first_same[i];
        if (is_read) continue;
        parting->used_b = other;
        parting->wanted_a = i;
        return;
    }
}

static void count_following(struct arena *arena, const struct matching *m,
                            struct parting *parting) {
    bool *is_behind = arena_array(arena, (size_t)m->b->count, sizeof *is_behind);
    if (parting->b >= 0) is_behind[parting->b] = true;
    for (int i = 0; i < m->b->count; i++) {
        const struct place *place = &m->b->places[i];
        for (int k = 0; k < place->made_count; k++)
            is_behind[i] = is_behind[i] || is_behind[place->made_of[k]];
        if (!knows_operations(m->b) && parting->b >= 0 && i > parting->b) is_behind[i] = true;
        if (!place->is_shown || place->is_part) continue;
        parting->shown++;
        parting->same += m->is_known[i];
        parting->follow += is_behind[i] && !m->is_known[i] && i != parting->b;
    }
}

struct parting parting_at(struct arena *arena, const struct matching *m, int b) {
    const struct candidate candidate = candidate_for(arena, m, b);
    struct parting parting = {.a = candidate.a,
                              .b = b,
                              .meant = NOWHERE,
                              .used_b = NOWHERE,
                              .wanted_a = NOWHERE,
                              .next = NOWHERE,
                              .difference = candidate.difference};
    if (candidate.a >= 0 && candidate.other >= 0)
        see_exchanged(arena, m, &parting, candidate.other);
    count_following(arena, m, &parting);
    return parting;
}

// Is a known tensor one that B shows a second time, where A has done something to it by then?
static int copy_read_by(const struct matching *m, int b) {
    const struct place *place = &m->b->places[b];
    for (int k = 0; k < place->made_count; k++) {
        const int other = place->made_of[k];
        const struct place *read = &m->b->places[other];
        if (read->is_shown && read->operation == NULL && read->made_count == 1 && !read->is_part &&
            m->match[other] >= 0 && m->b->places[read->made_of[0]].is_shown)
            return other;
    }
    return NOWHERE;
}

// Whole numbers that A has not, such as positions, which the tensor found is made of: they are wrong themselves.
static int wrong_counting_before(struct arena *arena, const struct matching *m,
                                 const bool *is_unknown, int found) {
    if (!knows_operations(m->b)) return found;
    const char *of_b = ancestors(arena, m->b, found, m->is_known);
    for (int i = 0; i < found; i++) {
        const struct place *place = &m->b->places[i];
        if (of_b[i] == 1 && is_unknown[i] && place->is_shown && place->count > 0 &&
            tells_little(place) && is_whole(place) && place->numbers[0] >= 0)
            return i;
    }
    return found;
}

// Where B makes the same of an unknown tensor as A does of a known one, that tensor is wrong: something was done to it, as by a
// normalization too many.
static int intruder_before(struct arena *arena, const struct matching *m, int found) {
    if (!knows_operations(m->a) || !knows_operations(m->b)) return found;
    const struct candidate candidate = candidate_for(arena, m, found);
    const struct place *two = &m->b->places[found];
    if (candidate.a < 0 || two->operation == NULL) return found;
    const struct place *one = &m->a->places[candidate.a];
    if (one->operation != two->operation || one->made_count != two->made_count) return found;
    for (int k = 0; k < two->made_count; k++) {
        int other = two->made_of[k];
        const struct place *place = &m->b->places[other];
        if (m->is_known[other] || !m->is_had[m->first_same[one->made_of[k]]]) continue;
        while (!place->is_shown && place->made_count == 1) {
            other = place->made_of[0];
            place = &m->b->places[other];
        }
        if (m->is_known[other] || !place->is_shown) continue;
        if (!is_scaled_later(arena, m, one->made_of[k], other)) return other;
    }
    return found;
}

// Has A the numbers of b only with dimensions exchanged, though in a tensor of that shape?
static bool is_exchanged(const struct matching *m, int b) {
    const struct place *place = &m->b->places[b];
    bool has_shape = false;
    for (int i = 0; i < m->a->count && place->shape.ndim > 1; i++) {
        if (m->first_same[i] != m->first_same[m->match[b]] ||
            !shapes_equal(m->a->places[i].shape, place->shape))
            continue;
        if (are_in_same_order(&m->a->places[i], place)) return false;
        has_shape = true;
    }
    return has_shape;
}

// The tensor of A whose name b has, where b has the numbers of another; NOWHERE: there is none.
static int meant_by_name(struct arena *arena, const struct matching *m, const char *of_a, int b) {
    enum { UNLIKE = 1, LIKE = 3 };
    const struct place *place = &m->b->places[b];
    int meant = NOWHERE;
    for (int i = 0; i < m->a->count; i++) {
        const struct place *other = &m->a->places[i];
        if (!other->is_shown || other->is_part) continue;
        const int like = likeness(arena, other, place);
        if (m->first_same[i] == m->first_same[m->match[b]] && like > UNLIKE) return NOWHERE;
        if (like >= LIKE && shapes_equal(other->shape, place->shape) && is_among(m, of_a, i))
            meant = i;
    }
    return meant;
}

// The first place of A with the numbers of b that a step shows.
static int shown_with_numbers_of(const struct matching *m, int b) {
    for (int i = 0; i < m->a->count; i++)
        if (m->a->places[i].is_shown && m->first_same[i] == m->first_same[m->match[b]]) return i;
    return m->match[b];
}

// Of what the tensor found is made of, the one that A has with dimensions exchanged, where it has no other so, or that has the name
// of another: it is wrong, and not what is made of it. In a dump it may be any that A makes the tensor of.
static struct parting exchanged_before(struct arena *arena, const struct matching *m,
                                       struct parting parting) {
    if (parting.a < 0 || parting.b < 0) return parting;
    const char *of_a = ancestors(arena, m->a, parting.a, m->is_had),
               *all_of_a = ancestors(arena, m->a, m->a->last, NULL);
    const bool is_traced = knows_operations(m->b);
    const char *of_b = is_traced ? ancestors(arena, m->b, parting.b, m->is_known) : NULL;
    int exchanged = NOWHERE, named = NOWHERE, meant = NOWHERE, count = 0;
    for (int i = 0; i < parting.b; i++) {
        const struct place *place = &m->b->places[i];
        if (!place->is_shown || place->is_part || m->match[i] < 0) continue;
        const bool is_copy = place->operation == NULL && place->made_count == 1;
        const bool is_read =
            is_traced && (of_b[i] == 2 || (is_copy && of_b[place->made_of[0]] == 2));
        if (is_traced ? !is_read : !is_among(m, of_a, m->match[i])) continue;
        const int other = named < 0 ? meant_by_name(arena, m, all_of_a, i) : NOWHERE;
        if (other >= 0) named = i, meant = other;
        if (!is_exchanged(m, i)) continue;
        exchanged = i;
        count++;
    }
    const int found = count == 1 ? exchanged : named;
    if (found < 0) return parting;
    parting = parting_at(arena, m, found);
    parting.a = shown_with_numbers_of(m, found);
    parting.difference = (struct difference){0};
    parting.is_exchanged = count == 1;
    parting.meant = count == 1 ? NOWHERE : meant;
    parting.used_b = parting.wanted_a = NOWHERE;
    return parting;
}

// A function whose line is right in another call is called where A calls none: the line with the call is meant.
static int call_around_place(const struct matching *m, int found) {
    const struct place *place = &m->b->places[found];
    if (m->b->run == NULL || place->step < 0 || m->b->run->steps[place->step].within == 0)
        return found;
    bool is_right_elsewhere = false;
    for (int i = 0; i < found && !is_right_elsewhere; i++) {
        const struct place *other = &m->b->places[i];
        is_right_elsewhere = other->is_shown && other->line == place->line && m->is_known[i] &&
                             other->file == place->file && !tells_little(other) &&
                             other->step != place->step;
    }
    const int around = m->b->run->steps[place->step].within - 1;
    for (int i = found; i < m->b->count && is_right_elsewhere; i++) {
        const struct place *result = &m->b->places[i];
        if (result->is_shown && result->step == around && !result->is_part && !m->is_known[i])
            return call_around_place(m, i);
    }
    return found;
}

// Has A one more step in the group in which B ends, of several, made of nothing but what B has? Then B ends before its time: a
// shortcut is missing, for example. *ahead: that step's place.
static bool lacks_last_of_group(const struct matching *m, int *ahead) {
    enum { SEVERAL = 6 };
    const int at = m->match[m->b->last];
    if (at < 0 || m->a->run == NULL || !m->a->places[at].is_shown) return false;
    const struct step *steps = m->a->run->steps, *end = &steps[m->a->places[at].step];
    int before = 0, behind = 0;
    for (int i = 0; i < m->a->count; i++) {
        const struct place *place = &m->a->places[i];
        if (!place->is_shown || place->is_part || place->step < 0) continue;
        if (end->group == NULL || !are_in_one_group(&steps[place->step], end)) continue;
        if (place->step <= m->a->places[at].step) before += m->is_had[i];
        if (place->step <= m->a->places[at].step) continue;
        behind++;
        *ahead = i;
    }
    return behind == 1 && before >= SEVERAL && m->is_needed[*ahead] && is_ready(m, *ahead);
}

// The next tensor that is unknown and made of what is known alone, and neither of it nor in its line. In a dump nobody can tell.
static int next_independent(struct arena *arena, const struct matching *m, const bool *is_unknown,
                            int found) {
    if (!knows_operations(m->a) || !knows_operations(m->b)) return NOWHERE;
    for (int i = found + 1; i < m->b->count; i++) {
        const struct place *place = &m->b->places[i];
        if (!is_unknown[i] || place->is_given || place->line == m->b->places[found].line ||
            !is_made_of_known(m, i))
            continue;
        const struct candidate candidate = candidate_for(arena, m, i);
        if (candidate.a >= 0 && candidate.difference.is_comparable && is_ready(m, candidate.a) &&
            candidate.other < 0 && !is_scaled_later(arena, m, candidate.a, i))
            return i;
    }
    return NOWHERE;
}

struct parting parting_of(struct arena *arena, const struct matching *m) {
    struct parting parting = {.a = NOWHERE,
                              .b = NOWHERE,
                              .meant = NOWHERE,
                              .used_b = NOWHERE,
                              .wanted_a = NOWHERE,
                              .next = NOWHERE};
    const bool *is_unknown = unknown_of(arena, m);
    int first = NOWHERE, found = NOWHERE;
    const int last = m->b->last;
    const bool ends_in_line = m->is_known[last] && m->match[last] >= 0 &&
                              !m->a->places[m->first_same[m->match[last]]].is_shown;
    parting.is_same = m->is_had[m->first_same[m->a->last]] ||
                      (m->is_known[last] && !ends_in_line && !m->b->places[last].is_given);
    int ahead = NOWHERE;
    if (parting.is_same && !m->is_had[m->first_same[m->a->last]] &&
        lacks_last_of_group(m, &ahead)) {
        parting = parting_at(arena, m, last);
        parting.a = ahead;
        parting.difference = difference_between(&m->a->places[ahead], &m->b->places[last]);
        return parting;
    }
    const bool has_end = m->is_had[m->first_same[m->a->last]];
    parting.is_ended = parting.is_same &&
                       (has_end ? m->a->ended != NULL && m->b->ended == NULL : m->b->ended != NULL);
    if (parting.is_ended) {
        parting.is_same = false;
        parting.b = last;
        count_following(arena, m, &parting);
        return parting;
    }
    parting.is_shorter = parting.is_same && !m->is_had[m->first_same[m->a->last]];
    if (parting.is_same) {
        count_following(arena, m, &parting);
        return parting;
    }
    for (int i = 0; i < m->b->count && found < 0; i++) {
        if (!is_unknown[i] || (m->b->places[i].is_given && knows_operations(m->b))) continue;
        if (first < 0) first = i;
        const struct candidate candidate = candidate_for(arena, m, i);
        if (candidate.a >= 0 && !is_scaled_later(arena, m, candidate.a, i) &&
            !is_scaled_early(arena, m, i))
            found = i;
    }
    if (found < 0) found = first;
    if (found < 0) found = last;
    found = intruder_before(arena, m, found);
    found = wrong_counting_before(arena, m, is_unknown, found);
    found = call_around_place(m, found);
    const int copy = copy_read_by(m, found);
    parting = parting_at(arena, m, found);
    if (copy >= 0) parting.used_b = copy;
    parting = exchanged_before(arena, m, parting);
    parting.next = next_independent(arena, m, is_unknown, parting.b);
    return parting;
}
