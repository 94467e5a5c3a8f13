#include "show/picture/plane.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "show/table.h"
#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"
#include "trace/tape/graph.h"

// ---- Pages of what a step was made of ----------------------------------------------------------------

// The page of an operand that belongs to an index of the result: leading dimensions broadcast.
static struct tensor operand_page(const struct tensor *operand, const struct tensor *result,
                                  const int64_t *index) {
    struct tensor page = *operand;
    for (int dim = 0; has_pages(&page); dim++) {
        const int64_t position = index[dim + result->ndim - operand->ndim];
        page = select_index(page, 0, operand->shape[dim] == 1 ? 0 : position);
    }
    return page;
}

// Is the tensor all that its operation computed, as it computed it?
static bool is_whole(const struct tensor *tensor) {
    return is_contiguous(tensor) && tensor->offset == 0 &&
           shapes_equal(shape_of(tensor), tensor->storage->shape);
}

// Fills a and b with the pages of the two factors of a product; false if the step is none.
static bool factors_of(const struct step *step, const int64_t *index, struct tensor *a,
                       struct tensor *b) {
    const struct tensor *tensor = &step->tensor;
    const struct origin *origin = tensor->storage->origin;
    if (!origin->operation->mixes_rows || !is_whole(tensor)) return false;
    if (!has_rows(&origin->operands[1])) return false;
    *a = operand_page(&origin->operands[0], tensor, index);
    *b = operand_page(&origin->operands[1], tensor, index);
    return true;
}

// ---- Sets of points --------------------------------------------------------------------------------

static void add_set(struct arena *arena, struct plane *plane, const char *name,
                    const struct tensor *rows) {
    const int64_t count = table_of(rows).rows;
    plane->points =
        arena_grow(arena, plane->points, (size_t)plane->point_count * sizeof *plane->points,
                   (size_t)count * sizeof *plane->points);
    plane->sets[plane->set_count] = (struct plane_set){name, plane->point_count, (int)count, *rows};
    for (int64_t i = 0; i < count; i++) {
        int64_t x[MAX_DIMS] = {0}, y[MAX_DIMS] = {0};
        table_index(rows, 0, i, 0, x);
        table_index(rows, 0, i, 1, y);
        plane->points[plane->point_count++] = (struct plane_point){
            .x = element(rows, x),
            .y = element(rows, y),
            .set = plane->set_count,
            .label = has_rows(rows) ? label_of(arena, rows, 0, i) : name,
        };
    }
    plane->set_count++;
}

static const char *name_of(const struct run *run, const struct step *step,
                           const struct tensor *operand, const char *otherwise) {
    const struct step *shown = step_viewed(run, operand, step->number);
    return shown != NULL ? shown->name : otherwise;
}

static bool is_finite(const struct plane *plane) {
    for (int i = 0; i < plane->point_count; i++) {
        if (!isfinite(plane->points[i].x) || !isfinite(plane->points[i].y)) return false;
    }
    return true;
}

// ---- Hull ----------------------------------------------------------------------------------------

static int from_left(const void *left, const void *right) {
    const struct plane_point *a = *(struct plane_point *const *)left;
    const struct plane_point *b = *(struct plane_point *const *)right;
    if (a->x != b->x) return (a->x > b->x) - (a->x < b->x);
    return (a->y > b->y) - (a->y < b->y);
}

static bool turns_left(const struct plane_point *a, const struct plane_point *b,
                       const struct plane_point *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x) > 0;
}

// The hull of the second set, counterclockwise: the monotone chain of Andrew (1979).
static void find_hull(struct arena *arena, struct plane *plane) {
    const struct plane_set *set = &plane->sets[1];
    const size_t count = (size_t)set->count;
    struct plane_point **sorted = arena_array(arena, count, sizeof *sorted);
    struct plane_point **chain = arena_array(arena, 2 * count + 1, sizeof *chain);
    for (size_t i = 0; i < count; i++) sorted[i] = &plane->points[set->first + (int)i];
    qsort(sorted, count, sizeof *sorted, from_left);
    int length = 0;
    for (int half = 0; half < 2; half++) {
        const int first = length;
        for (size_t i = 0; i < count; i++) {
            struct plane_point *next = sorted[half == 0 ? i : count - 1 - i];
            while (length - first >= 2 && !turns_left(chain[length - 2], chain[length - 1], next))
                length--;
            chain[length++] = next;
        }
        length--; // the next half begins with it
    }
    int *hull = arena_array(arena, (size_t)length + 1, sizeof *hull);
    for (int i = 0; i < length; i++) hull[i] = (int)(chain[i] - plane->points);
    plane->hull = hull;
    plane->hull_count = length;
}

