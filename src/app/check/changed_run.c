#include "app/check/changed_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tensor/cell.h"
#include "tensor/ops/ops.h"
#include "trace/what_if/effects.h"

// What students take. The usual value of a course or of PyTorch comes first.
struct habit {
    uint64_t bit;
    const char *values[24];
};

// A rate ten times as large is a mistake of its own.
static const struct habit habits_of_training[] = {
    {USES_OPTIMIZER, {"sgd", "adam", "momentum", "adamw"}},
    {USES_LR, {"0.001", "0.01", "0.0001", "0.0004", "0.0005", "0.005", "0.05", "0.5", "1"}},
    {USES_WEIGHT_DECAY, {"0.1", "0", "0.01", "0.001", "0.05"}},
    {USES_CLIP, {"1", "0.5"}},
    {USES_COSINE, {"yes"}},
    {USES_UPDATES, {"100", "50", "10", "1", "2", "199", "201", "200", "300"}},
};

// Where the first losses tell at once whether it is worth while to train.
static const struct habit habits_of_losses[] = {
    {USES_LR,
     {"0.002", "0.02", "0.003", "0.03", "0.0002", "0.0003", "0.004", "0.006", "0.008", "0.2", "0.3",
      "0.00001", "0.00005", "2"}},
    {USES_HEADS, {"1", "2", "4"}},
    {USES_HIDDEN, {"4", "16", "32"}},
    {USES_SEED, {"123", "789", "0", "1", "42", "1234", "2", "7", "10", "100", "1337", "2024"}},
};

static const struct habit habits[] = {
    {USES_SEED, {"123", "789", "0", "1", "42", "1234", "2", "7", "10", "100", "1337", "2024"}},
    {USES_DROPOUT_SEED, {"none", "123", "0", "42", "789", "1"}},
    {USES_DROPOUT, {"0", "0.1", "0.2", "0.25", "0.3", "0.5", "0.9"}},
    {USES_HEADS, {"1", "2", "3", "4", "6", "8"}},
    {USES_D_OUT, {"1", "2", "3", "4", "6", "8"}},
    {USES_BATCH, {"1", "2", "3", "4"}},
    {USES_BASE, {"10000", "500000", "1000000", "1000"}},
};

// Two that are often changed together.
static const struct habit rates = {
    USES_LR,
    {"0.1", "0.001", "0.01", "0.3", "0.5", "1", "0.05", "0.0001", "0.005", "0.02", "0.2", "0.003",
     "0.0004"},
};
static const struct habit optimizers = {USES_OPTIMIZER, {"sgd", "momentum", "adam", "adamw"}};
static const struct habit decays = {USES_WEIGHT_DECAY, {"0.1", "0", "0.001"}};

// A row of losses, one before each update and one after all.
static bool has_a_loss_for_each_update(const struct seeker *seeker) {
    const struct tensor *x = &seeker->step->tensor;
    const int64_t updates = seeker->run->parameters.updates;
    return seeker->run->lesson->trains && updates > 0 && x->storage->dtype == FLOAT32 &&
           find_axis(x, AXIS_UPDATE) >= 0 && count_of(shape_of(x)) == updates + 1;
}

// Two updates take little time, and nearly all changes are seen in their losses.
static bool may_be_trained_so(struct seeker *seeker, struct parameters parameters) {
    enum { FEW = 2 };
    if (seeker->begins == NULL || parameters.updates <= FEW || !has_a_loss_for_each_update(seeker))
        return true;
    if (parameters.cosine) return true; // the rates of two updates are others
    parameters.given |= USES_UPDATES;
    parameters.updates = FEW;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, seeker->run->memory->failure);
    struct run brief;
    const struct step *step = run_until(&brief, m, seeker->run->lesson, &parameters, seeker->step);
    const bool may_be = step != NULL && seeker->begins(seeker, &step->tensor);
    scratch_close(&scratch);
    return may_be;
}

