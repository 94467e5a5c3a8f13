#include "script/lesson/reach.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "script/syntax/scope.h"

// ---- What changes objects ----------------------------------------------------------------------------

static bool is_one_of(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

bool changes_in_place(const struct node *node) {
    static const char *const methods[] = {
        "backward", "step",  "append", "extend", "insert", "pop",       "update",  "remove", "add",
        "clear",    "train", "eval",   "sort",   "to",     "zero_grad", "reverse", "setattr"};
    if (node == NULL) return false;
    const struct node *first = node->part_count > 0 ? node->parts[0] : NULL;
    if (node->kind == NODE_AUGMENTED || node->kind == NODE_DEL) return true;
    if (node->kind == NODE_ASSIGN)
        for (int i = 0; i + 1 < node->part_count; i++)
            if (node->parts[i]->kind != NODE_NAME && node->parts[i]->kind != NODE_TUPLE)
                return true;
    if (node->kind == NODE_CALL && first->text != NULL) {
        const size_t length = strlen(first->text);
        if (length > 0 && first->text[length - 1] == '_') return true;
        if (is_one_of(first->text, methods, sizeof methods / sizeof *methods)) return true;
        if (strstr(first->text, "BatchNorm") != NULL) return true;
    }
    for (int i = 0; i < node->part_count; i++) {
        if (changes_in_place(node->parts[i])) return true;
    }
    return false;
}

bool defines_changes(const struct node *node) {
    bool does = false;
    for (int i = 0; i < node->part_count; i++) {
        const struct node *part = node->parts[i];
        const bool is_defined = part->kind == NODE_DEF || part->kind == NODE_CLASS;
        does = does || (is_defined && changes_in_place(part));
    }
    return does;
}

// ---- Names -------------------------------------------------------------------------------------------

// Is a name in the code, as a word of it? A word of a string or of a comment counts, too.
static bool mentions(const char *code, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strstr(code, name); at != NULL; at = strstr(at + 1, name)) {
        const char before = at > code ? at[-1] : ' ', behind = at[length];
        if (!isalnum((unsigned char)before) && before != '_' && !isalnum((unsigned char)behind) &&
            behind != '_')
            return true;
    }
    return false;
}

// The next line that is not indented; the end of the code behind the last.
static const char *next_segment(const char *code) {
    do {
        code += strcspn(code, "\n");
        code += *code == '\n';
    } while (*code != '\0' && strchr(" )]}\n", *code) != NULL);
    return code;
}

// Does a segment begin with "name ="? Then what stands behind that; else NULL.
static const char *assigned(const char *segment, const char *name) {
    const size_t length = strlen(name);
    return strncmp(segment, name, length) == 0 && strncmp(segment + length, " = ", 3) == 0
               ? segment + length + 3
               : NULL;
}

// Does an expression end on its line? One with a string may have its brackets there.
static bool is_whole(const char *expression) {
    int open = 0;
    for (const char *at = expression; *at != '\0'; at++) {
        if (strchr("\"'\\#", *at) != NULL) return false;
        open += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
    }
    return open == 0;
}

// Is the first line of a loop that mentions a name one of its own body, "    name = value", the value whole and without the name? Then
// the loop reads what it has set.
static bool is_set_first(struct arena *arena, const char *segment, const char *next,
                         const char *name) {
    if (strncmp(segment, "for ", 4) != 0 && strncmp(segment, "while ", 6) != 0) return false;
    size_t indent = 0;
    for (const char *line = segment, *end; line < next; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        const char *code = arena_copy_bytes(arena, line, (size_t)(end - line));
        if (indent == 0 && line > segment) indent = strspn(code, " ");
        if (!mentions(code, name)) continue;
        if (indent == 0 || strspn(code, " ") != indent) return false;
        const char *value = assigned(code + indent, name);
        return value != NULL && !mentions(value, name) && is_whole(value);
    }
    return false;
}

enum use { IS_NOT_THERE, IS_READ, IS_SET }; // read before it is set; set before it is read

static enum use use_of(struct arena *arena, const char *code, const char *name) {
    if (!mentions(code, name)) return IS_NOT_THERE;
    for (const char *segment = code; *segment != '\0';) {
        const char *next = next_segment(segment), *value = assigned(segment, name);
        const char *read = value != NULL ? value : segment;
        if (!is_set_first(arena, segment, next, name) &&
            mentions(arena_copy_bytes(arena, read, (size_t)(next - read)), name))
            return IS_READ;
        if (value != NULL) return IS_SET;
        segment = next;
    }
    return IS_NOT_THERE;
}

