#include "app/print/formats.h"

#include "show/map/map.h"
#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "show/picture/strips.h"
#include "show/table.h"
#include "trace/run/step.h"

enum { COLUMNS = 80, PLANE_ROWS = 24, CURVE_ROWS = 14 };

static const char *const names[] = {
    [NO_PICTURE] = "",           [PICTURE_MAP] = "map",     [PICTURE_PLANE] = "plane",
    [PICTURE_STRIPS] = "strips", [PICTURE_CURVE] = "curve",
};
static const int picture_count = sizeof names / sizeof *names;

const char *picture_name(enum picture picture) {
    return (int)picture < picture_count ? names[picture] : NULL;
}

bool shows_step(enum picture picture) {
    return picture != PICTURE_MAP;
}

// What is being drawn.
struct drawing {
    struct text *text;
    const struct trial *trial;
    const struct step *step;
    enum picture_form form;
    const char *heading; // of a figure
};

static void refuse_if(const struct drawing *d, enum picture picture, const char *why) {
    if (why == NULL) return;
    fail(d->text->arena->failure, FAIL_USAGE, "%s has no %s: %s",
         step_label(d->text->arena, d->step), names[picture], why);
}

static void add_the_map(const struct drawing *d) {
    const struct map map = map_of(d->text->arena, &d->trial->run);
    if (d->form == IN_WORDS)
        add_map_facts(d->text, &map);
    else if (d->form == IN_TEXT)
        add_map(d->text, &map);
    else
        add_map_svg(d->text, &map, d->heading, false);
}

static void add_title(const struct drawing *d, const char *title) {
    if (title != NULL && *title != '\0') text_add_format(d->text, "%s\n", title);
}

static void add_plane(const struct drawing *d) {
    struct arena *arena = d->text->arena;
    // a figure holds one plane: of the first sentence and head
    const int64_t pages = d->form == IN_SVG ? 1 : table_of(&d->step->tensor).pages;
    for (int64_t page = 0; page < pages; page++) {
        struct plane plane;
        refuse_if(d, PICTURE_PLANE, plane_of(arena, &plane, &d->trial->run, d->step, page));
        if (d->form == IN_SVG) {
            const char *page_heading = plane.title != NULL && *plane.title != '\0'
                                           ? arena_format(arena, "%s, %s", d->heading, plane.title)
                                           : d->heading;
            add_plane_svg(d->text, &plane, page_heading);
        } else if (d->form == IN_WORDS) {
            add_plane_facts(d->text, &plane);
        } else {
            const struct sketch sketch = plane_sketch(arena, &plane, PLANE_ROWS, COLUMNS, false);
            add_title(d, plane.title);
            add_sketch(d->text, &sketch);
        }
    }
}

static void add_strips(const struct drawing *d) {
    struct arena *arena = d->text->arena;
    const struct tensor *tensor = &d->step->tensor;
    refuse_if(d, PICTURE_STRIPS, why_no_strips(arena, tensor));
    if (d->form == IN_SVG) {
        add_strips_svg(d->text, tensor, d->heading);
        return;
    }
    if (d->form == IN_WORDS) {
        add_strips_facts(d->text, tensor);
        return;
    }
    for (int64_t page = 0; page < table_of(tensor).pages; page++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(tensor, page, 0, 0, index);
        const struct sketch sketch = strips_sketch(arena, tensor, page, COLUMNS, false);
        add_title(d, page_title(arena, tensor, index));
        add_sketch(d->text, &sketch);
    }
}

static void add_curve(const struct drawing *d) {
    struct arena *arena = d->text->arena;
    const struct tensor *tensor = &d->step->tensor;
    refuse_if(d, PICTURE_CURVE, why_no_curve(arena, tensor));
    const struct tensor *beside = curve_beside(&d->trial->run, d->step);
    if (d->form == IN_SVG) {
        add_curve_svg(d->text, tensor, beside, d->heading);
    } else if (d->form == IN_WORDS) {
        add_curve_facts(d->text, tensor);
    } else {
        const struct sketch sketch =
            curve_sketch(arena, tensor, beside, CURVE_ROWS, COLUMNS, false);
        add_sketch(d->text, &sketch);
    }
}

// "Causal attention: context (not the course's: d_out 4)".
static const char *heading_of(const struct drawing *d) {
    struct arena *arena = d->text->arena;
    const char *title = d->trial->run.lesson->title, *other = differences_text(arena, d->trial);
    if (d->step != NULL) title = arena_format(arena, "%s: %s", title, step_label(arena, d->step));
    return other == NULL ? title
                         : arena_format(arena, "%s (not the %s’s: %s)", title,
                                        standard_of(d->trial->run.lesson), other);
}

void add_picture(struct text *text, const struct selection *selection, enum picture picture,
                 enum picture_form form) {
    static void (*const adders[])(const struct drawing *d) = {
        [PICTURE_MAP] = add_the_map,
        [PICTURE_PLANE] = add_plane,
        [PICTURE_STRIPS] = add_strips,
        [PICTURE_CURVE] = add_curve,
    };
    struct drawing drawing = {
        .text = text, .trial = &selection->trials[0], .step = selection->step, .form = form};
    drawing.heading = heading_of(&drawing);
    adders[picture](&drawing);
}
