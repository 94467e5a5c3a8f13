#include "script/recording/recorded.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/steps/words.h"

const char *last_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return text_safe(arena, slash != NULL ? slash + 1 : path);
}

static const char *line_of_file(struct arena *arena, const struct recorded_file *file,
                                int64_t line) {
    const char *at = place_in_source(file->text, (int)(line > 0 && line < INT32_MAX ? line : 1), 0);
    return at == NULL || *at == '\0' ? "" : text_safe_bytes(arena, at, strcspn(at, "\n"));
}

static const char *place_of_node(struct arena *arena, const struct recording *recording,
                                 const struct recorded_node *node) {
    return node->file < 0
               ? "no line is known"
               : arena_format(arena, "%s:%" PRId64,
                              last_name(arena, recording->files[node->file].name), node->line);
}

static const char *sentence_of(struct arena *arena, const struct recorded_result *result,
                               bool is_operation) {
    switch (result->agreement) {
    case SAME_BITS:
        return "onestep's own arithmetic gives these numbers, every bit.";
    case WITHIN_TYPE:
        return arena_format(arena,
                            "onestep's own arithmetic gives these numbers but for rounding: the "
                            "largest difference is %.2g.",
                            result->difference);
    case DIFFERENT:
        return arena_format(arena,
                            "onestep's own arithmetic gives other numbers from these operands: "
                            "the largest difference is %.2g.",
                            result->difference);
    case NOT_KNOWN:
        return arena_format(arena, "onestep has not computed these numbers again%s%s.%s",
                            result->why != NULL ? ": " : "", result->why != NULL ? result->why : "",
                            is_operation ? " It shows what the operation was given." : "");
    case NOT_COMPARED:
        break;
    }
    return "";
}

// Of each step its own, so that what its explanation says can still change.
struct paragraph *paragraph_of_node(struct arena *arena, const struct recorded_run *recorded,
                                    const struct recording *recording,
                                    const struct recorded_node *node) {
    struct paragraph *paragraph = arena_allocate(arena, sizeof *paragraph);
    struct excerpt *excerpt = arena_allocate(arena, sizeof *excerpt);
    const char *line =
        node->file >= 0 ? line_of_file(arena, &recording->files[node->file], node->line) : "";
    line += strspn(line, " \t");
    if (*line == '\0' && node->call != NULL)
        line = call_in_names(arena, recorded, recording, node->call);
    const int number = (int)(node->line < INT32_MAX ? node->line : 0);
    *excerpt = (struct excerpt){number, number, number, number, arena_format(arena, "%s\n", line)};
    const char *module = node->module != NULL && *node->module != '\0'
                             ? arena_format(arena, ", in %s", text_safe(arena, node->module))
                             : "";
    *paragraph = (struct paragraph){
        .file =
            node->file >= 0 ? last_name(arena, recording->files[node->file].name) : "recording.py",
        .title = arena_format(arena, "%s%s", place_of_node(arena, recording, node), module),
        .explanation = "",
        .excerpt_count = 1,
        .excerpts = excerpt,
    };
    return paragraph;
}

// What ended the run behind a node; "" if more nodes follow, or none had to.
static const char *end_behind(struct arena *arena, const struct recording *recording, int number) {
    const bool is_last_but_one = number + 2 == recording->node_count;
    const struct recorded_node *last = &recording->nodes[recording->node_count - 1];
    if (!is_last_but_one || last->raised == NULL) return "";
    return arena_format(arena, "The run ended behind this step: %s raised %s",
                        place_of_node(arena, recording, last),
                        text_safe_bytes(arena, last->raised, strcspn(last->raised, "\n")));
}

// A gradient is computed again from other gradients, not from what its line reads.
static const char *gradient_in_words(struct arena *arena, struct recorded_run *recorded,
                                     const struct recording *recording,
                                     const struct recorded_node *node,
                                     const struct recorded_result *result) {
    const enum agreement agreement = result->agreement;
    const bool is_computed = agreement != NOT_COMPARED && agreement != NOT_KNOWN;
    const char *name =
        text_safe(arena, word_for_value(arena, recorded, recording, node->gradient_of));
    if (begins_way_back(recorded, recording, node->gradient_of))
        return arena_format(
            arena, "The way back begins here: the gradient of %s with respect to itself.", name);
    return arena_format(arena, "The gradient of the loss with respect to %s.%s", name,
                        is_computed ? " From the gradients of what was computed from it," : "");
}

const char *explanation_of(struct arena *arena, struct recorded_run *recorded,
                           const struct recording *recording, int number) {
    const struct recorded_node *node = &recording->nodes[number];
    const char *result = sentence_of(arena, &recorded->results[number], node->call != NULL);
    const char *what = "";
    if (node->ends >= 0)
        what = arena_format(arena, "The call of %s gives this.",
                            *recording->calls[node->ends].module != '\0'
                                ? text_safe(arena, recording->calls[node->ends].module)
                                : "the model");
    else if (node->changed_by >= 0)
        what = "An operation on another view has changed these numbers.";
    else if (node->gradient_of >= 0)
        what = gradient_in_words(arena, recorded, recording, node, &recorded->results[number]);
    else if (node->call != NULL)
        what = arena_format(arena, "PyTorch ran: %s.",
                            call_in_names(arena, recorded, recording, node->call));
    const char *end = end_behind(arena, recording, number);
    return arena_format(arena, "%s%s%s%s%s", what, *result != '\0' ? " " : "", result,
                        *end != '\0' ? " " : "", end);
}