// Runs the lesson with these parameters as far as the step, and asks whether it was found.
static bool try_parameters(struct seeker *seeker, const struct parameters *parameters,
                           const char *how) {
    if (!may_be_trained_so(seeker, *parameters)) return false;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, seeker->run->memory->failure);
    struct run changed;
    const struct step *step = run_until(&changed, m, seeker->run->lesson, parameters, seeker->step);
    const bool is_found = step != NULL && seeker->found(seeker, &step->tensor, how);
    scratch_close(&scratch);
    return is_found;
}

// Gives a parameter another value; "no" takes it away. Is it another one, and does the parameter take it?
static bool change(struct parameters *parameters, struct arena *arena,
                   const struct parameter *parameter, const char *value) {
    const char *old = parameter_text(arena, parameters, parameter);
    if ((parameters->given & parameter->bit) && strcmp(old, value) == 0) return false;
    if (strcmp(value, "no") != 0) return set_parameter(parameters, parameter, value);
    parameters->given &= ~parameter->bit;
    return true;
}

static bool try_value(struct seeker *seeker, struct arena *arena, uint64_t bit, const char *value) {
    const struct parameter *parameter = parameter_by_bit(bit);
    struct parameters parameters = seeker->run->parameters;
    if (!(seeker->run->lesson->uses & bit)) return false;
    if (!has_time(seeker->patience, parameter->option, 0, 1)) return false;
    if (!change(&parameters, arena, parameter, value)) return false;
    return try_parameters(seeker, &parameters,
                          arena_format(arena, "%s=%s", parameter->name, value));
}

static void try_habits(struct seeker *seeker, struct arena *arena, const struct habit *first,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (const char *const *value = first[i].values; *value != NULL; value++)
            (void)try_value(seeker, arena, first[i].bit, *value);
    }
}

// Gives two parameters other values at a time.
static void try_pairs(struct seeker *seeker, struct arena *arena, const struct habit *first,
                      const struct habit *second) {
    const struct parameter *one = parameter_by_bit(first->bit),
                           *other = parameter_by_bit(second->bit);
    if ((seeker->run->lesson->uses & one->bit) == 0 ||
        (seeker->run->lesson->uses & other->bit) == 0)
        return;
    for (const char *const *value = first->values; *value != NULL; value++) {
        for (const char *const *with = second->values; *with != NULL; with++) {
            struct parameters parameters = seeker->run->parameters;
            if (!has_time(seeker->patience, one->option, 0, 1)) return;
            if (change(&parameters, arena, one, *value) && change(&parameters, arena, other, *with))
                (void)try_parameters(
                    seeker, &parameters,
                    arena_format(arena, "%s=%s %s=%s", one->name, *value, other->name, *with));
        }
    }
}

// The losses of the loop run once more, which goes on with the trained model and its optimizer.
static void try_second_training(struct seeker *seeker) {
    struct parameters parameters = seeker->run->parameters;
    const int64_t updates = parameters.updates;
    if (2 * updates > MOST_UPDATES || !has_time(seeker->patience, "--updates", 0, 1)) return;
    parameters.given |= USES_UPDATES;
    parameters.updates = 2 * updates;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, seeker->run->memory->failure);
    struct run longer;
    const struct step *step = run_until(&longer, m, seeker->run->lesson, &parameters, seeker->step);
    if (step != NULL) {
        const struct tensor second = narrow(step->tensor, 0, updates, updates + 1);
        (void)seeker->found(seeker, &second,
                            "a training loop that ran twice: the second time it goes on with the "
                            "model that the first one trained");
    }
    scratch_close(&scratch);
}

void try_changed_training(struct seeker *seeker, struct arena *arena) {
    try_habits(seeker, arena, habits_of_training,
               sizeof habits_of_training / sizeof *habits_of_training);
    if (!has_a_loss_for_each_update(seeker)) return;
    try_habits(seeker, arena, habits_of_losses, sizeof habits_of_losses / sizeof *habits_of_losses);
    try_second_training(seeker);
    try_pairs(seeker, arena, &optimizers, &rates);
    try_pairs(seeker, arena, &rates, &decays);
}

