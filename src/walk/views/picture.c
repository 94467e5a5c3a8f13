// A tensor as something to look at: a plane where it is two numbers wide, strips where it holds weights, a curve
// where it is a list. On a plane a query can be moved; the lesson is played again, and its weights stand beside.

#include <math.h>

#include "base/text.h"
#include "show/picture/curve.h"
#include "show/picture/plane.h"
#include "show/picture/strips.h"
#include "show/table.h"
#include "tensor/ops/ops.h"
#include "trace/run/step.h"
#include "trace/tape/replay.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

enum kind { NOTHING, PLANE, STRIPS, CURVE };

struct picture_shown {
    enum kind kind;
    const char *why; // NOTHING: why not
    int64_t page;
    int chosen;         // point, or number of the curve
    double right, up;   // how far the point was moved
    struct plane plane; // of this page, as the lesson has it
};

static const struct step *step_on_screen(const struct walker *walker) {
    return &walker->trial.run.steps[walker->state.step];
}

// Which picture a step has; with its plane, or why it has none.
static enum kind kind_of(struct arena *arena, const struct run *run, const struct step *step,
                         int64_t page, struct plane *plane, const char **why) {
    *why = plane_of(arena, plane, run, step, page);
    if (*why == NULL) return PLANE;
    if (why_no_strips(arena, &step->tensor) == NULL) return STRIPS;
    return why_no_curve(arena, &step->tensor) == NULL ? CURVE : NOTHING;
}

static void find_kind(struct walker *walker, struct picture_shown *shown) {
    shown->kind = kind_of(&top_view(walker)->memory, &walker->trial.run, step_on_screen(walker),
                          shown->page, &shown->plane, &shown->why);
}

static bool has_picture(struct arena *arena, const struct run *run, int step) {
    struct plane plane;
    const char *why;
    return kind_of(arena, run, &run->steps[step], 0, &plane, &why) != NOTHING;
}

static int count_of_places(const struct walker *walker, const struct picture_shown *shown) {
    if (shown->kind == PLANE) return shown->plane.point_count;
    if (shown->kind == CURVE) return (int)count_of(shape_of(&step_on_screen(walker)->tensor));
    return 0;
}

static void open(struct walker *walker, void *view_state) {
    struct picture_shown *shown = view_state;
    shown->page = walker->state.page;
    find_kind(walker, shown);
    if (shown->kind == NOTHING && shown->page > 0) { // such as a page of nan
        shown->page = 0;
        find_kind(walker, shown);
    }
    if (shown->kind == PLANE && walker->state.row < shown->plane.sets[0].count)
        shown->chosen = (int)walker->state.row;
    if (shown->kind == CURVE && walker->trial.run.lesson->trains)
        shown->chosen = count_of_places(walker, shown) - 1; // as far as it has come
}

// ---- A query that is moved ---------------------------------------------------------------------------

// The weights that a moved point gets, and the step that they are of.
struct followed {
    const struct step *step; // NULL: no weights follow from these points
    struct tensor weights;
};

// The point as it is shown now.
static struct plane_point point_now(const struct picture_shown *shown, int i) {
    struct plane_point point = shown->plane.points[i];
    if (i != shown->chosen) return point;
    point.x += shown->right;
    point.y += shown->up;
    return point;
}

// The numbers of the storage that the first set shows, with the chosen point where it is now.
static struct tensor moved_numbers(struct arena *arena, const struct picture_shown *shown) {
    const struct tensor *rows = &shown->plane.sets[0].rows;
    const struct tensor numbers = tensor_given(arena, FLOAT32, rows->storage->shape);
    const struct tensor old = tensor_over(rows->storage, rows->storage->shape);
    for (int64_t i = 0; i < rows->storage->count; i++)
        floats_of(&numbers)[i] = (float)element_at(&old, i);
    const struct plane_point point = point_now(shown, shown->chosen);
    int64_t index[MAX_DIMS] = {shown->chosen};
    const int last = rows->ndim - 1;
    index[last] = 0;
    floats_of(&numbers)[flat_index(rows, index)] = (float)point.x;
    index[last] = 1;
    floats_of(&numbers)[flat_index(rows, index)] = (float)point.y;
    return numbers;
}

