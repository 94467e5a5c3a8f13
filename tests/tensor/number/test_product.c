// A row of products at once against the products that define it, element by element.

#include <string.h>

#include "fixture.h"
#include "tensor/number/generator.h"
#include "tensor/number/partial.h"
#include "tensor/number/product.h"

#include <check.h> // last: defines a macro fail

enum { MOST_COLUMNS = 19, MOST_INNER = 41, WIDEST = 3, ROOM = WIDEST * MOST_COLUMNS * MOST_INNER };

// Some are 0, some so small that products vanish and leave their sign.
static void draw(struct generator *generator, float *numbers, int count) {
    for (int i = 0; i < count; i++) {
        const float size = random_bits(generator) % 4 == 0 ? 0x1p-90F : 1;
        numbers[i] = (random_float(generator) - 0.5F) * size;
        if (random_bits(generator) % 8 == 0) numbers[i] = -0.0F;
    }
}

// The first columns of a product that has some more, in any of its rows.
static struct entry any_row(struct generator *generator, int64_t inner, int64_t columns) {
    struct entry entry = {.inner = inner, .columns = columns + random_bits(generator) % 9};
    entry.rows = 1 + random_bits(generator) % 30;
    entry.row = random_bits(generator) % entry.rows;
    return entry;
}

static void add_plain(struct line row, struct columns columns, struct entry entry, float *sums) {
    (void)entry;
    add_plain_products(row, columns, sums);
}

static float plain_from_start(struct line row, struct line column, float start,
                              struct entry entry) {
    (void)entry;
    return start + plain_product(row, column);
}

static const struct {
    void (*add)(struct line row, struct columns columns, struct entry entry, float *sums);
    float (*one)(struct line row, struct line column, float start, struct entry entry);
} kinds[] = {{add_fused_products, fused_product}, {add_plain, plain_from_start}};

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
        struct entry entry = any_row(&generator, inner, count);
        memcpy(sums, starts, sizeof sums);
        kinds[_i].add(row, columns, entry, sums);
        for (; entry.column < MOST_COLUMNS; entry.column++) {
            const int64_t j = entry.column;
            const float one =
                j < count ? kinds[_i].one(row, column_in(columns, j), starts[j], entry) : starts[j];
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
    enum { MOST = 400, ROWS = 7, KINDS = 6 + ROWS };
    // Of nine rows the first eight are added by turns, if there are eight columns; of two none is.
    static const int64_t rows[] = {2, 9};
    struct generator generator;
    manual_seed(&generator, 18);
    float a[MOST], b[MOST];
    for (int64_t count = 0; count < MOST; count++) {
        arena = arena_new(&failure);
        draw(&generator, a, MOST);
        draw(&generator, b, MOST);
        const struct line x = {a, 1, count}, y = {b, 1, count};
        const float start = b[0] + 1;
        struct partials partials[KINDS] = {partials_of_plain(&arena, x, y),
                                           partials_of_dot(&arena, x, y)};
        float products[KINDS] = {0 + plain_product(x, y), dot_product(x, y)};
        for (int i = 0; i < 2; i++) {
            const struct entry entry = {.rows = rows[i], .inner = count, .columns = 8};
            partials[2 + i] = partials_of_fused(&arena, x, y, NULL, entry);
            products[2 + i] = fused_product(x, y, 0, entry);
            partials[4 + i] = partials_of_fused(&arena, x, y, &start, entry);
            products[4 + i] = fused_product(x, y, start, entry);
        }
        for (int row = 0; row < ROWS; row++) {
            partials[6 + row] = partials_of_row(&arena, x, y, row, ROWS);
            products[6 + row] = row_product(x, y, row, ROWS);
        }
        for (int i = 0; i < KINDS; i++) {
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