struct names {
    struct arena *arena;
    int count;
    const char **all;
};

// Is a name there that is no function's own?
static bool has_global(const struct node *node, const struct scope *scope, const char *name) {
    if (node == NULL) return false;
    if (node->kind == NODE_NAME && strcmp(node->text, name) == 0)
        return scope->is_program || slot_of(scope, name) == SLOT_GLOBAL;
    const bool has_body = node->kind == NODE_DEF || node->kind == NODE_LAMBDA;
    for (int i = 0; i < node->part_count; i++) {
        if (has_global(node->parts[i], has_body && i == 1 ? node->scope : scope, name)) return true;
    }
    return false;
}

// A statement that can't be read may read everything that it mentions.
static bool reads(struct arena *arena, const char *code, const struct node *tree,
                  const char *name) {
    return use_of(arena, code, name) == IS_READ &&
           (tree == NULL || has_global(tree, tree->scope, name));
}

static bool reads_one_of(const char *code, const struct node *tree, const struct names *names) {
    for (int i = 0; i < names->count; i++) {
        if (reads(names->arena, code, tree, names->all[i])) return true;
    }
    return false;
}

// Does a step read one, in its statement, or behind that in its expression?
static bool step_reads_one_of(const struct step *step, const struct node *tree,
                              const struct names *names) {
    for (int i = 0; i < names->count; i++) {
        const enum use use = use_of(names->arena, step->statement, names->all[i]);
        if (reads(names->arena, step->statement, tree, names->all[i]) ||
            (use != IS_SET && mentions(step->expression, names->all[i])))
            return true;
    }
    return false;
}

// Those that the code sets anew are no longer there.
static void take_out_set(struct names *names, const char *code) {
    int kept = 0;
    for (int i = 0; i < names->count; i++)
        if (use_of(names->arena, code, names->all[i]) != IS_SET) names->all[kept++] = names->all[i];
    names->count = kept;
}

static void add_name(struct names *names, const char *name) {
    if (is_one_of(name, names->all, (size_t)names->count)) return;
    const size_t used = (size_t)names->count * sizeof *names->all;
    names->all = arena_grow(names->arena, names->all, used, sizeof *names->all);
    names->all[names->count++] = name;
}

static void add_bound(struct names *names, const struct node *tree) {
    const char *name;
    for (int i = 0; (name = next_bound(tree->scope, &i)) != NULL;) add_name(names, name);
}

// ---- Reaching ----------------------------------------------------------------------------------------

struct reach {
    const struct run *right, *run;
    const struct node *const *trees;
    const char *setup;
    struct names reached; // bound by statements that are reached
    struct names drawers; // functions, modules and what came of them: they may draw random numbers
    bool *is_reached, *draws; // by step: may it draw random numbers?
    bool reaches_generator;   // of random numbers
    bool is_unclear; // a function that changes objects was defined, or a statement can't be read
};

static bool contains_one_of(const char *code, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strstr(code, words[i]) != NULL) return true;
    }
    return false;
}

// Does it change what no name tells: settings, other objects, names behind its back?
static bool is_beyond_names(const char *code, const struct node *tree) {
    static const char *const words[] = {
        "set_",          "exec",  "eval(",    "globals", "locals",   "vars(",      "import",
        "inplace",       "out=",  "__",       "global",  "nonlocal", "setdefault", "discard",
        "popitem",       "apply", "register", "load_",   ".half(",   ".float(",    ".double(",
        "requires_grad", "next("};
    return tree == NULL || changes_in_place(tree) ||
           contains_one_of(code, words, sizeof words / sizeof *words);
}

// A changed expression that calls something may change it, or draw.
static bool may_call(const struct reach *reach, int i) {
    const char *expression = reach->run->steps[i].expression;
    return strcmp(expression, reach->right->steps[i].expression) != 0 &&
           strpbrk(expression, "(=") != NULL;
}