// Does a step show weights of the chosen point: a row for each point, or the only row that the lesson asks for?
static bool has_weights_of(struct arena *arena, const struct run *run, const struct step *step,
                           const struct picture_shown *shown) {
    const struct tensor *tensor = &step->tensor;
    if (why_no_strips(arena, tensor) != NULL || !rows_sum_to_one(tensor, 0)) return false;
    const int64_t rows = table_of(tensor).rows;
    return rows == shown->plane.sets[0].count || (rows == 1 && shown->chosen == run->query);
}

// The first step with weights that depends on a node: playing it again computes other numbers.
static struct followed follow(struct arena *arena, const struct run *run,
                              const struct picture_shown *shown) {
    const struct tensor numbers = moved_numbers(arena, shown);
    struct replay replay = replay_of(arena, run);
    if (shown->chosen >= shown->plane.sets[0].count) return (struct followed){0};
    if (!put(&replay, shown->plane.sets[0].rows.storage, numbers.storage))
        return (struct followed){0};
    play(&replay, ALL_STEPS, ONLY_CHANGES);
    for (int i = 0; i < run->step_count; i++) {
        const struct tensor again = played(&replay.steps[i]);
        const bool follows = again.storage != run->steps[i].tensor.storage;
        if (follows && has_weights_of(arena, run, &run->steps[i], shown))
            return (struct followed){&run->steps[i], again};
    }
    return (struct followed){0};
}

// ---- Keys ---------------------------------------------------------------------------------------

// From a step without a picture to the next one with one, or to the one before.
static void go_to_picture(struct walker *walker, struct picture_shown *shown, int by) {
    const struct run *run = &walker->trial.run;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    int step = walker->state.step + by;
    while (step >= 0 && step < run->step_count && !has_picture(m, run, step)) step += by;
    scratch_close(&scratch);
    if (step < 0 || step >= run->step_count) return;
    go_to_step(&walker->state, run, step);
    *shown = (struct picture_shown){0};
    open(walker, shown);
}

static void choose(struct walker *walker, struct picture_shown *shown, int by) {
    if (shown->kind == NOTHING) {
        go_to_picture(walker, shown, by);
        return;
    }
    const int next = shown->chosen + by;
    if (next < 0 || next >= count_of_places(walker, shown)) return;
    shown->chosen = next;
    shown->right = shown->up = 0;
}

static void flip_page(struct walker *walker, struct picture_shown *shown, int by) {
    const int64_t pages = table_of(&step_on_screen(walker)->tensor).pages;
    if (pages < 2) return;
    shown->page = (shown->page + by + pages) % pages;
    shown->right = shown->up = 0;
    if (shown->kind == PLANE || shown->kind == NOTHING) find_kind(walker, shown);
}

// A point of the first set moves by a thirtieth of the plane; on a curve the arrows go along it.
static void move(struct walker *walker, struct picture_shown *shown, int right, int up) {
    if (shown->kind == CURVE) choose(walker, shown, right);
    if (shown->kind != PLANE || shown->chosen >= shown->plane.sets[0].count) return;
    const struct plane *plane = &shown->plane;
    const double across = fmax(plane->most_x - plane->least_x, plane->most_y - plane->least_y);
    shown->right += right * across / 30;
    shown->up += up * across / 30;
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct picture_shown *shown = view_state;
    switch (pressed->action) {
    case ACT_LEFT:
    case ACT_RIGHT:
        move(walker, shown, pressed->action == ACT_RIGHT ? 1 : -1, 0);
        break;
    case ACT_UP:
    case ACT_DOWN:
        move(walker, shown, 0, pressed->action == ACT_UP ? 1 : -1);
        break;
    case ACT_NEXT:
    case ACT_BACK:
        choose(walker, shown, pressed->action == ACT_NEXT ? 1 : -1);
        break;
    case ACT_NEXT_PAGE:
    case ACT_PREVIOUS_PAGE:
        flip_page(walker, shown, pressed->action == ACT_NEXT_PAGE ? 1 : -1);
        break;
    case ACT_RESTART:
        shown->right = shown->up = 0;
        break;
    default:
        break;
    }
}

