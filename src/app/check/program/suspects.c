#include "app/check/program/suspects.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "script/steps/words.h"

static bool have_one_name(const struct program_tensor *one, const struct program_tensor *other) {
    return strcmp(one->plain, other->plain) == 0;
}

// Tensors of a name between two that are right: their places, and how many of them are wrong and are not this one.
struct gap {
    int before, after; // steps of the right ones; NO_STEP, and the count of steps: there are none
    int earlier, later;
};
static struct gap gap_around(const struct matched *matched, int steps, int position) {
    struct gap gap = {NO_STEP, steps, 0, 0};
    const struct program_tensor *tensor = &matched->tensors[position];
    for (int i = position - 1; i >= 0 && gap.before == NO_STEP; i--) {
        const struct program_tensor *other = &matched->tensors[i];
        if (!have_one_name(tensor, other)) continue;
        if (other->is_named) gap.before = other->step;
        gap.earlier += !other->is_named;
    }
    for (int i = position + 1; i < matched->tensor_count && gap.after == steps; i++) {
        const struct program_tensor *other = &matched->tensors[i];
        if (!have_one_name(tensor, other)) continue;
        if (other->is_named) gap.after = other->step;
        gap.later += !other->is_named;
    }
    return gap;
}

// Has a tensor of the program these numbers, whatever its name?
static bool is_computed(const struct matched *matched, const struct wanted *wanted, int step) {
    for (int i = 0; i < matched->tensor_count; i++) {
        const int other = matched->tensors[i].step;
        if (other >= 0 && wanted->steps[other].same == wanted->steps[step].same) return true;
    }
    return false;
}

// Is a misnamed tensor in the place of a step of its name? A program may compute something else under the name, too: so the
// lesson must have steps of that name, between those of the program's tensors that are right, that the program computes
// nowhere. Of more wrong tensors than such steps the last is meant: those before it may be on the way to it.
static bool replaces_step(const struct matched *matched, const struct wanted *wanted,
                          int position) {
    const struct program_tensor *tensor = &matched->tensors[position];
    const struct gap gap = gap_around(matched, wanted->count, position);
    const bool is_only = gap.before == NO_STEP && gap.after == wanted->count;
    int missing = 0;
    for (int i = gap.before + 1; i < gap.after; i++) {
        const struct wanted_step *step = &wanted->steps[i];
        if (strcmp(step->name, tensor->plain) != 0) continue;
        const bool is_meant = step->values.count == tensor->values.count;
        missing += is_only || (is_meant && !is_computed(matched, wanted, i));
    }
    return missing > 0 && (gap.later == 0 || gap.earlier + gap.later < missing);
}

bool has_word(const char *name, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(name, word); at != NULL; at = strstr(at + 1, word)) {
        const bool begins = at == name || at[-1] == '_';
        if (begins && (at[length] == '\0' || at[length] == '_')) return true;
    }
    return false;
}

static bool ends_with_word(const char *name, const char *word) {
    const size_t length = strlen(name), end = strlen(word);
    return length >= end && strcmp(name + length - end, word) == 0 &&
           (length == end || name[length - end - 1] == '_');
}

bool is_copy_of_other(const struct matched *matched, const struct wanted *wanted, int position) {
    const struct program_tensor *tensor = &matched->tensors[position];
    if (tensor->step < 0 || has_word(wanted->steps[tensor->step].name, tensor->plain)) return false;
    bool is_copy = false;
    for (int i = 0; i < position && !is_copy; i++) {
        const struct program_tensor *other = &matched->tensors[i];
        is_copy = other->step >= 0 && !have_one_name(tensor, other) &&
                  wanted->steps[other->step].same == wanted->steps[tensor->step].same;
    }
    for (int i = 0; i < wanted->count && is_copy; i++) {
        const struct wanted_step *step = &wanted->steps[i];
        if (ends_with_word(step->name, tensor->plain) && !is_computed(matched, wanted, i) &&
            shapes_equal(tensor->values.squeezed, step->values.squeezed))
            return true;
    }
    return false;
}

bool is_later_step(const struct wanted *wanted, const struct program_tensor *tensor) {
    if (tensor->step < 0) return false;
    const char *label = wanted->steps[tensor->step].label;
    const size_t group = strcspn(label, ":");
    for (int i = tensor->step + 1; i < wanted->count; i++) {
        const bool is_in_group =
            label[group] == '\0' || strncmp(wanted->steps[i].label, label, group) == 0;
        if (is_in_group && strcmp(wanted->steps[i].name, tensor->plain) == 0) return false;
    }
    return true;
}

// Has the tensor the numbers of a step, and the name of one that the program does not come to, as to the last `loss` of a training?
static bool is_ahead(const struct matched *matched, const struct wanted *wanted,
                     const struct program_tensor *tensor) {
    const int last = matched->tensors[matched->tensor_count - 1].step;
    if (tensor->step < 0 || last < 0) return false;
    for (int i = 0; i <= last; i++) {
        if (strcmp(wanted->steps[i].name, tensor->plain) == 0) return false;
    }
    return true;
}

// Are two steps in groups of one kind, such as "block 1" and "block 2", or both in none?
static bool are_in_like_groups(const struct wanted_step *a, const struct wanted_step *b) {
    const size_t one = strcspn(a->label, ":"), other = strcspn(b->label, ":");
    const bool has_group = a->label[one] != '\0', has_other = b->label[other] != '\0';
    if (!has_group || !has_other) return has_group == has_other;
    const size_t name = strcspn(a->label, ":0123456789");
    return name == strcspn(b->label, ":0123456789") && strncmp(a->label, b->label, name) == 0;
}

