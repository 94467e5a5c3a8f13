#include "script/lesson/hint.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

// What stands between the first two quotes of a message; NULL if nothing does.
static const char *quoted_in(struct arena *arena, const char *message) {
    const char *start = strchr(message, '\'');
    const char *end = start != NULL ? strchr(start + 1, '\'') : NULL;
    return end != NULL ? arena_copy_bytes(arena, start + 1, (size_t)(end - start - 1)) : NULL;
}

static bool has_torch(struct arena *arena, struct machine *machine, const char *name) {
    struct syntax_error error = {0};
    const char *source = arena_format(arena, "hasattr(torch, '%s')", name);
    const struct program program = parse_program(arena, "<hint>", source, &error);
    struct value value = NO_VALUE;
    if (error.message == NULL && !machine_evaluate(machine, &program, &value))
        machine_clear(machine);
    return value.kind == VALUE_BOOL && value.truth;
}

// The name of torch nearest to one that it does not have; NULL if none is near.
static const char *torch_meant(struct arena *arena, struct machine *machine, const char *name) {
    struct syntax_error error = {0};
    const struct program program = parse_program(arena, "<hint>", "dir(torch)", &error);
    struct value value = NO_VALUE;
    if (!machine_evaluate(machine, &program, &value)) {
        machine_clear(machine);
        return NULL;
    }
    const struct list *list = as_list(value);
    const char **names = arena_array(arena, (size_t)list->count + 1, sizeof *names);
    for (int64_t i = 0; i < list->count; i++) names[i] = as_str(list->items[i])->bytes;
    const char *meant = word_meant(name, names, (int)list->count);
    return meant != NULL ? arena_format(arena, "Did you mean: torch.%s?", meant) : NULL;
}

// "RuntimeError: mat1 and mat2 ..." as a line.
static bool is_message(const char *code) {
    size_t length = 0;
    while (isalnum((unsigned char)code[length])) length++;
    return length > 5 && strncmp(code + length - 5, "Error: ", 7) == 0;
}

const char *hint_for(struct arena *arena, struct machine *machine, const char *code,
                     const char *type, const char *message) {
    const char *name = quoted_in(arena, message);
    if (strcmp(type, "SyntaxError") == 0 && is_message(code))
        return "This is an error message, not a line of Python.";
    if (strstr(message, "bitwise_xor") != NULL || strstr(message, "for ^: ") != NULL)
        return "In Python ^ is no power: ** is.";
    if (strstr(message, "the program takes more than") != NULL)
        return "The line does not come to an end.";
    if (name == NULL) return NULL;
    const char *lacking = strstr(message, "module 'torch' has no attribute ");
    if (lacking == message)
        return torch_meant(arena, machine, quoted_in(arena, message + strlen("module 'torch'")));
    if (strcmp(type, "ModuleNotFoundError") == 0)
        return arena_format(arena, "onestep does not run %s.", name);
    const bool is_numpy = strcmp(name, "np") == 0 || strcmp(name, "numpy") == 0;
    if (strcmp(type, "NameError") != 0 || strstr(message, "Did you") != NULL) return NULL;
    if (is_numpy) return "onestep does not run numpy: torch has most of it.";
    if (strcmp(name, "F") == 0) return "F is torch.nn.functional, where it is imported as F.";
    return has_torch(arena, machine, name) ? arena_format(arena, "Did you mean: torch.%s?", name)
                                           : NULL;
}

const char *hint_for_expression(struct arena *arena, const struct step *step) {
    return arena_format(arena,
                        "This step only shows %s: it takes an expression, such as %s * 2, "
                        "without a name and = before it.",
                        step->name, step->name);
}

const char *hint_for_unset(struct arena *arena, const char *name, const char *bound) {
    const char *first = bound + strspn(bound, " ");
    const size_t length = strcspn(first, " ");
    return length == 0
               ? arena_format(arena, "Your line does not set %s, which this step shows.", name)
               : arena_format(arena, "Your line sets %.*s, but this step shows %s.", (int)length,
                              first, name);
}
