// Five updates of nine numbers, bit by bit as PyTorch makes them:
//
//     torch.manual_seed(7)
//     x = torch.nn.Parameter(torch.empty(9).uniform_(-1, 1))
//     optimizer = torch.optim.AdamW([x], lr=0.5)      # or SGD([x], lr=0.3)
//     for _ in range(5):
//         x.grad = torch.empty(9).uniform_(-1, 1)
//         optimizer.step()

#include "fixture.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

enum { COUNT = 9, UPDATES = 5 };

static struct generator generator;

static void set_up(void) {
    set_up_arena();
    manual_seed(&generator, 7);
}

static struct tensor drawn(void) {
    return uniform(&arena, &generator, SHAPE(COUNT), -1, 1);
}

static void expect_numbers(struct tensor x, const float *wanted) {
    for (int64_t i = 0; i < COUNT; i++) ck_assert_double_eq(element_at(&x, i), (double)wanted[i]);
}

START_TEST(adamw_is_that_of_2_6) {
    static const float wanted[COUNT] = {
        -0x1.f09decp+0F, -0x1.04837ep+0F, -0x1.bc921cp-2F, 0x1.4158b8p+0F,  -0x1.52a350p-2F,
        -0x1.047738p-5F, 0x1.c21aeep-2F,  -0x1.0c3f6ep+1F, -0x1.f96934p-2F,
    };
    const struct tensor zeros = full(&arena, SHAPE(COUNT), 0);
    struct adamw_state state = {drawn(), zeros, zeros};
    for (int64_t update = 1; update <= UPDATES; update++)
        state = adamw(state, drawn(), 0.5, ADAMW_DECAY, update);
    expect_numbers(state.parameter, wanted);
}
END_TEST

START_TEST(sgd_rounds_once) {
    static const float wanted[COUNT] = {
        -0x1.deff42p-2F, -0x1.0a4c7cp-1F, 0x1.9e1d04p-2F,  0x1.48a34cp-2F,  -0x1.eb8978p-2F,
        0x1.567cecp-4F,  -0x1.45160cp-1F, -0x1.42895cp-1F, -0x1.8be6fep-1F,
    };
    struct tensor x = drawn();
    for (int update = 0; update < UPDATES; update++) x = sgd(x, drawn(), 0.3, 0);
    expect_numbers(x, wanted);
}
END_TEST

// torch.optim.Adam([x], lr=0.5, weight_decay=0.1)
START_TEST(adam_decays_in_the_gradient) {
    static const float wanted[COUNT] = {
        -0x1.ce39f8p+0F, -0x1.8fe960p-1F, -0x1.8c26b4p-2F, 0x1.ff21e8p-1F,  -0x1.06226cp-2F,
        -0x1.9c1d60p-6F, 0x1.dfbc4cp-2F,  -0x1.0be11ap+1F, -0x1.f00778p-2F,
    };
    const struct tensor zeros = full(&arena, SHAPE(COUNT), 0);
    struct adamw_state state = {drawn(), zeros, zeros};
    for (int64_t update = 1; update <= UPDATES; update++)
        state = adam(state, drawn(), 0.5, 0.1, update);
    expect_numbers(state.parameter, wanted);
}
END_TEST

// torch.optim.AdamW([x], lr=0.5, weight_decay=0.1)
START_TEST(adamw_decays_by_itself) {
    static const float wanted[COUNT] = {
        -0x1.c13b42p+0F, -0x1.a0021ep-1F, -0x1.768610p-2F, 0x1.0da7cep+0F,  -0x1.2448e0p-2F,
        -0x1.534a00p-6F, 0x1.b0b980p-2F,  -0x1.f1d744p+0F, -0x1.f7cef8p-2F,
    };
    const struct tensor zeros = full(&arena, SHAPE(COUNT), 0);
    struct adamw_state state = {drawn(), zeros, zeros};
    for (int64_t update = 1; update <= UPDATES; update++)
        state = adamw(state, drawn(), 0.5, 0.1, update);
    expect_numbers(state.parameter, wanted);
}
END_TEST

// torch.optim.SGD([x], lr=0.3, weight_decay=0.1)
START_TEST(sgd_decays_in_the_gradient) {
    static const float wanted[COUNT] = {
        -0x1.b48362p-2F, -0x1.b4fcf2p-2F, 0x1.77d220p-2F,  0x1.0edfb4p-2F,  -0x1.9a7008p-2F,
        0x1.c7b960p-4F,  -0x1.205106p-1F, -0x1.42a2cap-1F, -0x1.70b958p-1F,
    };
    struct tensor x = drawn();
    for (int update = 0; update < UPDATES; update++) x = sgd(x, drawn(), 0.3, 0.1);
    expect_numbers(x, wanted);
}
END_TEST

// torch.optim.SGD([x], lr=0.3, momentum=0.9, weight_decay=0.1)
START_TEST(momentum_decays_in_the_gradient) {
    static const float wanted[COUNT] = {
        -0x1.b7f368p+0F, -0x1.cc1c52p-2F, 0x1.294e36p-3F,  0x1.e05bc4p-2F,  -0x1.cee59ep-2F,
        -0x1.6c426ep-6F, -0x1.3d1118p-3F, -0x1.a61b72p+0F, -0x1.2ee006p+0F,
    };
    const struct tensor zeros = full(&arena, SHAPE(COUNT), 0);
    struct adamw_state state = {drawn(), zeros, zeros};
    for (int update = 0; update < UPDATES; update++)
        state = sgd_with_momentum(state, drawn(), 0.3, 0.1);
    expect_numbers(state.parameter, wanted);
}
END_TEST

Suite *optimizers_suite(void) {
    Suite *suite = suite_create("optimizers");
    TCase *tests = add_case(suite, "updates", set_up, tear_down_arena);
    tcase_add_test(tests, adamw_is_that_of_2_6);
    tcase_add_test(tests, adam_decays_in_the_gradient);
    tcase_add_test(tests, adamw_decays_by_itself);
    tcase_add_test(tests, sgd_rounds_once);
    tcase_add_test(tests, sgd_decays_in_the_gradient);
    tcase_add_test(tests, momentum_decays_in_the_gradient);
    return suite;
}