// Has the program numbers of steps, and none from where the lesson has its name? Then that name is another's, as `loss`
// in a part that has no step of the name.
static bool is_of_other_part(const struct matched *matched, const struct wanted *wanted,
                             int position) {
    bool has_step = false;
    for (int i = 0; i < matched->tensor_count; i++) {
        const int step = matched->tensors[i].step;
        if (step < 0 || wanted->steps[step].is_given) continue;
        has_step = true;
        for (int k = 0; k < wanted->count; k++) {
            const bool is_of_name =
                strcmp(wanted->steps[k].name, matched->tensors[position].plain) == 0;
            if (is_of_name && are_in_like_groups(&wanted->steps[k], &wanted->steps[step]))
                return false;
        }
    }
    return has_step;
}

// How many tensors of a function are the steps of their names.
static int right_names_in(const struct matched *matched, const char *function) {
    int count = 0;
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        count += tensor->is_named && strcmp(tensor->function, function) == 0;
    }
    return count;
}

// The function where most names are those of their steps; NULL if none is.
static const char *lesson_function(const struct matched *matched) {
    const char *function = NULL;
    int most = 0;
    for (int i = 0; i < matched->tensor_count; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        const bool is_new = function == NULL || strcmp(tensor->function, function) != 0;
        const int count =
            tensor->is_named && is_new ? right_names_in(matched, tensor->function) : 0;
        if (count <= most) continue;
        most = count;
        function = tensor->function;
    }
    return function;
}

// ---- Those that the result excuses --------------------------------------------------------------------

static bool is_of_word(char byte) {
    return isalnum((unsigned char)byte) || byte == '_';
}

static bool reads(const char *statement, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strstr(statement, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == statement || !is_of_word(at[-1])) && !is_of_word(at[length])) return true;
    }
    return false;
}

// What the statement of a tensor computes; without `name = ` before it.
static const char *statement_of(struct arena *arena, const struct matched *matched,
                                const struct program_tensor *tensor) {
    const char *start = place_in_source(matched->source, tensor->line, 0);
    const char *end = place_in_source(matched->source, tensor->last_line, 0);
    end += strcspn(end, "\n");
    const char *statement = arena_copy_bytes(arena, start, (size_t)(end - start));
    const char *equals = strstr(statement, " = ");
    return equals != NULL && strcspn(statement, "(") > (size_t)(equals - statement) ? equals
                                                                                    : statement;
}

static bool have_equal_values(const struct values *a, const struct values *b) {
    return shapes_equal(a->shape, b->shape) &&
           memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof *a->numbers) == 0;
}

bool is_even(const struct values *values) {
    static const double CLOSE = 1e-5;
    for (int64_t i = 1; i < values->count; i++) {
        if (!(fabs(values->numbers[i] - values->numbers[0]) <= CLOSE * values->size)) return false;
    }
    return true;
}

// Is no tensor between two places named like the first?
static bool is_last_of_name(const struct matched *matched, int position, int before) {
    for (int i = position + 1; i < before; i++) {
        if (have_one_name(&matched->tensors[i], &matched->tensors[position])) return false;
    }
    return true;
}

// Is the last tensor, which is the lesson's, computed from this one? By the names that statements read; what a function returns
// has another name, and the same numbers.
static bool leads_to_last(struct arena *arena, const struct matched *matched, int position) {
    enum { MOST = 2000 };
    const int last = matched->tensor_count - 1;
    if (last >= MOST || matched->tensors[last].step < 0 || is_even(&matched->tensors[last].values))
        return false;
    bool *is_made_of_it = arena_array(arena, (size_t)last + 1, sizeof *is_made_of_it);
    is_made_of_it[position] = true;
    for (int i = position + 1; i <= last; i++) {
        const struct program_tensor *tensor = &matched->tensors[i];
        const char *statement = statement_of(arena, matched, tensor);
        for (int k = position; k < i && !is_made_of_it[i]; k++) {
            const struct program_tensor *other = &matched->tensors[k];
            is_made_of_it[i] =
                is_made_of_it[k] &&
                ((is_last_of_name(matched, k, i) && reads(statement, other->plain)) ||
                 (k == i - 1 && have_equal_values(&tensor->values, &other->values)));
        }
    }
    return is_made_of_it[last];
}

void mark_suspects(struct arena *arena, struct matched *matched, const struct wanted *wanted) {
    const char *function = lesson_function(matched);
    for (int i = 0; i < matched->tensor_count; i++) {
        struct program_tensor *tensor = &matched->tensors[i];
        const bool is_there = function == NULL || strcmp(tensor->function, function) == 0 ||
                              strcmp(tensor->function, "__init__") == 0;
        const bool is_meant =
            tensor->is_misnamed && is_there && !tensor->is_repeated &&
            !is_later_step(wanted, tensor) && !is_ahead(matched, wanted, tensor) &&
            !is_of_other_part(matched, wanted, i) && replaces_step(matched, wanted, i);
        tensor->is_excused = is_meant && leads_to_last(arena, matched, i);
        tensor->is_suspect =
            (is_meant && !tensor->is_excused) || is_copy_of_other(matched, wanted, i);
    }
}