static bool may_draw(const struct reach *reach, const char *code, const struct node *tree) {
    static const char *const words[] = {"rand", "multinomial", "ropout", "bernoulli",  "seed",
                                        "init", "normal",      "form_",  "exponential"};
    static const char NETWORK[] = "nn.", FUNCTIONAL[] = "nn.functional.";
    for (const char *at = strstr(code, NETWORK); at != NULL; at = strstr(at + 1, NETWORK))
        if (strncmp(at, FUNCTIONAL, sizeof FUNCTIONAL - 1) != 0) return true; // a layer is made
    return contains_one_of(code, words, sizeof words / sizeof *words) ||
           reads_one_of(code, tree, &reach->drawers);
}

static bool has_definition(const struct node *node) {
    if (node == NULL) return false;
    if (node->kind == NODE_DEF || node->kind == NODE_CLASS || node->kind == NODE_LAMBDA)
        return true;
    for (int i = 0; i < node->part_count; i++) {
        if (has_definition(node->parts[i])) return true;
    }
    return false;
}

static void reach_functions_of(struct reach *reach, const char *code, const struct node *tree) {
    if (has_definition(tree) && reads_one_of(code, tree, &reach->reached))
        add_bound(&reach->reached, tree);
}

// A function reads names when it is called: one that mentions a reached name is reached, and so are those that mention it.
static void reach_functions(struct reach *reach, int until) {
    const int steps = reach->right->step_count;
    for (int before = -1; before != reach->reached.count;) {
        before = reach->reached.count;
        reach_functions_of(reach, reach->setup, reach->trees[2 * steps]);
        for (int i = 0; i <= until; i++) {
            reach_functions_of(reach, reach->right->steps[i].statement, reach->trees[i]);
            reach_functions_of(reach, reach->run->steps[i].statement, reach->trees[steps + i]);
        }
    }
}

static bool is_changed(const struct reach *reach, int i) {
    const struct step *right = &reach->right->steps[i], *step = &reach->run->steps[i];
    return strcmp(right->statement, step->statement) != 0 ||
           strcmp(right->expression, step->expression) != 0;
}

static bool seeds_first(const char *code) {
    static const char SEED[] = "torch.manual_seed(";
    return strncmp(code, SEED, sizeof SEED - 1) == 0;
}

// Is the step reached? What it draws behind a seed of its own is not.
static bool is_reached_step(const struct reach *reach, int i) {
    const struct step *step = &reach->run->steps[i];
    const struct node *tree = reach->trees[reach->run->step_count + i];
    return is_changed(reach, i) || step_reads_one_of(step, tree, &reach->reached) ||
           (reach->reaches_generator && !seeds_first(step->statement) &&
            may_draw(reach, step->statement, tree));
}

// Goes over a statement, or the setup. False if it is reached, and nobody can tell what it reaches.
static bool go_over(struct reach *reach, const char *code, const struct node *tree, bool is_reached,
                    bool *draws) {
    *draws = may_draw(reach, code, tree);
    reach->is_unclear = reach->is_unclear || tree == NULL || defines_changes(tree);
    if (is_reached && (reach->is_unclear || is_beyond_names(code, tree))) return false;
    if (tree == NULL) return true;
    if (*draws || has_definition(tree)) add_bound(&reach->drawers, tree);
    if (!is_reached) return true;
    reach->reaches_generator = reach->reaches_generator || *draws;
    add_bound(&reach->reached, tree);
    return true;
}

// Goes over the step as it was and as it is.
static bool go_over_step(struct reach *reach, int i) {
    const int steps = reach->right->step_count;
    const char *was = reach->right->steps[i].statement, *is = reach->run->steps[i].statement;
    const bool is_reached = reach->is_reached[i];
    bool *draws = &reach->draws[i];
    if (was != is && !go_over(reach, was, reach->trees[i], is_reached, draws)) return false;
    return go_over(reach, is, reach->trees[steps + i], is_reached, draws);
}

// Marks the steps that the changed lines reach, and returns the last of them; -1 if nobody can tell.
static int mark_reached(struct reach *reach) {
    const struct run *right = reach->right, *run = reach->run;
    const int steps = right->step_count;
    int last = -1;
    bool draws;
    if (run->step_count != steps || run->setup != right->setup || run->stream != right->stream ||
        right->is_handed != NULL)
        return -1;
    (void)go_over(reach, reach->setup, reach->trees[2 * steps], false, &draws);
    for (int i = 0; i < steps; i++) {
        const bool is_reached = reach->is_reached[i] = is_reached_step(reach, i);
        if (seeds_first(run->steps[i].statement)) reach->reaches_generator = false;
        if (may_call(reach, i) || !go_over_step(reach, i)) return -1;
        if (!is_reached) take_out_set(&reach->reached, run->steps[i].statement);
        if (!is_reached) continue;
        reach_functions(reach, i);
        last = i;
    }
    return last;
}