void try_changed_runs(struct seeker *seeker, struct arena *arena) {
    const struct parameters *parameters = &seeker->run->parameters;
    const struct parameters course = {0};
    if (parameters->given != 0)
        (void)try_parameters(seeker, &course, "the course's own parameters");
    (void)try_value(seeker, arena, USES_BIAS, parameters->bias ? "no" : "yes");
    (void)try_value(seeker, arena, USES_EVAL, parameters->eval ? "no" : "yes");
    try_habits(seeker, arena, habits, sizeof habits / sizeof *habits);
}

// A list that updates fill begins before the first of them.
void try_changed_sizes(struct seeker *seeker, struct arena *arena, struct shape shape) {
    static const uint64_t sizes[] = {USES_D_OUT, USES_HEADS, USES_BATCH};
    for (int dim = 0; dim < shape.ndim; dim++) {
        const char *size = arena_format(arena, "%" PRId64, shape.size[dim]);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            (void)try_value(seeker, arena, sizes[i], size);
        const char *before = arena_format(arena, "%" PRId64, shape.size[dim] - 1);
        (void)try_value(seeker, arena, USES_UPDATES, before);
    }
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (habits[i].bit & (USES_D_OUT | USES_HEADS | USES_BATCH))
            try_habits(seeker, arena, &habits[i], 1);
    }
}

// Does the step depend on a parameter of the lesson? Masks and sizes depend on no seed, for example.
static bool depends_on(struct seeker *seeker, struct arena *arena, uint64_t bit,
                       const char *another) {
    struct parameters parameters = seeker->run->parameters;
    if (!(seeker->run->lesson->uses & bit)) return false;
    if (!change(&parameters, arena, parameter_by_bit(bit), another)) return true;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, arena->failure);
    struct run changed;
    const struct step *step =
        run_until(&changed, m, seeker->run->lesson, &parameters, seeker->step);
    const bool depends = step != NULL && differ(&step->tensor, &seeker->step->tensor);
    scratch_close(&scratch);
    return depends;
}

void try_all_seeds(struct seeker *seeker, struct arena *arena) {
    enum { SEEDS = 10000 };
    enum { WORK = 600000000 };
    if (!depends_on(seeker, arena, USES_SEED, "31415")) return;
    if (depends_on(seeker, arena, USES_UPDATES, "1")) return; // no time for so many trainings
    struct patience patience = start_search_for(WORK, seeker->patience->terminal);
    for (int i = 0; i < SEEDS && has_time(&patience, "seeds", i, SEEDS); i++) {
        struct scratch scratch;
        struct arena *m = scratch_open(&scratch, arena->failure);
        struct parameters parameters = seeker->run->parameters;
        char value[8];
        (void)snprintf(value, sizeof value, "%d", i);
        const bool is_found =
            change(&parameters, m, parameter_by_bit(USES_SEED), value) &&
            try_parameters(seeker, &parameters, arena_format(arena, "seed=%s", value));
        scratch_close(&scratch);
        if (is_found) return;
    }
}

const char *changed_text(struct arena *arena, const char *how) {
    const char *sign = strchr(how, '='), *second = strchr(how, ' ');
    if (sign != NULL && second != NULL) {
        const char *other = strchr(second, '=');
        return arena_format(arena, "your numbers are those of %.*s %.*s and %.*s %s",
                            (int)(sign - how), how, (int)(second - sign - 1), sign + 1,
                            (int)(other - second - 1), second + 1, other + 1);
    }
    if (sign == NULL) return arena_format(arena, "your numbers are those of %s", how);
    const char *value = sign + 1;
    const char *name = arena_format(arena, "%.*s", (int)(sign - how), how);
    if (strcmp(how, "dropout_seed=none") == 0)
        return "your numbers are those of a program that sets the seed once, before its layers, "
               "and not before each mask";
    if (strcmp(value, "yes") == 0)
        return arena_format(arena, "your numbers are those with %s", name);
    if (strcmp(value, "no") == 0)
        return arena_format(arena, "your numbers are those without %s", name);
    return arena_format(arena, "your numbers are those of %s %s", name, value);
}
