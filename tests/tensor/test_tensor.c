// Tensors and views: shapes, strides and offsets as in PyTorch, and one memory under all of them.

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "records.h"
#include "tensor/operation/rows.h"
#include "tensor/ops/ops.h"

// 0, 1, 2, ... in a shape.
static struct tensor counted(struct shape shape) {
    const int64_t count = count_of(shape);
    float *numbers = arena_array(&arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) numbers[i] = (float)i;
    return tensor_of(&arena, shape, numbers);
}

// A view that is tried: `words` say which.
struct trial {
    struct tensor tensor;
    const char *words;
};

static int read_int(const char **words) {
    const char *word = next_word(&arena, words);
    return word == NULL ? 0 : atoi(word);
}

static void try_view(void *context) {
    struct trial *trial = context;
    const char *words = trial->words;
    const char *name = next_word(&arena, &words);
    const struct tensor x = trial->tensor;
    if (strcmp(name, "view") == 0) {
        trial->tensor = view(x, read_shape(next_word(&arena, &words)));
        return;
    }
    if (strcmp(name, "contiguous") == 0) {
        trial->tensor = contiguous(x);
        return;
    }
    const int first = read_int(&words), second = read_int(&words), third = read_int(&words);
    if (strcmp(name, "transpose") == 0) trial->tensor = transpose(x, first, second);
    if (strcmp(name, "narrow") == 0) trial->tensor = narrow(x, first, second, third);
    if (strcmp(name, "select") == 0) trial->tensor = select_index(x, first, second);
}

static void make_impossible_tensor(void *context) {
    tensor_new(&arena, FLOAT32, *(struct shape *)context);
}

#include <check.h> // last: defines a macro fail

#include "expect.h"

// ---- Views --------------------------------------------------------------------------------------

static void check_view(const struct tensor *x, const struct record *record) {
    const struct shape shape = read_shape(record->fields[1]);
    const struct shape strides = read_shape(record->fields[2]);
    expect(shapes_equal(shape_of(x), shape), "%s: has shape %s", record->line,
           shape_text(&arena, shape_of(x)));
    for (int dim = 0; dim < shape.ndim; dim++) {
        expect(x->stride[dim] == strides.size[dim], "%s: has strides %s", record->line,
               sizes_text(&arena, x->stride, x->ndim));
    }
    expect(x->offset == atoi(record->fields[3]), "%s: has offset %d", record->line, (int)x->offset);
    const double *wanted = numbers_in(&arena, record->fields[4], count_of(shape));
    for (int64_t i = 0; i < count_of(shape); i++)
        expect(element_at(x, i) == wanted[i], "%s: element %d is %g", record->line, (int)i,
               element_at(x, i));
}

// Takes the steps of a record one after the other; false if one is refused.
static bool take_steps(const char *steps, struct tensor *x) {
    const char *semicolon = strstr(steps, " ; ");
    *x = counted(read_shape(steps));
    while (semicolon != NULL) {
        steps = semicolon + 3;
        semicolon = strstr(steps, " ; ");
        const size_t length = semicolon != NULL ? (size_t)(semicolon - steps) : strlen(steps);
        struct trial trial = {*x, arena_copy_bytes(&arena, steps, length)};
        if (!attempt(&failure, try_view, &trial)) return false;
        *x = trial.tensor;
    }
    return true;
}

START_TEST(views_are_those_of_pytorch) {
    const char *text = data_file(&arena, "views.txt");
    struct record record;
    int count = 0;
    for (; next_record(&arena, &text, &record); count++) {
        const bool wanted = strcmp(record.fields[1], "refused") != 0;
        struct tensor x;
        expect(take_steps(record.fields[0], &x) == wanted, "%s: %s", record.line,
               wanted ? failure.message : "is not refused");
        if (wanted) check_view(&x, &record);
    }
    ck_assert_int_eq(count, 400);
}
END_TEST

