#include "app/print/picture.h"

#include <string.h>

#include "app/print/formats.h"
#include "show/map/map.h"

static const char *const names[] = {[NO_PICTURE] = "", [PICTURE_MAP] = "map"};
static const int picture_count = sizeof names / sizeof *names;

const char *picture_name(enum picture picture) {
    return (int)picture < picture_count ? names[picture] : NULL;
}

enum picture picture_called(const char *name) {
    for (int i = picture_count - 1; i > NO_PICTURE; i--) {
        if (strcmp(name, names[i]) == 0) return (enum picture)i;
    }
    return NO_PICTURE;
}

bool shows_step(enum picture picture) {
    return picture != PICTURE_MAP;
}

// "Causal attention (not the course's: d_out 4)": the heading of a figure.
static const char *heading_of(struct arena *arena, const struct trial *trial, const char *title) {
    const char *differences = differences_text(arena, trial);
    if (differences == NULL) return title;
    return arena_format(arena, "%s (not the course’s: %s)", title, differences);
}

void add_picture(struct text *text, const struct selection *selection, enum picture picture,
                 enum picture_form form) {
    const struct trial *trial = &selection->trials[0];
    const struct map map = map_of(text->arena, &trial->run);
    (void)picture;
    if (form == IN_WORDS)
        add_map_facts(text, &map);
    else if (form == IN_TEXT)
        add_map(text, &map);
    else
        add_map_svg(text, &map, heading_of(text->arena, trial, trial->run.lesson->title), false);
}