// ---- The screen ---------------------------------------------------------------------------------

static struct style style_of(const void *view_state, const struct sketch_cell *cell) {
    const struct picture_shown *shown = view_state;
    if (cell->of == PART_OF_NOTHING) return cell->is_words ? PLAIN : DIM;
    if (cell->of == shown->chosen && shown->kind != STRIPS) return REVERSE;
    if (shown->kind == PLANE && cell->of >= shown->plane.sets[0].count) return DIM;
    return PLAIN;
}

// The cursor stands where the chosen part begins.
static void put_cursor_on(struct canvas *canvas, const struct area *area,
                          const struct sketch *sketch, int chosen) {
    for (int i = 0; i < sketch->rows * sketch->columns; i++) {
        if (sketch->cells[i].of != chosen || sketch->cells[i].is_words) continue;
        put_cursor(canvas, area->row + i / sketch->columns, area->column + i % sketch->columns);
        return;
    }
}

// A bar of so many eighths of a column.
static void draw_bar(struct canvas *canvas, int row, int column, int eighths) {
    const bool ascii = canvas->look.is_ascii;
    for (; eighths > 0; eighths -= 8, column++) {
        char bytes[5];
        utf8_encode(0x2590u - (uint32_t)(eighths < 8 ? eighths : 8), bytes);
        put_text(canvas, row, column, 1, !ascii ? bytes : eighths < 4 ? "." : "#", PLAIN);
    }
}

// "with      ███▎ 0.1984": a bar for each key, full at 1.
static void draw_weights(struct canvas *canvas, const struct area *area,
                         const struct followed *followed, const struct picture_shown *shown) {
    enum { LABEL = 9, NUMBER = 7 };
    struct arena *arena = canvas->arena;
    const struct tensor *weights = &followed->weights;
    const struct table table = table_of(weights);
    const int bar = area->columns - LABEL - NUMBER - 1;
    const char *token = shown->plane.points[shown->chosen].label;
    const char *title = arena_format(arena, "%s of %s", followed->step->name, token);
    put_text(canvas, area->row, area->column, area->columns, title, BOLD);
    const int64_t row = table.rows == 1 ? 0 : shown->chosen;
    struct text words = text_new(arena);
    text_add(&words, title);
    for (int64_t j = 0; j < table.columns && j + 1 < area->rows; j++) {
        int64_t index[MAX_DIMS] = {0};
        table_index(weights, shown->page < table.pages ? shown->page : 0, row, j, index);
        const double weight = element(weights, index);
        const int line = area->row + 1 + (int)j;
        const char *label = label_at(arena, weights, weights->ndim - 1, index);
        put_text(canvas, line, area->column, LABEL - 1, label, PLAIN);
        text_add_format(&words, "%s %s %.4f", j == 0 ? ":" : ",", label, weight);
        draw_bar(canvas, line, area->column + LABEL, (int)floor(fmin(weight, 1) * bar * 8 + 0.5));
        put_right(canvas, line, area->column + area->columns - NUMBER, NUMBER,
                  arena_format(arena, "%.4f", weight), weight == 0 ? DIM : PLAIN);
    }
    note_words(canvas, words.bytes, PLAIN);
}

static const char *describe_point(struct arena *arena, const struct picture_shown *shown) {
    const struct plane *plane = &shown->plane;
    const struct plane_point point = point_now(shown, shown->chosen);
    const bool has_moved = shown->right != 0 || shown->up != 0;
    return arena_format(arena, "%s %s%s: %s %.4f, %s %.4f", plane->sets[point.set].name,
                        point.label, has_moved ? ", moved" : "", plane->x_name, point.x,
                        plane->y_name, point.y);
}