// ---- What has to run ---------------------------------------------------------------------------------

// A set of words of code. A word stays where it was once, and is in the set or not.
struct word {
    struct word *next;
    const char *text;
    size_t length;
    bool is_in;
};

struct words {
    struct arena *arena;
    struct word *buckets[128]; // by length and first and last character
};

static struct word *word_of(struct words *words, const char *text, size_t length) {
    enum { BUCKETS = sizeof words->buckets / sizeof *words->buckets };
    const size_t sum = length + 7 * (unsigned char)text[0] + (unsigned char)text[length - 1];
    struct word **bucket = &words->buckets[sum % BUCKETS];
    for (struct word *word = *bucket; word != NULL; word = word->next)
        if (word->length == length && memcmp(word->text, text, length) == 0) return word;
    struct word *word = arena_allocate(words->arena, sizeof *word);
    *word = (struct word){*bucket, text, length, false};
    return *bucket = word;
}

static bool is_of_word(char character) {
    return isalnum((unsigned char)character) || character == '_' || (character & 0x80) != 0;
}

static void add_words(struct words *words, const char *code) {
    for (const char *at = code; *at != '\0';) {
        size_t length = 0;
        while (is_of_word(at[length])) length++;
        if (length > 0 && !isdigit((unsigned char)*at)) word_of(words, at, length)->is_in = true;
        at += length > 0 ? length : 1;
    }
}

// Does a statement bind one of them?
static bool binds_one_of(const struct node *tree, struct words *words) {
    const char *name;
    for (int i = 0; (name = next_bound(tree->scope, &i)) != NULL;)
        if (word_of(words, name, strlen(name))->is_in) return true;
    return false;
}

// From the last step back: a step that is not reached runs if one that runs reads what it binds. Functions may read what they speak
// of whenever they are called.
static void mark_needed(const struct reach *reach, bool *runs, int last) {
    struct arena *arena = reach->reached.arena;
    const struct step *steps = reach->run->steps;
    const struct node *const *trees = reach->trees + reach->run->step_count;
    struct words needed = {.arena = arena}, by_functions = {.arena = arena};
    bool needs_generator = false;
    add_words(&by_functions, reach->setup);
    for (int i = 0; i <= last; i++)
        if (has_definition(trees[i])) add_words(&by_functions, steps[i].statement);
    for (int i = last; i >= 0; i--) {
        const char *code = steps[i].statement, *name;
        const bool draws = reach->draws[i];
        runs[i] = reach->is_reached[i] || (draws && needs_generator) ||
                  is_beyond_names(code, trees[i]) || binds_one_of(trees[i], &needed) ||
                  binds_one_of(trees[i], &by_functions);
        if (!runs[i]) continue;
        if (draws) needs_generator = !seeds_first(code);
        add_words(&needed, code);
        add_words(&needed, steps[i].expression);
        for (int k = 0; (name = next_bound(trees[i]->scope, &k)) != NULL;)
            if (use_of(arena, code, name) == IS_SET)
                word_of(&needed, name, strlen(name))->is_in = false;
    }
}

int choose_steps(bool *runs, struct arena *arena, const struct run *right, const struct run *run,
                 const char *setup, const struct node *const *trees) {
    const size_t steps = (size_t)run->step_count;
    struct reach reach = {.right = right,
                          .run = run,
                          .setup = setup,
                          .trees = trees,
                          .is_reached = arena_array(arena, steps, sizeof(bool)),
                          .draws = arena_array(arena, steps, sizeof(bool))};
    reach.reached.arena = reach.drawers.arena = arena;
    const int found = mark_reached(&reach), last = found >= 0 ? found : run->step_count - 1;
    if (found >= 0 && !reach.is_unclear)
        mark_needed(&reach, runs, last);
    else
        for (int i = 0; i <= last; i++) runs[i] = true;
    return last;
}
