// A row of products at once against the products that define it, element by element.

#include <string.h>

#include "fixture.h"
#include "tensor/number/generator.h"
#include "tensor/number/partial.h"
#include "tensor/number/product.h"

#include <check.h> // last: defines a macro fail

enum { MOST_COLUMNS = 19, MOST_INNER = 11, WIDEST = 3, ROOM = WIDEST * MOST_COLUMNS * MOST_INNER };

// Some are 0, some so small that products vanish and leave their sign.
static void draw(struct generator *generator, float *numbers, int count) {
    for (int i = 0; i < count; i++) {
        const float size = random_bits(generator) % 4 == 0 ? 0x1p-90F : 1;
        numbers[i] = (random_float(generator) - 0.5F) * size;
        if (random_bits(generator) % 8 == 0) numbers[i] = -0.0F;
    }
}

typedef void add_row(struct line row, struct columns columns, float *sums);

static float fused_from_start(struct line row, struct line column, float start) {
    return fused_product(row, column, start);
}

static float plain_from_start(struct line row, struct line column, float start) {
    return start + plain_product(row, column);
}

static const struct {
    add_row *add;
    float (*one)(struct line row, struct line column, float start);
} kinds[] = {{add_fused_products, fused_from_start}, {add_plain_products, plain_from_start}};

START_TEST(a_row_has_the_bits_of_its_elements) {
    struct generator generator;
    manual_seed(&generator, 17);
    float a[ROOM], b[ROOM], starts[MOST_COLUMNS], sums[MOST_COLUMNS];
    for (int i = 0; i < 5000; i++) {
        draw(&generator, a, ROOM);
        draw(&generator, b, ROOM);
        draw(&generator, starts, MOST_COLUMNS);
        const int64_t inner = random_bits(&generator) % (MOST_INNER + 1);
        const int64_t count = random_bits(&generator) % (MOST_COLUMNS + 1);
        const int64_t wide = 1 + random_bits(&generator) % WIDEST;
        const bool is_turned = random_bits(&generator) % 2 == 0;
        const struct line row = {a, wide, inner};
        const struct columns columns = {
            {b, is_turned ? wide : wide * count, inner}, is_turned ? wide * inner : wide, count};
        memcpy(sums, starts, sizeof sums);
        kinds[_i].add(row, columns, sums);
        for (int64_t j = 0; j < MOST_COLUMNS; j++) {
            const float one =
                j < count ? kinds[_i].one(row, column_in(columns, j), starts[j]) : starts[j];
            ck_assert_mem_eq(&sums[j], &one, sizeof one);
        }
    }
}
END_TEST

static float last_of(struct partials partials) {
    return partials.count > 0 ? (float)partials.all[partials.count - 1].sum : 0;
}

// How often a pair is added.
static int additions_of(const struct partials *partials, int64_t pair) {
    int additions = 0;
    for (int64_t i = 0; i < partials->count; i++) additions += partials->all[i].pair == pair;
    return additions;
}

// Whatever the order, the last of the partial sums has the bits of the product, and each pair is added once.
START_TEST(partial_sums_end_with_the_product) {
    enum { MOST = 150, ROWS = 7 };
    struct generator generator;
    manual_seed(&generator, 18);
    float a[MOST], b[MOST];
    for (int64_t count = 0; count < MOST; count++) {
        arena = arena_new(&failure);
        draw(&generator, a, MOST);
        draw(&generator, b, MOST);
        const struct line x = {a, 1, count}, y = {b, 1, count};
        const float start = b[0] + 1;
        struct partials partials[4 + ROWS] = {
            partials_of_fused(&arena, x, y, NULL), partials_of_fused(&arena, x, y, &start),
            partials_of_plain(&arena, x, y), partials_of_dot(&arena, x, y)};
        float products[4 + ROWS] = {fused_product(x, y, 0), fused_product(x, y, start),
                                    0 + plain_product(x, y), dot_product(x, y)};
        for (int row = 0; row < ROWS; row++) {
            partials[4 + row] = partials_of_row(&arena, x, y, row, ROWS);
            products[4 + row] = row_product(x, y, row, ROWS);
        }
        for (int i = 0; i < 4 + ROWS; i++) {
            const float sum = last_of(partials[i]);
            ck_assert_msg(memcmp(&sum, &products[i], sizeof sum) == 0 || count == 0,
                          "%d, count %d: %a is not %a", i, (int)count, (double)sum,
                          (double)products[i]);
            for (int64_t k = 0; k < count; k++) ck_assert_int_eq(additions_of(&partials[i], k), 1);
        }
        arena_free(&arena);
    }
}
END_TEST

Suite *product_suite(void) {
    Suite *suite = suite_create("product");
    TCase *tcase = add_case(suite, "rows", NULL, NULL);
    tcase_add_loop_test(tcase, a_row_has_the_bits_of_its_elements, 0, 2);
    tcase_add_test(tcase, partial_sums_end_with_the_product);
    return suite;
}