static void draw_plane(struct walker *walker, const struct picture_shown *shown,
                       struct canvas *canvas, const struct area *area) {
    enum { WEIGHTS = 28 };
    struct arena *arena = canvas->arena;
    struct followed followed = {0};
    if (shown->chosen < shown->plane.sets[0].count)
        followed = follow(arena, &walker->trial.run, shown);
    struct area left = *area;
    const bool has_weights = followed.step != NULL && canvas->columns >= 2 * WEIGHTS + 14;
    if (has_weights) left.columns -= WEIGHTS + 2;
    struct plane plane = shown->plane;
    plane.points = arena_array(arena, (size_t)plane.point_count, sizeof *plane.points);
    for (int i = 0; i < plane.point_count; i++) plane.points[i] = point_now(shown, i);
    const struct sketch sketch =
        plane_sketch(arena, &plane, left.rows, left.columns, canvas->look.is_ascii);
    put_sketch(canvas, &left, &sketch, 0, 0, style_of, shown);
    put_cursor_on(canvas, &left, &sketch, shown->chosen);
    if (has_weights) {
        const struct area right = {area->row, area->column + left.columns + 2, area->rows, WEIGHTS};
        draw_weights(canvas, &right, &followed, shown);
    }
    put_text(canvas, area->row + area->rows, 1, canvas->columns - 2, describe_point(arena, shown),
             PLAIN);
}

static const char *describe_number(struct arena *arena, const struct tensor *tensor,
                                   const struct picture_shown *shown) {
    int64_t index[MAX_DIMS] = {0};
    index_at(shape_of(tensor), shown->chosen, index);
    const struct cell cell = cell_at(tensor, index);
    return arena_format(arena, "%s = %s", cell_label(arena, &cell), cell_number(arena, &cell, 4));
}

static void draw_curve(const struct tensor *tensor, const struct tensor *beside,
                       const struct picture_shown *shown, struct canvas *canvas,
                       const struct area *area) {
    struct arena *arena = canvas->arena;
    const struct sketch sketch =
        curve_sketch(arena, tensor, beside, area->rows, area->columns, canvas->look.is_ascii);
    put_sketch(canvas, area, &sketch, 0, 0, style_of, shown);
    put_cursor_on(canvas, area, &sketch, shown->chosen);
    put_text(canvas, area->row + area->rows, 1, canvas->columns - 2,
             describe_number(arena, tensor, shown), PLAIN);
}

static void draw_strips(const struct tensor *tensor, const struct picture_shown *shown,
                        struct canvas *canvas, const struct area *area) {
    const struct sketch sketch =
        strips_sketch(canvas->arena, tensor, shown->page, area->columns, canvas->look.is_ascii);
    put_sketch(canvas, area, &sketch, 0, 0, style_of, shown);
    put_cursor(canvas, area->row, area->column);
}

static const char *why_nothing(struct arena *arena, const struct run *run, const struct step *step,
                               const struct picture_shown *shown, bool has_buttons) {
    int count = 0;
    for (int i = 0; i < run->step_count; i++) count += has_picture(arena, run, i) ? 1 : 0;
    return arena_format(
        arena,
        "%s has no picture: %s. Weights are drawn as strips, lists of numbers as curves or bars. "
        "%d of the %d steps of this lesson have a picture%s",
        step_label(arena, step), shown->why, count, run->step_count,
        has_buttons ? "." : ": n goes to the next of them, b to the one before.");
}

static void draw_nothing(const struct run *run, const struct step *step,
                         const struct picture_shown *shown, struct canvas *canvas,
                         const struct area *area) {
    char **lines;
    const char *words = why_nothing(canvas->arena, run, step, shown, canvas->look.has_buttons);
    const int count = wrap_shown(canvas, words, area->columns, &lines);
    for (int i = 0; i < count && i < area->rows; i++)
        put_text(canvas, area->row + i, area->column, area->columns, lines[i], PLAIN);
}

