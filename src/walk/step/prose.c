#include "walk/step/prose.h"

#include "base/text.h"

struct prose prose_of(struct arena *arena, const struct trial *trial, int step) {
    const char *explanation = trial->run.steps[step].paragraph->explanation;
    if (trial->touched == NULL || !trial->touched[step] || trial->line_count > 0)
        return (struct prose){"", explanation};
    struct text wrong = text_new(arena);
    for (int i = 0; i < trial->mistake_count; i++)
        text_add_format(&wrong, "%s%s", i > 0 ? " " : "", trial->mistakes[i]->wrong);
    return (struct prose){wrong.bytes,
                          arena_format(arena, "Without %s: %s",
                                       trial->mistake_count == 1 ? "the mistake" : "the mistakes",
                                       explanation)};
}