// Is each row shares of one whole?
static bool rows_are_shares(const struct tensor *weights) {
    const struct table table = table_of(weights);
    for (int64_t row = 0; row < table.rows; row++) {
        double sum = 0;
        for (int64_t column = 0; column < table.columns; column++) {
            int64_t index[MAX_DIMS] = {0};
            table_index(weights, 0, row, column, index);
            const double weight = element(weights, index);
            if (!(weight >= 0)) return false;
            sum += weight;
        }
        if (fabs(sum - 1) > 1e-4) return false;
    }
    return true;
}

// ---- The plane -----------------------------------------------------------------------------------

static void widen(struct plane *plane, double x, double y) {
    plane->least_x = fmin(plane->least_x, x);
    plane->most_x = fmax(plane->most_x, x);
    plane->least_y = fmin(plane->least_y, y);
    plane->most_y = fmax(plane->most_y, y);
}

static void measure(struct plane *plane) {
    plane->least_x = plane->least_y = INFINITY;
    plane->most_x = plane->most_y = -INFINITY;
    for (int i = 0; i < plane->point_count; i++)
        widen(plane, plane->points[i].x, plane->points[i].y);
    if (plane->has_zero) widen(plane, 0, 0);
}

static void name_features(struct arena *arena, struct plane *plane, const struct tensor *rows) {
    const int last = rows->ndim - 1;
    const bool has_labels = rows->axis[last].labels != NULL;
    const char *name = axis_name(rows, last) != NULL ? axis_name(rows, last) : "number";
    plane->x_name = has_labels ? label_of(arena, rows, last, 0) : arena_format(arena, "%s 1", name);
    plane->y_name = has_labels ? label_of(arena, rows, last, 1) : arena_format(arena, "%s 2", name);
}

static void fill(struct arena *arena, struct plane *plane, const struct run *run,
                 const struct step *step, const int64_t *index) {
    const struct origin *origin = step->tensor.storage->origin;
    const struct tensor result = operand_page(&step->tensor, &step->tensor, index);
    struct tensor a = {0}, b = {0};
    const bool is_product = factors_of(step, index, &a, &b);
    if (result.shape[result.ndim - 1] == 2) {
        add_set(arena, plane, step->name, &result);
        name_features(arena, plane, &result);
        if (!is_product) return;
        add_set(arena, plane, name_of(run, step, &origin->operands[1], "mixed"), &b);
        if (rows_are_shares(&a)) find_hull(arena, plane);
        return;
    }
    b = transpose(b, 0, 1);
    add_set(arena, plane, name_of(run, step, &origin->operands[0], "left"), &a);
    add_set(arena, plane, name_of(run, step, &origin->operands[1], "right"), &b);
    name_features(arena, plane, &a);
    plane->has_zero = true;
}

const char *plane_of(struct arena *arena, struct plane *plane, const struct run *run,
                     const struct step *step, int64_t page) {
    const struct tensor *tensor = &step->tensor;
    int64_t index[MAX_DIMS] = {0};
    *plane = (struct plane){0};
    if (tensor->ndim == 0) return "it is one number; a plane shows rows of two";
    if (count_of(shape_of(tensor)) == 0) return "it is empty";
    if (!has_rows(tensor) && find_axis(tensor, AXIS_UPDATE) >= 0)
        return "its numbers came one after the other";
    table_index(tensor, page, 0, 0, index);
    struct tensor a = {0}, b = {0};
    const int64_t width = tensor->shape[tensor->ndim - 1];
    const bool is_product = factors_of(step, index, &a, &b) && a.shape[a.ndim - 1] == 2;
    if (width != 2 && !is_product)
        return arena_format(arena,
                            "its rows have %" PRId64
                            " number%s; a plane shows rows of two, or a product of them",
                            width, width == 1 ? "" : "s");
    fill(arena, plane, run, step, index);
    if (!is_finite(plane)) return "it has numbers that are not finite";
    if (has_pages(tensor)) plane->title = page_title(arena, tensor, index);
    measure(plane);
    return NULL;
}

// ---- Facts ---------------------------------------------------------------------------------------

void add_plane_facts(struct text *text, const struct plane *plane) {
    if (plane->title != NULL) text_add_format(text, "%s\n", plane->title);
    for (int i = 0; i < plane->point_count; i++) {
        const struct plane_point *point = &plane->points[i];
        text_add_format(text, "%s %s: %s %.4f, %s %.4f\n", plane->sets[point->set].name,
                        point->label, plane->x_name, point->x, plane->y_name, point->y);
    }
    if (plane->hull_count == 0) return;
    text_add_format(text, "hull of %s:", plane->sets[1].name);
    for (int i = 0; i < plane->hull_count; i++)
        text_add_format(text, "%s %s", i > 0 ? "," : "", plane->points[plane->hull[i]].label);
    text_add(text, "\n");
}