static const char *title_of(struct arena *arena, const struct step *step,
                            const struct picture_shown *shown) {
    static const char *const names[] = {
        [NOTHING] = "Picture", [PLANE] = "Plane", [STRIPS] = "Strips", [CURVE] = "Curve"};
    int64_t index[MAX_DIMS] = {0};
    table_index(&step->tensor, shown->page, 0, 0, index);
    const char *page = page_title(arena, &step->tensor, index);
    const bool has_bars = shown->kind == CURVE && is_drawn_as_bars(&step->tensor);
    return arena_format(arena, "%s: %s%s%s", has_bars ? "Bars" : names[shown->kind],
                        step_label(arena, step), *page != '\0' ? ", " : "", page);
}

// The point or the number that is chosen; of strips, the largest weight of each query.
static void say(struct walker *walker, void *view_state, struct text *text) {
    const struct picture_shown *shown = view_state;
    const struct step *step = step_on_screen(walker);
    struct arena *arena = text->arena;
    text_add_format(text, "%s\n", title_of(arena, step, shown));
    if (shown->kind == STRIPS) add_strips_facts(text, &step->tensor);
    if (shown->kind == STRIPS) return;
    text_add_format(text, "%s\n",
                    shown->kind == PLANE ? describe_point(arena, shown)
                    : shown->kind == CURVE
                        ? describe_number(arena, &step->tensor, shown)
                        : why_nothing(arena, &walker->trial.run, step, shown, false));
}

// The picture as a figure, and what there is to say of it.
static void note_picture(struct walker *walker, struct picture_shown *shown,
                         struct canvas *canvas) {
    struct arena *arena = canvas->arena;
    const struct step *step = step_on_screen(walker);
    struct text svg = text_new(arena), words = text_new(arena);
    if (canvas->noted == NULL) return;
    if (shown->kind == NOTHING) {
        note_words(canvas, why_nothing(arena, &walker->trial.run, step, shown, true), PLAIN);
        return;
    }
    if (shown->kind == PLANE) {
        struct plane plane = shown->plane;
        plane.points = arena_array(arena, (size_t)plane.point_count, sizeof *plane.points);
        for (int i = 0; i < plane.point_count; i++) plane.points[i] = point_now(shown, i);
        add_plane_svg(&svg, &plane, NULL);
    }
    if (shown->kind == STRIPS) add_strips_svg(&svg, &step->tensor, NULL);
    if (shown->kind == CURVE)
        add_curve_svg(&svg, &step->tensor, curve_beside(&walker->trial.run, step), NULL);
    canvas->noted->svg = svg.bytes;
    say(walker, shown, &words);
    char **lines;
    const int count = split_shown(canvas, words.bytes, &lines);
    for (int i = 1; i < count; i++) note_words(canvas, lines[i], PLAIN); // behind the title
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    struct picture_shown *shown = view_state;
    const struct step *step = step_on_screen(walker);
    const struct area area = {2, 1, canvas->rows - 4, canvas->columns - 2};
    draw_title(canvas, title_of(canvas->arena, step, shown), walker->trial.run.lesson->title);
    if (shown->kind == PLANE)
        draw_plane(walker, shown, canvas, &area);
    else if (shown->kind == STRIPS)
        draw_strips(&step->tensor, shown, canvas, &area);
    else if (shown->kind == CURVE)
        draw_curve(&step->tensor, curve_beside(&walker->trial.run, step), shown, canvas, &area);
    else
        draw_nothing(&walker->trial.run, step, shown, canvas, &area);
    enum { ROOM = 72 };
    const bool is_of_updates = find_axis(&step->tensor, AXIS_UPDATE) >= 0;
    if (shown->kind == CURVE && is_of_updates && canvas->columns >= ROOM)
        put_right(canvas, canvas->rows - 2, canvas->columns / 2, canvas->columns / 2 - 1,
                  "a one more update, A ten, z none", DIM);
    draw_key_bar(canvas, VIEW_PICTURE);
    note_picture(walker, shown, canvas);
}

const struct walk_view picture_view = {
    .bit = VIEW_PICTURE,
    .name = "In a picture",
    .opened_by = ACT_PICTURE,
    .size = sizeof(struct picture_shown),
    .open = open,
    .press = press,
    .draw = draw,
    .say = say,
};
