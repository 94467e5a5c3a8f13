#include "app/statements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lessons.h"
#include "script/torch/tensor_object.h"

struct statements {
    struct text *text; // of the result
    int steps, right;
};

static void print_nothing(void *context, const char *bytes, size_t length) {
    (void)context, (void)bytes, (void)length;
}

static void free_machine(void *context) {
    machine_free(context);
}

// The setup, and each statement with what it shows under a name of its own: a later one may change the tensor.
static const char *program_of(struct arena *arena, const struct run *run) {
    struct text text = text_new(arena);
    text_add(&text, run_setup(arena, run));
    for (int i = 0; i < run->step_count; i++)
        text_add_format(&text, "%s\nstep_%d_ = (%s).detach().clone()\n", run->steps[i].statement, i,
                        run->steps[i].expression);
    return text.bytes;
}

// Any nan is any other.
static bool same_bits(const struct tensor *a, const struct tensor *b) {
    if (a->storage->dtype != b->storage->dtype || !shapes_equal(shape_of(a), shape_of(b)))
        return false;
    for (int64_t i = 0; i < count_of(shape_of(a)); i++) {
        const double x = element_at(a, i), y = element_at(b, i);
        if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

static bool is_right(struct machine *machine, const struct step *step, int i) {
    char name[32];
    snprintf(name, sizeof name, "step_%d_", i);
    const struct value value = dict_named(machine_module(machine, "__main__")->names, name);
    if (!is_kind(value, OBJECT_TENSOR)) return false;
    const struct tensor x = tensor_of_object((const struct tensor_object *)value.object);
    return same_bits(&x, &step->tensor);
}

// Of the steps whose masks are of that stream: others are counted with the other one.
static bool is_of_stream(const struct step *step, enum bernoulli stream) {
    const bool is_of_mcg31m1 = step->group != NULL && strcmp(step->group, "mcg31m1") == 0;
    return is_of_mcg31m1 == (stream == MCG31M1);
}

static void run_statements(struct statements *s, struct arena *arena, const struct run *run,
                           enum bernoulli stream) {
    int steps = 0, right = 0;
    for (int i = 0; i < run->step_count; i++) steps += is_of_stream(&run->steps[i], stream);
    if (steps == 0) return;
    struct syntax_error error;
    const struct program program =
        parse_program(arena, run->lesson->name, program_of(arena, run), &error);
    const struct machine_options options = {.stream = stream, .print = print_nothing};
    struct cleanup cleanup;
    struct machine *machine = machine_new(arena, &options);
    cleanup_open(&cleanup, arena->failure, free_machine, machine);
    const bool is_run = error.message == NULL && machine_run(machine, &program);
    for (int i = 0; i < run->step_count; i++)
        right += is_of_stream(&run->steps[i], stream) && is_right(machine, &run->steps[i], i);
    if (right < steps)
        text_add_format(s->text, "different: statements of %s: %d of %d steps%s%s\n",
                        run->lesson->name, steps - right, steps, is_run ? "" : "; ",
                        is_run                  ? ""
                        : error.message != NULL ? error.message
                                                : machine_error_message(machine, arena));
    s->steps += steps;
    s->right += right;
    cleanup_close(&cleanup);
}

bool add_statements(struct text *text) {
    struct statements s = {.text = text};
    for (int i = 0; i < lesson_count; i++) {
        struct scratch scratch;
        struct arena *arena = scratch_open(&scratch, text->arena->failure);
        struct run run;
        run_lesson(&run, arena, lesson_table[i], &(struct parameters){0});
        run_statements(&s, arena, &run, MT19937);
        run_statements(&s, arena, &run, MCG31M1);
        scratch_close(&scratch);
    }
    text_add_format(
        text, "Lines of PyTorch, run in onestep's own Python: %d of %d steps have their bits.\n",
        s.right, s.steps);
    return s.right == s.steps;
}