START_TEST(views_share_their_memory) {
    const struct tensor x = counted(SHAPE(2, 3, 4));
    const struct tensor views[] = {
        transpose(x, 0, 2),    view(x, SHAPE(6, 4)), narrow(x, 1, 1, 2),
        select_index(x, 0, 1), contiguous(x),
    };
    floats_of(&x)[1 * 12 + 2 * 4 + 3] = 100;
    ck_assert_double_eq(element(&views[0], (int64_t[]){3, 2, 1}), 100);
    ck_assert_double_eq(element(&views[1], (int64_t[]){5, 3}), 100);
    ck_assert_double_eq(element(&views[2], (int64_t[]){1, 1, 3}), 100);
    ck_assert_double_eq(element(&views[3], (int64_t[]){2, 3}), 100);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        ck_assert_ptr_eq(views[i].storage, x.storage);
    const struct tensor copy = contiguous(transpose(x, 0, 1));
    ck_assert_ptr_ne(copy.storage, x.storage);
    ck_assert_ptr_eq(copy.storage->origin->operation, &copy_row);
    floats_of(&x)[0] = -1;
    ck_assert_double_eq(element_at(&copy, 0), 0);
}
END_TEST

START_TEST(contiguous_is_what_pytorch_calls_so) {
    const struct tensor x = counted(SHAPE(2, 3, 4));
    ck_assert(is_contiguous(&x));
    static const struct {
        const char *words;
        bool is_contiguous;
    } cases[] = {
        {"transpose 0 1", false}, {"transpose 1 1", true}, {"narrow 0 1 1", true},
        {"narrow 2 0 4", true},   {"narrow 2 0 2", false}, {"narrow 1 0 2", false},
        {"select 0 1", true},     {"select 2 1", false},   {"view 24", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial = {x, cases[i].words};
        ck_assert(attempt(&failure, try_view, &trial));
        expect(is_contiguous(&trial.tensor) == cases[i].is_contiguous, "%s", cases[i].words);
    }
    const struct tensor column = transpose(counted(SHAPE(1, 5)), 0, 1);
    ck_assert(is_contiguous(&column)); // a dimension of size 1 is walked nowhere
    const struct tensor empty = transpose(counted(SHAPE(3, 0)), 0, 1);
    ck_assert(is_contiguous(&empty));
}
END_TEST

START_TEST(impossible_views_are_refused_with_the_shapes) {
    static const struct {
        const char *words, *reasons[4];
    } cases[] = {
        {"view 5x5", {"view: ", "(5, 5)", "(2, 3, 4)"}},
        {"view 0", {"view: ", "(0,)", "(2, 3, 4)"}},
        {"view -", {"view: ", "()", "(2, 3, 4)"}},
        {"transpose 0 3", {"transpose: ", "(2, 3, 4)", "dimension 3"}},
        {"transpose -4 0", {"transpose: ", "(2, 3, 4)", "dimension -4"}},
        {"narrow 1 2 2", {"narrow: ", "(2, 3, 4)", "dimension 1"}},
        {"narrow 1 -1 2", {"narrow: ", "(2, 3, 4)"}},
        {"narrow 1 0 -1", {"narrow: ", "(2, 3, 4)"}},
        {"narrow 3 0 1", {"narrow: ", "dimension 3"}},
        {"select 0 2", {"(2, 3, 4)"}},
        {"select 0 -3", {"(2, 3, 4)"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial = {counted(SHAPE(2, 3, 4)), cases[i].words};
        expect(!attempt(&failure, try_view, &trial), "%s is not refused", cases[i].words);
        ck_assert_int_eq(failure.status, FAIL_USAGE);
        for (int j = 0; j < 4 && cases[i].reasons[j] != NULL; j++)
            expect(strstr(failure.message, cases[i].reasons[j]) != NULL, "no %s in: %s",
                   cases[i].reasons[j], failure.message);
    }
    struct trial merged = {transpose(counted(SHAPE(2, 3, 4)), 0, 1), "view 6x4"};
    ck_assert(!attempt(&failure, try_view, &merged));
    ck_assert_ptr_nonnull(strstr(failure.message, "contiguous()"));
    ck_assert_ptr_nonnull(strstr(failure.message, "(4, 12, 1)"));
    ck_assert_ptr_nonnull(strstr(failure.message, "(6, 4)"));
}
END_TEST

// ---- Shapes and elements ------------------------------------------------------------------------

START_TEST(shapes_are_written_as_in_python) {
    ck_assert_str_eq(shape_text(&arena, SHAPE(6, 3)), "(6, 3)");
    ck_assert_str_eq(shape_text(&arena, SHAPE(6)), "(6,)");
    ck_assert_str_eq(shape_text(&arena, NO_DIMS), "()");
    ck_assert_str_eq(shape_text(&arena, SHAPE(0, 1, 2, 3, INT64_MAX)),
                     "(0, 1, 2, 3, 9223372036854775807)");
    ck_assert_str_eq(sizes_text(&arena, (int64_t[]){12, -1}, 2), "(12, -1)");
    ck_assert_int_eq(count_of(SHAPE(2, 3, 4)), 24);
    ck_assert_int_eq(count_of(NO_DIMS), 1);
    ck_assert_int_eq(count_of(SHAPE(2, 0)), 0);
    ck_assert(shapes_equal(SHAPE(2, 3), SHAPE(2, 3)));
    ck_assert(!shapes_equal(SHAPE(2, 3), SHAPE(3, 2)));
    ck_assert(!shapes_equal(SHAPE(2, 3), SHAPE(2, 3, 1)));
}
END_TEST

START_TEST(elements_are_counted_row_by_row) {
    const struct shape shape = SHAPE(2, 3, 4);
    const struct tensor x = counted(shape);
    for (int64_t position = 0; position < 24; position++) {
        int64_t index[MAX_DIMS];
        index_at(shape, position, index);
        ck_assert_int_eq(index[0] * 12 + index[1] * 4 + index[2], position);
        ck_assert_int_eq(flat_index(&x, index), position);
        ck_assert_double_eq(element(&x, index), (double)position);
        ck_assert_double_eq(element_at(&x, position), (double)position);
        expect(same_float(float_at(&x, index), (float)position), "not the same bits");
    }
}
END_TEST

START_TEST(every_type_has_elements) {
    const struct tensor whole = arange(&arena, -2, 4);
    ck_assert_int_eq(whole.storage->dtype, INT64);
    ck_assert_double_eq(element_at(&whole, 0), -2);
    ck_assert_double_eq(element_at(&whole, 3), 1);
    const struct tensor truth = to_bool(counted(SHAPE(3)));
    ck_assert_int_eq(truth.storage->dtype, BOOL);
    ck_assert_double_eq(element_at(&truth, 0), 0);
    ck_assert_double_eq(element_at(&truth, 2), 1);
    const struct tensor one = scalar(&arena, 0.1);
    ck_assert_int_eq(one.ndim, 0);
    ck_assert_double_eq(element_at(&one, 0), (double)0.1F);
    const struct tensor none = NO_TENSOR;
    ck_assert(!is_tensor(&none));
    ck_assert(is_tensor(&one));
}
END_TEST

START_TEST(impossible_shapes_are_refused) {
    struct shape shapes[] = {SHAPE(2, -1), SHAPE(INT64_MAX, 2), SHAPE(1 << 30, 1 << 30, 1 << 30)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ck_assert(!attempt(&failure, make_impossible_tensor, &shapes[i]));
        ck_assert_ptr_nonnull(strstr(failure.message, shape_text(&arena, shapes[i])));
    }
}
END_TEST

// ---- Names --------------------------------------------------------------------------------------

static struct tensor named(void) {
    static const char *const tokens[] = {"Your", "journey", "starts"};
    const struct tensor x = set_matrix(counted(SHAPE(2, 3, 4)), AXIS_TOKEN, AXIS_FEATURE);
    return label_axis(set_axis(x, 0, AXIS_BATCH), 1, tokens);
}

static void check_names(struct tensor x, const char *first, const char *second, const char *third) {
    const char *const names[] = {first, second, third};
    for (int dim = 0; dim < 3 && names[dim] != NULL; dim++)
        ck_assert_str_eq(axis_name(&x, dim), names[dim]);
}

START_TEST(names_and_labels_travel_along) {
    const struct tensor x = named();
    check_names(x, "batch", "token", "feature");
    check_names(transpose(x, 1, 2), "batch", "feature", "token");
    check_names(select_index(x, 0, 1), "token", "feature", NULL);
    check_names(name_axis(x, 1, "syllable"), "batch", "syllable", "feature");
    const struct tensor renamed = name_axis(x, 1, "syllable");
    ck_assert_int_eq(find_axis(&renamed, AXIS_TOKEN), 1);
    ck_assert_ptr_null(axis_name(&(struct tensor){.ndim = 1}, 0));
    ck_assert_int_eq(find_axis(&x, AXIS_FEATURE), 2);
    ck_assert_int_eq(find_axis(&x, AXIS_QUERY), -1);
    const struct tensor part = narrow(x, 1, 1, 2);
    ck_assert_str_eq(part.axis[1].labels[0], "journey");
    ck_assert_str_eq(part.axis[1].labels[1], "starts");
    const struct tensor turned = contiguous(transpose(x, 1, 2));
    ck_assert_str_eq(turned.axis[2].labels[2], "starts");
    const struct tensor products = matmul(x, transpose(x, 1, 2));
    check_names(products, "batch", "token", "token");
    const struct tensor sums = sum(x, 1, false);
    check_names(sums, "batch", "feature", NULL);
    const struct tensor split = view(x, SHAPE(2, 3, 2, 2));
    check_names(split, "batch", "token", NULL);
    ck_assert_str_eq(axis_name(&split, 3), "feature");
    ck_assert_ptr_eq(split.axis[1].labels, x.axis[1].labels);
}
END_TEST

// Two sentences of a batch, each with words of its own.
START_TEST(a_selected_sentence_has_its_own_labels) {
    static const char *const words[] = {"Your", "journey", "starts", "one", "step", "pad"};
    struct tensor x = label_axis(named(), 1, words);
    x.axis[1].apart = 3;
    const struct tensor first = select_index(x, 0, 0), second = select_index(x, 0, 1);
    ck_assert_str_eq(first.axis[0].labels[0], "Your");
    ck_assert_str_eq(second.axis[0].labels[0], "one");
    ck_assert_str_eq(narrow(x, 0, 1, 1).axis[1].labels[2], "pad");
}
END_TEST

Suite *tensor_suite(void) {
    Suite *suite = suite_create("tensor");
    TCase *views = add_case(suite, "views", set_up_arena, tear_down_arena);
    tcase_add_test(views, views_are_those_of_pytorch);
    tcase_add_test(views, views_share_their_memory);
    tcase_add_test(views, contiguous_is_what_pytorch_calls_so);
    tcase_add_test(views, impossible_views_are_refused_with_the_shapes);

    TCase *elements = add_case(suite, "elements", set_up_arena, tear_down_arena);
    tcase_add_test(elements, shapes_are_written_as_in_python);
    tcase_add_test(elements, elements_are_counted_row_by_row);
    tcase_add_test(elements, every_type_has_elements);
    tcase_add_test(elements, impossible_shapes_are_refused);
    tcase_add_test(elements, names_and_labels_travel_along);
    tcase_add_test(elements, a_selected_sentence_has_its_own_labels);
    return suite;
}
