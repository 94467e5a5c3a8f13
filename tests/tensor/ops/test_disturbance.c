// A disturbance moves last places and nothing else, and always in the same way.

#include "fixture.h"
#include "tensor/operation/disturbance.h"

#include <math.h>

#include "tensor/operation/operation.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

static struct disturbance disturbance;

// From here on all that is computed is disturbed, or nothing.
static void disturb_by(uint64_t number) {
    disturbance = (struct disturbance){.number = number};
    arena.disturbance = number > 0 ? &disturbance : NULL;
}

static struct tensor matrix(void) {
    static const float numbers[] = {0.1F, 1 / 3.0F, -2.5F, 0.7F, 0, 1e-3F};
    return tensor_of(&arena, SHAPE(2, 3), numbers);
}

// How many elements of two tensors differ, and by how much of the larger one at most.
static int count_differing(struct tensor a, struct tensor b, double most) {
    int differing = 0;
    for (int64_t i = 0; i < count_of(shape_of(&a)); i++) {
        const double x = element_at(&a, i), y = element_at(&b, i);
        ck_assert_double_le(fabs(x - y), most * fmax(fabs(x), fabs(y)));
        differing += x != y;
    }
    return differing;
}

START_TEST(each_number_that_is_rounded_moves_by_its_last_place) {
    const struct tensor right = multiply_by(matrix(), 3);
    disturb_by(1);
    const struct tensor other = multiply_by(matrix(), 3);
    const int differing = count_differing(right, other, 4e-7);
    ck_assert_int_ge(differing, 3);
    ck_assert_double_eq(element_at(&other, 4), 0);
}
END_TEST

START_TEST(a_sum_that_cancels_moves_by_the_last_place_of_what_is_added) {
    const float numbers[] = {1e4F, 1e-3F, -1e4F};
    const struct tensor x = tensor_of(&arena, SHAPE(1, 3), numbers);
    double moved = 0;
    for (uint64_t number = 1; number <= 8; number++) {
        disturb_by(number);
        const struct tensor all = sum(x, 1, false);
        moved = fmax(moved, fabs(element_at(&all, 0) - 1e-3));
    }
    ck_assert_double_gt(moved, 5e-4); // floats near 1e4 are 1e-3 apart
    ck_assert_double_lt(moved, 5e-3);
}
END_TEST

START_TEST(what_is_only_moved_keeps_its_bits) {
    const struct tensor x = matrix();
    disturb_by(1);
    const struct tensor shown = contiguous(transpose(x, 0, 1));
    const struct tensor turned = transpose(x, 0, 1);
    ck_assert_int_eq(count_differing(shown, turned, 0), 0);
    const struct tensor mask = to_bool(triu(full(&arena, SHAPE(3, 3), 1), 1));
    const struct tensor hidden = masked_fill(full(&arena, SHAPE(3, 3), 1), mask, -INFINITY);
    ck_assert_double_eq(element_at(&hidden, 1), -INFINITY);
    ck_assert_double_eq(element_at(&hidden, 0), 1);
}
END_TEST

// As in add(multiply_by(x, 3), multiply_by(x, 5)), whose operands a compiler computes in either order.
START_TEST(an_operation_is_disturbed_the_same_whatever_was_computed_before) {
    disturb_by(3);
    const struct tensor first = multiply_by(matrix(), 3);
    const struct tensor second = multiply_by(matrix(), 5);
    disturb_by(3);
    const struct tensor second_first = multiply_by(matrix(), 5);
    const struct tensor first_second = multiply_by(matrix(), 3);
    ck_assert_int_eq(count_differing(first, first_second, 0), 0);
    ck_assert_int_eq(count_differing(second, second_first, 0), 0);
}
END_TEST

START_TEST(a_number_disturbs_in_the_same_way_each_time) {
    disturb_by(3);
    const struct tensor once = multiply_by(matrix(), 3);
    disturb_by(3);
    const struct tensor again = multiply_by(matrix(), 3);
    disturb_by(4);
    const struct tensor other = multiply_by(matrix(), 3);
    ck_assert_int_eq(count_differing(once, again, 0), 0);
    ck_assert_int_gt(count_differing(once, other, 1e-6), 0);
}
END_TEST

START_TEST(operands_stay_as_they_were) {
    const struct tensor x = matrix(), turned = transpose(x, 0, 1);
    disturb_by(1);
    const struct tensor product = matmul(x, turned);
    ck_assert_ptr_eq(product.storage->origin->operands[0].storage, x.storage);
    ck_assert_ptr_eq(product.storage->origin->operands[1].storage, x.storage);
    disturb_by(0);
    ck_assert_int_eq(count_differing(x, matrix(), 0), 0);
}
END_TEST

START_TEST(memory_that_belongs_to_it_is_disturbed_as_well) {
    disturb_by(1);
    ck_assert_ptr_eq(arena_child(&arena)->disturbance, &disturbance);
}
END_TEST

Suite *disturbance_suite(void) {
    Suite *suite = suite_create("disturbance");
    TCase *all = add_case(suite, "disturbance", set_up_arena, tear_down_arena);
    tcase_add_test(all, each_number_that_is_rounded_moves_by_its_last_place);
    tcase_add_test(all, a_sum_that_cancels_moves_by_the_last_place_of_what_is_added);
    tcase_add_test(all, what_is_only_moved_keeps_its_bits);
    tcase_add_test(all, an_operation_is_disturbed_the_same_whatever_was_computed_before);
    tcase_add_test(all, a_number_disturbs_in_the_same_way_each_time);
    tcase_add_test(all, operands_stay_as_they_were);
    tcase_add_test(all, memory_that_belongs_to_it_is_disturbed_as_well);
    return suite;
}
